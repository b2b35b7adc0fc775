//! Contacts between objects that are near each other, carried over from update to update.
//!
//! Reading order: this file, what a contact is; [`cache`], which pairs there are; [`narrow`], what one of them touches
//! with; [`triangles`], on a mesh or a terrain; [`points`], as points of the world; [`tracker`], contacts for callers who
//! solve them themselves.

pub(crate) mod cache;
mod narrow;
mod points;
pub(crate) mod tracker;
mod triangles;

use crate::{ObjectKey, Target};
use cullide_narrowphase::{Aabb, ContactManifold, ManifoldCache, glam::Vec3};
pub use points::ContactPoint;
use smallvec::SmallVec;

/// Two objects, or an object and a plane, that are near each other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPair {
    /// The object that moves; of two the one with the smaller key.
    pub first: ObjectKey,
    /// The other, or a plane.
    pub second: Target,
    pub(crate) parts: SmallVec<[PartContact; 1]>,
    /// How far from a box the triangles are known, if the second object is a fixed surface of these.
    surroundings: Option<Surroundings>,
    /// Which rigid bodies the two are, by number; [`NO_BODY`] for what is none.
    pub(crate) bodies: [u32; 2],
    /// Whether they touched in the last update.
    pub(crate) is_touching: bool,
    /// Whether they did in the one before.
    pub(crate) was_touching: bool,
}

/// How far from a body the triangles of a surface are known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Surroundings {
    /// As far from each of its points, below and above by coordinate, when they were looked for.
    below: Vec3,
    above: Vec3,
    /// No point of it has moved farther since.
    travelled: f32,
}

impl Surroundings {
    /// Those of a body that this box is around, within `reach`.
    fn new(around: &Aabb, reach: &Aabb) -> Self {
        Self { below: around.min() - reach.min(), above: reach.max() - around.max(), travelled: 0.0 }
    }

    /// Whether these cover what is asked for, after the body has moved by `travel` more.
    #[cfg(feature = "dynamics")]
    fn cover(&self, now: &Self, travel: f32) -> bool {
        let travelled = self.travelled + travel;
        // Also false for a NaN.
        ((now.below + travelled).cmple(self.below) & (now.above + travelled).cmple(self.above)).all()
    }
}

/// What one part of the second object touches one of the first with.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartContact {
    /// Which part of the first object, of a compound the child; 0 for others.
    pub first_part: u32,
    /// Which part of the second, for a mesh or a terrain the number of the triangle; 0 for a convex shape and a plane.
    pub part: u32,
    /// The points where the two touch, or are about to.
    pub manifold: ContactManifold,
    pub(crate) cache: ManifoldCache,
    /// What the solver pushed with.
    pub(crate) impulses: Impulses,
    /// Of a triangle: how far along the normal it begins, or a little less; [`f32::MIN`] where that is not known.
    pub(crate) start: f32,
}

/// Impulses of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Impulses {
    /// Of the last sub-step: along the normal, by point.
    pub(crate) normal: [f32; 4],
    /// The same by friction, as a vector of the world, and about the normal.
    pub(crate) across: [f32; 3],
    pub(crate) twist: f32,
    /// Against rolling, as a torque of the world across the normal.
    pub(crate) rolling: [f32; 3],
    /// Along the normal in the whole of the last step, by point.
    pub(crate) total: [f32; 4],
}

impl Impulses {
    /// Those of the first so many points: the last of these takes what other points have, as where two bodies first touch
    /// with more than they were near with. None where they are out of the range of `f32`.
    #[cfg(feature = "dynamics")]
    pub(crate) fn of_points(mut self, count: usize) -> Self {
        for i in count.max(1)..self.normal.len() {
            let last = count.max(1) - 1;
            self.normal[last] += std::mem::take(&mut self.normal[i]);
            self.total[last] += std::mem::take(&mut self.total[i]);
        }
        let Self { normal, across, twist, rolling, total } = &self;
        let mut all = normal.iter().chain(total).chain(across).chain(rolling).chain([twist]);
        if all.all(|impulse| impulse.is_finite()) { self } else { Self::default() }
    }

    /// What the next step goes on with takes the place of what there was; of the last step nothing is told any more.
    pub(crate) fn carry_on(&mut self, normal: [f32; 4]) {
        *self = Self { normal, total: [0.0; 4], ..*self };
    }
}

/// Not a rigid body.
pub(crate) const NO_BODY: u32 = u32::MAX;

impl ContactPair {
    pub(crate) fn new(first: ObjectKey, second: Target) -> Self {
        let (parts, bodies) = (SmallVec::new(), [NO_BODY; 2]);
        Self { first, second, parts, surroundings: None, bodies, is_touching: false, was_touching: false }
    }

    /// The parts of the two that are near each other, in order: one for convex shapes, triangles of a mesh or a
    /// terrain; of a compound that moves each child has its own. Those farther than the margin have no points.
    pub fn parts(&self) -> &[PartContact] {
        &self.parts
    }

    /// One of the two has moved, or been edited: nothing is recycled before the next update.
    #[cfg(feature = "dynamics")]
    pub(crate) fn expire(&mut self) {
        self.surroundings = None;
        self.parts.iter_mut().for_each(|part| part.manifold.expire());
    }

    /// Whether the two touch: some point of theirs was no farther apart than the skin at the beginning of the step, or
    /// they hit each other in it, faster than the `restitution_speed` of its settings; in a
    /// [`ContactTracker`](crate::ContactTracker), whether some point is no farther apart than its margin.
    pub fn is_touching(&self) -> bool {
        self.is_touching
    }
}

impl PartContact {
    pub(crate) fn new(first_part: u32, part: u32) -> Self {
        Self {
            first_part,
            part,
            manifold: ContactManifold::default(),
            cache: ManifoldCache::default(),
            impulses: Impulses::default(),
            start: f32::MIN,
        }
    }

    /// Takes away the point there, and its impulse.
    pub(crate) fn drop_point(&mut self, from_second: Vec3) {
        let points = self.manifold.points();
        let mut impulses = [0.0; 4];
        let kept = points.iter().zip(self.impulses.normal).filter(|(point, _)| point.from_second != from_second);
        for (place, (_, impulse)) in impulses.iter_mut().zip(kept) {
            *place = impulse;
        }
        self.impulses.carry_on(impulses);
        self.manifold.retain(|point| point.from_second != from_second);
    }

    /// What the last step of rigid bodies pushed the two apart with at the points, along the normal, of mass times
    /// velocity: the force there times the seconds of the step, and how hard they met. 0 without one.
    pub fn impulses(&self) -> &[f32] {
        &self.impulses.total[..self.manifold.points().len()]
    }
}
