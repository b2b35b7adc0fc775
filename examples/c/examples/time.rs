//! How long calls of Rust take in a world of 10,000 boxes; `programs/time.c` measures the same calls of C.

use cullide_world::{
    Filter, Object, World,
    glam::Vec3,
    narrowphase::{Aabb, Ray, Sphere},
};
use std::time::Instant;

const BOXES: usize = 10_000;
const RAYS: usize = 1000;
const RUNS: usize = 25;

/// From `-reach` to `reach`, in eighths.
fn number(state: &mut u32, reach: u32) -> f32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    ((*state >> 8) % (16 * reach + 1)) as f32 / 8.0 - reach as f32
}

/// The best of several runs.
fn time(name: &str, calls: usize, mut run: impl FnMut() -> usize) {
    let runs = (0..RUNS).map(|_| {
        let start = Instant::now();
        let found = run();
        (start.elapsed(), found)
    });
    let Some((best, found)) = runs.min() else { return };
    println!("{name:28} {:8.0} ns, {found} found", best.as_secs_f64() * 1e9 / calls as f64);
}

fn main() {
    let (mut world, mut state) = (World::with_tag(1), 1);
    let mut place = || Vec3::new(number(&mut state, 64), number(&mut state, 8), number(&mut state, 64));
    let half = Vec3::new(0.5, 1.0, 0.75);
    let boxes: Vec<Aabb> =
        (0..BOXES).map(|_| Aabb::from_center_half_extents(place(), half).expect("in range")).collect();
    let start = Instant::now();
    world.insert_batch(boxes.iter().map(|aabb| Object::fixed(*aabb)));
    println!("{:28} {:8.0} ns", "insert, a box", start.elapsed().as_secs_f64() * 1e9 / BOXES as f64);
    world.optimize();
    let rays: Vec<Ray> = (0..RAYS)
        .map(|_| {
            let origin = Vec3::new(number(&mut state, 64), number(&mut state, 8), number(&mut state, 64));
            let along = Vec3::new(number(&mut state, 8) + 0.0625, number(&mut state, 1), number(&mut state, 8));
            Ray::new(origin, along).expect("a direction")
        })
        .collect();
    time("closest ray", RAYS, || {
        rays.iter()
            .filter(|ray| {
                let ray = Ray::new(ray.origin(), ray.direction()).expect("a direction");
                world.cast_ray(&ray, 64.0, &Filter::ALL).is_some()
            })
            .count()
    });
    time("a ray that starts outside", RAYS, || {
        let cast = |_: &Ray| {
            let ray = Ray::new(std::hint::black_box(Vec3::X * 1024.0), Vec3::X).expect("a direction");
            world.cast_ray(&ray, 64.0, &Filter::ALL).is_some()
        };
        rays.iter().copied().filter(cast).count()
    });
    let mut near = Vec::new();
    time("ball overlap", RAYS, || {
        let overlap = |ray: &Ray| {
            near.clear();
            world.overlap(&Sphere::new(ray.origin(), 2.0).expect("in range"), &Filter::ALL, &mut near);
            near.len()
        };
        rays.iter().map(overlap).sum()
    });
    let mut answers = Vec::new();
    time("1,000 rays as a batch", 1, || {
        answers.clear();
        world.cast_ray_batch(&rays, 64.0, &Filter::ALL, &mut answers);
        answers.iter().flatten().count()
    });
}
