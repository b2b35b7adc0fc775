//! Between which times triangles may be touched, according to all axes together.

use crate::{TriangleColumns, simd::Simd};
use fearless_simd::{f32x8, prelude::*};

/// Between which times triangles may be touched, according to all axes so far.
pub(super) struct Times<S: Simd> {
    pub(super) enter: f32x8<S>,
    exit: f32x8<S>,
    apart: u32,
}

impl<S: Simd> Times<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, until: f32) -> Self {
        Self { enter: f32x8::splat(simd, 0.0), exit: f32x8::splat(simd, until.min(1.0)), apart: 0 }
    }

    /// Adds an axis along which the body's centre is between two heights when the two meet, and moves by `way`.
    #[inline(always)]
    pub(super) fn meet(&mut self, low: f32x8<S>, high: f32x8<S>, way: f32x8<S>) {
        let zero = f32x8::splat(way.simd, 0.0);
        // Never a negative zero, whose reciprocal would have the wrong sign.
        let way = way + zero;
        let rises = way.simd_ge(zero);
        // NaN takes no part. Times err by one rounding more than quotients, which the margin allows for.
        let rate = f32x8::splat(way.simd, 1.0) / way;
        let (enter, exit) = (rises.select(low, high) * rate, rises.select(high, low) * rate);
        self.enter = enter.simd_gt(self.enter).select(enter, self.enter);
        self.exit = exit.simd_lt(self.exit).select(exit, self.exit);
    }

    /// The same for an axis across the motion.
    #[inline(always)]
    pub(super) fn stay(&mut self, low: f32x8<S>, high: f32x8<S>) {
        let zero = f32x8::splat(low.simd, 0.0);
        self.apart |= (low.simd_gt(zero).to_bitmask() | high.simd_lt(zero).to_bitmask()) as u32;
    }

    #[inline(always)]
    pub(super) fn told(&self) -> (u32, f32x8<S>) {
        (self.apart | self.enter.simd_gt(self.exit).to_bitmask() as u32, self.enter)
    }
}

/// Which of up to sixteen triangles a body may touch on its way.
///
/// ```
/// # use cullide_narrowphase::{BodyWay, Sphere, SphereSweep, TriangleColumns, glam::Vec3};
/// let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0)?, Vec3::X * 8.0)?;
/// let wall = |x: f32| [Vec3::new(x, -4.0, -4.0), Vec3::new(x, 4.0, -4.0), Vec3::new(x, 0.0, 4.0)];
/// let touches = BodyWay::from(&ball).touches(&TriangleColumns::new([wall(5.0), wall(-5.0)]), 1.0);
/// // One after the other; the first is touched before half of the way is over.
/// let mut first = touches;
/// assert_eq!(first.next_within(0.5), Some(0));
/// assert_ne!(first.next_within(0.5), Some(0));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touches {
    /// A bit for each triangle that it may touch.
    pub(super) lanes: u32,
    /// A time before which each of these is not touched; for those that it may overlap at the start, a depth that is no
    /// less than the true one, with its sign turned.
    pub(super) at_least: [f32; TriangleColumns::MAX],
}

impl Touches {
    /// Calls `visit` with the place of each triangle that may be touched up to the time `until`, and a time before
    /// which it is not; or with a depth, its sign turned, as [`BodyWay::touches`](crate::BodyWay::touches) reports it.
    ///
    /// ```
    /// # use cullide_narrowphase::{BodyWay, Sphere, SphereSweep, TriangleColumns, glam::Vec3};
    /// let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0)?, Vec3::X * 8.0)?;
    /// let wall = [Vec3::new(5.0, -4.0, -4.0), Vec3::new(5.0, 4.0, -4.0), Vec3::new(5.0, 0.0, 4.0)];
    /// let touches = BodyWay::from(&ball).touches(&TriangleColumns::new([wall]), 1.0);
    /// touches.each_within(1.0, |place, at_least| assert!(place == 0 && at_least <= 0.5));
    /// touches.each_within(0.25, |place, _| unreachable!("{place} is touched later"));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn each_within(&self, until: f32, mut visit: impl FnMut(usize, f32)) {
        let mut rest = self.lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % TriangleColumns::MAX;
            rest &= rest - 1;
            if self.at_least[lane] <= until {
                visit(lane, self.at_least[lane]);
            }
        }
    }

    /// Removes and returns the triangle that may be touched first, or in which the body may be deepest at the start;
    /// `None` if that comes after `until`, a time or a depth with its sign turned.
    #[inline]
    pub fn next_within(&mut self, until: f32) -> Option<usize> {
        let (mut first, mut least, mut rest) = (None, until, self.lanes);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % TriangleColumns::MAX;
            rest &= rest - 1;
            if self.at_least[lane] <= least && (first.is_none() || self.at_least[lane] < least) {
                (first, least) = (Some(lane), self.at_least[lane]);
            }
        }
        if let Some(lane) = first {
            self.lanes &= !(1 << lane);
        }
        first
    }
}
