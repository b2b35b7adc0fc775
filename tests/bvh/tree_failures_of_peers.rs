//! Failures that were seen in other trees, each checked by the right answer.

use cullide_bvh::{
    ALL, Bvh, Leaf, Probe, Stats, Visit,
    narrowphase::{Aabb, Plane, Ray, Segment, Sphere, glam::Vec3},
};
use cullide_scenes::{Rng, SEED, awkward, bounds_of, long_segments, overlap_boxes, uniform};
use cullide_support::scene::{aabb, aabbs};
use std::ops::ControlFlow;

fn boxed(min: [f32; 3], max: [f32; 3]) -> Aabb {
    aabb([min, max])
}

fn point(at: Vec3) -> Aabb {
    Aabb::new(at, at).expect("a point")
}

/// Inserts the boxes one by one.
fn inserted(boxes: &[Aabb]) -> Bvh {
    let mut tree = Bvh::new();
    for aabb in boxes {
        tree.insert(aabb, ALL);
    }
    tree
}

/// Checks that the tree is sound and no deeper than guaranteed.
fn check_depth(tree: &Bvh) {
    assert_eq!(tree.validate(), Ok(()));
    let bound = 2 * tree.len().max(1).ilog2() as usize + 16;
    assert!(tree.depth() <= bound, "{} leaves, {} levels", tree.len(), tree.depth());
}

fn overlapping(tree: &Bvh, volume: &Aabb) -> (Vec<usize>, Stats) {
    let mut leaves = vec![];
    let stats = tree.counted().overlap_aabb(volume, ALL, |leaf| {
        leaves.push(leaf.index());
        ControlFlow::Continue(())
    });
    leaves.sort_unstable();
    (leaves, stats)
}

fn count(tree: &Bvh, probe: &Probe) -> usize {
    let mut count = 0;
    tree.cast(probe, ALL, |_, _| {
        count += 1;
        Visit::Continue
    });
    count
}

/// A box around everything that a scene could hold.
fn everywhere() -> Aabb {
    Aabb::new(Vec3::splat(-1e9), Vec3::splat(1e9)).unwrap()
}

#[test]
fn a_million_inserts_in_sorted_order_keep_the_tree_shallow() {
    let boxes = aabbs(&awkward::line(1_000_000));
    let tree = inserted(&boxes);
    check_depth(&tree);
    for (i, aabb) in boxes.iter().enumerate().step_by(1000) {
        let mut found = vec![];
        let stats = tree.counted().overlap_aabb(&point(aabb.center()), ALL, |leaf| {
            found.push(leaf.index());
            ControlFlow::Continue(())
        });
        assert_eq!(found, [i]);
        assert!(stats.nodes <= 4 * tree.depth(), "{stats:?} in {} levels", tree.depth());
    }
}

#[test]
fn three_thousand_identical_boxes_keep_the_tree_shallow_and_are_all_found() {
    let boxes = aabbs(&awkward::identical(3000));
    for tree in [Bvh::build(&boxes), inserted(&boxes)] {
        check_depth(&tree);
        let all: Vec<usize> = (0..3000).collect();
        assert_eq!(overlapping(&tree, &boxes[0]).0, all);
        let ray = Ray::new(Vec3::new(0.0, 2.0, -9.0), Vec3::Z).unwrap();
        assert_eq!(count(&tree, &Probe::ray(&ray, 11.0)), 3000);
        assert_eq!(tree.closest(&Probe::ray(&ray, 11.0), ALL), Some((Leaf::new(0), 11.0)));
    }
}

#[test]
fn a_box_as_large_as_a_half_space_does_not_spoil_what_is_inserted_after_it() {
    let mut boxes = vec![boxed([-1e6, -1e6, -1e6], [1e6, 0.0, 1e6])];
    boxes.extend(aabbs(&uniform(2000, SEED)));
    let tree = inserted(&boxes);
    check_depth(&tree);
    let places = overlap_boxes(bounds_of(&uniform(2000, SEED)), 100, SEED);
    let nodes: usize = places.iter().map(|&place| overlapping(&tree, &aabb(place)).1.nodes).sum();
    assert!(nodes < 100 * 40, "{nodes} nodes in 100 small overlaps of {} leaves", tree.len());
}

#[test]
fn a_small_overlap_with_4096_tiles_visits_tens_of_nodes() {
    let tiles = aabbs(&awkward::tiles(4096));
    for tree in [Bvh::build(&tiles), inserted(&tiles)] {
        check_depth(&tree);
        for x in [0.5, 17.25, 31.5, 63.5] {
            let (found, stats) = overlapping(&tree, &boxed([x, -1.0, x], [x, 1.0, x]));
            assert_eq!(found, [64 * x as usize + x as usize]);
            assert!(stats.nodes < 30, "{stats:?}");
        }
    }
}

#[test]
fn leaves_inserted_in_a_line_can_be_iterated() {
    let tree = inserted(&aabbs(&awkward::line(200)));
    assert!(tree.leaves().map(Leaf::index).eq(0..200));
    assert!(tree.leaves().all(|leaf| tree.aabb(leaf).is_some()));
}

#[test]
fn a_leaf_can_be_removed_right_after_a_build() {
    for n in [1, 2, 3, 8, 9, 64, 65, 100] {
        let boxes = aabbs(&uniform(n, SEED));
        for gone in 0..n as u32 {
            let mut tree = Bvh::build(&boxes);
            assert_eq!(tree.remove(Leaf::new(gone)), Some(boxes[gone as usize]));
            assert_eq!((tree.validate(), tree.len()), (Ok(()), n - 1));
            let expected: Vec<usize> = (0..n).filter(|&i| i != gone as usize).collect();
            assert_eq!(overlapping(&tree, &everywhere()).0, expected);
        }
    }
}

#[test]
fn beside_a_slab_1e9_wide_everything_is_still_found() {
    let mut boxes = aabbs(&uniform(100, SEED));
    boxes.push(boxed([-5e8, -1.0, -5e8], [5e8, 0.0, 5e8]));
    let all: Vec<usize> = (0..101).collect();
    for tree in [Bvh::build(&boxes), inserted(&boxes)] {
        assert_eq!(overlapping(&tree, &everywhere()).0, all);
        let mut seen = vec![];
        tree.cull(&[Plane::new(Vec3::X, 1e9).unwrap()], ALL, |leaf, _| {
            seen.push(leaf.index());
            ControlFlow::Continue(())
        });
        seen.sort_unstable();
        assert_eq!(seen, all);
        // From far above, every box is hit by its own ray.
        for (i, aabb) in boxes.iter().enumerate() {
            let above = aabb.center().with_y(1000.0);
            let mut met = false;
            tree.cast(&Probe::ray(&Ray::new(above, Vec3::NEG_Y).unwrap(), 2000.0), ALL, |leaf, _| {
                met |= leaf.index() == i;
                Visit::Continue
            });
            assert!(met, "{i}");
        }
    }
}

#[test]
fn half_the_surface_of_a_box_of_1_2_3_is_11() {
    assert_eq!(boxed([0.0; 3], [1.0, 2.0, 3.0]).surface_area() / 2.0, 11.0);
    // And the tree's cost uses that area: a root with an area of 22 over two nodes.
    let mut boxes = vec![boxed([0.0; 3], [1.0, 2.0, 3.0]); 16];
    boxes.extend([boxed([5.0, 0.0, 0.0], [6.0, 2.0, 3.0]); 16]);
    let tree = Bvh::build(&boxes);
    let area = |x: f64| 2.0 * (2.0 * x + 6.0 + 3.0 * x);
    assert!(tree.sah_cost() >= 1.0 + 2.0 * area(1.0) / area(6.0) - 1e-12, "{}", tree.sah_cost());
}

#[test]
fn a_ray_along_an_axis_in_a_face_hits_in_the_tree_as_in_the_exact_test() {
    let aabb = boxed([0.0; 3], [2.0, 3.0, 5.0]);
    let tree = Bvh::build(&[aabb]);
    for axis in 0..3 {
        for corner in 0..8 {
            for (sign, zero) in [(1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (-1.0, -0.0)] {
                let side = |i: usize| if corner >> i & 1 == 1 { aabb.max()[i] } else { aabb.min()[i] };
                let mut origin = Vec3::new(side(0), side(1), side(2));
                origin[axis] = if sign > 0.0 { -7.0 } else { aabb.max()[axis] + 7.0 };
                let mut direction = Vec3::splat(zero);
                direction[axis] = sign;
                let ray = Ray::new(origin, direction).unwrap();
                assert_eq!(ray.cast(&aabb, 7.0).map(|hit| hit.distance), Some(7.0));
                assert_eq!(tree.closest(&Probe::ray(&ray, 7.0), ALL), Some((Leaf::new(0), 7.0)), "{ray:?}");
                assert_eq!(tree.closest(&Probe::ray(&ray, 6.999), ALL), None, "{ray:?}");
                // A ray that points away touches from the surface, but not from in front of it.
                let away = Ray::new(origin, -direction).unwrap();
                assert_eq!(tree.closest(&Probe::ray(&away, f32::INFINITY), ALL), None, "{away:?}");
            }
        }
    }
}

#[test]
fn a_wall_of_a_fifth_of_a_millimetre_is_hit_from_a_kilometre() {
    let wall = boxed([0.0, -50.0, -50.0], [0.0002, 50.0, 50.0]);
    let tree = Bvh::build(&[wall]);
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..10_000 {
        let aim = Vec3::new(0.0001, rng.f32() * 80.0 - 40.0, rng.f32() * 80.0 - 40.0);
        let eye = Vec3::new(-1000.0, rng.f32() * 40.0 - 20.0, rng.f32() * 40.0 - 20.0);
        let ray = Ray::new(eye, aim - eye).unwrap();
        assert!(ray.hits(&wall, 2000.0) && tree.closest(&Probe::ray(&ray, 2000.0), ALL).is_some(), "{ray:?}");
        let there = Segment::new(eye, (aim - eye) * 2.0).unwrap();
        assert!(tree.closest(&Probe::segment(&there), ALL).is_some(), "{there:?}");
    }
}

#[test]
fn a_ray_in_the_plane_of_a_face_has_its_true_distance_and_its_limits() {
    let tree = Bvh::build(&[boxed([4.0, 0.0, 0.0], [6.0, 3.0, 5.0])]);
    for z in [0.0, -0.0, 5.0] {
        let ray = Ray::new(Vec3::new(0.0, 1.0, z), Vec3::X).unwrap();
        assert_eq!(tree.closest(&Probe::ray(&ray, 100.0), ALL), Some((Leaf::new(0), 4.0)));
        assert_eq!(tree.closest(&Probe::ray(&ray, 4.0), ALL), Some((Leaf::new(0), 4.0)));
        assert_eq!(tree.closest(&Probe::ray(&ray, 3.0), ALL), None);
        let away = Ray::new(Vec3::new(0.0, 1.0, z), Vec3::NEG_X).unwrap();
        assert_eq!(tree.closest(&Probe::ray(&away, 100.0), ALL), None);
    }
}

#[test]
fn a_ray_in_the_plane_of_a_face_visits_as_many_nodes_as_one_beside_it() {
    // Rays through a grid of cubes of side 2 with gaps of 1, with z in the plane of the lower faces and slightly above.
    let cube = |i: usize| [i % 16, i / 16 % 16, i / 256].map(|k| 3.0 * k as f32);
    let boxes: Vec<Aabb> = (0..4096).map(|i| boxed(cube(i), cube(i).map(|x| x + 2.0))).collect();
    let tree = Bvh::build(&boxes);
    let nodes = |z: f32| -> usize {
        let ray = |angle: f32| Ray::new(Vec3::new(-1.0, 24.3, z), Vec3::new(angle.cos(), angle.sin(), 0.0)).unwrap();
        let visits =
            |ray: Ray| tree.counted().cast(&Probe::ray(&ray, 100.0), ALL, |_, entry| Visit::Within(entry)).nodes;
        (0..100).map(|i| visits(ray(0.01 * (i - 50) as f32))).sum()
    };
    let (inside, in_face, along) = (nodes(0.001), nodes(0.0), nodes(-0.0));
    assert!(in_face <= inside + inside / 10 && along == in_face, "{in_face} nodes for {inside}");
}

/// A query with a visitor that is called for each result.
type Query<'a> = dyn Fn(&mut dyn FnMut() -> ControlFlow<()>) + 'a;

#[test]
fn a_visitor_that_says_stop_is_not_called_again() {
    let boxes = aabbs(&awkward::identical(300));
    let ray = Ray::new(Vec3::new(0.0, 2.0, -9.0), Vec3::Z).unwrap();
    let sphere = Sphere::new(boxes[0].center(), 1.0).unwrap();
    let plane = Plane::new(Vec3::Y, 100.0).unwrap();
    for tree in [Bvh::build(&boxes), inserted(&boxes)] {
        for calls in [1, 2, 7, 299] {
            let stop_after = |query: &Query| {
                let mut called = 0;
                query(&mut || {
                    called += 1;
                    if called == calls { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                assert_eq!(called, calls);
            };
            stop_after(&|visit| tree.cast(&Probe::ray(&ray, 100.0), ALL, |_, _| visit().into()));
            stop_after(&|visit| tree.overlap_aabb(&boxes[0], ALL, |_| visit()));
            stop_after(&|visit| tree.overlap_sphere(&sphere, ALL, |_| visit()));
            stop_after(&|visit| tree.nearest(Vec3::ZERO, 100.0, ALL, |_, _| visit().into()));
            stop_after(&|visit| tree.classify(&plane, ALL, |_, _| visit()));
            stop_after(&|visit| tree.cull(&[plane], ALL, |_, _| visit()));
            stop_after(&|visit| tree.for_each_pair(|_, _| visit()));
        }
    }
}

#[test]
fn no_pair_is_lost_when_many_appear_at_once() {
    // 300 boxes far apart are all moved onto each other.
    let apart: Vec<Aabb> =
        (0..300).map(|i| boxed([10.0 * i as f32, 0.0, 0.0], [10.0 * i as f32 + 2.0, 3.0, 5.0])).collect();
    let mut tree = inserted(&apart);
    let pairs = |tree: &Bvh| {
        let mut pairs = vec![];
        tree.for_each_pair(|a, b| {
            pairs.push((a, b));
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        let all = pairs.len();
        pairs.dedup();
        assert_eq!(all, pairs.len(), "a pair is reported twice");
        all
    };
    assert_eq!(pairs(&tree), 0);
    tree.refit((0..300).map(|i| (Leaf::new(i), apart[0])));
    assert_eq!(pairs(&tree), 300 * 299 / 2);
    let mut tree = inserted(&apart);
    (0..300).for_each(|i| assert!(tree.set(Leaf::new(i), &apart[0])));
    assert_eq!(pairs(&tree), 300 * 299 / 2);
}

#[test]
fn a_deep_tree_loses_no_hit() {
    // Each box is twice as far and twice as large as the one before, so that few splits are good; repeated many times.
    let mut boxes = vec![];
    for i in 0..2000 {
        let scale = 2f32.powi(i % 78 - 50);
        boxes.push(boxed([scale, -scale, -scale], [3.0 * scale, scale, 2.0 * scale]));
    }
    boxes.extend(aabbs(&awkward::dolls(2000)).iter().map(|doll| doll.expanded(1000.0)));
    let mut reversed = boxes.clone();
    reversed.reverse();
    for tree in [Bvh::build(&boxes), inserted(&boxes), inserted(&reversed)] {
        check_depth(&tree);
        let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
        assert_eq!(count(&tree, &Probe::ray(&ray, f32::INFINITY)), 4000);
        assert_eq!(overlapping(&tree, &everywhere()).0.len(), 4000);
        let mut near = 0;
        tree.nearest(Vec3::ZERO, f32::INFINITY, ALL, |_, _| {
            near += 1;
            Visit::Continue
        });
        assert_eq!(near, 4000);
    }
}

#[test]
fn boxes_around_all_others_are_inserted_without_building_the_tree_again() {
    let outward = aabbs(&awkward::dolls(40_000));
    let inward: Vec<Aabb> = outward.iter().rev().copied().collect();
    for boxes in [outward, inward] {
        let (mut tree, mut depth) = (Bvh::new(), 0);
        for aabb in &boxes {
            tree.insert(aabb, ALL);
            // A tree that is built has a fifth of the levels.
            assert!(tree.depth() >= depth, "{} levels after {depth}", tree.depth());
            depth = tree.depth();
        }
        check_depth(&tree);
    }
}

#[test]
fn closest_hits_come_roughly_nearest_first() {
    // A closest-hit query that visits most leaves would be useless.
    let raw = uniform(4000, SEED);
    let tree = Bvh::build(&aabbs(&raw));
    let mut leaves = 0;
    for [start, delta] in long_segments(bounds_of(&raw), 200, SEED) {
        let probe = Probe::segment(&Segment::new(start.into(), delta.into()).unwrap());
        leaves += tree.counted().cast(&probe, ALL, |_, entry| Visit::Within(entry)).leaves;
    }
    assert!(leaves < 200 * 8, "{leaves} leaves for 200 segments");
}
