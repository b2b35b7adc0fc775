//! Overlaps with volumes, and the nearest objects to a point.

use crate::{
    Filter, Object, ObjectKey, Target, World, WorldPlane,
    query::{batch, best::Best},
};
use cullide_bvh::{Bvh, Leaf, Visit};
use cullide_narrowphase::{Aabb, Capsule, Obb, Side, Sides, Sphere, glam::Vec3};
use std::ops::ControlFlow;

/// With so many objects, or fewer, the faces of an oriented box are not compared with their boxes.
const FEW: usize = 4;

/// Something near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Near {
    /// What it is.
    pub target: Target,
    /// Which part of a composite shape: of a mesh or a terrain the triangle, of a compound the child; 0 for others.
    pub part: u32,
    /// The caller's number for that part, its material perhaps; 0 where there is none.
    pub surface: u16,
    /// The distance to its nearest point, 0 inside.
    pub distance: f32,
    /// Its point nearest to the one asked for.
    pub point: Vec3,
}

impl World {
    /// Appends everything that an oriented box touches to `near`, ordered by key: of the half-spaces all that it is not
    /// wholly in front of, also those that it is wholly behind, which ignore it in sweeps.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Obb, Sphere}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let mut near = vec![];
    /// world.overlap_box(&Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [ball.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_box(&self, obb: &Obb, filter: &Filter, near: &mut Vec<Target>) {
        let first = near.len();
        self.push_planes(filter, near, |entry| entry.plane.side_of_obb(obb));
        let bounds = obb.aabb();
        let touches = |object: &Object| object.shape.overlaps_obb(obb, &bounds);
        self.push_objects(filter, near, touches, |tree, visit| {
            // Of few objects none is told apart from the box for less than what its own test costs.
            if tree.len() <= FEW {
                tree.overlap_aabb(&bounds, filter.mask(), visit);
            } else {
                tree.overlap_obb(obb, filter.mask(), visit);
            }
        });
        near[first..].sort_unstable();
    }

    /// Appends everything that an axis-aligned box touches to `near`, ordered by key: a trigger volume, a cell of a
    /// grid.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Aabb, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let mut near = vec![];
    /// world.overlap_aabb(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [ball.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_aabb(&self, aabb: &Aabb, filter: &Filter, near: &mut Vec<Target>) {
        let first = near.len();
        self.push_planes(filter, near, |entry| entry.plane.side_of_aabb(aabb));
        let touches = |object: &Object| object.shape.overlaps_aabb(aabb);
        self.push_objects(filter, near, touches, |tree, visit| tree.overlap_aabb(aabb, filter.mask(), visit));
        near[first..].sort_unstable();
    }

    /// Appends the answer of [`World::overlap_box`] for each of `boxes` to `answers`, in their order; in parallel with
    /// the feature `parallel`.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Obb, Sphere}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let boxes = [Vec3::NEG_X, Vec3::X].map(|center| Obb::new(center, Quat::IDENTITY, Vec3::ONE).unwrap());
    /// let mut answers = vec![];
    /// world.overlap_box_batch(&boxes, &Filter::ALL, &mut answers);
    /// assert_eq!(answers, [vec![], vec![ball.into()]]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_box_batch(&self, boxes: &[Obb], filter: &Filter, answers: &mut Vec<Vec<Target>>) {
        batch(boxes, answers, Vec::new(), |obb| {
            let mut near = Vec::new();
            self.overlap_box(obb, filter, &mut near);
            near
        });
    }

    /// Appends everything that a sphere touches to `near`, ordered by key.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Plane, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let mut near = vec![];
    /// world.overlap_sphere(&Sphere::new(Vec3::Y * 2.0, 2.0)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [floor.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_sphere(&self, sphere: &Sphere, filter: &Filter, near: &mut Vec<Target>) {
        let first = near.len();
        self.push_planes(filter, near, |entry| entry.plane.side_of_sphere(sphere));
        let touches = |object: &Object| object.shape.overlaps_sphere(sphere);
        self.push_objects(filter, near, touches, |tree, visit| tree.overlap_sphere(sphere, filter.mask(), visit));
        near[first..].sort_unstable();
    }

    /// Appends everything that a capsule touches to `near`, ordered by key: whether a character has room to stand up.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Capsule, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// let beam = world.insert_plane(Plane::new(Vec3::NEG_Y, 2.0)?, 0b1);
    /// let mut near = vec![];
    /// world.overlap_capsule(&Capsule::new(Vec3::Y * 0.5, Vec3::Y * 1.5, 0.5)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [beam.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_capsule(&self, capsule: &Capsule, filter: &Filter, near: &mut Vec<Target>) {
        let first = near.len();
        self.push_planes(filter, near, |entry| entry.plane.side_of_capsule(capsule));
        let bounds = capsule.aabb();
        let touches = |object: &Object| object.shape.overlaps_capsule(capsule, &bounds);
        self.push_objects(filter, near, touches, |tree, visit| tree.overlap_aabb(&bounds, filter.mask(), visit));
        near[first..].sort_unstable();
    }

    /// Appends everything that contains `point`, on its surface included, to `near`, ordered by key. A NaN lies in
    /// nothing, nor does a point beyond [`MAX_COORDINATE`](cullide_narrowphase::MAX_COORDINATE).
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let mut near = vec![];
    /// world.overlap_point(Vec3::ZERO, &Filter::ALL, &mut near);
    /// assert!(near.is_empty());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_point(&self, point: Vec3, filter: &Filter, near: &mut Vec<Target>) {
        if let Ok(sphere) = Sphere::new(point, 0.0) {
            self.overlap_sphere(&sphere, filter, near);
        }
    }

    /// Appends the `count` objects and planes nearest to `point` to `near`, nearest first, then by key; all there are
    /// with `usize::MAX`. None is farther than `max_distance` (inclusive; infinity allowed). A point or a distance that
    /// is NaN is near nothing.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?));
    /// let close = world.insert(Object::fixed(Sphere::new(Vec3::Y * 5.0, 2.0)?));
    /// let mut near = vec![];
    /// world.nearest(Vec3::ZERO, 100.0, 1, &Filter::ALL, &mut near);
    /// assert_eq!((near[0].target, near[0].distance), (close.into(), 3.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn nearest(&self, point: Vec3, max_distance: f32, count: usize, filter: &Filter, near: &mut Vec<Near>) {
        if count == 0 || !point.is_finite() || max_distance.is_nan() || max_distance < 0.0 {
            return;
        }
        let order = |a: &Near, b: &Near| a.distance.total_cmp(&b.distance).then(a.target.cmp(&b.target));
        let mut best = Best::new(near, count, order);
        // Returns how far it is still worth looking.
        let mut offer = |found: Near| {
            if found.distance <= max_distance {
                best.offer(found);
            }
            best.greatest().map_or(max_distance, |last| last.distance)
        };
        let mut limit = max_distance;
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
            let inside = entry.sides == Sides::Front && entry.plane.side_of_point(point) != Side::Front;
            let nearest = if inside { point } else { entry.plane.closest_point(point) };
            limit = offer(Near {
                target: key.into(),
                part: 0,
                surface: 0,
                distance: distance(nearest, point),
                point: nearest,
            });
        }
        let mut ask = |(key, object): (ObjectKey, &Object), limit: &mut f32| {
            if filter.accepts(key, || object) {
                let nearest = object.shape.closest_point(point, *limit);
                if let Some((part, nearest)) = nearest {
                    let (surface, distance) = (object.shape.surface(part), distance(nearest, point));
                    *limit = offer(Near { target: key.into(), part, surface, distance, point: nearest });
                }
            }
        };
        for tree in self.trees(filter) {
            match tree.lone_leaf() {
                Some(leaf) => {
                    let (key, object) = self.keyed_object(leaf);
                    if filter.accepts_layers(object.layers) {
                        ask((key, object), &mut limit);
                    }
                }
                None => tree.nearest(point, limit, filter.mask(), |leaf, _| {
                    ask(self.keyed_object(leaf), &mut limit);
                    Visit::Within(limit)
                }),
            }
        }
        best.finish();
    }

    /// Appends the objects of the filter's that a volume `touches`, in no fixed order. `each_near` calls its visitor with
    /// the leaves of a tree that may be near the volume.
    fn push_objects(
        &self,
        filter: &Filter,
        near: &mut Vec<Target>,
        touches: impl Fn(&Object) -> bool,
        each_near: impl Fn(&Bvh, &mut dyn FnMut(Leaf) -> ControlFlow<()>),
    ) {
        for tree in self.trees(filter) {
            let mut push = |key: ObjectKey, object: &Object| {
                if touches(object) && filter.accepts(key, || object) {
                    near.push(key.into());
                }
            };
            // A lone object tells for less than its tree that it is far: it has one of its own, or few faces.
            if let Some(leaf) = tree.lone_leaf() {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts_layers(object.layers) {
                    push(key, object);
                }
                continue;
            }
            each_near(tree, &mut |leaf| {
                let (key, object) = self.keyed_object(leaf);
                push(key, object);
                ControlFlow::Continue(())
            });
        }
    }

    /// The planes of the filter's layers whose solid side, or surface, is touched by what has `side` of them.
    fn push_planes(&self, filter: &Filter, near: &mut Vec<Target>, side: impl Fn(&WorldPlane) -> Side) {
        let planes = self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers));
        near.extend(
            planes
                .filter(|(_, entry)| match entry.sides {
                    Sides::Front => side(entry) != Side::Front,
                    Sides::Both => side(entry) == Side::Straddling,
                })
                .map(|(key, _)| Target::from(key)),
        );
    }
}

fn distance(a: Vec3, b: Vec3) -> f32 {
    a.as_dvec3().distance(b.as_dvec3()) as f32
}
