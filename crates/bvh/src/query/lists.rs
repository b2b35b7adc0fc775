//! The leaves near each of many boxes.

use super::overlap::{BoxTouch, Touch, TouchVisitor};
use crate::{
    Leaf, Visit,
    lanes::{Simd, each_lane, vectorized},
    node::{EMPTY, LEAF, Node, NodeIndex},
    together::{Crowd, walk_together},
    tree::Bvh,
    walk::walk_from,
};
use cullide_narrowphase::Aabb;

/// Boxes that go together: always so many, as the order in which a box meets leaves depends on those it goes with.
const SHARE: usize = 8192;

/// A list of leaves for each of many questions, in the order of the questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafLists {
    leaves: Vec<Leaf>,
    /// Where each list ends, and the next one begins.
    ends: Vec<usize>,
}

impl LeafLists {
    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The list of question `i`; `None` if there was no such question.
    pub fn get(&self, i: usize) -> Option<&[Leaf]> {
        let start = if i == 0 { 0 } else { *self.ends.get(i - 1)? };
        Some(&self.leaves[start..*self.ends.get(i)?])
    }

    /// All lists.
    pub fn iter(&self) -> impl Iterator<Item = &[Leaf]> {
        (0..self.len()).map_while(|i| self.get(i))
    }

    fn clear(&mut self) {
        self.leaves.clear();
        self.ends.clear();
    }

    #[cfg(feature = "parallel")]
    fn extend(&mut self, other: &Self) {
        let start = self.leaves.len();
        self.leaves.extend_from_slice(&other.leaves);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    /// Appends the lists of `count` questions from what each met, in any order.
    fn append(&mut self, count: usize, met: &[(u32, Leaf)]) {
        let (first, start) = (self.ends.len(), self.leaves.len());
        self.ends.resize(first + count, 0);
        let ends = &mut self.ends[first..];
        met.iter().for_each(|&(question, _)| ends[question as usize] += 1);
        // Where each list starts, which becomes where it ends while it is written.
        let mut sum = start;
        for end in ends.iter_mut() {
            (sum, *end) = (sum + *end, sum);
        }
        self.leaves.resize(sum, Leaf::new(0));
        for &(question, leaf) in met {
            let end = &mut ends[question as usize];
            self.leaves[*end] = leaf;
            *end += 1;
        }
    }
}

impl Bvh {
    /// Answers [`Bvh::overlap_aabb`] for each of many boxes, and replaces `lists` by the leaves near each. The boxes go through the tree
    /// together; with the feature `parallel`, many are divided among rayon's threads, which does not change the lists.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Leaf, LeafLists, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes = [0.0, 2.0, 9.0].map(|x| Aabb::new(Vec3::splat(x), Vec3::splat(x + 3.0)).unwrap());
    /// let mut lists = LeafLists::default();
    /// Bvh::build(&boxes).overlap_each(&boxes[1..], ALL, &mut lists);
    /// assert_eq!(lists.len(), 2);
    /// assert_eq!(lists.get(1), Some(&[Leaf::new(2)][..]));
    /// ```
    pub fn overlap_each(&self, boxes: &[Aabb], mask: u32, lists: &mut LeafLists) {
        lists.clear();
        #[cfg(feature = "parallel")]
        if boxes.len() > SHARE && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let share = |boxes: &[Aabb]| {
                let mut lists = LeafLists::default();
                lists.append(boxes.len(), &self.met_together(boxes, mask));
                lists
            };
            let shares: Vec<LeafLists> = boxes.par_chunks(SHARE).map(share).collect();
            shares.iter().for_each(|share| lists.extend(share));
            return;
        }
        for boxes in boxes.chunks(SHARE) {
            lists.append(boxes.len(), &self.met_together(boxes, mask));
        }
    }

    /// Which leaves which boxes meet.
    fn met_together(&self, boxes: &[Aabb], mask: u32) -> Vec<(u32, Leaf)> {
        let mut crowd = Boxes { boxes, met: Vec::with_capacity(boxes.len()) };
        let all = (0..boxes.len() as u32).collect();
        vectorized!(self.level, simd => walk_together(simd, self, mask, &mut crowd, all));
        crowd.met
    }
}

/// Boxes, and what they met so far.
struct Boxes<'a> {
    boxes: &'a [Aabb],
    met: Vec<(u32, Leaf)>,
}

impl<S: Simd> Crowd<S> for Boxes<'_> {
    type Place = ();

    #[inline(always)]
    fn enter(&mut self, simd: S, node: &Node, leaves: u32, allowed: u32, queries: &[u32], met: &mut [u32]) {
        for (&query, met) in queries.iter().zip(met) {
            let lanes = BoxTouch::aabb(&self.boxes[query as usize]).meet(simd, node) & allowed;
            *met = lanes & !leaves;
            for lane in each_lane(lanes & leaves) {
                let child = node.children[lane];
                if child != EMPTY {
                    self.met.push((query, Leaf::from_bits(child & !LEAF)));
                }
            }
        }
    }

    #[inline(always)]
    fn send(&mut self, simd: S, tree: &Bvh, mask: u32, start: NodeIndex, query: u32) {
        let met = &mut self.met;
        let visit = |leaf| {
            met.push((query, leaf));
            Visit::Continue
        };
        let mut visitor = TouchVisitor { touch: BoxTouch::aabb(&self.boxes[query as usize]), visit };
        walk_from(simd, tree, mask, start, &mut visitor, &mut ());
    }

    #[inline(always)]
    fn place(&self, _node: &Node, _lane: usize) {}

    /// All orders are as good.
    fn distance(&self, _node: &Node, _lane: usize) -> f32 {
        0.0
    }

    /// What a box meets does not depend on what it met before.
    #[inline(always)]
    fn keep(&self, _place: &(), queries: &mut [u32]) -> usize {
        queries.len()
    }
}
