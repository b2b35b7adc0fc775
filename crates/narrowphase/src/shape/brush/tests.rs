use super::*;
use cullide_scenes::{Rng, SEED};
use std::collections::BTreeSet;

/// A plane with integer numbers: `normal · p <= distance`.
type IntegerPlane = ([i64; 3], i64);

fn dot(a: [i64; 3], b: [i64; 3]) -> i128 {
    (0..3).map(|i| i128::from(a[i]) * i128::from(b[i])).sum()
}

fn cross(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// A rational point `numerators / denominator` in lowest terms.
type RationalPoint = ([i64; 3], i64);

/// The common point of three integer planes, exactly, by Cramer's rule.
fn meet(rows: [IntegerPlane; 3]) -> Option<RationalPoint> {
    let [(a, d), (b, e), (c, f)] = rows;
    let determinant = dot(a, cross(b, c)) as i64;
    if determinant == 0 {
        return None;
    }
    let (bc, ca, ab) = (cross(b, c), cross(c, a), cross(a, b));
    let numerators = [0, 1, 2].map(|i| d * bc[i] + e * ca[i] + f * ab[i]);
    let gcd = numerators.iter().fold(determinant.abs(), |mut x, &y| {
        let mut y = y.abs();
        while y != 0 {
            (x, y) = (y, x % y);
        }
        x
    });
    let unit = gcd * determinant.signum();
    Some((numerators.map(|x| x / unit), determinant / unit))
}

#[derive(Debug, PartialEq)]
enum Expected {
    /// Planes that meet only at infinity may meet far away after rounding, and then count as unbounded.
    Empty,
    /// Without an interior, so that rounding decides whether it is empty or extends to infinity within a plane.
    Flat,
    Unbounded,
    /// The vertices, and for each input plane the number of vertices on it if it has a face.
    Solid(BTreeSet<RationalPoint>, Vec<Option<usize>>),
}

/// Every triple's corner against every plane, in exact integers.
fn enumerate(planes: &[IntegerPlane]) -> Expected {
    // Sides far beyond any corner of planes with such small numbers identify what is unbounded.
    const FAR: i64 = 1 << 20;
    let mut rows = planes.to_vec();
    for axis in 0..3 {
        let mut normal = [0; 3];
        normal[axis] = 1;
        rows.push((normal, FAR));
        normal[axis] = -1;
        rows.push((normal, FAR));
    }
    let mut vertices = BTreeSet::new();
    for i in 0..rows.len() {
        for j in 0..i {
            for k in 0..j {
                let Some((v, w)) = meet([rows[i], rows[j], rows[k]]) else { continue };
                if rows.iter().all(|(n, d)| dot(*n, v) <= i128::from(*d) * i128::from(w)) {
                    vertices.insert((v, w));
                }
            }
        }
    }
    let on = |(n, d): IntegerPlane, (v, w): RationalPoint| dot(n, v) == i128::from(d) * i128::from(w);
    if vertices.is_empty() {
        return Expected::Empty;
    }
    if planes.iter().any(|&row| vertices.iter().all(|&v| on(row, v))) {
        return Expected::Flat;
    }
    if rows[planes.len()..].iter().any(|&row| vertices.iter().any(|&v| on(row, v))) {
        return Expected::Unbounded;
    }
    let faces = (0..planes.len()).map(|i| {
        let is_same = |(n, d): &IntegerPlane| {
            let (m, e) = planes[i];
            cross(*n, m) == [0; 3] && dot(*n, m) > 0 && (0..3).all(|k| n[k] * e == m[k] * d)
        };
        let is_repeated = planes[..i].iter().any(is_same);
        let corners: Vec<RationalPoint> = vertices.iter().copied().filter(|&v| on(planes[i], v)).collect();
        (corners.len() >= 3 && !is_repeated).then_some(corners.len())
    });
    let faces = faces.collect();
    Expected::Solid(vertices, faces)
}

fn half_spaces(rows: &[IntegerPlane]) -> Vec<(DVec3, f64)> {
    rows.iter().map(|(n, d)| (DVec3::from_array(n.map(|x| x as f64)), *d as f64)).collect()
}

fn check(rows: &[IntegerPlane]) -> Expected {
    let expected = enumerate(rows);
    let brush = Brush::from_half_spaces(&half_spaces(rows));
    match &expected {
        Expected::Empty | Expected::Flat => assert!(brush.is_err(), "{rows:?}"),
        Expected::Unbounded => assert_eq!(brush, Err(Error::Unbounded { field: "half_spaces" }), "{rows:?}"),
        Expected::Solid(vertices, faces) => {
            let brush = brush.unwrap_or_else(|error| panic!("{error} {rows:?}"));
            assert_eq!(brush.vertices().len(), vertices.len(), "{rows:?} {vertices:?} {brush:?}");
            for &(v, w) in vertices {
                let point = DVec3::from_array(v.map(|x| x as f64)) / w as f64;
                let near = |q: &&DVec3| q.distance(point) <= 1e-10 * (1.0 + point.length());
                assert_eq!(brush.vertices().iter().filter(near).count(), 1, "{rows:?} {point}");
                assert!(brush.aabb().contains_point(point.as_vec3()) || w != 1);
            }
            let counts: Vec<usize> = faces.iter().flatten().copied().collect();
            let built: Vec<usize> = brush.faces().map(|face| face.vertices.len()).collect();
            assert_eq!(built, counts, "{rows:?}");
            check_shape(&brush);
        }
    }
    expected
}

/// Checks Euler's formula, that loops turn left, that edges lie between their faces, and that a rebuild changes
/// nothing.
fn check_shape(brush: &Brush) {
    assert_eq!(brush.vertices().len() + brush.faces().len(), brush.edges().len() + 2);
    let faces: Vec<_> = brush.faces().collect();
    for face in &faces {
        let points: Vec<DVec3> = face.vertices.iter().map(|&i| brush.vertices()[i]).collect();
        let area: DVec3 =
            (0..points.len()).map(|i| (points[i] - points[0]).cross(points[(i + 1) % points.len()] - points[0])).sum();
        assert!(area.dot(face.plane.normal) > 0.0);
    }
    for edge in brush.edges() {
        let follows = |face: usize, [from, to]: [usize; 2]| {
            let vertices = faces[face].vertices;
            (0..vertices.len()).any(|i| vertices[i] == from && vertices[(i + 1) % vertices.len()] == to)
        };
        let [from, to] = edge.vertices;
        assert!(follows(edge.faces[0], [from, to]) && follows(edge.faces[1], [to, from]));
    }
    let planes: Vec<_> = brush.planes().iter().map(|p| (p.normal, p.distance)).collect();
    assert_eq!(Brush::from_half_spaces(&planes).as_ref(), Ok(brush));
}

#[test]
fn random_planes_agree_with_an_exact_enumeration() {
    let mut numbers = Rng::with_seed(cullide_scenes::SEED);
    let (mut empty, mut unbounded, mut flat, mut solid) = (0, 0, 0, 0);
    for _ in 0..4000 {
        let count = numbers.usize(4..13);
        let rows: Vec<IntegerPlane> = (0..count)
            .map(|_| {
                let normal = loop {
                    let normal = [0; 3].map(|_: i64| numbers.i64(-3..=3));
                    if normal != [0; 3] {
                        break normal;
                    }
                };
                (normal, numbers.i64(-1..11))
            })
            .collect();
        match check(&rows) {
            Expected::Empty => empty += 1,
            Expected::Unbounded => unbounded += 1,
            Expected::Flat => flat += 1,
            Expected::Solid(..) => solid += 1,
        }
    }
    assert!(empty > 100 && unbounded > 100 && flat > 10 && solid > 500, "{empty} {unbounded} {flat} {solid}");
}

#[test]
fn planes_that_share_a_vertex_or_a_line_make_no_slivers() {
    // Normals with four to twelve planes through one vertex, and far from the origin.
    let mut numbers = Rng::with_seed(cullide_scenes::SEED);
    for offset in [0, 7, 1000] {
        for _ in 0..200 {
            let rows: Vec<IntegerPlane> = (0..14)
                .map(|i| {
                    let normal = match i {
                        0..6 => [0, 1, 2].map(|axis| i64::from(axis == i / 2) * (1 - 2 * (i as i64 % 2))),
                        _ => [0; 3].map(|_: i64| numbers.i64(-2..=2)),
                    };
                    let normal = if normal == [0; 3] { [1, 1, 1] } else { normal };
                    // All bevels pass through a corner of the box [-4, 4]³, which is moved by the offset.
                    let corner = normal.map(|x| if x >= 0 { 4 } else { -4 });
                    let distance = (dot(normal, corner) - i128::from(numbers.i64(0..2))) as i64;
                    (normal, distance + offset * normal.iter().sum::<i64>())
                })
                .collect();
            let Expected::Solid(..) = check(&rows) else { panic!("a bevelled box is solid") };
        }
    }
}

#[test]
fn an_axial_brush_of_integers_is_exact() {
    let rows =
        [([1, 0, 0], 4098), ([-1, 0, 0], -4096), ([0, 1, 0], -3), ([0, -1, 0], 6), ([0, 0, 1], 5), ([0, 0, -1], 0)];
    let brush = Brush::from_half_spaces(&half_spaces(&rows)).unwrap();
    let bounds = Aabb::new(Vec3::new(4096.0, -6.0, 0.0), Vec3::new(4098.0, -3.0, 5.0)).unwrap();
    assert_eq!(brush.aabb(), bounds);
    assert!(brush.vertices().iter().all(|v| v.fract() == DVec3::ZERO));
    assert_eq!((brush.vertices().len(), brush.edges().len(), brush.faces().len()), (8, 12, 6));
    assert_eq!(Brush::try_from(&bounds).unwrap().aabb(), bounds);
}

#[test]
fn hundreds_of_planes_build_a_round_brush() {
    // Tangent planes of a sphere on a spiral: nearly parallel neighbours, three at each vertex.
    let planes: Vec<_> = (0..600)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 600.0;
            let (sin, cos) = (f64::from(i) * 2.399_963_229_728_653).sin_cos();
            let normal = DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z);
            (normal, 2.0 + normal.dot(DVec3::new(2000.0, 300.0, -50.0)))
        })
        .collect();
    let brush = Brush::from_half_spaces(&planes).unwrap();
    assert_eq!((brush.faces().len(), brush.vertices().len()), (600, 1196));
    check_shape(&brush);
}

#[test]
fn a_cylinder_keeps_its_caps_whole() {
    let sides = (0..48).map(|i| {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 48.0).sin_cos();
        (DVec3::new(cos, sin, 0.0), 3.0 + cos * 777.0)
    });
    let planes: Vec<_> = sides.chain([(DVec3::Z, 5.0), (DVec3::NEG_Z, 2.0)]).collect();
    let brush = Brush::from_half_spaces(&planes).unwrap();
    assert_eq!((brush.vertices().len(), brush.edges().len(), brush.faces().len()), (96, 144, 50));
    assert_eq!((brush.aabb().min().z, brush.aabb().max().z), (-2.0, 5.0));
}

#[test]
fn a_plane_within_rounding_of_another_is_dropped() {
    let mut planes = half_spaces(&[
        ([1, 0, 0], 2),
        ([-1, 0, 0], 0),
        ([0, 1, 0], 3),
        ([0, -1, 0], 0),
        ([0, 0, 1], 5),
        ([0, 0, -1], 0),
    ]);
    // The same side twice, tilted by about 1e-13; and a bevel that cuts 1e-12 off an edge.
    planes.push((DVec3::new(1.0, 1e-13, -2e-13), 2.0));
    planes.push((DVec3::new(1.0, 1.0, 0.0), 5.0 - 1e-12));
    let brush = Brush::from_half_spaces(&planes).unwrap();
    assert_eq!((brush.faces().len(), brush.vertices().len()), (6, 8));
    check_shape(&brush);
}

#[test]
fn scale_does_not_matter() {
    let rows = [([3, 1, 2], 7), ([-1, 0, 1], 2), ([0, -2, 1], 3), ([0, 0, -1], 1), ([1, -1, 0], 4)];
    let brush = Brush::from_half_spaces(&half_spaces(&rows)).unwrap();
    for exponent in [-100, 24] {
        let unit = f64::from(exponent).exp2();
        let planes: Vec<_> = half_spaces(&rows).into_iter().map(|(n, d)| (n, d * unit)).collect();
        let scaled = Brush::from_half_spaces(&planes).unwrap();
        let vertices: Vec<DVec3> = brush.vertices().iter().map(|v| v * unit).collect();
        assert_eq!(scaled.vertices(), vertices);
    }
}

#[test]
fn what_bounds_no_solid_is_refused() {
    let square = [([1, 0, 0], 2), ([-1, 0, 0], 0), ([0, 1, 0], 3), ([0, -1, 0], 0)];
    let build = |rows: &[IntegerPlane]| Brush::from_half_spaces(&half_spaces(rows)).unwrap_err();
    let field = "half_spaces";
    assert_eq!(build(&square[..3]), Error::TooFew { field });
    assert_eq!(build(&square), Error::Unbounded { field });
    let flat = [&square[..], &[([0, 0, 1], 5), ([0, 0, -1], -5)]].concat();
    assert_eq!(build(&flat), Error::Empty { field });
    let inside_out = [&square[..], &[([0, 0, 1], 0), ([0, 0, -1], -5)]].concat();
    assert_eq!(build(&inside_out), Error::Empty { field });
    let cone = [([1, 0, -1], 0), ([-1, 0, -1], 0), ([0, 1, -1], 0), ([0, -1, -1], 0)];
    assert_eq!(build(&cone), Error::Unbounded { field });
    // Thinner than `f64` resolves at that distance from the origin.
    let mut thin = half_spaces(&flat);
    thin[4].1 += 1e-12;
    assert_eq!(Brush::from_half_spaces(&thin).unwrap_err(), Error::Empty { field });
    // A prism whose sides are parallel up to rounding.
    let mut prism = half_spaces(&square);
    prism.iter_mut().for_each(|plane| plane.0.z = 1e-16);
    assert_eq!(Brush::from_half_spaces(&prism).unwrap_err(), Error::Unbounded { field });
}

#[test]
fn bad_numbers_are_named() {
    let bad = |normal, distance| Brush::from_half_spaces(&[(normal, distance); 4]).unwrap_err();
    assert_eq!(bad(DVec3::NAN, 1.0), Error::NonFinite { field: "normal" });
    assert_eq!(bad(DVec3::ZERO, 1.0), Error::ZeroNormal { field: "normal" });
    assert_eq!(bad(DVec3::X * 1e30, 1.0), Error::OutOfRange { field: "normal" });
    assert_eq!(bad(DVec3::X, f64::INFINITY), Error::NonFinite { field: "distance" });
    assert_eq!(bad(DVec3::X, 1e39), Error::OutOfRange { field: "distance" });
    let triple = |points| Brush::from_point_triples(&[points; 4]).unwrap_err();
    assert_eq!(triple([DVec3::ZERO, DVec3::ONE, DVec3::NAN]), Error::NonFinite { field: "triples" });
    assert_eq!(triple([DVec3::ZERO, DVec3::ONE, 2.0 * DVec3::ONE]), Error::ZeroNormal { field: "triples" });
    assert_eq!(triple([DVec3::ZERO, DVec3::ONE, DVec3::X * 1e39]), Error::OutOfRange { field: "triples" });
}

#[test]
fn the_bounds_contain_a_turned_brush() {
    let turned = Obb::new(Vec3::new(900.0, -40.0, 7.0), glam::Quat::from_rotation_z(0.3), Vec3::new(2.0, 3.0, 5.0));
    let turned = turned.unwrap();
    let brush = Brush::try_from(&turned).unwrap();
    assert!(brush.vertices().iter().all(|v| {
        let (low, high) = (brush.aabb().min().as_dvec3(), brush.aabb().max().as_dvec3());
        v.cmpge(low).all() && v.cmple(high).all()
    }));
    assert_eq!(brush.vertices().len(), 8);
    assert!(brush.contains_point(turned.center()) && !brush.contains_point(Vec3::NAN));
}

#[cfg(feature = "serde")]
#[test]
fn only_planes_are_stored_and_they_are_checked_on_load() {
    let rows = [([3, 1, 2], 7), ([-1, 0, 1], 2), ([0, -2, 1], 3), ([0, 0, -1], 1), ([1, -1, 0], 4)];
    let brush = Brush::from_half_spaces(&half_spaces(&rows)).unwrap();
    assert_eq!(Brush::try_from(raw::Raw::from(brush.clone())), Ok(brush));
}

#[test]
fn a_brush_is_the_same_again_when_it_is_built_of_its_own_planes() {
    // Planes that nearly coincide or nearly meet in a point, at distances around the merging threshold: some are
    // dropped after they have decided how corners are merged.
    let mut rng = Rng::with_seed(SEED);
    let mut count = 0;
    for case in 0..20_000 {
        let planes: Vec<(DVec3, f64)> = (0..rng.usize(6..20))
            .map(|_| {
                let normal = DVec3::from_array([(); 3].map(|()| f64::from(rng.i32(-2..3))));
                let normal = if normal == DVec3::ZERO { DVec3::X } else { normal };
                let distance = f64::from(rng.i32(1..4)) * normal.length() * if rng.bool() { 1.0 } else { 0.7 };
                let off = 10f64.powi(rng.i32(-17..-8));
                let mut nudge = || (rng.f64() - 0.5) * off;
                (normal + DVec3::new(nudge(), nudge(), nudge()), distance + nudge())
            })
            .collect();
        let Ok(brush) = Brush::from_half_spaces(&planes) else { continue };
        count += 1;
        let own: Vec<(DVec3, f64)> = brush.planes().iter().map(|plane| (plane.normal, plane.distance)).collect();
        assert_eq!(Brush::from_half_spaces(&own), Ok(brush), "case {case} of seed {SEED:#x}");
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn a_plane_that_leans_by_less_than_rounding_is_no_axial_one() {
    // Of unit length, with one component equal to one: over 2^29 units it falls by 2^29 · 2^-29.
    let lean = (-29f64).exp2();
    let floor = DVec3::new(0.0, lean, -1.0);
    let far = 29f64.exp2();
    let sides = [(DVec3::X, 1.0), (DVec3::NEG_X, 1.0), (DVec3::Y, far), (DVec3::NEG_Y, far), (DVec3::Z, 5.0)];
    let brush = Brush::from_half_spaces(&[&sides[..], &[(floor, 2.0)]].concat()).unwrap();
    assert!(!brush.is_axial());
    // z >= lean · y - 2: at the near end it extends to -3.
    assert!(brush.aabb().min().z <= -3.0, "{:?}", brush.aabb());
    assert!(brush.contains_point(Vec3::new(0.0, -far as f32, -3.0)));
}

#[cfg(feature = "serde")]
#[test]
fn of_a_hull_the_points_are_stored() {
    let points = [(0.1, 0.7, 1e-9), (3.3, -0.2, 0.5), (1e4, 7.7, -3.1), (-0.3, 1e-3, 12.9), (5.0, 1e3, 2.5)];
    let brush = Brush::from(crate::Hull::new(&points.map(Vec3::from)).unwrap());
    let raw = raw::Raw::from(brush.clone());
    assert!(matches!(&raw, raw::Raw::Points(stored) if stored.len() == 5));
    assert_eq!(Brush::try_from(raw), Ok(brush));
    assert_eq!(Brush::try_from(raw::Raw::Points(vec![Vec3::X; 5])), Err(Error::Coincident { field: "points" }));
}
