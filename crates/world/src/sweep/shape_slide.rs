//! Slides of shapes of any kind.

use super::{
    free_motion::Manner,
    moving_shape::{Carrier, ShapeAt},
    shape::ShapeSweep,
    swept_shape::SweepingShape,
};
use crate::{Filter, Slide, SlideOptions, World};
use cullide_narrowphase::glam::Vec3;

impl World {
    /// [`World::slide`] of a shape of any kind.
    pub(super) fn slide_shape(&self, sweep: &ShapeSweep, filter: &Filter, options: &SlideOptions) -> Slide {
        let carrier = Carrier::new(&sweep.given);
        let start = ShapeAt::new(&carrier, Vec3::ZERO);
        let mut slide = self.slide_body(&start, sweep.motion(), Manner::Free, filter, options);
        if slide.overlap.is_some() {
            return slide;
        }
        let past = self.past_ignored(&start, filter);
        let filter = past.as_ref().unwrap_or(filter);
        // Rounded, it may not fit where it fits in `f64`: then it stays where it met something before.
        let rounded = |place: Vec3| self.rounded_place(start.at(place)?, filter);
        let before = || slide.contacts.iter().rev().find_map(|contact| rounded(contact.position));
        if let Some(place) = rounded(slide.position).or_else(before).or_else(|| rounded(Vec3::ZERO)) {
            slide.position = place;
        }
        slide
    }
}
