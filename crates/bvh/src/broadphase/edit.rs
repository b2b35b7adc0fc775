//! Adding, changing and removing bodies, one by one or many at once.

use super::{Broadphase, BroadphaseBody, Mobility, Proxy, body_table::Layers, proxies::Change};
use crate::{Bvh, Leaf, leaf::FIXED, simd_aabb::SimdAabb};
use cullide_narrowphase::Aabb;
use std::sync::Arc;

/// If more than one in this many of a tree's leaves is new, rebuilding the tree costs less than inserting them one by
/// one.
const MANY: usize = 8;

impl Broadphase {
    /// Reserves room for `additional` more bodies in the tree of their mobility, as [`Bvh::reserve`] does.
    ///
    /// ```
    /// # use cullide_bvh::{Broadphase, Mobility};
    /// let mut broadphase = Broadphase::new();
    /// broadphase.reserve(Mobility::Fixed, 100_000);
    /// assert!(broadphase.is_empty());
    /// ```
    pub fn reserve(&mut self, mobility: Mobility, additional: usize) {
        match mobility {
            Mobility::Fixed => Arc::make_mut(&mut self.fixed).reserve(additional),
            Mobility::Moving => self.moving.reserve(additional),
        }
    }

    /// Adds a body.
    ///
    /// # Panics
    /// If there are 2^30 − 1 bodies of its mobility already.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// broadphase.insert(&BroadphaseBody::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!((broadphase.len(), broadphase.moving().len()), (1, 1));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, body: &BroadphaseBody) -> Proxy {
        let proxy = self.add(body);
        self.insert_leaf(proxy);
        proxy
    }

    /// Adds many bodies. Equivalent to [`Broadphase::insert`] for each in order, but cheaper, since a tree that
    /// receives many leaves is rebuilt.
    ///
    /// # Panics
    /// If there would be more than 2^30 − 1 bodies of one mobility.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let wall = BroadphaseBody::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?);
    /// let proxies = broadphase.insert_batch(&[wall; 9]);
    /// assert_eq!((proxies.len(), broadphase.body(proxies[8])), (9, Some(wall)));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn insert_batch(&mut self, bodies: &[BroadphaseBody]) -> Vec<Proxy> {
        let proxies: Vec<Proxy> = bodies.iter().map(|body| self.add(body)).collect();
        for (mobility, present) in [(Mobility::Fixed, self.fixed.len()), (Mobility::Moving, self.moving().len())] {
            let new = || proxies.iter().filter(move |proxy| proxy.mobility() == mobility);
            let count = new().count();
            if count * MANY > present + count {
                self.build(mobility);
            } else {
                new().for_each(|proxy| self.insert_leaf(*proxy));
            }
        }
        proxies
    }

    /// Adds a body that has no leaf yet.
    fn add(&mut self, body: &BroadphaseBody) -> Proxy {
        let proxy = self.proxies.allocate(body.mobility);
        self.assign(proxy, body);
        self.proxies.mark_dirty(proxy);
        proxy
    }

    /// Assigns a proxy to a body that has no leaf yet.
    pub(super) fn assign(&mut self, proxy: Proxy, body: &BroadphaseBody) {
        self.proxies.assign(proxy, body);
        if proxy.mobility() == Mobility::Moving {
            self.moving.track(proxy, self.proxies.aabb(proxy));
        }
    }

    /// Inserts a body into the tree of its mobility.
    fn insert_leaf(&mut self, proxy: Proxy) {
        let layers = self.proxies.layers(proxy).own;
        match proxy.mobility() {
            Mobility::Fixed => {
                let aabb = *self.proxies.aabb(proxy);
                self.fixed_mut().insert_as(proxy.leaf(), &aabb, layers);
            }
            Mobility::Moving => self.moving.insert(proxy, layers),
        }
    }

    /// Builds the tree of all bodies of a mobility, including those that have no leaf yet.
    pub(super) fn build(&mut self, mobility: Mobility) {
        let proxies = &self.proxies;
        match mobility {
            Mobility::Fixed => {
                let leaves = proxies.used(mobility).map(|proxy| (proxy.leaf(), *proxies.aabb(proxy))).collect();
                let layers = |leaf: Leaf| proxies.layers(Proxy::of(mobility, leaf.index() as u32)).own;
                let built = Bvh::build_as(self.fixed.level, leaves, (proxies.count(mobility), FIXED), layers);
                self.fixed = Arc::new(built);
            }
            Mobility::Moving => self.moving.build(proxies),
        }
    }

    /// Removes a body and returns its box; `None` if it does not exist. The next update reports its pairs as ended;
    /// until then its number is not reused, unless the body was added after the last update and so was in no pair.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&BroadphaseBody::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert!(broadphase.remove(proxy).is_some() && broadphase.remove(proxy).is_none());
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn remove(&mut self, proxy: Proxy) -> Option<Aabb> {
        let aabb = self.aabb(proxy)?;
        match proxy.mobility() {
            Mobility::Fixed => self.fixed_mut().remove_as(proxy.leaf()),
            Mobility::Moving => self.moving.remove(proxy),
        }
        self.proxies.release(proxy);
        Some(aabb)
    }

    /// Gives a body a new box, however far from its old one; returns `false` if it does not exist.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&BroadphaseBody::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let there = Aabb::new(Vec3::X, Vec3::X)?;
    /// assert!(broadphase.set(proxy, &there));
    /// assert_eq!(broadphase.aabb(proxy), Some(there));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set(&mut self, proxy: Proxy, aabb: &Aabb) -> bool {
        let aabb = SimdAabb::new(aabb);
        match (self.proxies.set_aabb(proxy, &aabb), proxy.mobility()) {
            (Change::Absent, _) => return false,
            (Change::None, _) => {}
            (Change::Moved(_), Mobility::Fixed) => {
                self.proxies.count_moved(1);
                self.proxies.mark_dirty(proxy);
                self.fixed_mut().move_leaf(proxy.leaf(), &aabb);
            }
            (Change::Moved(_), Mobility::Moving) => {
                self.proxies.count_moved(1);
                self.moving.body_moved(&mut self.proxies, proxy);
            }
        }
        true
    }

    /// Changes the layers of a body and the layers that it pairs with; returns `false` if it does not exist.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 2].map(|()| broadphase.insert(&BroadphaseBody::moving(aabb)));
    /// assert_eq!(broadphase.update().begun.len(), 1);
    /// assert!(broadphase.set_layers(proxies[0], 0b01, 0b10));
    /// assert!(broadphase.set_layers(proxies[1], 0b01, 0b10));
    /// assert_eq!(broadphase.update().ended.len(), 1);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_layers(&mut self, proxy: Proxy, layers: u32, pairs_with: u32) -> bool {
        if !self.proxies.contains(proxy) {
            return false;
        }
        let old = self.proxies.set_layers(proxy, Layers { own: layers, pairs_with });
        if old.own != layers {
            match proxy.mobility() {
                Mobility::Fixed => _ = self.fixed_mut().set_mask(proxy.leaf(), layers),
                Mobility::Moving => self.moving.set_layers(proxy, layers),
            }
        }
        self.proxies.mark_dirty(proxy);
        true
    }

    /// Makes a body fixed or moving and returns its new proxy, or the same one if it had that mobility already; `None`
    /// if it does not exist. The next update reports its pairs as ended, and as begun under the new proxy.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, Mobility, Pair, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let (ball, crate_) = (broadphase.insert(&BroadphaseBody::moving(aabb)), broadphase.insert(&BroadphaseBody::moving(aabb)));
    /// assert_eq!(broadphase.update().begun, [Pair { first: ball, second: crate_ }]);
    /// let wall = broadphase.set_mobility(crate_, Mobility::Fixed).unwrap();
    /// assert_eq!(broadphase.update().begun, [Pair { first: ball, second: wall }]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_mobility(&mut self, proxy: Proxy, mobility: Mobility) -> Option<Proxy> {
        let body = self.body(proxy)?;
        if body.mobility == mobility {
            return Some(proxy);
        }
        self.remove(proxy);
        Some(self.insert(&BroadphaseBody { mobility, ..body }))
    }

    /// Rebuilds both trees for the fastest queries, which is worthwhile once after many bodies were added one by one.
    /// No answer changes.
    ///
    /// ```
    /// # use cullide_bvh::Broadphase;
    /// Broadphase::new().rebuild();
    /// ```
    pub fn rebuild(&mut self) {
        self.fixed_mut().rebuild();
        self.moving.rebuild();
    }

    /// The tree of the fixed bodies, copied first if it is shared.
    fn fixed_mut(&mut self) -> &mut Bvh {
        Arc::make_mut(&mut self.fixed)
    }
}
