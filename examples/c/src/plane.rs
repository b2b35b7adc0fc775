//! Infinite planes.

use crate::{
    CullideVec3, CullideWorld,
    key::{self, CullideKey},
    memory::given,
    status::{CullideStatus, Failure, guard},
};
use cullide_world::{PlaneMut, WorldPlane, narrowphase::Plane};
use std::mem::MaybeUninit;

/// The points x with `normal · x + d = 0`. In front of it is where the normal points to; the length of the normal does
/// not matter, if `d` is in proportion.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CullidePlane {
    /// Not zero.
    pub normal: CullideVec3,
    /// Minus the height of the plane along a unit normal.
    pub d: f32,
}

impl CullidePlane {
    pub(crate) fn plane(self) -> Result<Plane, Failure> {
        Ok(Plane::new(self.normal.into(), self.d)?)
    }
}

/// A half-space: everything behind the plane is solid, a floor without an end.
pub const CULLIDE_HALF_SPACE: u32 = 0;
/// A wall without thickness: solid from both sides.
pub const CULLIDE_WALL: u32 = 1;

/// Inserts an infinite plane and writes its key. `kind` is `CULLIDE_HALF_SPACE` or `CULLIDE_WALL`.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_insert_plane(
    world: Option<&mut CullideWorld>,
    plane: CullidePlane,
    kind: u32,
    layers: u32,
    key: Option<&mut MaybeUninit<CullideKey>>,
) -> CullideStatus {
    guard(|| {
        let (world, key) = (&mut given(world, "world")?.world, given(key, "key")?);
        let plane = plane.plane()?;
        let entry = match kind {
            CULLIDE_HALF_SPACE => WorldPlane::half_space(plane),
            CULLIDE_WALL => WorldPlane::wall(plane),
            _ => return Err(Failure::choice("kind", kind, "CULLIDE_HALF_SPACE or CULLIDE_WALL")),
        };
        key.write(key::of_plane(world.insert_plane(entry.layers(layers))));
        Ok(())
    })
}

/// Moves an infinite plane.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_plane(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    plane: CullidePlane,
) -> CullideStatus {
    guard(|| {
        let plane = plane.plane()?;
        change(world, key, |mut entry| _ = entry.set_plane(plane))
    })
}

/// Changes a plane.
pub(crate) fn change(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    change: impl FnOnce(PlaneMut),
) -> Result<(), Failure> {
    let world = &mut given(world, "world")?.world;
    let found = key::plane(world, key)?;
    change(world.plane_mut(found).ok_or_else(|| Failure::stale(key))?);
    Ok(())
}
