//! Questions that move nothing: rays, overlaps, nearest things, culling.

use crate::{draw::Draw, fold::Fold, scene::Scene};
use cullide_world::{
    glam::Vec3,
    narrowphase::{Camera, Frustum, Segment},
};

use std::ops::ControlFlow;

/// The closest hit, any hit and all hits of rays, one at a time and as a batch.
pub(crate) fn rays(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (world, place, filter) = (&scene.world, &scene.place, scene.filter(draw));
    let mut rays = Vec::new();
    for _ in 0..scene.asks(32) {
        let aim = draw.one_in(2).then(|| scene.aim(draw));
        let ray = place.ray(draw, aim);
        let (filter, reach) = (scene.filter(draw), draw.of([0.5 * place.room, 4.0 * place.room, f32::INFINITY]));
        fold.maybe(world.cast_ray(&ray, reach, &filter), |fold, hit| fold.ray_hit(&hit));
        fold.flag(world.any_ray_hit(&ray, reach, &filter));
        let mut hits = Vec::new();
        world.cast_ray_all(&ray, reach, &filter, &mut hits);
        fold.list(&hits, Fold::ray_hit);
        rays.push(ray);
    }
    let mut answers = Vec::new();
    world.cast_ray_batch(&rays, 4.0 * place.room, &filter, &mut answers);
    fold.list(answers, |fold, hit| fold.maybe(hit, |fold, hit| fold.ray_hit(&hit)));
}

/// The closest hit and any hit of segments, some of zero length.
pub(crate) fn segments(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (world, place) = (&scene.world, &scene.place);
    for _ in 0..scene.asks(32) {
        let (start, aim) = (place.point(draw), scene.aim(draw));
        let end = if draw.one_in(12) { start } else { aim };
        let Ok(segment) = Segment::between(start, end) else { continue };
        let filter = scene.filter(draw);
        fold.maybe(world.cast_segment(&segment, &filter), |fold, hit| fold.segment_hit(&hit));
        fold.flag(world.any_segment_hit(&segment, &filter));
    }
}

/// What touches a box, a ball and a point.
pub(crate) fn overlaps(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (world, place) = (&scene.world, &scene.place);
    for _ in 0..scene.asks(24) {
        let (filter, point) = (scene.filter(draw), scene.aim(draw));
        let most = draw.of([0.25, 1.0, 4.0]);
        let (obb, sphere) = (place.obb(draw, most), place.sphere(draw, most));
        let mut touched = Vec::new();
        world.overlap(&obb, &filter, &mut touched);
        world.overlap(&sphere, &filter, &mut touched);
        world.overlap(&point, &filter, &mut touched);
        fold.list(touched, Fold::target);
    }
}

/// The few things nearest to a point.
pub(crate) fn nearest(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    for _ in 0..scene.asks(24) {
        let (filter, point, count) = (scene.filter(draw), scene.aim(draw), draw.of([1, 3, 9]));
        let mut near = Vec::new();
        scene.world.nearest(point, f32::INFINITY, count, &filter, &mut near);
        fold.list(near, |fold, near| {
            fold.target(near.target);
            fold.number(near.distance);
            fold.vector(near.point);
        });
    }
}

/// What a camera sees, and on which side of a plane things are.
pub(crate) fn culling(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (world, place) = (&scene.world, &scene.place);
    for _ in 0..scene.asks(8) {
        let (filter, plane) = (scene.filter(draw), place.plane(draw));
        let frustum = frustum(scene, draw);
        frustum.planes().iter().for_each(|plane| {
            fold.vector(plane.normal());
            fold.number(plane.d());
        });
        let (mut visible, mut seen, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        world.cull(&frustum, &filter, &mut visible);
        fold.list(visible, Fold::object);
        // These two come in no particular order.
        world.for_each_visible(&frustum, &filter, |_, object, containment| seen.push((object.user, containment)));
        seen.sort_unstable_by_key(|(user, _)| *user);
        fold.list(seen, |fold, (user, containment)| {
            fold.word(user);
            fold.containment(containment);
        });
        world.for_each_side(&plane, &filter, |_, object, side| sides.push((object.user, side)));
        sides.sort_unstable_by_key(|(user, _)| *user);
        fold.list(sides, |fold, (user, side)| {
            fold.word(user);
            fold.side(side);
        });
    }
    // The pairs of the world as it is before any update.
    let mut pairs = Vec::new();
    world.for_each_pair(|pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    pairs.sort_unstable_by_key(|pair| [fold.name(pair.first.into()), fold.name(pair.second.into())]);
    fold.list(&pairs, Fold::pair);
}

fn frustum(scene: &Scene, draw: &mut Draw) -> Frustum {
    loop {
        let camera = Camera {
            position: scene.place.point(draw),
            forward: scene.place.vector(draw, 2.0),
            up: draw.of([Vec3::Y, Vec3::new(0.25, 1.0, 0.5)]),
            fov_y: draw.of([0.5, 1.0, 1.5]),
            aspect: draw.of([1.0, 1.75]),
            near: 0.125,
            far: draw.of([scene.place.room, f32::INFINITY]),
        };
        if let Ok(frustum) = Frustum::from_camera(&camera) {
            return frustum;
        }
    }
}
