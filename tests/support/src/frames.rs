//! A broadphase checked against a plain list, frame by frame.

use cullide_bvh::{Broadphase, BroadphaseBody, Mobility, Pair, Proxy, narrowphase::Aabb};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

/// A broadphase, what it should hold, and the pairs that follow from its events.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// The one under test.
    pub broadphase: Broadphase,
    /// All bodies that it should hold.
    pub bodies: BTreeMap<Proxy, BroadphaseBody>,
    /// The pairs, by replaying all events.
    pub replayed: BTreeSet<Pair>,
}

impl Frames {
    /// A broadphase of these bodies, and their proxies.
    pub fn new(bodies: &[BroadphaseBody]) -> (Self, Vec<Proxy>) {
        let mut this = Self::default();
        let proxies = bodies.iter().map(|body| this.insert(body)).collect();
        (this, proxies)
    }

    /// Inserts into both.
    pub fn insert(&mut self, body: &BroadphaseBody) -> Proxy {
        let proxy = self.broadphase.insert(body);
        self.note(proxy, body);
        proxy
    }

    /// Inserts many into both, and checks that their proxies are those that inserting one by one would give.
    pub fn insert_batch(&mut self, bodies: &[BroadphaseBody]) -> Vec<Proxy> {
        let mut other = self.broadphase.clone();
        let proxies = self.broadphase.insert_batch(bodies);
        assert!(bodies.iter().map(|body| other.insert(body)).eq(proxies.iter().copied()));
        proxies.iter().zip(bodies).for_each(|(&proxy, body)| self.note(proxy, body));
        proxies
    }

    fn note(&mut self, proxy: Proxy, body: &BroadphaseBody) {
        assert_eq!(proxy.mobility(), body.mobility);
        assert_eq!(self.bodies.insert(proxy, *body), None, "{proxy:?} was given out twice");
    }

    /// Removes from both; returns whether the proxy was there.
    pub fn remove(&mut self, proxy: Proxy) -> bool {
        let gone = self.bodies.remove(&proxy);
        assert_eq!(self.broadphase.remove(proxy), gone.map(|body| body.aabb));
        gone.is_some()
    }

    /// Moves a body in both.
    pub fn set(&mut self, proxy: Proxy, aabb: &Aabb) {
        let there = self.bodies.get_mut(&proxy).map(|body| body.aabb = *aabb).is_some();
        assert_eq!(self.broadphase.set(proxy, aabb), there);
    }

    /// Moves many bodies in both.
    pub fn set_batch(&mut self, moved: &[(Proxy, Aabb)]) {
        let mut there = 0;
        for (proxy, aabb) in moved {
            there += usize::from(self.bodies.get_mut(proxy).map(|body| body.aabb = *aabb).is_some());
        }
        assert_eq!(self.broadphase.set_batch(moved), there);
    }

    /// Changes the layers in both.
    pub fn set_layers(&mut self, proxy: Proxy, layers: u32, pairs_with: u32) {
        let set = |body: &mut BroadphaseBody| (body.layers, body.pairs_with) = (layers, pairs_with);
        let there = self.bodies.get_mut(&proxy).map(set).is_some();
        assert_eq!(self.broadphase.set_layers(proxy, layers, pairs_with), there);
    }

    /// Makes a body fixed or moving in both; returns its proxy from then on.
    pub fn set_mobility(&mut self, proxy: Proxy, mobility: Mobility) -> Option<Proxy> {
        let exchanged = self.broadphase.set_mobility(proxy, mobility);
        assert_eq!(exchanged.is_some(), self.bodies.contains_key(&proxy));
        if let Some(exchanged) = exchanged
            && let Some(body) = self.bodies.remove(&proxy)
        {
            assert_eq!(exchanged == proxy, body.mobility == mobility);
            self.note(exchanged, &BroadphaseBody { mobility, ..body });
        }
        exchanged
    }

    /// Updates, and checks pairs and events against the list.
    pub fn update(&mut self) {
        let events = self.broadphase.update();
        assert!(events.begun.is_sorted_by(|a, b| a < b) && events.ended.is_sorted_by(|a, b| a < b), "{events:?}");
        for pair in events.ended {
            assert!(self.replayed.remove(pair), "{pair:?} ended but was not a pair");
        }
        for pair in events.begun {
            assert!(self.replayed.insert(*pair), "{pair:?} began but was a pair already");
        }
        let expected = self.expected();
        let pairs: Vec<Pair> = self.broadphase.pairs().collect();
        assert_eq!(pairs.len(), self.broadphase.pair_count());
        assert!(pairs.iter().eq(&expected), "{} pairs instead of {}", pairs.len(), expected.len());
        assert!(self.replayed.iter().eq(&expected), "{} pairs by events, not {}", self.replayed.len(), expected.len());
    }

    /// Checks the trees against the list; may be called at any time.
    pub fn check_trees(&self) {
        let (fixed, moving) = (self.broadphase.fixed(), self.broadphase.moving());
        assert_eq!((fixed.validate(), moving.validate()), (Ok(()), Ok(())));
        assert_eq!(fixed.len() + moving.len(), self.bodies.len());
        assert_eq!(self.broadphase.len(), fixed.len() + moving.len());
        for (tree, mobility) in [(fixed, Mobility::Fixed), (moving, Mobility::Moving)] {
            for leaf in tree.leaves() {
                let proxy = Proxy::from(leaf);
                let body = self.bodies[&proxy];
                assert_eq!((self.broadphase.body(proxy), body.mobility), (Some(body), mobility));
                assert_eq!(tree.mask(leaf), Some(body.layers));
                let aabb = tree.aabb(leaf).expect("a leaf has a box");
                assert!(aabb.contains(&body.aabb));
                assert!(mobility == Mobility::Moving || aabb == body.aabb);
            }
        }
    }

    /// Checks the full query against the list; may be called at any time.
    pub fn check_full_query(&self) {
        let mut pairs = vec![];
        self.broadphase.for_each_pair(|pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        assert_eq!(pairs, self.expected());
    }

    /// All pairs, by testing every body against those whose boxes overlap its own along x.
    pub fn expected(&self) -> Vec<Pair> {
        let mut bodies: Vec<(Proxy, BroadphaseBody)> =
            self.bodies.iter().map(|(proxy, body)| (*proxy, *body)).collect();
        bodies.sort_by(|a, b| a.1.aabb.min().x.total_cmp(&b.1.aabb.min().x));
        let mut pairs = vec![];
        for (k, (i, a)) in bodies.iter().enumerate() {
            for (j, b) in bodies[k + 1..].iter().take_while(|(_, b)| b.aabb.min().x <= a.aabb.max().x) {
                let both = a.layers & b.pairs_with != 0 && b.layers & a.pairs_with != 0;
                let fixed = a.mobility == Mobility::Fixed && b.mobility == Mobility::Fixed;
                if both && !fixed && a.aabb.overlaps(&b.aabb) {
                    pairs.push(Pair { first: *i.min(j), second: *i.max(j) });
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }
}
