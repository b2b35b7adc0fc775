//! Embree's own triangles: one ray per call, also through an instance, or sixteen that are flagged as coherent.

use super::{
    Device, LIVE, Scene,
    rtc::{self, Rtc},
};
use crate::{
    instructions::Instructions,
    mesh_peer::MeshPeer,
    peer::{Path, Reach, Support},
};
use cullide_scenes::Surface;
use std::{ffi::c_int, ptr, sync::atomic::Ordering::Relaxed};

pub struct Mesh {
    name: String,
    vertices: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    scene_flags: c_int,
    way: Way,
    /// `None` until built.
    scene: Option<Scene>,
    device: Device,
    bytes: usize,
}

/// How it is asked.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// One ray per call.
    Single,
    /// The same, of a scene whose only geometry is an instance of the mesh.
    Instance,
    /// Sixteen rays per call.
    Packet,
}

impl Mesh {
    /// At its default: rays may slip through edges.
    pub fn fast(rtc: &'static Rtc, surface: &Surface) -> Self {
        Self::new("", rtc, surface, 0, Way::Single)
    }

    /// Watertight.
    pub fn robust(rtc: &'static Rtc, surface: &Surface) -> Self {
        Self::new(" robust", rtc, surface, rtc::ROBUST, Way::Single)
    }

    /// Watertight, as a scene of many objects would be asked.
    pub fn instance(rtc: &'static Rtc, surface: &Surface) -> Self {
        Self::new(" robust, inst.", rtc, surface, rtc::ROBUST, Way::Instance)
    }

    /// Watertight, sixteen consecutive rays at a time, which suits only the rays of the camera.
    pub fn packets(rtc: &'static Rtc, surface: &Surface) -> Self {
        Self::new(" robust, 16", rtc, surface, rtc::ROBUST, Way::Packet)
    }

    fn new(variant: &str, rtc: &'static Rtc, surface: &Surface, scene_flags: c_int, way: Way) -> Self {
        let name = format!("Embree {}{variant}", rtc.version[0]);
        let Surface { vertices, triangles } = surface.clone();
        let device = Device::new(rtc, Instructions::allowed());
        Self { name, vertices, triangles, scene_flags, way, scene: None, device, bytes: 0 }
    }
}

impl MeshPeer for Mesh {
    fn name(&self) -> &str {
        &self.name
    }

    fn build(&mut self) -> Support {
        let (vertices, triangles) = (std::mem::take(&mut self.vertices), std::mem::take(&mut self.triangles));
        let before = LIVE.load(Relaxed);
        let functions = &self.device.rtc.functions;
        let mesh = Scene::of(&self.device, self.scene_flags, rtc::TRIANGLES, |geometry| {
            // SAFETY: the geometry is live; the buffers have as many elements of three numbers as are copied to them.
            unsafe {
                let buffer =
                    |kind, format, count| (functions.rtcSetNewGeometryBuffer)(geometry, kind, 0, format, 12, count);
                let points = buffer(rtc::VERTEX_BUFFER, rtc::FLOAT3, vertices.len());
                let corners = buffer(rtc::INDEX_BUFFER, rtc::UINT3, triangles.len());
                assert!(!points.is_null() && !corners.is_null(), "Embree makes no buffers");
                ptr::copy_nonoverlapping(vertices.as_ptr(), points.cast(), vertices.len());
                ptr::copy_nonoverlapping(triangles.as_ptr(), corners.cast(), triangles.len());
            }
        });
        self.scene = Some(match self.way {
            Way::Single | Way::Packet => mesh,
            Way::Instance => Scene::of(&self.device, self.scene_flags, rtc::INSTANCE, |geometry| {
                // SAFETY: both are live; the geometry holds on to the scene. It is not moved.
                unsafe { (functions.rtcSetGeometryInstancedScene)(geometry, mesh.handle) };
            }),
        });
        self.bytes = LIVE.load(Relaxed).wrapping_sub(before);
        match self.way {
            Way::Single => Support::Answered,
            // Timed with the others.
            Way::Instance | Way::Packet => Support::NotOffered,
        }
    }

    fn foreign_bytes(&self) -> usize {
        self.bytes
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        let scene = self.scene.as_ref().expect("it was built");
        match self.way {
            Way::Packet => paths.chunks(16).for_each(|paths| sixteen(scene, paths, reach.limit(), answers)),
            _ => answers.extend(paths.iter().map(|path| one(scene, path, reach.limit()))),
        }
        Support::Answered
    }
}

fn one(scene: &Scene, path: &Path, limit: f32) -> f32 {
    let mut ray_hit = rtc::RayHit::new(*path, limit);
    // SAFETY: the scene is committed.
    unsafe { scene.rtc.intersect(scene.handle, &mut ray_hit) };
    distance(ray_hit.hit.geometry, ray_hit.ray.far)
}

fn sixteen(scene: &Scene, paths: &[Path], limit: f32, answers: &mut Vec<f32>) {
    let valid = rtc::Valid16(std::array::from_fn(|i| if i < paths.len() { -1 } else { 0 }));
    let column = |end: usize, axis: usize| std::array::from_fn(|i| paths.get(i).map_or(0.0, |path| path[end][axis]));
    let mut ray_hits = rtc::RayHit16 {
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
            instance_primitive: [rtc::INVALID_ID; 16],
        },
    };
    // SAFETY: the scene is committed.
    unsafe { scene.rtc.intersect_sixteen(&valid, scene.handle, &mut ray_hits) };
    answers.extend((0..paths.len()).map(|i| distance(ray_hits.hit.geometry[i], ray_hits.ray.far[i])));
}

fn distance(geometry: u32, far: f32) -> f32 {
    if geometry == rtc::INVALID_ID { f32::INFINITY } else { far }
}
