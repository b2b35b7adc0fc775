//! Doors that rotate into a crowd: each person in the way is pushed aside, and nobody else is.

use crate::{
    between,
    convex::{Convex, separation, shortest_way_out},
    yaw,
};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Object, ObjectKey, SlideOptions, World, WorldPlane,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Obb, Plane},
};
use std::f32::consts::TAU;

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);
const PEOPLE: usize = 200;
const DOORS: usize = 6;
const SOLID: u32 = 0b01;
const CROWD: u32 = 0b10;

struct Door {
    key: ObjectKey,
    hinge: Vec3,
    /// Half its length, and turns per second.
    half: Vec3,
    speed: f32,
    phase: f32,
}

impl Door {
    fn transform(&self, frame: usize) -> (ObjectKey, Quat, Vec3) {
        let turns = self.phase + self.speed * frame as f32 / 60.0;
        let turn = Quat::from_rotation_y(turns.fract() * TAU);
        (self.key, turn, self.hinge + turn * Vec3::X * self.half.x)
    }
}

/// What happened to a crowd.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    places: Vec<Vec3>,
    pushed: usize,
    held: usize,
}

/// A floor, some pillars, doors that rotate all the time, and people that stand around.
fn play(seed: u64, frames: usize) -> Outcome {
    let mut rng = Rng::with_seed(seed);
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(SOLID));
    for i in 0..4 {
        let at = Vec3::new(between(&mut rng, -9.0, 9.0), 1.5, between(&mut rng, -9.0, 9.0));
        let half = Vec3::new(0.2, 1.5, 0.5);
        let pillar = if i % 2 == 0 {
            Object::fixed(Aabb::new(at - half, at + half).unwrap())
        } else {
            Object::fixed(Obb::new(at, yaw(&mut rng), half).unwrap())
        };
        world.insert(pillar.layers(SOLID));
    }
    let doors: Vec<Door> = (0..DOORS)
        .map(|_| {
            let half = Vec3::new(between(&mut rng, 0.5, 1.5), 1.2, between(&mut rng, 0.03, 0.1));
            // Its own coordinates are about the origin, unrotated, so that a transform is the pose.
            let leaf = Obb::new(Vec3::ZERO, Quat::IDENTITY, half).unwrap();
            let key = world.insert(Object::moving(leaf).layers(SOLID));
            let hinge = Vec3::new(between(&mut rng, -8.0, 8.0), 1.2, between(&mut rng, -8.0, 8.0));
            Door { key, hinge, half, speed: between(&mut rng, -1.0, 1.0), phase: rng.f32() }
        })
        .collect();
    let mut transforms: Vec<_> = doors.iter().map(|door| door.transform(0)).collect();
    world.set_transform_batch(&transforms).unwrap();
    let solids = Filter::layers(SOLID);
    let mut people = vec![];
    while people.len() < PEOPLE {
        let at = Vec3::new(between(&mut rng, -10.0, 10.0), HALF.y + 1e-3, between(&mut rng, -10.0, 10.0));
        let body = Obb::new(at, yaw(&mut rng), HALF).unwrap();
        let rest = BoxSweep::new(body, Vec3::ZERO).unwrap();
        if world.sweep(&rest, &solids).overlap.is_none() {
            people.push((world.insert(Object::moving(body).layers(CROWD)), body));
        }
    }
    let starts: Vec<Vec3> = people.iter().map(|(_, body)| body.center()).collect();
    let mut outcome = Outcome::default();
    for frame in 1..=frames {
        transforms.clear();
        transforms.extend(doors.iter().map(|door| door.transform(frame)));
        assert_eq!(world.set_transform_batch(&transforms).unwrap(), DOORS);
        for (key, body) in &mut people {
            let rest = BoxSweep::new(*body, Vec3::ZERO).unwrap();
            let before = world.sweep(&rest, &solids).overlap;
            let slide = world.slide(&rest, &solids, &SlideOptions::default());
            let v = slide.position.as_dvec3() - body.center().as_dvec3();
            if before.is_none() {
                assert_eq!(
                    (slide.position, slide.overlap),
                    (body.center(), None),
                    "seed {seed}, frame {frame}: pushed by nothing"
                );
                continue;
            }
            outcome.pushed += 1;
            let near = |shape: &cullide_world::Shape| shape.aabb().expanded(3.0).overlaps(&body.aabb());
            let shapes = world.objects().filter(|(_, object)| object.layers == SOLID && near(&object.shape));
            let mut ways: Vec<_> = shapes.map(|(_, object)| Convex::of_shape(&object.shape).ways_out(body)).collect();
            ways.extend(world.planes().map(|(_, plane)| Convex::of_plane(&plane.plane).ways_out(body)));
            let depth: f64 = ways.iter().map(|ways| (-separation(ways, DVec3::ZERO)).max(0.0)).sum();
            let bound = depth + 0.18;
            if slide.overlap.is_some() {
                // A person is between a door and a pillar, or between two doors.
                let way = shortest_way_out(&ways, 1e-4, bound);
                assert!(way.is_none(), "seed {seed}, frame {frame}: {body:?} is held, and {way:?} leads out");
                assert_eq!(slide.position, body.center());
                outcome.held += 1;
                continue;
            }
            let is_far = v.length() > bound + 1e-5 && shortest_way_out(&ways, 1e-4, bound).is_some();
            assert!(!is_far, "seed {seed}, frame {frame}: {body:?} thrown by {v}, more than {bound}");
            let apart = ways.iter().map(|ways| separation(ways, v)).fold(f64::INFINITY, f64::min);
            assert!(apart > -1e-5, "seed {seed}, frame {frame}: {body:?} ends {apart} deep");
            *body = Obb::from_half_edges(slide.position, body.half_edges()).unwrap();
            world.object_mut(*key).unwrap().set_shape(*body);
            let rest = BoxSweep::new(*body, Vec3::ZERO).unwrap();
            assert_eq!(world.sweep(&rest, &solids).overlap, None, "seed {seed}, frame {frame}");
        }
    }
    for ((_, body), start) in people.iter().zip(starts) {
        // As far as a door reaches, plus the width of a box.
        let reach = |door: &Door| {
            let reach = 2.0 * door.half.x + door.half.z + HALF.length();
            [start, body.center()].map(|at| (at - door.hinge).with_y(0.0).length() - reach)
        };
        let moved = body.center() != start;
        assert!(!moved || doors.iter().any(|door| reach(door)[0] < 0.0), "seed {seed}: {start} was out of reach");
        assert!(!moved || doors.iter().any(|door| reach(door)[1] < 0.5), "seed {seed}: {start} was thrown to {body:?}");
    }
    outcome.places = people.iter().map(|(_, body)| body.center()).collect();
    outcome
}

#[test]
fn a_crowd_is_pushed_aside_by_doors_and_nobody_is_thrown_or_left_in_one() {
    let mut pushed = 0;
    for seed in 0..5 * crate::factor() as u64 {
        let outcome = play(SEED + seed, 240);
        println!("{} pushed, {} held", outcome.pushed, outcome.held);
        assert_eq!(outcome, play(SEED + seed, 240), "the second run differed");
        pushed += outcome.pushed;
    }
    assert!(pushed > 2_000, "{pushed}");
}
