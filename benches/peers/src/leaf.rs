//! The tests of a single box that libraries leave to their users: the same for all, so that only their trees make a
//! difference.

use crate::peer::{Path, Plane};

/// A path prepared for slab tests.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Slab {
    start: [f32; 3],
    inverse: [f32; 3],
}

impl Slab {
    pub fn new([start, delta]: &Path) -> Self {
        Self { start: *start, inverse: delta.map(f32::recip) }
    }

    /// Where the path enters the box, 0 for a start inside; infinite if it does not by `limit`.
    #[inline(always)]
    pub fn entry(&self, min: [f32; 3], max: [f32; 3], limit: f32) -> f32 {
        let (mut enter, mut exit) = (0.0f32, limit);
        for axis in 0..3 {
            let low = (min[axis] - self.start[axis]) * self.inverse[axis];
            let high = (max[axis] - self.start[axis]) * self.inverse[axis];
            let (near, far) = if self.inverse[axis] < 0.0 { (high, low) } else { (low, high) };
            // A NaN, from a start in the plane of a face along which the path runs, is ignored.
            enter = if near > enter { near } else { enter };
            exit = if far < exit { far } else { exit };
        }
        if enter <= exit { enter } else { f32::INFINITY }
    }
}

/// The six planes, each with the corner of a box that is farthest in front of it.
#[derive(Clone, Copy, Debug)]
pub struct Frustum([(Plane, [usize; 3]); 6]);

impl Frustum {
    pub fn new(planes: &[Plane; 6]) -> Self {
        Self(planes.map(|plane| (plane, std::array::from_fn(|axis| usize::from(plane[axis] >= 0.0)))))
    }

    /// Whether the box is wholly behind one of the planes.
    #[inline(always)]
    pub fn excludes(&self, min: [f32; 3], max: [f32; 3]) -> bool {
        let corners = [min, max];
        self.0.iter().any(|(plane, corner)| {
            let term = |axis: usize| plane[axis] * corners[corner[axis]][axis];
            term(0) + term(1) + term(2) + plane[3] < 0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: [[f32; 3]; 2] = [[1.0, 1.0, 1.0], [3.0, 4.0, 6.0]];

    #[test]
    fn entry_is_where_the_box_begins_and_0_inside() {
        let entry = |start, delta, limit| Slab::new(&[start, delta]).entry(BOX[0], BOX[1], limit);
        assert_eq!(entry([-1.0, 2.0, 2.0], [4.0, 0.0, 0.0], 1.0), 0.5);
        assert_eq!(entry([5.0, 2.0, 2.0], [-4.0, 0.0, 0.0], 1.0), 0.5);
        assert_eq!(entry([2.0, 2.0, 2.0], [-4.0, 0.0, 0.0], 1.0), 0.0);
        assert_eq!(entry([-1.0, 2.0, 2.0], [4.0, 0.0, 0.0], 0.25), f32::INFINITY);
        assert_eq!(entry([-1.0, 5.0, 2.0], [4.0, 0.0, 0.0], 1.0), f32::INFINITY);
    }

    #[test]
    fn a_frustum_excludes_what_lies_wholly_behind_a_plane() {
        let planes = |d: f32| [[1.0, 0.0, 0.0, d]; 6];
        assert!(Frustum::new(&planes(-3.5)).excludes(BOX[0], BOX[1]));
        assert!(!Frustum::new(&planes(-3.0)).excludes(BOX[0], BOX[1]));
    }
}
