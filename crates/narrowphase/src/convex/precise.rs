//! The normal of a triangle of a difference whose corners are too close to each other, beside their coordinates, for
//! rounded differences: its sides come from the vertices of each core, of which what is common cancels without an error.

use super::pair::{CorePair, SupportPoint};
use crate::{arrays::Mapped, exact::predicate::two_product};
use glam::DVec3;

/// The normal from the two shorter sides: two long ones beside a short one would lose most of it.
#[cold]
pub(super) fn normal(pair: &CorePair, corners: &[SupportPoint; 3]) -> DVec3 {
    let [x, y, z] = [0, 1, 2].mapped(|i| pair.precise_way(&corners[i], &corners[(i + 1) % 3]));
    let [xx, yy, zz] = [x, y, z].mapped(DVec3::length_squared);
    if xx >= yy && xx >= zz {
        cross(y, z)
    } else if yy >= zz {
        cross(z, x)
    } else {
        cross(x, y)
    }
}

/// The cross product, each component rounded once but for products that cancel beyond twice the digits.
fn cross(u: DVec3, v: DVec3) -> DVec3 {
    let minor = |a: f64, b: f64, c: f64, d: f64| {
        let ((p, p_low), (q, q_low)) = (two_product(a, b), two_product(c, d));
        let difference = p - q;
        let q_part = difference - p;
        let low = (p - (difference - q_part)) - (q + q_part);
        difference + (low + (p_low - q_low))
    };
    DVec3::new(minor(u.y, v.z, u.z, v.y), minor(u.z, v.x, u.x, v.z), minor(u.x, v.y, u.y, v.x))
}
