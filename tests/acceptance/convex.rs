//! Separating axes of a box and a convex obstacle, in `f64`, straight from the definition.

use cullide_world::{
    Shape,
    glam::DVec3,
    narrowphase::{Aabb, Obb, Plane},
};

/// A convex obstacle: the hull of some points, or the half-space behind a plane.
#[derive(Debug)]
pub enum Convex {
    Hull { points: Vec<DVec3>, normals: Vec<DVec3>, edges: Vec<DVec3> },
    HalfSpace { normal: DVec3, d: f64 },
}

impl Convex {
    pub fn of_obb(obb: &Obb) -> Self {
        let center = obb.center().as_dvec3();
        let [a, b, c] = obb.half_edges().map(|edge| edge.as_dvec3());
        let signs = |bits: usize, bit: usize| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let points = (0..8).map(|i| center + a * signs(i, 0) + b * signs(i, 1) + c * signs(i, 2)).collect();
        Self::Hull { points, normals: vec![b.cross(c), c.cross(a), a.cross(b)], edges: vec![a, b, c] }
    }

    pub fn of_aabb(aabb: &Aabb) -> Self {
        let [min, max] = [aabb.min(), aabb.max()].map(|corner| corner.as_dvec3());
        let corner = |i: usize| DVec3::new([min.x, max.x][i & 1], [min.y, max.y][i >> 1 & 1], [min.z, max.z][i >> 2]);
        Self::Hull { points: (0..8).map(corner).collect(), normals: DVec3::AXES.into(), edges: DVec3::AXES.into() }
    }

    pub fn of_plane(plane: &Plane) -> Self {
        Self::HalfSpace { normal: plane.normal().as_dvec3(), d: f64::from(plane.d()) }
    }

    pub fn of_shape(shape: &Shape) -> Self {
        match shape {
            Shape::Aabb(aabb) => Self::of_aabb(aabb),
            Shape::Obb(obb) => Self::of_obb(obb),
            Shape::Patch(patch) => {
                let points: Vec<DVec3> = patch.points().iter().map(|point| point.as_dvec3()).collect();
                let edges: Vec<DVec3> = (0..points.len()).map(|i| points[(i + 1) % points.len()] - points[i]).collect();
                Self::Hull { normals: vec![edges[0].cross(edges[1])], points, edges }
            }
            Shape::Brush(brush) => {
                let points = brush.vertices().to_vec();
                let normals = brush.planes().iter().map(|plane| plane.normal).collect();
                let edges = brush.edges().iter().map(|edge| points[edge.vertices[1]] - points[edge.vertices[0]]);
                Self::Hull { edges: edges.collect(), points, normals }
            }
            _ => panic!("a ball has no separating axes"),
        }
    }

    /// How far a box has to move along each axis that may separate it: at `center + v` it is free iff `n · v ≥ s` for
    /// one of the pairs `(n, s)`. All `n` are unit vectors.
    pub fn ways_out(&self, body: &Obb) -> Vec<(DVec3, f64)> {
        let center = body.center().as_dvec3();
        let own = body.half_edges().map(|edge| edge.as_dvec3());
        let radius = |n: DVec3| own.iter().map(|edge| n.dot(*edge).abs()).sum::<f64>();
        match self {
            Self::HalfSpace { normal, d } => {
                let length = normal.length();
                let n = *normal / length;
                vec![(n, radius(n) - n.dot(center) - d / length)]
            }
            Self::Hull { points, normals, edges } => {
                let faces = [own[1].cross(own[2]), own[2].cross(own[0]), own[0].cross(own[1])];
                let crossed = own.iter().flat_map(|a| {
                    let parallel = move |axis: &DVec3, b: &DVec3| axis.length() > 1e-9 * a.length() * b.length();
                    edges.iter().filter_map(move |b| Some(a.cross(*b)).filter(|axis| parallel(axis, b)))
                });
                let axes = normals.iter().copied().chain(faces).chain(crossed);
                let one = |n: DVec3| {
                    let reach = points.iter().map(|point| n.dot(*point - center)).fold(f64::NEG_INFINITY, f64::max);
                    (n, reach + radius(n))
                };
                axes.map(DVec3::normalize).flat_map(|n| [one(n), one(-n)]).collect()
            }
        }
    }
}

/// The separation of a box moved by `v` from an obstacle with these ways out; negative if it is inside.
pub fn separation(ways: &[(DVec3, f64)], v: DVec3) -> f64 {
    ways.iter().map(|(n, s)| n.dot(v) - s).fold(f64::NEG_INFINITY, f64::max)
}

/// The shortest motion within `bound`, if there is one, after which a box is separated by `room` from all obstacles,
/// which are given by their [ways out](Convex::ways_out).
///
/// The set of free motions is the complement of a union of convex polytopes. Its point nearest to the origin is the
/// foot of the perpendicular on one face, the point nearest to the origin on the line of two faces of different
/// polytopes, or a common point of three faces: all of them are tried. A redundant axis cannot give a motion shorter
/// than the true one, since each candidate has to be free.
pub fn shortest_way_out(obstacles: &[Vec<(DVec3, f64)>], room: f64, bound: f64) -> Option<DVec3> {
    let is_free = |v: DVec3| obstacles.iter().all(|ways| separation(ways, v) >= room * (1.0 - 1e-6));
    let mut best: Option<DVec3> = None;
    let mut consider = |v: DVec3| {
        if v.length() <= best.map_or(bound, DVec3::length) && is_free(v) {
            best = Some(v);
        }
    };
    consider(DVec3::ZERO);
    let faces: Vec<Vec<(DVec3, f64)>> = obstacles
        .iter()
        .map(|ways| ways.iter().map(|(n, s)| (*n, s + room)).filter(|(_, s)| s.abs() <= bound).collect())
        .collect();
    for (i, first) in faces.iter().enumerate() {
        for &(n, s) in first {
            consider(n * s);
            for (j, second) in faces.iter().enumerate().skip(i + 1) {
                for &(m, t) in second {
                    let c = n.dot(m);
                    let determinant = 1.0 - c * c;
                    if determinant < 1e-12 {
                        continue;
                    }
                    let a = (s - c * t) / determinant;
                    let b = (t - c * s) / determinant;
                    consider(n * a + m * b);
                    for third in &faces[j + 1..] {
                        for &(k, u) in third {
                            let volume = n.dot(m.cross(k));
                            if volume.abs() > 1e-9 {
                                consider((m.cross(k) * s + k.cross(n) * t + n.cross(m) * u) / volume);
                            }
                        }
                    }
                }
            }
        }
    }
    best
}
