//! Guarantees of the planes near a motion.

use super::*;
use cullide_narrowphase::{Obb, Plane, Sweep, TurningBoxSweep, glam::Quat};
use cullide_scenes::{Rng, SEED};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| (2.0 * rng.f32() - 1.0) * size))
}

fn entry(rng: &mut Rng) -> WorldPlane {
    let normal = vector(rng, 1.0) + Vec3::splat(1e-3);
    let sides = if rng.bool() { Sides::Front } else { Sides::Both };
    WorldPlane {
        plane: Plane::from_point_normal(vector(rng, 20.0), normal).unwrap(),
        sides,
        layers: 1 << rng.usize(0..2),
        user: 0,
    }
}

/// Boxes that fly and rotate between planes, some of them long and thin, some far away, some pulled back.
fn sweep(rng: &mut Rng) -> TurningBoxSweep {
    let scale = [0.1, 1.0, 30.0][rng.usize(0..3)];
    let turned = Quat::from_scaled_axis(vector(rng, 3.0));
    let body = Obb::new(vector(rng, 20.0), turned, vector(rng, scale).abs()).unwrap();
    let acceleration = if rng.bool() { vector(rng, 40.0) } else { Vec3::ZERO };
    let sweep = TurningBoxSweep::new(&body, vector(rng, 30.0), vector(rng, 6.0)).unwrap();
    sweep.accelerated(acceleration).unwrap()
}

#[test]
fn no_plane_that_is_touched_is_left_out_or_told_too_late() {
    let (mut rng, mut near, mut touched, mut far) = (Rng::with_seed(SEED ^ 41), NearPlanes::new(), 0, 0);
    for case in 0..20_000 {
        let mut planes = Planes::default();
        for _ in 0..rng.usize(1..11) {
            planes.insert(entry(&mut rng));
        }
        let (sweep, filter) = (sweep(&mut rng), Filter::layers(0b01));
        let way = MotionBounds::new(sweep.body(), sweep.motion(), sweep.acceleration(), 1e-3);
        planes.near(&way, &filter, &mut near);
        assert!(near.is_sorted_by(|a, b| a.from <= b.from), "case {case}");
        for (slot, entry) in planes.iter().filter(|(_, entry)| entry.layers == 0b01) {
            let from = near.iter().find(|plane| plane.slot == slot).map(|plane| plane.from);
            match sweep.against_plane(&entry.plane, entry.sides, 1e-3) {
                Sweep::Clear => far += usize::from(from.is_none()),
                Sweep::Hit(hit) => {
                    assert!(from.is_some_and(|from| from <= hit.toi), "case {case}: {from:?} {hit:?}");
                    touched += 1;
                }
                Sweep::Overlap(_) => assert_eq!(from, Some(0.0), "case {case}"),
            }
        }
        assert!(near.iter().all(|plane| planes.get(plane.slot).unwrap().layers == 0b01), "case {case}");
    }
    assert!(touched > 5000 && far > 5000, "{touched} {far}");
}

#[test]
fn a_plane_that_was_moved_or_removed_is_no_longer_where_it_was() {
    let mut planes = Planes::default();
    let floor = WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1);
    let slots: Vec<_> = (0..6).map(|_| planes.insert(floor)).collect();
    let body = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let found = |planes: &Planes| {
        let mut near = NearPlanes::new();
        planes.near(&MotionBounds::new(&body, Vec3::ZERO, Vec3::ZERO, 0.0), &Filter::ALL, &mut near);
        near.iter().map(|plane| plane.slot).collect::<Vec<_>>()
    };
    assert_eq!(found(&planes), slots);
    planes.set(slots[5], WorldPlane::half_space(Plane::new(Vec3::Y, 100.0).unwrap()).layers(1));
    assert_eq!(planes.remove(slots[0]), Some(floor));
    assert_eq!(found(&planes), slots[1..5]);
    let again = planes.insert(floor);
    assert!(
        found(&planes).contains(&again) && !found(&planes).contains(&slots[0]) && planes.remove(slots[0]).is_none()
    );
}

#[test]
fn where_numbers_overflow_a_plane_is_near() {
    let mut planes = Planes::default();
    let slot = planes.insert(WorldPlane::wall(Plane::new(Vec3::Y, 1e9).unwrap()).layers(1));
    let mut near = NearPlanes::new();
    let way = MotionBounds {
        center: Vec3::splat(8e37),
        motion: Vec3::splat(8e37),
        pull: 8e37,
        margin: 0.0,
        reach: f32::INFINITY,
    };
    planes.near(&way, &Filter::ALL, &mut near);
    assert_eq!(near.as_slice(), [NearPlane { from: 0.0, slot }]);
}
