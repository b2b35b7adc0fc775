//! A box as eight numbers, for arrays of boxes that are tested one against another.

use crate::lanes::{
    Simd,
    eight::{Row8, all8, at_most8, f32x8, load8, max8, min8, splat8, store, swap_halves},
};
use cullide_narrowphase::{
    Aabb, MAX_COORDINATE,
    glam::{Mat4, Vec3, Vec4},
};

/// `[−min, 0, max, 0]`: one box contains another if none of its eight numbers is smaller, and the union of two is the
/// maximum by lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct SimdAabb(Row8);

/// Two fit in a cache line, and none straddles two.
const _: () = assert!(size_of::<SimdAabb>() == 32 && align_of::<SimdAabb>() == 32);

impl PartialEq for SimdAabb {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let ([low, high], [other_low, other_high]) = (self.halves(), other.halves());
        (low.cmpeq(other_low) & high.cmpeq(other_high)).all()
    }
}

impl SimdAabb {
    /// The box that contains only the origin; fills lists before their entries are written.
    pub(crate) const ORIGIN: Self = Self([0.0; 8]);

    /// The union of no boxes.
    pub(crate) const EMPTY: Self = {
        let none = f32::NEG_INFINITY;
        Self([none, none, none, 0.0, none, none, none, 0.0])
    };

    #[inline(always)]
    pub(crate) fn new(aabb: &Aabb) -> Self {
        let (min, max) = (aabb.min(), aabb.max());
        // Loads the six numbers as two vectors: the fourth lane gets the next number in memory and is then cleared.
        let (low, high) = (min.extend(max.x), max.extend(min.z));
        // The type of a mask depends on glam's features.
        let sides = Vec4::new(1.0, 1.0, 1.0, 0.0).cmpne(Vec4::ZERO);
        Self::of_halves(Vec4::select(sides, -low, Vec4::ZERO), Vec4::select(sides, high, Vec4::ZERO))
    }

    /// From the lower and upper bound of each axis, in the order of a node's rows.
    #[inline(always)]
    pub(crate) fn of_bounds([x, top_x, y, top_y, z, top_z]: [f32; 6]) -> Self {
        Self([-x, -y, -z, 0.0, top_x, top_y, top_z, 0.0])
    }

    /// From eight numbers, of which the fourth and the last are ignored.
    #[inline(always)]
    pub(crate) fn of_row([a, b, c, _, e, f, g, _]: Row8) -> Self {
        Self([a, b, c, 0.0, e, f, g, 0.0])
    }

    #[inline(always)]
    pub(crate) const fn row(&self) -> &Row8 {
        &self.0
    }

    #[inline(always)]
    pub(crate) fn min(&self) -> Vec3 {
        // `0.0 - x` is +0.0 for either zero; a negation would not always be.
        Vec3::new(0.0 - self.0[0], 0.0 - self.0[1], 0.0 - self.0[2])
    }

    #[inline(always)]
    pub(crate) fn max(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }

    /// Returns the box; `None` if these are not the corners of one.
    pub(crate) fn aabb(&self) -> Option<Aabb> {
        Aabb::new(self.min(), self.max()).ok()
    }

    #[inline(always)]
    fn halves(&self) -> [Vec4; 2] {
        let n = &self.0;
        [Vec4::new(n[0], n[1], n[2], n[3]), Vec4::new(n[4], n[5], n[6], n[7])]
    }

    /// The lower and upper bounds of four boxes for each axis, in the order of a node's rows.
    #[inline(always)]
    pub(crate) fn sides([a, b, c, d]: [&Self; 4]) -> [Vec4; 6] {
        // Listed one by one, as `map` is not always inlined.
        let ([a, top_a], [b, top_b], [c, top_c], [d, top_d]) = (a.halves(), b.halves(), c.halves(), d.halves());
        let low = Mat4::from_cols(a, b, c, d).transpose();
        let high = Mat4::from_cols(top_a, top_b, top_c, top_d).transpose();
        // As in `min`.
        let zero = Vec4::ZERO;
        [zero - low.x_axis, high.x_axis, zero - low.y_axis, high.y_axis, zero - low.z_axis, high.z_axis]
    }

    /// Like [`Aabb::contains`].
    #[inline(always)]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let ([low, high], [other_low, other_high]) = (self.halves(), other.halves());
        (low.cmpge(other_low) & high.cmpge(other_high)).all()
    }

    /// [`SimdAabb::contains`] with the processor's own instructions.
    #[inline(always)]
    pub(crate) fn contains_simd<S: Simd>(&self, simd: S, other: &Self) -> bool {
        all8(at_most8(load8(simd, &other.0), load8(simd, &self.0)))
    }

    /// Like [`Aabb::overlaps`].
    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let ([low, high], [other_low, other_high]) = (self.halves(), other.halves());
        (low.cmpge(-other_high) & high.cmpge(-other_low)).all()
    }

    /// [`SimdAabb::overlaps`] with the processor's own instructions.
    #[inline(always)]
    pub(crate) fn overlaps_simd<S: Simd>(&self, simd: S, other: &Self) -> bool {
        all8(at_most8(-swap_halves(load8(simd, &other.0)), load8(simd, &self.0)))
    }

    /// Like [`Aabb::union`].
    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.halves(), other.halves());
        Self::of_halves(low.max(other_low), high.max(other_high))
    }

    /// From halves with 0 in the fourth lane.
    #[inline(always)]
    fn of_halves(low: Vec4, high: Vec4) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (low.to_array(), high.to_array());
        Self([a, b, c, d, e, f, g, h])
    }

    /// Half the surface, in `f64` so that it cannot overflow.
    #[inline(always)]
    pub(crate) fn half_area(&self) -> f64 {
        let [x, y, z] = self.size().as_dvec3().to_array();
        x * y + y * z + z * x
    }

    /// Twice the center.
    #[inline(always)]
    pub(crate) fn doubled_center(&self) -> Vec3 {
        let [low, high] = self.halves();
        (high - low).truncate()
    }

    /// How far outward each face lies from that of another box.
    #[inline(always)]
    pub(crate) fn displacement_from<S: Simd>(&self, simd: S, other: &Self) -> f32x8<S> {
        load8(simd, &self.0) - load8(simd, &other.0)
    }

    /// This box with each side that moves outward extended by `times` its `way`, and every side by `times` the margin;
    /// bounds are clamped to [`MAX_COORDINATE`]. Contains this box despite rounding.
    #[inline(always)]
    pub(crate) fn extrapolated<S: Simd>(&self, simd: S, way: f32x8<S>, margin: f32, times: f32) -> Self {
        let margin = load8(simd, &[margin, margin, margin, 0.0, margin, margin, margin, 0.0]);
        let out = (max8(way, splat8(simd, 0.0)) + margin) * splat8(simd, times);
        Self(store(min8(load8(simd, &self.0) + out, splat8(simd, MAX_COORDINATE))))
    }

    /// `max − min`, rounded.
    #[inline(always)]
    pub(crate) fn size(&self) -> Vec3 {
        self.size4().truncate()
    }

    /// The sum of the sides.
    #[inline(always)]
    pub(crate) fn sides_sum(&self) -> f32 {
        self.size4().element_sum()
    }

    #[inline(always)]
    fn size4(&self) -> Vec4 {
        let [low, high] = self.halves();
        high + low
    }

    /// The union of this box and itself moved by `delta`, whose fourth lane must be 0, grown by `margin` on every side;
    /// bounds are clamped to [`MAX_COORDINATE`]. Contains this box despite rounding.
    #[inline(always)]
    pub(crate) fn enlarged(&self, delta: Vec4, margin: f32) -> Self {
        let [low, high] = self.halves();
        let zero = Vec4::ZERO;
        let margin = Vec3::splat(margin).extend(0.0);
        let limit = Vec4::splat(MAX_COORDINATE);
        let low = (low + ((-delta).max(zero) + margin)).min(limit);
        let high = (high + (delta.max(zero) + margin)).min(limit);
        Self::of_halves(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instructions, lanes::vectorized_512};

    #[test]
    fn simd_boxes_answer_as_boxes_do() {
        let at = |i: u32, shift: u32| ((i >> shift) % 4) as f32 - 1.0;
        let boxes: Vec<Aabb> = (0..4096)
            .filter_map(|i| {
                Aabb::new(Vec3::new(at(i, 0), at(i, 2), at(i, 4)), Vec3::new(at(i, 6), at(i, 8), at(i, 10))).ok()
            })
            .collect();
        for a in boxes.iter().step_by(7) {
            assert_eq!(SimdAabb::new(a).aabb(), Some(*a));
            for b in &boxes {
                assert_eq!(SimdAabb::new(a).overlaps(&SimdAabb::new(b)), a.overlaps(b));
                assert_eq!(SimdAabb::new(a).contains(&SimdAabb::new(b)), a.contains(b));
                assert_eq!(SimdAabb::new(a) == SimdAabb::new(b), a == b);
                let (a, b) = (SimdAabb::new(a), SimdAabb::new(b));
                for instructions in Instructions::EVERY {
                    let Some(level) = instructions.level() else { continue };
                    let answers =
                        vectorized_512!(level, simd => [a.overlaps_simd(simd, &b), a.contains_simd(simd, &b)]);
                    assert_eq!(answers, [a.overlaps(&b), a.contains(&b)]);
                }
            }
        }
    }

    #[test]
    fn extrapolated_faces_move_on_as_they_moved_and_never_inward_at_any_scale() {
        let cube = |min: f32, max: f32| SimdAabb::new(&Aabb::new(Vec3::splat(min), Vec3::splat(max)).unwrap());
        let tests = [(0.0, 1.0), (-1.0, 3.0), (1e8, 1.1e8), (-1e9, 1e9), (0.0, 0.0), (1e-40, 2e-40), (-1e9, -9e8)];
        for instructions in Instructions::EVERY {
            let Some(level) = instructions.level() else { continue };
            for (from, to) in tests.iter().flat_map(|from| tests.iter().map(move |to| (from, to))) {
                let (from, to) = (cube(from.0, from.1), cube(to.0, to.1));
                for (margin, times) in [(0.0, 1.0), (0.5, 3.0), (1e8, 7.0)] {
                    let extrapolated = vectorized_512!(level, simd => to.extrapolated(simd, to.displacement_from(simd, &from), margin, times));
                    assert!(extrapolated.contains(&to) && extrapolated.aabb().is_some(), "{from:?} {to:?}");
                }
            }
            // The upper faces move out by 2, the lower ones by 1.
            let extrapolated = vectorized_512!(level, simd => {
                let (from, to) = (cube(0.0, 1.0), cube(-1.0, 3.0));
                to.extrapolated(simd, to.displacement_from(simd, &from), 0.25, 3.0)
            });
            assert_eq!(extrapolated, cube(-4.75, 9.75));
        }
    }
}
