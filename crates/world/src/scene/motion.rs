//! Moving objects: velocities, poses, and changes of many at once.

use crate::{
    ObjectKey, ObjectMut, Shape, World,
    scene::{
        slot_map::Slot,
        world::{Entry, Posed},
    },
};
#[cfg(feature = "dynamics")]
use cullide_narrowphase::glam::DQuat;
use cullide_narrowphase::{
    Aabb, Error, MAX_COORDINATE,
    glam::{Quat, Vec3},
};
#[cfg(feature = "dynamics")]
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// An object with a velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectVelocity {
    slot: Slot,
    pub(crate) velocity: Vec3,
}

impl ObjectMut<'_> {
    /// Sets the velocity of the object, in units per second, and returns the previous one: zero at first.
    ///
    /// The velocity stretches the object's box in [`World::update_pairs`]; it moves nothing, except a body of a
    /// [`BoxStepper`](crate::BoxStepper), whose next step starts from it. For a rigid body, set the velocity in
    /// [`Dynamics`](crate::Dynamics) instead; it is copied here after each step.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for a velocity that is not finite.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert_eq!(world.object_mut(ball).unwrap().set_velocity(Vec3::X)?, Vec3::ZERO);
    /// assert_eq!(world.object(ball).unwrap().velocity(), Vec3::X);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_velocity(&mut self, velocity: Vec3) -> Result<Vec3, Error> {
        if !velocity.is_finite() {
            return Err(Error::NonFinite { field: "velocity" });
        }
        let old = self.as_ref().velocity();
        self.world.set_object_velocity(self.slot, velocity);
        Ok(old)
    }

    /// Gives the object a pose as [`World::set_transform_batch`] does, and returns the previous one.
    ///
    /// # Errors
    /// As [`World::set_transform_batch`]; then the object has not moved.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let key = world.insert(Object::moving(Sphere::new(Vec3::X * 10.0, 1.0)?));
    /// let mut ball = world.object_mut(key).unwrap();
    /// assert_eq!(ball.set_transform(Quat::IDENTITY, Vec3::X * 5.0)?, (Quat::IDENTITY, Vec3::X * 10.0));
    /// assert_eq!(ball.shape, Sphere::new(Vec3::X * 5.0, 1.0)?.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_transform(&mut self, rotation: Quat, translation: Vec3) -> Result<(Quat, Vec3), Error> {
        let old = self.entry().pose();
        self.world.set_transform_batch(&[(self.key(), rotation, translation)])?;
        Ok(old)
    }
}

impl World {
    /// Sets the velocity of the object in a valid slot.
    pub(crate) fn set_object_velocity(&mut self, slot: Slot, velocity: Vec3) {
        match self.objects[slot].velocity_index {
            Some(velocity_index) if velocity != Vec3::ZERO => self.velocities[velocity_index].velocity = velocity,
            None if velocity != Vec3::ZERO => {
                self.objects[slot].velocity_index = Some(self.velocities.len());
                self.velocities.push(ObjectVelocity { slot, velocity });
            }
            _ => self.rest(slot),
        }
    }

    /// The velocity of an object.
    pub(crate) fn velocity_of(&self, entry: &Entry) -> Vec3 {
        entry.velocity_index.map_or(Vec3::ZERO, |velocity_index| self.velocities[velocity_index].velocity)
    }

    /// Removes an object's velocity, if it has one.
    pub(crate) fn rest(&mut self, slot: Slot) {
        let Some(entry) = self.objects.get(slot).filter(|entry| entry.velocity_index.is_some()) else { return };
        self.proxies.set(entry.proxy, &entry.object.shape.aabb());
        self.rest_serial = self.rest_serial.wrapping_add(1);
        self.forget_velocity(slot);
    }

    /// The same, if its box in the trees is to stay.
    fn forget_velocity(&mut self, slot: Slot) {
        let Some(entry) = self.objects.get_mut(slot) else { return };
        let Some(velocity_index) = entry.velocity_index.take() else { return };
        self.velocities.swap_remove(velocity_index);
        // The last one has taken its place.
        if let Some(state) = self.velocities.get(velocity_index) {
            self.objects[state.slot].velocity_index = Some(velocity_index);
        }
    }

    /// Stretches the boxes of objects with a velocity over the next `dt` seconds.
    pub(crate) fn predict_aabbs(&mut self, dt: f32) {
        let objects = &self.objects;
        self.moved_aabbs.clear();
        self.moved_aabbs.extend(self.velocities.iter().map(|state| {
            let entry = &objects[state.slot];
            let aabb = entry.object.shape.aabb();
            let swept = aabb.swept(state.velocity * dt);
            (entry.proxy, swept.unwrap_or_else(|| to_the_end(&aabb, state.velocity)))
        }));
        self.proxies.broadphase.set_batch(&self.moved_aabbs);
    }

    /// Moves moving objects, each at most once. Each comes with a function that moves its shape, with its rotation
    /// where the shape does not show it, with its velocity, and with the box in the trees that was made to cover where
    /// it may get. It gets another box only if that one does not contain it.
    #[cfg(feature = "dynamics")]
    pub(crate) fn place_bodies<F: FnOnce(&mut Shape)>(
        &mut self,
        bodies: impl Iterator<Item = (Slot, (F, DQuat, Vec3, Aabb))>,
    ) {
        self.moved_aabbs.clear();
        let mut changed = Vec::new();
        let (velocities, moved) = (&mut self.velocities, &mut self.moved_aabbs);
        self.objects.edit_moving(bodies.map(|(slot, state)| (slot, (slot, state))), |entry, (slot, state)| {
            let (put, turn, velocity, reach) = state;
            // A flat shape becomes a mesh.
            if let Some(mesh) = entry.object.shape.flat_as_mesh() {
                let posed = match entry.model.take() {
                    Some(posed) => posed.model.flat_as_mesh().map(|model| Posed { model, ..*posed }),
                    None => Posed::new(&mesh).ok(),
                };
                entry.model = posed.map(Box::new);
            }
            // How a composite shape is rotated is known only from the shape as it was given, and how a ball or a capsule
            // is rotated only from the pose that it was given.
            let is_told = turn != DQuat::IDENTITY || entry.object.shape.is_composite();
            if entry.model.is_none() && is_told {
                entry.model = Posed::new(&entry.object.shape).ok().map(Box::new);
            }
            let is_simple = matches!(
                entry.object.shape,
                Shape::Aabb(_) | Shape::Obb(_) | Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_)
            );
            let given = is_simple.then(|| entry.object.shape.clone());
            put(&mut entry.object.shape);
            // The same holds for a box with skewed edges, which has become a brush, and for the child of a compound that
            // shows how this one is turned.
            match (given, &entry.object.shape) {
                (Some(given), Shape::Brush(_)) if entry.model.is_none() => {
                    entry.model = Posed::new(&given).ok().map(Box::new);
                }
                (Some(given), Shape::Compound(_)) => {
                    let now = std::mem::replace(&mut entry.object.shape, given);
                    entry.model = entry.posed().ok().map(Box::new);
                    entry.object.shape = now;
                }
                _ => {}
            }
            if turn != DQuat::IDENTITY
                && let Some(posed) = &mut entry.model
            {
                posed.turn(turn, &entry.object.shape);
            }
            let aabb = entry.object.shape.aabb();
            if !(aabb.min().cmpge(reach.min()).all() && aabb.max().cmple(reach.max()).all()) {
                moved.push((entry.proxy, aabb));
            }
            match entry.velocity_index {
                Some(index) if velocity != Vec3::ZERO => velocities[index].velocity = velocity,
                None if velocity == Vec3::ZERO => {}
                _ => changed.push((slot, velocity)),
            }
        });
        for (slot, velocity) in changed {
            if velocity == Vec3::ZERO {
                // An object that falls asleep keeps the box that makes its pairs.
                self.forget_velocity(slot);
            } else {
                self.set_object_velocity(slot, velocity);
            }
        }
        self.proxies.broadphase.set_batch(&self.moved_aabbs);
    }

    /// Gives many objects new shapes: as [`ObjectMut::set_shape`] of each, in order, and cheaper. Skips stale keys, and
    /// returns how many objects existed. If `shapes` panics, the objects before that have their new shapes.
    ///
    /// ```
    /// # use cullide_world::{Object, Shape, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert_eq!(world.set_shape_batch([(ball, Shape::from(Sphere::new(Vec3::X, 1.0)?))]), 1);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_shape_batch(&mut self, shapes: impl IntoIterator<Item = (ObjectKey, Shape)>) -> usize {
        self.moved_aabbs.clear();
        let mut count = 0;
        let exchange = |(key, shape): (ObjectKey, Shape)| {
            let Some(slot) = key.slot(self.id) else { return };
            let Some(entry) = self.objects.get(slot) else { return };
            count += 1;
            if entry.object.shape != shape {
                self.moved_aabbs.push((entry.proxy, shape.aabb()));
                self.exchange_shape(slot, shape, None);
            }
        };
        let end = catch_unwind(AssertUnwindSafe(|| shapes.into_iter().for_each(exchange)));
        // The trees know every shape, whatever becomes of the caller's iterator.
        self.proxies.broadphase.set_batch(&self.moved_aabbs);
        end.map_or_else(|panic| resume_unwind(panic), |()| count)
    }

    /// Gives many objects a pose: each gets the rotation, and its own origin is put at the translation, wherever it was
    /// before. Skips stale keys, and returns how many objects existed.
    ///
    /// The origin of a box, a ball, a capsule or a cylinder is its centre, and the rotation of a box is that of
    /// [`Obb::new`](cullide_narrowphase::Obb::new): so the pose is where the object is, whatever [`ObjectMut::set_shape`]
    /// or a step has done to it since. A brush and a patch have no centre of their own: their origin is that of the
    /// coordinates in which they were given. The same holds for a triangle, for the rotation of a capsule, and for a
    /// mesh, a terrain and a compound: placed ones are moved on from where they were placed. Give them about the origin
    /// (a [`PlacedMesh`](crate::PlacedMesh) with its scale alone), and put them into place by their pose.
    ///
    /// Every call starts from the shape as it was last given, so rounding does not accumulate. A rotated [`Aabb`] is an
    /// oriented box until it is rotated back. A step moves a body on from the pose.
    ///
    /// A pose that an object has already, as it was given or as [`ObjectRef::transform`](crate::ObjectRef::transform) tells it, is no edit, and wakes
    /// nobody; nor does the turn of a ball.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] or [`Error::ZeroDirection`] for the first transform that cannot be
    /// applied; then no object has moved.
    ///
    /// ```
    /// # use cullide_world::{Object, Shape, World, narrowphase::{Aabb, Brush, Obb}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let quarter = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    /// // A box has its centre and its rotation where the pose puts them, however it was inserted.
    /// let crate_ = world.insert(Object::moving(Obb::new(Vec3::X * 10.0, quarter, Vec3::new(1.0, 2.0, 3.0))?));
    /// world.set_transform_batch(&[(crate_, Quat::IDENTITY, Vec3::X * 5.0)])?;
    /// assert_eq!(world.object(crate_).unwrap().shape.aabb(), Aabb::new(Vec3::new(4.0, -2.0, -3.0), Vec3::new(6.0, 2.0, 3.0))?);
    ///
    /// // The hinge of this door is the origin of its coordinates: it swings about the place where it is put.
    /// let door = Brush::try_from(&Aabb::new(Vec3::new(0.0, 0.0, -0.1), Vec3::new(1.0, 2.0, 0.1))?)?;
    /// let door = world.insert(Object::moving(door));
    /// world.set_transform_batch(&[(door, quarter, Vec3::X * 5.0)])?;
    /// let ends = world.object(door).unwrap().shape.aabb();
    /// assert!(ends.min().distance(Vec3::new(4.9, 0.0, -1.0)) < 1e-6 && ends.max().distance(Vec3::new(5.1, 2.0, 0.0)) < 1e-6);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_transform_batch(&mut self, transforms: &[(ObjectKey, Quat, Vec3)]) -> Result<usize, Error> {
        self.pending_shapes.clear();
        for &(key, rotation, translation) in transforms {
            let Some(slot) = key.slot(self.id) else { continue };
            let Some(entry) = self.objects.get(slot) else { continue };
            let (shape, model) = match &entry.model {
                Some(posed) => (posed.model.transformed(rotation, translation)?, None),
                None => {
                    let posed = Posed::new(&entry.object.shape)?;
                    (posed.model.transformed(rotation, translation)?, Some(Box::new(posed)))
                }
            };
            self.pending_shapes.push((slot, shape, (rotation, translation), model));
        }
        let count = self.pending_shapes.len();
        self.moved_aabbs.clear();
        let mut pending = std::mem::take(&mut self.pending_shapes);
        for (slot, shape, pose, model) in pending.drain(..) {
            if self.objects[slot].has_pose(pose, &shape) {
                continue;
            }
            let entry = &mut self.objects[slot];
            let mut model = entry.model.take().or(model);
            model.iter_mut().for_each(|posed| (posed.rotation, posed.translation) = pose);
            if entry.object.shape == shape {
                entry.model = model;
                continue;
            }
            self.moved_aabbs.push((entry.proxy, shape.aabb()));
            self.exchange_shape(slot, shape, model);
        }
        self.pending_shapes = pending;
        self.proxies.broadphase.set_batch(&self.moved_aabbs);
        Ok(count)
    }

    /// Returns the shape of an object as a body moves it: a triangle or a patch as a mesh.
    #[cfg(feature = "dynamics")]
    pub(crate) fn body_shape(&self, key: ObjectKey) -> Option<Cow<'_, Shape>> {
        let entry = self.objects.get(key.slot(self.id)?)?;
        let shape = &entry.object.shape;
        let Some(mesh) = shape.flat_as_mesh() else { return Some(Cow::Borrowed(shape)) };
        let posed =
            entry.model.as_ref().and_then(|of| of.model.flat_as_mesh()?.transformed(of.rotation, of.translation).ok());
        Some(Cow::Owned(posed.unwrap_or(mesh)))
    }

    /// Returns the shape of an object as it was given, if it has been moved by a pose since.
    pub(crate) fn posed_model(&self, key: ObjectKey) -> Option<&Shape> {
        self.objects.get(key.slot(self.id)?)?.model.as_ref().map(|posed| &posed.model)
    }
}

/// Returns a box around all that the box passes through on its way out of the range of coordinates, and more.
fn to_the_end(aabb: &Aabb, velocity: Vec3) -> Aabb {
    let end = Vec3::splat(MAX_COORDINATE);
    let min = Vec3::select(velocity.cmplt(Vec3::ZERO), -end, aabb.min());
    let max = Vec3::select(velocity.cmpgt(Vec3::ZERO), end, aabb.max());
    Aabb::new(min, max).unwrap_or(*aabb)
}
