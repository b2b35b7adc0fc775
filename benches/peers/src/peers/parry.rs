//! `parry3d`: its binary tree, built with a binned surface area heuristic.

use crate::{
    leaf::{Frustum, Slab},
    peer::{Bounds, Path, Peer, Plane, Reach, Support},
};
use parry3d::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy},
    query::Ray,
};

pub struct Parry {
    boxes: Vec<Aabb>,
    raw: Vec<Bounds>,
    tree: Bvh,
}

impl Parry {
    pub fn new(boxes: &[Bounds]) -> Self {
        Self { boxes: boxes.iter().map(aabb).collect(), raw: boxes.to_vec(), tree: Bvh::new() }
    }
}

impl Peer for Parry {
    fn name(&self) -> &str {
        "parry3d binned"
    }

    fn build(&mut self) -> Support {
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
        Support::Answered
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        entries.extend(paths.iter().map(|path| {
            let [origin, direction] = path.map(Vector::from_array);
            let slab = Slab::new(path);
            let leaf = |leaf: u32, best: f32| {
                let [min, max] = self.raw[leaf as usize];
                let entry = slab.entry(min, max, best);
                (entry < f32::INFINITY).then_some(entry)
            };
            Some(self.tree.cast_ray(&Ray::new(origin, direction), reach.limit(), leaf)?.1)
        }));
        Support::Answered
    }

    fn overlap(&self, queries: &[Bounds], counts: &mut Vec<u32>) -> Support {
        counts.extend(queries.iter().map(|query| self.tree.intersect_aabb(&aabb(query)).count() as u32));
        Support::Answered
    }

    fn cull(&self, planes: &[Plane; 6], seen: &mut Vec<u32>) -> Support {
        let frustum = Frustum::new(planes);
        seen.extend(self.tree.leaves(|node| !frustum.excludes(node.mins().to_array(), node.maxs().to_array())));
        Support::Answered
    }
}

fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vector::from_array);
    Aabb::new(min, max)
}
