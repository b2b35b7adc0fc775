//! Whether two closed volumes share a point, and how far a point is from a volume.

use crate::interval::Constraint;
use crate::vector::{self, Aabb, Obb, Real, Sphere, Vector};
use crate::zonotope::Zonotope;
use crate::{Exact, Ratio};

/// Whether a closed box contains a point.
pub fn aabb_contains_point<T: Real, U: Real>([min, max]: Aabb<T>, point: [U; 3]) -> bool {
    (0..3).all(|i| {
        let at: f64 = point[i].into();
        // Comparing floats is already exact.
        min[i].into() <= at && at <= max[i].into()
    })
}

/// Whether a closed parallelepiped contains a point.
pub fn obb_contains_point<T: Real, U: Real>(obb: Obb<T>, point: [U; 3]) -> bool {
    holds(&Zonotope::from_obb(obb), &Vector::new(point))
}

/// Whether a closed ball contains a point.
pub fn sphere_contains_point<T: Real, U: Real>(sphere: Sphere<T>, point: [U; 3]) -> bool {
    let (center, radius) = vector::sphere(sphere);
    center.minus(&Vector::new(point)).length_squared() <= &radius * &radius
}

/// Whether the solid `normal · p <= distance` for every `[normal, distance]` contains a point.
pub fn solid_contains_point<T: Real, U: Real>(solid: &[[T; 4]], point: [U; 3]) -> bool {
    let point = Vector::new(point);
    solid.iter().all(|&[x, y, z, distance]| Vector::new([x, y, z]).dot(&point) <= Exact::new(distance))
}

/// Whether the first box contains all of the second.
pub fn aabb_contains_aabb<T: Real, U: Real>(outer: Aabb<T>, inner: Aabb<U>) -> bool {
    inner.iter().all(|&corner| aabb_contains_point(outer, corner))
}

/// Whether two axis-aligned boxes share a point.
pub fn aabb_aabb<T: Real, U: Real>(a: Aabb<T>, b: Aabb<U>) -> bool {
    (0..3).all(|i| a[0][i].into() <= b[1][i].into() && b[0][i].into() <= a[1][i].into())
}

/// Whether an axis-aligned box and a ball share a point.
pub fn aabb_sphere<T: Real, U: Real>(aabb: Aabb<T>, sphere: Sphere<U>) -> bool {
    let [x, y, z, _] = sphere;
    let radius = vector::sphere(sphere).1;
    aabb_distance_squared(aabb, [x, y, z]) <= &radius * &radius
}

/// Whether two balls share a point.
pub fn sphere_sphere<T: Real, U: Real>(a: Sphere<T>, b: Sphere<U>) -> bool {
    let ((a, r), (b, s)) = (vector::sphere(a), vector::sphere(b));
    let reach = r + s;
    a.minus(&b).length_squared() <= &reach * &reach
}

/// Whether two parallelepipeds share a point.
pub fn obb_obb<T: Real, U: Real>(a: Obb<T>, b: Obb<U>) -> bool {
    meet(&Zonotope::from_obb(a), &Zonotope::from_obb(b))
}

/// Whether an axis-aligned box and a parallelepiped share a point.
pub fn aabb_obb<T: Real, U: Real>(a: Aabb<T>, b: Obb<U>) -> bool {
    meet(&Zonotope::from_aabb(a), &Zonotope::from_obb(b))
}

/// Whether a parallelepiped and a ball share a point.
pub fn obb_sphere<T: Real, U: Real>(obb: Obb<T>, sphere: Sphere<U>) -> bool {
    let [x, y, z, _] = sphere;
    let radius = vector::sphere(sphere).1;
    obb_distance_squared(obb, [x, y, z]).cmp_exact(&(&radius * &radius)).is_le()
}

fn meet(a: &Zonotope, b: &Zonotope) -> bool {
    holds(&a.grown_by(b), &b.center)
}

fn holds(zonotope: &Zonotope, point: &Vector) -> bool {
    let still = Vector::new([0, 0, 0]);
    let slabs = zonotope.slabs(point, &still);
    let inside = |side: &Constraint| !side.value.is_negative();
    slabs.iter().all(|slab| slab.sides.iter().all(inside))
}

/// The square of the distance from a point to a closed box, 0 inside.
pub fn aabb_distance_squared<T: Real, U: Real>([min, max]: Aabb<T>, point: [U; 3]) -> Exact {
    let beyond = |i: usize| {
        let at = Exact::new(point[i]);
        let (below, above) = (Exact::new(min[i]) - &at, at - Exact::new(max[i]));
        let gap = below.max(above).max(Exact::ZERO);
        &gap * &gap
    };
    (0..3).map(beyond).sum()
}

/// The square of the distance from a point to a closed parallelepiped, 0 inside.
///
/// The nearest point `center + Σ s·h` has each `s` at -1, at +1 or free between them, and is the foot of the
/// perpendicular in its free directions. Of these 27 candidates, those whose free `s` stay in [-1, 1] belong to the
/// box, and the nearest one is the answer. Linearly dependent free directions may be skipped: moving along them to the
/// border leaves the point where it is.
pub fn obb_distance_squared<T: Real, U: Real>(obb: Obb<T>, point: [U; 3]) -> Ratio {
    let zonotope = Zonotope::from_obb(obb);
    let offset = Vector::new(point).minus(&zonotope.center);
    if holds(&zonotope, &Vector::new(point)) {
        return Exact::ZERO.into();
    }
    (0..26)
        .filter_map(|region| {
            let states = [region % 3, region / 3 % 3, region / 9];
            let (mut rest, mut free) = (offset.clone(), Vec::new());
            for (state, edge) in states.into_iter().zip(&zonotope.generators) {
                match state {
                    0 => rest = rest.plus(edge),
                    1 => rest = rest.minus(edge),
                    _ => free.push(edge),
                }
            }
            foot_distance_squared(&rest, &free)
        })
        .min()
        .expect("the corners are always candidates")
}

/// The square of the distance from `rest` to the span of at most two edges, if the foot `Σ s·edge` has `|s| <= 1`.
fn foot_distance_squared(rest: &Vector, free: &[&Vector]) -> Option<Ratio> {
    let length = rest.length_squared();
    match *free {
        [] => Some(length.into()),
        [edge] => {
            let (along, square) = (rest.dot(edge), edge.length_squared());
            if square.is_zero() || along.abs() > square {
                return None;
            }
            Some(Ratio::new(length * &square - &along * &along, square))
        }
        [first, second] => {
            let normal = first.cross(second);
            let square = normal.length_squared();
            let s = rest.cross(second).dot(&normal).abs();
            let t = first.cross(rest).dot(&normal).abs();
            if square.is_zero() || s > square || t > square {
                return None;
            }
            let height = rest.dot(&normal);
            Some(Ratio::new(&height * &height, square))
        }
        _ => unreachable!("the interior is decided before"),
    }
}
