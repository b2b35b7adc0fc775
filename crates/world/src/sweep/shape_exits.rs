//! The ways of a convex shape of any kind out of another.
//!
//! Along every direction one support of each shape tells how far to move, so any direction is a way out. The shortest
//! lead through the facets of the difference of the two: along the normals of their faces, and across an edge of each.

use crate::shape::Convex;
use cullide_narrowphase::{
    ConvexCore, Distance, Gap, Listed, Mapped, Obb,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// Directions closer to each other than this are one.
const SAME: f64 = 1e-9;

/// What a support may lose by rounding, as a share of the coordinates.
const SUPPORT_ERROR: f64 = 64.0 * f64::EPSILON;

/// More pairs of edges are not looked at.
const MOST_EDGE_PAIRS: usize = 1 << 12;

/// The outward normals of faces, of any length, and the edges.
#[derive(Default)]
struct Polyhedron {
    faces: SmallVec<[DVec3; 16]>,
    edges: Vec<[DVec3; 2]>,
}

impl Polyhedron {
    fn of(convex: &Convex) -> Self {
        let wide = |points: &[Vec3]| points.iter().map(|point| point.as_dvec3()).listed::<[DVec3; 16]>();
        match convex {
            Convex::Aabb(shape) => Self::of_box(&Obb::from(shape)),
            Convex::Obb(shape) => Self::of_box(shape),
            Convex::Patch(shape) => Self::of_polygon(&wide(shape.points())),
            Convex::Triangle(shape, _) => Self::of_polygon(&wide(&shape.points())),
            Convex::Brush(shape) => Self {
                faces: shape.planes().iter().map(|plane| plane.normal).listed(),
                edges: shape.edges().iter().map(|edge| edge.vertices.mapped(|end| shape.vertices()[end])).collect(),
            },
            Convex::Capsule(shape) => {
                let (center, half_axis) = (shape.center().as_dvec3(), shape.half_axis().as_dvec3());
                Self { faces: SmallVec::new(), edges: vec![[center - half_axis, center + half_axis]] }
            }
            Convex::Cylinder(shape) => {
                let axis = shape.half_axis().as_dvec3();
                Self { faces: SmallVec::from_slice(&[axis, -axis]), edges: Vec::new() }
            }
            Convex::Sphere(_) => Self::default(),
        }
    }

    fn of_box(shape: &Obb) -> Self {
        let [a, b, c] = shape.half_edges().mapped(|edge| edge.as_dvec3());
        let (mut own, center) = (Self::default(), shape.center().as_dvec3());
        for [edge, p, q] in [[a, b, c], [b, c, a], [c, a, b]] {
            let normal = p.cross(q);
            own.faces.extend_from_slice(&[normal, -normal]);
            for side in [p + q, p - q, q - p, -p - q] {
                own.edges.push([center + side - edge, center + side + edge]);
            }
        }
        own
    }

    fn of_polygon(points: &[DVec3]) -> Self {
        let normal: DVec3 = points.windows(2).map(|pair| (pair[0] - points[0]).cross(pair[1] - points[0])).sum();
        let edges = (0..points.len()).map(|i| [points[i], points[(i + 1) % points.len()]]);
        Self { faces: SmallVec::from_slice(&[normal, -normal]), edges: edges.collect() }
    }
}

/// Calls `visit` with the gap of a body along each direction that may lead it out of a shape. `given` is the body
/// somewhere, and `core` where it is.
pub(super) fn exits(given: &Convex, core: &ConvexCore, shape: &Convex, visit: &mut dyn FnMut(Gap)) {
    let (other, here) = (shape.core(), given.core());
    visit(core.distance(&other).into());
    let (own, solid) = (Polyhedron::of(given), Polyhedron::of(shape));
    let mut known = SmallVec::<[DVec3; 16]>::new();
    let mut along = |direction: DVec3| {
        let normal = direction.normalize_or_zero();
        if normal == DVec3::ZERO || known.iter().any(|old| old.distance_squared(normal) < SAME * SAME) {
            return;
        }
        known.push(normal);
        let points = [core.support(-normal), other.support(normal)];
        let separation = normal.dot(points[0]) - normal.dot(points[1]);
        let error = SUPPORT_ERROR * points.iter().map(|point| point.abs().dot(normal.abs())).sum::<f64>();
        visit(Distance { separation, bounds: [separation - error, separation], normal, points }.into());
    };
    solid.faces.iter().for_each(|normal| along(*normal));
    own.faces.iter().for_each(|normal| along(-*normal));
    // Curved sides have no normals to list.
    if given.is_round() || shape.is_round() || own.edges.is_empty() || solid.edges.is_empty() {
        let steps = [-1.0, 0.0, 1.0];
        for x in steps {
            for y in steps {
                for z in steps {
                    along(DVec3::new(x, y, z));
                }
            }
        }
    }
    if own.edges.len() * solid.edges.len() > MOST_EDGE_PAIRS {
        return;
    }
    for [a, b] in &own.edges {
        for [p, q] in &solid.edges {
            let across = (*b - *a).cross(*q - *p);
            for normal in [across, -across] {
                if is_farthest(&here, *a, -normal) && is_farthest(&other, *p, normal) {
                    along(normal);
                }
            }
        }
    }
}

/// Whether no point of the core of a convex lies farther along a direction than one of its vertices.
fn is_farthest(core: &ConvexCore, vertex: DVec3, direction: DVec3) -> bool {
    let farthest = core.support(direction);
    let ahead = (farthest - vertex).dot(direction) - core.radius() * direction.length();
    ahead <= SUPPORT_ERROR * (farthest.abs() + vertex.abs()).dot(direction.abs())
}
