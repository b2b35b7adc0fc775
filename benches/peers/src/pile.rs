//! `pile`: crates that fall into heaps, stand in stacks and land on bumpy ground, step by step, and their state at the
//! end.

use crate::{
    args,
    laps::Laps,
    pile_census::Census,
    pile_peer::{Competitor, PilePeer, competitors},
    pile_scene::PileScene,
    table::{Row, Table},
};
use cullide_narrowphase::glam::{Quat, Vec3};
use indicatif::ProgressBar;

/// A pile has settled when all crates sleep for the first time, and at the latest after this step.
const SETTLED: usize = 600;

/// Prints the table of a pile.
pub fn run(pile: args::Pile, options: &args::Piles, bar: &ProgressBar) {
    let (scene, competitors) = (PileScene::new(pile, options.seed), competitors());
    let steps = options.steps.unwrap_or(scene.steps);
    bar.set_message(scene.title.clone());
    let records = time(&competitors, &scene, steps, options.runs, bar);
    let rows = competitors.iter().zip(records).map(|(competitor, record)| record.row(competitor.name)).collect();
    let title = format!("{}, {steps} steps", scene.title);
    let titles = vec!["first ms", "last ms", "worst ms"];
    let remarks = ("at the end", vec!["awake", "asleep at", "lost", "crates mm", "fixed mm", "settled mm", "creep mm"]);
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: 2 }));
}

/// Times the steps of each engine.
pub fn time(
    competitors: &[Competitor],
    scene: &PileScene,
    steps: usize,
    runs: usize,
    bar: &ProgressBar,
) -> Vec<Record> {
    let mut records: Vec<Option<Record>> = competitors.iter().map(|_| None).collect();
    for round in 0..runs {
        for i in (0..competitors.len()).map(|i| (i + round) % competitors.len()) {
            let record = play(&competitors[i], scene, steps);
            records[i] = Some(match records[i].take() {
                Some(Record { laps, .. }) => Record { laps: record.laps.least(laps), ..record },
                None => record,
            });
            bar.inc(1);
        }
    }
    records.into_iter().flatten().collect()
}

/// The results of one engine.
pub struct Record {
    /// The least time of each step over all runs.
    pub laps: Laps,
    awake: usize,
    /// The step since which all crates sleep.
    asleep: Option<usize>,
    census: Census,
    /// For a pile that should stay as it was set up.
    rest: Option<Rest>,
}

impl Record {
    fn row(&self, name: &str) -> Row {
        let millimeters = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.2}", 1e3 * x));
        let Census { lost, in_crates, in_fixed } = self.census;
        let steps = [Laps::first_quarter, Laps::last_quarter, Laps::worst];
        Row {
            name: name.into(),
            cells: steps.map(|of| Some(of(&self.laps) / 1e6)).to_vec(),
            remarks: vec![
                self.awake.to_string(),
                self.asleep.map_or("-".into(), |step| step.to_string()),
                lost.to_string(),
                millimeters(Some(in_crates)),
                millimeters(Some(in_fixed)),
                millimeters(self.rest.as_ref().map(|rest| rest.settled)),
                millimeters(self.rest.as_ref().map(|rest| rest.creep)),
            ],
        }
    }
}

/// How far a pile moved.
struct Rest {
    /// How far its top moved until it had settled.
    settled: f64,
    /// The farthest that any crate moved from there to the end.
    creep: f64,
}

impl Rest {
    /// From the poses at the start, when the pile had settled, and at the end.
    fn new(scene: &PileScene, settled: &[(Vec3, Quat)], end: &[(Vec3, Quat)]) -> Option<Self> {
        let distance = |a: Vec3, b: Vec3| a.as_dvec3().distance(b.as_dvec3());
        let top = scene.top?;
        let creeps = settled.iter().zip(end).map(|(a, b)| distance(a.0, b.0));
        Some(Self { settled: distance(scene.crates[top].center, settled[top].0), creep: creeps.fold(0.0, f64::max) })
    }
}

/// Times one engine's steps, and records the state of its crates.
fn play(competitor: &Competitor, scene: &PileScene, steps: usize) -> Record {
    let mut peer = (competitor.new)(scene);
    let mut laps = Laps::default();
    let (mut asleep, mut settled) = (None, None);
    for step in 1..=steps {
        laps.lap(1, || peer.step());
        asleep = if peer.awake() == 0 { asleep.or(Some(step)) } else { None };
        if settled.is_none() && (asleep.is_some() || step == SETTLED) {
            settled = Some(poses(&*peer, scene));
        }
    }
    let end = poses(&*peer, scene);
    Record {
        laps,
        awake: peer.awake(),
        asleep,
        census: Census::of(scene, &end),
        rest: settled.and_then(|settled| Rest::new(scene, &settled, &end)),
    }
}

fn poses(peer: &dyn PilePeer, scene: &PileScene) -> Vec<(Vec3, Quat)> {
    (0..scene.crates.len()).map(|i| peer.pose(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pile_peer::DT;

    #[test]
    fn a_small_heap_comes_to_rest_in_its_yard() {
        let scene = PileScene::new(args::Pile::Heap(20), 1);
        for competitor in competitors() {
            let name = competitor.name;
            let Record { laps, awake, asleep, census, rest } = play(&competitor, &scene, 600);
            assert_eq!((laps.count(), awake, census.lost), (600, 0, 0), "{name}");
            assert!(asleep.is_some_and(|step| step > 60) && rest.is_none(), "{name}: {asleep:?}");
            // Jolt lets things sink by 0.02.
            assert!(census.in_crates.max(census.in_fixed) < 0.0201, "{name}: {census:?}");
        }
    }

    #[test]
    fn a_pile_that_sinks_and_never_sleeps_is_told() {
        let sinking = Competitor { name: "sinking", new: |_| Box::new(Sinking(0)) };
        let scene = PileScene::new(args::Pile::Stack(1), 1);
        let Record { awake, asleep, rest, .. } = play(&sinking, &scene, SETTLED + 60);
        let Rest { settled, creep } = rest.unwrap();
        assert_eq!((awake, asleep), (1, None));
        let start = f64::from(scene.crates[0].center.y);
        assert!((settled - (start + 10.0)).abs() < 1e-4 && (creep - 1.0).abs() < 1e-4, "{settled} {creep}");
    }

    /// Sinks by one unit per second, starting at zero.
    struct Sinking(usize);

    impl PilePeer for Sinking {
        fn step(&mut self) {
            self.0 += 1;
        }

        fn pose(&self, _: usize) -> (Vec3, Quat) {
            (Vec3::NEG_Y * DT * self.0 as f32, Quat::IDENTITY)
        }

        fn awake(&self) -> usize {
            1
        }
    }
}
