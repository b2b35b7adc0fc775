//! `cullide-bvh`, frame by frame.

use crate::{moving_peer::MovingPeer, peer::Bounds};
use cullide_bvh::{
    Bvh, Leaf, Visit,
    narrowphase::{Aabb, glam::Vec3},
};

/// Moved boxes refit the tree; after this many frames it is built anew.
const REBUILD: u32 = 8;

/// The tree, asked for all its pairs.
pub struct Ours {
    tree: Bvh,
    age: u32,
    pairs: Vec<(u32, u32)>,
}

impl Ours {
    pub fn new(boxes: &[Bounds]) -> Self {
        let tree = Bvh::build(&boxes.iter().map(aabb).collect::<Vec<_>>());
        Self { tree, age: 0, pairs: Vec::new() }
    }
}

impl MovingPeer for Ours {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        self.tree.refit(moved.iter().map(|(index, bounds)| (Leaf::new(*index), aabb(bounds))));
        self.age += 1;
        if self.age == REBUILD {
            self.age = 0;
            self.tree.rebuild();
        }
        let pairs = &mut self.pairs;
        pairs.clear();
        self.tree.for_each_pair(|a, b| {
            pairs.push((a.index() as u32, b.index() as u32));
            Visit::Continue
        });
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        out.extend_from_slice(&self.pairs);
    }
}

fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vec3::from_array);
    Aabb::new(min, max).expect("a box")
}
