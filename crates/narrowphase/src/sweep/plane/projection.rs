//! A box projected onto the normal of a plane: how high its centre lies and how far its half edges reach, in `f32` and
//! in `f64`.
//!
//! The lanes hold the three half edges and the centre, so that one multiplication per coordinate gives all products
//! with the normal:
//!
//! ```text
//!   nₓ · (h₀ₓ h₁ₓ h₂ₓ qₓ)  +  n_y · (…)  +  n_z · (…)  =  (h₀·N  h₁·N  h₂·N  Q·N)
//! ```
//!
//! [`along`] is that sum for every number type. [`BoxPlaneFilter`] takes it in `f32` with a bound on the error, which
//! is mostly enough to know that box and plane do not meet. [`BoxPlaneF64`] takes it in `f64`, where nearly every sign
//! is certain; all results are computed from it.
//!
//! No term of an `f32` sum is rounded more than nine times, so a sum errs by less than `10 u M`, where `M` is the sum
//! of all magnitudes; a product that underflows costs `2^-150`. If numbers overflow, comparisons fail and nothing is
//! decided.
//!
//! Source: Higham, "Accuracy and Stability of Numerical Algorithms", §3.1.

use super::{Sides, exact::Ignored};
use crate::{
    Contacts, FeatureId, Obb, Plane, Side,
    arrays::Mapped,
    contact::contacts::{FEATURE_ANGLE, LowestVertex},
    exact::ROUNDING,
    sweep::{Overlap, Sweep},
};
use glam::{DVec3, DVec4, Vec3, Vec4, swizzles::Vec4Swizzles};
use std::ops::{Add, Mul};

/// `10 u`, and something more for the rounding of the bound itself.
pub(super) const SUM_ERROR: f32 = 16.0 * 0.5 * f32::EPSILON;

/// More than all underflowing products together, and far below any distance that matters.
pub(super) const UNDERFLOW: f32 = f32::MIN_POSITIVE;

/// The dot products of vectors, given by coordinate, with `normal`.
#[inline(always)]
pub(super) fn along<V: Mul<N, Output = V> + Add<Output = V>, N>(rows: [V; 3], normal: [N; 3]) -> V {
    sum(products(rows, normal))
}

/// The products whose sum that is.
#[inline(always)]
fn products<V: Mul<N, Output = V>, N>([x, y, z]: [V; 3], [nx, ny, nz]: [N; 3]) -> [V; 3] {
    [x * nx, y * ny, z * nz]
}

#[inline(always)]
fn sum<V: Add<Output = V>>([x, y, z]: [V; 3]) -> V {
    x + y + z
}

/// A box over a plane in `f32`, with a bound on the error: decides what is certain beyond rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxPlaneFilter {
    /// Half edges and centre by coordinate.
    rows: [Vec4; 3],
    /// Half edges and centre along the normal.
    along: Vec4,
    /// How far the box extends from its centre along the normal.
    reach: f32,
    /// The signed distance of the centre.
    height: f32,
    /// More than the error of either of the two.
    error: f32,
}

impl BoxPlaneFilter {
    /// From half edges and centre by coordinate.
    #[inline(always)]
    pub(crate) fn new(rows: [Vec4; 3], plane: &Plane) -> Self {
        let products = products(rows, plane.normal().to_array());
        let (along, sizes) = (sum(products), sum(products.mapped(Vec4::abs)));
        let reaches = along.abs();
        Self {
            rows,
            along,
            reach: reaches.x + reaches.y + reaches.z,
            height: along.w + plane.d(),
            error: SUM_ERROR * (sizes.x + sizes.y + sizes.z + sizes.w + plane.d().abs()) + UNDERFLOW,
        }
    }

    /// The side of the plane on which the box lies, if that is certain; [`Side::Straddling`] means on both.
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

    /// More than the error of the same sums in `f64`, plus that of a motion whose products with the normal are
    /// `toward`.
    #[inline(always)]
    pub(super) fn f64_error(&self, toward: Vec3) -> f64 {
        // The same multiple of the magnitudes, doubled for the rounding of their sum.
        const RATIO: f64 = 2.0 * f64::EPSILON / f32::EPSILON as f64;
        RATIO * f64::from(self.error_with(toward))
    }

    #[inline(always)]
    fn error_with(&self, toward: Vec3) -> f32 {
        self.error + SUM_ERROR * (toward.x.abs() + toward.y.abs() + toward.z.abs())
    }

    /// Whether the box certainly starts where the plane ignores it, or starts and ends clear of the plane, for a
    /// relative motion whose products with the normal are `toward`.
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

    /// Whether the box certainly starts where the plane ignores it, or its centre stays higher over the plane than any
    /// vertex is away from the centre while the box rotates, for a motion and half an acceleration with these products.
    #[inline(always)]
    pub(crate) fn is_clear_rotating(&self, toward: Vec3, accelerated: Vec3, sides: Sides) -> bool {
        let (change, bend) = (toward.x + toward.y + toward.z, accelerated.x + accelerated.y + accelerated.z);
        let error = self.error_with(toward) + self.error_with(accelerated);
        let [x, y, z] = self.rows;
        let squares = x * x + y * y + z * z;
        let products = (x * x.yzxw() + y * y.yzxw() + z * z.yzxw()).abs();
        // At most |±a ±b ±c|², and something more for its rounding.
        let square = (squares.x + squares.y + squares.z) + 2.0 * (products.x + products.y + products.z);
        let radius = 1.000_01 * (square + UNDERFLOW).sqrt();
        // At t the centre has fallen by no more than at 1, or not at all.
        let stays = |height: f32, change: f32, bend: f32| height + (change + bend.min(0.0)).min(0.0) - radius > error;
        match sides {
            Sides::Front => stays(self.height, change, bend) || self.height + self.reach < -error,
            Sides::Both => stays(self.height, change, bend) || stays(-self.height, -change, -bend),
        }
    }

    /// The index of the vertex that lies lowest on this side of the plane, if every edge certainly leans against the
    /// plane by more than [`FEATURE_ANGLE`].
    #[inline(always)]
    pub(crate) fn lowest_vertex(&self, side: f64) -> Option<usize> {
        const SINE_SQUARED: f32 = (FEATURE_ANGLE * FEATURE_ANGLE * 1.02) as f32;
        let [x, y, z] = self.rows;
        let lengths_squared = x * x + y * y + z * z;
        // A product with the normal errs by less than 8 u of an edge's length, a hundredth of the angle; where squares
        // underflow the comparison fails.
        let leans = (self.along * self.along).cmpgt(lengths_squared * SINE_SQUARED + UNDERFLOW);
        let front = self.along.is_negative_bitmask() as usize;
        (leans.bitmask() & 0b111 == 0b111).then_some((if side < 0.0 { !front } else { front }) & 0b111)
    }
}

/// A box over a plane in `f64`, from which the answers are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxPlaneF64 {
    /// The plane's normal as stored, of unit length up to the rounding of `f32`.
    pub(crate) normal: DVec3,
    /// Half edges and centre by coordinate.
    pub(super) rows: [DVec4; 3],
    /// The half edges along the normal.
    pub(crate) along: DVec3,
    /// How far the box extends from its centre along the normal.
    pub(crate) reach: f64,
    /// The signed distance of the centre.
    pub(crate) height: f64,
    /// More than the error of any sum of these.
    pub(super) error: f64,
}

impl BoxPlaneF64 {
    #[inline(always)]
    pub(crate) fn new(filter: &BoxPlaneFilter, plane: &Plane) -> Self {
        let normal = plane.normal().as_dvec3();
        let rows = filter.rows.mapped(|row| row.as_dvec4());
        let along = along(rows, normal.to_array());
        Self {
            normal,
            rows,
            along: along.truncate(),
            reach: along.x.abs() + along.y.abs() + along.z.abs(),
            height: along.w + f64::from(plane.d()),
            error: filter.f64_error(Vec3::ZERO),
        }
    }

    /// The half edges along any direction.
    #[inline(always)]
    pub(crate) fn edges_along(&self, direction: DVec3) -> DVec3 {
        along(self.rows, direction.to_array()).truncate()
    }

    /// Upper bounds on the distance from the centre to a vertex, and on the sum of the magnitudes of all products in
    /// the gap.
    #[inline(always)]
    pub(crate) fn sizes(&self, plane: &Plane) -> (f64, f64) {
        // No component of the normal exceeds one, up to its rounding.
        let [x, y, z] = self.rows;
        let sums = x.abs() + y.abs() + z.abs();
        let edges = sums.x + sums.y + sums.z;
        (edges, 1.000_001 * (edges + sums.w + f64::from(plane.d().abs())))
    }

    /// The side on which the box starts, 1 for the front and −1 for the back, and its gap there; `Err` if the plane
    /// ignores the box, `None` if that takes exact arithmetic.
    #[inline]
    pub(crate) fn start(&self, sides: Sides) -> Option<Result<(f64, f64), Ignored>> {
        let side = match sides {
            Sides::Front if self.height + self.reach > self.error => 1.0,
            Sides::Front if self.height + self.reach < -self.error => return Some(Err(Ignored)),
            Sides::Both if self.height.abs() > self.error => self.height.signum(),
            Sides::Front | Sides::Both => return None,
        };
        let gap = side * self.height - self.reach;
        (gap.abs() > self.error).then_some(Ok((side, gap)))
    }

    /// The answer for a box that the plane cuts at the start by `depth`, in units of the normal's length.
    ///
    /// Mostly a vertex lies deepest, and that case is inlined and returned separately: contacts that are written in
    /// parts and then copied whole stall on store forwarding.
    #[inline(always)]
    pub(crate) fn overlap(&self, filter: &BoxPlaneFilter, body: &Obb, normal: Vec3, side: f64, depth: f64) -> Sweep {
        let (normal, center) = (normal * side as f32 + Vec3::ZERO, body.center().as_dvec3());
        if let Some(vertex) = filter.lowest_vertex(side) {
            let depth = depth * self.unit();
            let contacts = Contacts::vertex(self.vertex(center, side), -depth, vertex);
            return Sweep::Overlap(Overlap { depth: depth.max(0.0) as f32, normal, contacts });
        }
        self.overlap_by_feature(center, normal, side, depth)
    }

    /// The same if an edge or a face may lie deepest.
    #[cold]
    fn overlap_by_feature(&self, center: DVec3, normal: Vec3, side: f64, depth: f64) -> Sweep {
        let contacts = self.contacts(side, FeatureId::NONE, center, -depth, f64::NEG_INFINITY);
        Sweep::Overlap(Overlap { depth: (depth * self.unit()).max(0.0) as f32, normal, contacts })
    }

    /// The contacts of the box with its centre at `center` and its `gap` in units of the normal's length; separations
    /// below `least` are raised to it.
    #[inline]
    pub(crate) fn contacts(&self, side: f64, previous: FeatureId, center: DVec3, gap: f64, least: f64) -> Contacts {
        let (lowest, unit) = (self.lowest(side, previous), self.unit());
        lowest.contacts(center, (gap + self.reach) * unit, unit, least)
    }

    /// The same at its own centre, plus all vertices of the lowest face that are no farther than `margin` from the
    /// plane.
    pub(crate) fn contacts_within(
        &self,
        side: f64,
        previous: FeatureId,
        center: DVec3,
        gap: f64,
        margin: f64,
    ) -> Contacts {
        let (lowest, unit) = (self.lowest(side, previous), self.unit());
        let height = (gap + self.reach) * unit;
        lowest.contacts_within(center, height, (self.normal * (side * unit), unit), margin)
    }

    /// The lowest feature of the box.
    #[inline]
    fn lowest(&self, side: f64, previous: FeatureId) -> LowestVertex {
        let [x, y, z] = self.rows;
        let edges = [DVec3::new(x.x, y.x, z.x), DVec3::new(x.y, y.y, z.y), DVec3::new(x.z, y.z, z.z)];
        LowestVertex::new(edges, self.normal, (side * self.along).to_array(), previous)
    }

    /// The normal and `d` of the plane at `toi`, facing the side of the box.
    #[inline(always)]
    pub(crate) fn facing(&self, plane: &Plane, plane_motion: DVec3, side: f64, toi: f64) -> (DVec3, f64) {
        (side * self.normal, side * (f64::from(plane.d()) - toi * self.normal.dot(plane_motion)))
    }

    /// More than the error of the height once it has changed by this motion.
    #[inline(always)]
    pub(super) fn error_of(&self, motion: DVec3) -> f64 {
        32.0 * ROUNDING * self.normal.abs().dot(motion.abs())
    }

    /// The lowest vertex of the box with its centre at `center`, if no edge is parallel to the plane.
    #[inline(always)]
    pub(crate) fn vertex(&self, center: DVec3, side: f64) -> Vec3 {
        let down = |x: f64| f64::copysign(1.0, -side * x);
        let down = DVec4::new(down(self.along.x), down(self.along.y), down(self.along.z), 0.0);
        let sum = |row: DVec4| row.x + row.y + row.z;
        let [x, y, z] = self.rows.mapped(|row| row * down);
        DVec3::new(center.x + sum(x), center.y + sum(y), center.z + sum(z)).as_vec3()
    }

    /// One over the length of the plane's normal. The square of that length is within 2^-21 of one, so three terms of
    /// the series are all that `f64` holds.
    #[inline(always)]
    pub(crate) fn unit(&self) -> f64 {
        let excess = self.normal.length_squared() - 1.0;
        1.0 - excess * (0.5 - 0.375 * excess)
    }
}
