//! Many bodies in one place, as a spawner may put them there: n of them have n² / 2 pairs, which cannot all be solved,
//! and need not be. Each is pushed out of a few others at a time, and from a common place in a direction of its own.

use super::roles::ActivePair;
use crate::{
    contact::Impulses,
    dynamics::{BodyState, Dynamics, body::pose::BodyShape},
};
use cullide_narrowphase::{Mapped, glam::Vec3};

/// A body is in another one if it gets into that by this share of the smaller one's inner radius: what only touches, lies
/// on something or is wedged does not.
const DEEP: f32 = 0.25;

/// A contact is not solved if each of its two bodies is in at least this many others whose contacts are.
const MOST: u16 = 16;

/// Bodies whose centres are closer than this share of the smaller one's inner radius are in one place.
const TOGETHER: f32 = 1.0 / 16.0;

/// How far two bodies with these inner radii may be in each other before they count as such.
pub(super) fn deep(one: f32, other: f32) -> f32 {
    -DEEP * one.min(other)
}

impl BodyState {
    /// The shape of the second of two bodies in one place, moved aside a little, so that not all of them are pushed
    /// apart in the same direction; `None` for bodies in different places.
    pub(super) fn aside_of(&self, first: &Self, [own, other]: [u32; 2]) -> Option<BodyShape> {
        let near = TOGETHER * self.inner_radius.min(first.inner_radius);
        let is_there = self.shape.center().distance_squared(first.shape.center()) < near * near;
        let push = |state: &Self| state.is_dynamic() && !state.body.is_sensor;
        let aside = || self.shape.moved((direction(own) - direction(other)) * near, Vec3::ZERO);
        (is_there && push(self) && push(first)).then(aside).flatten()
    }
}

/// A direction for each number, spread evenly.
fn direction(number: u32) -> Vec3 {
    // Multiples of irrational numbers, as shares of 2^32.
    let along = |step: u32| number.wrapping_add(1).wrapping_mul(step) as i32 as f32;
    Vec3::new(along(0xD1B5_4A33), along(0xABC9_8389), along(0x8CB9_2BA7)).normalize_or(Vec3::Y)
}

impl Dynamics {
    /// Leaves contacts of bodies that are in many others to later steps.
    pub(super) fn thin_out(&mut self, active: &mut [ActivePair]) {
        let deep = active.iter().enumerate().filter(|(_, active)| active.is_deep);
        if deep.clone().count() <= MOST.into() {
            return;
        }
        // No body occurs twice among those with the same sum, so each body gets its share of what is solved.
        let sum = |[a, b]: [u32; 2]| (a + b) % self.bodies.len() as u32;
        let mut deep: Vec<u64> = deep.map(|(i, active)| u64::from(sum(active.bodies)) << 32 | i as u64).collect();
        deep.sort_unstable();
        let mut solved = vec![0u16; self.bodies.len()];
        for i in deep.into_iter().map(|numbers| numbers as u32 as usize) {
            let [a, b] = active[i].bodies.mapped(|body| body as usize);
            if solved[a].min(solved[b]) < MOST {
                (solved[a], solved[b]) = (solved[a].saturating_add(1), solved[b].saturating_add(1));
                continue;
            }
            active[i].is_near = false;
            let pair = self.contacts.get_mut(active[i].number);
            pair.into_iter().flat_map(|pair| &mut pair.parts).for_each(|part| part.impulses = Impulses::default());
        }
    }
}
