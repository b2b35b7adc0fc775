//! Single parts of a body farther on its way: to move a compound of solids costs as much as to move all of them, and
//! mostly only a few are near something.

use super::pose::BodyShape;
use crate::{Shape, shape::Convex};
use cullide_narrowphase::glam::{DVec3, Vec3};
use smallvec::SmallVec;

/// A part of a body at another pose.
#[derive(Debug)]
pub(super) struct MovedPart {
    pub(super) shape: Shape,
    /// The number of the part within the shape.
    pub(super) number: u32,
    /// The centre of mass of the whole body there.
    pub(super) center: DVec3,
}

impl MovedPart {
    /// A part of a body that is moved and rotated about its centre; `None` beyond the range of coordinates.
    pub(super) fn new(body: &BodyShape, part: u32, motion: Vec3, rotation: Vec3) -> Option<Self> {
        if let BodyShape::Rigid(rigid) = body {
            return rigid.part_moved(part, motion, rotation);
        }
        let moved = body.moved(motion, rotation)?;
        let (shape, center) = match moved {
            BodyShape::Box(shape) => (shape.into(), shape.center().as_dvec3()),
            BodyShape::Sphere(shape) => (shape.into(), shape.center().as_dvec3()),
            BodyShape::Capsule(shape) => (shape.into(), shape.center().as_dvec3()),
            BodyShape::Rigid(rigid) => (rigid.shape().clone(), rigid.center()),
            // All of it, so not for many parts.
            BodyShape::Composite(composite) => (composite.shape().clone(), composite.center()),
        };
        Some(Self { shape, number: part, center })
    }

    pub(super) fn convex(&self) -> Option<Convex<'_>> {
        self.shape.part(self.number)
    }

    /// From the centre of mass to the origin of the contact offsets of the part.
    pub(super) fn contact_offset(&self) -> Vec3 {
        let offset = |part: Convex| (part.contact_shape().center().as_dvec3() - self.center).as_vec3();
        self.convex().map_or(Vec3::ZERO, offset)
    }
}

/// The parts of a body at one pose, each moved there when it is asked for.
pub(super) struct MovedParts<'a> {
    body: &'a BodyShape,
    motion: Vec3,
    rotation: Vec3,
    /// The parts that were asked for.
    found: SmallVec<[(u32, Option<MovedPart>); 2]>,
    /// The whole body instead, if that costs no more than a part.
    whole: Option<BodyShape>,
}

impl<'a> MovedParts<'a> {
    pub(super) fn new(body: &'a BodyShape, motion: Vec3, rotation: Vec3) -> Self {
        let is_one = !matches!(body, BodyShape::Rigid(_)) && !is_still(motion, rotation);
        let whole = if is_one { body.moved(motion, rotation) } else { None };
        Self { body, motion, rotation, found: SmallVec::new(), whole }
    }

    /// A part, and the centre of mass of the body.
    pub(super) fn get(&mut self, part: u32) -> Option<(Convex<'_>, DVec3)> {
        if is_still(self.motion, self.rotation) {
            return Some((self.body.part(part)?, self.body.center().as_dvec3()));
        }
        if !matches!(self.body, BodyShape::Rigid(_)) {
            let whole = self.whole.as_ref()?;
            return Some((whole.part(part)?, whole.center().as_dvec3()));
        }
        let known = self.found.iter().position(|(number, _)| *number == part);
        let at = known.unwrap_or_else(|| {
            self.found.push((part, MovedPart::new(self.body, part, self.motion, self.rotation)));
            self.found.len() - 1
        });
        let moved = self.found[at].1.as_ref()?;
        Some((moved.convex()?, moved.center.as_vec3().as_dvec3()))
    }
}

fn is_still(motion: Vec3, rotation: Vec3) -> bool {
    (motion, rotation) == (Vec3::ZERO, Vec3::ZERO)
}
