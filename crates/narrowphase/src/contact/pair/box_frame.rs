//! Boxes in lanes: the half edges of a box, and its frame of unit axes.

use super::ContactShape;
use crate::{Aabb, Obb, arrays::Mapped, shape::obb::slabs};
use glam::{DVec3, Vec3, Vec4};

/// Half edges count as perpendicular up to this cosine, 2^-21: twice the combined rounding of a turned box's half edges
/// to `f32` and of the dot product here.
const SKEW: f32 = 1.0 / (1u32 << 21) as f32;

/// Squared lengths in this range, 2^-60 to 2^61, and what is computed from them here stay finite and normal in `f32`.
const SQUARES: [f32; 2] = [1.0 / (1u64 << 60) as f32, (1u64 << 61) as f32];

/// The half edges of a box around its centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxEdges {
    /// Half edges by coordinate, one per lane; the fourth lane is arbitrary.
    pub(super) rows: [Vec4; 3],
    /// The centre, rounded as [`ContactShape::center`] is.
    pub(super) center: Vec3,
    /// What that rounding removed.
    pub(super) rest: Vec3,
}

/// A rectangular box with unit axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxFrame {
    /// The axes by coordinate, one per lane; zero in the fourth.
    pub(super) rows: [Vec4; 3],
    /// How far the box reaches along each; zero in the fourth lane.
    pub(super) half: Vec4,
}

impl BoxEdges {
    /// The half edges of a shape, if it is a box.
    #[inline]
    pub(super) fn of(shape: &ContactShape) -> Option<Self> {
        match shape {
            ContactShape::Box(obb) => Some(Self::from(*obb)),
            ContactShape::Aabb(aabb) => Some(Self::from(*aabb)),
            _ => None,
        }
    }

    /// The vector from this centre to another one, rounded as a difference of two numbers is.
    #[inline(always)]
    pub(super) fn way_to(&self, other: &Self) -> Vec3 {
        (other.center - self.center) + (other.rest - self.rest)
    }

    /// The dot products of all half edges with a vector.
    #[inline(always)]
    pub(super) fn along(&self, v: Vec3) -> Vec4 {
        along(&self.rows, v)
    }

    #[inline(always)]
    pub(super) fn edge(&self, i: usize) -> Vec3 {
        Vec3::new(self.rows[0][i], self.rows[1][i], self.rows[2][i])
    }

    /// An upper bound on the sum of the lengths of the half edges.
    #[inline(always)]
    pub(super) fn size(&self) -> f32 {
        let sums = self.rows[0].abs() + self.rows[1].abs() + self.rows[2].abs();
        sums.x + sums.y + sums.z
    }

    /// The axes of the box; `None` if it is skewed.
    #[inline]
    pub(super) fn frame(&self) -> Option<BoxFrame> {
        let [x, y, z] = self.rows;
        let squares = x * x + y * y + z * z;
        let products = x * yzx(x) + y * yzx(y) + z * yzx(z);
        let lengths = squares.sqrt();
        let is_plain = squares.cmpge(Vec4::splat(SQUARES[0])) & squares.cmple(Vec4::splat(SQUARES[1]));
        let is_rectangular = products.abs().cmple(SKEW * (lengths * yzx(lengths)));
        if (is_plain & is_rectangular).bitmask() & 0b111 != 0b111 {
            return self.awkward_frame();
        }
        let none = Vec4::new(1.0, 1.0, 1.0, 0.0);
        let inverse = none / Vec4::new(lengths.x, lengths.y, lengths.z, 1.0);
        Some(BoxFrame { rows: [x * inverse, y * inverse, z * inverse], half: lengths * none })
    }

    /// The same for a box that is flat or tiny.
    #[cold]
    fn awkward_frame(&self) -> Option<BoxFrame> {
        let edges = [0, 1, 2].mapped(|i| self.edge(i).as_dvec3());
        let is_rectangular = (0..3).all(|i| {
            let (a, b) = (edges[i], edges[(i + 1) % 3]);
            a.dot(b).abs() <= f64::from(SKEW) * a.length() * b.length()
        });
        let slabs = slabs(edges);
        let row = |k: usize| Vec3::from([0, 1, 2].mapped(|i| slabs[i].0[k] as f32)).extend(0.0);
        let half = Vec3::from(slabs.mapped(|(_, reach)| reach as f32)).extend(0.0);
        is_rectangular.then(|| BoxFrame { rows: [row(0), row(1), row(2)], half })
    }
}

impl BoxFrame {
    /// The dot products of all axes with a vector; zero in the fourth lane.
    #[inline(always)]
    pub(super) fn along(&self, v: Vec3) -> Vec4 {
        along(&self.rows, v)
    }

    #[inline(always)]
    pub(super) fn axis(&self, i: usize) -> Vec3 {
        Vec3::new(self.rows[0][i], self.rows[1][i], self.rows[2][i])
    }

    /// The point with these coordinates, relative to the centre.
    #[inline(always)]
    pub(super) fn place(&self, coordinates: Vec3) -> Vec3 {
        let [x, y, z] = self.rows.mapped(|row| row.truncate() * coordinates);
        Vec3::new(x.x + x.y + x.z, y.x + y.y + y.z, z.x + z.y + z.z)
    }

    /// The largest half extent.
    pub(super) fn longest(&self) -> f32 {
        self.half.x.max(self.half.y).max(self.half.z)
    }
}

impl From<&Obb> for BoxEdges {
    #[inline]
    fn from(obb: &Obb) -> Self {
        Self { rows: obb.rows(), center: obb.center(), rest: Vec3::ZERO }
    }
}

impl From<&Aabb> for BoxEdges {
    #[inline]
    fn from(aabb: &Aabb) -> Self {
        let [min, max] = [aabb.min().as_dvec3(), aabb.max().as_dvec3()];
        let (center, half): (Vec3, DVec3) = (aabb.center(), 0.5 * (max - min));
        let rest = (0.5 * (min + max) - center.as_dvec3()).as_vec3();
        let half = half.as_vec3();
        let rows = [Vec4::X * half.x, Vec4::Y * half.y, Vec4::Z * half.z];
        Self { rows, center, rest }
    }
}

#[inline(always)]
fn along(rows: &[Vec4; 3], v: Vec3) -> Vec4 {
    rows[0] * v.x + rows[1] * v.y + rows[2] * v.z
}

/// Each of the first three lanes takes the value of the one after it; the fourth stays.
#[inline(always)]
pub(super) fn yzx(v: Vec4) -> Vec4 {
    Vec4::new(v.y, v.z, v.x, v.w)
}

/// Each of the first three lanes takes the value of the one before it; the fourth stays.
#[inline(always)]
pub(super) fn zxy(v: Vec4) -> Vec4 {
    Vec4::new(v.z, v.x, v.y, v.w)
}
