//! The surfaces of the world as triangles.
//!
//! ```text
//!   trees ──► objects near the box ──► their parts near it ──► triangles near it
//! ```
//! Balls and the ends of capsules are octahedra, whose faces are cut into sixteen and put onto the sphere; the rims of
//! cylinders are polygons of sixteen corners.

use crate::{Filter, ObjectKey, Shape, Target, World, WorldPlane, shape::Convex};
use cullide_narrowphase::{
    Aabb, Cylinder, Listed, Mapped, Obb, Sides, Solid, Triangle,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// A triangle of the surface of an object or of a plane: see [`World::triangles_in`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldTriangle {
    /// What it belongs to.
    pub target: Target,
    /// The part of a composite shape: the triangle of a mesh or a terrain, the child of a compound or its triangle (see
    /// [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub part: u32,
    /// The caller's number for that part, such as its material; 0 if there is none.
    pub surface: u16,
    /// Its corners, counter-clockwise as seen from its front; the front of a solid is outside.
    pub triangle: Triangle,
    /// The sides from which it is met.
    pub sides: Sides,
}

type CornerPoints = SmallVec<[DVec3; 16]>;

/// The number of pieces into which the edges of the octahedra are cut.
const PIECES: u32 = 4;

impl World {
    /// Calls `visit` with every triangle of a surface that shares a point with a box: the input of a navigation mesh, for
    /// one tile of it, say. [`Mover::stands_on`](crate::Mover::stands_on) tells which of them can be walked. Ordered by key
    /// and part; triangles without an area are left out.
    ///
    /// Meshes, terrains, boxes, hulls, brushes and polygons are exact, up to the rounding of corners; balls and
    /// capsules have 128 triangles or more, with corners on the surface, which are nowhere farther inside than 6 % of
    /// the radius; cylinders and cones are prisms of sixteen sides, 2 % of the radius inside. An infinite plane is cut off at the box.
    ///
    /// ```
    /// # use cullide_world::{Filter, Mover, Object, World, narrowphase::{Aabb, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// let stage = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::new(4.0, 1.0, 4.0))?));
    /// world.insert(Object::fixed(Aabb::new(Vec3::splat(50.0), Vec3::splat(60.0))?));
    /// let tile = Aabb::new(Vec3::splat(-8.0), Vec3::splat(8.0))?;
    /// let (mut all, mut floors) = (0, vec![]);
    /// world.triangles_in(&tile, &Filter::ALL.fixed_only(), |triangle| {
    ///     all += 1;
    ///     if Mover::default().stands_on(triangle) {
    ///         floors.push(*triangle);
    ///     }
    /// });
    /// assert!(all == 12 && floors.len() == 2 && floors.iter().all(|floor| floor.target == stage.into()));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn triangles_in(&self, bounds: &Aabb, filter: &Filter, mut visit: impl FnMut(&WorldTriangle)) {
        let mut keys: Vec<ObjectKey> = Vec::new();
        for tree in self.trees(filter) {
            tree.overlap_aabb(bounds, filter.mask(), |leaf| {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts(key, object) {
                    keys.push(key);
                }
                ControlFlow::Continue(())
            });
        }
        ObjectKey::sort(&mut keys);
        for key in keys {
            let Some(object) = self.object(key) else { continue };
            let shape = &object.shape;
            let show = |part: u32, triangle: Triangle, sides: Sides| {
                visit(&WorldTriangle { target: key.into(), part, surface: shape.surface(part), triangle, sides });
            };
            triangles_of(shape, bounds, show);
        }
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
            let corners = cut(entry, bounds);
            fan(&corners, |triangle| {
                visit(&WorldTriangle { target: key.into(), part: 0, surface: 0, triangle, sides: entry.sides });
            });
        }
    }
}

/// Calls `show` with the triangles of a shape that are near a box, ordered by part.
fn triangles_of(shape: &Shape, bounds: &Aabb, mut show: impl FnMut(u32, Triangle, Sides)) {
    if !shape.is_composite() {
        if let Some(part) = shape.part(0) {
            triangles_of_part(&part, bounds, |triangle, sides| show(0, triangle, sides));
        }
        return;
    }
    let mut numbers = Vec::new();
    shape.parts_near(bounds, &mut |number, _| numbers.push(number));
    numbers.sort_unstable();
    for number in numbers {
        if let Some(part) = shape.part(number) {
            triangles_of_part(&part, bounds, |triangle, sides| show(number, triangle, sides));
        }
    }
}

fn triangles_of_part(part: &Convex, bounds: &Aabb, mut show: impl FnMut(Triangle, Sides)) {
    let mut show = |triangle: Triangle, sides: Sides| {
        if Convex::Triangle(triangle, sides).overlaps_aabb(bounds) {
            show(triangle, sides);
        }
    };
    let mut solid = |face: &[DVec3]| fan(face, |triangle| show(triangle, Sides::Front));
    match part {
        Convex::Aabb(shape) => faces_of_box(&Obb::from(shape), solid),
        Convex::Obb(shape) => faces_of_box(shape, solid),
        Convex::Sphere(shape) => pill(shape.center(), Vec3::ZERO, shape.radius(), solid),
        Convex::Capsule(shape) => pill(shape.center(), shape.half_axis(), shape.radius(), solid),
        Convex::Cylinder(shape) => can(shape, solid),
        Convex::Brush(shape) => {
            let corners = |indices: &[usize]| indices.iter().map(|&i| shape.vertices()[i]).listed::<[DVec3; 16]>();
            shape.faces().for_each(|face| solid(&corners(face.vertices)));
        }
        Convex::Patch(shape) => {
            let corners: CornerPoints = shape.points().iter().map(|point| point.as_dvec3()).listed();
            fan(&corners, |triangle| show(triangle, Sides::Both));
        }
        Convex::Triangle(triangle, sides) => show(*triangle, *sides),
    }
}

/// Calls `show` with the triangles of a convex polygon.
fn fan(corners: &[DVec3], show: impl FnMut(Triangle)) {
    let triangle = |i: usize| {
        let [a, b, c] = [corners[0], corners[i - 1], corners[i]].mapped(DVec3::as_vec3);
        Triangle::new(a, b, c).ok()
    };
    (2..corners.len()).filter_map(triangle).for_each(show);
}

/// Calls `show` with the sides of a box, counter-clockwise as seen from outside.
fn faces_of_box(shape: &Obb, mut show: impl FnMut(&[DVec3])) {
    let (center, edges) = (shape.center().as_dvec3(), shape.half_edges().mapped(|edge| edge.as_dvec3()));
    let is_mirrored = edges[0].cross(edges[1]).dot(edges[2]) < 0.0;
    for axis in 0..3 {
        let (out, u, v) = (edges[axis], edges[(axis + 1) % 3], edges[(axis + 2) % 3]);
        for (out, is_far) in [(out, true), (-out, false)] {
            // Seen from one of the two sides, u and v turn the other way.
            let (u, v) = if is_far == is_mirrored { (v, u) } else { (u, v) };
            show(&[center + out - u - v, center + out + u - v, center + out + u + v, center + out - u + v]);
        }
    }
}

/// Calls `show` with the facets of a capsule, or of a ball if it has no axis, counter-clockwise as seen from outside.
fn pill(center: Vec3, half_axis: Vec3, radius: f32, mut show: impl FnMut(&[DVec3])) {
    let (center, half, radius) = (center.as_dvec3(), half_axis.as_dvec3(), f64::from(radius));
    let along = half.try_normalize().unwrap_or(DVec3::Y);
    let (u, v) = along.any_orthonormal_pair();
    // A point of an octant's face, as a point of the sphere.
    let at = |[x, y]: [f64; 2], i: u32, j: u32| {
        let [a, b] = [i, j].mapped(|k| f64::from(k) / f64::from(PIECES));
        (u * (x * a) + v * (y * b) + along * (1.0 - a - b)).normalize() * radius
    };
    for quarter in [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]] {
        // Counter-clockwise from above, where i counts along the first of the two axes, seen from outside.
        let turns = quarter[0] * quarter[1] * u.cross(v).dot(along) > 0.0;
        let mut facet = |corners: [DVec3; 3]| {
            let [a, b, c] = if turns { corners } else { [corners[0], corners[2], corners[1]] };
            show(&[a, b, c].mapped(|point| center + half + point));
            // The same below the middle.
            let below = |point: DVec3| point - along * (2.0 * point.dot(along));
            show(&[a, c, b].mapped(|point| center - half + below(point)));
        };
        for i in 0..PIECES {
            for j in 0..PIECES - i {
                facet([at(quarter, i, j), at(quarter, i + 1, j), at(quarter, i, j + 1)]);
                if i + j + 1 < PIECES {
                    facet([at(quarter, i + 1, j), at(quarter, i + 1, j + 1), at(quarter, i, j + 1)]);
                }
            }
        }
        for i in (0..PIECES).filter(|_| half != DVec3::ZERO) {
            let [a, b] = [i, i + 1].mapped(|i| at(quarter, PIECES - i, i));
            let (a, b) = if turns { (a, b) } else { (b, a) };
            show(&[a - half, b - half, b + half, a + half].mapped(|point| center + point));
        }
    }
}

/// Calls `show` with the facets of a cylinder or a cone, counter-clockwise as seen from outside.
fn can(cylinder: &Cylinder, mut show: impl FnMut(&[DVec3])) {
    let (center, half) = (cylinder.center().as_dvec3(), cylinder.half_axis().as_dvec3());
    let along = half / half.length();
    let (u, v) = along.any_orthonormal_pair();
    let (u, v) = if u.cross(v).dot(along) > 0.0 { (u, v) } else { (v, u) };
    let rims = [(-1.0, cylinder.radii()[0]), (1.0, cylinder.radii()[1])].mapped(|(end, radius)| {
        // By sixteenths of a turn, without functions whose rounding is not fixed.
        let mut ways: Vec<DVec3> = vec![u, (u + v).normalize(), v, (v - u).normalize()];
        ways.extend(ways.clone().into_iter().map(|way| -way));
        let between = (0..ways.len()).map(|i| (ways[i] + ways[(i + 1) % ways.len()]).normalize()).collect::<Vec<_>>();
        let all = ways.into_iter().zip(between).flat_map(|(way, next)| [way, next]);
        all.map(|way| center + half * end + way * f64::from(radius)).collect::<Vec<_>>()
    });
    let [bottom, top] = &rims;
    show(&bottom.iter().rev().copied().collect::<Vec<_>>());
    show(top);
    for i in 0..bottom.len() {
        let next = (i + 1) % bottom.len();
        show(&[bottom[i], bottom[next], top[next], top[i]]);
    }
}

/// The part of a plane within a box, counter-clockwise as seen from its front.
///
/// Source: Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974.
fn cut(entry: &WorldPlane, bounds: &Aabb) -> CornerPoints {
    let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
    let (normal, center, size) = (entry.plane.normal().as_dvec3(), 0.5 * (min + max), 2.0 * (max - min).length());
    let distance = (normal.dot(center) + f64::from(entry.plane.d())) / normal.length();
    let normal = normal.normalize();
    let (u, v) = normal.any_orthonormal_pair();
    let middle = center - normal * distance;
    let (u, v) = if u.cross(v).dot(normal) > 0.0 { (u * size, v * size) } else { (v * size, u * size) };
    let mut polygon = SmallVec::from_slice(&[middle - u - v, middle + u - v, middle + u + v, middle - u + v]);
    for axis in 0..3 {
        polygon = cut_off(&polygon, |point| point[axis] - min[axis]);
        polygon = cut_off(&polygon, |point| max[axis] - point[axis]);
    }
    polygon
}

/// The part of a polygon where a linear function is not negative.
fn cut_off(polygon: &[DVec3], inside: impl Fn(DVec3) -> f64) -> CornerPoints {
    let mut rest = SmallVec::new();
    for (i, &point) in polygon.iter().enumerate() {
        let before = polygon[(i + polygon.len() - 1) % polygon.len()];
        let (from, to) = (inside(before), inside(point));
        if (from < 0.0) != (to < 0.0) {
            rest.push(before + (point - before) * (from / (from - to)));
        }
        if to >= 0.0 {
            rest.push(point);
        }
    }
    rest
}
