//! The infinite planes of a world, and which of them a moving box may come near.
//!
//! A box stays within a ball around its centre, however it rotates. Most planes are farther away than the ball gets in
//! a step; the box touches none of the others before the ball meets it. Both are computed in `f32` for four planes at
//! once:
//!
//! ```text
//!   height(t) = n·c + d + n·m t + n·p t²  >=  n·c + d + (n·m - |p|) t      for t in [0, 1]
//! ```
//! The error of such a sum is less than `10 u M`, where `M` is the sum of all magnitudes. If numbers overflow,
//! comparisons fail and a plane counts as near.
//!
//! Source: Higham, "Accuracy and Stability of Numerical Algorithms", §3.1.

use crate::{
    Filter, World, WorldPlane,
    scene::slot_map::{Slot, SlotMap, index},
};
use cullide_narrowphase::{
    Obb, Sides,
    glam::{Vec3, Vec4},
};
use smallvec::SmallVec;

/// `10 u`, plus a margin for the rounding of the bound itself.
const SUM_ERROR: f32 = 16.0 * 0.5 * f32::EPSILON;

/// More than all products that underflow together, and far below any distance that matters.
const UNDERFLOW: f32 = f32::MIN_POSITIVE;

/// Planes by key, and again in columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes {
    entries: SlotMap<WorldPlane>,
    /// By slot.
    columns: Vec<PlaneSoa4>,
}

/// Four planes, one per lane.
#[derive(Clone, Copy, Debug)]
struct PlaneSoa4 {
    normal: [Vec4; 3],
    d: Vec4,
    /// 1 for a wall, 0 for a half-space.
    is_wall: Vec4,
    /// Bit `i` is set where lane `i` holds a plane.
    is_used: u32,
    /// Infinity in lanes without a plane, otherwise zero.
    unused: Vec4,
    layers: [u32; 4],
    keys: [Slot; 4],
}

/// A plane that a box may touch, but not before the time `from`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NearPlane {
    pub(crate) from: f32,
    pub(crate) slot: Slot,
}

/// Planes that a box may touch.
pub(crate) type NearPlanes = SmallVec<[NearPlane; 8]>;

/// The ball around a moving body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MotionBounds {
    pub(crate) center: Vec3,
    pub(crate) motion: Vec3,
    /// An upper bound on half of its acceleration.
    pull: f32,
    /// The skin, plus more than what is lost when a pose is rounded to `f32` and pushed off what it touches.
    pub(crate) margin: f32,
    /// The radius plus the margin.
    pub(crate) reach: f32,
}

/// A ball that no plane meets; with a radius of zero, there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EmptySphere {
    center: Vec3,
    radius: f32,
}

impl MotionBounds {
    pub(crate) fn new(body: &Obb, motion: Vec3, acceleration: Vec3, skin: f32) -> Self {
        let [a, b, c] = body.half_edges();
        // At least |±a ±b ±c|², plus a margin for its rounding.
        let squares = a.length_squared() + b.length_squared() + c.length_squared();
        let products = a.dot(b).abs() + a.dot(c).abs() + b.dot(c).abs();
        let radius = 1.000_01 * (squares + 2.0 * products + UNDERFLOW).sqrt();
        Self::around(body.center(), radius, motion, acceleration, skin)
    }

    /// The bounds of a ball that moves in a straight line.
    pub(crate) fn of_ball(center: Vec3, radius: f32, motion: Vec3) -> Self {
        Self::around(center, 1.000_01 * radius + UNDERFLOW, motion, Vec3::ZERO, 0.0)
    }

    /// The bounds of what reaches no farther than `radius`, rounding included.
    #[inline(always)]
    fn around(center: Vec3, radius: f32, motion: Vec3, acceleration: Vec3, skin: f32) -> Self {
        // The sum of the magnitudes of a vector's coordinates is no less than its length.
        let pull = 0.500_01 * acceleration.abs().element_sum();
        let lost = 8.0 * f32::EPSILON * ((center.abs() + motion.abs()).element_sum() + pull + radius);
        let margin = skin.max(0.0) + lost;
        Self { center, motion, pull, margin, reach: radius + margin }
    }

    /// Whether all of it lies in an empty ball.
    #[inline(always)]
    pub(crate) fn stays_in(&self, empty_sphere: &EmptySphere) -> bool {
        let farthest = (self.center - empty_sphere.center).length() + self.motion.length() + self.pull + self.reach;
        // These are differences of coordinates whose rounding is included in the reach.
        1.000_01 * farthest < empty_sphere.radius
    }
}

impl Planes {
    /// Makes the planes in these slots.
    #[cfg(feature = "serde")]
    pub(crate) fn of(entries: SlotMap<WorldPlane>) -> Self {
        let mut planes = Self { entries, columns: Vec::new() };
        for (slot, entry) in planes.entries.iter() {
            put(&mut planes.columns, slot, entry);
        }
        planes
    }

    /// All planes by key.
    pub(crate) fn entries(&self) -> &SlotMap<WorldPlane> {
        &self.entries
    }

    pub(crate) fn insert(&mut self, plane: WorldPlane) -> Slot {
        let slot = self.entries.insert_with(|_| plane);
        put(&mut self.columns, slot, &plane);
        slot
    }

    pub(crate) fn remove(&mut self, slot: Slot) -> Option<WorldPlane> {
        let plane = self.entries.remove(slot)?;
        let (column, lane) = place(slot);
        self.columns[column].is_used &= !(1 << lane);
        self.columns[column].unused[lane] = f32::INFINITY;
        Some(plane)
    }

    pub(crate) fn get(&self, slot: Slot) -> Option<&WorldPlane> {
        self.entries.get(slot)
    }

    /// Changes the plane in a valid slot.
    pub(crate) fn set(&mut self, slot: Slot, plane: WorldPlane) {
        if let Some(entry) = self.entries.get_mut(slot) {
            *entry = plane;
            put(&mut self.columns, slot, &plane);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &WorldPlane)> {
        self.entries.iter()
    }

    /// Finds the planes that a moving box may touch, in the order in which its ball meets them; possibly too many,
    /// never too few. Returns an empty ball around its start.
    #[inline(always)]
    pub(crate) fn near(&self, way: &MotionBounds, filter: &Filter, found: &mut NearPlanes) -> EmptySphere {
        found.clear();
        let mut open = Vec4::INFINITY;
        for column in &self.columns {
            let (mut near, from, distance) = column.near(way);
            open = Vec4::select(distance.cmplt(open), distance, open);
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let slot = column.keys[lane];
                if filter.accepts_plane(column.layers[lane]) && !filter.ignores_plane(slot) {
                    found.push(NearPlane { from: from[lane], slot });
                }
            }
        }
        sort(found);
        EmptySphere { center: way.center, radius: open.min_element() }
    }
}

impl std::ops::Index<Slot> for Planes {
    type Output = WorldPlane;

    fn index(&self, slot: Slot) -> &WorldPlane {
        self.get(slot).expect("a valid slot")
    }
}

/// Puts a plane into its place, which may be beyond the last column.
fn put(columns: &mut Vec<PlaneSoa4>, slot: Slot, entry: &WorldPlane) {
    let (column, lane) = place(slot);
    columns.resize_with(columns.len().max(column + 1), PlaneSoa4::default);
    columns[column].put(lane, slot, entry);
}

/// The column of a slot, and its lane there.
fn place(slot: Slot) -> (usize, usize) {
    (index(slot) / 4, index(slot) % 4)
}

impl Default for PlaneSoa4 {
    fn default() -> Self {
        Self {
            normal: [Vec4::ZERO; 3],
            d: Vec4::ZERO,
            is_wall: Vec4::ZERO,
            is_used: 0,
            unused: Vec4::INFINITY,
            layers: [0; 4],
            keys: [Slot::default(); 4],
        }
    }
}

impl World {
    /// The planes near a way, in the order of their keys, wherever the way reaches them.
    pub(crate) fn planes_near(&self, way: &MotionBounds, filter: &Filter) -> NearPlanes {
        let mut near = NearPlanes::new();
        self.planes.near(way, filter, &mut near);
        near.iter_mut().for_each(|plane| plane.from = 0.0);
        sort(&mut near);
        near
    }
}

/// Sorts planes by where the way reaches them, then by key.
fn sort(planes: &mut NearPlanes) {
    if planes.len() > 1 {
        planes.sort_unstable_by(|a, b| (a.from.total_cmp(&b.from)).then(a.slot.cmp(&b.slot)));
    }
}

impl PlaneSoa4 {
    fn put(&mut self, lane: usize, slot: Slot, entry: &WorldPlane) {
        for axis in 0..3 {
            self.normal[axis][lane] = entry.plane.normal()[axis];
        }
        self.d[lane] = entry.plane.d();
        self.is_wall[lane] = f32::from(u8::from(entry.sides == Sides::Both));
        self.is_used |= 1 << lane;
        self.unused[lane] = 0.0;
        (self.layers[lane], self.keys[lane]) = (entry.layers, slot);
    }

    /// Returns which planes are near the motion, times before which the ball does not meet them, and lower bounds on
    /// how far the centre is from each.
    #[inline(always)]
    fn near(&self, way: &MotionBounds) -> (u32, [f32; 4], Vec4) {
        let [x, y, z] = self.normal;
        let along = |v: Vec3| {
            let (x, y, z) = (x * v.x, y * v.y, z * v.z);
            (x + y + z, x.abs() + y.abs() + z.abs())
        };
        let ((height, sizes), (change, changes)) = (along(way.center), along(way.motion));
        let (zero, reach, pull) = (Vec4::ZERO, Vec4::splat(way.reach), Vec4::splat(way.pull));
        let height = height + self.d;
        let error = SUM_ERROR * (sizes + self.d.abs() + changes + (reach + pull)) + UNDERFLOW;

        // A wall blocks from either side; a half-space ignores what stays behind it.
        let is_wall = self.is_wall.cmpgt(zero);
        let side = Vec4::select(is_wall & height.cmplt(zero), Vec4::NEG_ONE, Vec4::ONE);
        let (height, change) = (side * height, side * change);
        let (fall, rise) = (change - pull, change + pull);
        let clearance = height - reach - error;
        let is_far = (clearance + least(fall)).cmpgt(error);
        let stays_behind = (height + most(rise) + reach).cmplt(-error) & !is_wall;

        // It falls no faster than this, from no lower; less what the division rounds.
        let from = 0.999_999 * clearance / (error - fall);
        let from = Vec4::select(from.cmpgt(zero) & clearance.cmpgt(zero), from, zero);
        let distance = most(height.abs() - error) + self.unused;
        (self.is_used & !(is_far | stays_behind).bitmask(), from.to_array(), distance)
    }
}

/// The lesser of each lane and zero; zero for a NaN.
#[inline(always)]
fn least(v: Vec4) -> Vec4 {
    Vec4::select(v.cmplt(Vec4::ZERO), v, Vec4::ZERO)
}

/// The greater of each lane and zero; zero for a NaN.
#[inline(always)]
fn most(v: Vec4) -> Vec4 {
    Vec4::select(v.cmpgt(Vec4::ZERO), v, Vec4::ZERO)
}

#[cfg(test)]
mod tests;
