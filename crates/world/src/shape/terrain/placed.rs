//! A placed terrain.

use super::{MAX_COORDINATE, Terrain, TerrainData};
use crate::{
    Shape,
    character::platform::Frame,
    shape::{placement::Placement, transform::matrix},
};
use cullide_narrowphase::{
    Aabb, Error, Sides, Triangle,
    glam::{DMat3, DVec3, Quat, Vec3},
};
use std::ops::Range;

/// A terrain that is rotated about its origin and then translated. It shares the terrain with all its other placements.
///
/// The corners of its triangles are `rotation · corner + translation`, computed in `f64` and rounded to `f32` once.
///
/// ```
/// use cullide_world::{Filter, Object, PlacedTerrain, Terrain, World, narrowphase::Ray, glam::{Quat, Vec2, Vec3}};
/// let field = Terrain::new(2, 2, &[0.0; 4], Vec2::splat(8.0), Vec2::ZERO)?;
/// let mut world = World::new();
/// world.insert(Object::fixed(PlacedTerrain::new(&field, Quat::IDENTITY, Vec3::Y * 5.0)?));
/// let down = Ray::new(Vec3::new(1.0, 9.0, 1.0), Vec3::NEG_Y)?;
/// assert_eq!(world.cast_ray(&down, f32::INFINITY, &Filter::ALL).unwrap().distance, 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Saved", into = "Saved"))]
pub struct PlacedTerrain {
    terrain: Terrain,
    placement: Placement,
    aabb: Aabb,
}

impl PlacedTerrain {
    /// Places a terrain, rotated by `rotation`, then translated by `translation`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::ZeroDirection`] for a rotation of length zero, [`Error::OutOfRange`] for a
    /// translation beyond ±2^29.
    ///
    /// ```
    /// # use cullide_world::{PlacedTerrain, Terrain, narrowphase::Error, glam::{Quat, Vec2, Vec3}};
    /// let terrain = Terrain::new(2, 2, &[0.0; 4], Vec2::ONE, Vec2::ZERO)?;
    /// let place = |x: f32| PlacedTerrain::new(&terrain, Quat::IDENTITY, Vec3::X * x);
    /// assert_eq!(place(3.0)?.triangle(0).unwrap().points()[0], Vec3::X * 3.0);
    /// assert_eq!(place(1e9), Err(Error::OutOfRange { field: "translation" }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(terrain: &Terrain, rotation: Quat, translation: Vec3) -> Result<Self, Error> {
        if !translation.is_finite() {
            return Err(Error::NonFinite { field: "translation" });
        }
        if !rotation.is_finite() {
            return Err(Error::NonFinite { field: "rotation" });
        }
        let turn = matrix(rotation).ok_or(Error::ZeroDirection { field: "rotation" })?;
        Self::of(terrain.clone(), Placement::new(turn, translation.as_dvec3()))
    }

    fn of(terrain: Terrain, placement: Placement) -> Result<Self, Error> {
        if placement.translation().abs().max_element() > 2.0 * f64::from(MAX_COORDINATE) {
            return Err(Error::OutOfRange { field: "translation" });
        }
        let aabb = placement.bounds_of(&terrain.aabb())?;
        Ok(Self { terrain, placement, aabb })
    }

    /// Places a terrain by a map that was saved, or that a body has come to.
    #[cfg(any(feature = "serde", feature = "dynamics"))]
    pub(in crate::shape) fn restored(terrain: Terrain, linear: DMat3, translation: DVec3) -> Result<Self, Error> {
        Self::of(terrain, Placement::rigid(linear, translation)?)
    }

    /// Returns it rotated and translated further from where it is.
    pub(crate) fn transformed(&self, turn: &DMat3, shift: DVec3) -> Result<Self, Error> {
        Self::of(self.terrain.clone(), self.placement.then(turn, shift))
    }

    /// Edits the terrain in place; also returns a box around what changed, before and after, or `None` if nothing did.
    pub(crate) fn edit<R>(&mut self, edit: impl FnOnce(&mut Terrain) -> R) -> (R, Option<Aabb>) {
        let before = self.aabb;
        let (result, changed) = self.terrain.edited(edit);
        self.aabb = bounds(&self.terrain, &self.placement);
        let whole = || before.union(&self.aabb);
        (result, changed.map(|changed| self.placement.bounds_of(&changed).unwrap_or_else(|_| whole())))
    }

    /// Returns the placement without the terrain.
    pub(crate) fn place(&self) -> Placement {
        self.placement.clone()
    }

    /// Places a terrain where another one was placed.
    pub(crate) fn at(terrain: Terrain, placement: Placement) -> Self {
        let aabb = bounds(&terrain, &placement);
        Self { terrain, placement, aabb }
    }

    /// The terrain.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// Returns a box around all samples: the smallest for a terrain that is where it was given, otherwise the one
    /// around its own placed box.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Returns a triangle as placed; `None` in a hole, for one without an area, there or as it was given, or for a
    /// number that is too large.
    pub fn triangle(&self, number: u32) -> Option<Triangle> {
        let [a, b, c] = self.placement.corners(self.terrain.corners(number)?);
        Triangle::new(a, b, c).ok()
    }

    /// Returns the placed frame: where the origin is, and unit vectors along the axes.
    pub(crate) fn frame(&self) -> Frame {
        self.placement.frame()
    }

    /// The map from the terrain to the world.
    pub(crate) fn map(&self) -> (&DMat3, DVec3) {
        (self.placement.linear(), self.placement.translation())
    }

    pub(in crate::shape) fn placement(&self) -> &Placement {
        &self.placement
    }

    pub(super) fn data(&self) -> &TerrainData {
        &self.terrain.0
    }

    pub(super) fn sides(&self) -> Sides {
        self.terrain.sides()
    }

    /// Returns the numbers of the triangles of a cell: none in a hole.
    pub(super) fn numbers_in(&self, column: u32, row: u32) -> Range<u32> {
        let (first, is_hole) = (self.data().first_triangle(column, row), self.data().cells.get(column, row).is_hole);
        first..first + if is_hole { 0 } else { 2 }
    }

    /// Returns the triangles of a cell as placed, with their numbers.
    pub(super) fn triangles_in(&self, column: u32, row: u32) -> impl Iterator<Item = (u32, [Vec3; 3])> + '_ {
        self.triangles_at(column, row, self.data().heights.corners(column, row))
    }

    /// The same, for known heights.
    #[inline]
    pub(super) fn triangles_at(
        &self,
        column: u32,
        row: u32,
        heights: [f32; 4],
    ) -> impl Iterator<Item = (u32, [Vec3; 3])> + '_ {
        let data = self.data();
        let first = data.first_triangle(column, row);
        let corners = data.corners_at(column, row, heights).into_iter().flatten();
        (first..).zip(corners.map(|corners| self.placement.corners(corners)))
    }
}

fn bounds(terrain: &Terrain, placement: &Placement) -> Aabb {
    let aabb = placement.bounds_of(&terrain.aabb());
    aabb.unwrap_or_else(|_| unreachable!("terrains and places of terrains are so limited that these are in range"))
}

impl From<Terrain> for PlacedTerrain {
    fn from(terrain: Terrain) -> Self {
        let aabb = terrain.aabb();
        Self { terrain, placement: Placement::IDENTITY, aabb }
    }
}

impl From<PlacedTerrain> for Shape {
    fn from(terrain: PlacedTerrain) -> Self {
        Self::Terrain(Box::new(terrain))
    }
}

impl From<Terrain> for Shape {
    fn from(terrain: Terrain) -> Self {
        PlacedTerrain::from(terrain).into()
    }
}

impl From<&Terrain> for Shape {
    fn from(terrain: &Terrain) -> Self {
        terrain.clone().into()
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "PlacedTerrain")]
struct Saved {
    terrain: Terrain,
    linear: DMat3,
    translation: DVec3,
}

#[cfg(feature = "serde")]
impl TryFrom<Saved> for PlacedTerrain {
    type Error = Error;
    fn try_from(Saved { terrain, linear, translation }: Saved) -> Result<Self, Error> {
        Self::restored(terrain, linear, translation)
    }
}

#[cfg(feature = "serde")]
impl From<PlacedTerrain> for Saved {
    fn from(PlacedTerrain { terrain, placement, .. }: PlacedTerrain) -> Self {
        Self { terrain, linear: *placement.linear(), translation: placement.translation() }
    }
}
