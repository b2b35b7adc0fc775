//! One step of all moving boxes.
//!
//! ```text
//!   every body:  velocity += gravity dt
//!                sweep, turning, to the first touch  -> rebound, slide or stop there -> go on for the remaining time
//!   all bodies:  shapes, velocities and contacts, written in the order of keys
//! ```
//! Bodies meet everything that is not a body: planes, fixed objects, and moving ones, such as lifts, where the caller
//! has put them. Bodies that come near each other are the pairs of [`World::update_pairs`], for the caller to solve.
//! The path of a body therefore depends neither on other bodies, nor on the order or the thread in which it is
//! computed.

use crate::{
    Body, Contact, Filter, Mobility, Object, ObjectKey, Shape, StepEvents, World,
    scene::{slot_map::Slot, world::Entry},
    simulation::body_state::{BodyState, oriented},
    simulation::body_step::BodyStep,
    simulation::contacts::take_those_of,
    simulation::wake::Resting,
    tuning,
};
use cullide_narrowphase::{
    Error, Obb,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// Settings of a step. The presets are those of [`Self::default`], for metres and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepConfig {
    /// Acceleration by gravity, in units per second squared; preset (0, −9.81, 0).
    pub gravity: Vec3,
    /// A length: bodies stop up to this far from what they touch. A thousandth of a body's size is not visible, and
    /// saves time. Preset: 0.001.
    pub skin: f32,
    /// In units per second: slower approaches do not rebound, so that bodies come to rest. Preset: 0.5.
    pub restitution_speed: f32,
    /// In units per second: a touching body is stopped if all its points move slower than this after a contact, so that
    /// it neither drifts nor jitters. It should be less than what gravity adds in a step. Preset: 0.01.
    pub rest_speed: f32,
    /// The farthest that a step pushes a body out of what it overlaps at the start. Preset: 0.2.
    pub max_recovery: f32,
    /// The limit on the touches of a body in a step. When it is reached, the body stays where it is until the next
    /// step, which is safe. The same happens when its [`Budget`](cullide_narrowphase::Budget) is spent, for example if
    /// it turns thousands of times a second close to many objects. If more than half of the
    /// step is left then, the body slows down by that share, unless its restitution is 1 or more. Preset: 16.
    pub max_touches: usize,
}

impl Default for StepConfig {
    /// The settings for metres and seconds; see [`Self::in_units`].
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            skin: 1e-3,
            restitution_speed: 0.5,
            rest_speed: 0.01,
            max_recovery: 0.2,
            max_touches: 16,
        }
    }
}

impl StepConfig {
    /// The same settings in smaller units, `units` of which make one of the present ones: 100 centimetres make a metre.
    ///
    /// ```
    /// # use cullide_world::StepConfig;
    /// let centimetres = StepConfig::default().in_units(100.0);
    /// assert_eq!((centimetres.skin, centimetres.max_recovery), (0.1, 20.0));
    /// ```
    #[must_use]
    pub fn in_units(self, units: f32) -> Self {
        Self {
            gravity: self.gravity * units,
            skin: self.skin * units,
            restitution_speed: self.restitution_speed * units,
            rest_speed: self.rest_speed * units,
            max_recovery: self.max_recovery * units,
            max_touches: self.max_touches,
        }
    }
}

/// The number of bodies that one task moves: some ten microseconds of work.
const GROUP: usize = 32;

impl World {
    /// Makes an object a body that [`World::step`] moves, or changes the motion of a body, and returns the previous
    /// motion: for an object that was not a body, the default one with its [velocity](World::velocity). Returns `None`
    /// for a stale key, and then changes nothing.
    ///
    /// The object becomes [`Mobility::Moving`]. Its shape may still be set, also to another size; while it is not a
    /// box, or is fixed again, steps leave it where it is.
    ///
    /// # Errors
    /// [`Error::NonFinite`]; [`Error::NotABox`] for an object that is neither a [`Shape::Aabb`] nor a [`Shape::Obb`],
    /// which then does not become a body.
    ///
    /// ```
    /// # use cullide_world::{Body, Object, World, narrowphase::{Aabb, Error, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?));
    /// let pushed = Body { velocity: Vec3::X, ..Body::default() };
    /// assert_eq!(world.set_body(crate_, pushed)?, Some(Body::default()));
    /// assert_eq!(world.body(crate_), Some(pushed));
    ///
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert_eq!(world.set_body(ball, pushed), Err(Error::NotABox { field: "key" }));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_body(&mut self, key: ObjectKey, body: Body) -> Result<Option<Body>, Error> {
        if !body.is_finite() {
            return Err(Error::NonFinite { field: "body" });
        }
        let Some(slot) = key.slot(self.id) else { return Ok(None) };
        let Some(entry) = self.objects.get(slot) else { return Ok(None) };
        let obb = oriented(&entry.object.shape).ok_or(Error::NotABox { field: "key" })?;
        let known = self.bodies.binary_search_by_key(&slot, |state| state.slot).map(|at| &self.bodies[at]);
        if known.is_ok_and(|state| state.body == body && state.pose == obb) && entry.object.mobility == Mobility::Moving
        {
            return Ok(Some(body));
        }
        // Others may have rested on it so far.
        self.wake_near_object(slot);
        self.become_body(slot);
        let state = BodyState::new(slot, body, obb);
        let old = match self.bodies.binary_search_by_key(&slot, |state| state.slot) {
            Ok(at) => Some(std::mem::replace(&mut self.bodies[at], state).body),
            Err(at) => {
                self.bodies.insert(at, state);
                None
            }
        };
        self.set_mobility(key, Mobility::Moving);
        let velocity = self.set_velocity(key, body.velocity)?;
        Ok(old.or_else(|| Some(Body { velocity: velocity?, ..Body::default() })))
    }

    fn become_body(&mut self, slot: Slot) {
        let entry = &mut self.objects[slot];
        self.carriers -= usize::from(entry.is_carrier());
        entry.is_body = true;
    }

    /// Returns the motion of a body; `None` for a stale key and for an object that is not a body.
    pub fn body(&self, key: ObjectKey) -> Option<Body> {
        let slot = key.slot(self.id)?;
        let at = self.bodies.binary_search_by_key(&slot, |state| state.slot).ok()?;
        Some(self.bodies[at].body)
    }

    /// Returns all bodies with their motion, in the order of their keys.
    pub fn bodies(&self) -> impl Iterator<Item = (ObjectKey, &Body)> {
        self.bodies.iter().map(|state| (self.key_of(state), &state.body))
    }

    /// Returns the contacts of the last step, begun and persisting ones together, ordered by body, then by target.
    pub fn contacts(&self) -> &[Contact] {
        self.contact_history.now()
    }

    /// Makes a body an object that steps do not move, and returns its motion; `None` for a stale key and for an object
    /// that is not a body.
    ///
    /// The object stays [`Mobility::Moving`], where it is and with its velocity: bodies meet it from then on.
    ///
    /// ```
    /// # use cullide_world::{Body, Object, World, narrowphase::{Aabb, Error}, glam::Vec3};
    /// let mut world = World::new();
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?));
    /// world.set_body(crate_, Body::default())?;
    /// assert_eq!(world.remove_body(crate_), Some(Body::default()));
    /// assert!(world.bodies().next().is_none() && world.object(crate_).is_some());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn remove_body(&mut self, key: ObjectKey) -> Option<Body> {
        let slot = key.slot(self.id)?;
        let at = self.bodies.binary_search_by_key(&slot, |state| state.slot).ok()?;
        let body = self.bodies.remove(at).body;
        let entry = self.objects.get_mut(slot)?;
        entry.is_body = false;
        self.carriers += usize::from(entry.is_carrier());
        self.wake_near_object(slot);
        Some(body)
    }

    /// Sets the velocity of a body; a no-op for an object that is not one.
    pub(crate) fn set_body_velocity(&mut self, slot: Slot, velocity: Vec3) {
        if let Ok(at) = self.bodies.binary_search_by_key(&slot, |state| state.slot) {
            let state = &mut self.bodies[at];
            let old = std::mem::replace(&mut state.body.velocity, velocity);
            state.rests &= old == velocity;
        }
    }

    /// Removes an object from the list of bodies.
    pub(crate) fn forget_body(&mut self, slot: Slot) {
        if let Ok(at) = self.bodies.binary_search_by_key(&slot, |state| state.slot) {
            self.bodies.remove(at);
        }
    }

    /// Moves every [body](World::set_body) by `dt` seconds, and returns what they touched. This does not include rigid
    /// bodies, which stop and push each other: [`Dynamics::step`](crate::Dynamics::step) moves those.
    ///
    /// Each body moves and turns until it touches a plane or an object in a layer that it pairs with, responds as its
    /// [`Response`](crate::Response) says, and goes on. Objects that are not bodies carry it, whether they are fixed or
    /// moving: a lift that the caller has moved into a body pushes it out, by at most [`StepConfig::max_recovery`] per
    /// step, and gravity makes it follow a lift that goes down. A body never passes through anything, however fast it
    /// is, and at the end it penetrates nothing that it did not penetrate before; it is first pushed out of what it
    /// overlaps at the start, without gaining speed. Bodies do not stop each other: [`World::update_pairs`] reports
    /// which of them are going to meet. A `dt` that is not positive and finite changes nothing.
    ///
    /// Once a step leaves a body exactly as it was, contacts included, the next steps skip it until something changes
    /// that matters to it: bodies that lie still cost next to nothing, and behave as if they were moved.
    ///
    /// The outcome depends neither on the number of threads nor on the order of inserts. A body that would leave the
    /// range of coordinates stays where it is, and loses its velocity.
    ///
    /// ```
    /// # use cullide_world::{Body, Object, Response, StepConfig, World, narrowphase::{Aabb, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::Y * 2.0, Vec3::new(1.0, 3.0, 1.0))?));
    /// world.set_body(crate_, Body { response: Response::Bounce { restitution: 0.2, friction: 0.5 }, ..Body::default() })?;
    /// for _ in 0..200 {
    ///     world.step(1.0 / 60.0, &StepConfig::default());
    /// }
    /// let height = world.object(crate_).unwrap().shape.aabb().min().y;
    /// assert!((0.0..0.01).contains(&height) && world.body(crate_).unwrap().velocity == Vec3::ZERO);
    /// assert_eq!(world.step(1.0 / 60.0, &StepConfig::default()).persisting[0].target, floor.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn step(&mut self, dt: f32, config: &StepConfig) -> StepEvents<'_> {
        if !(dt > 0.0 && dt.is_finite()) {
            return self.contact_history.stay();
        }
        let (mut bodies, mut groups) =
            (std::mem::take(&mut self.bodies), std::mem::take(&mut self.contact_history.groups));
        groups.resize_with(bodies.len().div_ceil(GROUP), Vec::new);
        if self.settings.replace((dt, *config)) != Some((dt, *config)) {
            bodies.iter_mut().for_each(BodyState::forget);
        }
        self.move_all(&mut bodies, &mut groups, dt, config);
        let (id, moved) = (self.id, &mut self.contact_history.moved);
        moved.clear();
        self.moved_aabbs.clear();
        // Bodies that start to move, and those that stop.
        let mut changed = SmallVec::<[&BodyState; 16]>::new();
        let state = bodies.iter().filter(|state| state.is_moved).map(|state| (state.slot, state));
        self.objects.edit_moving(state, |entry, state| {
            if oriented(&entry.object.shape) != Some(state.pose) {
                moved.push(ObjectKey::new(state.slot, id));
            }
            entry.object.shape = state.pose.into();
            self.moved_aabbs.push((entry.proxy, state.pose.aabb()));
            match entry.velocity_index {
                Some(velocity_index) if state.body.velocity != Vec3::ZERO => {
                    self.velocities[velocity_index].velocity = state.body.velocity
                }
                None if state.body.velocity == Vec3::ZERO => {}
                _ => changed.push(state),
            }
        });
        for state in changed {
            self.set_object_velocity(state.slot, state.body.velocity);
        }
        self.proxies.broadphase.set_batch(&self.moved_aabbs);
        self.resting = Resting::of(&bodies, dt, config);
        (self.bodies, self.contact_history.groups) = (bodies, groups);
        self.contact_history.turn();
        self.contact_history.compare();
        self.contact_history.events()
    }

    /// Returns the events of the last step again, without borrowing the world mutably; none before the first step, and
    /// after [`World::restore`](crate::World::restore).
    ///
    /// ```
    /// # use cullide_world::{Body, Object, StepConfig, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let [crate_, other] = [0.0, 9.0].map(|x| {
    ///     world.insert(Object::moving(Aabb::new(Vec3::X * x, Vec3::new(x + 1.0, 1.0, 1.0)).unwrap()))
    /// });
    /// world.set_body(crate_, Body { velocity: Vec3::Z, gravity_scale: 0.0, ..Body::default() })?;
    /// world.set_body(other, Body { gravity_scale: 0.0, ..Body::default() })?;
    /// world.step(0.5, &StepConfig::default());
    /// assert_eq!(world.step_events().moved, [crate_]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn step_events(&self) -> StepEvents<'_> {
        self.contact_history.events()
    }

    /// Moves each body on its own, in groups on any number of threads, and collects the contacts of each group.
    fn move_all(&self, bodies: &mut [BodyState], groups: &mut [Vec<Contact>], dt: f32, config: &StepConfig) {
        let each = |(bodies, contacts): (&mut [BodyState], &mut Vec<Contact>)| {
            contacts.clear();
            let mut had = bodies.first().map_or(&[][..], |first| self.contact_history.since(self.key_of(first)));
            for state in bodies {
                let had = take_those_of(self.key_of(state), &mut had);
                self.advance(state, had, contacts, dt, config);
            }
        };
        #[cfg(feature = "parallel")]
        if groups.len() > 1 && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            return bodies.par_chunks_mut(GROUP).zip(groups.par_iter_mut()).for_each(each);
        }
        bodies.chunks_mut(GROUP).zip(groups).for_each(each);
    }

    fn key_of(&self, state: &BodyState) -> ObjectKey {
        ObjectKey::new(state.slot, self.id)
    }

    fn is_body(&self, key: ObjectKey) -> bool {
        key.slot(self.id).is_some_and(|slot| self.objects[slot].is_body)
    }

    /// Moves a body that had the contacts `had` in the step before, and appends its new contacts.
    fn advance(
        &self,
        state: &mut BodyState,
        had: &[Contact],
        contacts: &mut Vec<Contact>,
        dt: f32,
        config: &StepConfig,
    ) {
        let Entry { object, off, .. } = &self.objects[state.slot];
        state.is_moved = object.mobility == Mobility::Moving && off.is_none() && state.sync_shape(&object.shape);
        if !state.is_moved {
            state.rests = false;
            return;
        }
        if state.rests {
            state.is_moved = false;
            contacts.extend_from_slice(had);
            return;
        }
        let first = contacts.len();
        let (body, was_still) = (self.key_of(state), state.is_still());
        let (own, others) = (object.layers, object.pairs_with);
        let pairs = |key: ObjectKey, object: &Object| {
            object.pairs_with & own != 0 && (object.mobility == Mobility::Fixed || !self.is_body(key))
        };
        let filter = Filter::layers(others).only(&pairs);
        let filter = if self.carriers == 0 { filter.fixed_only() } else { filter };
        self.orthonormalize(&mut state.pose, state.half_extents, &filter);
        let gained = config.gravity.as_dvec3() * f64::from(state.body.gravity_scale * dt);
        let mut step = BodyStep {
            world: self,
            filter: &filter,
            config,
            body,
            had,
            pose: &mut state.pose,
            velocity: state.body.velocity.as_dvec3() + gained,
            angular_velocity: state.body.angular_velocity.into(),
            empty_sphere: state.empty_sphere,
            turn: &mut state.turn,
            contacts: SmallVec::new(),
            is_stuck: false,
        };
        let stays_in_range = step.advance(f64::from(dt), state.body.response).is_some();
        let (velocity, angular_velocity) = (step.velocity.as_vec3(), step.angular_velocity.as_vec3());
        let is_known = stays_in_range && velocity.is_finite() && angular_velocity.is_finite();
        (state.body.velocity, state.body.angular_velocity) =
            if is_known { (velocity, angular_velocity) } else { Default::default() };
        let is_stuck = step.is_stuck;
        state.empty_sphere = step.empty_sphere;
        step.contacts.sort_unstable_by_key(Contact::obstacle);
        contacts.extend_from_slice(&step.contacts);
        let is_there = object.shape == Shape::Obb(state.pose);
        state.rests = was_still && state.is_still() && is_there && !is_stuck && had == &contacts[first..];
    }

    /// Restores the lengths of a box's edges and the right angles between them, which turning step by step slowly
    /// loses.
    fn orthonormalize(&self, pose: &mut Obb, half_extents: Vec3, filter: &Filter) {
        let [a, b, c] = pose.half_edges();
        let edges = [a.as_dvec3(), b.as_dvec3(), c.as_dvec3()];
        let sizes = half_extents.as_dvec3().to_array();
        let off = |i: usize| {
            let (next, square) = ((i + 1) % 3, sizes[i] * sizes[i]);
            // A relative error in length is twice as large in the square.
            (edges[i].length_squared() - square).abs() > 2.0 * tuning::SLANT * square
                || edges[i].dot(edges[next]).abs() > tuning::SLANT * sizes[i] * sizes[next]
        };
        if half_extents.min_element() <= 0.0 || !(off(0) || off(1) || off(2)) {
            return;
        }
        let x = edges[0].normalize_or_zero();
        let y = (edges[1] - x * x.dot(edges[1])).normalize_or_zero();
        // A mirrored box stays mirrored.
        let z = x.cross(y) * x.cross(y).dot(edges[2]).signum();
        let sized = [x, y, z].map(DVec3::as_vec3);
        let sized = [sized[0] * half_extents.x, sized[1] * half_extents.y, sized[2] * half_extents.z];
        let straight = Obb::from_half_edges(pose.center(), sized).ok();
        let free = straight.and_then(|body| self.resolve_beside(&body, pose, filter));
        *pose = free.unwrap_or(*pose);
    }
}
