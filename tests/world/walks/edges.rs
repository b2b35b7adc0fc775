//! A round body in the air that touches an edge or a corner by its side, where that counts as floor: it slides over it.

use super::{DT, ground};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Compound, Filter, Mesh, Mover, Object, Shape, Terrain, Walk, World,
    glam::{Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Obb, Sides},
};

/// Walks for one frame, and returns how far that leads.
fn walked(world: &World, hero: &mut Character<Capsule>) -> (Vec3, Walk) {
    let before = hero.position();
    let walk = Mover::default().walk(world, hero, DT, &Filter::ALL).unwrap();
    assert!(walk.overlap.is_none());
    (hero.position() - before, walk)
}

/// A capsule of random size in the air that touches a point with its lower end, `angle` from straight below it towards
/// `aside`, up to a small gap.
fn above(rng: &mut Rng, point: Vec3, aside: Vec3, angle: f32) -> Character<Capsule> {
    let (radius, (sin, cos)) = (0.1 + rng.f32(), angle.sin_cos());
    let low = point + 1.003 * radius * (Vec3::Y * cos - aside * sin);
    Character::new(Capsule::new(low, low + Vec3::Y * (2.0 * rng.f32()), radius).unwrap())
}

#[test]
fn a_capsule_in_the_air_slides_over_an_edge_in_the_frame_in_which_it_touches_it() {
    let mut rng = Rng::with_seed(SEED);
    let (low, high) = (Vec3::new(1.0, 0.0, -50.0), Vec3::new(30.0, 1.0, 50.0));
    let solid = Aabb::new(low, high).unwrap();
    let corners = [low.with_y(1.0), Vec3::new(30.0, 1.0, -50.0), high, Vec3::new(1.0, 1.0, 50.0)];
    let sheet = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]]).unwrap();
    let rest = Obb::from(&Aabb::new(Vec3::splat(-90.0), Vec3::splat(-80.0)).unwrap());
    let both = Compound::new([Shape::from(solid), rest.into()]).unwrap();
    for shape in [Shape::from(solid), sheet.into(), both.into()] {
        let mut world = World::new();
        world.insert(Object::fixed(shape));
        let mut touched = 0;
        for case in 0..700 {
            let angle = (1.0 + 43.0 * rng.f32()).to_radians();
            let mut hero = above(&mut rng, Vec3::new(1.0, 1.0, 0.0), Vec3::X, angle);
            let way = hero.body.radius() * (0.05 + 2.0 * rng.f32());
            let (along, across) = (2.0 * rng.f32() - 1.0).sin_cos();
            // It rises less steeply than the tangent, or falls.
            let rise = rng.f32() * 1.5 * angle.tan() - if rng.bool() { 1.0 } else { 0.9 * angle.tan() };
            let rise = rise.min(0.9 * across * angle.tan());
            let motion = Vec3::new(across, rise, along) * way;
            hero.velocity = motion / DT;
            let (gone, walk) = walked(&world, &mut hero);
            if walk.contacts.is_empty() {
                continue;
            }
            touched += 1;
            // Without friction the edge takes the share sin² of the speed across it, and less where it is lower down.
            let wanted = angle.cos().powi(2) * motion.x;
            assert!(
                gone.x >= 0.95 * wanted && gone.x <= 1.001 * motion.x,
                "{case}: {gone} of {motion}, {angle} {walk:?}"
            );
            assert!((gone.z - motion.z).abs() <= 1e-3 * way, "{case}: {gone} of {motion}");
            assert!(walk.contacts.len() <= 4, "{case}: {walk:?}");
            // Carried by the edge, it rises no farther above it than a little.
            let foot = hero.position().y - hero.body.half_axis().y - hero.body.radius();
            assert!(foot <= 1.0 + motion.y.max(0.0) + 0.08 * hero.body.radius(), "{case}: {foot}");
        }
        assert!(touched > 600, "{touched}");
    }
}

#[test]
fn a_capsule_in_the_air_slides_over_a_corner_of_a_triangle() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..700 {
        // A floor, nearly level, with a corner at the origin.
        let (sin, cos) = (6.3 * rng.f32()).sin_cos();
        let (out, side) = (Vec3::new(cos, 0.0, sin), Vec3::new(-sin, 0.0, cos) * (0.2 + rng.f32()));
        let tilt = Vec3::Y * (0.1 * rng.f32() - 0.05);
        let corners = [Vec3::ZERO, out + side + tilt, out - side - tilt];
        let mut world = World::new();
        world.insert(Object::fixed(Mesh::new(&corners, &[[0, 1, 2]]).unwrap().with_sides(Sides::Both)));
        let angle = (5.0 + 38.0 * rng.f32()).to_radians();
        let mut hero = above(&mut rng, Vec3::ZERO, out, angle);
        let way = hero.body.radius() * (0.05 + 1.5 * rng.f32());
        let motion = (out - Vec3::Y * rng.f32()) * way;
        hero.velocity = motion / DT;
        let (gone, walk) = walked(&world, &mut hero);
        let share = gone.dot(out) / way;
        assert!(share >= 0.95 * angle.cos().powi(2), "{case}: {share} at {angle}, {walk:?}");
        assert!((gone - out * gone.dot(out)).with_y(0.0).length() <= 0.01 * way, "{case}: {gone} along {out}");
    }
}

#[test]
fn who_jumps_onto_a_ledge_gets_onto_it_without_a_stop() {
    let mut rng = Rng::with_seed(SEED);
    let mut reached = 0;
    for case in 0..200 {
        let height = 0.9 + 0.4 * rng.f32();
        let mut world = ground();
        world.insert(Object::fixed(Aabb::new(Vec3::new(1.0, 0.0, -5.0), Vec3::new(30.0, height, 5.0)).unwrap()));
        let start = Vec3::X * (0.6 - 2.0 * rng.f32()) + Vec3::Y * 0.3;
        let mut hero = Character::new(Capsule::new(start, start + Vec3::Y * 1.2, 0.3).unwrap());
        walked(&world, &mut hero);
        let speed = 3.0 + 5.0 * rng.f32();
        for frame in 0..60 {
            let rise = match (frame, hero.is_on_ground()) {
                (0, _) => 5.2,
                (_, true) => 0.0,
                (_, false) => hero.velocity.y - 9.81 * DT,
            };
            hero.velocity = Vec3::new(speed, rise, 0.0);
            let before = hero.position();
            let (gone, walk) = walked(&world, &mut hero);
            let is_wall = walk.contacts.iter().any(|contact| contact.normal.y < 0.7072);
            // Above the wall it never loses more than half of its way.
            if !is_wall && before.x > 0.7 {
                assert!(gone.x > 0.45 * speed * DT, "case {case}, frame {frame}: {gone} at {before}, {walk:?}");
                reached += 1;
            }
        }
    }
    assert!(reached > 4000, "{reached}");
}

#[test]
fn who_lands_on_bumps_goes_on_in_its_direction() {
    let mut rng = Rng::with_seed(SEED);
    let size = 40u32;
    let mut landed = 0;
    for bump in [0.1f32, 0.3] {
        let heights: Vec<f32> = (0..size * size).map(|_| bump * rng.f32()).collect();
        let mut world = World::new();
        world.insert(Object::fixed(Terrain::new(size, size, &heights, Vec2::ONE, Vec2::ZERO).unwrap()));
        for case in 0..300 {
            let radius = 0.2 + 0.3 * rng.f32();
            let at = Vec3::new(10.0 + 20.0 * rng.f32(), bump + radius, 10.0 + 20.0 * rng.f32());
            let mut hero = Character::new(Capsule::new(at, at + Vec3::Y, radius).unwrap());
            let (sin, cos) = (6.3 * rng.f32()).sin_cos();
            let heading = Vec3::new(cos, 0.0, sin) * [6.0, 12.0, 30.0][case % 3];
            let mut fall = -3.0 * rng.f32();
            for _ in 0..60 {
                fall -= 9.81 * DT;
                hero.velocity = heading + Vec3::Y * fall;
                let (gone, walk) = walked(&world, &mut hero);
                if !walk.contacts.is_empty() {
                    // A slope up which it slides takes the square of its sine.
                    let steepest = walk.contacts.iter().map(|contact| contact.normal.y).fold(1.0, f32::min);
                    let wanted = heading * DT;
                    let (ahead, miss) = (gone.dot(wanted), (gone - wanted).with_y(0.0).length());
                    let steep = 1.0 - steepest * steepest;
                    assert!(
                        ahead >= (0.99 - 2.0 * steep) * wanted.length_squared(),
                        "{case}: {gone} {wanted} {walk:?}"
                    );
                    assert!(miss <= (0.01 + 2.0 * steep) * wanted.length(), "{case}: {gone} {wanted} {walk:?}");
                    landed += 1;
                    break;
                }
            }
        }
    }
    assert!(landed > 550, "{landed}");
}
