//! Embree 3 through the few of its functions that are needed: boxes as user geometry, one ray a call.
//!
//! The leaf test gets the reciprocal of the direction through the extended context, as Embree's manual suggests for
//! data of a ray, so that no division is spent on a box.

use crate::{
    leaf::Slab,
    peer::{Bounds, Path, Peer, Reach, Support},
};
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The declarations of Embree 3.13's `rtcore.h`.
mod rtc {
    use super::{c_char, c_int, c_void};

    pub(super) type Handle = *mut c_void;

    pub(super) const USER_GEOMETRY: c_int = 120;
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

    #[repr(C)]
    pub(super) struct Context {
        pub(super) flags: c_int,
        pub(super) filter: *const c_void,
        pub(super) instance: u32,
        /// There in builds with a minimal curve width (Debian's is none); never read then.
        pub(super) min_width: f32,
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

    // SAFETY: the signature is that of Embree 3.13's `rtcore_geometry.h`; Embree alone calls such a function.
    pub(super) type BoundsFunction = unsafe extern "C" fn(*const BoundsArguments);
    // SAFETY: likewise.
    pub(super) type IntersectFunction = unsafe extern "C" fn(*const IntersectArguments);
    // SAFETY: the signature is that of Embree 3.13's `rtcore_device.h`; Embree alone calls such a function.
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
        pub(super) fn rtcIntersect1(scene: Handle, context: *mut Context, ray_hit: *mut RayHit);
    }
}

/// What Embree holds, over all devices.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// A device on one thread with a scene of one geometry.
pub struct Scene {
    /// Read by the callbacks through a pointer: never moved or changed.
    boxes: Box<[Bounds]>,
    device: rtc::Handle,
    scene: rtc::Handle,
    bytes: usize,
}

/// A context followed by what the leaf test needs.
#[repr(C)]
struct Context {
    base: rtc::Context,
    slab: Slab,
}

impl Scene {
    pub fn new(boxes: &[Bounds]) -> Self {
        // SAFETY: the configuration is a C string, the monitor has the type asked for and needs no user data, and a
        // null device is caught before it is used.
        let device = unsafe {
            let device = rtc::rtcNewDevice(c"threads=1".as_ptr());
            assert!(!device.is_null(), "Embree makes no device");
            rtc::rtcSetDeviceMemoryMonitorFunction(device, count_bytes, ptr::null_mut());
            device
        };
        Self { boxes: boxes.into(), device, scene: ptr::null_mut(), bytes: 0 }
    }

    fn release_scene(&mut self) {
        if !self.scene.is_null() {
            // SAFETY: the handle came from `rtcNewScene` and is forgotten here.
            unsafe { rtc::rtcReleaseScene(self.scene) };
            self.scene = ptr::null_mut();
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.release_scene();
        // SAFETY: the handle came from `rtcNewDevice` and is used no more.
        unsafe { rtc::rtcReleaseDevice(self.device) };
    }
}

impl Peer for Scene {
    fn name(&self) -> &str {
        "Embree 3 (user boxes)"
    }

    fn build(&mut self) -> Support {
        self.release_scene();
        let before = LIVE.load(Relaxed);
        let user = self.boxes.as_ptr().cast();
        // SAFETY: all handles are live; `user` points to as many boxes as the geometry has primitives, for as long as
        // the scene lives, as the callbacks expect.
        self.scene = unsafe {
            let scene = rtc::rtcNewScene(self.device);
            let geometry = rtc::rtcNewGeometry(self.device, rtc::USER_GEOMETRY);
            rtc::rtcSetGeometryUserPrimitiveCount(geometry, self.boxes.len() as u32);
            rtc::rtcSetGeometryUserData(geometry, user);
            rtc::rtcSetGeometryBoundsFunction(geometry, bounds, user);
            rtc::rtcSetGeometryIntersectFunction(geometry, intersect);
            rtc::rtcCommitGeometry(geometry);
            rtc::rtcAttachGeometry(scene, geometry);
            rtc::rtcReleaseGeometry(geometry);
            rtc::rtcCommitScene(scene);
            scene
        };
        self.bytes = LIVE.load(Relaxed).wrapping_sub(before);
        Support::Answered
    }

    fn foreign_bytes(&self) -> usize {
        self.bytes
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        entries.extend(paths.iter().map(|path| {
            let base = rtc::Context { flags: 0, filter: ptr::null(), instance: rtc::INVALID_ID, min_width: 0.0 };
            let mut context = Context { base, slab: Slab::new(path) };
            let [origin, direction] = *path;
            let (near, far) = (0.0, reach.limit());
            let mut ray_hit = rtc::RayHit {
                ray: rtc::Ray { origin, near, direction, time: 0.0, far, mask: u32::MAX, id: 0, flags: 0 },
                hit: rtc::Hit {
                    normal: [0.0; 3],
                    uv: [0.0; 2],
                    primitive: rtc::INVALID_ID,
                    geometry: rtc::INVALID_ID,
                    instance: rtc::INVALID_ID,
                },
            };
            // SAFETY: the scene is committed (or null, an error that Embree reports and survives), and both structures
            // outlive the call; the context is the first field of ours, so a pointer to one is a pointer to the other.
            unsafe { rtc::rtcIntersect1(self.scene, (&raw mut context).cast(), &mut ray_hit) };
            (ray_hit.hit.geometry != rtc::INVALID_ID).then_some(ray_hit.ray.far)
        }));
        Support::Answered
    }
}

// SAFETY: to be called by Embree alone, with arguments of which the user pointer is the boxes' of the geometry.
unsafe extern "C" fn bounds(arguments: *const rtc::BoundsArguments) {
    // SAFETY: Embree passes valid arguments; the user pointer is the boxes', which has an element for every primitive.
    unsafe {
        let arguments = &*arguments;
        let [lower, upper] = *arguments.user.cast::<Bounds>().add(arguments.primitive as usize);
        *arguments.bounds = rtc::Bounds { lower, padding0: 0.0, upper, padding1: 0.0 };
    }
}

// SAFETY: to be called by Embree alone, from within `closest`, with arguments as in `bounds`.
unsafe extern "C" fn intersect(arguments: *const rtc::IntersectArguments) {
    // SAFETY: as in `bounds`; the context is the one that `closest` passed, and with single rays `ray_hit` is one
    // `RayHit`.
    unsafe {
        let arguments = &*arguments;
        if *arguments.valid == 0 {
            return;
        }
        let [min, max] = *arguments.user.cast::<Bounds>().add(arguments.primitive as usize);
        let slab = &(*arguments.context.cast::<Context>()).slab;
        let found = &mut *arguments.ray_hit;
        let entry = slab.entry(min, max, found.ray.far);
        if entry < f32::INFINITY {
            found.ray.far = entry;
            found.hit.primitive = arguments.primitive;
            found.hit.geometry = arguments.geometry;
        }
    }
}

// SAFETY: it touches nothing that it is given; unsafe only because Embree's signature is.
unsafe extern "C" fn count_bytes(_user: *mut c_void, bytes: isize, _after: bool) -> bool {
    LIVE.fetch_add(bytes as usize, Relaxed);
    true
}
