//! The leaves near a point, nearest first.

use super::overlap::distance_squared;
use crate::{
    Leaf,
    lanes::{Keys, Simd, at_most, distances, f32x16, keys, splat, vectorized_512},
    node::Rows,
    traverse::{Visit, Visitor, searched_by_field, traverse},
    tree::Bvh,
};
use cullide_narrowphase::glam::Vec3;
use std::ops::ControlFlow;

/// The squared distance errs by up to five roundings; subtracting eight makes it a lower bound.
const SHRINK: f32 = 1.0 - 4.0 * f32::EPSILON;

impl Bvh {
    /// Calls `visit` for the leaves with a layer in `mask` within `max_distance` of `point`, roughly nearest first,
    /// with a lower bound on the distance from the point to the leaf's box. [`Visit::Within`] narrows the search as the
    /// caller finds what it wants: for the k nearest, answer with the distance of the k-th nearest so far.
    ///
    /// A leaf within the distance is never left out; a leaf beyond it by a few roundings may be shown. Squares of
    /// distances must be representable: distances below 2^-63 count as 0, and distances beyond 2^63 are not
    /// distinguished. Nothing is visited if the point is not finite, or the distance is negative or NaN.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Visit, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X * 9.0, Vec3::X * 9.0)?, Aabb::new(Vec3::X * 3.0, Vec3::X * 4.0)?]);
    /// let mut nearest = None;
    /// tree.nearest(Vec3::ZERO, f32::INFINITY, ALL, |leaf, _| {
    ///     let distance = tree.aabb(leaf).unwrap().min().x;
    ///     if nearest.is_none_or(|(best, _)| distance < best) {
    ///         nearest = Some((distance, leaf.index()));
    ///     }
    ///     Visit::Within(nearest.unwrap().0)
    /// });
    /// assert_eq!(nearest, Some((3.0, 1)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn nearest(&self, point: Vec3, max_distance: f32, mask: u32, mut visit: impl FnMut(Leaf, f32) -> Visit) {
        self.nearest_in(point, max_distance, mask, &mut visit);
    }

    fn nearest_in(&self, point: Vec3, max_distance: f32, mask: u32, visit: &mut dyn FnMut(Leaf, f32) -> Visit) {
        if max_distance >= 0.0 && point.is_finite() {
            let mut visitor = NearestVisitor { search: NearestSearch::new(point, max_distance), visit };
            vectorized_512!(self.level, simd => traverse(simd, self, mask, &mut visitor));
        }
    }
}

/// An upper bound on the square, including what underflow may lose; infinite whenever the computed square of any
/// distance up to this one may be.
fn squared(distance: f32) -> f32 {
    distance * distance * (1.0 + 8.0 * f32::EPSILON) + f32::MIN_POSITIVE
}

/// A lower bound on the distance, from its computed square, which must have been shrunk already.
fn lower_bound(square: f32) -> f32 {
    (square.min(f32::MAX) - f32::MIN_POSITIVE).max(0.0).sqrt() * SHRINK
}

/// The state of every visitor that searches around a point.
pub(crate) struct NearestSearch {
    point: Vec3,
    /// An upper bound on the square of the distance that still matters.
    limit: f32,
}

impl NearestSearch {
    #[inline(always)]
    pub(crate) fn new(point: Vec3, max_distance: f32) -> Self {
        Self { point, limit: squared(max_distance) }
    }

    /// The boxes, of sixteen, that are within the limit, one bit each, and keys in the order of their distances.
    #[inline(always)]
    pub(crate) fn test<S: Simd>(&self, simd: S, boxes: &impl Rows) -> (u32, Keys<S>) {
        self.keyed(simd, distance_squared(simd, boxes, self.point))
    }

    /// The same for squared distances that err by at most five roundings.
    #[inline(always)]
    pub(super) fn keyed<S: Simd>(&self, simd: S, squares: f32x16<S>) -> (u32, Keys<S>) {
        let distances = squares * splat(simd, SHRINK);
        (at_most(distances, splat(simd, self.limit)), keys(distances))
    }

    /// Keys in the order of the distances to the centers of the boxes; above any limit where there is no box.
    #[inline(always)]
    pub(crate) fn squares_to_middles<S: Simd>(&self, simd: S, boxes: &impl Rows) -> Keys<S> {
        let (mut sum, rows) = (splat(simd, 0.0), boxes.rows(simd));
        for axis in 0..3 {
            let way = (rows[2 * axis] + rows[2 * axis + 1]) * splat(simd, 0.5) - splat(simd, self.point[axis]);
            sum += way * way;
        }
        keys(sum)
    }

    /// A lower bound on the distance to a box with this key.
    #[inline(always)]
    pub(crate) fn at_least(key: u32) -> f32 {
        lower_bound(f32::from_bits(key))
    }

    #[inline(always)]
    pub(crate) fn point(&self) -> Vec3 {
        self.point
    }

    /// An upper bound on the square of the distance that still matters.
    #[inline(always)]
    pub(crate) fn limit(&self) -> f32 {
        self.limit
    }

    /// Limits the search to this distance.
    #[inline(always)]
    pub(crate) fn go_within(&mut self, distance: f32) {
        self.limit = self.limit.min(squared(distance));
    }

    /// Applies the answer to a visit.
    #[inline(always)]
    pub(crate) fn heed(&mut self, answer: Visit) -> ControlFlow<()> {
        match answer {
            Visit::Continue => ControlFlow::Continue(()),
            Visit::Within(distance) => {
                self.go_within(distance);
                ControlFlow::Continue(())
            }
            Visit::Stop => {
                self.limit = f32::NEG_INFINITY;
                ControlFlow::Break(())
            }
        }
    }

    #[inline(always)]
    pub(crate) fn is_culled(&self, key: u32) -> bool {
        f32::from_bits(key) > self.limit
    }

    #[inline(always)]
    pub(crate) fn live_lanes<S: Simd>(&self, simd: S, keys: Keys<S>) -> u32 {
        at_most(distances(keys), splat(simd, self.limit))
    }
}

struct NearestVisitor<'a> {
    search: NearestSearch,
    visit: &'a mut dyn FnMut(Leaf, f32) -> Visit,
}

impl<S: Simd> Visitor<S> for NearestVisitor<'_> {
    searched_by_field!(S);

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, key: u32) -> ControlFlow<()> {
        self.search.heed((self.visit)(leaf, NearestSearch::at_least(key)))
    }
}
