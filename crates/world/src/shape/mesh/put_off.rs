//! Triangles on a body's path whose exact test is deferred, each with a time before which it is not touched. They are
//! tested in the order of these times, each only after everything that may be touched earlier, so that few are tested.

use cullide_narrowphase::{Touches, Triangle, TriangleColumns, glam::Vec3};
use smallvec::SmallVec;

/// Room for the triangles of some groups.
const ROOM: usize = 16;

/// With more than this many, searching for the first takes longer than testing them all.
const MOST: usize = 64;

#[derive(Default)]
pub(super) struct PutOff(SmallVec<[Later; ROOM]>);

/// A deferred triangle: its number and its corners.
struct Later {
    /// A lower bound on the time at which it is touched; for one that the body overlaps at the start, an upper bound on
    /// the depth, negated.
    at_least: f32,
    number: u32,
    corners: [Vec3; 3],
}

impl PutOff {
    /// Defers those of some triangles that may be touched up to `limit`.
    #[inline]
    pub(super) fn add(&mut self, touches: &Touches, limit: f32, numbers: &[u32], triangles: &TriangleColumns) {
        touches.each_within(limit, |i, at_least| {
            self.0.push(Later { at_least, number: numbers[i], corners: triangles.corners(i) });
        });
    }

    /// Calls `visit` with the triangles that may be touched up to `until`, or with all if they are too many, the
    /// deepest or earliest first; `visit` returns a new `limit`. Returns when the first of the remaining ones may be
    /// touched; infinity if there is none.
    #[inline]
    pub(super) fn ask(&mut self, until: f32, limit: &mut f32, mut visit: impl FnMut(u32, Triangle) -> f32) -> f32 {
        let until = if self.0.len() > MOST { f32::INFINITY } else { until };
        while let Some((first, at_least)) = self.first() {
            if at_least > *limit {
                self.0.clear();
                break;
            }
            if at_least > until {
                return at_least;
            }
            let Later { number, corners: [a, b, c], .. } = self.0.swap_remove(first);
            if let Ok(triangle) = Triangle::new(a, b, c) {
                *limit = visit(number, triangle);
            }
        }
        f32::INFINITY
    }

    #[inline]
    fn first(&self) -> Option<(usize, f32)> {
        let all = self.0.iter().map(|later| later.at_least).enumerate();
        all.reduce(|a, b| if b.1 < a.1 { b } else { a })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::{BodyWay, Sphere, SphereSweep};

    #[test]
    fn the_earliest_comes_first_and_none_that_comes_too_late() {
        let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0).unwrap(), Vec3::X * 8.0).unwrap();
        let wall = |x: f32| [Vec3::new(x, -4.0, -4.0), Vec3::new(x, 4.0, -4.0), Vec3::new(x, 0.0, 4.0)];
        // Touched at 0.75, 0.25, at the start, and at 0.5.
        let walls = TriangleColumns::new([wall(7.0), wall(3.0), wall(0.5), wall(5.0)]);
        let (mut put_off, mut limit, mut asked) = (PutOff::default(), 1.0, vec![]);
        put_off.add(&BodyWay::from(&ball).touches(&walls, limit), limit, &[10, 11, 12, 13], &walls);
        let mut ask = |until: f32, stop: f32, limit: &mut f32| {
            put_off.ask(until, limit, |number, triangle| {
                asked.push((number, triangle.points()[0].x));
                stop
            })
        };
        let next = ask(0.0, 1.0, &mut limit);
        assert!(next > 0.2 && next <= 0.25, "{next}");
        assert_eq!(ask(0.1, 1.0, &mut limit), next);
        // A touch at 0.6 ends it.
        assert_eq!(ask(0.6, 0.6, &mut limit), f32::INFINITY);
        assert_eq!((asked, limit), (vec![(12, 0.5), (11, 3.0), (13, 5.0)], 0.6));
    }

    #[test]
    fn too_many_do_not_wait() {
        let ball = SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0).unwrap(), Vec3::X * 8.0).unwrap();
        let wall = [Vec3::new(7.0, -4.0, -4.0), Vec3::new(7.0, 4.0, -4.0), Vec3::new(7.0, 0.0, 4.0)];
        let walls = TriangleColumns::new([wall; 4]);
        let (mut put_off, mut limit, mut asked) = (PutOff::default(), 1.0, 0);
        for i in 0..MOST / 4 + 1 {
            assert_eq!(asked, 0);
            put_off.add(&BodyWay::from(&ball).touches(&walls, limit), limit, &[4 * i as u32; 4], &walls);
            put_off.ask(0.0, &mut limit, |_, _| {
                asked += 1;
                1.0
            });
        }
        assert_eq!(asked, MOST + 4);
    }
}
