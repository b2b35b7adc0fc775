//! Settings of a step of rigid bodies.

use cullide_narrowphase::glam::Vec3;

/// Settings of [`Dynamics::step`](crate::Dynamics::step). The presets are those of [`Self::default`], for metres and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DynamicsConfig {
    /// Acceleration by gravity, in units per second squared; preset (0, −9.81, 0).
    pub gravity: Vec3,
    /// The number of equal parts into which a step is divided: at least one, at most [`Self::MAX_SUBSTEPS`]; other
    /// numbers count as the nearer end. More make piles stiffer and let heavier things stand on lighter ones. Preset: 8.
    pub substeps: u32,
    /// A length: how far apart bodies come to rest. Fixed things are never entered, and the gap leaves room for
    /// rounding. A thousandth of a body's size is not visible. Contacts also give way within it: with a smaller skin, stacks
    /// need more [`substeps`](Self::substeps). Preset: 0.001.
    pub skin: f32,
    /// A length: the distance up to which contacts are known, so that bodies do not first meet when they already
    /// penetrate. Preset: 0.02.
    pub margin: f32,
    /// In units per second: the greatest speed at which bodies that penetrate each other are pushed apart. Preset: 3.
    pub push_speed: f32,
    /// In units per second: slower approaches do not rebound. Preset: 1.
    pub restitution_speed: f32,
    /// In units per second: a body all of whose points stay slower for [`sleep_seconds`](Self::sleep_seconds) may fall
    /// asleep, together with everything that it touches. Preset: 0.05.
    pub sleep_speed: f32,
    /// See [`sleep_speed`](Self::sleep_speed). Preset: 0.5.
    pub sleep_seconds: f32,
}

impl Default for DynamicsConfig {
    /// The settings for metres and seconds; see [`Self::in_units`].
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            substeps: 8,
            skin: 1e-3,
            margin: 0.02,
            push_speed: 3.0,
            restitution_speed: 1.0,
            sleep_speed: 0.05,
            sleep_seconds: 0.5,
        }
    }
}

impl DynamicsConfig {
    /// The most [`substeps`](Self::substeps) that a step takes, so that a slip of the pen stops no game.
    pub const MAX_SUBSTEPS: u32 = 1 << 10;

    /// The number of substeps, within its limits.
    pub(super) fn parts(&self) -> u32 {
        self.substeps.clamp(1, Self::MAX_SUBSTEPS)
    }

    /// The same settings in smaller units, `units` of which make one of the present ones: the defaults are for metres,
    /// and a scene in centimetres needs `in_units(100.0)` of them. Bodies then move as they do in metres.
    ///
    /// ```
    /// # use cullide_world::DynamicsConfig;
    /// let centimetres = DynamicsConfig::default().in_units(100.0);
    /// assert!((centimetres.gravity.y + 981.0).abs() < 1e-3 && centimetres.push_speed == 300.0);
    /// ```
    #[must_use]
    pub fn in_units(self, units: f32) -> Self {
        Self {
            gravity: self.gravity * units,
            substeps: self.substeps,
            skin: self.skin * units,
            margin: self.margin * units,
            push_speed: self.push_speed * units,
            restitution_speed: self.restitution_speed * units,
            sleep_speed: self.sleep_speed * units,
            sleep_seconds: self.sleep_seconds,
        }
    }
}
