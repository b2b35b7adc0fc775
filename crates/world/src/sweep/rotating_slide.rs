//! Slides of a box that turns while it moves.

use crate::{
    BodyHit, BodyOverlap, Filter, SlideContact, SlideContacts, SlideOptions, World,
    sweep::free_motion::{Normals, free_motion},
    sweep::slide::is_same_place,
    sweep::swept_shape::placed,
    tuning,
};
use cullide_narrowphase::{
    BoxSweep, Budget, Obb, TurningBoxSweep,
    glam::{DVec3, Vec3},
};

/// How a slide that turns on its way ends, and what it met.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TurningSlide {
    /// The box at the end; it penetrates nothing there except the half-spaces that it started wholly behind.
    pub body: Obb,
    /// What is left of the motion's direction and length per step after all contacts; zero for a body that is held.
    pub motion: Vec3,
    /// The share of its rotation that it completed, 1 for all of it.
    pub turned: f32,
    /// What it met, in order; a surface met twice is listed twice.
    pub contacts: SlideContacts,
    /// What the box overlapped at the start and could not be pushed out of; then it has neither moved nor turned.
    pub overlap: Option<BodyOverlap>,
}

impl World {
    /// [`World::slide_turning`].
    pub(super) fn slide_rotating_box(
        &self,
        sweep: &TurningBoxSweep,
        skin: f32,
        filter: &Filter,
        options: &SlideOptions,
    ) -> TurningSlide {
        let mut arrival = sweep.motion().as_dvec3() + 0.5 * sweep.acceleration().as_dvec3();
        let mut held = Normals::new();
        let mut slide = TurningSlide {
            body: *sweep.body(),
            motion: arrival.as_vec3(),
            turned: 1.0,
            contacts: SlideContacts::default(),
            overlap: None,
        };
        let (mut left, mut is_recovered, mut is_turning) = (1.0, false, true);
        let (mut start, mut past) = (slide.body, None);
        let budget = Budget::default();
        for round in 0..options.max_steps {
            let in_the_way = past.as_ref().unwrap_or(filter);
            let free = free_motion(arrival, &held);
            slide.motion = free.as_vec3();
            let Some(leg) = leg(&slide.body, free * left, sweep.rotation().as_dvec3() * left) else { break };
            // A box without motion is pushed out of what it overlaps as well.
            if round > 0 && leg.motion() == Vec3::ZERO && leg.rotation() == Vec3::ZERO {
                break;
            }
            let (swept, is_early) = self.sweep_turning_within(&leg, skin, in_the_way, &budget);
            if let Some(overlap) = swept.overlap {
                // Half-spaces that the box was wholly behind remain ignored.
                if round > 0 && past.is_none() {
                    past = self.past_ignored(&start, filter);
                    if past.is_some() {
                        continue;
                    }
                }
                let free = self.recovered(&slide.body, filter).filter(|_| !is_recovered);
                let Some(free) = free else {
                    (slide.overlap, slide.turned) = (Some(overlap), (1.0 - left) as f32);
                    return slide;
                };
                (slide.body, start) = (free, free);
                is_recovered = true;
                continue;
            }
            let from = std::mem::replace(&mut slide.body, swept.body);
            let Some(hit) = swept.hit else { return slide };
            if is_early || budget.is_spent() {
                // It may have touched nothing there.
                left *= 1.0 - f64::from(hit.toi);
                break;
            }
            let position = slide.body.center();
            let BodyHit { target, part, surface, normal, .. } = hit;
            slide.contacts.push(SlideContact { target, part, surface, normal, position });
            left *= 1.0 - f64::from(hit.toi);
            let normal = hit.normal.as_dvec3().normalize_or_zero();
            if !is_same_place(from.center(), position, Vec3::ZERO) {
                arrival = free;
                held.clear();
            } else if held.iter().any(|old| old.distance_squared(normal) <= tuning::SAME_TURN) {
                // Sliding along it does not help: the rotation leads into it.
                is_turning = false;
                break;
            }
            if held.len() == tuning::SLIDE_SURFACES {
                held.remove(0);
            }
            held.push(normal);
            if round + 1 == options.max_steps {
                slide.motion = free_motion(arrival, &held).as_vec3();
            }
        }
        slide.turned = (1.0 - left) as f32;
        if is_turning {
            // Out of steps, or with nothing left to do.
            return slide;
        }
        let Ok(rest) = BoxSweep::new(slide.body, (arrival * left).as_vec3()) else { return slide };
        let past = past.or_else(|| self.past_ignored(&start, filter));
        let filter = past.as_ref().unwrap_or(filter);
        let rest = self.slide(&rest, filter, options);
        slide.body = placed(&slide.body, rest.position);
        slide.motion = (rest.motion.as_dvec3() / left).as_vec3();
        slide.contacts.extend(&rest.contacts);
        slide
    }
}

/// One leg of the way; `None` if out of range.
fn leg(body: &Obb, motion: DVec3, rotation: DVec3) -> Option<TurningBoxSweep> {
    let (motion, rotation) = (motion.as_vec3(), rotation.as_vec3());
    BoxSweep::new(*body, motion).ok()?.rotating(rotation).ok()
}
