use super::*;
use crate::{Capsule, Obb, Sphere, Sweep, Triangle};
use cullide_scenes::{Rng, SEED};
use glam::Quat;

/// Whether a sweep hits a triangle no later than `until`.
fn is_met(found: Sweep, until: f32) -> bool {
    match found {
        Sweep::Clear => false,
        Sweep::Hit(hit) => hit.toi <= until,
        Sweep::Overlap(_) => true,
    }
}

impl Touches {
    /// Whether the filter allows a triangle to be hit as `found`.
    fn allows(&self, i: usize, found: Sweep, until: f32) -> bool {
        let time = match found {
            Sweep::Overlap(overlap) => -overlap.depth,
            _ => found.hit().map_or(0.0, |hit| hit.toi.next_up()),
        };
        !is_met(found, until) || self.lanes >> i & 1 == 1 && self.at_least[i] <= time
    }
}

#[test]
fn what_is_touched_is_never_left_out_and_most_else_is() {
    let mut rng = Rng::with_seed(SEED ^ 71);
    let (mut left_out, mut missed, mut overlaps, mut told_deep) = ([0; 3], [0; 3], [0; 3], [0; 3]);
    for case in 0..6_000 {
        let (far, scale) = match case % 7 {
            0 => (Vec3::new(1000.0, -1000.0, 30.0), 1.0),
            1 => (Vec3::ZERO, 1e-12),
            2 => (Vec3::ZERO, 1e7),
            _ => (Vec3::ZERO, 1.0),
        };
        let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
        let mut vector = |size: f32| scale * round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
        let corners: Vec<[Vec3; 3]> = (0..1 + case % 18).map(|_| [(); 3].map(|()| far + vector(3.0))).collect();
        let (center, mut motion, mut edges) = (far + vector(5.0), vector(8.0), [(); 3].map(|()| vector(1.5)));
        if case % 11 < 3 {
            // Nearly along an edge.
            let side = corners[0][1] - corners[0][0];
            let lean = [1e-3, 1e-5, 1e-7][case % 11] * vector(1.0);
            (motion, edges[0]) = if case % 2 == 0 { (2.0 * side + lean, edges[0]) } else { (motion, side + lean) };
        }
        let ball = SphereSweep::new(Sphere::new(center, 0.75 * scale).unwrap(), motion).unwrap();
        let rod = Capsule::from_half_axis(center, edges[0], 0.5 * scale).unwrap();
        let capsule = CapsuleSweep::new(rod, motion).unwrap();
        let turn = Quat::from_scaled_axis(edges[0] / scale);
        let body = if case % 3 == 0 {
            Obb::from_half_edges(center, edges).unwrap()
        } else {
            Obb::new(center, turn, edges[1].abs()).unwrap()
        };
        let obb = BoxSweep::new(body, motion).unwrap();
        let columns = TriangleColumns::new(corners.iter().copied());
        for until in [-1e-9, 0.0, 0.3, 1.0] {
            let touches = [BodyWay::from(&ball), BodyWay::from(&capsule), BodyWay::from(&obb)]
                .map(|way| way.touches(&columns, until));
            let around = BodyWay::around(&body.aabb(), motion).touches(&columns, until);
            for (i, &[a, b, c]) in corners.iter().enumerate().take(TriangleColumns::MAX) {
                let Ok(triangle) = Triangle::new(a, b, c) else { continue };
                let found = [ball.against(triangle), capsule.against(triangle), obb.against(triangle)];
                assert!(around.allows(i, found[2], until), "{triangle:?} {obb:?} {until}");
                for shape in 0..3 {
                    let (told, may) = (&touches[shape], touches[shape].lanes >> i & 1 == 1);
                    let allows = told.allows(i, found[shape], until);
                    assert!(allows, "{shape} {triangle:?} {ball:?} {capsule:?} {obb:?} {until} {told:?}");
                    let is_met = is_met(found[shape], until);
                    if let Sweep::Overlap(overlap) = found[shape] {
                        overlaps[shape] += 1;
                        told_deep[shape] += usize::from(-told.at_least[i] <= 1.01 * overlap.depth);
                    }
                    left_out[shape] += usize::from(!may);
                    missed[shape] += usize::from(!is_met);
                }
            }
        }
    }
    for shape in 0..3 {
        assert!(left_out[shape] * 10 > missed[shape] * 7, "{left_out:?} of {missed:?}");
        assert!(told_deep[shape] * 10 > overlaps[shape] * 4, "{told_deep:?} of {overlaps:?}");
    }
}

#[test]
fn every_instruction_set_leaves_out_the_same() {
    let mut rng = Rng::with_seed(SEED ^ 73);
    for _ in 0..2_000 {
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let columns = TriangleColumns::new((0..16).map(|_| [(); 3].map(|()| vector(3.0))));
        let body = Obb::new(vector(4.0), Quat::from_scaled_axis(vector(3.0)), vector(1.0).abs()).unwrap();
        let motion = vector(5.0);
        let way = BodyWay::from(&BoxSweep::new(body, motion).unwrap());
        let found = crate::simd::levels().into_iter().map(
            |level| vectorized!(level, simd => way.touches_in::<_, true>(simd, &columns, 0.7), else way.touches(&columns, 0.7)),
        );
        let found: Vec<Touches> = found.collect();
        assert!(found.iter().all(|touches| *touches == way.touches(&columns, 0.7)), "{found:?}");
        let ball = BodyWay::from(&Sphere::new(vector(2.0), 1.0).unwrap());
        let rod = BodyWay::from(&Capsule::from_half_axis(vector(2.0), vector(1.0), 1.0).unwrap());
        for way in [ball, rod, way] {
            let known = way.meets(&columns);
            for level in crate::simd::levels() {
                assert_eq!(vectorized!(level, simd => way.meets_in(simd, &columns), else known), known);
            }
        }
    }
}

#[test]
fn at_rest_what_is_certain_is_true_and_nearly_all_is_certain() {
    let mut rng = Rng::with_seed(SEED ^ 97);
    let mut told = [[[0; 3]; 3]; 2];
    for case in 0..60_000 {
        let (far, scale) = match case % 7 {
            0 | 1 => (Vec3::new(1000.0, -1000.0, 30.0), 1.0),
            2 => (Vec3::ZERO, [1e-12, 1e-7, 1e7][case / 7 % 3]),
            _ => (Vec3::ZERO, 1.0),
        };
        let on_grid = case % 2 == 0;
        let round = |v: Vec3| if on_grid { v.round() } else { v };
        let mut vector = |size: f32| scale * round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
        let [a, mut b, mut c] = [(); 3].map(|()| far + vector(3.0));
        match case % 13 {
            0 => c = a + (b - a) * 0.37,
            1 => b = a + (b - a) * 1e-4,
            _ => {}
        }
        let (center, half, turn) = (far + vector(3.0), vector(1.5), vector(3.0) / scale);
        let ball = Sphere::new(center, scale).unwrap();
        let rod = Capsule::from_half_axis(center, half, 0.5 * scale).unwrap();
        let obb = Obb::new(center, Quat::from_scaled_axis(turn), half.abs()).unwrap();
        let triangle = Triangle::new(a, b, c);
        let columns = TriangleColumns::new([[a, b, c]]);
        let ways = [BodyWay::from(&ball), BodyWay::from(&rod), BodyWay::from(&obb)];
        for (shape, way) in ways.into_iter().enumerate() {
            let touches = |triangle: Triangle| match shape {
                0 => triangle.overlaps_sphere(&ball),
                1 => triangle.overlaps_capsule(&rod),
                _ => triangle.overlaps_obb(&obb),
            };
            let (mut is_open, expected) = (false, triangle.is_ok_and(touches));
            let found = way.meets(&columns).any(|_| {
                is_open = true;
                expected
            });
            assert_eq!(found, expected, "{shape} {triangle:?} {ball:?} {rod:?} {obb:?}");
            // Little is known about slivers.
            if scale == 1.0 && triangle.is_ok() && case % 13 > 1 {
                told[usize::from(on_grid)][shape][if is_open { 2 } else { usize::from(expected) }] += 1;
            }
        }
    }
    // On a grid many touch, or have no volume.
    for [apart, touching, open] in told[0] {
        assert!(apart > 4000 && touching > 2000 && open * 30 < apart + touching, "{told:?}");
    }
    for [apart, touching, open] in told[1] {
        assert!(apart > 4000 && touching > 1000 && open < apart, "{told:?}");
    }
}
