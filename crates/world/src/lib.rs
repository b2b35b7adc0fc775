//! The scene: objects and planes, addressed by keys and grouped in layers, and the queries that a game makes: what a
//! ray hits, what a camera sees, what is near what, where a moving box or ball stops.
//!
//! ```
//! use cullide_world::{Filter, Object, World, WorldPlane, narrowphase::{Aabb, Plane, Ray}, glam::Vec3};
//! const WALLS: u32 = 1 << 0;
//! const TERRAIN: u32 = 1 << 1;
//! let mut world = World::new();
//! let wall = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?).layers(WALLS));
//! let floor = world.insert_plane(WorldPlane::half_space(Plane::from_point_normal(Vec3::ZERO, Vec3::Y)?).layers(TERRAIN));
//!
//! let down = Ray::new(Vec3::new(1.0, 9.0, 1.0), Vec3::NEG_Y)?;
//! let hit = world.cast_ray(&down, 100.0, &Filter::ALL).unwrap();
//! assert_eq!((hit.target, hit.distance), (wall.into(), 6.0));
//! let hit = world.cast_ray(&down, 100.0, &Filter::layers(TERRAIN)).unwrap();
//! assert_eq!((hit.target, hit.distance), (floor.into(), 9.0));
//! # Ok::<(), cullide_world::narrowphase::Error>(())
//! ```
//!
//! Queries take `&self` and are correct after any edit, with no update in between. Answers are exact for the stored
//! shapes and are totally ordered, by distance, then by key, so they depend neither on the order of edits nor on the
//! number of threads.
//!
//! With the feature `serde`, a world can be saved and restored, and then continues bit for bit as the original would
//! have: see `World::snapshot`.
//!
//! How to do what games do, one task after the other, is in the [`guide`].
#![forbid(unsafe_code)]

mod boxes;
mod character;
#[cfg(feature = "dynamics")]
mod contact;
#[cfg(feature = "debug-draw")]
mod debug_draw;
#[cfg(feature = "dynamics")]
mod dynamics;
mod order;
mod query;
mod scene;
mod shape;
mod simulation;
#[cfg(feature = "serde")]
mod snapshot;
mod sweep;
#[cfg(feature = "dynamics")]
mod threads;
mod tuning;

#[cfg(feature = "serde")]
pub use boxes::BoxStepperSnapshot;
pub use boxes::{
    BoxStepper,
    body::{BoxBody, Response},
    config::BoxStepConfig,
    contacts::{BoxContact, BoxStepEvents},
};
pub use character::{
    BlockedStep, Character, Ground, Push, Pushes, Walk,
    body::{CharacterBody, MovingShape},
    mover::Mover,
};
#[cfg(all(feature = "dynamics", feature = "serde"))]
pub use contact::tracker::ContactTrackerSnapshot;
#[cfg(feature = "dynamics")]
pub use contact::{
    ContactPair, ContactPoint, PartContact,
    tracker::{ContactEvents, ContactTracker},
};
pub use cullide_bvh::{self as bvh, Mobility};
pub use cullide_narrowphase as narrowphase;
pub use cullide_narrowphase::glam;
#[cfg(feature = "debug-draw")]
pub use debug_draw::{DrawOptions, Line, LineKind, PlaneGrid};
#[cfg(all(feature = "dynamics", feature = "serde"))]
pub use dynamics::DynamicsSnapshot;
#[cfg(feature = "dynamics")]
pub use dynamics::{
    BodyMut, BodyRef, Dynamics, StepReport,
    body::description::{BodyKind, Mass, Material, RigidBody},
    body::mass::BodyMass,
    config::DynamicsConfig,
};
pub use query::{
    batches::Filters,
    cull::Shown,
    nearest::{Near, NearestTo},
    nearest_shape::NearShape,
    rays::{RayHit, SegmentHit},
    region::Region,
    triangles::WorldTriangle,
    triggers::Triggers,
};
pub use scene::{
    edit_planes::PlaneMut,
    filter::Filter,
    key::{ObjectKey, PlaneKey, Target},
    object::{Object, WorldPlane},
    object_ref::{ObjectMut, ObjectRef},
    pairs::{ObjectPair, PairEvents},
    world::World,
};
pub use shape::{
    Shape,
    compound::{Compound, CompoundError, placed::PlacedCompound},
    distance::ShapeDistance,
    mesh::{Mesh, MeshError, placed::PlacedMesh},
    placed::Placed,
    terrain::{Diagonal, Terrain, TerrainError, placed::PlacedTerrain},
};
pub use simulation::Simulation;
#[cfg(feature = "serde")]
pub use simulation::SimulationSnapshot;
#[cfg(feature = "serde")]
pub use snapshot::Snapshot;
pub use sweep::{
    rotating::SweptTurningBox,
    rotating_slide::TurningSlide,
    shape::{ShapeHit, ShapeOverlap, ShapeSweep, SweptShape},
    shape_turn::{SweptTurningShape, TurningShapeSweep},
    slide::{Slide, SlideContact, SlideContacts, SlideOptions},
    sweeps::{StraightSweep, TurningSweep},
    translating::{BodyHit, BodyOverlap, SweptBody},
};

#[cfg_attr(feature = "dynamics", doc = include_str!("guide.md"))]
#[cfg_attr(
    not(feature = "dynamics"),
    doc = "The guide is in the documentation of the crate with the feature `dynamics`."
)]
pub mod guide {}

/// The README's example, as a test.
#[cfg(all(doctest, feature = "dynamics", feature = "serde"))]
#[doc = include_str!("../README.md")]
struct Readme;
