//! Trees of seeded scenes cost what they did when the builders were tuned. The cost is the expected number of nodes
//! that a long ray visits, estimated from the surface areas of nodes.

use cullide_bvh::{ALL, BuildOptions, Bvh, Quality, narrowphase::Aabb};
use cullide_scenes::{SEED, awkward, city, uniform};
use cullide_support::scene::aabbs;

/// How much the cost of a tree may grow before a test fails.
const LEEWAY: f64 = 1.02;

/// A scene, and the cost of its tree when built for queries, when built fast, and when inserted leaf by leaf.
type Known = (&'static str, Vec<Aabb>, [f64; 3]);

fn known() -> [Known; 4] {
    [
        ("uniform", aabbs(&uniform(10_000, SEED)), [15.784, 19.847, 18.705]),
        ("city", aabbs(&city(20_000, SEED)), [7.867, 14.787, 10.226]),
        ("tiles", aabbs(&awkward::tiles(4096)), [3.063, 3.0, 3.933]),
        ("mixed", aabbs(&awkward::mixed(5000, SEED)), [20.426, 26.938, 9.108]),
    ]
}

fn built(boxes: &[Aabb], quality: Quality) -> Bvh {
    Bvh::build_with(boxes.iter().map(|&aabb| (aabb, ALL)), &BuildOptions { quality })
}

#[test]
fn no_builder_makes_trees_that_cost_more_than_they_did() {
    for (name, boxes, known) in known() {
        let mut inserted = Bvh::new();
        for aabb in &boxes {
            inserted.insert(aabb, ALL);
        }
        let costs = [built(&boxes, Quality::Best), built(&boxes, Quality::Fast), inserted].map(|tree| tree.sah_cost());
        println!("{name}: {costs:.4?}");
        for ((cost, known), way) in costs.into_iter().zip(known).zip(["built best", "built fast", "inserted"]) {
            assert!(cost <= known * LEEWAY, "{name}, {way}: a cost of {cost}, formerly {known}");
        }
    }
}
