//! The way of one body through a step: from touch to touch, with the response that it was given.

use crate::{
    BodyHit, Contact, Filter, ObjectKey, Response, StepConfig, Target, World, body::Rigid, slide::free_motion, tuning,
    turn::TurnedBox,
};
use cullide_narrowphase::{
    BoxSweep, Contacts, FeatureId, Obb,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// A body during a step.
pub(crate) struct Flight {
    pub(crate) pose: Obb,
    pub(crate) rigid: Rigid,
    /// The last contact with each thing that it touched.
    pub(crate) contacts: SmallVec<[Contact; 2]>,
}

impl Flight {
    /// Moves on for `seconds`; `None` when that leaves the range of coordinates.
    pub(crate) fn advance(
        &mut self,
        world: &World,
        body: ObjectKey,
        mut seconds: f64,
        response: Response,
        filter: &Filter,
        config: &StepConfig,
    ) -> Option<()> {
        // What holds a sliding body, and the velocity that it came with.
        let (arrival, mut held) = (self.rigid.velocity, SmallVec::<[DVec3; tuning::SLIDE_SURFACES]>::new());
        let mut is_recovered = false;
        let all = seconds;
        // Touches one right after the other, as of a body that rolls over an edge.
        let mut in_vain = 0;
        for _ in 0..config.max_touches {
            let motion = (self.rigid.velocity * seconds).as_vec3();
            let rotation = (self.rigid.spin * seconds).as_vec3();
            if motion == Vec3::ZERO && rotation == Vec3::ZERO && is_recovered {
                return Some(());
            }
            let sweep = BoxSweep::new(self.pose, motion).ok()?.turning(rotation).ok()?;
            let TurnedBox { body: pose, hit, overlap } = world.sweep_turning_box(&sweep, config.skin, filter);
            if overlap.is_some() {
                if is_recovered {
                    return Some(());
                }
                self.recover(world, filter, config);
                is_recovered = true;
                continue;
            }
            is_recovered = true;
            self.pose = pose;
            let Some(hit) = hit else { return Some(()) };
            in_vain = if f64::from(hit.toi) * seconds < tuning::HARDLY * all { in_vain + 1 } else { 0 };
            seconds *= 1.0 - f64::from(hit.toi);
            let normal = hit.normal.as_dvec3().normalize_or_zero();
            let contacts = self.persisting(world, body, &hit).unwrap_or(hit.contacts);
            self.note(Contact { body, target: hit.target, normal: hit.normal, contacts });
            match response {
                Response::Stop => {
                    (self.rigid.velocity, self.rigid.spin) = (DVec3::ZERO, DVec3::ZERO);
                    return Some(());
                }
                Response::Slide => {
                    if held.len() == tuning::SLIDE_SURFACES {
                        held.remove(0);
                    }
                    held.push(normal);
                    self.rigid.velocity = free_motion(arrival, &held);
                    self.rigid.spin = DVec3::ZERO;
                }
                Response::Bounce { restitution, friction } => {
                    let arms = self.arms(world, &hit, config.skin);
                    self.bounce(normal, &arms, restitution, friction, in_vain, config);
                }
            }
        }
        // What hardly gets on is held, and must not go on gathering speed meanwhile. What loses nothing may not lose it here either.
        let is_lossy = !matches!(response, Response::Bounce { restitution: 1.0.., .. });
        if is_lossy && seconds > 0.5 * all {
            let share = 1.0 - seconds / all;
            self.rigid.velocity *= share;
            self.rigid.spin *= share;
        }
        Some(())
    }

    /// The contacts with what the body touched in the step before as well, by a feature that does not flicker between an edge and a face.
    fn persisting(&self, world: &World, body: ObjectKey, hit: &BodyHit) -> Option<Contacts> {
        let previous = world.touched_before(body, hit.target)?.contacts.id();
        if previous == hit.contacts.id() {
            return None;
        }
        match hit.target {
            Target::Plane(key) => {
                let entry = world.plane(key)?;
                let manifold = entry.plane.manifold(&self.pose, entry.sides, f32::INFINITY, previous)?;
                Some(manifold.contacts)
            }
            Target::Object(key) => world.object(key)?.shape.contacts(&self.pose, hit.normal, 0.0, previous),
        }
    }

    /// From the body's centre to the points of a contact, and to where the two are hardly farther from each other: those are the next
    /// to touch, at once when the others are thrown back.
    fn arms(&self, world: &World, hit: &BodyHit, skin: f32) -> SmallVec<[DVec3; 8]> {
        let near = 2.0 * skin.max(0.0);
        let mut points: SmallVec<[Vec3; 8]> = SmallVec::from_slice(hit.contacts.points());
        match hit.target {
            Target::Plane(key) => {
                let distance = |corner: &Vec3| world.plane(key).map(|entry| entry.plane.signed_distance(*corner).abs());
                let is_near = |corner: &Vec3| distance(corner).is_some_and(|distance| distance <= near);
                points.extend(self.pose.corners().into_iter().filter(is_near));
            }
            Target::Object(key) => {
                let shape = world.object(key).map(|object| &object.shape);
                let contacts = shape.and_then(|shape| shape.contacts(&self.pose, hit.normal, near, FeatureId::NONE));
                let more = contacts
                    .iter()
                    .flat_map(|contacts| contacts.points())
                    .filter(|&point| !hit.contacts.points().contains(point));
                points.extend(more.copied());
            }
        }
        let center = self.pose.center().as_dvec3();
        points.iter().map(|point| point.as_dvec3() - center).collect()
    }

    fn bounce(
        &mut self,
        normal: DVec3,
        arms: &[DVec3],
        restitution: f32,
        friction: f32,
        in_vain: i32,
        config: &StepConfig,
    ) {
        // The axes have turned on the way.
        self.rigid = Rigid::new(&self.pose, self.rigid.velocity, self.rigid.spin);
        let fastest = arms.iter().map(|arm| -normal.dot(self.rigid.velocity_at(*arm))).fold(0.0, f64::max);
        let is_slow = fastest < f64::from(config.restitution_speed);
        let restitution = if is_slow { 0.0 } else { f64::from(restitution.clamp(0.0, 1.0)) };
        self.rigid.rebound(arms, normal, restitution, f64::from(friction.max(0.0)));
        let size: f64 = self.pose.half_edges().iter().map(|edge| edge.as_dvec3().length()).sum();
        let (speed, spin) = (self.rigid.velocity.length(), self.rigid.spin.length());
        if is_slow && speed + spin * size < f64::from(config.rest_speed) {
            (self.rigid.velocity, self.rigid.spin) = (DVec3::ZERO, DVec3::ZERO);
            return;
        }
        // A point that keeps its distance leaves by more than rounding takes, or it would touch again at once; the more the oftener. One
        // that rebounds leaves anyway.
        let oftener = in_vain - if is_slow { 0 } else { tuning::VAIN_REBOUNDS };
        if oftener < 0 {
            return;
        }
        let reach = size + self.pose.center().as_dvec3().length();
        let lean = tuning::SLIDE_LEAN * 4f64.powi(oftener.min(6)) * (speed + spin * reach);
        let slowest = arms.iter().map(|arm| normal.dot(self.rigid.velocity_at(*arm))).fold(f64::INFINITY, f64::min);
        if slowest < lean {
            self.rigid.velocity += normal * (lean - slowest.max(-lean));
        }
    }

    /// Pushes the body out of what it overlaps, or as far as it may go.
    fn recover(&mut self, world: &World, filter: &Filter, config: &StepConfig) {
        let Some(free) = world.depenetrate(&self.pose, filter) else { return };
        let way = free - self.pose.center();
        let limit = config.max_recovery.max(0.0);
        let center = if way.length() <= limit { free } else { self.pose.center() + way.normalize_or_zero() * limit };
        if let Ok(pose) = Obb::from_half_edges(center, self.pose.half_edges()) {
            self.pose = pose;
        }
    }

    /// Keeps the last contact with each thing.
    fn note(&mut self, contact: Contact) {
        match self.contacts.iter_mut().find(|old| old.target == contact.target) {
            Some(old) => *old = contact,
            None => self.contacts.push(contact),
        }
    }
}
