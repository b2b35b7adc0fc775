//! Frames of a game: cars drive through a town and into heaps of crates at its crossings. Each frame queries which cars
//! came near each other, what a camera sees, and how far it can see from its place.
//!
//! `cargo run --release -p town` prints the time of each part of a frame, and draws the last frame to
//! `target/town.png`: what the camera may see is orange, the open ground around it yellow, cars that are near another
//! car red, and crates white.

use cullide_scenes::{Rng, SEED, city};
use cullide_world::{
    Dynamics, DynamicsConfig, Filter, Mass, Object, ObjectKey, RigidBody, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Camera, Error, Frustum, Obb, Ray},
};
use std::{
    collections::BTreeSet,
    f32::consts::TAU,
    time::{Duration, Instant},
};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Rect, Transform};

const HOUSES: u32 = 0b01;
const CARS: u32 = 0b10;
const CRATES: u32 = 0b100;

const FILE: &str = "target/town.png";
const FRAMES: u32 = 600;
/// The town is this many blocks wide and long, with sixty boxes each: houses and clutter.
const BLOCKS: u16 = 12;
const DT: f32 = 1.0 / 60.0;
/// Metres.
const BLOCK: f32 = 40.0;
const SIDE: f32 = BLOCK * BLOCKS as f32;
const CARS_A_STREET: usize = 30;
/// Half the size of a crate in metres; there is a heap of eight at each crossing.
const CRATE: f32 = 0.6;
const RAYS: usize = 2000;
const EYE: Vec3 = Vec3::new(6.0 * BLOCK, 1.7, 6.5 * BLOCK);
const SIGHT: f32 = 200.0;
const PIXELS_PER_METRE: f32 = 2.0;
/// The height of a car's center.
const MIDDLE: f32 = 0.8;

/// A car drives along its street from one end of the town to the other, over and over.
struct Car {
    key: ObjectKey,
    start: Vec3,
    turn: Quat,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let town = city(60 * usize::from(BLOCKS).pow(2), SEED).into_iter();
    let houses = town.map(|[min, max]| Ok(Object::fixed(Aabb::new(min.into(), max.into())?).layers(HOUSES)));
    world.insert_batch(houses.collect::<Result<Vec<_>, Error>>()?);
    let mut dynamics = Dynamics::new();
    let cars = drive(&mut world, &mut dynamics)?;
    let crates = heap(&mut world, &mut dynamics)?;
    let around = (0..RAYS).map(|i| Ray::new(EYE, Quat::from_rotation_y(TAU * i as f32 / RAYS as f32) * Vec3::X));
    let around = around.collect::<Result<Vec<_>, _>>()?;

    let mut near = BTreeSet::new();
    let (mut visible, mut hits, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let mut took = [Duration::ZERO; 4];
    for frame in 0..FRAMES {
        let forward = Quat::from_rotation_y(0.4 * frame as f32 * DT) * Vec3::X;
        let frustum = Frustum::from_camera(&Camera { position: EYE, forward, far: SIGHT, ..Camera::default() })?;

        places.clear();
        places.extend(cars.iter().filter_map(|car| car.again(&world)));
        world.set_transform_batch(&places)?;
        time(&mut took[0], || dynamics.step(&mut world, DT, &DynamicsConfig::default()).map(|step| step.awake))?;
        near.clear();
        let are_cars = |key| world.object(key).is_some_and(|object| object.layers == CARS);
        time(&mut took[1], || {
            let pairs = world.pairs().filter(|pair| are_cars(pair.first) && are_cars(pair.second));
            near.extend(pairs.flat_map(|pair| [pair.first, pair.second]));
        });
        visible.clear();
        time(&mut took[2], || world.cull(&frustum, &Filter::ALL, &mut visible));
        hits.clear();
        time(&mut took[3], || world.cast_ray_batch(&around, SIGHT, &Filter::layers(HOUSES), &mut hits));
    }

    for (_, object) in world.objects().filter(|(_, object)| object.layers == CRATES) {
        let [min, max] = [object.shape.aabb().min(), object.shape.aabb().max()];
        let is_over_ground = min.x.min(min.z) >= 0.0 && max.x.max(max.z) <= SIDE;
        assert!(!is_over_ground || min.y >= 0.0, "a crate is in the ground");
    }
    println!("{} boxes, of which {} drive about and push {crates} crates. A frame takes", world.len(), cars.len());
    let parts = ["to move and push them", "to tell which cars are near", "to cull"];
    let parts = parts.map(String::from).into_iter().chain([format!("to cast {RAYS} rays around")]);
    for (part, took) in parts.zip(took) {
        println!("{:8.1} µs {part}", took.as_secs_f64() * 1e6 / f64::from(FRAMES));
    }
    let distances = hits.iter().map(|hit| hit.map_or(SIGHT, |hit| hit.distance));
    let open: Vec<_> = around.iter().zip(distances).map(|(ray, distance)| ray.at(distance)).collect();
    picture(&world, &visible, &near, &open)?.save_png(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    println!("The camera may see {} of them, {} cars are near others; see {FILE}", visible.len(), near.len());
    Ok(())
}

impl Car {
    /// Puts the car back to the beginning of its street when it is at the end.
    fn again(&self, world: &World) -> Option<(ObjectKey, Quat, Vec3)> {
        let center = world.object(self.key)?.shape.aabb().center();
        (center.max_element() > SIDE).then_some((self.key, self.turn, self.start))
    }
}

/// Adds cars along all streets, which nothing stops.
fn drive(world: &mut World, dynamics: &mut Dynamics) -> Result<Vec<Car>, Error> {
    let mut rng = Rng::with_seed(SEED);
    let car = |i: usize| {
        let street = BLOCK * (1 + i / 2 / CARS_A_STREET) as f32;
        let (way, speed) = (SIDE * rng.f32(), 8.0 + 8.0 * rng.f32());
        let (along, turn) = match i % 2 {
            0 => (Vec3::X, Quat::from_rotation_y(TAU / 4.0)),
            _ => (Vec3::Z, Quat::IDENTITY),
        };
        let start = Vec3::Y * MIDDLE + (Vec3::X + Vec3::Z - along) * street;
        let model = Obb::new(start + along * way, turn, Vec3::new(1.0, 0.75, 2.2))?;
        let key = world.insert(Object::moving(model).layers(CARS).pairs_with(CARS | CRATES));
        let velocity = along * speed;
        dynamics.insert(world, key, RigidBody { velocity, ..RigidBody::kinematic() })?;
        Ok(Car { key, start, turn })
    };
    (0..2 * (usize::from(BLOCKS) - 1) * CARS_A_STREET).map(car).collect()
}

/// Adds a heap of crates at each crossing; returns the number of crates.
fn heap(world: &mut World, dynamics: &mut Dynamics) -> Result<usize, Error> {
    let body = RigidBody { mass: Mass::Density(100.0), ..RigidBody::dynamic() };
    for i in 0..8 * (BLOCKS - 1).pow(2) {
        let (crossing, part) = (i / 8, i % 8);
        let corner =
            Vec3::new(f32::from(1 + crossing % (BLOCKS - 1)), 0.0, f32::from(1 + crossing / (BLOCKS - 1))) * BLOCK;
        let place = Vec3::new(f32::from(part % 2), f32::from(part / 4) + 0.51, f32::from(part / 2 % 2)) * 2.01 * CRATE;
        let shape = Aabb::from_center_half_extents(corner + place, Vec3::splat(CRATE))?;
        let key = world.insert(Object::moving(shape).layers(CRATES).pairs_with(HOUSES | CARS | CRATES));
        dynamics.insert(world, key, body)?;
    }
    Ok(8 * usize::from(BLOCKS - 1).pow(2))
}

/// Calls `f`, and adds the time that it takes to `took`.
fn time<T>(took: &mut Duration, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let answer = f();
    *took += start.elapsed();
    answer
}

/// Draws the town from above.
fn picture(
    world: &World,
    visible: &[ObjectKey],
    near: &BTreeSet<ObjectKey>,
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
    for (key, object) in world.objects() {
        let (min, max) = (object.shape.aabb().min(), object.shape.aabb().max());
        // The ground is not a house.
        if max.y <= 0.0 {
            continue;
        }
        let (red, green, blue) = match (object.layers, visible.contains(&key)) {
            (CRATES, _) => (250, 250, 250),
            (CARS, _) if near.contains(&key) => (230, 50, 40),
            (CARS, _) => (90, 170, 240),
            (_, true) => (240, 140, 40),
            (_, false) => (120, 126, 136),
        };
        paint.set_color_rgba8(red, green, blue, 255);
        let rect = Rect::from_ltrb(min.x, min.z, max.x, max.z).ok_or("a flat box")?;
        picture.fill_rect(rect, &paint, scale, None);
    }
    Ok(picture)
}
