//! The sweeps and slides that callers ask for, of whatever body: [`World::sweep`], [`World::slide`] and their relatives.
//!
//! Each kind of sweep continues in its own file: [`translating`](super::translating) (a box), [`sphere`](super::sphere)
//! (a ball or a capsule), [`mod@super::shape`] (any shape), [`rotating`](super::rotating) and
//! [`shape_turn`](super::shape_turn) (those that turn).

use super::{free_motion::Manner, rotating_slide::TurningSlide};
use crate::{
    Filter, Filters, ShapeHit, ShapeSweep, Slide, SlideOptions, SweptBody, SweptShape, SweptTurningBox,
    SweptTurningShape, TurningShapeSweep, World, query::batch,
};
use cullide_narrowphase::{
    BoxSweep, CapsuleSweep, SphereSweep, TurningBoxSweep,
    glam::{Quat, Vec3},
};

/// A straight motion that [`World::sweep`] and [`World::slide`] take: a [`BoxSweep`], a [`SphereSweep`], a
/// [`CapsuleSweep`] or a [`ShapeSweep`].
pub trait StraightSweep: Sync {
    /// How it ends: a [`SweptBody`] tells the centre, a [`SweptShape`] the translation.
    type Swept: Clone + Send;

    #[doc(hidden)]
    fn swept(&self, world: &World, filter: &Filter) -> Self::Swept;

    #[doc(hidden)]
    fn slid(&self, world: &World, filter: &Filter, options: &SlideOptions) -> Slide;

    /// The answer of a batch that has no filter for it.
    #[doc(hidden)]
    fn unasked() -> Self::Swept;
}

/// A motion with a rotation that [`World::sweep_turning`] takes: a [`TurningBoxSweep`] of a box or a
/// [`TurningShapeSweep`].
pub trait TurningSweep: Sync {
    /// How it ends: a [`SweptTurningBox`] tells the box, a [`SweptTurningShape`] the rotation and the translation.
    type Swept: Clone + Send;

    #[doc(hidden)]
    fn swept(&self, world: &World, skin: f32, filter: &Filter) -> Self::Swept;

    /// The answer of a batch that has no filter for it.
    #[doc(hidden)]
    fn unasked(&self) -> Self::Swept;
}

impl World {
    /// Returns how far a body gets along its motion: a crate, a camera's arm, a projectile, a character, a thrown rock. A
    /// touch on the way stops it, unless it moves away from or along what it touches; a touch exactly at the end belongs to
    /// the next step. Of several things touched at the same time, the one with the smallest key is reported. A ball of
    /// radius zero is a ray that stops in front of what it hits; a compound stops where the first of its children does.
    ///
    /// A half-space ([`World::insert_plane`]) ignores a body, or a part of a compound, that starts wholly behind it, for
    /// the whole way. If the body ends partly out of it, the next sweep reports the overlap.
    ///
    /// The verdict is exact for the vertices of boxes, hulls, patches and triangles; with a radius, it is so up to
    /// rounding. A box, a ball or a capsule is swept faster by its own kind of sweep than as a [`ShapeSweep`], and its hit
    /// names the feature that touches.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Aabb, BoxSweep, Obb, Plane, Sphere, SphereSweep}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let wall = world.insert(Object::fixed(Aabb::new(Vec3::new(4.0, 0.0, -9.0), Vec3::splat(9.0))?));
    /// let body = Obb::new(Vec3::Y * 6.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let swept = world.sweep(&BoxSweep::new(body, Vec3::Y * -8.0)?, &Filter::ALL);
    /// assert_eq!((swept.hit.unwrap().target, swept.hit.unwrap().toi), (floor.into(), 0.5));
    /// assert_eq!(swept.position, Vec3::Y * 2.0);
    /// // A camera that looks at a point from as far away along +X as the wall lets it.
    /// let arm = SphereSweep::new(Sphere::new(Vec3::Y * 2.0, 0.5)?, Vec3::X * 7.0)?;
    /// let swept = world.sweep(&arm, &Filter::ALL);
    /// assert_eq!((swept.hit.unwrap().target, swept.hit.unwrap().normal), (wall.into(), Vec3::NEG_X));
    /// assert!(swept.position.x <= 3.5 && swept.position.x > 3.499);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep<S: StraightSweep>(&self, sweep: &S, filter: &Filter) -> S::Swept {
        sweep.swept(self, filter)
    }

    /// Appends the answer of [`World::sweep`] for each of `sweeps` to `answers`, in their order; in parallel with the
    /// feature `parallel`.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Plane, Sphere, SphereSweep}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let drop = |height: f32| SphereSweep::new(Sphere::new(Vec3::Y * height, 1.0).unwrap(), Vec3::Y * -4.0).unwrap();
    /// let mut answers = vec![];
    /// world.sweep_batch(&[drop(3.0), drop(9.0)], &Filter::ALL, &mut answers);
    /// assert!(answers[0].hit.is_some() && answers[1].hit.is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep_batch<S: StraightSweep>(
        &self,
        sweeps: &[S],
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<S::Swept>,
    ) {
        batch(sweeps, filters, answers, S::unasked(), |sweep, filter| sweep.swept(self, filter));
    }

    /// Appends the answer of [`World::sweep_all`] for each of `sweeps` to `answers`, in their order; in parallel with the
    /// feature `parallel`.
    pub fn sweep_all_batch(
        &self,
        sweeps: &[ShapeSweep],
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<Vec<ShapeHit>>,
    ) {
        batch(sweeps, filters, answers, vec![], |sweep, filter| {
            let mut hits = vec![];
            self.sweep_all(sweep, filter, &mut hits);
            hits
        });
    }

    /// Returns how far a body gets along its motion while it turns, as [`World::sweep`] does, for any angle, including
    /// several turns. It is certain that nothing is touched before the time of impact. A box is swept faster by its own
    /// [`TurningBoxSweep`] than as a shape.
    ///
    /// A sweep that would take more evaluations than a [`Budget`](cullide_narrowphase::Budget) has, as one that slides
    /// along something for many turns, ends early, where the body touches nothing: its hit is then farther away than the
    /// skin.
    ///
    /// `skin` is a length: anything that comes this near while approaching counts as touched; see
    /// [`TurningBoxSweep::against_plane`]. A thousandth of the body's size is enough for games; it counts as at least what
    /// rounding takes.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{BoxSweep, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// // Half a turn above the floor: clear of it at both ends, and deep in it between.
    /// let bar = Obb::new(Vec3::Y * 0.5, Quat::IDENTITY, Vec3::new(1.0, 0.1, 0.2))?;
    /// let spin = BoxSweep::new(bar, Vec3::ZERO)?.rotating(Vec3::Z * std::f32::consts::PI)?;
    /// let stopped = world.sweep_turning(&spin, 1e-3, &Filter::ALL);
    /// let hit = stopped.hit.unwrap();
    /// assert!(hit.target == floor.into() && (hit.toi - 0.134).abs() < 1e-3);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep_turning<S: TurningSweep>(&self, sweep: &S, skin: f32, filter: &Filter) -> S::Swept {
        sweep.swept(self, skin, filter)
    }

    /// Appends the answer of [`World::sweep_turning`] for each of `sweeps` to `answers`, in their order; in parallel with
    /// the feature `parallel`.
    pub fn sweep_turning_batch<S: TurningSweep>(
        &self,
        sweeps: &[S],
        skin: f32,
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<S::Swept>,
    ) {
        let Some(first) = sweeps.first() else { return };
        batch(sweeps, filters, answers, first.unasked(), |sweep, filter| sweep.swept(self, skin, filter));
    }

    /// Moves a body, letting it slide along what it meets until its motion is used up. A box, a ball or a capsule that
    /// overlaps something at the start is first pushed out, as by [`World::depenetrate`], even if it has no motion. A
    /// half-space that the body is wholly behind after that ignores it for the whole slide.
    ///
    /// For a [`ShapeSweep`] the positions in the answer are translations of the shape:
    /// [`Shape::transformed`](crate::Shape::transformed) by the last one penetrates nothing, except the half-spaces that
    /// the shape started wholly behind. Where [`Slide::overlap`] is set, it has not moved.
    ///
    /// ```
    /// # use cullide_world::{Filter, ShapeSweep, Shape, SlideOptions, World, narrowphase::{BoxSweep, Hull, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let body = Obb::new(Vec3::Y * 2.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let slide = world.slide(&BoxSweep::new(body, Vec3::new(4.0, -1.0, 0.0))?, &Filter::ALL, &SlideOptions::default());
    /// assert!(slide.position.distance(Vec3::new(4.0, 2.0, 0.0)) < 1e-4 && slide.position.y >= 2.0);
    /// assert_eq!(slide.contacts[0].target, floor.into());
    /// let rock = Hull::new(&[Vec3::Y * 3.0, Vec3::Y * 9.0, Vec3::new(3.0, 6.0, 0.0), Vec3::new(0.0, 6.0, 3.0)])?;
    /// let rock = Shape::from(rock);
    /// let slide = world.slide(&ShapeSweep::new(&rock, Vec3::new(4.0, -5.0, 0.0))?, &Filter::ALL, &SlideOptions::default());
    /// assert!(slide.position.distance(Vec3::new(4.0, -3.0, 0.0)) < 1e-4);
    /// assert!(rock.transformed(Quat::IDENTITY, slide.position)?.aabb().min().y >= 0.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn slide(&self, sweep: &impl StraightSweep, filter: &Filter, options: &SlideOptions) -> Slide {
        sweep.slid(self, filter, options)
    }

    /// Moves a box that turns, letting it slide along what it meets until its motion is used up, as [`World::slide`]
    /// does. It is as certain to touch nothing on the way as [`World::sweep_turning`], with the same `skin`.
    ///
    /// It keeps turning while it slides, as long as what it touches leaves room for that; otherwise the rotation ends
    /// there and the motion goes on without it. A slide takes no more evaluations than one
    /// [`Budget`](cullide_narrowphase::Budget) has; when they are used up it ends where it is, with its rotation and its
    /// motion incomplete. Half of an acceleration counts as motion, spread evenly over the step.
    ///
    /// ```
    /// # use cullide_world::{Filter, SlideOptions, World, narrowphase::{BoxSweep, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let body = Obb::new(Vec3::Y * 2.5, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// // It comes down to the floor and turns about the vertical: nothing is in the way of that.
    /// let spin = BoxSweep::new(body, Vec3::new(4.0, -1.0, 0.0))?.rotating(Vec3::Y * 3.0)?;
    /// let slide = world.slide_turning(&spin, 1e-3, &Filter::ALL, &SlideOptions::default());
    /// assert!(slide.turned == 1.0 && slide.contacts[0].target == floor.into());
    /// assert!(slide.body.center().distance(Vec3::new(4.0, 2.0, 0.0)) < 2e-3);
    /// // About an axis along the floor it has no room: it slides on as it is.
    /// let roll = BoxSweep::new(body, Vec3::new(4.0, -1.0, 0.0))?.rotating(Vec3::Z * 3.0)?;
    /// let slide = world.slide_turning(&roll, 1e-3, &Filter::ALL, &SlideOptions::default());
    /// assert!(slide.turned < 1.0 && slide.body.center().x > 3.99);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn slide_turning(
        &self,
        sweep: &TurningBoxSweep,
        skin: f32,
        filter: &Filter,
        options: &SlideOptions,
    ) -> TurningSlide {
        self.slide_rotating_box(sweep, skin, filter, options)
    }
}

macro_rules! straight {
    ($sweep:ty, $world_sweep:ident) => {
        impl StraightSweep for $sweep {
            type Swept = SweptBody;

            fn swept(&self, world: &World, filter: &Filter) -> SweptBody {
                world.$world_sweep(self, filter)
            }

            fn slid(&self, world: &World, filter: &Filter, options: &SlideOptions) -> Slide {
                world.slide_body(self.body(), self.motion(), Manner::Free, filter, options)
            }

            fn unasked() -> SweptBody {
                SweptBody { position: Vec3::ZERO, hit: None, overlap: None }
            }
        }
    };
}

straight!(BoxSweep, sweep_box);
straight!(SphereSweep, sweep_sphere);
straight!(CapsuleSweep, sweep_capsule);

impl StraightSweep for ShapeSweep<'_> {
    type Swept = SweptShape;

    fn swept(&self, world: &World, filter: &Filter) -> SweptShape {
        world.sweep_shape(self, filter)
    }

    fn slid(&self, world: &World, filter: &Filter, options: &SlideOptions) -> Slide {
        world.slide_shape(self, filter, options)
    }

    fn unasked() -> SweptShape {
        SweptShape { translation: Vec3::ZERO, hit: None, overlap: None }
    }
}

impl TurningSweep for TurningBoxSweep {
    type Swept = SweptTurningBox;

    fn swept(&self, world: &World, skin: f32, filter: &Filter) -> SweptTurningBox {
        world.sweep_turning_box(self, skin, filter)
    }

    fn unasked(&self) -> SweptTurningBox {
        SweptTurningBox { body: *self.body(), hit: None, overlap: None }
    }
}

impl TurningSweep for TurningShapeSweep<'_> {
    type Swept = SweptTurningShape;

    fn swept(&self, world: &World, skin: f32, filter: &Filter) -> SweptTurningShape {
        world.sweep_turning_shape(self, skin, filter)
    }

    fn unasked(&self) -> SweptTurningShape {
        SweptTurningShape { rotation: Quat::IDENTITY, translation: Vec3::ZERO, hit: None, overlap: None }
    }
}
