//! Rigid bodies that are saved in mid-fall continue bit for bit, and hostile snapshots are refused.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Dynamics, DynamicsConfig, DynamicsSnapshot, Material, Mesh, Object, PlacedCompound, PlacedMesh,
    RigidBody, Shape, Snapshot, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Cylinder, Hull, Obb, Plane, Sphere},
};

const DT: f32 = 1.0 / 60.0;

/// Crates, balls, capsules, hulls and compounds above a floor, some of which fall asleep early; a plane and a kinematic
/// sweeper.
fn pile() -> (World, Dynamics) {
    let (mut world, mut dynamics) = (World::with_tag(7), Dynamics::new());
    let floor = Aabb::new(Vec3::new(-20.0, -1.0, -20.0), Vec3::new(20.0, 0.0, 20.0)).unwrap();
    let floor = world.insert(Object::fixed(floor));
    dynamics.set_material(&world, floor, Material { friction: 0.8, ..Material::default() }).unwrap();
    world.insert_plane(Plane::new(Vec3::X, 6.0).unwrap());
    for i in 0..60u8 {
        let number = f32::from(i);
        let at = Vec3::new(1.1 * f32::from(i % 4) - 2.0, 0.6 + 1.1 * f32::from(i / 12), f32::from(i / 4 % 3) - 1.0);
        let shape = match i % 6 {
            4 => Cylinder::from_half_axis(at, Vec3::new(0.3, 0.2, 0.1), [0.3, 0.2]).unwrap().into(),
            0 => Sphere::new(at, 0.4).unwrap().into(),
            1 => Capsule::from_half_axis(at, Vec3::new(0.0, 0.2, 0.1), 0.3).unwrap().into(),
            2 => {
                let corners = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::new(0.2, 0.1, -1.2)];
                Hull::new(&corners.map(|corner| at + corner * 0.45)).unwrap().into()
            }
            3 => {
                let wedge = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| corner * 0.4)).unwrap();
                let handle = Capsule::from_half_axis(Vec3::new(-0.3, 0.0, 0.0), Vec3::X * 0.2, 0.1).unwrap();
                let compound = Compound::new([wedge.into(), handle.into()]).unwrap();
                PlacedCompound::new(&compound, Quat::from_rotation_z(number), at).unwrap().into()
            }
            _ => Shape::from(Obb::new(at, Quat::from_rotation_y(number), Vec3::splat(0.4)).unwrap()),
        };
        let key = world.insert(Object::moving(shape));
        dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap();
    }
    let sweeper = Obb::new(Vec3::new(-5.0, 0.5, 0.0), Quat::IDENTITY, Vec3::new(0.2, 0.4, 3.0)).unwrap();
    let sweeper = world.insert(Object::moving(sweeper));
    let moves = RigidBody { velocity: Vec3::X * 0.5, ..RigidBody::kinematic() };
    dynamics.insert(&mut world, sweeper, moves).unwrap();
    (world, dynamics)
}

fn hashes(world: &World, dynamics: &Dynamics) -> [u64; 2] {
    [world.hash(), dynamics.hash(world)]
}

fn play(world: &mut World, dynamics: &mut Dynamics, steps: usize) {
    for _ in 0..steps {
        dynamics.step(world, DT, &DynamicsConfig::default()).unwrap();
    }
}

#[test]
fn what_is_restored_in_mid_pile_goes_on_bit_for_bit() {
    for before in [0, 1, 30, 90, 240] {
        let (mut world, mut dynamics) = pile();
        play(&mut world, &mut dynamics, before);
        let text = serde_json::to_string(&(world.snapshot(), dynamics.snapshot(&world).unwrap())).unwrap();
        let (saved, bodies): (Snapshot, DynamicsSnapshot) = serde_json::from_str(&text).unwrap();
        let mut other = World::restore(&saved).unwrap();
        let mut others = Dynamics::restore(&bodies, &other).unwrap();
        assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}");
        for step in 0..60 {
            play(&mut world, &mut dynamics, 1);
            play(&mut other, &mut others, 1);
            assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}, {step} on");
        }
        assert!(dynamics.bodies().eq(others.bodies()));
        for (ours, theirs) in dynamics.contacts().zip(others.contacts()) {
            assert_eq!(ours, theirs, "saved after {before}");
        }
        assert_eq!(dynamics.contacts().count(), others.contacts().count());
    }
}

/// A game that rolls back to a saved frame applies the input of that frame before it steps.
#[test]
fn what_is_edited_right_after_it_was_restored_goes_on_bit_for_bit() {
    for before in [30, 900] {
        let (mut world, mut dynamics) = pile();
        play(&mut world, &mut dynamics, before);
        let mut other = World::restore(&world.snapshot()).unwrap();
        let mut others = Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &other).unwrap();
        let asleep = dynamics.bodies().filter(|(key, _)| dynamics.body(*key).unwrap().is_asleep()).count();
        let edit = |world: &mut World, dynamics: &mut Dynamics| {
            let far = Aabb::from_center_half_extents(Vec3::new(30.0, 1.0, 0.0), Vec3::ONE).unwrap();
            let near = Aabb::from_center_half_extents(Vec3::new(3.0, 0.5, 0.0), Vec3::splat(0.4)).unwrap();
            let far = world.insert(Object::fixed(far));
            dynamics.set_material(world, far, Material { friction: 0.1, ..Material::default() }).unwrap();
            world.object_mut(far).unwrap().set_layers(1);
            let body = world.insert(Object::moving(near));
            dynamics.insert(world, body, RigidBody::dynamic()).unwrap();
        };
        edit(&mut world, &mut dynamics);
        edit(&mut other, &mut others);
        for step in 0..60 {
            play(&mut world, &mut dynamics, 1);
            play(&mut other, &mut others, 1);
            assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}, {step} on");
        }
        assert!(dynamics.bodies().eq(others.bodies()) && (before < 100 || asleep > 0), "{asleep}");
    }
}

#[test]
fn a_clone_goes_on_bit_for_bit() {
    let (mut world, mut dynamics) = pile();
    play(&mut world, &mut dynamics, 45);
    let (mut other, mut others) = (world.clone(), dynamics.clone());
    play(&mut world, &mut dynamics, 100);
    play(&mut other, &mut others, 100);
    assert_eq!(hashes(&world, &dynamics), hashes(&other, &others));
}

#[test]
fn a_hash_tells_the_least_difference_before_any_body_has_moved() {
    let (mut world, mut dynamics) = pile();
    play(&mut world, &mut dynamics, 45);
    let before = hashes(&world, &dynamics);
    let keys: Vec<_> = dynamics.bodies().map(|(key, _)| key).collect();
    let changes: [&dyn Fn(&mut Dynamics); 7] = [
        &|dynamics| {
            let RigidBody { velocity, angular_velocity, .. } = *dynamics.body(keys[5]).unwrap();
            let faster = Vec3::new(velocity.x, velocity.y.next_up(), velocity.z);
            assert_eq!(dynamics.body_mut(&world, keys[5]).unwrap().set_velocity(faster, angular_velocity), Ok(()));
        },
        &|dynamics| {
            assert_eq!(dynamics.body_mut(&world, keys[9]).unwrap().apply_force(Vec3::Z * 1e-6, Vec3::ZERO), Ok(()))
        },
        &|dynamics| {
            assert_eq!(dynamics.body_mut(&world, keys[9]).unwrap().apply_angular_impulse(Vec3::Z * 1e-3), Ok(()))
        },
        &|dynamics| assert!(dynamics.remove(keys[12]).is_some()),
        &|dynamics| dynamics.set_material(&world, keys[1], Material { friction: 0.3, ..Material::default() }).unwrap(),
        &|dynamics| dynamics.set_surface_material(&world, keys[1], 0, Material::default()).unwrap(),
        &|dynamics| dynamics.ignore_pair(&world, keys[2], keys[3]).unwrap(),
    ];
    for (i, change) in changes.iter().enumerate() {
        let mut other = dynamics.clone();
        change(&mut other);
        let after = hashes(&world, &other);
        assert_eq!(after[0], before[0], "change {i}");
        assert_ne!(after[1], before[1], "change {i}");
    }
}

#[test]
fn snapshots_that_were_changed_are_refused_or_go_on() {
    let (mut world, mut dynamics) = pile();
    play(&mut world, &mut dynamics, 60);
    let text = serde_json::to_string(&dynamics.snapshot(&world).unwrap()).unwrap();
    let (mut refused, mut restored) = (0, 0);
    let mut seed = 1u32;
    for _ in 0..300 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = seed as usize % bytes.len();
            if bytes[at].is_ascii_digit() {
                bytes[at] = b'0' + (seed >> 24) as u8 % 10;
            }
        }
        let Ok(saved) = serde_json::from_slice::<DynamicsSnapshot>(&bytes) else {
            refused += 1;
            continue;
        };
        let mut copy = world.clone();
        match Dynamics::restore(&saved, &copy) {
            Ok(mut bodies) => {
                play(&mut copy, &mut bodies, 3);
                restored += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0 && restored > 0, "{refused} refused, {restored} restored");
}

#[test]
fn what_was_edited_before_it_was_saved_is_restored_as_the_next_step_takes_it_up() {
    for before in [0, 1, 60, 400] {
        let (mut world, mut dynamics) = pile();
        play(&mut world, &mut dynamics, before);
        let keys: Vec<_> = dynamics.bodies().map(|(key, _)| key).collect();
        world.remove(keys[3]);
        world.remove(keys[20]);
        // Another size, another place, and a shape that cannot be a body.
        world.object_mut(keys[7]).unwrap().set_shape(Sphere::new(Vec3::new(0.0, 9.0, 0.0), 0.7).unwrap());
        world
            .object_mut(keys[8])
            .unwrap()
            .set_shape(cullide_world::narrowphase::Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap());
        let text = serde_json::to_string(&(world.snapshot(), dynamics.snapshot(&world).unwrap())).unwrap();
        let (saved, bodies): (Snapshot, DynamicsSnapshot) = serde_json::from_str(&text).unwrap();
        let mut other = World::restore(&saved).unwrap();
        let mut others = Dynamics::restore(&bodies, &other).unwrap();
        assert_eq!(others.bodies().count(), keys.len() - 3);
        assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}");
        for step in 0..60 {
            let ours = dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
            let ours = (ours.begun.to_vec(), ours.ended.to_vec(), ours.awake);
            let theirs = others.step(&mut other, DT, &DynamicsConfig::default()).unwrap();
            assert_eq!(ours, (theirs.begun.to_vec(), theirs.ended.to_vec(), theirs.awake), "{before}, {step} on");
            assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}, {step} on");
        }
        assert!(dynamics.bodies().eq(others.bodies()));
    }
}

/// An aligned box far from the origin is larger, by rounding, as the rotated one that a step makes of it.
#[test]
fn small_aligned_boxes_far_out_are_restored() {
    for (far, size) in [(100.0, 0.02), (1000.0, 0.1), (16_000.0, 1.0)] {
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        for i in 0..300u16 {
            let number = f32::from(i);
            let low = Vec3::new(far + 0.37 * number, far - 0.11 * number, 0.7 * far + 0.013 * number);
            let crate_ = Aabb::new(low, low + Vec3::new(1.0, 0.7, 0.83) * size).unwrap();
            let key = world.insert(Object::moving(crate_));
            dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap();
        }
        let config = DynamicsConfig::default();
        dynamics.step(&mut world, DT, &config).unwrap();
        let mut other = World::restore(&world.snapshot()).unwrap();
        let mut others = Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &other).unwrap();
        dynamics.step(&mut world, DT, &config).unwrap();
        others.step(&mut other, DT, &config).unwrap();
        assert_eq!(world, other);
    }
}

/// Shapes of every kind that a kinematic body may have, about as large as `size`.
fn shapes_of_size(size: f32) -> Vec<Shape> {
    let tilted = Quat::from_rotation_x(0.4);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| corner * size);
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]).unwrap();
    let terrain = Terrain::new(2, 2, &[0.0, 0.3 * size, 0.1 * size, 0.0], Vec2::splat(size), Vec2::ZERO).unwrap();
    let block = Obb::new(Vec3::X * size, tilted, Vec3::new(0.5, 0.3, 0.7) * size).unwrap();
    let solids = Compound::new([block.into(), Hull::new(&corners).unwrap().into()]).unwrap();
    let rod = Capsule::from_half_axis(corners[1], 0.5 * corners[2], 0.1 * size).unwrap();
    let stretched = Vec3::new(0.5, 1.0, 2.0);
    vec![
        mesh.clone().into(),
        PlacedMesh::new(&mesh, tilted, corners[3], stretched).unwrap().into(),
        terrain.into(),
        Compound::new([mesh.into(), block.into()]).unwrap().into(),
        PlacedCompound::scaled(&solids, tilted, corners[1], stretched).unwrap().into(),
        solids.into(),
        Hull::new(&corners).unwrap().into(),
        block.into(),
        rod.into(),
        Sphere::new(corners[2], 0.5 * size).unwrap().into(),
    ]
}

#[test]
fn whatever_has_travelled_goes_on_bit_for_bit_where_it_was_saved() {
    let mut rng = Rng::with_seed(SEED);
    let mut any = || 2.0 * rng.f32() - 1.0;
    for far in [1.0, 300.0, 20_000.0, 1e6, 1e9] {
        for size in [0.01, 1.0, 30.0] {
            let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
            let keys: Vec<_> =
                shapes_of_size(size).into_iter().map(|shape| world.insert(Object::moving(shape))).collect();
            for (i, key) in keys.iter().enumerate() {
                let at = Vec3::new(any(), any(), any()) * far;
                let body = RigidBody { angular_velocity: Vec3::new(any(), any(), any()), ..RigidBody::kinematic() };
                dynamics.insert(&mut world, *key, RigidBody { velocity: at * (0.1 / DT), ..body }).unwrap();
                // Some have been put there, and some have travelled. A small hull cannot be put far out.
                if i % 2 == 0 {
                    _ = world
                        .object_mut(*key)
                        .map(|mut object| object.set_transform(Quat::from_xyzw(any(), any(), any(), any()), at))
                        .transpose();
                }
            }
            for steps in [0, 1, 12] {
                play(&mut world, &mut dynamics, steps);
                let mut other = World::restore(&world.snapshot()).unwrap();
                let mut others = Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &other)
                    .unwrap_or_else(|error| panic!("size {size}, {far} away, after {steps}: {error}"));
                play(&mut world, &mut dynamics, 3);
                play(&mut other, &mut others, 3);
                assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "size {size}, {far} away");
            }
        }
    }
}

#[test]
fn a_body_whose_description_was_replaced_is_restored_with_the_order_of_its_pairs() {
    let (mut world, mut dynamics) = (World::with_tag(3), Dynamics::new());
    let floor = world.insert(Object::fixed(Aabb::new(Vec3::new(-2.0, -1.0, -2.0), Vec3::new(2.0, 0.0, 2.0)).unwrap()));
    let ball = world.insert(Object::moving(Sphere::new(Vec3::Y * 0.5, 0.5).unwrap()));
    dynamics.insert(&mut world, ball, RigidBody::dynamic()).unwrap();
    play(&mut world, &mut dynamics, 3);
    dynamics.insert(&mut world, ball, RigidBody::kinematic()).unwrap();
    let saved = dynamics.snapshot(&world).unwrap();
    let mut other = World::restore(&world.snapshot()).unwrap();
    let mut others = Dynamics::restore(&saved, &other).unwrap();
    assert_eq!(others.snapshot(&other).unwrap(), saved);
    let ended = [(&mut world, &mut dynamics), (&mut other, &mut others)].map(|(world, dynamics)| {
        world.object_mut(floor).unwrap().set_transform(Quat::IDENTITY, Vec3::Y * -50.0).unwrap();
        dynamics.step(world, DT, &DynamicsConfig::default()).unwrap().ended.to_vec()
    });
    assert!(ended[0].len() == 1 && ended[0] == ended[1], "{ended:?}");
}

/// What is found gone when a state is saved, and what sleeps, is numbered as the next step numbers it.
#[test]
fn what_is_edited_before_and_after_it_was_saved_goes_on_bit_for_bit() {
    for before in [60, 900] {
        let (mut world, mut dynamics) = pile();
        play(&mut world, &mut dynamics, before);
        let keys: Vec<_> = dynamics.bodies().map(|(key, _)| key).collect();
        world.remove(keys[40]);
        let beside = Aabb::from_center_half_extents(Vec3::new(4.0, 0.5, 1.0), Vec3::splat(0.3)).unwrap();
        world.insert(Object::fixed(beside));
        let mut other = World::restore(&world.snapshot()).unwrap();
        let mut others = Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &other).unwrap();
        for (world, dynamics) in [(&mut world, &mut dynamics), (&mut other, &mut others)] {
            for key in &keys[3..9] {
                world.remove(*key);
            }
            world.insert_plane(Plane::new(Vec3::Z, 30.0).unwrap());
            for i in 0..4 {
                let center = Vec3::new(f32::from(i as u8) - 2.0, 6.0, 0.3);
                let key = world.insert(Object::moving(Sphere::new(center, 0.4).unwrap()));
                dynamics.insert(world, key, RigidBody::dynamic()).unwrap();
            }
        }
        for step in 0..200 {
            assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}, {step} on");
            play(&mut world, &mut dynamics, 1);
            play(&mut other, &mut others, 1);
        }
        assert_eq!(dynamics.snapshot(&world).unwrap(), others.snapshot(&other).unwrap(), "saved after {before}");
    }
}

#[test]
fn a_refused_step_counts_who_is_awake() {
    let (mut world, mut dynamics) = pile();
    assert_eq!(dynamics.step(&mut world, f32::INFINITY, &DynamicsConfig::default()).unwrap().awake, 60);
    play(&mut world, &mut dynamics, 1);
    let mut others = Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &world).unwrap();
    assert_eq!(others.step(&mut world, f32::NAN, &DynamicsConfig::default()).unwrap().awake, 60);
}

/// Edits of bodies before a state is saved, and of the same bodies after.
#[test]
fn bodies_that_are_edited_on_either_side_of_a_save_go_on_bit_for_bit() {
    for before in [0, 60, 900] {
        let (mut world, mut dynamics) = pile();
        play(&mut world, &mut dynamics, before);
        let keys: Vec<_> = dynamics.bodies().map(|(key, _)| key).collect();
        let place = |i: usize| Vec3::new(i as f32 - 8.0, 7.0, 0.2);
        for (i, key) in keys[..16].iter().enumerate() {
            match i % 4 {
                0 => {
                    _ = world
                        .object_mut(*key)
                        .map(|mut object| object.set_transform(Quat::IDENTITY, place(i)))
                        .transpose()
                        .unwrap()
                }
                1 => _ = world.remove(*key),
                2 => _ = world.object_mut(*key).map(|mut object| object.set_mobility(cullide_world::Mobility::Fixed)),
                _ => dynamics.insert(&mut world, *key, RigidBody::kinematic()).unwrap(),
            }
        }
        let beside = world.insert(Object::moving(Sphere::new(Vec3::new(-2.0, 0.5, -1.8), 0.4).unwrap()));
        dynamics.insert(&mut world, beside, RigidBody::dynamic()).unwrap();
        let mut other = World::restore(&world.snapshot()).unwrap();
        let mut others = Dynamics::restore(&dynamics.snapshot(&world).unwrap(), &other).unwrap();
        assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}");
        for (world, dynamics) in [(&mut world, &mut dynamics), (&mut other, &mut others)] {
            for (i, key) in keys[..16].iter().enumerate() {
                match (i % 4, dynamics.body_mut(world, *key)) {
                    (0, Some(mut body)) => body.set_velocity(Vec3::X * 3.0, Vec3::Y).unwrap(),
                    (2, Some(mut body)) => body.apply_impulse(Vec3::Y, place(i)).unwrap(),
                    (0 | 2, None) => {}
                    _ => _ = dynamics.remove(*key),
                }
                let ball = world.insert(Object::moving(Sphere::new(place(i) + Vec3::Y * 3.0, 0.3).unwrap()));
                dynamics.insert(world, ball, RigidBody::dynamic()).unwrap();
            }
            dynamics.remove(beside);
        }
        for step in 0..150 {
            assert_eq!(hashes(&world, &dynamics), hashes(&other, &others), "saved after {before}, {step} on");
            let ours = dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
            let ours = (ours.begun.to_vec(), ours.ended.to_vec(), ours.awake);
            let theirs = others.step(&mut other, DT, &DynamicsConfig::default()).unwrap();
            assert_eq!(ours, (theirs.begun.to_vec(), theirs.ended.to_vec(), theirs.awake), "{before}, {step} on");
        }
    }
}
