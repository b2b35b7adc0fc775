//! Until when a capsule that moves is certain to be apart from a box.
//!
//! A plane between the two separates them until a time that is known from its normal alone, of the box as it is stored:
//!
//! ```text
//!   N·(C + t V − Q) > |N·A| + r + |N·h₀| + |N·h₁| + |N·h₂|
//! ```
//! for a capsule with half axis `A` around `C`, and a box with half edges `h` around `Q`. Any normal will do, so it may be
//! guessed: it leads from the nearest point of the box to the axis, if the edges were orthogonal. Where the plane no longer
//! separates, the next one is sought: that is conservative advancement, each step of which is certain.
//!
//! Source: as for [`conservative_advancement`](crate::sweep::sphere::conservative_advancement).

use super::CapsuleSweep;
use crate::{
    Obb,
    distance::rod::Rod,
    exact::{ROUNDING, vector::try_normalized},
};
use glam::DVec3;

/// Planes that are sought at most: where a capsule only grazes the box, each halves what is left.
const MAX_PLANES: usize = 12;

/// A plane that separates for a way shorter than this share of the radius, 2^-10, is the last one: squared, what is left
/// is as much as the edges are off square.
const NEAR: f64 = 1.0 / 1024.0;

impl CapsuleSweep {
    /// A time until which the capsule is certain to be apart from a box, infinite where that is forever; `None` where it
    /// is not known to be at the start.
    pub(super) fn apart_until(&self, obb: &Obb) -> Option<f64> {
        let (edges, motion) = (obb.wide_edges(), self.motion.as_dvec3());
        let axes = axes_along(edges)?;
        let [x, y, z] = axes;
        let local = |v: DVec3| DVec3::new(x.dot(v), y.dot(v), z.dot(v));
        let (center, half) = (obb.center().as_dvec3(), self.body.wide_axis());
        let (way, radius) = (self.body.center().as_dvec3() - center, f64::from(self.body.radius()));
        let rod = Rod::new(local(way), local(half), radius);
        let (speed, max) = (local(motion), edges.map(local).iter().fold(DVec3::ZERO, |sum, edge| sum + edge.abs()));

        // More than rounding does here, and where the gap is computed.
        let size = center.abs() + way.abs() + half.abs() + motion.abs() + max.element_sum();
        let margin = 512.0 * ROUNDING * (size.element_sum() + radius);
        let (mut time, mut until) = (0.0, None);
        for _ in 0..MAX_PLANES {
            let (offset, _) = Rod { center: rod.center + speed * time, ..rod }.outside_of([-max, max]);
            let Some(normal) = try_normalized(x * offset.x + y * offset.y + z * offset.z) else { break };
            let reach = edges.iter().fold(radius + normal.dot(half).abs(), |sum, edge| sum + normal.dot(*edge).abs());
            let (apart, departure) = (normal.dot(way) - reach - margin, normal.dot(motion));
            let now = apart + departure * time;
            if now <= 0.0 {
                break;
            }
            if departure >= 0.0 || now > (1.0 - time) * -departure {
                return Some(f64::INFINITY);
            }
            time += now / -departure;
            until = Some(time);
            if now <= NEAR * radius {
                break;
            }
        }
        until
    }
}

/// Unit vectors along the first half edges of a box, and across them; `None` where they have no directions.
fn axes_along([a, b, _]: [DVec3; 3]) -> Option<[DVec3; 3]> {
    let x = try_normalized(a)?;
    let y = try_normalized(b - x * x.dot(b))?;
    Some([x, y, x.cross(y)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capsule, Sweep, minkowski::box_solid::BoxSolid};
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    #[test]
    fn until_then_nothing_touches() {
        let mut rng = Rng::with_seed(SEED);
        let (mut clear, mut later) = (0, 0);
        for case in 0..100_000 {
            let mut vector = |size: f32| Vec3::from([(); 3].map(|()| (2.0 * rng.f32() - 1.0) * size));
            let far = [0.0, 0.0, 1e4, -1e6][case % 4];
            let size = (vector(1.0) + Vec3::splat([1.0, 1.0, 1.001][case % 3])) * [1.0, 1e-3, 30.0][case / 3 % 3];
            let turned = Obb::new(Vec3::splat(far), Quat::from_scaled_axis(vector(3.0)), size.abs()).unwrap();
            // As it is stored, and skewed by more.
            let skew = if case % 5 == 0 { vector(0.2) * size.x } else { Vec3::ZERO };
            let [a, b, c] = turned.half_edges();
            let obb = Obb::from_half_edges(turned.center(), [a, b + skew, c]).unwrap();
            let reach = size.length() + 1.0;
            let (start, aim) = (vector(3.0 * reach), vector(1.2 * reach));
            let radius = vector(0.5).x.abs();
            let body = Capsule::from_half_axis(obb.center() + start, vector(1.0), radius).unwrap();
            let Ok(sweep) = CapsuleSweep::new(body, (aim - start) * 1.3) else { continue };
            let expected = sweep.against_difference(&obb.aabb(), &BoxSolid::from(&obb).difference(), 1.0);
            let Some(until) = sweep.apart_until(&obb) else { continue };
            match expected {
                Sweep::Clear => clear += usize::from(until.is_infinite()),
                Sweep::Hit(hit) => {
                    assert!(until <= f64::from(hit.toi.next_up()), "case {case}: {until} {hit:?} {sweep:?} {obb:?}");
                    later += usize::from(until > 0.9 * f64::from(hit.toi));
                }
                Sweep::Overlap(_) => panic!("case {case}: {until} {sweep:?} {obb:?}"),
            }
        }
        assert!(clear > 10_000 && later > 10_000, "{clear} {later}");
    }
}
