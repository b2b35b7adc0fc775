//! Rigid bodies that collide: a solver over the world's contacts.
//!
//! ```text
//!   step        1  boxes of awake bodies, over where they may get -> pairs      pairs/near, contact::cache
//!               2  manifolds of pairs with an awake body                         pairs/near, contact::narrow
//!               3  bodies that are touched wake                                  pairs/near, islands
//!   solver      4  velocities and positions, in sub-steps
//!   continuous  5  displacements, swept past what is fixed and what is fast
//!   islands     6  bodies that have been slow for long fall asleep together
//! ```
//! Reading order: this file (what a caller sees), [`step`], then the folders, each of which says what its files do:
//! [`body`] is a body and what can be done to it, [`pairs`] what bodies are near, [`solver`] what they do to each other,
//! [`continuous`] how far they get. Each owns the lists that it fills in a step. [`islands`] puts bodies to sleep,
//! [`walk`] moves characters among bodies, [`hash`] compares bodies, [`snapshot`] saves them.

pub(crate) mod body;
pub(crate) mod config;

mod continuous;
mod hash;
mod islands;
mod pairs;
mod report;
mod sets;
#[cfg(feature = "serde")]
mod snapshot;
mod solver;
mod step;
mod walk;

use crate::{
    ContactPair, Mobility, ObjectKey, RigidBody, Target, World,
    contact::{
        cache::{Changes, ContactCache},
        free_numbers::FreeNumbers,
    },
    scene::edit_log::EditSerials,
};
use body::{mass::MassProperties, materials::Materials, pose::BodyShape, state::BodyState};
use cullide_bvh::Helpers;
use cullide_narrowphase::{Error, glam::Vec3};
use islands::Islands;
use solver::Solver;
use std::collections::BTreeSet;

pub use body::body_ref::{BodyMut, BodyRef};
pub use report::StepReport;
#[cfg(feature = "serde")]
pub use snapshot::DynamicsSnapshot;

/// The rigid bodies of a [`World`]: boxes, balls, capsules, cylinders, hulls, brushes and compounds of them that fall, stack, rub
/// and rebound, and meshes and terrains that carry and push them.
///
/// Bodies are objects of the world, so that every query sees them; how they affect each other is kept here. Only steps
/// move the objects on their own; edits of the world may place bodies elsewhere at any time.
///
/// No body ever enters anything fixed: each displacement is swept, whatever the solver asks for. Bodies that are fast
/// for their size are stopped at each other as well.
///
/// Edits may put fixed things into bodies: these are then pushed out as fast as
/// [`push_speed`](crate::DynamicsConfig::push_speed) says, get no deeper meanwhile, and do not fall asleep. Out of a
/// surface, that is a mesh or a terrain, they are pushed to the side on which their centre is; a body over which a
/// terrain was raised falls.
///
/// Gates, lifts and ships that move are kinematic bodies ([`BodyMut::move_kinematic`]): they push what is in their way
/// at any speed, and only these may be meshes or terrains. A thin one that crushes a body against something much heavier
/// may pass over it. What is moved by [`ObjectMut::set_transform`](crate::ObjectMut::set_transform) alone pushes bodies out as an edit does, whatever its
/// [velocity](crate::ObjectMut::set_velocity), and when it is faster than `push_speed` it passes over them.
///
/// Coordinates are `f32`. With the preset skin, a millimetre, bodies lie still and fall asleep within some 4,000 units of
/// the origin; beyond 8,000, where a step of `f32` is as long as the skin, some capsules and balls no longer do. Move the
/// origin of the scene, or take a larger skin. Nothing fixed is entered however far out a body is, and what rounding takes
/// from its motion is made up for in the next step, so that it goes as fast as its velocity says.
///
/// Of many bodies in one place, as a spawner may put them there, each is pushed out of some others at a time.
///
/// All bodies are in one world, that of the first: with a world of another [tag](World::with_tag), steps and edits return
/// [`Error::OtherWorld`] and change nothing. Its clones and what is [restored](World::restore) from it have its tag.
///
/// The outcome depends neither on the number of threads nor on the instruction set, but on all bodies of a world: others,
/// even far away, change the order in which contacts are solved.
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
///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
/// }
/// let height = world.object(crates[2]).unwrap().shape.aabb().min().y;
/// assert!((height - 2.0).abs() < 0.01 && dynamics.body(crates[2]).unwrap().is_asleep(), "{height}");
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
///
/// Sources: Catto, "Solver2D", 2024 (soft contacts in sub-steps); Mirtich, "Impulse-based Dynamic Simulation of Rigid
/// Body Systems", 1996 (conservative advancement).
#[derive(Clone, Debug, Default)]
pub struct Dynamics {
    /// The tag of the world of the bodies, once there has been one.
    world: Option<u32>,
    bodies: Vec<Option<BodyState>>,
    /// Numbers of bodies to be reused.
    free: FreeNumbers,
    /// Those of bodies that were removed, or found gone, since the last step: free from the next one on, so that it does
    /// not matter when they were found.
    released: Vec<u32>,
    /// The body of an object, by the index of the object's slot.
    by_object: Vec<u32>,
    contacts: ContactCache,
    changes: Changes,
    islands: Islands,
    materials: Materials,
    /// Pairs that do not meet; the first key is the smaller one.
    ignored: BTreeSet<(ObjectKey, ObjectKey)>,
    /// With more materials and ignored pairs than this, those of removed things are forgotten.
    remembered: usize,
    /// The edits known to the last step.
    edits_known: Option<EditSerials>,
    /// The gravity of the last step.
    gravity: Option<Vec3>,
    solver: Solver,
    lists: step::Lists,
    helpers: Helpers,
    /// Pairs that touched when one of them was removed, for the next report.
    parted: Vec<(ObjectKey, Target)>,
}

/// No body.
const NONE: u32 = u32::MAX;

/// Of more bodies that were removed since the last step, the numbers are reused at once: there may be no steps.
const MOST_RELEASED: usize = 1 << 16;

impl Dynamics {
    /// Returns dynamics without bodies.
    ///
    /// ```
    /// # use cullide_world::Dynamics;
    /// assert!(Dynamics::new().bodies().next().is_none());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an object a rigid body, or replaces its description. The description that a body [has](Dynamics::body)
    /// already changes nothing.
    ///
    /// Its [`ObjectRef::transform`](crate::ObjectRef::transform) says where steps have moved the shape as it was given, which for a compound, a hull or a
    /// mesh that was given in place begins with the identity: the place of its mass is [`BodyRef::mass`].
    ///
    /// The object becomes [`Mobility::Moving`]; if it is made fixed again, it is no longer a body from the next step
    /// on. [Remove](crate::BoxStepper::remove) it from a `BoxStepper` first. A step replaces an aligned box by an oriented one, and a
    /// hull, or a box whose edges are not at right angles, by a [moved](cullide_narrowphase::Brush::moved) brush. It
    /// replaces a scaled compound by one with scaled children, a separate one for each body, and a triangle or a patch by
    /// a mesh.
    ///
    /// # Errors
    /// [`Error::NonFinite`] and [`Error::Negative`] with the number of the description that is; [`Error::NotPositive`]
    /// for its mass; [`Error::OutOfRange`] and [`Error::NotAnInertia`] for a [given](crate::Mass::Given) centre or
    /// inertia; [`Error::NotABody`] for an object that is not a box, ball, capsule, cylinder, brush or hull, nor
    /// a compound of these, for a brush too thin to be [moved](cullide_narrowphase::Brush::moved), and for a compound or a skewed
    /// box without a volume. A kinematic body may also be a mesh, a terrain, a triangle, a patch, or a compound of any
    /// shapes.
    /// [`Error::StaleKey`], [`Error::OtherWorld`]. Then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody { velocity: Vec3::X, ..RigidBody::dynamic() })?;
    /// assert_eq!(dynamics.body(ball).unwrap().velocity, Vec3::X);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, world: &mut World, key: ObjectKey, body: RigidBody) -> Result<(), Error> {
        self.check_world(world)?;
        let body = body.checked()?;
        if world.object(key).is_none() {
            return Err(Error::StaleKey { field: "key" });
        }
        let not_a_body = Error::NotABody { field: "key" };
        let shape = BodyShape::of(world, key, &body, None).ok_or(not_a_body)?;
        let mass = MassProperties::new(&shape, body.mass);
        self.world = Some(world.id);
        if let Some(mut object) = world.object_mut(key) {
            object.set_mobility(Mobility::Moving);
        }
        let state = BodyState::new(key, body, shape, mass);
        if let Some(at) = self.at(key) {
            if self.state(at).body == body && self.state(at).is_of(world) {
                return Ok(());
            }
            self.wake_body(at);
            if !state.is_dynamic() {
                self.part_from_planes(key);
            }
            let pairs = self.bodies[at as usize].take().map(|old| old.pairs).unwrap_or_default();
            self.bodies[at as usize] = Some(BodyState { pairs, ..state });
            // A pair lists its dynamic body first, and this one may no longer be dynamic.
            self.contacts.resync();
            return Ok(());
        }
        // The slot may have been that of a body whose object was removed since the last step.
        if let Some(&at) = self.by_object.get(key.place()).filter(|at| **at != NONE) {
            self.remove(self.state(at).key);
        }
        if self.released.len() > MOST_RELEASED {
            self.free.extend(self.released.drain(..));
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
        // Objects beside it may form pairs with it now.
        self.contacts.resync();
        Ok(())
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
        // The next step finds the pairs of the object with other bodies again.
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
        self.part_from_all(changes);
        self.part_from_planes(key);
        self.contacts.resync();
        self.by_object[key.place()] = NONE;
        self.released.push(at);
        Some(self.bodies[at as usize].take()?.body)
    }

    /// Ends the pairs of a body with planes.
    fn part_from_planes(&mut self, key: ObjectKey) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.ended.clear();
        self.contacts.forget_planes(key, &mut changes);
        self.part_from_all(changes);
    }

    /// Forgets pairs that have ended between steps, for the next report.
    fn part_from_all(&mut self, changes: Changes) {
        self.forget_ended(&changes);
        let touching = changes.ended.iter().filter(|(_, pair)| pair.is_touching);
        self.parted.extend(touching.map(|(_, pair)| (pair.first, pair.second)));
        self.changes = changes;
    }

    /// Keeps two bodies, or a body and another object, from colliding, for example because they are parts of one
    /// machine.
    ///
    /// # Errors
    /// [`Error::StaleKey`], [`Error::OtherWorld`]. Then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Object, World, glam::Vec3, narrowphase::{Error, Sphere}};
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let [arm, hand] = [0.0, 1.0].map(|x| world.insert(Object::moving(Sphere::new(Vec3::X * x, 1.0).unwrap())));
    /// dynamics.ignore_pair(&world, arm, hand)?;
    /// world.remove(hand);
    /// assert_eq!(dynamics.ignore_pair(&world, arm, hand), Err(Error::StaleKey { field: "second" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ignore_pair(&mut self, world: &World, first: ObjectKey, second: ObjectKey) -> Result<(), Error> {
        self.check_there(world, first.into(), "first")?;
        self.check_there(world, second.into(), "second")?;
        if self.ignored.insert((first.min(second), first.max(second))) {
            self.contacts.resync();
        }
        Ok(())
    }

    /// Lets two objects collide again, and wakes them; returns whether they were being kept from it.
    pub fn restore_pair(&mut self, first: ObjectKey, second: ObjectKey) -> bool {
        self.contacts.resync();
        let did_not = self.ignored.remove(&(first.min(second), first.max(second)));
        for at in [first, second].into_iter().filter(|_| did_not).filter_map(|key| self.at(key)).collect::<Vec<_>>() {
            self.wake_body(at);
        }
        did_not
    }

    /// Returns the contacts of the last step: pairs that are near each other, with the points at which they touch or
    /// are about to touch.
    pub fn contacts(&self) -> impl Iterator<Item = &ContactPair> {
        self.contacts.iter().map(|(_, pair)| pair)
    }

    /// Returns the contact of a body with another, in either order, or with an object or a plane; `None` if they are
    /// not near each other. It tells how two that a step reports as [`begun`](StepReport::begun) have met: see
    /// [`ContactPair::points`].
    pub fn contact(&self, first: ObjectKey, second: impl Into<Target>) -> Option<&ContactPair> {
        self.contacts.between(first, second.into())
    }

    /// Checks that a world is that of the bodies, or that there have been none.
    fn check_world(&self, world: &World) -> Result<(), Error> {
        if self.is_in(world) { Ok(()) } else { Err(Error::OtherWorld { field: "world" }) }
    }

    /// Whether the bodies are in a world, or there have been none.
    #[doc(hidden)]
    pub fn is_in(&self, world: &World) -> bool {
        self.world.is_none_or(|known| known == world.id)
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

    /// The number of the dynamic or kinematic body that a target is.
    fn body_of(&self, target: Target) -> Option<u32> {
        match target {
            Target::Object(key) => self.at(key),
            Target::Plane(_) => None,
        }
    }
}
