//! Any two convexes: when a moving one first touches another, how far apart or how deep in each other they are, and
//! whether they overlap.
//!
//! All of it rests on one function of each shape, its farthest point along a direction ([`core`]), and on one fact:
//! along every direction the farthest points show how far apart the two certainly are, and before which time. So the
//! search for the best direction may be careless; the answer is not.
//!
//! Reading order: [`mod@shape`], any convex shape; [`core`], one as these queries take it; [`pair`], the difference of
//! two; [`portal`], the straight sweep without radii; [`simplex`] and [`gjk`], the distance; [`precise`], where rounded
//! differences do not do; [`cast`], the straight sweep with radii; [`depth`]; [`overlap`]; [`turn`] and [`turn_within`],
//! the sweep of what turns.

mod cast;
mod core;
mod depth;
mod gjk;
mod overlap;
mod pair;
mod plane;
mod portal;
mod precise;
mod query;
mod shape;
mod simplex;
pub(crate) mod turn;
mod turn_within;

pub use self::core::ConvexCore;
pub use query::{ConvexHit, ConvexSweep, Distance, Turn};
pub use shape::Convex;
