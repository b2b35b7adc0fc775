//! Bringing the pairs up to date.

use super::{
    Broadphase, Pair,
    bodies::{Bodies, Mixed, Moving},
    bulk::MOST,
    state::LASTING,
    watched::{Frame, Watched},
};
use crate::{
    ALL, Leaf, Visit,
    leaf::FIXED,
    threads::{self, at_once},
};

/// What changed in an update. Each list is in order; a pair is in one of them at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events<'a> {
    /// Pairs that were none at the update before.
    pub begun: &'a [Pair],
    /// Pairs that are none any more, also because a body was removed; its proxy is stale then.
    pub ended: &'a [Pair],
}

impl Broadphase {
    /// Brings the pairs up to date with all edits since the last update, and returns what changed.
    ///
    /// All pairs are kept, however many there are: `n` boxes at one place are `n (n − 1) / 2` pairs, and each takes up to 160 bytes in the
    /// update in which all begin. 5,000 such boxes take 2 GB and more than a second. Where bodies may come together like that, ask
    /// [`Broadphase::for_each_pair`] first, which needs no memory for pairs, and stop at as many as are welcome.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// broadphase.insert(&Body::fixed(aabb));
    /// broadphase.insert(&Body::fixed(aabb));
    /// let ball = broadphase.insert(&Body::moving(aabb));
    /// assert_eq!(broadphase.update().begun.len(), 2);
    /// broadphase.set(ball, &Aabb::new(Vec3::ONE, Vec3::splat(2.0))?);
    /// assert!(broadphase.update().ended.is_empty(), "they still touch");
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn update(&mut self) -> Events<'_> {
        self.rounds.end(self.frame, self.moving.len());
        self.upkeep = 0;
        self.frame = self.frame.wrapping_add(1);
        if self.stale.is_empty() && !self.all_stale && self.moved == 0 {
            self.candidates.clear_events();
        } else {
            let is_for_many = self.candidates.are_worth_a_thread(self.few_moved());
            threads::among_them(is_for_many, || self.update_pairs());
            self.states.iter_mut().for_each(|state| *state &= LASTING);
            for number in self.stale.drain(..).filter(|number| number & FIXED != 0) {
                self.still[(number & !FIXED) as usize].state &= LASTING;
            }
            (self.all_stale, self.moved) = (false, 0);
            for number in self.freed.drain(..) {
                if number & FIXED != 0 { &mut self.free_fixed } else { &mut self.free }.push(number);
            }
        }
        Events { begun: self.candidates.begun(), ended: self.candidates.ended() }
    }

    /// Whether of most pairs no body moved.
    fn few_moved(&self) -> bool {
        !self.all_stale && (self.moved + self.stale.len()) * MOST < self.moving.len()
    }

    /// What loops over pairs read of the moving bodies.
    #[inline(always)]
    pub(super) fn movers(&self) -> Moving<'_> {
        Moving::new(&self.tight, &self.states, self.layers.limits())
    }

    /// What they read where some bodies are fixed.
    #[inline(always)]
    pub(super) fn mixed(&self) -> Mixed<'_> {
        Mixed { moving: self.movers(), fixed: &self.still, layers: self.layers.all() }
    }

    fn update_pairs(&mut self) {
        self.prepare_search();
        let mut candidates = std::mem::take(&mut self.candidates);
        // Apart, so that the longer lists keep their length.
        let (mut found, mut all) = (std::mem::take(&mut self.found), std::mem::take(&mut self.found_of_all));
        let mut parts = std::mem::take(&mut self.parts);
        let moving = self.movers().without_limits();
        let frame = Frame {
            level: self.moving.level,
            moving,
            mixed: (!self.still.is_empty()).then(|| Mixed { moving, ..self.mixed() }),
            in_rounds: self.rounds.are_on(),
            few_moved: self.few_moved(),
        };
        if self.all_stale {
            self.find(&mut all, &mut parts);
            candidates.update_all(&mut all, &mut parts, frame);
        } else {
            let is_for_many = candidates.are_worth_a_thread(frame.few_moved);
            at_once(is_for_many, || candidates.retest(frame), || self.find(&mut found, &mut parts));
            candidates.update(&found, &parts, frame);
        }
        (self.candidates, self.parts) = (candidates, parts);
        (self.found, self.found_of_all) = (found, all);
    }

    /// Calls `visit` once for every pair as it is now, all edits included, in no fixed order; [`Visit::Stop`] ends it. Searches all of both
    /// trees: between updates, or instead of them. It keeps no pairs, and goes on for no longer than the visitor wants: with this a caller
    /// limits the pairs of an update.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 2].map(|()| broadphase.insert(&Body::moving(aabb)));
    /// let mut pairs = vec![];
    /// broadphase.for_each_pair(|pair| {
    ///     pairs.push((pair.first, pair.second));
    ///     Visit::Continue
    /// });
    /// assert_eq!(pairs, [(proxies[0], proxies[1])]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn for_each_pair(&self, mut visit: impl FnMut(Pair) -> Visit) {
        let mut show = |a: Leaf, b: Leaf| {
            let (bodies, a, b) = (self.mixed(), a.bits(), b.bits());
            if bodies.may_pair(a, b) && bodies.tight(a).overlaps(bodies.tight(b)) {
                visit(Watched::new(a, b).pair())
            } else {
                Visit::Continue
            }
        };
        let mut stopped = false;
        self.moving.for_each_pair(|a, b| {
            stopped = show(a, b) == Visit::Stop;
            if stopped { Visit::Stop } else { Visit::Continue }
        });
        for leaf in self.moving.leaves() {
            let Some(aabb) = self.tight[leaf.index()].aabb() else { continue };
            if stopped {
                return;
            }
            self.fixed.overlap_aabb(&aabb, ALL, |other| {
                stopped = show(leaf, other) == Visit::Stop;
                if stopped { Visit::Stop } else { Visit::Continue }
            });
        }
    }
}
