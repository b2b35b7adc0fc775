//! `moving`: bringing the near pairs of moving boxes up to date, frame by frame.

use crate::{
    args,
    laps::Laps,
    moving_peer::{Competitor, OURS, competitors},
    table::{Row, Table, number},
    truth::{self, Tally},
};
use cullide_scenes::{Motion, Moving};
use indicatif::ProgressBar;
use std::{collections::BTreeMap, time::Duration};

/// Frames before the clock starts: enough for every library to adapt to this number of moving boxes.
const WARM_UP: usize = 10;

/// The first frame, the last one and every `CHECK`-th one are checked.
const CHECK: usize = 10;

/// A competitor that takes longer than this for its frames plays fewer of them.
const BUDGET: Duration = Duration::from_secs(20);

/// A pair of indices.
type Pair = (u32, u32);

/// The true pairs of the frames that are checked, by number.
pub type Truths = BTreeMap<usize, Vec<Pair>>;

/// The number of timed frames for `n` boxes.
fn frames(n: usize) -> usize {
    (3_840_000 / n).clamp(60, 600)
}

/// Prints the scene's table; returns how many of our pairs are wrong.
pub fn run(motion: Motion, n: usize, options: &args::Moving, bar: &ProgressBar) -> usize {
    let frames = options.frames.unwrap_or_else(|| frames(n));
    let scene = Moving::new(n, motion, options.seed);
    let (mut invited, mut left_out) = (Vec::new(), Vec::new());
    for competitor in competitors() {
        match competitor.upkeep.out_of_place(scene.moved().len(), n) {
            None => invited.push(competitor),
            Some(reason) => left_out.push(format!("{} ({reason})", competitor.name)),
        }
    }
    let mut title = format!("{}, {n} boxes, {} of them moving, {frames} frames", motion.name(), scene.moved().len());
    bar.set_message(format!("{}, {n} boxes", motion.name()));
    bar.inc((left_out.len() * options.runs) as u64);
    if !left_out.is_empty() {
        title += &format!("\nleft out: {}", left_out.join(", "));
    }
    let truths = truths(scene.clone(), frames);
    let records = time(&invited, &scene, frames, &truths, options.runs, bar);
    let ours_wrong = records.iter().take(OURS).map(|record| record.tally.wrong).sum();
    let rows = invited.iter().zip(&records).map(|(competitor, record)| record.row(competitor.name)).collect();
    let titles = vec!["mean ms", "median ms", "worst ms"];
    let remarks = ("pairs", vec!["near/true", "wrong", "frames"]);
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: OURS }));
    ours_wrong
}

/// Times the frames of each competitor, and compares its pairs with the given true ones.
pub fn time(
    invited: &[Competitor],
    scene: &Moving,
    frames: usize,
    truths: &Truths,
    runs: usize,
    bar: &ProgressBar,
) -> Vec<Record> {
    let mut records: Vec<Record> = invited.iter().map(|_| Record::default()).collect();
    for round in 0..runs {
        // The order rotates; one competitor's frames stay together, as in a game of its own.
        for i in (0..invited.len()).map(|i| (i + round) % invited.len()) {
            // Checking once is enough, and leaves the caches alone in the other runs.
            let checked = if round == 0 { truths } else { &Truths::new() };
            let (laps, tally) = invited[i].play(|| play(&invited[i], scene.clone(), frames, checked));
            Laps::keep_least(&mut records[i].laps, Some(laps));
            records[i].tally += tally;
            bar.inc(1);
        }
    }
    records
}

/// The results of one competitor.
#[derive(Default)]
pub struct Record {
    /// The least time of each frame over all runs.
    pub laps: Option<Laps>,
    tally: Tally,
}

impl Record {
    fn row(&self, name: &str) -> Row {
        let laps = self.laps.as_ref();
        let Tally { near, overlapping, wrong } = self.tally;
        let near = number((overlapping > 0).then(|| near as f64 / overlapping as f64));
        Row {
            name: name.into(),
            cells: [Laps::mean, Laps::median, Laps::worst].map(|of| Some(of(laps?) / 1e6)).to_vec(),
            remarks: vec![near, wrong.to_string(), laps.map_or(0, Laps::count).to_string()],
        }
    }
}

/// Times one competitor's frames, and compares its pairs with the given true ones.
fn play(competitor: &Competitor, mut scene: Moving, frames: usize, truths: &Truths) -> (Laps, Tally) {
    let mut peer = (competitor.new)(scene.boxes());
    let (mut laps, mut tally) = (Laps::default(), Tally::default());
    let (mut moved, mut near) = (Vec::new(), Vec::new());
    for frame in 0..WARM_UP + frames {
        scene.advance();
        moved.clear();
        moved.extend(scene.moved().map(|i| (i as u32, scene.boxes()[i])));
        if frame < WARM_UP {
            peer.frame(&moved);
        } else if laps.total() < BUDGET {
            laps.lap(1, || peer.frame(&moved));
        } else {
            break;
        }
        if let Some(truth) = truths.get(&frame) {
            near.clear();
            peer.pairs(&mut near);
            tally += truth::judge(&mut near, scene.boxes(), truth);
        }
    }
    (laps, tally)
}

fn truths(mut scene: Moving, frames: usize) -> Truths {
    let mut truths = Truths::new();
    for frame in 0..WARM_UP + frames {
        scene.advance();
        let timed = frame.checked_sub(WARM_UP);
        if timed.is_some_and(|frame| frame % CHECK == 0 || frame + 1 == frames) {
            truths.insert(frame, truth::pairs(scene.boxes()));
        }
    }
    truths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_the_last_and_every_tenth_frame_are_checked() {
        let truths = truths(Moving::new(50, Motion::Fast, 1), 25);
        assert_eq!(truths.into_keys().collect::<Vec<_>>(), [10, 20, 30, 34]);
    }

    #[test]
    fn a_competitor_that_forgets_pairs_is_wrong() {
        let scene = Moving::new(500, Motion::Fast, 1);
        let truths = truths(scene.clone(), 5);
        let (laps, tally) = play(&competitors()[0], scene.clone(), 5, &truths);
        assert_eq!((laps.count(), tally.wrong), (5, 0));
        let forgetful = Competitor { new: |_| Box::new(Forgetful), ..competitors()[0] };
        let (_, tally) = play(&forgetful, scene, 5, &truths);
        assert!(tally.wrong > 0 && tally.wrong == tally.overlapping);
    }

    struct Forgetful;

    impl crate::moving_peer::MovingPeer for Forgetful {
        fn frame(&mut self, _: &[(u32, crate::peer::Bounds)]) {}

        fn pairs(&self, _: &mut Vec<Pair>) {}
    }
}
