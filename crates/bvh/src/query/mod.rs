//! The queries. Each is a visitor for the loop in [`crate::traverse`].
//!
//! A query with a closure is a generic wrapper around a function that takes `&mut dyn FnMut`, so that the loop is
//! compiled here, once for each instruction set, instead of in every crate for every closure. The cost is a call
//! through a pointer for each leaf.

mod cast_batch;
mod closest;
mod closest_batch;
mod frustum;
mod near_box;
mod nearest;
mod overlap;
mod packet;
mod plane;
mod plane_slab;
mod probe;
mod ray;
mod ray_stream;

pub(crate) use near_box::BoxSearch;
pub(crate) use nearest::NearestSearch;
pub(crate) use overlap::{BoxVolume, OverlapVisitor, aabb_bounds};
pub(crate) use packet::{PacketLanes, PacketLines, farthest};
pub(crate) use probe::{OneMotion, PAD, ProbeLine};
pub(crate) use ray::{RaySearch, RayVisitor};

pub use frustum::MAX_CULL_PLANES;
pub use packet::Packet;
pub use probe::Probe;
