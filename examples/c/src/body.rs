//! Rigid bodies.

use crate::{
    CullidePose, CullideVec3, CullideWorld,
    key::{self, CullideKey},
    memory::given,
    status::{CullideStatus, Failure, guard},
};
use cullide_world::{
    BodyKind, BodyMut, Dynamics, DynamicsConfig, Mass, Material, RigidBody,
    glam::{BVec3, Mat3, Vec3},
    narrowphase::Error,
};
use std::mem::MaybeUninit;

/// The rigid bodies of one world: what steps know about them beside their objects.
#[derive(Debug)]
pub struct CullideDynamics {
    pub(crate) dynamics: Dynamics,
}

/// Gravity, contacts and forces move it.
pub const CULLIDE_DYNAMIC: u32 = 0;
/// Only its velocity moves it, and nothing stops it: a lift, a door, a ship. It may be a mesh.
pub const CULLIDE_KINEMATIC: u32 = 1;

/// `mass` is mass per unit of volume.
pub const CULLIDE_MASS_DENSITY: u32 = 0;
/// `mass` is the mass of the whole body, spread evenly over its shape.
pub const CULLIDE_MASS_TOTAL: u32 = 1;
/// `mass`, `center` and `inertia` are given.
pub const CULLIDE_MASS_GIVEN: u32 = 2;

/// How a surface behaves in contact.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideMaterial {
    /// Coulomb's coefficient of friction, 0 or more.
    pub friction: f32,
    /// The fraction of the speed of approach with which the two part, 0 to 1.
    pub restitution: f32,
    /// The tangent of the steepest slope on which a ball stays put, 0 or more.
    pub rolling_resistance: f32,
    /// How fast the surface itself runs, as that of a conveyor belt does, in units per second.
    pub surface_velocity: CullideVec3,
}

/// The description of a rigid body.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideRigidBody {
    /// `CULLIDE_DYNAMIC` or `CULLIDE_KINEMATIC`.
    pub kind: u32,
    /// `CULLIDE_MASS_DENSITY`, `CULLIDE_MASS_TOTAL` or `CULLIDE_MASS_GIVEN`; the mass of a kinematic body does not matter.
    pub mass_kind: u32,
    /// More than 0.
    pub mass: f32,
    /// For `CULLIDE_MASS_GIVEN`, the centre of mass about the origin of the shape.
    pub center: CullideVec3,
    /// For `CULLIDE_MASS_GIVEN`, the columns of the tensor of inertia about the centre of mass.
    pub inertia: [CullideVec3; 3],
    /// How its surface behaves.
    pub material: CullideMaterial,
    /// The velocity of its centre, in units per second.
    pub velocity: CullideVec3,
    /// In radians per second.
    pub angular_velocity: CullideVec3,
    /// The multiple of gravity that it feels.
    pub gravity_scale: f32,
    /// The rate at which it loses its velocity, per second, 0 for none.
    pub linear_damping: f32,
    /// The same for its angular velocity.
    pub angular_damping: f32,
    /// The axes along which it cannot move: 1 for x, 2 for y, 4 for z, or a sum of them.
    pub locked_translation: u8,
    /// The axes about which it cannot turn.
    pub locked_rotation: u8,
    /// 0 if it must stay awake.
    pub can_sleep: u8,
    /// Not 0 if it only reports what it touches.
    pub is_sensor: u8,
}

/// A rigid body at one moment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideBodyState {
    /// The velocity of its centre, in units per second.
    pub velocity: CullideVec3,
    /// In radians per second.
    pub angular_velocity: CullideVec3,
    /// Its mass; 0 for a kinematic body.
    pub mass: f32,
    /// Its centre of mass, in the world.
    pub center: CullideVec3,
    /// 1 if it sleeps.
    pub is_asleep: u8,
}

/// Settings of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideDynamicsConfig {
    /// In units per second squared.
    pub gravity: CullideVec3,
    /// The number of equal parts into which a step is divided, 1 to `CULLIDE_MAX_SUBSTEPS`.
    pub substeps: u32,
    /// How far apart bodies come to rest, a length.
    pub skin: f32,
    /// The distance up to which contacts are known.
    pub margin: f32,
    /// The greatest speed at which bodies that penetrate are pushed apart, in units per second.
    pub push_speed: f32,
    /// Slower approaches do not rebound, in units per second.
    pub restitution_speed: f32,
    /// A body slower than this for `sleep_seconds` may fall asleep.
    pub sleep_speed: f32,
    /// See `sleep_speed`.
    pub sleep_seconds: f32,
}

/// More parts of a step do not make it better, only longer.
pub const CULLIDE_MAX_SUBSTEPS: u32 = 1000;

impl From<DynamicsConfig> for CullideDynamicsConfig {
    fn from(config: DynamicsConfig) -> Self {
        Self {
            gravity: config.gravity.into(),
            substeps: config.substeps,
            skin: config.skin,
            margin: config.margin,
            push_speed: config.push_speed,
            restitution_speed: config.restitution_speed,
            sleep_speed: config.sleep_speed,
            sleep_seconds: config.sleep_seconds,
        }
    }
}

impl CullideDynamicsConfig {
    pub(crate) fn config(&self) -> Result<DynamicsConfig, Failure> {
        let config = DynamicsConfig {
            gravity: self.gravity.into(),
            substeps: self.substeps,
            skin: self.skin,
            margin: self.margin,
            push_speed: self.push_speed,
            restitution_speed: self.restitution_speed,
            sleep_speed: self.sleep_speed,
            sleep_seconds: self.sleep_seconds,
        };
        let lengths =
            [self.skin, self.margin, self.push_speed, self.restitution_speed, self.sleep_speed, self.sleep_seconds];
        let are_fit = lengths.iter().all(|number| *number >= 0.0) && config.gravity.is_finite();
        if !are_fit || !(1..=CULLIDE_MAX_SUBSTEPS).contains(&self.substeps) {
            let message = "`config` holds a number that is out of range; change what cullide_dynamics_config() returns";
            return Err(Failure::new(CullideStatus::BadValue, message));
        }
        Ok(config)
    }
}

impl CullideMaterial {
    fn material(&self) -> Material {
        Material {
            friction: self.friction,
            restitution: self.restitution,
            rolling_resistance: self.rolling_resistance,
            surface_velocity: self.surface_velocity.into(),
        }
    }
}

impl CullideRigidBody {
    fn body(&self) -> Result<RigidBody, Failure> {
        let kind = match self.kind {
            CULLIDE_DYNAMIC => BodyKind::Dynamic,
            CULLIDE_KINEMATIC => BodyKind::Kinematic,
            kind => return Err(Failure::choice("kind", kind, "CULLIDE_DYNAMIC or CULLIDE_KINEMATIC")),
        };
        let mass = match self.mass_kind {
            CULLIDE_MASS_DENSITY => Mass::Density(self.mass),
            CULLIDE_MASS_TOTAL => Mass::Total(self.mass),
            CULLIDE_MASS_GIVEN => {
                let [x, y, z] = self.inertia.map(Vec3::from);
                Mass::Given { mass: self.mass, center: self.center.into(), inertia: Mat3::from_cols(x, y, z) }
            }
            kind => {
                return Err(Failure::choice(
                    "mass_kind",
                    kind,
                    "CULLIDE_MASS_DENSITY, CULLIDE_MASS_TOTAL or CULLIDE_MASS_GIVEN",
                ));
            }
        };
        Ok(RigidBody {
            kind,
            mass,
            material: self.material.material(),
            velocity: self.velocity.into(),
            angular_velocity: self.angular_velocity.into(),
            gravity_scale: self.gravity_scale,
            linear_damping: self.linear_damping,
            angular_damping: self.angular_damping,
            locked_translation: axes(self.locked_translation),
            locked_rotation: axes(self.locked_rotation),
            can_sleep: self.can_sleep != 0,
            is_sensor: self.is_sensor != 0,
        })
    }
}

/// Returns the settings for metres and seconds, with gravity along -y.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_dynamics_config() -> CullideDynamicsConfig {
    DynamicsConfig::default().into()
}

/// Returns the description of a dynamic body of density 1 at rest.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_rigid_body() -> CullideRigidBody {
    let (body, none) = (RigidBody::default(), CullideVec3::default());
    CullideRigidBody {
        kind: CULLIDE_DYNAMIC,
        mass_kind: CULLIDE_MASS_DENSITY,
        mass: 1.0,
        center: none,
        inertia: [none; 3],
        material: CullideMaterial {
            friction: body.material.friction,
            restitution: body.material.restitution,
            rolling_resistance: body.material.rolling_resistance,
            surface_velocity: none,
        },
        velocity: none,
        angular_velocity: none,
        gravity_scale: body.gravity_scale,
        linear_damping: body.linear_damping,
        angular_damping: body.angular_damping,
        locked_translation: body.locked_translation.bitmask() as u8,
        locked_rotation: body.locked_rotation.bitmask() as u8,
        can_sleep: body.can_sleep.into(),
        is_sensor: body.is_sensor.into(),
    }
}

/// Creates dynamics without bodies, which `cullide_dynamics_free` frees.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_dynamics_new(
    dynamics: Option<&mut MaybeUninit<Option<Box<CullideDynamics>>>>,
) -> CullideStatus {
    guard(|| {
        given(dynamics, "dynamics")?.write(Some(Box::new(CullideDynamics { dynamics: Dynamics::new() })));
        Ok(())
    })
}

/// Creates a copy of dynamics, for a copy of its world.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_dynamics_clone(
    dynamics: Option<&CullideDynamics>,
    copy: Option<&mut MaybeUninit<Option<Box<CullideDynamics>>>>,
) -> CullideStatus {
    guard(|| {
        let dynamics = given(dynamics, "dynamics")?.dynamics.clone();
        given(copy, "copy")?.write(Some(Box::new(CullideDynamics { dynamics })));
        Ok(())
    })
}

/// Frees dynamics; NULL does nothing. The objects stay in their world.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_dynamics_free(dynamics: Option<Box<CullideDynamics>>) {
    guard(|| {
        drop(dynamics);
        Ok(())
    });
}

/// Makes an object a rigid body, or gives the body that it is another description. The object becomes moving.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_insert(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&mut CullideWorld>,
    key: CullideKey,
    body: Option<&CullideRigidBody>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, given(world, "world")?);
        let (object, body) = (key::object(&world.world, key)?, given(body, "body")?.body()?);
        dynamics.dynamics.insert(&mut world.world, object, body)?;
        Ok(())
    })
}

/// Makes a rigid body an object like others. To remove both, remove the object.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_remove(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, given(world, "world")?);
        let object = key::object(&world.world, key)?;
        dynamics.dynamics.remove(object).map(|_| ()).ok_or_else(|| no_body(key))
    })
}

/// Reads the state of a rigid body; for its pose, see `cullide_poses`.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_state(
    dynamics: Option<&CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    state: Option<&mut MaybeUninit<CullideBodyState>>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (&given(dynamics, "dynamics")?.dynamics, &given(world, "world")?.world);
        let object = key::object(world, key)?;
        let body = dynamics.body(object).ok_or_else(|| no_body(key))?;
        let mass = body.mass(world);
        given(state, "state")?.write(CullideBodyState {
            velocity: body.velocity.into(),
            angular_velocity: body.angular_velocity.into(),
            mass: mass.map_or(0.0, |mass| mass.mass),
            center: mass.map(|mass| mass.center.into()).unwrap_or_default(),
            is_asleep: body.is_asleep().into(),
        });
        Ok(())
    })
}

/// Sets the velocity of a rigid body, in units per second, and its angular velocity, in radians per second.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_set_velocity(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    velocity: CullideVec3,
    angular_velocity: CullideVec3,
) -> CullideStatus {
    of_body(dynamics, world, key, |mut body| body.set_velocity(velocity.into(), angular_velocity.into()))
}

/// Gives a kinematic body the velocities with which a step of `dt` seconds takes it to a pose.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_move_to(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    pose: CullidePose,
    dt: f32,
) -> CullideStatus {
    let (rotation, position) = pose.parts();
    of_body(dynamics, world, key, |mut body| body.move_kinematic(rotation, position, dt))
}

/// Applies an impulse, of mass times velocity, to a dynamic body at a point of the world. A kinematic one stays as it is.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_apply_impulse(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    impulse: CullideVec3,
    point: CullideVec3,
) -> CullideStatus {
    of_body(dynamics, world, key, |mut body| body.apply_impulse(impulse.into(), point.into()))
}

/// Applies an angular impulse, of moment of inertia times angular velocity, to a dynamic body. A kinematic one stays as it
/// is.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_apply_angular_impulse(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    impulse: CullideVec3,
) -> CullideStatus {
    of_body(dynamics, world, key, |mut body| body.apply_angular_impulse(impulse.into()))
}

/// Applies a force at the centre of a dynamic body and a torque during the next step. Kinematic ones and sensors stay as
/// they are.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_apply_force(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    force: CullideVec3,
    torque: CullideVec3,
) -> CullideStatus {
    of_body(dynamics, world, key, |mut body| body.apply_force(force.into(), torque.into()))
}

/// Applies a force at a point of the world to a dynamic body during the next step. Kinematic ones and sensors stay as
/// they are.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_apply_force_at(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    force: CullideVec3,
    point: CullideVec3,
) -> CullideStatus {
    of_body(dynamics, world, key, |mut body| body.apply_force_at(force.into(), point.into()))
}

/// Wakes a rigid body, with all that it touches.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_body_wake(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
) -> CullideStatus {
    of_body(dynamics, world, key, |mut body| {
        body.wake();
        Ok(())
    })
}

/// Sets the material of an object, a rigid body or not, or of a plane.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_set_material(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    material: Option<&CullideMaterial>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, given(world, "world")?);
        let target = key::target(&world.world, key)?;
        dynamics.dynamics.set_material(&world.world, target, given(material, "material")?.material())?;
        Ok(())
    })
}

/// Makes two objects go through each other (`ignored` not 0), such as the two halves of a hinge, or meet again (0).
#[unsafe(no_mangle)]
pub extern "C" fn cullide_ignore_pair(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    first: CullideKey,
    second: CullideKey,
    ignored: u8,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, &given(world, "world")?.world);
        let (first, second) = (key::object(world, first)?, key::object(world, second)?);
        if ignored != 0 {
            dynamics.dynamics.ignore_pair(world, first, second)?;
        } else {
            dynamics.dynamics.restore_pair(first, second);
        }
        Ok(())
    })
}

fn no_body(key: CullideKey) -> Failure {
    Failure::new(
        CullideStatus::WrongShape,
        format!(
            "{key:#x} names an object that is no rigid body of the kind for this; cullide_body_insert makes it one"
        ),
    )
}

/// The axes whose bits are set: 1 for x, 2 for y, 4 for z.
fn axes(bits: u8) -> BVec3 {
    BVec3::from_array([1, 2, 4].map(|axis| bits & axis != 0))
}

/// Changes one body.
fn of_body(
    dynamics: Option<&mut CullideDynamics>,
    world: Option<&CullideWorld>,
    key: CullideKey,
    change: impl FnOnce(BodyMut) -> Result<(), Error>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, given(world, "world")?);
        let object = key::object(&world.world, key)?;
        if !dynamics.dynamics.is_in(&world.world) {
            return Err(Error::OtherWorld { field: "world" }.into());
        }
        Ok(change(dynamics.dynamics.body_mut(&world.world, object).ok_or_else(|| no_body(key))?)?)
    })
}
