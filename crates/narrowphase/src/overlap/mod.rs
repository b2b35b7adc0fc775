//! Whether two volumes share a point. Touching counts.
//!
//! Every answer is exact for the stored numbers, except for an oriented box or a brush against a sphere, and a capsule
//! against anything but a capsule, a ball or an aligned box: their distances take divisions. [`Aabb::overlaps`] compares
//! bounds and is defined with the box.
//!
//! Sources: Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems (1990); Ericson, "Real-Time
//! Collision Detection", §4.3 and §4.4; for oriented boxes see [`zonotope`].
//!
//! Reading order: this file; [`sat_filter`] and [`zonotope`], two oriented boxes in `f32` and exactly;
//! [`triangle_filter`], a triangle and a box; [`capsule`] and [`capsule_filter`]; [`side`], planes.

mod capsule;
mod capsule_filter;
mod cylinder;
pub(crate) mod sat_filter;
pub(crate) mod side;
pub(crate) mod triangle_filter;
pub(crate) mod zonotope;

pub use side::Side;

use crate::{Aabb, Obb, Sphere, arrays::Mapped, exact::predicate::Exact};
use glam::{DVec3, Vec3};
use sat_filter::SatFilter;
use std::cmp::Ordering;
use zonotope::Vector;

impl Aabb {
    /// Returns whether the box and the sphere share a point, exactly.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let center = sphere.center();
        is_within(center, center.clamp(self.min(), self.max()), [sphere.radius(), 0.0])
    }

    /// Returns whether this box and an oriented one share a point, exactly.
    pub(crate) fn overlaps_obb(&self, obb: &Obb) -> bool {
        self.overlaps(&obb.aabb())
            && SatFilter::from(self).meets(&obb.into()).unwrap_or_else(|| self.overlaps_obb_exactly(obb))
    }

    #[cold]
    fn overlaps_obb_exactly(&self, obb: &Obb) -> bool {
        // Everything is doubled, which makes the centre and the half size of the bounds plain sums.
        let (min, max) = (self.min().as_dvec3(), self.max().as_dvec3());
        let own = DVec3::AXES.mapped(|axis| Vector::sum([axis * max, -axis * min, DVec3::ZERO]));
        let [a, b, c] = obb.wide_edges().mapped(|edge| Vector::new(2.0 * edge));
        zonotope::contains(
            &[own[0], own[1], own[2], a, b, c],
            &Vector::sum([2.0 * obb.center().as_dvec3(), -min, -max]),
        )
    }
}

impl Obb {
    /// Returns whether `point` lies in the box or on its surface, exactly; `false` for a NaN or an infinity.
    pub(crate) fn contains_point(&self, point: Vec3) -> bool {
        self.aabb().contains_point(point)
            && SatFilter::from(self).holds(point).unwrap_or_else(|| self.contains_exactly(point.as_dvec3()))
    }

    /// The exact test, for a point with `f32` coordinates.
    #[cold]
    pub(crate) fn contains_exactly(&self, point: DVec3) -> bool {
        let offset = Vector::sum([point, -self.center().as_dvec3(), DVec3::ZERO]);
        zonotope::contains(&self.wide_edges().mapped(Vector::new), &offset)
    }

    /// Returns whether both boxes share a point, exactly.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{Quat, Vec3}};
    /// let flat = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 0.0, 2.0))?;
    /// assert!(flat.overlaps(&flat.translated(Vec3::X * 2.0)?));
    /// assert!(!flat.overlaps(&flat.translated(Vec3::Y * 1e-30)?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps(&self, other: &Self) -> bool {
        self.aabb().overlaps(&other.aabb())
            && SatFilter::from(self).meets(&other.into()).unwrap_or_else(|| self.overlaps_exactly(other))
    }

    #[cold]
    fn overlaps_exactly(&self, other: &Self) -> bool {
        let [a, b, c] = self.wide_edges().mapped(Vector::new);
        let [d, e, f] = other.wide_edges().mapped(Vector::new);
        let offset = Vector::sum([other.center().as_dvec3(), -self.center().as_dvec3(), DVec3::ZERO]);
        zonotope::contains(&[a, b, c, d, e, f], &offset)
    }

    /// Returns the result of [`Solid::overlaps_obb`] with the arguments swapped.
    pub(crate) fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        aabb.overlaps_obb(self)
    }

    /// Returns whether the box and the sphere share a point, decided in `f64`: touching within rounding counts. A
    /// sphere of radius zero is decided exactly.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        let (center, radius) = (sphere.center().as_dvec3(), f64::from(sphere.radius()));
        let size =
            self.wide_edges().iter().fold((center - self.center().as_dvec3()).abs(), |sum, edge| sum + edge.abs());
        let slack = 16.0 * f64::EPSILON * (size.element_sum() + radius);
        let beyond = self.wide_distance(sphere.center()) - radius;
        // Within the slack, which may be large for a huge box, the bounds of both decide, exactly.
        beyond <= -slack || beyond <= slack && self.aabb().overlaps_sphere(sphere) && self.overlaps_aabb(&sphere.aabb())
    }
}

impl Sphere {
    /// Returns whether `point` lies in the sphere or on its surface, exactly; `false` for a NaN or an infinity.
    pub(crate) fn contains_point(&self, point: Vec3) -> bool {
        is_within(self.center(), point, [self.radius(), 0.0])
    }

    /// Returns whether both spheres share a point, exactly.
    ///
    /// ```
    /// # use cullide_narrowphase::{Sphere, glam::Vec3};
    /// let at = |x: f32, y: f32, radius| Sphere::new(Vec3::new(x, y, 0.0), radius);
    /// assert!(at(0.0, 0.0, 2.0)?.overlaps(&at(3.0, 4.0, 3.0)?));
    /// assert!(!at(0.0, 0.0, 2.0)?.overlaps(&at(3.0, 4f32.next_up(), 3.0)?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps(&self, other: &Self) -> bool {
        is_within(self.center(), other.center(), [self.radius(), other.radius()])
    }

    /// Returns the result of [`Solid::overlaps_sphere`] with the arguments swapped.
    pub(crate) fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        aabb.overlaps_sphere(self)
    }

    /// Returns the result of [`Solid::overlaps_sphere`] with the arguments swapped.
    pub(crate) fn overlaps_obb(&self, obb: &Obb) -> bool {
        obb.overlaps_sphere(self)
    }
}

/// Whether `|a − b| ≤ r + s`, by the exact sign of the difference of the squares.
fn is_within(a: Vec3, b: Vec3, [r, s]: [f32; 2]) -> bool {
    let offset = a.as_dvec3() - b.as_dvec3();
    let reach = f64::from(r) + f64::from(s);
    let (left, right) = (offset.length_squared(), reach * reach);
    // Each side has less than 8 roundings of error, relative to itself. A NaN or an infinity fails both comparisons.
    let slack = 8.0 * f64::EPSILON * (left + right);
    if (left - right).abs() > slack || !left.is_finite() {
        return left < right;
    }
    let squared = |x: &Exact| x.times(x);
    let sum = (0..3).fold(Exact::default(), |sum, i| sum.plus(&squared(&Exact::sum(&[a[i].into(), -f64::from(b[i])]))));
    sum.minus(&squared(&Exact::sum(&[r.into(), s.into()]))).sign() != Ordering::Greater
}
