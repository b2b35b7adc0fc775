//! A placed compound.

use super::{Compound, CompoundData};
use crate::{
    CompoundError, Shape,
    shape::{
        Parts,
        placed::{CompositeShape, Placed},
        placement::{Placement, Size},
    },
};
use cullide_bvh::Leaf;
use cullide_narrowphase::{
    Aabb, Error,
    glam::{DVec3, Quat, Vec3},
};
use std::{borrow::Cow, sync::Arc};

/// A compound that is scaled, then rotated about its origin, then translated. It shares the compound with all its other
/// placements.
///
/// It answers as its placed [children](Self::child) would if each were an object of its own. A triangle that has no
/// area once placed is never met. Without a scale, the placed children are those that [`Shape::transformed`] returns;
/// with one, see [`PlacedCompound::scaled`].
///
/// Boxes, balls, capsules and triangles are placed when they are met. Brushes and patches are computed once, when a
/// compound is placed elsewhere than where it was given, and take memory for each placement; meshes and terrains are
/// shared.
///
/// ```
/// use cullide_world::{Compound, Filter, Object, PlacedCompound, World, narrowphase::{Aabb, Ray}, glam::{Quat, Vec3}};
/// let stair = |i: f32| Aabb::new(Vec3::new(i, 0.0, 0.0), Vec3::new(i + 1.0, i + 1.0, 4.0)).unwrap();
/// let stairs = Compound::new([0.0, 1.0, 2.0].map(|i| stair(i).into()))?;
/// let mut world = World::new();
/// world.insert(Object::fixed(PlacedCompound::new(&stairs, Quat::IDENTITY, Vec3::X * 10.0)?));
/// let down = Ray::new(Vec3::new(11.5, 9.0, 1.0), Vec3::NEG_Y)?;
/// let hit = world.cast_ray(&down, f32::INFINITY, &Filter::ALL).unwrap();
/// assert_eq!((hit.part, hit.distance), (1, 7.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PlacedCompound = Placed<Compound>;

impl CompositeShape for Compound {
    /// The large children as placed; empty if all are where they were given.
    type Cache = Arc<[Shape]>;

    fn own_aabb(&self) -> Aabb {
        self.aabb()
    }

    fn placed(self, placement: Placement) -> Result<PlacedCompound, Error> {
        if placement.is_identity() {
            return Ok(self.into());
        }
        if placement.size() != Size::Kept && !self.children().iter().all(|child| child.takes(&placement)) {
            return Err(Error::OutOfRange { field: "linear" });
        }
        let place = |number: &u32| self.children()[*number as usize].placed_by(&placement);
        let large: Self::Cache = self.0.large.iter().map(place).collect::<Result<_, _>>()?;
        let aabb = bounds(&self, &placement, &large)?;
        let slack = slack(&self, &placement, &large);
        Ok(Placed { placement: placement.with_slack(slack), shared: self, aabb, cache: large })
    }

    fn variant(placed: Box<PlacedCompound>) -> Shape {
        Shape::Compound(placed)
    }
}

impl PlacedCompound {
    /// Places a compound, rotated by `rotation`, then translated by `translation`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::ZeroDirection`] for a rotation of length zero, [`Error::OutOfRange`] if the
    /// compound does not stay within the range of coordinates, and the errors of [`Shape::transformed`] for a brush, a
    /// patch, a mesh or a terrain, for example for a brush too thin for its new position.
    ///
    /// ```
    /// # use cullide_world::{Compound, PlacedCompound, narrowphase::{Error, Sphere}, glam::{Quat, Vec3}};
    /// let ball = Compound::new([Sphere::new(Vec3::X, 1.0)?.into()])?;
    /// let place = |x: f32| PlacedCompound::new(&ball, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0), Vec3::X * x);
    /// assert_eq!(*place(8.0)?.child(0).unwrap(), Sphere::new(Vec3::X * 7.0, 1.0)?.into());
    /// assert_eq!(place(2e9), Err(Error::OutOfRange { field: "translation" }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(compound: &Compound, rotation: Quat, translation: Vec3) -> Result<Self, Error> {
        compound.clone().placed(Placement::scaled(rotation, translation, Vec3::ONE)?)
    }

    /// Places a compound, scaled by `scale` along its axes, then rotated by `rotation`, then translated by
    /// `translation`. The scale may be negative, but not zero, along any axis.
    ///
    /// Points of children become `rotation · (scale · point) + translation`, computed in `f64` and rounded to `f32`
    /// once; so do the centre and, without the translation, the half edges of a box. An oriented box becomes skewed if
    /// it is scaled by different factors along different axes. Balls, capsules and cylinders need a scale of the same magnitude
    /// along all axes, which may mirror along any of them; terrains cannot be scaled.
    ///
    /// # Errors
    /// [`CompoundError::Scale`] for the first child that cannot be scaled like this; [`CompoundError::Place`] with the
    /// errors of [`PlacedCompound::new`] and for a scale beyond 2^±20.
    ///
    /// ```
    /// # use cullide_world::{Compound, CompoundError, PlacedCompound, narrowphase::{Aabb, Obb, Sphere}, glam::{Quat, Vec3}};
    /// let stem = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 6.0, 2.0))?;
    /// let tree = Compound::new([stem.into(), Sphere::new(Vec3::Y * 7.0, 3.0)?.into()])?;
    /// let place = |scale: Vec3| PlacedCompound::scaled(&tree, Quat::IDENTITY, Vec3::X * 9.0, scale);
    /// let small = place(Vec3::new(-0.5, 0.5, 0.5))?;
    /// assert_eq!(*small.child(1).unwrap(), Sphere::new(Vec3::new(9.0, 3.5, 0.0), 1.5)?.into());
    /// assert_eq!(small.child(0).unwrap().aabb(), Aabb::new(Vec3::X * 8.0, Vec3::new(9.0, 3.0, 1.0))?);
    /// assert_eq!(place(Vec3::new(1.0, 2.0, 1.0)), Err(CompoundError::Scale { child: 1 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scaled(compound: &Compound, rotation: Quat, translation: Vec3, scale: Vec3) -> Result<Self, CompoundError> {
        let placement = Placement::scaled(rotation, translation, scale).map_err(CompoundError::Place)?;
        if let Some(child) = (0..).zip(compound.children()).find(|(_, child)| !child.takes(&placement)) {
            return Err(CompoundError::Scale { child: child.0 });
        }
        compound.clone().placed(placement).map_err(CompoundError::Place)
    }

    /// The compound.
    pub fn compound(&self) -> &Compound {
        &self.shared
    }

    /// Returns a child as placed; `None` for a triangle that has no area there, or for a number that is too large.
    pub fn child(&self, number: u32) -> Option<Cow<'_, Shape>> {
        let child = self.shared.children().get(number as usize)?;
        if self.placement.is_identity() {
            return Some(Cow::Borrowed(child));
        }
        if child.small().is_none() {
            return self.data().large.binary_search(&number).ok().map(|at| Cow::Borrowed(&self.cache[at]));
        }
        child.placed_by(&self.placement).ok().map(Cow::Owned)
    }

    /// Returns the compound with the scale baked into its children, and the remaining rotation and translation; `None`
    /// if a child cannot be scaled apart from its rotation, for example because it is too thin.
    #[cfg(feature = "dynamics")]
    pub(crate) fn baked(&self) -> Option<(Compound, crate::glam::DMat3, DVec3)> {
        let translation = self.placement.translation();
        if self.placement.size() == Size::Kept {
            return Some((self.shared.clone(), *self.placement.linear(), translation));
        }
        let (rotation, scale) = self.placement.rotation_and_scale();
        let scaled = Placement::new(scale, DVec3::ZERO);
        let children = self.shared.children().iter().map(|child| child.placed_by(&scaled).ok());
        Some((self.shared.with_children(children.collect::<Option<_>>()?)?, rotation, translation))
    }

    pub(super) fn data(&self) -> &CompoundData {
        &self.shared.0
    }

    /// Returns a child as placed, in terms of its parts.
    pub(in crate::shape) fn child_parts(&self, number: u32) -> Option<Parts<'_>> {
        match self.child(number)? {
            Cow::Borrowed(child) => Some(child.parts()),
            Cow::Owned(child) => child.small().map(Parts::One),
        }
    }

    /// Returns the child of a leaf, and the number of its first part.
    pub(super) fn child_at(&self, leaf: Leaf) -> Option<(u32, Parts<'_>)> {
        let number = leaf.index() as u32;
        let first = self.data().firsts.get(leaf.index()).copied().unwrap_or(number);
        Some((first, self.child_parts(number)?))
    }
}

/// Returns a box around all children as placed.
fn bounds(compound: &Compound, placement: &Placement, large: &[Shape]) -> Result<Aabb, Error> {
    let aabb = placement.bounds_of(&compound.aabb())?;
    // The boxes of small children are rounded outward once more.
    let margin = 4.0 * f32::EPSILON * aabb.min().abs().max(aabb.max().abs()).max_element();
    let aabb = Aabb::new(aabb.min() - margin, aabb.max() + margin);
    let aabb = aabb.map_err(|_| Error::OutOfRange { field: "translation" })?;
    Ok(large.iter().fold(aabb, |aabb, child| aabb.union(&child.aabb())))
}

/// Returns twice the farthest that any vertex of a brush or a patch, placed and mapped back, lies beyond the child's
/// own box: the vertices of a brush are computed from its planes as they are placed, and those of a sharp wedge may
/// move.
fn slack(compound: &Compound, placement: &Placement, large: &[Shape]) -> f64 {
    let mut slack = 0.0f64;
    for (&number, placed) in compound.0.large.iter().zip(large) {
        let aabb = compound.children()[number as usize].aabb();
        let mut meet = |vertex: DVec3| {
            let local = placement.local_point(vertex);
            let beyond = (aabb.min().as_dvec3() - local).max(local - aabb.max().as_dvec3());
            slack = slack.max(2.0 * beyond.max_element());
        };
        match placed {
            Shape::Brush(brush) => brush.vertices().iter().for_each(|vertex| meet(*vertex)),
            Shape::Patch(patch) => patch.points().iter().for_each(|point| meet(point.as_dvec3())),
            // The corners of triangles are rounded once.
            _ => {}
        }
    }
    slack
}

impl From<Compound> for Shape {
    fn from(compound: Compound) -> Self {
        PlacedCompound::from(compound).into()
    }
}
