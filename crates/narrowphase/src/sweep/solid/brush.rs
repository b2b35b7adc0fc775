//! A translating box against brushes and patches, and these as convex solids.

use crate::{
    Brush, Contacts, FeatureId, Gap, Obb, Patch,
    minkowski::MinkowskiDifference,
    sweep::{BoxSweep, Sweep, solid},
};
use glam::Vec3;

impl BoxSweep {
    /// The first touch of `brush`.
    ///
    /// * [`Sweep::Hit`] when the interiors do not overlap at the start and would before the end. Entry is decided on every separating
    ///   axis: faces of the brush, faces of the box, and pairs of edges.
    /// * [`Sweep::Overlap`] when the interiors overlap at the start, with the shortest way out.
    /// * [`Sweep::Clear`] otherwise: also when the box only brushes past an edge, slides along a face or moves away from it.
    ///
    /// Decided in `f64`; a start within rounding of touching touches. `position` is exact: the `f32` box there does not penetrate.
    ///
    /// Source: exact planes and edges as in Ericson, "Real-Time Collision Detection", §5.5.8.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BoxSweep, Brush, Obb, glam::{Quat, Vec3}};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let body = Obb::new(Vec3::new(-5.0, 1.0, 1.0), Quat::IDENTITY, Vec3::splat(1.0))?;
    /// let hit = BoxSweep::new(body, Vec3::X * 8.0)?.against_brush(&step).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal, hit.position.x), (0.5, Vec3::NEG_X, -1.0));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_brush(&self, brush: &Brush) -> Sweep {
        self.against_difference(&brush.difference())
    }

    /// The first touch of `patch`, from either side; as for a brush of no thickness. A box that the patch cuts overlaps.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// let body = Obb::new(Vec3::Z * -4.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let hit = BoxSweep::new(body, Vec3::Z * 4.0)?.against_patch(&patch).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal), (0.25, Vec3::NEG_Z));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_patch(&self, patch: &Patch) -> Sweep {
        self.against_difference(&patch.difference())
    }
}

impl Brush {
    /// How far `body` is from this brush, or how deep in it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Obb, glam::{DVec3, Quat, Vec3}};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let gap = step.gap(&Obb::new(Vec3::new(2.5, 1.0, 1.0), Quat::IDENTITY, Vec3::ONE)?);
    /// assert_eq!((gap.separation, gap.normal), (-0.5, DVec3::X));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        solid::gap(&self.difference(), body)
    }

    /// Where `body` and this face each other along `normal`, which points to the body: of what the face of the body that looks against the
    /// normal shares with the upper side of this, seen along it, every corner whose separation is no more than `margin`; all that
    /// penetrate, therefore. What is nearest is told in any case, however far it is. Of more than four points four, which reach about as
    /// far: the deepest is one of them.
    ///
    /// An edge or a face that touches is kept whole whatever the margin; the id of the step before keeps it from flickering, as in
    /// [`Plane::manifold`](crate::Plane::manifold). A normal without direction, zero or not finite, counts as upward, +Y; a margin that is
    /// negative or NaN as zero.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, FeatureId, Obb, glam::{Quat, Vec3}};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// // It leans over the edge of the step at x = 2 by less than the margin.
    /// let body = Obb::new(Vec3::new(2.0, 3.5, 2.0), Quat::from_rotation_z(1e-3), Vec3::new(1.0, 0.5, 1.0))?;
    /// let contacts = step.contacts(&body, Vec3::Y, 0.01, FeatureId::NONE);
    /// assert_eq!(contacts.points().len(), 4);
    /// assert!(contacts.points().iter().all(|point| point.x < 2.001));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        solid::contacts(&self.difference(), body, normal, margin, previous)
    }

    /// The gap of `body` to this brush, unless they are apart beyond doubt ([`Gap::is_apart`]): then `None`, and much cheaper.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Obb, glam::{Quat, Vec3}};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let body = |x: f32| Obb::new(Vec3::new(x, 1.0, 1.0), Quat::IDENTITY, Vec3::ONE).unwrap();
    /// assert!(step.penetration(&body(3.0)).is_none());
    /// assert_eq!(step.penetration(&body(2.5)).unwrap().separation, -0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        solid::penetration(&self.difference(), body)
    }

    /// Whether `body` and this share a point, touching included; decided in `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Obb, glam::{Quat, Vec3}};
    /// let solid = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// assert!(solid.overlaps_obb(&Obb::new(Vec3::new(1.0, 1.0, -3.0), Quat::IDENTITY, Vec3::splat(3.0))?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb()) && self.gap(body).separation <= 0.0
    }
}

impl Patch {
    /// How far `body` is from this patch, or how deep it is cut.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// assert_eq!(patch.gap(&Obb::new(Vec3::Z * 4.0, Quat::IDENTITY, Vec3::ONE)?).separation, 3.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        solid::gap(&self.difference(), body)
    }

    /// Where `body` and this are next to touch along `normal`: as [`Brush::contacts`].
    ///
    /// ```
    /// # use cullide_narrowphase::{FeatureId, Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// let above = Obb::new(Vec3::new(0.5, 0.5, 1.0), Quat::IDENTITY, Vec3::new(0.25, 0.25, 1.0))?;
    /// assert_eq!(patch.contacts(&above, Vec3::Z, 0.0, FeatureId::NONE).points().len(), 4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        solid::contacts(&self.difference(), body, normal, margin, previous)
    }

    /// The gap of `body` to this patch, unless they are apart beyond doubt ([`Gap::is_apart`]): then `None`, and cheaper.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, Patch, glam::{Quat, Vec3}};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// assert!(patch.penetration(&Obb::new(Vec3::Z, Quat::IDENTITY, Vec3::ONE)?).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        solid::penetration(&self.difference(), body)
    }

    /// Whether `body` and this share a point, touching included; decided in `f64`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Patch, Obb, glam::{Quat, Vec3}};
    /// let solid = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// assert!(solid.overlaps_obb(&Obb::new(Vec3::new(1.0, 1.0, -3.0), Quat::IDENTITY, Vec3::splat(3.0))?));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb()) && self.gap(body).separation <= 0.0
    }
}

impl Brush {
    /// The brush as part of a sum.
    pub(crate) fn difference(&self) -> MinkowskiDifference<'_> {
        MinkowskiDifference {
            planes: self.planes(),
            vertices: self.vertices(),
            edges: self.edges(),
            bounds: self.bounds(),
            vertex_error: self.vertex_error(),
            plane_error: 0.0,
            is_axial: self.is_axial(),
            frame: None,
        }
    }
}

impl Patch {
    /// The patch as part of a sum: a solid of two faces.
    pub(crate) fn difference(&self) -> MinkowskiDifference<'_> {
        MinkowskiDifference {
            planes: self.faces(),
            vertices: self.vertices(),
            edges: self.edges(),
            bounds: [self.aabb().min().as_dvec3(), self.aabb().max().as_dvec3()],
            vertex_error: 0.0,
            plane_error: 0.0,
            is_axial: false,
            frame: None,
        }
    }
}
