//! Which parts of one object a volume overlaps.

use crate::{ObjectKey, World, shape::Convex};
use cullide_narrowphase::{Aabb, Capsule, Obb, Sphere};

impl World {
    /// Appends the numbers of the parts of an object that an oriented box touches to `parts`, in ascending order: of a
    /// mesh and a terrain triangles, of a compound children as [`Compound::child_of`](crate::Compound::child_of) counts
    /// them, of another shape 0. A stale key appends nothing.
    ///
    /// It costs O(parts whose boxes are near + log of all). Which objects there are to ask,
    /// [`World::overlap_box`] returns.
    ///
    /// ```
    /// # use cullide_world::{Mesh, Object, World, narrowphase::Obb, glam::{Quat, Vec3}};
    /// let corners = [Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0)];
    /// let floor = Mesh::new(&corners, &[[0, 1, 2], [2, 1, 3]])?;
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(&floor));
    /// let crate_at = |x: f32| Obb::new(Vec3::new(x, 0.5, 1.0), Quat::from_rotation_y(0.5), Vec3::splat(0.5)).unwrap();
    /// let mut parts = vec![];
    /// world.overlap_box_parts(key, &crate_at(1.0), &mut parts);
    /// assert_eq!(parts, [0]);
    /// parts.clear();
    /// world.overlap_box_parts(key, &crate_at(3.0), &mut parts);
    /// assert_eq!(parts, [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_box_parts(&self, key: ObjectKey, obb: &Obb, parts: &mut Vec<u32>) {
        self.touched_parts(key, &obb.aabb(), parts, |part| part.overlaps_obb(obb));
    }

    /// Appends the parts that an axis-aligned box touches; as [`World::overlap_box_parts`]. For the triangles beneath a
    /// decal, or those of a tile of a navigation mesh.
    ///
    /// ```
    /// # use cullide_world::{Object, Terrain, World, narrowphase::Aabb, glam::{Vec2, Vec3}};
    /// let field = Terrain::new(65, 65, &[0.0; 65 * 65], Vec2::ONE, Vec2::ZERO)?;
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(&field));
    /// let tile = Aabb::new(Vec3::new(8.1, -1.0, 8.1), Vec3::new(9.9, 1.0, 9.9))?;
    /// let mut parts = vec![];
    /// world.overlap_aabb_parts(key, &tile, &mut parts);
    /// // Four cells of two triangles.
    /// assert_eq!(parts.len(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_aabb_parts(&self, key: ObjectKey, aabb: &Aabb, parts: &mut Vec<u32>) {
        self.touched_parts(key, aabb, parts, |part| part.overlaps_aabb(aabb));
    }

    /// Appends the parts that a sphere touches; as [`World::overlap_box_parts`]. For what an explosion breaks off.
    ///
    /// ```
    /// # use cullide_world::{Compound, Object, World, narrowphase::Sphere, glam::Vec3};
    /// let row = (0..9u8).map(|i| Sphere::new(Vec3::X * f32::from(i), 0.5).unwrap().into());
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(&Compound::new(row)?));
    /// let mut parts = vec![];
    /// world.overlap_sphere_parts(key, &Sphere::new(Vec3::X * 2.5, 0.25)?, &mut parts);
    /// assert_eq!(parts, [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_sphere_parts(&self, key: ObjectKey, sphere: &Sphere, parts: &mut Vec<u32>) {
        self.touched_parts(key, &sphere.aabb(), parts, |part| part.overlaps_sphere(sphere));
    }

    /// Appends the parts that a capsule touches; as [`World::overlap_box_parts`].
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::{Capsule, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut parts = vec![];
    /// world.overlap_capsule_parts(ball, &Capsule::new(Vec3::X, Vec3::X * 4.0, 0.5)?, &mut parts);
    /// assert_eq!(parts, [0]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_capsule_parts(&self, key: ObjectKey, capsule: &Capsule, parts: &mut Vec<u32>) {
        self.touched_parts(key, &capsule.aabb(), parts, |part| part.overlaps_capsule(capsule));
    }

    fn touched_parts(&self, key: ObjectKey, bounds: &Aabb, parts: &mut Vec<u32>, touches: impl Fn(&Convex) -> bool) {
        let Some(object) = self.object(key) else { return };
        let first = parts.len();
        object.shape.parts_near(bounds, |number, part| {
            if touches(&part) {
                parts.push(number);
            }
        });
        parts[first..].sort_unstable();
    }
}
