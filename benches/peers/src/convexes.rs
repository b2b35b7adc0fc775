//! `convex`: two convexes, one pair at a time: when a moving one first touches the other, and how far apart they are.

use crate::{
    args,
    convex_peer::{Answer, ConvexPeer, Kind, Question, competitors, pairs},
    laps::Laps,
    table::{Row, Table},
};
use indicatif::ProgressBar;

/// Pairs per lap.
const LAP: usize = 64;

/// An answer farther from ours than this, in time or in units of length, differs: more than the slop of any peer.
const DIFFERS: f32 = 0.03;

/// Laps of questions that the progress bar counts, in each run.
pub fn steps() -> usize {
    Question::ALL.len() * Kind::ALL.len() * competitors(&[]).len()
}

/// Prints the tables.
pub fn run(options: &args::Convexes, bar: &ProgressBar) {
    for question in Question::ALL {
        let mut rows: Vec<Row> = vec![];
        for kind in Kind::ALL {
            let pairs = pairs(kind, question, options.n, options.seed);
            let mut peers = competitors(&pairs);
            let mut times: Vec<Option<Laps>> = vec![None; peers.len()];
            for round in 0..options.runs {
                // The order rotates, so that a drift affects all alike.
                let count = peers.len();
                for i in (0..count).map(|i| (i + round) % count) {
                    let laps = time(&mut *peers[i], question, pairs.len());
                    times[i] = Some(times[i].take().map_or(laps.clone(), |least| least.least(laps)));
                    bar.inc(1);
                }
            }
            let answers: Vec<Vec<Answer>> = peers
                .iter_mut()
                .map(|peer| {
                    peer.ask(question, 0..pairs.len());
                    peer.take()
                })
                .collect();
            for (i, peer) in peers.iter().enumerate() {
                if rows.len() <= i {
                    rows.push(Row { name: peer.name().into(), cells: vec![], remarks: vec!["0".into(), "0".into()] });
                }
                rows[i].cells.push(times[i].as_ref().map(Laps::mean));
                let met = answers[i].iter().flatten().count();
                let differ = answers[i].iter().zip(&answers[0]).filter(|(own, ours)| !agree(**own, **ours)).count();
                for (remark, count) in rows[i].remarks.iter_mut().zip([met, differ]) {
                    *remark = (remark.parse::<usize>().unwrap_or(0) + count).to_string();
                }
            }
        }
        let title = format!("{}, {} pairs of each kind", question.title(), options.n);
        let titles = Kind::ALL.map(Kind::title).to_vec();
        bar.suspend(|| {
            println!("{}", Table { title, titles, remarks: ("answers", vec!["answered", "differ"]), rows, ours: 1 })
        });
    }
}

fn agree(own: Answer, ours: Answer) -> bool {
    match (own, ours) {
        (Some(own), Some(ours)) => (own - ours).abs() <= DIFFERS,
        (own, ours) => own.is_some() == ours.is_some(),
    }
}

/// Times one competitor's answers to all pairs.
fn time(peer: &mut dyn ConvexPeer, question: Question, n: usize) -> Laps {
    let mut laps = Laps::default();
    for start in (0..n).step_by(LAP) {
        let pairs = start..n.min(start + LAP);
        laps.lap(pairs.len(), || peer.ask(question, pairs));
    }
    peer.take();
    laps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex_peer::Pair;

    #[test]
    fn ours_hit_what_is_aimed_at_and_the_others_agree() {
        for kind in Kind::ALL {
            for question in Question::ALL {
                let pairs: Vec<Pair> = pairs(kind, question, 200, 1);
                let answers: Vec<Vec<Answer>> = competitors(&pairs)
                    .iter_mut()
                    .map(|peer| {
                        peer.ask(question, 0..pairs.len());
                        peer.take()
                    })
                    .collect();
                let met = answers[0].iter().flatten().count();
                assert_eq!(met, if question == Question::Miss { 0 } else { 200 }, "{kind:?}, {question:?}");
                for others in &answers[1..] {
                    let differ = others.iter().zip(&answers[0]).filter(|(own, ours)| !agree(**own, **ours)).count();
                    assert!(differ < 10, "{kind:?}, {question:?}: {differ}");
                }
            }
        }
    }
}
