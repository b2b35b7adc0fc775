//! A box that moves and rotates over a plane that does the same: how high each of its vertices is at a time, and
//! whether one drops below a floor within an interval of time.
//!
//! In `f64`, by Rodrigues' formula, vertex by vertex. Within a radius `r` of a time, a height `h` whose second
//! derivative is at most `K` in magnitude is at least `h − |h'| r − ½ K r²`; intervals for which that does not settle
//! the question are halved.

use crate::{Obb, Plane, Real};

pub(crate) type V = [f64; 3];

/// The motion of a box: translated and rotated by a rotation vector at constant rates, its centre also accelerated.
#[derive(Clone, Copy, Debug)]
pub struct TurningBox {
    center: V,
    half_edges: [V; 3],
    motion: V,
    rotation: V,
    acceleration: V,
}

/// The motion of a plane: it rotates by a rotation vector about a pivot that translates.
#[derive(Clone, Copy, Debug)]
pub struct TurningPlane {
    normal: V,
    d: f64,
    translation: V,
    rotation: V,
    pivot: V,
}

impl TurningBox {
    /// The box with its motion, rotation vector and acceleration over one step.
    pub fn new<T: Real>([center, a, b, c]: Obb<T>, motion: [T; 3], rotation: [T; 3], acceleration: [T; 3]) -> Self {
        let wide = |v: [T; 3]| v.map(Into::into);
        Self {
            center: wide(center),
            half_edges: [a, b, c].map(wide),
            motion: wide(motion),
            rotation: wide(rotation),
            acceleration: wide(acceleration),
        }
    }

    /// The sum of all lengths, for tolerances.
    pub fn size(&self) -> f64 {
        let edges: f64 = self.half_edges.iter().map(|&h| length(h)).sum();
        length(self.center) + length(self.motion) + length(self.acceleration) + edges * (1.0 + length(self.rotation))
    }

    fn vertices(&self) -> impl Iterator<Item = V> + '_ {
        (0..8).map(|k| {
            let signed = |i: usize| if k >> i & 1 == 1 { self.half_edges[i] } else { scaled(self.half_edges[i], -1.0) };
            plus(plus(signed(0), signed(1)), signed(2))
        })
    }
}

impl TurningPlane {
    /// A plane at rest.
    pub fn fixed<T: Real>(plane: Plane<T>) -> Self {
        let [x, y, z, d] = plane.map(Into::into);
        let still = [0.0; 3];
        Self { normal: [x, y, z], d, translation: still, rotation: still, pivot: still }
    }

    /// The same plane in motion.
    pub fn moving<T: Real>(self, translation: [T; 3], rotation: [T; 3], pivot: [T; 3]) -> Self {
        let wide = |v: [T; 3]| v.map(Into::into);
        Self { translation: wide(translation), rotation: wide(rotation), pivot: wide(pivot), ..self }
    }

    /// The same plane seen from behind.
    pub fn flipped(self) -> Self {
        Self { normal: scaled(self.normal, -1.0), d: -self.d, ..self }
    }

    /// The sum of all lengths, for tolerances.
    pub fn size(&self) -> f64 {
        (self.d.abs() + length(self.translation) + 2.0 * length(self.pivot)) * (1.0 + length(self.rotation))
    }
}

/// The box at a time, rounded to `f64`.
pub fn turning_pose(body: &TurningBox, time: f64) -> Obb<f64> {
    let fall = scaled(body.acceleration, 0.5 * time * time);
    let [a, b, c] = body.half_edges.map(|edge| turned(edge, body.rotation, time));
    [plus(plus(body.center, scaled(body.motion, time)), fall), a, b, c]
}

/// The height of the lowest vertex at a time.
pub fn turning_gap(body: &TurningBox, plane: &TurningPlane, time: f64) -> f64 {
    body.vertices().map(|vertex| height(body, plane, vertex, time).0).fold(f64::INFINITY, f64::min)
}

/// A time in `[from, to]` at which a vertex is below `floor`; `None` if it is certain, up to the rounding of `f64`,
/// that none is.
///
/// # Panics
/// If neither can be shown in a million steps.
pub fn turning_dip(body: &TurningBox, plane: &TurningPlane, floor: f64, from: f64, to: f64) -> Option<f64> {
    body.vertices().find_map(|vertex| {
        let curvature = curvature(body, plane, vertex);
        let mut open = vec![(from, to)];
        for _ in 0..1_000_000 {
            let (low, high) = open.pop()?;
            let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low));
            let (height, rate) = height(body, plane, vertex, middle);
            if height < floor {
                return Some(middle);
            }
            if height - rate.abs() * radius - 0.5 * curvature * radius * radius < floor && radius > 0.0 {
                open.extend(
                    [(middle, high), (low, middle)].into_iter().filter(|(a, b)| a < b && (*a, *b) != (low, high)),
                );
            }
        }
        panic!("undecided: {body:?} {plane:?} {floor:e}");
    })
}

/// How high a vertex is above the plane, and how fast it rises.
fn height(body: &TurningBox, plane: &TurningPlane, vertex: V, time: f64) -> (f64, f64) {
    let arm = turned(vertex, body.rotation, time);
    let normal = turned(plane.normal, plane.rotation, time);
    let fall = scaled(body.acceleration, 0.5 * time * time);
    let point = plus(plus(plus(body.center, scaled(body.motion, time)), fall), arm);
    let pivot = plus(plane.pivot, scaled(plane.translation, time));
    let way = minus(point, pivot);
    let velocity = plus(plus(body.motion, scaled(body.acceleration, time)), cross(body.rotation, arm));
    let height = dot(normal, way) + dot(plane.normal, plane.pivot) + plane.d;
    (height, dot(cross(plane.rotation, normal), way) + dot(normal, minus(velocity, plane.translation)))
}

/// An upper bound on the magnitude of the second derivative of a vertex's height.
fn curvature(body: &TurningBox, plane: &TurningPlane, vertex: V) -> f64 {
    let (spin, plane_spin, arm) = (length(body.rotation), length(plane.rotation), length(vertex));
    let (speed, pull) = (length(minus(body.motion, plane.translation)), length(body.acceleration));
    let way = length(minus(body.center, plane.pivot)) + speed + 0.5 * pull + arm;
    if plane_spin == 0.0 {
        // Only the parts of the vertex and of the normal across the axis of rotation count.
        let turning = length(cross(body.rotation, plane.normal)) * length(cross(body.rotation, vertex));
        return (turning + dot(body.acceleration, plane.normal).abs()) * (1.0 + 1e-6);
    }
    let all = plane_spin * plane_spin * way + 2.0 * plane_spin * (speed + pull + spin * arm) + pull + spin * spin * arm;
    // A stored normal may be slightly longer than one.
    all * (1.0 + 1e-6)
}

pub(crate) fn turned(v: V, rotation: V, time: f64) -> V {
    let angle = length(rotation);
    if angle == 0.0 {
        return v;
    }
    let axis = scaled(rotation, 1.0 / angle);
    let (sin, cos) = (angle * time).sin_cos();
    let along = scaled(axis, dot(axis, v) * (1.0 - cos));
    plus(plus(scaled(v, cos), scaled(cross(axis, v), sin)), along)
}

pub(crate) fn plus(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn minus(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scaled(a: V, factor: f64) -> V {
    a.map(|x| x * factor)
}

pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// A bar of half length 1 that makes half a turn, its middle 0.5 above the ground.
    fn bar() -> (TurningBox, TurningPlane) {
        let still = [0.0; 3];
        let obb = [[0.0, 0.5, 0.0], [1.0, 0.0, 0.0], still, still];
        (TurningBox::new(obb, still, [0.0, 0.0, PI], still), TurningPlane::fixed([0.0, 1.0, 0.0, 0.0]))
    }

    #[test]
    fn a_spinning_bar_is_clear_at_both_ends_and_below_the_ground_between() {
        let (bar, ground) = bar();
        for time in [0.0, 1.0] {
            assert!((turning_gap(&bar, &ground, time) - 0.5).abs() < 1e-12);
        }
        // Its end is lower by sin πt: at the ground after a sixth of the step.
        assert!((turning_gap(&bar, &ground, 0.5) + 0.5).abs() < 1e-12);
        assert_eq!(turning_dip(&bar, &ground, 0.0, 0.0, 1.0 / 6.0 - 1e-9), None);
        let dip = turning_dip(&bar, &ground, 0.0, 0.0, 1.0 / 6.0 + 1e-9).expect("just below");
        assert!((dip - 1.0 / 6.0).abs() < 1e-8);
    }

    #[test]
    fn a_plane_that_turns_with_the_box_keeps_its_distance() {
        let (bar, ground) = bar();
        let along = ground.moving([0.0; 3], [0.0, 0.0, PI], [0.0, 0.5, 0.0]);
        assert_eq!(turning_dip(&bar, &along, 0.5 - 1e-9, 0.0, 1.0), None);
        assert!(turning_dip(&bar, &along, 0.5 + 1e-9, 0.0, 1.0).is_some());
    }
}
