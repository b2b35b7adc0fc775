//! Any sequence of edits leaves a sound tree that answers for exactly the leaves that a plain list would hold.

use cullide_bvh::{
    ALL, Bvh, Leaf, Visit,
    narrowphase::{Aabb, glam::Vec3},
};
use cullide_scenes::{Rng, SEED, city, uniform};
use cullide_support::{
    history::{self, Item},
    question::Asker,
    scan::Scan,
    scene::{aabb, aabbs},
};
use proptest::{collection::vec, prelude::*, test_runner::RngSeed};
use std::ops::ControlFlow;

/// One edit. Leaf numbers may never have been issued.
#[derive(Clone, Debug)]
enum Edit {
    Insert(Aabb, u32),
    Remove(u32),
    Set(u32, Aabb),
    SetMask(u32, u32),
    Refit(Vec<(u32, Aabb)>),
    Rebuild,
    Clone,
}

/// More than the number of leaves that scripts usually have: some are stale, some never existed.
const NUMBERS: u32 = 40;

/// Integer corners make ties; sometimes a box is huge, tiny or far away.
fn any_box() -> impl Strategy<Value = Aabb> {
    let corner = || prop::array::uniform3(0i8..6);
    let scale = prop_oneof![8 => Just(1.0f32), 1 => Just(1e8), 1 => Just(1e-40), 1 => Just(1e3)];
    (corner(), corner(), scale).prop_map(|(a, b, scale)| {
        let low = std::array::from_fn(|i| f32::from(a[i].min(b[i])) * scale);
        aabb([low, std::array::from_fn(|i| f32::from(a[i].max(b[i])) * scale)])
    })
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let mask = || prop_oneof![Just(ALL), Just(0), 0u32..8];
    prop_oneof![
        8 => (any_box(), mask()).prop_map(|(aabb, mask)| Edit::Insert(aabb, mask)),
        4 => (0..NUMBERS).prop_map(Edit::Remove),
        4 => (0..NUMBERS, any_box()).prop_map(|(leaf, aabb)| Edit::Set(leaf, aabb)),
        2 => (0..NUMBERS, mask()).prop_map(|(leaf, mask)| Edit::SetMask(leaf, mask)),
        2 => vec((0..NUMBERS, any_box()), 0..6).prop_map(Edit::Refit),
        1 => Just(Edit::Rebuild),
        1 => Just(Edit::Clone),
    ]
}

/// What the tree should hold.
#[derive(Default)]
struct Model {
    leaves: Vec<Option<Item>>,
    /// Freed numbers, to be reused last in, first out.
    freed: Vec<usize>,
}

impl Model {
    fn of(boxes: &[Aabb]) -> Self {
        Self { leaves: boxes.iter().map(|aabb| Some((*aabb, ALL))).collect(), freed: vec![] }
    }

    fn item(&mut self, leaf: u32) -> Option<&mut Item> {
        self.leaves.get_mut(leaf as usize)?.as_mut()
    }

    /// Makes the same edit in both, and checks what the tree returns.
    fn edit(&mut self, tree: &mut Bvh, edit: &Edit) {
        match edit {
            Edit::Insert(aabb, mask) => {
                let number = self.freed.pop().unwrap_or_else(|| {
                    self.leaves.push(None);
                    self.leaves.len() - 1
                });
                self.leaves[number] = Some((*aabb, *mask));
                assert_eq!(tree.insert(aabb, *mask).index(), number);
            }
            Edit::Remove(leaf) => {
                let gone = self.leaves.get_mut(*leaf as usize).and_then(Option::take);
                self.freed.extend(gone.map(|_| *leaf as usize));
                assert_eq!(tree.remove(Leaf::new(*leaf)), gone.map(|item| item.0));
                assert_eq!(tree.remove(Leaf::new(*leaf)), None);
            }
            Edit::Set(leaf, aabb) => {
                assert_eq!(tree.set(Leaf::new(*leaf), aabb), self.item(*leaf).map(|item| item.0 = *aabb).is_some());
            }
            Edit::SetMask(leaf, mask) => {
                assert_eq!(
                    tree.set_mask(Leaf::new(*leaf), *mask),
                    self.item(*leaf).map(|item| item.1 = *mask).is_some()
                );
            }
            Edit::Refit(moved) => {
                let there = moved.iter().filter(|(leaf, aabb)| self.item(*leaf).map(|item| item.0 = *aabb).is_some());
                let there = there.count();
                assert_eq!(tree.refit(moved.iter().map(|(leaf, aabb)| (Leaf::new(*leaf), *aabb))), there);
            }
            Edit::Rebuild => tree.rebuild(),
            Edit::Clone => *tree = tree.clone(),
        }
    }

    /// Checks the tree against the list, and a few queries against brute force.
    fn check(&self, tree: &Bvh, seed: u64) {
        assert_eq!(tree.validate(), Ok(()));
        let there = |i: &usize| self.leaves[*i].is_some();
        assert!(tree.leaves().map(Leaf::index).eq((0..self.leaves.len()).filter(there)));
        assert_eq!((tree.len(), tree.is_empty()), (tree.leaves().count(), tree.leaves().count() == 0));
        for i in 0..self.leaves.len() as u32 + 3 {
            let held = tree.aabb(Leaf::new(i)).zip(tree.mask(Leaf::new(i)));
            assert_eq!(held, self.leaves.get(i as usize).copied().flatten());
        }
        let boxes: Vec<Aabb> = self.leaves.iter().flatten().map(|item| item.0).collect();
        assert_eq!(tree.bounds(), boxes.iter().copied().reduce(|a, b| a.union(&b)));
        if boxes.is_empty() {
            tree.overlap_aabb(&aabb([[-1e9; 3], [1e9; 3]]), ALL, |_| unreachable!());
            return;
        }
        let scan = Scan { leaves: self.leaves.clone() };
        let mut asker = Asker::new(&boxes, seed);
        let (question, volume, mask) = (asker.path(), asker.volume(), asker.mask());
        let mut found = vec![];
        tree.cast(&question.probe(), mask, |leaf, entry| {
            found.push((leaf.index(), entry.to_bits()));
            Visit::Continue
        });
        found.sort_unstable();
        assert_eq!(found, scan.cast(&question, mask), "{question:?} mask {mask:#x}");
        assert_eq!(overlapping(tree, &volume, mask), scan.overlap_aabb(&volume, mask), "{volume:?} mask {mask:#x}");
    }
}

fn overlapping(tree: &Bvh, volume: &Aabb, mask: u32) -> Vec<usize> {
    let mut found = vec![];
    tree.overlap_aabb(volume, mask, |leaf| {
        found.push(leaf.index());
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}

fn pairs(tree: &Bvh) -> Vec<(usize, usize)> {
    let mut found = vec![];
    tree.for_each_pair(|a, b| {
        found.push((a.index(), b.index()));
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_script_of_edits_leaves_what_a_list_would_hold(
        start in vec(any_box(), 0..30),
        script in vec(any_edit(), 1..80),
        seed: u64,
    ) {
        let (mut tree, mut model) = (Bvh::build(&start), Model::of(&start));
        for (step, edit) in script.iter().enumerate() {
            model.edit(&mut tree, edit);
            model.check(&tree, seed ^ step as u64);
        }
        prop_assert_eq!(pairs(&tree), Scan { leaves: model.leaves }.pairs());
    }

    #[test]
    fn a_leaf_inserted_and_removed_again_changes_no_answer(
        start in vec(any_box(), 1..30),
        extra in any_box(),
        seed: u64,
    ) {
        let before = Bvh::build(&start);
        let mut after = before.clone();
        let leaf = after.insert(&extra, ALL);
        after.remove(leaf);
        let mut asker = Asker::new(&start, seed);
        for _ in 0..10 {
            let (volume, question) = (asker.volume(), asker.path());
            prop_assert_eq!(overlapping(&after, &volume, ALL), overlapping(&before, &volume, ALL));
            prop_assert_eq!(after.closest(&question.probe(), ALL), before.closest(&question.probe(), ALL));
        }
        prop_assert_eq!((after.validate(), after.len(), after.bounds()), (Ok(()), start.len(), before.bounds()));
    }
}

#[test]
fn edits_of_leaves_that_are_not_there_change_nothing() {
    let unit = aabb([[0.0; 3], [2.0, 3.0, 5.0]]);
    let mut tree = Bvh::build(&[unit; 20]);
    let gone = Leaf::new(7);
    assert_eq!(tree.remove(gone), Some(unit));
    for leaf in [gone, Leaf::new(20), Leaf::new((1 << 30) - 2)] {
        assert_eq!(tree.remove(leaf), None);
        assert!(!tree.set(leaf, &unit) && !tree.set_mask(leaf, 1));
        assert_eq!(tree.refit([(leaf, unit)]), 0);
        assert_eq!((tree.aabb(leaf), tree.mask(leaf)), (None, None));
    }
    assert_eq!((tree.validate(), tree.len()), (Ok(()), 19));
}

#[test]
fn numbers_are_given_out_again_the_last_freed_first() {
    let unit = aabb([[0.0; 3], [2.0, 3.0, 5.0]]);
    let mut tree = Bvh::build(&[unit; 20]);
    for i in [3, 11, 5] {
        tree.remove(Leaf::new(i));
    }
    let given: Vec<usize> = (0..5).map(|_| tree.insert(&unit, ALL).index()).collect();
    assert_eq!(given, [5, 11, 3, 20, 21]);
}

#[test]
fn a_tree_emptied_leaf_by_leaf_is_as_good_as_new() {
    let boxes = aabbs(&uniform(500, SEED));
    let mut order: Vec<u32> = (0..500).collect();
    Rng::with_seed(SEED).shuffle(&mut order);
    let mut tree = Bvh::build(&boxes);
    for (gone, &leaf) in order.iter().enumerate() {
        assert_eq!(tree.remove(Leaf::new(leaf)), Some(boxes[leaf as usize]));
        assert_eq!((tree.validate(), tree.len()), (Ok(()), 499 - gone));
    }
    assert_eq!((tree.bounds(), tree.leaves().count()), (None, 0));
    for aabb in &boxes {
        tree.insert(aabb, ALL);
    }
    assert_eq!((tree.validate(), tree.len()), (Ok(()), 500));
}

/// The cost of the tree relative to one rebuilt over the same leaves.
fn cost_ratio(tree: &Bvh) -> f64 {
    let mut rebuilt = tree.clone();
    rebuilt.rebuild();
    tree.sah_cost() / rebuilt.sah_cost()
}

#[test]
fn a_storm_of_a_hundred_thousand_edits_keeps_the_tree_shallow_cheap_and_small() {
    for (name, raw) in [("uniform", uniform(4000, SEED)), ("city", city(4000, SEED))] {
        let boxes = aabbs(&raw);
        let mut rng = Rng::with_seed(SEED);
        let (mut tree, mut model) = (Bvh::build(&boxes[..2000]), Model::of(&boxes[..2000]));
        let mut peak = 0;
        for step in 0..100_000 {
            let leaf = rng.u32(0..model.leaves.len() as u32);
            let any = boxes[rng.usize(0..boxes.len())];
            let edit = match rng.u32(0..10) {
                0..3 if tree.len() < 2500 => Edit::Insert(any, ALL),
                0..6 => Edit::Remove(leaf),
                6 => Edit::Set(leaf, any),
                // A small step, like most moves.
                7 | 8 => {
                    let Some(item) = model.item(leaf) else { continue };
                    let step = Vec3::from_array([(); 3].map(|()| rng.f32() - 0.5));
                    Edit::Set(leaf, Aabb::new(item.0.min() + step, item.0.max() + step).unwrap())
                }
                _ => Edit::SetMask(leaf, rng.u32(1..)),
            };
            model.edit(&mut tree, &edit);
            if tree.len() < 1500 {
                (0..500).for_each(|_| model.edit(&mut tree, &Edit::Insert(boxes[rng.usize(0..boxes.len())], ALL)));
            }
            peak = if step == 5000 { tree.memory() } else { peak };
        }
        model.check(&tree, SEED);
        let ratio = cost_ratio(&tree);
        println!(
            "{name}: {} levels, {ratio:.3} times the cost of a rebuilt tree, {} bytes",
            tree.depth(),
            tree.memory()
        );
        assert!(tree.depth() <= 12, "{name}: {} levels", tree.depth());
        assert!(ratio < 2.0, "{name}: {ratio} times the cost of a rebuilt tree");
        assert!(tree.memory() <= 2 * peak, "{name}: {} bytes, {peak} early on", tree.memory());
    }
}

#[test]
fn a_tree_of_inserts_one_by_one_costs_at_most_twice_a_built_one() {
    for (name, raw) in [("uniform", uniform(10_000, SEED)), ("city", city(10_000, SEED))] {
        let items: Vec<Item> = aabbs(&raw).into_iter().map(|aabb| (aabb, ALL)).collect();
        let tree = history::inserted(&items);
        let ratio = cost_ratio(&tree);
        println!("{name}: {} levels, {ratio:.3} times the cost of a built tree", tree.depth());
        assert!(ratio < 2.0, "{name}: {ratio} times the cost of a built tree");
    }
}
