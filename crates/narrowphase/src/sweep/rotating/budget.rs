//! How much work rotating sweeps may do.

use super::TurningBoxSweep;
use crate::{
    Aabb, Brush, Capsule, Obb, Patch, Plane, Sides, Sphere, SphereSweep, Triangle,
    minkowski::{MinkowskiDifference, box_solid::BoxSolid},
    sweep::Sweep,
};
use glam::Vec3;
use std::cell::Cell;

/// How many evaluations of a gap rotating sweeps may take together, one sweep after the other: the same number on every
/// machine, unlike a time.
///
/// One evaluation computes the gap between a box and a plane at one time and takes about 20 ns. Most sweeps take a few
/// dozen; a box that rotates hundreds of times within the reach of a solid would take millions. When a budget is spent,
/// sweeps stop early: as for any hit, nothing is touched before the `toi` of such a hit, but its gap may be larger than
/// the skin, and its normal and contacts are those of what is nearest then. An overlap at the start is always found.
///
/// ```
/// # use cullide_narrowphase::{Solid, Aabb, BoxSweep, Budget, Obb, glam::{Quat, Vec3}};
/// let post = Aabb::new(Vec3::new(1.41, -2.0, -3.0), Vec3::new(2.0, 2.0, 3.0))?;
/// let blade = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.4, 0.1, 0.2))?;
/// // It rotates past the post about ten thousand times, and comes as near as six thousandths of a unit.
/// let spin = BoxSweep::new(blade, Vec3::ZERO)?.rotating(Vec3::Z * 6e4)?;
/// let budget = Budget::new(1000);
/// let hit = spin.within(&budget).against(&post, 0.0).hit().unwrap();
/// assert!(budget.is_spent() && hit.toi > 0.0 && hit.toi < 0.1);
/// assert!(post.gap(&spin.body_at(&hit)).is_apart());
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    left: Cell<u32>,
}

/// The evaluations of a sweep that is given no other budget: a third of a millisecond.
const DEFAULT: u32 = 1 << 14;

/// The approximate cost, in evaluations, of visiting all facets of a Minkowski difference.
pub(crate) const FACETS: u32 = 64;

impl Default for Budget {
    /// The budget of a single sweep: 2^14 evaluations.
    fn default() -> Self {
        Self::new(DEFAULT)
    }
}

impl Budget {
    /// Creates a budget of so many evaluations.
    pub const fn new(evaluations: u32) -> Self {
        Self { left: Cell::new(evaluations) }
    }

    /// Returns whether no evaluations are left.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Returns how many evaluations are left.
    #[inline(always)]
    pub fn left(&self) -> u32 {
        self.left.get()
    }

    /// Takes evaluations off the budget, as many as there are.
    #[inline(always)]
    pub fn take(&self, evaluations: u32) {
        self.left.set(self.left.get().saturating_sub(evaluations));
    }
}

/// A rotating sweep that takes its evaluations off a [`Budget`]: see [`TurningBoxSweep::within`].
#[derive(Clone, Copy, Debug)]
pub struct BudgetedSweep<'a> {
    sweep: &'a TurningBoxSweep,
    budget: &'a Budget,
    /// Nothing is touched before this time.
    free_until: f32,
}

impl TurningBoxSweep {
    /// Returns the same sweep, with its evaluations and those of others counted together; see [`Budget`].
    #[doc(hidden)]
    pub fn within<'a>(&'a self, budget: &'a Budget) -> BudgetedSweep<'a> {
        BudgetedSweep { sweep: self, budget, free_until: 0.0 }
    }
}

impl BudgetedSweep<'_> {
    /// Returns the sweep itself.
    pub fn sweep(&self) -> &TurningBoxSweep {
        self.sweep
    }

    pub(crate) fn budget(&self) -> &Budget {
        self.budget
    }

    /// Returns the same for a sweep that is known to touch nothing that it is tested against before `time`, nor to come
    /// within the skin of it: tests against brushes, patches, triangles and boxes start at that time.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BoxSweep, Budget, Obb, glam::{Quat, Vec3}};
    /// let wall = Aabb::new(Vec3::new(50.0, -9.0, -9.0), Vec3::new(51.0, 9.0, 9.0))?;
    /// let axe = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(0.1, 0.4, 0.2))?;
    /// let thrown = BoxSweep::new(axe, Vec3::X * 100.0)?.rotating(Vec3::Z * 40.0)?;
    /// let budget = Budget::default();
    /// let [whole, late] = [0.0, 0.4].map(|time| thrown.within(&budget).free_until(time).against(&wall, 1e-3));
    /// assert!((whole.hit().unwrap().toi - late.hit().unwrap().toi).abs() < 1e-4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn free_until(self, time: f32) -> Self {
        // About NaN nothing is known.
        Self { free_until: if time > 0.0 { time.min(1.0) } else { 0.0 }, ..self }
    }

    /// As [`TurningBoxSweep::against_plane`].
    pub fn against_plane(&self, plane: &Plane, sides: Sides, skin: f32) -> Sweep {
        self.sweep.against_sliding_plane(plane, Vec3::ZERO, sides, skin, self.budget)
    }

    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_brush(&self, brush: &Brush, skin: f32) -> Sweep {
        self.against_difference(&brush.difference(), skin)
    }

    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_patch(&self, patch: &Patch, skin: f32) -> Sweep {
        self.against_difference(&patch.polygon().difference(), skin)
    }

    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_triangle(&self, triangle: &Triangle, skin: f32) -> Sweep {
        self.against_difference(&triangle.wide().polygon().difference(), skin)
    }

    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_aabb(&self, aabb: &Aabb, skin: f32) -> Sweep {
        self.against_difference(&BoxSolid::from(aabb).difference(), skin)
    }

    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_obb(&self, obb: &Obb, skin: f32) -> Sweep {
        self.against_difference(&BoxSolid::from(obb).difference(), skin)
    }

    fn against_difference(&self, difference: &MinkowskiDifference, skin: f32) -> Sweep {
        self.sweep.against_difference(difference, f64::from(self.free_until), skin, self.budget)
    }

    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_sphere(&self, sphere: &Sphere, skin: f32) -> Sweep {
        self.sweep.against_ball(sphere, skin, self.budget)
    }

    /// As [`TurningBoxSweep::against`].
    pub(crate) fn against_capsule(&self, capsule: &Capsule, skin: f32) -> Sweep {
        self.sweep.against_rod(capsule, skin, self.budget)
    }

    /// As [`TurningBoxSweep::against_moving_box`].
    pub fn against_moving_box(&self, other: &TurningBoxSweep, skin: f32) -> Sweep {
        self.sweep.against_rotating(other, skin, self.budget)
    }

    /// As [`TurningBoxSweep::against_moving_sphere`].
    pub fn against_moving_sphere(&self, other: &SphereSweep, skin: f32) -> Sweep {
        self.sweep.against_moving_ball(other, skin, self.budget)
    }
}
