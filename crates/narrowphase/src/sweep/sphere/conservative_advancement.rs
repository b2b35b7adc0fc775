//! When two convex bodies that do not rotate first touch.
//!
//! Seen from one of them, the other moves along a straight line, and the gap between them is a convex function of time.
//! Newton's method, started before the first root, then never steps past it, since the tangent lies below the function.
//! Once the function does not fall, it never will again.
//!
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, §2.3 (conservative advancement);
//! the tangent in place of a bound on the speed is what convexity allows.

use crate::{Gap, exact::ROUNDING};
use glam::DVec3;

/// Newton's method doubles the digits at a simple root and adds one bit per step at a double one, where a body only
/// grazes.
const MAX_STEPS: usize = 64;

/// If the path to the nearest approach is longer than the size of both bodies by more than this factor, 2^10, most of
/// the path is skipped before the first evaluation: the gap then keeps 43 of the 53 digits of `f64`.
const FAR: f64 = 1024.0;

/// When two bodies touch, counted from where the search began, and the direction to the one that moves.
pub(in crate::sweep) struct RelativeTouch {
    pub(in crate::sweep) after: f64,
    pub(in crate::sweep) normal: DVec3,
    /// The gap at that time.
    pub(in crate::sweep) gap: Gap,
}

/// The first touch, before the step ends, of two bodies that do not overlap; seen from one, the other moves by
/// `motion`. Their gap is `gap` at the time `from`, and `gap_after` gives it at a time after that. A touch later than
/// `until` may be left out.
#[inline(always)]
pub(in crate::sweep) fn first_touch(
    from: f64,
    mut gap: Gap,
    motion: DVec3,
    gap_after: impl Fn(f64) -> Gap,
    until: f64,
) -> Option<RelativeTouch> {
    let (mut after, mut normal) = (0.0, gap.normal);
    for _ in 0..MAX_STEPS {
        let departure = gap.normal.dot(motion);
        let closes = departure < -4.0 * ROUNDING * motion.length();
        // Where they touch, rounding may pick a feature beside the one that they come to, whose normal is along the
        // motion.
        normal = if closes { gap.normal } else { normal };
        // Bodies that touch at the start and do not close never will. Later on, they are near enough for rounding to
        // hide that they close.
        if gap.separation <= 0.0 && (closes || from + after > 0.0) {
            break;
        }
        if !closes {
            return None;
        }
        after += gap.separation / -departure;
        // No step leads back, so a touch comes later still.
        if from + after >= 1.0 || from + after > until {
            return None;
        }
        gap = gap_after(after);
    }
    Some(RelativeTouch { after, normal, gap })
}

/// A time before any touch of two bodies of this `size` together. The middle of one is at `way` from that of the other,
/// relative to which it moves by `motion`. Zero, unless the way to the nearest approach is so much longer than the
/// bodies are large that it would leave `f64` too few digits for them.
pub(in crate::sweep) fn time_before(way: DVec3, motion: DVec3, size: f64) -> f64 {
    let speed = motion.length();
    let length = -way.dot(motion) / speed;
    if speed == 0.0 || length < FAR * size {
        return 0.0;
    }
    ((length - 2.0 * size) / speed - 8.0 * ROUNDING).clamp(0.0, 1.0)
}
