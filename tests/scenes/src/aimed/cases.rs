//! The loop of a comparison: draw a case, check it, and print its bits if it fails.

use crate::{Rng, SEED};
use rayon::prelude::*;
use std::fmt::Write;

/// The number of failing cases that are printed; the rest are counted.
const PRINTED: usize = 5;

/// The number of cases that are drawn, then checked on all threads, before the next are drawn.
const DRAWN: usize = 4096;

/// Numbers that can be printed without loss: `f32::from_bits` restores the case.
pub trait Bits {
    /// Appends the bits, in brackets nested like the numbers.
    fn write_bits(&self, text: &mut String);
}

impl Bits for f32 {
    fn write_bits(&self, text: &mut String) {
        write!(text, "{:#010x}", self.to_bits()).expect("strings grow");
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn write_bits(&self, text: &mut String) {
        write_list('[', self.iter().map(|item| item as &dyn Bits), ']', text);
    }
}

impl<A: Bits, B: Bits> Bits for (A, B) {
    fn write_bits(&self, text: &mut String) {
        write_list('(', [&self.0 as &dyn Bits, &self.1].into_iter(), ')', text);
    }
}

impl<A: Bits, B: Bits, C: Bits> Bits for (A, B, C) {
    fn write_bits(&self, text: &mut String) {
        write_list('(', [&self.0 as &dyn Bits, &self.1, &self.2].into_iter(), ')', text);
    }
}

fn write_list<'a>(open: char, items: impl Iterator<Item = &'a dyn Bits>, close: char, text: &mut String) {
    text.push(open);
    for (i, item) in items.enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        item.write_bits(text);
    }
    text.push(close);
}

/// What is wrong with one case.
#[derive(Debug, Default)]
pub struct Wrong(Vec<String>);

impl Wrong {
    /// Notes `what` unless `holds`.
    pub fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.0.push(what());
        }
    }

    /// Notes two answers that should be equal.
    pub fn unless_equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, got: T, expected: T) {
        self.unless(got == expected, || format!("{what}: got {got:?}, expected {expected:?}"));
    }
}

/// The outcome of the cases so far.
#[derive(Default)]
struct Report {
    failed: usize,
    text: String,
}

impl Report {
    fn add(&mut self, index: usize, case: &impl Bits, wrong: &Wrong) {
        self.failed += usize::from(!wrong.0.is_empty());
        if !wrong.0.is_empty() && self.failed <= PRINTED {
            write!(self.text, "\n{}\n  case {index}: ", wrong.0.join("; ")).expect("strings grow");
            case.write_bits(&mut self.text);
        }
    }

    fn assert_good(&self, count: usize, share: f64, accepted: usize) {
        assert!(self.failed == 0, "{} of {count} cases from seed {SEED:#x} are wrong:{}", self.failed, self.text);
        assert!(accepted as f64 >= share * count as f64, "only {accepted} of {count} cases were accepted");
        println!("{count} cases, {:.1} % accepted", 100.0 * accepted as f64 / count as f64);
    }
}

/// Checks `count` cases from the fixed seed. `check` notes what is wrong with a case, and returns `None` for one that a
/// constructor refuses.
///
/// # Panics
/// If anything is wrong, with the first cases as bits, and if less than `share` of the cases are accepted.
pub fn each_case<C: Bits>(
    count: usize,
    share: f64,
    generate: impl Fn(&mut Rng) -> C,
    mut check: impl FnMut(&C, &mut Wrong) -> Option<()>,
) {
    let mut rng = Rng::with_seed(SEED);
    let (mut accepted, mut report) = (0, Report::default());
    for index in 0..count {
        let case = generate(&mut rng);
        let mut wrong = Wrong::default();
        accepted += usize::from(check(&case, &mut wrong).is_some());
        report.add(index, &case, &wrong);
    }
    report.assert_good(count, share, accepted);
}

/// [`each_case`] on all threads, for checks that take long. Returns what `check` returned for the accepted cases, in
/// order.
///
/// # Panics
/// As [`each_case`].
pub fn each_case_on_all_threads<C: Bits + Sync, T: Send>(
    count: usize,
    share: f64,
    generate: impl Fn(&mut Rng) -> C,
    check: impl Fn(&C, &mut Wrong) -> Option<T> + Sync,
) -> Vec<T> {
    let mut rng = Rng::with_seed(SEED);
    let (mut accepted, mut report) = (Vec::new(), Report::default());
    for first in (0..count).step_by(DRAWN) {
        let cases: Vec<C> = (first..count.min(first + DRAWN)).map(|_| generate(&mut rng)).collect();
        let judge = |case| {
            let mut wrong = Wrong::default();
            (check(case, &mut wrong), wrong)
        };
        let judged: Vec<(Option<T>, Wrong)> = cases.par_iter().map(judge).collect();
        for (i, (outcome, wrong)) in judged.into_iter().enumerate() {
            accepted.extend(outcome);
            report.add(first + i, &cases[i], &wrong);
        }
    }
    report.assert_good(count, share, accepted.len());
    accepted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_print_as_they_are_nested() {
        let mut text = String::new();
        ([1.0f32, -0.0], [[2.0f32]]).write_bits(&mut text);
        assert_eq!(text, "([0x3f800000, 0x80000000], [[0x40000000]])");
    }

    #[test]
    #[should_panic(
        expected = "3 of 10 cases from seed 0x5eed are wrong:\ntoo large: got 7.0, expected 0.0\n  case 7: 0x40e00000"
    )]
    fn failures_are_counted_and_printed() {
        let next = std::cell::Cell::new(-1.0);
        let generate = |_: &mut Rng| {
            next.set(next.get() + 1.0);
            next.get()
        };
        each_case(10, 1.0, generate, |&x, wrong| {
            wrong.unless_equal("too large", if x > 6.0 { x } else { 0.0 }, 0.0);
            Some(())
        });
    }

    #[test]
    #[should_panic(expected = "only 0 of 10 cases were accepted")]
    fn a_test_of_nothing_fails() {
        each_case(10, 0.5, |rng| rng.f32(), |_, _| None);
    }
}
