//! What is stored of a brush: its planes, or the points that it is the hull of. Everything else is built again, and so
//! checked, on load.

use super::{Brush, BrushPlane};
use crate::Error;
use glam::{DVec3, Vec3};

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Raw {
    Planes(Vec<(DVec3, f64)>),
    Points(Vec<Vec3>),
}

impl TryFrom<Raw> for Brush {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        match raw {
            Raw::Planes(planes) => Self::from_half_spaces(&planes),
            Raw::Points(points) => Self::of_points(&points, "points"),
        }
    }
}

impl From<Brush> for Raw {
    fn from(brush: Brush) -> Self {
        match brush.points() {
            Some(points) => Self::Points(points.collect()),
            None => {
                Self::Planes(brush.planes.iter().map(|&BrushPlane { normal, distance }| (normal, distance)).collect())
            }
        }
    }
}
