//! Switches objects off, and on again.

use crate::{ObjectKey, World};

impl World {
    /// Switches an object off, so that nothing meets it: no query, sweep, walk, body or pair; or on again. Returns whether
    /// it was on; `None` for a stale key.
    ///
    /// It keeps its key, its shape and its pose, and may be edited like any other. While it is off, it
    /// [is](World::object) in no layer, and pairs with none; [`World::set_layers`] and [`World::set_pairs_with`] say in
    /// which it will be. A body stays where it is, and goes on with its velocity once it is on; what rested on it falls.
    /// Functions that take its key, such as [`World::transform`] and [`World::overlap_parts`], work as before, and
    /// [`World::objects`] lists it.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let door = world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?).layers(0b1));
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert_eq!(world.set_enabled(door, false), Some(true));
    /// assert_eq!(world.cast_ray(&ray, 100.0, &Filter::ALL), None);
    /// assert_eq!(world.set_enabled(door, true), Some(false));
    /// assert_eq!(world.cast_ray(&ray, 100.0, &Filter::layers(0b1)).unwrap().target, door.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_enabled(&mut self, key: ObjectKey, enabled: bool) -> Option<bool> {
        let slot = key.slot(self.id)?;
        let was_enabled = self.objects.get(slot)?.off.is_none();
        if was_enabled == enabled {
            return Some(enabled);
        }
        self.log_meeting(slot);
        let entry = self.objects.get_mut(slot)?;
        let object = &mut entry.object;
        let masks = entry.off.take().unwrap_or((0, 0));
        if was_enabled {
            entry.off = Some((object.layers, object.pairs_with));
            self.off += 1;
        } else {
            self.off -= 1;
        }
        (object.layers, object.pairs_with) = masks;
        self.proxies.set_layers(entry.proxy, masks.0, masks.1);
        Some(was_enabled)
    }

    /// Whether an object is on, as it is unless it was [switched off](World::set_enabled); `None` for a stale key.
    pub fn is_enabled(&self, key: ObjectKey) -> Option<bool> {
        Some(self.objects.get(key.slot(self.id)?)?.off.is_none())
    }
}
