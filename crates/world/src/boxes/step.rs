//! One step of all bodies.
//!
//! Bodies meet everything that is not a body: planes, fixed objects, and moving ones, such as lifts, where the caller
//! has put them. The path of a body therefore depends neither on other bodies, nor on the order or the thread in which
//! it is computed.

use super::{BoxStepper, body_state::BoxState, body_step::BodyStep, contacts::take_those_of, wake::Resting};
use crate::{
    BoxContact, BoxStepConfig, BoxStepEvents, Filter, Mobility, Object, ObjectKey, Shape, World, scene::world::Entry,
    shape::oriented, tuning,
};
use cullide_narrowphase::{
    Error, Mapped, Obb,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// The number of bodies that one task moves: some ten microseconds of work.
const GROUP: usize = 32;

impl BoxStepper {
    /// Moves every body by `dt` seconds, and returns what they touched. A `dt` that is not positive and finite changes
    /// nothing.
    ///
    /// A body is first pushed out of what it overlaps at the start, without gaining speed. A body that would leave the
    /// range of coordinates stays where it is, and loses its velocity.
    ///
    /// With the feature `parallel`, threads of the caller's rayon pool, or of the global one, take part in a step of
    /// more than 32 bodies.
    ///
    /// # Errors
    /// [`Error::OtherWorld`] for a world other than that of the bodies; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{BoxBody, BoxStepper, Object, BoxStepConfig, World, narrowphase::{Aabb, Error, Plane}, glam::Vec3};
    /// let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::Y, Vec3::new(1.0, 2.0, 1.0))?));
    /// boxes.insert(&mut world, crate_, BoxBody { velocity: Vec3::NEG_Y * 2.0, ..BoxBody::default() })?;
    /// let config = BoxStepConfig::default();
    /// assert_eq!(boxes.step(&mut world, 1.0, &config)?.begun[0].target, floor.into());
    ///
    /// let refused = boxes.step(&mut World::with_tag(2), 1.0, &config);
    /// assert_eq!(refused, Err(Error::OtherWorld { field: "world" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn step(&mut self, world: &mut World, dt: f32, config: &BoxStepConfig) -> Result<BoxStepEvents<'_>, Error> {
        self.check_world(world)?;
        if !(dt > 0.0 && dt.is_finite()) {
            return Ok(self.contacts.stay());
        }
        world.edits.watch();
        self.sync(world);
        if self.settings.replace((dt, *config)) != Some((dt, *config)) {
            self.forget();
        }
        let (mut bodies, mut groups) = (std::mem::take(&mut self.bodies), std::mem::take(&mut self.contacts.groups));
        groups.resize_with(bodies.len().div_ceil(GROUP), Vec::new);
        self.move_all(world, &mut bodies, &mut groups, dt, config);
        self.contacts.moved.clear();
        world.place_boxes(&bodies, &mut self.contacts.moved);
        world.edits.count_moves(&self.contacts.moved);
        self.moves_known = world.edits.moves();
        self.resting = Resting::of(&bodies, dt, config);
        (self.bodies, self.contacts.groups) = (bodies, groups);
        self.contacts.turn();
        self.contacts.compare();
        Ok(self.contacts.events())
    }

    /// Moves each body on its own, in groups on any number of threads, and collects the contacts of each group.
    fn move_all(
        &self,
        world: &World,
        bodies: &mut [BoxState],
        groups: &mut [Vec<BoxContact>],
        dt: f32,
        config: &BoxStepConfig,
    ) {
        let each = |(bodies, contacts): (&mut [BoxState], &mut Vec<BoxContact>)| {
            contacts.clear();
            let mut had = bodies.first().map_or(&[][..], |first| self.contacts.since(first.key));
            for state in bodies {
                let had = take_those_of(state.key, &mut had);
                self.advance(world, state, had, contacts, dt, config);
            }
        };
        #[cfg(feature = "parallel")]
        if groups.len() > 1 && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            return bodies.par_chunks_mut(GROUP).zip(groups.par_iter_mut()).for_each(each);
        }
        bodies.chunks_mut(GROUP).zip(groups).for_each(each);
    }

    /// Moves a body that had the contacts `had` in the step before, and appends its new contacts.
    fn advance(
        &self,
        world: &World,
        state: &mut BoxState,
        had: &[BoxContact],
        contacts: &mut Vec<BoxContact>,
        dt: f32,
        config: &BoxStepConfig,
    ) {
        let Some(entry) = state.key.slot(world.id).and_then(|slot| world.objects.get(slot)) else { return };
        let Entry { object, off, .. } = entry;
        state.adopt_velocity(world.velocity_of(entry));
        state.is_moved = object.mobility == Mobility::Moving && off.is_none() && state.adopt_shape(&object.shape);
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
        let (body, was_still) = (state.key, state.is_still());
        let (own, others) = (object.layers, object.pairs_with);
        let pairs = |key: ObjectKey, object: &Object| {
            object.pairs_with & own != 0 && (object.mobility == Mobility::Fixed || !self.is_body(key))
        };
        let filter = Filter::layers(others).only(&pairs);
        let filter = if self.any_carriers == Some(false) { filter.fixed_only() } else { filter };
        orthonormalize(world, &mut state.pose, state.half_extents, &filter);
        let gained = config.gravity.as_dvec3() * f64::from(state.body.gravity_scale * dt);
        let mut step = BodyStep {
            world,
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
        contacts.extend_from_slice(&step.contacts);
        let is_there = object.shape == Shape::Obb(state.pose);
        state.rests = was_still && state.is_still() && is_there && !is_stuck && had == &contacts[first..];
    }
}

impl World {
    /// Gives the bodies that a step has moved their shapes and velocities, and lists those whose pose has changed.
    fn place_boxes(&mut self, bodies: &[BoxState], moved: &mut Vec<ObjectKey>) {
        let id = self.id;
        self.moved_aabbs.clear();
        // Bodies that start to move, and those that stop.
        let mut changed = Vec::new();
        let states = bodies.iter().filter(|state| state.is_moved);
        let states = states.filter_map(|state| Some((state.key.slot(id)?, state)));
        self.objects.edit_moving(states, |entry, state| {
            if oriented(&entry.object.shape) != Some(state.pose) {
                moved.push(state.key);
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
            if let Some(slot) = state.key.slot(id) {
                self.set_object_velocity(slot, state.body.velocity);
            }
        }
        self.proxies.broadphase.set_batch(&self.moved_aabbs);
    }
}

/// Restores the lengths of a box's edges and the right angles between them, which turning step by step slowly
/// loses.
fn orthonormalize(world: &World, pose: &mut Obb, half_extents: Vec3, filter: &Filter) {
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
    let sized = [x, y, z].mapped(DVec3::as_vec3);
    let sized = [sized[0] * half_extents.x, sized[1] * half_extents.y, sized[2] * half_extents.z];
    let straight = Obb::from_half_edges(pose.center(), sized).ok();
    let free = straight.and_then(|body| world.resolve_beside(&body, pose, filter));
    *pose = free.unwrap_or(*pose);
}
