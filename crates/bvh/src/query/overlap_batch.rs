//! The leaves that overlap each of many boxes.

use super::overlap::{BoxVolume, OverlapVisitor, Volume, aabb_bounds};
use crate::{
    Leaf, Visit,
    lanes::{Simd, each_lane, vectorized},
    node::{EMPTY, LEAF, Node, NodeIndex},
    stream::{StreamQuery, traverse_stream},
    traverse::traverse_from,
    tree::Bvh,
};
use cullide_narrowphase::Aabb;

/// Boxes of one stream: always so many, as the order in which a box meets leaves depends on those beside it.
const STREAM: usize = 8192;

/// A list of leaves for each of many boxes, in the order of the boxes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchOverlaps {
    leaves: Vec<Leaf>,
    /// Where each list ends, and the next one begins.
    ends: Vec<usize>,
}

impl BatchOverlaps {
    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The list of box `i`; `None` if there was no such box.
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

    /// Appends the lists of `count` boxes from what each met, in any order.
    fn append(&mut self, count: usize, met: &[(u32, Leaf)]) {
        let (first, start) = (self.ends.len(), self.leaves.len());
        self.ends.resize(first + count, 0);
        let ends = &mut self.ends[first..];
        met.iter().for_each(|&(query, _)| ends[query as usize] += 1);
        // Where each list starts, which becomes where it ends while it is written.
        let mut sum = start;
        for end in ends.iter_mut() {
            (sum, *end) = (sum + *end, sum);
        }
        self.leaves.resize(sum, Leaf::new(0));
        for &(query, leaf) in met {
            let end = &mut ends[query as usize];
            self.leaves[*end] = leaf;
            *end += 1;
        }
    }
}

impl Bvh {
    /// Answers [`Bvh::overlap_aabb`] for each of many boxes, and replaces `lists` by the leaves that overlap each. The
    /// boxes traverse the tree together; with the feature `parallel`, many are divided among rayon's threads, which
    /// does not change the lists.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Leaf, BatchOverlaps, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes = [0.0, 2.0, 9.0].map(|x| Aabb::new(Vec3::splat(x), Vec3::splat(x + 3.0)).unwrap());
    /// let mut lists = BatchOverlaps::default();
    /// Bvh::build(&boxes).overlap_batch(&boxes[1..], ALL, &mut lists);
    /// assert_eq!(lists.len(), 2);
    /// assert_eq!(lists.get(1), Some(&[Leaf::new(2)][..]));
    /// ```
    pub fn overlap_batch(&self, boxes: &[Aabb], mask: u32, lists: &mut BatchOverlaps) {
        lists.clear();
        #[cfg(feature = "parallel")]
        if boxes.len() > STREAM && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let lists_of = |boxes: &[Aabb]| {
                let mut lists = BatchOverlaps::default();
                lists.append(boxes.len(), &self.overlaps_of_stream(boxes, mask));
                lists
            };
            let parts: Vec<BatchOverlaps> = boxes.par_chunks(STREAM).map(lists_of).collect();
            parts.iter().for_each(|part| lists.extend(part));
            return;
        }
        for boxes in boxes.chunks(STREAM) {
            lists.append(boxes.len(), &self.overlaps_of_stream(boxes, mask));
        }
    }

    /// Which leaves which boxes meet.
    fn overlaps_of_stream(&self, boxes: &[Aabb], mask: u32) -> Vec<(u32, Leaf)> {
        let mut stream = BoxStream { boxes, met: Vec::with_capacity(boxes.len()) };
        let all = (0..boxes.len() as u32).collect();
        vectorized!(self.level, simd => traverse_stream(simd, self, mask, &mut stream, all));
        stream.met
    }
}

/// Boxes, and what they met so far.
struct BoxStream<'a> {
    boxes: &'a [Aabb],
    met: Vec<(u32, Leaf)>,
}

impl<S: Simd> StreamQuery<S> for BoxStream<'_> {
    type Place = ();

    #[inline(always)]
    fn enter(&mut self, simd: S, node: &Node, leaves: u32, allowed: u32, queries: &[u32], met: &mut [u32]) {
        for (&query, met) in queries.iter().zip(met) {
            let lanes = BoxVolume(aabb_bounds(&self.boxes[query as usize])).test(simd, node) & allowed;
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
    fn traverse_alone(&mut self, simd: S, tree: &Bvh, filter: Option<u32>, start: NodeIndex, query: u32) {
        let met = &mut self.met;
        let mut visit = |leaf| {
            met.push((query, leaf));
            Visit::Continue
        };
        let volume = BoxVolume(aabb_bounds(&self.boxes[query as usize]));
        traverse_from(simd, tree, filter, start, &mut OverlapVisitor { volume, visit: &mut visit });
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
