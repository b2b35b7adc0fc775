//! Promises of sweeps that tell time and vertices alone.

use super::*;
use crate::{
    Obb,
    sweep::{plane::vectorized::levels, round_toi},
};
use cullide_scenes::{Rng, SEED, aimed, plane_sweeps};
use glam::{Quat, Vec3};

/// The box and its way, if they are in range.
fn sweep([center, a, b, c]: [[f32; 3]; 4], motion: [f32; 3]) -> Option<BoxSweep> {
    let body = Obb::from_half_edges(center.into(), [a, b, c].map(Vec3::from)).ok()?;
    BoxSweep::new(body, motion.into()).ok()
}

/// On both sides, with all instructions of this processor: one answer, in whole or in part, and that of the closer look.
fn check(sweep: &BoxSweep, plane: &Plane) {
    for sides in [Sides::Front, Sides::Both] {
        let whole = sweep.against_plane(plane, sides);
        let expected = PlaneTouch::from(whole);
        assert_eq!(PlaneTouch::from(sweep.look_closely(plane, sides)).words, expected.words, "{sweep:?} {plane:?}");
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
        let (sweep, plane) = (sweep(case.obb, case.delta).unwrap(), Plane::new(Vec3::new(x, y, z), d).unwrap());
        check(&sweep, &plane);
        // Place and points too, where no number is close to another.
        assert_eq!(sweep.against_plane(&plane, Sides::Front), sweep.look_closely(&plane, Sides::Front));
    }
}

#[test]
fn aimed_boxes_are_answered_as_the_whole_sweep_has_it() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..200_000 {
        let (obb, delta, [x, y, z, d]) = aimed::sweep_obb_plane(&mut rng);
        let (Some(sweep), Ok(plane)) = (sweep(obb, delta), Plane::new(Vec3::new(x, y, z), d)) else { continue };
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
fn a_time_is_cut_as_it_is_rounded_toward_zero() {
    let mut rng = Rng::with_seed(SEED);
    let last = 1.0 - f64::EPSILON;
    let known = [1e-15, 0.5, 0.5 - f64::EPSILON, 1.0 / 3.0, last].into_iter();
    for time in known.chain((0..10_000).map(|_| (rng.f64().powi(9) + 1e-15).min(last))) {
        assert_eq!(f32::from_bits(cut(time)), round_toi(time), "{time}");
    }
}
