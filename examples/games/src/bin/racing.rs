//! Cars on springs, with wheels that are swept cylinders, on a terrain of a million triangles: twenty park on hills, and
//! sixteen drive for a minute, over tarmac, grass and a ramp.
//!
//! `cargo run --release -p games --bin racing`

use cullide_world::{
    Compound, Dynamics, DynamicsConfig, Filter, Mass, Material, Object, ObjectKey, RigidBody, Shape, ShapeSweep,
    Terrain, World,
    glam::{Mat3, Quat, Vec2, Vec3},
    narrowphase::{Aabb, Cylinder, Hull, Sides},
};
use std::{error::Error, f32::consts::FRAC_PI_2};

const GROUND: u32 = 1 << 0;
const CARS: u32 = 1 << 1;
const TARMAC: u16 = 1;
const GRASS: u16 = 2;
const DT: f32 = 1.0 / 60.0;
/// Samples along a side of the terrain, and the metres between them.
const SIDE: u16 = 709;
const SPACING: f32 = 2.0;
/// Where the road runs along x, on level ground, and where the ramp on it begins.
const ROAD: f32 = 700.0;
const RAMP: f32 = 900.0;
const MASS: f32 = 1200.0;
/// How far down a wheel hangs from its mount when nothing presses it.
const TRAVEL: f32 = 0.45;
const RADIUS: f32 = 0.35;
const HALF_WIDTH: f32 = 0.1;
/// Where the wheels are mounted: the two in front first.
const MOUNTS: [Vec3; 4] =
    [Vec3::new(-0.8, -0.1, 1.4), Vec3::new(0.8, -0.1, 1.4), Vec3::new(-0.8, -0.1, -1.4), Vec3::new(0.8, -0.1, -1.4)];

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

struct Car {
    key: ObjectKey,
    throttle: f32,
    brake: bool,
    steer: f32,
    /// How many of its wheels touch the ground.
    grounded: u16,
    /// Where each wheel that is braked has stopped. A force of friction alone would let it creep down a slope.
    anchors: [Option<Vec3>; 4],
}

struct Race {
    world: World,
    dynamics: Dynamics,
    terrain: Terrain,
    car: Shape,
}

fn main() -> Outcome {
    let mut race = Race::new()?;
    let drift = race.park()?;
    println!("20 cars brake on hills: they drift by at most {:.4} mm in 10 s", 1000.0 * drift);
    assert!(drift < 1e-3);
    race.drive_for_a_minute()
}

/// Hills, but for the road.
fn height(x: f32, z: f32) -> f32 {
    let away = (((z - ROAD).abs() - 12.0) / 60.0).clamp(0.0, 1.0);
    away * (14.0 * (x * 0.02).sin() * (z * 0.017).cos() + (x * 0.15).sin() * (z * 0.13).cos())
}

impl Race {
    fn new() -> Outcome<Self> {
        let (mut world, mut dynamics) = (World::new(), Dynamics::new());
        let row = |z: u16| (0..SIDE).map(move |x| height(f32::from(x) * SPACING, f32::from(z) * SPACING));
        let samples: Vec<f32> = (0..SIDE).flat_map(row).collect();
        let terrain = Terrain::new(SIDE.into(), SIDE.into(), &samples, Vec2::splat(SPACING), Vec2::ZERO)?;
        let mut terrain = terrain.with_sides(Sides::Front);
        let (cells, road) = (u32::from(SIDE) - 1, (ROAD / SPACING) as u32);
        terrain.set_surface(0..cells, 0..cells, GRASS)?;
        terrain.set_surface(0..cells, road - 5..road + 5, TARMAC)?;
        let ground = world.insert(Object::fixed(&terrain).layers(GROUND));
        let grass = Material { friction: 0.4, rolling_resistance: 0.1, ..Material::default() };
        dynamics.set_surface_material(&world, ground, GRASS, grass)?;
        dynamics.set_surface_material(&world, ground, TARMAC, Material { friction: 0.9, ..Material::default() })?;
        let side = [(0.0, 0.0), (14.0, 0.0), (14.0, 3.0)].map(|(x, y)| Vec3::new(RAMP + x, y, ROAD - 5.0));
        let ramp = Hull::new(&[side, side.map(|corner| corner + Vec3::Z * 10.0)].concat())?;
        world.insert(Object::fixed(ramp).layers(GROUND));
        let chassis = Aabb::from_center_half_extents(Vec3::ZERO, Vec3::new(0.9, 0.25, 2.1))?;
        let cabin = Aabb::from_center_half_extents(Vec3::new(0.0, 0.5, -0.2), Vec3::new(0.75, 0.25, 1.1))?;
        let car = Compound::new([chassis.into(), cabin.into()])?.into();
        Ok(Self { world, dynamics, terrain, car })
    }

    /// Adds a car that faces along `yaw`.
    fn add(&mut self, [x, z]: [f32; 2], yaw: f32) -> Outcome<Car> {
        let at = self.above([x, z])?;
        let object = Object::moving(self.car.clone()).layers(CARS);
        let key = self.world.insert_at(object, Quat::from_rotation_y(yaw), at)?;
        let inertia = Mat3::from_diagonal(Vec3::new(1900.0, 2000.0, 450.0));
        let mass = Mass::Given { mass: MASS, center: Vec3::Y * -0.1, inertia };
        self.dynamics.insert(&mut self.world, key, RigidBody { mass, ..RigidBody::dynamic() })?;
        Ok(Car { key, throttle: 0.0, brake: false, steer: 0.0, grounded: 0, anchors: [None; 4] })
    }

    fn above(&self, [x, z]: [f32; 2]) -> Outcome<Vec3> {
        Ok(Vec3::new(x, self.terrain.height_at(x, z).ok_or("off the map")? + 1.2, z))
    }

    fn pose(&self, car: &Car) -> Outcome<(Quat, Vec3)> {
        Ok(self.world.object(car.key).ok_or("no car")?.transform())
    }

    /// Gives a car the forces of its wheels.
    fn drive(&mut self, car: &mut Car) -> Outcome {
        let (turn, place) = self.pose(car)?;
        car.grounded = 0;
        for (i, mount) in MOUNTS.into_iter().enumerate() {
            let (center, is_front) = (place + turn * mount, i < 2);
            let steered = turn * Quat::from_rotation_y(if is_front { car.steer } else { 0.0 });
            let wheel = Cylinder::from_half_axis(center, steered * Vec3::X * HALF_WIDTH, [RADIUS; 2])?.into();
            let sweep = ShapeSweep::new(&wheel, turn * Vec3::NEG_Y * TRAVEL)?;
            let swept = self.world.sweep(&sweep, &Filter::layers(GROUND));
            let (normal, surface) = match (swept.hit, swept.overlap) {
                (Some(hit), _) => (hit.normal, hit.surface),
                (None, Some(overlap)) => (overlap.normal, overlap.surface),
                (None, None) => continue,
            };
            let squeeze = TRAVEL - swept.translation.length();
            // The middle of the tread. It may touch at any point of its width.
            let down = (-normal).reject_from(steered * Vec3::X).normalize_or_zero();
            let point = center + swept.translation + down * RADIUS;
            car.grounded += 1;
            let body = self.dynamics.body(car.key).ok_or("no body")?;
            let speed = body.velocity_at(&self.world, point).ok_or("no body")?;
            let press = (35_000.0 * squeeze - 3_500.0 * speed.dot(normal)).max(0.0);
            let forward = (steered * Vec3::Z).reject_from(normal).normalize();
            let side = normal.cross(forward);
            // What stops the quarter of a car on a wheel in two and a half steps.
            let stop = MASS / 4.0 / DT * 0.4;
            let push = if is_front { 0.0 } else { car.throttle };
            let along = if car.brake { -speed.dot(forward) * stop } else { push };
            car.anchors[i] = (car.brake && speed.length() < 0.5).then(|| car.anchors[i].unwrap_or(point));
            let hold = car.anchors[i].map_or(Vec3::ZERO, |anchor| (anchor - point).reject_from(normal) * 60_000.0);
            let grip = press * if surface == TARMAC { 1.1 } else { 0.55 };
            let rub = (hold + forward * along - side * speed.dot(side) * stop).clamp_length_max(grip);
            let mut body = self.dynamics.body_mut(&self.world, car.key).ok_or("no body")?;
            body.apply_force_at(normal * press + rub, point)?;
        }
        Ok(())
    }

    fn step(&mut self, cars: &mut [Car]) -> Outcome {
        cars.iter_mut().try_for_each(|car| self.drive(car))?;
        self.dynamics.step(&mut self.world, DT, &DynamicsConfig::default())?;
        Ok(())
    }

    /// Lets twenty cars brake on hills, and returns how far they drift after they have come to rest.
    fn park(&mut self) -> Outcome<f32> {
        let place = |i: u16| [150.0 + 25.0 * f32::from(i % 8), 200.0 + 30.0 * f32::from(i / 8)];
        let car = |i| Ok(Car { brake: true, ..self.add(place(i), f32::from(i))? });
        let mut cars = (0..20).map(car).collect::<Outcome<Vec<_>>>()?;
        (0..300).try_for_each(|_| self.step(&mut cars))?;
        let before = cars.iter().map(|car| self.pose(car)).collect::<Outcome<Vec<_>>>()?;
        (0..600).try_for_each(|_| self.step(&mut cars))?;
        let mut drift = 0_f32;
        for (car, (_, before)) in cars.iter().zip(before) {
            drift = drift.max(self.pose(car)?.1.distance(before));
            self.world.remove(car.key);
        }
        Ok(drift)
    }

    /// Half of the cars drive along the road and over the ramp, half over hills.
    fn drive_for_a_minute(&mut self) -> Outcome {
        let start = |i: u16, x: f32| [x + 30.0 * f32::from(i), if i < 8 { ROAD } else { 200.0 + 20.0 * f32::from(i) }];
        let mut cars = (0..16).map(|i| self.add(start(i, 500.0), FRAC_PI_2)).collect::<Outcome<Vec<_>>>()?;
        let (mut flights, mut longest, mut fastest, mut lowest) = ([0_u16; 16], 0, 0_f32, f32::INFINITY);
        let mut blows = 0;
        for step in 0..3600_u16 {
            for (i, car) in (0..).zip(&mut cars) {
                let (turn, place) = self.pose(car)?;
                let speed = self.dynamics.body(car.key).ok_or("no body")?.velocity.length();
                car.throttle = if speed < 25.0 { 4_000.0 } else { 0.0 };
                car.steer = if i < 8 { 0.0 } else { 0.15 * (f32::from(step) * 0.01 + f32::from(i)).sin() };
                let flight = &mut flights[usize::from(i)];
                *flight = if car.grounded == 0 { *flight + 1 } else { 0 };
                (longest, fastest) = (longest.max(*flight), fastest.max(speed));
                let ground = self.terrain.height_at(place.x, place.z);
                lowest = lowest.min(ground.map_or(f32::INFINITY, |ground| place.y - ground));
                let is_near_the_rim = place.x.min(place.z) < 50.0 || place.x.max(place.z) > 1350.0;
                if is_near_the_rim || (turn * Vec3::Y).y < 0.2 {
                    let at = self.above(start(i, 300.0))?;
                    let mut object = self.world.object_mut(car.key).ok_or("no car")?;
                    object.set_transform(Quat::from_rotation_y(FRAC_PI_2), at)?;
                    let mut body = self.dynamics.body_mut(&self.world, car.key).ok_or("no body")?;
                    body.set_velocity(Vec3::ZERO, Vec3::ZERO)?;
                }
            }
            self.step(&mut cars)?;
            blows += self.dynamics.hits(MASS).count();
        }
        let flight = f32::from(longest) * DT;
        println!("16 cars in a minute: up to {fastest:.1} m/s, in the air for up to {flight:.2} s");
        println!("{blows} hard blows; never lower than {lowest:.2} m above the ground");
        assert!(lowest > 0.1 && flight > 0.5 && fastest > 24.0);
        Ok(())
    }
}
