//! The pairs of a capsule and a shape at rest, what every competitor does with them, and the list of competitors.

use crate::{
    peers::{ours_capsule::Ours, parry_capsule::Parry},
    sweep_peer::direction,
};
use cullide_narrowphase::glam::Vec3;
use cullide_scenes::{BoxSweep, Rng, plane_sweeps};
use std::ops::Range;

/// The kind of shape at rest; a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Aabb,
    Obb,
    Ball,
    Capsule,
    Plane,
}

impl Kind {
    pub const ALL: [Self; 5] = [Self::Aabb, Self::Obb, Self::Ball, Self::Capsule, Self::Plane];

    pub fn title(self) -> &'static str {
        match self {
            Self::Aabb => "box ns",
            Self::Obb => "turned ns",
            Self::Ball => "ball ns",
            Self::Capsule => "capsule ns",
            Self::Plane => "plane ns",
        }
    }

    /// How far from the middle of a shape the capsule passes at most, and how far away it is placed, as fractions of
    /// their combined reach, chosen so that about half of the pairs meet.
    fn spread(self) -> [f32; 2] {
        match self {
            Self::Aabb | Self::Obb => [1.2, 1.3],
            Self::Ball | Self::Capsule => [1.2, 1.2],
            Self::Plane => [0.0, 1.2],
        }
    }
}

/// A shape at rest around a point.
#[derive(Clone, Copy, Debug)]
pub enum Rest {
    Aabb { half_extents: Vec3 },
    Obb { half_edges: [Vec3; 3] },
    Ball { radius: f32 },
    Capsule { half_axis: Vec3, radius: f32 },
    Plane { normal: Vec3 },
}

/// A capsule and a shape at rest.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub half_axis: Vec3,
    pub radius: f32,
    /// The centre of the capsule before its motion.
    pub start: Vec3,
    pub motion: Vec3,
    /// The centre of the capsule for the overlap question.
    pub place: Vec3,
    /// The position of the shape.
    pub at: Vec3,
    pub rest: Rest,
}

/// Boxes, motions and planes of the workload of moving boxes against planes, with capsules of half lengths 0.1 to 2 and
/// radii 0.1 to 1. They pass, and are placed, close to the middle of the shape, and start in front of a plane.
pub fn pairs(kind: Kind, n: usize, seed: u64) -> Vec<Pair> {
    let mut rng = Rng::with_seed(seed ^ 7);
    let mut pair = |sweep: BoxSweep| {
        let within = |rng: &mut Rng, low: f32, high: f32| low + (high - low) * rng.f32();
        let capsule = |rng: &mut Rng| {
            let half_axis = (direction(rng) * f64::from(within(rng, 0.1, 2.0))).as_vec3();
            (half_axis, within(rng, 0.1, 1.0))
        };
        let [at, a, b, c] = sweep.obb.map(Vec3::from);
        let half_extents = Vec3::new(a.length(), b.length(), c.length());
        let (half_axis, radius) = capsule(&mut rng);
        let (rest, reach) = match kind {
            Kind::Aabb => (Rest::Aabb { half_extents }, half_extents.length()),
            Kind::Obb => (Rest::Obb { half_edges: [a, b, c] }, half_extents.length()),
            Kind::Ball => (Rest::Ball { radius: half_extents.x }, half_extents.x),
            Kind::Capsule => {
                let (half_axis, radius) = capsule(&mut rng);
                (Rest::Capsule { half_axis, radius }, half_axis.length() + radius)
            }
            Kind::Plane => {
                let [x, y, z, _] = sweep.plane;
                (Rest::Plane { normal: Vec3::new(x, y, z) }, 0.0)
            }
        };
        let reach = reach + half_axis.length() + radius;
        let [passes, lies] = kind.spread();
        let aside = direction(&mut rng).as_vec3() * (reach * passes * rng.f32());
        // All of the space on one side of a plane is in front of it.
        let out = if let Rest::Plane { normal } = rest { normal } else { direction(&mut rng).as_vec3() };
        let place = at + out * (reach * lies * rng.f32());
        let motion = Vec3::from(sweep.delta);
        // From touching at the very start to ending just before contact.
        let ahead = if kind == Kind::Plane { 2.4 } else { 1.5 };
        Pair { half_axis, radius, start: at + aside - motion * (ahead * rng.f32()), motion, place, at, rest }
    };
    plane_sweeps(n, seed).into_iter().map(&mut pair).collect()
}

/// What is asked about each pair; a table each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// When the moving capsule first touches; the whole answer is written to memory.
    Sweep,
    /// Whether the two share a point.
    Overlap,
}

impl Question {
    pub const ALL: [Self; 2] = [Self::Sweep, Self::Overlap];
}

/// The time of impact, 0 for an overlap; `None` if they do not meet.
pub type Answer = Option<f32>;

/// A competitor over the pairs, with shapes in its own types.
pub trait CapsulePeer {
    /// Its name, as the table shows it.
    fn name(&self) -> &str;

    /// Answers some of the pairs, in order, and stores the answers; timed.
    fn ask(&mut self, question: Question, pairs: Range<usize>);

    /// Returns the answers since the last call.
    fn take(&mut self) -> Vec<Answer>;
}

/// The number of competitors.
pub const COMPETITORS: usize = 2;

/// All competitors, ours first.
pub fn competitors(kind: Kind, pairs: &[Pair]) -> [Box<dyn CapsulePeer>; COMPETITORS] {
    [Box::new(Ours::new(kind, pairs)), Box::new(Parry::new(pairs))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capsule_truth::{Judgement, judge};

    #[test]
    fn about_half_of_the_pairs_meet_and_ours_are_right_about_all() {
        for kind in Kind::ALL {
            let pairs = pairs(kind, 1000, 1);
            let [mut ours, _] = competitors(kind, &pairs);
            for question in Question::ALL {
                ours.ask(question, 0..pairs.len());
                let answers = ours.take();
                let met = answers.iter().flatten().count();
                assert!((350..=650).contains(&met), "{kind:?}, {question:?}: {met} of {}", pairs.len());
                for (i, (pair, answer)) in pairs.iter().zip(answers).enumerate() {
                    assert!(
                        judge(pair, question, answer) != Judgement::Wrong,
                        "{kind:?}, {question:?}, {i}: {answer:?}"
                    );
                }
            }
        }
    }
}
