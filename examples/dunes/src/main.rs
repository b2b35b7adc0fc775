//! A ball rolls over dunes while craters are dug ahead of it: a terrain that is edited during play.
//!
//! `cargo run --release -p dunes` draws the final dunes to `target/dunes.png`, from above with shadows cast by the sun:
//! the path of the ball, from blue to red, and the ball where it stops.

mod picture;

use cullide_world::{
    Filter, Object, ObjectKey, SlideOptions, Terrain, TerrainError, World,
    glam::{Vec2, Vec3},
    narrowphase::{Error, Sphere, SphereSweep},
};
use std::time::{Duration, Instant};

const FILE: &str = "target/dunes.png";
/// Samples along a side, and the distance between two, in metres.
const SAMPLES: u32 = 321;
const SPACING: f32 = 0.5;
/// The length of a side, in metres.
pub const SIDE: f32 = SPACING * (SAMPLES - 1) as f32;

/// Metres.
pub const RADIUS: f32 = 0.6;
const SECONDS: u32 = 40;
const STEPS_PER_SECOND: u32 = 60;
const DT: f32 = 1.0 / STEPS_PER_SECOND as f32;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);
/// A rolling solid ball gains this fraction of the speed that it would gain sliding; the rest makes it spin.
const ROLLING: f32 = 5.0 / 7.0;
/// The fraction of the speed that sand takes in a second.
const DRAG: f32 = 0.05;

/// Steps between two craters, and how far ahead of the ball, in seconds of its motion, the center of the next one is.
const DIG_EVERY: u32 = 5 * STEPS_PER_SECOND;
const AHEAD: f32 = 0.7;
/// Metres.
const CRATER: f32 = 5.0;
const DEPTH: f32 = 1.5;

/// The course of the ball.
struct Roll {
    /// Where it was after each step.
    way: Vec<Vec3>,
    /// The number of steps that ended lower than the original dunes.
    sunk: u32,
    craters: u32,
    digging: Duration,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let samples = (0..SAMPLES).flat_map(|row| (0..SAMPLES).map(move |column| height(column as f32, row as f32)));
    let heights: Vec<f32> = samples.collect();
    let terrain = Terrain::new(SAMPLES, SAMPLES, &heights, Vec2::splat(SPACING), Vec2::ZERO)?;
    let triangles = terrain.len();
    let mut world = World::new();
    let dunes = world.insert(Object::fixed(terrain));

    let roll = roll(&mut world, dunes)?;
    let metres: f32 = roll.way.windows(2).map(|step| step[0].distance(step[1])).sum();
    let seconds = roll.way.len() as f32 * DT;
    println!("The ball rolls {metres:.0} m in {seconds:.0} s over {triangles} triangles, and is never inside of them.");
    let micros = roll.digging.as_secs_f64() * 1e6 / f64::from(roll.craters);
    println!(
        "{} craters are dug before it, each in {micros:.0} µs; for {} steps it is in one.",
        roll.craters, roll.sunk
    );
    assert!(roll.sunk > 0, "no crater is on its way");

    picture::draw(&world, &roll.way)?.save_png(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    println!("See {FILE}");
    Ok(())
}

/// Rolls the ball until the time is up or it leaves the dunes.
fn roll(world: &mut World, dunes: ObjectKey) -> Result<Roll, Box<dyn std::error::Error>> {
    let (mut ball, mut velocity) = (Sphere::new(Vec3::new(10.0, 20.0, 0.45 * SIDE), RADIUS)?, Vec3::new(8.0, 0.0, 2.0));
    let mut roll = Roll { way: vec![ball.center()], sunk: 0, craters: 0, digging: Duration::ZERO };
    for step in 1..=SECONDS * STEPS_PER_SECOND {
        if step % DIG_EVERY == 0 {
            let start = Instant::now();
            dig(world, dunes, ball.center() + velocity * AHEAD)?;
            roll.digging += start.elapsed();
            roll.craters += 1;
        }
        (ball, velocity) = advance(world, &ball, velocity)?;
        let Vec3 { x, y, z } = ball.center();
        if x.min(z) < 0.0 || x.max(z) > SIDE {
            break;
        }
        roll.way.push(ball.center());
        roll.sunk += u32::from(y - RADIUS < height(x / SPACING, z / SPACING) - 0.1);
        let standing = SphereSweep::new(ball, Vec3::ZERO)?;
        assert_eq!(world.sweep(&standing, &Filter::ALL).overlap, None, "the ball is inside of the dunes");
    }
    Ok(roll)
}

/// Returns the ball and its velocity a step later. It slides along what it meets, which removes the part of its
/// velocity that leads into the obstacle; its spin takes its share of the speed gained down a slope.
fn advance(world: &World, ball: &Sphere, velocity: Vec3) -> Result<(Sphere, Vec3), Error> {
    let fall = velocity + GRAVITY * DT;
    let slide = world.slide(&SphereSweep::new(*ball, fall * DT)?, &Filter::ALL, &SlideOptions::default());
    let mut after = slide.motion / DT;
    if let Some(ground) = slide.contacts.last() {
        let gained = GRAVITY * DT;
        let along = gained - ground.normal * gained.dot(ground.normal);
        after -= along * (1.0 - ROLLING);
        after *= 1.0 - DRAG * DT;
    }
    Ok((Sphere::new(slide.position, ball.radius())?, after))
}

/// Digs a crater around a point. Only the samples within it are written.
fn dig(world: &mut World, dunes: ObjectKey, center: Vec3) -> Result<(), TerrainError> {
    let range = |at: f32| {
        let sample = |x: f32| (x / SPACING).clamp(0.0, SAMPLES as f32) as u32;
        sample(at - CRATER)..sample(at + CRATER)
    };
    let (columns, rows) = (range(center.x), range(center.z));
    let edited = world.object_mut(dunes).and_then(|mut object| {
        object.edit_terrain(|terrain| {
            let cells = rows.clone().flat_map(|row| columns.clone().map(move |column| (column, row)));
            let dug = cells.filter_map(|(column, row)| {
                let vertex = terrain.vertex(column, row)?;
                let distance = Vec2::new(vertex.x - center.x, vertex.z - center.z).length() / CRATER;
                Some(vertex.y - DEPTH * (1.0 - distance * distance).max(0.0))
            });
            let heights: Vec<f32> = dug.collect();
            terrain.edit(columns, rows, &heights)
        })
    });
    edited.unwrap_or(Ok(()))
}

/// The height of the dunes in metres, at a place given in samples: long slopes on the windward side, short ones on the
/// leeward side, and ripples, all on a plain that falls with x.
fn height(column: f32, row: f32) -> f32 {
    let (x, z) = (SPACING * column, SPACING * row);
    let along = (x + 7.0 * (0.045 * z).sin() + 3.0 * (0.11 * z + 0.02 * x).sin()) / 32.0;
    let share = along - along.floor();
    let rise = if share < 0.7 { share / 0.7 } else { (1.0 - share) / 0.3 };
    let ripples = 0.03 * (2.5 * x + 0.6 * (0.4 * z).sin()).sin();
    3.0 * rise * rise * (3.0 - 2.0 * rise) + 0.8 * (0.08 * z).sin() + ripples + 0.1 * (SIDE - x)
}
