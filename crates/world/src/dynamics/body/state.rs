//! A body between steps.

use super::{mass::MassProperties, pose::BodyShape, spin::FreeSpin};
use crate::{BodyKind, DynamicsConfig, Mobility, ObjectKey, ObjectRef, RigidBody, World, dynamics::NONE};
use cullide_narrowphase::{
    Aabb, Mapped, ShapeMotion,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// A body between steps.
#[derive(Clone, Debug)]
pub(in crate::dynamics) struct BodyState {
    pub(in crate::dynamics) key: ObjectKey,
    /// The description as given, with the current velocities.
    pub(in crate::dynamics) body: RigidBody,
    pub(in crate::dynamics) shape: BodyShape,
    pub(in crate::dynamics) sizes: Vec3,
    pub(in crate::dynamics) inverse_mass: f32,
    /// The inverse moments of inertia about the axes of the shape.
    pub(in crate::dynamics) inverse_inertia: Vec3,
    /// The inverse inertia about the axes of the world, at the current pose: [`Self::world_inertia`].
    pub(in crate::dynamics) inertia: [f32; 6],
    /// The axes of the shape: see [`BodyShape::axes`].
    pub(in crate::dynamics) axes: [Vec3; 3],
    pub(in crate::dynamics) free_spin: FreeSpin,
    pub(in crate::dynamics) radius: f32,
    pub(in crate::dynamics) inner_radius: f32,
    pub(in crate::dynamics) force: Vec3,
    pub(in crate::dynamics) torque: Vec3,
    /// Per unit of its mass, the kinetic energies at the start of the step, and what it may gain before it pays: see
    /// `energy`.
    pub(in crate::dynamics) energies: [f64; 2],
    pub(in crate::dynamics) credit: f32,
    /// Whether its object is switched off: then it stays where it is.
    pub(in crate::dynamics) is_off: bool,
    /// For how long it has been slow.
    pub(in crate::dynamics) still_seconds: f32,
    /// Its velocity and angular velocity, averaged over the last steps.
    pub(in crate::dynamics) mean_velocities: [Vec3; 2],
    /// The island in which it sleeps; [`NONE`] when awake.
    pub(in crate::dynamics) island: u32,
    /// Its contacts, by number.
    pub(in crate::dynamics) pairs: SmallVec<[u32; 8]>,
    /// How many of them are with something that is not a body.
    pub(in crate::dynamics) fixed_pairs: u32,
    /// The same with kinematic ones counted as well.
    pub(in crate::dynamics) unmoved_pairs: u32,
    /// Its motion in the last step, and a bound on how far rotation and rounding have moved its points besides:
    /// infinite if that is not known.
    pub(in crate::dynamics) last_motion: ShapeMotion,
    pub(in crate::dynamics) last_turning: f32,
    /// What rounding of the pose has taken from its motion, and from its rotation if it is kinematic: the next step
    /// adds it, so that what moves slowly does not stop or get faster where steps of `f32` are coarse.
    pub(in crate::dynamics) lost: ShapeMotion,
    /// A box around everything that it may reach in this step.
    pub(in crate::dynamics) reach: Aabb,
    /// The part of that in which its contacts with meshes, terrains and compounds are known: not the far end of a long
    /// way.
    pub(in crate::dynamics) known: Aabb,
    /// Its row in the solver.
    pub(in crate::dynamics) row: u32,
    pub(in crate::dynamics) block: u32,
}

impl BodyState {
    pub(in crate::dynamics) fn new(key: ObjectKey, body: RigidBody, shape: BodyShape, mass: MassProperties) -> Self {
        // The inverse of a subnormal number would be infinite.
        let inverse = |x: f32| if x >= f32::MIN_POSITIVE { 1.0 / x } else { 0.0 };
        let moves = body.kind == BodyKind::Dynamic;
        Self {
            key,
            body,
            sizes: shape.sizes(),
            inverse_mass: if moves { 1.0 / mass.mass } else { 0.0 },
            inverse_inertia: if moves { Vec3::from(mass.inertia.to_array().mapped(inverse)) } else { Vec3::ZERO },
            inertia: [0.0; 6],
            radius: shape.radius(),
            inner_radius: shape.inner_radius(),
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            axes: shape.axes(shape.sizes()),
            free_spin: FreeSpin::default(),
            energies: [0.0; 2],
            credit: 0.0,
            is_off: false,
            still_seconds: 0.0,
            mean_velocities: [body.velocity, body.angular_velocity],
            island: NONE,
            pairs: SmallVec::new(),
            fixed_pairs: 0,
            unmoved_pairs: 0,
            last_motion: ShapeMotion::NONE,
            last_turning: f32::INFINITY,
            lost: ShapeMotion::NONE,
            reach: shape.aabb(),
            known: shape.aabb(),
            shape,
            row: 0,
            block: 0,
        }
    }

    pub(in crate::dynamics) fn is_awake(&self) -> bool {
        self.island == NONE
    }

    /// Its velocity after a step in which nothing is in its way.
    pub(in crate::dynamics) fn velocity_after(&self, dt: f32, config: &DynamicsConfig) -> Vec3 {
        let body = &self.body;
        let gravity = if self.is_dynamic() { config.gravity * body.gravity_scale } else { Vec3::ZERO };
        body.velocity + (gravity + self.force * self.inverse_mass) * dt
    }

    /// How far its points get in a step besides, whichever way it turns.
    pub(in crate::dynamics) fn turning_in(&self, dt: f32) -> f32 {
        self.radius * (self.body.angular_velocity.length() * dt).min(2.0)
    }

    /// Whether its object exists, may move, and has the shape of the body.
    pub(in crate::dynamics) fn is_of(&self, world: &World) -> bool {
        let is_it = |object: ObjectRef<'_>| object.mobility == Mobility::Moving && self.shape.is(&object.shape);
        world.object(self.key).is_some_and(is_it)
    }

    /// Returns the body with the shape that its object has now; `None` if that is gone, fixed, or cannot be a body.
    pub(in crate::dynamics) fn edited(&self, world: &World) -> Option<Self> {
        world.object(self.key).filter(|object| object.mobility == Mobility::Moving)?;
        let shape = BodyShape::of(world, self.key, &self.body, None)?;
        let mass = MassProperties::new(&shape, self.body.mass);
        Some(Self::new(self.key, self.body, shape, mass))
    }

    /// Where its centre is, with what rounding took.
    pub(in crate::dynamics) fn position(&self) -> DVec3 {
        self.shape.center().as_dvec3() + self.lost.motion.as_dvec3()
    }

    /// Returns the velocity of its point at a point of the world.
    pub(in crate::dynamics) fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.body.velocity + self.body.angular_velocity.cross(point - self.shape.center())
    }

    pub(in crate::dynamics) fn is_dynamic(&self) -> bool {
        self.body.kind == BodyKind::Dynamic
    }

    /// The inverse inertia about the axes of the world: xx, yy, zz, yz, xz, xy; 0 where contacts do not turn it.
    pub(in crate::dynamics) fn world_inertia(&self) -> [f32; 6] {
        let [a, b, c] = self.axes;
        let [x, y, z] = self.inverse_inertia.to_array();
        let entry = |i: usize, j: usize| {
            let is_locked = self.body.locked_rotation.test(i) || self.body.locked_rotation.test(j);
            if is_locked { 0.0 } else { x * a[i] * a[j] + y * b[i] * b[j] + z * c[i] * c[j] }
        };
        [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(0, 2), entry(0, 1)]
    }

    /// The change of angular velocity caused by a torque that acts for a second.
    pub(in crate::dynamics) fn turned_by(&self, torque: Vec3) -> Vec3 {
        let [xx, yy, zz, yz, xz, xy] = self.inertia;
        Vec3::new(
            xx * torque.x + xy * torque.y + xz * torque.z,
            xy * torque.x + yy * torque.y + yz * torque.z,
            xz * torque.x + yz * torque.y + zz * torque.z,
        )
    }
}
