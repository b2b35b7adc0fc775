//! `parry3d`: shape casts and distances of its own shapes.

use crate::convex_peer::{Answer, ConvexPeer, Pair, Question, Solid};
use cullide_narrowphase::glam::Vec3;
use parry3d::{
    math::{Pose, Rotation, Vector},
    query::{ShapeCastOptions, cast_shapes, distance},
    shape::{Capsule, ConvexPolyhedron, Cuboid, Shape, Triangle},
};
use std::{hint::black_box, ops::Range};

/// The moving shapes where they start, their motions, and the shapes at rest.
pub struct Parry {
    pairs: Vec<(Placed, Vector, Placed)>,
    answers: Vec<Answer>,
}

type Placed = (Pose, Box<dyn Shape>);

impl Parry {
    pub fn new(pairs: &[Pair]) -> Self {
        let pair =
            |pair: &Pair| (placed(&pair.moving, pair.start), vector(pair.motion), placed(&pair.rest, Vec3::ZERO));
        Self { pairs: pairs.iter().map(pair).collect(), answers: Vec::new() }
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}

fn placed(solid: &Solid, at: Vec3) -> Placed {
    let there = Pose::from_translation(vector(at));
    match solid {
        Solid::Box { rotation, half_extents } => {
            let pose = Pose::from_parts(vector(at), Rotation::from_array(rotation.to_array()));
            (pose, Box::new(Cuboid::new(vector(*half_extents))))
        }
        Solid::Hull { points } => {
            let points: Vec<Vector> = points.iter().map(|point| vector(*point)).collect();
            (there, Box::new(ConvexPolyhedron::from_convex_hull(&points).expect("a hull")))
        }
        Solid::Triangle { points } => {
            let [a, b, c] = points.map(vector);
            (there, Box::new(Triangle::new(a, b, c)))
        }
        Solid::Capsule { half_axis, radius } => {
            (there, Box::new(Capsule::new(vector(-*half_axis), vector(*half_axis), *radius)))
        }
    }
}

impl ConvexPeer for Parry {
    fn name(&self) -> &str {
        "parry3d"
    }

    /// The shape at rest comes first, so that the computation is in its frame.
    fn ask(&mut self, question: Question, pairs: Range<usize>) {
        let asked = self.pairs[pairs].iter();
        if question == Question::Distance {
            self.answers.extend(asked.map(|((start, moving), _, (at, rest))| {
                Some(black_box(distance(at, &**rest, start, &**moving).expect("it has this pair")).distance)
            }));
            return;
        }
        self.answers.extend(asked.map(|((start, moving), motion, (at, rest))| {
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let hit = cast_shapes(at, Vector::ZERO, &**rest, start, *motion, &**moving, options);
            black_box(&hit.expect("it has this pair")).as_ref().map(|hit| hit.time_of_impact)
        }));
    }

    fn take(&mut self) -> Vec<Answer> {
        self.answers.drain(..).collect()
    }
}
