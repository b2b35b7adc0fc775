//! What was stopped goes back.

use super::{Motion, POINTS, WideContact};
use crate::dynamics::lanes::{Row, Simd, V3, above, load, max, select, splat, sqrt, store};

impl WideContact {
    /// Whether any lane rebounds at all.
    pub(in crate::dynamics) fn rebounds(&self) -> bool {
        self.rebounds
    }

    /// What came faster than `threshold` and was stopped goes back with its share of that speed, but with no more than
    /// the square of that share of the energy that stopping it took: points that are stopped together, and rub, would
    /// otherwise gain some.
    ///
    /// Source: Stronge, "Impact Mechanics", 2nd edition, section 3.3.1 (energetic restitution).
    #[inline(always)]
    pub(in crate::dynamics) fn rebound<S: Simd>(&mut self, simd: S, velocities: &mut [Row], threshold: f32) {
        let zero = splat(simd, 0.0);
        let normal = V3::load(simd, &self.normal);
        let [a, b] = [self.inertia(simd, 0), self.inertia(simd, 1)];
        let (first, second) =
            (Motion::gather(simd, velocities, &self.bodies[0]), Motion::gather(simd, velocities, &self.bodies[1]));
        let (mut goes, mut other) = (first, second);
        let restitution = load(simd, &self.restitution);
        let count = self.count;
        let mut pushes = [zero; POINTS];
        let mut taken = zero;
        for (point, push) in self.points[..count].iter().zip(&mut pushes) {
            let (ra, rb) = (V3::load(simd, &point.from_first), V3::load(simd, &point.from_second));
            let (approach, energy) = (load(simd, &point.approach), load(simd, &point.taken));
            let is_fast = above(splat(simd, -threshold), approach);
            let speed = (other.at(rb) - goes.at(ra)).dot(normal);
            let old = load(simd, &point.impulse);
            let wanted = max(zero - old, zero - load(simd, &point.normal_mass) * (speed + restitution * approach));
            *push = select(above(energy, zero), select(is_fast, wanted, zero), zero);
            taken += select(is_fast, energy, zero);
            let change = normal * *push;
            a.pull(&mut goes, ra, change);
            b.push(&mut other, rb, change);
        }
        // Twice the work of a share `s` of these is `2 s linear + s² square`.
        let (mut linear, mut square) = (zero, zero);
        for (point, push) in self.points[..count].iter().zip(pushes) {
            let (ra, rb) = (V3::load(simd, &point.from_first), V3::load(simd, &point.from_second));
            let before = (second.at(rb) - first.at(ra)).dot(normal);
            linear += push * before;
            square += push * ((other.at(rb) - goes.at(ra)).dot(normal) - before);
        }
        let allowed = restitution * restitution * taken;
        let is_more = above(linear + linear + square, allowed);
        let root = sqrt(max(zero, linear * linear + square * allowed));
        let share = select(is_more, max(zero, root - linear) / square, splat(simd, 1.0));
        let share = select(above(square, zero), share, zero);
        let (mut first, mut second) = (first, second);
        for (point, push) in self.points[..count].iter_mut().zip(pushes) {
            let (ra, rb) = (V3::load(simd, &point.from_first), V3::load(simd, &point.from_second));
            let push = push * share;
            point.impulse = store(load(simd, &point.impulse) + push);
            a.pull(&mut first, ra, normal * push);
            b.push(&mut second, rb, normal * push);
        }
        first.scatter(velocities, &self.bodies[0]);
        second.scatter(velocities, &self.bodies[1]);
    }
}
