//! Which objects are near each other, and which of these pairs began and ended.

#[cfg(feature = "dynamics")]
use crate::scene::slot_map::Slot;
use crate::{ObjectKey, World, scene::proxies::ObjectProxies};
use cullide_bvh::{Pair, Proxy, Team};
#[cfg(feature = "dynamics")]
use cullide_narrowphase::Aabb;
use std::ops::ControlFlow;

/// Two objects whose boxes overlap, touching included; the first has the smaller key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectPair {
    /// One object.
    pub first: ObjectKey,
    /// The other.
    pub second: ObjectKey,
}

impl ObjectPair {
    /// Returns the pair of two objects, given in either order.
    ///
    /// ```
    /// # use cullide_world::{Object, ObjectPair, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap())));
    /// assert_eq!(world.update_pairs(0.0).begun, [ObjectPair::new(b, a)]);
    /// ```
    pub fn new(a: ObjectKey, b: ObjectKey) -> Self {
        Self { first: a.min(b), second: a.max(b) }
    }
}

/// What changed in an update. The order depends only on the edits, not on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairEvents<'a> {
    /// Pairs that did not exist at the update before.
    pub begun: &'a [ObjectPair],
    /// Pairs that no longer exist; the key of an object that was removed is stale.
    pub ended: &'a [ObjectPair],
}

/// The events of an update, kept to reuse their memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairHistory {
    begun: Vec<ObjectPair>,
    ended: Vec<ObjectPair>,
}

impl PairHistory {
    /// Drops pairs that ended under one proxy and began again under another.
    fn cancel(&mut self) {
        let (mut begun, mut both) = (self.begun.clone(), self.ended.clone());
        begun.sort_unstable();
        both.retain(|pair| begun.binary_search(pair).is_ok());
        both.sort_unstable();
        self.begun.retain(|pair| both.binary_search(pair).is_err());
        self.ended.retain(|pair| both.binary_search(pair).is_err());
    }
}

impl World {
    /// Brings the pairs of objects up to date with all edits, and returns those that began and ended since the last
    /// update.
    ///
    /// A pair is two objects, at least one of them [`Mobility::Moving`](crate::Mobility::Moving), each in a layer that
    /// the other [pairs with](crate::Object::pairs_with), whose axis-aligned boxes overlap. The box of an object with a
    /// [velocity](crate::ObjectMut::set_velocity) covers its path over the next `dt` seconds, so that it already forms a pair with
    /// what it is going to meet; a `dt` that is negative, infinite or NaN counts as 0. If a
    /// [`ContactTracker`](crate::ContactTracker) or [`Dynamics`](crate::Dynamics) has given objects a box with a
    /// margin, those without a velocity keep it until they are moved or given one, and so may be pairs while a margin
    /// apart. Queries need no update: they see every edit at once.
    ///
    /// All pairs are kept, however many there are: `n` objects at one place make `n (n − 1) / 2` pairs, each of which
    /// takes up to 160 bytes in the update in which they all begin, or 2 GB and more than a second for 5,000 objects.
    /// Where objects may come together like that, call [`World::for_each_pair`] first, which needs no memory for pairs,
    /// and stop at as many as are acceptable.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::{Aabb, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let wall = world.insert(Object::fixed(Aabb::new(Vec3::new(9.0, -1.0, -1.0), Vec3::new(9.5, 1.0, 1.0))?));
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert!(world.update_pairs(0.0).begun.is_empty());
    ///
    /// world.object_mut(ball).unwrap().set_velocity(Vec3::X * 1000.0)?;
    /// let begun = world.update_pairs(1.0 / 60.0).begun;
    /// assert_eq!((begun[0].first, begun[0].second), (wall, ball));
    /// world.remove(wall);
    /// assert_eq!(world.update_pairs(1.0 / 60.0).ended.len(), 1);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    ///
    /// To find when two bodies of a pair meet, while both move and turn, sweep one against the other:
    ///
    /// ```
    /// # use cullide_world::{BoxBody, BoxStepper, Object, ObjectKey, Shape, World, narrowphase::{Aabb, BoxSweep, Error, Obb, TurningBoxSweep}, glam::Vec3};
    /// fn sweep(world: &World, boxes: &BoxStepper, key: ObjectKey, dt: f32) -> Result<TurningBoxSweep, Error> {
    ///     let body = boxes.body(key).unwrap_or_default();
    ///     let obb = match &world.object(key).unwrap().shape {
    ///         Shape::Aabb(aabb) => Obb::from(aabb),
    ///         Shape::Obb(obb) => *obb,
    ///         _ => panic!("bodies are boxes"),
    ///     };
    ///     BoxSweep::new(obb, body.velocity * dt)?.rotating(body.angular_velocity * dt)
    /// }
    /// let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    /// for x in [-4.0, 4.0] {
    ///     let crate_ = world.insert(Object::moving(Aabb::from_center_half_extents(Vec3::X * x, Vec3::ONE)?));
    ///     let (velocity, angular_velocity) = (Vec3::X * -6.0 * x, Vec3::Z * x);
    ///     boxes.insert(&mut world, crate_, BoxBody { velocity, angular_velocity, ..BoxBody::default() })?;
    /// }
    /// let dt = 0.5;
    /// let pair = world.update_pairs(dt).begun[0];
    /// let (first, second) = (sweep(&world, &boxes, pair.first, dt)?, sweep(&world, &boxes, pair.second, dt)?);
    /// let hit = first.against_moving_box(&second, 1e-3).hit().unwrap();
    /// // They approach by 24 units in half a second, from a distance of 6, less the reach of their corners.
    /// assert!(hit.toi > 0.2 && hit.toi < 0.25 && hit.normal.x < -0.9, "{hit:?}");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn update_pairs(&mut self, dt: f32) -> PairEvents<'_> {
        self.predict_aabbs(if dt.is_finite() { dt.max(0.0) } else { 0.0 });
        self.find_pairs(&Team::alone());
        self.pair_events()
    }

    /// Returns what changed in the last update of the pairs, without borrowing the world mutably. A step of
    /// [`Dynamics`](crate::Dynamics) and [`ContactTracker::update`](crate::ContactTracker::update) update the pairs as
    /// well: read the events after each of these.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::{Aabb, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::moving(Sphere::new(Vec3::ZERO, 2.0)?).user(7));
    /// world.insert(Object::fixed(Aabb::new(Vec3::ONE, Vec3::splat(3.0))?).user(8));
    /// world.update_pairs(0.0);
    /// let users = |pair: &cullide_world::ObjectPair| Some((world.object(pair.first)?.user, world.object(pair.second)?.user));
    /// assert_eq!(world.pair_events().begun.iter().filter_map(users).collect::<Vec<_>>(), [(7, 8)]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn pair_events(&self) -> PairEvents<'_> {
        PairEvents { begun: &self.pair_history.begun, ended: &self.pair_history.ended }
    }

    /// Gives some objects the given boxes, and brings the pairs up to date with all boxes.
    #[cfg(feature = "dynamics")]
    pub(crate) fn set_predicted(&mut self, team: &Team, predicted: &mut dyn Iterator<Item = (Slot, Aabb)>) {
        let objects = &self.objects;
        self.moved_aabbs.clear();
        self.moved_aabbs.extend(predicted.filter_map(|(slot, aabb)| Some((objects.get(slot)?.proxy, aabb))));
        self.proxies.broadphase.set_batch(&self.moved_aabbs);
        self.find_pairs(team);
    }

    fn find_pairs(&mut self, team: &Team) {
        self.pair_serial = self.pair_serial.wrapping_add(1);
        let Self { id, objects, proxies: ObjectProxies { broadphase, any_exchanged }, pair_history, .. } = self;
        let events = broadphase.update_by(team);
        let key = |proxy: Proxy| ObjectKey::new(objects.slot_of(proxy), *id);
        let named = |pair: &Pair| ObjectPair::new(key(pair.first), key(pair.second));
        pair_history.begun.clear();
        pair_history.begun.extend(events.begun.iter().map(named));
        pair_history.ended.clear();
        pair_history.ended.extend(events.ended.iter().map(named));
        if std::mem::take(any_exchanged) {
            pair_history.cancel();
        }
    }

    /// Returns the pairs of the last update, in an order that depends only on the edits.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap())));
    /// world.update_pairs(0.0);
    /// let pair = world.pairs().next().unwrap();
    /// assert_eq!((pair.first, pair.second), (a, b));
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = ObjectPair> + '_ {
        self.proxies.broadphase.pairs().map(|pair| self.named(&pair))
    }

    /// Calls `visit` for every pair as it is now, all edits included, in no fixed order; [`ControlFlow::Break`] stops.
    ///
    /// This searches the whole scene and can be called between updates or instead of them. It stores no pairs, so that
    /// a caller can limit how many an update would find:
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// # use std::ops::ControlFlow;
    /// let mut world = World::new();
    /// for _ in 0..3 {
    ///     world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// }
    /// let most = 2;
    /// let mut count = 0;
    /// world.for_each_pair(|_| {
    ///     count += 1;
    ///     if count > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// });
    /// assert!(count > most, "too many: update does without it, or the caller parts the objects first");
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn for_each_pair(&self, mut visit: impl FnMut(ObjectPair) -> ControlFlow<()>) {
        self.proxies.broadphase.for_each_pair(|pair| visit(self.named(&pair)));
    }

    fn named(&self, pair: &Pair) -> ObjectPair {
        let key = |proxy: Proxy| ObjectKey::new(self.objects.slot_of(proxy), self.id);
        ObjectPair::new(key(pair.first), key(pair.second))
    }
}
