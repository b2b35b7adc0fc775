//! Queries on a whole placed terrain: planes, frusta, overlaps, the nearest point.

use super::Terrain;
use crate::shape::{Convex, placed::At, surface::Surface};
use cullide_narrowphase::{
    Aabb, Containment, Frustum, Mapped, Plane, Side, Solid, Triangle,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::ops::ControlFlow::{self, Break, Continue};

/// Cells, or blocks, along a side of a block.
const SIDE: u32 = 4;

/// The bits of a block's number among those of its parent block.
const LANE: u64 = (SIDE * SIDE - 1) as u64;

/// A block of cells, or a cell: its level, and its column and row among the blocks of that level.
#[derive(Clone, Copy, Debug)]
struct CellBlock {
    /// 0 for a cell.
    level: usize,
    column: u32,
    row: u32,
}

impl At<'_, Terrain> {
    /// Returns the side of `plane` on which all triangles lie; touching is [`Side::Straddling`].
    pub(crate) fn side_of(&self, plane: &Plane) -> Side {
        let whole = plane.side_of_aabb(self.aabb);
        if whole != Side::Straddling {
            return whole;
        }
        let mut known = None;
        let _ = self.search(self.top(), &mut |step| match step {
            // Blocks that cannot change the answer are skipped.
            Step::Block(aabb) => {
                let side = plane.side_of_aabb(&aabb);
                if side == Side::Straddling || known != Some(side) { Continue(true) } else { Continue(false) }
            }
            Step::Part(part) => {
                let side = part.side_of(plane);
                known = if known.is_none_or(|known| known == side) { Some(side) } else { Some(Side::Straddling) };
                if known == Some(Side::Straddling) { Break(()) } else { Continue(true) }
            }
        });
        known.unwrap_or(Side::Straddling)
    }

    /// Classifies the box of the terrain against the frustum; if the box crosses, the terrain is
    /// [`Containment::Outside`] unless some triangle may be visible.
    pub(crate) fn visibility(&self, frustum: &Frustum) -> Containment {
        let whole = frustum.containment_of_aabb(self.aabb);
        if whole != Containment::Crossing {
            return whole;
        }
        let searched = self.search(self.top(), &mut |step| match step {
            Step::Block(aabb) => Continue(frustum.containment_of_aabb(&aabb) != Containment::Outside),
            Step::Part(part) if frustum.visibility_of(part) == Containment::Outside => Continue(true),
            Step::Part(_) => Break(()),
        });
        if searched.is_break() { whole } else { Containment::Outside }
    }

    /// Calls `visit` with the triangles of each block of cells whose box touches the frustum, and with the containment
    /// of that box.
    pub(crate) fn cull(&self, frustum: &Frustum, visit: &mut dyn FnMut(&[u32], Containment)) {
        self.cull_in(self.top(), frustum, Containment::Crossing, visit);
    }

    /// The same for a block within one whose containment is `around`.
    fn cull_in(
        &self,
        block: CellBlock,
        frustum: &Frustum,
        around: Containment,
        visit: &mut dyn FnMut(&[u32], Containment),
    ) {
        let containment = match around {
            Containment::Inside => around,
            _ => self.placement.containment(&self.bounds(block), frustum),
        };
        if containment == Containment::Outside {
            return;
        }
        if block.level > 1 {
            return self.each_in(block, |inner| self.cull_in(inner, frustum, containment, visit));
        }
        let mut numbers = SmallVec::<[u32; (2 * SIDE * SIDE) as usize]>::new();
        self.each_in(block, |cell| numbers.extend(self.numbers_in(cell.column, cell.row)));
        if !numbers.is_empty() {
            visit(&numbers, containment);
        }
    }

    /// Returns the triangle nearest to `point` within `max_distance`, and the point on it nearest to `point`. Of
    /// triangles equally near, it is the one with the smallest number.
    pub(crate) fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        let (placement, wide) = (self.placement, point.as_dvec3());
        let error = placement.local_error(wide, self.aabb);
        let stretch = placement.stretch() * (1.0 + 1e-6);
        // One step of `f32` farther, so that no triangle is left out that counts as at the same distance.
        let most = f64::from(max_distance.next_up());
        let mut best: Option<(f64, u32, Vec3)> = None;
        let visit = |number: u32, triangle: Triangle| {
            let nearest = triangle.closest_point(point);
            let distance = nearest.as_dvec3().distance(wide);
            if distance <= most && best.is_none_or(|(least, other, _)| (distance, number) < (least, other)) {
                best = Some((distance, number, nearest));
            }
            best.map_or(most, |(distance, ..)| distance) * stretch + error
        };
        let local = placement.local_point(wide);
        self.nearest_in(self.top(), &mut NearBoxSearch { local: [local; 2], limit: most * stretch + error, visit });
        best.map(|(_, number, at)| (number, at))
    }

    /// As [`Parts::around`](crate::shape::parts::Parts::around).
    pub(in crate::shape) fn parts_around(&self, bounds: &Aabb, within: f64, visit: &mut dyn FnMut(u32, Convex) -> f64) {
        let (local, own) = self.placement.local_around(bounds, self.aabb, &self.shared.aabb());
        let visit =
            |number: u32, triangle: Triangle| f64::from(own(visit(number, Convex::Triangle(triangle, self.sides()))));
        let local = [local.min(), local.max()].mapped(|corner| corner.as_dvec3());
        self.nearest_in(self.top(), &mut NearBoxSearch { local, limit: own(within).into(), visit });
    }

    fn nearest_in(&self, block: CellBlock, nearest: &mut NearBoxSearch<impl FnMut(u32, Triangle) -> f64>) {
        if block.level == 0 {
            for (number, [a, b, c]) in self.triangles_in(block.column, block.row) {
                if let Ok(triangle) = Triangle::new(a, b, c) {
                    nearest.limit = (nearest.visit)(number, triangle);
                }
            }
            return;
        }
        // Nearest first: sixteen keys at most, each with its lane in the lowest bits.
        let data = self.data();
        let level = block.level - 1;
        let (size, [low, high]) = (data.heights.blocks(level), data.heights.ranges_in(level, block.column, block.row));
        let width = SIDE.pow(level as u32);
        let apart = |number: u32, count: u32, at: [f64; 2], place: &dyn Fn(u32) -> f32| {
            let [first, last] = [number * width, (number * width).saturating_add(width).min(count)];
            squared(at, [place(first), place(last)])
        };
        let (columns, rows) = (data.columns - 1, data.rows - 1);
        let [first_column, first_row] = [block.column * SIDE, block.row * SIDE];
        let [mut across, mut along] = [[0.0; SIDE as usize]; 2];
        for n in 0..(size[0] - first_column).min(SIDE) {
            across[n as usize] =
                apart(first_column + n, columns, nearest.local.mapped(|p| p.x), &|column| data.x(column));
        }
        let mut near = SmallVec::<[u64; (SIDE * SIDE) as usize]>::new();
        for r in 0..(size[1] - first_row).min(SIDE) {
            along[r as usize] = apart(first_row + r, rows, nearest.local.mapped(|p| p.z), &|row| data.z(row));
            for c in 0..(size[0] - first_column).min(SIDE) {
                let lane = (SIDE * r + c) as usize;
                let up = squared(nearest.local.mapped(|p| p.y), [low[lane], high[lane]]);
                let distance = across[c as usize] + along[r as usize] + up;
                // A NaN reaches nothing.
                if distance <= nearest.limit * nearest.limit {
                    near.push(distance.to_bits() & !LANE | lane as u64);
                }
            }
        }
        near.sort_unstable();
        for key in near {
            if f64::from_bits(key & !LANE) <= nearest.limit * nearest.limit {
                let lane = (key & LANE) as u32;
                let (column, row) = (first_column + lane % SIDE, first_row + lane / SIDE);
                self.nearest_in(CellBlock { level, column, row }, nearest);
            }
        }
    }

    /// Calls `visit` with the boxes of blocks, for which it returns whether to descend, and with all triangles of the
    /// cells that are reached.
    fn search(&self, block: CellBlock, visit: &mut dyn FnMut(Step) -> ControlFlow<(), bool>) -> ControlFlow<()> {
        if block.level == 0 {
            for (_, [a, b, c]) in self.triangles_in(block.column, block.row) {
                if let Ok(triangle) = Triangle::new(a, b, c) {
                    visit(Step::Part(Convex::Triangle(triangle, self.sides())))?;
                }
            }
            return Continue(());
        }
        let is_worth_it = match self.placement.bounds_of(&self.bounds(block)) {
            Ok(aabb) => visit(Step::Block(aabb))?,
            Err(_) => true,
        };
        let mut found = Continue(());
        if is_worth_it {
            self.each_in(block, |inner| {
                if found.is_continue() {
                    found = self.search(inner, visit);
                }
            });
        }
        found
    }

    /// Returns the block of all cells.
    fn top(&self) -> CellBlock {
        CellBlock { level: self.data().heights.last_level(), column: 0, row: 0 }
    }

    /// Calls `visit` with the blocks or cells in a block.
    fn each_in(&self, block: CellBlock, mut visit: impl FnMut(CellBlock)) {
        let level = block.level - 1;
        let size = self.data().heights.blocks(level);
        for row in block.row * SIDE..(block.row * SIDE + SIDE).min(size[1]) {
            for column in block.column * SIDE..(block.column * SIDE + SIDE).min(size[0]) {
                visit(CellBlock { level, column, row });
            }
        }
    }

    /// Returns the box around a block, in own coordinates.
    fn bounds(&self, CellBlock { level, column, row }: CellBlock) -> Aabb {
        let data = self.data();
        let width = SIDE.pow(level as u32);
        let cells = |block: u32, count: u32| block * width..(block * width).saturating_add(width).min(count);
        let heights = data.heights.range_of(level, column, row);
        data.block((cells(column, data.columns - 1), cells(row, data.rows - 1)), heights)
    }
}

/// Returns the squared distance of two ranges.
fn squared([first, last]: [f64; 2], [low, high]: [f32; 2]) -> f64 {
    let apart = (f64::from(low) - last).max(first - f64::from(high)).max(0.0);
    apart * apart
}

/// What a search encounters.
enum Step<'a> {
    /// The box around some cells.
    Block(Aabb),
    /// A triangle.
    Part(Convex<'a>),
}

/// A search for what is nearest to a box, nearest blocks first.
struct NearBoxSearch<F> {
    /// The corners of the box in own coordinates.
    local: [DVec3; 2],
    /// The distance in own coordinates beyond which nothing matters.
    limit: f64,
    /// Called with triangles; returns the limit from then on.
    visit: F,
}
