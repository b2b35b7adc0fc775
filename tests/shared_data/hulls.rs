//! Hulls of a game's convex parts: closed, convex and around all points by exact signs, with the volumes and vertices
//! that Qhull finds.

use cullide_narrowphase::{Error, Hull, glam::Vec3};
use cullide_oracle::Exact;
use cullide_scenes::{known_hulls, point_clouds};
use std::cmp::Ordering;

type Point = [Exact; 3];

fn minus(a: &Point, b: &Point) -> Point {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

fn cross(a: &Point, b: &Point) -> Point {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &(&a[i] * &b[j]) - &(&a[j] * &b[i]))
}

fn dot(a: &Point, b: &Point) -> Exact {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

/// A plane through three points, from the first of them.
struct Plane {
    normal: Point,
    point: Point,
}

impl Plane {
    fn new([a, b, c]: [&Point; 3]) -> Self {
        Self { normal: cross(&minus(b, a), &minus(c, a)), point: a.clone() }
    }

    fn height(&self, p: &Point) -> Exact {
        dot(&self.normal, &minus(p, &self.point))
    }
}

/// Whether every point except a face's own vertices is more than `near` behind the plane of that face, in `f64`.
fn is_clear(hull: &Hull, points: &[Vec3], near: f64) -> bool {
    hull.faces().all(|face| {
        let own: Vec<Vec3> = face.vertices.iter().map(|&i| hull.solid().vertices()[i].as_vec3()).collect();
        points.iter().all(|p| own.contains(p) || face.plane.signed_distance(p.as_dvec3()) < -near)
    })
}

#[test]
#[ignore = "reads the shared data"]
fn four_thousand_clouds_make_the_hulls_that_qhull_makes() {
    let (clouds, known) = (point_clouds().expect("readable"), known_hulls().expect("readable"));
    assert_eq!((clouds.len(), known.len()), (4000, 4000));
    let (mut flat, mut counted, mut worst) = (0, 0, 0f64);
    for (cloud, (number, &(vertex_count, volume))) in clouds.iter().zip(known.iter().enumerate()) {
        let points: Vec<Vec3> = cloud.iter().map(|&p| p.into()).collect();
        let exact: Vec<Point> = cloud.iter().map(|p| p.map(Exact::new)).collect();
        let hull = match Hull::new(&points) {
            Ok(hull) => hull,
            Err(error) => {
                assert_eq!((error, volume), (Error::Coplanar { field: "points" }, 0.0), "cloud {number}");
                flat += 1;
                continue;
            }
        };
        let vertices: Vec<Point> = hull.vertices().map(|v| v.to_array().map(Exact::new)).collect();
        let faces: Vec<Vec<usize>> = hull.faces().map(|face| face.vertices.to_vec()).collect();
        for face in &faces {
            let plane = Plane::new([0, 1, 2].map(|i| &vertices[face[i]]));
            assert!(exact.iter().all(|p| plane.height(p).sign() != Ordering::Greater), "cloud {number}");
            for (i, vertex) in vertices.iter().enumerate() {
                let is_on = plane.height(vertex).is_zero();
                assert_eq!(is_on, face.contains(&i), "cloud {number}: coplanar faces are one");
            }
            for i in 0..face.len() {
                let corner = Plane::new([0, 1, 2].map(|k| &vertices[face[(i + k) % face.len()]]));
                assert!(dot(&corner.normal, &plane.normal).is_positive(), "cloud {number}");
            }
        }
        let edges = hull.edges().len();
        assert_eq!(vertices.len() + faces.len(), edges + 2, "cloud {number}");
        assert_eq!(faces.iter().map(Vec::len).sum::<usize>(), 2 * edges, "cloud {number}");

        if volume == 0.0 {
            assert!(hull.volume() < 1e-6, "cloud {number}: {}", hull.volume());
            flat += 1;
            continue;
        }
        worst = worst.max((hull.volume() / volume - 1.0).abs());
        if is_clear(&hull, &points, 1e-6) {
            assert_eq!(vertices.len(), vertex_count, "cloud {number}");
            counted += 1;
        }
    }
    println!("{flat} flat, vertices compared of {counted}, volumes differ by up to {worst:e}");
    assert!(flat <= 1 && counted > 1000 && worst <= 1e-6, "{flat} {counted} {worst:e}");
}
