//! The answers of queries through C are those of the crates, in seeded worlds of all shapes.

use crate::{
    scene::{done, list, out},
    twins::{SOLIDS, Twins, target},
};
use cullide::*;
use cullide_world::{
    Filter, MovingShape, Shape, ShapeSweep, SlideOptions, SweptBody,
    glam::{
        Quat, Vec3,
        camera::rh::{proj::directx::perspective, view::look_at_mat4},
    },
    narrowphase::{BoxSweep, CapsuleSweep, ClipSpace, Frustum, Obb, Plane, Ray, Segment, SphereSweep},
};
use std::mem::MaybeUninit;

const WORLDS: u64 = 12;

/// In each world, asks as often as `times`; `ask` returns how many answers found something.
fn in_worlds(times: usize, least: usize, mut ask: impl FnMut(&mut Twins) -> usize) {
    let mut found = 0;
    for seed in 0..WORLDS {
        let mut twins = Twins::new(seed, 60);
        twins.hashes_agree();
        found += (0..times).map(|_| ask(&mut twins)).sum::<usize>();
    }
    assert!(found >= least, "{found} found");
}

#[test]
fn rays_and_segments() {
    in_worlds(120, 500, |twins| {
        let (filter, same) = twins.filter();
        let (origin, direction, reach) = (twins.random.vector(8.0), twins.random.vector(1.0) + Vec3::X * 0.01, 10.0);
        let rays = [origin, -origin, origin * 0.5]
            .map(|origin| CullideRay { origin: origin.into(), direction: direction.into() });
        let twin_rays = [origin, -origin, origin * 0.5].map(|origin| Ray::new(origin, direction).unwrap());
        let (ray, twin, c) = (rays[0], &twin_rays[0], &*twins.c);
        let filter = Some(&filter);
        // SAFETY: arrays are as long as is said.
        unsafe {
            let first = out(|hit| cullide_cast_ray(Some(c), ray, reach, filter, hit));
            let expected = twins.rust.cast_ray(twin, reach, &same);
            assert_eq!(first, expected.map(Into::into).unwrap_or_default());
            assert_eq!(first.target, expected.map_or(CULLIDE_NONE, |hit| target(hit.target)));
            assert_eq!(out(|any| cullide_any_ray_hit(Some(c), ray, reach, filter, any)) != 0, expected.is_some());
            let (hits, mut expected) =
                (list(|hits, n, total| cullide_cast_ray_all(Some(c), ray, reach, filter, hits, n, total)), vec![]);
            twins.rust.cast_ray_all(twin, reach, &same, &mut expected);
            assert_eq!(hits, expected.into_iter().map(CullideRayHit::from).collect::<Vec<_>>());
            let (mut batch, mut expected) = ([CullideRayHit::default(); 3], vec![]);
            done(cullide_cast_rays(Some(c), rays.as_ptr(), 3, reach, filter, batch.as_mut_ptr()));
            twins.rust.cast_ray_batch(&twin_rays, reach, &same, &mut expected);
            assert_eq!(
                batch.to_vec(),
                expected.into_iter().map(|hit| hit.map(Into::into).unwrap_or_default()).collect::<Vec<_>>()
            );
            let segment = CullideSegment { start: origin.into(), end: (-origin).into() };
            let twin = Segment::between(origin, -origin).unwrap();
            let expected = twins.rust.cast_segment(&twin, &same);
            assert_eq!(
                out(|hit| cullide_cast_segment(Some(c), segment, filter, hit)),
                expected.map(Into::into).unwrap_or_default()
            );
            let mut any = [9; 2];
            done(cullide_any_segment_hits(Some(c), [segment; 2].as_ptr(), 2, filter, any.as_mut_ptr()));
            assert_eq!(any, [u8::from(expected.is_some()); 2]);
            hits.len()
        }
    });
}

#[test]
fn overlaps_and_what_is_near() {
    in_worlds(40, 500, |twins| {
        let (filter, same) = twins.filter();
        let (which, pose) = (twins.random.below(twins.shapes.len()), twins.random.pose(6.0));
        let (c, (shape, twin)) = (&*twins.c, &twins.shapes[which]);
        let (twin, filter) = (twin.transformed(pose.0, pose.1).unwrap(), Some(&filter));
        // SAFETY: arrays are as long as is said.
        unsafe {
            let keys =
                list(|keys, n, total| cullide_overlap(Some(c), Some(shape), pose.into(), filter, keys, n, total));
            let mut expected = vec![];
            twins.rust.overlap(&twin, &same, &mut expected);
            assert_eq!(keys, expected.into_iter().map(target).collect::<Vec<_>>());
            assert_eq!(
                out(|any| cullide_any_overlap(Some(c), Some(shape), pose.into(), filter, any)) != 0,
                !keys.is_empty()
            );
            let placed = [CullidePlacedShape { shape: &**shape, pose: pose.into() }; 3];
            let mut ends = [9; 3];
            let all = list(|keys, n, total| {
                cullide_overlap_batch(Some(c), placed.as_ptr(), 3, filter, ends.as_mut_ptr(), keys, n, total)
            });
            assert_eq!((all, ends), (keys.repeat(3), [1, 2, 3].map(|times| times * keys.len())));
            let at = list(|keys, n, total| cullide_overlap_point(Some(c), pose.1.into(), filter, keys, n, total));
            let mut expected = vec![];
            twins.rust.overlap(&pose.1, &same, &mut expected);
            assert_eq!(at, expected.into_iter().map(target).collect::<Vec<_>>());
            let (mut near, mut expected) = ([CullideNear::default(); 5], vec![]);
            let count = out(|total| cullide_nearest(Some(c), pose.1.into(), 3.0, filter, near.as_mut_ptr(), 5, total));
            twins.rust.nearest(pose.1, 3.0, 5, &same, &mut expected);
            assert_eq!(near[..count], expected.into_iter().map(CullideNear::from).collect::<Vec<_>>());
            let (mut near, mut expected) = ([CullideNearShape::default(); 5], vec![]);
            let count = out(|total| {
                cullide_nearest_to_shape(Some(c), Some(shape), pose.into(), 3.0, filter, near.as_mut_ptr(), 5, total)
            });
            twins.rust.nearest(&twin, 3.0, 5, &same, &mut expected);
            assert_eq!(near[..count], expected.into_iter().map(CullideNearShape::from).collect::<Vec<_>>());
            keys.len() + count
        }
    });
}

#[test]
fn sweeps_slides_and_ways_out() {
    in_worlds(30, 300, |twins| {
        let (filter, same) = twins.filter();
        let (which, pose, motion) = (twins.random.below(SOLIDS), twins.random.pose(7.0), twins.random.vector(6.0));
        let (c, (shape, twin)) = (&*twins.c, &twins.shapes[which]);
        let (twin, filter) = (twin.transformed(pose.0, pose.1).unwrap(), Some(&filter));
        let given = CullideMotion { shape: &**shape, pose: pose.into(), motion: motion.into() };
        let (options, sweep) = (SlideOptions::default(), ShapeSweep::new(&twin, motion).unwrap());
        let by_place = |swept: SweptBody| swept.into();
        let (expected, slide): (CullideSwept, _) = match &twin {
            Shape::Obb(_) | Shape::Aabb(_) => {
                let body = if let Shape::Aabb(aabb) = &twin {
                    Obb::from(aabb)
                } else {
                    let Shape::Obb(obb) = &twin else { unreachable!() };
                    *obb
                };
                let sweep = BoxSweep::new(body, motion).unwrap();
                (by_place(twins.rust.sweep(&sweep, &same)), twins.rust.slide(&sweep, &same, &options))
            }
            Shape::Sphere(body) => {
                let sweep = SphereSweep::new(*body, motion).unwrap();
                (by_place(twins.rust.sweep(&sweep, &same)), twins.rust.slide(&sweep, &same, &options))
            }
            Shape::Capsule(body) => {
                let sweep = CapsuleSweep::new(*body, motion).unwrap();
                (by_place(twins.rust.sweep(&sweep, &same)), twins.rust.slide(&sweep, &same, &options))
            }
            _ => {
                let swept = twins.rust.sweep(&sweep, &same);
                let mut slide = twins.rust.slide(&sweep, &same, &options);
                slide.position += pose.1;
                let answer = CullideSwept {
                    position: (pose.1 + swept.translation).into(),
                    hit: swept.hit.map(Into::into).unwrap_or_default(),
                    overlap: swept.overlap.map(Into::into).unwrap_or_default(),
                };
                (answer, slide)
            }
        };
        // SAFETY: arrays are as long as is said.
        unsafe {
            assert_eq!(out(|swept| cullide_sweep(Some(c), Some(&given), filter, swept)), expected);
            let mut batch = [CullideSwept::default(); 2];
            done(cullide_sweep_batch(Some(c), [given; 2].as_ptr(), 2, filter, batch.as_mut_ptr()));
            assert_eq!(batch, [expected; 2]);
            turns_agree(twins, &given, &sweep, (&filter, &same));
            let hits = list(|hits, n, total| cullide_sweep_all(Some(c), Some(&given), filter, hits, n, total));
            let mut all = vec![];
            twins.rust.sweep_all(&sweep, &same, &mut all);
            assert_eq!(hits, all.into_iter().map(CullideShapeHit::from).collect::<Vec<_>>());
            let mut slid = CullideSlid::default();
            let contacts = list(|contacts, n, total| {
                let mut place = MaybeUninit::uninit();
                let status = cullide_slide(Some(c), Some(&given), filter, Some(&mut place), contacts, n, total);
                slid = place.assume_init();
                status
            });
            assert_eq!((slid.position, slid.motion), (slide.position.into(), slide.motion.into()));
            assert_eq!(
                contacts.iter().map(|contact| contact.target).collect::<Vec<_>>(),
                slide.contacts.iter().map(|contact| target(contact.target)).collect::<Vec<_>>()
            );
            let mut place = CullideVec3::default();
            let found = out(|found| {
                let mut position = MaybeUninit::new(place);
                let status = cullide_depenetrate(Some(c), Some(shape), pose.into(), filter, Some(&mut position), found);
                place = position.assume_init();
                status
            });
            let expected_place = match &twin {
                Shape::Aabb(body) => twins.rust.depenetrate(&Obb::from(body), &same),
                Shape::Obb(body) => twins.rust.depenetrate(body, &same),
                Shape::Sphere(body) => twins.rust.depenetrate(body, &same),
                Shape::Capsule(body) => twins.rust.depenetrate(body, &same),
                _ => {
                    let turned = twins.shapes[which].1.transformed(pose.0, Vec3::ZERO).unwrap();
                    twins.rust.depenetrate(&MovingShape::new(turned, pose.1).unwrap(), &same)
                }
            };
            assert_eq!((found != 0).then_some(place), expected_place.map(Into::into));
            hits.len() + contacts.len()
        }
    });
}

/// The same sweep, turning by one radian.
fn turns_agree(
    twins: &Twins,
    given: &CullideMotion,
    sweep: &ShapeSweep,
    (filter, same): (&Option<&CullideFilter>, &Filter),
) {
    let (pose, turn) = (given.pose, Vec3::new(0.0, 0.75, 0.25));
    let (rotation, position) =
        (Quat::from_xyzw(pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w), pose.position.into());
    let ended = twins.rust.sweep_turning(&sweep.clone().turning(position, turn).unwrap(), 0.01, same);
    let mut turned = MaybeUninit::uninit();
    // SAFETY: the handle of the motion lives, and the call writes both results.
    let (swept, turned) = unsafe {
        let swept = out(|swept| {
            cullide_sweep_turning(Some(&twins.c), Some(given), turn.into(), 0.01, *filter, swept, Some(&mut turned))
        });
        (swept, turned.assume_init())
    };
    assert_eq!(swept.hit, ended.hit.map(Into::into).unwrap_or_default());
    assert_eq!(swept.overlap, ended.overlap.map(Into::into).unwrap_or_default());
    // Both ways, a corner of the shape gets to the same place.
    let end = Quat::from_xyzw(turned.x, turned.y, turned.z, turned.w);
    let by_pose = end * Vec3::ONE + Vec3::from(swept.position);
    let by_sweep = ended.rotation * (rotation.normalize() * Vec3::ONE + position) + ended.translation;
    assert!(by_pose.distance(by_sweep) < 1e-4, "{by_pose} {by_sweep}");
}

#[test]
fn views_and_pairs() {
    in_worlds(10, 300, |twins| {
        let (filter, same) = twins.filter();
        let eye = twins.random.vector(8.0);
        let matrix = perspective(1.0, 1.5, 0.1, 30.0) * look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
        let (c, filter) = (&*twins.c, Some(&filter));
        let six = [(Vec3::X, 4.0), (Vec3::NEG_X, 4.0), (Vec3::Y, 4.0), (Vec3::NEG_Y, 4.0), (Vec3::Z, 4.0), (eye, 1.0)];
        let planes = six.map(|(normal, d)| CullidePlane { normal: normal.into(), d });
        let volumes = [
            Frustum::from_matrix(&matrix, ClipSpace::ZeroToOne).unwrap(),
            Frustum::from_matrix(&matrix, ClipSpace::MinusOneToOne).unwrap(),
            Frustum::from_planes(&six.map(|(normal, d)| Plane::new(normal, d).unwrap())).unwrap(),
        ];
        // SAFETY: arrays are as long as is said.
        let seen = unsafe {
            let columns = matrix.to_cols_array();
            let by_matrix = |clip| {
                list(|keys, n, total| cullide_cull_matrix(Some(c), columns.as_ptr(), clip, filter, keys, n, total))
            };
            [
                by_matrix(CULLIDE_ZERO_TO_ONE),
                by_matrix(CULLIDE_MINUS_ONE_TO_ONE),
                list(|keys, n, total| cullide_cull_planes(Some(c), planes.as_ptr(), 6, filter, keys, n, total)),
            ]
        };
        let mut found = 0;
        for (seen, volume) in seen.into_iter().zip(volumes) {
            let mut expected = vec![];
            twins.rust.cull(&volume, &same, &mut expected);
            found += seen.len();
            assert_eq!(seen, expected.into_iter().map(|key| key.to_bits()).collect::<Vec<_>>());
        }
        let one = twins.random.below(twins.keys.len());
        let velocity = twins.random.vector(3.0);
        done(cullide_set_velocity(Some(&mut twins.c), twins.c_keys[one], velocity.into()));
        twins.rust.object_mut(twins.keys[one]).unwrap().set_velocity(velocity).unwrap();
        done(cullide_update_pairs(Some(&mut twins.c), 0.5));
        let events = twins.rust.update_pairs(0.5);
        let twin = |pair: &cullide_world::ObjectPair| CullidePair {
            first: pair.first.to_bits(),
            second: pair.second.to_bits(),
        };
        let mut expected = [vec![], events.begun.iter().map(twin).collect(), events.ended.iter().map(twin).collect()];
        expected[CULLIDE_PAIRS as usize] = twins.rust.pairs().map(|pair| twin(&pair)).collect();
        for (which, expected) in [CULLIDE_PAIRS, CULLIDE_PAIRS_BEGUN, CULLIDE_PAIRS_ENDED].into_iter().zip(expected) {
            // SAFETY: as above.
            let pairs = list(|pairs, n, total| unsafe { cullide_pairs(Some(&twins.c), which, pairs, n, total) });
            found += pairs.len();
            assert_eq!(pairs, expected);
        }
        found
    });
}
