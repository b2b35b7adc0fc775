//! How far a capsule is from a solid, on the side from which its sweep came; see [`gap_from`](super::gap_from).

use super::{
    gap_from::{beyond, size_of},
    rod::{Rod, box_core},
};
use crate::{
    Aabb, Brush, Capsule, CapsuleSweep, Convex, Gap, Obb, Patch, RotatingSweep, Sphere, SphereSweep, Triangle,
    sweep::sphere::{aabb::sides, against_box::reach_of},
};
use glam::DVec3;

impl Aabb {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Capsule, CapsuleSweep, glam::Vec3};
    /// let sheet = Aabb::new(Vec3::new(-9.0, 0.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?;
    /// let body = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 0.125).unwrap();
    /// let above = CapsuleSweep::new(body(0.25), Vec3::ZERO)?;
    /// assert!((sheet.gap_of_capsule_from(&above, 0.0, &body(-0.25)).separation + 0.375).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        let bounds = [self.min().as_dvec3(), self.max().as_dvec3()];
        let gap = |rod: &Rod| rod.gap_to_box(bounds, sides(self, rod.center, DVec3::ZERO));
        of_rod(sweep, time, capsule, gap, || self.gap_of_capsule(capsule))
    }
}

impl Obb {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Obb, glam::{Quat, Vec3}};
    /// let sheet = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(9.0, 0.0, 9.0))?;
    /// let body = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 0.125).unwrap();
    /// let above = CapsuleSweep::new(body(0.25), Vec3::ZERO)?;
    /// assert!((sheet.gap_of_capsule_from(&above, 0.0, &body(-0.25)).separation + 0.375).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(*self), 0.0, sweep, time, capsule)
    }
}

impl Brush {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Capsule, CapsuleSweep, glam::Vec3};
    /// let board = Brush::try_from(&Aabb::new(Vec3::new(-9.0, -0.125, -9.0), Vec3::new(9.0, 0.0, 9.0))?)?;
    /// let body = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 0.125).unwrap();
    /// let above = CapsuleSweep::new(body(0.25), Vec3::ZERO)?;
    /// assert!((board.gap_of_capsule_from(&above, 0.0, &body(-0.5)).separation + 0.625).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(self), self.vertex_error(), sweep, time, capsule)
    }
}

impl Patch {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Patch, glam::Vec3};
    /// let sheet = Patch::new(&[Vec3::new(-8.0, 0.0, -8.0), Vec3::Z * 8.0, Vec3::X * 8.0])?;
    /// let body = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 0.125).unwrap();
    /// let above = CapsuleSweep::new(body(0.25), Vec3::ZERO)?;
    /// assert!((sheet.gap_of_capsule_from(&above, 0.0, &body(-0.25)).separation + 0.375).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(self), 0.0, sweep, time, capsule)
    }
}

impl Triangle {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Triangle, glam::Vec3};
    /// let sheet = Triangle::new(Vec3::new(-8.0, 0.0, -8.0), Vec3::Z * 8.0, Vec3::X * 8.0)?;
    /// let body = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 0.125).unwrap();
    /// let above = CapsuleSweep::new(body(0.25), Vec3::ZERO)?;
    /// assert!((sheet.gap_of_capsule_from(&above, 0.0, &body(-0.25)).separation + 0.375).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        beside_solid(Convex::from(*self), 0.0, sweep, time, capsule)
    }
}

impl Sphere {
    /// Returns the gap of a capsule on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Sphere, glam::Vec3};
    /// let bead = Sphere::new(Vec3::ZERO, 0.125)?;
    /// let body = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 0.125).unwrap();
    /// let above = CapsuleSweep::new(body(0.5), Vec3::ZERO)?;
    /// assert!((bead.gap_of_capsule_from(&above, 0.0, &body(-0.5)).separation + 0.75).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        Capsule::from(*self).gap_of_capsule_from(sweep, time, capsule)
    }
}

impl Capsule {
    /// Returns the gap of another capsule on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, glam::Vec3};
    /// let body = |y: f32| Capsule::from_half_axis(Vec3::Y * y, Vec3::X, 0.125).unwrap();
    /// let above = CapsuleSweep::new(body(0.5), Vec3::ZERO)?;
    /// assert!((body(0.0).gap_of_capsule_from(&above, 0.0, &body(-0.5)).separation + 0.75).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Self) -> Gap {
        let other = Rod::from(self);
        of_rod(sweep, time, capsule, |rod| rod.gap_to(&other), || self.gap_of_capsule(capsule))
    }

    /// Returns the gap of a ball on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Sphere, SphereSweep, glam::Vec3};
    /// let wire = Capsule::from_half_axis(Vec3::ZERO, Vec3::X, 0.125)?;
    /// let ball = |y: f32| Sphere::new(Vec3::Y * y, 0.125).unwrap();
    /// let above = SphereSweep::new(ball(0.5), Vec3::ZERO)?;
    /// assert!((wire.gap_of_sphere_from(&above, 0.0, &ball(-0.5)).separation + 0.75).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        self.gap_of_capsule_from(&(*sweep).into(), time, &(*ball).into())
    }

    /// Returns the gap of `body` on the side where its sweep is at `time`: as [`Aabb::gap_from`].
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Capsule, Obb, glam::{Quat, Vec3}};
    /// let wire = Capsule::from_half_axis(Vec3::ZERO, Vec3::X, 0.125)?;
    /// let body = |y: f32| Obb::new(Vec3::Y * y, Quat::IDENTITY, Vec3::splat(0.125)).unwrap();
    /// let above = BoxSweep::new(body(0.5), Vec3::ZERO)?.rotating(Vec3::ZERO)?;
    /// assert!((wire.gap_from(&above, 0.0, &body(-0.5)).separation + 0.75).abs() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap_from(&self, sweep: &RotatingSweep, time: f32, body: &Obb) -> Gap {
        let (rod, origin) = (Rod::from(self), self.center().as_dvec3());
        let size = rod.size + size_of(sweep.body().center(), sweep.motion() + sweep.acceleration());
        let gap = |time: f64| {
            let solid = box_core(DVec3::ZERO, sweep.rotated_edges(time));
            let seen = Rod { center: rod.center - sweep.center_at(time), size, ..rod };
            let gap = seen.gap_to_core(&solid, 0.0).reversed();
            (gap, rod.reach(gap.normal) + reach_of(body, gap.normal), origin)
        };
        beyond(time, size, gap, body.center()).unwrap_or_else(|| self.gap(body))
    }
}

fn beside_solid(solid: Convex, error: f64, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
    let solid = solid.core();
    let gap = |rod: &Rod| rod.gap_to_core(&solid, error);
    of_rod(sweep, time, capsule, gap, || gap(&Rod::from(capsule)))
}

/// The gap along the normal of the plane that touches the solid where it is nearest to the sweep at that time.
fn of_rod(
    sweep: &CapsuleSweep,
    time: f32,
    capsule: &Capsule,
    gap: impl Fn(&Rod) -> Gap,
    now: impl FnOnce() -> Gap,
) -> Gap {
    let body = Rod::from(capsule).leaving(sweep.motion().as_dvec3());
    let then = |time: f64| {
        let at = sweep.exactly_at(time);
        let gap = gap(&body.at(at));
        let reach = body.reach(gap.normal);
        // The nearest point of the solid, along the normal.
        (gap, reach, at - gap.normal * (gap.separation + reach))
    };
    let size = size_of(sweep.body().center(), sweep.motion());
    beyond(time, size, then, capsule.center()).unwrap_or_else(now)
}
