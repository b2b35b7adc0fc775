//! `static`: building over boxes at rest and asking all questions of the table.

use crate::{
    agree::{self, Verdict},
    args::Static,
    laps::Laps,
    memory,
    peer::{Bounds, New, OURS, Peer, Support, competitors},
    question::{Answers, Column, columns},
    table::{Row, Table, number},
};
use indicatif::ProgressBar;

/// What is timed for one competitor in one run: the build and the columns.
pub const STEPS: usize = 6;

/// Prints the scene's table; returns how many of our answers are wrong.
pub fn run(title: String, boxes: &[Bounds], options: &Static, bar: &ProgressBar) -> usize {
    let columns = columns(boxes, options.seed);
    bar.set_message(title.clone());
    let (peers, mut records) = time(&competitors(), boxes, &columns, options.runs, bar);
    let ours_wrong = check(boxes, &columns, &peers, &mut records);
    let units: Vec<(&str, f64)> =
        std::iter::once(("build ms", 1e6)).chain(columns.iter().map(|column| (column.title, column.unit))).collect();
    let rows = peers.iter().zip(records).map(|(peer, record)| record.row(peer.name(), &units)).collect();
    let titles = units.iter().map(|(title, _)| *title).collect();
    let remarks = ("held, agreement", vec!["bytes/box", "ties", "wrong"]);
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: OURS }));
    ours_wrong
}

/// Times builds and questions; returns the competitors, with what they built last, and their results.
pub fn time(
    news: &[New],
    boxes: &[Bounds],
    columns: &[Column],
    runs: usize,
    bar: &ProgressBar,
) -> (Vec<Box<dyn Peer>>, Vec<Record>) {
    let mut peers: Vec<Box<dyn Peer>> = news.iter().map(|new| new(boxes)).collect();
    let mut records: Vec<Record> = peers.iter().map(|_| Record::default()).collect();
    for round in 0..runs {
        // The order rotates, and everyone takes a turn at each column before the next, so that a drift affects all
        // alike.
        let order: Vec<usize> = (0..peers.len()).map(|i| (i + round) % peers.len()).collect();
        for &i in &order {
            peers[i] = news[i](boxes);
            let before = memory::live();
            let mut laps = Laps::default();
            if laps.lap(1, || peers[i].build()) == Support::Answered {
                let held = memory::live().wrapping_sub(before) + peers[i].foreign_bytes();
                records[i].bytes = Some(held as f64 / boxes.len() as f64);
                Laps::keep_least(&mut records[i].times[0], Some(laps));
            }
            bar.inc(1);
        }
        for (c, column) in columns.iter().enumerate() {
            for &i in &order {
                Laps::keep_least(&mut records[i].times[1 + c], column.question.time(&*peers[i]));
                bar.inc(1);
            }
        }
    }
    (peers, records)
}

/// The results of one competitor.
#[derive(Default)]
pub struct Record {
    /// Times by column: the build, then the questions.
    pub times: [Option<Laps>; STEPS],
    /// Bytes held by the build, per box, without the boxes that it was made from.
    bytes: Option<f64>,
    verdict: Verdict,
}

impl Record {
    fn row(&self, name: &str, units: &[(&str, f64)]) -> Row {
        let cells = self.times.iter().zip(units).map(|(laps, (_, unit))| Some(laps.as_ref()?.mean() / unit)).collect();
        let Verdict { ties, wrong, .. } = self.verdict;
        let remarks = vec![number(self.bytes), ties.to_string(), wrong.to_string()];
        Row { name: name.into(), cells, remarks }
    }
}

/// Counts in each record the answers that differ from ours; returns how many of ours are wrong.
fn check(boxes: &[Bounds], columns: &[Column], peers: &[Box<dyn Peer>], records: &mut [Record]) -> usize {
    let mut ours_wrong = 0;
    for Column { question, .. } in columns {
        let answers: Vec<Option<Answers>> = peers.iter().map(|peer| question.answers(&**peer)).collect();
        let Some(Some(first)) = answers.first() else { continue };
        ours_wrong += agree::misjudged(boxes, question, first);
        let verdicts =
            answers.iter().skip(1).map(|other| Some(agree::compare(boxes, question, first, other.as_ref()?)));
        for (record, verdict) in records.iter_mut().skip(1).zip(verdicts) {
            let verdict: Verdict = verdict.unwrap_or_default();
            record.verdict += verdict;
            ours_wrong += verdict.first_wrong;
        }
    }
    records[0].verdict.wrong = ours_wrong;
    ours_wrong
}
