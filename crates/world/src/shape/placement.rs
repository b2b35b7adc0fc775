//! Where a composite shape is placed: the map from its own coordinates to those of the world.
//!
//! ```text
//!   own  ── linear · p + translation, in f64, rounded once ──►  world
//!   own  ◄── inverse, with a margin for that rounding ────────  what is asked
//! ```

use crate::{
    character::platform::Frame,
    shape::transform::{matrix, pose_of},
};
use cullide_bvh::{Probe, Visit};
use cullide_narrowphase::{
    Aabb, Containment, Error, Frustum, Listed, MAX_COORDINATE, Mapped, Path, Plane,
    glam::{DMat3, DVec3, Quat, Vec3},
};
use smallvec::SmallVec;

/// An invertible map from a shape's own coordinates to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    linear: DMat3,
    translation: DVec3,
    /// The inverse of `linear`, up to rounding.
    inverse: DMat3,
    /// How far a part may reach beyond its box in own coordinates, apart from the rounding of its corners.
    slack: f64,
    /// Whether points stay where they were given.
    is_identity: bool,
    is_mirrored: bool,
    size: Size,
}

/// How a map changes lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Size {
    /// Not at all: it rotates and translates, and does not mirror.
    Kept,
    /// All by this factor; it may mirror.
    Alike(f64),
    /// By different factors along different axes.
    Unlike,
}

impl Size {
    /// Classifies a map with this linear part. If it is made of a rotation and a scale in `f32`, the factor is exactly
    /// that scale.
    fn of(linear: &DMat3, is_mirrored: bool) -> Self {
        let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis];
        let length = x.length();
        let is_alike = |other: f64| (other - length).abs() <= SKEW * length;
        let is_across = |a: DVec3, b: DVec3| a.dot(b).abs() <= SKEW * length * length;
        if !(is_alike(y.length()) && is_alike(z.length()) && is_across(x, y) && is_across(y, z) && is_across(z, x)) {
            return Self::Unlike;
        }
        let rounded = f64::from(length as f32);
        let factor = if is_alike(rounded) { rounded } else { length };
        if factor == 1.0 && !is_mirrored { Self::Kept } else { Self::Alike(factor) }
    }
}

/// An upper bound on what rounding does to axes of the same length and at right angles, as a fraction of the length;
/// different scales in `f32` differ by more.
const SKEW: f64 = 1e-9;

/// The largest scale along an axis; the smallest is its reciprocal.
const MAX_SCALE: f64 = (1u64 << 20) as f64;

/// How much the axes of a rotation computed from other rotations may differ from orthonormal ones. Even a terrain as
/// far away as it may be, and larger by this much, is within the range of coordinates.
#[cfg(any(feature = "serde", feature = "dynamics"))]
const SLANT: f64 = 1e-3;

impl Placement {
    pub(super) const IDENTITY: Self = Self {
        linear: DMat3::IDENTITY,
        translation: DVec3::ZERO,
        inverse: DMat3::IDENTITY,
        slack: 0.0,
        is_identity: true,
        is_mirrored: false,
        size: Size::Kept,
    };

    pub(super) fn new(linear: DMat3, translation: DVec3) -> Self {
        let is_identity = linear == DMat3::IDENTITY && translation == DVec3::ZERO;
        let is_mirrored = linear.determinant() < 0.0;
        let size = Size::of(&linear, is_mirrored);
        Self { linear, translation, inverse: linear.inverse(), slack: 0.0, is_identity, is_mirrored, size }
    }

    /// Restores a saved placement, if it rotates and translates and does nothing else.
    #[cfg(any(feature = "serde", feature = "dynamics"))]
    pub(super) fn rigid(linear: DMat3, translation: DVec3) -> Result<Self, Error> {
        if !linear.is_finite() || !translation.is_finite() {
            return Err(Error::NonFinite { field: "linear" });
        }
        let axes = [linear.x_axis, linear.y_axis, linear.z_axis];
        let is_unit = |axis: &DVec3| (axis.length() - 1.0).abs() <= SLANT;
        let is_right_handed = (axes[0].cross(axes[1]) - axes[2]).length() <= SLANT;
        if !(axes.iter().all(is_unit) && is_right_handed) {
            return Err(Error::OutOfRange { field: "linear" });
        }
        Ok(Self::new(linear, translation))
    }

    /// Returns the same placement for parts that may reach this far beyond their boxes.
    pub(super) fn with_slack(self, slack: f64) -> Self {
        Self { slack, ..self }
    }

    /// Returns the map that scales along the axes, then rotates, then translates.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::ZeroDirection`] for a rotation of length zero, [`Error::OutOfRange`] for a scale
    /// beyond 2^±20.
    pub(super) fn scaled(rotation: Quat, translation: Vec3, scale: Vec3) -> Result<Self, Error> {
        for (v, field) in [(translation, "translation"), (scale, "scale")] {
            if !v.is_finite() {
                return Err(Error::NonFinite { field });
            }
        }
        if !rotation.is_finite() {
            return Err(Error::NonFinite { field: "rotation" });
        }
        let turn = matrix(rotation).ok_or(Error::ZeroDirection { field: "rotation" })?;
        let scale = scale.as_dvec3();
        let is_in_range = |x: f64| (1.0 / MAX_SCALE..=MAX_SCALE).contains(&x.abs());
        if !scale.to_array().into_iter().all(is_in_range) {
            return Err(Error::OutOfRange { field: "scale" });
        }
        let linear = DMat3::from_cols(turn.x_axis * scale.x, turn.y_axis * scale.y, turn.z_axis * scale.z);
        Ok(Self::new(linear, translation.as_dvec3()))
    }

    /// Restores a saved placement.
    ///
    /// # Errors
    /// [`Error::NonFinite`], and [`Error::OutOfRange`] for a determinant beyond 2^±60, such as that of a map that
    /// flattens, which has no inverse.
    #[cfg(any(feature = "serde", feature = "dynamics"))]
    pub(super) fn restored(linear: DMat3, translation: DVec3) -> Result<Self, Error> {
        if !linear.is_finite() || !translation.is_finite() {
            return Err(Error::NonFinite { field: "linear" });
        }
        let determinant = linear.determinant().abs();
        if !(MAX_SCALE.powi(-3)..=MAX_SCALE.powi(3)).contains(&determinant) {
            return Err(Error::OutOfRange { field: "linear" });
        }
        Ok(Self::new(linear, translation))
    }

    /// Returns this placement followed by another map, mostly a rotation and a translation. Successive rotations, each
    /// of them rounded, leave the size as it is.
    pub(super) fn then(&self, map: &DMat3, shift: DVec3) -> Self {
        let then = Self::new(*map * self.linear, *map * self.translation + shift);
        let is_turn = Size::of(map, map.determinant() < 0.0) == Size::Kept;
        Self { size: if is_turn { self.size } else { then.size }, ..then }
    }

    /// Returns the rotation of the linear part and what is applied before it: the linear part is `rotation · scale`. If
    /// that is a scale along the axes in `f32`, it is returned exactly, with any mirroring along the last axis.
    ///
    /// Source: Golub and Van Loan, *Matrix Computations*, §5.2 (Gram and Schmidt).
    pub(super) fn rotation_and_scale(&self) -> (DMat3, DMat3) {
        let [a, b, c] = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis];
        let x = a / a.length();
        let y = b - x * x.dot(b);
        let y = y / y.length();
        let z = x.cross(y);
        let along = |v: DVec3| {
            let rounded = |part: f64| {
                let is_near = |other: &f64| (part - other).abs() <= SKEW * v.length();
                [0.0, f64::from(part as f32)].into_iter().find(is_near).unwrap_or(part)
            };
            DVec3::new(rounded(x.dot(v)), rounded(y.dot(v)), rounded(z.dot(v)))
        };
        (DMat3::from_cols(x, y, z), DMat3::from_cols(along(a), along(b), along(c)))
    }

    /// Returns the pose that takes what is placed like this to `other`: `pose` itself, if that does.
    pub(super) fn pose_to(&self, other: &Self, pose: (Quat, Vec3)) -> (Quat, Vec3) {
        let posed = matrix(pose.0).map(|turn| self.then(&turn, pose.1.as_dvec3()));
        if posed.is_some_and(|posed| (posed.linear, posed.translation) == (other.linear, other.translation)) {
            return pose;
        }
        // A compound that is a body has the scale baked into its children.
        let is_baked = other.size == Size::Kept && self.size != Size::Kept;
        let inverse = if is_baked { self.rotation_and_scale().0.transpose() } else { self.inverse_linear() };
        let turn = other.linear * inverse;
        pose_of(&turn, other.translation - turn * self.translation)
    }

    #[inline]
    pub(super) fn is_identity(&self) -> bool {
        self.is_identity
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    pub(super) fn is_mirrored(&self) -> bool {
        self.is_mirrored
    }

    /// The inverse of the linear part, up to rounding; for one that only rotates, exactly the transpose.
    pub(super) fn inverse_linear(&self) -> DMat3 {
        if self.size == Size::Kept { self.linear.transpose() } else { self.inverse }
    }

    pub(super) fn linear(&self) -> &DMat3 {
        &self.linear
    }

    pub(super) fn translation(&self) -> DVec3 {
        self.translation
    }

    /// Returns the placed frame: where the origin is, and unit vectors along the axes.
    pub(super) fn frame(&self) -> Frame {
        let axes = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].mapped(|axis| axis / axis.length());
        Frame { origin: self.translation, axes }
    }

    /// Returns the placed corners of a triangle, counter-clockwise seen from its front.
    #[inline]
    pub(super) fn corners(&self, corners: [Vec3; 3]) -> [Vec3; 3] {
        if self.is_identity { corners } else { self.placed(corners) }
    }

    /// The same for a placement that is not the identity.
    #[inline(never)]
    pub(super) fn placed(&self, corners: [Vec3; 3]) -> [Vec3; 3] {
        let [a, b, c] = corners.mapped(|p| (self.linear * p.as_dvec3() + self.translation).as_vec3());
        if self.is_mirrored { [a, c, b] } else { [a, b, c] }
    }

    /// Returns a box around a placed box, with a margin for rounding.
    pub(super) fn bounds_of(&self, aabb: &Aabb) -> Result<Aabb, Error> {
        if self.is_identity {
            return Ok(*aabb);
        }
        let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
        let [x, y, z] = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].mapped(DVec3::abs);
        let (center, half) = (self.linear * (0.5 * (min + max)) + self.translation, 0.5 * (max - min));
        let half = x * half.x + y * half.y + z * half.z;
        let half = half + (center.abs() + half) * f64::from(f32::EPSILON);
        Aabb::new((center - half).as_vec3(), (center + half).as_vec3())
            .map_err(|_| Error::OutOfRange { field: "translation" })
    }

    /// Returns a box in own coordinates around all corners whose placed positions lie in `bounds`, for a shape that
    /// lies in `whole` once placed; `None` if the box would leave the range of coordinates.
    pub(super) fn local(&self, bounds: &Aabb, whole: &Aabb) -> Option<Aabb> {
        if self.is_identity {
            return Some(*bounds);
        }
        let (center, half) = (bounds.center().as_dvec3(), bounds.half_extents().as_dvec3());
        // Rounding moved each corner by half a step of f32 at most, and the bounds' own centre and half extents
        // likewise.
        let [min, max] = [whole.min(), whole.max()].mapped(|corner| corner.as_dvec3().abs());
        let size = min.max(max).max_element().max(center.abs().max_element() + half.max_element());
        let half = half + DVec3::splat(size * f64::from(f32::EPSILON));
        let [x, y, z] = [self.inverse.x_axis, self.inverse.y_axis, self.inverse.z_axis].mapped(DVec3::abs);
        let (center, half) = (self.inverse * (center - self.translation), x * half.x + y * half.y + z * half.z);
        let error = (center.abs() + half) * f64::from(f32::EPSILON) + self.slack;
        Aabb::new((center - half - error).as_vec3(), (center + half + error).as_vec3()).ok()
    }

    /// Returns a box as [`Placement::local`] does, for a shape that lies in `whole` once placed and in `own` in its own
    /// coordinates, and how far in own coordinates what is within a distance of it once placed may be; infinity if the
    /// box would leave the range of coordinates.
    pub(super) fn local_around(&self, bounds: &Aabb, whole: &Aabb, own: &Aabb) -> (Aabb, impl Fn(f64) -> f32 + use<>) {
        let (stretch, far) = (self.stretch() * (1.0 + 1e-6), bounds.min().abs().max(bounds.max().abs()));
        let error = self.local_error(far.as_dvec3(), whole);
        let (local, is_all) = self.local(bounds, whole).map_or((*own, true), |local| (local, false));
        let reach = move |within: f64| {
            if is_all { f32::INFINITY } else { ((within.max(0.0) * stretch + error) as f32).next_up() }
        };
        (local, reach)
    }

    /// Returns a moving box as a tree in own coordinates takes it, for a shape that lies in `whole` once placed; `None`
    /// if that would leave the range of coordinates.
    pub(super) fn local_sweep(&self, around: &Aabb, motion: Vec3, whole: &Aabb) -> Option<Probe> {
        let wide = self.local_motion(motion.as_dvec3());
        let local = self.local(around, whole)?;
        let local = local.expanded(margin(&local, wide));
        stays_in_range(&local, wide.as_vec3()).then(|| Probe::swept(&local, wide.as_vec3()))
    }

    /// Returns a path as a tree in own coordinates takes it; `None` if it does not meet `whole`, in which the placed
    /// shape lies, nor `own`, in which it lies in own coordinates.
    pub(super) fn local_path(&self, path: &Path, whole: &Aabb, own: &Aabb) -> Option<LocalPath> {
        let times = times_in(whole, path)?;
        self.local_piece(path, times, whole).or_else(|| {
            // A point beside a large shape, or one that is flattened strongly, may be out of range in its own coordinates.
            let times = self.times_near(own, path, times, whole)?;
            let all = || LocalPath { probe: Probe::swept(own, Vec3::ZERO), start: times.0, end: times.1 };
            Some(self.local_piece(path, times, whole).unwrap_or_else(all))
        })
    }

    /// Returns times between which a path is in a box in own coordinates, possibly some before and after, out of those
    /// between which it is in `whole`; `None` if it misses the box.
    fn times_near(&self, own: &Aabb, path: &Path, (start, end): (f64, f64), whole: &Aabb) -> Option<(f64, f64)> {
        let [from, to] = [start, end].mapped(|time| path.origin() + path.delta() * time);
        let error = DVec3::splat(self.local_error(from, whole));
        let bounds = [own.min().as_dvec3() - error, own.max().as_dvec3() + error];
        let (first, last) = times_between(bounds, self.local_point(from), self.local_motion(to - from), 1.0)?;
        Some((start + (end - start) * first, start + (end - start) * last))
    }

    /// Returns the piece of a path between two times, for a shape that lies in `whole` once placed; `None` if it begins
    /// out of the range of coordinates.
    fn local_piece(&self, path: &Path, (start, end): (f64, f64), whole: &Aabb) -> Option<LocalPath> {
        // As a small moving box.
        let [from, to] = [start, end].mapped(|time| path.origin() + path.delta() * time);
        let from = Aabb::new(from.as_vec3(), from.as_vec3()).ok()?;
        let wide = self.local_motion(to - from.center().as_dvec3());
        let local = self.local(&from, whole)?;
        let probe = Probe::swept(&local.expanded(margin(&local, wide)), wide.as_vec3());
        Some(LocalPath { probe, start, end })
    }

    /// Returns a plane in own coordinates, moved back by more than rounding may move it: any part of a shape in `whole`
    /// that lies in front of `plane` once placed lies in front of the returned plane. `None` if that would leave the
    /// range of coordinates.
    pub(super) fn local_plane(&self, plane: &Plane, whole: &Aabb) -> Option<Plane> {
        if self.is_identity {
            return Some(*plane);
        }
        let (normal, d) = (plane.normal().as_dvec3(), f64::from(plane.d()));
        let size = whole.min().abs().max(whole.max().abs()).max_element();
        let size = f64::from(size) + self.translation.abs().max_element() + d.abs();
        let d = d + normal.dot(self.translation) + 16.0 * f64::from(f32::EPSILON) * size + self.slack;
        Plane::new((self.linear.transpose() * normal).as_vec3(), d as f32).ok()
    }

    /// Returns the planes of a frustum likewise. A plane that is out of range is left out, so that more lies in front
    /// of the others.
    pub(super) fn local_planes(&self, frustum: &Frustum, whole: &Aabb) -> SmallVec<[Plane; Frustum::MAX_PLANES]> {
        frustum.planes().iter().filter_map(|plane| self.local_plane(plane, whole)).listed()
    }

    /// Classifies a box, once placed, against a frustum; [`Containment::Crossing`] if the placed box would leave the
    /// range of coordinates.
    pub(super) fn containment(&self, aabb: &Aabb, frustum: &Frustum) -> Containment {
        self.bounds_of(aabb).map_or(Containment::Crossing, |aabb| frustum.containment_of_aabb(&aabb))
    }

    /// Returns a point in own coordinates, up to rounding.
    pub(super) fn local_point(&self, point: DVec3) -> DVec3 {
        if self.is_identity { point } else { self.inverse * (point - self.translation) }
    }

    /// Returns a motion in own coordinates, up to rounding.
    pub(super) fn local_motion(&self, motion: DVec3) -> DVec3 {
        if self.is_identity { motion } else { self.inverse * motion }
    }

    /// Returns an upper bound, in own coordinates, on how far rounding may move a point, or a corner of a shape that
    /// lies in `whole` once placed.
    pub(super) fn local_error(&self, point: DVec3, whole: &Aabb) -> f64 {
        if self.is_identity {
            return 0.0;
        }
        let [min, max] = [whole.min(), whole.max()].mapped(Vec3::abs);
        let size = f64::from(min.max(max).max_element()).max(point.abs().max_element());
        4.0 * f64::from(f32::EPSILON) * self.stretch() * (size + self.translation.abs().max_element()) + self.slack
    }

    /// Returns an upper bound on the factor by which a distance is longer placed than in own coordinates.
    pub(super) fn widest(&self) -> f64 {
        match self.size {
            Size::Kept => 1.0,
            Size::Alike(factor) => factor * (1.0 + 2.0 * SKEW),
            // At most the Frobenius norm.
            Size::Unlike => {
                let [x, y, z] =
                    [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis].mapped(DVec3::length_squared);
                (x + y + z).sqrt()
            }
        }
    }

    /// Returns an upper bound on the factor by which a distance is longer in own coordinates than placed.
    pub(super) fn stretch(&self) -> f64 {
        if self.is_identity {
            return 1.0;
        }
        let [x, y, z] = [self.linear.x_axis, self.linear.y_axis, self.linear.z_axis];
        let lengths = [x, y, z].mapped(DVec3::length);
        let is_across = |a: usize, b: usize, dot: f64| dot.abs() <= SKEW * lengths[a] * lengths[b];
        if is_across(0, 1, x.dot(y)) && is_across(1, 2, y.dot(z)) && is_across(2, 0, z.dot(x)) {
            return 1.0 / lengths[0].min(lengths[1]).min(lengths[2]);
        }
        // A mesh that was rotated, and then scaled as part of a compound: at most the Frobenius norm.
        let [x, y, z] = [self.inverse.x_axis, self.inverse.y_axis, self.inverse.z_axis].mapped(DVec3::length_squared);
        (x + y + z).sqrt()
    }
}

/// The piece of a path near a placed shape, in the shape's own coordinates.
pub(super) struct LocalPath {
    pub(super) probe: Probe,
    /// The times on the path at which the piece begins and ends.
    start: f64,
    end: f64,
}

impl LocalPath {
    /// Converts a limit on the path to a fraction of the piece, plus a margin for rounding. Times slightly later than
    /// the limit may have been rounded to it.
    pub(super) fn limit(&self, limit: Visit) -> Visit {
        match limit {
            Visit::Within(limit) => {
                let share = (f64::from(limit.next_up()) - self.start) / (self.end - self.start);
                Visit::Within(if share < 1.0 { (share + 1e-6) as f32 } else { 1.0 })
            }
            other => other,
        }
    }
}

/// Whether the path of a box has bounds, that is, [`Aabb::swept`] returns some; mostly it is far from having none,
/// which is tested first.
#[inline]
pub(super) fn stays_in_range(aabb: &Aabb, motion: Vec3) -> bool {
    let farthest = aabb.min().abs().max(aabb.max().abs()) + motion.abs();
    farthest.cmple(Vec3::splat(0.5 * MAX_COORDINATE)).all() || aabb.swept(motion).is_some()
}

/// An upper bound on the error of rounding a motion to `f32`, and of its sums with a box.
pub(super) fn margin(around: &Aabb, motion: DVec3) -> f32 {
    let size = around.min().abs().max(around.max().abs()).max_element() + motion.abs().max_element() as f32;
    4.0 * f32::EPSILON * size
}

/// Returns times between which a path is in a box, possibly some before and after; `None` if it misses the box.
pub(super) fn times_in(aabb: &Aabb, path: &Path) -> Option<(f64, f64)> {
    let bounds = [aabb.min().as_dvec3(), aabb.max().as_dvec3()];
    times_between(bounds, path.origin(), path.delta(), path.max())
}

/// The same for what starts at `origin`, moves by `delta` in a unit of time, and goes on until a time.
#[inline(always)]
fn times_between(bounds: [DVec3; 2], origin: DVec3, delta: DVec3, until: f64) -> Option<(f64, f64)> {
    let (mut start, mut end) = (0.0f64, until);
    for axis in 0..3 {
        let (origin, delta) = (origin[axis], delta[axis]);
        let [min, max] = bounds.mapped(|bound| bound[axis]);
        if delta == 0.0 {
            if origin < min || origin > max {
                return None;
            }
            continue;
        }
        let times = [(min - origin) / delta, (max - origin) / delta];
        let slack = 1e-9 * (times[0].abs() + times[1].abs());
        start = start.max(times[0].min(times[1]) - slack);
        end = end.min(times[0].max(times[1]) + slack);
    }
    (start <= end && end.is_finite()).then_some((start, end))
}
