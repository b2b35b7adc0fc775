//! When bodies that are fast for their size would pass through others.
//!
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996 (conservative advancement).

use super::{
    Ways,
    guard::{ADVANCES, ROUNDING, Way},
    passage::Swing,
};
use crate::{
    dynamics::{
        BodyState, Dynamics,
        body::{moved_part::MovedParts, pose::BodyShape},
        pairs::{ActivePairs, roles::ActivePair},
    },
    threads,
};
use cullide_bvh::Team;
use cullide_narrowphase::{
    Aabb, ContactManifold, ManifoldCache, ManifoldPoint, Mapped, Solid,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// The rotation, in radians, after which the effect of a kinematic body on what it touches is evaluated again.
const REFRESHED: f64 = 0.1;

/// The least share of a step for which that holds, for what turns far.
const LEAST_TURN: f32 = 1.0 / ADVANCES as f32;

/// Bodies that already touch may get deeper by this factor than those that meet.
const TOUCHING: f64 = 1.5;

/// The share of a step below which two bodies that approach have come near enough, and the same as a share of the
/// smaller one's least radius for bodies that get farther.
const LEAST_PROGRESS: f32 = 1e-3;
const NEAR_ENOUGH: f32 = 0.01;

/// A pair of bodies that may get into each other in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) bodies: [u32; 2],
    /// The time of the step at which they do; 1 if they do not.
    pub(super) time: f32,
    /// Whether they move relative to each other by more than they may enter each other; otherwise one of them may
    /// still overtake the other if that stops.
    pub(super) is_fast: bool,
    /// Whether there may be contact points between them.
    pub(super) is_near: bool,
}

impl Dynamics {
    /// The pairs of bodies that may get into each other.
    pub(super) fn meetings(&self, team: &Team, pairs: &ActivePairs, ways: &Ways) -> Vec<Meeting> {
        let size = threads::piece(team, pairs.active.len(), 64);
        let mut found = vec![Vec::new(); pairs.active.len().div_ceil(size)];
        let may_meet = |active: &&ActivePair| {
            // Two bodies deep in each other part later, and do not stop others.
            if active.is_deep && !active.is_near {
                return false;
            }
            let [first, second] = active.bodies;
            let both = ways.freedoms.get(first as usize).zip(ways.freedoms.get(second as usize));
            both.is_some_and(|(first, second)| first.may_meet(second))
        };
        threads::each(team, pairs.active.chunks(size).zip(&mut found), &|(some, found)| {
            let near = some.iter().filter(may_meet);
            found.extend(near.filter_map(|active| self.meeting(active, ways)));
        });
        found.concat()
    }

    fn meeting(&self, active: &ActivePair, ways: &Ways) -> Option<Meeting> {
        let [Some(way_a), Some(way_b)] = active.bodies.mapped(|at| ways.found.get(at as usize)?.as_ref()) else {
            return None;
        };
        let [first, second] = active.bodies.mapped(|at| self.state(at));
        let (relative, least) = relative_way((first, way_a), (second, way_b));
        let ActivePair { bodies, is_near, .. } = *active;
        let meeting = Meeting { bodies, time: 1.0, is_fast: relative > least, is_near };
        if !meeting.is_fast {
            let may_overtake = way_a.length(first.radius).max(way_b.length(second.radius)) > least;
            return may_overtake.then_some(meeting);
        }
        // Bodies that were farther apart than that, less the depth by which they may penetrate, do not meet.
        let are_convex = [first, second].iter().all(|state| state.shape.convex().is_some());
        let pair = self.contacts.get(active.number).filter(|_| are_convex);
        let apart = pair.and_then(|pair| pair.parts.first()).map_or(0.0, |part| part.manifold.distance());
        let is_apart = apart + 0.9 * least > relative;
        let time = if is_apart { 1.0 } else { self.meeting_time((first, way_a), (second, way_b)) };
        Some(Meeting { time, ..meeting })
    }

    /// The time at which two bodies meet, if they move relative to each other by more than they may enter each other.
    pub(super) fn time_of_meeting(&self, first: (&BodyState, &Way), second: (&BodyState, &Way)) -> Option<f32> {
        let (relative, least) = relative_way(first, second);
        (relative > least).then(|| self.meeting_time(first, second))
    }

    /// The time of a step at which two bodies on their ways come as close to each other as they may, by conservative
    /// advancement; 1 if they do not.
    pub(super) fn meeting_time(&self, first: (&BodyState, &Way), second: (&BodyState, &Way)) -> f32 {
        let ((a, way_a), (b, way_b)) = (first, second);
        let relative = way_a.motion.as_dvec3() - way_b.motion.as_dvec3();
        let is_kinematic = !(a.is_dynamic() && b.is_dynamic());
        let swings = [(a, way_a), (b, way_b)].mapped(|(state, way)| Swing::new(state, way.rotation));
        let spin = swings.iter().map(|swing| swing.rotation.length() * swing.radius).sum::<f64>();
        let turns = swings.iter().filter(|swing| swing.radius > 0.0).map(|swing| swing.rotation.length());
        let turning = turns.fold(0.0, f64::max);
        let far = a.shape.center().abs().max(b.shape.center().abs()).max_element() + a.radius + b.radius;
        // Part of the penetration is left to the solver, which then pushes them apart, so that they never hold each
        // other.
        let allowed = 0.5 * f64::from(a.inner_radius.min(b.inner_radius)) - f64::from(4.0 * ROUNDING * far);
        // Of a long way, a share may be longer than the bodies.
        let least = f64::from(a.inner_radius.min(b.inner_radius)) / (relative.length() + spin);
        let least_progress = LEAST_PROGRESS.min(NEAR_ENOUGH * least as f32);
        let mut manifold = ContactManifold::default();
        // No point turns out of the ball around its body.
        let swung = swings.iter().map(|swing| swing.rotation.length().min(2.0) * swing.radius).sum::<f64>();
        let around = swung + f64::from(ROUNDING) * (f64::from(far) + relative.length());
        let mut waiting = parts_that_may_meet(&a.shape, &b.shape, relative.as_vec3(), (around as f32).next_up());
        let mut pairs = SmallVec::<[PartPair; 4]>::new();
        let (mut time, mut advances) = (0.0f32, 0);
        while advances < ADVANCES {
            while waiting.last().is_some_and(|pair| pair.from <= time) {
                pairs.extend(waiting.pop());
            }
            let next = waiting.last().map_or(1.0, |pair| pair.from);
            if pairs.is_empty() {
                time = next;
                if time >= 1.0 {
                    return 1.0;
                }
                continue;
            }
            let [mut first, mut second] = [(a, way_a), (b, way_b)]
                .mapped(|(state, way)| MovedParts::new(&state.shape, way.motion * time, way.rotation * time));
            let mut progress = f32::INFINITY;
            pairs.retain(|PartPair { parts: [i, j], cache, touch, .. }| {
                let (Some((own, center)), Some((other, other_center))) = (first.get(*i), second.get(*j)) else {
                    return false;
                };
                let reach = |normal: DVec3| [own.reach(normal), other.reach(-normal)];
                let (own, other) = (own.contact_shape(), other.contact_shape());
                manifold.update(&own, &other, 0.0, cache);
                let normal = manifold.normal().as_dvec3();
                let [reach, other_reach] = reach(normal);
                let apart = -other_reach - reach;
                *touch |= time == 0.0 && apart <= 0.0;
                // How fast two points of them approach.
                let closing_at = |at: [DVec3; 2]| {
                    let speed = |center: DVec3, way: &Way, at: DVec3| {
                        normal.dot(way.motion.as_dvec3() + way.rotation.as_dvec3().cross(at - center))
                    };
                    speed(center, way_a, at[0]) - speed(other_center, way_b, at[1])
                };
                let is_deep = time == 0.0 && apart + TOUCHING * allowed <= 0.0;
                // Bodies that touch at the start roll as the solver lets them, and must not get much deeper by their
                // motion; against a kinematic body, which nothing stops, not by turning either. Two that are already
                // deep are left to the solver, unless a kinematic body gets deeper.
                let (closing, allowed) = match (*touch, is_kinematic) {
                    (false, _) => {
                        let turning: f64 = swings.iter().map(|swing| swing.way(normal)).sum();
                        (normal.dot(relative) + turning, allowed)
                    }
                    (true, false) => {
                        let closing = |point: &ManifoldPoint| {
                            let at = [(own.center(), point.from_first), (other.center(), point.from_second)];
                            closing_at(at.mapped(|(center, from)| center.as_dvec3() + from.as_dvec3()))
                        };
                        let most = manifold.points().iter().map(closing).reduce(f64::max);
                        let whole = normal.dot(relative);
                        // The solver lets them turn out of each other, and that must not stop.
                        if whole > 0.0 && most.is_some_and(|most| most <= 0.0) {
                            progress = progress.min(((REFRESHED / turning) as f32).max(LEAST_TURN));
                            return true;
                        }
                        (most.map_or(whole, |most| most.min(whole)), TOUCHING * allowed)
                    }
                    (true, true) => {
                        let center = own.center().as_dvec3();
                        let points = manifold.points();
                        let sum: DVec3 = points.iter().map(|point| point.from_first.as_dvec3()).sum();
                        // Without points, straight ahead of its centre.
                        let ahead = normal * (reach - normal.dot(center));
                        let at = center + if points.is_empty() { ahead } else { sum / points.len() as f64 };
                        let closing = closing_at([at, at]);
                        // That holds until it has turned a little further.
                        progress = progress.min((REFRESHED / turning) as f32);
                        if closing <= 0.0 && turning > 0.0 {
                            return true;
                        }
                        (closing, TOUCHING * allowed)
                    }
                };
                if closing <= 0.0 || (is_deep && !is_kinematic) {
                    return false;
                }
                progress = progress.min(((apart + allowed).max(0.0) / closing) as f32);
                true
            });
            if first.is_lost || second.is_lost {
                return time;
            }
            if progress < least_progress {
                return time;
            }
            if time + progress < next {
                (time, advances) = (time + progress, advances + 1);
            } else {
                time = next;
            }
            if time >= 1.0 {
                return 1.0;
            }
        }
        time
    }
}

/// How far points of two bodies may move relative to each other, and how far they may get into each other.
fn relative_way((a, way_a): (&BodyState, &Way), (b, way_b): (&BodyState, &Way)) -> (f32, f32) {
    let turning = way_a.rotation.length() * a.radius + way_b.rotation.length() * b.radius;
    ((way_a.motion - way_b.motion).length() + turning, 0.5 * a.inner_radius.min(b.inner_radius))
}

/// A part of each of two bodies.
struct PartPair {
    parts: [u32; 2],
    /// The manifold cache of the two.
    cache: ManifoldCache,
    /// Whether they touched at the start.
    touch: bool,
    /// A time before which they do not meet.
    from: f32,
}

/// The parts of two bodies that may meet while the first moves relative to the second, and their points besides by no
/// more than the distance `around`: the latest first.
fn parts_that_may_meet(a: &BodyShape, b: &BodyShape, motion: Vec3, around: f32) -> SmallVec<[PartPair; 4]> {
    let pair = |i: u32, j: u32, from| PartPair { parts: [i, j], cache: ManifoldCache::default(), touch: false, from };
    let is_one = a.part_count() == 1 && b.convex().is_some();
    if is_one {
        return SmallVec::from_iter([pair(0, 0, 0.0)]);
    }
    let mut pairs = SmallVec::new();
    for i in 0..a.part_count() {
        let Some(own) = a.part(i).map(|part| part.aabb()) else { continue };
        let box_around = own.expanded(around);
        b.parts_along(&box_around, motion, own.center(), |j, other| {
            if let Some(from) = meeting_of_boxes(&box_around, motion, &other) {
                pairs.push(pair(i, j, from));
            }
        });
    }
    pairs.sort_unstable_by(|one: &PartPair, other| {
        other.from.total_cmp(&one.from).then_with(|| other.parts.cmp(&one.parts))
    });
    pairs
}

/// The time at which a moving box meets another, or a little before; `None` if they do not meet.
fn meeting_of_boxes(moving: &Aabb, motion: Vec3, other: &Aabb) -> Option<f32> {
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for axis in 0..3 {
        let way = f64::from(motion[axis]);
        let [before, behind] = [other.min()[axis] - moving.max()[axis], other.max()[axis] - moving.min()[axis]];
        if way == 0.0 {
            if before > 0.0 || behind < 0.0 {
                return None;
            }
            continue;
        }
        let [one, two] = [before, behind].mapped(|gap| f64::from(gap) / way);
        (from, to) = (from.max(one.min(two)), to.min(one.max(two)));
    }
    (from <= to).then_some((from as f32).next_down().max(0.0))
}

/// What determines whether a body may get into another one, in few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freedom {
    /// A bound on how far its points get.
    far: f32,
    /// How far they may get without a check against others.
    may: f32,
}

impl Freedom {
    /// For a body that meets nothing.
    pub(super) const NONE: Self = Self { far: f32::NEG_INFINITY, may: 0.0 };

    pub(super) fn new(state: &BodyState, way: &Way) -> Self {
        match state.body.is_sensor {
            true => Self::NONE,
            false => Self { far: way.length(state.radius), may: 0.5 * state.inner_radius },
        }
    }

    /// Whether its points get farther than they may without a check against others.
    pub(super) fn is_fast(&self) -> bool {
        self.far > self.may
    }

    /// Whether it moves, and meets others.
    pub(super) fn moves(&self) -> bool {
        self.far > 0.0
    }

    fn may_meet(&self, other: &Self) -> bool {
        self.far + other.far > self.may.min(other.may)
    }
}
