//! How far a box is from a convex solid, or how deep in it: the largest separation over the facets of their Minkowski
//! difference.

use super::Gap;
use crate::{
    Aabb, Brush, Obb, Patch, Triangle,
    minkowski::{
        Body, Facet, MinkowskiDifference,
        box_solid::BoxSolid,
        sat::{self, Frame},
    },
    overlap::triangle_filter,
    sweep::solid::stays_beside,
};
use glam::{DVec3, Vec3};
use std::ops::ControlFlow::{Break, Continue};

impl Aabb {
    /// Returns how far `body` is from this box, or how deep in it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Obb, glam::Vec3};
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let other = Obb::from(&Aabb::new(Vec3::X * 6.0, Vec3::splat(7.0))?);
    /// assert_eq!(crate_.gap(&other).separation, 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        gap(&BoxSolid::from(self).difference(), body)
    }

    /// Returns how deep `body` is in this box, rounding considered, or `None` if they are apart; see
    /// [`Brush::penetration`](crate::Brush::penetration).
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Obb, glam::{Quat, Vec3}};
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let body = |x: f32| Obb::new(Vec3::new(x, 1.0, 1.0), Quat::from_rotation_x(0.5), Vec3::ONE).unwrap();
    /// assert!(crate_.penetration(&body(3.0)).is_none());
    /// assert_eq!(crate_.penetration(&body(2.5)).unwrap().separation, -0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        if stays_beside(self, body, Vec3::ZERO) {
            return None;
        }
        penetration(&BoxSolid::from(self).difference(), body)
    }
}

impl Obb {
    /// Returns how far `body` is from this box, or how deep in it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{DVec3, Quat, Vec3}};
    /// let [low, high] = [0.0, 4.0].map(|z| Obb::new(Vec3::Z * z, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap());
    /// assert_eq!((low.gap(&high).separation, low.gap(&high).normal), (-2.0, DVec3::X));
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        gap(&BoxSolid::from(self).difference(), body)
    }

    /// Returns how deep `body` is in this box, rounding considered, or `None` if they are apart; see
    /// [`Brush::penetration`](crate::Brush::penetration).
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{Quat, Vec3}};
    /// let [low, high] = [0.0, 6.5].map(|z| Obb::new(Vec3::Z * z, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap());
    /// assert!(low.penetration(&high).is_none() && low.penetration(&low).is_some());
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        penetration(&BoxSolid::from(self).difference(), body)
    }
}

impl Brush {
    /// Returns how far `body` is from this brush, or how deep in it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Obb, glam::{DVec3, Quat, Vec3}};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let gap = step.gap(&Obb::new(Vec3::new(2.5, 1.0, 1.0), Quat::IDENTITY, Vec3::ONE)?);
    /// assert_eq!((gap.separation, gap.normal), (-0.5, DVec3::X));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        gap(&self.difference(), body)
    }

    /// Returns the gap of `body` to this brush, or `None`, which is much cheaper, if they are certainly apart
    /// ([`Gap::is_apart`]).
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Obb, glam::{Quat, Vec3}};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let body = |x: f32| Obb::new(Vec3::new(x, 1.0, 1.0), Quat::IDENTITY, Vec3::ONE).unwrap();
    /// assert!(step.penetration(&body(3.0)).is_none());
    /// assert_eq!(step.penetration(&body(2.5)).unwrap().separation, -0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        penetration(&self.difference(), body)
    }

    /// Returns whether `body` and this brush share a point, touching included; decided in `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Obb, glam::{Quat, Vec3}};
    /// let solid = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// assert!(solid.overlaps_obb(&Obb::new(Vec3::new(1.0, 1.0, -3.0), Quat::IDENTITY, Vec3::splat(3.0))?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb()) && self.gap(body).separation <= 0.0
    }
}

impl Patch {
    /// Returns how far `body` is from this patch, or how deep it is cut.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// assert_eq!(patch.gap(&Obb::new(Vec3::Z * 4.0, Quat::IDENTITY, Vec3::ONE)?).separation, 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        gap(&self.polygon().difference(), body)
    }

    /// Returns the gap of `body` to this patch, or `None`, which is cheaper, if they are certainly apart
    /// ([`Gap::is_apart`]).
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// assert!(patch.penetration(&Obb::new(Vec3::Z, Quat::IDENTITY, Vec3::ONE)?).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        penetration(&self.polygon().difference(), body)
    }

    /// Returns whether `body` and this patch share a point, touching included; decided in `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Patch, Obb, glam::{Quat, Vec3}};
    /// let solid = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// assert!(solid.overlaps_obb(&Obb::new(Vec3::new(1.0, 1.0, -3.0), Quat::IDENTITY, Vec3::splat(3.0))?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb()) && self.gap(body).separation <= 0.0
    }
}

impl Triangle {
    /// Returns how far `body` is from this triangle, or how deep it is cut: as [`Patch::gap`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Triangle, glam::{Quat, Vec3}};
    /// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?;
    /// assert_eq!(triangle.gap(&Obb::new(Vec3::Z * 4.0, Quat::IDENTITY, Vec3::ONE)?).separation, 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        gap(&self.wide().polygon().difference(), body)
    }

    /// Returns the gap of `body` to this triangle, or `None` if they are certainly apart: as [`Patch::penetration`].
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        if triangle_filter::meets(self, body) == Some(false) {
            return None;
        }
        penetration(&self.wide().polygon().difference(), body)
    }

    /// Returns whether `body` and this triangle share a point, touching included: as [`Patch::overlaps_obb`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Triangle, glam::{Quat, Vec3}};
    /// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?;
    /// assert!(triangle.overlaps_obb(&Obb::new(Vec3::new(0.5, 0.5, -3.0), Quat::IDENTITY, Vec3::splat(3.0))?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb())
            && triangle_filter::meets(self, body).unwrap_or_else(|| self.gap(body).separation <= 0.0)
    }
}

/// The gap of a box to the solid, for depenetration and for queries.
pub(crate) fn gap(difference: &MinkowskiDifference, obb: &Obb) -> Gap {
    largest_gap(difference, obb, |_| false).unwrap_or(Gap::new(f64::NEG_INFINITY, 0.0, DVec3::ZERO))
}

/// The same, or `None` if they are certainly apart. The first facet that separates them, mostly a face, ends the
/// search.
pub(crate) fn penetration(difference: &MinkowskiDifference, obb: &Obb) -> Option<Gap> {
    let (body, center) = (Body::new(obb), obb.center().as_dvec3());
    let is_open = |facet: Facet| {
        let gap = facet.gap(&body, center);
        gap.value >= gap.error
    };
    if difference.faces().any(is_open) {
        return None;
    }
    let frame = Frame { center, edges: body.edges };
    if difference.frame.is_some_and(|solid| sat::candidate_axes(solid, &frame, DVec3::ZERO).is_none()) {
        return None;
    }
    largest_gap(difference, obb, Gap::is_apart)
}

/// The largest gap over all facets; `None` as soon as one of them is `enough`.
fn largest_gap(difference: &MinkowskiDifference, obb: &Obb, enough: impl Fn(&Gap) -> bool) -> Option<Gap> {
    let body = Body::new(obb);
    let center = obb.center().as_dvec3();
    let mut best: Option<Gap> = None;
    let verdict = difference.facets(&body, |facet| {
        let (gap, length) = (facet.gap(&body, center), facet.normal.length());
        let found = Gap::new(gap.value / length, gap.error / length, facet.normal / length);
        best = Some(best.map_or(found, |best| best.or(found)));
        if enough(&found) { Break(()) } else { Continue(()) }
    });
    best.filter(|_| verdict.is_continue())
}
