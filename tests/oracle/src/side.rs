//! Which side of a plane a volume is on: one that touches the plane or is cut by it is [`Side::Straddling`].

use std::cmp::Ordering;

use crate::Exact;
use crate::vector::{self, Aabb, Obb, Plane, Real, Sphere};
use crate::zonotope::Zonotope;

/// Where a closed volume is relative to a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Strictly in front.
    Front,
    /// Touching the plane or cut by it.
    Straddling,
    /// Strictly behind.
    Back,
}

/// What a ball's radius is compared with, since no plane of `f32`s has a normal of exactly unit length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalLength {
    /// The length of the stored normal: `|height| <= radius·|normal|`, decided on the squares. This is the true
    /// distance to the stored plane.
    Stored,
    /// One: `|height| <= radius`. This is what a program computes if it trusts its normal to be a unit vector.
    AssumedOne,
}

impl NormalLength {
    /// `height` compared with `radius` times the length.
    pub(crate) fn compare(self, height: &Exact, radius: &Exact, normal: &vector::Vector) -> Ordering {
        match self {
            Self::AssumedOne => height.cmp(radius),
            Self::Stored if height.is_negative() => Ordering::Less,
            Self::Stored => (height * height).cmp(&(radius * radius * normal.length_squared())),
        }
    }
}

fn side(from_front: Ordering, from_back: Ordering) -> Side {
    match (from_front, from_back) {
        (Ordering::Greater, _) => Side::Front,
        (_, Ordering::Greater) => Side::Back,
        _ => Side::Straddling,
    }
}

fn side_of(plane: (vector::Vector, Exact), zonotope: &Zonotope) -> Side {
    let height = plane.0.dot(&zonotope.center) + plane.1;
    let radius = zonotope.radius(&plane.0);
    side(height.cmp(&radius), (-height).cmp(&radius))
}

/// The side of a point.
pub fn side_of_point<T: Real, U: Real>(plane: Plane<T>, point: [U; 3]) -> Side {
    let sign = vector::height(plane, point).sign();
    side(sign, sign.reverse())
}

/// The side of an axis-aligned box.
pub fn side_of_aabb<T: Real, U: Real>(plane: Plane<T>, aabb: Aabb<U>) -> Side {
    side_of(vector::plane(plane), &Zonotope::from_aabb(aabb))
}

/// The side of a parallelepiped.
pub fn side_of_obb<T: Real, U: Real>(plane: Plane<T>, obb: Obb<U>) -> Side {
    side_of(vector::plane(plane), &Zonotope::from_obb(obb))
}

/// The side of a ball, by either convention for the normal's length.
pub fn side_of_sphere<T: Real, U: Real>(plane: Plane<T>, sphere: Sphere<U>, length: NormalLength) -> Side {
    let (normal, d) = vector::plane(plane);
    let (center, radius) = vector::sphere(sphere);
    let height = normal.dot(&center) + d;
    let front = length.compare(&height, &radius, &normal);
    side(front, length.compare(&-height, &radius, &normal))
}
