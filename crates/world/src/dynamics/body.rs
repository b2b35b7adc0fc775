//! What a rigid body is: mass, motion, and how its surface behaves.

use crate::Shape;
use cullide_narrowphase::{Error, glam::Vec3};

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyKind {
    /// Gravity, contacts and forces.
    #[default]
    Dynamic,
    /// Its velocity alone: a lift, a door, a press. It pushes and carries what it touches, and nothing stops it.
    Kinematic,
}

/// How much mass a body has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Mass {
    /// So much a unit of volume; at least 2^-40 in all.
    Density(f32),
    /// So much in all, spread evenly over the shape.
    Total(f32),
}

/// How a surface rubs and rebounds.
///
/// Of two surfaces that touch, friction is the geometric mean, so that ice stays slippery under everything, and
/// restitution the larger of the two, so that a rubber ball rebounds from everything.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Coulomb's coefficient of friction, 0 or more.
    pub friction: f32,
    /// The share of the speed of an approach with which the two part, 0 to 1.
    pub restitution: f32,
    /// In units a second: how fast the surface itself runs, as that of a conveyor belt.
    pub surface_velocity: Vec3,
}

impl Default for Material {
    /// Friction of 0.6, as of wood on wood; no rebound.
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.0, surface_velocity: Vec3::ZERO }
    }
}

impl Material {
    pub(crate) fn checked(self) -> Result<Self, Error> {
        if !(self.friction.is_finite() && self.restitution.is_finite() && self.surface_velocity.is_finite()) {
            return Err(Error::NonFinite { field: "material" });
        }
        if self.friction < 0.0 || self.restitution < 0.0 {
            return Err(Error::Negative { field: "material" });
        }
        Ok(Self { restitution: self.restitution.min(1.0), ..self })
    }
}

/// A rigid body, as the caller describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidBody {
    /// What moves it.
    pub kind: BodyKind,
    /// Its mass; of no meaning for a kinematic one.
    pub mass: Mass,
    /// How its surface behaves.
    pub material: Material,
    /// Of its centre, in units a second.
    pub velocity: Vec3,
    /// In radians a second.
    pub angular_velocity: Vec3,
    /// How much of the gravity it feels.
    pub gravity_scale: f32,
    /// The share of its velocity that it loses in a second, 0 for none: `1 / (1 + damping dt)` is left after `dt`.
    pub linear_damping: f32,
    /// The same of its angular velocity.
    pub angular_damping: f32,
    /// Along which axes of the world it may not move: a bit each, 1 for x, 2 for y, 4 for z.
    pub locked_translation: u8,
    /// About which axes of the world it may not turn: a bit each, 1 for x, 2 for y, 4 for z.
    pub locked_rotation: u8,
    /// Whether it may fall asleep when it rests.
    pub can_sleep: bool,
    /// Whether it only reports what it touches, and neither pushes nor is pushed.
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
            locked_translation: 0,
            locked_rotation: 0,
            can_sleep: true,
            is_sensor: false,
        }
    }
}

impl RigidBody {
    /// A dynamic body: [`RigidBody::default`].
    pub fn dynamic() -> Self {
        Self::default()
    }

    /// A body that only its velocity moves.
    ///
    /// ```
    /// # use cullide_world::{BodyKind, RigidBody, glam::Vec3};
    /// let lift = RigidBody { velocity: Vec3::Y, ..RigidBody::kinematic() };
    /// assert_eq!(lift.kind, BodyKind::Kinematic);
    /// ```
    pub fn kinematic() -> Self {
        Self { kind: BodyKind::Kinematic, ..Self::default() }
    }

    pub(crate) fn checked(self) -> Result<Self, Error> {
        let mass = match self.mass {
            Mass::Density(mass) | Mass::Total(mass) => mass,
        };
        let numbers = [mass, self.gravity_scale, self.linear_damping, self.angular_damping];
        let vectors = [self.velocity, self.angular_velocity];
        if !(numbers.iter().all(|number| number.is_finite()) && vectors.iter().all(|vector| vector.is_finite())) {
            return Err(Error::NonFinite { field: "body" });
        }
        if mass <= 0.0 || self.linear_damping < 0.0 || self.angular_damping < 0.0 {
            return Err(Error::Negative { field: "body" });
        }
        Ok(Self { material: self.material.checked()?, ..self })
    }
}

/// Mass and moments of inertia about the principal axes of a shape, through its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MassProperties {
    pub(crate) mass: f32,
    pub(crate) inertia: Vec3,
}

/// Lighter than this, 2^-40, no body is: so that all impulses are finite.
const LEAST_MASS: f64 = 1.0 / (1u64 << 40) as f64;

impl MassProperties {
    /// Of a shape that a body may have; `None` for another.
    pub(crate) fn new(shape: &Shape, mass: Mass) -> Option<Self> {
        // Volume, and the squares of the radii of gyration about the axes of `axes`.
        let (volume, gyration) = match shape {
            Shape::Aabb(shape) => of_box((0.5 * (shape.max() - shape.min())).as_dvec3().to_array()),
            Shape::Obb(shape) => of_box(shape.half_edges().map(|edge| edge.as_dvec3().length())),
            Shape::Sphere(shape) => {
                let radius = f64::from(shape.radius());
                (4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius, [0.4 * radius * radius; 3])
            }
            Shape::Capsule(shape) => of_capsule(shape.half_axis().as_dvec3().length(), f64::from(shape.radius())),
            _ => return None,
        };
        let mass = match mass {
            Mass::Density(density) => f64::from(density) * volume,
            Mass::Total(mass) => f64::from(mass),
        };
        let mass = mass.clamp(LEAST_MASS, 1.0 / LEAST_MASS);
        let inertia = gyration.map(|square| (mass * square) as f32);
        Some(Self { mass: mass as f32, inertia: Vec3::from(inertia) })
    }
}

/// Half extents a, b, c: (b² + c²) / 3 about the first axis.
fn of_box([a, b, c]: [f64; 3]) -> (f64, [f64; 3]) {
    let (x, y, z) = (a * a / 3.0, b * b / 3.0, c * c / 3.0);
    (8.0 * a * b * c, [y + z, x + z, x + y])
}

/// Along y: a cylinder, and two halves of a ball whose centres of mass are 3/8 of the radius beyond its ends.
fn of_capsule(half: f64, radius: f64) -> (f64, [f64; 3]) {
    let square = radius * radius;
    let cylinder = std::f64::consts::PI * square * 2.0 * half;
    let ball = 4.0 / 3.0 * std::f64::consts::PI * square * radius;
    let volume = cylinder + ball;
    if volume <= 0.0 {
        // A rod without a volume.
        let across = half * half / 3.0;
        return (0.0, [across, 0.0, across]);
    }
    let about = (cylinder * 0.5 * square + ball * 0.4 * square) / volume;
    let along = cylinder * (0.25 * square + half * half / 3.0);
    let ends = ball * (0.4 * square + half * half + 0.75 * half * radius);
    let across = (along + ends) / volume;
    (volume, [across, about, across])
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::{Aabb, Capsule, Sphere};

    #[test]
    fn a_long_capsule_is_nearly_a_rod_and_one_without_length_a_ball() {
        let rod: Shape = Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * 50.0, 0.01).unwrap().into();
        let properties = MassProperties::new(&rod, Mass::Total(3.0)).unwrap();
        assert!((properties.inertia.x / (3.0 * 50.0 * 50.0 / 3.0) - 1.0).abs() < 1e-3);
        let [ball, capsule]: [Shape; 2] = [
            Sphere::new(Vec3::ZERO, 2.0).unwrap().into(),
            Capsule::from_half_axis(Vec3::ZERO, Vec3::ZERO, 2.0).unwrap().into(),
        ];
        let of = |shape| MassProperties::new(shape, Mass::Density(2.0)).unwrap();
        assert_eq!(of(&ball), of(&capsule));
    }

    #[test]
    fn a_crate_of_two_by_four_by_six() {
        let shape = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 4.0, 6.0)).unwrap().into();
        let properties = MassProperties::new(&shape, Mass::Density(0.5)).unwrap();
        assert_eq!(properties.mass, 24.0);
        assert_eq!(properties.inertia, 24.0 * Vec3::new(13.0, 10.0, 5.0) / 3.0);
    }
}
