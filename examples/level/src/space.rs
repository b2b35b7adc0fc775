//! The queries of a walker, for its box at a given centre, and how often it makes them.

use std::cell::Cell;

use cullide_world::glam::Vec3;
use cullide_world::narrowphase::{BoxSweep, Obb};
use cullide_world::{Character, Filter, Mover, World};

use crate::walk::HALF_EXTENTS;

/// A world as walkers query it.
pub struct Space<'a> {
    pub world: &'a World,
    /// Counts their queries.
    pub tally: &'a Tally,
}

/// Counts of queries to a world and of contacts met.
#[derive(Debug, Default)]
pub struct Tally {
    /// Sweeps and walks.
    pub sweeps: Cell<u64>,
    /// Contacts met, floors included.
    pub contacts: Cell<u64>,
}

/// Where a straight motion ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swept {
    /// The centre of the box when it touches something, or at the end: never `start + motion`, which rounding may put
    /// inside a floor.
    pub center: Vec3,
    /// A unit vector from what stops the box to the box; `None` if nothing does.
    pub normal: Option<Vec3>,
}

impl Space<'_> {
    /// Where a straight motion ends.
    pub fn sweep(&self, center: Vec3, motion: Vec3) -> Swept {
        let sweep = walker(center).and_then(|body| BoxSweep::new(body, motion).ok());
        let Some(sweep) = sweep else { return Swept { center, normal: None } };
        let swept = self.world.sweep(&sweep, &Filter::ALL);
        let normal = swept.hit.map(|hit| hit.normal).or(swept.overlap.map(|overlap| overlap.normal));
        self.tally.count(usize::from(normal.is_some()));
        Swept { center: swept.position, normal }
    }

    /// Lets a character walk. Out of the range of coordinates, this is a no-op.
    pub fn walk(&self, mover: &Mover, character: &mut Character, seconds: f32) {
        let Ok(walk) = mover.walk(self.world, character, seconds, &Filter::ALL) else { return };
        self.tally.count(walk.contacts.len() + usize::from(character.is_on_ground()));
    }
}

impl Tally {
    fn count(&self, contacts: usize) {
        self.sweeps.set(self.sweeps.get() + 1);
        self.contacts.set(self.contacts.get() + contacts as u64);
    }
}

/// A walker's box; `None` beyond the range of coordinates of a world.
pub fn walker(center: Vec3) -> Option<Obb> {
    let [x, y, z] = HALF_EXTENTS.to_array();
    Obb::from_half_edges(center, [Vec3::X * x, Vec3::Y * y, Vec3::Z * z]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_world::{Object, narrowphase::Aabb};

    #[test]
    fn a_walker_is_stopped_and_walks_on_top() {
        let mut world = World::new();
        world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap()));
        let tally = Tally::default();
        let space = Space { world: &world, tally: &tally };
        let on_top = Vec3::new(0.0, 0.0, 5.0 + HALF_EXTENTS.z);
        let swept = space.sweep(on_top + Vec3::Z * 3.0, Vec3::Z * -9.0);
        assert_eq!(swept, Swept { center: on_top, normal: Some(Vec3::Z) });
        let mover = Mover { up: Vec3::Z, ..Mover::default() };
        let mut character = Character::new(walker(on_top).unwrap());
        space.walk(&mover, &mut character, 1.0);
        character.velocity = Vec3::new(3.0, 0.0, -1.0);
        space.walk(&mover, &mut character, 1.0);
        assert_eq!((character.position(), character.is_on_ground()), (on_top + Vec3::X * 3.0, true));
        assert_eq!((tally.sweeps.get(), tally.contacts.get()), (3, 3));
    }
}
