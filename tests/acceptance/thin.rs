//! Bodies of any size, from a ten-thousandth of a step of `f32` up, stay on their side of what is thin or flat, at
//! distances of 1 to 10⁶ from the origin.

use crate::{Wrong, between, direction, for_each_seed, rotation, side::HalfSpace, sized, vector};
use cullide_scenes::Rng;
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Object, Response, Shape, SlideOptions, World, WorldPlane,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Obb, Patch, Plane, Sphere, SphereSweep},
};

/// What is inserted into a world, and the half-spaces in front of its two large faces.
struct Thin {
    solid: Solid,
    faces: [HalfSpace; 2],
}

enum Solid {
    Object(Shape),
    Wall(Plane),
}

impl Thin {
    fn insert(&self, world: &mut World, layers: u32) {
        match &self.solid {
            Solid::Object(shape) => drop(world.insert(Object::fixed(shape.clone()).layers(layers))),
            Solid::Wall(plane) => drop(world.insert_plane(WorldPlane::wall(*plane).layers(layers))),
        }
    }
}

/// A step of `f32` at a point.
fn step_of(point: Vec3) -> f32 {
    let largest = point.abs().max_element();
    f32::from_bits(largest.to_bits() + 1) - largest
}

fn flat_or_thin(rng: &mut Rng, step: f32) -> f32 {
    match rng.usize(0..3) {
        0 => 0.0,
        1 => step * rng.usize(1..5) as f32 * 0.5,
        _ => sized(rng, step * 0.01, step.max(0.1)),
    }
}

fn object(shape: impl Into<Shape>, faces: [HalfSpace; 2]) -> Option<Thin> {
    Some(Thin { solid: Solid::Object(shape.into()), faces })
}

/// Something thin about `center`, perpendicular to an axis of `turn`, with the given width.
fn thin(rng: &mut Rng, center: Vec3, turn: Quat, axis: usize, width: f32) -> Option<Thin> {
    let step = step_of(center);
    let [u, v] = [1, 2].map(|i| Vec3::AXES[(axis + i) % 3]);
    let normal = Vec3::AXES[axis];
    // Without rotation it may be an axis-aligned box, and everything has axis-aligned faces: six of them make a room
    // either way.
    let kind = rng.usize(if turn == Quat::IDENTITY { 0 } else { 1 }..6);
    match kind {
        0 => {
            let across = normal * flat_or_thin(rng, step);
            let half = across + (u + v) * width;
            let aabb = Aabb::new(center - half, center + half).ok()?;
            let faces = [(aabb.max()[axis], 1.0), (aabb.min()[axis], -1.0)];
            object(aabb, faces.map(|(coordinate, outward)| HalfSpace::of_coordinate(axis, coordinate, outward)))
        }
        1 => {
            let obb = Obb::new(center, turn, (u + v) * width + normal * flat_or_thin(rng, step)).ok()?;
            object(obb, [1.0, -1.0].map(|outward| HalfSpace::of_face(&obb, axis, outward)))
        }
        // Three corners are coplanar however they are rounded.
        2 | 3 => {
            let [a, b, c] = [-2.0 * u - v, 2.0 * u - v, 3.0 * v].map(|corner| center + turn * (corner * width * 2.0));
            let patch = Patch::new(&[a, b, c]).ok()?;
            object(patch, [[a, b, c], [a, c, b]].map(HalfSpace::of_triangle))
        }
        4 => {
            let [normal, u, v] = [normal, u, v].map(|axis| (turn * axis).as_dvec3().normalize());
            let at = center.as_dvec3();
            let thickness = f64::from(sized(rng, step * 0.1, step.max(0.1)));
            let slab = |n: DVec3, distance: f64| [(n, n.dot(at) + distance), (-n, distance - n.dot(at))];
            let width = f64::from(width);
            let planes = [slab(normal, thickness), slab(u, width), slab(v, width)].concat();
            let brush = Brush::from_half_spaces(&planes).ok()?;
            let face =
                |n| brush.planes().iter().find(|plane| plane.normal.dot(n) > 0.999).map(HalfSpace::of_brush_plane);
            let faces = [face(normal)?, face(-normal)?];
            object(brush, faces)
        }
        _ => {
            let plane = Plane::from_point_normal(center, turn * normal).ok()?;
            Some(Thin {
                solid: Solid::Wall(plane),
                faces: [plane, plane.flipped()].map(|plane| HalfSpace::of_plane(&plane)),
            })
        }
    }
}

/// A place, and the size of a step of `f32` there.
fn place(rng: &mut Rng) -> (Vec3, f32) {
    let reach = sized(rng, 1.0, 1e6);
    let mut point = vector(rng) * reach;
    point[rng.usize(0..3)] = reach;
    (point, step_of(point))
}

/// A size from a ten-thousandth of a step up: half of them below two steps.
fn size(rng: &mut Rng, step: f32) -> f32 {
    if rng.bool() { sized(rng, step * 1e-4, step * 2.0) } else { sized(rng, step, step.max(1.0)) }
}

/// The half extents of a box, which may be slender.
fn half_extents(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| size * sized(rng, 0.02, 1.0)))
}

/// A motion: some tenths of a step, or through whatever is there.
fn motion(rng: &mut Rng, step: f32, reach: f32) -> Vec3 {
    direction(rng) * if rng.bool() { sized(rng, step * 0.1, step * 4.0) } else { sized(rng, step, reach) }
}

/// Consecutive sweeps of each body.
const SWEEPS: usize = 20;

/// `[sweeps, those that moved, those that hit something, those of bodies smaller than a step of f32]`.
fn sweep(rng: &mut Rng, seed: u64, wrong: &Wrong) -> [usize; 4] {
    let mut counts = [0; 4];
    let (center, step) = place(rng);
    let size = size(rng, step);
    let reach = sized(rng, step.max(size), step.max(size) * 100.0);
    let turn = if rng.bool() { Quat::IDENTITY } else { rotation(rng) };
    let width = (SWEEPS + 2) as f32 * (4.0 * size + reach + 8.0 * step);
    let axis = rng.usize(0..3);
    let Some(thin) = thin(rng, center, turn, axis, width) else { return counts };
    let mut world = World::new();
    thin.insert(&mut world, u32::MAX);
    let side = rng.usize(0..2);
    let [face, behind] = [&thin.faces[side], &thin.faces[1 - side]];
    let away = (face.direction() * f64::from(size * 1.8 + sized(rng, step * 0.1, step + reach))).as_vec3();
    let start = center + away;
    let is_ball = rng.usize(0..3) == 0;
    let mut ball = Sphere::new(start, size).unwrap();
    let mut body = Obb::new(start, rotation(rng), half_extents(rng, size)).unwrap();
    if (is_ball && face.share_behind(&ball) > 0.0) || (!is_ball && !face.holds_box(&body)) {
        return counts;
    }
    for i in 0..SWEEPS {
        let motion = motion(rng, step, reach);
        let (was, from) = (body, ball);
        let mut overlap = None;
        let (to, hit) = if is_ball {
            let swept = world.sweep(&SphereSweep::new(ball, motion).unwrap(), &Filter::ALL);
            overlap = swept.overlap.map(|overlap| overlap.depth);
            ball = Sphere::new(swept.position, size).unwrap();
            (ball.center(), swept.hit.is_some())
        } else {
            let sweep = BoxSweep::new(body, motion).unwrap();
            match rng.usize(0..4) {
                0 | 1 => {
                    let swept = world.sweep(&sweep, &Filter::ALL);
                    overlap = swept.overlap.map(|overlap| overlap.depth);
                    body = Obb::from_half_edges(swept.position, body.half_edges()).unwrap();
                    (swept.position, swept.hit.is_some())
                }
                2 => {
                    let slide = world.slide(&sweep, &Filter::ALL, &SlideOptions::default());
                    body = Obb::from_half_edges(slide.position, body.half_edges()).unwrap();
                    (slide.position, !slide.contacts.is_empty())
                }
                _ => {
                    let sweep = sweep.rotating(vector(rng) * sized(rng, 1e-3, 6.0)).unwrap();
                    let skin = size * sized(rng, 1e-4, 1e-1);
                    let swept = world.sweep_turning(&sweep, skin, &Filter::ALL);
                    overlap = swept.overlap.map(|overlap| overlap.depth);
                    body = swept.body;
                    (body.center(), swept.hit.is_some())
                }
            }
        };
        let holds = if is_ball {
            // The root of a sum of squares, rounded a few times in `f64`.
            face.share_behind(&ball) <= 1e-9 + f64::from(step) * 1e-6 / f64::from(size)
        } else {
            face.holds_box(&body)
        };
        if !holds || overlap.is_some() {
            let heights = [face.height(to), behind.height(to)];
            let (planes, objects): (Vec<_>, Vec<_>) = (world.planes().collect(), world.objects().collect());
            let what = if is_ball { format!("{from:?}") } else { format!("{was:?} -> {body:?}") };
            wrong.push(
                seed,
                format!(
                    "sweep {i}, step of f32 {step:e}: {what} by {motion:?} ended at {to:?}, overlap {overlap:?}, {heights:?} in front of \
                     the faces of {objects:?} {planes:?}"
                ),
            );
            return counts;
        }
        counts[0] += 1;
        counts[1] += usize::from(to != if is_ball { from.center() } else { was.center() });
        counts[2] += usize::from(hit);
        counts[3] += usize::from(size < step);
    }
    counts
}

/// `CULLIDE_CASES=100` makes ten million.
#[test]
fn a_swept_body_of_any_size_stays_on_its_side_of_what_is_thin() {
    let wrong = Wrong::default();
    let [sweeps, moved, hits, small] = for_each_seed(8_000, |rng, seed| sweep(rng, seed, &wrong));
    println!("{sweeps} sweeps, {moved} moved, {hits} hit, {small} of bodies smaller than a step of f32");
    wrong.none();
    assert!(sweeps >= 100_000 && moved * 2 > sweeps && hits * 16 > sweeps && small * 5 > sweeps);
}

/// Bodies per room, and steps of each.
const BODIES: usize = 10;
const STEPS: usize = 50;

/// `[steps of bodies, those that moved, touches, those of bodies smaller than a step of f32]`.
fn steps(rng: &mut Rng, seed: u64, wrong: &Wrong) -> [usize; 4] {
    let mut counts = [0; 4];
    let (center, step) = place(rng);
    let room =
        if rng.bool() { sized(rng, step * 3.0, step * 50.0) } else { sized(rng, step * 4.0, (step * 8.0).max(10.0)) };
    let turn = if rng.bool() { Quat::IDENTITY } else { rotation(rng) };
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let mut inner = vec![];
    for side in 0..6 {
        let axis = side / 2;
        let outward = Vec3::AXES[axis] * if side % 2 == 0 { 1.0 } else { -1.0 };
        let Some(wall) = thin(rng, center + (turn * outward) * room, turn, axis, room * 4.0) else { return counts };
        let Some(face) = wall.faces.iter().position(|face| face.height(center) > 0.0) else { return counts };
        wall.insert(&mut world, 0b01);
        let [a, b] = wall.faces;
        inner.push(if face == 0 { a } else { b });
    }
    let mut bodies = vec![];
    let mut smallest = f32::INFINITY;
    for _ in 0..BODIES {
        let size = size(rng, step).min(room * 0.25);
        let body = Obb::new(center, rotation(rng), half_extents(rng, size)).unwrap();
        if inner.iter().all(|face| face.holds_box(&body)) {
            smallest = smallest.min(size);
            let key = world.insert(Object::moving(body).layers(0b10).pairs_with(0b01));
            bodies.push((key, size));
        }
    }
    if bodies.is_empty() {
        return counts;
    }
    let skin = smallest * sized(rng, 1e-4, 1e-1);
    let config = BoxStepConfig {
        gravity: Vec3::NEG_Y * room * between(rng, 0.0, 10.0),
        skin,
        max_touches: 4,
        ..BoxStepConfig::default()
    };
    let pose = |world: &World, key| match world.object(key).map(|object| object.shape.clone()) {
        Some(Shape::Obb(obb)) => obb,
        other => panic!("a body is a box, not {other:?}"),
    };
    for i in 0..STEPS {
        for &(key, _) in &bodies {
            if rng.usize(0..3) > 0 && i > 0 {
                continue;
            }
            let response = match rng.usize(0..4) {
                0 => Response::Stop,
                1 => Response::Slide,
                _ => Response::Bounce { restitution: rng.f32(), friction: rng.f32() },
            };
            let angular_velocity = if rng.bool() { Vec3::ZERO } else { vector(rng) * sized(rng, 0.1, 20.0) };
            let body =
                BoxBody { velocity: motion(rng, step, room * 20.0), angular_velocity, response, gravity_scale: 1.0 };
            boxes.insert(&mut world, key, body).unwrap();
        }
        let before: Vec<Obb> = bodies.iter().map(|(key, _)| pose(&world, *key)).collect();
        let dt = between(rng, 0.1, 1.0);
        let events = boxes.step(&mut world, dt, &config).unwrap();
        counts[2] += events.begun.len() + events.persisting.len();
        for ((key, size), before) in bodies.iter().zip(before) {
            let body = pose(&world, *key);
            counts[0] += 1;
            counts[1] += usize::from(body != before);
            counts[3] += usize::from(*size < step);
            if let Some(face) = inner.iter().position(|face| !face.holds_box(&body)) {
                let height = inner[face].height(body.center());
                let objects: Vec<_> = world.objects().filter(|(_, object)| object.layers == 0b01).collect();
                let planes: Vec<_> = world.planes().collect();
                wrong.push(
                    seed,
                    format!(
                        "step {i} of {dt}, step of f32 {step:e}, skin {skin:e}: {before:?} -> {body:?}, {height} in front of side {face} \
                         of {objects:?} {planes:?}"
                    ),
                );
                return counts;
            }
        }
    }
    counts
}

/// `CULLIDE_CASES=100` makes ten million.
#[test]
fn a_body_of_any_size_stays_on_its_side_of_what_is_thin_in_every_step() {
    let wrong = Wrong::default();
    let [steps, moved, touches, small] = for_each_seed(500, |rng, seed| steps(rng, seed, &wrong));
    println!("{steps} steps of bodies, {moved} moved, {touches} touches, {small} of bodies smaller than a step of f32");
    wrong.none();
    assert!(steps >= 100_000 && moved * 2 > steps && touches * 2 > steps && small * 8 > steps);
}
