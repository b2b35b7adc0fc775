//! Balls that touch triangles and flat polygons exactly, in integers.

use cullide_narrowphase::{Patch, Solid, Sphere, Triangle, glam::Vec3};
use cullide_scenes::{Rng, SEED};

type Point = [i64; 3];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Whether a point is no farther than `radius` from a triangle.
fn reaches([a, b, c]: [Point; 3], point: Point, radius: i64) -> bool {
    let square = radius * radius;
    let is_near_edge = |(p, q): (Point, Point)| {
        let (way, edge) = (minus(point, p), minus(q, p));
        let (along, length) = (dot(way, edge), dot(edge, edge));
        match along {
            _ if along <= 0 => dot(way, way) <= square,
            _ if along >= length => dot(minus(point, q), minus(point, q)) <= square,
            _ => dot(way, way) * length - along * along <= square * length,
        }
    };
    let edges = [(a, b), (b, c), (c, a)];
    let normal = cross(minus(b, a), minus(c, a));
    let height = dot(minus(point, a), normal);
    let is_over = |(p, q): (Point, Point)| dot(cross(minus(q, p), minus(point, p)), normal) >= 0;
    edges.into_iter().any(is_near_edge)
        || edges.into_iter().all(is_over) && height * height <= square * dot(normal, normal)
}

#[test]
fn balls_reach_triangles_and_patches_as_integers_say() {
    let mut rng = Rng::with_seed(SEED);
    let (mut touches, mut counts) = (0, [0; 2]);
    for case in 0..40_000 {
        let size = [2, 6, 40][case % 3];
        let mut point = || -> Point { std::array::from_fn(|_| rng.i64(-size..=size)) };
        let (corners, center) = ([point(), point(), point()], point());
        // Far from the origin, and in a unit that has many digits.
        let far = if case % 5 == 0 { Vec3::new(4000.0, -9000.0, 77.0) } else { Vec3::ZERO };
        let unit = [1.0, 0.25, 3.0 * 2f32.powi(-9)][case / 3 % 3];
        let place = |p: Point| (Vec3::from(p.map(|x| x as f32)) + far) * unit;
        let Ok(triangle) = Triangle::try_from(corners.map(place)) else { continue };
        let patch = Patch::new(&corners.map(place)).unwrap();
        for radius in 0..=2 * size.min(8) {
            let ball = Sphere::new(place(center), radius as f32 * unit).unwrap();
            let expected = reaches(corners, center, radius);
            assert_eq!(triangle.overlaps_sphere(&ball), expected, "case {case}: {triangle:?} {ball:?}");
            assert_eq!(patch.overlaps_sphere(&ball), expected, "case {case}: {patch:?} {ball:?}");
            counts[usize::from(expected)] += 1;
            let just_less = ball.radius().next_down();
            if expected && radius > 0 && !triangle.overlaps_sphere(&Sphere::new(place(center), just_less).unwrap()) {
                touches += 1;
            }
        }
    }
    assert!(touches > 1000 && counts.iter().all(|count| *count > 50_000), "{touches} {counts:?}");
}

/// Whatever the numbers are, no ball that overlaps a corner misses the triangle, and none misses that touches one.
#[test]
fn balls_around_corners_of_slivers_reach_them() {
    let mut rng = Rng::with_seed(SEED ^ 1);
    let mut count = 0;
    for _ in 0..20_000 {
        let mut point = |size: f32| Vec3::from([0; 3].map(|_| size * (rng.f32() - 0.5)));
        let (a, along) = (point(100.0), point(10.0));
        let Ok(sliver) = Triangle::new(a, a + along, a + along * 0.3 + point(1e-5)) else { continue };
        for corner in sliver.points() {
            let ball = Sphere::new(corner, 0.0).unwrap();
            assert!(sliver.overlaps_sphere(&ball), "{sliver:?} {ball:?}");
            count += 1;
        }
    }
    assert!(count > 50_000, "{count}");
}
