//! A convex shape, on its own or as a part of a composite one, and the dispatch by shape of each exact test.

use super::way::{Filtered, Limit};
use cullide_narrowphase::{
    self as narrowphase, Aabb, BoxSweep, Brush, BudgetedSweep, Capsule, CapsuleSweep, Cast, ContactShape, Contacts,
    Containment, ConvexCore, Crossing, Cylinder, Exits, FeatureId, Frustum, Gap, HitFeature, Obb, Patch, Path, Plane,
    RotatingSweep, Side, Sides, Sphere, SphereSweep, Sweep, Triangle,
    glam::{DVec3, Vec3},
};

/// What bodies are tested against: the parts of shapes, each of which is convex.
///
/// Small shapes are held by value, since a part of a placed composite shape is made when it is met.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Convex<'a> {
    Aabb(Aabb),
    Obb(Obb),
    Sphere(Sphere),
    Capsule(Capsule),
    Cylinder(Cylinder),
    Brush(&'a Brush),
    Patch(&'a Patch),
    /// A triangle, and the sides from which it is met by what moves.
    Triangle(Triangle, Sides),
}

impl<'a> From<Convex<'a>> for narrowphase::Convex<'a> {
    fn from(convex: Convex<'a>) -> Self {
        match convex {
            Convex::Aabb(shape) => shape.into(),
            Convex::Obb(shape) => shape.into(),
            Convex::Sphere(shape) => shape.into(),
            Convex::Capsule(shape) => shape.into(),
            Convex::Cylinder(shape) => shape.into(),
            Convex::Brush(shape) => shape.into(),
            Convex::Patch(shape) => shape.into(),
            Convex::Triangle(shape, _) => shape.into(),
        }
    }
}

impl Cast for Convex<'_> {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        match self {
            Self::Aabb(shape) => shape.crossing(path),
            Self::Obb(shape) => shape.crossing(path),
            Self::Sphere(shape) => shape.crossing(path),
            Self::Capsule(shape) => shape.crossing(path),
            Self::Cylinder(shape) => shape.crossing(path),
            Self::Brush(shape) => shape.crossing(path),
            Self::Patch(shape) => shape.crossing(path),
            Self::Triangle(shape, _) => shape.crossing(path),
        }
    }

    fn is_crossed(&self, path: &Path) -> bool {
        match self {
            Self::Aabb(shape) => shape.is_crossed(path),
            Self::Obb(shape) => shape.is_crossed(path),
            Self::Sphere(shape) => shape.is_crossed(path),
            Self::Capsule(shape) => shape.is_crossed(path),
            Self::Cylinder(shape) => shape.is_crossed(path),
            Self::Brush(shape) => shape.is_crossed(path),
            Self::Patch(shape) => shape.is_crossed(path),
            Self::Triangle(shape, _) => shape.is_crossed(path),
        }
    }

    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        match self {
            Self::Aabb(shape) => shape.entry_feature(path),
            Self::Obb(shape) => shape.entry_feature(path),
            Self::Brush(shape) => shape.entry_feature(path),
            Self::Patch(shape) => shape.entry_feature(path),
            Self::Triangle(shape, _) => shape.entry_feature(path),
            Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_) => None,
        }
    }
}

impl Convex<'_> {
    /// Whether a body with its centre at `center` may meet the shape: not if it is behind a one-sided triangle.
    pub(crate) fn is_faced_by(&self, center: Vec3) -> bool {
        match self {
            Self::Triangle(shape, Sides::Front) => {
                let [a, b, c] = shape.points().map(|point| point.as_dvec3());
                (b - a).cross(c - a).dot(center.as_dvec3() - a) >= 0.0
            }
            _ => true,
        }
    }

    /// Whether it has a curved side.
    pub(crate) fn is_round(&self) -> bool {
        matches!(self, Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_))
    }

    /// Returns the shape as the queries of two convexes take it.
    pub(crate) fn core(&self) -> ConvexCore {
        narrowphase::Convex::from(*self).core()
    }

    /// Returns the result of a sweep that starts with the body's centre at `center`, or [`Sweep::Clear`] if it comes
    /// from behind a one-sided triangle.
    fn if_faced(&self, center: Vec3, sweep: impl FnOnce() -> Sweep) -> Sweep {
        if self.is_faced_by(center) { sweep() } else { Sweep::Clear }
    }

    /// Returns how far along a direction of unit length the shape's farthest point is.
    pub(crate) fn reach(&self, direction: DVec3) -> f64 {
        let along = |point: Vec3| direction.dot(point.as_dvec3());
        let farthest = |points: &[Vec3]| points.iter().map(|point| along(*point)).fold(f64::NEG_INFINITY, f64::max);
        match self {
            Self::Aabb(shape) => {
                let is_up = direction.cmpgt(DVec3::ZERO);
                direction.dot(DVec3::select(is_up, shape.max().as_dvec3(), shape.min().as_dvec3()))
            }
            Self::Obb(shape) => {
                let edges = shape.half_edges();
                along(shape.center()) + edges.iter().map(|edge| along(*edge).abs()).sum::<f64>()
            }
            Self::Sphere(shape) => along(shape.center()) + f64::from(shape.radius()),
            Self::Capsule(shape) => along(shape.center()) + along(shape.half_axis()).abs() + f64::from(shape.radius()),
            Self::Cylinder(shape) => shape.reach(direction),
            Self::Brush(shape) => {
                let vertices = shape.vertices().iter().map(|vertex| direction.dot(*vertex));
                vertices.fold(f64::NEG_INFINITY, f64::max)
            }
            Self::Patch(shape) => farthest(shape.points()),
            Self::Triangle(shape, _) => farthest(&shape.points()),
        }
    }

    /// Returns the smallest axis-aligned box with `f32` bounds around the shape (for a brush, up to the rounding of its
    /// vertices).
    pub(crate) fn aabb(&self) -> Aabb {
        match self {
            Self::Aabb(shape) => *shape,
            Self::Obb(shape) => shape.aabb(),
            Self::Sphere(shape) => shape.aabb(),
            Self::Capsule(shape) => shape.aabb(),
            Self::Cylinder(shape) => shape.aabb(),
            Self::Brush(shape) => shape.aabb(),
            Self::Patch(shape) => shape.aabb(),
            Self::Triangle(shape, _) => shape.aabb(),
        }
    }

    /// Returns the side of `plane` on which the shape lies; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        match self {
            Self::Aabb(shape) => plane.side_of_aabb(shape),
            Self::Obb(shape) => plane.side_of_obb(shape),
            Self::Sphere(shape) => plane.side_of_sphere(shape),
            Self::Capsule(shape) => plane.side_of_capsule(shape),
            Self::Cylinder(shape) => shape.side_of(plane),
            Self::Brush(shape) => shape.side_of(plane),
            Self::Patch(shape) => shape.side_of(plane),
            Self::Triangle(shape, _) => shape.side_of(plane),
        }
    }

    /// Classifies the shape against the frustum: exactly for boxes, spheres and capsules. A cylinder, a brush, a
    /// patch or a triangle that lies outside may be reported as crossing.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        let touches = || match self {
            Self::Aabb(shape) => frustum.intersects_aabb(shape),
            Self::Obb(shape) => frustum.intersects_obb(shape),
            Self::Sphere(shape) => frustum.intersects_sphere(shape),
            Self::Capsule(shape) => frustum.intersects_capsule(shape),
            Self::Cylinder(_) | Self::Brush(_) | Self::Patch(_) | Self::Triangle(..) => true,
        };
        match self.containment(frustum) {
            // Outside, although not behind any single plane.
            Containment::Crossing if !touches() => Containment::Outside,
            containment => containment,
        }
    }

    /// Classifies the shape by the frustum's planes.
    fn containment(&self, frustum: &Frustum) -> Containment {
        match self {
            Self::Aabb(shape) => frustum.containment_of_aabb(shape),
            Self::Obb(shape) => frustum.containment_of_obb(shape),
            Self::Sphere(shape) => frustum.containment_of_sphere(shape),
            Self::Capsule(shape) => frustum.containment_of_capsule(shape),
            Self::Cylinder(_) | Self::Brush(_) | Self::Patch(_) | Self::Triangle(..) => {
                let mut answer = Containment::Inside;
                for plane in frustum.planes() {
                    match self.side_of(plane) {
                        Side::Back => return Containment::Outside,
                        Side::Straddling if !self.is_held_by(plane) => answer = Containment::Crossing,
                        _ => {}
                    }
                }
                let is_outside = || frustum.containment_of_aabb(&self.aabb()) == Containment::Outside;
                if answer == Containment::Crossing && is_outside() { Containment::Outside } else { answer }
            }
        }
    }

    /// Whether no point lies behind a plane.
    fn is_held_by(&self, plane: &Plane) -> bool {
        let is_held = |point: Vec3| plane.side_of_point(point) != Side::Back;
        let is_wide_held = |point: &DVec3| plane.normal().as_dvec3().dot(*point) + f64::from(plane.d()) >= 0.0;
        match self {
            Self::Brush(shape) => match shape.points() {
                Some(mut points) => points.all(is_held),
                None => shape.vertices().iter().all(is_wide_held),
            },
            Self::Patch(shape) => shape.points().iter().copied().all(is_held),
            Self::Triangle(shape, _) => shape.points().into_iter().all(is_held),
            Self::Cylinder(shape) => shape.core().heights_over(plane)[0] >= 0.0,
            _ => false,
        }
    }

    /// The vector from a point to the centre that the offsets of contacts start from.
    #[cfg(feature = "dynamics")]
    pub(crate) fn offset_from(&self, point: DVec3) -> Vec3 {
        (self.contact_shape().center().as_dvec3() - point).as_vec3()
    }

    /// The shape in the form that manifolds take.
    pub(crate) fn contact_shape(&self) -> ContactShape<'_> {
        match self {
            Self::Aabb(shape) => ContactShape::Aabb(shape),
            Self::Obb(shape) => ContactShape::Box(shape),
            Self::Sphere(shape) => ContactShape::Sphere(shape),
            Self::Capsule(shape) => ContactShape::Capsule(shape),
            Self::Cylinder(shape) => ContactShape::Cylinder(shape),
            Self::Brush(shape) => ContactShape::Brush(shape),
            Self::Patch(shape) => ContactShape::Patch(shape),
            Self::Triangle(shape, _) => ContactShape::Triangle(shape),
        }
    }

    /// Returns where a moving box first touches the shape; a touch beyond the `limit` may be left out.
    pub(crate) fn sweep(&self, sweep: &BoxSweep, limit: Limit, filtered: Filtered) -> Sweep {
        self.if_faced(sweep.body().center(), || match self {
            Self::Aabb(shape) => sweep.against_aabb(shape),
            Self::Obb(shape) => sweep.against_obb(shape),
            Self::Sphere(shape) => sweep.against_sphere(shape),
            Self::Capsule(shape) => sweep.against_capsule(shape),
            Self::Cylinder(shape) => sweep.against_cylinder(shape, limit.until()),
            Self::Brush(shape) => sweep.against_brush(shape),
            Self::Patch(shape) => sweep.against_patch(shape),
            Self::Triangle(shape, _) => match (filtered, limit) {
                (Filtered::No, _) => sweep.against_triangle_until(shape, limit.until()),
                (Filtered::Yes, Limit::Until(time)) => sweep.against_near_triangle_until(shape, time),
                (Filtered::Yes, Limit::Before(time)) => sweep.against_near_triangle_before(shape, time),
            },
        })
    }

    /// Returns where a moving ball first touches the shape; a touch later than `until` may be left out.
    pub(crate) fn sweep_sphere(&self, sweep: &SphereSweep, until: f32, filtered: Filtered) -> Sweep {
        self.if_faced(sweep.body().center(), || match self {
            Self::Aabb(shape) => sweep.against_aabb(shape),
            Self::Obb(shape) => sweep.against_obb(shape),
            Self::Sphere(shape) => sweep.against_sphere(shape),
            Self::Capsule(shape) => sweep.against_capsule(shape),
            Self::Cylinder(shape) => sweep.against_cylinder(shape, until),
            Self::Brush(shape) => sweep.against_brush(shape),
            Self::Patch(shape) => sweep.against_patch(shape),
            Self::Triangle(shape, _) if filtered == Filtered::Yes => sweep.against_near_triangle_until(shape, until),
            Self::Triangle(shape, _) => sweep.against_triangle_until(shape, until),
        })
    }

    /// Returns where a rotating box first touches the shape.
    pub(crate) fn sweep_turning(&self, sweep: &BudgetedSweep, skin: f32) -> Sweep {
        self.if_faced(sweep.sweep().body().center(), || match self {
            Self::Aabb(shape) => sweep.against_aabb(shape, skin),
            Self::Obb(shape) => sweep.against_obb(shape, skin),
            Self::Sphere(shape) => sweep.against_sphere(shape, skin),
            Self::Capsule(shape) => sweep.against_capsule(shape, skin),
            Self::Cylinder(shape) => sweep.against_cylinder(shape, skin),
            Self::Brush(shape) => sweep.against_brush(shape, skin),
            Self::Patch(shape) => sweep.against_patch(shape, skin),
            Self::Triangle(shape, _) => sweep.against_triangle(shape, skin),
        })
    }

    /// Returns how far a box is from the shape, or how deep it is in it.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap(body),
            Self::Obb(shape) => shape.gap(body),
            Self::Sphere(shape) => shape.gap(body),
            Self::Capsule(shape) => shape.gap(body),
            Self::Cylinder(shape) => shape.gap_of(&core_of(*body)),
            Self::Brush(shape) => shape.gap(body),
            Self::Patch(shape) => shape.gap(body),
            Self::Triangle(shape, _) => shape.gap(body),
        }
    }

    /// Returns how far a ball is from the shape, or how deep it is in it.
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_of_sphere(ball),
            Self::Obb(shape) => shape.gap_of_sphere(ball),
            Self::Sphere(shape) => shape.gap_of_sphere(ball),
            Self::Capsule(shape) => shape.gap_of_sphere(ball),
            Self::Cylinder(shape) => shape.gap_of_sphere(ball),
            Self::Brush(shape) => shape.gap_of_sphere(ball),
            Self::Patch(shape) => shape.gap_of_sphere(ball),
            Self::Triangle(shape, _) => shape.gap_of_sphere(ball),
        }
    }

    /// Returns the points where a box is next to touch the shape along `normal`, up to a margin; `None` for a round
    /// shape, whose one contact point is that of the gap.
    pub(crate) fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Option<Contacts> {
        match self {
            Self::Aabb(shape) => Some(shape.contacts(body, normal, margin, previous)),
            Self::Obb(shape) => Some(shape.contacts(body, normal, margin, previous)),
            Self::Sphere(_) => None,
            Self::Capsule(_) => None,
            Self::Cylinder(shape) => Some(shape.contacts(body, normal, margin)),
            Self::Brush(shape) => Some(shape.contacts(body, normal, margin, previous)),
            Self::Patch(shape) => Some(shape.contacts(body, normal, margin, previous)),
            Self::Triangle(shape, _) => Some(shape.contacts(body, normal, margin, previous)),
        }
    }

    /// Returns how deep a box may be in the shape, allowing for rounding; `None` if they are apart.
    pub(crate) fn penetration(&self, body: &Obb) -> Option<Gap> {
        match self {
            Self::Aabb(shape) => shape.penetration(body),
            Self::Obb(shape) => shape.penetration(body),
            Self::Sphere(shape) => Some(shape.gap(body)).filter(|gap| !gap.is_apart()),
            Self::Capsule(shape) => Some(shape.gap(body)).filter(|gap| !gap.is_apart()),
            Self::Cylinder(_) => Some(self.gap(body)).filter(|gap| !gap.is_apart()),
            Self::Brush(shape) => shape.penetration(body),
            Self::Patch(shape) => shape.penetration(body),
            Self::Triangle(shape, _) => shape.penetration(body),
        }
    }

    /// Returns how deep a ball may be in the shape, allowing for rounding; `None` if they are apart.
    pub(crate) fn penetration_of_sphere(&self, ball: &Sphere) -> Option<Gap> {
        match self {
            Self::Triangle(shape, _) => shape.penetration_of_sphere(ball),
            _ => Some(self.gap_of_sphere(ball)).filter(|gap| !gap.is_apart()),
        }
    }

    /// Returns how deep a capsule may be in the shape, allowing for rounding; `None` if they are apart.
    pub(crate) fn penetration_of_capsule(&self, capsule: &Capsule) -> Option<Gap> {
        match self {
            Self::Triangle(shape, _) => shape.penetration_of_capsule(capsule),
            _ => Some(self.gap_of_capsule(capsule)).filter(|gap| !gap.is_apart()),
        }
    }

    /// Returns the shape as a solid that a body may be pushed out of.
    pub(crate) fn solid(&self) -> &dyn Exits {
        match self {
            Self::Aabb(shape) => shape,
            Self::Obb(shape) => shape,
            Self::Sphere(shape) => shape,
            Self::Capsule(shape) => shape,
            Self::Cylinder(shape) => shape,
            Self::Brush(shape) => *shape,
            Self::Patch(shape) => *shape,
            Self::Triangle(shape, _) => shape,
        }
    }

    /// Returns how far a box is from the shape, on the side of it where the box's sweep is at `time`. The box is where
    /// the sweep is then, up to rounding.
    pub(crate) fn gap_from(&self, sweep: &RotatingSweep, time: f32, body: &Obb) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_from(sweep, time, body),
            Self::Obb(shape) => shape.gap_from(sweep, time, body),
            Self::Sphere(shape) => shape.gap_from(sweep, time, body),
            Self::Capsule(shape) => shape.gap_from(sweep, time, body),
            Self::Cylinder(shape) => shape.gap_from(sweep, time, body),
            Self::Brush(shape) => shape.gap_from(sweep, time, body),
            Self::Patch(shape) => shape.gap_from(sweep, time, body),
            Self::Triangle(shape, _) => shape.gap_from(sweep, time, body),
        }
    }

    /// As [`Convex::gap_from`], for a ball.
    pub(crate) fn gap_of_sphere_from(&self, sweep: &SphereSweep, time: f32, ball: &Sphere) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Obb(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Sphere(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Capsule(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Cylinder(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Brush(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Patch(shape) => shape.gap_of_sphere_from(sweep, time, ball),
            Self::Triangle(shape, _) => shape.gap_of_sphere_from(sweep, time, ball),
        }
    }

    /// Returns where a moving capsule first touches the shape; a touch later than `until` may be left out.
    pub(crate) fn sweep_capsule(&self, sweep: &CapsuleSweep, until: f32, filtered: Filtered) -> Sweep {
        self.if_faced(sweep.body().center(), || match self {
            Self::Aabb(shape) => sweep.against_aabb(shape),
            Self::Obb(shape) => sweep.against_obb(shape),
            Self::Sphere(shape) => sweep.against_sphere(shape),
            Self::Capsule(shape) => sweep.against_capsule(shape),
            Self::Cylinder(shape) => sweep.against_cylinder(shape, until),
            Self::Brush(shape) => sweep.against_brush(shape),
            Self::Patch(shape) => sweep.against_patch(shape),
            Self::Triangle(shape, _) if filtered == Filtered::Yes => sweep.against_near_triangle_until(shape, until),
            Self::Triangle(shape, _) => sweep.against_triangle_until(shape, until),
        })
    }

    /// Returns how far a capsule is from the shape, or how deep it is in it.
    pub(crate) fn gap_of_capsule(&self, capsule: &Capsule) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_of_capsule(capsule),
            Self::Obb(shape) => shape.gap_of_capsule(capsule),
            Self::Sphere(shape) => shape.gap_of_capsule(capsule),
            Self::Capsule(shape) => shape.gap_of_capsule(capsule),
            Self::Cylinder(shape) => shape.gap_of(&core_of(*capsule)),
            Self::Brush(shape) => shape.gap_of_capsule(capsule),
            Self::Patch(shape) => shape.gap_of_capsule(capsule),
            Self::Triangle(shape, _) => shape.gap_of_capsule(capsule),
        }
    }

    /// As [`Convex::gap_from`], for a capsule.
    pub(crate) fn gap_of_capsule_from(&self, sweep: &CapsuleSweep, time: f32, capsule: &Capsule) -> Gap {
        match self {
            Self::Aabb(shape) => shape.gap_of_capsule_from(sweep, time, capsule),
            Self::Obb(shape) => shape.gap_of_capsule_from(sweep, time, capsule),
            Self::Sphere(shape) => shape.gap_of_capsule_from(sweep, time, capsule),
            Self::Capsule(shape) => shape.gap_of_capsule_from(sweep, time, capsule),
            Self::Cylinder(shape) => shape.gap_of_capsule_from(sweep, time, capsule),
            Self::Brush(shape) => shape.gap_of_capsule_from(sweep, time, capsule),
            Self::Patch(shape) => shape.gap_of_capsule_from(sweep, time, capsule),
            Self::Triangle(shape, _) => shape.gap_of_capsule_from(sweep, time, capsule),
        }
    }

    /// Returns the point of the shape nearest to `point`; `point` itself if it lies inside.
    pub(crate) fn closest_point(&self, point: Vec3) -> Vec3 {
        match self {
            Self::Aabb(shape) => shape.closest_point(point),
            Self::Obb(shape) => shape.closest_point(point),
            Self::Sphere(shape) => shape.closest_point(point),
            Self::Capsule(shape) => shape.closest_point(point),
            Self::Cylinder(shape) => shape.closest_point(point),
            Self::Brush(shape) => shape.closest_point(point),
            Self::Patch(shape) => shape.closest_point(point),
            Self::Triangle(shape, _) => shape.closest_point(point),
        }
    }
}

fn core_of<'a>(shape: impl Into<narrowphase::Convex<'a>>) -> ConvexCore {
    shape.into().core()
}
