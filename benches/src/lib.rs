//! What the benches share: scenes and queries as types of the crates, and how a query is timed.
//!
//! An iteration is one query, and the queries take turns: the printed time is for one query. Ids are
//! `query/scene/size/variant`.

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use cullide_bvh::{
    Bvh,
    narrowphase::{Aabb, Obb, Plane, Ray, Segment, glam::Vec3},
};
use cullide_scenes as scenes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{hint::black_box, time::Duration};

/// The half extents of a player, in metres: a shooter's 16, 35.5 and 16 units, at 40 units per metre.
pub const PLAYER: Vec3 = Vec3::new(0.4, 0.8875, 0.4);

/// Boxes with a name.
#[derive(Debug)]
pub struct Scene {
    /// Its name in ids.
    pub name: &'static str,
    /// As boxes of the crates.
    pub boxes: Vec<Aabb>,
    /// The box around all boxes.
    pub bounds: scenes::Bounds,
}

impl Scene {
    /// Boxes at random places in a cube.
    pub fn uniform(n: usize) -> Self {
        Self::new("uniform", &scenes::uniform(n, scenes::SEED))
    }

    /// A town.
    pub fn city(n: usize) -> Self {
        Self::new("city", &scenes::city(n, scenes::SEED))
    }

    /// Boxes captured from a game; `None` if the file is not available.
    pub fn captured(name: &'static str) -> Option<Self> {
        Some(Self::new(name, &scenes::bounds(name).ok()?))
    }

    fn new(name: &'static str, raw: &[scenes::Bounds]) -> Self {
        Self { name, boxes: raw.iter().map(aabb).collect(), bounds: scenes::bounds_of(raw) }
    }

    /// The tree over the boxes.
    pub fn tree(&self) -> Bvh {
        Bvh::build(&self.boxes)
    }

    /// A group named `query/scene/size`, to which variants are added, with `elements` elements per iteration.
    pub fn group<'a>(&self, c: &'a mut Criterion, query: &str, elements: usize) -> BenchmarkGroup<'a, WallTime> {
        let mut group = c.benchmark_group(self.place(query));
        group.throughput(Throughput::Elements(elements as u64));
        group
    }

    /// Times one query after another.
    pub fn each<Q, A>(&self, c: &mut Criterion, query: &str, variant: &str, questions: &[Q], ask: impl FnMut(&Q) -> A) {
        each(c, self.place(query), variant, questions, ask);
    }

    fn place(&self, query: &str) -> String {
        format!("{query}/{}/{}", self.name, self.boxes.len())
    }

    /// Rays from a corner, in the order of a picture's scanlines.
    pub fn camera(&self) -> Vec<Ray> {
        scenes::camera_rays(self.bounds).iter().map(|&[a, b]| Ray::new(a.into(), b.into()).expect("a ray")).collect()
    }

    /// Segments between random points.
    pub fn long(&self) -> Vec<Segment> {
        scenes::long_segments(self.bounds, 50_000, scenes::SEED).iter().map(segment).collect()
    }

    /// Segments of up to ±6 units per coordinate.
    pub fn short(&self) -> Vec<Segment> {
        scenes::short_segments(self.bounds, 100_000, scenes::SEED).iter().map(segment).collect()
    }

    /// Boxes of half size 2 at random places.
    pub fn volumes(&self) -> Vec<Aabb> {
        scenes::overlap_boxes(self.bounds, 50_000, scenes::SEED).iter().map(aabb).collect()
    }

    /// The volumes, each rotated like one of the swept boxes of `plane_sweeps`.
    pub fn turned(&self) -> Vec<Obb> {
        let turns = sweeps(1024);
        let turned = |(volume, turn): (&Aabb, &scenes::BoxSweep)| {
            let edges = [1, 2, 3].map(|i| 2.0 * Vec3::from(turn.obb[i]).normalize());
            Obb::from_half_edges(volume.center(), edges).expect("a box in range")
        };
        self.volumes().iter().zip(turns.iter().cycle()).map(turned).collect()
    }

    /// The planes of sixteen frusta.
    pub fn frusta(&self) -> Vec<[Plane; 6]> {
        scenes::cull_cameras(self.bounds).iter().map(|camera| camera.planes().map(plane)).collect()
    }
}

/// Times one query after another, as `place/variant`.
pub fn each<Q, A>(c: &mut Criterion, place: String, variant: &str, questions: &[Q], mut ask: impl FnMut(&Q) -> A) {
    let mut turn = questions.iter().cycle();
    let mut next = move || turn.next().expect("a workload has questions");
    let mut group = c.benchmark_group(place);
    group.throughput(Throughput::Elements(1)).bench_function(variant, |b| b.iter(|| ask(black_box(next()))));
}

/// Oriented boxes that move, each with a plane.
pub fn sweeps(count: usize) -> Vec<scenes::BoxSweep> {
    scenes::plane_sweeps(count, scenes::SEED)
}

/// A raw box as a box of the crates.
pub fn aabb(&[min, max]: &scenes::Bounds) -> Aabb {
    Aabb::new(min.into(), max.into()).expect("scenes have upright boxes in range")
}

/// A raw start and delta as a segment of the crates.
pub fn segment(&[start, delta]: &[[f32; 3]; 2]) -> Segment {
    Segment::new(start.into(), delta.into()).expect("workloads are in range")
}

/// A raw normal and distance as a plane of the crates.
pub fn plane([x, y, z, d]: [f32; 4]) -> Plane {
    Plane::new(Vec3::new(x, y, z), d).expect("workloads have normals")
}

/// A pool in which to build or to query.
pub fn threads(count: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(count).build().expect("the system starts threads")
}

/// About a second per id, since there are many ids.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .sample_size(20)
        .without_plots()
}
