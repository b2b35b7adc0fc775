//! The serialised form of a brush: its planes, or the points whose hull it is, and how it was moved. Everything else is
//! rebuilt on load, and is thereby checked.

use super::{Brush, BrushPlane};
use crate::Error;
use glam::{DMat3, DVec3, Vec3};

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Raw {
    Planes(Vec<(DVec3, f64)>),
    Points(Vec<Vec3>),
    /// Not nested, so that the stack that a reader needs does not depend on its input.
    MovedPlanes(Vec<(DVec3, f64)>, DMat3, DVec3),
    MovedPoints(Vec<Vec3>, DMat3, DVec3),
}

impl TryFrom<Raw> for Brush {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        match raw {
            Raw::Planes(planes) => Self::from_half_spaces(&planes),
            Raw::Points(points) => Self::of_points(&points, "points"),
            Raw::MovedPlanes(planes, rotation, translation) => {
                Self::from_half_spaces(&planes)?.moved(&rotation, translation)
            }
            Raw::MovedPoints(points, rotation, translation) => {
                Self::of_points(&points, "points")?.moved(&rotation, translation)
            }
        }
    }
}

impl From<Brush> for Raw {
    fn from(brush: Brush) -> Self {
        let planes =
            |brush: &Brush| brush.planes.iter().map(|&BrushPlane { normal, distance }| (normal, distance)).collect();
        if let Some((model, rotation, translation)) = brush.moved_from() {
            return match model.points() {
                Some(points) => Self::MovedPoints(points.collect(), rotation, translation),
                None => Self::MovedPlanes(planes(model), rotation, translation),
            };
        }
        match brush.points() {
            Some(points) => Self::Points(points.collect()),
            None => Self::Planes(planes(&brush)),
        }
    }
}
