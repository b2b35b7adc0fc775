//! A translating box against a sphere.
//!
//! Seen from the box, the sphere's centre moves along a straight line, and its distance from the box is a convex function of time.
//! Newton's method, started before the first root of `distance − radius`, then never steps past it: the tangent lies below the
//! function. Where the function does not fall, it never will again.
//!
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, §2.3 (conservative advancement); the tangent in
//! place of a bound on the speed is what convexity allows.

use super::{BoxSweep, Contacts, Gap, Overlap, Sweep, SweepHit, contacts, gap::placed, hull::ROUNDING, round_toi};
use crate::{Obb, Sphere, unit};
use glam::{DVec3, Vec3};

/// Newton's method doubles the digits at a simple root and adds one bit a step at a double one, where a box only grazes.
const MAX_STEPS: usize = 64;

impl BoxSweep {
    /// The first touch of `sphere`, as [`BoxSweep::against_brush`]; decided in `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Sphere, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 8.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let hit = BoxSweep::new(body, Vec3::Y * -8.0)?.against_sphere(&Sphere::new(Vec3::ZERO, 2.0)?).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal, hit.contacts.points()), (0.5, Vec3::Y, &[Vec3::Y * 2.0][..]));
    /// assert!(hit.position.y >= 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_sphere(&self, sphere: &Sphere) -> Sweep {
        let motion = self.motion().as_dvec3();
        let toi = match first_touch(self.body(), sphere, motion) {
            Ok(toi) => toi,
            Err(sweep) => return sweep,
        };
        let gap = sphere_gap(sphere, self.body(), motion * toi);
        let moved = (self.body().center().as_dvec3() + motion * toi).as_vec3();
        let position = self.push_out_of_sphere(sphere, if toi == 0.0 { self.body().center() } else { moved });
        let center = sphere.center().as_dvec3();
        let contact = (center + gap.normal * f64::from(sphere.radius())).as_vec3();
        let separation =
            sphere_gap(sphere, self.body(), position.as_dvec3() - self.body().center().as_dvec3()).separation;
        let id = contacts::lowest(self.body(), position.as_dvec3(), gap.normal, 0.0).id();
        let (normal, contacts) = (unit::unit(gap.normal), Contacts::new(&[(contact, separation.max(0.0))], id));
        Sweep::Hit(SweepHit { toi: round_toi(toi), normal, position, contacts })
    }

    /// The `f32` centre near `center` at which the box does not penetrate the sphere beyond doubt.
    fn push_out_of_sphere(&self, sphere: &Sphere, mut center: Vec3) -> Vec3 {
        for _ in 0..8 {
            let Some(body) = placed(self.body(), center) else { break };
            let gap = sphere.gap(&body);
            if gap.is_apart() {
                return center;
            }
            center = gap.moved(center);
        }
        self.body().center()
    }
}

/// When a box touches a sphere, seen from which it moves by `motion`; or the answer, if it does not.
pub(super) fn first_touch(body: &Obb, sphere: &Sphere, motion: DVec3) -> Result<f64, Sweep> {
    let start = sphere_gap(sphere, body, DVec3::ZERO);
    if start.separation < 0.0 {
        let contacts = contacts::lowest(body, body.center().as_dvec3(), start.normal, -start.separation);
        let (depth, normal) = (-start.separation as f32, unit::unit(start.normal));
        return Err(Sweep::Overlap(Overlap { depth, normal, contacts }));
    }
    let mut toi = 0.0;
    let mut gap = start;
    for _ in 0..MAX_STEPS {
        let departure = gap.normal.dot(motion);
        if departure >= -4.0 * ROUNDING * motion.length() {
            return Err(Sweep::Clear);
        }
        if gap.separation == 0.0 {
            break;
        }
        toi += gap.separation / -departure;
        if toi >= 1.0 {
            return Err(Sweep::Clear);
        }
        gap = sphere_gap(sphere, body, motion * toi);
    }
    Ok(toi)
}

impl Sphere {
    /// How far `body` is from this sphere, or how deep in it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Sphere, glam::{DVec3, Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 8.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let gap = Sphere::new(Vec3::ZERO, 2.0)?.gap(&body);
    /// assert_eq!((gap.separation, gap.normal), (4.0, DVec3::Y));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        sphere_gap(self, body, DVec3::ZERO)
    }
}

/// The gap once the box has moved.
fn sphere_gap(sphere: &Sphere, body: &Obb, moved: DVec3) -> Gap {
    let (center, radius) = (sphere.center().as_dvec3(), f64::from(sphere.radius()));
    let to = center - body.center().as_dvec3() - moved;
    let depths = body.slabs().map(|(axis, reach)| (axis.dot(to).abs() - reach, axis * -axis.dot(to).signum()));
    let size = center.abs().max(body.center().as_dvec3().abs()).max(to.abs()).max_element() + radius;
    let error = 64.0 * ROUNDING * (size + body.half_edges().iter().map(|h| h.as_dvec3().length()).sum::<f64>());
    if depths.iter().any(|(depth, _)| *depth > 0.0) {
        let offset = body.nearest_on_surface(to) - to;
        let distance = offset.length();
        if distance > error {
            return Gap::new(distance - radius, error, offset / distance);
        }
    }
    // The sphere's centre lies in the box: out through the nearest face.
    let (separation, normal) = depths.into_iter().fold(depths[0], |a, b| if b.0 > a.0 { b } else { a });
    Gap::new(separation - radius, error, normal)
}
