//! Nothing can be constructed beyond the range of coordinates.

use cullide_world::{
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Error, MAX_COORDINATE, Obb, Patch, Plane, Ray, Segment, Sphere, SphereSweep},
};

#[test]
fn what_lies_beyond_the_range_of_coordinates_is_refused_where_it_is_made() {
    let least = f32::from_bits(MAX_COORDINATE.to_bits() + 1);
    for beyond in [least, MAX_COORDINATE * 2.0, f32::MAX] {
        for axis in Vec3::AXES {
            let (far, one) = (axis * beyond, Vec3::new(2.0, 3.0, 5.0));
            let out = |error: Error| assert!(matches!(error, Error::OutOfRange { .. }), "{far}: {error:?}");
            out(Aabb::new(Vec3::ZERO, far).unwrap_err());
            out(Aabb::new(-far, Vec3::ZERO).unwrap_err());
            out(Aabb::from_center_half_extents(Vec3::ZERO, far).unwrap_err());
            out(Aabb::from_points([Vec3::ZERO, far]).unwrap_err());
            out(Obb::new(far, Quat::IDENTITY, one).unwrap_err());
            out(Obb::new(Vec3::ZERO, Quat::IDENTITY, far).unwrap_err());
            out(Obb::from_half_edges(Vec3::ZERO, [one, far, one]).unwrap_err());
            out(Sphere::new(far, 1.0).unwrap_err());
            out(Sphere::new(Vec3::ZERO, beyond).unwrap_err());
            out(Plane::new(axis, beyond).unwrap_err());
            out(Plane::from_point_normal(far, axis).unwrap_err());
            out(Plane::from_normal_distance(axis, beyond).unwrap_err());
            out(Plane::from_points(far, Vec3::ONE, Vec3::new(2.0, 3.0, 5.0)).unwrap_err());
            out(Patch::new(&[far, Vec3::ONE, Vec3::new(2.0, 3.0, 5.0)]).unwrap_err());
            out(Ray::new(far, axis).unwrap_err());
            out(Segment::new(far, axis).unwrap_err());
            out(Segment::between(Vec3::ZERO, far).unwrap_err());
            let body = Obb::new(Vec3::ZERO, Quat::IDENTITY, one).unwrap();
            out(body.translated(far).unwrap_err());
            out(BoxSweep::new(body, far).unwrap_err());
            out(SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0).unwrap(), far).unwrap_err());
            let brush = Brush::try_from(&body).unwrap();
            out(brush.translated(far).unwrap_err());
            let sizes = [(DVec3::X, 2.0), (DVec3::Y, 3.0), (DVec3::Z, 5.0)];
            let grown = sizes.map(|(n, size)| (n, if n.as_vec3() == axis { f64::from(beyond) } else { size }));
            let planes: Vec<_> = grown.into_iter().flat_map(|(n, size)| [(n, size), (-n, 0.0)]).collect();
            // The vertices of planes this far apart may be lost to rounding before their place is checked.
            assert!(Brush::from_half_spaces(&planes).is_err());
        }
    }
    let most = Vec3::splat(MAX_COORDINATE);
    assert!(Aabb::new(-most, most).is_ok() && Sphere::new(Vec3::ZERO, MAX_COORDINATE).is_ok());
    assert!(Plane::new(Vec3::Y, MAX_COORDINATE).is_ok() && Ray::new(most, Vec3::X).is_ok());
}
