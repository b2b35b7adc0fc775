//! Rays through points of a camera's picture, and frusta of rectangles of it.

use cullide_narrowphase::{
    Camera, Error, Frustum,
    glam::{DVec2, DVec3, Quat, Vec2, Vec3},
};
use cullide_scenes::{Rng, SEED};

fn number(rng: &mut Rng) -> f32 {
    2.0 * rng.f32() - 1.0
}

fn any_camera(rng: &mut Rng) -> Camera {
    let mut vector = |size: f32| Vec3::from_array(std::array::from_fn(|_| size * number(rng)));
    let (position, rotation) = (vector(100.0), Quat::from_scaled_axis(vector(3.0)));
    let (fov_y, aspect) = (1.2 + number(rng), 1.5 + number(rng));
    Camera { position, forward: rotation * Vec3::NEG_Z, up: rotation * Vec3::Y, fov_y, aspect, near: 0.5, far: 50.0 }
}

/// Where in the picture a point is seen.
fn seen_at(camera: &Camera, point: DVec3) -> Vec2 {
    let forward = camera.forward.as_dvec3().normalize();
    let right = forward.cross(camera.up.as_dvec3()).normalize();
    let way = point - camera.position.as_dvec3();
    let height = way.dot(forward) * (0.5 * f64::from(camera.fov_y)).tan();
    let width = height * f64::from(camera.aspect);
    DVec2::new(way.dot(right) / width, way.dot(right.cross(forward)) / height).as_vec2()
}

#[test]
fn a_ray_is_seen_at_the_point_that_it_was_cast_through() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..2000 {
        let (camera, at) = (any_camera(&mut rng), Vec2::new(number(&mut rng), number(&mut rng)));
        let ray = camera.ray(at).unwrap();
        assert_eq!(ray.origin(), camera.position);
        let point = ray.origin().as_dvec3() + ray.direction().as_dvec3() * 10.0;
        let seen = seen_at(&camera, point);
        assert!(seen.distance(at) < 1e-5, "{camera:?}: {seen} instead of {at}");
    }
}

#[test]
fn a_part_of_the_picture_holds_what_is_seen_in_it_and_nothing_else() {
    let mut rng = Rng::with_seed(SEED);
    let mut inside = 0;
    for _ in 0..500 {
        let camera = any_camera(&mut rng);
        let [a, b] = [0; 2].map(|_| Vec2::new(number(&mut rng), number(&mut rng)));
        let (min, max) = (a.min(b), a.max(b));
        if (max - min).min_element() < 0.01 {
            continue;
        }
        let (whole, part) =
            (Frustum::from_camera(&camera).unwrap(), Frustum::from_camera_part(&camera, min, max).unwrap());
        for _ in 0..20 {
            let at = Vec2::new(number(&mut rng), number(&mut rng));
            let ray = camera.ray(at).unwrap();
            let point = ray.origin() + ray.direction() * (3.0 + 2.0 * rng.f32());
            assert!(whole.contains_point(point));
            let beyond = (min - at).max(at - max).max_element();
            if beyond.abs() > 1e-4 {
                assert_eq!(part.contains_point(point), beyond < 0.0, "{camera:?}, {min} to {max}: {at}");
                inside += usize::from(beyond < 0.0);
            }
        }
    }
    assert!(inside > 1000, "{inside}");
}

#[test]
fn all_of_the_picture_is_the_frustum_of_the_camera() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..200 {
        let camera = any_camera(&mut rng);
        let part = Frustum::from_camera_part(&camera, Vec2::NEG_ONE, Vec2::ONE);
        assert_eq!(part, Frustum::from_camera(&camera));
    }
}

#[test]
fn what_is_no_part_of_a_picture_is_refused() {
    let camera = Camera::default();
    let part = |min: Vec2, max: Vec2| Frustum::from_camera_part(&camera, min, max).unwrap_err();
    assert_eq!(part(Vec2::ZERO, Vec2::new(1.0, 0.0)), Error::Inverted { field: "corner" });
    assert_eq!(part(Vec2::new(f32::NAN, 0.0), Vec2::ONE), Error::NonFinite { field: "corner" });
    assert_eq!(part(Vec2::ZERO, Vec2::INFINITY), Error::NonFinite { field: "opposite" });
    assert_eq!(camera.ray(Vec2::NAN), Err(Error::NonFinite { field: "at" }));
    let broken = Camera { up: Vec3::NEG_Z, ..camera };
    assert_eq!(broken.ray(Vec2::ZERO), Err(Error::ZeroNormal { field: "up" }));
    // A ray needs no depths, and may be cast beside the picture, however far.
    let shallow = Camera { near: -1.0, ..camera };
    for at in [Vec2::ZERO, Vec2::splat(2.0), Vec2::new(f32::MAX, -f32::MAX)] {
        assert!((shallow.ray(at).unwrap().direction().length() - 1.0).abs() < 1e-6, "{at}");
    }
    assert!(Frustum::from_camera_part(&camera, Vec2::splat(-1e9), Vec2::splat(1e9)).is_ok());
    assert_eq!(part(Vec2::NEG_ONE, Vec2::splat(f32::MAX)), Error::OutOfRange { field: "opposite" });
    // A mouse may drag a frame from any corner to the opposite one.
    let (low, high) = (Vec2::new(-0.5, -0.25), Vec2::new(0.5, 0.75));
    let frame = |corner, opposite| Frustum::from_camera_part(&camera, corner, opposite).unwrap();
    for (x, y) in [(low.x, high.y), (high.x, low.y), (high.x, high.y)] {
        let [one, other] = [Vec2::new(x, y), low + high - Vec2::new(x, y)];
        assert_eq!(frame(one, other), frame(low, high));
    }
}
