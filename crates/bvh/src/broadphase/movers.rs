//! The order in which all moving bodies are packed.

use super::state::{MOVING, RENEWED, USED};
use crate::{
    corners::Corners,
    lanes::{Level, vectorized},
    order::{Curve, refine, sort_by_bits},
};

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

    /// Adds all movers that are not [`RENEWED`] to `order`, which holds the others with their places along the curve above their numbers,
    /// and sorts.
    pub(super) fn order(
        &mut self,
        level: Level,
        order: &mut Vec<u64>,
        curve: &Curve,
        all: usize,
        tight: &[Corners],
        states: &[u8],
    ) {
        if order.len() < all {
            if std::mem::take(&mut self.is_outdated) {
                self.numbers.clear();
                let moves = |state: u8| state & (USED | MOVING) == USED | MOVING;
                self.numbers.extend((0..).zip(states).filter(|(_, state)| moves(**state)).map(|(number, _)| number));
            }
            vectorized!(level, simd => for &number in &self.numbers {
                if states[number as usize] & RENEWED == 0 {
                    let key = curve.key(simd, tight[number as usize].doubled_middle());
                    order.push(u64::from(key) << 32 | u64::from(number));
                }
            });
        }
        sort_by_bits(level, order, &mut self.scratch, 32, 32 + curve.key_bits(), |item| item);
        refine(level, order, |number| tight[number as usize].doubled_middle());
    }
}
