//! Embree 3 through the few functions that are needed: boxes as user geometry, one ray per call.
//!
//! The leaf test gets the reciprocal of the direction through the extended context, which Embree's manual suggests for
//! per-ray data, so that no division is spent on a box.

use crate::{
    leaf::Slab,
    peer::{Bounds, Path, Peer, Reach, Support},
};
use std::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

pub mod mesh;
mod rtc;

/// The bytes that Embree holds, over all devices.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// A device with one thread and a scene of one geometry.
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
        let device = new_device();
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
        // SAFETY: the handle came from `rtcNewDevice` and is not used again.
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
            let mut context = Context { base: rtc::Context::new(0), slab: Slab::new(path) };
            let mut ray_hit = rtc::RayHit::new(*path, reach.limit());
            // SAFETY: the scene is committed (or null, an error that Embree reports and survives), and both structures
            // outlive the call; the context is the first field of ours, so a pointer to one is a pointer to the other.
            unsafe { rtc::rtcIntersect1(self.scene, (&raw mut context).cast(), &mut ray_hit) };
            (ray_hit.hit.geometry != rtc::INVALID_ID).then_some(ray_hit.ray.far)
        }));
        Support::Answered
    }
}

/// A device with one thread, whose memory is counted in [`LIVE`].
fn new_device() -> rtc::Handle {
    // SAFETY: the configuration is a C string, the monitor has the type asked for and needs no user data, and a null
    // device is caught before it is used.
    unsafe {
        let device = rtc::rtcNewDevice(c"threads=1".as_ptr());
        assert!(!device.is_null(), "Embree makes no device");
        rtc::rtcSetDeviceMemoryMonitorFunction(device, count_bytes, ptr::null_mut());
        device
    }
}

// SAFETY: to be called only by Embree, with arguments whose user pointer is that of the geometry's boxes.
unsafe extern "C" fn bounds(arguments: *const rtc::BoundsArguments) {
    // SAFETY: Embree passes valid arguments; the user pointer is that of the boxes, one for every primitive.
    unsafe {
        let arguments = &*arguments;
        let [lower, upper] = *arguments.user.cast::<Bounds>().add(arguments.primitive as usize);
        *arguments.bounds = rtc::Bounds { lower, padding0: 0.0, upper, padding1: 0.0 };
    }
}

// SAFETY: to be called only by Embree, from within `closest`, with arguments as in `bounds`.
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

// SAFETY: it uses no pointer that it is given; it is unsafe only because Embree's signature is.
unsafe extern "C" fn count_bytes(_user: *mut c_void, bytes: isize, _after: bool) -> bool {
    LIVE.fetch_add(bytes as usize, Relaxed);
    true
}
