//! Slopes that carry change neither the direction nor the pace of a walk, as seen from above.

use super::{DT, HALF};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Filter, Mover, Object, Shape, Terrain, Walk, World,
    glam::{DVec3, Quat, Vec2, Vec3},
    narrowphase::{Brush, Capsule, Obb},
};

/// A character with either kind of body.
enum Hero {
    Box(Character),
    Capsule(Character<Capsule>),
}

impl Hero {
    fn at(center: Vec3, is_round: bool) -> Self {
        let half_axis = Vec3::Y * (HALF.y - HALF.x);
        if is_round {
            Self::Capsule(Character::new(Capsule::from_half_axis(center, half_axis, HALF.x).unwrap()))
        } else {
            Self::Box(Character::new(Obb::new(center, Quat::IDENTITY, HALF).unwrap()))
        }
    }

    fn position(&self) -> Vec3 {
        match self {
            Self::Box(hero) => hero.position(),
            Self::Capsule(hero) => hero.position(),
        }
    }

    fn is_on_ground(&self) -> bool {
        match self {
            Self::Box(hero) => hero.is_on_ground(),
            Self::Capsule(hero) => hero.is_on_ground(),
        }
    }

    fn walk(&mut self, world: &World, velocity: Vec3) -> Walk {
        match self {
            Self::Box(hero) => {
                hero.velocity = velocity;
                Mover::default().walk(world, hero, DT, &Filter::ALL)
            }
            Self::Capsule(hero) => {
                hero.velocity = velocity;
                Mover::default().walk(world, hero, DT, &Filter::ALL)
            }
        }
        .unwrap()
    }

    /// Falls until it stands.
    fn land(&mut self, world: &World) {
        for _ in 0..60 {
            self.walk(world, Vec3::NEG_Y * 4.0);
            if self.is_on_ground() {
                return;
            }
        }
        panic!("no ground below");
    }
}

/// A velocity on the level, at random.
fn heading(rng: &mut Rng) -> Vec3 {
    let (sin, cos) = (6.3 * rng.f32()).sin_cos();
    Vec3::new(cos, 0.0, sin) * (0.2 + 9.0 * rng.f32())
}

#[test]
fn on_a_slope_the_course_is_the_heading() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..400 {
        let (steepness, turn) = ((0.2 + 44.0 * rng.f64()).to_radians(), 6.3 * rng.f64());
        let (sin, cos) = steepness.sin_cos();
        let normal = DVec3::new(-turn.cos() * sin, cos, -turn.sin() * sin);
        let mut sides = vec![(normal.normalize(), 0.0)];
        sides.extend([DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z, DVec3::NEG_Y].map(|side| (side, 50.0)));
        let mut world = World::new();
        world.insert(Object::fixed(Shape::from(Brush::from_half_spaces(&sides).unwrap())));
        let mut hero = Hero::at(Vec3::Y * (HALF.y + 0.6), case % 2 == 0);
        hero.land(&world);
        // Half of them nearly across the slope, where a little of the way leads uphill.
        let mut velocity = heading(&mut rng);
        if case % 4 > 1 {
            let (sin, cos) = (turn as f32 + 1.57 - 0.4 * rng.f32()).sin_cos();
            velocity = Vec3::new(cos, 0.0, sin) * velocity.length();
        }
        let before = hero.position();
        for _ in 0..30 {
            hero.walk(&world, velocity);
            assert!(hero.is_on_ground(), "case {case}");
        }
        let (gone, wanted) = ((hero.position() - before).with_y(0.0), velocity * (30.0 * DT));
        let missed = gone.distance(wanted);
        assert!(missed <= 1e-4 * wanted.length() + 1e-5, "case {case}: {gone} instead of {wanted}, {steepness}");
    }
}

#[test]
fn on_bumps_the_course_is_the_heading() {
    let mut rng = Rng::with_seed(SEED);
    let (size, mut frames) = (40u32, 0);
    for bump in [0.02f32, 0.1, 0.25] {
        let heights: Vec<f32> = (0..size * size).map(|_| bump * rng.f32()).collect();
        let mut world = World::new();
        world.insert(Object::fixed(Terrain::new(size, size, &heights, Vec2::ONE, Vec2::ZERO).unwrap()));
        for case in 0..40 {
            let at = Vec3::new(12.0 + 16.0 * rng.f32(), bump + HALF.y, 12.0 + 16.0 * rng.f32());
            let mut hero = Hero::at(at, case % 2 == 0);
            hero.land(&world);
            let velocity = heading(&mut rng);
            for _ in 0..30 {
                let before = hero.position();
                hero.walk(&world, velocity);
                assert!(hero.is_on_ground(), "case {case}");
                let (gone, wanted) = ((hero.position() - before).with_y(0.0), velocity * DT);
                assert!(gone.distance(wanted) <= 1e-4 * wanted.length() + 1e-5, "case {case}: {gone} of {wanted}");
                frames += 1;
            }
        }
    }
    assert_eq!(frames, 3600);
}
