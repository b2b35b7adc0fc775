//! `mesh`: building over triangles, and asking all questions of the table.

use crate::{
    args,
    laps::Laps,
    memory,
    mesh_peer::{MeshPeer, New, competitors},
    mesh_question::{Column, columns},
    mesh_scene::MeshScene,
    mesh_truth::{self, Right},
    peer::Support,
    table::{Row, Table, number},
};
use cullide_scenes::Surface;
use indicatif::ProgressBar;

/// What is timed for one competitor in one run: the build and the columns.
pub const STEPS: usize = 11;

/// The least and the greatest number of a column's answers that brute force judges, and the triangles that this may
/// take.
const JUDGED: [usize; 2] = [50, 1000];
const JUDGED_TRIANGLES: usize = 100_000_000;

/// Prints the table of a surface; returns how many of our judged answers are wrong.
pub fn run(scene: &MeshScene, options: &args::Meshes, bar: &ProgressBar) -> usize {
    let columns = columns(&scene.surface, options.seed);
    let news: Vec<_> = competitors().into_iter().filter(|new| new(scene).is_some()).collect();
    bar.set_message(scene.title.clone());
    let (peers, mut records) = time(&news, scene, &columns, options.runs, bar);
    let hits = columns.iter().map(|column| check(&scene.surface, column, &peers, &mut records)).collect::<Vec<_>>();
    let per_triangle = scene.surface.triangles.len() as f64;
    let units = std::iter::once(per_triangle).chain(columns.iter().map(|column| column.unit)).collect::<Vec<_>>();
    let wrong = records[0].wrong;
    let rows = peers.iter().zip(records).map(|(peer, record)| record.row(peer.name(), &units)).collect();
    let titles = std::iter::once("build ns/t").chain(columns.iter().map(|column| column.title)).collect();
    let names = columns.iter().map(|column| column.title.rsplit_once(' ').map_or(column.title, |(name, _)| name));
    let remarks = ("held, wrong, differ", ["bytes/t", "wrong"].into_iter().chain(names).collect());
    let table = Table { title: scene.title.clone(), titles, remarks, rows, ours: ours(&peers) };
    bar.suspend(|| println!("{table}{}\n", hits.join(", ")));
    wrong
}

/// Times builds and questions of competitors that support the surface; returns them, with what they built last, and
/// their results.
pub fn time(
    news: &[New],
    scene: &MeshScene,
    columns: &[Column],
    runs: usize,
    bar: &ProgressBar,
) -> (Vec<Box<dyn MeshPeer>>, Vec<Record>) {
    let mut peers: Vec<Box<dyn MeshPeer>> = news.iter().filter_map(|new| new(scene)).collect();
    let mut records: Vec<Record> = peers.iter().map(|_| Record::default()).collect();
    for round in 0..runs {
        // The order rotates, and everyone takes a turn at each column before the next, so that a drift affects all
        // alike.
        let order: Vec<usize> = (0..peers.len()).map(|i| (i + round) % peers.len()).collect();
        for &i in &order {
            let before = memory::live();
            let Some(mut peer) = news[i](scene) else { continue };
            let mut laps = Laps::default();
            if laps.lap(1, || peer.build()) == Support::Answered {
                let held = memory::live().wrapping_sub(before) + peer.foreign_bytes();
                records[i].bytes = Some(held as f64 / scene.surface.triangles.len() as f64);
                Laps::keep_least(&mut records[i].times[0], Some(laps));
            }
            peers[i] = peer;
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

/// The number of competitors that are ours; they come first.
fn ours(peers: &[Box<dyn MeshPeer>]) -> usize {
    peers.iter().take_while(|peer| peer.name().starts_with("ours")).count()
}

/// The results of one competitor.
#[derive(Default)]
pub struct Record {
    /// Times by column: the build, then the questions.
    pub times: [Option<Laps>; STEPS],
    /// Bytes held per triangle.
    bytes: Option<f64>,
    /// Judged answers that brute force does not explain.
    wrong: usize,
    /// Answers that differ from those of the first, by column; `None` for a question that it does not offer.
    differ: Vec<Option<usize>>,
}

impl Record {
    fn row(&self, name: &str, units: &[f64]) -> Row {
        let cells = self.times.iter().zip(units).map(|(laps, unit)| Some(laps.as_ref()?.mean() / unit)).collect();
        let differ = self.differ.iter().map(|count| count.map_or("-".into(), |count| count.to_string()));
        let remarks = [number(self.bytes), self.wrong.to_string()].into_iter().chain(differ).collect();
        Row { name: name.into(), cells, remarks }
    }
}

/// Counts in each record the answers that differ from ours, and those of the judged ones that are wrong; returns a
/// remark on how many answers there are, and how many of them hit.
fn check(surface: &Surface, column: &Column, peers: &[Box<dyn MeshPeer>], records: &mut [Record]) -> String {
    let answers: Vec<Vec<f32>> = peers.iter().map(|peer| column.question.answers(&**peer)).collect();
    let same = |a: f32, b: f32| a == b || (a - b).abs() <= column.question.tolerance() * (1.0 + b.abs());
    // If ours does not answer this question, there is nothing to compare with.
    for (record, other) in records.iter_mut().zip(&answers) {
        let is_asked = !other.is_empty() && !answers[0].is_empty();
        let count = other.iter().zip(&answers[0]).filter(|(a, b)| !same(**a, **b)).count();
        record.differ.push(is_asked.then_some(count));
    }
    let judged = (JUDGED_TRIANGLES / surface.triangles.len()).clamp(JUDGED[0], JUDGED[1]);
    // Judged once for all competitors whose rays hit the same sides.
    let mut rights = Vec::new();
    for (i, (peer, record)) in peers.iter().zip(records.iter_mut()).enumerate() {
        // Sweeps and overlaps of others end within their own tolerances.
        if answers[i].is_empty() || (i >= ours(peers) && !column.question.is_exact()) {
            continue;
        }
        let sides = peer.sides();
        if rights.iter().all(|(known, _)| *known != sides) {
            let numbers = 0..judged.min(answers[i].len());
            let right = |number| mesh_truth::right(surface, &column.question, number, sides);
            rights.push((sides, numbers.map(right).collect::<Vec<_>>()));
        }
        let rights = rights.iter().filter(|(known, _)| *known == sides).flat_map(|(_, rights)| rights);
        let is_wrong = |(right, answer): (&Option<Right>, &f32)| right.is_some_and(|right| !right.allows(*answer));
        record.wrong += rights.zip(&answers[i]).filter(|pair| is_wrong(*pair)).count();
    }
    let of = answers.iter().find(|answers| !answers.is_empty()).map_or(&[][..], Vec::as_slice);
    let hits = of.iter().filter(|answer| column.question.is_hit(**answer)).count();
    let name = column.title.rsplit_once(' ').map_or(column.title, |(name, _)| name);
    format!("{name}: {hits} of {} hit", of.len())
}
