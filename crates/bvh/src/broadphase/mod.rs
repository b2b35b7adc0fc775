//! The broadphase: two trees of bodies, and the pairs whose boxes overlap, with the pairs that began and ended each
//! frame.
//!
//! ```text
//!   set, set_batch a box still within its leaf: nothing to do       leaf: the box, extended in its direction of motion
//!                  outside: a new leaf at once, so that queries stay right; if many: all leaves repacked
//!   update         new leaves search both trees: candidates, leaves that overlap
//!                  all candidates of moved bodies are tested: pairs, begun, ended
//! ```
//! The owners of state, each private, and the files that take part in a frame ([`Broadphase::set_batch`], then
//! [`Broadphase::update`]), in reading order:
//!
//! | file | what it owns or does |
//! |---|---|
//! | `mod` | [`Broadphase`]: the order of the steps |
//! | `proxies` | `Proxies`: boxes, layers and states of bodies, which proxies are free, which bodies are dirty |
//! | `body_table` | the part of it that loops over pairs read |
//! | `dynamic_tree` | `DynamicTree`: the tree of moving bodies, their fat boxes, when leaves are renewed |
//! | `fat_aabb` | how far a box is enlarged and how long its leaf lives |
//! | `find_pairs` | `PairSearch`: the leaves that overlap dirty ones |
//! | `block_join` | the same if all leaves of a packed tree are dirty |
//! | `candidates` | two bodies whose leaves overlap, and the test of their boxes |
//! | `pair_cache` | `PairCache`: candidates, pairs, events |
//!
//! Also: `body` (what a caller passes and gets back), `edit` (adding, changing and removing bodies), `snapshot`.
//!
//! Bodies at rest need no third tree: their leaves stay, and their candidates need no test. With a million bodies of
//! which a thousand move, a frame takes 0.55 ms if all are declared moving, and 0.1 ms if the others are fixed: each
//! body at rest costs 0.45 ns, and in return the pairs among these are known.
//!
//! Upkeep has a budget: besides the leaves that bodies have left, a frame reinserts at most eight leaves for each body
//! that moved, or 256, whichever is more. Packing all leaves is therefore deferred to a frame in which many bodies
//! move; otherwise a single place in the tree is restructured.
//!
//! Pairs are exactly those of the bodies' own boxes. They never depend on how the leaves came to be.
//!
//! Source: fat boxes as in Box2D's `b2DynamicTree`; lists of candidates that outlive a frame from Verlet, "Computer
//! 'Experiments' on Classical Fluids" (1967).

mod block_join;
mod body;
mod body_table;
mod candidates;
mod dynamic_tree;
mod edit;
mod fat_aabb;
mod find_pairs;
mod pair_cache;
mod proxies;
mod snapshot;

pub use body::{BroadphaseBody, Mobility, Pair, Proxy};
pub use snapshot::SavedBroadphase;

use crate::{ALL, Bvh, Leaf, Team, threads::at_once};
use candidates::{CandidatePair, FrameContext};
use cullide_narrowphase::Aabb;
use dynamic_tree::{DynamicTree, MANY};
use find_pairs::PairSearch;
use pair_cache::PairCache;
use proxies::Proxies;
use std::{ops::ControlFlow, sync::Arc};

/// Bodies in two trees, fixed and moving, and the pairs among them.
///
/// Edits take effect in the trees at once; pairs and events are those of the last [`Broadphase::update`]. Neither pairs
/// nor events depend on threads, instruction sets, or the way in which the same boxes were set.
///
/// ```
/// use cullide_bvh::{BroadphaseBody, Broadphase, Pair, narrowphase::{Aabb, glam::Vec3}};
/// let at = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 2.0, 3.0, 5.0));
/// let mut broadphase = Broadphase::new();
/// let wall = broadphase.insert(&BroadphaseBody::fixed(at(0.0)?));
/// let ball = broadphase.insert(&BroadphaseBody::moving(at(9.0)?));
/// assert!(broadphase.update().begun.is_empty());
///
/// broadphase.set(ball, &at(2.0)?);
/// assert_eq!(broadphase.update().begun, [Pair { first: ball, second: wall }]);
/// broadphase.remove(wall);
/// assert_eq!(broadphase.update().ended, [Pair { first: ball, second: wall }]);
/// # Ok::<(), cullide_bvh::narrowphase::Error>(())
/// ```
/// A clone shares the data of the fixed bodies with the original, so that its cost depends on the moving bodies: some
/// twenty microseconds for 100,000 fixed and 1,000 moving bodies. The first edit of a fixed body after that copies the
/// tree of the fixed bodies, which takes some two milliseconds for this many.
#[derive(Clone, Default)]
pub struct Broadphase {
    proxies: Proxies,
    /// Its leaves are the boxes of the fixed bodies.
    fixed: Arc<Bvh>,
    moving: DynamicTree,
    search: PairSearch,
    pairs: PairCache,
}

/// What changed in an update. Each list is in ascending order; a pair is in at most one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events<'a> {
    /// Pairs that did not exist at the previous update.
    pub begun: &'a [Pair],
    /// Pairs that no longer exist. If a body was removed, its proxy is stale.
    pub ended: &'a [Pair],
}

impl Broadphase {
    /// Creates a broadphase without bodies.
    ///
    /// ```
    /// # use cullide_bvh::Broadphase;
    /// assert!(Broadphase::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives many bodies new boxes. Equivalent to [`Broadphase::set`] for each in order, but cheaper. Bodies that do
    /// not exist are skipped; returns the number of bodies that exist.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&BroadphaseBody::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let there = Aabb::new(Vec3::X, Vec3::X)?;
    /// assert_eq!(broadphase.set_batch(&[(proxy, there)]), 1);
    /// assert_eq!(broadphase.aabb(proxy), Some(there));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_batch(&mut self, moved: &[(Proxy, Aabb)]) -> usize {
        let mut moves = self.moving.begin_moves(moved.len());
        let mut count = 0;
        if !self.fixed.is_empty() {
            for (proxy, aabb) in moved.iter().filter(|(proxy, _)| proxy.mobility() == Mobility::Fixed) {
                count += usize::from(self.set(*proxy, aabb));
            }
        }
        count += self.moving.move_all(&mut self.proxies, moved, &mut moves);
        self.moving.end_moves(&mut self.proxies, &moves);
        count
    }

    /// Updates the pairs after all edits since the last update, and returns what changed.
    ///
    /// All pairs are stored, however many there are: `n` boxes at one place form `n (n − 1) / 2` pairs, and each needs
    /// up to 160 bytes in the update in which all begin. 5,000 such boxes take 2 GB and more than a second. If bodies
    /// may crowd together like that, call [`Broadphase::for_each_pair`] first, which needs no memory for pairs, and
    /// break when there are more than you can afford.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// broadphase.insert(&BroadphaseBody::fixed(aabb));
    /// broadphase.insert(&BroadphaseBody::fixed(aabb));
    /// let ball = broadphase.insert(&BroadphaseBody::moving(aabb));
    /// assert_eq!(broadphase.update().begun.len(), 2);
    /// broadphase.set(ball, &Aabb::new(Vec3::ONE, Vec3::splat(2.0))?);
    /// assert!(broadphase.update().ended.is_empty(), "they still touch");
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn update(&mut self) -> Events<'_> {
        self.update_by(&Team::alone())
    }

    /// [`Broadphase::update`] on the threads of a team; too little work to be worth sharing stays on one thread. With a
    /// team of one thread, this is the same as [`Broadphase::update`].
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, Helpers, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let body = BroadphaseBody::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?);
    /// (0..5).for_each(|_| _ = broadphase.insert(&body));
    /// assert_eq!(Helpers::default().with(2, |team| broadphase.update_by(team).begun.len()), 10);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn update_by(&mut self, team: &Team) -> Events<'_> {
        self.moving.end_frame();
        if self.proxies.is_changed() {
            // A team of several threads may not call rayon.
            self.update_pairs(Some(team).filter(|team| team.threads() > 1));
            self.proxies.end_frame();
        } else {
            self.pairs.clear_events();
        }
        Events { begun: self.pairs.begun(), ended: self.pairs.ended() }
    }

    fn update_pairs(&mut self, team: Option<&Team>) {
        let Self { proxies, fixed, moving, search, pairs } = self;
        let (proxies, tree) = (&*proxies, moving.bvh());
        let few_moved = proxies.changes() * MANY < tree.len();
        let frame = FrameContext { level: tree.level, proxies, in_cycle: moving.is_in_cycles(), few_moved };
        search.prepare(proxies, moving, fixed);
        if proxies.all_dirty() {
            search.run(proxies, tree, fixed, team);
            let (found, parts) = search.found();
            pairs.replace(found, parts, frame, team);
            return;
        }
        if team.is_some() {
            pairs.retest(frame, team);
            search.run(proxies, tree, fixed, team);
        } else {
            let for_many = pairs.is_worth_a_thread(few_moved);
            at_once(for_many, || pairs.retest(frame, None), || search.run(proxies, tree, fixed, None));
        }
        let (found, parts) = search.found();
        pairs.update(found, parts, frame, team);
    }

    /// Returns the pairs of the last update, in ascending order.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 3].map(|()| broadphase.insert(&BroadphaseBody::moving(aabb)));
    /// broadphase.update();
    /// let pairs: Vec<_> = broadphase.pairs().map(|pair| (pair.first, pair.second)).collect();
    /// assert_eq!(pairs, [(proxies[0], proxies[1]), (proxies[0], proxies[2]), (proxies[1], proxies[2])]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.pairs()
    }

    /// Returns the number of pairs of the last update.
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Calls `visit` once for every pair that exists now, all edits included, in an unspecified order;
    /// [`ControlFlow::Break`] ends the search. Searches both trees completely, between updates or instead of them. It
    /// stores no pairs and stops when the visitor says so, which lets a caller limit the pairs of an update.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 2].map(|()| broadphase.insert(&BroadphaseBody::moving(aabb)));
    /// let mut pairs = vec![];
    /// broadphase.for_each_pair(|pair| {
    ///     pairs.push((pair.first, pair.second));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(pairs, [(proxies[0], proxies[1])]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn for_each_pair(&self, mut visit: impl FnMut(Pair) -> ControlFlow<()>) {
        let bodies = self.proxies.table::<true>();
        let mut visit_leaves = |a: Leaf, b: Leaf| {
            if bodies.may_pair(a.into(), b.into()) && bodies.aabb(a.into()).overlaps(bodies.aabb(b.into())) {
                visit(CandidatePair::new(a, b).pair())
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut flow = ControlFlow::Continue(());
        self.moving().for_each_pair(|a, b| {
            flow = visit_leaves(a, b);
            flow
        });
        for leaf in self.moving().leaves() {
            if flow.is_break() {
                return;
            }
            let Some(aabb) = bodies.aabb(leaf.into()).aabb() else { continue };
            self.fixed.overlap_aabb(&aabb, ALL, |other| {
                flow = visit_leaves(leaf, other);
                flow
            });
        }
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.fixed.len() + self.moving().len()
    }

    /// Returns whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a body as it is now; `None` for one that was removed.
    ///
    /// ```
    /// # use cullide_bvh::{BroadphaseBody, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let body = BroadphaseBody::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?).layers(0b10);
    /// let proxy = broadphase.insert(&body);
    /// assert_eq!(broadphase.body(proxy), Some(body));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn body(&self, proxy: Proxy) -> Option<BroadphaseBody> {
        self.proxies.body(proxy)
    }

    /// Returns the box that a body was given last; `None` for a body that was removed. The box of its leaf may be
    /// larger.
    pub fn aabb(&self, proxy: Proxy) -> Option<Aabb> {
        if self.proxies.contains(proxy) { self.proxies.aabb(proxy).aabb() } else { None }
    }

    /// Returns the tree of the fixed bodies. A leaf has its body's number, box and layers.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// # use cullide_bvh::{ALL, BroadphaseBody, Broadphase, Proxy, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let wall = broadphase.insert(&BroadphaseBody::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// broadphase.fixed().overlap_aabb(&Aabb::new(Vec3::ONE, Vec3::ONE)?, ALL, |leaf| {
    ///     assert_eq!(Proxy::from(leaf), wall);
    ///     ControlFlow::Continue(())
    /// });
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn fixed(&self) -> &Bvh {
        &self.fixed
    }

    /// Returns the tree of the moving bodies. A leaf has its body's number and layers, and a box that contains the
    /// body's own: an answer may contain too many leaves, never too few; test [`Broadphase::aabb`] to filter it.
    pub fn moving(&self) -> &Bvh {
        self.moving.bvh()
    }

    /// Returns the number of leaves reinserted since the last update only to maintain the quality of the moving tree:
    /// at most eight for each body that was moved, or 256, whichever is more.
    #[cfg(feature = "testing")]
    pub fn upkeep(&self) -> usize {
        self.moving.upkeep()
    }

    /// Returns the same broadphase with these instructions instead of the best; `None` if the processor or the build
    /// lacks them.
    #[cfg(feature = "testing")]
    pub fn with_instructions(self, instructions: crate::Instructions) -> Option<Self> {
        let fixed = Arc::new(Arc::unwrap_or_clone(self.fixed).with_instructions(instructions)?);
        let moving = self.moving.with_instructions(instructions)?;
        Some(Self { fixed, moving, ..self })
    }
}

impl std::fmt::Debug for Broadphase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Broadphase")
            .field("fixed", &self.fixed)
            .field("moving", self.moving())
            .field("pairs", &self.pair_count())
            .finish_non_exhaustive()
    }
}
