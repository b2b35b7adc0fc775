//! Pairs of convex shapes with integer corners, and a motion of the first, aimed at each other exactly.
//!
//! All coordinates, at the start and at the end of the motion, are at most [`LIMIT`] in magnitude, so that they are the
//! same numbers as `f32`. The shapes are lists of points, a few of them inside the hull.

mod aim;
mod shapes;

pub use shapes::Family;

use crate::Rng;
use aim::{Contact, minus, moved, times};

/// The largest magnitude of a coordinate.
pub const LIMIT: i64 = 1 << 20;

/// A point or a way.
pub type Integers = [i64; 3];

/// What touches what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Points that lie farthest in a random direction: mostly a vertex at a vertex.
    Vertices,
    /// Edges that cross.
    Edges,
    /// A vertex, an edge or a face of the first at a face of the second, or the other way round.
    Faces,
    /// Anything, also deep within each other.
    Free,
}

/// How the first shape moves, relative to the place where it touches the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Towards it, to touch within the time of the motion.
    Toward,
    /// Towards it, touching at time 0.
    FromStart,
    /// Towards it, touching at time 1.
    ToEnd,
    /// Along a plane between the shapes, so that they graze halfway at the latest.
    Along,
    /// Away, touching at time 0.
    Away,
    /// Anywhere.
    Free,
}

/// Two shapes, and the motion of the first.
#[derive(Clone, Debug)]
pub struct ConvexPair {
    /// What the shapes are like.
    pub family: Family,
    /// What touches what.
    pub aim: Aim,
    /// How the first moves.
    pub way: Way,
    /// The points of the first.
    pub a: Vec<Integers>,
    /// The points of the second.
    pub b: Vec<Integers>,
    /// How far the first moves while time runs from 0 to 1.
    pub motion: Integers,
    /// The first time in [0, 1] at which the closed shapes touch, as a quotient, where it is known by construction. A
    /// plane lies between them then, and the motion crosses or leaves it.
    pub touch: Option<[i64; 2]>,
}

impl ConvexPair {
    /// The points as `f32`, which are the same numbers.
    pub fn as_f32(points: &[Integers]) -> Vec<[f32; 3]> {
        points.iter().map(|point| point.map(|x| x as f32)).collect()
    }
}

/// A pair of a random family.
pub fn convex_pair(rng: &mut Rng) -> ConvexPair {
    let family = Family::ALL[rng.usize(0..Family::ALL.len())];
    convex_pair_of(family, rng)
}

/// A pair of one family, with a random aim and way.
pub fn convex_pair_of(family: Family, rng: &mut Rng) -> ConvexPair {
    let (mut a, mut b) = family.shapes(rng);
    let mut aim = [Aim::Vertices, Aim::Edges, Aim::Faces, Aim::Faces, Aim::Free][rng.usize(0..5)];
    let mut way = [Way::Toward, Way::Toward, Way::FromStart, Way::ToEnd, Way::Along, Way::Away][rng.usize(0..6)];
    let contact = if aim == Aim::Free { None } else { Contact::find(aim, &a, &b, rng) };
    let (motion, touch);
    if let Some(contact) = contact {
        a = moved(&a, contact.shift);
        let step = contact.step(way, family.plane(), rng);
        let (begin, end) = match way {
            Way::Toward => {
                let end = rng.i64(2..=8);
                (rng.i64(1..end), end)
            }
            Way::ToEnd => (1, 1),
            Way::Along => (1, 2),
            Way::FromStart | Way::Away | Way::Free => (0, 1),
        };
        a = moved(&a, times(step, -begin));
        motion = times(step, end);
        touch = (way != Way::Along).then_some([begin, end]);
    } else {
        (aim, way, touch) = (Aim::Free, Way::Free, None);
        if family != Family::Identical || rng.u32(0..4) > 0 {
            a = moved(&a, minus(b[rng.usize(0..b.len())], a[rng.usize(0..a.len())]));
            let size = 1 << rng.u32(0..15);
            let away = aim::random(rng, size);
            a = moved(&a, family.plane().map_or(away, |plane| aim::within(plane, rng, size / 8)));
        }
        let size = 1 << rng.u32(0..17);
        motion = aim::random(rng, size);
    }
    if family == Family::Far {
        let offset = [(); 3].map(|()| [-1, 0, 1][rng.usize(0..3)] * (LIMIT - (LIMIT >> 2)));
        (a, b) = (moved(&a, offset), moved(&b, offset));
    }
    if rng.bool() {
        // The other one moves the other way.
        return ConvexPair { family, aim, way, a: b, b: a, motion: times(motion, -1), touch };
    }
    ConvexPair { family, aim, way, a, b, motion, touch }
}

#[cfg(test)]
mod tests {
    use super::aim::plus;
    use super::*;

    #[test]
    fn coordinates_are_in_range_and_exact_as_f32() {
        let rng = &mut Rng::with_seed(1);
        for _ in 0..20_000 {
            let pair = convex_pair(rng);
            assert!(!pair.a.is_empty() && !pair.b.is_empty());
            let ends = pair.a.iter().map(|&point| plus(point, pair.motion));
            for point in pair.a.iter().chain(&pair.b).copied().chain(ends).chain([pair.motion]) {
                assert!(point.iter().all(|x| x.abs() <= LIMIT && *x as f32 as i64 == *x), "{pair:?}");
            }
        }
    }

    #[test]
    fn every_family_is_aimed_in_every_way() {
        let rng = &mut Rng::with_seed(2);
        for family in Family::ALL {
            let pairs: Vec<ConvexPair> = (0..400).map(|_| convex_pair_of(family, rng)).collect();
            for aim in [Aim::Vertices, Aim::Edges, Aim::Faces, Aim::Free] {
                let count = pairs.iter().filter(|pair| pair.aim == aim).count();
                assert!(count >= 40, "{family:?} {aim:?} {count}");
            }
            for way in [Way::Toward, Way::FromStart, Way::ToEnd, Way::Along, Way::Away, Way::Free] {
                let count = pairs.iter().filter(|pair| pair.way == way).count();
                assert!(count >= 25, "{family:?} {way:?} {count}");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_pairs() {
        let first = |seed| convex_pair(&mut Rng::with_seed(seed)).a;
        assert_eq!(first(9), first(9));
        assert_ne!(first(9), first(10));
    }
}
