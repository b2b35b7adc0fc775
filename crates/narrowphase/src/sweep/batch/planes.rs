//! Many planes against one box.

use super::{PlaneTouch, fours, lanes::Lanes, open::Open};
use crate::{BoxSweep, Error, Plane, Sides};
use glam::{Vec3, Vec4};

/// Planes, each coefficient in a column of its own: borrowed, and checked once.
#[derive(Clone, Copy, Debug)]
pub struct PlaneColumns<'a> {
    normal: [&'a [f32]; 3],
    d: &'a [f32],
}

impl<'a> PlaneColumns<'a> {
    /// The planes `normal · p + d = 0`, whose normals must be of unit length to `f32` accuracy, as those of a [`Plane`] are.
    ///
    /// # Errors
    /// [`Error::TooFew`] for columns of different lengths; [`Error::NonFinite`]; [`Error::ZeroNormal`] and [`Error::OutOfRange`] for
    /// what is no unit normal or too far away.
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
            let given = Vec3::from(normal.map(|column| column[i]));
            // A plane that its constructor would normalise is not the one in the columns.
            let kept = Plane::new(given, d[i])?;
            if kept.normal() != given {
                return Err(Error::OutOfRange { field: "normal" });
            }
        }
        Ok(columns)
    }

    /// How many planes there are.
    pub fn len(&self) -> usize {
        self.d.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.d.is_empty()
    }

    pub(super) fn plane(&self, i: usize) -> Result<Plane, Error> {
        Plane::new(Vec3::from(self.normal.map(|column| column[i])), self.d[i])
    }
}

impl BoxSweep {
    /// Appends the answer of each plane, in order: that of [`BoxSweep::against_plane`].
    pub fn against_planes(&self, planes: &PlaneColumns, sides: Sides, answers: &mut Vec<PlaneTouch>) {
        answers.reserve(planes.len());
        let splat = |v: Vec3| v.to_array().map(Vec4::splat);
        let [a, b, c] = self.body().half_edges().map(splat);
        let (center, motion) = (splat(self.body().center()), splat(self.motion()));
        let one =
            |i: usize| planes.plane(i).map_or(PlaneTouch::CLEAR, |plane| self.against_plane(&plane, sides).into());
        let groups = planes.len() / 4;
        let normals = fours(planes.normal, groups);
        let [ds, ..] = fours([planes.d; 3], groups);
        let mut open = Open::new(answers.len());
        for g in 0..groups {
            let normal = [normals[0][g], normals[1][g], normals[2][g]].map(Vec4::from_array);
            let lanes = Lanes::new([normal, center, a, b, c, motion], Vec4::from_array(ds[g]), sides);
            open.note(4 * g, lanes.append(answers));
            if open.is_full() || g + 1 == groups {
                let gather = |x: &[f32], at: [usize; 4]| Vec4::new(x[at[0]], x[at[1]], x[at[2]], x[at[3]]);
                let lanes = |at| {
                    let normal = planes.normal.map(|x| gather(x, at));
                    Lanes::new([normal, center, a, b, c, motion], gather(planes.d, at), sides)
                };
                open.settle(answers, lanes, one);
            }
        }
        answers.extend((4 * groups..planes.len()).map(one));
    }
}
