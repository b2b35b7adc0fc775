//! Walks on random slopes, stairs and wedges: never higher than steps and walkable slopes allow.

use crate::{Wrong, between, for_each_seed, sized, yaw};
use cullide_scenes::Rng;
use cullide_world::{
    Character, Filter, Mover, Object, World,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Obb, Plane},
};

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);
const DT: f32 = 1.0 / 60.0;

/// How far a walker may be above what it stands on: a skin and rounding, far below a step.
const TOLERANCE: f64 = 2e-3;

/// The heights of an obstacle at which a walker may stand: the lowest and the highest point of each supporting piece.
type Carriers = Vec<[f64; 2]>;

/// The supporting pieces of a convex solid with these faces: each face that is not too steep, and its highest point,
/// since a walker whose box extends beyond that point stands level there.
fn carriers(faces: &[(DVec3, Vec<DVec3>)], max_slope: f64) -> Carriers {
    let span = |points: &[DVec3]| {
        let heights = points.iter().map(|point| point.y);
        [heights.clone().fold(f64::INFINITY, f64::min), heights.fold(f64::NEG_INFINITY, f64::max)]
    };
    let flat = faces.iter().filter(|(normal, _)| normal.y > max_slope.cos() - 1e-3);
    let mut carriers: Carriers = flat.map(|(_, points)| span(points)).collect();
    let top = faces.iter().map(|(_, points)| span(points)[1]).fold(f64::NEG_INFINITY, f64::max);
    carriers.push([top, top]);
    carriers
}

/// How high a walker gets from `feet`: onto anything that begins no more than a step above what it reached before.
fn reachable(carriers: &[[f64; 2]], feet: f64, step: f64) -> f64 {
    let mut reach = feet;
    loop {
        let higher = carriers.iter().filter(|[low, high]| *low <= reach + step + TOLERANCE && *high > reach);
        match higher.map(|[_, high]| *high).max_by(f64::total_cmp) {
            Some(high) => reach = high,
            None => return reach,
        }
    }
}

fn faces_of_brush(brush: &Brush) -> Vec<(DVec3, Vec<DVec3>)> {
    let vertices = brush.vertices();
    brush.faces().map(|face| (face.plane.normal, face.vertices.iter().map(|&i| vertices[i]).collect())).collect()
}

fn faces_of_obb(obb: &Obb) -> Vec<(DVec3, Vec<DVec3>)> {
    let center = obb.center().as_dvec3();
    let edges = obb.half_edges().map(|edge| edge.as_dvec3());
    let face = |axis: usize, sign: f64| {
        let [u, v, n] = [1, 2, 0].map(|i| edges[(axis + i) % 3]);
        let middle = center + n * sign;
        (n.normalize() * sign, vec![middle + u + v, middle + u - v, middle - u - v, middle - u + v])
    };
    (0..6).map(|i| face(i / 2, if i % 2 == 0 { 1.0 } else { -1.0 })).collect()
}

/// A slope angle that is clearly walkable or clearly not.
fn inclination(rng: &mut Rng, max_slope: f32) -> f64 {
    loop {
        let angle = between(rng, 0.05, 1.53);
        if (angle - max_slope).abs() > 0.01 {
            return f64::from(angle);
        }
    }
}

/// A wedge that rises from the ground at a distance, in a direction, up to some height; flat or ridged on top.
fn wedge(rng: &mut Rng, max_slope: f32) -> Option<Brush> {
    let turn = yaw(rng).as_dquat();
    let angle = inclination(rng, max_slope);
    let from = f64::from(between(rng, 0.6, 3.0));
    let [x, z] = [DVec3::X, DVec3::Z].map(|axis| turn * axis);
    let up = x * -angle.sin() + DVec3::Y * angle.cos();
    let mut sides = vec![(up, up.dot(x * from)), (DVec3::NEG_Y, 1.0), (z, f64::from(between(rng, 0.2, 5.0)))];
    sides.push((-z, f64::from(between(rng, 0.2, 5.0))));
    let height = f64::from(sized(rng, 0.1, 4.0));
    let end = from + height / angle.tan();
    if rng.bool() {
        sides.extend([(DVec3::Y, height), (x, end + f64::from(between(rng, 0.1, 3.0)))]);
    } else {
        sides.push((x, end));
    }
    Brush::from_half_spaces(&sides).ok()
}

/// Puts obstacles around the origin, where the walker stands, and returns the supporting pieces.
fn scene(rng: &mut Rng, world: &mut World, mover: &Mover) -> Carriers {
    let max_slope = f64::from(mover.max_slope);
    world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let mut all = vec![[0.0, 0.0]];
    for _ in 0..rng.usize(1..5) {
        match rng.usize(0..6) {
            // Stairs, rotated about the vertical.
            0 => {
                let turn = yaw(rng);
                let (start, depth) = (between(rng, 0.7, 3.0), between(rng, 0.1, 0.8));
                let riser = mover.step_height * between(rng, 0.3, 1.5);
                let length = 6.0;
                for i in 0..rng.usize(1..7) {
                    let height = riser * (i + 1) as f32;
                    let x = start + depth * i as f32;
                    let half = Vec3::new((length - depth * i as f32) * 0.5, height * 0.5, 2.0);
                    let center = turn * Vec3::new(x + half.x, half.y, 0.0);
                    let step = Obb::new(center, turn, half).unwrap();
                    all.extend(carriers(&faces_of_obb(&step), max_slope));
                    world.insert(Object::fixed(step));
                }
            }
            1 => {
                let height = mover.step_height * between(rng, 0.3, 3.0);
                let x = between(rng, 0.5, 2.0);
                let block =
                    Aabb::new(Vec3::new(x, 0.0, -3.0), Vec3::new(x + between(rng, 0.1, 4.0), height, 3.0)).unwrap();
                all.extend(carriers(&faces_of_obb(&Obb::from(&block)), max_slope));
                world.insert(Object::fixed(block));
            }
            // A box with an arbitrary rotation.
            2 => {
                let half = Vec3::new(between(rng, 0.2, 2.0), between(rng, 0.2, 2.0), between(rng, 0.2, 2.0));
                let turn = yaw(rng) * Quat::from_rotation_z(inclination(rng, mover.max_slope) as f32);
                let far = half.length() + 0.5;
                let at = yaw(rng) * Vec3::X * between(rng, far, far + 2.0);
                let block = Obb::new(at + Vec3::Y * between(rng, -1.0, 0.5), turn, half).unwrap();
                all.extend(carriers(&faces_of_obb(&block), max_slope));
                world.insert(Object::fixed(block));
            }
            _ => {
                let Some(wedge) = wedge(rng, mover.max_slope) else { continue };
                all.extend(carriers(&faces_of_brush(&wedge), max_slope));
                world.insert(Object::fixed(wedge));
            }
        }
    }
    all
}

const WALKERS: usize = 4;
const FRAMES: usize = 50;

/// `[walks, walkers, those that climbed by more than a step, those that had something they may not climb]`.
fn play(rng: &mut Rng, seed: u64, wrong: &Wrong) -> [usize; 4] {
    let mut counts = [0; 4];
    let mover = Mover::default();
    let mut world = World::new();
    let carriers = scene(rng, &mut world, &mover);
    let tallest = carriers.iter().map(|[_, high]| *high).fold(0.0, f64::max);
    let limit = reachable(&carriers, 0.0, f64::from(mover.step_height));
    for walker in 0..WALKERS {
        let start =
            Obb::new(Vec3::Y * (HALF.y + 0.001), if rng.bool() { Quat::IDENTITY } else { yaw(rng) }, HALF).unwrap();
        if world.sweep(&BoxSweep::new(start, Vec3::ZERO).unwrap(), &Filter::ALL).overlap.is_some() {
            continue;
        }
        let mut hero = Character::new(start);
        mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
        // The heights of stored solids are rounded to `f32`.
        let mut highest = 0.0f64;
        let mut heading = yaw(rng) * Vec3::X;
        let speed = sized(rng, 0.5, 15.0);
        let is_long = rng.usize(0..4) == 0;
        for frame in 0..FRAMES {
            if rng.usize(0..20) == 0 {
                heading = yaw(rng) * Vec3::X;
            }
            // Frame by frame, or in leaps over many lengths.
            let dt = if is_long { DT * sized(rng, 1.0, 120.0) } else { DT };
            let across = heading * speed;
            let fall = hero.velocity.y - 9.81 * dt;
            hero.velocity = if hero.is_on_ground() { across } else { across + Vec3::Y * fall };
            let before = hero;
            mover.walk(&world, &mut hero, dt, &Filter::ALL).unwrap();
            counts[0] += 1;
            let feet = f64::from(hero.position().y - HALF.y);
            highest = highest.max(feet);
            let rest = BoxSweep::new(hero.body, Vec3::ZERO).unwrap();
            let overlap = world.sweep(&rest, &Filter::ALL).overlap.map(|overlap| overlap.depth);
            if feet > limit + TOLERANCE || overlap.is_some() {
                let shapes: Vec<_> = world.objects().map(|(_, object)| &object.get().shape).collect();
                wrong.push(
                    seed,
                    format!(
                        "long {is_long}, walker {walker}, frame {frame} of {dt}: feet at {feet}, limit {limit}, overlap {overlap:?}; {before:?} -> \
                         {hero:?} on {shapes:?}"
                    ),
                );
                break;
            }
            if hero.position().length() > 30.0 {
                break;
            }
        }
        counts[1] += 1;
        counts[2] += usize::from(highest > f64::from(mover.step_height) + 0.05);
        counts[3] += usize::from(limit + 0.05 < tallest);
    }
    counts
}

/// `CULLIDE_CASES=10` makes a million.
#[test]
fn a_walk_never_leads_higher_than_steps_and_walkable_slopes_allow() {
    let wrong = Wrong::default();
    let [walks, walkers, climbed, refused] = for_each_seed(600, |rng, seed| play(rng, seed, &wrong));
    println!(
        "{walks} walks of {walkers} walkers; {climbed} climbed by more than a step, {refused} saw what they may not climb"
    );
    wrong.none();
    assert!(walks > 90_000 && climbed * 20 > walkers && refused * 3 > walkers);
}

/// The wedge rises from x = 1 to a height of 2. The walk is made in one go, and frame by frame with the caller's
/// gravity.
#[test]
fn a_wedge_that_is_too_steep_is_a_wall_at_any_speed() {
    for degrees in [46.0f64, 49.0, 57.0, 60.0, 69.0, 75.0, 80.0, 85.0, 89.0] {
        let angle = degrees.to_radians();
        let up = DVec3::new(-angle.sin(), angle.cos(), 0.0);
        let end = 1.0 + 2.0 / angle.tan();
        let sides = [
            (up, up.x),
            (DVec3::NEG_Y, 1.0),
            (DVec3::X, end + 2.0),
            (DVec3::Y, 2.0),
            (DVec3::Z, 99.0),
            (DVec3::NEG_Z, 99.0),
        ];
        let mut world = World::new();
        world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
        world.insert(Object::fixed(Brush::from_half_spaces(&sides).unwrap()));
        let mover = Mover::default();
        let start = || {
            let mut hero = Character::new(Obb::new(Vec3::new(0.5, 0.9, 0.0), Quat::IDENTITY, HALF).unwrap());
            mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
            hero
        };
        for toward in [Vec3::X, Vec3::new(1.0, 0.0, 0.5), Vec3::new(1.0, 0.0, -2.0)] {
            let mut hero = start();
            hero.velocity = toward * 20.0;
            mover.walk(&world, &mut hero, 1.0, &Filter::ALL).unwrap();
            assert!(hero.position().y - 0.9 < 2e-3, "{degrees}°, in one go: {hero:?}");
            for speed in [1.0, 6.0, 10.0, 30.0] {
                let mut hero = start();
                for _ in 0..60 {
                    let fall = if hero.is_on_ground() { 0.0 } else { hero.velocity.y - 9.81 * DT };
                    hero.velocity = toward * speed + Vec3::Y * fall;
                    mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
                    assert!(hero.position().y - 0.9 < 2e-3, "{degrees}° at {speed}: {hero:?}");
                }
                assert!(hero.position().x < 1.0 + 0.3 / angle.tan() as f32, "{degrees}° at {speed}: {hero:?}");
            }
        }
    }
}
