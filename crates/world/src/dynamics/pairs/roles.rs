//! What passes over all pairs need to know about bodies, in few bytes, because these passes are bound by memory access.

use super::crowd::deep;
use crate::{
    ContactPair,
    dynamics::{BodyState, body::pose::BodyShape},
};
use cullide_narrowphase::{Mapped, ShapeMotion, glam::Vec3};

impl BodyState {
    pub(in crate::dynamics) fn role(&self) -> Role {
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
pub(in crate::dynamics) struct ActivePair {
    pub(in crate::dynamics) number: u32,
    pub(in crate::dynamics) bodies: [u32; 2],
    pub(in crate::dynamics) is_touching: bool,
    pub(in crate::dynamics) was_touching: bool,
    /// Whether there may be contact points.
    pub(in crate::dynamics) is_near: bool,
    /// Whether two bodies are far in each other: see [`deep`].
    pub(in crate::dynamics) is_deep: bool,
}

impl ActivePair {
    pub(in crate::dynamics) fn new(number: u32, pair: &ContactPair, approaches: &[Approach]) -> Self {
        let ContactPair { bodies, is_touching, was_touching, .. } = *pair;
        let is_near = pair.parts.iter().any(|part| !part.manifold.points().is_empty());
        let is_deep = || match bodies.mapped(|body| approaches.get(body as usize)) {
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
pub(in crate::dynamics) struct Approach {
    pub(in crate::dynamics) velocity: Vec3,
    pub(in crate::dynamics) inner_radius: f32,
    /// The greatest speed at which rotation moves its points.
    pub(in crate::dynamics) swinging: f32,
    /// The same for a kinematic body, which nothing holds.
    pub(in crate::dynamics) spinning: f32,
    /// Its motion in the last step.
    pub(in crate::dynamics) moved: ShapeMotion,
    pub(in crate::dynamics) turning: f32,
    pub(in crate::dynamics) is_convex: bool,
    pub(in crate::dynamics) is_box: bool,
    pub(in crate::dynamics) is_dynamic: bool,
    /// Whether its surface runs as a belt does.
    pub(in crate::dynamics) is_belt: bool,
}

impl Approach {
    /// For something that is not a body: it may have been put anywhere.
    pub(in crate::dynamics) const FIXED: Self = Self {
        velocity: Vec3::ZERO,
        inner_radius: f32::INFINITY,
        swinging: 0.0,
        spinning: 0.0,
        moved: ShapeMotion::NONE,
        turning: f32::INFINITY,
        is_convex: false,
        is_box: false,
        is_dynamic: false,
        is_belt: false,
    };

    pub(in crate::dynamics) fn new(state: &BodyState) -> Self {
        let BodyState { inner_radius, last_motion: moved, last_turning: turning, .. } = *state;
        let is_convex = state.shape.convex().is_some();
        let is_box = matches!(state.shape, BodyShape::Box(_));
        let swinging = state.body.angular_velocity.length() * state.radius;
        let is_dynamic = state.is_dynamic();
        let spinning = if is_dynamic { 0.0 } else { swinging };
        let is_belt = state.body.material.surface_velocity != Vec3::ZERO;
        let velocity = state.body.velocity;
        Self { velocity, inner_radius, swinging, spinning, moved, turning, is_convex, is_box, is_dynamic, is_belt }
    }
}

/// What passes over all pairs need to know about a body.
#[derive(Clone, Copy, Debug)]
pub(in crate::dynamics) struct Role(pub(in crate::dynamics) u8);

impl Role {
    pub(in crate::dynamics) const BODY: Self = Self(1);
    pub(in crate::dynamics) const ROUSES: Self = Self(2);
    pub(in crate::dynamics) const DYNAMIC: Self = Self(4);
    pub(in crate::dynamics) const SLEEPS: Self = Self(8);
    pub(in crate::dynamics) const SENSOR: Self = Self(16);

    fn is(self, what: Self) -> bool {
        self.0 & what.0 != 0
    }

    pub(in crate::dynamics) fn is_dynamic(self) -> bool {
        self.is(Self::DYNAMIC)
    }

    pub(in crate::dynamics) fn is_kinematic(self) -> bool {
        self.is(Self::BODY) && !self.is(Self::DYNAMIC)
    }

    pub(in crate::dynamics) fn is_sensor(self) -> bool {
        self.is(Self::SENSOR)
    }
}

/// The roles of all bodies, by number.
#[derive(Clone, Debug, Default)]
pub(in crate::dynamics) struct Roles(pub(in crate::dynamics) Vec<Role>);

impl Roles {
    /// The roles of a pair; what is not a body has none.
    pub(in crate::dynamics) fn of(&self, bodies: [u32; 2]) -> [Role; 2] {
        // No `map` here and in other passes over all pairs, as it is not inlined.
        let ([first, second], of) = (bodies, |body: u32| self.0.get(body as usize).copied().unwrap_or(Role(0)));
        [of(first), of(second)]
    }

    pub(in crate::dynamics) fn any_kinematic(&self) -> bool {
        self.0.iter().any(|role| role.is_kinematic())
    }

    pub(in crate::dynamics) fn either(&self, bodies: [u32; 2], what: Role) -> bool {
        self.of(bodies).iter().any(|role| role.is(what))
    }
}
