//! Walks over hills with lakes of ice between them: no walker is in the ground, stuck or thrown, and each is at a
//! constant height on the ice.

use cullide_scenes::{SEED, fractal};
use cullide_support::hike::{Build, Ground};
use cullide_world::{
    Terrain,
    glam::Vec2,
    narrowphase::{Capsule, Obb},
};

const SIDE: u32 = 96;

/// Samples below this are ice.
const ICE: f32 = -4.0;

/// Lets `walkers` walkers of each build wander for `seconds` seconds.
fn hike(walkers: usize, seconds: u32) {
    let heights: Vec<f32> = fractal(SIDE as usize, SEED).into_iter().map(|height| height.max(ICE)).collect();
    let terrain = Terrain::new(SIDE, SIDE, &heights, Vec2::ONE, Vec2::ZERO).unwrap();
    let triangles = (0..terrain.len() as u32).filter_map(|number| terrain.triangle(number));
    let ground = Ground::new(&terrain, triangles.map(|triangle| triangle.points()));
    check::<Capsule>(&ground, walkers, seconds);
    check::<Obb>(&ground, walkers, seconds);
}

fn check<B: Build>(ground: &Ground, walkers: usize, seconds: u32) {
    let log = ground.hike::<B>(&ground.places::<B>(24), walkers, seconds, SEED);
    let most = 3.0 * f64::from(seconds) * walkers as f64;
    println!("{:.0} of {most:.0} m, {} level steps, {} lost", log.metres, log.level_steps, log.lost);
    assert!(log.broken.is_empty(), "{:#?}", log.broken);
    assert!(log.metres > 0.5 * most && log.level_steps > 100, "{log:?}");
}

#[test]
fn over_hills_and_ice() {
    hike(4, 10);
}

#[test]
#[ignore = "runs long"]
fn over_hills_and_ice_for_a_minute() {
    hike(24, 60);
}
