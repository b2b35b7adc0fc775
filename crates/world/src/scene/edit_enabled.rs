//! Switches objects off, and on again.

use crate::ObjectMut;

impl ObjectMut<'_> {
    /// Switches the object off, so that nothing meets it: no query, sweep, walk, body or pair; or on again. Returns
    /// whether it was on.
    ///
    /// It keeps its key, its shape and its pose, and may be edited like any other. While it is off, it
    /// [is](crate::World::object) in no layer, and pairs with none; [`ObjectMut::set_layers`] and [`ObjectMut::set_pairs_with`] say in
    /// which it will be. A body stays where it is, and goes on with its velocity once it is on; what rested on it falls.
    /// Functions that take its key, such as [`World::object`](crate::World::object) and
    /// [`World::overlap_parts`](crate::World::overlap_parts), work as before, and [`World::objects`](crate::World::objects) lists it.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let door = world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?).layers(0b1));
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert!(world.object_mut(door).unwrap().set_enabled(false));
    /// assert_eq!(world.cast_ray(&ray, 100.0, &Filter::ALL), None);
    /// assert!(!world.object_mut(door).unwrap().set_enabled(true));
    /// assert_eq!(world.cast_ray(&ray, 100.0, &Filter::layers(0b1)).unwrap().target, door.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_enabled(&mut self, enabled: bool) -> bool {
        let was_enabled = self.entry().off.is_none();
        if was_enabled == enabled {
            return enabled;
        }
        self.world.log_meeting(self.slot);
        let entry = &mut self.world.objects[self.slot];
        let object = &mut entry.object;
        let masks = entry.off.take().unwrap_or((0, 0));
        if was_enabled {
            entry.off = Some((object.layers, object.pairs_with));
            self.world.off += 1;
        } else {
            self.world.off -= 1;
        }
        (object.layers, object.pairs_with) = masks;
        self.world.proxies.set_layers(entry.proxy, masks.0, masks.1);
        was_enabled
    }
}
