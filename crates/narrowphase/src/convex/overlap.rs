//! Whether two cores have a point, or inner points, in common: in `f64` where that is certain, otherwise exactly.

use super::{
    ConvexCore,
    gjk::{Nearest, first_simplex, nearest},
    pair::{CorePair, exact, sign_of_triple},
    portal,
    simplex::Simplex,
};
use crate::{
    exact::{
        ROUNDING,
        lines::{cross, dot},
        orientation::{HEIGHT_ERROR, cross as cross_and_size},
        predicate::{Exact, sign},
    },
    lists::Listed,
};
use glam::DVec3;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// Whether two convexes are apart (`Less`), only touch (`Equal`), or have inner points in common (`Greater`).
pub(super) fn relation(a: &ConvexCore, b: &ConvexCore) -> Ordering {
    let pair = CorePair::new(a, b);
    let mut simplex = first_simplex(&pair);
    let found = nearest(&pair, &mut simplex);
    let radius = a.radius + b.radius;
    if found.low > radius * (1.0 + ROUNDING) {
        return Less;
    }
    if radius > 0.0 {
        return rounded(&pair, &found, &simplex, radius);
    }
    if found.meets && surrounds_origin(&simplex) {
        return Greater;
    }
    if pair.is_round && !found.meets {
        return Less;
    }
    let flat = if pair.is_round { None } else { flat(a, b) };
    flat.or_else(|| portal::relation(&pair)).unwrap_or(Equal)
}

/// Whether the origin is certainly inside a simplex that is a tetrahedron.
fn surrounds_origin(simplex: &Simplex) -> bool {
    let [a, b, c, d] = simplex.points() else { return false };
    let volume = |a: DVec3, b: DVec3, c: DVec3| {
        let (normal, size) = cross_and_size(b, c);
        // Half as much again for the rounding of the points themselves.
        let (value, error) = (a.dot(normal), 1.5 * HEIGHT_ERROR * a.abs().dot(size));
        if value.abs() > error { value } else { 0.0 }
    };
    let [a, b, c, d] = [a.w, b.w, c.w, d.w];
    let volumes = [volume(b, c, d), volume(a, d, c), volume(a, b, d), volume(a, c, b)];
    volumes.iter().all(|x| *x > 0.0) || volumes.iter().all(|x| *x < 0.0)
}

/// The same for convexes with radii: the nearest feature of the difference against the sum of the radii, exactly.
fn rounded(pair: &CorePair, found: &Nearest, simplex: &Simplex, radius: f64) -> Ordering {
    let (distance, slack) = (found.v.length(), pair.slack(found.v));
    // The nearest point belongs to the difference up to its own rounding.
    if radius * distance > found.v.length_squared() + 2.0 * slack || simplex.len == 4 {
        return Greater;
    }
    if pair.is_round {
        return radius.total_cmp(&distance);
    }
    let reach = Exact::sum(&[pair.a.radius, pair.b.radius]);
    let square = reach.times(&reach).compact();
    let points = simplex.points();
    let w = exact(&pair.terms(&points[0]));
    let way = |i: usize| exact(&pair.way(&points[0], &points[i]));
    // The square of the distance, times that of the feature's size.
    let (left, size) = match points.len() {
        1 => (dot(&w, &w), Exact::sum(&[1.0])),
        2 => {
            let (edge, normal) = (way(1), cross(&w, &way(1)));
            (dot(&normal, &normal), dot(&edge, &edge))
        }
        _ => {
            let normal = cross(&way(1), &way(2));
            let height = dot(&normal, &w);
            (height.times(&height).compact(), dot(&normal, &normal))
        }
    };
    square.times(&size).minus(&left).sign()
}

/// Two directions that span the plane of a flat difference, exactly, the longest there are; `None` if it is not flat.
/// They are parallel if it has no area.
pub(super) fn plane_of(a: &ConvexCore, b: &ConvexCore) -> Option<[[DVec3; 2]; 2]> {
    let ways = || [a, b].into_iter().flat_map(|core| core.vertices().map(|p| [p, -core.vertex(0)]));
    let longest = |size: &dyn Fn(DVec3) -> f64| {
        let longer = |p: &[DVec3; 2], q: &[DVec3; 2]| size(p[0] + p[1]).total_cmp(&size(q[0] + q[1]));
        ways().max_by(longer).unwrap_or_default()
    };
    let u = longest(&|way| way.length_squared());
    let v = longest(&|way| way.cross(u[0] + u[1]).length_squared());
    ways().all(|way| sign_of_triple(&way, &u, &v) == Equal).then_some([u, v])
}

/// Whether two convexes whose difference is flat touch, exactly; `None` if it is not flat.
#[cold]
fn flat(a: &ConvexCore, b: &ConvexCore) -> Option<Ordering> {
    let [u, v] = plane_of(a, b)?;
    let of = |core: &ConvexCore| core.vertices().listed::<[DVec3; 8]>();
    let (a, b) = (of(a), of(b));
    let range =
        |points: &[DVec3]| points.iter().fold((points[0], points[0]), |(low, high), p| (low.min(*p), high.max(*p)));
    let ((a_low, a_high), (b_low, b_high)) = (range(&a), range(&b));
    if a_low.cmpgt(b_high).any() || b_low.cmpgt(a_high).any() {
        return Some(Less);
    }
    let between = [b[0], -a[0]];
    let Some(axis) = largest(&cross(&exact(&u), &exact(&v))) else {
        // All on parallel lines: on one, or not.
        let is_one = cross(&exact(&between), &exact(&u)).iter().all(|x| x.sign() == Equal);
        return Some(if is_one { Equal } else { Less });
    };
    let is_apart = sign_of_triple(&between, &u, &v) != Equal
        || has_separating_edge(&a, &b, axis)
        || has_separating_edge(&b, &a, axis);
    Some(if is_apart { Less } else { Equal })
}

/// The axis along which an exact vector is longest; `None` for zero.
fn largest(vector: &[Exact; 3]) -> Option<usize> {
    let size = |axis: &usize| vector[*axis].value().abs();
    (0..3).filter(|axis| vector[*axis].sign() != Equal).max_by(|i, j| size(i).total_cmp(&size(j)))
}

/// Whether the line through two of one polygon's corners, which has all of them on one side, has all of the other's on
/// the other, seen along an axis.
fn has_separating_edge(own: &[DVec3], others: &[DVec3], axis: usize) -> bool {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let side = |p: DVec3, q: DVec3, r: DVec3| {
        // The area of the triangle, as products that do not depend on rounded differences.
        let times = |x: f64, y: f64| Exact::sum(&[x]).times(&Exact::sum(&[y]));
        let product = |p: DVec3, q: DVec3| times(p[i], q[j]).minus(&times(p[j], q[i]));
        product(p, q).plus(&product(q, r)).plus(&product(r, p)).sign()
    };
    own.iter().any(|p| {
        own.iter().any(|q| {
            sign(&[p[i], -q[i]]).then(sign(&[p[j], -q[j]])) != Equal
                && own.iter().all(|r| side(*p, *q, *r) != Less)
                && others.iter().all(|r| side(*p, *q, *r) == Less)
        })
    })
}
