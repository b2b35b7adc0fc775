//! The shapes an object can have, and each exact test once, by shape.

mod transform;

use cullide_narrowphase::{
    Aabb, BoxSweep, Brush, BudgetedSweep, Cast, Contacts, Containment, Crossing, Exits, FeatureId, Frustum, Gap, Obb,
    Patch, Path, Plane, RotatingSweep, Side, Sphere, SphereSweep, Sweep, glam::Vec3,
};

/// An object's geometry.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Shape {
    /// An axis-aligned box.
    Aabb(Aabb),
    /// An oriented box.
    Obb(Obb),
    /// A sphere.
    Sphere(Sphere),
    /// A convex solid bounded by planes.
    Brush(Box<Brush>),
    /// A convex polygon.
    Patch(Box<Patch>),
}

impl From<Aabb> for Shape {
    fn from(shape: Aabb) -> Self {
        Self::Aabb(shape)
    }
}

impl From<Obb> for Shape {
    fn from(shape: Obb) -> Self {
        Self::Obb(shape)
    }
}

impl From<Sphere> for Shape {
    fn from(shape: Sphere) -> Self {
        Self::Sphere(shape)
    }
}

impl From<Brush> for Shape {
    fn from(shape: Brush) -> Self {
        Self::Brush(Box::new(shape))
    }
}

impl From<Patch> for Shape {
    fn from(shape: Patch) -> Self {
        Self::Patch(Box::new(shape))
    }
}

impl Cast for Shape {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        match self {
            Self::Aabb(shape) => shape.crossing(path),
            Self::Obb(shape) => shape.crossing(path),
            Self::Sphere(shape) => shape.crossing(path),
            Self::Brush(shape) => shape.crossing(path),
            Self::Patch(shape) => shape.crossing(path),
        }
    }

    fn is_crossed(&self, path: &Path) -> bool {
        match self {
            Self::Aabb(shape) => shape.is_crossed(path),
            Self::Obb(shape) => shape.is_crossed(path),
            Self::Sphere(shape) => shape.is_crossed(path),
            Self::Brush(shape) => shape.is_crossed(path),
            Self::Patch(shape) => shape.is_crossed(path),
        }
    }
}

impl Shape {
    /// The smallest axis-aligned box of `f32` bounds around the shape (for a brush, up to a rounding of its vertices).
    ///
    /// ```
    /// # use cullide_world::{Shape, narrowphase::Sphere, glam::Vec3};
    /// assert_eq!(Shape::from(Sphere::new(Vec3::ZERO, 2.0)?).aabb().max(), Vec3::splat(2.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn aabb(&self) -> Aabb {
        match self {
            Self::Aabb(shape) => *shape,
            Self::Obb(shape) => shape.aabb(),
            Self::Sphere(shape) => shape.aabb(),
            Self::Brush(shape) => shape.aabb(),
            Self::Patch(shape) => shape.aabb(),
        }
    }

    /// On which side of `plane` the shape lies; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        match self {
            Self::Aabb(shape) => plane.side_of_aabb(shape),
            Self::Obb(shape) => plane.side_of_obb(shape),
            Self::Sphere(shape) => plane.side_of_sphere(shape),
            Self::Brush(shape) => shape.side_of(plane),
            Self::Patch(shape) => shape.side_of(plane),
        }
    }

    /// How the shape lies to the frustum: exactly for boxes and spheres; a brush or a patch that lies outside may be
    /// crossing.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        let touches = || match self {
            Self::Aabb(shape) => frustum.intersects_aabb(shape),
            Self::Obb(shape) => frustum.intersects_obb(shape),
            Self::Sphere(shape) => frustum.intersects_sphere(shape),
            Self::Brush(_) | Self::Patch(_) => true,
        };
        match self.containment(frustum) {
            // Outside, and yet behind no one plane.
            Containment::Crossing if !touches() => Containment::Outside,
            containment => containment,
        }
    }

    /// The answer by the frustum's planes.
    fn containment(&self, frustum: &Frustum) -> Containment {
        match self {
            Self::Aabb(shape) => frustum.containment_of_aabb(shape),
            Self::Obb(shape) => frustum.containment_of_obb(shape),
            Self::Sphere(shape) => frustum.containment_of_sphere(shape),
            Self::Brush(_) | Self::Patch(_) => {
                let mut sides = frustum.planes().iter().map(|plane| self.side_of(plane));
                if sides.clone().any(|side| side == Side::Back) {
                    Containment::Outside
                } else if sides.all(|side| side == Side::Front) {
                    Containment::Inside
                } else if frustum.containment_of_aabb(&self.aabb()) == Containment::Outside {
                    Containment::Outside
                } else {
                    Containment::Crossing
                }
            }
        }
    }

    /// Whether the shape and an oriented box share a point.
    pub(crate) fn overlaps_obb(&self, obb: &Obb) -> bool {
        match self {
            Self::Aabb(shape) => shape.overlaps_obb(obb),
            Self::Obb(shape) => shape.overlaps(obb),
            Self::Sphere(shape) => shape.overlaps_obb(obb),
            Self::Brush(shape) => shape.overlaps_obb(obb),
            Self::Patch(shape) => shape.overlaps_obb(obb),
        }
    }

    /// Whether the shape and an axis-aligned box share a point.
    pub(crate) fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        match self {
            Self::Aabb(shape) => shape.overlaps(aabb),
            Self::Obb(shape) => shape.overlaps_aabb(aabb),
            Self::Sphere(shape) => shape.overlaps_aabb(aabb),
            Self::Brush(shape) => shape.overlaps_obb(&Obb::from(aabb)),
            Self::Patch(shape) => shape.overlaps_obb(&Obb::from(aabb)),
        }
    }

    /// Whether the shape and a sphere share a point.
    pub(crate) fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        match self {
            Self::Aabb(shape) => shape.overlaps_sphere(sphere),
            Self::Obb(shape) => shape.overlaps_sphere(sphere),
            Self::Sphere(shape) => shape.overlaps(sphere),
            Self::Brush(shape) => shape.overlaps_sphere(sphere),
            Self::Patch(shape) => shape.overlaps_sphere(sphere),
        }
    }

    /// Where a moving box first touches the shape.
    pub(crate) fn sweep(&self, sweep: &BoxSweep) -> Sweep {
        match self {
            Self::Aabb(shape) => sweep.against_aabb(shape),
            Self::Obb(shape) => sweep.against_obb(shape),
            Self::Sphere(shape) => sweep.against_sphere(shape),
            Self::Brush(shape) => sweep.against_brush(shape),
            Self::Patch(shape) => sweep.against_patch(shape),
        }
    }

    /// Where a moving ball first touches the shape.
    pub(crate) fn sweep_sphere(&self, sweep: &SphereSweep) -> Sweep {
        match self {
            Self::Aabb(shape) => sweep.against_aabb(shape),
            Self::Obb(shape) => sweep.against_obb(shape),
            Self::Sphere(shape) => sweep.against_sphere(shape),
            Self::Brush(shape) => sweep.against_brush(shape),
            Self::Patch(shape) => sweep.against_patch(shape),
        }
    }

    /// Where a turning box first touches the shape.
    pub(crate) fn sweep_turning(&self, sweep: &BudgetedSweep, skin: f32) -> Sweep {
        match self {
            Self::Aabb(shape) => sweep.against_aabb(shape, skin),
            Self::Obb(shape) => sweep.against_obb(shape, skin),
            Self::Sphere(shape) => sweep.against_sphere(shape, skin),
            Self::Brush(shape) => sweep.against_brush(shape, skin),
            Self::Patch(shape) => sweep.against_patch(shape, skin),
        }
    }

    /// How far a box is from the shape, or how deep in it.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap(body),
            Self::Obb(shape) => shape.gap(body),
            Self::Sphere(shape) => shape.gap(body),
            Self::Brush(shape) => shape.gap(body),
            Self::Patch(shape) => shape.gap(body),
        }
    }

    /// How far a ball is from the shape, or how deep in it.
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_of_sphere(ball),
            Self::Obb(shape) => shape.gap_of_sphere(ball),
            Self::Sphere(shape) => shape.gap_of_sphere(ball),
            Self::Brush(shape) => shape.gap_of_sphere(ball),
            Self::Patch(shape) => shape.gap_of_sphere(ball),
        }
    }

    /// Where a box is next to touch the shape along `normal`, up to a margin; `None` for a sphere, which touches at one
    /// point.
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Option<Contacts> {
        match self {
            Self::Aabb(shape) => Some(shape.contacts(body, normal, margin, previous)),
            Self::Obb(shape) => Some(shape.contacts(body, normal, margin, previous)),
            Self::Sphere(_) => None,
            Self::Brush(shape) => Some(shape.contacts(body, normal, margin, previous)),
            Self::Patch(shape) => Some(shape.contacts(body, normal, margin, previous)),
        }
    }

    /// How deep a box may be in the shape, rounding considered; `None` when they are apart.
    pub(crate) fn penetration(&self, body: &Obb) -> Option<Gap> {
        match self {
            Self::Aabb(shape) => shape.penetration(body),
            Self::Obb(shape) => shape.penetration(body),
            Self::Sphere(shape) => Some(shape.gap(body)).filter(|gap| !gap.is_apart()),
            Self::Brush(shape) => shape.penetration(body),
            Self::Patch(shape) => shape.penetration(body),
        }
    }

    /// The solid as what a body may be pushed out of.
    pub(crate) fn solid(&self) -> &dyn Exits {
        match self {
            Self::Aabb(shape) => shape,
            Self::Obb(shape) => shape,
            Self::Sphere(shape) => shape,
            Self::Brush(shape) => &**shape,
            Self::Patch(shape) => &**shape,
        }
    }

    /// How far a box, which is where its sweep is at a time but for rounding, is from the shape on the side where the
    /// sweep is then.
    pub(crate) fn gap_from(&self, sweep: &RotatingSweep, time: f32, body: &Obb) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_from(sweep, time, body),
            Self::Obb(shape) => shape.gap_from(sweep, time, body),
            Self::Sphere(shape) => shape.gap_from(sweep, time, body),
            Self::Brush(shape) => shape.gap_from(sweep, time, body),
            Self::Patch(shape) => shape.gap_from(sweep, time, body),
        }
    }

    /// The same of a ball.
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Obb(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Sphere(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Brush(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Patch(shape) => shape.gap_of_sphere_from(sweep, time, ball),
        }
    }

    /// The point of the shape nearest to `point`; the point itself inside.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        match self {
            Self::Aabb(shape) => shape.closest_point(point),
            Self::Obb(shape) => shape.closest_point(point),
            Self::Sphere(shape) => shape.closest_point(point),
            Self::Brush(shape) => shape.closest_point(point),
            Self::Patch(shape) => shape.closest_point(point),
        }
    }
}
