//! Many boxes against one plane.

use super::{
    append,
    lanes::{LANES, columns, last, load, rows, splat, touches},
};
use crate::{
    BoxSweep, Error, MAX_COORDINATE, Obb, Plane, PlaneTouch, Sides,
    arrays::Mapped,
    simd::{Level, Simd, Vec3x16, level, vectorized},
};
use glam::Vec3;
use std::ops::Range;

/// Boxes and their motions over one step, each coordinate in a column of its own: borrowed, and checked once.
///
/// ```
/// use cullide_narrowphase::{BoxColumns, Plane, Sides, glam::Vec3};
/// // Two boxes of half extents 1, 2 and 3, of which the second falls by 8.
/// let (zero, y, fall) = ([0.0; 2], [6.0, 6.0], [0.0, -8.0]);
/// let half_edges = [[&[1.0; 2][..], &zero, &zero], [&zero, &[2.0; 2], &zero], [&zero, &zero, &[3.0; 2]]];
/// let boxes = BoxColumns::new([&zero, &y, &zero], half_edges, [&zero, &fall, &zero])?;
/// let mut answers = Vec::new();
/// boxes.against_plane(&Plane::new(Vec3::Y, 0.0)?, Sides::Front, &mut answers);
/// let (toi, feature) = answers[1].hit().unwrap();
/// assert!(answers[0].is_clear() && toi == 0.5 && feature.vertices().count() == 4);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoxColumns<'a> {
    center: [&'a [f32]; 3],
    half_edges: [[&'a [f32]; 3]; 3],
    motion: [&'a [f32]; 3],
}

impl<'a> BoxColumns<'a> {
    /// Creates the boxes with these columns: `half_edges[i][j]` holds coordinate `j` of half edge `i`.
    ///
    /// # Errors
    /// [`Error::TooFew`] for columns of different lengths, [`Error::NonFinite`], and [`Error::OutOfRange`] for a box
    /// that would leave the range of coordinates.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxColumns, Error};
    /// let refused = BoxColumns::new([&[1.0]; 3], [[&[1.0]; 3]; 3], [&[f32::NAN]; 3]).unwrap_err();
    /// assert_eq!(refused, Error::NonFinite { field: "motion" });
    /// ```
    pub fn new(center: [&'a [f32]; 3], half_edges: [[&'a [f32]; 3]; 3], motion: [&'a [f32]; 3]) -> Result<Self, Error> {
        let columns = Self { center, half_edges, motion };
        let fields = [("center", center), ("motion", motion)].into_iter();
        let mut fields = fields.chain(half_edges.mapped(|edge| ("half_edges", edge)));
        if let Some((field, _)) = fields.clone().find(|(_, vectors)| vectors.iter().any(|x| x.len() != columns.len())) {
            return Err(Error::TooFew { field });
        }
        // One pass over all numbers accepts them; which of them is at fault is found only on failure.
        if vectorized!(level(), simd => columns.is_in_range(), else columns.is_in_range()) {
            return Ok(columns);
        }
        match fields.find(|(_, vectors)| !vectors.iter().all(|x| x.iter().all(|x| x.is_finite()))) {
            Some((field, _)) => Err(Error::NonFinite { field }),
            None => Err(Error::OutOfRange { field: "center" }),
        }
    }

    /// Whether all boxes stay within the range of coordinates, with a little to spare for rounding.
    #[inline(always)]
    fn is_in_range(&self) -> bool {
        self.is_within(0) & self.is_within(1) & self.is_within(2)
    }

    /// The same along one axis.
    #[inline(always)]
    fn is_within(&self, axis: usize) -> bool {
        const LIMIT: f32 = MAX_COORDINATE * (1.0 - 8.0 * f32::EPSILON);
        let [a, b, c] = self.half_edges.mapped(|edge| edge[axis].iter());
        let boxes = self.center[axis].iter().zip(self.motion[axis]).zip(a).zip(b).zip(c);
        // NaN fails every comparison, and without an early exit the loop is vectorized.
        boxes.fold(true, |all, ((((q, v), a), b), c)| all & (q.abs() + v.abs() + a.abs() + b.abs() + c.abs() <= LIMIT))
    }

    /// Returns how many boxes there are.
    pub fn len(&self) -> usize {
        self.center[0].len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns some of the boxes, to hand to another thread; `None` for a range that is not within them all. They are
    /// not checked again.
    ///
    /// ```
    /// # use cullide_narrowphase::BoxColumns;
    /// let x = [0.0, 1.0, 2.0];
    /// let boxes = BoxColumns::new([&x; 3], [[&x; 3]; 3], [&x; 3])?;
    /// assert!(boxes.get(1..3).is_some_and(|some| some.len() == 2) && boxes.get(1..4).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn get(&self, range: Range<usize>) -> Option<Self> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        let part = |columns: [&'a [f32]; 3]| columns.mapped(|column| &column[range.clone()]);
        Some(Self { center: part(self.center), half_edges: self.half_edges.mapped(part), motion: part(self.motion) })
    }

    /// Appends the answer for each box, in order: that of [`BoxSweep::against_plane`].
    pub fn against_plane(&self, plane: &Plane, sides: Sides, answers: &mut Vec<PlaneTouch>) {
        self.against_plane_at(level(), plane, sides, answers);
    }

    /// The same, with the instructions of `level`.
    pub(super) fn against_plane_at(&self, level: Level, plane: &Plane, sides: Sides, answers: &mut Vec<PlaneTouch>) {
        let whole = self.len() / LANES * LANES;
        self.append(level, whole, plane, sides, answers);
        if whole < self.len() {
            let (center, motion) = (self.center.mapped(last), self.motion.mapped(last));
            let edges = self.half_edges.mapped(|edge| edge.mapped(last));
            let half_edges = edges.each_ref().mapped(columns);
            let last = BoxColumns { center: columns(&center), half_edges, motion: columns(&motion) };
            answers.truncate(answers.len() + self.len().saturating_sub(LANES) - whole);
            last.append(level, self.len().min(LANES), plane, sides, answers);
        }
    }

    /// Appends the answers for the first `count` boxes, the last of which belong to a group of sixteen as well.
    fn append(&self, level: Level, count: usize, plane: &Plane, sides: Sides, answers: &mut Vec<PlaneTouch>) {
        vectorized!(level, simd => self.against(simd, count, plane, sides, answers), else {
            answers.extend((0..count).map(|i| self.one(i, plane, sides)));
        });
    }

    #[inline(always)]
    fn against<S: Simd>(&self, simd: S, count: usize, plane: &Plane, sides: Sides, answers: &mut Vec<PlaneTouch>) {
        let (normal, d) = (Vec3x16::splat(simd, plane.normal()), splat(simd, plane.d()));
        let groups = self.len() / LANES;
        let (center, motion) = (rows(self.center, groups), rows(self.motion, groups));
        let [a, b, c] = self.half_edges;
        let edges = [rows(a, groups), rows(b, groups), rows(c, groups)];
        append(
            answers,
            count,
            #[inline(always)]
            |g| {
                let (center, motion) = (load(simd, center, g), load(simd, motion, g));
                let (a, b, c) = (load(simd, edges[0], g), load(simd, edges[1], g), load(simd, edges[2], g));
                touches(simd, [normal, center, a, b, c, motion], d, sides)
            },
            |i| self.one(i, plane, sides),
        );
    }

    #[cold]
    fn one(&self, i: usize, plane: &Plane, sides: Sides) -> PlaneTouch {
        let at = |columns: [&[f32]; 3]| Vec3::from(columns.mapped(|column| column[i]));
        let body = Obb::from_half_edges(at(self.center), self.half_edges.mapped(at));
        // The range was checked for all at once.
        let sweep = body.and_then(|body| BoxSweep::new(body, at(self.motion)));
        sweep.map_or(PlaneTouch::CLEAR, |sweep| sweep.against_plane(plane, sides).into())
    }
}
