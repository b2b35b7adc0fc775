//! The data of bodies that loops over pairs read: boxes, layers and states.

use super::body::{Mobility, Proxy};
use crate::{
    cow::CowVec,
    prefetch::{self, prefetch_all, prefetch_item},
    simd_aabb::SimdAabb,
};

/// The layers of a body, and the layers that it pairs with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layers {
    pub(super) own: u32,
    pub(super) pairs_with: u32,
}

impl Layers {
    /// In all layers, and pairing with all.
    pub(super) const ALL: Self = Self { own: u32::MAX, pairs_with: u32::MAX };

    /// Whether each of two bodies pairs with the other.
    #[inline(always)]
    fn pair(self, other: Self) -> bool {
        (self.own & other.pairs_with != 0) & (other.own & self.pairs_with != 0)
    }
}

/// Whether a body exists and what happened to it since the last update, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct State(u8);

impl State {
    /// It exists.
    pub(super) const USED: Self = Self(1);
    /// It was given a different box.
    pub(super) const MOVED: Self = Self(2);
    /// Its pairs have to be searched for.
    pub(super) const DIRTY: Self = Self(4);
    /// It was added after the last update, so it has no pairs yet: its proxy may be reused as soon as it is removed.
    pub(super) const NEW: Self = Self(8);

    #[inline(always)]
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[inline(always)]
    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[inline(always)]
    pub(super) fn is_dirty(self) -> bool {
        self.has(Self::DIRTY)
    }

    /// Whether candidate pairs of the body have to be tested again.
    #[inline(always)]
    pub(super) fn is_touched(self) -> bool {
        self.0 & (Self::MOVED.0 | Self::DIRTY.0) != 0
    }
}

/// A fixed body, or a free proxy; as large as a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedBody {
    pub(super) aabb: SimdAabb,
    pub(super) layers: Layers,
    pub(super) state: State,
}

const _: () = assert!(size_of::<FixedBody>() == 64);

impl Default for FixedBody {
    fn default() -> Self {
        Self { aabb: SimdAabb::ORIGIN, layers: Layers::ALL, state: State::default() }
    }
}

/// Boxes, layers and states of bodies.
#[derive(Clone, Copy)]
pub(super) struct BodyTable<'a, const ANY_FIXED: bool> {
    /// All three have the same length, which loops know, so that one bounds check is enough.
    pub(super) aabbs: &'a [SimdAabb],
    pub(super) layers: &'a [Layers],
    pub(super) states: &'a [State],
    pub(super) fixed: &'a CowVec<FixedBody>,
    /// Whether any body ever had layers other than [`Layers::ALL`].
    pub(super) layered: bool,
}

impl<'a, const ANY_FIXED: bool> BodyTable<'a, ANY_FIXED> {
    #[inline(always)]
    fn is_fixed(proxy: Proxy) -> bool {
        ANY_FIXED && proxy.mobility() == Mobility::Fixed
    }

    #[inline(always)]
    pub(super) fn aabb(&self, proxy: Proxy) -> &'a SimdAabb {
        let i = proxy.index();
        if Self::is_fixed(proxy) { &self.fixed[i].aabb } else { &self.aabbs[i] }
    }

    /// The same for a proxy known to be a moving one, as the smaller proxy of a pair is.
    #[inline(always)]
    pub(super) fn moving_aabb(&self, proxy: Proxy) -> &'a SimdAabb {
        &self.aabbs[proxy.index()]
    }

    /// Likewise, the state of a moving body.
    #[inline(always)]
    pub(super) fn moving_state(&self, proxy: Proxy) -> State {
        self.states[proxy.index()]
    }

    #[inline(always)]
    pub(super) fn state(&self, proxy: Proxy) -> State {
        let i = proxy.index();
        if Self::is_fixed(proxy) { self.fixed[i].state } else { self.states[i] }
    }

    #[inline(always)]
    pub(super) fn layers(&self, proxy: Proxy) -> Layers {
        let i = proxy.index();
        if Self::is_fixed(proxy) { self.fixed[i].layers } else { self.layers[i] }
    }

    /// Whether the layers of two bodies allow them to pair.
    #[inline(always)]
    pub(super) fn may_pair(&self, a: Proxy, b: Proxy) -> bool {
        !self.layered || self.layers(a).pair(self.layers(b))
    }

    /// Prefetches the data of a body that a test reads.
    #[inline(always)]
    pub(super) fn prefetch(&self, proxy: Proxy) {
        if Self::is_fixed(proxy) {
            prefetch_all(&self.fixed[proxy.index()]);
        } else {
            prefetch_item(self.aabbs, proxy.index() as u32);
        }
    }

    /// Whether there are enough bodies for prefetching to pay off.
    #[inline(always)]
    pub(super) fn is_large(&self) -> bool {
        self.aabbs.len().max(self.fixed.len()) >= prefetch::MIN_ITEMS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_pair_when_each_pairs_with_a_layer_of_the_other() {
        let some = Layers { own: 1, pairs_with: 2 };
        assert!(Layers::ALL.pair(some) && some.pair(Layers::ALL) && !some.pair(some));
        assert!(some.pair(Layers { own: 2, pairs_with: 1 }));
        assert!(!Layers::ALL.pair(Layers { own: 2, pairs_with: 0 }));
    }
}
