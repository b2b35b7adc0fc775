//! Which bodies sleep, and together with which others.
//!
//! Bodies that touch each other, directly or through others, form an island; fixed and kinematic things do not join
//! any. An island falls asleep when all of its bodies have been slow for long enough, and wakes as a whole: when an
//! awake body touches one of them, when one of their contacts ends, or when one of them, or something near it, is
//! edited.

use crate::dynamics::{BodyState, Dynamics, NONE, pairs::ActivePairs, sets::Sets};
use crate::{World, contact::free_numbers::FreeNumbers};
use cullide_bvh::Bvh;
use cullide_narrowphase::{Aabb, ShapeMotion};
use std::ops::ControlFlow;

/// Sleeping islands, by number, each with its bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    sleeping: Vec<Vec<u32>>,
    free: FreeNumbers,
    /// During a search: the bodies of each island.
    sets: Sets,
    /// During a search, by body: how long the island of which it is the root has been still.
    still: Vec<f32>,
}

impl Islands {
    /// What is saved of the islands.
    #[cfg(feature = "serde")]
    pub(super) fn save(&self) -> Vec<Vec<u32>> {
        self.sleeping.clone()
    }

    #[cfg(feature = "serde")]
    pub(super) fn restore(sleeping: Vec<Vec<u32>>) -> Self {
        let free = (0..).zip(&sleeping).filter(|(_, bodies)| bodies.is_empty()).map(|(island, _)| island).collect();
        Self { sleeping, free, ..Self::default() }
    }
}

impl Dynamics {
    /// Wakes a body, and the island in which it sleeps.
    pub(super) fn wake_body(&mut self, at: u32) {
        let island = self.state(at).island;
        if island == NONE {
            self.state_mut(at).still_seconds = 0.0;
            return;
        }
        let bodies = std::mem::take(&mut self.islands.sleeping[island as usize]);
        self.islands.free.push(island);
        for body in bodies {
            if let Some(state) = &mut self.bodies[body as usize] {
                (state.island, state.still_seconds) = (NONE, 0.0);
            }
        }
    }

    /// Wakes the bodies that may touch something in one of these boxes.
    pub(super) fn wake_near<'a>(&mut self, places: impl Iterator<Item = &'a Aabb>) {
        let places = Bvh::build(&places.copied().collect::<Vec<_>>());
        for at in 0..self.bodies.len() as u32 {
            let Some(state) = self.bodies[at as usize].as_ref().filter(|state| !state.is_awake()) else { continue };
            let mut is_near = false;
            places.overlap_aabb(&state.reach, u32::MAX, |_| {
                is_near = true;
                ControlFlow::Break(())
            });
            if is_near {
                self.wake_body(at);
            }
        }
    }

    pub(super) fn wake_all_bodies(&mut self) {
        for at in 0..self.bodies.len() as u32 {
            if self.bodies[at as usize].is_some() {
                self.wake_body(at);
            }
        }
    }

    /// Puts islands to sleep if all of their bodies have been slow for `seconds`.
    pub(super) fn fall_asleep(&mut self, world: &World, pairs: &ActivePairs, seconds: f32) {
        let count = self.bodies.len();
        let islands = &mut self.islands;
        islands.sets.reset(count);
        islands.still.clear();
        islands.still.resize(count, f32::INFINITY);
        if !self.bodies.iter().flatten().any(|state| can_sleep(state) && state.still_seconds >= seconds) {
            return;
        }
        for active in pairs.active.iter().filter(|active| active.is_touching) {
            let [a, b] = active.bodies;
            let [first, second] = pairs.roles.of(active.bodies);
            if first.is_sensor() || second.is_sensor() {
                continue;
            }
            if first.is_dynamic() && second.is_dynamic() {
                self.islands.sets.join(a, b);
                continue;
            }
            let Some(pair) = self.contacts.get(active.number) else { continue };
            // No body sleeps beside something that moves, or on a belt that runs, however slowly.
            if first.is_dynamic() && (second.is_kinematic() && is_moving(self.state(b)) || self.is_on_belt(world, pair))
            {
                self.islands.still[a as usize] = 0.0;
            } else if second.is_dynamic() && first.is_kinematic() && is_moving(self.state(a)) {
                self.islands.still[b as usize] = 0.0;
            }
        }
        let awake = |state: &BodyState| state.is_awake() && state.is_dynamic();
        for at in 0..count as u32 {
            let Some(state) = self.bodies[at as usize].as_ref().filter(|state| awake(state)) else { continue };
            let still = if can_sleep(state) { state.still_seconds } else { 0.0 };
            let still = still.min(self.islands.still[at as usize]);
            let root = self.islands.sets.root(at);
            let least = &mut self.islands.still[root as usize];
            *least = least.min(still);
        }
        // Of the islands that fall asleep, by the roots of their sets.
        let mut numbers = Vec::new();
        for at in 0..count as u32 {
            if self.bodies[at as usize].as_ref().is_none_or(|state| !awake(state)) {
                continue;
            }
            let root = self.islands.sets.root(at);
            if self.islands.still[root as usize] < seconds {
                continue;
            }
            let islands = &mut self.islands;
            numbers.resize(count, None);
            let island = *numbers[root as usize].get_or_insert_with(|| {
                islands.free.pop().unwrap_or_else(|| {
                    islands.sleeping.push(Vec::new());
                    (islands.sleeping.len() - 1) as u32
                })
            });
            islands.sleeping[island as usize].push(at);
            let state = self.state_mut(at);
            state.island = island;
            (state.body.velocity, state.body.angular_velocity) = Default::default();
            // Its contacts date from its pose before the last step.
            (state.last_motion, state.last_turning) = (ShapeMotion::NONE, 0.0);
            state.known = state.reach;
            for &number in &self.bodies[at as usize].as_ref().expect("it falls asleep").pairs {
                let Some(pair) = self.contacts.get_mut(number) else { continue };
                pair.expire();
            }
        }
    }
}

impl BodyState {
    /// Whether it is awake, and may move what it touches, or has come nearer to something in the last step.
    pub(super) fn rouses(&self) -> bool {
        self.is_awake() && !self.is_off && (self.is_dynamic() || is_moving(self) || has_moved(self))
    }
}

fn can_sleep(state: &BodyState) -> bool {
    state.body.can_sleep
}

fn has_moved(state: &BodyState) -> bool {
    state.last_motion != ShapeMotion::NONE || state.last_turning > 0.0
}

fn is_moving(state: &BodyState) -> bool {
    state.body.velocity.length_squared() + state.body.angular_velocity.length_squared() > 0.0
}
