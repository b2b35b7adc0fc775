//! The stack of a traversal: the nodes still to be entered. This file, [`crate::prefetch`] and [`crate::team`] contain
//! the only unsafe code of the crate.
//!
//! A push writes a whole row of eight entries, of which only the first few count, so that pushing children needs
//! neither a loop nor a branch. The memory is not initialised, as that would cost as much as entering a node.

use crate::{lanes::LANES, node::NodeIndex, tree::Bvh};
use std::mem::MaybeUninit;

/// A row for each level of a tree, in which at most seven entries wait, and one more for writes beyond the last. As a tree has no more levels, there is no call to make room, and a traversal keeps its state
/// in registers.
const PLACES: usize = LANES * (Bvh::most_levels(u32::MAX >> 1) as usize + 1);

/// The memory of a stack.
#[repr(C, align(64))]
pub(crate) struct Places {
    keys: [MaybeUninit<u32>; PLACES],
    nodes: [MaybeUninit<NodeIndex>; PLACES],
}

impl Places {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { keys: [const { MaybeUninit::uninit() }; PLACES], nodes: [const { MaybeUninit::uninit() }; PLACES] }
    }
}

/// Nodes to be entered, with their keys; last in, first out. The length is apart from the places so that it stays in a
/// register.
pub(crate) struct Stack<'a> {
    places: &'a mut Places,
    /// The end of the entries; all below it are initialised.
    len: usize,
}

impl<'a> Stack<'a> {
    #[inline(always)]
    pub(crate) fn new(places: &'a mut Places) -> Self {
        Self { places, len: 0 }
    }

    /// Pushes the first `count` of a node's entries.
    #[inline(always)]
    pub(crate) fn push(&mut self, keys: [u32; LANES], nodes: [NodeIndex; LANES], count: usize) {
        let (start, end) = (self.len, self.len + LANES);
        self.places.keys[start..end].copy_from_slice(&keys.map(MaybeUninit::new));
        self.places.nodes[start..end].copy_from_slice(&nodes.map(MaybeUninit::new));
        self.len += count.min(LANES);
    }

    /// Pushes one entry.
    #[inline(always)]
    pub(crate) fn push_one(&mut self, key: u32, node: NodeIndex) {
        self.places.keys[self.len] = MaybeUninit::new(key);
        self.places.nodes[self.len] = MaybeUninit::new(node);
        self.len += 1;
    }

    /// Pops the entry that was pushed last.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u32, NodeIndex)> {
        let at = self.len.checked_sub(1)?;
        self.len = at;
        // SAFETY: all entries below `len` have been written, and `at` was below it.
        unsafe { Some((self.places.keys[at].assume_init(), self.places.nodes[at].assume_init())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_keeps_its_order() {
        let mut state = 1u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut places = Places::new();
        let (mut stack, mut model) = (Stack::new(&mut places), vec![]);
        let mut deepest = 0;
        for node in 0..20_000 {
            match random(7) {
                0..4 if model.len() < 60 => {
                    let (keys, nodes) = ([0; LANES].map(|_| random(100)), [0; LANES].map(|_| random(1000)));
                    let count = random(LANES as u32 - 1) as usize;
                    stack.push(keys, nodes, count);
                    model.extend(keys.into_iter().zip(nodes).take(count));
                    stack.push_one(node % 100, node);
                    model.push((node % 100, node));
                }
                _ => assert_eq!(stack.pop(), model.pop()),
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
