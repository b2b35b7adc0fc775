//! Stops bodies that are fast for their size where they would pass through others.
//!
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996 (conservative advancement).

use super::{
    BodyState, Dynamics,
    guard::{ADVANCES, ROUNDING, Way},
    passage::Swing,
    pose::{BodyShape, quaternion, rotation_vector},
    roles::ActivePair,
    step::Lists,
};
use crate::{World, threads};
use cullide_bvh::Team;
use cullide_narrowphase::{
    ContactManifold, ManifoldCache, ManifoldPoint,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// The rotation, in radians, after which the effect of a kinematic body on what it touches is evaluated again.
const REFRESHED: f64 = 0.1;

/// Bodies that already touch may get deeper by this factor than those that meet.
const TOUCHING: f64 = 1.5;

impl Dynamics {
    /// Stops bodies that are fast for their size where they meet others, together with all that could meet these on the
    /// way: all of them get to the same time of the step. Returns whether any stopped.
    pub(super) fn stop_at_each_other(&self, team: &Team, world: &World, lists: &mut Lists) -> bool {
        let meetings = self.meetings(team, lists);
        // Repeated until no body has to wait: each round some body gets less far, and there are only as many times as
        // meetings.
        if meetings.iter().all(|(_, time)| *time >= 1.0) {
            return false;
        }
        let mut times = vec![1.0f32; lists.ways.len()];
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &(bodies, time) in &meetings {
                let [i, j] = bodies.map(|at| at as usize);
                let least = times[i].min(times[j]).min(time);
                // A kinematic body goes on regardless.
                for at in bodies {
                    let (moves, k) = (self.state(at).is_dynamic(), at as usize);
                    if moves && times[k] > least && (time < 1.0 || times[i].min(times[j]) < 1.0) {
                        (times[k], is_settled) = (least, false);
                    }
                }
            }
        }
        let carried = self.carried(&meetings, &times, lists);
        for (((time, carried), way), state) in times.into_iter().zip(carried).zip(&mut lists.ways).zip(&self.bodies) {
            if let (true, Some(state), Some(way)) = (time < 1.0, state, way) {
                // That a rotating way ends free does not mean that a part of it is free.
                let [motion, rotation] = carried.unwrap_or([way.motion * time, way.rotation * time]);
                let kept = self.kept(world, state, motion, rotation);
                *way = Way { is_cut: way.is_cut || kept.is_cut, wanted: way.wanted, ..kept };
            }
        }
        true
    }

    /// Returns the whole motion and rotation of bodies that stop where a kinematic body meets them, and go on with it;
    /// and of those that these would otherwise be pushed into.
    fn carried(&self, meetings: &[([u32; 2], f32)], times: &[f32], lists: &Lists) -> Vec<Option<[Vec3; 2]>> {
        let (mut carriers, mut carried) = (vec![None; times.len()], vec![None; times.len()]);
        for &([first, second], time) in meetings {
            let stopped = times[first as usize];
            if stopped >= 1.0 || !self.state(first).is_dynamic() || self.state(second).is_dynamic() {
                continue;
            }
            // A body that stopped earlier for another reason may be met where it waits.
            let time = if stopped >= time { Some(time) } else { self.overtaken(lists, [first, second], stopped) };
            if let Some(time) = time.filter(|time| *time < 1.0) {
                carriers[first as usize] = Some(second);
                let share = if stopped >= time { time } else { time * stopped };
                carried[first as usize] = self.carried_by(lists, [first, second], share, time);
            }
        }
        let mut is_settled = carried.iter().all(Option::is_none);
        while !is_settled {
            is_settled = true;
            for &([first, second], _) in meetings {
                for [by, other] in [[first, second], [second, first]] {
                    let time = times[other as usize];
                    let waits = self.state(other).is_dynamic() && time < 1.0 && carried[other as usize].is_none();
                    let (true, Some(kinematic)) = (waits, carriers[by as usize]) else { continue };
                    let way = carried[by as usize].zip(lists.ways[by as usize].as_ref());
                    let Some(beyond) = way.map(|([motion, _], way)| motion - way.motion * time) else { continue };
                    if self.are_driven_together(by, other, beyond) {
                        carriers[other as usize] = Some(kinematic);
                        carried[other as usize] = self.carried_by(lists, [other, kinematic], time, time);
                        is_settled = false;
                    }
                }
            }
        }
        carried
    }

    /// Whether a body that is moved by `motion` gets into another one.
    fn are_driven_together(&self, body: u32, other: u32, motion: Vec3) -> bool {
        let [body, other] = [body, other].map(|at| self.state(at).key);
        self.contacts.between(body, other.into()).is_some_and(|pair| {
            let along = if pair.first == body { motion } else { -motion };
            pair.parts.iter().any(|part| part.manifold.normal().dot(along) > part.manifold.distance().max(0.0))
        })
    }

    /// The time at which a kinematic body meets one that completes only this share of its way in the step.
    fn overtaken(&self, lists: &Lists, bodies: [u32; 2], share: f32) -> Option<f32> {
        let [own, by] = bodies.map(|at| lists.ways[at as usize].as_ref());
        let ((own, by), [state, kinematic]) = (own.zip(by)?, bodies.map(|at| self.state(at)));
        let own = Way { motion: own.motion * share, rotation: own.rotation * share, ..own.clone() };
        Some(self.meeting_time((state, &own), (kinematic, by)))
    }

    /// The motion and rotation of a body that has completed `share` of its own way by `time`, and from then on stays in
    /// place on a kinematic body, except along and about locked axes.
    fn carried_by(&self, lists: &Lists, bodies: [u32; 2], share: f32, time: f32) -> Option<[Vec3; 2]> {
        let [own, by] = bodies.map(|at| lists.ways[at as usize].as_ref());
        let ((own, by), [state, kinematic]) = (own.zip(by)?, bodies.map(|at| self.state(at)));
        let turn = quaternion(by.rotation.as_dvec3() * f64::from(1.0 - time));
        let (until, turned) = (own.motion * share, own.rotation * share);
        let arm = state.shape.center() + until - (kinematic.shape.center() + by.motion * time);
        let end = kinematic.shape.center() + by.motion + (turn * arm.as_dvec3()).as_vec3();
        let beyond = end - (state.shape.center() + until);
        let free = Vec3::from([0, 1, 2].map(|axis| f32::from(1 - (state.body.locked_translation >> axis & 1))));
        let rotation = match state.body.locked_rotation {
            0 => rotation_vector((turn * quaternion(turned.as_dvec3())).as_quat()),
            _ => turned,
        };
        Some([until + beyond * free, rotation])
    }

    /// The pairs of bodies that may get into each other, and the time of the step at which they do; 1 if they do not.
    fn meetings(&self, team: &Team, lists: &Lists) -> Vec<([u32; 2], f32)> {
        let size = threads::piece(team, lists.active.len(), 64);
        let mut found = vec![Vec::new(); lists.active.len().div_ceil(size)];
        let may_meet = |active: &&ActivePair| {
            let [first, second] = active.bodies;
            let both = lists.freedoms.get(first as usize).zip(lists.freedoms.get(second as usize));
            both.is_some_and(|(first, second)| first.may_meet(second))
        };
        team.each(lists.active.chunks(size).zip(&mut found), |(some, found)| {
            let near = some.iter().filter(may_meet);
            found.extend(near.filter_map(|active| Some((active.bodies, self.meeting(active, lists)?))));
        });
        found.concat()
    }

    fn meeting(&self, active: &ActivePair, lists: &Lists) -> Option<f32> {
        let [Some(way_a), Some(way_b)] = active.bodies.map(|at| lists.ways.get(at as usize)?.as_ref()) else {
            return None;
        };
        let [first, second] = active.bodies.map(|at| self.state(at));
        let least = 0.5 * first.inner_radius.min(second.inner_radius);
        let relative = (way_a.motion - way_b.motion).length()
            + way_a.rotation.length() * first.radius
            + way_b.rotation.length() * second.radius;
        if relative <= least {
            // What is pushed along may stop at others, and is then overtaken.
            let reach = way_b.motion.length() + way_b.rotation.length() * second.radius;
            return (!second.is_dynamic() && reach > least).then_some(1.0);
        }
        // Bodies that were farther apart than that, less the depth by which they may penetrate, do not meet.
        let are_convex = [first, second].into_iter().all(|state| state.shape.convex().is_some());
        let pair = self.contacts.get(active.number).filter(|_| are_convex);
        let apart = pair.and_then(|pair| pair.parts.first()).map_or(0.0, |part| part.manifold.distance());
        let is_apart = apart + 0.9 * least > relative;
        Some(if is_apart { 1.0 } else { self.meeting_time((first, way_a), (second, way_b)) })
    }

    /// The time of a step at which two bodies on their ways come as close to each other as they may, by conservative
    /// advancement; 1 if they do not.
    fn meeting_time(&self, first: (&BodyState, &Way), second: (&BodyState, &Way)) -> f32 {
        let ((a, way_a), (b, way_b)) = (first, second);
        let relative = way_a.motion.as_dvec3() - way_b.motion.as_dvec3();
        let is_kinematic = !(a.is_dynamic() && b.is_dynamic());
        let swings = [(a, way_a), (b, way_b)].map(|(state, way)| Swing::new(state, way.rotation));
        let spin = swings.iter().map(|swing| swing.rotation.length() * swing.radius).sum::<f64>();
        let turns = swings.iter().filter(|swing| swing.radius > 0.0).map(|swing| swing.rotation.length());
        let turning = turns.fold(0.0, f64::max);
        let far = a.shape.center().abs().max(b.shape.center().abs()).max_element() + a.radius + b.radius;
        // Part of the penetration is left to the solver, which then pushes them apart, so that they never hold each
        // other.
        let allowed = 0.5 * f64::from(a.inner_radius.min(b.inner_radius)) - f64::from(4.0 * ROUNDING * far);
        let mut manifold = ContactManifold::default();
        let mut pairs = parts_that_may_meet(&a.shape, &b.shape, relative.length() + spin);
        let mut time = 0.0f32;
        for _ in 0..ADVANCES {
            let poses =
                [(a, way_a), (b, way_b)].map(|(state, way)| state.shape.moved(way.motion * time, way.rotation * time));
            let [Some(first), Some(second)] = poses else { return time };
            let mut progress = f32::INFINITY;
            pairs.retain(|PartPair { parts: [i, j], cache, touch }| {
                let (Some(own), Some(other)) = (first.part(*i), second.part(*j)) else { return false };
                let (own, other) = (own.contact_shape(), other.contact_shape());
                manifold.update(&own, &other, 0.0, cache);
                let normal = manifold.normal().as_dvec3();
                let apart = -second.reach(*j, -normal) - first.reach(*i, normal);
                *touch |= time == 0.0 && apart <= 0.0;
                // How fast two points of them approach.
                let closing_at = |at: [DVec3; 2]| {
                    let speed = |shape: &BodyShape, way: &Way, at: DVec3| {
                        let arm = at - shape.center().as_dvec3();
                        normal.dot(way.motion.as_dvec3() + way.rotation.as_dvec3().cross(arm))
                    };
                    speed(&first, way_a, at[0]) - speed(&second, way_b, at[1])
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
                            closing_at(at.map(|(center, from)| center.as_dvec3() + from.as_dvec3()))
                        };
                        let most = manifold.points().iter().map(closing).reduce(f64::max);
                        let whole = normal.dot(relative);
                        // The solver lets them turn out of each other, and that must not stop.
                        if whole > 0.0 && most.is_some_and(|most| most <= 0.0) {
                            progress = progress.min((REFRESHED / turning) as f32);
                            return true;
                        }
                        (most.map_or(whole, |most| most.min(whole)), TOUCHING * allowed)
                    }
                    (true, true) => {
                        let center = own.center().as_dvec3();
                        let points = manifold.points();
                        let sum: DVec3 = points.iter().map(|point| point.from_first.as_dvec3()).sum();
                        // Without points, straight ahead of its centre.
                        let ahead = normal * (first.reach(*i, normal) - normal.dot(center));
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
            if pairs.is_empty() {
                return 1.0;
            }
            if progress < 1e-3 {
                return time;
            }
            time += progress;
            if time >= 1.0 {
                return 1.0;
            }
        }
        time
    }
}

/// A part of each of two bodies.
struct PartPair {
    parts: [u32; 2],
    /// The manifold cache of the two.
    cache: ManifoldCache,
    /// Whether they touched at the start.
    touch: bool,
}

/// The parts of two bodies that may meet while the bodies approach by no more than a distance.
fn parts_that_may_meet(a: &BodyShape, b: &BodyShape, distance: f64) -> SmallVec<[PartPair; 4]> {
    let pair = |i: u32, j: u32| PartPair { parts: [i, j], cache: ManifoldCache::default(), touch: false };
    let is_one = a.part_count() == 1 && b.convex().is_some();
    if is_one {
        return SmallVec::from_iter([pair(0, 0)]);
    }
    let mut pairs = SmallVec::new();
    for i in 0..a.part_count() {
        let Some(own) = a.part(i).map(|part| part.aabb()) else { continue };
        b.parts_near(&own.expanded((distance as f32).next_up()), own.center(), |j| pairs.push(pair(i, j)));
    }
    pairs
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

    fn may_meet(&self, other: &Self) -> bool {
        self.far + other.far > self.may.min(other.may)
    }
}
