//! The answer to one of many sweeps.

use crate::{FeatureId, Sweep};

/// The answer to one of many sweeps: what [`Sweep`] says in eight bytes. Depth, position and points of those that matter tells
/// [`BoxSweep::against_plane`](crate::BoxSweep::against_plane).
///
/// ```
/// use cullide_narrowphase::{BoxSweep, Obb, Plane, PlaneTouch, Sides, glam::{Quat, Vec3}};
/// let body = Obb::new(Vec3::Y * 6.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
/// let sweep = BoxSweep::new(body, Vec3::Y * -8.0)?.against_plane(&Plane::new(Vec3::Y, 0.0)?, Sides::Front);
/// let (toi, feature) = PlaneTouch::from(sweep).hit().unwrap();
/// assert_eq!((toi, feature.vertices().count()), (0.5, 4));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneTouch {
    // Zero, as the feature, for what is no hit. No enum, for lanes are written without asking which it is.
    pub(super) toi: f32,
    pub(super) feature: FeatureId,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Clear,
    Hit,
    Overlap,
}

const _: () = assert!(size_of::<PlaneTouch>() == 8);

impl PlaneTouch {
    pub(super) const CLEAR: Self = Self { toi: 0.0, feature: FeatureId::NONE, kind: Kind::Clear };

    /// Whether it is [`Sweep::Clear`].
    pub fn is_clear(self) -> bool {
        self.kind == Kind::Clear
    }

    /// Whether it is [`Sweep::Overlap`].
    pub fn is_overlap(self) -> bool {
        self.kind == Kind::Overlap
    }

    /// For a [`Sweep::Hit`], the time of impact in `[0, 1)` of the step, rounded toward zero, and with which of its vertices the box
    /// touches.
    pub fn hit(self) -> Option<(f32, FeatureId)> {
        (self.kind == Kind::Hit).then_some((self.toi, self.feature))
    }
}

impl From<Sweep> for PlaneTouch {
    fn from(sweep: Sweep) -> Self {
        match sweep {
            Sweep::Clear => Self::CLEAR,
            Sweep::Hit(hit) => Self { toi: hit.toi, feature: hit.contacts.id(), kind: Kind::Hit },
            Sweep::Overlap(_) => Self { kind: Kind::Overlap, ..Self::CLEAR },
        }
    }
}
