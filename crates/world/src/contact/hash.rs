//! Contacts as words of a hash.

use super::{ContactPair, PartContact, tracker::ContactTracker};
use crate::scene::hash::{Fold, Words, add_target};

impl ContactTracker {
    /// Returns a hash of the contacts of the last update, by which the peers of a lockstep game see that theirs are the
    /// same. It is the same for a clone and for what `ContactTracker::restore` returns, and may change with the version of
    /// this crate.
    ///
    /// ```
    /// # use cullide_world::{ContactTracker, Object, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// for i in 0..3 {
    ///     world.insert(Object::moving(Sphere::new(Vec3::X * 1.9 * i as f32, 1.0)?));
    /// }
    /// let mut contacts = ContactTracker::new();
    /// let before = contacts.hash();
    /// contacts.update(&mut world, 0.1, 0.02);
    /// assert_eq!(contacts.hash(), contacts.clone().hash());
    /// assert_ne!(contacts.hash(), before);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn hash(&self) -> u64 {
        let mut words = Fold::default();
        let (pairs, moving) = self.parts();
        for (number, pair) in pairs.iter() {
            words.add(number.into());
            add_pair(pair, &mut words);
        }
        words.add(moving.len() as u64);
        moving.iter().for_each(|key| words.add(key.to_bits()));
        words.finish()
    }
}

pub(crate) fn add_pair(pair: &ContactPair, words: &mut impl Words) {
    words.add(pair.first.to_bits());
    add_target(pair.second, words);
    words.add((pair.parts.len() as u64) << 2 | u64::from(pair.is_touching) << 1 | u64::from(pair.was_touching));
    for PartContact { first_part, part, manifold, impulses, .. } in &pair.parts {
        words.add(u64::from(*first_part) << 32 | u64::from(*part));
        words.add_vector(manifold.normal());
        words.add((manifold.points().len() as u64) << 32 | u64::from(manifold.distance().to_bits()));
        for point in manifold.points() {
            words.add_vector(point.from_first);
            words.add_vector(point.from_second);
            words.add(u64::from(point.separation.to_bits()) << 32 | u64::from(point.feature));
        }
        words.add_floats(impulses.normal);
        words.add_floats(impulses.across);
        words.add_floats([impulses.twist]);
        words.add_floats(impulses.rolling);
        words.add_floats(impulses.total);
    }
}
