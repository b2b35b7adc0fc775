//! Two boxes that touch edge to edge.

use super::{ContactManifold, ManifoldPoint, box_box::BoxSeparations, cache::PointFeature};
use glam::Vec3;

/// Adds the point at which edges along axis `i` of the first box and axis `j` of the second are nearest, unless they
/// are farther apart than `margin`.
pub(super) fn push(
    manifold: &mut ContactManifold,
    axes: &BoxSeparations,
    [i, j]: [usize; 2],
    rest: [Vec3; 2],
    margin: f32,
) {
    let normal = manifold.normal();
    let (edge_a, of_a) = edge(axes.a.axis(i), |k| axes.a.axis(k) * axes.a.half[k], normal, i);
    let (edge_b, of_b) = edge(axes.b.axis(j), |k| axes.b.axis(k) * axes.b.half[k], -normal, j);
    // Where their lines are nearest, clamped to the edges.
    let between = axes.way + edge_b.middle - edge_a.middle;
    let cosine = axes.r[i][j];
    let (along_a, along_b) = (between.dot(edge_a.direction), between.dot(edge_b.direction));
    let square = 1.0 - cosine * cosine;
    let at_a = ((along_a - cosine * along_b) / square).max(-axes.a.half[i]).min(axes.a.half[i]);
    let at_b = (at_a * cosine - along_b).max(-axes.b.half[j]).min(axes.b.half[j]);
    let from_first = edge_a.middle + edge_a.direction * at_a;
    let from_second = edge_b.middle + edge_b.direction * at_b;
    let separation = normal.dot(axes.way + from_second - from_first);
    if separation <= margin {
        let feature = PointFeature::Edges(of_a, of_b).number();
        let [rest_a, rest_b] = rest;
        manifold.push(ManifoldPoint {
            from_first: from_first + rest_a,
            from_second: from_second + rest_b,
            separation,
            feature,
        });
    }
}

struct BoxEdge {
    middle: Vec3,
    direction: Vec3,
}

/// The edge parallel to `direction`, which is axis `i` of a box, that lies farthest along `normal`, and its number:
/// four times the number of the vertex at its lower end, plus the axis.
fn edge(direction: Vec3, half_edge: impl Fn(usize) -> Vec3, normal: Vec3, i: usize) -> (BoxEdge, u32) {
    let (mut middle, mut vertex) = (Vec3::ZERO, 0);
    for k in [(i + 1) % 3, (i + 2) % 3] {
        let half = half_edge(k);
        if normal.dot(half) < 0.0 {
            middle -= half;
        } else {
            middle += half;
            vertex |= 1 << k;
        }
    }
    (BoxEdge { middle, direction }, edge_number(vertex, i))
}

/// The number of the edge along `axis` that starts at a vertex.
#[inline]
pub(super) fn edge_number(lower_end: u32, axis: usize) -> u32 {
    4 * lower_end + axis as u32
}
