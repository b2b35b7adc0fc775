//! A rotating box against a plane that does not rotate.
//!
//! The gap over the plane is a curve in closed form, see [`super::face_toi`]; its first zero is found as in
//! [`super::toi`]. Most boxes are cleared before that: by their bounding sphere in `f32`, then by the height below
//! which a vertex can reach the plane at all.
//!
//! Source: Lengyel, "Mathematics for 3D Game Programming and Computer Graphics", §12.2.2, for how far a box extends
//! toward a plane.

use super::{TurningBoxSweep, budget::Budget, face_toi::GapCurve, rotation::AngularMotion, toi::first_touch};
use crate::{
    Contacts, FeatureId, Plane, Sides,
    exact::ROUNDING,
    sweep::{
        Sweep, SweepHit,
        plane::{
            exact::{Ignored, depenetrate, depenetrate_exactly, gap_at},
            projection::{BoxPlaneF64, BoxPlaneFilter},
        },
        round_toi,
    },
};
use glam::{DVec3, Vec3};

impl TurningBoxSweep {
    /// Returns the first touch of `plane`: as [`BoxSweep::against_plane`](crate::BoxSweep::against_plane), for a box
    /// that rotates.
    ///
    /// `skin` is a length: a gap of at most that counts as touching while it closes, since nothing is gained from
    /// resolving a gap smaller than the one at which bodies are kept apart anyway. Zero, or NaN, asks for all that
    /// `f32` resolves. It is certain that
    ///
    /// * nothing touches before `toi`, and the gap at `toi` is at most `skin`, or what the body covers in 2^-23 of the
    ///   step if that is more;
    /// * whatever penetrates during the step by more than `f64` loses, about 2^-45 of the lengths involved, is hit. A
    ///   box that comes within the skin without touching may be hit;
    /// * an overlap at the start is exact; a box that touches and leaves, or lies still, is not hit for that;
    /// * a box that neither rotates nor accelerates gets the answer of the exact sweep;
    /// * [`TurningBoxSweep::body_at`] does not penetrate.
    ///
    /// A box that rotates hundreds of times while one of its corners may be close to the plane may be stopped early,
    /// but never late: see [`Budget`](crate::Budget).
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Feature, Obb, Plane, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 8.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let sweep = BoxSweep::new(body, Vec3::Y * -8.0)?.rotating(Vec3::X * 6.0)?;
    /// let hit = sweep.against_plane(&Plane::new(Vec3::Y, 0.0)?, Sides::Front, 1e-3).hit().unwrap();
    /// assert!(hit.toi < 0.75 && hit.contacts.feature() == Feature::Edge);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_plane(&self, plane: &Plane, sides: Sides, skin: f32) -> Sweep {
        self.against_sliding_plane(plane, Vec3::ZERO, sides, skin, &Budget::default())
    }

    /// The same for a plane that translates.
    pub(super) fn against_sliding_plane(
        &self,
        plane: &Plane,
        plane_motion: Vec3,
        sides: Sides,
        skin: f32,
        budget: &Budget,
    ) -> Sweep {
        if self.only_translates() {
            return self.sweep.against_moving_plane(plane, plane_motion, sides);
        }
        let body = self.body();
        let filter = BoxPlaneFilter::new(body.rows(), plane);
        let normal = plane.normal();
        let toward = normal * (self.motion() - plane_motion);
        let accelerated = normal * (0.5 * self.acceleration);
        if filter.is_clear_rotating(toward, accelerated, sides) {
            return Sweep::Clear;
        }
        let projection = BoxPlaneF64::new(&filter, plane);
        let (side, gap) = match projection.start(sides) {
            Some(Ok(start)) => start,
            Some(Err(Ignored)) => return Sweep::Clear,
            None => {
                let terms = |v: Vec3, scale: f64| (plane.normal().as_dvec3() * v.as_dvec3() * scale).to_array();
                let approach = [terms(self.motion(), 1.0), terms(plane_motion, -1.0), terms(self.acceleration, 0.5)];
                match plane.start_exactly(body, sides, approach.as_flattened()) {
                    Some(start) => start,
                    None => return Sweep::Clear,
                }
            }
        };
        if gap < 0.0 {
            return projection.overlap(&filter, body, normal, side, -gap);
        }
        let normal_f64 = projection.normal;
        let speed = normal_f64.dot(self.motion().as_dvec3() - plane_motion.as_dvec3());
        let acceleration = normal_f64.dot(self.acceleration.as_dvec3());
        let angular = self.angular_motion();
        let curve = GapCurve::over_plane(&projection, side, &angular, [speed, acceleration]);

        // Nothing touches before the centre is as low as any vertex can reach.
        let (size, sums) = projection.sizes(plane);
        let radius = curve.rotating_radius() + 16.0 * ROUNDING * size;
        let highest = curve.still_reach() + radius;
        let motions = self.motion().abs() + plane_motion.abs() + self.acceleration.abs();
        let sums = sums + motions.as_dvec3().element_sum();
        let error = 32.0 * ROUNDING * (sums + 2.0 * size * (2.0 + angular.angle));
        let Some(window) = curve.window(highest + error) else { return Sweep::Clear };

        let bounds = curve.bounds(radius, &angular, error, skin);
        match first_touch(|time| curve.at(time), &bounds, window, budget) {
            Some(toi) => self.hit_on_plane(plane, plane_motion, &angular, side, toi),
            None => Sweep::Clear,
        }
    }

    /// The hit at `toi`.
    fn hit_on_plane(&self, plane: &Plane, plane_motion: Vec3, angular: &AngularMotion, side: f64, toi: f64) -> Sweep {
        let normal = plane.normal() * side as f32;
        let toi = round_toi(toi);
        let time = f64::from(toi);
        let moved = self.center_at(time);
        let ([x, y, z], center) = (self.rows_at(angular, time), moved.as_vec3());
        let filter = BoxPlaneFilter::new([x.with_w(center.x), y.with_w(center.y), z.with_w(center.z)], plane);
        let projection = BoxPlaneF64::new(&filter, plane);
        let facing = projection.facing(plane, plane_motion.as_dvec3(), side, time);
        let error = 32.0 * ROUNDING * (projection.sizes(plane).1 + plane_motion.as_dvec3().length());
        let (position, gap) = match depenetrate(moved, facing, projection.reach, error) {
            Some(found) if toi > 0.0 => found,
            _ => self.resting_position(time, facing),
        };
        // Returned separately, as an overlap is.
        if let Some(vertex) = filter.lowest_vertex(side) {
            let point = projection.vertex(position.as_dvec3(), side);
            let contacts = Contacts::vertex(point, (gap * projection.unit()).max(0.0), vertex);
            return Sweep::Hit(SweepHit { toi, normal, position, contacts });
        }
        let contacts = projection.contacts(side, FeatureId::NONE, position.as_dvec3(), gap, 0.0);
        Sweep::Hit(SweepHit { toi, normal, position, contacts })
    }

    /// Where the box stops, and its gap there, if that takes exact arithmetic.
    #[cold]
    fn resting_position(&self, time: f64, facing: (DVec3, f64)) -> (Vec3, f64) {
        let body = self.placed(self.body().center(), self.edges_at(time));
        let pushed =
            || depenetrate_exactly(&body, self.center_at(time), facing).unwrap_or(self.center_at(time).as_vec3());
        let position = if time == 0.0 { self.body().center() } else { pushed() };
        (position, gap_at(&body, position, facing))
    }
}
