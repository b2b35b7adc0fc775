//! On which side of a plane a cylinder or a cone lies, and whether it contains a point.

use crate::{Cylinder, Plane, Side};
use glam::Vec3;

impl Cylinder {
    /// Returns whether `point` lies inside or on the surface, up to rounding of `f64`; `false` for a NaN or an infinity.
    pub(crate) fn contains_point(&self, point: Vec3) -> bool {
        let profile = self.profile();
        let (height, across) = profile.split(point.as_dvec3() - profile.center);
        profile.contains(height, across.length())
    }

    /// Returns the side of `plane` on which it lies; touching, up to rounding of `f64`, is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        let [low, high] = self.core().heights_over(plane);
        if low > 0.0 {
            Side::Front
        } else if high < 0.0 {
            Side::Back
        } else {
            Side::Straddling
        }
    }
}
