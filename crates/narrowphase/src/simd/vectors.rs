//! Vectors of three coordinates, one per lane.

use fearless_simd::{f32x8, f32x16, f64x4, f64x8, prelude::*};
use std::ops::{Add, Mul, Sub};

/// A vector in each lane, stored by coordinate: `R` is the type of a register.
#[derive(Clone, Copy, Debug)]
pub struct Vectors<R> {
    pub x: R,
    pub y: R,
    pub z: R,
}

pub type Vec3x8<S> = Vectors<f32x8<S>>;
pub type Vec3x16<S> = Vectors<f32x16<S>>;
pub type DVec3x4<S> = Vectors<f64x4<S>>;
pub type DVec3x8<S> = Vectors<f64x8<S>>;

impl<R> Vectors<R> {
    /// Loads a row of numbers for each coordinate.
    #[inline(always)]
    pub fn load<S: Simd>(simd: S, [x, y, z]: &[R::Array; 3]) -> Self
    where
        R: SimdBase<S>,
    {
        Self { x: R::simd_from(simd, *x), y: R::simd_from(simd, *y), z: R::simd_from(simd, *z) }
    }

    #[inline(always)]
    pub fn store<S: Simd>(self) -> [R::Array; 3]
    where
        R: SimdBase<S>,
    {
        [self.x.into(), self.y.into(), self.z.into()]
    }

    /// The same vector in all lanes.
    #[inline(always)]
    pub fn splat<S: Simd>(simd: S, v: impl Into<[R::Element; 3]>) -> Self
    where
        R: SimdBase<S>,
    {
        let [x, y, z] = v.into();
        Self { x: R::splat(simd, x), y: R::splat(simd, y), z: R::splat(simd, z) }
    }

    /// `a` in the lanes of a mask, `b` in the others.
    #[inline(always)]
    pub fn select<S: Simd>(mask: R::Mask, a: Self, b: Self) -> Self
    where
        R: SimdBase<S>,
    {
        Self { x: mask.select(a.x, b.x), y: mask.select(a.y, b.y), z: mask.select(a.z, b.z) }
    }

    /// The sum of the absolute values of the coordinates, by lane.
    #[inline(always)]
    pub fn abs_sum<S: Simd>(self) -> R
    where
        R: SimdBase<S>,
    {
        self.x.abs() + self.y.abs() + self.z.abs()
    }

    /// The largest absolute value of a coordinate, by lane.
    #[inline(always)]
    pub fn abs_max<S: Simd>(self) -> R
    where
        R: SimdBase<S>,
    {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }
}

impl<R: Copy + Add<Output = R> + Sub<Output = R> + Mul<Output = R>> Vectors<R> {
    #[inline(always)]
    pub fn dot(self, other: Self) -> R {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl<R> From<[R; 3]> for Vectors<R> {
    #[inline(always)]
    fn from([x, y, z]: [R; 3]) -> Self {
        Self { x, y, z }
    }
}

impl<R: Add<Output = R>> Add for Vectors<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<R: Sub<Output = R>> Sub for Vectors<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<R: Copy + Mul<Output = R>> Mul<R> for Vectors<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, scale: R) -> Self {
        Self { x: self.x * scale, y: self.y * scale, z: self.z * scale }
    }
}
