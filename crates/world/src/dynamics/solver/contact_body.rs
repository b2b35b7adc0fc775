//! What contacts need to know about bodies.

use crate::{
    Material,
    dynamics::{BodyState, body::pose::BodyShape},
};
use cullide_narrowphase::glam::Vec3;

/// A body that turns by more radians than this in a step rolls as a ball does, whatever its shape.
const ROLLING: f32 = 0.5;

/// What contacts need to know about a body, in few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactBody {
    pub(super) material: Material,
    pub(super) row: u32,
    pub(super) block: u32,
    /// Whether contacts push it, or it pushes others.
    pub(super) meets: bool,
    pub(super) is_dynamic: bool,
    /// Whether its centre is not that of its parts, or how it rolls depends on where it touches.
    pub(super) is_rigid: bool,
    pub(super) is_composite: bool,
    /// The radius with which it rolls, if it is neither.
    pub(super) rolling: f32,
    /// Whether it turns so far in a step that many of its points meet others in turn.
    pub(super) turns_far: bool,
    pub(super) inverse_mass: f32,
    /// Whether it may lie under a much heavier body.
    pub(super) is_loaded: bool,
}

impl ContactBody {
    pub(super) const NONE: Self = Self {
        material: Material { friction: 0.0, restitution: 0.0, rolling_resistance: 0.0, surface_velocity: Vec3::ZERO },
        row: 0,
        block: 0,
        meets: false,
        is_dynamic: false,
        is_rigid: false,
        is_composite: false,
        rolling: 0.0,
        turns_far: false,
        inverse_mass: 0.0,
        is_loaded: false,
    };

    pub(super) fn new(state: &BodyState, dt: f32) -> Self {
        let is_composite = matches!(state.shape, BodyShape::Composite(_));
        let is_rigid = is_composite || matches!(state.shape, BodyShape::Rigid(_) | BodyShape::Cylinder(_));
        Self {
            material: state.body.material,
            row: state.row,
            block: state.block,
            meets: state.is_awake() && !state.body.is_sensor,
            is_dynamic: state.is_dynamic(),
            is_rigid,
            is_composite,
            rolling: if is_rigid { 0.0 } else { state.shape.rolling_radius(0, Vec3::Y) },
            turns_far: state.body.angular_velocity.length() * dt > ROLLING,
            inverse_mass: state.inverse_mass,
            is_loaded: false,
        }
    }
}
