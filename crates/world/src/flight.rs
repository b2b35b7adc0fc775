//! The way of one body through a step: from touch to touch, with the response that it was given.

use crate::{
    Contact, Filter, ObjectKey, Response, StepConfig, Target, World, body::Rigid, slide::project_onto_cone, tuning,
    turn::TurnedBox,
};
use cullide_narrowphase::{
    BoxSweep, Contacts, Obb,
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
            seconds *= 1.0 - f64::from(hit.toi);
            let normal = hit.normal.as_dvec3().normalize_or_zero();
            self.note(Contact { body, target: hit.target, normal: hit.normal, contacts: hit.contacts });
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
                    self.rigid.velocity = project_onto_cone(arrival, &held);
                    self.rigid.spin = DVec3::ZERO;
                }
                Response::Bounce { restitution, friction } => {
                    let arms = self.arms(world, hit.target, &hit.contacts, config.skin);
                    self.bounce(normal, &arms, restitution, friction, config);
                }
            }
        }
        Some(())
    }

    /// From the body's centre to the points of a contact, and to the corners that are hardly farther from what it touches: they are
    /// the next to touch, at once when the others are thrown back.
    fn arms(&self, world: &World, target: Target, contacts: &Contacts, skin: f32) -> SmallVec<[DVec3; 8]> {
        let near = 2.0 * f64::from(skin.max(0.0));
        let is_near = |corner: &Vec3| match target {
            Target::Plane(key) => {
                world.plane(key).is_some_and(|entry| f64::from(entry.plane.signed_distance(*corner)).abs() <= near)
            }
            Target::Object(key) => world.object(key).is_some_and(|object| {
                object.shape.closest_point(*corner).as_dvec3().distance(corner.as_dvec3()) <= near
            }),
        };
        let center = self.pose.center().as_dvec3();
        let corners = self.pose.corners().into_iter().filter(is_near);
        contacts.points().iter().copied().chain(corners).map(|point| point.as_dvec3() - center).collect()
    }

    fn bounce(&mut self, normal: DVec3, arms: &[DVec3], restitution: f32, friction: f32, config: &StepConfig) {
        // The axes have turned on the way.
        self.rigid = Rigid::new(&self.pose, self.rigid.velocity, self.rigid.spin);
        let fastest = arms.iter().map(|arm| -normal.dot(self.rigid.velocity_at(*arm))).fold(0.0, f64::max);
        let is_slow = fastest < f64::from(config.restitution_speed);
        let restitution = if is_slow { 0.0 } else { f64::from(restitution.clamp(0.0, 1.0)) };
        self.rigid.rebound(arms, normal, restitution, f64::from(friction.max(0.0)));
        let size: f64 = self.pose.half_edges().iter().map(|edge| edge.as_dvec3().length()).sum();
        let speed = self.rigid.velocity.length() + self.rigid.spin.length() * size;
        if is_slow && speed < f64::from(config.rest_speed) {
            (self.rigid.velocity, self.rigid.spin) = (DVec3::ZERO, DVec3::ZERO);
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
