//! A placed mesh.

use super::{Mesh, MeshData};
use crate::{
    Shape,
    shape::{
        placed::{At, CompositeShape, Placed},
        placement::Placement,
    },
};
use cullide_narrowphase::{
    Aabb, Error, Triangle, TriangleColumns,
    glam::{Quat, Vec3},
};
use std::borrow::Cow;

/// A mesh that is scaled, then rotated about its origin, then translated. It shares the mesh with all its other
/// placements.
///
/// The corners of its triangles are `rotation · (scale · corner) + translation`, computed in `f64` and rounded to `f32`
/// once. It answers as a mesh of such triangles would, bit for bit, except for whether all of it is visible
/// ([`World::for_each_visible`](crate::World::for_each_visible)), which its box decides. With a scale that mirrors, the
/// front of each triangle is the mirror image of its front.
///
/// ```
/// use cullide_world::{Filter, Mesh, Object, PlacedMesh, World, narrowphase::Ray, glam::{Quat, Vec3}};
/// let roof = Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Z], &[[0, 2, 1]])?;
/// let mut world = World::new();
/// for i in 0..3u8 {
///     let place = Vec3::new(10.0 * f32::from(i), 5.0, 0.0);
///     world.insert(Object::fixed(PlacedMesh::new(&roof, Quat::IDENTITY, place, Vec3::splat(4.0))?));
/// }
/// let down = Ray::new(Vec3::new(21.0, 9.0, 1.0), Vec3::NEG_Y)?;
/// assert_eq!(world.cast_ray(&down, f32::INFINITY, &Filter::ALL).unwrap().distance, 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PlacedMesh = Placed<Mesh>;

impl CompositeShape for Mesh {
    type Cache = ();

    fn own_aabb(&self) -> Aabb {
        self.aabb()
    }

    fn variant(placed: Box<PlacedMesh>) -> Shape {
        Shape::Mesh(placed)
    }
}

impl PlacedMesh {
    /// Places a mesh, scaled by `scale` along its axes, then rotated by `rotation`, then translated by `translation`.
    /// The scale may be negative, but not zero, along any axis.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::ZeroDirection`] for a rotation of length zero, [`Error::OutOfRange`] for a scale
    /// beyond 2^±20, or if the mesh does not stay within the range of coordinates.
    ///
    /// ```
    /// # use cullide_world::{Mesh, PlacedMesh, narrowphase::Error, glam::{Quat, Vec3}};
    /// let mesh = Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]])?;
    /// let placed = PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::Z, Vec3::new(-2.0, 3.0, 1.0))?;
    /// assert_eq!(placed.triangle(0).unwrap().normal(), Vec3::Z);
    /// let flat = PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::Z, Vec3::new(1.0, 1.0, 0.0));
    /// assert_eq!(flat, Err(Error::OutOfRange { field: "scale" }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mesh: &Mesh, rotation: Quat, translation: Vec3, scale: Vec3) -> Result<Self, Error> {
        mesh.clone().placed(Placement::scaled(rotation, translation, scale)?)
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.shared
    }

    /// Returns a triangle as placed; `None` for one without an area, there or as it was given, or for a number that is
    /// too large.
    pub fn triangle(&self, number: u32) -> Option<Triangle> {
        self.at().triangle(number)
    }
}

impl<'a> At<'a, Mesh> {
    /// A mesh on its own, where it was given.
    pub(super) fn given(mesh: &'a Mesh) -> Self {
        Self { shared: mesh, placement: const { &Placement::IDENTITY }, aabb: &mesh.0.aabb }
    }

    pub(super) fn data(&self) -> &'a MeshData {
        &self.shared.0
    }

    /// Returns the corners of a triangle as placed, counter-clockwise seen from its front.
    #[inline(always)]
    pub(super) fn placed(&self, corners: [Vec3; 3]) -> [Vec3; 3] {
        if self.placement.is_identity() { corners } else { self.placement.placed(corners) }
    }

    /// Returns some triangles of the mesh as placed.
    #[inline(always)]
    pub(super) fn placed_columns<'b>(&self, given: &'b TriangleColumns) -> Cow<'b, TriangleColumns> {
        if self.placement.is_identity() {
            return Cow::Borrowed(given);
        }
        let corners = (0..given.len()).map(|i| self.placement.placed(given.corners(i)));
        Cow::Owned(TriangleColumns::new(corners))
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        PlacedMesh::from(mesh).into()
    }
}
