//! A mesh at a place.

use super::{Mesh, MeshData};
use crate::{Shape, character::platform::Frame, shape::transform::matrix};
use cullide_narrowphase::{
    Aabb, Error, Sides, TRIANGLE_COLUMNS, Triangle, TriangleColumns,
    glam::{DMat3, DVec3, Quat, Vec3},
};
use std::ops::Range;

/// A mesh that is scaled, then turned about its origin, then moved. It shares the mesh with all others of it.
///
/// Its triangles are those whose corners are `rotation · (scale · corner) + translation`, computed in `f64` and rounded
/// to `f32` once: it answers as a mesh of such triangles would, bit for bit. With a scale that mirrors, the front of
/// each triangle is the mirror image of its front.
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
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Saved", into = "Saved"))]
pub struct PlacedMesh {
    mesh: Mesh,
    /// From the mesh to the world, and back but for rounding.
    linear: DMat3,
    translation: DVec3,
    inverse: DMat3,
    /// Whether corners are where they were given.
    is_identity: bool,
    is_mirrored: bool,
    aabb: Aabb,
}

/// Scales along an axis are no smaller and no larger than this.
const MAX_SCALE: f64 = (1u64 << 20) as f64;

impl PlacedMesh {
    /// The mesh scaled by `scale` along its axes, which is not zero along any and may be negative, then turned by
    /// `rotation`, then moved by `translation`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::ZeroDirection`] for a rotation of length zero, [`Error::OutOfRange`] for a scale
    /// beyond 2^±20, or when the mesh does not stay within the range of coordinates.
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
        for (v, field) in [(translation, "translation"), (scale, "scale")] {
            if !v.is_finite() {
                return Err(Error::NonFinite { field });
            }
        }
        if !rotation.is_finite() {
            return Err(Error::NonFinite { field: "rotation" });
        }
        let turn = matrix(rotation).ok_or(Error::ZeroDirection { field: "rotation" })?;
        let scale = scale.as_dvec3();
        let is_in_range = |x: f64| (1.0 / MAX_SCALE..=MAX_SCALE).contains(&x.abs());
        if !scale.to_array().into_iter().all(is_in_range) {
            return Err(Error::OutOfRange { field: "scale" });
        }
        let linear = DMat3::from_cols(turn.x_axis * scale.x, turn.y_axis * scale.y, turn.z_axis * scale.z);
        Self::of_map(mesh.clone(), linear, translation.as_dvec3())
    }

    fn of_map(mesh: Mesh, linear: DMat3, translation: DVec3) -> Result<Self, Error> {
        let is_identity = linear == DMat3::IDENTITY && translation == DVec3::ZERO;
        let aabb = if is_identity { mesh.aabb() } else { bounds_of(&mesh.aabb(), &linear, translation)? };
        let is_mirrored = linear.determinant() < 0.0;
        Ok(Self { mesh, linear, translation, inverse: linear.inverse(), is_identity, is_mirrored, aabb })
    }

    /// The same turned and moved on from where it is.
    pub(crate) fn transformed(&self, turn: &DMat3, shift: DVec3) -> Result<Self, Error> {
        Self::of_map(self.mesh.clone(), *turn * self.linear, *turn * self.translation + shift)
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// A box around all triangles: the smallest for a mesh that is where it was given, else that around its own box.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// A triangle as it is placed; `None` for one without an area, there or as it was given, or a number that is too
    /// large.
    pub fn triangle(&self, number: u32) -> Option<Triangle> {
        let place = *self.data().places.get(number as usize)?;
        if place == super::NONE { None } else { self.triangle_at(place as usize) }
    }

    /// How it lies: where its origin is, and unit axes along its own.
    pub(crate) fn frame(&self) -> Frame {
        let axes = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].map(|axis| axis / axis.length());
        Frame { origin: self.translation, axes }
    }

    /// The map from the mesh to the world.
    pub(crate) fn map(&self) -> (&DMat3, DVec3) {
        (&self.linear, self.translation)
    }

    pub(super) fn data(&self) -> &MeshData {
        &self.mesh.0
    }

    pub(super) fn sides(&self) -> Sides {
        self.mesh.sides()
    }

    pub(super) fn is_identity(&self) -> bool {
        self.is_identity
    }

    /// The corners of a triangle, by its place in the lists of the mesh, as they are placed: in front counter-clockwise.
    pub(super) fn corners_at(&self, place: usize) -> [Vec3; 3] {
        let data = self.data();
        let corners = data.corners[place].map(|i| data.vertices[i as usize]);
        if self.is_identity { corners } else { self.placed(corners) }
    }

    /// Puts the corners of the triangles at these places, sixteen at most, into columns.
    #[inline(always)]
    pub(super) fn gather(&self, places: Range<usize>, columns: &mut TriangleColumns) {
        let data = self.data();
        let vertices = &data.vertices[..];
        let corners = (0..TRIANGLE_COLUMNS).zip(&data.corners[places]);
        if self.is_identity {
            // Number by number: as vectors of three they would go through memory.
            for (column, &[i, j, k]) in corners {
                columns.set_corner(0, column, &vertices[i as usize]);
                columns.set_corner(1, column, &vertices[j as usize]);
                columns.set_corner(2, column, &vertices[k as usize]);
            }
        } else {
            for (column, corners) in corners {
                columns.set(column, self.placed(corners.map(|i| vertices[i as usize])));
            }
        }
    }

    #[inline(never)]
    fn placed(&self, corners: [Vec3; 3]) -> [Vec3; 3] {
        let [a, b, c] = corners.map(|p| (self.linear * p.as_dvec3() + self.translation).as_vec3());
        if self.is_mirrored { [a, c, b] } else { [a, b, c] }
    }

    pub(super) fn triangle_at(&self, place: usize) -> Option<Triangle> {
        let [a, b, c] = self.corners_at(place);
        Triangle::new(a, b, c).ok()
    }

    /// A box in the coordinates of the mesh around all corners that, placed, lie in these bounds; `None` if it would
    /// leave the range.
    pub(super) fn local(&self, bounds: &Aabb) -> Option<Aabb> {
        if self.is_identity {
            return Some(*bounds);
        }
        let (center, half) = (bounds.center().as_dvec3(), bounds.half_extents().as_dvec3());
        // Rounding moved each corner by half a step of f32 at most, and the box's own middle and half size likewise.
        let [min, max] = [self.aabb.min(), self.aabb.max()].map(|corner| corner.as_dvec3().abs());
        let size = min.max(max).max_element().max(center.abs().max_element() + half.max_element());
        let half = half + DVec3::splat(size * f64::from(f32::EPSILON));
        let [x, y, z] = [self.inverse.x_axis, self.inverse.y_axis, self.inverse.z_axis].map(DVec3::abs);
        let (center, half) = (self.inverse * (center - self.translation), x * half.x + y * half.y + z * half.z);
        let error = (center.abs() + half) * f64::from(f32::EPSILON);
        Aabb::new((center - half - error).as_vec3(), (center + half + error).as_vec3()).ok()
    }

    /// A point in the coordinates of the mesh, but for rounding.
    pub(super) fn local_point(&self, point: Vec3) -> Vec3 {
        if self.is_identity { point } else { (self.inverse * (point.as_dvec3() - self.translation)).as_vec3() }
    }

    /// More than rounding may move a point, or a triangle, in the coordinates of the mesh.
    pub(super) fn local_error(&self, point: Vec3) -> f64 {
        if self.is_identity {
            return 0.0;
        }
        let [min, max] = [self.aabb.min(), self.aabb.max()].map(Vec3::abs);
        let size = f64::from(min.max(max).max(point.abs()).max_element()) + self.translation.abs().max_element();
        4.0 * f64::from(f32::EPSILON) * self.stretch() * size
    }

    /// By how much a way may be longer in the coordinates of the mesh than placed.
    pub(super) fn stretch(&self) -> f64 {
        let [x, y, z] = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].map(DVec3::length);
        if self.is_identity { 1.0 } else { 1.0 / x.min(y).min(z) }
    }

    /// A motion in the coordinates of the mesh, but for rounding.
    pub(super) fn local_motion(&self, motion: DVec3) -> DVec3 {
        if self.is_identity { motion } else { self.inverse * motion }
    }
}

/// A box around a box that is mapped, with room for rounding.
fn bounds_of(aabb: &Aabb, linear: &DMat3, translation: DVec3) -> Result<Aabb, Error> {
    let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
    let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis].map(DVec3::abs);
    let (center, half) = (*linear * (0.5 * (min + max)) + translation, 0.5 * (max - min));
    let half = x * half.x + y * half.y + z * half.z;
    let half = half + (center.abs() + half) * f64::from(f32::EPSILON);
    Aabb::new((center - half).as_vec3(), (center + half).as_vec3())
        .map_err(|_| Error::OutOfRange { field: "translation" })
}

impl From<Mesh> for PlacedMesh {
    fn from(mesh: Mesh) -> Self {
        let (linear, aabb) = (DMat3::IDENTITY, mesh.aabb());
        let (translation, inverse) = (DVec3::ZERO, linear);
        Self { mesh, linear, translation, inverse, is_identity: true, is_mirrored: false, aabb }
    }
}

impl From<PlacedMesh> for Shape {
    fn from(mesh: PlacedMesh) -> Self {
        Self::Mesh(Box::new(mesh))
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        PlacedMesh::from(mesh).into()
    }
}

impl From<&Mesh> for Shape {
    fn from(mesh: &Mesh) -> Self {
        mesh.clone().into()
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "PlacedMesh")]
struct Saved {
    mesh: Mesh,
    linear: DMat3,
    translation: DVec3,
}

#[cfg(feature = "serde")]
impl TryFrom<Saved> for PlacedMesh {
    type Error = Error;
    fn try_from(saved: Saved) -> Result<Self, Error> {
        let Saved { mesh, linear, translation } = saved;
        if !linear.is_finite() || !translation.is_finite() {
            return Err(Error::NonFinite { field: "linear" });
        }
        // A map that flattens has no inverse.
        let determinant = linear.determinant().abs();
        if !(MAX_SCALE.powi(-3)..=MAX_SCALE.powi(3)).contains(&determinant) {
            return Err(Error::OutOfRange { field: "linear" });
        }
        Self::of_map(mesh, linear, translation)
    }
}

#[cfg(feature = "serde")]
impl From<PlacedMesh> for Saved {
    fn from(PlacedMesh { mesh, linear, translation, .. }: PlacedMesh) -> Self {
        Self { mesh, linear, translation }
    }
}
