//! Bodies moved by an animation.

use super::pose::{BodyShape, rotation_vector};
use crate::{
    dynamics::BodyMut,
    shape::{matrix, pose_of},
};
use cullide_narrowphase::{
    Error, ShapeMotion,
    glam::{DMat3, DVec3, Quat, Vec3},
};

impl BodyMut<'_> {
    /// Gives a kinematic body the velocities with which a step of `dt` seconds takes it to a pose, given as for
    /// [`ObjectMut::set_transform`](crate::ObjectMut::set_transform), turning the shorter way round. For a lift or a door
    /// that an animation moves, call this before each step. The body keeps the velocities until it is given others.
    ///
    /// # Errors
    /// [`Error::NonFinite`], also if it would have to be too fast for `f32`; [`Error::NotPositive`] for `dt`;
    /// [`Error::ZeroDirection`] for a rotation of length zero; [`Error::NotKinematic`] for a dynamic body. Then nothing
    /// has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::{Quat, Vec3}, narrowphase::Aabb};
    /// let mut world = World::new();
    /// let lift = world.insert(Object::moving(Aabb::new(Vec3::NEG_ONE, Vec3::ONE)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, lift, RigidBody::kinematic())?;
    /// let dt = 1.0 / 64.0;
    /// for frame in 1..=8 {
    ///     let translation = Vec3::Y * 0.5 * frame as f32;
    ///     dynamics.body_mut(&world, lift).unwrap().move_kinematic(Quat::IDENTITY, translation, dt)?;
    ///     dynamics.step(&mut world, dt, &DynamicsConfig::default())?;
    /// }
    /// assert_eq!(world.object(lift).unwrap().transform().1, Vec3::Y * 4.0);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn move_kinematic(&mut self, rotation: Quat, translation: Vec3, dt: f32) -> Result<(), Error> {
        if !(rotation.is_finite() && translation.is_finite() && dt.is_finite()) {
            return Err(Error::NonFinite { field: "rotation, translation, dt" });
        }
        if dt <= 0.0 {
            return Err(Error::NotPositive { field: "dt" });
        }
        let end = matrix(rotation).ok_or(Error::ZeroDirection { field: "rotation" })?;
        if self.is_dynamic() {
            return Err(Error::NotKinematic { field: "body" });
        }
        let (world, state) = (self.world, self.dynamics.state(self.at));
        let Some(object) = world.object(state.key) else { return Ok(()) };
        let pose = object.transform();
        // The shape may not be the one that the last step left, if it was edited since.
        let center = if state.shape.is(&object.shape) {
            state.shape.center()
        } else {
            let shape = world.body_shape(state.key).and_then(|shape| BodyShape::new(&shape, state.body.kind));
            shape.map_or(pose.1, |shape| shape.center())
        };
        // Rounding does not turn what is already turned as it is to be.
        let turn = match rotation == pose.0 || rotation == -pose.0 {
            true => DMat3::IDENTITY,
            false => end * matrix(pose.0).unwrap_or(DMat3::IDENTITY).transpose(),
        };
        let arm = center.as_dvec3() - pose.1.as_dvec3();
        let motion = turn * arm + translation.as_dvec3() - center.as_dvec3();
        let velocity = (motion / f64::from(dt)).as_vec3();
        let angular_velocity = rotation_vector(pose_of(&turn, DVec3::ZERO).0) / dt;
        self.set_velocity(velocity, angular_velocity)?;
        // From where it is to where it is told to be, so there is nothing to be made up for.
        self.dynamics.state_mut(self.at).lost = ShapeMotion::NONE;
        Ok(())
    }
}
