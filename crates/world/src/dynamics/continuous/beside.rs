//! Which fixed things are near a body, so that it must not enter them.

use super::{
    guard::{points_within, within},
    obstacle::{Fixed, FixedObstacle, Obstacles},
};
use crate::{
    Filter, Object, PartContact, Target, World,
    dynamics::{BodyState, Dynamics, NONE, body::pose::BodyShape, pairs::near::has_parts},
    scene::planes::{MotionBounds, NearPlanes},
};
use cullide_narrowphase::{
    Aabb, Listed, Solid,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// A contact of a body, with the fixed thing that it touches.
pub(super) type FixedContact<'a> = (Target, &'a PartContact);

/// What may be in the way of a body.
pub(super) struct NearbyObstacles<'a> {
    /// The contacts, from which obstacles are made when they are needed.
    pub(super) contacts: SmallVec<[FixedContact<'a>; 16]>,
    pub(super) obstacles: SmallVec<[Option<FixedObstacle<'a>>; 16]>,
    /// Nothing farther from the body than this is listed.
    pub(super) reach: f32,
    /// The list is valid only while the body stays in this box.
    pub(super) within: Option<Aabb>,
    /// Whether it is of contacts: see [`Dynamics::stays_known`].
    pub(super) are_contacts: bool,
}

impl Dynamics {
    /// What is no farther from a body than `reach`, for a way that leads out of where its contacts are known: it was
    /// struck, and is faster than it was known to be, or is pushed out of something. `None` if its object is gone.
    pub(super) fn beyond<'a>(&self, world: &'a World, state: &BodyState, reach: f32) -> Option<NearbyObstacles<'a>> {
        let obstacles = self.obstacles_near(world, state, [Vec3::splat(reach); 2])?;
        Some(NearbyObstacles { contacts: SmallVec::new(), obstacles, reach, within: None, are_contacts: false })
    }

    /// The obstacles around a body, up to these distances below and above each of its parts along each axis. `None` if
    /// its object is gone.
    pub(super) fn obstacles_near<'a>(
        &self,
        world: &'a World,
        state: &BodyState,
        [below, above]: [Vec3; 2],
    ) -> Option<SmallVec<[Option<FixedObstacle<'a>>; 16]>> {
        let mut obstacles = SmallVec::new();
        let wider = |aabb: &Aabb| Aabb::new(aabb.min() - below, aabb.max() + above).unwrap_or(*aabb);
        let parts = (0..state.shape.part_count()).filter_map(|number| Some((number, state.shape.part(number)?.aabb())));
        let parts: SmallVec<[(u32, Aabb); 8]> = parts.listed();
        let mut add = |shape: Fixed<'a>, (own, aabb): &(u32, Aabb)| {
            let is_apart = |normal: &DVec3| shape.nearest_along(*normal) >= state.shape.reach(*own, *normal);
            // Mostly the normal of a triangle shows that the two are apart, at less cost than that of a contact.
            let normal = shape.across(aabb.center()).filter(is_apart).or_else(|| shape.toward(&state.shape, *own));
            if let Some(normal) = normal {
                obstacles.push(Some(shape.before(state, *own, normal)));
            }
        };
        let around = wider(&state.shape.aabb());
        let way = MotionBounds::of_ball(around.center(), around.half_extents().length(), Vec3::ZERO);
        self.each_plane(world, state, &way, |plane| parts.iter().for_each(|part| add(plane, part)))?;
        self.each_fixed(world, state, &around, |object| {
            // In an order independent of the tree of a mesh, because they are dealt with one after the other.
            let mut found = Vec::new();
            object.shape.parts_near(&around, &mut |number, _| found.push(number));
            found.sort_unstable();
            for shape in found.into_iter().filter_map(|number| object.shape.part(number)) {
                for part in &parts {
                    if wider(&part.1).overlaps(&shape.aabb()) && shape.is_faced_by(part.1.center()) {
                        add(Fixed::Part(shape), part);
                    }
                }
            }
        })?;
        Some(obstacles)
    }

    /// Calls `visit` with the planes that a body may touch on a way. `None` if its object is gone.
    pub(super) fn each_plane<'a>(
        &self,
        world: &'a World,
        state: &BodyState,
        way: &MotionBounds,
        visit: impl FnMut(Fixed<'a>),
    ) -> Option<()> {
        let mut planes = NearPlanes::new();
        world.planes.near(way, &Filter::layers(world.object(state.key)?.pairs_with), &mut planes);
        planes.iter().filter_map(|plane| Fixed::plane(world, world.plane_key(plane.slot))).for_each(visit);
        Some(())
    }

    /// Calls `visit` with the objects in a box that a body must not enter. `None` if its own is gone.
    pub(super) fn each_fixed<'a>(
        &self,
        world: &'a World,
        state: &BodyState,
        around: &Aabb,
        mut visit: impl FnMut(&'a Object),
    ) -> Option<()> {
        let own = world.object(state.key)?;
        let mut near = Vec::new();
        world.overlap(around, &Filter::layers(own.pairs_with), &mut near);
        near.sort_unstable();
        for target in near {
            let Target::Object(key) = target else { continue };
            let name = (key.min(state.key), key.max(state.key));
            if self.at(key).is_none()
                && !self.ignored.contains(&name)
                && let Some(object) = world.object(key).filter(|object| object.pairs_with & own.layers != 0)
            {
                visit(object.get());
            }
        }
        Some(())
    }

    /// The box in which the contacts of a body with fixed things are known.
    pub(super) fn known_around<'a>(&self, world: &World, state: &'a BodyState) -> &'a Aabb {
        let is_all = state.known == state.reach || !self.is_beside_parts(world, state);
        if is_all { &state.reach } else { &state.known }
    }

    /// Whether a body meets nothing on the way to `end` but what it has contacts with, which are known in the box `known`.
    pub(super) fn stays_known(
        &self,
        world: &World,
        state: &BodyState,
        known: &Aabb,
        end: &BodyShape,
        rotation: Vec3,
    ) -> bool {
        let is_within = within(state, known, end, rotation);
        is_within && (points_within(state, known, end, rotation) || !self.is_beside_parts(world, state))
    }

    /// Whether a body is near something fixed that has parts.
    fn is_beside_parts(&self, world: &World, state: &BodyState) -> bool {
        let has_parts = |number: &u32| {
            self.contacts.get(*number).is_some_and(|pair| pair.bodies[1] == NONE && has_parts(world, pair.second))
        };
        state.pairs.iter().any(has_parts)
    }

    /// The contacts of a body with fixed things, no farther from it than `reach`.
    pub(super) fn contacts_with_fixed(&self, state: &BodyState, reach: f32, within: &Aabb) -> NearbyObstacles<'_> {
        let mut contacts = SmallVec::new();
        if state.fixed_pairs > 0 {
            let pairs = state.pairs.iter().filter_map(|number| self.contacts.get(*number));
            for pair in pairs.filter(|pair| pair.bodies[1] == NONE) {
                let parts = pair.parts.iter().filter(|part| part.manifold.distance() <= reach);
                contacts.extend(parts.map(|part| (pair.second, part)));
            }
        }
        let obstacles = SmallVec::from_elem(None, contacts.len());
        NearbyObstacles { contacts, obstacles, reach, within: Some(*within), are_contacts: true }
    }
}

impl<'a> NearbyObstacles<'a> {
    /// All that is in a box around a body.
    pub(super) fn in_box(within: Aabb, obstacles: SmallVec<[Option<FixedObstacle<'a>>; 16]>) -> Self {
        Self { contacts: SmallVec::new(), obstacles, reach: f32::INFINITY, within: Some(within), are_contacts: false }
    }

    pub(super) fn into_obstacles(self, world: &'a World, state: &BodyState) -> Obstacles<'a> {
        let known = self.obstacles.into_iter().enumerate();
        known.filter_map(|(i, known)| known.or_else(|| obstacle_of(world, state, &self.contacts[i]))).listed()
    }
}

/// The obstacle that a body must not enter at a contact.
pub(super) fn obstacle_of<'a>(
    world: &'a World,
    state: &BodyState,
    (second, contact): &FixedContact,
) -> Option<FixedObstacle<'a>> {
    let PartContact { first_part: own, part, manifold, .. } = *contact;
    let shape = match second {
        Target::Object(key) => Fixed::Part(world.object(*key)?.get().shape.part(*part)?),
        Target::Plane(key) => Fixed::plane(world, *key)?,
    };
    Some(shape.before(state, *own, manifold.normal().as_dvec3()))
}
