//! A shape in terms of its parts: itself if it is convex, or many.

use super::{
    Convex, Shape,
    compound::placed::PlacedCompound,
    mesh::placed::PlacedMesh,
    surface::Surface,
    terrain::placed::PlacedTerrain,
    way::{Filtered, StraightWay, UnvisitedParts},
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, BodyWay, Cast, Containment, Crossing, Frustum, Path, Plane, Side, Sides, Solid, Sphere, glam::Vec3,
};
use std::ops::ControlFlow::{self, Break, Continue};

/// A shape in terms of its parts.
#[derive(Clone, Copy)]
pub(super) enum Parts<'a> {
    One(Convex<'a>),
    Mesh(&'a PlacedMesh),
    Terrain(&'a PlacedTerrain),
    Compound(&'a PlacedCompound),
}

impl<'a> Parts<'a> {
    pub(super) fn part(self, number: u32) -> Option<Convex<'a>> {
        match self {
            Self::One(convex) => (number == 0).then_some(convex),
            Self::Mesh(mesh) => mesh.at().part(number),
            Self::Terrain(terrain) => terrain.at().part(number),
            Self::Compound(compound) => compound.part(number),
        }
    }

    /// Calls `visit` with all parts of a convex shape or of a compound of such; returns false if there is a surface of
    /// triangles among them.
    pub(super) fn all_convex(self, visit: &mut dyn FnMut(u32, Convex)) -> bool {
        match self {
            Self::One(convex) => visit(0, convex),
            Self::Mesh(_) | Self::Terrain(_) => return false,
            Self::Compound(compound) => {
                for number in (0..).take(compound.compound().children().len()) {
                    match compound.child_parts(number) {
                        Some(Self::One(convex)) => visit(number, convex),
                        Some(_) => return false,
                        // A triangle without an area is never met.
                        None => {}
                    }
                }
            }
        }
        true
    }

    #[inline]
    pub(super) fn surface(self, part: u32) -> u16 {
        match self {
            Self::One(_) => 0,
            Self::Mesh(mesh) => mesh.mesh().surface(part).unwrap_or(0),
            Self::Terrain(terrain) => terrain.at().surface(part),
            Self::Compound(compound) => compound.surface(part),
        }
    }

    pub(super) fn near(self, bounds: &Aabb, visit: &mut dyn FnMut(u32, Convex)) {
        match self {
            Self::One(convex) => visit(0, convex),
            Self::Mesh(mesh) => mesh.at().parts_near(bounds, visit),
            Self::Terrain(terrain) => terrain.at().parts_near(bounds, visit),
            Self::Compound(compound) => compound.parts_near(bounds, visit),
        }
    }

    /// Takes the number of parts whose boxes touch `bounds` off `left`; breaks where there are more.
    pub(super) fn count_near(self, bounds: &Aabb, left: &mut usize) -> ControlFlow<()> {
        let mut flow = Continue(());
        let count = |_, [a, b, c]: [Vec3; 3]| {
            let (min, max) = (a.min(b).min(c), a.max(b).max(c));
            flow = take_one(left, (min.cmple(bounds.max()) & max.cmpge(bounds.min())).all());
            flow
        };
        match self {
            Self::One(convex) => return take_one(left, convex.aabb().overlaps(bounds)),
            Self::Mesh(mesh) => mesh.at().candidates_near(bounds, count),
            Self::Terrain(terrain) => terrain.at().candidates_near(bounds, count),
            Self::Compound(compound) => {
                return compound.children_near(bounds, &mut |_, child| child.count_near(bounds, left));
            }
        }
        flow
    }

    pub(super) fn along(
        self,
        way: &StraightWay,
        limit: f32,
        visit: &mut dyn FnMut(u32, Convex, Filtered) -> f32,
    ) -> UnvisitedParts {
        match self {
            Self::One(convex) => {
                visit(0, convex, Filtered::No);
                UnvisitedParts::Apart
            }
            Self::Mesh(mesh) => {
                mesh.at().parts_along(way, limit, &mut |part, convex| visit(part, convex, Filtered::Yes))
            }
            Self::Terrain(terrain) => {
                terrain.at().parts_along(way, limit, &mut |part, convex| visit(part, convex, Filtered::Yes))
            }
            Self::Compound(compound) => {
                compound.parts_along(way, limit, visit);
                UnvisitedParts::Unknown
            }
        }
    }

    /// `probe` is the path as trees take it, if known.
    #[inline]
    pub(super) fn crossings(self, path: &Path, probe: Option<&Probe>, visit: &mut dyn FnMut(u32, Crossing) -> Visit) {
        match self {
            Self::One(convex) => {
                if let Some(crossing) = convex.crossing(path) {
                    visit(0, crossing);
                }
            }
            Self::Mesh(mesh) => mesh.at().crossings(path, probe, visit),
            Self::Terrain(terrain) => terrain.at().crossings(path, probe, visit),
            Self::Compound(compound) => compound.crossings(path, probe, visit),
        }
    }

    #[inline]
    pub(super) fn is_crossed(self, path: &Path, probe: Option<&Probe>) -> bool {
        if let Self::One(convex) = self {
            return convex.is_crossed(path);
        }
        let mut found = false;
        self.crossings(path, probe, &mut |_, _| {
            found = true;
            Visit::Stop
        });
        found
    }

    /// Returns the first crossing of the path, and the part; of several at once, that with the part of the smallest
    /// number.
    pub(super) fn first_crossing(self, path: &Path) -> Option<(u32, Crossing)> {
        let mut first: Option<(u32, Crossing)> = None;
        self.crossings(path, None, &mut |part, crossing| {
            if first.is_none_or(|(other, first)| (crossing.enter, part) < (first.enter, other)) {
                first = Some((part, crossing));
            }
            first.map_or(Visit::Continue, |(_, first)| Visit::Within((first.enter as f32).next_up()))
        });
        first
    }

    pub(super) fn side_of(self, plane: &Plane) -> Side {
        match self {
            Self::One(convex) => convex.side_of(plane),
            Self::Mesh(mesh) => mesh.at().side_of(plane),
            Self::Terrain(terrain) => terrain.at().side_of(plane),
            Self::Compound(compound) => compound.side_of(plane),
        }
    }

    pub(super) fn visibility(self, frustum: &Frustum) -> Containment {
        match self {
            Self::One(convex) => frustum.visibility_of(convex),
            Self::Mesh(mesh) => mesh.at().visibility(frustum),
            Self::Terrain(terrain) => terrain.at().visibility(frustum),
            Self::Compound(compound) => compound.visibility(frustum),
        }
    }

    pub(super) fn cull(self, frustum: &Frustum, visit: &mut dyn FnMut(&[u32], Containment)) {
        match self {
            Self::One(convex) => {
                let containment = frustum.visibility_of(convex);
                if containment != Containment::Outside {
                    visit(&[0], containment);
                }
            }
            Self::Mesh(mesh) => mesh.at().cull(frustum, visit),
            Self::Terrain(terrain) => terrain.at().cull(frustum, visit),
            Self::Compound(compound) => compound.cull(frustum, visit),
        }
    }

    /// Whether `touches` holds for any of the parts near `bounds`. `body` returns the tested volume as the triangle
    /// filter takes it.
    pub(super) fn any_near(self, bounds: &Aabb, body: &dyn Fn() -> BodyWay, touches: &dyn Fn(Convex) -> bool) -> bool {
        match self {
            Self::One(convex) => touches(convex),
            Self::Mesh(mesh) => mesh.at().any_part_near(bounds, body, touches),
            Self::Terrain(terrain) => terrain.at().any_part_near(bounds, body, touches),
            Self::Compound(compound) => compound.any_child_near(bounds, |child| child.any_near(bounds, body, touches)),
        }
    }

    /// Whether any part shares a point with a sphere.
    pub(super) fn overlaps_sphere(self, sphere: &Sphere) -> bool {
        match self {
            Self::One(convex) => convex.overlaps_sphere(sphere),
            Self::Mesh(mesh) => mesh.at().overlaps_sphere(sphere),
            Self::Terrain(terrain) => {
                terrain.at().any_part_near(&sphere.aabb(), &|| sphere.into(), &|part| part.overlaps_sphere(sphere))
            }
            Self::Compound(compound) => compound.any_child_near(&sphere.aabb(), |child| child.overlaps_sphere(sphere)),
        }
    }

    /// How many parts there are, those without an area included.
    pub(super) fn count(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Mesh(mesh) => mesh.mesh().len(),
            Self::Terrain(terrain) => terrain.terrain().len(),
            Self::Compound(compound) => compound.compound().parts(),
        }
    }

    /// Calls `visit` with all parts whose boxes are within a distance of a box, and some more, roughly nearest first; a
    /// convex shape wherever it is. `visit` returns the distance up to which to go on; a negative one counts as 0.
    pub(super) fn around(self, bounds: &Aabb, within: f64, visit: &mut dyn FnMut(u32, Convex) -> f64) {
        match self {
            Self::One(convex) => _ = visit(0, convex),
            Self::Mesh(mesh) => mesh.at().parts_around(bounds, within, visit),
            Self::Terrain(terrain) => terrain.at().parts_around(bounds, within, visit),
            Self::Compound(compound) => compound.parts_around(bounds, within, visit),
        }
    }

    pub(super) fn closest_point(self, point: Vec3, max_distance: f32) -> Option<(u32, Vec3)> {
        match self {
            Self::One(convex) => Some((0, convex.closest_point(point))),
            Self::Mesh(mesh) => mesh.at().closest_point(point, max_distance),
            Self::Terrain(terrain) => terrain.at().closest_point(point, max_distance),
            Self::Compound(compound) => compound.closest_point(point, max_distance),
        }
    }
}

/// Takes one off a number, if it `counts`; breaks if the number is zero.
fn take_one(left: &mut usize, counts: bool) -> ControlFlow<()> {
    if counts {
        let Some(less) = left.checked_sub(1) else { return Break(()) };
        *left = less;
    }
    Continue(())
}

impl Shape {
    pub(super) fn parts(&self) -> Parts<'_> {
        Parts::One(match self {
            Self::Aabb(shape) => Convex::Aabb(*shape),
            Self::Obb(shape) => Convex::Obb(*shape),
            Self::Sphere(shape) => Convex::Sphere(*shape),
            Self::Brush(shape) => Convex::Brush(shape),
            Self::Patch(shape) => Convex::Patch(shape),
            Self::Triangle(shape) => Convex::Triangle(*shape, Sides::Both),
            Self::Capsule(shape) => Convex::Capsule(*shape),
            Self::Cylinder(shape) => Convex::Cylinder(*shape),
            Self::Mesh(shape) => return Parts::Mesh(shape),
            Self::Terrain(shape) => return Parts::Terrain(shape),
            Self::Compound(shape) => return Parts::Compound(shape),
        })
    }
}
