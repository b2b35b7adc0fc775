//! Inserts, removes and changes single objects.

use crate::{
    Mobility, Object, ObjectKey, ObjectMut, PlaneKey, Shape, World,
    scene::{
        proxies::ObjectProxies,
        slot_map::Slot,
        world::{Entry, Posed},
    },
};
use cullide_bvh::BroadphaseBody;
use cullide_narrowphase::{
    Error,
    glam::{Quat, Vec3},
};

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
        self.log_member(slot);
        ObjectKey::new(slot, self.id)
    }

    /// Adds an object at a pose: its own origin at the translation, as [`World::set_transform_batch`] puts it. That is what
    /// [`World::insert`] and [`ObjectMut::set_transform`] do, in one edit.
    ///
    /// # Errors
    /// As [`World::set_transform_batch`]; then nothing is added.
    ///
    /// # Panics
    /// If there are 2^30 − 1 objects already.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::{Aabb, Hull}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let roof = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
    /// let key = world.insert_at(Object::fixed(roof), Quat::IDENTITY, Vec3::X * 9.0)?;
    /// assert_eq!(world.object(key).unwrap().shape.aabb(), Aabb::new(Vec3::X * 9.0, Vec3::new(10.0, 1.0, 1.0))?);
    /// assert_eq!(world.object(key).unwrap().transform(), (Quat::IDENTITY, Vec3::X * 9.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert_at(&mut self, mut object: Object, rotation: Quat, translation: Vec3) -> Result<ObjectKey, Error> {
        let mut posed = Posed::new(&object.shape)?;
        let shape = posed.model.transformed(rotation, translation)?;
        let given = std::mem::replace(&mut object.shape, shape);
        let proxy = self.proxies.insert(&object);
        let shape = std::mem::replace(&mut object.shape, given);
        let mut entry = Entry { object, proxy, velocity_index: None, model: None, off: None };
        if entry.has_pose((rotation, translation), &shape) {
            self.proxies.set(proxy, &entry.object.shape.aabb());
        } else {
            (posed.rotation, posed.translation) = (rotation, translation);
            (entry.object.shape, entry.model) = (shape, Some(Box::new(posed)));
        }
        let slot = self.objects.insert(entry);
        self.log_member(slot);
        Ok(ObjectKey::new(slot, self.id))
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
    /// assert_eq!(*world.object(keys[2]).unwrap(), balls[2]);
    /// ```
    pub fn insert_batch(&mut self, objects: impl IntoIterator<Item = Object>) -> Vec<ObjectKey> {
        let objects: Vec<Object> = objects.into_iter().collect();
        let bodies: Vec<BroadphaseBody> = objects.iter().map(ObjectProxies::body).collect();
        let proxies = self.proxies.broadphase.insert_batch(&bodies);
        let mut slots = Vec::with_capacity(objects.len());
        for (object, proxy) in objects.into_iter().zip(proxies) {
            let entry = Entry { object, proxy, velocity_index: None, model: None, off: None };
            slots.push(self.objects.insert(entry));
        }
        // By now, all of them are in the trees.
        slots.iter().for_each(|&slot| self.log_member(slot));
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
        self.log_member(slot);
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
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
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

    /// Gives the object in a valid slot another shape, with the model that it was posed from, and returns the old one;
    /// the caller gives it the new box in the trees.
    pub(crate) fn exchange_shape(&mut self, slot: Slot, shape: Shape, model: Option<Box<Posed>>) -> Shape {
        let entry = &mut self.objects[slot];
        entry.model = model;
        let old = std::mem::replace(&mut entry.object.shape, shape);
        self.log_moved(slot, &old);
        old
    }
}

impl ObjectMut<'_> {
    /// Gives the object another shape, in world coordinates, and returns the old one. From then on, its
    /// [pose](crate::ObjectRef::transform) is that of the new shape: a box or a ball is where its centre is.
    /// [`ObjectMut::set_model`] keeps the pose. A rigid body that becomes a mesh or a terrain is no longer a rigid body
    /// from the next step on.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let (here, there) = (Aabb::new(Vec3::ZERO, Vec3::ONE)?, Aabb::new(Vec3::ONE, Vec3::splat(2.0))?);
    /// let key = world.insert(Object::moving(here));
    /// assert_eq!(world.object_mut(key).unwrap().set_shape(there), here.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_shape(&mut self, shape: impl Into<Shape>) -> Shape {
        let (entry, shape) = (self.entry(), shape.into());
        if entry.object.shape == shape {
            return shape;
        }
        let proxy = entry.proxy;
        self.world.proxies.set(proxy, &shape.aabb());
        self.world.exchange_shape(self.slot, shape, None)
    }

    /// Puts the object into other layers and returns the old layers.
    pub fn set_layers(&mut self, layers: u32) -> u32 {
        self.set_masks(|known_layers, _| std::mem::replace(known_layers, layers))
    }

    /// Lets the object pair with other layers and returns the old layers: see [`World::update_pairs`].
    pub fn set_pairs_with(&mut self, layers: u32) -> u32 {
        self.set_masks(|_, pairs_with| std::mem::replace(pairs_with, layers))
    }

    /// Changes its layers, and those that it pairs with; for one that is off, those that it will have.
    fn set_masks(&mut self, set: impl FnOnce(&mut u32, &mut u32) -> u32) -> u32 {
        let World { objects, proxies, .. } = &mut *self.world;
        let entry = &mut objects[self.slot];
        if let Some((layers, pairs_with)) = &mut entry.off {
            return set(layers, pairs_with);
        }
        let object = &mut entry.object;
        let had = (object.layers, object.pairs_with);
        let old = set(&mut object.layers, &mut object.pairs_with);
        if had != (object.layers, object.pairs_with) {
            proxies.set_layers(entry.proxy, object.layers, object.pairs_with);
            self.world.log_meeting(self.slot);
        }
        old
    }

    /// Makes the object fixed or moving and returns what it was. No query's answer changes, unless its filter selects by
    /// mobility; pairs of two fixed objects end.
    ///
    /// ```
    /// # use cullide_world::{Mobility, Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!(world.object_mut(key).unwrap().set_mobility(Mobility::Fixed), Mobility::Moving);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_mobility(&mut self, mobility: Mobility) -> Mobility {
        let World { objects, proxies, .. } = &mut *self.world;
        let entry = &mut objects[self.slot];
        let old = std::mem::replace(&mut entry.object.mobility, mobility);
        if old != mobility
            && let Some(proxy) = proxies.set_mobility(entry.proxy, mobility)
        {
            objects.rebind(self.slot, proxy);
            self.world.edits.count_member();
            self.world.log_meeting(self.slot);
        }
        old
    }

    /// Replaces the caller's number of the object and returns the old one.
    pub fn set_user(&mut self, user: u64) -> u64 {
        std::mem::replace(&mut self.world.objects[self.slot].object.user, user)
    }
}
