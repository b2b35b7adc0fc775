//! Shapes without an exact form, in `f64`, by their support functions; and the distance of two of them, from both sides.
//!
//! The nearest point to 0 of the difference of two shapes is approached by the fully corrective method of Frank and
//! Wolfe: add the point of the difference that lies farthest towards 0, take the nearest point of the simplex of all
//! that were added, drop those that it does not need. Each iterate is a point of the difference, so its length bounds
//! the distance from above; each plane across it through the point that was farthest bounds it from below. Both hold
//! whatever the accuracy of the search.

use crate::turn::{V, cross, dot, length, minus, plus, scaled};

use super::Pose;

/// A convex shape in `f64`: a core that is a hull of points or of two coaxial discs, rounded by a radius.
#[derive(Clone, Debug)]
pub struct ShapeSampler {
    core: Core,
    radius: f64,
}

#[derive(Clone, Debug)]
enum Core {
    Points(Vec<V>),
    /// Two discs by centre and radius, spanned by two unit vectors at right angles.
    Discs {
        across: [V; 2],
        discs: [(V, f64); 2],
    },
}

/// What is certain about a distance, up to the rounding of `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// They are at least this far apart. If negative, they may overlap.
    pub lower: f64,
    /// They are at most this far apart. If negative, they overlap by at least that depth.
    pub upper: f64,
}

impl ShapeSampler {
    /// The hull of points, which must not be none.
    pub fn hull<T: Copy + Into<f64>>(points: &[[T; 3]]) -> Self {
        assert!(!points.is_empty(), "a hull needs a point");
        Self { core: Core::Points(points.iter().map(|point| point.map(Into::into)).collect()), radius: 0.0 }
    }

    /// A ball.
    pub fn ball(center: V, radius: f64) -> Self {
        Self::hull(&[center]).rounded(radius)
    }

    /// All points within a radius of a segment.
    pub fn capsule(ends: [V; 2], radius: f64) -> Self {
        Self::hull(&ends).rounded(radius)
    }

    /// A cylinder with its axis from one point to another one.
    pub fn cylinder(ends: [V; 2], radius: f64) -> Self {
        Self::discs(ends, [radius, radius])
    }

    /// A cone with the centre of its base and its apex, which must not be the same.
    pub fn cone(base: V, apex: V, radius: f64) -> Self {
        Self::discs([base, apex], [radius, 0.0])
    }

    fn discs(ends: [V; 2], radii: [f64; 2]) -> Self {
        let way = minus(ends[1], ends[0]);
        assert!(length(way) > 0.0, "a direction of the axis is needed");
        let unit = |v: V| scaled(v, 1.0 / length(v));
        let axis = unit(way);
        let first = unit(cross(axis, if axis[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] }));
        let discs = [(ends[0], radii[0]), (ends[1], radii[1])];
        Self { core: Core::Discs { across: [first, unit(cross(axis, first))], discs }, radius: 0.0 }
    }

    /// The same with its surface moved outward, convex edges rounded.
    pub fn rounded(mut self, radius: f64) -> Self {
        self.radius += radius;
        self
    }

    /// A point of the core that lies farthest in a direction.
    fn support(&self, direction: V) -> V {
        let farthest = |a: V, b: V| if dot(b, direction) > dot(a, direction) { b } else { a };
        match &self.core {
            Core::Points(points) => points.iter().copied().reduce(farthest).expect("a hull has points"),
            Core::Discs { across, discs } => {
                // Within the disc whatever the direction is: the part of it across the axis would be uncertain.
                let [x, y] = across.map(|unit| dot(unit, direction));
                let size = x.hypot(y);
                let toward = if size > 0.0 { rim_vector(across, [x / size, y / size]) } else { [0.0; 3] };
                let rim = |(center, radius): (V, f64)| plus(center, scaled(toward, radius));
                farthest(rim(discs[0]), rim(discs[1]))
            }
        }
    }
}

fn rim_vector(across: &[V; 2], [x, y]: [f64; 2]) -> V {
    plus(scaled(across[0], x), scaled(across[1], y))
}

/// Bounds of the distance of `a`, placed by a pose, from `b`: as close as they get, or close enough to tell whether the
/// distance is at most `limit`.
pub(super) fn bounds(a: &ShapeSampler, pose: &Pose, b: &ShapeSampler, limit: Option<f64>) -> Bounds {
    // The point b − a that lies farthest in a direction.
    let support = |direction: V| {
        let local = pose.turned_back(scaled(direction, -1.0));
        minus(b.support(direction), pose.applied(a.support(local)))
    };
    let radii = a.radius + b.radius;
    let told = |best: &Bounds| limit.is_some_and(|limit| best.upper - radii <= limit || best.lower - radii > limit);
    let mut best = Bounds { lower: 0.0, upper: f64::INFINITY };
    for start in STARTS {
        let size = approach(&support, start, &told, &mut best);
        if best.upper - best.lower <= 1e-15 * size || told(&best) {
            break;
        }
    }
    Bounds { lower: best.lower - radii, upper: best.upper - radii }
}

/// Where the search starts, again if it stops short.
const STARTS: [V; 4] = [[1.0, 0.0, 0.0], [-0.5, 0.8, 0.3], [-0.4, -0.7, 0.6], [0.1, 0.2, -1.0]];

const STEPS: usize = 300;

/// Returns the largest distance from 0 that was seen.
fn approach(support: &impl Fn(V) -> V, start: V, told: &impl Fn(&Bounds) -> bool, best: &mut Bounds) -> f64 {
    let mut nearest = support(start);
    let mut simplex = vec![nearest];
    let mut size = length(nearest);
    for _ in 0..STEPS {
        let distance = length(nearest);
        best.upper = best.upper.min(distance);
        if distance <= 1e-15 * size {
            break;
        }
        let next = support(scaled(nearest, -1.0));
        size = size.max(length(next));
        best.lower = best.lower.max(dot(next, nearest) / distance);
        if best.upper <= best.lower || told(best) || simplex.contains(&next) {
            break;
        }
        simplex.push(next);
        let (point, needed) = nearest_of_simplex(&simplex);
        if length(point) >= distance {
            break;
        }
        (nearest, simplex) = (point, needed);
    }
    size
}

/// The nearest point to 0 of the hull of at most five points, and at most four of them that it is a mean of: of all
/// faces with up to four corners, those that contain the foot of the perpendicular.
fn nearest_of_simplex(points: &[V]) -> (V, Vec<V>) {
    let face =
        |mask: usize| -> Vec<V> { (0..points.len()).filter(|i| mask >> i & 1 == 1).map(|i| points[i]).collect() };
    (1usize..1 << points.len())
        .filter(|mask| mask.count_ones() <= 4)
        .filter_map(|mask| foot(&face(mask)).map(|foot| (foot, mask)))
        .min_by(|(a, _), (b, _)| length(*a).total_cmp(&length(*b)))
        .map(|(foot, mask)| (foot, face(mask)))
        .expect("a point is its own foot")
}

/// The nearest point to 0 of the affine hull of points, if it is a mean of them with weights that are not negative.
fn foot(corners: &[V]) -> Option<V> {
    let [origin, others @ ..] = corners else { return None };
    let edges: Vec<V> = others.iter().map(|&corner| minus(corner, *origin)).collect();
    let shares = foot_shares(*origin, &edges)?;
    let inside = shares.iter().all(|share| *share >= 0.0) && shares.iter().sum::<f64>() <= 1.0;
    inside.then(|| edges.iter().zip(&shares).fold(*origin, |sum, (edge, share)| plus(sum, scaled(*edge, *share))))
}

/// The factors of the edges for which `origin + Σ share·edge` is at right angles to all of them, by elimination; `None`
/// if the edges are linearly dependent up to rounding.
fn foot_shares(origin: V, edges: &[V]) -> Option<Vec<f64>> {
    let n = edges.len();
    let mut rows: Vec<Vec<f64>> = edges
        .iter()
        .map(|edge| edges.iter().map(|other| dot(*edge, *other)).chain([-dot(*edge, origin)]).collect())
        .collect();
    for i in 0..n {
        // The squares are largest on the diagonal of a positive matrix, and stay so.
        let pivot = rows[i].clone();
        if pivot[i] <= 1e-28 * dot(edges[i], edges[i]) {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(k, _)| *k != i) {
            let factor = row[i] / pivot[i];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    Some((0..n).map(|i| rows[i][n] / rows[i][i]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::distance_between;

    fn gap(a: &ShapeSampler, b: &ShapeSampler, expected: f64) {
        for (a, b) in [(a, b), (b, a)] {
            let Bounds { lower, upper } = distance_between(a, &Pose::still(), b);
            assert!(lower <= expected + 1e-12 && upper >= expected - 1e-12, "{lower} {upper} {expected}");
            assert!(upper - lower < 1e-9, "{lower} {upper} {expected}");
        }
    }

    #[test]
    fn distances_of_round_shapes_worked_by_hand() {
        let ball = ShapeSampler::ball([0.0, 3.0, 4.0], 2.0);
        gap(&ball, &ShapeSampler::ball([0.0; 3], 1.0), 2.0);
        gap(&ball, &ShapeSampler::ball([0.0; 3], 4.0), -1.0);
        gap(&ball, &ShapeSampler::capsule([[-1.0, 0.0, 0.0], [5.0, 0.0, 0.0]], 0.5), 2.5);
        let cylinder = ShapeSampler::cylinder([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], 2.0);
        // Beside it, above it, and off its rim by (3, 4).
        gap(&cylinder, &ShapeSampler::ball([3.0, 4.0, 0.5], 1.0), 2.0);
        gap(&cylinder, &ShapeSampler::ball([1.0, 1.0, 5.0], 1.0), 3.0);
        gap(&cylinder, &ShapeSampler::ball([0.0, 5.0, 5.0], 1.0), 4.0);
        // Crossed, the other one turned about x.
        gap(&cylinder, &ShapeSampler::cylinder([[5.0, -9.0, 0.0], [5.0, 9.0, 0.0]], 1.0), 2.0);
        // A cone of slope 3 : 4, seen along the normal (4, 3)/5 from the middle of its side.
        let cone = ShapeSampler::cone([0.0; 3], [0.0, 0.0, 4.0], 3.0);
        gap(&cone, &ShapeSampler::ball([1.5 + 4.0, 0.0, 2.0 + 3.0], 1.0), 4.0);
        gap(&cone, &ShapeSampler::ball([0.0, 0.0, 6.0], 1.0), 1.0);
        gap(&cone, &ShapeSampler::ball([1.0, 1.0, -2.0], 1.0), 1.0);
        gap(&cone, &ShapeSampler::hull(&[[1.0, 0.5, -3.0], [-1.0, 0.0, 3.0]]), 0.0);
    }

    /// A prism in place of a cylinder, a pyramid in place of a cone, with corners on the rims.
    fn with_corners(shape: &ShapeSampler, count: usize) -> ShapeSampler {
        let Core::Discs { across, discs } = &shape.core else { return shape.clone() };
        let corner = |(center, radius): (V, f64), i: usize| {
            let (sin, cos) = (i as f64 * std::f64::consts::TAU / count as f64).sin_cos();
            plus(center, scaled(rim_vector(across, [cos, sin]), radius))
        };
        let points = discs.iter().flat_map(|&disc| (0..count).map(move |i| corner(disc, i)));
        ShapeSampler::hull(&points.collect::<Vec<_>>()).rounded(shape.radius)
    }

    #[test]
    fn round_shapes_are_as_far_apart_as_polyhedra_of_many_corners() {
        let rng = &mut cullide_scenes::Rng::with_seed(1);
        let (mut apart, mut widest) = (0, 0f64);
        for _ in 0..400 {
            let mut point = |size: f64| [(); 3].map(|()| size * (2.0 * rng.f64() - 1.0));
            let (ends, turn, place) = ([point(1.0), point(1.0)], point(3.0), point(2.0));
            let b = ShapeSampler::cylinder([point(1.0), point(1.0)], rng.f64());
            let a = match rng.u32(0..3) {
                0 => ShapeSampler::cone(ends[0], ends[1], rng.f64()),
                1 => ShapeSampler::cylinder(ends, 0.001 * rng.f64()).rounded(rng.f64()),
                _ => ShapeSampler::cylinder(ends, rng.f64()),
            };
            let pose = Pose::new(turn, place);
            let Bounds { lower, upper } = distance_between(&a, &pose, &b);
            apart += usize::from(lower > 0.0);
            widest = widest.max(upper - lower);
            assert!(lower <= upper + 1e-14, "{lower} {upper}");
            let polyhedra = distance_between(&with_corners(&a, 500), &pose, &with_corners(&b, 500));
            // Each rim of a radius up to 1 is cut by 1 − cos(π/500), 2e-5.
            assert!(
                polyhedra.lower <= upper + 4e-5 && polyhedra.upper >= lower - 1e-14,
                "{lower} {upper} {polyhedra:?}"
            );
        }
        assert!(apart > 200 && widest < 1e-11, "{apart} apart, bounds {widest:e} apart");
    }
}
