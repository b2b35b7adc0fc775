//! `cullide-world`: a world with one mesh, or one terrain.

use crate::{
    mesh_peer::{Body, MeshPeer},
    mesh_scene::Heights,
    peer::{Path, Reach, Support},
    scene_peer::Placed,
};
use cullide_narrowphase::{
    BoxSweep, Capsule, CapsuleSweep, Obb, Ray, Segment, Sphere, SphereSweep,
    glam::{Vec2, Vec3},
};
use cullide_scenes::Surface;
use cullide_world::{Filter, Mesh, Near, Object, RayHit, SweptBody, Target, Terrain, World};
use std::cell::RefCell;

/// One query per call.
pub struct Ours {
    shape: Shape,
    world: World,
    /// Kept to reuse its memory.
    found: RefCell<(Vec<Target>, Vec<Near>)>,
}

impl Ours {
    pub fn new(surface: &Surface) -> Self {
        let vertices = surface.vertices.iter().copied().map(Vec3::from_array).collect();
        Self::of(Shape::Mesh { vertices, triangles: surface.triangles.clone() })
    }

    /// The same surface as a grid of heights.
    pub fn terrain(heights: &Heights) -> Self {
        Self::of(Shape::Terrain(heights.clone()))
    }

    fn of(shape: Shape) -> Self {
        Self { shape, world: World::new(), found: RefCell::default() }
    }
}

/// What it is built from.
enum Shape {
    Mesh { vertices: Vec<Vec3>, triangles: Vec<[u32; 3]> },
    Terrain(Heights),
}

impl MeshPeer for Ours {
    fn name(&self) -> &str {
        match self.shape {
            Shape::Mesh { .. } => "ours",
            Shape::Terrain(_) => "ours, terrain",
        }
    }

    fn build(&mut self) -> Support {
        match &mut self.shape {
            Shape::Mesh { vertices, triangles } => {
                let (vertices, triangles) = (std::mem::take(vertices), std::mem::take(triangles));
                self.world.insert(Object::fixed(Mesh::new(&vertices, &triangles).expect("a mesh")));
            }
            Shape::Terrain(Heights { side, samples }) => {
                let (side, samples) = (*side as u32, std::mem::take(samples));
                let corner = Vec2::splat(-0.5 * (side - 1) as f32);
                let terrain = Terrain::new(side, side, &samples, Vec2::ONE, corner).expect("a terrain");
                self.world.insert(Object::fixed(terrain));
            }
        }
        Support::Answered
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        match reach {
            Reach::Distance(limit) => answers.extend(paths.iter().map(|path| {
                self.world.cast_ray(&ray(path), limit, &Filter::ALL).map_or(f32::INFINITY, |hit| hit.distance)
            })),
            Reach::Delta => answers.extend(paths.iter().map(|&[start, delta]| {
                let segment = Segment::new(start.into(), delta.into()).expect("a segment");
                self.world.cast_segment(&segment, &Filter::ALL).map_or(f32::INFINITY, |hit| hit.fraction)
            })),
        }
        Support::Answered
    }

    fn sweep(&self, sweeps: &[(Body, Vec3)], answers: &mut Vec<f32>) -> Support {
        answers.extend(sweeps.iter().map(|&(body, motion)| match body {
            Body::Ball { center, radius } => {
                let sweep = SphereSweep::new(ball(center, radius), motion).expect("a motion");
                share(&self.world.sweep(&sweep, &Filter::ALL))
            }
            Body::Box(placed) => {
                share(&self.world.sweep(&BoxSweep::new(obb(&placed), motion).expect("a motion"), &Filter::ALL))
            }
            Body::Capsule { ends, radius } => {
                let sweep = CapsuleSweep::new(capsule(ends, radius), motion).expect("a motion");
                share(&self.world.sweep(&sweep, &Filter::ALL))
            }
        }));
        Support::Answered
    }

    fn closest(&self, points: &[Vec3], answers: &mut Vec<f32>) -> Support {
        let (_, near) = &mut *self.found.borrow_mut();
        answers.extend(points.iter().map(|&point| {
            near.clear();
            self.world.nearest(point, f32::INFINITY, 1, &Filter::ALL, near);
            near.first().map_or(f32::INFINITY, |near| near.distance)
        }));
        Support::Answered
    }

    fn overlap(&self, bodies: &[Body], answers: &mut Vec<f32>) -> Support {
        let (targets, _) = &mut *self.found.borrow_mut();
        answers.extend(bodies.iter().map(|body| {
            targets.clear();
            match *body {
                Body::Ball { center, radius } => {
                    self.world.overlap(&ball(center, radius), &Filter::ALL, targets);
                }
                Body::Box(placed) => self.world.overlap(&obb(&placed), &Filter::ALL, targets),
                Body::Capsule { ends, radius } => {
                    self.world.overlap(&capsule(ends, radius), &Filter::ALL, targets);
                }
            }
            targets.len() as f32
        }));
        Support::Answered
    }
}

/// Rays per call: scanlines of the camera's picture, and few enough for laps whose least time counts.
const CALL: usize = 4 * 320;

/// Many rays per call.
pub struct Batch {
    ours: Ours,
    /// Kept to reuse its memory.
    found: RefCell<(Vec<Ray>, Vec<Option<RayHit>>)>,
}

impl Batch {
    pub fn new(surface: &Surface) -> Self {
        Self { ours: Ours::new(surface), found: RefCell::default() }
    }
}

impl MeshPeer for Batch {
    fn name(&self) -> &str {
        "ours, batch"
    }

    fn build(&mut self) -> Support {
        // Timed as part of the first of ours.
        self.ours.build();
        Support::NotOffered
    }

    fn slice(&self) -> usize {
        CALL
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        // A batch has one maximum distance for all rays.
        let Reach::Distance(limit) = reach else { return Support::NotOffered };
        let (rays, hits) = &mut *self.found.borrow_mut();
        rays.clear();
        hits.clear();
        rays.extend(paths.iter().map(ray));
        self.ours.world.cast_ray_batch(rays, limit, &Filter::ALL, hits);
        answers.extend(hits.iter().map(|hit| hit.as_ref().map_or(f32::INFINITY, |hit| hit.distance)));
        Support::Answered
    }
}

fn share(swept: &SweptBody) -> f32 {
    if swept.overlap.is_some() { 0.0 } else { swept.hit.as_ref().map_or(f32::INFINITY, |hit| hit.toi) }
}

fn ray(&[origin, direction]: &Path) -> Ray {
    Ray::new(origin.into(), direction.into()).expect("a direction")
}

fn ball(center: Vec3, radius: f32) -> Sphere {
    Sphere::new(center, radius).expect("a ball")
}

fn capsule([a, b]: [Vec3; 2], radius: f32) -> Capsule {
    Capsule::new(a, b, radius).expect("a capsule")
}

fn obb(placed: &Placed) -> Obb {
    Obb::new(placed.center, placed.rotation, placed.half_extents).expect("a box")
}
