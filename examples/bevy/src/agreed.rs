//! What the world and an entity agree upon, so that only edits of either are looked at.

use bevy_ecs::{change_detection::Tick, prelude::*};
use bevy_math::Vec3;
use bevy_transform::components::{GlobalTransform, Transform};

/// What the plugin knows of an entity that is a collider or a body.
#[derive(Component, Debug, Default)]
pub(crate) struct Agreed {
    pub(crate) place: Place,
    /// When the world wrote the velocities.
    pub(crate) written: Tick,
}

impl Agreed {
    /// Whether nobody but the world has changed a velocity.
    pub(crate) fn is_written<T: Component>(&self, velocity: &Ref<T>) -> bool {
        !velocity.is_changed() || velocity.last_changed() == self.written
    }
}

/// Where an owner is.
#[derive(Debug, Default)]
pub(crate) enum Place {
    /// It is not an owner.
    #[default]
    Nowhere,
    /// Without a parent, it is where its own transform is.
    Root(Transform),
    Child(GlobalTransform),
}

impl Place {
    pub(crate) fn new((transform, global, is_child): Placed) -> Self {
        if is_child { Self::Child(*global) } else { Self::Root(*transform) }
    }

    pub(crate) fn is(&self, (transform, global, is_child): Placed) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Root(known) if !is_child => known == transform,
            // Another parent is no edit, if it moves nothing.
            Self::Root(known) => GlobalTransform::from(*known) == *global,
            Self::Child(known) => known == global,
        }
    }

    pub(crate) fn translation(&self) -> Option<Vec3> {
        match self {
            Self::Nowhere => None,
            Self::Root(transform) => Some(transform.translation),
            Self::Child(global) => Some(global.translation()),
        }
    }
}

/// Transform, global transform, and whether there is a parent.
pub(crate) type Placed<'a> = (&'a Transform, &'a GlobalTransform, bool);

/// The same as a query.
pub(crate) type Placing = (&'static Transform, &'static GlobalTransform, Has<ChildOf>);
