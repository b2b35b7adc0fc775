//! Plain values: vectors, poses, filters.

use crate::{
    CullideKey, CullideWorld, key,
    memory::values,
    status::{CullideStatus, Failure},
};
use cullide_world::{
    Filter, Mobility,
    glam::{Quat, Vec3},
};

/// A point, a direction or a size, in units of the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct CullideVec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

/// A rotation. It need not be a unit quaternion, but not all zeros: no rotation is 0, 0, 0, 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct CullideQuat {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub w: f32,
}

/// Where something is and how it is turned: its shape is turned about its own origin, which is then put at the position.
/// `cullide_at(x, y, z)` is a pose without rotation.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct CullidePose {
    pub rotation: CullideQuat,
    pub position: CullideVec3,
}

/// A box along the axes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct CullideAabb {
    pub min: CullideVec3,
    pub max: CullideVec3,
}

/// Everything, as a mask of layers.
pub const CULLIDE_ALL_LAYERS: u32 = u32::MAX;

/// Does not move, or seldom: walls, floors.
pub const CULLIDE_FIXED: u32 = 0;
/// Moves in many frames; every rigid body is moving.
pub const CULLIDE_MOVING: u32 = 1;
/// For filters: fixed and moving objects and planes.
pub const CULLIDE_BOTH: u32 = 2;

/// What a query considers. A NULL filter considers everything.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideFilter {
    /// What shares a layer with this mask; `CULLIDE_ALL_LAYERS` for everything that is in a layer.
    pub layers: u32,
    /// `CULLIDE_FIXED` with planes, `CULLIDE_MOVING`, or `CULLIDE_BOTH`.
    pub mobility: u32,
    /// Keys of objects that are left out; keys that name nothing are ignored. Read during the call only.
    pub excluded: *const CullideKey,
    /// Their number.
    pub excluded_count: usize,
}

impl Default for CullideQuat {
    fn default() -> Self {
        Quat::IDENTITY.into()
    }
}

impl From<Vec3> for CullideVec3 {
    fn from(v: Vec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl From<CullideVec3> for Vec3 {
    fn from(v: CullideVec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<Quat> for CullideQuat {
    fn from(q: Quat) -> Self {
        Self { x: q.x, y: q.y, z: q.z, w: q.w }
    }
}

impl From<CullideQuat> for Quat {
    fn from(q: CullideQuat) -> Self {
        Self::from_xyzw(q.x, q.y, q.z, q.w)
    }
}

impl From<(Quat, Vec3)> for CullidePose {
    fn from((rotation, position): (Quat, Vec3)) -> Self {
        Self { rotation: rotation.into(), position: position.into() }
    }
}

impl CullidePose {
    pub(crate) fn parts(self) -> (Quat, Vec3) {
        (self.rotation.into(), self.position.into())
    }

    pub(crate) fn is_identity(self) -> bool {
        self == Self::default()
    }
}

/// Returns the filter that considers everything, to change from there.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_filter_all() -> CullideFilter {
    CullideFilter { layers: CULLIDE_ALL_LAYERS, mobility: CULLIDE_BOTH, excluded: std::ptr::null(), excluded_count: 0 }
}

pub(crate) fn mobility(number: u32) -> Result<Mobility, Failure> {
    match number {
        CULLIDE_FIXED => Ok(Mobility::Fixed),
        CULLIDE_MOVING => Ok(Mobility::Moving),
        _ => Err(Failure::choice("mobility", number, "CULLIDE_FIXED or CULLIDE_MOVING")),
    }
}

/// The filter of a query.
///
/// # Safety
/// Its list of keys is valid during the call.
pub(crate) unsafe fn filter(world: &CullideWorld, filter: Option<&CullideFilter>) -> Result<Filter<'static>, Failure> {
    let Some(given) = filter else { return Ok(Filter::ALL) };
    let all = Filter::layers(given.layers);
    let filter = match given.mobility {
        CULLIDE_FIXED => all.fixed_only(),
        CULLIDE_MOVING => all.moving_only(),
        CULLIDE_BOTH => all,
        other => return Err(Failure::choice("mobility", other, "CULLIDE_FIXED, CULLIDE_MOVING or CULLIDE_BOTH")),
    };
    if given.excluded_count == 0 {
        return Ok(filter);
    }
    // SAFETY: as the caller promises.
    let excluded = unsafe { values(given.excluded, given.excluded_count, "excluded") }?;
    let keys: Vec<_> = excluded.iter().filter_map(|key| key::object(&world.world, *key).ok()).collect();
    Ok(filter.without(&keys))
}

/// A number of the caller's that has to be finite and positive, or zero.
pub(crate) fn distance(number: f32, field: &str) -> Result<f32, Failure> {
    if number >= 0.0 {
        return Ok(number);
    }
    let message = format!("`{field}` is negative or no number; give zero or more, or INFINITY for no limit");
    Err(Failure::new(CullideStatus::BadValue, message))
}
