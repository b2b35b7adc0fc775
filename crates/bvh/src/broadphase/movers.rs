//! The order in which all moving bodies are packed.

use super::state::{MOVING, RENEWED, USED};
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
    scratch: Vec<u64>,
}

impl Movers {
    /// A body has become, or is no longer, a mover.
    pub(super) fn changed(&mut self) {
        self.is_outdated = true;
    }

    /// Adds all movers that are not [`RENEWED`] to `order`, which holds the others, and sorts them along a curve.
    pub(super) fn order(
        &mut self,
        level: Level,
        order: &mut Vec<u64>,
        (low, high): (Vec3, Vec3),
        tight: &[Corners],
        states: &[u8],
    ) {
        if std::mem::take(&mut self.is_outdated) {
            self.numbers.clear();
            let moves = |state: u8| state & (USED | MOVING) == USED | MOVING;
            self.numbers.extend((0..).zip(states).filter(|(_, state)| moves(**state)).map(|(number, _)| number));
        }
        if order.len() < self.numbers.len() {
            let others = self.numbers.iter().filter(|&&number| states[number as usize] & RENEWED == 0);
            order.extend(others.map(|&number| u64::from(number)));
        }
        let curve = Curve::new(low, high, order.len());
        let place = |number: u32| tight[number as usize].doubled_middle();
        curve.order(level, order, &mut self.scratch, place);
        refine(level, order, place);
    }
}
