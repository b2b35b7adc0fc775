//! Which triangles a box may touch: a filter in lanes that runs before their manifolds are computed.
//!
//! A triangle is left out if there is a gap along one of the axes of [`triangle_box`](super::triangle_box). A gap along
//! any direction at all proves that the two are apart, so only the dot products with the direction can err, each by
//! less than eight roundings of the lengths multiplied; the box is enlarged by more than that. With one triangle per
//! lane no product crosses lanes, and no length is needed, since both sides of a comparison are multiples of the same
//! one.
//!
//! Source: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001.

use super::{ContactShape, box_frame::BoxEdges};
use crate::{Aabb, arrays::Mapped};
use glam::{Vec3, Vec4};

/// Bound on what rounding may add to a length, as a share of the sum of all lengths from the middle of the box: 2^-19.
const MARGIN: f32 = 1.0 / (1u32 << 19) as f32;

/// The same as a share of the coordinates of that middle: 2^-22.
const FAR_MARGIN: f32 = 1.0 / (1u32 << 22) as f32;

/// More than what underflow takes from a product of three lengths.
const TINY: f32 = 1e-30;

/// The region that a box may reach: again a box, along the same axes.
///
/// ```
/// use cullide_narrowphase::{Aabb, BoxReach, ContactShape, Obb, glam::{Quat, Vec3}};
/// // A cube on its edge, which reaches as far as the square root of 2, and may move by 0.25.
/// let cube = Obb::new(Vec3::ZERO, Quat::from_rotation_z(std::f32::consts::FRAC_PI_4), Vec3::ONE)?;
/// let reach = BoxReach::new(&ContactShape::Box(&cube), &cube.aabb().expanded(0.25));
/// let below = |x: f32, y: f32| [Vec3::new(x - 0.1, y, -1.0), Vec3::new(x + 0.1, y, -1.0), Vec3::new(x, y, 1.0)];
/// // One triangle under its edge, and two beside that, within the cube's AABB.
/// assert_eq!(reach.may_touch(&[below(0.0, -1.5), below(1.2, -1.2), below(-1.2, -1.2)]), 0b001);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoxReach {
    center: Vec3,
    /// Unit vectors.
    axes: [Vec3; 3],
    half: Vec3,
    /// More than what rounding may add to the box.
    slack: f32,
}

impl BoxReach {
    /// Creates the region that a box may reach if no point of it moves by a vector that would move its AABB out of
    /// `reach`. For another shape, and for a skewed box, it is all of `reach`.
    pub fn new(body: &ContactShape, reach: &Aabb) -> Self {
        let frame = BoxEdges::of(body).and_then(|edges| Some((edges, edges.frame()?)));
        let Some((edges, frame)) = frame else {
            let center = reach.center();
            return Self::of(center, Vec3::AXES, (reach.max() - center).max(center - reach.min()));
        };
        let extent = Vec3::from(edges.rows.mapped(|row| row.truncate().abs().element_sum()));
        let (low, high) = (reach.min() - (edges.center - extent), reach.max() - (edges.center + extent));
        let (low, high) = (low.min(Vec3::ZERO), high.max(Vec3::ZERO));
        let axes = [frame.axis(0), frame.axis(1), frame.axis(2)];
        let grown = Vec3::from(axes.mapped(|axis| axis.abs().dot(0.5 * (high - low))));
        Self::of(edges.center + 0.5 * (low + high), axes, frame.half.truncate() + grown)
    }

    fn of(center: Vec3, axes: [Vec3; 3], half: Vec3) -> Self {
        let slack = MARGIN * half.element_sum() + FAR_MARGIN * center.abs().element_sum();
        Self { center, axes, half, slack }
    }

    /// Returns a bit for each of the first 32 triangles, set if the box may touch it there. A triangle that it touches
    /// is never left out.
    pub fn may_touch(&self, triangles: &[[Vec3; 3]]) -> u32 {
        let mut found = 0;
        for (i, some) in triangles.chunks(4).take(8).enumerate() {
            let at = |lane: usize| some[lane.min(some.len() - 1)];
            let apart = self.apart([at(0), at(1), at(2), at(3)]);
            found |= (!apart & ((1 << some.len()) - 1)) << (4 * i);
        }
        found
    }

    /// A bit for each triangle that is certainly not touched.
    fn apart(&self, triangles: [[Vec3; 3]; 4]) -> u32 {
        // Written out: calls of `map` would not be inlined here.
        let [a, b, c, d] = triangles;
        let [p, q, r] = [
            self.seen([a[0], b[0], c[0], d[0]]),
            self.seen([a[1], b[1], c[1], d[1]]),
            self.seen([a[2], b[2], c[2], d[2]]),
        ];
        let corners = [p, q, r];
        let size = sum(abs(p)) + sum(abs(q)) + sum(abs(r));
        let slack = size * MARGIN + Vec4::splat(self.slack);
        let half = [slack + self.half.x, slack + self.half.y, slack + self.half.z];
        let tiny = Vec4::splat(TINY);
        let sides = [minus(q, p), minus(r, q), minus(p, r)];

        let normal = cross(sides[0], sides[1]);
        let mut apart = dot(normal, p).abs().cmpgt(dot(abs(normal), half) + tiny);
        for i in 0..3 {
            let (low, high) = (p[i].min(q[i]).min(r[i]), p[i].max(q[i]).max(r[i]));
            apart |= low.max(-high).cmpgt(half[i]);
        }
        if apart.all() {
            return apart.bitmask();
        }
        // Across an axis and a side, both of whose ends project to one place.
        for (k, side) in sides.iter().enumerate() {
            let abs = abs(*side);
            let (on, off) = (corners[k], corners[(k + 2) % 3]);
            for i in 0..3 {
                let (u, v) = ((i + 1) % 3, (i + 2) % 3);
                let along = |corner: [Vec4; 3]| side[u] * corner[v] - side[v] * corner[u];
                let (one, other) = (along(on), along(off));
                let reach = abs[u] * half[v] + abs[v] * half[u] + tiny;
                apart |= one.min(other).max(-one.max(other)).cmpgt(reach);
            }
        }
        apart.bitmask()
    }

    /// Points relative to the middle, along the axes.
    fn seen(&self, points: [Vec3; 4]) -> [Vec4; 3] {
        let [a, b, c, d] = points;
        let at = |i: usize| Vec4::new(a[i], b[i], c[i], d[i]) - Vec4::splat(self.center[i]);
        let from_center = [at(0), at(1), at(2)];
        let along = |axis: Vec3| sum([from_center[0] * axis.x, from_center[1] * axis.y, from_center[2] * axis.z]);
        [along(self.axes[0]), along(self.axes[1]), along(self.axes[2])]
    }
}

#[inline(always)]
fn sum([x, y, z]: [Vec4; 3]) -> Vec4 {
    x + y + z
}

#[inline(always)]
fn abs([x, y, z]: [Vec4; 3]) -> [Vec4; 3] {
    [x.abs(), y.abs(), z.abs()]
}

#[inline(always)]
fn dot(a: [Vec4; 3], b: [Vec4; 3]) -> Vec4 {
    sum([a[0] * b[0], a[1] * b[1], a[2] * b[2]])
}

fn minus(a: [Vec4; 3], b: [Vec4; 3]) -> [Vec4; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [Vec4; 3], b: [Vec4; 3]) -> [Vec4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Obb, Triangle};
    use cullide_scenes::{Rng, SEED};
    use glam::Quat;

    #[test]
    fn what_is_touched_is_never_left_out_and_most_else_is() {
        let mut rng = Rng::with_seed(SEED ^ 79);
        let (mut left_out, mut missed) = (0, 0);
        for case in 0..4_000 {
            let (far, scale) = match case % 7 {
                0 => (Vec3::new(1000.0, -1000.0, 30.0), 1.0),
                1 => (Vec3::ZERO, 1e-12),
                2 => (Vec3::ZERO, 1e7),
                _ => (Vec3::ZERO, 1.0),
            };
            // Integer coordinates often make touches.
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let mut vector = |size: f32| scale * round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let (center, edges) = (far + vector(2.0), [(); 3].map(|()| vector(1.5)));
            let turn = if case % 3 == 0 { Quat::IDENTITY } else { Quat::from_scaled_axis(edges[0] / scale) };
            let body = match case % 5 {
                // Skewed, or flat.
                0 => Obb::from_half_edges(center, edges).unwrap(),
                _ => Obb::new(center, turn, edges[1].abs()).unwrap(),
            };
            let around = body.aabb();
            let (before, behind) = (vector(0.7).abs(), vector(0.3).abs());
            let Ok(reach) = Aabb::new(around.min() - before, around.max() + behind) else { continue };
            let corners: Vec<[Vec3; 3]> = (0..1 + case % 37).map(|_| [(); 3].map(|()| far + vector(3.0))).collect();
            let found = BoxReach::new(&ContactShape::Box(&body), &reach).may_touch(&corners);
            let ends = [before, behind].map(|way| 0.999 * way);
            let places: Vec<Obb> = (0..9)
                .map(|i| match i {
                    8 => center,
                    _ => center + Vec3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { ends[1][k] } else { -ends[0][k] })),
                })
                .filter_map(|center| Obb::from_half_edges(center, body.half_edges()).ok())
                .collect();
            for (i, &[a, b, c]) in corners.iter().enumerate().take(32) {
                let Ok(triangle) = Triangle::new(a, b, c) else { continue };
                let (may, is_met) = (found >> i & 1 == 1, places.iter().any(|body| triangle.overlaps_obb(body)));
                assert!(may || !is_met, "{body:?} {reach:?} {triangle:?}");
                left_out += usize::from(!may);
                missed += usize::from(!is_met);
            }
            assert_eq!(u64::from(found) >> corners.len().min(32), 0);
        }
        assert!(left_out * 10 > missed * 6, "{left_out} of {missed}");
    }
}
