//! The difference of two convex hulls as an intersection of slabs: overlaps, sweeps and depths.
//!
//! Every edge of the difference is parallel to an edge of one of the shapes, so every face is spanned by two of their
//! edges: of the same face, or one of each shape. A slab across any other two contains the difference as well, and does
//! no harm. If neither shape is a solid, the difference may be flat, and takes slabs across the missing dimensions.

use crate::interval::{Constraint, Interval};
use crate::polytope::without_parallels;
use crate::sweep::verdict;
use crate::vector::Vector;
use crate::zonotope::{Slab, facet_axes};
use crate::{Exact, Parameter, Ratio, Sweep};

use super::{Convex, Coordinate};

/// The outcome of a sweep. A motion *enters* if it passes through the interior of the difference (through the relative
/// interior, if that is a polygon across the motion).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SweepVerdict {
    /// Nothing is entered at a time in [0, 1): the shapes stay apart, they touch at 1 exactly, or they pass along each
    /// other, or they touch at 0 and part or slide.
    Clear,
    /// The interiors overlap at 0.
    Overlap,
    /// The shapes come to touch at this time in [0, 1), and the motion enters from there. At 0, if they touch to begin
    /// with and the motion enters at once.
    Hit(Ratio),
}

/// The way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Depth {
    /// The square of the least translation after which the interiors do not overlap.
    pub squared: Ratio,
    /// All directions, of no particular length, in which the first shape has to be moved by that much. If the depth is
    /// 0, directions in which the shapes part or slide.
    pub directions: Vec<Vector>,
}

/// All points `b − a` of two shapes.
#[derive(Clone, Debug)]
pub struct Difference {
    pub(super) slabs: Vec<AxisSlab>,
}

/// The points with `low <= axis · p <= high`.
#[derive(Clone, Debug)]
pub(super) struct AxisSlab {
    pub(super) axis: Vector,
    pub(super) low: Exact,
    pub(super) high: Exact,
}

impl Difference {
    /// The difference of `b` and `a`.
    pub fn new(a: &Convex, b: &Convex) -> Self {
        let [edges_a, edges_b] = [a, b].map(|shape| without_parallels(shape.edge_directions()));
        let axes = if a.faces.len().max(b.faces.len()) > 1 {
            let crosses = edges_a.iter().flat_map(|e| edges_b.iter().map(|f| e.cross(f)));
            let normals = a.faces.iter().chain(&b.faces).map(|face| face.normal.clone());
            normals.chain(crosses.filter(|axis| !axis.is_zero())).collect()
        } else {
            facet_axes(&without_parallels(edges_a.into_iter().chain(edges_b)))
        };
        let slab = |axis: Vector| {
            let [(low_a, high_a), (low_b, high_b)] = [a, b].map(|shape| extent(&shape.points, &axis));
            AxisSlab { low: low_b - high_a, high: high_b - low_a, axis }
        };
        Self { slabs: axes.into_iter().map(slab).collect() }
    }

    /// Whether the shapes share a point.
    pub fn overlaps(&self) -> bool {
        self.slabs.iter().all(|slab| !slab.low.is_positive() && !slab.high.is_negative())
    }

    /// Whether the interiors overlap.
    pub fn interiors_overlap(&self) -> bool {
        self.slabs.iter().all(|slab| slab.low.is_negative() && slab.high.is_positive())
    }

    /// The first shape moving by `motion` against the second at rest.
    pub fn sweep<T: Coordinate>(&self, motion: [T; 3]) -> SweepVerdict {
        let along = self.along(&super::vector(motion));
        // A line in space misses a segment or a point.
        let can_be_crossed = along.iter().filter(|slab| slab.flat).count() <= 1;
        match verdict(&along) {
            Sweep::Overlap => SweepVerdict::Overlap,
            Sweep::Hit(Parameter::Quotient(time)) if can_be_crossed => SweepVerdict::Hit(time),
            _ => SweepVerdict::Clear,
        }
    }

    /// The first and the last time in [0, 1], both ends included, at which the closed shapes share a point.
    pub fn contact<T: Coordinate>(&self, motion: [T; 3]) -> Option<[Ratio; 2]> {
        let mut sides: Vec<Constraint> =
            self.along(&super::vector(motion)).into_iter().flat_map(|slab| slab.sides).collect();
        sides.push(Constraint::new(Exact::ZERO, Exact::ONE));
        sides.push(Constraint::new(Exact::ONE, Exact::from(-1)));
        let Interval { enter, exit } = Interval::of(&sides)?;
        Some([enter, exit].map(|end| end.expect("both ends are bounded")))
    }

    /// The way out of the second shape for the first; `None` if they do not meet.
    pub fn depth(&self) -> Option<Depth> {
        if !self.overlaps() {
            return None;
        }
        let minus = |axis: &Vector| axis.times(&Exact::from(-1));
        let ways = || {
            self.slabs.iter().flat_map(|AxisSlab { axis, low, high }| {
                let square = |reach: &Exact| Ratio::new(reach * reach, axis.length_squared());
                [(square(high), axis.clone()), (square(low), minus(axis))]
            })
        };
        let squared = ways().map(|(square, _)| square).min().expect("there is always an axis");
        let least = ways().filter(|(square, _)| *square == squared).map(|(_, direction)| direction);
        let mut directions: Vec<Vector> = Vec::new();
        for direction in least {
            let same = |other: &Vector| other.cross(&direction).is_zero() && other.dot(&direction).is_positive();
            if !directions.iter().any(same) {
                directions.push(direction);
            }
        }
        Some(Depth { squared, directions })
    }

    fn along(&self, motion: &Vector) -> Vec<Slab> {
        let slab = |AxisSlab { axis, low, high }: &AxisSlab| {
            Slab::new(&Exact::ZERO, &axis.dot(motion), &low.clone().into(), &high.clone().into())
        };
        self.slabs.iter().map(slab).collect()
    }
}

fn extent(points: &[Vector], axis: &Vector) -> (Exact, Exact) {
    let heights: Vec<Exact> = points.iter().map(|point| point.dot(axis)).collect();
    let [low, high] = [heights.iter().min(), heights.iter().max()].map(|end| end.expect("a hull has points").clone());
    (low, high)
}
