//! The binary tree of cuts: all items, both halves of them, their halves …

use super::{
    cut::{Method, cut, measure, samples},
    item::{Bounds, Item},
    lanes_for::{Costs, LanesFor, Prices},
};
use crate::{
    lanes::{LANES, Simd},
    threads,
};

/// So few items are not cut any further: they fit into a node. Cutting down to eight, rays would enter 2 % fewer nodes, and the build
/// take a third longer.
const UNCUT: usize = LANES;

/// A range of fewer items is not worth handing to another thread.
const WORTH_A_THREAD: usize = 4096;

/// A range of the items.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Piece {
    pub(super) bounds: Bounds,
    /// Its items.
    pub(super) start: u32,
    pub(super) count: u32,
    /// How many pieces further the second half is; the first is the next one. 0 if it is not cut.
    pub(super) second: u32,
    /// The number of the node over it, once that is known.
    pub(super) node: u32,
    /// What becomes of it, given some lanes.
    pub(super) lanes_for: LanesFor,
}

/// One cache line.
const _: () = assert!(size_of::<Piece>() == 64);

/// What all ranges of one build share.
#[derive(Clone, Copy)]
struct Rules {
    /// Past so many cuts on the way from the root parts are halved: that adds log₂ n cuts at most.
    fair_cuts: u32,
    /// The halves of more items are cut in parallel.
    parallel_from: usize,
    prices: Prices,
}

/// Cuts all `items`, which are reordered, and prices every piece. Each comes before its first half, and that before the second.
pub(super) fn cut_all<S: Simd>(simd: S, items: &mut [Item]) -> Vec<Piece> {
    // Only what is sampled must be within the centroids' box, and prices need no exact area.
    let (bounds, middles) = simd.vectorize(
        #[inline(always)]
        || measure(simd, samples(items)),
    );
    let rules = Rules {
        fair_cuts: items.len().max(1).ilog2() + 12,
        parallel_from: if threads::count() == 1 { usize::MAX } else { WORTH_A_THREAD.max(items.len() / 8) },
        prices: Prices::new(&bounds, items.len()),
    };
    let mut pieces = Vec::with_capacity(commonly(items.len()));
    cut_on(simd, &mut Part { items, first: 0, middles, cuts: 0 }, rules, &mut pieces);
    pieces
}

/// So many pieces, or fewer, come of so many items nearly always.
fn commonly(items: usize) -> usize {
    items / 4 + 1
}

/// What is to be cut.
struct Part<'a> {
    items: &'a mut [Item],
    /// How many items come before these.
    first: usize,
    /// The box of their (doubled) centroids.
    middles: Bounds,
    /// How many cuts led to it.
    cuts: u32,
}

/// Appends the piece of a part and all below it, and returns what they cost and their box.
///
/// It calls itself for the halves: as deep as `fair_cuts` and log₂ n.
fn cut_on<S: Simd>(simd: S, part: &mut Part, rules: Rules, out: &mut Vec<Piece>) -> (Costs, Bounds) {
    simd.vectorize(
        #[inline(always)]
        || cut_on_inline(simd, part, rules, out),
    )
}

#[inline(always)]
fn cut_on_inline<S: Simd>(simd: S, part: &mut Part, rules: Rules, out: &mut Vec<Piece>) -> (Costs, Bounds) {
    let Part { ref mut items, first, middles, cuts } = *part;
    let (at, count) = (out.len(), items.len());
    let (start, uncut) = (first as u32, LanesFor::default());
    if count <= UNCUT {
        let (bounds, _) = measure(simd, items.iter());
        out.push(Piece { bounds, start, count: count as u32, second: 0, node: 0, lanes_for: uncut });
        return (Costs::uncut(simd, count, rules.prices.of(&bounds)), bounds);
    }
    let method = if cuts > rules.fair_cuts { Method::Halve } else { Method::Best };
    let (first_count, [left, right]) = cut(simd, items, &middles, method);
    let (left_items, right_items) = items.split_at_mut(first_count);
    let mut left = Part { items: left_items, first, middles: left, cuts: cuts + 1 };
    let mut right = Part { items: right_items, first: first + first_count, middles: right, cuts: cuts + 1 };

    // Its place before its halves, which are measured first.
    out.push(Piece { bounds: Bounds::EMPTY, start, count: count as u32, second: 0, node: 0, lanes_for: uncut });
    let second;
    let ((of_left, left), (of_right, right)) = if count >= rules.parallel_from {
        let mut right_pieces = Vec::with_capacity(commonly(right.items.len()));
        let both = threads::join(
            || cut_on(simd, &mut left, rules, out),
            || cut_on(simd, &mut right, rules, &mut right_pieces),
        );
        second = out.len();
        out.extend_from_slice(&right_pieces);
        both
    } else {
        let of_left = cut_on(simd, &mut left, rules, out);
        second = out.len();
        (of_left, cut_on(simd, &mut right, rules, out))
    };
    let bounds = left.union(simd, &right);
    let (costs, lanes_for) = Costs::cut(simd, rules.prices.of(&bounds), &of_left, &of_right);
    let piece = &mut out[at];
    (piece.bounds, piece.second, piece.lanes_for) = (bounds, (second - at) as u32, lanes_for);
    (costs, bounds)
}
