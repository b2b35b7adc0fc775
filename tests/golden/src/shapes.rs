//! Questions about two shapes that a world asks rarely or never: both move, or a plane does; manifolds; boxes and
//! planes in columns.

use crate::{
    draw::{Draw, Place},
    fold::Fold,
    scene::Scene,
    sweeps::rotating_box,
};
use cullide_world::narrowphase::{
    BoxColumns, BoxSweep, Brush, FeatureId, Gap, Patch, PlaneColumns, PlaneMotion, PlaneTouch, Sides, Solid,
    SphereSweep,
};

const SKIN: f32 = 1.0 / 1024.0;

/// A space so small that most shapes in it meet, whatever the size of the world.
fn close(scene: &Scene) -> Place {
    Place { room: 4.0, ..scene.place }
}

/// Two shapes, both of which move.
pub(crate) fn both_move(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let place = &close(scene);
    for _ in 0..scene.asks(12) {
        let (a, b) = (rotating_box(scene, draw), rotating_box(scene, draw));
        // Toward each other, since otherwise few would meet.
        let meeting = BoxSweep::new(*a.body(), b.body().center() - a.body().center() + draw.cube());
        let (still, meeting) = (*b.translating(), meeting.expect("in range"));
        let ball = SphereSweep::new(place.sphere(draw, 1.0), a.body().center() - place.origin).expect("in range");
        fold.sweep(meeting.against_moving_box(&still));
        fold.sweep(meeting.against_moving_sphere(&ball));
        fold.sweep(ball.against_moving_box(&meeting));
        fold.sweep(
            ball.against_moving_sphere(&SphereSweep::new(place.sphere(draw, 1.0), draw.cube()).expect("in range")),
        );
        let rotating = meeting.rotating(draw.cube() * 2.0).expect("in range");
        fold.sweep(rotating.against_moving_box(&b, SKIN));
        fold.sweep(rotating.against_moving_sphere(&ball, SKIN));
        let (plane, sides) = (place.plane(draw), draw.of([Sides::Front, Sides::Both]));
        fold.sweep(meeting.against_moving_plane(&plane, draw.cube() * 4.0, sides));
        let motion = PlaneMotion::new(draw.cube() * 4.0, draw.cube(), place.point(draw)).expect("in range");
        fold.sweep(rotating.against_moving_plane(&plane, &motion, sides, SKIN));
    }
}

/// How far apart shapes are, and where boxes touch them.
pub(crate) fn gaps(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let place = &close(scene);
    for _ in 0..scene.asks(12) {
        let (body, most, margin) = (place.obb(draw, 1.0), draw.of([1.0, 4.0]), draw.of([0.0, 0.25, 2.0]));
        let (plane, sides) = (place.plane(draw), draw.of([Sides::Front, Sides::Both]));
        fold.maybe(plane.manifold(&body, sides, margin, FeatureId::NONE), |fold, manifold| {
            fold.vector(manifold.normal);
            fold.contacts(&manifold.contacts);
        });
        gap(plane.gap(&body, sides), fold);
        let (aabb, obb, sphere) = (place.aabb(draw, most), place.obb(draw, most), place.sphere(draw, most));
        gap(aabb.gap(&body), fold);
        gap(obb.gap(&body), fold);
        gap(sphere.gap(&body), fold);
        let (brush, patch): (Brush, Patch) = (place.brush(draw, most), place.patch(draw, most));
        gap(brush.gap(&body), fold);
        gap(patch.gap(&body), fold);
        let contacts = brush.contacts(&body, plane.normal(), margin, FeatureId::NONE);
        fold.contacts(&contacts.expect("a brush has corners"));
        fold.maybe(patch.penetration(&body), |fold, found| gap(found, fold));
    }
}

/// Many boxes against a plane, and a box against many planes.
pub(crate) fn columns(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let place = &close(scene);
    let sides = draw.of([Sides::Front, Sides::Both]);
    // Not a multiple of the number of lanes.
    let sweeps: Vec<BoxSweep> = (0..scene.asks(37))
        .map(|_| BoxSweep::new(place.obb(draw, 1.0), place.vector(draw, 4.0)).expect("in range"))
        .collect();
    let column = |of: &dyn Fn(&BoxSweep) -> f32| sweeps.iter().map(of).collect::<Vec<f32>>();
    let centers = [0, 1, 2].map(|axis: usize| column(&|sweep| sweep.body().center()[axis]));
    let motions = [0, 1, 2].map(|axis: usize| column(&|sweep| sweep.motion()[axis]));
    let edges =
        [0, 1, 2].map(|edge| [0, 1, 2].map(|axis: usize| column(&|sweep| sweep.body().half_edges()[edge][axis])));
    let boxes = BoxColumns::new(
        centers.each_ref().map(Vec::as_slice),
        edges.each_ref().map(|edge| edge.each_ref().map(Vec::as_slice)),
        motions.each_ref().map(Vec::as_slice),
    );
    let planes = [(); 21].map(|()| place.plane(draw));
    let normals = [0, 1, 2].map(|axis: usize| planes.map(|plane| plane.normal()[axis]));
    let distances = planes.map(|plane| plane.d());
    let plane_columns = PlaneColumns::new(normals.each_ref().map(<[f32; 21]>::as_slice), &distances);
    let mut touches = Vec::new();
    boxes.expect("in range").against_plane(&planes[0], sides, &mut touches);
    if let Ok(plane_columns) = &plane_columns {
        sweeps[0].against_planes(plane_columns, sides, &mut touches);
    }
    touches.extend(sweeps.iter().map(|sweep| sweep.touch_plane(&planes[1], sides)));
    fold.list(touches, touch);
}

fn touch(fold: &mut Fold, touch: PlaneTouch) {
    fold.flag(touch.is_overlap());
    fold.maybe(touch.hit(), |fold, (toi, feature)| {
        fold.number(toi);
        fold.word(feature.mask().into());
    });
}

fn gap(gap: Gap, fold: &mut Fold) {
    fold.flag(gap.separation < 0.0);
    fold.wide(gap.separation);
    fold.wide_vector(gap.normal);
    fold.wide(gap.certain());
}
