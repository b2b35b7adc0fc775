//! `obvhs`: its binary tree and its compressed eight-wide one.

use crate::{
    leaf::Slab,
    peer::{Bounds, Path, Peer, Reach, Support},
};
use cullide_bvh::narrowphase::glam::Vec3A;
use obvhs::{
    BvhBuildParams,
    aabb::Aabb,
    bvh2::{Bvh2, builder::build_bvh2},
    cwbvh::{CwBvh, builder::build_cwbvh},
    ray::{Ray, RayHit},
};
use std::time::Duration;

/// The boxes, and how to build over them.
struct Source {
    name: &'static str,
    params: BvhBuildParams,
    boxes: Vec<Aabb>,
    raw: Vec<Bounds>,
}

impl Source {
    fn new(name: &'static str, params: BvhBuildParams, boxes: &[Bounds]) -> Self {
        Self { name, params, boxes: boxes.iter().map(aabb).collect(), raw: boxes.to_vec() }
    }
}

/// `Bvh2`.
pub struct Binary {
    source: Source,
    tree: Bvh2,
}

impl Binary {
    pub fn fastest(boxes: &[Bounds]) -> Self {
        Self::new(Source::new("obvhs Bvh2 fastest", BvhBuildParams::fastest_build(), boxes))
    }

    pub fn medium(boxes: &[Bounds]) -> Self {
        Self::new(Source::new("obvhs Bvh2 medium", BvhBuildParams::medium_build(), boxes))
    }

    fn new(source: Source) -> Self {
        Self { source, tree: Bvh2::default() }
    }
}

impl Peer for Binary {
    fn name(&self) -> &str {
        self.source.name
    }

    fn build(&mut self) -> Support {
        self.tree = build_bvh2(&self.source.boxes, self.source.params, &mut Duration::default());
        Support::Answered
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        let Self { source, tree } = self;
        entries.extend(paths.iter().map(|path| {
            let slab = Slab::new(path);
            let mut hit = RayHit::none();
            let found = tree.ray_traverse(ray(path, reach), &mut hit, |ray, i| {
                let [min, max] = source.raw[tree.primitive_indices[i] as usize];
                slab.entry(min, max, ray.tmax)
            });
            found.then_some(hit.t)
        }));
        Support::Answered
    }

    fn overlap(&self, queries: &[Bounds], counts: &mut Vec<u32>) -> Support {
        let Self { source, tree } = self;
        counts.extend(queries.iter().map(|query| {
            let query = aabb(query);
            let mut count = 0;
            tree.aabb_traverse(query, |tree, node| {
                let node = &tree.nodes[node as usize];
                let leaves = node.first_index as usize..(node.first_index + node.prim_count) as usize;
                // A leaf node of one box is that box; for several boxes, only their union was tested.
                count += match leaves.len() {
                    1 => 1,
                    _ => tree.primitive_indices[leaves]
                        .iter()
                        .filter(|&&i| source.boxes[i as usize].intersect_aabb(&query))
                        .count() as u32,
                };
                true
            });
            count
        }));
        Support::Answered
    }
}

/// `CwBvh`.
pub struct Wide {
    source: Source,
    tree: CwBvh,
}

impl Wide {
    pub fn fastest(boxes: &[Bounds]) -> Self {
        Self::new(Source::new("obvhs CwBvh fastest", BvhBuildParams::fastest_build(), boxes))
    }

    pub fn slow(boxes: &[Bounds]) -> Self {
        Self::new(Source::new("obvhs CwBvh slow", BvhBuildParams::slow_build(), boxes))
    }

    fn new(source: Source) -> Self {
        Self { source, tree: CwBvh::default() }
    }
}

impl Peer for Wide {
    fn name(&self) -> &str {
        self.source.name
    }

    fn build(&mut self) -> Support {
        self.tree = build_cwbvh(&self.source.boxes, self.source.params, &mut Duration::default());
        Support::Answered
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        let Self { source, tree } = self;
        entries.extend(paths.iter().map(|path| {
            let slab = Slab::new(path);
            let mut hit = RayHit::none();
            let found = tree.ray_traverse(ray(path, reach), &mut hit, |ray, i| {
                let [min, max] = source.raw[tree.primitive_indices[i] as usize];
                slab.entry(min, max, ray.tmax)
            });
            found.then_some(hit.t)
        }));
        Support::Answered
    }
}

fn ray(path: &Path, reach: Reach) -> Ray {
    let [origin, direction] = path.map(Vec3A::from_array);
    Ray::new(origin, direction, 0.0, reach.limit())
}

fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vec3A::from_array);
    Aabb::new(min, max)
}
