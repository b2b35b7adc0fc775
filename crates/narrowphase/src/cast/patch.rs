//! Path against patch: the path clipped by the polygon's plane from both sides and by its edges.
//!
//! Between the two faces nothing is left but the point where the path meets the plane (or all of a path that runs in
//! it), so one clipping answers for paths across, along and on the polygon alike. For corners on a grid, signs are
//! exact.

use super::{Cast, Crossing, HitFeature, Path, brush::clip};
use crate::Patch;

impl Cast for Patch {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
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

    #[test]
    fn a_start_on_the_patch_is_inside() {
        let leaving = Segment::new(Vec3::new(1.0, 1.0, 3.0), Vec3::Z).unwrap().cast(&ramp()).unwrap();
        assert_eq!((leaving.fraction, leaving.exit, leaving.inside), (0.0, 0.0, true));
        assert!(Segment::new(Vec3::new(1.0, 1.0, 3.0), Vec3::ZERO).unwrap().hits(&ramp()));
        assert!(!Segment::new(Vec3::new(1.0, 1.0, 3f32.next_up()), Vec3::ZERO).unwrap().hits(&ramp()));
    }
}
