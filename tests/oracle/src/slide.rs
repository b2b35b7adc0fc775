//! Whether a slide along several planes is the best one: the Moreau projection of the motion.
//!
//! With `K` the motions that go behind no plane, `N·x >= 0` for each, the projection of `u` is the one `x` with `x` in
//! `K`, `u - x` in the polar cone of `K`, and `x·(u - x) = 0` (Moreau, "Décomposition orthogonale d'un espace
//! hilbertien selon deux cônes mutuellement polaires", 1962).

use crate::ratio::square_root;
use crate::vector::{Point, Real, Vector};
use crate::{Exact, Ratio};

/// The motion nearest to `motion` that goes behind none of the planes, exactly.
///
/// It is the foot of the perpendicular on the whole space, on one plane, on the line of two, or zero; of the feet
/// within the cone, the longest is the nearest.
pub fn slide<T: Real, U: Real>(motion: [T; 3], normals: &[[U; 3]]) -> Point {
    let normals: Vec<_> = normals.iter().map(|&normal| Vector::new(normal)).collect();
    project(&Vector::new(motion), &normals)
}

fn project(motion: &Vector, normals: &[Vector]) -> Point {
    let mut feet = vec![(motion.clone(), Exact::ONE)];
    for (i, a) in normals.iter().enumerate() {
        let square = a.length_squared();
        feet.push((motion.times(&square).minus(&a.times(&a.dot(motion))), square));
        for b in &normals[..i] {
            let line = a.cross(b);
            feet.push((line.times(&line.dot(motion)), line.length_squared()));
        }
    }
    feet.retain(|(foot, scale)| scale.is_positive() && normals.iter().all(|n| !n.dot(foot).is_negative()));
    let length = |foot: &Vector, scale: &Exact| Ratio::new(foot.length_squared(), scale * scale);
    feet.into_iter()
        .max_by(|(a, s), (b, t)| length(a, s).cmp(&length(b, t)))
        .and_then(|(foot, scale)| Point::from_quotient(foot, scale))
        .unwrap_or_else(|| Point::new([0, 0, 0]))
}

/// How far an answer is from each of the three conditions of an optimal slide; all zero for the exact answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlideResiduals {
    /// How far the answer goes behind any plane, at most: a length.
    pub infeasible: f64,
    /// How far the removed part of the motion lies outside the polar cone: a length.
    pub not_polar: f64,
    /// The dot product of the answer and the removed part, without sign: a length squared.
    pub not_complementary: f64,
}

impl SlideResiduals {
    /// Whether the answer is optimal up to a tolerance relative to the motion's length.
    pub fn are_within(&self, tolerance: f64, motion_length: f64) -> bool {
        let bound = tolerance * motion_length;
        self.infeasible <= bound && self.not_polar <= bound && self.not_complementary <= bound * motion_length
    }
}

/// Checks the result of sliding `motion` along planes with the given normals (inward, of any length).
pub fn slide_residuals<T: Real, U: Real, V: Real>(
    motion: [T; 3],
    normals: &[[U; 3]],
    answer: [V; 3],
) -> SlideResiduals {
    let normals: Vec<_> = normals.iter().map(|&normal| Vector::new(normal)).collect();
    let answer = Vector::new(answer);
    let removed = Vector::new(motion).minus(&answer);
    let behind = |normal: &Vector| {
        let depth = -normal.dot(&answer);
        if depth.is_positive() { depth.to_f64() / length(normal) } else { 0.0 }
    };
    // The projection of the removed part on the cone is exactly the part outside the polar cone.
    let kept = project(&removed, &normals);
    SlideResiduals {
        infeasible: normals.iter().map(behind).fold(0.0, f64::max),
        not_polar: length(&kept.numerator) / kept.denominator.to_f64(),
        not_complementary: answer.dot(&removed).abs().to_f64(),
    }
}

fn length(vector: &Vector) -> f64 {
    square_root(&vector.length_squared()).to_f64()
}
