//! The description of a rigid body: mass, motion, and how its surface behaves.

use super::moments::{principal, symmetric};
use cullide_narrowphase::{
    Error, MAX_COORDINATE,
    glam::{BVec3, DVec3, Mat3, Vec3},
};

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BodyKind {
    /// Gravity, contacts and forces.
    #[default]
    Dynamic,
    /// Its velocity alone: a lift, a door, a ship. It pushes and carries what it touches, and nothing stops it. Only a body
    /// of this kind may be a mesh, a terrain, or a compound of anything.
    Kinematic,
}

/// The mass of a body, and how it is distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Mass {
    /// Mass per unit of volume; the body's mass is between 2^-40 and 2^40.
    Density(f32),
    /// The mass of the whole body, spread evenly over the shape; between 2^-40 and 2^40.
    Total(f32),
    /// Mass, centre and inertia, whatever the shape: a car with its engine in front, a figure that rights itself. It
    /// stays the same if the object gets another shape. [`Mass::of_parts`] computes it from parts of different densities.
    ///
    /// The first step replaces a box, a ball, a capsule or a cylinder by a [`Compound`](crate::Compound) of this one child, which
    /// shows how it is turned.
    ///
    /// ```
    /// use cullide_world::{Dynamics, DynamicsConfig, Mass, Object, RigidBody, World};
    /// use cullide_world::{glam::{Mat3, Quat, Vec3}, narrowphase::{Plane, Sphere}};
    /// // A tumbler: a ball with most of its mass at the bottom, which lies on its side.
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::Y, 1.0)?));
    /// world.object_mut(ball).unwrap().set_transform(Quat::from_rotation_z(1.5), Vec3::Y)?;
    /// let mass = Mass::Given { mass: 2.0, center: Vec3::Y * -0.6, inertia: Mat3::IDENTITY * 0.4 };
    /// let tumbler = RigidBody { mass, angular_damping: 1.0, ..RigidBody::dynamic() };
    /// dynamics.insert(&mut world, ball, tumbler)?;
    /// for _ in 0..600 {
    ///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
    /// }
    /// let up = world.object(ball).unwrap().transform().0 * Vec3::Y;
    /// assert!(up.y > 0.99, "{up}");
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    Given {
        /// Less than 2^-40 counts as that, more than 2^40 as that.
        mass: f32,
        /// The centre of mass, in the coordinates that [`ObjectRef::transform`](crate::ObjectRef::transform) takes into the
        /// world: for a box, a ball, a capsule or a cylinder, relative to its centre.
        center: Vec3,
        /// The tensor of inertia about the centre of mass, along the axes of the same coordinates: of mass times squared
        /// length. Nothing turns a body about a principal axis with a moment of 0.
        inertia: Mat3,
    },
}

/// By this share of its trace a tensor of inertia may violate what holds for all of them: it may be the result of a long
/// computation with `f32`.
const ROUNDED: f32 = 1e-4;

impl Mass {
    pub(in crate::dynamics) fn check(self) -> Result<(), Error> {
        let (Self::Density(mass) | Self::Total(mass) | Self::Given { mass, .. }) = self;
        finite("mass", mass.is_finite())?;
        if mass <= 0.0 {
            return Err(Error::NotPositive { field: "mass" });
        }
        let Self::Given { center, inertia, .. } = self else { return Ok(()) };
        finite("center", center.is_finite())?;
        if center.abs().max_element() > MAX_COORDINATE {
            return Err(Error::OutOfRange { field: "center" });
        }
        finite("inertia", inertia.is_finite())?;
        let tensor = inertia.as_dmat3();
        let trace = tensor.x_axis.x + tensor.y_axis.y + tensor.z_axis.z;
        let rounded = f64::from(ROUNDED) * trace;
        let skew = (tensor - tensor.transpose()).abs();
        let [x, y, z] = principal(&symmetric(&tensor)).0;
        // If none is larger than the sum of the others, none is negative.
        let is_one = [skew.x_axis, skew.y_axis, skew.z_axis].iter().all(|axis| axis.max_element() <= rounded)
            && x.max(y).max(z) <= 0.5 * trace + rounded;
        if is_one { Ok(()) } else { Err(Error::NotAnInertia { field: "inertia" }) }
    }
}

/// How a surface behaves in contact.
///
/// For two surfaces that touch, friction is the geometric mean, so that ice stays slippery under everything, and
/// restitution and rolling resistance are the larger of the two, so that a rubber ball rebounds from everything and
/// every ball comes to rest on grass. Bodies that touch at a point are treated as touching on a patch of ten skins, at
/// whose edge friction resists spinning.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Coulomb's coefficient of friction, 0 or more.
    pub friction: f32,
    /// The fraction of the approach speed with which the two part, 0 to 1.
    pub restitution: f32,
    /// The tangent of the steepest slope on which a ball, a capsule or a lying cylinder stays put, 0 or more: on level ground it
    /// decelerates by 5/7 (a ball) or about 2/3 (a capsule) of gravity times this value. It has no effect on shapes
    /// without a radius to roll with, such as a box or a hull.
    ///
    /// Source: Johnson, "Contact Mechanics", section 9.1 (resistance to rolling as a torque).
    pub rolling_resistance: f32,
    /// In units per second: how fast the surface itself runs, as that of a conveyor belt does.
    pub surface_velocity: Vec3,
}

impl Default for Material {
    /// A friction of 0.6, as of wood on wood; no rebound, no rolling resistance.
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.0, rolling_resistance: 0.0, surface_velocity: Vec3::ZERO }
    }
}

impl Material {
    pub(crate) fn checked(self) -> Result<Self, Error> {
        finite("surface_velocity", self.surface_velocity.is_finite())?;
        not_negative("friction", self.friction)?;
        not_negative("restitution", self.restitution)?;
        not_negative("rolling_resistance", self.rolling_resistance)?;
        Ok(Self { restitution: self.restitution.min(1.0), ..self })
    }
}

fn finite(field: &'static str, is_finite: bool) -> Result<(), Error> {
    if is_finite { Ok(()) } else { Err(Error::NonFinite { field }) }
}

fn not_negative(field: &'static str, number: f32) -> Result<(), Error> {
    finite(field, number.is_finite())?;
    if number < 0.0 { Err(Error::Negative { field }) } else { Ok(()) }
}

/// The square of the sine of the least angle between a contact normal and the locked axes at which a body is pushed
/// back.
const LEAST_FREE: f64 = 1.0 / 16.0;

/// The description of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidBody {
    /// What moves it.
    pub kind: BodyKind,
    /// Its mass; ignored for a kinematic body.
    pub mass: Mass,
    /// How its surface behaves.
    pub material: Material,
    /// The velocity of its centre, in units per second.
    pub velocity: Vec3,
    /// In radians per second.
    pub angular_velocity: Vec3,
    /// The multiple of the gravity that it feels.
    pub gravity_scale: f32,
    /// The rate at which it loses its velocity, per second, 0 for none: `1 / (1 + damping dt)` of it is left after each
    /// sub-step, of which there are [`DynamicsConfig::substeps`](crate::DynamicsConfig::substeps) in a step, so about
    /// `exp(-damping t)` after a time `t`.
    pub linear_damping: f32,
    /// The same for its angular velocity.
    pub angular_damping: f32,
    /// The axes of the world along which it cannot move.
    pub locked_translation: BVec3,
    /// The axes of the world about which it cannot turn.
    pub locked_rotation: BVec3,
    /// Whether it may fall asleep when it rests.
    pub can_sleep: bool,
    /// Whether it only reports what it touches, and neither pushes nor is pushed: only its velocity moves it, whatever
    /// its kind, and gravity, forces, damping and locked axes have no effect on it. It reports dynamic bodies;
    /// [`Triggers`](crate::Triggers) report characters, kinematic bodies and all other objects, too. A body that passes through it from
    /// one step to the next is not reported: make the sensor as thick as the path per step of what it should detect.
    pub is_sensor: bool,
}

impl Default for RigidBody {
    /// A dynamic body of density 1 at rest.
    fn default() -> Self {
        Self {
            kind: BodyKind::Dynamic,
            mass: Mass::Density(1.0),
            material: Material::default(),
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked_translation: BVec3::FALSE,
            locked_rotation: BVec3::FALSE,
            can_sleep: true,
            is_sensor: false,
        }
    }
}

impl RigidBody {
    /// The shortest displacement along free axes that has a component of 1 along a unit normal; `None` if it would be
    /// long compared to that, or does not exist.
    pub(in crate::dynamics) fn freed(&self, normal: DVec3) -> Option<DVec3> {
        if !self.locked_translation.any() {
            return Some(normal);
        }
        let free = DVec3::select(self.locked_translation, DVec3::ZERO, normal);
        let share = normal.dot(free);
        (share > LEAST_FREE).then(|| free / share)
    }

    /// Returns a dynamic body: [`RigidBody::default`].
    pub fn dynamic() -> Self {
        Self::default()
    }

    /// Returns a body that only its velocity moves.
    ///
    /// ```
    /// use cullide_world::{Dynamics, DynamicsConfig, Mesh, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// // A raft of two triangles, and a ball that it lifts.
    /// let corners = [(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let raft = world.insert(Object::moving(Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]])?));
    /// dynamics.insert(&mut world, raft, RigidBody { velocity: Vec3::Y, ..RigidBody::kinematic() })?;
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::Y * 0.501, 0.5)?));
    /// dynamics.insert(&mut world, ball, RigidBody::dynamic())?;
    /// for _ in 0..120 {
    ///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
    /// }
    /// let [raft, ball] = [raft, ball].map(|key| world.object(key).unwrap().transform().1.y);
    /// assert!((raft - 2.0).abs() < 1e-3 && (ball - 2.5).abs() < 0.01, "{raft} {ball}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kinematic() -> Self {
        Self { kind: BodyKind::Kinematic, ..Self::default() }
    }

    pub(crate) fn checked(self) -> Result<Self, Error> {
        self.mass.check()?;
        finite("velocity", self.velocity.is_finite())?;
        finite("angular_velocity", self.angular_velocity.is_finite())?;
        finite("gravity_scale", self.gravity_scale.is_finite())?;
        not_negative("linear_damping", self.linear_damping)?;
        not_negative("angular_damping", self.angular_damping)?;
        Ok(Self { material: self.material.checked()?, ..self })
    }
}
