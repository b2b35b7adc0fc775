//! What a solver reads about two shapes that touch.

use glam::Vec3;

/// A point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldPoint {
    /// The point on the first shape's surface, relative to that shape's centre, along the world axes. For a capsule it
    /// is a point of the ball around a point of its axis.
    pub from_first: Vec3,
    /// The same for the second shape.
    pub from_second: Vec3,
    /// Distance between the two points along the normal; negative where the shapes penetrate.
    pub separation: f32,
    /// Which vertex of one shape, or which edges of both, the point comes from: the same from step to step while these
    /// meet, and different for different points of one manifold.
    pub feature: u32,
}

/// How a shape has moved since its manifold was computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShapeMotion {
    /// Displacement of the centre.
    pub motion: Vec3,
    /// Rotation about the centre: a vector along the axis whose length is the angle in radians, which is small.
    pub rotation: Vec3,
}

impl ShapeMotion {
    /// The motion of a shape that stays.
    pub const NONE: Self = Self { motion: Vec3::ZERO, rotation: Vec3::ZERO };

    /// The displacement of a point by the rotation, neglecting the third power of the angle.
    #[inline]
    fn turning_of(&self, arm: Vec3) -> Vec3 {
        let across = self.rotation.cross(arm);
        across + 0.5 * self.rotation.cross(across)
    }
}

/// Where two convex shapes touch or are about to touch: a normal, and up to four points with separations.
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
    /// No point has come nearer to the other shape by more than this since the points were computed; infinite if that
    /// is not known.
    travel: f32,
}

impl PartialEq for ContactManifold {
    fn eq(&self, other: &Self) -> bool {
        (self.normal, self.distance, self.travel) == (other.normal, other.distance, other.travel)
            && self.points() == other.points()
    }
}

impl Default for ContactManifold {
    /// The manifold of no shapes: no points, and no bound on the distance.
    fn default() -> Self {
        let points = [ManifoldPoint::default(); 4];
        Self { normal: Vec3::Y, points, count: 0, distance: f32::NEG_INFINITY, travel: 0.0 }
    }
}

impl ContactManifold {
    /// Returns the unit direction from the first shape to the second.
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Returns up to four points: the deepest, the one farthest from it, the one farthest from the line between them,
    /// and the one that adds most to their triangle. Empty for shapes that are farther apart than the margin; possibly
    /// empty for nearer shapes that would pass each other along the normal.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count.into()]
    }

    /// Returns a lower bound on the distance of the two shapes, rounding included. If they penetrate, it is at most
    /// minus the depth, which is the length of the shortest way that takes them apart.
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

    /// Returns whether two shapes without points are still farther apart than `margin` after they have moved and
    /// turned, in any way, since the last update. No point of either has moved by more than its share of `travel`,
    /// which is for both shapes together.
    ///
    /// If so, the manifold is that of the shapes where they are now, and need not be updated; otherwise it stays as it
    /// was.
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
    #[doc(hidden)]
    pub fn stays_apart(&mut self, travel: f32, margin: f32) -> bool {
        let distance = (self.distance - travel).next_down();
        let is_apart = self.count == 0 && distance > margin && self.travel < f32::INFINITY;
        if is_apart {
            self.distance = distance;
        }
        is_apart
    }

    /// Takes the points along with their shapes, along the same normal, after the shapes have moved and turned since
    /// the last update or the last call. No point of either has moved by more than its share of `travel`, which is for
    /// both shapes together. If the total travel since the last update is more than `limit`, the manifold stays as it
    /// was and `false` is returned.
    ///
    /// The offsets must be relative to the points about which the shapes turn. Points that came within the margin since
    /// the last update are missing, and a point that turns with a round shape is no longer where that shape touches.
    ///
    /// Source: the recycling of contacts in Box3D (Catto, 2025).
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, ContactManifold, ContactShape, ManifoldCache, ShapeMotion, Sphere, glam::Vec3};
    /// let (floor, ball) = (Aabb::new(Vec3::splat(-9.0), Vec3::ZERO)?, Sphere::new(Vec3::Y, 0.99)?);
    /// let mut manifold = ContactManifold::default();
    /// manifold.update(&ContactShape::Aabb(&floor), &ContactShape::Sphere(&ball), 0.1, &mut ManifoldCache::default());
    /// let falls = ShapeMotion { motion: Vec3::Y * -0.01, rotation: Vec3::ZERO };
    /// assert!(manifold.recycle([&ShapeMotion::NONE, &falls], 0.01, 0.015));
    /// assert!(manifold.points()[0].separation.abs() < 1e-6);
    /// assert!(!manifold.recycle([&ShapeMotion::NONE, &falls], 0.01, 0.015));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    #[doc(hidden)]
    pub fn recycle(&mut self, [first, second]: [&ShapeMotion; 2], travel: f32, limit: f32) -> bool {
        let travelled = self.travel + travel;
        // Also false for NaN, and after an unknown motion.
        let is_near = travelled <= limit.min(f32::MAX);
        if !is_near {
            return false;
        }
        self.travel = travelled;
        self.distance = (self.distance - travel).next_down();
        let apart = second.motion - first.motion;
        for point in &mut self.points[..self.count.into()] {
            let (a, b) = (first.turning_of(point.from_first), second.turning_of(point.from_second));
            point.from_first += a;
            point.from_second += b;
            point.separation += (apart + (b - a)).dot(self.normal);
        }
        true
    }

    /// Records that the shapes have moved in an unknown way: the points stay as they are, and
    /// [`recycle`](Self::recycle) and [`stays_apart`](Self::stays_apart) return `false` until the next update.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactManifold, ContactShape, ManifoldCache, Sphere, glam::Vec3};
    /// let [a, b] = [0.0, 3.0].map(|x| Sphere::new(Vec3::X * x, 1.0).unwrap());
    /// let mut manifold = ContactManifold::default();
    /// manifold.update(&ContactShape::Sphere(&a), &ContactShape::Sphere(&b), 0.1, &mut ManifoldCache::default());
    /// manifold.expire();
    /// assert!(!manifold.stays_apart(0.0, 0.1));
    /// ```
    #[doc(hidden)]
    pub fn expire(&mut self) {
        self.travel = f32::INFINITY;
    }

    /// The separation of the deepest point; infinite if there are no points.
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
    #[doc(hidden)]
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

    /// Takes another unit direction as the normal: the points stay, and their separations become those along it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, ContactManifold, ContactShape, ManifoldCache, glam::Vec3};
    /// let [low, high] = [0.0, 2.5].map(|y| Aabb::new(Vec3::Y * y, Vec3::new(2.0, y + 2.0, 2.0)).unwrap());
    /// let mut manifold = ContactManifold::default();
    /// manifold.update(&ContactShape::Aabb(&low), &ContactShape::Aabb(&high), 1.0, &mut ManifoldCache::default());
    /// manifold.turn_to(Vec3::new(0.6, 0.8, 0.0));
    /// assert!(manifold.points().iter().all(|point| (point.separation - 0.4).abs() < 1e-6));
    /// ```
    #[doc(hidden)]
    pub fn turn_to(&mut self, normal: Vec3) {
        let share = self.normal.dot(normal);
        self.normal = normal;
        for point in &mut self.points[..self.count.into()] {
            point.separation *= share;
        }
    }

    /// Records that the shapes are no nearer to each other than `distance`, if that is not known from the normal.
    ///
    /// ```
    /// # use cullide_narrowphase::ContactManifold;
    /// let mut manifold = ContactManifold::default();
    /// manifold.raise_distance(0.25);
    /// manifold.raise_distance(-1.0);
    /// assert_eq!(manifold.distance(), 0.25);
    /// ```
    #[doc(hidden)]
    pub fn raise_distance(&mut self, distance: f32) {
        self.distance = self.distance.max(distance);
    }

    /// Makes this the manifold of shapes about which nothing is known.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Starts a manifold with a unit normal and no points.
    #[inline]
    pub(super) fn begin(&mut self, normal: Vec3, distance: f32) {
        (self.normal, self.distance, self.count, self.travel) = (normal + Vec3::ZERO, distance, 0, 0.0);
    }

    /// Adds a point; there is room for four.
    #[inline]
    pub(super) fn push(&mut self, point: ManifoldPoint) {
        if let Some(place) = self.points.get_mut(usize::from(self.count)) {
            *place = point;
            self.count += 1;
        }
    }

    /// Makes this the same manifold, seen from the second shape.
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
    /// As bits, since a text format may have no infinities.
    distance: u32,
    travel: u32,
}

#[cfg(feature = "serde")]
impl From<ContactManifold> for Raw {
    fn from(manifold: ContactManifold) -> Self {
        let [distance, travel] = [manifold.distance.to_bits(), manifold.travel.to_bits()];
        Self { normal: manifold.normal, points: manifold.points().to_vec(), distance, travel }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for ContactManifold {
    type Error = crate::Error;

    fn try_from(raw: Raw) -> Result<Self, Self::Error> {
        let [distance, travel] = [f32::from_bits(raw.distance), f32::from_bits(raw.travel)];
        let is_finite = |point: &ManifoldPoint| {
            point.from_first.is_finite() && point.from_second.is_finite() && point.separation.is_finite()
        };
        if !raw.normal.is_finite() || distance.is_nan() || travel.is_nan() || !raw.points.iter().all(is_finite) {
            return Err(crate::Error::NonFinite { field: "manifold" });
        }
        if raw.points.len() > 4 {
            return Err(crate::Error::TooMany { field: "points" });
        }
        let mut manifold = Self { normal: raw.normal, distance, travel, ..Self::default() };
        raw.points.into_iter().for_each(|point| manifold.push(point));
        Ok(manifold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactShape, ManifoldCache, Obb};
    use cullide_scenes::{Rng, SEED};
    use glam::Quat;

    #[test]
    fn recycled_points_go_with_their_boxes() {
        let mut rng = Rng::with_seed(SEED ^ 77);
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let (mut seen, mut cache) = (0, ManifoldCache::default());
        for case in 0..2000 {
            let turn = Quat::from_scaled_axis(vector(0.3));
            let floor = Obb::new(vector(0.3), Quat::IDENTITY, Vec3::new(3.0, 1.0, 3.0)).unwrap();
            let body = Obb::new(Vec3::Y * 1.7 + vector(0.3), turn, Vec3::splat(0.5)).unwrap();
            let mut manifold = ContactManifold::default();
            manifold.update(&ContactShape::Box(&floor), &ContactShape::Box(&body), 0.1, &mut cache);
            let before = manifold.clone();
            let [first, second] = [(); 2].map(|()| ShapeMotion { motion: vector(1e-3), rotation: vector(1e-3) });
            let travel = (second.motion - first.motion).length()
                + 4.4 * first.rotation.length()
                + 0.9 * second.rotation.length();
            assert!(!manifold.recycle([&first, &second], travel, 0.99 * travel) && manifold == before, "case {case}");
            assert!(manifold.recycle([&first, &second], travel, 1.5 * travel), "case {case}");
            seen += usize::from(!before.points().is_empty());
            assert!(!manifold.recycle([&first, &second], travel, 1.5 * travel), "case {case}: limits are for the sum");
            for (old, new) in before.points().iter().zip(manifold.points()) {
                let ends = [(old.from_first, &first), (old.from_second, &second)]
                    .map(|(from, moved)| Quat::from_scaled_axis(moved.rotation) * from);
                assert!(new.from_first.distance(ends[0]) < 1e-6 && new.from_second.distance(ends[1]) < 1e-6);
                let way = second.motion - first.motion + (ends[1] - old.from_second) - (ends[0] - old.from_first);
                let expected = old.separation + way.dot(before.normal());
                assert!((new.separation - expected).abs() < 1e-6, "case {case}");
                assert!(new.separation >= old.separation - travel - 1e-6 && new.feature == old.feature);
            }
            assert!(manifold.distance() <= before.distance() - travel);
            manifold.expire();
            assert!(!manifold.recycle([&ShapeMotion::NONE; 2], 0.0, f32::INFINITY));
        }
        assert!(seen > 500, "{seen} touch");
    }
}
