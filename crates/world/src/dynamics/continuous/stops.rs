//! What bodies do in the rest of a step in which they meet others.
//!
//! ```text
//!   1  which pairs meet, and when                                              meeting
//!   2  all that meet each other, directly or through others, stop at the first time at which any two do
//!   3  what meets a kinematic body goes on with it
//!   4  the others go on with their common motion, if none gets anywhere by that where it might meet something else
//!   5  what would then overtake a body that has stopped stops behind it
//! ```

use super::{Ways, guard::Way, meeting::Meeting};
use crate::{
    World,
    dynamics::{
        BodyState, Dynamics, NONE,
        body::pose::{quaternion, rotation_vector},
        pairs::ActivePairs,
        sets::Sets,
    },
};
use cullide_bvh::Team;
use cullide_narrowphase::Mapped;
use cullide_narrowphase::glam::{DVec3, Vec3};

/// The limit on how often it is checked which bodies overtake others.
const ROUNDS: usize = 256;

/// How far something fixed may push a body back, as a share of the least radius among bodies that go on together.
const PUSHED: f32 = 0.25;

/// Bodies that meet each other.
struct MeetingGroup {
    bodies: Vec<u32>,
    /// When they stop.
    time: f32,
}

impl Dynamics {
    /// Stops bodies that are fast for their size where they meet others. Returns whether any stopped.
    pub(super) fn stop_at_each_other(&self, team: &Team, world: &World, pairs: &ActivePairs, ways: &mut Ways) -> bool {
        let meetings = self.meetings(team, pairs, ways);
        if meetings.iter().all(|meeting| meeting.time >= 1.0) {
            return false;
        }
        let groups = self.groups(&meetings, ways.found.len());
        let (mut times, mut group_of) = (vec![1.0f32; ways.found.len()], vec![usize::MAX; ways.found.len()]);
        for (i, group) in groups.iter().enumerate() {
            for &at in &group.bodies {
                (times[at as usize], group_of[at as usize]) = (group.time, i);
            }
        }
        let carried = self.carried(&meetings, &times, ways);
        let mut is_driven: Vec<bool> = carried.iter().map(Option::is_some).collect();
        for &Meeting { bodies: [first, second], .. } in meetings.iter().filter(|meeting| meeting.time < 1.0) {
            is_driven[first as usize] |= !self.state(second).is_dynamic();
        }
        for MeetingGroup { bodies, time } in &groups {
            let after = self.going_on(world, bodies, *time, &is_driven, ways).unwrap_or_else(|| {
                let stopped = |at: &u32| self.stopped(world, *at, *time, carried[*at as usize], ways);
                bodies.iter().map(stopped).collect()
            });
            for (at, way) in bodies.iter().zip(after) {
                ways.found[*at as usize] = way;
            }
        }
        let is_elsewhere = |meeting: &Meeting| {
            let [a, b] = meeting.bodies.mapped(|at| group_of[at as usize]);
            a != b || a == usize::MAX
        };
        let stopped: Vec<bool> = group_of.iter().map(|group| *group != usize::MAX).collect();
        let carried = carried.iter().map(Option::is_some).collect();
        self.stop_behind(world, &meetings, [stopped, carried], is_elsewhere, ways);
        true
    }

    /// The groups of bodies that stop, each with all that meet one of them or may be driven into by one.
    fn groups(&self, meetings: &[Meeting], count: usize) -> Vec<MeetingGroup> {
        let mut sets = Sets::default();
        sets.reset(count);
        let mut times = vec![1.0f32; count];
        let all = || meetings.iter().filter(|meeting| meeting.is_fast);
        // A kinematic body goes on regardless, and drives what it meets into what is near that.
        let are_dynamic = |[first, second]: [u32; 2]| self.state(first).is_dynamic() && self.state(second).is_dynamic();
        let between = || all().filter(|meeting| are_dynamic(meeting.bodies));
        between().filter(|meeting| meeting.is_near).for_each(|meeting| sets.join(meeting.bodies[0], meeting.bodies[1]));
        let mut is_driven = vec![false; count];
        for &Meeting { bodies, .. } in all().filter(|meeting| meeting.time < 1.0 && !are_dynamic(meeting.bodies)) {
            bodies.iter().for_each(|at| is_driven[sets.root(*at) as usize] = true);
        }
        let is_driven: Vec<bool> = (0..count as u32).map(|at| is_driven[sets.root(at) as usize]).collect();
        sets.reset(count);
        for &Meeting { bodies: [first, second], time, is_near, .. } in between() {
            if time < 1.0 || is_near && is_driven[first as usize] {
                sets.join(first, second);
            }
        }
        for &Meeting { bodies, time, .. } in all() {
            for at in bodies.into_iter().filter(|at| self.state(*at).is_dynamic()) {
                let least = &mut times[sets.root(at) as usize];
                *least = least.min(time);
            }
        }
        let mut groups: Vec<MeetingGroup> = Vec::new();
        let mut number = vec![usize::MAX; count];
        for at in 0..count as u32 {
            let root = sets.root(at) as usize;
            if times[root] < 1.0 {
                if number[root] == usize::MAX {
                    number[root] = groups.len();
                    groups.push(MeetingGroup { bodies: Vec::new(), time: times[root] });
                }
                groups[number[root]].bodies.push(at);
            }
        }
        groups
    }

    /// The way of a body that stops at a time of the step, or is carried on.
    fn stopped(&self, world: &World, at: u32, time: f32, carried: Option<[Vec3; 2]>, ways: &Ways) -> Option<Way> {
        let way = ways.found[at as usize].as_ref()?;
        let [motion, rotation] = carried.unwrap_or([way.motion * time, way.rotation * time]);
        let kept = self.shortened(world, self.state(at), way, motion, rotation);
        Some(if carried.is_some() { Way { wanted: way.wanted, ..kept } } else { kept })
    }

    /// A way with another motion and rotation, as far as it is free: that a rotating way ends free does not mean that a
    /// part of it is free.
    fn shortened(&self, world: &World, state: &BodyState, way: &Way, motion: Vec3, rotation: Vec3) -> Way {
        let kept = self.kept(world, state, motion, rotation);
        Way { is_cut: way.is_cut || kept.is_cut, ..kept }
    }

    /// The ways of bodies that stop turning at a time of the step, and from then on move with their common centre of
    /// mass: what falls goes on falling, however its parts press each other. `None` if one of them would meet something
    /// else by that.
    fn going_on(
        &self,
        world: &World,
        bodies: &[u32],
        time: f32,
        is_driven: &[bool],
        ways: &Ways,
    ) -> Option<Vec<Option<Way>>> {
        let (mut mass, mut momentum, mut least) = (0.0f64, DVec3::ZERO, f32::INFINITY);
        for &at in bodies {
            let (state, way) = (self.state(at), ways.found[at as usize].as_ref()?);
            if is_driven[at as usize] || state.body.locked_translation.any() {
                return None;
            }
            let own = 1.0 / f64::from(state.inverse_mass);
            (mass, momentum) = (mass + own, momentum + way.motion.as_dvec3() * own);
            least = least.min(state.inner_radius);
        }
        let rest = (momentum / mass).as_vec3() * (1.0 - time);
        let go_on = |at: &u32| {
            let (state, way) = (self.state(*at), ways.found[*at as usize].as_ref()?);
            let motion = way.motion * time + rest;
            let kept = self.shortened(world, state, way, motion, way.rotation * time);
            let is_free = (kept.motion - motion).length() <= PUSHED * least;
            let is_alone = || !state.pairs.iter().any(|number| self.meets_another(*number, bodies, *at, &kept, ways));
            (is_free && state.reach.contains(&kept.end.aabb()) && is_alone()).then_some(Some(kept))
        };
        bodies.iter().map(go_on).collect()
    }

    /// Whether a body of a group would meet a body that is not of the group on another way than its own.
    fn meets_another(&self, pair: u32, group: &[u32], at: u32, way: &Way, ways: &Ways) -> bool {
        let Some(pair) = self.contacts.get(pair) else { return false };
        let other = if pair.bodies[0] == at { pair.bodies[1] } else { pair.bodies[0] };
        if other == NONE || group.binary_search(&other).is_ok() || self.state(other).body.is_sensor {
            return false;
        }
        let (state, other_state) = (self.state(at), self.state(other));
        match &ways.found[other as usize] {
            Some(other_way) => {
                let time = self.time_of_meeting((state, way), (other_state, other_way));
                time.is_some_and(|time| time < 1.0)
            }
            // It sleeps.
            None => way.length(state.radius) > 0.5 * state.inner_radius.min(other_state.inner_radius),
        }
    }

    /// Shortens the ways of bodies that would overtake others that stop before them. What a kinematic body would then
    /// overtake goes on with that, whatever else is in its way.
    fn stop_behind(
        &self,
        world: &World,
        meetings: &[Meeting],
        [mut changed, mut is_driven]: [Vec<bool>; 2],
        is_elsewhere: impl Fn(&Meeting) -> bool,
        ways: &mut Ways,
    ) {
        for round in 0..ROUNDS {
            let mut now = vec![false; changed.len()];
            for meeting in meetings.iter().filter(|meeting| round > 0 || is_elsewhere(meeting)) {
                let [first, second] = meeting.bodies.mapped(|at| at as usize);
                let [a, b] = meeting.bodies.mapped(|at| self.state(at));
                if ![first, second].iter().any(|at| changed[*at] || now[*at]) || !a.is_dynamic() {
                    continue;
                }
                let (Some(way_a), Some(way_b)) = (&ways.found[first], &ways.found[second]) else { continue };
                // What is carried goes on; of two others, the one that gets farther stops.
                let is_carrier = !b.is_dynamic();
                let stops_first = is_carrier || way_a.length(a.radius) >= way_b.length(b.radius);
                let stops_first = if is_driven[first] != is_driven[second] { is_driven[second] } else { stops_first };
                let (at, state, way) = if stops_first || is_carrier { (first, a, way_a) } else { (second, b, way_b) };
                if is_driven[at] {
                    continue;
                }
                let Some(time) = self.time_of_meeting((a, way_a), (b, way_b)).filter(|time| *time < 1.0) else {
                    continue;
                };
                let carried = if is_carrier { self.carried_by(ways, meeting.bodies, time, time) } else { None };
                let [motion, rotation] = carried.unwrap_or([way.motion * time, way.rotation * time]);
                is_driven[at] = is_carrier;
                let kept = self.shortened(world, state, way, motion, rotation);
                let kept = if is_carrier { Way { wanted: way.wanted, ..kept } } else { kept };
                (ways.found[at], now[at]) = (Some(kept), true);
            }
            if !now.contains(&true) {
                return;
            }
            changed = now;
        }
    }

    /// Returns the whole motion and rotation of bodies that stop where a kinematic body meets them, and go on with it;
    /// and of those that these would otherwise be pushed into.
    fn carried(&self, meetings: &[Meeting], times: &[f32], ways: &Ways) -> Vec<Option<[Vec3; 2]>> {
        let (mut carriers, mut carried) = (vec![None; times.len()], vec![None; times.len()]);
        for &Meeting { bodies: [first, second], time, .. } in meetings {
            let stopped = times[first as usize];
            if stopped >= 1.0 || !self.state(first).is_dynamic() || self.state(second).is_dynamic() {
                continue;
            }
            // A body that stopped earlier for another reason may be met where it waits.
            let time = if stopped >= time { Some(time) } else { self.overtaken(ways, [first, second], stopped) };
            if let Some(time) = time.filter(|time| *time < 1.0) {
                carriers[first as usize] = Some(second);
                let share = if stopped >= time { time } else { time * stopped };
                carried[first as usize] = self.carried_by(ways, [first, second], share, time);
            }
        }
        let mut is_settled = carried.iter().all(Option::is_none);
        while !is_settled {
            is_settled = true;
            for &Meeting { bodies: [first, second], .. } in meetings {
                for [by, other] in [[first, second], [second, first]] {
                    let time = times[other as usize];
                    let waits = self.state(other).is_dynamic() && time < 1.0 && carried[other as usize].is_none();
                    let (true, Some(kinematic)) = (waits, carriers[by as usize]) else { continue };
                    let way = carried[by as usize].zip(ways.found[by as usize].as_ref());
                    let Some(beyond) = way.map(|([motion, _], way)| motion - way.motion * time) else { continue };
                    if self.are_driven_together(by, other, beyond) {
                        carriers[other as usize] = Some(kinematic);
                        carried[other as usize] = self.carried_by(ways, [other, kinematic], time, time);
                        is_settled = false;
                    }
                }
            }
        }
        carried
    }

    /// Whether a body that is moved by `motion` gets into another one.
    fn are_driven_together(&self, body: u32, other: u32, motion: Vec3) -> bool {
        let [body, other] = [body, other].mapped(|at| self.state(at).key);
        self.contacts.between(body, other.into()).is_some_and(|pair| {
            let along = if pair.first == body { motion } else { -motion };
            pair.parts.iter().any(|part| part.manifold.normal().dot(along) > part.manifold.distance().max(0.0))
        })
    }

    /// The time at which a kinematic body meets one that completes only this share of its way in the step.
    fn overtaken(&self, ways: &Ways, bodies: [u32; 2], share: f32) -> Option<f32> {
        let [own, by] = bodies.mapped(|at| ways.found[at as usize].as_ref());
        let ((own, by), [state, kinematic]) = (own.zip(by)?, bodies.mapped(|at| self.state(at)));
        let own = Way { motion: own.motion * share, rotation: own.rotation * share, ..own.clone() };
        Some(self.meeting_time((state, &own), (kinematic, by)))
    }

    /// The motion and rotation of a body that has completed `share` of its own way by `time`, and from then on stays in
    /// place on a kinematic body, except along and about locked axes.
    fn carried_by(&self, ways: &Ways, bodies: [u32; 2], share: f32, time: f32) -> Option<[Vec3; 2]> {
        let [own, by] = bodies.mapped(|at| ways.found[at as usize].as_ref());
        let ((own, by), [state, kinematic]) = (own.zip(by)?, bodies.mapped(|at| self.state(at)));
        // In `f64`: where a carrier covers millions of units, the sums of `f32` would be off by more than a skin.
        let [share, time] = [share, time].mapped(f64::from);
        let turn = quaternion(by.rotation.as_dvec3() * (1.0 - time));
        let (until, turned) = (own.motion.as_dvec3() * share, own.rotation.as_dvec3() * share);
        let [center, carrier] = [state, kinematic].mapped(|state| state.shape.center().as_dvec3());
        let arm = center + until - (carrier + by.motion.as_dvec3() * time);
        let beyond = by.motion.as_dvec3() * (1.0 - time) + turn * arm - arm;
        let free = DVec3::select(state.body.locked_translation, DVec3::ZERO, DVec3::ONE);
        let rotation = match state.body.locked_rotation.any() {
            false => rotation_vector((turn * quaternion(turned)).as_quat()),
            true => turned.as_vec3(),
        };
        Some([(until + beyond * free).as_vec3(), rotation])
    }
}
