//! All surfaces that a body touches at the time of an impact, each with its contact points.

use crate::{
    BoxContact, Target,
    boxes::body_step::BodyStep,
    boxes::rigid::{ImpulsePoint, RigidBox},
    scene::planes::MotionBounds,
    sweep::candidates::Obstacle,
    tuning,
};
use cullide_bvh::Leaf;
use cullide_narrowphase::{
    FeatureId, Listed, Mapped, Solid, SweepHit,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Offsets of contact points from a body's centre.
type ContactOffsets = SmallVec<[DVec3; 16]>;

/// Surfaces touched at once.
type Surfaces = SmallVec<[Surface; 2]>;

/// What a body touches at one time, and how.
#[derive(Default)]
pub(crate) struct Touch {
    /// The surface that was hit first, then the others.
    pub(crate) surfaces: Surfaces,
    /// The contacts that they consist of, except that of the hit.
    pub(crate) contacts: SmallVec<[BoxContact; 2]>,
    /// Whether the touch is too slow for the body to rebound.
    pub(crate) is_slow: bool,
}

/// One side on which a body is held, by one thing or by several that face the same way.
pub(crate) struct Surface {
    /// Unit normal, against the body.
    pub(crate) normal: DVec3,
    /// From the body's centre to the contact points.
    pub(crate) offsets: ContactOffsets,
}

impl Surface {
    pub(crate) fn points(&self) -> impl Iterator<Item = ImpulsePoint> + Clone {
        self.offsets.iter().map(|&offset| ImpulsePoint { offset, normal: self.normal })
    }

    /// The least speed at which any of its points moves away from it.
    pub(crate) fn slowest(&self, rigid: &RigidBox) -> f64 {
        self.offsets.iter().map(|offset| self.normal.dot(rigid.velocity_at(*offset))).fold(f64::INFINITY, f64::min)
    }
}

impl BodyStep<'_> {
    /// Finds the surface that was hit, and others that the body also touches or is about to touch: all of them if it
    /// touches slowly, otherwise those that face the same way. `objects` are those near its way.
    ///
    /// Of the surfaces within two skins, those count that face the same way, and those that the body has run into in
    /// this step or the one before: beside an edge between two triangles, the side of a box is near the next triangle,
    /// yet only slides over it.
    pub(crate) fn find_surfaces(
        &self,
        obstacle: Obstacle,
        hit: &SweepHit,
        objects: &[Leaf],
        restitution: f32,
        touch: &mut Touch,
    ) {
        let normal = hit.normal.as_dvec3().normalize_or_zero();
        touch.surfaces.push(Surface { normal, offsets: self.offsets(obstacle, hit) });
        let near = 2.0 * self.config.skin.max(0.0);
        touch.is_slow = self.is_slow(&touch.surfaces[0], restitution);
        if touch.is_slow || !objects.is_empty() {
            self.add_objects(obstacle, near, touch);
            touch.is_slow = touch.is_slow && self.is_slow(&touch.surfaces[0], restitution);
        }
        if touch.is_slow {
            self.add_planes(obstacle, near, touch);
        }
        for surface in &mut touch.surfaces {
            keep_extreme_points(&mut surface.offsets, surface.normal);
        }
    }

    /// Whether none of its points approaches fast enough to rebound.
    fn is_slow(&self, surface: &Surface, restitution: f32) -> bool {
        let approach = |offset: &DVec3| -surface.normal.dot(self.velocity + self.angular_velocity.cross(*offset));
        let fastest = surface.offsets.iter().map(approach).fold(0.0, f64::max);
        restitution <= 0.0 || fastest < f64::from(self.config.restitution_speed)
    }

    /// Returns the offsets from the body's centre to the points of a contact, and to points where the two are only
    /// slightly farther apart: those touch next, as soon as the others rebound.
    fn offsets(&self, obstacle: Obstacle, hit: &SweepHit) -> ContactOffsets {
        let near = 2.0 * self.config.skin.max(0.0);
        let center = self.pose.center().as_dvec3();
        let touching = hit.contacts.points();
        // Relative to where it touches, even if it could not stay there.
        let from = hit.position.as_dvec3();
        let mut offsets: ContactOffsets = touching.iter().map(|point| point.as_dvec3() - from).listed();
        match obstacle.target {
            Target::Plane(key) => {
                let Some(entry) = self.world.plane(key) else { return offsets };
                let (normal, near) = (entry.plane.normal().as_dvec3(), f64::from(near));
                let [a, b, c] = self.pose.half_edges().mapped(|edge| edge.as_dvec3());
                let height = normal.dot(center) + f64::from(entry.plane.d());
                let (x, y, z) = (normal.dot(a).abs(), normal.dot(b).abs(), normal.dot(c).abs());
                // Mostly a single corner touches, and even the next one is farther away.
                let next = height.abs() - (x + y + z) + 2.0 * x.min(y).min(z);
                if offsets.len() > 1 || next <= near {
                    let signed = |corner: i32, i: i32, edge: DVec3| if corner >> i & 1 == 1 { edge } else { -edge };
                    let offset = |corner| signed(corner, 0, a) + signed(corner, 1, b) + signed(corner, 2, c);
                    let is_near = |offset: &DVec3| (height + normal.dot(*offset)).abs() <= near;
                    (0..8).map(offset).filter(is_near).for_each(|offset| offsets.push(offset));
                }
            }
            Target::Object(_) => {
                let Some(part) = self.world.convex(obstacle) else { return offsets };
                if let Some(contacts) = part.contacts(self.pose, hit.normal, near, FeatureId::NONE) {
                    let more = contacts.points().iter().filter(|&point| !touching.contains(point));
                    more.for_each(|point| offsets.push(point.as_dvec3() - center));
                }
            }
        }
        offsets
    }

    /// Adds objects other than the one that was hit.
    fn add_objects(&self, hit: Obstacle, near: f32, touch: &mut Touch) {
        let around = self.pose.aabb().expanded(near);
        let mut found = SmallVec::<[Obstacle; 16]>::new();
        for tree in self.world.trees(self.filter) {
            tree.overlap_aabb(&around, self.filter.mask(), |leaf| {
                let (key, object) = self.world.keyed_object(leaf);
                if self.filter.accepts(key, object) {
                    object.shape.parts_near(&around, &mut |part, _| found.push(Obstacle::of(key, part)));
                }
                ControlFlow::Continue(())
            });
        }
        // The order of impulses must not depend on the tree.
        found.sort_unstable();
        for obstacle in found.into_iter().filter(|obstacle| *obstacle != hit) {
            let Some(shape) = self.world.convex(obstacle) else { continue };
            if !shape.is_faced_by(self.pose.center()) {
                continue;
            }
            let gap = shape.gap(self.pose);
            let is_faced = (gap.normal - touch.surfaces[0].normal).length_squared() <= tuning::SAME_TURN;
            if gap.separation > f64::from(near) || !(is_faced || self.has_touched(obstacle, gap.normal)) {
                continue;
            }
            let normal = gap.normal.as_vec3();
            if let Some(contacts) = shape.contacts(self.pose, normal, near, FeatureId::NONE) {
                let Obstacle { target, part } = obstacle;
                let contact = BoxContact { body: self.body, target, part, normal, contacts };
                self.add(contact, gap.normal, touch);
            }
        }
    }

    /// Adds planes other than the one that was hit.
    fn add_planes(&self, hit: Obstacle, near: f32, touch: &mut Touch) {
        let way = MotionBounds::new(self.pose, Vec3::ZERO, Vec3::ZERO, near);
        for plane in self.world.planes_near(&way, self.filter) {
            let key = self.world.plane_key(plane.slot);
            let Some(entry) = self.world.plane(key).filter(|_| hit != key.into()) else {
                continue;
            };
            if let Some(manifold) = entry.plane.manifold(self.pose, entry.sides, near, FeatureId::NONE) {
                let contact = BoxContact {
                    body: self.body,
                    target: key.into(),
                    part: 0,
                    normal: manifold.normal,
                    contacts: manifold.contacts,
                };
                self.add(contact, manifold.normal.as_dvec3().normalize_or_zero(), touch);
            }
        }
    }

    /// Whether the body has run into this obstacle from about the same side, in this step or the one before.
    fn has_touched(&self, obstacle: Obstacle, normal: DVec3) -> bool {
        let touched = self.contacts.iter().chain(self.had).filter(|contact| contact.obstacle() == obstacle);
        touched.map(|contact| contact.normal.as_dvec3()).any(|old| (old - normal).length_squared() <= tuning::SAME_SIDE)
    }

    /// Adds the points of a contact to the surface that faces the same way, or as a new surface.
    fn add(&self, contact: BoxContact, normal: DVec3, touch: &mut Touch) {
        let center = self.pose.center().as_dvec3();
        let offsets = contact.contacts.points().iter().map(|point| point.as_dvec3() - center);
        let is_alike = |surface: &&mut Surface| (surface.normal - normal).length_squared() <= tuning::SAME_TURN;
        match touch.surfaces.iter_mut().find(is_alike) {
            Some(surface) => offsets.for_each(|offset| surface.offsets.push(offset)),
            None => touch.surfaces.push(Surface { normal, offsets: offsets.listed() }),
        }
        touch.contacts.push(contact);
    }
}

/// Directions all round, slanted so that the corners of a box do not tie.
const ALL_ROUND: [(f64, f64); 8] =
    [(1.0, 0.3), (0.5, 0.9), (-0.3, 1.0), (-0.9, 0.5), (-1.0, -0.3), (-0.5, -0.9), (0.3, -1.0), (0.9, -0.5)];

/// Reduces many contact points to those that are outermost in some direction: while these stay apart, so do those
/// between them, and impulses at fewer points settle sooner.
fn keep_extreme_points(offsets: &mut ContactOffsets, normal: DVec3) {
    if offsets.len() <= 4 {
        return;
    }
    let (x, y) = normal.any_orthonormal_pair();
    let mut kept = ContactOffsets::new();
    for (along_x, along_y) in ALL_ROUND {
        let direction = x * along_x + y * along_y;
        let along = |offset: &DVec3| direction.dot(*offset);
        let outermost = offsets.iter().copied().fold(offsets[0], |a, b| if along(&b) > along(&a) { b } else { a });
        if !kept.contains(&outermost) {
            kept.push(outermost);
        }
    }
    *offsets = kept;
}
