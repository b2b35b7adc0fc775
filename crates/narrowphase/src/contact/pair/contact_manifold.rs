//! What a solver reads of two shapes that touch.

use glam::Vec3;

/// A point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldPoint {
    /// The point of the first shape's surface, from that shape's centre, along the axes of the world. Of a capsule it is
    /// one of the ball around a point of its axis.
    pub from_first: Vec3,
    /// The same of the second shape.
    pub from_second: Vec3,
    /// How far the two points are apart along the normal: negative where the shapes penetrate.
    pub separation: f32,
    /// Which vertex of which shape, or which edges of both, the point comes from: the same from step to step while
    /// these meet, and different for different points of one manifold.
    pub feature: u32,
}

/// Where two convex shapes touch or are about to: a normal, and up to four points with separations.
///
/// See [`ContactManifold::update`](Self::update).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct ContactManifold {
    normal: Vec3,
    points: [ManifoldPoint; 4],
    count: u8,
    distance: f32,
}

impl PartialEq for ContactManifold {
    fn eq(&self, other: &Self) -> bool {
        self.normal == other.normal && self.distance == other.distance && self.points() == other.points()
    }
}

impl Default for ContactManifold {
    /// That of no shapes: no points, and no bound on their distance.
    fn default() -> Self {
        Self { normal: Vec3::Y, points: [ManifoldPoint::default(); 4], count: 0, distance: f32::NEG_INFINITY }
    }
}

impl ContactManifold {
    /// The direction of unit length from the first shape to the second.
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Up to four points: the deepest, the one farthest from it, the one farthest from the line between them, and the
    /// one that adds most to their triangle. None for shapes that are farther apart than the margin; perhaps none for
    /// shapes that are nearer, when they would pass each other along the normal.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count.into()]
    }

    /// No more than the distance of the two shapes, rounding considered; for two that penetrate no more than minus the
    /// depth, which is the shortest way that takes them apart.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactManifold, ContactShape, ManifoldCache, Sphere, glam::Vec3};
    /// let [a, b] = [0.0, 3.0].map(|x| Sphere::new(Vec3::X * x, 1.0).unwrap());
    /// let mut manifold = ContactManifold::default();
    /// manifold.update(&ContactShape::Sphere(&a), &ContactShape::Sphere(&b), 0.5, &mut ManifoldCache::default());
    /// assert!(manifold.points().is_empty() && manifold.distance() <= 1.0 && manifold.distance() > 0.9999);
    /// ```
    #[inline]
    pub fn distance(&self) -> f32 {
        self.distance
    }

    /// For two shapes without points that have moved and turned since the last update: whether they are farther apart
    /// than `margin` however they did, no point of either by more than its share of `travel`. The manifold then is that
    /// of the shapes where they are now, and need not be updated; otherwise it stays as it was.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactManifold, ContactShape, ManifoldCache, Sphere, glam::Vec3};
    /// let [a, b] = [0.0, 3.0].map(|x| Sphere::new(Vec3::X * x, 1.0).unwrap());
    /// let mut manifold = ContactManifold::default();
    /// manifold.update(&ContactShape::Sphere(&a), &ContactShape::Sphere(&b), 0.1, &mut ManifoldCache::default());
    /// assert!(manifold.stays_apart(0.5, 0.1) && manifold.distance() < 0.5);
    /// assert!(!manifold.stays_apart(0.5, 0.1));
    /// ```
    #[inline]
    pub fn stays_apart(&mut self, travel: f32, margin: f32) -> bool {
        let distance = (self.distance - travel).next_down();
        let is_apart = self.count == 0 && distance > margin;
        if is_apart {
            self.distance = distance;
        }
        is_apart
    }

    /// The separation of the deepest point; infinite without one.
    pub(super) fn least(&self) -> f32 {
        self.points().iter().map(|point| point.separation).fold(f32::INFINITY, f32::min)
    }

    /// Keeps the points that `keep` accepts, in their order.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, ContactManifold, ContactShape, ManifoldCache, glam::Vec3};
    /// let [low, high] = [0.0, 2.0].map(|y| Aabb::new(Vec3::Y * y, Vec3::new(2.0, y + 2.0, 2.0)).unwrap());
    /// let mut manifold = ContactManifold::default();
    /// manifold.update(&ContactShape::Aabb(&low), &ContactShape::Aabb(&high), 0.1, &mut ManifoldCache::default());
    /// manifold.retain(|point| point.from_first.x > 0.0);
    /// assert_eq!(manifold.points().len(), 2);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&ManifoldPoint) -> bool) {
        let count = usize::from(self.count);
        self.count = 0;
        for i in 0..count {
            let point = self.points[i];
            if keep(&point) {
                self.push(point);
            }
        }
    }

    /// That of shapes of which nothing is known.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// No points yet, with a unit normal.
    #[inline]
    pub(super) fn begin(&mut self, normal: Vec3, distance: f32) {
        (self.normal, self.distance, self.count) = (normal + Vec3::ZERO, distance, 0);
    }

    /// One more point; there is room for four.
    #[inline]
    pub(super) fn push(&mut self, point: ManifoldPoint) {
        if let Some(place) = self.points.get_mut(usize::from(self.count)) {
            *place = point;
            self.count += 1;
        }
    }

    /// The same, seen from the second shape.
    pub(super) fn reverse(&mut self) {
        self.normal = -self.normal + Vec3::ZERO;
        for point in &mut self.points[..self.count.into()] {
            (point.from_first, point.from_second) = (point.from_second, point.from_first);
            point.feature = super::cache::swapped(point.feature);
        }
    }
}

/// A manifold as it is saved.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    normal: Vec3,
    points: Vec<ManifoldPoint>,
    /// As bits: a format of text may have no infinities.
    distance: u32,
}

#[cfg(feature = "serde")]
impl From<ContactManifold> for Raw {
    fn from(manifold: ContactManifold) -> Self {
        Self { normal: manifold.normal, points: manifold.points().to_vec(), distance: manifold.distance.to_bits() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for ContactManifold {
    type Error = crate::Error;

    fn try_from(raw: Raw) -> Result<Self, Self::Error> {
        let distance = f32::from_bits(raw.distance);
        let is_finite = |point: &ManifoldPoint| {
            point.from_first.is_finite() && point.from_second.is_finite() && point.separation.is_finite()
        };
        if !raw.normal.is_finite() || distance.is_nan() || !raw.points.iter().all(is_finite) {
            return Err(crate::Error::NonFinite { field: "manifold" });
        }
        if raw.points.len() > 4 {
            return Err(crate::Error::TooMany { field: "points" });
        }
        let mut manifold = Self { normal: raw.normal, distance, ..Self::default() };
        raw.points.into_iter().for_each(|point| manifold.push(point));
        Ok(manifold)
    }
}
