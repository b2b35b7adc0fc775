//! Boxes and balls that translate past a capsule at rest.
//!
//! Seen from the box, the capsule moves the other way, so the gap is that of a capsule that moves past a box. A ball is
//! a capsule of zero length.

use super::CapsuleSweep;
use crate::{
    BoxSweep, Capsule, Contacts, Convex, ConvexSweep, Gap, Obb, SphereSweep,
    contact::contacts::lowest,
    distance::{
        gap::{Hold, placed},
        rod::{MovingCapsule, box_core},
    },
    exact::unit,
    minkowski::box_solid::BoxSolid,
    sweep::{Overlap, Sweep, SweepHit, sphere::against_box::reach_of, straight::rest},
};
use glam::{DVec3, Vec3};

impl SphereSweep {
    /// Returns the first touch of a capsule at rest, with the rules of [`SphereSweep::against`].
    pub(crate) fn against_capsule(&self, capsule: &Capsule) -> Sweep {
        CapsuleSweep::from(*self).against_capsule(capsule)
    }
}

impl BoxSweep {
    /// Returns the first touch of `capsule`, as [`BoxSweep::against`]; decided in `f64`.
    pub(crate) fn against_capsule(&self, capsule: &Capsule) -> Sweep {
        let (body, rod) = (self.body(), MovingCapsule::from(capsule).leaving(-self.motion().as_dvec3()));
        let (own, other) = (Convex::from(*body).core(), rod.core());
        let hit = match own.sweep(self.motion(), &other, 1.0) {
            Ok(ConvexSweep::Hit(hit)) => hit,
            Ok(ConvexSweep::Overlap) => {
                let gap = gap(&rod, body, body.center().as_dvec3());
                return Sweep::Overlap(Overlap {
                    depth: -gap.separation as f32,
                    normal: unit::unit(gap.normal),
                    contacts: contacts(body, &rod, gap.normal, gap.separation),
                });
            }
            Ok(ConvexSweep::Clear) | Err(_) => return Sweep::Clear,
        };
        let is_in_range = |center| placed(body, center).is_some();
        let (position, apart) = rest(&own, &other, 0.0, body.center(), self.motion(), &hit, is_in_range);
        let contacts = contacts(&placed(body, position).unwrap_or(*body), &rod, hit.normal, apart);
        Sweep::Hit(SweepHit { toi: hit.toi, normal: unit::unit(hit.normal), position, contacts })
    }
}

/// The gap of a box, around another centre, to a capsule.
fn gap(rod: &MovingCapsule, body: &Obb, center: DVec3) -> Gap {
    let size = rod.size + center.abs().max_element();
    let seen = MovingCapsule { center: rod.center - center, size, ..*rod };
    seen.gap_to_core(&box_core(DVec3::ZERO, body.wide_edges()), 0.0).reversed()
}

/// Where a box touches a capsule along the unit normal toward the box, at the distance `apart`: on the capsule, or on
/// the box where the box is in the capsule.
fn contacts(body: &Obb, rod: &MovingCapsule, normal: DVec3, apart: f64) -> Contacts {
    let id = lowest(body, body.center().as_dvec3(), normal, 0.0).id();
    let on_box = rod.contacts_with_solid(&BoxSolid::from(body).difference(), -normal, apart);
    on_box.moved_along(normal, -apart.max(0.0), id)
}

/// The hit of a box that touches a capsule. The box's centre, unrounded at `touching`, is moved by as little as it
/// takes not to penetrate.
pub(crate) fn beside_capsule(body: &Obb, capsule: &Capsule, toi: f32, touching: DVec3) -> SweepHit {
    let rod = MovingCapsule::from(capsule);
    let normal = gap(&rod, body, touching).normal;
    let reach = reach_of(body, normal) + rod.reach(normal);
    let hold = Hold::new(touching, normal, reach, rod.size);
    // `None` only at the end of the range of coordinates.
    let beside = hold.pushed_apart(body.center(), &|center: Vec3| Some(capsule.gap(&placed(body, center)?)));
    let body = beside.and_then(|center| placed(body, center)).unwrap_or(*body);
    let gap = capsule.gap(&body);
    let contacts = contacts(&body, &rod, gap.normal, gap.separation);
    SweepHit { toi, normal: unit::unit(gap.normal), position: body.center(), contacts }
}
