//! Building a tree and editing it.
//!
//! Edits of one leaf are timed one by one. Operations on a whole tree are one iteration each, with one element per box.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use cullide_bvh::{ALL, BuildOptions, Bvh, Leaf, Quality, narrowphase::Aabb, narrowphase::glam::Vec3};
use scene::Scene;

/// How far a box moves per frame: it stays within its node most of the time.
const STEP: Vec3 = Vec3::new(0.02, -0.03, 0.05);

fn scenes() -> [Scene; 2] {
    [Scene::uniform(10_000), Scene::city(100_000)]
}

fn build(c: &mut Criterion) {
    for scene in scenes() {
        let (boxes, count) = (&scene.boxes, scene.boxes.len());
        for (threads, variant) in [(1, "1-thread"), (2, "2-threads")] {
            let pool = scene::threads(threads);
            scene.group(c, "build", count).bench_function(variant, |b| b.iter(|| pool.install(|| Bvh::build(boxes))));
            for (query, quality) in [("build-with-masks", Quality::Best), ("build-fast", Quality::Fast)] {
                let items = || boxes.iter().enumerate().map(|(i, aabb)| (*aabb, 1 << (i % 4)));
                let options = BuildOptions { quality };
                scene.group(c, query, count).bench_function(variant, |b| {
                    b.iter(|| pool.install(|| Bvh::build_with(items(), &options)));
                });
            }
            for (query, quality) in [("rebuild", Quality::Best), ("rebuild-fast", Quality::Fast)] {
                let (mut tree, options) = (scene.tree(), BuildOptions { quality });
                scene.group(c, query, count).bench_function(variant, |b| {
                    b.iter(|| pool.install(|| tree.rebuild_with(&options)));
                });
            }
        }
    }
}

fn edit(c: &mut Criterion) {
    for scene in scenes() {
        let count = scene.boxes.len();
        scene.group(c, "insert", count).bench_function("one-by-one", |b| b.iter(|| inserted(&scene.boxes)));
        scene.group(c, "remove", count).bench_function("one-by-one", |b| {
            b.iter_batched(|| scene.tree(), emptied, BatchSize::LargeInput);
        });

        let moved: Vec<Aabb> = scene.boxes.iter().map(|aabb| translated(aabb, STEP)).collect();
        let swapped: Vec<Aabb> = scene.boxes.iter().rev().copied().collect();
        for (variant, targets) in [("near", &moved), ("far", &swapped)] {
            // Back and forth, so that the tree does not drift.
            let moves: Vec<(Leaf, &Aabb)> =
                [targets, &scene.boxes].into_iter().flat_map(|boxes| (0..).map(Leaf::new).zip(boxes)).collect();
            let mut tree = scene.tree();
            scene.each(c, "set", variant, &moves, |(leaf, aabb)| tree.set(*leaf, aabb));
        }

        let mut frames = [&moved, &scene.boxes].into_iter().cycle();
        let mut tree = scene.tree();
        scene.group(c, "refit", count).bench_function("all", |b| {
            b.iter(|| tree.refit((0..).map(Leaf::new).zip(frames.next().into_iter().flatten().copied())));
        });
        let masks: Vec<(Leaf, u32)> =
            [1, ALL].iter().flat_map(|&mask| (0..count as u32).map(move |i| (Leaf::new(i), mask))).collect();
        scene.each(c, "set-mask", "in-turn", &masks, |(leaf, mask)| tree.set_mask(*leaf, *mask));
    }
}

fn inserted(boxes: &[Aabb]) -> Bvh {
    let mut tree = Bvh::new();
    for aabb in boxes {
        tree.insert(aabb, ALL);
    }
    tree
}

fn emptied(mut tree: Bvh) -> Bvh {
    for leaf in (0..tree.len() as u32).map(Leaf::new) {
        tree.remove(leaf);
    }
    tree
}

fn translated(aabb: &Aabb, delta: Vec3) -> Aabb {
    Aabb::new(aabb.min() + delta, aabb.max() + delta).expect("a box in range")
}

criterion_group! { name = benches; config = scene::criterion(); targets = build, edit }
criterion_main!(benches);
