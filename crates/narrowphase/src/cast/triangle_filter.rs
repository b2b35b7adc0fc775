//! Path against triangle where the deciding numbers are far from zero: the results of [`super::triangle`], bit for bit,
//! in half the time.
//!
//! ```text
//!   u, v, w    d · (a × b), d · (b × c), d · (c × a)      all of one sign, for certain: then there is an area, too
//!   time       a · (b × c) / (u + v + w)                  a, b and c from the start of the path
//! ```
//! Errors are bounded by the largest coordinate relative to that start, instead of by the terms of each determinant.

use super::{
    Crossing, Path,
    triangle::{CANCELLED, ERROR, volume},
};
use crate::{Sides, Triangle, arrays::Mapped, shape::triangle::wide_normal};
use glam::{BVec3, DVec3, Vec3};

/// A time errs by less than this share of itself: it is the quotient of two numbers that err by 2^-28 of themselves.
pub(super) const PRECISE: f64 = 1.0 / (1u64 << 20) as f64;

/// More than rounding changes a point of a path and the times of the faces of a box, relative to all numbers that these
/// are computed from.
pub(super) const BESIDE: f64 = 1.0 / (1u64 << 45) as f64;

impl Path {
    /// Returns the crossing with the triangle of these corners, which must be within the range of coordinates: that of
    /// [`Triangle::crossing`], or of [`Triangle::front_crossing`] for [`Sides::Front`]; `None` for collinear corners.
    ///
    /// [`Triangle::crossing`]: crate::Cast::crossing
    ///
    /// ```
    /// # use cullide_narrowphase::{Segment, Sides, Triangle, glam::Vec3};
    /// let path = Segment::new(Vec3::new(0.5, 0.5, 1.0), Vec3::Z * -2.0)?.path();
    /// let [a, b, c] = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0];
    /// let crossing = path.crossing_of_triangle([a, b, c], Sides::Front);
    /// assert_eq!(crossing.unwrap().enter, 0.5);
    /// assert_eq!(crossing, Triangle::new(a, b, c)?.front_crossing(&path));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    // Inlined, because a call would pass the corners and the answer through memory.
    #[inline(always)]
    #[doc(hidden)]
    pub fn crossing_of_triangle(&self, corners: [Vec3; 3], sides: Sides) -> Option<Crossing> {
        let [a, b, c] = corners;
        let points = [(a + Vec3::ZERO).as_dvec3(), (b + Vec3::ZERO).as_dvec3(), (c + Vec3::ZERO).as_dvec3()];
        match certain_crossing(points, self, sides) {
            Certain::Met(crossing) => Some(crossing),
            Certain::Missed => None,
            Certain::Neither => self.uncertain_crossing(points, sides),
        }
    }

    #[cold]
    fn uncertain_crossing(&self, points: [DVec3; 3], sides: Sides) -> Option<Crossing> {
        let [a, b, c] = points.mapped(|point| point.as_vec3());
        Triangle::new(a, b, c).ok()?.crossing_of(self, sides)
    }
}

/// What can be decided without looking at the rare cases.
pub(super) enum Certain {
    Met(Crossing),
    Missed,
    Neither,
}

/// The crossing where all deciding numbers are far from zero: a triangle that the path's line then passes through has
/// an area. It is what [`Triangle::crossing_of`] gives, bit for bit.
#[inline(always)]
pub(super) fn certain_crossing(points: [DVec3; 3], path: &Path, sides: Sides) -> Certain {
    let (origin, delta) = (path.origin, path.delta);
    let [a, b, c] = [points[0] - origin, points[1] - origin, points[2] - origin];
    let [u, v, w] = [volume(delta, a, b), volume(delta, b, c), volume(delta, c, a)];
    let (low, high) = (lesser_of(lesser_of(a, b), c), greater_of(greater_of(a, b), c));
    let reach = greater(greater(greater(-low.x, high.x), greater(-low.y, high.y)), greater(-low.z, high.z));
    // More than the permanents of these, and than that of the height.
    let size = 3.0 * delta.abs().element_sum() * reach * reach;
    let height_size = 8.0 * reach * reach * reach;
    let (least, greatest) = (lesser(lesser(u, v), w), greater(greater(u, v), w));
    let (is_leaving, is_coming) = (least > ERROR * size, greatest < -ERROR * size);
    if least < -ERROR * size && greatest > ERROR * size || is_leaving && sides == Sides::Front {
        return Certain::Missed;
    }
    let (height, rise) = (volume(a, b, c), u + v + w);
    let is_precise = rise.abs() > 3.0 * CANCELLED * size && height.abs() > CANCELLED * height_size;
    if !((is_leaving || is_coming) && is_precise) {
        return Certain::Neither;
    }
    let time = height / rise;
    if time < 0.0 || time > path.max * (1.0 + PRECISE) {
        return Certain::Missed;
    }
    if time >= path.max * (1.0 - PRECISE) {
        return Certain::Neither;
    }
    let normal = if is_leaving { -wide_normal(points) } else { wide_normal(points) };
    let way = delta * time;
    let slack = BESIDE * (origin.abs().element_sum() + way.abs().element_sum() + reach);
    let is_beside = way.cmple(low + slack) | way.cmpge(high - slack);
    let (enter, exit) = if is_beside.any() { clipped(time, points, path, is_beside) } else { (time, time) };
    Certain::Met(Crossing { enter: enter + 0.0, exit: exit + 0.0, normal, inside: false })
}

/// The larger of two numbers that are not NaN, by one instruction.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn greater_of(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(greater(a.x, b.x), greater(a.y, b.y), greater(a.z, b.z))
}

#[inline(always)]
fn lesser_of(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(lesser(a.x, b.x), lesser(a.y, b.y), lesser(a.z, b.z))
}

/// The time as entry and exit, clipped to the box around some points, on which the path's point lies, as
/// `Crossing::within` clips it. Only near faces are used; the times of others are farther off than rounding reaches.
#[inline(always)]
fn clipped(time: f64, [a, b, c]: [DVec3; 3], path: &Path, is_beside: BVec3) -> (f64, f64) {
    let (low, high) = (lesser_of(lesser_of(a, b), c), greater_of(greater_of(a, b), c));
    let (mut enter, mut exit) = (time, time);
    for axis in 0..3 {
        let (o, d) = (path.origin[axis], path.delta[axis]);
        if is_beside.test(axis) && d != 0.0 {
            let times = [(low[axis] - o) / d, (high[axis] - o) / d];
            enter = enter.max(times[0].min(times[1]));
            exit = exit.min(times[0].max(times[1]));
        }
    }
    enter = enter.min(path.max);
    (enter, exit.max(enter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Segment;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn what_is_certain_is_what_every_case_gives() {
        let mut rng = Rng::with_seed(SEED);
        let mut counts = [0; 3];
        for round in 0..400_000u32 {
            let scale = [1.0, 1e-12, 1e6, 1e-30][round as usize / 7 % 4];
            let far = if round % 5 == 0 { 100.0 * scale } else { 0.0 };
            let is_grid = round % 3 == 0;
            let mut one = |size: f32| {
                let x = if is_grid { f32::from(rng.i8(-3..=3)) } else { 6.0 * rng.f32() - 3.0 };
                size * scale * x + far
            };
            let mut point = |size: f32| Vec3::new(one(size), one(size), one(size));
            let mut corners = [point(1.0), point(1.0), point(1.0)];
            let (from, aim, length) =
                (point(3.0), (point(0.3) + corners[0] + corners[1] + corners[2]) / 3.9, round % 4);
            if round % 2 == 0 {
                // In an axis-aligned plane, like walls and floors.
                corners.iter_mut().for_each(|corner| corner.y = far);
            }
            let delta = (aim - from) * [2.0, 1.0, 0.9, 1.0 + f32::EPSILON][length as usize];
            let path = Segment::new(from, delta).unwrap().path();
            let path = if round % 11 == 0 { Path { max: f64::INFINITY, ..path } } else { path };
            for sides in [Sides::Front, Sides::Both] {
                let expected = Triangle::new(corners[0], corners[1], corners[2])
                    .ok()
                    .and_then(|triangle| triangle.crossing_of(&path, sides));
                assert_eq!(path.crossing_of_triangle(corners, sides), expected, "{path:?} {corners:?}");
                match certain_crossing(corners.map(|corner| corner.as_dvec3()), &path, sides) {
                    Certain::Met(crossing) => {
                        assert_eq!(Some(crossing), expected, "{path:?} {corners:?}");
                        counts[0] += 1;
                    }
                    Certain::Missed => {
                        assert_eq!(expected, None, "{path:?} {corners:?}");
                        counts[1] += 1;
                    }
                    Certain::Neither => counts[2] += 1,
                }
            }
        }
        assert!(counts.iter().zip([100_000, 100_000, 1000]).all(|(&count, least)| count > least), "{counts:?}");
    }
}
