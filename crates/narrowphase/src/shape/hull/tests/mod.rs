//! Hulls checked with integers, for all kinds of points.

mod queries;

use super::*;
use crate::exact::ROUNDING;
use cullide_scenes::{Rng, SEED};
use glam::DVec3;

const FIELD: &str = "points";

type Point = [i128; 3];

/// `(b - a) × (c - a) · (p - a)`, for coordinates below 2^40.
fn height([a, b, c]: [Point; 3], p: Point) -> i128 {
    let minus = |q: Point| [0, 1, 2].map(|i| q[i] - a[i]);
    let [u, v, w] = [minus(b), minus(c), minus(p)];
    (0..3).map(|i| (u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]) * w[i]).sum()
}

/// Builds a hull, and checks it in integers: relative to the first point, `points` are multiples of `unit`, a power of
/// two. Of many faces and points, some are checked.
fn check(points: &[Vec3], unit: f32) -> Hull {
    let whole = |v: DVec3| -> Point {
        (v - points[0].as_dvec3()).to_array().map(|x| {
            let scaled = x / f64::from(unit);
            assert!(scaled.fract() == 0.0 && scaled.abs() < 40f64.exp2(), "{x}");
            scaled as i128
        })
    };
    let hull = Hull::new(points).unwrap_or_else(|error| panic!("{error}: {points:?}"));
    let vertices: Vec<Point> = hull.vertices().map(|v| whole(v.as_dvec3())).collect();
    assert!(vertices.is_sorted_by(|a, b| a < b));
    assert_eq!(hull.dropped(), points.len() - vertices.len());
    let mut wholes: Vec<Point> = points.iter().map(|p| whole(p.as_dvec3())).collect();
    wholes.sort_unstable();
    assert!(vertices.iter().all(|v| wholes.binary_search(v).is_ok()));

    let step = 1 + hull.faces().len() * wholes.len() / 2_000_000;
    let faces: Vec<Vec<usize>> = hull.faces().map(|face| face.vertices.to_vec()).collect();
    assert!(faces.is_sorted_by(|a, b| a < b));
    for face in faces.iter().step_by(step) {
        let plane = [face[0], face[1], face[2]].map(|i| vertices[i]);
        assert_eq!(face.iter().min(), face.first());
        assert!(wholes.iter().all(|&p| height(plane, p) <= 0), "{face:?} {points:?}");
        for (i, &vertex) in vertices.iter().enumerate() {
            assert_eq!(height(plane, vertex) == 0, face.contains(&i), "{i} {face:?} {points:?}");
        }
        // Corners turn left about the normal, whose tip is used as a fourth point here.
        let [a, b, c] = plane;
        let (u, v) = ([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i]));
        let normal = [0, 1, 2].map(|i| u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
        let axis = (0..3).max_by_key(|&i| normal[i].abs()).unwrap();
        for i in 0..face.len() {
            let corner = [0, 1, 2].map(|k| vertices[face[(i + k) % face.len()]]);
            let mut above = corner[0];
            above[axis] += normal[axis].signum();
            assert!(height(corner, above) > 0, "{face:?} {points:?}");
        }
    }
    assert_eq!(vertices.len() + faces.len(), hull.edges().len() + 2);
    assert_eq!(faces.iter().map(Vec::len).sum::<usize>(), 2 * hull.edges().len());
    for edge in hull.edges().iter().step_by(step) {
        let follows = |face: usize, [from, to]: [usize; 2]| {
            let face = &faces[face];
            (0..face.len()).any(|i| face[i] == from && face[(i + 1) % face.len()] == to)
        };
        let [from, to] = edge.vertices;
        assert!(from < to && follows(edge.faces[0], [from, to]) && follows(edge.faces[1], [to, from]));
    }
    for face in hull.faces().step_by(step) {
        let plane = face.plane;
        assert!((plane.normal.length() - 1.0).abs() <= 4.0 * ROUNDING);
        let reach = |v: &DVec3| plane.signed_distance(*v);
        assert!(hull.solid().vertices().iter().all(|v| reach(v) <= hull.solid().plane_error()), "{plane:?}");
    }
    let own: Vec<Vec3> = hull.vertices().collect();
    let again = Hull::new(&own).unwrap();
    assert!(again == hull && again.dropped() == 0);
    hull
}

fn shuffled(points: &[Vec3], rng: &mut Rng) -> Vec<Vec3> {
    let mut points = points.to_vec();
    rng.shuffle(&mut points);
    points
}

fn grid(n: [i32; 3]) -> Vec<Vec3> {
    let places = |i: usize| (0..n[i]).map(|x| x as f32).collect::<Vec<_>>();
    let (xs, ys, zs) = (places(0), places(1), places(2));
    xs.iter()
        .flat_map(|&x| ys.iter().map(move |&y| (x, y)))
        .flat_map(|(x, y)| zs.iter().map(move |&z| Vec3::new(x, y, z)))
        .collect()
}

/// Uniform in the cube from -1 to 1, in multiples of 2^-22.
fn in_cube(rng: &mut Rng) -> Vec3 {
    Vec3::from([(); 3].map(|()| ((rng.f64() * 2.0 - 1.0) * 22f64.exp2()).round() as f32 * (-22f32).exp2()))
}

#[test]
fn a_box_of_points_on_its_faces_and_edges_has_six_faces() {
    let mut rng = Rng::with_seed(SEED);
    let hull = check(&shuffled(&grid([3, 4, 6]), &mut rng), 1.0);
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (8, 12, 6));
    assert_eq!((hull.volume(), hull.dropped()), (30.0, 64));
    assert_eq!(hull.aabb(), Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap());
    assert!(hull.solid().is_axial() && hull.solid().plane_error() == 0.0);
    let mut own = Brush::try_from(&hull.aabb()).unwrap().planes().to_vec();
    let mut planes = hull.solid().planes().to_vec();
    let key = |plane: &crate::BrushPlane| plane.normal.to_array().map(|x| x as i32);
    own.sort_by_key(key);
    planes.sort_by_key(key);
    assert_eq!(planes, own);
}

#[test]
fn what_spans_no_solid_is_said() {
    let new = |points: &[Vec3]| Hull::new(points).unwrap_err();
    let mut rng = Rng::with_seed(SEED);
    assert_eq!(new(&[]), Error::TooFew { field: FIELD });
    assert_eq!(new(&[Vec3::ZERO, Vec3::X, Vec3::Y]), Error::TooFew { field: FIELD });
    assert_eq!(new(&[Vec3::new(0.1, 0.2, 0.3); 9]), Error::Coincident { field: FIELD });
    assert_eq!(new(&[Vec3::ZERO, -Vec3::ZERO, Vec3::ZERO, -Vec3::ZERO]), Error::Coincident { field: FIELD });
    let along = Vec3::new(0.1, 0.7, -0.3);
    // Multiples by powers of two, and exact sums.
    let line: Vec<Vec3> = [1.0, 2.0, 4.0, 8.0, 0.5, 0.0, -16.0, 2.0].map(|x| x * along).to_vec();
    assert_eq!(new(&line), Error::Collinear { field: FIELD });
    let flat: Vec<Vec3> = (0..1000)
        .map(|_| {
            let [x, y] = [(); 2].map(|()| f32::from(rng.i16(..)));
            Vec3::new(x, y, 3.0 * x - 5.0 * y + 7.0)
        })
        .collect();
    assert_eq!(new(&flat), Error::Coplanar { field: FIELD });
    let mut bent = flat.clone();
    bent[500].z = bent[500].z.next_up();
    assert!(Hull::new(&bent).is_ok());
    let mut bent = line.clone();
    bent[3].y = bent[3].y.next_up();
    assert_eq!(new(&bent), Error::Coplanar { field: FIELD });
    for (bad, error) in [
        (f32::NAN, Error::NonFinite { field: FIELD }),
        (f32::INFINITY, Error::NonFinite { field: FIELD }),
        (1.1e9, Error::OutOfRange { field: FIELD }),
    ] {
        for axis in 0..3 {
            let mut points = grid([2, 2, 2]);
            points[5][axis] = bad;
            assert_eq!(new(&points), error);
        }
    }
}

#[test]
fn the_order_of_points_and_repeated_ones_do_not_matter() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..300 {
        let size = [2, 3, 9, 1000][case % 4];
        let mut points: Vec<Vec3> =
            (0..rng.usize(8..60)).map(|_| Vec3::from([(); 3].map(|()| rng.i32(-size..=size) as f32))).collect();
        points.extend_from_within(..points.len() / 2);
        let Ok(hull) = Hull::new(&points) else { continue };
        for _ in 0..4 {
            assert_eq!(Hull::new(&shuffled(&points, &mut rng)).as_ref(), Ok(&hull));
        }
        assert_eq!(Hull::new(&points.iter().map(|p| *p - Vec3::ZERO).collect::<Vec<_>>()).as_ref(), Ok(&hull));
    }
}

#[test]
fn integer_points_of_all_degeneracies_make_exact_hulls() {
    let mut rng = Rng::with_seed(SEED);
    let (mut solid, mut flat) = (0, 0);
    for case in 0..6000 {
        let size = [1, 2, 3, 5, 20, 1 << 20][case % 6];
        let sizes = [(); 3].map(|()| if rng.u8(0..4) == 0 { rng.i32(0..=1) } else { size });
        let points: Vec<Vec3> =
            (0..rng.usize(4..80)).map(|_| Vec3::from(sizes.map(|size| rng.i32(-size..=size) as f32))).collect();
        if Hull::new(&points).is_ok() {
            check(&points, 1.0);
            solid += 1;
        } else {
            // All points are in the plane of any three that are not collinear.
            let whole: Vec<Point> = points.iter().map(|p| p.to_array().map(|x| x as i128)).collect();
            for _ in 0..20 {
                let plane = [(); 3].map(|()| whole[rng.usize(..whole.len())]);
                assert!(whole.iter().all(|&p| height(plane, p) == 0), "{points:?}");
            }
            flat += 1;
        }
    }
    assert!(solid > 4000 && flat > 300, "{solid} {flat}");
}

#[test]
fn clouds_that_are_flat_but_for_single_steps_of_f32() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..200 {
        // A grid in a tilted plane, each coordinate off by one step or none.
        let [u, v] = [Vec3::new(1.0, 0.25, 0.5), Vec3::new(-0.125, 1.0, 0.75)];
        let points: Vec<Vec3> = (0..12 * 12)
            .map(|i| {
                let p = Vec3::splat(16.0) + u * (i % 12) as f32 * 0.0625 + v * (i / 12) as f32 * 0.0625;
                Vec3::from(p.to_array().map(|x| match rng.u8(0..6 + (case % 3) as u8 * 20) {
                    0 => x.next_up(),
                    1 => x.next_down(),
                    _ => x,
                }))
            })
            .collect();
        check(&points, (-23f32).exp2());
    }
}

#[test]
fn a_sphere_of_ten_thousand_points_keeps_them_all() {
    let mut rng = Rng::with_seed(SEED);
    let points: Vec<Vec3> = (0..10_000)
        .map(|_| {
            let p = loop {
                let p = in_cube(&mut rng).as_dvec3();
                if (0.01..1.0).contains(&p.length_squared()) {
                    break p / p.length();
                }
            };
            (p * 22f64.exp2()).round().as_vec3() * (-22f32).exp2()
        })
        .collect();
    let hull = check(&points, (-22f32).exp2());
    assert!(hull.vertices().len() > 9900, "{}", hull.vertices().len());
    assert!((hull.volume() - 4.0 / 3.0 * std::f64::consts::PI).abs() < 0.01, "{}", hull.volume());
}

#[test]
fn discs_cones_and_cylinders_with_rims_of_many_points() {
    let rim = |z: f32, radius: f64| {
        (0..3000).map(move |i| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 3000.0).sin_cos();
            let round = |x: f64| (x * radius * 20f64.exp2()).round() as f32 * (-20f32).exp2();
            Vec3::new(round(cos), round(sin), z)
        })
    };
    let mut rng = Rng::with_seed(SEED);
    let unit = (-20f32).exp2();
    let cone: Vec<Vec3> = rim(0.0, 1.0).chain([Vec3::Z * 2.0]).collect();
    assert_eq!(check(&cone, unit).faces().map(|face| face.vertices.len()).max(), Some(cone.len() - 1));
    let cylinder: Vec<Vec3> = rim(-1.0, 1.0).chain(rim(1.0, 1.0)).collect();
    let hull = check(&shuffled(&cylinder, &mut rng), unit);
    assert_eq!((hull.vertices().len(), hull.faces().len()), (6000, 3002));
    // A lens whose lower points come late, and each of which sees the whole rim.
    let low = (0..3000).map(|_| Vec3::new(in_cube(&mut rng).x * 0.01, 0.0, -unit * f32::from(rng.u8(1..9))));
    let low: Vec<Vec3> = low.map(|p| (p / unit).round() * unit).collect();
    check(&rim(0.0, 1.0).chain([Vec3::Z]).chain(low).collect::<Vec<_>>(), unit);
}

#[test]
fn far_from_the_origin_and_tiny() {
    let mut rng = Rng::with_seed(SEED);
    for (center, size, unit) in [
        (Vec3::new(1e6, -1e6, 5e5), 4.0, (-5f32).exp2()),
        (Vec3::new(1e6, 0.0, 0.0), 0.5, (-30f32).exp2()),
        (Vec3::ZERO, (-20f32).exp2(), (-44f32).exp2()),
        (Vec3::ZERO, (-140f32).exp2(), (-149f32).exp2()),
        (Vec3::ZERO, 30f32.exp2(), 5f32.exp2()),
    ] {
        for _ in 0..40 {
            let points: Vec<Vec3> = (0..200)
                .map(|_| {
                    let p = (center + in_cube(&mut rng) * size).to_array();
                    Vec3::from(p.map(|x| ((f64::from(x) / f64::from(unit)).round() * f64::from(unit)) as f32))
                })
                .collect();
            let hull = check(&points, unit);
            assert!(hull.volume() > 0.0 && hull.vertices().len() > 8);
        }
    }
}

#[test]
#[ignore = "takes long"]
fn a_million_points_take_a_second_or_two() {
    let mut rng = Rng::with_seed(SEED);
    let mut ball = || loop {
        let p = in_cube(&mut rng);
        if p.length_squared() < 1.0 {
            return p;
        }
    };
    let points: Vec<Vec3> = (0..1_000_000).map(|_| ball()).collect();
    let on_sphere: Vec<Vec3> = points.iter().map(|p| p.normalize()).collect();
    // A disc, with half a million points below it that see its rim late, because they are so close.
    let rim = points.iter().map(|p| Vec3::new(p.x, p.y, 0.0).normalize_or(Vec3::X));
    let low = points.iter().map(|p| Vec3::new(0.01 * p.x, 0.01 * p.y, -1e-12 * p.z.abs()));
    let lens: Vec<Vec3> = rim.take(500_000).chain(low.take(500_000)).chain([Vec3::Z]).collect();
    for (name, points) in [("ball", &points), ("sphere", &on_sphere), ("grid", &grid([100, 100, 100])), ("lens", &lens)]
    {
        let start = std::time::Instant::now();
        let hull = Hull::new(points).unwrap();
        let time = start.elapsed();
        println!("{name}: {} vertices, {} faces, {time:?}", hull.vertices().len(), hull.faces().len());
        assert_eq!(hull.vertices().len() + hull.faces().len(), hull.edges().len() + 2);
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_hull_is_stored_as_its_points_and_checked_on_load() {
    let hull = Hull::new(&grid([3, 4, 6])).unwrap();
    assert_eq!(Hull::try_from(Vec::from(hull.clone())), Ok(hull.clone()));
    assert_eq!(Hull::try_from(vec![Vec3::ZERO; 4]), Err(Error::Coincident { field: FIELD }));
}
