use crate::{
    Aabb, BoxSweep, Brush, Capsule, CapsuleSweep, Exits, Obb, Sphere, SphereSweep, Sweep, Triangle,
    distance::rod::MovingCapsule,
};
use cullide_scenes::{Rng, SEED};
use glam::{DVec3, Quat, Vec3};

/// With the digits given in the report.
fn triangle(points: [[f64; 3]; 3]) -> Triangle {
    let [a, b, c] = points.map(|point| DVec3::from(point).as_vec3());
    Triangle::new(a, b, c).unwrap()
}

/// Along y about the origin.
fn upright(half_height: f32, radius: f32) -> Capsule {
    Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * half_height, radius).unwrap()
}

#[test]
fn t7_a_capsule_in_two_triangles_of_jolt_is_as_deep_as_it_says() {
    let first = triangle([
        [-0.479_988_575, -1.361_850_02, 0.269_966_96],
        [-0.104_996_204, 0.388_152_48, 0.269_967_079],
        [-0.104_996_204, -1.361_850_02, 0.269_966_96],
    ]);
    let gap = first.gap_of_capsule(&upright(0.5, 0.37));
    assert!((gap.separation + 0.080_33).abs() < 1e-5, "{gap:?}");
    let second = triangle([
        [-0.090_441_703_8, -4.724_102_02, 0.307_858_467],
        [-0.090_441_703_8, 5.275_897_98, 0.307_857_513],
        [9.909_558_3, 5.275_897_98, 0.307_864_189],
    ]);
    let gap = second.gap_of_capsule(&upright(0.675, 0.42));
    assert!((gap.separation + 0.112_14).abs() < 1e-5 && gap.normal.z < -0.999_99, "{gap:?}");
}

#[test]
fn t8_an_edge_that_is_nearly_level_is_as_deep_as_one_that_is() {
    for rise in [0.0, 1e-6] {
        let at = Vec3::new(-1.0, -0.9, -1.0);
        let corner = |x: f32, y: f32, z: f32| at + Vec3::new(x, y, z);
        let floor = Triangle::new(corner(10.0, 0.0, -5.0), corner(10.0, 0.0, 5.0), corner(-10.0, rise, 5.0)).unwrap();
        let gap = floor.gap_of_capsule(&upright(0.5, 0.5));
        assert!((gap.separation + 0.1).abs() < 2e-6 && gap.normal.y > 0.999_999, "{rise}: {gap:?}");
    }
}

#[test]
fn t9_a_capsule_reaches_a_triangle_of_physx_where_its_axis_is_a_radius_away() {
    let wall = triangle([
        [7.332_940_1, 79.610_900_9, -26.933_799_7],
        [7.614_560_13, 80.257_400_5, -27.300_899_5],
        [7.332_940_1, 80.257_400_5, -26.933_799_7],
    ]);
    let center = DVec3::new(7.741_100_79, 80.854_316_7, -27.259_548_2).as_vec3();
    let body = Capsule::from_half_axis(center, Vec3::Y * 0.340_350_5, 0.265_350_76).unwrap();
    let motion = DVec3::new(-0.929_564_953, -0.028_111_914_2, 0.367_584_974).as_vec3();
    let hit = CapsuleSweep::new(body, motion).unwrap().against(wall).hit().unwrap();
    let distance = hit.toi * motion.length();
    // PhysX gives 0.0944128, where the axis is 3e-6 closer than the radius.
    assert!((distance - 0.094_395_25).abs() < 1e-6, "{distance} {hit:?}");
}

#[test]
fn t10_a_capsule_that_starts_in_a_triangle_overlaps_it() {
    let floor = triangle([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]);
    let body = Capsule::from_half_axis(Vec3::ZERO, Vec3::X, 0.3).unwrap();
    let overlap = CapsuleSweep::new(body, Vec3::NEG_X).unwrap().against(floor).overlap().unwrap();
    assert!((overlap.depth - 0.3).abs() < 1e-6, "{overlap:?}");
    assert!(floor.overlaps_capsule(&body));
}

#[test]
fn t11_against_the_side_of_an_open_box_the_normal_is_level() {
    // 0.1 wide, 2 high and 1 deep, without a bottom.
    let (x, y, z) = (0.05, 1.0, 0.5);
    let quad = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| [(a, b, c), (a, c, d)];
    let corner = |sx: f32, sy: f32, sz: f32| Vec3::new(sx * x, sy * y, sz * z);
    let mut triangles = Vec::new();
    for side in [-1.0, 1.0] {
        triangles.extend(quad(
            corner(side, -1.0, -1.0),
            corner(side, 1.0, -1.0),
            corner(side, 1.0, 1.0),
            corner(side, -1.0, 1.0),
        ));
        triangles.extend(quad(
            corner(-1.0, -1.0, side),
            corner(1.0, -1.0, side),
            corner(1.0, 1.0, side),
            corner(-1.0, 1.0, side),
        ));
    }
    let hero = |at: Vec3| Capsule::from_half_axis(at, Vec3::Y * 0.6, 0.3).unwrap();
    let sweep = CapsuleSweep::new(hero(Vec3::new(1.0, -0.1, 0.1)), Vec3::X * -2.0).unwrap();
    let hits = triangles.iter().filter_map(|&(a, b, c)| sweep.against(Triangle::new(a, b, c).unwrap()).hit());
    let first = hits.min_by(|a, b| a.toi.total_cmp(&b.toi)).unwrap();
    assert!((first.toi - 0.325).abs() < 1e-6 && first.normal == Vec3::X, "{first:?}");
    // Pressed into it slightly, the way out is level too.
    let pressed = hero(Vec3::new(0.34, -0.1, 0.1));
    let deepest = triangles.iter().map(|&(a, b, c)| Triangle::new(a, b, c).unwrap().gap_of_capsule(&pressed));
    let deepest = deepest.min_by(|a, b| a.separation.total_cmp(&b.separation)).unwrap();
    assert!(deepest.separation < 0.0 && deepest.normal.y.abs() < 1e-9, "{deepest:?}");
}

#[test]
fn t12_cubes_at_heights_of_10_and_15_are_3_apart() {
    let cube = |y: f32| Aabb::new(Vec3::new(-1.0, y - 1.0, -1.0), Vec3::new(1.0, y + 1.0, 1.0)).unwrap();
    assert_eq!(cube(10.0).gap(&Obb::from(&cube(15.0))).separation, 3.0);
    assert_eq!(Obb::from(&cube(10.0)).gap(&Obb::from(&cube(15.0))).separation, 3.0);
}

#[test]
fn t22_a_capsule_swept_onto_triangles_does_not_end_in_them() {
    let [a, b, c, d] = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(|(x, z)| Vec3::new(x, 0.25, z));
    let floor = [Triangle::new(a, c, b).unwrap(), Triangle::new(a, d, c).unwrap()];
    for tilt in [0.0f32, 0.01f32.to_radians()] {
        for along in [Vec3::Y, Vec3::X, Vec3::new(0.6, 0.8, 0.0)] {
            let axis = Quat::from_rotation_z(tilt) * along * 0.75;
            let body = Capsule::from_half_axis(Vec3::new(0.1, 3.0, 0.2), axis, 0.4).unwrap();
            let sweep = CapsuleSweep::new(body, Vec3::new(0.3, -4.0, 0.1)).unwrap();
            let hits = floor.iter().filter_map(|triangle| sweep.against(triangle).hit());
            let hit = hits.min_by(|a, b| a.toi.total_cmp(&b.toi)).unwrap();
            let end = body.placed(hit.position).unwrap();
            assert!(floor.iter().all(|triangle| triangle.gap_of_capsule(&end).is_apart()), "{tilt} {along} {hit:?}");
            let lowest = hit.position.y - axis.y.abs() - 0.4 - 0.25;
            assert!(lowest.abs() < 1e-5 && hit.normal.y > 0.999_99, "{tilt} {along} {hit:?}");
        }
    }
}

#[test]
fn t23_a_capsule_parallel_to_an_edge_touches_it_with_two_points() {
    let step = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap();
    let brush = Brush::try_from(&step).unwrap();
    // Toward the upper edge at x = 0, which runs along z.
    let body = Capsule::from_half_axis(Vec3::new(-3.0, 6.0, 1.0), Vec3::Z * 2.0, 1.0).unwrap();
    let sweep = CapsuleSweep::new(body, Vec3::new(4.0, -4.0, 0.0)).unwrap();
    for hit in [sweep.against(step), sweep.against(&brush), sweep.against(Obb::from(&step))] {
        let hit = hit.hit().unwrap();
        assert!(hit.normal.distance(Vec3::new(-1.0, 1.0, 0.0).normalize()) < 1e-6, "{hit:?}");
        let mut heights: Vec<f32> = hit.contacts.points().iter().map(|point| point.z).collect();
        heights.sort_by(f32::total_cmp);
        assert!(heights.len() == 2 && heights[0].abs() < 1e-6 && (heights[1] - 3.0).abs() < 1e-6, "{hit:?}");
    }
    // Coaxial, crossing and in the plane of a face: the gap is finite, and the way out is sideways.
    for other in [body, Capsule::from_half_axis(body.center(), Vec3::X, 0.5).unwrap()] {
        let gap = body.gap_of_capsule(&other);
        assert!(gap.normal.is_finite() && gap.normal.z.abs() < 1e-12, "{gap:?}");
        assert_eq!(gap.separation, -f64::from(body.radius() + other.radius()));
    }
    let flat = triangle([[0.0; 3], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]]);
    let inside = Capsule::from_half_axis(Vec3::new(0.5, 0.0, 0.5), Vec3::X * 0.25, 0.5).unwrap();
    for (way, normal) in [(Vec3::Y, DVec3::Y), (Vec3::NEG_Y, DVec3::NEG_Y)] {
        let overlap = CapsuleSweep::new(inside, way).unwrap().against(flat).overlap().unwrap();
        assert_eq!((overlap.depth, overlap.normal.as_dvec3()), (0.5, normal));
    }
}

#[test]
fn a_box_stops_at_a_capsule_where_the_capsule_would_stop_at_the_box() {
    let mut rng = Rng::with_seed(SEED);
    let mut point = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
    let mut hits = 0;
    for case in 0..4_000 {
        let on_grid = case % 2 == 0;
        let round = |v: Vec3| if on_grid { v.round() } else { v };
        let half_extents = round(point(2.0)).abs() + Vec3::splat(0.5);
        let turn = if on_grid { Quat::IDENTITY } else { Quat::from_xyzw(0.1, point(1.0).x, 0.3, 0.5) };
        let body = Obb::new(round(point(6.0)), turn, half_extents).unwrap();
        let capsule = Capsule::from_half_axis(round(point(2.0)), round(point(2.0)), 0.5).unwrap();
        let motion = round(point(6.0)) - body.center();
        let found = BoxSweep::new(body, motion).unwrap().against(capsule);
        let Ok(reverse) = CapsuleSweep::new(capsule, -motion) else { continue };
        match (found, reverse.against(body)) {
            (Sweep::Hit(hit), Sweep::Hit(seen)) => {
                hits += 1;
                assert!((hit.toi - seen.toi).abs() < 1e-6, "{body:?} {capsule:?} {hit:?} {seen:?}");
                let end = Obb::from_half_edges(hit.position, body.half_edges()).unwrap();
                assert!(capsule.gap(&end).is_apart() && capsule.gap(&end).separation < 1e-5, "{hit:?}");
                for contact in hit.contacts.points() {
                    let apart = capsule.distance(*contact).max(end.distance(*contact));
                    assert!(apart < 1e-5, "{body:?} {capsule:?} {hit:?}");
                }
            }
            (Sweep::Overlap(overlap), Sweep::Overlap(seen)) => {
                assert!((overlap.depth - seen.depth).abs() < 1e-5, "{body:?} {capsule:?} {overlap:?} {seen:?}");
                assert!(overlap.normal.distance(-seen.normal) < 1e-3 || on_grid, "{body:?} {capsule:?}");
            }
            (Sweep::Hit(hit), Sweep::Clear) | (Sweep::Clear, Sweep::Hit(hit)) => {
                let grazes = hit.normal.dot(motion.normalize()).abs() < 1e-4;
                assert!(grazes || hit.toi > 0.999_999, "{body:?} {capsule:?} {hit:?}");
            }
            (found, seen) => assert_eq!(found, seen, "{body:?} {capsule:?}"),
        }
        // A rotating box without rotation is one that translates; one with rotation stops short of the capsule.
        let turning = BoxSweep::new(body, motion).unwrap().rotating(point(1.0)).unwrap();
        if let Sweep::Hit(hit) = turning.against(capsule, 1e-3) {
            assert!(capsule.gap(&turning.body_at(&hit)).is_apart(), "{turning:?} {capsule:?} {hit:?}");
            for share in 0..8 {
                let before = turning.pose(hit.toi * share as f32 / 8.0);
                assert!(capsule.gap(&before).separation > -1e-6, "{turning:?} {capsule:?} {hit:?}");
            }
        }
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn a_way_out_leads_out() {
    let mut rng = Rng::with_seed(SEED);
    let mut point = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
    for _ in 0..500 {
        let body = Capsule::from_half_axis(point(1.0), point(1.0), 0.5).unwrap();
        let other = Capsule::from_half_axis(point(1.0), point(1.0), 0.25).unwrap();
        let obb = Obb::new(point(1.0), Quat::IDENTITY, point(1.0).abs() + 0.25).unwrap();
        let solids: [&dyn Exits; 3] = [&other, &obb, &Sphere::new(point(1.0), 1.0).unwrap()];
        let gaps = [
            |body: &Capsule, other: &Capsule, _: &Obb| other.gap_of_capsule(body),
            |body: &Capsule, _: &Capsule, obb: &Obb| obb.gap_of_capsule(body),
        ];
        for (solid, gap_of) in solids.into_iter().zip(gaps) {
            solid.exits_of_capsule(&body, &mut |gap| {
                let out = (body.center().as_dvec3() + gap.normal * (gap.required_push() + 1e-6)).as_vec3();
                let end = gap_of(&body.placed(out).unwrap(), &other, &obb);
                assert!(end.separation > -1e-6, "{body:?} {other:?} {obb:?} {gap:?} {end:?}");
            });
        }
        other.exits(&obb, &mut |gap| {
            let out = (obb.center().as_dvec3() + gap.normal * (gap.required_push() + 1e-6)).as_vec3();
            let end = other.gap(&Obb::from_half_edges(out, obb.half_edges()).unwrap());
            assert!(end.separation > -1e-6, "{other:?} {obb:?} {gap:?} {end:?}");
        });
    }
}

#[test]
fn no_input_makes_a_gap_that_is_not_a_number() {
    let sizes = [0.0, -0.0, 1e-45, 1e-30, 1.0, 1e9];
    let mut rng = Rng::with_seed(SEED);
    let mut point = || Vec3::from([(); 3].map(|()| sizes[rng.usize(0..sizes.len())]));
    for _ in 0..4_000 {
        let (p, q, r) = (point(), point(), point());
        let (Ok(body), Ok(other)) = (Capsule::new(p, q, r.x.abs()), Capsule::new(q, r, p.x.abs())) else { continue };
        let aabb = Aabb::new(q.min(r), q.max(r)).unwrap();
        let mut gaps = vec![other.gap_of_capsule(&body), aabb.gap_of_capsule(&body)];
        gaps.push(Obb::from(&aabb).gap_of_capsule(&body));
        gaps.extend(Triangle::new(p, q, r).map(|triangle| triangle.gap_of_capsule(&body)));
        for gap in gaps {
            let is_right = gap.separation.is_finite() && (gap.normal.length() - 1.0).abs() < 1e-9;
            assert!(is_right, "{body:?} {other:?} {aabb:?}: {gap:?}");
        }
        let Ok(sweep) = CapsuleSweep::new(body, r - p) else { continue };
        for sweep in [sweep.against(aabb), sweep.against(other), sweep.against(Obb::from(&aabb))] {
            if let Sweep::Hit(hit) = sweep {
                assert!(hit.position.is_finite() && hit.normal.is_normalized() && (0.0..1.0).contains(&hit.toi));
            }
        }
        let ball = SphereSweep::new(Sphere::new(p, 1.0).unwrap(), Vec3::ZERO).unwrap();
        assert!(!matches!(ball.against(other), Sweep::Hit(_)), "{ball:?} {other:?}");
        assert!(MovingCapsule::from(&body).reach(DVec3::X) >= f64::from(body.radius()));
    }
}
