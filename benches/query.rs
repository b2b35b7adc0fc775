//! Queries of a tree.

use criterion::{Criterion, criterion_group, criterion_main};
use cullide_bvh::{
    ALL, Bvh, Leaf, Probe, Visit,
    narrowphase::{Aabb, Plane, Segment, Side, Sphere, glam::Vec3},
};
use scene::{PLAYER, Scene};
use std::ops::ControlFlow;

/// One in this many swept boxes does not move, as in games.
const RESTING: usize = 6;

fn scenes() -> impl Iterator<Item = Scene> {
    [Scene::uniform(10_000), Scene::city(100_000)].into_iter().chain(Scene::captured("bounds02"))
}

fn rays(c: &mut Criterion) {
    for scene in scenes() {
        let tree = scene.tree();
        let [long, short] = [scene.long(), scene.short()].map(|segments| probes(&segments));
        let camera: Vec<Probe> = scene.camera().iter().map(|ray| Probe::ray(ray, f32::INFINITY)).collect();
        let players: Vec<Probe> = scene.short().iter().enumerate().map(player).collect();
        for (variant, probes) in [("camera", &camera), ("long", &long), ("short", &short), ("player", &players)] {
            scene.each(c, "closest", variant, probes, |probe| tree.closest(probe, ALL));
        }
        scene.each(c, "closest", "long-in-a-layer", &long, |probe| tree.closest(probe, 1));
        for (variant, probes) in [("long", &long), ("player", &players)] {
            scene.each(c, "cast", variant, probes, |probe| {
                counted(|count| tree.cast(probe, ALL, |_, _| tick(count).into()))
            });
        }
        let mut answers = Vec::new();
        for (threads, variant) in [(1, "long-1-thread"), (2, "long-2-threads")] {
            let pool = scene::threads(threads);
            scene.group(c, "closest-each", long.len()).bench_function(variant, |b| {
                b.iter(|| {
                    answers.clear();
                    pool.install(|| tree.closest_batch(&long, Probe::clone, ALL, &mut answers));
                });
            });
        }
    }
}

fn volumes(c: &mut Criterion) {
    for scene in scenes() {
        let (tree, volumes) = (scene.tree(), scene.volumes());
        let balls: Vec<Sphere> = volumes.iter().map(|v| Sphere::new(v.center(), 2.0).expect("a ball")).collect();
        scene.each(c, "overlap", "aabb", &volumes, |aabb| {
            counted(|count| tree.overlap_aabb(aabb, ALL, |_| tick(count)))
        });
        scene.each(c, "overlap", "obb", &scene.turned(), |obb| {
            counted(|count| tree.overlap_obb(obb, ALL, |_| tick(count)))
        });
        scene.each(c, "overlap", "sphere", &balls, |ball| {
            counted(|count| tree.overlap_sphere(ball, ALL, |_| tick(count)))
        });
        scene.each(c, "nearest", "1", &volumes, |aabb| nearest(&tree, aabb.center()));
        let pairs = || counted(|count| tree.for_each_pair(|_, _| tick(count)));
        scene.group(c, "pairs", scene.boxes.len()).bench_function("all", |b| b.iter(pairs));
    }
}

fn planes(c: &mut Criterion) {
    for scene in scenes() {
        let (tree, frusta) = (scene.tree(), scene.frusta());
        let planes: Vec<Plane> = frusta.iter().map(|frustum| frustum[0]).collect();
        scene.each(c, "classify", "side", &planes, |plane| {
            let mut sides = [0; 3];
            tree.classify(plane, ALL, |_, side| {
                sides[match side {
                    Side::Back => 0,
                    Side::Straddling => 1,
                    Side::Front => 2,
                }] += 1;
                ControlFlow::Continue(())
            });
            sides
        });
        scene.each(c, "cull", "frustum", &frusta, |planes| counted(|count| tree.cull(planes, ALL, |_, _| tick(count))));
        let mut leaves = Vec::new();
        scene.each(c, "cull-into", "frustum", &frusta, |planes| {
            leaves.clear();
            tree.cull_into(planes, ALL, &mut leaves);
            leaves.len()
        });
    }
}

fn probes(segments: &[Segment]) -> Vec<Probe> {
    segments.iter().map(Probe::segment).collect()
}

fn player((i, path): (usize, &Segment)) -> Probe {
    let body = Aabb::from_center_half_extents(path.start(), PLAYER).expect("a box in range");
    Probe::swept(&body, if i.is_multiple_of(RESTING) { Vec3::ZERO } else { path.delta() })
}

fn nearest(tree: &Bvh, point: Vec3) -> Option<(f32, Leaf)> {
    let mut best = None;
    tree.nearest(point, f32::INFINITY, ALL, |leaf, distance| {
        if best.is_none_or(|found| (distance, leaf) < found) {
            best = Some((distance, leaf));
        }
        Visit::Within(distance)
    });
    best
}

/// Counts the leaves that a query shows.
fn counted(query: impl FnOnce(&mut usize)) -> usize {
    let mut count = 0;
    query(&mut count);
    count
}

fn tick(count: &mut usize) -> ControlFlow<()> {
    *count += 1;
    ControlFlow::Continue(())
}

criterion_group! { name = benches; config = scene::criterion(); targets = rays, volumes, planes }
criterion_main!(benches);
