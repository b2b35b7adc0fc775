//! The order in which all moving bodies are packed.

use super::{
    fat::{Course, share},
    state::{MOVING, STALE, USED},
};
use crate::{
    corners::Corners,
    order::{Curve, refine, sort_by_bits},
};
use cullide_narrowphase::glam::Vec3;

/// The numbers of all moving bodies, and arrays for sorting them.
#[derive(Clone, Debug, Default)]
pub(super) struct Movers {
    /// Ascending, when up to date.
    numbers: Vec<u32>,
    is_outdated: bool,
    /// Each mover's place along the curve above its number.
    order: Vec<u64>,
    scratch: Vec<u64>,
}

impl Movers {
    /// A body has become, or is no longer, a mover.
    pub(super) fn changed(&mut self) {
        self.is_outdated = true;
    }

    /// The movers in an order in which neighbours are close, their numbers in the lower halves.
    pub(super) fn order(&self) -> &[u64] {
        &self.order
    }

    /// Makes new leaf boxes for all and orders them.
    pub(super) fn renew(
        &mut self,
        tight: &[Corners],
        fat: &mut [Corners],
        courses: &mut [Course],
        states: &mut [u8],
        frame: u32,
    ) {
        if std::mem::take(&mut self.is_outdated) {
            self.numbers.clear();
            let moves = |state: &u8| state & (USED | MOVING) == USED | MOVING;
            self.numbers.extend((0..).zip(states.iter()).filter(|(_, state)| moves(state)).map(|(number, _)| number));
        }
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &number in &self.numbers {
            let middle = tight[number as usize].doubled_middle();
            (low, high) = (low.min(middle), high.max(middle));
        }
        let curve = Curve::new(low, high, self.numbers.len());
        // Bodies of one cell, about as many as a node holds, live equally long.
        let cell = (curve.key_bits() + 4).saturating_sub((self.numbers.len() + 1).ilog2()).min(30);
        self.order.clear();
        for &number in &self.numbers {
            let i = number as usize;
            let key = curve.key(tight[i].doubled_middle());
            fat[i] = courses[i].stretch(&tight[i], frame, share((key >> cell) ^ frame.wrapping_mul(0x9E37)));
            states[i] |= STALE;
            self.order.push(u64::from(key) << 32 | u64::from(number));
        }
        sort_by_bits(&mut self.order, &mut self.scratch, 32, 32 + curve.key_bits());
        refine(&mut self.order, |number| tight[number as usize].doubled_middle());
    }
}
