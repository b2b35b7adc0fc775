//! The shapes: values that cannot be constructed wrong, without any query.
//!
//! A shape is stored in `f32` (a brush's planes and vertices in `f64`), its fields are private, and its constructors
//! return an error that names the field. Queries live in the folders named after the question; a new shape starts here
//! as one file, and each question that it answers is one more file there.
//!
//! Reading order: [`plane`], [`aabb`], [`obb`], [`sphere`], [`capsule`], [`ray`] (also segments), [`brush`] (convex
//! solids bounded by planes), [`hull`] (those around points), [`moments`] (what solids weigh), [`patch`] (convex
//! polygons), [`triangle`]; [`polygon`] is what tests see of the last two; [`triangle_columns`] holds many triangles.

mod aabb;
mod brush;
mod capsule;
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
pub use hull::Hull;
pub use moments::Moments;
pub use obb::Obb;
pub use patch::Patch;
pub use plane::Plane;
pub use ray::{Ray, RayIntersection, Segment, SegmentIntersection};
pub use sphere::Sphere;
pub use triangle::Triangle;
pub use triangle_columns::TriangleColumns;
