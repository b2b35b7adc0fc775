//! Which of some triangles a path may cross: sixteen at once, in `f32`, and never wrong where it says no.
//!
//! Seen along the path, by the axis along which that is longest, the corners are points in a plane, and the path is the
//! origin. It passes a triangle if the three determinants of its edges have different signs:
//!
//! ```text
//!   x' = x − sx · z,   y' = y − sy · z                corners from the path's start
//!   u = b'x · c'y − b'y · c'x,   v = …,   w = …       a sure miss: one below −E, one above E
//! ```
//! With `m` no less than all coordinates from the start, and `r` than all of `x'` and `y'`, the latter err by less than
//! `2^-21 m`, and a determinant by less than `E = 2^-18 m r`.
//!
//! Source: Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2.1 (2013), for the projection.

use super::Path;
use crate::vectorized::{Level, Simd, vectorized};
use glam::Vec3;

/// Triangles that are tested at once.
pub const TRIANGLE_COLUMNS: usize = 16;

type Row = [f32; TRIANGLE_COLUMNS];

/// A share of `m · r` that no determinant errs by.
const ERROR: f32 = 1.0 / (1u32 << 18) as f32;

/// More than what underflow does.
const TINY: f32 = 1.0e-40;

/// The corners of some triangles, each coordinate of each corner in a row.
///
/// ```
/// use cullide_narrowphase::{Segment, SlantedPath, TriangleColumns, glam::Vec3};
/// let mut columns = TriangleColumns::default();
/// columns.set(0, [Vec3::ZERO, Vec3::X, Vec3::Y]);
/// columns.set(1, [Vec3::ZERO, Vec3::X * 9.0, Vec3::Y * 9.0]);
/// let path = Segment::new(Vec3::new(2.0, 2.0, 1.0), Vec3::Z * -2.0)?.path();
/// assert_eq!(columns.may_cross(&SlantedPath::new(&path).unwrap()) & 0b11, 0b10);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct TriangleColumns {
    /// By corner, then by axis.
    corners: [[Row; 3]; 3],
}

/// A path as triangles are tested against it: along its longest axis.
#[derive(Clone, Copy, Debug)]
pub struct SlantedPath {
    level: Level,
    /// The axes across and, last, along.
    axes: [usize; 3],
    /// Where it starts, by axis in that order.
    origin: [f32; 3],
    /// How far it goes across for each unit along.
    slant: [f32; 2],
}

impl SlantedPath {
    /// The path, or `None` for one that goes nowhere.
    pub fn new(path: &Path) -> Option<Self> {
        let (origin, delta) = (path.origin.as_vec3(), path.delta.as_vec3());
        let size = delta.abs();
        let along = if size.x >= size.y.max(size.z) {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let axes = [(along + 1) % 3, (along + 2) % 3, along];
        let slant = [delta[axes[0]] / delta[along], delta[axes[1]] / delta[along]];
        let origin = axes.map(|axis| origin[axis]);
        (size[along] > 0.0).then(|| Self { level: Level::new(), axes, origin, slant })
    }
}

impl TriangleColumns {
    /// Puts a triangle into a column.
    ///
    /// # Panics
    /// For a column of [`TRIANGLE_COLUMNS`] or more.
    #[inline(always)]
    pub fn set(&mut self, column: usize, points: [Vec3; 3]) {
        for (corner, point) in points.iter().enumerate() {
            self.set_corner(corner, column, point);
        }
    }

    /// Puts one corner of a triangle into a column.
    ///
    /// # Panics
    /// For a corner of 3 or more, and a column of [`TRIANGLE_COLUMNS`] or more.
    #[inline(always)]
    pub fn set_corner(&mut self, corner: usize, column: usize, point: &Vec3) {
        let [x, y, z] = &mut self.corners[corner];
        (x[column], y[column], z[column]) = (point.x, point.y, point.z);
    }

    /// The columns of the triangles that the path, as long as it may be, may cross, as bits; all others it surely does
    /// not. What is in columns that were never set does not matter.
    pub fn may_cross(&self, path: &SlantedPath) -> u32 {
        vectorized!(path.level, simd => self.may_cross_in(path), else self.may_cross_in(path))
    }

    #[inline(always)]
    fn may_cross_in(&self, path: &SlantedPath) -> u32 {
        let SlantedPath { axes: [i, j, k], origin: [ox, oy, oz], slant: [sx, sy], .. } = *path;
        let mut size = [0.0; TRIANGLE_COLUMNS];
        let mut reach = [0.0; TRIANGLE_COLUMNS];
        let mut across = [[[0.0; TRIANGLE_COLUMNS]; 2]; 3];
        for (rows, across) in self.corners.iter().zip(&mut across) {
            let (xs, ys, zs) = (&rows[i % 3], &rows[j % 3], &rows[k % 3]);
            for lane in 0..TRIANGLE_COLUMNS {
                let (x, y, z) = (xs[lane] - ox, ys[lane] - oy, zs[lane] - oz);
                let (u, v) = (x - sx * z, y - sy * z);
                (across[0][lane], across[1][lane]) = (u, v);
                size[lane] = greater(greater(size[lane], x.abs()), greater(y.abs(), z.abs()));
                reach[lane] = greater(reach[lane], greater(u.abs(), v.abs()));
            }
        }
        let [a, b, c] = &across;
        let mut mask = 0;
        let mut may = [0u32; TRIANGLE_COLUMNS];
        for lane in 0..TRIANGLE_COLUMNS {
            let edge = |p: &[Row; 2], q: &[Row; 2]| p[0][lane] * q[1][lane] - p[1][lane] * q[0][lane];
            let (u, v, w) = (edge(b, c), edge(c, a), edge(a, b));
            let error = ERROR * size[lane] * reach[lane] + TINY;
            let is_missed = (lesser(u, lesser(v, w)) < -error) & (greater(u, greater(v, w)) > error);
            may[lane] = u32::from(!is_missed);
        }
        for (lane, may) in may.into_iter().enumerate() {
            mask |= may << lane;
        }
        mask
    }
}

/// The greater of two, in one instruction: [`f32::max`] minds a NaN, of which there is none here.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cast, Segment, Triangle, vectorized::levels};
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn what_is_crossed_is_never_missed_and_most_of_the_rest_is() {
        let mut rng = Rng::with_seed(SEED);
        let (mut crossed, mut kept, mut all) = (0, 0, 0);
        for round in 0..20_000u32 {
            let scale = [1.0, 1e-30, 1e6, 1.0][round as usize % 4];
            let far = if round % 8 < 4 { Vec3::ZERO } else { Vec3::splat(100.0 * scale) };
            let is_grid = round % 3 == 0;
            let mut point = |size: f32| {
                let one = |rng: &mut Rng| if is_grid { f32::from(rng.i8(-3..=3)) } else { 6.0 * rng.f32() - 3.0 };
                Vec3::new(one(&mut rng), one(&mut rng), one(&mut rng)) * (size * scale) + far
            };
            let (from, to) = (point(3.0), point(1.0));
            let path = Segment::between(from, to).unwrap().path();
            let Some(slanted) = SlantedPath::new(&path) else { continue };
            let corners: Vec<[Vec3; 3]> = (0..TRIANGLE_COLUMNS).map(|_| [point(1.0), point(1.0), point(1.0)]).collect();
            let mut columns = TriangleColumns::default();
            corners.iter().enumerate().for_each(|(lane, corners)| columns.set(lane, *corners));
            let found = columns.may_cross(&slanted);
            for level in levels() {
                assert_eq!(columns.may_cross(&SlantedPath { level, ..slanted }), found);
            }
            for (lane, &[a, b, c]) in corners.iter().enumerate() {
                let is_crossed = Triangle::new(a, b, c).is_ok_and(|triangle| triangle.is_crossed(&path));
                assert!(!is_crossed || found >> lane & 1 == 1, "{path:?} {a} {b} {c}");
                crossed += u32::from(is_crossed);
            }
            (kept, all) = (kept + found.count_ones(), all + TRIANGLE_COLUMNS as u32);
        }
        assert!(crossed > 1000 && kept < all / 2, "{crossed} crossed, {kept} of {all} kept");
    }
}
