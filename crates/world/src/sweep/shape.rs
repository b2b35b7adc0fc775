//! Where a moving convex shape of any kind stops, or a compound of such: the earliest of what its parts hit.
//!
//! Reading order: this file, the answers; [`shape_first`](super::shape_first), what is hit first;
//! [`shape_rest`](super::shape_rest), the place where the shape penetrates nothing as rounded.

use super::{
    moving_shape::{Carrier, GivenShape, ShapeAt},
    shape_first::{FirstMet, TouchedPart},
    shape_rest::Form,
};
use crate::{Filter, Shape, Target, World, order::ordered};
use cullide_narrowphase::{
    Aabb, ConvexCore, Error, Solid,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::borrow::Cow;

/// A convex shape, or a compound of convex shapes, and its translation over one step. It does not turn.
///
/// ```
/// use cullide_world::{Filter, Object, ShapeSweep, World, Shape, narrowphase::{Aabb, Hull}, glam::{Quat, Vec3}};
/// let mut world = World::new();
/// let wall = world.insert(Object::fixed(Aabb::new(Vec3::new(4.0, -9.0, -9.0), Vec3::splat(9.0))?));
/// let rock = Shape::from(Hull::new(&[Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z])?);
/// let swept = world.sweep(&ShapeSweep::new(&rock, Vec3::X * 6.0)?, &Filter::ALL);
/// let hit = swept.hit.unwrap();
/// assert_eq!((hit.target, hit.toi, hit.normal), (wall.into(), 0.5f32.next_down(), Vec3::NEG_X));
/// // The shape where it stops.
/// let stopped = rock.transformed(Quat::IDENTITY, swept.translation)?;
/// assert!(stopped.aabb().max().x <= 4.0 && stopped.aabb().max().x > 3.99999);
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShapeSweep<'a> {
    shape: &'a Shape,
    pub(super) given: GivenShape<'a>,
    pub(super) motion: Vec3,
}

/// A convex part of a moving shape.
#[derive(Clone, Debug)]
pub(super) struct MovingPart {
    pub(super) number: u32,
    pub(super) core: ConvexCore,
    pub(super) aabb: Aabb,
}

pub(super) type MovingParts = SmallVec<[MovingPart; 1]>;

impl<'a> ShapeSweep<'a> {
    /// Creates the sweep of a shape by `motion`.
    ///
    /// # Errors
    /// [`Error::Surface`] for a mesh or a terrain, or a compound that holds one; [`Error::NonFinite`];
    /// [`Error::OutOfRange`] if the motion leaves the range of coordinates.
    ///
    /// ```
    /// # use cullide_world::{Mesh, Shape, ShapeSweep, narrowphase::Error, glam::Vec3};
    /// let mesh = Shape::from(&Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]])?);
    /// assert_eq!(ShapeSweep::new(&mesh, Vec3::X).unwrap_err(), Error::Surface { field: "shape" });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(shape: &'a Shape, motion: Vec3) -> Result<Self, Error> {
        if !motion.is_finite() {
            return Err(Error::NonFinite { field: "motion" });
        }
        shape.aabb().swept(motion).ok_or(Error::OutOfRange { field: "motion" })?;
        Ok(Self { shape, given: GivenShape::new(Cow::Borrowed(shape))?, motion: motion + Vec3::ZERO })
    }

    /// Returns the shape at the start.
    pub fn shape(&self) -> &'a Shape {
        self.shape
    }

    /// Returns the translation over the step.
    pub fn motion(&self) -> Vec3 {
        self.motion
    }
}

/// The convex parts of a shape; `None` if there is a surface of triangles among them.
pub(super) fn moving_parts(shape: &Shape) -> Option<MovingParts> {
    let mut parts = MovingParts::new();
    let mut add = |number, convex: crate::shape::Convex| {
        parts.push(MovingPart { number, core: convex.core(), aabb: convex.aabb() });
    };
    shape.all_convex(&mut add).then_some(parts)
}

/// How the sweep of a shape through the world ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SweptShape {
    /// How far the shape gets: [`Shape::transformed`] by it penetrates nothing, except what the shape overlaps at the
    /// start and half-spaces that it is wholly behind there. Zero for a shape that overlaps something at the start, or
    /// that finds no free place on its way.
    pub translation: Vec3,
    /// What stops the shape.
    pub hit: Option<ShapeHit>,
    /// What the shape overlaps at the start; the deepest of several. Then there is no hit.
    pub overlap: Option<ShapeOverlap>,
}

/// The first touch of a moving shape with something in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ShapeHit {
    /// What the shape touches.
    pub target: Target,
    /// The part of it, if it is a composite: the triangle of a mesh or a terrain, the child of a compound or its
    /// triangle; otherwise 0.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// The child of the moving compound that touches it; 0 for other shapes.
    pub own_part: u32,
    /// Time of impact in `[0, 1)` of the step, rounded toward zero: nothing is touched before it.
    pub toi: f32,
    /// Unit normal of what is hit, against the motion.
    pub normal: Vec3,
    /// A point where they touch, on what is hit: if they touch along a line or a face, any point of that.
    pub point: Vec3,
}

/// Interiors that overlap before a shape has moved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ShapeOverlap {
    /// What the shape overlaps.
    pub target: Target,
    /// The part of it, as in [`ShapeHit::part`].
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// The child of the moving compound that overlaps it; 0 for other shapes.
    pub own_part: u32,
    /// How far to move along `normal` until the two parts only touch.
    pub depth: f32,
    /// Unit direction of the shortest way out.
    pub normal: Vec3,
}

impl World {
    /// [`World::sweep`] of a shape of any kind.
    pub(crate) fn sweep_shape(&self, sweep: &ShapeSweep, filter: &Filter) -> SweptShape {
        let carrier = Carrier::new(&sweep.given);
        let start = ShapeAt::new(&carrier, Vec3::ZERO);
        let (translation, first) = self.stop_shape(start, sweep.motion, filter, Form::Rounded);
        let (hit, overlap) = self.told_of_shape(first, sweep.motion, filter);
        SweptShape { translation, hit, overlap }
    }

    /// Appends what a shape touches on its way as if nothing stopped it to `hits`: of each object and each plane the
    /// first touch, ordered by time, then by key. What it overlaps at the start is not among them;
    /// [`World::overlap`] finds that. Each is what [`World::sweep`] would report if there were nothing else.
    ///
    /// ```
    /// use cullide_world::{Filter, Object, ShapeSweep, World, Shape, narrowphase::{Aabb, Hull, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let pane = |x: f32| Aabb::new(Vec3::new(x, -9.0, -9.0), Vec3::new(x + 1.0, 9.0, 9.0)).unwrap();
    /// let panes = [4.0, 8.0].map(|x| world.insert(Object::fixed(pane(x))));
    /// let rock = Shape::from(Hull::new(&[Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z])?);
    /// let mut hits = vec![];
    /// world.sweep_all(&ShapeSweep::new(&rock, Vec3::X * 12.0)?, &Filter::ALL, &mut hits);
    /// assert_eq!([hits[0].target, hits[1].target], panes.map(Into::into));
    /// assert!((hits[0].toi - 0.25).abs() < 1e-6 && (hits[1].toi - 7.0 / 12.0).abs() < 1e-6);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep_all(&self, sweep: &ShapeSweep, filter: &Filter, hits: &mut Vec<ShapeHit>) {
        let carrier = Carrier::new(&sweep.given);
        let parts = ShapeAt::new(&carrier, Vec3::ZERO).parts();
        let mut found = Vec::new();
        self.each_met(&parts, sweep.motion, filter, |met| {
            if let FirstMet::Hit(touched) = met {
                found.push(self.shape_hit(&touched, sweep.motion, filter));
            }
        });
        // They are in the order of their keys, and hits at the same time stay so.
        let mut order: Vec<u64> = found.iter().zip(0..).map(|(hit, place)| ordered(hit.toi, place)).collect();
        order.sort_unstable();
        hits.extend(order.iter().map(|number| found[*number as u32 as usize]));
    }

    /// What a shape meets first, as a caller receives it.
    pub(super) fn told_of_shape(
        &self,
        first: FirstMet,
        motion: Vec3,
        filter: &Filter,
    ) -> (Option<ShapeHit>, Option<ShapeOverlap>) {
        match first {
            FirstMet::Nothing { .. } => (None, None),
            FirstMet::Hit(touched) => (Some(self.shape_hit(&touched, motion, filter)), None),
            FirstMet::Overlap(found) => {
                let (target, part) = (found.obstacle.target, found.obstacle.part);
                let surface = self.surface(target, part).unwrap_or(0);
                let (own_part, depth, normal) = (found.own_part, found.depth, rounded(found.normal));
                (None, Some(ShapeOverlap { target, part, surface, own_part, depth, normal }))
            }
        }
    }

    fn shape_hit(&self, touched: &TouchedPart, motion: Vec3, filter: &Filter) -> ShapeHit {
        let (target, part) = (touched.obstacle.target, touched.obstacle.part);
        let (point, normal) = self.contact_of(touched, motion, filter);
        let surface = self.surface(target, part).unwrap_or(0);
        ShapeHit { target, part, surface, own_part: touched.own_part, toi: touched.toi, normal, point }
    }

    /// The point and the normal of a touch; at an edge without a normal of its own, that of a face.
    pub(super) fn contact_of(&self, touched: &TouchedPart, motion: Vec3, filter: &Filter) -> (Vec3, Vec3) {
        let (point, normal) = (rounded(touched.point), rounded(touched.normal));
        let triangle = touched.triangle.as_ref();
        let face = triangle
            .and_then(|triangle| self.face_normal_at(touched.obstacle, triangle, motion, filter, (point, normal)));
        (point, face.unwrap_or(normal))
    }
}

fn rounded(v: DVec3) -> Vec3 {
    v.as_vec3() + Vec3::ZERO
}
