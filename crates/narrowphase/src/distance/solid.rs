//! How far a box is from a convex solid, or how deep in it: the largest separation over the facets of their Minkowski
//! difference.

use super::Gap;
use crate::{
    Aabb, Brush, Obb, Patch, Triangle,
    minkowski::{
        DifferenceBox, Facet, MinkowskiDifference,
        box_solid::BoxSolid,
        sat::{self, Axes, WideBox},
    },
    overlap::triangle_filter,
    sweep::solid::stays_beside,
};
use glam::{DVec3, Vec3};
use std::ops::ControlFlow::{Break, Continue};

impl Aabb {
    /// Returns how far `body` is from this box, or how deep in it.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        gap(&BoxSolid::from(self).difference(), body)
    }

    /// Returns how deep `body` is in this box, rounding considered, or `None` if they are apart; see
    /// [`Solid::penetration`](crate::Solid::penetration).
    pub(crate) fn penetration(&self, body: &Obb) -> Option<Gap> {
        if stays_beside(self, body, Vec3::ZERO) {
            return None;
        }
        penetration(&BoxSolid::from(self).difference(), body)
    }
}

impl Obb {
    /// Returns how far `body` is from this box, or how deep in it.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        gap(&BoxSolid::from(self).difference(), body)
    }

    /// Returns how deep `body` is in this box, rounding considered, or `None` if they are apart; see
    /// [`Solid::penetration`](crate::Solid::penetration).
    pub(crate) fn penetration(&self, body: &Obb) -> Option<Gap> {
        penetration(&BoxSolid::from(self).difference(), body)
    }
}

impl Brush {
    /// Returns how far `body` is from this brush, or how deep in it.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        gap(&self.difference(), body)
    }

    /// Returns the gap of `body` to this brush, or `None`, which is much cheaper, if they are certainly apart
    /// ([`Gap::is_apart`]).
    pub(crate) fn penetration(&self, body: &Obb) -> Option<Gap> {
        penetration(&self.difference(), body)
    }

    /// Returns whether `body` and this brush share a point, touching included; decided in `f64`.
    pub(crate) fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb()) && self.gap(body).separation <= 0.0
    }
}

impl Patch {
    /// Returns how far `body` is from this patch, or how deep it is cut.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        gap(&self.polygon().difference(), body)
    }

    /// Returns the gap of `body` to this patch, or `None`, which is cheaper, if they are certainly apart
    /// ([`Gap::is_apart`]).
    pub(crate) fn penetration(&self, body: &Obb) -> Option<Gap> {
        penetration(&self.polygon().difference(), body)
    }

    /// Returns whether `body` and this patch share a point, touching included; decided in `f64`.
    pub(crate) fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb()) && self.gap(body).separation <= 0.0
    }
}

impl Triangle {
    /// Returns how far `body` is from this triangle, or how deep it is cut: as [`Solid::gap`].
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        gap(&self.wide().polygon().difference(), body)
    }

    /// Returns the gap of `body` to this triangle, or `None` if they are certainly apart: as [`Solid::penetration`].
    pub(crate) fn penetration(&self, body: &Obb) -> Option<Gap> {
        if triangle_filter::meets(self, body) == Some(false) {
            return None;
        }
        penetration(&self.wide().polygon().difference(), body)
    }

    /// Returns whether `body` and this triangle share a point, touching included: as [`Solid::overlaps_obb`].
    pub(crate) fn overlaps_obb(&self, body: &Obb) -> bool {
        self.aabb().overlaps(&body.aabb())
            && triangle_filter::meets(self, body).unwrap_or_else(|| self.gap(body).separation <= 0.0)
    }
}

/// The gap of a box to the solid, for depenetration and for queries.
pub(crate) fn gap(difference: &MinkowskiDifference, obb: &Obb) -> Gap {
    largest_gap(difference, obb, false).unwrap_or(Gap::new(f64::NEG_INFINITY, 0.0, DVec3::ZERO))
}

/// The same, or `None` if they are certainly apart. The first facet that separates them, mostly a face, ends the
/// search.
pub(crate) fn penetration(difference: &MinkowskiDifference, obb: &Obb) -> Option<Gap> {
    let (body, center) = (DifferenceBox::new(obb), obb.center().as_dvec3());
    let is_open = |facet: Facet| {
        let gap = facet.gap(&body, center);
        gap.value >= gap.error
    };
    if difference.faces().any(is_open) {
        return None;
    }
    let frame = WideBox { center, edges: body.edges };
    if difference.frame.is_some_and(|solid| sat::candidate_axes(solid, &frame, DVec3::ZERO).is_none()) {
        return None;
    }
    largest_gap(difference, obb, true)
}

/// The largest gap over all facets; if asked to, `None` as soon as the two are certainly apart along one of them.
fn largest_gap(difference: &MinkowskiDifference, obb: &Obb, stops_apart: bool) -> Option<Gap> {
    let body = DifferenceBox::new(obb);
    let center = obb.center().as_dvec3();
    let mut best: Option<Gap> = None;
    let verdict = difference.facets_along(
        Axes::ALL,
        &body,
        #[inline(always)]
        |facet| {
            let (gap, length) = (facet.gap(&body, center), facet.normal.length());
            let found = Gap::new(gap.value / length, gap.error / length, facet.normal / length);
            best = Some(best.map_or(found, |best| best.or(found)));
            if stops_apart && found.is_apart() { Break(()) } else { Continue(()) }
        },
    );
    best.filter(|_| verdict.is_continue())
}
