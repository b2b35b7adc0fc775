//! The order in which all moving bodies are packed.

use super::state::USED;
use crate::{hilbert::HilbertOrder, lanes::Level, simd_aabb::SimdAabb};
use cullide_narrowphase::glam::Vec3;

/// The numbers of all moving bodies, and arrays for sorting them.
#[derive(Clone, Debug, Default)]
pub(super) struct Movers {
    /// Ascending, when up to date.
    numbers: Vec<u32>,
    is_outdated: bool,
    order: HilbertOrder,
}

impl Movers {
    /// A body has become, or is no longer, a mover.
    pub(super) fn changed(&mut self) {
        self.is_outdated = true;
    }

    /// All movers in the order of the middles of their `boxes` along a curve through the box from `low` to `high`.
    pub(super) fn order(&mut self, level: Level, around: (Vec3, Vec3), boxes: &[SimdAabb], states: &[u8]) -> &[u32] {
        if std::mem::take(&mut self.is_outdated) {
            self.numbers.clear();
            let used = (0..).zip(states).filter(|(_, state)| **state & USED != 0);
            self.numbers.extend(used.map(|(number, _)| number));
        }
        let place = |number: u32| boxes[number as usize].doubled_center();
        self.order.along(level, around, (&self.numbers, states.len()), place)
    }
}
