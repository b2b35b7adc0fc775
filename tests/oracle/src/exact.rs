//! Exact dyadic numbers: an integer times a power of two.
//!
//! Every finite `f32` and `f64` is one, and sums, differences and products stay exact, so a predicate without divisions
//! needs neither rounding nor a greatest common divisor. Quotients are [`Ratio`](crate::Ratio)s of two of these.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;

/// A number `mantissa · 2^exponent`, exact under `+`, `-` and `*`.
///
/// ```
/// use cullide_oracle::Exact;
/// let tenth = Exact::new(0.1);
/// assert!(&tenth + &Exact::new(0.2) != Exact::new(0.3));
/// assert_eq!(&tenth * &Exact::new(4.0), Exact::new(0.4));
/// ```
#[derive(Clone, Debug)]
pub struct Exact {
    mantissa: Mantissa,
    exponent: i64,
}

/// Odd or zero. Most values fit in 127 bits, and those never touch the allocator.
#[derive(Clone, Debug)]
enum Mantissa {
    Small(i128),
    Big(BigInt),
}

impl Exact {
    /// Zero.
    pub const ZERO: Self = Self { mantissa: Mantissa::Small(0), exponent: 0 };

    /// One.
    pub const ONE: Self = Self { mantissa: Mantissa::Small(1), exponent: 0 };

    /// The exact value of a float; both zeros are [`Exact::ZERO`].
    ///
    /// # Panics
    /// If the value is infinite or NaN: no exact answer follows from such values.
    pub fn new(value: impl Into<f64>) -> Self {
        let value = value.into();
        assert!(value.is_finite(), "{value} is not finite");
        let bits = value.to_bits();
        let fraction = (bits & ((1 << 52) - 1)) as i128;
        let biased = ((bits >> 52) & 0x7ff) as i64;
        let magnitude = if biased == 0 { fraction } else { fraction | (1 << 52) };
        let mantissa = if value < 0.0 { -magnitude } else { magnitude };
        Self::from_small(mantissa, biased.max(1) - 1075)
    }

    /// `mantissa · 2^exponent`.
    pub(crate) fn from_big(mantissa: BigInt, exponent: i64) -> Self {
        let zeros = mantissa.trailing_zeros().unwrap_or(0);
        let odd = mantissa >> zeros;
        let exponent = exponent + zeros as i64;
        match i128::try_from(&odd) {
            Ok(small) => Self::from_small(small, exponent),
            Err(_) => Self { mantissa: Mantissa::Big(odd), exponent },
        }
    }

    fn from_small(mantissa: i128, exponent: i64) -> Self {
        if mantissa == 0 {
            return Self::ZERO;
        }
        let zeros = mantissa.trailing_zeros();
        Self { mantissa: Mantissa::Small(mantissa >> zeros), exponent: exponent + i64::from(zeros) }
    }

    /// The mantissa as a big integer, with its exponent.
    pub(crate) fn parts(&self) -> (BigInt, i64) {
        let mantissa = match &self.mantissa {
            Mantissa::Small(small) => BigInt::from(*small),
            Mantissa::Big(big) => big.clone(),
        };
        (mantissa, self.exponent)
    }

    /// The value compared with zero.
    pub fn sign(&self) -> Ordering {
        match &self.mantissa {
            Mantissa::Small(small) => small.cmp(&0),
            Mantissa::Big(big) => big.sign().cmp(&num_bigint::Sign::NoSign),
        }
    }

    /// Whether the value is exactly zero.
    pub fn is_zero(&self) -> bool {
        self.sign().is_eq()
    }

    /// Whether the value is below zero.
    pub fn is_negative(&self) -> bool {
        self.sign().is_lt()
    }

    /// Whether the value is above zero.
    pub fn is_positive(&self) -> bool {
        self.sign().is_gt()
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The value times `2^power`, exactly.
    pub fn scaled(&self, power: i64) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        Self { mantissa: self.mantissa.clone(), exponent: self.exponent + power }
    }

    /// The nearest float or its neighbour; infinite on overflow. For printing and for loose bounds.
    pub fn to_f64(&self) -> f64 {
        let (mantissa, exponent) = self.parts();
        let excess = mantissa.bits().saturating_sub(62);
        let top = i128::try_from(&(mantissa >> excess)).expect("at most 63 bits are left");
        scale_by_power(top as f64, exponent + excess as i64)
    }
}

impl From<i64> for Exact {
    fn from(value: i64) -> Self {
        Self::from_small(value.into(), 0)
    }
}

/// `value · 2^power` with at most one rounding, for values of moderate size.
fn scale_by_power(value: f64, power: i64) -> f64 {
    let power = power.clamp(-2200, 1100) as i32;
    // Scaling in safe steps keeps the second rounding of a subnormal result small.
    let stride = power.clamp(-960, 960);
    let rest = power - stride;
    let scaled = value * 2f64.powi(stride);
    if rest == 0 { scaled } else { scaled * 2f64.powi(rest.max(-1022)) }
}

fn sum(a: &Exact, b: &Exact) -> Exact {
    if a.is_zero() {
        return b.clone();
    }
    if b.is_zero() {
        return a.clone();
    }
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let shift = (high.exponent - low.exponent) as u64;
    if let (Mantissa::Small(h), Mantissa::Small(l)) = (&high.mantissa, &low.mantissa)
        && u64::from(h.unsigned_abs().leading_zeros()) > shift + 1
        && let Some(total) = (h << shift).checked_add(*l)
    {
        return Exact::from_small(total, low.exponent);
    }
    Exact::from_big((high.parts().0 << shift) + low.parts().0, low.exponent)
}

fn product(a: &Exact, b: &Exact) -> Exact {
    let exponent = a.exponent + b.exponent;
    if let (Mantissa::Small(x), Mantissa::Small(y)) = (&a.mantissa, &b.mantissa)
        && let Some(small) = x.checked_mul(*y)
    {
        return Exact::from_small(small, exponent);
    }
    Exact::from_big(a.parts().0 * b.parts().0, exponent)
}

impl Neg for &Exact {
    type Output = Exact;
    fn neg(self) -> Exact {
        match &self.mantissa {
            // Odd, so never i128::MIN.
            Mantissa::Small(small) => Exact::from_small(-small, self.exponent),
            Mantissa::Big(big) => Exact::from_big(-big, self.exponent),
        }
    }
}

impl Neg for Exact {
    type Output = Exact;
    fn neg(self) -> Exact {
        -&self
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $of:expr) => {
        impl $trait<&Exact> for &Exact {
            type Output = Exact;
            fn $method(self, other: &Exact) -> Exact {
                $of(self, other)
            }
        }
        impl $trait<&Exact> for Exact {
            type Output = Exact;
            fn $method(self, other: &Exact) -> Exact {
                $of(&self, other)
            }
        }
        impl $trait<Exact> for &Exact {
            type Output = Exact;
            fn $method(self, other: Exact) -> Exact {
                $of(self, &other)
            }
        }
        impl $trait<Exact> for Exact {
            type Output = Exact;
            fn $method(self, other: Exact) -> Exact {
                $of(&self, &other)
            }
        }
    };
}

operator!(Add, add, sum);
operator!(Sub, sub, |a: &Exact, b: &Exact| sum(a, &-b));
operator!(Mul, mul, product);

impl std::iter::Sum for Exact {
    fn sum<I: Iterator<Item = Exact>>(terms: I) -> Exact {
        terms.fold(Exact::ZERO, |total, term| total + term)
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs.is_ne() { signs } else { (self - other).sign() }
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Exact {}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::Signed;

    fn rational(value: &Exact) -> BigRational {
        let (mantissa, exponent) = value.parts();
        let power = BigInt::from(1) << exponent.unsigned_abs();
        if exponent < 0 { BigRational::new(mantissa, power) } else { BigRational::from(mantissa * power) }
    }

    #[test]
    fn arithmetic_agrees_with_num_rational_on_random_bit_patterns() {
        let mut rng = cullide_scenes::Rng::with_seed(1);
        for _ in 0..4000 {
            let [a, b, c] = [(); 3].map(|()| f64::from(cullide_scenes::aimed::bits(&mut rng)));
            let [p, q, r] = [a, b, c].map(|x| BigRational::from_float(x).expect("finite"));
            let [x, y, z] = [a, b, c].map(Exact::new);
            let got = (&x * &y - &z) * (&y + &z) - &x;
            let expected = (&p * &q - &r) * (&q + &r) - &p;
            assert_eq!(rational(&got), expected, "{a:e} {b:e} {c:e}");
            assert_eq!(got.is_negative(), expected.is_negative());
            assert_eq!(x.cmp(&y), p.cmp(&q));
        }
    }

    #[test]
    fn floats_survive_the_round_trip_at_both_ends_of_the_range() {
        for value in [0.0, 1.0, -2.5, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.5e-310] {
            assert_eq!(Exact::new(value).to_f64(), value);
        }
        assert_eq!((Exact::new(f64::MAX) * Exact::new(f64::MAX)).to_f64(), f64::INFINITY);
    }

    #[test]
    fn the_smallest_difference_is_not_lost() {
        let huge = Exact::new(f32::MAX);
        let tiny = Exact::new(f32::from_bits(1));
        assert!(&huge + &tiny > huge);
        assert_eq!((&huge + &tiny) - &huge, tiny);
        assert_eq!(tiny.scaled(149), Exact::ONE);
    }
}
