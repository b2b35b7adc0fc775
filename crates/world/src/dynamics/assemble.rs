//! What the solver is given, and what it gives back.

use super::{
    BodyState, Dynamics,
    blocks::partition,
    contact::{Lane, LanePoint, Softness},
    pose::across,
    solver::{SolverBody, SolverSettings},
    step::Lists,
};
use crate::{DynamicsConfig, contact::Impulses};
use cullide_narrowphase::glam::{DVec3, Vec3};

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
                let from_first = first.shape.contact_offset(part.first_part);
                let from_second = second.map(|second| second.shape.contact_offset(part.part));
                for (k, point) in points.iter().enumerate() {
                    lane.points[k] = LanePoint {
                        from_first: (from_first + point.from_first).to_array(),
                        from_second: from_second.map_or([0.0; 3], |from| (from + point.from_second).to_array()),
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
