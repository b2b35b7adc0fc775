//! A frame of a broadphase: the boxes that moved are passed in, and the pairs are brought up to date.
//!
//! The motions are those of `peers -- moving`, Broadmark's among them. Frames follow each other as in a game; moving
//! the boxes is not timed. Each box that moves is an element.

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use cullide_bvh::{Broadphase, BroadphaseBody, Proxy, narrowphase::Aabb};
use cullide_scenes::{Motion, Moving, SEED};
use std::time::{Duration, Instant};

const SIZES: [usize; 4] = [1000, 4000, 16_000, 64_000];

const MOTIONS: [Motion; 6] =
    [Motion::Slow, Motion::Fast, Motion::Few, Motion::Brownian, Motion::FreeFall, Motion::RotatingGravity];

/// Frames until the ages of leaves have settled.
const WARM_UP: usize = 60;

fn frames(c: &mut Criterion) {
    for (motion, n) in MOTIONS.into_iter().flat_map(|motion| SIZES.map(|n| (motion, n))) {
        let mut group = c.benchmark_group(format!("frame/{}/{n}", motion.name()));
        for (threads, variant) in [(1, "1-thread"), (2, "2-threads")] {
            frame(&mut group, Game::new(motion, n), threads, variant);
        }
    }
}

fn frame(group: &mut BenchmarkGroup<WallTime>, mut game: Game, threads: usize, variant: &str) {
    group.throughput(Throughput::Elements(game.scene.moved().len() as u64));
    let pool = scene::threads(threads);
    pool.install(|| (0..WARM_UP).for_each(|_| _ = game.frame()));
    group.bench_function(variant, |b| b.iter_custom(|count| pool.install(|| (0..count).map(|_| game.frame()).sum())));
}

/// Boxes in motion, and the broadphase that tracks them.
struct Game {
    scene: Moving,
    broadphase: Broadphase,
    proxies: Vec<Proxy>,
    moved: Vec<(Proxy, Aabb)>,
}

impl Game {
    fn new(motion: Motion, n: usize) -> Self {
        let scene = Moving::new(n, motion, SEED);
        let mut broadphase = Broadphase::new();
        let proxies =
            scene.boxes().iter().map(|aabb| broadphase.insert(&BroadphaseBody::moving(scene::aabb(aabb)))).collect();
        broadphase.rebuild();
        Self { scene, broadphase, proxies, moved: Vec::new() }
    }

    /// Plays a frame and returns how long the broadphase took.
    fn frame(&mut self) -> Duration {
        self.scene.advance();
        self.moved.clear();
        self.moved.extend(self.scene.moved().map(|i| (self.proxies[i], scene::aabb(&self.scene.boxes()[i]))));
        let start = Instant::now();
        self.broadphase.set_batch(&self.moved);
        self.broadphase.update();
        start.elapsed()
    }
}

criterion_group! {
    name = benches;
    config = scene::criterion();
    targets = frames
}
criterion_main!(benches);
