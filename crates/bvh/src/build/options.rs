//! How a tree is built.

/// How good a tree is to be, and how long its building may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Splits where rays are expected to cost least: for trees that are queried more often than they are built.
    #[default]
    Best,
    /// Packed along a curve, in less than half the time: for boxes that all move between two rounds of queries.
    Fast,
}

/// How [`Bvh::build_with`](crate::Bvh::build_with) builds. The default is the tree of
/// [`Bvh::build`](crate::Bvh::build).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Which builder.
    pub quality: Quality,
}
