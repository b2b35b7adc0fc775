//! Testing whether a ball touches any triangle.
//!
//! ```text
//!   group near the ball ──► bounds of all its distances, in lanes ──► one is certainly near enough: the search ends
//!                                                                 ──► those not certainly too far: the caller decides
//! ```
//! The caller is asked about few triangles, as the two bounds of a distance differ by little.

use super::{TriangleBvh, distance::SquareBounds, group::TriangleGroups};
use crate::{
    ALL, Leaf, Visit,
    lanes::{Keys, Simd, at_most, each_lane, splat, vectorized},
    node::{Node, NodeIndex},
    query::NearestSearch,
    traverse::{Order, Visitor, prefetches_groups, traverse},
};
use cullide_narrowphase::glam::Vec3;
use std::ops::ControlFlow;

/// A ball, and the distances at which triangles touch it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touching {
    /// The center.
    pub center: Vec3,
    /// A triangle that is no farther from the center than this touches the ball; if negative, none is certain to.
    pub certain: f32,
    /// A triangle that is farther from the center than this does not touch the ball.
    pub possible: f32,
    /// Slivers, and triangles of which the squares of two edges add up to less than the square of this, are left to the
    /// caller to test, unless their boxes are too far.
    pub shortest: f32,
}

impl TriangleBvh {
    /// Returns whether a ball touches any triangle. `touches` decides, by their corners, for triangles whose distance
    /// does not decide it. A ball with a NaN in `center` or `possible` touches nothing.
    ///
    /// ```
    /// # use cullide_bvh::{Touching, TriangleBvh, narrowphase::glam::Vec3};
    /// let tree = TriangleBvh::build(&[Vec3::ZERO, Vec3::Y, Vec3::Z], &[[0, 1, 2]], &[0]);
    /// let ball = |x: f32| Touching { center: Vec3::X * x, certain: 0.999, possible: 1.001, shortest: 0.0 };
    /// assert!(tree.touches_ball(&ball(0.9), |_| unreachable!()) && !tree.touches_ball(&ball(1.1), |_| unreachable!()));
    /// assert!(tree.touches_ball(&ball(1.0), |corners| corners[2] == Vec3::Z));
    /// ```
    pub fn touches_ball(&self, ball: &Touching, mut touches: impl FnMut(&[Vec3; 3]) -> bool) -> bool {
        self.touches_ball_in(ball, &mut touches)
    }

    fn touches_ball_in(&self, ball: &Touching, touches: &mut dyn FnMut(&[Vec3; 3]) -> bool) -> bool {
        if !(ball.possible >= 0.0 && ball.center.is_finite()) {
            return false;
        }
        let search = NearestSearch::new(ball.center, ball.possible);
        let certain = square_below(ball.certain);
        vectorized!(self.tree.level, simd => {
            let groups = &self.groups;
            let mut visitor = GroupsTouched { simd, search, certain, ball, groups, touches, found: false };
            traverse(simd, &self.tree, ALL, &mut visitor);
            visitor.found
        }, else self.touches_ball_by_boxes(ball, touches))
    }

    /// The same using only the boxes of groups.
    fn touches_ball_by_boxes(&self, ball: &Touching, touches: &mut dyn FnMut(&[Vec3; 3]) -> bool) -> bool {
        let mut found = false;
        self.tree.nearest(ball.center, ball.possible, ALL, |leaf, _| {
            let group = leaf.index();
            found = (0..self.groups.numbers(group).len()).any(|lane| touches(&self.groups.corners_of(group, lane)));
            if found { Visit::Stop } else { Visit::Continue }
        });
        found
    }
}

/// A lower bound on the square; negative for a negative distance.
fn square_below(distance: f32) -> f32 {
    distance.abs() * distance * (1.0 - 8.0 * f32::EPSILON) - f32::MIN_POSITIVE
}

/// Searches for a triangle that is touched.
struct GroupsTouched<'a, S: Simd> {
    simd: S,
    search: NearestSearch,
    /// The square of the distance within which a triangle certainly touches.
    certain: f32,
    ball: &'a Touching,
    groups: &'a TriangleGroups,
    touches: &'a mut dyn FnMut(&[Vec3; 3]) -> bool,
    found: bool,
}

impl<S: Simd> Visitor<S> for GroupsTouched<'_, S> {
    const ORDER: Order = Order::Unkeyed;

    #[inline(always)]
    fn test_children(&mut self, simd: S, _: NodeIndex, node: &Node, _key: u32) -> (u32, Keys<S>) {
        self.search.test(simd, node)
    }

    prefetches_groups!();

    #[inline(always)]
    fn visit_leaf(&mut self, leaf: Leaf, _key: u32) -> ControlFlow<()> {
        let (simd, group, lanes) = (self.simd, leaf.index(), self.groups.lanes(leaf.index()));
        let corners = self.groups.corners(simd, group, [0, 1, 2]);
        let bounds = SquareBounds::new(simd, &corners.columns, self.ball.center, self.ball.shortest);
        let known = lanes & bounds.known;
        self.found = known & at_most(bounds.high, splat(simd, self.certain)) != 0;
        if self.found {
            return ControlFlow::Break(());
        }
        let mut asked = known & bounds.within(simd, self.search.limit());
        if known != lanes {
            asked |= lanes & !known & self.search.test(simd, &corners.boxes()).0;
        }
        self.found = each_lane(asked).any(|lane| (self.touches)(&self.groups.corners_of(group, lane)));
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instructions;
    use cullide_narrowphase::{Solid, Sphere, Triangle};

    #[test]
    fn a_ball_touches_what_some_triangle_says_and_few_are_asked() {
        // Integers, with many at the same distance from a centre and many slivers; and other numbers.
        let mut state = 23u32;
        let mut number = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 12) % below) as f32
        };
        let (mut touched, mut apart, mut asked, mut asked_of_slivers, mut asked_by_boxes) = (0, 0, 0, 0, 0);
        for case in 0..60 {
            let (scale, has_slivers) = ([1.0, 1e-3, 0.37, 1e6, 1e-12][case % 5], case % 2 == 0);
            let mut point = |size: u32| scale * Vec3::from([(); 3].map(|()| number(size)));
            let mut vertices = vec![];
            while vertices.len() < 900 {
                let a = point(60);
                let [b, c] = [a + point(9), a + point(9)];
                let c = if has_slivers && vertices.len() % 4 == 0 { b + (b - a) * 0.5 + c * 1e-4 } else { c };
                vertices.extend(Triangle::new(a, b, c).map_or(vec![], |_| vec![a, b, c]));
            }
            let triangles: Vec<[u32; 3]> = (0..300).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let numbers: Vec<u32> = (0..300).collect();
            let mut tree = TriangleBvh::build(&vertices, &triangles, &numbers);
            for _ in 0..100 {
                let (center, radius) = (point(69), point(8).x);
                let ball = Sphere::new(center, radius).unwrap();
                let touches = |corners: &[Vec3; 3]| Triangle::try_from(*corners).unwrap().overlaps_sphere(&ball);
                let expected = vertices.chunks_exact(3).any(|corners| touches(corners.try_into().unwrap()));
                for level in Instructions::EVERY.into_iter().filter_map(Instructions::level) {
                    tree.tree.level = level;
                    let [certain, possible] = [radius * 0.999_999, radius * 1.000_001];
                    let asks = match level.is_fallback() {
                        // With boxes.
                        true => &mut asked_by_boxes,
                        false if has_slivers => &mut asked_of_slivers,
                        false => &mut asked,
                    };
                    let found = tree.touches_ball(&Touching { center, certain, possible, shortest: 0.0 }, |corners| {
                        *asks += 1;
                        touches(corners)
                    });
                    assert_eq!(found, expected, "{ball:?} {level:?}");
                }
                *if expected { &mut touched } else { &mut apart } += 1;
            }
        }
        assert!(touched > 1000 && apart > 1000 && asked > 100 && asked_of_slivers > 100, "{touched} {apart} {asked}");
        // Each of three instruction sets asks the same number.
        assert!(asked < 3 * 3000, "{asked} {asked_by_boxes}");
    }

    #[test]
    fn a_ball_that_is_none_touches_nothing() {
        let tree = TriangleBvh::build(&[Vec3::ZERO, Vec3::Y, Vec3::Z], &[[0, 1, 2]], &[0]);
        for (x, possible) in [(f32::NAN, 1.0), (f32::INFINITY, 1.0), (0.0, f32::NAN), (0.0, -1.0)] {
            let ball = Touching { center: Vec3::X * x, certain: 1.0, possible, shortest: 0.0 };
            assert!(!tree.touches_ball(&ball, |_| true));
        }
    }
}
