//! Which face, edge or vertex of a shape a path touches first: decided by exact signs, and only on request.
//!
//! ```text
//!   height h_j, rise r_j   of the path's start over face j, and along the path, both times the length of its normal
//!   entry                  t = h_i / -r_i, the latest of the faces that the start lies before; 0 where it lies before none
//!   faces there            all with h_j + t · r_j = 0, decided as the sign of h_j · -r_i + h_i · r_j
//! ```
//! What these faces have in common is the feature. [`boxes`], [`solid`] and [`polygon`] say which faces a shape has.

mod boxes;
mod polygon;
mod solid;

use super::Path;
use crate::{
    Feature,
    arrays::Mapped,
    exact::{
        lines::{dot, minus},
        predicate::Exact,
    },
    lists::Listed,
};
use glam::DVec3;
use smallvec::SmallVec;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// The smallest feature of a shape that contains the first point of a path in it. Balls and capsules have none.
///
/// | shape | vertices | faces |
/// |---|---|---|
/// | triangle, patch | as their corners are given | 0 |
/// | box | as in [`Obb::corners`](crate::Obb::corners): bit `i` is set where half edge `i`, or axis `i`, counts positively | `2i` where that counts positively, `2i + 1` where it does not |
/// | brush, hull | as in [`Brush::vertices`](crate::Brush::vertices) | as in [`Brush::faces`](crate::Brush::faces) |
/// | plane | | 0 |
///
/// ```
/// use cullide_narrowphase::{HitFeature, Ray, Triangle, glam::Vec3};
/// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0)?;
/// let down = |x: f32, y: f32| Ray::new(Vec3::new(x, y, 4.0), Vec3::NEG_Z).unwrap();
/// let feature = |x: f32, y: f32| down(x, y).entry_feature(&triangle, f32::INFINITY);
/// assert_eq!(feature(0.5, 0.5), Some(HitFeature::Face(0)));
/// assert_eq!(feature(0.0, 0.5), Some(HitFeature::Edge([0, 2])));
/// assert_eq!(feature(2.0, 0.0), Some(HitFeature::Vertex(1)));
/// assert_eq!(feature(2f32.next_up(), 0.0), None);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HitFeature {
    /// A vertex, by its number.
    Vertex(usize),
    /// An edge without its ends, by the numbers of its two vertices, the lower one first.
    Edge([usize; 2]),
    /// A face without its edges, by its number.
    Face(usize),
}

impl HitFeature {
    /// Returns the kind of feature.
    ///
    /// ```
    /// # use cullide_narrowphase::{Feature, HitFeature};
    /// assert_eq!(HitFeature::Edge([0, 2]).kind(), Feature::Edge);
    /// ```
    pub fn kind(self) -> Feature {
        match self {
            Self::Vertex(_) => Feature::Vertex,
            Self::Edge(_) => Feature::Edge,
            Self::Face(_) => Feature::Face,
        }
    }

    fn edge(a: usize, b: usize) -> Self {
        Self::Edge([a.min(b), a.max(b)])
    }
}

/// A face of a convex solid as a path sees it, or the line of an edge in its plane.
pub(super) struct FaceWay {
    /// How far the start lies in front of it, times the length of its normal.
    pub(super) height: Exact,
    /// How fast the height grows along the path.
    pub(super) rise: Exact,
}

impl FaceWay {
    /// The way of the face through `point` with a normal of any length.
    fn through(normal: &[Exact; 3], point: DVec3, path: &Path) -> Self {
        Self { height: dot(normal, &minus(&exact(path.origin), &exact(point))), rise: dot(normal, &exact(path.delta)) }
    }
}

/// Where a path enters the region behind some faces.
struct PathEntry {
    /// The faces that the first point lies on, in their order. A face that this point lies in front of counts too: a
    /// path that hits the shape only by rounding passes there.
    faces: SmallVec<[usize; 16]>,
    /// The face through which the path enters; `None` for a start inside.
    first: Option<usize>,
    /// The time, as a numerator and a positive denominator.
    time: [Exact; 2],
}

impl PathEntry {
    fn new(ways: &[FaceWay]) -> Self {
        let mut time = [Exact::default(), Exact::sum(&[1.0])];
        let mut first = None;
        for (number, FaceWay { height, rise }) in ways.iter().enumerate() {
            if height.sign() != Greater || rise.sign() != Less {
                continue;
            }
            let fall = Exact::default().minus(rise).compact();
            if height.times(&time[1]).minus(&time[0].times(&fall)).sign() == Greater {
                (time, first) = ([height.clone(), fall], Some(number));
            }
        }
        let mut entry = Self { faces: SmallVec::new(), first, time };
        entry.faces = (0..ways.len()).filter(|&face| entry.side_of(&ways[face]) != Less).listed();
        entry
    }

    /// `Greater` where the first point lies in front of a face, `Equal` on it.
    fn side_of(&self, way: &FaceWay) -> Ordering {
        let [time, unit] = &self.time;
        way.height.times(unit).plus(&way.rise.times(time)).sign()
    }

    /// Whether the first point is `point`.
    fn is_at(&self, point: DVec3, path: &Path) -> bool {
        let [time, unit] = &self.time;
        (0..3).all(|axis| {
            let way = Exact::sum(&[point[axis], -path.origin[axis]]).times(unit);
            way.minus(&time.times(&Exact::sum(&[path.delta[axis]]))).sign() == Equal
        })
    }
}

/// The vector as exact sums.
fn exact(v: DVec3) -> [Exact; 3] {
    [v.x, v.y, v.z].mapped(|x| Exact::sum(&[x]))
}
