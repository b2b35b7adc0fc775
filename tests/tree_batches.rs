//! Many questions to a tree in one call are answered like each alone, in their order.

use cullide_bvh::{ALL, LeafLists};
use cullide_scenes::SEED;
use cullide_support::{history::each_scene, question::Asker};

#[test]
fn many_probes_at_once_are_answered_like_each_alone_in_their_order() {
    each_scene(|scene, trees, _| {
        let mut asker = Asker::new(&scene.boxes, SEED + 9);
        let probes: Vec<_> = (0..3000).map(|_| asker.path().probe()).collect();
        for (history, tree) in trees {
            for (count, mask) in [(0, ALL), (1, ALL), (20, 3), (3000, ALL), (3000, 6)] {
                let mut answers = vec![None];
                tree.closest_each(&probes[..count], Clone::clone, mask, &mut answers);
                let alone = probes[..count].iter().map(|probe| tree.closest(probe, mask));
                assert!(answers[1..].iter().copied().eq(alone), "{} {history}", scene.name);
            }
        }
    });
}

#[test]
fn many_boxes_at_once_are_answered_like_each_alone_in_their_order() {
    each_scene(|scene, trees, scan| {
        let mut asker = Asker::new(&scene.boxes, SEED + 10);
        let volumes: Vec<_> = (0..2000).map(|_| asker.volume()).collect();
        for (count, mask) in [(0, ALL), (1, ALL), (20, 3), (2000, ALL), (2000, 6)] {
            let expected: Vec<_> = volumes[..count].iter().map(|volume| scan.overlap_aabb(volume, mask)).collect();
            for (history, tree) in trees {
                let mut lists = LeafLists::default();
                tree.overlap_each(&volumes[..1], ALL, &mut lists);
                tree.overlap_each(&volumes[..count], mask, &mut lists);
                for (i, (list, expected)) in lists.iter().zip(&expected).enumerate() {
                    let mut found: Vec<_> = list.iter().map(|leaf| leaf.index()).collect();
                    found.sort_unstable();
                    assert_eq!(found, *expected, "{} {history} {:?}", scene.name, volumes[i]);
                }
                assert_eq!((lists.len(), lists.get(count)), (count, None));
            }
        }
    });
}
