//! A moving box or ball: when it first meets a plane or another box, over one step of half-open time [0, 1).
//!
//! The answer for a plane follows from the signs of the separation at the start and at the end (Lengyel, "Mathematics
//! for 3D Game Programming and Computer Graphics", §12.2). Two convex bodies meet when the difference of their centres
//! enters the Minkowski sum, so a sweep is the path of one point; but unlike a path, it hits only what it presses
//! *into*.

use std::cmp::Ordering;

use crate::interval::Interval;
use crate::ratio::{Root, Which};
use crate::side::NormalLength;
use crate::vector::{self, Aabb, Obb, Plane, Real, Sphere, Vector};
use crate::zonotope::{Slab, Zonotope};
use crate::{Exact, Parameter, Ratio};

/// The outcome of a sweep.
#[derive(Clone, Debug)]
pub enum Sweep {
    /// Nothing is met before the end of the step, or something is touched from the start without pressing into it.
    Clear,
    /// Apart at the start, and only boundaries touch on the way, first at this time in [0, 1): passing along a face, an
    /// edge or a corner without entering. A convention has to say whether that is a hit; the closed sets meet, the open
    /// ones never do.
    Graze(Parameter),
    /// The interiors begin to meet at this time in [0, 1).
    Hit(Parameter),
    /// The interiors meet at the start.
    Overlap,
}

impl Sweep {
    /// The time of a hit.
    pub fn toi(&self) -> Option<&Parameter> {
        match self {
            Self::Hit(toi) => Some(toi),
            _ => None,
        }
    }
}

/// From which side a plane stops a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sided {
    /// From the front; everything behind the plane is solid, but a body wholly behind it is not stopped.
    Front,
    /// From the side on which the centre starts.
    Both,
}

/// A parallelepiped moving by `delta` against a plane moving by `plane_delta`.
pub fn sweep_obb_plane<T: Real>(
    obb: Obb<T>,
    delta: [T; 3],
    plane: Plane<T>,
    plane_delta: [T; 3],
    sided: Sided,
) -> Sweep {
    let (normal, d) = vector::plane(plane);
    let zonotope = Zonotope::from_obb(obb);
    let motion = Vector::new(delta).minus(&Vector::new(plane_delta));
    let radius = zonotope.radius(&normal);
    let height = normal.dot(&zonotope.center) + d;
    let toi = |height: Exact, speed: Exact| Parameter::Quotient(Ratio::new(height - &radius, speed));
    approach(&height, &normal.dot(&motion), sided, |height| height.cmp(&radius), toi)
}

/// A ball moving by `delta` against a plane moving by `plane_delta`, by either convention for the normal's length.
pub fn sweep_sphere_plane<T: Real>(
    sphere: Sphere<T>,
    delta: [T; 3],
    plane: Plane<T>,
    plane_delta: [T; 3],
    sided: Sided,
    length: NormalLength,
) -> Sweep {
    let (normal, d) = vector::plane(plane);
    let (center, radius) = vector::sphere(sphere);
    let motion = Vector::new(delta).minus(&Vector::new(plane_delta));
    let height = normal.dot(&center) + d;
    let toi = |height: Exact, speed: Exact| match length {
        NormalLength::AssumedOne => Parameter::Quotient(Ratio::new(height - &radius, speed)),
        // The nearer root of (height - speed·t)² = radius²·|normal|² is the front of the ball.
        NormalLength::Stored => Parameter::Root(Root {
            a: &speed * &speed,
            b: -(&height * &speed),
            c: &height * &height - &radius * &radius * normal.length_squared(),
            which: Which::Near,
        }),
    };
    let against_radius = |height: &Exact| length.compare(height, &radius, &normal);
    approach(&height, &normal.dot(&motion), sided, against_radius, toi)
}

/// The result, given the centre's height and its change, the comparison of a height with the body's reach, and the time
/// that a height takes to shrink to that reach at a speed.
fn approach(
    height: &Exact,
    change: &Exact,
    sided: Sided,
    against_reach: impl Fn(&Exact) -> Ordering,
    toi: impl Fn(Exact, Exact) -> Parameter,
) -> Sweep {
    let behind = match (sided, height.sign()) {
        (Sided::Front, _) if against_reach(&-height).is_gt() => return Sweep::Clear,
        (Sided::Front, _) | (Sided::Both, Ordering::Greater) => false,
        (Sided::Both, Ordering::Less) => true,
        // If it is on the plane itself, the free side is the one that it moves to.
        (Sided::Both, Ordering::Equal) => change.is_negative(),
    };
    let (height, change) = if behind { (-height, -change) } else { (height.clone(), change.clone()) };
    if against_reach(&height).is_lt() {
        return Sweep::Overlap;
    }
    if !change.is_negative() || against_reach(&(&height + &change)).is_ge() {
        return Sweep::Clear;
    }
    Sweep::Hit(toi(height, -change))
}

/// The signed separation of a parallelepiped from the front of a plane, times the length of the normal: how far in
/// front its lowest point is.
pub fn plane_gap<T: Real, U: Real>(obb: Obb<T>, plane: Plane<U>) -> Exact {
    let (normal, d) = vector::plane(plane);
    let zonotope = Zonotope::from_obb(obb);
    normal.dot(&zonotope.center) + d - zonotope.radius(&normal)
}

/// An axis-aligned box moving by `delta` against one at rest.
pub fn sweep_aabb_aabb<T: Real>(moving: Aabb<T>, delta: [T; 3], still: Aabb<T>) -> Sweep {
    let delta = Vector::new(delta);
    let ([min, max], [low, high]) = (moving.map(Vector::new), still.map(Vector::new));
    let slabs: Vec<_> = (0..3)
        .map(|axis| {
            // The moving box shrinks to its lower corner, while the other grows at its lower side.
            let reach = &low.0[axis] - (&max.0[axis] - &min.0[axis]);
            Slab::new(&min.0[axis], &delta.0[axis], &reach.into(), &high.0[axis].clone().into())
        })
        .collect();
    verdict(&slabs)
}

/// A parallelepiped moving by `delta` against one at rest.
pub fn sweep_obb_obb<T: Real>(moving: Obb<T>, delta: [T; 3], still: Obb<T>) -> Sweep {
    sweep_zonotopes(&Zonotope::from_obb(moving), delta, &Zonotope::from_obb(still))
}

/// A parallelepiped moving by `delta` against an axis-aligned box at rest.
pub fn sweep_obb_aabb<T: Real>(moving: Obb<T>, delta: [T; 3], still: Aabb<T>) -> Sweep {
    sweep_zonotopes(&Zonotope::from_obb(moving), delta, &Zonotope::from_aabb(still))
}

fn sweep_zonotopes<T: Real>(moving: &Zonotope, delta: [T; 3], still: &Zonotope) -> Sweep {
    verdict(&still.grown_by(moving).slabs(&moving.center, &Vector::new(delta)))
}

/// The sweep of a point against the intersection of slabs.
pub(crate) fn verdict(slabs: &[Slab]) -> Sweep {
    let sides = || slabs.iter().flat_map(|slab| &slab.sides);
    if sides().all(|side| side.value.is_positive()) {
        return Sweep::Overlap;
    }
    let Some(interval) = Interval::of(sides()) else {
        return Sweep::Clear;
    };
    // Without overlap, a start within the closed set only touches it, and an entry at 0 presses into it.
    let Some(enter) = interval.enter.clone().filter(|enter| enter.sign().is_ge()) else {
        return Sweep::Clear;
    };
    if enter.cmp_exact(&Exact::ONE).is_ge() {
        return Sweep::Clear;
    }
    let touches_at_start = enter.sign().is_eq();
    if presses(slabs, &interval, &enter) {
        Sweep::Hit(Parameter::Quotient(enter))
    } else if touches_at_start {
        Sweep::Clear
    } else {
        Sweep::Graze(Parameter::Quotient(enter))
    }
}

/// Whether a motion passes through the interior, or across the interior of a flat set.
fn presses(slabs: &[Slab], interval: &Interval, enter: &Ratio) -> bool {
    let glides = |slab: &Slab| slab.sides[0].slope.is_zero();
    if slabs.iter().any(|slab| slab.flat) {
        // If the point is already on it, the motion leaves, as with a point on a two-sided plane.
        let crosses = |slab: &Slab| !glides(slab);
        let inside = |slab: &Slab| slab.sides.iter().all(|side| side.sign_at(enter).is_gt());
        return enter.sign().is_gt() && slabs.iter().all(|slab| if slab.flat { crosses(slab) } else { inside(slab) });
    }
    let along_a_face = |slab: &Slab| glides(slab) && slab.sides.iter().any(|side| side.value.is_zero());
    interval.exit.as_ref() != Some(enter) && !slabs.iter().any(along_a_face)
}
