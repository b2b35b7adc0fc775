//! The number of live bytes on Rust's heap: the memory of a tree, whichever library made it.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

static LIVE: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with a counter.
pub struct Counting;

// SAFETY: every call goes to `System` unchanged, which keeps the contract; the counter allocates nothing.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the contract is that of [`System`]'s `alloc`, which is called with the same arguments.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: the contract is that of [`System`]'s `alloc_zeroed`, which is called with the same arguments.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    // SAFETY: the contract is that of [`System`]'s `realloc`, which is called with the same arguments.
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size, Relaxed);
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(block, layout, size) }
    }

    // SAFETY: the contract is that of [`System`]'s `dealloc`, which is called with the same arguments.
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(block, layout) }
    }
}

/// The bytes allocated and not yet freed.
pub fn live() -> usize {
    LIVE.load(Relaxed)
}
