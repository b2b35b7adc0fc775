//! Guarantees of translating boxes against planes.

use super::*;
use crate::simd::levels;
use crate::{Feature, Obb};
use cullide_scenes::{Rng, SEED, aimed, plane_sweeps};
use glam::{Quat, Vec3};

fn body(center: Vec3) -> Obb {
    Obb::new(center, Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5)).unwrap()
}

fn floor() -> Plane {
    Plane::new(Vec3::Y, 0.0).unwrap()
}

fn sweep(center: Vec3, motion: Vec3, sides: Sides) -> Sweep {
    BoxSweep::new(body(center), motion).unwrap().against_plane(&floor(), sides)
}

#[test]
fn touching_exactly_at_the_end_belongs_to_the_next_step() {
    assert_eq!(sweep(Vec3::Y * 3.5, Vec3::Y * -2.0, Sides::Front), Sweep::Clear);
    assert_eq!(sweep(Vec3::Y * 1.5, Vec3::Y * -2.0, Sides::Front).hit().unwrap().toi, 0.0);
}

#[test]
fn a_box_cut_by_the_plane_overlaps_by_its_depth() {
    let overlap = sweep(Vec3::Y * 0.5, Vec3::X, Sides::Front).overlap().unwrap();
    assert_eq!((overlap.depth, overlap.normal, overlap.contacts.feature()), (1.0, Vec3::Y, Feature::Face));
}

#[test]
fn behind_a_one_sided_plane_nothing_is_hit_and_a_two_sided_one_holds() {
    assert_eq!(sweep(Vec3::Y * -4.5, Vec3::Y * 9.0, Sides::Front), Sweep::Clear);
    let hit = sweep(Vec3::Y * -4.5, Vec3::Y * 9.0, Sides::Both).hit().unwrap();
    assert_eq!((hit.toi.to_bits(), hit.normal), ((1f32 / 3.0).to_bits() - 1, Vec3::NEG_Y));
    assert!(hit.position.y <= -1.5);
}

#[test]
fn a_box_turned_onto_an_edge_touches_with_two_points() {
    let turned = Obb::new(Vec3::Y * 9.0, Quat::from_rotation_x(0.5), Vec3::new(1.0, 1.5, 2.5)).unwrap();
    let hit = BoxSweep::new(turned, Vec3::Y * -20.0).unwrap().against_plane(&floor(), Sides::Front).hit().unwrap();
    assert_eq!(hit.contacts.feature(), Feature::Edge);
    let [a, b] = hit.contacts.points() else { unreachable!() };
    assert_eq!((*a - *b).abs(), Vec3::X * 2.0);
}

#[test]
fn a_flat_box_has_four_contacts_a_rod_two_and_a_point_one() {
    for (half_extents, count) in [(Vec3::new(2.0, 0.0, 3.0), 4), (Vec3::new(2.0, 0.0, 0.0), 2), (Vec3::ZERO, 1)] {
        let obb = Obb::new(Vec3::Y, Quat::IDENTITY, half_extents).unwrap();
        let hit = BoxSweep::new(obb, Vec3::Y * -2.0).unwrap().against_plane(&floor(), Sides::Front).hit().unwrap();
        assert_eq!((hit.toi, hit.contacts.points().len()), (0.5, count));
    }
}

/// The sweep of a box, if it is in range.
fn sweep_of([center, a, b, c]: [[f32; 3]; 4], motion: [f32; 3]) -> Option<BoxSweep> {
    let body = Obb::from_half_edges(center.into(), [a, b, c].map(Vec3::from)).ok()?;
    BoxSweep::new(body, motion.into()).ok()
}

/// Checks, on both sides and with all instructions of this processor, that there is one answer, in whole or in part,
/// which is also that of the stages.
fn check(sweep: &BoxSweep, plane: &Plane) {
    for sides in [Sides::Front, Sides::Both] {
        let whole = sweep.against_plane(plane, sides);
        let expected = PlaneTouch::from(whole);
        assert_eq!(PlaneTouch::from(sweep.undecided(plane, sides)).words, expected.words, "{sweep:?} {plane:?}");
        assert_eq!(sweep.touch_plane(plane, sides).words, expected.words, "{sweep:?} {plane:?} {sides:?}");
        for level in levels() {
            let touch = sweep.touch_plane_at(level, plane, sides);
            assert_eq!(touch.words, expected.words, "{level:?} {sweep:?} {plane:?} {sides:?}");
            assert_eq!(sweep.against_plane_at(level, plane, sides), whole, "{level:?} {sweep:?} {plane:?} {sides:?}");
        }
    }
}

#[test]
fn any_box_is_answered_as_the_whole_sweep_has_it() {
    for case in plane_sweeps(30_000, SEED) {
        let [x, y, z, d] = case.plane;
        let (sweep, plane) = (sweep_of(case.obb, case.delta).unwrap(), Plane::new(Vec3::new(x, y, z), d).unwrap());
        check(&sweep, &plane);
        // Place and points too, since no number is close to another.
        assert_eq!(sweep.against_plane(&plane, Sides::Front), sweep.undecided(&plane, Sides::Front));
    }
}

#[test]
fn aimed_boxes_are_answered_as_the_whole_sweep_has_it() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..200_000 {
        let (obb, delta, [x, y, z, d]) = aimed::sweep_obb_plane(&mut rng);
        let (Some(sweep), Ok(plane)) = (sweep_of(obb, delta), Plane::new(Vec3::new(x, y, z), d)) else { continue };
        check(&sweep, &plane);
    }
}

#[test]
fn faces_edges_flat_boxes_and_boxes_that_rest_are_answered_as_the_whole_sweep_has_them() {
    let turns = [Quat::IDENTITY, Quat::from_rotation_x(0.5), Quat::from_rotation_z(1e-4), Quat::from_rotation_y(2.0)];
    let normals = [Vec3::Y, Vec3::NEG_Y, Vec3::X, Vec3::new(0.6, 0.8, 0.0), Vec3::new(0.0, 1.0, 1e-4)];
    for scale in [1e-45, 1e-38, 1e-20, 1.0, 3e5, 1e7, 7e7] {
        for half_extents in [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 0.0, 3.0), Vec3::X, Vec3::ZERO] {
            for (turn, normal) in turns.iter().flat_map(|turn| normals.map(|normal| (*turn, normal))) {
                for (height, way) in
                    [0.0, 1.0, 2.0, 4.0, -2.0, -4.0].iter().flat_map(|h| [-2.0, 0.0, 2.0].map(|w| (*h, w)))
                {
                    let center = Vec3::new(5.0, height, 7.0) * scale;
                    let body = Obb::new(center, turn, half_extents * scale).unwrap();
                    let sweep = BoxSweep::new(body, Vec3::new(0.5, way, 0.0) * scale).unwrap();
                    check(&sweep, &Plane::new(normal, 0.0).unwrap());
                }
            }
        }
    }
}

#[test]
fn truncating_a_time_rounds_it_toward_zero() {
    let mut rng = Rng::with_seed(SEED);
    let last = 1.0 - f64::EPSILON;
    let known = [1e-15, 0.5, 0.5 - f64::EPSILON, 1.0 / 3.0, last].into_iter();
    for time in known.chain((0..10_000).map(|_| (rng.f64().powi(9) + 1e-15).min(last))) {
        assert_eq!(f32::from_bits(truncated_bits(time)), round_toi(time), "{time}");
    }
}
