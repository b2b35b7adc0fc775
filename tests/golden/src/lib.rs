//! Seeded worlds, everything that can be asked of them, and every bit of the answers folded into a few hashes. They are
//! the same on every platform, for every set of vector instructions, for any number of threads, in debug and in
//! release.
//!
//! ```text
//!   number of a world  ->  scene  ->  for each kind of question: answers  ->  hash
//!   worlds of a block  ->  for each kind: one hash and how many answers found something  ->  a line of the table
//! ```
//! Inputs are made with integers, sums and products alone, so they have the same bits everywhere. Answers that come in
//! no particular order are sorted. Keys do not enter a hash, only what they stand for.
//!
//! `hashes.txt` is the expected table. A change that is meant to change answers replaces it with the output of this
//! package's program; nothing else may.

mod any_shape;
mod draw;
mod fold;
mod frames;
mod piles;
mod queries;
mod scene;
mod shapes;
mod sweeps;
mod trees;
mod triangles;

use cullide_bvh::Instructions;
use draw::Draw;
use fold::Fold;
use scene::{LARGE, MEDIUM, SMALL, Scene};
use std::{fmt, ops::Range};

/// The number of worlds.
pub const WORLDS: usize = SMALL + MEDIUM + LARGE;

/// The number of small worlds that share a line of the table.
const BLOCK: usize = 20;

/// The number of lines in the table for one kind: blocks of small worlds, then a block of medium and one of large
/// worlds.
pub const BLOCKS: usize = SMALL / BLOCK + 2;

/// The numbers of the worlds in a block.
fn worlds(block: usize) -> Range<usize> {
    const MEDIUM_BLOCK: usize = SMALL / BLOCK;
    match block {
        ..MEDIUM_BLOCK => block * BLOCK..(block + 1) * BLOCK,
        MEDIUM_BLOCK => SMALL..SMALL + MEDIUM,
        _ => SMALL + MEDIUM..WORLDS,
    }
}

/// A kind of question: its name in the table, and the function that asks it.
struct Kind {
    name: &'static str,
    ask: fn(&Scene, &mut Draw, &mut Fold),
}

const fn kind(name: &'static str, ask: fn(&Scene, &mut Draw, &mut Fold)) -> Kind {
    Kind { name, ask }
}

/// All kinds of questions about a world or about two shapes.
const OF_WORLDS: [Kind; 23] = [
    kind("rays", queries::rays),
    kind("segments", queries::segments),
    kind("overlaps", queries::overlaps),
    kind("nearest", queries::nearest),
    kind("culling", queries::culling),
    kind("box_sweeps", sweeps::box_sweeps),
    kind("ball_sweeps", sweeps::ball_sweeps),
    kind("rotating_sweeps", sweeps::rotating_sweeps),
    kind("slides", sweeps::slides),
    kind("rotating_slides", sweeps::rotating_slides),
    kind("depenetration", sweeps::depenetration),
    kind("walks", sweeps::walks),
    kind("pairs", frames::pairs),
    kind("steps", frames::steps),
    kind("snapshots", frames::snapshots),
    kind("poses", frames::poses),
    kind("both_move", shapes::both_move),
    kind("gaps", shapes::gaps),
    kind("columns", shapes::columns),
    kind("triangles", triangles::triangles),
    kind("piles", piles::piles),
    kind("any_shape", any_shape::any_shape),
    kind("moving_shapes", any_shape::moving_shapes),
];

/// The kinds of questions about trees of boxes, for which the instructions can be chosen.
const OF_TREES: [Kind; 4] = [
    kind("tree_queries", trees::tree_queries),
    kind("tree_edits", trees::tree_edits),
    kind("tree_batches", trees::tree_batches),
    kind("broadphase", trees::broadphase),
];

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    block: usize,
    kind: &'static str,
    hash: u64,
    /// The number of answers that found something: a hash of questions that all miss would say little.
    found: u64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02} {:15} {:016x} {}", self.block, self.kind, self.hash, self.found)
    }
}

/// The number of kinds, each with a line in every block.
pub const KINDS: usize = OF_WORLDS.len() + OF_TREES.len();

/// The lines of a block.
pub fn lines(block: usize) -> Vec<Line> {
    let scenes = scenes(block, None);
    (0..KINDS).map(|kind| line_of(kind, block, &scenes)).collect()
}

/// The line of a block about one of [`KINDS`]; panics if there is no such kind.
pub fn line(block: usize, kind: usize) -> Line {
    line_of(kind, block, &scenes(block, None))
}

/// The lines of a block about trees of boxes alone, with these instructions, which the processor must support.
pub fn tree_lines(block: usize, instructions: Instructions) -> Vec<Line> {
    let scenes = scenes(block, Some(instructions));
    (OF_WORLDS.len()..KINDS).map(|kind| line_of(kind, block, &scenes)).collect()
}

fn scenes(block: usize, instructions: Option<Instructions>) -> Vec<(usize, Scene)> {
    worlds(block).map(|world| (world, Scene::new(world, instructions))).collect()
}

fn line_of(kind: usize, block: usize, scenes: &[(usize, Scene)]) -> Line {
    let (kind, seed) = match kind.checked_sub(OF_WORLDS.len()) {
        Some(seed) => (&OF_TREES[seed], seed),
        None => (&OF_WORLDS[kind], kind),
    };
    let mut line = Line { block, kind: kind.name, hash: 0, found: 0 };
    for (world, scene) in scenes {
        let draw = &mut Draw::new((*world as u64) << 32 | seed as u64);
        let mut fold = Fold::new(&scene.names);
        // The hashes of the worlds of a block are folded in turn.
        fold.word(line.hash);
        (kind.ask)(scene, draw, &mut fold);
        line.hash = fold.hash();
        line.found += fold.found();
    }
    line
}
