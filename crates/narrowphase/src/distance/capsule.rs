//! How far a capsule is from each shape, and the point of a capsule nearest to another point.

use super::rod::MovingCapsule;
use crate::{
    Aabb, Brush, Capsule, Convex, Gap, Obb, Patch, Plane, Sides, Sphere, Triangle,
    arrays::Mapped,
    exact::{predicate::sign, vector},
    sweep::{
        passing::PassingBody,
        sphere::{aabb::sides, order},
    },
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering::{Equal, Greater, Less};

impl Capsule {
    /// Returns the point of the capsule nearest to `point`; inside, `point` itself.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        let (nearest, radius) = (self.axis().nearest(point.as_dvec3()), f64::from(self.radius()));
        let offset = point.as_dvec3() - nearest;
        let length = offset.length();
        let closest = if length <= radius { point } else { (nearest + offset * (radius / length)).as_vec3() };
        // Rounding may put it beside the bounds, where nothing of the capsule lies.
        closest.clamp(self.aabb().min(), self.aabb().max())
    }

    /// Returns the distance from `point` to the capsule; 0 inside.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        let length = self.axis().nearest(point.as_dvec3()).distance(point.as_dvec3());
        (length - f64::from(self.radius())).max(0.0) as f32
    }

    /// Returns how far `capsule` is from this one, or how deep in it; the normal is the direction in which to move
    /// `capsule`. If the axes cross, it leads out sideways.
    pub(crate) fn gap_of_capsule(&self, capsule: &Self) -> Gap {
        MovingCapsule::from(capsule).gap_to(&self.into())
    }

    /// Returns how far `ball` is from this capsule, or how deep in it: as [`Solid::gap_of_capsule`].
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        self.gap_of_capsule(&Self::from(*ball))
    }

    /// Returns how far `body` is from this capsule, or how deep in it: [`Solid::gap_of_capsule`] with the normal that
    /// moves the box.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        body.gap_of_capsule(self).reversed()
    }
}

impl Sphere {
    /// Returns how far `capsule` is from this ball, or how deep in it; the normal is the direction in which to move
    /// `capsule`.
    pub(crate) fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        Capsule::from(*self).gap_of_capsule(capsule)
    }
}

impl Aabb {
    /// Returns how far `capsule` is from this box, or how deep in it; the normal is the direction in which to move
    /// `capsule`.
    pub(crate) fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        let rod = MovingCapsule::from(capsule);
        rod.gap_to_box([self.min().as_dvec3(), self.max().as_dvec3()], sides(self, rod.center, DVec3::ZERO))
    }
}

impl Obb {
    /// Returns how far `capsule` is from this box, or how deep in it; the normal is the direction in which to move
    /// `capsule`.
    pub(crate) fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        gap_to(Convex::from(*self), 0.0, capsule)
    }
}

impl Brush {
    /// Returns how far `capsule` is from this brush, or how deep in it; the normal is the direction in which to move
    /// `capsule`.
    pub(crate) fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        gap_to(Convex::from(self), self.vertex_error(), capsule)
    }
}

impl Patch {
    /// Returns how far `capsule` is from this patch, or how deep it is cut: as [`Solid::gap_of_capsule`].
    pub(crate) fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        gap_to(Convex::from(self), 0.0, capsule)
    }
}

impl Triangle {
    /// Returns how far `capsule` is from this triangle, or how deep it is cut: as [`Solid::gap_of_capsule`].
    pub(crate) fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        gap_to(Convex::from(*self), 0.0, capsule)
    }

    /// Returns the gap of `capsule` to this triangle, or `None` if they are certainly apart ([`Gap::is_apart`]): as
    /// [`Solid::penetration`].
    pub(crate) fn penetration_of_capsule(&self, capsule: &Capsule) -> Option<Gap> {
        let body = PassingBody::new(capsule.center(), [capsule.half_axis()], capsule.radius(), Vec3::ZERO);
        let is_apart = body.passes_by(self, 0.0);
        (!is_apart).then(|| self.gap_of_capsule(capsule)).filter(|gap| !gap.is_apart())
    }
}

fn gap_to(solid: Convex, error: f64, capsule: &Capsule) -> Gap {
    MovingCapsule::from(capsule).gap_to_core(&solid.core(), error)
}

impl Plane {
    /// Returns how far `capsule`, which was at `start` before, is from the half-space behind the plane, or how deep in
    /// it: as [`Plane::gap_from`] for a box. With [`Sides::Both`] the gap is that to the plane itself, on the side
    /// where the capsule's centre was. The sign is exact.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Plane, Sides, glam::{DVec3, Vec3}};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let at = |y: f32| Capsule::new(Vec3::Y * y, Vec3::Y * (y + 1.0), 2.0).unwrap();
    /// let gap = floor.gap_of_capsule_from(&at(3.0), &at(-5.0), Sides::Front);
    /// assert_eq!((gap.separation, gap.normal), (-7.0, DVec3::Y));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn gap_of_capsule_from(&self, start: &Capsule, capsule: &Capsule, sides: Sides) -> Gap {
        let normal = self.normal().as_dvec3();
        let side = match sides {
            Sides::Front => (!self.is_behind(start)).then_some(1.0),
            // A centre that started on the plane was leaving it toward where it is now.
            Sides::Both => {
                let signs = [start, capsule].mapped(|body| sign(&self.distance_terms(body.center())));
                Some(if signs[0].then(signs[1]) == Less { -1.0 } else { 1.0 })
            }
        };
        let Some(side) = side else {
            return Gap::new(f64::INFINITY, 0.0, vector::normalized(normal));
        };
        let distance = self.nearest_end(capsule, side);
        let size = (distance.iter().sum::<f64>() / normal.length() - f64::from(capsule.radius())).abs();
        let separation = match order(capsule.radius(), self, &distance) {
            Less => (-size).min(-f64::MIN_POSITIVE),
            Equal => 0.0,
            Greater => size,
        };
        Gap::new(separation, 0.0, side * vector::normalized(normal))
    }

    /// Whether all of a capsule is behind the plane.
    fn is_behind(&self, capsule: &Capsule) -> bool {
        order(capsule.radius(), self, &self.nearest_end(capsule, -1.0)) == Greater
    }

    /// The signed distance of the end of a capsule's axis that is nearest to the plane or farthest behind it, as seen
    /// from the `side` where distances are positive. It is given as the terms of an exact sum, times the normal's
    /// length.
    pub(crate) fn nearest_end(&self, capsule: &Capsule, side: f64) -> [f64; 7] {
        self.end_at(capsule.center(), side, self.falling_axis(capsule))
    }

    /// The height of the lower end of a capsule's axis over its middle, along the normal: exact terms, whose sum is not
    /// above 0.
    #[inline]
    pub(crate) fn falling_axis(&self, capsule: &Capsule) -> [f64; 3] {
        let terms = self.normal().as_dvec3() * capsule.wide_axis();
        // A factor rather than a branch, which would be mispredicted every other time.
        let down = if sign(&terms.to_array()) == Less { 1.0 } else { -1.0 };
        (terms * down).to_array()
    }

    /// The terms of [`Plane::nearest_end`] of a capsule around a centre, given those of its axis.
    #[inline]
    pub(crate) fn end_at(&self, center: Vec3, side: f64, [x, y, z]: [f64; 3]) -> [f64; 7] {
        let [a, b, c, d] = self.distance_terms(center).mapped(|x| side * x);
        [a, b, c, d, x, y, z]
    }
}
