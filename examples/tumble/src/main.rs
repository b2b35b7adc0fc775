//! Crates thrown down a stair into a pile, and a bullet shot at a sheet of paper: rigid bodies that never tunnel.
//!
//! `cargo run --release -p tumble` draws their paths, from blue to red, to `target/tumble.png`, and in black their
//! final poses and where they touch.

use cullide_world::{
    DrawOptions, Dynamics, DynamicsConfig, Filter, Object, ObjectKey, RigidBody, Shape, World,
    glam::{BVec3, Quat, Vec3},
    narrowphase::{Aabb, Error, Obb, Patch},
};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Stroke, Transform};

const SOLID: u32 = 0b01;
const THROWN: u32 = 0b10;
/// The layer of the walls, which the picture leaves out.
const WALLS: u32 = 0b100;

const FILE: &str = "target/tumble.png";
const CRATES: u16 = 40;
const SECONDS: usize = 8;
const STEPS_PER_SECOND: usize = 60;
/// The number of steps between two drawings of the bodies.
const STRIDE: usize = 12;
const PIXELS_PER_METRE: f32 = 80.0;
/// Where the paper hangs.
const PAPER: f32 = 14.0;
/// The width of the stair between its walls.
const LANE: f32 = 1.6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    let step = |i: u16| (f32::from(i), f32::from(i) + 1.0, 4.5 - 0.5 * f32::from(i));
    let solids = (0..9).map(step).chain([(9.0, 16.0, 0.0)]);
    let solids = solids.map(|(left, right, top)| Aabb::new(Vec3::new(left, -0.5, -3.0), Vec3::new(right, top, 3.0)));
    let solids = solids.collect::<Result<Vec<_>, _>>()?;
    for solid in &solids {
        world.insert(Object::fixed(*solid).layers(SOLID));
    }
    for side in [-1.0, 1.0] {
        let middle = Vec3::new(8.0, 10.0, 0.5 * side * (LANE + 0.2));
        let wall = Aabb::from_center_half_extents(middle, Vec3::new(8.0, 10.5, 0.1))?;
        world.insert(Object::fixed(wall).layers(WALLS));
    }
    let paper = [(0.0, -3.0), (2.5, -3.0), (2.5, 3.0), (0.0, 3.0)].map(|(y, z)| Vec3::new(PAPER, y, z));
    world.insert(Object::fixed(Patch::new(&paper)?).layers(SOLID));

    let mut bodies = Vec::new();
    for i in 0..CRATES {
        let [across, column, layer] = [i % 2, i / 2 % 4, i / 8].map(f32::from);
        let center = Vec3::new(0.5 + 0.8 * column, 5.3 + 0.8 * layer, 0.8 * across - 0.4);
        let crate_ = Obb::new(center, Quat::from_rotation_z(0.4), Vec3::new(0.3, 0.2, 0.25))?;
        let velocity = Vec3::new(4.0 + 0.5 * layer, 1.0, 0.0);
        let body = RigidBody { velocity, angular_velocity: Vec3::Z * -3.0, ..RigidBody::dynamic() };
        bodies.push(throw(&mut world, &mut dynamics, crate_, body)?);
    }
    // It moves 83 metres per step, without turning, and the paper has no thickness.
    let bullet = Obb::new(Vec3::new(9.5, 2.0, 0.0), Quat::IDENTITY, Vec3::splat(0.05))?;
    let fast = RigidBody { velocity: Vec3::X * 5000.0, locked_rotation: BVec3::TRUE, ..RigidBody::dynamic() };
    let bullet = throw(&mut world, &mut dynamics, bullet, fast)?;
    bodies.push(bullet);

    let mut picture = Pixmap::new(1280, 760).ok_or("the picture is too large")?;
    picture.fill(Color::WHITE);
    let grey = Color::from_rgba8(120, 130, 140, 255);
    solids.iter().for_each(|solid| draw(&mut picture, &Obb::from(solid), grey));
    draw(&mut picture, &Obb::from(&Aabb::from_points(paper)?), grey);

    let (mut touches, mut awake, steps) = (0, 0, SECONDS * STEPS_PER_SECOND);
    for step in 0..steps {
        if step % STRIDE == 0 {
            let late = step as f32 / steps as f32;
            let color = Color::from_rgba(late, 0.2, 1.0 - late, 0.15).ok_or("shares are from 0 to 1")?;
            bodies.iter().for_each(|&body| draw(&mut picture, &pose(&world, body), color));
        }
        let report = dynamics.step(&mut world, 1.0 / STEPS_PER_SECOND as f32, &DynamicsConfig::default())?;
        (touches, awake) = (touches + report.begun.len(), report.awake);
        for &body in &bodies {
            let pose = pose(&world, body);
            let fixed = Filter::layers(SOLID | WALLS);
            assert_eq!(world.depenetrate(&pose, &fixed), Some(pose.center()), "inside of something");
        }
    }
    assert!(pose(&world, bullet).aabb().max().x <= PAPER, "through the paper");
    draw_lines(&mut picture, &world, &dynamics);
    picture.save_png(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    println!("{touches} touches in {SECONDS} seconds, {awake} of {} still move; see {FILE}", bodies.len());
    Ok(())
}

fn throw(world: &mut World, dynamics: &mut Dynamics, shape: Obb, body: RigidBody) -> Result<ObjectKey, Error> {
    let key = world.insert(Object::moving(shape).layers(THROWN));
    dynamics.insert(world, key, body)?;
    Ok(key)
}

fn pose(world: &World, body: ObjectKey) -> Obb {
    match world.object(body).map(|object| &object.get().shape) {
        Some(Shape::Obb(obb)) => *obb,
        other => panic!("a body stays a box, not {other:?}"),
    }
}

/// Draws the world's debug lines, as seen along z: edges; and where bodies touch, as circles.
fn draw_lines(picture: &mut Pixmap, world: &World, dynamics: &Dynamics) {
    let mut path = PathBuilder::new();
    world.debug_draw(&DrawOptions::default(), &Filter::layers(SOLID | THROWN), |line| {
        let [start, end] = [line.start, line.end].map(on_picture);
        path.move_to(start[0], start[1]);
        path.line_to(end[0], end[1]);
    });
    for pair in dynamics.contacts().filter(|pair| pair.is_touching()) {
        let center = pose(world, pair.first).center();
        for point in pair.parts().iter().flat_map(|part| part.manifold.points()) {
            let [x, y] = on_picture(center + point.from_first);
            path.push_circle(x, y, 2.0);
        }
    }
    let Some(path) = path.finish() else { return };
    picture.stroke_path(&path, &Paint::default(), &Stroke::default(), Transform::identity(), None);
}

/// Draws the outline of a box as seen along z: its three faces on this side, as one path.
fn draw(picture: &mut Pixmap, body: &Obb, color: Color) {
    let mut path = PathBuilder::new();
    let edges = body.half_edges();
    for i in 0..3 {
        let (a, mut b, c) = (edges[i] * edges[i].z.signum(), edges[(i + 1) % 3], edges[(i + 2) % 3]);
        // All with the same winding, so that they add up.
        b *= b.cross(c).z.signum();
        let corners = [a + b + c, a - b + c, a - b - c, a + b - c].map(|corner| body.center() + corner);
        let [first, rest @ ..] = corners.map(on_picture);
        path.move_to(first[0], first[1]);
        rest.iter().for_each(|point| path.line_to(point[0], point[1]));
        path.close();
    }
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(color);
    let Some(path) = path.finish() else { return };
    picture.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    picture.stroke_path(&path, &paint, &Stroke::default(), Transform::identity(), None);
}

/// The position of a point in the picture.
fn on_picture(point: Vec3) -> [f32; 2] {
    [point.x * PIXELS_PER_METRE, (9.0 - point.y) * PIXELS_PER_METRE]
}
