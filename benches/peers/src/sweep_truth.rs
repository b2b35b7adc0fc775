//! The truth about a moving box and a plane, in `f64` and independent of the competitors' code.

use crate::sweep_peer::{Case, Question, SKIN, Verdict};
use cullide_narrowphase::glam::{DQuat, DVec3};

/// A length: closer to touching than this, either answer is right. The coordinates reach 50, and some competitors take
/// rotations as quaternions.
pub const TOLERANCE: f64 = 1e-4;

/// The number of times in a step at which a box that has not been stopped must not be deep in the plane.
const SAMPLES: usize = 96;

/// The judgement of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Right,
    /// The box starts wholly behind its plane: an overlap for competitors to whom that is solid ground, nothing for
    /// ours.
    Behind,
    /// Too close to call.
    Tie,
    Wrong,
}

/// How far a box is in front of its plane, and how far it reaches from its centre.
fn gap(case: &Case, time: f64, question: Question) -> (f64, f64) {
    let turn = if question == Question::Turning { case.turn.as_dvec3() * time } else { DVec3::ZERO };
    let turn = DQuat::from_scaled_axis(turn);
    let normal = case.normal.as_dvec3().normalize();
    let reach = case.half_edges.iter().map(|edge| normal.dot(turn * edge.as_dvec3()).abs()).sum::<f64>();
    let center = case.center.as_dvec3() + case.motion.as_dvec3() * time;
    (normal.dot(center) + f64::from(case.d) - reach, reach)
}

/// Whether two answers to a case are the same; times are compared by the distance that they make.
pub fn agree(case: &Case, a: Verdict, b: Verdict) -> bool {
    match (a, b) {
        (Verdict::Hit(a), Verdict::Hit(b)) => {
            let speed = case.normal.dot(case.motion).abs();
            f64::from((a - b).abs() * speed) <= TOLERANCE
        }
        (a, b) => a == b,
    }
}

/// Judges an answer to a question about a case.
pub fn judge(case: &Case, question: Question, verdict: Verdict) -> Judgement {
    let (start, reach) = gap(case, 0.0, question);
    if start + 2.0 * reach < -TOLERANCE {
        return if matches!(verdict, Verdict::Hit(_)) { Judgement::Wrong } else { Judgement::Behind };
    }
    if start.abs() <= TOLERANCE || (start + 2.0 * reach).abs() <= TOLERANCE {
        return Judgement::Tie;
    }
    let is_right = match (start < 0.0, verdict) {
        (true, verdict) => verdict == Verdict::Overlap,
        (false, Verdict::Overlap) => false,
        (false, Verdict::Clear) => stays_clear(case, question, 1.0),
        (false, Verdict::Hit(toi)) => {
            let skin = if question == Question::Turning { f64::from(SKIN) } else { 0.0 };
            let (left, _) = gap(case, toi.into(), question);
            (-TOLERANCE..=skin + TOLERANCE).contains(&left) && stays_clear(case, question, toi.into())
        }
    };
    if is_right {
        Judgement::Right
    } else if question != Question::Turning && gap(case, 1.0, question).0.abs() <= TOLERANCE {
        Judgement::Tie
    } else {
        Judgement::Wrong
    }
}

/// Whether a box that starts in front stays out of the plane up to a time. Without rotation it is closest at one of the
/// ends.
fn stays_clear(case: &Case, question: Question, until: f64) -> bool {
    let samples = if question == Question::Turning { SAMPLES } else { 1 };
    (1..=samples).all(|i| gap(case, until * i as f64 / samples as f64, question).0 >= -TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::glam::Vec3;

    /// A 2 × 3 × 5 box at some height above the ground that falls, or makes one turn about x.
    fn case(height: f32, fall: f32, turn: f32) -> Case {
        let half_edges = [Vec3::X, Vec3::Y * 1.5, Vec3::Z * 2.5];
        let (center, motion) = (Vec3::Y * height, Vec3::NEG_Y * fall);
        Case { center, half_edges, motion, turn: Vec3::X * turn, normal: Vec3::Y, d: 0.0 }
    }

    #[test]
    fn a_hit_is_right_when_the_gap_is_gone_by_then() {
        let falls = case(5.5, 8.0, 0.0);
        let judged = |verdict| judge(&falls, Question::Contacts, verdict);
        assert_eq!(judged(Verdict::Hit(0.5)), Judgement::Right);
        for wrong in [Verdict::Hit(0.499), Verdict::Hit(0.501), Verdict::Clear, Verdict::Overlap] {
            assert_eq!(judged(wrong), Judgement::Wrong, "{wrong:?}");
        }
    }

    #[test]
    fn what_touches_at_an_end_or_starts_behind_may_be_either() {
        assert_eq!(judge(&case(5.5, 4.0, 0.0), Question::Time, Verdict::Clear), Judgement::Right);
        assert_eq!(judge(&case(5.5, 3.9999, 0.0), Question::Time, Verdict::Overlap), Judgement::Tie);
        assert_eq!(judge(&case(1.5, 4.0, 0.0), Question::Time, Verdict::Overlap), Judgement::Tie);
        assert_eq!(judge(&case(-2.0, 4.0, 0.0), Question::Time, Verdict::Clear), Judgement::Behind);
        assert_eq!(judge(&case(0.0, 4.0, 0.0), Question::Time, Verdict::Clear), Judgement::Wrong);
    }

    #[test]
    fn a_turning_box_may_touch_between_the_ends() {
        let spins = case(2.0, 0.0, std::f32::consts::PI);
        let judged = |verdict| judge(&spins, Question::Turning, verdict);
        // 1.5 cos a + 2.5 sin a = 2.
        let toi = ((2.0f64 / 8.5f64.sqrt()).asin() - 1.5f64.atan2(2.5)) / std::f64::consts::PI;
        assert_eq!(judged(Verdict::Hit(toi as f32)), Judgement::Right);
        assert_eq!(judged(Verdict::Clear), Judgement::Wrong);
        assert_eq!(judged(Verdict::Hit(0.9)), Judgement::Wrong);
        assert_eq!(judge(&spins, Question::Contacts, Verdict::Clear), Judgement::Right);
    }

    #[test]
    fn times_differ_when_it_makes_a_difference_in_place() {
        let slow = case(5.5, 0.01, 0.0);
        assert!(agree(&slow, Verdict::Hit(0.5), Verdict::Hit(0.501)));
        assert!(!agree(&case(5.5, 8.0, 0.0), Verdict::Hit(0.5), Verdict::Hit(0.501)));
        assert!(!agree(&slow, Verdict::Hit(0.5), Verdict::Clear));
    }
}
