//! The place where a swept shape comes to rest: rounded to `f32`, and free of all that is near.
//!
//! Sweeps answer for real numbers, but the caller gets a translation in `f32`, and the vertices of a moved shape are
//! rounded once more. So each place is checked as it will be: the shape is moved there, and compared with everything
//! near. If it penetrates something, it is raised along the normals of what it penetrates by a few steps of `f32`, more
//! each time; then it goes back on its way; and the start is always free.
//!
//! A shape that is thin compared to the steps of `f32` may have passed through something in a step. So the straight way
//! to its place must be free as well, and the place either exact or farther from everything than rounding moves a
//! vertex.

use super::shape::{MovingPart, MovingParts, ShapeSweep, moving_parts};
use super::shape_first::{FirstMet, ball_around};
use crate::{Filter, World, scene::planes::NearPlanes, tuning};
use cullide_narrowphase::{
    Sides,
    glam::{DVec3, Quat, Vec3},
};
use smallvec::SmallVec;

/// The search for a free place of a shape that has swept.
pub(super) struct Rest<'a> {
    world: &'a World,
    sweep: &'a ShapeSweep<'a>,
    filter: &'a Filter<'a>,
    /// A step of `f32` at the largest coordinate.
    step: f64,
    is_thin: bool,
}

impl<'a> Rest<'a> {
    pub(super) fn new(world: &'a World, sweep: &'a ShapeSweep, filter: &'a Filter) -> Self {
        let aabb = sweep.shape.aabb();
        let size = (aabb.min().abs().max(aabb.max().abs()) + sweep.motion.abs()).max_element().max(f32::MIN_POSITIVE);
        let thin = 2.0 * f64::from(tuning::THIN * size);
        // Moved out of itself, a shape moves by its least width.
        let is_thin = |part: &MovingPart| part.core.depth(&part.core, thin).is_none_or(|own| own.separation > -thin);
        let step = f64::from(f32::EPSILON) * f64::from(size);
        Self { world, sweep, filter, step, is_thin: sweep.parts.iter().any(is_thin) }
    }

    /// Returns the translation nearest to `way` at which the shape is free. What is hit there has a `normal`.
    pub(super) fn resolve(&self, way: DVec3, normal: Option<DVec3>) -> Vec3 {
        let mut normals: SmallVec<[DVec3; 4]> = normal.into_iter().collect();
        let (mut raised, mut height) = (way, 0.0f64);
        loop {
            let translation = raised.as_vec3() + Vec3::ZERO;
            let Err(normal) = self.check(translation) else { return translation };
            if !normals.contains(&normal) {
                normals.push(normal);
            }
            let middle = normals.iter().sum::<DVec3>().normalize_or_zero();
            let least = normals.iter().map(|normal| normal.dot(middle)).fold(1.0, f64::min);
            height = (2.0 * height).max(self.step);
            if height > tuning::RESOLVE_LIFT * self.step * least {
                break;
            }
            raised = way + middle * (height / least);
        }
        let back = tuning::RESOLVE_BACK.map(|share| (way * f64::from(1.0 - share)).as_vec3() + Vec3::ZERO);
        back.into_iter().find(|translation| self.check(*translation).is_ok()).unwrap_or(Vec3::ZERO)
    }

    /// Whether the shape is free at a place; the normal of something that it penetrates otherwise.
    fn check(&self, translation: Vec3) -> Result<(), DVec3> {
        let back = -self.sweep.motion.as_dvec3();
        let placed = self.sweep.shape.transformed(Quat::IDENTITY, translation).ok();
        let parts = placed.as_ref().and_then(moving_parts).filter(|parts| parts.len() == self.sweep.parts.len());
        let parts = parts.ok_or(back)?;
        if self.is_thin {
            match self.world.first_met(self.sweep, translation, self.filter) {
                FirstMet::Nothing { is_near: false } => return Ok(()),
                FirstMet::Nothing { .. } => {}
                FirstMet::Hit(touched) => return Err(touched.normal),
                FirstMet::Overlap(..) => return Err(back),
            }
        }
        self.check_planes(&parts)?;
        self.check_objects(&parts, translation)
    }

    /// Compares the shape with the planes, on the side of each where its parts started.
    fn check_planes(&self, parts: &MovingParts) -> Result<(), DVec3> {
        for (start, part) in self.sweep.parts.iter().zip(parts) {
            let mut near = NearPlanes::new();
            let way = ball_around(&part.aabb, start.aabb.center() - part.aabb.center());
            self.world.planes.near(&way, self.filter, &mut near);
            for entry in near.iter().filter_map(|plane| self.world.planes.get(plane.slot)) {
                let ([low, high], normal) = (part.core.heights_over(&entry.plane), entry.plane.normal().as_dvec3());
                let (is_in_front, is_wall) =
                    (start.core.heights_over(&entry.plane)[0] >= 0.0, entry.sides == Sides::Both);
                if is_in_front && low < 0.0 {
                    return Err(normal);
                }
                if !is_in_front && is_wall && high > 0.0 {
                    return Err(-normal);
                }
            }
        }
        Ok(())
    }

    /// Compares the shape with the parts of objects near it.
    fn check_objects(&self, parts: &MovingParts, translation: Vec3) -> Result<(), DVec3> {
        let mut verdict = Ok(());
        for (start, part) in self.sweep.parts.iter().zip(parts) {
            let room = if self.is_thin { 2.0 * self.step as f32 } else { 0.0 };
            let (bounds, center) = (part.aabb.expanded(room), start.aabb.center());
            let moved = start.core.translated(translation).map_err(|_| -self.sweep.motion.as_dvec3())?;
            self.world.objects_near(&bounds, self.filter, |_, shape| {
                shape.parts_near(&bounds, |_, convex| {
                    if verdict.is_err() || !convex.is_faced_by(center) {
                        return;
                    }
                    let other = convex.core();
                    if part.core.penetrates(&other) {
                        verdict = Err(part.core.distance(&other).normal);
                    } else if self.is_thin && part.core != moved {
                        let found = moved.distance(&other);
                        if found.bounds[0] < 2.0 * self.step {
                            verdict = Err(found.normal);
                        }
                    }
                });
            });
        }
        verdict
    }
}
