//! Hikers walk about in a mesh: capsules or boxes that climb its steps, walk up its slopes and slide along its walls.
//!
//! `cargo run --release -p hike -- --help` tells how to load a mesh. Without a file, the hikers walk in a small scene,
//! which is written to `target/hike.obj`. Their paths are drawn to `target/hike.png`.

mod hiker;
mod picture;
mod scene;

use cullide_world::{
    Filter, Mesh, Object, PlacedMesh, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Error, Ray},
};
use hiker::{Build, Hiker};
use std::f32::consts::TAU;

const USAGE: &str = "\
Hikers walk about in a mesh for a minute, and target/hike.png shows where.

Usage: hike [FILE.obj [METRES]] [--z-up] [--boxes]

  FILE.obj   a mesh   [default: a small scene, written to target/hike.obj]
  METRES     how long its longer side is made   [default: as in the file]
  --z-up     z is up in the file, and not y
  --boxes    hikers are boxes, and not capsules";

const SCENE: &str = "target/hike.obj";
const PICTURE: &str = "target/hike.png";
pub const HIKERS: usize = 12;
const SECONDS: u32 = 60;
const STEPS_PER_SECOND: u32 = 60;
const DT: f32 = 1.0 / STEPS_PER_SECOND as f32;

/// The size of a hiker, in metres.
pub const RADIUS: f32 = 0.3;
pub const HEIGHT: f32 = 1.8;
/// Places along each side of the scene where a hiker may begin.
const PLACES: u16 = 24;
/// How far above a floor a hiker begins, in metres.
const DROP: f32 = 0.05;
/// A hiker that falls this far below the scene has walked off its edge, and begins again.
const LOST: f32 = 20.0;
/// The fractional part of the golden ratio, as a fraction of a turn.
pub const GOLDEN: f32 = 0.618_034;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, arguments): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let (mut is_z_up, mut build) = (false, Build::Capsule);
    for flag in &flags {
        match flag.as_str() {
            "--z-up" => is_z_up = true,
            "--boxes" => build = Build::Box,
            "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            other => Err(format!("there is no {other}: see --help"))?,
        }
    }
    let file = arguments.first().map_or(SCENE, String::as_str);
    if arguments.is_empty() {
        std::fs::write(SCENE, scene::obj()).map_err(|error| format!("{SCENE}: {error}"))?;
    }
    let mesh = load(file).map_err(|error| format!("{file}: {error}"))?;
    let (extent, rotation) = match is_z_up {
        false => (mesh.aabb().size().with_y(0.0), Quat::IDENTITY),
        true => (mesh.aabb().size().with_z(0.0), Quat::from_rotation_x(-0.25 * TAU)),
    };
    let scale = match arguments.get(1) {
        Some(metres) => metres.parse::<f32>()? / extent.max_element(),
        None => 1.0,
    };
    let placed = PlacedMesh::new(&mesh, rotation, Vec3::ZERO, Vec3::splat(scale))?;
    let bounds = placed.aabb();
    let mut world = World::new();
    world.insert(Object::fixed(placed));

    let mut hikers = hikers(&world, &bounds, build)?;
    let fallen = walk(&world, &bounds, &mut hikers)?;
    let ways = || hikers.iter().flat_map(|hiker| &hiker.ways);
    let metres: f32 = ways().flat_map(|way| way.windows(2)).map(|step| step[0].distance(step[1])).sum();
    let heights = || ways().flatten().map(|foot| foot.y);
    let (low, high) = (heights().fold(f32::INFINITY, f32::min), heights().fold(f32::NEG_INFINITY, f32::max));
    println!(
        "{} hikers walk {metres:.0} m in {SECONDS} s on {} triangles, between heights of {low:.1} and {high:.1} m.",
        hikers.len(),
        mesh.len()
    );
    println!("None is ever inside of the mesh; {fallen} times one walks off its edge.");
    picture::draw(&world, &bounds, &hikers)?.save_png(PICTURE).map_err(|error| format!("{PICTURE}: {error}"))?;
    println!("See {PICTURE}");
    Ok(())
}

/// Loads the triangles of all objects in an OBJ file; each object is a surface.
fn load(file: &str) -> Result<Mesh, Box<dyn std::error::Error>> {
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..tobj::LoadOptions::default()
    };
    let (models, _materials) = tobj::load_obj(file, &options)?;
    let (mut vertices, mut triangles, mut surfaces) = (Vec::new(), Vec::new(), Vec::new());
    for (number, tobj::Model { mesh, .. }) in models.iter().enumerate() {
        let first = u32::try_from(vertices.len())?;
        vertices.extend(mesh.positions.chunks_exact(3).map(Vec3::from_slice));
        triangles.extend(mesh.indices.chunks_exact(3).map(|corners| [0, 1, 2].map(|i| first + corners[i])));
        surfaces.resize(triangles.len(), number as u16);
    }
    Ok(Mesh::new(&vertices, &triangles)?.with_surfaces(&surfaces)?)
}

/// Places hikers where there is a floor and room to stand, spread over the scene.
fn hikers(world: &World, bounds: &Aabb, build: Build) -> Result<Vec<Hiker>, Box<dyn std::error::Error>> {
    let mut starts = Vec::new();
    for place in 0..PLACES * PLACES {
        let share = [place % PLACES, place / PLACES].map(|at| (f32::from(at) + 0.5) / f32::from(PLACES));
        let above = bounds.min() + bounds.size() * Vec3::new(share[0], 1.0, share[1]) + Vec3::Y;
        let floor = world.cast_ray(&Ray::new(above, Vec3::NEG_Y)?, f32::INFINITY, &Filter::ALL);
        let Some(floor) = floor.filter(|floor| floor.normal.y > 0.8) else { continue };
        let foot = floor.point + Vec3::Y * (build.lift(floor.normal) + DROP);
        if build.is_free(world, foot)? {
            starts.push(foot);
        }
    }
    if starts.is_empty() {
        Err("there is no room to stand")?;
    }
    let hikers = (0..HIKERS).map(|number| {
        // Multiples of the golden ratio are spread evenly, even over rows of places.
        let start = starts[((GOLDEN * number as f32).fract() * starts.len() as f32) as usize];
        Hiker::new(build, start, number)
    });
    Ok(hikers.collect::<Result<Vec<_>, Error>>()?)
}

/// Lets all hikers walk, and returns how often one walked off the edge.
fn walk(world: &World, bounds: &Aabb, hikers: &mut [Hiker]) -> Result<u32, Error> {
    let mut fallen = 0;
    for _ in 0..SECONDS * STEPS_PER_SECOND {
        for hiker in &mut *hikers {
            hiker.step(world, DT)?;
            if hiker.foot().y < bounds.min().y - LOST {
                hiker.begin_again()?;
                fallen += 1;
            }
            assert!(!hiker.is_inside(world)?, "a hiker is inside of the mesh");
        }
    }
    Ok(fallen)
}
