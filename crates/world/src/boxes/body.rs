//! What a body is told: its motion, and its response to contacts.

use cullide_narrowphase::glam::Vec3;

/// What a body does when it touches something.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Response {
    /// It stays where it touches and loses its velocity.
    Stop,
    /// It slides along what it touches, and stops turning.
    Slide,
    /// It rebounds as a rigid box of uniform density, with an impulse at each point of contact.
    Bounce {
        /// The fraction of its approach speed with which it leaves, clamped to [0, 1]: 0 sticks, 1 loses nothing except
        /// to rounding.
        ///
        /// Velocities and edges are kept in `f32`. Measured over 10,000 steps of perfect rebounds, a box no more than
        /// ten times as long as it is thick kept its energy to within 3e-5, one a thousand times as long to within
        /// 4e-3, with changes of up to 4e-3 either way in a single step.
        restitution: f32,
        /// The friction impulse is at most this multiple of the normal impulse (Coulomb); a negative value counts as 0.
        friction: f32,
    },
}

/// The motion of a box that [`BoxStepper::step`](crate::BoxStepper::step) moves.
///
/// A body is an [`Obb`](cullide_narrowphase::Obb): an axis-aligned box becomes `Obb::from(&aabb)` in its first step, which
/// is the same box if its centre and half extents are `f32` numbers, and otherwise the smallest one around it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoxBody {
    /// The velocity of its centre, in units per second.
    pub velocity: Vec3,
    /// The angular velocity, in radians per second, along the axis of rotation.
    pub angular_velocity: Vec3,
    /// What it does when it touches something.
    pub response: Response,
    /// The multiple of the step's gravity that it feels.
    pub gravity_scale: f32,
}

impl Default for BoxBody {
    /// At rest, sliding, under full gravity.
    fn default() -> Self {
        Self { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, response: Response::Slide, gravity_scale: 1.0 }
    }
}

impl BoxBody {
    /// Whether all of its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let response = match self.response {
            Response::Stop | Response::Slide => true,
            Response::Bounce { restitution, friction } => restitution.is_finite() && friction.is_finite(),
        };
        response && self.velocity.is_finite() && self.angular_velocity.is_finite() && self.gravity_scale.is_finite()
    }
}
