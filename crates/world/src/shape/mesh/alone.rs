//! Queries on a mesh on its own, outside a world.

use super::Mesh;
use crate::shape::{Convex, placed::At};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{Aabb, BodyWay, Capsule, Crossing, Obb, Ray, RayIntersection, Solid, Sphere, glam::Vec3};

impl Mesh {
    /// Returns the number of the first triangle that a ray touches within `max_distance` (inclusive; infinity allowed),
    /// and where, as [`World::cast_ray`](crate::World::cast_ray) reports it. Of several at the same distance, it is the
    /// one with the smallest number. `None` if there is none, and for a negative or NaN distance.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3, narrowphase::Ray};
    /// let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
    /// let floor = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]])?;
    /// let down = Ray::new(Vec3::new(1.0, 9.0, 3.0), Vec3::NEG_Y)?;
    /// let (triangle, hit) = floor.cast_ray(&down, 20.0).unwrap();
    /// assert_eq!((triangle, hit.distance, hit.normal), (1, 9.0, Vec3::Y));
    /// assert_eq!(floor.cast_ray(&down, 8.5), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(&self, ray: &Ray, max_distance: f32) -> Option<(u32, RayIntersection)> {
        let path = ray.path(max_distance)?;
        let mut first: Option<(f32, u32, Crossing)> = None;
        self.alone().crossings(&path, Some(&Probe::ray(ray, max_distance)), &mut |number, crossing| {
            let distance = crossing.enter as f32;
            if first.is_none_or(|(least, other, _)| (distance, number) < (least, other)) {
                first = Some((distance, number, crossing));
            }
            first.map_or(Visit::Continue, |(least, ..)| Visit::Within(least))
        });
        first.map(|(_, number, crossing)| (number, path.ray_intersection(crossing)))
    }

    /// Returns the number of the triangle nearest to `point` within `max_distance` (inclusive; infinity allowed), and
    /// the point on it nearest to `point`. Of several at the same distance, it is the one with the smallest number.
    /// `None` if there is none, for a point that is not finite, and for a negative or NaN distance.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
    /// let floor = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]])?;
    /// assert_eq!(floor.closest_point(Vec3::new(-2.0, 3.0, 1.0), 9.0), Some((1, Vec3::Z)));
    /// assert_eq!(floor.closest_point(Vec3::new(-2.0, 3.0, 1.0), 3.5), None);
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        if !point.is_finite() || max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        let distance = |nearest: Vec3| nearest.as_dvec3().distance(point.as_dvec3()) as f32;
        self.alone().closest_point(point, max_distance).filter(|(_, nearest)| distance(*nearest) <= max_distance)
    }

    /// Whether an oriented box and any triangle share a point. A box wholly inside a closed mesh touches nothing.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::{Quat, Vec3}, narrowphase::Obb};
    /// let floor = Mesh::new(&[Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0], &[[0, 1, 2]])?;
    /// let block = |height: f32| Obb::new(Vec3::new(1.0, height, 1.0), Quat::IDENTITY, Vec3::new(2.0, 3.0, 5.0)).unwrap();
    /// assert!(floor.overlaps_box(&block(3.0)) && !floor.overlaps_box(&block(3.001)));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn overlaps_box(&self, obb: &Obb) -> bool {
        self.any_near(&obb.aabb(), || obb.into(), |part| part.overlaps_obb(obb))
    }

    /// Whether an axis-aligned box and any triangle share a point; as [`Mesh::overlaps_box`].
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3, narrowphase::Aabb};
    /// let floor = Mesh::new(&[Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0], &[[0, 1, 2]])?;
    /// let block = |low: f32| Aabb::new(Vec3::splat(low), Vec3::splat(3.0)).unwrap();
    /// assert!(floor.overlaps_aabb(&block(0.0)) && !floor.overlaps_aabb(&block(0.001)));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.any_near(aabb, || BodyWay::around(aabb, Vec3::ZERO), |part| part.overlaps_aabb(aabb))
    }

    /// Whether a ball and any triangle share a point; as [`Mesh::overlaps_box`].
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3, narrowphase::Sphere};
    /// let floor = Mesh::new(&[Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0], &[[0, 1, 2]])?;
    /// let ball = |height: f32| Sphere::new(Vec3::new(1.0, height, 1.0), 2.0).unwrap();
    /// assert!(floor.overlaps_sphere(&ball(2.0)) && !floor.overlaps_sphere(&ball(2.001)));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.alone().overlaps_sphere(sphere)
    }

    /// Whether a capsule and any triangle share a point; as [`Mesh::overlaps_box`].
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3, narrowphase::Capsule};
    /// let floor = Mesh::new(&[Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0], &[[0, 1, 2]])?;
    /// let hero = |low: f32| Capsule::new(Vec3::new(1.0, low, 1.0), Vec3::new(1.0, 9.0, 1.0), 0.5).unwrap();
    /// assert!(floor.overlaps_capsule(&hero(0.5)) && !floor.overlaps_capsule(&hero(0.501)));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn overlaps_capsule(&self, capsule: &Capsule) -> bool {
        self.any_near(&capsule.aabb(), || capsule.into(), |part| part.overlaps_capsule(capsule))
    }

    fn any_near(&self, bounds: &Aabb, body: impl Fn() -> BodyWay, touches: impl Fn(Convex) -> bool) -> bool {
        self.alone().any_part_near(bounds, &body, &touches)
    }

    /// The mesh where it was given.
    fn alone(&self) -> At<'_, Mesh> {
        At::given(self)
    }
}
