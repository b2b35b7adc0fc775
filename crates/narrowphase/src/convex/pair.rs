//! Two cores, and their difference `M`: all vectors from a point of the first to one of the second. The first touches
//! the second after moving by `x` iff `x` lies in `M`, so that all queries ask where a point or a line meets `M`.
//!
//! `M` is never built. Its farthest point along `n` is that of the second less that of the first along `-n`. With `h`,
//! how far it reaches along `n`, every `n` bounds `M` by the half-space `n · w <= h`, however `n` was found.

use super::{ConvexCore, core::NO_VERTEX, simplex::Simplex};
use crate::{
    arrays::Mapped,
    exact::{
        ROUNDING,
        lines::{cross, dot},
        orientation::unrounded_triple,
        predicate::{Exact, exact_sum},
    },
    lists::Listed,
};
use arrayvec::ArrayVec;
use glam::DVec3;
use std::cmp::Ordering;

/// What a round core's slack is relative to the coordinates, 2^-28: its faces are approached, and each bit takes about
/// half a step.
const ROUND_SLACK: f64 = 1.0 / (1u64 << 28) as f64;

/// Two cores.
#[derive(Clone, Copy)]
pub(super) struct CorePair<'a> {
    pub(super) a: &'a ConvexCore,
    pub(super) b: &'a ConvexCore,
    /// The sum of what both may have as coordinates.
    pub(super) reach: DVec3,
    pub(super) is_round: bool,
}

/// A point of the difference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SupportPoint {
    pub(super) w: DVec3,
    /// The point of the first core that it comes from.
    pub(super) a: DVec3,
    /// The vertices of each that it is the difference of.
    ids: [u32; 2],
}

/// A vector as an exact sum: a vertex of the difference is two, the way between two of them four.
pub(super) type Terms = ArrayVec<DVec3, 4>;

impl<'a> CorePair<'a> {
    pub(super) fn new(a: &'a ConvexCore, b: &'a ConvexCore) -> Self {
        Self { a, b, reach: a.reach + b.reach, is_round: a.is_round() || b.is_round() }
    }

    /// The point farthest along `n`.
    #[inline]
    pub(super) fn farthest(&self, n: DVec3) -> SupportPoint {
        if self.is_round {
            return self.farthest_of_round(n);
        }
        self.vertex(self.a.farthest_index(-n), self.b.farthest_index(n))
    }

    #[inline(never)]
    fn farthest_of_round(&self, n: DVec3) -> SupportPoint {
        let ((a, i), (b, j)) = (self.a.farthest(-n), self.b.farthest(n));
        SupportPoint { w: b - a, a, ids: [i, j] }
    }

    #[inline]
    fn vertex(&self, i: u32, j: u32) -> SupportPoint {
        let a = self.a.vertex(i);
        SupportPoint { w: self.b.vertex(j) - a, a, ids: [i, j] }
    }

    /// A point well inside, which is no vertex.
    pub(super) fn center(&self) -> SupportPoint {
        SupportPoint { w: self.b.center - self.a.center, a: self.a.center, ids: [NO_VERTEX; 2] }
    }

    pub(super) fn is_vertex(&self, point: &SupportPoint) -> bool {
        !point.ids.contains(&NO_VERTEX)
    }

    /// A bound on the rounding of `n · w`, and on how much farther than the farthest point found another may lie.
    #[inline]
    pub(super) fn error(&self, n: DVec3) -> f64 {
        if self.is_round {
            2.0 * (self.a.error(n) + self.b.error(n))
        } else {
            12.0 * ROUNDING * n.abs().dot(self.reach)
        }
    }

    /// Within how much of a face's plane a point counts as lying in it.
    #[inline]
    pub(super) fn slack(&self, n: DVec3) -> f64 {
        if self.is_round { ROUND_SLACK * n.abs().dot(self.reach) } else { self.error(n) }
    }

    /// A vertex of the difference as an exact sum.
    pub(super) fn terms(&self, point: &SupportPoint) -> Terms {
        match point.ids {
            [NO_VERTEX, _] | [_, NO_VERTEX] => [point.w].into_iter().collect(),
            [i, j] => [self.b.vertex(j), -self.a.vertex(i)].into_iter().collect(),
        }
    }

    /// The same vertices as in another pair of the same cores, at another place; `None` if not all are vertices.
    pub(super) fn again(&self, simplex: &Simplex) -> Option<Simplex> {
        let mut simplex = *simplex;
        for point in simplex.points_mut() {
            let [i, j] = self.is_vertex(point).then_some(point.ids)?;
            *point = self.vertex(i, j);
        }
        Some(simplex)
    }

    /// The exact vector from one point to another.
    pub(super) fn way(&self, from: &SupportPoint, to: &SupportPoint) -> Terms {
        let mut terms = self.terms(to);
        terms.extend(self.terms(from).into_iter().map(|term| -term));
        terms
    }

    /// The vector from one point to another, without the rounding of either.
    pub(super) fn precise_way(&self, from: &SupportPoint, to: &SupportPoint) -> DVec3 {
        match (from.ids, to.ids) {
            ([i, j], [k, l]) if self.is_vertex(from) && self.is_vertex(to) => {
                (self.b.vertex(l) - self.b.vertex(j)) - (self.a.vertex(k) - self.a.vertex(i))
            }
            _ => to.w - from.w,
        }
    }

    /// The point that is exactly the farthest along `u × v`, which `n` is up to rounding; for a round core, that along
    /// `n`.
    #[cold]
    pub(super) fn exactly_farthest(&self, n: DVec3, u: &[DVec3], v: &[DVec3]) -> SupportPoint {
        if self.is_round {
            return self.farthest(n);
        }
        let i = exactly_farthest(self.a, -n, |way| sign_of_triple(way, v, u));
        let j = exactly_farthest(self.b, n, |way| sign_of_triple(way, u, v));
        self.vertex(i, j)
    }
}

/// The vertex farthest along a direction that `n` is up to rounding, given the exact sign along it of the way from one
/// vertex to another.
fn exactly_farthest(core: &ConvexCore, n: DVec3, sign: impl Fn(&[DVec3]) -> Ordering) -> u32 {
    let (vertex, mut best) = core.farthest(n);
    let least = vertex.dot(n) - 4.0 * core.error(n);
    for (i, vertex) in core.vertices().enumerate() {
        if vertex.dot(n) >= least && sign(&[vertex, -core.vertex(best)]) == Ordering::Greater {
            best = i as u32;
        }
    }
    best
}

/// The sign of `a · (b × c)` for three sums of vectors, exact.
pub(super) fn sign_of_triple(a: &[DVec3], b: &[DVec3], c: &[DVec3]) -> Ordering {
    let sum = |terms: &[DVec3]| {
        let along = |axis: usize| exact_sum(terms.iter().map(|term| term[axis]));
        Some(DVec3::new(along(0)?, along(1)?, along(2)?))
    };
    if let (Some(a), Some(b), Some(c)) = (sum(a), sum(b), sum(c))
        && let Some(value) = unrounded_triple(a, b, c)
    {
        return value.total_cmp(&0.0);
    }
    dot(&exact(a), &cross(&exact(b), &exact(c))).sign()
}

/// A sum of vectors as exact coordinates.
pub(super) fn exact(terms: &[DVec3]) -> [Exact; 3] {
    [0, 1, 2].mapped(|axis| Exact::sum(&terms.iter().map(|term| term[axis]).listed::<[f64; 64]>()).compact())
}
