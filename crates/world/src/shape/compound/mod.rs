//! Many shapes as one.
//!
//! ```text
//!   tree over children ──► child: a convex shape, a mesh or a terrain ──► its parts
//! ```
//! Children are stored as they were given. In a placed compound, small children are placed when they are met, the
//! others once, together with the compound.
//!
//! Reading order: this file, building; [`placed`], a placed compound; [`parts`], which children lie near a box or along
//! a path; [`query`], queries on the whole.

mod parts;
pub(crate) mod placed;
mod query;

use crate::{Shape, scene::hash, shape::Parts};
use cullide_bvh::Bvh;
use cullide_narrowphase::{Aabb, Error};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// Several shapes that form one object, built once and shared: a clone costs nothing, and inserting a compound of any
/// size into a world takes microseconds. So a piece of a level may be built on another thread and handed over as a
/// whole.
///
/// Hits report the child as their `part`: its number in the order in which the children were given. Every triangle of a
/// mesh or a terrain among the children is a part of its own: see [`Compound::child_of`].
///
/// ```
/// use cullide_world::{Compound, Filter, Object, Shape, World, narrowphase::{Aabb, Ray, Sphere}, glam::Vec3};
/// let stem = Aabb::new(Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 3.0, 0.5))?;
/// let crown = Sphere::new(Vec3::Y * 4.0, 2.0)?;
/// let tree = Compound::new([stem.into(), crown.into()])?;
/// let mut world = World::new();
/// let key = world.insert(Object::fixed(tree));
/// let down = Ray::new(Vec3::Y * 9.0, Vec3::NEG_Y)?;
/// let hit = world.cast_ray(&down, f32::INFINITY, &Filter::ALL).unwrap();
/// assert_eq!((hit.target, hit.part, hit.distance), (key.into(), 1, 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Compound(Arc<CompoundData>);

/// What the clones of a compound share.
#[derive(Clone)]
struct CompoundData {
    children: Vec<Shape>,
    /// The numbers of children that are placed once, with the compound, in ascending order.
    large: Vec<u32>,
    /// The number of the first part of each child, then the number of parts; empty if every child is one part.
    firsts: Vec<u32>,
    /// One leaf per child.
    tree: Bvh,
    /// By child; empty if all are 0.
    surfaces: Vec<u16>,
    aabb: Aabb,
    hash: OnceLock<u64>,
}

/// Why a compound cannot be made or placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompoundError {
    /// There are no children.
    Empty,
    /// There are more than 2^30 − 2 children, or 2^32 parts or more.
    TooMany,
    /// A child is a compound itself.
    Nested {
        /// The number of the child.
        child: u32,
    },
    /// A child cannot be scaled like this.
    Scale {
        /// The number of the child.
        child: u32,
    },
    /// The compound cannot be placed there.
    Place(Error),
    /// The number of surfaces is not that of the children.
    SurfaceCount {
        /// How many there are.
        surfaces: usize,
        /// How many there should be.
        children: usize,
    },
}

impl fmt::Display for CompoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a compound needs a child"),
            Self::TooMany => write!(f, "a compound has fewer than 2^30 - 1 children and 2^32 parts: make several"),
            Self::Nested { child } => write!(f, "child {child} is a compound: give its children instead"),
            Self::Scale { child } => write!(
                f,
                "child {child} does not take the scale: give a ball, a capsule or a cylinder one that is as large along all axes, \
                 or make it a hull; scale the samples of a terrain"
            ),
            Self::Place(error) => error.fmt(f),
            Self::SurfaceCount { surfaces, children } => {
                write!(f, "{surfaces} surfaces for {children} children: give one for each")
            }
        }
    }
}

impl std::error::Error for CompoundError {}

impl Compound {
    /// Creates the compound of these shapes, where they are.
    ///
    /// # Errors
    /// [`CompoundError::Empty`], [`CompoundError::TooMany`], and [`CompoundError::Nested`] for the first child that is
    /// a compound.
    ///
    /// ```
    /// # use cullide_world::{Compound, CompoundError, Shape, narrowphase::Sphere, glam::Vec3};
    /// let ball = Shape::from(Sphere::new(Vec3::ZERO, 1.0)?);
    /// let compound = Compound::new([ball.clone()])?;
    /// assert_eq!(compound.children(), [ball.clone()]);
    /// assert_eq!(Compound::new([ball, compound.into()]), Err(CompoundError::Nested { child: 1 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(children: impl IntoIterator<Item = Shape>) -> Result<Self, CompoundError> {
        Self::of(children.into_iter().collect())
    }

    fn of(children: Vec<Shape>) -> Result<Self, CompoundError> {
        if children.len() >= (1 << 30) - 1 {
            return Err(CompoundError::TooMany);
        }
        let (mut firsts, mut parts, mut large) = (Vec::with_capacity(children.len() + 1), 0u32, vec![]);
        let mut has_composites = false;
        for (number, child) in (0..).zip(&children) {
            firsts.push(parts);
            let own = match child.parts() {
                Parts::One(_) => 1,
                Parts::Mesh(mesh) => mesh.mesh().len(),
                Parts::Terrain(terrain) => terrain.terrain().len(),
                Parts::Compound(_) => return Err(CompoundError::Nested { child: number }),
            };
            parts = u32::try_from(own).ok().and_then(|own| parts.checked_add(own)).ok_or(CompoundError::TooMany)?;
            has_composites |= !matches!(child.parts(), Parts::One(_));
            if child.small().is_none() {
                large.push(number);
            }
        }
        firsts.push(parts);
        let firsts = if has_composites { firsts } else { vec![] };
        let boxes: Vec<Aabb> = children.iter().map(Shape::aabb).collect();
        let tree = Bvh::build(&boxes);
        let aabb = tree.bounds().ok_or(CompoundError::Empty)?;
        let (surfaces, hash) = (vec![], OnceLock::new());
        Ok(Self(Arc::new(CompoundData { children, large, firsts, tree, surfaces, aabb, hash })))
    }

    /// Sets the caller's number for each child, such as its material, which hits report. For a mesh or a terrain among
    /// the children, hits report its own numbers.
    ///
    /// # Errors
    /// [`CompoundError::SurfaceCount`] if there is not one for each child.
    ///
    /// ```
    /// # use cullide_world::{Compound, narrowphase::Sphere, glam::Vec3};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// let balls = Compound::new([ball.into(), ball.into()])?.with_surfaces(&[7, 9])?;
    /// assert_eq!(balls.surface(1), Some(9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_surfaces(mut self, surfaces: &[u16]) -> Result<Self, CompoundError> {
        if surfaces.len() != self.len() {
            return Err(CompoundError::SurfaceCount { surfaces: surfaces.len(), children: self.len() });
        }
        let data = Arc::make_mut(&mut self.0);
        (data.surfaces, data.hash) = (surfaces.to_vec(), OnceLock::new());
        Ok(self)
    }

    /// Returns a compound of as many other children with the same surfaces.
    #[cfg(feature = "dynamics")]
    pub(crate) fn with_children(&self, children: Vec<Shape>) -> Option<Self> {
        let mut other = Self::new(children).ok()?;
        Arc::make_mut(&mut other.0).surfaces = self.0.surfaces.clone();
        Some(other)
    }

    /// The number of children.
    #[expect(clippy::len_without_is_empty, reason = "a compound has a child")]
    pub fn len(&self) -> usize {
        self.0.children.len()
    }

    /// The number of parts of all children.
    pub(super) fn parts(&self) -> usize {
        self.0.firsts.last().map_or(self.len(), |parts| *parts as usize)
    }

    /// The children as they were given.
    pub fn children(&self) -> &[Shape] {
        &self.0.children
    }

    /// Returns the child to which a part belongs, and the part's number within that child; `None` for a number that is
    /// too large. Parts are numbered child after child: a mesh or a terrain has as many as it has triangles, any other
    /// shape has one. So without meshes and terrains, the number of a part is that of its child.
    ///
    /// ```
    /// # use cullide_world::{Compound, Mesh, narrowphase::Sphere, glam::Vec3};
    /// let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let mesh = Mesh::new(&[a, b, c, d], &[[0, 1, 2], [0, 2, 3]])?;
    /// let compound = Compound::new([mesh.into(), Sphere::new(b, 1.0)?.into()])?;
    /// assert_eq!([1, 2, 3].map(|part| compound.child_of(part)), [Some((0, 1)), Some((1, 0)), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn child_of(&self, part: u32) -> Option<(u32, u32)> {
        let CompoundData { children, firsts, .. } = &*self.0;
        let Some((&count, firsts)) = firsts.split_last() else {
            return ((part as usize) < children.len()).then_some((part, 0));
        };
        // Every child has a part, so their first parts differ.
        let child = firsts.partition_point(|first| *first <= part) - 1;
        (part < count).then(|| (child as u32, part - firsts[child]))
    }

    /// Returns the caller's number of a child, 0 if none was given; `None` for a number that is too large.
    pub fn surface(&self, child: u32) -> Option<u16> {
        let child = child as usize;
        (child < self.len()).then(|| self.0.surfaces.get(child).copied().unwrap_or(0))
    }

    /// The surfaces of all children; empty if all are 0.
    #[cfg(feature = "serde")]
    pub(super) fn surfaces(&self) -> &[u16] {
        &self.0.surfaces
    }

    /// The smallest box around the boxes of all children.
    pub fn aabb(&self) -> Aabb {
        self.0.aabb
    }

    /// Returns the bytes of memory that it takes, shared by all clones; not counting the brushes, patches, meshes and
    /// terrains themselves.
    ///
    /// ```
    /// # use cullide_world::{Compound, narrowphase::Sphere, glam::Vec3};
    /// let balls = (0..1000u16).map(|i| Sphere::new(Vec3::X * f32::from(i), 1.0).unwrap().into());
    /// assert!(Compound::new(balls)?.memory() < 160 * 1000);
    /// # Ok::<(), cullide_world::CompoundError>(())
    /// ```
    pub fn memory(&self) -> usize {
        let CompoundData { children, large, firsts, tree, surfaces, .. } = &*self.0;
        size_of::<CompoundData>()
            + size_of_val(&**children)
            + size_of_val(&**large)
            + size_of_val(&**firsts)
            + size_of_val(&**surfaces)
            + tree.memory()
    }

    /// Returns a hash of everything that determines its answers, computed once.
    pub(crate) fn hash(&self) -> u64 {
        *self.0.hash.get_or_init(|| hash::of_compound(self))
    }
}

impl PartialEq for Compound {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.children() == other.children()
                && (0..self.len() as u32).all(|child| self.surface(child) == other.surface(child)))
    }
}

impl fmt::Debug for Compound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut compound = f.debug_struct("Compound");
        compound.field("children", &self.len()).field("aabb", &self.aabb());
        compound.finish_non_exhaustive()
    }
}
