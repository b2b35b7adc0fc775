//! Many translating boxes against a plane, or many planes against a translating box, from columns of numbers.
//!
//! Each coordinate of all boxes lies together, so that sixteen of them fill a vector; what a caller keeps in columns
//! anyway is swept without being moved. The answers are those of
//! [`BoxSweep::against_plane`](crate::BoxSweep::against_plane), bit for bit, on any processor.

mod boxes;
mod lanes;
mod planes;

pub use boxes::BoxColumns;
pub use planes::PlaneColumns;

use crate::PlaneTouch;
use lanes::LANES;

/// Appends `count` answers: those of `whole` for each group of sixteen; for the remainder those of `last` for the last
/// sixteen pairs, or for as many as there are; and those of `alone` for the pairs that these leave open.
#[inline(always)]
fn append(
    answers: &mut Vec<PlaneTouch>,
    count: usize,
    whole: impl Fn(usize) -> ([PlaneTouch; LANES], u32),
    last: impl FnOnce() -> ([PlaneTouch; LANES], u32),
    alone: impl Fn(usize) -> PlaneTouch,
) {
    let before = answers.len();
    let settle = |answers: &mut [PlaneTouch], first: usize, mut open: u32| {
        while open != 0 {
            let pair = first + open.trailing_zeros() as usize;
            if pair < count {
                answers[before + pair] = alone(pair);
            }
            open &= open - 1;
        }
    };
    answers.reserve(count);
    for group in 0..count / LANES {
        let (touches, open) = whole(group);
        answers.extend_from_slice(&touches);
        if open != 0 {
            settle(answers, group * LANES, open);
        }
    }
    if !count.is_multiple_of(LANES) {
        let (touches, open) = last();
        let first = count.saturating_sub(LANES);
        answers.truncate(before + first);
        answers.extend_from_slice(&touches[..count.min(LANES)]);
        settle(answers, first, open);
    }
}

#[cfg(test)]
mod tests;
