//! The binary tree of cuts: all items, both halves of them, their halves …

use super::{
    cut::{Method, Part, cut, whole},
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

impl Piece {
    fn new(part: &Part) -> Self {
        let (start, count) = (part.items.start as u32, part.items.len() as u32);
        Self { bounds: part.bounds, start, count, second: 0, node: 0, lanes_for: LanesFor::default() }
    }
}

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
    let all = simd.vectorize(
        #[inline(always)]
        || whole(simd, items, 0),
    );
    let rules = Rules {
        fair_cuts: items.len().max(1).ilog2() + 12,
        parallel_from: if threads::count() == 1 { usize::MAX } else { WORTH_A_THREAD.max(items.len() / 8) },
        prices: Prices::new(&all.bounds, items.len()),
    };
    let mut pieces = Vec::with_capacity(commonly(items.len()));
    cut_on(simd, items, &all, 0, rules, &mut pieces);
    pieces
}

/// So many pieces, or fewer, come of so many items nearly always.
fn commonly(items: usize) -> usize {
    items / 4 + 1
}

/// Appends the piece of a part and all below it, and returns what they cost. `items` are those of the part alone.
///
/// It calls itself for the halves: as deep as `fair_cuts` and log₂ n.
fn cut_on<S: Simd>(simd: S, items: &mut [Item], part: &Part, cuts: u32, rules: Rules, out: &mut Vec<Piece>) -> Costs {
    let at = out.len();
    out.push(Piece::new(part));
    let price = rules.prices.of(&part.bounds);
    if items.len() <= UNCUT {
        return Costs::uncut(items.len(), price);
    }
    let method = if cuts > rules.fair_cuts { Method::Halve } else { Method::Best };
    let [left, right] = simd.vectorize(
        #[inline(always)]
        || cut(simd, items, part, method),
    );
    let (left_items, right_items) = items.split_at_mut(left.items.len());
    let second;
    let (of_left, of_right) = if part.items.len() >= rules.parallel_from {
        let mut right_pieces = Vec::with_capacity(commonly(right_items.len()));
        let costs = threads::join(
            || cut_on(simd, left_items, &left, cuts + 1, rules, out),
            || cut_on(simd, right_items, &right, cuts + 1, rules, &mut right_pieces),
        );
        second = out.len();
        out.extend_from_slice(&right_pieces);
        costs
    } else {
        let of_left = cut_on(simd, left_items, &left, cuts + 1, rules, out);
        second = out.len();
        (of_left, cut_on(simd, right_items, &right, cuts + 1, rules, out))
    };
    let (costs, lanes_for) = simd.vectorize(
        #[inline(always)]
        || Costs::cut(simd, price, &of_left, &of_right),
    );
    out[at].second = (second - at) as u32;
    out[at].lanes_for = lanes_for;
    costs
}
