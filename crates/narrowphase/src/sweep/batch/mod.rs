//! Many translating boxes against a plane, or many planes against a translating box, from columns of numbers.
//!
//! One coordinate of all boxes lies together, so that sixteen of them fill a vector; what a caller keeps in columns anyway is swept
//! without being moved. Answers are those of [`BoxSweep::against_plane`](crate::BoxSweep::against_plane), bit for bit, on any processor.

mod boxes;
mod lanes;
mod planes;
mod touch;

pub use boxes::BoxColumns;
pub use planes::PlaneColumns;
pub use touch::PlaneTouch;

use lanes::LANES;

/// Appends `count` answers: those of a `whole` group of sixteen, and of the `rest` from the given one on; of pairs that these leave open,
/// `alone`.
#[inline(always)]
fn append(
    answers: &mut Vec<PlaneTouch>,
    count: usize,
    whole: impl Fn(usize) -> ([PlaneTouch; LANES], u32),
    rest: impl FnOnce(usize) -> ([PlaneTouch; LANES], u32),
    alone: impl Fn(usize) -> PlaneTouch,
) {
    let first = answers.len();
    let settle = |answers: &mut [PlaneTouch], group: usize, mut open: u32| {
        while open != 0 {
            let pair = group * LANES + open.trailing_zeros() as usize;
            if pair < count {
                answers[first + pair] = alone(pair);
            }
            open &= open - 1;
        }
    };
    answers.reserve(count);
    let groups = count / LANES;
    for group in 0..groups {
        let (touches, open) = whole(group);
        answers.extend_from_slice(&touches);
        if open != 0 {
            settle(answers, group, open);
        }
    }
    if count > groups * LANES {
        let (touches, open) = rest(groups * LANES);
        answers.extend_from_slice(&touches[..count - groups * LANES]);
        settle(answers, groups, open);
    }
}

#[cfg(test)]
mod tests;
