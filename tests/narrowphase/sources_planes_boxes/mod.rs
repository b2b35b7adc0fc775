//! Every known bug of the source documents on planes and boxes, by number, with the right answer.
//!
//! A and B are bugs of source 000, C of 001, D of 002, E of 004. If our constructors refuse the input, the error is the
//! answer. Bugs that show for only a fraction of inputs are checked on many inputs, against exact arithmetic.

mod a_segment_plane;
mod b_segment_box;
mod c_plane_sides;
mod d_ray_plane;
mod e_slabs;

use cullide_narrowphase::{Aabb, Plane, Ray, Segment, glam::Vec3};
use cullide_oracle as oracle;

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray::new(origin, direction).unwrap()
}

fn segment(start: Vec3, delta: Vec3) -> Segment {
    Segment::new(start, delta).unwrap()
}

fn aabb(min: Vec3, max: Vec3) -> Aabb {
    Aabb::new(min, max).unwrap()
}

/// The plane y = 0, facing up.
fn floor() -> Plane {
    Plane::new(Vec3::Y, 0.0).unwrap()
}

/// The box from 0 to 1.
fn unit_box() -> Aabb {
    aabb(Vec3::ZERO, Vec3::ONE)
}

/// Uniform in `[−scale, scale)`.
fn within(rng: &mut cullide_scenes::Rng, scale: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| scale * (2.0 * rng.f32() - 1.0)))
}

/// Whether the stored segment hits the stored box, in exact arithmetic.
fn truly_hits(segment: &Segment, aabb: &Aabb) -> bool {
    let path = oracle::Path::segment(segment.start().to_array(), segment.delta().to_array());
    oracle::path_aabb(&path, [aabb.min().into(), aabb.max().into()]).is_some()
}

/// The stored plane.
fn raw(plane: &Plane) -> [f32; 4] {
    plane.normal().extend(plane.d()).into()
}
