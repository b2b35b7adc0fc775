use super::*;
use crate::Side;
use cullide_scenes::{Rng, SEED};

fn sweep(center: Vec3, radius: f32, motion: Vec3, plane: &Plane, sides: Sides) -> Sweep {
    SphereSweep::new(Sphere::new(center, radius).unwrap(), motion).unwrap().against_plane(plane, sides)
}

#[test]
fn touching_exactly_at_the_end_belongs_to_the_next_step() {
    let floor = Plane::new(Vec3::Y, 0.0).unwrap();
    assert_eq!(sweep(Vec3::Y * 3.5, 1.5, Vec3::Y * -2.0, &floor, Sides::Front), Sweep::Clear);
    let hit = sweep(Vec3::Y * 1.5, 1.5, Vec3::Y * -2.0, &floor, Sides::Front).hit().unwrap();
    assert_eq!((hit.toi, hit.position), (0.0, Vec3::Y * 1.5));
}

#[test]
fn a_sphere_cut_by_the_plane_overlaps_by_its_depth() {
    let floor = Plane::new(Vec3::Y, 0.0).unwrap();
    let overlap = sweep(Vec3::Y * -0.5, 1.5, Vec3::X, &floor, Sides::Front).overlap().unwrap();
    assert_eq!((overlap.depth, overlap.normal, overlap.contacts.points()[0].y), (2.0, Vec3::Y, -2.0));
    let overlap = sweep(Vec3::Y * -0.5, 1.5, Vec3::X, &floor, Sides::Both).overlap().unwrap();
    assert_eq!((overlap.depth, overlap.normal), (1.0, Vec3::NEG_Y));
}

#[test]
fn behind_a_one_sided_plane_nothing_is_hit_and_a_two_sided_one_holds() {
    let floor = Plane::new(Vec3::Y, 0.0).unwrap();
    assert_eq!(sweep(Vec3::Y * -4.0, 1.5, Vec3::Y * 9.0, &floor, Sides::Front), Sweep::Clear);
    let hit = sweep(Vec3::Y * -4.0, 1.5, Vec3::Y * 5.0, &floor, Sides::Both).hit().unwrap();
    assert_eq!((hit.toi, hit.normal, hit.position.y), (0.5, Vec3::NEG_Y, -1.5));
}

#[test]
fn the_returned_position_never_penetrates() {
    let mut numbers = Rng::with_seed(SEED);
    let mut hits = 0;
    for case in 0..20_000 {
        let size = [0.01, 1.0, 4096.0, 1e6][case % 4];
        let mut vector = |size: f32| Vec3::from([0; 3].map(|_| size * (2.0 * numbers.f32() - 1.0)));
        let plane = Plane::from_point_normal(vector(size), vector(1.0)).unwrap();
        let (center, motion) = (vector(2.0 * size), vector(4.0 * size));
        let radius = size * numbers.f32();
        let Sweep::Hit(hit) = sweep(center, radius, motion, &plane, Sides::Both) else { continue };
        let there = Sphere::new(hit.position, radius).unwrap();
        // Exactly: touching is straddling, and so is penetrating, so a sphere smaller by an ulp must be clear.
        let smaller = Sphere::new(hit.position, radius.next_down().max(0.0)).unwrap();
        let expected = if plane.normal().dot(hit.normal) > 0.0 { Side::Front } else { Side::Back };
        assert_eq!(plane.side_of_sphere(&smaller), expected, "{hit:?} {plane:?} {radius}");
        let gap = plane.signed_distance(hit.position).abs() - radius;
        assert!(gap.abs() <= 4.0 * f32::EPSILON * 4.0 * size && there.radius() == radius);
        hits += 1;
    }
    assert!(hits > 3_000, "{hits}");
}
