//! Embree's own triangles: one ray per call, or sixteen that are flagged as coherent.

use super::{LIVE, new_device, rtc};
use crate::{
    mesh_peer::MeshPeer,
    peer::{Path, Reach, Support},
};
use cullide_scenes::Surface;
use std::{ffi::c_int, ptr, sync::atomic::Ordering::Relaxed};

pub struct Mesh {
    name: &'static str,
    vertices: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    scene_flags: c_int,
    calls: Calls,
    device: rtc::Handle,
    /// Null until built.
    scene: rtc::Handle,
    bytes: usize,
}

/// The number of rays per call.
#[derive(Clone, Copy, PartialEq)]
enum Calls {
    One,
    Sixteen,
}

impl Mesh {
    /// At its default: rays may slip through edges.
    pub fn fast(surface: &Surface) -> Self {
        Self::new("Embree", surface, 0, Calls::One)
    }

    /// Watertight.
    pub fn robust(surface: &Surface) -> Self {
        Self::new("Embree robust", surface, rtc::ROBUST, Calls::One)
    }

    /// Watertight, sixteen consecutive rays at a time, which suits only the rays of the camera.
    pub fn packets(surface: &Surface) -> Self {
        Self::new("Embree robust, 16", surface, rtc::ROBUST, Calls::Sixteen)
    }

    fn new(name: &'static str, surface: &Surface, scene_flags: c_int, calls: Calls) -> Self {
        let Surface { vertices, triangles } = surface.clone();
        let (device, scene) = (new_device(), ptr::null_mut());
        Self { name, vertices, triangles, scene_flags, calls, device, scene, bytes: 0 }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        // SAFETY: the handles came from `rtcNewScene`, unless null, and `rtcNewDevice`, and are not used again.
        unsafe {
            if !self.scene.is_null() {
                rtc::rtcReleaseScene(self.scene);
            }
            rtc::rtcReleaseDevice(self.device);
        }
    }
}

impl MeshPeer for Mesh {
    fn name(&self) -> &str {
        self.name
    }

    fn build(&mut self) -> Support {
        let (vertices, triangles) = (std::mem::take(&mut self.vertices), std::mem::take(&mut self.triangles));
        let before = LIVE.load(Relaxed);
        // SAFETY: all handles are live; the buffers have as many elements of three numbers as are copied to them.
        self.scene = unsafe {
            let scene = rtc::rtcNewScene(self.device);
            rtc::rtcSetSceneFlags(scene, self.scene_flags);
            let geometry = rtc::rtcNewGeometry(self.device, rtc::TRIANGLES);
            let buffer = |kind, format, count| rtc::rtcSetNewGeometryBuffer(geometry, kind, 0, format, 12, count);
            let points = buffer(rtc::VERTEX_BUFFER, rtc::FLOAT3, vertices.len());
            let corners = buffer(rtc::INDEX_BUFFER, rtc::UINT3, triangles.len());
            assert!(!points.is_null() && !corners.is_null(), "Embree makes no buffers");
            ptr::copy_nonoverlapping(vertices.as_ptr(), points.cast(), vertices.len());
            ptr::copy_nonoverlapping(triangles.as_ptr(), corners.cast(), triangles.len());
            rtc::rtcCommitGeometry(geometry);
            rtc::rtcAttachGeometry(scene, geometry);
            rtc::rtcReleaseGeometry(geometry);
            rtc::rtcCommitScene(scene);
            scene
        };
        self.bytes = LIVE.load(Relaxed).wrapping_sub(before);
        match self.calls {
            Calls::One => Support::Answered,
            // Timed with the others.
            Calls::Sixteen => Support::NotOffered,
        }
    }

    fn foreign_bytes(&self) -> usize {
        self.bytes
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        match (self.calls, reach) {
            (Calls::One, _) => answers.extend(paths.iter().map(|path| self.one(path, reach.limit()))),
            (Calls::Sixteen, _) => paths.chunks(16).for_each(|paths| self.sixteen(paths, reach.limit(), answers)),
        }
        Support::Answered
    }
}

impl Mesh {
    fn one(&self, path: &Path, limit: f32) -> f32 {
        let (mut context, mut ray_hit) = (rtc::Context::new(0), rtc::RayHit::new(*path, limit));
        // SAFETY: the scene is committed, and both structures outlive the call.
        unsafe { rtc::rtcIntersect1(self.scene, &mut context, &mut ray_hit) };
        distance(ray_hit.hit.geometry, ray_hit.ray.far)
    }

    fn sixteen(&self, paths: &[Path], limit: f32, answers: &mut Vec<f32>) {
        #[repr(align(64))]
        struct Valid([c_int; 16]);
        let valid = Valid(std::array::from_fn(|i| if i < paths.len() { -1 } else { 0 }));
        let column =
            |end: usize, axis: usize| std::array::from_fn(|i| paths.get(i).map_or(0.0, |path| path[end][axis]));
        let mut context = rtc::Context::new(rtc::COHERENT);
        let mut ray_hit = rtc::RayHit16 {
            ray: rtc::Ray16 {
                origin: std::array::from_fn(|axis| column(0, axis)),
                near: [0.0; 16],
                direction: std::array::from_fn(|axis| column(1, axis)),
                time: [0.0; 16],
                far: [limit; 16],
                mask: [u32::MAX; 16],
                id: [0; 16],
                flags: [0; 16],
            },
            hit: rtc::Hit16 {
                normal: [[0.0; 16]; 3],
                uv: [[0.0; 16]; 2],
                primitive: [rtc::INVALID_ID; 16],
                geometry: [rtc::INVALID_ID; 16],
                instance: [rtc::INVALID_ID; 16],
            },
        };
        // SAFETY: the scene is committed, and the structures, aligned as Embree asks, outlive the call.
        unsafe { rtc::rtcIntersect16(valid.0.as_ptr(), self.scene, &mut context, &mut ray_hit) };
        answers.extend((0..paths.len()).map(|i| distance(ray_hit.hit.geometry[i], ray_hit.ray.far[i])));
    }
}

fn distance(geometry: u32, far: f32) -> f32 {
    if geometry == rtc::INVALID_ID { f32::INFINITY } else { far }
}
