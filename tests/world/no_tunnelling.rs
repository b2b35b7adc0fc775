//! Ten million steps of boxes, half of which rotate, by up to 10^5 of their lengths each: none ever leaves its room,
//! whether the walls are half-spaces, brushes or patches without thickness, and none is in a wall by exact arithmetic.

use cullide_oracle::plane_gap;
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Object, ObjectKey, Response, Shape, World, WorldPlane,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Brush, Obb, Patch, Plane},
};
use rayon::prelude::*;

/// Boxes per room; this few are moved by one thread, and the rooms are shared among all threads.
const BOXES: usize = 50;
const STEPS: usize = 100;

/// One side of a room: the solid, and the plane `normal · p + d = 0` with which it bounds the room; the normal may have
/// any length and points inward.
type Side = (Wall, [f64; 4]);

enum Wall {
    HalfSpace(Plane),
    Solid(Shape),
}

/// The sides of an octahedron with slanted faces. Its corners are on a grid of 1/64, so that the planes through them
/// are exact in `f64`.
fn corners(rng: &mut Rng) -> [[Vec3; 3]; 8] {
    let mut corner = |axis: Vec3| ((axis * 60.0 + vector(rng, 24.0)) * 64.0).round() / 64.0;
    let ends = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| [corner(-axis), corner(axis)]);
    std::array::from_fn(|i| {
        let [x, y, z] = [0, 1, 2].map(|axis| ends[axis][i >> axis & 1]);
        // Counter-clockwise seen from inside.
        if i.count_ones() % 2 == 0 { [x, y, z] } else { [x, z, y] }
    })
}

fn half_space([a, b, c]: [Vec3; 3]) -> Side {
    let plane = Plane::from_points(a, b, c).unwrap();
    (Wall::HalfSpace(plane), plane.normal().extend(plane.d()).to_array().map(f64::from))
}

/// Thinner than the distance that most boxes move in a step.
fn brush([a, b, c]: [Vec3; 3]) -> Side {
    let [a, b, c] = [a, b, c].map(|corner| corner.as_dvec3());
    let normal = (b - a).cross(c - a).normalize();
    let (u, v) = normal.any_orthonormal_pair();
    let slab = |along: DVec3, distance: f64| (along, along.dot(a) + distance);
    let inner = slab(normal, 0.0);
    let planes = [inner, slab(-normal, 0.5), slab(u, 400.0), slab(-u, 400.0), slab(v, 400.0), slab(-v, 400.0)];
    let brush = Brush::from_half_spaces(&planes).unwrap();
    let plane = brush.planes().iter().find(|plane| plane.normal.dot(normal) > 0.999).unwrap();
    let truth = plane.normal.extend(-plane.distance).to_array();
    (Wall::Solid(brush.into()), truth)
}

fn patch([a, b, c]: [Vec3; 3]) -> Side {
    let [u, v] = [b - a, c - a].map(|edge| edge.as_dvec3());
    let normal = u.cross(v);
    let truth = normal.extend(-normal.dot(a.as_dvec3())).to_array();
    (Wall::Solid(Patch::new(&[a, b, c]).unwrap().into()), truth)
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

/// A size between the two, with each order of magnitude equally likely.
fn sized(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low * (high / low).powf(rng.f32())
}

/// A random motion, up to a speed that depends on `length`, with or without rotation.
fn thrown(rng: &mut Rng, length: f32, turns: bool) -> BoxBody {
    let direction = vector(rng, 2.0).normalize_or(Vec3::X);
    let velocity = direction * length * sized(rng, 1e-3, 1e5);
    let spin = if turns {
        vector(rng, 2.0).normalize_or(Vec3::X) * sized(rng, 1e-2, 6.0 * std::f32::consts::PI)
    } else {
        Vec3::ZERO
    };
    let response = match rng.usize(0..4) {
        0 => Response::Stop,
        1 | 2 => Response::Slide,
        _ => Response::Bounce { restitution: rng.f32(), friction: rng.f32() },
    };
    BoxBody { velocity, angular_velocity: spin, response, gravity_scale: 1.0 }
}

/// A box in a room, its length, and whether it rotates.
struct Flyer {
    key: ObjectKey,
    length: f32,
    turns: bool,
}

fn flyer(world: &mut World, rng: &mut Rng, turns: bool) -> Flyer {
    let half_extents = Vec3::from_array(std::array::from_fn(|_| sized(rng, 5e-3, 2.0)));
    let pose = Obb::new(vector(rng, 20.0), Quat::from_scaled_axis(vector(rng, 6.0)), half_extents).unwrap();
    let key = world.insert(Object::moving(pose).layers(0b10).pairs_with(0b01));
    Flyer { key, length: 2.0 * half_extents.max_element(), turns }
}

/// Whether a box is in front of a plane: in `f64` if that is certain, otherwise exactly.
fn is_in_front(body: &Obb, plane: [f64; 4]) -> bool {
    let [x, y, z, d] = plane;
    let (normal, center) = (DVec3::new(x, y, z), body.center().as_dvec3());
    let edges = body.half_edges().map(|edge| edge.as_dvec3());
    let gap = normal.dot(center) + d - edges.iter().map(|edge| normal.dot(*edge).abs()).sum::<f64>();
    let size = edges.iter().map(|edge| edge.abs()).sum::<DVec3>() + center.abs();
    let error = 1e-14 * (normal.abs().dot(size) + d.abs());
    if gap.abs() > error {
        return gap > 0.0;
    }
    let exactly = [center, edges[0], edges[1], edges[2]].map(|v| v.to_array());
    !plane_gap(exactly, plane).is_negative()
}

/// Steps the boxes of a room; returns how many of them moved, and how many walls they touched.
fn play(wall: fn([Vec3; 3]) -> Side, seed: u64) -> [usize; 2] {
    let mut rng = Rng::with_seed(seed);
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let planes = corners(&mut rng).map(|corners| {
        let (wall, plane) = wall(corners);
        match wall {
            Wall::HalfSpace(plane) => drop(world.insert_plane(WorldPlane::half_space(plane).layers(0b01))),
            Wall::Solid(shape) => drop(world.insert(Object::fixed(shape).layers(0b01))),
        }
        plane
    });
    world.optimize();
    let flyers: Vec<Flyer> = (0..BOXES).map(|i| flyer(&mut world, &mut rng, i % 2 == 0)).collect();
    let config = BoxStepConfig { gravity: Vec3::ZERO, max_touches: 4, ..BoxStepConfig::default() };
    let (mut moves, mut touches) = (0, 0);
    for step in 0..STEPS {
        for flyer in &flyers {
            let body = thrown(&mut rng, flyer.length, flyer.turns);
            boxes.insert(&mut world, flyer.key, body).unwrap();
        }
        let before: Vec<Obb> = flyers.iter().map(|flyer| pose(&world, flyer)).collect();
        let events = boxes.step(&mut world, 1.0, &config).unwrap();
        touches += events.begun.len() + events.persisting.len();
        for (flyer, before) in flyers.iter().zip(before) {
            let body = pose(&world, flyer);
            moves += usize::from(body != before);
            for (i, plane) in planes.iter().enumerate() {
                assert!(is_in_front(&body, *plane), "seed {seed}, step {step}, side {i}: {before:?} -> {body:?}");
            }
        }
    }
    [moves, touches]
}

fn pose(world: &World, flyer: &Flyer) -> Obb {
    match &world.object(flyer.key).unwrap().shape {
        Shape::Obb(obb) => *obb,
        other => panic!("a body is a box, not {other:?}"),
    }
}

/// Makes `count` steps of boxes: half of them between half-spaces, the others between brushes and patches, which take
/// longer.
fn compare(count: usize) {
    let kinds = [("half-spaces", half_space as fn(_) -> _, 5), ("brushes", brush, 2), ("patches", patch, 3)];
    for (name, wall, tenths) in kinds {
        let rooms = (count * tenths / 10).div_ceil(BOXES * STEPS);
        let played = (0..rooms as u64).into_par_iter().map(|room| play(wall, SEED + room));
        let [moves, touches] = played.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        let all = rooms * BOXES * STEPS;
        println!("{name}: {all} steps of boxes, {moves} of them moved, {touches} walls touched");
        assert!(moves * 10 > all * 8 && touches > all, "{name}: {moves} of {all} moved, {touches} walls touched");
    }
}

#[test]
fn no_box_ever_passes_a_wall() {
    compare(100_000);
}

#[test]
#[ignore = "ten million steps of boxes take a minute"]
fn no_box_ever_passes_a_wall_in_ten_million_steps() {
    compare(10_000_000);
}
