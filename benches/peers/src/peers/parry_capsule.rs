//! `parry3d`: shape casts of capsules, and its test of whether two shapes intersect.

use crate::capsule_peer::{Answer, CapsulePeer, Pair, Question, Rest};
use cullide_narrowphase::glam::{DQuat, Vec3};
use parry3d::{
    math::{Pose, Rotation, Vector},
    query::{ShapeCastOptions, cast_shapes, intersection_test},
    shape::{Ball, Capsule, Cuboid, HalfSpace, Shape},
};
use std::{hint::black_box, ops::Range};

/// Capsules with their motions, where they start and where they are placed, and the shapes.
pub struct Parry {
    bodies: Vec<Body>,
    shapes: Vec<(Pose, Box<dyn Shape>)>,
    answers: Vec<Answer>,
}

struct Body {
    start: Pose,
    place: Pose,
    motion: Vector,
    capsule: Capsule,
}

impl Parry {
    pub fn new(pairs: &[Pair]) -> Self {
        let body = |pair: &Pair| Body {
            start: Pose::from_translation(vector(pair.start)),
            place: Pose::from_translation(vector(pair.place)),
            motion: vector(pair.motion),
            capsule: capsule(pair.half_axis, pair.radius),
        };
        Self {
            bodies: pairs.iter().map(body).collect(),
            shapes: pairs.iter().map(|pair| shape(pair.at, pair.rest)).collect(),
            answers: Vec::new(),
        }
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}

fn capsule(half_axis: Vec3, radius: f32) -> Capsule {
    Capsule::new(vector(-half_axis), vector(half_axis), radius)
}

fn shape(at: Vec3, rest: Rest) -> (Pose, Box<dyn Shape>) {
    let there = Pose::from_translation(vector(at));
    match rest {
        Rest::Aabb { half_extents } => (there, Box::new(Cuboid::new(vector(half_extents)))),
        Rest::Obb { half_edges } => {
            let sizes = half_edges.map(|edge| edge.as_dvec3().length() as f32);
            let [x, y, z] = half_edges.map(|edge| edge.as_dvec3().normalize());
            let rotation = DQuat::from_rotation_axes(x, y, z).normalize().to_array().map(|x| x as f32);
            let pose = Pose::from_parts(vector(at), Rotation::from_array(rotation));
            (pose, Box::new(Cuboid::new(Vector::from_array(sizes))))
        }
        Rest::Ball { radius } => (there, Box::new(Ball::new(radius))),
        Rest::Capsule { half_axis, radius } => (there, Box::new(capsule(half_axis, radius))),
        Rest::Plane { normal } => (there, Box::new(HalfSpace::new(vector(normal)))),
    }
}

impl CapsulePeer for Parry {
    fn name(&self) -> &str {
        "parry3d"
    }

    /// The shape at rest comes first, so that the computation is in its frame.
    fn ask(&mut self, question: Question, pairs: Range<usize>) {
        let Self { bodies, shapes, answers } = self;
        let pairs = bodies[pairs.clone()].iter().zip(&shapes[pairs]);
        match question {
            Question::Sweep => answers.extend(pairs.map(|(body, (pose, shape))| {
                let Body { start, motion, capsule, .. } = body;
                let options = ShapeCastOptions::with_max_time_of_impact(1.0);
                let hit = cast_shapes(pose, Vector::ZERO, &**shape, start, *motion, capsule, options);
                black_box(&hit.expect("it has this pair")).as_ref().map(|hit| hit.time_of_impact)
            })),
            Question::Overlap => answers.extend(pairs.map(|(Body { place, capsule, .. }, (pose, shape))| {
                let found = intersection_test(pose, &**shape, place, capsule).expect("it has this pair");
                found.intersecting.then_some(0.0)
            })),
        }
    }

    fn take(&mut self) -> Vec<Answer> {
        self.answers.drain(..).collect()
    }
}
