//! The straight sweep of two rounded cores: where the half line along the motion first comes as near to their
//! difference as the sum of their radii.
//!
//! The search for the nearest point of the difference goes on while the point moves: as soon as the plane across `v`
//! that bounds the difference shows that the point may move, it does, as far as to the plane less the radii. A plane's
//! time is that of a tangent of a convex function: never past the root, and near to it after few steps.
//!
//! Source: van den Bergen, "Ray Casting against General Convex Objects with Application to Continuous Collision
//! Detection" (2004).

use super::{
    pair::CorePair,
    portal::{CoreTouch, End},
    simplex::Simplex,
};
use crate::exact::ROUNDING;
use glam::DVec3;

/// How many points are tried; nineteen is the most that was seen of solids with corners.
const MAX_ROUNDS: usize = 400;

/// A plane is moved on to once it gains this share of the way to the nearest point known.
const WORTH_MOVING: f64 = 1.0 / 1024.0;

/// The sweep of the first core by `motion`, which is not zero, from the time `from` until `until`, to where the two are
/// no farther apart than `radius`.
pub(super) fn cast(pair: &CorePair, motion: DVec3, radius: f64, until: f64, from: f64) -> End {
    let center = pair.center();
    if passes(pair, motion, center.w, radius) {
        return End::Clear;
    }
    let mut simplex = Simplex::new(&[center]);
    let (mut time, mut normal) = (from, -motion);
    let hit =
        |time, normal, gap, simplex: Simplex| End::Hit(CoreTouch { time, normal, gap, points: simplex.witnesses() });
    let mut last = f64::INFINITY;
    let (mut is_new, mut is_checked) = (false, false);
    for _ in 0..MAX_ROUNDS {
        let x = motion * time;
        let Some(v) = simplex.nearest(x, is_new && !is_checked) else {
            // The planes never lead inside, so that it is where it starts, or at the surface up to rounding.
            return if time == 0.0 { End::Overlap } else { hit(time, normal, 0.0, simplex) };
        };
        let square = v.length_squared();
        let distance = v.length();
        let moved = 4.0 * ROUNDING * v.abs().dot(x.abs());
        let (slack, error) = (pair.slack(v) + moved, pair.error(v) + moved);
        if square <= slack {
            return if time == 0.0 { End::Overlap } else { hit(time, normal, distance - radius, simplex) };
        }
        let tolerance = 2.0 * slack / distance;
        // The nearest point known belongs to the difference, so a start within the radius of it is inside.
        if time == 0.0 && distance < radius - 2.0 * tolerance - 4.0 * ROUNDING * radius {
            return End::Overlap;
        }
        if time > 0.0 && distance - radius <= tolerance {
            return hit(time, if radius > 0.0 { -v } else { normal }, distance - radius, simplex);
        }
        let w = pair.farthest(-v);
        let low = v.dot(w.w - x);
        let is_known = simplex.holds(&w);
        let is_done = square - low <= slack || is_known || square >= last;
        last = last.min(square);
        let room = low - radius * distance;
        if room > slack && (is_done || room > WORTH_MOVING * (square - radius * distance).max(4096.0 * slack)) {
            let approach = v.dot(motion);
            if approach <= 0.0 {
                return End::Clear;
            }
            normal = -v;
            let step = (room - error) / (approach + 4.0 * ROUNDING * v.abs().dot(motion.abs()));
            if time + step >= until {
                return End::Clear;
            }
            if step <= 4.0 * ROUNDING * time {
                return hit(time, -v, distance - radius, simplex);
            }
            time += step;
            last = f64::INFINITY;
            (is_new, is_checked) = (false, false);
        } else if is_done && !is_checked && square - low > 4.0 * slack {
            // Not as near as the plane, so that rounding may have ruled out a feature: all of them once more.
            (is_checked, last) = (true, f64::INFINITY);
        } else if is_done {
            // In touch up to rounding.
            return if time == 0.0 && room < -slack {
                End::Overlap
            } else if v.dot(motion) <= 0.0 {
                End::Clear
            } else {
                hit(time, -v, distance - radius, simplex)
            };
        } else {
            is_new = true;
        }
        if !is_known {
            simplex.push(w);
        }
    }
    // It converges slowly where it grazes; the time is certain all the same.
    hit(time, normal, f64::INFINITY, simplex)
}

/// Whether the line along the motion passes by on the side on which it leaves the point inside, as most that miss do.
fn passes(pair: &CorePair, motion: DVec3, center: DVec3, radius: f64) -> bool {
    let n = center.cross(motion).cross(motion);
    let room = -n.dot(pair.farthest(n).w) - pair.error(n) - 8.0 * ROUNDING * n.abs().dot(motion.abs());
    room > radius * n.length() * (1.0 + 4.0 * ROUNDING)
}
