//! A ray or segment against one shape: the closed interval of its parameter inside the shape.
//!
//! All sets are closed, so touching counts. The parameter of a ray is in units of its *stored* direction, so it is a
//! distance only to the extent that the direction is of unit length.

use std::cmp::Ordering;

use crate::interval::{Constraint, Interval};
use crate::ratio::{Root, Which};
use crate::vector::{self, Aabb, Obb, Plane, Real, Sphere, Vector};
use crate::zonotope::Zonotope;
use crate::{Exact, Parameter, Ratio};

/// The points `origin + t·delta` with `0 <= t <= max`.
#[derive(Clone, Debug)]
pub struct Path {
    pub(crate) origin: Vector,
    pub(crate) delta: Vector,
    /// `None` for an infinite path.
    pub(crate) max: Option<Exact>,
}

impl Path {
    /// A ray up to `max_distance`, which may be `INFINITY`, in units of the direction's length.
    pub fn ray<T: Real>(origin: [T; 3], direction: [T; 3], max_distance: T) -> Self {
        let max: f64 = max_distance.into();
        Self {
            origin: Vector::new(origin),
            delta: Vector::new(direction),
            max: (max != f64::INFINITY).then(|| Exact::new(max)),
        }
    }

    /// A segment from `start` to `start + delta`; its parameter is a fraction.
    pub fn segment<T: Real>(start: [T; 3], delta: [T; 3]) -> Self {
        Self { origin: Vector::new(start), delta: Vector::new(delta), max: Some(Exact::ONE) }
    }

    fn along(&self, normal: &Vector, value: &Exact) -> Constraint {
        Constraint::new(normal.dot(&self.origin) + value, normal.dot(&self.delta))
    }

    fn reaches(&self, t: &Ratio) -> bool {
        self.max.as_ref().is_none_or(|max| t.cmp_exact(max).is_le())
    }

    fn crossing<'a>(&self, constraints: impl IntoIterator<Item = &'a Constraint>) -> Option<Crossing> {
        let interval = Interval::of(constraints)?;
        let (before, inside) = (interval.ends_before_start(), !interval.begins_after_start());
        let enter = interval.enter.filter(|_| !inside).unwrap_or(Exact::ZERO.into());
        if before || !self.reaches(&enter) {
            return None;
        }
        Some(Crossing { enter: Parameter::Quotient(enter), exit: interval.exit.map(Parameter::Quotient), inside })
    }
}

/// Where a path is inside a shape.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The first parameter inside, 0 if the path starts inside.
    pub enter: Parameter,
    /// The last parameter inside, regardless of the path's end; `None` if it never leaves.
    pub exit: Option<Parameter>,
    /// Whether the start belongs to the shape, its surface included.
    pub inside: bool,
}

/// The result of a path against a plane as a surface.
#[derive(Clone, Debug)]
pub struct PlaneCrossing {
    /// The side on which it starts: `Greater` in front, `Equal` on the plane.
    pub start: Ordering,
    /// The direction of travel: `Less` against the normal, `Equal` along the plane or without motion.
    pub slope: Ordering,
    /// The first parameter on the plane; 0 if the start is on it, whatever the direction of travel.
    pub hit: Option<Ratio>,
}

/// A path against a plane from either side. Paths that start on the plane, lie in it or stay at one of its points touch
/// it at 0; `start` and `slope` distinguish them for callers that count them differently.
pub fn path_plane<T: Real>(path: &Path, plane: Plane<T>) -> PlaneCrossing {
    let (normal, d) = vector::plane(plane);
    let Constraint { value, slope } = path.along(&normal, &d);
    let (start, way) = (value.sign(), slope.sign());
    let hit = match (start, way) {
        (Ordering::Equal, _) => Some(Exact::ZERO.into()),
        (Ordering::Greater, Ordering::Less) | (Ordering::Less, Ordering::Greater) => {
            Some(Ratio::new(-value, slope)).filter(|t| path.reaches(t))
        }
        _ => None,
    };
    PlaneCrossing { start, slope: way, hit }
}

/// A path against the front of a plane: it starts in front or on it, moves against the normal and reaches it.
pub fn path_plane_front<T: Real>(path: &Path, plane: Plane<T>) -> Option<Ratio> {
    let crossing = path_plane(path, plane);
    let moves = path.max.as_ref().is_none_or(Exact::is_positive);
    crossing.hit.filter(|_| crossing.start.is_ge() && crossing.slope.is_lt() && moves)
}

/// A path against an axis-aligned box; an inverted box is empty.
pub fn path_aabb<T: Real>(path: &Path, [min, max]: Aabb<T>) -> Option<Crossing> {
    let (min, max) = (Vector::new(min), Vector::new(max));
    let constraints: [_; 6] = std::array::from_fn(|i| {
        let axis = i / 2;
        let (at, delta) = (&path.origin.0[axis], &path.delta.0[axis]);
        if i % 2 == 0 {
            Constraint::new(at - &min.0[axis], delta.clone())
        } else {
            Constraint::new(&max.0[axis] - at, -delta)
        }
    });
    path.crossing(&constraints)
}

/// A path against a parallelepiped, flat ones included.
pub fn path_obb<T: Real>(path: &Path, obb: Obb<T>) -> Option<Crossing> {
    let slabs = Zonotope::from_obb(obb).slabs(&path.origin, &path.delta);
    path.crossing(slabs.iter().flat_map(|slab| &slab.sides))
}

/// A path against a ball.
pub fn path_sphere<T: Real>(path: &Path, sphere: Sphere<T>) -> Option<Crossing> {
    let (center, radius) = vector::sphere(sphere);
    let offset = path.origin.minus(&center);
    // |offset + t·delta|² <= radius² is a·t² + 2b·t + c <= 0.
    let a = path.delta.length_squared();
    let b = offset.dot(&path.delta);
    let c = offset.length_squared() - &radius * &radius;
    let inside = !c.is_positive();
    if a.is_zero() {
        return inside.then(|| Crossing { enter: Parameter::zero(), exit: None, inside });
    }
    let root = |which| Root { a: a.clone(), b: b.clone(), c: c.clone(), which };
    let near = root(Which::Near);
    let reaches = || path.max.as_ref().is_none_or(|max| near.cmp_exact(max).is_le());
    // From outside, the path has to approach, its line has to meet the ball, and its end has to be far enough.
    let enters = || b.is_negative() && &b * &b >= &a * &c && reaches();
    if !inside && !enters() {
        return None;
    }
    Some(Crossing {
        enter: if inside { Parameter::zero() } else { Parameter::Root(near) },
        exit: Some(Parameter::Root(root(Which::Far))),
        inside,
    })
}

/// A path against the solid `normal · p <= distance` for every `[normal, distance]`.
pub fn path_solid<T: Real>(path: &Path, solid: &[[T; 4]]) -> Option<Crossing> {
    let constraints: Vec<_> = solid
        .iter()
        .map(|&[x, y, z, distance]| {
            let inward = Vector(Vector::new([x, y, z]).0.map(|n| -n));
            path.along(&inward, &Exact::new(distance))
        })
        .collect();
    path.crossing(&constraints)
}

/// A path against a convex polygon in a plane: the points `p` of the plane with `normal · ((b - a) × (p - a)) >= 0` for
/// each edge from `a` to `b`.
///
/// The corners go counter-clockwise seen from the front and need not lie exactly in the plane: the shape is the part of
/// the plane inside the prism that they span along the normal.
pub fn path_patch<T: Real, U: Real>(path: &Path, plane: Plane<U>, corners: &[[T; 3]]) -> Option<Crossing> {
    let (normal, d) = vector::plane(plane);
    path_prism(path, &normal, &d, corners)
}

/// A path against a convex polygon: [`path_patch`] in the plane of its first three corners.
pub fn path_polygon<T: Real>(path: &Path, corners: &[[T; 3]]) -> Option<Crossing> {
    let [a, b, c] = [0, 1, 2].map(|i| Vector::new(corners[i]));
    let normal = b.minus(&a).cross(&c.minus(&a));
    let d = -normal.dot(&a);
    path_prism(path, &normal, &d, corners)
}

fn path_prism<T: Real>(path: &Path, normal: &Vector, d: &Exact, corners: &[[T; 3]]) -> Option<Crossing> {
    let surface = path.along(normal, d);
    let mut constraints = vec![Constraint::new(-&surface.value, -&surface.slope), surface];
    let corners: Vec<_> = corners.iter().map(|&corner| Vector::new(corner)).collect();
    for (i, a) in corners.iter().enumerate() {
        let b = &corners[(i + 1) % corners.len()];
        let inward = normal.cross(&b.minus(a));
        constraints.push(path.along(&inward, &-inward.dot(a)));
    }
    path.crossing(&constraints)
}
