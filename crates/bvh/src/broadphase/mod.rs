//! Which bodies are near each other, frame after frame: two trees, and the pairs whose boxes overlap with what began and what ended.
//!
//! ```text
//!   set, set_all ...   a box still within its leaf: nothing to do         leaf: the box, enlarged along the way it goes
//!                      outside: a new leaf, now, so that queries are right; many at once: all leaves anew, packed
//!   update             new leaves search both trees: candidates, leaves that overlap
//!                      all candidates of moved bodies are tested: pairs, begun, ended
//! ```
//! A body that rests needs no tree of its own: its leaf stays, and its candidates are passed over. With a million bodies of which a thousand
//! move a frame takes 0.55 ms when all are declared moving, and 0.1 when the others are fixed: 0.45 ns for each that rests, and for that the
//! pairs of any two of them are known.
//!
//! Upkeep has a budget: besides what outgrew its leaf, a frame hangs eight leaves anew for each body that moved, or 256, whichever is more.
//! So the packing of all waits for a frame in which many move, and otherwise one place in the tree is tidied.
//!
//! Pairs are those of the bodies' own boxes, exactly. How the leaves came to be never shows in them.
//!
//! Source: fat boxes as in Box2D's `b2DynamicTree`; lists of candidates that outlive a frame from Verlet, "Computer 'Experiments' on
//! Classical Fluids", 1967.

mod bodies;
mod body;
mod bulk;
mod candidates;
mod edit;
mod fat;
mod find;
mod found;
mod group;
mod join;
mod layers;
mod movers;
mod pairs;
mod place;
mod rounds;
mod saved;
mod search;
mod share;
mod slice;
mod state;
mod still;
mod update;
mod watched;

pub use body::{Body, Mobility, Pair, Proxy};
pub use saved::SavedBroadphase;
pub use update::Events;

use crate::{Bvh, CowVec, Instructions, Leaf, leaf::FIXED, simd_aabb::SimdAabb};
use bodies::Bodies;
use candidates::Candidates;
use cullide_narrowphase::Aabb;
use fat::Course;
use found::Found;
use group::Active;
use layers::{Layers, LayersOfAll};
use movers::Movers;
use rounds::Rounds;
use slice::Outcome;
use state::USED;
use std::sync::Arc;
use still::Still;

/// Bodies in two trees, fixed and moving, and the pairs among them.
///
/// Edits take effect in the trees at once; pairs and events are those of the last [`Broadphase::update`]. Neither depends on threads,
/// instruction sets, or the way in which the same boxes were set.
///
/// ```
/// use cullide_bvh::{Body, Broadphase, Pair, narrowphase::{Aabb, glam::Vec3}};
/// let at = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 2.0, 3.0, 5.0));
/// let mut broadphase = Broadphase::new();
/// let wall = broadphase.insert(&Body::fixed(at(0.0)?));
/// let ball = broadphase.insert(&Body::moving(at(9.0)?));
/// assert!(broadphase.update().begun.is_empty());
///
/// broadphase.set(ball, &at(2.0)?);
/// assert_eq!(broadphase.update().begun, [Pair { first: ball, second: wall }]);
/// broadphase.remove(wall);
/// assert_eq!(broadphase.update().ended, [Pair { first: ball, second: wall }]);
/// # Ok::<(), cullide_bvh::narrowphase::Error>(())
/// ```
/// A clone shares with it what is known of the fixed bodies, so that it costs what the moving ones do: that of 100,000 fixed and 1,000 moving
/// bodies some twenty microseconds. The first edit of a fixed body after that copies the tree of these, in some two milliseconds for as many.
#[derive(Clone, Default)]
pub struct Broadphase {
    fixed: Arc<Bvh>,
    moving: Bvh,
    /// The fixed bodies by number.
    still: CowVec<Still>,
    /// By moving body: its box, and that of its leaf.
    tight: Vec<SimdAabb>,
    fat: Vec<SimdAabb>,
    courses: Vec<Course>,
    layers: LayersOfAll,
    states: Vec<u8>,
    /// Numbers to use again, and those that will be after the next update: of bodies that were there at the last one.
    free: Vec<u32>,
    free_fixed: Vec<u32>,
    freed: Vec<u32>,
    /// Bodies whose leaf is to be searched with, each once; all that move, instead of being listed, after all got new leaves.
    stale: Vec<u32>,
    all_stale: bool,
    /// Boxes that were set since the last update.
    moved: usize,
    /// Whether the nodes of the moving tree are numbered as [`Bvh::pack`] numbers them.
    is_packed: bool,
    /// The area of the nodes of the moving tree that hold leaves when it was packed, and what they have grown by since.
    extent: f64,
    spread: f64,
    /// Updates so far.
    frame: u32,
    rounds: Rounds,
    movers: Movers,
    active: Active,
    /// What the last update found: of a few new leaves, or of all; and each thread of it.
    found: Found,
    found_of_all: Found,
    parts: Vec<Found>,
    candidates: Candidates,
    /// Of a bulk move: what each thread did, and the bodies with new leaf boxes when they are few.
    outcomes: Vec<Outcome>,
    renewed: Vec<u32>,
    /// Leaves that went to another node in a bulk move, how many have since the moving tree was tidied, and how often it was.
    strayed: Vec<Leaf>,
    moves: u32,
    tidied: u32,
    /// Leaves hung anew since the last update, only to keep the moving tree good.
    upkeep: usize,
}

impl std::fmt::Debug for Broadphase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Broadphase")
            .field("fixed", &self.fixed)
            .field("moving", &self.moving)
            .field("pairs", &self.candidates.together())
            .finish_non_exhaustive()
    }
}

impl Broadphase {
    /// Without bodies.
    ///
    /// ```
    /// # use cullide_bvh::Broadphase;
    /// assert!(Broadphase::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// The same broad phase with these instructions instead of the best; `None` when the processor or the build lacks them.
    #[doc(hidden)]
    pub fn with_instructions(self, instructions: Instructions) -> Option<Self> {
        let fixed = Arc::new(Arc::unwrap_or_clone(self.fixed).with_instructions(instructions)?);
        let moving = self.moving.with_instructions(instructions)?;
        Some(Self { fixed, moving, ..self })
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.fixed.len() + self.moving.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A body as it is now; `None` for one that was removed.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let body = Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?).layers(0b10);
    /// let proxy = broadphase.insert(&body);
    /// assert_eq!(broadphase.body(proxy), Some(body));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn body(&self, proxy: Proxy) -> Option<Body> {
        let aabb = self.aabb(proxy)?;
        let layers = self.layers_of(proxy.number());
        Some(Body { aabb, mobility: proxy.mobility(), layers: layers.own, pairs_with: layers.pairs_with })
    }

    /// The box that a body was given last; `None` for one that was removed. The box of its leaf may be larger.
    pub fn aabb(&self, proxy: Proxy) -> Option<Aabb> {
        if self.has(proxy) { self.mixed().tight(proxy.number()).aabb() } else { None }
    }

    /// The tree of the fixed bodies. A leaf has the number of its body, its box and its layers.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Body, Broadphase, Proxy, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let wall = broadphase.insert(&Body::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// broadphase.fixed().overlap_point(Vec3::ONE, ALL, |leaf| {
    ///     assert_eq!(Proxy::from(leaf), wall);
    ///     Visit::Continue
    /// });
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn fixed(&self) -> &Bvh {
        &self.fixed
    }

    /// The tree of the moving bodies. A leaf has the number of its body, its layers, and a box that contains the body's own: an answer
    /// may be too large, never too small, and [`Broadphase::aabb`] tells which.
    pub fn moving(&self) -> &Bvh {
        &self.moving
    }

    /// The pairs of the last update, in order.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let aabb = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
    /// let proxies = [(); 3].map(|()| broadphase.insert(&Body::moving(aabb)));
    /// broadphase.update();
    /// let pairs: Vec<_> = broadphase.pairs().map(|pair| (pair.first, pair.second)).collect();
    /// assert_eq!(pairs, [(proxies[0], proxies[1]), (proxies[0], proxies[2]), (proxies[1], proxies[2])]);
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        self.candidates.pairs()
    }

    /// The number of pairs of the last update.
    pub fn pair_count(&self) -> usize {
        self.candidates.together()
    }

    /// How many leaves were hung anew since the last update, only to keep the moving tree good: at most eight for each body that was moved,
    /// or 256.
    #[doc(hidden)]
    pub fn upkeep(&self) -> usize {
        self.upkeep
    }

    fn has(&self, proxy: Proxy) -> bool {
        let state = match proxy.mobility() {
            Mobility::Fixed => self.still.get(proxy.index()).map(|still| still.state),
            Mobility::Moving => self.states.get(proxy.index()).copied(),
        };
        state.is_some_and(|state| state & USED != 0)
    }

    fn layers_of(&self, number: u32) -> Layers {
        if number & FIXED != 0 { self.still[(number & !FIXED) as usize].layers } else { self.layers.of(number) }
    }

    fn state_mut(&mut self, number: u32) -> &mut u8 {
        if number & FIXED != 0 {
            &mut self.still[(number & !FIXED) as usize].state
        } else {
            &mut self.states[number as usize]
        }
    }
}
