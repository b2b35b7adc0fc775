//! A broadphase without its trees, for saving.

use super::{Broadphase, BroadphaseBody, Mobility, Pair, Proxy, pair_cache::PairCache};
use crate::leaf::FIXED;
use cullide_narrowphase::Error;

/// There must be fewer bodies of one mobility than this.
const MAX_BODIES: usize = FIXED as usize - 1;

/// The state that determines the answers of a [`Broadphase`]: everything but its trees, which are rebuilt.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedBroadphase {
    /// The fixed bodies, by number; `None` where there is no body.
    pub fixed: Vec<Option<BroadphaseBody>>,
    /// The moving bodies, by number; `None` where there is no body.
    pub moving: Vec<Option<BroadphaseBody>>,
    /// The free numbers; within each mobility, the last one is given out first.
    pub free: Vec<Proxy>,
    /// The numbers of bodies that existed at the last update and were removed since, in order of removal; they may be
    /// given out after the next update.
    pub freed: Vec<Proxy>,
    /// The bodies added after the last update, in ascending order of their proxies.
    pub came: Vec<Proxy>,
    /// The pairs of the last update, in ascending order.
    pub pairs: Vec<Pair>,
}

impl Broadphase {
    /// Saves the broadphase for [`Broadphase::restore`].
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let body = BroadphaseBody::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?);
    /// broadphase.insert(&body);
    /// assert_eq!(broadphase.save().fixed, [Some(body)]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn save(&self) -> SavedBroadphase {
        let bodies = |mobility: Mobility| {
            let all = 0..self.proxies.count(mobility) as u32;
            all.map(|index| self.body(Proxy::of(mobility, index))).collect()
        };
        SavedBroadphase {
            fixed: bodies(Mobility::Fixed),
            moving: bodies(Mobility::Moving),
            free: self.proxies.free().collect(),
            freed: self.proxies.freed().to_vec(),
            came: self.proxies.came().collect(),
            pairs: self.pairs().collect(),
        }
    }

    /// Calls `word` with the contents of a [`SavedBroadphase`] other than bodies and pairs, as numbers: the lists
    /// `free`, `freed` and `came`, each preceded by its length. For hashing without allocating lists.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// broadphase.insert(&BroadphaseBody::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let mut words = vec![];
    /// broadphase.for_each_number(|word| words.push(word));
    /// assert_eq!(words[..3], [0, 0, 1], "nothing is free or was freed, one body came");
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn for_each_number(&self, mut word: impl FnMut(u64)) {
        let freed = || self.proxies.freed().iter().copied();
        word(self.proxies.free().count() as u64);
        self.proxies.free().for_each(|proxy| word(u32::from(proxy).into()));
        word(freed().count() as u64);
        freed().for_each(|proxy| word(u32::from(proxy).into()));
        word(self.proxies.came().count() as u64);
        self.proxies.came().for_each(|proxy| word(u32::from(proxy).into()));
    }

    /// Restores a broadphase, which continues where the saved one stopped: the same edits give the same proxies, pairs
    /// and events. Only unspecified orders may differ.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] if a body does not have the mobility of its list; if a number is neither a body's nor
    /// free, is both, or is free twice; if a body in `came` does not exist; if pairs are not in ascending order, name a
    /// number that is in `free` or `came`, or consist of two fixed bodies. [`Error::TooMany`] for 2^30 − 1 or more
    /// numbers of one mobility.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 2].map(|()| broadphase.insert(&BroadphaseBody::moving(aabb)));
    /// broadphase.update();
    /// broadphase.remove(proxies[0]);
    /// let mut restored = Broadphase::restore(&broadphase.save())?;
    /// assert_eq!(restored.update(), broadphase.update());
    /// assert_eq!(restored.insert(&BroadphaseBody::moving(aabb)), proxies[0]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn restore(saved: &SavedBroadphase) -> Result<Self, Error> {
        let SavedBroadphase { fixed, moving, free, freed, came, pairs } = saved;
        let inconsistent = |field| Error::Inconsistent { field };
        let mut this = Self::default();
        for (mobility, bodies) in [(Mobility::Fixed, fixed), (Mobility::Moving, moving)] {
            if bodies.len() >= MAX_BODIES {
                return Err(Error::TooMany { field: "bodies" });
            }
            for body in bodies {
                let proxy = this.proxies.push(mobility);
                let Some(body) = body else { continue };
                if body.mobility != mobility {
                    return Err(inconsistent("mobility"));
                }
                this.assign(proxy, body);
            }
            this.build(mobility);
        }
        // Each proxy belongs to a body or is free, exactly once.
        let mut unused: Vec<Proxy> = free.iter().chain(freed).copied().collect();
        unused.sort_unstable();
        let is_free = |proxy: &Proxy| this.proxies.is_allocated(*proxy) && !this.proxies.contains(*proxy);
        let count = fixed.iter().chain(moving).filter(|body| body.is_none()).count();
        if unused.len() != count || !unused.is_sorted_by(|a, b| a < b) || !unused.iter().all(is_free) {
            return Err(inconsistent("free"));
        }
        this.proxies.restore(free, freed);
        if !came.iter().all(|&proxy| this.proxies.contains(proxy)) {
            return Err(inconsistent("came"));
        }
        came.iter().for_each(|&proxy| this.proxies.mark_new(proxy));
        let is_pair = |pair: &Pair| {
            let is_ordered = pair.first < pair.second && pair.first.mobility() == Mobility::Moving;
            is_ordered && this.proxies.was_there(pair.first) && this.proxies.was_there(pair.second)
        };
        if !pairs.iter().all(is_pair) || !pairs.is_sorted_by(|a, b| a < b) {
            return Err(inconsistent("pairs"));
        }
        this.pairs = PairCache::restored(pairs);
        Ok(this)
    }
}
