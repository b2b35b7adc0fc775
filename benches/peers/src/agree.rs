//! Whether two competitors agree, and which one is right if they do not: brute force in `f64`, which also says what
//! rounding may explain.
//!
//! A competitor computes in `f32`. Growing and shrinking every box by a few roundings of its coordinates and the path's
//! gives the earliest and the latest entry that such a computation may find; an answer outside that range is wrong.

use crate::{
    peer::{Bounds, Path, Plane, Reach},
    question::{Answers, Question},
};
use std::{cmp::Ordering, ops::AddAssign};

/// Entries that differ by at most this, relatively, count as the same answer.
const SAME: f64 = 4.0 * f32::EPSILON as f64;

/// How far rounding may move a value, relative to the coordinates involved.
const ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// How many answers differ from those of the first competitor, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// By no more than rounding may explain.
    pub ties: usize,
    /// Because the competitor is wrong.
    pub wrong: usize,
    /// Because the first competitor is wrong.
    pub first_wrong: usize,
}

impl AddAssign for Verdict {
    fn add_assign(&mut self, other: Self) {
        self.ties += other.ties;
        self.wrong += other.wrong;
        self.first_wrong += other.first_wrong;
    }
}

/// Compares answers with those of the first competitor, up to the end of the shorter list.
pub fn compare(boxes: &[Bounds], question: &Question, first: &Answers, other: &Answers) -> Verdict {
    let mut verdict = Verdict::default();
    match (question, first, other) {
        (Question::Closest(paths, reach), Answers::Entries(first), Answers::Entries(other)) => {
            for ((path, a), b) in paths.iter().zip(first).zip(other).filter(|((_, a), b)| !same(**a, **b)) {
                let range = entry_range(boxes, path, *reach);
                verdict.judge(range.allows(*a), range.allows(*b));
            }
        }
        (Question::Overlap(queries), Answers::Counts(first), Answers::Counts(other)) => {
            for ((query, a), b) in queries.iter().zip(first).zip(other).filter(|((_, a), b)| a != b) {
                let count = boxes.iter().filter(|bounds| overlap(bounds, query)).count() as u32;
                verdict.judge(*a == count, *b == count);
            }
        }
        (Question::Cull(frusta), Answers::Seen(first), Answers::Seen(other)) => {
            for ((planes, a), b) in frusta.iter().zip(first).zip(other) {
                let (a, b) = (flags(boxes.len(), a), flags(boxes.len(), b));
                for (bounds, (a, b)) in boxes.iter().zip(a.into_iter().zip(b)).filter(|(_, (a, b))| a != b) {
                    // A box that is reported twice is wrong as well.
                    let fits = |times: u32| match sight(bounds, planes) {
                        Some(seen) => times == u32::from(seen),
                        None => times <= 1,
                    };
                    verdict.judge(fits(a), fits(b));
                }
            }
        }
        _ => unreachable!("answers are of the question's kind"),
    }
    verdict
}

/// For the first competitor alone: how many members of its culled sets contradict the six planes.
pub fn misjudged(boxes: &[Bounds], question: &Question, first: &Answers) -> usize {
    let (Question::Cull(frusta), Answers::Seen(first)) = (question, first) else { return 0 };
    let wrong = |(planes, seen): (&[Plane; 6], &Vec<u32>)| {
        let times = flags(boxes.len(), seen);
        let contradicts = |(bounds, times): (&Bounds, u32)| match sight(bounds, planes) {
            Some(seen) => times != u32::from(seen),
            None => times > 1,
        };
        boxes.iter().zip(times).filter(|&pair| contradicts(pair)).count()
    };
    frusta.iter().zip(first).map(wrong).sum()
}

impl Verdict {
    fn judge(&mut self, first_fits: bool, other_fits: bool) {
        match (first_fits, other_fits) {
            (true, true) => self.ties += 1,
            (true, false) => self.wrong += 1,
            (false, true) => self.first_wrong += 1,
            (false, false) => {
                self.wrong += 1;
                self.first_wrong += 1;
            }
        }
    }
}

fn same(a: Option<f32>, b: Option<f32>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => f64::from((a - b).abs()) <= SAME * f64::from(a.max(b)),
        (a, b) => a == b,
    }
}

/// The range of entries that `f32` may find; infinite for a miss.
struct EntryRange {
    earliest: f64,
    latest: f64,
}

impl EntryRange {
    fn allows(&self, entry: Option<f32>) -> bool {
        let entry = entry.map_or(f64::INFINITY, f64::from);
        self.earliest * (1.0 - ROUNDING) <= entry && entry <= self.latest * (1.0 + ROUNDING)
    }
}

fn entry_range(boxes: &[Bounds], [start, delta]: &Path, reach: Reach) -> EntryRange {
    let limit = f64::from(reach.limit());
    let (start, delta) = (start.map(f64::from), delta.map(f64::from));
    let mut range = EntryRange { earliest: f64::INFINITY, latest: f64::INFINITY };
    for bounds in boxes {
        let [min, max] = bounds.map(|corner| corner.map(f64::from));
        let slack: [f64; 3] = std::array::from_fn(|i| ROUNDING * (start[i].abs() + min[i].abs().max(max[i].abs())));
        let entry = |sign: f64| {
            let (mut enter, mut exit) = (0.0f64, limit * (1.0 + sign * ROUNDING));
            for i in 0..3 {
                let (low, high) = (min[i] - sign * slack[i], max[i] + sign * slack[i]);
                if delta[i] == 0.0 {
                    if !(low..=high).contains(&start[i]) {
                        return f64::INFINITY;
                    }
                    continue;
                }
                let (a, b) = ((low - start[i]) / delta[i], (high - start[i]) / delta[i]);
                enter = enter.max(a.min(b));
                exit = exit.min(a.max(b));
            }
            if enter <= exit { enter } else { f64::INFINITY }
        };
        range.earliest = range.earliest.min(entry(1.0));
        range.latest = range.latest.min(entry(-1.0));
    }
    range
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|i| a[0][i] <= b[1][i] && b[0][i] <= a[1][i])
}

/// Whether a box is not wholly behind any of the planes; `None` if that is a matter of rounding.
fn sight([min, max]: &Bounds, planes: &[Plane; 6]) -> Option<bool> {
    let mut sight = Some(true);
    for plane in planes {
        let [a, b, c, d] = plane.map(f64::from);
        let corner = |i: usize, normal: f64| f64::from(if normal >= 0.0 { max[i] } else { min[i] });
        let terms = [a * corner(0, a), b * corner(1, b), c * corner(2, c), d];
        let (distance, slack) = (terms.iter().sum::<f64>(), ROUNDING * terms.iter().map(|x| x.abs()).sum::<f64>());
        match distance.partial_cmp(&0.0) {
            Some(Ordering::Less) if distance < -slack => return Some(false),
            _ if distance <= slack => sight = None,
            _ => {}
        }
    }
    sight
}

/// How often each of `count` numbers occurs.
fn flags(count: usize, numbers: &[u32]) -> Vec<u32> {
    let mut times = vec![0; count];
    for &number in numbers {
        times[number as usize] += 1;
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOXES: [Bounds; 2] = [[[1.0, 1.0, 1.0], [3.0, 4.0, 6.0]], [[7.0, 1.0, 1.0], [9.0, 4.0, 6.0]]];

    fn cast(first: Option<f32>, other: Option<f32>, start: [f32; 3]) -> Verdict {
        let question = Question::Closest(vec![[start, [1.0, 0.0, 0.0]]], Reach::Distance(100.0));
        compare(&BOXES, &question, &Answers::Entries(vec![first]), &Answers::Entries(vec![other]))
    }

    #[test]
    fn the_one_who_is_wrong_is_named() {
        let start = [-1.0, 2.0, 2.0];
        assert_eq!(cast(Some(2.0), Some(2.000_000_2), start), Verdict::default());
        assert_eq!(cast(Some(2.0), Some(8.0), start), Verdict { wrong: 1, ..Verdict::default() });
        assert_eq!(cast(None, Some(2.0), start), Verdict { first_wrong: 1, ..Verdict::default() });
    }

    #[test]
    fn a_path_along_a_face_may_go_either_way() {
        assert_eq!(cast(Some(2.0), None, [-1.0, 4.0, 2.0]), Verdict { ties: 1, ..Verdict::default() });
    }

    #[test]
    fn what_is_seen_is_what_no_plane_has_behind_it() {
        let question = Question::Cull(vec![[[-1.0, 0.0, 0.0, 5.0]; 6]]);
        let seen = |numbers: &[u32]| Answers::Seen(vec![numbers.to_vec()]);
        assert_eq!(compare(&BOXES, &question, &seen(&[0]), &seen(&[0])), Verdict::default());
        assert_eq!(compare(&BOXES, &question, &seen(&[0]), &seen(&[0, 1])).wrong, 1);
        assert_eq!(
            (misjudged(&BOXES, &question, &seen(&[0])), misjudged(&BOXES, &question, &seen(&[0, 0, 1]))),
            (0, 2)
        );
    }
}
