//! The queries: each a visitor of the one loop in `walk`.

mod batch;
mod closest;
mod coach;
mod frustum;
mod lists;
mod nearest;
mod overlap;
mod plane;
mod probe;
mod ray;
mod slab;

pub(crate) use overlap::{BoxTouch, ObbTouch, SphereTouch};

pub use frustum::MAX_PLANES;
pub use lists::LeafLists;
pub use probe::Probe;
