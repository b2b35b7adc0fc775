//! Inserts, removes and changes infinite planes.

use crate::{PlaneKey, World, WorldPlane, scene::slot_map::Slot};
use cullide_narrowphase::Plane;
use std::ops::Deref;

impl World {
    /// Adds an infinite plane: a [half-space](WorldPlane::half_space), as which a bare [`Plane`] counts, or a
    /// [wall](WorldPlane::wall).
    ///
    /// Overlap queries find a half-space with any volume that is not wholly in front of it. It ignores a moving body that
    /// is wholly behind it: a sweep, a slide, a step or a walk from there comes out unhindered, and the next one finds
    /// the body overlapping the half-space. [`World::depenetrate`] does not move a body that is wholly behind.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, WorldPlane, narrowphase::{Plane, Ray}, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let glass = world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, 0.0)?).layers(0b10).user(7));
    /// assert_eq!((world.plane(floor).unwrap().layers, world.plane(glass).unwrap().user), (u32::MAX, 7));
    /// // Both sides of a wall block.
    /// assert!(world.cast_ray(&Ray::new(Vec3::NEG_X, Vec3::X)?, 9.0, &Filter::layers(0b10)).is_some());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert_plane(&mut self, plane: impl Into<WorldPlane>) -> PlaneKey {
        self.log_everywhere();
        PlaneKey::new(self.planes.insert(plane.into()), self.id)
    }

    /// Removes a plane and returns it; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{World, narrowphase::Plane, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// assert!(world.remove_plane(floor).is_some() && world.plane(floor).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn remove_plane(&mut self, key: PlaneKey) -> Option<WorldPlane> {
        let removed = self.planes.remove(key.slot(self.id)?)?;
        self.log_everywhere();
        Some(removed)
    }

    /// Returns a plane; `None` for a stale key.
    pub fn plane(&self, key: PlaneKey) -> Option<&WorldPlane> {
        self.planes.get(key.slot(self.id)?)
    }

    /// Returns a plane, to be changed; `None` for a stale key.
    ///
    /// ```
    /// # use cullide_world::{World, narrowphase::Plane, glam::Vec3};
    /// let mut world = World::new();
    /// let lift = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// world.plane_mut(lift).unwrap().set_plane(Plane::new(Vec3::Y, -2.0)?);
    /// assert_eq!(world.plane(lift).unwrap().plane.d(), -2.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn plane_mut(&mut self, key: PlaneKey) -> Option<PlaneMut<'_>> {
        let slot = key.slot(self.id)?;
        self.planes.get(slot)?;
        Some(PlaneMut { world: self, slot })
    }
}

/// An infinite plane of a world, to be changed: see [`World::plane_mut`]. Setters return what there was before; what is
/// already as they would make it is no edit.
#[derive(Debug)]
pub struct PlaneMut<'a> {
    world: &'a mut World,
    slot: Slot,
}

impl PlaneMut<'_> {
    /// Moves the plane.
    pub fn set_plane(&mut self, plane: Plane) -> Plane {
        self.set(|entry| std::mem::replace(&mut entry.plane, plane))
    }

    /// Puts the plane into other layers.
    pub fn set_layers(&mut self, layers: u32) -> u32 {
        self.set(|entry| std::mem::replace(&mut entry.layers, layers))
    }

    /// Replaces the caller's number of the plane.
    pub fn set_user(&mut self, user: u64) -> u64 {
        self.set(|entry| std::mem::replace(&mut entry.user, user))
    }

    fn set<T>(&mut self, set: impl FnOnce(&mut WorldPlane) -> T) -> T {
        let had = **self;
        let mut entry = had;
        let old = set(&mut entry);
        self.world.planes.set(self.slot, entry);
        if (had.plane, had.layers) != (entry.plane, entry.layers) {
            self.world.log_everywhere();
        }
        old
    }
}

impl Deref for PlaneMut<'_> {
    type Target = WorldPlane;

    fn deref(&self) -> &WorldPlane {
        &self.world.planes[self.slot]
    }
}
