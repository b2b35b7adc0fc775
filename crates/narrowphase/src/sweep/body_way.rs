//! Which of up to sixteen triangles a body may touch on its way: a filter in `f32` lanes for the many that are near.
//!
//! The axes are those of [`passing`](super::passing), and the motion itself. Along each the body covers an interval
//! on its way; a gap that is larger than a margin proves that it does not touch the triangle. Any axis may be asked, so
//! only the products with it err: each by less than five roundings of the lengths multiplied, of which the margin has
//! thirty.
//!
//! What is left out shows in no answer: what stays is asked exactly.

use super::passing;
use crate::{
    Aabb, BoxSweep, CapsuleSweep, SphereSweep, TriangleColumns,
    shape::triangle_columns::{LANES, TriangleRow},
    vectorized::{Level, Simd, vectorized},
    vectors::{cross, dot, from, minus, splat, sum},
};
use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;

/// The margin, as a share of all lengths from the middle of the body together: 2^-19.
const MARGIN: f32 = 1.0 / (1u32 << 19) as f32;

/// The same as a share of the coordinates of that middle, for what the exact tests take for a touch: 2^-38.
const FAR_MARGIN: f32 = 1.0 / (1u64 << 38) as f32;

/// More than what underflows, of the square of a length and of a product of three.
const TINY_SQUARE: f32 = 1e-36;
const TINY: f32 = 1e-30;

/// A body and its way: a box whose edges are rounded off by a radius, as a ball and a capsule are ones without size, or
/// of one edge.
///
/// ```
/// use cullide_narrowphase::{BodyWay, Sphere, SphereSweep, TriangleColumns, glam::Vec3};
/// let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0)?, Vec3::X * 8.0)?;
/// let wall = |x: f32| [Vec3::new(x, -4.0, -4.0), Vec3::new(x, 4.0, -4.0), Vec3::new(x, 0.0, 4.0)];
/// let walls = TriangleColumns::new([wall(5.0), wall(-5.0), wall(12.0)]);
/// // It meets the first at half of its way; of the others it need not tell that it meets none.
/// assert_eq!(BodyWay::from(&ball).may_touch(&walls, 0.5) & 0b001, 0b001);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BodyWay {
    center: Vec3,
    /// Half of each, as many as there are.
    edges: [Vec3; 3],
    edge_count: usize,
    radius: f32,
    motion: Vec3,
    /// The motion, the normals of its faces, and what is across the motion and its edges; as many as there are.
    axes: [Axis; 7],
    axis_count: usize,
    /// What the lengths of the body add to those of a triangle.
    size: f32,
}

/// An axis that is the same for all triangles.
#[derive(Clone, Copy, Debug)]
struct Axis {
    direction: Vec3,
    /// How far the body reaches along it, and its length.
    reach: f32,
    length: f32,
}

impl BodyWay {
    /// The way of a box around a body, which does not turn.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BodyWay, TriangleColumns, glam::Vec3};
    /// let way = BodyWay::around(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, Vec3::X * 8.0);
    /// let ahead = [Vec3::new(7.0, -4.0, 0.5), Vec3::new(7.0, 4.0, 0.5), Vec3::new(7.5, 0.0, 4.0)];
    /// assert_eq!(way.may_touch(&TriangleColumns::new([ahead]), 1.0), 0b1);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn around(aabb: &Aabb, motion: Vec3) -> Self {
        let (min, max) = (aabb.min(), aabb.max());
        let center = 0.5 * min + 0.5 * max;
        // From the rounded middle both sides are in reach.
        let half = (max - center).max(center - min) * (1.0 + f32::EPSILON);
        Self::new(center, [Vec3::X * half.x, Vec3::Y * half.y, Vec3::Z * half.z], 0.0, motion)
    }

    fn new(center: Vec3, edges: [Vec3; 3], radius: f32, motion: Vec3) -> Self {
        let none = Axis { direction: Vec3::ZERO, reach: 0.0, length: 0.0 };
        let sum = |v: Vec3| v.abs().element_sum();
        let size = edges.iter().map(|edge| sum(*edge)).sum::<f32>() + radius + sum(motion);
        let edge_count = 3 - edges.iter().rev().take_while(|edge| **edge == Vec3::ZERO).count();
        let mut way = Self { center, edges, edge_count, radius, motion, axes: [none; 7], axis_count: 0, size };
        way.add(motion);
        for i in 0..3 {
            way.add(motion.cross(edges[i]));
            way.add(edges[(i + 1) % 3].cross(edges[(i + 2) % 3]));
        }
        way
    }

    /// Takes an axis, unless it has no direction.
    fn add(&mut self, direction: Vec3) {
        if direction != Vec3::ZERO {
            let along: f32 = self.edges.iter().map(|edge| direction.dot(*edge).abs()).sum();
            let length = (direction.length_squared() + TINY_SQUARE).sqrt();
            self.axes[self.axis_count] = Axis { direction, reach: along + self.radius * length, length };
            self.axis_count += 1;
        }
    }

    /// A bit for each triangle that it may touch up to the fraction `until` of its way, inclusive. One that it does is
    /// never left out; without vector instructions none is.
    pub fn may_touch(&self, triangles: &TriangleColumns, until: f32) -> u32 {
        let all = (1 << triangles.len()) - 1;
        let apart = vectorized!(Level::new(), simd => self.apart(simd, triangles, until), else 0);
        all & !apart
    }

    #[inline(always)]
    fn apart<S: Simd>(&self, simd: S, triangles: &TriangleColumns, until: f32) -> u32 {
        let motion = self.motion * until.min(1.0);
        let mut apart = 0;
        for row in triangles.rows().rev() {
            apart = apart << LANES | self.apart_in(simd, row, motion);
        }
        apart
    }

    /// A bit for each triangle of a row that it certainly does not touch.
    #[inline(always)]
    fn apart_in<S: Simd>(&self, simd: S, row: &TriangleRow, motion: Vec3) -> u32 {
        let p = from(simd, &row[0], self.center);
        let q = from(simd, &row[1], self.center);
        let r = from(simd, &row[2], self.center);
        let size = (sum(p) + sum(q) + sum(r)) * f32x8::splat(simd, MARGIN);
        let own_size = MARGIN * self.size + FAR_MARGIN * self.center.abs().element_sum();
        let margin = size + f32x8::splat(simd, own_size);
        let (u, v, w) = (minus(q, p), minus(r, q), minus(p, r));

        let normal = cross(u, v);
        let height = dot(normal, p);
        let mut apart = self.apart_along(simd, normal, [height, height], motion, margin);
        if self.motion != Vec3::ZERO {
            let moving = splat(simd, self.motion);
            for (edge, on, off) in [(u, p, r), (v, q, p), (w, r, q)] {
                let axis = cross(moving, edge);
                apart |= self.apart_along(simd, axis, [dot(axis, on), dot(axis, off)], motion, margin);
            }
        }
        for Axis { direction, reach, length } in &self.axes[..self.axis_count] {
            let (axis, way) = (splat(simd, *direction), direction.dot(motion));
            let (a, b, c) = (dot(axis, p), dot(axis, q), dot(axis, r));
            let room = margin * f32x8::splat(simd, *length) + f32x8::splat(simd, reach + TINY);
            apart |= beyond(a.min(b).min(c), a.max(b).max(c), f32x8::splat(simd, way), room);
        }
        apart
    }

    /// A bit where there is a gap along an axis to a triangle that lies there between two heights.
    #[inline(always)]
    fn apart_along<S: Simd>(
        &self,
        simd: S,
        axis: [f32x8<S>; 3],
        [a, b]: [f32x8<S>; 2],
        motion: Vec3,
        margin: f32x8<S>,
    ) -> u32 {
        let length = (dot(axis, axis) + f32x8::splat(simd, TINY_SQUARE)).sqrt();
        let mut room = (margin + f32x8::splat(simd, self.radius)) * length + f32x8::splat(simd, TINY);
        for edge in &self.edges[..self.edge_count] {
            room += dot(axis, splat(simd, *edge)).abs();
        }
        beyond(a.min(b), a.max(b), dot(axis, splat(simd, motion)), room)
    }
}

/// A bit where an interval is farther than `room` from that between zero and `way`.
#[inline(always)]
fn beyond<S: Simd>(low: f32x8<S>, high: f32x8<S>, way: f32x8<S>, room: f32x8<S>) -> u32 {
    let zero = f32x8::splat(way.simd, 0.0);
    let (before, behind) = (way.max(zero) + room, way.min(zero) - room);
    (low.simd_gt(before).to_bitmask() | high.simd_lt(behind).to_bitmask()) as u32
}

impl From<&SphereSweep> for BodyWay {
    fn from(sweep: &SphereSweep) -> Self {
        Self::new(sweep.body().center(), [Vec3::ZERO; 3], sweep.body().radius(), sweep.motion())
    }
}

impl From<&CapsuleSweep> for BodyWay {
    fn from(sweep: &CapsuleSweep) -> Self {
        let body = sweep.body();
        Self::new(body.center(), [body.half_axis(), Vec3::ZERO, Vec3::ZERO], body.radius(), sweep.motion())
    }
}

/// Of a box that is very flat or skewed the way is that of the box around it.
impl From<&BoxSweep> for BodyWay {
    fn from(sweep: &BoxSweep) -> Self {
        let (body, motion) = (sweep.body(), sweep.motion());
        if passing::of_box(body, motion).is_none() {
            return Self::around(&body.aabb(), motion);
        }
        Self::new(body.center(), body.half_edges(), 0.0, motion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capsule, Obb, Sphere, Sweep, Triangle};
    use cullide_scenes::{Rng, SEED};
    use glam::Quat;

    /// Whether a sweep meets a triangle no later than `until`.
    fn is_met(found: Sweep, until: f32) -> bool {
        match found {
            Sweep::Clear => false,
            Sweep::Hit(hit) => hit.toi <= until,
            Sweep::Overlap(_) => true,
        }
    }

    #[test]
    fn what_is_touched_is_never_left_out_and_most_else_is() {
        let mut rng = Rng::with_seed(SEED ^ 71);
        let (mut left_out, mut missed) = ([0; 3], [0; 3]);
        for case in 0..6_000 {
            let (far, scale) = match case % 7 {
                0 => (Vec3::new(1000.0, -1000.0, 30.0), 1.0),
                1 => (Vec3::ZERO, 1e-12),
                2 => (Vec3::ZERO, 1e7),
                _ => (Vec3::ZERO, 1.0),
            };
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let mut vector = |size: f32| scale * round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let corners: Vec<[Vec3; 3]> = (0..1 + case % 18).map(|_| [(); 3].map(|()| far + vector(3.0))).collect();
            let (center, motion, edges) = (far + vector(5.0), vector(8.0), [(); 3].map(|()| vector(1.5)));
            let ball = SphereSweep::new(Sphere::new(center, 0.75 * scale).unwrap(), motion).unwrap();
            let rod = Capsule::from_half_axis(center, edges[0], 0.5 * scale).unwrap();
            let capsule = CapsuleSweep::new(rod, motion).unwrap();
            let turn = Quat::from_scaled_axis(edges[0] / scale);
            let body = if case % 3 == 0 {
                Obb::from_half_edges(center, edges).unwrap()
            } else {
                Obb::new(center, turn, edges[1].abs()).unwrap()
            };
            let obb = BoxSweep::new(body, motion).unwrap();
            let columns = TriangleColumns::new(corners.iter().copied());
            for until in [0.0, 0.3, 1.0] {
                let masks = [BodyWay::from(&ball), BodyWay::from(&capsule), BodyWay::from(&obb)]
                    .map(|way| way.may_touch(&columns, until));
                let around = BodyWay::around(&body.aabb(), motion).may_touch(&columns, until);
                for (i, &[a, b, c]) in corners.iter().enumerate().take(TriangleColumns::MAX) {
                    let Ok(triangle) = Triangle::new(a, b, c) else { continue };
                    let found = [
                        ball.against_triangle(&triangle),
                        capsule.against_triangle(&triangle),
                        obb.against_triangle(&triangle),
                    ];
                    assert!(around >> i & 1 == 1 || !is_met(found[2], until), "{triangle:?} {obb:?}");
                    for shape in 0..3 {
                        let (may, is_met) = (masks[shape] >> i & 1 == 1, is_met(found[shape], until));
                        assert!(may || !is_met, "{shape} {triangle:?} {ball:?} {capsule:?} {obb:?} {until}");
                        left_out[shape] += usize::from(!may);
                        missed[shape] += usize::from(!is_met);
                    }
                }
            }
        }
        for shape in 0..3 {
            assert!(left_out[shape] * 10 > missed[shape] * 7, "{left_out:?} of {missed:?}");
        }
    }

    #[test]
    fn every_instruction_set_leaves_out_the_same() {
        let mut rng = Rng::with_seed(SEED ^ 73);
        for _ in 0..2_000 {
            let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
            let columns = TriangleColumns::new((0..16).map(|_| [(); 3].map(|()| vector(3.0))));
            let body = Obb::new(vector(4.0), Quat::from_scaled_axis(vector(3.0)), vector(1.0).abs()).unwrap();
            let motion = vector(5.0);
            let way = BodyWay::from(&BoxSweep::new(body, motion).unwrap());
            let found = crate::vectorized::levels().into_iter().map(
                |level| vectorized!(level, simd => way.apart(simd, &columns, 0.7), else !way.may_touch(&columns, 0.7)),
            );
            let found: Vec<u32> = found.map(|apart| !apart & 0xffff).collect();
            assert!(found.iter().all(|mask| *mask == way.may_touch(&columns, 0.7)), "{found:?}");
        }
    }
}
