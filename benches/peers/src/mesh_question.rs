//! The questions about a mesh, and asking a competitor against the clock.

use crate::{
    laps::Laps,
    mesh_peer::{Body, MeshPeer},
    peer::{Path, Reach, SLICE},
    question::{collect, time_slices},
    scene_peer::Placed,
};
use cullide_narrowphase::glam::{Quat, Vec3};
use cullide_scenes::{self as scenes, Rng, Surface};
use std::f32::consts::TAU;

/// A column of the table.
pub struct Column {
    pub title: &'static str,
    /// The unit that the title names, in nanoseconds.
    pub unit: f64,
    pub question: Question,
}

/// Many questions of one kind.
pub enum Question {
    Rays(Vec<Path>, Reach),
    /// Bodies of one kind, and their motions.
    Sweep(Vec<(Body, Vec3)>),
    Closest(Vec<Vec3>),
    /// Bodies of one kind.
    Overlap(Vec<Body>),
}

/// Long segments go between points of the bounds, enlarged by this fraction on each side.
const MARGIN: f32 = 0.1;

/// The length of short rays, as a fraction of the bounds' diagonal.
const SHORT: f32 = 0.03;

/// The size of bodies that are swept or tested for overlaps, as a fraction of the median edge length.
const BODY: f32 = 0.5;

/// How far bodies are swept, in sizes.
const MOTION: f32 = 10.0;

/// The workloads of a surface.
pub fn columns(surface: &Surface, seed: u64) -> Vec<Column> {
    let bounds = bounds_of(surface);
    let diagonal = Vec3::from(bounds[0]).distance(bounds[1].into());
    let [low, high] = bounds.map(Vec3::from);
    let margin = (high - low) * MARGIN;
    let grown = [(low - margin).to_array(), (high + margin).to_array()];
    let column = |title, unit, question| Column { title, unit, question };
    let mut near = Near { rng: Rng::with_seed(seed ^ 0x3e5), surface };
    let size = BODY * near.middle_edge();
    let length = SHORT * diagonal;
    let short = |near: &mut Near| [near.point(0.5 * length).to_array(), near.direction().to_array()];
    let sweep = |near: &mut Near, body: fn(&mut Near, Vec3, f32) -> Body| {
        let center = near.point_in_front(1.5 * size, 6.0 * size);
        (body(near, center, size), near.direction() * (MOTION * size))
    };
    let overlap = |near: &mut Near, body: fn(&mut Near, Vec3, f32) -> Body| {
        let center = near.point(3.0 * size);
        body(near, center, size)
    };
    let mut sweeps = |body| Question::Sweep((0..20_000).map(|_| sweep(&mut near, body)).collect());
    let [ball_sweeps, box_sweeps, capsule_sweeps] = [sweeps(ball), sweeps(turned_box), sweeps(capsule)];
    let mut overlaps = |body| Question::Overlap((0..20_000).map(|_| overlap(&mut near, body)).collect());
    let [ball_overlaps, box_overlaps, capsule_overlaps] = [overlaps(ball), overlaps(turned_box), overlaps(capsule)];
    let points = (0..20_000).map(|_| near.point(8.0 * size)).collect();
    let shorts = (0..100_000).map(|_| short(&mut near)).collect();
    vec![
        column("camera ns", 1.0, Question::Rays(scenes::camera_rays(bounds), Reach::Distance(2.0 * diagonal))),
        column("long ns", 1.0, Question::Rays(scenes::long_segments(grown, 50_000, seed), Reach::Delta)),
        column("short ns", 1.0, Question::Rays(shorts, Reach::Distance(length))),
        column("s. ball us", 1e3, ball_sweeps),
        column("s. box us", 1e3, box_sweeps),
        column("s. caps us", 1e3, capsule_sweeps),
        column("closest us", 1e3, Question::Closest(points)),
        column("o. ball ns", 1.0, ball_overlaps),
        column("o. box ns", 1.0, box_overlaps),
        column("o. caps ns", 1.0, capsule_overlaps),
    ]
}

/// Draws places near a surface.
struct Near<'a> {
    rng: Rng,
    surface: &'a Surface,
}

impl Near<'_> {
    /// The median edge length, over one edge of each triangle.
    fn middle_edge(&self) -> f32 {
        let length = |[a, b, _]: [[f32; 3]; 3]| Vec3::from(a).distance(b.into());
        let mut lengths: Vec<f32> = self.surface.corners().map(length).collect();
        lengths.sort_unstable_by(f32::total_cmp);
        lengths[lengths.len() / 2]
    }

    /// A point at most this far from a point of a triangle, on either side of it.
    fn point(&mut self, distance: f32) -> Vec3 {
        self.point_in_front(-distance, distance)
    }

    /// A point in front of a point of a triangle, with all triangles equally likely.
    fn point_in_front(&mut self, low: f32, high: f32) -> Vec3 {
        let corners = self.surface.triangles[self.rng.usize(..self.surface.triangles.len())];
        let [a, b, c] = corners.map(|i| Vec3::from(self.surface.vertices[i as usize]));
        let (mut u, mut v) = (self.rng.f32(), self.rng.f32());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let distance = low + (high - low) * self.rng.f32();
        a + (b - a) * u + (c - a) * v + (b - a).cross(c - a).normalize_or_zero() * distance
    }

    /// Uniform on the sphere.
    fn direction(&mut self) -> Vec3 {
        let (z, angle) = (2.0 * self.rng.f32() - 1.0, TAU * self.rng.f32());
        let across = (1.0 - z * z).sqrt();
        Vec3::new(across * angle.cos(), across * angle.sin(), z).normalize()
    }
}

fn ball(_: &mut Near, center: Vec3, size: f32) -> Body {
    Body::Ball { center, radius: size }
}

fn turned_box(near: &mut Near, center: Vec3, size: f32) -> Body {
    let rotation = Quat::from_axis_angle(near.direction(), TAU * near.rng.f32());
    Body::Box(Placed { center, rotation, half_extents: Vec3::new(0.8, 1.2, 0.6) * size })
}

fn capsule(near: &mut Near, center: Vec3, size: f32) -> Body {
    let half = near.direction() * (0.7 * size);
    Body::Capsule { ends: [center - half, center + half], radius: 0.6 * size }
}

/// The smallest box around all corners of triangles.
fn bounds_of(surface: &Surface) -> [[f32; 3]; 2] {
    let points = || surface.corners().flatten().map(Vec3::from_array);
    [points().fold(Vec3::INFINITY, Vec3::min), points().fold(Vec3::NEG_INFINITY, Vec3::max)].map(|v| v.to_array())
}

impl Question {
    /// Times one run; `None` if the competitor does not offer the question.
    pub fn time(&self, peer: &dyn MeshPeer) -> Option<Laps> {
        match self {
            Self::Rays(paths, reach) => time_slices(paths, peer.slice(), 0.0, |s, to| peer.rays(s, *reach, to)),
            Self::Sweep(sweeps) => time_slices(sweeps, SLICE, 0.0, |slice, to| peer.sweep(slice, to)),
            Self::Closest(points) => time_slices(points, SLICE, 0.0, |slice, to| peer.closest(slice, to)),
            Self::Overlap(bodies) => time_slices(bodies, SLICE, 0.0, |slice, to| peer.overlap(slice, to)),
        }
    }

    /// Whether brute force may judge the answers of all competitors, not only ours.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Rays(..) | Self::Closest(_))
    }

    /// Answers that differ by at most this are the same. Sweeps of others end before they touch, Box3D's by half a
    /// centimetre, which is a long way for a motion along the surface.
    pub fn tolerance(&self) -> f32 {
        if matches!(self, Self::Sweep(_)) { 0.02 } else { 1e-3 }
    }

    /// Whether an answer is a hit.
    pub fn is_hit(&self, answer: f32) -> bool {
        match self {
            Self::Overlap(_) => answer > 0.0,
            _ => answer.is_finite(),
        }
    }

    /// The answers, untimed; fewer if the competitor ran out of time, none if it does not offer the question.
    pub fn answers(&self, peer: &dyn MeshPeer) -> Vec<f32> {
        let answers = match self {
            Self::Rays(paths, reach) => collect(paths, peer.slice(), |s, to| peer.rays(s, *reach, to)),
            Self::Sweep(sweeps) => collect(sweeps, SLICE, |slice, to| peer.sweep(slice, to)),
            Self::Closest(points) => collect(points, SLICE, |slice, to| peer.closest(slice, to)),
            Self::Overlap(bodies) => collect(bodies, SLICE, |slice, to| peer.overlap(slice, to)),
        };
        answers.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_lie_near_the_surface_and_are_the_same_for_a_seed() {
        let surface = scenes::grid(&[0.0; 100], 10);
        let asked = columns(&surface, 1);
        let Question::Rays(shorts, Reach::Distance(length)) = &asked[2].question else { panic!("rays") };
        assert!(shorts.iter().all(|[start, _]| start[1].abs() <= 0.51 * length));
        let Question::Sweep(balls) = &asked[3].question else { panic!("sweeps") };
        assert!(balls.iter().all(|(body, motion)| {
            let Body::Ball { center, radius } = body else { return false };
            center.y > 1.4 * radius && motion.length() < 10.1 * radius
        }));
        let Question::Rays(again, _) = &columns(&surface, 1)[2].question else { panic!("rays") };
        assert_eq!(shorts, again);
    }
}
