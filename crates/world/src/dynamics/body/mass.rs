//! The mass of a body, and its resistance to rotation.

use super::{
    moments::{moments_of, of_ball, of_box, of_capsule, of_cylinder, symmetric},
    pose::BodyShape,
};
use crate::{Mass, Shape, World, dynamics::BodyRef};
use cullide_narrowphase::{Error, Mapped, Moments, glam::Vec3};

/// The mass of a body, its centre of mass, and its moments of inertia: see [`BodyRef::mass`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyMass {
    /// The mass, in units of density times cubed units of length.
    pub mass: f32,
    /// The centre of mass, in the world.
    pub center: Vec3,
    /// The principal axes through it, as unit vectors in the world.
    pub axes: [Vec3; 3],
    /// The moments of inertia about these axes; 0 about an axis about which nothing can turn it. None other is less than
    /// 2^-40 of the largest.
    pub inertia: Vec3,
}

impl BodyRef<'_> {
    /// Returns the mass of a dynamic body and how it is distributed, where the body is now; `None` for a kinematic one,
    /// and if its object is no longer in the world.
    ///
    /// Boxes, balls, capsules and cylinders are integrated in closed form, brushes and hulls over their faces
    /// ([`Brush::moments`](cullide_narrowphase::Brush::moments)). Those of a compound are the sum of its children's:
    /// where two children overlap, the common volume counts twice. [`Mass::Given`] is the mass of any shape.
    ///
    /// ```
    /// use cullide_world::{Compound, Dynamics, Object, RigidBody, Shape, World, glam::Vec3, narrowphase::Aabb};
    /// let part = |min: Vec3, max: Vec3| Aabb::new(min, max).map(Shape::from);
    /// // A handle, and a head of twice its mass at its end.
    /// let handle = part(Vec3::new(0.0, -0.5, -0.5), Vec3::new(8.0, 0.5, 0.5))?;
    /// let head = part(Vec3::new(8.0, -2.0, -1.0), Vec3::new(10.0, 2.0, 1.0))?;
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let hammer = world.insert(Object::moving(Compound::new([handle, head])?));
    /// dynamics.insert(&mut world, hammer, RigidBody::dynamic())?;
    /// let mass = dynamics.body(hammer).unwrap().mass(&world).unwrap();
    /// assert_eq!((mass.mass, mass.center), (24.0, Vec3::new((8.0 * 4.0 + 16.0 * 9.0) / 24.0, 0.0, 0.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mass(&self, world: &World) -> Option<BodyMass> {
        let state = self.current(world).filter(|state| state.is_dynamic())?;
        let moment = |inverse: f32| if inverse > 0.0 { 1.0 / inverse } else { 0.0 };
        Some(BodyMass {
            mass: 1.0 / state.inverse_mass,
            center: state.shape.center(),
            axes: state.axes,
            inertia: Vec3::from(state.inverse_inertia.to_array().mapped(moment)),
        })
    }
}

impl Mass {
    /// Returns the mass of a body that consists of solid parts with a density each: for example of the children of a
    /// compound, in their order. The parts may also be others than those that collide, such as an engine within a hull.
    ///
    /// They are in the coordinates of [`Mass::Given`]. Where two of them overlap, both count.
    ///
    /// # Errors
    /// [`Error::NonFinite`] and [`Error::Negative`] for a density; [`Error::NotPositive`] for the mass of all;
    /// [`Error::OutOfRange`] for a mass beyond 2^40; [`Error::NotABody`] for a part that is not a box, ball, capsule,
    /// cylinder, brush or hull.
    ///
    /// ```
    /// use cullide_world::{Compound, Dynamics, Mass, Object, RigidBody, Shape, World, glam::Vec3, narrowphase::Aabb};
    /// let part = |min: Vec3, max: Vec3| Aabb::new(min, max).map(Shape::from);
    /// // A handle, and a head ten times as dense.
    /// let handle = part(Vec3::new(0.0, -0.5, -0.5), Vec3::new(8.0, 0.5, 0.5))?;
    /// let head = part(Vec3::new(8.0, -2.0, -1.0), Vec3::new(10.0, 2.0, 1.0))?;
    /// let hammer = Compound::new([handle, head])?;
    /// let mass = Mass::of_parts(hammer.children().iter().zip([1.0, 10.0]))?;
    ///
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let hammer = world.insert(Object::moving(hammer));
    /// dynamics.insert(&mut world, hammer, RigidBody { mass, ..RigidBody::dynamic() })?;
    /// let mass = dynamics.body(hammer).unwrap().mass(&world).unwrap();
    /// let center = (8.0 * 4.0 + 160.0 * 9.0) / 168.0;
    /// assert_eq!((mass.mass, mass.center), (168.0, Vec3::X * center));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = (&'a Shape, f32)>) -> Result<Self, Error> {
        let mut sum: Option<Moments> = None;
        for (shape, density) in parts {
            if !density.is_finite() {
                return Err(Error::NonFinite { field: "density" });
            }
            if density < 0.0 {
                return Err(Error::Negative { field: "density" });
            }
            let own = shape.convex().and_then(|part| moments_of(&part)).ok_or(Error::NotABody { field: "parts" })?;
            let density = f64::from(density);
            let own = Moments { volume: own.volume * density, inertia: own.inertia * density, ..own };
            if own.volume > 0.0 {
                sum = Some(sum.map_or(own, |sum| sum.joined(&own)));
            }
        }
        let Moments { volume: mass, center, inertia } = sum.ok_or(Error::NotPositive { field: "mass" })?;
        if !(LEAST_MASS..=1.0 / LEAST_MASS).contains(&mass) {
            return Err(Error::OutOfRange { field: "mass" });
        }
        let given = Self::Given { mass: mass as f32, center: center.as_vec3(), inertia: symmetric(&inertia).as_mat3() };
        given.check().map(|()| given)
    }
}

/// Mass and moments of inertia about the principal axes of a shape, through its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MassProperties {
    pub(crate) mass: f32,
    pub(crate) inertia: Vec3,
}

/// The least mass of a body, 2^-40; the greatest is its reciprocal. So all impulses are finite.
const LEAST_MASS: f64 = 1.0 / (1u64 << 40) as f64;

/// The mass that counts.
pub(super) fn in_range(mass: f64) -> f64 {
    mass.clamp(LEAST_MASS, 1.0 / LEAST_MASS)
}

/// The least moment of inertia, as a share of the largest, 2^-40: that of a needle a million times as long as it is wide.
/// Of an even thinner one, what rounding takes from the other axes would be too much spin. With the square of this share
/// there is no thickness, and nothing turns the body about that axis.
const SLENDEREST: f64 = 1.0 / (1u64 << 40) as f64;

impl MassProperties {
    /// Computes the mass properties of a body's shape: for an aligned box, those of the oriented box that a step makes
    /// of it, which may be larger by rounding.
    pub(in crate::dynamics) fn new(shape: &BodyShape, mass: Mass) -> Self {
        // Volume, and the squares of the radii of gyration about the axes of `axes`.
        let (volume, gyration) = match shape {
            BodyShape::Box(shape) => of_box(shape.half_edges().mapped(|edge| edge.as_dvec3().length())),
            BodyShape::Sphere(shape) => of_ball(f64::from(shape.radius())),
            BodyShape::Capsule(shape) => of_capsule(shape.half_axis().as_dvec3().length(), f64::from(shape.radius())),
            BodyShape::Cylinder(shape) => of_cylinder(shape),
            BodyShape::Rigid(rigid) => rigid.gyration(),
            BodyShape::Composite(_) => (0.0, [0.0; 3]),
        };
        let mass = match mass {
            Mass::Density(density) => f64::from(density) * volume,
            Mass::Total(mass) | Mass::Given { mass, .. } => f64::from(mass),
        };
        let mass = in_range(mass);
        let least = SLENDEREST * gyration.into_iter().fold(0.0, f64::max);
        let thick = |square: f64| if square > SLENDEREST * least { square.max(least) } else { 0.0 };
        let inertia = gyration.mapped(|square| (mass * thick(square)) as f32);
        Self { mass: mass as f32, inertia: Vec3::from(inertia) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::{Aabb, Capsule, Sphere};

    fn of(shape: &Shape, mass: Mass) -> MassProperties {
        MassProperties::new(&BodyShape::new(shape, crate::BodyKind::Dynamic).unwrap(), mass)
    }

    #[test]
    fn a_long_capsule_is_nearly_a_rod_and_one_without_length_a_ball() {
        let rod: Shape = Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * 50.0, 0.01).unwrap().into();
        let properties = of(&rod, Mass::Total(3.0));
        assert!((properties.inertia.x / (3.0 * 50.0 * 50.0 / 3.0) - 1.0).abs() < 1e-3);
        let [ball, capsule]: [Shape; 2] = [
            Sphere::new(Vec3::ZERO, 2.0).unwrap().into(),
            Capsule::from_half_axis(Vec3::ZERO, Vec3::ZERO, 2.0).unwrap().into(),
        ];
        let density = Mass::Density(2.0);
        assert_eq!(of(&ball, density), of(&capsule, density));
    }

    #[test]
    fn a_crate_of_two_by_four_by_six() {
        let shape = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 4.0, 6.0)).unwrap().into();
        let properties = of(&shape, Mass::Density(0.5));
        assert_eq!(properties.mass, 24.0);
        assert_eq!(properties.inertia, 24.0 * Vec3::new(13.0, 10.0, 5.0) / 3.0);
    }
}
