//! Many planes against one box.

use super::{
    append,
    lanes::{LANES, columns, last, load, rows, touches},
};
use crate::{
    BoxSweep, Error, Plane, PlaneTouch, Sides,
    arrays::Mapped,
    simd::{Level, Simd, Vec3x16, level, vectorized},
};
use glam::Vec3;

/// Planes, each coefficient in a column of its own: borrowed, and checked once.
#[derive(Clone, Copy, Debug)]
pub struct PlaneColumns<'a> {
    normal: [&'a [f32]; 3],
    d: &'a [f32],
}

impl<'a> PlaneColumns<'a> {
    /// Creates the planes `normal · p + d = 0`, whose normals must have unit length to `f32` accuracy, as those of a
    /// [`Plane`] have.
    ///
    /// # Errors
    /// [`Error::TooFew`] for columns of different lengths; [`Error::NonFinite`]; [`Error::ZeroNormal`] and
    /// [`Error::OutOfRange`] for a normal that is not of unit length, or a plane that is too far away.
    ///
    /// ```
    /// # use cullide_narrowphase::{BoxSweep, Obb, PlaneColumns, Sides, glam::{Quat, Vec3}};
    /// // A floor, and a wall at x = 3 that faces back.
    /// let room = PlaneColumns::new([&[0.0, -1.0], &[1.0, 0.0], &[0.0, 0.0]], &[0.0, 3.0])?;
    /// let body = Obb::new(Vec3::Y * 2.0, Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5))?;
    /// let mut answers = Vec::new();
    /// BoxSweep::new(body, Vec3::X * 4.0)?.against_planes(&room, Sides::Front, &mut answers);
    /// assert!(answers[0].is_clear() && answers[1].hit().unwrap().0 == 0.5);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn new(normal: [&'a [f32]; 3], d: &'a [f32]) -> Result<Self, Error> {
        let columns = Self { normal, d };
        if normal.iter().any(|column| column.len() != d.len()) {
            return Err(Error::TooFew { field: "normal" });
        }
        for i in 0..d.len() {
            let given = Vec3::from(normal.mapped(|column| column[i]));
            // A plane that its constructor would normalise is not the one in the columns.
            let kept = Plane::new(given, d[i])?;
            if kept.normal() != given {
                return Err(Error::OutOfRange { field: "normal" });
            }
        }
        Ok(columns)
    }

    /// Returns how many planes there are.
    pub fn len(&self) -> usize {
        self.d.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.d.is_empty()
    }

    pub(super) fn plane(&self, i: usize) -> Result<Plane, Error> {
        Plane::new(Vec3::from(self.normal.mapped(|column| column[i])), self.d[i])
    }
}

impl BoxSweep {
    /// Appends the answer for each plane, in order: that of [`BoxSweep::against_plane`].
    pub fn against_planes(&self, planes: &PlaneColumns, sides: Sides, answers: &mut Vec<PlaneTouch>) {
        self.against_planes_at(level(), planes, sides, answers);
    }

    /// The same, with the instructions of `level`.
    pub(super) fn against_planes_at(
        &self,
        level: Level,
        planes: &PlaneColumns,
        sides: Sides,
        answers: &mut Vec<PlaneTouch>,
    ) {
        let whole = planes.len() / LANES * LANES;
        self.append(level, whole, planes, sides, answers);
        if whole < planes.len() {
            let (normal, d) = (planes.normal.mapped(last), last(planes.d));
            let last = PlaneColumns { normal: columns(&normal), d: &d };
            answers.truncate(answers.len() + planes.len().saturating_sub(LANES) - whole);
            self.append(level, planes.len().min(LANES), &last, sides, answers);
        }
    }

    /// Appends the answers for the first `count` planes, the last of which belong to a group of sixteen as well.
    fn append(&self, level: Level, count: usize, planes: &PlaneColumns, sides: Sides, answers: &mut Vec<PlaneTouch>) {
        vectorized!(level, simd => self.against_columns(simd, count, planes, sides, answers), else {
            answers.extend((0..count).map(|i| self.one(planes, i, sides)));
        });
    }

    #[inline(always)]
    fn against_columns<S: Simd>(
        &self,
        simd: S,
        count: usize,
        planes: &PlaneColumns,
        sides: Sides,
        answers: &mut Vec<PlaneTouch>,
    ) {
        let [a, b, c] = self.body().half_edges();
        let edges = [Vec3x16::splat(simd, a), Vec3x16::splat(simd, b), Vec3x16::splat(simd, c)];
        let (center, motion) = (Vec3x16::splat(simd, self.body().center()), Vec3x16::splat(simd, self.motion()));
        let groups = planes.len() / LANES;
        let normals = rows(planes.normal, groups);
        let [ds, ..] = rows([planes.d; 3], groups);
        append(
            answers,
            count,
            #[inline(always)]
            |g| {
                let (normal, d) = (load(simd, normals, g), load(simd, [ds; 3], g).x);
                touches(simd, [normal, center, edges[0], edges[1], edges[2], motion], d, sides)
            },
            |i| self.one(planes, i, sides),
        );
    }

    #[cold]
    fn one(&self, planes: &PlaneColumns, i: usize, sides: Sides) -> PlaneTouch {
        planes.plane(i).map_or(PlaneTouch::CLEAR, |plane| self.against_plane(&plane, sides).into())
    }
}
