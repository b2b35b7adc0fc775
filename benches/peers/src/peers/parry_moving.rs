//! `parry3d`: its tree, maintained as in rapier3d or rebuilt every few frames, and queried for all pairs or for those
//! of the moved boxes.

use crate::{moving_peer::MovingPeer, neighbours::Neighbours, peer::Bounds};
use parry3d::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace},
};

/// If at least one box in this many moves, rapier3d changes boxes in place, then optimizes and refits the whole tree.
const IN_PLACE: usize = 16;

/// The tree is rebuilt after this many frames of refitting: the quickest of 1, 4, 8 and 16 for both speeds together.
const REBUILD: u32 = 8;

/// How the tree is maintained.
enum Care {
    /// By `optimize_incremental`, or by reinserting boxes.
    Optimized,
    /// By `rebuild`, with the number of frames since.
    Rebuilt(u32),
}

/// A tree of tight boxes.
struct Tree {
    tree: Bvh,
    care: Care,
    workspace: BvhWorkspace,
    indices: Vec<u32>,
}

impl Tree {
    fn new(boxes: &[Bounds], care: Care) -> Self {
        let boxes: Vec<Aabb> = boxes.iter().map(aabb).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        Self { tree, care, workspace: BvhWorkspace::default(), indices: Vec::new() }
    }

    fn update(&mut self, moved: &[(u32, Bounds)]) {
        let few = moved.len() * IN_PLACE < self.tree.leaf_count() as usize;
        match &mut self.care {
            Care::Optimized if few => self.reinsert(moved),
            Care::Optimized => {
                self.move_in_place(moved);
                self.tree.optimize_incremental(&mut self.workspace);
                self.tree.refit(&mut self.workspace);
            }
            Care::Rebuilt(age) => {
                *age += 1;
                let due = age.is_multiple_of(REBUILD);
                self.move_in_place(moved);
                if due {
                    self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
                } else {
                    self.tree.refit(&mut self.workspace);
                }
            }
        }
    }

    fn reinsert(&mut self, moved: &[(u32, Bounds)]) {
        for (index, bounds) in moved {
            self.tree.reinsert_or_update_with_change_detection(aabb(bounds), *index, 0.0);
        }
        self.indices.clear();
        self.indices.extend(moved.iter().map(|(index, _)| *index));
        self.tree.refit_partial(&[], &self.indices);
    }

    fn move_in_place(&mut self, moved: &[(u32, Bounds)]) {
        for (index, bounds) in moved {
            self.tree.insert_or_update_partially(aabb(bounds), *index, 0.0);
        }
    }
}

/// The tree against itself in every frame.
pub struct AllPairs {
    tree: Tree,
    pairs: Vec<(u32, u32)>,
}

impl AllPairs {
    pub fn optimized(boxes: &[Bounds]) -> Self {
        Self { tree: Tree::new(boxes, Care::Optimized), pairs: Vec::new() }
    }

    pub fn rebuilt(boxes: &[Bounds]) -> Self {
        Self { tree: Tree::new(boxes, Care::Rebuilt(0)), pairs: Vec::new() }
    }
}

impl MovingPeer for AllPairs {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        self.tree.update(moved);
        let Self { tree: Tree { tree, workspace, .. }, pairs } = self;
        pairs.clear();
        tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push((a, b)));
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        out.extend_from_slice(&self.pairs);
    }
}

/// A query for each box that moved.
pub struct MovedPairs {
    tree: Tree,
    pairs: Neighbours,
}

impl MovedPairs {
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut all = AllPairs::optimized(boxes);
        all.frame(&[]);
        Self { pairs: Neighbours::of(boxes.len(), &all.pairs), tree: all.tree }
    }
}

impl MovingPeer for MovedPairs {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        self.tree.update(moved);
        for (index, bounds) in moved {
            self.pairs.retain(*index, |_| false);
            for other in self.tree.tree.intersect_aabb(&aabb(bounds)).filter(|other| other != index) {
                self.pairs.link(*index, other);
            }
        }
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        self.pairs.append_to(out);
    }
}

#[inline(always)]
fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vector::from_array);
    Aabb::new(min, max)
}
