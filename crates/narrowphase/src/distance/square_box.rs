//! How far a capsule is from a box whose edges are perpendicular up to rounding.
//!
//! In the frame of its edges such a box is nearly axis-aligned, and its feature nearest to an axis is found with a few
//! comparisons. Only that feature is measured, on the box as stored; a plane perpendicular to the offset then proves
//! that nothing else is nearer:
//!
//! ```text
//!   N·(C − Q) − |N·A| − |N·h₀| − |N·h₁| − |N·h₂|  <=  distance  <=  what is measured
//! ```
//! for a capsule with half axis `A` around `C`, and a box with half edges `h` around `Q`. If the two bounds differ by
//! more than rounding, or the axis touches the box, [`Rod::gap_to_solid`] considers all features. The result is the
//! same.

use super::{Gap, rod::Rod};
use crate::{
    Obb,
    exact::{
        ROUNDING,
        lines::Line,
        vector::{determinant, try_normalized},
    },
    minkowski::box_solid::BOX_EDGES,
};
use glam::DVec3;

/// Edges that lean by no more than this, 2^-18, are perpendicular: rounding to `f32` accounts for 2^-23.
const SQUARE: f64 = 1.0 / (1u64 << 18) as f64;

/// A point is beside a feature if it is so by this share of the edges, 2^-15: more than leaning edges and the rounding
/// of the frame account for.
const BESIDE: f64 = 1.0 / (1u64 << 15) as f64;

/// A box that is not axis-aligned, as stored, and the frame of its edges.
#[derive(Debug)]
pub(crate) struct SquareBox {
    pub(crate) center: DVec3,
    pub(crate) edges: [DVec3; 3],
    /// Mutually perpendicular unit vectors.
    pub(crate) axes: [DVec3; 3],
    /// The half extents, in the frame, of the smallest box around it.
    pub(crate) half: DVec3,
    /// See [`BESIDE`].
    margin: f64,
    bounds: [DVec3; 2],
    vertex_error: f64,
    /// The largest coordinate of its bounds.
    size: f64,
}

impl SquareBox {
    /// The same box; `None` if it is skewed, flat, or axis-aligned.
    #[inline]
    pub(crate) fn new(obb: &Obb) -> Option<Self> {
        let (center, mut edges) = (obb.center().as_dvec3(), obb.wide_edges());
        // As `BoxSolid` orders them.
        if determinant(edges[0], edges[1], edges[2]) < 0.0 {
            edges[0] = -edges[0];
        }
        let x = try_normalized(edges[0])?;
        let y = try_normalized(edges[1] - x * x.dot(edges[1]))?;
        let axes = [x, y, x.cross(y)];
        let along = edges.map(|edge| in_frame(&axes, edge));
        let leans = |i: usize| along[i].abs().element_sum() - along[i][i] >= SQUARE * along[i][i];
        let is_axial = (0..3).all(|i| edges[i] == DVec3::AXES[i] * edges[i][i]);
        if leans(0) || leans(1) || leans(2) || is_axial {
            return None;
        }
        let half = along[0].abs() + along[1].abs() + along[2].abs();

        // As for the vertices of a `BoxSolid`: rounding is monotonic.
        let [a, b, c] = edges.map(DVec3::abs);
        let (min, max) = (center - a - b - c, center + a + b + c);
        let vertex_error = 8.0 * ROUNDING * min.abs().max(max.abs()).max_element();
        let bounds @ [min, max] = [min - vertex_error, max + vertex_error];
        let size = min.abs().max(max.abs()).max_element();
        Some(Self { center, edges, axes, half, margin: BESIDE * half.element_sum(), bounds, vertex_error, size })
    }

    pub(crate) fn in_frame(&self, v: DVec3) -> DVec3 {
        in_frame(&self.axes, v)
    }

    /// How far it reaches along a normal.
    pub(crate) fn reach(&self, normal: DVec3) -> f64 {
        self.edges.iter().map(|edge| normal.dot(*edge).abs()).sum()
    }

    /// How far a capsule is from the box: the result of [`Rod::gap_to_solid`], or `None` if that takes all features.
    #[inline]
    pub(crate) fn gap(&self, rod: &Rod) -> Option<Gap> {
        let error = 64.0 * ROUNDING * (rod.size + self.size) + 4.0 * self.vertex_error;
        let way = rod.center - self.center;
        let seen = Rod { center: self.in_frame(way), half: self.in_frame(rod.half), ..*rod };
        // A face that separates the two.
        if !(seen.center.abs() - seen.half.abs() - self.half).cmpgt(DVec3::splat(self.margin)).any() {
            return None;
        }
        let place = seen.nearest_to_box([-self.half, self.half]);
        let nearest = seen.center + seen.half * place;
        let beyond = nearest.abs() - self.half;
        if beyond.abs().min_element() <= self.margin {
            return None;
        }
        let is_beyond = beyond.cmpgt(DVec3::ZERO);
        let is_upper = nearest.cmpgt(DVec3::ZERO);
        let (distance, normal) = match is_beyond.bitmask() {
            0 => return None,
            1 => self.face(0, is_upper.test(0), rod, &seen)?,
            2 => self.face(1, is_upper.test(1), rod, &seen)?,
            4 => self.face(2, is_upper.test(2), rod, &seen)?,
            along => self.edges_at(along, is_upper.bitmask(), &rod.axis())?,
        };
        let certain = normal.dot(way) - normal.dot(rod.half).abs() - self.reach(normal);
        if distance <= error || certain < distance - error {
            return None;
        }
        let gap = Gap::new(distance - rod.radius, error, normal);
        // The bounds are no farther away than any point of the axis is from them.
        let (point, [min, max]) = (rod.center + rod.half * place, self.bounds);
        let outside = (point - max).max(min - point).max(DVec3::ZERO).length();
        Some(if outside < distance - 2.0 * error { gap } else { gap.or(rod.gap_to_bounds(self.bounds)) })
    }

    /// How far the nearest end of an axis is in front of a face, and the face's unit normal; `None` unless the end's
    /// foot certainly lies on the face, or if both ends may be nearest.
    #[inline]
    fn face(&self, axis: usize, is_upper: bool, rod: &Rod, seen: &Rod) -> Option<(f64, DVec3)> {
        let across = self.edges[(axis + 1) % 3].cross(self.edges[(axis + 2) % 3]);
        let unit = across / across.length();
        let normal = if is_upper { unit } else { -unit };
        let (distance, length) = (normal.dot(self.center) + unit.dot(self.edges[axis]).abs(), normal.length());
        let (lean, level) = (normal.dot(rod.half), seen.half[axis].abs());
        let sign = if lean > 0.0 { -1.0 } else { 1.0 };
        let height = (normal.dot(rod.center + rod.half * sign) - distance) / length;
        let foot = seen.center + seen.half * sign - self.in_frame(normal * height);
        let is_inside = |i: usize| i == axis || foot[i].abs() < self.half[i] - self.margin;
        if level < SQUARE * seen.half.abs().max_element() || !(is_inside(0) && is_inside(1) && is_inside(2)) {
            return None;
        }
        let over = (normal.dot(rod.center) - distance - lean.abs()) / length;
        Some((height.max(over), normal * (1.0 / length)))
    }

    /// How far an axis is from the edge, or the three edges of the vertex, that is outermost along some axes of the
    /// frame, and the unit vector from there to the axis.
    #[inline]
    fn edges_at(&self, along: u32, is_upper: u32, line: &Line) -> Option<(f64, DVec3)> {
        let (mut least, mut offset) = (f64::INFINITY, DVec3::ZERO);
        for axis in 0..3 {
            if along != 7 && along >> axis & 1 == 1 {
                continue;
            }
            let up = |i: usize| (is_upper >> (i % 3) & 1) as usize;
            let edge = &BOX_EDGES[4 * axis + (up(axis + 1) | up(axis + 2) << 1)];
            let [a, b] = edge.vertices.map(|i| self.vertex(i));
            let found = line.offset_from(&Line::between(a, b));
            if found.0 < least {
                (least, offset) = found;
            }
        }
        Some((least, try_normalized(offset)?))
    }

    fn vertex(&self, index: usize) -> DVec3 {
        let signed = |i: usize| if index >> i & 1 == 1 { self.edges[i] } else { -self.edges[i] };
        self.center + signed(0) + signed(1) + signed(2)
    }
}

fn in_frame(axes: &[DVec3; 3], v: DVec3) -> DVec3 {
    DVec3::new(axes[0].dot(v), axes[1].dot(v), axes[2].dot(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capsule, distance::measured_solid::MeasuredSolid, minkowski::box_solid::BoxSolid};
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    fn any_point(rng: &mut Rng, size: f32) -> Vec3 {
        Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
    }

    fn bits(gap: Gap) -> ([u64; 2], [u64; 3]) {
        ([gap.separation, gap.certain()].map(f64::to_bits), gap.normal.to_array().map(f64::to_bits))
    }

    #[test]
    fn one_feature_tells_what_all_features_tell() {
        let mut rng = Rng::with_seed(SEED ^ 61);
        let (mut told, mut faces) = (0, 0);
        for case in 0..40_000 {
            // Also thin, small and far ones, and capsules that are parallel to a face or an edge.
            let size = [1.0, 0.01, 100.0][case % 3];
            let turn = Quat::from_scaled_axis(any_point(&mut rng, 3.0));
            let mut half_extents = any_point(&mut rng, size).abs();
            half_extents.y *= [1.0, 0.001][case % 2];
            let center = any_point(&mut rng, [1.0, 1000.0][case / 2 % 2] * size);
            let obb = Obb::new(center, turn, half_extents).unwrap();
            let mut half = any_point(&mut rng, size);
            if case % 7 == 0 {
                half = Vec3::ZERO;
            } else if case % 5 == 0 {
                half = turn * Vec3::new(half.x, 0.0, if case % 10 == 0 { half.z } else { 0.0 });
            }
            let capsule =
                Capsule::from_half_axis(center + any_point(&mut rng, 3.0 * size), half, 0.5 * size * rng.f32());
            let (capsule, Some(square)) = (capsule.unwrap(), SquareBox::new(&obb)) else { continue };
            let (rod, solid) = (Rod::from(&capsule), BoxSolid::from(&obb));
            if let Some(gap) = square.gap(&rod) {
                let difference = solid.difference();
                let expected = rod.gap_to_solid(&MeasuredSolid::new(&difference), || capsule.rod());
                assert_eq!(bits(gap), bits(expected), "{case}: {capsule:?} {obb:?} {gap:?} {expected:?}");
                told += 1;
                faces += usize::from(square.axes.iter().any(|axis| axis.dot(gap.normal).abs() > 0.999_999));
            }
        }
        assert!(told > 30_000 && faces > 1_500, "{told} {faces}");
    }

    #[test]
    fn a_box_with_skewed_edges_is_not_square() {
        let [x, y, z] = [Vec3::new(3.0, 4.0, 0.0), Vec3::new(-4.0, 3.0, 0.0), Vec3::Z * 2.0];
        let of = |edges: [Vec3; 3]| SquareBox::new(&Obb::from_half_edges(Vec3::ONE, edges).unwrap());
        assert!(of([x, y, z]).is_some() && of([x, z, y]).is_some());
        for skewed in [[x, y + 1e-4 * x, z], [x, y, z + 1e-3 * x], [x, y, Vec3::ZERO], [x, x, z], [x, y, x + y]] {
            assert!(of(skewed).is_none(), "{skewed:?}");
        }
        // Boxes along the axes are represented exactly.
        assert!(of([Vec3::X, Vec3::Y, Vec3::Z]).is_none());
    }
}
