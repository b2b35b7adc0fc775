//! The distance of two cores: the nearest point of their difference, by simplices of it that come ever nearer.
//!
//! The nearest point `v` of a simplex bounds the distance from above, and the farthest point against it, `w`, from
//! below: the difference lies beyond the plane `v · w` along `v`.
//!
//! Source: Gilbert, Johnson and Keerthi, "A Fast Procedure for Computing the Distance Between Complex Objects in
//! Three-Dimensional Space" (1988); van den Bergen, "Collision Detection in Interactive 3D Environments" (2003), §4.3.

use super::{pair::CorePair, simplex::Simplex};
use crate::exact::ROUNDING;
use glam::DVec3;

/// How many points are tried; fourteen is the most that was seen of solids with corners.
const MAX_ROUNDS: usize = 100;

/// The nearest points of two cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// From the first core to the second.
    pub(super) v: DVec3,
    /// The least that the distance may be; negative if that is not certain to be positive.
    pub(super) low: f64,
    /// Whether the two overlap, or touch up to rounding.
    pub(super) meets: bool,
}

/// Where to begin: the farthest point along the line between two points inside.
pub(super) fn first_simplex(pair: &CorePair) -> Simplex {
    let center = pair.center().w;
    Simplex::new(&[pair.farthest(if center == DVec3::ZERO { DVec3::X } else { -center })])
}

/// The distance of two cores, from any simplex of their difference, which becomes that of the nearest point.
pub(super) fn nearest(pair: &CorePair, simplex: &mut Simplex) -> Nearest {
    let mut last = f64::INFINITY;
    let (mut is_new, mut is_checked) = (false, false);
    for round in 0.. {
        let Some(v) = simplex.nearest(DVec3::ZERO, is_new) else {
            return Nearest { v: DVec3::ZERO, low: 0.0, meets: true };
        };
        let square = v.length_squared();
        let slack = pair.slack(v);
        if square <= slack {
            return Nearest { v, low: 0.0, meets: true };
        }
        let w = pair.farthest(-v);
        let low = v.dot(w.w);
        let is_known = simplex.holds(&w);
        let is_over = round >= MAX_ROUNDS;
        if square - low <= slack || is_known || square >= last || is_over {
            // Not as near as the plane, so that rounding may have ruled out a feature: all of them once more.
            if !is_checked && !is_over && square - low > 4.0 * slack {
                (is_new, is_checked, last) = (false, true, f64::INFINITY);
                if !is_known {
                    simplex.push(w);
                }
                continue;
            }
            let certain = low - pair.error(v);
            return Nearest { v, low: certain / square.sqrt() * (1.0 - 4.0 * ROUNDING), meets: false };
        }
        (last, is_new) = (square, !is_checked);
        simplex.push(w);
    }
    unreachable!("the rounds are counted")
}
