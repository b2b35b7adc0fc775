//! A box as eight numbers, for arrays of boxes that are tested one against one.

use crate::lanes::Row8;
use cullide_narrowphase::{
    Aabb, MAX_COORDINATE,
    glam::{Vec3, Vec4},
};

/// `[−min, 0, max, 0]`: one box contains another when none of its eight numbers is smaller.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Corners(Row8);

/// Two to a cache line, none across two.
const _: () = assert!(size_of::<Corners>() == 32 && align_of::<Corners>() == 32);

impl Corners {
    /// A point, for numbers that stand for no box.
    pub(crate) const ORIGIN: Self = Self([0.0; 8]);

    pub(crate) fn new(aabb: &Aabb) -> Self {
        let (min, max) = (aabb.min(), aabb.max());
        Self([-min.x, -min.y, -min.z, 0.0, max.x, max.y, max.z, 0.0])
    }

    #[inline(always)]
    pub(crate) fn min(&self) -> Vec3 {
        // Zero minus zero is +0.0, which −0.0 negated is not everywhere.
        Vec3::new(0.0 - self.0[0], 0.0 - self.0[1], 0.0 - self.0[2])
    }

    #[inline(always)]
    pub(crate) fn max(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }

    /// The box, if these are the corners of one.
    pub(crate) fn aabb(&self) -> Option<Aabb> {
        Aabb::new(self.min(), self.max()).ok()
    }

    #[inline(always)]
    fn halves(&self) -> [Vec4; 2] {
        let n = &self.0;
        [Vec4::new(n[0], n[1], n[2], n[3]), Vec4::new(n[4], n[5], n[6], n[7])]
    }

    /// As [`Aabb::contains`].
    #[inline(always)]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let ([low, high], [other_low, other_high]) = (self.halves(), other.halves());
        (low.cmpge(other_low) & high.cmpge(other_high)).all()
    }

    /// As [`Aabb::overlaps`].
    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let ([low, high], [other_low, other_high]) = (self.halves(), other.halves());
        (low.cmpge(-other_high) & high.cmpge(-other_low)).all()
    }

    /// Twice the middle.
    #[inline(always)]
    pub(crate) fn doubled_middle(&self) -> Vec3 {
        let [low, high] = self.halves();
        (high - low).truncate()
    }

    /// `max − min`, rounded.
    #[inline(always)]
    pub(crate) fn size(&self) -> Vec3 {
        let [low, high] = self.halves();
        (high + low).truncate()
    }

    /// This box together with itself moved by `delta`, and that grown by `margin` on every side; bounds stop at [`MAX_COORDINATE`].
    /// Contains this box whatever is rounded.
    #[inline(always)]
    pub(crate) fn stretched(&self, delta: Vec3, margin: f32) -> Self {
        let [low, high] = self.halves();
        let (delta, zero) = (delta.extend(0.0), Vec4::ZERO);
        let margin = Vec3::splat(margin).extend(0.0);
        let limit = Vec4::splat(MAX_COORDINATE);
        let low = (low + ((-delta).max(zero) + margin)).min(limit);
        let high = (high + (delta.max(zero) + margin)).min(limit);
        Self([low.x, low.y, low.z, 0.0, high.x, high.y, high.z, 0.0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_answer_as_boxes_do() {
        let at = |i: u32, shift: u32| ((i >> shift) % 4) as f32 - 1.0;
        let boxes: Vec<Aabb> = (0..4096)
            .filter_map(|i| {
                Aabb::new(Vec3::new(at(i, 0), at(i, 2), at(i, 4)), Vec3::new(at(i, 6), at(i, 8), at(i, 10))).ok()
            })
            .collect();
        for a in boxes.iter().step_by(7) {
            assert_eq!(Corners::new(a).aabb(), Some(*a));
            for b in &boxes {
                assert_eq!(Corners::new(a).overlaps(&Corners::new(b)), a.overlaps(b));
                assert_eq!(Corners::new(a).contains(&Corners::new(b)), a.contains(b));
            }
        }
    }
}
