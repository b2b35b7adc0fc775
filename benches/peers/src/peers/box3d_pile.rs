//! Box3D: a pile, with the whole engine on one thread, and four sub-steps per step as its documentation recommends.

use crate::{
    pile_peer::{DT, FRICTION, GRAVITY, PilePeer},
    pile_scene::PileScene,
};
use box3d_sys::{
    b3Body_GetPosition, b3Body_GetRotation, b3BodyId, b3BodyType_b3_dynamicBody, b3CreateBody, b3CreateHullShape,
    b3CreateMesh, b3CreateMeshShape, b3CreateWorld, b3DefaultBodyDef, b3DefaultShapeDef, b3DefaultWorldDef,
    b3DestroyMesh, b3DestroyWorld, b3MakeBoxHull, b3MeshData, b3MeshDef, b3Quat, b3ShapeDef, b3Vec3,
    b3World_GetAwakeBodyCount, b3World_Step, b3WorldId,
};
use cullide_narrowphase::glam::{Quat, Vec3};
use cullide_scenes::Surface;
use std::{ffi::c_int, ptr};

const SUB_STEPS: c_int = 4;

/// The world, and the crates in it, which may sleep. Everything else is at its default.
pub struct Engine {
    world: b3WorldId,
    bodies: Vec<b3BodyId>,
    /// Null without ground.
    mesh: *mut b3MeshData,
}

impl Engine {
    pub fn new(scene: &PileScene) -> Self {
        // SAFETY: the definitions are Box3D's own, changed in public fields, and outlive the calls that they are passed
        // to; the world and its bodies exist until `drop`.
        unsafe {
            let mut definition = b3DefaultWorldDef();
            definition.gravity = vector(Vec3::NEG_Y * GRAVITY);
            definition.workerCount = 1;
            let world = b3CreateWorld(&definition);
            let mut shape = b3DefaultShapeDef();
            shape.baseMaterial.friction = FRICTION;
            let fixed = b3DefaultBodyDef();
            for aabb in &scene.fixed {
                let mut body = fixed;
                body.position = vector(aabb.center());
                add_box(b3CreateBody(world, &body), &shape, aabb.half_extents());
            }
            let mesh = scene.ground.as_ref().map_or(ptr::null_mut(), create_mesh);
            if !mesh.is_null() {
                b3CreateMeshShape(b3CreateBody(world, &fixed), &shape, mesh, vector(Vec3::ONE));
            }
            let add = |thing: &crate::scene_peer::Placed| {
                let mut body = b3DefaultBodyDef();
                body.type_ = b3BodyType_b3_dynamicBody;
                body.position = vector(thing.center);
                let [x, y, z, w] = thing.rotation.to_array();
                body.rotation = b3Quat { v: b3Vec3 { x, y, z }, s: w };
                let body = b3CreateBody(world, &body);
                add_box(body, &shape, thing.half_extents);
                body
            };
            Self { world, bodies: scene.crates.iter().map(add).collect(), mesh }
        }
    }
}

/// # Safety
/// The body exists, and the definition is one of Box3D's.
unsafe fn add_box(body: b3BodyId, shape: &b3ShapeDef, half_extents: Vec3) {
    let [x, y, z] = half_extents.to_array();
    // SAFETY: as the caller promises; the hull, which is copied, outlives the call.
    unsafe {
        let hull = b3MakeBoxHull(x, y, z);
        b3CreateHullShape(body, shape, (&raw const hull).cast());
    }
}

/// Not null.
fn create_mesh(ground: &Surface) -> *mut b3MeshData {
    let mut vertices: Vec<b3Vec3> = ground.vertices.iter().map(|&[x, y, z]| b3Vec3 { x, y, z }).collect();
    let mut indices: Vec<i32> = ground.triangles.as_flattened().iter().map(|&i| i as i32).collect();
    let definition = b3MeshDef {
        vertices: vertices.as_mut_ptr(),
        indices: indices.as_mut_ptr(),
        vertexCount: vertices.len() as c_int,
        triangleCount: ground.triangles.len() as c_int,
        identifyEdges: true,
        ..b3MeshDef::default()
    };
    // SAFETY: the definition points to as many vertices and indices as it says, which outlive the call; it asks for no
    // list of degenerate triangles.
    let mesh = unsafe { b3CreateMesh(&definition, ptr::null_mut(), 0) };
    assert!(!mesh.is_null(), "the ground is a surface");
    mesh
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: both were created in `new` and are not used again; the world no longer uses the mesh.
        unsafe {
            b3DestroyWorld(self.world);
            if !self.mesh.is_null() {
                b3DestroyMesh(self.mesh);
            }
        }
    }
}

impl PilePeer for Engine {
    fn step(&mut self) {
        // SAFETY: the world exists until `drop`, and no other thread uses it.
        unsafe { b3World_Step(self.world, DT, SUB_STEPS) };
    }

    fn pose(&self, i: usize) -> (Vec3, Quat) {
        // SAFETY: the body exists as long as the world.
        let (b3Vec3 { x, y, z }, b3Quat { v, s }) =
            unsafe { (b3Body_GetPosition(self.bodies[i]), b3Body_GetRotation(self.bodies[i])) };
        (Vec3::new(x, y, z), Quat::from_xyzw(v.x, v.y, v.z, s))
    }

    fn awake(&self) -> usize {
        // SAFETY: the world exists until `drop`. Fixed bodies are not among the awake ones.
        unsafe { b3World_GetAwakeBodyCount(self.world) as usize }
    }
}

fn vector(v: Vec3) -> b3Vec3 {
    let [x, y, z] = v.to_array();
    b3Vec3 { x, y, z }
}
