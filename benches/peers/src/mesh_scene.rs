//! The surfaces of `mesh`: a terrain, the faces of a level, and files of triangles.

use crate::args::Source;
use cullide_narrowphase::{Brush, glam::DVec3};
use cullide_scenes::{self as scenes, Surface};
use std::path::PathBuf;

/// A surface, and its heights if it is a terrain.
pub struct MeshScene {
    pub title: String,
    pub surface: Surface,
    pub terrain: Option<Heights>,
}

/// Samples one unit apart, in rows of equal z, centred on the origin.
#[derive(Clone)]
pub struct Heights {
    pub side: usize,
    pub samples: Vec<f32>,
}

impl MeshScene {
    /// Loads a surface; the error names what cannot be read.
    pub fn load(scene: &Source, seed: u64) -> Result<Self, String> {
        match scene {
            Source::Fractal(side) => {
                let (side, samples) = (*side, scenes::fractal(*side, seed));
                let surface = scenes::grid(&samples, side);
                let title = format!("terrain of {side} by {side} samples, {} triangles", surface.triangles.len());
                Ok(Self { title, surface, terrain: Some(Heights { side, samples }) })
            }
            Source::File(name) => {
                let surface = read(name).map_err(|error| {
                    let folder = scenes::data_dir();
                    format!("{name}: {error} ({} is not the folder of shared data: set CULLIDE_DATA)", folder.display())
                })?;
                let title = format!("{name}, {} triangles", surface.triangles.len());
                Ok(Self { title, surface, terrain: None })
            }
        }
    }
}

/// Reads a level by the name of its map, or the mesh of an OBJ file.
fn read(name: &str) -> std::io::Result<Surface> {
    let folder = scenes::data_dir();
    let map = folder.join("librequake").join(name).with_extension("map");
    if map.exists() {
        return Ok(faces(&scenes::map_brushes(&map)?));
    }
    let path: PathBuf = match name {
        "bunny" => folder.join("parry/low_poly_bunny.obj"),
        _ => folder.join("box3d/meshes").join(name).with_extension("obj"),
    };
    scenes::read_obj(&path)
}

/// The faces of all brushes that are solids, as fans.
fn faces(brushes: &[scenes::Brush]) -> Surface {
    let mut surface = Surface::default();
    for faces in brushes {
        let triples: Vec<_> = faces.iter().map(|face| face.map(DVec3::from_array)).collect();
        let Ok(brush) = Brush::from_point_triples(&triples) else { continue };
        let first = surface.vertices.len() as u32;
        surface.vertices.extend(brush.vertices().iter().map(|vertex| vertex.as_vec3().to_array()));
        for face in brush.faces() {
            let corners: Vec<u32> = face.vertices.iter().map(|&i| first + i as u32).collect();
            surface.add_polygon(&corners);
        }
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faces_of_a_brush_look_outward() {
        // A box of 2 by 3 by 5: three corners of each face, clockwise seen from outside.
        let face = |axis: usize, high: f64, sign: f64| {
            let size = [2.0, 3.0, 5.0];
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let at = |a: f64, b: f64| {
                let mut point = [0.0; 3];
                (point[axis], point[u], point[v]) = (high, a * size[u], b * size[v]);
                point
            };
            if sign > 0.0 {
                [at(0.0, 0.0), at(0.0, 1.0), at(1.0, 0.0)]
            } else {
                [at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0)]
            }
        };
        let brush = [(0, 2.0), (1, 3.0), (2, 5.0)].iter().flat_map(|&(i, s)| [face(i, 0.0, -1.0), face(i, s, 1.0)]);
        let surface = faces(&[brush.collect()]);
        assert_eq!((surface.vertices.len(), surface.triangles.len()), (8, 12));
        // Six times the volume, by the divergence theorem: positive if all triangles face outward.
        let six_volumes = |[a, b, c]: [[f32; 3]; 3]| {
            let [a, b, c] = [a, b, c].map(|p| DVec3::from_array(p.map(f64::from)));
            a.dot(b.cross(c))
        };
        assert_eq!(surface.corners().map(six_volumes).sum::<f64>(), 6.0 * 30.0);
    }
}
