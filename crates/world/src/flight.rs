//! The way of one body through a step: from touch to touch, with the response that it was given.

use crate::{
    Contact, Filter, ObjectKey, Response, StepConfig, Target, World,
    body::Rigid,
    held::free_motion,
    met::{First, Met},
    planes::Clearing,
    tuning,
};
use cullide_bvh::Leaf;
use cullide_narrowphase::{
    Contacts, FeatureId, Obb, SweepHit, TurningSweep, WholeTurn,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// A body during a step.
pub(crate) struct Flight<'a> {
    pub(crate) world: &'a World,
    pub(crate) filter: &'a Filter<'a>,
    pub(crate) config: &'a StepConfig,
    pub(crate) body: ObjectKey,
    /// Its contacts in the step before.
    pub(crate) had: &'a [Contact],
    pub(crate) pose: &'a mut Obb,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
    /// Where no plane is.
    pub(crate) clearing: Clearing,
    /// The turn of its last whole step.
    pub(crate) turn: &'a mut WholeTurn,
    /// The last contact with each thing that it touched.
    pub(crate) contacts: SmallVec<[Contact; 2]>,
}

impl Flight<'_> {
    /// Moves on for `seconds`; `None` when that leaves the range of coordinates.
    pub(crate) fn advance(&mut self, mut seconds: f64, response: Response) -> Option<()> {
        // What holds a sliding body, and the velocity that it came with.
        let (arrival, mut held) = (self.velocity, SmallVec::<[DVec3; tuning::SLIDE_SURFACES]>::new());
        let (mut is_recovered, mut met) = (false, Met { clearing: self.clearing, ..Met::default() });
        let all = seconds;
        // Touches one right after the other, as of a body that rolls over an edge.
        let mut in_vain = 0;
        for _ in 0..self.config.max_touches {
            let motion = (self.velocity * seconds).as_vec3();
            let rotation = (self.spin * seconds).as_vec3();
            if motion == Vec3::ZERO && rotation == Vec3::ZERO && is_recovered {
                return Some(());
            }
            let sweep = TurningSweep::new(self.pose, motion, rotation).ok()?;
            self.world.carry_turning(&sweep, self.config.skin, self.filter, self.pose, &mut met, self.turn);
            self.clearing = met.clearing;
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
            in_vain = if f64::from(hit.toi) * seconds < tuning::HARDLY * all { in_vain + 1 } else { 0 };
            seconds *= 1.0 - f64::from(hit.toi);
            let normal = hit.normal.as_dvec3().normalize_or_zero();
            let contacts = self.persisting(target, hit).unwrap_or(hit.contacts);
            self.note(Contact { body: self.body, target, normal: hit.normal, contacts });
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
                    self.velocity = free_motion(arrival, &held);
                    self.spin = DVec3::ZERO;
                }
                Response::Bounce { restitution, friction } => {
                    let mut arms = self.arms(target, hit);
                    self.add_arms_of_others(target, hit.normal, &met.objects, &mut arms);
                    keep_outermost(&mut arms, normal);
                    self.bounce(normal, &arms, restitution, friction, in_vain);
                }
            }
        }
        // What hardly gets on is held, and must not go on gathering speed meanwhile. What loses nothing may not lose it here either.
        let is_lossy = !matches!(response, Response::Bounce { restitution: 1.0.., .. });
        if is_lossy && seconds > 0.5 * all {
            let share = 1.0 - seconds / all;
            self.velocity *= share;
            self.spin *= share;
        }
        Some(())
    }

    /// The contacts with what the body touched in the step before as well, by a feature that does not flicker between an edge and a face.
    fn persisting(&self, target: Target, hit: &SweepHit) -> Option<Contacts> {
        let previous = self.had.iter().find(|contact| contact.target == target)?.contacts.id();
        if previous == hit.contacts.id() {
            return None;
        }
        match target {
            Target::Plane(key) => {
                let entry = self.world.plane(key)?;
                // No farther than what touches.
                let farthest = hit.contacts.separations().iter().copied().fold(0.0, f32::max).next_up();
                let manifold = entry.plane.manifold(self.pose, entry.sides, farthest, previous)?;
                Some(manifold.contacts)
            }
            Target::Object(key) => self.world.object(key)?.shape.contacts(self.pose, hit.normal, 0.0, previous),
        }
    }

    /// From the body's centre to the points of a contact, and to where the two are hardly farther from each other: those are the next
    /// to touch, at once when the others are thrown back.
    fn arms(&self, target: Target, hit: &SweepHit) -> SmallVec<[DVec3; 8]> {
        let near = 2.0 * self.config.skin.max(0.0);
        let center = self.pose.center().as_dvec3();
        let touching = hit.contacts.points();
        // From where it touches, even if it could not stay there.
        let from = hit.position.as_dvec3();
        let mut arms: SmallVec<[DVec3; 8]> = touching.iter().map(|point| point.as_dvec3() - from).collect();
        match target {
            Target::Plane(key) => {
                let Some(entry) = self.world.plane(key) else { return arms };
                let (normal, near) = (entry.plane.normal().as_dvec3(), f64::from(near));
                let [a, b, c] = self.pose.half_edges().map(|edge| edge.as_dvec3());
                let height = normal.dot(center) + f64::from(entry.plane.d());
                let (x, y, z) = (normal.dot(a).abs(), normal.dot(b).abs(), normal.dot(c).abs());
                // Mostly a single corner touches, and even the next one is farther.
                let next = height.abs() - (x + y + z) + 2.0 * x.min(y).min(z);
                if arms.len() > 1 || next <= near {
                    let signed = |corner: i32, i: i32, edge: DVec3| if corner >> i & 1 == 1 { edge } else { -edge };
                    let arm = |corner| signed(corner, 0, a) + signed(corner, 1, b) + signed(corner, 2, c);
                    arms.extend((0..8).map(arm).filter(|arm| (height + normal.dot(*arm)).abs() <= near));
                }
            }
            Target::Object(key) => {
                let Some(object) = self.world.object(key) else { return arms };
                if let Some(contacts) = object.shape.contacts(self.pose, hit.normal, near, FeatureId::NONE) {
                    let more = contacts.points().iter().filter(|&point| !touching.contains(point));
                    arms.extend(more.map(|point| point.as_dvec3() - center));
                }
            }
        }
        arms
    }

    /// Adds the points of other objects that the body touches, or hardly not, along the same normal: on a floor of many tiles a box lands on all
    /// of them at once, and would be turned over by one of them alone.
    fn add_arms_of_others(&self, target: Target, normal: Vec3, objects: &[Leaf], arms: &mut SmallVec<[DVec3; 8]>) {
        let near = 2.0 * self.config.skin.max(0.0);
        let around = self.pose.aabb().expanded(near);
        let (center, direction) = (self.pose.center().as_dvec3(), normal.as_dvec3().normalize_or_zero());
        for &leaf in objects {
            let (key, object) = self.world.behind(leaf);
            if target == Target::Object(key) || !object.shape.aabb().overlaps(&around) {
                continue;
            }
            let gap = object.shape.gap(self.pose);
            let is_same = (gap.normal - direction).length_squared() <= tuning::SAME_TURN;
            if gap.separation > f64::from(near) || !is_same {
                continue;
            }
            if let Some(contacts) = object.shape.contacts(self.pose, normal, near, FeatureId::NONE) {
                arms.extend(contacts.points().iter().map(|point| point.as_dvec3() - center));
            }
        }
    }

    fn bounce(&mut self, normal: DVec3, arms: &[DVec3], restitution: f32, friction: f32, in_vain: i32) {
        let mut rigid = Rigid::new(self.pose, self.velocity, self.spin);
        let energy = rigid.energy();
        let fastest = arms.iter().map(|arm| -normal.dot(rigid.velocity_at(*arm))).fold(0.0, f64::max);
        let is_slow = fastest < f64::from(self.config.restitution_speed);
        let restitution = if is_slow { 0.0 } else { f64::from(restitution.clamp(0.0, 1.0)) };
        rigid.rebound(arms, normal, restitution, f64::from(friction.max(0.0)));
        (self.velocity, self.spin) = (rigid.velocity, rigid.spin);
        // A point that keeps its distance leaves by more than rounding takes, or it would touch again at once; the more the oftener. One
        // that rebounds leaves anyway.
        let oftener = in_vain - if is_slow { 0 } else { tuning::VAIN_REBOUNDS };
        if !is_slow && oftener < 0 {
            return;
        }
        let size: f64 = self.pose.half_edges().iter().map(|edge| edge.as_dvec3().length()).sum();
        let (speed, spin) = (self.velocity.length(), self.spin.length());
        if is_slow && speed + spin * size < f64::from(self.config.rest_speed) {
            (self.velocity, self.spin) = (DVec3::ZERO, DVec3::ZERO);
            return;
        }
        let reach = size + self.pose.center().as_dvec3().length();
        let lean = tuning::SLIDE_LEAN * 4f64.powi(oftener.min(6)) * (speed + spin * reach);
        let slowest = arms.iter().map(|arm| normal.dot(rigid.velocity_at(*arm))).fold(f64::INFINITY, f64::min);
        if slowest < lean {
            rigid.velocity += normal * (lean - slowest.max(-lean));
            // Far from the origin rounding takes much, and that is not to be had for nothing: what leaves is no faster than what came.
            let share = (energy / rigid.energy()).sqrt().min(1.0);
            (self.velocity, self.spin) = (rigid.velocity * share, rigid.spin * share);
        }
    }

    /// Pushes the body out of what it overlaps, or as far as it may go.
    fn recover(&mut self) {
        let rounds = tuning::DEPENETRATE_ROUNDS;
        let Some(free) = self.world.push_out(self.pose, self.pose, self.filter, rounds) else { return };
        let (free, way) = (free.center(), free.center() - self.pose.center());
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

/// Directions all round, slanted so that the corners of a box do not tie.
const ALL_ROUND: [(f64, f64); 8] =
    [(1.0, 0.3), (0.5, 0.9), (-0.3, 1.0), (-0.9, 0.5), (-1.0, -0.3), (-0.5, -0.9), (0.3, -1.0), (0.9, -0.5)];

/// Keeps of many points of a contact those that are outermost in some direction: where they keep off, so do those between them, and impulses at
/// few points settle sooner.
fn keep_outermost(arms: &mut SmallVec<[DVec3; 8]>, normal: DVec3) {
    if arms.len() <= 4 {
        return;
    }
    let (x, y) = normal.any_orthonormal_pair();
    let mut kept = SmallVec::<[DVec3; 8]>::new();
    for (along_x, along_y) in ALL_ROUND {
        let direction = x * along_x + y * along_y;
        let along = |arm: &DVec3| direction.dot(*arm);
        let outermost = arms.iter().copied().fold(arms[0], |a, b| if along(&b) > along(&a) { b } else { a });
        if !kept.contains(&outermost) {
            kept.push(outermost);
        }
    }
    *arms = kept;
}
