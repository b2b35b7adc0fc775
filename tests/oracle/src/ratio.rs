//! Quotients and square roots of exact numbers, and how far float answers are from them.
//!
//! No division is ever carried out: quotients are compared by cross-multiplication, and a root `(-b ± √(b² - ac)) / a`
//! by the sign of its quadratic on either side of the answer.

use std::cmp::Ordering;

use crate::Exact;

/// A quotient of two exact numbers with a positive denominator; equal quotients compare equal.
#[derive(Clone, Debug)]
pub struct Ratio {
    numerator: Exact,
    denominator: Exact,
}

impl Ratio {
    /// `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is zero.
    pub fn new(numerator: Exact, denominator: Exact) -> Self {
        match denominator.sign() {
            Ordering::Less => Self { numerator: -numerator, denominator: -denominator },
            Ordering::Equal => panic!("a quotient needs a denominator"),
            Ordering::Greater => Self { numerator, denominator },
        }
    }

    /// The numerator.
    pub fn numerator(&self) -> &Exact {
        &self.numerator
    }

    /// The denominator, always positive.
    pub fn denominator(&self) -> &Exact {
        &self.denominator
    }

    /// The quotient compared with zero.
    pub fn sign(&self) -> Ordering {
        self.numerator.sign()
    }

    /// The quotient compared with an exact number.
    pub fn cmp_exact(&self, other: &Exact) -> Ordering {
        self.numerator.cmp(&(other * &self.denominator))
    }

    /// The sum of the quotient and an exact number.
    pub fn plus(&self, other: &Exact) -> Self {
        Self { numerator: &self.numerator + other * &self.denominator, denominator: self.denominator.clone() }
    }

    /// The quotient with its sign changed.
    pub fn negated(&self) -> Self {
        Self { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }

    /// Whether a float answer is within `bound` of the quotient; false for an answer that is not finite.
    pub fn within(&self, answer: f64, bound: f64) -> bool {
        if !answer.is_finite() {
            return false;
        }
        let error = &self.numerator - Exact::new(answer) * &self.denominator;
        !bound.is_finite() || error.abs() <= Exact::new(bound) * &self.denominator
    }

    /// The quotient as a float, accurate to one ulp.
    pub fn to_f64(&self) -> f64 {
        let (numerator, up) = self.numerator.parts();
        let (denominator, down) = self.denominator.parts();
        // 80 more bits of quotient keep the truncation error far below half an ulp.
        let shift = (denominator.bits() + 80).saturating_sub(numerator.bits());
        Exact::from_big((numerator << shift) / denominator, up - down - shift as i64).to_f64()
    }
}

impl From<Exact> for Ratio {
    fn from(value: Exact) -> Self {
        Self::new(value, Exact::ONE)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs.is_ne() {
            return signs;
        }
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ratio {}

/// One of the two roots of a quadratic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The smaller one, where a path enters.
    Near,
    /// The larger one, where a path leaves.
    Far,
}

/// A real root of `a·t² + 2b·t + c`, with `a > 0` and `b² >= a·c`.
#[derive(Clone, Debug)]
pub struct Root {
    pub(crate) a: Exact,
    pub(crate) b: Exact,
    pub(crate) c: Exact,
    pub(crate) which: Which,
}

impl Root {
    /// The root compared with an exact number.
    pub fn cmp_exact(&self, t: &Exact) -> Ordering {
        let slope = &self.a * t + &self.b;
        let value = (&slope + &self.b) * t + &self.c;
        // Left of the vertex the quadratic falls, right of it it rises; between the roots it is negative.
        match self.which {
            Which::Near if slope.is_positive() => Ordering::Less,
            Which::Near => value.sign(),
            Which::Far if slope.is_negative() => Ordering::Greater,
            Which::Far => value.sign().reverse(),
        }
    }

    fn to_f64(&self) -> f64 {
        // Adding terms of the same sign first, and dividing to get the other root, avoids cancellation.
        let root = square_root(&(&self.b * &self.b - &self.a * &self.c));
        let minus_b = -&self.b;
        let (far_side, q) =
            if minus_b.is_negative() { (Which::Near, minus_b - root) } else { (Which::Far, minus_b + root) };
        if q.is_zero() {
            0.0
        } else if far_side == self.which {
            Ratio::new(q, self.a.clone()).to_f64()
        } else {
            Ratio::new(self.c.clone(), q).to_f64()
        }
    }
}

/// The square root to about 80 bits, rounded down.
pub(crate) fn square_root(value: &Exact) -> Exact {
    assert!(!value.is_negative(), "no real root");
    let (mantissa, exponent) = value.parts();
    let wanted = 160u64.saturating_sub(mantissa.bits());
    let shift = wanted + u64::from((exponent - wanted as i64).rem_euclid(2) == 1);
    Exact::from_big((mantissa << shift).sqrt(), (exponent - shift as i64) / 2)
}

/// The parameter of an event on a path or a sweep, exactly.
#[derive(Clone, Debug)]
pub enum Parameter {
    /// A quotient, for anything flat.
    Quotient(Ratio),
    /// A root, for anything round.
    Root(Root),
}

impl Parameter {
    /// The parameter compared with an exact number.
    pub fn cmp_exact(&self, other: &Exact) -> Ordering {
        match self {
            Self::Quotient(ratio) => ratio.cmp_exact(other),
            Self::Root(root) => root.cmp_exact(other),
        }
    }

    /// Whether a float answer is within `bound` of the parameter, both ends included.
    pub fn within(&self, answer: f64, bound: f64) -> bool {
        if !answer.is_finite() || !bound.is_finite() {
            return answer.is_finite();
        }
        let (answer, bound) = (Exact::new(answer), Exact::new(bound));
        self.cmp_exact(&(&answer - &bound)).is_ge() && self.cmp_exact(&(&answer + &bound)).is_le()
    }

    /// Whether an `f32` answer is within `ulps` of its own ulps of the parameter.
    pub fn within_ulps(&self, answer: f32, ulps: f64) -> bool {
        answer.is_finite() && self.within(f64::from(answer), ulps * ulp(answer))
    }

    /// The parameter as a float, accurate to one ulp.
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Quotient(ratio) => ratio.to_f64(),
            Self::Root(root) => root.to_f64(),
        }
    }

    pub(crate) fn zero() -> Self {
        Self::Quotient(Exact::ZERO.into())
    }
}

/// The distance from the magnitude of a float to the next one up (for the largest float: down).
pub fn ulp(value: f32) -> f64 {
    let size = value.abs();
    let up = f64::from(size.next_up()) - f64::from(size);
    if up.is_finite() { up } else { f64::from(size) - f64::from(size.next_down()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: f64, denominator: f64) -> Ratio {
        Ratio::new(Exact::new(numerator), Exact::new(denominator))
    }

    #[test]
    fn quotients_compare_by_value_whatever_their_signs() {
        assert_eq!(ratio(2.0, -6.0), ratio(-1.0, 3.0));
        assert!(ratio(1.0, 3.0) > ratio(-1.0, 3.0));
        assert!(ratio(1.0, 3.0) < ratio(0.5, 1.4));
        assert_eq!(ratio(1.0, 3.0).to_f64(), 1.0 / 3.0);
        assert_eq!(ratio(1.0, 3.0).cmp_exact(&Exact::new(1.0 / 3.0)), Ordering::Greater);
    }

    #[test]
    fn a_bound_includes_its_ends() {
        assert!(ratio(1.0, 2.0).within(0.75, 0.25));
        assert!(!ratio(1.0, 2.0).within(0.75, 0.249));
        assert!(!ratio(1.0, 2.0).within(f64::NAN, 9.0));
        let third = Parameter::Quotient(ratio(1.0, 3.0));
        assert!(third.within_ulps(1.0 / 3.0, 0.5));
        assert!(!third.within_ulps((1.0f32 / 3.0).next_up(), 0.5));
    }

    #[test]
    fn roots_are_ordered_against_floats_on_both_sides() {
        // t² - 6t + 7: roots 3 - √2 and 3 + √2.
        let root = |which| Parameter::Root(Root { a: Exact::new(1.0), b: Exact::new(-3.0), c: Exact::new(7.0), which });
        let (near, far) = (root(Which::Near), root(Which::Far));
        let sqrt2 = std::f64::consts::SQRT_2;
        assert!(near.within(3.0 - sqrt2, 1e-15) && far.within(3.0 + sqrt2, 1e-15));
        assert!(!near.within(3.0 + sqrt2, 1e-3) && !far.within(3.0 - sqrt2, 1e-3));
        assert!((near.to_f64() - (3.0 - sqrt2)).abs() < 1e-15);
        assert!((far.to_f64() - (3.0 + sqrt2)).abs() < 1e-15);
        assert!(near.cmp_exact(&Exact::new(3.0)).is_lt() && far.cmp_exact(&Exact::new(3.0)).is_gt());
    }

    #[test]
    fn an_ulp_is_the_step_to_the_next_float() {
        assert_eq!(ulp(1.0), f64::from(f32::EPSILON));
        assert_eq!(ulp(-0.0), f64::from(f32::from_bits(1)));
        assert_eq!(ulp(f32::MAX), 2f64.powi(104));
    }
}
