//! A hull's answers: exactly where its vertices decide, and the same as those of a brush of the same box.

use super::{height, in_cube};
use crate::{
    Aabb, BoxSweep, Brush, BrushFace, Hull, Obb, Plane, Segment,
    Side::{Back, Front, Straddling},
    Sphere, Sweep,
};
use cullide_scenes::{Rng, SEED};
use glam::{DVec3, Quat, Vec3};

/// A hull of few points, for queries, and a place near it.
fn small(rng: &mut Rng) -> Hull {
    loop {
        let points: Vec<Vec3> = (0..rng.usize(4..20)).map(|_| in_cube(rng)).collect();
        if let Ok(hull) = Hull::new(&points) {
            return hull;
        }
    }
}

#[test]
fn a_point_is_inside_exactly_when_it_is_behind_all_faces() {
    let mut rng = Rng::with_seed(SEED);
    let whole = |v: DVec3| v.to_array().map(|x| (x * 22f64.exp2()) as i128);
    let mut counts = [0; 2];
    for _ in 0..400 {
        let hull = small(&mut rng);
        let vertices = hull.solid().vertices();
        for _ in 0..40 {
            // On an edge or a face, up to rounding to the grid.
            let face = hull.faces().nth(rng.usize(..hull.faces().len())).unwrap();
            let [a, b, c] = [0, 1, 2].map(|i| vertices[face.vertices[i]]);
            let (s, t) = (rng.f64(), if rng.bool() { 0.0 } else { 0.5 * rng.f64() });
            let on = a + (b - a) * s * (1.0 - t) + (c - a) * t;
            let point = ((on * 22f64.exp2()).round() * (-22f64).exp2()).as_vec3();
            let is_behind = |face: BrushFace| {
                let plane = [0, 1, 2].map(|i| whole(vertices[face.vertices[i]]));
                height(plane, whole(point.as_dvec3())) <= 0
            };
            let expected = hull.faces().all(is_behind);
            assert_eq!(hull.solid().contains_point(point), expected, "{point} {hull:?}");
            let start = Segment::new(point, Vec3::ONE).unwrap().cast(hull.solid());
            assert_eq!(start.is_some_and(|hit| hit.inside), expected, "{point} {hull:?}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 2000), "{counts:?}");
}

#[test]
fn a_plane_through_a_vertex_touches_and_one_step_beside_does_not() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..300 {
        let hull = small(&mut rng);
        let axis = rng.usize(0..3);
        let normal = Vec3::AXES[axis];
        let top = hull.aabb().max()[axis];
        let side = |d: f32| hull.solid().side_of(&Plane::new(normal, -d).unwrap());
        assert_eq!((side(top), side(top.next_up())), (Straddling, Back));
        let low = hull.aabb().min()[axis];
        assert_eq!((side(low), side(low.next_down())), (Straddling, Front));
    }
}

#[test]
fn the_hull_of_a_box_answers_as_the_brush_of_that_box() {
    let mut rng = Rng::with_seed(SEED);
    let aabb = Aabb::new(Vec3::new(-1.0, 2.0, 0.0), Vec3::new(1.0, 5.0, 5.0)).unwrap();
    let (hull, brush) = (Brush::from(Hull::new(&Obb::from(&aabb).corners()).unwrap()), Brush::try_from(&aabb).unwrap());
    let point = |rng: &mut Rng| Vec3::from([0; 3].map(|_| rng.i8(-3..=7) as f32));
    let near = |rng: &mut Rng| point(rng) + Vec3::new(rng.f32(), rng.f32(), rng.f32());
    for case in 0..20_000 {
        let (a, b) = if case % 2 == 0 {
            (near(&mut rng), near(&mut rng))
        } else {
            (near(&mut rng).floor(), near(&mut rng).floor())
        };
        let segment = Segment::between(a, b).unwrap();
        // If several faces are entered at once, either normal is right.
        let cast = |brush: &Brush| segment.cast(brush).map(|hit| (hit.fraction, hit.exit, hit.inside));
        assert_eq!(cast(&hull), cast(&brush), "{segment:?}");
        assert_eq!(hull.contains_point(a), brush.contains_point(a));
        assert_eq!(hull.closest_point(a), brush.closest_point(a));
        let ball = Sphere::new(a, rng.f32()).unwrap();
        assert_eq!(hull.overlaps_sphere(&ball), brush.overlaps_sphere(&ball));
        assert_eq!(hull.gap_of_sphere(&ball).separation, brush.gap_of_sphere(&ball).separation);
        let half = Vec3::new(rng.f32(), rng.f32(), rng.f32());
        let turn = Quat::from_xyzw(0.3, rng.f32() - 0.5, 0.1, 0.8);
        let body = Obb::new(a, if case % 4 < 2 { turn } else { Quat::IDENTITY }, half).unwrap();
        assert_eq!(hull.overlaps_obb(&body), brush.overlaps_obb(&body));
        assert_eq!(hull.gap(&body).separation, brush.gap(&body).separation);
        let sweep = BoxSweep::new(body, b - a).unwrap();
        let toi = |sweep: Sweep| match sweep {
            Sweep::Hit(hit) => Some(hit.toi),
            Sweep::Overlap(_) => Some(-1.0),
            Sweep::Clear => None,
        };
        assert_eq!(toi(sweep.against(&hull)), toi(sweep.against(&brush)), "{sweep:?}");
    }
}

#[test]
fn a_body_that_is_pushed_out_of_a_hull_touches_nothing_of_it() {
    // By the exact vertices: some face, axis or edge separates the body from all of them.
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for _ in 0..4000 {
        let hull = small(&mut rng);
        let at = (in_cube(&mut rng) * 3.0, in_cube(&mut rng) * 0.5);
        let body = Obb::new(at.0, Quat::IDENTITY, at.1.abs()).unwrap();
        let sweep = BoxSweep::new(body, in_cube(&mut rng) - at.0).unwrap();
        let Sweep::Hit(hit) = sweep.against(hull.solid()) else { continue };
        hits += 1;
        let stopped = Obb::new(hit.position, Quat::IDENTITY, at.1.abs()).unwrap();
        let gap = hull.solid().gap(&stopped);
        assert!(gap.is_apart() && gap.separation < 1e-5, "{gap:?}");
        let normal = gap.normal;
        let top = hull.solid().vertices().iter().map(|v| normal.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
        let low = normal.dot(hit.position.as_dvec3()) - normal.abs().dot(at.1.abs().as_dvec3());
        assert!(low >= top - 1e-15, "{low} {top}");
    }
    assert!(hits > 1500, "{hits}");
}
