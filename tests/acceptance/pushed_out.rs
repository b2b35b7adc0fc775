//! Doors, lifts, walls and floors that are pushed into a standing box: it gets out whenever there is a way.

use crate::{
    Wrong, between,
    convex::{Convex, separation, shortest_way_out},
    direction, for_each_seed, sized, vector, yaw,
};
use cullide_scenes::Rng;
use cullide_world::{
    Filter, Object, Shape, SlideOptions, World,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Obb, Patch, Plane},
};

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);

/// A tenth of the box's size, which is its height.
const TENTH: f64 = 0.18;

/// The number of boxes for which a scene is used, so that constructing the world costs little.
const BOXES: usize = 100;

enum Obstacle {
    Solid(Shape),
    HalfSpace(Plane),
}

impl Obstacle {
    fn convex(&self) -> Convex {
        match self {
            Self::Solid(shape) => Convex::of_shape(shape),
            Self::HalfSpace(plane) => Convex::of_plane(plane),
        }
    }
}

/// A point on the surface of a box with these half extents, or inside it.
fn point_of(rng: &mut Rng, half: Vec3, depth: f32) -> Vec3 {
    let axis = rng.usize(0..3);
    let mut point = vector(rng) * half;
    point[axis] = (half[axis] - depth.min(half[axis])) * if rng.bool() { 1.0 } else { -1.0 };
    point
}

fn slab(along: DVec3, through: DVec3) -> (DVec3, f64) {
    (along, along.dot(through))
}

/// A slope: its inclined face goes through `top`.
fn wedge(rng: &mut Rng, top: Vec3) -> Option<Brush> {
    let top = top.as_dvec3();
    let turn = yaw(rng).as_dquat();
    let angle = f64::from(between(rng, 0.02, 1.5));
    let face = turn * DVec3::new(-angle.sin(), angle.cos(), 0.0);
    let planes = [
        slab(face, top),
        slab(DVec3::NEG_Y, top - DVec3::Y * 1.5),
        slab(turn * DVec3::X, top + turn * DVec3::X * 1.5),
        slab(turn * DVec3::Z, top + turn * DVec3::Z * 2.0),
        slab(turn * DVec3::NEG_Z, top - turn * DVec3::Z * 2.0),
    ];
    Brush::from_half_spaces(&planes).ok()
}

/// Something pushed into the body: mostly a little, sometimes deep.
fn obstacle(rng: &mut Rng, body: &Obb, turn: Quat) -> Option<Obstacle> {
    let depth = if rng.usize(0..4) == 0 { between(rng, 0.1, 0.9) } else { sized(rng, 1e-7, 0.2) };
    // A point of the obstacle is placed here.
    let inside = body.center() + turn * point_of(rng, HALF, depth);
    let feet = body.center() - Vec3::Y * HALF.y;
    let solid = match rng.usize(0..8) {
        // A door: a leaf that rotates about the vertical.
        0 | 1 => {
            let half = Vec3::new(between(rng, 0.02, 0.1), 1.2, between(rng, 0.4, 1.2));
            let q = yaw(rng);
            Obb::new(inside - q * point_of(rng, half, 0.0), q, half).ok()?.into()
        }
        // A wall that slides.
        2 => {
            let half = Vec3::new(between(rng, 0.05, 2.0), 1.5, between(rng, 0.3, 4.0));
            let middle = inside - point_of(rng, half, 0.0);
            Aabb::new(middle - half, middle + half).ok()?.into()
        }
        // A lift.
        3 => {
            let half = Vec3::new(between(rng, 0.2, 2.0), between(rng, 0.02, 0.3), between(rng, 0.2, 2.0));
            let across = vector(rng) * half * Vec3::new(1.0, 0.0, 1.0);
            let middle = feet + across + Vec3::Y * (depth - half.y);
            if rng.bool() {
                Aabb::new(middle - half, middle + half).ok()?.into()
            } else {
                Obb::new(middle, yaw(rng), half).ok()?.into()
            }
        }
        // Something that has fallen onto it.
        4 => {
            let half = Vec3::new(between(rng, 0.05, 1.0), between(rng, 0.05, 1.0), between(rng, 0.05, 1.0));
            let q = crate::rotation(rng);
            Obb::new(inside - q * point_of(rng, half, 0.0), q, half).ok()?.into()
        }
        5 => wedge(rng, inside)?.into(),
        // A floor or a wall of zero thickness.
        6 => {
            let size = between(rng, 0.5, 4.0);
            let (u, v) = direction(rng).any_orthonormal_pair();
            let middle = inside + u * between(rng, -0.4, 0.4) * size;
            let corners = [-u - v, u - v, u + v, v - u].map(|corner| middle + corner * size * 0.5);
            let corners = if rng.bool() { &corners[..3] } else { &corners[..] };
            Patch::new(corners).ok()?.into()
        }
        _ => {
            let normal = if rng.bool() { Vec3::Y } else { direction(rng) };
            let reach = HALF.dot((turn.inverse() * normal).abs());
            // Not wholly behind it, where it would be left alone.
            let at = body.center() - normal * (reach - depth.min(1.9 * reach));
            return Some(Obstacle::HalfSpace(Plane::from_point_normal(at, normal).ok()?));
        }
    };
    Some(Obstacle::Solid(solid))
}

/// `[boxes that overlapped, deep ones among them, pushed out, without a way]`.
fn play(rng: &mut Rng, seed: u64, count: usize, wrong: &Wrong) -> [usize; 4] {
    let mut counts = [0; 4];
    for case in 0..BOXES {
        let turn = if rng.bool() { Quat::IDENTITY } else { yaw(rng) };
        let reach = sized(rng, 0.1, 1000.0);
        let body = Obb::new(vector(rng) * reach, turn, HALF).unwrap();
        let obstacles: Option<Vec<Obstacle>> = (0..count).map(|_| obstacle(rng, &body, turn)).collect();
        let Some(obstacles) = obstacles else { continue };
        let ways: Vec<_> = obstacles.iter().map(|obstacle| obstacle.convex().ways_out(&body)).collect();
        let depths: Vec<f64> = ways.iter().map(|ways| -separation(ways, DVec3::ZERO)).collect();
        // Rounding of the coordinates and of the separating axes.
        let rounding = 4.0 * f64::from(f32::EPSILON) * (3.0 + f64::from(body.center().abs().max_element()));
        if depths.iter().any(|depth| *depth < rounding) {
            continue;
        }
        counts[0] += 1;
        counts[1] += usize::from(depths.iter().any(|depth| *depth > 0.1));
        let bound = depths.iter().sum::<f64>() + TENTH;
        let mut world = World::new();
        for obstacle in &obstacles {
            match obstacle {
                Obstacle::Solid(shape) => drop(world.insert(Object::fixed(shape.clone()))),
                Obstacle::HalfSpace(plane) => drop(world.insert_plane(*plane)),
            }
        }
        let context = || {
            let shapes: Vec<_> = world.objects().map(|(_, object)| &object.get().shape).collect();
            let planes: Vec<_> = world.planes().map(|(_, plane)| &plane.plane).collect();
            format!("case {case}: {body:?} depths {depths:?}, {shapes:?} {planes:?}")
        };
        let fail = |what: String| wrong.push(seed, format!("{what}. {}", context()));
        let rest = BoxSweep::new(body, Vec3::ZERO).unwrap();
        if world.sweep(&rest, &Filter::ALL).overlap.is_none() {
            fail("no overlap is seen".into());
        }
        let slide = world.slide(&rest, &Filter::ALL, &SlideOptions::default());
        if slide.overlap.is_some() && slide.position != body.center() {
            fail("slide_box holds it, and yet moves it".into());
        }
        let slid = Some(slide.position).filter(|_| slide.overlap.is_none());
        for (name, out) in [("depenetrate", world.depenetrate(&body, &Filter::ALL)), ("slide_box", slid)] {
            let Some(position) = out else {
                // Enough room to contain a place with `f32` coordinates.
                if let Some(way) = shortest_way_out(&ways, 4.0 * rounding, bound) {
                    fail(format!("{name} leaves it, and {way:?} leads out"));
                }
                counts[3] += 1;
                continue;
            };
            let placed = Obb::from_half_edges(position, body.half_edges()).unwrap();
            let swept = world.sweep(&BoxSweep::new(placed, Vec3::ZERO).unwrap(), &Filter::ALL);
            let v = position.as_dvec3() - body.center().as_dvec3();
            let apart = ways.iter().map(|ways| separation(ways, v)).fold(f64::INFINITY, f64::min);
            if let Some(overlap) = swept.overlap {
                fail(format!("{name} leaves it {} deep", overlap.depth));
            } else if apart < -rounding {
                fail(format!("{name}: {position} is {apart} apart"));
            } else if count == 1 && v.length() > bound - TENTH + 4.0 * rounding {
                fail(format!("{name} takes it {} away, not the shortest way", v.length()));
            } else if v.length() > bound + rounding && shortest_way_out(&ways, 4.0 * rounding, bound).is_some() {
                fail(format!("{name} throws it by {}, not {bound}", v.length()));
            }
            counts[2] += 1;
        }
    }
    counts
}

/// `CULLIDE_CASES=50` makes a million.
#[test]
fn a_standing_box_is_pushed_out_of_anything_that_is_pushed_into_it() {
    let wrong = Wrong::default();
    let [overlapping, deep, out, held] = for_each_seed(250, |rng, seed| play(rng, seed, 1, &wrong));
    println!("{overlapping} boxes overlapped, {deep} deep; pushed out {out} times, held {held} times");
    wrong.none();
    assert!(overlapping > 19_000 && deep > 4_000);
    assert_eq!((out, held), (2 * overlapping, 0));
}

/// `CULLIDE_CASES=50` makes a million.
#[test]
fn a_standing_box_is_pushed_out_of_two_things_at_once_when_there_is_a_way() {
    let wrong = Wrong::default();
    let [overlapping, deep, out, held] = for_each_seed(250, |rng, seed| play(rng, seed, 2, &wrong));
    println!("{overlapping} boxes overlapped, {deep} deep; pushed out {out} times, held {held} times");
    wrong.none();
    assert!(overlapping > 18_000 && deep > 8_000 && out + held == 2 * overlapping);
    assert!(out > 33_000 && held * 20 < out);
}
