//! `obvhs`: its binary tree, rebuilt and queried for each box, as its physics example does, or edited and queried for
//! the moved boxes.

use crate::{moving_peer::MovingPeer, neighbours::Neighbours, peer::Bounds};
use cullide_bvh::narrowphase::glam::Vec3A;
use obvhs::{
    aabb::Aabb,
    bvh2::Bvh2,
    ploc::{PlocBuilder, PlocSearchDistance, SortPrecision},
};

/// A tree built every frame, and a query for each box.
pub struct AllPairs {
    boxes: Vec<Aabb>,
    builder: PlocBuilder,
    tree: Bvh2,
    pairs: Vec<(u32, u32)>,
}

impl AllPairs {
    pub fn new(boxes: &[Bounds]) -> Self {
        let boxes = boxes.iter().map(aabb).collect();
        Self { boxes, builder: PlocBuilder::new(), tree: Bvh2::default(), pairs: Vec::new() }
    }
}

impl MovingPeer for AllPairs {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        let Self { boxes, builder, tree, pairs } = self;
        for (index, bounds) in moved {
            boxes[*index as usize] = aabb(bounds);
        }
        // The parameters of its fastest build; the buffers are reused.
        let mut indices = std::mem::take(&mut tree.primitive_indices);
        indices.clear();
        indices.extend(0..boxes.len() as u32);
        builder.build_with_bvh(tree, PlocSearchDistance::Minimum, boxes, indices, SortPrecision::U64, 0);
        pairs.clear();
        for (index, query) in (0..).zip(boxes.iter()) {
            each_overlap(tree, query, |other| {
                if index < other {
                    pairs.push((index, other));
                }
            });
        }
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        out.extend_from_slice(&self.pairs);
    }
}

/// A tree in which boxes move, and a query for each of them.
pub struct MovedPairs {
    tree: Bvh2,
    pairs: Neighbours,
}

impl MovedPairs {
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut all = AllPairs::new(boxes);
        all.frame(&[]);
        Self { pairs: Neighbours::of(boxes.len(), &all.pairs), tree: all.tree }
    }
}

impl MovingPeer for MovedPairs {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        for (index, bounds) in moved {
            self.tree.move_primitive(aabb(bounds), *index);
        }
        for (index, bounds) in moved {
            self.pairs.retain(*index, |_| false);
            each_overlap(&self.tree, &aabb(bounds), |other| {
                if other != *index {
                    self.pairs.link(*index, other);
                }
            });
        }
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        self.pairs.append_to(out);
    }
}

/// The boxes that overlap `query`, in a tree with one box per leaf.
#[inline(always)]
fn each_overlap(tree: &Bvh2, query: &Aabb, mut found: impl FnMut(u32)) {
    tree.aabb_traverse(*query, |tree, node| {
        found(tree.primitive_indices[tree.nodes[node as usize].first_index as usize]);
        true
    });
}

#[inline(always)]
fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vec3A::from_array);
    Aabb::new(min, max)
}
