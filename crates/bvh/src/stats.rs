//! How much of a tree a query looks at: the same queries, counted.

use crate::{
    Bvh, Leaf, Probe, Visit,
    query::{BoxTouch, ObbTouch, SphereTouch},
    walk::Watch,
};
use cullide_narrowphase::{Aabb, Obb, Plane, Side, Sphere, glam::Vec3};

/// How much of a tree a query looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes whose children were tested, the root included.
    pub nodes: usize,
    /// Leaves that were shown to the visitor.
    pub leaves: usize,
}

impl Watch for Stats {
    fn node(&mut self) {
        self.nodes += 1;
    }

    fn leaf(&mut self) {
        self.leaves += 1;
    }
}

impl Bvh {
    /// The same tree with queries that count their work. They are for tests and for tuning: counting costs a little.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Stats, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// let stats = tree.counted().overlap_point(Vec3::ONE, ALL, |_| Visit::Continue);
    /// assert_eq!(stats, Stats { nodes: 1, leaves: 1 });
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn counted(&self) -> Counted<'_> {
        Counted(self)
    }
}

/// A tree whose queries count their work; see [`Bvh::counted`]. Each query is that of [`Bvh`] with the same name.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a>(&'a Bvh);

impl Counted<'_> {
    /// [`Bvh::cast`], counted.
    pub fn cast(&self, probe: &Probe, mask: u32, visit: impl FnMut(Leaf, f32) -> Visit) -> Stats {
        count(|stats| self.0.cast_watched(probe, mask, visit, stats))
    }

    /// [`Bvh::overlap_aabb`], counted.
    pub fn overlap_aabb(&self, aabb: &Aabb, mask: u32, visit: impl FnMut(Leaf) -> Visit) -> Stats {
        count(|stats| self.0.touch(mask, BoxTouch::aabb(aabb), visit, stats))
    }

    /// [`Bvh::overlap_point`], counted.
    pub fn overlap_point(&self, point: Vec3, mask: u32, visit: impl FnMut(Leaf) -> Visit) -> Stats {
        count(|stats| self.0.touch(mask, BoxTouch::point(point), visit, stats))
    }

    /// [`Bvh::overlap_obb`], counted.
    pub fn overlap_obb(&self, obb: &Obb, mask: u32, visit: impl FnMut(Leaf) -> Visit) -> Stats {
        count(|stats| self.0.touch(mask, ObbTouch::new(obb), visit, stats))
    }

    /// [`Bvh::overlap_sphere`], counted.
    pub fn overlap_sphere(&self, sphere: &Sphere, mask: u32, visit: impl FnMut(Leaf) -> Visit) -> Stats {
        count(|stats| self.0.touch(mask, SphereTouch::new(sphere), visit, stats))
    }

    /// [`Bvh::nearest`], counted.
    pub fn nearest(&self, point: Vec3, max_distance: f32, mask: u32, visit: impl FnMut(Leaf, f32) -> Visit) -> Stats {
        count(|stats| self.0.nearest_watched(point, max_distance, mask, visit, stats))
    }

    /// [`Bvh::classify`], counted.
    pub fn classify(&self, plane: &Plane, mask: u32, visit: impl FnMut(Leaf, Side) -> Visit) -> Stats {
        count(|stats| self.0.classify_watched(plane, mask, visit, stats))
    }

    /// [`Bvh::cull`], counted.
    pub fn cull(&self, planes: &[Plane], mask: u32, visit: impl FnMut(Leaf, u32) -> Visit) -> Stats {
        count(|stats| self.0.cull_watched(planes, mask, visit, stats))
    }
}

fn count(query: impl FnOnce(&mut Stats)) -> Stats {
    let mut stats = Stats::default();
    query(&mut stats);
    stats
}
