//! Jolt: a pile.

use crate::{
    pile_peer::{DT, FRICTION, GRAVITY, PilePeer},
    pile_scene::PileScene,
    scene_peer::Placed,
};
use cullide_narrowphase::glam::{Quat, Vec3};
use oxijolt::{BodyId, BodySettings, PhysicsWorld, Shape, WorldSettings};

/// Room for so many pairs, and half as many contacts, per crate; and for what a step needs for them.
const PAIRS: usize = 64;
const SCRATCH: u32 = 256 << 20;

/// The world, and the crates in it, which may sleep. Everything else is at its default.
pub struct Engine {
    world: PhysicsWorld,
    bodies: Vec<BodyId>,
}

impl Engine {
    pub fn new(scene: &PileScene) -> Self {
        let count = scene.crates.len() + scene.fixed.len() + 1;
        let settings = WorldSettings::default()
            .single_threaded()
            .gravity((Vec3::Y * -GRAVITY).into())
            .max_bodies(count as u32)
            .max_body_pairs((PAIRS * count) as u32)
            .max_contact_constraints((PAIRS / 2 * count) as u32)
            .temp_allocator_size(SCRATCH);
        let mut world = PhysicsWorld::new(settings).expect("the settings are within range");
        let mut add = |shape: &Shape, settings: BodySettings| {
            world.create_body(shape, &settings.friction(FRICTION)).expect("there is room for it")
        };
        for fixed in &scene.fixed {
            add(&cuboid(fixed.half_extents()), BodySettings::new_static().position(fixed.center().into()));
        }
        if let Some(ground) = &scene.ground {
            let vertices: Vec<_> = ground.vertices.iter().map(|vertex| Vec3::from(*vertex).into()).collect();
            let (mesh, dropped) = Shape::new_mesh(&vertices, &ground.triangles).expect("it has triangles");
            assert!(dropped.is_empty(), "its triangles are large");
            add(&mesh, BodySettings::new_static());
        }
        let add_crate = |thing: &Placed| {
            let settings = BodySettings::new_dynamic().position(thing.center.into()).rotation(thing.rotation.into());
            add(&cuboid(thing.half_extents), settings)
        };
        let bodies = scene.crates.iter().map(add_crate).collect();
        world.optimize_broad_phase();
        Self { world, bodies }
    }
}

fn cuboid(half_extents: Vec3) -> Shape {
    Shape::new_box(half_extents.into()).expect("it is within range")
}

impl PilePeer for Engine {
    fn step(&mut self) {
        let report = self.world.step(DT).expect("the duration is within range");
        assert!(report.is_complete(), "there is room for all contacts: {report:?}");
    }

    fn pose(&self, i: usize) -> (Vec3, Quat) {
        let body = self.world.body(self.bodies[i]).expect("it is never removed");
        (body.position().into(), body.rotation().into())
    }

    fn awake(&self) -> usize {
        let is_awake = |id: &&BodyId| self.world.body(**id).is_ok_and(|body| body.is_active());
        self.bodies.iter().filter(is_awake).count()
    }
}
