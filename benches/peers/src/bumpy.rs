//! `bumpy`: crates dropped on a terrain of triangles, step by step, and how many of them rest at the end.

use crate::{
    args,
    laps::Laps,
    peers::{ours_bumpy, rapier_bumpy},
    table::{Row, Table},
};
use cullide_narrowphase::Solid as _;
use cullide_narrowphase::{Obb, Patch, glam::Vec3};
use cullide_scenes::{Crate, bumpy, crates};
use indicatif::ProgressBar;

/// The duration of a step, in seconds.
pub const DT: f32 = 1.0 / 60.0;
pub const FRICTION: f32 = 0.6;
pub const RESTITUTION: f32 = 0.1;

/// Samples per side of the terrain.
const SIDE: usize = 200;

/// A crate that is deeper than this in a triangle is in the ground; less is the depth that an engine keeps for a
/// resting contact.
const SLACK: f64 = 1e-3;

/// The triangles of the ground.
pub type Ground = [[[f32; 3]; 3]];

/// A competitor with its crates.
pub trait BumpyPeer {
    /// Advances everything by [`DT`]; timed.
    fn step(&mut self);

    /// The number of crates that stand still or sleep.
    fn resting(&self) -> usize;

    /// The crates in their current state, in the order in which they were given.
    fn crates(&self) -> Vec<Obb>;
}

type New = fn(&Ground, &[Crate]) -> Box<dyn BumpyPeer>;

const COMPETITORS: [(&str, New); 2] = [
    ("ours", |ground, crates| Box::new(ours_bumpy::Ours::new(ground, crates))),
    ("rapier3d", |ground, crates| Box::new(rapier_bumpy::Engine::new(ground, crates))),
];

/// How many times a run plays the steps.
pub const RUNS: usize = COMPETITORS.len();

/// Prints the table; returns how many of our crates are in the ground at the end.
pub fn run(options: &args::Bumpy, bar: &ProgressBar) -> usize {
    let args::Bumpy { n, steps, seed, .. } = *options;
    let (ground, crates) = (bumpy(SIDE, 1.0), crates(n, seed));
    let mut records = [const { None }; COMPETITORS.len()];
    for round in 0..options.runs {
        for i in (0..COMPETITORS.len()).map(|i| (i + round) % COMPETITORS.len()) {
            let record = play(COMPETITORS[i].1, &ground, &crates, steps);
            records[i] = Some(match records[i].take() {
                Some(Record { laps, .. }) => Record { laps: record.laps.least(laps), ..record },
                None => record,
            });
            bar.inc(1);
        }
    }
    let records: Vec<Record> = records.into_iter().flatten().collect();
    let title = format!("bumpy ground of {} triangles, {n} crates, {steps} steps", ground.len());
    let rows = COMPETITORS.iter().zip(&records).map(|((name, _), record)| record.row(name)).collect();
    let titles = vec!["total s", "mean ms", "median ms", "worst ms"];
    let remarks = ("at the end", vec!["resting", "in ground"]);
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: 1 }));
    records.first().map_or(0, |ours| ours.inside)
}

/// The results of one competitor.
struct Record {
    laps: Laps,
    resting: usize,
    inside: usize,
}

impl Record {
    fn row(&self, name: &str) -> Row {
        let steps = [Laps::mean, Laps::median, Laps::worst].map(|of| Some(of(&self.laps) / 1e6));
        Row {
            name: name.into(),
            cells: std::iter::once(Some(self.laps.total().as_secs_f64())).chain(steps).collect(),
            remarks: vec![self.resting.to_string(), self.inside.to_string()],
        }
    }
}

fn play(new: New, ground: &Ground, crates: &[Crate], steps: usize) -> Record {
    let mut peer = new(ground, crates);
    let mut laps = Laps::default();
    for _ in 0..steps {
        laps.lap(1, || peer.step());
    }
    Record { laps, resting: peer.resting(), inside: inside(ground, &peer.crates()) }
}

/// The number of crates that are in a triangle by more than [`SLACK`], or below the ground altogether.
fn inside(ground: &Ground, crates: &[Obb]) -> usize {
    let patches: Vec<Patch> =
        ground.iter().map(|corners| Patch::new(&corners.map(Vec3::from)).expect("a triangle")).collect();
    let is_inside = |body: &&Obb| {
        // No bump is deeper than this.
        let is_below = body.center().y < -0.1;
        let mut near = patches.iter().filter(|patch| patch.aabb().overlaps(&body.aabb()));
        is_below || near.any(|patch| patch.gap(body).separation < -SLACK)
    };
    crates.iter().filter(is_inside).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_crates_come_to_rest_on_the_ground() {
        let record = play(COMPETITORS[0].1, &bumpy(40, 1.0), &crates(9, 1), 600);
        assert_eq!((record.laps.count(), record.resting, record.inside), (600, 9, 0));
    }

    #[test]
    fn a_crate_in_the_ground_is_told() {
        let ground = bumpy(40, 1.0);
        let body = |y: f32| Obb::new(Vec3::Y * y, Default::default(), Vec3::new(0.4, 0.5, 0.6)).expect("a box");
        assert_eq!(inside(&ground, &[body(0.3), body(2.0), body(-9.0)]), 2);
    }
}
