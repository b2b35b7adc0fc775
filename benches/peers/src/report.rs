//! `report`: how times of the tables grow with the scene, as a picture and the figures in it.

use crate::{
    args::{self, Pile, Source},
    laps::Laps,
    mesh_peer, mesh_queries, mesh_question,
    mesh_scene::MeshScene,
    moving_boxes, moving_peer, peer, pile, pile_peer,
    pile_scene::PileScene,
    question,
    report_figures::{Figures, Row, library},
    report_picture::picture,
    static_boxes,
};
use cullide_narrowphase::simd::level;
use cullide_scenes::{self as scenes, Motion, Moving};
use indicatif::ProgressBar;
use std::{fs, io, path::Path, process::Command};

/// Numbers of boxes, of crates in a heap, and of samples per side of a terrain.
const BOXES: [usize; 4] = [100, 1000, 10_000, 100_000];
const CRATES: [usize; 5] = [30, 100, 300, 1000, 3000];
const SIDES: [usize; 4] = [23, 71, 224, 708];

/// The scenes that are timed.
pub const STEPS: usize = 2 * BOXES.len() + CRATES.len() + SIDES.len();

/// A build is a single lap, and a short one for few boxes: at most so many times the runs, so many boxes are built.
const BUILDS: usize = 100;
const BUILT: usize = 100_000;

/// The boxes that move in all frames together, and the least and the greatest number of frames.
const MOVED: usize = 500_000;
const FRAMES: [usize; 2] = [10, 200];

/// The number of steps that are timed: the crates of a heap fall and land, and hardly any sleep yet.
const FALL: usize = 200;

/// Times everything, or reads the figures of an earlier report, and writes them and their picture.
pub fn run(options: &args::Report, processor: &str, bar: &ProgressBar) -> Result<(), String> {
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(&options.out).map_err(|error| failed(&options.out, error))?;
    let write = |name: &str, text: String| {
        let path = options.out.join(name);
        bar.suspend(|| println!("{}", path.display()));
        fs::write(&path, text).map_err(|error| failed(&path, error))
    };
    let figures = match &options.from {
        Some(path) => fs::read_to_string(path).map_err(|error| failed(path, error))?.parse()?,
        None => {
            let mut report = Report { options, bar, rows: Vec::new() };
            BOXES.into_iter().for_each(|n| report.boxes(n));
            BOXES.into_iter().for_each(|n| report.frames(n));
            CRATES.into_iter().for_each(|n| report.heap(n));
            SIDES.into_iter().for_each(|side| report.terrain(side));
            let figures = Figures { caption: caption(processor, options.runs), rows: report.rows };
            write("speed.csv", figures.to_string())?;
            figures
        }
    };
    write("speed.svg", picture(&figures))
}

/// Where and when a report was timed.
fn caption(processor: &str, runs: usize) -> String {
    let level = format!("{:?}", level());
    let level = level.split('(').next().unwrap_or_default().to_uppercase();
    let date = Command::new("date").arg("+%F").output().map_or_else(|_| Vec::new(), |output| output.stdout);
    format!("{processor}, {level}, one thread, least of {runs} runs; {}", String::from_utf8_lossy(&date).trim())
}

/// A report in progress.
struct Report<'a> {
    options: &'a args::Report,
    bar: &'a ProgressBar,
    rows: Vec<Row>,
}

impl Report<'_> {
    fn boxes(&mut self, n: usize) {
        let (boxes, runs) = (scenes::uniform(n, self.options.seed), self.options.runs);
        let mut news = peer::competitors();
        news.retain(|new| library(new(&boxes).name()).is_some());
        let mut columns = question::columns(&boxes, self.options.seed);
        columns.retain(|column| ["long ns", "overlap ns", "cull us"].contains(&column.title));
        let (peers, records) = static_boxes::time(&news, &boxes, &columns, runs, &ProgressBar::hidden());
        let builds = runs * (BUILT / n).clamp(1, BUILDS);
        let (_, built) = static_boxes::time(&news, &boxes, &[], builds, &ProgressBar::hidden());
        for (question, records, column, items) in [
            ("Closest box along a ray: time per ray", &records, 1, 1),
            ("Boxes that overlap a box: time per query", &records, 2, 1),
            ("Boxes in a frustum: time per frustum", &records, 3, 1),
            ("Building a tree: time per box", &built, 0, n),
        ] {
            let laps = records.iter().map(|record| record.times[column].as_ref());
            self.note(question, n, "boxes", items, peers.iter().map(|peer| peer.name()).zip(laps));
        }
        self.bar.inc(1);
    }

    fn frames(&mut self, n: usize) {
        let scene = Moving::new(n, Motion::Slow, self.options.seed);
        let mut invited = moving_peer::competitors();
        invited.retain(|one| library(one.name).is_some() && one.upkeep.out_of_place(scene.moved().len(), n).is_none());
        let (frames, truths) = ((MOVED / n).clamp(FRAMES[0], FRAMES[1]), moving_boxes::Truths::new());
        let records = moving_boxes::time(&invited, &scene, frames, &truths, self.options.runs, &ProgressBar::hidden());
        let laps = records.iter().map(|record| record.laps.as_ref());
        let times = invited.iter().map(|one| one.name).zip(laps);
        self.note("A frame in which all boxes move: time per box", n, "boxes", n, times);
        self.bar.inc(1);
    }

    fn heap(&mut self, n: usize) {
        let scene = PileScene::new(Pile::Heap(n), self.options.seed);
        let mut engines = pile_peer::competitors();
        engines.retain(|one| library(one.name).is_some());
        let records = pile::time(&engines, &scene, FALL, self.options.runs, &ProgressBar::hidden());
        let times = engines.iter().map(|one| one.name).zip(records.iter().map(|record| Some(&record.laps)));
        self.note("A step of crates that fall in a heap: time per crate", n, "crates", n, times);
        self.bar.inc(1);
    }

    fn terrain(&mut self, side: usize) {
        let scene = MeshScene::load(&Source::Fractal(side), self.options.seed).expect("it is not a file");
        let mut news = mesh_peer::competitors();
        news.retain(|new| new(&scene).is_some_and(|peer| library(peer.name()).is_some()));
        let mut columns = mesh_question::columns(&scene.surface, self.options.seed);
        columns.retain(|column| ["long ns", "s. ball us"].contains(&column.title));
        let (peers, records) = mesh_queries::time(&news, &scene, &columns, self.options.runs, &ProgressBar::hidden());
        for (question, column) in [
            ("Closest triangle of a mesh along a ray: time per ray", 1),
            ("A ball swept past a mesh: time per sweep", 2),
        ] {
            let laps = records.iter().map(|record| record.times[column].as_ref());
            let times = peers.iter().map(|peer| peer.name()).zip(laps);
            self.note(question, scene.surface.triangles.len(), "triangles", 1, times);
        }
        self.bar.inc(1);
    }

    /// Notes the quickest competitor of each library; a lap's answer counts for so many `items`.
    fn note<'a>(
        &mut self,
        question: &str,
        size: usize,
        unit: &str,
        items: usize,
        times: impl Iterator<Item = (&'a str, Option<&'a Laps>)>,
    ) {
        let row = |(name, laps): (_, Option<&Laps>)| {
            Some(Row::new(question, size, unit, library(name)?, name, laps?.mean() / items as f64))
        };
        let mut rows: Vec<Row> = times.filter_map(row).collect();
        rows.sort_by(|a, b| a.library.cmp(&b.library).then(a.nanoseconds.total_cmp(&b.nanoseconds)));
        rows.dedup_by(|next, kept| next.library == kept.library);
        let cells: Vec<String> = rows.iter().map(|row| format!("{} {:.1} ns", row.library, row.nanoseconds)).collect();
        self.bar.suspend(|| println!("{question}, {size} {unit}: {}", cells.join(", ")));
        self.rows.extend(rows);
    }
}
