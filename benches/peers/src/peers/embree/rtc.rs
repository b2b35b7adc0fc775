//! The declarations of Embree 3.13's `rtcore.h` that are needed.

use std::ffi::{c_char, c_int, c_void};

pub(super) type Handle = *mut c_void;

pub(super) const TRIANGLES: c_int = 0;
pub(super) const USER_GEOMETRY: c_int = 120;
pub(super) const INDEX_BUFFER: c_int = 0;
pub(super) const VERTEX_BUFFER: c_int = 1;
pub(super) const UINT3: c_int = 0x5003;
pub(super) const FLOAT3: c_int = 0x9003;
/// A flag of scenes.
pub(super) const ROBUST: c_int = 1 << 2;
/// A flag of contexts.
pub(super) const COHERENT: c_int = 1;
pub(super) const INVALID_ID: u32 = u32::MAX;

#[repr(C, align(16))]
pub(super) struct Bounds {
    pub(super) lower: [f32; 3],
    pub(super) padding0: f32,
    pub(super) upper: [f32; 3],
    pub(super) padding1: f32,
}

#[repr(C)]
pub(super) struct BoundsArguments {
    pub(super) user: *const c_void,
    pub(super) primitive: u32,
    pub(super) time_step: u32,
    pub(super) bounds: *mut Bounds,
}

#[repr(C, align(16))]
pub(super) struct Ray {
    pub(super) origin: [f32; 3],
    pub(super) near: f32,
    pub(super) direction: [f32; 3],
    pub(super) time: f32,
    pub(super) far: f32,
    pub(super) mask: u32,
    pub(super) id: u32,
    pub(super) flags: u32,
}

#[repr(C, align(16))]
pub(super) struct Hit {
    pub(super) normal: [f32; 3],
    pub(super) uv: [f32; 2],
    pub(super) primitive: u32,
    pub(super) geometry: u32,
    pub(super) instance: u32,
}

#[repr(C)]
pub(super) struct RayHit {
    pub(super) ray: Ray,
    pub(super) hit: Hit,
}

impl RayHit {
    /// A ray that has not hit anything yet.
    pub(super) fn new([origin, direction]: [[f32; 3]; 2], far: f32) -> Self {
        Self {
            ray: Ray { origin, near: 0.0, direction, time: 0.0, far, mask: u32::MAX, id: 0, flags: 0 },
            hit: Hit {
                normal: [0.0; 3],
                uv: [0.0; 2],
                primitive: INVALID_ID,
                geometry: INVALID_ID,
                instance: INVALID_ID,
            },
        }
    }
}

/// Sixteen rays, coordinate by coordinate.
#[repr(C, align(64))]
pub(super) struct Ray16 {
    pub(super) origin: [[f32; 16]; 3],
    pub(super) near: [f32; 16],
    pub(super) direction: [[f32; 16]; 3],
    pub(super) time: [f32; 16],
    pub(super) far: [f32; 16],
    pub(super) mask: [u32; 16],
    pub(super) id: [u32; 16],
    pub(super) flags: [u32; 16],
}

#[repr(C, align(64))]
pub(super) struct Hit16 {
    pub(super) normal: [[f32; 16]; 3],
    pub(super) uv: [[f32; 16]; 2],
    pub(super) primitive: [u32; 16],
    pub(super) geometry: [u32; 16],
    pub(super) instance: [u32; 16],
}

#[repr(C)]
pub(super) struct RayHit16 {
    pub(super) ray: Ray16,
    pub(super) hit: Hit16,
}

#[repr(C)]
pub(super) struct Context {
    pub(super) flags: c_int,
    pub(super) filter: *const c_void,
    pub(super) instance: u32,
    /// Present only in builds with a minimal curve width; other builds, such as Debian's, never read it.
    pub(super) min_width: f32,
}

impl Context {
    pub(super) fn new(flags: c_int) -> Self {
        Self { flags, filter: std::ptr::null(), instance: INVALID_ID, min_width: 0.0 }
    }
}

#[repr(C)]
pub(super) struct IntersectArguments {
    pub(super) valid: *mut c_int,
    pub(super) user: *const c_void,
    pub(super) primitive: u32,
    pub(super) context: *mut Context,
    pub(super) ray_hit: *mut RayHit,
    pub(super) count: u32,
    pub(super) geometry: u32,
}

// SAFETY: the signature is that of Embree 3.13's `rtcore_geometry.h`; only Embree calls such a function.
pub(super) type BoundsFunction = unsafe extern "C" fn(*const BoundsArguments);
// SAFETY: likewise.
pub(super) type IntersectFunction = unsafe extern "C" fn(*const IntersectArguments);
// SAFETY: the signature is that of Embree 3.13's `rtcore_device.h`; only Embree calls such a function.
pub(super) type MemoryFunction = unsafe extern "C" fn(*mut c_void, isize, bool) -> bool;

// SAFETY: these are the declarations of Embree 3.13's headers.
#[link(name = "embree3")]
unsafe extern "C" {
    pub(super) fn rtcNewDevice(config: *const c_char) -> Handle;
    pub(super) fn rtcReleaseDevice(device: Handle);
    pub(super) fn rtcSetDeviceMemoryMonitorFunction(device: Handle, monitor: MemoryFunction, user: *mut c_void);
    pub(super) fn rtcNewScene(device: Handle) -> Handle;
    pub(super) fn rtcReleaseScene(scene: Handle);
    pub(super) fn rtcCommitScene(scene: Handle);
    pub(super) fn rtcNewGeometry(device: Handle, kind: c_int) -> Handle;
    pub(super) fn rtcReleaseGeometry(geometry: Handle);
    pub(super) fn rtcSetGeometryUserPrimitiveCount(geometry: Handle, count: u32);
    pub(super) fn rtcSetGeometryUserData(geometry: Handle, user: *const c_void);
    pub(super) fn rtcSetGeometryBoundsFunction(geometry: Handle, bounds: BoundsFunction, user: *const c_void);
    pub(super) fn rtcSetGeometryIntersectFunction(geometry: Handle, intersect: IntersectFunction);
    pub(super) fn rtcCommitGeometry(geometry: Handle);
    pub(super) fn rtcAttachGeometry(scene: Handle, geometry: Handle) -> u32;
    pub(super) fn rtcSetSceneFlags(scene: Handle, flags: c_int);
    pub(super) fn rtcSetNewGeometryBuffer(
        geometry: Handle,
        kind: c_int,
        slot: u32,
        format: c_int,
        stride: usize,
        count: usize,
    ) -> *mut c_void;
    pub(super) fn rtcIntersect16(valid: *const c_int, scene: Handle, context: *mut Context, ray_hit: *mut RayHit16);
    pub(super) fn rtcIntersect1(scene: Handle, context: *mut Context, ray_hit: *mut RayHit);
}
