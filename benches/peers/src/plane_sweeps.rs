//! `sweep`: moving boxes, each against its own plane: when it touches, and with which points.

use crate::{
    args,
    laps::Laps,
    peer::Support,
    sweep_peer::{COMPETITORS, Case, OURS, Question, SweepPeer, Verdict, cases, competitors},
    sweep_truth::{Judgement, agree, judge},
    table::{Row, Table, number},
};
use indicatif::ProgressBar;

/// Cases per lap: some microseconds for the quickest, compared with 30 ns for the clock.
const LAP: usize = 1000;

/// How many times a case is asked on its own; the least time counts.
const REPEATS: usize = 5;

/// Prints the table; returns how many of our answers are wrong.
pub fn run(options: &args::Sweep, bar: &ProgressBar) -> usize {
    let cases = cases(options.n, options.seed);
    let mut peers = competitors(&cases);
    let mut records: Vec<Record> = peers.iter().map(|_| Record::default()).collect();
    for round in 0..options.runs {
        for question in Question::ALL {
            // The order rotates, and everyone takes a turn at each question before the next, so that a drift affects
            // all alike.
            for i in (0..COMPETITORS).map(|i| (i + round) % COMPETITORS) {
                records[i].note(question, time(&mut *peers[i], question, cases.len()));
                bar.inc(1);
            }
        }
    }
    let mut first: Option<Vec<Verdict>> = None;
    for (peer, record) in peers.iter_mut().zip(&mut records) {
        for question in Question::ALL {
            if peer.ask(question, 0..cases.len()) == Support::NotOffered {
                continue;
            }
            let verdicts = peer.take();
            // Time and contacts are about the same motion; all are compared with the first competitor's.
            let rival = if question == Question::Turning { &verdicts } else { first.get_or_insert(verdicts.clone()) };
            record.count(question, &cases, &verdicts, rival);
        }
    }
    for (peer, record) in peers.iter_mut().zip(&mut records) {
        record.worst_turn = worst(&mut **peer, Question::Turning, cases.len());
    }
    let ours_wrong = records.iter().take(OURS).map(|record| record.straight.wrong + record.turning.wrong).sum();
    let title = format!("sweep, {} boxes, each moving against a plane", cases.len());
    let rows = peers.iter().zip(&records).map(|(peer, record)| record.row(peer.name())).collect();
    let titles = Question::ALL.map(Question::title).to_vec();
    let remarks = (
        "answers",
        vec!["hits %", "overlaps %", "differ", "ties", "wrong", "turn hit %", "turn wrong", "turn worst us"],
    );
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: OURS }));
    ours_wrong
}

/// Times one competitor's answers to all cases; `None` if it does not offer the question.
fn time(peer: &mut dyn SweepPeer, question: Question, n: usize) -> Option<Laps> {
    let mut laps = Laps::default();
    for start in (0..n).step_by(LAP) {
        let cases = start..n.min(start + LAP);
        if laps.lap(cases.len(), || peer.ask(question, cases)) == Support::NotOffered {
            return None;
        }
    }
    peer.take();
    Some(laps)
}

/// Nanoseconds for the case that takes longest, each asked on its own and including the clock; `None` if it does not
/// offer the question.
fn worst(peer: &mut dyn SweepPeer, question: Question, n: usize) -> Option<f64> {
    let mut least: Option<Laps> = None;
    for _ in 0..REPEATS {
        let mut laps = Laps::default();
        for case in 0..n {
            if laps.lap(1, || peer.ask(question, case..case + 1)) == Support::NotOffered {
                return None;
            }
        }
        peer.take();
        least = Some(least.map_or(laps.clone(), |least| least.least(laps)));
    }
    least.map(|laps| laps.worst())
}

/// The results of one competitor.
#[derive(Default)]
struct Record {
    times: [Option<Laps>; 3],
    worst_turn: Option<f64>,
    /// For boxes that do not rotate, and for those that do.
    straight: Tally,
    turning: Tally,
}

/// How its answers compare.
#[derive(Default)]
struct Tally {
    answers: usize,
    hits: usize,
    overlaps: usize,
    /// Answers that differ from those of the first competitor, except for boxes behind their planes.
    differ: usize,
    ties: usize,
    wrong: usize,
}

impl Record {
    /// Records another run.
    fn note(&mut self, question: Question, run: Option<Laps>) {
        let cell = &mut self.times[question as usize];
        *cell = match (cell.take(), run) {
            (Some(a), Some(b)) => Some(a.least(b)),
            (a, b) => a.or(b),
        };
    }

    fn count(&mut self, question: Question, cases: &[Case], verdicts: &[Verdict], rival: &[Verdict]) {
        let tally = if question == Question::Turning { &mut self.turning } else { &mut self.straight };
        *tally = Tally { answers: verdicts.len(), ..Tally::default() };
        for ((case, verdict), other) in cases.iter().zip(verdicts).zip(rival) {
            let judgement = judge(case, question, *verdict);
            tally.hits += usize::from(matches!(verdict, Verdict::Hit(_)));
            tally.overlaps += usize::from(*verdict == Verdict::Overlap);
            tally.differ += usize::from(judgement != Judgement::Behind && !agree(case, *verdict, *other));
            tally.ties += usize::from(judgement == Judgement::Tie);
            tally.wrong += usize::from(judgement == Judgement::Wrong);
        }
    }

    fn row(&self, name: &str) -> Row {
        let share = |part: usize, of: &Tally| format!("{:.1}", 100.0 * part as f64 / of.answers.max(1) as f64);
        let Self { straight, turning, .. } = self;
        let mut remarks = vec![share(straight.hits, straight), share(straight.overlaps, straight)];
        remarks.extend([straight.differ, straight.ties, straight.wrong].map(|count| count.to_string()));
        remarks.extend(match turning.answers {
            0 => ["-".into(), "-".into()],
            _ => [share(turning.hits, turning), turning.wrong.to_string()],
        });
        remarks.push(number(self.worst_turn.map(|worst| worst / 1e3)));
        let cells = self.times.iter().map(|laps| Some(laps.as_ref()?.mean())).collect();
        Row { name: name.into(), cells, remarks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cases_are_timed_and_a_wrong_answer_is_counted() {
        let cases = cases(2500, 1);
        let mut peers = competitors(&cases);
        assert_eq!(time(&mut *peers[0], Question::Contacts, cases.len()).map(|laps| laps.count()), Some(3));
        let batch = peers.iter_mut().find(|peer| peer.name() == "ours, batch").expect("a batch of ours");
        assert!(time(&mut **batch, Question::Turning, cases.len()).is_none());
        assert!(worst(&mut **batch, Question::Turning, 9).is_none());
        assert!(worst(&mut *peers[0], Question::Turning, 9).is_some_and(|worst| worst > 0.0));
        peers[0].ask(Question::Contacts, 0..cases.len());
        let right = peers[0].take();
        let mut record = Record::default();
        record.count(Question::Contacts, &cases, &vec![Verdict::Clear; cases.len()], &right);
        let met = right.iter().filter(|verdict| **verdict != Verdict::Clear).count();
        assert_eq!((record.straight.wrong + record.straight.ties, record.straight.differ), (met, met));
    }
}
