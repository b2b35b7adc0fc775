//! A node: sixteen child boxes stored as rows of numbers, and what each child is.

use crate::{
    lanes::{EVERY_LANE, LANES, Row, Simd, at_most, f32x16, load, splat},
    simd_aabb::SimdAabb,
};
use cullide_narrowphase::{Aabb, glam::Vec3};

/// Index of a node in its tree.
pub(crate) type NodeIndex = u32;

/// Set in a child that is a leaf; the other bits are its number. Without this bit the child is a node.
pub(crate) const LEAF: u32 = 1 << 31;

/// Marks a lane without a child. Its bounds are inverted infinities, which nothing hits.
pub(crate) const EMPTY: u32 = u32::MAX;

/// A face of a box, and so a row of a node. An enum rather than a number, so that selecting a row needs no bounds
/// check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Face {
    MinX,
    MaxX,
    MinY,
    MaxY,
    MinZ,
    MaxZ,
}

impl Face {
    pub(crate) fn is_upper(self) -> bool {
        self as u8 % 2 == 1
    }
}

/// Sixteen boxes, stored by side.
pub(crate) trait Rows {
    /// One side of all of them; the value is arbitrary in lanes without a box.
    fn row<S: Simd>(&self, simd: S, face: Face) -> f32x16<S>;

    /// All sides, in the order of a node's rows.
    #[inline(always)]
    fn rows<S: Simd>(&self, simd: S) -> [f32x16<S>; 6] {
        let row = |face: Face| self.row(simd, face);
        [row(Face::MinX), row(Face::MaxX), row(Face::MinY), row(Face::MaxY), row(Face::MinZ), row(Face::MaxZ)]
    }
}

impl Rows for Node {
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, face: Face) -> f32x16<S> {
        load(simd, &self.bounds[face as usize])
    }
}

/// Bounds by axis and side, lower then upper; a ray selects its near and far rows by the sign of its direction.
///
/// The alternative that was measured: nodes of 192 bytes with eight bits per bound, and the exact boxes of leaves in a
/// separate array, queried by the same traversal with AVX-512. Closest-hit rays through those take 1.34 to 1.58 times
/// as long (1.35 to 1.52 through 10,000 uniform boxes, 1.34 to 1.50 through 100,000 of a town). The cost of a node is
/// the latency from its address to its nearest child, which unpacking lengthens.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub(crate) bounds: [Row; 6],
    pub(crate) children: [u32; LANES],
}

/// Seven cache lines.
const _: () = assert!(size_of::<Node>() == 448 && align_of::<Node>() == 64);

impl Node {
    /// A node without children.
    pub(crate) const VACANT: Self = {
        let (low, high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
        Self { bounds: [low, high, low, high, low, high], children: [EMPTY; LANES] }
    };

    /// Writes `child` and its box from `min` to `max` into a lane.
    pub(crate) fn put_row(&mut self, lane: usize, child: u32, min: Vec3, max: Vec3) {
        self.set_bounds(lane, min, max);
        self.children[lane] = child;
    }

    /// Writes four boxes into the lanes from `lane` on, which must be one of the first thirteen.
    #[inline(always)]
    pub(crate) fn put_rows(&mut self, lane: usize, boxes: [&SimdAabb; 4]) {
        let lane = lane % LANES;
        let sides = SimdAabb::sides(boxes);
        for (row, side) in self.bounds.iter_mut().zip(&sides) {
            row[lane..lane + 4].copy_from_slice(&side.to_array());
        }
    }

    /// Writes the box from `min` to `max` into a lane.
    pub(crate) fn set_bounds(&mut self, lane: usize, min: Vec3, max: Vec3) {
        for axis in 0..3 {
            self.bounds[2 * axis][lane] = min[axis];
            self.bounds[2 * axis + 1][lane] = max[axis];
        }
    }

    /// Empties a lane.
    pub(crate) fn clear(&mut self, lane: usize) {
        self.put_row(lane, EMPTY, Vec3::INFINITY, Vec3::NEG_INFINITY);
    }

    /// The box of an occupied lane.
    pub(crate) fn aabb(&self, lane: usize) -> Option<Aabb> {
        let corner = |side: usize| Vec3::from_array(std::array::from_fn(|axis| self.bounds[2 * axis + side][lane]));
        Aabb::new(corner(0), corner(1)).ok()
    }

    /// The box of an occupied lane.
    pub(crate) fn simd_aabb(&self, lane: usize) -> SimdAabb {
        SimdAabb::of_bounds(self.lane_bounds(lane))
    }

    /// One bound of the box in a lane.
    #[inline(always)]
    pub(crate) fn bound(&self, face: Face, lane: usize) -> f32 {
        self.bounds[face as usize][lane % LANES]
    }

    /// The bounds of one lane, in the order of the rows.
    #[inline(always)]
    pub(crate) fn lane_bounds(&self, lane: usize) -> Bounds {
        bounds_at(&self.bounds, lane % LANES)
    }

    /// The lanes whose boxes overlap a box, touching included.
    #[inline(always)]
    pub(crate) fn overlapping<S: Simd>(&self, simd: S, bounds: &Bounds) -> u32 {
        overlapping(simd, &load_rows(simd, &self.bounds, 0), bounds)
    }

    /// The union of all children's boxes; `None` without children.
    pub(crate) fn union(&self) -> Option<Aabb> {
        self.lanes().filter_map(|lane| self.aabb(lane)).reduce(|a, b| a.union(&b))
    }

    /// The occupied lanes.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..LANES).filter(|&lane| self.children[lane] != EMPTY)
    }

    /// A lane without a child.
    pub(crate) fn free_lane(&self) -> Option<usize> {
        self.children.iter().position(|&child| child == EMPTY)
    }
}

/// The kind of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    Empty,
    Leaf(u32),
    Node(NodeIndex),
}

impl Child {
    pub(crate) fn of(bits: u32) -> Self {
        if bits == EMPTY {
            Self::Empty
        } else if bits & LEAF != 0 {
            Self::Leaf(bits & !LEAF)
        } else {
            Self::Node(bits)
        }
    }
}

/// A lane of a node, packed into one number: where a leaf or a child node is in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeLane(u32);

impl NodeLane {
    /// Nowhere: the slot of the root, or of a leaf that is not in use.
    pub(crate) const NONE: Self = Self(u32::MAX);

    pub(crate) fn new(node: NodeIndex, lane: usize) -> Self {
        Self(node * LANES as u32 + lane as u32)
    }

    /// From a packed slot: sixteen times the node, plus the lane.
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn node(self) -> usize {
        self.0 as usize / LANES
    }

    pub(crate) fn lane(self) -> usize {
        self.0 as usize % LANES
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// The bounds of one box, in the order of a node's rows: lower and upper for each axis.
pub(crate) type Bounds = [f32; 6];

/// The bounds of the box at index `place` of six rows.
#[inline(always)]
pub(crate) fn bounds_at<const N: usize>(rows: &[[f32; N]; 6], place: usize) -> Bounds {
    [rows[0][place], rows[1][place], rows[2][place], rows[3][place], rows[4][place], rows[5][place]]
}

/// Loads the bounds of the sixteen boxes from `start` on into registers.
#[inline(always)]
pub(crate) fn load_rows<const N: usize, S: Simd>(simd: S, rows: &[[f32; N]; 6], start: usize) -> [f32x16<S>; 6] {
    let row = |face: usize| load(simd, rows[face][start..].first_chunk().expect("rows are written in whole registers"));
    [row(0), row(1), row(2), row(3), row(4), row(5)]
}

/// Which of sixteen boxes overlap another box, touching included: one bit each.
#[inline(always)]
pub(crate) fn overlapping<S: Simd>(simd: S, rows: &[f32x16<S>; 6], other: &Bounds) -> u32 {
    let mut lanes = EVERY_LANE;
    // A loop, as closures this large would not be inlined.
    for axis in 0..3 {
        let (min, max) = (rows[2 * axis], rows[2 * axis + 1]);
        lanes &= at_most(min, splat(simd, other[2 * axis + 1])) & at_most(splat(simd, other[2 * axis]), max);
    }
    lanes
}
