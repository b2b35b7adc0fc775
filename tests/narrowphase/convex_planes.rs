//! Sweeps of hulls to planes against exact rationals; many start or end in touch.

use crate::convex_facets::Solid;
use cullide_narrowphase::{
    ConvexSweep, Plane, Sides,
    glam::{DVec3, Vec3},
};
use cullide_oracle::{Exact, Ratio};
use cullide_scenes::{Rng, SEED};

/// A product of vectors of `f32`, exact.
fn dot(a: DVec3, b: Vec3) -> Exact {
    (0..3).fold(Exact::ZERO, |sum, i| sum + Exact::new(a[i]) * Exact::new(b[i]))
}

#[test]
fn hulls_have_the_exact_verdict_at_planes() {
    let mut rng = Rng::with_seed(SEED);
    let mut counts = [0; 4];
    for case in 0..4000 {
        let axis = [Vec3::X, Vec3::NEG_Y, Vec3::Z][rng.usize(..3)];
        let mut point = |size: i32| Vec3::from([(); 3].map(|()| rng.i32(-size..=size) as f32));
        let (points, motion) = ([(); 8].map(|()| point(20)), point(30));
        let normal = if case % 2 == 0 { axis } else { point(5) };
        let Some(solid) = Solid::hull(&points) else { continue };
        // Through a corner at the start or at the end, or anywhere.
        let at = [points[0], points[0] + motion, point(60)][case / 2 % 3];
        let Ok(plane) = Plane::from_point_normal(at, normal) else { continue };
        let low = |side: f32| {
            let n = plane.normal() * side;
            let heights = solid.vertices.iter().map(|v| dot(*v, n) + Exact::new(side * plane.d()));
            heights.min().expect("a hull has corners")
        };
        let [front, back] = [low(1.0), low(-1.0)];
        let (side, height) = if front.is_negative() { (-1.0, back) } else { (1.0, front) };
        let found = solid.core.sweep_plane(motion, &plane, Sides::Both, 1.0).unwrap();
        if height.is_negative() {
            assert_eq!(found, ConvexSweep::Overlap, "case {case}");
            counts[0] += 1;
            continue;
        }
        let in_front = solid.core.sweep_plane(motion, &plane, Sides::Front, 1.0).unwrap();
        assert_eq!(in_front, if side > 0.0 { found } else { ConvexSweep::Clear }, "case {case}");
        let fall = dot(motion.as_dvec3(), plane.normal() * -side);
        if !fall.is_positive() || height >= fall {
            assert_eq!(found, ConvexSweep::Clear, "case {case}");
            counts[if fall.is_positive() && height == fall { 3 } else { 1 }] += 1;
            continue;
        }
        let ConvexSweep::Hit(hit) = found else { panic!("case {case}: {found:?}") };
        let time = Ratio::new(height, fall);
        assert!(Ratio::from(Exact::new(hit.time)) <= time, "late, case {case}: {hit:?} {time:?}");
        assert!(time.to_f64() - hit.time < 1e-12 && hit.gap < 1e-12, "case {case}: {hit:?} {time:?}");
        assert!(hit.normal.dot((plane.normal() * side).as_dvec3()) > 0.99, "case {case}: {hit:?}");
        counts[2] += 1;
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}
