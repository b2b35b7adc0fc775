//! Contacts of a body with many parts of something fixed or without a mass, such as triangles, reduced to few: those
//! with about the same normal are solved as one, with four points.
//!
//! A crate on a terrain touches some six triangles at twenty points, and four of these hold it.
//!
//! Source: Gregorius, "Robust Contact Creation for Physics Simulations", GDC 2015 (clusters of contacts; their
//! reduction).

use super::contact::POINTS;
use crate::{PartContact, contact::Impulses};
use cullide_narrowphase::{ManifoldPoint, glam::Vec3};
use smallvec::SmallVec;

/// The least cosine of normals that count as about the same: that of five degrees.
const SAME_NORMAL: f32 = 0.996;

/// A direction that is along no side of a rectangle, mostly.
const UNEVEN: Vec3 = Vec3::new(1.0, 0.3, 0.55);

/// Contacts that are solved as one.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub(super) normal: Vec3,
    pub(super) points: SmallVec<[ManifoldPoint; POINTS]>,
    pub(super) impulses: Impulses,
    pub(super) origin: ClusterOrigin,
}

/// Where the points of a cluster come from.
#[derive(Clone, Debug, Default)]
pub(super) struct ClusterOrigin {
    /// All parts, by number.
    parts: SmallVec<[u32; 16]>,
    /// For each point of the cluster, its part and its number there.
    points: [Option<(u32, u32)>; POINTS],
}

impl ClusterOrigin {
    /// The only part, if there is just one.
    pub(super) fn only_part(&self) -> Option<u32> {
        if let [part] = self.parts[..] { Some(part) } else { None }
    }

    /// The part of each point.
    pub(super) fn parts_of_points(&self) -> impl Iterator<Item = u32> {
        let only = self.only_part().into_iter().cycle();
        self.points.iter().flatten().map(|(part, _)| *part).chain(only)
    }

    /// Calls `visit` with each part and its share of the impulses of the cluster.
    pub(super) fn split(&self, all: &Impulses, mut visit: impl FnMut(u32, Impulses)) {
        for &part in &self.parts {
            let mut own = Impulses::default();
            for (i, point) in self.points.iter().enumerate() {
                let Some((_, point)) = point.filter(|(of, _)| *of == part) else { continue };
                (own.normal[point as usize], own.total[point as usize]) = (all.normal[i], all.total[i]);
                if i == 0 {
                    (own.across, own.rubbed, own.twist, own.rolling) = (all.across, all.rubbed, all.twist, all.rolling);
                }
            }
            visit(part, own);
        }
    }
}

/// A point that may be kept.
#[derive(Clone, Copy)]
struct ClusterPoint {
    part: u32,
    point: u32,
    at: Vec3,
    separation: f32,
    impulse: f32,
    /// How much farther apart it is than the first point to be kept, less a bonus for a point that has pushed.
    above: f32,
}

/// Calls `visit` with those contacts of a pair for which `is_met` holds, merging those with about the same normal. No
/// two points move relative to each other by more than `closing` in the step, and those that are farther apart than this
/// by more than `near` do not count; `slop` is the noise of a length.
pub(super) fn clusters(
    parts: &[PartContact],
    is_met: impl Fn(&PartContact) -> bool,
    closing: f32,
    [near, slop]: [f32; 2],
    mut visit: impl FnMut(Cluster),
) {
    let mut points = SmallVec::<[ClusterPoint; 32]>::new();
    for (part, number) in parts.iter().zip(0..).filter(|(part, _)| is_met(part)) {
        for ((point, &impulse), k) in part.manifold.points().iter().zip(&part.impulses.normal).zip(0..) {
            let ManifoldPoint { from_first: at, separation, .. } = *point;
            points.push(ClusterPoint { part: number, point: k, at, separation, impulse, above: 0.0 });
        }
    }
    let mut rest = &mut points[..];
    while let Some(deepest) = rest.iter().reduce(|a, b| if b.separation < a.separation { b } else { a }) {
        let (deepest, limit) = (deepest.part, deepest.separation.max(0.0) + closing + near);
        let mut cluster = Cluster { normal: parts[deepest as usize].manifold.normal(), ..Cluster::default() };
        let count = cluster.take(parts, deepest, rest);
        let (own, others) = rest.split_at_mut(count);
        cluster.fill(parts, own, limit, [closing, slop]);
        visit(cluster);
        rest = others;
    }
}

impl Cluster {
    /// Adds the parts with about the same normal as the deepest, and moves their points to the front; returns the
    /// number of these points.
    fn take(&mut self, parts: &[PartContact], deepest: u32, points: &mut [ClusterPoint]) -> usize {
        let (mut count, mut last, mut is_own) = (0, None, false);
        for i in 0..points.len() {
            let number = points[i].part;
            if last.replace(number) != Some(number) {
                let part = &parts[number as usize];
                is_own = number == deepest || part.manifold.normal().dot(self.normal) >= SAME_NORMAL;
                if is_own {
                    self.origin.parts.push(number);
                    for i in 0..3 {
                        self.impulses.across[i] += part.impulses.across[i];
                        self.impulses.rolling[i] += part.impulses.rolling[i];
                    }
                    self.impulses.twist += part.impulses.twist;
                }
            }
            if is_own {
                // In order, so that the points of a part stay together.
                if count < i {
                    points[count..=i].rotate_right(1);
                }
                count += 1;
            }
        }
        count
    }

    /// Adds the points that hold the body, from those no farther apart than `limit`.
    fn fill(&mut self, parts: &[PartContact], points: &mut [ClusterPoint], limit: f32, [closing, slop]: [f32; 2]) {
        if let Some(only) = self.origin.only_part() {
            let part = &parts[only as usize];
            self.impulses.normal = part.impulses.normal;
            self.points.extend_from_slice(part.manifold.points());
            return;
        }
        let mut least = f32::INFINITY;
        for point in &mut *points {
            point.above = point.separation - if point.impulse > 0.0 { slop } else { 0.0 };
            least = least.min(point.above);
        }
        let mut near = 0;
        for i in 0..points.len() {
            // Common corners of adjacent triangles count once.
            let is_known = |other: &ClusterPoint| other.at.distance_squared(points[i].at) <= slop * slop;
            if points[i].separation <= limit && !points[..near].iter().any(is_known) {
                points[i].above -= least;
                points.swap(near, i);
                near += 1;
            }
        }
        if near > POINTS {
            keep_four(&mut points[..near], self.normal, [closing, slop]);
        }
        let (kept, dropped) = points.split_at(near.min(POINTS));
        let mut sum = Vec3::ZERO;
        for (i, point) in kept.iter().enumerate() {
            let manifold = &parts[point.part as usize].manifold;
            self.points.push(manifold.points()[point.point as usize]);
            self.origin.points[i] = Some((point.part, point.point));
            self.impulses.normal[i] = point.impulse;
            sum += manifold.normal();
        }
        self.normal = sum * (1.0 / sum.length());
        // Impulses of dropped points go to the nearest kept ones.
        for gone in dropped.iter().filter(|gone| gone.impulse > 0.0) {
            let distance = |i: &usize| kept[*i].at.distance_squared(gone.at);
            let nearest = (0..kept.len()).reduce(|a, b| if distance(&b) < distance(&a) { b } else { a });
            self.impulses.normal[nearest.unwrap_or(0)] += gone.impulse;
        }
    }
}

/// Moves four of the points to the front: the deepest, and those that would be reached first by rotation about it,
/// about the line through the first two, and about the sides of the triangle of the first three. All that the body may
/// reach in the step by its motion counts about the same: four points near each other would not keep it from turning.
/// Points as deep as the deepest, up to half the noise, are told apart by a direction that no rectangle has, so that it
/// is not another one every step.
fn keep_four(points: &mut [ClusterPoint], normal: Vec3, [closing, slop]: [f32; 2]) {
    let over = |way: f32, point: &ClusterPoint| way / (point.above + closing + slop).max(f32::MIN_POSITIVE);
    let is_deep = |point: &ClusterPoint| point.above <= 0.5 * slop;
    keep(points, 0, |point| if is_deep(point) { point.at.dot(UNEVEN) } else { f32::NEG_INFINITY });
    let a = points[0].at;
    keep(points, 1, |point| over(point.at.distance(a), point));
    let b = points[1].at;
    let side = normal.cross(b - a);
    keep(points, 2, |point| over(side.dot(point.at - a).abs(), point));
    let c = points[2].at;
    // How far beyond each side of the triangle a point is.
    let outward = if side.dot(c - a) < 0.0 { 1.0 } else { -1.0 };
    let unit = |side: Vec3| side * (outward / side.length().max(f32::MIN_POSITIVE));
    let [of_a, of_b, of_c] = [unit(side), unit(normal.cross(c - b)), unit(normal.cross(a - c))];
    keep(points, 3, |point| {
        let beyond = [of_a.dot(point.at - a), of_b.dot(point.at - b), of_c.dot(point.at - c)];
        over(beyond[0].max(beyond[1]).max(beyond[2]), point)
    });
}

/// Of the points from `place` on, moves the first one with the largest value to `place`.
#[inline(always)]
fn keep(points: &mut [ClusterPoint], place: usize, value: impl Fn(&ClusterPoint) -> f32) {
    let (mut best, mut most) = (place, f32::NEG_INFINITY);
    for (i, point) in points.iter().enumerate().skip(place) {
        let value = value(point);
        if value > most {
            (best, most) = (i, value);
        }
    }
    points.swap(place, best);
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::{ContactShape, Obb, Triangle, glam::Quat};

    /// The contacts of a box with the triangles of a ground of unit squares, 6 by 6, centred on the origin.
    fn contacts(body: &Obb, height: impl Fn(f32) -> f32, margin: f32) -> Vec<PartContact> {
        let at = |x: i32, z: i32| Vec3::new(x as f32, height(x as f32), z as f32);
        let squares = (-3..3).flat_map(|x| (-3..3).map(move |z| (x, z)));
        let corners = squares.flat_map(|(x, z)| {
            let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x + 1, z + 1), at(x, z + 1)];
            [[a, c, b], [a, d, c]]
        });
        let contact = |(number, [a, b, c]): (u32, [Vec3; 3])| {
            let triangle = Triangle::new(a, b, c).unwrap();
            let mut part = PartContact::new(0, number);
            part.manifold.update(&ContactShape::Box(body), &ContactShape::Triangle(&triangle), margin, &mut part.cache);
            for impulse in &mut part.impulses.normal[..part.manifold.points().len()] {
                *impulse = 1.0 + number as f32;
            }
            part
        };
        (0..).zip(corners).map(contact).collect()
    }

    fn of(parts: &[PartContact]) -> Vec<Cluster> {
        closing_by(0.0, parts)
    }

    fn closing_by(closing: f32, parts: &[PartContact]) -> Vec<Cluster> {
        let mut all = Vec::new();
        clusters(parts, |_| true, closing, [1e-3, 3e-4], |cluster| all.push(cluster));
        all
    }

    #[test]
    fn a_crate_on_many_triangles_stands_on_its_corners() {
        let half = Vec3::new(1.3, 0.5, 1.7);
        let body = Obb::new(Vec3::new(0.1, 0.501, 0.2), Quat::IDENTITY, half).unwrap();
        let parts = contacts(&body, |_| 0.0, 0.02);
        let [cluster] = &of(&parts)[..] else { panic!("there is one normal") };
        assert_eq!(cluster.normal, Vec3::NEG_Y);
        let is_corner = |x: f32| (x.abs() - 1.0).abs() < 1e-6;
        let corner = |point: &ManifoldPoint| [point.from_first.x / half.x, point.from_first.z / half.z];
        let corners: Vec<[f32; 2]> = cluster.points.iter().map(corner).collect();
        assert!(corners.iter().flatten().all(|x| is_corner(*x)), "{corners:?}");
        let mut seen: Vec<[bool; 2]> = corners.iter().map(|corner| corner.map(|x| x > 0.0)).collect();
        seen.sort_unstable();
        assert_eq!(seen, [[false, false], [false, true], [true, false], [true, true]]);
    }

    #[test]
    fn impulses_go_on_with_the_points_that_are_kept() {
        let body = Obb::new(Vec3::new(0.1, 0.501, 0.2), Quat::IDENTITY, Vec3::new(1.3, 0.5, 1.7)).unwrap();
        let parts = contacts(&body, |_| 0.0, 0.02);
        let sum = |all: &Impulses| all.normal.iter().sum::<f32>();
        let before: f32 = parts.iter().map(|part| sum(&part.impulses)).sum();
        let [cluster] = &of(&parts)[..] else { panic!("there is one normal") };
        assert_eq!(sum(&cluster.impulses), before);
        let (mut after, mut told) = (0.0, Vec::new());
        cluster.origin.split(&cluster.impulses, |part, own| {
            told.push(part);
            after += sum(&own);
            let known = parts[part as usize].manifold.points().len();
            assert!(own.normal[known..].iter().all(|impulse| *impulse == 0.0));
        });
        let with_points = (0..).zip(&parts).filter(|(_, part)| !part.manifold.points().is_empty());
        assert!(after == before && told.into_iter().eq(with_points.map(|(number, _)| number)));
    }

    #[test]
    fn in_a_valley_each_side_holds_by_itself() {
        let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
        // Its edge is above that of the valley, whose sides rise at one in one.
        let body = Obb::new(Vec3::Y * (0.5 * 2f32.sqrt() + 0.001), turned, Vec3::new(0.5, 0.5, 1.4)).unwrap();
        let found = of(&contacts(&body, f32::abs, 0.02));
        assert_eq!(found.len(), 2);
        assert!(found[0].normal.dot(found[1].normal).abs() < 1e-3);
        assert!(found.iter().all(|cluster| cluster.points.len() == 4));
    }
}
