//! Points, segments, flat boxes, coplanar triangles, identical shapes, and coordinates at both ends of the range.

use cullide_narrowphase::{
    Aabb, Capsule, Convex, ConvexCore, ConvexSweep, Error, MAX_COORDINATE, Obb, Patch, Sphere, Triangle, Turn,
    glam::{DVec3, Vec3},
};

fn core<'a>(shape: impl Into<Convex<'a>>) -> ConvexCore {
    shape.into().core()
}

/// Shapes of all dimensions around the origin, scaled.
fn shapes(scale: f32) -> Vec<ConvexCore> {
    let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z) * scale;
    let flat = |size: Vec3| core(Aabb::from_center_half_extents(Vec3::ZERO, size * scale).unwrap());
    let corners = [at(-1.0, -1.0, 0.0), at(1.0, -1.0, 0.0), at(1.0, 1.0, 0.0), at(-1.0, 1.0, 0.0)];
    let obb = Obb::from_half_edges(Vec3::ZERO, [at(1.0, 0.5, 0.0), at(1.0, 0.5, 0.0), at(0.0, 0.0, 1.0)]).unwrap();
    let mut shapes = vec![
        ConvexCore::cone(Vec3::ZERO, at(0.0, 1.0, 0.0), scale, 0.0).unwrap(),
        ConvexCore::cone(Vec3::ZERO, at(0.0, 0.0, 0.0), scale, scale).unwrap(),
        flat(Vec3::ZERO),
        flat(Vec3::X),
        flat(Vec3::new(1.0, 1.0, 0.0)),
        flat(Vec3::ONE),
        core(Sphere::new(Vec3::ZERO, 0.0).unwrap()),
        core(Sphere::new(Vec3::ZERO, scale).unwrap()),
        core(Capsule::new(at(0.0, -1.0, 0.0), at(0.0, 1.0, 0.0), 0.0).unwrap()),
        core(Capsule::new(at(0.0, -1.0, 0.0), at(0.0, 1.0, 0.0), 0.5 * scale).unwrap()),
        core(obb),
    ];
    shapes.extend(Triangle::new(corners[0], corners[1], corners[2]).ok().map(core));
    if let Ok(patch) = Patch::new(&corners) {
        shapes.push(core(&patch));
    }
    shapes
}

/// How many of them are cones, which come first.
const CONES: usize = 2;

fn offsets(scale: f32) -> impl Iterator<Item = Vec3> {
    (0..27).map(move |i| Vec3::new((i % 3 - 1) as f32, (i / 3 % 3 - 1) as f32, (i / 9 - 1) as f32) * scale)
}

/// A sound answer: finite, of one mind with the same question from the other side, and with the overlap.
fn check(a: &ConvexCore, b: &ConvexCore, motion: Vec3, tolerance: f64) {
    let (there, back) = (a.distance(b), b.distance(a));
    for found in [there, back] {
        assert!(found.bounds[0] <= found.bounds[1] && found.bounds[0].is_finite(), "{found:?} {a:?} {b:?}");
        assert!((found.normal.length() - 1.0).abs() < 1e-12, "{found:?} {a:?} {b:?}");
        let way = found.points[0] - found.points[1] - found.normal * found.separation;
        assert!(way.length() <= tolerance, "{found:?} {way} {a:?} {b:?}");
    }
    assert!((there.separation - back.separation).abs() <= tolerance, "{there:?} {back:?} {a:?} {b:?}");
    let overlaps = a.overlaps(b);
    assert_eq!(overlaps, b.overlaps(a), "{a:?} {b:?}");
    assert!(overlaps || there.bounds[1] > -tolerance, "{there:?} {a:?} {b:?}");
    assert!(!overlaps || there.bounds[0] <= tolerance, "{there:?} {a:?} {b:?}");
    assert!(overlaps || !a.penetrates(b), "{a:?} {b:?}");
    match a.sweep(motion, b, 1.0).unwrap() {
        ConvexSweep::Clear => {}
        ConvexSweep::Overlap => assert!(there.bounds[0] <= tolerance, "{there:?} {a:?} {b:?}"),
        ConvexSweep::Hit(hit) => {
            assert!((0.0..1.0).contains(&hit.time) && hit.toi < 1.0 && hit.gap <= tolerance, "{hit:?} {a:?} {b:?}");
            assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{hit:?} {a:?} {b:?}");
            assert!(hit.points[0].distance(hit.points[1]) <= tolerance, "{hit:?} {a:?} {b:?}");
        }
    }
}

#[test]
fn shapes_without_size_have_answers_at_every_scale() {
    // The least number is subnormal.
    for scale in [1.0, 1e-3, 1e6, 0.125 * MAX_COORDINATE, 1e-30, 1e-40, f32::from_bits(8)] {
        let shapes = shapes(scale);
        for (i, a) in shapes.iter().enumerate() {
            for (j, b) in shapes.iter().enumerate() {
                // Curved ones are approached, and in depth only so far.
                let tolerance = if i.min(j) < CONES { 1e-2 } else { 1e-12 };
                for (i, offset) in offsets(2.0 * scale).enumerate() {
                    let moved = a.translated(offset).unwrap();
                    let motion = [-offset, Vec3::X * scale, -2.0 * offset + Vec3::Y * scale][i % 3];
                    check(&moved, b, motion, tolerance * f64::from(scale));
                }
            }
        }
    }
}

#[test]
fn flat_shapes_are_met_head_on_and_brushed_past() {
    let tile = |z: f32| {
        let [a, b, c] = [Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, -1.0, z), Vec3::new(0.0, 1.0, z)];
        core(Triangle::new(a, b, c).unwrap())
    };
    // Onto a parallel one.
    for (z, time) in [(1.0, 0.5), (0.1, 0.05), (1e-6, 5e-7)] {
        let ConvexSweep::Hit(hit) = tile(z).sweep(Vec3::Z * -2.0, &tile(0.0), 1.0).unwrap() else { panic!("{z}") };
        assert!((hit.time - time).abs() < 1e-7 && hit.normal == DVec3::Z, "{z} {hit:?}");
    }
    // In its plane and out of it to both sides, past it, and one that arrives at the very end.
    let (up, along) = (Vec3::Z, Vec3::X);
    for (z, motion) in [(0.0, up), (0.0, -up), (0.0, along), (0.0, up + along), (1.0, up), (2.0, -2.0 * up)] {
        assert_eq!(tile(z).sweep(motion, &tile(0.0), 1.0), Ok(ConvexSweep::Clear), "{z} {motion}");
    }
    // A point onto a triangle, and past its edge.
    let point = |x: f32| core(Sphere::new(Vec3::new(x, 0.0, 3.0), 0.0).unwrap());
    assert!(matches!(point(0.1).sweep(Vec3::Z * -4.0, &tile(0.0), 1.0).unwrap(), ConvexSweep::Hit(_)));
    assert_eq!(point(0.5).sweep(Vec3::Z * -4.0, &tile(0.0), 1.0).unwrap(), ConvexSweep::Clear);
}

#[test]
fn numbers_that_are_none_are_errors() {
    let a = core(Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap());
    let non_finite = |field| Err(Error::NonFinite { field });
    assert_eq!(a.sweep(Vec3::NAN, &a, 1.0), Err(Error::NonFinite { field: "motion" }));
    assert_eq!(a.sweep(Vec3::X * f32::INFINITY, &a, 1.0), Err(Error::NonFinite { field: "motion" }));
    assert_eq!(a.sweep(Vec3::X * MAX_COORDINATE * 2.0, &a, 1.0), Err(Error::OutOfRange { field: "motion" }));
    assert_eq!(a.translated(Vec3::NAN).map(drop), non_finite("delta"));
    assert_eq!(a.clone().rounded(f32::NAN).map(drop), non_finite("radius"));
    assert_eq!(a.clone().rounded(-1.0).map(drop), Err(Error::Negative { field: "radius" }));
    assert_eq!(ConvexCore::cone(Vec3::NAN, Vec3::Y, 1.0, 1.0).map(drop), non_finite("center"));
    assert_eq!(Turn::new(Vec3::ZERO, Vec3::NAN, Vec3::ZERO).map(drop), non_finite("motion"));
    // A time that is none is the start, and a step without a motion only tells whether it overlaps.
    let far = a.translated(Vec3::X * 3.0).unwrap();
    assert_eq!(far.sweep(Vec3::X * -4.0, &a, f32::NAN), Ok(ConvexSweep::Clear));
    assert_eq!(far.sweep(Vec3::ZERO, &a, 1.0), Ok(ConvexSweep::Clear));
    assert_eq!(a.sweep(Vec3::ZERO, &a, 1.0), Ok(ConvexSweep::Overlap));
}
