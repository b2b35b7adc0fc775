//! Directions along which two moving things with edges are apart, each for a part of their way.
//!
//! The points of a rotating thing move nearly straight over a short way, so the distance of two things along a fixed
//! direction changes evenly. Two things do not touch on their way if several directions, each for a part of it, show
//! them to be apart over all of it.
//!
//! Source: Ericson, "Real-Time Collision Detection", 2005, 5.5.8 (separating axes of moving things).

use cullide_narrowphase::{
    Mapped, Obb, Triangle,
    glam::{DQuat, DVec3},
};

/// A box or a triangle at both ends of a way.
pub(in crate::dynamics) struct Edged {
    centers: [DVec3; 2],
    /// The edges; half edges for a box.
    edges: [[DVec3; 3]; 2],
    /// The corners of a triangle, relative to the centre.
    corners: Option<[DVec3; 3]>,
}

impl Edged {
    /// A box at both ends of its way, in coordinates relative to `origin`.
    pub(in crate::dynamics) fn of_box(ends: [&Obb; 2], origin: DVec3) -> Self {
        Self {
            centers: ends.mapped(|end| end.center().as_dvec3() - origin),
            edges: ends.mapped(|end| end.half_edges().mapped(|edge| edge.as_dvec3())),
            corners: None,
        }
    }

    /// The same for a box that moves and turns.
    pub(in crate::dynamics) fn of_moving_box(start: &Obb, motion: DVec3, turn: DQuat, origin: DVec3) -> Self {
        let (center, edges) = (start.center().as_dvec3() - origin, start.half_edges().mapped(|edge| edge.as_dvec3()));
        Self { centers: [center, center + motion], edges: [edges, edges.mapped(|edge| turn * edge)], corners: None }
    }

    /// A triangle that does not move.
    pub(in crate::dynamics) fn of_triangle(triangle: &Triangle, origin: DVec3) -> Self {
        let corners = triangle.points().mapped(|corner| corner.as_dvec3() - origin);
        let [p, q, r] = corners;
        Self { centers: [DVec3::ZERO; 2], edges: [[q - p, r - q, p - r]; 2], corners: Some(corners) }
    }

    /// The interval that it covers along a direction, at one of the ends.
    #[inline(always)]
    fn span(&self, direction: DVec3, end: usize) -> [f64; 2] {
        match self.corners {
            Some(corners) => {
                let [a, b, c] = corners.mapped(|corner| direction.dot(corner));
                [a.min(b).min(c), a.max(b).max(c)]
            }
            None => {
                let reach: f64 = self.edges[end].iter().map(|edge| direction.dot(*edge).abs()).sum();
                let center = direction.dot(self.centers[end]);
                [center - reach, center + reach]
            }
        }
    }

    /// Directions perpendicular to its faces, of any length.
    fn faces(&self, end: usize) -> impl Iterator<Item = DVec3> {
        let edges = self.edges[end];
        let count = if self.corners.is_some() { 1 } else { 3 };
        (0..count).map(move |i| edges[i].cross(edges[(i + 1) % 3]))
    }
}

/// Whether `attempt` holds for any unit direction along which the two may be farthest apart at the start, or with two
/// `ends` also at the end. It is given how deep they are in each other at both, along the direction and the opposite
/// one.
#[inline(always)]
pub(in crate::dynamics) fn any_axis(
    one: &Edged,
    other: &Edged,
    ends: usize,
    mut attempt: impl FnMut(DVec3, [[f64; 2]; 2]) -> bool,
) -> bool {
    let mut both = |direction: DVec3| {
        let Some(normal) = direction.try_normalize() else { return false };
        let [before, after] = [0, 1].mapped(|end| (one.span(normal, end), other.span(normal, end)));
        let ahead = [before, after].mapped(|([_, high], [low, _])| high - low);
        let behind = [before, after].mapped(|([low, _], [_, high])| high - low);
        attempt(normal, [ahead, behind])
    };
    (0..ends).any(|end| {
        other.faces(end).chain(one.faces(end)).any(&mut both)
            || one.edges[end].iter().any(|edge| other.edges[end].iter().any(|side| both(edge.cross(*side))))
    })
}

/// The part of a way, in shares of it, for which no direction has yet shown two things to be apart.
#[derive(Clone, Copy)]
pub(in crate::dynamics) struct UnknownSpan {
    pub(in crate::dynamics) from: f64,
    pub(super) to: f64,
}

impl UnknownSpan {
    pub(in crate::dynamics) const ALL: Self = Self { from: 0.0, to: 1.0 };

    /// Removes the part for which a direction shows them to be apart, given how deep they are along it at both ends.
    #[inline(always)]
    pub(in crate::dynamics) fn shrink(&mut self, [before, after]: [f64; 2]) {
        let even = before / (before - after);
        match (before <= 0.0, after <= 0.0) {
            (true, true) => self.to = self.from,
            (true, false) => self.from = self.from.max(even),
            (false, true) => self.to = self.to.min(even),
            (false, false) => {}
        }
    }

    pub(in crate::dynamics) fn is_empty(&self) -> bool {
        self.from >= self.to
    }
}
