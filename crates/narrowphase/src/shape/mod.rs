//! The shapes: values that are valid by construction, without any queries.
//!
//! Shapes are stored in `f32` (a brush's planes and vertices in `f64`). Their fields are private, and their
//! constructors return an error that names the offending field. Queries live in folders named after the question they
//! answer: a new shape starts here as one file, and each question that it answers adds one more file there.
//!
//! Reading order: [`plane`], [`aabb`], [`obb`], [`sphere`], [`capsule`], [`cylinder`], [`ray`] (also segments), [`brush`] (convex
//! solids bounded by planes), [`hull`] (convex hulls of points), [`moments`] (mass properties of solids), [`patch`]
//! (convex polygons), [`triangle`]; [`polygon`] is the view that tests have of the last two; [`triangle_columns`] holds
//! many triangles.

mod aabb;
mod brush;
mod capsule;
pub(crate) mod cylinder;
mod hull;
mod moments;
pub(crate) mod obb;
mod patch;
mod plane;
pub(crate) mod polygon;
mod ray;
mod sphere;
pub(crate) mod triangle;
pub(crate) mod triangle_columns;

pub use aabb::Aabb;
pub use brush::{Brush, BrushEdge, BrushFace, BrushPlane};
pub use capsule::Capsule;
pub use cylinder::Cylinder;
pub use hull::Hull;
pub use moments::Moments;
pub use obb::Obb;
pub use patch::Patch;
pub use plane::Plane;
pub use ray::{Ray, RayIntersection, Segment, SegmentIntersection};
pub use sphere::Sphere;
pub use triangle::Triangle;
pub use triangle_columns::TriangleColumns;
