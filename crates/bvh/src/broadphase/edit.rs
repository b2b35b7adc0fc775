//! Bodies that come, change and go.

use super::{
    Body, Broadphase, Mobility, Proxy,
    fat::{Course, share},
    layers::Layers,
    state::{MOVED, MOVING, NEW, STALE, USED},
};
use crate::{Bvh, Leaf, corners::Corners};
use cullide_narrowphase::Aabb;

/// Where one in so many of a tree's leaves is new, to build it costs less than to hang them one by one.
const MANY: usize = 8;

impl Broadphase {
    /// Adds a body.
    ///
    /// # Panics
    /// With 2^31 − 1 bodies already.
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
    /// With more than 2^31 − 1 bodies in all.
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

    /// Takes a body in, whose leaf is to be hung yet.
    fn admit(&mut self, body: &Body) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| self.add_number());
        self.assume(number, body);
        self.mark(number);
        number
    }

    /// Has a number stand for a body.
    pub(super) fn assume(&mut self, number: u32, body: &Body) {
        let i = number as usize;
        self.tight[i] = Corners::new(&body.aabb);
        self.layers.set(number, Layers { own: body.layers, pairs_with: body.pairs_with });
        // A number that was removed and given out again since the last update is still listed as stale.
        self.states[i] = USED | NEW | self.states[i] & STALE;
        self.assign(number, body.mobility);
    }

    pub(super) fn add_number(&mut self) -> u32 {
        let number = Leaf::new(self.states.len() as u32).bits();
        self.tight.push(Corners::ORIGIN);
        self.fat.push(Corners::ORIGIN);
        self.courses.push(Course::new(&Corners::ORIGIN, 0));
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
        self.mark(proxy.number());
        self.take_down(proxy.number());
        let state = &mut self.states[proxy.index()];
        *state &= !USED;
        let numbers = if *state & NEW != 0 { &mut self.free } else { &mut self.freed };
        numbers.push(proxy.number());
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
        let i = proxy.index();
        let corners = Corners::new(aabb);
        if self.tight[i] != corners {
            self.tight[i] = corners;
            self.states[i] |= MOVED;
            self.moved += 1;
            if self.states[i] & MOVING == 0 || !self.fat[i].contains(&corners) {
                self.renew(proxy.number());
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
        let old = self.layers.set(proxy.number(), Layers { own: layers, pairs_with });
        if old.own != layers {
            self.tree(proxy.number()).set_mask(leaf(proxy.number()), layers);
        }
        self.mark(proxy.number());
        true
    }

    /// Moves a body to the fixed or to the moving ones; `false` when it is not there. It keeps its proxy, and its pairs with moving bodies.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, Mobility, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// broadphase.insert(&Body::fixed(aabb));
    /// let crate_ = broadphase.insert(&Body::moving(aabb));
    /// assert_eq!(broadphase.update().begun.len(), 1);
    /// assert!(broadphase.set_mobility(crate_, Mobility::Fixed));
    /// assert_eq!(broadphase.update().ended.len(), 1);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_mobility(&mut self, proxy: Proxy, mobility: Mobility) -> bool {
        if !self.has(proxy) {
            return false;
        }
        let moves = self.states[proxy.index()] & MOVING != 0;
        if moves != (mobility == Mobility::Moving) {
            self.take_down(proxy.number());
            self.assign(proxy.number(), mobility);
            self.hang(proxy.number());
            self.mark(proxy.number());
        }
        true
    }

    /// Builds both trees anew, for the fastest queries: worth it once after many bodies were added one by one. No answer changes.
    ///
    /// ```
    /// # use cullide_bvh::Broadphase;
    /// Broadphase::new().rebuild();
    /// ```
    pub fn rebuild(&mut self) {
        self.fixed.rebuild();
        self.moving.rebuild();
        self.moving.reserve_nodes();
        self.is_packed = false;
    }

    /// Has the pairs of a body searched for in the next update.
    pub(super) fn mark(&mut self, number: u32) {
        let state = &mut self.states[number as usize];
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

    /// Gives a body a new leaf box.
    fn renew(&mut self, number: u32) {
        let i = number as usize;
        let moves = self.states[i] & MOVING != 0;
        if moves {
            self.stretch(number, || number);
        } else {
            self.fat[i] = self.tight[i];
        }
        self.mark(number);
        if let Some(aabb) = self.fat[i].aabb() {
            let stays = self.tree(number).set_and_tell(leaf(number), &aabb);
            self.is_packed &= stays || !moves;
        }
    }

    /// Decides in which tree a body will hang, which hangs nowhere yet.
    fn assign(&mut self, number: u32, mobility: Mobility) {
        let i = number as usize;
        self.courses[i] = Course::new(&self.tight[i], self.frame);
        self.fat[i] = self.tight[i];
        match mobility {
            Mobility::Fixed => self.states[i] &= !MOVING,
            Mobility::Moving => {
                self.states[i] |= MOVING;
                self.movers.changed();
                self.is_packed = false;
            }
        }
    }

    /// Hangs a body where it was assigned to.
    fn hang(&mut self, number: u32) {
        let i = number as usize;
        let layers = self.layers.of(number).own;
        if let Some(aabb) = self.tight[i].aabb() {
            self.tree(number).insert_as(leaf(number), &aabb, layers);
        }
        self.moving.reserve_nodes();
    }

    /// Builds the tree of all bodies that are assigned to it, whether they hang in it yet or not.
    pub(super) fn build(&mut self, mobility: Mobility) {
        let state = if mobility == Mobility::Moving { USED | MOVING } else { USED };
        let numbers = (0..).zip(&self.states).filter(|(_, of)| **of & (USED | MOVING) == state);
        let leaves =
            numbers.filter_map(|(number, _)| Some((leaf(number), self.fat[number as usize].aabb()?))).collect();
        let built = Bvh::build_as(leaves, self.states.len(), |leaf| self.layers.of(leaf.bits()).own);
        let tree = if mobility == Mobility::Moving { &mut self.moving } else { &mut self.fixed };
        *tree = Bvh { level: tree.level, ..built };
    }

    /// Takes a body out of its tree.
    fn take_down(&mut self, number: u32) {
        self.tree(number).remove_as(leaf(number));
        if self.states[number as usize] & MOVING != 0 {
            self.movers.changed();
            self.is_packed = false;
        }
    }

    /// The tree in which a body hangs.
    pub(super) fn tree(&mut self, number: u32) -> &mut Bvh {
        if self.states[number as usize] & MOVING != 0 { &mut self.moving } else { &mut self.fixed }
    }
}

/// The leaf of a body.
pub(super) fn leaf(number: u32) -> Leaf {
    Leaf::from_bits(number)
}
