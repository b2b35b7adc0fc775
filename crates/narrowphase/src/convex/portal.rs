//! The straight sweep of two cores without a radius: where the half line along the motion first meets their difference.
//!
//! A *portal* is a triangle of points of the difference that the line pierces. From a point inside, two more points are
//! found so that the three are one, and then it is moved outward, against the motion: the farthest point along its
//! normal makes three triangles with its sides, of which the line pierces one.
//!
//! ```text
//!           ╭──────w₃──────╮       h = n · w₃, how far the difference reaches along n
//!      ────╱───── n ↑ ──────╲───   certainly apart before t = h / (n · m), because n · m < 0
//!         ╱   p₀────────p₁   ╲
//!        │      ╲  │   ╱      │    once w₃ lies in the portal's plane, both are there at t
//!         ╲      ╲ ↓ m╱      ╱
//!          ╲      ╲p₂╱      ╱
//! ```
//!
//! Any normal gives a time before which the two are apart, so only the support along it, with its rounding, makes the
//! time certain; how the portal came about does not matter. Where a sign decides the verdict and is not certain, it is
//! computed exactly.
//!
//! Sources: Snethen, "Xenocollide: Complex Collision Made Simple", Game Programming Gems 7 (2008); van den Bergen,
//! "Collision Detection in Interactive 3D Environments" (2003), §4.4 (the ray cast against a difference).

use super::{
    cast::cast,
    overlap::plane_of,
    pair::{CorePair, SupportPoint, sign_of_triple},
    precise,
    simplex::Simplex,
};
use crate::{arrays::Mapped, exact::ROUNDING};
use glam::DVec3;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// How many points of the outline, and how many portals, are tried; forty in all is the most that was seen.
const MAX_OUTLINE: usize = 64;
const MAX_PORTALS: usize = 256;

/// At most this share of the coordinates and the motion, 2^-45, may be left between the two at the time returned;
/// otherwise the time is improved by other means.
const GAP: f64 = 1.0 / (1u64 << 45) as f64;

/// Where and how two cores first touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoreTouch {
    /// Certainly not late.
    pub(super) time: f64,
    /// Out of the second core, of any length but zero.
    pub(super) normal: DVec3,
    /// How far apart the two are then, at most.
    pub(super) gap: f64,
    /// Their points that touch up to that gap, the first's where it starts from.
    pub(super) points: [DVec3; 2],
}

/// How a sweep of two cores ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Clear,
    Hit(CoreTouch),
    Overlap,
}

/// A triangle that the line of the motion pierces.
type Portal = [SupportPoint; 3];

enum PortalStart {
    /// The line passes by, or brushes past.
    Clear,
    Pierced(Portal),
    /// None was found.
    Unknown,
}

enum PortalOutcome {
    /// The difference begins beyond the end of the half line.
    Late,
    /// It begins at the portal, with this normal and how far it reaches along that: after the start of the half line
    /// (`Less`) or exactly there.
    Facet(DVec3, f64, Ordering),
    /// It begins before the start of the half line.
    Behind,
    /// Neither is certain.
    Unknown,
}

/// The sweep of the first core by `motion`, which is not zero, until the time `until`.
pub(super) fn sweep(pair: &CorePair, motion: DVec3, until: f64) -> End {
    let otherwise = || cast(pair, motion, 0.0, until, 0.0);
    let portal = match first_portal(pair, motion) {
        PortalStart::Clear => return End::Clear,
        PortalStart::Pierced(portal) => portal,
        PortalStart::Unknown => return otherwise(),
    };
    let mut moved = portal;
    match outward(pair, motion, &mut moved, until) {
        PortalOutcome::Late => End::Clear,
        PortalOutcome::Facet(normal, far, _) => touch(pair, motion, &moved, normal, far, until),
        PortalOutcome::Unknown => otherwise(),
        PortalOutcome::Behind => match outward(pair, -motion, &mut { portal }, 0.0) {
            PortalOutcome::Behind => End::Overlap,
            PortalOutcome::Late | PortalOutcome::Facet(..) => End::Clear,
            PortalOutcome::Unknown => otherwise(),
        },
    }
}

/// Whether two cores are apart (`Less`), touch (`Equal`), or have inner points in common (`Greater`): by the line from
/// the start to a point inside. `None` if their difference is flat, or too thin to tell.
pub(super) fn relation(pair: &CorePair) -> Option<Ordering> {
    let center = pair.center().w;
    // If that is the start itself, another point inside will do.
    let inside = if center == DVec3::ZERO { 0.5 * pair.farthest(DVec3::ONE).w } else { center };
    if inside == DVec3::ZERO {
        return None;
    }
    let PortalStart::Pierced(mut portal) = first_portal(pair, inside) else { return None };
    match outward(pair, inside, &mut portal, 1.0) {
        PortalOutcome::Facet(.., start) => Some(start),
        PortalOutcome::Behind => Some(Greater),
        PortalOutcome::Late | PortalOutcome::Unknown => None,
    }
}

/// What a product with a direction across the motion loses, because it is across only up to rounding.
fn lean(n: DVec3, motion: DVec3) -> f64 {
    8.0 * ROUNDING * n.abs().dot(motion.abs())
}

/// Finds a triangle of a point inside and two of the outline, seen along the motion, that the line pierces.
fn first_portal(pair: &CorePair, motion: DVec3) -> PortalStart {
    let center = pair.center();
    let across = center.w.cross(motion);
    // A direction that is zero shows nothing.
    let passes = |n: DVec3, w: DVec3| n.dot(w) < -(pair.error(n) + lean(n, motion));
    // From the point inside to the line, or any direction across if it lies in the line.
    let mut n = across.cross(motion);
    if n.length_squared() <= f64::EPSILON * motion.length_squared().powi(2) * center.w.length_squared() * f64::EPSILON {
        n = motion.cross(least_axis(motion));
    }
    let mut w0 = pair.farthest(n);
    if passes(n, w0.w) {
        return PortalStart::Clear;
    }
    // The first two on different sides of the plane through the line and the point inside. The way around stays the same:
    // if every point decided it, one that lies in that plane up to rounding would turn it back and forth.
    let side = across.dot(w0.w);
    let mut w1 = w0;
    for round in 0.. {
        n = motion.cross(w0.w - center.w);
        if side > 0.0 {
            n = -n;
        }
        w1 = pair.farthest(n);
        if passes(n, w1.w) {
            return PortalStart::Clear;
        }
        if side * across.dot(w1.w) <= 0.0 {
            break;
        }
        if round == MAX_OUTLINE {
            return PortalStart::Unknown;
        }
        w0 = w1;
    }
    for _ in 0..MAX_OUTLINE {
        // Outward across the side from one to the other.
        n = motion.cross(w1.w - w0.w);
        let is_inward = n.dot(w0.w - center.w) < 0.0;
        if is_inward {
            n = -n;
        }
        let (edge, error) = (n.dot(w0.w), pair.error(n) + lean(n, motion));
        if edge > error {
            return PortalStart::Pierced([center, w0, w1]);
        }
        let mut w2 = pair.farthest(n);
        let far = n.dot(w2.w);
        if far < -error {
            return PortalStart::Clear;
        }
        if far <= error || edge >= -error {
            let way = if is_inward { pair.way(&w1, &w0) } else { pair.way(&w0, &w1) };
            let forward = [motion];
            let sign = |point: &SupportPoint| sign_of_triple(&pair.terms(point), &forward, &way);
            if far <= error {
                w2 = pair.exactly_farthest(n, &forward, &way);
            }
            // Along the outline, or through one of its corners.
            if sign(&w2) != Greater || [w0.w, w1.w].iter().any(|w| motion.cross(*w) == DVec3::ZERO) {
                return PortalStart::Clear;
            }
            if sign(&w0) != Less {
                return PortalStart::Pierced([center, w0, w1]);
            }
        }
        if w2.w == w0.w || w2.w == w1.w {
            break;
        }
        let (side, side0) = (across.dot(w2.w), across.dot(w0.w));
        let is_first = side0 * side > 0.0 || side0 == 0.0 && side != 0.0 && across.dot(w1.w) * side <= 0.0;
        if is_first { w0 = w2 } else { w1 = w2 }
    }
    PortalStart::Unknown
}

/// The axis that leans least along `v`.
pub(super) fn least_axis(v: DVec3) -> DVec3 {
    let size = v.abs();
    if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    }
}

/// Moves the portal against the motion until it lies in the difference's surface, or until it is certain that this does
/// not lie within the times from 0 to `until`.
fn outward(pair: &CorePair, motion: DVec3, portal: &mut Portal, until: f64) -> PortalOutcome {
    let mut is_precise = false;
    for _ in 0..MAX_PORTALS {
        let [p, q, r] = [portal[0].w, portal[1].w, portal[2].w];
        let mut n = if is_precise { precise::normal(pair, portal) } else { (q - p).cross(r - p) };
        if n == DVec3::ZERO {
            return PortalOutcome::Unknown;
        }
        if n.dot(motion) > 0.0 {
            n = -n;
            portal.swap(1, 2);
        }
        // The normal of a thin portal leans, so that not all corners are as far along it.
        let at = n.dot(p).min(n.dot(q)).min(n.dot(r));
        let (slack, error) = (pair.slack(n), pair.error(n));
        if at > slack {
            return PortalOutcome::Behind;
        }
        let mut w = pair.farthest(n);
        let (far, end) = (n.dot(w.w), until * n.dot(motion));
        let end_error = error + until * lean(n, motion);
        if far <= end - end_error {
            return PortalOutcome::Late;
        }
        // One of the portal's own corners lies beyond its plane: it is thin, and its normal needs more digits.
        let is_own = far > at + slack && [p, q, r].contains(&w.w);
        if is_own && !is_precise {
            is_precise = true;
            continue;
        }
        is_precise = false;
        if far <= at + slack || is_own {
            if pair.is_round || far < -error && far > end + end_error {
                return PortalOutcome::Facet(n, far, if far < -error { Less } else { Equal });
            }
            match exact_facet(pair, motion, portal, (n, far), until) {
                Ok(search) => return search,
                Err(beyond) => w = beyond,
            }
        }
        let replaced = pierced(motion, portal, &w);
        portal[replaced] = w;
    }
    PortalOutcome::Unknown
}

/// Which corner of the portal to replace by `w`, so that the line pierces what it becomes.
fn pierced(motion: DVec3, portal: &Portal, w: &SupportPoint) -> usize {
    // On which side of the plane through the line and w each corner lies; as differences, so that what is small beside
    // its distance from the line keeps its digits.
    let k = motion.cross(w.w);
    let ways = portal.mapped(|corner| corner.w - w.w);
    let [s0, s1, s2] = ways.mapped(|way| k.dot(way));
    // Of the triangles on each side, that in which the line is, or that which it is least outside of by rounding.
    let mut inside = [s1.min(-s0), s2.min(-s1), s0.min(-s2)];
    if inside.iter().all(|x| *x <= 0.0) {
        // Through a side or a corner: of those that hold the line, the one that is widest across it.
        for (i, x) in inside.iter_mut().enumerate() {
            if *x == 0.0 {
                *x = motion.dot(ways[i].cross(ways[(i + 1) % 3])).abs();
            }
        }
    }
    if inside[0] >= inside[1] && inside[0] >= inside[2] {
        2
    } else if inside[1] >= inside[2] {
        0
    } else {
        1
    }
}

/// What a portal in the surface says, by exact signs, where its time is that of the start or the end up to rounding;
/// as an error, a point that lies beyond its plane after all.
#[cold]
fn exact_facet(
    pair: &CorePair,
    motion: DVec3,
    portal: &Portal,
    (n, far): (DVec3, f64),
    until: f64,
) -> Result<PortalOutcome, SupportPoint> {
    let [p, q, r] = portal;
    let is_thin = n.dot(p.w - pair.farthest(-n).w) <= 2.0 * pair.slack(n);
    if is_thin && let Some(plane) = plane_of(pair.a, pair.b) {
        return Ok(exact_flat(pair, motion, (n, far), until, plane));
    }
    let (u, v) = (pair.way(p, q), pair.way(p, r));
    let w = pair.exactly_farthest(n, &u, &v);
    let start = sign_of_triple(&pair.terms(&w), &u, &v);
    if start == Greater {
        // The point inside may be outside of a flat difference, by rounding.
        let is_sure = portal.iter().all(|corner| pair.is_vertex(corner)) || portal.iter().any(|corner| corner.w == w.w);
        let is_behind = is_sure && sign_of_triple(&pair.terms(p), &u, &v) == Greater;
        return if is_behind { Ok(PortalOutcome::Behind) } else { Err(w) };
    }
    let mut at_end = pair.terms(&w);
    at_end.push(-until * motion);
    let is_late = sign_of_triple(&at_end, &u, &v) != Greater;
    Ok(if is_late { PortalOutcome::Late } else { PortalOutcome::Facet(n, far, start) })
}

/// The same for a flat difference: its plane is crossed after the start, or not. Where all lies in one plane from the
/// start, there is no side from which to hit.
fn exact_flat(
    pair: &CorePair,
    motion: DVec3,
    (n, far): (DVec3, f64),
    until: f64,
    [mut u, mut v]: [[DVec3; 2]; 2],
) -> PortalOutcome {
    let between = [pair.b.vertex(0), -pair.a.vertex(0)];
    let along = sign_of_triple(&[motion], &u, &v);
    if along == Greater {
        (u, v) = (v, u);
    }
    let is_ahead = sign_of_triple(&between, &u, &v) == Less;
    let at_end = [between[0], between[1], -until * motion];
    let is_crossed = sign_of_triple(&at_end, &u, &v) == Greater;
    if along != Equal && is_ahead && is_crossed { PortalOutcome::Facet(n, far, Less) } else { PortalOutcome::Late }
}

/// The time of a portal that lies in the surface.
fn touch(pair: &CorePair, motion: DVec3, portal: &Portal, n: DVec3, far: f64, until: f64) -> End {
    let time = time_of_plane(pair, motion, n, far);
    if time >= until {
        return End::Clear;
    }
    let mut simplex = Simplex::new(portal);
    let gap = simplex.nearest(motion * time, false).map_or(0.0, |v| v.length());
    let touch = CoreTouch { time, normal: n, gap, points: simplex.witnesses() };
    let most = (if pair.is_round { 2.0 * pair.slack(DVec3::ONE) } else { 0.0 })
        + GAP * (pair.reach.element_sum() + motion.abs().element_sum());
    if gap <= most { End::Hit(touch) } else { improved(pair, motion, touch, until) }
}

/// The time before which the plane along `n`, against the motion, certainly keeps the two apart; zero if it does not.
fn time_of_plane(pair: &CorePair, motion: DVec3, n: DVec3, far: f64) -> f64 {
    let reach = far + pair.error(n);
    // Rounded toward zero by more than the division and the product can lose.
    let time = -reach / (lean(n, motion) - n.dot(motion)) * (1.0 - 4.0 * ROUNDING);
    if reach < 0.0 { time } else { 0.0 }
}

/// A touch whose gap is too large, improved by moving on from its time along planes between nearest points.
#[cold]
fn improved(pair: &CorePair, motion: DVec3, touch: CoreTouch, until: f64) -> End {
    match cast(pair, motion, 0.0, until, touch.time) {
        End::Hit(later) if later.gap < touch.gap => End::Hit(later),
        // Some plane keeps them apart until the end.
        End::Clear => End::Clear,
        _ => End::Hit(touch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Convex};
    use glam::Vec3;

    /// From every time before the touch, however early, the way out arrives there; and past the other it is clear.
    #[test]
    fn a_touch_that_is_early_is_improved_to_the_gap_that_is_promised() {
        let cube = |center: Vec3| Convex::from(Aabb::from_center_half_extents(center, Vec3::ONE).unwrap()).core();
        for i in 0..200 {
            let share = f64::from(i) / 200.0;
            let (side, motion) = (1.9 * share as f32, DVec3::new(8.0, 0.5, -0.25));
            let (a, b) = (cube(Vec3::ZERO), cube(Vec3::new(6.0, side, 0.0)));
            let pair = CorePair::new(&a, &b);
            let early = CoreTouch { time: 0.5 * share, normal: -motion, gap: 1.0, points: [DVec3::ZERO; 2] };
            let End::Hit(touch) = improved(&pair, motion, early, 1.0) else { panic!("{i}") };
            assert!(touch.time <= 0.5 && touch.time > 0.5 - 1e-14 && touch.gap < 1e-13, "{i}: {touch:?}");
            assert!(touch.normal.normalize().distance(DVec3::NEG_X) < 1e-6, "{i}: {touch:?}");
            let past = cube(Vec3::new(6.0, 2.6 + side, 0.0));
            assert!(matches!(improved(&CorePair::new(&a, &past), motion, early, 1.0), End::Clear), "{i}");
        }
    }
}
