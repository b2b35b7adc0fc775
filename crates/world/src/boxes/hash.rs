//! Bodies as one number, to compare those of peers.

use super::{BoxStepper, body_state::BoxState};
use crate::{
    BoxBody, BoxContact, BoxStepConfig, Response, World,
    scene::hash::{Fold, Words, add_obb, add_target},
};

impl BoxStepper {
    /// Returns a hash of the state of the bodies: together with [`World::hash`] the checksum by which the peers of a
    /// lockstep game notice that they have diverged.
    ///
    /// It covers bodies with their motion and which of them rest, and the contacts and the settings of the last step. It
    /// is the same after the same calls on any machine, for any number of threads, for a clone, and for what
    /// [`BoxStepper::restore`] returns. Zero and minus zero differ. It may change with the version of this crate, and
    /// does not protect against somebody who constructs collisions.
    ///
    /// In a world of another [tag](World::with_tag), it is that of the bodies as the last step left them.
    ///
    /// Costs O(bodies + contacts), and a clone if the world was edited since the last step.
    ///
    /// ```
    /// # use cullide_world::{BoxBody, BoxStepper, Object, World, glam::Vec3, narrowphase::Aabb};
    /// let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// boxes.insert(&mut world, crate_, BoxBody::default())?;
    /// let mut peer = boxes.clone();
    /// assert_eq!(boxes.hash(&world), peer.hash(&world));
    /// peer.insert(&mut world, crate_, BoxBody { gravity_scale: 0.5, ..BoxBody::default() })?;
    /// assert_ne!(boxes.hash(&world), peer.hash(&world));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn hash(&self, world: &World) -> u64 {
        let current = self.synced(world);
        let mut words = Fold::default();
        words.add(current.bodies.len() as u64);
        for BoxState { key, body, half_extents, pose, rests, .. } in &current.bodies {
            words.add(key.to_bits());
            add_body(body, &mut words);
            words.add_vector(*half_extents);
            add_obb(pose, &mut words);
            words.add(u64::from(*rests));
        }
        words.add(current.contacts.now().len() as u64);
        current.contacts.now().iter().for_each(|contact| add_contact(contact, &mut words));
        words.add(current.settings.is_some().into());
        if let Some((dt, config)) = &current.settings {
            words.add(dt.to_bits().into());
            add_config(config, &mut words);
        }
        words.finish()
    }
}

fn add_body(body: &BoxBody, words: &mut impl Words) {
    let BoxBody { velocity, angular_velocity, response, gravity_scale } = *body;
    let (kind, restitution, friction) = match response {
        Response::Stop => (0, 0.0, 0.0),
        Response::Slide => (1, 0.0, 0.0),
        Response::Bounce { restitution, friction } => (2, restitution, friction),
    };
    words.add_vector(velocity);
    words.add_vector(angular_velocity);
    words.add(kind);
    words.add_floats([restitution, friction, gravity_scale]);
}

fn add_contact(contact: &BoxContact, words: &mut impl Words) {
    let BoxContact { body, target, part, normal, contacts } = contact;
    words.add(body.to_bits());
    add_target(*target, words);
    words.add((*part).into());
    words.add_vector(*normal);
    words.add((contacts.points().len() as u64) << 32 | u64::from(contacts.id().mask()));
    for (point, separation) in contacts.points().iter().zip(contacts.separations()) {
        words.add_vector(*point);
        words.add(separation.to_bits().into());
    }
}

fn add_config(config: &BoxStepConfig, words: &mut impl Words) {
    let BoxStepConfig { gravity, skin, restitution_speed, rest_speed, max_recovery, max_touches } = *config;
    words.add_vector(gravity);
    words.add_floats([skin, restitution_speed, rest_speed, max_recovery]);
    words.add(max_touches as u64);
}
