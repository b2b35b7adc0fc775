//! The input of the solver, and its output.

use super::{
    SEPARATED, Solver, SolverSettings,
    blocks::partition,
    cluster::{Cluster, clusters},
    contact::{Lane, SolverBody},
    contact_body::ContactBody,
    first_touch::{FirstTouch, may_differ},
    groups::GroupsOfBlock,
};
use crate::{
    DynamicsConfig, Material, PartContact, World,
    contact::{ContactPair, Impulses},
    dynamics::{
        BodyState, Dynamics,
        body::materials::mixed,
        pairs::{
            ActivePairs,
            roles::{ActivePair, Approach},
        },
    },
    threads,
};
use cullide_bvh::Team;
use cullide_narrowphase::Mapped;
use cullide_narrowphase::glam::{BVec3, Vec3};
use smallvec::SmallVec;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Bodies are kept apart by the skin, less this share of it.
const SLOP: f32 = 0.3;

/// A body this many times as heavy as another loads it: the contacts of the lighter one are solved more often, and let
/// go where they open. With 12, a body that is squeezed by two of five times its mass throws them back.
const MUCH: f32 = 3.0;

/// Points of a surface that are this many skins farther from a body than it can come in a step do not hold it.
const NEAR: f32 = 2.0;

/// A block, and the number of a kinematic body that has a row there.
fn guest_of(block: u32, at: u32) -> u64 {
    u64::from(block) << 32 | u64::from(at)
}

/// What is given to the solver; kept to reuse its memory.
#[derive(Clone, Debug, Default)]
pub(in crate::dynamics) struct Problem {
    /// What contacts need to know about each body, by number.
    parties: Vec<ContactBody>,
    /// The kinematic bodies that have rows in blocks: see [`guest_of`], in ascending order, and these rows.
    guests: Vec<u64>,
    guest_rows: Vec<u32>,
    /// Bodies that lie under much heavier ones.
    loaded: Vec<u32>,
    /// For each block, which of the active pairs have their contacts there.
    by_block: Vec<Vec<u32>>,
    ends: Vec<usize>,
    order: Vec<(Vec3, u32)>,
    /// The bodies that are solved, as each thread found them.
    solved: Vec<Vec<(Vec3, u32)>>,
    /// By body.
    seats: Vec<Option<Seat>>,
}

impl Dynamics {
    /// Solves velocities and positions, and keeps the impulses. Returns the pairs, in any order, that were not known to
    /// touch and have hit each other.
    pub(in crate::dynamics) fn solve(
        &mut self,
        team: &Team,
        world: &World,
        dt: f32,
        config: &DynamicsConfig,
        pairs: &ActivePairs,
        problem: &mut Problem,
    ) -> Vec<u32> {
        self.weigh(team, dt, problem);
        let mut solver = std::mem::take(&mut self.solver);
        let substeps = config.parts();
        let h = dt / substeps as f32;
        self.begin(team, &mut solver, config, h, pairs, problem);
        sort_contacts(&solver, pairs, problem);
        let settings = SolverSettings {
            substeps,
            h,
            slop: SLOP * config.skin,
            skin: config.skin,
            push: config.push_speed * h * SEPARATED as f32,
            restitution_speed: config.restitution_speed,
        };
        let (dynamics, problem) = (&*self, &*problem);
        let touch = |part: &PartContact, pair: &ContactPair| dynamics.first_touch(world, part, pair, dt, config);
        solver.fill(team, |block, mut groups| {
            for &active in &problem.by_block[block] {
                let active = &pairs.active[active as usize];
                dynamics.add_contacts(world, active, (pairs, problem), &settings, &touch, &mut groups);
            }
        });
        solver.solve(team, &settings);
        let hits = self.take_back(team, &solver, config.restitution_speed);
        self.solver = solver;
        hits
    }

    /// Computes the inertia of bodies at their poses, and their free rotation; lists the bodies to be solved.
    fn weigh(&mut self, team: &Team, dt: f32, problem: &mut Problem) {
        let size = threads::piece(team, self.bodies.len(), 64);
        let Problem { solved, order, .. } = problem;
        solved.resize_with(self.bodies.len().div_ceil(size), Vec::new);
        threads::each(team, self.bodies.chunks_mut(size).zip(&mut *solved).enumerate(), &|(i, (bodies, solved))| {
            solved.clear();
            for (state, at) in bodies.iter_mut().zip((i * size) as u32..) {
                let Some(state) = state.as_mut().filter(|state| is_solved(state)) else { continue };
                state.inertia = state.world_inertia();
                state.energies = state.kinetic_energies();
                state.free_spin = state.free_spin(dt);
                if state.torque != Vec3::ZERO || state.body.angular_damping != 0.0 {
                    state.free_spin.turn = None;
                }
                solved.push((state.shape.center(), at));
            }
        });
        order.clear();
        solved.iter().for_each(|solved| order.extend_from_slice(solved));
    }

    /// Assigns bodies their blocks and rows.
    fn begin(
        &mut self,
        team: &Team,
        solver: &mut Solver,
        config: &DynamicsConfig,
        h: f32,
        pairs: &ActivePairs,
        problem: &mut Problem,
    ) {
        partition(&mut problem.order, &mut problem.ends);
        problem.seats.clear();
        problem.seats.resize(self.bodies.len(), None);
        for ((start, end), block) in spans(&problem.ends).zip(0u32..) {
            for &(_, at) in &problem.order[start..end] {
                problem.seats[at as usize] = Some(Seat { block, row: 0 });
            }
        }
        // Kinematic bodies have a row in each block in which they touch something.
        let mut guests = std::mem::take(&mut problem.guests);
        guests.clear();
        let any_kinematic = pairs.roles.any_kinematic();
        for active in pairs.active.iter().filter(|_| any_kinematic) {
            let [first, second] = pairs.roles.of(active.bodies);
            if first.is_dynamic() && second.is_kinematic() {
                let seat = problem.seats[active.bodies[0] as usize];
                let block = seat.map_or(self.state(active.bodies[0]).block, |seat| seat.block);
                guests.push(guest_of(block, active.bodies[1]));
            }
        }
        guests.sort_unstable();
        guests.dedup();
        problem.guest_rows.resize(guests.len(), 0);
        let first_of = |block: u32| guests.partition_point(|guest| *guest < guest_of(block, 0));
        let blocks: Vec<Vec<u32>> = spans(&problem.ends)
            .zip(0u32..)
            .map(|((start, end), block)| {
                let own = problem.order[start..end].iter().map(|(_, at)| *at);
                own.chain(guests[first_of(block)..first_of(block + 1)].iter().map(|guest| *guest as u32)).collect()
            })
            .collect();
        let mut row = 0;
        for (bodies, block) in blocks.iter().zip(0u32..) {
            row += 1;
            for &at in bodies {
                match (guests.binary_search(&guest_of(block, at)), &mut problem.seats[at as usize]) {
                    (Ok(guest), _) => problem.guest_rows[guest] = row,
                    (Err(_), Some(seat)) => seat.row = row,
                    (Err(_), None) => unreachable!("each body of a block has a seat, or is a guest"),
                }
                row += 1;
            }
        }
        self.seat(team, h * config.parts() as f32, problem);
        solver.begin(team, &blocks, |at| solver_body(self.state(at), config, h));
        problem.guests = guests;
    }

    /// Tells bodies their blocks and rows, and lists what contacts need to know about them.
    fn seat(&mut self, team: &Team, dt: f32, problem: &mut Problem) {
        let Problem { seats, parties, .. } = problem;
        parties.resize(self.bodies.len(), ContactBody::NONE);
        let size = threads::piece(team, self.bodies.len(), 64);
        let listed = seats.chunks(size).zip(parties.chunks_mut(size));
        threads::each(team, self.bodies.chunks_mut(size).zip(listed), &|(bodies, (seats, parties))| {
            for (state, (seat, party)) in bodies.iter_mut().zip(seats.iter().zip(parties)) {
                *party = ContactBody::NONE;
                let Some(state) = state else { continue };
                if let Some(Seat { block, row }) = *seat {
                    (state.block, state.row) = (block, row);
                }
                *party = ContactBody::new(state, dt);
            }
        });
    }

    /// Adds the contacts of a pair.
    fn add_contacts(
        &self,
        world: &World,
        active: &ActivePair,
        (pairs, problem): (&ActivePairs, &Problem),
        settings: &SolverSettings,
        touch: &dyn Fn(&PartContact, &ContactPair) -> FirstTouch,
        groups: &mut GroupsOfBlock,
    ) {
        let ActivePair { number, bodies, .. } = *active;
        let Some(pair) = self.contacts.get(number) else { return };
        let first = &problem.parties[bodies[0] as usize];
        let second = problem.parties.get(bodies[1] as usize);
        let of_second = second.map_or_else(|| self.material_of(pair.second, 0), |second| second.material);
        let (of_all, is_varied) = (mixed(&first.material, &of_second), self.has_surface_materials(pair));
        let material_of = |part: &PartContact| if is_varied { self.mixed_at(world, pair, part) } else { of_all };
        let row = match second {
            None => groups.fixed_row(),
            Some(second) if second.is_dynamic => second.row,
            Some(_) => {
                let guest = problem.guests.binary_search(&guest_of(first.block, bodies[1]));
                guest.map_or(groups.fixed_row(), |guest| problem.guest_rows[guest])
            }
        };
        let is_loaded = first.is_loaded || second.is_some_and(|second| second.is_loaded);
        let moves = [true, second.is_some_and(|second| second.is_dynamic)];
        let is_fixed = second.is_none();
        let [one, other] = bodies.mapped(|body| pairs.approaches.get(body as usize).unwrap_or(&Approach::FIXED));
        let is_fast = may_differ(one, other, settings.h * settings.substeps as f32);
        let touch = |part: &PartContact| if is_fast { touch(part, pair) } else { FirstTouch::Known };
        let rolling = |party: &ContactBody, at: u32, part: u32, normal: Vec3| match party {
            // Something fixed is not entered in any case.
            ContactBody { turns_far: true, .. } if !is_fixed => f32::INFINITY,
            ContactBody { is_rigid: true, .. } => self.state(at).shape.rolling_radius(part, normal),
            ContactBody { rolling, .. } => *rolling,
        };
        // The resistance of a contact to rolling, to be multiplied by the pressing force: that of the larger rolling
        // radius.
        let resists = |resistance: f32, parts: [u32; 2], normal: Vec3| {
            if resistance == 0.0 {
                return 0.0;
            }
            let radius = |body: u32, part: u32| {
                let known = problem.parties.get(body as usize).is_some();
                if known { self.state(body).shape.rolling_radius(part, normal) } else { 0.0 }
            };
            resistance * radius(bodies[0], parts[0]).max(radius(bodies[1], parts[1]))
        };
        let from = |party: &ContactBody, at: u32, part: u32| match party.is_rigid {
            true => self.state(at).shape.contact_offset(part),
            false => Vec3::ZERO,
        };
        if let [one, .., other] = &pair.parts[..]
            && second.is_none_or(|second| second.is_composite)
            && one.first_part == other.first_part
        {
            let origins = [Some(from(first, bodies[0], one.first_part)), second.map(|_| Vec3::ZERO)];
            let dt = settings.h * settings.substeps as f32;
            let closing = self.state(bodies[0]).closing(dt) + second.map_or(0.0, |_| self.state(bodies[1]).closing(dt));
            let lengths = [NEAR * settings.skin, settings.slop];
            let is_met = |part: &PartContact| !matches!(touch(part), FirstTouch::Never);
            let mut add = |material: Material, is_own: &dyn Fn(&PartContact) -> bool| {
                clusters(
                    &pair.parts,
                    |part| is_own(part) && is_met(part),
                    closing,
                    lengths,
                    |cluster| {
                        let Cluster { normal, mut points, impulses, origin } = cluster;
                        let rolling = [rolling(first, bodies[0], one.first_part, normal), 0.0];
                        let resistance = resists(material.rolling_resistance, [one.first_part, one.part], normal);
                        if let Some(second) = second {
                            // From here on relative to its centre, as the points are on several triangles.
                            for (point, part) in points.iter_mut().zip(origin.parts_of_points()) {
                                point.from_second += from(second, bodies[1], pair.parts[part as usize].part);
                            }
                        }
                        let (bodies, points, impulses) = ([first.row, row], &points[..], &impulses);
                        let (arms, is_of_surface) = (None, true);
                        let lane = Lane {
                            bodies,
                            normal,
                            material,
                            resistance,
                            points,
                            arms,
                            origins,
                            rolling,
                            is_of_surface,
                            impulses,
                        };
                        groups.add_cluster(&lane, moves, number, origin, first.is_loaded);
                    },
                );
            };
            if !is_varied {
                return add(of_all, &|_| true);
            }
            let mut materials = SmallVec::<[Material; 4]>::new();
            for material in pair.parts.iter().map(material_of) {
                if !materials.contains(&material) {
                    add(material, &|part| material_of(part) == material);
                    materials.push(material);
                }
            }
            return;
        }
        for (part, i) in pair.parts.iter().zip(0u32..) {
            let touch = touch(part);
            let (normal, points, arms) = match &touch {
                FirstTouch::Known => (part.manifold.normal(), part.manifold.points(), None),
                FirstTouch::Never => continue,
                FirstTouch::At(touch) => {
                    (touch.manifold.normal(), &touch.points[..], Some(&touch.arms[..touch.points.len()]))
                }
            };
            if points.is_empty() {
                continue;
            }
            let material = material_of(part);
            let lane = Lane {
                bodies: [first.row, row],
                normal,
                material,
                resistance: resists(material.rolling_resistance, [part.first_part, part.part], normal),
                points,
                arms,
                origins: [
                    Some(from(first, bodies[0], part.first_part)),
                    second.map(|second| from(second, bodies[1], part.part)),
                ],
                rolling: [
                    rolling(first, bodies[0], part.first_part, normal),
                    second.map_or(0.0, |second| rolling(second, bodies[1], part.part, normal)),
                ],
                is_of_surface: false,
                impulses: &part.impulses,
            };
            groups.add(&lane, moves, (number, i), is_loaded);
            if let FirstTouch::At(touch) = touch {
                groups.tell((number, i), *touch);
            }
        }
    }

    /// Gives bodies the velocities and contacts the impulses that were found; returns the pairs, in any order, that
    /// were not known to touch and have hit each other faster than `speed`.
    fn take_back(&mut self, team: &Team, solver: &Solver, speed: f32) -> Vec<u32> {
        let hits = Mutex::new(Vec::new());
        let struck: Vec<AtomicBool> = self.bodies.iter().map(|_| AtomicBool::new(false)).collect();
        let slots = self.contacts.slots_mut();
        let share = slots.len().div_ceil(team.threads()).max(1);
        threads::each(team, slots.chunks_mut(share).enumerate(), &|(i, slots)| {
            let first = i * share;
            let numbers = first as u32..(first + slots.len()) as u32;
            solver.impulses(&numbers, speed, |(number, part), impulses, is_hit, touch| {
                let Some(pair) = &mut slots[number as usize - first] else { return };
                // Friction of a contact that let go at once has not disturbed a free spin.
                if (Impulses { rubbed: [0.0; 3], ..impulses }) != Impulses::default() {
                    let bodies = pair.bodies.iter().filter_map(|&body| struck.get(body as usize));
                    bodies.for_each(|is_struck| is_struck.store(true, Ordering::Relaxed));
                }
                let part = &mut pair.parts[part as usize];
                if let Some(touch) = touch.filter(|_| impulses.total != [0.0; 4]) {
                    part.manifold = touch.manifold.clone();
                }
                part.impulses = impulses.of_points(part.manifold.points().len());
                if is_hit && !pair.is_touching {
                    pair.is_touching = true;
                    hits.lock().unwrap_or_else(PoisonError::into_inner).push(number);
                }
            });
        });
        let size = threads::piece(team, self.bodies.len(), 64);
        threads::each(team, self.bodies.chunks_mut(size).zip(struck.chunks(size)), &|(bodies, struck)| {
            for (state, is_struck) in bodies.iter_mut().zip(struck) {
                let Some(state) = state else { continue };
                if is_struck.load(Ordering::Relaxed) {
                    state.free_spin.turn = None;
                }
                if is_solved(state) {
                    state.take_velocities(solver.velocity(state.row as usize));
                }
            }
        });
        hits.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lists the pairs that have contacts by the block that they belong to, those between two blocks last.
fn sort_contacts(solver: &Solver, pairs: &ActivePairs, problem: &mut Problem) {
    let Problem { parties, by_block, loaded, .. } = problem;
    let blocks = solver.block_count();
    loaded.clear();
    by_block.resize_with(blocks + 1, Vec::new);
    by_block.iter_mut().for_each(Vec::clear);
    for (ActivePair { bodies, is_near, .. }, i) in pairs.active.iter().zip(0u32..) {
        let (first, second) = (parties.get(bodies[0] as usize), parties.get(bodies[1] as usize));
        let Some(first) = first.filter(|first| first.meets && second.is_none_or(|second| second.meets)) else {
            continue;
        };
        let is_within = second.is_none_or(|second| !second.is_dynamic || first.block == second.block);
        if let Some(second) = second.filter(|second| second.is_dynamic) {
            let (own, other) = (first.inverse_mass, second.inverse_mass);
            if *is_near && own.max(other) > MUCH * own.min(other) {
                loaded.push(bodies[usize::from(own < other)]);
            }
        }
        if *is_near {
            by_block[if is_within { first.block as usize } else { blocks }].push(i);
        }
    }
    for &at in &*loaded {
        parties[at as usize].is_loaded = true;
    }
}

impl BodyState {
    /// Sets velocity and angular velocity; if one is not finite, the body stops.
    fn take_velocities(&mut self, (velocity, angular_velocity): ([f32; 3], [f32; 3])) {
        let (velocity, angular_velocity) = (Vec3::from(velocity), Vec3::from(angular_velocity));
        let is_finite = velocity.is_finite() && angular_velocity.is_finite();
        (self.body.velocity, self.body.angular_velocity) =
            if is_finite { (velocity, angular_velocity) } else { Default::default() };
    }

    /// How far its points get in a step, not counting what it gains in speed.
    fn closing(&self, dt: f32) -> f32 {
        (self.body.velocity.length() + self.body.angular_velocity.length() * self.radius) * dt
    }
}

/// Whether contacts may push it.
fn is_solved(state: &BodyState) -> bool {
    state.is_awake() && state.is_dynamic() && !state.body.is_sensor && !state.is_off
}

/// The place of a body in the solver.
#[derive(Clone, Copy, Debug)]
struct Seat {
    block: u32,
    row: u32,
}

/// The beginnings and ends of consecutive spans with these ends.
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
    let [xx, yy, zz, yz, xz, xy] = state.inertia;
    let acceleration = config.gravity * body.gravity_scale + state.force * state.inverse_mass;
    let turning = state.turned_by(state.torque) + state.free_spin.acceleration;
    let free = |locked: BVec3| Vec3::select(locked, Vec3::ZERO, Vec3::ONE);
    let (translating, rotating) = (free(body.locked_translation), free(body.locked_rotation));
    let [linear, angular] = [body.linear_damping, body.angular_damping].mapped(|damping| 1.0 / (1.0 + damping * h));
    SolverBody {
        velocities,
        accelerations: row(acceleration, turning),
        kept: row(translating * linear, rotating * angular),
        free: row(translating, rotating),
        inertia: [state.inverse_mass, xx, yy, zz, yz, xz, xy, 0.0],
    }
}
