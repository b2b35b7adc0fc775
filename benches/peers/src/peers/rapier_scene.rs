//! `rapier3d`: its query pipeline.

use crate::scene_peer::{Asked, Placed, Question, ScenePeer};
use cullide_narrowphase::glam::Vec3;
use parry3d::{
    partitioning::{Bvh, BvhBuildStrategy},
    query::{DefaultQueryDispatcher, ShapeCastOptions},
    shape::Cuboid,
};
use rapier3d::{
    math::{Pose, Real, Rotation, Vector},
    prelude::{
        Aabb, BroadPhaseBvh, ColliderBuilder, ColliderSet, IntegrationParameters, QueryFilter, QueryPipeline, Ray,
        RigidBodySet,
    },
};
use std::ops::Range;

/// The number of updates before a kept tree is queried: each improves it slightly.
const UPDATES: usize = 64;

pub struct Pipeline {
    name: &'static str,
    colliders: ColliderSet,
    bodies: RigidBodySet,
    phase: BroadPhaseBvh,
    /// Used in place of the broadphase's tree.
    tree: Option<Bvh>,
}

impl Pipeline {
    /// Queried over the tree that its broadphase keeps.
    pub fn kept(objects: &[Placed]) -> Self {
        let (colliders, bodies, mut phase) = (colliders(objects), RigidBodySet::new(), BroadPhaseBvh::new());
        let params = IntegrationParameters::default();
        for (handle, collider) in colliders.iter() {
            phase.set_aabb(&params, handle, collider.compute_aabb());
        }
        for _ in 0..UPDATES {
            phase.update(&params, &colliders, &bodies, &[], &[], &mut Vec::new());
        }
        Self { name: "rapier3d pipeline", colliders, bodies, phase, tree: None }
    }

    /// Queried over the best tree that `parry3d` builds, which a user may pass to it.
    pub fn built(objects: &[Placed]) -> Self {
        let colliders = colliders(objects);
        // Numbered in the order of insertion.
        let boxes: Vec<Aabb> = colliders.iter().map(|(_, collider)| collider.compute_aabb()).collect();
        let tree = Some(Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes));
        let (bodies, phase) = (RigidBodySet::new(), BroadPhaseBvh::new());
        Self { name: "rapier3d, binned tree", colliders, bodies, phase, tree }
    }
}

fn colliders(objects: &[Placed]) -> ColliderSet {
    let mut colliders = ColliderSet::new();
    for placed in objects {
        let [x, y, z] = placed.half_extents.to_array();
        colliders.insert(ColliderBuilder::cuboid(x, y, z).position(pose(placed)));
    }
    colliders
}

impl ScenePeer for Pipeline {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ask(&self, asked: &Asked, question: Question, which: Range<usize>, answers: &mut Vec<f32>) {
        let (dispatcher, filter) = (DefaultQueryDispatcher, QueryFilter::default());
        let kept = self.phase.as_query_pipeline(&dispatcher, &self.bodies, &self.colliders, filter);
        let pipeline = match &self.tree {
            Some(tree) => QueryPipeline { bvh: tree, ..kept },
            None => kept,
        };
        match question {
            Question::Ray => answers.extend(asked.rays[which].iter().map(|&(start, direction, length)| {
                let hit = pipeline.cast_ray_and_get_normal(&Ray::new(vector(start), vector(direction)), length, true);
                hit.map_or(f32::INFINITY, |(_, hit)| hit.time_of_impact)
            })),
            Question::Overlap => answers.extend(
                asked.volumes[which]
                    .iter()
                    .map(|volume| pipeline.intersect_shape(pose(volume), &cuboid(volume)).count() as f32),
            ),
            Question::Sweep => answers.extend(asked.sweeps[which].iter().map(|(body, motion)| {
                let options = ShapeCastOptions { max_time_of_impact: 1.0, ..ShapeCastOptions::default() };
                let hit = pipeline.cast_shape(&pose(body), vector(*motion), &cuboid(body), options);
                hit.map_or(f32::INFINITY, |(_, hit)| hit.time_of_impact)
            })),
            Question::Nearest => answers.extend(asked.volumes[which].iter().map(|volume| {
                let center = vector(volume.center);
                let found = pipeline.project_point(center, Real::MAX, true);
                found.map_or(f32::INFINITY, |(_, nearest)| (nearest.point - center).length())
            })),
        }
    }
}

fn cuboid(placed: &Placed) -> Cuboid {
    Cuboid::new(vector(placed.half_extents))
}

fn pose(placed: &Placed) -> Pose {
    Pose::from_parts(vector(placed.center), Rotation::from_array(placed.rotation.to_array()))
}

fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}
