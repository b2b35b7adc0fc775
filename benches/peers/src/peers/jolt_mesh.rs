//! Jolt: a world with one fixed mesh. Its vertices are rounded to 21 bits of the extents.

use crate::{
    mesh_peer::MeshPeer,
    peer::{Path, Reach, Support},
};
use cullide_narrowphase::glam::Vec3;
use cullide_scenes::Surface;
use oxijolt::{BodySettings, PhysicsWorld, QueryFilter, RayCast, Shape, WorldSettings, limits};

pub struct Mesh {
    vertices: Vec<oxijolt::Vec3>,
    triangles: Vec<[u32; 3]>,
    world: PhysicsWorld,
}

impl Mesh {
    /// `None` for a surface that is larger than it supports.
    pub fn new(surface: &Surface) -> Option<Self> {
        if surface.vertices.as_flattened().iter().any(|x| x.abs() > limits::MAX_SHAPE_EXTENT) {
            return None;
        }
        let vertices = surface.vertices.iter().map(|vertex| Vec3::from(*vertex).into()).collect();
        let settings = WorldSettings::default().single_threaded();
        let world = PhysicsWorld::new(settings).expect("the settings are within range");
        Some(Self { vertices, triangles: surface.triangles.clone(), world })
    }
}

impl MeshPeer for Mesh {
    fn name(&self) -> &str {
        "Jolt mesh"
    }

    fn build(&mut self) -> Support {
        let (vertices, triangles) = (std::mem::take(&mut self.vertices), std::mem::take(&mut self.triangles));
        // It drops triangles that are too thin for its solver.
        let (mesh, _) = Shape::new_mesh(&vertices, &triangles).expect("it has triangles");
        self.world.create_body(&mesh, &BodySettings::new_static()).expect("there is room for it");
        self.world.optimize_broad_phase();
        Support::Answered
    }

    fn rays(&self, paths: &[Path], reach: Reach, answers: &mut Vec<f32>) -> Support {
        let filter = QueryFilter::default();
        answers.extend(paths.iter().map(|&[start, way]| {
            let ray = RayCast::new(Vec3::from(start).into(), (Vec3::from(way) * reach.limit()).into());
            let hit = self.world.cast_ray(&ray, &filter).expect("it is within range");
            hit.map_or(f32::INFINITY, |hit| hit.fraction * reach.limit())
        }));
        Support::Answered
    }
}
