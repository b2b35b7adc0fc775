//! A translating capsule against solids.
//!
//! A solid with corners is met by the [sweep of two convexes](crate::ConvexCore::sweep). For a box along the axes and
//! another capsule the gap has a closed form, and is a convex function of time: see [`straight`](crate::sweep::straight).

use super::CapsuleSweep;
use crate::{
    Aabb, Brush, Capsule, Contacts, Convex, ConvexSweep, Gap, Obb, Patch, Sphere, Triangle,
    distance::rod::MovingCapsule,
    exact::{ROUNDING, unit},
    sweep::{
        Overlap, Sweep, SweepHit,
        passing::PassingBody,
        round_toi,
        sphere::aabb::sides,
        straight::{PathOutcome, StraightPath, rest},
    },
};
use glam::{DVec3, Vec3};

impl CapsuleSweep {
    /// Returns the first touch of an axis-aligned box at rest, with the rules of [`CapsuleSweep::against`];
    /// decided in `f64` for the box's own bounds.
    pub(crate) fn against_aabb(&self, aabb: &Aabb) -> Sweep {
        let motion = self.motion.as_dvec3();
        let bounds = [aabb.min().as_dvec3(), aabb.max().as_dvec3()];
        let side = sides(aabb, self.body.center().as_dvec3(), motion);
        let contacts = |rod: &MovingCapsule, normal, apart| rod.contacts_with_box(|| aabb.into(), normal, apart);
        self.against_solid(self.path(1.0), aabb, |rod| rod.gap_to_box(bounds, side), contacts)
    }

    /// Returns the first touch of a fixed oriented box, with the rules of [`CapsuleSweep::against`].
    pub(crate) fn against_obb(&self, obb: &Obb) -> Sweep {
        if self.passes_beside(obb) {
            return Sweep::Clear;
        }
        let contacts = |rod: &MovingCapsule, normal, apart| rod.contacts_with_box(|| obb.into(), normal, apart);
        self.against_core(Convex::from(*obb), 0.0, 1.0, contacts)
    }

    /// Returns the first touch of `brush`, with the rules of
    /// [`BoxSweep::against`](crate::BoxSweep::against). Decided in `f64`; at the hit's position the capsule
    /// does not penetrate it. The time is certain not to be late, and so may be a step of `f32` early. There is one
    /// contact, on the brush, or two if the capsule lies along a face or an edge.
    pub(crate) fn against_brush(&self, brush: &Brush) -> Sweep {
        let contacts = |rod: &MovingCapsule, normal, apart| rod.contacts_with_solid(&brush.difference(), normal, apart);
        self.against_core(Convex::from(brush), brush.vertex_error(), 1.0, contacts)
    }

    /// Returns the first touch of `patch`, from either side; as for a brush of zero thickness. A capsule whose axis is
    /// nearer than its radius overlaps the patch.
    pub(crate) fn against_patch(&self, patch: &Patch) -> Sweep {
        let contacts =
            |rod: &MovingCapsule, normal, apart| rod.contacts_with_solid(&patch.polygon().difference(), normal, apart);
        self.against_core(Convex::from(patch), 0.0, 1.0, contacts)
    }

    /// Returns the same when the first of many is sought: as
    /// [`BoxSweep::against`](crate::BoxSweep::against).
    pub(crate) fn against_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        let (center, axis) = (self.body.center(), self.body.half_axis());
        if PassingBody::new(center, [axis], self.body.radius(), self.motion).passes_by(triangle, until.into()) {
            return Sweep::Clear;
        }
        self.against_near_triangle_until(triangle, until)
    }

    /// Returns the same for a triangle that [`BodyWay::touches`](crate::BodyWay::touches) has reported: as
    /// [`BoxSweep::against`](crate::BoxSweep::against).
    pub(crate) fn against_near_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        let contacts = |rod: &MovingCapsule, normal, apart| {
            rod.contacts_with_solid(&triangle.wide().polygon().difference(), normal, apart)
        };
        self.against_core(Convex::from(*triangle), 0.0, until, contacts)
    }

    /// Returns the first touch of a ball at rest, with the rules of [`CapsuleSweep::against`].
    pub(crate) fn against_sphere(&self, sphere: &Sphere) -> Sweep {
        self.against_capsule(&(*sphere).into())
    }

    /// Returns the first touch of a capsule at rest, with the rules of [`CapsuleSweep::against`].
    pub(crate) fn against_capsule(&self, capsule: &Capsule) -> Sweep {
        let other = MovingCapsule::from(capsule);
        let contacts = |rod: &MovingCapsule, normal, apart| rod.contacts_with_rod(&other, normal, apart);
        self.against_solid(self.path(1.0), &capsule.aabb(), |rod| rod.gap_to(&other), contacts)
    }

    /// Whether a plane along the motion certainly separates the two, on the side where the path passes the middle of the
    /// box: most boxes that are missed are not even baked.
    fn passes_beside(&self, obb: &Obb) -> bool {
        let (rod, motion) = (MovingCapsule::from(&self.body), self.motion.as_dvec3());
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
        contacts: impl Fn(&MovingCapsule, DVec3, f64) -> Contacts,
    ) -> Sweep {
        let (rod, solid) = (MovingCapsule::from(&self.body).leaving(self.motion.as_dvec3()), solid.core());
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
        gap: impl Fn(&MovingCapsule) -> Gap,
        contacts: impl Fn(&MovingCapsule, DVec3, f64) -> Contacts,
    ) -> Sweep {
        let rod = MovingCapsule::from(&self.body).leaving(self.motion.as_dvec3());
        let gap = |near: DVec3, way: DVec3| gap(&rod.at(near).moved(way));
        match path.meets(bounds, gap, |center: Vec3| self.body.placed(center).is_some()) {
            PathOutcome::Clear => Sweep::Clear,
            PathOutcome::Inside(gap) => overlap(&rod, gap),
            PathOutcome::Touches { toi, normal, position, gap } => {
                let contacts = contacts(&rod.at(position.as_dvec3()), gap.normal, gap.separation.max(0.0));
                Sweep::Hit(SweepHit { toi: round_toi(toi), normal: unit::unit(normal), position, contacts })
            }
        }
    }
}

/// The overlap of a capsule that is as deep in a solid as a gap says.
fn overlap(rod: &MovingCapsule, gap: Gap) -> Sweep {
    let (depth, normal) = (-gap.separation as f32, unit::unit(gap.normal));
    Sweep::Overlap(Overlap { depth, normal, contacts: rod.deepest(gap.normal, gap.separation) })
}
