//! How far apart two shapes are, or how deep one is in the other, and in which direction.
//!
//! Reading order: [`closest`] (points and boxes), [`polygon`] (points and brushes or patches), [`gap`] (the signed
//! distance of two volumes), [`solid`] (of a box and a convex solid), [`sphere`], [`triangle_edges`] and
//! [`measured_polygon`] (of a ball), [`rod`] and [`capsule`] (of a capsule), [`lanes`] (four edges at a time),
//! [`gap_from`] and [`gap_of_capsule_from`] (on the side from which a sweep came), [`exits`] (every direction out of a
//! solid), [`distance_bounds`] (bounds for a point and many triangles).

mod capsule;
mod closest;
pub(crate) mod cylinder;
pub(crate) mod distance_bounds;
pub(crate) mod exits;
pub(crate) mod gap;
pub(crate) mod gap_from;
mod gap_of_capsule_from;
pub(crate) mod measured_polygon;
pub(crate) mod polygon;
pub(crate) mod rod;
pub(crate) mod solid;
mod sphere;
mod triangle_edges;

pub use exits::Exits;
pub use gap::Gap;
