//! Where a body comes from: it is kept on that side of planes, and half-spaces that it was wholly behind there ignore
//! it.
//!
//! ```text
//!     ─ ─ sheet ─ ─      stops a ball that comes from below
//!          ( )
//!   ──── half-space ──   ignores it, from where it was wholly behind to where it stops
//!   //////////( )/////
//! ```

use crate::{
    Filter, World, WorldPlane,
    shape::Convex,
    sweep::{resolve_rounding::is_surely_apart, swept_shape::SweepingShape},
};
use cullide_narrowphase::{Gap, Sides};

/// Where a body comes from, and how.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a, B> {
    /// It has swept from there: a half-space that ignored it there still does.
    Swept(&'a B),
    /// It is pushed from there to where it penetrates nothing: what it comes out from behind counts, be it a half-space
    /// or a surface.
    Pushed(&'a B),
}

impl<'a, B: SweepingShape> Origin<'a, B> {
    pub(crate) fn start(self) -> &'a B {
        let (Self::Swept(start) | Self::Pushed(start)) = self;
        start
    }

    /// Whether a body meets a shape from a side that the shape has: a surface that it was behind ignores it.
    pub(crate) fn faces(self, shape: &Convex, body: &B) -> bool {
        let is_pushed = matches!(self, Self::Pushed(_));
        shape.is_faced_by(self.start().middle()) || is_pushed && shape.is_faced_by(body.middle())
    }

    /// The distance of a body from a plane, or its depth in it.
    pub(crate) fn gap(self, body: &B, entry: &WorldPlane) -> Gap {
        let gap = body.gap_from(self.start(), entry);
        let is_ignored = gap.separation == f64::INFINITY;
        if matches!(self, Self::Pushed(_)) && is_ignored { body.gap_from(body, entry) } else { gap }
    }
}

impl World {
    /// Returns a filter without the half-spaces that a body is wholly behind, for all sweeps of a way that begins
    /// there; `None` if there are none.
    pub(crate) fn past_ignored<'a, B: SweepingShape>(&self, start: &B, filter: &Filter<'a>) -> Option<Filter<'a>> {
        let mut past = None;
        for (slot, entry) in self.planes.iter() {
            if entry.sides == Sides::Front
                && filter.accepts_plane(entry.layers)
                && !is_surely_apart(entry, start, start)
                && start.gap_from(start, entry).separation == f64::INFINITY
            {
                past.get_or_insert_with(|| filter.clone()).ignore_plane(self.plane_key(slot));
            }
        }
        past
    }
}
