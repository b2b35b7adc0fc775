//! Random walks, checked against what limits them.

use super::{DT, body, ground, standing};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Filter, Mover, Object, World,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Brush, Obb},
};

/// The number of random walks, of 90 frames each, times the number in `CULLIDE_CASES`.
fn walks() -> usize {
    100 * std::env::var("CULLIDE_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// A wedge that rises by `rise` per unit along `heading`, from a place on the ground up to a height.
fn turned_wedge(place: DVec3, heading: f64, rise: f64, height: f64, width: f64) -> Brush {
    let (sin, cos) = heading.sin_cos();
    let (along, across) = (DVec3::new(cos, 0.0, sin), DVec3::new(-sin, 0.0, cos));
    let length = height / rise + 1.0;
    let through = |normal: DVec3, distance: f64| (normal, distance + normal.dot(place));
    let sides = [
        through((DVec3::Y - along * rise).normalize(), 0.0),
        through(DVec3::Y, height),
        through(DVec3::NEG_Y, 1.0),
        through(along, length),
        through(across, width),
        through(-across, width),
    ];
    Brush::from_half_spaces(&sides).unwrap()
}

/// Walks at random for some frames, and passes each frame's start, end and intended motion to `check`.
fn walk_about(world: &World, rng: &mut Rng, start: Vec3, frames: usize, mut check: impl FnMut(&Character, &Character)) {
    let mut hero = standing(world, start);
    let mut heading = Vec3::ZERO;
    for frame in 0..frames {
        if frame % 15 == 0 {
            let (sin, cos) = (rng.f32() * 6.3).sin_cos();
            heading = Vec3::new(cos, 0.0, sin) * (rng.f32() * 12.0);
        }
        let fall = Vec3::Y * (hero.velocity.y - 9.81 * DT);
        hero.velocity = if hero.is_on_ground() { heading } else { heading + fall };
        let before = hero;
        let walk = Mover::default().walk(world, &mut hero, DT, &Filter::ALL).unwrap();
        assert!(walk.overlap.is_none());
        assert_eq!(world.depenetrate(&hero.body, &Filter::ALL), Some(hero.position()), "it stands in something");
        check(&before, &hero);
    }
}

#[test]
fn among_steep_wedges_a_walker_stays_on_the_ground() {
    let mut rng = Rng::with_seed(SEED);
    let mut met = 0;
    for _ in 0..walks() {
        let mut world = ground();
        for _ in 0..4 {
            let place = DVec3::new(rng.f64() * 8.0 - 4.0, 0.0, rng.f64() * 8.0 - 4.0);
            let rise = (46.0 + 43.0 * rng.f64()).to_radians().tan();
            let brush = turned_wedge(place, rng.f64() * 6.3, rise, 1.0 + rng.f64(), 0.2 + rng.f64());
            world.insert(Object::fixed(brush));
        }
        let start = Vec3::new(rng.f32() * 4.0 - 2.0, 0.9, rng.f32() * 4.0 - 2.0);
        if world.depenetrate(&body(start), &Filter::ALL) != Some(start) {
            continue;
        }
        walk_about(&world, &mut rng, start, 90, |before, after| {
            met += usize::from(before.velocity.distance(after.velocity) > 0.1);
            assert!(after.position().y < 0.901, "{before:?} {after:?} {:?}", world.objects().collect::<Vec<_>>());
        });
    }
    assert!(met > walks(), "{met}");
}

#[test]
fn a_walker_rises_by_no_more_than_steps_and_slopes_that_carry() {
    let mut rng = Rng::with_seed(SEED);
    let mut climbed = 0;
    for _ in 0..walks() {
        let mut world = ground();
        for _ in 0..6 {
            let place = DVec3::new(rng.f64() * 8.0 - 4.0, 0.0, rng.f64() * 8.0 - 4.0);
            if rng.bool() {
                let rise = (10.0 + 79.0 * rng.f64()).to_radians().tan();
                let brush = turned_wedge(place, rng.f64() * 6.3, rise, 0.1 + rng.f64(), 0.2 + rng.f64());
                world.insert(Object::fixed(brush));
            } else {
                let half = Vec3::new(0.1 + rng.f32(), 0.05 + 0.4 * rng.f32(), 0.1 + rng.f32());
                let rotation = Quat::from_rotation_y(rng.f32() * 6.3);
                world.insert(Object::fixed(Obb::new(place.as_vec3() + Vec3::Y * half.y, rotation, half).unwrap()));
            }
        }
        let start = Vec3::new(rng.f32() * 4.0 - 2.0, 2.9 * rng.f32() + 0.9, rng.f32() * 4.0 - 2.0);
        if world.depenetrate(&body(start), &Filter::ALL) != Some(start) {
            continue;
        }
        walk_about(&world, &mut rng, start, 90, |before, after| {
            let (way, rise) = (before.velocity * DT, after.position().y - before.position().y);
            let across = way.x.hypot(way.z);
            let allowed = across + if before.is_on_ground() { 0.35 } else { 0.02 };
            assert!(rise <= allowed + 1e-3, "{rise} instead of {allowed}: {before:?} {after:?}");
            climbed += usize::from(rise > 0.05);
            let speeds = [before, after].map(|hero| hero.velocity.length());
            assert!(speeds[1] <= speeds[0] * 1.0001 + 1e-4, "{before:?} {after:?}");
        });
    }
    assert!(climbed > walks() / 4, "{climbed}");
}
