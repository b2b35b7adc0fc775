//! Far from the origin a step of `f32` is longer than what a slow walker covers in a frame: it gets there all the same.

use super::{DT, HALF};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Dynamics, Filter, Material, Mover, Object, World,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, Capsule, Obb},
};

/// A place 1 to 100 km from the origin, with a floor below.
fn far(rng: &mut Rng) -> (Vec3, World) {
    let mut along = || [-1.0, 1.0][rng.usize(0..2)] * 1000.0 * 100f32.powf(rng.f32());
    let at = Vec3::new(along(), 0.0, along());
    let mut world = World::new();
    let (low, high) = (at - Vec3::new(64.0, 1.0, 64.0), at + Vec3::new(64.0, 0.0, 64.0));
    world.insert(Object::fixed(Aabb::new(low, high).unwrap()));
    (at, world)
}

fn capsule(at: Vec3) -> Character<Capsule> {
    let body = Capsule::from_half_axis(at + Vec3::Y * HALF.y, Vec3::Y * (HALF.y - HALF.x), HALF.x).unwrap();
    Character::new(body)
}

fn level(rng: &mut Rng, speed: f32) -> Vec3 {
    let (sin, cos) = (6.3 * rng.f32()).sin_cos();
    Vec3::new(cos, 0.0, sin) * speed
}

/// A slow pace.
fn pace(rng: &mut Rng) -> f32 {
    0.03 * 100f32.powf(rng.f32())
}

/// Whether a body got where a velocity leads in a time, up to the rounding of where it started and where it is.
fn assert_reached(from: Vec3, to: Vec3, wanted: DVec3, case: usize) {
    let missed = to.as_dvec3() - from.as_dvec3() - wanted;
    let step = 2.0 * f32::EPSILON * to.abs().max_element();
    assert!(
        missed.with_y(0.0).abs().max_element() <= f64::from(step) + 1e-4 * wanted.length(),
        "case {case}: {} instead of {wanted} at {from}",
        to - from
    );
}

#[test]
fn on_the_ground_and_in_the_air_it_goes_at_its_velocity() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..120 {
        let (at, world) = far(&mut rng);
        let speed = pace(&mut rng);
        let velocity = level(&mut rng, speed);
        let wanted = (velocity.as_dvec3() * f64::from(DT)) * 240.0;
        let mover = Mover::default();
        match case % 3 {
            0 => {
                let mut hero = capsule(at);
                mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                let before = hero.position();
                for _ in 0..240 {
                    hero.velocity = velocity;
                    mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                    assert!(hero.is_on_ground() && hero.velocity == velocity, "case {case}: {hero:?}");
                }
                assert_reached(before, hero.position(), wanted, case);
            }
            1 => {
                let body = Obb::new(at + Vec3::Y * HALF.y, Quat::IDENTITY, HALF).unwrap();
                let mut hero = Character::new(body);
                mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                let before = hero.position();
                for _ in 0..240 {
                    hero.velocity = velocity;
                    mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                    assert!(hero.is_on_ground() && hero.velocity == velocity, "case {case}: {hero:?}");
                }
                assert_reached(before, hero.position(), wanted, case);
            }
            _ => {
                let mut hero = capsule(at + Vec3::Y * 50.0);
                let before = hero.position();
                hero.velocity = velocity - Vec3::Y;
                for _ in 0..240 {
                    mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                }
                assert_reached(before, hero.position(), wanted, case);
                assert!((hero.position().y - before.y + 240.0 * DT).abs() < 1e-4, "case {case}: {hero:?}");
            }
        }
    }
}

#[test]
fn along_a_wall_it_goes_at_what_the_wall_leaves() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..60 {
        let (at, mut world) = far(&mut rng);
        let (low, high) = (at + Vec3::new(-64.0, 0.0, 2.0), at + Vec3::new(64.0, 4.0, 3.0));
        world.insert(Object::fixed(Aabb::new(low, high).unwrap()));
        let mut hero = capsule(at + Vec3::Z * 1.6);
        let walk = |hero: &mut Character<Capsule>, velocity| {
            hero.velocity = velocity;
            Mover::default().walk(&world, hero, DT, &Filter::ALL).unwrap();
        };
        for _ in 0..60 {
            walk(&mut hero, Vec3::Z);
        }
        let before = hero.position();
        let velocity = Vec3::new(pace(&mut rng), 0.0, pace(&mut rng));
        for _ in 0..240 {
            walk(&mut hero, velocity);
            assert!(hero.position().z == before.z, "case {case}: {hero:?}");
        }
        let along = DVec3::X * f64::from(velocity.x * DT) * 240.0;
        assert_reached(before, hero.position(), along, case);
        // What the wall kept it from is not stored up: it leaves at its pace.
        let before = hero.position();
        for _ in 0..120 {
            walk(&mut hero, velocity * Vec3::NEG_Z);
        }
        assert_reached(before, hero.position(), DVec3::NEG_Z * f64::from(velocity.z * DT) * 120.0, case);
    }
}

#[test]
fn a_belt_carries_it_at_the_speed_of_the_belt() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..40 {
        let (at, world) = far(&mut rng);
        let speed = pace(&mut rng);
        let (belt, mut dynamics) = (level(&mut rng, speed), Dynamics::new());
        let floor = world.objects().next().unwrap().0;
        let material = Material { surface_velocity: belt, ..Material::default() };
        dynamics.set_material(&world, floor, material).unwrap();
        let mut hero = capsule(at);
        let mover = Mover::default();
        dynamics.walk(&world, &mover, &mut hero, DT, &Filter::ALL).unwrap();
        let before = hero.position();
        for _ in 0..240 {
            hero.velocity = Vec3::ZERO;
            dynamics.walk(&world, &mover, &mut hero, DT, &Filter::ALL).unwrap();
        }
        assert_reached(before, hero.position(), belt.as_dvec3() * f64::from(DT) * 240.0, case);
    }
}

#[test]
fn who_is_put_elsewhere_takes_nothing_along_and_who_is_saved_everything() {
    let mut rng = Rng::with_seed(SEED);
    let mut remembered = 0;
    for case in 0..40 {
        let (at, world) = far(&mut rng);
        let (mut hero, mover) = (capsule(at), Mover::default());
        let speed = pace(&mut rng);
        let velocity = level(&mut rng, speed);
        let walk = |hero: &mut Character<Capsule>| {
            hero.velocity = velocity;
            mover.walk(&world, hero, DT, &Filter::ALL).unwrap();
        };
        for _ in 0..1 + rng.usize(0..20) {
            walk(&mut hero);
        }
        let saved = serde_json::to_string(&hero).unwrap();
        let mut loaded: Character<Capsule> = serde_json::from_str(&saved).unwrap();
        let mut copy = hero;
        let mut fresh = capsule(at);
        (fresh.body, fresh.ground) = (hero.body, hero.ground);
        for _ in 0..10 {
            [&mut hero, &mut loaded, &mut copy, &mut fresh].into_iter().for_each(walk);
            assert!(hero == loaded && hero == copy, "case {case}");
        }
        remembered += usize::from(hero.position() != fresh.position());
        // Elsewhere it walks as one that has never walked.
        let (there, elsewhere) = far(&mut rng);
        let mut fresh = capsule(there);
        (hero.body, hero.ground, hero.velocity) = (fresh.body, None, Vec3::ZERO);
        for _ in 0..10 {
            for hero in [&mut hero, &mut fresh] {
                mover.walk(&elsewhere, hero, DT, &Filter::ALL).unwrap();
                hero.velocity = velocity;
            }
            assert_eq!(hero, fresh, "case {case}");
        }
    }
    assert!(remembered > 5, "{remembered}");
}
