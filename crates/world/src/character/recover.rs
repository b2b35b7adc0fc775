//! Moves a character out of what has moved into it.
//!
//! ```text
//!   shortest way out  ->  blocked by something fixed:      along that, and again from there; or the next way
//!                     ->  leads behind what came at it:    ahead of that instead, if there is room
//!   no way            ->  crushed, where it was
//! ```

use crate::{
    BodyOverlap, Filter, Object, ObjectKey, SlideOptions, Target,
    character::walker::Walker,
    sweep::{free_motion::Manner, origin::Origin, slide::Slides},
};
use cullide_narrowphase::glam::Vec3;

/// The limit on searches for a way out, each starting where something fixed blocked the one before.
const DETOURS: usize = 4;

/// Moved by this multiple of the motion of what moved into it, a body certainly lies ahead of that, despite rounding
/// and rotation.
const AHEAD: f32 = 1.25;

/// A slide to a place ends within this distance of it, as a share of its coordinates and size: twice what a slide leans
/// away from what it slides along.
const REACHED: f32 = 16.0 * f32::EPSILON;

impl<B: Slides> Walker<'_, B> {
    /// Moves out of what it penetrates; returns what it still penetrates if there is no way out.
    pub(crate) fn recover(&mut self, dt: f32) -> Option<BodyOverlap> {
        let start = self.body;
        let overlap = self.leave();
        if overlap.is_some() || self.body.center() == start.center() {
            return overlap;
        }
        let (key, velocity) = self.driven(&start)?;
        let way = velocity * dt;
        let is_ahead = |end: &B| (end.center() - start.center()).dot(way) >= 0.0;
        if !way.is_finite() || is_ahead(&self.body) {
            return None;
        }
        // The shortest way out of something fast leads behind it; the body was pushed ahead of it.
        let behind = self.body;
        if let Some(ahead) = self.ahead(&start, key, way) {
            self.body = ahead;
            if self.leave().is_none() && is_ahead(&self.body) {
                return None;
            }
        }
        self.body = behind;
        None
    }

    /// Returns the object that a body penetrates deepest of those that nothing stops, and the object's velocity there.
    fn driven(&self, body: &B) -> Option<(ObjectKey, Vec3)> {
        let (mut driven, mut deepest) = (None, 0.0);
        self.world.penetrations(body, Origin::Pushed(body), self.filter, &mut |gap, obstacle| {
            if let Target::Object(key) = obstacle.target
                && gap.required_push() > deepest
                && let Some(velocity) = self.surroundings.driven_at(key, body.middle())
            {
                (driven, deepest) = (Some((key, velocity)), gap.required_push());
            }
        });
        driven
    }

    /// Returns where an object that moved by `way`, and into a body, has pushed the body unless something fixed stopped
    /// it; `None` if that was not along its way.
    fn ahead(&self, start: &B, key: ObjectKey, way: Vec3) -> Option<B> {
        let is_it = |other: ObjectKey, _: &Object| other == key;
        let only_it = Filter::layers(self.filter.mask()).only(&is_it);
        let way = way * AHEAD;
        let swept = start.at(start.center() + way)?.swept(self.world, -way, &only_it)?;
        let pushed = swept.position - start.center();
        let fixed = self.filter.clone().fixed_among();
        if swept.overlap.is_some() || self.world.deepest(start, Origin::Pushed(start), &fixed).is_some() {
            return None;
        }
        start.at(self.world.slide_body(start, pushed, Manner::Free, &fixed, &SlideOptions::default()).position)
    }

    /// Leaves what it penetrates by the shortest way; returns what it still penetrates if there is none.
    fn leave(&mut self) -> Option<BodyOverlap> {
        let start = self.body;
        for _ in 0..DETOURS {
            let mut near = None;
            let mut reach =
                |end: &B| if self.surroundings.holds_in() { self.reached(end, &mut near) } else { Some(*end) };
            if let Some(free) = self.world.recovered_by(&self.body, self.filter, &mut reach) {
                self.body = free;
                return None;
            }
            let Some(near) = near else { break };
            self.body = near;
        }
        self.body = start;
        self.body.swept(self.world, Vec3::ZERO, self.filter)?.overlap
    }

    /// Returns where it gets on its way to a free place, stopped by planes and fixed objects; `None` if it still
    /// overlaps something there, and then `near` is the first such place. Fixed objects that it already overlaps,
    /// because of an edit, may be left on any side.
    fn reached(&self, end: &B, near: &mut Option<B>) -> Option<B> {
        let (start, motion) = (&self.body, end.center() - self.body.center());
        let fixed = self.filter.clone().fixed_among();
        let swept = start.swept(self.world, motion, &fixed)?;
        if swept.overlap.is_some() || swept.hit.is_none() {
            return Some(*end);
        }
        // A body that touches a floor from the start is held by it only up to rounding.
        let slid = self.world.slide_body(start, motion, Manner::Free, &fixed, &SlideOptions::default()).position;
        let size = (end.center().abs() + end.spread()).max_element() + end.extents().max_element();
        if slid.distance(end.center()) <= REACHED * size {
            return Some(*end);
        }
        let slid = start.at(slid)?;
        if self.world.deepest(&slid, Origin::Pushed(start), self.filter).is_none() {
            return Some(slid);
        }
        near.get_or_insert(slid);
        None
    }
}
