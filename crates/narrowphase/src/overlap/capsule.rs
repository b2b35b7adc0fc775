//! Whether a capsule and another shape share a point: whether the shape is no farther than the radius from the
//! capsule's axis.
//!
//! For points, balls, capsules and axis-aligned boxes the answer is exact. For shapes with planes or skewed edges it is
//! decided in `f64`, and touching within rounding counts.

use super::capsule_filter;
use crate::{
    Aabb, Brush, Capsule, Obb, Patch, Sphere, Triangle,
    exact::{
        lines::{BoundedLine, ExactLine},
        predicate::Exact,
    },
    sweep::passing::PassingBody,
};
use glam::{DVec3, Vec3};

impl Capsule {
    /// Returns whether `point` lies in the capsule or on its surface, exactly; `false` for a NaN or an infinity.
    pub(crate) fn contains_point(&self, point: Vec3) -> bool {
        Sphere::new(point, 0.0).is_ok_and(|point| self.overlaps_sphere(&point))
    }

    /// Returns whether both capsules share a point, exactly.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, glam::Vec3};
    /// let low = Capsule::new(Vec3::NEG_X, Vec3::X, 2.0)?;
    /// let above = |z: f32| Capsule::new(Vec3::new(0.0, -1.0, z), Vec3::new(0.0, 1.0, z), 3.0).unwrap();
    /// assert!(low.overlaps(&above(5.0)) && !low.overlaps(&above(5f32.next_up())));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps(&self, other: &Self) -> bool {
        let nearest = self.axis().nearest_to(&other.axis());
        let apart = nearest.distance - (f64::from(self.radius()) + f64::from(other.radius()));
        // The sum of the radii is exact, or nearly so: it is off by less than one rounding.
        if apart.abs() > 2.0 * nearest.error {
            return apart < 0.0;
        }
        let reach = Exact::sum(&[self.radius().into(), other.radius().into()]);
        self.exact_axis().reaches(&other.exact_axis(), &reach)
    }

    /// Returns whether the capsule and the sphere share a point, exactly.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        capsule_filter::meets_sphere(self, sphere).unwrap_or_else(|| self.overlaps(&Self::from(*sphere)))
    }

    /// Returns the result of [`Solid::overlaps_capsule`] with the arguments swapped.
    pub(crate) fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        aabb.overlaps_capsule(self)
    }

    /// Returns the result of [`Solid::overlaps_capsule`] with the arguments swapped.
    pub(crate) fn overlaps_obb(&self, obb: &Obb) -> bool {
        obb.overlaps_capsule(self)
    }

    /// The axis, from the first end to the second.
    pub(crate) fn axis(&self) -> BoundedLine {
        let half = self.wide_axis();
        BoundedLine { base: self.center().as_dvec3() - half, direction: 2.0 * half, max: 1.0 }
    }

    /// The same, exactly.
    pub(crate) fn exact_axis(&self) -> ExactLine {
        let half = self.wide_axis();
        ExactLine::new([self.center().as_dvec3(), -half], 2.0 * half, 1.0)
    }
}

impl Sphere {
    /// Returns the result of [`Solid::overlaps_sphere`] with the arguments swapped.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        capsule.overlaps_sphere(self)
    }
}

impl Aabb {
    /// Returns whether the box and the capsule share a point, exactly.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        let gap = self.gap_of_capsule(capsule);
        // The separation is zero where it is in doubt.
        if gap.separation != 0.0 { gap.separation < 0.0 } else { self.overlaps_capsule_exactly(capsule) }
    }

    #[cold]
    fn overlaps_capsule_exactly(&self, capsule: &Capsule) -> bool {
        if !self.overlaps(&capsule.aabb()) {
            return false;
        }
        let (axis, reach) = (capsule.exact_axis(), Exact::sum(&[capsule.radius().into()]));
        let (center, half) = (capsule.center().as_dvec3(), capsule.wide_axis());
        // They touch in the box, at an end of the axis, or at an edge of the box.
        self.overlaps_obb(&capsule.rod())
            || [half, -half].into_iter().any(|half| self.reaches_point([center, half], &reach))
            || self.edge_lines().any(|edge| edge.reaches(&axis, &reach))
    }

    /// Whether the point `a + b` is no farther from the box than `reach`.
    fn reaches_point(&self, [a, b]: [DVec3; 2], reach: &Exact) -> bool {
        let outside = |axis: usize| {
            let beyond =
                |bound: f32, sign: f64| Exact::sum(&[sign * a[axis], sign * b[axis], -sign * f64::from(bound)]);
            let outside = [beyond(self.max()[axis], 1.0), beyond(self.min()[axis], -1.0)];
            outside.into_iter().find(|beyond| beyond.sign().is_gt()).unwrap_or_default()
        };
        let square = (0..3).fold(Exact::default(), |sum, axis| sum.plus(&outside(axis).times(&outside(axis))));
        square.minus(&reach.times(reach)).sign().is_le()
    }

    /// Its edges, exactly.
    fn edge_lines(&self) -> impl Iterator<Item = ExactLine> {
        let (min, max) = (self.min().as_dvec3(), self.max().as_dvec3());
        (0..12).map(move |i| {
            let (axis, place) = (i / 4, i % 4);
            let mut base = min;
            for (bit, other) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
                base[other] = if place >> bit & 1 == 1 { max[other] } else { min[other] };
            }
            // As a sum of two terms, because the difference of two `f32` numbers need not fit an `f64`.
            let mut line = ExactLine::new([base], DVec3::ZERO, 1.0);
            line.direction[axis] = Exact::sum(&[max[axis], -min[axis]]);
            line
        })
    }
}

impl Obb {
    /// Returns whether the box and the capsule share a point, decided in `f64`: touching within rounding counts.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        capsule_filter::meets_obb(capsule, self).unwrap_or_else(|| self.overlaps_capsule_by_gap(capsule))
    }

    #[cold]
    fn overlaps_capsule_by_gap(&self, capsule: &Capsule) -> bool {
        self.aabb().overlaps(&capsule.aabb()) && self.gap_of_capsule(capsule).separation <= 0.0
    }
}

impl Brush {
    /// Returns whether the solid and the capsule share a point, touching included; decided in `f64`.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        self.aabb().overlaps(&capsule.aabb()) && self.gap_of_capsule(capsule).separation <= 0.0
    }
}

impl Patch {
    /// Returns whether the polygon and the capsule share a point, touching included; decided in `f64`.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        self.aabb().overlaps(&capsule.aabb()) && self.gap_of_capsule(capsule).separation <= 0.0
    }
}

impl Triangle {
    /// Returns whether the triangle and the capsule share a point, touching included; decided in `f64`.
    pub(crate) fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        // Most capsules that are near the triangle are beside it.
        let body = PassingBody::new(capsule.center(), [capsule.half_axis()], capsule.radius(), Vec3::ZERO);
        !body.passes_by(self, 0.0)
            && self.aabb().overlaps(&capsule.aabb())
            && self.gap_of_capsule(capsule).separation <= 0.0
    }
}
