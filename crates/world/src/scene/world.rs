//! The world: its things, and how they come, change and go.

use crate::{
    Filter, Mobility, Object, ObjectKey, PlaneKey, Shape, StepConfig, WorldPlane, scene::motion::ObjectVelocity,
    scene::objects::Objects, scene::planes::Planes, scene::proxies::Proxies, scene::slot_map::Slot,
    simulation::body_state::BodyState, simulation::contacts::ContactHistory, simulation::pairs::PairHistory,
    simulation::wake::Resting,
};
use cullide_bvh::{Body as BroadphaseBody, Bvh, Leaf, Proxy};
use cullide_narrowphase::{
    Aabb, Error, Plane, Sides,
    glam::{Quat, Vec3},
};
use std::hash::{BuildHasher, RandomState};

/// A scene of objects and infinite planes.
///
/// Edits take `&mut self`, queries `&self`: any number of threads may query at once. A query sees every edit before it.
///
/// A clone answers all questions alike, takes the same keys, and after the same calls is the same world still, new keys included:
/// [`World::hash`] and `==` tell. Once the two are edited differently, a key that one of them gave out since names nothing, or something
/// else, in the other.
///
/// A clone shares with the world it was made of what is fixed, for as long as neither changes that: it costs what the moving objects do, and
/// some nanoseconds for a hundred fixed ones. The first edit of a fixed object after it copies the tree of the fixed objects; edits of moving
/// ones and steps copy nothing that is fixed.
#[derive(Clone, Debug)]
pub struct World {
    /// In every key, so that one of another world is known to be stale. Nothing else depends on it.
    pub(crate) id: u32,
    pub(crate) objects: Objects,
    pub(crate) planes: Planes,
    pub(crate) proxies: Proxies,
    /// Objects with a velocity.
    pub(crate) velocities: Vec<ObjectVelocity>,
    /// What [`World::step`] moves, ordered by key.
    pub(crate) bodies: Vec<BodyState>,
    /// How many moving objects are no bodies.
    pub(crate) carriers: usize,
    pub(crate) resting: Resting,
    pub(crate) contact_history: ContactHistory,
    /// The settings of the last step; `None` when what bodies may meet was edited since.
    pub(crate) settings: Option<(f32, StepConfig)>,
    /// Boxes on their way to the broad phase, kept for their memory.
    pub(crate) moved_aabbs: Vec<(Proxy, Aabb)>,
    /// Shapes on their way to their objects, kept for their memory.
    pub(crate) pending_shapes: Vec<(Slot, Shape, Quat, Vec3)>,
    /// The events of the last update.
    pub(crate) pair_history: PairHistory,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) object: Object,
    pub(crate) proxy: Proxy,
    /// Its place among the courses, if it has a velocity.
    pub(crate) velocity_index: Option<usize>,
    /// What [`World::set_transform_batch`] starts from; `None` before the first since a shape was given.
    pub(crate) model: Option<Box<Posed>>,
    /// Whether it is among the bodies.
    pub(crate) is_body: bool,
}

impl Entry {
    /// Whether it moves, and bodies meet it all the same: it is none itself.
    pub(crate) fn is_carrier(&self) -> bool {
        self.object.mobility == Mobility::Moving && !self.is_body
    }
}

/// The shape that an object was given, about its own origin, and where it was put last.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Posed {
    pub(crate) model: Shape,
    pub(crate) rotation: Quat,
    pub(crate) translation: Vec3,
}

impl Posed {
    /// A shape where it was given.
    pub(crate) fn new(shape: &Shape) -> Result<Self, Error> {
        let (rotation, translation) = shape.own_pose();
        Ok(Self { model: shape.model()?, rotation, translation })
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world, with a tag drawn at random: keys of two such worlds are told apart, but for a chance of 1 in 2^32.
    ///
    /// ```
    /// # use cullide_world::World;
    /// assert_eq!(World::new().len(), 0);
    /// ```
    pub fn new() -> Self {
        Self::with_tag(RandomState::new().hash_one(0) as u32)
    }

    /// An empty world with a tag of the caller's, which is a part of all its keys: after the same calls, worlds with the same tag have the
    /// same keys, and snapshots of the same bytes, on any machine. They also take each other's keys: so of the worlds within one program
    /// each should have a tag of its own.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let [mut host, mut guest] = [World::with_tag(1), World::with_tag(1)];
    /// let ball = Object::moving(Sphere::new(Vec3::ZERO, 1.0)?);
    /// assert_eq!(host.insert(ball.clone()), guest.insert(ball));
    /// assert_eq!(host, guest);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn with_tag(tag: u32) -> Self {
        Self {
            id: tag,
            objects: Objects::default(),
            planes: Planes::default(),
            proxies: Proxies::default(),
            velocities: Vec::new(),
            bodies: Vec::new(),
            carriers: 0,
            resting: Resting::default(),
            contact_history: ContactHistory::default(),
            settings: None,
            moved_aabbs: Vec::new(),
            pending_shapes: Vec::new(),
            pair_history: PairHistory::default(),
        }
    }

    /// Adds an object.
    ///
    /// # Panics
    /// With 2^30 − 1 objects already.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?).user(7));
    /// assert_eq!(world.object(key).unwrap().user, 7);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, object: Object) -> ObjectKey {
        let proxy = self.proxies.insert(&object);
        let entry = Entry { object, proxy, velocity_index: None, model: None, is_body: false };
        self.carriers += usize::from(entry.is_carrier());
        let slot = self.objects.insert(entry);
        self.wake_near_object(slot);
        ObjectKey::new(slot, self.id)
    }

    /// Adds many objects, as a level has them: as [`World::insert`] of each, in order, and several times as fast.
    ///
    /// # Panics
    /// With more than 2^30 − 1 objects in all.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let balls = [1.0, 2.0, 3.0].map(|radius| Object::fixed(Sphere::new(Vec3::ZERO, radius).unwrap()));
    /// let keys = world.insert_batch(balls.clone());
    /// assert_eq!(world.object(keys[2]), Some(&balls[2]));
    /// ```
    pub fn insert_batch(&mut self, objects: impl IntoIterator<Item = Object>) -> Vec<ObjectKey> {
        let objects: Vec<Object> = objects.into_iter().collect();
        let bodies: Vec<BroadphaseBody> = objects.iter().map(Proxies::body).collect();
        let proxies = self.proxies.broadphase.insert_all(&bodies);
        let mut slots = Vec::with_capacity(objects.len());
        for (object, proxy) in objects.into_iter().zip(proxies) {
            let entry = Entry { object, proxy, velocity_index: None, model: None, is_body: false };
            self.carriers += usize::from(entry.is_carrier());
            slots.push(self.objects.insert(entry));
        }
        // All of them are in the trees.
        slots.iter().for_each(|&slot| self.wake_near_object(slot));
        slots.into_iter().map(|slot| ObjectKey::new(slot, self.id)).collect()
    }

    /// Removes an object and returns it; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert!(world.remove(key).is_some() && world.remove(key).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn remove(&mut self, key: ObjectKey) -> Option<Object> {
        let slot = key.slot(self.id)?;
        self.rest(slot);
        self.wake_near_object(slot);
        self.forget_body(slot);
        let entry = self.objects.remove(slot)?;
        self.proxies.remove(entry.proxy);
        self.carriers -= usize::from(entry.is_carrier());
        Some(entry.object)
    }

    /// Removes all objects and planes. Their keys are stale, and not given out again.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::{Aabb, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// world.clear();
    /// assert!(world.is_empty() && world.object(key).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn clear(&mut self) {
        self.wake_all();
        self.bodies.clear();
        self.resting = Resting::default();
        let keys: Vec<ObjectKey> = self.objects().map(|(key, _)| key).collect();
        for key in keys {
            self.remove(key);
        }
        let keys: Vec<PlaneKey> = self.planes().map(|(key, _)| key).collect();
        for key in keys {
            self.remove_plane(key);
        }
    }

    /// The key of an object by its [bits](ObjectKey::to_bits), such as an engine keeps in a component; `None` when no object of this world
    /// has that key now.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!(world.key_from_bits(key.to_bits()), Some(key));
    /// world.remove(key);
    /// assert_eq!(world.key_from_bits(key.to_bits()), None);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn key_from_bits(&self, bits: u64) -> Option<ObjectKey> {
        let key = ObjectKey::from_bits(bits, self.id);
        self.object(key).filter(|_| key.to_bits() == bits)?;
        Some(key)
    }

    /// An object; `None` for a stale key.
    pub fn object(&self, key: ObjectKey) -> Option<&Object> {
        Some(&self.objects.get(key.slot(self.id)?)?.object)
    }

    /// Gives an object another shape, in the coordinates of the world, and returns the old one; `None` for a stale key. Its
    /// [pose](World::transform) is from then on what this shape says: a box or a ball is where its centre is.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let (here, there) = (Aabb::new(Vec3::ZERO, Vec3::ONE)?, Aabb::new(Vec3::ONE, Vec3::splat(2.0))?);
    /// let key = world.insert(Object::moving(here));
    /// assert_eq!(world.set_shape(key, there), Some(here.into()));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_shape(&mut self, key: ObjectKey, shape: impl Into<Shape>) -> Option<Shape> {
        let slot = key.slot(self.id)?;
        let entry = self.objects.get_mut(slot)?;
        let shape = shape.into();
        self.proxies.set(entry.proxy, &shape.aabb());
        entry.model = None;
        let old = std::mem::replace(&mut entry.object.shape, shape);
        self.wake_near_moved(slot, &old.aabb());
        Some(old)
    }

    /// Puts an object into other layers and returns the old ones; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?).layers(0b01));
    /// assert_eq!(world.set_layers(key, 0b10), Some(0b01));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_layers(&mut self, key: ObjectKey, layers: u32) -> Option<u32> {
        self.wake_all();
        let entry = self.objects.get_mut(key.slot(self.id)?)?;
        self.proxies.set_layers(entry.proxy, layers, entry.object.pairs_with);
        Some(std::mem::replace(&mut entry.object.layers, layers))
    }

    /// Lets an object pair with other layers and returns the old ones; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?).pairs_with(0b01));
    /// assert_eq!(world.set_pairs_with(key, 0b10), Some(0b01));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_pairs_with(&mut self, key: ObjectKey, layers: u32) -> Option<u32> {
        self.wake_all();
        let entry = self.objects.get_mut(key.slot(self.id)?)?;
        self.proxies.set_layers(entry.proxy, entry.object.layers, layers);
        Some(std::mem::replace(&mut entry.object.pairs_with, layers))
    }

    /// Makes an object fixed or moving and returns what it was; `None` for a stale key. No query's answer changes; pairs of two fixed
    /// objects end.
    ///
    /// ```
    /// # use cullide_world::{Mobility, Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!(world.set_mobility(key, Mobility::Fixed), Some(Mobility::Moving));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_mobility(&mut self, key: ObjectKey, mobility: Mobility) -> Option<Mobility> {
        let slot = key.slot(self.id)?;
        let entry = self.objects.get_mut(slot)?;
        self.carriers -= usize::from(entry.is_carrier());
        let old = std::mem::replace(&mut entry.object.mobility, mobility);
        self.carriers += usize::from(entry.is_carrier());
        if old != mobility {
            let proxy = self.proxies.set_mobility(entry.proxy, mobility)?;
            self.objects.rename(slot, proxy);
            self.wake_all();
        }
        Some(old)
    }

    /// Gives an object another number of the caller's and returns the old one; `None` for a stale key.
    pub fn set_user(&mut self, key: ObjectKey, user: u64) -> Option<u64> {
        let entry = self.objects.get_mut(key.slot(self.id)?)?;
        Some(std::mem::replace(&mut entry.object.user, user))
    }

    /// Adds the solid half-space behind `plane`: its front is free.
    ///
    /// ```
    /// # use cullide_world::{World, narrowphase::Plane, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// assert_eq!(world.plane(floor).unwrap().layers, 0b1);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert_plane(&mut self, plane: Plane, layers: u32) -> PlaneKey {
        self.add_plane(WorldPlane { plane, sides: Sides::Front, layers })
    }

    /// Adds an infinite thin wall that holds from both sides.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Plane, Ray}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_wall(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// assert!(world.cast_ray(&Ray::new(Vec3::NEG_Y, Vec3::Y)?, 9.0, &Filter::ALL).is_some());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert_wall(&mut self, plane: Plane, layers: u32) -> PlaneKey {
        self.add_plane(WorldPlane { plane, sides: Sides::Both, layers })
    }

    fn add_plane(&mut self, plane: WorldPlane) -> PlaneKey {
        self.wake_all();
        PlaneKey::new(self.planes.insert(plane), self.id)
    }

    /// Removes a plane and returns it; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{World, narrowphase::Plane, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// assert!(world.remove_plane(floor).is_some() && world.plane(floor).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn remove_plane(&mut self, key: PlaneKey) -> Option<WorldPlane> {
        self.wake_all();
        self.planes.remove(key.slot(self.id)?)
    }

    /// A plane; `None` for a stale key.
    pub fn plane(&self, key: PlaneKey) -> Option<&WorldPlane> {
        self.planes.get(key.slot(self.id)?)
    }

    /// Moves or changes a plane and returns the old one; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{World, narrowphase::Plane, glam::Vec3};
    /// let mut world = World::new();
    /// let lift = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// world.set_plane(lift, Plane::new(Vec3::Y, -2.0)?);
    /// assert_eq!(world.plane(lift).unwrap().plane.d(), -2.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_plane(&mut self, key: PlaneKey, plane: Plane) -> Option<Plane> {
        self.wake_all();
        Some(self.planes.set(key.slot(self.id)?, plane)?.plane)
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are neither objects nor planes.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.planes.is_empty()
    }

    /// All objects, in the order of their keys.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!(world.objects().map(|(key, _)| key).collect::<Vec<_>>(), [key]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn objects(&self) -> impl Iterator<Item = (ObjectKey, &Object)> {
        self.objects.iter().map(|(slot, entry)| (ObjectKey::new(slot, self.id), &entry.object))
    }

    /// All planes, in the order of their keys.
    pub fn planes(&self) -> impl Iterator<Item = (PlaneKey, &WorldPlane)> {
        self.planes.iter().map(|(slot, plane)| (PlaneKey::new(slot, self.id), plane))
    }

    /// Builds the trees anew, for the fastest queries: worth it once after a level was loaded object by object. No answer changes.
    ///
    /// ```
    /// # use cullide_world::World;
    /// World::new().optimize();
    /// ```
    pub fn optimize(&mut self) {
        self.proxies.broadphase.rebuild();
    }

    /// The trees that hold objects a filter may accept, fixed objects first.
    pub(crate) fn trees(&self, filter: &Filter) -> impl Iterator<Item = &Bvh> {
        let trees = [Mobility::Fixed, Mobility::Moving].into_iter().zip(self.proxies.trees());
        trees.filter(|(mobility, tree)| filter.accepts_mobility(*mobility) && !tree.is_empty()).map(|(_, tree)| tree)
    }

    /// The object behind a leaf of either tree.
    #[inline(always)]
    pub(crate) fn keyed_object(&self, leaf: Leaf) -> (ObjectKey, &Object) {
        let (slot, entry) = self.objects.entry_of(leaf.into());
        (ObjectKey::new(slot, self.id), &entry.object)
    }

    pub(crate) fn plane_key(&self, slot: Slot) -> PlaneKey {
        PlaneKey::new(slot, self.id)
    }

    #[inline(always)]
    pub(crate) fn key_of_leaf(&self, leaf: Leaf) -> ObjectKey {
        ObjectKey::new(self.objects.slot_of(leaf.into()), self.id)
    }

    #[inline(always)]
    pub(crate) fn object_of_leaf(&self, leaf: Leaf) -> &Object {
        self.keyed_object(leaf).1
    }
}
