//! Shapes placed by a map that may also scale.
//!
//! ```text
//!   boxes             centre and half edges mapped: a box that is skewed if a turned one is scaled
//!   points            mapped: of triangles, patches, hulls, meshes
//!   half-spaces       n · p <= d  becomes  (inverseᵀ n) · p <= d + (inverseᵀ n) · translation
//!   balls, capsules   radius times the scale, which has to be the same along all axes
//!   cylinders         radii times the scale across the axis, which has to be the same on all sides
//!   terrains          neither
//! ```

use super::placement::{Placement, Size};
use crate::Shape;
use cullide_narrowphase::{
    Brush, Capsule, Cylinder, Error, Hull, Mapped, Patch, Sphere, Triangle,
    glam::{DMat3, DVec3, Vec3},
};

impl Shape {
    /// Whether the shape can be placed by this map.
    pub(super) fn takes(&self, placement: &Placement) -> bool {
        match (placement.size(), self) {
            (Size::Kept, _) => true,
            (_, Self::Terrain(_) | Self::Compound(_)) | (Size::Unlike, Self::Sphere(_) | Self::Capsule(_)) => false,
            (Size::Unlike, Self::Cylinder(shape)) => factor_across(shape, placement.linear()).is_some(),
            _ => true,
        }
    }

    /// Returns the shape placed by a map. Every number is computed in `f64` and rounded once; the front of a mirrored
    /// shape is the mirror image of its front.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a shape that cannot be placed by a map of that size, and the errors of its
    /// constructor.
    pub(super) fn placed_by(&self, placement: &Placement) -> Result<Self, Error> {
        let (linear, translation) = (placement.linear(), placement.translation());
        let factor = match placement.size() {
            Size::Kept => return self.transformed_by(linear, translation),
            _ if !self.takes(placement) => return Err(Error::OutOfRange { field: "scale" }),
            Size::Alike(factor) => factor,
            Size::Unlike => 1.0,
        };
        let point = |p: Vec3| (*linear * p.as_dvec3() + translation).as_vec3();
        let radius = |radius: f32| (f64::from(radius) * factor) as f32;
        Ok(match self {
            Self::Sphere(shape) => Sphere::new(point(shape.center()), radius(shape.radius()))?.into(),
            Self::Capsule(shape) => {
                let half_axis = (*linear * shape.half_axis().as_dvec3()).as_vec3();
                Capsule::from_half_axis(point(shape.center()), half_axis, radius(shape.radius()))?.into()
            }
            Self::Cylinder(shape) => {
                let factor = match placement.size() {
                    Size::Unlike => factor_across(shape, linear).unwrap_or(1.0),
                    _ => factor,
                };
                let radii = shape.radii().mapped(|radius| (f64::from(radius) * factor) as f32);
                let half_axis = (*linear * shape.half_axis().as_dvec3()).as_vec3();
                Cylinder::from_half_axis(point(shape.center()), half_axis, radii)?.into()
            }
            Self::Brush(shape) => match shape.points() {
                Some(points) => Hull::new(&points.map(point).collect::<Vec<_>>())?.into(),
                None => scaled_brush(shape, placement)?.into(),
            },
            Self::Patch(shape) => {
                let mut points: Vec<Vec3> = shape.points().iter().map(|&p| point(p)).collect();
                if placement.is_mirrored() {
                    points.reverse();
                }
                Patch::new(&points)?.into()
            }
            Self::Triangle(shape) => {
                let [a, b, c] = placement.placed(shape.points());
                Triangle::new(a, b, c)?.into()
            }
            Self::Aabb(_) | Self::Obb(_) | Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_) => {
                self.transformed_by(linear, translation)?
            }
        })
    }
}

fn scaled_brush(brush: &Brush, placement: &Placement) -> Result<Brush, Error> {
    let to_normals = placement.inverse_linear().transpose();
    let half_space = |normal: DVec3, distance: f64| {
        let normal = to_normals * normal;
        let length = normal.length();
        let (normal, distance) = (normal / length, distance / length);
        (normal, distance + normal.dot(placement.translation()))
    };
    let planes: Vec<_> = brush.planes().iter().map(|plane| half_space(plane.normal, plane.distance)).collect();
    Brush::from_half_spaces(&planes)
}

/// How much the discs of a cylinder may be off circles across its axis, as a share of their size: 2^-20, since the axis
/// is stored in `f32`.
const OFF: f64 = 1.0 / (1u64 << 20) as f64;

/// By how much a map scales the discs of a cylinder; `None` if they become ellipses, or slant.
fn factor_across(shape: &Cylinder, linear: &DMat3) -> Option<f64> {
    let axis = shape.half_axis().as_dvec3();
    let axis = axis / axis.length();
    let side = axis.cross(if axis.x.abs() < 0.5 { DVec3::X } else { DVec3::Y });
    let side = side / side.length();
    let [along, u, v] = [axis, side, axis.cross(side)].mapped(|way| *linear * way);
    let (long, wide) = (along.length(), u.length());
    let is_across = |a: DVec3, b: DVec3| a.dot(b).abs() <= OFF * a.length() * b.length();
    let is_round = (v.length() - wide).abs() <= OFF * wide && is_across(u, v);
    (long > 0.0 && is_round && is_across(along, u) && is_across(along, v)).then_some(wide)
}
