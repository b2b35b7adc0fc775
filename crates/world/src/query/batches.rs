//! Many queries at once, with one filter for all of them or with one for each.

use crate::{Filter, NearestTo, SegmentHit, World, query::batch};
use cullide_narrowphase::Segment;

impl World {
    /// Appends the answer of [`World::cast_segment`] for each of `segments` to `answers`, in their order; in parallel
    /// with the feature `parallel`.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Segment, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// // Two that shoot at each other, neither at itself.
    /// let shooters = [0.0, 10.0].map(|x| world.insert(Object::moving(Sphere::new(Vec3::X * x, 1.0).unwrap())));
    /// let shots = [Segment::between(Vec3::ZERO, Vec3::X * 20.0)?, Segment::between(Vec3::X * 10.0, Vec3::ZERO)?];
    /// let filters = shooters.map(|own| Filter::ALL.without(&[own]));
    /// let mut answers = vec![];
    /// world.cast_segment_batch(&shots, &filters, &mut answers);
    /// let hits: Vec<_> = answers.iter().flatten().map(|hit| (hit.target, hit.fraction)).collect();
    /// assert_eq!(hits, [(shooters[1].into(), 0.45), (shooters[0].into(), 0.9)]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn cast_segment_batch(
        &self,
        segments: &[Segment],
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<Option<SegmentHit>>,
    ) {
        batch(segments, filters, answers, None, |segment, filter| self.cast_segment(segment, filter));
    }

    /// Appends the answer of [`World::nearest`] for each of `places` to `answers`, in their order: the `count` things
    /// within `max_distance` that are nearest to each point, or to each shape; in parallel with the feature `parallel`.
    /// The answers do not depend on the number of threads.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Shape, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let units = [0.0, 3.0, 7.0].map(|x| world.insert(Object::moving(Sphere::new(Vec3::X * x, 0.5).unwrap())));
    /// let (places, others) = ([0.0, 3.0, 7.0].map(|x| Vec3::X * x), units.map(|own| Filter::ALL.without(&[own])));
    /// let mut answers = vec![];
    /// world.nearest_batch(&places, 3.0, 1, &others, &mut answers);
    /// assert!(answers[0][0].target == units[1].into() && answers[1][0].target == units[0].into() && answers[2].is_empty());
    ///
    /// let (balls, mut answers) = ([9.0, 90.0].map(|x| Shape::from(Sphere::new(Vec3::X * x, 1.0).unwrap())), vec![]);
    /// world.nearest_batch(&balls, 5.0, 1, &Filter::ALL, &mut answers);
    /// assert_eq!((answers[0][0].distance.separation, answers[1].len()), (0.5, 0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn nearest_batch<P: Sync, N: Clone + Send>(
        &self,
        places: &[P],
        max_distance: f32,
        count: usize,
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<Vec<N>>,
    ) where
        for<'a> &'a P: NearestTo<Near = N>,
    {
        batch(places, filters, answers, Vec::new(), |place, filter| {
            let mut near = Vec::new();
            self.nearest(place, max_distance, count, filter, &mut near);
            near
        });
    }
}

/// The filters of a batch of queries: one [`Filter`] for all, or a list of them, one for each.
pub trait Filters: Sync {
    /// Returns the filter of the query with this number; without one it finds nothing.
    fn of(&self, number: usize) -> Option<&Filter<'_>>;

    /// The filter of all queries, if there is one.
    #[doc(hidden)]
    fn common(&self) -> Option<&Filter<'_>> {
        None
    }
}

impl Filters for Filter<'_> {
    fn of(&self, _: usize) -> Option<&Filter<'_>> {
        Some(self)
    }

    fn common(&self) -> Option<&Filter<'_>> {
        Some(self)
    }
}

impl Filters for [Filter<'_>] {
    fn of(&self, number: usize) -> Option<&Filter<'_>> {
        self.get(number)
    }
}

impl Filters for Vec<Filter<'_>> {
    fn of(&self, number: usize) -> Option<&Filter<'_>> {
        self.get(number)
    }
}

impl<const N: usize> Filters for [Filter<'_>; N] {
    fn of(&self, number: usize) -> Option<&Filter<'_>> {
        self.get(number)
    }
}
