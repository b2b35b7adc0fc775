//! Frames of a game: cars drive through a town, and each frame asks which cars came near each other, what a camera
//! sees, and how far one can look from its place.
//!
//! `cargo run --release -p town` prints what each part of a frame takes, and draws the last one to `target/town.png`:
//! what the camera may see is orange, the open ground around it yellow, and cars that are near another one red.

use cullide_scenes::{Rng, SEED, city};
use cullide_world::{
    Filter, Object, ObjectKey, ObjectPair, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Camera, Error, Frustum, Ray},
};
use std::{
    collections::BTreeSet,
    f32::consts::TAU,
    time::{Duration, Instant},
};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Rect, Transform};

const HOUSES: u32 = 0b01;
const CARS: u32 = 0b10;

const FILE: &str = "target/town.png";
const FRAMES: u32 = 600;
/// The town is that many blocks wide and long, with sixty boxes each: houses, and what stands about.
const BLOCKS: u16 = 12;
/// Metres.
const BLOCK: f32 = 40.0;
const SIDE: f32 = BLOCK * BLOCKS as f32;
const CARS_A_STREET: usize = 30;
const RAYS: usize = 2000;
const EYE: Vec3 = Vec3::new(6.0 * BLOCK, 1.7, 6.5 * BLOCK);
const SIGHT: f32 = 200.0;
const PIXELS_PER_METRE: f32 = 2.0;
/// How high the middle of a car is.
const MIDDLE: f32 = 0.8;

/// A car goes along its street from one end of the town to the other, and again.
struct Car {
    key: ObjectKey,
    street: f32,
    start: f32,
    speed: f32,
    along_x: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let town = city(60 * usize::from(BLOCKS).pow(2), SEED).into_iter();
    let houses = town.map(|[min, max]| Ok(Object::fixed(Aabb::new(min.into(), max.into())?).layers(HOUSES)));
    world.insert_batch(houses.collect::<Result<Vec<_>, Error>>()?);
    let mut rng = Rng::with_seed(SEED);
    let mut cars = Vec::new();
    for i in 0..2 * (usize::from(BLOCKS) - 1) * CARS_A_STREET {
        let street = BLOCK * (1 + i / 2 / CARS_A_STREET) as f32;
        let model = Aabb::from_center_half_extents(Vec3::Y * MIDDLE, Vec3::new(1.0, 0.75, 2.2))?;
        let key = world.insert(Object::moving(model).layers(CARS).pairs_with(CARS));
        let (start, speed) = (SIDE * rng.f32(), 8.0 + 8.0 * rng.f32());
        cars.push(Car { key, street, start, speed, along_x: i % 2 == 0 });
    }
    let around = (0..RAYS).map(|i| Ray::new(EYE, Quat::from_rotation_y(TAU * i as f32 / RAYS as f32) * Vec3::X));
    let around = around.collect::<Result<Vec<_>, _>>()?;

    let mut near = BTreeSet::new();
    let (mut visible, mut hits) = (Vec::new(), Vec::new());
    let mut took = [Duration::ZERO; 4];
    for frame in 0..FRAMES {
        let seconds = frame as f32 / 60.0;
        let forward = Quat::from_rotation_y(0.4 * seconds) * Vec3::X;
        let frustum = Frustum::from_camera(&Camera { position: EYE, forward, far: SIGHT, ..Camera::default() })?;
        let places: Vec<_> = cars.iter().map(|car| car.place(seconds)).collect();

        time(&mut took[0], || world.set_transform_batch(&places))?;
        let events = time(&mut took[1], || world.update_pairs(0.0));
        // What ends has begun, and what begins has not.
        assert!(
            events.ended.iter().all(|pair| near.remove(pair)) && events.begun.iter().all(|&pair| near.insert(pair))
        );
        visible.clear();
        time(&mut took[2], || world.cull(&frustum, &Filter::ALL, &mut visible));
        hits.clear();
        time(&mut took[3], || world.cast_ray_batch(&around, SIGHT, &Filter::layers(HOUSES), &mut hits));
    }

    println!("{} boxes, of which {} drive about. A frame takes", world.len(), cars.len());
    let parts =
        ["to move them", "to tell which came near or parted", "to cull", &format!("to cast {RAYS} rays around")];
    for (part, took) in parts.iter().zip(took) {
        println!("{:8.1} µs {part}", took.as_secs_f64() * 1e6 / f64::from(FRAMES));
    }
    let distances = hits.iter().map(|hit| hit.map_or(SIGHT, |hit| hit.distance));
    let open: Vec<_> = around.iter().zip(distances).map(|(ray, distance)| ray.at(distance)).collect();
    picture(&world, &visible, &near, &open)?.save_png(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    println!("The camera may see {} of them, {} pairs are near; see {FILE}", visible.len(), near.len());
    Ok(())
}

impl Car {
    fn place(&self, seconds: f32) -> (ObjectKey, Quat, Vec3) {
        let way = (self.start + self.speed * seconds) % SIDE;
        match self.along_x {
            true => (self.key, Quat::from_rotation_y(TAU / 4.0), Vec3::new(way, MIDDLE, self.street)),
            false => (self.key, Quat::IDENTITY, Vec3::new(self.street, MIDDLE, way)),
        }
    }
}

/// Calls `f`, and adds the time that it takes.
fn time<T>(took: &mut Duration, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let answer = f();
    *took += start.elapsed();
    answer
}

/// The town from above.
fn picture(
    world: &World,
    visible: &[ObjectKey],
    near: &BTreeSet<ObjectPair>,
    open: &[Vec3],
) -> Result<Pixmap, &'static str> {
    let side = (SIDE * PIXELS_PER_METRE) as u32;
    let mut picture = Pixmap::new(side, side).ok_or("the picture is too large")?;
    picture.fill(Color::from_rgba8(40, 44, 52, 255));
    let scale = Transform::from_scale(PIXELS_PER_METRE, PIXELS_PER_METRE);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };

    let mut path = PathBuilder::new();
    path.move_to(open[0].x, open[0].z);
    open.iter().for_each(|point| path.line_to(point.x, point.z));
    paint.set_color_rgba8(240, 220, 130, 255);
    picture.fill_path(&path.finish().ok_or("no open ground")?, &paint, FillRule::Winding, scale, None);

    let visible: BTreeSet<_> = visible.iter().collect();
    let near: BTreeSet<_> = near.iter().flat_map(|pair| [pair.first, pair.second]).collect();
    for (key, object) in world.objects() {
        let (min, max) = (object.shape.aabb().min(), object.shape.aabb().max());
        // The ground is no house.
        if max.y <= 0.0 {
            continue;
        }
        let (red, green, blue) = match (object.layers == CARS, visible.contains(&key)) {
            (true, _) if near.contains(&key) => (230, 50, 40),
            (true, _) => (90, 170, 240),
            (false, true) => (240, 140, 40),
            (false, false) => (120, 126, 136),
        };
        paint.set_color_rgba8(red, green, blue, 255);
        let rect = Rect::from_ltrb(min.x, min.z, max.x, max.z).ok_or("a flat box")?;
        picture.fill_rect(rect, &paint, scale, None);
    }
    Ok(picture)
}
