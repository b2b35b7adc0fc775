//! The contract's answers at its edges: what may not be constructed, and what touching means.

use cullide_narrowphase::{
    Aabb, Error, Obb, Plane, Ray, Segment, Sphere,
    glam::{Quat, Vec3},
};

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

#[test]
fn no_constructor_accepts_a_nan_or_an_infinity_and_the_error_names_the_field() {
    for bad in BAD {
        for axis in 0..3 {
            let mut v = Vec3::ONE;
            v[axis] = bad;
            let non_finite = |field| Error::NonFinite { field };
            assert_eq!(Aabb::new(v, Vec3::ONE), Err(non_finite("min")));
            assert_eq!(Aabb::new(Vec3::ONE, v), Err(non_finite("max")));
            assert_eq!(Aabb::from_center_half_extents(v, Vec3::ONE), Err(non_finite("center")));
            assert_eq!(Aabb::from_center_half_extents(Vec3::ONE, v), Err(non_finite("half_extents")));
            assert_eq!(Aabb::from_points([v]), Err(non_finite("points")));
            assert_eq!(Obb::new(v, Quat::IDENTITY, Vec3::ONE), Err(non_finite("center")));
            assert_eq!(Obb::new(Vec3::ONE, Quat::IDENTITY, v), Err(non_finite("half_extents")));
            assert_eq!(Obb::new(Vec3::ONE, Quat::from_xyzw(v.x, v.y, v.z, 1.0), v), Err(non_finite("half_extents")));
            assert_eq!(
                Obb::new(Vec3::ONE, Quat::from_xyzw(v.x, v.y, v.z, 1.0), Vec3::ONE),
                Err(non_finite("rotation"))
            );
            assert_eq!(Obb::from_half_edges(Vec3::ONE, [Vec3::X, v, Vec3::Z]), Err(non_finite("half_edges")));
            assert_eq!(Sphere::new(v, 1.0), Err(non_finite("center")));
            assert_eq!(Plane::new(v, 1.0), Err(non_finite("normal")));
            assert_eq!(Plane::from_point_normal(v, Vec3::Y), Err(non_finite("point")));
            assert_eq!(Plane::from_point_normal(Vec3::Y, v), Err(non_finite("normal")));
            assert_eq!(Plane::from_points(Vec3::X, v, Vec3::Z), Err(non_finite("b")));
            assert_eq!(Plane::from_normal_distance(v, 1.0), Err(non_finite("normal")));
            assert_eq!(Ray::new(v, Vec3::X), Err(non_finite("origin")));
            assert_eq!(Ray::new(Vec3::X, v), Err(non_finite("direction")));
            assert_eq!(Segment::new(v, Vec3::X), Err(non_finite("start")));
            assert_eq!(Segment::new(Vec3::X, v), Err(non_finite("delta")));
            assert_eq!(Segment::between(Vec3::X, v), Err(non_finite("end")));
        }
        assert_eq!(Sphere::new(Vec3::ONE, bad), Err(Error::NonFinite { field: "radius" }));
        assert_eq!(Plane::new(Vec3::Y, bad), Err(Error::NonFinite { field: "d" }));
        assert_eq!(Plane::from_normal_distance(Vec3::Y, bad), Err(Error::NonFinite { field: "distance" }));
    }
}

#[test]
fn degenerate_values_are_refused_by_name() {
    for axis in 0..3 {
        let mut v = Vec3::ONE;
        v[axis] = 1.0f32.next_up();
        assert_eq!(Aabb::new(v, Vec3::ONE), Err(Error::Inverted { field: "min" }));
        assert!(Aabb::new(Vec3::ONE, v).is_ok());
    }
    assert_eq!(Plane::new(Vec3::ZERO, 1.0), Err(Error::ZeroNormal { field: "normal" }));
    assert_eq!(Plane::new(Vec3::X * 1e-20, 1.0), Err(Error::OutOfRange { field: "normal" }));
    assert_eq!(Plane::from_points(Vec3::X, Vec3::X * 2.0, Vec3::X * 3.0), Err(Error::ZeroNormal { field: "a, b, c" }));
    assert_eq!(Ray::new(Vec3::X, Vec3::ZERO), Err(Error::ZeroDirection { field: "direction" }));
    assert_eq!(
        Obb::new(Vec3::X, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ONE),
        Err(Error::ZeroDirection { field: "rotation" })
    );
    assert_eq!(Obb::new(Vec3::X, Quat::IDENTITY, Vec3::NEG_X), Err(Error::Negative { field: "half_extents" }));
    assert_eq!(Sphere::new(Vec3::X, -1.0), Err(Error::Negative { field: "radius" }));
    assert_eq!(Aabb::new(Vec3::X, Vec3::splat(1e38)), Err(Error::OutOfRange { field: "max" }));
    assert_eq!(Aabb::from_points([]), Err(Error::TooFew { field: "points" }));
}

#[test]
fn errors_say_what_to_do() {
    assert_eq!(Error::NonFinite { field: "max" }.to_string(), "`max` holds a NaN or an infinity; give finite numbers");
}

#[test]
fn negative_zero_gives_the_answers_of_zero() {
    let flat = Aabb::new(Vec3::splat(-0.0), Vec3::new(2.0, 3.0, -0.0)).unwrap();
    assert_eq!(flat.max().z.to_bits(), 0);
    for zero in [0.0, -0.0] {
        let ray = Ray::new(Vec3::new(1.0, zero, 4.0), Vec3::new(zero, zero, -1.0)).unwrap();
        assert_eq!(ray.cast(&flat, 10.0).unwrap().distance, 4.0);
    }
}

#[test]
fn a_negative_or_nan_maximum_distance_reaches_nothing() {
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let around = Aabb::new(Vec3::NEG_ONE, Vec3::ONE).unwrap();
    assert!(ray.cast(&around, 0.0).is_some());
    assert!(ray.cast(&around, -1.0).is_none() && ray.cast(&around, f32::NAN).is_none());
}

#[test]
fn worlds_and_trees_go_to_other_threads_and_are_asked_by_many() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<cullide_world::World>();
    is_shared::<cullide_bvh::Bvh>();
    is_shared::<cullide_bvh::Broadphase>();
    is_shared::<cullide_world::Object>();
    is_shared::<Error>();
    let mut world = cullide_world::World::new();
    world.insert(cullide_world::Object::fixed(Sphere::new(Vec3::X * 5.0, 1.0).unwrap()));
    let ask = || world.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X).unwrap(), 9.0, &cullide_world::Filter::ALL);
    let answers = std::thread::scope(|scope| [(); 3].map(|()| scope.spawn(ask)).map(|thread| thread.join().unwrap()));
    assert!(answers.iter().all(|answer| answer.is_some_and(|hit| hit.distance == 4.0)));
}
