//! Whether two boxes share a point, exactly, however they are skewed or flattened.
//!
//! Boxes `c + Σ s_k h_k` and `c' + Σ t_k h'_k` meet iff the offset `c' − c` lies in the zonotope `Σ s_k g_k` of all
//! their half edges `g`. Its faces are spanned by pairs of edges, so for a solid zonotope it is enough to compare, for
//! each pair, the offset along `a = g_i × g_j` with the reach `Σ |a · g_k|`: for two boxes, these are the well-known 15
//! axes (3 + 3 + 9). A flat zonotope has further faces inside its plane, a rod its two ends.
//!
//! A cross product of `f32` edges is exact up to one rounding per component, even for edges that are nearly parallel,
//! so the filter's bound is relative to the axis itself, and only a touch within rounding needs the exact polynomial.
//! Most of these touches are on a grid, where the rounded evaluation is exact, or along a coordinate axis, as for a box
//! on a floor or beside a wall, where it is a sum of coordinates.
//!
//! Sources: Gottschalk, Lin, Manocha, "OBBTree" (1996), §5; McMullen, "On Zonotopes" (1971).

use crate::{
    arrays::Mapped,
    exact::predicate::{Exact, Sum, sign},
    lists::Listed,
};
use arrayvec::ArrayVec;
use glam::DVec3;
use std::cmp::Ordering;

/// More than the rounding of the sums below, relative to the magnitudes of their terms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A vector whose components are exact sums of three doubles each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vector([[f64; 3]; 3]);

impl Vector {
    pub(crate) fn new(v: DVec3) -> Self {
        Self::sum([v, DVec3::ZERO, DVec3::ZERO])
    }

    /// The exact sum of three vectors.
    pub(crate) fn sum([a, b, c]: [DVec3; 3]) -> Self {
        Self([0, 1, 2].mapped(|axis| [a[axis], b[axis], c[axis]]))
    }

    fn rounded(&self) -> DVec3 {
        DVec3::from_array(self.0.mapped(|terms| terms.iter().sum()))
    }

    fn magnitude(&self) -> DVec3 {
        DVec3::from_array(self.0.mapped(|terms| terms.iter().map(|x| x.abs()).sum()))
    }

    fn exact(&self) -> [Exact; 3] {
        self.0.mapped(|terms| Exact::sum(&terms).compact())
    }
}

/// Whether the `offset` from the centre of the zonotope lies in it, exactly. The `edges` may have two terms per
/// component only where they run along a coordinate axis, which keeps the roundings of their cross products apart.
pub(crate) fn contains<const N: usize>(edges: &[Vector; N], offset: &Vector) -> bool {
    contains_along(edges, &std::array::from_fn(|i| edges[i].rounded()), offset)
}

/// The same for edges that are multiples of these `directions`, whose cross products are the ones with one rounding per
/// component. A direction is zero where its edge is.
pub(crate) fn contains_along<const N: usize>(edges: &[Vector; N], directions: &[DVec3; N], offset: &Vector) -> bool {
    let rounded: [DVec3; N] = std::array::from_fn(|i| edges[i].rounded());
    let to = offset.rounded();
    let size = rounded.iter().fold(offset.magnitude(), |sum, edge| sum + edge.abs());
    let mut is_solid = false;
    let mut undecided: ArrayVec<[usize; 2], 15> = ArrayVec::new();
    for i in 0..N {
        for j in i + 1..N {
            let axis = cross(directions[i], directions[j]);
            let reach: f64 = rounded.iter().map(|edge| axis.dot(*edge).abs()).sum();
            let gap = axis.dot(to).abs() - reach;
            let error = ROUNDING * axis.abs().dot(size);
            if gap > error {
                return false;
            } else if gap < -error {
                is_solid = true;
            } else if error > 0.0 {
                undecided.push([i, j]);
            }
        }
    }
    if !undecided.is_empty() && is_without_rounding(edges, directions, offset) {
        for [i, j] in undecided.drain(..) {
            let axis = cross(directions[i], directions[j]);
            let reach: f64 = rounded.iter().map(|edge| axis.dot(*edge).abs()).sum();
            if axis.dot(to).abs() > reach {
                return false;
            }
            is_solid |= reach > 0.0;
        }
    }
    // Once one axis separates, the others need no exact work, so that comes last.
    let mut seen = [false; 3];
    let mut is_apart = false;
    undecided.retain(|&mut [i, j]| {
        let Some(axis) = coordinate_axis(cross(directions[i], directions[j])) else { return true };
        if !std::mem::replace(&mut seen[axis], true) {
            is_solid |= rounded.iter().any(|edge| edge[axis] != 0.0);
            is_apart |= are_apart_along(axis, edges, offset);
        }
        false
    });
    if is_apart {
        return false;
    }
    if undecided.is_empty() && is_solid {
        return true;
    }
    let exact = Exactly::new(edges, offset);
    for [i, j] in undecided {
        let axis = exact_cross(&exact.edges[i], &exact.edges[j]);
        if exact.is_separated_by(&axis) {
            return false;
        }
        is_solid = is_solid || exact.reach(&axis).sign() == Ordering::Greater;
    }
    is_solid || exact.is_in_flat()
}

/// Whether all numbers have so few digits, like those of a grid, that `f64` holds every gap and reach without rounding:
/// as many digits as a sum of products of two directions and a coordinate may have.
fn is_without_rounding(edges: &[Vector], directions: &[DVec3], offset: &Vector) -> bool {
    let terms = edges.iter().chain([offset]).flat_map(|vector| vector.0.into_iter().flatten());
    let (high, low) = digits(terms);
    let (direction_high, direction_low) = digits(directions.iter().flat_map(DVec3::to_array));
    // For two products, three coordinates, three terms per coordinate and up to seven vectors.
    high + 2 * direction_high + 8 - (low + 2 * direction_low) <= f64::MANTISSA_DIGITS as i32
}

/// The binary places of the first and the last digit of all numbers together, the first exclusive; an empty range when
/// all are zero.
fn digits(numbers: impl Iterator<Item = f64>) -> (i32, i32) {
    let (high, low) = numbers.filter(|x| *x != 0.0).fold((i32::MIN, i32::MAX), |(high, low), x| {
        let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
        let zeros = (x.to_bits() | 1 << 52).trailing_zeros() as i32;
        (high.max(exponent + 1), low.min(exponent - 52 + zeros))
    });
    if high < low { (0, 0) } else { (high, low) }
}

/// The coordinate axis that `axis` runs along, if any: rounding never turns a component of a cross product into zero,
/// nor zero into another number.
fn coordinate_axis(axis: DVec3) -> Option<usize> {
    match axis.to_array().mapped(|x| x != 0.0) {
        [true, false, false] => Some(0),
        [false, true, false] => Some(1),
        [false, false, true] => Some(2),
        _ => None,
    }
}

/// Whether the offset is beyond the zonotope's reach along a coordinate axis, exactly.
fn are_apart_along(axis: usize, edges: &[Vector], offset: &Vector) -> bool {
    let magnitude = |v: &Vector, factor: f64| {
        let terms = v.0[axis];
        let factor = if sign(&terms) == Ordering::Less { -factor } else { factor };
        terms.mapped(|x| factor * x)
    };
    let reach = edges.iter().flat_map(|edge| magnitude(edge, -1.0));
    let terms: Sum = magnitude(offset, 1.0).into_iter().chain(reach).filter(|x| *x != 0.0).listed();
    sign(&terms) == Ordering::Greater
}

/// The same numbers as unevaluated sums.
struct Exactly {
    edges: ArrayVec<[Exact; 3], 6>,
    offset: [Exact; 3],
}

impl Exactly {
    fn new(edges: &[Vector], offset: &Vector) -> Self {
        Self { edges: edges.iter().map(Vector::exact).collect(), offset: offset.exact() }
    }

    fn is_separated_by(&self, axis: &[Exact; 3]) -> bool {
        magnitude(exact_dot(axis, &self.offset)).minus(&self.reach(axis)).sign() == Ordering::Greater
    }

    /// How far the zonotope extends from its centre along `axis`.
    fn reach(&self, axis: &[Exact; 3]) -> Exact {
        self.edges.iter().fold(Exact::default(), |sum, edge| sum.plus(&magnitude(exact_dot(axis, edge))))
    }

    /// The answer for a zonotope that lies in a plane, when no cross product of edges separates the offset, so that it
    /// lies in the plane as well.
    fn is_in_flat(&self) -> bool {
        let pairs = self.edges.iter().enumerate().flat_map(|(i, a)| self.edges[i + 1..].iter().map(move |b| (a, b)));
        if let Some(normal) = pairs.map(|(a, b)| exact_cross(a, b)).find(is_nonzero) {
            // A polygon: its sides run along the edges.
            return !self.edges.iter().any(|edge| self.is_separated_by(&exact_cross(&normal, edge)));
        }
        match self.edges.iter().find(|edge| is_nonzero(edge)) {
            Some(edge) => !is_nonzero(&exact_cross(edge, &self.offset)) && !self.is_separated_by(edge),
            None => !is_nonzero(&self.offset),
        }
    }
}

/// Written out, because a target with fused multiply-add must not change its bits.
fn cross(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

fn exact_cross(a: &[Exact; 3], b: &[Exact; 3]) -> [Exact; 3] {
    [0, 1, 2].mapped(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j].times(&b[k]).minus(&a[k].times(&b[j])).compact()
    })
}

fn exact_dot(a: &[Exact; 3], b: &[Exact; 3]) -> Exact {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2])).compact()
}

fn magnitude(x: Exact) -> Exact {
    if x.sign() == Ordering::Less { Exact::default().minus(&x) } else { x }
}

fn is_nonzero(v: &[Exact; 3]) -> bool {
    v.iter().any(|x| x.sign() != Ordering::Equal)
}
