//! Bodies that move, and what describes them.

use crate::{CollisionLayers, agreed::Agreed, sync::changed};
use bevy_ecs::{prelude::*, query::QueryData};
use bevy_math::{BVec3, Vec3};
use bevy_transform::components::Transform;
use cullide_world::{self as cullide, BodyKind, Mass as BodyMass, Material};

/// How an entity with a [`Collider`](crate::Collider), on itself or on children, moves. Immutable: insert another one to
/// change it.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[component(immutable, on_insert = changed, on_remove = changed)]
#[require(Transform, LinearVelocity, AngularVelocity, Agreed)]
pub enum RigidBody {
    /// Falls, collides and is pushed.
    #[default]
    Dynamic,
    /// Stays where its [`Transform`] is.
    Static,
    /// Moves by its velocities, or to where its [`Transform`] is set, and pushes what is in its way.
    Kinematic,
}

impl RigidBody {
    /// Whether it is [`RigidBody::Dynamic`].
    pub const fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dynamic)
    }

    /// Whether it is [`RigidBody::Static`].
    pub const fn is_static(&self) -> bool {
        matches!(self, Self::Static)
    }

    /// Whether it is [`RigidBody::Kinematic`].
    pub const fn is_kinematic(&self) -> bool {
        matches!(self, Self::Kinematic)
    }
}

/// The velocity of a body in units per second: write it to set it, read it after a step. That of a character is relative
/// to what it stands on.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearVelocity(pub Vec3);

/// The angular velocity of a body in radians per second, about an axis of the world.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct AngularVelocity(pub Vec3);

macro_rules! velocity {
    ($($name:ident),*) => { $(
        impl $name {
            /// None.
            pub const ZERO: Self = Self(Vec3::ZERO);
        }
        impl std::ops::Deref for $name {
            type Target = Vec3;
            fn deref(&self) -> &Vec3 {
                &self.0
            }
        }
        impl std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut Vec3 {
                &mut self.0
            }
        }
    )* };
}
velocity!(LinearVelocity, AngularVelocity);

/// A number that describes a body. Immutable, so that what does not change costs nothing.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Component, Clone, Copy, Debug, PartialEq)]
        #[component(immutable, on_insert = changed, on_remove = changed)]
        pub struct $name(pub f32);

        impl $name {
            /// The component with this number.
            pub const fn new(number: f32) -> Self {
                Self(number)
            }
        }
    )* };
}
numbers! {
    /// The coefficient of friction of a body or of scenery. Preset: 0.6.
    Friction
    /// How much of the speed of an impact a body or scenery gives back, from 0 to 1. Preset: 0.
    Restitution
    /// How strongly gravity acts on a body. Preset: 1.
    GravityScale
    /// The part of its velocity that a body loses per second, for small numbers. Preset: 0.
    LinearDamping
    /// The same for its angular velocity. Preset: 0.
    AngularDamping
    /// The mass of a body in all, in place of that by its density.
    Mass
    /// The density of a body. Preset: 1.
    ColliderDensity
}

/// The axes of the world along which a body cannot move, or about which it cannot turn.
///
/// ```
/// use bevy_cullide::prelude::*;
/// assert_eq!(LockedAxes::new().lock_rotation_x().lock_rotation_z(), LockedAxes { translation: 0, rotation: 0b101 });
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[component(immutable, on_insert = changed, on_remove = changed)]
pub struct LockedAxes {
    /// One bit each: 1 for x, 2 for y, 4 for z.
    pub translation: u8,
    /// The same for rotations.
    pub rotation: u8,
}

macro_rules! lock {
    ($($name:ident $field:ident $axis:literal $bit:literal)*) => { $(
        #[doc = concat!("Locks the ", stringify!($field), " of the axis ", $axis, ".")]
        #[must_use]
        pub const fn $name(mut self) -> Self {
            self.$field |= $bit;
            self
        }
    )* };
}

impl LockedAxes {
    /// All rotations are locked.
    pub const ROTATION_LOCKED: Self = Self { translation: 0, rotation: 0b111 };
    /// All translations are locked.
    pub const TRANSLATION_LOCKED: Self = Self { translation: 0b111, rotation: 0 };

    /// Nothing is locked.
    pub const fn new() -> Self {
        Self { translation: 0, rotation: 0 }
    }

    lock! {
        lock_translation_x translation "x" 0b001
        lock_translation_y translation "y" 0b010
        lock_translation_z translation "z" 0b100
        lock_rotation_x rotation "x" 0b001
        lock_rotation_y rotation "y" 0b010
        lock_rotation_z rotation "z" 0b100
    }
}

/// The axes whose bits are set.
fn axes(bits: u8) -> BVec3 {
    BVec3::from_array([1, 2, 4].map(|axis| bits & axis != 0))
}

/// Keeps a body awake, even when it rests.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[component(immutable, on_insert = changed, on_remove = changed)]
pub struct SleepingDisabled;

/// All that describes a body.
#[derive(QueryData)]
pub(crate) struct Description {
    body: Option<&'static RigidBody>,
    velocity: Option<&'static LinearVelocity>,
    angular_velocity: Option<&'static AngularVelocity>,
    friction: Option<&'static Friction>,
    restitution: Option<&'static Restitution>,
    gravity_scale: Option<&'static GravityScale>,
    linear_damping: Option<&'static LinearDamping>,
    angular_damping: Option<&'static AngularDamping>,
    mass: Option<&'static Mass>,
    density: Option<&'static ColliderDensity>,
    locked: Option<&'static LockedAxes>,
    stays_awake: Has<SleepingDisabled>,
    pub(crate) layers: Option<&'static CollisionLayers>,
}

impl DescriptionItem<'_, '_> {
    pub(crate) fn material(&self) -> Material {
        let preset = Material::default();
        Material {
            friction: self.friction.map_or(preset.friction, |number| number.0),
            restitution: self.restitution.map_or(preset.restitution, |number| number.0),
            ..preset
        }
    }

    /// The body as the library describes it, with the velocities of its components; `None` if it is static.
    pub(crate) fn body(&self, is_sensor: bool) -> Option<cullide::RigidBody> {
        let kind = match self.body? {
            RigidBody::Dynamic => BodyKind::Dynamic,
            RigidBody::Kinematic => BodyKind::Kinematic,
            RigidBody::Static => return None,
        };
        let density = BodyMass::Density(self.density.map_or(1.0, |density| density.0));
        let locked = self.locked.copied().unwrap_or_default();
        Some(cullide::RigidBody {
            kind,
            mass: self.mass.map_or(density, |mass| BodyMass::Total(mass.0)),
            material: self.material(),
            velocity: self.velocity.map_or(Vec3::ZERO, |velocity| velocity.0),
            angular_velocity: self.angular_velocity.map_or(Vec3::ZERO, |velocity| velocity.0),
            gravity_scale: self.gravity_scale.map_or(1.0, |number| number.0),
            linear_damping: self.linear_damping.map_or(0.0, |number| number.0),
            angular_damping: self.angular_damping.map_or(0.0, |number| number.0),
            locked_translation: axes(locked.translation),
            locked_rotation: axes(locked.rotation),
            can_sleep: !self.stays_awake,
            is_sensor,
        })
    }
}
