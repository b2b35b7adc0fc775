//! Which boxes overlap, found without any library: sort and sweep, strip by strip.
//!
//! ```text
//!   y │ ▭   ▭▭   one strip: sorted by min x, each box against those that begin before it ends
//!   ──┼──▭──────  a box lies in every strip that it reaches; the pair belongs to the strip
//!     │    ▭▭    in which the later of the two begins
//! ```
//! Source: Cohen, Lin, Manocha and Ponamgi, "I-COLLIDE", 1995. The strips make it n^(4/3) instead of n^(5/3).

use crate::peer::Bounds;
use std::ops::AddAssign;

/// All pairs of overlapping boxes, touching ones included, the smaller index first, sorted.
pub fn pairs(boxes: &[Bounds]) -> Vec<(u32, u32)> {
    let low = boxes.iter().map(|b| b[0][1]).fold(f32::INFINITY, f32::min);
    let high = boxes.iter().map(|b| b[1][1]).fold(f32::NEG_INFINITY, f32::max);
    let count = (boxes.len() as f32).cbrt().ceil().max(1.0);
    // Monotone in y, which is all that correctness needs; the conversion saturates.
    let strip = |y: f32| (((y - low) / (high - low) * count) as usize).min(count as usize - 1);
    let mut strips: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
    for (i, bounds) in (0u32..).zip(boxes) {
        strips[strip(bounds[0][1])..=strip(bounds[1][1])].iter_mut().for_each(|members| members.push(i));
    }
    let mut pairs = Vec::new();
    for (number, members) in strips.iter_mut().enumerate() {
        members.sort_unstable_by(|&a, &b| boxes[a as usize][0][0].total_cmp(&boxes[b as usize][0][0]));
        for (at, &a) in members.iter().enumerate() {
            let end = boxes[a as usize][1][0];
            for &b in members[at + 1..].iter().take_while(|&&b| boxes[b as usize][0][0] <= end) {
                let (first, second) = (&boxes[a as usize], &boxes[b as usize]);
                if overlap(first, second) && strip(first[0][1].max(second[0][1])) == number {
                    pairs.push((a.min(b), a.max(b)));
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// How a competitor's pairs compare with the true ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of pairs that it has.
    pub near: usize,
    /// The number of true pairs.
    pub overlapping: usize,
    /// True pairs that are missing, and pairs that it has twice or of a box with itself.
    pub wrong: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.near += other.near;
        self.overlapping += other.overlapping;
        self.wrong += other.wrong;
    }
}

/// Compares near pairs with the true ones of the same boxes, as returned by [`pairs`]; leaves the overlapping ones in
/// `found`.
pub fn judge(found: &mut Vec<(u32, u32)>, boxes: &[Bounds], truth: &[(u32, u32)]) -> Tally {
    let count = found.len();
    found.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
    found.sort_unstable();
    found.dedup();
    found.retain(|(a, b)| a != b);
    let surplus = count - found.len();
    found.retain(|&(a, b)| overlap(&boxes[a as usize], &boxes[b as usize]));
    let missing = truth.iter().filter(|pair| found.binary_search(pair).is_err()).count();
    // A pair that overlaps but is not among the true ones is an error of the truth: it counts, so that it shows.
    let unknown = found.len() + missing - truth.len();
    Tally { near: count, overlapping: truth.len(), wrong: surplus + missing + unknown }
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|i| a[0][i] <= b[1][i] && b[0][i] <= a[1][i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{city, uniform};

    #[test]
    fn the_sweep_finds_what_comparing_all_boxes_finds() {
        for boxes in [uniform(500, 1), city(600, 1), uniform(1, 1), Vec::new()] {
            let n = boxes.len();
            let all: Vec<(u32, u32)> = (0..n)
                .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
                .filter(|&(a, b)| overlap(&boxes[a], &boxes[b]))
                .map(|(a, b)| (a as u32, b as u32))
                .collect();
            assert_eq!(pairs(&boxes), all);
        }
    }

    #[test]
    fn boxes_that_touch_and_flat_boxes_are_pairs() {
        let boxes = [[[0.0; 3], [2.0, 3.0, 5.0]], [[2.0, 3.0, 5.0], [4.0, 3.0, 5.0]], [[9.0; 3], [9.0; 3]]];
        assert_eq!(pairs(&boxes), [(0, 1)]);
        assert_eq!(pairs(&[[[1.0; 3]; 2]; 3]), [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn a_missing_pair_is_wrong_and_so_is_one_twice_but_not_one_that_is_merely_near() {
        let boxes = [[[0.0; 3], [2.0, 3.0, 5.0]], [[1.0; 3], [4.0; 3]], [[8.0; 3], [9.0; 3]]];
        let wrong = |near: &[(u32, u32)]| judge(&mut near.to_vec(), &boxes, &[(0, 1)]).wrong;
        assert_eq!([wrong(&[(1, 0)]), wrong(&[(0, 1), (0, 2)])], [0, 0]);
        assert_eq!([wrong(&[(0, 2)]), wrong(&[(0, 1), (1, 0)]), wrong(&[(0, 1), (2, 2)])], [1, 1, 1]);
    }
}
