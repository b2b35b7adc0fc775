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

use super::{
    candidates::Obstacle,
    moving_shape::ShapeAt,
    shape::{MovingPart, MovingParts},
    shape_first::{FirstMet, ball_around},
    swept_shape::SweepingShape,
};
use crate::{Filter, World, scene::planes::NearPlanes, tuning};
use cullide_narrowphase::{
    ConvexCore, Sides,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::sync::Arc;

/// In which forms a shape penetrates nothing where it stops.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// As it is there in `f64`, from where it continues.
    Exact,
    /// As [`Shape::transformed`](crate::Shape::transformed) rounds it.
    Rounded,
    /// As both.
    Both,
}

/// The search for a free place of a shape that has swept.
struct RestSearch<'a> {
    world: &'a World,
    /// Where it started.
    body: ShapeAt<'a>,
    starts: Arc<MovingParts>,
    motion: Vec3,
    filter: &'a Filter<'a>,
    form: Form,
    /// A step of `f32` at the largest coordinate.
    step: f64,
    is_thin: bool,
}

impl World {
    /// Returns where a shape stops on its way, and what it meets first; it stays where it is if it overlaps something.
    pub(super) fn stop_shape(&self, body: ShapeAt, motion: Vec3, filter: &Filter, form: Form) -> (Vec3, FirstMet) {
        let first = self.first_met(&body.parts(), motion, filter);
        let position = match &first {
            FirstMet::Overlap(_) => body.center(),
            FirstMet::Nothing { is_near: false } => body.center() + motion,
            FirstMet::Nothing { .. } => {
                RestSearch::new(self, body, motion, filter, form).resolve(motion.as_dvec3(), None)
            }
            FirstMet::Hit(touched) => {
                let way = motion.as_dvec3() * touched.time;
                RestSearch::new(self, body, motion, filter, form).resolve(way, Some(touched.normal))
            }
        };
        (position, first)
    }

    /// Returns the place nearest to a shape that penetrates nothing as it is, at which it does not as rounded either.
    pub(crate) fn rounded_place(&self, body: ShapeAt, filter: &Filter) -> Option<Vec3> {
        RestSearch::new(self, body, Vec3::ZERO, filter, Form::Both).raised(DVec3::ZERO, None)
    }
}

impl<'a> RestSearch<'a> {
    fn new(world: &'a World, body: ShapeAt<'a>, motion: Vec3, filter: &'a Filter, form: Form) -> Self {
        let aabb = body.aabb();
        let size = (aabb.min().abs().max(aabb.max().abs()) + motion.abs()).max_element().max(f32::MIN_POSITIVE);
        let step = f64::from(f32::EPSILON) * f64::from(size);
        let is_thin = body.is_thinner_than(2.0 * f64::from(tuning::THIN * size));
        Self { world, body, starts: body.parts(), motion, filter, form, step, is_thin }
    }

    /// Returns the place nearest to the end of `way` at which the shape is free. What is hit there has a `normal`.
    fn resolve(&self, way: DVec3, normal: Option<DVec3>) -> Vec3 {
        let mut back = tuning::RESOLVE_BACK.iter().map(|share| self.place(way * f64::from(1.0 - share)));
        let free = || back.find(|position| self.check(*position).is_ok());
        self.raised(way, normal).or_else(free).unwrap_or(self.body.center())
    }

    fn place(&self, way: DVec3) -> Vec3 {
        (self.body.center().as_dvec3() + way).as_vec3() + Vec3::ZERO
    }

    /// The same, no more than a few steps of `f32` away.
    fn raised(&self, way: DVec3, normal: Option<DVec3>) -> Option<Vec3> {
        raised(way, normal, self.step, |way| {
            let position = self.place(way);
            self.check(position).map(|()| position)
        })
    }

    /// Whether the shape is free at a place; the normal of something that it penetrates otherwise.
    fn check(&self, position: Vec3) -> Result<(), DVec3> {
        let back = -self.motion.as_dvec3();
        let body = self.body.at(position).ok_or(back)?;
        if self.is_thin {
            let way = position - self.body.center();
            match self.world.first_met(&self.starts, way, self.filter) {
                FirstMet::Nothing { is_near: false } => return Ok(()),
                FirstMet::Nothing { .. } => {}
                FirstMet::Hit(touched) => return Err(touched.normal),
                FirstMet::Overlap(_) => return Err(back),
            }
        }
        if self.form != Form::Rounded {
            self.check_parts(&body.parts(), position)?;
        }
        if self.form != Form::Exact {
            self.check_parts(&body.rounded_parts(self.is_thin).ok_or(back)?, position)?;
        }
        Ok(())
    }

    fn check_parts(&self, parts: &MovingParts, position: Vec3) -> Result<(), DVec3> {
        let way = position - self.body.center();
        let unrounded = |start: &MovingPart| start.core.translated(way).ok();
        let margin = Margin { unrounded: &unrounded, step: self.step };
        self.world.check_place(&self.starts, parts, self.is_thin.then_some(margin), self.filter)
    }
}

/// Raises a place along the normals of what is penetrated there, by a few steps of `f32`, more each time, until nothing
/// is. `check` returns what is at a place, or the normal of something that is penetrated.
pub(super) fn raised<T>(
    way: DVec3,
    normal: Option<DVec3>,
    step: f64,
    check: impl Fn(DVec3) -> Result<T, DVec3>,
) -> Option<T> {
    let mut normals: SmallVec<[DVec3; 16]> = normal.as_slice().into();
    let (mut raised, mut height) = (way, 0.0f64);
    loop {
        let normal = match check(raised) {
            Ok(place) => return Some(place),
            Err(normal) => normal,
        };
        if !normals.contains(&normal) {
            normals.push(normal);
        }
        let middle = normals.iter().sum::<DVec3>().normalize_or_zero();
        let least = normals.iter().map(|normal| normal.dot(middle)).fold(1.0, f64::min);
        height = (2.0 * height).max(step);
        if height > tuning::RESOLVE_LIFT * step * least {
            return None;
        }
        raised = way + middle * (height / least);
    }
}

/// How far from everything the parts of a thin shape have to be where rounding moves them.
#[derive(Clone, Copy)]
pub(super) struct Margin<'a> {
    /// A part before rounding, given where it started; `None` if that is out of range.
    pub(super) unrounded: &'a dyn Fn(&MovingPart) -> Option<ConvexCore>,
    /// What rounding may move a vertex by.
    pub(super) step: f64,
}

impl World {
    /// Whether parts are free at a place, on the side of everything where they started; the normal of something that they
    /// penetrate otherwise.
    pub(super) fn check_place(
        &self,
        starts: &[MovingPart],
        parts: &[MovingPart],
        margin: Option<Margin>,
        filter: &Filter,
    ) -> Result<(), DVec3> {
        for (start, part) in starts.iter().zip(parts) {
            self.check_planes(start, part, filter)?;
        }
        for (start, part) in starts.iter().zip(parts) {
            let margin = margin.and_then(|margin| Some(((margin.unrounded)(start)?, margin.step)));
            self.check_objects(start, part, margin, filter)?;
        }
        Ok(())
    }

    fn check_planes(&self, start: &MovingPart, part: &MovingPart, filter: &Filter) -> Result<(), DVec3> {
        let mut near = NearPlanes::new();
        let way = ball_around(&part.aabb, start.aabb.center() - part.aabb.center());
        self.planes.near(&way, filter, &mut near);
        for entry in near.iter().filter_map(|plane| self.planes.get(plane.slot)) {
            let ([low, high], normal) = (part.core.heights_over(&entry.plane), entry.plane.normal().as_dvec3());
            let (is_in_front, is_wall) = (start.core.heights_over(&entry.plane)[0] >= 0.0, entry.sides == Sides::Both);
            if is_in_front && low < 0.0 {
                return Err(normal);
            }
            if !is_in_front && is_wall && high > 0.0 {
                return Err(-normal);
            }
        }
        Ok(())
    }

    fn check_objects(
        &self,
        start: &MovingPart,
        part: &MovingPart,
        margin: Option<(ConvexCore, f64)>,
        filter: &Filter,
    ) -> Result<(), DVec3> {
        // Objects come in no particular order, nor in the same one everywhere: what is deepest decides, of equals the
        // smaller key.
        let mut worst: Option<(f64, Obstacle, DVec3)> = None;
        let room = margin.as_ref().map_or(0.0, |(_, step)| 2.0 * *step as f32);
        let (bounds, center) = (part.aabb.expanded(room), start.aabb.center());
        self.objects_near(&bounds, filter, &mut |key, shape| {
            shape.parts_near(&bounds, &mut |number, convex| {
                if !convex.is_faced_by(center) {
                    return;
                }
                let other = convex.core();
                let found = if part.core.penetrates(&other) {
                    part.core.distance(&other)
                } else if let Some((unrounded, step)) = &margin
                    && part.core != *unrounded
                {
                    let found = unrounded.distance(&other);
                    if found.bounds[0] >= 2.0 * step {
                        return;
                    }
                    found
                } else {
                    return;
                };
                let (separation, obstacle) = (found.separation, Obstacle::of(key, number));
                let is_worse = |(least, other, _): &(f64, Obstacle, DVec3)| {
                    separation.total_cmp(least).then(obstacle.cmp(other)).is_lt()
                };
                if worst.as_ref().is_none_or(is_worse) {
                    worst = Some((separation, obstacle, found.normal));
                }
            });
        });
        worst.map_or(Ok(()), |(_, _, normal)| Err(normal))
    }
}
