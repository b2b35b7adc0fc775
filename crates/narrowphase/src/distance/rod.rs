//! How far a capsule is from another and from a box along the axes, or how deep in it: the distance of its axis, less
//! the radius; from all else it is that of two [convexes](crate::ConvexCore).
//!
//! Source: Ericson, "Real-Time Collision Detection", §5.1.9 (two segments).

use super::Gap;
use crate::{
    Capsule, ConvexCore, Distance,
    arrays::Mapped,
    exact::{
        ROUNDING,
        lines::BoundedLine,
        vector::{self, try_normalized},
    },
};
use glam::DVec3;

/// A moving capsule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingCapsule {
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
    pub(crate) radius: f64,
    /// No less than the coordinates that its ends are sums of, plus the radius.
    pub(crate) size: f64,
    /// The direction in which it leaves something flat that it lies in: it is held on the side to which this leads.
    pub(crate) leaving: DVec3,
}

impl From<&Capsule> for MovingCapsule {
    fn from(capsule: &Capsule) -> Self {
        Self::new(capsule.center().as_dvec3(), capsule.wide_axis(), capsule.radius().into())
    }
}

impl MovingCapsule {
    pub(crate) fn new(center: DVec3, half: DVec3, radius: f64) -> Self {
        let size = center.abs().max_element() + half.abs().max_element() + radius;
        Self { center, half, radius, size, leaving: DVec3::ZERO }
    }

    /// The same capsule around another centre.
    pub(crate) fn at(&self, center: DVec3) -> Self {
        Self { leaving: self.leaving, ..Self::new(center, self.half, self.radius) }
    }

    pub(crate) fn moved(&self, way: DVec3) -> Self {
        Self { center: self.center + way, size: self.size + way.abs().max_element(), ..*self }
    }

    /// The same capsule, leaving something flat in a direction.
    pub(crate) fn leaving(self, leaving: DVec3) -> Self {
        Self { leaving, ..self }
    }

    /// How far it reaches along a unit normal.
    pub(crate) fn reach(&self, normal: DVec3) -> f64 {
        normal.dot(self.half).abs() + self.radius
    }

    pub(crate) fn ends(&self) -> [DVec3; 2] {
        [self.center - self.half, self.center + self.half]
    }

    pub(crate) fn axis(&self) -> BoundedLine {
        BoundedLine { base: self.center - self.half, direction: 2.0 * self.half, max: 1.0 }
    }

    /// How far it is from another capsule.
    pub(crate) fn gap_to(&self, other: &Self) -> Gap {
        let nearest = self.axis().nearest_to(&other.axis());
        let radius = self.radius + other.radius;
        let error = nearest.error + 4.0 * ROUNDING * radius;
        if nearest.distance > error {
            return Gap::new(nearest.distance - radius, error, vector::normalized(nearest.offset));
        }
        // The axes touch, and leave each other sideways.
        let between = self.center - other.center;
        Gap::new(nearest.distance - radius, error, self.sideways(other.half, between))
    }

    /// A direction across both axes: to the side given by the vector `between` their middles, or else to which this one
    /// leaves.
    fn sideways(&self, other: DVec3, between: DVec3) -> DVec3 {
        let across = |v: DVec3, axis: DVec3| v - axis * v.dot(axis);
        let along = try_normalized(self.half).or_else(|| try_normalized(other));
        let Some(along) = along else { return try_normalized(between).unwrap_or(DVec3::Y) };
        let normal = try_normalized(self.half.cross(other)).unwrap_or_else(|| {
            let aside = try_normalized(across(between, along)).filter(|aside| aside.dot(along).abs() < SQUARE);
            aside.unwrap_or_else(|| vector::perpendicular(along))
        });
        let side = if normal.dot(between) == 0.0 { normal.dot(self.leaving) } else { normal.dot(between) };
        if side < 0.0 { -normal } else { normal }
    }

    /// The capsule as the queries of two convexes take it.
    pub(crate) fn core(&self) -> ConvexCore {
        ConvexCore::of_points(self.ends(), self.radius)
    }

    /// How far the capsule is from a solid with corners, each of which may be off by `error`.
    pub(crate) fn gap_to_core(&self, solid: &ConvexCore, error: f64) -> Gap {
        let own = self.core();
        let Distance { separation, bounds, mut normal, .. } = own.distance(solid);
        let error = separation - bounds[0] + error + 8.0 * ROUNDING * (self.size + solid.reach.max_element());
        // In the middle of something flat, both of its sides are equally near.
        if separation + self.radius <= error && normal.dot(self.leaving) < 0.0 {
            let back = -normal;
            let apart = back.dot(own.farthest(normal).0 - solid.farthest(back).0) - self.radius;
            if apart >= separation - error {
                normal = back;
            }
        }
        Gap::new(separation, error, normal)
    }

    /// The vector from the nearest point of a box to the axis, and its length.
    #[inline]
    pub(crate) fn outside_of(&self, bounds: [DVec3; 2]) -> (DVec3, f64) {
        let offset = self.excess(bounds, self.nearest_to_box(bounds));
        (offset, offset.length())
    }

    /// The vector from the nearest point of a box to a place on the axis.
    #[inline(always)]
    pub(crate) fn excess(&self, [min, max]: [DVec3; 2], place: f64) -> DVec3 {
        let point = self.center + self.half * place;
        (point - max).max(DVec3::ZERO) - (min - point).max(DVec3::ZERO)
    }

    /// The place on the axis, from −1 to 1, that is nearest to a box.
    #[inline]
    pub(crate) fn nearest_to_box(&self, bounds @ [min, max]: [DVec3; 2]) -> f64 {
        // Half of the derivative of the squared distance: it rises with `t`, and is linear between the places where the
        // axis crosses the planes of the faces.
        let slope = |t: f64| self.excess(bounds, t).dot(self.half);
        let (mut low, mut high) = ((-1.0, slope(-1.0)), (1.0, slope(1.0)));
        if low.1 >= 0.0 {
            return -1.0;
        }
        if high.1 <= 0.0 {
            return 1.0;
        }
        for axis in 0..3 {
            for face in [min[axis], max[axis]] {
                let t = (face - self.center[axis]) / self.half[axis];
                if t > low.0 && t < high.0 {
                    let at = (t, slope(t));
                    *(if at.1 <= 0.0 { &mut low } else { &mut high }) = at;
                }
            }
        }
        low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1))
    }

    /// How far it is from an axis-aligned box; it is held on the given `side` of the box's middle, 1 or −1 along each
    /// axis.
    pub(crate) fn gap_to_box(&self, [min, max]: [DVec3; 2], side: DVec3) -> Gap {
        let (offset, distance) = self.outside_of([min, max]);
        let error = 16.0 * ROUNDING * (self.size + distance);
        if distance > error {
            return Gap::new(distance - self.radius, error, offset / distance);
        }
        // The axis touches the box, up to rounding: out through the nearest facet of the difference. If the box is no
        // thicker than rounding, that is the face on the side where the capsule is held.
        let (above, below) = (self.center - max, min - self.center);
        let face = |axis: usize| {
            let is_thin = max[axis] - min[axis] <= error;
            let is_upper = if is_thin { side[axis] > 0.0 } else { above[axis] > below[axis] };
            let (separation, sign) = if is_upper { (above[axis], 1.0) } else { (below[axis], -1.0) };
            (separation - self.half[axis].abs(), DVec3::AXES[axis] * sign)
        };
        let (middle, half) = (self.center - 0.5 * (min + max), 0.5 * (max - min));
        let edge = |axis: usize| {
            let across = try_normalized(DVec3::AXES[axis].cross(self.half))?;
            let along = across.dot(middle);
            let normal = if along < 0.0 { -across } else { across };
            Some((along.abs() - across.abs().dot(half), normal))
        };
        let facets = [1, 2].mapped(face).into_iter().chain([0, 1, 2].into_iter().filter_map(edge));
        let (separation, normal) = facets.fold(face(0), |a, b| if b.0 > a.0 { b } else { a });
        Gap::new(separation - self.radius, error, normal)
    }
}

/// The cosine up to which two directions count as perpendicular, 2^-20.
const SQUARE: f64 = 1.0 / (1u64 << 20) as f64;

/// A box around a centre with half edges, as the queries of two convexes take it.
pub(crate) fn box_core(center: DVec3, [a, b, c]: [DVec3; 3]) -> ConvexCore {
    let signed = |edge: DVec3, i: usize, bit: usize| if i >> bit & 1 == 1 { edge } else { -edge };
    let corner = |i| center + signed(a, i, 0) + signed(b, i, 1) + signed(c, i, 2);
    ConvexCore::of_points([0, 1, 2, 3, 4, 5, 6, 7].mapped(corner), 0.0)
}
