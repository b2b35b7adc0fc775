//! Placing new leaf boxes in the moving tree, when a few bodies of many need them.

use super::{Broadphase, edit::leaf, state::RENEWED};
use crate::{
    lanes::{LANES, each_lane},
    node::{Child, LEAF},
    prefetch::{prefetch_all, prefetch_item},
};

/// After so many leaves went to another node, the surroundings of one are tidied.
const STRAYS: u32 = 64;

/// In a smaller tree, tidying would be most of a frame.
const WORTH_TIDYING: usize = 2048;

/// Bodies that are placed between two steps of what is asked for ahead.
const PLACED_AHEAD: usize = 4;

impl Broadphase {
    /// Tells the tree of the new leaf boxes of some bodies.
    pub(super) fn place_all(&mut self, numbers: &[u32], leeway: Leeway) {
        for (i, &number) in numbers.iter().enumerate() {
            self.fetch_ahead(&numbers[i..], leeway);
            self.place_with_neighbours(number, leeway);
        }
        self.tidy();
        numbers.iter().for_each(|&number| self.states[number as usize] &= !RENEWED);
    }

    /// Tells the tree of a body's new leaf box, and makes new ones for its neighbours that soon need them.
    fn place_with_neighbours(&mut self, number: u32, leeway: Leeway) {
        let Some(slot) = self.moving.slot(leaf(number)) else { return };
        if self.states[number as usize] & RENEWED == 0 {
            // A neighbour came before.
            return;
        }
        let index = slot.node();
        let around = self.moving.stored_bounds(index);
        let children = self.moving.nodes[index].children;
        let mut outside = 0;
        for (lane, &child) in children.iter().enumerate() {
            let Child::Leaf(other) = Child::of(child) else { continue };
            let i = other as usize;
            if self.states[i] & RENEWED == 0 {
                if leeway == Leeway::Round || !self.courses[i].is_old(self.frame) {
                    continue;
                }
                self.stretch(other, || index as u32);
            }
            self.states[i] &= !RENEWED;
            self.mark(other);
            let corners = self.fat[i];
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
            self.spread += self.moving.stored_bounds(index).half_area() - around.half_area();
        }
        for lane in each_lane(outside) {
            let other = leaf(children[lane] & !LEAF);
            if let Some(aabb) = self.fat[other.index()].aabb()
                && !self.moving.move_leaf(other, &aabb)
            {
                self.is_packed = false;
                self.strayed.push(other);
            }
        }
    }

    /// Has what the placing of later bodies reads brought near, one step after the other: where it says which node is theirs, the node and
    /// that above it, and what is known of the bodies in it.
    fn fetch_ahead(&self, numbers: &[u32], leeway: Leeway) {
        let after = |steps: usize| numbers.get(steps * PLACED_AHEAD).copied();
        if let Some(number) = after(3) {
            prefetch_item(&self.moving.slots, number);
            prefetch_item(&self.states, number);
        }
        if let Some(number) = after(2)
            && let Some(slot) = self.moving.slot(leaf(number))
        {
            prefetch_all(&self.moving.nodes[slot.node()]);
            prefetch_item(&self.moving.masks, slot.node() as u32);
            prefetch_item(&self.fat, number);
            let parent = self.moving.parents[slot.node()];
            if !parent.is_none() {
                prefetch_all(&self.moving.nodes[parent.node()]);
            }
        }
        if leeway != Leeway::Round
            && let Some(number) = after(1)
            && self.states[number as usize] & RENEWED != 0
            && let Some(slot) = self.moving.slot(leaf(number))
        {
            for child in self.moving.nodes[slot.node()].children {
                if let Child::Leaf(other) = Child::of(child) {
                    prefetch_item(&self.courses, other);
                    prefetch_item(&self.tight, other);
                    prefetch_item(&self.fat, other);
                }
            }
        }
    }

    /// Makes the moving tree better where a leaf went, once after many such leaves, so that no frame has much of it.
    fn tidy(&mut self) {
        self.moves = self.moves.saturating_add(self.strayed.len() as u32);
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
}

/// How far a leaf may leave the bounds of its node without being placed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leeway {
    /// Not at all.
    None,
    /// As long as it touches them: all will soon be packed again.
    Drift,
    /// The same, and its neighbours live as long as the round: to look at each would wait for memory.
    Round,
}
