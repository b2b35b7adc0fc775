//! Inserts, removes and changes single objects.

use crate::{
    Mobility, Object, ObjectKey, PlaneKey, Shape, World,
    scene::{
        proxies::Proxies,
        slot_map::Slot,
        world::{Entry, Posed},
    },
};
use cullide_bvh::BoxBody;

impl World {
    /// Reserves room for `additional` more fixed or moving objects. An insertion for which there is no room copies the
    /// tree to twice as much memory: this is rare, but takes a millisecond or two at 60,000 objects.
    ///
    /// ```
    /// # use cullide_world::{Mobility, World};
    /// let mut world = World::new();
    /// world.reserve(Mobility::Moving, 100_000);
    /// assert!(world.is_empty());
    /// ```
    pub fn reserve(&mut self, mobility: Mobility, additional: usize) {
        self.proxies.broadphase.reserve(mobility, additional);
    }

    /// Adds an object.
    ///
    /// # Panics
    /// If there are 2^30 − 1 objects already.
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
        let entry = Entry { object, proxy, velocity_index: None, model: None, off: None };
        let slot = self.objects.insert(entry);
        self.log_object(slot);
        ObjectKey::new(slot, self.id)
    }

    /// Adds many objects, such as those of a level: as [`World::insert`] of each, in order, and several times as fast.
    ///
    /// # Panics
    /// If there would be more than 2^30 − 1 objects in all.
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
        let bodies: Vec<BoxBody> = objects.iter().map(Proxies::body).collect();
        let proxies = self.proxies.broadphase.insert_batch(&bodies);
        let mut slots = Vec::with_capacity(objects.len());
        for (object, proxy) in objects.into_iter().zip(proxies) {
            let entry = Entry { object, proxy, velocity_index: None, model: None, off: None };
            slots.push(self.objects.insert(entry));
        }
        // By now, all of them are in the trees.
        slots.iter().for_each(|&slot| self.log_object(slot));
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
        self.log_object(slot);
        let entry = self.objects.remove(slot)?;
        self.proxies.remove(entry.proxy);
        let Some((layers, pairs_with)) = entry.off else { return Some(entry.object) };
        self.off -= 1;
        Some(Object { layers, pairs_with, ..entry.object })
    }

    /// Removes all objects and planes. Their keys become stale and are not given out again.
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
        self.log_everywhere();
        let keys: Vec<ObjectKey> = self.objects().map(|(key, _)| key).collect();
        for key in keys {
            self.remove(key);
        }
        let keys: Vec<PlaneKey> = self.planes().map(|(key, _)| key).collect();
        for key in keys {
            self.remove_plane(key);
        }
    }

    /// Gives an object another shape, in world coordinates, and returns the old one; `None` for a stale key. From then
    /// on, its [pose](World::transform) is that of the new shape: a box or a ball is where its centre is.
    /// [`World::set_model`] keeps the pose. A rigid body
    /// that becomes a mesh or a terrain is no longer a rigid body from the next step on.
    ///
    /// The shape that it has already is no edit: it keeps its pose, and nobody wakes. The other setters likewise leave
    /// alone what is already as they would make it, so that an engine may write all that it knows in every frame.
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
        let (slot, shape) = (key.slot(self.id)?, shape.into());
        let entry = self.objects.get(slot)?;
        if entry.object.shape == shape {
            return Some(shape);
        }
        self.proxies.set(entry.proxy, &shape.aabb());
        Some(self.exchange_shape(slot, shape, None))
    }

    /// Gives the object in a valid slot another shape, with the model that it was posed from, and returns the old one;
    /// the caller gives it the new box in the trees.
    pub(crate) fn exchange_shape(&mut self, slot: Slot, shape: Shape, model: Option<Box<Posed>>) -> Shape {
        let entry = &mut self.objects[slot];
        entry.model = model;
        let old = std::mem::replace(&mut entry.object.shape, shape);
        self.log_moved(slot, &old);
        old
    }

    /// Puts an object into other layers and returns the old layers; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?).layers(0b01));
    /// assert_eq!(world.set_layers(key, 0b10), Some(0b01));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_layers(&mut self, key: ObjectKey, layers: u32) -> Option<u32> {
        let slot = key.slot(self.id)?;
        if self.objects.get(slot)?.off.is_some() {
            let (known, _) = self.objects.get_mut(slot)?.off.as_mut()?;
            return Some(std::mem::replace(known, layers));
        }
        let had = self.objects.get(slot)?.object.layers;
        if had != layers {
            self.log_meeting(slot);
            let entry = self.objects.get_mut(slot)?;
            self.proxies.set_layers(entry.proxy, layers, entry.object.pairs_with);
            entry.object.layers = layers;
        }
        Some(had)
    }

    /// Lets an object pair with other layers and returns the old layers; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?).pairs_with(0b01));
    /// assert_eq!(world.set_pairs_with(key, 0b10), Some(0b01));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_pairs_with(&mut self, key: ObjectKey, layers: u32) -> Option<u32> {
        let slot = key.slot(self.id)?;
        if self.objects.get(slot)?.off.is_some() {
            let (_, known) = self.objects.get_mut(slot)?.off.as_mut()?;
            return Some(std::mem::replace(known, layers));
        }
        let had = self.objects.get(slot)?.object.pairs_with;
        if had != layers {
            self.log_meeting(slot);
            let entry = self.objects.get_mut(slot)?;
            self.proxies.set_layers(entry.proxy, entry.object.layers, layers);
            entry.object.pairs_with = layers;
        }
        Some(had)
    }

    /// Makes an object fixed or moving and returns what it was; `None` for a stale key. No query's answer changes,
    /// unless its filter selects by mobility; pairs of two fixed objects end.
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
        let old = std::mem::replace(&mut entry.object.mobility, mobility);
        if old != mobility {
            let proxy = self.proxies.set_mobility(entry.proxy, mobility)?;
            self.objects.rebind(slot, proxy);
            self.log_meeting(slot);
        }
        Some(old)
    }

    /// Replaces the caller's number of an object and returns the old one; `None` for a stale key.
    pub fn set_user(&mut self, key: ObjectKey, user: u64) -> Option<u64> {
        let entry = self.objects.get_mut(key.slot(self.id)?)?;
        Some(std::mem::replace(&mut entry.object.user, user))
    }
}
