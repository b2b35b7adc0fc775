//! The tree of the moving bodies. Its leaves have enlarged boxes, so that a body that moves a little needs no edit of
//! the tree.
//!
//! It owns the boxes of leaves and decides when they are renewed. Except during a bulk move, each leaf has its body's
//! fat box, which contains the body's own box.
//!
//! ```text
//!   begin_moves   which frame of which cycle, and whether many bodies move
//!   move_all    each body: its new box, and a new fat box if that left the old one                         arrays only
//!   end_moves     many fat boxes are new: the tree is packed along a Hilbert curve                          all leaves
//!                 else each goes into its leaf, or to another node if it left its own by more than its policy allows
//! ```

mod reinsert;

use super::{
    body::{Mobility, Proxy},
    fat_aabb::{CycleFrame, LifetimeCells, LifetimeHistogram, MotionEstimate, RefitCycle, jitter},
    proxies::{Change, Proxies},
};
use crate::{
    ALL, Leaf,
    edit::LeafPlacement,
    hilbert::HilbertOrder,
    lanes::{Simd, vectorized},
    pack::LeafLayers,
    prefetch::prefetch_item,
    simd_aabb::SimdAabb,
    tree::Bvh,
};
use cullide_narrowphase::Aabb;
use reinsert::ReinsertPolicy;

/// If more than one in this many fat boxes is new, all leaves are packed: packing costs about this many times less per
/// leaf than reinserting one alone.
const FEW: usize = 8;

/// If at least one in this many bodies moves, packing all leaves costs as much as a few such moves, and repairs what
/// they have degraded.
pub(super) const MANY: usize = 4;

/// The fraction of their area by which nodes may grow before they are packed again.
const MAX_GROWTH: f64 = 0.1;

/// The tree of the moving bodies; see the module.
#[derive(Clone, Default)]
pub(super) struct DynamicTree {
    bvh: Bvh,
    /// By index of moving body: the box of its leaf, how it moves, and whether that box is newer than the one in the
    /// tree.
    fat_aabbs: Vec<SimdAabb>,
    motion: Vec<MotionEstimate>,
    is_newer: Vec<bool>,
    /// The bodies whose fat boxes are newer, each once.
    newer: Vec<u32>,
    /// The number of updates so far.
    frame: u32,
    cycle: RefitCycle,
    /// Whether nodes are numbered as [`Bvh::pack`] numbers them.
    is_packed: bool,
    /// The area of the leaf nodes when they were packed, and the growth since.
    packed_area: f64,
    growth: f64,
    /// The bodies in the tree, in ascending order unless outdated, and the order in which they are packed.
    indices: Vec<u32>,
    are_indices_outdated: bool,
    order: HilbertOrder,
    /// The leaves that moved to another node in a bulk move; how many did since the tree was last restructured; and how
    /// often it was restructured.
    escaped: Vec<Leaf>,
    escapes: u32,
    restructured: u32,
    /// The number of leaves reinserted since the last update only to maintain the quality of the tree.
    upkeep: usize,
}

/// A bulk move in progress.
pub(super) struct BulkMove {
    /// Whether so many bodies move that packing all is affordable.
    many: bool,
    cycle: Option<CycleFrame>,
    cells: LifetimeCells,
    lifetimes: LifetimeHistogram,
}

impl DynamicTree {
    pub(super) fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    pub(super) fn is_packed(&self) -> bool {
        self.is_packed
    }

    pub(super) fn is_in_cycles(&self) -> bool {
        self.cycle.is_on()
    }

    #[cfg(feature = "testing")]
    pub(super) fn upkeep(&self) -> usize {
        self.upkeep
    }

    #[cfg(feature = "testing")]
    pub(super) fn with_instructions(self, instructions: crate::Instructions) -> Option<Self> {
        Some(Self { bvh: self.bvh.with_instructions(instructions)?, ..self })
    }

    pub(super) fn reserve(&mut self, additional: usize) {
        self.bvh.reserve(additional);
    }

    /// Stores the box of a body that is not in the tree yet.
    pub(super) fn track(&mut self, proxy: Proxy, aabb: &SimdAabb) {
        let (i, motion) = (proxy.index(), MotionEstimate::new(aabb, self.frame));
        if i >= self.fat_aabbs.len() {
            self.fat_aabbs.resize(i + 1, *aabb);
            self.motion.resize(i + 1, motion);
            self.is_newer.resize(i + 1, false);
        }
        (self.fat_aabbs[i], self.motion[i]) = (*aabb, motion);
        self.shape_changed();
    }

    /// Inserts a body that is tracked.
    pub(super) fn insert(&mut self, proxy: Proxy, layers: u32) {
        self.bvh.insert_as(proxy.leaf(), &self.fat_aabbs[proxy.index()], layers);
        self.bvh.reserve_nodes();
    }

    pub(super) fn remove(&mut self, proxy: Proxy) {
        self.bvh.remove_as(proxy.leaf());
        self.shape_changed();
    }

    pub(super) fn set_layers(&mut self, proxy: Proxy, layers: u32) {
        self.bvh.set_mask(proxy.leaf(), layers);
    }

    /// To be called after bodies were added or removed.
    fn shape_changed(&mut self) {
        self.are_indices_outdated = true;
        self.is_packed = false;
    }

    /// Builds the tree of all tracked bodies, including those that are not in it yet.
    pub(super) fn build(&mut self, proxies: &Proxies) {
        let leaf = |proxy: Proxy| (proxy.leaf(), self.fat_aabbs[proxy.index()]);
        let leaves = proxies.used(Mobility::Moving).map(leaf).collect();
        let layers = |leaf: Leaf| proxies.layers(leaf.into()).own;
        self.bvh = Bvh::build_as(self.bvh.level, leaves, (proxies.count(Mobility::Moving), 0), layers);
        self.bvh.reserve_nodes();
        self.is_packed = false;
    }

    /// Rebuilds the tree for the fastest queries.
    pub(super) fn rebuild(&mut self) {
        self.bvh.rebuild();
        self.bvh.reserve_nodes();
        self.is_packed = false;
    }

    /// Renews the leaf of a body whose box in `proxies` has changed, if that box has left the fat box.
    pub(super) fn body_moved(&mut self, proxies: &mut Proxies, proxy: Proxy) {
        let i = proxy.index();
        if self.fat_aabbs[i].contains(proxies.aabb(proxy)) {
            return;
        }
        self.update_fat_aabb(proxies, i, proxy.index() as u32);
        proxies.mark_dirty(proxy);
        self.is_packed &= self.bvh.move_leaf(proxy.leaf(), &self.fat_aabbs[i]) == LeafPlacement::SameNode;
    }

    /// Computes the fat box of a body; bodies that share a `seed` and move alike get the same lifetime.
    #[inline(always)]
    fn update_fat_aabb(&mut self, proxies: &Proxies, i: usize, seed: u32) {
        let frame = self.frame;
        self.fat_aabbs[i] = self.motion[i].enlarge(&proxies.moving_aabbs()[i], frame, || jitter(seed, frame));
    }

    /// Begins a bulk move of `count` bodies.
    pub(super) fn begin_moves(&mut self, count: usize) -> BulkMove {
        let many = count * MANY >= self.bvh.len();
        let cycle = if many { self.cycle.frame(self.frame) } else { None };
        BulkMove { many, cycle, cells: LifetimeCells::of(&self.bvh), lifetimes: LifetimeHistogram::default() }
    }

    /// Gives those of the bodies that are moving ones their new boxes, and new fat boxes where needed; the tree is not
    /// updated yet. Returns how many of them exist.
    pub(super) fn move_all(&mut self, proxies: &mut Proxies, moved: &[(Proxy, Aabb)], moves: &mut BulkMove) -> usize {
        // This way scalar code, too, may use all instructions of the processor, which is a tenth faster.
        vectorized!(self.bvh.level, simd => self.move_each(simd, proxies, moved, moves))
    }

    #[inline(always)]
    fn move_each<S: Simd>(
        &mut self,
        simd: S,
        proxies: &mut Proxies,
        moved: &[(Proxy, Aabb)],
        moves: &mut BulkMove,
    ) -> usize {
        let mut count = 0;
        let (frame, begins) = (self.frame, moves.cycle.is_some_and(|cycle| cycle.begins));
        let mut changed = 0;
        for (proxy, aabb) in moved {
            if proxy.mobility() == Mobility::Fixed {
                continue;
            }
            let aabb = &SimdAabb::new(aabb);
            let before = match proxies.set_aabb(*proxy, aabb) {
                Change::Absent => continue,
                Change::None => {
                    count += 1;
                    continue;
                }
                Change::Moved(before) => before,
            };
            count += 1;
            changed += 1;
            let i = proxy.index();
            if !begins && self.fat_aabbs[i].contains_simd(simd, aabb) {
                continue;
            }
            moves.lifetimes.sample(simd, i, &before, aabb);
            self.fat_aabbs[i] = match moves.cycle {
                Some(cycle) => cycle.enlarge(simd, &before, aabb),
                None => self.motion[i].enlarge(aabb, frame, || jitter(moves.cells.seed(aabb.doubled_center()), frame)),
            };
            if !std::mem::replace(&mut self.is_newer[i], true) {
                self.newer.push(i as u32);
            }
        }
        proxies.count_moved(changed);
        count
    }

    /// Updates the tree after a bulk move.
    pub(super) fn end_moves(&mut self, proxies: &mut Proxies, moves: &BulkMove) {
        if moves.cycle.is_some_and(|cycle| !cycle.begins) {
            self.cycle.count_early(self.newer.len());
        }
        let many_left = self.newer.len() * FEW > self.bvh.len();
        if many_left || (moves.many && self.growth > self.packed_area * MAX_GROWTH) {
            let were_on = self.cycle.is_on();
            self.cycle.set(&moves.lifetimes);
            if were_on && !self.cycle.is_on() {
                // No motion is estimated during cycles.
                for (motion, tight) in self.motion.iter_mut().zip(proxies.moving_aabbs()) {
                    *motion = MotionEstimate::new(tight, self.frame);
                }
            }
            self.pack(proxies);
        } else {
            let policy = match moves.cycle {
                Some(_) => ReinsertPolicy::InCycle,
                None if moves.many => ReinsertPolicy::Drift,
                None => ReinsertPolicy::Strict,
            };
            self.reinsert_all(proxies, policy);
        }
        for i in self.newer.drain(..) {
            self.is_newer[i as usize] = false;
        }
    }

    /// Packs all leaves, each with its fat box.
    fn pack(&mut self, proxies: &mut Proxies) {
        self.upkeep += self.bvh.len();
        // Searching with a few more leaves costs less than determining which are new.
        if self.newer.len() * 4 > self.bvh.len() * 3 {
            proxies.mark_all_dirty();
        } else {
            self.newer.iter().for_each(|&i| proxies.mark_dirty(Proxy::of(Mobility::Moving, i)));
        }
        if std::mem::take(&mut self.are_indices_outdated) {
            self.indices.clear();
            self.indices.extend(proxies.used(Mobility::Moving).map(|proxy| proxy.index() as u32));
        }
        let (fat_aabbs, layers) = (&self.fat_aabbs, proxies.moving_layers());
        let bounds = self.bvh.node_bounds(0);
        let around = (2.0 * bounds.min(), 2.0 * bounds.max());
        let order = self.order.along(self.bvh.level, around, &self.indices, fat_aabbs);
        let of = |i: u32| layers.map_or(ALL, |layers| layers[i as usize].own);
        let prefetch = |i: u32| _ = layers.map(|layers| prefetch_item(layers, i));
        let layers = layers.is_some().then_some(LeafLayers { of: &of, prefetch: &prefetch });
        self.bvh.pack(order, fat_aabbs, layers);
        self.is_packed = true;
        (self.growth, self.packed_area) = (0.0, self.bvh.leaf_node_area());
    }

    /// To be called by each update.
    pub(super) fn end_frame(&mut self) {
        self.cycle.end_frame(self.frame, self.bvh.len());
        self.frame = self.frame.wrapping_add(1);
        self.upkeep = 0;
    }
}
