//! How far the box of a moving body is enlarged, so that its leaf in the tree stays valid for some frames.
//!
//! ```text
//!    +--------+----------.        tight box, extended along its velocity by as much as it moves
//!    |  now --|-> later  |        within its lifetime, plus a sixteenth of that on every side
//!    +--------+----------'
//! ```
//! Enlarging trades candidate pairs that are tested every frame for leaves that are inserted and searched with less
//! often. A body so fast that its leaf would live but a few frames is not enlarged at all.
//!
//! Lifetimes differ from body to body, or all would end in one frame: [`MotionEstimate`]. Where most leaves could live
//! for a few frames only it is the other way round, and all end in one frame: [`RefitCycle`].
//!
//! ```text
//!   frame      0          1        2        3        4 ...
//!   leaves     all new    kept     kept     kept     all new           each enlarged by the way until then
//!   pairs      all found  tested   tested   tested   all found         of what is found, one in five is a pair
//! ```
//! To repack all leaves costs a quarter of inserting them one by one; to test what was found costs a quarter of
//! that. So the mean frame of 64,000 boxes that move by half their size is 0.6 times as long as when all are found each
//! frame, and the longest is 2.5 times the mean.

use crate::{
    lanes::{LANES, Simd, eight::longest8},
    simd_aabb::SimdAabb,
    tree::Bvh,
};
use cullide_narrowphase::glam::Vec3;

/// A body moves by so much of its size, the mean of its sides, in the lifetime of its leaf. With half as much, 64,000
/// boxes of which one in fifty moves take a quarter longer.
const REACH: f32 = 0.8;

/// The same within a cycle, at most. With 2.1, 64,000 boxes that move by half their size take a fifth longer, and the
/// longest frame is three times the mean.
const CYCLE_REACH: f32 = 1.6;

/// Margin on all sides, as a part of the way: what a curve may deviate. With twice as much, 64,000 boxes that fly
/// straight take 3 % longer, and those that fall no less.
const MARGIN: f32 = 0.0625;

/// Frames that a leaf lives at most: slower bodies are enlarged no more than this many frames need. With 32 or 64,
/// boxes that move by a sixtieth of their size take a sixteenth longer or as long.
const MAX_LIFETIME: f32 = 48.0;

/// Frames that an enlarged leaf lives at least. With half as many, boxes that move by half their size a frame take
/// twice as long.
const MIN_LIFETIME: f32 = 4.0;

/// Frames of a cycle at most. Leaves that could live longer do so at times of their own, so that no frame has all the
/// work.
const MAX_CYCLE: usize = 8;

/// A body so many times too fast for a cycle is not enlarged.
const TOO_FAST: f32 = 4.0;

/// The straighter bodies go the less margin they need: it is halved after each cycle in which fewer than one body in
/// `FEW_EARLY` left its leaf early, down to this, and whole again after one in which more than one in `MANY_EARLY` did.
/// 64,000 boxes that fly straight then take 6 % less.
const MIN_MARGIN: f32 = MARGIN / 4.0;
const FEW_EARLY: usize = 32;
const MANY_EARLY: usize = 16;

/// Where a body was when its leaf was made, from which follows how fast it moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct MotionEstimate {
    /// Twice the center of its box.
    doubled_center: Vec3,
    /// The frame.
    born: u32,
    /// The frame from which its leaf is renewed along with a neighbor's.
    old_from: u32,
}

impl MotionEstimate {
    /// A body that has not moved yet.
    pub(super) fn new(tight: &SimdAabb, frame: u32) -> Self {
        Self { doubled_center: tight.doubled_center(), born: frame, old_from: u32::MAX }
    }

    /// Whether its leaf has lived more than half its lifetime.
    pub(super) fn is_old(&self, frame: u32) -> bool {
        frame >= self.old_from
    }

    /// The box for a new leaf of the body, which contains `tight`. `jitter` in `[0, 1]` makes the lifetime shorter or
    /// longer, by half.
    #[inline(always)]
    pub(super) fn enlarge(&mut self, tight: &SimdAabb, frame: u32, jitter: impl FnOnce() -> f32) -> SimdAabb {
        let center = tight.doubled_center();
        let frames = frame.wrapping_sub(self.born).max(1) as f32;
        // Half of this is the way since the leaf was made.
        let way = center - self.doubled_center;
        let length = 0.5 * way.abs().max_element();
        let reach = reach(tight, REACH) * frames;
        *self = Self { doubled_center: center, born: frame, old_from: u32::MAX };
        // Without a division, as this is all that fast bodies need; also false when both are zero.
        if !(reach >= MIN_LIFETIME * length && length > 0.0) {
            return *tight;
        }
        let lifetime = (reach / length).min(MAX_LIFETIME) * (0.5 + jitter());
        self.old_from = frame.saturating_add((0.5 * lifetime) as u32);
        let per_frame = lifetime / frames;
        tight.enlarged((way * (0.5 * per_frame)).extend(0.0), length * per_frame * MARGIN)
    }
}

/// So many times the size of a body, the mean of its sides.
#[inline(always)]
fn reach(tight: &SimdAabb, sizes: f32) -> f32 {
    tight.sides_sum() * (sizes / 3.0)
}

/// A pseudorandom number in `[0, 1)`.
#[inline(always)]
pub(super) fn jitter(seed: u32, frame: u32) -> f32 {
    // Knuth's multiplicative hash, "The Art of Computer Programming" 6.4, twice, as the upper bits are the good ones.
    let seed = seed ^ frame.wrapping_mul(0x9E37);
    let mixed = (seed.wrapping_mul(2_654_435_761) >> 15 ^ seed).wrapping_mul(2_654_435_761);
    (mixed >> 8) as f32 / (1 << 24) as f32
}

/// Cells of space about as large as a node: leaves within one live equally long, so that they are renewed together.
#[derive(Clone, Copy)]
pub(super) struct LifetimeCells {
    low: Vec3,
    scale: Vec3,
}

impl LifetimeCells {
    pub(super) fn of(tree: &Bvh) -> Self {
        let bounds = tree.node_bounds(0);
        let per_axis = (tree.len() as f32 / LANES as f32).cbrt();
        let size = (2.0 * bounds.size()).max(Vec3::splat(f32::MIN_POSITIVE));
        Self { low: 2.0 * bounds.min(), scale: per_axis / size }
    }

    /// A seed for the cell of a point given twice as large, much unlike those of other cells.
    #[inline(always)]
    pub(super) fn seed(&self, doubled: Vec3) -> u32 {
        let [x, y, z] = ((doubled - self.low) * self.scale).to_array().map(|x| x as i32 as u32);
        x ^ y.wrapping_mul(0x0101) ^ z.wrapping_mul(0x0001_0001)
    }
}

/// When all leaves are renewed next.
#[derive(Clone, Copy, Debug)]
pub(super) struct RefitCycle {
    /// Frames of a cycle; none while each leaf has its own lifetime.
    length: u32,
    /// The first frame of the next cycle.
    due: u32,
    /// The margin of leaves of this cycle, as a part of the way, and how many bodies left theirs early.
    margin: f32,
    left_early: usize,
}

impl Default for RefitCycle {
    fn default() -> Self {
        Self { length: 0, due: 0, margin: MARGIN, left_early: 0 }
    }
}

impl RefitCycle {
    pub(super) fn is_on(&self) -> bool {
        self.length > 0
    }

    /// What a frame is in its cycle; `None` without cycles.
    pub(super) fn frame(&self, frame: u32) -> Option<CycleFrame> {
        let begins = frame >= self.due;
        let left = if begins { self.length } else { self.due - frame };
        self.is_on().then_some(CycleFrame { begins, left, margin: self.margin })
    }

    /// In a frame after the first of a cycle so many bodies left their leaves.
    pub(super) fn count_early(&mut self, count: usize) {
        self.left_early += count;
    }

    /// After a frame in which most leaves were renewed: cycles are as long as half of the leaves could live.
    pub(super) fn set(&mut self, lifetimes: &LifetimeHistogram) {
        let median = lifetimes.median().filter(|frames| (2..=MAX_CYCLE).contains(frames));
        self.length = median.map_or(0, |frames| frames as u32);
    }

    /// At the end of a frame, with so many bodies.
    pub(super) fn end_frame(&mut self, frame: u32, count: usize) {
        if frame < self.due {
            return;
        }
        self.due = frame.saturating_add(self.length);
        let left_early = std::mem::take(&mut self.left_early);
        if !self.is_on() || left_early * MANY_EARLY > count {
            self.margin = MARGIN;
        } else if left_early * FEW_EARLY < count {
            self.margin = (0.5 * self.margin).max(MIN_MARGIN);
        }
    }
}

/// A frame of a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct CycleFrame {
    /// Whether it is the first.
    pub(super) begins: bool,
    /// Frames until the next cycle.
    left: u32,
    /// The margin of leaves, as a part of the way.
    margin: f32,
}

impl CycleFrame {
    /// The box for a leaf, until the next cycle, of a body that moved from one box to another in this frame.
    #[inline(always)]
    pub(super) fn enlarge<S: Simd>(&self, simd: S, from: &SimdAabb, to: &SimdAabb) -> SimdAabb {
        let way = to.displacement_from(simd, from);
        let length = longest8(way);
        // Without a division, as all bodies need it.
        if self.left <= 1 || reach(to, CYCLE_REACH) * TOO_FAST < length * self.left as f32 {
            return *to;
        }
        to.extrapolated(simd, way, length * self.margin, (self.left - 1) as f32)
    }
}

/// One in so many bodies by index is counted: most are alike, and each count waits for the one before.
const SAMPLED: usize = 16;

/// How many leaves could live how many frames; the last count is of all that could live longer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LifetimeHistogram([u32; MAX_CYCLE + 2]);

impl LifetimeHistogram {
    /// Counts the leaf of a body that moved from one box to another within a frame.
    #[inline(always)]
    pub(super) fn sample<S: Simd>(&mut self, simd: S, index: usize, from: &SimdAabb, to: &SimdAabb) {
        if index.is_multiple_of(SAMPLED) {
            // A NaN becomes 0.
            let lifetime = reach(to, CYCLE_REACH) / longest8(to.displacement_from(simd, from));
            self.0[(lifetime as usize).min(MAX_CYCLE + 1)] += 1;
        }
    }

    /// The median lifetime, in frames.
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
    use cullide_narrowphase::Aabb;

    fn at(x: f32) -> SimdAabb {
        SimdAabb::new(&Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 2.0, 3.0, 5.0)).unwrap())
    }

    #[test]
    fn a_slow_body_is_enlarged_ahead_and_a_fast_one_not_at_all() {
        let mut slow = MotionEstimate::new(&at(0.0), 0);
        let leaf = slow.enlarge(&at(0.1), 1, || 0.5);
        assert!(leaf.contains(&at(1.0)) && !leaf.contains(&at(-0.5)));
        assert!(slow.is_old(16) && !slow.is_old(2));
        let mut fast = MotionEstimate::new(&at(0.0), 0);
        assert_eq!(fast.enlarge(&at(9.0), 1, || 0.5), at(9.0));
    }

    #[test]
    fn an_enlarged_box_contains_its_body_at_any_scale() {
        for (from, to) in [(0.0, 1e-30), (-1e9, 1e9), (1e8, 1e8), (-3.0, 1e9)] {
            let (from, to) = (at(from), at(to));
            let leaf = MotionEstimate::new(&from, 7).enlarge(&to, 7, || 0.99);
            assert!(leaf.contains(&to) && leaf.aabb().is_some());
        }
    }

    fn enlarge(frame: &CycleFrame, from: f32, to: f32) -> SimdAabb {
        vectorized!(Level::new(), simd => frame.enlarge(simd, &at(from), &at(to)))
    }

    /// The cycle of bodies that all move so far a frame.
    fn cycle(way: f32) -> RefitCycle {
        let (mut cycle, mut lifetimes) = (RefitCycle::default(), LifetimeHistogram::default());
        vectorized!(Level::new(), simd => lifetimes.sample(simd, 0, &at(0.0), &at(way)));
        cycle.set(&lifetimes);
        cycle.end_frame(10, 9);
        cycle
    }

    #[test]
    fn only_bodies_that_soon_leave_their_boxes_are_renewed_in_cycles() {
        for way in [0.0, 0.1, 4.0, 1e9] {
            assert!(cycle(way).frame(11).is_none(), "{way}");
        }
        assert_eq!(cycle(1.0).length, 5);
    }

    #[test]
    fn an_enlarged_leaf_holds_its_body_until_the_next_cycle() {
        let cycle = cycle(1.0);
        for (frame, left) in [(11, 4), (12, 3), (14, 1), (15, 5)] {
            let frame_of_cycle = cycle.frame(frame).unwrap();
            assert_eq!((frame_of_cycle.left, frame_of_cycle.begins), (left, frame == 15));
            let leaf = enlarge(&frame_of_cycle, -1.0, 0.0);
            assert!(leaf.contains(&at((left - 1) as f32)) && !leaf.contains(&at(left as f32)));
        }
        assert_eq!(enlarge(&cycle.frame(15).unwrap(), -9.0, 0.0), at(0.0), "too fast");
    }

    #[test]
    fn the_straighter_bodies_go_the_less_margin_leaves_have() {
        let (mut cycle, mut frame) = (cycle(1.0), 10);
        let mut margin_after = |left_early: usize| {
            frame += 5;
            cycle.count_early(left_early);
            cycle.end_frame(frame, 100);
            cycle.frame(frame + 5).unwrap().margin / MARGIN
        };
        assert_eq!([0, 0, 0, 4, 7, 0].map(&mut margin_after), [0.25, 0.25, 0.25, 0.25, 1.0, 0.5]);
    }
}
