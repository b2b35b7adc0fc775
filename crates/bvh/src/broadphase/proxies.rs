//! The data of each body: its box, its layers, whether it exists, and what happened to it since the last update.
//!
//! It owns the proxies: which are in use, which are free, and which are dirty. A body becomes dirty through an edit
//! that may change which leaves its leaf overlaps, and stays dirty until the next update has searched for its pairs.

use super::{
    body::{BroadphaseBody, Mobility, Proxy},
    body_table::{BodyTable, FixedBody, Layers, State},
};
use crate::{Leaf, cow::CowVec, simd_aabb::SimdAabb};

/// All bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Proxies {
    /// By index of moving body.
    aabbs: Vec<SimdAabb>,
    layers: Vec<Layers>,
    states: Vec<State>,
    /// Whether any body ever had layers other than [`Layers::ALL`]. Until then, loops do not read layers: each read
    /// would wait for memory.
    layered: bool,
    /// By index of fixed body; clones share them.
    fixed: CowVec<FixedBody>,
    /// Free proxies, the next to be given out last; and proxies that will be free after the next update, as their
    /// bodies existed at the last one.
    free_moving: Vec<Proxy>,
    free_fixed: Vec<Proxy>,
    freed: Vec<Proxy>,
    /// Dirty bodies, each once. If `all_dirty`, all moving bodies are dirty, whether listed or not.
    dirty: Vec<Proxy>,
    all_dirty: bool,
    /// The number of boxes changed since the last update.
    moved: usize,
}

/// The result of giving a body a box.
pub(super) enum Change {
    /// There is no such body.
    Absent,
    /// It had that box already.
    None,
    /// It had this box before.
    Moved(SimdAabb),
}

impl Proxies {
    pub(super) fn contains(&self, proxy: Proxy) -> bool {
        self.is_allocated(proxy) && self.state(proxy).has(State::USED)
    }

    /// Whether there ever was a body with this proxy.
    pub(super) fn is_allocated(&self, proxy: Proxy) -> bool {
        proxy.index() < self.count(proxy.mobility())
    }

    /// The number of proxies of a mobility, including free ones.
    pub(super) fn count(&self, mobility: Mobility) -> usize {
        match mobility {
            Mobility::Fixed => self.fixed.len(),
            Mobility::Moving => self.states.len(),
        }
    }

    /// The existing bodies of a mobility, in ascending order.
    pub(super) fn used(&self, mobility: Mobility) -> impl Iterator<Item = Proxy> + '_ {
        let all = (0..self.count(mobility) as u32).map(move |index| Proxy::of(mobility, index));
        all.filter(|&proxy| self.state(proxy).has(State::USED))
    }

    /// The body as it is now; `None` for one that does not exist.
    pub(super) fn body(&self, proxy: Proxy) -> Option<BroadphaseBody> {
        if !self.contains(proxy) {
            return None;
        }
        let Layers { own, pairs_with } = self.layers(proxy);
        Some(BroadphaseBody { aabb: self.aabb(proxy).aabb()?, mobility: proxy.mobility(), layers: own, pairs_with })
    }

    pub(super) fn aabb(&self, proxy: Proxy) -> &SimdAabb {
        self.table::<true>().aabb(proxy)
    }

    pub(super) fn layers(&self, proxy: Proxy) -> Layers {
        self.table::<true>().layers(proxy)
    }

    fn state(&self, proxy: Proxy) -> State {
        self.table::<true>().state(proxy)
    }

    fn state_mut(&mut self, proxy: Proxy) -> &mut State {
        match proxy.mobility() {
            Mobility::Fixed => &mut self.fixed[proxy.index()].state,
            Mobility::Moving => &mut self.states[proxy.index()],
        }
    }

    /// Returns a free proxy, or else the next new one. It is not in use yet.
    pub(super) fn allocate(&mut self, mobility: Mobility) -> Proxy {
        self.free_mut(mobility).pop().unwrap_or_else(|| self.push(mobility))
    }

    /// Creates the next proxy.
    ///
    /// # Panics
    /// If there are 2^30 − 1 proxies of that mobility already.
    pub(super) fn push(&mut self, mobility: Mobility) -> Proxy {
        let proxy = Proxy::of(mobility, Leaf::new(self.count(mobility) as u32).bits());
        match mobility {
            Mobility::Fixed => self.fixed.push(FixedBody::default()),
            Mobility::Moving => {
                self.aabbs.push(SimdAabb::ORIGIN);
                self.layers.push(Layers::ALL);
                self.states.push(State::default());
            }
        }
        proxy
    }

    /// Assigns a proxy to a body of its mobility, which counts as new.
    pub(super) fn assign(&mut self, proxy: Proxy, body: &BroadphaseBody) {
        let (i, aabb) = (proxy.index(), SimdAabb::new(&body.aabb));
        let layers = Layers { own: body.layers, pairs_with: body.pairs_with };
        self.layered |= layers != Layers::ALL;
        // A proxy that was freed and reused since the last update is still listed as dirty.
        let kept = if self.state(proxy).is_dirty() { State::DIRTY } else { State::default() };
        let state = State::USED.or(State::NEW).or(kept);
        match proxy.mobility() {
            Mobility::Fixed => self.fixed[i] = FixedBody { aabb, layers, state },
            Mobility::Moving => (self.aabbs[i], self.layers[i], self.states[i]) = (aabb, layers, state),
        }
    }

    /// Frees the proxy of an existing body: at once if the body was added after the last update, otherwise after the
    /// next one.
    pub(super) fn release(&mut self, proxy: Proxy) {
        self.mark_dirty(proxy);
        let state = self.state_mut(proxy);
        *state = state.without(State::USED);
        let list = if state.has(State::NEW) { self.free_mut(proxy.mobility()) } else { &mut self.freed };
        list.push(proxy);
    }

    fn free_mut(&mut self, mobility: Mobility) -> &mut Vec<Proxy> {
        match mobility {
            Mobility::Fixed => &mut self.free_fixed,
            Mobility::Moving => &mut self.free_moving,
        }
    }

    /// Counts boxes that [`Proxies::set_aabb`] changed. Separate from it, so that a loop can count in a register.
    pub(super) fn count_moved(&mut self, count: usize) {
        self.moved += count;
    }

    /// Gives a body a new box.
    #[inline(always)]
    pub(super) fn set_aabb(&mut self, proxy: Proxy, aabb: &SimdAabb) -> Change {
        let i = proxy.index();
        let (known, state) = match proxy.mobility() {
            Mobility::Fixed => match self.fixed.get_mut(i) {
                Some(body) => (&mut body.aabb, &mut body.state),
                None => return Change::Absent,
            },
            Mobility::Moving => match (self.aabbs.get_mut(i), self.states.get_mut(i)) {
                (Some(known), Some(state)) => (known, state),
                _ => return Change::Absent,
            },
        };
        if !state.has(State::USED) {
            return Change::Absent;
        }
        if known == aabb {
            return Change::None;
        }
        *state = state.or(State::MOVED);
        Change::Moved(std::mem::replace(known, *aabb))
    }

    /// Gives a body new layers; returns the old ones.
    pub(super) fn set_layers(&mut self, proxy: Proxy, layers: Layers) -> Layers {
        self.layered |= layers != Layers::ALL;
        let known = match proxy.mobility() {
            Mobility::Fixed => &mut self.fixed[proxy.index()].layers,
            Mobility::Moving => &mut self.layers[proxy.index()],
        };
        std::mem::replace(known, layers)
    }

    /// Marks a body so that the next update searches for its pairs.
    pub(super) fn mark_dirty(&mut self, proxy: Proxy) {
        let state = self.state_mut(proxy);
        if !state.is_dirty() {
            *state = state.or(State::DIRTY);
            self.dirty.push(proxy);
        }
    }

    /// The same for all moving bodies.
    pub(super) fn mark_all_dirty(&mut self) {
        self.all_dirty = true;
        self.states.iter_mut().filter(|state| state.has(State::USED)).for_each(|state| *state = state.or(State::DIRTY));
    }

    pub(super) fn dirty(&self) -> &[Proxy] {
        &self.dirty
    }

    pub(super) fn all_dirty(&self) -> bool {
        self.all_dirty
    }

    /// Whether anything was edited since the last update.
    pub(super) fn is_changed(&self) -> bool {
        self.all_dirty || self.moved > 0 || !self.dirty.is_empty()
    }

    /// The number of bodies that were moved or are dirty, some of them counted twice.
    pub(super) fn changes(&self) -> usize {
        if self.all_dirty { self.states.len() } else { self.moved + self.dirty.len() }
    }

    /// To be called after an update: clears all changes, and makes freed proxies available again.
    pub(super) fn end_frame(&mut self) {
        let lasting = |state: &mut State| *state = if state.has(State::USED) { State::USED } else { State::default() };
        self.states.iter_mut().for_each(lasting);
        for proxy in self.dirty.drain(..).filter(|proxy| proxy.mobility() == Mobility::Fixed) {
            lasting(&mut self.fixed[proxy.index()].state);
        }
        for proxy in self.freed.drain(..) {
            match proxy.mobility() {
                Mobility::Fixed => self.free_fixed.push(proxy),
                Mobility::Moving => self.free_moving.push(proxy),
            }
        }
        (self.all_dirty, self.moved) = (false, 0);
    }

    /// The data that loops over pairs read. `ANY_FIXED` tells whether there are fixed bodies; if not, the compiler
    /// removes the check.
    #[inline(always)]
    pub(super) fn table<const ANY_FIXED: bool>(&self) -> BodyTable<'_, ANY_FIXED> {
        let count = self.aabbs.len();
        BodyTable {
            aabbs: &self.aabbs,
            layers: &self.layers[..count],
            states: &self.states[..count],
            fixed: &self.fixed,
            layered: self.layered,
        }
    }

    pub(super) fn any_fixed(&self) -> bool {
        !self.fixed.is_empty()
    }

    /// The boxes of moving bodies, by index.
    pub(super) fn moving_aabbs(&self) -> &[SimdAabb] {
        &self.aabbs
    }

    /// The layers of moving bodies, by index; `None` while all bodies, fixed ones included, are in all layers and pair
    /// with all.
    pub(super) fn moving_layers(&self) -> Option<&[Layers]> {
        self.layered.then_some(&self.layers)
    }
}

/// What saving and restoring need.
impl Proxies {
    /// Free proxies; within each mobility, the next to be given out comes last.
    pub(super) fn free(&self) -> impl Iterator<Item = Proxy> + '_ {
        self.free_moving.iter().chain(&self.free_fixed).copied()
    }

    /// Proxies that will be free after the next update.
    pub(super) fn freed(&self) -> &[Proxy] {
        &self.freed
    }

    /// The bodies added after the last update, in ascending order.
    pub(super) fn came(&self) -> impl Iterator<Item = Proxy> + '_ {
        let used = self.used(Mobility::Moving).chain(self.used(Mobility::Fixed));
        used.filter(|&proxy| self.state(proxy).has(State::NEW))
    }

    /// Makes every body and every freed proxy count as having existed at the last update, and marks it dirty.
    pub(super) fn restore(&mut self, free: &[Proxy], freed: &[Proxy]) {
        let there: Vec<Proxy> = self.used(Mobility::Moving).chain(self.used(Mobility::Fixed)).collect();
        for &proxy in there.iter().chain(freed) {
            self.mark_dirty(proxy);
            let state = self.state_mut(proxy);
            *state = state.without(State::NEW);
        }
        free.iter().for_each(|&proxy| self.free_mut(proxy.mobility()).push(proxy));
        self.freed = freed.to_vec();
    }

    /// Makes an existing body count as added after the last update.
    pub(super) fn mark_new(&mut self, proxy: Proxy) {
        let state = self.state_mut(proxy);
        *state = state.or(State::NEW);
    }

    /// Whether a restored body existed at the last update.
    pub(super) fn was_there(&self, proxy: Proxy) -> bool {
        self.is_allocated(proxy) && self.state(proxy).is_dirty() && !self.state(proxy).has(State::NEW)
    }
}
