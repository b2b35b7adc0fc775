//! The features of boxes, by six faces: the two across an edge of length zero are the same.

use super::{FaceWay, HitFeature, PathEntry, exact};
use crate::{
    Aabb, Obb, Path,
    arrays::Mapped,
    exact::{
        lines::{cross, dot, minus},
        predicate::Exact,
    },
};
use glam::DVec3;
use std::cmp::Ordering::{Equal, Less};

impl Aabb {
    /// The feature that the first point of a path that crosses the box lies on.
    pub(in crate::cast) fn feature_of(&self, path: &Path) -> Option<HitFeature> {
        let (min, max) = (self.min().as_dvec3(), self.max().as_dvec3());
        let face = |number: usize| {
            let axis = exact(DVec3::AXES[number / 2]);
            if number.is_multiple_of(2) {
                FaceWay::through(&axis, max, path)
            } else {
                FaceWay::through(&axis.mapped(|x| Exact::default().minus(&x)), min, path)
            }
        };
        feature([0, 1, 2, 3, 4, 5].mapped(face))
    }
}

impl Obb {
    /// The same; also `None` where half edges, none of which is zero, lie exactly in a plane.
    pub(in crate::cast) fn feature_of(&self, path: &Path) -> Option<HitFeature> {
        let (edges, axes) = self.exact_axes();
        let volume = dot(&axes[0], &edges[0]);
        let (is_left_handed, position) = match volume.sign() {
            Equal => return None,
            order => (order == Less, minus(&exact(path.origin), &exact(self.center().as_dvec3()))),
        };
        let face = |number: usize| {
            let normal = &axes[number / 2];
            let (height, rise) = (dot(normal, &position), dot(normal, &exact(path.delta)));
            // Signed along the half edge, which the normal may run against.
            let is_forward = number.is_multiple_of(2) != is_left_handed;
            let along = |x: Exact| if is_forward { x } else { Exact::default().minus(&x).compact() };
            let is_flat = self.half_edges()[number / 2].as_dvec3() == DVec3::ZERO;
            let reach = match (is_flat, is_left_handed) {
                (true, _) => Exact::default(),
                (false, true) => Exact::default().minus(&volume),
                (false, false) => volume.clone(),
            };
            FaceWay { height: along(height).minus(&reach).compact(), rise: along(rise) }
        };
        feature([0, 1, 2, 3, 4, 5].mapped(face))
    }

    /// The half edges, with those of length zero replaced by vectors perpendicular to the others, and their cross
    /// products.
    fn exact_axes(&self) -> ([[Exact; 3]; 3], [[Exact; 3]; 3]) {
        let given = self.half_edges().mapped(|edge| edge.as_dvec3());
        let mut edges = given.mapped(exact);
        let mut lacking = [0, 1, 2].into_iter().filter(|&i| given[i] == DVec3::ZERO);
        match [lacking.next(), lacking.next(), lacking.next()] {
            [Some(_), Some(_), Some(_)] => edges = DVec3::AXES.mapped(exact),
            [Some(a), Some(b), None] => {
                let along = 3 - a - b;
                let size = given[along].abs();
                let least = (0..3).find(|&axis| size[axis] == size.min_element()).unwrap_or(0);
                edges[a] = cross(&edges[along], &exact(DVec3::AXES[least]));
                edges[b] = cross(&edges[along], &edges[a]);
            }
            [Some(a), ..] => edges[a] = cross(&edges[(a + 1) % 3], &edges[(a + 2) % 3]),
            [None, ..] => {}
        }
        let axes = [0, 1, 2].mapped(|i| cross(&edges[(i + 1) % 3], &edges[(i + 2) % 3]));
        (edges, axes)
    }
}

/// What the faces on which the first point lies have in common, of the upper and the lower face on each axis of a box.
fn feature(ways: [FaceWay; 6]) -> Option<HitFeature> {
    let entry = PathEntry::new(&ways);
    let is_on = |face: usize| entry.faces.contains(&face);
    let is_fixed = [0, 1, 2].mapped(|axis| is_on(2 * axis) || is_on(2 * axis + 1));
    // For a vertex that has several numbers, this is the lowest.
    let vertex = (0..3).filter(|&axis| is_on(2 * axis) && !is_on(2 * axis + 1)).fold(0, |bits, axis| bits | 1 << axis);
    let free = (0..3).find(|&axis| !is_fixed[axis]);
    match is_fixed.iter().filter(|fixed| **fixed).count() {
        3 => Some(HitFeature::Vertex(vertex)),
        2 => free.map(|axis| HitFeature::edge(vertex, vertex | 1 << axis)),
        // For a flat box, the face that the path sees.
        1 => entry.faces.iter().copied().min_by_key(|&face| ways[face].rise.sign()).map(HitFeature::Face),
        _ => None,
    }
}
