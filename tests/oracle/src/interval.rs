//! The part of a straight motion that satisfies linear constraints.
//!
//! Every convex set here is a list of half-spaces, so along a motion each of them becomes `value + slope·t >= 0`, and
//! the solutions common to all form one interval of `t`.

use std::cmp::Ordering;

use crate::{Exact, Ratio};

/// `value + slope·t >= 0`.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) value: Exact,
    pub(crate) slope: Exact,
}

impl Constraint {
    pub(crate) fn new(value: Exact, slope: Exact) -> Self {
        Self { value, slope }
    }

    /// The sign of `value + slope·t`.
    pub(crate) fn sign_at(&self, t: &Ratio) -> Ordering {
        (&self.value * t.denominator() + &self.slope * t.numerator()).sign()
    }
}

/// The closed interval from `enter` to `exit`; `None` stands for an end at infinity.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) enter: Option<Ratio>,
    pub(crate) exit: Option<Ratio>,
}

impl Interval {
    /// The common solutions of all constraints; `None` if there are none.
    pub(crate) fn of<'a>(constraints: impl IntoIterator<Item = &'a Constraint>) -> Option<Self> {
        let (mut enter, mut exit): (Option<Ratio>, Option<Ratio>) = (None, None);
        for Constraint { value, slope } in constraints {
            let bound = |value: &Exact| Ratio::new(-value, slope.clone());
            match slope.sign() {
                Ordering::Equal if value.is_negative() => return None,
                Ordering::Equal => {}
                Ordering::Greater => {
                    let bound = bound(value);
                    if enter.as_ref().is_none_or(|enter| bound > *enter) {
                        enter = Some(bound);
                    }
                }
                Ordering::Less => {
                    let bound = bound(value);
                    if exit.as_ref().is_none_or(|exit| bound < *exit) {
                        exit = Some(bound);
                    }
                }
            }
        }
        match (&enter, &exit) {
            (Some(enter), Some(exit)) if enter > exit => None,
            _ => Some(Self { enter, exit }),
        }
    }

    /// Whether every solution is before `t = 0`.
    pub(crate) fn ends_before_start(&self) -> bool {
        self.exit.as_ref().is_some_and(|exit| exit.sign().is_lt())
    }

    /// Whether `t = 0` is not yet a solution.
    pub(crate) fn begins_after_start(&self) -> bool {
        self.enter.as_ref().is_some_and(|enter| enter.sign().is_gt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint(value: f64, slope: f64) -> Constraint {
        Constraint::new(Exact::new(value), Exact::new(slope))
    }

    #[test]
    fn opposite_constraints_leave_the_interval_between() {
        let both = [constraint(-2.0, 1.0), constraint(5.0, -1.0)];
        let interval = Interval::of(&both).expect("from 2 to 5");
        assert_eq!(interval.enter, Some(Exact::new(2).into()));
        assert_eq!(interval.exit, Some(Exact::new(5).into()));
        assert!(interval.begins_after_start() && !interval.ends_before_start());
    }

    #[test]
    fn one_common_solution_is_enough_and_a_gap_is_not() {
        assert!(Interval::of(&[constraint(-3.0, 1.0), constraint(9.0, -3.0)]).is_some());
        assert!(Interval::of(&[constraint(-3.0, 1.0), constraint(8.9, -3.0)]).is_none());
        assert!(Interval::of(&[constraint(-1e-300, 0.0)]).is_none());
        assert!(Interval::of(&[constraint(0.0, 0.0)]).is_some());
    }
}
