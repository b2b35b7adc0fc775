//! How far the box of a moving body is enlarged, so that its leaf stays right for some frames.
//!
//! ```text
//!    +--------+----------.        tight box, enlarged along its velocity by as much as it moves
//!    |  now --|-> later  |        within its life, plus a sixteenth of that on every side
//!    +--------+----------'
//! ```
//! Stretching trades candidates that are tested every frame for leaves that are placed and searched for less often. A body so fast that its
//! leaf would live but a few frames is not enlarged at all. Lives differ from leaf to leaf, or all would end in one frame.

use crate::simd_aabb::SimdAabb;
use cullide_narrowphase::glam::Vec3;

/// A body moves by so much of its size, the mean of its sides, before its leaf is made anew. With half as much, 64,000 boxes of which one in
/// fifty moves take a quarter longer.
const REACH: f32 = 0.8;

/// Margin on all sides, as a part of the way: what a curve may deviate. With twice as much, 64,000 boxes that fly straight on take 3 %
/// longer, and those that fall no less.
pub(super) const SIDEWAYS: f32 = 0.0625;

/// Frames that a leaf lives at most: slower bodies are enlarged no more than this many frames need. With 32 or 64, boxes that move by a
/// sixtieth of their size take a sixteenth longer or as long.
const LONGEST_LIFE: f32 = 48.0;

/// Frames that a enlarged leaf lives at least. With half as many, boxes that move by half their size a frame take twice as long.
const SHORTEST_LIFE: f32 = 4.0;

/// Where a body was when its leaf was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// Twice the middle of its box.
    doubled_center: Vec3,
    /// The frame.
    born: u32,
    /// The frame from which its leaf is made anew along with a neighbour's.
    old: u32,
}

impl Course {
    /// A body that has not moved yet.
    pub(super) fn new(tight: &SimdAabb, frame: u32) -> Self {
        Self { doubled_center: tight.doubled_center(), born: frame, old: u32::MAX }
    }

    /// Whether its leaf has lived more than half its life.
    pub(super) fn is_old(&self, frame: u32) -> bool {
        frame >= self.old
    }

    /// The box for a new leaf of the body, which contains `tight`. `share` in `[0, 1]` makes the life shorter or longer, by half.
    #[inline(always)]
    pub(super) fn stretch(&mut self, tight: &SimdAabb, frame: u32, share: impl FnOnce() -> f32) -> SimdAabb {
        let middle = tight.doubled_center();
        let frames = frame.wrapping_sub(self.born).max(1) as f32;
        // Half the way since the leaf was made.
        let way = middle - self.doubled_center;
        let length = 0.5 * way.abs().max_element();
        let reach = tight.sides_sum() * (REACH / 3.0) * frames;
        *self = Self { doubled_center: middle, born: frame, old: u32::MAX };
        // Without a division, as this is all that fast bodies need; also false when both are zero.
        if !(reach >= SHORTEST_LIFE * length && length > 0.0) {
            return *tight;
        }
        let life = (reach / length).min(LONGEST_LIFE) * (0.5 + share());
        self.old = frame.saturating_add((0.5 * life) as u32);
        let per_life = life / frames;
        tight.enlarged((way * (0.5 * per_life)).extend(0.0), length * per_life * SIDEWAYS)
    }
}

/// A number in `[0, 1)` that looks random.
#[inline(always)]
pub(super) fn share(seed: u32) -> f32 {
    // Knuth's multiplicative hash, "The Art of Computer Programming" 6.4, twice, as the upper bits are the good ones.
    let mixed = (seed.wrapping_mul(2_654_435_761) >> 15 ^ seed).wrapping_mul(2_654_435_761);
    (mixed >> 8) as f32 / (1 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::Aabb;

    fn corners(x: f32) -> SimdAabb {
        SimdAabb::new(&Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 2.0, 3.0, 5.0)).unwrap())
    }

    #[test]
    fn a_slow_body_is_stretched_ahead_and_a_fast_one_not_at_all() {
        let mut slow = Course::new(&corners(0.0), 0);
        let leaf = slow.stretch(&corners(0.1), 1, || 0.5);
        assert!(leaf.contains(&corners(1.0)) && !leaf.contains(&corners(-0.5)));
        assert!(slow.is_old(16) && !slow.is_old(2));
        let mut fast = Course::new(&corners(0.0), 0);
        assert_eq!(fast.stretch(&corners(9.0), 1, || 0.5), corners(9.0));
    }

    #[test]
    fn a_stretched_box_contains_its_body_at_any_scale() {
        for (from, to) in [(0.0, 1e-30), (-1e9, 1e9), (1e8, 1e8), (-3.0, 1e9)] {
            let (from, to) = (corners(from), corners(to));
            let leaf = Course::new(&from, 7).stretch(&to, 7, || 0.99);
            assert!(leaf.contains(&to) && leaf.aabb().is_some());
        }
    }
}
