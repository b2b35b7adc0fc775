//! Faces of a hull that lie in one plane up to the rounding of its points.
//!
//! The corners of a box that was rotated and rounded to `f32` do not lie exactly in a plane, and each side of their
//! hull is two triangles. A body that lies on such a side should touch all of it, not one triangle or the other
//! depending on rounding. So the faces of a hull that moves are joined, starting with the largest, with the faces
//! around them that lie in the same plane up to rounding. Vertices inside such a face are left out.

use super::{Brush, Given, Topology};
use crate::{
    lists::{sorted, sorted_places},
    shape::hull::edges,
};
use glam::DVec3;
use std::sync::Arc;

/// How far rounding may have moved a point, relative to its largest coordinate: 2^-22, at most four steps of `f32`.
const ROUNDED: f64 = 1.0 / (1u64 << 22) as f64;

/// Faces are not joined where the planes through them would meet farther beyond the vertices than this, relative to the
/// largest coordinate, as at the tip of a spike: 2^-14.
const BEYOND: f64 = 1.0 / (1u64 << 14) as f64;

/// Vertices and faces of a brush before it is moved.
#[derive(Debug, PartialEq)]
pub(super) struct Faces {
    pub(super) vertices: Vec<DVec3>,
    /// Of unit length.
    pub(super) normals: Vec<DVec3>,
    pub(super) topology: Arc<Topology>,
    /// How far a vertex may lie off the plane of its face.
    pub(super) off: f64,
}

impl Faces {
    pub(super) fn of(brush: &Brush) -> Self {
        let flat = if matches!(brush.given, Given::Points) { flat_faces(brush) } else { None };
        flat.unwrap_or_else(|| Self {
            vertices: brush.vertices.clone(),
            normals: brush.planes.iter().map(|plane| plane.normal).collect(),
            topology: brush.topology.clone(),
            off: 0.0,
        })
    }
}

/// The joined faces of a hull; `None` if none are joined.
fn flat_faces(brush: &Brush) -> Option<Faces> {
    // Groups without a single outline stay separate faces.
    let single = |faces: Vec<usize>| -> Vec<Vec<usize>> {
        if outline(brush, &faces).is_some() { vec![faces] } else { faces.into_iter().map(|face| vec![face]).collect() }
    };
    let groups: Vec<Vec<usize>> = groups(brush).into_iter().flat_map(single).collect();
    if groups.len() < 4 || groups.len() == brush.planes.len() {
        return None;
    }
    let mut loops = groups.iter().map(|faces| outline(brush, faces)).collect::<Option<Vec<_>>>()?;
    let normals = groups.iter().map(|faces| match faces[..] {
        [face] => Some(brush.planes[face].normal),
        _ => {
            let sum = faces.iter().map(|face| area(brush, *face)).sum::<DVec3>();
            (sum.length() > 0.0).then(|| sum / sum.length())
        }
    });
    let normals = normals.collect::<Option<Vec<_>>>()?;
    // Drops the vertices that are in no outline.
    let mut index = vec![None; brush.vertices.len()];
    loops.iter().flatten().for_each(|vertex| index[*vertex] = Some(0));
    index.iter_mut().flatten().enumerate().for_each(|(new, place)| *place = new);
    let vertices: Vec<DVec3> = (0..index.len()).filter(|i| index[*i].is_some()).map(|i| brush.vertices[i]).collect();
    loops.iter_mut().flatten().for_each(|vertex| *vertex = index[*vertex].unwrap_or(0));
    let height = |(face, normal): (&Vec<usize>, &DVec3)| {
        let heights = || face.iter().map(|vertex| normal.dot(vertices[*vertex]));
        [heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max)]
    };
    let heights: Vec<[f64; 2]> = loops.iter().zip(&normals).map(height).collect();
    let off = heights.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
    let size = vertices.iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max);
    let behind = |inside: DVec3| {
        let ahead = normals.iter().zip(&heights).map(|(normal, [_, high])| high - normal.dot(inside));
        ahead.fold(f64::INFINITY, f64::min)
    };
    if off * beyond(&vertices, behind) > BEYOND * size {
        return None;
    }
    let edges = edges(&loops);
    let ends = loops.iter().scan(0, |end, face| {
        *end += face.len();
        Some(*end)
    });
    let ends = ends.collect();
    Some(Faces { normals, topology: Arc::new(Topology { edges, loops: loops.concat(), ends }), vertices, off })
}

/// A bound on how much farther a convex solid reaches beyond its vertices when its planes are a little farther out, as
/// a multiple of that offset; infinite if the mean of the vertices is not behind all planes.
///
/// A direction in which a vertex `v` is farthest is a sum of the normals of the faces there, with weights λ. Along it,
/// the solid reaches farther by the offset of the planes times the sum of λ. For a point inside, at a distance of `R`
/// from `v` and at least `r` behind all planes, which is what `behind` returns, that sum is no more than `R / r`.
pub(super) fn beyond(vertices: &[DVec3], behind: impl Fn(DVec3) -> f64) -> f64 {
    let inside = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    let outer = vertices.iter().map(|vertex| vertex.distance(inside)).fold(0.0, f64::max);
    let inner = behind(inside);
    if inner > 0.0 { 1.0 + outer / inner } else { f64::INFINITY }
}

/// The groups of faces that form one flat face each, in the order of their first faces.
fn groups(brush: &Brush) -> Vec<Vec<usize>> {
    let count = brush.planes.len();
    let mut neighbours = vec![Vec::new(); count];
    for edge in &brush.topology.edges {
        let [a, b] = edge.faces;
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let size = brush.vertices.iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max);
    let areas: Vec<f64> = (0..count).map(|face| area(brush, face).length_squared()).collect();
    let order = sorted_places(count, &|a, b| areas[b].total_cmp(&areas[a]).then(a.cmp(&b)));
    let mut group: Vec<Option<usize>> = vec![None; count];
    for seed in order {
        if group[seed].is_some() {
            continue;
        }
        group[seed] = Some(seed);
        let plane = brush.planes[seed];
        let is_flat = |face: usize| {
            let below = |vertex: &usize| plane.signed_distance(brush.vertices[*vertex]) >= -ROUNDED * size;
            plane.normal.dot(brush.planes[face].normal) > 0.5 && brush.face_vertices(face).iter().all(below)
        };
        let mut reached = vec![seed];
        while let Some(face) = reached.pop() {
            for &next in &neighbours[face] {
                if group[next].is_none() && is_flat(next) {
                    group[next] = Some(seed);
                    reached.push(next);
                }
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut place = vec![None; count];
    for (face, seed) in group.into_iter().enumerate() {
        let Some(seed) = seed else { continue };
        let at = *place[seed].get_or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(face);
    }
    groups
}

/// The vertices around joined faces, starting from the first one; `None` if they do not form the outline of one
/// polygon.
fn outline(brush: &Brush, faces: &[usize]) -> Option<Vec<usize>> {
    if let [face] = faces {
        return Some(brush.face_vertices(*face).to_vec());
    }
    let sides = |face: &usize| {
        let vertices = brush.face_vertices(*face);
        (0..vertices.len()).map(move |i| (vertices[i], vertices[(i + 1) % vertices.len()]))
    };
    let all: Vec<(usize, usize)> = faces.iter().flat_map(sides).collect();
    let all = sorted(&all, Ord::cmp);
    let is_outer = |&(from, to): &(usize, usize)| all.binary_search(&(to, from)).is_err();
    let outer: Vec<(usize, usize)> = all.iter().copied().filter(is_outer).collect();
    let next = |at: usize| {
        let after = outer.partition_point(|side| side.0 <= at);
        outer[..after].last().filter(|side| side.0 == at).map(|side| side.1)
    };
    let first = outer.first()?.0;
    let (mut around, mut at) = (vec![first], next(first)?);
    while at != first && around.len() <= outer.len() {
        around.push(at);
        at = next(at)?;
    }
    (around.len() == outer.len()).then_some(around)
}

/// Twice the area of a face, along its normal.
fn area(brush: &Brush, face: usize) -> DVec3 {
    let vertices = brush.face_vertices(face);
    let at = |i: usize| brush.vertices[vertices[i]] - brush.vertices[vertices[0]];
    (2..vertices.len()).map(|i| at(i - 1).cross(at(i))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hull, Obb};
    use cullide_scenes::{Rng, SEED};
    use glam::{DMat3, Quat, Vec3};

    fn any(rng: &mut Rng) -> Vec3 {
        Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0))
    }

    fn moved(points: &[Vec3]) -> Brush {
        Brush::from(Hull::new(points).unwrap()).moved(&DMat3::IDENTITY, DVec3::ZERO).unwrap()
    }

    #[test]
    fn the_hull_of_a_turned_box_moves_with_six_faces() {
        let mut rng = Rng::with_seed(SEED);
        let mut triangulated = 0;
        for case in 0..300 {
            let turn = Quat::from_scaled_axis(any(&mut rng) * 3.0);
            let place = any(&mut rng) * [0.0, 1.0, 100.0][case % 3];
            let corners = Obb::new(place, turn, Vec3::new(0.2, 0.3, 0.5)).unwrap().corners();
            triangulated += usize::from(Hull::new(&corners).unwrap().faces().len() > 6);
            let moved = moved(&corners);
            assert_eq!((moved.faces().len(), moved.edges().len(), moved.vertices().len()), (6, 12, 8), "case {case}");
            assert!(moved.faces().all(|face| face.vertices.len() == 4));
            for face in moved.faces() {
                for vertex in face.vertices {
                    let off = face.plane.signed_distance(moved.vertices()[*vertex]).abs();
                    assert!(off <= 2.0 * ROUNDED * (1.0 + f64::from(place.length())), "case {case}: {off}");
                }
            }
        }
        assert!(triangulated > 250, "{triangulated}");
    }

    #[test]
    fn a_turned_drum_keeps_its_ends_whole_and_its_sides_apart() {
        let turn = Quat::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7));
        let rim = |y: f32| {
            (0..24u8).map(move |i| {
                let (sin, cos) = (f32::from(i) * std::f32::consts::TAU / 24.0).sin_cos();
                turn * Vec3::new(cos, y, sin)
            })
        };
        let moved = moved(&rim(-1.0).chain(rim(1.0)).collect::<Vec<_>>());
        let mut sizes: Vec<usize> = moved.faces().map(|face| face.vertices.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [[4].repeat(24), vec![24, 24]].concat());
    }

    #[test]
    fn faces_and_edges_of_a_cloud_on_a_cube_close() {
        let mut rng = Rng::with_seed(SEED);
        for case in 0..100 {
            let turn = Quat::from_scaled_axis(any(&mut rng) * 3.0);
            // On the sides of a cube, where rounding turns the middles of sides into vertices of the hull.
            let points: Vec<Vec3> = (0..60)
                .map(|i| {
                    let mut point = any(&mut rng);
                    point[i % 3] = if i % 2 == 0 { 1.0 } else { -1.0 };
                    turn * point
                })
                .collect();
            let moved = moved(&points);
            let (v, e, f) = (moved.vertices().len(), moved.edges().len(), moved.faces().len());
            assert_eq!(v + f, e + 2, "case {case}");
            let around: usize = moved.faces().map(|face| face.vertices.len()).sum();
            assert_eq!(around, 2 * e);
            for (number, edge) in moved.edges().iter().enumerate() {
                assert!(edge.faces[0] != edge.faces[1], "case {case}: {number}");
            }
        }
    }
}
