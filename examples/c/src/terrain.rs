//! Terrains, and their edits.

use crate::{
    CullideShape, CullideWorld,
    key::{self, CullideKey},
    memory::{given, values},
    shape::{make, sides},
    status::{CullideStatus, Failure, guard},
};
use cullide_world::{Terrain, TerrainError, glam::Vec2};
use std::{mem::MaybeUninit, ops::Range};

/// Creates a terrain: heights over a grid of `columns` samples along x and `rows` along z, row by row. The first one is at
/// `x`, `z`, and the next ones follow at distances of `spacing_x` and `spacing_z`. `sides` as for a mesh; the front is
/// above. Each cell between four samples is two triangles, which are the parts that hits report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_shape_terrain(
    columns: u32,
    rows: u32,
    heights: *const f32,
    x: f32,
    z: f32,
    spacing_x: f32,
    spacing_z: f32,
    sides: u32,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || {
        // SAFETY: the caller's array, as the header demands.
        let heights = unsafe { values(heights, samples(columns, rows)?, "heights") }?;
        let terrain = Terrain::new(columns, rows, heights, Vec2::new(spacing_x, spacing_z), Vec2::new(x, z))?;
        Ok(terrain.with_sides(self::sides(sides)?))
    })
}

fn samples(columns: u32, rows: u32) -> Result<usize, Failure> {
    (columns as usize).checked_mul(rows as usize).ok_or_else(|| {
        Failure::new(CullideStatus::BadLength, format!("{columns} columns of {rows} rows are more than memory holds"))
    })
}

/// Sets the heights of `columns` by `rows` samples of a terrain in the world, from the sample `column`, `row` on, row by
/// row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_terrain_edit(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    column: u32,
    row: u32,
    columns: u32,
    rows: u32,
    heights: *const f32,
) -> CullideStatus {
    edit(world, key, |terrain| {
        // SAFETY: the caller's array, as the header demands.
        let heights = unsafe { values(heights, samples(columns, rows)?, "heights") }?;
        Ok(terrain.edit(column..column.saturating_add(columns), row..row.saturating_add(rows), heights)?)
    })
}

/// Removes `columns` by `rows` cells of a terrain in the world, from the cell `column`, `row` on: holes.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_terrain_dig(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    column: u32,
    row: u32,
    columns: u32,
    rows: u32,
) -> CullideStatus {
    cells(world, key, [column, row, columns, rows], Terrain::dig)
}

/// Puts back what `cullide_terrain_dig` has removed.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_terrain_fill(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    column: u32,
    row: u32,
    columns: u32,
    rows: u32,
) -> CullideStatus {
    cells(world, key, [column, row, columns, rows], Terrain::fill)
}

/// Gives `columns` by `rows` cells of a terrain in the world a number of the caller's, such as that of a material, which
/// hits report as their `surface`; 0 at first.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_terrain_set_surface(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    column: u32,
    row: u32,
    columns: u32,
    rows: u32,
    surface: u16,
) -> CullideStatus {
    cells(world, key, [column, row, columns, rows], |terrain, columns, rows| {
        terrain.set_surface(columns, rows, surface)
    })
}

fn cells(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    [column, row, columns, rows]: [u32; 4],
    change: impl FnOnce(&mut Terrain, Range<u32>, Range<u32>) -> Result<(), TerrainError>,
) -> CullideStatus {
    edit(world, key, |terrain| {
        Ok(change(terrain, column..column.saturating_add(columns), row..row.saturating_add(rows))?)
    })
}

fn edit(
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    change: impl FnOnce(&mut Terrain) -> Result<(), Failure>,
) -> CullideStatus {
    guard(|| {
        let world = &mut given(world, "world")?.world;
        let key = key::object(world, key)?;
        world.object_mut(key).and_then(|mut object| object.edit_terrain(change)).unwrap_or_else(|| {
            Err(Failure::new(CullideStatus::WrongShape, "`key` names an object that is no terrain; give that of one"))
        })
    })
}
