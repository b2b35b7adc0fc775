//! The incident face of one solid, clipped by the sides of the reference face of another.
//!
//! Source: Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974.

use super::{
    cache::PointFeature,
    solid::{FacePlane, PairSolid},
};
use crate::lists::Listed;
use glam::DVec3;
use smallvec::SmallVec;

/// What a corner of the shared piece comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CornerOrigin {
    /// A vertex of the incident face, by its number.
    Incident(u32),
    /// A vertex of the reference face.
    Reference(u32),
    /// A side of the reference face and one of the incident face, each given by the vertex at which it starts.
    Sides(u32, u32),
}

impl CornerOrigin {
    /// The feature of the manifold that the corner is, if the reference face is one of the first shape, or of the second.
    pub(super) fn feature(self, is_first: bool) -> PointFeature {
        match (self, is_first) {
            (Self::Incident(vertex), true) | (Self::Reference(vertex), false) => PointFeature::VertexOfSecond(vertex),
            (Self::Incident(vertex), false) | (Self::Reference(vertex), true) => PointFeature::VertexOfFirst(vertex),
            (Self::Sides(ours, theirs), true) | (Self::Sides(theirs, ours), false) => PointFeature::Edges(ours, theirs),
        }
    }
}

/// A corner, in order around the piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceCorner {
    pub(super) at: DVec3,
    pub(super) origin: CornerOrigin,
    /// The side from here to the next corner.
    side: PieceSide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceSide {
    Incident(u32),
    Reference(u32),
}

pub(super) type Piece = SmallVec<[PieceCorner; 12]>;

/// The part of the incident face above the reference face, which is enlarged by `flush`.
pub(super) fn clip(
    incident: (&PairSolid, usize),
    reference: (&PairSolid, usize),
    face: &FacePlane,
    flush: f64,
) -> Piece {
    let corners = |(solid, number): (&PairSolid, usize)| -> NumberedOutline {
        solid.corners(number).into_iter().map(|vertex| (solid.vertices()[vertex], vertex as u32)).listed()
    };
    clip_outlines(&corners(incident), &corners(reference), face.normal, flush)
}

/// The corners of a convex polygon with their numbers, counter-clockwise as seen from outside.
pub(super) type NumberedOutline = SmallVec<[(DVec3, u32); 8]>;

/// The same for two polygons: the part of one above the other, which has this normal.
pub(super) fn clip_outlines(
    incident: &NumberedOutline,
    reference: &NumberedOutline,
    normal: DVec3,
    flush: f64,
) -> Piece {
    let corner = |&(at, number): &(DVec3, u32)| PieceCorner {
        at,
        origin: CornerOrigin::Incident(number),
        side: PieceSide::Incident(number),
    };
    let mut piece: Piece = incident.iter().map(corner).listed();
    for (i, &(start, number)) in reference.iter().enumerate() {
        let (end, _) = reference[(i + 1) % reference.len()];
        let outward = (end - start).cross(normal);
        let room = flush * outward.length();
        piece = cut(&piece, number, |p| outward.dot(p - start) - room);
    }
    piece
}

/// The part of a piece where `height` is not above zero.
fn cut(piece: &Piece, side: u32, height: impl Fn(DVec3) -> f64) -> Piece {
    let mut kept = Piece::new();
    for i in 0..piece.len() {
        let (p, q) = (piece[i], piece[(i + 1) % piece.len()]);
        let (above_p, above_q) = (height(p.at), height(q.at));
        if above_p <= 0.0 {
            kept.push(p);
        }
        if (above_p <= 0.0) == (above_q <= 0.0) {
            continue;
        }
        let at = p.at + (q.at - p.at) * (above_p / (above_p - above_q));
        let origin = match p.side {
            PieceSide::Incident(other) => CornerOrigin::Sides(side, other),
            // The piece runs clockwise. It either comes in along the previous side, at whose end this one starts, or
            // goes out along the first side, past the last one.
            PieceSide::Reference(other) => CornerOrigin::Reference(if above_p <= 0.0 { other } else { side }),
        };
        if above_p <= 0.0 {
            if above_p < 0.0 {
                kept.push(PieceCorner { at, origin, side: PieceSide::Reference(side) });
            } else if let Some(last) = kept.last_mut() {
                last.side = PieceSide::Reference(side);
            }
        } else if above_q < 0.0 {
            kept.push(PieceCorner { at, origin, side: p.side });
        }
    }
    kept
}
