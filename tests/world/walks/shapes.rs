//! Hulls, compounds and whatever else is convex walk as boxes and capsules do.

use super::{DT, HALF, ground, slope, stairs};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, CharacterBody, Compound, Dynamics, DynamicsConfig, Filter, Mass, Material, Mesh, Mover, MovingShape,
    Object, ObjectKey, RigidBody, Shape, ShapeSweep, Target, Terrain, Walk, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Cylinder, Error, Hull, Obb, Plane, Sphere},
};

fn walk<B: CharacterBody>(world: &World, hero: &mut Character<B>, velocity: Vec3) -> Walk {
    let fall = hero.velocity.y - 9.81 * DT;
    hero.velocity = if hero.is_on_ground() { velocity } else { Vec3::new(velocity.x, fall, velocity.z) };
    Mover::default().walk(world, hero, DT, &Filter::ALL).unwrap()
}

fn is_free(world: &World, body: &MovingShape) -> bool {
    let shape = body.shape().unwrap();
    let swept = world.sweep(&ShapeSweep::new(&shape, Vec3::ZERO).unwrap(), &Filter::ALL);
    swept.overlap.is_none()
}

fn upright() -> Obb {
    Obb::new(Vec3::ZERO, Quat::IDENTITY, HALF).unwrap()
}

/// The same box as a hull, in two halves on top of each other, and as itself.
fn boxes() -> [Shape; 3] {
    let half = |y: f32| Aabb::from_center_half_extents(Vec3::Y * y, HALF * Vec3::new(1.0, 0.5, 1.0)).unwrap();
    let halves = Compound::new([half(-0.5 * HALF.y).into(), half(0.5 * HALF.y).into()]).unwrap();
    [Hull::new(&upright().corners()).unwrap().into(), halves.into(), upright().into()]
}

/// Courses of a world and the way over it.
fn courses() -> Vec<(World, Vec3)> {
    let mut ramp = slope(0.5);
    ramp.insert_plane(
        WorldPlane::wall(Plane::from_point_normal(Vec3::Z * 2.0, Vec3::new(0.3, 0.0, 1.0)).unwrap()).layers(1),
    );
    let mut hills = World::new();
    let heights: Vec<f32> = (0..20 * 20).map(|i| 0.25 * ((i * 7 % 20) as f32 * 0.5).sin() - 0.3).collect();
    hills.insert(Object::fixed(Terrain::new(20, 20, &heights, Vec2::ONE, Vec2::splat(-5.0)).unwrap()));
    // A ledge that is narrower than what carries.
    let mut ledge = ground();
    ledge.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, 0.0, -9.0), Vec3::new(-0.282, 0.4, 9.0)).unwrap()));
    vec![
        (ledge, Vec3::Z * 2.0),
        (stairs(0.25), Vec3::X * 4.8),
        (stairs(0.5), Vec3::X * 4.8),
        (slope(30f32.to_radians().tan().into()), Vec3::new(4.0, 0.0, 1.0)),
        (slope(60f32.to_radians().tan().into()), Vec3::X * 4.0),
        (ramp, Vec3::new(3.0, 0.0, 2.0)),
        (hills, Vec3::new(2.0, 0.0, 1.0)),
    ]
}

#[test]
fn boxes_in_any_form_walk_stairs_and_slopes_as_the_box() {
    for (course, (world, velocity)) in courses().iter().enumerate() {
        let start = Vec3::Y * 1.5;
        let mut expected = vec![];
        let mut hero = Character::new(Obb::new(start, Quat::IDENTITY, HALF).unwrap());
        for _ in 0..100 {
            walk(world, &mut hero, *velocity);
            expected.push((hero.position(), hero.is_on_ground()));
        }
        for (form, shape) in boxes().into_iter().enumerate() {
            let mut hero = Character::new(MovingShape::new(shape, start).unwrap());
            let mut farthest = 0.0f32;
            for (position, is_on_ground) in &expected {
                walk(world, &mut hero, *velocity);
                assert!(is_free(world, &hero.body), "course {course}, form {form}: {hero:?}");
                assert_eq!(hero.is_on_ground(), *is_on_ground, "course {course}, form {form}: {hero:?}");
                farthest = farthest.max(hero.position().distance(*position));
            }
            assert!(farthest < 0.01, "course {course}, form {form}: {farthest} off");
        }
    }
}

#[test]
fn a_capsule_and_a_ball_walk_as_their_own_walks_do() {
    for (course, (world, velocity)) in courses().iter().enumerate() {
        let start = Vec3::Y * 1.5;
        let at = |center: Vec3| Capsule::from_half_axis(center, Vec3::Y * 0.6, 0.3).unwrap();
        let ball = |center: Vec3| Sphere::new(center, 0.45).unwrap();
        let (mut capsule, mut sphere) = (Character::new(at(start)), Character::new(ball(start)));
        let body = |shape: Shape| Character::new(MovingShape::new(shape, start).unwrap());
        let mut shapes = [body(at(Vec3::ZERO).into()), body(ball(Vec3::ZERO).into())];
        let mut farthest = 0.0f32;
        for _ in 0..100 {
            walk(world, &mut capsule, *velocity);
            walk(world, &mut sphere, *velocity);
            for (shape, position) in shapes.iter_mut().zip([capsule.position(), sphere.position()]) {
                walk(world, shape, *velocity);
                assert!(is_free(world, &shape.body), "course {course}: {shape:?}");
                farthest = farthest.max(shape.position().distance(position));
            }
        }
        assert!(farthest < 0.01, "course {course}: {farthest} off");
    }
}

/// A figure of several parts: legs, a body, a head and a pack.
fn figure() -> Compound {
    let block = |at: Vec3, half: Vec3| Shape::from(Aabb::from_center_half_extents(at, half).unwrap());
    let pack = [Vec3::ZERO, Vec3::X * 0.3, Vec3::Y * 0.5, Vec3::Z * 0.2].map(|point| point + Vec3::new(0.2, 0.0, 0.0));
    Compound::new([
        block(Vec3::new(0.0, -0.6, -0.15), Vec3::new(0.1, 0.3, 0.1)),
        block(Vec3::new(0.0, -0.6, 0.15), Vec3::new(0.1, 0.3, 0.1)),
        block(Vec3::ZERO, Vec3::new(0.2, 0.35, 0.3)),
        Sphere::new(Vec3::Y * 0.55, 0.2).unwrap().into(),
        Hull::new(&pack).unwrap().into(),
    ])
    .unwrap()
}

#[test]
fn a_figure_of_many_parts_climbs_stairs_and_rides_a_lift() {
    let mut world = stairs(0.25);
    let mut hero = Character::new(MovingShape::new(figure(), Vec3::Y * 0.91).unwrap());
    walk(&world, &mut hero, Vec3::ZERO);
    assert!(hero.is_on_ground());
    for _ in 0..100 {
        walk(&world, &mut hero, Vec3::X * 4.0);
        assert!(is_free(&world, &hero.body), "{hero:?}");
    }
    // On the eighth step, its feet at 2.0.
    assert!(hero.position().x > 6.0 && (hero.position().y - 2.9).abs() < 1e-3, "{hero:?}");
    let lift = Aabb::from_center_half_extents(hero.position() - Vec3::Y * 0.9, Vec3::new(1.0, 0.2, 1.0)).unwrap();
    world.clear();
    let lift = world.insert(Object::moving(lift));
    hero.body = hero.body.at(hero.position() + Vec3::Y * 0.21).unwrap();
    walk(&world, &mut hero, Vec3::ZERO);
    let start = hero.position();
    assert_eq!(hero.ground.unwrap().target, Target::from(lift));
    for i in 0..60 {
        let way = Vec3::new(0.02, 0.01, 0.0) * (i + 1) as f32;
        world.object_mut(lift).unwrap().set_transform(Quat::IDENTITY, start - Vec3::Y * 1.1 + way).unwrap();
        walk(&world, &mut hero, Vec3::ZERO);
        assert!(is_free(&world, &hero.body) && hero.is_on_ground(), "{i}: {hero:?}");
    }
    assert!(hero.position().distance(start + Vec3::new(1.2, 0.6, 0.0)) < 0.01, "{start} {hero:?}");
}

#[test]
fn what_is_in_the_way_of_any_shape_stops_it_and_nothing_is_entered() {
    let mut rng = Rng::with_seed(SEED);
    let mut vector = |size: f32| Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)));
    let (mut grounded, mut blocked, mut frames) = (0, 0, 0);
    for case in 0..40 {
        let mut world = ground();
        let points: Vec<Vec3> = (0..4).map(|_| vector(0.8)).collect();
        let rock = Mesh::new(&points, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap();
        for i in 0..25 {
            let (center, rotation) = (vector(4.0) * Vec3::new(1.0, 0.1, 1.0), Quat::from_scaled_axis(vector(3.0)));
            let shape = match i % 4 {
                0 => Shape::from(Obb::new(center, rotation, Vec3::new(0.3, 0.5, 0.7)).unwrap()),
                1 => Hull::new(&[(); 8].map(|()| center + vector(0.7))).unwrap().into(),
                2 => Shape::from(&rock).transformed(rotation, center).unwrap(),
                _ => Capsule::from_half_axis(center, rotation * Vec3::Y, 0.2).unwrap().into(),
            };
            world.insert(Object::fixed(shape));
        }
        let shape = match case % 3 {
            0 => Shape::from(Hull::new(&[(); 10].map(|()| vector(0.5))).unwrap()),
            1 => Shape::from(figure()),
            _ => Capsule::from_half_axis(Vec3::ZERO, Quat::from_scaled_axis(vector(3.0)) * Vec3::Y * 0.4, 0.3)
                .unwrap()
                .into(),
        };
        let mut hero = Character::new(MovingShape::new(shape, Vec3::Y * 4.0 + vector(3.0)).unwrap());
        let mut velocity = Vec3::ZERO;
        for frame in 0..100 {
            if frame % 20 == 0 {
                velocity = vector(4.0) * Vec3::new(1.0, 0.0, 1.0);
            }
            let walk = walk(&world, &mut hero, velocity);
            assert!(walk.overlap.is_none() && is_free(&world, &hero.body), "case {case}, frame {frame}: {hero:?}");
            grounded += usize::from(hero.is_on_ground());
            blocked += usize::from(walk.blocked.is_some());
            frames += 1;
        }
    }
    assert!(grounded * 2 > frames && blocked > 100, "{grounded} on the ground, {blocked} blocked of {frames}");
}

#[test]
fn among_rigid_bodies_a_box_in_any_form_pushes_and_is_carried_as_the_box() {
    // A crate in its way, on a belt.
    let course = || {
        let (mut world, mut dynamics) = (ground(), Dynamics::new());
        let belt = Aabb::new(Vec3::new(-9.0, -1.0, -1.0), Vec3::new(0.5, 0.1, 1.0)).unwrap();
        let belt = world.insert(Object::fixed(belt));
        let material = Material { surface_velocity: Vec3::Z * 0.2, ..Material::default() };
        dynamics.set_material(&world, belt, material).unwrap();
        let crate_ = Aabb::new(Vec3::new(1.2, 0.001, -0.5), Vec3::new(2.2, 1.001, 0.5)).unwrap();
        let crate_ = world.insert(Object::moving(crate_));
        let body = RigidBody { mass: Mass::Total(20.0), ..RigidBody::dynamic() };
        dynamics.insert(&mut world, crate_, body).unwrap();
        (world, dynamics, crate_)
    };
    fn pushed<B: CharacterBody>(
        (mut world, mut dynamics, crate_): (World, Dynamics, ObjectKey),
        mut hero: Character<B>,
    ) -> (Vec3, Vec3, usize) {
        let mut pushes = 0;
        for _ in 0..90 {
            let fall = hero.velocity.y - 9.81 * DT;
            hero.velocity = if hero.is_on_ground() { Vec3::X * 2.0 } else { Vec3::new(2.0, fall, 0.0) };
            let walk = dynamics.walk(&world, &Mover::default(), &mut hero, DT, &Filter::ALL).unwrap();
            assert!(walk.overlap.is_none() && walk.pushes.iter().all(|push| push.body == crate_));
            pushes += walk.pushes.len();
            dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
        }
        (hero.position(), world.object(crate_).unwrap().shape.aabb().center(), pushes)
    }
    let start = Vec3::new(-0.5, 1.0, 0.0);
    let expected = pushed(course(), Character::new(Obb::new(start, Quat::IDENTITY, HALF).unwrap()));
    assert!(expected.2 > 20 && expected.1.x > 2.0 && expected.0.z > 0.05, "{expected:?}");
    for shape in boxes() {
        let found = pushed(course(), Character::new(MovingShape::new(shape, start).unwrap()));
        assert!(found.0.distance(expected.0) < 0.02 && found.1.distance(expected.1) < 0.02, "{found:?} {expected:?}");
        assert!(found.2.abs_diff(expected.2) < 3, "{found:?} {expected:?}");
    }
}

#[test]
fn a_shape_of_many_parts_has_an_object_and_is_not_in_its_own_way() {
    let mut world = ground();
    let body = MovingShape::new(figure(), Vec3::Y * 0.91).unwrap();
    let mut hero = Character::new(body.clone());
    hero.object = Some(world.insert(Object::moving(body.shape().unwrap())));
    for _ in 0..60 {
        walk(&world, &mut hero, Vec3::X);
        assert!(hero.place(&mut world));
    }
    assert!((hero.position().x - 1.0).abs() < 0.05, "{hero:?}");
    let shape = &world.object(hero.object.unwrap()).unwrap().shape;
    assert_eq!(*shape, hero.body.shape().unwrap());
    world.remove(hero.object.unwrap());
    assert!(!hero.place(&mut world));
}

#[test]
fn a_body_of_any_shape_with_bad_numbers_is_refused() {
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    assert_eq!(MovingShape::new(ball, Vec3::NAN), Err(Error::NonFinite { field: "position" }));
    assert_eq!(MovingShape::new(ball, Vec3::X * 3e9), Err(Error::OutOfRange { field: "position" }));
    let mut hero = Character::new(MovingShape::new(ball, Vec3::ZERO).unwrap());
    let before = hero.clone();
    for velocity in [Vec3::NAN, Vec3::X * f32::INFINITY, Vec3::X * 1e30] {
        hero.velocity = velocity;
        assert!(Mover::default().walk(&World::new(), &mut hero, DT, &Filter::ALL).is_err());
        assert_eq!(hero.body, before.body);
    }
}

#[test]
fn a_character_of_any_shape_is_saved_and_walks_on_as_before() {
    let world = stairs(0.25);
    let mut hero = Character::new(MovingShape::new(figure(), Vec3::Y * 0.91).unwrap());
    (0..20).for_each(|_| _ = walk(&world, &mut hero, Vec3::X * 3.0));
    let saved = serde_json::to_string(&hero).unwrap();
    let mut again: Character<MovingShape> = serde_json::from_str(&saved).unwrap();
    assert_eq!(again, hero);
    for _ in 0..40 {
        walk(&world, &mut hero, Vec3::X * 3.0);
        walk(&world, &mut again, Vec3::X * 3.0);
    }
    assert_eq!(again, hero);
    let mut beyond: serde_json::Value = serde_json::from_str(&saved).unwrap();
    beyond["body"]["position"][0] = 3e9.into();
    assert!(serde_json::from_value::<Character<MovingShape>>(beyond).is_err());
}

/// A cylinder, a cone that stands on its base, and what has flat sides, all as high as a box of [`HALF`] is.
fn of_any_form() -> [Shape; 4] {
    let axis = HALF.y * Vec3::Y;
    let [hull, halves, _] = boxes();
    [
        Cylinder::from_half_axis(Vec3::ZERO, axis, [0.3; 2]).unwrap().into(),
        Cylinder::from_half_axis(Vec3::ZERO, axis, [0.3, 0.1]).unwrap().into(),
        hull,
        halves,
    ]
}

#[test]
fn what_is_round_stays_on_the_slope_that_it_walks() {
    for (form, shape) in of_any_form().into_iter().enumerate() {
        for degrees in [3.0f32, 17.0, 30.0, 41.0, 44.5] {
            let rise = degrees.to_radians().tan();
            let (world, start) = (slope(rise.into()), Vec3::new(3.0, 3.0 * rise + 1.0, 0.1));
            let mut hero = Character::new(MovingShape::new(shape.clone(), start).unwrap());
            (0..60).for_each(|_| _ = walk(&world, &mut hero, Vec3::ZERO));
            let mut way = Vec3::X * 3.0;
            for step in 0..400 {
                let (before, x) = (hero.position(), hero.position().x);
                way = if !(3.0..=8.0).contains(&x) { Vec3::X * (3.0f32).copysign(5.0 - x) } else { way };
                walk(&world, &mut hero, way);
                let moved = hero.position().distance(before);
                assert!(hero.is_on_ground() && moved > 0.02, "form {form}, {degrees} degrees, step {step}: {moved}");
            }
        }
    }
}

#[test]
fn nothing_stops_for_good_at_a_pillar() {
    let mut rng = Rng::with_seed(SEED + 31);
    for case in 0..24 {
        let (mut world, radius) = (ground(), 0.2 + 0.8 * rng.f32());
        let (foot, top) = (Vec3::NEG_Y, Vec3::Y * 3.0);
        world.insert(Object::fixed(match case % 4 {
            0 => Shape::from(Cylinder::new(foot, top, radius).unwrap()),
            1 => Cylinder::from_half_axis(Vec3::Y, Vec3::Y * 2.0, [radius, 0.5 * radius]).unwrap().into(),
            2 => Cylinder::new(foot, top + Vec3::X * 0.7, radius).unwrap().into(),
            _ => Obb::new(Vec3::Y, Quat::from_rotation_y(rng.f32()), Vec3::new(radius, 2.0, radius)).unwrap().into(),
        }));
        for (form, shape) in of_any_form().into_iter().enumerate() {
            let mut hero = Character::new(MovingShape::new(shape, Vec3::new(2.5, 0.95, 0.0)).unwrap());
            let mut way = Vec3::ZERO;
            for step in 0..1000 {
                // Against it and past it, and at the end of each hundred away from it.
                let before = hero.position();
                let to = (-before * Vec3::new(1.0, 0.0, 1.0)).normalize();
                let (aside, leaves) = (Quat::from_rotation_y(1.4 * rng.f32() - 0.7) * to, step % 100 > 90);
                way = if leaves {
                    -to * 3.0
                } else if step % 20 == 0 {
                    aside * 3.0
                } else {
                    way
                };
                walk(&world, &mut hero, way);
                let moved = hero.position().distance(before);
                assert!(!leaves || moved > 0.04, "case {case}, form {form}, step {step}: stuck at {before}");
            }
        }
    }
}
