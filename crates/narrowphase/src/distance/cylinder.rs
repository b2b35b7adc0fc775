//! How far a cylinder or a cone is from points, boxes, balls and capsules.

use super::gap_from::beyond;
use crate::{
    Capsule, ConvexCore, Cylinder, Exits, Gap, Obb, Sphere,
    arrays::Mapped,
    exact::{ROUNDING, vector},
};
use arrayvec::ArrayVec;
use glam::{DVec3, Vec3};

impl Cylinder {
    /// Returns the point of the cylinder nearest to `point`; inside, `point` itself.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        let (distance, nearest) = self.profile().nearest(point.as_dvec3());
        let closest = if distance <= 0.0 { point } else { nearest.as_vec3() + Vec3::ZERO };
        // Rounding may put it beside the bounds, where nothing of it lies.
        closest.clamp(self.aabb().min(), self.aabb().max())
    }

    /// Returns the distance from `point` to the cylinder; 0 inside.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        self.signed_distance(point).max(0.0) as f32
    }

    /// Returns the distance of `point` from the surface, in units of length; negative inside.
    ///
    /// ```
    /// # use cullide_narrowphase::{Cylinder, glam::Vec3};
    /// let can = Cylinder::new(Vec3::ZERO, Vec3::X * 4.0, 2.0)?;
    /// assert_eq!([Vec3::X * 3.5, Vec3::X * 5.0].map(|point| can.signed_distance(point)), [-0.5, 1.0]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn signed_distance(&self, point: Vec3) -> f64 {
        self.profile().nearest(point.as_dvec3()).0
    }

    /// Returns how far `ball` is from this, or how deep in it, in closed form; the normal is the direction in which to
    /// move the ball, of equally short ones some fixed one.
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        let (center, radius) = (ball.center().as_dvec3(), f64::from(ball.radius()));
        let (distance, nearest) = self.profile().nearest(center);
        let size =
            center.abs().max_element() + nearest.abs().max_element() + radius + f64::from(self.half_axis().length());
        // A centre on the surface has no direction of its own.
        match vector::try_normalized((center - nearest) * distance.signum()) {
            Some(normal) if distance.abs() > 64.0 * ROUNDING * size => {
                Gap::new(distance - radius, 64.0 * ROUNDING * size, normal)
            }
            _ => Centered::from(self).gap(&ball.into(), center),
        }
    }

    /// Returns how far a convex is from this, or how deep in it; the normal is the direction in which to move the
    /// convex. It is less than the true separation by at most 2^-26 of the largest coordinate, and
    /// [`Gap::certain`] tells the least that it may be.
    #[doc(hidden)]
    pub fn gap_of(&self, body: &ConvexCore) -> Gap {
        let own = Centered::from(self);
        gap(&body.mapped(|point| point - own.origin), &own.core)
    }
}

/// A cylinder as seen from its own centre, so that what its core is off by does not grow with its coordinates.
pub(crate) struct Centered {
    pub(crate) core: ConvexCore,
    pub(crate) origin: DVec3,
}

impl From<&Cylinder> for Centered {
    fn from(cylinder: &Cylinder) -> Self {
        let core = Cylinder::from_half_axis(Vec3::ZERO, cylinder.half_axis(), cylinder.radii());
        Self { core: core.map_or_else(|_| cylinder.core(), |own| own.core()), origin: cylinder.center().as_dvec3() }
    }
}

impl Centered {
    /// A body around a centre, as seen from there.
    pub(crate) fn seen(&self, body: &CenteredBody, center: DVec3) -> ConvexCore {
        body.at(center - self.origin)
    }

    /// How far that body is, or how deep in the cylinder.
    pub(crate) fn gap(&self, body: &CenteredBody, center: DVec3) -> Gap {
        gap(&self.seen(body, center), &self.core)
    }
}

fn gap(body: &ConvexCore, other: &ConvexCore) -> Gap {
    let found = body.distance(other);
    Gap::new(found.separation, found.separation - found.bounds[0], found.normal)
}

/// A box, a ball or a capsule, wherever its centre is.
#[derive(Clone, Debug)]
pub(crate) struct CenteredBody {
    /// The vertices of the core, from the centre.
    offsets: ArrayVec<DVec3, 8>,
    radius: f64,
}

impl CenteredBody {
    /// A box with these half edges.
    pub(crate) fn of_edges([a, b, c]: [DVec3; 3]) -> Self {
        let signs = (0..8).map(|i| [1, 2, 4].mapped(|bit| if i & bit == 0 { -1.0 } else { 1.0 }));
        Self { offsets: signs.map(|[x, y, z]| a * x + b * y + c * z).collect(), radius: 0.0 }
    }

    pub(crate) fn offsets(&self) -> &[DVec3] {
        &self.offsets
    }

    pub(crate) fn at(&self, center: DVec3) -> ConvexCore {
        ConvexCore::of_points(self.offsets.iter().map(|offset| center + offset), self.radius)
    }

    /// How far it reaches from its centre along a unit normal.
    pub(crate) fn reach(&self, normal: DVec3) -> f64 {
        self.offsets.iter().map(|offset| normal.dot(*offset)).fold(f64::NEG_INFINITY, f64::max) + self.radius
    }
}

impl From<&Obb> for CenteredBody {
    fn from(obb: &Obb) -> Self {
        Self::of_edges(obb.wide_edges())
    }
}

impl From<&Sphere> for CenteredBody {
    fn from(ball: &Sphere) -> Self {
        Self { offsets: [DVec3::ZERO].into_iter().collect(), radius: ball.radius().into() }
    }
}

impl From<&Capsule> for CenteredBody {
    fn from(capsule: &Capsule) -> Self {
        let half = capsule.wide_axis();
        Self { offsets: [-half, half].into_iter().collect(), radius: capsule.radius().into() }
    }
}

/// The gap of a body at `center` along the normal that its sweep had at a time, as [`beyond`] finds it; `then` returns
/// the body and its centre at a time of the sweep, and no coordinate of the sweep is larger than `size`.
pub(crate) fn gap_beyond(
    cylinder: &Cylinder,
    (time, size): (f32, f64),
    then: impl Fn(f64) -> (CenteredBody, DVec3),
    center: Vec3,
) -> Option<Gap> {
    let own = Centered::from(cylinder);
    let side = |time: f64| {
        let (body, at) = then(time);
        let normal = own.gap(&body, at).normal;
        let reach = normal.dot(own.core.support(normal)) + body.reach(-normal);
        (Gap::new(normal.dot(at - own.origin) - reach, 0.0, normal), reach, own.origin)
    };
    beyond(time, size, &side, center)
}

impl Exits for Cylinder {
    fn exits(&self, body: &Obb, visit: &mut dyn FnMut(Gap)) {
        self.exits_of(&body.into(), body.center(), visit);
    }

    fn exits_of_sphere(&self, ball: &Sphere, visit: &mut dyn FnMut(Gap)) {
        self.exits_of(&ball.into(), ball.center(), visit);
    }

    fn exits_of_capsule(&self, capsule: &Capsule, visit: &mut dyn FnMut(Gap)) {
        self.exits_of(&capsule.into(), capsule.center(), visit);
    }
}

impl Cylinder {
    /// Along the gap's own normal, the axis, and four directions across it.
    fn exits_of(&self, body: &CenteredBody, center: Vec3, visit: &mut dyn FnMut(Gap)) {
        let own = Centered::from(self);
        visit(own.gap(body, center.as_dvec3()));
        let way = center.as_dvec3() - own.origin;
        let profile = self.profile();
        let across = vector::perpendicular(profile.axis);
        for axis in [profile.axis, across, profile.axis.cross(across)] {
            for normal in [axis, -axis] {
                let (far, reach) = (own.core.support(normal), body.reach(-normal));
                let error = 32.0 * ROUNDING * (way.abs() + far.abs() + reach).element_sum();
                visit(Gap::new(normal.dot(way - far) - reach, error, normal));
            }
        }
    }
}
