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

/// Appends `count` answers, for which there are whole groups of sixteen: those of `group`, and those of `alone` for the
/// pairs that it leaves open.
#[inline(always)]
fn append(
    answers: &mut Vec<PlaneTouch>,
    count: usize,
    group: impl Fn(usize) -> ([PlaneTouch; LANES], u32),
    alone: impl Fn(usize) -> PlaneTouch,
) {
    let before = answers.len();
    answers.reserve(count.next_multiple_of(LANES));
    for g in 0..count.div_ceil(LANES) {
        let (touches, mut open) = group(g);
        answers.extend_from_slice(&touches);
        while open != 0 {
            let pair = g * LANES + open.trailing_zeros() as usize;
            if pair < count {
                answers[before + pair] = alone(pair);
            }
            open &= open - 1;
        }
    }
    answers.truncate(before + count);
}

#[cfg(test)]
mod tests;
