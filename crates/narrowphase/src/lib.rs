//! Exact tests between one pair of shapes at a time: rays, segments, planes, boxes, spheres, capsules, cylinders and cones,
//! triangles, patches, brushes, convex hulls, frusta, and swept boxes, balls and capsules.
//!
//! Shapes are stored in `f32`; decisions are made in `f64` (or in `f32` where rounding cannot change them), and where the
//! inputs allow it the sign is exact (see [`Plane::side_of`]). The contract that all tests share:
//!
//! * A plane is `normal · p + d = 0` with a unit normal; its **front** is where the signed distance is positive.
//! * Every volume is a closed set: touching counts.
//! * A ray's results are distances, a segment's are fractions in `[0, 1]`, a sweep's are times of impact in `[0, 1)`.
//! * A path that starts inside a volume hits it at 0, with `inside` set and the normal against the direction.
//! * No value with a NaN, an infinity, an inverted bound or a zero normal can be constructed.
//!
//! The crate has no trees, threads, layers or handles.
#![forbid(unsafe_code)]

mod arrays;
mod cast;
mod contact;
mod convex;
mod distance;
mod error;
mod exact;
mod frustum;
mod lists;
mod minkowski;
mod overlap;
mod shape;
#[doc(hidden)]
pub mod simd;
mod solid;
mod sweep;

pub use cast::{Cast, Crossing, HitFeature, Path};
pub use contact::{
    ContactManifold, ContactShape, Contacts, Feature, FeatureId, Manifold, ManifoldCache, ManifoldPoint, ShapeMotion,
};
pub use convex::{Convex, ConvexCore, ConvexHit, ConvexSweep, Distance, Turn};
pub use distance::{Exits, Gap};
pub use error::Error;
pub use exact::MAX_COORDINATE;
pub use frustum::{Camera, ClipSpace, Containment, Frustum};
pub use glam;
pub use overlap::Side;
pub use shape::{
    Aabb, Brush, BrushEdge, BrushFace, BrushPlane, Capsule, Cylinder, Hull, Moments, Obb, Patch, Plane, Ray,
    RayIntersection, Segment, SegmentIntersection, Sphere, Triangle,
};
pub use solid::Solid;
pub use sweep::{
    BoxColumns, BoxSweep, CapsuleSweep, Overlap, PlaneColumns, PlaneMotion, PlaneTouch, Sides, SphereSweep, Sweep,
    SweepHit, TurningBoxSweep,
};

// For cullide-bvh and cullide-world of the same version. What is hidden here and elsewhere is not part of the interface.
#[doc(hidden)]
pub use arrays::Mapped;
#[doc(hidden)]
pub use cast::{FirstCrossings, PacketIntersections, RayPacket, SlantedPacket, SlantedPath};
#[doc(hidden)]
pub use contact::BoxReach;
#[doc(hidden)]
pub use lists::Listed;
#[doc(hidden)]
pub use shape::TriangleColumns;
#[doc(hidden)]
pub use sweep::{BodyWay, Budget, BudgetedSweep, Filtered, Limit, Meets, RotationCache, Touches};

/// The README's example, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
