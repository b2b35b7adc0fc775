//! The volumes that [`World::overlap`] takes.

use super::overlap::TargetVisitor;
use crate::{Filter, Shape, World, shape::Convex};
use cullide_bvh::{Bvh, Leaf};
use cullide_narrowphase::{Aabb, BodyWay, Capsule, Obb, Plane, Side, Solid, Sphere, glam::Vec3};
use std::ops::ControlFlow;

/// A volume that [`World::overlap`] takes: an [`Aabb`], an [`Obb`], a [`Sphere`], a [`Capsule`], a [`Shape`] of any kind,
/// or a [`Vec3`], which is a point.
pub trait Region: Sync {
    /// Shows what it touches in a world, in no fixed order.
    #[doc(hidden)]
    fn touched(&self, world: &World, filter: &Filter, show: &mut TargetVisitor<'_>) -> ControlFlow<()>;

    /// Appends the parts of a shape that it touches, in no fixed order.
    #[doc(hidden)]
    fn touched_parts(&self, shape: &Shape, parts: &mut Vec<u32>);
}

impl<V: Volume> Region for V {
    fn touched(&self, world: &World, filter: &Filter, show: &mut TargetVisitor<'_>) -> ControlFlow<()> {
        world.touched(self, filter, show)
    }

    fn touched_parts(&self, shape: &Shape, parts: &mut Vec<u32>) {
        shape.parts_near(&self.bounds(), &mut |number, part| {
            if self.touches_part(&part) {
                parts.push(number);
            }
        });
    }
}

impl Region for Vec3 {
    fn touched(&self, world: &World, filter: &Filter, show: &mut TargetVisitor<'_>) -> ControlFlow<()> {
        match Sphere::new(*self, 0.0) {
            Ok(point) => world.touched(&point, filter, show),
            Err(_) => ControlFlow::Continue(()),
        }
    }

    fn touched_parts(&self, shape: &Shape, parts: &mut Vec<u32>) {
        if let Ok(point) = Sphere::new(*self, 0.0) {
            point.touched_parts(shape, parts);
        }
    }
}

/// A region with bounds.
pub(super) trait Volume: Sync {
    fn bounds(&self) -> Aabb;
    fn side_of(&self, plane: &Plane) -> Side;
    fn touches(&self, shape: &Shape, bounds: &Aabb) -> bool;
    fn touches_part(&self, part: &Convex) -> bool;

    /// Visits the leaves of a tree that may be near it, until the visitor breaks.
    fn each_near(&self, tree: &Bvh, bounds: &Aabb, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) {
        tree.overlap_aabb(bounds, mask, visit);
    }
}

impl Volume for Aabb {
    fn bounds(&self) -> Aabb {
        *self
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_aabb(self)
    }

    fn touches(&self, shape: &Shape, _: &Aabb) -> bool {
        shape.any_part_near(self, &|| BodyWay::around(self, Vec3::ZERO), &|part| part.overlaps_aabb(self))
    }

    fn touches_part(&self, part: &Convex) -> bool {
        part.overlaps_aabb(self)
    }
}

/// With this many objects or fewer, the faces of an oriented box are not tested against their boxes.
const FEW: usize = 4;

impl Volume for Obb {
    fn bounds(&self) -> Aabb {
        self.aabb()
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_obb(self)
    }

    fn touches(&self, shape: &Shape, bounds: &Aabb) -> bool {
        shape.any_part_near(bounds, &|| self.into(), &|part| part.overlaps_obb(self))
    }

    fn touches_part(&self, part: &Convex) -> bool {
        part.overlaps_obb(self)
    }

    fn each_near(&self, tree: &Bvh, bounds: &Aabb, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) {
        // With few objects, rejecting one by the faces of the box costs no less than the object's own test.
        if tree.len() <= FEW {
            tree.overlap_aabb(bounds, mask, visit);
        } else {
            tree.overlap_obb(self, mask, visit);
        }
    }
}

impl Volume for Sphere {
    fn bounds(&self) -> Aabb {
        self.aabb()
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_sphere(self)
    }

    fn touches(&self, shape: &Shape, _: &Aabb) -> bool {
        shape.overlaps_sphere(self)
    }

    fn touches_part(&self, part: &Convex) -> bool {
        part.overlaps_sphere(self)
    }

    fn each_near(&self, tree: &Bvh, _: &Aabb, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) {
        tree.overlap_sphere(self, mask, visit);
    }
}

impl Volume for Capsule {
    fn bounds(&self) -> Aabb {
        self.aabb()
    }

    fn side_of(&self, plane: &Plane) -> Side {
        plane.side_of_capsule(self)
    }

    fn touches(&self, shape: &Shape, bounds: &Aabb) -> bool {
        shape.any_part_near(bounds, &|| self.into(), &|part| part.overlaps_capsule(self))
    }

    fn touches_part(&self, part: &Convex) -> bool {
        part.overlaps_capsule(self)
    }
}

impl Volume for Shape {
    fn bounds(&self) -> Aabb {
        self.aabb()
    }

    fn side_of(&self, plane: &Plane) -> Side {
        Self::side_of(self, plane)
    }

    /// Without looking at its kind for each part that is near.
    fn touches(&self, shape: &Shape, bounds: &Aabb) -> bool {
        match self {
            Self::Aabb(volume) => volume.touches(shape, bounds),
            Self::Obb(volume) => volume.touches(shape, bounds),
            Self::Sphere(volume) => volume.touches(shape, bounds),
            Self::Capsule(volume) => volume.touches(shape, bounds),
            _ => shape.overlaps(self),
        }
    }

    fn touches_part(&self, part: &Convex) -> bool {
        self.overlaps_part(part)
    }

    fn each_near(&self, tree: &Bvh, bounds: &Aabb, mask: u32, visit: &mut dyn FnMut(Leaf) -> ControlFlow<()>) {
        match self {
            Self::Obb(volume) => volume.each_near(tree, bounds, mask, visit),
            Self::Sphere(volume) => volume.each_near(tree, bounds, mask, visit),
            _ => tree.overlap_aabb(bounds, mask, visit),
        }
    }
}
