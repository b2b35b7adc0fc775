//! Many bodies moved at once.

use super::{
    Broadphase, Proxy,
    fat::Course,
    place::Leeway,
    rounds::{Lives, Turn},
    slice::{List, Moment, Outcome, Slice},
    state::{RENEWED, STALE, USED},
};
use crate::{ALL, lanes::vectorized, prefetch::prefetch_item, threads};
use cullide_narrowphase::Aabb;

/// With more than one in so many leaves outgrown, all are packed anew: placed together, a leaf costs about so many times less than alone.
const FEW: usize = 8;

/// With at least one in so many bodies moved, a packing of all costs a few such moves, and repairs what they spoil.
pub(super) const MOST: usize = 4;

/// By so much of their area nodes may spread before they are packed again.
const SPREAD: f64 = 0.1;

/// Boxes of a caller's bodies that are listed at a time: few enough for the nearest cache.
const LISTED: usize = 128;

impl Broadphase {
    /// Gives many bodies new boxes: as [`Broadphase::set`] of each, in order, and cheaper. Bodies that are not there are passed over; returns
    /// how many were there.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let there = Aabb::new(Vec3::X, Vec3::X)?;
    /// assert_eq!(broadphase.set_all(&[(proxy, there)]), 1);
    /// assert_eq!(broadphase.aabb(proxy), Some(there));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_all(&mut self, moved: &[(Proxy, Aabb)]) -> usize {
        self.move_all(moved, |moved, _, set| set(moved))
    }

    /// [`Broadphase::set_all`] of bodies as the caller keeps them: `body` tells the proxy and the new box of each, on several threads if there
    /// are many, and may be asked twice. Spares a list of them all: of 64,000 boxes that move by half their size, a thirteenth of a frame on
    /// two threads.
    ///
    /// # Panics
    /// If `body` does; then some bodies have been moved, and what the trees say of these is wrong.
    ///
    /// ```
    /// use cullide_bvh::{Body, Broadphase, Proxy, narrowphase::{Aabb, glam::Vec3}};
    /// struct Ball { proxy: Proxy, center: Vec3, radius: f32 }
    /// let around = |ball: &Ball| Aabb::new(ball.center - ball.radius, ball.center + ball.radius).expect("finite");
    ///
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let balls = [Ball { proxy, center: Vec3::X, radius: 0.5 }];
    /// assert_eq!(broadphase.set_each(&balls, |ball| (ball.proxy, around(ball))), 1);
    /// assert_eq!(broadphase.aabb(proxy), Some(around(&balls[0])));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_each<T: Sync>(&mut self, bodies: &[T], body: impl Fn(&T) -> (Proxy, Aabb) + Sync) -> usize {
        self.move_all(bodies, |bodies, list, set| {
            // Made apart from their use: a box that was just put together of six numbers would be waited for.
            for some in bodies.chunks(LISTED) {
                list.clear();
                // By a closure of its own: with `&body` each call goes through memory, and that takes twice as long.
                #[expect(clippy::redundant_closure)]
                list.extend(some.iter().map(|one| body(one)));
                set(list);
            }
        })
    }

    /// Moves bodies whose boxes `show` shows, in order, by lists that it may make in the one it is given.
    fn move_all<T: Sync>(
        &mut self,
        moved: &[T],
        show: impl Fn(&[T], &mut List, &mut dyn FnMut(&[(Proxy, Aabb)])) + Send + Sync,
    ) -> usize {
        threads::among_them(moved.len() >= Slice::WORTH_A_THREAD, || {
            let many = moved.len() * MOST >= self.moving.len();
            let turn = if many { self.rounds.turn(self.frame) } else { None };
            let moment = Moment::new(&self.moving, self.frame, turn);
            let level = self.moving.level;
            let note_first = |some: &[T], Outcome { list, first, .. }: &mut Outcome| {
                show(&some[..1], list, &mut |boxes| *first = boxes[0].0.number() as usize);
            };
            let work = |slice: &mut Slice, moved: &[T], outcome: &mut Outcome| {
                let mut list = outcome.begin();
                // Also what is no vector arithmetic may use all instructions of the processor then: a tenth faster.
                show(moved, &mut list, &mut |boxes| {
                    vectorized!(level, simd => slice.set_all(simd, boxes, &moment, outcome));
                });
                outcome.list = list;
            };
            let parts = self.set_boxes(moved, note_first, work);
            self.tell_tree(parts, many, turn)
        })
    }

    /// Has `work` give bodies their boxes, of which the tree does not know then; returns how many outcomes that has.
    fn set_boxes<T: Sync>(
        &mut self,
        moved: &[T],
        note_first: impl Fn(&[T], &mut Outcome),
        work: impl Fn(&mut Slice, &[T], &mut Outcome) + Sync,
    ) -> usize {
        let mut parts = Slice::parts(moved.len());
        self.outcomes.resize_with(self.outcomes.len().max(parts + 1), Outcome::default);
        if parts > 1 {
            // No two threads may move one body. Whether the others between these are in order, turns out in the course of it.
            moved.chunks(Slice::PART).zip(&mut self.outcomes).for_each(|(some, outcome)| note_first(some, outcome));
            let is_sorted = self.outcomes[..parts].is_sorted_by_key(|outcome| outcome.first);
            parts = if is_sorted { parts } else { 1 };
        }
        let mut bodies = Slice {
            first: 0,
            tight: &mut self.tight,
            fat: &mut self.fat,
            courses: &mut self.courses,
            states: &mut self.states,
        };
        bodies.each(moved, &mut self.outcomes[..parts], &work);
        if parts == 1 || self.outcomes[..parts].iter().all(|outcome| !outcome.strayed) {
            return parts;
        }
        // They were not. All once more by one thread, after which each body has the box that it was given last.
        self.outcomes[..parts].iter_mut().for_each(|outcome| outcome.count = 0);
        work(&mut bodies, moved, &mut self.outcomes[parts]);
        parts + 1
    }

    /// Tells the moving tree of what was moved, perhaps nearly all, as some outcomes say; returns how many bodies were there.
    fn tell_tree(&mut self, parts: usize, many: bool, turn: Option<Turn>) -> usize {
        let (mut count, mut renewed) = (0, 0);
        let mut lives = Lives::default();
        for i in 0..parts {
            count += self.outcomes[i].count;
            renewed += self.outcomes[i].renewed;
            lives.add(&self.outcomes[i].lives);
            self.moved += if self.outcomes[i].any_moved { self.outcomes[i].count } else { 0 };
            for j in 0..self.outcomes[i].fixed.len() {
                let (proxy, aabb) = self.outcomes[i].fixed[j];
                count -= usize::from(!self.set(proxy, &aabb));
            }
        }
        if turn.is_some_and(|turn| !turn.begins) {
            self.rounds.note_strays(renewed);
        }
        if renewed * FEW > self.moving.len() || (many && self.spread > self.extent * SPREAD) {
            let were_on = self.rounds.are_on();
            self.rounds.set(&lives);
            if were_on && !self.rounds.are_on() {
                // Within rounds nobody asks for them.
                for (course, tight) in self.courses.iter_mut().zip(&self.tight) {
                    *course = Course::new(tight, self.frame);
                }
            }
            self.repack(renewed);
            self.states.iter_mut().for_each(|state| *state &= !RENEWED);
        } else {
            let leeway = match turn {
                Some(_) => Leeway::Round,
                None if many => Leeway::Drift,
                None => Leeway::None,
            };
            let mut numbers = std::mem::take(&mut self.renewed);
            numbers.clear();
            if turn.is_some_and(|turn| turn.begins) {
                numbers.extend((0..).zip(&self.states).filter(|(_, state)| **state & RENEWED != 0).map(|(i, _)| i));
            } else {
                self.outcomes[..parts].iter().for_each(|outcome| numbers.extend_from_slice(&outcome.numbers));
            }
            self.place_all(&numbers, leeway);
            self.renewed = numbers;
        }
        count
    }

    /// Packs the moving tree anew, in which so many leaves got new boxes.
    fn repack(&mut self, renewed: usize) {
        self.upkeep += self.moving.len();
        // A few more to search with cost less than to tell which.
        self.all_stale |= renewed * 4 > self.moving.len() * 3;
        if self.all_stale {
            for state in &mut self.states {
                *state |= if *state & USED != 0 { STALE } else { 0 };
            }
        } else {
            for number in 0..self.states.len() {
                if self.states[number] & RENEWED != 0 {
                    self.mark(number as u32);
                }
            }
        }
        let around = self.moving.around(0);
        let (fat, states, limits) = (&self.fat, &self.states, self.layers.limits());
        let order = self.movers.order(self.moving.level, (2.0 * around.min(), 2.0 * around.max()), fat, states);
        let ahead = |leaf: u32| {
            if let Some(limits) = limits {
                prefetch_item(limits, leaf);
            }
        };
        self.moving.pack(order, fat, &|leaf| limits.map_or(ALL, |limits| limits[leaf as usize].own), &ahead);
        self.is_packed = true;
        (self.spread, self.extent) = (0.0, self.moving.leaf_node_area());
    }
}
