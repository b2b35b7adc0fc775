//! What a character may be: a box, a ball, a capsule, or a shape of any kind.

use crate::{
    Character, Filter, Mover, Shape, Walk, World,
    character::surroundings::Surroundings,
    sweep::{
        moving_shape::{Carrier, GivenShape, ShapeAt},
        slide::Slides,
        swept_shape::SweepingShape,
    },
};
use cullide_narrowphase::{
    Error,
    glam::{Quat, Vec3},
};
use std::{borrow::Cow, fmt, sync::Arc};

/// A body that a [`Character`] may have: a box, a ball, a capsule or a [`MovingShape`].
pub trait CharacterBody: Walks {}

impl<B: Walks> CharacterBody for B {}

/// A body that [`Mover::walk`] can move.
pub trait Walks: Clone {
    /// Moves a character that has it.
    #[doc(hidden)]
    fn walk(
        mover: &Mover,
        world: &World,
        surroundings: &dyn Surroundings,
        character: &mut Character<Self>,
        dt: f32,
        filter: &Filter,
    ) -> Result<Walk, Error>;

    /// The nearest place found where it overlaps nothing.
    #[doc(hidden)]
    fn depenetrated(&self, world: &World, filter: &Filter) -> Option<Vec3>;

    /// Its place.
    #[doc(hidden)]
    fn place(&self) -> Vec3;

    /// The point below its middle at the height of its lowest point.
    #[doc(hidden)]
    fn lowest(&self, up: Vec3) -> Vec3;

    /// The shape that it has at a place; `None` if out of range.
    #[doc(hidden)]
    fn shape_at(&self, place: Vec3) -> Option<Shape>;
}

impl<B: Slides + Into<Shape>> Walks for B {
    fn walk(
        mover: &Mover,
        world: &World,
        surroundings: &dyn Surroundings,
        character: &mut Character<Self>,
        dt: f32,
        filter: &Filter,
    ) -> Result<Walk, Error> {
        mover.walk_any(world, surroundings, character, dt, filter)
    }

    fn depenetrated(&self, world: &World, filter: &Filter) -> Option<Vec3> {
        world.recovered(self, filter).map(|free| free.center())
    }

    fn place(&self) -> Vec3 {
        self.center()
    }

    fn lowest(&self, up: Vec3) -> Vec3 {
        self.foot(up)
    }

    fn shape_at(&self, place: Vec3) -> Option<Shape> {
        self.at(place).map(Into::into)
    }
}

/// A convex shape, or a compound of convex shapes, that a [`Character`] has as its body: a shape given once, best about
/// its own origin, and the position to which it is moved from there. Walks change only the position, so it keeps its form
/// however far it goes.
///
/// ```
/// use cullide_world::{Character, Filter, Mover, MovingShape, World, narrowphase::{Hull, Plane}, glam::Vec3};
/// let mut world = World::new();
/// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
/// // A spinning top, which stands on its point.
/// let corners = [Vec3::NEG_Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::Y * 0.5];
/// let mut top = Character::new(MovingShape::new(Hull::new(&corners)?, Vec3::Y)?);
/// for _ in 0..60 {
///     top.velocity = Vec3::X * 3.0;
///     Mover::default().walk(&world, &mut top, 1.0 / 60.0, &Filter::ALL)?;
/// }
/// assert!(top.is_on_ground() && (top.position() - Vec3::new(3.0, 1.0, 0.0)).length() < 1e-3);
/// assert!(top.body.shape()?.aabb().min().y >= 0.0);
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
#[derive(Clone)]
pub struct MovingShape {
    given: Arc<GivenShape<'static>>,
    position: Vec3,
}

impl MovingShape {
    /// Creates a body of this shape, moved by `position` from where it is given.
    ///
    /// # Errors
    /// [`Error::Surface`] for a mesh or a terrain, or a compound that holds one; [`Error::NonFinite`] and
    /// [`Error::OutOfRange`] for the position.
    ///
    /// ```
    /// # use cullide_world::{Mesh, MovingShape, narrowphase::Error, glam::Vec3};
    /// let mesh = Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]])?;
    /// assert_eq!(MovingShape::new(&mesh, Vec3::ZERO).unwrap_err(), Error::Surface { field: "shape" });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(shape: impl Into<Shape>, position: Vec3) -> Result<Self, Error> {
        let given = GivenShape::new(Cow::Owned(shape.into()))?;
        given.check_position(position)?;
        Ok(Self { given: Arc::new(given), position: position + Vec3::ZERO })
    }

    /// Returns the same body at another position.
    ///
    /// # Errors
    /// [`Error::NonFinite`] and [`Error::OutOfRange`].
    ///
    /// ```
    /// # use cullide_world::{MovingShape, narrowphase::{Error, Sphere}, glam::Vec3};
    /// let ball = MovingShape::new(Sphere::new(Vec3::ZERO, 1.0)?, Vec3::X)?;
    /// assert_eq!(ball.at(Vec3::Y)?.position(), Vec3::Y);
    /// assert_eq!(ball.at(Vec3::NAN), Err(Error::NonFinite { field: "position" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn at(&self, position: Vec3) -> Result<Self, Error> {
        self.given.check_position(position)?;
        Ok(Self { given: self.given.clone(), position: position + Vec3::ZERO })
    }

    /// Returns the position: how far the shape is moved from where it was given.
    pub fn position(&self) -> Vec3 {
        self.position
    }

    /// Returns the shape as it was given.
    pub fn given(&self) -> &Shape {
        self.given.shape()
    }

    /// Returns the shape where it is: [`Shape::transformed`] by the position.
    ///
    /// # Errors
    /// Those of [`Shape::transformed`], for a brush too thin for its position.
    pub fn shape(&self) -> Result<Shape, Error> {
        self.given.shape().transformed(Quat::IDENTITY, self.position)
    }
}

impl PartialEq for MovingShape {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.given() == other.given()
    }
}

impl fmt::Debug for MovingShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MovingShape").field("given", self.given()).field("position", &self.position).finish()
    }
}

/// Returns the shape where it is.
impl TryFrom<MovingShape> for Shape {
    type Error = Error;

    fn try_from(body: MovingShape) -> Result<Self, Error> {
        body.shape()
    }
}

impl Walks for MovingShape {
    fn walk(
        mover: &Mover,
        world: &World,
        surroundings: &dyn Surroundings,
        character: &mut Character<Self>,
        dt: f32,
        filter: &Filter,
    ) -> Result<Walk, Error> {
        let given = character.body.given.clone();
        let carrier = Carrier::new(&given);
        let start = ShapeAt::new(&carrier, character.body.position);
        let mut walked = character.with_body(start);
        let walk = mover.walk_any(world, surroundings, &mut walked, dt, filter)?;
        let others = character.without_own(filter);
        let filter = others.as_ref().unwrap_or(filter);
        let past = world.past_ignored(&walked.body, filter);
        let filter = past.as_ref().unwrap_or(filter);
        // Rounded, it may not fit where it fits in `f64`: then it stays where it was.
        let end = world.rounded_place(walked.body, filter).or_else(|| world.rounded_place(start, filter));
        let position = end.unwrap_or(walked.body.center());
        *character = walked.with_body(Self { given: character.body.given.clone(), position });
        Ok(walk)
    }

    fn depenetrated(&self, world: &World, filter: &Filter) -> Option<Vec3> {
        let carrier = Carrier::new(&self.given);
        let free = world.recovered(&ShapeAt::new(&carrier, self.position), filter)?;
        let stays = free.center() == self.position;
        if stays { Some(self.position) } else { world.rounded_place(free, filter) }
    }

    fn place(&self) -> Vec3 {
        self.position
    }

    fn lowest(&self, up: Vec3) -> Vec3 {
        ShapeAt::new(&Carrier::new(&self.given), self.position).foot(up)
    }

    fn shape_at(&self, place: Vec3) -> Option<Shape> {
        self.given().transformed(Quat::IDENTITY, place).ok()
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "MovingShape")]
struct Saved<'a> {
    given: Cow<'a, Shape>,
    position: Vec3,
}

#[cfg(feature = "serde")]
impl serde::Serialize for MovingShape {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Saved { given: Cow::Borrowed(self.given()), position: self.position }.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for MovingShape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { given, position } = Saved::deserialize(deserializer)?;
        Self::new(given.into_owned(), position).map_err(serde::de::Error::custom)
    }
}
