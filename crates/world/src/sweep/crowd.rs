//! What is near a body, and how much of it there is.

use crate::{
    Filter, ObjectKey, World,
    scene::planes::NearPlanes,
    shape::{Convex, Shape},
    sweep::{origin::Origin, swept_shape::SweepingShape},
    tuning,
};
use cullide_narrowphase::Aabb;
use std::{cell::Cell, ops::ControlFlow};

impl World {
    /// Takes the number of planes and parts near a body off `left`; returns whether there are no more than that.
    pub(crate) fn is_few<B: SweepingShape>(
        &self,
        body: &B,
        origin: Origin<B>,
        filter: &Filter,
        left: &mut usize,
    ) -> bool {
        let mut near = NearPlanes::new();
        self.planes.near(&body.way(origin.start().center() - body.center()), filter, &mut near);
        let Some(less) = left.checked_sub(near.len()) else { return false };
        *left = less;
        let around = body.aabb();
        self.objects_until(&around, filter, &mut |_, shape| shape.count_near(&around, left)).is_continue()
    }

    /// Whether a body may overlap a part of an object: soon found if it does, or if it is near many parts.
    pub(crate) fn may_overlap<B: SweepingShape>(&self, body: &B, origin: Origin<B>, filter: &Filter) -> bool {
        let (around, looks) = (body.aabb(), Cell::new(0));
        let may_be_in = |convex: Convex| {
            looks.set(looks.get() + 1);
            let is_in = body.penetration(convex).is_some_and(|gap| gap.separation < 0.0);
            is_in && origin.faces(&convex, body) || looks.get() > tuning::CROWD_LOOKS
        };
        let mut ask = |_, shape: &Shape| {
            let may_be_in = shape.any_part_near(&around, &|| body.at_rest(), &may_be_in);
            if may_be_in { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        self.objects_until(&around, filter, &mut ask).is_break()
    }

    /// Calls `visit` with the objects that a filter accepts and whose boxes touch `bounds`.
    pub(super) fn objects_near(&self, bounds: &Aabb, filter: &Filter, visit: &mut dyn FnMut(ObjectKey, &Shape)) {
        let _ = self.objects_until(bounds, filter, &mut |key, shape| {
            visit(key, shape);
            ControlFlow::Continue(())
        });
    }

    /// The same, until `visit` breaks.
    fn objects_until(
        &self,
        bounds: &Aabb,
        filter: &Filter,
        visit: &mut dyn FnMut(ObjectKey, &Shape) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        for tree in self.trees(filter) {
            tree.overlap_aabb(bounds, filter.mask(), |leaf| {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts(key, object) {
                    flow = visit(key, &object.shape);
                }
                flow
            });
            flow?;
        }
        flow
    }
}
