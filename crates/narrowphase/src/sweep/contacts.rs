//! Which points of a box touch a plane.
//!
//! Signs that minimise `N · Z` over the vertices `Z = Q ± h₀ ± h₁ ± h₂` pick the contact vertex; an edge that runs parallel to the
//! plane keeps both signs, so that one parallel edge gives an edge contact and two a face contact.
//!
//! Source: 003, Lengyel §12.2.2, equations 12.16–12.18. There an edge is parallel when `h · N == 0`, which stored rotations never
//! are (a face-on contact comes out as a vertex four times in five); here it is parallel within [`FEATURE_ANGLE`].

use crate::Obb;
use glam::{DVec3, Vec3};

/// Radians by which an edge may lean against a plane and still count as parallel to it. Well above the rounding of a stored
/// rotation (5e-7), far below what shows: over a box 10 units long the ends differ in height by a thousandth.
pub(crate) const FEATURE_ANGLE: f64 = 1e-4;

/// What part of a box touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// One point.
    Vertex,
    /// Two points, the ends of an edge.
    Edge,
    /// Three or four points, the corners of a face.
    Face,
}

/// One to four contact points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contacts {
    points: [Vec3; 4],
    count: u8,
}

impl Contacts {
    /// The first four of `points`, which must not be empty.
    pub(crate) fn new(points: &[Vec3]) -> Self {
        debug_assert!(!points.is_empty(), "a contact has at least one point");
        let count = points.len().min(4);
        let mut kept = [Vec3::ZERO; 4];
        kept[..count].copy_from_slice(&points[..count]);
        Self { points: kept, count: count as u8 }
    }

    /// The points; those of a face in cyclic order.
    pub fn points(&self) -> &[Vec3] {
        &self.points[..self.count.into()]
    }

    /// What the points are the corners of.
    pub fn feature(&self) -> Feature {
        match self.count {
            0 | 1 => Feature::Vertex,
            2 => Feature::Edge,
            _ => Feature::Face,
        }
    }
}

/// The vertices of the box that lie lowest along the unit `normal`, for a box with its centre at `center`.
///
/// A zero edge is not varied, so that a flat box on its face has four contacts, a rod two and a point one.
pub(crate) fn lowest(obb: &Obb, center: DVec3, normal: DVec3) -> Contacts {
    let mut corner = center;
    let mut parallel = [DVec3::ZERO; 3];
    let mut count = 0;
    for edge in obb.wide_edges() {
        let (along, length) = (edge.dot(normal), edge.length());
        if along.abs() > FEATURE_ANGLE * length {
            corner -= edge * along.signum();
        } else if length > 0.0 {
            parallel[count] = edge;
            count += 1;
        }
    }
    let [a, b, _] = parallel;
    let points = match count {
        0 => [corner, corner, corner, corner],
        1 => [corner + a, corner - a, corner, corner],
        // Three edges cannot all be perpendicular to one normal unless the box is degenerate; two of them span its face.
        _ => [corner + a + b, corner + a - b, corner - a - b, corner - a + b],
    };
    Contacts::new(&points.map(DVec3::as_vec3)[..[1, 2, 4, 4][count]])
}
