//! The nearest objects to a point.

use crate::{Filter, Object, ObjectKey, Target, World, query::best::Best};
use cullide_bvh::Visit;
use cullide_narrowphase::{Side, Sides, glam::Vec3};

/// An object or a plane near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Near {
    /// What it is.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// The distance to its nearest point; 0 if the query point is inside.
    pub distance: f32,
    /// Its point nearest to the query point.
    pub point: Vec3,
}

impl World {
    /// Appends the `count` objects and planes nearest to `point` to `near`, nearest first, then by key; with
    /// `usize::MAX`, all of them. None is farther than `max_distance` (inclusive; infinity allowed). Nothing is near a
    /// point that is not finite, nor within a negative or NaN distance.
    ///
    /// Of the parts of a composite shape, only those are examined that may be the nearest. In the middle of a bowl these
    /// are all: a terrain of a million cells then takes a quarter of a second.
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
        // Returns how far the search still has to go.
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
}

fn distance(a: Vec3, b: Vec3) -> f32 {
    a.as_dvec3().distance(b.as_dvec3()) as f32
}
