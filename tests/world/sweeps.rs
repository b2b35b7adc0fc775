//! Boxes and balls that sweep through a world stop as asking every object and plane in turn gives, after any edits, and
//! penetrate nothing where they stop.

use cullide_scenes::{Rng, SEED};
use cullide_support::asked::{self, Asked, Swept, point, turned};
use cullide_world::{
    BodyHit, BodyOverlap, Filter, Object, Shape, SlideOptions, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Brush, Obb, Patch, Plane, Sides, Solid, Sphere, SphereSweep},
};

const EDITS: usize = 1000;

/// Checks that a ball that came from `start` penetrates nothing: by the nearest points of objects, up to their
/// rounding, and by its gaps.
fn assert_free(asked: &Asked, start: &Sphere, ball: &Sphere) {
    let rounding = 1e-5;
    for (key, shape) in asked.objects() {
        let (nearest, gap) = match shape {
            Shape::Aabb(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
            Shape::Obb(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
            Shape::Sphere(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
            Shape::Brush(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
            Shape::Patch(shape) => (shape.closest_point(ball.center()), shape.gap_of_sphere(ball)),
            _ => panic!("a shape that is not known here"),
        };
        let distance = nearest.distance(ball.center());
        assert!(distance >= ball.radius() - rounding, "{distance} from {key:?} {shape:?}: {start:?} {ball:?}");
        assert!(gap.separation >= 0.0, "{gap:?} to {key:?} {shape:?}: {start:?} {ball:?}");
    }
    for (key, WorldPlane { plane, sides, .. }) in asked.planes() {
        let [before, now] = [start, ball].map(|ball| plane.signed_distance(ball.center()));
        let is_ignored = *sides == Sides::Front && before + ball.radius() <= rounding;
        let side = if *sides == Sides::Both && before < 0.0 { -1.0 } else { 1.0 };
        let is_free = is_ignored || before.abs() <= rounding || side * now >= ball.radius() - rounding;
        assert!(is_free, "{now} from {key:?} {plane:?}: {start:?} {ball:?}");
        assert!(plane.gap_of_sphere_from(start, ball, *sides).separation >= 0.0, "{key:?} {plane:?} {ball:?}");
    }
}

fn check_sweeps(asked: &Asked, rng: &mut Rng) -> usize {
    let motion = if rng.usize(0..5) == 0 { Vec3::ZERO } else { point(rng) };
    let sweep = BoxSweep::new(turned(rng), motion).unwrap();
    let found = asked.world.sweep(&sweep, &asked.filter());
    let expected = asked.swept_box(&sweep);
    assert_same(found.hit, found.overlap, &expected, &sweep);
    usize::from(expected.1.is_some())
}

fn check_ball_sweeps(asked: &Asked, rng: &mut Rng) -> usize {
    let motion = if rng.usize(0..5) == 0 { Vec3::ZERO } else { point(rng) };
    let radius = [0.0, 1e-9, 0.25, 1.0, 2.5][rng.usize(0..5)];
    let ball = Sphere::new(point(rng), radius).unwrap();
    let sweep = SphereSweep::new(ball, motion * if rng.bool() { 1.0 } else { 100.0 }).unwrap();
    let found = asked.world.sweep(&sweep, &asked.filter());
    let expected = asked.swept_sphere(&sweep);
    assert_same(found.hit, found.overlap, &expected, &sweep);
    let end = Sphere::new(found.position, radius).unwrap();
    if found.overlap.is_some() {
        assert_eq!(end, ball);
    } else {
        assert_free(asked, &ball, &end);
    }
    usize::from(expected.1.is_some())
}

/// Checks that a sweep ends as its body meets things: it overlaps the deepest, or hits the first.
fn assert_same(hit: Option<BodyHit>, overlap: Option<BodyOverlap>, expected: &Swept, sweep: &dyn std::fmt::Debug) {
    let (overlaps, first) = expected;
    let deepest = overlaps.iter().max_by(|a, b| a.depth.total_cmp(&b.depth).then(b.target.cmp(&a.target)));
    assert_eq!(overlap, deepest.copied(), "{sweep:?}");
    assert_eq!(hit, first.filter(|_| overlaps.is_empty()), "{sweep:?}");
}

#[test]
fn bodies_stop_as_by_every_object_and_plane_in_turn() {
    let mut met = [0; 2];
    asked::after_edits(5, EDITS, |asked, rng| {
        met[0] += check_sweeps(asked, rng);
        met[1] += check_ball_sweeps(asked, rng);
    });
    assert!(met.iter().all(|met| *met > EDITS), "the sweeps hit too little: {met:?}");
}

#[test]
fn a_ball_among_hostile_numbers_stops_as_by_every_object_in_turn() {
    let mut rng = Rng::with_seed(SEED);
    let sizes = [0.0, 1e-40, 1e-3, 1.0, 1e4, 1e9];
    let number = |rng: &mut Rng| sizes[rng.usize(0..sizes.len())] * (rng.f32() - 0.5);
    let vector = |rng: &mut Rng| Vec3::new(number(rng), number(rng), number(rng));
    let (mut hits, mut overlaps) = (0, 0);
    for _ in 0..2_000 {
        let mut world = World::new();
        for i in 0..8 {
            let (corner, half) = (vector(&mut rng), vector(&mut rng).abs());
            let rotation = Quat::from_scaled_axis(asked::vector(&mut rng, 6.0));
            let shape = match i % 4 {
                0 => Sphere::new(corner, half.x).map(Shape::from),
                1 => Obb::new(corner, rotation, half).map(Shape::from),
                2 => Obb::new(corner, rotation, half).and_then(|obb| Brush::try_from(&obb)).map(Shape::from),
                _ => Patch::new(&[corner, vector(&mut rng), half]).map(Shape::from),
            };
            if let Ok(shape) = shape {
                world.insert(Object::fixed(shape));
            }
            if let Ok(plane) = Plane::from_point_normal(corner, half) {
                world.insert_plane(WorldPlane::wall(plane).layers(u32::from(i == 0)));
            }
        }
        let asked = Asked { world: &world, layers: u32::MAX, excluded: &[] };
        for _ in 0..8 {
            let Ok(ball) = Sphere::new(vector(&mut rng), number(&mut rng).abs()) else { continue };
            let Ok(sweep) = SphereSweep::new(ball, vector(&mut rng)) else { continue };
            let (found, expected) = (world.sweep(&sweep, &asked.filter()), asked.swept_sphere(&sweep));
            assert_same(found.hit, found.overlap, &expected, &sweep);
            assert!(Sphere::new(found.position, ball.radius()).is_ok(), "{sweep:?} {found:?}");
            hits += usize::from(found.hit.is_some());
            overlaps += usize::from(found.overlap.is_some());
        }
    }
    assert!(hits > 500 && overlaps > 500, "{hits} {overlaps}");
}

#[test]
fn along_a_valley_slanted_to_all_axes_a_ball_makes_all_its_way() {
    let mut rng = Rng::with_seed(SEED);
    let mut any = || Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0));
    for case in 0..1000 {
        let (a, b) = (any().normalize(), any().normalize());
        let b = if case % 2 == 0 { a.cross(b).normalize() } else { b };
        let (cosine, along) = (a.dot(b), a.cross(b).normalize());
        if cosine.abs() > 0.9 {
            continue;
        }
        let place = any() * 2.0;
        let mut world = World::new();
        for normal in [a, b] {
            world.insert_plane(WorldPlane::half_space(Plane::from_point_normal(place, normal).unwrap()).layers(1));
        }
        // The ball nearly touches both.
        let mut center = place + (a + b) * (0.3 / (1.0 + cosine) * 1.001);
        let motion = (along - (a + b) * any().x.abs() * 2.0).normalize() * 0.01;
        for step in 0..50 {
            let sweep = SphereSweep::new(Sphere::new(center, 0.3).unwrap(), motion).unwrap();
            let slide = world.slide(&sweep, &Filter::ALL, &SlideOptions::default());
            let share = (slide.position - center).dot(along) / motion.dot(along);
            assert!(step < 6 || (share - 1.0).abs() < 0.02, "case {case}, {step}: {share} of its way");
            center = slide.position;
        }
    }
}
