//! How deep a walker ever stood in a solid, in exact arithmetic of its position and of the map's own points.
//!
//! Whatever a position may touch is found by a grid, and nearly all of it is told apart by some axis along which a walker
//! and a solid are separated by more than `f64` can be wrong. Who stands on a floor or at a wall is told apart by the exact plane
//! of a face. Only what is left needs the separation of two polytopes in rationals.

use cullide_oracle::{Exact, Polytope, Ratio, Vector, gap_obb_polytope};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::map::{Map, MapBrush};
use crate::walk::HALF_EXTENTS;

/// A separation above this share of the largest coordinate is beyond doubt in `f64`: an axis' length, a corner and a dot
/// product each err by a few 2^-53.
const BEYOND_DOUBT: f64 = 1e-9;

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
    bounds: [[Ratio; 2]; 3],
    low: DVec3,
    high: DVec3,
    /// Unit directions, and how far the solid reaches along each.
    axes: Vec<(DVec3, [f64; 2])>,
    /// `normal · p <= distance` in the solid.
    faces: Vec<(Vector, Exact)>,
    doubt: f64,
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

    /// The deepest that a walker at one of `centers` is in a solid, in units; 0 when it is in none.
    pub fn deepest(&self, centers: &[Vec3]) -> f64 {
        let mut deepest = 0.0f64;
        let mut last = None;
        for &center in centers {
            // Many stand where they stood before.
            if last.replace(center) == Some(center) {
                continue;
            }
            for &solid in &self.cells[self.index(self.place(center.as_dvec3()))] {
                deepest = deepest.max(self.solids[solid as usize].depth(center));
            }
        }
        deepest
    }

    /// The cell of a point; outside of the grid the nearest one, which knows all that reaches out there.
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
        let bounds = [0, 1, 2].map(|axis| polytope.bounds(axis));
        let wide = |vector: &Vector| DVec3::from_array([0, 1, 2].map(|i| vector.0[i].to_f64()));
        let faces: Vec<(Vector, Exact)> = brush.faces.iter().map(plane).collect();
        let corners: Vec<DVec3> = polytope.vertices().iter().map(|corner| corner.to_f64().into()).collect();
        let low = corners.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = corners.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        // Any axis may serve: that it separates is measured, not assumed.
        let edges = polytope.edge_directions().iter().map(wide);
        let across = edges.flat_map(|edge| DVec3::AXES.map(|axis| edge.cross(axis)));
        let directions = DVec3::AXES.into_iter().chain(faces.iter().map(|(normal, _)| wide(normal))).chain(across);
        let axes = directions.filter_map(DVec3::try_normalize).map(|axis| {
            let reaches = || corners.iter().map(|corner| axis.dot(*corner));
            (axis, [reaches().fold(f64::INFINITY, f64::min), reaches().fold(f64::NEG_INFINITY, f64::max)])
        });
        let axes = axes.collect();
        let doubt = BEYOND_DOUBT * (low.abs().max(high.abs()).max_element() + f64::from(HALF_EXTENTS.max_element()));
        Some(Self { polytope, bounds, low, high, axes, faces, doubt })
    }

    /// How deep a walker at `center` is in the solid.
    fn depth(&self, center: Vec3) -> f64 {
        if self.is_far(center.as_dvec3()) || self.is_beside(center) || self.is_behind_a_face(center) {
            return 0.0;
        }
        let [x, y, z] = HALF_EXTENTS.to_array();
        let gap = gap_obb_polytope([center.to_array(), [x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]], &self.polytope);
        if gap.is_penetrating() { -gap.to_f64() } else { 0.0 }
    }

    /// Whether an axis separates beyond doubt.
    fn is_far(&self, center: DVec3) -> bool {
        let doubt = self.doubt + BEYOND_DOUBT * center.abs().max_element();
        self.axes.iter().any(|(axis, [low, high])| {
            let (at, reach) = (axis.dot(center), axis.abs().dot(HALF_EXTENTS.as_dvec3()) + doubt);
            at - reach > *high || at + reach < *low
        })
    }

    /// Whether x, y or z separates, exactly.
    fn is_beside(&self, center: Vec3) -> bool {
        (0..3).any(|axis| {
            let (at, half) = (Exact::new(center[axis]), Exact::new(HALF_EXTENTS[axis]));
            let [low, high] = &self.bounds[axis];
            high.cmp_exact(&(&at - &half)).is_le() || low.cmp_exact(&(&at + &half)).is_ge()
        })
    }

    /// Whether the plane of a face separates, exactly.
    fn is_behind_a_face(&self, center: Vec3) -> bool {
        let (center, half) = (Vector::new(center.to_array()), Vector::new(HALF_EXTENTS.to_array()));
        self.faces.iter().any(|(normal, distance)| {
            let reach: Exact = (0..3).map(|axis| &normal.0[axis].abs() * &half.0[axis]).sum();
            !(normal.dot(&center) - distance - reach).is_negative()
        })
    }
}

/// The half-space of three points, clockwise seen from outside.
fn plane(points: &[[f64; 3]; 3]) -> (Vector, Exact) {
    let [a, b, c] = points.map(Vector::new);
    let normal = c.minus(&a).cross(&b.minus(&a));
    let distance = normal.dot(&a);
    (normal, distance)
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
