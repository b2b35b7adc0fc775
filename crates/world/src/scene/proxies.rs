//! The broadphase of a world, and the descriptions of objects that it is given.

use crate::{Mobility, Object};
use cullide_bvh::{Broadphase, BroadphaseBody, Bvh, Proxy};
use cullide_narrowphase::Aabb;

/// The boxes of objects, under the proxies of a [`Broadphase`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectProxies {
    pub(crate) broadphase: Broadphase,
    /// Whether a proxy of the last update was replaced by another one of the same object.
    pub(crate) any_exchanged: bool,
}

impl ObjectProxies {
    /// The trees of the fixed and of the moving objects. A leaf's box contains that of its object, and may be larger.
    pub(crate) fn trees(&self) -> [&Bvh; 2] {
        [self.broadphase.fixed(), self.broadphase.moving()]
    }

    /// Describes an object without a velocity, as the broadphase takes it.
    pub(crate) fn body(object: &Object) -> BroadphaseBody {
        BroadphaseBody {
            aabb: object.shape.aabb(),
            mobility: object.mobility,
            layers: object.layers,
            pairs_with: object.pairs_with,
        }
    }

    pub(crate) fn insert(&mut self, object: &Object) -> Proxy {
        self.broadphase.insert(&Self::body(object))
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

    /// Makes a proxy one of fixed or of moving objects; returns the proxy that stands for the object from then on.
    pub(crate) fn set_mobility(&mut self, proxy: Proxy, mobility: Mobility) -> Option<Proxy> {
        let exchanged = self.broadphase.set_mobility(proxy, mobility);
        self.any_exchanged |= exchanged != Some(proxy);
        exchanged
    }
}
