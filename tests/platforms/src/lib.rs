//! The golden hashes as a WebAssembly module without imports: its host requests a block of the table and reads its text
//! byte by byte, which needs no pointers.

use std::{
    fmt::Write,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The lines of the last requested block.
static TEXT: Mutex<String> = Mutex::new(String::new());

fn text() -> MutexGuard<'static, String> {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of blocks.
#[unsafe(no_mangle)]
pub extern "C" fn blocks() -> u32 {
    cullide_golden::BLOCKS as u32
}

/// Computes the lines of a block, and returns the length of their text.
#[unsafe(no_mangle)]
pub extern "C" fn compute(block: u32) -> u32 {
    let mut lines = String::new();
    for line in cullide_golden::lines(block as usize) {
        writeln!(lines, "{line}").expect("a string takes any text");
    }
    let length = lines.len();
    *text() = lines;
    length as u32
}

/// A byte of that text; zero beyond its end.
#[unsafe(no_mangle)]
pub extern "C" fn byte(i: u32) -> u32 {
    text().as_bytes().get(i as usize).copied().unwrap_or(0).into()
}
