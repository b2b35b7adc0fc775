//! Single numbers and points, by kind of case.

use crate::{Rng, direction, within};

/// The largest magnitude of a coordinate: 2^30, the range of shapes.
pub(crate) const LIMIT: f32 = (1u32 << 30) as f32;

/// What the numbers of a case are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Independent random bit patterns.
    Bits,
    /// Random fractions with exponents within 3 of this one.
    Kindred(i32),
    /// Integers from -4 to 4.
    Grid,
    /// Moderate numbers around this scale, to be moved into contact.
    Aimed(f32),
    /// Huge and tiny numbers side by side.
    Mixed,
    /// Zeros of both signs, ones and subnormals.
    Degenerate,
}

impl Kind {
    /// A random kind, in the documented proportions.
    pub fn random(rng: &mut Rng) -> Self {
        match rng.u32(0..100) {
            0..20 => Self::Bits,
            20..40 => Self::Kindred(rng.i32(-94..26)),
            40..60 => Self::Grid,
            60..80 => Self::Aimed([1e-6, 1e-2, 1.0, 1.0, 30.0, 1e3, 1e6][rng.usize(0..7)]),
            80..90 => Self::Mixed,
            _ => Self::Degenerate,
        }
    }

    /// A coordinate.
    pub(crate) fn number(self, rng: &mut Rng) -> f32 {
        match self {
            Self::Bits => bits(rng),
            Self::Kindred(exponent) => scaled(rng, exponent - 3, exponent + 4),
            Self::Grid => rng.i32(-4..=4) as f32,
            Self::Aimed(scale) => within(rng, -scale, scale),
            Self::Mixed => match rng.u32(0..3) {
                0 => scaled(rng, 10, 30),
                1 => scaled(rng, -149, -90),
                _ => within(rng, -2.0, 2.0),
            },
            Self::Degenerate => match rng.u32(0..8) {
                0 | 1 => 0.0,
                2 => -0.0,
                3 => 1.0,
                4 => -1.0,
                5 => f32::from_bits(rng.u32(1..1 << 23)),
                6 => -f32::from_bits(rng.u32(1..1 << 23)),
                _ => within(rng, -2.0, 2.0),
            },
        }
    }

    /// Three coordinates.
    pub(crate) fn point(self, rng: &mut Rng) -> [f32; 3] {
        [(); 3].map(|()| self.number(rng))
    }

    /// A size: not negative, zero now and then.
    pub(crate) fn size(self, rng: &mut Rng) -> f32 {
        let zero = self != Self::Bits && rng.u32(0..16) == 0;
        if zero { 0.0 } else { self.number(rng).abs() }
    }

    /// Min and max in order.
    pub(crate) fn aabb(self, rng: &mut Rng) -> [[f32; 3]; 2] {
        let (a, b) = (self.point(rng), self.point(rng));
        let flat = [(); 3].map(|()| rng.u32(0..16) == 0);
        let low = std::array::from_fn(|i| a[i].min(b[i]));
        [low, std::array::from_fn(|i| if flat[i] { low[i] } else { a[i].max(b[i]) })]
    }

    /// A center and half edges: a rotated box two times in three, otherwise any three vectors.
    pub(crate) fn obb(self, rng: &mut Rng) -> [[f32; 3]; 4] {
        let center = self.point(rng);
        let skewed = rng.u32(0..3) == 0;
        if skewed {
            return [center, self.point(rng), self.point(rng), self.point(rng)];
        }
        let half = [(); 3].map(|()| self.size(rng));
        if matches!(self, Self::Grid | Self::Degenerate) {
            let edge = |i: usize| std::array::from_fn(|j| if i == j { half[i] } else { 0.0 });
            return [center, edge(0), edge(1), edge(2)];
        }
        crate::turned_box(rng, center, half)
    }

    /// A center and a radius.
    pub(crate) fn sphere(self, rng: &mut Rng) -> [f32; 4] {
        let [x, y, z] = self.point(rng);
        [x, y, z, self.size(rng)]
    }

    /// A normal: mostly of unit length, sometimes along an axis, sometimes anything.
    pub(crate) fn normal(self, rng: &mut Rng) -> [f32; 3] {
        match rng.u32(0..8) {
            0 => {
                let axis = rng.usize(0..3);
                let sign = if rng.bool() { 1.0 } else { -1.0 };
                std::array::from_fn(|i| if i == axis { sign } else { 0.0 })
            }
            1 => self.point(rng),
            _ if self == Self::Grid => self.point(rng),
            _ => direction(rng),
        }
    }

    /// The scale of numbers to be moved into contact, if this kind is aimed.
    pub(crate) fn aims_at(self) -> Option<f32> {
        match self {
            Self::Aimed(scale) => Some(scale),
            _ => None,
        }
    }
}

/// A finite `f32` of random bits, at most 2^30 in magnitude; subnormals and both zeros included.
pub fn bits(rng: &mut Rng) -> f32 {
    loop {
        let value = f32::from_bits(rng.u32(..));
        if value.abs() <= LIMIT {
            return value;
        }
    }
}

/// A random fraction and sign with an exponent in `low..high`.
fn scaled(rng: &mut Rng, low: i32, high: i32) -> f32 {
    let size = (1.0 + rng.f64()) * 2f64.powi(rng.i32(low..high));
    let size = (size as f32).min(LIMIT);
    if rng.bool() { size } else { -size }
}

/// The number, or one of its four nearest neighbours up or down.
pub fn nudged(rng: &mut Rng, value: f32) -> f32 {
    let steps = rng.i32(-4..=4);
    let step = if steps < 0 { f32::next_down } else { f32::next_up };
    (0..steps.abs()).fold(value, |x, _| step(x)).clamp(-LIMIT, LIMIT)
}

/// Each coordinate [`nudged`], or one time in three left alone.
pub fn nudged3(rng: &mut Rng, point: [f32; 3]) -> [f32; 3] {
    point.map(|x| if rng.u32(0..3) == 0 { x } else { nudged(rng, x) })
}

/// Coordinates clamped to the range and rounded to `f32`.
pub(crate) fn narrowed(point: [f64; 3]) -> [f32; 3] {
    point.map(|x| (x as f32).clamp(-LIMIT, LIMIT))
}
