//! `bvh`: its binary tree. Its ordered iterators cannot be cut short and guarantee no exact order, so the closest box
//! is found with its plain iterator and a query that shrinks.

use crate::{
    leaf::{Frustum, Slab},
    peer::{Bounds, Path, Peer, Plane, Reach, Support},
};
use bvh::{
    aabb::{Aabb, Bounded, IntersectsAabb},
    bounding_hierarchy::BHShape,
    bvh::Bvh,
};
use nalgebra::Point3;
use std::cell::Cell;

#[derive(Clone)]
struct Shape {
    aabb: Aabb<f32, 3>,
    index: u32,
    node: usize,
}

impl Bounded<f32, 3> for Shape {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.aabb
    }
}

impl BHShape<f32, 3> for Shape {
    fn set_bh_node_index(&mut self, node: usize) {
        self.node = node;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

pub struct Binary {
    shapes: Vec<Shape>,
    tree: Bvh<f32, 3>,
}

impl Binary {
    pub fn new(boxes: &[Bounds]) -> Self {
        let shape = |(i, bounds): (usize, &Bounds)| Shape { aabb: aabb(bounds), index: i as u32, node: 0 };
        Self { shapes: boxes.iter().enumerate().map(shape).collect(), tree: Bvh { nodes: Vec::new() } }
    }
}

impl Peer for Binary {
    fn name(&self) -> &str {
        "bvh"
    }

    fn build(&mut self) -> Support {
        self.tree = Bvh::build(&mut self.shapes);
        Support::Answered
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        entries.extend(paths.iter().map(|path| {
            let query = Shrinking { slab: Slab::new(path), limit: Cell::new(reach.limit()) };
            let mut best = None;
            for shape in self.tree.traverse_iterator(&query, &self.shapes) {
                let entry = query.entry(&shape.aabb);
                if entry < f32::INFINITY {
                    query.limit.set(entry);
                    best = Some(entry);
                }
            }
            best
        }));
        Support::Answered
    }

    fn overlap(&self, queries: &[Bounds], counts: &mut Vec<u32>) -> Support {
        counts
            .extend(queries.iter().map(|query| self.tree.traverse_iterator(&aabb(query), &self.shapes).count() as u32));
        Support::Answered
    }

    fn cull(&self, planes: &[Plane; 6], seen: &mut Vec<u32>) -> Support {
        let query = Visible(Frustum::new(planes));
        seen.extend(self.tree.traverse_iterator(&query, &self.shapes).map(|shape| shape.index));
        Support::Answered
    }
}

/// A path that ends at the nearest entry so far.
struct Shrinking {
    slab: Slab,
    limit: Cell<f32>,
}

impl Shrinking {
    fn entry(&self, aabb: &Aabb<f32, 3>) -> f32 {
        self.slab.entry(aabb.min.into(), aabb.max.into(), self.limit.get())
    }
}

impl IntersectsAabb<f32, 3> for Shrinking {
    fn intersects_aabb(&self, aabb: &Aabb<f32, 3>) -> bool {
        self.entry(aabb) < f32::INFINITY
    }
}

struct Visible(Frustum);

impl IntersectsAabb<f32, 3> for Visible {
    fn intersects_aabb(&self, aabb: &Aabb<f32, 3>) -> bool {
        !self.0.excludes(aabb.min.into(), aabb.max.into())
    }
}

fn aabb(bounds: &Bounds) -> Aabb<f32, 3> {
    let [min, max] = bounds.map(Point3::from);
    Aabb::with_bounds(min, max)
}
