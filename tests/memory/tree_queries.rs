//! No query allocates after its first run.

use cullide_bvh::{
    ALL, Bvh, MAX_CULL_PLANES, Probe,
    narrowphase::{
        Obb, Plane, Ray, Segment, Sphere,
        glam::{Quat, Vec3},
    },
};
use cullide_scenes::{SEED, awkward, bounds_of, city, long_segments, overlap_boxes, uniform};
use cullide_support::scene::aabbs;
use std::{cell::RefCell, ops::ControlFlow};

/// The number of allocations of the second run.
fn allocations(mut query: impl FnMut()) -> u64 {
    query();
    allocation_counter::measure(query).count_total
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

/// A query with a visitor that is called for each result.
type Query<'a> = dyn Fn(&mut dyn FnMut() -> ControlFlow<()>) + 'a;

/// Runs every query many times over a tree of the boxes.
fn check_every_query(name: &str, tree: &Bvh, raw: &[[[f32; 3]; 2]]) {
    let bounds = bounds_of(raw);
    let segments: Vec<Segment> =
        long_segments(bounds, 100, SEED).iter().map(|&[a, d]| Segment::new(a.into(), d.into()).unwrap()).collect();
    let volumes = aabbs(&overlap_boxes(bounds, 100, SEED));
    let point = volumes[0].center();
    let planes: Vec<Plane> = segments
        .iter()
        .take(MAX_CULL_PLANES)
        .map(|s| {
            // Far behind, and within the range of coordinates.
            let far = (Vec3::from(bounds[0]) - s.delta() * 100.0).clamp(Vec3::splat(-5e8), Vec3::splat(5e8));
            Plane::from_point_normal(far, s.delta()).unwrap()
        })
        .collect();
    let mut met = 0usize;
    let mut check = |query: &str, run: &Query| {
        let count = allocations(|| {
            run(&mut || {
                met += 1;
                ControlFlow::Continue(())
            });
        });
        assert_eq!(count, 0, "{name}: {query} allocates");
        assert!(met > 0, "{name}: {query} met nothing");
        met = 0;
    };
    check("cast", &|visit| {
        for segment in &segments {
            tree.cast(&Probe::segment(segment), ALL, |_, _| visit().into());
        }
    });
    check("closest", &|visit| {
        for segment in &segments {
            let ray = Ray::new(segment.start(), segment.delta()).unwrap();
            let probe = Probe::ray(&ray, f32::INFINITY);
            tree.closest(&probe, ALL).map(|_| visit());
        }
    });
    check("cast of a swept box", &|visit| {
        for (segment, volume) in segments.iter().zip(&volumes) {
            tree.cast(&Probe::swept(volume, segment.delta()), ALL, |_, _| visit().into());
        }
    });
    check("overlap_aabb", &|visit| volumes.iter().for_each(|volume| tree.overlap_aabb(volume, ALL, |_| visit())));
    let sphere = Sphere::new(raw[0][0].into(), 20.0).unwrap();
    check("overlap_sphere", &|visit| tree.overlap_sphere(&sphere, ALL, |_| visit()));
    check("nearest", &|visit| tree.nearest(point, f32::INFINITY, ALL, |_, _| visit().into()));
    check("classify", &|visit| tree.classify(&planes[0], ALL, |_, _| visit()));
    check("cull", &|visit| tree.cull(&planes, ALL, |_, _| visit()));
    let turned = Quat::from_rotation_z(0.5);
    check("overlap_obb", &|visit| {
        for volume in &volumes {
            let obb = Obb::new(volume.center(), turned, volume.half_extents()).unwrap();
            tree.overlap_obb(&obb, ALL, |_| visit());
        }
    });
    let leaves = RefCell::new(vec![]);
    check("cull_into", &|visit| {
        leaves.borrow_mut().clear();
        tree.cull_into(&planes, ALL, &mut leaves.borrow_mut());
        for _ in leaves.borrow().iter() {
            let _ = visit();
        }
    });
    check("for_each_pair", &|visit| tree.for_each_pair(|_, _| visit()));
    check("counted", &|visit| {
        let stats = tree.counted().overlap_aabb(&volumes[0], ALL, |_| ControlFlow::Continue(()));
        assert!(stats.nodes > 0);
        let _ = visit();
    });
}

#[test]
fn no_query_of_ten_thousand_uniform_boxes_allocates() {
    let raw = uniform(10_000, SEED);
    check_every_query("uniform", &Bvh::build(&aabbs(&raw)), &raw);
}

#[test]
fn no_query_of_an_edited_or_a_deep_tree_allocates() {
    for (name, raw) in
        [("city", city(3000, SEED)), ("dolls", awkward::dolls(500)), ("mixed", awkward::mixed(2000, SEED))]
    {
        let mut tree = Bvh::new();
        for aabb in aabbs(&raw) {
            tree.insert(&aabb, ALL);
        }
        check_every_query(name, &tree, &raw);
    }
}

#[test]
fn pairs_of_a_large_pile_do_not_allocate() {
    let pile = aabbs(&awkward::identical(20_000));
    let mut inserted = Bvh::new();
    for aabb in &pile {
        inserted.insert(aabb, ALL);
    }
    for tree in [Bvh::build(&pile), inserted] {
        let mut pairs = 0;
        let count = allocations(|| {
            pairs = 0;
            tree.for_each_pair(|_, _| {
                pairs += 1;
                if pairs < 200_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        });
        assert_eq!((count, pairs), (0, 200_000));
    }
}
