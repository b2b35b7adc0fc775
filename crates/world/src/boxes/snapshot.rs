//! Bodies as a value, with everything that the next step starts from.

use super::{BoxStepper, body_state::BoxState, contacts::ContactHistory, wake::Resting};
use crate::{BoxBody, BoxContact, BoxStepConfig, ObjectKey, Target, World};
use cullide_narrowphase::{Error, Mapped, Obb, glam::Vec3};
use serde::{Deserialize, Serialize};

/// The state of a [`BoxStepper`] at one time: made by [`BoxStepper::snapshot`], for [`BoxStepper::restore`].
///
/// It can be written in any serde format that preserves numbers exactly, beside the [snapshot](World::snapshot) of its
/// world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoxStepperSnapshot {
    bodies: Vec<SavedBox>,
    /// The contacts of the last step.
    contacts: Vec<BoxContact>,
    settings: Option<Settings>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedBox {
    key: ObjectKey,
    body: BoxBody,
    pose: Obb,
    half_extents: Vec3,
    rests: bool,
}

/// The settings of the last step, as bits: a text format may have no infinities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    numbers: [u32; 8],
    max_touches: usize,
}

impl BoxStepper {
    /// Returns everything that the next step starts from, other than the world; see [`BoxStepper::restore`]. To go back
    /// within one program, clones of both are cheaper.
    ///
    /// Edits since the last step are saved as the next one would adopt them: an object that was removed is no longer a
    /// body.
    ///
    /// # Errors
    /// [`Error::OtherWorld`].
    pub fn snapshot(&self, world: &World) -> Result<BoxStepperSnapshot, Error> {
        self.check_world(world)?;
        let current = self.synced(world);
        let saved = |state: &BoxState| {
            let BoxState { key, body, pose, half_extents, rests, .. } = *state;
            SavedBox { key, body, pose, half_extents, rests }
        };
        Ok(BoxStepperSnapshot {
            bodies: current.bodies.iter().map(saved).collect(),
            contacts: current.contacts.now().to_vec(),
            settings: current.settings.map(Settings::new),
        })
    }

    /// Returns bodies that continue where others were saved, bit for bit, in the world that was saved with them and
    /// [restored](World::restore).
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a snapshot that does not belong to the world, or that was read from bytes that have
    /// been changed; whatever is returned can be stepped without a panic.
    ///
    /// ```
    /// use cullide_world::{BoxBody, BoxStepper, Object, BoxStepConfig, World, glam::Vec3, narrowphase::Aabb};
    /// let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// boxes.insert(&mut world, crate_, BoxBody::default())?;
    /// let config = BoxStepConfig::default();
    /// boxes.step(&mut world, 0.1, &config)?;
    /// let mut other = World::restore(&world.snapshot())?;
    /// let mut others = BoxStepper::restore(&boxes.snapshot(&world)?, &other)?;
    /// boxes.step(&mut world, 0.1, &config)?;
    /// others.step(&mut other, 0.1, &config)?;
    /// assert_eq!((&world, boxes.body(crate_)), (&other, others.body(crate_)));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn restore(snapshot: &BoxStepperSnapshot, world: &World) -> Result<Self, Error> {
        let inconsistent = |field| Err(Error::Inconsistent { field });
        let BoxStepperSnapshot { bodies, contacts, settings } = snapshot;
        let mut boxes = Self { world: Some(world.id), ..Self::default() };
        for &SavedBox { key, body, pose, half_extents, rests } in bodies {
            if world.object(key).is_none() {
                return inconsistent("key");
            }
            let state = BoxState { half_extents, rests, ..BoxState::new(key, body, pose) };
            let is_sized = half_extents.is_finite() && half_extents.min_element() >= 0.0;
            if !(body.is_finite() && is_sized) || rests && !state.is_still() {
                return inconsistent("body");
            }
            boxes.bodies.push(state);
        }
        if !bodies.is_sorted_by(|a, b| a.key < b.key) {
            return inconsistent("bodies");
        }
        let name = |contact: &BoxContact| (contact.body, contact.obstacle());
        if !contacts.iter().all(|contact| is_of(contact, world.id)) || !contacts.is_sorted_by(|a, b| name(a) < name(b))
        {
            return inconsistent("contacts");
        }
        boxes.contacts = ContactHistory::of(contacts);
        boxes.settings = settings.map(Settings::config);
        boxes.resting =
            boxes.settings.map_or(Resting::default(), |(dt, config)| Resting::of(&boxes.bodies, dt, &config));
        (boxes.edits_known, boxes.moves_known) = (Some(world.edits.serials()), world.edits.moves());
        Ok(boxes)
    }
}

/// Whether a contact names objects or planes of this world, which may have been removed since, and has a finite normal.
fn is_of(contact: &BoxContact, world: u32) -> bool {
    let target = match contact.target {
        Target::Object(key) => key.slot(world),
        Target::Plane(key) => key.slot(world),
    };
    contact.body.slot(world).is_some() && target.is_some() && contact.normal.is_finite()
}

impl Settings {
    fn new((dt, config): (f32, BoxStepConfig)) -> Self {
        let BoxStepConfig { gravity, skin, restitution_speed, rest_speed, max_recovery, max_touches } = config;
        let [x, y, z] = gravity.to_array();
        let numbers = [dt, x, y, z, skin, restitution_speed, rest_speed, max_recovery].mapped(f32::to_bits);
        Self { numbers, max_touches }
    }

    fn config(self) -> (f32, BoxStepConfig) {
        let [dt, x, y, z, skin, restitution_speed, rest_speed, max_recovery] = self.numbers.mapped(f32::from_bits);
        let (gravity, max_touches) = (Vec3::new(x, y, z), self.max_touches);
        (dt, BoxStepConfig { gravity, skin, restitution_speed, rest_speed, max_recovery, max_touches })
    }
}
