//! The faces of a box and a convex solid that face each other along a normal, and their heights at each place.
//!
//! Seen along the normal, both are graphs over the plane perpendicular to it: at each place the underside of the box is
//! the maximum of its lower faces' planes, and the upper side of the solid is the minimum of its upper faces' planes.
//! The separation at a place is the difference of the two.

use super::contacts::FEATURE_ANGLE;
use crate::{BrushEdge, FeatureId, exact::vector, minkowski::MinkowskiDifference};
use arrayvec::ArrayVec;
use glam::DVec3;
use smallvec::SmallVec;

/// A point, a segment, or a convex polygon in cyclic order.
pub(crate) type Outline = SmallVec<[DVec3; 16]>;

/// A plane whose normal has a cosine below this, 2^-10, with the normal along which it is seen is too steep to have a
/// well-defined height at a place.
const STEEP: f64 = 1.0 / 1024.0;

/// A corner with a sine below this, 2^-30, lies on a side up to rounding.
pub(super) const FLAT: f64 = 1.0 / (1u64 << 30) as f64;

/// The lower face of a box; for a rod its edge, for a point the point itself.
pub(super) struct Underside {
    middle: DVec3,
    /// The half edges that span it, by number.
    axes: ArrayVec<(usize, DVec3), 2>,
    /// The vertex at the lower ends of these edges.
    first: usize,
    /// `slope · x = level` for all its points, and `slope · normal = 1`.
    slope: DVec3,
    level: f64,
}

impl Underside {
    /// Finds the face at the box's lowest feature that opposes the unit `normal` most, for the box with these half
    /// edges around `center`. Both ends of the `varied` edges belong to that feature.
    pub(super) fn new(center: DVec3, edges: [DVec3; 3], varied: [bool; 3], normal: DVec3) -> Self {
        let end = |i: usize| if edges[i].dot(normal) < 0.0 { 1.0 } else { -1.0 };
        let looks_down = |up: usize| {
            let face = edges[(up + 1) % 3].cross(edges[(up + 2) % 3]);
            let side = face.dot(edges[up]) * end(up);
            // A flat box faces both ways.
            let side = if side == 0.0 { -face.dot(normal) } else { side };
            -face.dot(normal) * side.signum() / face.length()
        };
        let most = |up: Option<usize>, i: usize| match up {
            Some(best) if looks_down(best) >= looks_down(i) => up,
            _ => (looks_down(i) > 0.0).then_some(i).or(up),
        };
        let free = (0..3).filter(|&i| !varied[i]);
        let up = free.fold(None, most).or_else(|| (0..3).fold(None, most));
        let mut axes: ArrayVec<(usize, DVec3), 2> = match up {
            Some(up) => (0..3).filter(|&i| i != up).map(|i| (i, edges[i])).collect(),
            // A rod: the one edge that is not zero; but if the rod is seen end-on, one of its ends.
            None => (0..3)
                .filter(|&i| across(edges[i], normal).length() > STEEP * edges[i].length())
                .map(|i| (i, edges[i]))
                .take(1)
                .collect(),
        };
        axes.retain(|(_, edge)| *edge != DVec3::ZERO);
        let fixed = (0..3).filter(|&i| axes.iter().all(|(axis, _)| *axis != i) && edges[i] != DVec3::ZERO);
        let (middle, first) = fixed.fold((center, 0), |(middle, first), i| {
            (middle + edges[i] * end(i), first | usize::from(end(i) > 0.0) << i)
        });
        let slope = match axes[..] {
            [(_, a), (_, b)] if a.cross(b).dot(normal).abs() > STEEP * a.cross(b).length() => {
                a.cross(b) / a.cross(b).dot(normal)
            }
            [(_, a)] => slope_of(a, normal),
            _ => normal,
        };
        Self { middle, axes, first, slope, level: slope.dot(middle) }
    }

    /// Returns its corners; those of a face are in the order of [`FeatureId::vertices`](super::FeatureId::vertices).
    pub(super) fn outline(&self) -> Outline {
        let middle = self.middle;
        match self.axes[..] {
            [(_, a), (_, b)] => SmallVec::from_slice(&[middle + a + b, middle + a - b, middle - a - b, middle - a + b]),
            [(_, a)] => SmallVec::from_slice(&[middle + a, middle - a]),
            _ => SmallVec::from_slice(&[middle]),
        }
    }

    /// Returns which of the box's vertices its corners are.
    pub(super) fn id(&self) -> FeatureId {
        FeatureId::new(self.axes.iter().fold(1 << self.first, |mask, (axis, _)| mask | mask << (1 << axis)))
    }

    /// Returns how far the underside is above `point`, along the normal.
    pub(super) fn above(&self, point: DVec3) -> f64 {
        self.level - self.slope.dot(point)
    }

    /// Returns where a point of the underside lies along each of its edges, from −1 to 1.
    fn coordinates(&self, point: DVec3) -> [f64; 2] {
        let offset = point - self.middle;
        match self.axes[..] {
            [(_, a), (_, b)] => {
                let across = a.cross(b);
                let area = across.length_squared();
                [offset.cross(b).dot(across) / area, a.cross(offset).dot(across) / area]
            }
            [(_, a)] => [offset.dot(a) / a.length_squared(), 0.0],
            _ => [0.0; 2],
        }
    }

    /// Returns the smallest vertex, edge or face of the box that contains all these points of the underside.
    pub(super) fn spanned(&self, points: impl Iterator<Item = DVec3>) -> FeatureId {
        let (mut min, mut max) = ([1.0; 2], [-1.0; 2]);
        for point in points {
            let at = self.coordinates(point);
            for i in 0..2 {
                (min[i], max[i]) = (at[i].min(min[i]), at[i].max(max[i]));
            }
        }
        let mut mask = 1u8 << self.first;
        for (i, (axis, _)) in self.axes.iter().enumerate() {
            if min[i] > 1.0 - ENDS {
                mask <<= 1 << axis;
            } else if max[i] >= -1.0 + ENDS {
                mask |= mask << (1 << axis);
            }
        }
        FeatureId::new(mask)
    }

    /// Returns the half edges along which two points of the underside differ.
    pub(super) fn between(&self, a: DVec3, b: DVec3) -> impl Iterator<Item = usize> {
        let (a, b) = (self.coordinates(a), self.coordinates(b));
        let differs = move |i: usize| (a[i] - b[i]).abs() > ENDS;
        self.axes.iter().enumerate().filter(move |(i, _)| differs(*i)).map(|(_, (axis, _))| *axis)
    }
}

/// A point no farther from the end of an edge than this share of the half edge is that end, up to rounding.
const ENDS: f64 = 1.0 / (1u64 << 30) as f64;

/// The component of a vector perpendicular to a unit `normal`.
pub(super) fn across(v: DVec3, normal: DVec3) -> DVec3 {
    v - normal * v.dot(normal)
}

/// Returns a normal of the plane that contains `along` and the direction perpendicular to both `along` and `normal`,
/// scaled so that its dot product with `normal` is one.
fn slope_of(along: DVec3, normal: DVec3) -> DVec3 {
    let aside = across(along, normal);
    let (rise, run) = (along.dot(normal), aside.length_squared());
    if run > STEEP * STEEP * along.length_squared() { normal - aside * (rise / run) } else { normal }
}

/// The upper side of a convex solid.
pub(crate) struct Upside<'a> {
    difference: &'a MinkowskiDifference<'a>,
    normal: DVec3,
    /// How high the solid reaches.
    pub(super) top: f64,
    /// Its outermost points, counter-clockwise about the normal.
    pub(crate) outline: Outline,
}

impl<'a> Upside<'a> {
    /// The points of the solid that lie highest along the unit `normal`.
    pub(crate) fn highest(difference: &'a MinkowskiDifference<'a>, normal: DVec3, top: f64) -> Self {
        let is_high = levels(difference, normal);
        let outline = outermost(difference.vertices.iter().copied().filter(is_high), normal);
        Self { difference, normal, top, outline }
    }

    /// The face of the solid at its highest points that is most perpendicular to the unit `normal`, and all points no
    /// more than `margin` lower than the highest.
    pub(super) fn within(difference: &'a MinkowskiDifference<'a>, normal: DVec3, top: f64, margin: f64) -> Self {
        let is_high = levels(difference, normal);
        let face = facing(difference, normal, &is_high);
        let is_corner = |v: usize| {
            let ends_there = |edge: &&BrushEdge| edge.vertices.contains(&v);
            face.is_some_and(|face| difference.edges.iter().filter(ends_there).any(|edge| edge.faces.contains(&face)))
        };
        let is_near = |v: &DVec3| top - normal.dot(*v) <= margin;
        let points = difference.vertices.iter().copied().enumerate();
        let outside = points.filter(|(i, v)| is_near(v) || is_high(v) || is_corner(*i)).map(|(_, v)| v);
        Self { difference, normal, top, outline: outermost(outside, normal) }
    }

    /// Returns how far the upper side is above a point within the outline, along the normal.
    pub(super) fn above(&self, point: DVec3) -> f64 {
        let level = self.top - self.normal.dot(point);
        if let [a, b] = self.outline[..] {
            return slope_of(b - a, self.normal).dot(a - point);
        }
        // Where a side is nearly upright, the height there is known from the sides that are not.
        let planes = self.difference.planes.iter().map(|plane| (plane, plane.normal.dot(self.normal)));
        let upper = planes.filter(|(plane, up)| *up > STEEP * plane.normal.length());
        upper.map(|(plane, up)| (plane.distance - plane.normal.dot(point)) / up).fold(level, f64::min)
    }
}

/// Whether a vertex is as high as the highest along `normal`, up to the angle at which an edge counts as parallel.
fn levels(difference: &MinkowskiDifference, normal: DVec3) -> impl Fn(&DVec3) -> bool {
    let height = |v: &DVec3| normal.dot(*v);
    let first = difference
        .vertices
        .iter()
        .copied()
        .fold(difference.vertices[0], |a, b| if height(&b) > height(&a) { b } else { a });
    let slack = 2.0 * difference.vertex_error;
    move |v: &DVec3| normal.dot(first - *v) <= FEATURE_ANGLE * v.distance(first) + slack
}

/// Of the faces that have the most of the highest vertices, the one most perpendicular to `normal`.
fn facing(difference: &MinkowskiDifference, normal: DVec3, is_high: impl Fn(&DVec3) -> bool) -> Option<usize> {
    let mut ends: SmallVec<[usize; 16]> = SmallVec::from_elem(0, difference.planes.len());
    for edge in difference.edges {
        let high = edge.vertices.iter().filter(|v| is_high(&difference.vertices[**v])).count();
        edge.faces.iter().for_each(|face| ends[*face] += high);
    }
    let lean = |face: usize| difference.planes[face].normal.dot(normal) / difference.planes[face].normal.length();
    let upper = (0..difference.planes.len()).filter(|&face| lean(face) > STEEP && ends[face] > 0);
    upper.max_by(|&a, &b| ends[a].cmp(&ends[b]).then(lean(a).total_cmp(&lean(b))))
}

/// The outermost of some points as seen along `normal`, counter-clockwise about it.
fn outermost(points: impl Iterator<Item = DVec3>, normal: DVec3) -> Outline {
    let mut outer = Outline::new();
    for point in points {
        // A flat box has each of its vertices twice, a rod four times.
        if !outer.contains(&point) {
            outer.push(point);
        }
    }
    if outer.len() > 2 {
        sort_around(&mut outer, normal);
        // The upper and the lower end of a thin solid may both be among them, the smaller one within the other.
        let is_inner = |outer: &Outline, i: usize| {
            let (a, b, c) = (outer[(i + outer.len() - 1) % outer.len()], outer[i], outer[(i + 1) % outer.len()]);
            let (before, after) = (b - a, c - b);
            normal.dot(before.cross(after)) < -FLAT * before.length() * after.length()
        };
        while let Some(inner) = (0..outer.len()).find(|&i| is_inner(&outer, i)) {
            outer.remove(inner);
        }
    }
    outer
}

/// Sorts points into the order in which they lie around their middle, counter-clockwise about `normal`.
fn sort_around(points: &mut [DVec3], normal: DVec3) {
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let y = vector::perpendicular(normal);
    let x = y.cross(normal);
    let turn = |point: &DVec3| turn(x.dot(*point - middle), y.dot(*point - middle));
    points.sort_unstable_by(|a, b| turn(a).total_cmp(&turn(b)));
}

/// Grows with the angle of `(x, y)`, from 0 to 4.
fn turn(x: f64, y: f64) -> f64 {
    let along = x / (x.abs() + y.abs());
    if y >= 0.0 { 1.0 - along } else { 3.0 + along }
}
