//! What a sweep against a plane comes to, in eight bytes.

use crate::{FeatureId, Sweep};
use std::fmt;

/// What [`Sweep`] says of a box and a plane in eight bytes: whether, when and with which of its vertices they touch. Depth, position and
/// points of those that matter tells [`BoxSweep::against_plane`](crate::BoxSweep::against_plane).
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
    /// The bits of the time, zero for what is no hit; then the feature, and which kind of answer it is. No enum, for lanes are written
    /// without asking which it is, and all of them as they lie.
    pub(super) words: [u32; 2],
}

const _: () = assert!(size_of::<PlaneTouch>() == 8);

impl PlaneTouch {
    pub(super) const CLEAR: Self = Self { words: [0, 0] };
    /// The bits of a hit, above those of its feature, and of an overlap.
    pub(super) const HIT: u32 = 1 << 8;
    pub(super) const OVERLAP: u32 = 1 << 9;

    /// Whether it is [`Sweep::Clear`].
    pub fn is_clear(self) -> bool {
        self.words[1] == 0
    }

    /// Whether it is [`Sweep::Overlap`].
    pub fn is_overlap(self) -> bool {
        self.words[1] == Self::OVERLAP
    }

    /// For a [`Sweep::Hit`], the time of impact in `[0, 1)` of the step, rounded toward zero, and with which of its vertices the box
    /// touches.
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
