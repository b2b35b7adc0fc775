//! A closed room in which everything is edited at random between steps: what is in it stays in it, and a room that is
//! saved and restored in between continues bit for bit.

use super::{Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BodyKind, Compound, Object, ObjectKey, PlacedCompound, RigidBody, Shape, Terrain, World,
    glam::{Vec2, Vec3},
    narrowphase::Hull,
};
use rayon::prelude::*;

/// Half the width of the room, and its height.
const HALF: f32 = 8.0;
const HEIGHT: f32 = 10.0;

/// Samples of the ground along each axis.
const SAMPLES: u32 = 33;

/// Everything there is to edit.
#[derive(Clone)]
struct Room {
    scene: Scene,
    ground: ObjectKey,
    bodies: Vec<ObjectKey>,
    /// Objects that are not bodies.
    fixed: Vec<ObjectKey>,
    moving: Vec<ObjectKey>,
}

fn shape(rng: &mut Rng) -> Shape {
    let at = vector(rng, 1.0) * Vec3::new(6.5, 2.5, 6.5) + Vec3::Y * 4.0;
    let size = 0.1 + 0.5 * rng.f32();
    let half = Vec3::new(size, 0.05 + 0.4 * rng.f32(), size);
    match rng.usize(..6) {
        0 => ball(at, size).into(),
        1 => capsule(at, vector(rng, 0.4), size).into(),
        2 => {
            let corners: Vec<Vec3> = (0..8).map(|_| at + vector(rng, size)).collect();
            Hull::new(&corners).map_or_else(|_| ball(at, size).into(), Shape::from)
        }
        3 => {
            let parts = [obb(vector(rng, 0.3), turn(rng), half).into(), ball(vector(rng, 0.4), 0.2).into()];
            PlacedCompound::new(&Compound::new(parts).unwrap(), turn(rng), at).unwrap().into()
        }
        4 => aabb(at, half).into(),
        _ => obb(at, turn(rng), half).into(),
    }
}

impl Room {
    fn new(rng: &mut Rng) -> Self {
        let mut scene = Scene::new();
        let heights: Vec<f32> = (0..SAMPLES * SAMPLES).map(|_| 0.4 * rng.f32() - 0.2).collect();
        let ground = Terrain::new(SAMPLES, SAMPLES, &heights, Vec2::splat(0.5), Vec2::splat(-HALF)).unwrap();
        let ground = scene.fixed(ground);
        for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
            let half = Vec3::new(HALF + 1.0, HEIGHT, HALF + 1.0) - side.abs() * (HALF + 0.5);
            scene.fixed(aabb(side * (HALF + 0.5) + Vec3::Y * 0.5 * HEIGHT, half));
        }
        scene.fixed(aabb(Vec3::Y * (HEIGHT + 0.5), Vec3::new(HALF + 1.0, 0.5, HALF + 1.0)));
        Self { scene, ground, bodies: Vec::new(), fixed: Vec::new(), moving: Vec::new() }
    }

    /// Makes a random edit; raising the ground above a body would bury the body.
    fn edit(&mut self, rng: &mut Rng) {
        let Self { scene: Scene { world, dynamics, .. }, ground, bodies, fixed, moving } = self;
        let any = |rng: &mut Rng, keys: &[ObjectKey]| {
            if keys.is_empty() { None } else { Some(keys[rng.usize(..keys.len())]) }
        };
        match rng.usize(..14) {
            0..=3 if bodies.len() < 60 => {
                let key = world.insert(Object::moving(shape(rng)));
                let path = RigidBody { velocity: vector(rng, 0.5), ..RigidBody::kinematic() };
                let body = if rng.usize(..8) == 0 { path } else { RigidBody::dynamic() };
                dynamics.insert(world, key, body).unwrap();
                bodies.push(key);
            }
            4 => {
                let Some(key) = any(rng, bodies) else { return };
                if rng.usize(..2) == 0 {
                    dynamics.remove(key);
                }
                world.remove(key);
                bodies.retain(|other| *other != key);
            }
            5 if fixed.len() < 10 => fixed.push(world.insert(Object::fixed(shape(rng)))),
            6 => {
                let Some(key) = any(rng, fixed) else { return };
                world.remove(key);
                fixed.retain(|other| *other != key);
            }
            7 | 8 => {
                let of = [&*fixed, moving, bodies][rng.usize(..3)];
                let Some(key) = any(rng, of) else { return };
                world.object_mut(key).unwrap().set_shape(shape(rng));
            }
            9 => {
                let [x, z] = [0, 1].map(|_| rng.usize(..SAMPLES as usize - 4) as u32);
                let dug = |world: &mut World, depth: f32| {
                    world.object_mut(*ground).and_then(|mut object| {
                        object.edit_terrain(|ground| {
                            let heights = (0..16).map(|i| ground.height(x + i % 4, z + i / 4).unwrap() - depth);
                            let heights: Vec<f32> = heights.collect();
                            ground.edit(x..x + 4, z..z + 4, &heights).unwrap();
                        })
                    })
                };
                dug(world, 0.2 * rng.f32()).unwrap();
            }
            10 | 11 => {
                let Some(key) = any(rng, bodies) else { return };
                let (velocity, spin) = (vector(rng, 20.0), vector(rng, 20.0));
                if dynamics.body(key).unwrap().kind == BodyKind::Dynamic {
                    dynamics.body_mut(world, key).unwrap().set_velocity(velocity, spin).unwrap();
                }
            }
            12 if moving.len() < 5 => moving.push(world.insert(Object::moving(shape(rng)))),
            13 => {
                let (Some(a), Some(b)) = (any(rng, bodies), any(rng, bodies)) else { return };
                if rng.usize(..2) == 0 {
                    dynamics.ignore_pair(world, a, b).unwrap();
                } else {
                    dynamics.restore_pair(a, b);
                }
            }
            _ => {}
        }
    }

    fn restored(&self) -> Self {
        Self { scene: self.scene.restored(), ..self.clone() }
    }
}

fn shake(seed: u64) {
    let mut rng = Rng::with_seed(SEED ^ seed);
    let mut room = Room::new(&mut rng);
    let mut saved: Option<Room> = None;
    for step in 0..300 {
        for _ in 0..rng.usize(..4) {
            let seed = rng.u64(..);
            for room in [Some(&mut room), saved.as_mut()].into_iter().flatten() {
                room.edit(&mut Rng::with_seed(seed));
            }
        }
        if step % 37 == 5 {
            saved = Some(room.restored());
        }
        let report = room.scene.step();
        if let Some(saved) = &mut saved {
            assert_eq!(saved.scene.step(), report, "seed {seed}, step {step}");
            assert_eq!(saved.scene.hash(), room.scene.hash(), "seed {seed}, step {step}");
        }
        for key in &room.bodies {
            let center = room.scene.shape(*key).aabb().center();
            let is_inside = center.abs().cmple(Vec3::new(HALF, HEIGHT, HALF)).all();
            let is_dynamic = room.scene.dynamics.body(*key).unwrap().kind == BodyKind::Dynamic;
            assert!(is_inside || !is_dynamic, "seed {seed}, step {step}: {center}");
        }
    }
}

#[test]
fn nothing_leaves_a_room_that_is_edited_and_what_is_restored_goes_on() {
    (0..8).for_each(shake);
}

#[test]
#[ignore = "a hundred rooms take half a minute"]
fn nothing_leaves_a_hundred_rooms_that_are_edited() {
    (8..108).into_par_iter().for_each(shake);
}
