//! The rebound of bodies that contacts have stopped.

use super::{Inertia, Motion, POINTS, SolverBody, WideContact, solve::BodyPair};
use crate::dynamics::solver::lanes::{
    LANES, Row, Simd, Vec3x8, above, columns, f32x8, load, max, min, select, splat, sqrt, store,
};

/// The number of passes in which the points of a contact settle how fast they go back.
const SWEEPS: usize = 16;

/// An inverse inertia of trace 1 with a determinant no greater than this, as of a needle, has no known inverse in
/// `f32`.
const NEEDLE: f32 = 1e-4;

impl WideContact {
    /// Whether any lane rebounds at all.
    pub(in crate::dynamics::solver) fn rebounds(&self) -> bool {
        self.rebounds
    }

    /// Lets points that arrived faster than `threshold` and were stopped go back with the restitution's share of that
    /// speed, but with no more than the square of that share of the energy that stopping them took: points that are
    /// stopped together, and rub, would otherwise gain energy. Nor do they get more than the same share of what both
    /// bodies together have lost since the step began.
    ///
    /// Source: Stronge, "Impact Mechanics", 2nd edition, section 3.3.1 (energetic restitution).
    #[inline(always)]
    pub(in crate::dynamics::solver) fn rebound<S: Simd>(
        &mut self,
        simd: S,
        own: &[SolverBody],
        velocities: &mut [Row],
        threshold: f32,
    ) {
        let zero = splat(simd, 0.0);
        let normal = Vec3x8::load(simd, &self.normal);
        let inertia = [self.inertia(simd, 0), self.inertia(simd, 1)];
        let (first, second) =
            (Motion::gather(simd, velocities, &self.bodies[0]), Motion::gather(simd, velocities, &self.bodies[1]));
        let start = BodyPair { simd, normal, inertia, motions: [first, second] };
        let mut pair = start;
        let restitution = load(simd, &self.restitution);
        let count = self.count;
        let mut pushes = [zero; POINTS];
        let mut taken = zero;
        for point in &self.points[..count] {
            let is_fast = above(splat(simd, -threshold), load(simd, &point.approach));
            taken += select(is_fast, load(simd, &point.taken), zero);
        }
        if store(taken).iter().all(|&taken| taken <= 0.0) {
            return;
        }
        // A body that lands flat goes straight back: each point is updated again after the others.
        for _ in 0..SWEEPS {
            for (point, push) in self.points[..count].iter().zip(&mut pushes) {
                let (approach, energy) = (load(simd, &point.approach), load(simd, &point.taken));
                let is_fast = above(splat(simd, -threshold), approach);
                let speed = pair.speed_along(normal, &point.jacobians);
                let least = zero - load(simd, &point.impulse);
                let more = load(simd, &point.normal_mass) * (speed + restitution * approach);
                let wanted = select(above(energy, zero), select(is_fast, max(least, *push - more), zero), zero);
                pair.push_along(normal, &point.jacobians, wanted - *push);
                *push = wanted;
            }
        }
        // Twice the work of a share `s` of these is `2 s linear + s² square`.
        let (mut linear, mut square) = (zero, zero);
        for (point, push) in self.points[..count].iter().zip(pushes) {
            let before = start.speed_along(normal, &point.jacobians);
            linear += push * before;
            square += push * (pair.speed_along(normal, &point.jacobians) - before);
        }
        let taken = min(taken, max(zero, self.lost(simd, own, start.motions, taken)));
        let allowed = restitution * restitution * taken;
        let is_more = above(linear + linear + square, allowed);
        // Divided by `square`, as the square of an energy may overflow or underflow `f32`.
        let (does_push, one) = (above(square, zero), splat(simd, 1.0));
        let whole = select(does_push, square, one);
        let (linear, allowed) = (linear / whole, allowed / whole);
        let root = sqrt(max(zero, linear * linear + allowed));
        let share = select(is_more, max(zero, root - linear), one);
        let share = select(does_push, share, zero);
        let mut pair = start;
        for (point, push) in self.points[..count].iter_mut().zip(pushes) {
            let push = push * share;
            // What goes back is not held in the next step.
            let holds = above(splat(simd, f32::MIN_POSITIVE), push);
            point.impulse = store(select(holds, load(simd, &point.impulse) + push, zero));
            point.total = store(load(simd, &point.total) + push);
            pair.push_along(normal, &point.jacobians, push);
        }
        let [first, second] = pair.motions;
        first.scatter(velocities, &self.bodies[0]);
        second.scatter(velocities, &self.bodies[1]);
    }

    /// Twice the energy that both bodies together have lost since the step began, in a frame between them; `otherwise`
    /// where that is not known.
    #[inline(always)]
    fn lost<S: Simd>(&self, simd: S, own: &[SolverBody], now: [Motion<S>; 2], otherwise: f32x8<S>) -> f32x8<S> {
        let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
        let inertia = [self.inertia(simd, 0), self.inertia(simd, 1)];
        let before = [before(simd, own, &self.bodies[0]), before(simd, own, &self.bodies[1])];
        let arms = self.arms(simd);
        let sum = inertia[0].mass + inertia[1].mass;
        let share = inertia[0].mass / select(above(sum, zero), sum, one);
        let (v, w) = (inertia[0].speed(simd, &before[0], arms[0]), inertia[1].speed(simd, &before[1], arms[1]));
        let between = v * (one - share) + w * share;
        let (first, knows_first) = inertia[0].gained(simd, &before[0], &now[0], between);
        let (second, knows_second) = inertia[1].gained(simd, &before[1], &now[1], between);
        let is_known = above(min(knows_first, knows_second), zero);
        select(is_known, zero - first - second, otherwise)
    }
}

impl<S: Simd> Inertia<S> {
    /// The velocity of a body's centre; for a body without mass, whose motion nothing changes, that of the point at
    /// `arm`.
    #[inline(always)]
    fn speed(&self, simd: S, motion: &Motion<S>, arm: Vec3x8<S>) -> Vec3x8<S> {
        Vec3x8::select(above(self.mass, splat(simd, 0.0)), motion.velocity, motion.at(arm))
    }

    /// Twice the energy that a body has gained in a frame moving at `seen_by`; and 1, or 0 where that is not known.
    #[inline(always)]
    fn gained(&self, simd: S, before: &Motion<S>, now: &Motion<S>, seen_by: Vec3x8<S>) -> (f32x8<S>, f32x8<S>) {
        let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
        let (v, w) = (now.velocity - before.velocity, now.angular - before.angular);
        let moves = above(self.mass, zero);
        let straight = v.dot(now.velocity + before.velocity - seen_by - seen_by) / select(moves, self.mass, one);
        let (adjugate, determinant, scale) = self.matrix.adjugate(simd);
        let is_known = above(determinant, splat(simd, NEEDLE));
        let turning = w.dot(adjugate.apply(now.angular + before.angular)) * scale / select(is_known, determinant, one);
        // A body that does not turn gains nothing by turning.
        let knows = select(above(scale, zero), select(is_known, one, zero), one);
        (select(moves, straight, zero) + select(is_known, turning, zero), knows)
    }
}

/// The motion of eight bodies before the step.
#[inline(always)]
fn before<S: Simd>(simd: S, own: &[SolverBody], at: &[u32; LANES]) -> Motion<S> {
    let mut rows = [[0.0; LANES]; LANES];
    for (row, &at) in rows.iter_mut().zip(at) {
        *row = own[at as usize].velocities;
    }
    let [x, y, z, a, b, c, d, e] = columns(simd, &rows);
    Motion { velocity: Vec3x8 { x, y, z }, angular: Vec3x8 { x: a, y: b, z: c }, rest: [d, e] }
}
