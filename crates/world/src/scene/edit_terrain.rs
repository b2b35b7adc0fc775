//! Edits terrains in place.

use crate::{ObjectMut, Shape, Terrain, scene::world::Posed, shape::terrain::placed::PlacedTerrain};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl ObjectMut<'_> {
    /// Edits the terrain that is the shape of the object, in place, and returns what `edit` returns; `None` for an object
    /// of another shape. Bodies that rest near what changes are woken. If `edit` panics, the terrain is as it left it.
    ///
    /// It costs what the edit costs, unless the terrain is shared with a clone of it or of the world; see [`Terrain`].
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Terrain, World, glam::{Vec2, Vec3}, narrowphase::Ray};
    /// let mut world = World::new();
    /// let field = Terrain::new(9, 9, &[0.0; 81], Vec2::ONE, Vec2::ZERO)?;
    /// let key = world.insert(Object::fixed(field));
    /// world.object_mut(key).unwrap().edit_terrain(|field| field.edit(3..6, 3..6, &[-2.0; 9])).unwrap()?;
    /// let down = Ray::new(Vec3::new(4.5, 5.0, 4.5), Vec3::NEG_Y)?;
    /// assert_eq!(world.cast_ray(&down, f32::INFINITY, &Filter::ALL).unwrap().distance, 7.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit_terrain<R>(&mut self, edit: impl FnOnce(&mut Terrain) -> R) -> Option<R> {
        let entry = &mut self.world.objects[self.slot];
        let Shape::Terrain(placed) = &mut entry.object.shape else { return None };
        // The model shares the terrain; as long as it does, an edit would copy what it changes.
        let model = entry.model.take().and_then(|posed| match posed.model {
            Shape::Terrain(model) => Some((model.placement().clone(), posed.rotation, posed.translation)),
            _ => None,
        });
        // The pose and the trees know the terrain, whatever becomes of the caller's function.
        let (result, changed) = placed.edit(|terrain| catch_unwind(AssertUnwindSafe(|| edit(terrain))));
        entry.model = model.map(|(place, rotation, translation)| {
            let model = PlacedTerrain::of(placed.terrain().clone(), place).into();
            Box::new(Posed { model, rotation, translation })
        });
        let aabb = placed.aabb();
        self.world.proxies.set(entry.proxy, &aabb);
        if let Some(changed) = changed {
            self.world.log_place(self.slot, &changed);
        }
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}
