//! Shapes.

use crate::{
    CullidePlane, CullidePose, CullideVec3,
    memory::{given, values},
    status::{CullideStatus, Failure, guard},
};
use cullide_world::{
    Compound, Mesh, PlacedCompound, PlacedMesh, Shape,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Brush, Capsule, Cylinder, Hull, Plane, Sides, Sphere},
};
use std::{borrow::Cow, mem::MaybeUninit};

/// A shape about its own origin: to be inserted any number of times, and to ask with.
///
/// It cannot be changed, and what is made from it keeps what it needs, so it may be freed at any time.
#[derive(Debug)]
pub struct CullideShape {
    pub(crate) shape: Shape,
}

/// A shape somewhere.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullidePlacedShape {
    /// The shape.
    pub shape: *const CullideShape,
    /// Where it is.
    pub pose: CullidePose,
}

/// Where a function leaves the shape that it made.
type NewShape<'a> = Option<&'a mut MaybeUninit<Option<Box<CullideShape>>>>;

pub(crate) fn make<S: Into<Shape>>(shape: NewShape, of: impl FnOnce() -> Result<S, Failure>) -> CullideStatus {
    guard(|| {
        let place = given(shape, "shape")?;
        place.write(Some(Box::new(CullideShape { shape: of()?.into() })));
        Ok(())
    })
}

/// A shape where it is asked about.
pub(crate) fn placed(shape: &Shape, pose: CullidePose) -> Result<Cow<'_, Shape>, Failure> {
    if pose.is_identity() {
        return Ok(Cow::Borrowed(shape));
    }
    let (rotation, position) = pose.parts();
    Ok(Cow::Owned(shape.transformed(rotation, position)?))
}

impl CullidePlacedShape {
    /// # Safety
    /// The handle is NULL or valid during `'a`.
    pub(crate) unsafe fn placed<'a>(&self) -> Result<Cow<'a, Shape>, Failure> {
        // SAFETY: as the caller promises.
        placed(&given(unsafe { self.shape.as_ref() }, "shape")?.shape, self.pose)
    }
}

/// Creates a box of these half edges, centred at its origin. Rotated by a pose it is an oriented box.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_shape_box(
    half_extents: CullideVec3,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || Ok(Aabb::from_center_half_extents(Vec3::ZERO, half_extents.into())?))
}

/// Creates a ball of this radius, centred at its origin.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_shape_ball(
    radius: f32,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || Ok(Sphere::new(Vec3::ZERO, radius)?))
}

/// Creates a capsule along y, centred at its origin: all that is within `radius` of a line from `-half_height` to
/// `half_height`. It is `2 (half_height + radius)` high.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_shape_capsule(
    half_height: f32,
    radius: f32,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || Ok(Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * half_height, radius)?))
}

/// Creates a cylinder along y, centred at its origin, `2 half_height` high, with the radii of its lower and its upper
/// end: a cone if the upper one is 0.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_shape_cylinder(
    half_height: f32,
    lower_radius: f32,
    upper_radius: f32,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || Ok(Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * half_height, [lower_radius, upper_radius])?))
}

/// Creates the convex hull of points, of which four must not lie in a plane.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_shape_hull(
    points: *const CullideVec3,
    count: usize,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    // SAFETY: the caller's array, as the header demands.
    make(shape, || Ok(Hull::new(&unsafe { vectors(points, count, "points") }?)?))
}

/// Creates the convex solid behind all of these planes, which must close it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_shape_brush(
    planes: *const CullidePlane,
    count: usize,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || {
        // SAFETY: the caller's array, as the header demands.
        let given = unsafe { values(planes, count, "planes") }?;
        let planes = given.iter().map(|plane| plane.plane()).collect::<Result<Vec<Plane>, _>>()?;
        Ok(Brush::from_planes(&planes)?)
    })
}

/// Found from both sides.
pub const CULLIDE_BOTH_SIDES: u32 = 0;
/// Found only from where the corners run counter-clockwise.
pub const CULLIDE_FRONT_SIDE: u32 = 1;

/// Creates a mesh: a surface of triangles, each given by the numbers of three vertices. `triangle_count` triangles have
/// three times as many `indices`. `sides` is `CULLIDE_BOTH_SIDES` or `CULLIDE_FRONT_SIDE`. `surfaces` holds a number of
/// the caller's for each triangle, such as its material, which hits report; NULL for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_shape_mesh(
    vertices: *const CullideVec3,
    vertex_count: usize,
    indices: *const u32,
    triangle_count: usize,
    sides: u32,
    surfaces: *const u16,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || {
        // SAFETY: the caller's arrays, as the header demands.
        let (vertices, triangles) = unsafe {
            (
                vectors(vertices, vertex_count, "vertices")?,
                values::<[u32; 3]>(indices.cast(), triangle_count, "indices")?,
            )
        };
        let mesh = Mesh::new(&vertices, triangles)?.with_sides(self::sides(sides)?);
        if surfaces.is_null() {
            return Ok(mesh);
        }
        // SAFETY: as above.
        let surfaces = unsafe { values(surfaces, triangle_count, "surfaces") }?;
        Ok(mesh.with_surfaces(surfaces)?)
    })
}

/// Creates a compound: several shapes at poses, which move as one. Its parts are numbered in their order; `surfaces` as for
/// a mesh, one for each child. A child may not be a compound itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_shape_compound(
    children: *const CullidePlacedShape,
    count: usize,
    surfaces: *const u16,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || {
        // SAFETY: the caller's arrays and handles, as the header demands.
        let children = unsafe { values(children, count, "children") }?;
        // SAFETY: as above.
        let children = children.iter().map(|child| unsafe { child.placed() }.map(Cow::into_owned));
        let compound = Compound::new(children.collect::<Result<Vec<_>, _>>()?)?;
        if surfaces.is_null() {
            return Ok(compound);
        }
        // SAFETY: as above.
        let surfaces = unsafe { values(surfaces, count, "surfaces") }?;
        Ok(compound.with_surfaces(surfaces)?)
    })
}

/// Creates a mesh or a compound scaled about its origin, which shares its triangles or children with the one that it is
/// made from. Negative factors mirror. Scale other shapes by their sizes.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_shape_scaled(
    of: Option<&CullideShape>,
    scale: CullideVec3,
    shape: Option<&mut MaybeUninit<Option<Box<CullideShape>>>>,
) -> CullideStatus {
    make(shape, || -> Result<Shape, Failure> {
        let (rotation, position, scale) = (Quat::IDENTITY, Vec3::ZERO, scale.into());
        match &given(of, "of")?.shape {
            Shape::Mesh(placed) => Ok(PlacedMesh::new(placed.mesh(), rotation, position, scale)?.into()),
            Shape::Compound(placed) => Ok(PlacedCompound::scaled(placed.compound(), rotation, position, scale)?.into()),
            _ => Err(Failure::new(
                CullideStatus::WrongShape,
                "`of` is neither a mesh nor a compound; create the shape in another size",
            )),
        }
    })
}

/// Frees a shape; NULL does nothing. What was made with it stays.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_shape_free(shape: Option<Box<CullideShape>>) {
    guard(|| {
        drop(shape);
        Ok(())
    });
}

pub(crate) fn sides(number: u32) -> Result<Sides, Failure> {
    match number {
        CULLIDE_BOTH_SIDES => Ok(Sides::Both),
        CULLIDE_FRONT_SIDE => Ok(Sides::Front),
        _ => Err(Failure::choice("sides", number, "CULLIDE_BOTH_SIDES or CULLIDE_FRONT_SIDE")),
    }
}

/// # Safety
/// As [`values`].
unsafe fn vectors(points: *const CullideVec3, count: usize, name: &str) -> Result<Vec<Vec3>, Failure> {
    // SAFETY: as the caller promises.
    Ok(unsafe { values(points, count, name) }?.iter().map(|&point| point.into()).collect())
}
