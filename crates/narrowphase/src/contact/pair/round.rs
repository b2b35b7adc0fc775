//! Cylinders and cones against solids, capsules, balls and each other.
//!
//! ```text
//!   normals of faces and discs, and across two axes      the best of them
//!   the way between the nearest points                   if that is better by more than a tolerance
//! ```
//! Along a normal each shape has a [side](super::party) with which it touches: of a cylinder the line along its side that is farthest
//! out, or points around the rim of the disc that faces that way most; of a solid a face. What these have in common are
//! the points. So a can that lies on a floor rests on its lowest line, wherever it has turned, and one that stands on the
//! rim of its disc.
//!
//! Source: Gregorius, "Robust Contact Creation for Physics Simulations", GDC 2015 (reference and incident features).

use super::{
    ContactManifold, ManifoldPoint,
    cache::PointFeature,
    clip::{CornerOrigin, NumberedOutline, clip_outlines},
    keep_four::{Candidate, four_of},
    party::{PairShape, TouchingFeature},
    rod::Rod,
    solid::{PairSolid, lost},
    solids::{FLUSH, TOLERANCE, nearest},
};
use crate::{arrays::Mapped, exact::vector, lists::Listed, shape::cylinder::Profile};
use arrayvec::ArrayVec;
use glam::DVec3;
use smallvec::SmallVec;

/// Axes with a sine below this, 2^-4, may touch along a stretch.
const SLANTED: f64 = 1.0 / 16.0;

/// The least cosine between the normal of a face or disc and that of a contact along it.
const FACING: f64 = 0.996;

/// Makes `manifold` that of two shapes, of which one is a cylinder.
pub(super) fn update(manifold: &mut ContactManifold, first: &PairShape, second: &PairShape, margin: f32) {
    let (limit, errors) = (f64::from(margin), first.error() + second.error());
    let tolerance = TOLERANCE * first.reach().min(second.reach());
    let apart = |n: DVec3| n.dot(second.farthest(-n) - first.farthest(n));
    let begin = |manifold: &mut ContactManifold, n: DVec3, distance: f64| {
        let certain = distance - lost(distance, errors);
        manifold.begin(n.as_vec3(), certain as f32);
        certain > limit
    };
    let (mut best, mut most) = (DVec3::Y, f64::NEG_INFINITY);
    let mut offer = |n: DVec3| {
        let separation = apart(n);
        if separation > most {
            (best, most) = (n, separation);
        }
    };
    first.normals().into_iter().for_each(&mut offer);
    second.normals().into_iter().for_each(|normal| offer(-normal));
    across_axes(first, second).into_iter().for_each(offer);
    if begin(manifold, best, most) {
        return;
    }
    let origin = first.center();
    let (one, other) = (first.core(origin), second.core(origin));
    // Deeper than the best by more than the tolerance is of no interest.
    let deep = if most > 0.0 { None } else { one.depth(&other, (-most - tolerance).max(0.0)) };
    let found = deep.unwrap_or_else(|| one.distance(&other));
    let (straight, points) = (-found.normal, found.points.mapped(|point| point + origin));
    let between = apart(straight);
    let distance = most.max(between);
    if between <= most + tolerance {
        begin(manifold, best, distance);
        push_sides(manifold, [first, second], best, limit, FLUSH * tolerance);
        if f64::from(manifold.least()) <= distance + tolerance {
            return;
        }
        // What is nearest lies beside the sides that face each other.
    }
    if begin(manifold, straight, distance) || between > limit {
        return;
    }
    manifold.push(ManifoldPoint {
        from_first: (points[0] - first.center()).as_vec3(),
        from_second: (points[1] - second.center()).as_vec3(),
        separation: between as f32,
        feature: 0,
    });
}

/// The direction between a cylinder and a ball, or else those across the axes of two shapes, from the first to the second:
/// across both, or if they run beside each other, across one.
fn across_axes(first: &PairShape, second: &PairShape) -> ArrayVec<DVec3, 2> {
    match (first, second) {
        (PairShape::Cylinder(profile), PairShape::Rod(rod)) if rod.half == DVec3::ZERO => {
            return toward_ball(profile, rod).into_iter().collect();
        }
        (PairShape::Rod(rod), PairShape::Cylinder(profile)) if rod.half == DVec3::ZERO => {
            return toward_ball(profile, rod).map(|n| -n).into_iter().collect();
        }
        _ => {}
    }
    let way = second.center() - first.center();
    let toward = |n: DVec3| vector::try_normalized(if n.dot(way) < 0.0 { -n } else { n });
    let (Some(a), Some(b)) = (first.axis(), second.axis()) else { return ArrayVec::new() };
    let both = a.cross(b);
    if both.length() > SLANTED {
        return toward(both).into_iter().collect();
    }
    [a, b].into_iter().filter_map(|axis| toward(axis.cross(way).cross(axis))).collect()
}

/// The direction from the nearest point of a cylinder to the middle of a ball, or into the ball from inside.
fn toward_ball(profile: &Profile, ball: &Rod) -> Option<DVec3> {
    let (distance, nearest) = profile.nearest(ball.center);
    vector::try_normalized((ball.center - nearest) * distance.signum())
}

/// Makes `manifold` that of a cylinder and a polygon along the normal of one of the polygon's faces.
pub(super) fn update_at_face(
    manifold: &mut ContactManifold,
    profile: &Profile,
    (polygon, number): (&PairSolid, usize),
    margin: f32,
) {
    let n = -polygon.face(number).normal;
    update_along(manifold, [&PairShape::Cylinder(*profile), &PairShape::Solid(polygon)], n, margin);
}

/// The same of two shapes along a unit normal.
pub(super) fn update_along(manifold: &mut ContactManifold, [first, second]: [&PairShape; 2], n: DVec3, margin: f32) {
    let distance = n.dot(second.farthest(-n) - first.farthest(n));
    manifold.begin(n.as_vec3(), (distance - lost(distance, first.error() + second.error())) as f32);
    let flush = FLUSH * TOLERANCE * first.reach().min(second.reach());
    push_sides(manifold, [first, second], n, margin.into(), flush);
}

/// Adds up to four points that the sides of two shapes have in common along a normal.
fn push_sides(manifold: &mut ContactManifold, [first, second]: [&PairShape; 2], n: DVec3, limit: f64, flush: f64) {
    let sides = [first.side(n), second.side(-n)];
    let facing = |i: usize| {
        let toward = if i == 0 { n } else { -n };
        if sides[i].points.len() < 3 { 0.0 } else { sides[i].normal.dot(toward) }
    };
    let [one, other] = [facing(0), facing(1)];
    if one.max(other) < FACING {
        return push_lines(manifold, [first, second], &sides, n, limit);
    }
    let is_first = one >= other;
    let (reference, incident) = if is_first { (first, second) } else { (second, first) };
    let [side, touching] = if is_first { [&sides[0], &sides[1]] } else { [&sides[1], &sides[0]] };
    let outline = reference.outline(side);
    let piece: SmallVec<[(DVec3, CornerOrigin); 12]> = match touching.points[..] {
        [(at, _), (end, _)] => clip_line([at, end], &outline, side.normal, flush),
        _ => {
            let piece = clip_outlines(&touching.points, &outline, side.normal, flush);
            piece.into_iter().map(|corner| (corner.at, corner.origin)).listed()
        }
    };
    let u = vector::perpendicular(side.normal);
    let v = side.normal.cross(u);
    let mut candidates: SmallVec<[Candidate; 12]> = SmallVec::new();
    for (i, (at, _)) in piece.iter().enumerate() {
        let separation = side.normal.dot(*at - outline[0].0);
        if separation <= limit {
            let across = *at - incident.center();
            let (u, v) = (u.dot(across) as f32, v.dot(across) as f32);
            candidates.push(Candidate { u, v, separation: separation as f32, feature: i as u32 });
        }
    }
    let mut room = ArrayVec::new();
    for kept in four_of(&candidates, flush as f32, &mut room) {
        let (at, origin) = piece[kept.feature as usize];
        let on_reference = at - side.normal * side.normal.dot(at - outline[0].0);
        let [p, q] = if is_first { [on_reference, at] } else { [at, on_reference] };
        manifold.push(ManifoldPoint {
            from_first: (p - first.center()).as_vec3(),
            from_second: (q - second.center()).as_vec3(),
            separation: kept.separation,
            feature: origin.feature(is_first).number(),
        });
    }
}

/// The ends of the part of a line above a polygon, which is enlarged by `flush`.
fn clip_line(
    [start, end]: [DVec3; 2],
    outline: &NumberedOutline,
    normal: DVec3,
    flush: f64,
) -> SmallVec<[(DVec3, CornerOrigin); 12]> {
    let mut ends = [(0.0, CornerOrigin::Incident(0)), (1.0, CornerOrigin::Incident(1))];
    for (i, &(corner, number)) in outline.iter().enumerate() {
        let outward = (outline[(i + 1) % outline.len()].0 - corner).cross(normal);
        let room = flush * outward.length();
        let [before, after] = [start, end].mapped(|at| outward.dot(at - corner) - room);
        match (before > 0.0, after > 0.0) {
            (true, true) => return SmallVec::new(),
            (true, false) if before / (before - after) > ends[0].0 => {
                ends[0] = (before / (before - after), CornerOrigin::Sides(number, 0));
            }
            (false, true) if before / (before - after) < ends[1].0 => {
                ends[1] = (before / (before - after), CornerOrigin::Sides(number, 1));
            }
            _ => {}
        }
    }
    if ends[0].0 > ends[1].0 {
        return SmallVec::new();
    }
    ends.into_iter().map(|(share, origin)| (start + (end - start) * share, origin)).listed()
}

/// The same for two lines, or a line and a point: the ends of the stretch along which they run beside each other, or
/// where they cross.
fn push_lines(
    manifold: &mut ContactManifold,
    [first, second]: [&PairShape; 2],
    sides: &[TouchingFeature; 2],
    n: DVec3,
    limit: f64,
) {
    let line = |side: &TouchingFeature| [side.points[0].0, side.points[side.points.len() - 1].0];
    let ([a, b], [c, d]) = (line(&sides[0]), line(&sides[1]));
    if sides.iter().any(|side| side.points.len() > 2) {
        return;
    }
    let mut push = |[p, q]: [DVec3; 2], feature: u32| {
        let separation = n.dot(q - p);
        if separation <= limit {
            manifold.push(ManifoldPoint {
                from_first: (p - first.center()).as_vec3(),
                from_second: (q - second.center()).as_vec3(),
                separation: separation as f32,
                feature,
            });
        }
    };
    let (way, other) = (b - a, d - c);
    let (square, other_square) = (way.length_squared(), other.length_squared());
    let is_slanted = way.cross(other).length_squared() > SLANTED * SLANTED * square * other_square;
    if square == 0.0 || other_square == 0.0 || is_slanted {
        return push(nearest([a, way], [c, other]), 0);
    }
    // The ends of each above the other.
    let share = |at: DVec3| way.dot(at - a) / square;
    let [from, to] = [share(c), share(d)];
    let shares = [from.min(to).max(0.0), from.max(to).min(1.0)];
    if shares[0] > shares[1] {
        return;
    }
    for (at, feature) in shares.into_iter().zip(0..) {
        let p = a + way * at;
        let q = c + other * (other.dot(p - c) / other_square).clamp(0.0, 1.0);
        push([p, q], PointFeature::Edges(0, feature).number());
    }
}
