//! Turning and moving shapes.

use crate::Shape;
use cullide_narrowphase::{
    Aabb, Brush, Error, Obb, Patch, Sphere,
    glam::{DMat3, DVec3, Quat, Vec3},
};

impl Shape {
    /// The shape turned by `rotation` about the origin and then moved by `translation`, rounded once. A turned axis-aligned box becomes
    /// an oriented one; a brush's planes turn in `f64`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::ZeroDirection`] for a rotation of length zero, and what the shape's own
    /// constructor refuses, as a brush too thin for where it would go.
    ///
    /// ```
    /// # use cullide_world::{Shape, narrowphase::Sphere, glam::{Quat, Vec3}};
    /// let ball = Shape::from(Sphere::new(Vec3::X, 2.0)?);
    /// let moved = ball.transformed(Quat::from_xyzw(0.0, 0.0, 1.0, 0.0), Vec3::Y)?;
    /// assert_eq!(moved, Sphere::new(Vec3::new(-1.0, 1.0, 0.0), 2.0)?.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn transformed(&self, rotation: Quat, translation: Vec3) -> Result<Self, Error> {
        if !rotation.is_finite() {
            return Err(Error::NonFinite { field: "rotation" });
        }
        if !translation.is_finite() {
            return Err(Error::NonFinite { field: "translation" });
        }
        let wide = rotation.as_dquat();
        if wide.length_squared() == 0.0 {
            return Err(Error::ZeroDirection { field: "rotation" });
        }
        let (turn, shift) = (DMat3::from_quat(wide.normalize()), translation.as_dvec3());
        let point = |p: Vec3| (turn * p.as_dvec3() + shift).as_vec3();
        let turned = |edges: [Vec3; 3]| edges.map(|edge| (turn * edge.as_dvec3()).as_vec3());
        Ok(match self {
            Self::Aabb(shape) if turn == DMat3::IDENTITY => Aabb::new(point(shape.min()), point(shape.max()))?.into(),
            Self::Aabb(shape) => {
                let obb = Obb::from(shape);
                Obb::from_half_edges(point(obb.center()), turned(obb.half_edges()))?.into()
            }
            Self::Obb(shape) => Obb::from_half_edges(point(shape.center()), turned(shape.half_edges()))?.into(),
            Self::Sphere(shape) => Sphere::new(point(shape.center()), shape.radius())?.into(),
            Self::Brush(shape) => {
                let planes: Vec<(DVec3, f64)> = shape
                    .planes()
                    .iter()
                    .map(|plane| {
                        let normal = turn * plane.normal;
                        (normal, plane.distance + normal.dot(shift))
                    })
                    .collect();
                Brush::from_half_spaces(&planes)?.into()
            }
            Self::Patch(shape) => {
                let points: Vec<Vec3> = shape.points().iter().map(|&p| point(p)).collect();
                Patch::new(&points)?.into()
            }
        })
    }
}
