//! One body in one step: from contact to contact, with its response at each.

use crate::{
    BoxContact, BoxStepConfig, Filter, ObjectKey, Response, Target, World,
    boxes::rigid::RigidBox,
    boxes::surfaces::{Surface, Touch},
    scene::planes::EmptySphere,
    sweep::candidates::{FirstHit, Obstacle, SweepCandidates},
    sweep::free_motion::{Normals, free_motion},
    sweep::origin::Origin,
    sweep::rotating::RotationLimits,
    tuning,
};
use cullide_narrowphase::{
    Budget, Contacts, Obb, RotationCache, Solid, SweepHit, TurningBoxSweep,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// A body during a step.
pub(crate) struct BodyStep<'a> {
    pub(crate) world: &'a World,
    pub(crate) filter: &'a Filter<'a>,
    pub(crate) config: &'a BoxStepConfig,
    pub(crate) body: ObjectKey,
    /// Its contacts in the step before.
    pub(crate) had: &'a [BoxContact],
    pub(crate) pose: &'a mut Obb,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    /// A region without planes.
    pub(crate) empty_sphere: EmptySphere,
    /// The rotation of its last whole step.
    pub(crate) turn: &'a mut RotationCache,
    /// The last contact with each thing that it touched, ordered by these.
    pub(crate) contacts: SmallVec<[BoxContact; 2]>,
    /// Whether it is left inside something that it overlaps.
    pub(crate) is_stuck: bool,
}

impl BodyStep<'_> {
    /// Moves on for `seconds`; returns `None` if that leaves the range of coordinates.
    pub(crate) fn advance(&mut self, mut seconds: f64, response: Response) -> Option<()> {
        // The velocity that a sliding body arrived with, and the normals of what holds it.
        let (arrival, mut held) = (self.velocity, Normals::new());
        let (mut is_recovered, mut candidates) =
            (false, SweepCandidates { empty_sphere: self.empty_sphere, ..SweepCandidates::default() });
        let (mut start, mut past) = (*self.pose, None);
        let all = seconds;
        let budget = Budget::new(tuning::STEP_LOOKS);
        // Touches in immediate succession, as when a body rolls over an edge.
        let mut stalled_hits = 0;
        for _ in 0..self.config.max_touches {
            let motion = (self.velocity * seconds).as_vec3();
            let rotation = (self.angular_velocity * seconds).as_vec3();
            if motion == Vec3::ZERO && rotation == Vec3::ZERO && is_recovered {
                return Some(());
            }
            if budget.is_spent() {
                break;
            }
            let sweep = TurningBoxSweep::new(self.pose, motion, rotation).ok()?;
            let limits = RotationLimits { skin: self.config.skin, budget: &budget };
            let filter = past.as_ref().unwrap_or(self.filter);
            self.world.sweep_rotating_to(&sweep, limits, filter, self.pose, &mut candidates, self.turn);
            self.empty_sphere = candidates.empty_sphere;
            let (obstacle, hit) = match &candidates.first {
                FirstHit::Nothing => return Some(()),
                FirstHit::Overlap(..) if is_recovered => {
                    // Half-spaces that the body was wholly behind remain ignored.
                    if past.is_none() {
                        past = self.world.past_ignored(&start, self.filter);
                        if past.is_some() {
                            continue;
                        }
                    }
                    self.is_stuck = true;
                    return Some(());
                }
                FirstHit::Overlap(..) => {
                    self.recover();
                    (start, is_recovered) = (*self.pose, true);
                    continue;
                }
                FirstHit::Hit(_, hit) if candidates.is_early => {
                    // It has touched nothing that it could respond to.
                    seconds *= 1.0 - f64::from(hit.toi);
                    break;
                }
                FirstHit::Hit(obstacle, hit) => (*obstacle, hit),
            };
            is_recovered = true;
            stalled_hits =
                if f64::from(hit.toi) * seconds < tuning::STALLED_SHARE * all { stalled_hits + 1 } else { 0 };
            seconds *= 1.0 - f64::from(hit.toi);
            let normal = hit.normal.as_dvec3().normalize_or_zero();
            let contacts = self.persisting(obstacle, hit).unwrap_or(hit.contacts);
            let Obstacle { target, part } = obstacle;
            self.note(BoxContact { body: self.body, target, part, normal: hit.normal, contacts });
            match response {
                Response::Stop => {
                    (self.velocity, self.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
                    return Some(());
                }
                Response::Slide => {
                    if held.len() == tuning::SLIDE_SURFACES {
                        held.remove(0);
                    }
                    held.push(normal);
                    self.velocity = free_motion(arrival, &held);
                    self.angular_velocity = DVec3::ZERO;
                }
                Response::Bounce { restitution, friction } => {
                    let mut touch = Touch::default();
                    self.find_surfaces(obstacle, hit, &candidates.objects, restitution, &mut touch);
                    self.bounce(&touch, restitution, friction, stalled_hits);
                }
            }
        }
        // A body that makes no progress is held, and must not go on gathering speed meanwhile. A body that loses
        // nothing in its contacts must not lose speed here either.
        let is_lossy = !matches!(response, Response::Bounce { restitution: 1.0.., .. });
        if is_lossy && seconds > 0.5 * all {
            let share = 1.0 - seconds / all;
            (self.velocity, self.angular_velocity) = (self.velocity * share, self.angular_velocity * share);
            if self.is_nearly_still() {
                (self.velocity, self.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
        Some(())
    }

    /// Returns the contacts with something that the body also touched in the step before, given the feature of that
    /// contact, so that the feature does not flicker between an edge and a face. `None` if the feature is the same
    /// anyway.
    fn persisting(&self, obstacle: Obstacle, hit: &SweepHit) -> Option<Contacts> {
        let previous = self.had.iter().find(|contact| contact.obstacle() == obstacle)?.contacts.id();
        if previous == hit.contacts.id() {
            return None;
        }
        match obstacle.target {
            Target::Plane(key) => {
                let entry = self.world.plane(key)?;
                // No farther than the points that touch.
                let farthest = hit.contacts.separations().iter().copied().fold(0.0, f32::max).next_up();
                let manifold = entry.plane.manifold(self.pose, entry.sides, farthest, previous)?;
                Some(manifold.contacts)
            }
            Target::Object(_) => self.world.convex(obstacle)?.contacts(self.pose, hit.normal, 0.0, previous),
        }
    }

    /// Responds to a touch.
    fn bounce(&mut self, touch: &Touch, restitution: f32, friction: f32, stalled_hits: i32) {
        let (surfaces, hit, is_slow) = (&touch.surfaces, &touch.surfaces[0], touch.is_slow);
        let friction = f64::from(friction.max(0.0));
        let mut rigid = RigidBox::new(self.pose, self.velocity, self.angular_velocity);
        let energy = rigid.energy();
        if is_slow {
            self.hold(&mut rigid, touch, friction);
        } else {
            rigid.rebound(&hit.offsets, hit.normal, f64::from(restitution.min(1.0)), friction);
        }
        (self.velocity, self.angular_velocity) = (rigid.velocity, rigid.angular_velocity);
        // A point that keeps its distance must leave by more than rounding takes away, or it would touch again at once;
        // the more often it does, the faster it leaves. A point that rebounds leaves anyway.
        let oftener = stalled_hits - if is_slow { 0 } else { tuning::STALLED_REBOUNDS };
        if !is_slow && oftener < 0 {
            return;
        }
        if is_slow && self.is_nearly_still() {
            (self.velocity, self.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            return;
        }
        let held = if is_slow { &surfaces[..] } else { &surfaces[..1] };
        let away = held.iter().map(|surface| surface.normal).sum::<DVec3>().normalize_or_zero();
        let least = held.iter().map(|surface| surface.normal.dot(away)).fold(f64::INFINITY, f64::min);
        // Surfaces that face each other leave no direction to lean in.
        if least <= LEAST_LEAN {
            return;
        }
        let reach = self.size() + self.pose.center().as_dvec3().length();
        let speed = self.velocity.length() + self.angular_velocity.length() * reach;
        let lean = tuning::SLIDE_LEAN * 4f64.powi(oftener.min(6)) * speed;
        let slowest = held.iter().map(|surface| surface.slowest(&rigid)).fold(f64::INFINITY, f64::min);
        if slowest < lean {
            rigid.velocity += away * ((lean - slowest.max(-lean)) / least);
            // Far from the origin, rounding takes a lot away, and making up for it must not add energy: a body leaves
            // no faster than it arrived.
            let share = (energy / rigid.energy()).sqrt().min(1.0);
            (self.velocity, self.angular_velocity) = (rigid.velocity * share, rigid.angular_velocity * share);
        }
    }

    /// Holds the body at all surfaces at once, and records the contacts with those that carry it.
    fn hold(&mut self, rigid: &mut RigidBox, touch: &Touch, friction: f64) {
        rigid.hold(touch.surfaces.iter().flat_map(Surface::points), friction);
        for contact in &touch.contacts {
            self.note(*contact);
        }
    }

    /// Whether every point of the body is slower than the `rest_speed` of the settings.
    fn is_nearly_still(&self) -> bool {
        self.velocity.length() + self.angular_velocity.length() * self.size() < f64::from(self.config.rest_speed)
    }

    /// A bound on the distance of any point of the body from its centre.
    fn size(&self) -> f64 {
        self.pose.half_edges().iter().map(|edge| edge.as_dvec3().length()).sum()
    }

    /// Pushes the body out of what it overlaps, limited to the maximum recovery.
    fn recover(&mut self) {
        let rounds = tuning::DEPENETRATE_ROUNDS;
        let Some(free) = self.world.push_out(self.pose, Origin::Pushed(self.pose), self.filter, rounds) else { return };
        let (free, way) = (free.center(), free.center() - self.pose.center());
        let limit = self.config.max_recovery.max(0.0);
        let center = if way.length() <= limit { free } else { self.pose.center() + way.normalize_or_zero() * limit };
        if let Ok(pose) = Obb::from_half_edges(center, self.pose.half_edges()) {
            *self.pose = pose;
        }
    }

    /// Keeps the last contact with each thing.
    fn note(&mut self, contact: BoxContact) {
        match self.contacts.binary_search_by_key(&contact.obstacle(), BoxContact::obstacle) {
            Ok(at) => self.contacts[at] = contact,
            Err(at) => self.contacts.insert(at, contact),
        }
    }
}

/// Surfaces form a cleft if the sum of their normals leads away from one of them by no more than this cosine.
const LEAST_LEAN: f64 = 1e-3;
