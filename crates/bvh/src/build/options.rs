//! Options for building a tree.

/// The trade-off between the quality of a tree and the time to build it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Splits where rays are expected to cost least. For trees that are queried more often than they are built.
    #[default]
    Best,
    /// Packs leaves along a curve, in less than half the time. For boxes that all move between two rounds of queries.
    Fast,
}

/// Options of [`Bvh::build_with`](crate::Bvh::build_with). The default gives the tree of
/// [`Bvh::build`](crate::Bvh::build).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Which builder is used.
    pub quality: Quality,
}
