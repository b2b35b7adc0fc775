//! The pose of a body: its shape, as moved and turned by steps.

use super::{
    composite::Composite,
    mass::in_range,
    moments::symmetric,
    rigid::{Rigid, is_skewed, rotation_by},
};
use crate::{
    BodyKind, Mass, ObjectKey, RigidBody, Shape, World,
    shape::{Convex, matrix, way::StraightWay},
};
use cullide_narrowphase::{
    Aabb, BodyWay, Brush, Capsule, Cylinder, Mapped, Moments, Obb, RotationCache, Solid, Sphere, TurningBoxSweep,
    glam::{DMat3, DQuat, DVec3, Quat, Vec3},
};
use std::sync::Arc;

/// A shape that a body may have.
#[derive(Clone, Debug)]
pub(in crate::dynamics) enum BodyShape {
    Box(Obb),
    Sphere(Sphere),
    Capsule(Capsule),
    Cylinder(Cylinder),
    /// A brush, or a compound.
    Rigid(Arc<Rigid>),
    /// A mesh, a terrain, or a compound that is not a [`Rigid`]: only for a kinematic body, as it has no mass.
    Composite(Arc<Composite>),
}

impl BodyShape {
    /// The shape of an object as that of a body, with the moments in the coordinates of its model that were saved, if
    /// any; `None` for what cannot be such a body.
    pub(in crate::dynamics) fn of(
        world: &World,
        key: ObjectKey,
        body: &RigidBody,
        saved: Option<Moments>,
    ) -> Option<Self> {
        let shape = world.body_shape(key)?;
        let Mass::Given { mass, center, inertia } = body.mass else { return Self::new(&shape, body.kind) };
        if body.kind == BodyKind::Kinematic {
            return Self::new(&shape, body.kind);
        }
        let (turn, shift) = world.object(key)?.transform();
        let turn = matrix(turn)?;
        let given = |rotation: &DMat3, translation: DVec3| {
            let own = rotation.transpose() * turn;
            let inertia = symmetric(&(own * inertia.as_dmat3() * own.transpose()));
            let center = rotation.transpose() * (turn * center.as_dvec3() + shift.as_dvec3() - translation);
            Moments { volume: in_range(mass.into()), center, inertia }
        };
        let rigid =
            Rigid::weighted(&shape, |rotation, translation| saved.unwrap_or_else(|| given(rotation, translation)));
        Some(Self::Rigid(Arc::new(rigid?)))
    }

    /// Returns `None` for a shape that a body of this kind cannot have.
    pub(in crate::dynamics) fn new(shape: &Shape, kind: BodyKind) -> Option<Self> {
        match shape {
            Shape::Aabb(shape) => Some(Self::Box(Obb::from(shape))),
            Shape::Obb(shape) if is_skewed(shape) => {
                Some(Self::Rigid(Arc::new(Rigid::new(&Brush::try_from(shape).ok()?.into())?)))
            }
            Shape::Obb(shape) => Some(Self::Box(*shape)),
            Shape::Sphere(shape) => Some(Self::Sphere(*shape)),
            Shape::Capsule(shape) => Some(Self::Capsule(*shape)),
            Shape::Cylinder(shape) => Some(Self::Cylinder(*shape)),
            other => match Rigid::new(other) {
                Some(rigid) => Some(Self::Rigid(Arc::new(rigid))),
                None if kind == BodyKind::Kinematic => Some(Self::Composite(Arc::new(Composite::new(other)?))),
                None => None,
            },
        }
    }

    /// The moments that it was given, in the coordinates of its model.
    #[cfg(feature = "serde")]
    pub(in crate::dynamics) fn given(&self, body: &RigidBody) -> Option<&Moments> {
        match (self, body.mass) {
            (Self::Rigid(rigid), Mass::Given { .. }) => Some(rigid.moments()),
            _ => None,
        }
    }

    /// Whether this is the shape of an object.
    pub(in crate::dynamics) fn is(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Self::Box(own), Shape::Obb(shape)) => own == shape,
            (Self::Box(own), Shape::Aabb(shape)) => *own == Obb::from(shape),
            (Self::Sphere(own), Shape::Sphere(shape)) => own == shape,
            (Self::Capsule(own), Shape::Capsule(shape)) => own == shape,
            (Self::Cylinder(own), Shape::Cylinder(shape)) => own == shape,
            (Self::Rigid(own), shape) => own.is(shape),
            (Self::Composite(own), shape) => own.shape() == shape,
            _ => false,
        }
    }

    /// Whether its rotation shows in its shape.
    pub(in crate::dynamics) fn tells_turn(&self) -> bool {
        !matches!(self, Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_))
    }

    pub(in crate::dynamics) fn aabb(&self) -> Aabb {
        match self {
            Self::Box(shape) => shape.aabb(),
            Self::Sphere(shape) => shape.aabb(),
            Self::Capsule(shape) => shape.aabb(),
            Self::Cylinder(shape) => shape.aabb(),
            Self::Rigid(rigid) => rigid.shape().aabb(),
            Self::Composite(composite) => composite.shape().aabb(),
        }
    }

    /// The centre of mass; without a mass, that of its bounds.
    pub(in crate::dynamics) fn center(&self) -> Vec3 {
        match self {
            Self::Box(shape) => shape.center(),
            Self::Sphere(shape) => shape.center(),
            Self::Capsule(shape) => shape.center(),
            Self::Cylinder(shape) => shape.moments().center.as_vec3(),
            Self::Rigid(rigid) => rigid.center().as_vec3(),
            Self::Composite(composite) => composite.center().as_vec3(),
        }
    }

    /// A bound on the distance of its points from its centre.
    pub(in crate::dynamics) fn radius(&self) -> f32 {
        match self {
            Self::Box(shape) => shape.half_edges().iter().map(|edge| edge.length_squared()).sum::<f32>().sqrt(),
            Self::Sphere(shape) => shape.radius(),
            Self::Capsule(shape) => shape.half_axis().length() + shape.radius(),
            // Its centre is rounded.
            Self::Cylinder(shape) => (shape.farthest_from(self.center().as_dvec3()) as f32).next_up(),
            Self::Rigid(rigid) => rigid.radius(),
            Self::Composite(composite) => composite.radius(),
        }
    }

    /// The radius of a ball that it contains, and that each of its parts contains. What has no mass
    /// need not have an inside: something may enter it as far as it may enter a thick body.
    pub(in crate::dynamics) fn inner_radius(&self) -> f32 {
        match self {
            Self::Box(shape) => shape.half_extents().min_element(),
            Self::Sphere(shape) => shape.radius(),
            Self::Capsule(shape) => shape.radius(),
            Self::Cylinder(shape) => shape.inner_radius() as f32,
            Self::Rigid(rigid) => rigid.inner_radius(),
            Self::Composite(_) => f32::MAX,
        }
    }

    /// The number of parts that meet others separately. A mesh counts as one.
    pub(in crate::dynamics) fn part_count(&self) -> u32 {
        if let Self::Rigid(rigid) = self { rigid.part_count() } else { 1 }
    }

    /// A part of it: 0 for a convex shape, the child for a compound, the triangle for a mesh.
    pub(in crate::dynamics) fn part(&self, number: u32) -> Option<Convex<'_>> {
        match self {
            Self::Box(shape) => Some(Convex::Obb(*shape)),
            Self::Sphere(shape) => Some(Convex::Sphere(*shape)),
            Self::Capsule(shape) => Some(Convex::Capsule(*shape)),
            Self::Cylinder(shape) => Some(Convex::Cylinder(*shape)),
            Self::Rigid(rigid) => rigid.shape().part(number),
            Self::Composite(composite) => composite.shape().part(number),
        }
    }

    /// How far the farthest point of a part is along a unit direction.
    pub(in crate::dynamics) fn reach(&self, part: u32, direction: DVec3) -> f64 {
        let around = |center: Vec3, reach: f64| direction.dot(center.as_dvec3()) + reach;
        match self {
            Self::Box(shape) => {
                let reach = shape.half_edges().iter().map(|edge| direction.dot(edge.as_dvec3()).abs()).sum();
                around(shape.center(), reach)
            }
            Self::Sphere(shape) => around(shape.center(), f64::from(shape.radius()) * direction.length()),
            Self::Capsule(shape) => {
                let reach =
                    direction.dot(shape.half_axis().as_dvec3()).abs() + f64::from(shape.radius()) * direction.length();
                around(shape.center(), reach)
            }
            Self::Cylinder(shape) => shape.reach(direction),
            Self::Rigid(_) | Self::Composite(_) => {
                self.part(part).map_or(f64::NEG_INFINITY, |part| part.reach(direction))
            }
        }
    }

    /// Calls `visit` with the numbers of the parts that a moving box may touch, and with their boxes: of a mesh, those of
    /// the triangles that are met from `from`.
    pub(in crate::dynamics) fn parts_along(
        &self,
        around: &Aabb,
        motion: Vec3,
        from: Vec3,
        mut visit: impl FnMut(u32, Aabb),
    ) {
        let shape = match self {
            Self::Rigid(rigid) => rigid.shape(),
            Self::Composite(composite) => composite.shape(),
            Self::Box(_) | Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_) => return visit(0, self.aabb()),
        };
        let body = BodyWay::around(around, motion);
        shape.parts_along(&StraightWay { around, motion, body: &|| &body }, 1.0, &mut |number, part, _| {
            if part.is_faced_by(from) {
                visit(number, part.aabb());
            }
            1.0
        });
    }

    /// The whole shape, if it is one convex part.
    #[inline]
    pub(in crate::dynamics) fn convex(&self) -> Option<Convex<'_>> {
        match self {
            Self::Rigid(rigid) => rigid.shape().convex(),
            Self::Composite(_) => None,
            _ => self.part(0),
        }
    }

    /// From the centre of mass to the origin of the contact offsets of a part.
    pub(in crate::dynamics) fn contact_offset(&self, part: u32) -> Vec3 {
        let center = match self {
            Self::Box(_) | Self::Sphere(_) | Self::Capsule(_) => return Vec3::ZERO,
            Self::Cylinder(_) => self.center().as_dvec3(),
            Self::Rigid(rigid) => rigid.center(),
            Self::Composite(composite) => composite.center(),
        };
        self.part(part).map_or(Vec3::ZERO, |part| offset_from(&part, center))
    }

    /// The radius with which a part rolls on something along a unit normal: see `Lane::rolling` of the solver. A cylinder rolls on its side, but not on a disc.
    pub(in crate::dynamics) fn rolling_radius(&self, part: u32, normal: Vec3) -> f32 {
        match self.part(part) {
            Some(Convex::Sphere(ball)) => ball.radius(),
            Some(Convex::Capsule(capsule)) => capsule.radius(),
            Some(Convex::Cylinder(cylinder)) => cylinder.rolling_radius(normal.as_dvec3()) as f32,
            _ => 0.0,
        }
    }

    /// The unit axes about which the moments of inertia are taken: for a box those of its edges; for a capsule or a
    /// cylinder the second is its axis. The sizes are those that [`Self::resized`] keeps.
    pub(in crate::dynamics) fn axes(&self, sizes: Vec3) -> [Vec3; 3] {
        match self {
            Self::Box(shape) if sizes.min_element() >= f32::MIN_POSITIVE => {
                let [a, b, c] = shape.half_edges();
                [a / sizes.x, b / sizes.y, c / sizes.z]
            }
            Self::Box(shape) => axes_of(shape.half_edges()),
            Self::Sphere(_) => [Vec3::X, Vec3::Y, Vec3::Z],
            Self::Capsule(shape) => {
                let along = shape.half_axis().try_normalize().unwrap_or(Vec3::Y);
                let (x, z) = across(along);
                [x, along, z]
            }
            Self::Cylinder(shape) => {
                let half = shape.half_axis().as_dvec3();
                let along = (half / half.length()).as_vec3();
                let (x, z) = across(along);
                [x, along, z]
            }
            Self::Rigid(rigid) => rigid.axes(),
            Self::Composite(_) => [Vec3::X, Vec3::Y, Vec3::Z],
        }
    }

    /// Like [`Self::moved`], for a rotation that is also known as a unit quaternion.
    #[inline]
    pub(in crate::dynamics) fn moved_by(&self, motion: Vec3, rotation: Vec3, turn: Quat) -> Option<Self> {
        let Self::Box(shape) = self else { return self.moved(motion, rotation) };
        let turn = DMat3::from_quat(turn.as_dquat().normalize());
        let [a, b, c] = shape.half_edges();
        let turned = |edge: Vec3| (turn * edge.as_dvec3()).as_vec3();
        let edges = [turned(a), turned(b), turned(c)];
        Obb::from_half_edges(shape.center() + motion, edges).ok().map(Self::Box)
    }

    /// Where it gets by a motion and a rotation; `None` beyond the range of coordinates.
    pub(in crate::dynamics) fn moved(&self, motion: Vec3, rotation: Vec3) -> Option<Self> {
        Some(match self {
            Self::Box(shape) => {
                Self::Box(TurningBoxSweep::new(shape, motion, rotation).ok()?.end(&mut RotationCache::default()))
            }
            Self::Sphere(shape) => Self::Sphere(Sphere::new(shape.center() + motion, shape.radius()).ok()?),
            Self::Capsule(shape) => {
                let (center, axis) = turned_rod(shape.center(), shape.half_axis(), motion, rotation)?;
                Self::Capsule(Capsule::from_half_axis(center, axis, shape.radius()).ok()?)
            }
            Self::Cylinder(shape) => {
                let (center, axis) = turned_rod(self.center(), shape.half_axis(), motion, rotation)?;
                Self::Cylinder(cylinder_around(center, axis, shape.radii())?)
            }
            Self::Rigid(rigid) => Self::Rigid(Arc::new(rigid.moved(motion, rotation)?)),
            Self::Composite(composite) => Self::Composite(Arc::new(composite.moved(motion, rotation)?)),
        })
    }

    /// What rounding to `f32` took from a motion that led here from `start`.
    pub(in crate::dynamics) fn motion_lost(&self, start: &Self, motion: Vec3) -> Vec3 {
        match self {
            // These are placed in `f64`.
            Self::Rigid(_) | Self::Composite(_) => Vec3::ZERO,
            _ => (start.center().as_dvec3() + motion.as_dvec3() - self.center().as_dvec3()).as_vec3(),
        }
    }

    /// What rounding to `f32` took from a rotation that led here from `start`: where one does not show, nothing.
    pub(in crate::dynamics) fn rotation_lost(&self, start: &Self, rotation: Vec3) -> Vec3 {
        let turn = rotation_by(rotation.as_dvec3());
        let lost = match (start, self) {
            (Self::Box(start), Self::Box(end)) => {
                let [start, end] = [start, end].mapped(|shape| frame_of(shape.half_edges()));
                0.5 * (0..3).map(|i| end[i].cross(turn * start[i])).sum::<DVec3>()
            }
            (Self::Capsule(start), Self::Capsule(end)) => {
                let [start, end] = [start, end].mapped(|shape| shape.half_axis().as_dvec3().normalize_or_zero());
                end.cross(turn * start)
            }
            (Self::Cylinder(start), Self::Cylinder(end)) => {
                let [start, end] = [start, end].mapped(|shape| shape.half_axis().as_dvec3().normalize_or_zero());
                end.cross(turn * start)
            }
            _ => DVec3::ZERO,
        };
        // More than that is no rounding of edges, but of a rotation by many turns.
        if lost.length_squared() <= (16.0 * f64::from(f32::EPSILON)).powi(2) { lost.as_vec3() } else { Vec3::ZERO }
    }

    /// Restores its sizes, which turning it step by step slowly changes.
    pub(in crate::dynamics) fn resized(self, sizes: Vec3) -> Self {
        match self {
            Self::Box(shape) => {
                let [a, b, c] = shape.half_edges();
                let off = |edge: Vec3, size: f32| (edge.length_squared() - size * size).abs() > SLANT * size * size;
                let slant = |a: Vec3, b: Vec3, x: f32, y: f32| a.dot(b).abs() > SLANT * x * y;
                let is_off = off(a, sizes.x) || off(b, sizes.y) || off(c, sizes.z);
                let is_slanted =
                    slant(a, b, sizes.x, sizes.y) || slant(b, c, sizes.y, sizes.z) || slant(c, a, sizes.z, sizes.x);
                if !(is_off || is_slanted) {
                    return self;
                }
                let [x, y, z] = axes_of([a, b, c]);
                let edges = [x * sizes.x, y * sizes.y, z * sizes.z];
                Obb::from_half_edges(shape.center(), edges).map_or(self, Self::Box)
            }
            Self::Sphere(_) | Self::Rigid(_) | Self::Composite(_) => self,
            Self::Capsule(shape) => {
                let axis = shape.half_axis();
                if (axis.length_squared() - sizes.y * sizes.y).abs() <= SLANT * sizes.y * sizes.y {
                    return self;
                }
                let axis = axis.normalize_or_zero() * sizes.y;
                Capsule::from_half_axis(shape.center(), axis, shape.radius()).map_or(self, Self::Capsule)
            }
            Self::Cylinder(shape) => {
                let axis = shape.half_axis();
                if (axis.length_squared() - sizes.y * sizes.y).abs() <= SLANT * sizes.y * sizes.y {
                    return self;
                }
                let axis = axis.normalize_or_zero() * sizes.y;
                cylinder_around(self.center(), axis, shape.radii()).map_or(self, Self::Cylinder)
            }
        }
    }

    /// Makes it the shape of an object. A large shape is written only once.
    #[inline]
    pub(in crate::dynamics) fn put(&self, shape: &mut Shape) {
        match (self, shape) {
            (Self::Box(own), Shape::Obb(shape)) => *shape = *own,
            (Self::Box(own), shape) => *shape = (*own).into(),
            (Self::Sphere(own), shape) => *shape = (*own).into(),
            (Self::Capsule(own), shape) => *shape = (*own).into(),
            (Self::Cylinder(own), shape) => *shape = (*own).into(),
            (Self::Rigid(rigid), shape) => *shape = rigid.shape().clone(),
            (Self::Composite(composite), shape) => *shape = composite.shape().clone(),
        }
    }

    /// The sizes for [`Self::resized`] to keep.
    pub(in crate::dynamics) fn sizes(&self) -> Vec3 {
        match self {
            Self::Box(shape) => shape.half_extents(),
            Self::Sphere(_) | Self::Rigid(_) | Self::Composite(_) => Vec3::ZERO,
            Self::Capsule(shape) => Vec3::Y * shape.half_axis().length(),
            Self::Cylinder(shape) => Vec3::Y * shape.half_axis().length(),
        }
    }
}

/// Where a segment gets by a motion and a rotation about its centre: turned as an edge of a box is.
fn turned_rod(center: Vec3, half_axis: Vec3, motion: Vec3, rotation: Vec3) -> Option<(Vec3, Vec3)> {
    let rod = Obb::from_half_edges(center, [half_axis, Vec3::ZERO, Vec3::ZERO]).ok()?;
    let turned = TurningBoxSweep::new(&rod, motion, rotation).ok()?.end(&mut RotationCache::default());
    Some((turned.center(), turned.half_edges()[0]))
}

/// The cylinder with its centre of mass there.
fn cylinder_around(center: Vec3, half_axis: Vec3, radii: [f32; 2]) -> Option<Cylinder> {
    let own = Cylinder::from_half_axis(Vec3::ZERO, half_axis, radii).ok()?;
    let middle = (center.as_dvec3() - own.moments().center).as_vec3();
    Cylinder::from_half_axis(middle, half_axis, radii).ok()
}

/// The relative error of a body's size from which it is straightened: less than the skew up to which a box still counts
/// as rectangular where two of them touch.
const SLANT: f32 = 2.0 * f32::EPSILON;

/// Orthonormal axes along the edges of a box, including a flat one.
pub(in crate::dynamics) fn axes_of(edges: [Vec3; 3]) -> [Vec3; 3] {
    frame_of(edges).mapped(|axis| axis.as_vec3())
}

fn frame_of(edges: [Vec3; 3]) -> [DVec3; 3] {
    let [a, b, c] = edges.mapped(|edge| edge.as_dvec3());
    let x = a.try_normalize().or_else(|| b.cross(c).try_normalize());
    let Some(x) = x.or_else(|| Some(sideways(b.try_normalize().or_else(|| c.try_normalize())?))) else {
        return DVec3::AXES;
    };
    let y = (b - x * x.dot(b)).try_normalize().or_else(|| c.cross(x).try_normalize()).unwrap_or_else(|| sideways(x));
    // A mirrored box stays mirrored.
    let z = x.cross(y);
    let z = if z.dot(c) < 0.0 { -z } else { z };
    [x, y, z]
}

/// A unit vector perpendicular to a unit vector.
fn sideways(v: DVec3) -> DVec3 {
    v.cross(if v.x.abs() < 0.5 { DVec3::X } else { DVec3::Y }).normalize_or_zero()
}

/// Two unit vectors that form a right-handed frame with a unit vector between them.
pub(in crate::dynamics) fn across(v: Vec3) -> (Vec3, Vec3) {
    let x = sideways(v.as_dvec3());
    (x.as_vec3(), x.cross(v.as_dvec3()).as_vec3())
}

/// The rotation vector of a unit quaternion, of no more than half a turn; its relative error is below 2^-24.
///
/// The quaternion is halved until the series of the arcsine converges fast, by square roots alone, whose rounding is
/// fixed.
pub(in crate::dynamics) fn rotation_vector(turn: Quat) -> Vec3 {
    let [x, y, z, w] = turn.to_array().mapped(f64::from);
    let (mut v, mut w) = if w < 0.0 { (DVec3::new(-x, -y, -z), -w) } else { (DVec3::new(x, y, z), w) };
    let length = (v.length_squared() + w * w).sqrt();
    if length <= 0.0 {
        return Vec3::ZERO;
    }
    (v, w) = (v / length, w / length);
    let mut doubled = 2.0;
    while v.length_squared() > 1.0 / 64.0 {
        let half = (0.5 * (1.0 + w)).sqrt();
        (v, w) = (v / (2.0 * half), half);
        doubled *= 2.0;
    }
    let s = v.length_squared();
    let series = 1.0 + s * (1.0 / 6.0 + s * (3.0 / 40.0 + s * (15.0 / 336.0 + s * (105.0 / 3456.0))));
    (v * (doubled * series)).as_vec3()
}

/// The unit quaternion of a rotation vector of any length, with fixed rounding: that of a small fraction of it, by the
/// series of sine and cosine, squared until it is the whole. For a vector that is not finite, the identity.
pub(in crate::dynamics) fn quaternion(vector: DVec3) -> DQuat {
    if !vector.is_finite() {
        return DQuat::IDENTITY;
    }
    let (mut half, mut doublings) = (vector * 0.5, 0);
    while half.length_squared() > 1.0 / 64.0 {
        half *= 0.5;
        doublings += 1;
    }
    let s = half.length_squared();
    let sine = 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0)));
    let (mut v, mut w) = (half * sine, 1.0 - s / 2.0 * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0))));
    for _ in 0..doublings {
        (v, w) = (v * (2.0 * w), w * w - v.length_squared());
        let length = (v.length_squared() + w * w).sqrt();
        (v, w) = (v / length, w / length);
    }
    DQuat::from_xyzw(v.x, v.y, v.z, w)
}

/// The vector from a point to the centre that the offsets of a part's contacts start from.
pub(in crate::dynamics) fn offset_from(part: &Convex, point: DVec3) -> Vec3 {
    (part.contact_shape().center().as_dvec3() - point).as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vectors_are_those_of_their_quaternions() {
        for case in 0..1000 {
            let angle = 3.1 * (case as f32 / 1000.0);
            let axis = Vec3::new((case as f32).sin(), (1.7 * case as f32).cos(), 0.3).normalize();
            let vector = rotation_vector(Quat::from_axis_angle(axis, angle));
            assert!((vector - axis * angle).length() < 2e-6 * (1.0 + angle), "{case}: {vector} {}", axis * angle);
        }
        assert_eq!(rotation_vector(Quat::IDENTITY), Vec3::ZERO);
    }
}
