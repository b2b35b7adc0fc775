//! Characters on rigid bodies: lifts, turntables, belts and piles carry them.

use super::{DT, Scene, aabb};
use cullide_world::{
    Character, Filter, Material, Mover, ObjectKey, RigidBody, Walk,
    glam::{Quat, Vec3},
    narrowphase::{Capsule, Obb},
};

pub(super) const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);

/// A character that walks among bodies.
pub(super) trait Walks: Copy {
    fn walk(&mut self, scene: &mut Scene, mover: &Mover) -> Walk;
    fn at(&self) -> Vec3;
    fn parts(&mut self) -> (&mut Vec3, Option<cullide_world::Ground>);
}

impl Walks for Character<Obb> {
    fn walk(&mut self, scene: &mut Scene, mover: &Mover) -> Walk {
        scene.dynamics.walk(&scene.world, mover, self, DT, &Filter::ALL).unwrap()
    }

    fn at(&self) -> Vec3 {
        self.position()
    }

    fn parts(&mut self) -> (&mut Vec3, Option<cullide_world::Ground>) {
        (&mut self.velocity, self.ground)
    }
}

impl Walks for Character<Capsule> {
    fn walk(&mut self, scene: &mut Scene, mover: &Mover) -> Walk {
        scene.dynamics.walk(&scene.world, mover, self, DT, &Filter::ALL).unwrap()
    }

    fn at(&self) -> Vec3 {
        self.position()
    }

    fn parts(&mut self) -> (&mut Vec3, Option<cullide_world::Ground>) {
        (&mut self.velocity, self.ground)
    }
}

pub(super) fn boxed(center: Vec3) -> Character {
    Character::new(Obb::new(center, Quat::IDENTITY, HALF).unwrap())
}

pub(super) fn round(center: Vec3) -> Character<Capsule> {
    Character::new(Capsule::from_half_axis(center, Vec3::Y * 0.6, 0.3).unwrap())
}

/// A frame: the bodies move, then the character walks, or falls if it is not on the ground.
pub(super) fn frame(scene: &mut Scene, hero: &mut impl Walks, wish: Vec3) -> Walk {
    scene.step();
    walk(scene, hero, wish, &Mover::default())
}

pub(super) fn walk(scene: &mut Scene, hero: &mut impl Walks, wish: Vec3, mover: &Mover) -> Walk {
    let (velocity, ground) = hero.parts();
    *velocity = if ground.is_some() { wish } else { *velocity - Vec3::Y * 9.81 * DT };
    hero.walk(scene, mover)
}

pub(super) fn ground_of(hero: &mut impl Walks) -> Option<ObjectKey> {
    match hero.parts().1?.target {
        cullide_world::Target::Object(key) => Some(key),
        cullide_world::Target::Plane(_) => None,
    }
}

/// Rides a lift with a pile for `steps` steps, alternately standing and walking.
fn ride(mut hero: impl Walks, steps: usize) {
    let mut scene = Scene::with_floor();
    let lift = scene.add(aabb(Vec3::Y * 0.6, Vec3::new(3.0, 0.1, 3.0)), RigidBody::kinematic());
    let pile: Vec<ObjectKey> = (0..8)
        .map(|i| {
            let place = Vec3::new((i % 2) as f32 * 1.1 - 0.5, 1.202 + (i / 2) as f32 * 1.003, -1.8);
            scene.add(aabb(place, Vec3::splat(0.5)), RigidBody::dynamic())
        })
        .collect();
    for _ in 0..60 {
        frame(&mut scene, &mut hero, Vec3::ZERO);
    }
    assert_eq!(ground_of(&mut hero), Some(lift), "it stands at the start");
    let places: Vec<Vec3> = pile.iter().map(|key| scene.center(*key) - scene.center(lift)).collect();
    let (mut before, mut speeds) = ([hero.at().y, scene.center(lift).y], [0.0f32; 2]);
    for step in 0..steps {
        // Two seconds up and two down, with an acceleration of at most 3.1 units per second squared.
        let speed = 2.0 * ((step % 240) as f32 * DT * std::f32::consts::FRAC_PI_2).sin();
        scene.set_velocity(lift, Vec3::Y * speed, Vec3::ZERO);
        // Five seconds of standing, then five for a full circle.
        let (sin, cos) = (step as f32 / 300.0 * std::f32::consts::TAU).sin_cos();
        let wish = if step % 600 < 300 { Vec3::ZERO } else { Vec3::new(cos, 0.0, -sin) };
        let walk = frame(&mut scene, &mut hero, wish);
        let name = || format!("step {step}: {walk:?}");
        assert_eq!((ground_of(&mut hero), walk.overlap), (Some(lift), None), "{}", name());
        let feet = hero.at().y - HALF.y - (scene.center(lift).y + 0.1);
        assert!(feet.abs() <= 1e-3, "{feet} over the lift, {}", name());
        let now = [hero.at().y, scene.center(lift).y];
        let moved = [0, 1].map(|i| (now[i] - before[i]) / DT);
        let jumps = [0, 1].map(|i| (moved[i] - speeds[i]).abs());
        // Heights of a few units, rounded to `f32`, are off by 5e-7, and their differences divided by the time step by
        // 60 times that.
        assert!(step == 0 || jumps[0] <= jumps[1] + 2e-4, "{jumps:?} units a second, {}", name());
        (before, speeds) = (now, moved);
        for (key, place) in pile.iter().zip(&places) {
            let off = (scene.center(*key) - scene.center(lift) - *place).length();
            assert!(off < 0.05, "{key} is {off} from its place, {}", name());
        }
    }
}

#[test]
fn a_lift_carries_a_character_and_a_pile_for_thirty_seconds() {
    ride(boxed(Vec3::new(0.0, 1.7, 1.0)), 1800);
    ride(round(Vec3::new(0.0, 1.7, 1.0)), 1800);
}

#[test]
#[ignore = "ten minutes of a lift take some seconds"]
fn a_lift_carries_a_character_and_a_pile_for_ten_minutes() {
    ride(boxed(Vec3::new(0.0, 1.7, 1.0)), 36_000);
    ride(round(Vec3::new(0.0, 1.7, 1.0)), 36_000);
}

#[test]
fn a_lift_that_stops_and_goes_at_once_throws_nobody() {
    let mut scene = Scene::with_floor();
    let lift = scene.add(aabb(Vec3::Y * 0.6, Vec3::new(3.0, 0.1, 3.0)), RigidBody::kinematic());
    let mut hero = round(Vec3::Y * 1.6);
    for step in 0..1800 {
        let speed = [0.0, 3.0, 0.0, -3.0][step / 45 % 4];
        scene.set_velocity(lift, Vec3::Y * speed, Vec3::ZERO);
        frame(&mut scene, &mut hero, Vec3::ZERO);
        let feet = hero.at().y - HALF.y - (scene.center(lift).y + 0.1);
        assert!(ground_of(&mut hero) == Some(lift) && feet.abs() < 1e-4, "step {step}: {feet} over the lift, {hero:?}");
    }
}

#[test]
fn a_kinematic_turntable_carries_a_character_round() {
    let mut scene = Scene::new();
    let turn = RigidBody { angular_velocity: Vec3::Y, ..RigidBody::kinematic() };
    let table = scene.add(aabb(Vec3::Y * -0.5, Vec3::new(3.0, 0.5, 3.0)), turn);
    let mut hero = round(Vec3::new(1.5, 0.9, 0.0));
    walk(&mut scene, &mut hero, Vec3::ZERO, &Mover::default());
    for step in 1..=1200 {
        frame(&mut scene, &mut hero, Vec3::ZERO);
        let there = Quat::from_rotation_y(step as f32 * DT) * Vec3::new(1.5, 0.0, 0.0) + Vec3::Y * 0.9;
        assert!(hero.at().distance(there) < 2e-3, "step {step}: {hero:?} instead of {there}");
        assert_eq!(ground_of(&mut hero), Some(table));
    }
}

#[test]
fn who_lands_on_a_turntable_knows_how_fast_it_moves_there() {
    let mut scene = Scene::new();
    let turn = RigidBody { angular_velocity: Vec3::Y * 2.0, ..RigidBody::kinematic() };
    let table = scene.add(aabb(Vec3::Y * -0.5, Vec3::new(3.0, 0.5, 3.0)), turn);
    let mut hero = boxed(Vec3::new(2.0, 1.0, 0.0));
    while ground_of(&mut hero).is_none() {
        frame(&mut scene, &mut hero, Vec3::ZERO);
        assert!(hero.at().y > 0.89);
    }
    let ground = hero.ground.unwrap();
    assert_eq!(ground.target, table.into());
    // Two radians per second at two units; the character came straight down.
    assert!(ground.velocity.distance(Vec3::NEG_Z * 4.0) < 1e-4 && hero.velocity.distance(Vec3::Z * 4.0) < 1e-4);
}

#[test]
fn a_belt_carries_a_character_and_who_jumps_off_takes_its_speed_along() {
    // Set for a fixed object, a plane and a kinematic body.
    for kind in 0..3 {
        let mut scene = Scene::new();
        let belt = Material { surface_velocity: Vec3::new(2.0, 0.3, 0.0), ..Material::default() };
        let shape = aabb(Vec3::Y * -1.0, Vec3::new(100.0, 1.0, 2.0));
        match kind {
            0 => {
                let key = scene.fixed(shape);
                scene.dynamics.set_material(&scene.world, key, belt).unwrap();
            }
            1 => {
                let key = scene.plane(Vec3::ZERO, Vec3::Y);
                scene.dynamics.set_material(&scene.world, key, belt).unwrap();
            }
            _ => _ = scene.add(shape, RigidBody { material: belt, ..RigidBody::kinematic() }),
        }
        let mut hero = boxed(Vec3::Y * 0.9);
        frame(&mut scene, &mut hero, Vec3::ZERO);
        let start = hero.at();
        for _ in 0..300 {
            frame(&mut scene, &mut hero, Vec3::NEG_X * 0.5);
            assert!(hero.is_on_ground() && hero.at().y == start.y, "kind {kind}: {hero:?}");
        }
        let way = hero.at() - start;
        assert!(way.distance(Vec3::X * 7.5) < 1e-3, "kind {kind}: {way}");
        hero.velocity = Vec3::Y * 3.0;
        scene.step();
        hero.walk(&mut scene, &Mover::default());
        assert!(
            !hero.is_on_ground() && hero.velocity.distance(Vec3::new(2.0, 3.0, 0.0)) < 1e-3,
            "kind {kind}: {hero:?}"
        );
    }
}

/// A pile of crates, three wide, three deep and two high, and a place in the middle of it to stand.
fn pile(scene: &mut Scene, body: RigidBody) -> Vec<ObjectKey> {
    let place =
        |i: i32| Vec3::new((i % 3) as f32 * 1.02 - 1.02, 0.502 + (i / 9) as f32 * 1.003, (i / 3 % 3) as f32 - 1.0);
    (0..18).map(|i| scene.add(aabb(place(i), Vec3::splat(0.5)), body)).collect()
}

#[test]
fn on_a_pile_a_character_stands_as_still_as_the_pile() {
    for can_sleep in [true, false] {
        let mut scene = Scene::with_floor();
        let crates = pile(&mut scene, RigidBody { can_sleep, ..RigidBody::dynamic() });
        scene.steps(120);
        let mut hero = boxed(Vec3::new(0.1, 2.95, 0.2));
        while !hero.is_on_ground() {
            frame(&mut scene, &mut hero, Vec3::ZERO);
        }
        let start = hero.at();
        let (mut height, mut tops) = (start.y, crates.iter().map(|key| scene.center(*key).y).collect::<Vec<_>>());
        for step in 0..600 {
            frame(&mut scene, &mut hero, Vec3::ZERO);
            assert!(hero.is_on_ground(), "step {step}: {hero:?}");
            let now: Vec<f32> = crates.iter().map(|key| scene.center(*key).y).collect();
            let moved = now.iter().zip(&tops).map(|(now, then)| (now - then).abs()).fold(0.0f32, f32::max);
            let jump = (hero.at().y - height).abs();
            assert!(jump <= 2.0 * moved + 1e-5, "step {step}: by {jump}, and no crate by more than {moved}");
            (height, tops) = (hero.at().y, now);
        }
        assert!(hero.at().distance(start) < 5e-3, "{start} {hero:?}");
        assert!(
            !can_sleep || crates.iter().all(|key| scene.dynamics.body(*key).unwrap().is_asleep()),
            "the pile is kept awake"
        );
    }
}

#[test]
fn whoever_jumps_and_walks_on_light_crates_does_not_launch_them() {
    let mut scene = Scene::with_floor();
    let crates = pile(&mut scene, RigidBody { mass: cullide_world::Mass::Total(1.0), ..RigidBody::dynamic() });
    scene.steps(60);
    let mut hero = round(Vec3::new(0.0, 2.95, 0.0));
    for step in 0..600 {
        scene.step();
        let (sin, cos) = (step as f32 * 0.05).sin_cos();
        let mut wish = Vec3::new(cos, 0.0, sin);
        if step % 60 == 59 {
            wish.y = 3.0;
        }
        walk(&mut scene, &mut hero, wish, &Mover::default());
        for key in &crates {
            let speed = scene.velocity(*key).length();
            assert!(speed < 0.05, "step {step}: {key} at {speed}");
        }
        assert!(hero.at().y > 2.85, "step {step}: {hero:?}");
    }
}
