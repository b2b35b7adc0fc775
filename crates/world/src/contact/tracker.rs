//! Contacts for an external solver.

use super::{
    ContactPair,
    cache::{Changes, ContactCache, reach_of},
};
use crate::{Mobility, ObjectKey, Target, World, scene::planes::MotionBounds};
use cullide_bvh::Team;
#[cfg(feature = "serde")]
use cullide_narrowphase::Error;
use cullide_narrowphase::{Aabb, Mapped, glam::Vec3};

/// Contacts between all objects that are near each other, carried over from update to update: what a solver of rigid
/// bodies needs as input.
///
/// A pair is two objects in layers that [pair](crate::Object::pairs_with), at least one of which is moving and not
/// composite, or such an object and a plane; it lasts as long as they are near each other. A half-space ignores what is
/// behind it by more than its size, margin and path together. Points keep their
/// [feature](crate::narrowphase::ManifoldPoint::feature) from update to update, so that impulses can be kept for them.
///
/// ```
/// use cullide_world::{ContactTracker, Object, World, glam::Vec3, narrowphase::Aabb};
/// let mut world = World::new();
/// let floor = world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?));
/// let shape = Aabb::new(Vec3::new(-1.0, 0.005, -1.0), Vec3::new(1.0, 2.0, 1.0))?;
/// let crate_ = world.insert(Object::moving(shape));
/// let mut tracker = ContactTracker::new();
/// let events = tracker.update(&mut world, 1.0 / 60.0, 0.02);
/// assert_eq!(events.begun, [(crate_, floor.into())]);
/// let manifold = &tracker.contacts().next().unwrap().parts()[0].manifold;
/// // From the crate to the floor.
/// assert_eq!((manifold.normal(), manifold.points().len()), (Vec3::NEG_Y, 4));
/// assert!(manifold.points().iter().all(|point| (point.separation - 0.005).abs() < 1e-6));
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ContactTracker {
    cache: ContactCache,
    changes: Changes,
    /// The moving objects that are not composite.
    moving: Vec<ObjectKey>,
    begun: Vec<(ObjectKey, Target)>,
    ended: Vec<(ObjectKey, Target)>,
}

/// The contacts that began and ended in an update.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactEvents<'a> {
    /// Pairs that have points now, and had none at the update before.
    pub begun: &'a [(ObjectKey, Target)],
    /// Pairs that had points, and have none now; the key of an object that was removed is stale. A pair whose
    /// order changes, because one of the two has become moving, fixed or composite, ends, and begins the other way round.
    pub ended: &'a [(ObjectKey, Target)],
}

impl ContactTracker {
    /// Returns a tracker without pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Brings the contacts up to date with all edits, and returns those that began and ended. Points no farther apart
    /// than `margin`, a length, are reported. What may come that close within the next `dt` seconds, by the
    /// [velocities](crate::ObjectMut::set_velocity) of the objects, forms a pair as well, but without points yet: for fast
    /// objects, give a margin as wide as their path. A `dt` or a `margin` that is not positive and finite counts as 0.
    ///
    /// This also brings the world's [pairs](World::update_pairs) up to date; the boxes of moving objects then cover
    /// where they may get, plus the margin. In a world of another [tag](World::with_tag) than the last, all pairs of that
    /// one end.
    pub fn update(&mut self, world: &mut World, dt: f32, margin: f32) -> ContactEvents<'_> {
        let [dt, margin] = [dt, margin].mapped(|x| if x > 0.0 && x.is_finite() { x } else { 0.0 });
        let reach = |aabb: &Aabb, velocity: Vec3| reach_of(aabb, velocity, dt, margin);
        let moving: Vec<(ObjectKey, Aabb)> = world
            .objects()
            .filter(|(_, object)| object.mobility == Mobility::Moving && object.shape.convex().is_some())
            .map(|(key, object)| (key, reach(&object.shape.aabb(), object.velocity())))
            .collect();
        self.moving.clear();
        self.moving.extend(moving.iter().map(|(key, _)| *key));
        let id = world.id;
        let mut predicted = moving.iter().filter_map(|(key, reach)| Some((key.slot(id)?, *reach)));
        let mut changes = std::mem::take(&mut self.changes);
        self.cache.update(&Team::alone(), world, &mut predicted, &|_, _| true, &mut changes);
        for (key, reach) in &moving {
            let Some(object) = world.object(*key) else { continue };
            let radius = 0.5 * (reach.max() - reach.min()).length();
            let way = MotionBounds::of_ball(reach.center(), radius, Vec3::ZERO);
            self.cache.update_planes(world, *key, &way, object.pairs_with, &mut changes);
        }
        let is_there = |key: ObjectKey| moving.binary_search_by_key(&key, |(key, _)| *key).is_ok();
        self.cache.retain_planes(&is_there, &mut changes);
        self.begun.clear();
        self.ended.clear();
        self.ended.extend(
            changes.ended.iter().filter(|(_, pair)| pair.is_touching).map(|(_, pair)| (pair.first, pair.second)),
        );
        self.changes = changes;
        let reach_of = |key: ObjectKey| {
            let at = moving.binary_search_by_key(&key, |(key, _)| *key).ok()?;
            Some(moving[at].1)
        };
        for pair in self.cache.slots_mut().iter_mut().flatten() {
            // The moving object comes first, and if both move, one that is convex; of two the one with the smaller key.
            if let Target::Object(second) = pair.second
                && reach_of(second).is_some()
                && (reach_of(pair.first).is_none() || second < pair.first)
            {
                if pair.is_touching {
                    self.ended.push((pair.first, pair.second));
                }
                *pair = ContactPair::new(second, pair.first.into());
            }
            let Some(reach) = reach_of(pair.first) else {
                // One of the two has become composite, or is now fixed.
                if pair.is_touching {
                    self.ended.push((pair.first, pair.second));
                }
                *pair = ContactPair::new(pair.first, pair.second);
                continue;
            };
            pair.update(world, &reach, 0.0, margin, f32::INFINITY);
            match (pair.was_touching, pair.is_touching) {
                (false, true) => self.begun.push((pair.first, pair.second)),
                (true, false) => self.ended.push((pair.first, pair.second)),
                _ => {}
            }
        }
        ContactEvents { begun: &self.begun, ended: &self.ended }
    }

    /// The pairs, and the moving objects.
    pub(super) fn parts(&self) -> (&ContactCache, &[ObjectKey]) {
        (&self.cache, &self.moving)
    }

    /// Returns the pair of two objects, in either order, or of an object and a plane; `None` if they are not near each
    /// other.
    pub fn contact(&self, first: ObjectKey, second: impl Into<Target>) -> Option<&ContactPair> {
        let pair = self.cache.between(first, second.into());
        pair.filter(|pair| self.moving.binary_search(&pair.first).is_ok())
    }

    /// Returns the pairs of the last update.
    pub fn contacts(&self) -> impl Iterator<Item = &ContactPair> {
        self.cache.iter().map(|(_, pair)| pair).filter(|pair| self.moving.binary_search(&pair.first).is_ok())
    }

    /// Returns everything that the next update starts from, other than the world; see [`ContactTracker::restore`]. To
    /// go back within one program, clones of both are cheaper.
    #[cfg(feature = "serde")]
    pub fn snapshot(&self, world: &World) -> ContactTrackerSnapshot {
        let (pairs, is_current) = self.cache.save(world);
        ContactTrackerSnapshot { pairs, is_current, moving: self.moving.clone() }
    }

    /// Returns contacts that continue where others were saved, bit for bit and in the same order, in the world that was
    /// saved with them and [restored](World::restore).
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a snapshot read from bytes that have been changed; whatever is returned can be used
    /// without a panic.
    ///
    /// ```
    /// use cullide_world::{ContactTracker, Object, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// for i in 0..3 {
    ///     world.insert(Object::moving(Sphere::new(Vec3::X * 1.9 * i as f32, 1.0)?));
    /// }
    /// let mut tracker = ContactTracker::new();
    /// tracker.update(&mut world, 0.1, 0.02);
    /// let mut other = World::restore(&world.snapshot())?;
    /// let mut others = ContactTracker::restore(&tracker.snapshot(&world), &other)?;
    /// assert_eq!(tracker.update(&mut world, 0.1, 0.02), others.update(&mut other, 0.1, 0.02));
    /// assert!(tracker.contacts().eq(others.contacts()) && others.contacts().count() == 2);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[cfg(feature = "serde")]
    pub fn restore(snapshot: &ContactTrackerSnapshot, world: &World) -> Result<Self, Error> {
        let inconsistent = Error::Inconsistent { field: "snapshot" };
        let ContactTrackerSnapshot { pairs, is_current, moving } = snapshot.clone();
        let cache = ContactCache::restore(world, pairs, is_current).ok_or(inconsistent)?;
        if !moving.is_sorted() {
            return Err(inconsistent);
        }
        Ok(Self { cache, moving, ..Self::default() })
    }
}

/// The state of a [`ContactTracker`] at one time: made by [`ContactTracker::snapshot`], for
/// [`ContactTracker::restore`].
///
/// It can be written in any serde format that preserves numbers exactly, beside the [snapshot](crate::World::snapshot)
/// of its world.
#[cfg(feature = "serde")]
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ContactTrackerSnapshot {
    pairs: Vec<Option<ContactPair>>,
    /// Whether the pairs were those of the world.
    is_current: bool,
    moving: Vec<ObjectKey>,
}
