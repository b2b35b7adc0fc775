//! The position and orientation of a thing, derived from its shape: a character that stands on the thing is carried by
//! it.
//!
//! ```text
//!   p' = origin' + axes' axesᵀ (p − origin)
//! ```
//! It therefore makes no difference how the thing was moved: by a new shape, a transform or a step.

use crate::{Shape, Target, World, shape::matrix};
use cullide_narrowphase::{
    Brush, Mapped, Obb,
    glam::{DMat3, DVec3, Vec3},
};

/// A point of a thing and orthonormal axes that turn with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Frame {
    pub(crate) origin: DVec3,
    pub(crate) axes: [DVec3; 3],
}

impl Frame {
    /// The frame of a thing; `None` for a stale key.
    pub(crate) fn of(world: &World, target: Target) -> Option<Self> {
        Some(match target {
            Target::Object(key) => {
                let object = world.object(key)?;
                let shape = &object.get().shape;
                match (shape, world.posed_model(key)) {
                    // Once turned, a hull may have its faces in another order.
                    (Shape::Brush(shape), Some(Shape::Brush(given))) if given.moved_from().is_none() => {
                        let turn = matrix(object.transform().0).unwrap_or(DMat3::IDENTITY);
                        let origin = mean(shape.vertices().iter().copied());
                        Self { origin, axes: axes_of(given).mapped(|axis| turn * axis) }
                    }
                    // A box, a ball or a capsule that a body moves as the only child of a compound.
                    (Shape::Compound(shape), Some(given)) if !given.is_composite() => Self::of_shape(&*shape.child(0)?),
                    _ => Self::of_shape(shape),
                }
            }
            Target::Plane(key) => {
                let plane = world.plane(key)?.plane;
                let normal = plane.normal().as_dvec3();
                Self { origin: -normal * f64::from(plane.d()) / normal.length_squared(), axes: DVec3::AXES }
            }
        })
    }

    fn of_shape(shape: &Shape) -> Self {
        match shape {
            Shape::Aabb(shape) => Self::of_box(&Obb::from(shape)),
            Shape::Obb(shape) => Self::of_box(shape),
            Shape::Sphere(shape) => Self { origin: shape.center().as_dvec3(), axes: DVec3::AXES },
            // Turns about its own axis cannot be seen in the shape, so no turn is derived at all.
            Shape::Capsule(shape) => Self { origin: shape.center().as_dvec3(), axes: DVec3::AXES },
            Shape::Cylinder(shape) => Self { origin: shape.center().as_dvec3(), axes: DVec3::AXES },
            Shape::Brush(shape) => Self { origin: mean(shape.vertices().iter().copied()), axes: axes_of(shape) },
            Shape::Triangle(shape) => {
                let points = shape.points().mapped(|point| point.as_dvec3());
                Self { origin: mean(points.into_iter()), axes: axes(points[1] - points[0], shape.normal().as_dvec3()) }
            }
            Shape::Mesh(shape) => shape.frame(),
            Shape::Terrain(shape) => shape.frame(),
            Shape::Compound(shape) => shape.frame(),
            Shape::Patch(shape) => {
                let points = shape.points().iter().map(|point| point.as_dvec3());
                let along = (shape.points()[1] - shape.points()[0]).as_dvec3();
                Self { origin: mean(points), axes: axes(along, shape.plane().normal().as_dvec3()) }
            }
        }
    }

    fn of_box(obb: &Obb) -> Self {
        let [a, b, c] = obb.half_edges().mapped(|edge| edge.as_dvec3());
        // Two edges determine the axes of a flat box.
        let axes = if b == DVec3::ZERO {
            axes(c, a)
        } else if a == DVec3::ZERO {
            axes(b, c)
        } else {
            axes(a, b)
        };
        Self { origin: obb.center().as_dvec3(), axes }
    }

    /// How far a point fixed to the thing moved while its frame went from this one to another.
    pub(crate) fn displacement(&self, to: &Self, point: Vec3) -> DVec3 {
        let offset = point.as_dvec3() - self.origin;
        let turned: DVec3 = self.axes.iter().zip(to.axes).map(|(from, to)| to * from.dot(offset)).sum();
        let swung = if self.axes == to.axes { DVec3::ZERO } else { turned - offset };
        (to.origin - self.origin) + swung
    }
}

/// The axes given by the first faces of a brush.
fn axes_of(brush: &Brush) -> [DVec3; 3] {
    let mut normals = brush.planes().iter().map(|plane| plane.normal);
    let first = brush.planes()[0].normal;
    axes(first, normals.find(|normal| is_across(first, *normal)).unwrap_or(first))
}

/// Orthonormal axes, the first along `a`, the second as near to `b` as possible; those of the world if `a` and `b` are
/// parallel.
fn axes(a: DVec3, b: DVec3) -> [DVec3; 3] {
    let z = a.cross(b);
    if z == DVec3::ZERO {
        return DVec3::AXES;
    }
    let (x, z) = (a / a.length(), z / z.length());
    [x, z.cross(x), z]
}

/// Whether unit vectors are far from parallel.
fn is_across(a: DVec3, b: DVec3) -> bool {
    a.cross(b).length_squared() > 0.01
}

fn mean(points: impl ExactSizeIterator<Item = DVec3>) -> DVec3 {
    let count = points.len().max(1) as f64;
    points.fold(DVec3::ZERO, |sum, point| sum + point) / count
}
