//! Rays and segments: the closest hit, any hit, all hits.

use crate::{Filter, Target, World, WorldPlane};
use cullide_bvh::{Leaf, Probe, Visit};
use cullide_narrowphase::{
    Cast, Crossing, Path, Ray, RayIntersection, Segment, SegmentIntersection, Sides, glam::Vec3,
};
use smallvec::SmallVec;
use std::borrow::Cow;

/// Where a [`Ray`] touches an object or a plane of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// What it touches.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// Distance from the origin to the first touch, rounded to nearest; 0 for a start inside. A ray that is to reach the
    /// touch again takes the next larger number (`f32::next_up`) as its maximum distance.
    pub distance: f32,
    /// Distance to the last touch, at most the maximum distance.
    pub exit: f32,
    /// The point of the first touch, computed in `f64` and rounded once; the origin for a start inside.
    pub point: Vec3,
    /// Unit normal of the surface, facing against the ray; the negated direction for a start inside.
    pub normal: Vec3,
    /// Whether the origin lies in the shape (or on its surface).
    pub inside: bool,
}

/// Where a [`Segment`] touches an object or a plane of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SegmentHit {
    /// What it touches.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// Fraction of the segment at the first touch, in `[0, 1]`; 0 for a start inside.
    pub fraction: f32,
    /// Fraction at the last touch, in `[0, 1]`.
    pub exit: f32,
    /// The point of the first touch, computed in `f64` and rounded once; the start if that lies inside.
    pub point: Vec3,
    /// Unit normal of the surface, facing against the segment; its negated direction for a start inside.
    pub normal: Vec3,
    /// Whether the start lies in the shape (or on its surface).
    pub inside: bool,
}

/// A crossing with an object or a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) target: Target,
    pub(super) part: u32,
    pub(super) surface: u16,
    pub(super) crossing: Crossing,
}

impl Found {
    /// The distance as reported, so that ties are the same in every query.
    pub(super) fn distance(&self) -> f32 {
        self.crossing.enter as f32
    }

    /// Orders by distance, then by key and part.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let (place, others) = ((self.target, self.part), (other.target, other.part));
        self.distance().total_cmp(&other.distance()).then(place.cmp(&others))
    }

    pub(super) fn ray_hit(self, path: &Path) -> RayHit {
        let RayIntersection { distance, exit, point, normal, inside } = path.ray_intersection(self.crossing);
        let Self { target, part, surface, .. } = self;
        RayHit { target, part, surface, distance, exit, point, normal, inside }
    }

    /// Keeps the first of `best` and this crossing in `best`; returns how far the search still has to go.
    pub(super) fn keep_first(self, best: &mut Option<Self>) -> Visit {
        let best = match best {
            Some(best) if self.order(best).is_ge() => best,
            _ => best.insert(self),
        };
        Visit::Within(best.distance())
    }

    fn segment_hit(self, path: &Path) -> SegmentHit {
        let SegmentIntersection { fraction, exit, point, normal, inside } = path.segment_intersection(self.crossing);
        let Self { target, part, surface, .. } = self;
        SegmentHit { target, part, surface, fraction, exit, point, normal, inside }
    }
}

impl World {
    /// Returns the first thing that a ray touches within `max_distance` (inclusive; infinity allowed), or `None`. Of
    /// several at the same distance, it is the one with the smallest key. A negative or NaN distance reaches nothing.
    ///
    /// A half-space ([`World::insert_plane`]) is hit from its front only, a wall from both sides, a mesh and a terrain
    /// according to their [sides](crate::Mesh::with_sides).
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?));
    /// let hit = world.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0, &Filter::ALL).unwrap();
    /// assert_eq!((hit.target, hit.distance, hit.normal), (ball.into(), 7.0, Vec3::NEG_X));
    /// assert_eq!(hit.point, Vec3::X * 7.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    // Inlined up to where the ray is read: a ray that was made just before and went through memory would have been
    // written in parts and be read as a whole, and the read would wait for the writes.
    #[inline]
    pub fn cast_ray(&self, ray: &Ray, max_distance: f32, filter: &Filter) -> Option<RayHit> {
        let path = ray.path(max_distance)?;
        self.closest_ray_hit(&path, &Probe::ray(ray, max_distance), filter)
    }

    fn closest_ray_hit(&self, path: &Path, probe: &Probe, filter: &Filter) -> Option<RayHit> {
        self.closest(path, probe, filter).map(|found| found.ray_hit(path))
    }

    /// Returns the first thing that a segment touches, or `None`; as [`World::cast_ray`].
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Segment, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 8.0, 2.0)?));
    /// let segment = Segment::between(Vec3::ZERO, Vec3::X * 12.0)?;
    /// assert_eq!(world.cast_segment(&segment, &Filter::ALL).unwrap().fraction, 0.5);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn cast_segment(&self, segment: &Segment, filter: &Filter) -> Option<SegmentHit> {
        self.closest_segment_hit(&segment.path(), &Probe::segment(segment), filter)
    }

    fn closest_segment_hit(&self, path: &Path, probe: &Probe, filter: &Filter) -> Option<SegmentHit> {
        self.closest(path, probe, filter).map(|found| found.segment_hit(path))
    }

    /// Whether a segment touches anything; a line of sight is free if it does not. Cheaper than
    /// [`World::cast_segment`].
    ///
    /// Touching counts: a segment that starts at a point of a surface, as a hit or [`Terrain::height_at`] returns it, is
    /// blocked by that surface wherever rounding has put the point on it or behind it. Start a little along the normal;
    /// or give the ground [`Sides::Front`](cullide_narrowphase::Sides), which a segment that leads up from it does not
    /// meet.
    ///
    /// [`Terrain::height_at`]: crate::Terrain::height_at
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::Segment, glam::Vec3};
    /// assert!(!World::new().any_segment_hit(&Segment::between(Vec3::ZERO, Vec3::X)?, &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn any_segment_hit(&self, segment: &Segment, filter: &Filter) -> bool {
        self.any(&segment.path(), &Probe::segment(segment), filter)
    }

    /// Whether a ray touches anything within `max_distance`; as [`World::any_segment_hit`].
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::Ray, glam::Vec3};
    /// assert!(!World::new().any_ray_hit(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0, &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn any_ray_hit(&self, ray: &Ray, max_distance: f32, filter: &Filter) -> bool {
        ray.path(max_distance).is_some_and(|path| self.any(&path, &Probe::ray(ray, max_distance), filter))
    }

    /// Appends everything that a ray touches within `max_distance` to `hits`, nearest first; for a mesh, a terrain or a
    /// compound, every part that it touches.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, WorldPlane, narrowphase::{Plane, Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let wall = world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, -20.0)?));
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?));
    /// let mut hits = vec![];
    /// world.cast_ray_all(&Ray::new(Vec3::ZERO, Vec3::X)?, 100.0, &Filter::ALL, &mut hits);
    /// assert_eq!(hits.iter().map(|hit| hit.target).collect::<Vec<_>>(), [ball.into(), wall.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn cast_ray_all(&self, ray: &Ray, max_distance: f32, filter: &Filter, hits: &mut Vec<RayHit>) {
        let Some(path) = ray.path(max_distance) else { return };
        let found = self.all(&path, &Probe::ray(ray, max_distance), filter);
        hits.extend(found.into_iter().map(|found| found.ray_hit(&path)));
    }

    /// Appends everything that a segment touches to `hits`, nearest first.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, WorldPlane, narrowphase::{Plane, Segment, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let wall = world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, -20.0)?));
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?));
    /// let mut hits = vec![];
    /// world.cast_segment_all(&Segment::between(Vec3::ZERO, Vec3::X * 25.0)?, &Filter::ALL, &mut hits);
    /// assert_eq!(hits.iter().map(|hit| hit.target).collect::<Vec<_>>(), [ball.into(), wall.into()]);
    /// assert_eq!(hits[1].fraction, 0.8);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn cast_segment_all(&self, segment: &Segment, filter: &Filter, hits: &mut Vec<SegmentHit>) {
        let path = segment.path();
        let found = self.all(&path, &Probe::segment(segment), filter);
        hits.extend(found.into_iter().map(|found| found.segment_hit(&path)));
    }

    fn closest(&self, path: &Path, probe: &Probe, filter: &Filter) -> Option<Found> {
        let mut best: Option<Found> = None;
        self.each_crossing(path, probe, filter, |found| found.keep_first(&mut best));
        best
    }

    /// Returns all crossings, nearest first.
    fn all(&self, path: &Path, probe: &Probe, filter: &Filter) -> SmallVec<[Found; 16]> {
        let mut all = SmallVec::new();
        self.each_crossing(path, probe, filter, |found| {
            all.push(found);
            Visit::Continue
        });
        all.sort_unstable_by(Found::order);
        all
    }

    fn any(&self, path: &Path, probe: &Probe, filter: &Filter) -> bool {
        let plane_is_hit = |entry: &WorldPlane| crossing_of_plane(entry, path).is_some();
        if self.planes().any(|(_, entry)| filter.accepts_plane(entry.layers) && plane_is_hit(entry)) {
            return true;
        }
        self.trees(filter).any(|tree| {
            let mut found = false;
            tree.cast(probe, filter.mask(), |leaf, _| {
                let (key, object) = self.keyed_object(leaf);
                found = object.shape.is_crossed(path, probe) && filter.accepts(key, object);
                if found { Visit::Stop } else { Visit::Continue }
            });
            found
        })
    }

    /// Calls `visit` with every crossing with a plane, then with those with objects; its answers narrow the search.
    fn each_crossing(&self, path: &Path, probe: &Probe, filter: &Filter, mut visit: impl FnMut(Found) -> Visit) {
        let mut limit = Visit::Continue;
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
            if let Some(crossing) = crossing_of_plane(entry, path) {
                limit = visit(Found { target: key.into(), part: 0, surface: 0, crossing });
            }
        }
        for tree in self.trees(filter) {
            tree.cast(&at_most(probe, limit), filter.mask(), |leaf, _| {
                let so_far = limit;
                self.crossings_of_object(
                    leaf,
                    path,
                    || Some(at_most(probe, so_far)),
                    filter,
                    |found| {
                        limit = visit(found);
                        limit
                    },
                )
            });
        }
    }

    /// Calls `visit` with the crossings with an object, if the filter accepts it; returns what `visit` answered last.
    /// `probe` is the path as trees take it, if known; a convex object does not need it.
    #[inline]
    pub(super) fn crossings_of_object<'p>(
        &self,
        leaf: Leaf,
        path: &Path,
        probe: impl FnOnce() -> Option<Cow<'p, Probe>>,
        filter: &Filter,
        mut visit: impl FnMut(Found) -> Visit,
    ) -> Visit {
        let (key, object) = self.keyed_object(leaf);
        if !object.shape.is_composite() {
            let crossing = object.shape.crossing(path).filter(|_| filter.accepts(key, object));
            let found = crossing.map(|crossing| Found { target: key.into(), part: 0, surface: 0, crossing });
            return found.map_or(Visit::Continue, visit);
        }
        let mut met = Visit::Continue;
        object.shape.crossings(path, probe().as_deref(), &mut |part, crossing| {
            if filter.accepts(key, object) {
                met = visit(Found { target: key.into(), part, surface: object.shape.surface(part), crossing });
            }
            met
        });
        met
    }
}

/// Returns the probe, shortened to the limit of the last visit.
#[inline]
pub(super) fn at_most(probe: &Probe, limit: Visit) -> Cow<'_, Probe> {
    if let Visit::Within(distance) = limit { Cow::Owned(probe.within(distance)) } else { Cow::Borrowed(probe) }
}

pub(super) fn crossing_of_plane(entry: &WorldPlane, path: &Path) -> Option<Crossing> {
    match entry.sides {
        Sides::Front => entry.plane.front_crossing(path),
        Sides::Both => entry.plane.crossing(path),
    }
}
