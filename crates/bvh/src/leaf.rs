//! The name of a box in a tree.

/// A layer mask that every leaf matches, unless its own mask is zero.
pub const ALL: u32 = u32::MAX;

/// Which box of a [`Bvh`](crate::Bvh): `build` numbers them in order, `insert` takes the number that was freed last, or the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leaf(u32);

impl Leaf {
    /// The leaf numbered `index`.
    ///
    /// # Panics
    /// From 2^31 − 1 on: a tree has fewer leaves.
    ///
    /// ```
    /// # use cullide_bvh::Leaf;
    /// assert_eq!(Leaf::new(7).index(), 7);
    /// ```
    pub fn new(index: u32) -> Self {
        assert!(index < i32::MAX as u32, "leaf {index} is out of range: a tree has fewer than 2^31 - 1 leaves");
        Self(index)
    }

    /// The number, for use as an index into the caller's own objects.
    pub fn index(self) -> usize {
        self.0 as usize
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
