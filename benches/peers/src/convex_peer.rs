//! Pairs of convexes, what every competitor does with them, and the list of competitors.

#[cfg(feature = "box3d")]
use crate::peers::box3d_convex::Box3d;
use crate::{
    peers::{ours_convex::Ours, parry_convex::Parry},
    sweep_peer::direction,
};
use cullide_narrowphase::glam::{Quat, Vec3};
use cullide_scenes::Rng;
use std::ops::Range;

/// The kinds of two shapes; a column of the table. The first moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    BoxBox,
    BoxHull,
    HullHull,
    BoxTriangle,
    HullTriangle,
    CapsuleBox,
    CapsuleHull,
    CapsuleTriangle,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::BoxBox,
        Self::BoxHull,
        Self::HullHull,
        Self::BoxTriangle,
        Self::HullTriangle,
        Self::CapsuleBox,
        Self::CapsuleHull,
        Self::CapsuleTriangle,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::BoxBox => "box-box",
            Self::BoxHull => "box-hull",
            Self::HullHull => "hull-hull",
            Self::BoxTriangle => "box-tri",
            Self::HullTriangle => "hull-tri",
            Self::CapsuleBox => "caps-box",
            Self::CapsuleHull => "caps-hull",
            Self::CapsuleTriangle => "caps-tri",
        }
    }

    fn shapes(self, rng: &mut Rng) -> [Solid; 2] {
        match self {
            Self::BoxBox => [cuboid(rng), cuboid(rng)],
            Self::BoxHull => [cuboid(rng), hull(rng)],
            Self::HullHull => [hull(rng), hull(rng)],
            Self::BoxTriangle => [cuboid(rng), triangle(rng)],
            Self::HullTriangle => [hull(rng), triangle(rng)],
            Self::CapsuleBox => [capsule(rng), cuboid(rng)],
            Self::CapsuleHull => [capsule(rng), hull(rng)],
            Self::CapsuleTriangle => [capsule(rng), triangle(rng)],
        }
    }
}

/// A shape around the origin.
#[derive(Clone, Debug)]
pub enum Solid {
    Box { rotation: Quat, half_extents: Vec3 },
    Hull { points: Vec<Vec3> },
    Triangle { points: [Vec3; 3] },
    Capsule { half_axis: Vec3, radius: f32 },
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_axis_angle(direction(rng).as_vec3().normalize(), 3.0 * rng.f32())
}

fn cuboid(rng: &mut Rng) -> Solid {
    let half_extents = Vec3::from([0; 3].map(|_| 0.2 + 0.8 * rng.f32()));
    Solid::Box { rotation: turn(rng), half_extents }
}

/// The hull of thirty points on a ball that is flattened along its axes.
fn hull(rng: &mut Rng) -> Solid {
    let size = Vec3::from([0; 3].map(|_| 0.4 + 0.6 * rng.f32()));
    Solid::Hull { points: (0..30).map(|_| direction(rng).as_vec3() * size).collect() }
}

fn triangle(rng: &mut Rng) -> Solid {
    Solid::Triangle { points: [0; 3].map(|_| direction(rng).as_vec3()) }
}

fn capsule(rng: &mut Rng) -> Solid {
    Solid::Capsule { half_axis: direction(rng).as_vec3() * (0.2 + 0.6 * rng.f32()), radius: 0.1 + 0.4 * rng.f32() }
}

impl Solid {
    /// Its corners; for a capsule, the ends of its axis.
    pub fn points(&self) -> Vec<Vec3> {
        match self {
            Self::Box { rotation, half_extents } => (0..8)
                .map(|i| {
                    let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                    *rotation * (*half_extents * Vec3::new(sign(0), sign(1), sign(2)))
                })
                .collect(),
            Self::Hull { points } => points.clone(),
            Self::Triangle { points } => points.to_vec(),
            Self::Capsule { half_axis, .. } => vec![-*half_axis, *half_axis],
        }
    }

    #[cfg(feature = "box3d")]
    pub fn radius(&self) -> f32 {
        if let Self::Capsule { radius, .. } = self { *radius } else { 0.0 }
    }

    /// A point inside: a mean of its corners with random weights.
    fn inner_point(&self, rng: &mut Rng) -> Vec3 {
        let weighted: Vec<(Vec3, f32)> = self.points().into_iter().map(|point| (point, rng.f32() + 0.01)).collect();
        let sum: f32 = weighted.iter().map(|(_, weight)| weight).sum();
        weighted.iter().map(|(point, weight)| *point * (weight / sum)).sum()
    }
}

/// Two shapes, the second at the origin.
#[derive(Clone, Debug)]
pub struct Pair {
    pub moving: Solid,
    pub start: Vec3,
    pub motion: Vec3,
    pub rest: Solid,
}

/// Pairs 2 to 5 units apart. Hits aim at a point inside from a point inside, and go on; misses pass by at a distance of
/// 2 to 3 units, a little more than what most pairs reach.
pub fn pairs(kind: Kind, question: Question, n: usize, seed: u64) -> Vec<Pair> {
    let mut rng = Rng::with_seed(seed ^ 11);
    (0..n)
        .map(|_| {
            let [moving, rest] = kind.shapes(&mut rng);
            let (from, to) = (moving.inner_point(&mut rng), rest.inner_point(&mut rng));
            let way = direction(&mut rng).as_vec3().normalize();
            let start = way * (3.0 + 3.0 * rng.f32());
            let mut motion = 1.5 * (to - (start + from));
            let mut start = start;
            if question == Question::Miss {
                let aside = motion.cross(direction(&mut rng).as_vec3()).normalize();
                start += aside * (3.0 + rng.f32());
                motion *= 1.2;
            }
            Pair { moving, start, motion, rest }
        })
        .collect()
}

/// What is asked about each pair; a table each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// When the moving one first touches, which it does.
    Hit,
    /// The same, which it does not.
    Miss,
    /// How far apart the two are at the start.
    Distance,
}

impl Question {
    pub const ALL: [Self; 3] = [Self::Hit, Self::Miss, Self::Distance];

    pub fn title(self) -> &'static str {
        match self {
            Self::Hit => "sweeps that hit, ns",
            Self::Miss => "sweeps that miss, ns",
            Self::Distance => "distances, ns",
        }
    }
}

/// A time of impact, or a distance; `None` for a miss.
pub type Answer = Option<f32>;

/// A competitor over the pairs, with shapes in its own types, at their places.
pub trait ConvexPeer {
    /// Its name, as the table shows it.
    fn name(&self) -> &str;

    /// Answers some of the pairs, in order, and stores the answers; timed.
    fn ask(&mut self, question: Question, pairs: Range<usize>);

    /// Returns the answers since the last call.
    fn take(&mut self) -> Vec<Answer>;
}

/// All competitors, ours first.
pub fn competitors(pairs: &[Pair]) -> Vec<Box<dyn ConvexPeer>> {
    vec![
        Box::new(Ours::new(pairs)),
        Box::new(Parry::new(pairs)),
        #[cfg(feature = "box3d")]
        Box::new(Box3d::new(pairs)),
    ]
}
