//! What the programs in C and C++ compute, by the crates themselves.

use cullide_world::{
    Character, Dynamics, DynamicsConfig, Filter, Material, Mover, Object, ObjectKey, RigidBody, Shape, Target, Terrain,
    World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Cylinder, Plane, Ray, Sides, Sphere, SphereSweep},
};

const DT: f32 = 1.0 / 64.0;

/// FNV-1a.
struct Fold(u64);

impl Fold {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn vector(&mut self, v: Vec3) {
        v.to_array().iter().for_each(|number| self.bytes(&number.to_ne_bytes()));
    }

    /// As C knows it.
    fn target(&mut self, target: Option<Target>) {
        let bits = match target {
            Some(Target::Object(key)) => key.to_bits(),
            Some(Target::Plane(key)) => !key.to_bits(),
            None => 0,
        };
        self.bytes(&bits.to_ne_bytes());
    }
}

/// A box, centred at its origin.
fn brick(x: f32, y: f32, z: f32) -> Shape {
    Aabb::from_center_half_extents(Vec3::ZERO, Vec3::new(x, y, z)).unwrap().into()
}

/// Inserts shapes about their origins, and puts them where they belong.
fn insert(world: &mut World, objects: Vec<(Object, Vec3)>) -> Vec<ObjectKey> {
    let (objects, places): (Vec<_>, Vec<_>) = objects.into_iter().unzip();
    let keys = world.insert_batch(objects);
    let poses: Vec<_> = keys.iter().zip(places).map(|(key, place)| (*key, Quat::IDENTITY, place)).collect();
    world.set_transform_batch(&poses).unwrap();
    keys
}

/// `programs/pile.c`.
pub(crate) fn pile() -> u64 {
    let (mut world, mut dynamics, mut fold) = (World::with_tag(1), Dynamics::new(), Fold::new());
    world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let ball = Shape::from(Sphere::new(Vec3::ZERO, 0.375).unwrap());
    let can = Shape::from(Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * 0.25, [0.25; 2]).unwrap());
    let steps = (0..4u8).map(|i| {
        let place = Vec3::new(6.25 - 0.75 * f32::from(i), 0.125 + 0.25 * f32::from(i), 0.0);
        (Object::fixed(brick(1.0, 0.125, 2.0)), place)
    });
    let things = (0..72u8).map(|i| {
        let shape = [ball.clone(), brick(0.375, 0.25, 0.25), can.clone()][usize::from(i % 3)].clone();
        let place = Vec3::new(
            0.75 * f32::from(i % 4) - 2.0,
            1.0 + 0.5 * f32::from(i / 4),
            0.5 * f32::from((u16::from(i) * 7 % 5) as u8) - 1.0,
        );
        (Object::moving(shape).user(i.into()), place)
    });
    let keys = insert(&mut world, steps.chain(things).collect());
    let material = Material { friction: 0.5, ..Material::default() };
    for key in &keys[4..] {
        dynamics.insert(&mut world, *key, RigidBody { material, ..RigidBody::dynamic() }).unwrap();
    }
    let config = DynamicsConfig::default();
    for _ in 0..512 {
        let moved = dynamics.step(&mut world, DT, &config).unwrap().moved.len();
        fold.bytes(&moved.to_ne_bytes());
    }
    for row in 0..26u8 {
        for column in 0..80u8 {
            let origin = Vec3::new(0.125 * f32::from(column) - 2.75, 16.0, 0.25 * f32::from(row) - 3.0);
            let hit = world.cast_ray(&Ray::new(origin, Vec3::NEG_Y).unwrap(), 32.0, &Filter::ALL);
            fold.target(hit.map(|hit| hit.target));
            fold.vector(hit.map_or(Vec3::ZERO, |hit| hit.point));
        }
    }
    let body = Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * 0.5, 0.25).unwrap();
    let body = Capsule::from_half_axis(Vec3::new(8.0, 1.0, 0.5), body.half_axis(), 0.25).unwrap();
    let mut hero = Character::new(body);
    for _ in 0..192 {
        hero.velocity = if hero.is_on_ground() { Vec3::new(-2.0, 0.0, 0.25) } else { hero.velocity - Vec3::Y * 0.125 };
        dynamics.walk(&world, &Mover::default(), &mut hero, DT, &Filter::ALL).unwrap();
        dynamics.step(&mut world, DT, &config).unwrap();
        fold.vector(hero.position());
        fold.target(hero.ground.map(|ground| ground.target));
    }
    fold.bytes(&world.hash().to_ne_bytes());
    fold.bytes(&dynamics.hash(&world).to_ne_bytes());
    fold.0
}

/// `programs/rewind.cpp`, without going back.
pub(crate) fn rewind() -> u64 {
    let (mut world, mut dynamics, mut fold) = (World::with_tag(2), Dynamics::new(), Fold::new());
    let heights: Vec<f32> = (0..33 * 33u16).map(|i| f32::from(i % 33 * (i / 33) % 7) / 8.0).collect();
    let hills = Terrain::new(33, 33, &heights, Vec2::ONE, Vec2::splat(-16.0)).unwrap().with_sides(Sides::Front);
    let ball = Sphere::new(Vec3::ZERO, 0.75).unwrap();
    let mut objects = vec![(Object::fixed(hills), Vec3::ZERO), (Object::moving(ball), Vec3::new(-8.0, 3.0, 0.25))];
    objects.extend((0..20u8).map(|i| {
        let place = Vec3::new(4.0, 1.5 + f32::from(i / 5), 1.0625 * f32::from(i % 5) - 2.0);
        (Object::moving(brick(0.5, 0.5, 0.5)), place)
    }));
    let keys = insert(&mut world, objects);
    for key in &keys[2..] {
        dynamics.insert(&mut world, *key, RigidBody::dynamic()).unwrap();
    }
    let mass = cullide_world::Mass::Density(4.0);
    let shot = RigidBody { velocity: Vec3::new(24.0, 2.0, 0.0), mass, ..RigidBody::dynamic() };
    dynamics.insert(&mut world, keys[1], shot).unwrap();
    for _ in 0..96 {
        dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
    }
    for _ in 0..2 {
        fold.bytes(&dynamics.hash(&world).to_ne_bytes());
    }
    for key in dynamics.report().moved {
        let (rotation, position) = world.object(*key).unwrap().transform();
        rotation.to_array().iter().for_each(|number| fold.bytes(&number.to_ne_bytes()));
        fold.vector(position);
    }
    let place = |key: usize| world.object(keys[key]).unwrap().transform().1;
    let (mut touched, mut near) = (Vec::new(), Vec::new());
    world.overlap(&Sphere::new(place(2), 0.75).unwrap(), &Filter::ALL, &mut touched);
    touched.into_iter().for_each(|target| fold.target(Some(target)));
    world.nearest(place(1), f32::INFINITY, 4, &Filter::ALL, &mut near);
    for near in near {
        fold.target(Some(near.target));
        fold.bytes(&near.distance.to_ne_bytes());
    }
    let thrown = Sphere::new(Vec3::new(-8.0, 8.0, 0.0), 0.75).unwrap();
    let swept = world.sweep(&SphereSweep::new(thrown, Vec3::new(16.0, -12.0, 1.0)).unwrap(), &Filter::ALL);
    fold.vector(swept.position);
    fold.target(swept.hit.map(|hit| hit.target));
    fold.bytes(&swept.hit.map_or(0.0, |hit| hit.toi).to_ne_bytes());
    fold.bytes(&swept.hit.map_or(0, |hit| hit.part).to_ne_bytes());
    fold.0
}
