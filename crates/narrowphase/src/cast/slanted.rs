//! Whether a path may cross a triangle: tested in `f32`, all three edges at once, and never wrong when the answer is
//! no.
//!
//! Projected along the path, onto the plane perpendicular to the axis on which the path is longest, the corners are
//! points in a plane, and the path is the origin. The path misses a triangle if the determinants of the triangle's
//! edges have different signs:
//!
//! ```text
//!   x' = x − sx · z,   y' = y − sy · z                corners from the path's start
//!   u = a'x · b'y − a'y · b'x,   v = …,   w = …       a sure miss: one below −E, one above E
//! ```
//! Let `m` be no less than all coordinates of an edge's ends relative to the start, and `r` no less than their `x'` and
//! `y'`. Then `x'` and `y'` err by less than `2^-21 m`, and the determinant by less than `E = 2^-18 m r`.
//!
//! Source: Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2.1 (2013), for the projection.

use super::Path;
use crate::arrays::Mapped;
use glam::{Vec3, Vec4, Vec4Swizzles};

/// No determinant errs by as much as this share of `m · r`.
pub(super) const ERROR: f32 = 1.0 / (1u32 << 18) as f32;

/// More than underflow can change.
pub(super) const TINY: f32 = 1.0e-40;

/// A path prepared for tests against triangles: projected along its longest axis.
///
/// ```
/// use cullide_narrowphase::{Segment, SlantedPath, glam::Vec3};
/// let path = Segment::new(Vec3::new(2.0, 2.0, 1.0), Vec3::Z * -2.0)?.path();
/// let slanted = SlantedPath::new(&path).unwrap();
/// assert!(slanted.may_cross([&Vec3::ZERO, &(Vec3::X * 9.0), &(Vec3::Y * 9.0)]));
/// assert!(!slanted.may_cross([&Vec3::ZERO, &Vec3::X, &Vec3::Y]));
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SlantedPath {
    /// The two axes across and, last, the one along.
    pub(super) axes: [usize; 3],
    /// Where it starts, by axis in that order, in all lanes: a load as wide as the store need not wait for it.
    pub(super) origin: [Vec4; 3],
    /// How far it moves across per unit along, likewise.
    pub(super) slant: [Vec4; 2],
}

impl SlantedPath {
    /// Prepares a path; `None` for one of zero length.
    #[inline]
    pub fn new(path: &Path) -> Option<Self> {
        let (origin, delta) = (path.origin.as_vec3(), path.delta.as_vec3());
        let axes = axes(delta);
        let [across, other, along] = axes.mapped(|axis| delta[axis]);
        let slant = [across / along, other / along].mapped(Vec4::splat);
        (along != 0.0).then(|| Self { axes, origin: axes.mapped(|axis| Vec4::splat(origin[axis])), slant })
    }

    /// Returns whether the path, whatever its length, may cross the triangle with these corners: `false` only where it
    /// certainly does not.
    #[inline]
    pub fn may_cross(&self, corners: [&Vec3; 3]) -> bool {
        let [a, b, c]: [&[f32; 3]; 3] = corners.mapped(|corner| corner.as_ref());
        // The first corner is repeated, so that each has a next one.
        let from_start = |i: usize| {
            // Axes are below 3; this saves a bounds check for each.
            let axis = self.axes[i].min(2);
            Vec4::new(a[axis], b[axis], c[axis], a[axis]) - self.origin[i]
        };
        let (x, y, z) = (from_start(0), from_start(1), from_start(2));
        let (u, v) = (x - self.slant[0] * z, y - self.slant[1] * z);
        let size = x.abs().max(y.abs()).max(z.abs());
        let reach = u.abs().max(v.abs());
        let turn = u * v.yzxy() - v * u.yzxy();
        let error = Vec4::splat(ERROR) * size.max(size.yzxy()) * reach.max(reach.yzxy()) + Vec4::splat(TINY);
        // No `&&`: the second branch would be mispredicted as often as the first.
        !(turn.cmplt(-error).any() & turn.cmpgt(error).any())
    }
}

/// The two axes across a motion and, last, the one along which it is longest.
#[inline(always)]
pub(super) fn axes(delta: Vec3) -> [usize; 3] {
    let size = delta.abs();
    if size.x >= size.y.max(size.z) {
        [1, 2, 0]
    } else if size.y >= size.z {
        [2, 0, 1]
    } else {
        [0, 1, 2]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Cast, Segment, Triangle};
    use cullide_scenes::{Rng, SEED};

    /// A point of a scene with its own scale and place for each round; in every third round it is on a grid.
    pub(crate) fn random_point(rng: &mut Rng, round: u32, size: f32) -> Vec3 {
        let scale = [1.0, 1e-30, 1e6, 1.0][round as usize % 4];
        let far = if round % 8 < 4 { Vec3::ZERO } else { Vec3::splat(100.0 * scale) };
        let is_grid = round.is_multiple_of(3);
        let one = |rng: &mut Rng| if is_grid { f32::from(rng.i8(-3..=3)) } else { 6.0 * rng.f32() - 3.0 };
        Vec3::new(one(rng), one(rng), one(rng)) * (size * scale) + far
    }

    #[test]
    fn what_is_crossed_is_never_missed_and_most_of_the_rest_is() {
        let mut rng = Rng::with_seed(SEED);
        let (mut crossed, mut kept, mut all) = (0, 0, 0);
        for round in 0..320_000u32 {
            let mut point = |size: f32| random_point(&mut rng, round, size);
            let path = Segment::between(point(3.0), point(1.0)).unwrap().path();
            let Some(slanted) = SlantedPath::new(&path) else { continue };
            let [a, b, c] = [point(1.0), point(1.0), point(1.0)];
            let is_kept = slanted.may_cross([&a, &b, &c]);
            let is_crossed = Triangle::new(a, b, c).is_ok_and(|triangle| triangle.is_crossed(&path));
            assert!(!is_crossed || is_kept, "{path:?} {a} {b} {c}");
            (crossed, kept, all) = (crossed + u32::from(is_crossed), kept + u32::from(is_kept), all + 1);
        }
        assert!(crossed > 1000 && kept < all / 2, "{crossed} crossed, {kept} of {all} kept");
    }
}
