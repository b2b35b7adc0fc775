//! Boxes that move through the level, each on its own: they meet what is not one of them.
//!
//! ```text
//!   step   1  edits of the world since the last one are adopted, and wake bodies     wake
//!          2  every body that does not rest, on any number of threads:               step, body_step
//!             velocity += gravity dt
//!             sweep, turning, to the first touch                                     body_step
//!             what else it touches there, and its response                           surfaces, rigid
//!             go on for the remaining time
//!          3  shapes, velocities and contacts are written in the order of keys       step, contacts
//! ```
//! Reading order: this file (what a caller sees), then the files named above. [`body`] and [`config`] are the input,
//! [`body_state`] is a body between steps, and when it rests; [`hash`] compares bodies, [`snapshot`] saves them.

pub(crate) mod body;
pub(crate) mod config;
pub(crate) mod contacts;

mod body_state;
mod body_step;
mod hash;
mod rigid;
#[cfg(feature = "serde")]
mod snapshot;
mod step;
mod surfaces;
mod wake;

use crate::{
    BoxBody, BoxContact, BoxStepConfig, BoxStepEvents, Mobility, ObjectKey, World, scene::edit_log::EditSerials,
    shape::oriented,
};
use body_state::BoxState;
use contacts::ContactHistory;
use cullide_narrowphase::Error;
#[cfg(feature = "serde")]
pub use snapshot::BoxStepperSnapshot;
use wake::Resting;

/// Boxes of a [`World`] that fall, slide, bounce and come to rest on the level, and pass through each other.
///
/// These bodies are objects of the world, so that every query sees them. Steps move the objects; edits of the world may
/// give a body another shape, pose or [velocity](crate::ObjectMut::set_velocity) at any time, which its next step starts from. An
/// object that is removed from the world is no longer a body from the next step on.
///
/// Each body moves and turns until it touches a plane or an object in a layer that it pairs with, responds as its
/// [`Response`](crate::Response) says, and goes on. A body never passes through anything, however fast it is, and at the
/// end of a step it penetrates nothing that it did not penetrate before. Objects that are not bodies of this value carry
/// it, whether they are fixed or moving: a lift that the caller has moved into a body pushes it out, by at most
/// [`BoxStepConfig::max_recovery`] per step, and gravity makes it follow a lift that goes down. Bodies do not stop each
/// other: [`World::update_pairs`] reports which of them are going to meet, for the caller to solve. Boxes that push and
/// stack are rigid bodies, of `Dynamics`. An object is a body of one or the other: if it is inserted into both, both
/// move it.
///
/// Once a step leaves a body exactly as it was, contacts included, the next steps skip it until something is edited that
/// matters to it, or other steps move something: bodies that lie still cost next to nothing, and behave as if they were
/// moved.
///
/// All bodies are in one world, that of the first: with a world of another [tag](World::with_tag), steps and edits
/// return [`Error::OtherWorld`] and change nothing. Its clones and what is [restored](World::restore) from it have its
/// tag. To go back in time, keep a clone of this value beside that of the world.
///
/// The outcome depends neither on the number of threads, nor on the order of inserts, nor on other bodies.
///
/// ```
/// use cullide_world::{BoxBody, BoxStepper, Object, Response, BoxStepConfig, World, narrowphase::{Aabb, Plane}, glam::Vec3};
/// let mut world = World::new();
/// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
/// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::Y * 2.0, Vec3::new(1.0, 3.0, 1.0))?));
/// let mut boxes = BoxStepper::new();
/// let response = Response::Bounce { restitution: 0.2, friction: 0.5 };
/// boxes.insert(&mut world, crate_, BoxBody { response, ..BoxBody::default() })?;
/// for _ in 0..200 {
///     boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig::default())?;
/// }
/// let height = world.object(crate_).unwrap().shape.aabb().min().y;
/// assert!((0.0..0.01).contains(&height) && boxes.body(crate_).unwrap().velocity == Vec3::ZERO);
/// assert_eq!(boxes.contacts()[0].target, floor.into());
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BoxStepper {
    /// The tag of the world of the bodies, once there has been one.
    world: Option<u32>,
    /// In the order of their keys.
    bodies: Vec<BoxState>,
    /// Which objects are bodies: a bit for each index of a slot.
    members: Vec<u64>,
    /// Whether there are moving objects that are not bodies; `None` if that, and the members, have to be found out.
    any_carriers: Option<bool>,
    contacts: ContactHistory,
    resting: Resting,
    /// The duration and the settings of the last step.
    settings: Option<(f32, BoxStepConfig)>,
    /// The edits known to the last step.
    edits_known: Option<EditSerials>,
    /// The number of steps, of whatever moves in the world, after the last one of this.
    moves_known: u64,
}

impl BoxStepper {
    /// Returns a stepper without bodies.
    ///
    /// ```
    /// # use cullide_world::BoxStepper;
    /// assert!(BoxStepper::new().bodies().next().is_none());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an object a body, or changes the motion of a body, and returns the previous motion: for an object that was
    /// not a body, the default one with its [velocity](crate::ObjectRef::velocity). The motion that a body has
    /// already changes nothing.
    ///
    /// The object becomes [`Mobility::Moving`]. Its shape may still be set, also to another size; while it is not a
    /// box, or is fixed again, steps leave it where it is. A step replaces an [`Aabb`](crate::Shape::Aabb) by an
    /// [`Obb`](crate::Shape::Obb).
    ///
    /// # Errors
    /// [`Error::NonFinite`]; [`Error::NotABody`] for an object that is neither a [`Shape::Aabb`](crate::Shape::Aabb) nor
    /// a [`Shape::Obb`](crate::Shape::Obb); [`Error::StaleKey`]; [`Error::OtherWorld`]. Then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{BoxBody, BoxStepper, Object, World, narrowphase::{Aabb, Error, Sphere}, glam::Vec3};
    /// let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?));
    /// let pushed = BoxBody { velocity: Vec3::X, ..BoxBody::default() };
    /// assert_eq!(boxes.insert(&mut world, crate_, pushed)?, BoxBody::default());
    /// assert_eq!(boxes.body(crate_), Some(pushed));
    ///
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert_eq!(boxes.insert(&mut world, ball, pushed), Err(Error::NotABody { field: "key" }));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, world: &mut World, key: ObjectKey, body: BoxBody) -> Result<BoxBody, Error> {
        self.check_world(world)?;
        if !body.is_finite() {
            return Err(Error::NonFinite { field: "body" });
        }
        let (Some(slot), Some(object)) = (key.slot(world.id), world.object(key)) else {
            return Err(Error::StaleKey { field: "key" });
        };
        let pose = oriented(&object.shape).ok_or(Error::NotABody { field: "key" })?;
        let place = self.find(key);
        let mut old = place.map_or_else(|_| BoxState::new(key, BoxBody::default(), pose), |at| self.bodies[at]);
        old.adopt_velocity(object.velocity());
        if place.is_ok() && (old.body, old.pose) == (body, pose) && object.mobility == Mobility::Moving {
            return Ok(body);
        }
        let state = BoxState::new(key, body, pose);
        match place {
            Ok(at) => self.bodies[at] = state,
            Err(at) => {
                self.bodies.insert(at, state);
                // Others may have rested on it so far.
                world.log_object(slot);
            }
        }
        (self.world, self.any_carriers) = (Some(world.id), None);
        if let Some(mut object) = world.object_mut(key) {
            object.set_mobility(Mobility::Moving);
            object.set_velocity(body.velocity)?;
        }
        Ok(old.body)
    }

    /// Makes a body an object that steps do not move, and returns its motion; `None` for an object that is not a body.
    ///
    /// The object stays [`Mobility::Moving`], where it is and with its velocity: bodies meet it from then on.
    ///
    /// ```
    /// # use cullide_world::{BoxBody, BoxStepper, Object, World, narrowphase::{Aabb, Error}, glam::Vec3};
    /// let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?));
    /// boxes.insert(&mut world, crate_, BoxBody::default())?;
    /// assert_eq!(boxes.remove(crate_), Some(BoxBody::default()));
    /// assert!(boxes.bodies().next().is_none() && world.object(crate_).is_some());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn remove(&mut self, key: ObjectKey) -> Option<BoxBody> {
        let at = self.find(key).ok()?;
        let state = self.bodies.remove(at);
        self.any_carriers = None;
        self.wake_beside(&state.pose.aabb());
        Some(state.body)
    }

    /// Returns the motion of a body as its last step left it, or as it was inserted since; `None` for an object that is
    /// not a body. A body whose object was removed from the world remains one until the next step.
    pub fn body(&self, key: ObjectKey) -> Option<BoxBody> {
        self.find(key).ok().map(|at| self.bodies[at].body)
    }

    /// Returns all bodies with their motion, in the order of their keys.
    pub fn bodies(&self) -> impl Iterator<Item = (ObjectKey, &BoxBody)> {
        self.bodies.iter().map(|state| (state.key, &state.body))
    }

    /// Returns the contacts of the last step, begun and persisting ones together, ordered by body, then by target.
    pub fn contacts(&self) -> &[BoxContact] {
        self.contacts.now()
    }

    /// Returns the events of the last step again; none before the first step, and after [`BoxStepper::restore`].
    ///
    /// ```
    /// # use cullide_world::{BoxBody, BoxStepper, Object, BoxStepConfig, World, narrowphase::Aabb, glam::Vec3};
    /// let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    /// let [crate_, other] = [0.0, 9.0].map(|x| {
    ///     world.insert(Object::moving(Aabb::new(Vec3::X * x, Vec3::new(x + 1.0, 1.0, 1.0)).unwrap()))
    /// });
    /// boxes.insert(&mut world, crate_, BoxBody { velocity: Vec3::Z, gravity_scale: 0.0, ..BoxBody::default() })?;
    /// boxes.insert(&mut world, other, BoxBody { gravity_scale: 0.0, ..BoxBody::default() })?;
    /// boxes.step(&mut world, 0.5, &BoxStepConfig::default())?;
    /// assert_eq!(boxes.events().moved, [crate_]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn events(&self) -> BoxStepEvents<'_> {
        self.contacts.events()
    }

    /// Checks that a world is that of the bodies, or that there have been none.
    fn check_world(&self, world: &World) -> Result<(), Error> {
        let is_known = self.world.is_none_or(|known| known == world.id);
        if is_known { Ok(()) } else { Err(Error::OtherWorld { field: "world" }) }
    }

    /// The index of a body, or that at which it would be inserted.
    fn find(&self, key: ObjectKey) -> Result<usize, usize> {
        self.bodies.binary_search_by_key(&key, |state| state.key)
    }

    /// Whether an object of the world is a body, as of the last [`sync`](Self::sync).
    fn is_body(&self, key: ObjectKey) -> bool {
        let place = key.place();
        self.members.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}
