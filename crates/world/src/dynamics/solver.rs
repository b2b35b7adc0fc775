//! Velocities and positions of one step, in sub-steps.
//!
//! ```text
//!   blocks   bodies that are close together, each with the contacts among them: solved side by side, by any number of
//!            threads; contacts between blocks after them
//!   sub-step velocities += gravity h + what contacts pushed last;  solve;  positions += velocities h;  solve;
//!            in every other one positions of what penetrates are corrected, and velocities not
//!   at last  rebound
//! ```
//! A body is a row of eight numbers in its block, which begins with a row of no mass for all that is fixed. Which body
//! is in which block, and the order of contacts, depend on the scene alone: so the result does not depend on threads.
//!
//! Source: Macklin et al., "Small Steps in Physics Simulation", 2019; Tonge, "Iterative Rigid Body Solvers", GDC 2013 (blocks).

use super::{
    contact::{Bodies, Lane, Limits, WideContact},
    lanes::{LANES, Level, Row, vectorized},
};
use std::ops::Range;

/// A body, as the solver takes it: rows of velocity, angular velocity and two of no meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolverBody {
    pub(super) velocities: Row,
    /// What it gains a second; 0 for what is kinematic.
    pub(super) accelerations: Row,
    /// Shares that are left after a sub-step: 0 for a coordinate that is locked.
    pub(super) kept: Row,
    /// 0 for each coordinate that is locked, and 1 for others.
    pub(super) free: Row,
}

impl SolverBody {
    /// What is fixed.
    pub(super) const FIXED: Self =
        Self { velocities: [0.0; LANES], accelerations: [0.0; LANES], kept: [0.0; LANES], free: [0.0; LANES] };
}

/// Contacts, eight by eight, and where each came from.
#[derive(Clone, Debug, Default)]
struct Groups {
    wide: Vec<WideContact>,
    sources: Vec<[u32; LANES]>,
    /// Groups that still have a free lane, with how many they have in use.
    open: Vec<(usize, usize)>,
    /// For each row, which open groups it is in, a bit each.
    in_open: Vec<u32>,
}

/// Every so many sub-steps bodies that penetrate each other are moved apart.
const SEPARATED: u32 = 2;

/// No contact.
const NONE: u32 = u32::MAX;

/// Groups that are filled at a time.
const OPEN: usize = 24;

impl Groups {
    fn clear(&mut self, rows: usize) {
        self.wide.clear();
        self.sources.clear();
        self.open.clear();
        self.in_open.clear();
        self.in_open.resize(rows, 0);
    }

    /// Adds a contact to the first open group that has neither of its bodies; `moves` tells which of them move.
    fn push(&mut self, lane: &Lane, moves: [bool; 2], source: u32) {
        let [a, b] = lane.bodies.map(|row| row as usize);
        let busy = (if moves[0] { self.in_open[a] } else { 0 }) | (if moves[1] { self.in_open[b] } else { 0 });
        let mut place = busy.trailing_ones() as usize;
        if place >= OPEN {
            // All of them have one: the fullest is closed.
            place = (0..OPEN).max_by_key(|&place| (self.open[place].1, OPEN - place)).unwrap_or(0);
            self.close(place);
        }
        if place >= self.open.len() {
            place = self.open.len();
            self.open.push((NONE as usize, 0));
        }
        if self.open[place].0 == NONE as usize {
            self.open[place] = (self.wide.len(), 0);
            self.wide.extend_from_slice(&[WideContact::EMPTY]);
            self.sources.push([NONE; LANES]);
        }
        let (group, used) = self.open[place];
        self.wide[group].set(used, lane);
        self.sources[group][used] = source;
        for (row, moves) in [a, b].into_iter().zip(moves) {
            if moves {
                self.in_open[row] |= 1 << place;
            }
        }
        self.open[place].1 += 1;
        if used + 1 == LANES {
            self.close(place);
        }
    }

    /// The group of a place gets no more contacts.
    fn close(&mut self, place: usize) {
        let (group, _) = std::mem::replace(&mut self.open[place], (NONE as usize, 0));
        if let Some(wide) = self.wide.get(group) {
            for row in wide.rows() {
                self.in_open[row] &= !(1 << place);
            }
        }
    }
}

/// Contacts of one block, and its rows among all.
#[derive(Clone, Debug, Default)]
struct Block {
    rows: Range<usize>,
    groups: Groups,
}

/// Rows of all bodies: see [`Bodies`].
#[derive(Clone, Debug, Default)]
struct Rows {
    velocities: Vec<Row>,
    without: Vec<Row>,
    moved: Vec<Row>,
}

impl Rows {
    fn all(&mut self) -> Bodies<'_> {
        Bodies { velocities: &mut self.velocities, without: &mut self.without, moved: &mut self.moved }
    }
}

/// What a step solves; kept for its memory.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    level: Level,
    bodies: Vec<SolverBody>,
    rows: Rows,
    blocks: Vec<Block>,
    /// Between blocks.
    between: Groups,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            level: Level::new(),
            bodies: Vec::new(),
            rows: Rows::default(),
            blocks: Vec::new(),
            between: Groups::default(),
        }
    }
}

/// Settings of a step, as the solver needs them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolverSettings {
    pub(super) substeps: u32,
    /// Seconds of a sub-step.
    pub(super) h: f32,
    /// Lengths: see [`Limits`].
    pub(super) slop: f32,
    pub(super) push: f32,
    pub(super) restitution_speed: f32,
}

impl Solver {
    /// Begins a step with these blocks of bodies: returns nothing, but rows follow each other in this order, after one
    /// of no mass in each block.
    pub(super) fn begin<B: IntoIterator<Item = SolverBody>>(&mut self, blocks: impl IntoIterator<Item = B>) {
        self.bodies.clear();
        let mut count = 0;
        for bodies in blocks {
            let first = self.bodies.len();
            self.bodies.push(SolverBody::FIXED);
            self.bodies.extend(bodies);
            if self.blocks.len() == count {
                self.blocks.push(Block::default());
            }
            let block = &mut self.blocks[count];
            block.rows = first..self.bodies.len();
            block.groups.clear(block.rows.len());
            count += 1;
        }
        self.blocks.truncate(count);
        self.between.clear(self.bodies.len());
        let Rows { velocities, without, moved } = &mut self.rows;
        velocities.clear();
        velocities.extend(self.bodies.iter().map(|body| body.velocities));
        without.resize(self.bodies.len(), [0.0; LANES]);
        moved.clear();
        moved.resize(self.bodies.len(), UNMOVED);
    }

    /// The first row of a block, that of what is fixed.
    pub(super) fn first_row(&self, block: usize) -> usize {
        self.blocks[block].rows.start
    }

    /// Adds a contact of two rows of one block, or of two blocks; `moves` tells which of them contacts may move, and
    /// `source` is what [`Self::impulses`] names it by.
    pub(super) fn add(&mut self, block: Option<usize>, mut lane: Lane, moves: [bool; 2], source: u32) {
        let Some(block) = block else { return self.between.push(&lane, moves, source) };
        let Block { rows, groups } = &mut self.blocks[block];
        lane.bodies = lane.bodies.map(|row| row - rows.start as u32);
        groups.push(&lane, moves, source);
    }

    /// Velocity and angular velocity of a row.
    pub(super) fn velocity(&self, row: usize) -> ([f32; 3], [f32; 3]) {
        let [x, y, z, a, b, c, ..] = self.rows.velocities[row];
        ([x, y, z], [a, b, c])
    }

    /// How far a row has moved, and the quaternion of how far it has turned.
    pub(super) fn moved(&self, row: usize) -> ([f32; 3], [f32; 4]) {
        let [x, y, z, _, a, b, c, d] = self.rows.moved[row];
        ([x, y, z], [a, b, c, d])
    }

    /// Calls `visit` with the source of each contact and its impulses: along the normal, by point, and of friction.
    pub(super) fn impulses(&self, mut visit: impl FnMut(u32, [f32; 4], [f32; 3])) {
        let all = self.blocks.iter().map(|block| &block.groups).chain([&self.between]);
        for groups in all {
            for (wide, sources) in groups.wide.iter().zip(&groups.sources) {
                for (i, &source) in sources.iter().enumerate().filter(|(_, source)| **source != NONE) {
                    let (normal, friction) = wide.impulses(i);
                    visit(source, normal, friction);
                }
            }
        }
    }

    /// Solves the step.
    pub(super) fn solve(&mut self, settings: &SolverSettings) {
        let SolverSettings { substeps, h, slop, push, restitution_speed } = *settings;
        let limits = Limits { inverse_h: 1.0 / h, slop, push };
        self.prepare();
        for substep in 1..=substeps {
            self.each_block(|own, groups, bodies, level| {
                integrate_velocities(own, bodies, h);
                groups.solve(level, bodies, &limits);
            });
            self.between.solve(self.level, &mut self.rows.all(), &limits);
            self.each_block(|own, groups, bodies, level| {
                integrate_positions(own, bodies, h);
                groups.solve(level, bodies, &limits);
            });
            self.between.solve(self.level, &mut self.rows.all(), &limits);
            if substep % SEPARATED == 0 || substep == substeps {
                self.each_block(|own, groups, bodies, level| {
                    groups.separate(level, bodies.moved, &limits);
                    lock(own, bodies.moved);
                });
                self.between.separate(self.level, &mut self.rows.moved, &limits);
            }
        }
        self.each_block(|_, groups, bodies, level| groups.rebound(level, bodies.velocities, restitution_speed));
        self.between.rebound(self.level, &mut self.rows.velocities, restitution_speed);
    }

    /// Computes what stays the same in all sub-steps, and what the contacts that held last change velocities by.
    fn prepare(&mut self) {
        self.each_block(|_, groups, bodies, level| {
            groups.prepare(level, bodies.velocities);
            bodies.without.fill([0.0; LANES]);
            groups.warm_start(level, bodies.without);
        });
        self.between.prepare(self.level, &self.rows.velocities);
        self.between.warm_start(self.level, &mut self.rows.without);
        for (without, velocity) in self.rows.without.iter_mut().zip(&self.rows.velocities) {
            for (without, speed) in without.iter_mut().zip(velocity) {
                *without = speed - *without;
            }
        }
    }

    /// Calls `work` for every block with what is its own, side by side.
    fn each_block(&mut self, work: impl Fn(&[SolverBody], &mut Groups, &mut Bodies, Level) + Sync) {
        let level = self.level;
        let (mut own, mut rest) = (&self.bodies[..], self.rows.all());
        let parts = self.blocks.iter_mut().map(|Block { rows, groups }| {
            let (first, others) = own.split_at(rows.len());
            own = others;
            (first, groups, rest.take(rows.len()))
        });
        let each = |(own, groups, mut bodies): (&[SolverBody], &mut Groups, Bodies)| {
            work(own, groups, &mut bodies, level);
        };
        #[cfg(feature = "parallel")]
        if rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let parts: Vec<_> = parts.collect();
            if parts.len() > 1 {
                return parts.into_par_iter().for_each(each);
            }
            return parts.into_iter().for_each(each);
        }
        parts.for_each(each);
    }
}

/// A body that has neither moved nor turned.
const UNMOVED: Row = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

impl Groups {
    fn prepare(&mut self, level: Level, velocities: &[Row]) {
        vectorized!(level, simd => for wide in &mut self.wide {
            wide.prepare(simd, velocities);
        });
    }

    fn warm_start(&self, level: Level, velocities: &mut [Row]) {
        vectorized!(level, simd => for wide in &self.wide {
            wide.warm_start(simd, velocities);
        });
    }

    fn solve(&mut self, level: Level, bodies: &mut Bodies, limits: &Limits) {
        vectorized!(level, simd => for wide in &mut self.wide {
            wide.solve(simd, bodies, limits);
        });
    }

    fn separate(&mut self, level: Level, moved: &mut [Row], limits: &Limits) {
        vectorized!(level, simd => for wide in &mut self.wide {
            wide.separate(simd, moved, limits);
        });
    }

    fn rebound(&mut self, level: Level, velocities: &mut [Row], threshold: f32) {
        vectorized!(level, simd => {
            for wide in &mut self.wide {
                if wide.rebounds() {
                    wide.rebound(simd, velocities, threshold);
                }
            }
        });
    }
}

/// What forces make of velocities in a sub-step, and then contacts that push as in the one before.
fn integrate_velocities(own: &[SolverBody], bodies: &mut Bodies, h: f32) {
    for ((body, row), without) in own.iter().zip(bodies.velocities.iter_mut()).zip(bodies.without.iter_mut()) {
        for i in 0..LANES {
            let pushed = row[i] - without[i];
            without[i] = (row[i] + body.accelerations[i] * h) * body.kept[i];
            row[i] = without[i] + pushed;
        }
    }
}

/// Takes back what contacts have moved bodies by along locked axes.
fn lock(own: &[SolverBody], moved: &mut [Row]) {
    for (body, moved) in own.iter().zip(moved) {
        for (moved, free) in moved.iter_mut().zip(&body.free[..3]) {
            *moved *= free;
        }
    }
}

/// Moves and turns bodies by their velocities.
fn integrate_positions(own: &[SolverBody], bodies: &mut Bodies, h: f32) {
    for ((body, velocity), moved) in own.iter().zip(bodies.velocities.iter_mut()).zip(bodies.moved.iter_mut()) {
        for i in 0..3 {
            velocity[i] *= body.free[i];
            moved[i] += velocity[i] * h;
        }
        let [_, _, _, a, b, c, ..] = velocity.map(|speed| speed * (0.5 * h));
        let [_, _, _, _, x, y, z, w] = *moved;
        // (a, b, c, 0) times the quaternion, added, and of length 1 again.
        let turned = [
            x + (a * w + b * z - c * y),
            y + (b * w + c * x - a * z),
            z + (c * w + a * y - b * x),
            w - (a * x + b * y + c * z),
        ];
        let square: f32 = turned.iter().map(|q| q * q).sum();
        // A step of Newton's method, where that is enough.
        let scale = if square < 1.001 { 1.5 - 0.5 * square } else { 1.0 / square.sqrt() };
        for (i, q) in turned.into_iter().enumerate() {
            moved[4 + i] = q * scale;
        }
    }
}
