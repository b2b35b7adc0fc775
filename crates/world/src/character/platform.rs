//! Where a thing is and how it is turned, as its shape tells: what carries whoever stands on it.
//!
//! ```text
//!   p' = origin' + axes' axesᵀ (p − origin)
//! ```
//! So it makes no difference how the thing was moved: by a new shape, a transform or a step.

use crate::{Shape, Target, World};
use cullide_narrowphase::{
    Obb,
    glam::{DVec3, Vec3},
};

/// A point of a thing and orthonormal axes that turn with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Frame {
    pub(crate) origin: DVec3,
    pub(crate) axes: [DVec3; 3],
}

impl Frame {
    /// That of a thing; `None` for a stale key.
    pub(crate) fn of(world: &World, target: Target) -> Option<Self> {
        Some(match target {
            Target::Object(key) => Self::of_shape(&world.object(key)?.shape),
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
            // How far it has turned about its axis is not seen, and so not that it has turned at all.
            Shape::Capsule(shape) => Self { origin: shape.center().as_dvec3(), axes: DVec3::AXES },
            Shape::Brush(shape) => {
                let first = shape.planes()[0].normal;
                let crossing = shape.planes().iter().map(|plane| plane.normal).find(|normal| is_across(first, *normal));
                Self { origin: mean(shape.vertices().iter().copied()), axes: axes(first, crossing.unwrap_or(first)) }
            }
            Shape::Triangle(shape) => {
                let points = shape.points().map(|point| point.as_dvec3());
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
        let [a, b, c] = obb.half_edges().map(|edge| edge.as_dvec3());
        // Of a flat box two edges tell.
        let axes = if b == DVec3::ZERO {
            axes(c, a)
        } else if a == DVec3::ZERO {
            axes(b, c)
        } else {
            axes(a, b)
        };
        Self { origin: obb.center().as_dvec3(), axes }
    }

    /// How far a point that is fixed to the thing went, while its frame went from this to another.
    pub(crate) fn displacement(&self, to: &Self, point: Vec3) -> DVec3 {
        let offset = point.as_dvec3() - self.origin;
        let turned: DVec3 = self.axes.iter().zip(to.axes).map(|(from, to)| to * from.dot(offset)).sum();
        let swung = if self.axes == to.axes { DVec3::ZERO } else { turned - offset };
        (to.origin - self.origin) + swung
    }
}

/// Orthonormal axes, the first along `a`, the second as near to `b` as can be; those of the world where these are
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
