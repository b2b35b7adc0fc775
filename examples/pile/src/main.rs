//! Crates, balls and capsules fall into a yard, push each other about and come to rest.
//!
//! `cargo run --release -p pile` draws the pile, with one ray per pixel, to `target/pile.png`.

use cullide_world::{
    Dynamics, DynamicsConfig, Filter, Object, RigidBody, Shape, Target, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Error, Obb, Ray, Sphere},
};
use tiny_skia::{Color, Pixmap, PremultipliedColorU8};

const FILE: &str = "target/pile.png";
const BODIES: u16 = 400;
const STEPS: usize = 900;
const DT: f32 = 1.0 / 60.0;
const HALF_YARD: f32 = 4.0;
const SIZE: [u32; 2] = [1280, 800];
const EYE: Vec3 = Vec3::new(8.0, 11.0, 12.0);
const SEEN: Vec3 = Vec3::new(0.0, 1.2, 0.0);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    yard(&mut world)?;
    for i in 0..BODIES {
        let key = world.insert(Object::moving(shape(i)?));
        // Without damping, balls would roll on forever.
        dynamics.insert(&mut world, key, RigidBody { angular_damping: 0.5, ..RigidBody::dynamic() })?;
    }
    let mut asleep = None;
    for step in 0..STEPS {
        let report = dynamics.step(&mut world, DT, &DynamicsConfig::default())?;
        if report.awake == 0 {
            asleep = Some(step);
            break;
        }
    }
    let low = world.objects().map(|(_, object)| object.shape.aabb().center().y).fold(f32::INFINITY, f32::min);
    assert!(low > -1.0, "something fell through the floor");
    draw(&world)?.save_png(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    match asleep {
        Some(step) => println!("{BODIES} bodies, asleep after {:.1} seconds; see {FILE}", step as f32 * DT),
        None => println!("{BODIES} bodies after {:.0} seconds; see {FILE}", STEPS as f32 * DT),
    }
    Ok(())
}

/// A floor and four low walls.
fn yard(world: &mut World) -> Result<(), Error> {
    let boxed = |center: Vec3, half: Vec3| Aabb::from_center_half_extents(center, half);
    world.insert(Object::fixed(boxed(Vec3::Y * -0.5, Vec3::new(80.0, 0.5, 80.0))?));
    for way in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let along = Vec3::new(way.z.abs(), 0.0, way.x.abs());
        let half = way.abs() * 0.1 + along * (HALF_YARD + 0.2) + Vec3::Y * 1.2;
        world.insert(Object::fixed(boxed(way * (HALF_YARD + 0.1) + Vec3::Y * 1.2, half)?));
    }
    Ok(())
}

/// The shape of the `i`-th body, above the yard.
fn shape(i: u16) -> Result<Shape, Error> {
    // Between 0 and 1, and practically random.
    let share = |k: f32| (f32::from(i) * k).fract();
    let (column, layer) = (i % 25, i / 25);
    let at = |x: u16| f32::from(x) * 1.3 - 2.6;
    let shift = Vec3::new(share(0.754_877) - 0.5, 0.0, share(0.569_84) - 0.5) * 0.4;
    let center = Vec3::new(at(column % 5), 1.0 + 1.2 * f32::from(layer), at(column / 5)) + shift;
    let turn = Quat::from_rotation_y(6.0 * share(0.618_034)) * Quat::from_rotation_x(3.0 * share(0.414_214));
    let size = 0.22 + 0.2 * share(0.324_718);
    Ok(match i % 4 {
        0 => Sphere::new(center, size)?.into(),
        1 => Capsule::from_half_axis(center, turn * Vec3::Y * 0.3, 0.8 * size)?.into(),
        _ => Obb::new(center, turn, Vec3::new(size, 0.7 * size, 1.2 * size))?.into(),
    })
}

/// Draws what a camera sees, each body in a colour of its own.
fn draw(world: &World) -> Result<Pixmap, Box<dyn std::error::Error>> {
    let [width, height] = SIZE;
    let mut picture = Pixmap::new(width, height).ok_or("the picture is too large")?;
    let forward = (SEEN - EYE).normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let up = right.cross(forward);
    let light = Vec3::new(0.4, 0.8, 0.45).normalize();
    for y in 0..height {
        for x in 0..width {
            let [across, down] =
                [(x, width), (y, height)].map(|(i, n)| (i as f32 + 0.5 - 0.5 * n as f32) / height as f32);
            let ray = Ray::new(EYE, forward + right * across - up * down)?;
            let color = match world.cast_ray(&ray, 100.0, &Filter::ALL) {
                Some(hit) => {
                    let point = ray.at(hit.distance) + hit.normal * 1e-3;
                    let is_lit = !world.any_ray_hit(&Ray::new(point, light)?, 50.0, &Filter::ALL);
                    let shade = 0.45 + if is_lit { 0.55 * hit.normal.dot(light).max(0.0) } else { 0.0 };
                    base(hit.target) * shade
                }
                None => Vec3::new(0.82, 0.88, 0.94),
            };
            let [r, g, b] = (color.clamp(Vec3::ZERO, Vec3::ONE) * 255.0).to_array().map(|x| x as u8);
            let pixel = PremultipliedColorU8::from_rgba(r, g, b, 255).ok_or("an opaque colour")?;
            picture.pixels_mut()[(y * width + x) as usize] = pixel;
        }
    }
    Ok(picture)
}

/// The colour of an object: grey for the yard, which was inserted first.
fn base(target: Target) -> Vec3 {
    let Target::Object(key) = target else { return Vec3::ONE };
    let number = key.to_bits() as u32 & 0xffff;
    if number <= 5 {
        return Vec3::splat(0.75);
    }
    let share = |k: f32| 0.35 + 0.6 * (number as f32 * k).fract();
    let color = Color::from_rgba(share(0.618), share(0.414), share(0.732), 1.0).unwrap_or(Color::WHITE);
    Vec3::new(color.red(), color.green(), color.blue())
}
