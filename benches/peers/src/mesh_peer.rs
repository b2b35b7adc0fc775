//! What every competitor over a mesh does, and the list of them.

use crate::{
    mesh_scene::MeshScene,
    peer::{Path, Reach, SLICE, Support},
    peers,
    scene_peer::Placed,
};
use cullide_narrowphase::{Sides, glam::Vec3};

/// What is swept, or asked for overlaps.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Ball { center: Vec3, radius: f32 },
    Box(Placed),
    Capsule { ends: [Vec3; 2], radius: f32 },
}

/// A competitor over one surface, which it copied at construction into the types that it takes. What it derives from a
/// question it derives in the call, where it is timed.
///
/// Answers are numbers: the distance or share of a path to the nearest hit, infinite for a miss, and 0 for what touches
/// at the start; 1 for an overlap and 0 for none.
pub trait MeshPeer {
    fn name(&self) -> &str;

    /// Builds what it asks, and frees what it no longer needs; timed.
    fn build(&mut self) -> Support;

    /// What it holds outside of Rust's heap.
    fn foreign_bytes(&self) -> usize {
        0
    }

    /// From which sides its rays meet triangles.
    fn sides(&self) -> Sides {
        Sides::Both
    }

    /// How many paths it is handed at a time.
    fn slice(&self) -> usize {
        SLICE
    }

    fn rays(&self, _paths: &[Path], _reach: Reach, _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }

    /// Bodies and motions.
    fn sweep(&self, _sweeps: &[(Body, Vec3)], _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }

    /// Distances from points.
    fn closest(&self, _points: &[Vec3], _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }

    fn overlap(&self, _bodies: &[Body], _answers: &mut Vec<f32>) -> Support {
        Support::NotOffered
    }
}

/// Makes a competitor, not yet built; `None` where the surface is none that it takes.
pub type New = fn(&MeshScene) -> Option<Box<dyn MeshPeer>>;

/// All competitors, ours in front. The first is the one that the others are compared with.
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
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(peers::embree::mesh::Mesh::fast(&scene.surface))),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(peers::embree::mesh::Mesh::robust(&scene.surface))),
        #[cfg(feature = "embree")]
        |scene| Some(Box::new(peers::embree::mesh::Mesh::packets(&scene.surface))),
    ]
}
