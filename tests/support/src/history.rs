//! Different ways for a tree to arrive at the same leaves.

use super::{
    scan::Scan,
    scene::{Scene, every_scene},
};
use cullide_bvh::{
    ALL, BuildOptions, Bvh, Leaf, Quality,
    narrowphase::{Aabb, glam::Vec3},
};
use cullide_scenes::{Rng, SEED};

/// A leaf's box and layer mask.
pub type Item = (Aabb, u32);

/// The number of boxes per scene: enough for about three levels of nodes, and few enough that a scan is cheap.
const BOXES: usize = 240;

/// Runs `check` on every scene, its trees and its brute force.
pub fn each_scene(check: impl Fn(&Scene, &[(&'static str, Bvh)], &Scan)) {
    for scene in every_scene(BOXES) {
        let items = with_masks(&scene.boxes);
        check(&scene, &every_history(&items, SEED), &Scan::new(&items));
    }
}

/// Pairs boxes with masks of four layers; some boxes are in all layers, some in none.
pub fn with_masks(boxes: &[Aabb]) -> Vec<Item> {
    let mut rng = Rng::with_seed(SEED);
    boxes.iter().map(|aabb| (*aabb, if rng.u32(0..4) == 0 { ALL } else { rng.u32(0..16) })).collect()
}

/// The options of a fast build.
pub const FAST: BuildOptions = BuildOptions { quality: Quality::Fast };

/// Trees whose leaf `i` is `items[i]`, each made in a different way.
pub fn every_history(items: &[Item], seed: u64) -> Vec<(&'static str, Bvh)> {
    let built = Bvh::build_with(items.iter().copied(), &BuildOptions::default());
    let stormed = stormed(items, seed);
    let mut rebuilt = stormed.clone();
    rebuilt.rebuild();
    let mut rebuilt_fast = stormed.clone();
    rebuilt_fast.rebuild_with(&FAST);
    vec![
        ("built", built.clone()),
        ("built fast", Bvh::build_with(items.iter().copied(), &FAST)),
        ("inserted", inserted(items)),
        ("stormed", stormed),
        ("rebuilt", rebuilt),
        ("rebuilt fast", rebuilt_fast),
        ("refitted", refitted(items, seed)),
        ("cloned", built.clone()),
    ]
}

/// Inserted leaf by leaf, in order.
pub fn inserted(items: &[Item]) -> Bvh {
    let mut tree = Bvh::new();
    for (i, (aabb, mask)) in items.iter().enumerate() {
        assert_eq!(tree.insert(aabb, *mask), Leaf::new(i as u32));
    }
    tree
}

/// Built over other boxes, then refitted into place, with the tree's shape unchanged.
fn refitted(items: &[Item], seed: u64) -> Bvh {
    let mut order: Vec<usize> = (0..items.len()).collect();
    Rng::with_seed(seed).shuffle(&mut order);
    let mut tree = Bvh::build_with(order.iter().zip(items).map(|(&i, item)| (items[i].0, item.1)), &FAST);
    tree.refit(items.iter().enumerate().map(|(i, item)| (Leaf::new(i as u32), item.0)));
    tree
}

/// After many edits of every kind, with each leaf ending up as its item.
pub fn stormed(items: &[Item], seed: u64) -> Bvh {
    let mut rng = Rng::with_seed(seed);
    let Some(n) = (!items.is_empty()).then_some(items.len()) else { return Bvh::new() };
    let any = |rng: &mut Rng| items[rng.usize(0..n)].0;
    let leaf = |rng: &mut Rng| Leaf::new(rng.u32(0..n as u32));
    let mut tree = Bvh::build(&items[..n / 2].iter().map(|item| item.0).collect::<Vec<_>>());
    while tree.len() < n {
        tree.insert(&any(&mut rng), ALL);
    }
    for _ in 0..2 * n {
        match rng.u32(0..5) {
            0 => {
                let gone: Vec<Leaf> = (0..rng.usize(1..9)).map(|_| leaf(&mut rng)).collect();
                let gone = gone.into_iter().filter(|&leaf| tree.remove(leaf).is_some()).count();
                for _ in 0..gone {
                    tree.insert(&any(&mut rng), rng.u32(..));
                }
            }
            1 => assert!(tree.set(leaf(&mut rng), &any(&mut rng))),
            2 => assert!(tree.set(leaf(&mut rng), &Aabb::new(Vec3::ZERO, Vec3::ZERO).unwrap())),
            3 => assert!(tree.set_mask(leaf(&mut rng), rng.u32(..))),
            _ => {
                let moved: Vec<_> = (0..4).map(|_| (leaf(&mut rng), any(&mut rng))).collect();
                assert_eq!(tree.refit(moved), 4);
            }
        }
    }
    // Bring each leaf to its place, in a random order and in a random way.
    let mut order: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut order);
    for i in order {
        let (leaf, (aabb, mask)) = (Leaf::new(i as u32), &items[i]);
        match rng.u32(0..3) {
            0 => {
                tree.remove(leaf);
                assert_eq!(tree.insert(aabb, *mask), leaf);
            }
            1 => assert!(tree.set(leaf, aabb) && tree.set_mask(leaf, *mask)),
            _ => assert!(tree.set_mask(leaf, *mask) && tree.refit([(leaf, *aabb)]) == 1),
        }
    }
    tree
}
