//! Velocities and positions of one step, in sub-steps.
//!
//! ```text
//!   blocks   bodies that are close together, each with the contacts among them: solved side by side, by any number of
//!            threads; contacts between blocks after them
//!   sub-step velocities += gravity h + the last contact impulses;  solve;  positions += velocities h;  solve;
//!            in every other one the positions of penetrating bodies are corrected, but not their velocities
//!   at last  rebound
//! ```
//! The first pass of a sub-step goes through the contacts backward and the second one forward: with impulses carried
//! over from sub-step to sub-step, tall piles would swing for ever if the order never reversed.
//!
//! A body is a row of eight numbers in its block, which begins with a row without mass for everything fixed. Which body
//! is in which block, and the order of contacts, depend only on the scene, so the result does not depend on threads.
//!
//! [`assemble`] gives the solver bodies and contacts and takes back velocities and impulses. [`contact_body`] is what
//! contacts need to know about bodies, [`cluster`] reduces many points to few, [`first_touch`] says where contacts of a fast
//! body will be. [`blocks`] are bodies that are close together, [`groups`] their contacts, eight at a time; [`contact`]
//! solves one of these, by the operations of [`lanes`].
//!
//! Source: Macklin et al., "Small Steps in Physics Simulation", 2019; Tonge, "Iterative Rigid Body Solvers", GDC 2013
//! (blocks).

pub(super) mod assemble;
mod blocks;
mod cluster;
pub(super) mod contact;
pub(super) mod contact_body;
mod first_touch;
mod groups;
mod lanes;

use crate::{contact::Impulses, threads};
use contact::{Bodies, Limits, PassOrder, Since, SolverBody};
use cullide_bvh::Team;
use cullide_narrowphase::{Mapped, glam::Vec3};
use first_touch::PredictedContact;
use groups::{ContactGroups, GroupsOfBlock, Source};
use lanes::{LANES, Level, Row, Simd, Vec3x8, columns, level, load, rows_of, splat, sqrt, store, vectorized};
use std::ops::Range;

/// Bodies that penetrate each other are moved apart every time that this many sub-steps have passed.
pub(super) const SEPARATED: u32 = 2;

/// The contacts of one block, and its rows among all.
#[derive(Clone, Debug, Default)]
struct SolverBlock {
    rows: Range<usize>,
    groups: ContactGroups,
}

/// Rows of all bodies: see [`Bodies`].
#[derive(Clone, Debug, Default)]
struct BodyRows {
    inertia: Vec<Row>,
    velocities: Vec<Row>,
    without: Vec<Row>,
    moved: Vec<Row>,
    unpushed: Vec<Row>,
}

impl BodyRows {
    fn resize(&mut self, count: usize) {
        let Self { inertia, velocities, without, moved, unpushed } = self;
        [inertia, velocities, without, moved, unpushed].into_iter().for_each(|rows| rows.resize(count, [0.0; LANES]));
    }

    /// Inertia, velocities and displacements.
    fn columns(&mut self) -> [&mut [Row]; 3] {
        [&mut self.inertia, &mut self.velocities, &mut self.moved]
    }

    fn all(&mut self) -> Bodies<'_> {
        Bodies {
            inertia: &self.inertia,
            velocities: &mut self.velocities,
            without: &mut self.without,
            moved: &mut self.moved,
            unpushed: &mut self.unpushed,
        }
    }
}

/// The problem that a step solves; kept to reuse its memory.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    level: Level,
    bodies: Vec<SolverBody>,
    rows: BodyRows,
    blocks: Vec<SolverBlock>,
    /// Contacts between blocks.
    between: ContactGroups,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            level: level(),
            bodies: Vec::new(),
            rows: BodyRows::default(),
            blocks: Vec::new(),
            between: ContactGroups::default(),
        }
    }
}

/// Settings of a step, as the solver needs them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolverSettings {
    pub(super) substeps: u32,
    /// The duration of a sub-step in seconds.
    pub(super) h: f32,
    /// Lengths: see [`Limits`].
    pub(super) slop: f32,
    pub(super) skin: f32,
    pub(super) push: f32,
    pub(super) restitution_speed: f32,
}

impl Solver {
    /// Begins a step with these blocks of bodies, given by number. Rows follow each other in this order, after one row
    /// without mass in each block.
    fn begin(&mut self, team: &Team, blocks: &[Vec<u32>], body: impl Fn(u32) -> SolverBody + Sync) {
        self.blocks.resize_with(blocks.len(), SolverBlock::default);
        let mut count = 0;
        for (block, bodies) in self.blocks.iter_mut().zip(blocks) {
            block.rows = count..count + 1 + bodies.len();
            count = block.rows.end;
        }
        self.between.clear(count);
        self.bodies.resize(count, SolverBody::FIXED);
        self.rows.resize(count);
        let (mut own, mut rows) = (&mut self.bodies[..], self.rows.columns());
        let parts = self.blocks.iter_mut().zip(blocks).map(|(SolverBlock { rows: range, groups }, bodies)| {
            let columns = rows.each_mut().mapped(|column| column.split_off_mut(..range.len()).expect("rows of all"));
            (groups, bodies, own.split_off_mut(..range.len()).expect("bodies of all"), columns)
        });
        threads::each(team, parts, &|(groups, bodies, own, [inertia, velocities, moved])| {
            groups.clear(own.len());
            own[0] = SolverBody::FIXED;
            for (own, &at) in own[1..].iter_mut().zip(bodies) {
                *own = body(at);
            }
            for (i, body) in own.iter().enumerate() {
                (inertia[i], velocities[i], moved[i]) = (body.inertia, body.velocities, UNMOVED);
            }
        });
    }

    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Calls `fill` for each block, and with the number of blocks for the contacts between blocks, to add contacts.
    fn fill(&mut self, team: &Team, fill: impl Fn(usize, GroupsOfBlock) + Sync) {
        let blocks =
            self.blocks.iter_mut().map(|SolverBlock { rows, groups }| GroupsOfBlock { groups, first: rows.start });
        let between = GroupsOfBlock { groups: &mut self.between, first: 0 };
        threads::each(team, blocks.chain([between]).enumerate(), &|(block, groups)| fill(block, groups));
    }

    /// The velocity and angular velocity of a row.
    fn velocity(&self, row: usize) -> ([f32; 3], [f32; 3]) {
        let [x, y, z, a, b, c, ..] = self.rows.velocities[row];
        ([x, y, z], [a, b, c])
    }

    /// The velocity of a row before the step.
    pub(super) fn velocity_before(&self, row: usize) -> Vec3 {
        let [x, y, z, ..] = self.bodies[row].velocities;
        Vec3::new(x, y, z)
    }

    /// How far a row has moved, and the quaternion of its rotation.
    pub(super) fn moved(&self, row: usize) -> ([f32; 3], [f32; 4]) {
        let [x, y, z, _, a, b, c, d] = self.rows.moved[row];
        ([x, y, z], [a, b, c, d])
    }

    /// See [`ContactGroups::impulses`].
    fn impulses(
        &self,
        pairs: &Range<u32>,
        speed: f32,
        mut visit: impl FnMut(Source, Impulses, bool, Option<&PredictedContact>),
    ) {
        let all = self.blocks.iter().map(|block| &block.groups).chain([&self.between]);
        all.for_each(|groups| groups.impulses(pairs, speed, &mut visit));
    }

    /// Solves the step.
    fn solve(&mut self, team: &Team, settings: &SolverSettings) {
        let SolverSettings { substeps, h, slop, skin, push, restitution_speed } = *settings;
        let mut limits = Limits { inverse_h: 1.0 / h, slop, skin, push, pushed: 0.0 };
        self.prepare(team, &limits);
        // What blocks do between two passes over the contacts between blocks is one phase.
        let (mut since, mut is_due) = (Since::Pushed, false);
        for substep in 1..=substeps {
            if is_due {
                limits.pushed += push;
            }
            self.each_block(team, &|own, groups, bodies, level| {
                if is_due {
                    separate(level, own, groups, bodies, &limits);
                }
                if substep == 1 {
                    take_off(bodies);
                }
                integrate_velocities(level, own, bodies, h);
            });
            if is_due {
                self.between.separate(self.level, &mut self.rows.moved, &limits);
            }
            self.between.solve(self.level, &mut self.rows.all(), &limits, since, PassOrder::Backward);
            self.each_block(team, &|own, groups, bodies, level| {
                groups.solve(level, bodies, &limits, since, PassOrder::Backward);
                integrate_positions(level, own, bodies, h);
                groups.solve(level, bodies, &limits, Since::Moved, PassOrder::Forward);
            });
            self.between.solve(self.level, &mut self.rows.all(), &limits, Since::Moved, PassOrder::Forward);
            is_due = substep % SEPARATED == 0;
            since = if is_due { Since::Moved } else { Since::Pushed };
        }
        limits.pushed += push;
        self.each_block(team, &|own, groups, bodies, level| {
            separate(level, own, groups, bodies, &limits);
            groups.rebound(level, own, bodies.velocities, restitution_speed);
        });
        self.between.separate(self.level, &mut self.rows.moved, &limits);
        self.between.rebound(self.level, &self.bodies, &mut self.rows.velocities, restitution_speed);
    }

    /// Computes what is constant over all sub-steps, and the velocity changes by the impulses that contacts start with.
    fn prepare(&mut self, team: &Team, limits: &Limits) {
        self.each_block(team, &|_, groups, bodies, level| {
            groups.prepare(level, bodies, limits);
            bodies.without.fill([0.0; LANES]);
            groups.warm_start(level, bodies.without);
        });
        self.between.prepare(self.level, &self.rows.all(), limits);
        self.between.warm_start(self.level, &mut self.rows.without);
    }

    /// Calls `work` for every block with the block's own data, in parallel.
    fn each_block(&mut self, team: &Team, work: &BlockWork) {
        let level = self.level;
        let (mut own, mut rest) = (&self.bodies[..], self.rows.all());
        let parts = self.blocks.iter_mut().map(|SolverBlock { rows, groups }| {
            let (first, others) = own.split_at(rows.len());
            own = others;
            (first, groups, rest.take(rows.len()))
        });
        threads::each(team, parts, &|(own, groups, mut bodies)| work(own, groups, &mut bodies, level));
    }
}

/// What is done with the bodies of a block, its contacts and the rows of its bodies.
type BlockWork<'a> = dyn Fn(&[SolverBody], &mut ContactGroups, &mut Bodies, Level) + Sync + 'a;

/// A body that has neither moved nor turned.
const UNMOVED: Row = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Computes the velocities without the impulses that contacts start with.
fn take_off(bodies: &mut Bodies) {
    for (without, velocity) in bodies.without.iter_mut().zip(bodies.velocities.iter()) {
        for (without, speed) in without.iter_mut().zip(velocity) {
            *without = speed - *without;
        }
    }
}

/// Applies forces to velocities for a sub-step, then the same contact impulses as in the sub-step before.
fn integrate_velocities(level: Level, own: &[SolverBody], bodies: &mut Bodies, h: f32) {
    vectorized!(level, simd => {
        let h = splat(simd, h);
        for ((body, row), without) in own.iter().zip(bodies.velocities.iter_mut()).zip(bodies.without.iter_mut()) {
            let velocity = load(simd, row);
            let pushed = velocity - load(simd, without);
            let free = (velocity + load(simd, &body.accelerations) * h) * load(simd, &body.kept);
            *without = store(free);
            *row = store(free + pushed);
        }
    });
}

/// Moves apart what penetrates, but not along locked axes, and no body farther than a single contact pushes it, however
/// many do.
fn separate(level: Level, own: &[SolverBody], groups: &mut ContactGroups, bodies: &mut Bodies, limits: &Limits) {
    bodies.unpushed.copy_from_slice(bodies.moved);
    groups.separate(level, bodies.moved, limits);
    let most = limits.push * limits.push;
    for ((body, moved), from) in own.iter().zip(bodies.moved.iter_mut()).zip(&*bodies.unpushed) {
        // Written out, as calls of `map` would not be inlined here.
        let [x, y, z] = [moved[0] - from[0], moved[1] - from[1], moved[2] - from[2]];
        let square = x * x + y * y + z * z;
        if square > most {
            let share = limits.push / square.sqrt();
            [moved[0], moved[1], moved[2]] = [from[0] + x * share, from[1] + y * share, from[2] + z * share];
        }
        for (moved, free) in moved.iter_mut().zip(&body.free[..3]) {
            *moved *= free;
        }
    }
}

/// Moves and turns bodies by their velocities, eight at a time.
fn integrate_positions(level: Level, own: &[SolverBody], bodies: &mut Bodies, h: f32) {
    vectorized!(level, simd => {
        for (body, velocity) in own.iter().zip(bodies.velocities.iter_mut()) {
            *velocity = store(load(simd, velocity) * load(simd, &body.free));
        }
        let (velocities, rest) = bodies.velocities.as_chunks::<LANES>();
        let (moved, others) = bodies.moved.as_chunks_mut::<LANES>();
        for (moved, velocities) in moved.iter_mut().zip(velocities) {
            turn_and_move(simd, moved, velocities, h);
        }
        let (mut last, mut speeds) = ([UNMOVED; LANES], [[0.0; LANES]; LANES]);
        last[..others.len()].copy_from_slice(others);
        speeds[..rest.len()].copy_from_slice(rest);
        turn_and_move(simd, &mut last, &speeds, h);
        others.copy_from_slice(&last[..others.len()]);
    });
}

#[inline(always)]
fn turn_and_move<S: Simd>(simd: S, moved: &mut [Row; LANES], velocities: &[Row; LANES], h: f32) {
    let [u, v, w, a, b, c, ..] = columns(simd, velocities);
    let [x, y, z, rest, i, j, k, real] = columns(simd, moved);
    let (step, half) = (splat(simd, h), splat(simd, 0.5 * h));
    let (spin, axis) = (Vec3x8 { x: a, y: b, z: c } * half, Vec3x8 { x: i, y: j, z: k });
    // Adds (spin, 0) times the quaternion, and normalizes.
    let turned = axis + spin * real + spin.cross(axis);
    let real = real - spin.dot(axis);
    let scale = splat(simd, 1.0) / sqrt(turned.dot(turned) + real * real);
    let turned = turned * scale;
    let all = [x + u * step, y + v * step, z + w * step, rest, turned.x, turned.y, turned.z, real * scale];
    *moved = rows_of(all);
}
