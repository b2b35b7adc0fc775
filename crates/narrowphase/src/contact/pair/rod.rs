//! Capsules, and balls as capsules of zero length, against solids and against each other.
//!
//! Outside a solid, the normal is the way to the capsule's axis from the solid's nearest point. Inside, it is the
//! normal of the face, or the direction across an edge and the axis, along which the axis is least deep. Unless that
//! direction is better than a face's normal, the two meet along the face, and the axis clipped by the face's sides
//! gives two points, so that a capsule that lies on a box rests on both ends.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.9 (nearest points of segments).

use super::{
    ContactManifold, ManifoldCache, ManifoldPoint,
    cache::{Axis, PointFeature},
    solid::{FacePlane, PairSolid, lost},
    solids::{FLUSH, TOLERANCE, nearest},
};
use crate::{
    Capsule, Sphere,
    arrays::Mapped,
    exact::{ROUNDING, vector},
};
use glam::{DVec3, Vec3};

/// Two axes with a sine below this, 2^-4, may touch along a stretch.
const SLANTED: f64 = 1.0 / 16.0;

/// All points at most `radius` from a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rod {
    pub(super) center: DVec3,
    pub(super) half: DVec3,
    pub(super) radius: f64,
}

impl Rod {
    pub(super) fn start(&self) -> DVec3 {
        self.center - self.half
    }

    pub(super) fn way(&self) -> DVec3 {
        2.0 * self.half
    }

    /// The point at a share of the way from the start to the end of the axis.
    pub(super) fn at(&self, share: f64) -> DVec3 {
        self.center + self.half * (2.0 * share - 1.0)
    }

    pub(super) fn error(&self) -> f64 {
        16.0 * ROUNDING * (self.center.abs() + self.half.abs()).max_element()
    }

    pub(super) fn reach(&self) -> f64 {
        self.half.length() + self.radius
    }

    /// The least coordinate of the axis along `normal`.
    pub(super) fn lowest(&self, normal: DVec3) -> f64 {
        normal.dot(self.center) - normal.dot(self.half).abs()
    }

    /// The point of the surface reached from a point of the axis along `normal`, relative to the centre.
    fn offset(&self, on_axis: DVec3, normal: DVec3) -> Vec3 {
        (on_axis - self.center + normal * self.radius).as_vec3()
    }
}

impl From<&Capsule> for Rod {
    fn from(capsule: &Capsule) -> Self {
        Self { center: capsule.center().as_dvec3(), half: capsule.wide_axis(), radius: capsule.radius().into() }
    }
}

impl From<&Sphere> for Rod {
    fn from(ball: &Sphere) -> Self {
        Self { center: ball.center().as_dvec3(), half: DVec3::ZERO, radius: ball.radius().into() }
    }
}

/// Makes `manifold` that of two capsules.
pub(super) fn against_rod(manifold: &mut ContactManifold, first: &Rod, second: &Rod, margin: f32) {
    let [p, q] = nearest([first.start(), first.way()], [second.start(), second.way()]);
    let across = || first.half.cross(second.half);
    // Axes that meet: the direction across both, or else across one.
    let normal = vector::try_normalized(q - p)
        .or_else(|| vector::try_normalized(across()))
        .or_else(|| vector::try_normalized(first.half).map(vector::perpendicular))
        .or_else(|| vector::try_normalized(second.half).map(vector::perpendicular))
        .unwrap_or(DVec3::Y);
    let apart = p.distance(q);
    let separation = apart - first.radius - second.radius;
    let error = first.error() + second.error();
    manifold.begin(normal.as_vec3(), (separation - lost(separation, error)) as f32);
    let mut push = |p: DVec3, q: DVec3, feature: u32| {
        let separation = normal.dot(q - p) - first.radius - second.radius;
        if separation <= f64::from(margin) {
            manifold.push(ManifoldPoint {
                from_first: first.offset(p, normal),
                from_second: second.offset(q, -normal),
                separation: separation as f32,
                feature,
            });
        }
    };
    let Some(ends) = stretch(first, second) else { return push(p, q, 0) };
    let tolerance = TOLERANCE * first.reach().min(second.reach());
    let nearest_end = ends.iter().map(|([p, q], _)| normal.dot(*q - *p)).fold(f64::INFINITY, f64::min);
    ends.into_iter().for_each(|([p, q], feature)| push(p, q, feature));
    // Where they cross between the ends.
    if apart < nearest_end - tolerance {
        push(p, q, 0);
    }
}

/// The ends of the stretch along which two nearly parallel axes run beside each other; `None` if there is none.
fn stretch(first: &Rod, second: &Rod) -> Option<[([DVec3; 2], u32); 2]> {
    let (way, other) = (first.way(), second.way());
    let (square, other_square) = (way.length_squared(), other.length_squared());
    if way.cross(other).length_squared() > SLANTED * SLANTED * square * other_square {
        return None;
    }
    // The second axis, in shares of the first.
    let share = |place: DVec3| way.dot(place - first.start()) / square;
    let [from, to] = [share(second.at(0.0)), share(second.at(1.0))];
    let is_turned = from > to;
    let [low, high] = if is_turned { [to, from] } else { [from, to] };
    if !(low < 1.0 && high > 0.0) {
        return None;
    }
    let ends = [(low, 0.0, u32::from(is_turned)), (high, 1.0, u32::from(!is_turned))];
    let ends = ends.mapped(|(of_second, of_first, vertex)| {
        let is_second = (of_second > 0.0) == (of_second < 1.0);
        let at = if is_second { of_second } else { of_first };
        let feature =
            if is_second { PointFeature::VertexOfSecond(vertex) } else { PointFeature::VertexOfFirst(of_first as u32) };
        let p = first.at(at);
        let q = second.at((other.dot(p - second.start()) / other_square).clamp(0.0, 1.0));
        (at, [p, q], feature.number())
    });
    (ends[1].0 > ends[0].0).then(|| ends.mapped(|(_, points, feature)| (points, feature)))
}

/// Makes `manifold` that of a solid and a capsule.
pub(super) fn against_solid(
    manifold: &mut ContactManifold,
    solid: &PairSolid,
    rod: &Rod,
    margin: f32,
    cache: &mut ManifoldCache,
) {
    let (limit, errors) = (f64::from(margin), solid.error + rod.error());
    let tolerance = TOLERANCE * solid.reach.min(rod.reach());
    let last = cache.axis();
    let before = |face: FacePlane| rod.lowest(face.normal) - face.distance;
    let begin = |manifold: &mut ContactManifold, normal: DVec3, apart: f64| {
        let distance = apart - rod.radius;
        manifold.begin(normal.as_vec3(), (distance - lost(distance, errors)) as f32);
        distance - lost(distance, errors) > limit
    };

    // The face that the axis is farthest in front of, starting with the last one.
    let held = match last {
        Axis::FaceOfFirst(i) if usize::from(i) < solid.face_count() => Some(usize::from(i)),
        _ => None,
    };
    let (mut best, mut kept, mut score, mut most) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for i in held.into_iter().chain(0..solid.face_count()) {
        let face = solid.face(i);
        let apart = before(face);
        if begin(manifold, face.normal, apart) {
            return cache.set(Axis::FaceOfFirst(i as u16));
        }
        let scored = if held == Some(i) { apart + tolerance } else { apart };
        if scored > score {
            (best, kept, score) = (i, apart, scored);
        }
        most = most.max(apart);
    }
    let face = solid.face(best);

    let crossed = if most > 0.0 { None } else { deepest_edge(solid, rod) };
    let is_outside = most > 0.0 || crossed.as_ref().is_some_and(|near| near.apart > 0.0) || is_beside(solid, rod);
    // A distance no longer than rounding has no direction.
    let outside = || nearest_outside(solid, rod).filter(|near| near.apart > errors);
    let near = if is_outside { outside() } else { crossed };
    let apart = near.as_ref().map_or(most, |near| near.apart.max(most));
    if let Some(near) = &near {
        let needed = if last == Axis::None { 0.5 * tolerance } else { tolerance };
        let is_better = near.apart > kept + needed;
        if is_better || near.apart - rod.radius > limit {
            cache.set(Axis::None);
            begin(manifold, near.normal, apart);
            return near.push(manifold, solid, rod, limit);
        }
    }
    cache.set(Axis::FaceOfFirst(best as u16));
    begin(manifold, face.normal, apart);
    push_face(manifold, (solid, best), rod, &face, limit, FLUSH * tolerance);
    // The nearest point of the axis may lie beside the face.
    if let Some(near) = near
        && near.apart > kept
        && f64::from(manifold.least()) > near.apart - rod.radius + tolerance
    {
        cache.set(Axis::None);
        begin(manifold, near.normal, apart);
        near.push(manifold, solid, rod, limit);
    }
}

/// Makes `manifold` that of a polygon and a capsule along the normal of one of the polygon's faces.
pub(super) fn update_at_face(
    manifold: &mut ContactManifold,
    (polygon, number): (&PairSolid, usize),
    rod: &Rod,
    margin: f32,
) {
    let face = polygon.face(number);
    let distance = rod.lowest(face.normal) - face.distance - rod.radius;
    manifold.begin(face.normal.as_vec3(), (distance - lost(distance, polygon.error + rod.error())) as f32);
    let flush = FLUSH * TOLERANCE * polygon.reach.min(rod.reach());
    push_face(manifold, (polygon, number), rod, &face, margin.into(), flush);
}

/// A point of a solid and a point of an axis.
struct NearestPoints {
    on_solid: DVec3,
    on_axis: DVec3,
    /// Unit vector from the solid to the axis.
    normal: DVec3,
    apart: f64,
    feature: u32,
}

impl NearestPoints {
    fn push(&self, manifold: &mut ContactManifold, solid: &PairSolid, rod: &Rod, limit: f64) {
        let separation = self.apart - rod.radius;
        if separation <= limit {
            manifold.push(ManifoldPoint {
                from_first: (self.on_solid - solid.center).as_vec3(),
                from_second: rod.offset(self.on_axis, -self.normal),
                separation: separation as f32,
                feature: self.feature,
            });
        }
    }
}

/// The nearest points of a solid and an axis outside it: an end above a face, or a point at an edge.
fn nearest_outside(solid: &PairSolid, rod: &Rod) -> Option<NearestPoints> {
    let mut best: Option<([DVec3; 2], f64, u32)> = None;
    let mut offer = |on_solid: DVec3, on_axis: DVec3, feature: u32| {
        let apart = on_axis.distance(on_solid);
        if best.is_none_or(|(_, least, _)| apart < least) {
            best = Some(([on_solid, on_axis], apart, feature));
        }
    };
    for (end, place) in [rod.at(0.0), rod.at(1.0)].into_iter().enumerate() {
        for i in 0..solid.face_count() {
            let face = solid.face(i);
            let height = face.normal.dot(place) - face.distance;
            if height >= 0.0 && is_above(solid, i, &face, place) {
                offer(place - face.normal * height, place, PointFeature::VertexOfSecond(end as u32).number());
            }
        }
    }
    for (number, edge) in solid.edges().iter().enumerate() {
        let [start, end] = solid.ends(edge);
        let [on_solid, on_axis] = nearest([start, end - start], [rod.start(), rod.way()]);
        offer(on_solid, on_axis, PointFeature::Edges(number as u32, 0).number());
    }
    let ([on_solid, on_axis], apart, feature) = best?;
    let normal = vector::try_normalized(on_axis - on_solid)?;
    Some(NearestPoints { on_solid, on_axis, normal, apart, feature })
}

/// Whether an axis in the plane of a polygon, or through that plane, lies beside the polygon: beyond one of its sides,
/// or with all of the polygon on one side of the axis.
fn is_beside(solid: &PairSolid, rod: &Rod) -> bool {
    if solid.face_count() != 2 {
        return false;
    }
    let across = solid.face(0).normal.cross(rod.half);
    let at = across.dot(rod.center);
    solid.arcs().any(|arc| rod.lowest(arc.middle) - arc.middle.dot(arc.start) > 0.0)
        || solid.lowest(across) > at
        || solid.lowest(-across) > -at
}

/// Whether a point lies above a face, along its normal.
fn is_above(solid: &PairSolid, number: usize, face: &FacePlane, place: DVec3) -> bool {
    let corners = solid.corners(number);
    (0..corners.len()).all(|i| {
        let [from, to] = [corners[i], corners[(i + 1) % corners.len()]].mapped(|i| solid.vertices()[i]);
        (to - from).cross(face.normal).dot(place - from) <= 0.0
    })
}

/// For an axis that enters a solid, the edge across which it is least deep.
fn deepest_edge(solid: &PairSolid, rod: &Rod) -> Option<NearestPoints> {
    let mut best: Option<NearestPoints> = None;
    for arc in solid.arcs() {
        if !arc.is_crossed(rod.half) {
            continue;
        }
        let across = arc.way.cross(rod.half);
        let across = if across.dot(arc.middle) < 0.0 { -across } else { across };
        let Some(normal) = vector::try_normalized(across) else { continue };
        let apart = normal.dot(rod.center - arc.start);
        if best.as_ref().is_none_or(|best| apart > best.apart) {
            let [on_solid, on_axis] = nearest([arc.start, arc.way], [rod.start(), rod.way()]);
            let feature = PointFeature::Edges(arc.edge as u32, 0).number();
            best = Some(NearestPoints { on_solid, on_axis, normal, apart, feature });
        }
    }
    best
}

/// Adds the ends of the part of the axis above a face.
fn push_face(
    manifold: &mut ContactManifold,
    (solid, number): (&PairSolid, usize),
    rod: &Rod,
    face: &FacePlane,
    limit: f64,
    flush: f64,
) {
    let corners = solid.corners(number);
    let mut ends = [(0.0, PointFeature::VertexOfSecond(0)), (1.0, PointFeature::VertexOfSecond(1))];
    for i in 0..corners.len() {
        let [from, to] = [corners[i], corners[(i + 1) % corners.len()]].mapped(|i| solid.vertices()[i]);
        let outward = (to - from).cross(face.normal);
        let room = flush * outward.length();
        let [start, end] = [0.0, 1.0].mapped(|share| outward.dot(rod.at(share) - from) - room);
        let feature = PointFeature::Edges(corners[i] as u32, 1);
        match (start > 0.0, end > 0.0) {
            (true, true) => return,
            (true, false) if start / (start - end) > ends[0].0 => ends[0] = (start / (start - end), feature),
            (false, true) if start / (start - end) < ends[1].0 => ends[1] = (start / (start - end), feature),
            _ => {}
        }
    }
    if ends[0].0 > ends[1].0 {
        return;
    }
    let mut points = ends.mapped(|(share, feature)| (rod.at(share), feature));
    let height = |place: DVec3| face.normal.dot(place) - face.distance;
    // The lower one first; the other only if it is beside that one.
    if height(points[1].0) < height(points[0].0) {
        points.swap(0, 1);
    }
    let beside = (points[1].0 - points[0].0).cross(face.normal).length();
    for (place, feature) in points.into_iter().take(if beside > flush { 2 } else { 1 }) {
        let separation = height(place) - rod.radius;
        if separation <= limit {
            manifold.push(ManifoldPoint {
                from_first: (place - face.normal * height(place) - solid.center).as_vec3(),
                from_second: rod.offset(place, -face.normal),
                separation: separation as f32,
                feature: feature.number(),
            });
        }
    }
}
