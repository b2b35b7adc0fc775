//! Finds which face, edge or vertex of its part a hit is on.

use crate::{RayHit, SegmentHit, Target, World, query::rays::crossing_of_plane, shape::Convex};
use cullide_narrowphase::{Cast, HitFeature, Path, Ray, Segment, Sides};

impl RayHit {
    /// Returns the face, edge or vertex that this hit of `ray` is on, decided by exact signs; `None` for a start in the
    /// interior of a solid, for balls and capsules, and if the world has changed since, so that the ray misses.
    ///
    /// It is a feature of the part. For a mesh or a terrain, its corners are numbered as in
    /// [`PlacedMesh::triangle`](crate::PlacedMesh::triangle) and
    /// [`PlacedTerrain::triangle`](crate::PlacedTerrain::triangle); for a child of a compound, as those of
    /// [`PlacedCompound::child`](crate::PlacedCompound::child). If a ray meets several parts at once, such as the
    /// triangles around a vertex, the hit reports the first.
    ///
    /// Ray casts do not pay for it: it is computed here, in a few microseconds.
    ///
    /// ```
    /// use cullide_world::{Filter, Mesh, Object, World, glam::Vec3, narrowphase::{HitFeature, Ray}};
    /// let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 4.0, 0.0), Vec3::Y * 4.0];
    /// let floor = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]])?;
    /// let mut world = World::new();
    /// world.insert(Object::fixed(&floor));
    /// let feature = |x: f32, y: f32| {
    ///     let ray = Ray::new(Vec3::new(x, y, 9.0), Vec3::NEG_Z).unwrap();
    ///     let hit = world.cast_ray(&ray, 100.0, &Filter::ALL)?;
    ///     Some((hit.part, hit.feature(&world, &ray)?))
    /// };
    /// assert_eq!(feature(3.0, 1.0), Some((0, HitFeature::Face(0))));
    /// assert_eq!(feature(1.0, 3.0), Some((1, HitFeature::Face(0))));
    /// assert_eq!(feature(2.0, 2.0), Some((0, HitFeature::Edge([0, 2]))));
    /// assert_eq!(feature(0.0, 4.0), Some((1, HitFeature::Vertex(2))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn feature(&self, world: &World, ray: &Ray) -> Option<HitFeature> {
        world.entry_feature(self.target, self.part, &ray.path(f32::INFINITY)?)
    }
}

impl SegmentHit {
    /// Returns the face, edge or vertex that this hit of `segment` is on; as [`RayHit::feature`].
    ///
    /// ```
    /// use cullide_world::{Filter, Object, World, glam::Vec3, narrowphase::{Aabb, HitFeature, Segment}};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?));
    /// let segment = Segment::between(Vec3::new(-1.0, 4.0, 1.0), Vec3::new(1.0, 2.0, 1.0))?;
    /// let hit = world.cast_segment(&segment, &Filter::ALL).unwrap();
    /// assert_eq!(hit.feature(&world, &segment), Some(HitFeature::Edge([0b010, 0b110])));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn feature(&self, world: &World, segment: &Segment) -> Option<HitFeature> {
        world.entry_feature(self.target, self.part, &segment.path())
    }
}

impl World {
    fn entry_feature(&self, target: Target, part: u32, path: &Path) -> Option<HitFeature> {
        match target {
            Target::Object(key) => {
                let part = self.object(key)?.get().shape.part(part)?;
                let is_passed = matches!(&part, Convex::Triangle(triangle, Sides::Front) if triangle.front_crossing(path).is_none());
                if is_passed { None } else { part.entry_feature(path) }
            }
            Target::Plane(key) => {
                let entry = self.plane(key)?;
                crossing_of_plane(entry, path).and_then(|_| entry.plane.entry_feature(path))
            }
        }
    }
}
