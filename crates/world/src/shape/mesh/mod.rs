//! A surface of triangles.
//!
//! ```text
//!   tree over groups ──► group: sixteen triangles at most, their numbers, and the vertices that they share
//! ```
//! A query has the corners of a group in registers, with none of them far away in memory. A mesh takes 39 bytes per
//! triangle, half a vertex included.
//!
//! Reading order: this file, building; [`mod@refit`], moving the vertices; [`placed`], a placed mesh; [`parts`], which
//! triangles lie near a box or along a path; [`mod@put_off`], those among them whose test is deferred; [`packet`],
//! which triangles the rays of a packet cross; [`query`], queries on the whole; [`mod@nearest`], its nearest point;
//! [`ball`], whether it touches a ball; [`alone`], queries on a mesh outside a world.

mod alone;
mod ball;
mod nearest;
mod packet;
mod parts;
pub(crate) mod placed;
mod put_off;
mod query;
mod refit;

use crate::scene::hash;
use cullide_bvh::TriangleBvh;
use cullide_narrowphase::{Aabb, Error, Mapped, Sides, Triangle, glam::Vec3};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// A surface of triangles, built once and shared: a clone costs nothing.
///
/// The geometry is what was given, bit for bit: nothing is rounded, welded or dropped. A triangle whose corners are
/// exactly collinear has no area and is never met; all others are met, however small. What lies wholly inside a closed
/// mesh touches nothing.
///
/// Rays, segments and moving bodies meet a mesh of [`Sides::Front`] only from the front of its triangles, from where
/// their corners run counter-clockwise, and a mesh of [`Sides::Both`], the default, from either side. For what does not
/// move, sides make no difference.
///
/// ```
/// use cullide_world::{Filter, Mesh, Object, World, narrowphase::Ray, glam::Vec3};
/// let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
/// let floor = Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]])?;
/// let mut world = World::new();
/// let key = world.insert(Object::fixed(floor));
/// let down = Ray::new(Vec3::new(1.0, 9.0, 3.0), Vec3::NEG_Y)?;
/// let hit = world.cast_ray(&down, f32::INFINITY, &Filter::ALL).unwrap();
/// assert_eq!((hit.target, hit.part, hit.distance), (key.into(), 1, 9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Mesh(Arc<MeshData>);

/// What the clones of a mesh share.
#[derive(Clone)]
struct MeshData {
    vertices: Vec<Vec3>,
    /// The triangles that have an area.
    tree: TriangleBvh,
    /// The triangles that have no area, with their corners, sorted by number.
    degenerate: Vec<(u32, [u32; 3])>,
    /// By number; empty if all are 0.
    surfaces: Vec<u16>,
    sides: Sides,
    aabb: Aabb,
    hash: OnceLock<u64>,
}

/// Why a mesh cannot be made or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshError {
    /// There are no triangles.
    Empty,
    /// There are more than 2^30 − 2 triangles or vertices.
    TooMany,
    /// A corner of a triangle does not name a vertex.
    NoSuchVertex {
        /// The number of the triangle.
        triangle: u32,
        /// The vertex number that was given.
        vertex: u32,
    },
    /// A vertex is not a point within the range of coordinates.
    BadVertex {
        /// The number of the vertex.
        vertex: u32,
        /// What is wrong with it.
        error: Error,
    },
    /// The number of vertices differs from before.
    VertexCount {
        /// How many there are.
        vertices: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The number of surfaces is not that of the triangles.
    SurfaceCount {
        /// How many there are.
        surfaces: usize,
        /// How many there should be.
        triangles: usize,
    },
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a mesh needs a triangle"),
            Self::TooMany => write!(f, "a mesh has fewer than 2^30 - 1 triangles and vertices: make several"),
            Self::NoSuchVertex { triangle, vertex } => {
                write!(f, "triangle {triangle} has the corner {vertex}, but there are fewer vertices")
            }
            Self::BadVertex { vertex, error } => write!(f, "vertex {vertex}: {error}"),
            Self::VertexCount { vertices, expected } => {
                write!(f, "{vertices} vertices where there were {expected}: give each its place")
            }
            Self::SurfaceCount { surfaces, triangles } => {
                write!(f, "{surfaces} surfaces for {triangles} triangles: give one for each")
            }
        }
    }
}

impl std::error::Error for MeshError {}

impl Mesh {
    /// Creates the mesh of these triangles, each given by the numbers of three vertices, counter-clockwise seen from
    /// its front. It is two-sided, and all surfaces are 0.
    ///
    /// # Errors
    /// [`MeshError::Empty`], [`MeshError::TooMany`], and [`MeshError::NoSuchVertex`] or [`MeshError::BadVertex`] for
    /// the first one that is wrong.
    ///
    /// ```
    /// # use cullide_world::{Mesh, MeshError, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    /// assert_eq!(Mesh::new(&corners, &[[0, 1, 2]]).unwrap().len(), 1);
    /// let error = Mesh::new(&corners, &[[0, 1, 2], [0, 1, 3]]).unwrap_err();
    /// assert_eq!(error, MeshError::NoSuchVertex { triangle: 1, vertex: 3 });
    /// ```
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if triangles.len().max(vertices.len()) >= (1 << 30) - 1 {
            return Err(MeshError::TooMany);
        }
        check(vertices)?;
        let count = vertices.len() as u32;
        for (triangle, corners) in (0..).zip(triangles) {
            if let Some(&vertex) = corners.iter().find(|corner| **corner >= count) {
                return Err(MeshError::NoSuchVertex { triangle, vertex });
            }
        }
        let vertices = vertices.iter().map(|point| point + Vec3::ZERO).collect();
        Ok(Self(Arc::new(MeshData::new(vertices, triangles))))
    }

    /// Sets whether the mesh is met from its front only or from both sides. [`Sides::Front`] is for closed meshes and
    /// for ground: otherwise, a rigid body that goes over a sharp edge would be stopped by the back of the face beyond.
    #[must_use]
    pub fn with_sides(mut self, sides: Sides) -> Self {
        let data = Arc::make_mut(&mut self.0);
        (data.sides, data.hash) = (sides, OnceLock::new());
        self
    }

    /// Sets the caller's number for each triangle, such as its material, which hits report.
    ///
    /// # Errors
    /// [`MeshError::SurfaceCount`] if there is not one for each triangle.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3};
    /// let mesh = Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], &[[0, 1, 2], [0, 3, 1]])?.with_surfaces(&[7, 9])?;
    /// assert_eq!(mesh.surface(1), Some(9));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn with_surfaces(mut self, surfaces: &[u16]) -> Result<Self, MeshError> {
        if surfaces.len() != self.len() {
            return Err(MeshError::SurfaceCount { surfaces: surfaces.len(), triangles: self.len() });
        }
        let data = Arc::make_mut(&mut self.0);
        (data.surfaces, data.hash) = (surfaces.to_vec(), OnceLock::new());
        Ok(self)
    }

    /// The number of triangles, including those without an area.
    #[expect(clippy::len_without_is_empty, reason = "a mesh has a triangle")]
    pub fn len(&self) -> usize {
        self.0.tree.len() + self.0.degenerate.len()
    }

    /// The number of triangles without an area, whose corners are exactly collinear. Nothing meets them.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3};
    /// let mesh = Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 2.0], &[[0, 1, 2], [0, 1, 3], [0, 0, 1]])?;
    /// assert_eq!((mesh.len(), mesh.degenerate()), (3, 2));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn degenerate(&self) -> usize {
        self.0.degenerate.len()
    }

    /// The vertices as they were given.
    pub fn vertices(&self) -> &[Vec3] {
        &self.0.vertices
    }

    /// Returns the vertex numbers of a triangle's corners, as they were given; `None` for a number that is too large.
    pub fn corners(&self, number: u32) -> Option<[u32; 3]> {
        let MeshData { tree, degenerate, .. } = &*self.0;
        let without_area = || degenerate.binary_search_by_key(&number, |(number, _)| *number).ok();
        tree.vertices(number).or_else(|| without_area().map(|i| degenerate[i].1))
    }

    /// The vertex numbers of the corners of all triangles, in order of the triangles.
    fn all_corners(&self) -> impl Iterator<Item = [u32; 3]> {
        (0..self.len() as u32).filter_map(|number| self.corners(number))
    }

    /// Returns a triangle; `None` for one without an area, or for a number that is too large.
    pub fn triangle(&self, number: u32) -> Option<Triangle> {
        let [a, b, c] = self.0.tree.corners(number)?;
        Triangle::new(a, b, c).ok()
    }

    /// Returns the caller's number of a triangle, 0 if none was given; `None` for a number that is too large.
    pub fn surface(&self, number: u32) -> Option<u16> {
        let number = number as usize;
        (number < self.len()).then(|| self.0.surfaces.get(number).copied().unwrap_or(0))
    }

    /// Whether the mesh is met from its front only or from both sides.
    pub fn sides(&self) -> Sides {
        self.0.sides
    }

    /// The smallest box around all triangles that have an area.
    pub fn aabb(&self) -> Aabb {
        self.0.aabb
    }

    /// Returns a hash of everything that determines its answers, computed once.
    pub(crate) fn hash(&self) -> u64 {
        *self.0.hash.get_or_init(|| hash::of_mesh(self))
    }

    /// Returns the bytes of memory that it takes, shared by all clones.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3};
    /// // A grid of 32 by 32 squares.
    /// let vertices: Vec<Vec3> = (0..33 * 33).map(|i| Vec3::new((i % 33) as f32, 0.0, (i / 33) as f32)).collect();
    /// let squares = (0..32 * 32).map(|i| i / 32 * 33 + i % 32);
    /// let triangles: Vec<[u32; 3]> = squares.flat_map(|i| [[i, i + 33, i + 1], [i + 1, i + 33, i + 34]]).collect();
    /// let mesh = Mesh::new(&vertices, &triangles)?;
    /// assert!(mesh.memory() < 40 * mesh.len());
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn memory(&self) -> usize {
        let MeshData { vertices, tree, degenerate, surfaces, .. } = &*self.0;
        size_of::<MeshData>()
            + size_of_val(&**vertices)
            + size_of_val(&**degenerate)
            + size_of_val(&**surfaces)
            + tree.memory()
    }
}

/// Checks that all vertices are points within the range of coordinates.
fn check(vertices: &[Vec3]) -> Result<(), MeshError> {
    for (vertex, &point) in (0..).zip(vertices) {
        // By the name of the list, not of a bound.
        let error = |error| match error {
            Error::NonFinite { .. } => Error::NonFinite { field: "vertices" },
            _ => Error::OutOfRange { field: "vertices" },
        };
        Aabb::new(point, point).map_err(|known| MeshError::BadVertex { vertex, error: error(known) })?;
    }
    Ok(())
}

impl MeshData {
    fn new(vertices: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        let (mut numbers, mut degenerate) = (Vec::with_capacity(triangles.len()), vec![]);
        for (number, &corners) in (0..).zip(triangles) {
            if has_area(&vertices, corners) {
                numbers.push(number);
            } else {
                degenerate.push((number, corners));
            }
        }
        let tree = TriangleBvh::build(&vertices, triangles, &numbers);
        let aabb = bounds(&tree, vertices[triangles[0][0] as usize]);
        Self { vertices, tree, degenerate, surfaces: vec![], sides: Sides::Both, aabb, hash: OnceLock::new() }
    }
}

/// Whether the triangle with these corners has an area.
fn has_area(vertices: &[Vec3], corners: [u32; 3]) -> bool {
    let [a, b, c] = corners.mapped(|i| vertices[i as usize]);
    Triangle::new(a, b, c).is_ok()
}

/// Returns the box around all triangles that have an area; if there is none, the box of the vertex `any`.
fn bounds(tree: &TriangleBvh, any: Vec3) -> Aabb {
    tree.bounds().or(Aabb::new(any, any).ok()).unwrap_or_else(|| unreachable!("vertices are in range"))
}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        Arc::ptr_eq(&self.0, &other.0)
            || (a.sides, &a.vertices, &a.surfaces) == (b.sides, &b.vertices, &b.surfaces)
                && self.all_corners().eq(other.all_corners())
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut mesh = f.debug_struct("Mesh");
        mesh.field("vertices", &self.vertices().len()).field("triangles", &self.len()).field("sides", &self.sides());
        mesh.finish_non_exhaustive()
    }
}

#[cfg(feature = "serde")]
mod saved {
    use super::{Mesh, Sides, Vec3};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// A mesh as it was given; its tree is rebuilt.
    #[derive(Serialize, Deserialize)]
    #[serde(rename = "Mesh")]
    struct Saved {
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        surfaces: Vec<u16>,
        sides: Sides,
    }

    impl Serialize for Mesh {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let (triangles, surfaces) = (self.all_corners().collect(), self.0.surfaces.clone());
            let vertices = self.vertices().to_vec();
            Saved { vertices, triangles, surfaces, sides: self.sides() }.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Mesh {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Saved { vertices, triangles, surfaces, sides } = Saved::deserialize(deserializer)?;
            let mesh = Self::new(&vertices, &triangles).map_err(D::Error::custom)?.with_sides(sides);
            if surfaces.is_empty() { Ok(mesh) } else { mesh.with_surfaces(&surfaces).map_err(D::Error::custom) }
        }
    }
}
