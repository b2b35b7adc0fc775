//! What the world needs of a shape that sweeps through it: a box, a ball, a capsule, or
//! [any other](super::moving_shape).

use crate::{WorldPlane, scene::planes::MotionBounds, shape::Convex, sweep::origin::Origin};
use cullide_narrowphase::{
    Aabb, BodyWay, Capsule, CapsuleSweep, Gap, Obb, Solid, Sphere, SphereSweep, TurningBoxSweep,
    glam::{DVec3, Vec3},
};

/// A shape that sweeps through the world.
pub(crate) trait SweepingShape: Copy {
    /// Its place: the centre of a box, a ball or a capsule.
    fn center(&self) -> Vec3;
    /// The same shape at another place; `None` if out of range.
    fn at(&self, center: Vec3) -> Option<Self>;
    /// The same shape moved by a length along the normal of a gap, by at least one step of `f32`; `None` if out of range.
    #[inline]
    fn pushed(&self, gap: &Gap, length: f64) -> Option<Self> {
        self.at(gap.moved_by(self.center(), length))
    }
    /// The middle of its bounding box, up to rounding.
    #[inline]
    fn middle(&self) -> Vec3 {
        self.center()
    }
    /// How much larger than those of its place its coordinates may be, by size.
    #[inline]
    fn spread(&self) -> Vec3 {
        Vec3::ZERO
    }
    fn aabb(&self) -> Aabb;
    /// Half the size of its bounding box, up to rounding.
    fn extents(&self) -> Vec3;
    /// Half its width along a normal, times the normal's length.
    fn reach(&self, normal: DVec3) -> f64;
    /// The bounds of a straight motion.
    fn way(&self, motion: Vec3) -> MotionBounds;
    /// The body at rest, in the form that filters of triangles take.
    fn at_rest(&self) -> BodyWay;
    /// The distance from a plane, on the side where its `start` was, or the depth in it.
    fn gap_from(&self, start: &Self, entry: &WorldPlane) -> Gap;
    /// How deep it may be in a shape, rounding considered; `None` if they are apart.
    fn penetration(&self, shape: Convex) -> Option<Gap>;
    /// The same for a shape that it meets from where it comes from.
    #[inline]
    fn penetration_from(&self, origin: Origin<Self>, shape: Convex) -> Option<Gap> {
        self.penetration(shape).filter(|_| origin.faces(&shape, self))
    }
}

/// A shape that [settles](crate::World::resolve_rounding) where its own sweep ends: a box, a ball or a capsule.
pub(crate) trait Settles: SweepingShape {
    /// How it moves.
    type SweepQuery;
    /// Its straight sweep; `None` if out of range.
    fn sweep(&self, motion: Vec3) -> Option<Self::SweepQuery>;
    /// The pose of a sweep at a time, rounded.
    fn pose(sweep: &Self::SweepQuery, time: f32) -> Self;
    /// The distance from a shape, on the side where the sweep is at a time.
    fn gap_on_side(&self, sweep: &Self::SweepQuery, time: f32, shape: Convex) -> Gap;
    /// Whether it is nowhere thinner than `width` on either side of its centre.
    fn is_thicker_than(&self, width: f32) -> bool;
}

impl SweepingShape for Obb {
    #[inline]
    fn center(&self) -> Vec3 {
        self.center()
    }

    #[inline]
    fn at(&self, center: Vec3) -> Option<Self> {
        Self::from_half_edges(center, self.half_edges()).ok()
    }

    #[inline]
    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    #[inline]
    fn extents(&self) -> Vec3 {
        let [a, b, c] = self.half_edges();
        a.abs() + b.abs() + c.abs()
    }

    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        let [a, b, c] = self.half_edges();
        let along = |edge: Vec3| normal.dot(edge.as_dvec3()).abs();
        along(a) + along(b) + along(c)
    }

    #[inline]
    fn way(&self, motion: Vec3) -> MotionBounds {
        MotionBounds::new(self, motion, Vec3::ZERO, 0.0)
    }

    fn at_rest(&self) -> BodyWay {
        self.into()
    }

    #[inline]
    fn gap_from(&self, start: &Self, entry: &WorldPlane) -> Gap {
        entry.plane.gap_from(start, self, entry.sides)
    }

    #[inline]
    fn penetration(&self, shape: Convex) -> Option<Gap> {
        shape.penetration(self)
    }
}

impl Settles for Obb {
    type SweepQuery = TurningBoxSweep;

    fn sweep(&self, motion: Vec3) -> Option<TurningBoxSweep> {
        TurningBoxSweep::new(self, motion, Vec3::ZERO).ok()
    }

    fn pose(sweep: &TurningBoxSweep, time: f32) -> Self {
        sweep.pose(time)
    }

    fn gap_on_side(&self, sweep: &TurningBoxSweep, time: f32, shape: Convex) -> Gap {
        shape.gap_from(sweep, time, self)
    }

    #[inline]
    fn is_thicker_than(&self, width: f32) -> bool {
        let [a, b, c] = self.half_edges();
        let (x, y, z) = (a.length_squared(), b.length_squared(), c.length_squared());
        let volume = a.dot(b.cross(c));
        // Perpendicular to the face of two edges it reaches the volume divided by the area of the face, which is at
        // most the product of their lengths. What underflows or overflows here is not told.
        volume * volume * x.min(y).min(z) > width * width * (x * y * z)
    }
}

impl SweepingShape for Sphere {
    fn center(&self) -> Vec3 {
        self.center()
    }

    fn at(&self, center: Vec3) -> Option<Self> {
        Self::new(center, self.radius()).ok()
    }

    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    fn extents(&self) -> Vec3 {
        Vec3::splat(self.radius())
    }

    fn reach(&self, normal: DVec3) -> f64 {
        f64::from(self.radius()) * normal.length()
    }

    fn way(&self, motion: Vec3) -> MotionBounds {
        MotionBounds::of_ball(self.center(), self.radius(), motion)
    }

    fn at_rest(&self) -> BodyWay {
        self.into()
    }

    fn gap_from(&self, start: &Self, entry: &WorldPlane) -> Gap {
        entry.plane.gap_of_sphere_from(start, self, entry.sides)
    }

    fn penetration(&self, shape: Convex) -> Option<Gap> {
        shape.penetration_of_sphere(self)
    }
}

impl Settles for Sphere {
    type SweepQuery = SphereSweep;

    fn sweep(&self, motion: Vec3) -> Option<SphereSweep> {
        SphereSweep::new(*self, motion).ok()
    }

    fn pose(sweep: &SphereSweep, time: f32) -> Self {
        sweep.pose(time)
    }

    fn gap_on_side(&self, sweep: &SphereSweep, time: f32, shape: Convex) -> Gap {
        shape.gap_of_sphere_from(sweep, time, self)
    }

    fn is_thicker_than(&self, width: f32) -> bool {
        self.radius() > width
    }
}

impl SweepingShape for Capsule {
    fn center(&self) -> Vec3 {
        self.center()
    }

    fn at(&self, center: Vec3) -> Option<Self> {
        Self::from_half_axis(center, self.half_axis(), self.radius()).ok()
    }

    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    fn extents(&self) -> Vec3 {
        self.half_axis().abs() + Vec3::splat(self.radius())
    }

    fn reach(&self, normal: DVec3) -> f64 {
        normal.dot(self.half_axis().as_dvec3()).abs() + f64::from(self.radius()) * normal.length()
    }

    fn way(&self, motion: Vec3) -> MotionBounds {
        // Squares of tiny numbers would underflow.
        let half_length = self.half_axis().as_dvec3().length() as f32;
        MotionBounds::of_ball(self.center(), half_length + self.radius(), motion)
    }

    fn at_rest(&self) -> BodyWay {
        self.into()
    }

    fn gap_from(&self, start: &Self, entry: &WorldPlane) -> Gap {
        entry.plane.gap_of_capsule_from(start, self, entry.sides)
    }

    fn penetration(&self, shape: Convex) -> Option<Gap> {
        shape.penetration_of_capsule(self)
    }
}

impl Settles for Capsule {
    type SweepQuery = CapsuleSweep;

    fn sweep(&self, motion: Vec3) -> Option<CapsuleSweep> {
        CapsuleSweep::new(*self, motion).ok()
    }

    fn pose(sweep: &CapsuleSweep, time: f32) -> Self {
        sweep.pose(time)
    }

    fn gap_on_side(&self, sweep: &CapsuleSweep, time: f32, shape: Convex) -> Gap {
        shape.gap_of_capsule_from(sweep, time, self)
    }

    fn is_thicker_than(&self, width: f32) -> bool {
        self.radius() > width
    }
}

/// The body at another place; where it is if that is out of range.
#[inline]
pub(crate) fn placed<B: SweepingShape>(body: &B, center: Vec3) -> B {
    body.at(center).unwrap_or(*body)
}
