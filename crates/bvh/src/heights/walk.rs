//! Which cells a probe passes over, nearest first.
//!
//! ```text
//!   a block   ──►  16 blocks in it, or cells:   the times in its columns ∩ those in its rows ∩ those in its heights
//!                  n c + a                      when a face is met: n is its number, a the start of the block
//! ```
//! Sixteen are tested at once in `f32`, with the slab test of boxes. Along a motion, the numbers of columns only grow
//! or only shrink, and so do those of rows. So the blocks in a block are met in the order of their lanes, with the
//! order of columns, and of rows, reversed for motions against it.
//!
//! Faces are moved outward by `E = 2^-20 (X + L)`, where `X` is an upper bound on the absolute positions of all
//! columns, and `L` on that of the start. In units of length, with `u = 2^-24`, the computed values err by less than
//! `13 u X + 6 u L`: the position of a column, which is itself rounded, by `4 u X`; its distance from the start by
//! another `u (X + L)`, twice; the product with the reciprocal, which is rounded twice, by `3 u (X + L)`; the offset of
//! a face by `2 u X`; and the sum by `2 u X + u L`.

use super::{HeightField, samples::Samples, start::Start};
use crate::{
    Probe, Visit,
    heights::SIDE,
    lanes::{
        LANES, Row, Simd, at_most, f32x16,
        fours::{corner, turned_round},
        load, max, min, splat, vectorized,
    },
    query::PAD,
};
use cullide_narrowphase::Mapped;

/// The positions and times of faces err by less than this fraction of the coordinates.
const ERROR: f32 = 1.0 / (1u32 << 20) as f32;

/// The time per unit along x and z is clamped to this: after any time that matters, the position is off by at most
/// `2^-40`.
const SLOWEST: f32 = (1u128 << 80) as f32;
const OFF: f32 = 1.0 / (1u64 << 40) as f32;

/// At least the number of levels of 4 × 4 blocks over 2^30 cells; a power of two.
const LEVELS: usize = 16;

/// The columns of the lanes and the columns after these; then the same for rows.
const FACES: [[Row; 2]; 2] = [
    [
        [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0],
        [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0],
    ],
    [
        [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0],
        [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0, 4.0],
    ],
];

impl HeightField {
    /// Calls `visit` with the column and the row of each cell that a ray, a segment or a swept box may meet, and the
    /// heights at its corners as in [`HeightField::corners`], roughly nearest first. [`Visit::Within`] and
    /// [`Visit::Stop`] cut the walk short.
    ///
    /// No cell is left out whose box, that of its vertices rounded to `f32`, the probe meets; few other cells are
    /// visited. See [`HeightField`] for an example.
    pub fn walk(&self, probe: &Probe, mut visit: impl FnMut(u32, u32, [f32; 4]) -> Visit) {
        self.walk_in(probe, &mut visit);
    }

    fn walk_in(&self, probe: &Probe, visit: &mut CellVisitor<'_>) {
        if !probe.reaches_any() {
            return;
        }
        let start = self.start(probe);
        vectorized!(self.level, simd => CellWalk::new(simd, self, probe).run(simd, &start, visit));
    }

    /// An upper bound on the error of positions along x or z, for a probe that starts there.
    #[inline(always)]
    pub(super) fn error(&self, axis: usize, [leading, trailing]: [f32; 2]) -> f32 {
        (self.farthest[axis] + leading.abs().max(trailing.abs())) * ERROR + OFF
    }
}

/// The visitor of cells.
type CellVisitor<'a> = dyn FnMut(u32, u32, [f32; 4]) -> Visit + 'a;

/// A probe that walks over a field. Pairs are for x and z.
struct CellWalk<'a, S: Simd> {
    field: &'a HeightField,
    /// Whether it goes against the order of columns, and of rows.
    turned: [bool; 2],
    /// The times at which faces are met, for columns and rows a unit apart that begin where the probe starts.
    near: [f32x16<S>; 2],
    far: [f32x16<S>; 2],
    lines: Lines,
    /// Along y, the same for all faces: where both sides start, and the time per unit.
    up: [f32x16<S>; 4],
    falls: bool,
}

/// What a walk needs to test a single block.
struct Lines {
    /// Where both sides start, including the margin for errors, and the time per unit.
    leading: [f32; 2],
    trailing: [f32; 2],
    inverse: [f32; 2],
    inverse_far: [f32; 2],
    limit: f32,
}

impl<'a, S: Simd> CellWalk<'a, S> {
    #[inline(always)]
    fn new(simd: S, field: &'a HeightField, probe: &Probe) -> Self {
        let [leading, trailing, inverse] = probe.by_axis();
        let up = [leading.y, trailing.y, inverse.y, inverse.y * PAD].mapped(|x| splat(simd, x));
        let ([leading, trailing], falls) = ([leading, trailing].mapped(|v| [v.x, v.z]), inverse.y < 0.0);
        let turned = [inverse.x < 0.0, inverse.z < 0.0];
        let inverse = [inverse.x, inverse.z].mapped(|x| x.clamp(-SLOWEST, SLOWEST));
        let inverse_far = inverse.mapped(|x| x * PAD);
        let (mut near, mut far) = ([splat(simd, 0.0); 2], [splat(simd, 0.0); 2]);
        let mut lines = Lines { leading, trailing, inverse, inverse_far, limit: probe.max() };
        for i in 0..2 {
            let error = field.error(i, [leading[i], trailing[i]]);
            let margin = if turned[i] { -error } else { error };
            (lines.leading[i], lines.trailing[i]) = (leading[i] + margin, trailing[i] - margin);
            near[i] = load(simd, &FACES[i][usize::from(turned[i])]) * splat(simd, inverse[i]);
            far[i] = load(simd, &FACES[i][usize::from(!turned[i])]) * splat(simd, inverse_far[i]);
        }
        Self { field, turned, near, far, lines, up, falls }
    }

    #[inline(always)]
    fn run(&mut self, simd: S, start: &Start, visit: &mut CellVisitor<'_>) {
        // Lanes XOR this are their places in the order of the walk.
        let turn = u32::from(self.turned[0]) * (SIDE - 1) + u32::from(self.turned[1]) * SIDE * (SIDE - 1);
        // For each level on the way down, what is still to be visited in its block: one bit each, in order.
        let mut waiting = [0; LEVELS];
        let mut is_cut = false;
        'starts: for [mut column, mut row] in start.blocks(self.turned) {
            let mut level = start.level;
            if start.is_split() && !self.lines.meet(self.field, level + 1, [column, row]) {
                continue;
            }
            loop {
                // The current block is of `level + 1`, the blocks in it are of `level`.
                let mut left = 0;
                if level > 0 {
                    let [low, high] = &self.field.pyramid.ranges(level, column, row).sides;
                    let met = self.test(simd, level, [column, row], [load(simd, low), load(simd, high)]);
                    left = turned_round(self.turned, met);
                } else {
                    let corners = self.field.samples.corners(simd, column, row);
                    let met = self.test(simd, 0, [column, row], Samples::ranges(corners));
                    if met != 0 {
                        let heights: [Row; 4] = corners.mapped(|heights| heights.into());
                        let mut cells = turned_round(self.turned, met);
                        while cells != 0 {
                            let lane = cells.trailing_zeros() ^ turn;
                            cells &= cells - 1;
                            let (column, row) = (column * SIDE + lane % SIDE, row * SIDE + lane / SIDE);
                            if is_cut && !self.lines.meet(self.field, 0, [column, row]) {
                                continue;
                            }
                            match visit(column, row, heights.each_ref().mapped(|row| row[lane as usize % LANES])) {
                                Visit::Continue => {}
                                Visit::Within(limit) => {
                                    (self.lines.limit, is_cut) = (self.lines.limit.min(limit), true);
                                }
                                Visit::Stop => return,
                            }
                        }
                    }
                }
                // Takes the next waiting block, starting from the lowest level.
                loop {
                    if left != 0 {
                        let lane = left.trailing_zeros() ^ turn;
                        left &= left - 1;
                        let inner = [column * SIDE + lane % SIDE, row * SIDE + lane / SIDE];
                        if !is_cut || self.lines.meet(self.field, level, inner) {
                            waiting[level % LEVELS] = left;
                            ([column, row], level) = (inner, level - 1);
                            break;
                        }
                    } else if level < start.level {
                        (level, column, row) = (level + 1, column / SIDE, row / SIDE);
                        left = waiting[level % LEVELS];
                    } else {
                        continue 'starts;
                    }
                }
            }
        }
    }

    /// The blocks of a level, or the cells, in a block that are met, one bit each.
    #[inline(always)]
    fn test(&self, simd: S, level: usize, block: [u32; 2], [low, high]: [f32x16<S>; 2]) -> u32 {
        let first = [block[0] * SIDE, block[1] * SIDE];
        let (near, far) = if self.falls { (high, low) } else { (low, high) };
        let [leading, trailing, inverse, inverse_far] = self.up;
        // If the first operand is NaN, the result is the second.
        let mut enter = max((near - leading) * inverse, splat(simd, 0.0));
        let mut exit = min((far - trailing) * inverse_far, splat(simd, Probe::reach(self.lines.limit)));
        for (i, number) in first.into_iter().enumerate() {
            let step = self.field.step(level, i);
            let place = self.field.place(i, number, step);
            let from = splat(simd, (place - self.lines.leading[i]) * self.lines.inverse[i]);
            let to = splat(simd, (place - self.lines.trailing[i]) * self.lines.inverse_far[i]);
            enter = max(self.near[i] * splat(simd, step) + from, enter);
            exit = min(self.far[i] * splat(simd, step) + to, exit);
        }
        let size = self.field.pyramid.size(level);
        at_most(enter, exit) & corner(size[0] - first[0], size[1] - first[1])
    }
}

impl Lines {
    /// Whether the column and the row of a block, or cell, are met at the same time, up to the limit.
    #[inline(never)]
    fn meet(&self, field: &HeightField, level: usize, [column, row]: [u32; 2]) -> bool {
        let (enter, exit) = self.span(field, level, 0, column);
        let (from, to) = self.span(field, level, 1, row);
        let reach = Probe::reach(self.limit);
        // Every comparison with a NaN is false, so it counts as met.
        !(enter > to || from > exit || enter > reach || from > reach || exit < 0.0 || to < 0.0)
    }

    /// The times at which a column or a row of blocks is entered and left.
    #[inline(always)]
    fn span(&self, field: &HeightField, level: usize, i: usize, number: u32) -> (f32, f32) {
        let (step, is_turned) = (field.step(level, i), self.inverse[i] < 0.0);
        let place = |next: bool| field.place(i, number + u32::from(next), step);
        let enter = (place(is_turned) - self.leading[i]) * self.inverse[i];
        (enter, (place(!is_turned) - self.trailing[i]) * self.inverse_far[i])
    }
}

impl HeightField {
    /// The distance from one block to the next.
    #[inline(always)]
    fn step(&self, level: usize, axis: usize) -> f32 {
        self.spacing[axis] * (1i32 << (2 * level)) as f32
    }

    /// The position at which a block begins.
    #[inline(always)]
    fn place(&self, axis: usize, number: u32, step: f32) -> f32 {
        // Converted as a signed number, which is faster; no number is so large that it would become negative.
        self.origin[axis] + number as i32 as f32 * step
    }
}
