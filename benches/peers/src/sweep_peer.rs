//! The cases of moving boxes against planes, what every competitor does with them, and the list of competitors.

use crate::{
    peer::Support,
    peers::{ours_sweep, parry_sweep},
};
use cullide_narrowphase::{
    PlaneTouch, Sweep,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{BoxSweep, Rng, plane_sweeps};
use std::ops::Range;

/// The largest rotation of a box, in radians: three turns.
const MAX_TURN: f32 = 3.0 * std::f32::consts::TAU;

/// How close to touching a rotating box may stop.
pub const SKIN: f32 = 1e-3;

/// A moving box and its plane.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub center: Vec3,
    pub half_edges: [Vec3; 3],
    pub motion: Vec3,
    /// A rotation vector, for questions in which the box rotates.
    pub turn: Vec3,
    pub normal: Vec3,
    pub d: f32,
}

/// The workload of moving boxes against planes, with up to three turns about random axes.
pub fn cases(n: usize, seed: u64) -> Vec<Case> {
    let mut rng = Rng::with_seed(seed ^ 6);
    let mut case = |BoxSweep { obb: [center, a, b, c], delta, plane: [x, y, z, d] }: BoxSweep| {
        let axis = direction(&mut rng).as_vec3();
        Case {
            center: center.into(),
            half_edges: [a, b, c].map(Vec3::from),
            motion: delta.into(),
            turn: axis * (MAX_TURN * rng.f32()),
            normal: Vec3::new(x, y, z),
            d,
        }
    };
    plane_sweeps(n, seed).into_iter().map(&mut case).collect()
}

/// A unit vector in a random direction.
pub fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let way = DVec3::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        if (1e-6..=1.0).contains(&way.length_squared()) {
            return way.normalize();
        }
    }
}

/// What is asked about each case; a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// When the box first touches, without rotation.
    Time,
    /// The same, and with which of its points.
    Contacts,
    /// Both, for the rotating box.
    Turning,
}

impl Question {
    pub const ALL: [Self; 3] = [Self::Time, Self::Contacts, Self::Turning];

    pub fn title(self) -> &'static str {
        match self {
            Self::Time => "toi ns",
            Self::Contacts => "points ns",
            Self::Turning => "turning ns",
        }
    }
}

/// The result of a sweep, without its contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    Clear,
    /// At a time within the step.
    Hit(f32),
    /// At the start.
    Overlap,
}

impl From<&Sweep> for Verdict {
    fn from(sweep: &Sweep) -> Self {
        match sweep {
            Sweep::Clear => Self::Clear,
            Sweep::Hit(hit) => Self::Hit(hit.toi),
            Sweep::Overlap(_) => Self::Overlap,
        }
    }
}

impl From<PlaneTouch> for Verdict {
    fn from(touch: PlaneTouch) -> Self {
        match touch.hit() {
            Some((toi, _)) => Self::Hit(toi),
            None if touch.is_overlap() => Self::Overlap,
            None => Self::Clear,
        }
    }
}

/// A competitor over the cases, with boxes and planes in its own types. Whatever it derives from a motion, it derives
/// when asked.
pub trait SweepPeer {
    /// Its name and variant, as the table shows it.
    fn name(&self) -> &str;

    /// Answers some of the cases, in order, and stores the answers; timed.
    fn ask(&mut self, question: Question, cases: Range<usize>) -> Support;

    /// Returns the answers since the last call.
    fn take(&mut self) -> Vec<Verdict>;
}

/// The number of competitors that are ours; they come first.
pub const OURS: usize = 5;

/// The number of competitors.
pub const COMPETITORS: usize = 6;

/// All competitors.
pub fn competitors(cases: &[Case]) -> [Box<dyn SweepPeer>; COMPETITORS] {
    let pairs = ours_sweep::Pairs::new(cases);
    [
        Box::new(ours_sweep::OneAtATime::new(&pairs, cases)),
        Box::new(ours_sweep::TouchAlone::new(&pairs)),
        Box::new(ours_sweep::MadeAnew::new(cases)),
        Box::new(ours_sweep::Batch::new(cases, true)),
        Box::new(ours_sweep::Batch::new(cases, false)),
        Box::new(parry_sweep::Parry::new(cases)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep_truth::{Judgement, judge};

    #[test]
    fn every_competitor_is_right_about_every_case() {
        let cases = cases(3000, 1);
        for mut peer in competitors(&cases) {
            for question in Question::ALL {
                if peer.ask(question, 0..cases.len()) == Support::NotOffered {
                    continue;
                }
                let verdicts = peer.take();
                assert_eq!(verdicts.len(), cases.len());
                for (i, (case, verdict)) in cases.iter().zip(verdicts).enumerate() {
                    let judgement = judge(case, question, verdict);
                    assert!(judgement != Judgement::Wrong, "{}, {question:?}, {i}: {verdict:?}", peer.name());
                }
            }
        }
    }
}
