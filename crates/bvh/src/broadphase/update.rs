//! Bringing the pairs up to date.

use super::{
    Broadphase, Pair,
    candidates::Watched,
    edit::leaf,
    group::Lanes,
    search::{Group, leaf_lanes},
    state::{LASTING, MOVING, USED},
};
use crate::{
    ALL, Leaf, Visit,
    lanes::{EVERY_LANE, Simd, vectorized},
    node::NodeIndex,
    order::sort_by_bits,
};

/// What changed in an update. Each list is in order; a pair is in one of them at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events<'a> {
    /// Pairs that were none at the update before.
    pub begun: &'a [Pair],
    /// Pairs that are none any more, also because a body was removed; its proxy is stale then.
    pub ended: &'a [Pair],
}

/// Fewer pairs are sorted by comparing.
const WORTH_DIGITS: usize = 512;

impl Broadphase {
    /// Brings the pairs up to date with all edits since the last update, and returns what changed.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// broadphase.insert(&Body::fixed(aabb));
    /// broadphase.insert(&Body::fixed(aabb));
    /// let ball = broadphase.insert(&Body::moving(aabb));
    /// assert_eq!(broadphase.update().begun.len(), 2);
    /// broadphase.set(ball, &Aabb::new(Vec3::ONE, Vec3::splat(2.0))?);
    /// assert!(broadphase.update().ended.is_empty(), "they still touch");
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn update(&mut self) -> Events<'_> {
        self.frame = self.frame.wrapping_add(1);
        if self.stale.is_empty() && !self.all_stale && !self.any_moved {
            self.candidates.clear_events();
        } else {
            self.search();
            vectorized!(self.moving.level, _simd => self.candidates.update(&self.found, &self.states, &self.tight));
            for state in &mut self.states {
                *state &= LASTING;
            }
            self.stale.clear();
            (self.all_stale, self.any_moved) = (false, false);
            self.free.append(&mut self.freed);
        }
        Events { begun: self.candidates.begun(), ended: self.candidates.ended() }
    }

    /// Calls `visit` once for every pair as it is now, all edits included, in no fixed order; [`Visit::Stop`] ends it. Searches all of both
    /// trees: between updates, or instead of them.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 2].map(|()| broadphase.insert(&Body::moving(aabb)));
    /// let mut pairs = vec![];
    /// broadphase.for_each_pair(|pair| {
    ///     pairs.push((pair.first, pair.second));
    ///     Visit::Continue
    /// });
    /// assert_eq!(pairs, [(proxies[0], proxies[1])]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn for_each_pair(&self, mut visit: impl FnMut(Pair) -> Visit) {
        let mut show = |a: Leaf, b: Leaf| {
            let (i, j) = (a.index(), b.index());
            if self.layers[i].pair(self.layers[j]) && self.tight[i].overlaps(&self.tight[j]) {
                visit(Watched::new(a.bits(), b.bits()).pair())
            } else {
                Visit::Continue
            }
        };
        let mut stopped = false;
        self.moving.for_each_pair(|a, b| {
            stopped = show(a, b) == Visit::Stop;
            if stopped { Visit::Stop } else { Visit::Continue }
        });
        for leaf in self.moving.leaves() {
            let Some(aabb) = self.tight[leaf.index()].aabb() else { continue };
            if stopped {
                return;
            }
            self.fixed.overlap_aabb(&aabb, ALL, |other| {
                stopped = show(leaf, other) == Visit::Stop;
                if stopped { Visit::Stop } else { Visit::Continue }
            });
        }
    }

    /// Finds all pairs of leaves of which at least one is new, sorted.
    fn search(&mut self) {
        let mut active = std::mem::take(&mut self.active);
        active.fixed.clear(&self.fixed);
        active.moving.clear(&self.moving);
        // Nodes that a packed tree has are all in use, and in order.
        let by_node = self.all_stale && self.is_packed;
        if self.all_stale && !by_node {
            for leaf in self.moving.leaves() {
                active.moving.add(&self.moving, leaf);
            }
        }
        for &number in &self.stale {
            let state = self.states[number as usize];
            if state & USED != 0 {
                if state & MOVING == 0 {
                    active.fixed.add(&self.fixed, leaf(number));
                } else if !self.all_stale {
                    active.moving.add(&self.moving, leaf(number));
                }
            }
        }
        active.moving.sort();
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let this = &*self;
        vectorized!(this.moving.level, simd => {
            let mut keep = |a: u32, b: u32| {
                if this.layers[a as usize].pair(this.layers[b as usize]) {
                    found.push(Watched::new(a, b));
                }
            };
            if by_node {
                search_all(simd, this, &mut keep);
            } else {
                search_some(simd, this, &active.moving, &mut keep);
            }
            if !this.all_stale {
                for &index in active.fixed.nodes() {
                    let group = Group::new(simd, &this.fixed, index, active.fixed.of(index));
                    group.search(simd, &this.moving, &[], |node| active.moving.of(node), &mut keep);
                }
            }
        });
        (self.found, self.active) = (found, active);
        self.sort_found();
    }

    /// Sorts what was found: by the larger number, then by the smaller.
    fn sort_found(&mut self) {
        if self.found.len() < WORTH_DIGITS {
            self.found.sort_unstable();
            return;
        }
        let bits = usize::BITS - self.states.len().leading_zeros();
        sort_by_bits(
            self.moving.level,
            &mut self.found,
            &mut self.scratch,
            Watched::LARGER,
            Watched::LARGER + bits,
            |found| found.bits(),
        );
        sort_by_bits(
            self.moving.level,
            &mut self.found,
            &mut self.scratch,
            Watched::SMALLER,
            Watched::SMALLER + bits,
            |found| found.bits(),
        );
    }
}

/// Levels of a packed tree at most: sixteen to this power are more than its leaves.
const LEVELS: usize = 9;

/// All moving leaves against both trees.
#[inline(always)]
fn search_all<S: Simd>(simd: S, this: &Broadphase, keep: &mut impl FnMut(u32, u32)) {
    let tree = &this.moving;
    for (index, node) in (0..).zip(&tree.nodes) {
        let lanes = leaf_lanes(simd, node);
        if lanes == 0 {
            continue;
        }
        let group = Group::new(simd, tree, index, lanes);
        group.search_within(simd, &mut *keep);
        let (mut path, mut at) = ([0; LEVELS], index);
        for place in path[..tree.height as usize].iter_mut().rev() {
            *place = at;
            at = tree.parents[at as usize].node() as NodeIndex;
        }
        // Of two nodes the later one finds nothing new.
        group.search(
            simd,
            tree,
            &path[..tree.height as usize],
            |node| if node <= index { EVERY_LANE } else { 0 },
            &mut *keep,
        );
        if !this.fixed.is_empty() {
            group.search(simd, &this.fixed, &[], |_| 0, &mut *keep);
        }
    }
}

/// Some moving leaves against both trees.
#[inline(always)]
fn search_some<S: Simd>(simd: S, this: &Broadphase, active: &Lanes, keep: &mut impl FnMut(u32, u32)) {
    let tree = &this.moving;
    for &index in active.nodes() {
        let group = Group::new(simd, tree, index, active.of(index));
        group.search_within(simd, &mut *keep);
        let skipped = |node: NodeIndex| match node.cmp(&index) {
            std::cmp::Ordering::Less => active.of(node),
            std::cmp::Ordering::Equal => EVERY_LANE,
            std::cmp::Ordering::Greater => 0,
        };
        group.search(simd, tree, &[], skipped, &mut *keep);
        if !this.fixed.is_empty() {
            group.search(simd, &this.fixed, &[], |_| 0, &mut *keep);
        }
    }
}
