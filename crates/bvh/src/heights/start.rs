//! Where a walk begins: for short motions, far below the block of all cells.
//!
//! ```text
//!   ┌───────┬───────┐
//!   │     ──┼──►    │   the smallest blocks of which a motion crosses at most 2 × 2
//!   ├───────┼───────┤
//! ```

use super::HeightField;
use crate::Probe;
use cullide_narrowphase::Mapped;

/// The blocks where a walk begins, all of one level.
pub(super) struct Start {
    /// The level of their contents.
    pub(super) level: usize,
    /// The first and the last column, and the first and the last row; the last is the first or the next one.
    ends: [[u32; 2]; 2],
}

impl HeightField {
    /// Returns all blocks that a probe may meet.
    #[inline]
    pub(super) fn start(&self, probe: &Probe) -> Start {
        let top = self.pyramid.last() - 1;
        let [leading, trailing, inverse] = probe.by_axis().mapped(|v| [v.x, v.z]);
        let cells = self.pyramid.size(0);
        let (mut ends, mut width) = ([[0; 2]; 2], 0);
        for i in 0..2 {
            let (origin, spacing) = (self.origin[i], self.spacing[i]);
            // The motion up to its farthest end, and the same error as during the walk.
            let motion = probe.max().min(FARTHEST) / inverse[i];
            let error = self.error(i, [leading[i], trailing[i]]) + motion.abs() * MARGIN;
            let low = leading[i].min(trailing[i]) + motion.min(0.0) - error;
            let high = leading[i].max(trailing[i]) + motion.max(0.0) + error;
            if !motion.is_finite() {
                return Start { level: top, ends: [[0; 2]; 2] };
            }
            // A place before the first cell is taken to be in it. The margin also exceeds these roundings.
            let cell = |place: f32| (((place - origin) / spacing) as u32).min(cells[i] - 1);
            ends[i] = [cell(low), cell(high)];
            width = width.max(ends[i][1] - ends[i][0]);
        }
        // The least level with 4^(level + 1) ≥ width.
        let level = ((width.max(1) - 1).checked_ilog2().map_or(0, |log| log as usize / 2)).min(top);
        let ends = ends.mapped(|ends| ends.mapped(|cell| cell >> (2 * (level + 1))));
        Start { level, ends }
    }
}

/// Motions are cut off at this distance, far beyond all coordinates.
const FARTHEST: f32 = (1u64 << 60) as f32;

/// This fraction of a motion exceeds the error of its end.
const MARGIN: f32 = 1.0 / (1u32 << 20) as f32;

impl Start {
    /// Whether there is more than one block.
    pub(super) fn is_split(&self) -> bool {
        self.ends.iter().any(|[first, last]| first < last)
    }

    /// The columns and rows of the blocks, in the order of a motion; `turned` tells along which axes it is negative.
    #[inline(always)]
    pub(super) fn blocks(&self, turned: [bool; 2]) -> impl Iterator<Item = [u32; 2]> + use<> {
        let [columns, rows] = self.ends;
        let all = (0..4).filter(move |n| (n & 1 == 0 || columns[0] < columns[1]) && (n & 2 == 0 || rows[0] < rows[1]));
        let pick = |ends: [u32; 2], is_last: bool| ends[usize::from(is_last)];
        all.map(move |n| [pick(columns, (n & 1 != 0) ^ turned[0]), pick(rows, (n & 2 != 0) ^ turned[1])])
    }
}
