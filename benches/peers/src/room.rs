//! `room`: boxes that fly, spin and bounce between six walls, step by step, and how many of them are still inside at
//! the end.

use crate::{
    args,
    laps::Laps,
    room_peer::{Census, Competitor, Flyer, OURS, competitors, flyers},
    table::{Row, Table},
};
use indicatif::ProgressBar;

/// Prints the table of a speed and a spin; returns how many of our boxes are not wholly in the room at the end.
pub fn run(speed: f32, spin: f32, options: &args::Room, bar: &ProgressBar) -> usize {
    let args::Room { n, steps, seed, .. } = *options;
    let (flyers, competitors) = (flyers(n, speed, spin, seed), competitors());
    bar.set_message(format!("{speed} units/s, {spin} rad/s"));
    let mut records: Vec<Option<Record>> = competitors.iter().map(|_| None).collect();
    for round in 0..options.runs {
        // The order rotates; one competitor's steps stay together, as in a game of its own.
        for i in (0..competitors.len()).map(|i| (i + round) % competitors.len()) {
            let record = play(&competitors[i], &flyers, steps);
            records[i] = Some(match records[i].take() {
                Some(earlier) => earlier.least(record),
                None => record,
            });
            bar.inc(1);
        }
    }
    let records: Vec<Record> = records.into_iter().flatten().collect();
    let ours_outside = records.iter().take(OURS).map(|record| record.end.corners.max(record.end.centers)).sum();
    let title = format!("room, {n} boxes, {speed} units/s, {spin} rad/s, {steps} steps");
    let rows = competitors.iter().zip(&records).map(|(competitor, record)| record.row(competitor.name)).collect();
    let titles = vec!["mean ms", "median ms", "worst ms"];
    let remarks = ("at the end", vec!["centre out", "corner out", "drift"]);
    bar.suspend(|| println!("{}", Table { title, titles, remarks, rows, ours: OURS }));
    ours_outside
}

/// The results of one competitor.
struct Record {
    /// The least time of each step over all runs.
    laps: Laps,
    start: Census,
    /// After the first run.
    end: Census,
}

impl Record {
    /// Takes the shorter of each step's times in two runs.
    fn least(self, other: Self) -> Self {
        Self { laps: self.laps.least(other.laps), ..self }
    }

    fn row(&self, name: &str) -> Row {
        // For boxes that were at rest there is no ratio.
        let drift = match self.start.energy {
            0.0 => "-".into(),
            start => format!("{:+.1e}", self.end.energy / start - 1.0),
        };
        Row {
            name: name.into(),
            cells: [Laps::mean, Laps::median, Laps::worst].map(|of| Some(of(&self.laps) / 1e6)).to_vec(),
            remarks: vec![self.end.centers.to_string(), self.end.corners.to_string(), drift],
        }
    }
}

/// Times one competitor's steps, and records its boxes before and after them.
fn play(competitor: &Competitor, flyers: &[Flyer], steps: usize) -> Record {
    let mut peer = (competitor.new)(flyers);
    let start = Census::of(&peer.boxes());
    let mut laps = Laps::default();
    for _ in 0..steps {
        laps.lap(1, || peer.step());
    }
    Record { laps, start, end: Census::of(&peer.boxes()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room_peer::{Found, HALF, RoomPeer};

    #[test]
    fn our_boxes_stay_and_keep_their_energy() {
        let record = play(&competitors()[0], &flyers(50, 5000.0, 30.0, 1), 20);
        assert_eq!((record.laps.count(), record.end.centers, record.end.corners), (20, 0, 0));
        assert!((record.end.energy / record.start.energy - 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_competitor_without_walls_loses_its_boxes() {
        let open = Competitor { name: "open", new: |flyers| Box::new(Open(flyers.to_vec())) };
        let record = play(&open, &flyers(50, 5000.0, 0.0, 1), 20);
        assert_eq!((record.start.centers, record.end.centers), (0, 50));
        assert_eq!(record.start.energy, record.end.energy);
    }

    struct Open(Vec<Flyer>);

    impl RoomPeer for Open {
        fn step(&mut self) {
            self.0.iter_mut().for_each(|flyer| flyer.center += flyer.velocity * (HALF / 1000.0));
        }

        fn boxes(&self) -> Vec<Found> {
            let found = |flyer: &Flyer| Found {
                center: flyer.center.as_dvec3(),
                half_edges: cullide_narrowphase::glam::DMat3::IDENTITY.to_cols_array_2d().map(Into::into),
                velocity: flyer.velocity.as_dvec3(),
                spin: flyer.spin.as_dvec3(),
            };
            self.0.iter().map(found).collect()
        }
    }
}
