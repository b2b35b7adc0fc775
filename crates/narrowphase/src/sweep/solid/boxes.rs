//! A translating box against boxes.

use crate::{
    Aabb, Contacts, FeatureId, Gap, Obb,
    exact::{ROUNDING, predicate::exact_sum},
    minkowski::box_solid::BoxSolid,
    sweep::{BoxSweep, Sweep, solid},
};
use glam::Vec3;

impl BoxSweep {
    /// The first touch of `aabb`, as for a [`Brush`](crate::Brush) of six planes. For a box whose edges run along x, y and z this is
    /// the slab test, and whether it overlaps, approaches and arrives is exact along each axis.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, BoxSweep, Obb, glam::Vec3};
    /// let body = Obb::from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?);
    /// let wall = Aabb::new(Vec3::new(4.0, 1.0, 1.0), Vec3::splat(9.0))?;
    /// let hit = BoxSweep::new(body, Vec3::X * 4.0)?.against_aabb(&wall).hit().unwrap();
    /// assert_eq!((hit.toi, hit.contacts.points().len()), (0.5, 4));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_aabb(&self, aabb: &Aabb) -> Sweep {
        if stays_beside(aabb, self.body(), self.motion()) {
            return Sweep::Clear;
        }
        self.against_difference(&BoxSolid::from(aabb).difference())
    }

    /// The first touch of a fixed oriented box.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, glam::{Quat, Vec3}};
    /// let post = Obb::new(Vec3::ZERO, Quat::from_rotation_z(0.7), Vec3::new(1.0, 2.0, 3.0))?;
    /// let body = Obb::new(Vec3::Z * 8.0, Quat::from_rotation_z(0.2), Vec3::ONE)?;
    /// let hit = BoxSweep::new(body, Vec3::Z * -8.0)?.against_obb(&post).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal), (0.5, Vec3::Z));
    /// assert!(hit.position.z >= 4.0 && hit.position.z < 4.00001);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_obb(&self, obb: &Obb) -> Sweep {
        self.against_difference(&BoxSolid::from(obb).difference())
    }
}

/// Whether a box certainly lies beyond one side of another, touching perhaps, and does not move toward it, or not far enough: most of those
/// that it stands on or beside.
fn stays_beside(aabb: &Aabb, body: &Obb, motion: Vec3) -> bool {
    let rows = body.rows();
    (0..3).any(|axis| {
        let [a, b, c, center] = rows[axis].to_array().map(f64::from);
        let [min, max, motion] = [aabb.min()[axis], aabb.max()[axis], motion[axis]].map(f64::from);
        let reaches = [-a.abs(), -b.abs(), -c.abs()];
        let reach: f64 = reaches.iter().sum();
        let error = 8.0 * ROUNDING * (center.abs() + min.abs() + max.abs() - reach + motion.abs());
        [(center, -max, motion), (-center, min, -motion)].into_iter().any(|(center, side, departure)| {
            let gap = center + side + reach;
            gap > error && gap + departure > error
                || departure >= 0.0
                    && gap >= -error
                    && exact_sum([center, side].into_iter().chain(reaches)).is_some_and(|gap| gap >= 0.0)
        })
    })
}

impl Aabb {
    /// How far `body` is from this box, or how deep in it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Obb, glam::Vec3};
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let other = Obb::from(&Aabb::new(Vec3::X * 6.0, Vec3::splat(7.0))?);
    /// assert_eq!(crate_.gap(&other).separation, 4.0);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        solid::gap(&BoxSolid::from(self).difference(), body)
    }

    /// How deep `body` is in this box, rounding considered, or `None` when they are apart; see
    /// [`Brush::penetration`](crate::Brush::penetration).
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Obb, glam::{Quat, Vec3}};
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let body = |x: f32| Obb::new(Vec3::new(x, 1.0, 1.0), Quat::from_rotation_x(0.5), Vec3::ONE).unwrap();
    /// assert!(crate_.penetration(&body(3.0)).is_none());
    /// assert_eq!(crate_.penetration(&body(2.5)).unwrap().separation, -0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        if stays_beside(self, body, Vec3::ZERO) {
            return None;
        }
        solid::penetration(&BoxSolid::from(self).difference(), body)
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
    /// # use cullide_narrowphase::{Aabb, FeatureId, Obb, glam::{Quat, Vec3}};
    /// let crate_ = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
    /// let body = Obb::new(Vec3::new(2.0, 3.5, 2.0), Quat::IDENTITY, Vec3::new(1.0, 0.5, 1.0))?;
    /// assert_eq!(crate_.contacts(&body, Vec3::Y, 0.0, FeatureId::NONE).points().len(), 4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        solid::contacts(&BoxSolid::from(self).difference(), body, normal, margin, previous)
    }
}

impl Obb {
    /// How far `body` is from this box, or how deep in it.
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{DVec3, Quat, Vec3}};
    /// let [low, high] = [0.0, 4.0].map(|z| Obb::new(Vec3::Z * z, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap());
    /// assert_eq!((low.gap(&high).separation, low.gap(&high).normal), (-2.0, DVec3::X));
    /// ```
    pub fn gap(&self, body: &Obb) -> Gap {
        solid::gap(&BoxSolid::from(self).difference(), body)
    }

    /// How deep `body` is in this box, rounding considered, or `None` when they are apart; see
    /// [`Brush::penetration`](crate::Brush::penetration).
    ///
    /// ```
    /// # use cullide_narrowphase::{Obb, glam::{Quat, Vec3}};
    /// let [low, high] = [0.0, 6.5].map(|z| Obb::new(Vec3::Z * z, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap());
    /// assert!(low.penetration(&high).is_none() && low.penetration(&low).is_some());
    /// ```
    pub fn penetration(&self, body: &Obb) -> Option<Gap> {
        solid::penetration(&BoxSolid::from(self).difference(), body)
    }

    /// Where `body` and this are next to touch along `normal`: as [`Aabb::contacts`].
    ///
    /// ```
    /// # use cullide_narrowphase::{FeatureId, Obb, glam::{Quat, Vec3}};
    /// let [low, high] = [0.0, 6.0].map(|z| Obb::new(Vec3::Z * z, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap());
    /// assert_eq!(low.contacts(&high, Vec3::Z, 0.0, FeatureId::NONE).points().len(), 4);
    /// ```
    pub fn contacts(&self, body: &Obb, normal: Vec3, margin: f32, previous: FeatureId) -> Contacts {
        solid::contacts(&BoxSolid::from(self).difference(), body, normal, margin, previous)
    }
}
