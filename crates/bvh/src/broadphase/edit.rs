//! Bodies that come, change and go.

use super::{
    Body, Broadphase, Mobility, Proxy,
    bodies::Bodies,
    fat::{Course, share},
    layers::Layers,
    state::{MOVED, NEW, STALE, USED},
    still::Still,
};
use crate::{Bvh, Leaf, leaf::FIXED, simd_aabb::SimdAabb};
use cullide_narrowphase::Aabb;
use std::sync::Arc;

/// Where one in so many of a tree's leaves is new, to build it costs less than to hang them one by one.
const MANY: usize = 8;

impl Broadphase {
    /// Adds a body.
    ///
    /// # Panics
    /// With 2^30 − 1 bodies already.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// broadphase.insert(&Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!((broadphase.len(), broadphase.moving().len()), (1, 1));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, body: &Body) -> Proxy {
        let number = self.admit(body);
        self.hang(number);
        Proxy::new(number)
    }

    /// Adds many bodies: as [`Broadphase::insert`] of each, in order, and cheaper, since a tree to which many come is built anew.
    ///
    /// # Panics
    /// With more than 2^30 − 1 bodies in all.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let wall = Body::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?);
    /// let proxies = broadphase.insert_all(&[wall; 9]);
    /// assert_eq!((proxies.len(), broadphase.body(proxies[8])), (9, Some(wall)));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn insert_all(&mut self, bodies: &[Body]) -> Vec<Proxy> {
        let proxies: Vec<Proxy> = bodies.iter().map(|body| Proxy::new(self.admit(body))).collect();
        for (mobility, present) in [(Mobility::Fixed, self.fixed.len()), (Mobility::Moving, self.moving.len())] {
            let new = || proxies.iter().zip(bodies).filter(move |(_, body)| body.mobility == mobility);
            let count = new().count();
            if count * MANY > present + count {
                self.build(mobility);
            } else {
                new().for_each(|(proxy, _)| self.hang(proxy.number()));
            }
        }
        self.moving.reserve_nodes();
        proxies
    }

    /// Adds a body whose leaf is not in a tree yet.
    fn admit(&mut self, body: &Body) -> u32 {
        let free = if body.mobility == Mobility::Fixed { &mut self.free_fixed } else { &mut self.free };
        let number = free.pop().unwrap_or_else(|| self.add_number(body.mobility));
        self.assume(number, body);
        self.mark(number);
        number
    }

    /// Assigns a number to a body of its mobility; its leaf is not in a tree yet.
    pub(super) fn assume(&mut self, number: u32, body: &Body) {
        let tight = SimdAabb::new(&body.aabb);
        let layers = Layers { own: body.layers, pairs_with: body.pairs_with };
        // A number that was removed and given out again since the last update is still listed as stale.
        let state = self.state_mut(number);
        *state = USED | NEW | *state & STALE;
        if number & FIXED != 0 {
            self.layers.note(layers);
            let still = &mut self.still[(number & !FIXED) as usize];
            (still.tight, still.layers) = (tight, layers);
        } else {
            let i = number as usize;
            (self.tight[i], self.fat[i], self.courses[i]) = (tight, tight, Course::new(&tight, self.frame));
            self.layers.set(number, layers);
            self.movers.changed();
            self.is_packed = false;
        }
    }

    pub(super) fn add_number(&mut self, mobility: Mobility) -> u32 {
        if mobility == Mobility::Fixed {
            self.still.push(Still::default());
            return Leaf::new(self.still.len() as u32 - 1).bits() | FIXED;
        }
        let number = Leaf::new(self.states.len() as u32).bits();
        self.tight.push(SimdAabb::ORIGIN);
        self.fat.push(SimdAabb::ORIGIN);
        self.courses.push(Course::new(&SimdAabb::ORIGIN, 0));
        self.layers.add();
        self.states.push(0);
        number
    }

    /// Removes a body and returns its box; `None` when it is not there. The next update reports its pairs as ended; until then its number is
    /// not given out again, unless it came since the last update and so was in no pair.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&Body::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert!(broadphase.remove(proxy).is_some() && broadphase.remove(proxy).is_none());
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn remove(&mut self, proxy: Proxy) -> Option<Aabb> {
        let aabb = self.aabb(proxy)?;
        let number = proxy.number();
        self.mark(number);
        self.take_down(number);
        let state = self.state_mut(number);
        *state &= !USED;
        let numbers = match (*state & NEW != 0, proxy.mobility()) {
            (false, _) => &mut self.freed,
            (true, Mobility::Fixed) => &mut self.free_fixed,
            (true, Mobility::Moving) => &mut self.free,
        };
        numbers.push(number);
        Some(aabb)
    }

    /// Gives a body a new box, wherever that is; `false` when it is not there.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let there = Aabb::new(Vec3::X, Vec3::X)?;
    /// assert!(broadphase.set(proxy, &there));
    /// assert_eq!(broadphase.aabb(proxy), Some(there));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set(&mut self, proxy: Proxy, aabb: &Aabb) -> bool {
        if !self.has(proxy) {
            return false;
        }
        let (i, corners) = (proxy.index(), SimdAabb::new(aabb));
        if *self.mixed().tight(proxy.number()) == corners {
            return true;
        }
        self.moved += 1;
        match proxy.mobility() {
            Mobility::Fixed => {
                self.still[i].tight = corners;
                self.mark(proxy.number());
                Arc::make_mut(&mut self.fixed).move_leaf(leaf(proxy.number()), aabb);
            }
            Mobility::Moving => {
                self.tight[i] = corners;
                self.states[i] |= MOVED;
                if !self.fat[i].contains(&corners) {
                    self.renew(proxy.number());
                }
            }
        }
        true
    }

    /// Gives a body other layers and lets it pair with others; `false` when it is not there.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 2].map(|()| broadphase.insert(&Body::moving(aabb)));
    /// assert_eq!(broadphase.update().begun.len(), 1);
    /// assert!(broadphase.set_layers(proxies[0], 0b01, 0b10));
    /// assert!(broadphase.set_layers(proxies[1], 0b01, 0b10));
    /// assert_eq!(broadphase.update().ended.len(), 1);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_layers(&mut self, proxy: Proxy, layers: u32, pairs_with: u32) -> bool {
        if !self.has(proxy) {
            return false;
        }
        let (number, new) = (proxy.number(), Layers { own: layers, pairs_with });
        let old = match proxy.mobility() {
            Mobility::Fixed => {
                self.layers.note(new);
                std::mem::replace(&mut self.still[proxy.index()].layers, new)
            }
            Mobility::Moving => self.layers.set(number, new),
        };
        if old.own != layers {
            self.tree(number).set_mask(leaf(number), layers);
        }
        self.mark(number);
        true
    }

    /// Moves a body to the fixed or to the moving ones, where it gets another proxy, which is returned; `None` when it is not there. The next
    /// update reports its pairs as ended, and as begun under the new proxy.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, Mobility, Pair, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let (ball, crate_) = (broadphase.insert(&Body::moving(aabb)), broadphase.insert(&Body::moving(aabb)));
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
        Some(self.insert(&Body { mobility, ..body }))
    }

    /// Builds both trees anew, for the fastest queries: worth it once after many bodies were added one by one. No answer changes.
    ///
    /// ```
    /// # use cullide_bvh::Broadphase;
    /// Broadphase::new().rebuild();
    /// ```
    pub fn rebuild(&mut self) {
        Arc::make_mut(&mut self.fixed).rebuild();
        self.moving.rebuild();
        self.moving.reserve_nodes();
        self.is_packed = false;
    }

    /// Has the pairs of a body searched for in the next update.
    pub(super) fn mark(&mut self, number: u32) {
        let state = self.state_mut(number);
        if *state & STALE == 0 {
            *state |= STALE;
            self.stale.push(number);
        }
    }

    /// Stretches the box of a body's leaf as it should be now, alike for all bodies of one `group`.
    #[inline(always)]
    pub(super) fn stretch(&mut self, number: u32, group: impl FnOnce() -> u32) {
        let (i, frame) = (number as usize, self.frame);
        let share = || share(group() ^ frame.wrapping_mul(0x9E37));
        self.fat[i] = self.courses[i].stretch(&self.tight[i], frame, share);
    }

    /// Gives a moving body a new leaf box.
    fn renew(&mut self, number: u32) {
        self.stretch(number, || number);
        self.mark(number);
        if let Some(aabb) = self.fat[number as usize].aabb() {
            self.is_packed &= self.moving.move_leaf(leaf(number), &aabb);
        }
    }

    /// Inserts a body into the tree of its mobility.
    fn hang(&mut self, number: u32) {
        let layers = self.layers_of(number).own;
        if let Some(aabb) = self.mixed().tight(number).aabb() {
            self.tree(number).insert_as(leaf(number), &aabb, layers);
        }
        self.moving.reserve_nodes();
    }

    /// Builds the tree of all bodies of a mobility, those that are not in it yet included.
    pub(super) fn build(&mut self, mobility: Mobility) {
        let is_used = |state: u8| state & USED != 0;
        match mobility {
            Mobility::Fixed => {
                let used = (0..).zip(self.still.iter()).filter(|(_, still)| is_used(still.state));
                let leaves = used.filter_map(|(i, still)| Some((leaf(i | FIXED), still.tight.aabb()?))).collect();
                let own = |leaf: Leaf| self.still[leaf.index()].layers.own;
                let built = Bvh::build_as(leaves, (self.still.len(), FIXED), own);
                self.fixed = Arc::new(Bvh { level: self.fixed.level, ..built });
            }
            Mobility::Moving => {
                let used = (0..).zip(&self.states).filter(|(_, state)| is_used(**state));
                let leaves = used.filter_map(|(i, _)| Some((leaf(i), self.fat[i as usize].aabb()?))).collect();
                let own = |leaf: Leaf| self.layers.of(leaf.bits()).own;
                let built = Bvh::build_as(leaves, (self.states.len(), 0), own);
                self.moving = Bvh { level: self.moving.level, ..built };
            }
        }
    }

    /// Takes a body out of its tree.
    fn take_down(&mut self, number: u32) {
        self.tree(number).remove_as(leaf(number));
        if number & FIXED == 0 {
            self.movers.changed();
            self.is_packed = false;
        }
    }

    /// The tree that holds a body; a copy of it where it was shared.
    fn tree(&mut self, number: u32) -> &mut Bvh {
        if number & FIXED != 0 { Arc::make_mut(&mut self.fixed) } else { &mut self.moving }
    }
}

/// The leaf of a body.
pub(super) fn leaf(number: u32) -> Leaf {
    Leaf::from_bits(number)
}
