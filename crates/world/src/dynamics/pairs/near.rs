//! Which things bodies are near, and where they touch them.

use super::{
    ActivePairs,
    roles::{ActivePair, Approach, Role, Roles},
};
use crate::{
    ContactPair, DynamicsConfig, ObjectKey, Target, World,
    contact::cache::{Changes, reach_of},
    dynamics::{BodyState, Dynamics, NONE, body::pose::BodyShape, report::Report},
    scene::planes::MotionBounds,
    shape::{Convex, Shape},
    threads,
};
use cullide_bvh::Team;
use cullide_narrowphase::{Aabb, Solid, glam::Vec3};

/// A thing closer to a point than this share, 2^-18, of the coordinates or of a body's size is at the point.
const TOGETHER: f32 = 1.0 / (1u32 << 18) as f32;

/// Until two bodies have moved relative to each other by this share of the margin, the points of their contact are
/// moved along with them; anything that has come within the margin meanwhile is still apart by most of it.
const RECYCLED: f32 = 0.25;

/// A body that moves by more than this many of its radii in a step is taken along its way among many parts: see
/// `long_way`.
pub(in crate::dynamics) const FAR: f32 = 4.0;

/// Points no farther apart than this many skins count as touching.
const TOUCHING: f32 = 4.0;

impl Dynamics {
    /// Gives awake bodies boxes that cover where they may get, and finds the pairs that result.
    pub(in crate::dynamics) fn find_pairs(
        &mut self,
        team: &Team,
        world: &mut World,
        dt: f32,
        config: &DynamicsConfig,
        ended: &mut Vec<(ObjectKey, Target)>,
    ) {
        threads::each_mut(team, &mut self.bodies, 64, |state| {
            let Some(state) = state.as_mut().filter(|state| state.is_awake()) else { return };
            let (velocity, turning) = (state.velocity_after(dt, config), state.turning_in(dt));
            let reach = |velocity: Vec3| reach_of(&state.shape.aabb(), velocity, dt, config.margin + turning);
            let (length, far) = (velocity.length() * dt, FAR * state.radius);
            state.reach = reach(velocity);
            state.known = if length > far { reach(velocity * (far / length)) } else { state.reach };
        });
        let mut changes = std::mem::take(&mut self.changes);
        let mut contacts = std::mem::take(&mut self.contacts);
        let (id, any_lost) = (world.id, contacts.has_lost_boxes(world));
        let boxed = self.bodies.iter().flatten().filter(|state| any_lost || state.is_awake());
        let mut predicted = boxed.filter_map(|state| Some((state.key.slot(id)?, state.reach)));
        let wanted = |a: ObjectKey, b: ObjectKey| {
            let is_dynamic = |key| self.at(key).is_some_and(|at| self.state(at).is_dynamic());
            (is_dynamic(a) || is_dynamic(b)) && !self.ignored.contains(&(a, b))
        };
        let is_resynced = contacts.update(team, world, &mut predicted, &wanted, &mut changes);
        if !world.planes.is_empty() || contacts.any_planes() {
            for state in self.bodies.iter().flatten().filter(|state| state.is_awake() && state.is_dynamic()) {
                let Some(object) = world.object(state.key) else { continue };
                let (center, half) = (state.reach.center(), 0.5 * (state.reach.max() - state.reach.min()));
                let way = MotionBounds::of_ball(center, half.length(), Vec3::ZERO);
                contacts.update_planes(world, state.key, &way, object.pairs_with, &mut changes);
            }
        }
        self.contacts = contacts;
        self.forget_ended(&changes);
        for (_, pair) in changes.ended.iter().filter(|(_, pair)| pair.is_touching) {
            ended.push((pair.first, pair.second));
        }
        let begun = changes.begun.iter().copied();
        if is_resynced {
            // Objects that were not bodies may be bodies now.
            let all: Vec<u32> = self.contacts.iter().map(|(number, _)| number).collect();
            self.bodies.iter_mut().flatten().for_each(|state| state.pairs.clear());
            all.into_iter().for_each(|number| self.connect(number));
        } else {
            begun.for_each(|number| self.connect(number));
        }
        self.changes = changes;
    }

    /// Records the bodies of a pair, a dynamic one first, and lists the pair with them.
    pub(in crate::dynamics) fn connect(&mut self, number: u32) {
        let Some(pair) = self.contacts.get(number) else { return };
        let (first, second) = (pair.first, pair.second);
        let mut bodies = [self.at(first).unwrap_or(NONE), self.body_of(second).unwrap_or(NONE)];
        let is_dynamic = bodies[0] != NONE && self.state(bodies[0]).is_dynamic();
        let Some(pair) = self.contacts.get_mut(number) else { return };
        if let Target::Object(other) = second
            && !is_dynamic
        {
            if std::mem::take(&mut pair.is_touching) {
                self.parted.push((first, second));
            }
            (pair.first, pair.second, pair.was_touching) = (other, first.into(), false);
            pair.parts.clear();
            bodies.reverse();
        }
        pair.bodies = bodies;
        self.list(number, bodies);
    }

    /// Adds a pair to the lists of its bodies.
    pub(in crate::dynamics) fn list(&mut self, number: u32, bodies: [u32; 2]) {
        for body in bodies.into_iter().filter(|body| *body != NONE) {
            let pairs = &mut self.state_mut(body).pairs;
            // In ascending order, regardless of the order in which they began.
            let place = pairs.partition_point(|known| *known < number);
            pairs.insert(place, number);
        }
    }

    /// Removes ended pairs from the lists of their bodies; bodies that touched wake.
    pub(in crate::dynamics) fn forget_ended(&mut self, changes: &Changes) {
        for (number, pair) in &changes.ended {
            for body in pair.bodies {
                if !self.is_body(body) {
                    continue;
                }
                self.state_mut(body).pairs.retain(|known| known != number);
                if pair.is_touching {
                    self.wake_body(body);
                }
            }
        }
    }

    /// Computes the manifolds of pairs with something awake in them, and wakes what that touches.
    pub(in crate::dynamics) fn touch(
        &mut self,
        team: &Team,
        world: &World,
        dt: f32,
        config: &DynamicsConfig,
        pairs: &mut ActivePairs,
    ) {
        self.describe(team, pairs);
        let mut contacts = std::mem::take(&mut self.contacts);
        let touching = TOUCHING * config.skin;
        let ActivePairs { roles, approaches, found, active } = pairs;
        let update = |pair: &mut ContactPair| {
            pair.parts.iter_mut().for_each(|part| part.impulses.clear());
            let [one, other] = pair.bodies;
            let approach = |body: u32| approaches.get(body as usize).unwrap_or(&Approach::FIXED);
            let (one, other) = (approach(one), approach(other));
            // Contacts begin as far apart as the two approach in the step, so that they do not first meet when they
            // penetrate.
            let closing = ((one.velocity - other.velocity).length() + one.spinning + other.spinning) * dt;
            // Beside something fixed, no body is faster than its contacts let it be.
            let most = if pair.bodies[1] == NONE { one.inner_radius } else { f32::INFINITY };
            let margin = config.margin + closing.min(most);
            let nearer = (one.moved.motion - other.moved.motion).length() + (one.turning + other.turning);
            if one.is_convex && other.is_convex && pair.stays_apart(nearer, margin) {
                return;
            }
            // Not for bodies that may roll: their points of contact do not turn with them.
            let mut is_recycled =
                || pair.recycle([&one.moved, &other.moved], nearer, RECYCLED * config.margin, touching);
            if one.is_box && other.is_box && is_recycled() {
                return;
            }
            let (Some(first), second) = self.states(pair) else { return };
            if let Some(second) = second
                && let (Some(one), Some(other)) = (first.shape.convex(), second.shape.convex())
            {
                let aside = second.aside_of(first, [pair.bodies[1], pair.bodies[0]]);
                let other = aside.as_ref().and_then(BodyShape::convex).unwrap_or(other);
                return pair.update_bodies(&one, &other, margin, touching);
            }
            let limit = RECYCLED * config.margin;
            let room = if one.is_box && second.is_none() { limit } else { 0.0 };
            let travel = one.moved.motion.length() + one.turning;
            let is_near_known = first.known != first.reach && second.is_none() && has_parts(world, pair.second);
            let own = if is_near_known { &first.known } else { &first.reach };
            let bounds = [&first.shape.aabb(), own];
            if room > 0.0 && pair.recycle_triangles(bounds, &one.moved, travel, limit, touching) {
                return;
            }
            // Parts are searched where both may get.
            let reach = second.map_or(*own, |second| reach_beside(first, second, dt, config));
            pair.update(world, &reach, room, margin, touching);
        };
        let slots = contacts.slots_mut();
        let size = threads::piece(team, slots.len(), 64);
        found.resize_with(slots.len().div_ceil(size), Vec::new);
        threads::each(team, slots.chunks_mut(size).zip(&mut *found).enumerate(), &|(i, (slots, found))| {
            found.clear();
            for (slot, number) in slots.iter_mut().zip((i * size) as u32..) {
                let Some(pair) = slot.as_mut().filter(|pair| roles.either(pair.bodies, Role::ROUSES)) else { continue };
                update(pair);
                found.push(ActivePair::new(number, pair, approaches));
            }
        });
        active.clear();
        found.iter().for_each(|found| active.extend_from_slice(found));
        self.contacts = contacts;
        self.count_fixed(active, roles);
        self.drop_inner_faces(world);
        let mut woken = Vec::new();
        for active in pairs.active.iter().filter(|active| pairs.roles.either(active.bodies, Role::SLEEPS)) {
            let Some(pair) = self.contacts.get(active.number).filter(|pair| self.wakes(pair, config)) else { continue };
            for body in pair.bodies.into_iter().filter(|body| *body != NONE) {
                let state = self.state(body);
                if !state.is_awake() && state.is_dynamic() {
                    woken.push(body);
                }
            }
        }
        if !woken.is_empty() {
            woken.into_iter().for_each(|body| self.wake_body(body));
            self.describe(team, pairs);
            self.list_active(pairs);
            self.count_fixed(&pairs.active, &pairs.roles);
        }
        self.thin_out(&mut pairs.active);
    }

    /// Reports the pairs that began or ended touching, including those that hit each other and are far apart again by
    /// now.
    pub(in crate::dynamics) fn report_touching(
        &mut self,
        hits: &mut [u32],
        pairs: &mut ActivePairs,
        report: &mut Report,
    ) {
        hits.sort_unstable();
        for number in hits {
            let Ok(at) = pairs.active.binary_search_by_key(number, |active| active.number) else { continue };
            pairs.active[at].is_touching = true;
        }
        for active in pairs.active.iter().filter(|active| active.is_touching != active.was_touching) {
            let Some(pair) = self.contacts.get_mut(active.number) else { continue };
            let list = if active.is_touching { &mut report.begun } else { &mut report.ended };
            list.push((pair.first, pair.second));
            // Reported once, even if its bodies sleep from now on and are woken before it is updated again.
            pair.was_touching = active.is_touching;
        }
    }

    /// Drops the points at which a body is about to touch a side of something that it cannot move, where that side lies
    /// against something else of the kind, as the sides of two tiles or of two parts of a compound do: a body that slides
    /// from one tile to the next meets neither side.
    fn drop_inner_faces(&mut self, world: &World) {
        let mut dropped: Vec<(u32, usize, Vec3)> = Vec::new();
        let may_drop = |state: &&BodyState| state.unmoved_pairs > 0 && state.is_awake() && state.is_dynamic();
        for state in self.bodies.iter().flatten().filter(may_drop) {
            let pairs = state.pairs.iter().filter_map(|number| Some((*number, self.contacts.get(*number)?)));
            let things = pairs.filter_map(|(number, pair)| match pair.second {
                Target::Object(key) if self.is_unmoved(pair) => Some((number, pair, &world.object(key)?.get().shape)),
                _ => None,
            });
            let are_many = things.clone().count() > 1;
            for (number, pair, shape) in things.clone() {
                let is_compound = matches!(shape, Shape::Compound(_)) && pair.parts.len() > 1;
                if !are_many && !is_compound {
                    continue;
                }
                for (i, part) in pair.parts.iter().enumerate().filter(|(_, part)| !part.manifold.points().is_empty()) {
                    let Some(convex) = shape.part(part.part) else { continue };
                    let (center, out) = (convex.contact_shape().center(), -part.manifold.normal().as_dvec3());
                    let is_triangle = matches!(convex, Convex::Triangle(..));
                    for point in part.manifold.points() {
                        let at = center + point.from_second;
                        let near = TOGETHER * at.abs().max_element().max(state.radius);
                        let covers = |other: &Convex| {
                            other.reach(out) > out.dot(at.as_dvec3()) + f64::from(near)
                                && other.closest_point(at).distance(at) <= near
                        };
                        let is_inner = things.clone().any(|(other, pair, shape)| {
                            let is_same = other == number;
                            let parts =
                                pair.parts.iter().filter(|known| !is_same || is_compound && known.part != part.part);
                            let mut parts = parts.filter_map(|part| shape.part(part.part));
                            // Edges between the triangles of a surface have been left out already.
                            parts.any(|part| {
                                !(is_same && is_triangle && matches!(part, Convex::Triangle(..))) && covers(&part)
                            })
                        });
                        if is_inner {
                            dropped.push((number, i, point.from_second));
                        }
                    }
                }
            }
        }
        for (number, i, from_second) in dropped {
            if let Some(pair) = self.contacts.get_mut(number) {
                pair.parts[i].drop_point(from_second);
            }
        }
    }

    /// Whether contacts do not move the second thing of a pair, but hold the first: it is fixed or kinematic.
    fn is_unmoved(&self, pair: &ContactPair) -> bool {
        self.states(pair).1.is_none_or(|state| !state.is_dynamic() && !state.is_off && !state.body.is_sensor)
    }

    /// Whether the awake body of a pair wakes the other: they touch, or approach each other.
    fn wakes(&self, pair: &ContactPair, config: &DynamicsConfig) -> bool {
        if pair.is_touching {
            return true;
        }
        let (first, second) = self.states(pair);
        let velocity = |state: Option<&BodyState>| state.map_or(Vec3::ZERO, |state| state.body.velocity);
        let closing = velocity(first) - velocity(second);
        let mut near = pair.parts.iter().filter(|part| !part.manifold.points().is_empty());
        near.any(|part| part.manifold.normal().dot(closing) > config.sleep_speed)
    }

    /// Counts the pairs of each awake body with fixed and with kinematic things, starting from counts of zero, so that
    /// bodies in the middle of a heap need not go through their pairs.
    fn count_fixed(&mut self, active: &[ActivePair], roles: &Roles) {
        for active in active {
            let [_, second] = roles.of(active.bodies);
            let is_fixed = active.bodies[1] == NONE;
            if let Some(Some(state)) = self.bodies.get_mut(active.bodies[0] as usize) {
                state.fixed_pairs += u32::from(is_fixed);
                state.unmoved_pairs += u32::from(is_fixed || second.is_kinematic());
            }
        }
    }

    /// Lists what passes over pairs need to know about bodies.
    fn describe(&mut self, team: &Team, pairs: &mut ActivePairs) {
        let ActivePairs { roles: Roles(roles), approaches, .. } = pairs;
        roles.resize(self.bodies.len(), Role(0));
        approaches.resize(self.bodies.len(), Approach::FIXED);
        let size = threads::piece(team, self.bodies.len(), 64);
        let listed = roles.chunks_mut(size).zip(approaches.chunks_mut(size));
        threads::each(team, self.bodies.chunks_mut(size).zip(listed), &|(bodies, (roles, approaches))| {
            for (state, (role, approach)) in bodies.iter_mut().zip(roles.iter_mut().zip(approaches)) {
                (*role, *approach) = (Role(0), Approach::FIXED);
                if let Some(state) = state {
                    (*role, *approach) = (state.role(), Approach::new(state));
                    (state.fixed_pairs, state.unmoved_pairs) = (0, 0);
                }
            }
        });
    }

    /// Lists the pairs with something awake in them.
    fn list_active(&self, pairs: &mut ActivePairs) {
        let ActivePairs { active, roles, approaches, .. } = pairs;
        active.clear();
        let rouses = self.contacts.iter().filter(|(_, pair)| roles.either(pair.bodies, Role::ROUSES));
        active.extend(rouses.map(|(number, pair)| ActivePair::new(number, pair, approaches)));
    }

    /// The bodies of a pair.
    pub(super) fn states(&self, pair: &ContactPair) -> (Option<&BodyState>, Option<&BodyState>) {
        let [first, second] = pair.bodies;
        let state = |at: u32| self.bodies.get(at as usize)?.as_ref();
        (state(first), state(second))
    }

    pub(in crate::dynamics) fn is_body(&self, at: u32) -> bool {
        self.bodies.get(at as usize).is_some_and(Option::is_some)
    }
}

/// Whether a fixed thing has parts, whose contacts with a body are [known](BodyState::known) only near that.
pub(in crate::dynamics) fn has_parts(world: &World, thing: Target) -> bool {
    let Target::Object(key) = thing else { return false };
    world.object(key).is_some_and(|object| object.shape.convex().is_none())
}

/// Where the contacts of a body with the parts of another are known: wherever both may get, but beside a kinematic one,
/// as beside something fixed, not at the far end of a long way. Where they meet there, `meeting`
/// tells.
fn reach_beside(body: &BodyState, other: &BodyState, dt: f32, config: &DynamicsConfig) -> Aabb {
    let far = FAR * body.radius;
    let way = body.velocity_after(dt, config) - other.velocity_after(dt, config);
    let length = way.length() * dt;
    if other.is_dynamic() || other.shape.convex().is_some() || length <= far || length.is_nan() {
        return grown(&body.reach, &other.shape.aabb(), &other.reach);
    }
    let turning = body.turning_in(dt) + other.turning_in(dt);
    reach_of(&body.shape.aabb(), way * (far / length), dt, config.margin + turning)
}

/// A box grown by as much as `outer` reaches beyond `inner`, on the opposite sides.
fn grown(aabb: &Aabb, inner: &Aabb, outer: &Aabb) -> Aabb {
    let (below, above) = ((inner.min() - outer.min()).max(Vec3::ZERO), (outer.max() - inner.max()).max(Vec3::ZERO));
    Aabb::new(aabb.min() - above, aabb.max() + below).unwrap_or(*aabb)
}
