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
        let turn = matrix(rotation).ok_or(Error::ZeroDirection { field: "rotation" })?;
        let shift = translation.as_dvec3();
        let point = |p: Vec3| (turn * p.as_dvec3() + shift).as_vec3();
        let turned = |edges: [Vec3; 3]| edges.map(|edge| (turn * edge.as_dvec3()).as_vec3());
        Ok(match self {
            Self::Aabb(shape) if turn == DMat3::IDENTITY => Aabb::new(point(shape.min()), point(shape.max()))?.into(),
            // From its middle and half its size in f64, so that each number is rounded once only.
            Self::Aabb(shape) => {
                let (min, max) = (shape.min().as_dvec3(), shape.max().as_dvec3());
                let (center, half) = (turn * (0.5 * (min + max)) + shift, 0.5 * (max - min));
                let edge = |axis: usize| (turn.col(axis) * half[axis]).as_vec3();
                Obb::from_half_edges(center.as_vec3(), [edge(0), edge(1), edge(2)])?.into()
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

/// The matrix of a finite quaternion of any length; `None` for one of length zero. Written out, so that every version of glam gives the same
/// bits.
fn matrix(rotation: Quat) -> Option<DMat3> {
    let [x, y, z, w] = [rotation.x, rotation.y, rotation.z, rotation.w].map(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let [x, y, z, w] = [x, y, z, w].map(|part| part * (1.0 / length));
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz, yy, yz, zz) = (x * x2, x * y2, x * z2, y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let columns = [
        DVec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        DVec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        DVec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    ];
    (length > 0.0).then(|| DMat3::from_cols_array_2d(&columns.map(|column| column.to_array())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_aligned_box_is_rounded_once() {
        // Three steps of f32 wide along y: neither its middle nor half of its width is a number of steps.
        let aabb = Aabb::new(Vec3::new(0.0, 1e6, 0.0), Vec3::new(2.0, 1e6 + 0.1875, 3.0)).unwrap();
        let quarter = Quat::from_xyzw(1.0, 0.0, 0.0, 1.0);
        let Ok(Shape::Obb(turned)) = Shape::from(aabb).transformed(quarter, Vec3::Z * -1e6) else { panic!("a box") };
        assert_eq!(turned.center(), Vec3::new(1.0, -1.5, 0.09375));
        assert_eq!(turned.half_extents(), Vec3::new(1.0, 0.09375, 1.5));
    }
}
