//! Meshes, terrains and compounds of anything as bodies: shapes that need not be solid, have no mass, and are moved by
//! an animation alone.

use super::rigid::{orthonormal, rotation_by};
use crate::Shape;
use cullide_narrowphase::Mapped;
use cullide_narrowphase::glam::{DVec3, Vec3};

/// A composite shape, placed somewhere. It rotates about the centre of its bounds.
///
/// Each pose is computed from the placement of the one before and from nothing else, so that a restored body continues
/// with the same bits.
#[derive(Clone, Debug)]
pub(in crate::dynamics) struct Composite {
    shape: Shape,
    /// The centre of its bounds, in its own coordinates and in the world.
    own_center: DVec3,
    center: DVec3,
    radius: f32,
}

impl Composite {
    /// Returns `None` for a convex shape.
    pub(in crate::dynamics) fn new(shape: &Shape) -> Option<Self> {
        let (own, linear, translation) = shape.placed()?;
        let (min, max) = (own.min().as_dvec3(), own.max().as_dvec3());
        let (own_center, half) = (0.5 * (min + max), 0.5 * (max - min));
        let [x, y, z] = [linear.x_axis * half.x, linear.y_axis * half.y, linear.z_axis * half.z];
        let corners = [x + y + z, x + y - z, x - y + z, x - y - z];
        let radius = corners.mapped(DVec3::length).into_iter().fold(0.0, f64::max);
        let center = linear * own_center + translation;
        // The same wherever it is: what rounding adds far out counts where coordinates do.
        let radius = (radius as f32).next_up();
        Some(Self { shape: shape.clone(), own_center, center, radius })
    }

    /// Where it gets by a motion and a rotation about its centre; `None` beyond the range of coordinates.
    pub(in crate::dynamics) fn moved(&self, motion: Vec3, rotation: Vec3) -> Option<Self> {
        let (_, linear, translation) = self.shape.placed()?;
        let (linear, translation) = if rotation == Vec3::ZERO {
            (linear, translation + motion.as_dvec3())
        } else {
            let (own, scale) = self.shape.rotation_and_scale()?;
            let linear = orthonormal(&(rotation_by(rotation.as_dvec3()) * own)) * scale;
            (linear, self.center + motion.as_dvec3() - linear * self.own_center)
        };
        let shape = self.shape.placed_at(linear, translation)?;
        Some(Self { shape, center: linear * self.own_center + translation, ..*self })
    }

    pub(in crate::dynamics) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(in crate::dynamics) fn center(&self) -> DVec3 {
        self.center
    }

    pub(in crate::dynamics) fn radius(&self) -> f32 {
        self.radius
    }
}
