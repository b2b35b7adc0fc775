//! On which side of the plane of three points a fourth one lies, exactly, and the normal of that plane. All coordinates
//! are `f32` numbers, so that a product of two is exact in `f64`.
//!
//! Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", §4.3.

use super::{
    ROUNDING,
    predicate::{Exact, exact_sum, two_product},
};
use glam::DVec3;
use std::cmp::Ordering;

/// The determinant of three differences errs by less than this share of its permanent: 7 roundings in Shewchuk's order
/// of operations, and some for the permanent itself.
pub(crate) const HEIGHT_ERROR: f64 = 16.0 * ROUNDING;

/// `Greater` where `point` lies on the side from which the three points are seen counter-clockwise, `Equal` in their
/// plane; exact.
pub(crate) fn orientation(points: [DVec3; 3], point: DVec3) -> Ordering {
    let [a, b, c] = points;
    let (normal, permanent) = cross(b - a, c - a);
    let offset = point - a;
    let height = normal.dot(offset);
    if height.abs() > HEIGHT_ERROR * permanent.dot(offset.abs()) {
        return if height > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    exact_height(points, point).sign().reverse()
}

/// The cross product, and the magnitudes of the products that it is made of.
pub(crate) fn cross(u: DVec3, v: DVec3) -> (DVec3, DVec3) {
    let component = |i: usize| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (left, right) = (u[j] * v[k], u[k] * v[j]);
        (left - right, left.abs() + right.abs())
    };
    let [x, y, z] = [component(0), component(1), component(2)];
    (DVec3::new(x.0, y.0, z.0), DVec3::new(x.1, y.1, z.1))
}

/// How far a point lies behind the plane of three others, times the length of their normal.
#[cold]
pub(crate) fn exact_height([a, b, c]: [DVec3; 3], o: DVec3) -> Exact {
    let from_o = |p| unrounded_difference(p, o);
    if let (Some(a), Some(b), Some(c)) = (from_o(a), from_o(b), from_o(c))
        && let Some(height) = unrounded_triple(a, b, c)
    {
        return Exact::sum(&[height]);
    }
    triple(a, b, c).minus(&triple(o, b, c)).minus(&triple(a, o, c)).minus(&triple(a, b, o))
}

/// A component of `(b - a) × (c - a)`.
pub(crate) fn exact_normal(points: [DVec3; 3], axis: usize) -> Exact {
    Exact::sum(&normal_terms(points, axis))
}

/// The products of two coordinates each that such a component is the sum of.
pub(crate) fn normal_terms([a, b, c]: [DVec3; 3], axis: usize) -> [f64; 6] {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let cross = |p: DVec3, q: DVec3| [p[u] * q[v], -p[v] * q[u]];
    let [[k, l], [m, n], [o, p]] = [cross(a, b), cross(b, c), cross(c, a)];
    [k, l, m, n, o, p]
}

/// The exact product of the normal, twice the area long, with a vector of `f32` numbers.
pub(crate) fn exact_normal_along(points: [DVec3; 3], along: DVec3) -> Exact {
    let term = |axis: usize| exact_normal(points, axis).times(&Exact::sum(&[along[axis]]));
    term(0).plus(&term(1)).plus(&term(2))
}

/// The exact `a · (b × c)`.
pub(crate) fn triple(a: DVec3, b: DVec3, c: DVec3) -> Exact {
    let term = |i: usize, j: usize, k: usize| Exact::sum(&[b[j] * c[k], -b[k] * c[j]]).times(&Exact::sum(&[a[i]]));
    term(0, 1, 2).plus(&term(1, 2, 0)).plus(&term(2, 0, 1))
}

/// `a · (b × c)` where no operation rounds, as on a grid and along its axes.
pub(crate) fn unrounded_triple(a: DVec3, b: DVec3, c: DVec3) -> Option<f64> {
    let product = |x: f64, y: f64| {
        let (product, error) = two_product(x, y);
        (error == 0.0).then_some(product)
    };
    let term = |i: usize, j: usize, k: usize| {
        if a[i] == 0.0 {
            return Some(0.0);
        }
        product(a[i], exact_sum([product(b[j], c[k])?, -product(b[k], c[j])?])?)
    };
    exact_sum([term(0, 1, 2)?, term(1, 2, 0)?, term(2, 0, 1)?])
}

/// `p - o` where it does not round.
pub(crate) fn unrounded_difference(p: DVec3, o: DVec3) -> Option<DVec3> {
    let of = |axis: usize| exact_sum([p[axis], -o[axis]]);
    Some(DVec3::new(of(0)?, of(1)?, of(2)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_scenes::{Rng, SEED};

    /// `(b - a) × (c - a) · (p - a)` in integers: coordinates are integers below 2^40, times 2^-40.
    fn in_integers([a, b, c]: [[i128; 3]; 3], p: [i128; 3]) -> Ordering {
        let minus = |q: [i128; 3]| [0, 1, 2].map(|i| q[i] - a[i]);
        let [u, v, w] = [minus(b), minus(c), minus(p)];
        let term = |i: usize, j: usize, k: usize| (u[j] * v[k] - u[k] * v[j]) * w[i];
        (term(0, 1, 2) + term(1, 2, 0) + term(2, 0, 1)).cmp(&0)
    }

    #[test]
    fn signs_are_those_of_integers() {
        let mut rng = Rng::with_seed(SEED);
        let unit = (-40f64).exp2();
        let mut counts = [0; 3];
        for case in 0..60_000 {
            // A parallelogram, or the midpoint of two corners, moved by none or a few of the smallest steps.
            let bits = [3, 12, 24, 37][case % 4];
            let mut point = || [(); 3].map(|()| i128::from(rng.i64(-(1 << bits)..1 << bits)));
            // What `f32` can represent.
            let fit = |p: [i128; 3]| p.map(|x| (x as f32) as i128);
            let [a, b, c] = [fit(point()), fit(point()), fit(point())];
            let step = [0, 0, 1][rng.usize(0..3)];
            let mut nudge = || i128::from(rng.i64(-step..=step));
            let p = [0, 1, 2].map(|i| b[i] + c[i] - a[i] + nudge());
            let p = fit(p);
            let wide = |p: [i128; 3]| DVec3::from_array(p.map(|x| x as f64)) * unit;
            let expected = in_integers([a, b, c], p);
            assert_eq!(orientation([a, b, c].map(wide), wide(p)), expected, "{a:?} {b:?} {c:?} {p:?}");
            counts[(expected as i8 + 1) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 5000), "{counts:?}");
    }

    #[test]
    fn what_no_operation_rounds_is_the_exact_product() {
        let mut rng = Rng::with_seed(SEED);
        let mut counts = [0; 2];
        for case in 0..60_000 {
            let bits = [3, 12, 17, 24][case % 4];
            let mut vector = || DVec3::from([0; 3].map(|_| f64::from(rng.i32(-(1 << bits)..1 << bits)) / 64.0));
            let (mut a, b, c) = (vector(), vector(), vector());
            if case % 3 == 0 {
                a = DVec3::new(0.0, a.y, 0.0);
            }
            let found = unrounded_triple(a, b, c);
            if let Some(value) = found {
                assert_eq!(triple(a, b, c).minus(&Exact::sum(&[value])).sign(), Ordering::Equal, "{a} {b} {c}");
            }
            counts[usize::from(found.is_some())] += 1;
        }
        assert!(counts.iter().all(|&count| count > 10_000), "{counts:?}");
    }
}
