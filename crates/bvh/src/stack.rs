//! The stack of a walk: what is still to be entered. The only unsafe code of the crate.
//!
//! It is written a whole node's entries at a time, of which only the first few count, so that pushing children needs neither a loop nor
//! a branch; and it is not initialised, which would cost as much as entering a node.

use crate::{lanes::LANES, node::NodeIndex};
use std::mem::MaybeUninit;

/// Entries kept in place: fifteen siblings a level for seven levels, and room to write a node's more. What is beyond goes to the
/// heap.
const PLACES: usize = 128;

/// Room for a stack.
#[repr(C, align(64))]
pub(crate) struct Places {
    keys: [MaybeUninit<u32>; PLACES],
    nodes: [MaybeUninit<NodeIndex>; PLACES],
    /// Entries for which there was no room, below all others.
    spilled: Vec<(u32, NodeIndex)>,
}

impl Places {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            keys: [const { MaybeUninit::uninit() }; PLACES],
            nodes: [const { MaybeUninit::uninit() }; PLACES],
            spilled: Vec::new(),
        }
    }

    #[cold]
    fn spill(&mut self, len: usize) {
        for at in 0..len {
            // SAFETY: `at` is below the stack's length, so `push` has written it.
            self.spilled.push(unsafe { (self.keys[at].assume_init(), self.nodes[at].assume_init()) });
        }
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
        self.make_room();
    }

    /// Pushes one entry.
    #[inline(always)]
    pub(crate) fn push_one(&mut self, key: u32, node: NodeIndex) {
        self.places.keys[self.len] = MaybeUninit::new(key);
        self.places.nodes[self.len] = MaybeUninit::new(node);
        self.len += 1;
        self.make_room();
    }

    /// Takes the entry that was pushed last.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u32, NodeIndex)> {
        if self.len == 0 {
            return self.places.spilled.pop();
        }
        self.len -= 1;
        let at = self.len % PLACES;
        // SAFETY: `len` counts entries that `push` has written, and it was above `at` when they were.
        unsafe { Some((self.places.keys[at].assume_init(), self.places.nodes[at].assume_init())) }
    }

    /// Sees to it that a node's entries can follow. Afterwards rather than before, as then no register need outlast it.
    #[inline(always)]
    fn make_room(&mut self) {
        if self.len > PLACES - LANES {
            self.places.spill(self.len);
            self.len = 0;
        }
    }
}
