//! The questions about a scene, and asking a competitor against the clock.

use crate::{
    laps::Laps,
    peer::{Bounds, Path, Peer, Plane, Reach, SLICE, Support},
};
use cullide_scenes as scenes;
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// A competitor that takes longer than this for one kind of question is asked fewer of them.
const BUDGET: Duration = Duration::from_millis(400);

/// How long questions are asked before the clock starts.
const WARM_UP: Duration = Duration::from_millis(10);

/// Frusta are few and quick: they are repeated for at least this long.
const CULL_TIME: Duration = Duration::from_millis(4);

/// A column of the table.
pub struct Column {
    pub title: &'static str,
    /// The unit that the title names, in nanoseconds.
    pub unit: f64,
    pub question: Question,
}

/// Many questions of one kind.
pub enum Question {
    Closest(Vec<Path>, Reach),
    Overlap(Vec<Bounds>),
    Cull(Vec<[Plane; 6]>),
}

/// The answers, in the order of the questions; fewer if the competitor ran out of time.
pub enum Answers {
    Entries(Vec<Option<f32>>),
    Counts(Vec<u32>),
    Seen(Vec<Vec<u32>>),
}

/// The workloads of a scene.
pub fn columns(boxes: &[Bounds], seed: u64) -> Vec<Column> {
    let bounds = scenes::bounds_of(boxes);
    let diagonal = (0..3).map(|i| (bounds[1][i] - bounds[0][i]).powi(2)).sum::<f32>().sqrt();
    let column = |title, unit, question| Column { title, unit, question };
    let camera = Question::Closest(scenes::camera_rays(bounds), Reach::Distance(2.0 * diagonal));
    let long = Question::Closest(scenes::long_segments(bounds, 50_000, seed), Reach::Delta);
    let short = Question::Closest(scenes::short_segments(bounds, 100_000, seed), Reach::Delta);
    let overlap = Question::Overlap(scenes::overlap_boxes(bounds, 50_000, seed));
    let cull = Question::Cull(scenes::cull_cameras(bounds).iter().map(scenes::Camera::planes).collect());
    vec![
        column("camera ns", 1.0, camera),
        column("long ns", 1.0, long),
        column("short ns", 1.0, short),
        column("overlap ns", 1.0, overlap),
        column("cull us", 1e3, cull),
    ]
}

impl Question {
    /// Times one run; `None` if the competitor does not offer the question.
    pub fn time(&self, peer: &dyn Peer) -> Option<Laps> {
        match self {
            Self::Closest(paths, reach) => {
                time_slices(paths, peer.slice(), None, |slice, entries| peer.closest(slice, *reach, entries))
            }
            Self::Overlap(queries) => time_slices(queries, SLICE, 0, |slice, counts| peer.overlap(slice, counts)),
            Self::Cull(frusta) => time_culls(peer, frusta),
        }
    }

    /// The answers, untimed.
    pub fn answers(&self, peer: &dyn Peer) -> Option<Answers> {
        match self {
            Self::Closest(paths, reach) => {
                collect(paths, peer.slice(), |slice, entries| peer.closest(slice, *reach, entries))
                    .map(Answers::Entries)
            }
            Self::Overlap(queries) => {
                collect(queries, SLICE, |slice, counts| peer.overlap(slice, counts)).map(Answers::Counts)
            }
            Self::Cull(frusta) => {
                let seen = |planes| {
                    let mut seen = Vec::new();
                    (peer.cull(planes, &mut seen) == Support::Answered).then_some(seen)
                };
                frusta.iter().map(seen).collect::<Option<_>>().map(Answers::Seen)
            }
        }
    }
}

/// Asks all questions, one slice per lap.
pub fn time_slices<Q, A: Clone>(
    questions: &[Q],
    slice: usize,
    blank: A,
    mut ask: impl FnMut(&[Q], &mut Vec<A>) -> Support,
) -> Option<Laps> {
    // Filled once in advance, so that no page is first touched under the clock.
    let mut answers = vec![blank; questions.len()];
    answers.clear();
    // Some are asked in advance, so that the cache holds this competitor's boxes and not the previous one's.
    let start = Instant::now();
    for slice in questions.chunks(slice).take_while(|_| start.elapsed() < WARM_UP) {
        ask(slice, &mut answers);
    }
    answers.clear();
    let mut laps = Laps::default();
    let start = Instant::now();
    for slice in questions.chunks(slice).take_while(|_| start.elapsed() < BUDGET) {
        if laps.lap(slice.len(), || ask(slice, &mut answers)) == Support::NotOffered {
            return None;
        }
    }
    black_box(&answers);
    Some(laps)
}

fn time_culls(peer: &dyn Peer, frusta: &[[Plane; 6]]) -> Option<Laps> {
    let mut seen = Vec::new();
    let mut pass = || {
        let mut laps = Laps::default();
        let answered = frusta.iter().all(|planes| {
            seen.clear();
            let support = laps.lap(1, || peer.cull(planes, &mut seen));
            black_box(&seen);
            support == Support::Answered
        });
        answered.then_some(laps)
    };
    // The first pass lets the buffer grow.
    pass()?;
    let start = Instant::now();
    let mut least = pass()?;
    while start.elapsed() < CULL_TIME {
        least = least.least(pass()?);
    }
    Some(least)
}

/// Collects all answers.
pub fn collect<Q, A>(
    questions: &[Q],
    slice: usize,
    mut ask: impl FnMut(&[Q], &mut Vec<A>) -> Support,
) -> Option<Vec<A>> {
    let mut answers = Vec::new();
    let start = Instant::now();
    for slice in questions.chunks(slice).take_while(|_| start.elapsed() < 4 * BUDGET) {
        if ask(slice, &mut answers) == Support::NotOffered {
            return None;
        }
    }
    Some(answers)
}
