//! No tree: all boxes, eight at a time, with the best instructions that ours may use.

use crate::peer::{Bounds, Path, Peer, Plane, Reach, Support};
use cullide_narrowphase::simd::level;
use fearless_simd::{Level, dispatch, f32x8, prelude::*};

const LANES: usize = 8;

/// Eight boxes by row: lower bounds by axis, then upper ones. Missing boxes are inverted infinities, which nothing
/// meets.
type Block = [[f32; LANES]; 6];

pub struct Scan {
    blocks: Vec<Block>,
    level: Level,
}

impl Scan {
    pub fn new(boxes: &[Bounds]) -> Self {
        Self { blocks: boxes.chunks(LANES).map(block).collect(), level: level() }
    }
}

impl Peer for Scan {
    fn name(&self) -> &str {
        "linear scan (SIMD)"
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        for path in paths {
            let entry = dispatch!(self.level, simd => closest(simd, &self.blocks, path, reach.limit()));
            entries.push((entry < f32::INFINITY).then_some(entry));
        }
        Support::Answered
    }

    fn overlap(&self, queries: &[Bounds], counts: &mut Vec<u32>) -> Support {
        counts.extend(queries.iter().map(|query| dispatch!(self.level, simd => overlap(simd, &self.blocks, query))));
        Support::Answered
    }

    fn cull(&self, planes: &[Plane; 6], seen: &mut Vec<u32>) -> Support {
        dispatch!(self.level, simd => cull(simd, &self.blocks, planes, seen));
        Support::Answered
    }
}

fn block(boxes: &[Bounds]) -> Block {
    let mut block = [f32::INFINITY, f32::NEG_INFINITY].map(|missing| [[missing; LANES]; 3]);
    for (lane, bounds) in boxes.iter().enumerate() {
        for (rows, corner) in block.iter_mut().zip(bounds) {
            for axis in 0..3 {
                rows[axis][lane] = corner[axis];
            }
        }
    }
    let [[a, b, c], [d, e, f]] = block;
    [a, b, c, d, e, f]
}

#[inline(always)]
fn closest<S: Simd>(simd: S, blocks: &[Block], [start, delta]: &Path, limit: f32) -> f32 {
    let start = start.map(|x| f32x8::splat(simd, x));
    let inverse = delta.map(|x| f32x8::splat(simd, x.recip()));
    let near: [usize; 3] = std::array::from_fn(|axis| if delta[axis] < 0.0 { axis + 3 } else { axis });
    let mut best = f32x8::splat(simd, f32::INFINITY);
    let mut exit_at = f32x8::splat(simd, limit);
    for block in blocks {
        let side = |axis: usize, row: usize| (f32x8::simd_from(simd, block[row]) - start[axis]) * inverse[axis];
        let far = |axis: usize| side(axis, (near[axis] + 3) % 6);
        let zero = f32x8::splat(simd, 0.0);
        let enter = side(0, near[0]).max(side(1, near[1]).max(side(2, near[2]).max(zero)));
        let exit = far(0).min(far(1).min(far(2).min(exit_at)));
        let met = enter.simd_le(exit);
        best = met.select(enter, best);
        exit_at = met.select(enter, exit_at);
    }
    <[f32; LANES]>::from(best).into_iter().fold(f32::INFINITY, f32::min)
}

#[inline(always)]
fn overlap<S: Simd>(simd: S, blocks: &[Block], query: &Bounds) -> u32 {
    let [min, max] = query.map(|corner| corner.map(|x| f32x8::splat(simd, x)));
    let count = |block: &Block| {
        let row = |row: usize| f32x8::simd_from(simd, block[row]);
        let axis = |axis: usize| row(axis).simd_le(max[axis]) & min[axis].simd_le(row(axis + 3));
        (axis(0) & axis(1) & axis(2)).to_bitmask().count_ones()
    };
    blocks.iter().map(count).sum()
}

#[inline(always)]
fn cull<S: Simd>(simd: S, blocks: &[Block], planes: &[Plane; 6], seen: &mut Vec<u32>) {
    let planes = planes.map(|plane| {
        let rows: [usize; 3] = std::array::from_fn(|axis| if plane[axis] >= 0.0 { axis + 3 } else { axis });
        (plane.map(|x| f32x8::splat(simd, x)), rows)
    });
    let zero = f32x8::splat(simd, 0.0);
    for (i, block) in blocks.iter().enumerate() {
        let mut inside = 0xff;
        for (plane, rows) in &planes {
            let term = |axis: usize| f32x8::simd_from(simd, block[rows[axis]]) * plane[axis];
            inside &= zero.simd_le(term(0) + term(1) + term(2) + plane[3]).to_bitmask();
            if inside == 0 {
                break;
            }
        }
        while inside != 0 {
            seen.push((i * LANES) as u32 + inside.trailing_zeros());
            inside &= inside - 1;
        }
    }
}
