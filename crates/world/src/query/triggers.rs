//! What enters and leaves volumes of the world.

use crate::{Filter, ObjectKey, Target, World, scene::hash::Words};

/// Volumes that tell what enters and leaves them: characters, kinematic and rigid bodies, and whatever else is an object
/// of the world, however it is moved.
///
/// A volume is an object, of any shape and fixed or moving. In no layer, it is in nobody's way.
///
/// ```
/// use cullide_world::{Character, Filter, Mover, Object, Triggers, World, glam::Vec3};
/// use cullide_world::narrowphase::{Aabb, Capsule, Plane};
/// const HEROES: u32 = 1 << 1;
/// let mut world = World::new();
/// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
/// let gate = Aabb::new(Vec3::new(1.01, 0.0, -1.0), Vec3::new(1.99, 2.0, 1.0))?;
/// let gate = world.insert(Object::fixed(gate).layers(0));
/// let body = Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3)?;
/// let mut hero = Character::new(body);
/// let own = world.insert(Object::moving(body).layers(HEROES));
/// hero.object = Some(own);
///
/// let mut triggers = Triggers::new();
/// triggers.watch(gate, HEROES);
/// let (mut entered, mut left) = (vec![], vec![]);
/// for frame in 0..90 {
///     hero.velocity = Vec3::X * 2.0;
///     Mover::default().walk(&world, &mut hero, 1.0 / 60.0, &Filter::ALL)?;
///     hero.place(&mut world);
///     triggers.update(&world, &Filter::ALL);
///     entered.extend(triggers.entered().iter().map(|pair| (frame, *pair)));
///     left.extend(triggers.left().iter().map(|pair| (frame, *pair)));
/// }
/// // It walks from 0 to 3, and reaches 0.3 farther.
/// assert_eq!((entered, left), (vec![(21, (gate, own))], vec![(68, (gate, own))]));
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "Saved", into = "Saved"))]
pub struct Triggers {
    /// The volumes, ordered by key, and the layers in which each watches.
    watched: Vec<(ObjectKey, u32)>,
    /// The volumes with what is in them, in order.
    inside: Vec<(ObjectKey, ObjectKey)>,
    entered: Vec<(ObjectKey, ObjectKey)>,
    left: Vec<(ObjectKey, ObjectKey)>,
    /// Kept for their memory.
    before: Vec<(ObjectKey, ObjectKey)>,
    near: Vec<Target>,
}

impl Triggers {
    /// Returns triggers without a volume.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an object a volume that watches objects in these layers, from the next update on, and returns those in which
    /// it watched before; `None` if it is a new one.
    pub fn watch(&mut self, volume: ObjectKey, layers: u32) -> Option<u32> {
        match self.place(volume) {
            Ok(at) => Some(std::mem::replace(&mut self.watched[at].1, layers)),
            Err(at) => {
                self.watched.insert(at, (volume, layers));
                None
            }
        }
    }

    /// Makes a volume an object like others, and returns the layers in which it watched; `None` if it was none. With
    /// the next update, what is in it leaves it.
    pub fn unwatch(&mut self, volume: ObjectKey) -> Option<u32> {
        self.place(volume).ok().map(|at| self.watched.remove(at).1)
    }

    /// Finds out what of that which the filter accepts is in the volumes now, which is what shares a point with them,
    /// and what has entered and left them since the last update. Call this once per frame, after everything has moved.
    ///
    /// What passes through a volume from one update to the next is not found: make volumes as thick as the path of the
    /// fastest between two updates. A volume that is [off](crate::ObjectMut::set_enabled) is empty, and one that
    /// was removed is no longer watched. In a world of another
    /// [tag](World::with_tag) than the last, all of them are gone.
    pub fn update(&mut self, world: &World, filter: &Filter) {
        std::mem::swap(&mut self.inside, &mut self.before);
        self.inside.clear();
        self.watched.retain(|(volume, _)| world.object(*volume).is_some());
        for &(volume, layers) in &self.watched {
            let Some(object) = world.object(volume).filter(|object| object.is_enabled()) else {
                continue;
            };
            self.near.clear();
            world.overlap(&object.shape, &filter.clone().among(layers), &mut self.near);
            let others = self.near.iter().filter_map(|near| near.object()).filter(|key| *key != volume);
            self.inside.extend(others.map(|key| (volume, key)));
        }
        let missing = |from: &[(ObjectKey, ObjectKey)], list: &mut Vec<_>, of: &[(ObjectKey, ObjectKey)]| {
            list.clear();
            list.extend(of.iter().filter(|pair| from.binary_search(pair).is_err()));
        };
        missing(&self.before, &mut self.entered, &self.inside);
        missing(&self.inside, &mut self.left, &self.before);
    }

    /// The volumes, each with what had entered it by the last update and not by the one before; ordered by the keys of
    /// both.
    pub fn entered(&self) -> &[(ObjectKey, ObjectKey)] {
        &self.entered
    }

    /// The volumes, each with what had left it by the last update; ordered by the keys of both, which may have been
    /// removed.
    pub fn left(&self) -> &[(ObjectKey, ObjectKey)] {
        &self.left
    }

    /// Returns what was in a volume at the last update, ordered by key.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Triggers, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let [pool, first, second] = [4.0, 1.0, 1.0].map(|r| world.insert(Object::moving(Sphere::new(Vec3::ZERO, r).unwrap())));
    /// let mut triggers = Triggers::new();
    /// triggers.watch(pool, u32::MAX);
    /// triggers.update(&world, &Filter::ALL.moving_only());
    /// world.remove(first);
    /// triggers.update(&world, &Filter::ALL.moving_only());
    /// assert_eq!((triggers.left(), triggers.inside(pool).collect::<Vec<_>>()), (&[(pool, first)][..], vec![second]));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn inside(&self, volume: ObjectKey) -> impl Iterator<Item = ObjectKey> {
        let first = self.inside.partition_point(|pair| pair.0 < volume);
        self.inside[first..].iter().take_while(move |pair| pair.0 == volume).map(|pair| pair.1)
    }

    /// Adds what the next update starts from.
    pub(crate) fn add_to(&self, words: &mut impl Words) {
        words.add((self.watched.len() as u64) << 32 | self.inside.len() as u64);
        for (volume, layers) in &self.watched {
            words.add(volume.to_bits());
            words.add((*layers).into());
        }
        for (volume, key) in &self.inside {
            words.add(volume.to_bits());
            words.add(key.to_bits());
        }
    }

    fn place(&self, volume: ObjectKey) -> Result<usize, usize> {
        self.watched.binary_search_by_key(&volume, |(key, _)| *key)
    }
}

/// What the next update starts from.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Triggers")]
struct Saved {
    watched: Vec<(ObjectKey, u32)>,
    inside: Vec<(ObjectKey, ObjectKey)>,
}

#[cfg(feature = "serde")]
impl From<Saved> for Triggers {
    /// Any lists are some that there may have been, once they are in order.
    fn from(Saved { mut watched, mut inside }: Saved) -> Self {
        watched.sort_unstable();
        watched.dedup_by_key(|(volume, _)| *volume);
        inside.sort_unstable();
        inside.dedup();
        Self { watched, inside, ..Self::default() }
    }
}

#[cfg(feature = "serde")]
impl From<Triggers> for Saved {
    fn from(Triggers { watched, inside, .. }: Triggers) -> Self {
        Self { watched, inside }
    }
}
