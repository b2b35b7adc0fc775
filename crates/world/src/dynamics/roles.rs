//! What passes over all pairs need to know about bodies, in few bytes, because these passes are bound by memory access.

use super::{BodyState, crowd::deep, pose::BodyShape};
use crate::ContactPair;
use cullide_narrowphase::{ShapeMotion, glam::Vec3};

impl BodyState {
    pub(super) fn role(&self) -> Role {
        let mut role = 0;
        let mut add = |is: bool, what: Role| role |= if is { what.0 } else { 0 };
        add(true, Role::BODY);
        add(self.rouses(), Role::ROUSES);
        add(self.is_dynamic(), Role::DYNAMIC);
        add(self.is_dynamic() && !self.is_awake(), Role::SLEEPS);
        add(self.body.is_sensor, Role::SENSOR);
        Role(role)
    }
}

/// A pair with something awake in it, in few bytes, because passes over all pairs are bound by memory access.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActivePair {
    pub(super) number: u32,
    pub(super) bodies: [u32; 2],
    pub(super) is_touching: bool,
    pub(super) was_touching: bool,
    /// Whether there may be contact points.
    pub(super) is_near: bool,
    /// Whether two bodies are far in each other: see [`deep`].
    pub(super) is_deep: bool,
}

impl ActivePair {
    pub(super) fn new(number: u32, pair: &ContactPair, approaches: &[Approach]) -> Self {
        let ContactPair { bodies, is_touching, was_touching, .. } = *pair;
        let is_near = pair.parts.iter().any(|part| !part.manifold.points().is_empty());
        let is_deep = || match bodies.map(|body| approaches.get(body as usize)) {
            [Some(one), Some(other)] if one.is_dynamic && other.is_dynamic => {
                let deep = deep(one.inner_radius, other.inner_radius);
                pair.parts.iter().any(|part| part.manifold.distance() < deep)
            }
            _ => false,
        };
        Self { number, bodies, is_touching, was_touching, is_near, is_deep: is_near && is_deep() }
    }
}

/// What determines whether two bodies may have come near each other, in few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approach {
    pub(super) velocity: Vec3,
    pub(super) inner_radius: f32,
    /// The greatest speed at which rotation moves its points.
    pub(super) swinging: f32,
    /// The same for a kinematic body, which nothing holds.
    pub(super) spinning: f32,
    /// Its motion in the last step.
    pub(super) moved: ShapeMotion,
    pub(super) turning: f32,
    pub(super) is_convex: bool,
    pub(super) is_box: bool,
    pub(super) is_dynamic: bool,
}

impl Approach {
    /// For something that is not a body: it may have been put anywhere.
    pub(super) const FIXED: Self = Self {
        velocity: Vec3::ZERO,
        inner_radius: f32::INFINITY,
        swinging: 0.0,
        spinning: 0.0,
        moved: ShapeMotion::NONE,
        turning: f32::INFINITY,
        is_convex: false,
        is_box: false,
        is_dynamic: false,
    };

    pub(super) fn new(state: &BodyState) -> Self {
        let BodyState { inner_radius, last_motion: moved, last_turning: turning, .. } = *state;
        let is_convex = state.shape.convex().is_some();
        let is_box = matches!(state.shape, BodyShape::Box(_));
        let swinging = state.body.angular_velocity.length() * state.radius;
        let is_dynamic = state.is_dynamic();
        let spinning = if is_dynamic { 0.0 } else { swinging };
        let velocity = state.body.velocity;
        Self { velocity, inner_radius, swinging, spinning, moved, turning, is_convex, is_box, is_dynamic }
    }
}

/// What passes over all pairs need to know about a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Role(pub(super) u8);

impl Role {
    pub(super) const BODY: Self = Self(1);
    pub(super) const ROUSES: Self = Self(2);
    pub(super) const DYNAMIC: Self = Self(4);
    pub(super) const SLEEPS: Self = Self(8);
    pub(super) const SENSOR: Self = Self(16);

    fn is(self, what: Self) -> bool {
        self.0 & what.0 != 0
    }

    pub(super) fn is_dynamic(self) -> bool {
        self.is(Self::DYNAMIC)
    }

    pub(super) fn is_kinematic(self) -> bool {
        self.is(Self::BODY) && !self.is(Self::DYNAMIC)
    }

    pub(super) fn is_sensor(self) -> bool {
        self.is(Self::SENSOR)
    }
}

/// The roles of all bodies, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles(pub(super) Vec<Role>);

impl Roles {
    /// The roles of a pair; what is not a body has none.
    pub(super) fn of(&self, bodies: [u32; 2]) -> [Role; 2] {
        // No `map` here and in other passes over all pairs, as it is not inlined.
        let ([first, second], of) = (bodies, |body: u32| self.0.get(body as usize).copied().unwrap_or(Role(0)));
        [of(first), of(second)]
    }

    pub(super) fn any_kinematic(&self) -> bool {
        self.0.iter().any(|role| role.is_kinematic())
    }

    pub(super) fn either(&self, bodies: [u32; 2], what: Role) -> bool {
        self.of(bodies).iter().any(|role| role.is(what))
    }
}
