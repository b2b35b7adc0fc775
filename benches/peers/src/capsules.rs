//! `capsule`: capsules and shapes at rest, one pair at a time: when a moving capsule touches, and whether one at rest
//! overlaps.

use crate::{
    args,
    capsule_peer::{Answer, COMPETITORS, CapsulePeer, Kind, Pair, Question, competitors, pairs},
    capsule_truth::{Judgement, agree, judge},
    laps::Laps,
    table::{Row, Table},
};
use indicatif::ProgressBar;

/// Pairs per lap: some microseconds for the quickest, compared with 30 ns for the clock.
const LAP: usize = 256;

/// Laps of questions that the progress bar counts, in each run.
pub const STEPS: usize = Question::ALL.len() * Kind::ALL.len() * COMPETITORS;

/// Prints the tables; returns how many of our answers are wrong.
pub fn run(options: &args::Capsules, bar: &ProgressBar) -> usize {
    let all = Kind::ALL.map(|kind| pairs(kind, options.n, options.seed));
    Question::ALL.iter().map(|question| ask_all(*question, &all, options.runs, bar)).sum()
}

/// The table of one question.
fn ask_all(question: Question, all: &[Vec<Pair>; Kind::ALL.len()], runs: usize, bar: &ProgressBar) -> usize {
    let mut records: [Record; COMPETITORS] = Default::default();
    for (kind, pairs) in Kind::ALL.into_iter().zip(all) {
        let mut peers = competitors(kind, pairs);
        let mut times: [Option<Laps>; COMPETITORS] = Default::default();
        for round in 0..runs {
            // The order rotates, so that a drift affects all alike.
            for i in (0..COMPETITORS).map(|i| (i + round) % COMPETITORS) {
                let laps = time(&mut *peers[i], question, pairs.len());
                times[i] = Some(times[i].take().map_or(laps.clone(), |least| least.least(laps)));
                bar.inc(1);
            }
        }
        let answers = peers.each_mut().map(|peer| {
            peer.ask(question, 0..pairs.len());
            peer.take()
        });
        for ((record, laps), own) in records.iter_mut().zip(times).zip(&answers) {
            record.times.push(laps.map(|laps| laps.mean()));
            record.count(question, pairs, own, &answers[0]);
        }
    }
    let what = match question {
        Question::Sweep => "capsule sweeps",
        Question::Overlap => "capsule overlaps",
    };
    let title = format!("{what}, {} pairs of each kind", all[0].len());
    let names = competitors(Kind::Ball, &[]).map(|peer| String::from(peer.name()));
    let rows = records.iter().zip(names).map(|(record, name)| record.row(name)).collect();
    let remarks = ("answers", vec!["meet %", "differ", "ties", "wrong"]);
    let titles = Kind::ALL.map(Kind::title).to_vec();
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: 1 }));
    records[0].wrong
}

/// Times one competitor's answers to all pairs.
fn time(peer: &mut dyn CapsulePeer, question: Question, n: usize) -> Laps {
    let mut laps = Laps::default();
    for start in (0..n).step_by(LAP) {
        let pairs = start..n.min(start + LAP);
        laps.lap(pairs.len(), || peer.ask(question, pairs));
    }
    peer.take();
    laps
}

/// The results of one competitor.
#[derive(Default)]
struct Record {
    /// Indexed by kind.
    times: Vec<Option<f64>>,
    answers: usize,
    meet: usize,
    /// Answers that differ from those of the first competitor.
    differ: usize,
    /// Counted over all answers, judged by the truth.
    ties: usize,
    wrong: usize,
}

impl Record {
    fn count(&mut self, question: Question, pairs: &[Pair], answers: &[Answer], rival: &[Answer]) {
        for ((pair, answer), other) in pairs.iter().zip(answers).zip(rival) {
            let judgement = judge(pair, question, *answer);
            self.answers += 1;
            self.meet += usize::from(answer.is_some());
            self.differ += usize::from(!agree(*answer, *other));
            self.ties += usize::from(judgement == Judgement::Tie);
            self.wrong += usize::from(judgement == Judgement::Wrong);
        }
    }

    fn row(&self, name: String) -> Row {
        let meet = format!("{:.1}", 100.0 * self.meet as f64 / self.answers.max(1) as f64);
        let mut remarks = vec![meet];
        remarks.extend([self.differ, self.ties, self.wrong].map(|count| count.to_string()));
        Row { name, cells: self.times.clone(), remarks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_are_timed_and_a_wrong_answer_is_counted() {
        let pairs = pairs(Kind::Obb, 600, 1);
        let [mut ours, _] = competitors(Kind::Obb, &pairs);
        assert_eq!(time(&mut *ours, Question::Overlap, pairs.len()).count(), 3);
        ours.ask(Question::Sweep, 0..pairs.len());
        let right = ours.take();
        let mut record = Record::default();
        record.count(Question::Sweep, &pairs, &vec![None; pairs.len()], &right);
        let met = right.iter().flatten().count();
        assert_eq!((record.wrong + record.ties, record.differ, record.meet), (met, met, 0));
    }
}
