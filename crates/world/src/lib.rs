//! The scene: objects and planes under keys, in layers, and the questions a game asks of them: what does this ray hit, what does
//! this camera see, what is near what, where does this moving box
//! or ball stop.
//!
//! ```
//! use cullide_world::{Filter, Object, World, narrowphase::{Aabb, Plane, Ray}, glam::Vec3};
//! const WALLS: u32 = 1 << 0;
//! const TERRAIN: u32 = 1 << 1;
//! let mut world = World::new();
//! let wall = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?).layers(WALLS));
//! let floor = world.insert_plane(Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?, TERRAIN);
//!
//! let down = Ray::new(Vec3::new(1.0, 9.0, 1.0), Vec3::NEG_Y)?;
//! let hit = world.cast_ray(&down, 100.0, &Filter::ALL).unwrap();
//! assert_eq!((hit.target, hit.distance), (wall.into(), 6.0));
//! let hit = world.cast_ray(&down, 100.0, &Filter::layers(TERRAIN)).unwrap();
//! assert_eq!((hit.target, hit.distance), (floor.into(), 9.0));
//! # Ok::<(), cullide_world::narrowphase::Error>(())
//! ```
//!
//! Queries take `&self` and are right after any edit, without an update in between. Answers are exact for the stored shapes and
//! come in a total order, distance first, then key, so they depend neither on the order of edits nor on the number of threads.
//!
//! With the feature `serde` a world can be saved and restored, and goes on bit for bit as it would have: `World::snapshot`.
#![forbid(unsafe_code)]

mod body;
mod character;
mod cull;
#[cfg(feature = "debug-draw")]
mod debug_draw;
mod depenetrate;
mod filter;
mod flight;
mod hash;
mod held;
mod key;
mod met;
mod motion;
mod moved;
mod mover;
mod object;
mod objects;
mod overlap;
mod pairs;
mod planes;
mod platform;
mod proxies;
mod rays;
mod settle;
mod shape;
mod slide;
mod slots;
#[cfg(feature = "serde")]
mod snapshot;
mod step;
mod surfaces;
mod sweep;
mod sweep_sphere;
mod touched;
mod transform;
mod tuning;
mod turn;
mod turning_slide;
mod wake;
mod world;

pub use body::{Body, Response};
pub use character::{Character, Ground, Walk};
pub use cull::Shown;
pub use cullide_bvh as bvh;
pub use cullide_narrowphase as narrowphase;
pub use cullide_narrowphase::glam;
#[cfg(feature = "debug-draw")]
pub use debug_draw::{DrawOptions, Line, LineKind, PlaneGrid};
pub use filter::Filter;
pub use key::{ObjectKey, PlaneKey, Target};
pub use mover::Mover;
pub use object::{Mobility, Object, WorldPlane};
pub use overlap::Near;
pub use pairs::{ObjectPair, PairEvents};
pub use rays::{RayHit, SegmentHit};
pub use shape::Shape;
pub use slide::{Slide, SlideContact, SlideOptions};
#[cfg(feature = "serde")]
pub use snapshot::Snapshot;
pub use step::StepConfig;
pub use sweep::{BodyHit, BodyOverlap, SweptBox};
pub use sweep_sphere::SweptSphere;
pub use touched::{Contact, StepEvents};
pub use turn::TurnedBox;
pub use turning_slide::TurnedSlide;
pub use world::World;

/// The README's example, as a test.
#[cfg(all(doctest, feature = "serde"))]
#[doc = include_str!("../README.md")]
struct Readme;
