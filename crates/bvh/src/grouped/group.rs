//! Sixteen boxes at most in three cache lines, eight bits a bound.
//!
//! ```text
//!   low                                                      low + 255 step
//!    |----|----|----|----|----|----|----|----|----|----|----|----|
//!              [==== box ====]                          by axis:  low + step · q, rounded as here
//!          q = 2             q = 5                      never inside of the box
//! ```
//! Source: Ylitie, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (2017),
//! section 3.2, for bounds on a grid of the box around them.

use crate::{
    lanes::{LANES, Row, Simd, f32x16, from_bytes, splat},
    node::{Face, Rows},
};
use cullide_narrowphase::Aabb;

/// The largest of the eight-bit bounds.
const LAST: f32 = u8::MAX as f32;

/// Boxes that lie close together, and a number of the caller's for each.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Group {
    low: [f32; 3],
    step: [f32; 3],
    /// A bit for every lane that has a box: the first ones.
    lanes: u32,
    /// Rows as those of a node.
    bounds: Bounds,
    numbers: Numbers,
}

/// None across two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Bounds([[u8; LANES]; 6]);

/// In one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Numbers([u32; LANES]);

/// Three cache lines.
const _: () = assert!(size_of::<Group>() == 192 && align_of::<Group>() == 64);

impl Group {
    /// Without boxes.
    const EMPTY: Self =
        Self { low: [0.0; 3], step: [0.0; 3], lanes: 0, bounds: Bounds([[0; LANES]; 6]), numbers: Numbers([0; LANES]) };

    /// Of the first sixteen of some boxes with their numbers, which lie in `around`.
    pub(super) fn new(around: &Aabb, boxes: impl Iterator<Item = (Aabb, u32)>) -> Self {
        let mut group = Self::EMPTY;
        for axis in 0..3 {
            (group.low[axis], group.step[axis]) = grid(around.min()[axis], around.max()[axis]);
        }
        for (lane, (aabb, number)) in boxes.take(LANES).enumerate() {
            group.numbers.0[lane] = number;
            group.lanes |= 1 << lane;
            for axis in 0..3 {
                group.bounds.0[2 * axis][lane] = group.lower(axis, aabb.min()[axis]);
                group.bounds.0[2 * axis + 1][lane] = group.upper(axis, aabb.max()[axis]);
            }
        }
        group
    }

    /// The numbers, in the order of the lanes.
    #[inline(always)]
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers.0[..self.len()]
    }

    /// The same, and any in lanes without a box.
    #[inline(always)]
    pub(super) fn every_number(&self) -> &[u32; LANES] {
        &self.numbers.0
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.lanes.count_ones() as usize % (LANES + 1)
    }

    /// A bit for every lane that has a box.
    #[inline(always)]
    pub(super) fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The last bound on the grid that is not above `x`.
    fn lower(&self, axis: usize, x: f32) -> u8 {
        let mut bound = ((x - self.low[axis]) / self.step[axis]) as u8;
        while self.at(axis, bound) > x {
            bound -= 1;
        }
        bound
    }

    /// A bound on the grid that is not below `x`, the first but for rounding.
    fn upper(&self, axis: usize, x: f32) -> u8 {
        let mut bound = ((x - self.low[axis]) / self.step[axis]).ceil() as u8;
        while self.at(axis, bound) < x {
            bound += 1;
        }
        bound
    }

    fn at(&self, axis: usize, bound: u8) -> f32 {
        self.low[axis] + self.step[axis] * f32::from(bound)
    }
}

impl Group {
    /// All sides in memory, in the order of a node's rows.
    #[inline(always)]
    pub(super) fn stored_rows<S: Simd>(&self, simd: S) -> [Row; 6] {
        let [a, b, c, d, e, f] = self.rows(simd);
        [a.into(), b.into(), c.into(), d.into(), e.into(), f.into()]
    }
}

impl Rows for Group {
    /// Each side is where that of its box is, or outward of it.
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, face: Face) -> f32x16<S> {
        let axis = face as usize / 2;
        let (low, step) = (splat(simd, self.low[axis]), splat(simd, self.step[axis]));
        low + step * from_bytes(simd, &self.bounds.0[face as usize])
    }
}

/// Where the grid between two bounds begins, and its steps: the last is not below the upper bound.
fn grid(min: f32, max: f32) -> (f32, f32) {
    let mut step = (max - min) / LAST;
    while min + step * LAST < max {
        step = step.next_up();
    }
    (min, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instructions, lanes::vectorized};
    use cullide_narrowphase::glam::Vec3;

    const FACES: [Face; 6] = [Face::MinX, Face::MaxX, Face::MinY, Face::MaxY, Face::MinZ, Face::MaxZ];

    /// Sixteen boxes about `far` of that size, and flat ones and points among them.
    fn boxes(seed: u32, far: f32, size: f32) -> Vec<Aabb> {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            far + size * ((state >> 8) as f32 / (1 << 23) as f32 - 1.0)
        };
        let mut point = || Vec3::new(random(), random(), random());
        let sizes = (0..LANES as u32).map(|i| Vec3::from([0, 1, 2].map(|axis| (i >> axis & 1) as f32)));
        sizes
            .map(|kept| {
                let (a, b) = (point(), point());
                let b = Vec3::select(kept.cmpgt(Vec3::ZERO), b, a);
                Aabb::new(a.min(b), a.max(b)).unwrap()
            })
            .collect()
    }

    #[test]
    fn decoded_boxes_contain_theirs_and_are_larger_by_less_than_two_steps() {
        let scales = [(0.0, 1.0), (0.0, 1e-44), (-1e9, 7e7), (1e6, 0.2), (3.0, 0.0), (-0.001, 5e8), (1e-38, 1e-38)];
        for (seed, (far, size)) in (0..70).flat_map(|seed| scales.map(|scale| (seed, scale))) {
            let boxes = boxes(seed, far, size);
            let boxes = &boxes[..1 + seed as usize % LANES];
            let around = boxes.iter().copied().reduce(|a, b| a.union(&b)).unwrap();
            let group = Group::new(&around, boxes.iter().copied().zip(100..));
            assert_eq!(group.numbers().len(), boxes.len());
            assert_eq!(group.lanes(), (1 << boxes.len()) - 1);
            for instructions in Instructions::EVERY {
                let Some(level) = instructions.level() else { continue };
                let rows = FACES.map(|face| vectorized!(level, simd => <[f32; LANES]>::from(group.row(simd, face))));
                for (lane, aabb) in boxes.iter().enumerate() {
                    assert_eq!(group.numbers()[lane], 100 + lane as u32);
                    for axis in 0..3 {
                        let (low, high) = (rows[2 * axis][lane], rows[2 * axis + 1][lane]);
                        let (min, max) = (aabb.min()[axis], aabb.max()[axis]);
                        assert!(low <= min && max <= high, "{low} {min} {max} {high}");
                        // A step, and a rounding of what is added to the lower bound.
                        let room =
                            2.0 * group.step[axis] + f32::EPSILON * around.min().abs().max(around.max().abs())[axis];
                        assert!(min - low <= room && high - max <= room, "{low} {min} {max} {high}");
                    }
                }
            }
        }
    }
}
