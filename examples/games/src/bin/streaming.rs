//! A hero runs 50 kilometres: threads build the chunks of the world ahead of him, which are removed behind him. Crates
//! come to rest on the way, and out there he still walks as slowly as he is told to.
//!
//! `cargo run --release -p games --bin streaming`

use cullide_scenes::Rng;
use cullide_world::{
    Character, Compound, Dynamics, DynamicsConfig, Filter, Material, Mesh, Mover, Object, ObjectKey, RigidBody, Shape,
    Terrain, World,
    glam::{Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Ray, Sides, Sphere},
};
use std::collections::{HashMap, hash_map::Entry};
use std::{error::Error, sync::mpsc, thread};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;
/// The number of a chunk along x and along z.
type Chunk = [i32; 2];

const GROUND: u32 = 1 << 0;
const PROPS: u32 = 1 << 1;
const BODIES: u32 = 1 << 2;
const DT: f32 = 1.0 / 60.0;
/// Metres along the side of a chunk.
const SIDE: u8 = 64;
/// How many chunks the hero sees in each direction.
const VIEW: i32 = 3;
const WAY: f32 = 50_000.0;
const SPEED: f32 = 120.0;

fn main() -> Outcome {
    let mut stream = Stream::new();
    let mut hero =
        Character::new(Capsule::from_half_axis(Vec3::new(32.0, height(32.0, 32.0) + 1.0, 32.0), Vec3::Y * 0.5, 0.4)?);
    let (mut frames, mut in_air, mut waits, mut stops, mut most) = (0_u16, 0, 0, 0_u8, 0);
    while hero.position().x < WAY {
        let here = chunk_at(hero.position());
        stream.update(here, false)?;
        // In this frame he may come into the next chunk.
        if ![here, [here[0] + 1, here[1]]].iter().all(|chunk| matches!(stream.chunks.get(chunk), Some(Some(_)))) {
            waits += 1;
            stream.update(here, true)?;
        }
        walk(&stream.world, &mut hero, SPEED)?;
        let down = Ray::new(hero.position(), Vec3::NEG_Y)?;
        assert!(stream.world.any_ray_hit(&down, 100.0, &Filter::layers(GROUND)), "no ground at {}", hero.position());
        if hero.position().x > f32::from(stops) * 5000.0 {
            stops += 1;
            stack(&mut stream.world, hero.position().floor() + Vec3::new(3.0, 1.0, 0.0))?;
        }
        (frames, most) = (frames + 1, most.max(stream.world.len()));
        in_air += u16::from(!hero.is_on_ground());
    }
    let speed = (hero.position().x - 32.0) / (f32::from(frames) * DT);
    println!("{frames} frames at {speed:.2} m/s, {in_air} in the air, {waits} of them waited; at most {most} objects");
    assert!((speed - SPEED).abs() < 1.0 && most <= 3 * 7 * 8);

    stream.update(chunk_at(hero.position()), true)?;
    let start = hero.position().x;
    (0..600).try_for_each(|_| walk(&stream.world, &mut hero, 0.1))?;
    let slow = hero.position().x - start;
    println!("{stops} stacks came to rest; at 0.1 m/s, 50 km away, {slow:.3} m in ten seconds");
    assert!((slow - 1.0).abs() < 0.02 && stops == 11);
    Ok(())
}

fn walk(world: &World, hero: &mut Character<Capsule>, speed: f32) -> Outcome {
    hero.velocity = if hero.is_on_ground() { Vec3::X * speed } else { hero.velocity - Vec3::Y * 9.81 * DT };
    Mover::default().walk(world, hero, DT, &Filter::layers(GROUND))?;
    Ok(())
}

fn chunk_at(place: Vec3) -> Chunk {
    [place.x, place.z].map(|x| (x / f32::from(SIDE)).floor() as i32)
}

fn height(x: f32, z: f32) -> f32 {
    5.0 * (x * 0.01).sin() * (z * 0.013).cos() + 0.8 * (x * 0.11).sin() + 0.5 * (z * 0.17).cos()
}

/// Builds the objects of a chunk: ground, trees, and on some a tent.
fn build(chunk: Chunk) -> Outcome<Vec<Object>> {
    let corner = Vec2::from(chunk.map(|x| x as f32)) * f32::from(SIDE);
    let samples = (0..=SIDE).flat_map(|z| (0..=SIDE).map(move |x| corner + Vec2::new(x.into(), z.into())));
    let heights: Vec<f32> = samples.map(|at| height(at.x, at.y)).collect();
    let columns = u32::from(SIDE) + 1;
    let terrain = Terrain::new(columns, columns, &heights, Vec2::ONE, corner)?.with_sides(Sides::Front);
    let mut rng = Rng::with_seed(u64::from(chunk[0] as u32) << 32 | u64::from(chunk[1] as u32));
    let mut trees = vec![];
    for _ in 0..60 {
        let at = corner + Vec2::new(rng.f32(), rng.f32()) * f32::from(SIDE);
        let foot = Vec3::new(at.x, height(at.x, at.y) - 0.5, at.y);
        trees.push(Shape::from(Capsule::new(foot, foot + Vec3::Y * 4.5, 0.3)?));
        trees.push(Sphere::new(foot + Vec3::Y * 5.5, 1.5)?.into());
    }
    let mut objects = vec![Object::fixed(terrain).layers(GROUND), Object::fixed(Compound::new(trees)?).layers(PROPS)];
    if rng.f32() < 0.3 {
        let foot = Vec3::new(corner.x + 50.0, height(corner.x + 50.0, corner.y + 50.0) - 1.0, corner.y + 50.0);
        let tent = [Vec3::ZERO, Vec3::X * 6.0, Vec3::Z * 6.0, Vec3::new(2.0, 5.0, 2.0)].map(|point| foot + point);
        objects.push(Object::fixed(Mesh::new(&tent, &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])?).layers(PROPS));
    }
    Ok(objects)
}

struct Stream {
    world: World,
    /// The objects of the chunks around the hero; `None` while a chunk is being built.
    chunks: HashMap<Chunk, Option<Vec<ObjectKey>>>,
    jobs: [mpsc::Sender<Chunk>; 2],
    built: mpsc::Receiver<(Chunk, Outcome<Vec<Object>>)>,
}

impl Stream {
    fn new() -> Self {
        let (sender, built) = mpsc::channel();
        let jobs = [sender.clone(), sender].map(|sender| {
            let (job, jobs) = mpsc::channel();
            thread::spawn(move || jobs.iter().try_for_each(|chunk| sender.send((chunk, build(chunk)))));
            job
        });
        Self { world: World::new(), chunks: HashMap::new(), jobs, built }
    }

    /// Has the chunks around one built, inserts those that are ready or, if it is to wait, all, and removes those that are
    /// too far away.
    fn update(&mut self, around: Chunk, wait: bool) -> Outcome {
        let Self { world, chunks, jobs, built } = self;
        let offsets = (-VIEW..=VIEW).flat_map(|x| (-VIEW..=VIEW).map(move |z| [x, z]));
        for chunk in offsets.map(|[x, z]| [around[0] + x, around[1] + z]) {
            if let Entry::Vacant(place) = chunks.entry(chunk) {
                place.insert(None);
                jobs[chunk[0].rem_euclid(2) as usize].send(chunk)?;
            }
        }
        while chunks.values().any(Option::is_none) {
            let Some((chunk, objects)) = (if wait { Some(built.recv()?) } else { built.try_recv().ok() }) else {
                break;
            };
            if let Some(keys @ None) = chunks.get_mut(&chunk) {
                *keys = Some(world.insert_batch(objects?));
            }
        }
        let is_far = |chunk: &Chunk| (0..2).any(|i| (chunk[i] - around[i]).abs() > VIEW);
        for (_, keys) in chunks.extract_if(|chunk, _| is_far(chunk)) {
            keys.into_iter().flatten().for_each(|key| _ = world.remove(key));
        }
        Ok(())
    }
}

/// Drops three crates and a ball, waits for 16 seconds at most until all sleep, and removes them.
fn stack(world: &mut World, at: Vec3) -> Outcome {
    let mut dynamics = Dynamics::new();
    let mut shapes = vec![Shape::from(Sphere::new(at + Vec3::Z * 3.0, 0.4)?)];
    for i in 0..3_u8 {
        let center = at + Vec3::Y * 1.02 * f32::from(i);
        shapes.push(Aabb::from_center_half_extents(center, Vec3::splat(0.5))?.into());
    }
    let keys = world.insert_batch(shapes.into_iter().map(|shape| Object::moving(shape).layers(BODIES)));
    let material = Material { rolling_resistance: 0.3, ..Material::default() };
    for key in &keys {
        dynamics.insert(world, *key, RigidBody { material, ..RigidBody::dynamic() })?;
    }
    for _ in 0..960 {
        if dynamics.step(world, DT, &DynamicsConfig::default())?.awake == 0 {
            break;
        }
    }
    assert!(dynamics.bodies().all(|(_, body)| body.is_asleep()), "awake at {at}");
    keys.into_iter().for_each(|key| _ = world.remove(key));
    Ok(())
}
