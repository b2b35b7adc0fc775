//! Without vector instructions, answers are those of the table. In a process of its own, since all of the library uses
//! what it is restricted to first.

use cullide_golden::{KINDS, line};
use cullide_world::narrowphase::simd::{Level, set_level};
use rayon::prelude::*;

/// A block of small worlds, which take half a minute without optimization.
const BLOCK: usize = 1;

#[test]
fn scalar_instructions_give_the_answers_of_the_table() {
    assert!(set_level(Level::fallback()), "something has asked for the instructions of this processor");
    let expected = include_str!("../hashes.txt").lines();
    let expected: Vec<&str> = expected.filter(|line| line.starts_with(&format!("{BLOCK:02} "))).collect();
    let found: Vec<String> = (0..KINDS).into_par_iter().map(|kind| line(BLOCK, kind).to_string()).collect();
    assert_eq!(found, expected);
}
