//! What is remembered about a pair, and the numbers that identify the features of its points.

/// What decided about two shapes last time: the axis along which they were apart, or the face with which they touched.
/// See [`ContactManifold::update`](crate::ContactManifold::update).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldCache {
    axis: Axis,
}

/// A direction that may decide, named by the face or the edges it belongs to. A face of a box is named by the half edge
/// across it, an edge by the half edge along it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Axis {
    #[default]
    None,
    FaceOfFirst(u16),
    FaceOfSecond(u16),
    Edges(u16, u16),
}

impl ManifoldCache {
    #[inline]
    pub(super) fn axis(self) -> Axis {
        self.axis
    }

    #[inline]
    pub(super) fn set(&mut self, axis: Axis) {
        self.axis = axis;
    }
}

/// What a point of a manifold comes from. In its number, two bits tell the kind, and 15 bits each hold the number of
/// either shape's vertex or edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointFeature {
    VertexOfFirst(u32),
    VertexOfSecond(u32),
    Edges(u32, u32),
}

const BITS: u32 = 15;

const MASK: u32 = (1 << BITS) - 1;

impl PointFeature {
    #[inline]
    pub(super) fn number(self) -> u32 {
        match self {
            Self::VertexOfFirst(vertex) => 1 << (2 * BITS) | (vertex & MASK) << BITS,
            Self::VertexOfSecond(vertex) => 2 << (2 * BITS) | vertex & MASK,
            Self::Edges(first, second) => 3 << (2 * BITS) | (first & MASK) << BITS | second & MASK,
        }
    }
}

/// The number of a feature when the two shapes are swapped.
pub(super) fn swapped(feature: u32) -> u32 {
    let kind = match feature >> (2 * BITS) {
        1 => 2,
        2 => 1,
        other => other,
    };
    kind << (2 * BITS) | (feature & MASK) << BITS | feature >> BITS & MASK
}
