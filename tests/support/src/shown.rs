//! What a tree shows, in the same form as brute force.

use crate::{question::Question, scan::Shown};
use cullide_bvh::Bvh;
use std::ops::ControlFlow;

/// The leaves that a tree shows, each with the bits of its distance, by leaf.
pub fn cast(tree: &Bvh, question: &Question, mask: u32) -> Shown {
    collect(|visit| tree.cast(&question.probe(), mask, |leaf, entry| visit((leaf.index(), entry.to_bits())).into()))
}

/// What `query` shows, by leaf.
pub fn collect<T: Ord>(query: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>)) -> Vec<T> {
    let mut shown = vec![];
    query(&mut |one| {
        shown.push(one);
        ControlFlow::Continue(())
    });
    shown.sort_unstable();
    shown
}
