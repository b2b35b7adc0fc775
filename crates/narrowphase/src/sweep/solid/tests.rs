use super::*;
use crate::{Aabb, Brush, Feature, FeatureId, Patch, exact::predicate::sign, minkowski::box_solid::BoxSolid};
use crate::{contact::solid::contacts, distance::solid::penetration};
use cullide_scenes::{Rng, SEED, aimed};
use glam::Quat;
use std::cmp::Ordering;

fn box_at(center: Vec3) -> Obb {
    Obb::new(center, Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5)).unwrap()
}

fn sweep(body: Obb, motion: Vec3, brush: &Brush) -> Sweep {
    BoxSweep::new(body, motion).unwrap().against(brush)
}

/// 4 × 6 × 10, with its lower corner at the origin.
fn block() -> Brush {
    Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(4.0, 6.0, 10.0)).unwrap()).unwrap()
}

/// A wedge over the rectangle [0, 4] × [0, 6]: its slope rises from 0 at x = 0 to 3 at x = 4.
fn wedge() -> Brush {
    let planes =
        [(DVec3::new(-3.0, 0.0, 4.0), 0.0), (DVec3::NEG_Z, 0.0), (DVec3::X, 4.0), (DVec3::Y, 6.0), (DVec3::NEG_Y, 0.0)];
    Brush::from_half_spaces(&planes).unwrap()
}

#[test]
fn a_box_falls_onto_a_face_with_four_contacts() {
    let hit = sweep(box_at(Vec3::new(2.0, 3.0, 16.5)), Vec3::Z * -8.0, &block()).hit().unwrap();
    assert_eq!((hit.toi, hit.normal, hit.position), (0.5, Vec3::Z, Vec3::new(2.0, 3.0, 12.5)));
    assert_eq!(hit.contacts.points().len(), 4);
    assert!(hit.contacts.points().iter().all(|p| p.z == 10.0 && (p.x - 2.0).abs() == 1.0 && (p.y - 3.0).abs() == 1.5));
}

#[test]
fn a_tile_no_thicker_than_the_margin_touches_with_the_corners_of_its_face() {
    let tile = Obb::new(Vec3::new(2.0, 3.0, 10.004), Quat::IDENTITY, Vec3::new(1.0, 1.5, 0.004)).unwrap();
    let contacts = contacts(&block().difference(), &tile, Vec3::Z, 0.01, FeatureId::NONE);
    let corners = [0b011, 0b001, 0b000, 0b010].map(|vertex| tile.corners()[vertex]);
    assert_eq!((contacts.points(), contacts.feature()), (&corners[..], Feature::Face));
    // The same face, whichever of the edges is the short one.
    for half in [Vec3::new(0.004, 1.5, 1.0), Vec3::new(1.0, 0.004, 1.5)] {
        let normal = if half.x < half.y { Vec3::X } else { Vec3::Y };
        let under = Obb::from_half_edges(Vec3::ZERO, [Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::Z * 4.0]).unwrap();
        let tile = Obb::new(normal * 4.004, Quat::IDENTITY, half).unwrap();
        let contacts = under.contacts(&tile, normal, 0.01, FeatureId::NONE);
        assert!(
            contacts.points().len() == 4 && contacts.points().iter().all(|p| p.dot(normal) < 4.001),
            "{contacts:?}"
        );
    }
}

#[test]
fn a_box_across_two_tiles_touches_each_where_it_is_above_it() {
    // The end beyond x = 1 is lowest: above this tile it is the side of the face at that end.
    let tile = Aabb::new(Vec3::new(0.0, -1.0, -2.0), Vec3::new(1.0, 0.0, 2.0)).unwrap();
    let body = Obb::new(Vec3::new(1.0, 0.5, 0.0), Quat::from_rotation_z(-0.01), Vec3::new(0.4, 0.5, 0.3)).unwrap();
    for margin in [0.0, 1e-5] {
        let contacts = tile.contacts(&body, Vec3::Y, margin, FeatureId::NONE);
        assert_eq!(contacts.feature(), Feature::Edge, "{contacts:?}");
        assert_eq!(contacts.id(), FeatureId::new(0b0011_0011), "{contacts:?}");
        assert!(contacts.points().iter().all(|point| (point.x - 1.0).abs() < 1e-6 && point.z.abs() == 0.3));
    }
}

#[test]
fn plates_that_meet_at_their_sides_touch_where_both_are() {
    let plate = [Vec3::new(3.0, 3.0, 0.0), Vec3::ZERO, Vec3::Z * 3.0];
    let body = Obb::from_half_edges(Vec3::new(6.0, 1.0, 3.0), plate).unwrap();
    let other = [Vec3::ZERO, Vec3::Y * -2.0, Vec3::Z * 2.0];
    let other = Obb::from_half_edges(Vec3::new(3.0, 0.0, -1.0), other).unwrap();
    let hit = BoxSweep::new(body, Vec3::NEG_X).unwrap().against(other).hit().unwrap();
    assert!(hit.contacts.points().iter().all(|point| (0.0..=1.0).contains(&point.z)), "{hit:?}");
}

#[test]
fn contacts_reach_as_far_as_the_wider_end_of_a_thin_solid() {
    // A plate 0.01 thick from x = 0 to 4, with its upper side inset by half a unit.
    let side = |normal: DVec3, foot: DVec3| (normal, normal.dot(foot));
    let slant = |out: DVec3, foot: f64| side(out * 0.01 + DVec3::Z * 0.5, out * foot);
    let planes = [
        side(DVec3::Z, DVec3::Z * 0.01),
        side(DVec3::NEG_Z, DVec3::ZERO),
        slant(DVec3::X, 4.0),
        slant(DVec3::NEG_X, 0.0),
        slant(DVec3::Y, 6.0),
        slant(DVec3::NEG_Y, 0.0),
    ];
    let plate = Brush::from_half_spaces(&planes).unwrap();
    let large = Obb::new(Vec3::new(2.0, 3.0, 1.01), Quat::IDENTITY, Vec3::new(9.0, 9.0, 1.0)).unwrap();
    let extent = |margin: f32| {
        let contacts = contacts(&plate.difference(), &large, Vec3::Z, margin, FeatureId::NONE);
        contacts.points().iter().fold(Vec3::ZERO, |most, point| most.max(*point)).truncate()
    };
    assert!(extent(0.0).abs_diff_eq(glam::Vec2::new(3.5, 5.5), 1e-5), "{}", extent(0.0));
    assert!(extent(0.02).abs_diff_eq(glam::Vec2::new(4.0, 6.0), 1e-5), "{}", extent(0.02));
}

#[test]
fn contacts_without_direction_are_those_upward_and_no_margin_is_too_large() {
    let body = Obb::new(Vec3::new(2.0, 7.5, 3.0), Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5)).unwrap();
    let with = |normal: Vec3, margin: f32| contacts(&block().difference(), &body, normal, margin, FeatureId::NONE);
    let upward = with(Vec3::Y, 0.0);
    assert_eq!(upward.points().len(), 4);
    for normal in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY, Vec3::Y * 1e-30, Vec3::Y * 1e30] {
        assert_eq!(with(normal, f32::NAN), upward, "{normal}");
    }
    assert_eq!(with(Vec3::Y, f32::INFINITY), upward);
    assert_eq!(with(Vec3::Y, -1.0), upward);
}

#[test]
fn contacts_lie_on_both_faces() {
    // Halfway over the side: the block ends at x = 4, the box at y = 4.5 and 1.5.
    let hit = sweep(box_at(Vec3::new(4.0, 3.0, 16.5)), Vec3::Z * -8.0, &block()).hit().unwrap();
    let mut x: Vec<f32> = hit.contacts.points().iter().map(|p| p.x).collect();
    x.sort_by(f32::total_cmp);
    assert_eq!(x, [3.0, 3.0, 4.0, 4.0]);
    // The wedge's edge at the height of 3 runs into the box's side, which spans y from 1.5 to 4.5.
    let hit = sweep(box_at(Vec3::new(-8.0, 3.0, 2.75)), Vec3::X * 10.0, &wedge()).hit().unwrap();
    assert_eq!(hit.contacts.feature(), Feature::Edge);
}

#[test]
fn touching_and_pressing_hits_at_zero_and_moving_along_or_away_never() {
    let resting = box_at(Vec3::new(2.0, 3.0, 12.5));
    assert_eq!(sweep(resting, Vec3::NEG_Z, &block()).hit().unwrap().toi, 0.0);
    for motion in [Vec3::X, Vec3::Z, Vec3::new(-5.0, 1.0, 0.0), Vec3::ZERO] {
        assert_eq!(sweep(resting, motion, &block()), Sweep::Clear);
    }
    // Parallel to the slope: (4, 0, 3) runs along it, and the box's lower edge touches it.
    let on_slope = box_at(Vec3::new(1.0, 3.0, 4.0));
    assert_eq!(sweep(on_slope, Vec3::new(-4.0, 0.0, -3.0), &wedge()), Sweep::Clear);
    assert_eq!(sweep(on_slope, Vec3::new(4.0, 0.0, 2.9), &wedge()).hit().unwrap().toi, 0.0);
}

#[test]
fn touching_exactly_at_the_end_belongs_to_the_next_step() {
    let body = box_at(Vec3::new(-5.0, 3.0, 5.0));
    assert_eq!(sweep(body, Vec3::X * 4.0, &block()), Sweep::Clear);
    assert!(sweep(body, Vec3::X * 4.0 * (1.0 + f32::EPSILON), &block()).hit().is_some());
}

#[test]
fn passing_an_edge_or_a_corner_without_entering_is_clear() {
    // The box's lower right edge passes exactly over the block's upper left edge.
    let body = box_at(Vec3::new(-3.0, 3.0, 10.5));
    assert_eq!(sweep(body, Vec3::new(4.0, 0.0, 4.0), &block()), Sweep::Clear);
    assert!(sweep(body, Vec3::new(4.0, 0.0, 3.9), &block()).hit().is_some());
}

#[test]
fn an_overlap_tells_the_shortest_way_out() {
    let overlap = sweep(box_at(Vec3::new(4.5, 3.0, 5.0)), Vec3::X, &block()).overlap().unwrap();
    assert_eq!((overlap.depth, overlap.normal, overlap.contacts.points().len()), (0.5, Vec3::X, 4));
    let gap = block().gap(&box_at(Vec3::new(4.5, 3.0, 5.0)));
    assert_eq!((gap.separation, gap.normal), (-0.5, DVec3::X));
}

#[test]
fn two_edges_meet_in_a_point() {
    // A beam along y, rotated onto its edge, falls across a bar along x, also rotated onto its edge: heights √2 above
    // and below.
    let quarter = std::f32::consts::FRAC_PI_4;
    let bar = Obb::new(Vec3::ZERO, Quat::from_rotation_x(quarter), Vec3::new(9.0, 1.0, 1.0)).unwrap();
    let bar = Brush::try_from(&bar).unwrap();
    let beam = Obb::new(Vec3::new(1.0, 2.0, 8.0), Quat::from_rotation_y(quarter), Vec3::new(1.0, 9.0, 1.0)).unwrap();
    let hit = sweep(beam, Vec3::Z * -8.0, &bar).hit().unwrap();
    let height = 2.0 * std::f32::consts::SQRT_2;
    assert!((hit.toi - (8.0 - height) / 8.0).abs() < 1e-6 && hit.normal.distance(Vec3::Z) < 1e-6);
    let [point] = hit.contacts.points() else { panic!("one point") };
    assert!(point.distance(Vec3::new(1.0, 0.0, std::f32::consts::SQRT_2)) < 1e-5, "{point}");
}

#[test]
fn a_box_runs_into_the_corner_of_a_brush() {
    // Only a separating axis of the box detects the wedge's sharp edge at the origin, along y.
    let hit = sweep(box_at(Vec3::new(-9.0, 3.0, 1.0)), Vec3::X * 16.0, &wedge()).hit().unwrap();
    assert_eq!((hit.toi, hit.normal), (0.5, Vec3::NEG_X));
}

#[test]
fn patches_stop_boxes_from_both_sides_and_at_their_edges() {
    let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 6.0, 0.0), Vec3::Y * 6.0]).unwrap();
    let hit = |center, motion| BoxSweep::new(box_at(center), motion).unwrap().against(&patch).hit().unwrap();
    assert_eq!(hit(Vec3::new(2.0, 3.0, 6.5), Vec3::Z * -8.0).normal, Vec3::Z);
    assert_eq!(hit(Vec3::new(2.0, 3.0, -6.5), Vec3::Z * 8.0).normal, Vec3::NEG_Z);
    // A box at the patch's height hits its edge with its side.
    let side = hit(Vec3::new(-5.0, 3.0, 0.0), Vec3::X * 8.0);
    assert_eq!((side.toi, side.normal, side.contacts.points().len()), (0.5, Vec3::NEG_X, 2));
    let cut = BoxSweep::new(box_at(Vec3::new(2.0, 3.0, 1.5)), Vec3::X).unwrap().against(&patch);
    assert_eq!(cut.overlap().map(|overlap| (overlap.depth, overlap.normal)), Some((1.0, Vec3::Z)));
}

#[test]
fn boxes_against_boxes_take_the_exact_slabs() {
    let target = Aabb::new(Vec3::ZERO, Vec3::new(4.0, 6.0, 10.0)).unwrap();
    let mut numbers = Rng::with_seed(SEED);
    for _ in 0..20_000 {
        let mut point = |low, high| Vec3::from([0; 3].map(|_| numbers.i8(low..=high) as f32));
        let body = Obb::from(&Aabb::from_points([point(-6, 14), point(-6, 14)]).unwrap());
        let sweep = BoxSweep::new(body, point(-9, 9)).unwrap();
        let answer = sweep.against(target);
        let brush = sweep.against(&Brush::try_from(&target).unwrap());
        assert_eq!(answer.hit().map(|hit| (hit.toi, hit.position)), brush.hit().map(|hit| (hit.toi, hit.position)));
        // The same, by the intervals of time in which each axis overlaps.
        let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        for axis in 0..3 {
            let reach = f64::from(body.half_extents()[axis]);
            let low = f64::from(target.min()[axis]) - reach - f64::from(body.center()[axis]);
            let high = f64::from(target.max()[axis]) + reach - f64::from(body.center()[axis]);
            let v = f64::from(sweep.motion()[axis]);
            if v != 0.0 {
                enter = enter.max((low / v).min(high / v));
                exit = exit.min((low / v).max(high / v));
            } else if low >= 0.0 || high <= 0.0 {
                enter = f64::INFINITY;
            }
        }
        let expected = match answer {
            Sweep::Overlap(_) => enter < 0.0 && exit > 0.0,
            Sweep::Hit(hit) => {
                (0.0..1.0).contains(&enter)
                    && enter < exit
                    && f64::from(hit.toi) <= enter
                    && (hit.toi as f64 - enter).abs() < 1e-7
            }
            Sweep::Clear => enter >= exit || exit <= 0.0 || enter >= 1.0,
        };
        assert!(expected, "{sweep:?} {answer:?} {enter} {exit}");
    }
}

/// Every textbook axis, in both directions, with every vertex: entry and exit times and the largest separation.
fn all_axes(brush: &Brush, body: &Obb, motion: Vec3) -> (f64, f64, f64) {
    let h = body.half_edges().map(Vec3::as_dvec3);
    let mut axes: Vec<DVec3> = brush.planes().iter().map(|plane| plane.normal).collect();
    axes.extend([h[0].cross(h[1]), h[1].cross(h[2]), h[2].cross(h[0])]);
    for edge in brush.edges() {
        let [a, b] = edge.vertices.map(|v| brush.vertices()[v]);
        axes.extend(h.map(|h| (b - a).cross(h)).into_iter().filter(|axis| axis.length() > 1e-9));
    }
    let center = body.center().as_dvec3();
    let (mut enter, mut exit, mut gap) = (f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY);
    for axis in axes.into_iter().flat_map(|axis| [axis.normalize(), -axis.normalize()]) {
        let top = brush.vertices().iter().map(|v| axis.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
        let s = axis.dot(center) - top - h.iter().map(|h| axis.dot(*h).abs()).sum::<f64>();
        let v = axis.dot(motion.as_dvec3());
        gap = gap.max(s);
        if v < 0.0 {
            enter = enter.max(s / -v);
        } else if v > 0.0 {
            exit = exit.min(-s / v);
        } else if s >= 0.0 {
            exit = f64::NEG_INFINITY;
        }
    }
    (enter, exit, gap)
}

/// A few planes around the origin, with small integers.
fn random_brush(numbers: &mut Rng) -> (Brush, Vec<(DVec3, f64)>) {
    loop {
        let planes: Vec<(DVec3, f64)> = (0..numbers.usize(5..14))
            .map(|_| (DVec3::from([0; 3].map(|_| f64::from(numbers.i8(-3..=3)))), f64::from(numbers.u8(2..20))))
            .filter(|(normal, _)| *normal != DVec3::ZERO)
            .collect();
        if let Ok(brush) = Brush::from_half_spaces(&planes) {
            return (brush, planes);
        }
    }
}

#[test]
fn silhouette_edges_are_all_the_axes_that_matter() {
    let mut numbers = Rng::with_seed(SEED);
    let (mut hits, mut overlaps, mut edge_hits, mut checked_exactly) = (0, 0, 0, 0);
    for case in 0..20_000 {
        let (brush, planes) = random_brush(&mut numbers);
        let mut vector = |size: f32| Vec3::from([0; 3].map(|_| size * (2.0 * numbers.f32() - 1.0)));
        let (center, half, motion, turn) = (vector(16.0), vector(4.0).abs(), vector(24.0), vector(3.0));
        let turn = if case % 2 == 0 { Quat::IDENTITY } else { Quat::from_scaled_axis(turn) };
        let body = Obb::new(center, turn, half).unwrap();
        let (enter, exit, gap) = all_axes(&brush, &body, motion);
        let found = brush.gap(&body);
        // Axes that are not facets of the difference may give more of a distance, but never of a depth.
        let agrees = if gap < 0.0 { (found.separation - gap).abs() < 1e-9 } else { found.separation >= 0.0 };
        assert!(agrees && found.separation < gap + 1e-9, "{found:?} {gap} {brush:?} {body:?}");
        // Too close to call for arithmetic in `f64`.
        if gap.abs() < 1e-9 || (enter - exit).abs() < 1e-9 || (enter - 1.0).abs() < 1e-9 {
            continue;
        }
        match sweep(body, motion, &brush) {
            Sweep::Overlap(overlap) => {
                assert!(gap < 0.0 && (f64::from(overlap.depth) + gap).abs() < 1e-5);
                overlaps += 1;
            }
            Sweep::Clear => assert!(gap > 0.0 && (enter > exit || enter > 1.0 || exit < 0.0)),
            Sweep::Hit(hit) => {
                assert!(gap > 0.0 && (0.0..1.0).contains(&enter) && enter < exit, "{enter} {exit} {hit:?}");
                assert!(f64::from(hit.toi) <= enter + 1e-12 && enter - f64::from(hit.toi) < 1e-6);
                hits += 1;
                let there = Obb::from_half_edges(hit.position, body.half_edges()).unwrap();
                let (_, _, left) = all_axes(&brush, &there, motion);
                assert!((0.0..1e-5).contains(&left), "{left}");
                // Contacts are on the brush and on the box, up to the angle at which features count as parallel.
                for &point in hit.contacts.points() {
                    let off = brush.planes().iter().map(|plane| plane.signed_distance(point.as_dvec3()));
                    assert!(off.fold(f64::NEG_INFINITY, f64::max).abs() < 5e-3, "{hit:?} {brush:?}");
                    let reach = (point - hit.position).as_dvec3();
                    assert!(
                        there.slabs().iter().all(|(axis, r)| axis.dot(reach).abs() < r + 5e-3),
                        "{hit:?} {there:?} "
                    );
                }
                // For a face, the gap of the position is exact in integers, as all 13 products are.
                let is_face = |(n, d): &&(DVec3, f64)| {
                    let (normal, distance) = (n.normalize(), d / n.length());
                    let is_same = |p: &crate::BrushPlane| {
                        p.normal.distance(normal) < 1e-12 && (p.distance - distance).abs() < 1e-12
                    };
                    normal.distance(hit.normal.as_dvec3()) < 1e-7 && brush.planes().iter().any(is_same)
                };
                if let Some(&(normal, distance)) = planes.iter().find(is_face) {
                    let mut terms: Vec<f64> = (normal * hit.position.as_dvec3()).to_array().to_vec();
                    terms.push(-distance);
                    for h in body.half_edges() {
                        let parts = (normal * h.as_dvec3()).to_array();
                        let away = if sign(&parts) == Ordering::Less { 1.0 } else { -1.0 };
                        terms.extend(parts.map(|x| away * x));
                    }
                    assert_ne!(sign(&terms), Ordering::Less, "{hit:?} {planes:?} {body:?}");
                    checked_exactly += 1;
                } else {
                    edge_hits += 1;
                }
            }
        }
    }
    assert!(
        hits > 1500 && overlaps > 1000 && edge_hits > 500 && checked_exactly > 500,
        "{hits} {overlaps} {edge_hits} {checked_exactly}"
    );
}

#[test]
fn oriented_boxes_answer_as_their_brushes() {
    let mut numbers = Rng::with_seed(SEED);
    for case in 0..5_000 {
        let mut vector = |size: f32| Vec3::from([0; 3].map(|_| size * (2.0 * numbers.f32() - 1.0)));
        let mut obb = |spread: f32| {
            let edges = [vector(3.0), vector(3.0), vector(3.0)];
            let turn = Quat::from_scaled_axis(vector(3.0));
            match case % 3 {
                0 => Obb::from_half_edges(vector(spread), edges),
                1 => Obb::new(vector(spread), turn, edges[0].abs()),
                _ => Obb::new(vector(spread), Quat::IDENTITY, edges[0].abs()),
            }
            .unwrap()
        };
        let (target, body) = (obb(1.0), obb(9.0));
        let Ok(brush) = Brush::try_from(&target) else { continue };
        let sweep = BoxSweep::new(body, vector(16.0)).unwrap();
        assert!((target.gap(&body).separation - brush.gap(&body).separation).abs() < 1e-9);
        let [toi, expected] = [sweep.against(target), sweep.against(&brush)].map(|s| s.hit().map(|hit| hit.toi));
        assert!(toi == expected || (toi.unwrap_or(9.0) - expected.unwrap_or(9.0)).abs() < 1e-6, "{toi:?} {expected:?}");
    }
}

#[test]
fn the_axes_that_are_left_out_change_no_answer() {
    let mut rng = Rng::with_seed(SEED);
    // Boxes of similar size, as in games: rotated, rotated about one axis, and axis-aligned.
    let common = |rng: &mut Rng| {
        let mut vector = |scale: f32| Vec3::from([(); 3].map(|()| (rng.f32() - 0.5) * scale));
        let obb = |center: Vec3, turn: Vec3, half: Vec3| {
            let [a, b, c] = Obb::new(center, Quat::from_scaled_axis(turn), half.abs()).unwrap().half_edges();
            [center, a, b, c].map(|v| v.to_array())
        };
        let (at, motion, sizes) = (vector(8.0), vector(12.0), [vector(3.0), vector(3.0)]);
        let turns = [vector(6.0), vector(6.0)];
        let [a, b] = match rng.u32(0..3) {
            0 => turns,
            1 => turns.map(|turn| Vec3::Y * turn.y),
            _ => [turns[0], Vec3::ZERO],
        };
        (obb(at, a, sizes[0]), motion.to_array(), obb(Vec3::ZERO, b, sizes[1]))
    };
    let (mut told, mut all) = ([0; 3], 0);
    for case in 0..40_000 {
        let (moving, delta, still) = if case % 4 == 0 { aimed::sweep_obb_obb(&mut rng) } else { common(&mut rng) };
        let obb = |[center, a, b, c]: [[f32; 3]; 4]| Obb::from_half_edges(center.into(), [a, b, c].map(Vec3::from));
        let (Ok(body), Ok(still)) = (obb(moving), obb(still)) else { continue };
        let Ok(sweep) = BoxSweep::new(body, delta.into()) else { continue };
        let solid = BoxSolid::from(&still);
        let (difference, whole) = (solid.difference(), MinkowskiDifference { frame: None, ..solid.difference() });
        let (got, expected) = (sweep.against_difference(&difference), sweep.against_difference(&whole));
        assert_eq!(got, expected, "{still:?} {sweep:?}");
        assert_eq!(penetration(&difference, &body), penetration(&whole, &body), "{still:?} {body:?}");
        let frame = WideBox { center: body.center().as_dvec3(), edges: body.wide_edges() };
        match sat::candidate_axes(difference.frame.unwrap(), &frame, sweep.motion().as_dvec3()) {
            None => told[0] += 1,
            Some(axes) if !axes.are_all() => told[if got.hit().is_some() { 1 } else { 2 }] += 1,
            Some(_) => {}
        }
        all += 1;
    }
    // Otherwise the choice of axes would have been tested in too few cases.
    assert!(told[0] * 3 > all && told[1] * 20 > all && told[2] * 20 > all, "{told:?} of {all}");
}

#[test]
fn degenerate_boxes_sweep_as_points_rods_and_tiles() {
    for half_extents in [Vec3::ZERO, Vec3::Z * 2.0, Vec3::new(2.0, 0.0, 3.0)] {
        let body = Obb::new(Vec3::new(2.0, 3.0, 18.0), Quat::IDENTITY, half_extents).unwrap();
        let hit = sweep(body, Vec3::Z * -16.0, &block()).hit().unwrap();
        assert_eq!(hit.position.z, 10.0 + half_extents.z);
        let point_target = Obb::new(Vec3::new(2.0, 3.0, 0.0), Quat::IDENTITY, half_extents).unwrap();
        let hit = BoxSweep::new(box_at(Vec3::new(2.0, 3.0, 16.0)), Vec3::Z * -32.0).unwrap().against(point_target);
        assert_eq!(hit.hit().unwrap().position.z, 2.5 + half_extents.z);
    }
}
