//! How far a capsule is from a convex solid, or how deep in it: the distance of its axis, less the radius.
//!
//! The axis touches the solid iff the middle of the axis lies in the Minkowski difference of the two, a convex
//! polytope, whose facets tell whether it does, and how deep. Outside, the nearest points of the two are an end of the
//! axis and a point of the solid, or a point of the axis and one of an edge of the solid:
//!
//! ```text
//!   distance = min over  each end of the axis and the face that it is farthest in front of
//!                        the axis and each edge
//! ```
//! Depth and distance are convex functions of the position of the axis, with the same limit where it touches. So the
//! whole is convex along a straight path, and conservative advancement finds the first touch.
//!
//! Sources: Ericson, "Real-Time Collision Detection", §5.1.9 and §5.5.7; for the facets see
//! [`minkowski`](crate::minkowski).

use super::{Gap, measured_solid::MeasuredSolid};
use crate::{
    BrushPlane, Capsule, Obb,
    exact::{
        ROUNDING,
        lines::Line,
        vector::{self, try_normalized},
    },
    minkowski::{Body, FacetKind, MinkowskiDifference},
};
use glam::DVec3;
use std::ops::ControlFlow::{self, Continue};

/// A moving capsule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rod {
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
    pub(crate) radius: f64,
    /// No less than the coordinates that its ends are sums of, plus the radius.
    pub(crate) size: f64,
    /// The direction in which it leaves something flat that it lies in: it is held on the side to which this leads.
    pub(crate) leaving: DVec3,
}

impl From<&Capsule> for Rod {
    fn from(capsule: &Capsule) -> Self {
        Self::new(capsule.center().as_dvec3(), capsule.wide_axis(), capsule.radius().into())
    }
}

impl Rod {
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

    pub(crate) fn axis(&self) -> Line {
        Line { base: self.center - self.half, direction: 2.0 * self.half, max: 1.0 }
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

    /// How far the capsule is from a convex solid; `rod` is the capsule's axis as a box.
    pub(crate) fn gap_to_solid(&self, solid: &MeasuredSolid, rod: impl Fn() -> Obb) -> Gap {
        let error = self.error(solid);
        // Mostly a face of the solid separates the two, and no other facet is needed.
        let face = self.largest_face(solid);
        let (facet, normal) = if face.0 > error { face } else { self.largest_facet(solid.difference, &rod(), error) };
        if facet <= error {
            return Gap::new(facet - self.radius, error, normal);
        }
        let (distance, offset) = self.nearest_feature(solid, error);
        // The nearest features are no nearer than a plane between the two.
        let (distance, normal) = if distance > facet { (distance, offset) } else { (facet, normal) };
        Gap::new(distance - self.radius, error, normal).or(self.gap_to_bounds(solid.difference.bounds))
    }

    /// Whether a face of the solid certainly stays between the two while the capsule moves.
    pub(crate) fn stays_in_front(&self, solid: &MeasuredSolid, motion: DVec3) -> bool {
        let error = self.moved(motion).error(solid);
        solid.planes().any(|(plane, length)| {
            let apart = self.height_over(plane) - (self.radius + error) * length;
            apart > 0.0 && apart + plane.normal.dot(motion) > 0.0
        })
    }

    /// Bound on what rounding may do to a gap to a solid.
    fn error(&self, solid: &MeasuredSolid) -> f64 {
        64.0 * ROUNDING * (self.size + solid.size) + 4.0 * solid.difference.vertex_error + solid.thickness
    }

    /// How far the axis is in front of a plane, times the length of its normal.
    #[inline]
    pub(super) fn height_over(&self, plane: &BrushPlane) -> f64 {
        plane.signed_distance(self.center) - plane.normal.dot(self.half).abs()
    }

    /// The separation along the face of the solid along which it is largest, and that face's unit normal.
    fn largest_face(&self, solid: &MeasuredSolid) -> (f64, DVec3) {
        let faces = solid.planes().map(|(plane, length)| (self.height_over(plane) / length, plane, length));
        let largest = faces.reduce(|a, b| if b.0 > a.0 { b } else { a });
        largest.map_or((f64::NEG_INFINITY, DVec3::Y), |(height, plane, length)| (height, plane.normal * (1.0 / length)))
    }

    /// The separation along the facet of the difference along which it is largest, and that facet's unit normal.
    pub(super) fn largest_facet(&self, difference: &MinkowskiDifference, rod: &Obb, error: f64) -> (f64, DVec3) {
        let body = Body::rotated(rod, [self.half, DVec3::ZERO, DVec3::ZERO]);
        let (mut most, mut normal) = (f64::NEG_INFINITY, DVec3::Y);
        let _: ControlFlow<()> = difference.facets(&body, |facet| {
            // The support that no vertex exceeds: an edge's own leaves out the rounding of its direction.
            let facet = if facet.kind == FacetKind::Edges { difference.supporting(facet.normal) } else { facet };
            let length = facet.normal.length();
            let separation = facet.gap(&body, self.center).value / length;
            if separation > most {
                (most, normal) = (separation, facet.normal / length);
            }
            Continue(())
        });
        // In the plane of a patch, both of its sides are equally near.
        if let [plane, _] = difference.planes {
            let (length, front) = (plane.normal.length(), vector::normalized(plane.normal));
            let is_level = (plane.signed_distance(self.center) / length).abs() <= error;
            if is_level && normal.cross(front).length() <= SQUARE {
                normal = if front.dot(self.leaving) < 0.0 { -front } else { front };
            }
        }
        (most, normal)
    }

    /// How far the axis is from the nearest feature of a solid that it does not touch, and the unit direction from
    /// there.
    pub(super) fn nearest_feature(&self, solid: &MeasuredSolid, error: f64) -> (f64, DVec3) {
        let mut best = (f64::INFINITY, DVec3::Y);
        for end in self.ends() {
            let heights = solid.planes().map(|(plane, length)| plane.signed_distance(end) / length);
            // Only the face that the end is farthest in front of can be the nearest.
            let farthest = heights.enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a });
            if let Some((face, height)) = farthest.filter(|(_, height)| *height < best.0) {
                let normal = solid.difference.planes[face].normal * (1.0 / solid.length(face));
                if solid.is_on_face(face, end - normal * height, error) {
                    best = (height, normal);
                }
            }
        }
        let axis = self.axis();
        for row in solid.edge_rows() {
            for (distance, offset) in row.offsets_from(&axis).each() {
                if distance < best.0
                    && let Some(normal) = try_normalized(offset)
                {
                    best = (distance, normal);
                }
            }
        }
        best
    }

    /// The gap to the bounds of a solid, which are no farther away than the solid. Where the bounds are large along one
    /// axis only, the rounding along it does not count along the others.
    #[inline]
    pub(super) fn gap_to_bounds(&self, bounds: [DVec3; 2]) -> Gap {
        let (offset, distance) = self.outside_of(bounds);
        let normal = if distance > 0.0 { offset / distance } else { DVec3::Y };
        // Inside the bounds it decides nothing.
        let separation = if distance > 0.0 { distance - self.radius } else { f64::NEG_INFINITY };
        Gap::new(separation, 16.0 * ROUNDING * (self.size + distance), normal)
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
        let facets = [1, 2].map(face).into_iter().chain([0, 1, 2].into_iter().filter_map(edge));
        let (separation, normal) = facets.fold(face(0), |a, b| if b.0 > a.0 { b } else { a });
        Gap::new(separation - self.radius, error, normal)
    }
}

/// The cosine up to which two directions count as perpendicular, 2^-20.
const SQUARE: f64 = 1.0 / (1u64 << 20) as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Triangle, minkowski::box_solid::BoxSolid};
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    fn any_point(rng: &mut Rng, size: f32) -> Vec3 {
        Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
    }

    /// Calls `check` with capsules and solids near each other, and with motions of the capsules.
    fn each_case(check: impl Fn(&Capsule, &MinkowskiDifference, DVec3)) {
        let mut rng = Rng::with_seed(SEED);
        for case in 0..20_000 {
            let round = |v: Vec3| if case % 2 == 0 { v.round() } else { v };
            let (center, half) = (round(any_point(&mut rng, 4.0)), round(any_point(&mut rng, 2.0)));
            let capsule = Capsule::from_half_axis(center, half, 0.5).unwrap();
            let motion = any_point(&mut rng, 4.0).as_dvec3();
            let turn = if case % 2 == 0 { Quat::IDENTITY } else { Quat::from_xyzw(0.3, rng.f32(), rng.f32(), 0.5) };
            let half_extents = round(any_point(&mut rng, 2.0)).abs();
            let obb = Obb::new(round(any_point(&mut rng, 2.0)), turn, half_extents).unwrap();
            check(&capsule, &BoxSolid::from(&obb).difference(), motion);
            let [a, b, c] = [(); 3].map(|()| round(any_point(&mut rng, 4.0)));
            if let Ok(triangle) = Triangle::new(a, b, c) {
                check(&capsule, &triangle.wide().polygon().difference(), motion);
            }
        }
    }

    #[test]
    fn a_face_that_separates_stands_for_all_facets() {
        each_case(|capsule, difference, _| {
            let (rod, obb, solid) = (Rod::from(capsule), capsule.rod(), MeasuredSolid::new(difference));
            let (error, got) = (rod.error(&solid), rod.gap_to_solid(&solid, || obb));
            let (facet, _) = rod.largest_facet(difference, &obb, error);
            let expected = if facet <= error { facet } else { rod.nearest_feature(&solid, error).0.max(facet) };
            assert!((got.separation - (expected - 0.5)).abs() < 1e-12, "{capsule:?} {difference:?} {got:?} {expected}");
        });
    }

    #[test]
    fn what_stays_in_front_of_a_face_never_touches() {
        each_case(|capsule, difference, motion| {
            let (rod, solid) = (Rod::from(capsule), MeasuredSolid::new(difference));
            if rod.stays_in_front(&solid, motion) {
                for share in 0..=8 {
                    let there = rod.moved(motion * (f64::from(share) / 8.0));
                    let gap = there.gap_to_solid(&solid, || capsule.rod());
                    assert!(gap.separation > 0.0, "{capsule:?} {difference:?} {motion} {gap:?}");
                }
            }
        });
    }
}
