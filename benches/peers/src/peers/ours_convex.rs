//! Ours: `ConvexCore`, made before the clock starts, as a world's query makes that of its mover.

use crate::convex_peer::{Answer, ConvexPeer, Pair, Question, Solid};
use cullide_narrowphase::{Capsule, Convex, ConvexCore, ConvexSweep, Hull, Obb, Triangle, glam::Vec3};
use std::{hint::black_box, ops::Range};

/// The moving shapes where they start, their motions, and the shapes at rest.
pub struct Ours {
    pairs: Vec<(ConvexCore, Vec3, ConvexCore)>,
    answers: Vec<Answer>,
}

impl Ours {
    pub fn new(pairs: &[Pair]) -> Self {
        let pair = |pair: &Pair| (core(&pair.moving, pair.start), pair.motion, core(&pair.rest, Vec3::ZERO));
        Self { pairs: pairs.iter().map(pair).collect(), answers: Vec::new() }
    }
}

fn core(solid: &Solid, at: Vec3) -> ConvexCore {
    match solid {
        Solid::Box { rotation, half_extents } => {
            Convex::from(Obb::new(at, *rotation, *half_extents).expect("a box")).core()
        }
        Solid::Hull { points } => {
            let points: Vec<Vec3> = points.iter().map(|point| *point + at).collect();
            Convex::from(&Hull::new(&points).expect("a hull")).core()
        }
        Solid::Triangle { points } => {
            let [a, b, c] = points.map(|point| point + at);
            Convex::from(Triangle::new(a, b, c).expect("a triangle")).core()
        }
        Solid::Capsule { half_axis, radius } => {
            Convex::from(Capsule::from_half_axis(at, *half_axis, *radius).expect("a capsule")).core()
        }
    }
}

impl ConvexPeer for Ours {
    fn name(&self) -> &str {
        "ours"
    }

    fn ask(&mut self, question: Question, pairs: Range<usize>) {
        let asked = self.pairs[pairs].iter();
        if question == Question::Distance {
            self.answers.extend(asked.map(|(moving, _, rest)| {
                let found = black_box(moving.distance(rest));
                Some(found.separation as f32)
            }));
            return;
        }
        self.answers.extend(asked.map(|(moving, motion, rest)| {
            match black_box(moving.sweep(*motion, rest, 1.0).expect("a motion in range")) {
                ConvexSweep::Hit(hit) => Some(hit.toi),
                ConvexSweep::Overlap => Some(0.0),
                ConvexSweep::Clear => None,
            }
        }));
    }

    fn take(&mut self) -> Vec<Answer> {
        self.answers.drain(..).collect()
    }
}
