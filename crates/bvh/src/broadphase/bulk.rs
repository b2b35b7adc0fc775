//! Many bodies moved at once.

use super::{Broadphase, Proxy, edit::leaf, state::MOVING};
use crate::{
    lanes::vectorized,
    node::{Child, Slot},
};
use cullide_narrowphase::Aabb;

/// With more than one in so many leaves outgrown, all leaves are made anew: placing and searching them together costs some 45 ns each,
/// one by one some 350.
const FEW: usize = 8;

impl Broadphase {
    /// Gives many bodies new boxes: as [`Broadphase::set`] of each, in order, and cheaper. Bodies that are not there are passed over; returns
    /// how many were there.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let there = Aabb::new(Vec3::X, Vec3::X)?;
    /// assert_eq!(broadphase.set_all(&[(proxy, there)]), 1);
    /// assert_eq!(broadphase.aabb(proxy), Some(there));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_all(&mut self, moved: &[(Proxy, Aabb)]) -> usize {
        let mut count = 0;
        let mut escaped = std::mem::take(&mut self.escaped);
        escaped.clear();
        for (proxy, aabb) in moved {
            if self.has(*proxy) {
                count += 1;
                if !self.store(proxy.number(), aabb) {
                    escaped.push(proxy.number());
                }
            }
        }
        if escaped.len() * FEW > self.moving.len() {
            self.renew_all();
        }
        for &number in &escaped {
            self.renew_with_neighbours(number);
        }
        self.escaped = escaped;
        count
    }

    /// Makes new leaves for all moving bodies.
    fn renew_all(&mut self) {
        self.movers.renew(&self.tight, &mut self.fat, &mut self.courses, &mut self.states, self.frame);
        let layers = &self.layers;
        self.moving.pack(self.movers.order(), &self.fat, &|leaf| layers[leaf as usize].own);
        self.is_packed = true;
        self.all_stale = true;
    }

    /// Makes a new leaf for a body that has outgrown its own, and for its neighbours that soon will.
    fn renew_with_neighbours(&mut self, number: u32) {
        let i = number as usize;
        if self.states[i] & MOVING == 0 {
            return self.renew(number);
        }
        if self.fat[i].contains(&self.tight[i]) {
            return;
        }
        let Some(slot) = self.moving.slot(leaf(number)) else { return };
        let index = slot.node();
        let around = vectorized!(self.moving.level, simd => crate::pack::around(simd, &self.moving.nodes[index]));
        let children = self.moving.nodes[index].children;
        let mut outside = 0;
        for (lane, &child) in children.iter().enumerate() {
            let Child::Leaf(other) = Child::of(child) else { continue };
            let j = other as usize;
            if self.fat[j].contains(&self.tight[j]) && !self.courses[j].is_old(self.frame) {
                continue;
            }
            let fat = self.new_leaf_box(other, index as u32);
            self.fat[j] = fat;
            self.mark(other);
            let (min, max) = (fat.min(), fat.max());
            let stays = (0..3).all(|axis| around[2 * axis] <= min[axis] && max[axis] <= around[2 * axis + 1]);
            if stays || index == 0 {
                self.moving.nodes[index].put_row(lane, child, min, max);
            } else {
                outside |= 1 << lane;
            }
        }
        self.moving.refresh(index);
        for (lane, &child) in children.iter().enumerate() {
            if outside >> lane & 1 == 0 {
                continue;
            }
            let other = leaf(child & !crate::node::LEAF);
            if let Some(aabb) = self.fat[other.index()].aabb() {
                self.is_packed &= self.moving.set_and_tell(other, &aabb);
            }
        }
        debug_assert!(self.moving.slot(leaf(number)) != Some(Slot::NONE));
    }
}
