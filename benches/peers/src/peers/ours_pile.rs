//! Cullide: a pile.

use crate::{
    pile_peer::{DT, FRICTION, GRAVITY, PilePeer},
    pile_scene::PileScene,
    pool,
};
use cullide_narrowphase::{
    Obb,
    glam::{Mat3, Quat, Vec3},
};
use cullide_world::{Dynamics, DynamicsConfig, Material, Mesh, Object, ObjectKey, PlacedMesh, RigidBody, Shape, World};

/// The world, and the crates in it. Everything is at its default.
pub struct Engine {
    world: World,
    dynamics: Dynamics,
    keys: Vec<ObjectKey>,
    awake: usize,
    /// `None` for one thread.
    pool: Option<rayon::ThreadPool>,
}

impl Engine {
    pub fn on_two_threads(scene: &PileScene) -> Self {
        Self { pool: Some(pool::pinned(2)), ..Self::new(scene) }
    }

    pub fn new(scene: &PileScene) -> Self {
        let (mut world, mut dynamics) = (World::with_tag(0), Dynamics::new());
        let material = Material { friction: FRICTION, ..Material::default() };
        let mut fixed: Vec<ObjectKey> = scene.fixed.iter().map(|fixed| world.insert(Object::fixed(*fixed))).collect();
        if let Some(ground) = &scene.ground {
            let vertices: Vec<Vec3> = ground.vertices.iter().map(|vertex| Vec3::from(*vertex)).collect();
            let mesh = Mesh::new(&vertices, &ground.triangles).expect("it has triangles");
            fixed.push(world.insert(Object::fixed(PlacedMesh::from(mesh))));
        }
        for key in fixed {
            dynamics.set_material(&world, key, material).expect("finite");
        }
        let add = |thing: &crate::scene_peer::Placed| {
            let shape = Obb::new(thing.center, thing.rotation, thing.half_extents).expect("finite");
            let key = world.insert(Object::moving(shape));
            dynamics.insert(&mut world, key, RigidBody { material, ..RigidBody::dynamic() }).expect("a box");
            key
        };
        let keys: Vec<ObjectKey> = scene.crates.iter().map(add).collect();
        world.optimize();
        Self { awake: keys.len(), world, dynamics, keys, pool: None }
    }
}

impl PilePeer for Engine {
    fn step(&mut self) {
        let config = DynamicsConfig { gravity: Vec3::Y * -GRAVITY, ..DynamicsConfig::default() };
        let mut step = || self.dynamics.step(&mut self.world, DT, &config).unwrap().awake;
        self.awake = match &self.pool {
            Some(pool) => pool.install(step),
            None => step(),
        };
    }

    fn pose(&self, i: usize) -> (Vec3, Quat) {
        let Some(Shape::Obb(shape)) = self.world.object(self.keys[i]).map(|object| &object.get().shape) else {
            panic!("crates are boxes");
        };
        let [x, y, z] = shape.half_edges().map(Vec3::normalize);
        (shape.center(), Quat::from_mat3(&Mat3::from_cols(x, y, z)))
    }

    fn awake(&self) -> usize {
        self.awake
    }
}
