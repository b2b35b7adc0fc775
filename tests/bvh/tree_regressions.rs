//! Every error that was found in the tree, each checked by the right answer.

use cullide_bvh::{
    ALL, BuildOptions, Bvh, Leaf, Probe, Visit,
    narrowphase::{Aabb, glam::Vec3},
};
use std::ops::ControlFlow;

fn aabb(min: [f32; 3], max: [f32; 3]) -> Aabb {
    Aabb::new(Vec3::from_array(min), Vec3::from_array(max)).expect("an upright box")
}

#[test]
fn a_leaf_in_no_layer_is_shown_to_nobody() {
    let unit = aabb([0.0; 3], [2.0, 3.0, 5.0]);
    let shown = |tree: &Bvh| {
        let mut leaves = vec![];
        tree.overlap_aabb(&aabb([1.0; 3], [1.0; 3]), ALL, |leaf| {
            leaves.push(leaf.index());
            ControlFlow::Continue(())
        });
        leaves.sort_unstable();
        leaves
    };
    let mut tree = Bvh::build_with([(unit, 0), (unit, 1), (unit, 0)], &BuildOptions::default());
    assert_eq!(shown(&tree), [1]);
    assert!(tree.set_mask(Leaf::new(0), 2) && tree.set_mask(Leaf::new(1), 0));
    assert_eq!(shown(&tree), [0]);
    assert_eq!(tree.insert(&unit, 0), Leaf::new(3));
    tree.remove(Leaf::new(2));
    tree.set(Leaf::new(3), &unit);
    assert_eq!(shown(&tree), [0]);
    tree.remove(Leaf::new(1));
    tree.remove(Leaf::new(3));
    tree.rebuild();
    assert_eq!(shown(&tree), [0]);
}

/// Whether the probe hits the box, alone in a tree.
fn meets(probe: &Probe, aabb: &Aabb) -> bool {
    Bvh::build(&[*aabb]).closest(probe, ALL).is_some()
}

#[test]
fn a_sweep_too_short_for_a_reciprocal_still_meets_what_it_touches() {
    let step = f32::from_bits(1);
    let at = |axis: usize, steps: f32| {
        let mut place = Vec3::ZERO;
        place[axis] = steps * step;
        place
    };
    let point = |place: Vec3| Aabb::new(place, place).expect("a point");
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let probe = Probe::swept(&point(Vec3::ZERO), at(axis, 3.0 * sign));
            assert!(meets(&probe, &point(at(axis, 2.0 * sign))), "axis {axis} sign {sign}");
        }
    }
}

#[test]
fn the_bound_of_a_distance_stays_a_lower_one_where_its_square_underflows() {
    // 1.2² · 2^-150 rounds up to 2^-149, whose root is larger than 1.2 · 2^-75.
    for distance in [1e8, 1e9, 1.2 * 2f32.powi(-75), 1.3 * 2f32.powi(-74)] {
        let tree = Bvh::build(&[aabb([distance, 0.0, 0.0], [1.05e9, 3.0, 5.0])]);
        let mut bounds = vec![];
        tree.nearest(Vec3::ZERO, f32::INFINITY, ALL, |_, bound| {
            bounds.push(bound);
            Visit::Continue
        });
        assert!(bounds.len() == 1 && bounds[0] <= distance, "{bounds:?} for {distance}");
    }
}

#[test]
fn a_sweep_by_more_than_any_coordinate_misses_nothing() {
    // The reciprocals are subnormal, and one is off by half of its last bit.
    let delta = Vec3::new(f32::from_bits(0x7f7f_fffc), f32::from_bits(0x7f2a_ac42), 0.0);
    for sign in [1.0, -1.0] {
        // Multiplying by a power of two is exact, so the point is on the way.
        let point = delta * 2f32.powi(-99) * sign;
        let obstacle = Aabb::new(point, point).expect("within 2^30");
        assert!(meets(&Probe::swept(&aabb([0.0; 3], [0.0; 3]), delta * sign), &obstacle), "{delta}");
    }
}

#[test]
fn a_sweep_by_a_nan_or_an_infinity_meets_nothing() {
    let body = aabb([0.0; 3], [2.0, 3.0, 5.0]);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut delta = Vec3::ONE;
            delta[axis] = bad;
            assert!(!meets(&Probe::swept(&body, delta), &body), "{delta}");
        }
    }
}

#[test]
fn filling_and_emptying_a_tree_again_and_again_leaves_no_levels_behind() {
    let boxes: Vec<Aabb> = (0..300).map(|i| aabb([i as f32, 0.0, 0.0], [i as f32 + 2.0, 3.0, 5.0])).collect();
    let mut tree = Bvh::new();
    let mut levels = None;
    for _ in 0..10 {
        let leaves: Vec<Leaf> = boxes.iter().map(|aabb| tree.insert(aabb, ALL)).collect();
        assert_eq!(tree.depth(), *levels.get_or_insert(tree.depth()));
        for (gone, leaf) in leaves.into_iter().enumerate() {
            tree.remove(leaf);
            assert_eq!(tree.validate(), Ok(()));
            // Eight leaves fit in the root, and a root with a single node is replaced by it.
            assert!(tree.len() > 8 || tree.depth() <= tree.len().max(1), "{gone} removed: {} levels", tree.depth());
        }
        assert_eq!(tree.depth(), 1);
    }
}
