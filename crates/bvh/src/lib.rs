//! Trees of axis-aligned boxes, built at once or edited leaf by leaf. Every query returns the answer of brute force,
//! bit for bit.
//!
//! A [`Broadphase`] keeps two of them, for fixed and for moving bodies, and reports each frame which pairs of boxes
//! began or ceased to overlap.
//!
//! A [`Bvh`] stores a box and a layer mask for each leaf; you keep your objects and look them up by [`Leaf`]. Nodes
//! have sixteen children, tested at once with whatever vector instructions the processor has. The tree answers for
//! *boxes*: it finds the leaves whose boxes a ray enters, or a frustum touches. Such an answer may contain too many
//! leaves, never too few; the caller tests what lies in a box, in the visitor that every query takes.
//!
//! ```
//! use cullide_bvh::{Bvh, Leaf, Probe, ALL, narrowphase::{Aabb, Ray, glam::Vec3}};
//! let boxes: Vec<Aabb> = (0..10)
//!     .map(|i| Aabb::new(Vec3::X * 10.0 * i as f32, Vec3::X * 10.0 * i as f32 + Vec3::new(2.0, 3.0, 5.0)))
//!     .collect::<Result<_, _>>()?;
//! let tree = Bvh::build(&boxes);
//! let ray = Ray::new(Vec3::new(15.0, 1.0, 1.0), Vec3::X)?;
//! assert_eq!(tree.closest(&Probe::ray(&ray, 100.0), ALL), Some((Leaf::new(2), 5.0)));
//! # Ok::<(), cullide_narrowphase::Error>(())
//! ```

mod broadphase;
mod build;
mod cow;
mod debug;
mod edit;

mod grid;
mod heights;
mod hilbert;
mod lanes;
mod leaf;
mod node;
mod pack;
mod pairs;
mod prefetch;
mod query;
mod radix_sort;
mod simd_aabb;
mod stack;
mod stats;
mod stream;
mod team;
mod threads;
mod traverse;
mod tree;
mod triangles;
mod validate;

pub use broadphase::{Broadphase, BroadphaseBody, Events, Mobility, Pair, Proxy, SavedBroadphase};
pub use build::{BuildOptions, Quality};
pub use cow::CowVec;
pub use cullide_narrowphase as narrowphase;
pub use grid::CowGrid;
pub use heights::HeightField;

#[cfg(any(test, feature = "testing"))]
pub use lanes::Instructions;
pub use leaf::{ALL, Leaf};
pub use query::{MAX_CULL_PLANES, Packet, Probe};
pub use stats::{Counted, Stats};
pub use team::{Helpers, Team};
pub use traverse::Visit;
pub use tree::Bvh;
pub use triangles::{Ahead, Along, Measure, Touching, TriangleBvh};

/// The README's example, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
