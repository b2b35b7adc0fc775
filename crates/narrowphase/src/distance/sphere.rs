//! How far a ball is from planes, oriented boxes and balls.

use crate::{Gap, Obb, Plane, Sides, Sphere, sweep::sphere::sphere_sphere};

impl Plane {
    /// Returns how far `ball`, which was at `start` before, is from the half-space behind the plane, or how deep in it:
    /// as [`Plane::gap_from`] for a box. With [`Sides::Both`] the gap is that to the plane itself, on the side where
    /// the ball's centre was. The sign is exact.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Sides, Sphere, glam::{DVec3, Vec3}};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let at = |y: f32| Sphere::new(Vec3::Y * y, 2.0).unwrap();
    /// let gap = floor.gap_of_sphere_from(&at(3.0), &at(-5.0), Sides::Front);
    /// assert_eq!((gap.separation, gap.normal), (-7.0, DVec3::Y));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn gap_of_sphere_from(&self, start: &Sphere, ball: &Sphere, sides: Sides) -> Gap {
        self.gap_of_capsule_from(&(*start).into(), &(*ball).into(), sides)
    }
}

impl Obb {
    /// Returns how far `ball` is from this box, or how deep in it: [`Solid::gap`] with the normal that moves the ball.
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        ball.gap(self).reversed()
    }
}

impl Sphere {
    /// Returns how far `ball` is from this one, or how deep in it; the normal is the direction in which to move `ball`,
    /// +Y if the two are concentric.
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        sphere_sphere::gap(ball.center(), self, f64::from(self.radius()) + f64::from(ball.radius()))
    }
}
