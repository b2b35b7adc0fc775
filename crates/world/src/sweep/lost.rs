//! What rounding to `f32` takes from a body's motions, for the next motion to make up for.

use cullide_narrowphase::glam::{DVec3, Vec3};

/// What rounding has taken from the motions of a body so far.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lost {
    /// It does not matter.
    Ignored,
    /// No more than a step of `f32` at the place of the body.
    Known(DVec3),
}

impl Lost {
    pub(crate) fn known(self) -> DVec3 {
        if let Self::Known(lost) = self { lost } else { DVec3::ZERO }
    }

    /// A motion that makes up for it; a body at rest stays where it is.
    pub(super) fn made_up(self, motion: DVec3) -> DVec3 {
        match self {
            Self::Known(lost) if motion != DVec3::ZERO => motion + lost,
            _ => motion,
        }
    }

    /// Notes that a share of such a motion led from one place to another.
    pub(super) fn note(&mut self, motion: DVec3, share: f32, from: Vec3, to: Vec3) {
        if let Self::Known(lost) = self
            && motion != DVec3::ZERO
        {
            let (share, step) = (f64::from(share), (to.abs() * f32::EPSILON).as_dvec3());
            let missed = from.as_dvec3() + motion * share - to.as_dvec3();
            *lost = (*lost * (1.0 - share) + missed).clamp(-step, step);
        }
    }

    /// Forgets what leads into a surface with this unit normal: that is blocked, not lost.
    pub(super) fn block(&mut self, normal: DVec3) {
        if let Self::Known(lost) = self {
            *lost -= normal * normal.dot(*lost).min(0.0);
        }
    }
}
