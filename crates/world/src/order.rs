//! Numbers that are sorted in place of other things.

/// A number in the order of `x`, as [`f32::total_cmp`] has it, then of `next`, which its lower half is.
pub(crate) fn ordered(x: f32, next: u32) -> u64 {
    let bits = x.to_bits();
    let bits = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(bits) << 32 | u64::from(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_total() {
        let all = [f32::NEG_INFINITY, -2.0, -1.0, -f32::MIN_POSITIVE, -0.0, 0.0, 1e-40, 1.0, 2.0, f32::INFINITY];
        for (a, b) in all.iter().flat_map(|a| all.map(|b| (*a, b))) {
            assert_eq!(ordered(a, 7).cmp(&ordered(b, 7)), a.total_cmp(&b), "{a} {b}");
        }
        assert!(ordered(1.0, 7) < ordered(1.0, 8));
    }
}
