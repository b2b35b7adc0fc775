//! What the comparisons with the exact oracle share: shapes made from arrays, arrays read back from shapes as stored,
//! and error bounds.
//!
//! Constructors may normalise, so every comparison uses the numbers of the constructed shape.

use cullide_narrowphase::{
    Aabb, Obb, Plane, Segment, Sphere,
    glam::{DVec3, Vec3},
};
use cullide_oracle::{Path, Vector};

/// The number of aimed cases for one operation.
pub const CASES: usize = 200_000;

/// The unit roundoff of `f64`.
pub const ROUNDING: f64 = 0.5 * f64::EPSILON;

/// The box between two corners, if they are valid.
pub fn aabb([min, max]: [[f32; 3]; 2]) -> Option<Aabb> {
    Aabb::new(Vec3::from(min), Vec3::from(max)).ok()
}

/// The box with a centre and three half edges, if they are valid.
pub fn obb([center, a, b, c]: [[f32; 3]; 4]) -> Option<Obb> {
    Obb::from_half_edges(Vec3::from(center), [a, b, c].map(Vec3::from)).ok()
}

/// The plane of a normal and a distance, if they are valid.
pub fn plane([x, y, z, d]: [f32; 4]) -> Option<Plane> {
    Plane::new(Vec3::new(x, y, z), d).ok()
}

/// The sphere of a centre and a radius, if they are valid.
pub fn sphere([x, y, z, radius]: [f32; 4]) -> Option<Sphere> {
    Sphere::new(Vec3::new(x, y, z), radius).ok()
}

/// The corners as stored.
pub fn of_aabb(aabb: &Aabb) -> [[f32; 3]; 2] {
    [aabb.min().to_array(), aabb.max().to_array()]
}

/// The centre and the half edges as stored.
pub fn of_obb(obb: &Obb) -> [[f32; 3]; 4] {
    let [a, b, c] = obb.half_edges().map(|edge| edge.to_array());
    [obb.center().to_array(), a, b, c]
}

/// The normal and the distance as stored.
pub fn of_plane(plane: &Plane) -> [f32; 4] {
    plane.normal().extend(plane.d()).to_array()
}

/// The centre and the radius as stored.
pub fn of_sphere(sphere: &Sphere) -> [f32; 4] {
    sphere.center().extend(sphere.radius()).to_array()
}

/// The start and the delta as stored.
pub fn of_segment(segment: &Segment) -> Path {
    Path::segment(segment.start().to_array(), segment.delta().to_array())
}

/// The exact dot product, rounded.
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    Vector::new(a.to_array()).dot(&Vector::new(b.to_array())).to_f64()
}

/// The sum of the magnitudes of a dot product's terms.
pub fn magnitude(a: Vec3, b: Vec3) -> f64 {
    a.as_dvec3().abs().dot(b.as_dvec3().abs())
}

/// Whether a stored normal is of unit length: each component is rounded once.
pub fn is_unit(normal: Vec3) -> bool {
    (normal.as_dvec3().length() - 1.0).abs() <= 2.0 * f64::from(f32::EPSILON)
}

/// The same vector in `f64`.
pub fn wide(v: Vec3) -> DVec3 {
    v.as_dvec3()
}

/// Whether a box's volume is at least a thousandth of what its edges would span at right angles, with edges of length
/// zero left out and parallel ones merged. Little can be said about slivers in `f64`, and three edges in a plane are
/// swept as the rectangle around them.
pub fn is_of_good_shape(obb: &Obb) -> bool {
    let mut edges: Vec<DVec3> = Vec::new();
    for edge in obb.half_edges().map(wide).into_iter().filter(|edge| *edge != DVec3::ZERO) {
        match edges.iter_mut().find(|other| other.cross(edge) == DVec3::ZERO) {
            Some(other) => *other += edge * other.dot(edge).signum(),
            None => edges.push(edge),
        }
    }
    let spanned = match edges[..] {
        [a, b, c] => a.dot(b.cross(c)).abs(),
        [a, b] => a.cross(b).length(),
        _ => return true,
    };
    spanned > 1e-3 * edges.iter().map(|edge| edge.length()).product::<f64>()
}
