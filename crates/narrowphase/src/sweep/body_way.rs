//! Which of up to sixteen triangles a body may touch on its way, and when at the earliest: a filter in `f32` lanes for
//! the many triangles that are near.
//!
//! ```text
//!   along an axis   the triangle lies between two heights, and the body reaches so far from its centre, which moves
//!                   from `enter` to `exit` the two overlap
//!   along all       they touch no earlier than the latest `enter`, and not at all if that is after any `exit`
//! ```
//! The axes are those of [`passing`](super::passing), the motion itself, the directions across the edges of a box and a
//! triangle, and for a ball or a capsule the direction to it from the nearest edge when the body comes near. With this
//! last axis, most of the triangles that remain are in fact touched, and the first by its time is the first that is
//! touched.
//!
//! A gap larger than a margin proves that the body does not touch the triangle. Any axis may be tested, so only the
//! products with it err: each by less than six roundings of the lengths multiplied; the margin allows for thirty.
//!
//! Leaving triangles out changes no answer: those that remain are tested exactly.
//!
//! A body that overlaps several triangles at the start is tested first against the one in which it may be deepest: in
//! place of times there are depths, with their signs turned, so less than zero.
//!
//! Reading order: this file; [`times`]; [`at_rest`], overlaps.
//!
//! Sources: Ericson, "Real-Time Collision Detection", §5.5.8 (moving bodies), §5.1.9 (segments).

mod at_rest;
mod times;

pub use at_rest::Meets;
pub use times::Touches;

use super::passing;
use crate::{
    Aabb, BoxSweep, Capsule, CapsuleSweep, Obb, Sphere, SphereSweep, TriangleColumns,
    shape::triangle_columns::{LANES, TriangleRow, corners},
    simd::{Simd, Vec3x8, level, one_by_one, vectorized},
};
use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use times::Times;

/// The margin, as a share of the sum of all lengths from the middle of the body: 2^-19.
const MARGIN: f32 = 1.0 / (1u32 << 19) as f32;

/// The same as a share of the coordinates of that middle, for what the exact tests take for a touch: 2^-38.
const FAR_MARGIN: f32 = 1.0 / (1u64 << 38) as f32;

/// More than rounding a pose to `f32`, and pushing it off by a step or two, may move it, as a share of the coordinates
/// of its path: 2^-22.
const ROOM: f32 = 1.0 / (1u32 << 22) as f32;

/// How often the edge that a ball or a capsule meets is looked for, the first time from where it may meet the plane.
const LOOKS: usize = 2;

/// More than what underflow takes from the square of a length; [`TINY`] is the same for a product of three lengths.
const TINY_SQUARE: f32 = 1e-36;

/// Keeps the square of a length above zero, as lanes behind the last triangle have edges without a length. Products of
/// two such squares are normal numbers; subnormal ones take a hundred times as long.
const LEAST_SQUARE: f32 = 1e-18;

const TINY: f32 = 1e-30;

/// A body and its way: a box whose edges are rounded off by a radius. A ball is such a box without size, a capsule one
/// with a single edge.
///
/// ```
/// use cullide_narrowphase::{BodyWay, Sphere, SphereSweep, TriangleColumns, glam::Vec3};
/// let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0)?, Vec3::X * 8.0)?;
/// let wall = |x: f32| [Vec3::new(x, -4.0, -4.0), Vec3::new(x, 4.0, -4.0), Vec3::new(x, 0.0, 4.0)];
/// let walls = TriangleColumns::new([wall(5.0), wall(-5.0), wall(12.0)]);
/// // It meets the first at half of its way; others that it does not meet need not be left out.
/// assert_eq!(BodyWay::from(&ball).touches(&walls, 0.5).next_within(0.5), Some(0));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BodyWay {
    center: Vec3,
    /// Half edges, as many as there are.
    edges: [Vec3; 3],
    edge_count: usize,
    radius: f32,
    motion: Vec3,
    /// The motion, the normals of its faces, and the directions across the motion and its edges; as many as there are.
    axes: [SharedAxis; 7],
    axis_count: usize,
    /// What the body's own lengths add to the margin.
    margin: f32,
    /// Whether it is the body itself, and not its AABB.
    is_true: bool,
}

/// An axis that is the same for all triangles.
#[derive(Clone, Copy, Debug)]
struct SharedAxis {
    direction: Vec3,
    /// How far the body reaches along it, and its length.
    reach: f32,
    length: f32,
    /// How far the body moves along it; zero for an axis across the motion.
    way: f32,
}

impl BodyWay {
    /// Creates the way of a box around a body; the box does not rotate.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BodyWay, TriangleColumns, glam::Vec3};
    /// let way = BodyWay::around(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, Vec3::X * 8.0);
    /// let ahead = [Vec3::new(7.0, -4.0, 0.5), Vec3::new(7.0, 4.0, 0.5), Vec3::new(7.5, 0.0, 4.0)];
    /// assert_eq!(way.touches(&TriangleColumns::new([ahead]), 1.0).next_within(1.0), Some(0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn around(aabb: &Aabb, motion: Vec3) -> Self {
        let (min, max) = (aabb.min(), aabb.max());
        let center = 0.5 * min + 0.5 * max;
        // Reaches both sides from the rounded middle.
        let half = (max - center).max(center - min) * (1.0 + f32::EPSILON);
        let way = Self::new(center, [Vec3::X * half.x, Vec3::Y * half.y, Vec3::Z * half.z], 0.0, motion);
        Self { is_true: false, ..way }
    }

    fn of_ball(ball: &Sphere, motion: Vec3) -> Self {
        Self::new(ball.center(), [Vec3::ZERO; 3], ball.radius(), motion)
    }

    fn of_capsule(body: &Capsule, motion: Vec3) -> Self {
        Self::new(body.center(), [body.half_axis(), Vec3::ZERO, Vec3::ZERO], body.radius(), motion)
    }

    fn of_box(body: &Obb, motion: Vec3) -> Self {
        if passing::of_box(body, motion).is_none() {
            return Self::around(&body.aabb(), motion);
        }
        Self::new(body.center(), body.half_edges(), 0.0, motion)
    }

    fn new(center: Vec3, edges: [Vec3; 3], radius: f32, motion: Vec3) -> Self {
        let mut way = Self::without_axes(center, edges, radius, motion);
        way.add(motion, true);
        for i in 0..3 {
            way.add(motion.cross(edges[i]), false);
            way.add(edges[(i + 1) % 3].cross(edges[(i + 2) % 3]), true);
        }
        way
    }

    /// The same without these axes, so that [`BodyWay::touches`] leaves out less; [`BodyWay::meets`] needs no more.
    #[inline]
    fn without_axes(center: Vec3, edges: [Vec3; 3], radius: f32, motion: Vec3) -> Self {
        let none = SharedAxis { direction: Vec3::ZERO, reach: 0.0, length: 0.0, way: 0.0 };
        let sum = |v: Vec3| v.abs().element_sum();
        let size = edges.iter().map(|edge| sum(*edge)).sum::<f32>() + radius + sum(motion);
        let margin = MARGIN * size + FAR_MARGIN * sum(center) + Self::room(center, motion);
        let edge_count = 3 - edges.iter().rev().take_while(|edge| **edge == Vec3::ZERO).count();
        let (axes, axis_count, is_true) = ([none; 7], 0, true);
        Self { center, edges, edge_count, radius, motion, axes, axis_count, margin, is_true }
    }

    /// Returns how far the centre of a body may be from where its motion has led it while the body still touches
    /// nothing there that [`BodyWay::touches`] leaves out, or reports to be touched later.
    ///
    /// ```
    /// # use cullide_narrowphase::{BodyWay, glam::Vec3};
    /// let room = BodyWay::room(Vec3::X * 700.0, Vec3::X * 68.0);
    /// assert!(room > f32::EPSILON * 768.0 && room < 0.001);
    /// ```
    pub fn room(center: Vec3, motion: Vec3) -> f32 {
        ROOM * (center.abs() + motion.abs()).element_sum()
    }

    /// Adds an axis, unless it has no direction: one that the body `moves` along, or one that is across its motion up
    /// to rounding.
    fn add(&mut self, direction: Vec3, moves: bool) {
        if direction != Vec3::ZERO {
            let along: f32 = self.edges.iter().map(|edge| direction.dot(*edge).abs()).sum();
            let length = (direction.length_squared() + TINY_SQUARE).sqrt();
            let (reach, moved) = (along + self.radius * length, direction.dot(self.motion));
            let (reach, way) = if moves { (reach, moved) } else { (reach + moved.abs(), 0.0) };
            self.axes[self.axis_count] = SharedAxis { direction, reach, length, way };
            self.axis_count += 1;
        }
    }

    /// Returns which triangles it may touch up to the fraction `until` of its way, inclusive, and when at the earliest.
    /// A triangle that it touches is never left out, nor touched earlier than reported. Which are left out does not
    /// depend on the processor; without vector instructions, depths are not known.
    ///
    /// A negative `until` is a depth, with its sign turned, to which the body is known to be in some triangle at the
    /// start. Then the triangles count that it may overlap there, and those in which it certainly is less deep come
    /// after `until`.
    pub fn touches(&self, triangles: &TriangleColumns, until: f32) -> Touches {
        vectorized!(level(), simd => self.touches_in::<_, true>(simd, triangles, until),
            else one_by_one!(level(), simd => self.touches_in::<_, false>(simd, triangles, until)))
    }

    /// Without `DEPTHS`, those are left out.
    #[inline(always)]
    fn touches_in<S: Simd, const DEPTHS: bool>(&self, simd: S, triangles: &TriangleColumns, until: f32) -> Touches {
        let (mut lanes, mut at_least) = (0, [0.0; TriangleColumns::MAX]);
        let (zero, deep) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, f32::NEG_INFINITY));
        for (i, (row, at_least)) in triangles.rows().zip(at_least.chunks_exact_mut(LANES)).enumerate() {
            let present = ((1 << triangles.len()) - 1) >> (i * LANES) & ((1 << LANES) - 1);
            let is_deep = DEPTHS && self.is_true && until < 0.0;
            let (mut near, mut times, mut is_asked) = (present, zero, is_deep);
            if !is_deep {
                let (beside, from) = self.times_in(simd, row, until.max(0.0), present);
                (near, times) = (present & !beside, from);
                let at_start = near & !(times.simd_gt(zero).to_bitmask() as u32);
                // With only one triangle, how deep the body is in it tells nothing.
                is_asked = DEPTHS && self.is_true && at_start & at_start.wrapping_sub(1) != 0;
            }
            let mut least = deep;
            if is_asked {
                let (apart, depths) = self.depths(simd, row);
                least = zero - depths;
                near &= if is_deep { !apart } else { u32::MAX };
            }
            if !is_deep {
                least = times.simd_gt(zero).select(times, least);
            }
            lanes |= near << (i * LANES);
            at_least.copy_from_slice(least.as_slice());
        }
        Touches { lanes, at_least }
    }

    /// A bit for each triangle of a row that it certainly does not touch, and for the others a time before it does.
    /// Those that are not `present` do not count.
    #[inline(always)]
    fn times_in<S: Simd>(&self, simd: S, row: &TriangleRow, until: f32, present: u32) -> (u32, f32x8<S>) {
        let [p, q, r] = corners(simd, row, self.center);
        let size = (p.abs_sum() + q.abs_sum() + r.abs_sum()) * f32x8::splat(simd, MARGIN);
        let margin = size + f32x8::splat(simd, self.margin);
        let (u, v, w) = (q - p, r - q, p - r);
        let mut times = Times::new(simd, until);

        self.meet_triangle(&mut times, u.cross(v), [p, q, r], margin);
        for SharedAxis { direction, reach, length, way } in &self.axes[..self.axis_count] {
            let axis = Vec3x8::splat(simd, *direction);
            let (a, b, c) = (axis.dot(p), axis.dot(q), axis.dot(r));
            let room = margin * f32x8::splat(simd, *length) + f32x8::splat(simd, reach + TINY);
            let (low, high) = (a.min(b).min(c) - room, a.max(b).max(c) + room);
            if *way == 0.0 {
                times.stay(low, high);
            } else {
                times.meet(low, high, f32x8::splat(simd, *way));
            }
        }
        let (beside, _) = times.told();
        if present & !beside == 0 {
            return times.told();
        }
        for (edge, on, off) in [(u, p, r), (v, q, p), (w, r, q)] {
            let square = edge.dot(edge);
            // An axis across an edge leans by rounding, and the more so the more nearly parallel its other factor is to
            // the edge.
            let leaning = |length: f32| square * f32x8::splat(simd, MARGIN * length);
            if self.motion != Vec3::ZERO {
                let axis = Vec3x8::splat(simd, self.motion).cross(edge);
                let (a, b) = (axis.dot(on), axis.dot(off));
                let moved = square.sqrt() * f32x8::splat(simd, MARGIN * self.motion.length_squared());
                let room = self.reach(axis, margin) + leaning(self.motion.length()) + moved;
                times.stay(a.min(b) - room, a.max(b) + room);
            }
            if self.edge_count == 3 {
                for own in &self.edges {
                    let axis = edge.cross(Vec3x8::splat(simd, *own));
                    let (a, b) = (axis.dot(on), axis.dot(off));
                    let room = self.reach(axis, margin) + leaning(own.length());
                    self.meet_between(&mut times, axis, [a.min(b) - room, a.max(b) + room]);
                }
            }
        }
        if self.edge_count < 3 {
            for _ in 0..if self.motion == Vec3::ZERO { 1 } else { LOOKS } {
                let axis = self.away_at(simd, times.enter, [(p, u), (q, v), (r, w)]);
                self.meet_triangle(&mut times, axis, [p, q, r], margin);
            }
        }
        times.told()
    }

    /// Adds an axis for each triangle.
    #[inline(always)]
    fn meet_triangle<S: Simd>(
        &self,
        times: &mut Times<S>,
        axis: Vec3x8<S>,
        [p, q, r]: [Vec3x8<S>; 3],
        margin: f32x8<S>,
    ) {
        let (a, b, c) = (axis.dot(p), axis.dot(q), axis.dot(r));
        let room = self.reach(axis, margin);
        let (low, high) = (a.min(b).min(c) - room, a.max(b).max(c) + room);
        self.meet_between(times, axis, [low, high]);
    }

    /// Adds an axis along which the centre of the body is between two heights when the two meet.
    #[inline(always)]
    fn meet_between<S: Simd>(&self, times: &mut Times<S>, axis: Vec3x8<S>, [low, high]: [f32x8<S>; 2]) {
        if self.motion == Vec3::ZERO {
            times.stay(low, high);
        } else {
            times.meet(low, high, axis.dot(Vec3x8::splat(low.simd, self.motion)));
        }
    }

    /// How far the body reaches along an axis, plus a margin.
    #[inline(always)]
    fn reach<S: Simd>(&self, axis: Vec3x8<S>, margin: f32x8<S>) -> f32x8<S> {
        let simd = margin.simd;
        if self.radius == 0.0 {
            // For a box the length only scales the margin, and a bound will do.
            let mut room = margin * axis.abs_sum() + f32x8::splat(simd, TINY);
            for edge in &self.edges[..self.edge_count] {
                room += axis.dot(Vec3x8::splat(simd, *edge)).abs();
            }
            return room;
        }
        let length = (axis.dot(axis) + f32x8::splat(simd, TINY_SQUARE)).sqrt();
        let mut room = (margin + f32x8::splat(simd, self.radius)) * length + f32x8::splat(simd, TINY);
        for edge in &self.edges[..self.edge_count] {
            room += axis.dot(Vec3x8::splat(simd, *edge)).abs();
        }
        room
    }

    /// The approximate direction from the nearest point of three edges, each given by its start and its vector, to the
    /// middle line of the body at a time.
    #[inline(always)]
    fn away_at<S: Simd>(&self, simd: S, time: f32x8<S>, edges: [(Vec3x8<S>, Vec3x8<S>); 3]) -> Vec3x8<S> {
        let (zero, one, tiny) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0), f32x8::splat(simd, LEAST_SQUARE));
        let (rod, motion) = (Vec3x8::splat(simd, self.edges[0]), Vec3x8::splat(simd, self.motion));
        let square = f32x8::splat(simd, self.edges[0].length_squared() + LEAST_SQUARE);
        let center = motion * time;
        let (mut nearest, mut least) = (motion, f32x8::splat(simd, f32::INFINITY));
        for (start, edge) in edges {
            let way = center - start;
            let (along, length) = (edge.dot(way), edge.dot(edge) + tiny);
            let mut offset = way;
            let mut share = along;
            if self.edge_count > 0 {
                let (across, own) = (rod.dot(edge), rod.dot(way));
                let on_rod = (across * along - own * length) / (square * length - across * across + tiny);
                let on_rod = on_rod.max(zero - one).min(one);
                let on_edge = ((along + across * on_rod) / length).max(zero).min(one);
                let on_rod = ((across * on_edge - own) / square).max(zero - one).min(one);
                offset = way + rod * on_rod;
                share = along + across * on_rod;
            }
            let share = (share / length).max(zero).min(one);
            let offset = offset - edge * share;
            let distance = offset.dot(offset);
            let is_nearer = distance.simd_lt(least);
            least = is_nearer.select(distance, least);
            nearest = Vec3x8::select(is_nearer, offset, nearest);
        }
        nearest
    }
}

impl From<&SphereSweep> for BodyWay {
    fn from(sweep: &SphereSweep) -> Self {
        Self::of_ball(sweep.body(), sweep.motion())
    }
}

/// The way of a ball at rest.
impl From<&Sphere> for BodyWay {
    fn from(ball: &Sphere) -> Self {
        Self::without_axes(ball.center(), [Vec3::ZERO; 3], ball.radius(), Vec3::ZERO)
    }
}

/// The way of a capsule at rest.
impl From<&Capsule> for BodyWay {
    fn from(capsule: &Capsule) -> Self {
        let edges = [capsule.half_axis(), Vec3::ZERO, Vec3::ZERO];
        Self::without_axes(capsule.center(), edges, capsule.radius(), Vec3::ZERO)
    }
}

/// The way of a box at rest; for a box that is very flat or skewed, that of its AABB, as for a moving one.
impl From<&Obb> for BodyWay {
    fn from(body: &Obb) -> Self {
        if passing::of_box(body, Vec3::ZERO).is_none() {
            return Self::around(&body.aabb(), Vec3::ZERO);
        }
        Self::without_axes(body.center(), body.half_edges(), 0.0, Vec3::ZERO)
    }
}

impl From<&CapsuleSweep> for BodyWay {
    fn from(sweep: &CapsuleSweep) -> Self {
        Self::of_capsule(sweep.body(), sweep.motion())
    }
}

/// The way of a box; for a box that is very flat or skewed, that of its AABB.
impl From<&BoxSweep> for BodyWay {
    fn from(sweep: &BoxSweep) -> Self {
        Self::of_box(sweep.body(), sweep.motion())
    }
}

#[cfg(test)]
mod tests;
