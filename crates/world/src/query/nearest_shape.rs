//! The nearest objects to a shape of any kind.

use crate::{
    Filter, Filters, Object, ObjectKey, Shape, ShapeDistance, Target, World,
    query::{batch, best::Best},
    shape::distance::{Measured, margin},
};
use cullide_bvh::Visit;

/// An object or a plane near a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearShape {
    /// What it is.
    pub target: Target,
    /// How far the shape, the first of the two, is from it.
    pub distance: ShapeDistance,
}

impl World {
    /// Appends the `count` objects and planes nearest to a shape of any kind to `near`, the deepest first, then by key;
    /// with `usize::MAX`, all of them. None is farther than `max_distance` (inclusive; infinity allowed). Nothing is
    /// near within a negative or NaN distance.
    ///
    /// Distances are those of [`Shape::distance`]. Half-spaces are solid, walls have no thickness; of a composite shape,
    /// the part that is nearest to a plane or deepest in it counts, and all parts are examined to find it.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Shape, World, narrowphase::{Aabb, Hull, Plane}, glam::{DVec3, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let crate_ = world.insert(Object::fixed(Aabb::new(Vec3::X * 9.0, Vec3::new(12.0, 3.0, 3.0))?));
    /// let tent = Hull::new(&[Vec3::ZERO, Vec3::X * 4.0, Vec3::Z * 4.0, Vec3::Y * 4.0])?;
    /// let mut near = vec![];
    /// world.nearest_to_shape(&Shape::from(tent), 100.0, usize::MAX, &Filter::ALL, &mut near);
    /// assert_eq!([near[0].target, near[1].target], [floor.into(), crate_.into()]);
    /// assert_eq!([near[0].distance.separation, near[1].distance.separation], [0.0, 5.0]);
    /// assert_eq!(near[1].distance.normal, DVec3::NEG_X);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn nearest_to_shape(
        &self,
        shape: &Shape,
        max_distance: f32,
        count: usize,
        filter: &Filter,
        near: &mut Vec<NearShape>,
    ) {
        if count == 0 || max_distance.is_nan() || max_distance < 0.0 {
            return;
        }
        let (measured, bounds) = (Measured::new(shape), shape.aabb());
        let order = |a: &NearShape, b: &NearShape| {
            a.distance.separation.total_cmp(&b.distance.separation).then(a.target.cmp(&b.target))
        };
        let (mut best, mut limit) = (Best::new(near, count, order), f64::from(max_distance));
        let mut offer = |target: Target, found: Option<ShapeDistance>, limit: &mut f64| {
            if let Some(distance) = found {
                best.offer(NearShape { target, distance });
                *limit = best.greatest().map_or(*limit, |last| last.distance.separation);
            }
        };
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
            offer(key.into(), measured.distance_to_plane(&entry.plane, entry.sides, limit), &mut limit);
        }
        let mut ask = |(key, object): (ObjectKey, &Object), limit: &mut f64| {
            if filter.accepts(key, || object) {
                offer(key.into(), measured.distance(&object.shape, *limit), limit);
            }
        };
        for tree in self.trees(filter) {
            if let Some(leaf) = tree.lone_leaf() {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts_layers(object.layers) {
                    ask((key, object), &mut limit);
                }
                continue;
            }
            let margin = tree.bounds().map_or(0.0, |all| margin([&bounds, &all]));
            let within = |limit: f64| ((limit.max(0.0) + margin) as f32).next_up();
            tree.nearest_to_box(&bounds, within(limit), filter.mask(), |leaf, _| {
                ask(self.keyed_object(leaf), &mut limit);
                Visit::Within(within(limit))
            });
        }
        best.finish();
    }

    /// Appends the answer of [`World::nearest_to_shape`] for each of `shapes` to `answers`, in order of the shapes; in
    /// parallel with the feature `parallel`. The answers do not depend on the number of threads.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Shape, World, narrowphase::Sphere, glam::Vec3};
    /// let ball = |x: f32| Sphere::new(Vec3::X * x, 1.0);
    /// let mut world = World::new();
    /// world.insert_batch([Object::fixed(ball(0.0)?), Object::fixed(ball(10.0)?)]);
    /// let mut answers = vec![];
    /// world.nearest_to_shape_batch(&[ball(4.0)?.into(), ball(90.0)?.into()], 5.0, 1, &Filter::ALL, &mut answers);
    /// assert_eq!((answers[0][0].distance.separation, answers[1].len()), (2.0, 0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn nearest_to_shape_batch(
        &self,
        shapes: &[Shape],
        max_distance: f32,
        count: usize,
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<Vec<NearShape>>,
    ) {
        batch(shapes, filters, answers, vec![], |shape, filter| {
            let mut near = vec![];
            self.nearest_to_shape(shape, max_distance, count, filter, &mut near);
            near
        });
    }
}
