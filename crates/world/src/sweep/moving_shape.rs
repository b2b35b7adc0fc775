//! A convex shape of any kind, or a compound of such, as a body: what slides, walks and ways out ask of one.
//!
//! A shape is given somewhere, and its convex parts are baked there once. Wherever it moves, its vertices are those sums
//! in `f64`. Only its last place is compared with the world [as rounded](super::shape_rest).

use super::{
    candidates::Obstacle,
    depenetrate::Recovers,
    origin::Origin,
    shape::{MovingPart, MovingParts, moving_parts},
    shape_exits::exits,
    shape_first::{FirstMet, ball_around},
    shape_rest::Form,
    slide::Slides,
    swept_shape::SweepingShape,
};
use crate::{
    BodyHit, BodyOverlap, Filter, Shape, SweptBody, World, WorldPlane, scene::planes::MotionBounds, shape::Convex,
};
use cullide_narrowphase::{
    Aabb, BodyWay, ContactManifold, Contacts, ConvexCore, Distance, Error, Gap, Listed, ManifoldCache, Mapped, Sides,
    Solid,
    glam::{DVec3, Vec3},
};
use smallvec::{SmallVec, smallvec};
use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    sync::Arc,
};

/// A convex shape, or a compound of such, with its parts where it was given.
#[derive(Clone, Debug)]
pub(crate) struct GivenShape<'a> {
    pub(super) shape: Cow<'a, Shape>,
    parts: Arc<MovingParts>,
    aabb: Aabb,
    is_round: bool,
}

impl<'a> GivenShape<'a> {
    /// # Errors
    /// [`Error::Surface`] for a mesh or a terrain, or a compound that holds one or nothing that has a place.
    pub(crate) fn new(shape: Cow<'a, Shape>) -> Result<Self, Error> {
        let error = Error::Surface { field: "shape" };
        let parts = moving_parts(&shape).ok_or(error)?;
        let aabb = parts.iter().map(|part| part.aabb).reduce(|all, part| all.union(&part)).ok_or(error)?;
        let mut is_round = false;
        shape.all_convex(&mut |_, convex| is_round |= convex.is_round());
        Ok(Self { shape, parts: Arc::new(parts), aabb, is_round })
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Refuses a place, by how far it is from where the shape was given, that is out of range.
    pub(crate) fn check_position(&self, position: Vec3) -> Result<(), Error> {
        if !position.is_finite() {
            return Err(Error::NonFinite { field: "position" });
        }
        moved(&self.aabb, position).map(drop).ok_or(Error::OutOfRange { field: "position" })
    }
}

/// The parts of a shape at a place.
type PartsAt = (Vec3, Arc<MovingParts>);

/// A given shape, and its parts at the places where they were last needed.
pub(crate) struct Carrier<'a> {
    given: &'a GivenShape<'a>,
    last: RefCell<[Option<PartsAt>; 2]>,
    /// Its least width, if that is below a limit, and the limit.
    width: OnceCell<(f64, f64)>,
}

impl<'a> Carrier<'a> {
    pub(crate) fn new(given: &'a GivenShape<'a>) -> Self {
        Self { given, last: RefCell::default(), width: OnceCell::new() }
    }
}

/// A shape at a place: moved by `position` from where it was given.
#[derive(Clone, Copy)]
pub(crate) struct ShapeAt<'a> {
    carrier: &'a Carrier<'a>,
    position: Vec3,
}

impl<'a> ShapeAt<'a> {
    /// The shape at a place that is known to be in range.
    pub(crate) fn new(carrier: &'a Carrier<'a>, position: Vec3) -> Self {
        Self { carrier, position }
    }

    /// Its parts there.
    pub(super) fn parts(&self) -> Arc<MovingParts> {
        if self.position == Vec3::ZERO {
            return Arc::clone(&self.carrier.given.parts);
        }
        let mut last = self.carrier.last.borrow_mut();
        if let Some((_, parts)) = last.iter().flatten().find(|(position, _)| *position == self.position) {
            return Arc::clone(parts);
        }
        let parts = Arc::new(self.carrier.given.parts.iter().filter_map(|part| part.at(self.position)).listed());
        last.swap(0, 1);
        last[0] = Some((self.position, Arc::clone(&parts)));
        parts
    }

    /// Its parts as [`Shape::transformed`] rounds them; `None` if that refuses to.
    pub(super) fn rounded_parts(&self, is_thin: bool) -> Option<MovingParts> {
        let shape = &*self.carrier.given.shape;
        // Where rounding cannot make it flat, no faces of a hull are needed, and to build them takes longest of all.
        if let Shape::Brush(hull) = shape
            && !is_thin
            && let Some(points) = hull.points()
        {
            let position = self.position.as_dvec3();
            let points: SmallVec<[Vec3; 16]> = points.map(|point| (point.as_dvec3() + position).as_vec3()).listed();
            let [min, max] = [points.iter().copied().reduce(Vec3::min)?, points.iter().copied().reduce(Vec3::max)?];
            let (core, aabb) = (ConvexCore::new(points).ok()?, Aabb::new(min, max).ok()?);
            return Some(smallvec![MovingPart { number: 0, core, aabb }]);
        }
        let rounded = shape.transformed(Default::default(), self.position).ok()?;
        moving_parts(&rounded).filter(|parts| parts.len() == self.carrier.given.parts.len())
    }

    /// Whether a part is thinner than a length.
    pub(super) fn is_thinner_than(&self, length: f64) -> bool {
        // Moved out of itself, a shape moves by its least width.
        let width_below = |limit: f64| {
            let parts = self.carrier.given.parts.iter();
            let widths = parts.map(|part| part.core.depth(&part.core, limit).map_or(0.0, |own| -own.separation));
            (widths.fold(f64::INFINITY, f64::min), limit)
        };
        let (width, limit) = *self.carrier.width.get_or_init(|| width_below(2.0 * length));
        let width = if limit < length { width_below(length).0 } else { width };
        width < length
    }

    /// The least gap of its parts, and which one has it.
    fn least_gap(&self, shape: Convex) -> Option<(Gap, u32)> {
        let (other, bounds) = (shape.core(), shape.aabb());
        let mut least: Option<(Gap, u32)> = None;
        for (part, number) in self.parts().iter().zip(0..) {
            let apart = (bounds.min() - part.aabb.max()).max(part.aabb.min() - bounds.max()).max_element();
            if least.is_some_and(|(gap, _)| f64::from(apart) > gap.separation) {
                continue;
            }
            let gap = Gap::from(part.core.distance(&other));
            if least.is_none_or(|(old, _)| gap.separation < old.separation) {
                least = Some((gap, number));
            }
        }
        least
    }

    fn penetration_if(&self, shape: Convex, is_asked: impl Fn(&MovingPart) -> bool) -> Option<Gap> {
        let (other, bounds) = (OnceCell::new(), shape.aabb());
        let parts = self.parts();
        let near = parts.iter().filter(|part| part.aabb.overlaps(&bounds) && is_asked(part));
        let gaps = near.map(|part| Gap::from(part.core.distance(other.get_or_init(|| shape.core()))));
        gaps.filter(|gap| !gap.is_apart()).min_by(|a, b| a.separation.total_cmp(&b.separation))
    }
}

impl MovingPart {
    /// The same moved by `delta`; `None` if out of range.
    fn at(&self, delta: Vec3) -> Option<Self> {
        let (core, aabb) = (self.core.translated(delta).ok()?, moved(&self.aabb, delta)?);
        Some(Self { number: self.number, core, aabb })
    }
}

/// A box around a moved one; `None` if out of range.
fn moved(aabb: &Aabb, delta: Vec3) -> Option<Aabb> {
    if delta == Vec3::ZERO {
        return Some(*aabb);
    }
    let [min, max] = [aabb.min(), aabb.max()].mapped(|corner| (corner.as_dvec3() + delta.as_dvec3()).as_vec3());
    let [min, max] = [min.to_array().mapped(f32::next_down), max.to_array().mapped(f32::next_up)];
    Aabb::new(min.into(), max.into()).ok()
}

impl SweepingShape for ShapeAt<'_> {
    fn center(&self) -> Vec3 {
        self.position
    }

    fn at(&self, position: Vec3) -> Option<Self> {
        self.carrier.given.check_position(position).is_ok().then_some(Self { position, ..*self })
    }

    fn pushed(&self, gap: &Gap, length: f64) -> Option<Self> {
        // A step of `f32` at the shape's coordinates, which may be larger than those of its place.
        let step = f64::from((self.spread() * f32::EPSILON).max_element());
        self.at(gap.moved_by(self.position, length.max(step)))
    }

    fn middle(&self) -> Vec3 {
        self.carrier.given.aabb.center() + self.position
    }

    fn spread(&self) -> Vec3 {
        self.carrier.given.aabb.min().abs().max(self.carrier.given.aabb.max().abs())
    }

    fn aabb(&self) -> Aabb {
        moved(&self.carrier.given.aabb, self.position).unwrap_or(self.carrier.given.aabb)
    }

    fn extents(&self) -> Vec3 {
        self.carrier.given.aabb.half_extents()
    }

    fn reach(&self, normal: DVec3) -> f64 {
        // Its middle is rounded.
        let rounding = 4.0 * f32::EPSILON * (self.spread() + self.position.abs());
        normal.abs().dot((self.extents() + rounding).as_dvec3())
    }

    fn way(&self, motion: Vec3) -> MotionBounds {
        ball_around(&self.aabb(), motion)
    }

    fn at_rest(&self) -> BodyWay {
        BodyWay::around(&self.aabb(), Vec3::ZERO)
    }

    fn gap_from(&self, start: &Self, entry: &WorldPlane) -> Gap {
        let (parts, starts) = (self.parts(), start.parts());
        let gaps = parts.iter().zip(starts.iter()).map(|(part, start)| gap_of_part(part, start, entry));
        let least = gaps.min_by(|a, b| a.separation.total_cmp(&b.separation));
        least.unwrap_or_else(|| plane_gap(f64::INFINITY, 0.0, entry.plane.normal().as_dvec3()))
    }

    fn penetration(&self, shape: Convex) -> Option<Gap> {
        self.penetration_if(shape, |_| true)
    }

    /// Each part meets the sides of a surface that its own middle faces.
    fn penetration_from(&self, origin: Origin<Self>, shape: Convex) -> Option<Gap> {
        let offset = origin.start().position - self.position;
        let is_pushed = matches!(origin, Origin::Pushed(_));
        self.penetration_if(shape, |part| {
            let center = part.aabb.center();
            shape.is_faced_by(center + offset) || is_pushed && shape.is_faced_by(center)
        })
    }
}

/// The distance of a part from a plane on the side where it started, or its depth in it; a half-space ignores a part that
/// started wholly behind it.
fn gap_of_part(part: &MovingPart, start: &MovingPart, entry: &WorldPlane) -> Gap {
    let normal = entry.plane.normal().as_dvec3();
    let [low, high] = part.core.heights_over(&entry.plane);
    let [first_low, first_high] = start.core.heights_over(&entry.plane);
    let size = part.aabb.min().abs().max(part.aabb.max().abs()).as_dvec3().dot(normal.abs());
    let error = PLANE_ERROR * (size + f64::from(entry.plane.d()).abs()) / normal.length();
    let is_behind = if entry.sides == Sides::Both { first_low < 0.0 && -first_low > first_high } else { false };
    match entry.sides {
        Sides::Front if first_high <= 0.0 => plane_gap(f64::INFINITY, 0.0, normal),
        _ if is_behind => plane_gap(-high, error, -normal),
        _ => plane_gap(low, error, normal),
    }
}

/// What heights over a plane may lose by rounding, as a share of the coordinates.
const PLANE_ERROR: f64 = 32.0 * f64::EPSILON;

fn plane_gap(separation: f64, error: f64, normal: DVec3) -> Gap {
    // The sign of a height is exact: what is positive needs no push.
    let bounds = [if separation >= 0.0 { separation } else { separation - error }, separation];
    Distance { separation, bounds, normal: normal / normal.length(), points: [DVec3::ZERO; 2] }.into()
}

impl Recovers for ShapeAt<'_> {
    fn exits(&self, part: u32, shape: Convex, visit: &mut dyn FnMut(Gap)) {
        let parts = self.parts();
        let Some(part) = parts.get(part as usize) else { return };
        if let Some(given) = self.carrier.given.shape.part(part.number) {
            exits(&given, &part.core, &shape, visit);
        }
    }

    fn deepest_part(&self, shape: Convex) -> u32 {
        self.least_gap(shape).map_or(0, |(_, part)| part)
    }
}

impl Slides for ShapeAt<'_> {
    fn swept(&self, world: &World, motion: Vec3, filter: &Filter) -> Option<SweptBody> {
        self.check_motion(motion).ok()?;
        let (position, first) = world.stop_shape(*self, motion, filter, Form::Exact);
        let surface = |at: Obstacle| world.surface(at.target, at.part).unwrap_or(0);
        let (hit, overlap) = match first {
            FirstMet::Nothing { .. } => (None, None),
            FirstMet::Hit(touched) => {
                let obstacle @ Obstacle { target, part } = touched.obstacle;
                let (point, normal) = world.contact_of(&touched, motion, filter);
                let contacts = Contacts::single(point, 0.0);
                let toi = touched.toi;
                (Some(BodyHit { target, part, surface: surface(obstacle), toi, normal, contacts }), None)
            }
            FirstMet::Overlap(overlap) => {
                let obstacle @ Obstacle { target, part } = overlap.obstacle;
                let contacts = Contacts::single(overlap.point.as_vec3(), -overlap.depth);
                let normal = overlap.normal.as_vec3() + Vec3::ZERO;
                let (surface, depth) = (surface(obstacle), overlap.depth);
                (None, Some(BodyOverlap { target, part, surface, depth, normal, contacts }))
            }
        };
        Some(SweptBody { position, hit, overlap })
    }

    fn gap(&self, shape: Convex) -> Gap {
        let least = self.least_gap(shape).map(|(gap, _)| gap);
        least.unwrap_or_else(|| plane_gap(f64::INFINITY, 0.0, DVec3::Y))
    }

    fn height(&self, up: Vec3) -> f32 {
        let (up, middle) = (up.as_dvec3(), self.middle().as_dvec3());
        let depths = self.parts().iter().map(|part| up.dot(middle - part.core.support(-up))).fold(0.0, f64::max);
        depths as f32
    }

    fn check_motion(&self, motion: Vec3) -> Result<(), Error> {
        if !motion.is_finite() {
            return Err(Error::NonFinite { field: "motion" });
        }
        self.aabb().swept(motion).map(drop).ok_or(Error::OutOfRange { field: "motion" })
    }

    fn is_round(&self) -> bool {
        self.carrier.given.is_round
    }

    /// By the manifolds of its parts as rounded: a sweep tells only one point of a face.
    fn touching(&self, world: &World, hit: &BodyHit) -> Vec3 {
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        let rounded = self.carrier.given.shape.transformed(Default::default(), self.position).ok();
        if let (Some(own), Some(other)) = (rounded, world.convex(hit.obstacle())) {
            let (mut manifold, center) = (ContactManifold::default(), other.contact_shape().center().as_dvec3());
            let near = 16.0 * f32::EPSILON * (self.spread() + self.position.abs()).max_element();
            own.all_convex(&mut |_, part| {
                manifold.update(&part.contact_shape(), &other.contact_shape(), near, &mut ManifoldCache::default());
                for point in manifold.points() {
                    sum += center + point.from_second.as_dvec3();
                    count += 1.0;
                }
            });
        }
        if count > 0.0 { (sum / count).as_vec3() } else { hit.contacts.points()[0] }
    }
}
