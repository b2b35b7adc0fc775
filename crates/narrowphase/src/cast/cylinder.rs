//! Path against cylinder or cone: the piece of the path between the two discs' planes, and of that the piece no farther
//! from the axis than the radius there.
//!
//! The distance from the axis less the radius is a convex function of time, so that piece is between the roots of a
//! quadratic, or beyond one of them for a path steeper than the side of a cone. The quadratic is taken from where the
//! path is nearest to the axis, in `f64`, so that it keeps its accuracy when the start is far away.
//!
//! ```text
//!     ┌───┐
//!   ──●───●──▶     enters the side of the cylinder between the planes of the discs, or the plane of a disc within it
//!     └───┘
//! ```
//! Source: Ericson, "Real-Time Collision Detection", §5.3.7 (the cylinder); here for any radii.

use super::{Cast, Crossing, Path};
use crate::{Cylinder, arrays::Mapped, exact::vector, shape::cylinder::Profile};
use glam::DVec3;

impl Cast for Cylinder {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let profile = self.profile();
        let (height, across) = profile.split(path.origin - profile.center);
        let inside = profile.contains(height, across.length());
        if path.delta == DVec3::ZERO {
            return inside.then(|| path.starting_inside(path.max));
        }
        let piece = PathPiece::new(&profile, path);
        if inside {
            return path.starting_inside(piece.map_or(0.0, |piece| piece.exit)).within(&self.aabb(), path);
        }
        let PathPiece { enter, exit, normal } = piece?;
        Crossing { enter: enter + 0.0, exit, normal, inside: false }.within(&self.aabb(), path)
    }
}

/// The piece of a path in a cylinder, and the normal where it enters.
struct PathPiece {
    enter: f64,
    exit: f64,
    normal: DVec3,
}

impl PathPiece {
    fn new(profile: &Profile, path: &Path) -> Option<Self> {
        let (height, _) = profile.split(path.origin - profile.center);
        let (rise, across) = profile.split(path.delta);
        // Between the planes of the discs.
        let (mut start, mut end) = (0.0, path.max);
        let mut is_disc = false;
        if rise == 0.0 {
            if height.abs() > profile.half {
                return None;
            }
        } else {
            let times = [-profile.half, profile.half].mapped(|end| (end - height) / rise);
            let [first, last] = if rise > 0.0 { times } else { [times[1], times[0]] };
            (is_disc, start, end) = (first > start, first.max(start), last.min(end));
        }
        if start > end {
            return None;
        }
        // From where it is nearest to the axis.
        let square = across.length_squared();
        let (_, from) = profile.split(path.origin - profile.center);
        let nearest = if square > 0.0 { (-from.dot(across) / square).clamp(start, end) } else { start };
        let (height, from) = profile.split(path.origin + path.delta * nearest - profile.center);
        let radius = profile.radius_at(height.clamp(-profile.half, profile.half));
        let growth = profile.slope() * rise;
        let [first, last] = beside(from, across, radius, growth)?;
        let (side, exit) = (nearest + first, (nearest + last).min(end));
        let enter = side.max(start);
        if enter > exit {
            return None;
        }
        let normal = if is_disc && side <= start {
            profile.axis * -rise.signum()
        } else {
            let out = from + across * (enter - nearest);
            let out = vector::try_normalized(out).map_or(-path.delta, |out| out - profile.axis * profile.slope());
            // Where it only grazes, rounding may have turned it.
            let along = out.dot(path.delta).max(0.0);
            out - path.delta * (along / path.delta.length_squared())
        };
        Some(Self { enter, exit, normal })
    }
}

/// When `from + t way`, across the axis, is no farther from it than `radius + t growth`, where that is not negative.
fn beside(from: DVec3, way: DVec3, radius: f64, growth: f64) -> Option<[f64; 2]> {
    let a = way.length_squared() - growth * growth;
    let b = from.dot(way) - radius * growth;
    let c = (from.length() - radius) * (from.length() + radius);
    // b² − a c, as a difference of squares.
    let left = (way * radius - from * growth).length_squared() - from.cross(way).length_squared();
    if a > 0.0 && left < 0.0 {
        return None;
    }
    let root = left.max(0.0).sqrt();
    let sum = if b >= 0.0 { -(b + root) } else { root - b };
    let [one, other] = if sum == 0.0 { [0.0; 2] } else { [c / sum, sum / a] };
    let [first, last] = if one > other { [other, one] } else { [one, other] };
    Some(match a > 0.0 {
        true => [first, last],
        // Steeper than the side: from a root on, or up to one; `sum / 0` is the one that is not there.
        false if growth > 0.0 => [if a == 0.0 { one } else { last }, f64::INFINITY],
        false if growth < 0.0 => [f64::NEG_INFINITY, if a == 0.0 { one } else { first }],
        // Along the axis of a cylinder.
        false => return (c <= 0.0).then_some([f64::NEG_INFINITY, f64::INFINITY]),
    })
}
