//! The points of a manifold, seen along its normal, and which four of them to keep.

use crate::arrays::Mapped;
use arrayvec::ArrayVec;

/// A point of the piece that two faces share.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Candidate {
    /// Coordinates across the normal.
    pub(super) u: f32,
    pub(super) v: f32,
    pub(super) separation: f32,
    pub(super) feature: u32,
}

/// Two convex polygons of four corners share one of at most eight; rounding may add some.
const MOST: usize = 16;

/// Points no farther apart than a margin.
pub(super) struct Candidates {
    points: [Candidate; MOST],
    count: usize,
    margin: f32,
}

impl Candidates {
    #[inline]
    pub(super) fn new(margin: f32) -> Self {
        Self { points: [Candidate::default(); MOST], count: 0, margin }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[Candidate] {
        &self.points[..self.count]
    }

    /// Adds a point that is near enough.
    #[inline]
    pub(super) fn push(&mut self, point: Candidate) {
        self.push_if(true, point);
    }

    /// The same if `counts` holds: without a branch, which would be as good as random.
    #[inline]
    pub(super) fn push_if(&mut self, counts: bool, point: Candidate) {
        if let Some(place) = self.points.get_mut(self.count) {
            *place = point;
            self.count += usize::from(counts & (point.separation <= self.margin));
        }
    }
}

/// Picks the deepest point, the one farthest from it, the one farthest from the line between the two, and the one that
/// adds most to their triangle: together they extend about as far as all. Points that are within `level` of the deepest
/// count as equally deep: the first pick among these is the farthest in a direction that no rectangle has, so that
/// noise does not pick another one every step. Points of the same feature count once. `room` holds the four if there
/// are more than four points.
#[inline]
pub(super) fn four_of<'a>(
    points: &'a [Candidate],
    level: f32,
    room: &'a mut ArrayVec<Candidate, 4>,
) -> &'a [Candidate] {
    if points.len() <= 4 {
        return points;
    }
    *room = reduced(points, level);
    room
}

fn reduced(points: &[Candidate], level: f32) -> ArrayVec<Candidate, 4> {
    let least = points.iter().map(|point| point.separation).fold(f32::INFINITY, f32::min);
    let is_deep = |p: &Candidate| p.separation - least <= level;
    let a = best(points, |p| if is_deep(p) { p.u + 0.3 * p.v } else { f32::NEG_INFINITY });
    let b = best(points, |p| (p.u - a.u) * (p.u - a.u) + (p.v - a.v) * (p.v - a.v));
    let turn = |a: Candidate, b: Candidate, p: &Candidate| (b.u - a.u) * (p.v - a.v) - (b.v - a.v) * (p.u - a.u);
    let c = best(points, |p| turn(a, b, p).abs());
    let outward = if turn(a, b, &c) < 0.0 { 1.0 } else { -1.0 };
    let beyond = |p: &Candidate| [(a, b), (b, c), (c, a)].mapped(|(a, b)| outward * turn(a, b, p));
    let d = best(points, |p| beyond(p).into_iter().fold(f32::NEG_INFINITY, f32::max));
    let mut kept = ArrayVec::new();
    for point in [a, b, c, d] {
        if kept.iter().all(|other: &Candidate| other.feature != point.feature) {
            kept.push(point);
        }
    }
    kept
}

/// The first of the points with the largest value.
fn best(points: &[Candidate], value: impl Fn(&Candidate) -> f32) -> Candidate {
    let (mut best, mut most) = (Candidate::default(), f32::NEG_INFINITY);
    for (i, point) in points.iter().enumerate() {
        let value = value(point);
        if value > most || i == 0 {
            (best, most) = (*point, value);
        }
    }
    best
}
