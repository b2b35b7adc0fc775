//! The contract's edge cases: what may not be constructed, and what touching means.

use crate::{rotation, vector};
use cullide_narrowphase::{
    Aabb, BoxSweep, Camera, Error, Frustum, Obb, Plane, Ray, Segment, Sphere,
    glam::{Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};
use cullide_world::{Character, Filter, Mover, Object, World};

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
fn errors_name_the_field_and_say_what_to_do() {
    let field = "max";
    let messages = [
        (Error::NonFinite { field }, "holds a NaN or an infinity; give finite numbers"),
        (
            Error::OutOfRange { field },
            "is out of range; keep coordinates within 2^30, normals within 2^60 of unit length",
        ),
        (Error::Inverted { field }, "lies above its maximum; sort the bounds"),
        (
            Error::ZeroNormal { field },
            "gives no direction for a normal; give three points not in a line, or a vector that is not zero",
        ),
        (Error::ZeroDirection { field }, "has length zero; use a Segment for a point query"),
        (Error::Negative { field }, "is negative; give zero or more"),
        (Error::NotPositive { field }, "is zero or negative; give more than zero"),
        (
            Error::NotAnInertia { field },
            "is the inertia of no body; give a symmetric tensor about the centre of mass, in which no principal moment is \
             negative or larger than the sum of the other two",
        ),
        (Error::TooFew { field }, "holds too few elements to bound the shape"),
        (Error::TooMany { field }, "holds too many elements; drop the redundant ones"),
        (Error::Empty { field }, "leave no solid between them; check which way the normals point"),
        (Error::Unbounded { field }, "do not close the solid; add the missing plane"),
        (Error::NotConvex { field }, "are not the corners of a flat convex polygon in order"),
        (Error::Coincident { field }, "are all the same point; a solid needs four that do not lie in a plane"),
        (Error::Collinear { field }, "lie in a line; a solid needs four that do not lie in a plane"),
        (Error::Coplanar { field }, "lie in a plane; give their outline as a Patch, or a point beside it"),
        (
            Error::NotABody { field },
            "names an object that cannot be a body; give it a box (a ball, capsule, cylinder, hull, brush or compound of \
             these can be a rigid body, too); a mesh, a terrain, a triangle or a patch can only be a kinematic one, and nothing else may be without a \
             volume",
        ),
        (Error::Inconsistent { field }, "contradicts the rest of what was saved; save it again"),
    ];
    for (error, message) in messages {
        assert_eq!(error.to_string(), format!("`max` {message}"));
    }
    let mut hero = Character::new(Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::ONE).unwrap());
    let mover = Mover { max_slope: 45.0, ..Mover::default() };
    let slope = mover.walk(&World::new(), &mut hero, 0.1, &Filter::ALL).unwrap_err();
    let (position, forward, up) = (Vec3::ZERO, Vec3::X, Vec3::Y);
    let camera = Camera { position, forward, up, fov_y: 60.0, aspect: 1.5, near: 0.1, far: 100.0 };
    let view = Frustum::from_camera(&camera).unwrap_err();
    let turn = Obb::new(Vec3::X, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ONE).unwrap_err();
    let flat = cullide_world::narrowphase::Cylinder::new(Vec3::X, Vec3::X, 1.0).unwrap_err();
    let errors = [
        (flat, "`half_axis` has length zero, so that the discs have no direction; give the cylinder a height"),
        (slope, "`max_slope` is steeper than a wall; give radians"),
        (view, "`fov_y` is no angle of view; give radians"),
        (turn, "`rotation` is a quaternion of zeros"),
    ];
    for (error, message) in errors {
        assert!(error.to_string().starts_with(message), "{error}");
    }
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

/// The number of threads that query at the same time.
const THREADS: usize = 8;

const QUESTIONS: usize = 500;

#[test]
fn worlds_and_trees_go_to_other_threads_and_are_asked_by_many() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<World>();
    is_shared::<cullide_bvh::Bvh>();
    is_shared::<cullide_bvh::Broadphase>();
    is_shared::<Object>();
    is_shared::<Error>();
    let mut rng = Rng::with_seed(SEED);
    let mut world = World::new();
    world.insert_plane(Plane::new(Vec3::Y, 25.0).unwrap());
    let at = |rng: &mut Rng| vector(rng) * 20.0;
    for i in 0..600 {
        let (center, size) = (at(&mut rng), Vec3::new(0.5, 1.0, 1.5));
        let object = match i % 3 {
            0 => Object::fixed(Sphere::new(center, 1.0).unwrap()),
            1 => Object::fixed(Aabb::from_center_half_extents(center, size).unwrap()),
            _ => Object::moving(Obb::new(center, rotation(&mut rng), size).unwrap()),
        };
        world.insert(object);
    }
    let questions: Vec<_> = (0..QUESTIONS)
        .map(|_| {
            let (from, motion) = (at(&mut rng), at(&mut rng));
            let body = Obb::new(from, rotation(&mut rng), Vec3::new(0.2, 0.3, 0.5)).unwrap();
            (Ray::new(from, motion).unwrap(), body, BoxSweep::new(body, motion).unwrap())
        })
        .collect();
    // Each thread starts with a different query, so that different ones run at the same time.
    let ask = |start: usize| {
        let mut answers: Vec<_> = (0..QUESTIONS)
            .map(|i| {
                let number = (start + i) % QUESTIONS;
                let (ray, body, sweep) = &questions[number];
                let mut overlaps = vec![];
                world.overlap(body, &Filter::ALL, &mut overlaps);
                (number, world.cast_ray(ray, 100.0, &Filter::ALL), overlaps, world.sweep(sweep, &Filter::ALL))
            })
            .collect();
        answers.sort_by_key(|(number, ..)| *number);
        answers
    };
    let alone = ask(0);
    let hits = alone.iter().filter(|(_, hit, ..)| hit.is_some()).count();
    let overlaps: usize = alone.iter().map(|(_, _, overlaps, _)| overlaps.len()).sum();
    let stops = alone.iter().filter(|(.., swept)| swept.hit.is_some()).count();
    assert!(hits > 100 && overlaps > 50 && stops > 100, "{hits} hits, {overlaps} overlaps, {stops} stops");
    let ask = &ask;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|i| scope.spawn(move || ask(i * QUESTIONS / THREADS))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}
