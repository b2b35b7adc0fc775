//! Which of the fifteen separating axes of two boxes may decide whether and where a moving box meets another.
//!
//! Along any axis both boxes are intervals, one of which moves: they are apart until one time, and again from a later
//! time on. The boxes meet if the latest of the former times comes before the earliest of the latter. `f64` nearly
//! always decides whether that is so, and which axes may be the latest; or, for boxes that overlap at the start, along
//! which axes they may overlap least. Only the facets of these axes are then computed with full error bounds.
//!
//! The intervals need no cross product of two edges: along `a_i × b_j` everything is a triple product, of which most
//! parts are shared.
//!
//! Source: Gottschalk, Lin and Manocha, "OBBTree", 1996, §5; Ericson, "Real-Time Collision Detection", §5.5.8.

use crate::arrays::Mapped;
use glam::DVec3;

/// The centre and half edges of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideBox {
    pub(crate) center: DVec3,
    pub(crate) edges: [DVec3; 3],
}

/// Some of the separating axes: of the first box's faces, of the second's, and of pairs of an edge of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes(u32);

impl Axes {
    pub(crate) const ALL: Self = Self(u32::MAX);

    #[cfg(test)]
    pub(crate) fn are_all(self) -> bool {
        self.0 == u32::MAX
    }

    fn which(matter: impl Iterator<Item = bool>) -> Self {
        Self(matter.enumerate().map(|(axis, matters)| u32::from(matters) << axis).sum())
    }

    /// Whether the axis of a plane of the solid is among them.
    pub(crate) fn has_own_face(self, plane: usize) -> bool {
        self.0 == u32::MAX || self.has(plane % 3)
    }

    /// Whether the axis of a face of the body is among them.
    pub(crate) fn has_face_of_body(self, i: usize) -> bool {
        self.has(3 + i)
    }

    /// Whether the axes of an edge of the solid and each edge of the body are among them.
    pub(crate) fn has_edges(self, edge: usize) -> [bool; 3] {
        // For a solid with more edges than a box, all are.
        let first = (6 + 3 * (edge / 4)).min(29);
        [self.has(first), self.has(first + 1), self.has(first + 2)]
    }

    fn has(self, axis: usize) -> bool {
        self.0 >> axis & 1 == 1
    }
}

/// More than any rounding here and in the computation of a facet, relative to the lengths multiplied.
const ERROR: f64 = 1e-12;

/// A box whose volume is a smaller share than this of the product of its edges' lengths is too flat or skewed for this
/// test.
const FLAT: f64 = 1e-6;

/// An axis along which both together extend no farther than this many errors decides nothing.
const SHORT: f64 = 1e5;

/// The axes that matter for a `body` that moves by `motion` past a box at rest; `None` if they certainly do not meet.
pub(crate) fn candidate_axes(solid: &WideBox, body: &WideBox, motion: DVec3) -> Option<Axes> {
    let (a, b) = (solid.edges, body.edges);
    let (across_a, across_b) = (across(a), across(b));
    let (volume_a, volume_b) = (a[0].dot(across_a[0]).abs(), b[0].dot(across_b[0]).abs());
    let sizes = |edges: [DVec3; 3]| edges.mapped(|edge| edge.abs().element_sum());
    let ([a0, a1, a2], [b0, b1, b2]) = (sizes(a), sizes(b));
    if volume_a <= FLAT * a0 * a1 * a2 || volume_b <= FLAT * b0 * b1 * b2 {
        return Some(Axes::ALL);
    }
    let offset = body.center - solid.center;
    let (size_a, size_b) = (a0 + a1 + a2, b0 + b1 + b2);
    let far = (solid.center.abs() + body.center.abs() + motion.abs()).element_sum() + size_a + size_b;
    let far = ERROR * far;

    let mut intervals = AxisIntervals::new();
    let along_a = across_a.mapped(|axis| b.mapped(|edge| axis.dot(edge).abs()));
    let along_b = across_b.mapped(|axis| a.mapped(|edge| axis.dot(edge).abs()));
    for i in 0..3 {
        let reach = volume_a + along_a[i][0] + along_a[i][1] + along_a[i][2];
        intervals.add(i, across_a[i].dot(offset), across_a[i].dot(motion), reach, far * size_a * size_a);
    }
    for j in 0..3 {
        let reach = volume_b + along_b[j][0] + along_b[j][1] + along_b[j][2];
        intervals.add(3 + j, across_b[j].dot(offset), across_b[j].dot(motion), reach, far * size_b * size_b);
    }
    if intervals.is_clear() {
        return None;
    }
    for j in 0..3 {
        let (offset, motion) = (b[j].cross(offset), b[j].cross(motion));
        for i in 0..3 {
            let [k, l, m, n] = [(i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3];
            let reach = along_a[k][j] + along_a[l][j] + along_b[m][i] + along_b[n][i];
            intervals.add(6 + 3 * i + j, a[i].dot(offset), a[i].dot(motion), reach, far * size_a * size_b);
        }
    }
    if intervals.is_clear() {
        return None;
    }
    if intervals.starts_inside {
        let pairs = a.mapped(|a| b.mapped(|b| a.cross(b)));
        return Some(intervals.shallowest(across_a.iter().chain(&across_b).chain(pairs.as_flattened())));
    }
    Some(intervals.latest())
}

/// The normals of the faces, as long as their areas: for each edge, that of the face spanned by the other two.
fn across([a, b, c]: [DVec3; 3]) -> [DVec3; 3] {
    [b.cross(c), c.cross(a), a.cross(b)]
}

/// The times between which two boxes overlap along the axes added so far, each as a pair of bounds.
struct AxisIntervals {
    /// The time until which they are certainly apart along some axis, and the time until which they may be.
    enter: [f64; 2],
    /// From when on they may be apart again along some axis, and from when on they certainly are.
    exit: [f64; 2],
    /// The latest time at which they may come together, by axis.
    latest: [f64; 15],
    /// How far they are apart at the start, times the length of the axis, and the error of that; by axis.
    gaps: [[f64; 2]; 15],
    starts_apart: bool,
    starts_inside: bool,
    is_clear: bool,
    /// Whether along some axis they touch, or nearly touch, during the whole step.
    is_doubtful: bool,
}

impl AxisIntervals {
    fn new() -> Self {
        Self {
            enter: [f64::NEG_INFINITY; 2],
            exit: [f64::INFINITY; 2],
            latest: [f64::NEG_INFINITY; 15],
            gaps: [[0.0, f64::INFINITY]; 15],
            starts_apart: false,
            starts_inside: true,
            is_clear: false,
            is_doubtful: false,
        }
    }

    /// Adds an axis, of any length, along which the centres are `offset` apart, this changes by `change`, and both
    /// boxes together extend by `reach`.
    #[inline(always)]
    fn add(&mut self, axis: usize, offset: f64, change: f64, reach: f64, error: f64) {
        // Parallel edges: they have no axis, or one that only its facet decides.
        if reach <= SHORT * error {
            self.latest[axis] = f64::INFINITY;
            return;
        }
        let (offset, change) = if offset < 0.0 { (-offset, -change) } else { (offset, change) };
        let (gap, speed) = (offset - reach, change.abs());
        self.is_clear |= gap > error && gap + change > error;
        self.gaps[axis] = [gap, error];
        self.starts_apart |= gap > error;
        self.starts_inside &= gap < -error;
        if speed <= SHORT * error {
            // They nearly stay as they are.
            self.is_doubtful |= gap > -2.0 * speed - error;
            return;
        }
        let toward = -change.signum();
        let (enter, exit) = ((toward * offset - reach) / speed, (toward * offset + reach) / speed);
        let error = 2.0 * error * (1.0 + enter.abs().max(exit.abs())) / speed;
        self.enter = [self.enter[0].max(enter - error), self.enter[1].max(enter + error)];
        self.exit = [self.exit[0].min(exit - error), self.exit[1].min(exit + error)];
        self.latest[axis] = enter + error;
    }

    fn is_clear(&self) -> bool {
        self.is_clear || self.enter[0] > self.exit[1]
    }

    /// The axes along which they may come together last; all axes if it is in doubt whether they do.
    fn latest(&self) -> Axes {
        let meets = self.starts_apart && !self.is_doubtful && self.enter[1] < self.exit[0].min(1.0);
        if !meets {
            return Axes::ALL;
        }
        Axes::which(self.latest.iter().map(|latest| *latest >= self.enter[0]))
    }

    /// The axes along which they may overlap least.
    fn shallowest<'a>(&self, axes: impl Iterator<Item = &'a DVec3>) -> Axes {
        let mut most = [f64::INFINITY; 15];
        let mut least = f64::NEG_INFINITY;
        for ((most, [gap, error]), axis) in most.iter_mut().zip(self.gaps).zip(axes) {
            if error.is_finite() {
                let length = axis.length();
                *most = (gap + error) / length;
                least = least.max((gap - error) / length);
            }
        }
        Axes::which(most.iter().map(|most| *most >= least))
    }
}
