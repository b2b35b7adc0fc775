//! `cullide-bvh`.

use crate::peer::{Bounds, Path, Peer, Plane, Reach, Support};
use cullide_bvh::{
    ALL, Bvh, Probe, Visit,
    narrowphase::{self, Aabb, Ray, Segment, glam::Vec3},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A tree over the boxes, built on as many threads as asked for.
pub struct Builder {
    name: String,
    boxes: Vec<Aabb>,
    pool: ThreadPool,
    tree: Bvh,
}

impl Builder {
    pub fn new(boxes: &[Bounds], threads: usize) -> Self {
        let boxes = boxes.iter().map(aabb).collect();
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("the system starts threads");
        Self { name: format!("ours, {threads} threads"), boxes, pool, tree: Bvh::new() }
    }
}

impl Peer for Builder {
    fn name(&self) -> &str {
        &self.name
    }

    fn build(&mut self) -> Support {
        self.tree = self.pool.install(|| Bvh::build(&self.boxes));
        Support::Answered
    }
}

/// The tree and its queries.
pub struct Ours(Builder);

impl Ours {
    pub fn new(boxes: &[Bounds], threads: usize) -> Self {
        Self(Builder { name: "ours".into(), ..Builder::new(boxes, threads) })
    }
}

impl Peer for Ours {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn build(&mut self) -> Support {
        self.0.build()
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        let tree = &self.0.tree;
        match reach {
            Reach::Distance(limit) => entries.extend(paths.iter().map(|path| {
                let [origin, direction] = path.map(Vec3::from_array);
                let ray = Ray::new(origin, direction).expect("a direction");
                Some(tree.closest(&Probe::ray(&ray, limit), ALL)?.1)
            })),
            Reach::Delta => entries.extend(paths.iter().map(|path| {
                let [start, delta] = path.map(Vec3::from_array);
                let segment = Segment::new(start, delta).expect("finite");
                Some(tree.closest(&Probe::segment(&segment), ALL)?.1)
            })),
        }
        Support::Answered
    }

    fn overlap(&self, queries: &[Bounds], counts: &mut Vec<u32>) -> Support {
        counts.extend(queries.iter().map(|query| {
            let mut count = 0;
            self.0.tree.overlap_aabb(&aabb(query), ALL, |_| {
                count += 1;
                Visit::Continue
            });
            count
        }));
        Support::Answered
    }

    fn cull(&self, planes: &[Plane; 6], seen: &mut Vec<u32>) -> Support {
        let planes = planes.map(|[x, y, z, d]| narrowphase::Plane::new(Vec3::new(x, y, z), d).expect("a normal"));
        self.0.tree.cull(&planes, ALL, |leaf, _| {
            seen.push(leaf.index() as u32);
            Visit::Continue
        });
        Support::Answered
    }
}

fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vec3::from_array);
    Aabb::new(min, max).expect("a box")
}
