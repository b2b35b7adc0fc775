//! The separating-axis test of two boxes in `f32`, with a bound on the error: in most cases it is certain whether they
//! share a point.
//!
//! The axes to compare are those of [`zonotope`](super::zonotope). With boxes `a` and `b`, and `t` from the centre of
//! one to that of the other, the gap along a cross product of two edges `g` and `h` is `|det(g, h, t)| − Σ |det(g, h,
//! k)|` over all edges `k`. Only a few of the determinants differ; the lanes hold the edges of `a`, and in one case
//! those of `b`:
//!
//! ```text
//!   faces of a   nᵢ = aᵢ₊₁ × aᵢ₊₂    |nᵢ·t| − |nᵢ·aᵢ| − Σⱼ |nᵢ·bⱼ|
//!   faces of b   mⱼ = bⱼ₊₁ × bⱼ₊₂    |mⱼ·t| − |mⱼ·bⱼ| − Σᵢ |mⱼ·aᵢ|
//!   edges        aᵢ × bⱼ             |(t × aᵢ)·bⱼ| − |nᵢ₊₁·bⱼ| − |nᵢ₊₂·bⱼ| − |mⱼ₊₁·aᵢ| − |mⱼ₊₂·aᵢ|
//! ```
//!
//! No product in a determinant is larger than the product of its vectors' sizes, `|x| + |y| + |z|`, and none is rounded
//! more than sixteen times before gaps are compared: a gap errs by less than `32 u` times the size of `g`, the size of
//! `h`, and the size of all vectors together.
//!
//! Sources: Gottschalk, Lin, Manocha, "OBBTree" (1996), §5; Higham, "Accuracy and Stability of Numerical Algorithms",
//! §3.1.

use crate::{Aabb, Obb, arrays::Mapped};
use glam::{Vec3, Vec4, swizzles::Vec4Swizzles};

/// Twice as much as a gap may err by, relative to the sizes of its vectors.
const ROUNDING: f32 = 32.0 * f32::EPSILON;

/// More than underflow can lose, relative to the sizes of all vectors, as long as those are within [`SIZES`].
const UNDERFLOW: f32 = 1e-30;

/// Sizes of all vectors together for which no determinant overflows.
const SIZES: std::ops::Range<f32> = 1e-9..1e12;

/// A box, in `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SatFilter {
    /// Half edges and centre by coordinate.
    rows: [Vec4; 3],
    /// The size of the numbers of which the centre is the rounded mean; zero where the centre is given.
    rounded: f32,
}

impl From<&Obb> for SatFilter {
    #[inline(always)]
    fn from(obb: &Obb) -> Self {
        Self { rows: obb.rows(), rounded: 0.0 }
    }
}

impl From<&Aabb> for SatFilter {
    #[inline(always)]
    fn from(aabb: &Aabb) -> Self {
        let (half, center) = (0.5 * (aabb.max() - aabb.min()), 0.5 * (aabb.min() + aabb.max()));
        let rows = [
            Vec4::new(half.x, 0.0, 0.0, center.x),
            Vec4::new(0.0, half.y, 0.0, center.y),
            Vec4::new(0.0, 0.0, half.z, center.z),
        ];
        Self { rows, rounded: (aabb.min().abs() + aabb.max().abs()).element_sum() }
    }
}

impl SatFilter {
    /// Whether the boxes share a point, where that is certain.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> Option<bool> {
        let (a, b) = (self.rows, other.rows);
        let t = [0, 1, 2].mapped(|i| b[i].w - a[i].w);
        let (sizes_a, sizes_b) = (sizes(a), sizes(b));
        let offset = t[0].abs() + t[1].abs() + t[2].abs();
        let all = sum(sizes_a) + sum(sizes_b) + offset + self.rounded + other.rounded;
        if !SIZES.contains(&all) {
            return None;
        }
        let error = |sizes: Vec4| (sizes * ROUNDING + UNDERFLOW) * all;

        // By lane i, for each j: |nᵢ·bⱼ| and |mⱼ·aᵢ|.
        let (n, m) = (normals(a), normals(b));
        let by_a = [0, 1, 2].mapped(|j| dot(n, [b[0][j], b[1][j], b[2][j]]).abs());
        let by_b = [0, 1, 2].mapped(|j| dot(a, [m[0][j], m[1][j], m[2][j]]).abs());

        let volume = |n: [Vec4; 3], edges: [Vec4; 3]| (n[0] * edges[0] + n[1] * edges[1] + n[2] * edges[2]).abs();
        let reach_a = volume(n, a) + by_a[0] + by_a[1] + by_a[2];
        let reach_b = volume(m, b) + Vec4::new(sum(by_b[0]), sum(by_b[1]), sum(by_b[2]), 0.0);
        let mut gaps = LargestGap::default();
        gaps.add(dot(n, t).abs() - reach_a, error(sizes_a.yzxw() * sizes_a.zxyw()));
        gaps.add(dot(m, t).abs() - reach_b, error(sizes_b.yzxw() * sizes_b.zxyw()));
        let turned = cross([Vec4::splat(t[0]), Vec4::splat(t[1]), Vec4::splat(t[2])], a);
        for j in 0..3 {
            let along = dot(turned, [b[0][j], b[1][j], b[2][j]]).abs();
            let reach = by_a[j].yzxw() + by_a[j].zxyw() + by_b[(j + 1) % 3] + by_b[(j + 2) % 3];
            gaps.add(along - reach, error(sizes_a * sizes_b[j]));
        }
        gaps.verdict()
    }

    /// Whether a finite point lies in the box, where that is certain.
    #[inline]
    pub(crate) fn holds(&self, point: Vec3) -> Option<bool> {
        let a = self.rows;
        let t = [0, 1, 2].mapped(|i| point[i] - a[i].w);
        let sizes = sizes(a);
        let all = sum(sizes) + t[0].abs() + t[1].abs() + t[2].abs() + self.rounded;
        if !SIZES.contains(&all) {
            return None;
        }
        let n = normals(a);
        let reach = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]).abs();
        let mut gaps = LargestGap::default();
        gaps.add(dot(n, t).abs() - reach, (sizes.yzxw() * sizes.zxyw() * ROUNDING + UNDERFLOW) * all);
        gaps.verdict()
    }
}

/// The largest of some gaps, with their possible errors subtracted and added.
struct LargestGap {
    least: Vec4,
    most: Vec4,
}

impl Default for LargestGap {
    #[inline(always)]
    fn default() -> Self {
        Self { least: Vec4::NEG_INFINITY, most: Vec4::NEG_INFINITY }
    }
}

impl LargestGap {
    #[inline(always)]
    fn add(&mut self, gaps: Vec4, error: Vec4) {
        self.least = self.least.max(gaps - error);
        self.most = self.most.max(gaps + error);
    }

    #[inline(always)]
    fn verdict(&self) -> Option<bool> {
        if self.least.cmpgt(Vec4::ZERO).bitmask() & 0b111 != 0 {
            Some(false)
        } else {
            (self.most.cmplt(Vec4::ZERO).bitmask() & 0b111 == 0b111).then_some(true)
        }
    }
}

/// The size of each column; the last lane is not used.
#[inline(always)]
fn sizes([x, y, z]: [Vec4; 3]) -> Vec4 {
    x.abs() + y.abs() + z.abs()
}

#[inline(always)]
fn sum(v: Vec4) -> f32 {
    v.x + v.y + v.z
}

/// The cross product of the next column with the one after, for each of the first three.
#[inline(always)]
fn normals([x, y, z]: [Vec4; 3]) -> [Vec4; 3] {
    cross([x.yzxw(), y.yzxw(), z.yzxw()], [x.zxyw(), y.zxyw(), z.zxyw()])
}

#[inline(always)]
fn cross([ax, ay, az]: [Vec4; 3], [bx, by, bz]: [Vec4; 3]) -> [Vec4; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// The dot product of each column with `v`.
#[inline(always)]
fn dot([x, y, z]: [Vec4; 3], v: [f32; 3]) -> Vec4 {
    x * v[0] + y * v[1] + z * v[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn boxes_at_all_angles_are_nearly_always_decided() {
        let mut rng = Rng::with_seed(SEED ^ 41);
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let (mut met, mut apart, mut open) = (0, 0, 0);
        for _ in 0..100_000 {
            let mut obb = || Obb::from_half_edges(vector(1.5), [vector(1.0), vector(1.0), vector(1.0)]).unwrap();
            match SatFilter::from(&obb()).meets(&(&obb()).into()) {
                Some(true) => met += 1,
                Some(false) => apart += 1,
                None => open += 1,
            }
        }
        assert!(met > 20_000 && apart > 20_000 && open < 100, "{met} {apart} {open}");
    }

    #[test]
    fn what_touches_is_left_open() {
        let body = |x: f32| SatFilter::from(&Obb::from_half_edges(Vec3::X * x, Vec3::AXES).unwrap());
        let tiny = SatFilter::from(&Obb::from_half_edges(Vec3::ZERO, Vec3::AXES.map(|axis| axis * 1e-12)).unwrap());
        assert_eq!([body(0.0).meets(&body(2.0)), tiny.meets(&tiny)], [None, None]);
        assert_eq!(body(2.001).meets(&body(0.0)), Some(false));
        assert_eq!(
            [Vec3::X, Vec3::X * 0.999, Vec3::X * 1.001].map(|p| body(0.0).holds(p)),
            [None, Some(true), Some(false)]
        );
    }
}
