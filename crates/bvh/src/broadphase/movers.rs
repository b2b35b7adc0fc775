//! The order in which all moving bodies are packed.

use super::state::{MOVING, USED};
use crate::{
    corners::Corners,
    lanes::Level,
    order::{Curve, refine},
};
use cullide_narrowphase::glam::Vec3;

/// The numbers of all moving bodies, and arrays for sorting them.
#[derive(Clone, Debug, Default)]
pub(super) struct Movers {
    /// Ascending, when up to date.
    numbers: Vec<u32>,
    is_outdated: bool,
    order: Vec<u64>,
    scratch: Vec<u64>,
}

impl Movers {
    /// A body has become, or is no longer, a mover.
    pub(super) fn changed(&mut self) {
        self.is_outdated = true;
    }

    /// All movers in the order of the middles of their `boxes` along a curve through the box from `low` to `high`, each in the lower half of
    /// an item.
    pub(super) fn order(
        &mut self,
        level: Level,
        (low, high): (Vec3, Vec3),
        boxes: &[Corners],
        states: &[u8],
    ) -> &[u64] {
        if std::mem::take(&mut self.is_outdated) {
            self.numbers.clear();
            let moves = |state: u8| state & (USED | MOVING) == USED | MOVING;
            self.numbers.extend((0..).zip(states).filter(|(_, state)| moves(**state)).map(|(number, _)| number));
        }
        let curve = Curve::new(low, high, self.numbers.len());
        let place = |number: u32| boxes[number as usize].doubled_middle();
        curve.order(level, &self.numbers, &mut self.order, &mut self.scratch, place);
        refine(level, &mut self.order, place);
        &self.order
    }
}
