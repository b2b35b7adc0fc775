//! The binary tree of cuts: all leaves, both halves of them, their halves …

use super::{
    binned_sah::{Grid, Method, cut, measure, samples, step},
    collapse::{CostModel, Costs, LanesFor},
    keys::{self, BITS, Key},
    primitive::{Bounds, Item},
};
use crate::{
    lanes::{LANES, Simd},
    threads,
};
use std::ops::Range;

/// So few items are not cut any further: they fit into a node. Cutting down to eight, rays would enter 2 % fewer nodes, and the build
/// take a third longer.
const UNCUT: usize = LANES;

/// Of so many leaves items are made and moved; of more, keys, in a build of more than twice as many: before, they gain nothing.
const MOVED: usize = 8192;

/// A range of fewer items is not worth handing to another thread.
const WORTH_A_THREAD: usize = 4096;

/// A range of the leaves.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct BinaryNode {
    pub(super) bounds: Bounds,
    /// Its leaves.
    pub(super) start: u32,
    pub(super) count: u32,
    /// How many pieces further the second half is; the first is the next one. 0 if it is not cut.
    pub(super) second: u32,
    /// The number of the node over it, once that is known.
    pub(super) node: u32,
    /// What becomes of it, given some lanes.
    pub(super) lanes_for: LanesFor,
}

impl BinaryNode {
    /// One that is not cut.
    #[inline(always)]
    fn new(leaves: Range<usize>, bounds: Bounds) -> Self {
        let (start, count) = (leaves.start as u32, leaves.len() as u32);
        Self { bounds, start, count, second: 0, node: 0, lanes_for: LanesFor::default() }
    }
}

/// One cache line.
const _: () = assert!(size_of::<BinaryNode>() == 64);

/// What all ranges of one build share.
struct Rules<'a, I> {
    /// The box of a leaf.
    item: &'a I,
    grid: Grid,
    prices: CostModel,
    /// Past so many cuts on the way from the root parts are halved: that adds log₂ n cuts at most.
    fair_cuts: u32,
    /// Of so many leaves items are made.
    moved: usize,
    /// The halves of more items are cut in parallel.
    parallel_from: usize,
}

/// What the pieces of one thread are made in.
#[derive(Default)]
struct Out {
    pieces: Vec<BinaryNode>,
    /// Items that are cut or sampled now, kept for its memory.
    scratch: Vec<Item>,
}

impl Out {
    /// Room for so many pieces, or fewer, as come of so many leaves nearly always.
    fn for_leaves(count: usize) -> Self {
        Self { pieces: Vec::with_capacity(count / 4 + 1), scratch: Vec::new() }
    }
}

/// Cuts the leaves numbered `leaf(i)` for all `i` below `count`, and prices every piece. Each comes before its first half, and that before
/// the second. Returns the leaves in their order as well.
pub(super) fn cut_all<S: Simd>(
    simd: S,
    count: usize,
    leaf: &(impl Fn(usize) -> u32 + Sync),
    item: &(impl Fn(u32) -> Item + Sync),
) -> (Vec<BinaryNode>, Vec<Key>) {
    // Some leaves suffice: prices need no exact area, and the grid has room for what is outside.
    let some: Vec<Item> = (0..count).step_by(step(count)).map(|i| item(leaf(i))).collect();
    let (bounds, middles) = measure_all(simd, &some);
    let rules = Rules {
        item,
        grid: Grid::new(simd, &middles, 1 << BITS),
        prices: CostModel::new(&bounds, count),
        fair_cuts: count.max(1).ilog2() + 12,
        moved: if count > 2 * MOVED { MOVED } else { usize::MAX },
        parallel_from: if threads::count() == 1 { usize::MAX } else { WORTH_A_THREAD.max(count / 8) },
    };
    let mut keys = vec![Key::of(0); count];
    keys::make(simd, &mut keys, 0, &rules.grid, leaf, item);
    let mut out = Out::for_leaves(count);
    cut_keys(simd, &mut keys, 0, 0, &rules, &mut out);
    (out.pieces, keys)
}

/// Appends the piece of all `keys` and all below it, and returns what they cost and their box. `first` leaves come before these, and
/// `cuts` led to them.
fn cut_keys<S: Simd, I: Fn(u32) -> Item + Sync>(
    simd: S,
    keys: &mut [Key],
    first: usize,
    cuts: u32,
    rules: &Rules<I>,
    out: &mut Out,
) -> (Costs, Bounds) {
    if keys.len() > rules.moved
        && cuts <= rules.fair_cuts
        && let Some(left) = keys::cut(simd, keys, &rules.grid, rules.item, &mut out.scratch)
    {
        let (leaves, (keys, others)) = (first..first + keys.len(), keys.split_at_mut(left));
        return in_two(
            simd,
            leaves,
            rules,
            out,
            |out| cut_keys(simd, keys, first, cuts + 1, rules, out),
            |out| cut_keys(simd, others, first + left, cuts + 1, rules, out),
        );
    }
    let mut items = std::mem::take(&mut out.scratch);
    items.clear();
    items.extend(keys.iter().map(|key| (rules.item)(key.leaf())));
    // Only what is sampled must be within.
    let (_, middles) = measure_all(simd, samples(&items));
    let result = cut_items(simd, &mut Part { items: &mut items, first, middles, cuts }, rules, out);
    for (key, item) in keys.iter_mut().zip(&items) {
        *key = Key::of(item.leaf());
    }
    out.scratch = items;
    result
}

/// [`measure`], not to be inlined.
fn measure_all<'a, S: Simd>(simd: S, items: impl IntoIterator<Item = &'a Item>) -> (Bounds, Bounds) {
    simd.vectorize(
        #[inline(always)]
        || measure(simd, items),
    )
}

/// What is to be cut.
struct Part<'a> {
    items: &'a mut [Item],
    /// How many leaves come before these.
    first: usize,
    /// The box of their (doubled) centroids.
    middles: Bounds,
    /// How many cuts led to it.
    cuts: u32,
}

/// As [`cut_keys`]; it calls itself for the halves, as deep as `fair_cuts` and log₂ n.
fn cut_items<S: Simd, I: Fn(u32) -> Item + Sync>(
    simd: S,
    part: &mut Part,
    rules: &Rules<I>,
    out: &mut Out,
) -> (Costs, Bounds) {
    simd.vectorize(
        #[inline(always)]
        || {
            let Part { ref mut items, first, middles, cuts } = *part;
            let count = items.len();
            if count <= UNCUT {
                let (bounds, _) = measure(simd, items.iter());
                out.pieces.push(BinaryNode::new(first..first + count, bounds));
                return (Costs::uncut(simd, count, rules.prices.of(&bounds)), bounds);
            }
            let method = if cuts > rules.fair_cuts { Method::Halve } else { Method::Best };
            let (left, [middles, other_middles]) = cut(simd, items, &middles, method);
            let (items, others) = items.split_at_mut(left);
            let mut left = Part { items, first, middles, cuts: cuts + 1 };
            let mut right =
                Part { items: others, first: first + left.items.len(), middles: other_middles, cuts: cuts + 1 };
            in_two(
                simd,
                first..first + count,
                rules,
                out,
                |out| cut_items(simd, &mut left, rules, out),
                |out| cut_items(simd, &mut right, rules, out),
            )
        },
    )
}

/// Appends the piece of some leaves, of which `left` and `right` append the halves, perhaps at the same time.
#[inline(always)]
fn in_two<S: Simd, I: Sync>(
    simd: S,
    leaves: Range<usize>,
    rules: &Rules<I>,
    out: &mut Out,
    left: impl FnOnce(&mut Out) -> (Costs, Bounds) + Send,
    right: impl FnOnce(&mut Out) -> (Costs, Bounds) + Send,
) -> (Costs, Bounds) {
    let (at, count) = (out.pieces.len(), leaves.len());
    // Its place before its halves, which are measured first.
    out.pieces.push(BinaryNode::new(leaves, Bounds::EMPTY));
    let second;
    let ((of_left, left), (of_right, right)) = if count >= rules.parallel_from {
        let mut others = Out::for_leaves(count / 2);
        let both = threads::join(|| left(out), || right(&mut others));
        second = out.pieces.len();
        out.pieces.extend_from_slice(&others.pieces);
        both
    } else {
        let of_left = left(out);
        second = out.pieces.len();
        (of_left, right(out))
    };
    let bounds = left.union(simd, &right);
    let (costs, lanes_for) = Costs::cut(simd, rules.prices.of(&bounds), &of_left, &of_right);
    let piece = &mut out.pieces[at];
    (piece.bounds, piece.second, piece.lanes_for) = (bounds, (second - at) as u32, lanes_for);
    (costs, bounds)
}
