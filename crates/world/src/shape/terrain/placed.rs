//! A placed terrain.

use super::{MAX_COORDINATE, Terrain, TerrainData};
use crate::{
    Shape,
    shape::{
        placed::{At, CompositeShape, Placed},
        placement::Placement,
    },
};
#[cfg(any(feature = "serde", feature = "dynamics"))]
use cullide_narrowphase::glam::{DMat3, DVec3};
use cullide_narrowphase::{
    Aabb, Error, Triangle,
    glam::{Quat, Vec3},
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
pub type PlacedTerrain = Placed<Terrain>;

impl CompositeShape for Terrain {
    type Cache = ();

    fn own_aabb(&self) -> Aabb {
        self.aabb()
    }

    fn placed(self, placement: Placement) -> Result<PlacedTerrain, Error> {
        if placement.translation().abs().max_element() > 2.0 * f64::from(MAX_COORDINATE) {
            return Err(Error::OutOfRange { field: "translation" });
        }
        let aabb = placement.bounds_of(&self.aabb())?;
        Ok(Placed { shared: self, placement, aabb, cache: () })
    }

    #[cfg(any(feature = "serde", feature = "dynamics"))]
    fn placement(linear: DMat3, translation: DVec3) -> Result<Placement, Error> {
        Placement::rigid(linear, translation)
    }

    fn variant(placed: Box<PlacedTerrain>) -> Shape {
        Shape::Terrain(placed)
    }
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
        terrain.clone().placed(Placement::scaled(rotation, translation, Vec3::ONE)?)
    }

    /// Edits the terrain in place; also returns a box around what changed, before and after, or `None` if nothing did.
    pub(crate) fn edit<R>(&mut self, edit: impl FnOnce(&mut Terrain) -> R) -> (R, Option<Aabb>) {
        let before = self.aabb;
        let (result, changed) = self.shared.edited(edit);
        self.aabb = bounds(&self.shared, &self.placement);
        let whole = || before.union(&self.aabb);
        (result, changed.map(|changed| self.placement.bounds_of(&changed).unwrap_or_else(|_| whole())))
    }

    /// Places a terrain where another one was placed.
    pub(crate) fn of(terrain: Terrain, placement: Placement) -> Self {
        let aabb = bounds(&terrain, &placement);
        Self { shared: terrain, placement, aabb, cache: () }
    }

    /// The terrain.
    pub fn terrain(&self) -> &Terrain {
        &self.shared
    }

    /// Returns a triangle as placed; `None` in a hole, for one without an area, there or as it was given, or for a
    /// number that is too large.
    pub fn triangle(&self, number: u32) -> Option<Triangle> {
        self.at().triangle(number)
    }
}

impl At<'_, Terrain> {
    pub(super) fn data(&self) -> &TerrainData {
        &self.shared.0
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

impl From<Terrain> for Shape {
    fn from(terrain: Terrain) -> Self {
        PlacedTerrain::from(terrain).into()
    }
}
