//! Path against hull: whether they meet is exact for the vertices.
//!
//! As in [`brush`](super::brush), but every time has error bounds, because the planes of a hull are rounded. Where the
//! last entry and the first exit, or the end of the path, overlap within these bounds, the signs of exact sums decide:
//! with `h` the height of the start over a face and `r` the rise along the path, both times the length of the face's
//! normal, an entry comes no later than an exit iff `h_entry · r_exit <= h_exit · r_entry`.

use super::{Crossing, Path};
use crate::{
    Brush,
    exact::{
        ROUNDING,
        orientation::{exact_height, exact_normal},
        predicate::Exact,
    },
};
use glam::DVec3;
use std::cmp::Ordering::{Greater, Less};

/// Heights and rises, as products with the unit normal of a hull's face, are off by less than this share of the sum of
/// the coordinates that it is multiplied with: 32 roundings of the normal, and some of the product.
const ERROR: f64 = 40.0 * ROUNDING;

/// The least and the greatest factor by which rounding changes a quotient.
const LEAST: f64 = 1.0 - 4.0 * f64::EPSILON;
const MOST: f64 = 1.0 + 4.0 * f64::EPSILON;

/// The part of the path in a hull.
pub(super) fn crossing(hull: &Brush, path: &Path) -> Option<Crossing> {
    let (mut enter, mut exit, mut normal) = (0.0f64, path.max, -path.delta);
    let mut inside = true;
    // The latest time at which the path may enter and the earliest at which it may leave, and the other way round.
    let (mut enter_most, mut exit_least) = (0.0f64, path.max);
    let (mut enter_least, mut exit_most) = (0.0f64, path.max);
    let rise_error = ERROR * path.delta.abs().element_sum();
    for face in 0..hull.planes().len() {
        let offset = path.origin - hull.face_points(face)[0];
        let plane_normal = hull.planes()[face].normal;
        let (height, rise) = (plane_normal.dot(offset), plane_normal.dot(path.delta));
        let height_error = ERROR * offset.abs().element_sum();
        let slow = rise.abs() - rise_error;
        if hull.is_before(face, path.origin) {
            if rise >= rise_error {
                return None;
            }
            let time = if rise < 0.0 { (height / -rise).max(0.0) } else { f64::INFINITY };
            if inside || time > enter {
                (enter, normal) = (time, plane_normal);
            }
            inside = false;
            enter_least = enter_least.max((height - height_error) / (rise.abs() + rise_error) * LEAST);
            let most = if slow > 0.0 { (height + height_error) / slow * MOST } else { f64::INFINITY };
            enter_most = enter_most.max(most);
        } else if rise > -rise_error {
            if rise > 0.0 {
                exit = exit.min((-height / rise).max(0.0));
            }
            exit_least = exit_least.min((-height - height_error) / (rise.abs() + rise_error) * LEAST);
            if rise > rise_error {
                exit_most = exit_most.min((height_error - height) / slow * MOST);
            }
        }
        if enter_least > exit_most {
            return None;
        }
    }
    if inside {
        return Some(path.starting_inside(exit));
    }
    if !(enter_most.is_finite() && enter_most <= exit_least) {
        enter = exact_entry(hull, path)?;
        exit = exit.max(enter);
    }
    Some(Crossing { enter: enter + 0.0, exit: exit + 0.0, normal, inside: false })
}

/// When a path that starts outside enters the hull; `None` if and only if they do not meet.
#[cold]
fn exact_entry(hull: &Brush, path: &Path) -> Option<f64> {
    let dot = |points: [DVec3; 3]| {
        let term = |axis: usize| exact_normal(points, axis).times(&Exact::sum(&[path.delta[axis]]));
        term(0).plus(&term(1)).plus(&term(2)).compact()
    };
    // The last entry, and all exits, as the height of the start and the rise.
    let (mut entry, mut exits) = (None::<(Exact, Exact)>, Vec::new());
    for face in 0..hull.planes().len() {
        let points = hull.face_points(face);
        let (depth, rise) = (exact_height(points, path.origin).compact(), dot(points));
        let height = Exact::default().minus(&depth);
        match (height.sign(), rise.sign()) {
            (Greater, Less) => {
                // Both rises are negative, so that the later time is that of the larger product.
                let is_later =
                    |(high, fall): &(Exact, Exact)| height.times(fall).minus(&high.times(&rise)).sign() == Less;
                if entry.as_ref().is_none_or(is_later) {
                    entry = Some((height, rise));
                }
            }
            (Greater, _) => return None,
            (_, Greater) => exits.push((height, rise)),
            _ => {}
        }
    }
    let (height, fall) = entry?;
    let reached = || fall.times(&Exact::sum(&[path.max])).plus(&height);
    let leaves_before =
        |(depth, rise): &(Exact, Exact)| height.times(rise).minus(&depth.times(&fall)).sign() == Greater;
    if path.max.is_finite() && reached().sign() == Greater || exits.iter().any(leaves_before) {
        return None;
    }
    Some((height.value() / -fall.value()).min(path.max))
}

#[cfg(test)]
mod tests {
    use crate::{Hull, Ray, Segment};
    use cullide_scenes::{Rng, SEED};
    use glam::Vec3;

    type Point = [i128; 3];

    /// Whether a segment hits the hull, in integers, and whether it only touches: by the times of all faces as
    /// fractions.
    fn expected(hull: &Hull, from: Vec3, delta: Vec3) -> (bool, bool) {
        let whole = |v: Vec3| -> Point { v.to_array().map(|x| x as i128) };
        let vertices: Vec<Point> = hull.vertices().map(whole).collect();
        let (origin, delta) = (whole(from), whole(delta));
        // Entry and exit, as numerators and positive denominators.
        let (mut enter, mut exit) = ((0, 1), (1, 1));
        for face in hull.faces() {
            let [a, b, c] = [0, 1, 2].map(|i| vertices[face.vertices[i]]);
            let minus = |p: Point| [0, 1, 2].map(|i| p[i] - a[i]);
            let (u, v, o) = (minus(b), minus(c), minus(origin));
            let normal = [0, 1, 2].map(|i| u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
            let dot = |p: Point| (0..3).map(|i| normal[i] * p[i]).sum::<i128>();
            let (height, rise) = (dot(o), dot(delta));
            if rise == 0 && height > 0 {
                return (false, false);
            }
            let (time, speed) = if rise > 0 { (-height, rise) } else { (height, -rise) };
            if rise < 0 && time * enter.1 > enter.0 * speed {
                enter = (time, speed);
            }
            if rise > 0 && time * exit.1 < exit.0 * speed {
                exit = (time, speed);
            }
        }
        let (left, right) = (enter.0 * exit.1, exit.0 * enter.1);
        (left <= right, left == right)
    }

    #[test]
    fn segments_that_graze_a_hull_meet_it_exactly_when_they_do_in_integers() {
        let mut rng = Rng::with_seed(SEED);
        let (mut hits, mut touches, mut misses) = (0, 0, 0);
        for case in 0..4000 {
            let size = [2, 5, 1000, 100_000][case % 4];
            let mut point = |size: i32| Vec3::from([(); 3].map(|()| rng.i32(-size..=size) as f32));
            let points: Vec<Vec3> = (0..12).map(|_| point(size)).collect();
            let Ok(hull) = Hull::new(&points) else { continue };
            let own: Vec<Vec3> = hull.vertices().collect();
            for _ in 0..30 {
                // Through a vertex, along an edge, or anywhere; ending there or beyond.
                let at = own[rng.usize(..own.len())];
                let mut point = |size: i32| Vec3::from([(); 3].map(|()| rng.i32(-size..=size) as f32));
                let mut way = point(size);
                if rng.u8(0..3) == 0 {
                    way = own[rng.usize(..own.len())] - at;
                }
                let from = at - way * f32::from(rng.u8(1..3));
                let delta = way * f32::from(rng.u8(1..4)) + [Vec3::ZERO, Vec3::X, Vec3::NEG_Z][rng.usize(0..3)];
                let segment = Segment::new(from, delta).unwrap();
                let (meets, touching) = expected(&hull, from, delta);
                let found = segment.cast(hull.solid());
                assert_eq!(found.is_some(), meets, "{segment:?} {own:?}");
                assert_eq!(segment.hits(hull.solid()), meets);
                assert!(found.is_none_or(|hit| (0.0..=hit.exit).contains(&hit.fraction) && hit.exit <= 1.0));
                let axis = [Vec3::X, Vec3::Y, Vec3::Z][case % 3];
                let ray = Ray::new(at - axis * size as f32, axis).unwrap().cast(hull.solid(), f32::INFINITY);
                let (is_met, _) = expected(&hull, at - axis * size as f32, axis * (1 << 20) as f32);
                assert_eq!(ray.is_some(), is_met, "{at} {axis} {own:?}");
                assert!(ray.is_none_or(|hit| hit.distance <= hit.exit && hit.exit <= 3.0 * size as f32));
                hits += usize::from(meets);
                touches += usize::from(touching && meets);
                misses += usize::from(!meets);
            }
        }
        assert!(hits > 30_000 && touches > 10_000 && misses > 5000, "{hits} {touches} {misses}");
    }
}
