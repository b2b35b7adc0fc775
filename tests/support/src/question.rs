//! What the tests ask of a scene: paths and volumes aimed at faces, edges, corners and ties of its boxes.

use cullide_bvh::{
    Probe,
    narrowphase::{Aabb, MAX_COORDINATE, Obb, Plane, Ray, Segment, Sphere, glam::Vec3},
};
use cullide_scenes::{Rng, aimed};

/// What a probe is made of.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    /// A ray, up to a distance.
    Ray(Ray, f32),
    /// A segment.
    Segment(Segment),
    /// A box that moves.
    Swept(Aabb, Vec3),
}

impl Question {
    /// The probe for a query of the tree.
    pub fn probe(&self) -> Probe {
        match self {
            Self::Ray(ray, max) => Probe::ray(ray, *max),
            Self::Segment(segment) => Probe::segment(segment),
            Self::Swept(body, delta) => Probe::swept(body, *delta),
        }
    }

    /// The body at the start, its motion, and the largest parameter.
    pub fn motion(&self) -> (Aabb, Vec3, f32) {
        let point = |p: Vec3| Aabb::new(p, p).expect("a path starts in range");
        match self {
            Self::Ray(ray, max) => (point(ray.origin()), ray.direction(), *max),
            Self::Segment(segment) => (point(segment.start()), segment.delta(), 1.0),
            Self::Swept(body, delta) => (*body, *delta, 1.0),
        }
    }
}

/// Draws questions about one scene.
#[derive(Debug)]
pub struct Asker<'a> {
    boxes: &'a [Aabb],
    rng: Rng,
}

impl<'a> Asker<'a> {
    /// Draws questions about these boxes.
    pub fn new(boxes: &'a [Aabb], seed: u64) -> Self {
        Self { boxes, rng: Rng::with_seed(seed) }
    }

    /// The generator that it draws from.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// A random box of the scene.
    pub fn any_box(&mut self) -> Aabb {
        self.boxes[self.rng.usize(0..self.boxes.len())]
    }

    /// A corner, or a point on an edge, on a face or inside, of a random box; sometimes moved by one ulp or a few,
    /// sometimes outside.
    pub fn point(&mut self) -> Vec3 {
        let aabb = self.any_box();
        let outside = self.rng.u32(0..8) == 0;
        let point = std::array::from_fn(|i| {
            let (min, max) = (aabb.min()[i], aabb.max()[i]);
            match self.rng.u32(0..4) {
                0 => min,
                1 => max,
                _ if outside => max + (max - min).min(1e30) * self.rng.f32(),
                _ => min + (max - min) * self.rng.f32(),
            }
        });
        let point = if self.rng.u32(0..4) == 0 { aimed::nudged3(&mut self.rng, point) } else { point };
        // Zeros of either sign are the same place.
        let point = point.map(|x| if x == 0.0 && self.rng.bool() { -x } else { x });
        Vec3::from_array(point).clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE))
    }

    /// A ray, a segment or a sweep: to a place on a box, along an axis in line with one, or not moving at all.
    pub fn path(&mut self) -> Question {
        let body = self.any_box();
        let (start, target) = (self.point(), self.point());
        let way = (target - start).clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE));
        let delta = match self.rng.u32(0..8) {
            // Along an axis, or in an axial plane, with zeros of both signs.
            0..3 => self.flattened(way, 1),
            3 => self.flattened(way, 2),
            4 => Vec3::ZERO,
            5 => Vec3::from_array(aimed::nudged3(&mut self.rng, way.to_array())),
            // Through the target and far beyond, so that fractions get small.
            6 => {
                let limit = Vec3::splat(MAX_COORDINATE);
                (way * 2f32.powi(self.rng.i32(0..60))).clamp(-limit, limit)
            }
            _ => way,
        };
        match self.rng.u32(0..3) {
            0 => match Ray::new(start, if delta == Vec3::ZERO { Vec3::NEG_Z } else { delta }) {
                Ok(ray) => Question::Ray(ray, self.reach(way.length())),
                Err(_) => Question::Ray(Ray::new(start, Vec3::X).expect("a unit direction"), f32::INFINITY),
            },
            1 => Question::Segment(Segment::new(start, delta).expect("in range")),
            _ => {
                // Sometimes the exact gap between two boxes, so that they just touch at the end.
                let other = self.any_box();
                let gap = if self.rng.bool() { other.min() - body.max() } else { other.max() - body.min() };
                let delta = if self.rng.u32(0..3) == 0 { gap } else { delta };
                Question::Swept(body, delta.clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE)))
            }
        }
    }

    /// A box: one of the scene, one between two places on boxes, or one that touches a box.
    pub fn volume(&mut self) -> Aabb {
        let (a, b, other) = (self.point(), self.point(), self.any_box());
        match self.rng.u32(0..3) {
            0 => other,
            1 => Aabb::new(a.min(b), a.max(b)).expect("two points span a box"),
            _ => Aabb::new(a.min(other.min()), other.min()).expect("below the lower corner"),
        }
    }

    /// A sphere whose surface passes through a place on a box, or one of radius zero.
    pub fn sphere(&mut self) -> Sphere {
        let (center, to) = (self.point(), self.point());
        let radius = if self.rng.u32(0..8) == 0 { 0.0 } else { (to - center).length() };
        Sphere::new(center, radius).unwrap_or_else(|_| Sphere::new(Vec3::ZERO, 1.0).expect("a unit sphere"))
    }

    /// A rotated box at a place on a box, with a face or a corner at another such place; sometimes skewed, flat, a rod
    /// or a point.
    pub fn obb(&mut self) -> Obb {
        let (center, to) = (self.point(), self.point());
        let keep = self.rng.u32(0..10) as usize;
        let edges = std::array::from_fn(|i| {
            let way = (to - center).clamp(Vec3::splat(-1e8), Vec3::splat(1e8));
            let turned = [way, Vec3::new(-way.y, way.x, 0.0), Vec3::new(way.z, way.x, -way.y)][i];
            let size = if i == 0 { 1.0 } else { self.rng.f32() };
            if i < keep { turned * size } else { Vec3::ZERO }
        });
        let point = || Obb::from_half_edges(center, [Vec3::ZERO; 3]).expect("a point in range");
        Obb::from_half_edges(center, edges).unwrap_or_else(|_| point())
    }

    /// A plane through a place on a box, sometimes perpendicular to an axis.
    pub fn plane(&mut self) -> Plane {
        let point = self.point();
        let random = Vec3::from_array([(); 3].map(|()| self.rng.f32() - 0.5));
        let keep = self.rng.u32(1..4) as usize;
        let normal = self.flattened(random, keep);
        Plane::from_point_normal(point, normal).unwrap_or_else(|_| Plane::new(Vec3::Y, 0.0).expect("a unit normal"))
    }

    /// Six planes around a place, like those of a rotated box, or a few random ones.
    pub fn planes(&mut self) -> Vec<Plane> {
        let count = self.rng.usize(0..8);
        (0..count).map(|_| self.plane()).collect()
    }

    /// Some layers, all, or none.
    pub fn mask(&mut self) -> u32 {
        match self.rng.u32(0..6) {
            0 | 1 => u32::MAX,
            2 => 0,
            3 => 1 << self.rng.u32(0..4),
            4 => 0xffff_fff0,
            _ => self.rng.u32(..),
        }
    }

    /// A maximum distance: zero, infinite, close to `distance`, or anything.
    fn reach(&mut self, distance: f32) -> f32 {
        match self.rng.u32(0..6) {
            0 => 0.0,
            1 => distance,
            2 => distance * self.rng.f32(),
            3 => 1.0,
            _ => f32::INFINITY,
        }
    }

    /// `v` with all but `keep` components zero, of either sign.
    fn flattened(&mut self, v: Vec3, keep: usize) -> Vec3 {
        let first = self.rng.usize(0..3);
        let kept = |i: usize| (i + 3 - first) % 3 < keep;
        Vec3::from_array(std::array::from_fn(|i| match kept(i) {
            true => v[i],
            false if self.rng.bool() => -0.0,
            false => 0.0,
        }))
    }
}
