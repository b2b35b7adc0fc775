//! Finding all pairs of leaves of which at least one is new: node by node, on all threads.

use super::{
    Broadphase,
    edit::leaf,
    group::Active,
    join::Block,
    search::{Group, leaf_lanes},
    state::{MOVING, USED},
    watched::Watched,
};
use crate::{
    lanes::{EVERY_LANE, LANES, Simd, vectorized},
    node::{Child, NodeIndex},
};
use std::ops::Range;

/// Nodes that are searched with at a time: some hundred microseconds of work for a thread.
const CHUNK: usize = 256;

/// The same of blocks, which are sixteen such nodes.
const BLOCKS: usize = CHUNK / LANES;

/// Found pairs whose layers are looked at together: one after the other, each would wait for memory.
const BATCH: usize = 256;

impl Broadphase {
    /// Finds all pairs of leaves of which at least one is new, in no order that means anything.
    pub(super) fn find(&mut self) {
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
            let state = self.states[number as usize];
            if state & (USED | MOVING) == USED {
                active.fixed.add(&self.fixed, leaf(number));
            } else if state & USED != 0 && !self.all_stale {
                active.moving.add(&self.moving, leaf(number));
            }
        }
        let mut found = std::mem::take(&mut self.found);
        let mut parts = std::mem::take(&mut self.parts);
        let task = Task { broadphase: self, active: &active, all };
        task.run(&mut found, &mut parts);
        (self.found, self.parts, self.active) = (found, parts, active);
    }
}

/// What all threads of a search share.
struct Task<'a> {
    broadphase: &'a Broadphase,
    active: &'a Active,
    /// Whether all of the moving tree, which is packed and has blocks, is searched with.
    all: bool,
}

impl Task<'_> {
    /// Searches with everything new; `parts` are for threads. In no order that means anything.
    fn run(&self, found: &mut Vec<Watched>, parts: &mut Vec<Vec<Watched>>) {
        found.clear();
        if self.all {
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
    fn some(&self, nodes: Range<usize>, found: &mut Vec<Watched>) {
        let level = self.broadphase.moving.level;
        if self.all {
            vectorized!(level, simd => self.blocks(simd, nodes, found));
        } else {
            vectorized!(level, simd => self.moving(simd, nodes, found));
        }
    }

    #[cfg(not(feature = "parallel"))]
    fn each(&self, nodes: Range<usize>, _chunk: usize, found: &mut Vec<Watched>, _parts: &mut Vec<Vec<Watched>>) {
        self.some(nodes, found);
    }

    #[cfg(feature = "parallel")]
    fn each(&self, nodes: Range<usize>, chunk: usize, found: &mut Vec<Watched>, parts: &mut Vec<Vec<Watched>>) {
        use rayon::prelude::*;
        if nodes.len() < 2 * chunk || rayon::current_num_threads() == 1 {
            return self.some(nodes, found);
        }
        let count = nodes.len().div_ceil(chunk);
        parts.resize_with(parts.len().max(count), Vec::new);
        parts[..count].par_iter_mut().enumerate().for_each(|(i, part)| {
            part.clear();
            let start = nodes.start + i * chunk;
            self.some(start..nodes.end.min(start + chunk), part);
        });
        for part in &parts[..count] {
            found.extend_from_slice(part);
        }
    }

    /// All moving leaves against both trees, block by block of the moving one.
    #[inline(always)]
    fn blocks<S: Simd>(&self, simd: S, nodes: Range<usize>, found: &mut Vec<Watched>) {
        let (tree, fixed) = (&self.broadphase.moving, &self.broadphase.fixed);
        let mut block = Block::new();
        let mut checked = 0;
        for index in nodes {
            block.join(simd, tree, index as NodeIndex, |a, b| found.push(Watched::new(a, b)));
            for child in tree.nodes[index].children {
                let Child::Node(child) = Child::of(child) else { continue };
                if !fixed.is_empty() {
                    let lanes = leaf_lanes(simd, &tree.nodes[child as usize]);
                    let group = Group::new(simd, tree, child, lanes);
                    group.search(simd, fixed, |_| 0, |a, b| found.push(Watched::new(a, b)));
                }
            }
            if found.len() > checked + BATCH {
                checked = self.keep_pairing(found, checked);
            }
        }
        self.keep_pairing(found, checked);
    }

    /// New moving leaves against both trees.
    #[inline(always)]
    fn moving<S: Simd>(&self, simd: S, places: Range<usize>, found: &mut Vec<Watched>) {
        let (tree, fixed) = (&self.broadphase.moving, &self.broadphase.fixed);
        let mut checked = 0;
        for &index in &self.active.moving.nodes()[places] {
            let group = Group::new(simd, tree, index, self.active.moving.of(index));
            let mut keep = |a: u32, b: u32| found.push(Watched::new(a, b));
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
            if found.len() > checked + BATCH {
                checked = self.keep_pairing(found, checked);
            }
        }
        self.keep_pairing(found, checked);
    }

    /// Fixed leaves against the moving tree.
    #[inline(always)]
    fn fixed<S: Simd>(&self, simd: S, found: &mut Vec<Watched>) {
        let (tree, fixed) = (&self.broadphase.moving, &self.broadphase.fixed);
        let mut checked = found.len();
        for &index in self.active.fixed.nodes() {
            let group = Group::new(simd, fixed, index, self.active.fixed.of(index));
            // A new moving leaf has searched the fixed tree.
            let skipped = |node| self.active.moving.of(node);
            group.search(simd, tree, skipped, |a, b| found.push(Watched::new(a, b)));
            if found.len() > checked + BATCH {
                checked = self.keep_pairing(found, checked);
            }
        }
        self.keep_pairing(found, checked);
    }

    /// Drops what the layers forbid from the pairs past the first `checked`; returns how many are left.
    #[inline(always)]
    fn keep_pairing(&self, found: &mut Vec<Watched>, checked: usize) -> usize {
        let layers = &self.broadphase.layers;
        let mut kept = checked;
        for i in checked..found.len() {
            let pair = found[i];
            let (a, b) = pair.numbers();
            // Written always, kept if they pair: no branch to mispredict.
            found[kept] = pair;
            kept += usize::from(layers[a as usize].pair(layers[b as usize]));
        }
        found.truncate(kept);
        kept
    }
}
