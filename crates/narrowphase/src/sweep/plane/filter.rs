//! What can be told about a box and a plane in `f32` alone: mostly, that they do not meet.
//!
//! The lanes hold the three half edges and the centre, so that one multiplication a coordinate gives all products with the normal:
//!
//! ```text
//!   nₓ · (h₀ₓ h₁ₓ h₂ₓ qₓ)  +  n_y · (…)  +  n_z · (…)  =  (h₀·N  h₁·N  h₂·N  Q·N)
//! ```
//!
//! No sum of them has a term that is rounded more than nine times, so it errs by less than `10 u M`, `M` being the sum of all
//! magnitudes; a product that underflows costs `2^-150`. Where numbers overflow, comparisons fail and nothing is told.
//!
//! Source: Higham, "Accuracy and Stability of Numerical Algorithms", §3.1.

use crate::{Plane, Side, Sides, contact::contacts::FEATURE_ANGLE};
use glam::{Vec3, Vec4, swizzles::Vec4Swizzles};

/// `10 u` and something for the rounding of the bound itself.
pub(super) const SUM_ERROR: f32 = 16.0 * 0.5 * f32::EPSILON;

/// More than all underflowing products together, and far below any distance that matters.
pub(super) const UNDERFLOW: f32 = f32::MIN_POSITIVE;

/// A box over a plane, in `f32`: half edges and centre by coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sieve {
    rows: [Vec4; 3],
    /// Half edges and centre along the normal.
    along: Vec4,
    reach: f32,
    height: f32,
    error: f32,
}

impl Sieve {
    /// From half edges and centre by coordinate.
    #[inline(always)]
    pub(crate) fn new(rows: [Vec4; 3], plane: &Plane) -> Self {
        let n = plane.normal();
        let (x, y, z) = (rows[0] * n.x, rows[1] * n.y, rows[2] * n.z);
        let along = x + y + z;
        let sizes = x.abs() + y.abs() + z.abs();
        let reaches = along.abs();
        Self {
            rows,
            along,
            reach: reaches.x + reaches.y + reaches.z,
            height: along.w + plane.d(),
            error: SUM_ERROR * (sizes.x + sizes.y + sizes.z + sizes.w + plane.d().abs()) + UNDERFLOW,
        }
    }

    /// The side of the plane on which the box lies, where that is certain; [`Side::Straddling`] means on both.
    #[inline(always)]
    pub(crate) fn side(&self) -> Option<Side> {
        let (low, high) = (self.height - self.reach, self.height + self.reach);
        if low > self.error {
            Some(Side::Front)
        } else if high < -self.error {
            Some(Side::Back)
        } else {
            (low < -self.error && high > self.error).then_some(Side::Straddling)
        }
    }

    /// Half edges and centre by coordinate.
    #[inline(always)]
    pub(super) fn rows(&self) -> [Vec4; 3] {
        self.rows
    }

    /// What more than bounds the error of the same sums in `f64`, with a motion of which these are the products with the normal.
    #[inline(always)]
    pub(super) fn wide_error(&self, toward: Vec3) -> f64 {
        // The same multiple of the magnitudes, doubled for the rounding of their sum.
        const RATIO: f64 = 2.0 * f64::EPSILON / f32::EPSILON as f64;
        RATIO * f64::from(self.error_with(toward))
    }

    #[inline(always)]
    fn error_with(&self, toward: Vec3) -> f32 {
        self.error + SUM_ERROR * (toward.x.abs() + toward.y.abs() + toward.z.abs())
    }

    /// Whether the box certainly starts where the plane ignores it, or starts clear of the plane and ends clear of it, for a relative
    /// motion whose products with the normal these are.
    #[inline(always)]
    pub(super) fn is_clear(&self, toward: Vec3, sides: Sides) -> bool {
        let change = toward.x + toward.y + toward.z;
        let error = self.error_with(toward);
        let ends = |height: f32, change: f32| height - self.reach > error && height - self.reach + change > error;
        match sides {
            Sides::Front => ends(self.height, change) || self.height + self.reach < -error,
            Sides::Both => ends(self.height, change) || ends(-self.height, -change),
        }
    }

    /// Whether the box certainly starts where the plane ignores it, or its centre stays higher than any vertex is away from it, for a
    /// motion and a half acceleration with these products.
    #[inline(always)]
    pub(crate) fn is_clear_turning(&self, toward: Vec3, pulled: Vec3, sides: Sides) -> bool {
        let (change, pull) = (toward.x + toward.y + toward.z, pulled.x + pulled.y + pulled.z);
        let error = self.error_with(toward) + self.error_with(pulled);
        let [x, y, z] = self.rows;
        let squares = x * x + y * y + z * z;
        let products = (x * x.yzxw() + y * y.yzxw() + z * z.yzxw()).abs();
        // |±a ±b ±c|² at most, and something for its rounding.
        let square = (squares.x + squares.y + squares.z) + 2.0 * (products.x + products.y + products.z);
        let radius = 1.000_01 * (square + UNDERFLOW).sqrt();
        // At t the centre has fallen by no more than at 1, or not at all.
        let stays = |height: f32, change: f32, pull: f32| height + (change + pull.min(0.0)).min(0.0) - radius > error;
        match sides {
            Sides::Front => stays(self.height, change, pull) || self.height + self.reach < -error,
            Sides::Both => stays(self.height, change, pull) || stays(-self.height, -change, -pull),
        }
    }

    /// The number of the vertex that lies lowest on this side of the plane, when all edges certainly lean against the plane by more than
    /// [`FEATURE_ANGLE`].
    #[inline(always)]
    pub(crate) fn lowest_vertex(&self, side: f64) -> Option<usize> {
        const SINE_SQUARED: f32 = (FEATURE_ANGLE * FEATURE_ANGLE * 1.02) as f32;
        let [x, y, z] = self.rows;
        let lengths_squared = x * x + y * y + z * z;
        // A product with the normal errs by less than 8 u of an edge's length, a hundredth of the angle; and where squares
        // underflow nothing is told.
        let leans = (self.along * self.along).cmpgt(lengths_squared * SINE_SQUARED + UNDERFLOW);
        let front = self.along.is_negative_bitmask() as usize;
        (leans.bitmask() & 0b111 == 0b111).then_some((if side < 0.0 { !front } else { front }) & 0b111)
    }
}
