//! The ways out of a convex solid: for each direction that may be the shortest, how far to go.
//!
//! A body overlaps a solid iff its centre lies in their Minkowski difference (see [`minkowski`](crate::minkowski)), and
//! it leaves through any half-space that supports the difference. For a box and a polyhedron, only the facets matter.
//! Round shapes have no facets: a few half-spaces stand in for them, and nearer ones come from the [`Gap`]s that a body
//! has on its way out.

use crate::{
    Aabb, Brush, Capsule, Gap, Obb, Patch, Sphere, Triangle,
    distance::rod::MovingCapsule,
    exact::ROUNDING,
    minkowski::{DifferenceBox, FacetKind, MinkowskiDifference, box_solid::BoxSolid},
    shape::obb::slabs,
};
use glam::DVec3;
use std::ops::ControlFlow::Continue;

/// A convex solid that a body can be pushed out of in several directions.
///
/// ```
/// # use cullide_narrowphase::{Aabb, Exits, Obb, glam::{DVec3, Quat, Vec3}};
/// let step = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?;
/// let body = Obb::new(Vec3::new(1.5, 3.0, 2.0), Quat::IDENTITY, Vec3::ONE)?;
/// let mut ways = Vec::new();
/// step.exits(&body, &mut |gap| ways.push((gap.normal, gap.required_push())));
/// // Up by one, forward in x by one and a half, and farther in all other directions.
/// assert!(ways.contains(&(DVec3::Y, 1.0)) && ways.contains(&(DVec3::X, 1.5)) && ways.len() == 6);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
pub trait Exits {
    /// Calls `visit` with the gap of a box along each direction that may lead it out. Moved by `required_push` along
    /// the normal, the box is apart from the solid.
    fn exits(&self, body: &Obb, visit: &mut dyn FnMut(Gap));

    /// Does the same for a ball: along the normals of faces, and along that of the ball's own gap.
    fn exits_of_sphere(&self, ball: &Sphere, visit: &mut dyn FnMut(Gap));

    /// Does the same for a capsule: along the normals of the facets that its axis and the solid have together, and
    /// along that of the capsule's own gap.
    fn exits_of_capsule(&self, capsule: &Capsule, visit: &mut dyn FnMut(Gap));
}

/// The exits of a polyhedron, given its Minkowski difference.
macro_rules! polyhedron {
    ($shape:ty, $this:ident => $difference:expr) => {
        impl Exits for $shape {
            fn exits(&self, body: &Obb, visit: &mut dyn FnMut(Gap)) {
                let $this = self;
                exits(&$difference, body, visit);
            }

            fn exits_of_sphere(&self, ball: &Sphere, visit: &mut dyn FnMut(Gap)) {
                let $this = self;
                visit($this.gap_of_sphere(ball));
                exits_of_sphere(&$difference, ball, visit);
            }

            fn exits_of_capsule(&self, capsule: &Capsule, visit: &mut dyn FnMut(Gap)) {
                let $this = self;
                visit($this.gap_of_capsule(capsule));
                exits(&$difference, &capsule.rod(), &mut |gap| visit(gap.closer(capsule.radius().into())));
            }
        }
    };
}

polyhedron!(Aabb, aabb => BoxSolid::from(aabb).difference());
polyhedron!(Obb, obb => BoxSolid::from(obb).difference());
polyhedron!(Brush, brush => brush.difference());
polyhedron!(Patch, patch => patch.polygon().difference());
polyhedron!(Triangle, triangle => triangle.wide().polygon().difference());

impl Exits for Sphere {
    fn exits(&self, body: &Obb, visit: &mut dyn FnMut(Gap)) {
        visit(self.gap(body));
        let edges = body.wide_edges();
        let (center, radius) = (self.center().as_dvec3(), f64::from(self.radius()));
        for (axis, reach) in slabs(edges) {
            for normal in [axis, -axis] {
                let along = normal * (body.center().as_dvec3() - center);
                let error = 16.0 * ROUNDING * (along.abs().element_sum() + reach + radius);
                visit(Gap::new(along.element_sum() - reach - radius, error, normal));
            }
        }
    }

    fn exits_of_sphere(&self, ball: &Sphere, visit: &mut dyn FnMut(Gap)) {
        visit(self.gap_of_sphere(ball));
        let offset = ball.center().as_dvec3() - self.center().as_dvec3();
        let radius = f64::from(self.radius()) + f64::from(ball.radius());
        for normal in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            let along = normal.dot(offset);
            visit(Gap::new(along - radius, 8.0 * ROUNDING * (along.abs() + radius), normal));
        }
    }

    fn exits_of_capsule(&self, capsule: &Capsule, visit: &mut dyn FnMut(Gap)) {
        Capsule::from(*self).exits_of_capsule(capsule, visit);
    }
}

impl Exits for Capsule {
    fn exits(&self, body: &Obb, visit: &mut dyn FnMut(Gap)) {
        visit(self.gap(body));
        // Out of the axis, through the facets of its difference with the box.
        let (solid, axis) = (BoxSolid::from(body), self.rod());
        let visit = &mut |gap: Gap| visit(gap.reversed().closer(self.radius().into()));
        exits(&solid.difference(), &axis, visit);
    }

    fn exits_of_sphere(&self, ball: &Sphere, visit: &mut dyn FnMut(Gap)) {
        self.exits_of_capsule(&(*ball).into(), visit);
    }

    fn exits_of_capsule(&self, capsule: &Self, visit: &mut dyn FnMut(Gap)) {
        visit(self.gap_of_capsule(capsule));
        let (rod, other) = (MovingCapsule::from(capsule), MovingCapsule::from(self));
        let offset = rod.center - other.center;
        for (axis, reach) in slabs([rod.half, other.half, DVec3::ZERO]) {
            for normal in [axis, -axis] {
                let (along, reach) = (normal.dot(offset), reach + rod.radius + other.radius);
                visit(Gap::new(along - reach, 8.0 * ROUNDING * (rod.size + other.size), normal));
            }
        }
    }
}

/// The exits from a polyhedron, through each facet of its Minkowski difference with a box.
fn exits(difference: &MinkowskiDifference, obb: &Obb, visit: &mut dyn FnMut(Gap)) {
    let (body, center) = (DifferenceBox::new(obb), obb.center().as_dvec3());
    let _: std::ops::ControlFlow<()> = difference.facets(&body, &mut |facet| {
        // The support that no vertex exceeds: an edge's own leaves out the rounding of its direction.
        let facet = if facet.kind == FacetKind::Edges { difference.supporting(facet.normal) } else { facet };
        let (gap, length) = (facet.gap(&body, center), facet.normal.length());
        visit(Gap::new(gap.value / length, gap.error / length, facet.normal / length));
        Continue(())
    });
}

/// The exits from a polyhedron, through each of its faces.
fn exits_of_sphere(difference: &MinkowskiDifference, ball: &Sphere, visit: &mut dyn FnMut(Gap)) {
    let (center, radius) = (ball.center().as_dvec3(), f64::from(ball.radius()));
    for facet in difference.faces() {
        let (reach, reach_error) = facet.support_of_solid();
        let (along, length) = (facet.normal * center, facet.normal.length());
        let error = 16.0 * ROUNDING * (along.abs().element_sum() + reach.abs() + radius * length) + reach_error;
        let gap = along.element_sum() - reach - radius * length;
        visit(Gap::new(gap / length, error / length, facet.normal / length));
    }
}
