//! Rounds: where most leaves could live for a few frames only, all live equally long, and are made anew in the same frame.
//!
//! ```text
//!   frame      0          1        2        3        4 ...
//!   leaves     all new    kept     kept     kept     all new           each enlarged by the way until then
//!   pairs      all found  tested   tested   tested   all found         of what is found, one in five is a pair
//! ```
//! To make all leaves anew, packed in order, costs a quarter of what it costs to place them one by one; to test what was found costs a
//! quarter of that. So the mean frame of 64,000 boxes that move by half their size is 0.6 times as long as when all are found each frame,
//! and the longest is 2.5 times the mean. A body that turns leaves its box early, and is placed alone: the straighter they go, the less margin
//! leaves have.

use super::fat::SIDEWAYS;
use crate::{
    lanes::{Simd, eight::longest8},
    simd_aabb::SimdAabb,
};

/// Frames of a round at most. Leaves that could live longer do so at times of their own, so that no frame has all the work.
const LONGEST: usize = 8;

/// A leaf could live until its body has moved by so much of its size, the mean of its sides. With 2.1, 64,000 boxes that move by half their
/// size take a fifth longer, and the longest frame is three times the mean.
const REACH: f32 = 1.6;

/// A body so many times too fast for a round is not enlarged.
const TOO_FAST: f32 = 4.0;

/// Where fewer than one in so many bodies left its leaf early in a round, the margin of leaves is halved for the next one, at most so often. For
/// 64,000 boxes that fly straight on a frame takes 4 % less; on ways that gravity bends, a quarter of the margin would cost as much.
const FEW_STRAYS: usize = 32;
const MOST_HALVINGS: u8 = 2;

/// With more than one in so many, it is whole again.
const MANY_STRAYS: usize = 16;

/// When the next round begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// Frames of a round; none while each leaf has its own time.
    length: u32,
    /// The first frame of the next round.
    due: u32,
    /// How often the margin of leaves is halved, once there was a round, and how many bodies left theirs early in this one.
    halvings: Option<u8>,
    strays: usize,
}

impl Rounds {
    pub(super) fn are_on(&self) -> bool {
        self.length > 0
    }

    /// What a frame is in its round; `None` without rounds.
    pub(super) fn turn(&self, frame: u32) -> Option<Turn> {
        let begins = frame >= self.due;
        let left = if begins { self.length } else { self.due - frame };
        self.are_on().then_some(Turn {
            begins,
            left,
            sideways: SIDEWAYS * 0.5_f32.powi(self.halvings.unwrap_or(0).into()),
        })
    }

    /// Within a round so many bodies left their leaves.
    pub(super) fn note_strays(&mut self, count: usize) {
        self.strays += count;
    }

    /// After a frame in which most leaves were made anew.
    pub(super) fn set(&mut self, lives: &Lives) {
        self.length = lives.median().filter(|frames| (2..=LONGEST).contains(frames)).map_or(0, |frames| frames as u32);
    }

    /// At the end of a frame, with so many moving bodies.
    pub(super) fn end(&mut self, frame: u32, count: usize) {
        if frame >= self.due {
            self.due = frame.saturating_add(self.length);
            self.halvings = match self.halvings {
                _ if !self.are_on() => None,
                None => Some(0),
                Some(halvings) if self.strays * FEW_STRAYS < count => Some((halvings + 1).min(MOST_HALVINGS)),
                Some(_) if self.strays * MANY_STRAYS > count => Some(0),
                unchanged => unchanged,
            };
            self.strays = 0;
        }
    }
}

/// A frame of a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Whether it is the first.
    pub(super) begins: bool,
    /// Frames until the next round.
    left: u32,
    /// The margin of leaves, as a part of the way.
    sideways: f32,
}

impl Turn {
    /// The box for a leaf of a body that moved from one box to another in this frame, until the next round.
    #[inline(always)]
    pub(super) fn stretch<S: Simd>(&self, simd: S, from: &SimdAabb, to: &SimdAabb) -> SimdAabb {
        let way = to.displacement_from(simd, from);
        let length = longest8(way);
        // Without a division, as all bodies need it.
        if self.left <= 1 || reach(to) * TOO_FAST < length * self.left as f32 {
            return *to;
        }
        to.extrapolated(simd, way, length * self.sideways, (self.left - 1) as f32)
    }
}

/// The way after which the leaf of a body is made anew.
#[inline(always)]
fn reach(tight: &SimdAabb) -> f32 {
    tight.sides_sum() * (REACH / 3.0)
}

/// One in so many bodies by number is counted: most are alike, and to count each waits for the one before.
const SAMPLED: usize = 16;

/// How many leaves could live how many frames: the last for all that could live longer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lives([u32; LONGEST + 2]);

impl Lives {
    /// Takes note of how long the leaf of a body could live that moved from one box to another within a frame.
    #[inline(always)]
    pub(super) fn note<S: Simd>(&mut self, simd: S, number: usize, from: &SimdAabb, to: &SimdAabb) {
        if number.is_multiple_of(SAMPLED) {
            // What is no number becomes 0.
            let life = reach(to) / longest8(to.displacement_from(simd, from));
            self.0[(life as usize).min(LONGEST + 1)] += 1;
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (all, other) in self.0.iter_mut().zip(&other.0) {
            *all += other;
        }
    }

    /// So long half of the leaves could live, or longer. Counts, so that it is the same for any number of threads.
    fn median(&self) -> Option<usize> {
        let half = self.0.iter().sum::<u32>() / 2;
        let mut sum = 0;
        self.0.iter().position(|count| {
            sum += count;
            sum > half
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Level, vectorized};
    use cullide_narrowphase::{Aabb, glam::Vec3};

    fn corners(x: f32) -> SimdAabb {
        SimdAabb::new(&Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 2.0, 3.0, 5.0)).unwrap())
    }

    fn stretch(turn: &Turn, from: f32, to: f32) -> SimdAabb {
        vectorized!(Level::new(), simd => turn.stretch(simd, &corners(from), &corners(to)))
    }

    /// The rounds of bodies that all move so far a frame.
    fn rounds(way: f32) -> Rounds {
        let (mut rounds, mut lives) = (Rounds::default(), Lives::default());
        vectorized!(Level::new(), simd => lives.note(simd, 0, &corners(0.0), &corners(way)));
        rounds.set(&lives);
        rounds.end(10, 9);
        rounds
    }

    #[test]
    fn only_bodies_that_soon_leave_their_boxes_are_made_anew_in_rounds() {
        for way in [0.0, 0.1, 4.0, 1e9] {
            assert!(rounds(way).turn(11).is_none(), "{way}");
        }
        assert_eq!(rounds(1.0).length, 5);
    }

    #[test]
    fn a_stretched_leaf_holds_its_body_until_the_next_round() {
        let rounds = rounds(1.0);
        for (frame, left) in [(11, 4), (12, 3), (14, 1), (15, 5)] {
            let turn = rounds.turn(frame).unwrap();
            assert_eq!((turn.left, turn.begins), (left, frame == 15));
            let leaf = stretch(&turn, -1.0, 0.0);
            assert!(leaf.contains(&corners((left - 1) as f32)) && !leaf.contains(&corners(left as f32)));
        }
        assert_eq!(stretch(&rounds.turn(15).unwrap(), -9.0, 0.0), corners(0.0), "too fast");
    }

    #[test]
    fn the_straighter_bodies_go_the_less_margin_leaves_have() {
        let (mut rounds, mut frame) = (rounds(1.0), 10);
        let mut margin_after = |strays: usize| {
            frame += 5;
            rounds.note_strays(strays);
            rounds.end(frame, 100);
            let leaf = stretch(&rounds.turn(frame + 5).unwrap(), -1.0, 0.0);
            -leaf.min().x
        };
        let margins = [0, 0, 0, 0, 4, 7, 0].map(&mut margin_after);
        assert_eq!(margins, [0.125, 0.0625, 0.0625, 0.0625, 0.0625, 0.25, 0.125]);
    }
}
