//! The lanes of one node: a range of items cut until they are full.

use super::{
    cut::{Method, Part, cut},
    item::Item,
    threads,
};
use crate::lanes::{LANES, Simd};
use smallvec::SmallVec;

/// Ranges of so many items are cut at once, whatever saves more, so that threads can share that.
const LARGE: usize = 4096;

/// What becomes of a part of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A lane with a node over the part.
    Node,
    /// A lane for each of its items.
    Singles,
}

/// The parts of one node.
pub(super) struct Parts {
    parts: SmallVec<[Part; LANES]>,
    forms: [Form; LANES],
    /// The parts' numbers in the order of their items; the rest means nothing.
    order: [u8; LANES],
}

impl Parts {
    /// Cuts a part of more items than lanes until the lanes of a node are full. Opening a part that does not fit into one node takes
    /// one lane more and saves a visit to it; opening one that does, into its k items, takes k − 1. What saves most per lane
    /// comes first.
    pub(super) fn new<S: Simd>(simd: S, items: &mut [Item], part: Part, method: Method) -> Self {
        let origin = part.items.start;
        let mut this = Self {
            parts: cut_large(simd, items, part, method, LANES.ilog2()),
            forms: [Form::Node; LANES],
            order: std::array::from_fn(|i| i as u8),
        };
        simd.vectorize(
            #[inline(always)]
            || this.open(simd, items, origin, method),
        );
        this
    }

    /// Opens parts as long as lanes are free. `origin` is where `items` start.
    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, items: &mut [Item], origin: usize, method: Method) {
        let mut free = LANES - self.parts.len();
        // What opening a part saves per lane, and how many lanes that takes; zero once it is opened.
        let mut worths = [0.0; LANES];
        let mut takes = [0; LANES];
        for (i, part) in self.parts.iter().enumerate() {
            (worths[i], takes[i]) = worth(part);
        }
        loop {
            let fits = |&i: &usize| takes[i] > 0 && takes[i] <= free;
            let open = (0..self.parts.len()).filter(fits).max_by(|&a, &b| f64::total_cmp(&worths[a], &worths[b]));
            let Some(open) = open else { return };
            free -= takes[open];
            let part = &self.parts[open];
            if part.items.len() <= LANES {
                self.forms[open] = Form::Singles;
                takes[open] = 0;
                continue;
            }
            let range = part.items.start - origin..part.items.end - origin;
            let halves = cut(simd, &mut items[range], part, method);
            let second = self.parts.len();
            for (i, half) in [open, second].into_iter().zip(&halves) {
                (worths[i], takes[i]) = worth(half);
                self.forms[i] = if half.items.len() == 1 { Form::Singles } else { Form::Node };
            }
            let [left, right] = halves;
            self.parts[open] = left;
            self.parts.push(right);
            // The second half comes right after the first.
            let at = self.order.iter().position(|&part| usize::from(part) == open).unwrap_or(0) + 1;
            self.order.copy_within(at..LANES - 1, at + 1);
            self.order[at] = second as u8;
        }
    }

    /// The parts in the order of the items.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (&Part, Form)> {
        let numbers = self.order[..self.parts.len()].iter().map(|&part| usize::from(part));
        numbers.map(|part| (&self.parts[part], self.forms[part]))
    }
}

/// What is saved per lane by opening a part, and how many lanes that takes. Not by area alone: what holds more is deeper, and
/// opening it saves more visits below; with the root of the count, rays enter 1 to 2 % fewer nodes.
#[inline(always)]
fn worth(part: &Part) -> (f64, usize) {
    let count = part.items.len();
    let takes = if count > LANES { 1 } else { count - 1 };
    (part.bounds.half_area() * (count as f64).sqrt() / takes.max(1) as f64, takes)
}

/// Cuts a part so many times over as it is large: into two, four, eight …
fn cut_large<S: Simd>(simd: S, items: &mut [Item], part: Part, method: Method, times: u32) -> SmallVec<[Part; LANES]> {
    if times == 0 || items.len() < LARGE {
        return SmallVec::from_iter([part]);
    }
    let [left, right] = simd.vectorize(
        #[inline(always)]
        || cut(simd, items, &part, method),
    );
    let (left_items, right_items) = items.split_at_mut(left.items.len());
    let (mut parts, others) = threads::join(
        || cut_large(simd, left_items, left, method, times - 1),
        || cut_large(simd, right_items, right, method, times - 1),
    );
    parts.extend(others);
    parts
}
