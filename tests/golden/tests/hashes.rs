//! Every bit of the answers over 210 seeded worlds is as expected: on one thread and on two, in debug and in release,
//! for every set of vector instructions; on other processors by `tests/platforms/run`.

use cullide_bvh::{Bvh, Instructions};
use cullide_golden::{BLOCKS, Line, WORLDS, lines, tree_lines};

/// The expected table.
const EXPECTED: &str = include_str!("../hashes.txt");

/// The table covers at least this many worlds.
const _: () = assert!(WORLDS >= 200);

/// Fails with the lines that are not in the table.
fn compare(who: &str, found: &[Line]) {
    let unknown: Vec<String> =
        found.iter().map(Line::to_string).filter(|line| !EXPECTED.lines().any(|expected| expected == line)).collect();
    assert!(
        unknown.is_empty(),
        "{who}: {} of {} lines differ from tests/golden/hashes.txt, which `cargo run -p cullide-golden` prints anew:\n{}",
        unknown.len(),
        found.len(),
        unknown.join("\n")
    );
}

fn on_threads(threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let found: Vec<Line> = pool.install(|| (0..BLOCKS).flat_map(lines).collect());
    assert_eq!(found.len(), EXPECTED.lines().count(), "the table has different lines");
    compare(&format!("on {threads} threads"), &found);
}

#[test]
fn answers_are_what_they_were_on_one_thread() {
    on_threads(1);
}

#[test]
fn answers_are_what_they_were_on_two_threads() {
    on_threads(2);
}

#[test]
fn trees_answer_as_they_did_for_every_set_of_instructions() {
    let has = |instructions: &Instructions| Bvh::new().with_instructions(*instructions).is_some();
    let sets: Vec<Instructions> = Instructions::EVERY.into_iter().filter(has).collect();
    // The gate compares the scalar ones in `tree_levels`.
    assert!(cfg!(not(target_arch = "x86_64")) || sets.contains(&Instructions::Sse2));
    for instructions in sets {
        let found: Vec<Line> = (0..BLOCKS).flat_map(|block| tree_lines(block, instructions)).collect();
        compare(&format!("{instructions:?}"), &found);
    }
}

#[test]
fn table_has_no_line_about_questions_that_all_miss() {
    let found = EXPECTED.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    let found: Vec<u64> = found.collect();
    assert!(found.len() == EXPECTED.lines().count() && found.iter().all(|found| *found >= 50), "{found:?}");
}
