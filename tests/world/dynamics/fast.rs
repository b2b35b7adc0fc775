//! Bodies that get many times their size in a step, among many triangles.

use super::{DT, Scene, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Material, Mesh, ObjectKey, PlacedCompound, RigidBody, Shape,
    glam::{Quat, Vec3},
    narrowphase::{Hull, Sides},
};
use std::time::Instant;

/// Half of the width of the room.
const HALF: f32 = 12.0;

/// A wall of the room, of many triangles, on the side to which `out` points; some are met only from inside.
fn wall(out: Vec3) -> Mesh {
    let count = 48u32;
    let (right, up) = (out.any_orthonormal_vector(), out.cross(out.any_orthonormal_vector()));
    let corner = |i: u32| 2.0 * HALF * (i as f32 / count as f32 - 0.5);
    let at = |i: u32| HALF * out + corner(i % (count + 1)) * right + corner(i / (count + 1)) * up;
    let vertices: Vec<Vec3> = (0..(count + 1) * (count + 1)).map(at).collect();
    let square = |i: u32| {
        let a = i / count * (count + 1) + i % count;
        let (b, c, d) = (a + 1, a + count + 1, a + count + 2);
        // Counter-clockwise as seen from inside.
        [[a, c, b], [b, c, d]]
    };
    let mesh = Mesh::new(&vertices, &(0..count * count).flat_map(square).collect::<Vec<_>>()).unwrap();
    mesh.with_sides(if out.element_sum() > 0.0 { Sides::Front } else { Sides::Both })
}

fn any_shape(rng: &mut Rng, kind: u32, at: Vec3) -> Shape {
    let turn = turn(rng);
    match kind {
        0 => ball(at, 0.1).into(),
        1 => capsule(at, turn * Vec3::Y * 0.07, 0.03).into(),
        2 => obb(at, turn, Vec3::new(0.1, 0.03, 0.07)).into(),
        3 => Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| at + turn * corner * 0.2)).unwrap().into(),
        _ => {
            let parts = [-0.1, 0.1].map(|x| obb(Vec3::X * x, Quat::IDENTITY, Vec3::splat(0.05)).into());
            PlacedCompound::new(&Compound::new(parts).unwrap(), turn, at).unwrap().into()
        }
    }
}

/// How far the box of a shape may exceed it: that of a turned compound is wider.
fn within(shape: &Shape) -> f32 {
    if let Shape::Compound(_) = shape { 0.1 } else { 1e-5 }
}

/// The number of contacts of bodies with triangles and other parts.
fn parts(scene: &Scene) -> usize {
    scene.dynamics.contacts().map(|pair| pair.parts().len()).sum()
}

/// A room of triangles, fixed or kinematic, and fifty bodies of any shape in it that fly in all directions; every other
/// one spins.
fn room(rng: &mut Rng, [speed, spin]: [f32; 2], is_kinematic: bool) -> (Scene, Vec<ObjectKey>) {
    let mut scene = Scene::new();
    for out in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
        let wall = wall(out);
        if is_kinematic {
            scene.add(wall, RigidBody::kinematic())
        } else {
            scene.fixed(wall)
        };
    }
    let keys = (0..50)
        .map(|i| {
            let velocity = vector(rng, 1.0).normalize() * speed;
            let material = Material { restitution: 0.7, ..Material::default() };
            let angular_velocity = vector(rng, if i % 2 == 0 { 0.0 } else { spin });
            let at = vector(rng, 8.0);
            let shape = any_shape(rng, i % 5, at);
            scene.add(shape, RigidBody { velocity, angular_velocity, material, ..RigidBody::dynamic() })
        })
        .collect();
    (scene, keys)
}

#[test]
fn no_body_leaves_a_room_of_triangles_and_none_has_contacts_far_ahead_however_fast_it_is() {
    for is_kinematic in [false, true] {
        let mut most = Vec::new();
        for speed in [10.0, 100.0, 1000.0, 30_000.0] {
            let (mut scene, keys) = room(&mut Rng::with_seed(SEED), [speed; 2], is_kinematic);
            let mut count = 0;
            let mut hits = 0;
            for step in 0..40 {
                hits += scene.step().begun.len();
                count = count.max(parts(&scene));
                for key in &keys {
                    let shape = scene.shape(*key);
                    let aabb = shape.aabb();
                    let out = aabb.max().max(-aabb.min()).max_element() - HALF;
                    // What a kinematic body meets may enter it by three quarters of its own least radius, and is
                    // pushed out.
                    let may = within(shape) + if is_kinematic { 0.075 } else { 0.0 };
                    assert!(out <= may, "{speed}, kinematic {is_kinematic}, step {step}: {out} outside, {shape:?}");
                }
            }
            assert!(hits > 20 || speed < 50.0, "{speed}, kinematic {is_kinematic}: {hits} hits");
            most.push(count);
        }
        let [slow, .., fast] = most[..] else { panic!("speeds") };
        assert!(most.iter().all(|count| *count < 8 * slow.max(200)), "{slow} contacts, and {fast}: {most:?}");
    }
}

#[test]
fn a_step_does_not_take_the_square_of_the_speed() {
    for is_kinematic in [false, true] {
        // The mean of steps that get slow bodies to a wall, too.
        let time = |speed: f32, steps: usize| {
            let times = [(); 3].map(|()| {
                let (mut scene, _) = room(&mut Rng::with_seed(SEED), [speed, 0.0], is_kinematic);
                let start = Instant::now();
                scene.steps(steps);
                start.elapsed() / steps as u32
            });
            times.into_iter().min().unwrap()
        };
        let slow = time(10.0, 90);
        // From 100 on, each body hits a wall in nearly every step, which takes some twenty times as long as to fly. With
        // contacts all along a way it would be thousands.
        for speed in [100.0, 1000.0, 10_000.0] {
            let fast = time(speed, 20);
            assert!(fast < 80 * slow, "{speed}, kinematic {is_kinematic}: {fast:?}, at 10 {slow:?}");
        }
    }
}

/// Nothing is in the way of what flies along a wall, or slides on one without friction.
#[test]
fn what_is_fast_along_triangles_goes_as_far_as_its_velocity_says() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..60 {
        let speed = [30.0, 100.0, 300.0][case % 3];
        let mut scene = Scene::new();
        scene.fixed(wall(Vec3::NEG_Y));
        let material = Material { friction: 0.0, ..Material::default() };
        let way = Quat::from_rotation_y(6.0 * rng.f32()) * Vec3::X;
        let body = RigidBody { velocity: way * speed, material, ..RigidBody::dynamic() };
        let (start, off) = (Vec3::Y * (0.001 - HALF) - 4.0 * way, if case % 2 == 0 { 0.0 } else { 0.3 });
        let turn = Quat::from_rotation_y(3.0 * rng.f32());
        let shape: Shape = match case % 4 {
            0 | 1 => ball(start + Vec3::Y * (0.05 + off), 0.05).into(),
            2 => obb(start + Vec3::Y * (0.02 + off), turn, Vec3::new(0.05, 0.02, 0.05)).into(),
            _ => capsule(start + Vec3::Y * (0.03 + off), turn * Vec3::X * 0.05, 0.03).into(),
        };
        let key = scene.add(shape, body);
        let steps = ((8.0 / speed / DT) as usize).max(1);
        let from = scene.shape(key).aabb().center();
        scene.steps(steps);
        let moved = scene.shape(key).aabb().center() - from;
        let expected = way * speed * DT * steps as f32;
        let lost = (moved - expected) * Vec3::new(1.0, 0.0, 1.0);
        assert!(lost.length() < 0.01 * expected.length(), "{case}: {moved} for {expected}");
    }
}

/// The way of what hits something in a step ends there, or slides along it; it does not end far before.
#[test]
fn what_flies_at_a_wall_gets_there_in_the_step() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..100u32 {
        let mut scene = Scene::weightless();
        scene.fixed(wall(Vec3::X));
        let speed = [200.0, 1000.0, 20_000.0][case as usize % 3];
        let way = (Vec3::X + vector(&mut rng, 0.3)).normalize();
        let shape = any_shape(&mut rng, case % 5, Vec3::X * (HALF - 1.5));
        let key = scene.add(shape, RigidBody { velocity: way * speed, ..RigidBody::dynamic() });
        scene.step();
        let apart = HALF - scene.shape(key).aabb().max().x;
        // A few times its size, of up to 333 units.
        assert!((-within(scene.shape(key))..0.5).contains(&apart), "{case}: {apart} apart");
    }
}
