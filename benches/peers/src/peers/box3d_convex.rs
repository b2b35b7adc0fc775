//! Box3D: its cast and its distance of two point clouds with radii, given where they are.

use crate::convex_peer::{Answer, ConvexPeer, Pair, Question, Solid};
use box3d_sys::{
    b3DistanceInput, b3Quat, b3ShapeCast, b3ShapeCastPairInput, b3ShapeDistance, b3ShapeProxy, b3SimplexCache,
    b3Transform, b3Vec3,
};
use cullide_narrowphase::glam::Vec3;
use std::{hint::black_box, ops::Range, ptr};

/// The moving shapes where they start, their motions, and the shapes at rest.
pub struct Box3d {
    pairs: Vec<(Cloud, Vec3, Cloud)>,
    answers: Vec<Answer>,
}

struct Cloud {
    points: Vec<b3Vec3>,
    radius: f32,
}

impl Cloud {
    fn new(solid: &Solid, at: Vec3) -> Self {
        Self { points: solid.points().into_iter().map(|point| vector(point + at)).collect(), radius: solid.radius() }
    }

    fn proxy(&self) -> b3ShapeProxy {
        b3ShapeProxy { points: self.points.as_ptr(), count: self.points.len() as i32, radius: self.radius }
    }
}

impl Box3d {
    pub fn new(pairs: &[Pair]) -> Self {
        let pair =
            |pair: &Pair| (Cloud::new(&pair.moving, pair.start), pair.motion, Cloud::new(&pair.rest, Vec3::ZERO));
        Self { pairs: pairs.iter().map(pair).collect(), answers: Vec::new() }
    }
}

fn vector(v: Vec3) -> b3Vec3 {
    b3Vec3 { x: v.x, y: v.y, z: v.z }
}

impl ConvexPeer for Box3d {
    fn name(&self) -> &str {
        "Box3D"
    }

    fn ask(&mut self, question: Question, pairs: Range<usize>) {
        let transform = b3Transform { p: vector(Vec3::ZERO), q: b3Quat { v: vector(Vec3::ZERO), s: 1.0 } };
        let asked = self.pairs[pairs].iter();
        if question == Question::Distance {
            self.answers.extend(asked.map(|(moving, _, rest)| {
                let input = b3DistanceInput { proxyA: rest.proxy(), proxyB: moving.proxy(), transform, useRadii: true };
                let mut cache = b3SimplexCache::default();
                // SAFETY: the input, what it points to and the cache outlive the call; no simplexes are asked for.
                let output = black_box(unsafe { b3ShapeDistance(&input, &mut cache, ptr::null_mut(), 0) });
                Some(output.distance)
            }));
            return;
        }
        self.answers.extend(asked.map(|(moving, motion, rest)| {
            let input = b3ShapeCastPairInput {
                proxyA: rest.proxy(),
                proxyB: moving.proxy(),
                transform,
                translationB: vector(*motion),
                maxFraction: 1.0,
                canEncroach: false,
            };
            // SAFETY: the input and what it points to outlive the call.
            let output = black_box(unsafe { b3ShapeCast(&input) });
            output.hit.then_some(output.fraction)
        }));
    }

    fn take(&mut self) -> Vec<Answer> {
        self.answers.drain(..).collect()
    }
}
