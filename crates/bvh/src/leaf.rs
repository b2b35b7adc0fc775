//! The name of a box in a tree.

/// A layer mask that every leaf matches, unless its own mask is zero.
pub const ALL: u32 = u32::MAX;

/// Set in the leaves of a broad phase's fixed bodies, which are numbered apart from those of the moving ones.
pub(crate) const FIXED: u32 = 1 << 30;

/// Which box of a [`Bvh`](crate::Bvh): `build` numbers them in order, `insert` takes the number that was freed last, or
/// the next one. It has no version: the name of a leaf that was removed may come to name another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leaf(u32);

impl Leaf {
    /// The leaf numbered `index`.
    ///
    /// # Panics
    /// From 2^30 − 1 on: a tree has fewer leaves.
    ///
    /// ```
    /// # use cullide_bvh::Leaf;
    /// assert_eq!(Leaf::new(7).index(), 7);
    /// ```
    pub fn new(index: u32) -> Self {
        assert!(index < FIXED - 1, "leaf {index} is out of range: a tree has fewer than 2^30 - 1 leaves");
        Self(index)
    }

    /// The number, for use as an index into the caller's own objects.
    #[inline]
    pub fn index(self) -> usize {
        (self.0 & !FIXED) as usize
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl Leaf {
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}
