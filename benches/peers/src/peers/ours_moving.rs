//! `cullide-bvh`, frame by frame.

use crate::{moving_peer::MovingPeer, peer::Bounds};
use cullide_bvh::{
    Broadphase, BroadphaseBody, Proxy,
    narrowphase::{Aabb, glam::Vec3},
};

/// The broadphase, with all boxes as moving bodies.
pub struct Ours {
    broadphase: Broadphase,
    proxies: Vec<Proxy>,
    moved: Vec<(Proxy, Aabb)>,
}

impl Ours {
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut broadphase = Broadphase::new();
        let proxies = boxes.iter().map(|bounds| broadphase.insert(&BroadphaseBody::moving(aabb(bounds)))).collect();
        broadphase.rebuild();
        broadphase.update();
        Self { broadphase, proxies, moved: vec![] }
    }
}

impl MovingPeer for Ours {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        let proxies = &self.proxies;
        self.moved.clear();
        self.moved.extend(moved.iter().map(|(index, bounds)| (proxies[*index as usize], aabb(bounds))));
        self.broadphase.set_batch(&self.moved);
        self.broadphase.update();
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        out.extend(self.broadphase.pairs().map(|pair| (pair.first.index() as u32, pair.second.index() as u32)));
    }
}

/// Inlined, here as in the others: otherwise each box goes through memory, written in parts and read as a whole, which
/// takes longer than all the rest.
#[inline(always)]
fn aabb(bounds: &Bounds) -> Aabb {
    Aabb::new(Vec3::from_array(bounds[0]), Vec3::from_array(bounds[1])).expect("a box")
}
