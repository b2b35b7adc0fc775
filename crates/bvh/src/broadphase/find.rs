//! Finding all pairs of leaves of which at least one is new: node by node, on all threads.

use super::{
    Broadphase,
    edit::leaf,
    found::Found,
    group::Active,
    join::Block,
    search::{Group, leaf_lanes},
};
use crate::{
    lanes::{EVERY_LANE, LANES, Simd, vectorized},
    leaf::FIXED,
    node::{Child, NodeIndex},
};
use std::ops::Range;

/// Nodes that are searched with at a time: some thirty microseconds of work for a thread.
const CHUNK: usize = 64;

/// The same of blocks, which are sixteen such nodes.
const BLOCKS: usize = CHUNK / LANES;

/// Chunks that are worth a second thread.
#[cfg(feature = "parallel")]
const FORKED: usize = 8;

impl Broadphase {
    /// Notes where to search.
    pub(super) fn prepare_search(&mut self) {
        let mut active = std::mem::take(&mut self.active);
        active.fixed.clear(&self.fixed);
        active.moving.clear(&self.moving);
        let all = self.all_stale && self.is_packed && self.moving.height > 1;
        if self.all_stale && !all {
            for leaf in self.moving.leaves() {
                active.moving.add(&self.moving, leaf);
            }
        }
        for &number in &self.stale {
            if number & FIXED != 0 {
                active.fixed.add(&self.fixed, leaf(number));
            } else if !self.all_stale {
                active.moving.add(&self.moving, leaf(number));
            }
        }
        active.all = all;
        self.active = active;
    }

    /// Finds all pairs of leaves of which at least one is new: some in `found`, and some in each of the `parts`, which are for threads.
    pub(super) fn find(&self, found: &mut Found, parts: &mut Vec<Found>) {
        found.clear();
        parts.iter_mut().for_each(Found::clear);
        Task { broadphase: self, active: &self.active }.run(found, parts);
    }
}

/// What all threads of a search share.
struct Task<'a> {
    broadphase: &'a Broadphase,
    active: &'a Active,
}

impl Task<'_> {
    fn run(&self, found: &mut Found, parts: &mut Vec<Found>) {
        if self.active.all {
            self.each(self.broadphase.moving.blocks(), BLOCKS, found, parts);
        } else {
            self.each(0..self.active.moving.nodes().len(), CHUNK, found, parts);
        }
        // When all movers have searched the fixed tree, that tells all.
        if !self.broadphase.all_stale {
            vectorized!(self.broadphase.moving.level, simd => self.fixed(simd, found));
        }
    }

    /// Searches with some nodes of the moving tree: with blocks of it, or by place in the list of active ones.
    fn some(&self, nodes: Range<usize>, found: &mut Found) {
        let level = self.broadphase.moving.level;
        if self.active.all {
            vectorized!(level, simd => self.blocks(simd, nodes, found));
        } else {
            vectorized!(level, simd => self.moving(simd, nodes, found));
        }
    }

    #[cfg(not(feature = "parallel"))]
    fn each(&self, nodes: Range<usize>, _chunk: usize, found: &mut Found, _parts: &mut Vec<Found>) {
        self.some(nodes, found);
    }

    #[cfg(feature = "parallel")]
    fn each(&self, nodes: Range<usize>, chunk: usize, found: &mut Found, parts: &mut Vec<Found>) {
        use rayon::prelude::*;
        if nodes.len() < FORKED * chunk || rayon::current_num_threads() == 1 {
            return self.some(nodes, found);
        }
        let count = nodes.len().div_ceil(chunk);
        parts.resize_with(parts.len().max(count), Found::default);
        parts[..count].par_iter_mut().enumerate().for_each(|(i, part)| {
            let start = nodes.start + i * chunk;
            self.some(start..nodes.end.min(start + chunk), part);
        });
    }

    /// All moving leaves against both trees, block by block of the moving one.
    #[inline(always)]
    fn blocks<S: Simd>(&self, simd: S, nodes: Range<usize>, found: &mut Found) {
        let (tree, fixed) = (&self.broadphase.moving, &self.broadphase.fixed);
        let mut block = Block::new();
        for index in nodes {
            block.join(simd, tree, index as NodeIndex, found);
            for child in tree.nodes[index].children {
                let Child::Node(child) = Child::of(child) else { continue };
                if !fixed.is_empty() {
                    let lanes = leaf_lanes(simd, &tree.nodes[child as usize]);
                    let group = Group::new(simd, tree, child, lanes);
                    group.search(simd, fixed, |_| 0, |a, b| found.push(a, b));
                }
            }
            found.settle_many(simd, self.broadphase);
        }
        found.settle(simd, self.broadphase);
    }

    /// New moving leaves against both trees.
    #[inline(always)]
    fn moving<S: Simd>(&self, simd: S, places: Range<usize>, found: &mut Found) {
        let (tree, fixed) = (&self.broadphase.moving, &self.broadphase.fixed);
        for &index in &self.active.moving.nodes()[places] {
            let group = Group::new(simd, tree, index, self.active.moving.of(index));
            let mut keep = |a: u32, b: u32| found.push(a, b);
            group.search_within(simd, &mut keep);
            // Of two nodes the later one finds nothing new.
            let skipped = |node: NodeIndex| match node.cmp(&index) {
                std::cmp::Ordering::Less => self.active.moving.of(node),
                std::cmp::Ordering::Equal => EVERY_LANE,
                std::cmp::Ordering::Greater => 0,
            };
            group.search(simd, tree, skipped, &mut keep);
            if !fixed.is_empty() {
                group.search(simd, fixed, |_| 0, &mut keep);
            }
            found.settle_many(simd, self.broadphase);
        }
        found.settle(simd, self.broadphase);
    }

    /// Fixed leaves against the moving tree.
    #[inline(always)]
    fn fixed<S: Simd>(&self, simd: S, found: &mut Found) {
        let (tree, fixed) = (&self.broadphase.moving, &self.broadphase.fixed);
        for &index in self.active.fixed.nodes() {
            let group = Group::new(simd, fixed, index, self.active.fixed.of(index));
            // A new moving leaf has searched the fixed tree.
            let skipped = |node| self.active.moving.of(node);
            group.search(simd, tree, skipped, |a, b| found.push(a, b));
            found.settle_many(simd, self.broadphase);
        }
        found.settle(simd, self.broadphase);
    }
}
