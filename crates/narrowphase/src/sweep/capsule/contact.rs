//! Where a capsule and a solid touch.
//!
//! Seen along the normal, the capsule is lowest at an end or, if its axis runs along the surface, over its whole
//! length. In the latter case the contacts are what its axis shares with the highest part of the solid: a piece of the
//! axis over a face or along an edge, one point where it crosses an edge. All points lie on the solid.

use crate::{
    Contacts, FeatureId,
    arrays::Mapped,
    contact::{
        contacts::FEATURE_ANGLE,
        faces::{Outline, Upside},
        manifold::shared,
    },
    distance::rod::MovingCapsule,
    lists::Listed,
    minkowski::{MinkowskiDifference, box_solid::BoxSolid},
};
use arrayvec::ArrayVec;
use glam::{DVec3, Vec3};

impl MovingCapsule {
    /// The contacts with a solid along the unit `normal` from it, for a capsule at the distance `apart`.
    pub(crate) fn contacts_with_solid(&self, difference: &MinkowskiDifference, normal: DVec3, apart: f64) -> Contacts {
        if !self.is_level(normal) {
            return self.contact_at_end(normal, apart);
        }
        let top = difference.vertices.iter().map(|v| normal.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
        let theirs = Upside::highest(difference, normal, top).outline;
        self.contacts_with(&theirs, normal, apart)
    }

    /// The same with a box, which is only created if all of it counts.
    pub(crate) fn contacts_with_box(&self, solid: impl FnOnce() -> BoxSolid, normal: DVec3, apart: f64) -> Contacts {
        if self.is_level(normal) {
            self.contacts_with_solid(&solid().difference(), normal, apart)
        } else {
            self.contact_at_end(normal, apart)
        }
    }

    /// The same with another capsule.
    pub(crate) fn contacts_with_rod(&self, other: &Self, normal: DVec3, apart: f64) -> Contacts {
        if !self.is_level(normal) {
            return self.contact_at_end(normal, apart);
        }
        let up = normal * other.radius;
        let theirs: Outline = if other.is_level(normal) {
            other.ends().into_iter().map(|end| end + up).listed()
        } else {
            let highest = if normal.dot(other.half) > 0.0 { other.half } else { -other.half };
            std::iter::once(other.center + highest + up).listed()
        };
        self.contacts_with(&theirs, normal, apart)
    }

    /// Whether the axis has a length and is perpendicular to a unit normal.
    fn is_level(&self, normal: DVec3) -> bool {
        self.half != DVec3::ZERO && normal.dot(self.half).abs() <= FEATURE_ANGLE * self.half.length()
    }

    /// The deepest points in a solid that has to be left along a unit normal; the separation of the deepest is `apart`.
    pub(crate) fn deepest(&self, normal: DVec3, apart: f64) -> Contacts {
        if !self.is_level(normal) {
            return Contacts::new(&[rounded((self.lowest_end(normal) - normal * self.radius, apart))], FeatureId::NONE);
        }
        let lean = normal.dot(self.half);
        let deepest =
            |sign: f64| (self.center + self.half * sign - normal * self.radius, apart + lean.abs() + lean * sign);
        Contacts::new(&[deepest(-1.0), deepest(1.0)].mapped(rounded), FeatureId::NONE)
    }

    fn lowest_end(&self, normal: DVec3) -> DVec3 {
        if normal.dot(self.half) > 0.0 { self.center - self.half } else { self.center + self.half }
    }

    fn contact_at_end(&self, normal: DVec3, apart: f64) -> Contacts {
        let point = self.lowest_end(normal) - normal * (self.radius + apart);
        Contacts::new(&[rounded((point, apart))], FeatureId::NONE)
    }

    /// What the axis, seen along a normal, shares with an outline.
    fn contacts_with(&self, theirs: &Outline, normal: DVec3, apart: f64) -> Contacts {
        let (shared, _) = shared(self.ends().into_iter().listed(), theirs, normal);
        let along = |point: DVec3| ((point - self.center).dot(self.half) / self.half.length_squared()).clamp(-1.0, 1.0);
        let places: ArrayVec<f64, 2> = shared.into_iter().take(2).map(along).collect();
        let lean = normal.dot(self.half);
        let lowest = places.iter().map(|place| lean * place).fold(f64::INFINITY, f64::min);
        let contact = |place: &f64| {
            let apart = apart + lean * place - lowest;
            rounded((self.center + self.half * *place - normal * (self.radius + apart), apart))
        };
        let contacts: ArrayVec<_, 2> = places.iter().map(contact).collect();
        if contacts.is_empty() { self.contact_at_end(normal, apart) } else { Contacts::new(&contacts, FeatureId::NONE) }
    }
}

fn rounded((point, separation): (DVec3, f64)) -> (Vec3, f64) {
    (point.as_vec3(), separation)
}
