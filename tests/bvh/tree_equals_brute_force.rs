//! A tree's answers are those of brute force, bit for bit, however the tree came to be; it never misses a leaf, and a
//! leaf shown in excess is off by no more than rounding.

use cullide_bvh::{
    ALL, Bvh, Leaf, Visit,
    narrowphase::{
        Aabb, Obb, Side, Solid,
        glam::{DVec3, Vec3},
    },
};
use cullide_scenes::SEED;
use cullide_support::{
    history::{each_scene, every_history, with_masks},
    question::{Asker, Question},
    scan::Scan,
    scene::{Scene, every_scene},
    shown::{cast, collect},
    truth::{self, ROUNDINGS},
};
use std::{cell::Cell, ops::ControlFlow};

/// The number of queries of each kind per scene.
const QUESTIONS: usize = 400;

#[test]
fn every_tree_is_valid_and_holds_the_boxes_it_was_given() {
    each_scene(|scene, trees, scan| {
        for (history, tree) in trees {
            assert_eq!(tree.validate(), Ok(()), "{} {history}", scene.name);
            assert_eq!(tree.len(), scan.leaves.len());
            assert!(tree.leaves().eq((0..scan.leaves.len() as u32).map(Leaf::new)));
            for (i, item) in scan.leaves.iter().enumerate() {
                let leaf = Leaf::new(i as u32);
                assert_eq!(tree.aabb(leaf).zip(tree.mask(leaf)), *item, "{} {history} {i}", scene.name);
            }
            assert_eq!(tree.bounds(), Some(scene.bounds()), "{} {history}", scene.name);
        }
    });
}

#[test]
fn a_path_meets_what_brute_force_meets_and_never_too_little() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED);
        for _ in 0..3 * QUESTIONS {
            let (question, mask) = (asker.path(), asker.mask());
            let expected = scan.cast(&question, mask);
            let closest = scan.closest(&question, mask);
            for (history, tree) in trees {
                let context = || format!("{} {history} {question:?} mask {mask:#x}", scene.name);
                assert_eq!(cast(tree, &question, mask), expected, "{}", context());
                let found = tree.closest(&question.probe(), mask).map(|(leaf, entry)| (leaf.index(), entry));
                assert_eq!(found, closest, "{}", context());
            }
            // Compared with the truth.
            let mut shown = expected.iter().copied().peekable();
            for (i, aabb) in scan.matching(mask) {
                let context = || format!("{} leaf {i} {aabb:?} {question:?}", scene.name);
                match shown.next_if(|&(shown, _)| shown == i) {
                    None => assert!(!truth::meets(&question, &aabb), "missed: {}", context()),
                    Some((_, entry)) => {
                        let (enter, nearly) = truth::nearly_meets(&question, &aabb, ROUNDINGS);
                        assert!(nearly, "far from it: {}", context());
                        let entry = f32::from_bits(entry);
                        assert!(truth::is_entry(entry, enter), "{entry} is not {enter}: {}", context());
                    }
                }
            }
        }
    });
}

#[test]
fn the_first_box_hit_exactly_is_found_by_narrowing_the_search() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 1);
        for _ in 0..QUESTIONS {
            let (question, mask) = (asker.path(), asker.mask());
            let distance = |aabb: &Aabb| match &question {
                Question::Ray(ray, max) => ray.cast(aabb, *max).map(|hit| hit.distance),
                Question::Segment(segment) => segment.cast(aabb).map(|hit| hit.fraction),
                Question::Swept(..) => None,
            };
            let hits = scan.matching(mask).filter_map(|(i, aabb)| Some((distance(&aabb)?, i)));
            let expected = hits.min_by(|a, b| a.partial_cmp(b).expect("distances are numbers"));
            for (history, tree) in trees {
                let mut best: Option<(f32, usize)> = None;
                tree.cast(&question.probe(), mask, |leaf, _| {
                    if let Some(distance) = distance(&scene.boxes[leaf.index()]) {
                        let hit = (distance, leaf.index());
                        best = Some(best.map_or(hit, |best| if hit < best { hit } else { best }));
                    }
                    best.map_or(Visit::Continue, |best| Visit::Within(best.0))
                });
                assert_eq!(best, expected, "{} {history} {question:?}", scene.name);
            }
        }
    });
}

#[test]
fn a_box_touches_exactly_what_brute_force_says() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 2);
        for _ in 0..QUESTIONS {
            let (volume, mask) = (asker.volume(), asker.mask());
            let expected = scan.overlap_aabb(&volume, mask);
            for (history, tree) in trees {
                let found = collect(|visit| tree.overlap_aabb(&volume, mask, |leaf| visit(leaf.index())));
                assert_eq!(found, expected, "{} {history} {volume:?} mask {mask:#x}", scene.name);
            }
        }
    });
}

#[test]
fn a_turned_box_touches_what_brute_force_says_and_never_too_little() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 8);
        for _ in 0..QUESTIONS {
            let (obb, mask) = (asker.obb(), asker.mask());
            let expected = scan.overlap_obb(&obb, mask);
            for (history, tree) in trees {
                let found = collect(|visit| tree.overlap_obb(&obb, mask, |leaf| visit(leaf.index())));
                assert_eq!(found, expected, "{} {history} {obb:?} mask {mask:#x}", scene.name);
            }
            for (i, aabb) in scan.matching(mask) {
                let touches = obb.overlaps_aabb(&aabb);
                assert!(!touches || expected.binary_search(&i).is_ok(), "missed: {} {obb:?} {aabb:?}", scene.name);
            }
        }
    });
}

#[test]
fn a_turned_box_on_its_corner_beside_a_box_is_told_apart() {
    // A slim box at 45 degrees: the box around it covers the corner, but the half-space of its face does not.
    let half_edges = [Vec3::new(10.0, 10.0, 0.0), Vec3::new(-1.0, 1.0, 0.0), Vec3::Z];
    let obb = Obb::from_half_edges(Vec3::ZERO, half_edges).unwrap();
    let at = |x: f32, y: f32| Aabb::new(Vec3::new(x, y, 0.0), Vec3::new(x + 2.0, y + 3.0, 5.0)).unwrap();
    let tree = Bvh::build(&[at(4.0, -4.0), at(4.0, -1.5), at(4.0, -1.0), at(3.0, 3.0)]);
    let found = collect(|visit| tree.overlap_obb(&obb, ALL, |leaf| visit(leaf.index())));
    // The box covers |x - y| <= 2; the upper left corners of the first three have x - y = 5, 2.5 and 2.
    assert_eq!(found, [2, 3]);
}

#[test]
fn a_sphere_touches_what_brute_force_says_and_never_too_little() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 3);
        for _ in 0..QUESTIONS {
            let (sphere, mask) = (asker.sphere(), asker.mask());
            let expected = scan.overlap_sphere(&sphere, mask);
            for (history, tree) in trees {
                let found = collect(|visit| tree.overlap_sphere(&sphere, mask, |leaf| visit(leaf.index())));
                assert_eq!(found, expected, "{} {history} {sphere:?} mask {mask:#x}", scene.name);
            }
            for (i, aabb) in scan.matching(mask) {
                truth::check_sphere(&sphere, &aabb, expected.contains(&i), scene.name);
            }
        }
    });
}

#[test]
fn nearest_shows_all_within_the_distance_with_a_lower_bound() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 4);
        for _ in 0..QUESTIONS {
            let (point, other, mask) = (asker.point(), asker.point(), asker.mask());
            let max_distance = *asker.rng().choice(&[0.0, (other - point).length(), 1.0, f32::INFINITY]).expect("four");
            let expected = scan.nearest(point, max_distance, mask);
            for (history, tree) in trees {
                let found = collect(|visit| {
                    tree.nearest(point, max_distance, mask, |leaf, bound| {
                        visit((leaf.index(), bound.to_bits())).into()
                    });
                });
                assert_eq!(found, expected, "{} {history} {point:?} {max_distance} mask {mask:#x}", scene.name);
            }
            let mut shown = expected.iter().copied().peekable();
            for (i, aabb) in scan.matching(mask) {
                let distance = truth::distance_squared(&aabb, point).sqrt();
                let context = || format!("{} {point:?} {max_distance} {aabb:?} at {distance}", scene.name);
                match shown.next_if(|&(shown, _)| shown == i) {
                    None => assert!(distance > f64::from(max_distance) * (1.0 - 1e-12), "missed: {}", context()),
                    Some((_, bound)) => {
                        let bound = f64::from(f32::from_bits(bound));
                        assert!(bound <= distance * (1.0 + 1e-12), "{bound} is no lower bound: {}", context());
                        let in_range = distance < 62f64.exp2();
                        let slack = 1.0 + ROUNDINGS * f64::from(f32::EPSILON);
                        assert!(!in_range || distance <= bound * slack + (-60f64).exp2(), "{bound}: {}", context());
                        let far = distance > f64::from(max_distance) * slack + (-60f64).exp2();
                        assert!(!in_range || !far, "far from it: {}", context());
                    }
                }
            }
        }
    });
}

/// The square of the distance of two boxes.
fn between(a: &Aabb, b: &Aabb) -> f64 {
    let [a, b] = [a, b].map(|aabb| [aabb.min().as_dvec3(), aabb.max().as_dvec3()]);
    (b[0] - a[1]).max(a[0] - b[1]).max(DVec3::ZERO).length_squared()
}

#[test]
fn nearest_to_a_box_shows_all_within_the_distance_with_a_lower_bound() {
    let (near, far) = (Cell::new(0), Cell::new(0));
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 14);
        for _ in 0..QUESTIONS {
            let (volume, other, mask) = (asker.volume(), asker.volume(), asker.mask());
            let max_distance = *asker.rng().choice(&[0.0, between(&volume, &other).sqrt() as f32, 1.0]).expect("three");
            let shown = trees.iter().map(|(_, tree)| {
                collect(|visit| {
                    tree.nearest_to_box(&volume, max_distance, mask, |leaf, bound| {
                        visit((leaf.index(), bound.to_bits())).into()
                    });
                })
            });
            let shown: Vec<_> = shown.collect();
            assert!(shown.iter().all(|other| *other == shown[0]), "{} {volume:?} {max_distance}", scene.name);
            let mut found = shown[0].iter().copied().peekable();
            for (i, aabb) in scan.matching(mask) {
                let distance = between(&volume, &aabb).sqrt();
                let context = || format!("{} {volume:?} {max_distance} {aabb:?} at {distance}", scene.name);
                match found.next_if(|&(shown, _)| shown == i) {
                    None => {
                        far.set(far.get() + 1);
                        assert!(distance > f64::from(max_distance) * (1.0 - 1e-12), "missed: {}", context());
                    }
                    Some((_, bound)) => {
                        near.set(near.get() + 1);
                        let bound = f64::from(f32::from_bits(bound));
                        assert!(bound <= distance * (1.0 + 1e-12), "{bound} is no lower bound: {}", context());
                        let slack = 1.0 + ROUNDINGS * f64::from(f32::EPSILON);
                        let in_range = distance < 62f64.exp2();
                        assert!(!in_range || distance <= bound * slack + (-60f64).exp2(), "{bound}: {}", context());
                    }
                }
            }
            assert_eq!(found.next(), None, "{} {volume:?}", scene.name);
        }
    });
    assert!(near.get() > 1000 && far.get() > 1000, "{near:?} {far:?}");
}

#[test]
fn the_k_nearest_are_found_by_narrowing_the_search() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 5);
        for _ in 0..QUESTIONS {
            let (point, mask, k) = (asker.point(), asker.mask(), asker.rng().usize(1..9));
            let distance = |aabb: &Aabb| truth::distance_squared(aabb, point).sqrt() as f32;
            let mut expected: Vec<(f32, usize)> = scan.matching(mask).map(|(i, aabb)| (distance(&aabb), i)).collect();
            expected.sort_by(|a, b| a.partial_cmp(b).expect("distances are numbers"));
            expected.truncate(k);
            for (history, tree) in trees {
                let mut found: Vec<(f32, usize)> = vec![];
                tree.nearest(point, f32::INFINITY, mask, |leaf, _| {
                    let hit = (distance(&scene.boxes[leaf.index()]), leaf.index());
                    let place = found.partition_point(|other| *other < hit);
                    found.insert(place, hit);
                    found.truncate(k);
                    found.get(k - 1).map_or(Visit::Continue, |last| Visit::Within(last.0))
                });
                assert_eq!(found, expected, "{} {history} {point:?} mask {mask:#x}", scene.name);
            }
        }
    });
}

#[test]
fn sides_of_a_plane_are_those_of_brute_force_and_surely_so() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 6);
        for _ in 0..QUESTIONS {
            let (plane, mask) = (asker.plane(), asker.mask());
            let expected = scan.classify(&plane, mask);
            for (history, tree) in trees {
                let mut found = vec![];
                tree.classify(&plane, mask, |leaf, side| {
                    found.push((leaf.index(), side));
                    ControlFlow::Continue(())
                });
                found.sort_unstable_by_key(|(leaf, _)| *leaf);
                assert_eq!(found, expected, "{} {history} {plane:?} mask {mask:#x}", scene.name);
            }
            for (i, side) in expected {
                truth::check_side(&plane, &scene.boxes[i], side, scene.name);
            }
        }
    });
}

#[test]
fn culling_shows_what_brute_force_shows_and_never_too_little() {
    each_scene(|scene, trees, scan| {
        let (mut asker, mut leaves) = (Asker::new(&scene.boxes, SEED + 7), vec![]);
        for _ in 0..QUESTIONS {
            let (planes, mask) = (asker.planes(), asker.mask());
            let expected = scan.cull(&planes, mask);
            for (history, tree) in trees {
                let found = collect(|visit| {
                    tree.cull(&planes, mask, |leaf, undecided| visit((leaf.index(), undecided)));
                });
                assert_eq!(found, expected, "{} {history} {planes:?} mask {mask:#x}", scene.name);
                leaves.clear();
                tree.cull_into(&planes, mask, &mut leaves);
                leaves.sort_unstable();
                assert!(leaves.iter().map(|leaf| leaf.index()).eq(found.iter().map(|(leaf, _)| *leaf)), "{history}");
            }
            let mut shown = expected.iter().copied().peekable();
            for (i, aabb) in scan.matching(mask) {
                let sides: Vec<Side> = planes.iter().map(|plane| plane.side_of_aabb(&aabb)).collect();
                match shown.next_if(|&(shown, _)| shown == i) {
                    None => assert!(sides.contains(&Side::Back), "missed: {} {planes:?} {aabb:?}", scene.name),
                    Some((_, undecided)) => {
                        for (k, plane) in planes.iter().enumerate() {
                            let side = if undecided >> k & 1 == 0 { Side::Front } else { Side::Straddling };
                            truth::check_side(plane, &aabb, side, scene.name);
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn pairs_are_those_of_brute_force_each_once() {
    each_scene(|scene, trees, scan| {
        let expected = scan.pairs();
        for (history, tree) in trees {
            let found = collect(|visit| tree.for_each_pair(|a, b| visit((a.index(), b.index()))));
            assert_eq!(found, expected, "{} {history}", scene.name);
        }
    });
}

#[test]
fn trees_of_a_few_boxes_answer_like_large_ones() {
    for n in 0..20 {
        let scene = Scene { name: "few", boxes: every_scene(20).remove(0).boxes[..n].to_vec() };
        let items = with_masks(&scene.boxes);
        let scan = Scan::new(&items);
        for (history, tree) in every_history(&items, SEED) {
            assert_eq!(tree.validate(), Ok(()), "{n} {history}");
            let everywhere = Aabb::new(Vec3::splat(-1e9), Vec3::splat(1e9)).unwrap();
            let found = collect(|visit| tree.overlap_aabb(&everywhere, ALL, |leaf| visit(leaf.index())));
            assert_eq!(found, scan.overlap_aabb(&everywhere, ALL), "{n} {history}");
            let found = collect(|visit| tree.for_each_pair(|a, b| visit((a.index(), b.index()))));
            assert_eq!(found, scan.pairs(), "{n} {history}");
        }
    }
}
