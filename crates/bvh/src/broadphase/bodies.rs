//! What loops over pairs read of bodies by number, without asking which are fixed while none is.

use super::{layers::Layers, still::Still};
use crate::{
    cow::CowVec,
    leaf::FIXED,
    prefetch::{self, prefetch_all, prefetch_item},
    simd_aabb::SimdAabb,
};

/// Boxes, states and layers of bodies.
pub(super) trait Bodies: Copy + Send + Sync {
    fn tight(&self, number: u32) -> &SimdAabb;

    /// What happened to a body.
    fn state(&self, number: u32) -> u8;

    /// Whether each of two bodies pairs with the other.
    fn may_pair(&self, a: u32, b: u32) -> bool;

    /// Has the box of a body brought near, and its layers if they are looked up.
    fn bring(&self, number: u32);

    /// Whether there are so many that bringing them near is worth it.
    fn are_many(&self) -> bool;
}

/// Moving bodies.
#[derive(Clone, Copy)]
pub(super) struct Moving<'a> {
    /// All of one length, known to loops: one check of a number is enough.
    tight: &'a [SimdAabb],
    states: &'a [u8],
    /// `None` while any two bodies may be a pair.
    limits: Option<&'a [Layers]>,
}

impl<'a> Moving<'a> {
    pub(super) fn new(tight: &'a [SimdAabb], states: &'a [u8], limits: Option<&'a [Layers]>) -> Self {
        Self { tight, states: &states[..tight.len()], limits }
    }

    pub(super) fn len(&self) -> usize {
        self.tight.len()
    }

    /// The same where any two may be a pair, which the compiler then knows.
    #[inline(always)]
    pub(super) fn without_limits(self) -> Self {
        Self { limits: None, ..self }
    }
}

impl Bodies for Moving<'_> {
    #[inline(always)]
    fn tight(&self, number: u32) -> &SimdAabb {
        &self.tight[number as usize]
    }

    #[inline(always)]
    fn state(&self, number: u32) -> u8 {
        self.states[number as usize]
    }

    #[inline(always)]
    fn may_pair(&self, a: u32, b: u32) -> bool {
        self.limits.is_none_or(|limits| limits[a as usize].pair(limits[b as usize]))
    }

    #[inline(always)]
    fn bring(&self, number: u32) {
        prefetch_item(self.tight, number);
        if let Some(limits) = self.limits {
            prefetch_item(limits, number);
        }
    }

    #[inline(always)]
    fn are_many(&self) -> bool {
        self.tight.len() >= prefetch::MIN_ITEMS
    }
}

/// Moving and fixed bodies.
#[derive(Clone, Copy)]
pub(super) struct Mixed<'a> {
    pub(super) moving: Moving<'a>,
    pub(super) fixed: &'a CowVec<Still>,
    pub(super) layers: &'a [Layers],
}

impl Mixed<'_> {
    #[inline(always)]
    fn still(&self, number: u32) -> &Still {
        &self.fixed[(number & !FIXED) as usize]
    }

    #[inline(always)]
    fn layers(&self, number: u32) -> Layers {
        if number & FIXED != 0 { self.still(number).layers } else { self.layers[number as usize] }
    }
}

impl Bodies for Mixed<'_> {
    #[inline(always)]
    fn tight(&self, number: u32) -> &SimdAabb {
        if number & FIXED != 0 { &self.still(number).tight } else { self.moving.tight(number) }
    }

    #[inline(always)]
    fn state(&self, number: u32) -> u8 {
        if number & FIXED != 0 { self.still(number).state } else { self.moving.state(number) }
    }

    #[inline(always)]
    fn may_pair(&self, a: u32, b: u32) -> bool {
        self.moving.limits.is_none() || self.layers(a).pair(self.layers(b))
    }

    #[inline(always)]
    fn bring(&self, number: u32) {
        if number & FIXED != 0 {
            prefetch_all(self.still(number));
        } else {
            self.moving.bring(number);
        }
    }

    #[inline(always)]
    fn are_many(&self) -> bool {
        self.moving.are_many() || self.fixed.len() >= prefetch::MIN_ITEMS
    }
}
