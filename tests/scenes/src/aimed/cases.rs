//! The loop of a comparison: draw a case, check it, and print it as bits where it fails.

use crate::{Rng, SEED};
use std::fmt::Write;

/// As many failing cases are printed; the rest is counted.
const PRINTED: usize = 5;

/// Numbers whose exact value survives being printed: `f32::from_bits` makes the case again.
pub trait Bits {
    /// Appends the bits, in brackets as the numbers are nested.
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

/// Checks `count` cases from the fixed seed. `check` notes what is wrong with a case, and gives `None` for one that a constructor
/// refuses.
///
/// # Panics
/// If anything is wrong, with the first cases as bits; and if fewer than `share` of the cases are accepted.
pub fn each_case<C: Bits>(
    count: usize,
    share: f64,
    generate: impl Fn(&mut Rng) -> C,
    mut check: impl FnMut(&C, &mut Wrong) -> Option<()>,
) {
    let mut rng = Rng::with_seed(SEED);
    let (mut accepted, mut failed, mut report) = (0, 0, String::new());
    for index in 0..count {
        let case = generate(&mut rng);
        let mut wrong = Wrong::default();
        accepted += usize::from(check(&case, &mut wrong).is_some());
        if wrong.0.is_empty() {
            continue;
        }
        failed += 1;
        if failed <= PRINTED {
            write!(report, "\n{}\n  case {index}: ", wrong.0.join("; ")).expect("strings grow");
            case.write_bits(&mut report);
        }
    }
    assert!(failed == 0, "{failed} of {count} cases from seed {SEED:#x} are wrong:{report}");
    assert!(accepted as f64 >= share * count as f64, "only {accepted} of {count} cases were accepted");
    println!("{count} cases, {:.1} % accepted", 100.0 * accepted as f64 / count as f64);
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
