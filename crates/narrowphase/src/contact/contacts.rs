//! Which points of a box touch a plane.
//!
//! The signs that minimise `N · Z` over the vertices `Z = Q ± h₀ ± h₁ ± h₂` give the contact vertex. An edge that is
//! parallel to the plane keeps both signs, so one parallel edge gives an edge contact and two give a face contact.
//!
//! Source: Lengyel, "Mathematics for 3D Game Programming and Computer Graphics", §12.2.2, equations 12.16–12.18. There
//! an edge is parallel when `h · N == 0`, which the rounding of stored rotations defeats (a face-on contact comes out
//! as a vertex four times in five); here it is parallel within [`FEATURE_ANGLE`].

use super::faces::Underside;
#[cfg(feature = "serde")]
use crate::Error;
use crate::{FeatureId, Obb, arrays::Mapped};
use arrayvec::ArrayVec;
use glam::{DVec3, Vec3};

/// Angle, in radians, by which an edge may lean against a plane and still count as parallel to it. Well above the
/// rounding of a stored rotation (5e-7) and far below what is visible: the ends of a box 10 units long differ in height
/// by a thousandth of a unit.
pub(crate) const FEATURE_ANGLE: f64 = 1e-4;

/// The part of a box that touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// One point.
    Vertex,
    /// Two points, the ends of an edge.
    Edge,
    /// Three or four points of a face.
    Face,
}

/// One to four contact points, each with its separation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Raw", into = "Raw"))]
pub struct Contacts {
    points: [Vec3; 4],
    separations: [f32; 4],
    count: u8,
    id: FeatureId,
}

impl Contacts {
    /// Keeps the first four of `points`, which must not be empty, each with its separation.
    pub(crate) fn new(points: &[(Vec3, f64)], id: FeatureId) -> Self {
        debug_assert!(!points.is_empty(), "a contact has at least one point");
        let count = points.len().min(4);
        let mut kept = Self { points: [Vec3::ZERO; 4], separations: [0.0; 4], count: count as u8, id };
        for (i, &(point, separation)) in points[..count].iter().enumerate() {
            (kept.points[i], kept.separations[i]) = (point + Vec3::ZERO, separation as f32 + 0.0);
        }
        kept
    }

    /// Creates a contact at one point, of a body that has no features with a number.
    ///
    /// ```
    /// # use cullide_narrowphase::{Contacts, Feature, glam::Vec3};
    /// let contact = Contacts::single(Vec3::X, -0.5);
    /// assert_eq!((contact.points(), contact.separations()), (&[Vec3::X][..], &[-0.5][..]));
    /// assert_eq!(contact.feature(), Feature::Vertex);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn single(point: Vec3, separation: f32) -> Self {
        Self::new(&[(point, separation.into())], FeatureId::NONE)
    }

    /// A contact at one vertex of a box.
    #[inline(always)]
    pub(crate) fn vertex(point: Vec3, separation: f64, number: usize) -> Self {
        let points = [point, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        Self { points, separations: [separation as f32, 0.0, 0.0, 0.0], count: 1, id: FeatureId::new(1 << number) }
    }

    /// Returns the same points moved along a direction, with the id of another body's feature.
    pub(crate) fn moved_along(mut self, direction: DVec3, way: f64, id: FeatureId) -> Self {
        for point in &mut self.points[..self.count.into()] {
            *point = (point.as_dvec3() + direction * way).as_vec3() + Vec3::ZERO;
        }
        Self { id, ..self }
    }

    /// Returns the points; those of a face are in cyclic order.
    pub fn points(&self) -> &[Vec3] {
        &self.points[..self.count.into()]
    }

    /// Returns the separation of the two shapes at each of the points, along the normal; negative where they penetrate.
    /// Computed before the points are rounded.
    ///
    /// ```
    /// # use cullide_narrowphase::{Solid, Aabb, FeatureId, Obb, glam::{Quat, Vec3}};
    /// let floor = Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?;
    /// // Two of its lower corners are 0.25 deep, the two others 0.25 above the floor.
    /// let half_edges = [Vec3::new(1.0, 0.25, 0.0), Vec3::Y * 2.0, Vec3::Z * 3.0];
    /// let body = Obb::from_half_edges(Vec3::Y * 2.0, half_edges)?;
    /// let contacts = floor.contacts(&body, Vec3::Y, 0.5, FeatureId::NONE).unwrap();
    /// assert_eq!(contacts.separations(), [0.25, 0.25, -0.25, -0.25]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn separations(&self) -> &[f32] {
        &self.separations[..self.count.into()]
    }

    /// Returns which feature has the points as its corners.
    pub fn feature(&self) -> Feature {
        match self.count {
            0 | 1 => Feature::Vertex,
            2 => Feature::Edge,
            _ => Feature::Face,
        }
    }

    /// Returns the vertices with which the moving box touches: the same id from step to step as long as the same
    /// feature touches.
    pub fn id(&self) -> FeatureId {
        self.id
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    points: Vec<(Vec3, f32)>,
    id: FeatureId,
}

#[cfg(feature = "serde")]
impl TryFrom<Raw> for Contacts {
    type Error = Error;
    fn try_from(Raw { points, id }: Raw) -> Result<Self, Error> {
        let field = "points";
        match points.len() {
            0 => Err(Error::TooFew { field }),
            1..=4 if points.iter().all(|(point, separation)| point.is_finite() && separation.is_finite()) => {
                let wide: ArrayVec<(Vec3, f64), 4> =
                    points.iter().map(|&(p, separation)| (p, separation.into())).collect();
                Ok(Self::new(&wide, id))
            }
            1..=4 => Err(Error::NonFinite { field }),
            _ => Err(Error::TooMany { field }),
        }
    }
}

#[cfg(feature = "serde")]
impl From<Contacts> for Raw {
    fn from(contacts: Contacts) -> Self {
        let separations = contacts.separations().iter().copied();
        Self { points: contacts.points().iter().copied().zip(separations).collect(), id: contacts.id }
    }
}

/// Which half edges of a box run parallel to a plane, and where its lowest vertex is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowestVertex {
    edges: [DVec3; 3],
    /// The dot products of the half edges with the normal, which need not have unit length.
    along: [f64; 3],
    parallel: [bool; 3],
}

impl LowestVertex {
    /// Finds the lowest feature of a box along a normal of any length, from the dot products `along` of its half edges
    /// with that normal. `previous` is the feature with which the box touched before: edges that were parallel then
    /// stay parallel up to twice the angle.
    #[inline]
    pub(crate) fn new(edges: [DVec3; 3], normal: DVec3, along: [f64; 3], previous: FeatureId) -> Self {
        let angle_squared = FEATURE_ANGLE * FEATURE_ANGLE * normal.length_squared();
        let parallel = [0, 1, 2].mapped(|i| {
            let widened = if previous.spans(i) { 4.0 * angle_squared } else { angle_squared };
            along[i] * along[i] <= widened * edges[i].length_squared()
        });
        Self { edges, along, parallel }
    }

    /// Returns the vertices of the feature. The two ends of a zero-length edge are one vertex, named by the lower of
    /// its numbers.
    #[inline]
    pub(crate) fn id(&self) -> FeatureId {
        let [a, b, c] = [0, 1, 2].mapped(|i| (self.along[i] < 0.0 && !self.parallel[i]) as u32);
        let mut mask = 1u8 << (a | b << 1 | c << 2);
        let mut varied = 0;
        for i in 0..3 {
            if self.is_varied(i) && varied < 2 {
                mask |= mask << (1 << i);
                varied += 1;
            }
        }
        FeatureId::new(mask)
    }

    /// Returns, for each edge, whether both of its ends belong to the feature.
    pub(crate) fn varied(&self) -> [bool; 3] {
        [0, 1, 2].mapped(|i| self.is_varied(i))
    }

    /// Returns whether both ends of edge `i` belong to the feature. A zero-length edge is not varied, so that a flat
    /// box on its face has four contacts, a rod two and a point one.
    #[inline]
    fn is_varied(&self, i: usize) -> bool {
        self.parallel[i] && self.edges[i] != DVec3::ZERO
    }

    /// Returns the points for a box centred at `center`, at `height` above the plane in true units. Multiplying a
    /// product with the normal by `unit` gives true units. No separation is below `least`.
    #[inline]
    pub(crate) fn contacts(&self, center: DVec3, height: f64, unit: f64, least: f64) -> Contacts {
        let (points, count) = self.points_at(center, height, unit);
        let rounded = points.mapped(|(point, separation)| (point.as_vec3(), separation.max(least)));
        Contacts::new(&rounded[..count], self.id())
    }

    /// Returns the same points, plus all vertices of that face that are no higher than `margin`, for a plane with this
    /// unit normal.
    pub(crate) fn contacts_within(
        &self,
        center: DVec3,
        height: f64,
        (normal, unit): (DVec3, f64),
        margin: f64,
    ) -> Contacts {
        let face = Underside::new(center, self.edges, self.varied(), normal).id();
        let feature = self.id().mask();
        // For a box thinner than rounding nothing else is known.
        if feature & !face.mask() != 0 || feature.count_ones() > 2 {
            return self.contacts(center, height, unit, f64::NEG_INFINITY);
        }
        let along = self.along.mapped(|along| along * unit);
        let vertex = |vertex: usize| {
            let ends = [0, 1, 2].mapped(|i| if vertex >> i & 1 == 1 { 1.0 } else { -1.0 });
            let point = (0..3).fold(center, |point, i| point + self.edges[i] * ends[i]);
            (vertex, point, (0..3).fold(height, |height, i| height + along[i] * ends[i]))
        };
        let near = face.vertices().map(vertex).filter(|(_, _, height)| *height <= margin);
        let id = FeatureId::new(near.fold(feature, |mask, (vertex, ..)| mask | 1 << vertex));
        let points: ArrayVec<_, 4> =
            id.vertices().map(vertex).map(|(_, point, height)| (point.as_vec3(), height)).collect();
        Contacts::new(&points, id)
    }

    /// Returns the points for a box centred at `center`, in cyclic order.
    pub(crate) fn points(&self, center: DVec3) -> impl Iterator<Item = DVec3> {
        let (points, count) = self.points_at(center, 0.0, 1.0);
        points.into_iter().take(count).map(|(point, _)| point)
    }

    /// Returns the points with their heights, and how many of the four count.
    #[inline]
    fn points_at(&self, center: DVec3, height: f64, unit: f64) -> ([(DVec3, f64); 4], usize) {
        let (mut corner, mut corner_height) = (center, height);
        let mut varied = [(DVec3::ZERO, 0.0); 3];
        let mut count = 0;
        for i in 0..3 {
            if !self.parallel[i] {
                corner -= self.edges[i] * self.along[i].signum();
                corner_height -= self.along[i].abs() * unit;
            } else if self.is_varied(i) {
                varied[count] = (self.edges[i], self.along[i] * unit);
                count += 1;
            }
        }
        let at = |a: f64, b: f64| {
            let [(edge_a, along_a), (edge_b, along_b), _] = varied;
            (corner + edge_a * a + edge_b * b, corner_height + a * along_a + b * along_b)
        };
        match count {
            0 => ([(corner, corner_height); 4], 1),
            1 => ([at(1.0, 0.0), at(-1.0, 0.0), (DVec3::ZERO, 0.0), (DVec3::ZERO, 0.0)], 2),
            // Three edges cannot all be perpendicular to one normal unless the box is degenerate; two of them span its
            // face.
            _ => ([at(1.0, 1.0), at(1.0, -1.0), at(-1.0, -1.0), at(-1.0, 1.0)], 4),
        }
    }
}

/// Returns the vertices of the box that lie lowest along the unit `normal`, for a box centred at `center` that reaches
/// `depth` below the surface that they touch.
pub(crate) fn lowest(obb: &Obb, center: DVec3, normal: DVec3, depth: f64) -> Contacts {
    let edges = obb.wide_edges();
    let along = edges.mapped(|edge| edge.dot(normal));
    let reach: f64 = along.iter().map(|x| x.abs()).sum();
    LowestVertex::new(edges, normal, along, FeatureId::NONE).contacts(center, reach - depth, 1.0, f64::NEG_INFINITY)
}
