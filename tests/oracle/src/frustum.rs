//! Convex regions given by inward planes, like those of a camera: `normal · p + d >= 0` for each.

use crate::interval::{Constraint, Interval};
use crate::side::{NormalLength, Side, side_of_sphere};
use crate::vector::{self, Aabb, Obb, Plane, Real, Sphere, Vector};
use crate::zonotope::Zonotope;
use crate::{Exact, height};

/// How much of a volume lies in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// All of it.
    Inside,
    /// Neither all of it nor, as far as the test can tell, none.
    Crossing,
    /// None of it.
    Outside,
}

/// Whether a region contains a point.
pub fn frustum_contains_point<T: Real, U: Real>(planes: &[Plane<T>], point: [U; 3]) -> bool {
    planes.iter().all(|&plane| !height(plane, point).is_negative())
}

/// A ball against each plane in turn: outside if it is wholly behind one of them, inside if no part of it is behind any
/// of them. A ball beyond an edge or a corner of the region may be reported as crossing.
pub fn frustum_sphere<T: Real, U: Real>(planes: &[Plane<T>], sphere: Sphere<U>, length: NormalLength) -> Containment {
    let [x, y, z, radius] = sphere;
    let mut answer = Containment::Inside;
    for &plane in planes {
        match side_of_sphere(plane, sphere, length) {
            Side::Back => return Containment::Outside,
            Side::Front => {}
            Side::Straddling => {
                // Touching from the front is still inside.
                let (normal, _) = vector::plane(plane);
                let above = height(plane, [x, y, z]);
                if length.compare(&above, &Exact::new(radius), &normal).is_lt() {
                    answer = Containment::Crossing;
                }
            }
        }
    }
    answer
}

/// An axis-aligned box against each plane in turn: the best answer a plane-by-plane test can give.
pub fn frustum_planes_aabb<T: Real, U: Real>(planes: &[Plane<T>], aabb: Aabb<U>) -> Containment {
    plane_by_plane(&in_box_space(planes, &Zonotope::from_aabb(aabb)))
}

/// A parallelepiped against each plane in turn.
pub fn frustum_planes_obb<T: Real, U: Real>(planes: &[Plane<T>], obb: Obb<U>) -> Containment {
    plane_by_plane(&in_box_space(planes, &Zonotope::from_obb(obb)))
}

/// The true relation of an axis-aligned box to a region.
pub fn frustum_aabb<T: Real, U: Real>(planes: &[Plane<T>], aabb: Aabb<U>) -> Containment {
    exactly(&in_box_space(planes, &Zonotope::from_aabb(aabb)))
}

/// The true relation of a parallelepiped to a region.
pub fn frustum_obb<T: Real, U: Real>(planes: &[Plane<T>], obb: Obb<U>) -> Containment {
    exactly(&in_box_space(planes, &Zonotope::from_obb(obb)))
}

/// A plane `slopes · s + value >= 0` in the coordinates `|s| <= 1` along the half edges of a box.
struct BoxPlane {
    slopes: Vector,
    value: Exact,
}

impl BoxPlane {
    fn reach(&self) -> Exact {
        self.slopes.0.iter().map(Exact::abs).sum()
    }

    fn misses(&self) -> bool {
        (&self.value + self.reach()).is_negative()
    }

    fn holds_all(&self) -> bool {
        self.value >= self.reach()
    }

    /// The constraint along the line `(start + t·direction) / scale`.
    fn along(&self, start: &Vector, direction: &Vector, scale: &Exact) -> Constraint {
        let value = self.slopes.dot(start) + &self.value * scale;
        Constraint::new(value, self.slopes.dot(direction))
    }
}

fn in_box_space<T: Real>(planes: &[Plane<T>], zonotope: &Zonotope) -> Vec<BoxPlane> {
    let transform = |&plane: &Plane<T>| {
        let (normal, d) = vector::plane(plane);
        BoxPlane {
            slopes: Vector(std::array::from_fn(|i| zonotope.generators[i].dot(&normal))),
            value: normal.dot(&zonotope.center) + d,
        }
    };
    planes.iter().map(transform).collect()
}

fn plane_by_plane(planes: &[BoxPlane]) -> Containment {
    if planes.iter().any(BoxPlane::misses) {
        Containment::Outside
    } else if planes.iter().all(BoxPlane::holds_all) {
        Containment::Inside
    } else {
        Containment::Crossing
    }
}

fn exactly(planes: &[BoxPlane]) -> Containment {
    match plane_by_plane(planes) {
        Containment::Crossing if !meets_cube(planes) => Containment::Outside,
        answer => answer,
    }
}

/// Whether the cube `|s| <= 1` and all half-spaces share a point.
///
/// If they do, their intersection is bounded and has a corner, where three planes meet: three of the cube's (a corner
/// of it), two of them (on an edge of it), or one or none (on the line of two half-spaces).
fn meets_cube(planes: &[BoxPlane]) -> bool {
    let planes: Vec<_> = planes.iter().filter(|plane| !plane.holds_all()).collect();
    let feasible = |start: &Vector, direction: &Vector, scale: &Exact| {
        let sides = (0..3).flat_map(|i| {
            let (at, slope) = (&start.0[i], &direction.0[i]);
            [Constraint::new(scale + at, slope.clone()), Constraint::new(scale - at, -slope)]
        });
        let others = planes.iter().map(|plane| plane.along(start, direction, scale));
        Interval::of(&sides.chain(others).collect::<Vec<_>>()).is_some()
    };
    let edges = (0..12).any(|edge| {
        let axis = edge / 4;
        let mut start = Vector::new([0, 0, 0]);
        start.0[(axis + 1) % 3] = Exact::new(if edge % 2 == 0 { 1 } else { -1 });
        start.0[(axis + 2) % 3] = Exact::new(if edge % 4 < 2 { 1 } else { -1 });
        feasible(&start, &Vector::axis(axis), &Exact::ONE)
    });
    edges
        || planes.iter().enumerate().any(|(i, a)| {
            planes[..i].iter().any(|b| {
                let line = a.slopes.cross(&b.slopes);
                if line.is_zero() {
                    return false;
                }
                // The point of the line nearest to the origin, times |line|².
                let from_a = line.cross(&b.slopes).times(&a.value);
                let start = from_a.plus(&a.slopes.cross(&line).times(&b.value));
                feasible(&start, &line, &line.length_squared())
            })
        })
}
