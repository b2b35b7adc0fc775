//! Two convex solids of planes: along which face, or across which edges, they are farthest apart or penetrate least.
//!
//! A pair of edges counts where their arcs cross on the sphere of normals, one of them turned around: only there is the
//! direction across both one of the facets of the Minkowski difference, and the two touch along it at these edges.
//!
//! ```text
//!       a₁               from one solid's arc a and the other's b, both edges' ways across the poles,
//!   −b₁──┼──−b₂          separation = n · (p_b − p_a)   with   n = way_a × way_b, led outward
//!       a₂
//! ```
//!
//! Source: Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013.

use super::{
    ContactManifold, ManifoldCache, ManifoldPoint,
    box_box::EDGE_BIAS,
    cache::{Axis, PointFeature},
    clip::{Origin, clip},
    keep_four::{Candidate, four_of},
    solid::{Arc, Face, Solid, lost},
};
use crate::exact::vector;
use glam::DVec3;
use smallvec::SmallVec;

/// By how much better an axis has to be than the last one, or edges than a face, as a share of half the largest extent
/// of the smaller solid: 2^-8, as of boxes.
pub(super) const TOLERANCE: f64 = 1.0 / 256.0;

/// By how much the reference face is taken larger, as a share of the tolerance: 2^-8. Less than of boxes: at a sharp
/// corner the larger face reaches farther out.
pub(super) const FLUSH: f64 = 1.0 / 256.0;

/// Edges of a smaller sine, 2^-16, are parallel.
const PARALLEL: f64 = 1.0 / (1u64 << 16) as f64;

/// A face of one of the two, and how far the other one lies before it.
#[derive(Clone, Copy, Debug)]
struct Best {
    axis: Axis,
    /// How far along it.
    kept: f64,
    /// How far along the best.
    most: f64,
}

/// Makes `manifold` that of two solids.
pub(super) fn update(
    manifold: &mut ContactManifold,
    first: &Solid,
    second: &Solid,
    margin: f32,
    cache: &mut ManifoldCache,
) {
    let (limit, errors) = (f64::from(margin), first.error + second.error);
    let tolerance = TOLERANCE * first.reach.min(second.reach);
    let is_apart = |separation: f64| separation - lost(separation, errors) > limit;

    // What was farthest the last time first: mostly it still is.
    let last = cache.axis();
    if let Some((normal, separation)) = along(first, second, last)
        && is_apart(separation)
    {
        return begin(manifold, normal, separation, errors);
    }
    let mut best = Best { axis: Axis::None, kept: f64::NEG_INFINITY, most: f64::NEG_INFINITY };
    let mut score = f64::NEG_INFINITY;
    let of_first = (0..first.face_count()).map(|i| Axis::FaceOfFirst(i as u16));
    let of_second = (0..second.face_count()).map(|i| Axis::FaceOfSecond(i as u16));
    for axis in of_first.chain(of_second) {
        let Some((normal, separation)) = along(first, second, axis) else { continue };
        if is_apart(separation) {
            cache.set(axis);
            return begin(manifold, normal, separation, errors);
        }
        let scored = if axis == last { separation + tolerance } else { separation };
        if scored > score {
            (best.axis, best.kept, score) = (axis, separation, scored);
        }
        best.most = best.most.max(separation);
    }

    let edges = best_edges(first, second);
    let distance = edges.as_ref().map_or(best.most, |edges| edges.separation.max(best.most));
    if let Some(edges) = &edges {
        // As of boxes.
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
    // Where an edge is better, what is deepest may lie beside the face.
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
    first: &Solid,
    (polygon, number): (&Solid, usize),
    margin: f32,
) {
    let axis = Axis::FaceOfSecond(number as u16);
    let Some((normal, separation)) = along(first, polygon, axis) else { return manifold.clear() };
    begin(manifold, normal, separation, first.error + polygon.error);
    let flush = FLUSH * TOLERANCE * first.reach.min(polygon.reach);
    push_faces(manifold, first, polygon, axis, margin.into(), flush);
}

fn begin(manifold: &mut ContactManifold, normal: DVec3, distance: f64, errors: f64) {
    manifold.begin(normal.as_vec3(), (distance - lost(distance, errors)) as f32);
}

/// The normal of an axis, from the first solid to the second, and how far they are apart along it.
fn along(first: &Solid, second: &Solid, axis: Axis) -> Option<(DVec3, f64)> {
    let gap = |face: Face, other: &Solid| other.lowest(face.normal) - face.distance;
    match axis {
        Axis::FaceOfFirst(i) if usize::from(i) < first.face_count() => {
            let face = first.face(i.into());
            Some((face.normal, gap(face, second)))
        }
        Axis::FaceOfSecond(i) if usize::from(i) < second.face_count() => {
            let face = second.face(i.into());
            Some((-face.normal, gap(face, first)))
        }
        // Whichever way it leads: any direction is a bound.
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

/// How far two solids are apart along a direction.
fn apart(first: &Solid, second: &Solid, normal: DVec3) -> f64 {
    second.lowest(normal) + first.lowest(-normal)
}

/// An edge of each of two solids.
struct Edges {
    arcs: [Arc; 2],
    /// Of unit length, from the first solid to the second.
    normal: DVec3,
    separation: f64,
}

/// The pair of edges along which two solids are farthest apart.
fn best_edges(first: &Solid, second: &Solid) -> Option<Edges> {
    let (ours, theirs) = (first.arcs(), second.arcs());
    let mut best: Option<Edges> = None;
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
            // One of the two directions across both lies on the arc of the first, and its opposite on that of the
            // second, or on the far side.
            let inverse = if across.dot(a.middle) < 0.0 { -1.0 / length } else { 1.0 / length };
            if across.dot(b.middle) * inverse > 0.0 {
                continue;
            }
            let separation = across.dot(b.start - a.start) * inverse;
            if best.as_ref().is_none_or(|best| separation > best.separation) && inverse.is_finite() {
                best = Some(Edges { arcs: [*a, *b], normal: across * inverse, separation });
            }
        }
    }
    // The corners of a patch may be a little off its plane, and so before its edges.
    best.map(|best| Edges { separation: apart(first, second, best.normal), ..best })
}

impl Edges {
    fn axis(&self) -> Axis {
        Axis::Edges(self.arcs[0].edge as u16, self.arcs[1].edge as u16)
    }

    /// The point where the two edges are nearest.
    fn push(
        &self,
        manifold: &mut ContactManifold,
        first: &Solid,
        second: &Solid,
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

/// The points at which two segments, given by their starts and ways, are nearest.
pub(super) fn nearest([start, way]: [DVec3; 2], [other_start, other_way]: [DVec3; 2]) -> [DVec3; 2] {
    let between = other_start - start;
    let (pp, pq, qq) = (way.dot(way), way.dot(other_way), other_way.dot(other_way));
    let (along, other_along) = (between.dot(way), between.dot(other_way));
    let determinant = pp * qq - pq * pq;
    let within = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
    // Of parallel ones any point of the first will do to begin with.
    let at = if determinant > f64::EPSILON * pp * qq { (along * qq - other_along * pq) / determinant } else { 0.0 };
    let other_at = within((within(at) * pq - other_along) / qq);
    let at = within((along + other_at * pq) / pp);
    [start + way * at, other_start + other_way * other_at]
}

/// Adds up to four points of the faces with which two solids meet along a face of one.
fn push_faces(manifold: &mut ContactManifold, first: &Solid, second: &Solid, axis: Axis, limit: f64, flush: f64) {
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
    let mut room = SmallVec::new();
    for kept in four_of(&candidates, flush as f32, &mut room) {
        let corner = &piece[kept.feature as usize];
        let on_reference = corner.at - face.normal * f64::from(kept.separation);
        let [p, q] = if is_first { [on_reference, corner.at] } else { [corner.at, on_reference] };
        let feature = match (corner.origin, is_first) {
            (Origin::Incident(vertex), true) | (Origin::Reference(vertex), false) => {
                PointFeature::VertexOfSecond(vertex)
            }
            (Origin::Incident(vertex), false) | (Origin::Reference(vertex), true) => {
                PointFeature::VertexOfFirst(vertex)
            }
            (Origin::Sides(ours, theirs), true) | (Origin::Sides(theirs, ours), false) => {
                PointFeature::Edges(ours, theirs)
            }
        };
        manifold.push(ManifoldPoint {
            from_first: (p - first.center).as_vec3(),
            from_second: (q - second.center).as_vec3(),
            separation: kept.separation,
            feature: feature.number(),
        });
    }
}
