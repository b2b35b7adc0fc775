//! Where the two objects of a pair touch.

use super::{
    ContactPair, KnownSurroundings, PartContact,
    triangles::{Known, NEAR, Touched, Triangles, drop_inner_edges, sorted, triangles_near},
};
use crate::{
    Mobility, Object, PlacedCompound, Target, World,
    contact::Impulses,
    shape::{Convex, Shape},
};
#[cfg(feature = "dynamics")]
use cullide_narrowphase::ShapeMotion;
use cullide_narrowphase::{Aabb, ContactManifold, ContactShape, Listed, ManifoldPoint, Solid, Triangle, glam::Vec3};
use smallvec::SmallVec;

/// The points of a manifold.
type ManifoldPoints = SmallVec<[ManifoldPoint; 4]>;

/// A body that is in a triangle by more than a quarter of the root of its area, as `d² · DEEP > 2 · area`, may be in many.
const DEEP: f32 = 32.0;

/// So is one that is in by more than this share of its size, whatever it is in.
const FAR_IN: f32 = 0.125;

/// Points of two updates within this many margins of each other count as the same, whatever features touch there.
const SAME_PLACE: f32 = 2.5;

impl ContactPair {
    /// Computes the manifolds of the pair, with the points that are no farther apart than `margin`; the first object
    /// stays within `reach` until the next update. Triangles are collected up to `room` beyond that: see
    /// [`Self::recycle_triangles`]. Impulses stay with the points that they belong to.
    pub(crate) fn update(&mut self, world: &World, reach: &Aabb, room: f32, margin: f32, touching: f32) {
        self.was_touching = self.is_touching;
        match world.object(self.first).map(|object| &object.get().shape) {
            None | Some(Shape::Mesh(_) | Shape::Terrain(_)) => self.parts.clear(),
            Some(Shape::Compound(first)) => self.update_children(world, first, reach, margin),
            Some(first) => {
                if let Some(first) = first.convex() {
                    self.update_convex(world, &first, reach, room, margin);
                }
            }
        }
        self.is_touching = self.parts.iter().any(|part| part.touches(touching));
    }

    /// The same for two convex shapes, which the caller already has.
    #[cfg(feature = "dynamics")]
    pub(crate) fn update_bodies(&mut self, first: &Convex, second: &Convex, margin: f32, touching: f32) {
        self.was_touching = self.is_touching;
        let part = self.only_part();
        part.update(first, &second.contact_shape(), margin);
        self.is_touching = part.touches(touching);
    }

    /// Moves the points of two convex shapes along with them, unless the shapes have moved relative to each other by
    /// more than `limit` since the points were computed: see
    /// [`ContactManifold::recycle`](cullide_narrowphase::ContactManifold::recycle).
    #[cfg(feature = "dynamics")]
    pub(crate) fn recycle(&mut self, moved: [&ShapeMotion; 2], travel: f32, limit: f32, touching: f32) -> bool {
        let [part] = &mut self.parts[..] else { return false };
        let is_recycled = !part.manifold.points().is_empty() && part.manifold.recycle(moved, travel, limit);
        if is_recycled {
            (self.was_touching, self.is_touching) = (self.is_touching, part.touches(touching));
        }
        is_recycled
    }

    /// The same for a box on a fixed mesh or terrain, if it can reach no other triangles than those that it might have
    /// reached when they were collected. None of its points gets beyond `reach`, and `around` is its bounding box.
    #[cfg(feature = "dynamics")]
    pub(crate) fn recycle_triangles(
        &mut self,
        [around, reach]: [&Aabb; 2],
        moved: &ShapeMotion,
        travel: f32,
        limit: f32,
        touching: f32,
    ) -> bool {
        let now = KnownSurroundings::new(around, reach);
        let Some(known) = self.surroundings.as_mut().filter(|known| known.cover(&now, travel)) else { return false };
        known.travelled += travel;
        let moved = [moved, &ShapeMotion::NONE];
        // If one is not recycled, all are computed again.
        let is_recycled =
            known.travelled <= limit && self.parts.iter_mut().all(|part| part.manifold.recycle(moved, travel, limit));
        if is_recycled {
            self.was_touching = self.is_touching;
            self.is_touching = self.parts.iter().any(|part| part.touches(touching));
        }
        is_recycled
    }

    /// Whether two convex shapes that had no points still have none, after coming nearer by no more than `travel`.
    #[cfg(feature = "dynamics")]
    pub(crate) fn stays_apart(&mut self, travel: f32, margin: f32) -> bool {
        let [part] = &mut self.parts[..] else { return false };
        let is_apart = (part.first_part, part.part) == (0, 0) && part.manifold.stays_apart(travel, margin);
        if is_apart {
            (self.was_touching, self.is_touching) = (self.is_touching, false);
        }
        is_apart
    }

    fn update_convex(&mut self, world: &World, first: &Convex, reach: &Aabb, room: f32, margin: f32) {
        match self.second {
            Target::Plane(key) => {
                if let Some(entry) = world.plane(key) {
                    self.only_part().update(first, &ContactShape::Plane(&entry.plane, entry.sides), margin);
                }
            }
            Target::Object(key) => match world.object(key).map(|object| object.get()) {
                Some(Object { shape, mobility, .. }) => match shape.convex() {
                    Some(second) => self.only_part().update(first, &second.contact_shape(), margin),
                    None if matches!(shape, Shape::Mesh(_) | Shape::Terrain(_)) => {
                        let reach = reach.expanded(room);
                        let near = triangles_near(first, shape, &reach).unwrap_or_default();
                        let known = Known { triangles: &near, within: &reach, surface: shape };
                        self.update_triangles(first, &known, margin);
                        let is_fixed = *mobility == Mobility::Fixed;
                        self.surroundings = is_fixed.then(|| KnownSurroundings::new(&first.aabb(), &reach));
                    }
                    None => {
                        let mut near = SmallVec::new();
                        self.find_parts(0, first, shape, reach, margin, &mut near);
                        self.set_parts(near);
                    }
                },
                None => self.parts.clear(),
            },
        }
    }

    /// Updates each triangle of a mesh or a terrain within reach as a shape of its own.
    fn update_triangles(&mut self, first: &Convex, known: &Known, margin: f32) {
        let near = known.triangles;
        let numbers = self.parts.iter().map(|part| (part.first_part, part.part));
        if !numbers.eq(near.iter().map(|(number, _)| (0, *number))) {
            self.parts = near.iter().map(|(number, _)| self.contact(0, *number)).listed();
        }
        let mut deepest = Deepest::default();
        for (place, (part, (_, triangle))) in self.parts.iter_mut().zip(near).enumerate() {
            part.update(first, &ContactShape::Triangle(triangle), margin);
            deepest.note(place, &part.manifold);
            if !part.manifold.points().is_empty() {
                part.drop_inner_edges(first, triangle, known, margin);
            }
            // Along the normal that remains.
            part.start = start_along(part.manifold.normal(), triangle);
        }
        let triangle = |part: &PartContact| near.iter().find(|(number, _)| *number == part.part).map(|(_, own)| *own);
        deepest.restore(first, &mut self.parts, margin, triangle);
    }

    /// Updates each child of a compound as a shape of its own.
    fn update_children(&mut self, world: &World, first: &PlacedCompound, reach: &Aabb, margin: f32) {
        let whole = first.aabb();
        let (below, above) = (whole.min() - reach.min(), reach.max() - whole.max());
        let mut near = SmallVec::new();
        for number in 0..first.compound().len() as u32 {
            let Some(child) = first.part(number) else { continue };
            let own = child.aabb();
            let Ok(reach) = Aabb::new(own.min() - below, own.max() + above) else { continue };
            match self.second {
                Target::Plane(key) => {
                    if let Some(entry) = world.plane(key) {
                        let mut contact = self.contact(number, 0);
                        contact.update(&child, &ContactShape::Plane(&entry.plane, entry.sides), margin);
                        near.push(contact);
                    }
                }
                Target::Object(key) => {
                    let Some(Object { shape, .. }) = world.object(key).map(|object| object.get()) else { continue };
                    match shape.convex() {
                        Some(second) if reach.overlaps(&second.aabb()) => {
                            let mut contact = self.contact(number, 0);
                            contact.update(&child, &second.contact_shape(), margin);
                            near.push(contact);
                        }
                        Some(_) => {}
                        None => self.find_parts(number, &child, shape, &reach, margin, &mut near),
                    }
                }
            }
        }
        self.set_parts(near);
    }

    /// The only part of a pair of convex shapes.
    fn only_part(&mut self) -> &mut PartContact {
        if self.parts.len() != 1 || (self.parts[0].first_part, self.parts[0].part) != (0, 0) {
            self.parts.clear();
            self.parts.push(PartContact::new(0, 0));
        }
        &mut self.parts[0]
    }

    /// The contact of two parts as it was, or a new one.
    fn contact(&self, first_part: u32, part: u32) -> PartContact {
        let had = self.parts.binary_search_by_key(&(first_part, part), |part| (part.first_part, part.part));
        had.map_or_else(|_| PartContact::new(first_part, part), |at| self.parts[at].clone())
    }

    fn set_parts(&mut self, mut near: SmallVec<[PartContact; 8]>) {
        near.sort_unstable_by_key(|part| (part.first_part, part.part));
        self.parts.clear();
        self.parts.extend(near);
    }

    /// Adds the contacts of a part of the first object with those parts of a composite shape that are within reach.
    fn find_parts(
        &self,
        first_part: u32,
        first: &Convex,
        second: &Shape,
        reach: &Aabb,
        margin: f32,
        near: &mut SmallVec<[PartContact; 8]>,
    ) {
        let update = |number: u32, part: &ContactShape| {
            let mut contact = self.contact(first_part, number);
            contact.update(first, part, margin);
            contact
        };
        let start = near.len();
        let mut triangles = Triangles::new();
        if let Some(found) = triangles_near(first, second, reach) {
            for (number, triangle) in &found {
                near.push(update(*number, &ContactShape::Triangle(triangle)));
            }
            triangles = found;
        } else {
            let center = first.aabb().center();
            second.parts_near(reach, &mut |number, part| {
                if part.is_faced_by(center) {
                    near.push(update(number, &part.contact_shape()));
                    if let Convex::Triangle(triangle, _) = part {
                        triangles.push((number, triangle));
                    }
                }
            });
            triangles = sorted(&triangles);
        }
        let known = Known { triangles: &triangles, within: reach, surface: second };
        let (near, mut deepest) = (&mut near[start..], Deepest::default());
        let triangle_of =
            |part: u32| triangles.binary_search_by_key(&part, |(number, _)| *number).map(|i| &triangles[i].1);
        for (place, contact) in near.iter_mut().enumerate() {
            let Ok(triangle) = triangle_of(contact.part) else { continue };
            deepest.note(place, &contact.manifold);
            if !contact.manifold.points().is_empty() {
                contact.drop_inner_edges(first, triangle, &known, margin);
            }
        }
        deepest.restore(first, near, margin, |part| triangle_of(part.part).ok().copied());
    }
}

/// The triangle that a body is deepest in, with the manifold from before any of its points were dropped.
#[derive(Default)]
struct Deepest(Option<(usize, ContactManifold)>);

impl Deepest {
    fn note(&mut self, place: usize, manifold: &ContactManifold) {
        if manifold.distance() < self.0.as_ref().map_or(0.0, |(_, deepest)| deepest.distance()) {
            self.0 = Some((place, manifold.clone()));
        }
    }

    /// If no point is left, or none at which the body is in anything though it is far in this one, it touches this one:
    /// with its face or, if that is not under the body, as it did.
    fn restore(
        self,
        first: &Convex,
        parts: &mut [PartContact],
        margin: f32,
        triangle: impl Fn(&PartContact) -> Option<Triangle>,
    ) {
        let Some((place, manifold)) = self.0 else { return };
        let is_far_in = -manifold.distance() > 0.5 * FAR_IN * first.aabb().size().min_element();
        let counts = |point: &ManifoldPoint| !is_far_in || point.separation < 0.0;
        if parts.iter().any(|part| part.manifold.points().iter().any(counts)) {
            return;
        }
        let Some(triangle) = triangle(&parts[place]) else { return };
        let part = &mut parts[place];
        part.manifold.update_across(&first.contact_shape(), &triangle, margin);
        if part.manifold.points().iter().all(|point| point.separation >= 0.0) {
            part.manifold = manifold;
        }
        part.start = start_along(part.manifold.normal(), &triangle);
    }
}

/// How far along a unit direction a triangle begins, or a little less.
fn start_along(direction: Vec3, triangle: &Triangle) -> f32 {
    let [a, b, c] = triangle.points();
    let along = |point: Vec3| direction.as_dvec3().dot(point.as_dvec3());
    (along(a).min(along(b)).min(along(c)) as f32).next_down()
}

impl PartContact {
    /// Whether some point is no farther apart than `touching`.
    fn touches(&self, touching: f32) -> bool {
        self.manifold.points().iter().any(|point| point.separation <= touching)
    }

    /// Drops the points of a surface that the body does not touch: see [`drop_inner_edges`]. If none is left of a
    /// triangle that the body is deep in, for example after an edit, the body touches it with its face: between
    /// triangles smaller than its depth no points at all would be left.
    fn drop_inner_edges(&mut self, first: &Convex, own: &Triangle, known: &Known, margin: f32) {
        // A cylinder is round where it touches with its side.
        let is_round = match first {
            Convex::Sphere(_) | Convex::Capsule(_) => true,
            Convex::Cylinder(shape) => shape.rolling_radius(self.manifold.normal().as_dvec3()) > 0.0,
            _ => false,
        };
        let had = ManifoldPoints::from(self.manifold.points());
        let rises_itself = match drop_inner_edges(self, is_round, own, known) {
            Touched::All => return,
            Touched::Face => {
                let distance = self.manifold.distance();
                self.manifold.update_across(&first.contact_shape(), own, margin);
                self.manifold.raise_distance(distance);
                return self.carry_over(&had, margin);
            }
            Touched::Rest { rises_itself } => rises_itself,
        };
        if !self.manifold.points().is_empty() {
            return self.carry_over(&had, margin);
        }
        let (distance, [a, b, c]) = (self.manifold.distance(), own.points());
        let is_in_many = DEEP * distance * distance > (b - a).cross(c - a).length();
        let is_deep = distance < 0.0 && (is_in_many || -distance > FAR_IN * first.aabb().size().min_element());
        if is_deep {
            self.manifold.update_across(&first.contact_shape(), own, margin);
        } else if rises_itself && !is_round {
            self.touch_with_edges(first, own, known, margin);
        }
        self.carry_over(&had, margin);
    }

    /// Lets a body touch a triangle with an edge, if that is how the two are farthest apart: the normal of a face of the
    /// body may be one along which the triangle rises itself.
    fn touch_with_edges(&mut self, first: &Convex, own: &Triangle, known: &Known, margin: f32) {
        let mut edges = Self::new(self.first_part, self.part);
        edges.manifold.update_at_edges(&first.contact_shape(), own, margin);
        let coordinates = own.points().iter().map(|point| point.abs().max_element()).fold(0.0, f32::max);
        if edges.manifold.distance() >= self.manifold.distance() - NEAR * coordinates {
            let touched = drop_inner_edges(&mut edges, false, own, known);
            if !matches!(touched, Touched::Face) && !edges.manifold.points().is_empty() {
                self.manifold = edges.manifold;
            }
        }
    }

    fn update(&mut self, first: &Convex, second: &ContactShape, margin: f32) {
        self.start = f32::MIN;
        let had = ManifoldPoints::from(self.manifold.points());
        self.manifold.update(&first.contact_shape(), second, margin, &mut self.cache);
        self.carry_over(&had, margin);
    }

    /// Gives the points the impulses of those that there were, in their order: by feature or, if other features touch
    /// there now, by place.
    fn carry_over(&mut self, had: &[ManifoldPoint], margin: f32) {
        let count = had.len();
        let now = self.manifold.points();
        if now.is_empty() {
            self.impulses = Impulses::default();
            return;
        }
        let mut normal = [0.0; 4];
        let mut is_taken = [false; 4];
        let mut take = |at: Option<usize>| {
            let at = at?;
            is_taken[at] = true;
            Some(self.impulses.normal[at])
        };
        let mut known = [None; 4];
        for (known, point) in known.iter_mut().zip(now) {
            *known = take(had.iter().position(|old| old.feature == point.feature));
        }
        for ((impulse, point), known) in normal.iter_mut().zip(now).zip(known) {
            let same = SAME_PLACE * margin;
            let is_there = |old: usize| (had[old].from_first - point.from_first).length_squared() <= same * same;
            *impulse = known.unwrap_or_else(|| {
                let Some(old) = (0..count).find(|&old| !is_taken[old] && is_there(old)) else { return 0.0 };
                is_taken[old] = true;
                self.impulses.normal[old]
            });
        }
        self.impulses.carry_on(normal);
        if count == 0 {
            self.impulses = Impulses::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::glam::Quat;

    #[test]
    fn a_triangle_begins_where_is_kept_or_little_later() {
        let [a, b, c] = [Vec3::new(-3.0, 0.1, 2.0), Vec3::new(4.0, -0.7, 1.0), Vec3::new(0.3, 0.2, -5.0)];
        for i in 0..1000 {
            let at = Vec3::new(0.37, -1.3, 0.71) * i as f32;
            let triangle = Triangle::new(a + at, b + at, c + at).unwrap();
            let direction = Quat::from_rotation_x(0.1 * i as f32) * Vec3::new(0.6, 0.0, 0.8);
            let exact = -Convex::Triangle(triangle, cullide_narrowphase::Sides::Both).reach(-direction.as_dvec3());
            let late = exact - f64::from(start_along(direction, &triangle));
            assert!(late >= 0.0 && late <= 4.0 * f64::from(f32::EPSILON) * (1.0 + exact.abs()), "{i}: {late}");
        }
    }
}
