//! Two boxes: along which of fifteen axes they are farthest apart or penetrate least.
//!
//! With the axes `a` and `b` of the two boxes and `R = aᵢ · bⱼ`, the separations along a face of either and across two
//! edges are
//!
//! ```text
//!  |aᵢ · d| − hᵢ − Σⱼ |Rᵢⱼ| hⱼ        (|(aᵢ × bⱼ) · d| − Σ |(aᵢ × bⱼ) · aₖ| hₖ − Σ |(aᵢ × bⱼ) · bₖ| hₖ) / |aᵢ × bⱼ|
//! ```
//!
//! where each product of the second line is one entry of `R`. The lanes of a vector are three axes.
//!
//! Source: Gottschalk, Lin and Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection", 1996, §5.

use super::{
    ContactManifold, ManifoldCache, box_edges,
    box_faces::{self, FacingBoxes, Reference},
    box_frame::{BoxEdges, BoxFrame, yzx, zxy},
    cache::Axis,
};
use crate::arrays::Mapped;
use glam::{Vec3, Vec4};

/// Bound on what rounding may add to a separation, as a share of the sum of the extents of both boxes and of the vector
/// between their centres: 2^-20. It covers some ten roundings of 2^-24, and the extra reach of half edges that are not
/// quite perpendicular (2^-21, see [`box_frame`](super::box_frame)).
pub(super) const ROUNDED: f32 = 1.0 / (1u32 << 20) as f32;

/// Edges with a sine below this, 2^-8, count as parallel: the direction across both is mostly rounding. The depth that
/// this may cost, at most the sine times their length, is the tolerance between two axes.
pub(super) const PARALLEL: f32 = 1.0 / 256.0;

/// How much better an axis has to be than the last one, or edges than a face, as a share of the longest half extent of
/// the smaller box: 2^-8.
pub(super) const TOLERANCE: f32 = 1.0 / 256.0;

/// How much better edges have to be than a face in addition, as a share of the depth.
pub(super) const EDGE_BIAS: f32 = 0.15;

/// The separations of two boxes along all axes.
pub(super) struct BoxSeparations<'a> {
    pub(super) a: &'a BoxFrame,
    pub(super) b: &'a BoxFrame,
    /// From the centre of the first box to that of the second.
    pub(super) way: Vec3,
    /// The dot products of each axis of the first box with those of the second.
    pub(super) r: [Vec4; 3],
    /// `way` along the axes of either box.
    pub(super) way_a: Vec4,
    pub(super) way_b: Vec4,
    faces_of_a: Vec4,
    faces_of_b: Vec4,
    /// The separations across edges, less what rounding may add.
    edges: [Vec4; 3],
}

/// Makes `manifold` that of two boxes; `None` if one is skewed.
pub(super) fn update(
    manifold: &mut ContactManifold,
    first: &BoxEdges,
    second: &BoxEdges,
    margin: f32,
    cache: &mut ManifoldCache,
) -> Option<()> {
    let way = first.way_to(second);
    if let Some((normal, distance)) = still_apart(first, second, way, margin, cache.axis()) {
        manifold.begin(normal, distance);
        return Some(());
    }
    let (a, b) = (first.frame()?, second.frame()?);
    let axes = BoxSeparations::new(&a, &b, way);
    let lost = ROUNDED * (sum(a.half) + sum(b.half) + sum(way.abs().extend(0.0)));
    let tolerance = TOLERANCE * a.longest().min(b.longest());

    let (face, kept, most) = axes.best_face(cache.axis(), tolerance);
    let edges = axes.edges[0].max(axes.edges[1]).max(axes.edges[2]);
    let edges = edges.x.max(edges.y).max(edges.z);
    let distance = (most - lost).max(edges);
    // An edge gives one point where a face gives up to four, so it is not worth a small part of the depth.
    let tolerance_of_edges = 2.0 * tolerance + EDGE_BIAS * (-kept).max(0.0);
    let is_edge = edges > kept + 0.5 * tolerance_of_edges && {
        let axis = axes.best_edges();
        let needed = if cache.axis() == axis { 0.5 * tolerance_of_edges } else { tolerance_of_edges };
        edges > kept + needed
    };
    if distance > margin {
        let axis = if edges > most - lost { axes.best_edges() } else { axes.face(most) };
        cache.set(axis);
        manifold.begin(axes.normal(axis), distance);
        return Some(());
    }
    let rest = [first.rest, second.rest];
    if !is_edge {
        cache.set(face);
        manifold.begin(axes.normal(face), distance);
        box_faces::push(manifold, &axes.faces(face), rest, margin, tolerance);
        // Where an edge is better, the deepest point may lie beside the face.
        if edges <= kept || manifold.least() <= edges + tolerance {
            return Some(());
        }
    }
    let axis = axes.best_edges();
    cache.set(axis);
    manifold.begin(axes.normal(axis), distance);
    if let Axis::Edges(i, j) = axis {
        box_edges::push(manifold, &axes, [i.into(), j.into()], rest, margin);
    }
    Some(())
}

/// Returns the direction that decided last time, and the distance of the two boxes along it less what rounding may add;
/// `None` if that is no more than `margin`. It computes no frames, and for boxes that are near no square root.
#[inline]
fn still_apart(first: &BoxEdges, second: &BoxEdges, way: Vec3, margin: f32, axis: Axis) -> Option<(Vec3, f32)> {
    let direction = match axis {
        Axis::None => return None,
        Axis::FaceOfFirst(i) if i < 3 => first.edge(i.into()),
        Axis::FaceOfSecond(i) if i < 3 => second.edge(i.into()),
        Axis::Edges(i, j) if i < 3 && j < 3 => first.edge(i.into()).cross(second.edge(j.into())),
        _ => return None,
    };
    let along = direction.dot(way);
    let reaches = first.along(direction).abs() + second.along(direction).abs();
    let scaled = along.abs() - sum(reaches);
    let lost = ROUNDED * (first.size() + second.size() + sum(way.abs().extend(0.0)));
    let (limit, square) = (margin + lost, direction.dot(direction));
    // `None` also for a direction so short, or so long, that its square is no number here.
    let is_apart = scaled > 0.0 && scaled * scaled > limit * limit * square && square > f32::MIN_POSITIVE;
    if !is_apart || !square.is_finite() {
        return None;
    }
    let inverse = 1.0 / square.sqrt();
    let distance = scaled * inverse - lost;
    let direction = if along < 0.0 { -direction } else { direction };
    (distance > margin).then(|| (direction * inverse, distance))
}

impl<'a> BoxSeparations<'a> {
    #[inline]
    fn new(a: &'a BoxFrame, b: &'a BoxFrame, way: Vec3) -> Self {
        // Written out because `map` is not inlined.
        let r = [b.along(a.axis(0)), b.along(a.axis(1)), b.along(a.axis(2))];
        let transposed = {
            let column = |j: usize| Vec4::new(r[0][j], r[1][j], r[2][j], 0.0);
            [column(0), column(1), column(2)]
        };
        let (abs, abs_t) = (absolute(&r), absolute(&transposed));
        let (way_a, way_b) = (a.along(way), b.along(way));
        let reach = |m: &[Vec4; 3], half: Vec4| m[0] * half.x + m[1] * half.y + m[2] * half.z;
        let faces_of_a = way_a.abs() - a.half - reach(&abs_t, b.half);
        let faces_of_b = way_b.abs() - b.half - reach(&abs, a.half);

        let size = sum(a.half) + sum(b.half) + sum(way.abs().extend(0.0));
        let lost = Vec4::splat(2.0 * ROUNDED * size);
        let (half_yzx, half_zxy) = (yzx(b.half), zxy(b.half));
        let mut edges = [Vec4::NEG_INFINITY; 3];
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let apart = (way_a[k] * r[j] - way_a[j] * r[k]).abs();
            let reach_of_a = a.half[j] * abs[k] + a.half[k] * abs[j];
            let reach_of_b = half_yzx * zxy(abs[i]) + half_zxy * yzx(abs[i]);
            let square = r[j] * r[j] + r[k] * r[k];
            let separation = (apart - reach_of_a - reach_of_b - lost) / square.sqrt();
            let is_across = square.cmpgt(Vec4::splat(PARALLEL * PARALLEL));
            edges[i] = Vec4::select(is_across, separation, Vec4::NEG_INFINITY);
        }
        Self { a, b, way, r, way_a, way_b, faces_of_a, faces_of_b, edges }
    }

    /// Returns the face along which the two are farthest apart (the last one while it is worse by no more than the
    /// tolerance), the separation along it, and the largest separation along any face.
    #[inline]
    fn best_face(&self, last: Axis, tolerance: f32) -> (Axis, f32, f32) {
        let (a, b) = (self.faces_of_a.to_array(), self.faces_of_b.to_array());
        // Alternating between the first box and the second.
        let all = [a[0], b[0], a[1], b[1], a[2], b[2]];
        let last = match last {
            Axis::FaceOfFirst(i) => 2 * usize::from(i),
            Axis::FaceOfSecond(i) => 2 * usize::from(i) + 1,
            _ => all.len(),
        };
        let mut scores = all;
        if let Some(score) = scores.get_mut(last) {
            *score += tolerance;
        }
        let (mut best, mut score, mut most) = (0, f32::NEG_INFINITY, f32::NEG_INFINITY);
        for i in 0..all.len() {
            if scores[i] > score {
                (best, score) = (i, scores[i]);
            }
            most = most.max(all[i]);
        }
        let axis = if best % 2 == 0 { Axis::FaceOfFirst(best as u16 / 2) } else { Axis::FaceOfSecond(best as u16 / 2) };
        (axis, all[best], most)
    }

    /// The face with exactly this separation.
    fn face(&self, separation: f32) -> Axis {
        let of = |faces: Vec4| (0..3).find(|&i| faces[i] == separation).map(|i| i as u16);
        match of(self.faces_of_a) {
            Some(i) => Axis::FaceOfFirst(i),
            None => Axis::FaceOfSecond(of(self.faces_of_b).unwrap_or(0)),
        }
    }

    /// The pair of edges along which the two are farthest apart.
    fn best_edges(&self) -> Axis {
        let (mut best, mut most) = (Axis::None, f32::NEG_INFINITY);
        for i in 0..3u16 {
            for j in 0..3u16 {
                let separation = self.edges[usize::from(i)][usize::from(j)];
                if separation > most {
                    (best, most) = (Axis::Edges(i, j), separation);
                }
            }
        }
        best
    }

    /// The unit normal along an axis, from the first box to the second.
    fn normal(&self, axis: Axis) -> Vec3 {
        let (direction, way) = match axis {
            Axis::FaceOfFirst(i) => (self.a.axis(i.into()), self.way_a[usize::from(i)]),
            Axis::FaceOfSecond(i) => (self.b.axis(i.into()), self.way_b[usize::from(i)]),
            Axis::Edges(i, j) => {
                let across = self.a.axis(i.into()).cross(self.b.axis(j.into()));
                (across * (1.0 / across.length()), across.dot(self.way))
            }
            // There is always a face.
            Axis::None => (Vec3::Y, 1.0),
        };
        if way < 0.0 { -direction } else { direction }
    }

    /// The two boxes as seen from the one that has the reference face.
    fn faces(&self, face: Axis) -> FacingBoxes<'_> {
        let columns = self.r.mapped(|row| row.to_array());
        match face {
            Axis::FaceOfSecond(axis) => {
                let axis = usize::from(axis);
                let transposed =
                    std::array::from_fn(|j| std::array::from_fn(|i| if i < 3 { columns[i][j] } else { 0.0 }));
                FacingBoxes {
                    reference: self.b,
                    incident: self.a,
                    way: -self.way,
                    r: transposed,
                    center: (-self.way_b).to_array(),
                    axis,
                    // Toward the first box; the normal points away from it.
                    side: if self.way_b[axis] < 0.0 { 1.0 } else { -1.0 },
                    order: Reference::Second,
                }
            }
            Axis::FaceOfFirst(_) | Axis::Edges(..) | Axis::None => {
                let axis = if let Axis::FaceOfFirst(axis) = face { usize::from(axis) } else { 0 };
                FacingBoxes {
                    reference: self.a,
                    incident: self.b,
                    way: self.way,
                    r: columns,
                    center: self.way_a.to_array(),
                    axis,
                    side: if self.way_a[axis] < 0.0 { -1.0 } else { 1.0 },
                    order: Reference::First,
                }
            }
        }
    }
}

#[inline(always)]
fn absolute([x, y, z]: &[Vec4; 3]) -> [Vec4; 3] {
    [x.abs(), y.abs(), z.abs()]
}

/// The sum of the first three lanes.
#[inline(always)]
pub(super) fn sum(v: Vec4) -> f32 {
    v.x + v.y + v.z
}
