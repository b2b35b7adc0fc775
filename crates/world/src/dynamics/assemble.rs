//! What the solver is given, and what it gives back.

use super::{
    BodyState, Dynamics,
    blocks::partition,
    contact::{Lane, LanePoint},
    near::ActivePair,
    pose::BodyShape,
    solver::{SolverBody, SolverSettings},
    step::Lists,
};
use crate::{DynamicsConfig, Material, contact::Impulses};
use cullide_narrowphase::glam::Vec3;

/// Bodies are as far apart as the skin, but for this share of it.
const SLOP: f32 = 0.3;

impl Dynamics {
    /// Solves velocities and positions, and keeps the impulses.
    pub(super) fn solve(&mut self, dt: f32, config: &DynamicsConfig, lists: &mut Lists) {
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
            state.free_spin = state.free_spin(dt);
            if state.torque != Vec3::ZERO || state.body.angular_damping != 0.0 {
                state.free_spin.turn = None;
            }
        }
        // Kinematic bodies have a row in each block that they touch something of.
        let mut kinematic = std::collections::BTreeMap::new();
        for (block, (start, end)) in spans(&lists.ends).enumerate() {
            for &(_, at) in &lists.order[start..end] {
                self.state_mut(at).block = block as u32;
            }
        }
        for active in &lists.active {
            let [first, second] = lists.roles.of(active.bodies);
            if first.is_dynamic() && second.is_kinematic() {
                kinematic.insert((self.state(active.bodies[0]).block, active.bodies[1]), 0u32);
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
                .map(|bodies| bodies.iter().map(|at| solver_body(self.state(*at), config, h)).collect::<Vec<_>>()),
        );

        lists.sources.clear();
        self.list_parties(lists);
        for &ActivePair { number, bodies, .. } in &lists.active {
            let Some(first) = lists.parties.get(bodies[0] as usize).filter(|party| party.meets) else { continue };
            let second = lists.parties.get(bodies[1] as usize);
            if second.is_some_and(|second| !second.meets) {
                continue;
            }
            let Some(pair) = self.contacts.get(number) else { continue };
            let of_second = second.map_or_else(|| self.material(pair.second), |second| second.material);
            let friction = (first.material.friction * of_second.friction).sqrt();
            let restitution = first.material.restitution.max(of_second.restitution);
            let surface = first.material.surface_velocity - of_second.surface_velocity;
            let own = Some(first.block as usize);
            let (row, block, moves) = match second {
                None => (solver.first_row(first.block as usize) as u32, own, [true, false]),
                Some(second) if !second.is_dynamic => {
                    (kinematic.get(&(first.block, bodies[1])).copied().unwrap_or(0), own, [true, false])
                }
                Some(second) => (second.row, own.filter(|_| first.block == second.block), [true, true]),
            };
            let is_kinematic = second.is_some_and(|second| !second.is_dynamic);
            let inverse_mass = [first.inverse_mass, second.map_or(0.0, |second| second.inverse_mass)];
            let inverse_inertia = [first.inverse_inertia, second.map_or([0.0; 6], |second| second.inverse_inertia)];
            for (i, part) in pair.parts.iter().enumerate() {
                let points = part.manifold.points();
                if points.is_empty() {
                    continue;
                }
                // What a kinematic body has gone over could not give way, and may leave it on any side.
                if is_kinematic && part.manifold.distance() < -0.5 * self.state(bodies[0]).inner_radius {
                    continue;
                }
                let normal = part.manifold.normal();
                let tangent = sideways(normal);
                let other = normal.cross(tangent);
                let old = Vec3::from(part.impulses.across);
                let mut lane = Lane {
                    bodies: [first.row, row],
                    inverse_mass,
                    inverse_inertia,
                    normal: normal.to_array(),
                    tangent: tangent.to_array(),
                    friction,
                    restitution,
                    surface_speed: [surface.dot(tangent), surface.dot(other)],
                    points: Default::default(),
                    count: points.len(),
                    friction_impulses: [old.dot(tangent), old.dot(other), part.impulses.twist],
                };
                let offset = |party: &Party, at: usize, part: u32| match party.is_rigid {
                    true => self.state(bodies[at]).shape.contact_offset(part),
                    false => Vec3::ZERO,
                };
                let from_first = offset(first, 0, part.first_part);
                let from_second = second.map(|second| offset(second, 1, part.part));
                for (k, point) in points.iter().enumerate() {
                    // Both are pushed at the same place, or else they would turn each other.
                    let half = normal * (0.5 * point.separation);
                    lane.points[k] = LanePoint {
                        from_first: (from_first + point.from_first + half).to_array(),
                        from_second: from_second.map_or([0.0; 3], |from| (from + point.from_second - half).to_array()),
                        separation: point.separation - config.skin,
                        impulse: part.impulses.normal[k],
                    };
                }
                solver.add(block, &lane, moves, lists.sources.len() as u32);
                lists.sources.push((number, i as u32));
            }
        }
        solver.solve(&SolverSettings {
            substeps,
            h,
            slop: SLOP * config.skin,
            push: config.push_speed * h,
            restitution_speed: config.restitution_speed,
        });
        let (contacts, bodies) = (&mut self.contacts, &mut self.bodies);
        solver.impulses(|source, normal, [along, other, twist]| {
            let (number, part) = lists.sources[source as usize];
            if let Some(pair) = contacts.get_mut(number) {
                for body in pair.bodies {
                    if let Some(Some(state)) = bodies.get_mut(body as usize) {
                        state.free_spin.turn = None;
                    }
                }
                let part = &mut pair.parts[part as usize];
                let unit = part.manifold.normal();
                let tangent = sideways(unit);
                let across = tangent * along + unit.cross(tangent) * other;
                part.impulses = Impulses { normal, across: across.to_array(), twist };
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

    /// Lists all bodies, by number, as contacts need them.
    fn list_parties(&self, lists: &mut Lists) {
        lists.parties.clear();
        lists.parties.extend(self.bodies.iter().map(|state| state.as_ref().map_or(Party::NONE, Party::new)));
    }
}

/// What contacts want to know of a body, in few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Party {
    inverse_mass: f32,
    inverse_inertia: [f32; 6],
    material: Material,
    row: u32,
    block: u32,
    /// Whether contacts push it, or it pushes.
    meets: bool,
    is_dynamic: bool,
    is_rigid: bool,
}

impl Party {
    const NONE: Self = Self {
        inverse_mass: 0.0,
        inverse_inertia: [0.0; 6],
        material: Material { friction: 0.0, restitution: 0.0, surface_velocity: Vec3::ZERO },
        row: 0,
        block: 0,
        meets: false,
        is_dynamic: false,
        is_rigid: false,
    };

    fn new(state: &BodyState) -> Self {
        Self {
            inverse_mass: state.inverse_mass,
            inverse_inertia: state.inertia,
            material: state.body.material,
            row: state.row,
            block: state.block,
            meets: state.is_awake() && !state.body.is_sensor,
            is_dynamic: state.is_dynamic(),
            is_rigid: matches!(state.shape, BodyShape::Rigid(_)),
        }
    }
}

/// A unit vector across a unit one.
fn sideways(v: Vec3) -> Vec3 {
    let across = v.cross(if v.x.abs() < 0.5 { Vec3::X } else { Vec3::Y });
    across * (1.0 / across.length())
}

/// Where spans that end there begin and end.
fn spans(ends: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    ends.iter().scan(0, |start, end| Some((std::mem::replace(start, *end), *end)))
}

fn solver_body(state: &BodyState, config: &DynamicsConfig, h: f32) -> SolverBody {
    let body = &state.body;
    let row = |translation: Vec3, rotation: Vec3| {
        let ([x, y, z], [a, b, c]) = (translation.to_array(), rotation.to_array());
        [x, y, z, a, b, c, 0.0, 0.0]
    };
    let velocities = row(body.velocity, body.angular_velocity);
    if !state.is_dynamic() {
        let all = row(Vec3::ONE, Vec3::ONE);
        return SolverBody { velocities, kept: all, free: all, ..SolverBody::FIXED };
    }
    let acceleration = config.gravity * body.gravity_scale + state.force * state.inverse_mass;
    let turning = state.turned_by(state.torque) + state.free_spin.acceleration;
    let free = |locked: u8| Vec3::from([0, 1, 2].map(|axis| f32::from(1 - (locked >> axis & 1))));
    let (translating, rotating) = (free(body.locked_translation), free(body.locked_rotation));
    let [linear, angular] = [body.linear_damping, body.angular_damping].map(|damping| 1.0 / (1.0 + damping * h));
    SolverBody {
        velocities,
        accelerations: row(acceleration, turning),
        kept: row(translating * linear, rotating * angular),
        free: row(translating, rotating),
    }
}
