//! Many bodies moved at once.

use super::{
    Broadphase, Proxy,
    edit::leaf,
    state::{MOVED, MOVING, RENEWED, STALE, STRETCHED},
};
use crate::{
    corners::Corners,
    lanes::{LANES, each_lane, vectorized},
    node::{Child, LEAF},
    tree::Bvh,
};
use cullide_narrowphase::{Aabb, glam::Vec3};

/// With more than one in so many leaves outgrown, all leaves are made anew: placing and searching them together costs some 45 ns each,
/// one by one some 350.
const FEW: usize = 8;

/// With at least one in so many bodies moved, a packing of all costs a few such moves, and repairs what they spoil.
const MOST: usize = 4;

/// By so much of their area nodes may spread before they are packed again.
const SPREAD: f64 = 0.2;

impl Broadphase {
    /// Gives many bodies new boxes: as [`Broadphase::set`] of each, in order, and cheaper. Bodies that are not there are passed over; returns
    /// how many were there.
    ///
    /// ```
    /// # use cullide_bvh::{Body, Broadphase, narrowphase::{Aabb, glam::Vec3}};
    /// let mut broadphase = Broadphase::new();
    /// let proxy = broadphase.insert(&Body::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// let there = Aabb::new(Vec3::X, Vec3::X)?;
    /// assert_eq!(broadphase.set_all(&[(proxy, there)]), 1);
    /// assert_eq!(broadphase.aabb(proxy), Some(there));
    /// # Ok::<(), cullide_bvh::narrowphase::Error>(())
    /// ```
    pub fn set_all(&mut self, moved: &[(Proxy, Aabb)]) -> usize {
        let cells = Cells::new(&self.moving);
        let mut renewed = std::mem::take(&mut self.renewed);
        renewed.clear();
        let mut count = 0;
        // Within, also for what is no vector arithmetic, all instructions of the processor are used: a third faster.
        vectorized!(self.moving.level, _simd => for (proxy, aabb) in moved {
            if self.has(*proxy) {
                count += 1;
                self.set_one(proxy.number(), aabb, &cells, &mut renewed);
            }
        });
        let many = count * MOST >= self.moving.len();
        if renewed.len() * FEW > self.moving.len() || (many && self.spread > self.extent * SPREAD) {
            self.repack(&mut renewed);
        } else {
            let leeway = if many { Leeway::Drift } else { Leeway::None };
            for &entry in &renewed {
                self.place_with_neighbours(entry as u32, leeway);
            }
        }
        for &entry in &renewed {
            self.states[entry as u32 as usize] &= !RENEWED;
        }
        self.renewed = renewed;
        count
    }

    /// Notes a new box, and a new leaf box where it is needed; the tree does not know of that yet.
    #[inline(always)]
    fn set_one(&mut self, number: u32, aabb: &Aabb, cells: &Cells, renewed: &mut Vec<u64>) {
        let i = number as usize;
        let state = self.states[i];
        if state & MOVING == 0 {
            self.set(Proxy::new(number), aabb);
            return;
        }
        let tight = Corners::new(aabb);
        if state & STRETCHED != 0 && self.fat[i].contains(&tight) {
            self.tight[i] = tight;
            self.states[i] = state | MOVED;
            self.any_moved = true;
            return;
        }
        if self.tight[i] == tight {
            return;
        }
        self.tight[i] = tight;
        let state = state & !STRETCHED | self.stretch(number, || cells.of(tight.doubled_middle()));
        if state & RENEWED == 0 {
            renewed.push(u64::from(number));
        }
        self.states[i] = state | MOVED | RENEWED;
    }

    /// Packs the moving tree anew.
    fn repack(&mut self, renewed: &mut Vec<u64>) {
        // A few more to search with cost less than to tell which.
        self.all_stale |= renewed.len() * 4 > self.moving.len() * 3;
        if self.all_stale {
            for state in self.states.iter_mut().filter(|state| **state & MOVING != 0) {
                *state |= STALE;
            }
        } else {
            for &entry in renewed.iter() {
                self.mark(entry as u32);
            }
        }
        let around = self.moving.around(0);
        self.movers.order(
            self.moving.level,
            renewed,
            (2.0 * around.min(), 2.0 * around.max()),
            &self.tight,
            &self.states,
        );
        let (tight, fat, states, layers) = (&self.tight, &self.fat, &self.states, &self.layers);
        let corners = |leaf: u32| {
            let i = leaf as usize;
            if states[i] & STRETCHED != 0 { &fat[i] } else { &tight[i] }
        };
        self.moving.pack(renewed, &corners, &|leaf| layers[leaf as usize].own);
        self.is_packed = true;
        (self.spread, self.extent) = (0.0, self.moving.leaf_node_area());
    }

    /// Tells the tree of a body's new leaf box, and makes new ones for its neighbours that soon need them.
    fn place_with_neighbours(&mut self, number: u32, leeway: Leeway) {
        let Some(slot) = self.moving.slot(leaf(number)) else { return };
        if self.states[number as usize] & RENEWED == 0 {
            // A neighbour came before.
            return;
        }
        let index = slot.node();
        let around = self.moving.around(index);
        let children = self.moving.nodes[index].children;
        let mut outside = 0;
        for (lane, &child) in children.iter().enumerate() {
            let Child::Leaf(other) = Child::of(child) else { continue };
            let i = other as usize;
            if self.states[i] & RENEWED == 0 {
                if !self.courses[i].is_old(self.frame) {
                    continue;
                }
                self.states[i] = self.states[i] & !STRETCHED | self.stretch(other, || index as u32);
            }
            self.states[i] &= !RENEWED;
            self.mark(other);
            let corners = *self.leaf_box(other);
            let stays = match leeway {
                Leeway::None => around.contains(&corners),
                Leeway::Drift => around.overlaps(&corners),
            };
            if stays || index == 0 {
                self.moving.nodes[index].put_row(lane, child, corners.min(), corners.max());
            } else {
                outside |= 1 << lane;
            }
        }
        self.moving.refresh(index);
        if leeway == Leeway::Drift {
            self.spread += self.moving.around(index).half_area() - around.half_area();
        }
        for lane in each_lane(outside) {
            let other = leaf(children[lane] & !LEAF);
            if let Some(aabb) = self.leaf_box(other.bits()).aabb() {
                self.is_packed &= self.moving.set_and_tell(other, &aabb);
            }
        }
    }
}

/// How far a leaf may leave the bounds of its node without being placed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leeway {
    /// Not at all.
    None,
    /// As long as it touches them: all will soon be packed again.
    Drift,
}

/// Cells of space about as large as a node: the leaves within one live equally long, so that they are made anew together.
struct Cells {
    low: Vec3,
    scale: Vec3,
}

impl Cells {
    fn new(tree: &Bvh) -> Self {
        let around = tree.around(0);
        let per_axis = (tree.len() as f32 / LANES as f32).cbrt();
        Self { low: 2.0 * around.min(), scale: per_axis / (2.0 * around.size()).max(Vec3::splat(f32::MIN_POSITIVE)) }
    }

    /// A number for the cell of a place, much like those of other cells.
    #[inline(always)]
    fn of(&self, place: Vec3) -> u32 {
        let [x, y, z] = ((place - self.low) * self.scale).to_array().map(|x| x as i32 as u32);
        x ^ y.wrapping_mul(0x0101) ^ z.wrapping_mul(0x0001_0001)
    }
}
