//! Two convex solids: along which face, or across which edges, they are farthest apart or penetrate least.
//!
//! A pair of edges counts only if their arcs cross on the sphere of normals, with one arc negated. Only then is the
//! direction across both edges the normal of a facet of the Minkowski difference, along which the two touch at these
//! edges.
//!
//! ```text
//!       a₁               from one solid's arc a and the other's b, both edges' ways across the poles,
//!   −b₁──┼──−b₂          separation = n · (p_b − p_a)   with   n = way_a × way_b, led outward
//!       a₂
//! ```
//!
//! In solids with many faces few edges can matter. An edge cannot if the other solid lies deep behind both of its
//! faces, since it then lies at least about as deep along every direction in between (see [`may_exceed`]).
//!
//! Source: Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013.

use super::{
    ContactManifold, ManifoldCache, ManifoldPoint,
    box_box::EDGE_BIAS,
    cache::{Axis, PointFeature},
    clip::clip,
    keep_four::{Candidate, four_of},
    solid::{Arc, FacePlane, PairSolid, lost},
};
use crate::{BrushEdge, arrays::Mapped, exact::vector, lists::Listed};
use arrayvec::ArrayVec;
use glam::DVec3;
use smallvec::SmallVec;

/// How much better an axis has to be than the last one, or edges than a face, as a share of half the largest extent of
/// the smaller solid: 2^-8, as for boxes.
pub(super) const TOLERANCE: f64 = 1.0 / 256.0;

/// How much the reference face is enlarged, as a share of the tolerance: 2^-8. Less than for boxes, since at a sharp
/// corner the enlarged face reaches farther out.
pub(super) const FLUSH: f64 = 1.0 / 256.0;

/// Edges with a sine below this, 2^-16, count as parallel.
const PARALLEL: f64 = 1.0 / (1u64 << 16) as f64;

/// A face of one of the two solids, and how far the other lies in front of it.
#[derive(Clone, Copy, Debug)]
struct BestFace {
    axis: Axis,
    /// The separation along it.
    kept: f64,
    /// The largest separation along any face.
    most: f64,
}

/// Makes `manifold` that of two solids.
pub(super) fn update(
    manifold: &mut ContactManifold,
    first: &PairSolid,
    second: &PairSolid,
    margin: f32,
    cache: &mut ManifoldCache,
) {
    let (limit, errors) = (f64::from(margin), first.error + second.error);
    let tolerance = TOLERANCE * first.reach.min(second.reach);
    let is_apart = |separation: f64| separation - lost(separation, errors) > limit;

    // The axis that decided last time comes first: mostly it still does.
    let last = cache.axis();
    let mut best = BestFace { axis: Axis::None, kept: f64::NEG_INFINITY, most: f64::NEG_INFINITY };
    let mut score = f64::NEG_INFINITY;
    if let Some((normal, separation)) = along(first, second, last) {
        if is_apart(separation) {
            return begin(manifold, normal, separation, errors);
        }
        if !matches!(last, Axis::Edges(..)) {
            best = BestFace { axis: last, kept: separation, most: separation };
            score = separation + tolerance;
        }
    }
    let mut below = [Below::new(), Below::new()];
    for (which, [solid, other]) in [[first, second], [second, first]].into_iter().enumerate() {
        let mut vertex = other.vertices()[0];
        for i in 0..solid.face_count() {
            let face = solid.face(i);
            // A better face has this vertex of the other solid farther in front of it than the best.
            if face.before(vertex) > best.kept {
                let lowest = other.vertices()[other.lowest_vertex(face.normal)];
                let separation = face.before(lowest);
                let axis = if which == 0 { Axis::FaceOfFirst(i as u16) } else { Axis::FaceOfSecond(i as u16) };
                if is_apart(separation) {
                    cache.set(axis);
                    let normal = if which == 0 { face.normal } else { -face.normal };
                    return begin(manifold, normal, separation, errors);
                }
                if separation > score {
                    (best.axis, best.kept, score) = (axis, separation, separation);
                }
                best.most = best.most.max(separation);
                vertex = lowest;
            }
            below[which].push(vertex);
        }
    }

    let edges = best_edges([first, second], &below, best.kept - errors);
    let distance = edges.as_ref().map_or(best.most, |edges| edges.separation.max(best.most));
    if let Some(edges) = &edges {
        // As for boxes.
        let needed = 2.0 * tolerance + f64::from(EDGE_BIAS) * (-best.kept).max(0.0);
        let needed = if edges.axis() == last { 0.5 * needed } else { needed };
        if edges.separation > best.kept + needed || is_apart(edges.separation) {
            return edges.push(manifold, first, second, distance, limit, cache);
        }
    }
    cache.set(best.axis);
    let normal = along(first, second, best.axis).map_or(DVec3::Y, |(normal, _)| normal);
    begin(manifold, normal, distance, errors);
    push_faces(manifold, first, second, best.axis, limit, FLUSH * tolerance);
    // Where an edge is better, the deepest point may lie beside the face.
    if let Some(edges) = edges
        && edges.separation > best.kept
        && f64::from(manifold.least()) > edges.separation + tolerance
    {
        edges.push(manifold, first, second, distance, limit, cache);
    }
}

/// Makes `manifold` that of a solid and a polygon along the normal of one of the polygon's faces.
pub(super) fn update_at_face(
    manifold: &mut ContactManifold,
    first: &PairSolid,
    (polygon, number): (&PairSolid, usize),
    margin: f32,
) {
    let axis = Axis::FaceOfSecond(number as u16);
    let Some((normal, separation)) = along(first, polygon, axis) else { return manifold.clear() };
    begin(manifold, normal, separation, first.error + polygon.error);
    let flush = FLUSH * TOLERANCE * first.reach.min(polygon.reach);
    push_faces(manifold, first, polygon, axis, margin.into(), flush);
}

/// Makes `manifold` that of two solids across an edge of each; without points if no edges cross.
pub(super) fn update_at_edges(manifold: &mut ContactManifold, first: &PairSolid, second: &PairSolid, margin: f32) {
    let lowest = |solid: &PairSolid, other: &PairSolid| {
        let faces = (0..solid.face_count()).map(|i| solid.face(i).normal);
        faces.map(|normal| other.vertices()[other.lowest_vertex(normal)]).collect::<Below>()
    };
    let below = [lowest(first, second), lowest(second, first)];
    if let Some(edges) = best_edges([first, second], &below, f64::NEG_INFINITY) {
        let (distance, limit) = (edges.separation, f64::from(margin));
        edges.push(manifold, first, second, distance, limit, &mut ManifoldCache::default());
    }
}

fn begin(manifold: &mut ContactManifold, normal: DVec3, distance: f64, errors: f64) {
    manifold.begin(normal.as_vec3(), (distance - lost(distance, errors)) as f32);
}

/// The normal of an axis, from the first solid to the second, and the separation along it.
fn along(first: &PairSolid, second: &PairSolid, axis: Axis) -> Option<(DVec3, f64)> {
    let gap = |face: FacePlane, other: &PairSolid| other.lowest(face.normal) - face.distance;
    match axis {
        Axis::FaceOfFirst(i) if usize::from(i) < first.face_count() => {
            let face = first.face(i.into());
            Some((face.normal, gap(face, second)))
        }
        Axis::FaceOfSecond(i) if usize::from(i) < second.face_count() => {
            let face = second.face(i.into());
            Some((-face.normal, gap(face, first)))
        }
        // In whichever direction separates more: any direction is a bound.
        Axis::Edges(i, j) => {
            let [a, b] = first.ends(first.edges().get(usize::from(i))?);
            let [c, d] = second.ends(second.edges().get(usize::from(j))?);
            let normal = vector::try_normalized((b - a).cross(d - c))?;
            let (forth, back) = (apart(first, second, normal), apart(first, second, -normal));
            Some(if back > forth { (-normal, back) } else { (normal, forth) })
        }
        _ => None,
    }
}

/// The separation of two solids along a direction.
fn apart(first: &PairSolid, second: &PairSolid, normal: DVec3) -> f64 {
    second.lowest(normal) + first.lowest(-normal)
}

/// An edge of each of two solids.
struct EdgePair {
    arcs: [Arc; 2],
    /// Of unit length, from the first solid to the second.
    normal: DVec3,
    separation: f64,
}

/// For each face of a solid, a vertex of the other that is low over it, if not the lowest.
type Below = SmallVec<[DVec3; 16]>;

/// Whether a solid and another may be farther apart than `least` along a normal on the arc of one of the solid's edges,
/// judging by the other's vertices below the two faces of that edge.
///
/// ```text
///   n = (1 − t) n₀ + t n₁        apart along n <= n · (p₀ − start) and <= n · (p₁ − start):
///   of length 1 or less          two lines over t, of which the lower one is highest at an end or where they meet
/// ```
fn may_exceed(least: f64, solid: &PairSolid, edge: &BrushEdge, below: &Below) -> bool {
    let [start, _] = solid.ends(edge);
    let [n, m] = edge.faces.mapped(|face| solid.face(face).normal);
    let [p, q] = edge.faces.mapped(|face| below[face] - start);
    // Scaling the normal to unit length increases what is above zero.
    let least = least.min(0.0);
    let is_line_below = |p: DVec3| n.dot(p) <= least && m.dot(p) <= least;
    if is_line_below(q) || is_line_below(p) {
        return false;
    }
    let [p, q] = [[n.dot(p), m.dot(p)], [n.dot(q), m.dot(q)]];
    let [before, after] = [q[0] - p[0], p[1] - q[1]];
    let meet = || before * after > 0.0 && (p[0] * after + p[1] * before) / (before + after) > least;
    p[0].min(q[0]).max(p[1].min(q[1])) > least || meet()
}

/// The arcs of a solid's edges along which another may be farther from it than `least`. All arcs of a polygon are kept:
/// they are semicircles, which interpolation between the normals of its two faces does not cover.
fn arcs_above(least: f64, solid: &PairSolid, below: &Below) -> SmallVec<[Arc; 12]> {
    let edges = solid.edges().iter().enumerate();
    let may_matter = |edge| solid.is_polygon() || may_exceed(least, solid, edge, below);
    edges.filter(|(_, edge)| may_matter(edge)).map(|(number, edge)| solid.arc(number, edge)).listed()
}

/// The pair of edges along which two solids are farthest apart; pairs that are apart by no more than `least` may be
/// missed.
fn best_edges([first, second]: [&PairSolid; 2], below: &[Below; 2], least: f64) -> Option<EdgePair> {
    let (ours, theirs) = (arcs_above(least, first, &below[0]), arcs_above(least, second, &below[1]));
    let mut best: Option<EdgePair> = None;
    for a in &ours {
        for b in &theirs {
            if !a.is_crossed(b.way) || !b.is_crossed(a.way) {
                continue;
            }
            let across = a.way.cross(b.way);
            let length = across.length();
            if length <= PARALLEL * a.way.length() * b.way.length() {
                continue;
            }
            // One of the two directions across both lies on the arc of the first. Its opposite lies on the arc of the
            // second, or on the far side.
            let inverse = if across.dot(a.middle) < 0.0 { -1.0 / length } else { 1.0 / length };
            if across.dot(b.middle) * inverse > 0.0 {
                continue;
            }
            let separation = across.dot(b.start - a.start) * inverse;
            if best.as_ref().is_none_or(|best| separation > best.separation) && inverse.is_finite() {
                best = Some(EdgePair { arcs: [*a, *b], normal: across * inverse, separation });
            }
        }
    }
    // The corners of a patch may be slightly off its plane, and so in front of its edges.
    best.map(|best| EdgePair { separation: apart(first, second, best.normal), ..best })
}

impl EdgePair {
    fn axis(&self) -> Axis {
        Axis::Edges(self.arcs[0].edge as u16, self.arcs[1].edge as u16)
    }

    /// Makes `manifold` that of the two edges, with the point where they are nearest.
    fn push(
        &self,
        manifold: &mut ContactManifold,
        first: &PairSolid,
        second: &PairSolid,
        distance: f64,
        limit: f64,
        cache: &mut ManifoldCache,
    ) {
        cache.set(self.axis());
        begin(manifold, self.normal, distance, first.error + second.error);
        if self.separation > limit {
            return;
        }
        let [a, b] = &self.arcs;
        let [p, q] = nearest([a.start, a.way], [b.start, b.way]);
        manifold.push(ManifoldPoint {
            from_first: (p - first.center).as_vec3(),
            from_second: (q - second.center).as_vec3(),
            separation: self.normal.dot(q - p) as f32,
            feature: PointFeature::Edges(a.edge as u32, b.edge as u32).number(),
        });
    }
}

/// The points at which two segments, each given by its start and its vector, are nearest.
pub(super) fn nearest([start, way]: [DVec3; 2], [other_start, other_way]: [DVec3; 2]) -> [DVec3; 2] {
    let between = other_start - start;
    let (pp, pq, qq) = (way.dot(way), way.dot(other_way), other_way.dot(other_way));
    let (along, other_along) = (between.dot(way), between.dot(other_way));
    let determinant = pp * qq - pq * pq;
    let within = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
    // For parallel segments, any point of the first will do to begin with.
    let at = if determinant > f64::EPSILON * pp * qq { (along * qq - other_along * pq) / determinant } else { 0.0 };
    let other_at = within((within(at) * pq - other_along) / qq);
    let at = within((along + other_at * pq) / pp);
    [start + way * at, other_start + other_way * other_at]
}

/// Adds up to four points of the faces with which two solids meet along a face of one of them.
fn push_faces(
    manifold: &mut ContactManifold,
    first: &PairSolid,
    second: &PairSolid,
    axis: Axis,
    limit: f64,
    flush: f64,
) {
    let (reference, incident, number) = match axis {
        Axis::FaceOfFirst(i) => (first, second, usize::from(i)),
        Axis::FaceOfSecond(i) => (second, first, usize::from(i)),
        Axis::None | Axis::Edges(..) => return,
    };
    let is_first = matches!(axis, Axis::FaceOfFirst(_));
    let face = reference.face(number);
    let piece = clip((incident, incident.opposing(face.normal)), (reference, number), &face, flush);
    let u = vector::perpendicular(face.normal);
    let v = face.normal.cross(u);
    let mut candidates: SmallVec<[Candidate; 12]> = SmallVec::new();
    for (i, corner) in piece.iter().enumerate() {
        let separation = face.normal.dot(corner.at) - face.distance;
        if separation <= limit {
            let across = corner.at - incident.center;
            candidates.push(Candidate {
                u: u.dot(across) as f32,
                v: v.dot(across) as f32,
                separation: separation as f32,
                feature: i as u32,
            });
        }
    }
    let mut room = ArrayVec::new();
    for kept in four_of(&candidates, flush as f32, &mut room) {
        let corner = &piece[kept.feature as usize];
        let on_reference = corner.at - face.normal * f64::from(kept.separation);
        let [p, q] = if is_first { [on_reference, corner.at] } else { [corner.at, on_reference] };
        manifold.push(ManifoldPoint {
            from_first: (p - first.center).as_vec3(),
            from_second: (q - second.center).as_vec3(),
            separation: kept.separation,
            feature: corner.origin.feature(is_first).number(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Brush, Hull};
    use cullide_scenes::{Rng, SEED};
    use glam::Vec3;

    fn hull(rng: &mut Rng, center: Vec3) -> Brush {
        let count = 4 + (rng.f32() * 40.0) as usize;
        let flat = Vec3::new(1.0, 1.0, if rng.bool() { 0.05 } else { 1.0 });
        let points = (0..count).map(|_| center + Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0)) * flat);
        Hull::new(&points.collect::<Vec<_>>()).unwrap().into()
    }

    #[test]
    fn edges_that_are_left_out_are_not_the_farthest_apart() {
        let mut rng = Rng::with_seed(SEED);
        let (mut found, mut all, mut kept) = (0, 0, 0);
        for case in 0..2000 {
            let center = Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0)) * 1.5;
            let (first, second) = (hull(&mut rng, Vec3::ZERO), hull(&mut rng, center));
            let (first, second) = (PairSolid::of_brush(&first, Vec3::ZERO), PairSolid::of_brush(&second, center));
            // Any vertices will do; some are the lowest ones.
            let below = [[&first, &second], [&second, &first]].map(|[solid, other]| {
                let below = |face| {
                    let lowest = if rng.bool() { other.lowest_vertex(solid.face(face).normal) } else { 0 };
                    other.vertices()[lowest]
                };
                (0..solid.face_count()).map(below).collect::<Below>()
            });
            let brute =
                best_edges([&first, &second], &below, f64::NEG_INFINITY).map_or(f64::MIN, |best| best.separation);
            for least in [-1.5, -0.5, -0.1, -0.01, 0.0, 0.1, brute - 1e-9, brute + 1e-9] {
                all += first.edges().len() + second.edges().len();
                kept += arcs_above(least, &first, &below[0]).len() + arcs_above(least, &second, &below[1]).len();
                let best = best_edges([&first, &second], &below, least).map_or(f64::MIN, |best| best.separation);
                let is_same = if brute > least { best == brute } else { best <= brute };
                assert!(is_same, "case {case}: {best} instead of {brute}, from {least}");
                found += usize::from(brute > least);
            }
        }
        assert!(found > 2000 && 2 * kept < all, "{found} found, {kept} of {all} kept");
    }
}
