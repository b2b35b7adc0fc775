//! Moving one shape to touch another one exactly, with a plane between them.

use super::{Aim, Integers, Way};
use crate::Rng;

/// A place where a shape touches another one.
pub(super) struct Contact {
    /// What moves the first shape there.
    pub(super) shift: Integers,
    /// The normal of a plane between them, from the second to the first, without a common factor.
    normal: Integers,
    /// The points of each shape in that plane, before the shift.
    faces: [Vec<Integers>; 2],
}

/// How often a face or crossing edges are tried before taking what there is.
const TRIES: usize = 80;

/// The longest way by which a shape is moved from the place of contact.
const LONGEST: i64 = 1 << 13;

impl Contact {
    /// `None` if the shapes have no such direction.
    pub(super) fn find(aim: Aim, a: &[Integers], b: &[Integers], rng: &mut Rng) -> Option<Self> {
        let first = rng.bool();
        let mut found = None;
        for _ in 0..TRIES {
            let mut pick = |points: &[Integers]| points[rng.usize(0..points.len())];
            let normal = match aim {
                Aim::Edges => cross(minus(pick(a), pick(a)), minus(pick(b), pick(b))),
                Aim::Faces => {
                    let points = if first { a } else { b };
                    let corner = pick(points);
                    cross(minus(pick(points), corner), minus(pick(points), corner))
                }
                Aim::Vertices | Aim::Free => random(rng, 64).map(i128::from),
            };
            let Some(normal) = reduced(normal) else { continue };
            let normal = if rng.bool() { normal } else { times(normal, -1) };
            let faces = [farthest(a, times(normal, -1)), farthest(b, normal)];
            let good = match aim {
                Aim::Edges => faces.iter().all(|face| face.len() > 1),
                Aim::Faces => faces[usize::from(!first)].len() > 2,
                Aim::Vertices | Aim::Free => true,
            };
            found = Some((normal, faces));
            if good {
                break;
            }
        }
        let (normal, faces) = found?;
        let [from, to] = [0, 1].map(|i| mean(&faces[i], rng));
        Some(Self { shift: minus(to, from), normal, faces })
    }

    /// A step that leads across the plane in the given way; in a plane, if there is one to move in.
    pub(super) fn step(&self, way: Way, plane: Option<[Integers; 2]>, rng: &mut Rng) -> Integers {
        if way == Way::Along {
            return self.step_along(rng);
        }
        loop {
            let size = 1 << rng.u32(1..14);
            let step = match plane {
                Some(plane) if rng.u32(0..4) > 0 => within(plane, rng, size >> 3),
                _ => random(rng, size),
            };
            let rise = dot(step, self.normal);
            if rise != 0 {
                return if (rise > 0) == (way == Way::Away) { step } else { times(step, -1) };
            }
        }
    }

    fn step_along(&self, rng: &mut Rng) -> Integers {
        let face = &self.faces[usize::from(self.faces[0].len() < 2)];
        let way = minus(face[rng.usize(0..face.len())], face[0]).map(i128::from);
        let across = cross(self.normal, random(rng, 64));
        let longest = |way: Integers| way.into_iter().map(i64::abs).max().unwrap_or(0);
        let short = |way: &Integers| longest(*way) <= 8 * LONGEST;
        let step = reduced(way).filter(short).or(reduced(across).filter(short)).unwrap_or([0; 3]);
        times(step, rng.i64(1..=(LONGEST / longest(step).max(1)).max(1)))
    }
}

/// The mean of one to three of the points, or one of them if the mean is no integer.
fn mean(points: &[Integers], rng: &mut Rng) -> Integers {
    let count = rng.i64(1..=3);
    let first = points[rng.usize(0..points.len())];
    let sum = (1..count).fold(first, |sum, _| plus(sum, points[rng.usize(0..points.len())]));
    if sum.iter().all(|x| x % count == 0) { sum.map(|x| x / count) } else { first }
}

/// All the points that lie farthest in a direction.
fn farthest(points: &[Integers], direction: Integers) -> Vec<Integers> {
    let most = points.iter().map(|point| dot(*point, direction)).max();
    points.iter().copied().filter(|point| Some(dot(*point, direction)) == most).collect()
}

/// Without the common factor; `None` for zero, and if the rest does not fit.
fn reduced(way: [i128; 3]) -> Option<Integers> {
    let factor = way.into_iter().fold(0, |mut a, mut b| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    });
    let [x, y, z] = if factor == 0 { return None } else { way.map(|x| i64::try_from(x / factor)) };
    Some([x.ok()?, y.ok()?, z.ok()?])
}

/// Coordinates uniform from `-size` to `size`.
pub(super) fn random(rng: &mut Rng, size: i64) -> Integers {
    [(); 3].map(|()| rng.i64(-size..=size))
}

/// A step in a plane that two ways span.
pub(super) fn within([u, v]: [Integers; 2], rng: &mut Rng, size: i64) -> Integers {
    let [s, t, _] = random(rng, size.max(1));
    plus(times(u, s), times(v, t))
}

pub(super) fn moved(points: &[Integers], shift: Integers) -> Vec<Integers> {
    points.iter().map(|&point| plus(point, shift)).collect()
}

pub(super) fn plus(a: Integers, b: Integers) -> Integers {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn minus(a: Integers, b: Integers) -> Integers {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn times(a: Integers, factor: i64) -> Integers {
    a.map(|x| x * factor)
}

fn dot(a: Integers, b: Integers) -> i128 {
    (0..3).map(|i| i128::from(a[i]) * i128::from(b[i])).sum()
}

fn cross(a: Integers, b: Integers) -> [i128; 3] {
    let [a, b] = [a, b].map(|v| v.map(i128::from));
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
