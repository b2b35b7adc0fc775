//! A tree of boxes from real games answers as brute force does, bit for bit.

use cullide_scenes::SEED;
use cullide_support::{
    history::{every_history, with_masks},
    question::Asker,
    scan::Scan,
    scene::aabbs,
    shown::{cast, collect},
};

/// The number of queries of each kind per scene.
const QUESTIONS: usize = 400;

#[test]
#[ignore = "reads the shared data"]
fn boxes_of_real_games_answer_as_brute_force_does() {
    for name in ["bounds01", "bounds02", "bounds03"] {
        let boxes = aabbs(&cullide_scenes::bounds(name).expect("the shared data is there"));
        let items = with_masks(&boxes);
        let (trees, scan) = (every_history(&items, SEED), Scan::new(&items));
        let mut asker = Asker::new(&boxes, SEED);
        for _ in 0..QUESTIONS {
            let (question, volume, sphere, mask) = (asker.path(), asker.volume(), asker.sphere(), asker.mask());
            let (planes, point) = (asker.planes(), asker.point());
            for (history, tree) in &trees {
                assert_eq!(cast(tree, &question, mask), scan.cast(&question, mask), "{name} {history} {question:?}");
                let found = tree.closest(&question.probe(), mask).map(|(leaf, entry)| (leaf.index(), entry));
                assert_eq!(found, scan.closest(&question, mask), "{name} {history} {question:?}");
                let found = collect(|visit| tree.overlap_aabb(&volume, mask, |leaf| visit(leaf.index())));
                assert_eq!(found, scan.overlap_aabb(&volume, mask), "{name} {history} {volume:?}");
                let found = collect(|visit| tree.overlap_sphere(&sphere, mask, |leaf| visit(leaf.index())));
                assert_eq!(found, scan.overlap_sphere(&sphere, mask), "{name} {history} {sphere:?}");
                let found = collect(|visit| tree.cull(&planes, mask, |leaf, planes| visit((leaf.index(), planes))));
                assert_eq!(found, scan.cull(&planes, mask), "{name} {history} {planes:?}");
                let found = collect(|visit| {
                    tree.nearest(point, 50.0, mask, |leaf, d| visit((leaf.index(), d.to_bits())).into())
                });
                assert_eq!(found, scan.nearest(point, 50.0, mask), "{name} {history} {point:?}");
            }
        }
        for (history, tree) in &trees {
            let found = collect(|visit| tree.for_each_pair(|a, b| visit((a.index(), b.index()))));
            assert_eq!(found, scan.pairs(), "{name} {history}");
        }
    }
}
