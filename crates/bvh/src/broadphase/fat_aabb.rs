//! How far the box of a moving body is enlarged so that its leaf in the tree stays valid for several frames.
//!
//! ```text
//!    +--------+----------.        tight box, extended along its velocity by as much as it moves
//!    |  now --|-> later  |        within its lifetime, plus a sixteenth of that on every side
//!    +--------+----------'
//! ```
//! Enlarging boxes means that more candidate pairs are tested every frame, but that leaves are inserted and searched
//! with less often. A body so fast that its leaf would live for only a few frames is not enlarged at all.
//!
//! Lifetimes differ from body to body, so that they do not all end in the same frame: [`MotionEstimate`]. If most
//! leaves could live for only a few frames, the reverse holds, and all end in the same frame: [`RefitCycle`].
//!
//! ```text
//!   frame      0          1        2        3        4 ...
//!   leaves     all new    kept     kept     kept     all new           each enlarged by the motion until then
//!   pairs      all found  tested   tested   tested   all found         one in five candidates found is a pair
//! ```
//! Repacking all leaves costs a quarter of inserting them one by one, and testing the pairs already found costs a
//! quarter of that. So for 64,000 boxes that move by half their size, the mean frame takes 0.6 times as long as if all
//! pairs were found each frame, and the longest frame takes 2.5 times the mean.

use crate::{
    lanes::{LANES, Simd, eight::longest8},
    simd_aabb::SimdAabb,
    tree::Bvh,
};
use cullide_narrowphase::{Mapped, glam::Vec3};

/// How far a body moves in the lifetime of its leaf, relative to its size, the mean of its sides. With half as much,
/// 64,000 boxes of which one in fifty moves take a quarter longer.
const REACH: f32 = 0.8;

/// The maximum of the same within a cycle. With 2.1, 64,000 boxes that move by half their size take a fifth longer, and
/// the longest frame takes three times the mean.
const CYCLE_REACH: f32 = 1.6;

/// The margin on all sides as a fraction of the distance moved, which allows for curved paths. With twice as much,
/// 64,000 boxes that fly straight take 3 % longer, and falling boxes gain nothing.
const MARGIN: f32 = 0.0625;

/// The maximum lifetime of a leaf in frames, before jitter: slower bodies are enlarged no further than this many frames
/// require. Boxes that move by a sixtieth of their size take a sixteenth longer with 32, and as long with 64.
const MAX_LIFETIME: f32 = 48.0;

/// The minimum lifetime of an enlarged leaf in frames, before jitter. With half as many, boxes that move by half their
/// size per frame take twice as long.
const MIN_LIFETIME: f32 = 4.0;

/// The maximum number of frames in a cycle. Leaves that could live longer have lifetimes of their own, so that no
/// single frame has all the work.
const MAX_CYCLE: usize = 8;

/// A body this many times too fast for a cycle is not enlarged.
const TOO_FAST: f32 = 4.0;

/// The minimum margin. The straighter bodies move, the less margin they need: it is halved, down to this, after each
/// cycle in which fewer than one body in `FEW_EARLY` left its leaf early, and restored in full after one in which more
/// than one in `MANY_EARLY` did. With this, 64,000 boxes that fly straight take 6 % less.
const MIN_MARGIN: f32 = MARGIN / 4.0;
const FEW_EARLY: usize = 32;
const MANY_EARLY: usize = 16;

/// Where and when the leaf of a body was made, from which its velocity follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct MotionEstimate {
    /// Twice the center of its box at that time.
    doubled_center: Vec3,
    /// The frame in which the leaf was made.
    born: u32,
    /// The frame from which on its leaf is renewed along with a neighbor's.
    old_from: u32,
}

impl MotionEstimate {
    /// The estimate for a body that has not moved yet.
    pub(super) fn new(tight: &SimdAabb, frame: u32) -> Self {
        Self { doubled_center: tight.doubled_center(), born: frame, old_from: u32::MAX }
    }

    /// Whether its leaf has lived for half its lifetime or longer.
    pub(super) fn is_old(&self, frame: u32) -> bool {
        frame >= self.old_from
    }

    /// Returns the box for a new leaf of the body, which contains `tight`. `jitter` returns a number in `[0, 1]`, which
    /// shortens or lengthens the lifetime by up to half.
    #[inline(always)]
    pub(super) fn enlarge(&mut self, tight: &SimdAabb, frame: u32, jitter: impl FnOnce() -> f32) -> SimdAabb {
        let center = tight.doubled_center();
        let frames = frame.wrapping_sub(self.born).max(1) as f32;
        // Half of this is the displacement since the leaf was made.
        let way = center - self.doubled_center;
        let length = 0.5 * way.abs().max_element();
        let reach = reach(tight, REACH) * frames;
        *self = Self { doubled_center: center, born: frame, old_from: u32::MAX };
        // Without a division, as this test is all that fast bodies need. A body that did not move is not enlarged
        // either.
        if !(reach >= MIN_LIFETIME * length && length > 0.0) {
            return *tight;
        }
        let lifetime = (reach / length).min(MAX_LIFETIME) * (0.5 + jitter());
        self.old_from = frame.saturating_add((0.5 * lifetime) as u32);
        let per_frame = lifetime / frames;
        tight.enlarged((way * (0.5 * per_frame)).extend(0.0), length * per_frame * MARGIN)
    }
}

/// `sizes` times the size of a body, which is the mean of its sides.
#[inline(always)]
fn reach(tight: &SimdAabb, sizes: f32) -> f32 {
    tight.sides_sum() * (sizes / 3.0)
}

/// A pseudorandom number in `[0, 1)`.
#[inline(always)]
pub(super) fn jitter(seed: u32, frame: u32) -> f32 {
    // Knuth's multiplicative hash, "The Art of Computer Programming" 6.4, applied twice, as only its upper bits are
    // well mixed.
    let seed = seed ^ frame.wrapping_mul(0x9E37);
    let mixed = (seed.wrapping_mul(2_654_435_761) >> 15 ^ seed).wrapping_mul(2_654_435_761);
    (mixed >> 8) as f32 / (1 << 24) as f32
}

/// Cells of space about as large as a node: leaves in the same cell get the same jitter, so that they are renewed
/// together.
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

    /// A seed for the cell of a point given as its double; seeds of different cells differ widely.
    #[inline(always)]
    pub(super) fn seed(&self, doubled: Vec3) -> u32 {
        let [x, y, z] = ((doubled - self.low) * self.scale).to_array().mapped(|x| x as i32 as u32);
        x ^ y.wrapping_mul(0x0101) ^ z.wrapping_mul(0x0001_0001)
    }
}

/// Determines when all leaves are renewed next.
#[derive(Clone, Copy, Debug)]
pub(super) struct RefitCycle {
    /// The number of frames in a cycle; 0 while each leaf has its own lifetime.
    length: u32,
    /// The first frame of the next cycle.
    due: u32,
    /// The margin of leaves in this cycle as a fraction of the distance moved, and the number of bodies that left
    /// theirs early.
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

    /// The position of a frame in its cycle; `None` without cycles.
    pub(super) fn frame(&self, frame: u32) -> Option<CycleFrame> {
        let begins = frame >= self.due;
        let left = if begins { self.length } else { self.due - frame };
        self.is_on().then_some(CycleFrame { begins, left, margin: self.margin })
    }

    /// Counts bodies that left their leaves in a frame other than the first of a cycle.
    pub(super) fn count_early(&mut self, count: usize) {
        self.left_early += count;
    }

    /// Sets the length of cycles after most leaves were renewed: half of the leaves could live this long.
    pub(super) fn set(&mut self, lifetimes: &LifetimeHistogram) {
        let median = lifetimes.median().filter(|frames| (2..=MAX_CYCLE).contains(frames));
        self.length = median.map_or(0, |frames| frames as u32);
    }

    /// To be called at the end of a frame, with the number of bodies.
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
    /// Whether it is the first of its cycle.
    pub(super) begins: bool,
    /// The number of frames until the next cycle.
    left: u32,
    /// The margin of leaves as a fraction of the distance moved.
    margin: f32,
}

impl CycleFrame {
    /// Returns the box for a leaf that is to last until the next cycle, of a body that moved from `from` to `to` in
    /// this frame.
    #[inline(always)]
    pub(super) fn enlarge<S: Simd>(&self, simd: S, from: &SimdAabb, to: &SimdAabb) -> SimdAabb {
        let way = to.displacement_from(simd, from);
        let length = longest8(way);
        // Without a division, as all bodies take this test.
        if self.left <= 1 || reach(to, CYCLE_REACH) * TOO_FAST < length * self.left as f32 {
            return *to;
        }
        to.extrapolated(simd, way, length * self.margin, (self.left - 1) as f32)
    }
}

/// One in this many bodies is counted, by index: most are alike, and each count waits for the one before.
const SAMPLED: usize = 16;

/// The number of leaves by the number of frames that they could live; the last entry counts all that could live longer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LifetimeHistogram([u32; MAX_CYCLE + 2]);

impl LifetimeHistogram {
    /// Counts the leaf of a body that moved from `from` to `to` within a frame.
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

    /// The refit cycle for bodies that all move by `way` per frame.
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
