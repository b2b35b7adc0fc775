//! What is stored of a brush: its planes. Everything else is built again, and so checked, on load.

use super::{Brush, BrushPlane};
use crate::Error;
use glam::DVec3;

#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Raw {
    planes: Vec<(DVec3, f64)>,
}

impl TryFrom<Raw> for Brush {
    type Error = Error;
    fn try_from(raw: Raw) -> Result<Self, Error> {
        Self::from_half_spaces(&raw.planes)
    }
}

impl From<Brush> for Raw {
    fn from(brush: Brush) -> Self {
        Self { planes: brush.planes.iter().map(|&BrushPlane { normal, distance }| (normal, distance)).collect() }
    }
}
