//! Meshes as bodies: surfaces without a mass, which only an animation moves.

use super::rigid::{orthonormal, rotation_by};
use crate::{PlacedMesh, Shape};
use cullide_narrowphase::glam::{DVec3, Vec3};

/// A mesh, placed somewhere. It rotates about the centre of its bounds.
///
/// Each pose is computed from the placement of the one before and from nothing else, so that a restored surface
/// continues with the same bits.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    placed: PlacedMesh,
    /// The same, as a shape.
    shape: Shape,
    /// The centre of its bounds, in its own coordinates and in the world.
    own_center: DVec3,
    center: DVec3,
    radius: f32,
}

impl Surface {
    pub(super) fn new(placed: &PlacedMesh) -> Self {
        let (min, max) = (placed.mesh().aabb().min().as_dvec3(), placed.mesh().aabb().max().as_dvec3());
        let (linear, translation) = placed.map();
        let (own_center, half) = (0.5 * (min + max), 0.5 * (max - min));
        let [x, y, z] = [linear.x_axis * half.x, linear.y_axis * half.y, linear.z_axis * half.z];
        let corners = [x + y + z, x + y - z, x - y + z, x - y - z];
        let radius = corners.map(DVec3::length).into_iter().fold(0.0, f64::max);
        let center = *linear * own_center + translation;
        // Corners are rounded to `f32`.
        let rounding = f64::from(f32::EPSILON) * (center.abs().max_element() + radius);
        let radius = ((radius + rounding) as f32).next_up();
        Self { placed: placed.clone(), shape: placed.clone().into(), own_center, center, radius }
    }

    /// Where it gets by a motion and a rotation about its centre; `None` beyond the range of coordinates.
    pub(super) fn moved(&self, motion: Vec3, rotation: Vec3) -> Option<Self> {
        let (linear, translation) = self.placed.map();
        let (linear, translation) = if rotation == Vec3::ZERO {
            (*linear, translation + motion.as_dvec3())
        } else {
            let (own, scale) = self.placed.rotation_and_scale();
            let linear = orthonormal(&(rotation_by(rotation.as_dvec3()) * own)) * scale;
            (linear, self.center + motion.as_dvec3() - linear * self.own_center)
        };
        let placed = PlacedMesh::restored(self.placed.mesh().clone(), linear, translation).ok()?;
        let center = linear * self.own_center + translation;
        Some(Self { shape: placed.clone().into(), placed, own_center: self.own_center, center, radius: self.radius })
    }

    /// Whether this is the shape of an object.
    pub(super) fn is(&self, shape: &Shape) -> bool {
        matches!(shape, Shape::Mesh(other) if other.map() == self.placed.map() && other.mesh() == self.placed.mesh())
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(super) fn center(&self) -> DVec3 {
        self.center
    }

    pub(super) fn radius(&self) -> f32 {
        self.radius
    }
}
