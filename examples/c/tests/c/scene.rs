//! Calls that are expected to do what they say, in fewer words.

use cullide::*;
use std::mem::MaybeUninit;

/// Makes a call succeed, or says why it did not.
pub(crate) fn done(status: CullideStatus) {
    assert_eq!(status, CullideStatus::Ok, "{}", last_error());
}

/// The message of the last failure.
pub(crate) fn last_error() -> String {
    // SAFETY: a string that ends with a zero, valid until the next failure of this thread.
    unsafe { std::ffi::CStr::from_ptr(cullide_last_error()) }.to_str().expect("UTF-8").to_owned()
}

/// The result that a call writes.
pub(crate) fn out<T>(call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> CullideStatus) -> T {
    let mut result = MaybeUninit::uninit();
    done(call(Some(&mut result)));
    // SAFETY: a call that succeeds has written it.
    unsafe { result.assume_init() }
}

/// The handle that a call creates.
pub(crate) fn handle<T>(call: impl FnOnce(Option<&mut MaybeUninit<Option<Box<T>>>>) -> CullideStatus) -> Box<T> {
    out(call).expect("a handle")
}

/// The list that a call writes: asked with little room first, then with enough.
pub(crate) fn list<T: Clone + Default + PartialEq + std::fmt::Debug>(
    mut call: impl FnMut(*mut T, usize, Option<&mut MaybeUninit<usize>>) -> CullideStatus,
) -> Vec<T> {
    let mut few = vec![T::default(); 2];
    let total = out(|total| call(few.as_mut_ptr(), few.len(), total));
    let mut all = vec![T::default(); total + 1];
    assert_eq!(out(|total| call(all.as_mut_ptr(), all.len(), total)), total);
    assert_eq!(all.pop(), Some(T::default()), "written beyond the total");
    let both = total.min(few.len());
    assert_eq!(few[..both], all[..both], "the same with little room");
    all
}

/// A floor, and a crate on it.
pub(crate) struct Scene {
    pub(crate) world: Box<CullideWorld>,
    pub(crate) dynamics: Box<CullideDynamics>,
    pub(crate) shape: Box<CullideShape>,
    pub(crate) floor: CullideKey,
    pub(crate) key: CullideKey,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let mut world = handle(|world| cullide_world_new(1, world));
        let dynamics = handle(|dynamics| cullide_dynamics_new(dynamics));
        let half = CullideVec3 { x: 0.5, y: 0.5, z: 0.5 };
        let shape = handle(|shape| cullide_shape_box(half, shape));
        let plane = CullidePlane { normal: CullideVec3 { x: 0.0, y: 1.0, z: 0.0 }, d: 0.0 };
        let floor =
            out(|key| cullide_insert_plane(Some(&mut world), plane, CULLIDE_HALF_SPACE, CULLIDE_ALL_LAYERS, key));
        let key = insert(
            &mut world,
            &CullideObject { mobility: CULLIDE_MOVING, pose: at(0.0, 1.0, 0.0), ..cullide_object(&*shape) },
        );
        Self { world, dynamics, shape, floor, key }
    }
}

/// A point.
pub(crate) fn vec3(x: f32, y: f32, z: f32) -> CullideVec3 {
    CullideVec3 { x, y, z }
}

/// A pose without rotation.
pub(crate) fn at(x: f32, y: f32, z: f32) -> CullidePose {
    CullidePose { position: vec3(x, y, z), ..CullidePose::default() }
}

/// Inserts one object.
pub(crate) fn insert(world: &mut CullideWorld, object: &CullideObject) -> CullideKey {
    let mut key = 0;
    // SAFETY: one object and one key.
    done(unsafe { cullide_insert(Some(world), object, 1, &mut key) });
    key
}
