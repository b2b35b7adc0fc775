//! Bodies amid thousands of parts: they get out, or are told soon that there is no way.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Compound, Filter, Mover, Object, Shape, SlideOptions, Terrain, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, BoxSweep, Capsule, Obb, Plane, Sphere},
};
use std::time::{Duration, Instant};

fn terrain(rng: &mut Rng, size: u32, cell: f32, height: f32) -> World {
    let heights: Vec<f32> = (0..size * size).map(|_| height * (2.0 * rng.f32() - 1.0)).collect();
    let mut world = World::new();
    world.insert(Object::fixed(Terrain::new(size, size, &heights, Vec2::splat(cell), Vec2::ZERO).unwrap()));
    world
}

/// Nested boxes, each a little larger than the one before.
fn nested(count: u16) -> impl Iterator<Item = Shape> {
    (0..count).map(|i| {
        let corner = Vec3::splat(1.0 + 1e-5 * f32::from(i));
        Aabb::new(-corner, corner).unwrap().into()
    })
}

/// As long as a body takes to leave a single box 20,000 times: some twenty milliseconds.
fn long() -> Duration {
    let mut world = World::new();
    world.insert(Object::fixed(Aabb::new(Vec3::splat(-1.0), Vec3::ONE).unwrap()));
    let body = Obb::new(Vec3::X, Quat::from_rotation_y(0.3), Vec3::ONE).unwrap();
    20 * least_time(|| (0..1000).for_each(|_| assert!(world.depenetrate(&body, &Filter::ALL).is_some())))
}

/// Returns the least time that it takes of three.
fn least_time(mut ask: impl FnMut()) -> Duration {
    let times = [(); 3].map(|()| {
        let start = Instant::now();
        ask();
        start.elapsed()
    });
    times.into_iter().min().unwrap()
}

#[test]
fn no_way_out_is_searched_for_long_however_many_parts_there_are() {
    let (mut rng, long) = (Rng::with_seed(SEED), long());
    let mut crowds = Vec::new();
    for (cell, height) in [(0.1, 1.0), (0.1, 0.1), (0.03, 1.0), (0.01, 1.0), (0.01, 1e6), (0.01, 1e-3)] {
        let world = terrain(&mut rng, 160, cell, height);
        crowds.push((world, Vec3::new(80.0 * cell, 0.3, 80.0 * cell)));
    }
    let mut compound = World::new();
    compound.insert(Object::fixed(Compound::new(nested(20_000).collect::<Vec<_>>()).unwrap()));
    let (mut objects, mut alike, mut planes) = (World::new(), World::new(), World::new());
    for shape in nested(6_000) {
        objects.insert(Object::fixed(shape));
        alike.insert(Object::moving(Aabb::new(Vec3::splat(-1.0), Vec3::ONE).unwrap()));
        let normal = Vec3::new(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5);
        planes.insert_plane(WorldPlane::half_space(Plane::from_point_normal(normal, normal).unwrap()).layers(1));
    }
    let mut scattered = World::new();
    for _ in 0..3000 {
        let at = Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 2.0 - 1.0;
        let half = Vec3::new(0.1 + rng.f32(), 0.1 + rng.f32(), 0.1 + rng.f32()) * 0.3;
        scattered.insert(Object::fixed(Obb::new(at, Quat::from_rotation_y(rng.f32()), half).unwrap()));
    }
    crowds.extend([compound, objects, alike, planes, scattered].map(|world| (world, Vec3::splat(0.3))));
    for (case, (world, at)) in crowds.iter().enumerate() {
        for size in [0.08, 0.5] {
            let body = Obb::new(*at, Quat::from_rotation_y(0.3), Vec3::splat(size)).unwrap();
            let ball = Sphere::new(*at, size).unwrap();
            let capsule = Capsule::new(*at, *at + Vec3::Y * size, size).unwrap();
            let sweep = BoxSweep::new(body, Vec3::X).unwrap();
            let mut hero = Character::new(body);
            let swept = least_time(|| _ = world.sweep(&sweep, &Filter::ALL));
            let times = [
                least_time(|| _ = world.depenetrate(&body, &Filter::ALL)),
                least_time(|| _ = world.depenetrate(&ball, &Filter::ALL)),
                least_time(|| _ = world.depenetrate(&capsule, &Filter::ALL)),
                least_time(|| _ = world.slide(&sweep, &Filter::ALL, &SlideOptions::default())),
                least_time(|| _ = Mover::default().walk(world, &mut hero, 1.0 / 60.0, &Filter::ALL).unwrap()),
            ];
            // A slide takes a few sweeps as well. Without a bound it took seconds.
            assert!(
                times.iter().all(|time| *time < long + 10 * swept),
                "case {case}, size {size}: {times:?}, {swept:?}"
            );
        }
    }
}

#[test]
fn amid_more_parts_than_are_looked_at_a_body_stays_and_that_is_told() {
    let mut world = World::new();
    world.insert(Object::fixed(Compound::new(nested(10_000).collect::<Vec<_>>()).unwrap()));
    let body = Obb::new(Vec3::X * 0.9, Quat::IDENTITY, Vec3::splat(0.5)).unwrap();
    assert_eq!(world.depenetrate(&body, &Filter::ALL), None);
    let slide = world.slide(&BoxSweep::new(body, Vec3::X).unwrap(), &Filter::ALL, &SlideOptions::default());
    assert!(slide.overlap.is_some() && slide.position == body.center(), "{slide:?}");
    let mut hero = Character::new(body);
    let walk = Mover::default().walk(&world, &mut hero, 1.0 / 60.0, &Filter::ALL).unwrap();
    assert!(walk.overlap.is_some() && hero.body == body, "{walk:?}");
    // Of fewer, the same way leads out: out of the largest.
    let mut world = World::new();
    world.insert(Object::fixed(Compound::new(nested(1_500).collect::<Vec<_>>()).unwrap()));
    let out = world.depenetrate(&body, &Filter::ALL).unwrap();
    assert!((out - Vec3::X * (1.5 + 1499.0 * 1e-5)).length() < 1e-4, "{out}");
}

#[test]
fn what_touches_none_of_many_parts_stays_where_it_is() {
    // A slope of 45 degrees in cells of a hundredth, and a box with a side along it, half a hundredth away.
    let heights: Vec<f32> = (0..400 * 400).map(|i| 0.01 * (i % 400) as f32).collect();
    let mut world = World::new();
    world.insert(Object::fixed(Terrain::new(400, 400, &heights, Vec2::splat(0.01), Vec2::ZERO).unwrap()));
    let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    let center = Vec3::splat(2.0) + turned * Vec3::Y * 0.505;
    let body = Obb::new(center, turned, Vec3::splat(0.5)).unwrap();
    assert_eq!(world.depenetrate(&body, &Filter::ALL), Some(center));
    let body = Obb::new(center - turned * Vec3::Y * 0.02, turned, Vec3::splat(0.5)).unwrap();
    assert_eq!(world.depenetrate(&body, &Filter::ALL), None);
}

#[test]
fn a_body_sunk_into_a_fine_floor_gets_out_upward() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..20 {
        let cell = [0.1, 0.06, 0.04][case % 3];
        let world = terrain(&mut rng, 120, cell, 1e-3);
        let (half, depth) = (0.1 + 0.3 * rng.f32(), 0.01 + 0.02 * rng.f32());
        let at = Vec3::new(60.0 * cell, half - depth, 60.0 * cell);
        let body = Obb::new(at, Quat::from_rotation_y(rng.f32()), Vec3::splat(half)).unwrap();
        let out = world.depenetrate(&body, &Filter::ALL).unwrap_or_else(|| panic!("case {case}: {body:?} stays"));
        let way = out - at;
        assert!(way.y > depth - 2e-3 && way.length() < depth + 5e-3, "case {case}: {way} out of {depth}");
    }
}
