//! Rigid bodies that interact: their guarantees, tested through the public interface alone.

mod bumps;
mod carried;
mod collisions;
mod compounds;
mod contact_points;
mod controls;
mod crests;
mod crowds;
mod cylinders;
mod determinism;
mod doors;
mod edited;
mod energy;
mod events;
mod extremes;
mod far;
mod fast;
mod forces;
mod frozen;
mod given_mass;
mod ground;
mod guarantee;
mod hulls;
mod impacts;
mod kerbs;
mod moving_meshes;
mod other_worlds;
mod passes;
mod piles;
mod poses;
mod random_edits;
mod reports;
mod rolling;
mod rolling_resistance;
mod room;
mod scaled_compounds;
mod seams;
mod skewed_boxes;
mod slopes;
mod slow;
mod spinning;
mod squeezed;
mod surface_materials;
mod tracker;
mod unchanged;
mod waking;
mod walkers;
mod walkers_filter;
mod walkers_push;
mod walkers_random;
mod wedged;

use cullide_scenes::Rng;
use cullide_world::{
    Dynamics, DynamicsConfig, Mesh, Object, ObjectKey, RigidBody, Shape, Target, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Hull, Obb, Plane, Solid, Sphere},
};

const DT: f32 = 1.0 / 60.0;

/// Every number in the settings of a step.
const SETTINGS: [fn(&mut DynamicsConfig) -> &mut f32; 7] = [
    |config| &mut config.gravity.y,
    |config| &mut config.skin,
    |config| &mut config.margin,
    |config| &mut config.push_speed,
    |config| &mut config.restitution_speed,
    |config| &mut config.sleep_speed,
    |config| &mut config.sleep_seconds,
];

/// A world with bodies.
#[derive(Clone)]
struct Scene {
    world: World,
    dynamics: Dynamics,
    config: DynamicsConfig,
}

/// What a step reported.
#[derive(Clone, Debug, Default, PartialEq)]
struct Report {
    begun: Vec<(ObjectKey, Target)>,
    ended: Vec<(ObjectKey, Target)>,
    held: Vec<ObjectKey>,
    awake: usize,
}

impl Scene {
    fn new() -> Self {
        Self { world: World::with_tag(1), dynamics: Dynamics::new(), config: DynamicsConfig::default() }
    }

    fn weightless() -> Self {
        let mut scene = Self::new();
        scene.config.gravity = Vec3::ZERO;
        scene
    }

    /// A scene with a floor whose top is at height 0.
    fn with_floor() -> Self {
        let mut scene = Self::new();
        scene.fixed(aabb(Vec3::new(0.0, -1.0, 0.0), Vec3::new(50.0, 1.0, 50.0)));
        scene
    }

    fn fixed(&mut self, shape: impl Into<Shape>) -> ObjectKey {
        self.world.insert(Object::fixed(shape))
    }

    fn plane(&mut self, point: Vec3, normal: Vec3) -> cullide_world::PlaneKey {
        self.world.insert_plane(Plane::from_point_normal(point, normal).unwrap())
    }

    fn add(&mut self, shape: impl Into<Shape>, body: RigidBody) -> ObjectKey {
        let key = self.world.insert(Object::moving(shape));
        self.dynamics.insert(&mut self.world, key, body).unwrap();
        key
    }

    fn step(&mut self) -> Report {
        let report = self.dynamics.step(&mut self.world, DT, &self.config).unwrap();
        Report {
            begun: report.begun.to_vec(),
            ended: report.ended.to_vec(),
            held: report.held.to_vec(),
            awake: report.awake,
        }
    }

    /// Returns the scene that a snapshot of it restores.
    fn restored(&self) -> Self {
        let world = World::restore(&self.world.snapshot()).unwrap();
        let dynamics = Dynamics::restore(&self.dynamics.snapshot(&self.world).unwrap(), &world).unwrap();
        Self { world, dynamics, config: self.config }
    }

    /// The hash of the world and of the bodies in it.
    fn hash(&self) -> u64 {
        self.world.hash() ^ self.dynamics.hash(&self.world).rotate_left(1)
    }

    fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    fn shape(&self, key: ObjectKey) -> &Shape {
        &self.world.object(key).unwrap().get().shape
    }

    fn center(&self, key: ObjectKey) -> Vec3 {
        center(self.shape(key))
    }

    fn velocity(&self, key: ObjectKey) -> Vec3 {
        self.dynamics.body(key).unwrap().velocity
    }

    fn spin(&self, key: ObjectKey) -> Vec3 {
        self.dynamics.body(key).unwrap().angular_velocity
    }

    fn set_velocity(&mut self, key: ObjectKey, velocity: Vec3, spin: Vec3) {
        self.dynamics.body_mut(&self.world, key).unwrap().set_velocity(velocity, spin).unwrap();
    }
}

fn center(shape: &Shape) -> Vec3 {
    match shape {
        Shape::Aabb(shape) => shape.center(),
        Shape::Obb(shape) => shape.center(),
        Shape::Sphere(shape) => shape.center(),
        Shape::Capsule(shape) => shape.center(),
        Shape::Cylinder(shape) => shape.center(),
        other => panic!("no body is {other:?}"),
    }
}

fn aabb(center: Vec3, half_extents: Vec3) -> Aabb {
    Aabb::from_center_half_extents(center, half_extents).unwrap()
}

fn obb(center: Vec3, rotation: Quat, half_extents: Vec3) -> Obb {
    Obb::new(center, rotation, half_extents).unwrap()
}

fn ball(center: Vec3, radius: f32) -> Sphere {
    Sphere::new(center, radius).unwrap()
}

fn capsule(center: Vec3, half_axis: Vec3, radius: f32) -> Capsule {
    Capsule::from_half_axis(center, half_axis, radius).unwrap()
}

/// Each coordinate between `-size` and `size`.
fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (2.0 * rng.f32() - 1.0) * size))
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_scaled_axis(vector(rng, 3.0))
}

/// A signed distance with an exact sign, negative if they overlap.
fn gap(fixed: &Shape, body: &Shape) -> f64 {
    match (fixed, body) {
        (Shape::Aabb(fixed), Shape::Obb(body)) => fixed.gap(body).separation,
        (Shape::Aabb(fixed), Shape::Sphere(body)) => fixed.gap_of_sphere(body).separation,
        (Shape::Aabb(fixed), Shape::Capsule(body)) => fixed.gap_of_capsule(body).separation,
        (Shape::Obb(fixed), Shape::Obb(body)) => fixed.gap(body).separation,
        (Shape::Obb(fixed), Shape::Sphere(body)) => fixed.gap_of_sphere(body).separation,
        (Shape::Obb(fixed), Shape::Capsule(body)) => fixed.gap_of_capsule(body).separation,
        (Shape::Sphere(fixed), Shape::Sphere(body)) => fixed.gap_of_sphere(body).separation,
        other => panic!("no gap between {other:?}"),
    }
}

/// The faces of a box as triangles.
fn mesh_of(block: &Obb) -> Mesh {
    let hull = Hull::new(&block.corners()).unwrap();
    let vertices: Vec<Vec3> = hull.vertices().collect();
    let mut triangles = Vec::new();
    for corners in hull.faces().map(|face| face.vertices) {
        let fan = (1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]);
        triangles.extend(fan.map(|corners| corners.map(|i| i as u32)));
    }
    Mesh::new(&vertices, &triangles).unwrap()
}
