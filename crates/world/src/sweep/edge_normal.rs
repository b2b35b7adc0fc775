//! The normal of a contact at an edge between triangles.
//!
//! A body that comes down beside an edge touches one triangle by its face and the other by its edge, at the same time
//! up to rounding. Which is reported first is chance, but the direction must not be: where the surface is flat or
//! concave, an edge has no normal of its own.
//!
//! ```text
//!       n                        n valid: all triangles at the       n invalid: one rises above the plane across n:
//!    ──●──      ──●──            contact lie below the plane         then the normal is that of the face
//!     ╱ ╲      ridge             across n                            which n is nearest to
//! ```
//! Whether triangles belong to one mesh or to several makes no difference, so it does not matter how a surface is cut.
//!
//! Source: Gregorius, "Robust Contact Creation for Physics Simulation", GDC 2015 (normals from the Voronoi regions of
//! features).

use crate::{
    Filter, World,
    shape::Convex,
    sweep::candidates::{FirstHit, Obstacle, SweepCandidates},
};
use cullide_narrowphase::{
    Aabb, Mapped, Solid, Triangle,
    glam::{DVec3, Vec3},
};
use std::ops::ControlFlow;

/// A unit normal that differs from that of a face by no more than this, squared, counts as that of the face.
const SAME: f64 = 1e-14;

/// A corner counts as rising above the plane across a normal if it does so by more than this share of its distance plus
/// what rounding may move the contact by: the second share, of the contact's coordinates.
const RISE: f64 = 1e-6;
const ROUNDED: f64 = 2.0 * f32::EPSILON as f64;

/// Triangles no farther from a contact than this share of its coordinates, sixteen steps of `f32`, are at it.
const NEAR: f32 = 16.0 * f32::EPSILON;

impl World {
    /// Gives the first hit the normal of a face, if it is on an edge or a corner that has none of its own.
    #[inline]
    pub(crate) fn settle_edge_normal(&self, motion: Vec3, filter: &Filter, candidates: &mut SweepCandidates) {
        if let (FirstHit::Hit(obstacle, hit), Some(triangle)) = (&mut candidates.first, &candidates.triangle) {
            debug_assert!(matches!(self.convex(*obstacle), Some(Convex::Triangle(same, _)) if same == *triangle));
            if let Some(&contact) = hit.contacts.points().first()
                && let Some(normal) = self.face_normal_at(*obstacle, triangle, motion, filter, (contact, hit.normal))
            {
                hit.normal = normal;
            }
        }
    }

    /// The normal of a face, for a hit on a triangle with this contact and this normal; `None` if it has a normal of its
    /// own.
    #[inline]
    pub(super) fn face_normal_at(
        &self,
        obstacle: Obstacle,
        triangle: &Triangle,
        motion: Vec3,
        filter: &Filter,
        (contact, normal): (Vec3, Vec3),
    ) -> Option<Vec3> {
        let normal = normal.as_dvec3();
        let is_of_face = (face_normal(triangle.points(), normal) - normal).length_squared() <= SAME;
        if is_of_face { None } else { self.settled(obstacle, motion, filter, (contact, normal)) }
    }

    fn settled(
        &self,
        obstacle: Obstacle,
        motion: Vec3,
        filter: &Filter,
        (contact, normal): (Vec3, DVec3),
    ) -> Option<Vec3> {
        let near = NEAR * contact.abs().max_element().max(motion.abs().max_element());
        let point = Aabb::new(contact, contact).ok()?;
        // All of these are visited, whatever else a tree or a placed mesh visits.
        let around = point.expanded(near);
        let rounded = ROUNDED * f64::from(contact.abs().max_element());
        let (mut is_crossed, mut best): (bool, Option<(f64, Obstacle, DVec3)>) = (false, None);
        for tree in self.trees(filter) {
            tree.overlap_aabb(&around, filter.mask(), |leaf| {
                let (key, object) = self.keyed_object(leaf);
                if !filter.accepts(key, object) {
                    return ControlFlow::Continue(());
                }
                object.shape.parts_near(&around, &mut |part, convex| {
                    let Convex::Triangle(triangle, _) = convex else { return };
                    let is_at = triangle.closest_point(contact).distance(contact) <= near;
                    let other = Obstacle::of(key, part);
                    if !is_at && other != obstacle {
                        return;
                    }
                    let points = triangle.points();
                    is_crossed |= points.iter().any(|point| {
                        let way = point.as_dvec3() - contact.as_dvec3();
                        way.dot(normal) > RISE * way.length() + rounded
                    });
                    let face = face_normal(points, normal);
                    let alike = face.dot(normal);
                    if best.is_none_or(|(most, known, _)| alike > most || (alike == most && other < known)) {
                        best = Some((alike, other, face));
                    }
                });
                ControlFlow::Continue(())
            });
        }
        let (_, _, face) = best.filter(|(_, _, face)| is_crossed && face.dot(motion.as_dvec3()) < 0.0)?;
        Some(face.as_vec3() + Vec3::ZERO)
    }
}

/// The unit normal of a triangle, on the side to which a direction points.
fn face_normal([a, b, c]: [Vec3; 3], side: DVec3) -> DVec3 {
    let [a, b, c] = [a, b, c].mapped(|point| point.as_dvec3());
    let normal = (b - a).cross(c - a);
    normal * (normal.dot(side).signum() / normal.length())
}
