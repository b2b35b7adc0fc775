//! Path against brush: the path is clipped by one bounding plane after another.
//!
//! The path enters or leaves the space behind a plane at the time when it meets the plane; it is in the solid from the
//! last entry to the first exit. A path along a plane is behind it always or never, decided without an epsilon. Whether
//! the path starts inside is exact for the stored planes; for axial planes the times are exact too, up to one rounding
//! each. For hulls see [`hull`].
//!
//! Source: Cyrus and Beck, "Generalized two- and three-dimensional clipping", 1978.

use super::{Cast, Crossing, HitFeature, Path, hull};
use crate::{Brush, BrushPlane};

impl Cast for Brush {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let crossing = if self.plane_error() > 0.0 { hull::crossing(self, path) } else { clip(path, self.planes()) };
        crossing?.within(&self.aabb(), path)
    }

    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        self.is_crossed(path).then(|| self.feature_of(path)).flatten()
    }
}

/// The part of the path behind all planes.
pub(super) fn clip<'a>(path: &Path, planes: impl IntoIterator<Item = &'a BrushPlane>) -> Option<Crossing> {
    let (mut enter, mut exit) = (0.0, path.max);
    let mut normal = -path.delta;
    let mut inside = true;
    for plane in planes {
        let distance = plane.signed_distance(path.origin);
        let approach = plane.normal.dot(path.delta);
        let is_before = plane.is_before(path.origin);
        if is_before {
            // Rounding may put a start in front of the plane on or behind it: then the path enters at once.
            let time = (distance / -approach).max(0.0);
            if approach >= 0.0 || time > path.max {
                return None;
            }
            if inside || time > enter {
                (enter, normal) = (time, plane.normal);
            }
            inside = false;
        } else if approach > 0.0 {
            exit = exit.min((-distance / approach).max(0.0));
        }
        if enter > exit {
            return None;
        }
    }
    if inside {
        return Some(path.starting_inside(exit));
    }
    Some(Crossing { enter: enter + 0.0, exit: exit + 0.0, normal, inside: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Ray, Segment};
    use glam::{DVec3, Vec3};

    /// A house: 2 wide, 3 deep, with walls 5 high and a roof whose ridge runs along y at a height of 6.
    fn house() -> Brush {
        let planes = [
            (DVec3::X, 1.0),
            (DVec3::NEG_X, 1.0),
            (DVec3::Y, 3.0),
            (DVec3::NEG_Y, 0.0),
            (DVec3::NEG_Z, 0.0),
            (DVec3::new(1.0, 0.0, 1.0), 6.0),
            (DVec3::new(-1.0, 0.0, 1.0), 6.0),
        ];
        Brush::from_half_spaces(&planes).unwrap()
    }

    #[test]
    fn a_segment_enters_by_a_wall_and_leaves_by_the_roof() {
        // In at (-1, 1, 4.75), out where z = 4 + 3 t meets the slope at 6 - x = 9 - 8 t.
        let hit = Segment::new(Vec3::new(-3.0, 1.0, 4.0), Vec3::new(8.0, 0.0, 3.0)).unwrap().cast(&house()).unwrap();
        assert_eq!((hit.fraction, hit.exit, hit.normal, hit.inside), (0.25, 5.0 / 11.0, Vec3::NEG_X, false));
    }

    #[test]
    fn the_ridge_and_a_corner_count_when_touched() {
        let along_ridge = Ray::new(Vec3::new(0.0, -2.0, 6.0), Vec3::Y).unwrap().cast(&house(), f32::INFINITY).unwrap();
        assert_eq!((along_ridge.distance, along_ridge.exit, along_ridge.normal), (2.0, 5.0, Vec3::NEG_Y));
        let across_ridge = Segment::new(Vec3::new(-4.0, 1.0, 6.0), Vec3::X * 8.0).unwrap().cast(&house()).unwrap();
        assert_eq!((across_ridge.fraction, across_ridge.exit), (0.5, 0.5));
        assert!(!Ray::new(Vec3::new(0.0, -2.0, 6f32.next_up()), Vec3::Y).unwrap().hits(&house(), f32::INFINITY));
    }

    #[test]
    fn a_start_inside_or_on_a_face_is_inside() {
        let inside = Segment::new(Vec3::new(0.0, 1.0, 1.0), Vec3::X * 4.0).unwrap().cast(&house()).unwrap();
        assert_eq!((inside.fraction, inside.exit, inside.inside), (0.0, 0.25, true));
        let leaving = Segment::new(Vec3::new(1.0, 1.0, 1.0), Vec3::X).unwrap().cast(&house()).unwrap();
        assert_eq!((leaving.exit, leaving.inside), (0.0, true));
    }

    #[test]
    fn a_segment_of_length_zero_asks_for_a_point() {
        let point = |p| Segment::new(p, Vec3::ZERO).unwrap().hits(&house());
        assert!(point(Vec3::new(1.0, 3.0, 5.0)) && point(Vec3::new(0.5, 1.0, 5.5)));
        assert!(!point(Vec3::new(1.0, 3.0, 5f32.next_up())));
    }

    #[test]
    fn a_box_made_of_planes_answers_as_the_box() {
        let aabb = Aabb::new(Vec3::new(-1.0, 2.0, 0.0), Vec3::new(1.0, 5.0, 5.0)).unwrap();
        let brush = Brush::try_from(&aabb).unwrap();
        let mut numbers = cullide_scenes::Rng::with_seed(cullide_scenes::SEED);
        for _ in 0..20_000 {
            // Small integers force ties: starts on faces, paths along edges and through corners.
            let mut point = || Vec3::from([0; 3].map(|_| numbers.i8(-3..=7) as f32));
            let segment = Segment::between(point(), point()).unwrap();
            assert_eq!(
                segment.cast(&brush).map(without_normal),
                segment.cast(&aabb).map(without_normal),
                "{segment:?}"
            );
        }
    }

    /// If several faces are entered at once, either normal is right.
    fn without_normal(hit: crate::SegmentIntersection) -> (f32, f32, bool) {
        (hit.fraction, hit.exit, hit.inside)
    }
}
