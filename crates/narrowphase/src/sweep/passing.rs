//! Whether a body that moves straight certainly passes by a triangle: a filter before its exact sweep.
//!
//! ```text
//!        ___                         seen along the motion, the body covers one figure all the way;
//!       /   \   |  ◁                 a line between that and the triangle runs along a side of either:
//!       \___/   |                    across the motion and an edge
//!               motion × edge
//! ```
//! The other axes are the normals of the triangle and of the body's faces, and the directions across a rod and an edge;
//! along these the body covers an interval up to a given time. Any axis that shows a gap proves one, so no product has
//! to be exact: the margin is a thousand times what the exact sweep takes for a touch. What remains is left to the
//! exact sweep.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.2.1 and §5.5.8 (separating axes, of moving bodies).

use crate::{Obb, Triangle, arrays::Mapped};
use glam::{DVec3, Vec3};

/// The margin, as a share of the sum of all coordinates: 2^-40.
const MARGIN: f64 = 1.0 / (1u64 << 40) as f64;

/// For a box whose volume is a smaller share than this, 2^-6, of the product of its edges' lengths, rounding of its
/// faces decides whether a path beside it meets it.
const SKEWED: f64 = 1.0 / 64.0;

/// A box with its edges rounded off by a radius, which moves straight.
pub(crate) struct PassingBody<const EDGES: usize> {
    center: DVec3,
    /// Half edges; fewer than three for a rod or a ball.
    edges: [DVec3; EDGES],
    radius: f64,
    motion: DVec3,
}

impl<const EDGES: usize> PassingBody<EDGES> {
    pub(crate) fn new(center: Vec3, half_edges: [Vec3; EDGES], radius: f32, motion: Vec3) -> Self {
        let edges = half_edges.map(|edge| edge.as_dvec3());
        Self { center: center.as_dvec3(), edges, radius: radius.into(), motion: motion.as_dvec3() }
    }

    /// Whether it certainly does not touch the triangle up to the fraction `until` of its motion.
    #[inline]
    pub(crate) fn passes_by(&self, triangle: &Triangle, until: f64) -> bool {
        let [p, q, r] = triangle.vertices().mapped(|corner| corner - self.center);
        let motion = self.motion * until.min(1.0);
        let size = self.edges.iter().fold(self.center.abs() + self.motion.abs(), |sum, edge| sum + edge.abs());
        let size = (size + p.abs() + q.abs() + r.abs()).element_sum() + self.radius;
        let around = self.radius + MARGIN * size;
        // A gap along an axis, whatever the length of the axis.
        let is_apart_along = |axis: DVec3| {
            let (a, b, c, way) = (axis.dot(p), axis.dot(q), axis.dot(r), axis.dot(motion));
            let along = self.edges.iter().fold(0.0, |sum, edge| sum + axis.dot(*edge).abs());
            let reach = along + around * axis.length();
            let (before, behind) = (reach + most(way, 0.0), least(way, 0.0) - reach);
            least(least(a, b), c) > before || most(most(a, b), c) < behind
        };
        let sides = [q - p, r - q, p - r];
        let is_apart_across = |way: DVec3| sides.iter().any(|side| is_apart_along(way.cross(*side)));
        let is_beside =
            || is_apart_across(self.motion) || self.edges.iter().any(|e| is_apart_along(self.motion.cross(*e)));
        is_apart_along(sides[0].cross(r - p))
            || self.motion != DVec3::ZERO && is_beside()
            || self.face_normals().any(is_apart_along)
            || EDGES == 1 && is_apart_across(self.edges[0])
    }

    /// The normals of its faces, of any length.
    fn face_normals(&self) -> impl Iterator<Item = DVec3> {
        let edge = |i: usize| self.edges[i % EDGES];
        let faces = if EDGES == 3 { 3 } else { 0 };
        (0..faces).map(move |i| edge(i + 1).cross(edge(i + 2)))
    }
}

/// The smaller and the greater of two numbers, neither of which is NaN: one instruction each, unlike `f64::min`.
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The same for a box; `None` if it is so skewed or flat that rounding may take it for one that touches.
pub(super) fn of_box(body: &Obb, motion: Vec3) -> Option<PassingBody<3>> {
    let [a, b, c] = body.wide_edges();
    let volume = a.dot(b.cross(c));
    let of_lengths = a.length_squared() * b.length_squared() * c.length_squared();
    let is_solid = volume * volume > SKEWED * SKEWED * of_lengths;
    is_solid.then(|| PassingBody::new(body.center(), body.half_edges(), 0.0, motion))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxSweep, Capsule, CapsuleSweep, Sphere, SphereSweep, Sweep};
    use cullide_scenes::{Rng, SEED};
    use glam::Quat;

    /// Triangles, places and motions near each other; every other time on a grid.
    fn each_case(mut check: impl FnMut(&Triangle, Vec3, Vec3, [Vec3; 3])) {
        let mut rng = Rng::with_seed(SEED ^ 61);
        for case in 0..40_000 {
            let scale = if case % 5 == 0 { 1000.0 } else { 0.0 };
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let mut vector = |size: f32| round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
            let far = Vec3::new(scale, -scale, 0.5 * scale);
            let [a, b, c] = [(); 3].map(|()| far + vector(3.0));
            let (center, motion, edges) = (far + vector(6.0), vector(8.0), [(); 3].map(|()| vector(1.5)));
            if let Ok(triangle) = Triangle::new(a, b, c) {
                check(&triangle, center, motion, edges);
            }
        }
    }

    #[test]
    fn what_is_passed_by_at_rest_is_apart() {
        let mut told = [0; 2];
        each_case(|triangle, center, _, edges| {
            let (ball, rod) =
                (Sphere::new(center, 0.75).unwrap(), Capsule::from_half_axis(center, edges[0], 0.5).unwrap());
            let passes = [
                PassingBody::new(center, [], 0.75, Vec3::ZERO).passes_by(triangle, 0.0),
                PassingBody::new(center, [edges[0]], 0.5, Vec3::ZERO).passes_by(triangle, 0.0),
            ];
            for (shape, gap) in [triangle.gap_of_sphere(&ball), triangle.gap_of_capsule(&rod)].iter().enumerate() {
                assert!(!passes[shape] || gap.is_apart() && gap.separation > 0.0, "{triangle:?} {gap:?}");
                told[shape] += usize::from(passes[shape]);
            }
        });
        assert!(told.iter().all(|told| *told > 10_000), "{told:?}");
    }

    #[test]
    fn what_passes_by_is_never_touched_before() {
        let (mut passed, mut clear, mut late) = ([0; 3], [0; 3], 0);
        let mut note = |shape: usize, passes: Option<bool>, until: f64, sweep: &dyn Fn() -> Sweep| {
            let Some(passes) = passes else { return };
            let found = sweep();
            let is_met = match found {
                Sweep::Clear => false,
                Sweep::Hit(hit) => f64::from(hit.toi) < until,
                Sweep::Overlap(_) => true,
            };
            assert!(!(passes && is_met), "{shape} {until} {found:?}");
            passed[shape] += usize::from(passes);
            clear[shape] += usize::from(!is_met);
            late += usize::from(passes && found.hit().is_some());
        };
        each_case(|triangle, center, motion, edges| {
            for until in [0.0, 0.4, 1.0] {
                // The exact sweep, without a filter.
                let polygon = triangle.wide();
                let (polygon, difference) = (polygon.polygon(), polygon.polygon().difference());
                let ball = SphereSweep::new(Sphere::new(center, 0.75).unwrap(), motion).unwrap();
                let passes = PassingBody::new(center, [], 0.75, motion).passes_by(triangle, until);
                note(0, Some(passes), until, &|| ball.against_polygon(&polygon, 1.0));
                let capsule = Capsule::from_half_axis(center, edges[0], 0.5).unwrap();
                let capsule = CapsuleSweep::new(capsule, motion).unwrap();
                let passes = PassingBody::new(center, [edges[0]], 0.5, motion).passes_by(triangle, until);
                note(1, Some(passes), until, &|| capsule.against_near_triangle_until(triangle, 1.0));
                for body in [
                    Obb::from_half_edges(center, edges).unwrap(),
                    Obb::new(center, Quat::from_scaled_axis(edges[0]), edges[1].abs()).unwrap(),
                ] {
                    let passes = of_box(&body, motion).map(|body| body.passes_by(triangle, until));
                    note(2, passes, until, &|| BoxSweep::new(body, motion).unwrap().against_difference(&difference));
                }
            }
        });
        // Most of what is not hit: otherwise the filter would be useless.
        for shape in 0..3 {
            assert!(passed[shape] * 10 > clear[shape] * 8, "{passed:?} of {clear:?}");
        }
        assert!(late > 1000, "{late}");
    }
}
