//! What all queries of two convexes ask of each: its farthest point along a direction.

use super::Convex;
use crate::{
    Error, MAX_COORDINATE,
    arrays::Mapped,
    exact::{ROUNDING, unit, vector},
    simd::{DVec3x4, Simd, level, vectorized},
};
use fearless_simd::{f64x4, prelude::*};
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

/// Numbers below this, 2^-300, are taken for zero, so that products of three of them and their rounding errors are
/// normal numbers. No `f32` number is that small.
const TINY: f64 = f64::from_bits((1023 - 300) << 52);

/// A convex in the form in which [sweeps](ConvexCore::sweep), [distances](ConvexCore::distance) and depths take it: a
/// core, which is the hull of some points or a cylinder or a cone, and all that is no farther from it than a radius.
///
/// It is made once per shape and place, by [`Convex::core`], and then serves any number of queries. A ball is a point
/// with a radius, a capsule a segment with one.
///
/// ```
/// use cullide_narrowphase::{Convex, ConvexCore, Hull, Sphere, glam::Vec3};
/// let hull = Hull::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0, Vec3::Z * 5.0])?;
/// let ball = Sphere::new(Vec3::new(0.5, 0.5, -4.0), 1.0)?;
/// let (hull, ball) = (ConvexCore::from(Convex::from(&hull)), ConvexCore::from(Convex::from(ball)));
/// assert_eq!(ball.distance(&hull).separation, 3.0);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexCore {
    /// The vertices by coordinate, four by four; the last ones are filled up with the first vertex.
    blocks: SmallVec<[[[f64; LANES]; 3]; 2]>,
    len: u32,
    round: Option<Round>,
    /// A point inside, up to rounding.
    pub(super) center: DVec3,
    /// The largest size of each coordinate.
    pub(crate) reach: DVec3,
    pub(super) radius: f64,
}

/// A cylinder or a truncated cone.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Round {
    center: DVec3,
    /// From the centre to the middle of the top; `axis` has the same direction and unit length.
    half_axis: DVec3,
    axis: DVec3,
    bottom: f64,
    top: f64,
}

/// Added to an index, 2^52 makes a number whose last bits are the index.
const INDEX_BASE: f64 = (1u64 << 52) as f64;

/// Vertices that are looked at together.
const LANES: usize = 4;

/// The index of a point that is no vertex.
pub(super) const NO_VERTEX: u32 = u32::MAX;

impl ConvexCore {
    /// Creates the hull of some points, which may be flat, without its faces: far quicker than a
    /// [`Hull`](crate::Hull) where only sweeps and distances are asked for.
    ///
    /// # Errors
    /// [`Error::TooFew`] if there is no point; [`Error::NonFinite`], [`Error::OutOfRange`].
    ///
    /// ```
    /// use cullide_narrowphase::{ConvexCore, glam::Vec3};
    /// let rock = ConvexCore::new([Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0, Vec3::Z * 5.0])?;
    /// let point = ConvexCore::new([Vec3::new(0.5, 0.5, -4.0)])?;
    /// assert_eq!(point.distance(&rock).separation, 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn new(points: impl IntoIterator<Item = Vec3>) -> Result<Self, Error> {
        let points = points.into_iter().map(|point| unit::coordinates(point, "points").map(|point| point.as_dvec3()));
        let points = points.collect::<Result<Vec<DVec3>, Error>>()?;
        if points.is_empty() {
            Err(Error::TooFew { field: "points" })
        } else {
            Ok(Self::of_points(points.iter().copied(), 0.0))
        }
    }

    /// Creates the cylinder or cone around the segment `center ± half_axis`: its radius is `bottom` at the start of the
    /// segment, `top` at its end, and in between it changes in proportion.
    ///
    /// Its surface is curved, so that times and distances are approached, not computed: they are certain not to be late
    /// or too large, and less so than the true ones by at most 2^-26 of the largest coordinate. So are most depths; where
    /// the nearest surface is equally near all around, as for two on one axis, they are certain to within 1e-2 of the
    /// size only. [`Distance::bounds`](crate::Distance::bounds) tell.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`] for a radius.
    ///
    /// ```
    /// use cullide_narrowphase::{Aabb, Convex, ConvexCore, glam::Vec3};
    /// let can = ConvexCore::cone(Vec3::Y * 4.0, Vec3::Y, 0.5, 0.5)?;
    /// let floor = Convex::from(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?).core();
    /// assert!((can.distance(&floor).separation - 3.0).abs() < 1e-6);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cone(center: Vec3, half_axis: Vec3, bottom: f32, top: f32) -> Result<Self, Error> {
        let middle = unit::coordinates(center, "center")?.as_dvec3();
        let half_axis = unit::coordinates(half_axis, "half_axis")?.as_dvec3();
        let (bottom, top) = (unit::length(bottom, "bottom")?, unit::length(top, "top")?);
        let reach = middle.abs() + half_axis.abs() + f64::from(bottom.max(top));
        if reach.max_element() > MAX_COORDINATE.into() {
            return Err(Error::OutOfRange { field: "center" });
        }
        let axis = vector::try_normalized(half_axis).unwrap_or(DVec3::Y);
        let round = Round { center: middle, half_axis, axis, bottom: bottom.into(), top: top.into() };
        Ok(Self { blocks: SmallVec::new(), len: 0, round: Some(round), center: middle, reach, radius: 0.0 })
    }

    /// The hull of some points, at least one.
    pub(crate) fn of_points(points: impl IntoIterator<Item = DVec3>, radius: f64) -> Self {
        let (mut blocks, mut len, mut reach) = (SmallVec::<[[[f64; LANES]; 3]; 2]>::new(), 0, DVec3::ZERO);
        // Relative to the first, so that the mean of flat points is as flat.
        let (mut first, mut sum) = (DVec3::ZERO, DVec3::ZERO);
        for point in points {
            let point = DVec3::select(point.abs().cmplt(DVec3::splat(TINY)), DVec3::ZERO, point);
            if len == 0 {
                first = point;
            }
            let lane = len % LANES;
            if lane == 0 {
                blocks.push(first.to_array().mapped(|coordinate| [coordinate; LANES]));
            }
            let last = blocks.len() - 1;
            for (lanes, coordinate) in blocks[last].iter_mut().zip(point.to_array()) {
                lanes[lane] = coordinate;
            }
            len += 1;
            reach = reach.max(point.abs());
            sum += point - first;
        }
        Self { blocks, len: len as u32, round: None, center: first + sum / len as f64, reach, radius }
    }

    /// Returns the same with everything that is no farther from it than `radius`, in addition to the radius that it has.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Convex, glam::Vec3};
    /// let a = Convex::from(Aabb::new(Vec3::ZERO, Vec3::ONE)?).core();
    /// let b = a.translated(Vec3::X * 5.0)?;
    /// assert_eq!(a.clone().rounded(0.5)?.distance(&b).separation, 3.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn rounded(self, radius: f32) -> Result<Self, Error> {
        let radius = self.radius + f64::from(unit::length(radius, "radius")?);
        if self.reach.max_element() + radius > MAX_COORDINATE.into() {
            return Err(Error::OutOfRange { field: "radius" });
        }
        Ok(Self { radius, ..self })
    }

    /// Returns the radius around the core.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Convex, glam::Vec3};
    /// assert_eq!(Convex::from(Capsule::new(Vec3::ZERO, Vec3::Y, 0.5)?).core().radius(), 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns a point that is farthest along a direction, up to rounding, the radius included; of equal vertices it is
    /// that of the least index. A direction of length zero, or not finite, returns some point of the shape.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, Convex, glam::{DVec3, Vec3}};
    /// let post = Convex::from(Capsule::new(Vec3::ZERO, Vec3::Y * 4.0, 0.5)?).core();
    /// assert_eq!(post.support(DVec3::Y * 7.0), DVec3::Y * 4.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let n = vector::try_normalized(direction).unwrap_or(DVec3::ZERO);
        self.farthest(n).0 + n * self.radius
    }

    /// Returns the same moved by `delta`; the vertices are sums rounded to `f64`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Convex, Sphere, glam::Vec3};
    /// let ball = Convex::from(Sphere::new(Vec3::ZERO, 1.0)?).core();
    /// assert_eq!(ball.translated(Vec3::X * 5.0)?.distance(&ball).separation, 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn translated(&self, delta: Vec3) -> Result<Self, Error> {
        let delta = unit::coordinates(delta, "delta")?.as_dvec3();
        let moved = match self.round {
            Some(round) => {
                let center = round.center + delta;
                let reach = center.abs() + (self.reach - round.center.abs());
                Self { round: Some(Round { center, ..round }), center, reach, ..self.clone() }
            }
            None => Self::of_points(self.vertices().map(|vertex| vertex + delta), self.radius),
        };
        if moved.reach.max_element() + self.radius > MAX_COORDINATE.into() {
            return Err(Error::OutOfRange { field: "delta" });
        }
        Ok(moved)
    }

    /// The same under a rigid motion.
    pub(crate) fn mapped(&self, map: impl Fn(DVec3) -> DVec3) -> Self {
        let Some(round) = self.round else { return Self::of_points(self.vertices().map(map), self.radius) };
        let center = map(round.center);
        let half_axis = map(round.center + round.half_axis) - center;
        let axis = map(round.center + round.axis) - center;
        let reach = center.abs() + half_axis.abs() + round.bottom.max(round.top);
        Self { round: Some(Round { center, half_axis, axis, ..round }), center, reach, ..self.clone() }
    }

    /// More than the distance of a point of a round core from `point`.
    pub(super) fn reach_from(&self, point: DVec3) -> f64 {
        self.round.map_or(0.0, |round| {
            let radius = round.bottom.max(round.top);
            ((round.center - point).length() + round.half_axis.length() + radius) * (1.0 + 8.0 * ROUNDING)
        })
    }

    /// Whether it has no vertices.
    #[inline]
    pub(super) fn is_round(&self) -> bool {
        self.round.is_some()
    }

    /// The vertices; none for a round core.
    pub(super) fn vertices(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        (0..self.len as usize).map(|i| self.vertex(i as u32))
    }

    #[inline]
    pub(super) fn vertex(&self, index: u32) -> DVec3 {
        let ([x, y, z], lane) = (&self.blocks[index as usize / LANES], index as usize % LANES);
        DVec3::new(x[lane], y[lane], z[lane])
    }

    /// A point of the core that is farthest along `n`, up to [`ConvexCore::error`], and its index: of equal ones the
    /// vertex with the least.
    #[inline]
    pub(crate) fn farthest(&self, n: DVec3) -> (DVec3, u32) {
        if let Some(round) = &self.round {
            return (round.farthest(n), NO_VERTEX);
        }
        let best = self.farthest_index(n);
        (self.vertex(best), best)
    }

    /// The index of the vertex that is farthest along `n`, the least of equal ones.
    #[inline]
    pub(super) fn farthest_index(&self, n: DVec3) -> u32 {
        // Of few vertices, one by one is quicker than to find out which of the lanes has the farthest.
        if self.blocks.len() <= 2 {
            return self.index_one_by_one(n);
        }
        vectorized!(level(), simd => self.index_in(simd, n), else self.index_one_by_one(n))
    }

    #[inline]
    fn index_one_by_one(&self, n: DVec3) -> u32 {
        if self.len <= 2 {
            return u32::from(self.len == 2 && self.vertex(1).dot(n) > self.vertex(0).dot(n));
        }
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (place, [x, y, z]) in (0..).step_by(LANES).zip(&self.blocks) {
            for (lane, index) in (0..LANES).zip(place..) {
                let along = (x[lane] * n.x + y[lane] * n.y) + z[lane] * n.z;
                if along > most {
                    (best, most) = (index, along);
                }
            }
        }
        best
    }

    #[inline(always)]
    fn index_in<S: Simd>(&self, simd: S, n: DVec3) -> u32 {
        let splat = |x| f64x4::splat(simd, x);
        let n = DVec3x4::splat(simd, n);
        let (mut most, mut places) = (splat(f64::NEG_INFINITY), splat(INDEX_BASE));
        let mut here = f64x4::simd_from(simd, [0.0, 1.0, 2.0, 3.0]) + splat(INDEX_BASE);
        for block in &self.blocks {
            let along = DVec3x4::load(simd, block).dot(n);
            let is_more = along.simd_gt(most);
            (most, places) = (is_more.select(along, most), is_more.select(here, places));
            here += splat(LANES as f64);
        }
        let is_farthest = most.simd_eq(splat(simd.reduce_max_f64x4(most)));
        simd.reduce_min_f64x4(is_farthest.select(places, splat(f64::INFINITY))).to_bits() as u32
    }

    /// How far along `n`, at most, a point may lie beyond the one that [`ConvexCore::farthest`] returns, and how much
    /// its own product with `n` loses by rounding: three roundings per term for a vertex, and for a rim those of its
    /// direction.
    #[inline]
    pub(super) fn error(&self, n: DVec3) -> f64 {
        let share = if self.round.is_some() { 48.0 * ROUNDING } else { 6.0 * ROUNDING };
        share * n.abs().dot(self.reach)
    }
}

impl Round {
    /// An end of the axis, or the point of its rim that is farthest along `n`.
    #[inline(never)]
    fn farthest(&self, n: DVec3) -> DVec3 {
        let along = n.dot(self.axis);
        let side = n - self.axis * along;
        // Where `n` runs along the axis, what is left across it is rounding and leans. The second time it does not.
        let side = side - self.axis * side.dot(self.axis);
        let length = side.length();
        let length = if length > 16.0 * ROUNDING * n.length() { length } else { 0.0 };
        let is_top = 2.0 * n.dot(self.half_axis) + length * (self.top - self.bottom) >= 0.0;
        let (end, radius) =
            if is_top { (self.center + self.half_axis, self.top) } else { (self.center - self.half_axis, self.bottom) };
        if length > 0.0 { end + side * (radius / length) } else { end }
    }
}

impl From<Convex<'_>> for ConvexCore {
    fn from(convex: Convex) -> Self {
        convex.core()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::levels;
    use cullide_scenes::{Rng, SEED};

    /// On a grid, where many vertices are equally far.
    #[test]
    fn lanes_find_the_farthest_vertex_of_the_least_index() {
        let mut rng = Rng::with_seed(SEED);
        for i in 0..4000 {
            let mut at = || DVec3::from([(); 3].map(|()| rng.usize(..3) as f64 - 1.0));
            let n = if i % 50 == 0 { DVec3::NAN } else { at() };
            let points: Vec<DVec3> = (0..1 + i % 40).map(|_| at()).collect();
            let most = points.iter().map(|point| point.dot(n)).fold(f64::NEG_INFINITY, f64::max);
            let least = points.iter().position(|point| point.dot(n) == most).unwrap_or(0) as u32;
            let core = ConvexCore::of_points(points, 0.0);
            assert_eq!((core.farthest_index(n), core.index_one_by_one(n)), (least, least), "{i}");
            for level in levels() {
                let index = vectorized!(level, simd => core.index_in(simd, n), else core.index_one_by_one(n));
                assert_eq!(index, least, "{i}: {level:?}");
            }
        }
    }
}
