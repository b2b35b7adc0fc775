//! Guarantees of sweeps by columns.

use super::*;
use crate::{BoxSweep, Error, MAX_COORDINATE, Obb, Plane, Sides, simd::levels};
use cullide_scenes::{Rng, SEED, aimed, plane_sweeps};
use glam::Vec3;

/// Columns of the cases that the constructors accept.
#[derive(Default)]
struct Columns {
    numbers: [Vec<f32>; 15],
    sweeps: Vec<BoxSweep>,
}

impl Columns {
    fn push(&mut self, [center, a, b, c]: [[f32; 3]; 4], motion: [f32; 3]) {
        let body = Obb::from_half_edges(center.into(), [a, b, c].map(Vec3::from));
        let Ok(sweep) = body.and_then(|body| BoxSweep::new(body, motion.into())) else { return };
        for (column, x) in self.numbers.iter_mut().zip([center, a, b, c, motion].as_flattened()) {
            column.push(*x);
        }
        self.sweeps.push(sweep);
    }

    fn columns(&self) -> BoxColumns<'_> {
        let [q, a, b, c, v] = [0, 3, 6, 9, 12].map(|i| [0, 1, 2].map(|j| &self.numbers[i + j][..]));
        BoxColumns::new(q, [a, b, c], v).unwrap()
    }
}

#[test]
fn many_boxes_are_answered_as_each_alone() {
    let mut boxes = Columns::default();
    let mut planes = Vec::new();
    for case in plane_sweeps(4_003, SEED) {
        boxes.push(case.obb, case.delta);
        planes.push(case.plane);
    }
    for [x, y, z, d] in planes.into_iter().step_by(200) {
        let plane = Plane::new(Vec3::new(x, y, z), d).unwrap();
        for sides in [Sides::Front, Sides::Both] {
            let mut answers = vec![PlaneTouch::CLEAR];
            boxes.columns().against_plane(&plane, sides, &mut answers);
            let alone = boxes.sweeps.iter().map(|sweep| PlaneTouch::from(sweep.against_plane(&plane, sides)));
            assert!(answers[1..].iter().copied().eq(alone));
        }
    }
}

#[test]
fn aimed_boxes_and_planes_are_answered_as_each_alone() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..10_000 {
        let mut boxes = Columns::default();
        let mut planes: [Vec<f32>; 4] = Default::default();
        for _ in 0..9 {
            let (obb, delta, [x, y, z, d]) = aimed::sweep_obb_plane(&mut rng);
            // Columns are restricted to a range that is narrower by the length of the path.
            if obb.as_flattened().iter().chain(&delta).all(|x| x.abs() < 1e8) {
                boxes.push(obb, delta);
            }
            let Ok(plane) = Plane::new(Vec3::new(x, y, z), d) else { continue };
            for (column, x) in planes.iter_mut().zip(plane.normal().extend(plane.d()).to_array()) {
                column.push(x);
            }
        }
        let [x, y, z, d] = &planes;
        let columns = PlaneColumns::new([x, y, z], d).unwrap();
        for sides in [Sides::Front, Sides::Both] {
            let mut answers = Vec::new();
            for i in 0..columns.len() {
                let plane = columns.plane(i).unwrap();
                answers.clear();
                boxes.columns().against_plane(&plane, sides, &mut answers);
                let alone = boxes.sweeps.iter().map(|sweep| PlaneTouch::from(sweep.against_plane(&plane, sides)));
                assert!(answers.iter().copied().eq(alone), "{plane:?} {answers:?}");
            }
            for sweep in &boxes.sweeps {
                answers.clear();
                sweep.against_planes(&columns, sides, &mut answers);
                let alone = (0..columns.len()).map(|i| sweep.against_plane(&columns.plane(i).unwrap(), sides).into());
                assert!(answers.iter().copied().eq(alone), "{sweep:?} {answers:?}");
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let mut boxes = Columns::default();
    let mut planes: [Vec<f32>; 4] = Default::default();
    for case in plane_sweeps(2_007, SEED) {
        boxes.push(case.obb, case.delta);
        planes.iter_mut().zip(case.plane).for_each(|(column, x)| column.push(x));
    }
    let [x, y, z, d] = &planes;
    let columns = PlaneColumns::new([x, y, z], d).unwrap();
    let bits = |answers: &[PlaneTouch]| answers.iter().map(|touch| touch.words).collect::<Vec<_>>();
    for level in levels() {
        for sides in [Sides::Front, Sides::Both] {
            for i in (0..columns.len()).step_by(100) {
                let plane = columns.plane(i).unwrap();
                let (mut got, mut expected) = (Vec::new(), Vec::new());
                boxes.columns().against_plane_at(level, &plane, sides, &mut got);
                expected.extend(boxes.sweeps.iter().map(|sweep| PlaneTouch::from(sweep.against_plane(&plane, sides))));
                assert_eq!(bits(&got), bits(&expected), "{level:?}");
                got.clear();
                boxes.sweeps[i].against_planes_at(level, &columns, sides, &mut got);
                let alone = |k| boxes.sweeps[i].against_plane(&columns.plane(k).unwrap(), sides).into();
                assert_eq!(bits(&got), bits(&(0..columns.len()).map(alone).collect::<Vec<_>>()), "{level:?}");
            }
        }
    }
}

#[test]
fn columns_of_different_lengths_and_bad_numbers_are_refused() {
    let (one, two, far) = ([1.0; 1], [1.0; 2], [MAX_COORDINATE]);
    let refused = |center, edge, motion| BoxColumns::new([center; 3], [[edge; 3]; 3], [motion; 3]).unwrap_err();
    assert_eq!(refused(&one, &one, &two), Error::TooFew { field: "motion" });
    assert_eq!(refused(&one, &two, &one), Error::TooFew { field: "half_edges" });
    assert_eq!(refused(&[f32::INFINITY], &one, &one), Error::NonFinite { field: "center" });
    assert_eq!(refused(&far, &one, &one), Error::OutOfRange { field: "center" });
    let planes = |normal, d| PlaneColumns::new([&[0.0], normal, &[0.0]], d).map(|planes| planes.len());
    assert_eq!(planes(&[1.0], &[5.0]), Ok(1));
    assert_eq!(planes(&[2.0], &[5.0]), Err(Error::OutOfRange { field: "normal" }));
    assert_eq!(planes(&[0.0], &[5.0]), Err(Error::ZeroNormal { field: "normal" }));
    assert_eq!(planes(&[1.0], &[]), Err(Error::TooFew { field: "normal" }));
    assert!(BoxColumns::new([&[]; 3], [[&[]; 3]; 3], [&[]; 3]).unwrap().is_empty());
}
