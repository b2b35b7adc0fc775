//! One pass over eight contacts, which updates their impulses, or moves apart what penetrates.

use super::{Bodies, Inertia, Motion, WideContact, WideJacobian, WidePoint};
use crate::dynamics::solver::lanes::{
    LANES, Row, Simd, Vec3x8, above, f32x8, gather, load, max, min, scatter, select, splat, sqrt, store,
};

/// The share of a penetration that is undone at a time, if it is as deep as the skin or deeper.
const PUSHED: f32 = 0.4;

/// How a sub-step treats separations and penetrations.
#[derive(Clone, Copy, Debug)]
pub(in crate::dynamics::solver) struct Limits {
    /// 1 / s: the reciprocal of the duration of a sub-step.
    pub(in crate::dynamics::solver) inverse_h: f32,
    /// A length: bodies no farther apart than this, and no deeper in each other, neither come together nor are pushed.
    pub(in crate::dynamics::solver) slop: f32,
    /// A length: how far apart bodies come to rest.
    pub(in crate::dynamics::solver) skin: f32,
    /// A length: the farthest that bodies are pushed apart at a time.
    pub(in crate::dynamics::solver) push: f32,
    /// A length: the farthest that the step may have pushed bodies apart so far.
    pub(in crate::dynamics::solver) pushed: f32,
}

impl Limits {
    /// The speed at which bodies with this gap may come together.
    #[inline(always)]
    pub(super) fn ahead<S: Simd>(&self, simd: S, gap: f32x8<S>) -> f32x8<S> {
        max(gap - splat(simd, self.slop), splat(simd, 0.0)) * splat(simd, self.inverse_h)
    }
}

/// The share of its impulse that a contact of a loaded body keeps in a pass, if it opens by more than this many times the
/// slop in a sub-step. What lands on a light body makes its contacts open a little.
const LET_GO: f32 = 0.5;
const OPENING: f32 = 6.0;

/// How often a pass repeats the normals of an impact. With 4, some bodies that land flat on triangles tilt.
const SWEEPS: usize = 8;

/// It stops as soon as no point changes the speed by more than this share of what gets bodies through the slop in a
/// sub-step.
const SETTLED: f32 = 0.1;

/// What has happened to bodies since the last pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dynamics::solver) enum Since {
    /// Their velocities have changed.
    Pushed,
    /// They have moved.
    Moved,
}

/// The order in which a pass takes contacts, and the parts of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dynamics::solver) enum PassOrder {
    Forward,
    Backward,
}

/// The two bodies of a contact while it is solved.
#[derive(Clone, Copy)]
pub(super) struct BodyPair<S: Simd> {
    pub(super) simd: S,
    pub(super) normal: Vec3x8<S>,
    pub(super) inertia: [Inertia<S>; 2],
    pub(super) motions: [Motion<S>; 2],
}

impl<S: Simd> BodyPair<S> {
    /// Pushes the two apart by an impulse, each at an arm.
    #[inline(always)]
    fn push(&mut self, arms: [Vec3x8<S>; 2], impulse: Vec3x8<S>) {
        let ([a, b], [first, second]) = (&self.inertia, &mut self.motions);
        a.pull(first, arms[0], impulse);
        b.push(second, arms[1], impulse);
    }

    /// The same along a direction, at arms whose Jacobians are known: half the work.
    #[inline(always)]
    pub(super) fn push_along(&mut self, direction: Vec3x8<S>, jacobians: &[WideJacobian; 2], impulse: f32x8<S>) {
        let (simd, [a, b], [first, second]) = (self.simd, &self.inertia, &mut self.motions);
        first.velocity = first.velocity - direction * (a.mass * impulse);
        first.angular = first.angular - Vec3x8::load(simd, &jacobians[0].response) * impulse;
        second.velocity = second.velocity + direction * (b.mass * impulse);
        second.angular = second.angular + Vec3x8::load(simd, &jacobians[1].response) * impulse;
    }

    /// The speed of the second relative to the first along a direction, from known Jacobians as well.
    #[inline(always)]
    pub(super) fn speed_along(&self, direction: Vec3x8<S>, jacobians: &[WideJacobian; 2]) -> f32x8<S> {
        let (simd, [first, second]) = (self.simd, &self.motions);
        let turning = second.angular.dot(Vec3x8::load(simd, &jacobians[1].angular))
            - first.angular.dot(Vec3x8::load(simd, &jacobians[0].angular));
        (second.velocity - first.velocity).dot(direction) + turning
    }

    /// The velocity of the second relative to the first, each at an arm.
    #[inline(always)]
    fn speed(&self, arms: [Vec3x8<S>; 2]) -> Vec3x8<S> {
        self.motions[1].at(arms[1]) - self.motions[0].at(arms[0])
    }
}

impl WideContact {
    /// Updates the impulses for the current velocities: friction first, which holds less tightly, then the normals, or
    /// the reverse. Bodies that are apart may come together within a sub-step. Returns whether some hit each other.
    #[inline(always)]
    pub(in crate::dynamics::solver) fn solve<S: Simd>(
        &mut self,
        simd: S,
        bodies: &mut Bodies,
        limits: &Limits,
        since: Since,
        order: PassOrder,
    ) -> bool {
        if since == Since::Moved {
            self.look_ahead(simd, bodies.moved, limits);
        }
        let mut pair = BodyPair {
            simd,
            normal: Vec3x8::load(simd, &self.normal),
            inertia: [self.inertia(simd, 0), self.inertia(simd, 1)],
            motions: [
                Motion::gather(simd, bodies.velocities, &self.bodies[0]),
                Motion::gather(simd, bodies.velocities, &self.bodies[1]),
            ],
        };
        let mut is_hit = false;
        if order == PassOrder::Backward {
            for i in (0..self.count).rev() {
                self.press(&mut pair, i, limits);
            }
            is_hit = self.sweep(&mut pair, limits);
        }
        if order == PassOrder::Forward && since != Since::Moved {
            self.count_rubbing(simd, -1.0);
        }
        self.rub(&mut pair, order);
        if order == PassOrder::Forward {
            self.count_rubbing(simd, 1.0);
            // The last pass of a sub-step; if it is repeated, only what the repetition changes counts.
            for i in 0..self.count {
                let counted =
                    if since == Since::Moved { splat(simd, 0.0) } else { load(simd, &self.points[i].impulse) };
                let point = &mut self.points[i];
                point.total = store(load(simd, &point.total) - counted);
                self.press(&mut pair, i, limits);
            }
            is_hit = self.sweep(&mut pair, limits);
            for point in &mut self.points[..self.count] {
                point.total = store(load(simd, &point.total) + load(simd, &point.impulse));
            }
        }
        let [first, second] = pair.motions;
        first.scatter(bodies.velocities, &self.bodies[0]);
        second.scatter(bodies.velocities, &self.bodies[1]);
        is_hit
    }

    /// Adds the impulses of friction across the normal to their sum, times a factor.
    #[inline(always)]
    fn count_rubbing<S: Simd>(&mut self, simd: S, factor: f32) {
        for (sum, now) in self.rubbed.iter_mut().zip(&self.across) {
            *sum = store(load(simd, sum) + load(simd, now) * splat(simd, factor));
        }
    }

    /// Repeats the normals of an impact, until the points of a body that lands flat have settled what each of them takes.
    /// Returns whether there is one.
    #[inline(always)]
    fn sweep<S: Simd>(&mut self, pair: &mut BodyPair<S>, limits: &Limits) -> bool {
        if !self.any_impacts {
            return false;
        }
        let (simd, hits) = (pair.simd, self.hits(pair.simd, limits));
        let is_hit = store(hits).contains(&1.0);
        let slow = splat(simd, SETTLED * limits.slop * limits.inverse_h);
        for _ in 0..if is_hit { SWEEPS } else { 0 } {
            let mut most = splat(simd, 0.0);
            for i in 0..self.count {
                let old = load(simd, &self.points[i].impulse);
                self.press(pair, i, limits);
                let point = &self.points[i];
                let change = load(simd, &point.impulse) - old;
                most = max(most, max(change, splat(simd, 0.0) - change) - load(simd, &point.normal_mass) * slow);
            }
            if store(most * hits).iter().all(|&left| left <= 0.0) {
                break;
            }
        }
        is_hit
    }

    /// Remembers what holds the bodies at the start of a sub-step.
    #[inline(always)]
    pub(in crate::dynamics::solver) fn hold(&mut self) {
        self.points[..self.count].iter_mut().for_each(|point| point.held = point.impulse);
    }

    /// Lets an impact change the velocities for good: it is not repeated in the next sub-step, as the impulses that hold
    /// bodies are. There they would be taken off point by point, which turns the body.
    #[inline(always)]
    pub(in crate::dynamics::solver) fn keep<S: Simd>(&mut self, simd: S, without: &mut [Row], limits: &Limits) {
        let inertia = [self.inertia(simd, 0), self.inertia(simd, 1)];
        let (first, second) =
            (Motion::gather(simd, without, &self.bodies[0]), Motion::gather(simd, without, &self.bodies[1]));
        let normal = Vec3x8::load(simd, &self.normal);
        let mut pair = BodyPair { simd, normal, inertia, motions: [first, second] };
        let (zero, hits) = (splat(simd, 0.0), self.hits(simd, limits));
        let is_hit = above(hits, zero);
        self.impacts = store(load(simd, &self.impacts) - hits);
        self.any_impacts = self.impacts.iter().any(|&left| left > 0.0);
        for point in &mut self.points[..self.count] {
            let impulse = load(simd, &point.impulse);
            let holds = select(is_hit, min(impulse, load(simd, &point.held)), impulse);
            pair.push_along(normal, &point.jacobians, impulse - holds);
            point.impulse = store(holds);
        }
        // Nor is its friction.
        let tangent = Vec3x8::load(simd, &self.tangent);
        let (along, other) = (load(simd, &self.across[0]), load(simd, &self.across[1]));
        let (u, v) = (select(is_hit, along, zero), select(is_hit, other, zero));
        pair.push(self.arms(simd), tangent * u + normal.cross(tangent) * v);
        (self.across[0], self.across[1]) = (store(along - u), store(other - v));
        let [first, second] = pair.motions;
        first.scatter(without, &self.bodies[0]);
        second.scatter(without, &self.bodies[1]);
    }

    /// 1 in lanes where an impact goes on: a point of it has changed the speed there by more than gets bodies through the
    /// slop in a sub-step; 0 elsewhere.
    #[inline(always)]
    fn hits<S: Simd>(&self, simd: S, limits: &Limits) -> f32x8<S> {
        let zero = splat(simd, 0.0);
        let speed = splat(simd, limits.slop * limits.inverse_h);
        let mut most = zero;
        for point in &self.points[..self.count] {
            let change = load(simd, &point.impulse) - load(simd, &point.held);
            most = max(most, max(change, zero - change) - load(simd, &point.normal_mass) * speed);
        }
        select(above(most, zero), min(load(simd, &self.impacts), splat(simd, 1.0)), zero)
    }

    /// Friction against spin about the normal, then against sliding, or the reverse.
    #[inline(always)]
    fn rub<S: Simd>(&mut self, pair: &mut BodyPair<S>, order: PassOrder) {
        let simd = pair.simd;
        let (mut pressed, mut torque) = (splat(simd, 0.0), splat(simd, 0.0));
        for (point, radius) in self.points[..self.count].iter().zip(&self.radii) {
            let impulse = load(simd, &point.impulse);
            pressed += impulse;
            torque += impulse * load(simd, radius);
        }
        let friction = load(simd, &self.friction);
        if self.resists {
            self.roll(pair, load(simd, &self.resistance) * pressed);
        }
        if order == PassOrder::Forward {
            self.twist(pair, friction * torque);
        }
        self.slide(pair, friction * pressed);
        if order == PassOrder::Backward {
            self.twist(pair, friction * torque);
        }
    }

    /// Friction against spin, up to a limit.
    #[inline(always)]
    fn twist<S: Simd>(&mut self, pair: &mut BodyPair<S>, limit: f32x8<S>) {
        let simd = pair.simd;
        let [first, second] = &mut pair.motions;
        let old = load(simd, &self.twist);
        let speed = pair.normal.dot(second.angular - first.angular);
        let wanted = old - load(simd, &self.twist_mass) * speed;
        let new = max(splat(simd, 0.0) - limit, min(limit, wanted));
        self.twist = store(new);
        first.angular = first.angular - Vec3x8::load(simd, &self.twisted[0]) * (new - old);
        second.angular = second.angular + Vec3x8::load(simd, &self.twisted[1]) * (new - old);
    }

    /// Resistance to rolling, up to a limit.
    #[inline(always)]
    fn roll<S: Simd>(&mut self, pair: &mut BodyPair<S>, limit: f32x8<S>) {
        let simd = pair.simd;
        let tangent = Vec3x8::load(simd, &self.tangent);
        let other = pair.normal.cross(tangent);
        let [first, second] = &pair.motions;
        let spin = second.angular - first.angular;
        let old = [load(simd, &self.roll[0]), load(simd, &self.roll[1])];
        let new = held(simd, &self.rolling_mass, old, [spin.dot(tangent), spin.dot(other)], limit);
        (self.roll[0], self.roll[1]) = (store(new[0]), store(new[1]));
        let torque = tangent * (new[0] - old[0]) + other * (new[1] - old[1]);
        let ([a, b], [first, second]) = (&pair.inertia, &mut pair.motions);
        first.angular = first.angular - a.matrix.apply(torque);
        second.angular = second.angular + b.matrix.apply(torque);
    }

    /// Friction against sliding, up to a limit.
    #[inline(always)]
    fn slide<S: Simd>(&mut self, pair: &mut BodyPair<S>, limit: f32x8<S>) {
        let simd = pair.simd;
        let tangent = Vec3x8::load(simd, &self.tangent);
        let other = pair.normal.cross(tangent);
        let arms = self.arms(simd);
        let sliding = pair.speed(arms) - Vec3x8::load(simd, &self.surface);
        let speeds = [sliding.dot(tangent), sliding.dot(other)];
        let old = [load(simd, &self.across[0]), load(simd, &self.across[1])];
        let new = held(simd, &self.tangent_mass, old, speeds, limit);
        (self.across[0], self.across[1]) = (store(new[0]), store(new[1]));
        pair.push(arms, tangent * (new[0] - old[0]) + other * (new[1] - old[1]));
    }

    /// Updates the impulse of a point along the normal.
    ///
    /// What has stopped two heavy bodies with a light one between them would throw them back, because each pass takes no
    /// more of it than the light body's momentum: it loses half as soon as they part.
    #[inline(always)]
    fn press<S: Simd>(&mut self, pair: &mut BodyPair<S>, i: usize, limits: &Limits) {
        let simd = pair.simd;
        let point = &mut self.points[i];
        let (ahead, old) = (load(simd, &point.ahead), load(simd, &point.impulse));
        let speed = pair.speed_along(pair.normal, &point.jacobians);
        let mut new = max(splat(simd, 0.0), old - load(simd, &point.normal_mass) * (speed + ahead));
        if self.is_loaded {
            let lets_go = above(speed, splat(simd, OPENING * limits.slop * limits.inverse_h));
            new = select(lets_go, min(new, old * splat(simd, LET_GO)), new);
        }
        point.impulse = store(new);
        if self.rebounds {
            // Twice the work of `new - old`, where it stops the bodies.
            let taken = max(new - old, splat(simd, 0.0)) * (ahead - speed);
            point.taken = store(load(simd, &point.taken) + taken);
        }
        pair.push_along(pair.normal, &point.jacobians, new - old);
    }

    /// Computes how fast the points may come together, from the present poses of the bodies.
    #[inline(always)]
    fn look_ahead<S: Simd>(&mut self, simd: S, moved: &[Row], limits: &Limits) {
        let gaps = self.gaps(simd, moved, Vec3x8::load(simd, &self.normal));
        let count = self.count;
        for point in &mut self.points[..count] {
            let (ra, rb) = (Vec3x8::load(simd, &point.from_first), Vec3x8::load(simd, &point.from_second));
            point.ahead = store(limits.ahead(simd, gaps.of(simd, point, ra, rb)));
        }
    }

    /// Moves penetrating bodies apart by a share of the depth, and leaves their velocities unchanged. The share is less
    /// for shallow penetrations, because raising bodies this way adds energy, and tall stacks would sway ever more.
    ///
    /// Source: Catto, "Modeling and Solving Constraints", GDC 2009 (nonlinear projection).
    #[inline(always)]
    pub(in crate::dynamics::solver) fn separate<S: Simd>(&mut self, simd: S, moved: &mut [Row], limits: &Limits) {
        let zero = splat(simd, 0.0);
        let normal = Vec3x8::load(simd, &self.normal);
        let gaps = self.gaps(simd, moved, normal);
        let nothing = Vec3x8 { x: zero, y: zero, z: zero };
        let still = Motion { velocity: nothing, angular: nothing, rest: [zero; 2] };
        let inertia = [self.inertia(simd, 0), self.inertia(simd, 1)];
        let mut pair = BodyPair { simd, normal, inertia, motions: [still; 2] };
        let count = self.count;
        for point in &self.points[..count] {
            let (ra, rb) = (Vec3x8::load(simd, &point.from_first), Vec3x8::load(simd, &point.from_second));
            let gap = gaps.of(simd, point, ra, rb) + pair.speed_along(normal, &point.jacobians);
            let deep = max(zero - splat(simd, limits.slop) - gap, zero);
            let share = min(deep * splat(simd, PUSHED / limits.skin.max(f32::MIN_POSITIVE)), splat(simd, PUSHED));
            // Many contacts together push no faster than one.
            let start = load(simd, &point.base) + (rb - ra).dot(normal);
            let room = max(start + splat(simd, limits.pushed) - gap, zero);
            let push = min(min(deep * share, splat(simd, limits.push)), room);
            pair.push_along(normal, &point.jacobians, load(simd, &point.normal_mass) * push);
        }
        let [first, second] = pair.motions;
        scatter(moved, &self.bodies[0], first.added_to(simd, gaps.moved[0]));
        scatter(moved, &self.bodies[1], second.added_to(simd, gaps.moved[1]));
    }

    /// How far the two have moved apart since the beginning of the step.
    #[inline(always)]
    fn gaps<S: Simd>(&self, simd: S, moved: &[Row], normal: Vec3x8<S>) -> PointGaps<S> {
        let moved = [gather(simd, moved, &self.bodies[0]), gather(simd, moved, &self.bodies[1])];
        // The normal relative to each body before it turned: an offset that turns then takes one product per point.
        let back = [turned_back(simd, &moved[0], normal), turned_back(simd, &moved[1], normal)];
        let [[x, y, z, ..], [u, v, w, ..]] = moved;
        let apart = (Vec3x8 { x: u, y: v, z: w } - Vec3x8 { x, y, z }).dot(normal);
        // A rolling body keeps its height: this much of its offsets along the normal does not turn.
        let one = splat(simd, 1.0);
        let rolled = load(simd, &self.rolling[0]) * (normal.dot(back[0]) - one)
            + load(simd, &self.rolling[1]) * (normal.dot(back[1]) - one);
        PointGaps { moved, back, apart: apart + rolled }
    }
}

/// The two impulses that stop two speeds, added to the old ones, together no larger than a limit.
#[inline(always)]
fn held<S: Simd>(
    simd: S,
    masses: &[Row; 3],
    old: [f32x8<S>; 2],
    speeds: [f32x8<S>; 2],
    limit: f32x8<S>,
) -> [f32x8<S>; 2] {
    let [m1, m2, m12] = masses;
    let (m1, m2, m12) = (load(simd, m1), load(simd, m2), load(simd, m12));
    let new = [old[0] - (m1 * speeds[0] + m12 * speeds[1]), old[1] - (m12 * speeds[0] + m2 * speeds[1])];
    let square = new[0] * new[0] + new[1] * new[1];
    let is_more = above(square, limit * limit);
    // Otherwise the divisor may be zero, and the quotient is not used.
    let share = select(is_more, limit / sqrt(square), splat(simd, 1.0));
    [new[0] * share, new[1] * share]
}

/// What a contact needs to know about its bodies' poses to compute the separations of its points.
struct PointGaps<S: Simd> {
    moved: [[f32x8<S>; LANES]; 2],
    back: [Vec3x8<S>; 2],
    apart: f32x8<S>,
}

impl<S: Simd> PointGaps<S> {
    /// The separation of a point now, less the skin.
    #[inline(always)]
    fn of(&self, simd: S, point: &WidePoint, ra: Vec3x8<S>, rb: Vec3x8<S>) -> f32x8<S> {
        load(simd, &point.base) + self.apart + rb.dot(self.back[1]) - ra.dot(self.back[0])
    }
}

/// A vector rotated by the inverse of the bodies' rotation since the beginning of the step.
#[inline(always)]
fn turned_back<S: Simd>(simd: S, moved: &[f32x8<S>; LANES], v: Vec3x8<S>) -> Vec3x8<S> {
    let [_, _, _, _, x, y, z, w] = *moved;
    let axis = Vec3x8 { x, y, z };
    let two = splat(simd, 2.0);
    let t = axis.cross(v) * two;
    v - t * w + axis.cross(t)
}
