//! A box against a plane in eight bytes: whether, when and with which vertices they touch, without position, depth and
//! points.

use super::{
    Sides,
    simd::{BoxPlaneSimd, CLEAR, HIT},
};
use crate::{
    FeatureId, Plane,
    simd::{Level, Simd, level, vectorized},
    sweep::{BoxSweep, F64_ONLY_BITS, Sweep},
};
use std::fmt;

/// What [`Sweep`] says about a box and a plane, in eight bytes: whether, when and with which of its vertices they
/// touch. For depth, position and points see [`BoxSweep::against_plane`](crate::BoxSweep::against_plane).
///
/// ```
/// use cullide_narrowphase::{BoxSweep, Obb, Plane, PlaneTouch, Sides, glam::{Quat, Vec3}};
/// let body = Obb::new(Vec3::Y * 6.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
/// let (sweep, floor) = (BoxSweep::new(body, Vec3::Y * -8.0)?, Plane::new(Vec3::Y, 0.0)?);
/// let touch = sweep.touch_plane(&floor, Sides::Front);
/// assert_eq!(touch.hit().map(|(toi, feature)| (toi, feature.vertices().count())), Some((0.5, 4)));
/// assert_eq!(touch, PlaneTouch::from(sweep.against_plane(&floor, Sides::Front)));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct PlaneTouch {
    /// The bits of the time, zero if there is no hit; then the feature and the kind of answer. Not an enum: lanes are
    /// stored without a branch on the kind, and sixteen of them as they lie in a register.
    pub(super) words: [u32; 2],
}

const _: () = assert!(size_of::<PlaneTouch>() == 8);

impl PlaneTouch {
    pub(super) const CLEAR: Self = Self { words: [0, 0] };
    /// The bits of a hit, above those of its feature, and of an overlap.
    pub(super) const HIT: u32 = 1 << 8;
    pub(super) const OVERLAP: u32 = 1 << 9;

    /// Returns whether it is [`Sweep::Clear`].
    pub fn is_clear(self) -> bool {
        self.words[1] == 0
    }

    /// Returns whether it is [`Sweep::Overlap`].
    pub fn is_overlap(self) -> bool {
        self.words[1] == Self::OVERLAP
    }

    /// Returns, for a [`Sweep::Hit`], the time of impact in `[0, 1)` of the step, rounded toward zero, and the vertices
    /// with which the box touches.
    pub fn hit(self) -> Option<(f32, FeatureId)> {
        let [toi, packed] = self.words;
        (packed & Self::HIT != 0).then_some((f32::from_bits(toi), FeatureId::new(packed as u8)))
    }
}

impl From<Sweep> for PlaneTouch {
    fn from(sweep: Sweep) -> Self {
        match sweep {
            Sweep::Clear => Self::CLEAR,
            Sweep::Hit(hit) => Self { words: [hit.toi.to_bits(), Self::HIT | u32::from(hit.contacts.id().mask())] },
            Sweep::Overlap(_) => Self { words: [0, Self::OVERLAP] },
        }
    }
}

impl fmt::Debug for PlaneTouch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hit() {
            Some(hit) => f.debug_tuple("Hit").field(&hit.0).field(&hit.1).finish(),
            None => f.write_str(if self.is_overlap() { "Overlap" } else { "Clear" }),
        }
    }
}

/// Depending on where start and end lie: which bits of a hit are kept, and which are added.
const ANSWERS: [[u64; 2]; 4] = {
    let (hit, overlap) = ((PlaneTouch::HIT as u64) << 32, (PlaneTouch::OVERLAP as u64) << 32);
    let mut answers = [[0, overlap]; 4];
    (answers[CLEAR], answers[HIT]) = ([0, 0], [!0, hit]);
    answers
};

impl BoxSweep {
    /// Returns when the box first touches `plane`, and with which of its vertices: [`BoxSweep::against_plane`] in eight
    /// bytes, bit for bit, in less than half the time, without position, depth and points.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Feature, Obb, Plane, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 6.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let (sweep, floor) = (BoxSweep::new(body, Vec3::Y * -8.0)?, Plane::new(Vec3::Y, 0.0)?);
    /// let (toi, feature) = sweep.touch_plane(&floor, Sides::Front).hit().unwrap();
    /// assert_eq!((toi, feature.vertices().count()), (0.5, 4));
    /// let hit = sweep.against_plane(&floor, Sides::Front).hit().unwrap();
    /// assert_eq!((hit.toi, hit.contacts.id()), (toi, feature));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn touch_plane(&self, plane: &Plane, sides: Sides) -> PlaneTouch {
        self.touch_plane_at(level(), plane, sides)
    }

    /// The same, with the instructions of `level`.
    #[inline(always)]
    pub(super) fn touch_plane_at(&self, level: Level, plane: &Plane, sides: Sides) -> PlaneTouch {
        vectorized!(level, simd => self.touch_filtered(simd, plane, sides), else self.touch_exact(plane, sides))
    }

    #[inline(always)]
    fn touch_filtered<S: Simd>(&self, simd: S, plane: &Plane, sides: Sides) -> PlaneTouch {
        let lanes = BoxPlaneSimd::new(simd, self, plane, sides);
        let [kept, added] = ANSWERS[lanes.ends];
        if lanes.uncertain as u64 | (lanes.leaning as u64 ^ 0b111) & kept != 0 {
            return self.touch_exact(plane, sides);
        }
        let hit = u64::from(truncated_bits(lanes.toi())) | (1 << 32) << lanes.lowest_vertex();
        let word = hit & kept | added;
        PlaneTouch { words: [word as u32, (word >> 32) as u32] }
    }

    /// The answer if a sign is not certain, or if an edge may be parallel.
    #[cold]
    fn touch_exact(&self, plane: &Plane, sides: Sides) -> PlaneTouch {
        self.against_plane(plane, sides).into()
    }
}

/// The bits of the largest `f32` that is not after a time between 2^-126 and 1: with fewer bits of the fraction, and
/// another bias of the exponent.
#[inline(always)]
pub(super) fn truncated_bits(time: f64) -> u32 {
    const EXPONENTS: u32 = (f64::MAX_EXP - f32::MAX_EXP) as u32;
    ((time.to_bits() >> F64_ONLY_BITS.count_ones()) as u32).wrapping_sub(EXPONENTS << (f32::MANTISSA_DIGITS - 1))
}
