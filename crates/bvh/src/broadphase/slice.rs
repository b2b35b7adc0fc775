//! The arrays of consecutive bodies, so that threads may each move their own.

use super::{
    Mobility, Proxy,
    fat::{Course, share},
    rounds::{Lives, Turn},
    state::{MOVED, RENEWED, USED},
};
use crate::{
    lanes::{LANES, Simd},
    simd_aabb::SimdAabb,
    tree::Bvh,
};
use cullide_narrowphase::{Aabb, glam::Vec3};

/// Some consecutive bodies, the first of them numbered `first`.
pub(super) struct Slice<'a> {
    pub(super) first: usize,
    pub(super) tight: &'a mut [SimdAabb],
    pub(super) fat: &'a mut [SimdAabb],
    pub(super) courses: &'a mut [Course],
    pub(super) states: &'a mut [u8],
}

/// What became of some moved bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// The number of the first body of them.
    pub(super) first: usize,
    /// How many were there.
    pub(super) count: usize,
    /// Whether others were not among the bodies of the slice, and so were passed over.
    pub(super) strayed: bool,
    /// Whether one got another box.
    pub(super) any_moved: bool,
    /// How many have new leaf boxes, and their numbers, each once; without the numbers where a round begins.
    pub(super) renewed: usize,
    pub(super) numbers: Vec<u32>,
    /// Fixed ones, there or not, which are left to be moved.
    pub(super) fixed: Vec<(Proxy, Aabb)>,
    /// How long leaves could live that were made anew.
    pub(super) lives: Lives,
    /// For boxes that are made a few at a time.
    pub(super) list: List,
}

/// Bodies and their new boxes.
pub(super) type List = Vec<(Proxy, Aabb)>;

impl Outcome {
    /// Nothing, keeping the memory of its lists; gives away that for boxes.
    pub(super) fn begin(&mut self) -> List {
        self.numbers.clear();
        self.fixed.clear();
        let (numbers, fixed) = (std::mem::take(&mut self.numbers), std::mem::take(&mut self.fixed));
        let (list, first) = (std::mem::take(&mut self.list), self.first);
        *self = Self { first, numbers, fixed, ..Self::default() };
        list
    }
}

/// When and where bodies move.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    frame: u32,
    turn: Option<Turn>,
    /// Cells of space about as large as a node: the leaves within one live equally long, so that they are made anew together.
    low: Vec3,
    scale: Vec3,
}

impl Moment {
    pub(super) fn new(tree: &Bvh, frame: u32, turn: Option<Turn>) -> Self {
        let around = tree.around(0);
        let per_axis = (tree.len() as f32 / LANES as f32).cbrt();
        let size = (2.0 * around.size()).max(Vec3::splat(f32::MIN_POSITIVE));
        Self { frame, turn, low: 2.0 * around.min(), scale: per_axis / size }
    }

    /// A number in `[0, 1)` for the cell of a place, much unlike those of other cells.
    #[inline(always)]
    fn share(&self, place: Vec3) -> f32 {
        let [x, y, z] = ((place - self.low) * self.scale).to_array().map(|x| x as i32 as u32);
        share(x ^ y.wrapping_mul(0x0101) ^ z.wrapping_mul(0x0001_0001) ^ self.frame.wrapping_mul(0x9E37))
    }
}

impl Slice<'_> {
    /// Boxes that a thread takes at a time: some ten microseconds of work.
    pub(super) const PART: usize = 2048;

    /// So many boxes are worth a thread. With a quarter as many, frames of 10,000 slow boxes took 1.4 times as long on two threads as on one.
    pub(super) const WORTH_A_THREAD: usize = 16 * Self::PART;

    /// Gives bodies their new boxes, and new leaf boxes where these are needed; the tree does not know of that yet.
    #[inline(always)]
    pub(super) fn set_all<S: Simd>(
        &mut self,
        simd: S,
        moved: &[(Proxy, Aabb)],
        moment: &Moment,
        outcome: &mut Outcome,
    ) {
        let Outcome { strayed, numbers, fixed, lives, .. } = outcome;
        let begins = moment.turn.is_some_and(|turn| turn.begins);
        // Arrays of one length, known to the loop: one check of the index is enough. What is counted stays in registers.
        let all = self.states.len();
        let (states, tights) = (&mut self.states[..all], &mut self.tight[..all]);
        let (fats, courses) = (&mut self.fat[..all], &mut self.courses[..all]);
        let (mut absent, mut any_moved, mut renewed) = (0, false, 0);
        for (proxy, aabb) in moved {
            let i = (proxy.number() as usize).wrapping_sub(self.first);
            if i >= all {
                if proxy.mobility() == Mobility::Fixed {
                    fixed.push((*proxy, *aabb));
                } else {
                    (*strayed, absent) = (true, absent + 1);
                }
                continue;
            }
            let (tight, state) = (SimdAabb::new(aabb), states[i]);
            if state & USED == 0 {
                absent += 1;
                continue;
            }
            if tights[i].equals_simd(simd, &tight) {
                continue;
            }
            let before = std::mem::replace(&mut tights[i], tight);
            any_moved = true;
            if !begins && fats[i].contains_simd(simd, &tight) {
                states[i] = state | MOVED;
                continue;
            }
            let share = || moment.share(tight.doubled_center());
            lives.note(simd, i + self.first, &before, &tight);
            fats[i] = match moment.turn {
                Some(turn) => turn.stretch(simd, &before, &tight),
                None => courses[i].stretch(&tight, moment.frame, share),
            };
            if state & RENEWED == 0 {
                renewed += 1;
                if !begins {
                    numbers.push((i + self.first) as u32);
                }
            }
            states[i] = state | MOVED | RENEWED;
        }
        outcome.count += moved.len() - absent;
        outcome.any_moved |= any_moved;
        outcome.renewed += renewed;
    }
}

#[cfg(feature = "parallel")]
impl Slice<'_> {
    /// Into how many parts so many boxes are worth dividing.
    pub(super) fn parts(count: usize) -> usize {
        let is_divisible = count >= Self::WORTH_A_THREAD && rayon::current_num_threads() > 1;
        if is_divisible { count.div_ceil(Self::PART) } else { 1 }
    }

    /// Divides the work among as many threads as there are outcomes.
    pub(super) fn each<T: Sync>(
        &mut self,
        moved: &[T],
        outcomes: &mut [Outcome],
        work: &(impl Fn(&mut Slice, &[T], &mut Outcome) + Sync),
    ) {
        if let [outcome] = outcomes {
            return work(self, moved, outcome);
        }
        let half = outcomes.len() / 2;
        let (outcomes, later_outcomes) = outcomes.split_at_mut(half);
        let (moved, later) = moved.split_at(moved.len().min(half * Self::PART));
        let at = later_outcomes[0].first.saturating_sub(self.first);
        let (mut first, mut second) = self.split_at(at);
        rayon::join(|| first.each(moved, outcomes, work), || second.each(later, later_outcomes, work));
    }

    fn split_at(&mut self, at: usize) -> (Slice<'_>, Slice<'_>) {
        let at = at.min(self.states.len());
        let (tight, more_tight) = self.tight.split_at_mut(at);
        let (fat, more_fat) = self.fat.split_at_mut(at);
        let (courses, more_courses) = self.courses.split_at_mut(at);
        let (states, more_states) = self.states.split_at_mut(at);
        let second = Slice {
            first: self.first + at,
            tight: more_tight,
            fat: more_fat,
            courses: more_courses,
            states: more_states,
        };
        (Slice { first: self.first, tight, fat, courses, states }, second)
    }
}

#[cfg(not(feature = "parallel"))]
impl Slice<'_> {
    pub(super) fn parts(_count: usize) -> usize {
        1
    }

    pub(super) fn each<T>(
        &mut self,
        moved: &[T],
        outcomes: &mut [Outcome],
        work: &impl Fn(&mut Slice, &[T], &mut Outcome),
    ) {
        if let [outcome, ..] = outcomes {
            work(self, moved, outcome);
        }
    }
}
