//! Path against patch: the path clipped by the polygon's plane from both sides and by its edges.
//!
//! Clipping by the two sides of the plane leaves only the point where the path meets the plane (or all of a path that
//! runs in it), so one clipping handles paths across, along and on the polygon alike. For corners on a grid, signs are
//! exact. A path that starts in the plane of exactly flat corners is decided by exact signs, whatever the corners are:
//! see [`super::coplanar`].

use super::{Cast, Crossing, HitFeature, Path, brush::clip};
use crate::{
    Patch,
    exact::orientation::{exact_normal_along, orientation},
};
use std::cmp::Ordering::Equal;

impl Cast for Patch {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        if let (Some(base), Some(flat)) = (self.base(), self.flat())
            && orientation(base, path.origin) == Equal
        {
            if exact_normal_along(base, path.delta).sign() == Equal {
                return flat.coplanar_crossing(path);
            }
            return flat.holds_start(path).then(|| path.starting_inside(0.0));
        }
        clip(path, self.bounds())?.within(&self.aabb(), path)
    }

    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        let crossing = self.crossing(path)?;
        Some(self.feature_at(path, path.origin + path.delta * crossing.enter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ray, Segment};
    use glam::Vec3;

    /// A ramp over the rectangle [0, 2] × [0, 3], rising along y from 1 to 7.
    fn ramp() -> Patch {
        Patch::new(&[
            Vec3::new(0.0, 0.0, 1.0),
            Vec3::new(2.0, 0.0, 1.0),
            Vec3::new(2.0, 3.0, 7.0),
            Vec3::new(0.0, 3.0, 7.0),
        ])
        .unwrap()
    }

    fn down(x: f32, y: f32) -> Option<crate::RayIntersection> {
        Ray::new(Vec3::new(x, y, 9.0), Vec3::NEG_Z).unwrap().cast(&ramp(), f32::INFINITY)
    }

    #[test]
    fn both_sides_are_met_with_the_normal_against_the_ray() {
        let from_above = down(1.0, 1.0).unwrap();
        assert_eq!((from_above.distance, from_above.exit, from_above.inside), (6.0, 6.0, false));
        assert!(from_above.normal.z > 0.0);
        let from_below = Ray::new(Vec3::new(1.0, 1.0, -1.0), Vec3::Z).unwrap().cast(&ramp(), 4.0).unwrap();
        assert_eq!((from_below.distance, from_below.normal), (4.0, -from_above.normal));
        assert!(!Ray::new(Vec3::new(1.0, 1.0, -1.0), Vec3::Z).unwrap().hits(&ramp(), 4f32.next_down()));
    }

    #[test]
    fn edges_and_corners_count_and_a_step_beyond_misses() {
        assert_eq!(down(0.0, 0.0).map(|hit| hit.distance), Some(8.0));
        assert_eq!(down(2.0, 1.5).map(|hit| hit.distance), Some(5.0));
        assert_eq!(down(2f32.next_up(), 1.5), None);
        assert_eq!(down(1.0, -f32::EPSILON), None);
    }

    #[test]
    fn a_path_in_the_plane_is_clipped_by_the_edges() {
        let along = Segment::new(Vec3::new(-1.0, 1.0, 3.0), Vec3::X * 4.0).unwrap().cast(&ramp()).unwrap();
        assert_eq!((along.fraction, along.exit, along.normal), (0.25, 0.75, Vec3::NEG_X));
        let beside = Segment::new(Vec3::new(3.0, 1.0, 3.0), Vec3::X * 4.0).unwrap();
        assert_eq!(beside.cast(&ramp()), None);
    }

    /// None of their coordinates can be represented exactly in binary.
    #[test]
    fn corners_edges_and_places_of_tenths_are_on_the_patch() {
        let at = |x: i8, z: i8| Vec3::new(f32::from(x) * 0.1, 0.7, f32::from(z) * 0.1);
        let tile = Patch::new(&[at(-3, -3), at(-3, 7), at(9, 7), at(9, -3)]).unwrap();
        for (x, z) in (-4..=10).flat_map(|x| (-4..=8).map(move |z| (x, z))) {
            let is_on = (-3..=9).contains(&x) && (-3..=7).contains(&z);
            let point = at(x, z);
            for delta in [Vec3::ZERO, Vec3::Y, Vec3::NEG_Y, Vec3::new(1.0, 2.0, 3.0)] {
                let touch = Segment::new(point, delta).unwrap().cast(&tile);
                assert_eq!(touch.map(|touch| (touch.fraction, touch.inside)), is_on.then_some((0.0, true)), "{point}");
            }
            let across = Segment::between(at(x, -9), at(x, 9)).unwrap();
            assert_eq!(across.hits(&tile), (-3..=9).contains(&x), "{x}");
        }
    }

    #[test]
    fn a_start_on_the_patch_is_inside() {
        let leaving = Segment::new(Vec3::new(1.0, 1.0, 3.0), Vec3::Z).unwrap().cast(&ramp()).unwrap();
        assert_eq!((leaving.fraction, leaving.exit, leaving.inside), (0.0, 0.0, true));
        assert!(Segment::new(Vec3::new(1.0, 1.0, 3.0), Vec3::ZERO).unwrap().hits(&ramp()));
        assert!(!Segment::new(Vec3::new(1.0, 1.0, 3f32.next_up()), Vec3::ZERO).unwrap().hits(&ramp()));
    }
}
