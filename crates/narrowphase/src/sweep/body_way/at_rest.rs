//! What is known about triangles and a body that stands still or is at the start of its way: which of them it certainly
//! touches, or certainly does not, and how deep it is in them at most.
//!
//! ```text
//!   box            the separating-axis test: a gap along any axis proves that they are apart, and that they meet is
//!                  certain where both reach past each other along all of them
//!   ball, capsule  apart by a plane across the way from what is nearest; touching where a point of both axes is found
//!                  that is near enough
//!   depth          no larger than along any one axis
//! ```
//! Along an axis that only has to show a gap, only the products err. That no axis shows a gap is certain for the true
//! axes only: the computed ones lean by what rounding does to the edges that they are across, which is a share of all
//! lengths together.
//!
//! Sources: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001; Ericson, "Real-Time Collision Detection",
//! §5.1.9 and §5.2.9.

use super::{BodyWay, FAR_MARGIN, MARGIN, TINY, TINY_SQUARE};
use crate::{
    TriangleColumns,
    distance::distance_bounds::{bounds_from_origin, is_known, row_bounds},
    shape::triangle_columns::{LANES, TriangleRow, corners},
    simd::{Simd, Vec3x8, level, vectorized},
};
use fearless_simd::{f32x8, prelude::*};

/// The margin of the test of all axes, as a share of the sum of all lengths: 2^-17.
const LEANING: f32 = 1.0 / (1u32 << 17) as f32;

/// An axis whose squared length is below this is not used for depths: underflow would matter.
const SHORTEST_SQUARE: f32 = 1e-28;

/// Which of up to sixteen triangles a body at rest touches, where that is certain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meets {
    /// Whether it certainly touches one of them.
    certain: bool,
    /// A bit for each triangle for which that is not known.
    open: u32,
}

impl Meets {
    /// Returns whether the body touches one of them; `touches` answers for those for which that is not known, by their
    /// places.
    pub fn any(mut self, mut touches: impl FnMut(usize) -> bool) -> bool {
        while !self.certain && self.open != 0 {
            let lane = self.open.trailing_zeros() as usize;
            self.open &= self.open - 1;
            self.certain = touches(lane);
        }
        self.certain
    }
}

impl BodyWay {
    /// Returns which triangles the body touches where it starts, where that is certain, as it is for most. Without
    /// vector instructions nothing is known.
    ///
    /// ```
    /// # use cullide_narrowphase::{BodyWay, Sphere, TriangleColumns, glam::Vec3};
    /// let wall = |x: f32| [Vec3::new(x, -4.0, -4.0), Vec3::new(x, 4.0, -4.0), Vec3::new(x, 0.0, 4.0)];
    /// let ball = BodyWay::from(&Sphere::new(Vec3::ZERO, 1.0)?);
    /// assert!(ball.meets(&TriangleColumns::new([wall(5.0), wall(0.5)])).any(|_| unreachable!("one of them is met")));
    /// assert!(!ball.meets(&TriangleColumns::new([wall(5.0)])).any(|_| unreachable!("it is apart")));
    /// // This one is asked about.
    /// assert!(ball.meets(&TriangleColumns::new([wall(5.0), wall(1.0)])).any(|i| i == 1));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn meets(&self, triangles: &TriangleColumns) -> Meets {
        let unknown = Meets { certain: false, open: (1 << triangles.len()) - 1 };
        vectorized!(level(), simd => self.meets_in(simd, triangles), else unknown)
    }

    #[inline(always)]
    pub(super) fn meets_in<S: Simd>(&self, simd: S, triangles: &TriangleColumns) -> Meets {
        let mut meets = Meets { certain: false, open: 0 };
        for (i, row) in triangles.rows().enumerate() {
            let present = ((1 << triangles.len()) - 1) >> (i * LANES) & ((1 << LANES) - 1);
            let (apart, touching) = match self.edge_count {
                0 => self.ball_meets(simd, row),
                1 => self.rod_meets(simd, row),
                _ => self.box_meets(simd, row),
            };
            if self.is_true && touching & present != 0 {
                return Meets { certain: true, open: 0 };
            }
            meets.open |= (present & !apart) << (i * LANES);
        }
        meets
    }

    /// A bit for each triangle of a row from which it certainly is apart at the start, and for the others an upper
    /// bound on how deep it is in them.
    #[inline(always)]
    pub(super) fn depths<S: Simd>(&self, simd: S, row: &TriangleRow) -> (u32, f32x8<S>) {
        if self.edge_count == 0 {
            let [low, _] = row_bounds(simd, row, self.center);
            let (zero, depth) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, self.radius * (1.0 + MARGIN)) - low);
            return (depth.simd_lt(zero).to_bitmask() as u32, depth.max(zero));
        }
        let corners = corners(simd, row, self.center);
        let mut gaps = AxisGaps::new(simd);
        if self.edge_count == 1 {
            self.rod_axes(simd, corners, &mut gaps);
            let ([p, q, r], [u, v, w]) = (corners, sides(corners));
            for (edge, on, off) in [(u, p, r), (v, q, p), (w, r, q)] {
                let axis = Vec3x8::splat(simd, self.edges[0]).cross(edge);
                self.round_gap(simd, axis, [on, off, off], self.margin_of(simd, corners), &mut gaps);
            }
        } else {
            self.box_axes::<S, true>(simd, corners, &mut gaps);
        }
        (gaps.apart, gaps.depth * f32x8::splat(simd, 1.0 + MARGIN))
    }

    #[inline(always)]
    fn ball_meets<S: Simd>(&self, simd: S, row: &TriangleRow) -> (u32, u32) {
        let [low, high] = row_bounds(simd, row, self.center);
        let radius = f32x8::splat(simd, self.radius);
        (low.simd_gt(radius).to_bitmask() as u32, high.simd_lt(radius).to_bitmask() as u32)
    }

    #[inline(always)]
    fn rod_meets<S: Simd>(&self, simd: S, row: &TriangleRow) -> (u32, u32) {
        let corners = corners(simd, row, self.center);
        let mut gaps = AxisGaps::new(simd);
        let edge_square = self.rod_axes(simd, corners, &mut gaps);
        if gaps.apart == (1 << LANES) - 1 {
            return (gaps.apart, 0);
        }
        // The least distance from the edges; if that is not near enough, the distance from where the rod comes nearest
        // to the plane.
        let reach = f32x8::splat(simd, self.radius) - self.margin_of(simd, corners);
        let near = edge_square.sqrt().simd_lt(reach) & is_known(simd, corners);
        let touching = near.to_bitmask() as u32;
        if touching & !gaps.apart != 0 {
            return (gaps.apart, touching);
        }
        let ([p, q, r], [u, v, _]) = (corners, sides(corners));
        let (normal, rod) = (u.cross(v), Vec3x8::splat(simd, self.edges[0]));
        let (height, slope) = (normal.dot(p), normal.dot(rod));
        let (one, tiny) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, TINY_SQUARE));
        let share = (height * slope / (slope * slope + tiny)).max(f32x8::splat(simd, -1.0)).min(one);
        let point = rod * share;
        let [_, high] = bounds_from_origin(simd, [p - point, q - point, r - point]);
        (gaps.apart, high.simd_lt(reach).to_bitmask() as u32)
    }

    #[inline(always)]
    fn box_meets<S: Simd>(&self, simd: S, row: &TriangleRow) -> (u32, u32) {
        let mut gaps = AxisGaps::new(simd);
        self.box_axes::<S, false>(simd, corners(simd, row, self.center), &mut gaps);
        (gaps.apart, gaps.touching)
    }

    /// Bound on what rounding may do to lengths.
    #[inline(always)]
    fn margin_of<S: Simd>(&self, simd: S, [p, q, r]: [Vec3x8<S>; 3]) -> f32x8<S> {
        (p.abs_sum() + q.abs_sum() + r.abs_sum()) * f32x8::splat(simd, 2.0 * MARGIN) + f32x8::splat(simd, self.margin)
    }

    /// Adds the triangle's normal and the direction from the nearest of its edges as axes of a rod; returns the squared
    /// distance from that edge.
    #[inline(always)]
    fn rod_axes<S: Simd>(&self, simd: S, corners: [Vec3x8<S>; 3], gaps: &mut AxisGaps<S>) -> f32x8<S> {
        let ([p, q, r], [u, v, w]) = (corners, sides(corners));
        let margin = self.margin_of(simd, corners);
        self.round_gap(simd, u.cross(v), corners, margin, gaps);
        let away = self.away_at(simd, f32x8::splat(simd, 0.0), [(p, u), (q, v), (r, w)]);
        self.round_gap(simd, away, corners, margin, gaps);
        away.dot(away)
    }

    /// Adds an axis, which may lean, for a round body and three heights.
    #[inline(always)]
    fn round_gap<S: Simd>(
        &self,
        simd: S,
        axis: Vec3x8<S>,
        [p, q, r]: [Vec3x8<S>; 3],
        margin: f32x8<S>,
        gaps: &mut AxisGaps<S>,
    ) {
        let square = axis.dot(axis);
        let length = (square + f32x8::splat(simd, TINY_SQUARE)).sqrt();
        let reach = axis.dot(Vec3x8::splat(simd, self.edges[0])).abs() + f32x8::splat(simd, self.radius) * length;
        let error = margin * length + f32x8::splat(simd, TINY);
        gaps.take::<true>([axis.dot(p), axis.dot(q), axis.dot(r)], reach, error, square);
    }

    /// Adds all axes of a box.
    #[inline(always)]
    fn box_axes<S: Simd, const DEPTH: bool>(&self, simd: S, corners: [Vec3x8<S>; 3], gaps: &mut AxisGaps<S>) {
        let ([p, q, r], [u, v, w]) = (corners, sides(corners));
        let own = self.edges.map(|edge| edge.abs().element_sum());
        let size = p.abs_sum() + q.abs_sum() + r.abs_sum() + f32x8::splat(simd, own[0] + own[1] + own[2]);
        let far = f32x8::splat(simd, FAR_MARGIN * self.center.abs().element_sum());
        let share = size * f32x8::splat(simd, LEANING) + far;
        let tiny = f32x8::splat(simd, TINY);

        let normal = u.cross(v);
        let mut reach = f32x8::splat(simd, 0.0);
        for edge in &self.edges {
            reach += normal.dot(Vec3x8::splat(simd, *edge)).abs();
        }
        let heights = [normal.dot(p), normal.dot(q), normal.dot(r)];
        gaps.take::<DEPTH>(heights, reach, share * size * size + tiny, normal.dot(normal));
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let face = self.edges[j].cross(self.edges[k]);
            let (axis, reach) = (Vec3x8::splat(simd, face), f32x8::splat(simd, face.dot(self.edges[i]).abs()));
            let error = share * f32x8::splat(simd, own[j] * own[k]) + tiny;
            let square = f32x8::splat(simd, face.length_squared());
            gaps.take::<DEPTH>([axis.dot(p), axis.dot(q), axis.dot(r)], reach, error, square);
        }
        if !DEPTH && gaps.apart == (1 << LANES) - 1 {
            return;
        }
        for (side, on, off) in [(u, p, r), (v, q, p), (w, r, q)] {
            for (i, length) in own.into_iter().enumerate() {
                let axis = side.cross(Vec3x8::splat(simd, self.edges[i]));
                let (a, b) = (axis.dot(on), axis.dot(off));
                let (one, other) = (self.edges[(i + 1) % 3], self.edges[(i + 2) % 3]);
                let reach = axis.dot(Vec3x8::splat(simd, one)).abs() + axis.dot(Vec3x8::splat(simd, other)).abs();
                let error = share * size * f32x8::splat(simd, length) + tiny;
                let square = if DEPTH { axis.dot(axis) } else { error };
                gaps.take::<DEPTH>([a, b, b], reach, error, square);
            }
        }
    }
}

/// The edges of triangles, one after the other.
#[inline(always)]
fn sides<S: Simd>([p, q, r]: [Vec3x8<S>; 3]) -> [Vec3x8<S>; 3] {
    [q - p, r - q, p - r]
}

/// The gaps along all axes so far.
struct AxisGaps<S: Simd> {
    /// A bit for each triangle from which a gap certainly separates the body.
    apart: u32,
    /// A bit for each triangle with which the body certainly shares an interval along all axes.
    touching: u32,
    /// The least depth, no less than the true one.
    depth: f32x8<S>,
}

impl<S: Simd> AxisGaps<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self { apart: 0, touching: (1 << LANES) - 1, depth: f32x8::splat(simd, f32::INFINITY) }
    }

    /// Adds an axis: the heights of the corners along it over the middle of the body, how far the body reaches, how
    /// much that may be wrong, and the square of the axis's length.
    #[inline(always)]
    fn take<const DEPTH: bool>(
        &mut self,
        [a, b, c]: [f32x8<S>; 3],
        reach: f32x8<S>,
        error: f32x8<S>,
        square: f32x8<S>,
    ) {
        let zero = f32x8::splat(reach.simd, 0.0);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let gap = low.max(zero - high) - reach;
        self.apart |= gap.simd_gt(error).to_bitmask() as u32;
        self.touching &= gap.simd_lt(zero - error).to_bitmask() as u32;
        if DEPTH {
            let depth = (error - gap).max(zero) / square.sqrt();
            let is_less = depth.simd_lt(self.depth) & square.simd_gt(f32x8::splat(reach.simd, SHORTEST_SQUARE));
            self.depth = is_less.select(depth, self.depth);
        }
    }
}
