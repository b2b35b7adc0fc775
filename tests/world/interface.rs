//! What a caller holds of a world: keys, bodies, filters by mobility, and a world that is cleared.

use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Dynamics, DynamicsConfig, Filter, Object, ObjectKey, PlaneKey, RigidBody,
    Target, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Obb, Plane, Ray, Sides, Sphere, SphereSweep},
};

const DT: f32 = 1.0 / 60.0;

fn brick(at: Vec3) -> Aabb {
    Aabb::new(at - Vec3::new(1.0, 1.5, 2.5), at + Vec3::new(1.0, 1.5, 2.5)).unwrap()
}

/// A floor, a fixed and a moving box in a row, and a body above all of them.
fn world() -> (World, BoxStepper, [Target; 3], ObjectKey) {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let floor = world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let fixed = world.insert(Object::fixed(brick(Vec3::new(5.0, 2.0, 0.0))));
    let moving = world.insert(Object::moving(brick(Vec3::new(9.0, 2.0, 0.0))));
    let body = world.insert(Object::moving(brick(Vec3::new(0.0, 20.0, 0.0))));
    boxes.insert(&mut world, body, BoxBody { velocity: Vec3::NEG_Y, ..BoxBody::default() }).unwrap();
    (world, boxes, [floor.into(), fixed.into(), moving.into()], body)
}

#[test]
fn filters_by_mobility_leave_the_others_out_of_every_kind_of_query() {
    let (world, _, [floor, fixed, moving], body) = world();
    let body = Target::from(body);
    let everywhere = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::splat(50.0)).unwrap();
    let found = |filter: &Filter| {
        let (mut near, mut nearest) = (vec![], vec![]);
        world.overlap(&everywhere, filter, &mut near);
        world.nearest(Vec3::ZERO, f32::INFINITY, 9, filter, &mut nearest);
        let mut by_key: Vec<_> = nearest.iter().map(|near| near.target).collect();
        by_key.sort_unstable();
        assert_eq!(near, by_key);
        near
    };
    assert_eq!(found(&Filter::ALL), [fixed, moving, body, floor]);
    assert_eq!(found(&Filter::ALL.fixed_only()), [fixed, floor]);
    assert_eq!(found(&Filter::ALL.moving_only()), [moving, body]);

    let down = Ray::new(Vec3::new(9.0, 9.0, 0.0), Vec3::NEG_Y).unwrap();
    let hit = |filter: &Filter| world.cast_ray(&down, 100.0, filter).map(|hit| hit.target);
    assert_eq!(
        [Filter::ALL, Filter::ALL.fixed_only(), Filter::ALL.moving_only()].map(|filter| hit(&filter)),
        [Some(moving), Some(floor), Some(moving)]
    );
    let along = BoxSweep::new(Obb::from(&brick(Vec3::new(-9.0, 2.0, 0.0))), Vec3::X * 30.0).unwrap();
    let stop = |filter: &Filter| world.sweep(&along, filter).hit.map(|hit| hit.target);
    assert_eq!((stop(&Filter::ALL), stop(&Filter::ALL.moving_only())), (Some(fixed), Some(moving)));
    let falling = BoxSweep::new(Obb::from(&brick(Vec3::new(-9.0, 9.0, 0.0))), Vec3::Y * -30.0).unwrap();
    let stop = |filter: &Filter| world.sweep(&falling, filter).hit.map(|hit| hit.target);
    assert_eq!((stop(&Filter::ALL.fixed_only()), stop(&Filter::ALL.moving_only())), (Some(floor), None));
}

#[test]
fn a_body_that_is_removed_stays_as_an_object_which_other_bodies_meet() {
    let (mut world, mut boxes, [.., moving], key) = world();
    boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    let at = world.object(key).unwrap().shape.aabb();
    let removed = boxes.remove(key).unwrap();
    assert!(removed.velocity.y < -1.0 && boxes.body(key).is_none() && boxes.remove(key).is_none());
    for _ in 0..9 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert_eq!(world.object(key).unwrap().shape.aabb(), at, "a step moved what is no body");
    assert_eq!(boxes.bodies().count(), 0);

    // Another body falls onto it, and comes to rest there.
    let above = world.insert(Object::moving(brick(at.max() + Vec3::new(-1.0, 2.0, -2.5))));
    boxes.insert(&mut world, above, BoxBody::default()).unwrap();
    for _ in 0..60 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert!((world.object(above).unwrap().shape.aabb().min().y - at.max().y).abs() < 0.01);
    assert_eq!(boxes.contacts().iter().map(|contact| contact.target).collect::<Vec<_>>(), [key.into()]);
    assert!(matches!(moving, Target::Object(key) if boxes.remove(key).is_none()));
}

#[test]
fn bits_name_a_key_as_long_as_its_object_is_there() {
    let (mut world, _, _, key) = world();
    let bits = key.to_bits();
    assert_eq!([bits, !bits, 0].map(|bits| ObjectKey::from_bits(bits, &world)), [Some(key), None, None]);
    world.remove(key);
    let other = world.insert(Object::fixed(brick(Vec3::ZERO)));
    assert_eq!([bits, other.to_bits()].map(|bits| ObjectKey::from_bits(bits, &world)), [None, Some(other)]);
    assert_eq!(key.to_string(), format!("object {}v{}", bits as u32, bits >> 32));
}

#[test]
fn bits_name_a_key_as_long_as_its_plane_is_there() {
    let (mut world, ..) = world();
    let plane = Plane::new(Vec3::X, -20.0).unwrap();
    let key = world.insert_plane(WorldPlane::half_space(plane).layers(0b1));
    let bits = key.to_bits();
    let named = [bits, !bits, bits ^ 1 << 32, 0].map(|bits| PlaneKey::from_bits(bits, &world));
    assert_eq!(named, [Some(key), None, None, None]);
    world.remove_plane(key);
    let other = world.insert_plane(WorldPlane::half_space(plane).layers(0b1));
    assert_eq!([bits, other.to_bits()].map(|bits| PlaneKey::from_bits(bits, &world)), [None, Some(other)]);
}

#[test]
fn a_world_that_is_emptied_gives_out_no_old_key_and_forgets_its_contacts() {
    let (mut world, mut boxes, targets, key) = world();
    for _ in 0..200 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    world.update_pairs(DT);
    assert!(!boxes.contacts().is_empty());
    world.clear();
    assert!(world.is_empty() && world.planes().next().is_none());
    assert_eq!(boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap().ended.len(), 1);
    assert!(boxes.bodies().next().is_none() && boxes.contacts().is_empty());
    world.update_pairs(DT);
    assert_eq!(world.pairs().count(), 0);
    for _ in 0..9 {
        let new = world.insert(Object::fixed(brick(Vec3::ZERO)));
        assert!(new != key && !targets.contains(&new.into()));
    }
}

#[test]
fn batches_of_sweeps_are_the_single_sweeps_in_order() {
    let (world, ..) = world();
    let starts = (0..200u8).map(|i| Vec3::new(f32::from(i) * 0.1 - 5.0, 9.0, f32::from(i % 7)));
    let boxes: Vec<_> =
        starts.clone().map(|at| BoxSweep::new(Obb::from(&brick(at)), Vec3::new(3.0, -20.0, 0.5)).unwrap()).collect();
    let balls: Vec<_> =
        starts.map(|at| SphereSweep::new(Sphere::new(at, 0.5).unwrap(), Vec3::new(3.0, -20.0, 0.5)).unwrap()).collect();
    let mut answers = vec![];
    world.sweep_batch(&boxes, &Filter::ALL, &mut answers);
    world.sweep_batch(&balls, &Filter::ALL, &mut answers);
    let single = boxes.iter().map(|sweep| world.sweep(sweep, &Filter::ALL));
    let single = single.chain(balls.iter().map(|sweep| world.sweep(sweep, &Filter::ALL)));
    assert_eq!(answers, single.collect::<Vec<_>>());
    assert!(answers.iter().filter(|answer| answer.hit.is_some()).count() > 300);
}

#[test]
fn a_plane_is_edited_in_place() {
    let mut world = World::new();
    let key = world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let ball = Sphere::new(Vec3::Y * -5.0, 1.0).unwrap();
    let meets = |world: &World, layers: u32| world.any_overlap(&ball, &Filter::layers(layers));
    assert!(meets(&world, 1 << 31));
    let before = world.clone();

    let mut floor = world.plane_mut(key).unwrap();
    assert_eq!((floor.set_layers(0b10), floor.set_user(7), floor.layers), (u32::MAX, 0, 0b10));
    assert!(meets(&world, 0b10) && !meets(&world, 0b01));
    let mut floor = world.plane_mut(key).unwrap();
    assert_eq!(floor.set_plane(Plane::new(Vec3::Y, 9.0).unwrap()).d(), 0.0);
    assert!(!meets(&world, 0b10));
    assert_eq!((world.plane(key).unwrap().user, world.plane(key).unwrap().sides), (7, Sides::Front));

    // Back, it is what it was; clones did not change with it.
    let mut floor = world.plane_mut(key).unwrap();
    floor.set_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    floor.set_layers(u32::MAX);
    assert_eq!(world.hash(), before.hash());
    assert_eq!(before.plane(key).unwrap().layers, u32::MAX);
    world.remove_plane(key);
    assert!(world.plane_mut(key).is_none());
}

#[test]
fn what_rests_on_a_plane_falls_when_that_leaves_its_layers() {
    let mut world = World::new();
    let mut dynamics = Dynamics::new();
    let key = world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let ball = world.insert(Object::moving(Sphere::new(Vec3::Y, 1.0).unwrap()).pairs_with(0b1));
    dynamics.insert(&mut world, ball, RigidBody::dynamic()).unwrap();
    let steps = |world: &mut World, dynamics: &mut Dynamics| {
        (0..120).for_each(|_| _ = dynamics.step(world, 1.0 / 60.0, &DynamicsConfig::default()).unwrap());
        dynamics.body(ball).unwrap().is_asleep()
    };
    assert!(steps(&mut world, &mut dynamics));
    // The number is the caller's, and wakes nobody.
    world.plane_mut(key).unwrap().set_user(7);
    dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default()).unwrap();
    assert!(dynamics.body(ball).unwrap().is_asleep());
    world.plane_mut(key).unwrap().set_layers(0b10);
    assert!(!steps(&mut world, &mut dynamics));
    assert!(world.object(ball).unwrap().transform().1.y < -5.0);
}
