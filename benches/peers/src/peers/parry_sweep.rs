//! `parry3d`: shape casts of cuboids against half-spaces, and contact manifolds where they end.

use crate::{
    peer::Support,
    sweep_peer::{Case, Question, SweepPeer, Verdict},
};
use cullide_narrowphase::glam::{DQuat, Vec3};
use parry3d::{
    math::{Pose, Rotation, Vector},
    query::{
        ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, ShapeCastHit, ShapeCastOptions,
        ShapeCastStatus, cast_shapes,
    },
    shape::{Cuboid, HalfSpace},
};
use std::{hint::black_box, ops::Range};

/// A length: points within this distance of the plane at the time of impact are contacts.
const PREDICTION: f32 = 1e-3;

/// Cuboids and half-spaces, each with its pose.
pub struct Parry {
    bodies: Vec<(Pose, Cuboid, Vector)>,
    planes: Vec<(Pose, HalfSpace)>,
    /// Kept to reuse its memory.
    manifolds: Vec<ContactManifold<(), ()>>,
    answers: Vec<Verdict>,
}

impl Parry {
    pub fn new(cases: &[Case]) -> Self {
        let vector = |v: Vec3| Vector::from_array(v.to_array());
        let body = |case: &Case| {
            let sizes = case.half_edges.map(|edge| edge.as_dvec3().length());
            let [x, y, z] = case.half_edges.map(|edge| edge.as_dvec3().normalize());
            let rotation = DQuat::from_rotation_axes(x, y, z).normalize().to_array().map(|x| x as f32);
            let pose = Pose::from_parts(vector(case.center), Rotation::from_array(rotation));
            (pose, Cuboid::new(Vector::from_array(sizes.map(|x| x as f32))), vector(case.motion))
        };
        let plane = |case: &Case| {
            let normal = vector(case.normal);
            (Pose::from_translation(normal * -case.d), HalfSpace::new(normal))
        };
        Self {
            bodies: cases.iter().map(body).collect(),
            planes: cases.iter().map(plane).collect(),
            manifolds: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// The plane comes first, so that the cast is computed in its frame.
    fn cast(&self, i: usize) -> Option<ShapeCastHit> {
        let (pose, body, motion) = &self.bodies[i];
        let (plane_pose, plane) = &self.planes[i];
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        cast_shapes(plane_pose, Vector::ZERO, plane, pose, *motion, body, options).expect("it has this pair")
    }

    fn touch(&mut self, i: usize, hit: &ShapeCastHit) {
        let (pose, body, motion) = &self.bodies[i];
        let (plane_pose, plane) = &self.planes[i];
        let there = Pose::from_parts(pose.translation + *motion * hit.time_of_impact, pose.rotation);
        // Points of another pair must not be tracked.
        self.manifolds.iter_mut().for_each(|manifold| manifold.points.clear());
        DefaultQueryDispatcher
            .contact_manifolds(&plane_pose.inv_mul(&there), plane, body, PREDICTION, &mut self.manifolds, &mut None)
            .expect("it has this pair");
        black_box(&self.manifolds);
    }
}

fn verdict(hit: Option<&ShapeCastHit>) -> Verdict {
    match hit {
        None => Verdict::Clear,
        Some(hit) if hit.status == ShapeCastStatus::PenetratingOrWithinTargetDist => Verdict::Overlap,
        Some(hit) => Verdict::Hit(hit.time_of_impact),
    }
}

impl SweepPeer for Parry {
    fn name(&self) -> &str {
        "parry3d"
    }

    fn ask(&mut self, question: Question, cases: Range<usize>) -> Support {
        match question {
            Question::Time => {
                for i in cases {
                    let hit = self.cast(i);
                    self.answers.push(verdict(hit.as_ref()));
                }
            }
            Question::Contacts => {
                for i in cases {
                    let hit = self.cast(i);
                    if let Some(hit) = &hit {
                        self.touch(i, hit);
                    }
                    self.answers.push(verdict(hit.as_ref()));
                }
            }
            // Its casts of rotating shapes do not support half-spaces.
            Question::Turning => return Support::NotOffered,
        }
        Support::Answered
    }

    fn take(&mut self) -> Vec<Verdict> {
        self.answers.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_that_lands_flat_touches_with_four_points() {
        let half_edges = [Vec3::X, Vec3::Y * 1.5, Vec3::Z * 2.5];
        let (center, motion) = (Vec3::Y * 5.5, Vec3::NEG_Y * 8.0);
        let mut parry = Parry::new(&[Case { center, half_edges, motion, turn: Vec3::ZERO, normal: Vec3::Y, d: 0.0 }]);
        assert_eq!(parry.ask(Question::Contacts, 0..1), Support::Answered);
        assert_eq!((parry.take(), parry.manifolds[0].points.len()), (vec![Verdict::Hit(0.5)], 4));
    }
}
