//! The distance from a point to a convex solid given by planes.

use crate::vector::{Real, Vector, common_point};
use crate::{Exact, Ratio};

/// The square of the distance from a point to the solid `normal · p <= distance` for every `[normal, distance]`;
/// `None` if the solid is empty.
///
/// The nearest point is the foot of the perpendicular on the intersection of at most three of the planes. Every such
/// foot inside the solid is a candidate, and the nearest of them is the answer.
pub fn solid_distance_squared<T: Real, U: Real>(solid: &[[T; 4]], point: [U; 3]) -> Option<Ratio> {
    let point = Vector::new(point);
    let planes: Vec<_> = solid.iter().map(|&[x, y, z, d]| (Vector::new([x, y, z]), Exact::new(d))).collect();
    let mut feet = vec![(point.clone(), Exact::ONE)];
    for (i, a) in planes.iter().enumerate() {
        feet.push(foot_on_plane(&point, a));
        for (j, b) in planes[..i].iter().enumerate() {
            feet.push(foot_on_line(&point, a, b));
            for c in &planes[..j] {
                let common = common_point([a, b, c].map(|(normal, distance)| (normal, distance)));
                feet.extend(common.map(|corner| (corner.numerator, corner.denominator)));
            }
        }
    }
    let inside = |foot: &Vector, scale: &Exact| planes.iter().all(|(n, d)| n.dot(foot) <= d * scale);
    feet.into_iter()
        .filter(|(foot, scale)| scale.is_positive() && inside(foot, scale))
        .map(|(foot, scale)| Ratio::new(foot.minus(&point.times(&scale)).length_squared(), &scale * &scale))
        .min()
}

/// The foot, times the scale returned with it; the scale is zero if there is no foot.
fn foot_on_plane(point: &Vector, (normal, distance): &(Vector, Exact)) -> (Vector, Exact) {
    let scale = normal.length_squared();
    let lift = normal.times(&(distance - normal.dot(point)));
    (point.times(&scale).plus(&lift), scale)
}

fn foot_on_line(point: &Vector, (m, d): &(Vector, Exact), (n, e): &(Vector, Exact)) -> (Vector, Exact) {
    let (mm, mn, nn) = (m.length_squared(), m.dot(n), n.length_squared());
    let (below_m, below_n) = (d - m.dot(point), e - n.dot(point));
    let scale = &mm * &nn - &mn * &mn;
    let along_m = m.times(&(&below_m * &nn - &below_n * &mn));
    let along_n = n.times(&(&below_n * &mm - &below_m * &mn));
    (point.times(&scale).plus(&along_m).plus(&along_n), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_a_box_of_2_3_5_by_region() {
        let solid = [[1, 0, 0, 2], [-1, 0, 0, 0], [0, 1, 0, 3], [0, -1, 0, 0], [0, 0, 1, 5], [0, 0, -1, 0]];
        for (point, squared) in [([1, 1, 1], 0), ([4, 1, 1], 4), ([3, 5, 1], 5), ([3, 5, 8], 14), ([-1, -1, -1], 3)] {
            assert_eq!(solid_distance_squared(&solid, point), Some(Exact::new(squared).into()), "{point:?}");
        }
        assert_eq!(solid_distance_squared(&[[1, 0, 0, -1], [-1, 0, 0, 0]], [0, 0, 0]), None);
    }
}
