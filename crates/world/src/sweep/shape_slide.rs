//! Slides of shapes of any kind, and their ways out of overlaps.

use super::{
    free_motion::Manner,
    moving_shape::{Carrier, GivenShape, ShapeAt},
    shape::ShapeSweep,
    swept_shape::SweptShape,
};
use crate::{Filter, Shape, Slide, SlideOptions, World};
use cullide_narrowphase::{Error, glam::Vec3};
use std::borrow::Cow;

impl World {
    /// Moves a convex shape of any kind, or a compound of such, letting it slide along what it meets, as
    /// [`World::slide_box`] does a box. The positions in the answer are translations of the shape: [`Shape::transformed`]
    /// by the last one penetrates nothing, except the half-spaces that the shape started wholly behind. Where
    /// [`Slide::overlap`] is set, it has not moved.
    ///
    /// ```
    /// use cullide_world::{Filter, ShapeSweep, SlideOptions, World, Shape, narrowphase::{Hull, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let rock = Hull::new(&[Vec3::Y * 3.0, Vec3::Y * 9.0, Vec3::new(3.0, 6.0, 0.0), Vec3::new(0.0, 6.0, 3.0)])?;
    /// let rock = Shape::from(rock);
    /// let slide = world.slide_shape(&ShapeSweep::new(&rock, Vec3::new(4.0, -5.0, 0.0))?, &Filter::ALL, &SlideOptions::default());
    /// assert!(slide.position.distance(Vec3::new(4.0, -3.0, 0.0)) < 1e-4);
    /// assert!(rock.transformed(Quat::IDENTITY, slide.position)?.aabb().min().y >= 0.0);
    /// assert_eq!(slide.contacts[0].target, floor.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn slide_shape(&self, sweep: &ShapeSweep, filter: &Filter, options: &SlideOptions) -> Slide {
        let carrier = Carrier::new(&sweep.given);
        let start = ShapeAt::new(&carrier, Vec3::ZERO);
        let mut slide = self.slide(&start, sweep.motion(), Manner::Free, filter, options);
        if slide.overlap.is_some() {
            return slide;
        }
        let past = self.past_ignored(&start, filter);
        let filter = past.as_ref().unwrap_or(filter);
        // Rounded, it may not fit where it fits in `f64`: then it stays where it met something before.
        let before = slide.contacts.iter().rev().map(|contact| contact.position).chain([Vec3::ZERO]);
        let mut places = [slide.position].into_iter().chain(before).filter_map(|place| start.at(place));
        if let Some(place) = places.find_map(|body| self.rounded_place(body, filter)) {
            slide.position = place;
        }
        slide
    }

    /// Returns a translation by which a convex shape of any kind, or a compound of such, overlaps nothing, as
    /// [`World::depenetrate`] returns a centre for a box: [`Shape::transformed`] by it is free. Zero for a shape that is
    /// free where it is.
    ///
    /// Of two hulls with very many edges, and of what is round, not all ways out are considered: where several things
    /// overlap, the one that is found may then be longer than the shortest.
    ///
    /// # Errors
    /// [`Error::Surface`] for a mesh or a terrain, or a compound that holds one.
    ///
    /// ```
    /// # use cullide_world::{Filter, Shape, World, narrowphase::{Hull, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let rock = Hull::new(&[Vec3::NEG_Y * 2.0, Vec3::Y * 4.0, Vec3::X * 3.0, Vec3::Z * 3.0])?;
    /// assert_eq!(world.depenetrate_shape(&rock.into(), &Filter::ALL)?, Some(Vec3::Y * 2.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn depenetrate_shape(&self, shape: &Shape, filter: &Filter) -> Result<Option<Vec3>, Error> {
        let given = GivenShape::new(Cow::Borrowed(shape))?;
        let carrier = Carrier::new(&given);
        let start = ShapeAt::new(&carrier, Vec3::ZERO);
        Ok(self.recovered(&start, filter).and_then(|free| match free.center() {
            Vec3::ZERO => Some(Vec3::ZERO),
            _ => self.rounded_place(free, filter),
        }))
    }
}
