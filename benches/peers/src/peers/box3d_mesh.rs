//! Box3D: its mesh, with edge data, as for a body in a game. Rays hit only the fronts of triangles.

use crate::{
    mesh_peer::{Body, MeshPeer},
    peer::{Path, Reach, Support},
};
use box3d_sys::{
    b3CreateMesh, b3DestroyMesh, b3Mesh, b3MeshData, b3MeshDef, b3OverlapMesh, b3Quat, b3RayCastInput, b3RayCastMesh,
    b3ShapeCastInput, b3ShapeCastMesh, b3ShapeProxy, b3Transform, b3Vec3,
};
use cullide_narrowphase::{Sides, glam::Vec3};
use cullide_scenes::Surface;
use std::ptr;

pub struct Mesh {
    vertices: Vec<b3Vec3>,
    indices: Vec<i32>,
    /// Null until built.
    data: *mut b3MeshData,
}

impl Mesh {
    pub fn new(surface: &Surface) -> Self {
        let vertices = surface.vertices.iter().map(|&[x, y, z]| b3Vec3 { x, y, z }).collect();
        Self {
            vertices,
            indices: surface.triangles.as_flattened().iter().map(|&i| i as i32).collect(),
            data: ptr::null_mut(),
        }
    }

    fn mesh(&self) -> b3Mesh {
        assert!(!self.data.is_null(), "it was built");
        b3Mesh { data: self.data, scale: vector(Vec3::ONE) }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        if !self.data.is_null() {
            // SAFETY: the data came from `b3CreateMesh` and is not used again.
            unsafe { b3DestroyMesh(self.data) };
        }
    }
}

impl MeshPeer for Mesh {
    fn name(&self) -> &str {
        "Box3D mesh"
    }

    fn build(&mut self) -> Support {
        let (mut vertices, mut indices) = (std::mem::take(&mut self.vertices), std::mem::take(&mut self.indices));
        let definition = b3MeshDef {
            vertices: vertices.as_mut_ptr(),
            indices: indices.as_mut_ptr(),
            vertexCount: vertices.len() as i32,
            triangleCount: (indices.len() / 3) as i32,
            identifyEdges: true,
            ..b3MeshDef::default()
        };
        // SAFETY: the definition points to as many vertices and indices as it says, which outlive the call; it asks for
        // no list of degenerate triangles. A null result is caught before it is used.
        self.data = unsafe { b3CreateMesh(&definition, ptr::null_mut(), 0) };
        Support::Answered
    }

    fn foreign_bytes(&self) -> usize {
        // SAFETY: if not null, the data came from `b3CreateMesh`.
        unsafe { self.mesh().data.as_ref() }.map_or(0, |data| data.byteCount as usize)
    }

    fn sides(&self) -> Sides {
        Sides::Front
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        let mesh = self.mesh();
        // Its rays end at a fraction of a translation, which is at most all of it.
        let length = if reach == Reach::Delta { 1.0 } else { reach.limit() };
        answers.extend(paths.iter().map(|path| {
            let [origin, delta] = path.map(Vec3::from_array);
            let translation = vector(delta * length);
            let input = b3RayCastInput { origin: vector(origin), translation, maxFraction: 1.0 };
            // SAFETY: the mesh was built, and the input outlives the call.
            let output = unsafe { b3RayCastMesh(&mesh, &input) };
            if output.hit { output.fraction * length } else { f32::INFINITY }
        }));
        Support::Answered
    }

    fn sweep(&self, sweeps: &[(Body, Vec3)], answers: &mut Vec<f32>) -> Support {
        let mesh = self.mesh();
        answers.extend(sweeps.iter().map(|(body, motion)| {
            with_proxy(body, |proxy| {
                let translation = vector(*motion);
                let input = b3ShapeCastInput { proxy, translation, maxFraction: 1.0, canEncroach: false };
                // SAFETY: the mesh was built, and the input and what it points to outlive the call.
                let output = unsafe { b3ShapeCastMesh(&mesh, &input) };
                if output.hit { output.fraction } else { f32::INFINITY }
            })
        }));
        Support::Answered
    }

    fn overlap(&self, bodies: &[Body], answers: &mut Vec<f32>) -> Support {
        let mesh = self.mesh();
        let identity = b3Transform { p: vector(Vec3::ZERO), q: b3Quat { v: vector(Vec3::ZERO), s: 1.0 } };
        answers.extend(bodies.iter().map(|body| {
            with_proxy(body, |proxy| {
                // SAFETY: the mesh was built, and the proxy and what it points to outlive the call.
                f32::from(u8::from(unsafe { b3OverlapMesh(&mesh, identity, &proxy) }))
            })
        }));
        Support::Answered
    }
}

/// A body as points with a radius.
fn with_proxy<T>(body: &Body, ask: impl FnOnce(b3ShapeProxy) -> T) -> T {
    let of = |points: &[b3Vec3], radius| b3ShapeProxy { points: points.as_ptr(), count: points.len() as i32, radius };
    match *body {
        Body::Ball { center, radius } => ask(of(&[vector(center)], radius)),
        Body::Capsule { ends, radius } => ask(of(&ends.map(vector), radius)),
        Body::Box(placed) => {
            let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| placed.rotation * (axis * placed.half_extents));
            let sign = |i: usize, bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = |i: usize| placed.center + x * sign(i, 0) + y * sign(i, 1) + z * sign(i, 2);
            ask(of(&std::array::from_fn::<_, 8, _>(|i| vector(corner(i))), 0.0))
        }
    }
}

fn vector(v: Vec3) -> b3Vec3 {
    let [x, y, z] = v.to_array();
    b3Vec3 { x, y, z }
}
