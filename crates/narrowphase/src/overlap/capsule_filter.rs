//! Whether a capsule meets a ball or an oriented box, in `f64` with a margin: certain in most cases.
//!
//! The capsule is measured along the half edges of the box, as if these were perpendicular. Their deviation from that
//! changes distances by a relative amount, which widens the margin.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.2 and §4.5.1.

use crate::{Capsule, Obb, Sphere, arrays::Mapped, distance::rod::MovingCapsule};
use glam::DVec3;

/// The margin, relative to the sum of all coordinates: 2^-40, a hundred times what the full test counts as touching.
const MARGIN: f64 = 1.0 / (1u64 << 40) as f64;

/// A box is skewed if the cosines between its half edges add up to more than this: 2^-10. Perpendicular edges stored in
/// `f32` are so up to 2^-22.
const SKEWED: f64 = 1.0 / 1024.0;

/// Whether a capsule and a ball share a point, where that is certain.
pub(super) fn meets_sphere(capsule: &Capsule, sphere: &Sphere) -> Option<bool> {
    let (way, half) = (sphere.center().as_dvec3() - capsule.center().as_dvec3(), capsule.wide_axis());
    let square = half.length_squared();
    let place = if square > 0.0 { (way.dot(half) / square).clamp(-1.0, 1.0) } else { 0.0 };
    let reach = f64::from(capsule.radius()) + f64::from(sphere.radius());
    let beyond = (way - half * place).length_squared() - reach * reach;
    certain(beyond, MARGIN * (way.length_squared() + square + reach * reach))
}

/// Whether a capsule and a box share a point, where that is certain; never for a box without volume.
pub(super) fn meets_obb(capsule: &Capsule, obb: &Obb) -> Option<bool> {
    let edges = obb.wide_edges();
    let half_extents = edges.mapped(DVec3::length);
    let axes = [0, 1, 2].mapped(|i| edges[i] * (1.0 / half_extents[i]));
    let skew = axes[0].dot(axes[1]).abs() + axes[1].dot(axes[2]).abs() + axes[2].dot(axes[0]).abs();
    if skew > SKEWED {
        return None;
    }
    let half_extents = DVec3::from(half_extents);
    let along = |v: DVec3| DVec3::new(axes[0].dot(v), axes[1].dot(v), axes[2].dot(v));
    let way = capsule.center().as_dvec3() - obb.center().as_dvec3();
    let rod = MovingCapsule::new(along(way), along(capsule.wide_axis()), capsule.radius().into());
    let (_, distance) = rod.outside_of([-half_extents, half_extents]);
    // Lengths change by no more than the skew's share of them, and the corners by twice the skew's share of the half
    // extents.
    let reach = half_extents.element_sum();
    let coordinates = (capsule.center().abs() + obb.center().abs()).as_dvec3().element_sum();
    let size = coordinates + capsule.wide_axis().abs().element_sum() + rod.radius + reach;
    // With an edge of length zero this is NaN, and nothing is certain.
    certain(distance - rod.radius, MARGIN * size + 4.0 * skew * (distance + reach))
}

/// Whether `beyond` is at most zero, where that is certain: it may be off by `margin`.
fn certain(beyond: f64, margin: f64) -> Option<bool> {
    if beyond > margin {
        Some(false)
    } else if beyond < -margin {
        Some(true)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    fn any_point(rng: &mut Rng, size: f32) -> Vec3 {
        Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
    }

    /// Capsules near a point: every second one on a grid, where many touch, and every third one far out.
    fn capsules(count: usize) -> impl Iterator<Item = (Rng, Vec3, Capsule)> {
        let mut rng = Rng::with_seed(SEED);
        (0..count).map(move |case| {
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let at = if case % 3 == 0 { any_point(&mut rng, 3e4).round() } else { Vec3::ZERO };
            let (center, half) = (at + round(any_point(&mut rng, 4.0)), round(any_point(&mut rng, 2.0)));
            let capsule = Capsule::from_half_axis(center, half, if case % 2 == 0 { 1.0 } else { rng.f32() }).unwrap();
            (rng.fork(), at, capsule)
        })
    }

    #[test]
    fn what_is_certain_of_a_ball_is_what_the_exact_test_says() {
        let mut counts = [0; 3];
        for (mut rng, at, capsule) in capsules(100_000) {
            let sphere = Sphere::new(at + any_point(&mut rng, 2.0).round(), 1.0).unwrap();
            let got = meets_sphere(&capsule, &sphere);
            let exact = capsule.overlaps(&sphere.into());
            assert!(got.is_none_or(|got| got == exact), "{capsule:?} {sphere:?}");
            counts[got.map_or(2, usize::from)] += 1;
        }
        // The undecided ones are on the grid.
        assert!(counts[0] > 20_000 && counts[1] > 10_000 && counts[2] > 100 && counts[2] < 10_000, "{counts:?}");
    }

    #[test]
    fn what_is_certain_of_a_box_is_what_its_gap_says() {
        let mut counts = [0; 3];
        for (case, (mut rng, at, capsule)) in capsules(100_000).enumerate() {
            let center = at + any_point(&mut rng, 2.0).round();
            let turn = Quat::from_xyzw(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5, rng.f32()).normalize();
            let half_extents = any_point(&mut rng, 2.0).abs();
            let body = match case % 5 {
                0 => Obb::new(center, Quat::IDENTITY, half_extents.round()),
                // Its corners are off by more than those of a rotated box.
                1 => Obb::from_half_edges(center, [Vec3::X, Vec3::new(1e-4, 2.0, 0.0), Vec3::new(0.0, -2e-4, 1.0)]),
                2 => Obb::from_half_edges(center, [Vec3::X, Vec3::ONE, any_point(&mut rng, 2.0)]),
                3 => Obb::new(center, turn, half_extents * Vec3::new(1.0, 1.0, 1e-20)),
                _ => Obb::new(center, turn, half_extents),
            };
            let body = body.unwrap();
            let got = meets_obb(&capsule, &body);
            let full = body.aabb().overlaps(&capsule.aabb()) && body.gap_of_capsule(&capsule).separation <= 0.0;
            assert!(got.is_none_or(|got| got == full), "{capsule:?} {body:?}: {got:?}");
            if case % 5 == 4 {
                counts[got.map_or(2, usize::from)] += 1;
            }
        }
        // Few of those that are rotated, but neither skewed nor flat.
        assert!(counts[0] > 5000 && counts[1] > 2000 && counts[2] < 20, "{counts:?}");
    }
}
