//! `parry3d`: its triangle mesh, and its height field for a terrain.

use crate::{
    mesh_peer::{Body, MeshPeer},
    mesh_scene::Heights,
    peer::{Path, Reach, Support},
};
use cullide_narrowphase::glam::Vec3;
use cullide_scenes::Surface;
use parry3d::{
    math::{Pose, Rotation, Vector},
    query::{PointQuery, Ray, RayCast, ShapeCastOptions, cast_shapes, intersection_test},
    shape::{Ball, Capsule, Cuboid, HeightField, Shape, TriMesh, TriMeshFlags},
    utils::Array2,
};

pub struct Mesh {
    name: &'static str,
    vertices: Vec<Vector>,
    triangles: Vec<[u32; 3]>,
    flags: TriMeshFlags,
    mesh: Option<TriMesh>,
}

impl Mesh {
    /// Without edge data.
    pub fn new(surface: &Surface) -> Self {
        Self::with_flags("parry3d TriMesh", surface, TriMeshFlags::empty())
    }

    /// With the edge data that it needs against ghost collisions; only its build differs.
    pub fn with_edges(surface: &Surface) -> Self {
        Self::with_flags("parry3d, fixed edges", surface, TriMeshFlags::FIX_INTERNAL_EDGES)
    }

    fn with_flags(name: &'static str, surface: &Surface, flags: TriMeshFlags) -> Self {
        let vertices = surface.vertices.iter().copied().map(Vector::from_array).collect();
        Self { name, vertices, triangles: surface.triangles.clone(), flags, mesh: None }
    }

    /// The mesh, unless another variant is asked instead.
    fn asked(&self) -> Option<&TriMesh> {
        self.mesh.as_ref().filter(|_| self.flags.is_empty())
    }
}

impl MeshPeer for Mesh {
    fn name(&self) -> &str {
        self.name
    }

    fn build(&mut self) -> Support {
        let (vertices, triangles) = (std::mem::take(&mut self.vertices), std::mem::take(&mut self.triangles));
        self.mesh = Some(TriMesh::with_flags(vertices, triangles, self.flags).expect("a mesh"));
        Support::Answered
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        self.asked().map_or(Support::NotOffered, |mesh| rays(mesh, paths, reach, answers))
    }

    fn sweep(&self, sweeps: &[(Body, Vec3)], answers: &mut Vec<f32>) -> Support {
        self.asked().map_or(Support::NotOffered, |mesh| sweep(mesh, sweeps, answers))
    }

    fn closest(&self, points: &[Vec3], answers: &mut Vec<f32>) -> Support {
        self.asked().map_or(Support::NotOffered, |mesh| closest(mesh, points, answers))
    }

    fn overlap(&self, bodies: &[Body], answers: &mut Vec<f32>) -> Support {
        self.asked().map_or(Support::NotOffered, |mesh| overlap(mesh, bodies, answers))
    }
}

pub struct Field {
    heights: Heights,
    field: Option<HeightField>,
}

impl Field {
    pub fn new(heights: &Heights) -> Self {
        Self { heights: heights.clone(), field: None }
    }

    fn field(&self) -> &HeightField {
        self.field.as_ref().expect("it was built")
    }
}

/// Its intersection tests do not support height fields.
impl MeshPeer for Field {
    fn name(&self) -> &str {
        "parry3d HeightField"
    }

    fn build(&mut self) -> Support {
        let Heights { side, ref mut samples } = self.heights;
        let samples = std::mem::take(samples);
        let width = (side - 1) as f32;
        let heights = Array2::from_fn(side, side, |row, column| samples[row * side + column]);
        self.field = Some(HeightField::new(heights, Vector::new(width, 1.0, width)));
        Support::Answered
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        rays(self.field(), paths, reach, answers)
    }

    fn sweep(&self, sweeps: &[(Body, Vec3)], answers: &mut Vec<f32>) -> Support {
        sweep(self.field(), sweeps, answers)
    }

    fn closest(&self, points: &[Vec3], answers: &mut Vec<f32>) -> Support {
        closest(self.field(), points, answers)
    }
}

fn rays(shape: &impl RayCast, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
    answers.extend(paths.iter().map(|path| {
        let [origin, direction] = path.map(Vector::from_array);
        shape.cast_local_ray(&Ray::new(origin, direction), reach.limit(), true).unwrap_or(f32::INFINITY)
    }));
    Support::Answered
}

fn sweep(shape: &dyn Shape, sweeps: &[(Body, Vec3)], answers: &mut Vec<f32>) -> Support {
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    answers.extend(sweeps.iter().map(|(body, motion)| {
        with_shape(body, |pose, body| {
            let hit = cast_shapes(&Pose::IDENTITY, Vector::ZERO, shape, pose, vector(*motion), body, options);
            hit.expect("it has this pair").map_or(f32::INFINITY, |hit| hit.time_of_impact)
        })
    }));
    Support::Answered
}

fn closest(shape: &impl PointQuery, points: &[Vec3], answers: &mut Vec<f32>) -> Support {
    answers.extend(points.iter().map(|&point| {
        let point = vector(point);
        (shape.project_local_point(point, false).point - point).length()
    }));
    Support::Answered
}

fn overlap(shape: &dyn Shape, bodies: &[Body], answers: &mut Vec<f32>) -> Support {
    answers.extend(bodies.iter().map(|body| {
        with_shape(body, |pose, body| {
            let found = intersection_test(&Pose::IDENTITY, shape, pose, body).expect("it has this pair");
            f32::from(u8::from(found.intersecting))
        })
    }));
    Support::Answered
}

fn with_shape<T>(body: &Body, ask: impl FnOnce(&Pose, &dyn Shape) -> T) -> T {
    match *body {
        Body::Ball { center, radius } => ask(&Pose::from_translation(vector(center)), &Ball::new(radius)),
        Body::Box(placed) => {
            let rotation = Rotation::from_array(placed.rotation.to_array());
            ask(&Pose::from_parts(vector(placed.center), rotation), &Cuboid::new(vector(placed.half_extents)))
        }
        Body::Capsule { ends: [a, b], radius } => {
            let center = 0.5 * (a + b);
            let capsule = Capsule::new(vector(a - center), vector(b - center), radius);
            ask(&Pose::from_translation(vector(center)), &capsule)
        }
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}
