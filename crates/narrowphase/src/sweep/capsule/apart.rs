//! The time until which a moving capsule is certain to be apart from a box.
//!
//! A plane between the two separates them until a time that follows from its normal alone, for the box as stored:
//!
//! ```text
//!   N·(C + t V − Q) > |N·A| + r + |N·h₀| + |N·h₁| + |N·h₂|
//! ```
//! for a capsule with half axis `A` around `C`, and a box with half edges `h` around `Q`. Any normal will do; here it
//! leads to the axis from the nearest point of the box, found in the frame of the box's edges. When the plane no longer
//! separates, the next one is sought: this is conservative advancement, each step of which is certain.
//!
//! Source: as for [`conservative_advancement`](crate::sweep::sphere::conservative_advancement).

use super::CapsuleSweep;
use crate::{
    distance::{rod::Rod, square_box::SquareBox},
    exact::{ROUNDING, vector::try_normalized},
};

/// The most planes that are sought: if a capsule only grazes the box, each halves what is left.
const MAX_PLANES: usize = 12;

/// A gap below this share of the radius, 2^-10, is near: the next plane would be off by as much as the edges are from
/// perpendicular.
const NEAR: f64 = 1.0 / 1024.0;

/// The time until which a capsule is certain to be apart from a box.
pub(super) enum Apart {
    /// Over the whole step, or while moving away or along.
    Always,
    Until(f64),
    /// It may overlap the box at the start.
    Unknown,
}

impl CapsuleSweep {
    pub(super) fn apart_from(&self, solid: &SquareBox) -> Apart {
        let (half, motion) = (self.body.wide_axis(), self.motion.as_dvec3());
        let (way, radius) = (self.body.center().as_dvec3() - solid.center, f64::from(self.body.radius()));
        let rod = Rod::new(solid.in_frame(way), solid.in_frame(half), radius);
        let ([x, y, z], velocity) = (solid.axes, solid.in_frame(motion));

        // Far more than rounding does here and where the gap is computed: so nothing touches where this says that it is
        // apart.
        let size = solid.center.abs() + way.abs() + half.abs() + motion.abs() + solid.half.element_sum();
        let margin = 512.0 * ROUNDING * (size.element_sum() + radius);
        let (mut time, mut apart) = (0.0, Apart::Unknown);
        for _ in 0..MAX_PLANES {
            let there = Rod { center: rod.center + velocity * time, ..rod };
            let bounds = [-solid.half, solid.half];
            let offset = there.excess(bounds, there.nearest_to_box(bounds));
            let Some(normal) = try_normalized(x * offset.x + y * offset.y + z * offset.z) else { break };
            let reach = radius + normal.dot(half).abs() + solid.reach(normal);
            let departure = normal.dot(motion);
            let gap = normal.dot(way) - reach - margin + departure * time;
            if gap <= 0.0 {
                break;
            }
            if gap > (1.0 - time) * -departure {
                return Apart::Always;
            }
            time += gap / -departure;
            apart = Apart::Until(time);
            if gap <= NEAR * radius {
                break;
            }
        }
        apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capsule, Obb};
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    #[test]
    fn nothing_touches_before_the_capsule_may_not_be_apart() {
        let mut rng = Rng::with_seed(SEED ^ 67);
        let mut any_point = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let (mut always, mut near) = (0, 0);
        for _ in 0..20_000 {
            let turn = Quat::from_scaled_axis(any_point(3.0));
            let obb = Obb::new(any_point(2.0), turn, any_point(2.0).abs()).unwrap();
            let capsule = Capsule::from_half_axis(any_point(5.0), any_point(1.0), 0.25).unwrap();
            let sweep = CapsuleSweep::new(capsule, any_point(8.0)).unwrap();
            let Some(square) = SquareBox::new(&obb) else { continue };
            let until = match sweep.apart_from(&square) {
                Apart::Always => 1.0,
                Apart::Until(time) => time,
                Apart::Unknown => {
                    assert!(obb.gap_of_capsule(&capsule).separation < 1e-6, "{sweep:?} {obb:?}");
                    continue;
                }
            };
            let (start, motion) = (Rod::from(&capsule), sweep.motion.as_dvec3());
            let separation = |time: f64| sweep.gap_from(&start.moved(motion * time), &obb).separation;
            for share in 0..=8 {
                let time = until * f64::from(share) / 8.0;
                assert!(separation(time) > 0.0, "{time} of {until}: {sweep:?} {obb:?}");
            }
            always += usize::from(until == 1.0);
            near += usize::from(separation(until) < 1e-3);
        }
        assert!(always > 5_000 && near > 800, "{always} {near}");
    }
}
