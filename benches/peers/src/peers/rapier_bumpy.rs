//! `rapier3d`: steps of rigid bodies on a triangle mesh.

use super::rapier_engine;
use crate::bumpy::{BumpyPeer, DT, FRICTION, Ground, RESTITUTION};
use cullide_narrowphase::{
    Obb,
    glam::{Quat, Vec3},
};
use cullide_scenes::{CRATE_HALF_EXTENTS, Crate};
use rapier3d::{
    math::{Pose, Rotation, Vector},
    prelude::{
        CoefficientCombineRule, ColliderBuilder, ColliderSet, Group, IntegrationParameters, InteractionGroups,
        InteractionTestMode, RigidBodyBuilder, RigidBodyHandle, RigidBodySet,
    },
};

const GROUND: Group = Group::GROUP_1;
const CRATE: Group = Group::GROUP_2;

/// The engine, and the crates in it, which may sleep.
pub struct Engine {
    engine: rapier_engine::Engine,
    handles: Vec<RigidBodyHandle>,
}

impl Engine {
    pub fn new(ground: &Ground, crates: &[Crate]) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let only = |own, others| InteractionGroups::new(own, others, InteractionTestMode::And);
        let rough = |collider: ColliderBuilder| {
            let collider = collider.friction(FRICTION).friction_combine_rule(CoefficientCombineRule::Min);
            collider.restitution(RESTITUTION).restitution_combine_rule(CoefficientCombineRule::Min)
        };
        let corners = ground.iter().flatten().map(|corner| Vector::from_array(*corner)).collect();
        let triangles = (0..ground.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = ColliderBuilder::trimesh(corners, triangles).expect("it has triangles");
        colliders.insert(rough(mesh).collision_groups(only(GROUND, CRATE)));
        let [x, y, z] = CRATE_HALF_EXTENTS;
        let collider = rough(ColliderBuilder::cuboid(x, y, z)).collision_groups(only(CRATE, GROUND));
        let mut handles = Vec::new();
        for thing in crates {
            let pose = Pose::from_parts(Vector::from_array(thing.center), Rotation::from_array(thing.rotation));
            let handle = bodies.insert(RigidBodyBuilder::dynamic().pose(pose));
            colliders.insert_with_parent(collider.clone(), handle, &mut bodies);
            handles.push(handle);
        }
        let params = IntegrationParameters { dt: DT, ..Default::default() };
        Self { engine: rapier_engine::Engine::new(bodies, colliders, params), handles }
    }
}

impl BumpyPeer for Engine {
    fn step(&mut self) {
        self.engine.step(Vector::Y * -9.81);
    }

    fn resting(&self) -> usize {
        self.handles.iter().filter(|handle| self.engine.bodies[**handle].is_sleeping()).count()
    }

    fn crates(&self) -> Vec<Obb> {
        let pose = |handle: &RigidBodyHandle| {
            let body = &self.engine.bodies[*handle];
            let rotation = Quat::from_array(body.rotation().to_array());
            let center = Vec3::from_array(body.translation().to_array());
            Obb::new(center, rotation, CRATE_HALF_EXTENTS.into()).expect("it is within range")
        };
        self.handles.iter().map(pose).collect()
    }
}
