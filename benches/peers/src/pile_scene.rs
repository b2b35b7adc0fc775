//! The piles: crates that fall into a heap, stand on each other or land on bumpy ground, and the fixed things.

use crate::{args::Pile, scene_peer::Placed};
use cullide_narrowphase::{
    Aabb,
    glam::{Quat, Vec3},
};
use cullide_scenes::{CRATE_HALF_EXTENTS, Rng, Surface, bumpy, crates};
use std::collections::HashMap;

/// Samples per side of the bumpy ground, and the greatest depth of its bumps.
const SIDE: usize = 200;
const BUMP: f32 = 0.1;

/// The thickness of floors and walls: nothing gets through within a step.
const THICKNESS: f32 = 10.0;

/// Crates and the things that they meet.
pub struct PileScene {
    pub title: String,
    /// The default number of steps.
    pub steps: usize,
    pub crates: Vec<Placed>,
    pub fixed: Vec<Aabb>,
    pub ground: Option<Surface>,
    /// The region in which the centres of all crates belong.
    pub yard: Aabb,
    /// The topmost crate, for a pile that should stay as it was set up.
    pub top: Option<usize>,
}

impl PileScene {
    pub fn new(pile: Pile, seed: u64) -> Self {
        match pile {
            Pile::Heap(n) => heap(n, seed),
            Pile::Stack(n) => stack(n),
            Pile::Pyramid(rows) => pyramid(rows),
            Pile::Bumpy(n) => on_bumpy_ground(n, seed),
        }
    }
}

/// Columns of crates of many sizes above a yard with four walls. No two overlap at the start.
fn heap(n: usize, seed: u64) -> PileScene {
    let mut rng = Rng::with_seed(seed ^ 0x9ea9);
    let side = (n as f32 / 3.0).cbrt();
    let across = side.round().max(1.0) as usize;
    let next = |i: usize| {
        let half_extents = Vec3::from([(); 3].map(|()| 0.25 + 0.25 * rng.f32()));
        let [x, z] = [i % across, i / across % across].map(|i| 1.3 * (i as f32 - 0.5 * (across - 1) as f32));
        let layer = (i / (across * across)) as f32;
        // A shift that stays within the column.
        let mut shift = |half_extent: f32| (2.0 * rng.f32() - 1.0) * (0.64 - half_extent).min(0.3);
        let shift = Vec3::new(shift(half_extents.x), 0.0, shift(half_extents.z));
        Placed { center: Vec3::new(x, 0.6 + 1.1 * layer, z) + shift, rotation: Quat::IDENTITY, half_extents }
    };
    let crates: Vec<Placed> = (0..n).map(next).collect();
    let height = crates.last().map_or(0.0, |last| last.center.y) + 2.0;
    let half = 0.8 * side + 1.0;
    let yard = boxed(Vec3::new(-half, 0.0, -half), Vec3::new(half, height, half));
    let outer = half + THICKNESS;
    let walls = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|way| {
        // As long as the yard is wide, and extending past the corners.
        let center = way * (half + 0.5 * THICKNESS) + Vec3::Y * 0.5 * height;
        let half_size = way.abs() * 0.5 * THICKNESS + (Vec3::X + Vec3::Z - way.abs()) * outer + Vec3::Y * 0.5 * height;
        boxed(center - half_size, center + half_size)
    });
    PileScene {
        title: format!("heap of {n} crates"),
        steps: if n < 5000 { 900 } else { 700 },
        crates,
        fixed: [floor(outer)].into_iter().chain(walls).collect(),
        ground: None,
        yard,
        top: None,
    }
}

/// Cubes of edge 1, one on top of another, touching at the start.
fn stack(n: usize) -> PileScene {
    let center = |i: usize| Vec3::Y * (0.5 + i as f32);
    of_cubes(format!("stack of {n} cubes"), 3600, (0..n).map(center).collect())
}

/// A wall of cubes of edge 1, each on two below it, touching at the start; those in a row are 0.05 apart.
fn pyramid(rows: usize) -> PileScene {
    let row = |row: usize| {
        let cubes = rows - row;
        (0..cubes).map(move |i| Vec3::new(1.05 * (i as f32 - 0.5 * (cubes - 1) as f32), 0.5 + row as f32, 0.0))
    };
    of_cubes(format!("pyramid of {rows} rows"), 1800, (0..rows).flat_map(row).collect())
}

fn of_cubes(title: String, steps: usize, centers: Vec<Vec3>) -> PileScene {
    let cube = |&center| Placed { center, rotation: Quat::IDENTITY, half_extents: Vec3::splat(0.5) };
    let reach = centers.iter().map(|center| center.abs().max_element()).fold(0.0, f32::max) + 10.0;
    PileScene {
        title,
        steps,
        fixed: vec![floor(reach)],
        ground: None,
        yard: boxed(Vec3::new(-reach, 0.0, -reach), Vec3::splat(reach)),
        top: centers.len().checked_sub(1),
        crates: centers.iter().map(cube).collect(),
    }
}

/// The crates and the ground of `bumpy`.
fn on_bumpy_ground(n: usize, seed: u64) -> PileScene {
    let half_extents = Vec3::from(CRATE_HALF_EXTENTS);
    let placed = |thing: &cullide_scenes::Crate| Placed {
        center: thing.center.into(),
        rotation: Quat::from_array(thing.rotation),
        half_extents,
    };
    let ground = welded(&bumpy(SIDE, 1.0));
    let reach = 0.5 * SIDE as f32;
    PileScene {
        title: format!("{n} crates on bumpy ground of {} triangles", ground.triangles.len()),
        steps: 600,
        crates: crates(n, seed).iter().map(placed).collect(),
        fixed: Vec::new(),
        ground: Some(ground),
        yard: boxed(Vec3::new(-reach, -BUMP, -reach), Vec3::new(reach, 10.0, reach)),
        top: None,
    }
}

/// The triangles over their points, with each point stored once.
fn welded(triangles: &[[[f32; 3]; 3]]) -> Surface {
    let mut surface = Surface::default();
    let mut numbers = HashMap::new();
    for corners in triangles {
        let triangle = corners.map(|corner| {
            *numbers.entry(corner.map(f32::to_bits)).or_insert_with(|| {
                surface.vertices.push(corner);
                surface.vertices.len() as u32 - 1
            })
        });
        surface.triangles.push(triangle);
    }
    surface
}

/// Below zero, up to `reach` from the middle.
fn floor(reach: f32) -> Aabb {
    boxed(Vec3::new(-reach, -THICKNESS, -reach), Vec3::new(reach, 0.0, reach))
}

fn boxed(min: Vec3, max: Vec3) -> Aabb {
    Aabb::new(min, max).expect("it is within range")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pile_census::Census;

    #[test]
    fn nothing_is_in_anything_at_the_start() {
        for (pile, count) in [
            (Pile::Heap(1), 1),
            (Pile::Heap(1000), 1000),
            (Pile::Stack(20), 20),
            (Pile::Pyramid(30), 465),
            (Pile::Bumpy(200), 200),
        ] {
            let scene = PileScene::new(pile, 7);
            let poses = scene.crates.iter().map(|thing| (thing.center, thing.rotation)).collect::<Vec<_>>();
            assert_eq!(scene.crates.len(), count, "{pile:?}");
            assert_eq!(Census::of(&scene, &poses), Census { lost: 0, in_crates: 0.0, in_fixed: 0.0 }, "{pile:?}");
        }
    }

    #[test]
    fn a_heap_is_three_times_as_high_as_wide() {
        let scene = PileScene::new(Pile::Heap(1000), 7);
        // Seven columns per side, of 20 or 21 crates.
        let top = scene.crates.iter().map(|thing| thing.center.y).fold(0.0, f32::max);
        assert_eq!(top, 0.6 + 1.1 * 20.0);
        assert!((scene.yard.max().x - (0.8 * 6.9336 + 1.0)).abs() < 1e-3);
        assert_eq!(scene.fixed.len(), 5);
    }

    #[test]
    fn the_ground_has_each_of_its_points_once() {
        let ground = PileScene::new(Pile::Bumpy(1), 7).ground.unwrap();
        assert_eq!((ground.vertices.len(), ground.triangles.len()), (40_000, 79_202));
        assert!(ground.corners().eq(bumpy(SIDE, 1.0)));
    }
}
