//! Path against triangle, exactly: whether a path crosses, and on which side of the plane it starts and ends, are signs
//! of determinants of the stored numbers.
//!
//! ```text
//!   side of edge pq   d · ((p − o) × (q − o))      the same for both triangles of an edge, but for its sign
//!   height            n · (o − a)                  n the cross product of two edges, not rounded
//! ```
//! A line crosses the triangle iff it passes all three edges on the same side, or through them. The two triangles that
//! share an edge use the same determinant for it, so no line passes between them. For a path in the plane see
//! [`super::coplanar`].
//!
//! Most paths pass far from all edges, and are decided in [`super::triangle_filter`].
//!
//! Sources: Plücker's coordinates as in Shoemake, "Plücker Coordinate Tutorial", Ray Tracing News 11.1 (1998); Woop,
//! Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2.1 (2013), for the problem.

use super::{
    Cast, Crossing, HitFeature, Path,
    triangle_filter::{Certain, certain_crossing},
};
use crate::{
    Sides, Triangle,
    arrays::Mapped,
    exact::{
        integers::{as_integers, difference, integer_determinant},
        orientation::{exact_height, exact_normal_along, triple, unrounded_difference, unrounded_triple},
        predicate::Exact,
    },
};
use glam::{DVec3, Vec3Swizzles};
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A determinant of three differences errs by less than this share of its permanent: three roundings of differences,
/// and five of products and sums, of 2^-53 each.
pub(super) const ERROR: f64 = 16.0 * f64::EPSILON;

/// A determinant above this share of its permanent, 2^-20, errs by less than 2^-28 of itself.
pub(super) const CANCELLED: f64 = 1.0 / (1u64 << 20) as f64;

impl Cast for Triangle {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        self.crossing_from(path, Sides::Both)
    }

    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        let crossing = self.crossing(path)?;
        Some(self.feature_at(path, path.origin + path.delta * crossing.enter))
    }
}

impl Triangle {
    /// Returns the crossing of a path that starts in front of the triangle, or on it, and heads strictly for the back,
    /// as for a surface that has only a front.
    ///
    /// ```
    /// # use cullide_narrowphase::{Segment, Triangle, glam::Vec3};
    /// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?;
    /// let path = |z: f32| Segment::new(Vec3::new(0.5, 0.5, z), Vec3::Z * -2.0 * z).unwrap().path();
    /// assert!(triangle.front_crossing(&path(1.0)).is_some() && triangle.front_crossing(&path(-1.0)).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn front_crossing(&self, path: &Path) -> Option<Crossing> {
        self.crossing_from(path, Sides::Front)
    }

    fn crossing_from(&self, path: &Path, sides: Sides) -> Option<Crossing> {
        match certain_crossing(self.vertices(), path, sides) {
            Certain::Met(crossing) => Some(crossing),
            Certain::Missed => None,
            Certain::Neither => self.crossing_of(path, sides),
        }
    }

    /// The same for any numbers, without the filter.
    #[cold]
    pub(super) fn crossing_of(&self, path: &Path, sides: Sides) -> Option<Crossing> {
        let (origin, delta) = (path.origin, path.delta);
        let points = self.vertices();
        let [a, b, c] = points.mapped(|p| p - origin);
        let along = |p: DVec3, q: DVec3| Determinant::new(delta, p, q);
        let edges = [along(a, b), along(b, c), along(c, a)];
        let signs = [0, 1, 2].mapped(|i| edges[i].sign(|| side_of_edge(path, points[i], points[(i + 1) % 3])));
        let is_leaving = signs.contains(&Greater);
        if is_leaving && (sides == Sides::Front || signs.contains(&Less)) {
            return None;
        }
        let height = Determinant::new(a, b, c);
        let side = height.sign(|| side_of_plane(points, origin)).reverse();
        if signs == [Equal; 3] {
            // In the plane, or no motion at all.
            let is_met = side == Equal && sides == Sides::Both;
            return if is_met { self.coplanar_crossing(path) } else { None };
        }
        if side == Equal {
            return Some(path.starting_inside(0.0));
        }
        // For a line that crosses, all three have the sign of its motion along the normal.
        let heading = if is_leaving { Greater } else { Less };
        if heading == side || !self.is_reached(path, side) {
            return None;
        }
        let size = edges.iter().map(|edge| edge.size).sum::<f64>();
        let mut rise = edges.iter().map(|edge| edge.value).sum::<f64>();
        if rise.abs() <= CANCELLED * size {
            rise = exact_normal_along(points, delta).value();
        }
        let drop = if height.is_precise() { height.value } else { exact_height(points, origin).value() };
        let time = (drop / rise).clamp(0.0, path.max);
        let normal = if side == Greater { self.wide_normal() } else { -self.wide_normal() };
        Crossing { enter: time + 0.0, exit: time + 0.0, normal, inside: false }.within(&self.aabb(), path)
    }

    /// Whether the end of a path that starts on a `side` of the plane lies on the other, or on it.
    fn is_reached(&self, path: &Path, side: Ordering) -> bool {
        if path.max.is_infinite() {
            return true;
        }
        let end = path.origin + path.delta * path.max;
        let points = self.vertices();
        let [a, b, c] = points.mapped(|p| p - end);
        // The end was rounded, by less than this.
        let loss = f64::EPSILON * (path.origin.abs().max_element() + path.delta.abs().max_element() * path.max);
        let height = Determinant::new(a, b, c);
        let slack = 8.0 * loss * self.wide_normal().abs().element_sum();
        if height.value.abs() > ERROR * height.size + slack {
            return (height.value > 0.0) == (side == Greater);
        }
        let rise = exact_normal_along(points, path.delta).times(&Exact::sum(&[path.max]));
        let sign = rise.compact().minus(&exact_height(points, path.origin)).sign();
        sign != side
    }
}

/// The determinant of three vectors.
#[inline(always)]
pub(super) fn volume(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let terms = a * (b.yzx() * c.zxy() - b.zxy() * c.yzx());
    terms.x + terms.y + terms.z
}

/// The determinant of three vectors, with the sum of the magnitudes of its terms.
struct Determinant {
    value: f64,
    size: f64,
}

impl Determinant {
    fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        let (p, m) = (b.yzx() * c.zxy(), b.zxy() * c.yzx());
        let size = a.abs() * (p.abs() + m.abs());
        Self { value: volume(a, b, c), size: size.x + size.y + size.z }
    }

    fn is_precise(&self) -> bool {
        self.value.abs() > CANCELLED * self.size
    }

    #[inline(always)]
    fn sign(&self, exact: impl FnOnce() -> Ordering) -> Ordering {
        if self.value.abs() > ERROR * self.size {
            return if self.value > 0.0 { Greater } else { Less };
        }
        // A difference of unequal numbers never rounds to zero, nor does a product of three of them: so all terms are
        // exactly zero, as where a vertical path meets a vertex.
        if self.size == 0.0 { Equal } else { exact() }
    }
}

/// On which side of a path the edge from `p` to `q` runs, exactly; `Equal` where they lie in a plane.
#[cold]
pub(super) fn side_of_edge(path: &Path, p: DVec3, q: DVec3) -> Ordering {
    if let (Some([d]), Some([o, p, q])) = (as_integers([path.delta]), as_integers([path.origin, p, q])) {
        return integer_determinant([d, difference(p, o), difference(q, o)]).cmp(&0);
    }
    exact_side(path, p, q).sign()
}

/// The sign of [`exact_height`].
#[cold]
fn side_of_plane(points: [DVec3; 3], o: DVec3) -> Ordering {
    let [a, b, c] = points;
    if let Some([o, a, b, c]) = as_integers([o, a, b, c]) {
        return integer_determinant([a, b, c].mapped(|p| difference(p, o))).cmp(&0);
    }
    exact_height(points, o).sign()
}

fn exact_side(path: &Path, p: DVec3, q: DVec3) -> Exact {
    let (o, d) = (path.origin, path.delta);
    if let (Some(p), Some(q)) = (unrounded_difference(p, o), unrounded_difference(q, o))
        && let Some(side) = unrounded_triple(d, p, q)
    {
        return Exact::sum(&[side]);
    }
    triple(d, p, q).plus(&triple(d, o, p)).minus(&triple(d, o, q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Patch, Ray, Segment};
    use cullide_scenes::{Rng, SEED};
    use glam::Vec3;

    /// On a grid, a patch decides just as exactly.
    #[test]
    fn small_integers_give_what_a_patch_gives() {
        let mut numbers = Rng::with_seed(SEED);
        let mut hits = 0;
        for _ in 0..200_000 {
            let mut point = || Vec3::from([0; 3].map(|_| numbers.i8(-2..=3) as f32));
            let (a, b, c, from, to) = (point(), point(), point(), point(), point());
            let (Ok(triangle), Ok(patch)) = (Triangle::new(a, b, c), Patch::new(&[a, b, c])) else { continue };
            let segment = Segment::between(from, to).unwrap();
            let [found, expected] = [segment.cast(&triangle), segment.cast(&patch)];
            let without_normal = |hit: crate::SegmentIntersection| (hit.fraction, hit.exit, hit.inside);
            assert_eq!(found.map(without_normal), expected.map(without_normal), "{segment:?} {triangle:?}");
            hits += usize::from(found.is_some());
        }
        assert!(hits > 20_000, "{hits}");
    }

    #[test]
    fn no_ray_passes_between_two_triangles() {
        let mut numbers = Rng::with_seed(SEED);
        for _ in 0..100_000 {
            let mut point = |size: f32| Vec3::from([0; 3].map(|_| size * (numbers.f32() - 0.5)));
            let (a, b, apex) = (point(2.0), point(2.0), point(9.0));
            // Two triangles on either side of an edge, seen from where neither hides the other.
            let middle = 0.5 * (a + b);
            let way = (b - a).cross(middle - apex);
            let pair = [(a, b, middle + way), (b, a, middle - way)].map(|(a, b, c)| Triangle::new(a, b, c));
            let [Ok(left), Ok(right)] = pair else { continue };
            for share in [0.0, 0.1, 0.5, 0.7, 1.0] {
                let Ok(ray) = Ray::new(apex, a.lerp(b, share) - apex) else { continue };
                let at_end = share == 0.0 || share == 1.0;
                let hits = [left, right].map(|triangle| ray.cast(&triangle, f32::INFINITY));
                assert!(at_end || hits.iter().any(Option::is_some), "{ray:?} {left:?} {right:?}");
            }
        }
    }

    #[test]
    fn a_segment_that_ends_on_the_plane_touches_and_one_a_step_short_does_not() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0).unwrap();
        let hit =
            Segment::between(Vec3::new(1.0, 1.0, 2.0), Vec3::new(1.0, 1.0, 0.0)).unwrap().cast(&triangle).unwrap();
        assert_eq!((hit.fraction, hit.exit, hit.inside), (1.0, 1.0, false));
        let short = Segment::between(Vec3::new(1.0, 1.0, 2.0), Vec3::new(1.0, 1.0, f32::from_bits(1))).unwrap();
        // The end is rounded to the segment's own numbers.
        assert_eq!(short.cast(&triangle).is_some(), short.at(1.0).z <= 0.0);
    }

    #[test]
    fn a_needle_is_hit_where_it_is() {
        let far = 1e6f32;
        let needle =
            Triangle::new(Vec3::splat(far), Vec3::new(far + 1.0, far, far), Vec3::new(far, far.next_up(), far));
        let ray = Ray::new(Vec3::new(far + 0.25, far, far + 8.0), Vec3::NEG_Z).unwrap();
        assert_eq!(ray.cast(&needle.unwrap(), f32::INFINITY).unwrap().distance, 8.0);
    }
}
