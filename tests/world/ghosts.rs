//! A body that slides over a flat surface is neither slowed nor deflected, however the surface is cut into triangles.

use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Mesh, Object, PlacedMesh, Response, SlideOptions, World,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Obb, Sides, Sphere, SphereSweep},
};

/// Quads as triangles, each with its own vertices.
#[derive(Default)]
struct Quads {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Quads {
    /// Counter-clockwise when seen from the front.
    fn add(&mut self, corners: [[f32; 3]; 4]) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(corners.map(Vec3::from));
        self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }

    /// A level rectangle, facing up.
    fn floor(&mut self, [x, z]: [f32; 2], [to_x, to_z]: [f32; 2]) {
        self.add([[x, 0.0, z], [x, 0.0, to_z], [to_x, 0.0, to_z], [to_x, 0.0, z]]);
    }

    fn mesh(&self) -> Mesh {
        Mesh::new(&self.vertices, &self.triangles).unwrap().with_sides(Sides::Front)
    }
}

/// Slabs of side 32, cut into 4, 8 and 16, up to x = 0: their seams do not meet, so there are T-junctions.
fn slabs() -> Quads {
    let mut quads = Quads::default();
    for (row, cut) in [4u8, 8, 16, 4, 8, 16].into_iter().enumerate() {
        let (z, size) = (32.0 * row as f32 - 96.0, 32.0 / f32::from(cut));
        for column in 0..12u8 {
            for part in 0..cut {
                let x = 32.0 * f32::from(column) - 384.0;
                quads.floor([x, z + size * f32::from(part)], [x + 32.0, z + size * f32::from(part + 1)]);
            }
        }
    }
    quads
}

/// Nine beams with chamfers and pits between them, from x = 0.
fn beams() -> Quads {
    let mut quads = Quads::default();
    let (near, far) = (-96.0, 96.0);
    for i in 0..9u8 {
        let x = 22.0 * f32::from(i);
        let mut strip = |[x, y]: [f32; 2], [to_x, to_y]: [f32; 2]| {
            quads.add([[x, y, near], [x, y, far], [to_x, to_y, far], [to_x, to_y, near]]);
        };
        strip([x, -24.0], [x, -1.0]);
        strip([x, -1.0], [x + 1.5, 0.0]);
        strip([x + 1.5, 0.0], [x + 10.5, 0.0]);
        strip([x + 10.5, 0.0], [x + 12.0, -1.0]);
        strip([x + 12.0, -1.0], [x + 12.0, -24.0]);
        strip([x + 12.0, -24.0], [x + 22.0, -24.0]);
    }
    quads.floor([198.0, near], [400.0, far]);
    quads
}

/// The floor as two meshes at a place, or cut into many.
fn floor(rotation: Quat, translation: Vec3, is_split: bool) -> World {
    let mut world = World::new();
    let mut insert = |mesh: &Mesh| {
        world.insert(Object::fixed(PlacedMesh::new(mesh, rotation, translation, Vec3::ONE).unwrap()));
    };
    for quads in [slabs(), beams()] {
        if is_split {
            for triangles in quads.triangles.chunks(7) {
                insert(&Mesh::new(&quads.vertices, triangles).unwrap().with_sides(Sides::Front));
            }
        } else {
            insert(&quads.mesh());
        }
    }
    world
}

const HALF_EXTENTS: Vec3 = Vec3::new(16.0, 36.0, 16.0);
const VELOCITY: Vec3 = Vec3::new(350.0, 0.0, 20.0);

fn placements() -> [(Quat, Vec3); 3] {
    let odd = Quat::from_xyzw(0.1, -0.35, 0.62, 0.7).normalize();
    [(Quat::IDENTITY, Vec3::ZERO), (Quat::IDENTITY, Vec3::new(1000.0, 37.0, -1000.0)), (odd, Vec3::splat(1000.0))]
}

#[test]
fn t1_a_box_that_slides_over_beams_and_slabs_is_neither_slowed_nor_turned() {
    for (rotation, translation) in placements() {
        for is_split in [false, true] {
            let world = floor(rotation, translation, is_split);
            let placed = |p: Vec3| rotation * p + translation;
            // Slightly above, as far as rounding requires.
            let above = if rotation == Quat::IDENTITY { 0.0 } else { 1e-3 };
            let mut body = Obb::new(placed(Vec3::new(-300.0, 36.0 + above, -20.0)), rotation, HALF_EXTENTS).unwrap();
            let motion = rotation * VELOCITY / 60.0;
            let down = rotation * Vec3::NEG_Y * 0.1;
            for frame in 0..90 {
                let sweep = BoxSweep::new(body, motion + down).unwrap();
                let slide = world.slide(&sweep, &Filter::ALL, &SlideOptions::default());
                let went = slide.position - body.center();
                let lost = (went - motion).dot(motion) / motion.length_squared();
                let risen = (rotation.inverse() * went).y;
                assert!(lost.abs() < 1e-4, "frame {frame}: lost {lost}, {:?}", slide.contacts);
                assert!(risen < 5e-4, "frame {frame}: risen by {risen}");
                body = Obb::from_half_edges(slide.position, body.half_edges()).unwrap();
            }
        }
    }
}

#[test]
fn t1_a_body_that_slides_over_beams_and_slabs_gets_no_upward_velocity() {
    for (rotation, translation) in placements() {
        for is_split in [false, true] {
            let (mut world, mut boxes) = (floor(rotation, translation, is_split), BoxStepper::new());
            let placed = |p: Vec3| rotation * p + translation;
            let crate_ = Obb::new(placed(Vec3::new(-300.0, 36.01, -20.0)), rotation, HALF_EXTENTS).unwrap();
            let key = world.insert(Object::moving(crate_));
            let response = Response::Bounce { restitution: 0.0, friction: 0.0 };
            boxes
                .insert(&mut world, key, BoxBody { velocity: rotation * VELOCITY, response, ..BoxBody::default() })
                .unwrap();
            let gravity = rotation * Vec3::NEG_Y * 386.0;
            for frame in 0..90 {
                boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig { gravity, ..BoxStepConfig::default() }).unwrap();
                let velocity = rotation.inverse() * boxes.body(key).unwrap().velocity;
                assert!(velocity.y < 0.035, "frame {frame}: {velocity}");
                let change = (velocity - VELOCITY) * Vec3::new(1.0, 0.0, 1.0);
                assert!(change.length() < 0.035, "frame {frame}: {velocity}");
            }
        }
    }
}

#[test]
fn t2_a_ball_that_rolls_across_the_joint_of_two_boxes_is_not_deflected() {
    let cube =
        |x: f32| cullide_world::narrowphase::Aabb::new(Vec3::new(x - 1.0, -1.0, -1.0), Vec3::new(x + 1.0, 1.0, 1.0));
    let mut world = World::new();
    world.insert_batch([Object::fixed(cube(0.0).unwrap()), Object::fixed(cube(2.0).unwrap())]);
    let mut ball = Sphere::new(Vec3::new(-0.5, 1.1, 0.0), 0.1).unwrap();
    let motion = Vec3::X * 5.0 / 60.0;
    for _ in 0..30 {
        let sweep = SphereSweep::new(ball, motion + Vec3::NEG_Y * 0.01).unwrap();
        let slide = world.slide(&sweep, &Filter::ALL, &SlideOptions::default());
        let went = slide.position - ball.center();
        assert!((went - motion).length() < 1e-5, "{went}");
        ball = Sphere::new(slide.position, 0.1).unwrap();
    }
}
