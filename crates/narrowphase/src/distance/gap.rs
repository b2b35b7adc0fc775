//! How far apart a box and a solid are.

use crate::{
    Distance, Obb, Plane, Sides,
    exact::{ROUNDING, predicate::sign, vector},
    sweep::plane::exact::main_axis,
};
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

/// The signed distance between a body and a solid along the direction in which it is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Zero or more iff the interiors have no point in common: the two are then at least this far apart. Negative if
    /// they overlap: it is then exactly how far to move. A value within its own rounding error is zero.
    pub separation: f64,
    /// Unit direction in which to move the body.
    pub normal: DVec3,
    /// The largest separation that is certain along any direction.
    certain: f64,
}

impl Gap {
    pub(crate) fn new(separation: f64, error: f64, normal: DVec3) -> Self {
        let certain = separation - error;
        let separation = if separation.abs() <= error { 0.0 } else { separation };
        Self { separation, normal: normal + DVec3::ZERO, certain }
    }

    /// The larger of two gaps of the same solids along different directions.
    pub(crate) fn or(self, other: Self) -> Self {
        let larger = if other.separation > self.separation { other } else { self };
        Self { certain: self.certain.max(other.certain), ..larger }
    }

    /// The same gap for a body that reaches farther by a radius.
    pub(crate) fn closer(self, radius: f64) -> Self {
        let error = self.separation.max(self.certain) - self.certain + 4.0 * ROUNDING * radius;
        Self::new(self.separation - radius, error, self.normal)
    }

    /// The same gap, seen from the other shape.
    pub(crate) fn reversed(self) -> Self {
        Self { normal: -self.normal + DVec3::ZERO, ..self }
    }

    /// Returns the least that the separation may be, rounding considered.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Obb, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y * 5.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(Plane::new(Vec3::Y, 0.0)?.gap(&body, Sides::Front).certain(), 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn certain(&self) -> f64 {
        self.certain
    }

    /// Returns how far to move along the normal until the interiors certainly have no point in common; 0 if they have
    /// none.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Obb, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(Plane::new(Vec3::Y, 0.0)?.gap(&body, Sides::Front).required_push(), 1.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn required_push(&self) -> f64 {
        (-self.certain).max(0.0)
    }

    /// Returns whether the interiors certainly have no point in common, rounding considered.
    ///
    /// ```
    /// # use cullide_narrowphase::{Solid, Aabb, Obb, glam::Vec3};
    /// let step = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let touching = Obb::from(&Aabb::new(Vec3::X * 2.0, Vec3::splat(4.0))?);
    /// assert!(step.gap(&touching).is_apart());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn is_apart(&self) -> bool {
        self.certain >= 0.0
    }

    /// Returns a box's `center` moved along the normal by the depth of the penetration, and by at least one step of
    /// `f32`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Obb, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let gap = Plane::new(Vec3::Y, 0.0)?.gap(&body, Sides::Front);
    /// assert_eq!(gap.moved(body.center()), Vec3::Y * 2.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn moved(&self, center: Vec3) -> Vec3 {
        self.moved_by(center, (-self.separation).max(0.0))
    }

    /// Returns a `center` moved along the normal by a length, and by at least one step of `f32`: as [`Gap::moved`], but
    /// by a given length.
    ///
    /// ```
    /// # use cullide_narrowphase::{Plane, Obb, Sides, glam::{Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let gap = Plane::new(Vec3::Y, 0.0)?.gap(&body, Sides::Front);
    /// assert_eq!(gap.moved_by(body.center(), 2.0 * gap.required_push()), Vec3::Y * 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn moved_by(&self, center: Vec3, length: f64) -> Vec3 {
        let moved = (center.as_dvec3() + self.normal * length).as_vec3();
        if moved != center {
            return moved;
        }
        let axis = main_axis(self.normal);
        let mut moved = center;
        moved[axis] = if self.normal[axis] > 0.0 { center[axis].next_up() } else { center[axis].next_down() };
        moved
    }
}

impl From<Distance> for Gap {
    /// The gap of the first of two convexes: certain is the lower bound of their separation.
    fn from(found: Distance) -> Self {
        Self::new(found.separation, found.separation - found.bounds[0], found.normal)
    }
}

impl Plane {
    /// Returns how far `body` is from the half-space behind the plane, or how deep it cuts in. With [`Sides::Both`] the
    /// gap is that to the plane itself, on the side of the box's centre. The sign is exact. A box wholly behind a
    /// one-sided plane is ignored: its gap is infinite.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Plane, Sides, glam::{DVec3, Quat, Vec3}};
    /// let body = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let gap = Plane::new(Vec3::Y, 0.0)?.gap(&body, Sides::Front);
    /// assert_eq!((gap.separation, gap.normal), (-1.0, DVec3::Y));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb, sides: Sides) -> Gap {
        self.gap_from(body, body, sides)
    }

    /// Returns [`Plane::gap`] for a body that was at `start` before and is held on the side where it was then: a body
    /// that has passed the plane altogether is in it as deep as it went. A body that the plane ignored at its start is
    /// still ignored after it has come out from behind; [`Plane::gap`] tells how deep that one is.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Plane, Sides, glam::{Quat, Vec3}};
    /// let floor = Plane::new(Vec3::Y, 0.0)?;
    /// let start = Obb::new(Vec3::Y * 2.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let below = start.translated(Vec3::Y * -5.0)?;
    /// assert_eq!(floor.gap(&below, Sides::Front).separation, f64::INFINITY);
    /// assert_eq!(floor.gap_from(&start, &below, Sides::Front).separation, -5.0);
    /// assert_eq!(floor.gap_from(&below, &start, Sides::Front).separation, f64::INFINITY);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn gap_from(&self, start: &Obb, body: &Obb, sides: Sides) -> Gap {
        let normal = self.normal().as_dvec3();
        // A centre that started on the plane was leaving it toward where it is now.
        let Some(side) = self.start_side(start, sides, &self.distance_terms(body.center())) else {
            return Gap::new(f64::INFINITY, 0.0, vector::normalized(normal));
        };
        let mut terms = self.extreme_terms(body, -side);
        terms.iter_mut().for_each(|x| *x *= side);
        let size = (terms.iter().sum::<f64>() / normal.length()).abs();
        let separation = match sign(&terms) {
            Ordering::Less => (-size).min(-f64::MIN_POSITIVE),
            Ordering::Equal => 0.0,
            Ordering::Greater => size,
        };
        Gap::new(separation, 0.0, side * vector::normalized(normal))
    }
}

/// Returns a centre near `center` at which certainly nothing penetrates, according to the `gap` at each centre; `None`
/// at the end of the range of coordinates, where there is no gap.
///
/// Each push is by [`Gap::required_push`], which is more than the penetration, times a factor that doubles every time,
/// since rounding to `f32` may take away a part.
pub(crate) fn pushed_apart(mut center: Vec3, gap: &dyn Fn(Vec3) -> Option<Gap>) -> Option<Vec3> {
    let mut share = 1.0;
    // The required push is a difference of doubles, so at least 2^-106 of the error: this many doublings more than make
    // up for it.
    for _ in 0..128 {
        let gap = gap(center)?;
        if gap.is_apart() {
            return Some(center + Vec3::ZERO);
        }
        center = gap.moved_by(center, gap.required_push() * share);
        share *= 2.0;
    }
    None
}

/// The side on which a body is held by the shape that it touches. A body smaller than the steps of `f32` may be rounded
/// right through a thin shape: it stays on the side that it came from.
pub(crate) struct Hold {
    /// The body's centre, unrounded, where the two touch.
    touching: DVec3,
    normal: DVec3,
    /// How far the body reaches along the normal.
    reach: f64,
}

impl Hold {
    /// Creates the hold of a body that touches along the unit `normal`, which points to the body. `size` is no less
    /// than any coordinate that led there.
    pub(crate) fn new(touching: DVec3, normal: DVec3, reach: f64, size: f64) -> Self {
        let lost = 128.0 * ROUNDING * (size + touching.abs().max_element() + reach);
        Self { touching: touching + normal * lost, normal, reach }
    }

    /// [`pushed_apart`], on this side.
    pub(crate) fn pushed_apart(&self, center: Vec3, gap: &dyn Fn(Vec3) -> Option<Gap>) -> Option<Vec3> {
        pushed_apart(center, &|center| {
            let lead = self.normal.dot(center.as_dvec3() - self.touching);
            // Unless it is past where it touches by half of its reach, the gap has the right side.
            if lead + 0.5 * self.reach > 0.0 {
                return gap(center);
            }
            Some(Gap::new(lead.min(-f64::MIN_POSITIVE), 0.0, self.normal))
        })
    }
}

/// A box with the same edges around another centre; `None` if out of range.
pub(crate) fn placed(body: &Obb, center: Vec3) -> Option<Obb> {
    Obb::from_half_edges(center, body.half_edges()).ok()
}
