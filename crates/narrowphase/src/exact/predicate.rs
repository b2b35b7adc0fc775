//! Exact signs. The product of two `f32` values is exact in `f64`, so a predicate of degree two is the sign of a short
//! sum of exact doubles; of higher degree, of a longer one. A floating-point filter answers almost always.
//!
//! Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", §2.

use smallvec::SmallVec;
use std::cmp::Ordering;

/// `n` additions of doubles in sequence err by less than `n` times this, relative to the sum of magnitudes.
const ROUNDING: f64 = 1.2e-16;

/// Compares the exact sum of `terms` with zero.
#[inline]
pub(crate) fn sign(terms: &[f64]) -> Ordering {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for &x in terms {
        sum += x;
        magnitude += x.abs();
    }
    if sum.abs() > terms.len() as f64 * ROUNDING * magnitude {
        return if sum > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    sign_exactly(terms)
}

#[cold]
fn sign_exactly(terms: &[f64]) -> Ordering {
    // Most sums that fail the filter are ties of coordinates, which add up without rounding.
    if let Some(sum) = exact_sum(terms.iter().copied()) {
        return sum.total_cmp(&0.0);
    }
    expansion(terms).last().map_or(Ordering::Equal, |x| if *x > 0.0 { Ordering::Greater } else { Ordering::Less })
}

/// The sum of `terms` if no addition rounds, that is, if subtracting either part leaves the other. Never -0.0.
pub(crate) fn exact_sum(terms: impl IntoIterator<Item = f64>) -> Option<f64> {
    terms.into_iter().try_fold(0.0, |sum, x| {
        let next = sum + x;
        (next - x == sum && next - sum == x).then_some(next)
    })
}

/// Numbers of which the exact sum is meant.
pub(crate) type Sum = SmallVec<[f64; 64]>;

/// Adds the terms one by one into a sum of doubles that do not overlap, from the smallest up: the last one has the
/// sign.
#[cold]
fn expansion(terms: &[f64]) -> Sum {
    let mut expansion: Sum = Sum::new();
    for &term in terms {
        let mut carry = term;
        let mut kept = 0;
        for i in 0..expansion.len() {
            let (sum, error) = two_sum(carry, expansion[i]);
            carry = sum;
            if error != 0.0 {
                expansion[kept] = error;
                kept += 1;
            }
        }
        expansion.truncate(kept);
        if carry != 0.0 {
            expansion.push(carry);
        }
    }
    expansion
}

/// `a + b` as a rounded sum and its exact error (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// `a · b` as a rounded product and its exact error (Dekker, with Veltkamp's splitting).
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let big = 134_217_729.0 * x;
        let high = big - (big - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, error)
}

/// A polynomial's value as an unevaluated exact sum: for predicates of degree above two, when the filter fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exact(Sum);

impl Exact {
    /// The exact sum of `terms`.
    pub(crate) fn sum(terms: &[f64]) -> Self {
        Self(SmallVec::from_slice(terms))
    }

    /// The exact sum of both.
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.0.extend_from_slice(&other.0);
        self
    }

    /// The exact difference.
    pub(crate) fn minus(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().map(|x| -x));
        self
    }

    /// The exact product, term by term.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut terms = SmallVec::with_capacity(2 * self.0.len() * other.0.len());
        for &a in &self.0 {
            for &b in &other.0 {
                let (product, error) = two_product(a, b);
                for term in [product, error] {
                    if term != 0.0 {
                        terms.push(term);
                    }
                }
            }
        }
        Self(terms)
    }

    /// The same number in few terms: worth its time before a product, whose number of terms grows with the product of
    /// those of its factors.
    pub(crate) fn compact(&self) -> Self {
        let mut terms = expansion(&self.0);
        let mut compact = SmallVec::new();
        let Some(mut rest) = terms.pop() else { return Self::default() };
        for &term in terms.iter().rev() {
            let (sum, error) = two_sum(rest, term);
            rest = sum;
            if error != 0.0 {
                compact.push(sum);
                rest = error;
            }
        }
        compact.push(rest);
        Self(compact)
    }

    /// Compares the sum with zero.
    pub(crate) fn sign(&self) -> Ordering {
        sign(&self.0)
    }

    /// The sum, rounded.
    pub(crate) fn value(&self) -> f64 {
        expansion(&self.0).iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_keeps_the_last_bit() {
        assert_eq!(sign(&[1e300, 1.0, -1e300, -1.0]), Ordering::Equal);
        assert_eq!(sign(&[1e300, 1.0, -1e300, -1.0, 5e-324]), Ordering::Greater);
        assert_eq!(sign(&[3.0, -1e-300, -3.0]), Ordering::Less);
        assert_eq!(sign(&[]), Ordering::Equal);
    }

    #[test]
    fn a_sum_is_exact_only_when_no_addition_rounds() {
        assert_eq!(exact_sum([0.1, -0.1, -0.0]).map(f64::to_bits), Some(0));
        assert_eq!(exact_sum([4096.0, f64::from(0.1f32), -28.0]), Some(4096.0 + f64::from(0.1f32) - 28.0));
        assert_eq!(exact_sum([1.0, 1e-30]), None);
        assert_eq!(exact_sum([1e-30, 1.0, -1.0]), None);
        assert_eq!(exact_sum([f64::MAX, f64::MAX]), None);
    }

    #[test]
    fn a_compact_sum_has_few_terms_and_the_same_value() {
        let sum = Exact::sum(&[1e300, 1.0, 3.0, -1e300, 1e-300, 0.5, -1e-300, 2f64.powi(-60)]);
        assert_eq!(sum.compact().0.as_slice(), [4.5, 2f64.powi(-60)]);
        assert_eq!(sum.compact().minus(&sum).sign(), Ordering::Equal);
        assert!(Exact::sum(&[1.0, -1.0]).compact().0.is_empty());
    }

    #[test]
    fn products_are_exact() {
        // (1 + 2^-52)² − 1 − 2^-51 = 2^-104, far below one ulp of the product.
        let x = Exact::sum(&[1.0 + f64::EPSILON]);
        let rest = x.times(&x).minus(&Exact::sum(&[1.0, 2.0 * f64::EPSILON]));
        assert_eq!(rest.sign(), Ordering::Greater);
        assert_eq!(rest.value(), f64::EPSILON * f64::EPSILON);
        assert_eq!(rest.minus(&Exact::sum(&[f64::EPSILON * f64::EPSILON])).sign(), Ordering::Equal);
    }
}
