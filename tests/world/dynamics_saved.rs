//! Rigid bodies that are saved in mid-fall go on bit for bit, and hostile snapshots are refused.

use cullide_world::{
    Dynamics, DynamicsConfig, DynamicsSnapshot, Material, Object, RigidBody, Snapshot, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Obb, Plane, Sphere},
};

const DT: f32 = 1.0 / 60.0;

/// Crates, balls and capsules above a floor, some of which fall asleep early; a plane and a kinematic sweeper.
fn pile() -> (World, Dynamics) {
    let (mut world, mut dynamics) = (World::with_tag(7), Dynamics::new());
    let floor = Aabb::new(Vec3::new(-20.0, -1.0, -20.0), Vec3::new(20.0, 0.0, 20.0)).unwrap();
    let floor = world.insert(Object::fixed(floor));
    dynamics.set_material(floor, Material { friction: 0.8, ..Material::default() }).unwrap();
    world.insert_plane(Plane::new(Vec3::X, 6.0).unwrap(), u32::MAX);
    for i in 0..60u8 {
        let number = f32::from(i);
        let at = Vec3::new(1.1 * f32::from(i % 4) - 2.0, 0.6 + 1.1 * f32::from(i / 12), f32::from(i / 4 % 3) - 1.0);
        let shape = match i % 3 {
            0 => Sphere::new(at, 0.4).unwrap().into(),
            1 => Capsule::from_half_axis(at, Vec3::new(0.0, 0.2, 0.1), 0.3).unwrap().into(),
            _ => cullide_world::Shape::from(Obb::new(at, Quat::from_rotation_y(number), Vec3::splat(0.4)).unwrap()),
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

fn play(world: &mut World, dynamics: &mut Dynamics, steps: usize) {
    for _ in 0..steps {
        dynamics.step(world, DT, &DynamicsConfig::default());
    }
}

#[test]
fn what_is_restored_in_mid_pile_goes_on_bit_for_bit() {
    for before in [0, 1, 30, 90, 240] {
        let (mut world, mut dynamics) = pile();
        play(&mut world, &mut dynamics, before);
        let text = serde_json::to_string(&(world.snapshot(), dynamics.snapshot(&world))).unwrap();
        let (saved, bodies): (Snapshot, DynamicsSnapshot) = serde_json::from_str(&text).unwrap();
        let mut other = World::restore(&saved).unwrap();
        let mut others = Dynamics::restore(&bodies, &other).unwrap();
        for step in 0..60 {
            play(&mut world, &mut dynamics, 1);
            play(&mut other, &mut others, 1);
            assert_eq!(world.hash(), other.hash(), "saved after {before}, {step} on");
        }
        assert!(dynamics.bodies().eq(others.bodies()));
        for (ours, theirs) in dynamics.contacts().zip(others.contacts()) {
            assert_eq!(ours, theirs, "saved after {before}");
        }
        assert_eq!(dynamics.contacts().count(), others.contacts().count());
    }
}

#[test]
fn a_clone_goes_on_bit_for_bit() {
    let (mut world, mut dynamics) = pile();
    play(&mut world, &mut dynamics, 45);
    let (mut other, mut others) = (world.clone(), dynamics.clone());
    play(&mut world, &mut dynamics, 100);
    play(&mut other, &mut others, 100);
    assert_eq!(world.hash(), other.hash());
}

#[test]
fn snapshots_that_were_changed_are_refused_or_go_on() {
    let (mut world, mut dynamics) = pile();
    play(&mut world, &mut dynamics, 60);
    let text = serde_json::to_string(&dynamics.snapshot(&world)).unwrap();
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
