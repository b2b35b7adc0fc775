//! Brute force: each leaf's box on its own, in scalar arithmetic, by the formulas that the queries document. A tree of
//! any shape gives the same answers, bit for bit.

use super::{history::Item, question::Question};
use cullide_bvh::narrowphase::{
    Aabb, Obb, Plane, Side, Sphere,
    glam::{DVec3, Vec3},
};

/// Leaves by number; `None` where there is none.
#[derive(Debug)]
pub struct Scan {
    /// By number; `None` where a leaf was removed.
    pub leaves: Vec<Option<Item>>,
}

/// A leaf's number and the bits of the distance it was shown with.
pub type Shown = Vec<(usize, u32)>;

const EPSILON: f32 = f32::EPSILON;

impl Scan {
    /// A list of these items.
    pub fn new(items: &[Item]) -> Self {
        Self { leaves: items.iter().copied().map(Some).collect() }
    }

    /// The leaves with a layer in `mask`.
    pub fn matching(&self, mask: u32) -> impl Iterator<Item = (usize, Aabb)> + '_ {
        let leaves =
            self.leaves.iter().enumerate().filter_map(|(i, leaf)| leaf.map(|(aabb, layers)| (i, aabb, layers)));
        leaves.filter(move |(.., layers)| layers & mask != 0).map(|(i, aabb, _)| (i, aabb))
    }

    /// The leaves that a path meets, each with the bits of its entry.
    pub fn cast(&self, question: &Question, mask: u32) -> Shown {
        let probe = Slabs::new(question);
        self.matching(mask).filter_map(|(i, aabb)| Some((i, probe.entry(&aabb)?.to_bits()))).collect()
    }

    /// The leaf that a path meets first, and where; of several, the one with the smallest number.
    pub fn closest(&self, question: &Question, mask: u32) -> Option<(usize, f32)> {
        let shown = self.cast(question, mask).into_iter().map(|(i, bits)| (i, f32::from_bits(bits)));
        shown.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
    }

    /// The leaves that touch a box.
    pub fn overlap_aabb(&self, volume: &Aabb, mask: u32) -> Vec<usize> {
        let touches =
            |aabb: &Aabb| (0..3).all(|i| aabb.min()[i] <= volume.max()[i] && volume.min()[i] <= aabb.max()[i]);
        self.matching(mask).filter(|(_, aabb)| touches(aabb)).map(|(i, _)| i).collect()
    }

    /// The leaves that touch an OBB, by the axes of space and the three face axes of the volume.
    pub fn overlap_obb(&self, obb: &Obb, mask: u32) -> Vec<usize> {
        let (center, edges) = (obb.center().as_dvec3(), obb.half_edges().map(Vec3::as_dvec3));
        let separates = |i: usize, aabb: &Aabb| {
            let across = edges[(i + 1) % 3].cross(edges[(i + 2) % 3]);
            let axis = if across == DVec3::ZERO { edges[i] } else { across };
            let axis = axis / axis.abs().max_element().max(f64::MIN_POSITIVE);
            let size = center.abs() + edges[0].abs() + edges[1].abs() + edges[2].abs();
            let error = 32.0 * f64::EPSILON * axis.abs().dot(size);
            let reach = edges.iter().map(|edge| axis.dot(*edge).abs()).sum::<f64>() + error;
            let middle = axis.dot(center);
            side_of_slab(axis, middle - reach, middle + reach, aabb) != Side::Straddling
        };
        self.matching(mask)
            .filter(|(_, aabb)| obb.aabb().overlaps(aabb) && (0..3).all(|i| !separates(i, aabb)))
            .map(|(i, _)| i)
            .collect()
    }

    /// The leaves that touch a sphere, up to rounding.
    pub fn overlap_sphere(&self, sphere: &Sphere, mask: u32) -> Vec<usize> {
        let reach = sphere.radius() * sphere.radius() * (1.0 + 8.0 * EPSILON) + f32::MIN_POSITIVE;
        let touches = |aabb: &Aabb| distance_squared(aabb, sphere.center()) <= reach;
        self.matching(mask).filter(|(_, aabb)| touches(aabb)).map(|(i, _)| i).collect()
    }

    /// The leaves within a distance of a point, each with the bits of its own distance.
    pub fn nearest(&self, point: Vec3, max_distance: f32, mask: u32) -> Shown {
        if !(max_distance >= 0.0 && point.is_finite()) {
            return vec![];
        }
        let limit = max_distance * max_distance * (1.0 + 8.0 * EPSILON) + f32::MIN_POSITIVE;
        let shrink = 1.0 - 4.0 * EPSILON;
        let lower_bound = |aabb: &Aabb| {
            let square = distance_squared(aabb, point) * shrink;
            (square <= limit).then(|| (square.min(f32::MAX) - f32::MIN_POSITIVE).max(0.0).sqrt() * shrink)
        };
        self.matching(mask).filter_map(|(i, aabb)| Some((i, lower_bound(&aabb)?.to_bits()))).collect()
    }

    /// Each leaf with its side of the plane.
    pub fn classify(&self, plane: &Plane, mask: u32) -> Vec<(usize, Side)> {
        self.matching(mask).map(|(i, aabb)| (i, side(plane, &aabb))).collect()
    }

    /// The leaves that no plane excludes, each with its undecided planes.
    pub fn cull(&self, planes: &[Plane], mask: u32) -> Shown {
        let undecided = |aabb: &Aabb| {
            planes.iter().enumerate().try_fold(0, |undecided, (i, plane)| match side(plane, aabb) {
                Side::Back => None,
                Side::Straddling => Some(undecided | 1 << i),
                Side::Front => Some(undecided),
            })
        };
        self.matching(mask).filter_map(|(i, aabb)| Some((i, undecided(&aabb)?))).collect()
    }

    /// Pairs of overlapping leaves, the smaller number first.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let all: Vec<(usize, Aabb)> =
            self.leaves.iter().enumerate().filter_map(|(i, leaf)| Some((i, (*leaf)?.0))).collect();
        let mut pairs = vec![];
        for (k, (a, aabb)) in all.iter().enumerate() {
            pairs.extend(all[k + 1..].iter().filter(|(_, other)| aabb.overlaps(other)).map(|(b, _)| (*a, *b)));
        }
        pairs
    }
}

/// `if a > b { a } else { b }`: a NaN in `a` is ignored.
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `if a < b { a } else { b }`: a NaN in `a` is ignored.
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The slab test of one probe.
struct Slabs {
    body: Aabb,
    delta: Vec3,
    limit: f32,
}

impl Slabs {
    /// Far sides, and the limit, are moved farther by this factor.
    const PAD: f32 = 1.0 + 4.0 * EPSILON;

    fn new(question: &Question) -> Self {
        let (body, delta, limit) = question.motion();
        let tiny = |x: f32| x.abs() < f32::MIN_POSITIVE;
        let covered = delta.map(|x| if tiny(x) { x } else { 0.0 });
        let body = Aabb::new(body.min() + covered.min(Vec3::ZERO), body.max() + covered.max(Vec3::ZERO))
            .expect("a box grown by less than a rounding of its bounds' range");
        let delta = delta.map(|x| if tiny(x) { 0.0 } else { x });
        Self { body, delta, limit }
    }

    fn entry(&self, aabb: &Aabb) -> Option<f32> {
        if self.limit.is_nan() || self.limit < 0.0 {
            return None;
        }
        let (mut enter, mut exit) = (0.0, self.limit * Self::PAD);
        for i in 0..3 {
            let (low, high) = (self.body.min()[i], self.body.max()[i]);
            let forward = self.delta[i] >= 0.0;
            let (near, leading) = if forward { (aabb.min()[i], high) } else { (aabb.max()[i], low) };
            let (far, trailing) = if forward { (aabb.max()[i], low) } else { (aabb.min()[i], high) };
            enter = max((near - leading) * (1.0 / self.delta[i]), enter);
            exit = min((far - trailing) * (Self::PAD * (1.0 / self.delta[i])), exit);
        }
        (enter <= exit).then_some(enter.abs())
    }
}

fn distance_squared(aabb: &Aabb, point: Vec3) -> f32 {
    let apart = |i: usize| {
        let apart = max(max(aabb.min()[i] - point[i], point[i] - aabb.max()[i]), 0.0);
        apart * apart
    };
    apart(0) + apart(1) + apart(2)
}

fn side(plane: &Plane, aabb: &Aabb) -> Side {
    let at = -f64::from(plane.d());
    side_of_slab(plane.normal().as_dvec3(), at, at, aabb)
}

/// On which side of the points with `low <= normal · p <= high` a box certainly lies; each product and limit is widened
/// by its own rounding error.
fn side_of_slab(normal: DVec3, low: f64, high: f64, aabb: &Aabb) -> Side {
    const MARGIN: f64 = 4.0 * EPSILON as f64;
    let stored = |x: f64, by: f64| (x * (1.0 + by)) as f32;
    let term = |axis: usize, vertex: Vec3, choose: fn(f32, f32) -> f32| {
        let (x, bound) = (normal[axis], vertex[axis]);
        if x == 0.0 {
            return 0.0;
        }
        // The smaller component is rounded toward zero, the larger one away from it, both by a whole step.
        let (smaller, larger) = (stored(x.abs(), -MARGIN).next_down().max(0.0), stored(x.abs(), MARGIN).next_up());
        choose(bound * smaller.copysign(x as f32), bound * larger.copysign(x as f32))
    };
    let sum = |vertex: Vec3, choose| term(0, vertex, choose) + term(1, vertex, choose) + term(2, vertex, choose);
    let lost = f64::from(f32::MIN_POSITIVE);
    let upward = normal.cmpge(DVec3::ZERO);
    if sum(Vec3::select(upward, aabb.min(), aabb.max()), min) > round_up(high + lost) {
        Side::Front
    } else if sum(Vec3::select(upward, aabb.max(), aabb.min()), max) < -round_up(lost - low) {
        Side::Back
    } else {
        Side::Straddling
    }
}

/// The smallest `f32` not below `x`.
fn round_up(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x { rounded.next_up() } else { rounded }
}
