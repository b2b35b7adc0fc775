//! What is known of fixed bodies: apart from the moving ones, so that clones of a broad phase share it.

use super::layers::Layers;
use crate::simd_aabb::SimdAabb;

/// A fixed body, or a number that stands for none now: a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Still {
    /// Its box, which is that of its leaf.
    pub(super) tight: SimdAabb,
    pub(super) layers: Layers,
    /// As those of moving bodies.
    pub(super) state: u8,
}

const _: () = assert!(size_of::<Still>() == 64);

impl Default for Still {
    fn default() -> Self {
        Self { tight: SimdAabb::ORIGIN, layers: Layers::ALL, state: 0 }
    }
}
