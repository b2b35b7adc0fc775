//! The broad phase of a world: which proxy stands for which object.

use crate::{Mobility, Object, slots::Slot};
use cullide_bvh::{Body, Broadphase, Bvh, Leaf, Mobility as BodyMobility, Proxy};
use cullide_narrowphase::Aabb;

/// Objects' boxes under the numbers of a [`Broadphase`], and the object behind each number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies {
    pub(crate) broadphase: Broadphase,
    /// By proxy. Numbers of objects that may be in a pair are not given out again before the next update, so that the pairs which it ends
    /// still find their objects.
    pub(crate) keys: Vec<Slot>,
}

impl Proxies {
    /// The trees of the fixed and of the moving objects. A leaf's box contains that of its object, and may be larger.
    pub(crate) fn trees(&self) -> [&Bvh; 2] {
        [self.broadphase.fixed(), self.broadphase.moving()]
    }

    /// The object behind a leaf of either tree.
    pub(crate) fn at(&self, leaf: Leaf) -> Slot {
        self.keys[leaf.index()]
    }

    /// What the broad phase is told of an object that has no velocity.
    pub(crate) fn body(object: &Object) -> Body {
        let mobility = mobility_of(object.mobility);
        Body { aabb: object.shape.aabb(), mobility, layers: object.layers, pairs_with: object.pairs_with }
    }

    pub(crate) fn insert(&mut self, key: Slot, object: &Object) -> Proxy {
        let proxy = self.broadphase.insert(&Self::body(object));
        self.name(proxy, key);
        proxy
    }

    /// Tells which object is behind a proxy.
    pub(crate) fn name(&mut self, proxy: Proxy, key: Slot) {
        self.keys.resize(self.keys.len().max(proxy.index() + 1), key);
        self.keys[proxy.index()] = key;
    }

    pub(crate) fn remove(&mut self, proxy: Proxy) {
        self.broadphase.remove(proxy);
    }

    pub(crate) fn set(&mut self, proxy: Proxy, aabb: &Aabb) {
        self.broadphase.set(proxy, aabb);
    }

    pub(crate) fn set_layers(&mut self, proxy: Proxy, layers: u32, pairs_with: u32) {
        self.broadphase.set_layers(proxy, layers, pairs_with);
    }

    pub(crate) fn set_mobility(&mut self, proxy: Proxy, mobility: Mobility) {
        self.broadphase.set_mobility(proxy, mobility_of(mobility));
    }
}

fn mobility_of(mobility: Mobility) -> BodyMobility {
    match mobility {
        Mobility::Fixed => BodyMobility::Fixed,
        Mobility::Moving => BodyMobility::Moving,
    }
}
