//! Two pieces of straight lines: how far apart they are and, exactly, whether that is no more than some reach.
//!
//! The nearest points are an end of one and the point of the other nearest to it, or the points where the common
//! perpendicular meets both. Along that, `n = d × e` for directions `d` and `e`, the distance is `|w · n| / |n|` for
//! any vector `w` between the lines, and its feet are at `(w × e) · n / |n|²` and `(w × d) · n / |n|²`. No difference
//! of nearly equal products occurs, so nearly parallel lines lose nothing but the rounding of the coordinates.
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.8 and §5.1.9.

use super::{ROUNDING, predicate::Exact};
use crate::arrays::Mapped;
use glam::DVec3;
use std::cmp::Ordering::{Equal, Greater, Less};

/// The points `base + t · direction` for `0 <= t <= max`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedLine {
    pub(crate) base: DVec3,
    pub(crate) direction: DVec3,
    /// May be infinite.
    pub(crate) max: f64,
}

/// The nearest points of two lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineDistance {
    pub(crate) distance: f64,
    /// From the point of the second to that of the first, of any length; zero where they touch.
    pub(crate) offset: DVec3,
    /// More than the rounding of the distance.
    pub(crate) error: f64,
}

impl BoundedLine {
    /// The point nearest to `point`.
    #[inline]
    pub(crate) fn nearest(&self, point: DVec3) -> DVec3 {
        let square = self.direction.length_squared();
        let along = (point - self.base).dot(self.direction);
        let t = if square > 0.0 { (along / square).clamp(0.0, self.max) } else { 0.0 };
        self.base + self.direction * t
    }

    /// The end that is not the base, if there is one.
    fn last(&self) -> Option<DVec3> {
        self.max.is_finite().then(|| self.base + self.direction * self.max)
    }

    /// The nearest points of two lines.
    #[inline]
    pub(crate) fn nearest_to(&self, other: &Self) -> LineDistance {
        let (distance, offset) = self.offset_from(other);
        let way = other.base - self.base;
        // The nearest points are no farther from the bases than these terms and the distance together.
        let size = self.base.abs().max_element() + other.base.abs().max_element() + way.length() + distance;
        let reach = |line: &Self| line.direction.length() * line.max;
        let error = 32.0 * ROUNDING * (size + reach(self).min(reach(other)));
        LineDistance { distance, offset, error }
    }

    /// The distance between the nearest points of two lines, and the vector from that of the other to that of this one,
    /// of any length.
    #[inline]
    pub(crate) fn offset_from(&self, other: &Self) -> (f64, DVec3) {
        let (mut least, mut offset) = (f64::INFINITY, DVec3::ZERO);
        let mut consider = |candidate: DVec3| {
            let square = candidate.length_squared();
            if square < least {
                (least, offset) = (square, candidate);
            }
        };
        consider(self.base - other.nearest(self.base));
        if let Some(end) = self.last() {
            consider(end - other.nearest(end));
        }
        consider(self.nearest(other.base) - other.base);
        if let Some(end) = other.last() {
            consider(self.nearest(end) - end);
        }
        let distance = least.sqrt();
        let normal = self.direction.cross(other.direction);
        let square = normal.length_squared();
        if square > 0.0 {
            let way = other.base - self.base;
            let (s, t) = (way.cross(other.direction).dot(normal), way.cross(self.direction).dot(normal));
            if s >= 0.0 && s <= self.max * square && t >= 0.0 && t <= other.max * square {
                let height = way.dot(normal);
                let across = height.abs() / square.sqrt();
                if across < distance {
                    return (across, normal * -height);
                }
            }
        }
        (distance, offset)
    }
}

/// A [`BoundedLine`] whose coordinates are exact sums.
pub(crate) struct ExactLine {
    pub(crate) base: [Exact; 3],
    pub(crate) direction: [Exact; 3],
    pub(crate) max: f64,
}

impl ExactLine {
    /// The line from `base`, a sum of vectors, along a direction.
    pub(crate) fn new<const N: usize>(base: [DVec3; N], direction: DVec3, max: f64) -> Self {
        let base = [0, 1, 2].mapped(|axis| Exact::sum(&base.map(|term| term[axis])));
        Self { base, direction: [0, 1, 2].mapped(|axis| Exact::sum(&[direction[axis]])), max }
    }

    fn at(&self, t: f64) -> [Exact; 3] {
        let t = Exact::sum(&[t]);
        [0, 1, 2].mapped(|i| self.base[i].clone().plus(&self.direction[i].times(&t)).compact())
    }

    fn ends(&self) -> impl Iterator<Item = [Exact; 3]> {
        let last = self.max.is_finite().then(|| self.at(self.max));
        std::iter::once(self.base.clone()).chain(last)
    }

    /// Whether a point is no farther from the line than `reach`.
    pub(crate) fn reaches_point(&self, point: &[Exact; 3], reach: &Exact) -> bool {
        let square = reach.times(reach).compact();
        let way = minus(point, &self.base);
        let along = dot(&way, &self.direction);
        if along.sign() != Greater {
            return dot(&way, &way).minus(&square).sign() != Greater;
        }
        let length = dot(&self.direction, &self.direction);
        if self.max.is_finite() && length.times(&Exact::sum(&[self.max])).minus(&along).sign() != Greater {
            let way = minus(point, &self.at(self.max));
            return dot(&way, &way).minus(&square).sign() != Greater;
        }
        let rest = dot(&way, &way).minus(&square).compact();
        rest.times(&length).minus(&along.times(&along)).sign() != Greater
    }

    /// Whether two lines are no farther apart than `reach`.
    pub(crate) fn reaches(&self, other: &Self, reach: &Exact) -> bool {
        self.ends().any(|end| other.reaches_point(&end, reach))
            || other.ends().any(|end| self.reaches_point(&end, reach))
            || self.reaches_across(other, reach)
    }

    /// The same along the common perpendicular, if that meets both.
    fn reaches_across(&self, other: &Self, reach: &Exact) -> bool {
        let normal = cross(&self.direction, &other.direction);
        let square = dot(&normal, &normal);
        if square.sign() == Equal {
            return false;
        }
        let way = minus(&other.base, &self.base);
        let is_within = |foot: Exact, max: f64| {
            foot.sign() != Less
                && (max.is_infinite() || foot.minus(&square.times(&Exact::sum(&[max]))).sign() != Greater)
        };
        let height = dot(&way, &normal);
        let reached = reach.times(reach).compact().times(&square);
        is_within(dot(&cross(&way, &other.direction), &normal), self.max)
            && is_within(dot(&cross(&way, &self.direction), &normal), other.max)
            && height.times(&height).minus(&reached).sign() != Greater
    }
}

pub(crate) fn minus(a: &[Exact; 3], b: &[Exact; 3]) -> [Exact; 3] {
    [0, 1, 2].mapped(|i| a[i].clone().minus(&b[i]).compact())
}

pub(crate) fn dot(a: &[Exact; 3], b: &[Exact; 3]) -> Exact {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2])).compact()
}

pub(crate) fn cross(a: &[Exact; 3], b: &[Exact; 3]) -> [Exact; 3] {
    [0, 1, 2].mapped(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j].times(&b[k]).minus(&a[k].times(&b[j])).compact()
    })
}
