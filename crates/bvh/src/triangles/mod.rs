//! A tree over a fixed set of triangles: its leaves are groups of at most sixteen, stored with their corners.
//!
//! ```text
//!   tree over groups ──► group: at most sixteen triangles, their numbers, and the vertices that they share
//! ```
//! A query gets the corners of sixteen triangles in registers at once, without another indirection.
//!
//! Reading order: this file, building; [`group`], how groups are stored; [`cross`], which triangles a ray crosses;
//! [`cast`], [`cast_packet`], [`overlap`] and [`near_box`], which boxes of triangles queries meet; [`nearest`], which
//! triangles may be nearest to a point, and [`ball`], whether any touches a ball; [`distance`], bounds on their distances.

mod ball;
mod cast;
mod cast_packet;
mod cross;
mod distance;
mod group;
mod near_box;
mod nearest;
mod overlap;

pub use ball::Touching;
pub use cast::{Ahead, Along};
pub use nearest::Measure;

use crate::{Leaf, threads, tree::Bvh};
use cullide_narrowphase::{Aabb, Mapped, glam::Vec3};
use group::TriangleGroups;

/// Stands for the group of a triangle that is not in the tree.
const NONE: u32 = u32::MAX;

/// A tree over many triangles, built once and stored with their corners in some 33 bytes per triangle. Their vertices
/// may move.
///
/// ```
/// use cullide_bvh::{TriangleBvh, narrowphase::{Aabb, glam::Vec3}};
/// let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
/// let tree = TriangleBvh::build(&floor, &[[0, 2, 1], [0, 3, 2]], &[0, 1]);
/// assert_eq!(tree.bounds(), Aabb::new(Vec3::ZERO, floor[2]).ok());
/// assert_eq!(tree.corners(1), Some([floor[0], floor[3], floor[2]]));
/// ```
#[derive(Clone, Debug)]
pub struct TriangleBvh {
    /// One leaf per group, with the same number.
    tree: Bvh,
    groups: TriangleGroups,
    /// The group of each triangle, by number.
    group_of: Vec<u32>,
}

impl TriangleBvh {
    /// Builds the tree over those of the `triangles` that have these `numbers`, each listed once. With the feature
    /// `parallel`, it is built on all threads.
    ///
    /// # Panics
    /// If there are 2^30 − 1 triangles or more, if a number or a vertex does not exist, or if a vertex is out of the
    /// range of coordinates.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, narrowphase::glam::Vec3};
    /// let tree = TriangleBvh::build(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 1], [0, 1, 2]], &[1]);
    /// assert_eq!((tree.len(), tree.vertices(0), tree.vertices(1)), (1, None, Some([0, 1, 2])));
    /// ```
    pub fn build(vertices: &[Vec3], triangles: &[[u32; 3]], numbers: &[u32]) -> Self {
        let boxes = threads::vec(numbers.len(), |i| {
            let [a, b, c] = triangles[numbers[i] as usize].mapped(|vertex| vertices[vertex as usize]);
            Aabb::new(a.min(b).min(c), a.max(b).max(c)).expect("a vertex is out of range")
        });
        let (mut groups, mut together) = (TriangleGroups::default(), vec![]);
        Bvh::build(&boxes).for_each_leaf_group(|leaves| {
            together.clear();
            together.extend(leaves.iter().map(|leaf| numbers[leaf.index()]));
            groups.push(&together, triangles);
        });
        let groups = groups.finish(vertices);
        let bounds = threads::vec(groups.len(), |group| groups.bounds(group));
        let mut group_of = vec![NONE; triangles.len()];
        for group in 0..groups.len() {
            groups.numbers(group).iter().for_each(|&number| group_of[number as usize] = group as u32);
        }
        Self { tree: Bvh::build(&bounds), groups, group_of }
    }

    /// Returns the number of triangles.
    pub fn len(&self) -> usize {
        self.groups.triangle_count()
    }

    /// Returns whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the smallest box around all triangles; `None` if there are none.
    pub fn bounds(&self) -> Option<Aabb> {
        self.tree.bounds()
    }

    /// Returns the vertex numbers of a triangle's corners, as they were given; `None` for a triangle that is not in the
    /// tree.
    pub fn vertices(&self, number: u32) -> Option<[u32; 3]> {
        let (group, lane) = self.place_of(number)?;
        Some(self.groups.vertices_of(group, lane))
    }

    /// Returns the corners of a triangle; `None` for one that is not in the tree.
    #[inline]
    pub fn corners(&self, number: u32) -> Option<[Vec3; 3]> {
        let (group, lane) = self.place_of(number)?;
        Some(self.groups.corners_of(group, lane))
    }

    #[inline]
    fn place_of(&self, number: u32) -> Option<(usize, usize)> {
        let group = self.group_of.get(number as usize).filter(|group| **group != NONE)?;
        let lane = self.groups.numbers(*group as usize).iter().position(|&other| other == number)?;
        Some((*group as usize, lane))
    }

    /// Returns the tree over groups, for queries that process whole groups: each of its boxes is the smallest around
    /// the triangles of a group.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, narrowphase::glam::Vec3};
    /// let tree = TriangleBvh::build(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], &[[0, 1, 2], [0, 3, 1]], &[0, 1]);
    /// let groups: Vec<_> = tree.groups().leaves().map(|leaf| tree.numbers(leaf)).collect();
    /// assert_eq!(groups, [[0, 1]]);
    /// ```
    pub fn groups(&self) -> &Bvh {
        &self.tree
    }

    /// Returns the numbers of the triangles of a group.
    ///
    /// # Panics
    /// For a leaf that is not in [`TriangleBvh::groups`].
    #[inline]
    pub fn numbers(&self, leaf: Leaf) -> &[u32] {
        self.groups.numbers(leaf.index())
    }

    /// Moves the vertices; the groups stay as they were.
    ///
    /// # Panics
    /// If there are fewer vertices than the triangles use, or if one of those is out of the range of coordinates.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, narrowphase::{Aabb, glam::Vec3}};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    /// let mut tree = TriangleBvh::build(&corners, &[[0, 1, 2]], &[0]);
    /// tree.refit(&corners.map(|corner| corner + Vec3::Z));
    /// assert_eq!(tree.bounds(), Aabb::new(Vec3::Z, Vec3::ONE).ok());
    /// ```
    pub fn refit(&mut self, vertices: &[Vec3]) {
        self.groups.place(vertices);
        let moved: Vec<_> = self.tree.leaves().map(|leaf| (leaf, self.groups.bounds(leaf.index()))).collect();
        self.tree.refit(moved);
    }

    /// Returns the memory in bytes.
    ///
    /// ```
    /// # use cullide_bvh::{TriangleBvh, narrowphase::glam::Vec3};
    /// // A grid of 64 by 64 squares.
    /// let vertices: Vec<Vec3> = (0..65 * 65).map(|i| Vec3::new((i % 65) as f32, 0.0, (i / 65) as f32)).collect();
    /// let squares = (0..64 * 64).map(|i| i / 64 * 65 + i % 64);
    /// let triangles: Vec<[u32; 3]> = squares.flat_map(|i| [[i, i + 65, i + 1], [i + 1, i + 65, i + 66]]).collect();
    /// let numbers: Vec<u32> = (0..triangles.len() as u32).collect();
    /// assert!(TriangleBvh::build(&vertices, &triangles, &numbers).memory() < 34 * triangles.len());
    /// ```
    pub fn memory(&self) -> usize {
        self.groups.memory() + size_of_val(&*self.group_of) + self.tree.memory()
    }
}

#[cfg(test)]
mod tests;
