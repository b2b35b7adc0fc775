//! Single parts of a body farther on its way: to move a compound of solids costs as much as to move all of them, and
//! mostly only a few are near something.

use super::pose::{BodyShape, offset_from};
use crate::{Shape, shape::Convex};
use cullide_narrowphase::glam::{DVec3, Vec3};
use smallvec::SmallVec;

/// A part of a body at another pose.
#[derive(Debug)]
pub(in crate::dynamics) enum MovedPart {
    /// A part of a [`BodyShape::Rigid`], and where the centre of mass of the whole is.
    Solid(Shape, DVec3),
    /// Any other body, and the number of the part.
    Whole(BodyShape, u32),
}

impl MovedPart {
    /// A part of a body that is moved and rotated about its centre; `None` beyond the range of coordinates.
    pub(in crate::dynamics) fn new(body: &BodyShape, part: u32, motion: Vec3, rotation: Vec3) -> Option<Self> {
        Some(match body {
            BodyShape::Rigid(rigid) => {
                let (shape, center) = rigid.part_moved(part, motion, rotation)?;
                Self::Solid(shape, center)
            }
            other => Self::Whole(other.moved(motion, rotation)?, part),
        })
    }

    pub(in crate::dynamics) fn convex(&self) -> Option<Convex<'_>> {
        match self {
            Self::Solid(shape, _) => shape.part(0),
            Self::Whole(body, part) => body.part(*part),
        }
    }

    /// From the centre of mass to the origin of the contact offsets of the part.
    pub(in crate::dynamics) fn contact_offset(&self) -> Vec3 {
        match self {
            Self::Solid(shape, center) => shape.part(0).map_or(Vec3::ZERO, |part| offset_from(&part, *center)),
            Self::Whole(body, part) => body.contact_offset(*part),
        }
    }
}

/// The parts of a body at one pose: those of a compound of solids are moved there when they are asked for.
pub(in crate::dynamics) struct MovedParts<'a> {
    body: &'a BodyShape,
    motion: Vec3,
    rotation: Vec3,
    found: SmallVec<[(u32, Shape, DVec3); 2]>,
    /// Any other body, moved as a whole.
    whole: Option<BodyShape>,
    /// Whether a part is beyond the range of coordinates.
    pub(in crate::dynamics) is_lost: bool,
}

impl<'a> MovedParts<'a> {
    pub(in crate::dynamics) fn new(body: &'a BodyShape, motion: Vec3, rotation: Vec3) -> Self {
        let mut moved = Self { body, motion, rotation, found: SmallVec::new(), whole: None, is_lost: false };
        if !moved.is_still() && !matches!(body, BodyShape::Rigid(_)) {
            moved.whole = body.moved(motion, rotation);
            moved.is_lost = moved.whole.is_none();
        }
        moved
    }

    fn is_still(&self) -> bool {
        (self.motion, self.rotation) == (Vec3::ZERO, Vec3::ZERO)
    }

    /// A part, and the centre of mass of the body; `None` for a triangle without an area there, too.
    pub(in crate::dynamics) fn get(&mut self, part: u32) -> Option<(Convex<'_>, DVec3)> {
        let BodyShape::Rigid(rigid) = self.body else {
            let whole = if self.is_still() { self.body } else { self.whole.as_ref()? };
            return Some((whole.part(part)?, whole.center().as_dvec3()));
        };
        if self.is_still() {
            return Some((self.body.part(part)?, self.body.center().as_dvec3()));
        }
        let known = self.found.iter().position(|(number, ..)| *number == part);
        let at = match known {
            Some(at) => at,
            None => {
                let moved = rigid.part_moved(part, self.motion, self.rotation);
                self.is_lost |= moved.is_none();
                let (shape, center) = moved?;
                self.found.push((part, shape, center));
                self.found.len() - 1
            }
        };
        let (_, shape, center) = &self.found[at];
        Some((shape.part(0)?, center.as_vec3().as_dvec3()))
    }
}
