//! The first time at which a gap closes, found without ever stepping past it, given the gap at any time: conservative
//! advancement with a bound on the curvature.
//!
//! The gap is `g(t) = s(t) − Σ |f_i(t)|`: the height of the centre, less how far each half edge extends along the
//! normal. With the rates at `t`, and `K` at least as large as any vertex's curvature,
//!
//! ```text
//!   g(t + δ) >= s + s'δ − Σ |f_i + f_i'δ| − ½ K δ²
//!
//!  g │╲                     the right side is concave in δ, so it is positive up to its one root:
//!    │ ╲__                  no touch lies before it, and the gap is evaluated there next.
//!    │  ╲ ╲___              Close to a simple root this is Newton's step, from the left:
//!  ──┼───●────╲●──── t      each doubles the digits.
//! ```
//!
//! Sources: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, §2.3 (conservative advancement,
//! with a bound on the speed); Zhang, Lee and Kim, "Interactive Continuous Collision Detection for Non-Convex
//! Polyhedra", 2006. Bounding the curvature instead of the speed makes the convergence quadratic.

use super::budget::Budget;
use glam::DVec3;
use std::ops::Range;

/// What the caller of a sweep asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToiLimits<'a> {
    /// A gap of no more than this length counts as touching.
    pub(super) skin: f32,
    /// The evaluations that are left.
    pub(super) budget: &'a Budget,
}

/// The gap at one time, as its parts and their rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct GapSample {
    /// The signed distance of the centre, and its rate.
    pub(super) height: f64,
    pub(super) rise: f64,
    /// The half edges along the normal, of either sign, and their rates.
    pub(super) reaches: DVec3,
    pub(super) rates: DVec3,
}

/// Bounds that hold for a whole step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepBounds {
    /// No vertex's height is curved downward by more than this.
    pub(super) curvature: f64,
    /// None is curved upward by more than this.
    pub(super) upward: f64,
    /// No gap is off by more than this.
    pub(super) error: f64,
    /// No rate of a vertex is off by more than this.
    pub(super) rate_error: f64,
    /// A gap of no more than this counts as touching.
    pub(super) skin: f64,
    /// After this many evaluations of the gap the search stops early.
    pub(super) max_evaluations: u32,
    /// What each of them takes off the budget.
    pub(super) cost: u32,
}

/// A search takes about ten evaluations, and about ten more for each full rotation of a body that stays close. Only a
/// body that hovers just above the skin for many rotations needs all of these, and is then stopped early.
pub(super) const MAX_EVALUATIONS: u32 = 4096;

/// The first time in `within` at which the gap is at most the skin and closing, or the plane cuts the box; `None` if
/// there is none.
#[inline]
pub(super) fn first_touch(
    sample: impl Fn(f64) -> GapSample,
    bounds: &StepBounds,
    within: Range<f64>,
    budget: &Budget,
) -> Option<f64> {
    let mut evaluations = 0;
    let touch = search(sample, bounds, within, budget.left(), &mut evaluations);
    budget.take(evaluations * bounds.cost);
    touch
}

/// The same with at most `most` evaluations, which it counts.
#[inline(always)]
fn search(
    sample: impl Fn(f64) -> GapSample,
    bounds: &StepBounds,
    within: Range<f64>,
    most: u32,
    evaluations: &mut u32,
) -> Option<f64> {
    let most = bounds.max_evaluations.min(most);
    let mut time = within.start;
    // Set while the gap is within the skin without closing: the time until which it certainly stays open.
    let mut resting = None;
    while *evaluations < most {
        *evaluations += 1;
        let at = sample(time);
        let gap = at.gap();
        if gap <= bounds.skin {
            // A plane that cuts the box does not separate it from anything, whether it leaves or not.
            if gap < -bounds.error || at.slowest(0.5 * (bounds.skin - gap)) < -bounds.rate_error {
                return Some(resting.unwrap_or(time).min(time));
            }
            resting = Some(time + at.safe_step((gap - bounds.error).max(0.0), at.slope(), bounds.curvature));
        } else {
            resting = None;
        }
        // A body that leaves advances at least by the error of its gap, so that it gets away from where it rests. If it
        // turns back within that step, the answer is the time until which it certainly had not.
        let least = if resting.is_some() { bounds.skin.min(8.0 * bounds.error) } else { 0.0 };
        let gap = if gap - bounds.error > least { gap - bounds.error } else { least };
        let slope = at.slope();
        let step = at.safe_step(gap, slope, bounds.curvature);
        // If the vertex that is lowest now is certain to be within the skin by then, and still closing, no evaluation
        // is needed.
        let highest = gap + 3.0 * bounds.error + (slope + 0.5 * bounds.upward * step) * step;
        let closes = slope + bounds.upward * step < 0.0 && resting.is_none();
        let next = time + step;
        if highest <= bounds.skin && closes && next < within.end {
            return Some(next);
        }
        if next >= within.end {
            return None;
        }
        if next <= time || next.is_nan() {
            return Some(time);
        }
        time = next;
    }
    Some(time)
}

impl GapSample {
    #[inline(always)]
    pub(super) fn gap(&self) -> f64 {
        self.height - sum(self.reaches.abs())
    }

    /// The least rate of the gap of any vertex that is within `skin` of the lowest.
    fn slowest(&self, skin: f64) -> f64 {
        let rate = |reach: f64, rate: f64| if reach.abs() <= skin { rate.abs() } else { rate * reach.signum() };
        let (f, r) = (self.reaches, self.rates);
        self.rise - rate(f.x, r.x) - rate(f.y, r.y) - rate(f.z, r.z)
    }

    /// The rate of the lowest vertex.
    #[inline(always)]
    fn slope(&self) -> f64 {
        self.rise - sum(with_signs(self.rates, sign_bits(self.reaches)))
    }

    /// How long the gap, now no less than `gap`, certainly stays positive; infinite if it always does. `slope` is that
    /// of the lowest vertex.
    fn safe_step(&self, gap: f64, slope: f64, curvature: f64) -> f64 {
        let (square, bend) = (slope * slope, curvature * gap);
        let mut step = if slope < 0.0 && bend < CLOSE * square {
            // No later than the parabola's root, by √(1 + 2y) <= 1 + y: only a little earlier, in half the time.
            -2.0 * gap * slope / (2.0 * square + bend)
        } else {
            root(gap, slope, curvature)
        };
        let mut there = sign_bits(self.reaches + self.rates * step);
        if there == sign_bits(self.reaches) {
            return step;
        }
        // A concave function lies below each parabola that it is made of. The root of the parabola that is lowest at
        // the last root is no later; going back, each edge changes its sign at most once.
        for _ in 0..3 {
            if step == f64::INFINITY {
                // Another vertex may come down: none sooner than with all rates at once.
                return root(gap, self.rise - sum(self.rates.abs()), curvature);
            }
            let slope = self.rise - sum(with_signs(self.rates, there));
            let excess = sum(self.reaches.abs()) - sum(with_signs(self.reaches, there));
            step = root(gap + excess, slope, curvature);
            let signs = sign_bits(self.reaches + self.rates * step);
            if signs == there {
                break;
            }
            there = signs;
        }
        step
    }
}

/// Up to this ratio of curvature times gap to the squared slope, the shorter step is taken.
const CLOSE: f64 = 4.0;

/// The first positive root of `gap + slope δ − ½ curvature δ²`, for a gap and a curvature of zero or more; infinite if
/// there is none.
#[inline(always)]
fn root(gap: f64, slope: f64, curvature: f64) -> f64 {
    let root = (slope * slope + 2.0 * curvature * gap).sqrt();
    if slope < 0.0 {
        2.0 * gap / (root - slope)
    } else if curvature > 0.0 {
        (slope + root) / curvature
    } else {
        f64::INFINITY
    }
}

/// The signs of the three coordinates.
#[inline(always)]
fn sign_bits(v: DVec3) -> [u64; 3] {
    const SIGN: u64 = 1 << 63;
    [v.x.to_bits() & SIGN, v.y.to_bits() & SIGN, v.z.to_bits() & SIGN]
}

/// Each coordinate times its sign.
#[inline(always)]
fn with_signs(v: DVec3, signs: [u64; 3]) -> DVec3 {
    let flipped = |x: f64, sign: u64| f64::from_bits(x.to_bits() ^ sign);
    DVec3::new(flipped(v.x, signs[0]), flipped(v.y, signs[1]), flipped(v.z, signs[2]))
}

#[inline(always)]
fn sum(v: DVec3) -> f64 {
    v.x + v.y + v.z
}
