//! A closed room that is shaken: whatever it is made of, nothing leaves it or is in one of its walls.

use super::{Scene, aabb, ball, capsule, gap, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mesh, ObjectKey, RigidBody, Shape,
    glam::{Quat, Vec3},
    narrowphase::{Plane, Sides, Solid, Triangle},
};

/// Half the width of the room.
const HALF: f32 = 8.0;

/// What the sides are made of.
#[derive(Clone, Copy, Debug)]
enum Walls {
    Thick,
    Thin,
    Turned,
    Planes,
    Meshes,
}

/// The sides of a room, and how far a body is from the nearest one.
struct Sides6 {
    solids: Vec<Shape>,
    planes: Vec<Plane>,
    triangles: Vec<Triangle>,
}

impl Sides6 {
    fn least_gap(&self, body: &Shape) -> f64 {
        let solids = self.solids.iter().map(|solid| gap(solid, body));
        let planes = self.planes.iter().map(|plane| match body {
            Shape::Obb(body) => plane.gap(body, Sides::Front).separation,
            Shape::Sphere(body) => {
                let normal = plane.normal().as_dvec3();
                let height = normal.dot(body.center().as_dvec3()) + f64::from(plane.d());
                height / normal.length() - f64::from(body.radius())
            }
            Shape::Capsule(body) => {
                let normal = plane.normal().as_dvec3();
                let center = normal.dot(body.center().as_dvec3()) + f64::from(plane.d());
                let height = center - normal.dot(body.half_axis().as_dvec3()).abs();
                height / normal.length() - f64::from(body.radius())
            }
            other => panic!("no body is {other:?}"),
        });
        let around = body.aabb();
        let near = self.triangles.iter().filter(|triangle| triangle.aabb().overlaps(&around));
        let triangles = near.map(|triangle| match body {
            Shape::Obb(body) => triangle.gap(body).separation,
            Shape::Sphere(body) => triangle.gap_of_sphere(body).separation,
            Shape::Capsule(body) => triangle.gap_of_capsule(body).separation,
            other => panic!("no body is {other:?}"),
        });
        solids.chain(planes).chain(triangles).fold(f64::INFINITY, f64::min)
    }
}

/// A wall of the room as a grid of triangles with a bumpy surface that is flat along its border.
fn mesh(normal: Vec3) -> (Mesh, Vec<Triangle>) {
    const CELLS: u32 = 12;
    let (u, v) = normal.any_orthonormal_pair();
    let place = |i: u32| (i as f32 / CELLS as f32 * 2.0 - 1.0) * (HALF + 0.5);
    let mut vertices = Vec::new();
    for i in 0..=CELLS {
        for j in 0..=CELLS {
            let is_inside = i > 1 && j > 1 && i < CELLS - 1 && j < CELLS - 1;
            let bump = if is_inside { 0.3 * ((i * 7 + j * 5) % 4) as f32 / 4.0 } else { 0.0 };
            vertices.push(u * place(i) + v * place(j) - normal * (HALF - bump));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..CELLS {
        for j in 0..CELLS {
            let at = |i: u32, j: u32| i * (CELLS + 1) + j;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let corners = triangles.iter().map(|triangle| triangle.map(|i| vertices[i as usize]));
    let own = corners.map(|[a, b, c]| Triangle::new(a, b, c).unwrap()).collect();
    (Mesh::new(&vertices, &triangles).unwrap(), own)
}

fn room(scene: &mut Scene, walls: Walls) -> Sides6 {
    let mut sides = Sides6 { solids: Vec::new(), planes: Vec::new(), triangles: Vec::new() };
    let normals = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let slab = |normal: Vec3, thickness: f32, beyond: f32| {
        let half_extents = Vec3::splat(HALF + beyond) * (Vec3::ONE - normal.abs()) + normal.abs() * 0.5 * thickness;
        (normal * -(HALF + 0.5 * thickness), half_extents)
    };
    for normal in normals {
        match walls {
            Walls::Thick | Walls::Thin => {
                let thickness = if matches!(walls, Walls::Thin) { 0.01 } else { 4.0 };
                let (center, half_extents) = slab(normal, thickness, thickness);
                sides.solids.push(aabb(center, half_extents).into());
            }
            Walls::Turned => {
                let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.7, -0.4));
                let (center, half_extents) = slab(normal, 0.01, 0.2);
                sides.solids.push(obb(turn * center, turn, half_extents).into());
            }
            Walls::Planes => {
                sides.planes.push(Plane::from_point_normal(normal * -HALF, normal).unwrap());
            }
            Walls::Meshes => {
                let (mesh, triangles) = mesh(normal);
                sides.triangles.extend(triangles);
                scene.fixed(Shape::from(mesh));
            }
        }
    }
    for solid in &sides.solids {
        scene.fixed(solid.clone());
    }
    for plane in &sides.planes {
        scene.world.insert_plane(*plane);
    }
    sides
}

fn fill(scene: &mut Scene, count: usize, rng: &mut Rng) -> Vec<ObjectKey> {
    let add = |i: usize| {
        let center = vector(rng, 0.5 * HALF);
        let size = 0.15 + 0.35 * rng.f32();
        let shape: Shape = match i % 3 {
            0 => obb(center, turn(rng), Vec3::new(1.0, 0.7, 0.5) * size).into(),
            1 => ball(center, size).into(),
            _ => capsule(center, turn(rng) * Vec3::Y * size, 0.6 * size).into(),
        };
        scene.add(shape, RigidBody::dynamic())
    };
    (0..count).map(add).collect()
}

fn shake(seed: u64, walls: Walls, count: usize, steps: usize, speed: f32) {
    let mut rng = Rng::with_seed(seed);
    let mut scene = Scene::new();
    let sides = room(&mut scene, walls);
    let bodies = fill(&mut scene, count, &mut rng);
    for step in 0..steps {
        if step % 30 == 0 {
            for &key in &bodies {
                let (velocity, spin) = (vector(&mut rng, 1.0).normalize() * speed * rng.f32(), vector(&mut rng, 50.0));
                scene.set_velocity(key, velocity, spin);
            }
        }
        scene.step();
        for &key in &bodies {
            let center = scene.center(key);
            assert!(center.length() < 2.0 * HALF, "{walls:?}, step {step}: {key} is outside at {center}");
            // Far from all walls.
            if !matches!(walls, Walls::Turned) && center.abs().max_element() < HALF - 1.3 {
                continue;
            }
            let apart = sides.least_gap(scene.shape(key));
            assert!(apart >= 0.0, "{walls:?}, step {step}: {key} is in a wall by {apart}: {:?}", scene.shape(key));
        }
    }
}

#[test]
fn nothing_is_shaken_out_of_a_room_of_thick_walls() {
    shake(SEED, Walls::Thick, 60, 300, 500.0);
}

#[test]
fn nothing_is_shaken_out_of_a_room_of_thin_walls() {
    shake(SEED, Walls::Thin, 60, 300, 500.0);
}

#[test]
fn nothing_is_shaken_out_of_a_room_of_slanted_thin_walls() {
    shake(SEED, Walls::Turned, 60, 300, 500.0);
}

#[test]
fn nothing_is_shaken_out_of_a_room_of_planes() {
    shake(SEED, Walls::Planes, 60, 300, 500.0);
}

#[test]
fn nothing_is_shaken_out_of_a_room_of_meshes() {
    shake(SEED, Walls::Meshes, 40, 200, 500.0);
}

#[test]
#[ignore = "takes minutes"]
fn nothing_is_shaken_out_of_any_room_for_long() {
    std::thread::scope(|scope| {
        for walls in [Walls::Thick, Walls::Thin, Walls::Turned, Walls::Planes, Walls::Meshes] {
            for speed in [20.0, 500.0] {
                scope.spawn(move || shake(SEED, walls, 200, 2000, speed));
            }
        }
        for seed in 1..=3 {
            scope.spawn(move || shake(seed, Walls::Meshes, 200, 2000, 500.0));
        }
    });
}
