//! Resolves the penetration that rounding a body's end position causes.

use crate::{
    Filter, PlaneKey, World, WorldPlane,
    scene::planes::{NearPlane, NearPlanes},
    shape::{Convex, way::StraightWay},
    sweep::candidates::{Obstacle, SweepCandidates},
    sweep::origin::Origin,
    sweep::swept_shape::{Settles, SweepingShape},
    tuning,
};
use cullide_narrowphase::{
    Aabb, BodyWay, Gap, Sides,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::cell::{LazyCell, OnceCell};

impl World {
    /// Returns the deepest of what a body may penetrate, rounding considered. A small body may have been rounded or
    /// pushed right through a plane: it belongs on the side where it comes from.
    pub(crate) fn deepest<B: SweepingShape>(
        &self,
        body: &B,
        origin: Origin<B>,
        filter: &Filter,
    ) -> Option<(Gap, Obstacle)> {
        let mut deepest = None;
        self.plane_penetrations(body, origin, filter, &mut |gap, target| keep_deeper(&mut deepest, gap, target));
        let (around, at_rest) = (body.aabb(), OnceCell::new());
        let way = StraightWay { around: &around, motion: Vec3::ZERO, body: &|| at_rest.get_or_init(|| body.at_rest()) };
        self.objects_near(&around, filter, &mut |key, shape| {
            // Among many triangles, less deep ones are skipped.
            let until = |deepest: Option<(Gap, Obstacle)>| match deepest {
                Some((gap, _)) if gap.separation < 0.0 => LESS_DEEP * gap.separation as f32,
                _ => 1.0,
            };
            shape.parts_along(&way, until(deepest), &mut |part, convex, _| {
                if let Some(gap) = body.penetration_from(origin, convex) {
                    keep_deeper(&mut deepest, gap, Obstacle::of(key, part));
                }
                until(deepest)
            });
        });
        deepest
    }

    /// The same, relative to the side of every object on which the body's `sweep` is at a time, and which the body has
    /// left by rounding at most.
    fn deepest_on_side<B: Settles>(
        &self,
        body: &B,
        start: &B,
        (sweep, time): (&B::SweepQuery, f32),
        filter: &Filter,
    ) -> Option<(Gap, Obstacle)> {
        // Everything between the two.
        let bounds = B::pose(sweep, time).aabb().union(&body.aabb());
        let size = bounds.min().abs().max(bounds.max().abs()).max_element();
        let bounds = bounds.expanded(4.0 * f32::EPSILON * size);
        let origin = Origin::Swept(start);
        let penetration = |shape: Convex| {
            Some(body.gap_on_side(sweep, time, shape)).filter(|gap| !gap.is_apart() && origin.faces(&shape, body))
        };
        let mut deepest = None;
        let mut keep = |gap, target| keep_deeper(&mut deepest, gap, target);
        self.penetrations_within(&bounds, body, origin, filter, &penetration, &mut keep);
        deepest
    }

    /// Calls `visit` with everything that a body may penetrate, in no order.
    pub(crate) fn penetrations<B: SweepingShape>(
        &self,
        body: &B,
        origin: Origin<B>,
        filter: &Filter,
        visit: &mut dyn FnMut(Gap, Obstacle),
    ) {
        let penetration = |shape: Convex| body.penetration_from(origin, shape);
        self.penetrations_within(&body.aabb(), body, origin, filter, &penetration, visit);
    }

    /// The same for the planes, and for the objects near these bounds, given how deep the body is in a shape.
    fn penetrations_within<B: SweepingShape>(
        &self,
        bounds: &Aabb,
        body: &B,
        origin: Origin<B>,
        filter: &Filter,
        penetration: &dyn Fn(Convex) -> Option<Gap>,
        visit: &mut dyn FnMut(Gap, Obstacle),
    ) {
        self.plane_penetrations(body, origin, filter, visit);
        self.objects_near(bounds, filter, &mut |key, shape| {
            shape.parts_near(bounds, &mut |part, convex| {
                if let Some(gap) = penetration(convex) {
                    visit(gap, Obstacle::of(key, part));
                }
            });
        });
    }

    /// Calls `visit` with the planes that a body may penetrate.
    fn plane_penetrations<B: SweepingShape>(
        &self,
        body: &B,
        origin: Origin<B>,
        filter: &Filter,
        visit: &mut dyn FnMut(Gap, Obstacle),
    ) {
        let start = origin.start();
        let mut near = NearPlanes::new();
        self.planes.near(&body.way(start.center() - body.center()), filter, &mut near);
        for NearPlane { slot, .. } in near {
            let entry = self.planes.get(slot).filter(|entry| !is_surely_apart(entry, body, start));
            if let Some(gap) = entry.map(|entry| origin.gap(body, entry)).filter(|gap| !gap.is_apart()) {
                visit(gap, PlaneKey::new(slot, self.id).into());
            }
        }
    }

    /// Moves a body from the end of its sweep to the nearest place where it penetrates nothing. Rounding may have put
    /// it a step of `f32` into what it touches. If pushing it out of one thing after the other does not help, it is
    /// lifted out of the corner between them, or goes `back` by a share of its motion, or to its `start`, which is
    /// free.
    ///
    /// The body is where its `sweep` is at a `time`, up to rounding. A body that is thin compared to the steps of `f32`
    /// may penetrate nothing there and yet have passed through something equally thin, so it is kept on the side of
    /// everything where its sweep is.
    #[inline]
    pub(crate) fn resolve_rounding<B: Settles>(
        &self,
        body: &mut B,
        candidates: &SweepCandidates,
        start: &B,
        (sweep, time): (impl Fn() -> Option<B::SweepQuery>, f32),
        back: impl Fn(f32) -> B,
        filter: &Filter,
    ) {
        if !candidates.objects.is_empty() && is_thin_for_its_place(body) {
            let held = sweep().and_then(|sweep| self.resolved_on_side(body, start, (&sweep, time), &back, filter));
            *body = held.unwrap_or(*start);
            return;
        }
        if self.is_free_of_planes(body, candidates, start) && self.is_free_of_objects(body, candidates, start) {
            return;
        }
        let origin = Origin::Swept(start);
        let pushed = self.push_out(body, origin, filter, tuning::RESOLVE_ROUNDS);
        let pushed = pushed.or_else(|| self.lift_out(body, origin, filter));
        let is_free = |body: &B| self.deepest(body, origin, filter).is_none();
        let free = || tuning::RESOLVE_BACK.iter().map(|share| back(*share)).find(is_free);
        *body = pushed.or_else(free).unwrap_or(*start);
    }

    /// The body where it penetrates nothing on the side where its sweep is: pushed out, or back by a share of its way.
    #[cold]
    fn resolved_on_side<B: Settles>(
        &self,
        body: &B,
        start: &B,
        (sweep, time): (&B::SweepQuery, f32),
        back: &dyn Fn(f32) -> B,
        filter: &Filter,
    ) -> Option<B> {
        let free = |share: &f32| {
            let (body, time) = (back(*share), time * (1.0 - share));
            self.deepest_on_side(&body, start, (sweep, time), filter).is_none().then_some(body)
        };
        let pushed = self.push_out_on_side(body, start, (sweep, time), filter);
        pushed.or_else(|| tuning::RESOLVE_BACK.iter().find_map(free))
    }

    /// Moves the body, which its sweep has led near here, to where it penetrates nothing on the side where the sweep is
    /// at a time.
    fn push_out_on_side<B: Settles>(
        &self,
        body: &B,
        start: &B,
        at: (&B::SweepQuery, f32),
        filter: &Filter,
    ) -> Option<B> {
        let (mut body, mut share, mut last) = (*body, 1.0, None);
        for _ in 0..tuning::RESOLVE_ROUNDS {
            let Some((gap, target)) = self.deepest_on_side(&body, start, at, filter) else { return Some(body) };
            // Rounding leaves a remainder, as in `push_out`.
            share = if last == Some(target) { 2.0 * share } else { 1.0 };
            body = body.pushed(&gap, share * gap.required_push())?;
            last = Some(target);
        }
        None
    }

    /// Moves the body, which differs from its `start` by rounding, to where it penetrates nothing, on the side of
    /// everything where it was.
    pub(crate) fn resolve_beside<B: Settles>(&self, body: &B, start: &B, filter: &Filter) -> Option<B> {
        if is_thin_for_its_place(body) {
            return self.push_out_on_side(body, start, (&start.sweep(Vec3::ZERO)?, 0.0), filter);
        }
        self.push_out(body, Origin::Swept(start), filter, tuning::RESOLVE_ROUNDS)
    }

    /// Whether a body, where it ends or first touches something, certainly penetrates none of the planes near its way.
    #[inline]
    fn is_free_of_planes<B: SweepingShape>(&self, body: &B, candidates: &SweepCandidates, start: &B) -> bool {
        let reached = candidates.planes.iter().take_while(|plane| plane.from <= candidates.first.limit());
        let mut others = reached.filter(|plane| !candidates.first.is_hit_on(PlaneKey::new(plane.slot, self.id).into()));
        others.all(|plane| self.planes.get(plane.slot).is_none_or(|entry| is_surely_apart(entry, body, start)))
    }

    /// Whether a body, where it ends or first touches something, certainly penetrates none of the objects near its way;
    /// it is near no others.
    #[inline]
    fn is_free_of_objects<B: SweepingShape>(&self, body: &B, candidates: &SweepCandidates, start: &B) -> bool {
        if let Some(is_free) = self.is_free_of_parts(body, candidates, start) {
            return is_free;
        }
        let (around, at_rest) = (body.aabb(), OnceCell::new());
        let way = StraightWay { around: &around, motion: Vec3::ZERO, body: &|| at_rest.get_or_init(|| body.at_rest()) };
        candidates.objects.iter().all(|&leaf| {
            let (key, object) = self.keyed_object(leaf);
            if !object.shape.aabb().overlaps(&around) {
                return true;
            }
            let mut is_free = true;
            object.shape.parts_along(&way, 1.0, &mut |part, convex, _| {
                let is_hit = candidates.first.is_hit_on(Obstacle::of(key, part)) || !convex.is_faced_by(start.center());
                is_free = is_free && (is_hit || body.penetration(convex).is_none());
                if is_free { 1.0 } else { f32::NEG_INFINITY }
            });
            is_free
        })
    }

    /// The same by the parts that its sweep has met; `None` if these may not be all that it touches where it is.
    #[inline]
    fn is_free_of_parts<B: SweepingShape>(&self, body: &B, candidates: &SweepCandidates, start: &B) -> Option<bool> {
        let (motion, time) = (candidates.motion?, candidates.first.time()?);
        let led = start.center().as_dvec3() + motion.as_dvec3() * f64::from(time);
        let moved_off = (body.center().as_dvec3() - led).abs().element_sum();
        if moved_off > 0.9 * f64::from(BodyWay::room(start.center(), motion)) {
            return None;
        }
        let around = LazyCell::new(|| body.aabb());
        Some(candidates.parts.iter().all(|&(leaf, part)| {
            let (key, object) = self.keyed_object(leaf);
            if candidates.first.is_hit_on(Obstacle::of(key, part)) || !object.shape.aabb().overlaps(&around) {
                return true;
            }
            let may_meet = |convex: &Convex| convex.is_faced_by(start.center()) && body.penetration(*convex).is_some();
            !object.shape.part(part).is_some_and(|convex| may_meet(&convex))
        }))
    }

    /// Moves the body to where it penetrates nothing, if this many rounds suffice.
    pub(crate) fn push_out<B: SweepingShape>(
        &self,
        body: &B,
        origin: Origin<B>,
        filter: &Filter,
        rounds: usize,
    ) -> Option<B> {
        self.push_out_while(body, origin, filter, rounds, &mut |_| true)
    }

    /// The same, as long as `may_look` is true of the body.
    pub(crate) fn push_out_while<B: SweepingShape>(
        &self,
        body: &B,
        origin: Origin<B>,
        filter: &Filter,
        rounds: usize,
        may_look: &mut dyn FnMut(&B) -> bool,
    ) -> Option<B> {
        let (mut body, mut share, mut last) = (*body, 1.0, None);
        for _ in 0..rounds {
            if !may_look(&body) {
                return None;
            }
            let Some((gap, target)) = self.deepest(&body, origin, filter) else { return Some(body) };
            // Of a slanted push, rounding leaves a remainder: each time twice as much is pushed.
            let step = f64::from(f32::EPSILON) * f64::from((body.center().abs() + body.spread()).max_element());
            share = if last == Some(target) && gap.required_push() <= 2.0 * step { 2.0 * share } else { 1.0 };
            body = body.pushed(&gap, share * gap.required_push())?;
            last = Some(target);
        }
        None
    }

    /// Moves the body by a few steps of `f32` along the mean of the normals of everything that it penetrates on the
    /// way, to where it penetrates nothing. In a valley that is slanted to all axes, each push out of one side may be
    /// rounded into the other for ever.
    #[cold]
    fn lift_out<B: SweepingShape>(&self, body: &B, origin: Origin<B>, filter: &Filter) -> Option<B> {
        let size = (body.center().abs() + body.spread()).max_element().max(f32::MIN_POSITIVE);
        let step = f64::from(f32::EPSILON) * f64::from(size);
        let mut normals: SmallVec<[DVec3; 16]> = SmallVec::new();
        let (mut lifted, mut height) = (*body, step);
        loop {
            let Some((gap, _)) = self.deepest(&lifted, origin, filter) else { return Some(lifted) };
            if !normals.contains(&gap.normal) {
                normals.push(gap.normal);
            }
            let middle = normals.iter().sum::<DVec3>().normalize_or_zero();
            let least = normals.iter().map(|normal| normal.dot(middle)).fold(1.0, f64::min);
            if height > tuning::RESOLVE_LIFT * step * least {
                return None;
            }
            lifted = body.at((body.center().as_dvec3() + middle * (height / least)).as_vec3())?;
            height *= 2.0;
        }
    }
}

/// Anything with at least this share of the greatest depth so far counts as equally deep, because of rounding.
const LESS_DEEP: f32 = 0.999;

/// Keeps the deeper of two, or the one with the smaller key if they are equally deep.
fn keep_deeper(deepest: &mut Option<(Gap, Obstacle)>, gap: Gap, target: Obstacle) {
    let is_deeper = |(old, key): (Gap, Obstacle)| (gap.separation, target) < (old.separation, key);
    if deepest.is_none_or(is_deeper) {
        *deepest = Some((gap, target));
    }
}

/// Whether a body is so thin compared to the steps of `f32` at its place that rounding, and being pushed out of what
/// that puts it into, may take it through something.
#[inline]
fn is_thin_for_its_place(body: &impl Settles) -> bool {
    !body.is_thicker_than(tuning::THIN * body.center().abs().max_element())
}

/// Whether a body is apart from a plane, on the side where its `start` was, by some hundred times more than `f64` may
/// lose.
#[inline]
pub(crate) fn is_surely_apart<B: SweepingShape>(entry: &WorldPlane, body: &B, start: &B) -> bool {
    let (normal, d) = (entry.plane.normal().as_dvec3(), f64::from(entry.plane.d()));
    let height = |center: Vec3| {
        let product = normal * center.as_dvec3();
        (product.element_sum() + d, product.abs().element_sum() + d.abs())
    };
    let reach = body.reach(normal);
    let (distance, size) = height(body.middle());
    let side = if entry.sides == Sides::Both {
        let (distance, size) = height(start.middle());
        if distance.abs() <= F64_LOSS * size {
            return false;
        }
        distance.signum()
    } else {
        1.0
    };
    side * distance - reach > F64_LOSS * (size + reach)
}

/// A hundred times what `f64` may lose in a sum of a few products, as a share of their magnitudes.
const F64_LOSS: f64 = 1e-12;
