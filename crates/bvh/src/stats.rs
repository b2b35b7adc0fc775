//! Queries that count how much of a tree they visit.

use crate::{
    Bvh, Leaf, Probe, Visit,
    lanes::{Keys, Simd, baseline},
    node::{Bounds, Node, NodeIndex},
    query::{BoxVolume, OverlapVisitor, RayVisitor, aabb_bounds},
    traverse::{Order, Visitor, traverse},
};
use cullide_narrowphase::Aabb;
use std::ops::ControlFlow;

/// How much of a tree a query visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes whose children were tested, the root included.
    pub nodes: usize,
    /// Leaves that were passed to the visitor.
    pub leaves: usize,
}

impl Bvh {
    /// Returns a view of the tree whose queries count their work. It is meant for tests and tuning: counting costs a
    /// little.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Stats, narrowphase::{Aabb, glam::Vec3}};
    /// # use std::ops::ControlFlow;
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// let stats = tree.counted().overlap_aabb(&Aabb::new(Vec3::ONE, Vec3::ONE)?, ALL, |_| ControlFlow::Continue(()));
    /// assert_eq!(stats, Stats { nodes: 1, leaves: 1 });
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn counted(&self) -> Counted<'_> {
        Counted(self)
    }
}

/// A tree whose queries count their work; see [`Bvh::counted`]. Each query is the one of [`Bvh`] with the same name.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a>(&'a Bvh);

impl Counted<'_> {
    /// [`Bvh::cast`], counted.
    pub fn cast(&self, probe: &Probe, mask: u32, mut visit: impl FnMut(Leaf, f32) -> Visit) -> Stats {
        self.count_cast(probe, mask, &mut visit)
    }

    /// [`Bvh::overlap_aabb`], counted.
    pub fn overlap_aabb(&self, aabb: &Aabb, mask: u32, mut visit: impl FnMut(Leaf) -> ControlFlow<()>) -> Stats {
        self.count_overlaps(aabb_bounds(aabb), mask, &mut visit)
    }

    fn count_cast(&self, probe: &Probe, mask: u32, visit: &mut dyn FnMut(Leaf, f32) -> Visit) -> Stats {
        let mut stats = Stats::default();
        if probe.reaches_any() {
            baseline!(simd => {
                let visitor = RayVisitor::new(simd, probe, visit);
                traverse(simd, self.0, mask, &mut Counting { visitor, stats: &mut stats });
            });
        }
        stats
    }

    fn count_overlaps(&self, bounds: Bounds, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) -> Stats {
        let mut stats = Stats::default();
        let visitor = OverlapVisitor { volume: BoxVolume(bounds), visit };
        let mut visitor = Counting { visitor, stats: &mut stats };
        baseline!(simd => traverse(simd, self.0, mask, &mut visitor));
        stats
    }
}

/// A visitor that counts what another visitor visits.
struct Counting<'a, V> {
    visitor: V,
    stats: &'a mut Stats,
}

impl<S: Simd, V: Visitor<S>> Visitor<S> for Counting<'_, V> {
    const ORDER: Order = V::ORDER;

    #[inline(always)]
    fn test_children(&mut self, simd: S, index: NodeIndex, node: &Node, key: u32) -> (u32, Keys<S>) {
        self.stats.nodes += 1;
        self.visitor.test_children(simd, index, node, key)
    }

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
        self.stats.leaves += 1;
        self.visitor.visit_leaf(leaf, key)
    }

    #[inline(always)]
    fn is_culled(&self, key: u32) -> bool {
        self.visitor.is_culled(key)
    }

    #[inline(always)]
    fn live_lanes(&self, simd: S, keys: Keys<S>) -> u32 {
        self.visitor.live_lanes(simd, keys)
    }
}
