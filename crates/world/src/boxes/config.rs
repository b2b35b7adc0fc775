//! The settings of a step.

use cullide_narrowphase::glam::Vec3;

/// Settings of a step. The presets are those of [`Self::default`], for metres and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoxStepConfig {
    /// Acceleration by gravity, in units per second squared; preset (0, −9.81, 0).
    pub gravity: Vec3,
    /// A length: bodies stop up to this far from what they touch. A thousandth of a body's size is not visible, and
    /// saves time. Preset: 0.001.
    pub skin: f32,
    /// In units per second: slower approaches do not rebound, so that bodies come to rest. Preset: 0.5.
    pub restitution_speed: f32,
    /// In units per second: a touching body is stopped if all its points move slower than this after a contact, so that
    /// it neither drifts nor jitters. It should be less than what gravity adds in a step. Preset: 0.01.
    pub rest_speed: f32,
    /// The farthest that a step pushes a body out of what it overlaps at the start. Preset: 0.2.
    pub max_recovery: f32,
    /// The limit on the touches of a body in a step. When it is reached, the body stays where it is until the next
    /// step, which is safe. The same happens when its [`Budget`](cullide_narrowphase::Budget) is spent, for example if
    /// it turns thousands of times a second close to many objects. If more than half of the
    /// step is left then, the body slows down by that share, unless its restitution is 1 or more. Preset: 16.
    pub max_touches: usize,
}

impl Default for BoxStepConfig {
    /// The settings for metres and seconds; see [`Self::in_units`].
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            skin: 1e-3,
            restitution_speed: 0.5,
            rest_speed: 0.01,
            max_recovery: 0.2,
            max_touches: 16,
        }
    }
}

impl BoxStepConfig {
    /// The same settings in smaller units, `units` of which make one of the present ones: 100 centimetres make a metre.
    ///
    /// ```
    /// # use cullide_world::BoxStepConfig;
    /// let centimetres = BoxStepConfig::default().in_units(100.0);
    /// assert_eq!((centimetres.skin, centimetres.max_recovery), (0.1, 20.0));
    /// ```
    #[must_use]
    pub fn in_units(self, units: f32) -> Self {
        Self {
            gravity: self.gravity * units,
            skin: self.skin * units,
            restitution_speed: self.restitution_speed * units,
            rest_speed: self.rest_speed * units,
            max_recovery: self.max_recovery * units,
            max_touches: self.max_touches,
        }
    }
}
