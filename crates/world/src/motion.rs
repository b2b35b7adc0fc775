//! Objects that move: velocities, and many at once.

use crate::{ObjectKey, Shape, World, slots::Slot};
use cullide_narrowphase::{
    Aabb, Error, MAX_COORDINATE,
    glam::{Quat, Vec3},
};

/// An object with a velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    slot: Slot,
    pub(crate) velocity: Vec3,
}

impl World {
    /// Tells how fast an object moves, in units a second, and returns what was known before: zero at first, `None` for a stale key.
    ///
    /// The velocity stretches its box in [`World::update`]; it moves only in [`World::step`], if it is a [body](World::set_body).
    ///
    /// # Errors
    /// [`Error::NonFinite`].
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert_eq!(world.set_velocity(ball, Vec3::X)?, Some(Vec3::ZERO));
    /// assert_eq!(world.velocity(ball), Some(Vec3::X));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_velocity(&mut self, key: ObjectKey, velocity: Vec3) -> Result<Option<Vec3>, Error> {
        if !velocity.is_finite() {
            return Err(Error::NonFinite { field: "velocity" });
        }
        let Some(old) = self.velocity(key) else { return Ok(None) };
        if let Some(slot) = key.slot(self.id) {
            self.set_course(slot, velocity);
            self.set_body_velocity(slot, velocity);
        }
        Ok(Some(old))
    }

    /// Tells how fast the object of a valid slot moves.
    pub(crate) fn set_course(&mut self, slot: Slot, velocity: Vec3) {
        match self.objects[slot].course {
            Some(course) if velocity != Vec3::ZERO => self.courses[course].velocity = velocity,
            None if velocity != Vec3::ZERO => {
                self.objects[slot].course = Some(self.courses.len());
                self.courses.push(Course { slot, velocity });
            }
            _ => self.rest(slot),
        }
    }

    /// How fast an object moves; `None` for a stale key.
    pub fn velocity(&self, key: ObjectKey) -> Option<Vec3> {
        let entry = self.objects.get(key.slot(self.id)?)?;
        Some(entry.course.map_or(Vec3::ZERO, |course| self.courses[course].velocity))
    }

    /// Takes an object's velocity away, if it has one.
    pub(crate) fn rest(&mut self, slot: Slot) {
        let Some(entry) = self.objects.get_mut(slot) else { return };
        let Some(course) = entry.course.take() else { return };
        self.proxies.set(entry.proxy, &entry.object.shape.aabb());
        self.courses.swap_remove(course);
        // The last one took its place.
        if let Some(moved) = self.courses.get(course) {
            self.objects[moved.slot].course = Some(course);
        }
    }

    /// Stretches the boxes of objects with a velocity over the next `dt` seconds.
    pub(crate) fn look_ahead(&mut self, dt: f32) {
        let objects = &self.objects;
        self.proxies.broadphase.set_each(&self.courses, |course| {
            let entry = &objects[course.slot];
            let aabb = entry.object.shape.aabb();
            let swept = aabb.swept(course.velocity * dt);
            (entry.proxy, swept.unwrap_or_else(|| to_the_end(&aabb, course.velocity)))
        });
    }

    /// Gives many objects new shapes: as [`World::set_shape`] of each, in order, and cheaper. Stale keys are passed over; returns how many
    /// objects were there.
    ///
    /// ```
    /// # use cullide_world::{Object, Shape, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert_eq!(world.set_shapes([(ball, Shape::from(Sphere::new(Vec3::X, 1.0)?))]), 1);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_shapes(&mut self, shapes: impl IntoIterator<Item = (ObjectKey, Shape)>) -> usize {
        self.ahead.clear();
        for (key, shape) in shapes {
            let Some(slot) = key.slot(self.id) else { continue };
            let Some(entry) = self.objects.get_mut(slot) else { continue };
            self.ahead.push((entry.proxy, shape.aabb()));
            entry.model = None;
            let old = std::mem::replace(&mut entry.object.shape, shape);
            self.wake_near_moved(slot, &old.aabb());
        }
        self.proxies.broadphase.set_all(&self.ahead)
    }

    /// Puts many objects to where transforms take the shapes that they were given last: turned about the origin of the shape's own
    /// coordinates, then moved. Every call starts from those shapes anew, so that no rounding adds up. A turned [`Aabb`] becomes an
    /// oriented box. Stale keys are passed over; returns how many objects were there. A body is given a shape by every step that moves it.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`] or [`Error::ZeroDirection`] for the first transform that cannot be applied; then
    /// no object has moved.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let crate_ = world.insert(Object::moving(Aabb::new(-Vec3::ONE, Vec3::ONE)?));
    /// world.set_transforms(&[(crate_, Quat::IDENTITY, Vec3::X * 5.0)])?;
    /// assert_eq!(world.object(crate_).unwrap().shape.aabb().max(), Vec3::new(6.0, 1.0, 1.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_transforms(&mut self, transforms: &[(ObjectKey, Quat, Vec3)]) -> Result<usize, Error> {
        self.posed.clear();
        for &(key, rotation, translation) in transforms {
            let Some(slot) = key.slot(self.id) else { continue };
            let Some(entry) = self.objects.get(slot) else { continue };
            let model = entry.model.as_deref().unwrap_or(&entry.object.shape);
            self.posed.push((slot, model.transformed(rotation, translation)?));
        }
        self.ahead.clear();
        let mut posed = std::mem::take(&mut self.posed);
        for (slot, shape) in posed.drain(..) {
            let entry = &mut self.objects[slot];
            self.ahead.push((entry.proxy, shape.aabb()));
            let before = std::mem::replace(&mut entry.object.shape, shape);
            let old = before.aabb();
            entry.model.get_or_insert_with(|| Box::new(before));
            self.wake_near_moved(slot, &old);
        }
        self.posed = posed;
        Ok(self.proxies.broadphase.set_all(&self.ahead))
    }
}

/// The box with all that it passes through on its way out of the range of coordinates, and more.
fn to_the_end(aabb: &Aabb, velocity: Vec3) -> Aabb {
    let end = Vec3::splat(MAX_COORDINATE);
    let min = Vec3::select(velocity.cmplt(Vec3::ZERO), -end, aabb.min());
    let max = Vec3::select(velocity.cmpgt(Vec3::ZERO), end, aabb.max());
    Aabb::new(min, max).unwrap_or(*aabb)
}
