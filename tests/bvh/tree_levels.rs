//! The same answers, in the same order and bit for bit, with every instruction set that the processor supports.

use cullide_bvh::{ALL, BuildOptions, Bvh, Instructions, Quality};
use cullide_scenes::SEED;
use cullide_support::{history, question::Asker, scan::Scan, scene::every_scene};
use rayon::prelude::*;
use std::ops::ControlFlow;

const BOXES: usize = 200;
const QUESTIONS: usize = 60;

/// The tree with each instruction set, weakest first; the scalar one is always available.
fn at_every_level(tree: &Bvh) -> Vec<(Instructions, Bvh)> {
    let level = |instructions: Instructions| Some((instructions, tree.clone().with_instructions(instructions)?));
    Instructions::EVERY.into_iter().filter_map(level).collect()
}

/// All of a tree's answers to the queries of one seed, in the order in which it gives them.
fn transcript(tree: &Bvh, asker: &mut Asker) -> Vec<(usize, u32)> {
    let mut told = vec![];
    for _ in 0..QUESTIONS {
        let (question, mask) = (asker.path(), asker.mask());
        let probe = question.probe();
        let mut note = |leaf: usize, bits: u32| {
            told.push((leaf, bits));
            ControlFlow::Continue(())
        };
        tree.cast(&probe, mask, |leaf, entry| note(leaf.index(), entry.to_bits()).into());
        tree.closest(&probe, mask).map(|(leaf, entry)| note(leaf.index(), entry.to_bits()));
        tree.overlap_aabb(&asker.volume(), mask, |leaf| note(leaf.index(), 0));
        tree.overlap_obb(&asker.obb(), mask, |leaf| note(leaf.index(), 3));
        let mut seen = vec![];
        tree.cull_into(&asker.planes(), mask, &mut seen);
        for leaf in seen {
            let _ = note(leaf.index(), 4);
        }
        tree.overlap_sphere(&asker.sphere(), mask, |leaf| note(leaf.index(), 2));
        tree.nearest(asker.point(), f32::INFINITY, mask, |leaf, bound| note(leaf.index(), bound.to_bits()).into());
        tree.nearest_to_box(&asker.volume(), 1.0, mask, |leaf, bound| note(leaf.index(), bound.to_bits()).into());
        tree.classify(&asker.plane(), mask, |leaf, side| note(leaf.index(), side as u32));
        tree.cull(&asker.planes(), mask, |leaf, undecided| note(leaf.index(), undecided));
    }
    tree.for_each_pair(|a, b| {
        told.push((a.index(), b.index() as u32));
        ControlFlow::Continue(())
    });
    told
}

#[test]
fn every_instruction_set_of_this_processor_is_tried() {
    let levels: Vec<_> = at_every_level(&Bvh::new()).into_iter().map(|(level, _)| level).collect();
    #[cfg(target_arch = "x86_64")]
    {
        // The gate tries them with the feature `scalar`, too.
        assert!(levels.contains(&Instructions::Sse2));
        assert_eq!(levels.contains(&Instructions::Avx2), is_x86_feature_detected!("avx2"));
        assert!(is_x86_feature_detected!("avx512f") || !levels.contains(&Instructions::Avx512));
    }
}

#[test]
fn every_instruction_set_gives_the_same_answers_in_the_same_order() {
    for scene in every_scene(BOXES) {
        let items: Vec<history::Item> = scene.boxes.iter().map(|aabb| (*aabb, ALL)).collect();
        for (past, tree) in [("built", Bvh::build(&scene.boxes)), ("stormed", history::stormed(&items, SEED))] {
            let expected = transcript(&tree, &mut Asker::new(&scene.boxes, SEED));
            assert!(!expected.is_empty());
            for (level, tree) in at_every_level(&tree) {
                let found = transcript(&tree, &mut Asker::new(&scene.boxes, SEED));
                let first = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(first, None, "{} {past} {level:?}", scene.name);
                assert_eq!(found.len(), expected.len(), "{} {past} {level:?}", scene.name);
            }
        }
    }
}

#[test]
fn every_instruction_set_builds_the_same_tree() {
    // Enough boxes for every number of bins, and for sampling.
    every_scene(1_500).into_par_iter().for_each(|scene| {
        for quality in [Quality::Best, Quality::Fast] {
            let options = BuildOptions { quality };
            let mut trees = at_every_level(&Bvh::build(&scene.boxes)).into_iter().map(|(level, mut tree)| {
                tree.rebuild_with(&options);
                (level, transcript(&tree, &mut Asker::new(&scene.boxes, SEED)))
            });
            let (_, expected) = trees.next().unwrap();
            for (level, found) in trees {
                assert!(found == expected, "{} {quality:?} {level:?}", scene.name);
            }
        }
    });
}

#[test]
fn every_instruction_set_equals_brute_force() {
    for scene in every_scene(BOXES) {
        let items: Vec<history::Item> = scene.boxes.iter().map(|aabb| (*aabb, ALL)).collect();
        let scan = Scan::new(&items);
        for (level, tree) in at_every_level(&Bvh::build(&scene.boxes)) {
            let mut asker = Asker::new(&scene.boxes, SEED + 1);
            for _ in 0..QUESTIONS {
                let question = asker.path();
                let probe = question.probe();
                let found = tree.closest(&probe, ALL).map(|(leaf, entry)| (leaf.index(), entry));
                assert_eq!(found, scan.closest(&question, ALL), "{} {level:?} {question:?}", scene.name);
            }
        }
    }
}
