//! Contacts between objects that are near each other, carried over from update to update.
//!
//! Reading order: this file (what a contact is), [`cache`] (which pairs there are; [`free_numbers`]), [`narrow`] (where the two of a pair
//! touch), [`triangles`] (on a mesh or a terrain), [`points`] (as points of the world), [`tracker`] (contacts for
//! callers who solve them themselves).

pub(crate) mod cache;
pub(crate) mod free_numbers;
pub(crate) mod hash;
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
    /// The object that moves; if both do, the one with the smaller key.
    pub first: ObjectKey,
    /// The other object, or a plane.
    pub second: Target,
    pub(crate) parts: SmallVec<[PartContact; 1]>,
    /// How far around the first object the triangles are known, if the second is a fixed mesh or terrain.
    surroundings: Option<KnownSurroundings>,
    /// The numbers of the rigid bodies that the two are; [`NO_BODY`] for what is not a body.
    pub(crate) bodies: [u32; 2],
    /// Whether they touched in the last update.
    pub(crate) is_touching: bool,
    /// Whether they touched in the update before it.
    pub(crate) was_touching: bool,
}

/// How far around a body the triangles of a surface are known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct KnownSurroundings {
    /// How far the search for them reached beyond the body, below and above in each coordinate.
    below: Vec3,
    above: Vec3,
    /// A bound on how far any point of the body has moved since.
    travelled: f32,
}

impl KnownSurroundings {
    /// The surroundings within `reach` of a body with the bounding box `around`.
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

/// The contact between one part of the first object and one of the second.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartContact {
    /// The part of the first object: the child of a compound; 0 for other shapes.
    pub first_part: u32,
    /// The part of the second object: the number of the triangle for a mesh or a terrain; 0 for a convex shape and a
    /// plane.
    pub part: u32,
    /// The points where the two touch, or are about to touch.
    pub manifold: ContactManifold,
    pub(crate) cache: ManifoldCache,
    /// The impulses that the solver applied.
    pub(crate) impulses: Impulses,
    /// For a triangle, how far along the normal it begins, or a little less; [`f32::MIN`] if that is not known.
    pub(crate) start: f32,
}

/// Impulses of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Impulses {
    /// Along the normal in the last sub-step, by point.
    pub(crate) normal: [f32; 4],
    /// Those of friction in the last sub-step, as a vector of the world, and about the normal.
    pub(crate) across: [f32; 3],
    pub(crate) twist: f32,
    /// Against rolling, as a torque in the world perpendicular to the normal.
    pub(crate) rolling: [f32; 3],
    /// Along the normal over the whole last step, by point.
    pub(crate) total: [f32; 4],
    /// Those of friction over the whole last step, as a vector of the world.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) rubbed: [f32; 3],
}

impl Impulses {
    /// Returns the impulses for the first `count` points: the last of these receives those of the remaining points, as
    /// when two bodies first touch at more points than they were near at. All are zero if any is out of the range of
    /// `f32`.
    #[cfg(feature = "dynamics")]
    pub(crate) fn of_points(mut self, count: usize) -> Self {
        for i in count.max(1)..self.normal.len() {
            let last = count.max(1) - 1;
            self.normal[last] += std::mem::take(&mut self.normal[i]);
            self.total[last] += std::mem::take(&mut self.total[i]);
        }
        if !self.rubbed.iter().all(|impulse| impulse.is_finite()) {
            self.rubbed = [0.0; 3];
        }
        let Self { normal, across, twist, rolling, total, .. } = &self;
        let mut all = normal.iter().chain(total).chain(across).chain(rolling).chain([twist]);
        if all.all(|impulse| impulse.is_finite()) { self } else { Self::default() }
    }

    /// Replaces the normal impulses by those that the next step starts from, and clears the totals of the last step.
    pub(crate) fn carry_on(&mut self, normal: [f32; 4]) {
        self.normal = normal;
        self.clear();
    }

    /// Clears the totals of the last step.
    pub(crate) fn clear(&mut self) {
        (self.total, self.rubbed) = ([0.0; 4], [0.0; 3]);
    }
}

/// The number of something that is not a rigid body.
pub(crate) const NO_BODY: u32 = u32::MAX;

impl ContactPair {
    pub(crate) fn new(first: ObjectKey, second: Target) -> Self {
        let (parts, bodies) = (SmallVec::new(), [NO_BODY; 2]);
        Self { first, second, parts, surroundings: None, bodies, is_touching: false, was_touching: false }
    }

    /// Returns the parts of the two that are near each other, in order: one for two convex shapes, one per triangle of
    /// a mesh or a terrain; each child of a moving compound has its own. Those farther apart than the margin have no
    /// points.
    pub fn parts(&self) -> &[PartContact] {
        &self.parts
    }

    /// Prevents recycling before the next update, because one of the two has moved or been edited.
    #[cfg(feature = "dynamics")]
    pub(crate) fn expire(&mut self) {
        self.surroundings = None;
        self.parts.iter_mut().for_each(|part| part.manifold.expire());
    }

    /// Whether the two touch: some points were no farther apart than four times the skin at the beginning of the step, or they hit
    /// each other in it, faster than the `restitution_speed` of its settings. In a
    /// [`ContactTracker`](crate::ContactTracker), whether some points are no farther apart than its margin.
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

    /// Removes the point at `from_second`, and its impulse.
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

    /// Returns the impulses along the normal, of mass times velocity, with which the last step of rigid bodies pushed
    /// the two apart at each point: the force there times the duration of the step, and how hard they met. 0 without
    /// such a step.
    pub fn impulses(&self) -> &[f32] {
        &self.impulses.total[..self.manifold.points().len()]
    }
}
