//! `cullide-narrowphase`: capsules that move past shapes or overlap them, one pair at a time.

use crate::capsule_peer::{Answer, CapsulePeer, Kind, Pair, Question, Rest};
use cullide_narrowphase::Solid as _;
use cullide_narrowphase::{Aabb, Capsule, CapsuleSweep, Obb, Plane, Side, Sides, Sphere, Sweep, glam::Vec3};
use std::{hint::black_box, ops::Range};

/// Capsules with their starts and motions, where they are placed, and the shapes.
pub struct Ours {
    sweeps: Vec<CapsuleSweep>,
    placed: Vec<Capsule>,
    shapes: Shapes,
    answers: Vec<Answer>,
}

/// All of one kind, as a game stores them in arrays.
enum Shapes {
    Aabbs(Vec<Aabb>),
    Obbs(Vec<Obb>),
    Balls(Vec<Sphere>),
    Capsules(Vec<Capsule>),
    Planes(Vec<Plane>),
}

impl Ours {
    pub fn new(kind: Kind, pairs: &[Pair]) -> Self {
        let capsule =
            |pair: &Pair, center: Vec3| Capsule::from_half_axis(center, pair.half_axis, pair.radius).expect("in range");
        let sweep = |pair: &Pair| CapsuleSweep::new(capsule(pair, pair.start), pair.motion).expect("in range");
        Self {
            sweeps: pairs.iter().map(sweep).collect(),
            placed: pairs.iter().map(|pair| capsule(pair, pair.place)).collect(),
            shapes: Shapes::new(kind, pairs),
            answers: Vec::new(),
        }
    }
}

impl Shapes {
    fn new(kind: Kind, pairs: &[Pair]) -> Self {
        match kind {
            Kind::Aabb => Self::Aabbs(all(pairs, |at, rest| match rest {
                Rest::Aabb { half_extents } => Aabb::new(at - half_extents, at + half_extents).ok(),
                _ => None,
            })),
            Kind::Obb => Self::Obbs(all(pairs, |at, rest| match rest {
                Rest::Obb { half_edges } => Obb::from_half_edges(at, half_edges).ok(),
                _ => None,
            })),
            Kind::Ball => Self::Balls(all(pairs, |at, rest| match rest {
                Rest::Ball { radius } => Sphere::new(at, radius).ok(),
                _ => None,
            })),
            Kind::Capsule => Self::Capsules(all(pairs, |at, rest| match rest {
                Rest::Capsule { half_axis, radius } => Capsule::from_half_axis(at, half_axis, radius).ok(),
                _ => None,
            })),
            Kind::Plane => Self::Planes(all(pairs, |at, rest| match rest {
                Rest::Plane { normal } => Plane::from_point_normal(at, normal).ok(),
                _ => None,
            })),
        }
    }
}

fn all<S>(pairs: &[Pair], shape: impl Fn(Vec3, Rest) -> Option<S>) -> Vec<S> {
    pairs.iter().map(|pair| shape(pair.at, pair.rest).expect("a shape of this kind")).collect()
}

fn toi(sweep: &Sweep) -> Answer {
    match sweep {
        Sweep::Clear => None,
        Sweep::Hit(hit) => Some(hit.toi),
        Sweep::Overlap(_) => Some(0.0),
    }
}

impl CapsulePeer for Ours {
    fn name(&self) -> &str {
        "ours"
    }

    fn ask(&mut self, question: Question, pairs: Range<usize>) {
        let Self { sweeps, placed, shapes, answers } = self;
        match question {
            // One loop for each kind, so that the call can be inlined as in a game.
            Question::Sweep => {
                let answer = |sweep: Sweep| toi(black_box(&sweep));
                match shapes {
                    Shapes::Aabbs(all) => answers.extend(pairs.map(|i| answer(sweeps[i].against(all[i])))),
                    Shapes::Obbs(all) => answers.extend(pairs.map(|i| answer(sweeps[i].against(all[i])))),
                    Shapes::Balls(all) => answers.extend(pairs.map(|i| answer(sweeps[i].against(all[i])))),
                    Shapes::Capsules(all) => answers.extend(pairs.map(|i| answer(sweeps[i].against(all[i])))),
                    Shapes::Planes(all) => {
                        answers.extend(pairs.map(|i| answer(sweeps[i].against_plane(&all[i], Sides::Front))));
                    }
                }
            }
            Question::Overlap => {
                let answer = |overlaps: bool| overlaps.then_some(0.0);
                match shapes {
                    Shapes::Aabbs(all) => answers.extend(pairs.map(|i| answer(placed[i].overlaps_aabb(&all[i])))),
                    Shapes::Obbs(all) => answers.extend(pairs.map(|i| answer(placed[i].overlaps_obb(&all[i])))),
                    Shapes::Balls(all) => answers.extend(pairs.map(|i| answer(placed[i].overlaps_sphere(&all[i])))),
                    Shapes::Capsules(all) => answers.extend(pairs.map(|i| answer(placed[i].overlaps(&all[i])))),
                    Shapes::Planes(all) => {
                        answers.extend(pairs.map(|i| answer(all[i].side_of_capsule(&placed[i]) != Side::Front)));
                    }
                }
            }
        }
    }

    fn take(&mut self) -> Vec<Answer> {
        self.answers.drain(..).collect()
    }
}
