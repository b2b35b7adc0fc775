//! How far a capsule is from a solid, on the side from which its sweep came; see [`gap_from`](super::gap_from).

use super::{
    gap_from::{beyond, size_of},
    rod::{MovingCapsule, box_core},
};
use crate::{
    Aabb, Brush, Capsule, CapsuleSweep, Convex, Gap, Obb, Patch, Sphere, SphereSweep, Triangle, TurningBoxSweep,
    sweep::sphere::{aabb::sides, against_box::reach_of},
};
use glam::DVec3;

impl Aabb {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        let bounds = [self.min().as_dvec3(), self.max().as_dvec3()];
        let gap = |rod: &MovingCapsule| rod.gap_to_box(bounds, sides(self, rod.center, DVec3::ZERO));
        of_rod(sweep, time, capsule, gap, || self.gap_of_capsule(capsule))
    }
}

impl Obb {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(*self), 0.0, sweep, time, capsule)
    }
}

impl Brush {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(self), self.vertex_error(), sweep, time, capsule)
    }
}

impl Patch {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(self), 0.0, sweep, time, capsule)
    }
}

impl Triangle {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(*self), 0.0, sweep, time, capsule)
    }
}

impl Sphere {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        Capsule::from(*self).gap_of_capsule_from(sweep, time, capsule)
    }
}

impl Capsule {
    /// Returns the gap of another capsule on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Self) -> Gap {
        let other = MovingCapsule::from(self);
        of_rod(sweep, time, capsule, |rod| rod.gap_to(&other), || self.gap_of_capsule(capsule))
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        self.gap_of_capsule_from(&(*sweep).into(), time, &(*ball).into())
    }

    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Solid::gap_from`].
    pub(crate) fn gap_from(&self, sweep: &TurningBoxSweep, time: f32, body: &Obb) -> Gap {
        let (rod, origin) = (MovingCapsule::from(self), self.center().as_dvec3());
        let size = rod.size + size_of(sweep.body().center(), sweep.motion() + sweep.acceleration());
        let gap = |time: f64| {
            let solid = box_core(DVec3::ZERO, sweep.rotated_edges(time));
            let seen = MovingCapsule { center: rod.center - sweep.center_at(time), size, ..rod };
            let gap = seen.gap_to_core(&solid, 0.0).reversed();
            (gap, rod.reach(gap.normal) + reach_of(body, gap.normal), origin)
        };
        beyond(time, size, &gap, body.center()).unwrap_or_else(|| self.gap(body))
    }
}

fn beside_solid(solid: Convex, error: f64, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
    let solid = solid.core();
    let gap = |rod: &MovingCapsule| rod.gap_to_core(&solid, error);
    of_rod(sweep, time, capsule, gap, || gap(&MovingCapsule::from(capsule)))
}

/// The gap along the normal of the plane that touches the solid where it is nearest to the sweep at that time.
fn of_rod(
    sweep: &CapsuleSweep,
    time: f32,
    capsule: &Capsule,
    gap: impl Fn(&MovingCapsule) -> Gap,
    now: impl FnOnce() -> Gap,
) -> Gap {
    let body = MovingCapsule::from(capsule).leaving(sweep.motion().as_dvec3());
    let then = |time: f64| {
        let at = sweep.exactly_at(time);
        let gap = gap(&body.at(at));
        let reach = body.reach(gap.normal);
        // The nearest point of the solid, along the normal.
        (gap, reach, at - gap.normal * (gap.separation + reach))
    };
    let size = size_of(sweep.body().center(), sweep.motion());
    beyond(time, size, &then, capsule.center()).unwrap_or_else(now)
}
