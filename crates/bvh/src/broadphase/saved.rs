//! A broad phase without its trees, for saving.

use super::{
    Body, Broadphase, Mobility, Pair, Proxy,
    candidates::Candidates,
    state::{NEW, STALE, USED},
};
use cullide_narrowphase::Error;

/// All that decides what a [`Broadphase`] will answer: everything but its trees, which are built anew.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedBroadphase {
    /// By number: the bodies that are there.
    pub bodies: Vec<Option<Body>>,
    /// The other numbers that may be given out, the last one first.
    pub free: Vec<Proxy>,
    /// Those of bodies that were there at the last update and were removed since, in order; they may be given out after the next one.
    pub freed: Vec<Proxy>,
    /// The bodies that came since the last update, in order of their numbers.
    pub came: Vec<Proxy>,
    /// The pairs of the last update, in order.
    pub pairs: Vec<Pair>,
}

impl Broadphase {
    /// What it is, for [`Broadphase::restore`].
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let body = Body::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?);
    /// broadphase.insert(&body);
    /// assert_eq!(broadphase.save().bodies, [Some(body)]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn save(&self) -> SavedBroadphase {
        let body = |number| self.body(Proxy::new(number));
        let proxies = |numbers: &[u32]| numbers.iter().copied().map(Proxy::new).collect();
        SavedBroadphase {
            bodies: (0..self.states.len() as u32).map(body).collect(),
            free: proxies(&self.free),
            freed: proxies(&self.freed),
            came: self.came().collect(),
            pairs: self.pairs().collect(),
        }
    }

    /// Calls `word` for what a [`SavedBroadphase`] has beside bodies and pairs, as numbers: which are free, were freed and came, each list
    /// after its length.
    #[doc(hidden)]
    pub fn for_each_number(&self, mut word: impl FnMut(u64)) {
        for numbers in [&self.free, &self.freed] {
            word(numbers.len() as u64);
            numbers.iter().for_each(|number| word((*number).into()));
        }
        word(self.came().count() as u64);
        self.came().for_each(|proxy| word(proxy.index() as u64));
    }

    /// The bodies that came since the last update, in order of their numbers.
    fn came(&self) -> impl Iterator<Item = Proxy> + '_ {
        let came = |state: u8| state & (USED | NEW) == USED | NEW;
        (0..).zip(&self.states).filter(move |(_, state)| came(**state)).map(|(number, _)| Proxy::new(number))
    }

    /// A broad phase that goes on where another one was saved: the same edits give the same proxies, pairs and events. Only where an order
    /// is not fixed may it be another one.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] when a number is neither that of a body nor free, or is so twice; when one that came is not there; when pairs are not
    /// in order, or name a number that is free or came. [`Error::TooMany`] with 2^31 − 1 bodies.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 2].map(|()| broadphase.insert(&Body::moving(aabb)));
    /// broadphase.update();
    /// broadphase.remove(proxies[0]);
    /// let mut restored = Broadphase::restore(&broadphase.save())?;
    /// assert_eq!(restored.update(), broadphase.update());
    /// assert_eq!(restored.insert(&Body::moving(aabb)), proxies[0]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn restore(saved: &SavedBroadphase) -> Result<Self, Error> {
        let SavedBroadphase { bodies, free, freed, came, pairs } = saved;
        if bodies.len() >= i32::MAX as usize {
            return Err(Error::TooMany { field: "bodies" });
        }
        let mut is_open: Vec<bool> = bodies.iter().map(Option::is_none).collect();
        let mut is_named = |proxy: &Proxy| is_open.get_mut(proxy.index()).is_some_and(std::mem::take);
        if !free.iter().chain(freed).all(&mut is_named) || is_open.contains(&true) {
            return Err(Error::Inconsistent { field: "free" });
        }
        let mut this = Self::default();
        for body in bodies {
            let number = this.add_number();
            body.iter().for_each(|body| this.assume(number, body));
        }
        [Mobility::Fixed, Mobility::Moving].into_iter().for_each(|mobility| this.build(mobility));
        this.moving.reserve_nodes();
        // What was there at the last update or came since is searched with in the next one, and so are all pairs.
        let is_there = |number: &u32| this.states[*number as usize] & USED != 0;
        let there: Vec<u32> = (0..bodies.len() as u32).filter(is_there).collect();
        there.into_iter().chain(freed.iter().map(|proxy| proxy.number())).for_each(|number| this.mark(number));
        this.states.iter_mut().for_each(|state| *state &= !NEW);
        for proxy in came {
            match this.states.get_mut(proxy.index()) {
                Some(state) if *state & USED != 0 => *state |= NEW,
                _ => return Err(Error::Inconsistent { field: "came" }),
            }
        }
        let is_known =
            |proxy: Proxy| this.states.get(proxy.index()).is_some_and(|state| state & (STALE | NEW) == STALE);
        let is_pair = |pair: &Pair| pair.first < pair.second && is_known(pair.first) && is_known(pair.second);
        if !pairs.iter().all(is_pair) || !pairs.is_sorted_by(|a, b| a < b) {
            return Err(Error::Inconsistent { field: "pairs" });
        }
        this.candidates = Candidates::of_pairs(pairs);
        this.free = free.iter().map(|proxy| proxy.number()).collect();
        this.freed = freed.iter().map(|proxy| proxy.number()).collect();
        Ok(this)
    }
}
