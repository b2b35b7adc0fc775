//! A step of all rigid bodies.

use super::{
    BodyState, Dynamics, NONE,
    blocks::partition,
    contact::{Lane, LanePoint, Softness},
    guard::Way,
    pose::{BodyShape, across},
    solver::{SolverBody, SolverSettings},
};
use crate::{
    BodyKind, ContactPair, DynamicsConfig, ObjectKey, Target, World,
    contact::{
        Impulses,
        cache::{Changes, reach_of},
    },
    scene::planes::MotionBounds,
};
use cullide_narrowphase::glam::{DVec3, Quat, Vec3};

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport<'a> {
    /// Pairs that touch, and did not before the step.
    pub begun: &'a [(ObjectKey, Target)],
    /// Pairs that touched before the step, and do not now.
    pub ended: &'a [(ObjectKey, Target)],
    /// Bodies that could not go where contacts pushed them, because something that is fixed is there: they have been
    /// held, and may be squeezed.
    pub held: &'a [ObjectKey],
    /// How many bodies are awake.
    pub awake: usize,
}

/// What a report lends.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    begun: Vec<(ObjectKey, Target)>,
    ended: Vec<(ObjectKey, Target)>,
    held: Vec<ObjectKey>,
    awake: usize,
    /// Numbers of the pairs that the step looks at, in order.
    active: Vec<u32>,
    /// Where each contact of the solver came from: pair and part.
    sources: Vec<(u32, u32)>,
    ends: Vec<usize>,
    order: Vec<(Vec3, u32)>,
    ways: Vec<(u32, Way)>,
}

impl Lists {
    fn report(&self) -> StepReport<'_> {
        StepReport { begun: &self.begun, ended: &self.ended, held: &self.held, awake: self.awake }
    }
}

/// Of the margin: points as close as this count as touching.
const TOUCHING: f32 = 4.0;

impl Dynamics {
    /// Moves all bodies by `dt` seconds. A `dt` that is not positive and finite changes nothing.
    ///
    /// The world's [pairs](World::update_pairs) are brought up to date by it; boxes of bodies then cover where they may
    /// get, with a margin.
    pub fn step(&mut self, world: &mut World, dt: f32, config: &DynamicsConfig) -> StepReport<'_> {
        let mut lists = std::mem::take(&mut self.report);
        lists.begun.clear();
        lists.ended.clear();
        lists.held.clear();
        if dt > 0.0 && dt.is_finite() {
            self.sync(world);
            lists.ended.append(&mut self.parted);
            self.find_pairs(world, dt, config, &mut lists);
            self.touch(world, dt, config, &mut lists);
            self.solve(dt, config, &mut lists);
            self.advance(world, dt, &mut lists);
            self.rest(dt, config, &mut lists);
        }
        self.report = lists;
        self.report.report()
    }

    /// Takes up what the caller has edited since the last step.
    fn sync(&mut self, world: &World) {
        if self.fixed_serial.replace(world.fixed_serial) != Some(world.fixed_serial) {
            self.wake_all_bodies();
        }
        for at in 0..self.bodies.len() as u32 {
            let Some(state) = &self.bodies[at as usize] else { continue };
            let (key, shape) = (state.key, world.object(state.key).map(|object| &object.shape));
            if shape.is_some_and(|shape| state.shape.is(shape)) {
                continue;
            }
            let known = shape.and_then(BodyShape::new);
            let mass = shape.and_then(|shape| super::MassProperties::new(shape, state.body.mass));
            self.wake_body(at);
            match (known, mass) {
                (Some(shape), Some(mass)) => {
                    let state = self.state_mut(at);
                    let pairs = std::mem::take(&mut state.pairs);
                    let (force, torque) = (state.force, state.torque);
                    *state = BodyState { pairs, force, torque, ..BodyState::new(key, state.body, shape, mass) };
                }
                _ => {
                    self.remove(key);
                }
            }
        }
    }

    /// Gives awake bodies the boxes that they may reach, and takes up which pairs that makes.
    fn find_pairs(&mut self, world: &mut World, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        for state in self.bodies.iter_mut().flatten().filter(|state| state.is_awake()) {
            let body = &state.body;
            let gravity =
                if state.body.kind == BodyKind::Dynamic { config.gravity * body.gravity_scale } else { Vec3::ZERO };
            let velocity = body.velocity + (gravity + state.force * state.inverse_mass) * dt;
            // However it turns.
            let turning = state.radius * (body.angular_velocity.length() * dt).min(2.0);
            state.reach = reach_of(&state.shape.aabb(), velocity, dt, config.margin + turning);
        }
        let mut changes = std::mem::take(&mut self.changes);
        let mut contacts = std::mem::take(&mut self.contacts);
        let predicted = self.bodies.iter().flatten().filter(|state| state.is_awake());
        let predicted = predicted.filter_map(|state| Some((state.key.slot(world.id)?, state.reach)));
        let predicted: Vec<_> = predicted.collect();
        let wanted = |a: ObjectKey, b: ObjectKey| {
            let is_dynamic = |key| self.at(key).is_some_and(|at| self.state(at).is_dynamic());
            (is_dynamic(a) || is_dynamic(b)) && !self.ignored.contains(&(a, b))
        };
        let is_resynced = contacts.update(world, predicted.into_iter(), wanted, &mut changes);
        for state in self.bodies.iter().flatten().filter(|state| state.is_awake() && state.is_dynamic()) {
            let Some(object) = world.object(state.key) else { continue };
            let (center, half) = (state.reach.center(), 0.5 * (state.reach.max() - state.reach.min()));
            let way = MotionBounds::of_ball(center, half.length(), Vec3::ZERO);
            contacts.update_planes(world, state.key, &way, object.pairs_with, &mut changes);
        }
        self.contacts = contacts;
        self.forget_ended(&changes);
        for (_, pair) in changes.ended.iter().filter(|(_, pair)| pair.is_touching) {
            lists.ended.push((pair.first, pair.second));
        }
        let begun = changes.begun.iter().copied();
        if is_resynced {
            // What was no body may be one now.
            let all: Vec<u32> = self.contacts.iter().map(|(number, _)| number).collect();
            self.bodies.iter_mut().flatten().for_each(|state| state.pairs.clear());
            all.into_iter().for_each(|number| self.connect(number));
        } else {
            begun.for_each(|number| self.connect(number));
        }
        self.changes = changes;
    }

    /// Tells a pair which bodies it is of, a dynamic one first, and these of the pair.
    pub(super) fn connect(&mut self, number: u32) {
        let Some(pair) = self.contacts.get(number) else { return };
        let (first, second) = (pair.first, pair.second);
        let mut bodies = [self.at(first).unwrap_or(NONE), self.body_of(second).unwrap_or(NONE)];
        let is_dynamic = bodies[0] != NONE && self.state(bodies[0]).is_dynamic();
        let Some(pair) = self.contacts.get_mut(number) else { return };
        if let Target::Object(other) = second
            && !is_dynamic
        {
            (pair.first, pair.second) = (other, first.into());
            pair.parts.clear();
            bodies.reverse();
        }
        pair.bodies = bodies;
        for body in bodies.into_iter().filter(|body| *body != NONE) {
            let pairs = &mut self.state_mut(body).pairs;
            // In order, however they came to be.
            let place = pairs.partition_point(|known| *known < number);
            pairs.insert(place, number);
        }
    }

    /// Takes pairs that are over off the lists of their bodies, which wake.
    pub(super) fn forget_ended(&mut self, changes: &Changes) {
        for (number, pair) in &changes.ended {
            for body in pair.bodies {
                if !self.is_body(body) {
                    continue;
                }
                self.state_mut(body).pairs.retain(|known| known != number);
                if pair.is_touching {
                    self.wake_body(body);
                }
            }
        }
    }

    /// Computes the manifolds of pairs that something awake is in, and wakes what it touches.
    fn touch(&mut self, world: &World, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        self.list_active(lists);
        let mut contacts = std::mem::take(&mut self.contacts);
        let touching = TOUCHING * config.skin;
        let is_active = |pair: &ContactPair| self.is_active(pair);
        let update = |slot: &mut Option<ContactPair>| {
            let Some(pair) = slot.as_mut().filter(|pair| is_active(pair)) else { return };
            let (Some(first), second) = self.states(pair) else { return };
            // From as far as they come together in the step, so that they do not first meet when they penetrate.
            let closing = first.body.velocity - second.map_or(Vec3::ZERO, |state| state.body.velocity);
            let inner = second.map_or(first.inner_radius, |state| first.inner_radius.min(state.inner_radius));
            let margin = config.margin + (closing.length() * dt).min(inner);
            pair.update(world, &first.reach, margin, touching);
        };
        #[cfg(feature = "parallel")]
        if rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            contacts.slots_mut().par_chunks_mut(64).for_each(|slots| slots.iter_mut().for_each(update));
        } else {
            contacts.slots_mut().iter_mut().for_each(update);
        }
        #[cfg(not(feature = "parallel"))]
        contacts.slots_mut().iter_mut().for_each(update);
        self.contacts = contacts;
        let mut woken = Vec::new();
        for &number in &lists.active {
            let Some(pair) = self.contacts.get(number).filter(|pair| self.wakes(pair, config)) else { continue };
            for body in pair.bodies.into_iter().filter(|body| *body != NONE) {
                let state = self.state(body);
                if !state.is_awake() && state.is_dynamic() {
                    woken.push(body);
                }
            }
        }
        if !woken.is_empty() {
            woken.into_iter().for_each(|body| self.wake_body(body));
            self.list_active(lists);
        }
        for &number in &lists.active {
            let Some(pair) = self.contacts.get(number) else { continue };
            match (pair.was_touching, pair.is_touching) {
                (false, true) => lists.begun.push((pair.first, pair.second)),
                (true, false) => lists.ended.push((pair.first, pair.second)),
                _ => {}
            }
        }
    }

    /// Whether what is awake of a pair wakes what is not: they touch, or come together.
    fn wakes(&self, pair: &ContactPair, config: &DynamicsConfig) -> bool {
        if pair.is_touching {
            return true;
        }
        let (first, second) = self.states(pair);
        let velocity = |state: Option<&BodyState>| state.map_or(Vec3::ZERO, |state| state.body.velocity);
        let closing = velocity(first) - velocity(second);
        let mut near = pair.parts.iter().filter(|part| !part.manifold.points().is_empty());
        near.any(|part| part.manifold.normal().dot(closing) > config.sleep_speed)
    }

    fn list_active(&self, lists: &mut Lists) {
        lists.active.clear();
        let is_active = |pair: &ContactPair| self.is_active(pair);
        lists.active.extend(self.contacts.iter().filter(|(_, pair)| is_active(pair)).map(|(number, _)| number));
    }

    /// Solves velocities and positions, and keeps the impulses.
    fn solve(&mut self, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        lists.order.clear();
        let awake = |state: &&BodyState| state.is_awake() && state.is_dynamic() && !state.body.is_sensor;
        for (at, state) in self.bodies.iter().enumerate() {
            if let Some(state) = state.as_ref().filter(awake) {
                lists.order.push((state.shape.center(), at as u32));
            }
        }
        partition(&mut lists.order, &mut lists.ends);
        for &(_, at) in &lists.order {
            let state = self.state_mut(at);
            state.inertia = state.world_inertia();
        }
        // Kinematic bodies have a row in each block that they touch something of.
        let mut kinematic = std::collections::BTreeMap::new();
        for (block, (start, end)) in spans(&lists.ends).enumerate() {
            for &(_, at) in &lists.order[start..end] {
                self.state_mut(at).block = block as u32;
            }
        }
        for &number in &lists.active {
            let Some(pair) = self.contacts.get(number) else { continue };
            if let (Some(first), Some(second)) = self.states(pair)
                && !second.is_dynamic()
            {
                kinematic.insert((first.block, pair.bodies[1]), 0u32);
            }
        }
        let mut solver = std::mem::take(&mut self.solver);
        let mut row = 0;
        let blocks: Vec<Vec<u32>> = spans(&lists.ends)
            .enumerate()
            .map(|(block, (start, end))| {
                let own = lists.order[start..end].iter().map(|(_, at)| *at);
                let block = block as u32;
                let guests = kinematic.range((block, 0)..(block + 1, 0)).map(|((_, at), _)| *at);
                own.chain(guests).collect()
            })
            .collect();
        for (block, bodies) in blocks.iter().enumerate() {
            row += 1;
            for &at in bodies {
                match kinematic.get_mut(&(block as u32, at)) {
                    Some(known) => *known = row,
                    None => self.state_mut(at).row = row,
                }
                row += 1;
            }
        }
        let substeps = config.substeps.max(1);
        let h = dt / substeps as f32;
        solver.begin(
            blocks
                .iter()
                .map(|bodies| bodies.iter().map(|at| solver_body(self.state(*at), config, dt, h)).collect::<Vec<_>>()),
        );

        lists.sources.clear();
        let hertz = config.contact_hertz.min(0.25 / h);
        let soft = Softness::new(hertz, config.contact_damping_ratio, h);
        let stiff = Softness::new(4.0 * hertz, config.contact_damping_ratio, h);
        for &number in &lists.active {
            let Some(pair) = self.contacts.get(number) else { continue };
            let (Some(first), second) = self.states(pair) else { continue };
            let is_out = |state: &BodyState| !state.is_awake() || state.body.is_sensor;
            if is_out(first) || second.is_some_and(is_out) {
                continue;
            }
            let of_second = self.material(pair.second);
            let friction = (first.body.material.friction * of_second.friction).sqrt();
            let restitution = first.body.material.restitution.max(of_second.restitution);
            let surface = first.body.material.surface_velocity - of_second.surface_velocity;
            let inertias = [first.inertia, second.map_or([0.0; 6], |state| state.inertia)];
            let (rows, block, moves) = match second {
                None => (
                    [first.row, solver.first_row(first.block as usize) as u32],
                    Some(first.block as usize),
                    [true, false],
                ),
                Some(state) if !state.is_dynamic() => {
                    let row = kinematic.get(&(first.block, pair.bodies[1])).copied().unwrap_or(0);
                    ([first.row, row], Some(first.block as usize), [true, false])
                }
                Some(state) => {
                    let block = (first.block == state.block).then_some(first.block as usize);
                    ([first.row, state.row], block, [true, true])
                }
            };
            let softness = if moves[1] { soft } else { stiff };
            for (i, part) in pair.parts.iter().enumerate() {
                let points = part.manifold.points();
                if points.is_empty() {
                    continue;
                }
                let normal = part.manifold.normal();
                let (tangent, _) = across(normal);
                let other = normal.cross(tangent);
                let old = Vec3::from(part.impulses.across);
                let mut lane = Lane {
                    bodies: rows,
                    inverse_mass: [first.inverse_mass, second.map_or(0.0, |state| state.inverse_mass)],
                    inverse_inertia: inertias,
                    normal: normal.to_array(),
                    tangent: tangent.to_array(),
                    friction,
                    restitution,
                    softness,
                    surface_speed: [surface.dot(tangent), surface.dot(other)],
                    points: Default::default(),
                    count: points.len(),
                    friction_impulses: [old.dot(tangent), old.dot(other), part.impulses.twist],
                };
                for (k, point) in points.iter().enumerate() {
                    lane.points[k] = LanePoint {
                        from_first: point.from_first.to_array(),
                        from_second: if second.is_some() { point.from_second.to_array() } else { [0.0; 3] },
                        separation: point.separation - config.skin,
                        impulse: part.impulses.normal[k],
                    };
                }
                solver.add(block, lane, moves, lists.sources.len() as u32);
                lists.sources.push((number, i as u32));
            }
        }
        solver.solve(&SolverSettings {
            substeps,
            h,
            push_speed: config.push_speed,
            restitution_speed: config.restitution_speed,
        });
        let contacts = &mut self.contacts;
        solver.impulses(|source, normal, [along, other, twist]| {
            let (number, part) = lists.sources[source as usize];
            if let Some(pair) = contacts.get_mut(number) {
                let part = &mut pair.parts[part as usize];
                let unit = part.manifold.normal();
                let (tangent, _) = across(unit);
                let sideways = tangent * along + unit.cross(tangent) * other;
                part.impulses = Impulses { normal, across: sideways.to_array(), twist };
            }
        });
        for state in self.bodies.iter_mut().flatten().filter(|state| awake(&&**state)) {
            let (velocity, angular_velocity) = solver.velocity(state.row as usize);
            let (velocity, angular_velocity) = (Vec3::from(velocity), Vec3::from(angular_velocity));
            if velocity.is_finite() && angular_velocity.is_finite() {
                (state.body.velocity, state.body.angular_velocity) = (velocity, angular_velocity);
            } else {
                (state.body.velocity, state.body.angular_velocity) = Default::default();
            }
        }
        self.solver = solver;
    }

    /// Moves bodies as far as they may go.
    fn advance(&mut self, world: &mut World, dt: f32, lists: &mut Lists) {
        lists.ways.clear();
        let way = |at: usize, state: &BodyState| {
            let way = if state.is_dynamic() && !state.body.is_sensor {
                let (motion, turn) = self.solver.moved(state.row as usize);
                self.guarded(world, state, Vec3::from(motion), Quat::from_array(turn), dt)
            } else {
                let (motion, rotation) = (state.body.velocity * dt, state.body.angular_velocity * dt);
                let end = state.shape.moved(motion, rotation).map(|end| end.resized(state.sizes));
                Way { motion, rotation, end: end.unwrap_or(state.shape), is_cut: end.is_none() }
            };
            (at as u32, way)
        };
        let awake = |(at, state): (usize, &Option<BodyState>)| {
            let state = state.as_ref().filter(|state| state.is_awake())?;
            Some(way(at, state))
        };
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            lists.ways.par_extend(self.bodies.par_iter().with_min_len(64).enumerate().filter_map(awake));
        }
        #[cfg(not(feature = "parallel"))]
        lists.ways.extend(self.bodies.iter().enumerate().filter_map(awake));
        self.stop_at_each_other(world, lists);
        for &(at, way) in &lists.ways {
            let state = self.bodies[at as usize].as_mut().expect("an awake body");
            if way.is_cut {
                lists.held.push(state.key);
            }
            state.shape = way.end;
            (state.force, state.torque) = (Vec3::ZERO, Vec3::ZERO);
        }
        let id = world.id;
        let moved = lists.ways.iter().filter_map(|(at, _)| {
            let state = self.bodies[*at as usize].as_ref()?;
            Some((state.key.slot(id)?, state))
        });
        let moved = moved.map(|(slot, state)| (slot, (state.shape.into(), state.body.velocity, state.reach)));
        world.place_bodies(moved);
    }

    /// Bodies that are fast for their size stop where they meet others, and so do those that they belong to: all that
    /// could meet on the way get to the same time of the step.
    fn stop_at_each_other(&self, world: &World, lists: &mut Lists) {
        let fast = |(at, way): &(u32, Way)| {
            let state = self.state(*at);
            way.motion.length() + way.rotation.length() * state.radius > 0.5 * state.inner_radius
        };
        if !lists.ways.iter().any(fast) {
            return;
        }
        let index_of = |at: u32| lists.ways.binary_search_by_key(&at, |(at, _)| *at).ok();
        let mut meetings: Vec<(usize, usize, f32)> = Vec::new();
        for &number in &lists.active {
            let Some(pair) = self.contacts.get(number) else { continue };
            let (Some(first), Some(second)) = self.states(pair) else { continue };
            let [a, b] = pair.bodies;
            let (Some(i), Some(j)) = (index_of(a), index_of(b)) else { continue };
            if first.body.is_sensor || second.body.is_sensor {
                continue;
            }
            let (way_a, way_b) = (&lists.ways[i].1, &lists.ways[j].1);
            let relative = (way_a.motion - way_b.motion).length()
                + way_a.rotation.length() * first.radius
                + way_b.rotation.length() * second.radius;
            if relative <= 0.5 * first.inner_radius.min(second.inner_radius) {
                continue;
            }
            let time = self.meeting_time((first, way_a), (second, way_b));
            meetings.push((i, j, time));
        }
        // Until nobody has to wait: each round some body gets less far, and there are as many times as meetings.
        let mut times = vec![1.0f32; lists.ways.len()];
        let mut is_settled = meetings.iter().all(|(.., time)| *time >= 1.0);
        while !is_settled {
            is_settled = true;
            for &(i, j, time) in &meetings {
                let least = times[i].min(times[j]).min(time);
                // A kinematic body goes on all the same.
                for k in [i, j] {
                    let moves = self.state(lists.ways[k].0).is_dynamic();
                    if moves && times[k] > least && (time < 1.0 || times[i].min(times[j]) < 1.0) {
                        (times[k], is_settled) = (least, false);
                    }
                }
            }
        }
        for (time, (at, way)) in times.into_iter().zip(&mut lists.ways) {
            if time < 1.0 {
                let state = self.bodies[*at as usize].as_ref().expect("an awake body");
                // Part of a way that turns is not free because all of it ends free.
                let kept = self.kept(world, state, way.motion * time, way.rotation * time);
                *way = Way { is_cut: way.is_cut || kept.is_cut, ..kept };
            }
        }
    }

    /// Counts how long bodies have been still, and lets islands sleep.
    fn rest(&mut self, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
        for state in self.bodies.iter_mut().flatten().filter(|state| state.is_awake()) {
            let speed = state.body.velocity.length().max(state.body.angular_velocity.length() * state.radius);
            state.still_seconds = if speed <= config.sleep_speed { state.still_seconds + dt } else { 0.0 };
        }
        self.fall_asleep(&lists.active, config.sleep_seconds);
        lists.awake = self.bodies.iter().flatten().filter(|state| state.is_awake() && state.is_dynamic()).count();
    }

    /// The bodies of a pair.
    pub(super) fn states(&self, pair: &ContactPair) -> (Option<&BodyState>, Option<&BodyState>) {
        let [first, second] = pair.bodies;
        let state = |at: u32| self.bodies.get(at as usize)?.as_ref();
        (state(first), state(second))
    }

    /// Whether one of a pair is awake and moves.
    pub(super) fn is_active(&self, pair: &ContactPair) -> bool {
        let (first, second) = self.states(pair);
        first.is_some_and(BodyState::rouses) || second.is_some_and(BodyState::rouses)
    }

    fn is_body(&self, at: u32) -> bool {
        self.bodies.get(at as usize).is_some_and(Option::is_some)
    }
}

/// Where spans that end there begin and end.
fn spans(ends: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    ends.iter().scan(0, |start, end| Some((std::mem::replace(start, *end), *end)))
}

fn solver_body(state: &BodyState, config: &DynamicsConfig, dt: f32, h: f32) -> SolverBody {
    let body = &state.body;
    if !state.is_dynamic() {
        return SolverBody {
            velocity: body.velocity.to_array(),
            angular_velocity: body.angular_velocity.to_array(),
            free: [[1.0; 3]; 2],
            ..SolverBody::FIXED
        };
    }
    let acceleration = config.gravity * body.gravity_scale + state.force * state.inverse_mass;
    let turning = state.turned_by(state.torque) + precession(state, dt);
    let free = |locked: u8| [0, 1, 2].map(|axis| f32::from(1 - (locked >> axis & 1)));
    SolverBody {
        velocity: body.velocity.to_array(),
        angular_velocity: body.angular_velocity.to_array(),
        acceleration: acceleration.to_array(),
        angular_acceleration: turning.to_array(),
        damping: [body.linear_damping, body.angular_damping].map(|damping| 1.0 / (1.0 + damping * h)),
        free: [free(body.locked_translation), free(body.locked_rotation)],
    }
}

/// What the angular velocity of a body that no torque acts on changes by in a second, for `ω × I ω`: one step of
/// Newton's method toward the implicit solution, which gains no energy.
///
/// Source: Catto, "Numerical Methods", GDC 2015.
fn precession(state: &BodyState, dt: f32) -> Vec3 {
    let [x, y, z] = state.inverse_inertia.to_array();
    if (x == y && y == z) || x.min(y).min(z) <= 0.0 || state.body.locked_rotation != 0 {
        return Vec3::ZERO;
    }
    let axes = state.shape.axes().map(|axis| axis.as_dvec3());
    let omega = state.body.angular_velocity.as_dvec3();
    let local = DVec3::from(axes.map(|axis| axis.dot(omega)));
    let inertia = 1.0 / DVec3::new(x.into(), y.into(), z.into());
    let momentum = inertia * local;
    let h = f64::from(dt);
    let off = local.cross(momentum) * h;
    // Of I + h ([ω]× I − [I ω]×), by columns.
    let column = |axis: DVec3| axis * inertia + (local.cross(axis * inertia) - momentum.cross(axis)) * h;
    let matrix = cullide_narrowphase::glam::DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
    if matrix.determinant().abs() <= 0.0 {
        return Vec3::ZERO;
    }
    let change = -(matrix.inverse() * off);
    // No faster than it was.
    let (before, after) =
        ((momentum * local).element_sum(), (inertia * (local + change) * (local + change)).element_sum());
    let scale = if after > before { (before / after).sqrt() } else { 1.0 };
    let change = (local + change) * scale - local;
    let change = axes[0] * change.x + axes[1] * change.y + axes[2] * change.z;
    (change / h).as_vec3()
}
