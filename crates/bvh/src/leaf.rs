//! The identifier of a box in a tree.

/// A layer mask that every leaf matches, unless its own mask is zero.
pub const ALL: u32 = u32::MAX;

/// Set in the leaves of a broadphase's fixed bodies, which are numbered separately from those of the moving bodies.
pub(crate) const FIXED: u32 = 1 << 30;

/// Identifies a box of a [`Bvh`](crate::Bvh). `build` numbers leaves in order; `insert` takes the number that was freed
/// last, or the next one. A leaf has no version: one that was removed may come to name another box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leaf(u32);

impl Leaf {
    /// Returns the leaf numbered `index`.
    ///
    /// # Panics
    /// If `index` is 2^30 − 1 or more: a tree has fewer leaves.
    ///
    /// ```
    /// # use cullide_bvh::Leaf;
    /// assert_eq!(Leaf::new(7).index(), 7);
    /// ```
    pub fn new(index: u32) -> Self {
        assert!(index < FIXED - 1, "leaf {index} is out of range: a tree has fewer than 2^30 - 1 leaves");
        Self(index)
    }

    /// Returns the number, for use as an index into the caller's own objects.
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
