//! The stack of a walk: what is still to be entered. With [`crate::ahead`] the only unsafe code of the crate.
//!
//! It is written a whole node's entries at a time, of which only the first few count, so that pushing children needs neither a loop nor
//! a branch; and it is not initialised, which would cost as much as entering a node.

use crate::{lanes::LANES, node::NodeIndex, tree::Bvh};
use std::mem::MaybeUninit;

/// A row for each level of a tree, of which fifteen entries wait at most, and one more to write beyond the last. That a tree has no more
/// levels saves a call where room runs out, and so a walk keeps what it needs in registers.
const PLACES: usize = LANES * (Bvh::most_levels(u32::MAX >> 1) as usize + 1);

/// Room for a stack.
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

/// Nodes to be entered, with their keys; the last pushed comes first. Its length stays in a register, which its places cannot.
pub(crate) struct Stack<'a> {
    places: &'a mut Places,
    /// Entries in place; all below are initialised.
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
        let end = self.len + LANES;
        self.places.keys[self.len..end].copy_from_slice(&keys.map(MaybeUninit::new));
        self.places.nodes[self.len..end].copy_from_slice(&nodes.map(MaybeUninit::new));
        self.len += count.min(LANES);
    }

    /// Pushes one entry.
    #[inline(always)]
    pub(crate) fn push_one(&mut self, key: u32, node: NodeIndex) {
        self.places.keys[self.len] = MaybeUninit::new(key);
        self.places.nodes[self.len] = MaybeUninit::new(node);
        self.len += 1;
    }

    /// Takes the entry that was pushed last.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u32, NodeIndex)> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        let at = self.len;
        // SAFETY: `len` counts entries that `push` has written, and it was above `at` when they were.
        unsafe { Some((self.places.keys[at].assume_init(), self.places.nodes[at].assume_init())) }
    }
}
