//! Promises of translating boxes against planes.

use super::*;
use crate::{Feature, Obb};
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
