//! A path in the plane of a triangle or of a patch, or a point there, clipped by the edges: exactly, projected along
//! the axis on which the normal is largest.
//!
//! ```text
//!   h + t r     how far the path at t lies beyond the edge from p to q, times its length as it is seen
//!   h           ((q − p) × (p − o)) · axis         turned round where the normal goes against the axis
//!   r           (d × (q − p)) · axis               likewise
//! ```
//! A path that meets the polygon first does so at the latest time `h / −r` among the edges that it starts beyond and
//! approaches. Whether it lies beyond no edge at that time is decided by the signs of polynomials of degree four in the
//! stored numbers: mostly in `f64`, exactly where those err by more than the polynomial.
//!
//! Source: Cyrus and Beck, "Generalized two- and three-dimensional clipping", 1978.

use super::{Crossing, Path, feature::FaceWay};
use crate::{
    Aabb, Patch, Triangle,
    exact::{
        ROUNDING,
        orientation::normal_terms,
        predicate::{Exact, exact_sum, sign},
    },
    lists::Listed,
};
use glam::DVec3;
use smallvec::SmallVec;
use std::cmp::Ordering::{self, Greater, Less};

/// A convex polygon whose corners lie exactly in a plane.
#[derive(Clone, Copy)]
pub(super) struct FlatPolygon<'a> {
    corners: &'a [DVec3],
    /// Its largest component is not zero, and has the sign of the exact one.
    normal: DVec3,
    aabb: Aabb,
}

impl Triangle {
    /// The crossing of a path in the plane.
    pub(super) fn coplanar_crossing(&self, path: &Path) -> Option<Crossing> {
        let flat = FlatPolygon { corners: &self.vertices(), normal: self.wide_normal(), aabb: self.aabb() };
        flat.coplanar_crossing(path)
    }

    /// How a path in the plane passes the edge that starts at a corner.
    pub(super) fn edge_way(&self, from: usize, path: &Path) -> FaceWay {
        let flat = FlatPolygon { corners: &self.vertices(), normal: self.wide_normal(), aabb: self.aabb() };
        flat.edge_way(from, path)
    }
}

impl Patch {
    /// The patch, if its corners are exactly flat and convex.
    pub(super) fn flat(&self) -> Option<FlatPolygon<'_>> {
        let polygon = self.polygon();
        let flat = FlatPolygon { corners: polygon.vertices, normal: polygon.plane[0].normal, aabb: polygon.aabb };
        self.base().map(|_| flat)
    }
}

impl FlatPolygon<'_> {
    /// The crossing of a path in the plane.
    pub(super) fn coplanar_crossing(&self, path: &Path) -> Option<Crossing> {
        let ways: SmallVec<[EdgeWay; 4]> = (0..self.corners.len()).map(|from| self.way(from, path)).listed();
        let mut first: Option<usize> = None;
        for (i, way) in ways.iter().enumerate() {
            let is_later = |first: usize| way.side_at(&ways[first]) == Greater;
            if way.is_entered() && first.is_none_or(is_later) {
                first = Some(i);
            }
        }
        let entry = first.map(|first| &ways[first]);
        if ways.iter().any(|way| way.is_missed_at(entry)) || entry.is_some_and(|entry| !entry.is_met_by(path.max)) {
            return None;
        }
        let leaving = ways.iter().filter(|way| way.rise.sign == Greater);
        let exit = leaving.map(|way| way.height.rounded() / -way.rise.rounded()).fold(path.max, f64::min);
        let crossing = match first {
            None => path.starting_inside(exit),
            Some(from) => {
                let normal = (self.corners[self.after(from)] - self.corners[from]).cross(self.normal);
                let enter = ways[from].height.rounded() / -ways[from].rise.rounded();
                Crossing { enter, exit, normal, inside: false }
            }
        };
        crossing.within(&self.aabb, path)
    }

    /// Whether a path that starts in the plane starts on the polygon.
    pub(super) fn holds_start(&self, path: &Path) -> bool {
        (0..self.corners.len()).all(|from| self.way(from, path).height.sign != Greater)
    }

    /// How a path in the plane passes the edge that starts at a corner, for features.
    pub(super) fn edge_way(&self, from: usize, path: &Path) -> FaceWay {
        let EdgeWay { height, rise } = self.way(from, path);
        FaceWay { height: height.exact(), rise: rise.exact() }
    }

    /// How a path in the plane passes the edge that starts at a corner.
    fn way(&self, from: usize, path: &Path) -> EdgeWay {
        let axis = self.normal.abs().max_position();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let ends = [self.corners[from], self.corners[self.after(from)]];
        let [p, q] = if self.normal[axis] < 0.0 { [ends[1], ends[0]] } else { ends };
        let (o, d) = (path.origin, path.delta);
        EdgeWay {
            height: Sum::new(normal_terms([q, p, o], axis)),
            rise: Sum::new([q[v] * d[u], -q[u] * d[v], -p[v] * d[u], p[u] * d[v]]),
        }
    }

    fn after(&self, from: usize) -> usize {
        (from + 1) % self.corners.len()
    }
}

/// How a path in the plane passes an edge.
struct EdgeWay {
    height: Sum<6>,
    rise: Sum<4>,
}

impl EdgeWay {
    /// Whether the path starts beyond the edge and approaches it.
    fn is_entered(&self) -> bool {
        self.height.sign == Greater && self.rise.sign == Less
    }

    /// Whether the path lies beyond the edge when it passes the `entry`, the last of the edges that it enters by; or at
    /// the start, if there is none.
    fn is_missed_at(&self, entry: Option<&Self>) -> bool {
        match (self.height.sign, self.rise.sign) {
            (Greater, rise) => rise != Less,
            (_, Greater) => entry.is_some_and(|entry| self.side_at(entry) == Greater),
            _ => false,
        }
    }

    /// `Greater` if the path lies beyond the edge when it passes an edge that it enters by, `Equal` if on it.
    fn side_at(&self, entry: &Self) -> Ordering {
        let (ours, theirs) = (self.rise.times(&entry.height), self.height.times(&entry.rise));
        let (value, error) = (ours.0 - theirs.0, ours.1 + theirs.1);
        if value.abs() > error {
            return if value > 0.0 { Greater } else { Less };
        }
        let product = |rise: &Sum<4>, height: &Sum<6>| rise.exact().times(&height.exact());
        product(&self.rise, &entry.height).minus(&product(&entry.rise, &self.height)).sign()
    }

    /// Whether the path has passed the edge, by which it enters, at the time `max`.
    fn is_met_by(&self, max: f64) -> bool {
        let (Sum { value: height, .. }, Sum { value: rise, .. }) = (&self.height, &self.rise);
        let left = height + rise * max;
        let error = self.height.error + self.rise.error * max + 4.0 * ROUNDING * (height.abs() + rise.abs() * max);
        if max.is_infinite() || left.abs() > error {
            return max.is_infinite() || left < 0.0;
        }
        self.rise.exact().times(&Exact::sum(&[max])).plus(&self.height.exact()).sign() != Greater
    }
}

/// A sum of products that are exact, what it is up to an error, and its exact sign.
struct Sum<const N: usize> {
    terms: [f64; N],
    value: f64,
    error: f64,
    sign: Ordering,
}

impl<const N: usize> Sum<N> {
    fn new(terms: [f64; N]) -> Self {
        let (mut value, mut size) = (0.0, 0.0);
        for term in terms {
            value += term;
            size += term.abs();
        }
        let error = N as f64 * ROUNDING * size;
        let sign = match value {
            value if value > error => Greater,
            value if value < -error => Less,
            _ => sign(&terms),
        };
        Self { terms, value, error, sign }
    }

    fn exact(&self) -> Exact {
        Exact::sum(&self.terms).compact()
    }

    /// The value, rounded once.
    fn rounded(&self) -> f64 {
        exact_sum(self.terms).filter(|sum| *sum != 0.0).unwrap_or_else(|| self.exact().value())
    }

    /// The product with another sum, up to an error.
    fn times<const M: usize>(&self, other: &Sum<M>) -> (f64, f64) {
        let (value, [own, others]) = (self.value * other.value, [self.value.abs(), other.value.abs()]);
        let error = own * other.error + others * self.error + self.error * other.error;
        (value, 2.0 * error + 4.0 * ROUNDING * own * others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};
    use glam::Vec3;
    use std::time::{Duration, Instant};

    /// The crossing by exact sums alone.
    fn exactly(flat: &FlatPolygon, path: &Path) -> Option<Crossing> {
        let ways: Vec<FaceWay> = (0..flat.corners.len()).map(|from| flat.edge_way(from, path)).collect();
        let negative = |x: &Exact| Exact::default().minus(x).compact();
        let (mut time, mut first) = ([Exact::default(), Exact::sum(&[1.0])], None);
        for (number, FaceWay { height, rise }) in ways.iter().enumerate() {
            let is_entered = height.sign() == Greater && rise.sign() == Less;
            let fall = negative(rise);
            if is_entered && height.times(&time[1]).minus(&time[0].times(&fall)).sign() == Greater {
                (time, first) = ([height.clone(), fall], Some(number));
            }
        }
        let is_beyond = |way: &FaceWay| way.height.times(&time[1]).plus(&way.rise.times(&time[0])).sign() == Greater;
        let is_late =
            path.max < f64::INFINITY && time[1].times(&Exact::sum(&[path.max])).minus(&time[0]).sign() == Less;
        if ways.iter().any(is_beyond) || is_late {
            return None;
        }
        let leaving = ways.iter().filter(|way| way.rise.sign() == Greater);
        let exit = leaving.map(|way| way.height.value() / -way.rise.value()).fold(path.max, f64::min);
        let crossing = match first {
            None => path.starting_inside(exit),
            Some(from) => {
                let normal = (flat.corners[flat.after(from)] - flat.corners[from]).cross(flat.normal);
                Crossing { enter: time[0].value() / time[1].value(), exit, normal, inside: false }
            }
        };
        crossing.within(&flat.aabb, path)
    }

    /// Triangles, and paths in their planes: often through corners, along edges or from one of these.
    fn cases(count: usize) -> Vec<(Triangle, Path)> {
        let mut rng = Rng::with_seed(SEED);
        let mut cases = vec![];
        while cases.len() < count {
            let kind = cases.len();
            let (is_grid, slope) = (kind % 3 == 0, [0.0, 0.5, -2.0][kind / 3 % 3]);
            let mut number = || if is_grid { f32::from(rng.i8(-3..=3)) } else { 9.0 * rng.f32() - 3.0 };
            let size = [1.0, 1e-3, 1e6][kind / 9 % 3];
            // A slope of powers of two, so that what lies in the plane does so exactly.
            let mut point = || Vec3::from([number(), 0.0, number()].map(|x| ((x * size) * 4096.0).round() / 4096.0));
            let on = |p: Vec3| Vec3::new(p.x, p.x * slope, p.z);
            let corners = [point(), point(), point()];
            let ends = [(); 2].map(|()| point());
            let pick = |rng: &mut Rng, other: Vec3| if rng.bool() { other } else { corners[rng.usize(0..3)] };
            let (from, to) = (pick(&mut rng, ends[0]), pick(&mut rng, ends[1]));
            let max = [f32::INFINITY, 1.0, 0.5, rng.f32(), 0.0][rng.usize(0..5)];
            let triangle = Triangle::try_from(corners.map(on));
            if let (Ok(triangle), true) = (triangle, from != to) {
                cases.push((triangle, Path::new(on(from), on(to) - on(from), max)));
            }
        }
        cases
    }

    fn flat<'a>(triangle: &Triangle, corners: &'a [DVec3; 3]) -> FlatPolygon<'a> {
        FlatPolygon { corners, normal: triangle.wide_normal(), aabb: triangle.aabb() }
    }

    #[test]
    fn what_is_decided_in_doubles_is_what_exact_sums_give() {
        let mut counts = [0; 3];
        for (triangle, path) in cases(60_000) {
            let corners = triangle.vertices();
            let flat = flat(&triangle, &corners);
            let (found, expected) = (flat.coplanar_crossing(&path), exactly(&flat, &path));
            assert_eq!(found, expected, "{triangle:?} {path:?}");
            counts[expected.map_or(0, |crossing| 1 + usize::from(crossing.inside))] += 1;
        }
        assert!(counts.iter().all(|count| *count > 5000), "{counts:?}");
    }

    #[test]
    fn few_crossings_take_exact_sums() {
        // At random, not through corners.
        let mut rng = Rng::with_seed(SEED);
        let mut point = || Vec3::new(rng.f32(), 0.1, rng.f32());
        let random =
            [(); 2000].map(|()| (Triangle::new(point(), point(), point()), Path::new(point(), point() - point(), 1.0)));
        let cases: Vec<(Triangle, Path)> =
            random.into_iter().filter_map(|(one, path)| Some((one.ok()?, path))).collect();
        let time = |cross: fn(&FlatPolygon, &Path) -> Option<Crossing>| -> Duration {
            let ask = || {
                let start = Instant::now();
                for (triangle, path) in &cases {
                    std::hint::black_box(cross(&flat(triangle, &triangle.vertices()), path));
                }
                start.elapsed()
            };
            [(); 5].map(|()| ask()).into_iter().min().unwrap()
        };
        let (found, exact) = (time(|flat, path| flat.coplanar_crossing(path)), time(exactly));
        assert!(4 * found < exact, "{found:?}, exactly {exact:?}");
    }
}
