//! Contact points as callers need them: in world coordinates.

use super::{ContactPair, PartContact};
use crate::World;
use cullide_narrowphase::glam::Vec3;

/// A point at which two objects, or an object and a plane, touch or are about to touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactPoint {
    /// Midway between the two surfaces, in the world.
    pub point: Vec3,
    /// The unit direction from the first to the second.
    pub normal: Vec3,
    /// How far apart the two are there along the normal; negative if they penetrate. Surfaces that are slanted to it are
    /// farther from each other than that.
    pub separation: f32,
    /// The impulse, of mass times velocity, with which a step of rigid bodies pushed them apart there: how hard they
    /// met. 0 in a [`ContactTracker`](crate::ContactTracker).
    pub impulse: f32,
    /// The part of the first object: the child of a compound; 0 for other shapes.
    pub first_part: u32,
    /// The part of the second object: the number of the triangle for a mesh or a terrain.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
}

impl ContactPair {
    /// Returns the points of all parts, at the current place of the pair's first object; none if that was removed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::Vec3, narrowphase::{Aabb, Plane}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::new(4.0, 0.0, 4.0), Vec3::new(5.0, 1.0, 5.0))?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, crate_, RigidBody::dynamic())?;
    /// for _ in 0..9 {
    ///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
    /// }
    /// let points: Vec<_> = dynamics.contact(crate_, floor).unwrap().points(&world).collect();
    /// assert!(points.len() == 4 && points.iter().all(|at| at.point.y.abs() < 0.01 && at.normal == Vec3::NEG_Y));
    /// // A crate of mass 1 in a 60th of a second, at 9.81 m/s².
    /// let weight: f32 = points.iter().map(|at| at.impulse).sum();
    /// assert!((weight - 9.81 / 60.0).abs() < 0.01, "{weight}");
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn points<'a>(&'a self, world: &'a World) -> impl Iterator<Item = ContactPoint> + 'a {
        let first = world.object(self.first).map(|object| &object.get().shape);
        let points = move |part: &'a PartContact| {
            let center = first.and_then(|shape| Some(shape.part(part.first_part)?.contact_shape().center()));
            let (normal, surface) = (part.manifold.normal(), world.surface(self.second, part.part).unwrap_or(0));
            let points = part.manifold.points().iter().zip(part.impulses());
            points.filter_map(move |(at, &impulse)| {
                let separation = at.separation;
                let point = center? + at.from_first + normal * (0.5 * separation);
                let (first_part, part) = (part.first_part, part.part);
                Some(ContactPoint { point, normal, separation, impulse, first_part, part, surface })
            })
        };
        self.parts().iter().flat_map(points)
    }
}
