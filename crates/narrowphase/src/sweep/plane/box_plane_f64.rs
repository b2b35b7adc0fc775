//! A box over a plane, and how much lies between them, in `f64`.

use super::{filter::Sieve, simd::Glance, vectorized::Simd};
use crate::{
    Contacts, FeatureId, Obb, Plane, Sides,
    contact::contacts::Lowest,
    exact::predicate::{Exact, sign},
    minkowski::ROUNDING,
    sweep::{Overlap, Sweep},
};
use glam::{DVec3, DVec4, Vec3, swizzles::Vec3Swizzles};
use std::cmp::Ordering::{Equal, Greater, Less};

/// A box over a plane, in `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    /// The plane's normal as it is stored.
    pub(crate) normal: DVec3,
    /// Half edges and centre by coordinate.
    rows: [DVec4; 3],
    /// The half edges along the normal.
    pub(crate) along: DVec3,
    /// How far the box reaches toward the plane.
    pub(crate) reach: f64,
    /// The signed distance of its centre.
    pub(crate) height: f64,
    /// More than what any sum of these may be off.
    pub(crate) error: f64,
}

impl Over {
    #[inline(always)]
    pub(crate) fn new(sieve: &Sieve, plane: &Plane) -> Self {
        let normal = plane.normal().as_dvec3();
        let [x, y, z] = sieve.rows();
        let rows = [x.as_dvec4(), y.as_dvec4(), z.as_dvec4()];
        let along = rows[0] * normal.x + rows[1] * normal.y + rows[2] * normal.z;
        Self {
            normal,
            rows,
            along: along.truncate(),
            reach: along.x.abs() + along.y.abs() + along.z.abs(),
            height: along.w + f64::from(plane.d()),
            error: sieve.wide_error(Vec3::ZERO),
        }
    }

    /// From what is known of it at a glance.
    #[inline(always)]
    pub(super) fn from_glance<S: Simd>(glance: &Glance<S>, plane: &Plane) -> Self {
        let [x, y, z] = glance.rows;
        let along = DVec4::from_array(glance.along.into());
        Self {
            normal: plane.normal().as_dvec3(),
            rows: [DVec4::from_array(x.into()), DVec4::from_array(y.into()), DVec4::from_array(z.into())],
            along: along.truncate(),
            reach: glance.reach,
            height: glance.height,
            error: glance.error,
        }
    }

    /// The half edges along any direction.
    #[inline(always)]
    pub(crate) fn along_each(&self, direction: DVec3) -> DVec3 {
        let [x, y, z] = self.rows;
        (x * direction.x + y * direction.y + z * direction.z).truncate()
    }

    /// How far the farthest vertex is from the centre, and the sum of the magnitudes of all products in the gap; neither is more.
    #[inline(always)]
    pub(crate) fn sizes(&self, plane: &Plane) -> (f64, f64) {
        // No component of the normal is longer than one, but for its rounding.
        let [x, y, z] = self.rows;
        let sums = x.abs() + y.abs() + z.abs();
        let edges = sums.x + sums.y + sums.z;
        (edges, 1.000_001 * (edges + sums.w + f64::from(plane.d().abs())))
    }

    /// The side on which the box starts, 1 for the front and −1 for the back, and its gap there: `Err` when the plane ignores it,
    /// `None` when that takes exact arithmetic.
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
    /// Mostly it is a vertex that lies deepest, and that is inlined and returned apart: contacts that are written by parts and then copied
    /// as a whole wait for each other.
    #[inline(always)]
    pub(crate) fn overlap(&self, sieve: &Sieve, body: &Obb, normal: Vec3, side: f64, depth: f64) -> Sweep {
        let (normal, center) = (normal * side as f32 + Vec3::ZERO, body.center().as_dvec3());
        if let Some(vertex) = sieve.lowest_vertex(side) {
            let depth = depth * self.unit();
            let contacts = Contacts::vertex(self.vertex(center, side), -depth, vertex);
            return Sweep::Overlap(Overlap { depth: depth.max(0.0) as f32, normal, contacts });
        }
        self.overlap_by_more(center, normal, side, depth)
    }

    /// The same where an edge or a face may lie deepest.
    #[cold]
    fn overlap_by_more(&self, center: DVec3, normal: Vec3, side: f64, depth: f64) -> Sweep {
        let contacts = self.contacts(side, FeatureId::NONE, center, -depth, f64::NEG_INFINITY);
        Sweep::Overlap(Overlap { depth: (depth * self.unit()).max(0.0) as f32, normal, contacts })
    }

    /// The contacts of the box with its centre at `center`, where its `gap` is in units of the normal's length; no separation comes
    /// out below `least`.
    #[inline]
    pub(crate) fn contacts(&self, side: f64, previous: FeatureId, center: DVec3, gap: f64, least: f64) -> Contacts {
        let (lowest, unit) = (self.lowest(side, previous), self.unit());
        lowest.contacts(center, (gap + self.reach) * unit, unit, least)
    }

    /// The same at its own centre, and with them all vertices of the face there that are no farther than `margin` from the plane.
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
    fn lowest(&self, side: f64, previous: FeatureId) -> Lowest {
        let [x, y, z] = self.rows;
        let edges = [DVec3::new(x.x, y.x, z.x), DVec3::new(x.y, y.y, z.y), DVec3::new(x.z, y.z, z.z)];
        Lowest::new(edges, self.normal, (side * self.along).to_array(), previous)
    }

    /// The normal and `d` of the plane at `toi`, seen from the box.
    #[inline(always)]
    pub(crate) fn facing(&self, plane: &Plane, plane_motion: DVec3, side: f64, toi: f64) -> (DVec3, f64) {
        (side * self.normal, side * (f64::from(plane.d()) - toi * self.normal.dot(plane_motion)))
    }

    /// More than what the height may be off once it has changed by as much as this motion makes of it.
    #[inline(always)]
    pub(super) fn error_of(&self, motion: DVec3) -> f64 {
        32.0 * ROUNDING * self.normal.abs().dot(motion.abs())
    }

    /// The lowest vertex of the box with its centre at `center`, when no edge is parallel to the plane.
    #[inline(always)]
    pub(crate) fn vertex(&self, center: DVec3, side: f64) -> Vec3 {
        let down = |x: f64| f64::copysign(1.0, -side * x);
        let down = DVec4::new(down(self.along.x), down(self.along.y), down(self.along.z), 0.0);
        let sum = |row: DVec4| row.x + row.y + row.z;
        let [x, y, z] = [self.rows[0] * down, self.rows[1] * down, self.rows[2] * down];
        DVec3::new(center.x + sum(x), center.y + sum(y), center.z + sum(z)).as_vec3()
    }

    /// One over the length of the plane's normal, whose square is within 2^-21 of one: three terms of the series are all that `f64`
    /// holds.
    #[inline(always)]
    pub(crate) fn unit(&self) -> f64 {
        let excess = self.normal.length_squared() - 1.0;
        1.0 - excess * (0.5 - 0.375 * excess)
    }
}

/// A one-sided plane ignores what is wholly behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ignored;

impl Plane {
    /// On which side a box is held that approaches as the sum of these terms tells: 1 for the front, −1 for the back, `None` for a box
    /// that the plane ignores.
    pub(crate) fn start_side(&self, body: &Obb, sides: Sides, approach: &[f64]) -> Option<f64> {
        match sides {
            Sides::Front => (sign(&self.extreme_terms(body, 1.0)) != Less).then_some(1.0),
            Sides::Both => match sign(&self.distance_terms(body.center())) {
                Greater => Some(1.0),
                Less => Some(-1.0),
                // A centre on the plane is leaving it, whichever way it goes.
                Equal => Some(if sign(approach) == Less { -1.0 } else { 1.0 }),
            },
        }
    }

    /// The same, and the gap there, of the right sign.
    #[cold]
    pub(crate) fn start_exactly(&self, body: &Obb, sides: Sides, approach: &[f64]) -> Option<(f64, f64)> {
        let side = self.start_side(body, sides, approach)?;
        Some((side, side * Exact::sum(&self.extreme_terms(body, -side)).value()))
    }
}

/// The length of the longest `±a ±b ±c`, of three vectors by coordinate: squared, `|a|² + |b|² + |c|² + 2 (± a·b ± a·c ± b·c)`, where of the
/// three signs an even number is negative.
#[inline(always)]
pub(crate) fn circumradius<const N: usize>(rows: [DVec3; N]) -> f64 {
    let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
    for row in rows {
        squares += row * row;
        products += row * row.yzx();
    }
    let sizes = products.abs();
    // Where all three cannot count positively, the least counts negatively.
    let is_odd = (products.x < 0.0) ^ (products.y < 0.0) ^ (products.z < 0.0);
    let lost = if is_odd { sizes.min_element() } else { 0.0 };
    (squares.element_sum() + 2.0 * sizes.element_sum() - 4.0 * lost).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn the_circumradius_is_the_length_of_the_longest_sum() {
        let mut rng = Rng::with_seed(SEED ^ 32);
        for case in 0..10_000 {
            let mut vector = || DVec3::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
            let [a, b, c] = [vector(), vector(), if case % 2 == 0 { vector() } else { DVec3::ZERO }];
            let sums = [a + b + c, a + b - c, a - b + c, -a + b + c];
            let longest = sums.map(DVec3::length).into_iter().fold(0.0, f64::max);
            let radius = circumradius([0, 1, 2].map(|i| DVec3::new(a[i], b[i], c[i])));
            assert!((radius - longest).abs() < 1e-14, "case {case}: {radius} {longest}");
        }
    }
}
