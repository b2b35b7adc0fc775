//! The stack of a walk: what is still to be entered. The only unsafe code of the crate.
//!
//! It is written a whole node's entries at a time, of which only the first few count, so that pushing children needs neither a loop nor
//! a branch; and it is not initialised, which would cost as much as entering a node.

use crate::{lanes::LANES, node::NodeIndex};
use std::mem::MaybeUninit;

/// Entries kept in place: fifteen siblings a level for seven levels, and room to write a node's more. What is beyond goes to the
/// heap.
const PLACES: usize = 128;

/// Nodes to be entered, with their keys; the last pushed comes first.
pub(crate) struct Stack {
    keys: [MaybeUninit<u32>; PLACES],
    nodes: [MaybeUninit<NodeIndex>; PLACES],
    /// Entries in place; all below are initialised.
    len: usize,
    /// Entries below those.
    spilled: Vec<(u32, NodeIndex)>,
}

impl Stack {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            keys: [const { MaybeUninit::uninit() }; PLACES],
            nodes: [const { MaybeUninit::uninit() }; PLACES],
            len: 0,
            spilled: Vec::new(),
        }
    }

    /// Pushes the first `count` of a node's entries.
    #[inline(always)]
    pub(crate) fn push(&mut self, keys: [u32; LANES], nodes: [NodeIndex; LANES], count: usize) {
        if self.len > PLACES - LANES {
            self.spill();
        }
        let end = self.len + LANES;
        self.keys[self.len..end].copy_from_slice(&keys.map(MaybeUninit::new));
        self.nodes[self.len..end].copy_from_slice(&nodes.map(MaybeUninit::new));
        self.len += count.min(LANES);
    }

    /// Pushes one entry.
    #[inline(always)]
    pub(crate) fn push_one(&mut self, key: u32, node: NodeIndex) {
        if self.len > PLACES - LANES {
            self.spill();
        }
        self.keys[self.len] = MaybeUninit::new(key);
        self.nodes[self.len] = MaybeUninit::new(node);
        self.len += 1;
    }

    /// Takes the entry that was pushed last.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u32, NodeIndex)> {
        if self.len == 0 {
            return self.spilled.pop();
        }
        self.len -= 1;
        let at = self.len % PLACES;
        // SAFETY: `len` counts entries that `push` has written, and it was above `at` when they were.
        unsafe { Some((self.keys[at].assume_init(), self.nodes[at].assume_init())) }
    }

    #[cold]
    fn spill(&mut self) {
        for at in 0..self.len {
            // SAFETY: `at` is below `len`, so `push` has written it.
            self.spilled.push(unsafe { (self.keys[at].assume_init(), self.nodes[at].assume_init()) });
        }
        self.len = 0;
    }
}
