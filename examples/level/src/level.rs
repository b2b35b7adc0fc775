//! The world of a level: its solid brushes as fixed objects, or their faces as one mesh.

use std::time::{Duration, Instant};

use cullide_world::glam::{DVec3, Vec3};
use cullide_world::narrowphase::{BoxSweep, Brush, Sides};
use cullide_world::{Filter, Mesh, MeshError, Object, RayHit, Shape, Target, World};

use crate::args::Form;
use crate::map::{Map, MapError};
use crate::space::walker;

/// The sine of the angle between the sides of a face below which its points count as collinear: far above the rounding
/// of a cross product, far below what a level editor writes.
const IN_A_LINE: f64 = 1e-12;

/// A level in a world.
pub struct Level {
    /// The world that walkers and rays meet. Each `user` of an object, or `surface` of a triangle, is the number of a
    /// brush.
    pub world: World,
    /// The brushes, as one object each, whose `user` is the brush's number in the map.
    pub brushes: World,
    /// The bounds of all solid brushes.
    pub low: Vec3,
    pub high: Vec3,
    /// The time to build, including the check of every brush.
    pub build_time: Duration,
    /// One line about solid brushes that had to be left out, if any.
    pub warning: Option<String>,
}

impl Level {
    /// Builds the world of a map. As map compilers do, it skips faces whose points are collinear, and brushes that
    /// enclose nothing; it reports the latter in one line.
    ///
    /// # Errors
    /// If no solid brush is left; the error names the first one.
    pub fn build(map: &Map, file: &str, form: Form) -> Result<Self, MapError> {
        let start = Instant::now();
        let mut solids = Vec::new();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut refused = Vec::new();
        for (number, brush) in map.brushes().enumerate().filter(|(_, brush)| brush.solid) {
            let faces = brush.faces.iter().map(|points| points.map(DVec3::from));
            let triples: Vec<[DVec3; 3]> = faces.filter(|points| !is_line(points)).collect();
            match Brush::from_point_triples(&triples) {
                Ok(solid) => {
                    low = low.min(solid.aabb().min());
                    high = high.max(solid.aabb().max());
                    solids.push(Object::fixed(solid).user(number as u64));
                }
                Err(error) => refused.push((brush.line, error)),
            }
        }
        if solids.is_empty() {
            let (line, why) = match refused.first() {
                Some((line, error)) => (*line, format!("no brush is a solid, this one because {error}")),
                None => (map.brushes().next().map_or(1, |brush| brush.line), "no brush is solid".to_owned()),
            };
            return Err(MapError::at(file, line, format!("{why}: nothing to walk on")));
        }
        let mut brushes = World::new();
        brushes.insert_batch(solids);
        let world = match form {
            Form::Brushes => brushes.clone(),
            Form::Mesh => {
                let mut world = World::new();
                let mesh = mesh(&brushes).map_err(|error| MapError::at(file, 1, error.to_string()))?;
                world.insert(Object::fixed(mesh));
                world
            }
        };
        let warning = refused.first().map(|(line, error)| {
            let count = refused.len();
            MapError::at(file, *line, format!("{count} brushes left out, of which this is the first: {error}"))
                .to_string()
        });
        Ok(Self { world, brushes, low, high, build_time: start.elapsed(), warning })
    }

    /// Returns the number of the brush that a ray hit; `None` for an infinite plane, of which a level has none.
    pub fn brush(&self, hit: &RayHit) -> Option<usize> {
        let Target::Object(key) = hit.target else { return None };
        let object = self.world.object(key)?;
        let is_mesh = matches!(object.shape, Shape::Mesh(_));
        Some(if is_mesh { hit.surface.into() } else { object.user as usize })
    }

    /// Returns where a walker that is put at `center` stands wholly outside of every solid: there, or a rounding away.
    /// `None` in a solid.
    pub fn free(&self, center: Vec3) -> Option<Vec3> {
        let swept = self.brushes.sweep(&BoxSweep::new(walker(center)?, Vec3::ZERO).ok()?, &Filter::ALL);
        swept.overlap.is_none().then_some(swept.position)
    }
}

/// Returns the faces of all brushes as triangles, met from outside; the surface of each is the number of its brush.
fn mesh(brushes: &World) -> Result<Mesh, MeshError> {
    let (mut vertices, mut triangles, mut surfaces) = (vec![], vec![], vec![]);
    for (_, object) in brushes.objects() {
        let Shape::Brush(brush) = &object.shape else { continue };
        let first = vertices.len() as u32;
        vertices.extend(brush.vertices().iter().map(|vertex| vertex.as_vec3()));
        for face in brush.faces() {
            let corner = |i: usize| first + face.vertices[i] as u32;
            triangles.extend((2..face.vertices.len()).map(|i| [corner(0), corner(i - 1), corner(i)]));
        }
        // A map has fewer brushes than there are surface numbers; with more, colours would repeat.
        surfaces.resize(triangles.len(), object.user as u16);
    }
    Mesh::new(&vertices, &triangles)?.with_sides(Sides::Front).with_surfaces(&surfaces)
}

/// Whether the points of a face span no plane, up to rounding. False for points out of range.
fn is_line(&[a, b, c]: &[DVec3; 3]) -> bool {
    let (ab, ac) = (b - a, c - a);
    let area = ac.cross(ab).length();
    area.is_finite() && area <= IN_A_LINE * ab.length() * ac.length()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 2 x 3 x 5 as text; `high` is its upper z.
    fn brush(high: &str) -> String {
        let faces = [
            "( 0 0 0 ) ( 2 0 0 ) ( 0 3 0 )",
            "( 0 0 H ) ( 0 3 H ) ( 2 0 H )",
            "( 0 0 0 ) ( 0 0 5 ) ( 2 0 0 )",
            "( 0 3 0 ) ( 2 3 0 ) ( 0 3 5 )",
            "( 0 0 0 ) ( 0 3 0 ) ( 0 0 5 )",
            "( 2 0 0 ) ( 2 0 5 ) ( 2 3 0 )",
        ];
        let faces: String = faces.iter().map(|face| format!("{} stone 0 0 0 1 1\n", face.replace('H', high))).collect();
        format!("{{\n{faces}}}\n")
    }

    fn level(brushes: &[String]) -> Result<Level, MapError> {
        let text = format!("{{\n\"classname\" \"worldspawn\"\n{}}}\n", brushes.concat());
        Level::build(&Map::parse("some.map", text.as_bytes()).unwrap(), "some.map", Form::Brushes)
    }

    #[test]
    fn a_brush_that_encloses_nothing_is_left_out_with_one_line() {
        let in_a_line = "( 0 0 0 ) ( 1 1 1 ) ( 3 3 3 ) stone 0 0 0 1 1\n}\n";
        let level = level(&[brush("5").replace("}\n", in_a_line), brush("-1"), brush("-2")]).unwrap();
        assert_eq!((level.low, level.high), (Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)));
        let warning = level.warning.unwrap();
        assert!(warning.starts_with("some.map:12: 2 brushes left out"), "{warning}");
    }

    #[test]
    fn a_level_without_a_solid_is_an_error_with_its_place() {
        let error = level(&[brush("-1")]).err().unwrap().to_string();
        assert!(error.starts_with("some.map:3: no brush is a solid"), "{error}");
        let error = level(&[brush("5").replace("stone", "*lava")]).err().unwrap().to_string();
        assert!(error.starts_with("some.map:3: no brush is solid"), "{error}");
    }

    #[test]
    fn nobody_is_free_in_a_solid() {
        let level = level(&[brush("5")]).unwrap();
        let on_top = Vec3::new(0.0, 0.0, 5.0 + crate::walk::HALF_EXTENTS.z);
        assert_eq!((level.free(on_top), level.free(on_top - Vec3::Z)), (Some(on_top), None));
    }
}
