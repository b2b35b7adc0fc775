//! Rigid bodies that meet: a solver over the world's contacts.
//!
//! ```text
//!   step   1  boxes of awake bodies, over where they may get -> pairs      near, contact::cache
//!          2  manifolds of pairs with an awake body                         near, contact::narrow
//!          3  bodies that are touched wake                                  near, islands
//!          4  velocities and positions, in sub-steps                        assemble, first_touch, axes, cluster,
//!                                                                           solver, groups, contact
//!          5  displacements, swept past what is fixed                       guard, passage, axes, obstacle, meeting, energy
//!          6  bodies that have been slow for long fall asleep together      islands
//! ```
//! Reading order: this file, what a caller has; [`step`]; then the files named above. [`body`] and [`config`] are
//! given, [`forces`] moves bodies from outside, [`materials`] is how they rub; [`state`] is a body between steps, [`roles`] what passes over pairs ask of it, [`pose`] where it is, [`rigid`]
//! where one of many faces or parts is; [`mass`] and [`moments`] are what it weighs, [`spin`] how it turns by itself;
//! [`walk`] leads characters among bodies, [`kinematic`] moves bodies by an animation.

pub(crate) mod body;
pub(crate) mod config;
pub(crate) mod mass;

mod assemble;
mod axes;
mod blocks;
mod cluster;
mod contact;
mod energy;
mod first_touch;
mod forces;
mod groups;
mod guard;
mod hash;
mod islands;
mod kinematic;
mod lanes;
mod materials;
mod meeting;
mod moments;
mod near;
mod obstacle;
mod passage;
mod pose;
mod rigid;
mod roles;
#[cfg(feature = "serde")]
mod snapshot;
mod solver;
mod spin;
mod state;
mod step;
mod walk;

use crate::{
    ContactPair, Mobility, ObjectKey, RigidBody, Target, World,
    contact::cache::{Changes, ContactCache},
};
use cullide_bvh::Helpers;
use cullide_narrowphase::{Error, glam::Vec3};
use islands::Islands;
use mass::MassProperties;
use materials::Materials;
use pose::BodyShape;
use solver::Solver;
use state::BodyState;
use std::collections::BTreeSet;

#[cfg(feature = "serde")]
pub use snapshot::DynamicsSnapshot;
pub use step::StepReport;

/// Rigid bodies of a [`World`]: boxes, balls, capsules, hulls, brushes and compounds of them that fall, stack, rub and
/// rebound.
///
/// Bodies are objects of the world, so that every query sees them; what they do to each other is kept here. A step moves
/// the objects, and nothing else does: bodies may be set elsewhere by edits of the world at any time.
///
/// Nothing fixed is ever entered: each body's displacement is swept, whatever the solver asks for. Bodies that are fast
/// for their size are stopped at each other as well.
///
/// What is fixed may be edited, and so put into bodies: these are pushed out as fast as
/// [`push_speed`](crate::DynamicsConfig::push_speed) says, get no deeper meanwhile, and do not fall asleep. Out of a surface, a
/// mesh or a terrain, they go to the side where their centre is; what a terrain was raised over falls.
///
/// The outcome depends neither on the number of threads nor on the instruction set.
///
/// ```
/// use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::Vec3, narrowphase::Aabb};
/// let mut world = World::new();
/// world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?));
/// let mut dynamics = Dynamics::new();
/// let crates = [0.5, 1.6, 2.7].map(|y| {
///     let shape = Aabb::from_center_half_extents(Vec3::Y * y, Vec3::splat(0.5)).unwrap();
///     let key = world.insert(Object::moving(shape));
///     dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap();
///     key
/// });
/// for _ in 0..180 {
///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default());
/// }
/// let height = world.object(crates[2]).unwrap().shape.aabb().min().y;
/// assert!((height - 2.0).abs() < 0.01 && dynamics.is_asleep(crates[2]), "{height}");
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
///
/// Sources: Catto, "Solver2D", 2024 (soft contacts in sub-steps); Mirtich, "Impulse-based Dynamic Simulation of Rigid
/// Body Systems", 1996 (conservative advancement).
#[derive(Clone, Debug, Default)]
pub struct Dynamics {
    bodies: Vec<Option<BodyState>>,
    free: Vec<u32>,
    /// The body of an object, by the index of its slot.
    by_object: Vec<u32>,
    contacts: ContactCache,
    changes: Changes,
    islands: Islands,
    materials: Materials,
    /// Pairs that do not meet.
    ignored: BTreeSet<(ObjectKey, ObjectKey)>,
    /// With more materials and ignored pairs than so many, those of what is gone are forgotten.
    remembered: usize,
    /// Edits that the last step knew: see [`Edits::serials`](crate::simulation::wake::Edits::serials).
    edits_known: Option<[u64; 2]>,
    /// That of the last step.
    gravity: Option<Vec3>,
    solver: Solver,
    report: step::Lists,
    helpers: Helpers,
    /// Pairs that touched when one of them was removed, for the next report.
    parted: Vec<(ObjectKey, Target)>,
}

/// No body.
const NONE: u32 = u32::MAX;

impl Dynamics {
    /// Without bodies.
    ///
    /// ```
    /// # use cullide_world::Dynamics;
    /// assert!(Dynamics::new().bodies().next().is_none());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an object a rigid body, or replaces its description; `false` for a stale key, which changes nothing.
    ///
    /// The object becomes [`Mobility::Moving`]; once it is made fixed again, it is no body from the next step on.
    /// [`World::step`] no longer moves it. A step makes an oriented box of an aligned one, and a
    /// [moved](cullide_narrowphase::Brush::moved) brush of a hull and of a box whose edges are not at right angles. Of a
    /// compound that is scaled it makes one whose children are scaled, each body its own.
    ///
    /// # Errors
    /// [`Error::NonFinite`] and [`Error::Negative`] with the number of the description that is; [`Error::NotPositive`]
    /// for its mass; [`Error::NotABox`] for an object that is no box, ball, capsule, brush or hull, nor a compound of
    /// these, for a brush too thin to be [moved](cullide_narrowphase::Brush::moved), and for a compound or a skewed box
    /// without a volume.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// assert!(dynamics.insert(&mut world, ball, RigidBody { velocity: Vec3::X, ..RigidBody::dynamic() })?);
    /// assert_eq!(dynamics.body(ball).unwrap().velocity, Vec3::X);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, world: &mut World, key: ObjectKey, body: RigidBody) -> Result<bool, Error> {
        let body = body.checked()?;
        let Some(object) = world.object(key) else { return Ok(false) };
        let not_a_body = Error::NotABox { field: "key" };
        let shape = BodyShape::new(&object.shape).ok_or(not_a_body)?;
        let mass = MassProperties::new(&shape, body.mass);
        if object.mobility != Mobility::Moving {
            world.set_mobility(key, Mobility::Moving);
        }
        world.remove_body(key);
        let state = BodyState::new(key, body, shape, mass);
        if let Some(at) = self.at(key) {
            self.wake_body(at);
            let pairs = self.bodies[at as usize].take().map(|old| old.pairs).unwrap_or_default();
            self.bodies[at as usize] = Some(BodyState { pairs, ..state });
            // Of a pair the dynamic one comes first, and this may be none any more.
            self.contacts.resync();
            return Ok(true);
        }
        // The slot may have been that of a body whose object was removed since the last step.
        if let Some(&at) = self.by_object.get(key.place()).filter(|at| **at != NONE) {
            self.remove(self.state(at).key);
        }
        let at = self.free.pop().unwrap_or(self.bodies.len() as u32);
        if at as usize == self.bodies.len() {
            self.bodies.push(None);
        }
        self.bodies[at as usize] = Some(state);
        let index = key.place();
        if self.by_object.len() <= index {
            self.by_object.resize(index + 1, NONE);
        }
        self.by_object[index] = at;
        // What was beside it may be a pair now.
        self.contacts.resync();
        Ok(true)
    }

    /// Makes a body an object that steps do not move, and returns its description with its last velocities.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody::dynamic())?;
    /// assert_eq!(dynamics.remove(ball), Some(RigidBody::dynamic()));
    /// assert_eq!(dynamics.remove(ball), None);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn remove(&mut self, key: ObjectKey) -> Option<RigidBody> {
        let at = self.at(key)?;
        self.wake_body(at);
        // The next step finds the pairs of what it was with others again.
        let mut changes = std::mem::take(&mut self.changes);
        changes.ended.clear();
        let pairs = std::mem::take(&mut self.state_mut(at).pairs);
        for number in pairs {
            let Some(pair) = self.contacts.get(number) else { continue };
            if let Target::Object(other) = pair.second {
                let name = crate::ObjectPair::new(pair.first, other);
                self.contacts.end(name, &mut changes);
            }
        }
        self.contacts.forget_planes(key, &mut changes);
        self.forget_ended(&changes);
        let touching = changes.ended.iter().filter(|(_, pair)| pair.is_touching);
        self.parted.extend(touching.map(|(_, pair)| (pair.first, pair.second)));
        self.changes = changes;
        self.contacts.resync();
        self.by_object[key.place()] = NONE;
        self.free.push(at);
        Some(self.bodies[at as usize].take()?.body)
    }

    /// The description of a body, with its velocities now; `None` for an object that is no body. One whose object was
    /// removed from the world is a body until the next step.
    pub fn body(&self, key: ObjectKey) -> Option<&RigidBody> {
        Some(&self.state(self.at(key)?).body)
    }

    /// All bodies.
    pub fn bodies(&self) -> impl Iterator<Item = (ObjectKey, &RigidBody)> {
        self.bodies.iter().flatten().map(|state| (state.key, &state.body))
    }

    /// Whether a body sleeps: it has rested for a while, and costs nothing until something touches or changes it.
    /// `false` for what is no body.
    pub fn is_asleep(&self, key: ObjectKey) -> bool {
        self.at(key).is_some_and(|at| !self.state(at).is_awake())
    }

    /// Wakes a body, and all that sleep together with it; `false` for what is no body.
    pub fn wake(&mut self, key: ObjectKey) -> bool {
        let at = self.at(key);
        at.inspect(|at| self.wake_body(*at)).is_some()
    }

    /// Keeps two bodies, or a body and an object, from meeting: as parts of one machine.
    pub fn ignore_pair(&mut self, first: ObjectKey, second: ObjectKey) {
        self.ignored.insert((first.min(second), first.max(second)));
        self.contacts.resync();
    }

    /// Lets two meet again, and wakes them; returns whether they did not.
    pub fn restore_pair(&mut self, first: ObjectKey, second: ObjectKey) -> bool {
        self.contacts.resync();
        let did_not = self.ignored.remove(&(first.min(second), first.max(second)));
        for at in [first, second].into_iter().filter(|_| did_not).filter_map(|key| self.at(key)).collect::<Vec<_>>() {
            self.wake_body(at);
        }
        did_not
    }

    /// The contacts of the last step: pairs that are near each other, with the points at which they touch or are about
    /// to.
    pub fn contacts(&self) -> impl Iterator<Item = &ContactPair> {
        self.contacts.iter().map(|(_, pair)| pair)
    }

    /// The contact of a body with another, in either order, or with an object or a plane: how two that a step reports as
    /// [`begun`](StepReport::begun) have met, see [`ContactPair::points`]. `None` for what is not near each other.
    pub fn contact(&self, first: ObjectKey, second: impl Into<Target>) -> Option<&ContactPair> {
        self.contacts.between(first, second.into())
    }

    fn at(&self, key: ObjectKey) -> Option<u32> {
        let at = *self.by_object.get(key.place())?;
        (at != NONE && self.state(at).key == key).then_some(at)
    }

    fn state(&self, at: u32) -> &BodyState {
        self.bodies[at as usize].as_ref().expect("a body of that number")
    }

    fn state_mut(&mut self, at: u32) -> &mut BodyState {
        self.bodies[at as usize].as_mut().expect("a body of that number")
    }

    /// The dynamic or kinematic body that a target is.
    fn body_of(&self, target: Target) -> Option<u32> {
        match target {
            Target::Object(key) => self.at(key),
            Target::Plane(_) => None,
        }
    }
}
