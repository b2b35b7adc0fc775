//! A straight path against one shape: the one place where rays and segments meet geometry.

mod aabb;
mod brush;
mod capsule;
mod coplanar;
mod cylinder;
mod feature;
mod first_crossings;
mod hull;
mod obb;
mod patch;
mod plane;
mod ray_packet;
mod slanted;
mod slanted_packet;
mod sphere;
mod triangle;
mod triangle_filter;

pub use feature::HitFeature;
pub use first_crossings::{FirstCrossings, PacketIntersections};
pub use ray_packet::RayPacket;
pub use slanted::SlantedPath;
pub use slanted_packet::SlantedPacket;

use glam::{DVec3, Vec3};

/// The points `origin + t · delta` for `0 <= t <= max`: the common form of a ray and a segment. The numbers are `f32`
/// values held in `f64`, so that their products are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    pub(crate) origin: DVec3,
    pub(crate) delta: DVec3,
    pub(crate) max: f64,
}

impl Path {
    #[inline]
    pub(crate) fn new(origin: Vec3, delta: Vec3, max: f32) -> Self {
        Self { origin: origin.as_dvec3(), delta: delta.as_dvec3(), max: f64::from(max) + 0.0 }
    }

    /// Returns where the path starts.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Returns the motion per unit of `t`.
    pub fn delta(&self) -> DVec3 {
        self.delta
    }

    /// Returns the last `t` of the path, inclusive; infinite for an unlimited ray.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// The point at `t`, rounded once.
    pub(crate) fn at(&self, t: f64) -> Vec3 {
        (self.origin + self.delta * t).as_vec3()
    }

    /// The crossing of a path that starts inside and leaves at `exit`.
    pub(crate) fn starting_inside(&self, exit: f64) -> Crossing {
        Crossing { enter: 0.0, exit: exit.clamp(0.0, self.max) + 0.0, normal: -self.delta, inside: true }
    }
}

/// The part of a [`Path`] that lies in a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The first `t` in the shape; 0 for a start inside.
    pub enter: f64,
    /// The last `t` in the shape, at most the path's maximum.
    pub exit: f64,
    /// The outward normal where the path enters, of any length; the path's negated delta for a start inside.
    pub normal: DVec3,
    /// Whether the start lies in the shape.
    pub inside: bool,
}

/// A shape that a ray or a segment can hit. Called through [`Ray::cast`](crate::Ray::cast) and
/// [`Segment::cast`](crate::Segment::cast).
pub trait Cast {
    /// Returns the part of the path in the shape, or `None` when they do not touch.
    fn crossing(&self, path: &Path) -> Option<Crossing>;

    /// Returns whether the path and the shape touch.
    fn is_crossed(&self, path: &Path) -> bool {
        self.crossing(path).is_some()
    }

    /// Returns the face, edge or vertex that the first point of the path in the shape lies on; `None` when they do not
    /// touch, for a start in the interior of a solid, and for shapes that have no features.
    ///
    /// It is decided by exact signs, which takes some microseconds: call it only for the hits that matter.
    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        let _ = path;
        None
    }
}
