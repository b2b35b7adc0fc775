//! Shapes about the origin: objects, queries and sweeps are given one together with poses.

use crate::memory::{Failure, Input, Module, call};
use cullide_world::{
    Compound, Mesh, PlacedCompound, PlacedMesh, Shape, Terrain,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Cylinder, Error, Hull, Sides, Sphere},
};

fn create(shape: impl FnOnce(&mut Input, &Module) -> Result<Shape, Failure>) -> i32 {
    call(|module| {
        let shape = shape(&mut Input(&module.input), module)?;
        Ok(module.shapes.insert(shape))
    })
}

fn simple<S: Into<Shape>>(shape: Result<S, Error>) -> i32 {
    create(|_, _| Ok(shape?.into()))
}

/// A box, from half of its edges.
#[unsafe(no_mangle)]
extern "C" fn shape_box(x: f32, y: f32, z: f32) -> i32 {
    simple(Aabb::from_center_half_extents(Vec3::ZERO, Vec3::new(x, y, z)))
}

#[unsafe(no_mangle)]
extern "C" fn shape_ball(radius: f32) -> i32 {
    simple(Sphere::new(Vec3::ZERO, radius))
}

/// A capsule upright in y, from half of its segment.
#[unsafe(no_mangle)]
extern "C" fn shape_capsule(half: f32, radius: f32) -> i32 {
    simple(Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * half, radius))
}

/// A cylinder or a cone upright in y, from half of its axis and its radii below and above.
#[unsafe(no_mangle)]
extern "C" fn shape_cylinder(half: f32, bottom: f32, top: f32) -> i32 {
    simple(Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * half, [bottom, top]))
}

/// The hull of points.
#[unsafe(no_mangle)]
extern "C" fn shape_hull(points: usize) -> i32 {
    create(|input, _| {
        let points: Vec<Vec3> = input.vectors(points)?.collect();
        Ok(Hull::new(&points)?.into())
    })
}

/// A mesh: vertices, triangles, and a surface for each triangle if `has_surfaces`.
#[unsafe(no_mangle)]
extern "C" fn shape_mesh(vertices: usize, triangles: usize, has_surfaces: bool, both_sides: bool) -> i32 {
    create(|input, _| {
        let vertices: Vec<Vec3> = input.vectors(vertices)?.collect();
        let (corners, _) = input.words(3 * triangles)?.as_chunks();
        let mesh = Mesh::new(&vertices, corners)?.with_sides(sides(both_sides));
        if !has_surfaces {
            return Ok(mesh.into());
        }
        Ok(mesh.with_surfaces(&surfaces(input.words(triangles)?)?)?.into())
    })
}

fn surfaces(numbers: &[u32]) -> Result<Vec<u16>, Failure> {
    Ok(numbers.iter().map(|&number| number.try_into()).collect::<Result<_, _>>()?)
}

fn sides(both: bool) -> Sides {
    if both { Sides::Both } else { Sides::Front }
}

/// A terrain: heights row by row.
#[unsafe(no_mangle)]
extern "C" fn shape_terrain(columns: u32, rows: u32, width: f32, depth: f32, x: f32, z: f32) -> i32 {
    create(|input, _| {
        let heights = input.floats(columns as usize * rows as usize)?;
        Ok(Terrain::new(columns, rows, heights, Vec2::new(width, depth), Vec2::new(x, z))?.into())
    })
}

/// A compound of shapes: their numbers, then their poses.
#[unsafe(no_mangle)]
extern "C" fn shape_compound(children: usize) -> i32 {
    create(|input, module| {
        let handles = input.words(children)?;
        let mut shapes = Vec::with_capacity(children);
        for (handle, (rotation, translation)) in handles.iter().zip(input.poses(children)?) {
            shapes.push(module.shapes.get(*handle)?.transformed(rotation, translation)?);
        }
        Ok(Compound::new(shapes)?.into())
    })
}

/// The same mesh or compound in another size; it shares the data.
#[unsafe(no_mangle)]
extern "C" fn shape_scaled(shape: u32, x: f32, y: f32, z: f32) -> i32 {
    let scale = Vec3::new(x, y, z);
    create(|_, module| match module.shapes.get(shape)? {
        Shape::Mesh(placed) => Ok(PlacedMesh::new(placed.mesh(), Quat::IDENTITY, Vec3::ZERO, scale)?.into()),
        Shape::Compound(placed) => {
            Ok(PlacedCompound::scaled(placed.compound(), Quat::IDENTITY, Vec3::ZERO, scale)?.into())
        }
        _ => Err("only meshes and compounds have a scale".into()),
    })
}

#[unsafe(no_mangle)]
extern "C" fn shape_free(shape: u32) {
    call(|module| Ok(module.shapes.remove(shape).map_or(0, |_| 1)));
}
