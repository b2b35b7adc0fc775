//! The nearest objects to a point; to a shape, see `nearest_shape.rs`.

use crate::{Filter, NearShape, Object, ObjectKey, Shape, Target, World, query::best::Best, shape::Convex};
use cullide_bvh::Visit;
use cullide_narrowphase::{
    Side, Sides, Solid, Sphere,
    glam::{DVec3, Vec3},
};

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
    /// Its point nearest to the query point; the query point itself if that is inside.
    pub point: Vec3,
    /// Unit direction in which the query point moves away from it: that from the nearest point, or from inside, the
    /// shortest way out.
    pub normal: Vec3,
    /// The distance again; inside a solid, how far it is along the normal to its surface, as a negative number. Of a
    /// compound, it is the surface of the part.
    pub separation: f32,
}

/// That to which [`World::nearest`] finds what is nearest: a point, which is a [`Vec3`], or a [`&Shape`](Shape).
pub trait NearestTo {
    /// What is told of each thing found.
    type Near;

    #[doc(hidden)]
    fn nearest_in(self, world: &World, max_distance: f32, count: usize, filter: &Filter, near: &mut Vec<Self::Near>);
}

impl NearestTo for Vec3 {
    type Near = Near;

    fn nearest_in(self, world: &World, max_distance: f32, count: usize, filter: &Filter, near: &mut Vec<Near>) {
        world.nearest_to_point(self, max_distance, count, filter, near);
    }
}

impl NearestTo for &Vec3 {
    type Near = Near;

    fn nearest_in(self, world: &World, max_distance: f32, count: usize, filter: &Filter, near: &mut Vec<Near>) {
        world.nearest_to_point(*self, max_distance, count, filter, near);
    }
}

impl NearestTo for &Shape {
    type Near = NearShape;

    fn nearest_in(self, world: &World, max_distance: f32, count: usize, filter: &Filter, near: &mut Vec<NearShape>) {
        world.nearest_to_shape(self, max_distance, count, filter, near);
    }
}

impl World {
    /// Appends the `count` objects and planes nearest to a point, a [`Vec3`], or to a shape of any kind, a [`&Shape`](Shape),
    /// to `near`, nearest first, then by key; with `usize::MAX`, all of them. None is farther than `max_distance`
    /// (inclusive; infinity allowed). Nothing is near a point that is not finite, nor within a negative or NaN distance.
    ///
    /// Of the parts of a composite shape, only those are examined that may be the nearest. In the middle of a bowl these
    /// are all: a terrain of a million cells then takes a quarter of a second.
    ///
    /// Of a shape, distances are those of [`Shape::distance`], and what it is deepest in comes first. Half-spaces are
    /// solid, walls have no thickness; of a composite shape, the part that is nearest to a plane or deepest in it counts,
    /// and all parts are examined to find it.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Shape, World, narrowphase::{Aabb, Hull, Plane, Sphere}, glam::{DVec3, Vec3}};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?));
    /// let close = world.insert(Object::fixed(Sphere::new(Vec3::Y * 5.0, 2.0)?));
    /// let mut near = vec![];
    /// world.nearest(Vec3::ZERO, 100.0, 1, &Filter::ALL, &mut near);
    /// assert_eq!((near[0].target, near[0].distance, near[0].normal), (close.into(), 3.0, Vec3::NEG_Y));
    /// near.clear();
    /// world.nearest(Vec3::Y * 4.0, 100.0, 1, &Filter::ALL, &mut near);
    /// // One to the surface.
    /// assert_eq!((near[0].distance, near[0].separation, near[0].normal), (0.0, -1.0, Vec3::NEG_Y));
    ///
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let tent = Shape::from(Hull::new(&[Vec3::ZERO, Vec3::X * 4.0, Vec3::Z * 4.0, Vec3::Y * 4.0])?);
    /// let mut near = vec![];
    /// world.nearest(&tent, 100.0, usize::MAX, &Filter::ALL, &mut near);
    /// assert_eq!([near[0].target, near[1].target], [close.into(), floor.into()]);
    /// assert_eq!((near[0].distance.separation, near[1].distance.separation), (-1.0, 0.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn nearest<P: NearestTo>(
        &self,
        place: P,
        max_distance: f32,
        count: usize,
        filter: &Filter,
        near: &mut Vec<P::Near>,
    ) {
        place.nearest_in(self, max_distance, count, filter, near);
    }

    fn nearest_to_point(&self, point: Vec3, max_distance: f32, count: usize, filter: &Filter, near: &mut Vec<Near>) {
        if count == 0 || !point.is_finite() || max_distance.is_nan() || max_distance < 0.0 {
            return;
        }
        // Normals are found at last, of what is kept.
        let first = near.len();
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
                normal: Vec3::ZERO,
                separation: 0.0,
            });
        }
        let mut ask = |(key, object): (ObjectKey, &Object), limit: &mut f32| {
            if filter.accepts(key, object) {
                let nearest = object.shape.closest_point(point, *limit);
                if let Some((part, nearest)) = nearest {
                    let (surface, distance) = (object.shape.surface(part), distance(nearest, point));
                    let (normal, separation) = (Vec3::ZERO, 0.0);
                    let target = key.into();
                    *limit = offer(Near { target, part, surface, distance, point: nearest, normal, separation });
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
        near[first..].iter_mut().for_each(|near| self.find_way_out(point, near));
    }

    /// Completes what is near a point by its normal and its separation.
    fn find_way_out(&self, point: Vec3, near: &mut Near) {
        let found = match near.target {
            Target::Object(key) => self.object(key).and_then(|object| way_out(point, object.shape.part(near.part)?)),
            Target::Plane(key) => self.plane(key).map(|entry| {
                let (normal, separation) = (entry.plane.normal(), entry.plane.signed_distance(point));
                let is_behind = entry.sides == Sides::Both && separation < 0.0;
                if is_behind { (-normal, -separation) } else { (normal, separation) }
            }),
        };
        // Only a point beyond the range of coordinates is no shape.
        let away = || (point.as_dvec3() - near.point.as_dvec3()).normalize_or(DVec3::Y).as_vec3();
        let (normal, separation) = found.unwrap_or_else(|| (away(), near.distance));
        near.normal = normal + Vec3::ZERO;
        near.separation = if near.distance > 0.0 { near.distance } else { separation.min(0.0) + 0.0 };
    }
}

/// The direction from a convex to a point, and how far apart the two are; `None` for a point out of range.
fn way_out(point: Vec3, convex: Convex) -> Option<(Vec3, f32)> {
    let point = Sphere::new(point, 0.0).ok()?;
    if let Convex::Cylinder(shape) = convex {
        let gap = shape.gap_of_sphere(&point);
        return Some((gap.normal.as_vec3(), gap.separation as f32));
    }
    let found = Convex::from(point).core().distance(&convex.core());
    Some((found.normal.as_vec3(), found.separation as f32))
}

fn distance(a: Vec3, b: Vec3) -> f32 {
    a.as_dvec3().distance(b.as_dvec3()) as f32
}
