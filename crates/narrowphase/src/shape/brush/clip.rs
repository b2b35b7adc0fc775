//! The corners of an intersection of half-spaces, found by cutting a box with one plane after another.
//!
//! The polytope is represented by its corners alone, each a right-handed triple of planes: the edge between faces `a`
//! and `b` reads `(a, b)` at one end and `(b, a)` at the other. A cut by plane `k` removes the corners strictly outside
//! it, and every removed edge whose other end stays, `(a, b)` without `(b, a)`, gives the new corner `(a, b, k)`:
//!
//! ```text
//!        stays   |  removed
//!     ───────────┼────────●  (a, b, c)
//!             (a, b, k)
//! ```
//!
//! The side of a corner is the exact sign of a 4 × 4 determinant, so topology never contradicts itself. A corner that
//! lies on the plane stays: this is the topology of planes pushed outward by infinitesimal amounts, larger for later
//! planes, and it keeps three planes at every corner (simulation of simplicity). Where more than three planes meet,
//! corners coincide.
//!
//! The size of the first box is not a guess. With unit normals whose components are zero or at least
//! [`SMALLEST_COMPONENT`], a determinant of three is zero or at least 2^-366, so Cramer's rule puts every corner within
//! 2^369 times the largest distance.
//!
//! Sources: Shewchuk, "Adaptive Precision Floating-Point Arithmetic", for the signs; Edelsbrunner and Mücke,
//! "Simulation of Simplicity", 1990. Cost: planes × corners.

use super::BrushPlane;
use crate::{
    arrays::Mapped,
    exact::{predicate::Exact, vector},
    lists::sorted,
};
use glam::DVec3;
use std::cmp::Ordering;

/// Components of a unit normal below this are zero: 2^-70, far below the rounding of the normal itself.
pub(super) const SMALLEST_COMPONENT: f64 = f64::from_bits((1023 - 70) << 52);

/// The half size of the first box, in units of the largest distance: 2^400, beyond the farthest possible corner.
const FIRST_BOX: f64 = f64::from_bits((1023 + 400) << 52);

/// The planes of the first box come before the real ones.
pub(super) const FIRST_PLANES: usize = 6;

/// Rounding of `f64`, 2^-53.
const ROUNDING: f64 = 0.5 * f64::EPSILON;

/// Below this triple product, 2^-20, a corner is computed from exact sums.
const WELL_DEFINED: f64 = f64::from_bits((1023 - 20) << 52);

/// A corner of the polytope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Indices of its planes, right-handed: the triple product of their normals is positive.
    pub(super) planes: [usize; 3],
    pub(super) point: DVec3,
    /// How far `point` may be off on each axis.
    pub(super) error: f64,
    /// The triple product, rounded: how well the planes define the corner.
    pub(super) determinant: f64,
}

impl Corner {
    /// By Cramer's rule. Every cross product of unit vectors errs by two roundings of at most 1, and so on upward.
    fn new(all: &[BrushPlane], planes: [usize; 3]) -> Self {
        let [a, b, c] = planes.mapped(|i| all[i]);
        let determinant = vector::determinant(a.normal, b.normal, c.normal);
        if determinant < WELL_DEFINED {
            return Self::ill_defined([a, b, c], planes);
        }
        let sum = b.normal.cross(c.normal) * a.distance
            + c.normal.cross(a.normal) * b.distance
            + a.normal.cross(b.normal) * c.distance;
        let mut point = sum / determinant;
        let size = a.distance.abs() + b.distance.abs() + c.distance.abs() + point.abs().max_element();
        let mut error = 10.0 * ROUNDING * size / determinant;
        let mut exact = 0;
        for (axis, coordinate) in [a, b, c].iter().filter_map(BrushPlane::axial) {
            point[axis] = coordinate;
            exact += 1;
        }
        if exact == 3 {
            error = 0.0;
        }
        Self { planes, point, error, determinant }
    }

    /// The same with exact sums, rounded at the end: for three planes that nearly share a line, as they do when a plane
    /// was meant to pass through an edge.
    #[cold]
    fn ill_defined([a, b, c]: [BrushPlane; 3], planes: [usize; 3]) -> Self {
        let rows = [a, b, c].mapped(row);
        // The determinant of three columns.
        let determinant = |[x, y, z]: [usize; 3]| {
            let product = |p: usize, q: usize, r: usize| rows[0][p].times(&rows[1][q]).times(&rows[2][r]);
            let even = product(x, y, z).plus(&product(y, z, x)).plus(&product(z, x, y));
            even.minus(&product(x, z, y)).minus(&product(z, y, x)).minus(&product(y, x, z)).value()
        };
        // Column 3 holds the distances, and replaces one coordinate after another.
        let divisor = determinant([0, 1, 2]);
        let point = DVec3::new(determinant([3, 1, 2]), determinant([0, 3, 2]), determinant([0, 1, 3])) / divisor;
        Self { planes, point, error: 8.0 * ROUNDING * point.abs().max_element(), determinant: divisor }
    }

    /// Whether the corner lies strictly outside plane `k`, exactly.
    fn is_outside(&self, all: &[BrushPlane], k: usize) -> bool {
        let plane = all[k];
        let distance = plane.normal.dot(self.point) - plane.distance;
        let magnitude = plane.normal.abs().dot(self.point.abs()) + plane.distance.abs();
        if distance.abs() > 2.0 * self.error + 8.0 * ROUNDING * magnitude {
            return distance > 0.0;
        }
        let [a, b, c] = self.planes.mapped(|i| all[i]);
        determinant_sign([a, b, c, plane]) == Ordering::Less
    }
}

/// The exact sign of the determinant of four rows `(normal, distance)`: minus that of the corner of the first three
/// against the fourth, when the first three are right-handed. By Laplace's rule on pairs of rows.
#[cold]
fn determinant_sign(planes: [BrushPlane; 4]) -> Ordering {
    let rows = planes.mapped(row);
    let minor =
        |a: usize, b: usize, p: usize, q: usize| rows[a][p].times(&rows[b][q]).minus(&rows[a][q].times(&rows[b][p]));
    const PAIRS: [[usize; 4]; 6] = [[0, 1, 2, 3], [2, 0, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [3, 1, 0, 2], [2, 3, 0, 1]];
    let product = |[p, q, r, s]: [usize; 4]| minor(0, 1, p, q).times(&minor(2, 3, r, s));
    PAIRS.into_iter().fold(Exact::default(), |sum, columns| sum.plus(&product(columns))).sign()
}

/// The coefficients of a plane.
fn row(plane: BrushPlane) -> [Exact; 4] {
    [plane.normal.x, plane.normal.y, plane.normal.z, plane.distance].mapped(|x| Exact::sum(&[x]))
}

/// What is left of space after all cuts.
pub(super) enum Cut {
    /// Nothing.
    Empty,
    /// Something that reaches infinity.
    Unbounded,
    /// A closed polytope, perhaps without an interior; plane indices are those of the caller.
    Corners(Vec<Corner>),
}

/// Cuts space by `planes`, whose largest absolute distance is `scale`.
pub(super) fn clip(planes: &[BrushPlane], scale: f64) -> Cut {
    let all: Vec<BrushPlane> = first_planes(FIRST_BOX * scale).into_iter().chain(planes.iter().copied()).collect();
    let mut corners = first_corners(&all);
    let mut removed_edges: Vec<(usize, usize)> = Vec::new();
    for k in FIRST_PLANES..all.len() {
        removed_edges.clear();
        corners.retain(|corner| {
            let outside = corner.is_outside(&all, k);
            if outside {
                let [a, b, c] = corner.planes;
                removed_edges.extend([(a, b), (b, c), (c, a)]);
            }
            !outside
        });
        if corners.is_empty() {
            return Cut::Empty;
        }
        let removed = sorted(&removed_edges, Ord::cmp);
        for &(a, b) in &removed {
            if removed.binary_search(&(b, a)).is_err() {
                corners.push(Corner::new(&all, [a, b, k]));
            }
        }
    }
    if corners.iter().any(|corner| corner.planes.into_iter().any(|i| i < FIRST_PLANES)) {
        return Cut::Unbounded;
    }
    for corner in &mut corners {
        corner.planes = corner.planes.mapped(|i| i - FIRST_PLANES);
    }
    Cut::Corners(corners)
}

fn first_planes(reach: f64) -> [BrushPlane; FIRST_PLANES] {
    std::array::from_fn(|i| {
        let sign = if i < 3 { 1.0 } else { -1.0 };
        BrushPlane { normal: sign * DVec3::AXES[i % 3], distance: reach }
    })
}

/// The eight corners of the first box; flipping one axis flips the handedness.
fn first_corners(all: &[BrushPlane]) -> Vec<Corner> {
    let triple = |bits: usize| {
        let plane = |axis: usize| axis + 3 * (bits >> axis & 1);
        if bits.count_ones().is_multiple_of(2) { [0, 1, 2].mapped(plane) } else { [0, 2, 1].mapped(plane) }
    };
    (0..8).map(|bits| Corner::new(all, triple(bits))).collect()
}
