//! What cameras see of a level: a picture made with rays, and a path of frusta used for culling.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cullide_world::glam::Vec3;
use cullide_world::narrowphase::{Camera, Frustum, Ray};
use cullide_world::{Filter, ObjectKey, Target};

use crate::camera::{Lens, Shot};
use crate::level::Level;
use crate::picture::Canvas;
use crate::plan::Cover;
use crate::view::{self, Sample};

const WIDTH: u32 = 640;
const HEIGHT: u32 = 360;
const ASPECT: f32 = WIDTH as f32 / HEIGHT as f32;

/// The angle between the left and the right border of a picture, in degrees.
const HORIZONTAL: f32 = 90.0;

/// Where culling begins and ends, in units in front of the camera.
const NEAR: f32 = 4.0;
const FAR: f32 = 1024.0;

/// The number of points of a trail at which rays up and down distinguish roofs from floors.
const VOTES: usize = 60;

/// A picture and the cost of making it.
pub struct Picture {
    pub canvas: Canvas,
    pub rays: u64,
    pub rays_hit: u64,
    pub time: Duration,
}

/// The result of culling along a path.
#[derive(Default)]
pub struct Culling {
    pub cameras: u64,
    /// Objects seen, summed over the cameras.
    pub seen: u64,
    pub time: Duration,
    /// What the last camera saw, sorted.
    pub last: Vec<ObjectKey>,
    /// Its frustum, the near corners first.
    pub corners: [Vec3; 8],
}

/// Makes a picture with one ray per pixel.
pub fn picture(level: &Level, shot: Shot) -> Picture {
    let lens = Lens::new(shot.yaw, shot.pitch, HORIZONTAL, ASPECT);
    let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    // An eye out of range sees nothing.
    let rays: Vec<Ray> =
        pixels.filter_map(|(x, y)| Ray::new(shot.eye, lens.direction(x, y, WIDTH, HEIGHT)).ok()).collect();
    let mut hits = Vec::with_capacity(rays.len());
    let start = Instant::now();
    level.world.cast_ray_batch(&rays, f32::INFINITY, &Filter::ALL, &mut hits);
    let time = start.elapsed();
    let sample = |hit: &cullide_world::RayHit| {
        let brush = level.brush(hit)?;
        Some(Sample { distance: hit.distance, normal: hit.normal, brush })
    };
    let samples: Vec<Option<Sample>> = hits.iter().map(|hit| sample(hit.as_ref()?)).collect();
    let rays_hit = hits.iter().flatten().count() as u64;
    Picture { canvas: view::draw(&lens, WIDTH, HEIGHT, &samples), rays: rays.len() as u64, rays_hit, time }
}

/// Culls for every camera of a path; a camera out of range sees nothing.
pub fn cull(level: &Level, path: impl Iterator<Item = Shot>) -> Culling {
    let mut culling = Culling::default();
    for shot in path {
        let lens = Lens::new(shot.yaw, shot.pitch, HORIZONTAL, ASPECT);
        let camera = Camera {
            position: shot.eye,
            forward: lens.forward,
            up: lens.up,
            fov_y: 2.0 * lens.half_height.atan(),
            aspect: ASPECT,
            near: NEAR,
            far: FAR,
        };
        culling.last.clear();
        let start = Instant::now();
        if let Ok(frustum) = Frustum::from_camera(&camera) {
            level.brushes.cull(&frustum, &Filter::ALL, &mut culling.last);
        }
        culling.time += start.elapsed();
        culling.cameras += 1;
        culling.seen += culling.last.len() as u64;
        culling.corners = corners(&lens, shot.eye);
    }
    culling
}

/// Classifies brushes: those that walkers walked under more often than over are roofs; those they did neither with are
/// not listed.
pub fn covers(level: &Level, trails: &[Vec<Vec3>]) -> BTreeMap<ObjectKey, Cover> {
    let mut votes: BTreeMap<ObjectKey, i64> = BTreeMap::new();
    let mut hits = Vec::new();
    for trail in trails {
        for &center in trail.iter().step_by((trail.len() / VOTES).max(1)) {
            let (Ok(up), Ok(down)) = (Ray::new(center, Vec3::Z), Ray::new(center, Vec3::NEG_Z)) else { continue };
            hits.clear();
            level.brushes.cast_ray_all(&up, f32::INFINITY, &Filter::ALL, &mut hits);
            let floor = level.brushes.cast_ray(&down, f32::INFINITY, &Filter::ALL);
            for (hit, vote) in hits.iter().map(|hit| (hit, 1)).chain(floor.iter().map(|hit| (hit, -1))) {
                if let Target::Object(key) = hit.target {
                    *votes.entry(key).or_default() += vote;
                }
            }
        }
    }
    votes.into_iter().map(|(key, vote)| (key, if vote > 0 { Cover::Roof } else { Cover::Ground })).collect()
}

fn corners(lens: &Lens, eye: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let (across, along) = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)][i % 4];
        let border = lens.right * (across * lens.half_width) + lens.up * (along * lens.half_height);
        eye + (lens.forward + border) * if i < 4 { NEAR } else { FAR }
    })
}
