//! A broad phase without its trees, for saving.

use super::{
    Body, Broadphase, Mobility, Pair, Proxy,
    candidates::Candidates,
    state::{NEW, STALE, USED},
};
use crate::leaf::FIXED;
use cullide_narrowphase::Error;

/// Bodies of one mobility must be fewer.
const MOST_BODIES: usize = FIXED as usize - 1;

/// All that decides what a [`Broadphase`] will answer: everything but its trees, which are built anew.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedBroadphase {
    /// By number: the fixed bodies that are there.
    pub fixed: Vec<Option<Body>>,
    /// By number: the moving bodies that are there.
    pub moving: Vec<Option<Body>>,
    /// The other numbers that may be given out, of each mobility the last one first.
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
    /// assert_eq!(broadphase.save().fixed, [Some(body)]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn save(&self) -> SavedBroadphase {
        let body = |number: u32| self.body(Proxy::new(number));
        let proxies = |numbers: &[u32]| numbers.iter().copied().map(Proxy::new).collect();
        SavedBroadphase {
            fixed: (0..self.still.len() as u32).map(|number| body(number | FIXED)).collect(),
            moving: (0..self.states.len() as u32).map(body).collect(),
            free: proxies(&[&self.free[..], &self.free_fixed].concat()),
            freed: proxies(&self.freed),
            came: self.came().collect(),
            pairs: self.pairs().collect(),
        }
    }

    /// Calls `word` for what a [`SavedBroadphase`] has beside bodies and pairs, as numbers: which are free, were freed and came, each list
    /// after its length.
    #[doc(hidden)]
    pub fn for_each_number(&self, mut word: impl FnMut(u64)) {
        let written = |number: &u32| u64::from(u32::from(Proxy::new(*number)));
        word((self.free.len() + self.free_fixed.len()) as u64);
        self.free.iter().chain(&self.free_fixed).for_each(|number| word(written(number)));
        word(self.freed.len() as u64);
        self.freed.iter().for_each(|number| word(written(number)));
        word(self.came().count() as u64);
        self.came().for_each(|proxy| word(u32::from(proxy).into()));
    }

    /// The bodies that came since the last update, in order of their numbers.
    fn came(&self) -> impl Iterator<Item = Proxy> + '_ {
        let moving = (0..).zip(self.states.iter().copied());
        let fixed = (FIXED..).zip(self.still.iter().map(|still| still.state));
        let came = moving.chain(fixed).filter(|(_, state)| state & (USED | NEW) == USED | NEW);
        came.map(|(number, _)| Proxy::new(number))
    }

    /// A broad phase that goes on where another one was saved: the same edits give the same proxies, pairs and events. Only where an order
    /// is not fixed may it be another one.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] when a body is not of the mobility that its list is for; when a number is neither that of a body nor free, or
    /// is so twice; when one that came is not there; when pairs are not in order, or name a number that is free or came, or two fixed
    /// bodies. [`Error::TooMany`] with 2^30 − 1 bodies of one mobility.
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
        let SavedBroadphase { fixed, moving, free, freed, came, pairs } = saved;
        let inconsistent = |field| Error::Inconsistent { field };
        let mut this = Self::default();
        for (mobility, bodies) in [(Mobility::Fixed, fixed), (Mobility::Moving, moving)] {
            if bodies.len() >= MOST_BODIES {
                return Err(Error::TooMany { field: "bodies" });
            }
            for body in bodies {
                let number = this.add_number(mobility);
                let Some(body) = body else { continue };
                if body.mobility != mobility {
                    return Err(inconsistent("mobility"));
                }
                this.assume(number, body);
            }
            this.build(mobility);
        }
        this.moving.reserve_nodes();
        let mut open = fixed.iter().chain(moving).filter(|body| body.is_none()).count();
        for proxy in free.iter().chain(freed) {
            // What is free is sign_mask, until all are counted.
            match this.known_state(*proxy) {
                Some(state) if *state == 0 => *state = STALE,
                _ => return Err(inconsistent("free")),
            }
            open -= 1;
        }
        if open > 0 {
            return Err(inconsistent("free"));
        }
        for proxy in free.iter().chain(freed) {
            *this.state_mut(proxy.number()) = 0;
        }
        // What was there at the last update or came since is searched with in the next one, and so are all pairs.
        let there: Vec<u32> = this.came().map(Proxy::number).collect();
        for number in there.iter().copied().chain(freed.iter().map(|proxy| proxy.number())) {
            this.mark(number);
            *this.state_mut(number) &= !NEW;
        }
        for proxy in came {
            match this.known_state(*proxy) {
                Some(state) if *state & USED != 0 => *state |= NEW,
                _ => return Err(inconsistent("came")),
            }
        }
        let mut is_known = |proxy: Proxy| this.known_state(proxy).is_some_and(|state| *state & (STALE | NEW) == STALE);
        let mut is_pair = |pair: &Pair| {
            let is_ordered = pair.first < pair.second && pair.first.mobility() == Mobility::Moving;
            is_ordered && is_known(pair.first) && is_known(pair.second)
        };
        if !pairs.iter().all(&mut is_pair) || !pairs.is_sorted_by(|a, b| a < b) {
            return Err(inconsistent("pairs"));
        }
        this.candidates = Candidates::of_pairs(pairs);
        for proxy in free {
            let free = if proxy.mobility() == Mobility::Fixed { &mut this.free_fixed } else { &mut this.free };
            free.push(proxy.number());
        }
        this.freed = freed.iter().map(|proxy| proxy.number()).collect();
        Ok(this)
    }

    /// What happened to a body; `None` for a number that there never was.
    fn known_state(&mut self, proxy: Proxy) -> Option<&mut u8> {
        match proxy.mobility() {
            Mobility::Fixed => Some(&mut self.still.get_mut(proxy.index())?.state),
            Mobility::Moving => self.states.get_mut(proxy.index()),
        }
    }
}
