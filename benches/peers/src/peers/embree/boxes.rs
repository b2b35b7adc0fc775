//! Embree 3: boxes as user geometry, one ray per call.
//!
//! The leaf test gets the reciprocal of the direction through the extended context, which Embree's manual suggests for
//! per-ray data, so that no division is spent on a box.

use super::{Device, LIVE, Scene, rtc, three};
use crate::{
    instructions::Instructions,
    leaf::Slab,
    peer::{Bounds, Path, Peer, Reach, Support},
};
use std::sync::atomic::Ordering::Relaxed;

/// A device with one thread and a scene of one geometry.
pub struct Boxes {
    /// Dropped before the boxes, which the callbacks read.
    scene: Option<Scene>,
    device: Device,
    /// Read by the callbacks through a pointer: never moved or changed.
    boxes: Box<[Bounds]>,
    bytes: usize,
}

/// A context followed by what the leaf test needs.
#[repr(C)]
struct Context {
    base: rtc::Context,
    slab: Slab,
}

impl Boxes {
    pub fn new(boxes: &[Bounds]) -> Self {
        let rtc = three().expect("it was found");
        Self { scene: None, device: Device::new(rtc, Instructions::allowed()), boxes: boxes.into(), bytes: 0 }
    }
}

impl Peer for Boxes {
    fn name(&self) -> &str {
        "Embree 3 (user boxes)"
    }

    fn build(&mut self) -> Support {
        self.scene = None;
        let before = LIVE.load(Relaxed);
        let user = self.boxes.as_ptr().cast();
        let functions = &self.device.rtc.functions;
        self.scene = Some(Scene::of(&self.device, 0, rtc::USER_GEOMETRY, |geometry| {
            // SAFETY: the geometry is live; `user` points to as many boxes as it has primitives, for as long as the scene
            // lives, as the callbacks expect.
            unsafe {
                (functions.rtcSetGeometryUserPrimitiveCount)(geometry, self.boxes.len() as u32);
                (functions.rtcSetGeometryUserData)(geometry, user);
                (functions.rtcSetGeometryBoundsFunction)(geometry, bounds, user);
                (functions.rtcSetGeometryIntersectFunction)(geometry, intersect);
            }
        }));
        self.bytes = LIVE.load(Relaxed).wrapping_sub(before);
        Support::Answered
    }

    fn foreign_bytes(&self) -> usize {
        self.bytes
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        let scene = self.scene.as_ref().expect("it was built");
        entries.extend(paths.iter().map(|path| {
            let mut context = Context { base: rtc::Context::new(0), slab: Slab::new(path) };
            let mut ray_hit = rtc::RayHit::new(*path, reach.limit());
            // SAFETY: the scene is committed; the context is the first field of ours, which the callback expects, so a
            // pointer to one is a pointer to the other.
            unsafe { scene.rtc.intersect_with(scene.handle, (&raw mut context).cast(), &mut ray_hit) };
            (ray_hit.hit.geometry != rtc::INVALID_ID).then_some(ray_hit.ray.far)
        }));
        Support::Answered
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
