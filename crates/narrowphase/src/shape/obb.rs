//! The oriented box, as a centre and three half edges.

use crate::{
    Aabb, Error,
    arrays::Mapped,
    exact::{
        unit,
        vector::{self, Rotation},
    },
};
use glam::{DVec3, Quat, Vec3, Vec4};
use std::fmt;

/// The set `center + a h₀ + b h₁ + c h₂` with `a, b, c` in `[−1, 1]`, for three stored half edges `h`.
///
/// The edges are what is stored, not a rotation: every test answers for the `f32` edges exactly as stored, and they
/// need not be orthogonal (Lengyel, §12.2.2, allows any parallelepiped with edges R, S, T = 2 h).
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
#[repr(C)]
pub struct Obb {
    /// Half edges and centre by coordinate, `[h₀ₓ, h₁ₓ, h₂ₓ, qₓ]` and so on: one multiplication per coordinate gives
    /// all products with a vector, and a box that was just copied is loaded in the same pieces in which it was stored
    /// (with vectors of three, a sweep constructed where it is used took 25 ns longer).
    rows: [Vec4; 3],
    aabb: Aabb,
}

impl Obb {
    /// Creates the box with these `half_extents`, rotated by `rotation` about its `center`. The rotation is normalised
    /// in `f64` first.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Negative`] for a half extent, [`Error::ZeroDirection`] for
    /// a rotation of length zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{Quat, Vec3}};
    /// let turned = Obb::new(Vec3::ZERO, Quat::from_rotation_z(std::f32::consts::FRAC_PI_2), Vec3::new(1.0, 2.0, 3.0))?;
    /// assert!(turned.half_edges()[0].distance(Vec3::Y) < 1e-6);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn new(center: Vec3, rotation: Quat, half_extents: Vec3) -> Result<Self, Error> {
        let half_extents = unit::coordinates(half_extents, "half_extents")?;
        if half_extents.min_element() < 0.0 {
            return Err(Error::Negative { field: "half_extents" });
        }
        if !rotation.is_finite() {
            return Err(Error::NonFinite { field: "rotation" });
        }
        let rotation = Rotation::new(rotation).ok_or(Error::ZeroDirection { field: "rotation" })?;
        let edge = |axis: DVec3, half: f32| (rotation.turned(axis) * f64::from(half)).as_vec3();
        let edges = [edge(DVec3::X, half_extents.x), edge(DVec3::Y, half_extents.y), edge(DVec3::Z, half_extents.z)];
        Self::from_half_edges(center, edges)
    }

    /// Creates the box with the given half edges, which may be skewed or of length zero.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::Vec3};
    /// let skewed = Obb::from_half_edges(Vec3::ZERO, [Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Z])?;
    /// assert_eq!(skewed.aabb().max(), Vec3::new(2.0, 1.0, 1.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[inline]
    pub fn from_half_edges(center: Vec3, half_edges: [Vec3; 3]) -> Result<Self, Error> {
        Self::bounded(center, half_edges)
    }

    /// Same as [`Obb::from_half_edges`], for callers where it has to be inlined.
    #[inline(always)]
    pub(crate) fn bounded(center: Vec3, [a, b, c]: [Vec3; 3]) -> Result<Self, Error> {
        // Nearly always the sum of all numbers is in range; a NaN never is.
        let sums = center.abs() + a.abs() + b.abs() + c.abs();
        if !sums.cmple(Vec3::splat(unit::MAX_COORDINATE)).all() {
            unit::coordinates(center, "center")?;
            [a, b, c].into_iter().try_for_each(|edge| unit::coordinates(edge, "half_edges").map(drop))?;
        }
        let [center, a, b, c] = [center + Vec3::ZERO, a + Vec3::ZERO, b + Vec3::ZERO, c + Vec3::ZERO];
        let aabb =
            Aabb::around(center, [a.abs(), b.abs(), c.abs()]).ok_or(Error::OutOfRange { field: "half_edges" })?;
        Ok(Self { rows: rows(center, [a, b, c]), aabb })
    }

    /// Half edges and centre by coordinate.
    #[inline(always)]
    pub(crate) fn rows(&self) -> [Vec4; 3] {
        self.rows
    }

    /// Returns the centre.
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.column(3)
    }

    /// Returns the vectors from the centre to the middles of three faces.
    #[inline]
    pub fn half_edges(&self) -> [Vec3; 3] {
        [self.column(0), self.column(1), self.column(2)]
    }

    #[inline(always)]
    fn column(&self, i: usize) -> Vec3 {
        Vec3::new(self.rows[0][i], self.rows[1][i], self.rows[2][i])
    }

    /// Returns the lengths of the half edges, rounded.
    pub fn half_extents(&self) -> Vec3 {
        Vec3::from(self.half_edges().mapped(|edge| edge.as_dvec3().length() as f32))
    }

    /// Returns the smallest axis-aligned box of `f32` bounds around this one.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Returns the eight vertices, rounded; bit `i` of the index is set where half edge `i` is added, and clear where
    /// it is subtracted.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{Quat, Vec3}};
    /// let corners = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?.corners();
    /// assert_eq!(corners[0b101], Vec3::new(1.0, -2.0, 3.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn corners(&self) -> [Vec3; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7].mapped(|index| self.corner(index).as_vec3())
    }

    /// Returns this box moved by `delta`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{Quat, Vec3}};
    /// let moved = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?.translated(Vec3::X)?;
    /// assert_eq!(moved.center(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn translated(&self, delta: Vec3) -> Result<Self, Error> {
        Self::from_half_edges(self.center() + delta, self.half_edges())
    }

    /// Vertex `index` in `f64`.
    pub(crate) fn corner(&self, index: usize) -> DVec3 {
        self.corner_from(self.center().as_dvec3(), index)
    }

    /// Vertex `index` of the box with its centre at `center`.
    #[inline]
    pub(crate) fn corner_from(&self, center: DVec3, index: usize) -> DVec3 {
        let signed = |i: usize| if index >> i & 1 == 1 { 1.0 } else { -1.0 };
        (0..3).fold(center, |sum, i| sum + signed(i) * self.column(i).as_dvec3())
    }

    /// The half edges in `f64`.
    pub(crate) fn wide_edges(&self) -> [DVec3; 3] {
        let [a, b, c] = self.half_edges();
        [a.as_dvec3(), b.as_dvec3(), c.as_dvec3()]
    }

    /// See [`slabs`].
    pub(crate) fn slabs(&self) -> [(DVec3, f64); 3] {
        slabs(self.wide_edges())
    }
}

/// Half edges and centre by coordinate.
#[inline(always)]
fn rows(q: Vec3, [a, b, c]: [Vec3; 3]) -> [Vec4; 3] {
    [Vec4::new(a.x, b.x, c.x, q.x), Vec4::new(a.y, b.y, c.y, q.y), Vec4::new(a.z, b.z, c.z, q.z)]
}

/// The three slabs that bound the box with these half edges: for each, a unit axis and how far the box reaches along it
/// from its centre.
///
/// Face `i` is spanned by the other two edges, so its axis is their cross product. Where edges vanish, perpendicular
/// axes complete the set, so that a flat box, a rod and a point are bounded too. Edges that lie in one plane without
/// vanishing are bounded by a rectangle.
pub(crate) fn slabs(edges: [DVec3; 3]) -> [(DVec3, f64); 3] {
    let bounded = |axis: DVec3| (axis, edges.iter().map(|edge| axis.dot(*edge).abs()).sum());
    // Products of the stored edges, not of unit vectors: they are zero if and only if the edges are parallel.
    let normals = [0, 1, 2].mapped(|i| edges[(i + 1) % 3].cross(edges[(i + 2) % 3]));
    let (normal, along) = (longest(normals), longest(edges));
    if normal == DVec3::ZERO {
        // A rod keeps the index of the edge that it runs along.
        let own = (0..3).find(|&i| edges[i] == along).unwrap_or(0);
        let along = if along == DVec3::ZERO { DVec3::AXES[own] } else { unit(along) };
        let second = vector::perpendicular(along);
        let mut axes = [along, second, along.cross(second)];
        axes.rotate_right(own);
        return axes.mapped(bounded);
    }
    let noise = 8.0 * f64::EPSILON * edges[0].abs().dot(normals[0].abs());
    let is_flat = edges[0].dot(normals[0]).abs() <= noise;
    if is_flat && !edges.contains(&DVec3::ZERO) {
        let (normal, along) = (unit(normal), unit(along));
        return [normal, along, normal.cross(along)].mapped(bounded);
    }
    [0, 1, 2].mapped(|i| {
        // With one edge of length zero, two faces are spanned by the normal and the remaining edge.
        let left = edges[(i + 1) % 3] + edges[(i + 2) % 3];
        let axis = unit(if normals[i] == DVec3::ZERO { normal.cross(left) } else { normals[i] });
        // Only edge i reaches along the axis; what rounding leaves of the others may exceed a short edge i.
        (axis, axis.dot(edges[i]).abs())
    })
}

/// The longest of the vectors.
pub(crate) fn longest(vectors: [DVec3; 3]) -> DVec3 {
    vectors.into_iter().fold(DVec3::ZERO, |best, v| if v.length_squared() > best.length_squared() { v } else { best })
}

/// A vector that is not zero, divided by its length: exactly a unit axis when it lies along one.
fn unit(v: DVec3) -> DVec3 {
    v / v.length()
}

impl fmt::Debug for Obb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Obb").field("center", &self.center()).field("half_edges", &self.half_edges()).finish()
    }
}

/// The smallest oriented box around an axis-aligned one, at its rounded centre. It is the same box where the centre and
/// the half extents are `f32` numbers. Where they are not (a box an odd number of steps of `f32` wide), the half
/// extents are rounded up, so that no part of the box is lost, and the result is larger by up to one step of `f32` at
/// its coordinates. Tests that take an [`Aabb`] answer for its own bounds. At the end of the range of coordinates the
/// centre is one rounding farther in.
impl From<&Aabb> for Obb {
    fn from(aabb: &Aabb) -> Self {
        let half = |axis: usize, middle: f32| {
            let (min, middle, max): (f64, f64, f64) = (aabb.min()[axis].into(), middle.into(), aabb.max()[axis].into());
            unit::round_up(&[max, -middle]).max(unit::round_up(&[middle, -min]))
        };
        let (mut center, mut reach) = (aabb.center() + Vec3::ZERO, Vec3::ZERO);
        for axis in 0..3 {
            reach[axis] = half(axis, center[axis]);
            let room = f64::from(unit::MAX_COORDINATE) - f64::from(reach[axis]);
            if f64::from(center[axis].abs()) > room {
                // Rounded, the box would stick out of the range; with the centre a little farther in, both its ends
                // fit.
                center[axis] = unit::round_down([room]).copysign(center[axis]);
                reach[axis] = half(axis, center[axis]);
            }
        }
        let half_edges = [Vec3::X * reach.x, Vec3::Y * reach.y, Vec3::Z * reach.z];
        Self { rows: rows(center, half_edges), aabb: Aabb::around(center, half_edges).unwrap_or(*aabb) }
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    center: Vec3,
    half_edges: [Vec3; 3],
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Obb {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::from_half_edges(raw.center, raw.half_edges)
    }
}

#[cfg(feature = "serde")]
impl From<Obb> for Raw {
    fn from(obb: Obb) -> Self {
        Self { center: obb.center(), half_edges: obb.half_edges() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_any_rank_is_bounded_on_three_independent_axes() {
        let (x, y) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-3.0, 1.0, 0.5));
        let zero = Vec3::ZERO;
        let coplanar = [x, y, x + y];
        for edges in
            [[zero; 3], [x, zero, zero], [x, 2.0 * x, zero], [x, 2.0 * x, -x], [x, y, zero], [x, 2.0 * x, y], coplanar]
        {
            for turn in 0..3 {
                let edges = std::array::from_fn(|i| edges[(i + turn) % 3]);
                let [a, b, c] = Obb::from_half_edges(zero, edges).unwrap().slabs().map(|(axis, _)| axis);
                assert!(a.dot(b.cross(c)).abs() > 0.1, "{edges:?}: {a} {b} {c}");
            }
        }
    }
}
