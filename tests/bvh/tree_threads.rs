//! The tree does not depend on how many threads built it: neither its answers nor the order in which it shows them.

use cullide_bvh::{
    ALL, BuildOptions, Bvh, Probe, Quality, Visit,
    narrowphase::{Aabb, Ray, glam::Vec3},
};
use cullide_scenes::{SEED, bounds_of, camera_rays, city, overlap_boxes};
use std::ops::ControlFlow;

/// What a tree shows for some rays and boxes, leaf by leaf.
fn shown(tree: &Bvh, rays: &[Ray], boxes: &[Aabb]) -> Vec<(usize, u32)> {
    let mut shown = vec![];
    for ray in rays {
        tree.cast(&Probe::ray(ray, f32::INFINITY), ALL, |leaf, entry| {
            shown.push((leaf.index(), entry.to_bits()));
            Visit::Continue
        });
    }
    for aabb in boxes {
        tree.overlap_aabb(aabb, ALL, |leaf| {
            shown.push((leaf.index(), 0));
            ControlFlow::Continue(())
        });
    }
    shown
}

#[test]
fn any_number_of_threads_builds_the_same_tree() {
    let aabb = |&[min, max]: &[[f32; 3]; 2]| Aabb::new(min.into(), max.into()).unwrap();
    // Enough boxes for several ranges that are each worth a thread.
    let raw = city(60_000, SEED);
    let bounds = bounds_of(&raw);
    let boxes: Vec<Aabb> = raw.iter().map(aabb).collect();
    let rays: Vec<Ray> = camera_rays(bounds)
        .iter()
        .step_by(7)
        .map(|&[origin, direction]| Ray::new(Vec3::from(origin), Vec3::from(direction)).unwrap())
        .collect();
    let queries: Vec<Aabb> = overlap_boxes(bounds, 20_000, SEED).iter().map(aabb).collect();

    for quality in [Quality::Best, Quality::Fast] {
        let [expected, others @ ..] = [1, 2, 3, 8, 16].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let leaves = boxes.iter().map(|aabb| (*aabb, ALL));
            let tree = pool.install(|| Bvh::build_with(leaves, &BuildOptions { quality }));
            assert_eq!(tree.validate(), Ok(()));
            (pool.install(|| shown(&tree, &rays, &queries)), tree.depth(), tree.sah_cost().to_bits())
        });
        assert!(expected.0.len() > 10_000, "the queries cover too little: {}", expected.0.len());
        assert!(others.iter().all(|other| *other == expected), "a {quality:?} tree differs");
    }
}
