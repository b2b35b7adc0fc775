//! Many bodies moved at once.

use super::{
    Broadphase, Proxy,
    edit::leaf,
    fat::Course,
    rounds::Lives,
    slice::{Moment, Outcome, Slice},
    state::{MOVING, RENEWED, STALE, STRETCHED},
};
use crate::{
    ahead::{fetch, fetch_all},
    lanes::{LANES, each_lane, vectorized},
    node::{Child, LEAF},
    threads,
};
use cullide_narrowphase::Aabb;

/// With more than one in so many leaves outgrown, all are packed anew: placed together, a leaf costs about so many times less than alone.
const FEW: usize = 8;

/// With at least one in so many bodies moved, a packing of all costs a few such moves, and repairs what they spoil.
pub(super) const MOST: usize = 4;

/// By so much of their area nodes may spread before they are packed again.
const SPREAD: f64 = 0.1;

/// After so many leaves went to another node, the surroundings of one are tidied.
const STRAYS: u32 = 64;

/// In a smaller tree, tidying would be most of a frame.
const WORTH_TIDYING: usize = 2048;

/// Bodies that are placed between two steps of what is asked for ahead.
const PLACED_AHEAD: usize = 4;

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
        threads::among_them(moved.len() >= Slice::WORTH_A_THREAD, || self.move_all(moved))
    }

    fn move_all(&mut self, moved: &[(Proxy, Aabb)]) -> usize {
        let many = moved.len() * MOST >= self.moving.len();
        let turn = if many { self.rounds.turn(self.frame) } else { None };
        let moment = Moment::new(&self.moving, self.frame, turn);
        let mut parts = Slice::parts(moved);
        self.outcomes.resize_with(self.outcomes.len().max(parts + 1), Outcome::default);
        let mut bodies = Slice {
            first: 0,
            tight: &mut self.tight,
            fat: &mut self.fat,
            courses: &mut self.courses,
            states: &mut self.states,
        };
        let level = self.moving.level;
        // Also what is no vector arithmetic may use all instructions of the processor then: a tenth faster.
        let work = |slice: &mut Slice, moved: &[_], outcome: &mut _| {
            vectorized!(level, _simd => slice.set_all(moved, &moment, outcome));
        };
        bodies.each(moved, &mut self.outcomes[..parts], &work);
        if parts > 1 && self.outcomes[..parts].iter().any(|outcome| outcome.strayed) {
            // They were not in order. All once more by one thread, after which each body has the box that it was given last.
            self.outcomes[..parts].iter_mut().for_each(|outcome| outcome.count = 0);
            work(&mut bodies, moved, &mut self.outcomes[parts]);
            parts += 1;
        }
        let (mut count, mut renewed) = (0, 0);
        let mut lives = Lives::default();
        for i in 0..parts {
            count += self.outcomes[i].count;
            renewed += self.outcomes[i].renewed;
            lives.add(&self.outcomes[i].lives);
            self.moved += if self.outcomes[i].any_moved { self.outcomes[i].count } else { 0 };
            for j in 0..self.outcomes[i].fixed.len() {
                let (proxy, aabb) = self.outcomes[i].fixed[j];
                self.set(proxy, &aabb);
            }
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
            for (i, &number) in numbers.iter().enumerate() {
                self.fetch_ahead(&numbers[i..], leeway);
                self.place_with_neighbours(number, leeway);
            }
            self.tidy();
            numbers.iter().for_each(|&number| self.states[number as usize] &= !RENEWED);
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
                *state |= if *state & MOVING != 0 { STALE } else { 0 };
            }
        } else {
            for number in 0..self.states.len() {
                if self.states[number] & RENEWED != 0 {
                    self.mark(number as u32);
                }
            }
        }
        let around = self.moving.around(0);
        let (tight, fat, states, layers) = (&self.tight, &self.fat, &self.states, &self.layers);
        let order = self.movers.order(self.moving.level, (2.0 * around.min(), 2.0 * around.max()), tight, states);
        let corners = |leaf: u32| {
            let i = leaf as usize;
            if states[i] & STRETCHED != 0 { &fat[i] } else { &tight[i] }
        };
        let ahead = |leaf: u32| {
            fetch_all(corners(leaf));
            fetch(layers, leaf);
        };
        self.moving.pack(order, &corners, &|leaf| layers[leaf as usize].own, &ahead);
        self.is_packed = true;
        (self.spread, self.extent) = (0.0, self.moving.leaf_node_area());
    }

    /// Makes the moving tree better where a leaf went, once after many such leaves, so that no frame has much of it.
    fn tidy(&mut self) {
        self.moves += self.strayed.len() as u32;
        if let (Some(&leaf), true, true) =
            (self.strayed.last(), self.moves >= STRAYS, self.moving.len() >= WORTH_TIDYING)
        {
            self.moves = 0;
            // So many at most.
            self.upkeep += LANES * LANES;
            self.tidied = self.tidied.wrapping_add(1);
            self.moving.tidy_above_leaf(leaf, self.tidied);
            self.is_packed = false;
        }
        self.strayed.clear();
    }

    /// Has what the placing of later bodies reads brought near, one step after the other: where it says which node is theirs, the node and
    /// that above it, and what is known of the bodies in it.
    fn fetch_ahead(&self, numbers: &[u32], leeway: Leeway) {
        let after = |steps: usize| numbers.get(steps * PLACED_AHEAD).copied();
        if let Some(number) = after(3) {
            fetch(&self.moving.slots, number);
            fetch(&self.states, number);
        }
        if let Some(number) = after(2)
            && let Some(slot) = self.moving.slot(leaf(number))
        {
            fetch_all(&self.moving.nodes[slot.node()]);
            fetch(&self.moving.masks, slot.node() as u32);
            fetch_all(self.leaf_box(number));
            let parent = self.moving.parents[slot.node()];
            if !parent.is_none() {
                fetch_all(&self.moving.nodes[parent.node()]);
            }
        }
        if leeway != Leeway::Round
            && let Some(number) = after(1)
            && self.states[number as usize] & RENEWED != 0
            && let Some(slot) = self.moving.slot(leaf(number))
        {
            for child in self.moving.nodes[slot.node()].children {
                if let Child::Leaf(other) = Child::of(child) {
                    fetch(&self.courses, other);
                    fetch(&self.tight, other);
                    fetch(&self.fat, other);
                }
            }
        }
    }

    /// Tells the tree of a body's new leaf box, and makes new ones for its neighbours that soon need them.
    fn place_with_neighbours(&mut self, number: u32, leeway: Leeway) {
        let Some(slot) = self.moving.slot(leaf(number)) else { return };
        if self.states[number as usize] & RENEWED == 0 {
            // A neighbour came before.
            return;
        }
        let index = slot.node();
        let around = self.moving.noted_around(index);
        let children = self.moving.nodes[index].children;
        let mut outside = 0;
        for (lane, &child) in children.iter().enumerate() {
            let Child::Leaf(other) = Child::of(child) else { continue };
            let i = other as usize;
            if self.states[i] & RENEWED == 0 {
                if leeway == Leeway::Round || !self.courses[i].is_old(self.frame) {
                    continue;
                }
                self.states[i] = self.states[i] & !STRETCHED | self.stretch(other, || index as u32);
            }
            self.states[i] &= !RENEWED;
            self.mark(other);
            let corners = *self.leaf_box(other);
            let stays = match leeway {
                Leeway::None => around.contains(&corners),
                Leeway::Drift | Leeway::Round => around.overlaps(&corners),
            };
            if stays || index == 0 {
                self.moving.nodes[index].put_row(lane, child, corners.min(), corners.max());
            } else {
                outside |= 1 << lane;
            }
        }
        self.moving.refresh(index);
        if leeway != Leeway::None {
            self.spread += self.moving.noted_around(index).half_area() - around.half_area();
        }
        for lane in each_lane(outside) {
            let other = leaf(children[lane] & !LEAF);
            if let Some(aabb) = self.leaf_box(other.bits()).aabb()
                && !self.moving.set_and_tell(other, &aabb)
            {
                self.is_packed = false;
                self.strayed.push(other);
            }
        }
    }
}

/// How far a leaf may leave the bounds of its node without being placed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leeway {
    /// Not at all.
    None,
    /// As long as it touches them: all will soon be packed again.
    Drift,
    /// The same, and its neighbours live as long as the round: to look at each would wait for memory.
    Round,
}
