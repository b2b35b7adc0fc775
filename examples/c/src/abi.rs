//! Whether header and library belong together.

use crate::{
    memory,
    status::{Failure, guard},
    *,
};

/// The number of the layout of structures and functions.
pub const CULLIDE_ABI_VERSION: u32 = 1;

macro_rules! sizes {
    ($($name:ident)*) => {
        /// The structures that a caller may allocate, and their sizes, in the order in which the header lists them.
        pub const SIZES: &[(&str, usize)] = &[$((stringify!($name), size_of::<$name>())),*];
    };
}

sizes! {
    CullideVec3 CullideQuat CullidePose CullideAabb CullideRay CullideSegment CullidePlane CullideFilter CullideObject
    CullidePlacedShape CullideRayHit CullideNear CullideNearShape CullideMotion CullideShapeHit CullideSwept CullideSlideContact
    CullideSlid CullidePair CullideMover CullideGround CullideCharacterState CullideWalk CullidePush CullideMaterial
    CullideRigidBody CullideDynamicsConfig CullideStepReport CullideBodyState CullideMoved CullideImpact
    CullideContactPoint
}

/// Checks that a program was compiled with the header of this library; call it once at the start, best through
/// `cullide_check()`, which gives it the right arguments.
///
/// `version` is `CULLIDE_ABI_VERSION`, `sizes` holds the sizes of the structures in the order of `cullide_check()`.
/// CULLIDE_STATUS_OTHER_VERSION if anything differs: then call nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_abi_check(version: u32, sizes: *const usize, count: usize) -> CullideStatus {
    guard(|| {
        let other = |what: String| {
            let message = format!("{what}; compile with the cullide.h that came with this library");
            Err(Failure::new(CullideStatus::OtherVersion, message))
        };
        if version != CULLIDE_ABI_VERSION {
            return other(format!("the header has version {version}, the library {CULLIDE_ABI_VERSION}"));
        }
        if count != SIZES.len() {
            return other(format!("the header has {count} structures, the library {}", SIZES.len()));
        }
        // SAFETY: the caller's array, as the header demands.
        let given = unsafe { memory::values(sizes, count, "sizes") }?;
        match SIZES.iter().zip(given).find(|((_, size), given)| size != *given) {
            Some(((name, size), given)) => other(format!("{name} has {given} bytes in the header, {size} here")),
            None => Ok(()),
        }
    })
}
