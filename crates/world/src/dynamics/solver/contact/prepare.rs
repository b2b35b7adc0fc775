//! What a contact needs before the first sub-step.

use super::{Bodies, Limits, Motion, WideContact, WideJacobian, WidePoint};
use crate::dynamics::solver::lanes::{
    Row, Simd, Vec3x8, above, f32x8, gather, load, max, min, select, splat, sqrt, store,
};

/// Points whose separation exceeds that of the nearest by at most this many skins press equally when they first touch.
const LEVEL: f32 = 2.0;

/// The number of sub-steps of a step in which an impact may go on: bodies that are still apart are slowed down first, so
/// that they only just meet. Each of them forgets what holds the bodies, and a stack that lands needs the others.
const IMPACTS: f32 = 3.0;

/// Bodies that touch at a point are treated as touching on a patch of this many skins, in which friction resists spin
/// about the normal: without it a crate supported at two corners keeps turning about them.
const PATCH: f32 = 10.0;

impl WideContact {
    /// Computes what is constant during the step, from the velocities before it.
    #[inline(always)]
    pub(in crate::dynamics::solver) fn prepare<S: Simd>(&mut self, simd: S, bodies: &Bodies, limits: &Limits) {
        let zero = splat(simd, 0.0);
        for side in 0..2 {
            let [mass, xx, yy, zz, yz, xz, xy, _] = gather(simd, bodies.inertia, &self.bodies[side]);
            self.inverse_mass[side] = store(mass);
            self.inverse_inertia[side] = [store(xx), store(yy), store(zz), store(yz), store(xz), store(xy)];
        }
        let normal = Vec3x8::load(simd, &self.normal);
        let tangent = sideways(simd, normal);
        let other = normal.cross(tangent);
        self.tangent = tangent.store();
        let across = Vec3x8::load(simd, &self.across);
        self.across = [store(across.dot(tangent)), store(across.dot(other)), store(zero)];
        let arms = self.middle(simd, limits);
        let [a, b] = [self.inertia(simd, 0), self.inertia(simd, 1)];
        let first = Motion::gather(simd, bodies.velocities, &self.bodies[0]);
        let second = Motion::gather(simd, bodies.velocities, &self.bodies[1]);
        let (masses, patch) = (a.mass + b.mass, splat(simd, PATCH * limits.skin));
        let (count, mut fastest) = (self.count, zero);
        for (point, radius) in self.points[..count].iter_mut().zip(&mut self.radii) {
            let [ra, rb] = point.arms(simd);
            let (ca, cb) = (ra.cross(normal), rb.cross(normal));
            let (ta, tb) = (a.matrix.apply(ca), b.matrix.apply(cb));
            point.jacobians = [
                WideJacobian { angular: ca.store(), response: ta.store() },
                WideJacobian { angular: cb.store(), response: tb.store() },
            ];
            let k = masses + ca.dot(ta) + cb.dot(tb);
            let is_used = above(load(simd, &point.normal_mass), zero);
            point.normal_mass = store(select(is_used, inverse(simd, k), zero));
            let gap = load(simd, &point.base) - splat(simd, limits.skin);
            let (from, to) = (Vec3x8::load(simd, &point.from_first), Vec3x8::load(simd, &point.from_second));
            point.ahead = store(limits.ahead(simd, gap));
            point.base = store(gap - (to - from).dot(normal));
            let approach = (second.at(rb) - first.at(ra)).dot(normal);
            point.approach = store(approach);
            fastest = min(fastest, approach);
            let off = ra - arms[0];
            *radius = store(max(sqrt(off.dot(off)), patch));
        }
        let is_struck = above(zero - splat(simd, limits.slop * limits.inverse_h), fastest);
        self.impacts = store(select(is_struck, splat(simd, IMPACTS), zero));
        // What is squeezed by heavy bodies is let go otherwise: see `press`.
        self.any_impacts = !self.is_loaded && self.impacts.iter().any(|&left| left > 0.0);
        // How much an impulse at the arms along one direction changes the speed there along another.
        let (au, bu) = (arms[0].cross(tangent), arms[1].cross(tangent));
        let (av, bv) = (arms[0].cross(other), arms[1].cross(other));
        let (a_au, b_bu) = (a.matrix.apply(au), b.matrix.apply(bu));
        let (k1, k12) = (masses + au.dot(a_au) + bu.dot(b_bu), av.dot(a_au) + bv.dot(b_bu));
        let k2 = masses + av.dot(a.matrix.apply(av)) + bv.dot(b.matrix.apply(bv));
        let inverse_det = inverse(simd, k1 * k2 - k12 * k12);
        self.tangent_mass = [store(k2 * inverse_det), store(k1 * inverse_det), store(zero - k12 * inverse_det)];
        let twisted = [a.matrix.apply(normal), b.matrix.apply(normal)];
        self.twisted = [twisted[0].store(), twisted[1].store()];
        self.twist_mass = store(inverse(simd, normal.dot(twisted[0]) + normal.dot(twisted[1])));
        if self.resists {
            let roll = Vec3x8::load(simd, &self.roll);
            self.roll = [store(roll.dot(tangent)), store(roll.dot(other)), store(zero)];
            let along = a.matrix.apply(tangent) + b.matrix.apply(tangent);
            let across = a.matrix.apply(other) + b.matrix.apply(other);
            let (k1, k2, k12) = (tangent.dot(along), other.dot(across), other.dot(along));
            // Scaled by the trace, so that the determinant for very heavy bodies does not vanish.
            let scale = inverse(simd, k1 + k2);
            let (k1, k2, k12) = (k1 * scale, k2 * scale, k12 * scale);
            let scale = inverse(simd, k1 * k2 - k12 * k12) * scale;
            self.rolling_mass = [store(k2 * scale), store(k1 * scale), store(zero - k12 * scale)];
        }
    }

    /// The offsets from both bodies to the middle of the points, at which friction acts.
    #[inline(always)]
    fn middle<S: Simd>(&mut self, simd: S, limits: &Limits) -> [Vec3x8<S>; 2] {
        let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
        let count = self.count;
        let (mut pressed, mut least) = (zero, splat(simd, f32::MAX));
        for point in &self.points[..count] {
            let is_used = above(load(simd, &point.normal_mass), zero);
            pressed += load(simd, &point.impulse);
            least = select(is_used, min(least, load(simd, &point.base)), least);
        }
        let level = least + splat(simd, LEVEL * limits.skin);
        let share_of = |point: &WidePoint| {
            let is_far = above(load(simd, &point.base), level);
            select(above(load(simd, &point.normal_mass), zero), select(is_far, zero, one), zero)
        };
        let mut near = zero;
        for point in &self.points[..count] {
            near += share_of(point);
        }
        // Weighted by the pressure of the last step; before there was any, the middle of the nearest points.
        let was_pressed = above(pressed, zero);
        let whole = select(was_pressed, pressed, max(near, one));
        let nowhere = Vec3x8 { x: zero, y: zero, z: zero };
        let mut arms = [nowhere; 2];
        for point in &self.points[..count] {
            let share = select(was_pressed, load(simd, &point.impulse), share_of(point)) / whole;
            let [ra, rb] = point.arms(simd);
            arms[0] = arms[0] + ra * share;
            arms[1] = arms[1] + rb * share;
        }
        self.arms = [arms[0].store(), arms[1].store()];
        arms
    }

    /// Adds the velocity changes by the impulses that last held the contact.
    #[inline(always)]
    pub(in crate::dynamics::solver) fn warm_start<S: Simd>(&self, simd: S, velocities: &mut [Row]) {
        let (normal, tangent) = (Vec3x8::load(simd, &self.normal), Vec3x8::load(simd, &self.tangent));
        let other = normal.cross(tangent);
        let [a, b] = [self.inertia(simd, 0), self.inertia(simd, 1)];
        let mut first = Motion::gather(simd, velocities, &self.bodies[0]);
        let mut second = Motion::gather(simd, velocities, &self.bodies[1]);
        // All impulses on a body as one force and one torque.
        let [along, across, _] = &self.across;
        let arms = self.arms(simd);
        let rubbing = tangent * load(simd, along) + other * load(simd, across);
        let mut sum = rubbing;
        let mut turning = normal * load(simd, &self.twist);
        if self.resists {
            turning = turning + tangent * load(simd, &self.roll[0]) + other * load(simd, &self.roll[1]);
        }
        let mut torques = [arms[0].cross(rubbing) + turning, arms[1].cross(rubbing) + turning];
        for point in &self.points[..self.count] {
            let impulse = load(simd, &point.impulse);
            sum = sum + normal * impulse;
            torques[0] = torques[0] + Vec3x8::load(simd, &point.jacobians[0].angular) * impulse;
            torques[1] = torques[1] + Vec3x8::load(simd, &point.jacobians[1].angular) * impulse;
        }
        first.velocity = first.velocity - sum * a.mass;
        first.angular = first.angular - a.matrix.apply(torques[0]);
        second.velocity = second.velocity + sum * b.mass;
        second.angular = second.angular + b.matrix.apply(torques[1]);
        first.scatter(velocities, &self.bodies[0]);
        second.scatter(velocities, &self.bodies[1]);
    }
}

impl WidePoint {
    /// The offsets from both bodies to where they are pushed, before it is prepared.
    #[inline(always)]
    fn arms<S: Simd>(&self, simd: S) -> [Vec3x8<S>; 2] {
        [Vec3x8::load(simd, &self.jacobians[0].angular), Vec3x8::load(simd, &self.jacobians[1].angular)]
    }
}

/// A unit vector perpendicular to a unit vector.
#[inline(always)]
fn sideways<S: Simd>(simd: S, v: Vec3x8<S>) -> Vec3x8<S> {
    let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
    let is_along_x = above(max(v.x, zero - v.x), splat(simd, 0.5));
    let (x, y) = (select(is_along_x, zero, one), select(is_along_x, one, zero));
    let across = v.cross(Vec3x8 { x, y, z: zero });
    // Avoids a division by zero in lanes without a contact.
    let square = across.dot(across);
    across * (one / sqrt(select(above(square, zero), square, one)))
}

/// `1 / k`, or 0 if `k` is not positive.
#[inline(always)]
fn inverse<S: Simd>(simd: S, k: f32x8<S>) -> f32x8<S> {
    let zero = splat(simd, 0.0);
    select(above(k, zero), splat(simd, 1.0) / k, zero)
}
