//! The trees of a world: which leaf stands for which object.
//!
//! Fixed and moving objects live in trees of their own, so that what moves never disturbs what does not.

use crate::{Mobility, Shape};
use cullide_bvh::{Bvh, Leaf};
use slotmap::DefaultKey;

/// A leaf of one of the two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    pub(crate) mobility: Mobility,
    leaf: Leaf,
}

/// One tree and the object behind each leaf.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grove {
    pub(crate) tree: Bvh,
    keys: Vec<DefaultKey>,
}

impl Grove {
    /// The object behind a leaf.
    pub(crate) fn key(&self, leaf: Leaf) -> DefaultKey {
        self.keys[leaf.index()]
    }
}

/// Both trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies {
    fixed: Grove,
    moving: Grove,
}

impl Proxies {
    /// Both trees, in a fixed order.
    pub(crate) fn groves(&self) -> [&Grove; 2] {
        [&self.fixed, &self.moving]
    }

    fn grove(&mut self, mobility: Mobility) -> &mut Grove {
        match mobility {
            Mobility::Fixed => &mut self.fixed,
            Mobility::Moving => &mut self.moving,
        }
    }

    pub(crate) fn insert(&mut self, key: DefaultKey, shape: &Shape, mobility: Mobility, layers: u32) -> Proxy {
        let grove = self.grove(mobility);
        let leaf = grove.tree.insert(&shape.aabb(), layers);
        grove.keys.resize(grove.keys.len().max(leaf.index() + 1), key);
        grove.keys[leaf.index()] = key;
        Proxy { mobility, leaf }
    }

    pub(crate) fn remove(&mut self, proxy: Proxy) {
        self.grove(proxy.mobility).tree.remove(proxy.leaf);
    }

    pub(crate) fn set_shape(&mut self, proxy: Proxy, shape: &Shape) {
        self.grove(proxy.mobility).tree.set(proxy.leaf, &shape.aabb());
    }

    pub(crate) fn set_layers(&mut self, proxy: Proxy, layers: u32) {
        self.grove(proxy.mobility).tree.set_mask(proxy.leaf, layers);
    }

    /// Makes both trees the best for what they hold.
    pub(crate) fn rebuild(&mut self) {
        self.fixed.tree.rebuild();
        self.moving.tree.rebuild();
    }
}
