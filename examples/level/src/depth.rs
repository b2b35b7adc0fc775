//! How deep a walker ever stood in a solid, computed in exact arithmetic from its position and the map's own points.
//!
//! A grid finds the solids that a position may touch. Nearly all of them are apart from the walker along some axis by
//! more than the error of `f64`. A walker that stands on a floor or at a wall is apart along an axis that shows it
//! exactly. Only the remaining solids contain part of the walker; for these the depth is computed in rationals. No code
//! and no number of the library is used here.

use std::sync::OnceLock;

use cullide_oracle::{Exact, Polytope, Ratio, Vector, gap_obb_polytope};
use cullide_world::glam::{DVec3, Vec3};
use rayon::prelude::*;
use smallvec::SmallVec;

use crate::map::{Map, MapBrush};
use crate::walk::HALF_EXTENTS;

/// A separation above this fraction of the largest coordinate is certain in `f64`: an axis' length, a corner and a dot
/// product err by a few 2^-53 each, which is a hundred times less.
const BEYOND_DOUBT: f64 = 1e-12;

/// Cells along the longest side of the grid.
const CELLS: f64 = 32.0;

/// The solid brushes of a map.
pub struct Solids {
    solids: Vec<Solid>,
    low: DVec3,
    cell: f64,
    size: [usize; 3],
    /// The solids that a walker may touch whose centre lies in a cell.
    cells: Vec<Vec<u32>>,
}

struct Solid {
    polytope: Polytope,
    low: DVec3,
    high: DVec3,
    axes: Vec<Axis>,
    doubt: f64,
}

/// A direction along which a walker and a solid may be apart, and the extent of the solid along it.
struct Axis {
    direction: Vector,
    extent: OnceLock<[Ratio; 2]>,
    /// The same for a unit direction, rounded.
    rounded: DVec3,
    rounded_extent: [f64; 2],
}

impl Solids {
    /// The solid brushes of a map that enclose anything.
    pub fn new(map: &Map) -> Self {
        let brushes: Vec<&MapBrush> = map.brushes().filter(|brush| brush.solid).collect();
        let solids: Vec<Solid> = brushes.into_par_iter().filter_map(Solid::new).collect();
        let low = solids.iter().map(|solid| solid.low).fold(DVec3::INFINITY, DVec3::min);
        let high = solids.iter().map(|solid| solid.high).fold(DVec3::NEG_INFINITY, DVec3::max);
        let extent = if solids.is_empty() { DVec3::ONE } else { high - low };
        let cell = extent.max_element() / CELLS;
        let size = (extent / cell).to_array().map(|cells| cells as usize + 1);
        let mut grid = Self { solids: Vec::new(), low, cell, size, cells: vec![Vec::new(); size.iter().product()] };
        for (number, solid) in solids.iter().enumerate() {
            let reach = HALF_EXTENTS.as_dvec3() + solid.doubt;
            let (first, last) = (grid.place(solid.low - reach), grid.place(solid.high + reach));
            for x in first[0]..=last[0] {
                for y in first[1]..=last[1] {
                    for z in first[2]..=last[2] {
                        let index = grid.index([x, y, z]);
                        grid.cells[index].push(number as u32);
                    }
                }
            }
        }
        grid.solids = solids;
        grid
    }

    /// Returns the greatest depth of a walker at any of `centers` in a solid, in units; 0 if it is in none.
    pub fn deepest(&self, centers: &[Vec3]) -> f64 {
        let mut deepest = 0.0f64;
        let mut last = None;
        for &center in centers {
            // Many walkers stay where they were.
            if last.replace(center) == Some(center) {
                continue;
            }
            for &solid in &self.cells[self.index(self.place(center.as_dvec3()))] {
                deepest = deepest.max(self.solids[solid as usize].depth(center));
            }
        }
        deepest
    }

    /// The cell of a point; for a point outside the grid the nearest cell, which lists all solids that reach out there.
    fn place(&self, point: DVec3) -> [usize; 3] {
        let place = (point - self.low) / self.cell;
        std::array::from_fn(|axis| (place[axis].max(0.0) as usize).min(self.size[axis] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.size[1] + y) * self.size[2] + z
    }
}

impl Solid {
    fn new(brush: &MapBrush) -> Option<Self> {
        let polytope = Polytope::from_point_triples(&brush.faces)?;
        let corners: Vec<DVec3> = polytope.vertices().iter().map(|corner| corner.to_f64().into()).collect();
        let low = corners.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = corners.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        // Faces of the walker, faces of the solid, and an edge of each: the separating axes of two polytopes.
        let faces = brush.faces.iter().map(normal);
        let edges = polytope.edge_directions();
        let across = edges.iter().flat_map(|edge| [0, 1, 2].map(|axis| edge.cross(&Vector::axis(axis))));
        let directions = [0, 1, 2].map(Vector::axis).into_iter().chain(faces).chain(across);
        let axes = directions.filter_map(|direction| Axis::new(direction, &corners)).collect();
        let scale = low.abs().max(high.abs()).max_element() + f64::from(HALF_EXTENTS.max_element());
        Some(Self { polytope, low, high, axes, doubt: BEYOND_DOUBT * scale })
    }

    /// The depth of a walker at `center` in the solid.
    fn depth(&self, center: Vec3) -> f64 {
        let wide = center.as_dvec3();
        let doubt = self.doubt + BEYOND_DOUBT * wide.abs().max_element();
        let mut near = SmallVec::<[&Axis; 8]>::new();
        for axis in &self.axes {
            let separation = axis.separation(wide);
            if separation > doubt {
                return 0.0;
            }
            if separation >= -doubt {
                near.push(axis);
            }
        }
        if near.iter().any(|axis| axis.is_apart(center, &self.polytope)) {
            return 0.0;
        }
        let [x, y, z] = HALF_EXTENTS.to_array();
        let gap = gap_obb_polytope([center.to_array(), [x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]], &self.polytope);
        if gap.is_penetrating() { -gap.to_f64() } else { 0.0 }
    }
}

impl Axis {
    /// Returns `None` for a zero direction, as for parallel edges or for a face whose points lie on a line.
    fn new(direction: Vector, corners: &[DVec3]) -> Option<Self> {
        let rounded = DVec3::from_array([0, 1, 2].map(|i| direction.0[i].to_f64())).try_normalize()?;
        let reaches = || corners.iter().map(|corner| rounded.dot(*corner));
        let rounded_extent = [reaches().fold(f64::INFINITY, f64::min), reaches().fold(f64::NEG_INFINITY, f64::max)];
        Some(Self { direction, extent: OnceLock::new(), rounded, rounded_extent })
    }

    /// How far a walker at `center` is apart from the solid, rounded; negative if they overlap.
    fn separation(&self, center: DVec3) -> f64 {
        let (at, reach) = (self.rounded.dot(center), self.rounded.abs().dot(HALF_EXTENTS.as_dvec3()));
        let [low, high] = self.rounded_extent;
        (at - high).max(low - at) - reach
    }

    /// Whether a walker at `center` is apart from the solid or just touches it, exactly.
    fn is_apart(&self, center: Vec3, polytope: &Polytope) -> bool {
        let [low, high] = self.extent.get_or_init(|| {
            let reaches = || polytope.vertices().iter().map(|corner| corner.dot(&self.direction));
            [reaches().min(), reaches().max()].map(|end| end.expect("a polytope has corners"))
        });
        let at = self.direction.dot(&Vector::new(center.to_array()));
        let reach: Exact = (0..3).map(|i| self.direction.0[i].abs() * Exact::new(HALF_EXTENTS[i])).sum();
        high.cmp_exact(&(&at - &reach)).is_le() || low.cmp_exact(&(&at + &reach)).is_ge()
    }
}

/// The normal of a face given by three points.
fn normal(points: &[[f64; 3]; 3]) -> Vector {
    let [a, b, c] = points.map(Vector::new);
    c.minus(&a).cross(&b.minus(&a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walker_on_a_ramp_is_not_in_it_and_one_a_step_of_f32_lower_is() {
        // A ramp that rises along x from 0 to 100 at half slope; the walker's lower front edge touches it.
        let map = "{\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) a 0 0 0 1 1\n( 0 0 0 ) ( 0 1 0 ) ( 2 0 1 ) a 0 0 0 1 1\n\
            ( 100 0 0 ) ( 100 0 1 ) ( 100 1 0 ) a 0 0 0 1 1\n( 0 -90 0 ) ( 0 -90 1 ) ( 1 -90 0 ) a 0 0 0 1 1\n\
            ( 0 90 0 ) ( 1 90 0 ) ( 0 90 1 ) a 0 0 0 1 1\n}\n}\n";
        let solids = Solids::new(&Map::parse("some.map", map.as_bytes()).unwrap());
        assert_eq!(solids.solids.len(), 1);
        let x = 40.0f32;
        let on_ramp = Vec3::new(x, 3.0, 0.5 * (x + HALF_EXTENTS.x) + HALF_EXTENTS.z);
        assert_eq!(solids.deepest(&[on_ramp]), 0.0);
        let lower = on_ramp.with_z(on_ramp.z.next_down());
        let expected = f64::from(on_ramp.z - lower.z) / 1.25f64.sqrt();
        assert!((solids.deepest(&[on_ramp, lower]) - expected).abs() < 1e-12);
        assert_eq!(solids.deepest(&[Vec3::splat(1e9), Vec3::splat(-1e9)]), 0.0);
    }
}
