//! Named populations of boxes, as boxes of the crates.

use cullide_bvh::narrowphase::{Aabb, glam::Vec3};
use cullide_scenes::{SEED, awkward, city, uniform};

/// A population of boxes.
#[derive(Debug)]
pub struct Scene {
    /// Its name in messages.
    pub name: &'static str,
    /// Upright and in range.
    pub boxes: Vec<Aabb>,
}

impl Scene {
    /// The box around all boxes.
    pub fn bounds(&self) -> Aabb {
        self.boxes.iter().copied().reduce(|a, b| a.union(&b)).expect("a scene has boxes")
    }
}

/// Every kind of population, of about `n` boxes each.
pub fn every_scene(n: usize) -> Vec<Scene> {
    let scenes = [
        ("uniform", uniform(n, SEED)),
        ("city", city(n, SEED)),
        ("grid", awkward::grid(n, SEED)),
        ("tiles", awkward::tiles(n)),
        ("dolls", awkward::dolls(n)),
        ("identical", awkward::identical(n / 4)),
        ("mixed", awkward::mixed(n, SEED)),
        ("line", awkward::line(n)),
        ("patterns", awkward::patterns(n, SEED)),
        ("tiny", awkward::tiny(n, SEED)),
    ];
    scenes.into_iter().map(|(name, boxes)| Scene { name, boxes: aabbs(&boxes) }).collect()
}

/// Raw boxes as boxes of the crates.
pub fn aabbs(boxes: &[[[f32; 3]; 2]]) -> Vec<Aabb> {
    boxes.iter().map(|&b| aabb(b)).collect()
}

/// A raw box as a box of the crates.
pub fn aabb([min, max]: [[f32; 3]; 2]) -> Aabb {
    Aabb::new(Vec3::from_array(min), Vec3::from_array(max)).expect("scenes have upright boxes in range")
}
