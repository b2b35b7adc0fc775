//! The stack of a traversal: the nodes still to be entered. This file, [`crate::prefetch`] and [`crate::team`] contain
//! the only unsafe code of the crate.
//!
//! A push writes a whole row of sixteen entries, of which only the first few count, so that pushing children needs
//! neither a loop nor a branch. The memory is not initialised, as that would cost as much as entering a node.

use crate::{
    lanes::{Keys, LANES, Simd, compress_keyed, load_keys},
    node::NodeIndex,
    tree::Bvh,
};
use std::mem::MaybeUninit;

/// A row for each level of a tree, in which at most fifteen entries wait; one row below all of these; and one more for
/// writes beyond the last. As a tree has no more levels, there is no call to make room, and a traversal keeps its state
/// in registers.
const PLACES: usize = LANES * (Bvh::most_levels(u32::MAX >> 1) as usize + 2);

/// The memory of a stack.
#[repr(C, align(64))]
pub(crate) struct StackMemory {
    keys: [MaybeUninit<u32>; PLACES],
    nodes: [MaybeUninit<NodeIndex>; PLACES],
}

impl StackMemory {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { keys: [const { MaybeUninit::uninit() }; PLACES], nodes: [const { MaybeUninit::uninit() }; PLACES] }
    }
}

/// Nodes to be entered, with their keys; last in, first out. The length is apart from the places so that it stays in a
/// register.
pub(crate) struct Stack<'a> {
    places: &'a mut StackMemory,
    /// The end of the entries; all below it are initialised. The first row is never entered: it pads the entries so
    /// that they can be read in whole rows from the end.
    len: usize,
}

impl<'a> Stack<'a> {
    #[inline(always)]
    pub(crate) fn new(places: &'a mut StackMemory) -> Self {
        places.keys[..LANES].fill(MaybeUninit::new(0));
        places.nodes[..LANES].fill(MaybeUninit::new(0));
        Self { places, len: LANES }
    }

    /// Pushes the first `count` of a node's entries.
    #[inline(always)]
    pub(crate) fn push(&mut self, keys: [u32; LANES], nodes: [NodeIndex; LANES], count: usize) {
        self.write(self.len, keys, nodes);
        self.len += count.min(LANES);
    }

    #[inline(always)]
    fn write(&mut self, start: usize, keys: [u32; LANES], nodes: [NodeIndex; LANES]) {
        let end = start + LANES;
        self.places.keys[start..end].copy_from_slice(&keys.map(MaybeUninit::new));
        self.places.nodes[start..end].copy_from_slice(&nodes.map(MaybeUninit::new));
    }

    /// Pushes one entry.
    #[inline(always)]
    pub(crate) fn push_one(&mut self, key: u32, node: NodeIndex) {
        self.places.keys[self.len] = MaybeUninit::new(key);
        self.places.nodes[self.len] = MaybeUninit::new(node);
        self.len += 1;
    }

    /// Keeps only the entries in the lanes that `live_lanes` returns for each row of keys, in their order.
    #[inline(always)]
    pub(crate) fn keep<S: Simd>(&mut self, simd: S, live_lanes: impl Fn(Keys<S>) -> u32) {
        let mut start = self.len % LANES;
        let mut kept = start;
        while start < self.len {
            // SAFETY: the rows end at `len` and start in the first row or after it, and all entries below `len` are
            // initialised.
            let [keys, nodes] = unsafe { [row(&self.places.keys, start), row(&self.places.nodes, start)] };
            let lanes = live_lanes(load_keys(simd, &keys));
            let (keys, nodes) = compress_keyed(simd, load_keys(simd, &keys), &nodes, lanes);
            self.write(kept, keys, nodes);
            kept += lanes.count_ones() as usize;
            start += LANES;
        }
        self.len = kept;
    }

    /// Pops the entry that was pushed last.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u32, NodeIndex)> {
        if self.len <= LANES {
            return None;
        }
        self.len -= 1;
        let at = self.len;
        // SAFETY: all entries below `len` have been written, and `at` was below it.
        unsafe { Some((self.places.keys[at].assume_init(), self.places.nodes[at].assume_init())) }
    }
}

/// Reads a row of entries.
///
/// # Safety
/// The `LANES` entries from `start` on must be initialised.
#[inline(always)]
// SAFETY: the caller's obligation, as stated above.
unsafe fn row(entries: &[MaybeUninit<u32>; PLACES], start: usize) -> [u32; LANES] {
    let row: &[_; LANES] = entries[start..].first_chunk().expect("rows are below `len`");
    std::array::from_fn(
        #[inline(always)]
        // SAFETY: the caller's obligation.
        |i| unsafe { row[i].assume_init() },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Level, each_lane, vectorized_512};

    #[test]
    fn a_stack_keeps_what_matters_in_its_order() {
        let mut state = 1u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut places = StackMemory::new();
        let (mut stack, mut model) = (Stack::new(&mut places), vec![]);
        let mut deepest = 0;
        for node in 0..20_000 {
            match random(8) {
                0..4 if model.len() < 60 => {
                    let (keys, nodes) = ([0; LANES].map(|_| random(100)), [0; LANES].map(|_| random(1000)));
                    let count = random(LANES as u32 - 1) as usize;
                    stack.push(keys, nodes, count);
                    model.extend(keys.into_iter().zip(nodes).take(count));
                    stack.push_one(node % 100, node);
                    model.push((node % 100, node));
                }
                4..7 => assert_eq!(stack.pop(), model.pop()),
                _ => {
                    let end = 80 + random(20);
                    let live_lanes = |keys: [u32; LANES]| {
                        each_lane(0xffff).filter(|&lane| keys[lane] <= end).fold(0, |lanes, lane| lanes | 1 << lane)
                    };
                    vectorized_512!(Level::new(), simd => stack.keep(simd, |keys| live_lanes(keys.into())));
                    model.retain(|entry| entry.0 <= end);
                }
            }
            deepest = deepest.max(model.len());
        }
        assert!(deepest > 3 * LANES);
        while let Some(entry) = model.pop() {
            assert_eq!(stack.pop(), Some(entry));
        }
        assert_eq!(stack.pop(), None);
    }
}
