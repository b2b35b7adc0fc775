//! Which cells something passes over on a straight way, nearest first.
//!
//! ```text
//!   own coordinates   ──►  columns and rows as numbers, and heights:   at(s) = start + s · delta,  0 ≤ s ≤ 1
//!   a block of 4 × 4  ──►  the times in each of its columns ∩ those in each of its rows ∩ [s0, s1]
//!                          ──►  the heights passed between ∩ the heights in the block  ──►  its blocks, or cells
//! ```
//! What passes is a point, or a box, that reaches so far to all sides. All that rounding does is less than what the
//! reach is widened by, so that no cell is left out that is touched; the cost is about that of the blocks touched.

use super::{TerrainData, pyramid::SIDE};
use cullide_narrowphase::glam::DVec3;
use std::ops::ControlFlow::{self, Break, Continue};

/// A step of an `f32`, twice over: the vertices of a terrain are no farther than this share of their coordinates from
/// where a grid without rounding would have them.
const STEP: f64 = 1.0 / (1u64 << 22) as f64;

/// A way of fewer columns or rows than this is none, and widens the reach instead: its reciprocal would be too large.
const STILL: f64 = 1e-9;

/// A straight way of something that reaches to all sides. Along x and z in columns and rows.
pub(super) struct Walk {
    start: [f64; 2],
    inverse: [f64; 2],
    reach: [f64; 2],
    /// The heights of its middle at the start and how far it rises, and its reach.
    height: f64,
    rise: f64,
    half: f64,
    /// The part of the way up to which to go on.
    limit: f64,
}

/// A part of a way.
type Span = (f64, f64);

impl Walk {
    /// Of a box with this middle and half size, in own coordinates, and anything that is within `error` of it.
    pub(super) fn new(data: &TerrainData, center: DVec3, half: DVec3, motion: DVec3, error: f64) -> Self {
        let mut walk = Self {
            start: [0.0; 2],
            inverse: [0.0; 2],
            reach: [0.0; 2],
            height: center.y,
            rise: motion.y,
            half: half.y + error,
            limit: 1.0,
        };
        let origin = [data.origin.x, data.origin.y].map(f64::from);
        let spacing = [data.spacing.x, data.spacing.y].map(f64::from);
        let last = [data.x(data.columns - 1), data.z(data.rows - 1)].map(f64::from);
        for (i, axis) in [0, 2].into_iter().enumerate() {
            let step = STEP * origin[i].abs().max(last[i].abs());
            let delta = motion[axis] / spacing[i];
            let still = if delta.abs() < STILL { delta.abs() } else { 0.0 };
            walk.start[i] = (center[axis] - origin[i]) / spacing[i];
            walk.reach[i] = (half[axis] + error + step) / spacing[i] + still;
            walk.inverse[i] = if delta.abs() < STILL { 0.0 } else { 1.0 / delta };
        }
        walk
    }

    /// The same up to a part of the way.
    pub(super) fn within(self, limit: f64) -> Self {
        Self { limit, ..self }
    }

    /// When it touches columns or rows from `first` on, so many.
    #[inline]
    fn span(&self, i: usize, first: f64, count: f64) -> Span {
        let (low, high) = (first - self.reach[i] - self.start[i], first + count + self.reach[i] - self.start[i]);
        if self.inverse[i] == 0.0 {
            return if low <= 0.0 && high >= 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
        }
        let (a, b) = (low * self.inverse[i], high * self.inverse[i]);
        (a.min(b), a.max(b))
    }

    /// Whether it meets these heights on a part of the way.
    #[inline]
    fn meets(&self, (from, to): Span, [low, high]: [f32; 2]) -> bool {
        let (a, b) = (self.height + from * self.rise, self.height + to * self.rise);
        a.min(b) - self.half <= f64::from(high) && a.max(b) + self.half >= f64::from(low)
    }
}

impl TerrainData {
    /// Calls `visit` with the column and row of each cell that is touched, which returns up to which part of the way to
    /// go on, or stops.
    pub(super) fn walk(&self, mut walk: Walk, mut visit: impl FnMut(u32, u32) -> ControlFlow<(), f64>) {
        let top = self.pyramid.levels() - 1;
        if walk.meets((0.0, 1.0), self.pyramid.whole()) {
            let _ = self.walk_block(&mut walk, top, [0, 0], (0.0, 1.0), &mut visit);
        }
    }

    /// The same of a block.
    fn walk_block(
        &self,
        walk: &mut Walk,
        level: usize,
        [column, row]: [u32; 2],
        on: Span,
        visit: &mut impl FnMut(u32, u32) -> ControlFlow<(), f64>,
    ) -> ControlFlow<()> {
        // Cells along the side of a block in it, and how many of those there are.
        let width = f64::from(SIDE.pow(level as u32));
        let size = if level == 0 { [self.columns - 1, self.rows - 1] } else { self.pyramid.size(level - 1) };
        let first = [column * SIDE, row * SIDE];
        let mut spans = [[(1.0, 0.0); SIDE as usize]; 2];
        for i in 0..2 {
            for n in 0..(size[i] - first[i]).min(SIDE) {
                let (from, to) = walk.span(i, f64::from(first[i] + n) * width, width);
                spans[i][n as usize] = (from.max(on.0), to.min(on.1));
            }
        }
        // Bit 4 r + c of each number: what is touched in column c, row r, at some time up to the limit.
        let mut touched = 0u32;
        for r in 0..SIDE as usize {
            for c in 0..SIDE as usize {
                let (from, to) = (spans[0][c].0.max(spans[1][r].0), spans[0][c].1.min(spans[1][r].1));
                touched |= u32::from((from <= to) & (from <= walk.limit)) << (r as u32 * SIDE + c as u32);
            }
        }
        // Against the direction of the way, columns and rows are taken from the last.
        let flip = [0, 1].map(|i| if walk.inverse[i] < 0.0 { SIDE - 1 } else { 0 });
        for n in 0..SIDE * SIDE {
            let (c, r) = ((n / SIDE) ^ flip[0], (n % SIDE) ^ flip[1]);
            if touched >> (r * SIDE + c) & 1 == 0 {
                continue;
            }
            let (across, along) = (spans[0][c as usize], spans[1][r as usize]);
            let on = (across.0.max(along.0), across.1.min(along.1));
            if on.0 > walk.limit {
                continue;
            }
            let (column, row) = (first[0] + c, first[1] + r);
            if level > 0 {
                if walk.meets(on, self.pyramid.range(level - 1, column, row)) {
                    self.walk_block(walk, level - 1, [column, row], on, visit)?;
                }
            } else if walk.meets(on, self.cell_range(column, row)) {
                match visit(column, row) {
                    Continue(limit) => walk.limit = limit,
                    Break(()) => return Break(()),
                }
            }
        }
        Continue(())
    }

    /// The least and the greatest height in a cell.
    #[inline]
    pub(super) fn cell_range(&self, column: u32, row: u32) -> [f32; 2] {
        let [a, b, d, e] = self.heights.cell(column, row);
        [a.min(b).min(d.min(e)), a.max(b).max(d.max(e))]
    }
}
