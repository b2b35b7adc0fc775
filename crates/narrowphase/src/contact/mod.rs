//! Where two shapes touch: points, separations, and the id of the feature that touches, for a solver or for drawing.
//!
//! Reading order: [`feature_id`], [`contacts`] (the lowest vertices of a box over a plane), [`plane`] (a box near a
//! plane), [`solid`], [`faces`] and [`manifold`] (a box and a convex solid, face against face), [`pair`] (any two
//! convex shapes, for a solver).
//!
//! A new shape adds its contacts here, as [`solid`] does for convex solids. A contact solver takes its input from here;
//! it belongs in the world, which knows masses and velocities.

pub(crate) mod contacts;
pub(crate) mod faces;
mod feature_id;
pub(crate) mod manifold;
mod pair;
mod plane;
pub(crate) mod solid;

pub use contacts::{Contacts, Feature};
pub use feature_id::FeatureId;
pub use pair::{BoxReach, ContactManifold, ContactShape, ManifoldCache, ManifoldPoint, ShapeMotion};
pub use plane::Manifold;
