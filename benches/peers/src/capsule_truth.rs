//! The truth about a capsule and a shape, in `f64` and independent of the competitors' code. Distances from points are
//! the textbook ones; the minimum along the axis, or over the motion, is found by ternary search, since both functions
//! are convex.

use crate::capsule_peer::{Answer, Pair, Question, Rest};
use cullide_narrowphase::glam::DVec3;

/// A length: closer to touching than this, either answer is right. The coordinates reach 70.
pub const TOLERANCE: f64 = 1e-3;

/// Times that differ by at most this, as fractions of the motion, are the same.
pub const SAME_TIME: f32 = 1e-3;

/// Each step narrows the range to two thirds: together, to 1e-10 of it.
const NARROWINGS: usize = 57;

/// The judgement of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Right,
    /// Too close to touching to call.
    Tie,
    Wrong,
}

/// Whether two answers are the same.
pub fn agree(a: Answer, b: Answer) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= SAME_TIME,
        (a, b) => a == b,
    }
}

/// Judges an answer to a question about a pair.
pub fn judge(pair: &Pair, question: Question, answer: Answer) -> Judgement {
    let [start, motion] = match question {
        Question::Sweep => [pair.start, pair.motion].map(|v| v.as_dvec3()),
        Question::Overlap => [pair.place.as_dvec3(), DVec3::ZERO],
    };
    let gap = |time: f64| gap(pair, start + motion * time);
    // The way is left early enough for what only passes, and reaches the least distance otherwise.
    let nearest = if question == Question::Sweep { least(0.0, 1.0, &gap) } else { 0.0 };
    let truth = (gap(nearest) <= 0.0).then(|| first(nearest, &gap) as f32);
    if agree(truth, answer) {
        return Judgement::Right;
    }
    let is_near = match answer {
        // Shapes that touch without coming closer may or may not meet.
        None => gap(nearest) >= -TOLERANCE,
        Some(time) => gap(time.into()).abs() <= TOLERANCE && truth.is_none_or(|truth| time <= truth + SAME_TIME),
    };
    if is_near { Judgement::Tie } else { Judgement::Wrong }
}

/// The distance of the capsule's surface from the shape, with its centre here; negative if they overlap.
fn gap(pair: &Pair, center: DVec3) -> f64 {
    let (half, at) = (pair.half_axis.as_dvec3(), pair.at.as_dvec3());
    let beyond = |place: f64| distance(&pair.rest, center + half * place - at);
    beyond(least(-1.0, 1.0, &beyond)) - f64::from(pair.radius)
}

/// The distance of a point from a shape around the origin; for a ball, a capsule and a plane it is negative inside.
fn distance(rest: &Rest, point: DVec3) -> f64 {
    let beyond_box = |axes: [DVec3; 3], half_extents: [f64; 3]| {
        let beyond = |i: usize| (axes[i].dot(point).abs() - half_extents[i]).max(0.0);
        DVec3::new(beyond(0), beyond(1), beyond(2)).length()
    };
    match *rest {
        Rest::Aabb { half_extents } => beyond_box(DVec3::AXES, half_extents.as_dvec3().to_array()),
        Rest::Obb { half_edges } => {
            let edges = half_edges.map(|edge| edge.as_dvec3());
            beyond_box(edges.map(DVec3::normalize), edges.map(DVec3::length))
        }
        Rest::Ball { radius } => point.length() - f64::from(radius),
        Rest::Capsule { half_axis, radius } => {
            let half = half_axis.as_dvec3();
            let place = (point.dot(half) / half.length_squared()).clamp(-1.0, 1.0);
            point.distance(half * place) - f64::from(radius)
        }
        Rest::Plane { normal } => normal.as_dvec3().normalize().dot(point),
    }
}

/// The argument that minimizes a convex function.
fn least(mut low: f64, mut high: f64, f: &impl Fn(f64) -> f64) -> f64 {
    for _ in 0..NARROWINGS {
        let third = (high - low) / 3.0;
        if f(low + third) <= f(high - third) { high -= third } else { low += third }
    }
    // For a linear function the minimum is at an end.
    let middle = 0.5 * (low + high);
    [low, middle, high].into_iter().min_by(|a, b| f(*a).total_cmp(&f(*b))).unwrap_or(middle)
}

/// The first time at which a convex function is at most 0, given a later one, `nearest`, at which it is.
fn first(nearest: f64, f: &impl Fn(f64) -> f64) -> f64 {
    let (mut before, mut after) = (0.0, nearest);
    if f(before) <= 0.0 {
        return before;
    }
    for _ in 0..2 * NARROWINGS {
        let middle = 0.5 * (before + after);
        if f(middle) > 0.0 { before = middle } else { after = middle }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::glam::Vec3;

    /// An upright capsule 2 units from the side of a box of 2 × 3 × 5, moving past it by half its motion.
    fn pair() -> Pair {
        Pair {
            half_axis: Vec3::Y * 2.0,
            radius: 1.0,
            start: Vec3::new(-4.0, 3.0, 0.0),
            motion: Vec3::X * 4.0,
            place: Vec3::new(-2.0, 4.5, 0.0),
            at: Vec3::ZERO,
            rest: Rest::Aabb { half_extents: Vec3::new(1.0, 1.5, 2.5) },
        }
    }

    #[test]
    fn a_time_too_early_or_too_late_is_wrong() {
        let pair = pair();
        let of = |answer| judge(&pair, Question::Sweep, answer);
        assert_eq!([of(Some(0.5)), of(Some(0.4995)), of(Some(0.5009))], [Judgement::Right; 3]);
        assert_eq!([of(Some(0.49)), of(Some(0.51)), of(Some(0.0)), of(None)], [Judgement::Wrong; 4]);
    }

    #[test]
    fn a_near_miss_is_a_tie_whatever_is_answered() {
        // At an edge of the box, so far above and beside it that the end of the capsule is 1 away.
        let place = Vec3::new(-1.0 - 0.6, 1.5 + 0.8 + 2.0, 0.0);
        let of = |place, answer| judge(&Pair { place, ..pair() }, Question::Overlap, answer);
        let [near, far] = [0.0005, 0.01].map(|x| place - Vec3::X * x);
        assert_eq!([of(near, None), of(near, Some(0.0))], [Judgement::Right, Judgement::Tie]);
        assert_eq!([of(far, None), of(far, Some(0.0))], [Judgement::Right, Judgement::Wrong]);
    }
}
