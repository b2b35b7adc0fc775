//! A translating capsule against solids.
//!
//! A solid with corners is met by the [sweep of two convexes](crate::ConvexCore::sweep). For a box along the axes and
//! another capsule the gap has a closed form, and is a convex function of time: see [`straight`](crate::sweep::straight).

use super::CapsuleSweep;
use crate::{
    Aabb, Brush, Capsule, Contacts, Convex, ConvexSweep, Gap, Obb, Patch, Sphere, Triangle,
    distance::rod::Rod,
    exact::{ROUNDING, unit},
    sweep::{
        Overlap, Sweep, SweepHit,
        passing::PassingBody,
        round_toi,
        sphere::aabb::sides,
        straight::{Meeting, StraightPath, rest},
    },
};
use glam::{DVec3, Vec3};

impl CapsuleSweep {
    /// Returns the first touch of an axis-aligned box at rest, with the rules of [`CapsuleSweep::against_brush`];
    /// decided in `f64` for the box's own bounds.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Capsule, CapsuleSweep, glam::Vec3};
    /// let wall = Aabb::new(Vec3::new(4.0, -9.0, -9.0), Vec3::splat(9.0))?;
    /// let hero = Capsule::new(Vec3::NEG_Y, Vec3::Y, 2.0)?;
    /// let hit = CapsuleSweep::new(hero, Vec3::X * 4.0)?.against_aabb(&wall).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal, hit.contacts.points().len()), (0.5, Vec3::NEG_X, 2));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_aabb(&self, aabb: &Aabb) -> Sweep {
        let motion = self.motion.as_dvec3();
        let bounds = [aabb.min().as_dvec3(), aabb.max().as_dvec3()];
        let side = sides(aabb, self.body.center().as_dvec3(), motion);
        let contacts = |rod: &Rod, normal, apart| rod.contacts_with_box(|| aabb.into(), normal, apart);
        self.against_solid(self.path(1.0), aabb, |rod| rod.gap_to_box(bounds, side), contacts)
    }

    /// Returns the first touch of a fixed oriented box, with the rules of [`CapsuleSweep::against_brush`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Obb, glam::{Quat, Vec3}};
    /// let post = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let hero = Capsule::new(Vec3::Y * 8.0, Vec3::Y * 9.0, 2.0)?;
    /// let hit = CapsuleSweep::new(hero, Vec3::Y * -8.0)?.against_obb(&post).hit().unwrap();
    /// assert!((hit.toi, hit.normal) == (0.5f32.next_down(), Vec3::Y) && hit.position.y >= 4.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_obb(&self, obb: &Obb) -> Sweep {
        if self.passes_beside(obb) {
            return Sweep::Clear;
        }
        let contacts = |rod: &Rod, normal, apart| rod.contacts_with_box(|| obb.into(), normal, apart);
        self.against_core(Convex::from(*obb), 0.0, 1.0, contacts)
    }

    /// Returns the first touch of `brush`, with the rules of
    /// [`BoxSweep::against_brush`](crate::BoxSweep::against_brush). Decided in `f64`; at the hit's position the capsule
    /// does not penetrate it. The time is certain not to be late, and so may be a step of `f32` early. There is one
    /// contact, on the brush, or two if the capsule lies along a face or an edge.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, Capsule, CapsuleSweep, glam::Vec3};
    /// let step = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let hero = Capsule::new(Vec3::new(-5.0, 2.0, 1.0), Vec3::new(-5.0, 4.0, 1.0), 1.0)?;
    /// let hit = CapsuleSweep::new(hero, Vec3::X * 8.0)?.against_brush(&step).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal), (0.5f32.next_down(), Vec3::NEG_X));
    /// // The part of it beside the face.
    /// assert_eq!(hit.contacts.points(), &[Vec3::new(0.0, 2.0, 1.0), Vec3::new(0.0, 3.0, 1.0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_brush(&self, brush: &Brush) -> Sweep {
        let contacts = |rod: &Rod, normal, apart| rod.contacts_with_solid(&brush.difference(), normal, apart);
        self.against_core(Convex::from(brush), brush.vertex_error(), 1.0, contacts)
    }

    /// Returns the first touch of `patch`, from either side; as for a brush of zero thickness. A capsule whose axis is
    /// nearer than its radius overlaps the patch.
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Patch, glam::Vec3};
    /// let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0])?;
    /// let hero = Capsule::new(Vec3::new(0.5, 0.5, -4.0), Vec3::new(0.5, 0.5, -9.0), 2.0)?;
    /// let hit = CapsuleSweep::new(hero, Vec3::Z * 8.0)?.against_patch(&patch).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal), (0.25f32.next_down(), Vec3::NEG_Z));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_patch(&self, patch: &Patch) -> Sweep {
        let contacts = |rod: &Rod, normal, apart| rod.contacts_with_solid(&patch.polygon().difference(), normal, apart);
        self.against_core(Convex::from(patch), 0.0, 1.0, contacts)
    }

    /// Returns the first touch of `triangle`, from either side: as [`CapsuleSweep::against_patch`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Triangle, glam::Vec3};
    /// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?;
    /// let hero = Capsule::new(Vec3::new(0.5, 0.5, -4.0), Vec3::new(0.5, 0.5, -9.0), 2.0)?;
    /// assert_eq!(CapsuleSweep::new(hero, Vec3::Z * 8.0)?.against_triangle(&triangle).hit().unwrap().toi, 0.25f32.next_down());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_triangle(&self, triangle: &Triangle) -> Sweep {
        self.against_triangle_until(triangle, 1.0)
    }

    /// Returns the same when the first of many is sought: as
    /// [`BoxSweep::against_triangle_until`](crate::BoxSweep::against_triangle_until).
    pub fn against_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        let (center, axis) = (self.body.center(), self.body.half_axis());
        if PassingBody::new(center, [axis], self.body.radius(), self.motion).passes_by(triangle, until.into()) {
            return Sweep::Clear;
        }
        self.against_near_triangle_until(triangle, until)
    }

    /// Returns the same for a triangle that [`BodyWay::touches`](crate::BodyWay::touches) has reported: as
    /// [`BoxSweep::against_near_triangle_until`](crate::BoxSweep::against_near_triangle_until).
    pub fn against_near_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        let contacts =
            |rod: &Rod, normal, apart| rod.contacts_with_solid(&triangle.wide().polygon().difference(), normal, apart);
        self.against_core(Convex::from(*triangle), 0.0, until, contacts)
    }

    /// Returns the first touch of a ball at rest, with the rules of [`CapsuleSweep::against_brush`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, Sphere, glam::Vec3};
    /// let hero = Capsule::new(Vec3::NEG_Y, Vec3::Y, 1.0)?;
    /// let hit = CapsuleSweep::new(hero, Vec3::X * 10.0)?.against_sphere(&Sphere::new(Vec3::X * 8.0, 2.0)?).hit().unwrap();
    /// assert!((hit.toi - 0.5).abs() < 1e-6 && hit.normal == Vec3::NEG_X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_sphere(&self, sphere: &Sphere) -> Sweep {
        self.against_capsule(&(*sphere).into())
    }

    /// Returns the first touch of a capsule at rest, with the rules of [`CapsuleSweep::against_brush`].
    ///
    /// ```
    /// # use cullide_narrowphase::{Capsule, CapsuleSweep, glam::Vec3};
    /// let [hero, other] = [0.0, 8.0].map(|x| Capsule::new(Vec3::X * x, Vec3::new(x, 3.0, 0.0), 1.5).unwrap());
    /// let hit = CapsuleSweep::new(hero, Vec3::X * 10.0)?.against_capsule(&other).hit().unwrap();
    /// assert_eq!((hit.toi, hit.normal, hit.contacts.points().len()), (0.5, Vec3::NEG_X, 2));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn against_capsule(&self, capsule: &Capsule) -> Sweep {
        let other = Rod::from(capsule);
        let contacts = |rod: &Rod, normal, apart| rod.contacts_with_rod(&other, normal, apart);
        self.against_solid(self.path(1.0), &capsule.aabb(), |rod| rod.gap_to(&other), contacts)
    }

    /// Whether a plane along the motion certainly separates the two, on the side where the path passes the middle of the
    /// box: most boxes that are missed are not even baked.
    fn passes_beside(&self, obb: &Obb) -> bool {
        let (rod, motion) = (Rod::from(&self.body), self.motion.as_dvec3());
        let way = rod.center - obb.center().as_dvec3();
        let normal = motion.cross(way.cross(motion));
        let reach = obb.wide_edges().iter().map(|edge| normal.dot(*edge).abs()).sum::<f64>();
        let apart = normal.dot(way) - reach - normal.dot(rod.half).abs();
        let bounds = obb.aabb();
        let size =
            rod.size + f64::from(bounds.min().abs().max(bounds.max().abs()).max(self.motion.abs()).max_element());
        apart > (rod.radius + 64.0 * ROUNDING * size) * normal.length()
    }

    /// The first touch of a solid with corners, each of which may be off by `error`; `contacts` gives where the two
    /// touch along a normal.
    fn against_core(
        &self,
        solid: Convex,
        error: f64,
        until: f32,
        contacts: impl Fn(&Rod, DVec3, f64) -> Contacts,
    ) -> Sweep {
        let (rod, solid) = (Rod::from(&self.body).leaving(self.motion.as_dvec3()), solid.core());
        let own = rod.core();
        let hit = match own.sweep(self.motion, &solid, until) {
            Ok(ConvexSweep::Hit(hit)) => hit,
            Ok(ConvexSweep::Overlap) => return overlap(&rod, rod.gap_to_core(&solid, error)),
            Ok(ConvexSweep::Clear) | Err(_) => return Sweep::Clear,
        };
        let is_in_range = |center: Vec3| self.body.placed(center).is_some();
        let (position, apart) = rest(&own, &solid, error, self.body.center(), self.motion, &hit, is_in_range);
        let contacts = contacts(&rod.at(position.as_dvec3()), hit.normal, apart);
        Sweep::Hit(SweepHit { toi: hit.toi, normal: unit::unit(hit.normal), position, contacts })
    }

    /// Its path; what comes after `until` may be left out.
    fn path(&self, until: f64) -> StraightPath {
        let reach = f64::from(self.body.radius()) + self.body.wide_axis().length();
        StraightPath::new(self.body.center(), self.motion, reach, until)
    }

    /// The first touch on its path of a solid within `bounds`. `gap` gives the gap of a capsule to the solid,
    /// `contacts` where the two touch along a normal.
    fn against_solid(
        &self,
        path: StraightPath,
        bounds: &Aabb,
        gap: impl Fn(&Rod) -> Gap,
        contacts: impl Fn(&Rod, DVec3, f64) -> Contacts,
    ) -> Sweep {
        let rod = Rod::from(&self.body).leaving(self.motion.as_dvec3());
        let gap = |near: DVec3, way: DVec3| gap(&rod.at(near).moved(way));
        match path.meets(bounds, gap, |center: Vec3| self.body.placed(center).is_some()) {
            Meeting::Clear => Sweep::Clear,
            Meeting::Inside(gap) => overlap(&rod, gap),
            Meeting::Touches { toi, normal, position, gap } => {
                let contacts = contacts(&rod.at(position.as_dvec3()), gap.normal, gap.separation.max(0.0));
                Sweep::Hit(SweepHit { toi: round_toi(toi), normal: unit::unit(normal), position, contacts })
            }
        }
    }
}

/// The overlap of a capsule that is as deep in a solid as a gap says.
fn overlap(rod: &Rod, gap: Gap) -> Sweep {
    let (depth, normal) = (-gap.separation as f32, unit::unit(gap.normal));
    Sweep::Overlap(Overlap { depth, normal, contacts: rod.deepest(gap.normal, gap.separation) })
}
