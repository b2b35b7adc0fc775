//! The quadratic `|f + t D|² − r²` of a ball's centre that moves by `D` from `f`, and the exact signs that decide
//! whether and when the ball touches.

use super::predicate::Exact;
use crate::arrays::Mapped;
use std::cmp::Ordering;

/// Exact numbers of the quadratic.
#[derive(Clone, Debug)]
pub(crate) struct Quadratic {
    start: [Exact; 3],
    motion: [Exact; 3],
    radius_squared: Exact,
}

impl Quadratic {
    /// Creates the quadratic of `f`, `D` and `r`, whose terms must have exact pairwise products, as those of sums of
    /// `f32` numbers do.
    pub(crate) fn new(start: [Exact; 3], motion: [Exact; 3], radius: &Exact) -> Self {
        Self { start, motion, radius_squared: radius.times(radius) }
    }

    /// `f + t D`, by axis.
    pub(crate) fn offset(&self, t: f64) -> [Exact; 3] {
        let t = Exact::sum(&[t]);
        [0, 1, 2].mapped(|i| self.start[i].clone().plus(&self.motion[i].times(&t)).compact())
    }

    /// `|f + t D|² − r²`.
    pub(crate) fn value(&self, t: f64) -> Exact {
        let offset = self.offset(t);
        dot(&offset, &offset).minus(&self.radius_squared)
    }

    /// `(f + t D) · D`.
    pub(crate) fn heading(&self, t: f64) -> Exact {
        dot(&self.offset(t), &self.motion)
    }

    /// `(f · D)² − (D · D) (f · f − r²)`, the quarter of the discriminant.
    pub(crate) fn discriminant(&self) -> Exact {
        let (a, b, c) = (dot(&self.motion, &self.motion), self.heading(0.0).compact(), self.value(0.0));
        b.times(&b).minus(&a.compact().times(&c.compact()))
    }
}

fn dot(a: &[Exact; 3], b: &[Exact; 3]) -> Exact {
    (0..3).fold(Exact::default(), |sum, i| sum.plus(&a[i].times(&b[i])))
}

/// The sign of `value`, which errs by less than 32 roundings of `scale`; from the exact polynomial when that matters.
pub(crate) fn signed(value: f64, scale: f64, exact: impl FnOnce() -> Exact) -> Ordering {
    if value.abs() > 32.0 * f64::EPSILON * scale {
        if value > 0.0 { Ordering::Greater } else { Ordering::Less }
    } else {
        sign(exact)
    }
}

#[cold]
fn sign(exact: impl FnOnce() -> Exact) -> Ordering {
    exact().sign()
}
