//! Hikers walk about in a mesh: capsules that climb its steps, walk up its slopes and slide along its walls.
//!
//! `cargo run --release -p hike -- FILE.obj [METRES] [--z-up]` loads a mesh, scaled to so many metres along its longer
//! side; without a file it walks in a small scene that it writes to `target/hike.obj`. Where the hikers went is drawn
//! to `target/hike.png`.

mod picture;
mod scene;

use cullide_world::{
    Character, Filter, Mesh, Mover, Object, PlacedMesh, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, CapsuleSweep, Error, Ray},
};
use std::f32::consts::TAU;

const SCENE: &str = "target/hike.obj";
const PICTURE: &str = "target/hike.png";
const HIKERS: usize = 12;
const SECONDS: u32 = 60;
const STEPS_PER_SECOND: u32 = 60;
const DT: f32 = 1.0 / STEPS_PER_SECOND as f32;

/// Metres, and metres a second.
pub const RADIUS: f32 = 0.3;
pub const HEIGHT: f32 = 1.8;
const SPEED: f32 = 3.0;
const GRAVITY: f32 = 9.81;
/// Places along each side of the scene where a hiker may begin.
const PLACES: u16 = 24;
/// So far above a floor it begins, in metres.
const DROP: f32 = 0.05;
/// Who falls so far below the scene has walked off its edge, and begins again.
const LOST: f32 = 20.0;
/// A hiker that makes a smaller share of the way that it wants turns by the golden angle, so that it tries all around.
const BLOCKED: f32 = 0.2;
const TURN: f32 = (1.0 - GOLDEN) * TAU;
const GOLDEN: f32 = 0.618_034;
/// The most that one turns by itself, in radians a second.
const BEND: f32 = 0.3;

/// Somebody on the way.
pub struct Hiker {
    body: Character<Capsule>,
    start: Vec3,
    heading: f32,
    /// How fast it turns by itself, in radians a second.
    bend: f32,
    /// Where its feet were after each step; on its own when it began again.
    pub ways: Vec<Vec<Vec3>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, arguments): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|argument| argument == "--z-up");
    let file = arguments.first().map_or(SCENE, String::as_str);
    if arguments.is_empty() {
        std::fs::write(SCENE, scene::obj()).map_err(|error| format!("{SCENE}: {error}"))?;
    }
    let mesh = load(file).map_err(|error| format!("{file}: {error}"))?;
    let (extent, rotation) = match flags.is_empty() {
        true => (mesh.aabb().size().with_y(0.0), Quat::IDENTITY),
        false => (mesh.aabb().size().with_z(0.0), Quat::from_rotation_x(-0.25 * TAU)),
    };
    let scale = match arguments.get(1) {
        Some(metres) => metres.parse::<f32>()? / extent.max_element(),
        None => 1.0,
    };
    let placed = PlacedMesh::new(&mesh, rotation, Vec3::ZERO, Vec3::splat(scale))?;
    let bounds = placed.aabb();
    let mut world = World::new();
    world.insert(Object::fixed(placed));

    let mut hikers = hikers(&world, &bounds)?;
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

/// The triangles of all objects of an OBJ file; each object is a surface.
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

/// Hikers where there is a floor and room to stand, spread over the scene.
fn hikers(world: &World, bounds: &Aabb) -> Result<Vec<Hiker>, Box<dyn std::error::Error>> {
    let mut starts = Vec::new();
    for place in 0..PLACES * PLACES {
        let share = [place % PLACES, place / PLACES].map(|at| (f32::from(at) + 0.5) / f32::from(PLACES));
        let above = bounds.min() + bounds.size() * Vec3::new(share[0], 1.0, share[1]) + Vec3::Y;
        let floor = world.cast_ray(&Ray::new(above, Vec3::NEG_Y)?, f32::INFINITY, &Filter::ALL);
        let Some(floor) = floor.filter(|floor| floor.normal.y > 0.8) else { continue };
        // On a slope the round end touches beside its lowest point.
        let foot = floor.point + Vec3::Y * (RADIUS / floor.normal.y - RADIUS + DROP);
        let mut touched = Vec::new();
        world.overlap_capsule(&standing(foot)?, &Filter::ALL, &mut touched);
        if touched.is_empty() {
            starts.push(foot);
        }
    }
    if starts.is_empty() {
        Err("there is no room to stand")?;
    }
    let hikers = (0..HIKERS).map(|number| {
        // Multiples of the golden ratio are spread evenly, also over rows of places.
        let start = starts[((GOLDEN * number as f32).fract() * starts.len() as f32) as usize];
        let (heading, bend) = (TURN * number as f32, BEND * (2.0 * number as f32 / HIKERS as f32 - 1.0));
        Ok(Hiker { body: Character::new(standing(start)?), start, heading, bend, ways: vec![Vec::new()] })
    });
    Ok(hikers.collect::<Result<Vec<_>, Error>>()?)
}

/// A hiker's capsule above its foot.
fn standing(foot: Vec3) -> Result<Capsule, Error> {
    Capsule::new(foot + Vec3::Y * RADIUS, foot + Vec3::Y * (HEIGHT - RADIUS), RADIUS)
}

/// Lets all walk, and returns how often one walked off the edge.
fn walk(world: &World, bounds: &Aabb, hikers: &mut [Hiker]) -> Result<u32, Error> {
    let mut fallen = 0;
    for _ in 0..SECONDS * STEPS_PER_SECOND {
        for hiker in &mut *hikers {
            hiker.step(world)?;
            if hiker.body.position().y < bounds.min().y - LOST {
                hiker.body = Character::new(standing(hiker.start)?);
                hiker.heading += TURN;
                hiker.ways.push(Vec::new());
                fallen += 1;
            }
            let still = CapsuleSweep::new(hiker.body.body, Vec3::ZERO)?;
            assert_eq!(world.sweep_capsule(&still, &Filter::ALL).overlap, None, "a hiker is inside of the mesh");
        }
    }
    Ok(fallen)
}

impl Hiker {
    fn step(&mut self, world: &World) -> Result<(), Error> {
        let direction = Quat::from_rotation_y(self.heading) * Vec3::X;
        let (on_ground, before) = (self.body.is_on_ground(), self.body.position());
        self.body.velocity = if on_ground { SPEED * direction } else { self.body.velocity - Vec3::Y * (GRAVITY * DT) };
        Mover::default().walk_capsule(world, &mut self.body, DT, &Filter::ALL)?;
        let made = (self.body.position() - before).dot(direction);
        self.heading += if on_ground && made < BLOCKED * SPEED * DT { TURN } else { self.bend * DT };
        let foot = self.body.position() - Vec3::Y * (0.5 * HEIGHT);
        if let Some(way) = self.ways.last_mut() {
            way.push(foot);
        }
        Ok(())
    }
}
