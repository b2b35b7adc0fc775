//! What the shapes of a pair are like. Sizes are multiples of [`UNIT`], so that the middles of edges and triangles are
//! integers.

use super::Integers;
use super::aim::{minus, moved, plus, random, times};
use crate::Rng;

const UNIT: i64 = 12;

/// What the shapes of a pair are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Hulls of 4 to 12 points.
    Hulls,
    /// A few points at small coordinates: many ties.
    Grid,
    /// Triangles, segments and points against triangles and hulls.
    Flat,
    /// Two triangles in the same plane.
    Coplanar,
    /// Boxes along the axes.
    ParallelBoxes,
    /// Boxes turned against each other by 1/1000 to 1/4000.
    TinyAngles,
    /// Parallelepipeds of 1000 : 1 : 1 and 1000 : 1000 : 1.
    NeedlesAndPlates,
    /// Sizes of 1 and 10⁶.
    Unequal,
    /// Small hulls at coordinates of 800,000.
    Far,
    /// The same hull twice.
    Identical,
    /// Prisms of 24 sides.
    Prisms,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Hulls,
        Self::Grid,
        Self::Flat,
        Self::Coplanar,
        Self::ParallelBoxes,
        Self::TinyAngles,
        Self::NeedlesAndPlates,
        Self::Unequal,
        Self::Far,
        Self::Identical,
        Self::Prisms,
    ];

    /// Two ways that span the plane of the shapes, if they share one.
    pub(super) fn plane(self) -> Option<[Integers; 2]> {
        (self == Self::Coplanar).then_some([[2, 1, 0], [0, -1, 3]])
    }

    pub(super) fn shapes(self, rng: &mut Rng) -> (Vec<Integers>, Vec<Integers>) {
        let size = 1 << rng.u32(2..13);
        match self {
            Self::Hulls => (hull(rng, size), hull(rng, 1 << 8)),
            Self::Grid => (hull(rng, 1), hull(rng, 2)),
            Self::Flat => {
                let count = rng.usize(1..4);
                let other = if rng.bool() { cloud(rng, size, 3) } else { hull(rng, size) };
                (cloud(rng, size, count), other)
            }
            Self::Coplanar => (triangle_in_plane(rng), triangle_in_plane(rng)),
            Self::ParallelBoxes => (upright(rng), upright(rng)),
            Self::TinyAngles => (upright(rng), nearly_upright(rng)),
            Self::NeedlesAndPlates => (thin(rng), thin(rng)),
            Self::Unequal => (tiny(rng), huge(rng)),
            Self::Far => {
                let size = 1 << rng.u32(0..6);
                (hull(rng, size), hull(rng, size))
            }
            Self::Identical => {
                let shape = if rng.bool() { hull(rng, size) } else { nearly_upright(rng) };
                (shape.clone(), shape)
            }
            Self::Prisms => (prism(rng), prism(rng)),
        }
    }
}

fn cloud(rng: &mut Rng, size: i64, count: usize) -> Vec<Integers> {
    (0..count).map(|_| times(random(rng, size), UNIT)).collect()
}

fn hull(rng: &mut Rng, size: i64) -> Vec<Integers> {
    let count = rng.usize(4..=12);
    cloud(rng, size, count)
}

fn triangle_in_plane(rng: &mut Rng) -> Vec<Integers> {
    let [u, v] = Family::Coplanar.plane().expect("it has one");
    let corner = |_| {
        let [s, t, _] = random(rng, 1000);
        times(plus(times(u, s), times(v, t)), UNIT)
    };
    (0..3).map(corner).collect()
}

/// The sums of plus and minus the half edges.
fn parallelepiped(half_edges: [Integers; 3]) -> Vec<Integers> {
    half_edges.iter().fold(vec![[0; 3]], |corners, &edge| {
        corners.iter().flat_map(|&corner| [minus(corner, edge), plus(corner, edge)]).collect()
    })
}

fn upright(rng: &mut Rng) -> Vec<Integers> {
    let [x, y, z] = [(); 3].map(|()| UNIT * rng.i64(1..4000));
    parallelepiped([[x, 0, 0], [0, y, 0], [0, 0, z]])
}

/// Rectangular exactly, turned about an axis by the reciprocal of a large integer.
fn nearly_upright(rng: &mut Rng) -> Vec<Integers> {
    let long = UNIT * rng.i64(1000..4000);
    let edges = [[long, UNIT, 0], [-UNIT, long, 0], [0, 0, UNIT * rng.i64(1..4000)]];
    let turn = rng.usize(0..3);
    let rolled = |edge: Integers| std::array::from_fn(|i| edge[(i + turn) % 3]);
    parallelepiped(edges.map(rolled))
}

fn thin(rng: &mut Rng) -> Vec<Integers> {
    let plate = rng.bool();
    let mut edge = |long: bool| {
        let size = if long { 2000 } else { 2 };
        loop {
            let way = random(rng, size);
            if way != [0; 3] {
                return times(way, UNIT);
            }
        }
    };
    parallelepiped([edge(true), edge(plate), edge(false)])
}

fn tiny(rng: &mut Rng) -> Vec<Integers> {
    if rng.bool() {
        return parallelepiped([[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    }
    (0..4).map(|_| random(rng, 1)).collect()
}

fn huge(rng: &mut Rng) -> Vec<Integers> {
    match rng.u32(0..3) {
        0 => parallelepiped([[43_000, 0, 0], [0, 43_000, 0], [0, 0, 43_000]].map(|edge| times(edge, UNIT))),
        1 => cloud(rng, 43_000, 3),
        _ => hull(rng, 43_000),
    }
}

fn prism(rng: &mut Rng) -> Vec<Integers> {
    let (radius, half) = (rng.i64(40..1300), rng.i64(1..1300));
    let slant = [rng.i64(-1..=1) * half, rng.i64(-1..=1) * half, half];
    let rim = (0..24).map(|i| {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 24.0).sin_cos();
        [sin, cos, 0.0].map(|x| (x * radius as f64).round() as i64)
    });
    let rim: Vec<Integers> = rim.collect();
    let turn = rng.usize(0..3);
    let rolled = |point: Integers| std::array::from_fn(|i| UNIT * point[(i + turn) % 3]);
    let ends = [moved(&rim, slant), moved(&rim, times(slant, -1))];
    ends.concat().into_iter().map(rolled).collect()
}
