//! What every competitor over a mesh does, and the list of them.

#[cfg(feature = "embree")]
use crate::peers::embree::{self, mesh::Mesh as Embree};
use crate::{
    mesh_scene::MeshScene,
    peer::{Path, Reach, SLICE, Support},
    peers,
    scene_peer::Placed,
};
use cullide_narrowphase::{Sides, glam::Vec3};

/// The body of a sweep or an overlap.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Ball { center: Vec3, radius: f32 },
    Box(Placed),
    Capsule { ends: [Vec3; 2], radius: f32 },
}

/// A competitor over one surface, which it copied at construction into its own types. Whatever it derives from a
/// question, it derives within the timed call.
///
/// Answers are numbers: the distance, or the fraction of a path, to the nearest hit; infinite for a miss, and 0 for a
/// touch at the start; 1 for an overlap and 0 for none.
pub trait MeshPeer {
    fn name(&self) -> &str;

    /// Builds what its queries need, and frees what it no longer needs; timed.
    fn build(&mut self) -> Support;

    /// The bytes that it holds outside Rust's heap.
    fn foreign_bytes(&self) -> usize {
        0
    }

    /// The sides from which its rays hit triangles.
    fn sides(&self) -> Sides {
        Sides::Both
    }

    /// The number of paths that it is given at a time.
    fn slice(&self) -> usize {
        SLICE
    }

    fn rays(&self, _paths: &[Path], _reach: Reach, _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }

    /// Sweeps of bodies with their motions.
    fn sweep(&self, _sweeps: &[(Body, Vec3)], _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }

    /// Distances from points to the surface.
    fn closest(&self, _points: &[Vec3], _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }

    fn overlap(&self, _bodies: &[Body], _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }
}

/// Makes a competitor, not yet built; `None` for a surface that it does not support.
pub type New = fn(&MeshScene) -> Option<Box<dyn MeshPeer>>;

/// All competitors, ours first. The others are compared with the first one.
pub fn competitors() -> Vec<New> {
    vec![
        |scene| Some(Box::new(peers::ours_mesh::Ours::new(&scene.surface))),
        |scene| Some(Box::new(peers::ours_mesh::Batch::new(&scene.surface))),
        |scene| Some(Box::new(peers::ours_mesh::Ours::terrain(scene.terrain.as_ref()?))),
        |scene| Some(Box::new(peers::parry_mesh::Mesh::new(&scene.surface))),
        |scene| Some(Box::new(peers::parry_mesh::Mesh::with_edges(&scene.surface))),
        |scene| Some(Box::new(peers::parry_mesh::Field::new(scene.terrain.as_ref()?))),
        #[cfg(feature = "box3d")]
        |scene| Some(Box::new(peers::box3d_mesh::Mesh::new(&scene.surface))),
        #[cfg(feature = "jolt")]
        |scene| Some(Box::new(peers::jolt_mesh::Mesh::new(&scene.surface)?)),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(Embree::fast(embree::three()?, &scene.surface))),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(Embree::robust(embree::three()?, &scene.surface))),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(Embree::packets(embree::three()?, &scene.surface))),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(Embree::robust(embree::four()?, &scene.surface))),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(Embree::instance(embree::four()?, &scene.surface))),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(Embree::packets(embree::four()?, &scene.surface))),
    ]
}
