//! `scene`: what a game asks of a whole scene, with objects, filters and exact shapes, not only the boxes of leaves.

use crate::{
    args,
    laps::Laps,
    peer::Bounds,
    scene_peer::{Asked, COUNT, OURS, Question, competitors},
    table::{Row, Table},
};
use indicatif::ProgressBar;

/// Questions per lap: tens of microseconds.
const LAP: usize = 100;

/// How many times a run asks the questions.
pub const STEPS: usize = Question::ALL.len() * 3;

/// The rounding allowed for distances and fractions: rapier's sweeps are iterations that end within about this.
const TOLERANCE: f32 = 1e-3;

/// Prints the table of a scene.
pub fn run(title: &str, boxes: &[Bounds], options: &args::Scenes, bar: &ProgressBar) {
    let asked = Asked::new(boxes, options.seed);
    let peers = competitors(&asked);
    bar.set_message(title.to_owned());
    let mut times: Vec<[Option<Laps>; Question::ALL.len()]> = peers.iter().map(|_| Default::default()).collect();
    let mut answers: Vec<[Vec<f32>; Question::ALL.len()]> = peers.iter().map(|_| Default::default()).collect();
    for round in 0..options.runs {
        for (q, question) in Question::ALL.into_iter().enumerate() {
            // The order rotates, and everyone takes a turn at each question before the next, so that a drift affects
            // all alike.
            for i in (0..peers.len()).map(|i| (i + round) % peers.len()) {
                answers[i][q].clear();
                let mut laps = Laps::default();
                for start in (0..COUNT).step_by(LAP) {
                    laps.lap(LAP, || peers[i].ask(&asked, question, start..start + LAP, &mut answers[i][q]));
                }
                times[i][q] = Some(match times[i][q].take() {
                    Some(earlier) => earlier.least(laps),
                    None => laps,
                });
                bar.inc(1);
            }
        }
    }
    let differ = |i: usize, q: usize| {
        let pairs = answers[i][q].iter().zip(&answers[0][q]);
        pairs.filter(|(a, b)| !(a == b || (*a - *b).abs() <= TOLERANCE * (1.0 + b.abs()))).count()
    };
    let row = |i: usize| Row {
        name: peers[i].name().into(),
        cells: times[i].iter().map(|laps| laps.as_ref().map(Laps::mean)).collect(),
        remarks: (0..Question::ALL.len()).map(|q| differ(i, q).to_string()).collect(),
    };
    let rows = (0..peers.len()).map(row).collect();
    let titles = Question::ALL.map(Question::title).to_vec();
    let remarks = ("differ, of 20,000", vec!["ray", "overlap", "sweep", "nearest"]);
    let title = format!("{title}, half of them turned");
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: OURS }));
}
