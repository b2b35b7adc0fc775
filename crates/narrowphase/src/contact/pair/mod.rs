//! The contact manifold of two convex shapes, as a solver of rigid bodies asks for it every step.
//!
//! [`Contacts`](crate::Contacts) tell where a swept body stops, in `f64` and as exactly as the inputs allow; here speed
//! counts, and that the same features give the same points from step to step. Offsets are relative to the shapes'
//! centres, so that places far from the origin cost no accuracy; lanes of `f32` do the arithmetic where two boxes meet,
//! `f64` the rest. What is rounded away is stated with each bound and taken off [`ContactManifold::distance`].
//!
//! Reading order: this file; [`contact_manifold`] and [`cache`], what is returned and what is remembered; [`box_frame`],
//! [`box_box`], [`box_faces`] and [`box_edges`], two boxes; [`keep_four`]; [`plane`] and [`ball`].
//!
//! A new shape is a variant of [`ContactShape`]; the compiler names the matches.
//!
//! Sources: Gottschalk, Lin and Manocha, "OBBTree", 1996 (the axes of two boxes); Gregorius, "Robust Contact Creation
//! for Physics Simulations", GDC 2015 (reference and incident faces).

mod ball;
mod box_box;
mod box_edges;
mod box_faces;
mod box_frame;
mod cache;
mod contact_manifold;
mod keep_four;
mod plane;

use crate::{Aabb, MAX_COORDINATE, Obb, Plane, Sides, Sphere};
use box_frame::BoxEdges;
pub use cache::ManifoldCache;
pub use contact_manifold::{ContactManifold, ManifoldPoint};
use glam::Vec3;

/// A convex shape as a manifold is asked for it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ContactShape<'a> {
    /// An oriented box. One whose half edges are not perpendicular is met as the rectangular box around it.
    Box(&'a Obb),
    /// An axis-aligned box.
    Aabb(&'a Aabb),
    /// A ball.
    Sphere(&'a Sphere),
    /// With [`Sides::Front`] the half-space behind the plane, all of which is solid; with [`Sides::Both`] a thin wall,
    /// which holds what it meets on the side where its centre is.
    Plane(&'a Plane, Sides),
}

impl ContactShape<'_> {
    /// The point that offsets are from: the centre of a box or a ball, the origin for a plane.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactShape, Sphere, glam::Vec3};
    /// let ball = Sphere::new(Vec3::X, 2.0)?;
    /// assert_eq!(ContactShape::Sphere(&ball).center(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn center(&self) -> Vec3 {
        match self {
            Self::Box(obb) => obb.center(),
            Self::Aabb(aabb) => aabb.center(),
            Self::Sphere(ball) => ball.center(),
            Self::Plane(..) => Vec3::ZERO,
        }
    }
}

impl ContactManifold {
    /// Makes this the manifold of two shapes, with all points that are no more than `margin` apart; one that is not
    /// positive counts as zero.
    ///
    /// `cache` belongs to the pair, in this order: it holds what decided the last time, which is tried first, and kept
    /// while it is no worse than the best by more than a 256th of the size of the smaller shape. A new one is right for
    /// any pair; so is one of other shapes.
    ///
    /// Two boxes touch along the normal of that face along which they penetrate least; or, when that is less deep by
    /// more than the same tolerance, across an edge of each, with one point. Two planes have no manifold.
    ///
    /// ```
    /// # use cullide_narrowphase::{ContactManifold, ContactShape, ManifoldCache, Obb, glam::{Quat, Vec3}};
    /// let floor = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(9.0, 1.0, 9.0))?;
    /// // A crate that leans a little keeps all its corners.
    /// let body = Obb::new(Vec3::Y * 1.5, Quat::from_rotation_z(0.01), Vec3::splat(0.5))?;
    /// let (mut manifold, mut cache) = (ContactManifold::default(), ManifoldCache::default());
    /// manifold.update(&ContactShape::Box(&floor), &ContactShape::Box(&body), 0.02, &mut cache);
    /// assert_eq!((manifold.normal(), manifold.points().len()), (Vec3::Y, 4));
    /// let deepest = manifold.points().iter().map(|point| point.separation).fold(f32::INFINITY, f32::min);
    /// assert!((deepest + 0.005).abs() < 1e-4);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn update(&mut self, first: &ContactShape, second: &ContactShape, margin: f32, cache: &mut ManifoldCache) {
        use ContactShape as S;
        let margin = if margin > 0.0 { margin.min(MAX_COORDINATE) } else { 0.0 };
        if let (Some(a), Some(b)) = (BoxEdges::of(first), BoxEdges::of(second)) {
            return box_box::update(self, &a, &b, margin, cache);
        }
        *cache = ManifoldCache::default();
        match (first, second) {
            (S::Sphere(a), S::Sphere(b)) => ball::against_ball(self, a, b, margin),
            (S::Sphere(ball), S::Plane(plane, sides)) => {
                plane::against_ball(self, plane, *sides, ball, margin);
                self.reverse();
            }
            (S::Plane(plane, sides), S::Sphere(ball)) => plane::against_ball(self, plane, *sides, ball, margin),
            (S::Plane(plane, sides), other) => match BoxEdges::of(other) {
                Some(body) => plane::against_box(self, plane, *sides, &body, margin),
                None => self.clear(),
            },
            (other, S::Plane(plane, sides)) => {
                match BoxEdges::of(other) {
                    Some(body) => plane::against_box(self, plane, *sides, &body, margin),
                    None => self.clear(),
                }
                self.reverse();
            }
            (other, S::Sphere(ball)) => match BoxEdges::of(other) {
                Some(body) => ball::against_box(self, &body, ball, margin),
                None => self.clear(),
            },
            (S::Sphere(ball), other) => {
                match BoxEdges::of(other) {
                    Some(body) => ball::against_box(self, &body, ball, margin),
                    None => self.clear(),
                }
                self.reverse();
            }
            // Two boxes, above.
            (S::Box(_) | S::Aabb(_), S::Box(_) | S::Aabb(_)) => self.clear(),
        }
    }
}
