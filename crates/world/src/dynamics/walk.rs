//! Characters among rigid bodies: belts and rotating bodies carry them, and they push what is in their way.
//!
//! ```text
//!   force  =  m (v - v') / dt           what brings the body to the character's speed in one step,
//!             and no more than the mover's
//!   1 / m  =  d · M⁻¹ d + (r × d) · I⁻¹ (r × d)      of the body at the point where it is pushed, along d
//! ```
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, 3.2 (the effective mass at a
//! point).

use crate::dynamics::{Dynamics, body::pose::BodyShape};
use crate::{
    BodyKind, Character, CharacterBody, DynamicsConfig, Filter, Mover, Object, ObjectKey, Push, Shape, Target, Walk,
    World, character::surroundings::Surroundings,
};
use cullide_narrowphase::{ContactManifold, Error, ManifoldCache, glam::Vec3};
use smallvec::SmallVec;

/// Bodies that the push accelerates by more than this multiple of the gravity are pushed and not climbed. Twice the
/// deceleration by a friction of 1, so that they are sure to slide.
const LIGHT: f32 = 2.0;

/// A body is held against a push by what it touches in the direction of the push: where the cosine between the push and
/// the normal is greater than this.
const BRACED: f32 = 0.5;

/// A character counts as touching a body if it is no farther away than this share of the body's radius: because of
/// rounding, slides stop short of what they meet.
const NEAR: f32 = 1.0 / 64.0;

/// What a walk may query about bodies.
struct Among<'a> {
    dynamics: &'a Dynamics,
    world: &'a World,
    push_force: f32,
}

impl Surroundings for Among<'_> {
    fn velocity_at(&self, key: ObjectKey, point: Vec3) -> Option<Vec3> {
        self.dynamics.body(key)?.velocity_at(self.world, point).filter(|velocity| velocity.is_finite())
    }

    fn driven_at(&self, key: ObjectKey, point: Vec3) -> Option<Vec3> {
        let body = &self.dynamics.state(self.dynamics.at(key)?).body;
        if body.kind == BodyKind::Kinematic { self.velocity_at(key, point) } else { None }
    }

    fn surface_velocity(&self, target: Target, surface: u16) -> Vec3 {
        self.dynamics.material_of(target, surface).surface_velocity
    }

    fn holds_in(&self) -> bool {
        true
    }

    fn gives_way(&self, target: Target, direction: Vec3) -> bool {
        let Some(at) = self.dynamics.pushed(target) else { return false };
        // Where there was no step, or forces stand for gravity, the preset is as good a guess as any.
        let gravity = self.dynamics.gravity.filter(|gravity| *gravity != Vec3::ZERO);
        let gravity = gravity.unwrap_or_else(|| DynamicsConfig::default().gravity).length();
        let is_light = self.push_force * self.dynamics.state(at).inverse_mass > LIGHT * gravity;
        is_light && !self.dynamics.is_braced(at, direction)
    }
}

impl Dynamics {
    /// Moves a character as [`Mover::walk`] does, among rigid bodies.
    ///
    /// * A floor whose surface runs, such as a conveyor belt, carries it. On a floor that turns, the velocity of its
    ///   [`Ground`](crate::Ground) is that of the place where it stands, from the moment it lands.
    /// * Bodies in its way are pushed with [`Mover::push_force`] during the next step, up to its own speed; several
    ///   share the force. The force is perpendicular to up and acts at the height of the body's centre, so that the
    ///   body slides and does not topple. What the character stands on is not pushed. [`Walk::pushes`] lists the
    ///   others.
    /// * Bodies that the force accelerates by more than twice the gravity of the last step (without any, than twice
    ///   that of the preset) are pushed and not climbed, unless something behind them is in their way. The round end of a capsule still passes over a body so low that it
    ///   meets it as a slope.
    /// * Sensors are not in its way.
    /// * A body that has moved into the character, such as a door, pushes it out, but not through planes or anything
    ///   fixed. If there is no room, the character stays where it is, and [`Walk::overlap`] tells what crushes it. A
    ///   thin kinematic body that moves farther in a step than both are wide may pass through it.
    ///
    /// Call this once per step. Bodies do not collide with the character itself. To keep them out of it, insert its
    /// [object](Character::object) as a kinematic body, and [place](Character::place) it after each walk. If one
    /// character stands on another, walk the lower one first, and exclude those on it from its filter: a lift that
    /// carries both would otherwise crush it under them.
    ///
    /// # Errors
    /// As [`Mover::walk`], and [`Error::OtherWorld`]; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Character, Dynamics, DynamicsConfig, Filter, Mass, Mover, Object, RigidBody, World};
    /// # use cullide_world::{narrowphase::{Aabb, Obb}, glam::{Quat, Vec3}};
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?));
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::new(1.0, 0.001, -0.5), Vec3::new(2.0, 1.001, 0.5))?));
    /// dynamics.insert(&mut world, crate_, RigidBody { mass: Mass::Total(20.0), ..RigidBody::dynamic() })?;
    ///
    /// let mut hero = Character::new(Obb::new(Vec3::Y * 0.9, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3))?);
    /// let (mover, dt) = (Mover::default(), 1.0 / 60.0);
    /// for _ in 0..60 {
    ///     hero.velocity = Vec3::X * 2.0;
    ///     let walk = dynamics.walk(&world, &mover, &mut hero, dt, &Filter::ALL)?;
    ///     assert!(walk.pushes.iter().all(|push| push.body == crate_ && push.force.length() <= 300.1));
    ///     dynamics.step(&mut world, dt, &DynamicsConfig::default())?;
    /// }
    /// assert!(hero.position().x > 1.5 && world.object(crate_).unwrap().shape.aabb().min().x > 1.8);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn walk<B: CharacterBody>(
        &mut self,
        world: &World,
        mover: &Mover,
        character: &mut Character<B>,
        dt: f32,
        filter: &Filter,
    ) -> Result<Walk, Error> {
        self.check_world(world)?;
        let before = character.clone();
        let mut walk = {
            let among = Among { dynamics: self, world, push_force: mover.push_force };
            let is_solid = |key: ObjectKey, object: &Object| filter.accepts(key, object) && !self.is_sensor(key);
            B::walk(mover, world, &among, character, dt, &filter.clone().only(&is_solid))?
        };
        if dt <= 0.0 || mover.push_force <= 0.0 {
            return Ok(walk);
        }
        let wish = before.velocity + before.ground.map_or(Vec3::ZERO, |ground| ground.velocity);
        let stands_on =
            |target| [before.ground, character.ground].iter().flatten().any(|ground| ground.target == target);
        let mut pressed = SmallVec::<[Pressed; 4]>::new();
        for contact in walk.contacts.iter().filter(|contact| !stands_on(contact.target)) {
            let Some(at) = self.pushed(contact.target).filter(|at| pressed.iter().all(|known| known.at != *at)) else {
                continue;
            };
            let Some(direction) = mover.across(-contact.normal) else { continue };
            let Some(own) = before.body.shape_at(contact.position).filter(|_| self.adopt_body(world, at)) else {
                continue;
            };
            let point = point_between(&own, &self.state(at).shape);
            // At the height of its centre, so that it slides and does not topple.
            let up = mover.unit_up();
            let point = point + up * (self.state(at).shape.center() - point).dot(up);
            pressed.extend(self.pressed(at, point, direction, wish.dot(direction)));
        }
        let share = mover.push_force / pressed.len().max(1) as f32;
        for pressed in pressed {
            let gained = self.push(&pressed, share, dt, &mut walk);
            // The character continues as fast as what it pushes lets it.
            let ground = character.ground.map_or(Vec3::ZERO, |ground| ground.velocity);
            let excess = gained - (character.velocity + ground).dot(pressed.direction);
            character.velocity += pressed.direction * excess.max(0.0);
        }
        Ok(walk)
    }

    fn is_sensor(&self, key: ObjectKey) -> bool {
        self.at(key).is_some_and(|at| self.state(at).body.is_sensor)
    }

    /// The number of the body that a target is, if it can be pushed.
    fn pushed(&self, target: Target) -> Option<u32> {
        let at = self.body_of(target)?;
        let state = self.state(at);
        (state.is_dynamic() && !state.body.is_sensor).then_some(at)
    }

    /// How a body is pressed at a point in a direction, at this speed; `None` if it is already as fast.
    fn pressed(&mut self, at: u32, point: Vec3, direction: Vec3, speed: f32) -> Option<Pressed> {
        let state = self.state_mut(at);
        state.inertia = state.world_inertia();
        let state = self.state(at);
        let arm = point - state.shape.center();
        let missing = speed - self.state(at).velocity_at(point).dot(direction);
        let inverse_mass = state.inverse_mass + state.turned_by(arm.cross(direction)).cross(arm).dot(direction);
        (speed > 0.0 && missing > 0.0).then_some(Pressed { at, point, direction, speed, missing, inverse_mass })
    }

    /// Pushes a body with a force of at most `most`, and returns how fast it will be where it is pushed, unless
    /// something is in its way.
    fn push(&mut self, pressed: &Pressed, most: f32, dt: f32, walk: &mut Walk) -> f32 {
        let needed = pressed.missing / (pressed.inverse_mass * dt);
        // If rounding yields a NaN, it does not count as the lesser.
        let strength = if needed < most { needed } else { most };
        let force = pressed.direction * strength;
        let is_braced = self.is_braced(pressed.at, pressed.direction);
        let state = self.state(pressed.at);
        let (body, torque) = (state.key, (pressed.point - state.shape.center()).cross(force));
        if self.pull(pressed.at, force, |_| torque).is_err() {
            return f32::NEG_INFINITY;
        }
        walk.pushes.push(Push { body, point: pressed.point, force });
        let gained = if is_braced { 0.0 } else { strength * pressed.inverse_mass * dt };
        (pressed.speed - pressed.missing + gained).min(pressed.speed)
    }

    /// Whether something that a body touches is in its way in a direction.
    fn is_braced(&self, at: u32, direction: Vec3) -> bool {
        let direction = direction.normalize_or_zero();
        self.state(at).pairs.iter().filter_map(|number| self.contacts.get(*number)).any(|pair| {
            let sign = if pair.bodies[0] == at { 1.0 } else { -1.0 };
            pair.is_touching && pair.parts().iter().any(|part| sign * part.manifold.normal().dot(direction) > BRACED)
        })
    }
}

/// A body against which a character walks.
struct Pressed {
    at: u32,
    point: Vec3,
    /// Unit vector, perpendicular to up.
    direction: Vec3,
    /// The speed that the character would have along it.
    speed: f32,
    /// By how much the body is slower where it is pressed.
    missing: f32,
    /// The inverse of its effective mass there.
    inverse_mass: f32,
}

/// The middle of the points where two shapes touch.
fn point_between(first: &Shape, second: &BodyShape) -> Vec3 {
    let mut manifold = ContactManifold::default();
    let margin = NEAR * second.radius();
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    first.all_convex(&mut |_, own| {
        for number in 0..second.part_count() {
            let Some(part) = second.part(number) else { continue };
            manifold.update(&own.contact_shape(), &part.contact_shape(), margin, &mut ManifoldCache::default());
            let offset = second.contact_offset(number);
            sum = manifold.points().iter().fold(sum, |sum, point| sum + offset + point.from_second);
            count += manifold.points().len() as f32;
        }
    });
    second.center() + if count > 0.0 { sum / count } else { Vec3::ZERO }
}
