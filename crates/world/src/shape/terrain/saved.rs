//! Terrains as they are saved: heights, and runs of equal cells; the pyramid is rebuilt.

use super::{Cell, Diagonal, Terrain};
use cullide_narrowphase::{Sides, glam::Vec2};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Terrain")]
struct Saved {
    columns: u32,
    rows: u32,
    spacing: Vec2,
    origin: Vec2,
    sides: Sides,
    heights: Vec<f32>,
    cells: Vec<Run>,
}

/// A run of equal cells: how many, the sum of 1 for holes and 2 for an ascending diagonal, and the surface.
#[derive(Serialize, Deserialize)]
struct Run(u32, u8, u16);

const HOLE: u8 = 1;
const ASCENDING: u8 = 2;

impl Serialize for Terrain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut cells: Vec<Run> = vec![];
        for cell in self.cells() {
            let hole = if cell.is_hole { HOLE } else { 0 };
            let kind = hole | if cell.diagonal == Diagonal::Ascending { ASCENDING } else { 0 };
            match cells.last_mut() {
                Some(Run(count, last, surface)) if (*last, *surface) == (kind, cell.surface) => *count += 1,
                _ => cells.push(Run(1, kind, cell.surface)),
            }
        }
        let (columns, rows, heights) = (self.columns(), self.rows(), self.heights().collect());
        let (spacing, origin, sides) = (self.spacing(), self.origin(), self.sides());
        Saved { columns, rows, spacing, origin, sides, heights, cells }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Terrain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { columns, rows, spacing, origin, sides, heights, cells } = Saved::deserialize(deserializer)?;
        let terrain = Self::new(columns, rows, &heights, spacing, origin).map_err(D::Error::custom)?;
        let mut terrain = terrain.with_sides(sides);
        let count: u64 = cells.iter().map(|Run(count, ..)| u64::from(*count)).sum();
        if count * 2 != terrain.len() as u64 || cells.iter().any(|Run(_, kind, _)| *kind > HOLE | ASCENDING) {
            return Err(D::Error::custom("the cells are not those of the grid"));
        }
        let each = cells.iter().flat_map(|&Run(count, kind, surface)| {
            let diagonal = if kind & ASCENDING == 0 { Diagonal::Descending } else { Diagonal::Ascending };
            (0..count).map(move |_| Cell { is_hole: kind & HOLE != 0, diagonal, surface })
        });
        terrain.set_cells(each);
        Ok(terrain)
    }
}
