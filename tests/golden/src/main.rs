//! Prints the table of hashes, or the blocks whose numbers are given: the small worlds are in the first ten, those of
//! 600 and of 5,000 objects in the last two.

use cullide_golden::{BLOCKS, lines};

fn main() {
    let mut blocks: Vec<usize> = std::env::args().skip(1).filter_map(|block| block.parse().ok()).collect();
    if blocks.is_empty() {
        blocks = (0..BLOCKS).collect();
    }
    for line in blocks.into_iter().flat_map(lines) {
        println!("{line}");
    }
}
