//! Inserts, removes and changes infinite planes.

use crate::{PlaneKey, World, WorldPlane};
use cullide_narrowphase::{Plane, Sides};

impl World {
    /// Adds the solid half-space behind `plane`; its front is free.
    ///
    /// Overlap queries find it with any volume that is not wholly in front of it. It ignores a moving body that is
    /// wholly behind it: a sweep, a slide, a step or a walk from there comes out unhindered, and the next one finds the
    /// body overlapping the half-space. [`World::depenetrate`] does not move a body that is wholly behind.
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

    /// Adds an infinite, thin wall that blocks from both sides.
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
        self.log_everywhere();
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
        let removed = self.planes.remove(key.slot(self.id)?)?;
        self.log_everywhere();
        Some(removed)
    }

    /// Returns a plane; `None` for a stale key.
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
        let slot = key.slot(self.id)?;
        let had = self.planes.get(slot)?.plane;
        if had != plane {
            self.planes.set(slot, plane);
            self.log_everywhere();
        }
        Some(had)
    }
}
