//! Slides of bodies along what they touch.
//!
//! After each contact the body continues with the part of its motion that the surfaces there leave free: see
//! [`free_motion`](super::free_motion).

use crate::{
    BodyHit, BodyOverlap, Filter, SweptBody, Target, World,
    shape::Convex,
    sweep::candidates::Obstacle,
    sweep::depenetrate::Recovers,
    sweep::free_motion::{Held, HoldingSurface, Manner},
    sweep::lost::Lost,
    sweep::swept_shape::SweepingShape,
    tuning,
};
use cullide_narrowphase::{BoxSweep, Capsule, CapsuleSweep, Error, Gap, Obb, Solid, Sphere, SphereSweep, glam::Vec3};
use smallvec::SmallVec;
use std::ops::Deref;

/// Where a slide ends and what it touched.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Slide {
    /// The centre of the body at the end; it penetrates nothing there except the half-spaces that it started wholly
    /// behind. For a shape of any kind, its translation.
    pub position: Vec3,
    /// What is left of the motion's direction and length per step after all contacts: the motion to continue with. Zero
    /// for a body that is held.
    pub motion: Vec3,
    /// What it met, in order; a surface met twice is listed twice.
    pub contacts: SlideContacts,
    /// What the body overlapped at the start and could not be pushed out of; then it has not moved.
    pub overlap: Option<BodyOverlap>,
}

/// The surfaces that a slide met: a list that derefs to a slice, and does not allocate for up to four surfaces.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SlideContacts(SmallVec<[SlideContact; 4]>);

impl SlideContacts {
    pub(crate) fn push(&mut self, contact: SlideContact) {
        self.0.push(contact);
    }

    pub(crate) fn extend(&mut self, more: &Self) {
        self.0.extend_from_slice(more);
    }
}

impl Deref for SlideContacts {
    type Target = [SlideContact];

    fn deref(&self) -> &[SlideContact] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a SlideContacts {
    type Item = &'a SlideContact;
    type IntoIter = std::slice::Iter<'a, SlideContact>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// A surface that a sliding body met.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SlideContact {
    /// What it met.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// Unit normal of the surface.
    pub normal: Vec3,
    /// The centre of the body when it met the surface; the translation of a shape.
    pub position: Vec3,
}

/// Settings of a slide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SlideOptions {
    /// The limit on sub-steps, each of which leads to the next surface; 24 by default. When it is reached the body stops,
    /// which is safe.
    pub max_steps: usize,
}

impl Default for SlideOptions {
    /// 24 sub-steps: a corner takes four at most.
    fn default() -> Self {
        Self { max_steps: tuning::SLIDE_STEPS }
    }
}

impl World {
    /// Moves and slides any body.
    pub(crate) fn slide_body<B: Slides>(
        &self,
        body: &B,
        motion: Vec3,
        manner: Manner,
        filter: &Filter,
        options: &SlideOptions,
    ) -> Slide {
        self.slide_on(body, motion, &mut Lost::Ignored, manner, filter, options)
    }

    /// The same for a body that makes up for what it has `lost`.
    pub(crate) fn slide_on<B: Slides>(
        &self,
        body: &B,
        motion: Vec3,
        lost: &mut Lost,
        manner: Manner,
        filter: &Filter,
        options: &SlideOptions,
    ) -> Slide {
        let mut slide = Slide { position: body.center(), motion, contacts: SlideContacts::default(), overlap: None };
        let mut held = Held::new(manner, motion.as_dvec3());
        let (mut rest, mut is_recovered) = (1.0, false);
        let (mut start, mut past) = (*body, None);
        for round in 0..options.max_steps {
            let in_the_way = past.as_ref().unwrap_or(filter);
            let left = held.left();
            slide.motion = left.wish.as_vec3();
            let Some(body) = body.at(slide.position) else { break };
            let led = lost.made_up(left.free * rest);
            let motion = led.as_vec3();
            // A body without motion is pushed out of what it overlaps as well.
            let swept = if motion == Vec3::ZERO && round > 0 { None } else { body.swept(self, motion, in_the_way) };
            let Some(swept) = swept else { break };
            if let Some(overlap) = swept.overlap {
                // Half-spaces that the body was wholly behind remain ignored.
                if round > 0 && past.is_none() {
                    past = self.past_ignored(&start, filter);
                    if past.is_some() {
                        continue;
                    }
                }
                match self.recovered(&body, filter).filter(|_| !is_recovered) {
                    Some(free) => (slide.position, start) = (free.center(), free),
                    None => {
                        slide.overlap = Some(overlap);
                        break;
                    }
                }
                is_recovered = true;
                continue;
            }
            let from = std::mem::replace(&mut slide.position, swept.position);
            let share = if left.is_lifted { self.carried(&held, &body, swept.position) } else { 1.0 };
            if share < 1.0 {
                // Beyond the end of a slope it continues at the height that it has there.
                let way = share * swept.hit.map_or(1.0, |hit| hit.toi);
                let Some(swept) = body.swept(self, motion * way, in_the_way) else { break };
                slide.position = swept.position;
                rest *= 1.0 - f64::from(way);
                lost.note(led, way, from, swept.position);
                held.move_on(&left, &|_| false);
                continue;
            }
            lost.note(led, swept.hit.map_or(1.0, |hit| hit.toi), from, swept.position);
            let Some(hit) = swept.hit else { break };
            slide.contacts.push(SlideContact {
                target: hit.target,
                part: hit.part,
                surface: hit.surface,
                normal: hit.normal,
                position: swept.position,
            });
            rest *= 1.0 - f64::from(hit.toi);
            let surface = HoldingSurface { target: hit.obstacle(), normal: hit.normal.as_dvec3().normalize_or_zero() };
            lost.block(surface.normal);
            if !is_same_place(from, swept.position, body.spread()) {
                held.move_on(&left, &|old| {
                    if old.is_alike(&surface) || self.still_holds(old, &body, swept.position) {
                        return !old.is_alike(&surface);
                    }
                    let now = self.rounded(old, &body, swept.position);
                    let Some(now) = now.filter(|now| now.target != surface.target) else { return false };
                    *old = now;
                    true
                });
            }
            if !held.add(surface) {
                slide.motion = Vec3::ZERO;
                break;
            }
            if round + 1 == options.max_steps {
                slide.motion = held.left().wish.as_vec3();
            }
        }
        slide
    }

    /// The distance between a body and a thing, or the depth of one in the other; `None` for a stale key.
    pub(crate) fn gap_to(&self, body: &impl Slides, obstacle: Obstacle) -> Option<Gap> {
        match obstacle.target {
            Target::Object(_) => self.convex(obstacle).map(|part| body.gap(part)),
            Target::Plane(key) => self.plane(key).map(|entry| body.gap_from(body, entry)),
        }
    }

    fn is_round(&self, obstacle: Obstacle) -> bool {
        self.convex(obstacle).is_some_and(|part| part.is_round())
    }

    /// The share of its way to a place for which a body has a surface beneath it that carries it.
    fn carried<B: Slides>(&self, held: &Held, body: &B, to: Vec3) -> f32 {
        let (from, way) = (body.center(), to - body.center());
        let reach = rounding_near(body, to).max(rounding_near(body, from)) + 4.0 * LEAN * way.length();
        let is_carried = |share: f32| {
            let Some(body) = body.at(from + way * share) else { return false };
            held.carriers().any(|surface| {
                let Some(gap) = self.gap_to(&body, surface.target) else { return false };
                // What is round, or an edge under a round body, curves away beneath a straight way.
                if body.is_round() || self.is_round(surface.target) {
                    return gap.separation <= (ROUND * body.extents().min_element()).max(reach).into();
                }
                gap.separation <= reach.into() && surface.is_alike(&surface.facing(gap.normal))
            })
        };
        if is_carried(1.0) {
            return 1.0;
        }
        // A face is convex, and so is the part of the way above it.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..CARRIED_ROUNDS {
            let middle = 0.5 * (low + high);
            *(if is_carried(middle) { &mut low } else { &mut high }) = middle;
        }
        low
    }

    /// Whether a body that slid along a surface still touches it at `position`. If the surface were forgotten, the next
    /// step would run into it again at once, and the body would zigzag along a valley in tiny steps.
    fn still_holds(&self, surface: &HoldingSurface, body: &impl Slides, position: Vec3) -> bool {
        let Some(body) = body.at(position) else { return false };
        let gap = self.gap_to(&body, surface.target);
        let reach = f64::from(rounding_near(&body, position));
        gap.is_some_and(|gap| gap.separation <= reach && surface.is_alike(&surface.facing(gap.normal)))
    }

    /// The surface as a round body touches it after moving straight along it, if the body has left it by no more than
    /// it curves away over that distance. Such a surface still holds the body: pushed in between two edges, it would
    /// otherwise go from one to the other for ever.
    fn rounded(&self, surface: &HoldingSurface, body: &impl Slides, position: Vec3) -> Option<HoldingSurface> {
        let (way, radius) = (body.center().distance(position), body.extents().min_element());
        if !body.is_round() || way > 0.5 * radius {
            return None;
        }
        let gap = self.gap_to(&body.at(position)?, surface.target)?;
        let curve = way * way / (2.0 * radius);
        let is_near = gap.separation <= f64::from(curve + rounding_near(body, position));
        let now = surface.facing(gap.normal);
        (is_near && !now.is_alike(surface)).then_some(now)
    }
}

/// A body that can slide.
pub(crate) trait Slides: Recovers {
    /// Sweeps it; `None` if that is out of range.
    fn swept(&self, world: &World, motion: Vec3, filter: &Filter) -> Option<SweptBody>;
    /// The distance from a shape, or the depth in it.
    fn gap(&self, shape: Convex) -> Gap;
    /// How far it reaches from its middle against a unit direction.
    fn height(&self, up: Vec3) -> f32;
    /// The point below its middle at the height of its lowest point.
    fn foot(&self, up: Vec3) -> Vec3 {
        self.middle() - up * self.height(up)
    }
    /// Refuses a motion that is not finite or leads out of the range of coordinates.
    fn check_motion(&self, motion: Vec3) -> Result<(), Error>;
    /// Whether any side of it may touch an edge.
    fn is_round(&self) -> bool;
    /// The middle of where it touches what it has hit.
    fn touching(&self, _world: &World, hit: &BodyHit) -> Vec3 {
        let points = hit.contacts.points();
        points.iter().sum::<Vec3>() / points.len().max(1) as f32
    }
}

impl Slides for Obb {
    fn swept(&self, world: &World, motion: Vec3, filter: &Filter) -> Option<SweptBody> {
        Some(world.sweep(&BoxSweep::new(*self, motion).ok()?, filter))
    }

    fn gap(&self, shape: Convex) -> Gap {
        shape.gap(self)
    }

    fn height(&self, up: Vec3) -> f32 {
        self.half_edges().iter().map(|edge| edge.dot(up).abs()).sum()
    }

    fn check_motion(&self, motion: Vec3) -> Result<(), Error> {
        BoxSweep::new(*self, motion).map(drop)
    }

    fn is_round(&self) -> bool {
        false
    }
}

impl Slides for Sphere {
    fn swept(&self, world: &World, motion: Vec3, filter: &Filter) -> Option<SweptBody> {
        Some(world.sweep(&SphereSweep::new(*self, motion).ok()?, filter))
    }

    fn gap(&self, shape: Convex) -> Gap {
        shape.gap_of_sphere(self)
    }

    fn height(&self, up: Vec3) -> f32 {
        self.radius() * up.length()
    }

    fn check_motion(&self, motion: Vec3) -> Result<(), Error> {
        SphereSweep::new(*self, motion).map(drop)
    }

    fn is_round(&self) -> bool {
        true
    }
}

impl Slides for Capsule {
    fn swept(&self, world: &World, motion: Vec3, filter: &Filter) -> Option<SweptBody> {
        Some(world.sweep(&CapsuleSweep::new(*self, motion).ok()?, filter))
    }

    fn gap(&self, shape: Convex) -> Gap {
        shape.gap_of_capsule(self)
    }

    fn height(&self, up: Vec3) -> f32 {
        self.half_axis().dot(up).abs() + self.radius() * up.length()
    }

    fn check_motion(&self, motion: Vec3) -> Result<(), Error> {
        CapsuleSweep::new(*self, motion).map(drop)
    }

    fn is_round(&self) -> bool {
        true
    }
}

/// Whether two positions differ by no more than a few steps of `f32`: as much as settling may move a body with this
/// [spread](SweepingShape::spread) that went nowhere.
pub(crate) fn is_same_place(a: Vec3, b: Vec3, spread: Vec3) -> bool {
    (a - b).abs().cmple(steps_of_rounding(a.abs().max(b.abs()) + spread)).all()
}

/// How far a slide leans away from what it slides along, as a share of its way.
const LEAN: f32 = tuning::SLIDE_LEAN as f32;

/// How far above something round a body is still carried, as a share of its own half width.
const ROUND: f32 = 1.0 / 16.0;

/// The number of halvings of a way, after which a millionth of it is left.
const CARRIED_ROUNDS: usize = 20;

/// A few steps of `f32` at a position.
fn steps_of_rounding(position: Vec3) -> Vec3 {
    position.abs() * LEAN
}

/// The same along the largest coordinate that a body has there.
pub(crate) fn rounding_near(body: &impl SweepingShape, position: Vec3) -> f32 {
    steps_of_rounding(position.abs() + body.spread()).max_element()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorldPlane;
    use cullide_narrowphase::{Plane, glam::Quat};

    #[test]
    fn a_valley_is_followed_in_a_few_steps_and_not_in_a_zigzag() {
        // Touched only approximately in `f32`: a body that forgot one side each time it met the other took 24 steps and
        // still stopped short.
        let normals = [Vec3::new(0.4311249, 0.670155, 0.6041718), Vec3::new(-0.89753187, -0.44094956, 0.0)];
        let half_extents = Vec3::new(16.0, 16.0, 28.0);
        let start = Vec3::new(-23.002216, -17.691936, 138.07207);
        let mut world = World::new();
        for normal in normals {
            let lowest = start - half_extents * normal.signum();
            world.insert_plane(WorldPlane::half_space(Plane::from_point_normal(lowest, normal).unwrap()).layers(1));
        }
        let body = Obb::new(start, Quat::IDENTITY, half_extents).unwrap();
        let start = world.depenetrate(&body, &Filter::ALL).unwrap();
        let body = Obb::new(start, Quat::IDENTITY, half_extents).unwrap();
        let motion = Vec3::new(-0.6473558, 1.1220306, -1.116906);
        let slide = world.slide(&BoxSweep::new(body, motion).unwrap(), &Filter::ALL, &SlideOptions::default());
        assert!(slide.contacts.len() <= 4, "{} contacts", slide.contacts.len());
        let along = normals[0].cross(normals[1]).normalize();
        let wanted = start + along * along.dot(motion);
        assert!(slide.position.distance(wanted) < 1e-4, "{} instead of {wanted}", slide.position);
    }
}
