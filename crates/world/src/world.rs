//! The world: its things, and how they come, change and go.

use crate::{
    Object, ObjectKey, PlaneKey, Shape, WorldPlane,
    proxies::{Grove, Proxies, Proxy},
};
use cullide_bvh::Leaf;
use cullide_narrowphase::{Plane, Sides};
use slotmap::{DefaultKey, SlotMap};
use std::hash::{BuildHasher, RandomState};

/// A scene of objects and infinite planes.
///
/// Edits take `&mut self`, queries `&self`: any number of threads may query at once. A query sees every edit before it.
#[derive(Clone, Debug)]
pub struct World {
    /// Drawn at random, so that a key of another world is known to be stale. Nothing else depends on it.
    id: u32,
    objects: SlotMap<DefaultKey, Entry>,
    planes: SlotMap<DefaultKey, WorldPlane>,
    proxies: Proxies,
}

#[derive(Clone, Debug)]
struct Entry {
    object: Object,
    proxy: Proxy,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world.
    ///
    /// ```
    /// # use cullide_world::World;
    /// assert_eq!(World::new().len(), 0);
    /// ```
    pub fn new() -> Self {
        let id = RandomState::new().hash_one(0) as u32;
        Self { id, objects: SlotMap::new(), planes: SlotMap::new(), proxies: Proxies::default() }
    }

    /// Adds an object.
    ///
    /// # Panics
    /// With 2^31 − 1 objects of one mobility already.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?).user(7));
    /// assert_eq!(world.object(key).unwrap().user, 7);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, object: Object) -> ObjectKey {
        let proxies = &mut self.proxies;
        let slot = self.objects.insert_with_key(|slot| {
            let proxy = proxies.insert(slot, &object.shape, object.mobility, object.layers);
            Entry { object, proxy }
        });
        ObjectKey::new(slot, self.id)
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
        let entry = self.objects.remove(key.slot(self.id)?)?;
        self.proxies.remove(entry.proxy);
        Some(entry.object)
    }

    /// An object; `None` for a stale key.
    pub fn object(&self, key: ObjectKey) -> Option<&Object> {
        Some(&self.objects.get(key.slot(self.id)?)?.object)
    }

    /// Gives an object another shape, or moves it, and returns the old shape; `None` for a stale key.
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
        let entry = self.objects.get_mut(key.slot(self.id)?)?;
        let shape = shape.into();
        self.proxies.set_shape(entry.proxy, &shape);
        Some(std::mem::replace(&mut entry.object.shape, shape))
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
        let entry = self.objects.get_mut(key.slot(self.id)?)?;
        self.proxies.set_layers(entry.proxy, layers);
        Some(std::mem::replace(&mut entry.object.layers, layers))
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
        let entry = self.planes.get_mut(key.slot(self.id)?)?;
        Some(std::mem::replace(&mut entry.plane, plane))
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
        self.proxies.rebuild();
    }

    /// The trees to ask, fixed objects first.
    pub(crate) fn groves(&self) -> [&Grove; 2] {
        self.proxies.groves()
    }

    /// The object behind a leaf.
    pub(crate) fn behind(&self, grove: &Grove, leaf: Leaf) -> (ObjectKey, &Object) {
        let slot = grove.key(leaf);
        (ObjectKey::new(slot, self.id), &self.objects[slot].object)
    }
}
