//! The way of one body through a step: from touch to touch, with the response that it was given.

use crate::{
    Contact, Filter, ObjectKey, Response, StepConfig, Target, World,
    body::Rigid,
    slide::project_onto_cone,
    sweep::{First, Met},
    tuning,
};
use cullide_narrowphase::{
    Contacts, Obb, TurningSweep,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// A body during a step.
pub(crate) struct Flight<'a> {
    pub(crate) world: &'a World,
    pub(crate) filter: &'a Filter<'a>,
    pub(crate) config: &'a StepConfig,
    pub(crate) body: ObjectKey,
    pub(crate) pose: &'a mut Obb,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
    /// The last contact with each thing that it touched.
    pub(crate) contacts: SmallVec<[Contact; 2]>,
}

impl Flight<'_> {
    /// Moves on for `seconds`; `None` when that leaves the range of coordinates.
    pub(crate) fn advance(&mut self, mut seconds: f64, response: Response) -> Option<()> {
        // What holds a sliding body, and the velocity that it came with.
        let (arrival, mut held) = (self.velocity, SmallVec::<[DVec3; tuning::SLIDE_SURFACES]>::new());
        let (mut is_recovered, mut met) = (false, Met::default());
        for _ in 0..self.config.max_touches {
            let motion = (self.velocity * seconds).as_vec3();
            let rotation = (self.spin * seconds).as_vec3();
            if motion == Vec3::ZERO && rotation == Vec3::ZERO && is_recovered {
                return Some(());
            }
            let sweep = TurningSweep::new(self.pose, motion, rotation).ok()?;
            self.world.carry_turning(&sweep, self.config.skin, self.filter, self.pose, &mut met);
            let (target, hit) = match &met.first {
                First::Nothing => return Some(()),
                First::Overlap(..) if is_recovered => return Some(()),
                First::Overlap(..) => {
                    self.recover();
                    is_recovered = true;
                    continue;
                }
                First::Hit(target, hit) => (*target, hit),
            };
            is_recovered = true;
            seconds *= 1.0 - f64::from(hit.toi);
            let normal = hit.normal.as_dvec3().normalize_or_zero();
            self.note(Contact { body: self.body, target, normal: hit.normal, contacts: hit.contacts });
            match response {
                Response::Stop => {
                    (self.velocity, self.spin) = (DVec3::ZERO, DVec3::ZERO);
                    return Some(());
                }
                Response::Slide => {
                    if held.len() == tuning::SLIDE_SURFACES {
                        held.remove(0);
                    }
                    held.push(normal);
                    self.velocity = project_onto_cone(arrival, &held);
                    self.spin = DVec3::ZERO;
                }
                Response::Bounce { restitution, friction } => {
                    let arms = self.arms(target, &hit.contacts);
                    self.bounce(normal, &arms, restitution, friction);
                }
            }
        }
        Some(())
    }

    /// From the body's centre to the points of a contact, and to the corners that are hardly farther from what it touches: they are
    /// the next to touch, at once when the others are thrown back.
    fn arms(&self, target: Target, contacts: &Contacts) -> SmallVec<[DVec3; 8]> {
        let near = 2.0 * f64::from(self.config.skin.max(0.0));
        let (center, [a, b, c]) = (self.pose.center().as_dvec3(), self.pose.half_edges());
        let (a, b, c) = (a.as_dvec3(), b.as_dvec3(), c.as_dvec3());
        let signed = |corner: i32, i: i32, edge: DVec3| if corner >> i & 1 == 1 { edge } else { -edge };
        let corners = (0..8).map(|corner| signed(corner, 0, a) + signed(corner, 1, b) + signed(corner, 2, c));
        let mut arms: SmallVec<[DVec3; 8]> = contacts.points().iter().map(|point| point.as_dvec3() - center).collect();
        match target {
            Target::Plane(key) => {
                let Some(entry) = self.world.plane(key) else { return arms };
                let normal = entry.plane.normal().as_dvec3();
                let height = normal.dot(center) + f64::from(entry.plane.d());
                let (x, y, z) = (normal.dot(a).abs(), normal.dot(b).abs(), normal.dot(c).abs());
                // Mostly a single corner touches, and even the next one is farther.
                let next = height.abs() - (x + y + z) + 2.0 * x.min(y).min(z);
                if arms.len() > 1 || next <= near {
                    arms.extend(corners.filter(|arm| (height + normal.dot(*arm)).abs() <= near));
                }
            }
            Target::Object(key) => {
                let Some(object) = self.world.object(key) else { return arms };
                let distance = |corner: Vec3| object.shape.closest_point(corner).as_dvec3().distance(corner.as_dvec3());
                arms.extend(corners.filter(|arm| distance((center + *arm).as_vec3()) <= near));
            }
        }
        arms
    }

    fn bounce(&mut self, normal: DVec3, arms: &[DVec3], restitution: f32, friction: f32) {
        let mut rigid = Rigid::new(self.pose, self.velocity, self.spin);
        let fastest = arms.iter().map(|arm| -normal.dot(rigid.velocity_at(*arm))).fold(0.0, f64::max);
        let is_slow = fastest < f64::from(self.config.restitution_speed);
        let restitution = if is_slow { 0.0 } else { f64::from(restitution.clamp(0.0, 1.0)) };
        rigid.rebound(arms, normal, restitution, f64::from(friction.max(0.0)));
        (self.velocity, self.spin) = (rigid.velocity, rigid.spin);
        if is_slow {
            let size: f64 = self.pose.half_edges().iter().map(|edge| edge.as_dvec3().length()).sum();
            if self.velocity.length() + self.spin.length() * size < f64::from(self.config.rest_speed) {
                (self.velocity, self.spin) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
    }

    /// Pushes the body out of what it overlaps, or as far as it may go.
    fn recover(&mut self) {
        let Some(free) = self.world.depenetrate(self.pose, self.filter) else { return };
        let way = free - self.pose.center();
        let limit = self.config.max_recovery.max(0.0);
        let center = if way.length() <= limit { free } else { self.pose.center() + way.normalize_or_zero() * limit };
        if let Ok(pose) = Obb::from_half_edges(center, self.pose.half_edges()) {
            *self.pose = pose;
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
