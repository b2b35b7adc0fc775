//! `rapier3d`: a pile.

use super::rapier_engine;
use crate::{
    pile_peer::{DT, FRICTION, GRAVITY, PilePeer},
    pile_scene::PileScene,
};
use cullide_narrowphase::glam::{Quat, Vec3};
use rapier3d::{
    math::{Pose, Rotation, Vector},
    prelude::{ColliderBuilder, ColliderSet, IntegrationParameters, RigidBodyBuilder, RigidBodyHandle, RigidBodySet},
};

/// The engine, and the crates in it, which may sleep. Everything else is at its default.
pub struct Engine {
    engine: rapier_engine::Engine,
    handles: Vec<RigidBodyHandle>,
}

impl Engine {
    pub fn new(scene: &PileScene) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        for fixed in &scene.fixed {
            let center = Vector::from_array(fixed.center().to_array());
            colliders.insert(cuboid(fixed.half_extents()).translation(center).friction(FRICTION));
        }
        if let Some(ground) = &scene.ground {
            let vertices = ground.vertices.iter().map(|vertex| Vector::from_array(*vertex)).collect();
            let mesh = ColliderBuilder::trimesh(vertices, ground.triangles.clone()).expect("it has triangles");
            colliders.insert(mesh.friction(FRICTION));
        }
        let add = |thing: &crate::scene_peer::Placed| {
            let center = Vector::from_array(thing.center.to_array());
            let pose = Pose::from_parts(center, Rotation::from_array(thing.rotation.to_array()));
            let handle = bodies.insert(RigidBodyBuilder::dynamic().pose(pose));
            colliders.insert_with_parent(cuboid(thing.half_extents).friction(FRICTION), handle, &mut bodies);
            handle
        };
        let handles = scene.crates.iter().map(add).collect();
        let params = IntegrationParameters { dt: DT, ..Default::default() };
        Self { engine: rapier_engine::Engine::new(bodies, colliders, params), handles }
    }
}

fn cuboid(half_extents: Vec3) -> ColliderBuilder {
    let [x, y, z] = half_extents.to_array();
    ColliderBuilder::cuboid(x, y, z)
}

impl PilePeer for Engine {
    fn step(&mut self) {
        self.engine.step(Vector::Y * -GRAVITY);
    }

    fn pose(&self, i: usize) -> (Vec3, Quat) {
        let body = &self.engine.bodies[self.handles[i]];
        (Vec3::from_array(body.translation().to_array()), Quat::from_array(body.rotation().to_array()))
    }

    fn awake(&self) -> usize {
        self.handles.iter().filter(|handle| !self.engine.bodies[**handle].is_sleeping()).count()
    }
}
