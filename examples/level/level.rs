//! The world of a level: its solid brushes as fixed objects, and a walker's box that moves among them.

use std::cell::Cell;
use std::time::{Duration, Instant};

use cullide_world::narrowphase::{BoxSweep, Brush, Obb};
use cullide_world::{Filter, Object, SlideOptions, Target, World};
use glam::{DVec3, Vec3};

use crate::map::{Map, MapError};
use crate::walk::{HALF_EXTENTS, Space, Swept};

/// The sine between the sides of a face below which its points lie in a line: far above the rounding of a cross product, far below
/// what a level editor writes.
const IN_A_LINE: f64 = 1e-12;

/// A level in a world. An object's `user` is the number of its brush in the map.
pub struct Level {
    pub world: World,
    /// The bounds of all solid brushes.
    pub low: Vec3,
    pub high: Vec3,
    /// What building took, the check of every brush included.
    pub build_time: Duration,
    /// One line about solid brushes that had to be left out, if any.
    pub warning: Option<String>,
}

/// What was asked of a world and what it met.
#[derive(Debug, Default)]
pub struct Tally {
    /// Sweeps and slides.
    pub sweeps: Cell<u64>,
    pub contacts: Cell<u64>,
}

impl Level {
    /// The world of a map. As map compilers do, it passes over faces whose points lie in a line, and over brushes that enclose
    /// nothing; of the latter it says so in one line.
    ///
    /// # Errors
    /// When no solid brush is left; it names the first one.
    pub fn build(map: &Map, file: &str) -> Result<Self, MapError> {
        let start = Instant::now();
        let mut world = World::new();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut refused = Vec::new();
        for (number, brush) in map.brushes().enumerate().filter(|(_, brush)| brush.solid) {
            let faces = brush.faces.iter().map(|points| points.map(DVec3::from));
            let triples: Vec<[DVec3; 3]> = faces.filter(|points| !is_line(points)).collect();
            match Brush::from_point_triples(&triples) {
                Ok(solid) => {
                    low = low.min(solid.aabb().min());
                    high = high.max(solid.aabb().max());
                    world.insert(Object::fixed(solid).user(number as u64));
                }
                Err(error) => refused.push((brush.line, error)),
            }
        }
        if world.is_empty() {
            let (line, why) = match refused.first() {
                Some((line, error)) => (*line, format!("no brush is a solid, this one because {error}")),
                None => (map.brushes().next().map_or(1, |brush| brush.line), "no brush is solid".to_owned()),
            };
            return Err(MapError::at(file, line, format!("{why}: nothing to walk on")));
        }
        world.optimize();
        let warning = refused.first().map(|(line, error)| {
            let count = refused.len();
            MapError::at(file, *line, format!("{count} brushes left out, of which this is the first: {error}"))
                .to_string()
        });
        Ok(Self { world, low, high, build_time: start.elapsed(), warning })
    }

    /// The level as walkers ask about it; `tally` counts what they ask.
    pub fn space<'a>(
        &'a self,
        tally: &'a Tally,
    ) -> Space<impl Fn(Vec3, Vec3) -> Swept + 'a, impl Fn(Vec3, Vec3) -> Vec3 + 'a> {
        let sweep = |center: Vec3, motion: Vec3| {
            tally.count(0);
            let Some(sweep) = walker_sweep(center, motion) else { return Swept { center, normal: None } };
            let swept = self.world.sweep_box(&sweep, &Filter::ALL);
            let normal = swept.hit.map(|hit| hit.normal).or(swept.overlap.map(|overlap| overlap.normal));
            tally.contacts.set(tally.contacts.get() + u64::from(normal.is_some()));
            Swept { center: swept.position, normal }
        };
        let slide = |center: Vec3, motion: Vec3| {
            let Some(sweep) = walker_sweep(center, motion) else { return center };
            let slide = self.world.slide_box(&sweep, &Filter::ALL, &SlideOptions::default());
            tally.count(slide.contacts.len());
            slide.position
        };
        Space { sweep, slide }
    }

    /// The number of the brush behind what a ray hit; `None` for an infinite plane, of which a level has none.
    pub fn brush(&self, target: Target) -> Option<usize> {
        let Target::Object(key) = target else { return None };
        Some(self.world.object(key)?.user as usize)
    }

    /// Where a walker wholly outside of every solid stands who is put at `center`: there, or a rounding away. `None` in a solid.
    pub fn free(&self, center: Vec3) -> Option<Vec3> {
        let swept = self.world.sweep_box(&walker_sweep(center, Vec3::ZERO)?, &Filter::ALL);
        swept.overlap.is_none().then_some(swept.position)
    }
}

impl Tally {
    fn count(&self, contacts: usize) {
        self.sweeps.set(self.sweeps.get() + 1);
        self.contacts.set(self.contacts.get() + contacts as u64);
    }
}

/// Whether the points of a face span no plane, or none by more than rounding. False for points out of range.
fn is_line(&[a, b, c]: &[DVec3; 3]) -> bool {
    let (ab, ac) = (b - a, c - a);
    let area = ac.cross(ab).length();
    area.is_finite() && area <= IN_A_LINE * ab.length() * ac.length()
}

/// A walker's box on its way; `None` beyond the coordinates that a world can hold.
fn walker_sweep(center: Vec3, motion: Vec3) -> Option<BoxSweep> {
    let [x, y, z] = HALF_EXTENTS.to_array();
    let body = Obb::from_half_edges(center, [Vec3::X * x, Vec3::Y * y, Vec3::Z * z]).ok()?;
    BoxSweep::new(body, motion).ok()
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
        Level::build(&Map::parse("some.map", text.as_bytes()).unwrap(), "some.map")
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
    fn a_walker_is_stopped_and_slides() {
        let level = level(&[brush("5")]).unwrap();
        let tally = Tally::default();
        let space = level.space(&tally);
        let on_top = Vec3::new(0.0, 0.0, 5.0 + HALF_EXTENTS.z);
        let swept = (space.sweep)(on_top + Vec3::Z * 3.0, Vec3::Z * -9.0);
        assert_eq!((swept.center, swept.normal), (on_top, Some(Vec3::Z)));
        assert_eq!((space.slide)(on_top, Vec3::new(3.0, 0.0, -1.0)).x, 3.0);
        assert_eq!(level.free(on_top - Vec3::Z), None);
        assert_eq!((tally.sweeps.get(), tally.contacts.get()), (2, 2));
    }
}
