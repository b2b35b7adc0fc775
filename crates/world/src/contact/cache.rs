//! The pairs of objects near each other, and what is carried over for them.

use super::{ContactPair, free_numbers::FreeNumbers};
use crate::{ObjectKey, ObjectPair, PlaneKey, Target, World, scene::planes::MotionBounds, scene::slot_map::Slot};
use cullide_bvh::Team;
use cullide_narrowphase::{Aabb, MAX_COORDINATE, glam::Vec3};
use std::collections::HashMap;

/// Contacts of objects near each other, kept from update to update.
///
/// A pair has a number for as long as it lasts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactCache {
    pairs: Vec<Option<ContactPair>>,
    /// Numbers to be reused.
    free: FreeNumbers,
    numbers: HashMap<ObjectPair, u32>,
    /// Pairs with planes, by object.
    planes: HashMap<ObjectKey, Vec<(PlaneKey, u32)>>,
    /// The tag of the world, and the serial of its pairs, when this was last brought up to date; `None` before that.
    known: Option<(u32, u64)>,
    /// The same of boxes that lost their margin.
    rest_serial: u64,
    /// Whether the next update compares with all pairs of the world.
    is_stale: bool,
}

/// What changed in the list of pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) begun: Vec<u32>,
    /// The pairs themselves, which no longer have a number.
    pub(crate) ended: Vec<(u32, ContactPair)>,
}

impl ContactCache {
    pub(crate) fn get(&self, number: u32) -> Option<&ContactPair> {
        self.pairs.get(number as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut ContactPair> {
        self.pairs.get_mut(number as usize)?.as_mut()
    }

    /// The pair of an object with another object or a plane.
    pub(crate) fn between(&self, first: ObjectKey, second: Target) -> Option<&ContactPair> {
        let number = match second {
            Target::Object(second) => self.numbers.get(&ObjectPair::new(first, second)),
            Target::Plane(plane) => self.planes.get(&first)?.iter().find(|pair| pair.0 == plane).map(|pair| &pair.1),
        };
        self.get(*number?)
    }

    /// All pairs, by number.
    pub(crate) fn slots_mut(&mut self) -> &mut [Option<ContactPair>] {
        &mut self.pairs
    }

    /// All pairs, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &ContactPair)> {
        self.pairs.iter().enumerate().filter_map(|(i, pair)| Some((i as u32, pair.as_ref()?)))
    }

    /// Whether this is up to date with the last update of the world's pairs.
    fn is_current(&self, world: &World) -> bool {
        self.known == Some((world.id, world.pair_serial)) && !self.is_stale
    }

    /// Whether the boxes of objects that have not moved may be smaller than this made them: somebody else has updated
    /// the pairs, or taken a velocity from an object.
    pub(crate) fn has_lost_boxes(&self, world: &World) -> bool {
        (self.known, self.rest_serial) != (Some((world.id, world.pair_serial)), world.rest_serial)
    }

    /// Gives moving objects boxes that cover where they may get, and brings the pairs up to date; `wanted` decides
    /// which pairs to keep. Returns whether pairs that stay may now be between other things than before.
    pub(crate) fn update(
        &mut self,
        team: &Team,
        world: &mut World,
        predicted: &mut dyn Iterator<Item = (Slot, Aabb)>,
        wanted: &dyn Fn(ObjectKey, ObjectKey) -> bool,
        changes: &mut Changes,
    ) -> bool {
        changes.begun.clear();
        changes.ended.clear();
        let is_known = self.is_current(world);
        world.set_predicted(team, predicted);
        (self.known, self.rest_serial) = (Some((world.id, world.pair_serial)), world.rest_serial);
        self.is_stale = false;
        if is_known {
            let events = world.pair_events();
            // In an order that does not depend on how the trees were built.
            let (mut ended, mut begun) = (events.ended.to_vec(), events.begun.to_vec());
            ended.sort_unstable();
            begun.sort_unstable();
            for pair in ended {
                self.end(pair, changes);
            }
            for pair in begun.into_iter().filter(|pair| wanted(pair.first, pair.second)) {
                self.begin(pair, changes);
            }
            return false;
        }
        // Other code has consumed the events in the meantime.
        let mut now: Vec<ObjectPair> = world.pairs().filter(|pair| wanted(pair.first, pair.second)).collect();
        now.sort_unstable();
        let mut gone: Vec<ObjectPair> = self.numbers.keys().copied().collect();
        gone.retain(|pair| now.binary_search(pair).is_err());
        gone.sort_unstable();
        for pair in gone {
            self.end(pair, changes);
        }
        for pair in now {
            if !self.numbers.contains_key(&pair) {
                self.begin(pair, changes);
            }
        }
        true
    }

    /// Brings the pairs of an object with planes up to date: those with the planes that it may touch on its way.
    pub(crate) fn update_planes(
        &mut self,
        world: &World,
        key: ObjectKey,
        way: &MotionBounds,
        layers: u32,
        changes: &mut Changes,
    ) {
        let near = world.planes_near(way, &crate::Filter::layers(layers));
        if near.is_empty() && !self.planes.contains_key(&key) {
            return;
        }
        let mut known = self.planes.remove(&key).unwrap_or_default();
        known.retain(|(plane, number)| {
            let stays = near.iter().any(|near| world.plane_key(near.slot) == *plane);
            if !stays {
                self.release(*number, changes);
            }
            stays
        });
        for plane in near.iter().map(|near| world.plane_key(near.slot)) {
            if let Err(at) = known.binary_search_by_key(&plane, |(plane, _)| *plane) {
                let number = self.claim(ContactPair::new(key, plane.into()));
                changes.begun.push(number);
                known.insert(at, (plane, number));
            }
        }
        if !known.is_empty() {
            self.planes.insert(key, known);
        }
    }

    /// Whether there are pairs with planes.
    pub(crate) fn any_planes(&self) -> bool {
        !self.planes.is_empty()
    }

    /// Ends the pairs of an object with planes.
    pub(crate) fn forget_planes(&mut self, key: ObjectKey, changes: &mut Changes) {
        for (_, number) in self.planes.remove(&key).unwrap_or_default() {
            self.release(number, changes);
        }
    }

    /// Ends the pairs with planes of the objects for which `stays` is false.
    pub(crate) fn retain_planes(&mut self, stays: &dyn Fn(ObjectKey) -> bool, changes: &mut Changes) {
        let mut gone: Vec<Target> = Vec::new();
        self.planes.keys().filter(|key| !stays(**key)).for_each(|key| gone.push((*key).into()));
        gone.sort_unstable();
        gone.into_iter().filter_map(Target::object).for_each(|key| self.forget_planes(key, changes));
    }

    /// Ends a pair, if it exists.
    pub(crate) fn end(&mut self, pair: ObjectPair, changes: &mut Changes) {
        if let Some(number) = self.numbers.remove(&pair) {
            self.release(number, changes);
        }
    }

    fn begin(&mut self, pair: ObjectPair, changes: &mut Changes) {
        let number = self.claim(ContactPair::new(pair.first, Target::Object(pair.second)));
        self.numbers.insert(pair, number);
        changes.begun.push(number);
    }

    fn claim(&mut self, pair: ContactPair) -> u32 {
        if let Some(number) = self.free.pop() {
            self.pairs[number as usize] = Some(pair);
            return number;
        }
        self.pairs.push(Some(pair));
        (self.pairs.len() - 1) as u32
    }

    fn release(&mut self, number: u32, changes: &mut Changes) {
        if let Some(pair) = self.pairs[number as usize].take() {
            changes.ended.push((number, pair));
        }
        self.free.push(number);
    }

    /// Returns what is saved: pairs by number, and whether it was up to date with a world.
    #[cfg(feature = "serde")]
    pub(crate) fn save(&self, world: &World) -> (Vec<Option<ContactPair>>, bool) {
        (self.pairs.clone(), self.is_current(world))
    }

    /// The inverse of [`Self::save`], for a restored world; `None` if pairs occur twice.
    #[cfg(feature = "serde")]
    pub(crate) fn restore(world: &World, pairs: Vec<Option<ContactPair>>, is_current: bool) -> Option<Self> {
        let free = (0..).zip(&pairs).filter(|(_, pair)| pair.is_none()).map(|(number, _)| number).collect();
        let mut cache = Self { known: is_current.then_some((world.id, world.pair_serial)), free, ..Self::default() };
        for (number, pair) in pairs.iter().enumerate() {
            let Some(pair) = pair else { continue };
            let is_new = match pair.second {
                Target::Object(second) => {
                    cache.numbers.insert(ObjectPair::new(pair.first, second), number as u32).is_none()
                }
                Target::Plane(key) => {
                    let known = cache.planes.entry(pair.first).or_default();
                    let is_new = known.iter().all(|(plane, _)| *plane != key);
                    known.push((key, number as u32));
                    is_new
                }
            };
            if !is_new {
                return None;
            }
        }
        cache.planes.values_mut().for_each(|known| known.sort_unstable());
        cache.pairs = pairs;
        Some(cache)
    }

    /// Makes the next update compare with all pairs of the world.
    pub(crate) fn resync(&mut self) {
        self.is_stale = true;
    }
}

/// A box around everything that a body may reach in a step, with a margin.
pub(crate) fn reach_of(aabb: &Aabb, velocity: Vec3, dt: f32, margin: f32) -> Aabb {
    let (way, limit) = (velocity * dt, Vec3::splat(MAX_COORDINATE));
    // With more than rounding may take.
    let room = Vec3::splat(margin) + (aabb.min().abs() + aabb.max().abs() + way.abs()) * (4.0 * f32::EPSILON);
    let (low, high) = (aabb.min() + way.min(Vec3::ZERO) - room, aabb.max() + way.max(Vec3::ZERO) + room);
    Aabb::new(low.max(-limit), high.min(limit)).unwrap_or_else(|_| aabb.expanded(margin))
}
