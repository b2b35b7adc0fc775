//! The public sweeps of a translating box against each solid.

use super::BoxSweep;
use crate::{
    Aabb, Brush, Obb, Patch, Sweep, Triangle,
    arrays::Mapped,
    exact::{ROUNDING, predicate::exact_sum},
    minkowski::box_solid::BoxSolid,
    sweep::passing,
};
use glam::Vec3;

impl BoxSweep {
    /// Returns the first touch of `brush`.
    ///
    /// * [`Sweep::Hit`] if the interiors do not overlap at the start and would before the end. Entry is decided on
    ///   every separating axis: faces of the brush, faces of the box, and pairs of edges.
    /// * [`Sweep::Overlap`] if the interiors overlap at the start, with the shortest way out.
    /// * [`Sweep::Clear`] otherwise: also if the box only brushes past an edge, slides along a face or moves away from
    ///   it.
    ///
    /// Decided in `f64`; a start within rounding of touching counts as touching. `position` is exact: the `f32` box
    /// there does not penetrate.
    ///
    /// Source: exact planes and edges as in Ericson, "Real-Time Collision Detection", §5.5.8.
    pub(crate) fn against_brush(&self, brush: &Brush) -> Sweep {
        self.against_difference(&brush.difference())
    }

    /// Returns the first touch of `patch`, from either side; as for a brush of zero thickness. A box that the patch
    /// cuts overlaps it.
    pub(crate) fn against_patch(&self, patch: &Patch) -> Sweep {
        self.against_difference(&patch.polygon().difference())
    }

    /// Returns the same when the first of many triangles is sought: a touch certainly later than `until`, a fraction of
    /// the motion, may be left out, and the answer then is [`Sweep::Clear`]. Overlaps are reported whatever the limit.
    pub(crate) fn against_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        if passing::of_box(self.body(), self.motion()).is_some_and(|body| body.passes_by(triangle, until.into())) {
            return Sweep::Clear;
        }
        self.against_near_triangle_until(triangle, until)
    }

    /// Returns the same for a triangle that [`BodyWay::touches`](crate::BodyWay::touches) has reported: filtered once
    /// is enough.
    pub(crate) fn against_near_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        self.against_difference_until(&triangle.wide().polygon().difference(), until.into())
    }

    /// Returns the same for a triangle that yields to what the box hits at the time `first`: a touch whose
    /// [time](crate::SweepHit::toi) is not before that is left out, and the answer then is [`Sweep::Clear`]. On flat
    /// ground a box comes down on many triangles at the same time, and where it touches each need not be computed.
    pub(crate) fn against_near_triangle_before(&self, triangle: &Triangle, first: f32) -> Sweep {
        // Times of impact are rounded toward zero.
        let until = if first < 1.0 { f64::from(first).next_down() } else { 1.0 };
        self.against_difference_until(&triangle.wide().polygon().difference(), until)
    }

    /// Returns the first touch of `aabb`, as for a [`Brush`](crate::Brush) of six planes. For a box whose edges run
    /// along x, y and z this is the slab test, and whether it overlaps, approaches and arrives is exact along each
    /// axis.
    pub(crate) fn against_aabb(&self, aabb: &Aabb) -> Sweep {
        if stays_beside(aabb, self.body(), self.motion()) {
            return Sweep::Clear;
        }
        self.against_difference(&BoxSolid::from(aabb).difference())
    }

    /// Returns the first touch of a fixed oriented box.
    pub(crate) fn against_obb(&self, obb: &Obb) -> Sweep {
        self.against_difference(&BoxSolid::from(obb).difference())
    }
}

/// Whether a box certainly lies beyond one side of another, perhaps touching it, and does not move toward it, or not
/// far enough. This is so for most boxes that it stands on or beside.
pub(crate) fn stays_beside(aabb: &Aabb, body: &Obb, motion: Vec3) -> bool {
    let rows = body.rows();
    (0..3).any(|axis| {
        let [a, b, c, center] = rows[axis].to_array().mapped(f64::from);
        let [min, max, motion] = [aabb.min()[axis], aabb.max()[axis], motion[axis]].mapped(f64::from);
        let reaches = [-a.abs(), -b.abs(), -c.abs()];
        let reach: f64 = reaches.iter().sum();
        let error = 8.0 * ROUNDING * (center.abs() + min.abs() + max.abs() - reach + motion.abs());
        [(center, -max, motion), (-center, min, -motion)].into_iter().any(|(center, side, departure)| {
            let gap = center + side + reach;
            gap > error && gap + departure > error
                || departure >= 0.0
                    && gap >= -error
                    && exact_sum([center, side].into_iter().chain(reaches)).is_some_and(|gap| gap >= 0.0)
        })
    })
}
