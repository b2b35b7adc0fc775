//! Rigid bodies as one number, to compare those of peers.

use crate::dynamics::{BodyState, Dynamics, body::materials::is_there};
use crate::{
    Mass, Material, RigidBody, Target, World,
    contact::hash::add_pair,
    scene::hash::{Fold, Words, add_target},
};
use cullide_narrowphase::Mapped;
use std::borrow::Cow;

impl Dynamics {
    /// Returns a hash of the state of the bodies: together with [`World::hash`] the checksum by which the peers of a
    /// lockstep game notice that they have diverged, in the step in which it shows.
    ///
    /// It covers bodies with their velocities, forces and sleep, contacts with their points and impulses, materials and
    /// ignored pairs, but not what is only kept to save work. It is the same after the same calls on any machine, for any number of threads, for a clone, and for what
    /// [`Dynamics::restore`] returns. Zero and minus zero differ. It may change with the version of this crate, and does
    /// not protect against somebody who constructs collisions.
    ///
    /// In a world of another [tag](World::with_tag), it is that of the bodies as the last step left them, without materials
    /// and ignored pairs.
    ///
    /// Costs O(bodies + contacts), and a clone if the world was edited since the last step.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody::dynamic())?;
    /// let mut peer = dynamics.clone();
    /// assert_eq!(dynamics.hash(&world), peer.hash(&world));
    /// peer.body_mut(&world, ball).unwrap().apply_impulse(Vec3::X, Vec3::ZERO)?;
    /// assert_ne!(dynamics.hash(&world), peer.hash(&world));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn hash(&self, world: &World) -> u64 {
        let current = self.synced(world);
        let mut words = Fold::default();
        for (number, state) in (0..).zip(&current.bodies) {
            if let Some(state) = state {
                words.add(number);
                add_state(state, &mut words);
            }
        }
        words.add(current.bodies.len() as u64);
        for (number, pair) in current.contacts.iter() {
            words.add(number.into());
            add_pair(pair, &mut words);
        }
        for ((target, _), material) in
            current.materials.of_targets.iter().filter(|((target, _), _)| is_there(world, *target))
        {
            add_target(*target, &mut words);
            add_material(material, &mut words);
        }
        for ((target, surface), material) in &current.materials.of_surfaces {
            if let Target::Object(key) = target
                && is_there(world, *target)
            {
                words.add(key.to_bits());
                words.add((*surface).into());
                add_material(material, &mut words);
            }
        }
        for pair in &current.ignored {
            if [pair.0, pair.1].iter().all(|key| is_there(world, (*key).into())) {
                words.add(pair.0.to_bits());
                words.add(pair.1.to_bits());
            }
        }
        let mut parted = current.parted.clone();
        parted.sort_unstable();
        for (key, target) in parted {
            words.add(key.to_bits());
            add_target(target, &mut words);
        }
        words.add(current.gravity.is_some().into());
        words.add_vector(current.gravity.unwrap_or_default());
        words.finish()
    }

    /// Returns the bodies with all edits since the last step adopted, as the next step will adopt them.
    pub(super) fn synced(&self, world: &World) -> Cow<'_, Self> {
        if !self.is_in(world) {
            return Cow::Borrowed(self);
        }
        let is_edited = self.edits_known.is_some_and(|known| known != world.edits.serials());
        if is_edited || self.bodies.iter().flatten().any(|state| !state.is_of(world)) {
            let mut synced = self.clone();
            synced.sync(&cullide_bvh::Team::alone(), world);
            return Cow::Owned(synced);
        }
        Cow::Borrowed(self)
    }
}

fn add_state(state: &BodyState, words: &mut impl Words) {
    words.add(state.key.to_bits());
    add_body(&state.body, words);
    let [linear, angular] = state.mean_velocities;
    let (motion, rotation) = (state.last_motion.motion, state.last_motion.rotation);
    for vector in [state.sizes, state.inverse_inertia, state.force, state.torque, linear, angular, motion, rotation] {
        words.add_vector(vector);
    }
    words.add_vector(state.lost.motion);
    words.add_vector(state.lost.rotation);
    words.add_floats([state.inverse_mass, state.credit, state.still_seconds, state.last_turning]);
    words.add(state.island.into());
    words.add_vector(state.reach.min());
    words.add_vector(state.reach.max());
}

fn add_body(body: &RigidBody, words: &mut impl Words) {
    let RigidBody { kind, mass, material, velocity, angular_velocity, .. } = body;
    let RigidBody { locked_translation, locked_rotation, can_sleep, is_sensor, .. } = *body;
    let [locked_translation, locked_rotation] =
        [locked_translation, locked_rotation].mapped(|axes| axes.bitmask() as u8);
    let flags = [*kind as u8, locked_translation, locked_rotation, can_sleep.into(), is_sensor.into(), 0, 0, 0];
    words.add(u64::from_le_bytes(flags));
    let (form, mass) = match *mass {
        Mass::Density(density) => (1, density),
        Mass::Total(total) => (0, total),
        Mass::Given { mass, center, inertia } => {
            words.add_vector(center);
            words.add_floats(inertia.to_cols_array());
            (2, mass)
        }
    };
    words.add(form << 32 | u64::from(mass.to_bits()));
    add_material(material, words);
    words.add_vector(*velocity);
    words.add_vector(*angular_velocity);
    words.add_floats([body.gravity_scale, body.linear_damping, body.angular_damping]);
}

fn add_material(material: &Material, words: &mut impl Words) {
    let Material { friction, restitution, rolling_resistance, surface_velocity } = *material;
    words.add_floats([friction, restitution, rolling_resistance]);
    words.add_vector(surface_velocity);
}
