//! A stable radix sort by some bits of a number, digit by digit, lowest digit first.
//!
//! Source: Knuth, "The Art of Computer Programming", volume 3, 5.2.5.

use crate::lanes::{Level, vectorized};

/// The maximum number of bits in a digit: with more, the places that are written to would not fit into the nearest
/// cache.
const MAX_DIGIT_BITS: u32 = 9;

/// Sorts by the bits from `from` up to, but excluding, `to`; items equal in these bits keep their order. `scratch` is
/// overwritten.
pub(crate) fn sort_by_bits<T: Copy>(
    level: Level,
    items: &mut [T],
    scratch: &mut Vec<T>,
    from: u32,
    to: u32,
    bits: impl Fn(T) -> u64,
) {
    let Some(&any) = items.first() else { return };
    if scratch.capacity() < items.len() {
        scratch.clear();
        scratch.reserve(items.len() + items.len() / 4);
    }
    scratch.resize(items.len(), any);
    vectorized!(level, _simd => sort(items, scratch, from, to, bits));
}

/// Merges two sorted lists; of items with equal keys, those of the first list come first. Two threads write a half
/// each.
#[cfg(feature = "parallel")]
pub(crate) fn merge<T: Copy + Send + Sync>(
    first: &[T],
    second: &[T],
    out: &mut [T],
    key: impl Fn(T) -> u64 + Copy + Sync,
) {
    let Some(&pivot) = first.get(first.len() / 2) else { return out.copy_from_slice(second) };
    let (first, more_first) = first.split_at(first.len() / 2);
    let (second, more_second) = second.split_at(second.partition_point(|&item| key(item) < key(pivot)));
    let (out, more_out) = out.split_at_mut(first.len() + second.len());
    crate::threads::join(|| merge_half(first, second, out, key), || merge_half(more_first, more_second, more_out, key));
}

/// No branch depends on which item comes first: half of such branches would be mispredicted.
#[cfg(feature = "parallel")]
fn merge_half<T: Copy>(first: &[T], second: &[T], out: &mut [T], key: impl Fn(T) -> u64) {
    let (mut i, mut j) = (0, 0);
    while i < first.len() && j < second.len() {
        let second_leads = key(second[j]) < key(first[i]);
        out[i + j] = if second_leads { second[j] } else { first[i] };
        (i, j) = (i + usize::from(!second_leads), j + usize::from(second_leads));
    }
    let (rest, more) = (&first[i..], &second[j..]);
    out[i + j..][..rest.len()].copy_from_slice(rest);
    out[i + j + rest.len()..].copy_from_slice(more);
}

/// [`sort_by_bits`] of slices, to be inlined.
#[inline(always)]
pub(crate) fn sort<T: Copy>(items: &mut [T], scratch: &mut [T], from: u32, to: u32, bits: impl Fn(T) -> u64) {
    let passes = (to - from).div_ceil(MAX_DIGIT_BITS);
    let digit = (to - from).div_ceil(passes);
    let (mut source, mut target) = (items, scratch);
    for pass in 0..passes {
        let digit_of = |item: T| (bits(item) >> (from + pass * digit)) as usize & ((1 << digit) - 1);
        let mut places = [0u32; 1 << MAX_DIGIT_BITS];
        let places = &mut places[..1 << digit];
        for &item in source.iter() {
            places[digit_of(item)] += 1;
        }
        let mut sum = 0;
        for place in places.iter_mut() {
            (sum, *place) = (sum + *place, sum);
        }
        for &item in source.iter() {
            let place = &mut places[digit_of(item)];
            target[*place as usize] = item;
            *place += 1;
        }
        std::mem::swap(&mut source, &mut target);
    }
    if passes % 2 == 1 {
        target.copy_from_slice(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_by_bits_sorts_and_keeps_what_is_equal_in_order() {
        let mut items: Vec<u64> = (0..5000u64).map(|i| (i * 7919 % 1009) << 40 | i).collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        sort_by_bits(Level::new(), &mut items, &mut vec![], 40, 60, |item| item);
        assert_eq!(items, expected);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn merging_is_sorting_and_keeps_the_first_in_front_where_keys_are_equal() {
        for (count, keys, half) in
            [(0, 1, 0), (1, 1, 1), (2, 1, 1), (7, 3, 6), (1000, 1, 300), (1000, 90, 999), (999, 1009, 400)]
        {
            let mut items: Vec<u64> = (0..count).map(|i| (i * 7919 % keys) << 40 | i).collect();
            let key = |item: u64| item >> 40;
            items[..half].sort_by_key(|&item| key(item));
            items[half..].sort_by_key(|&item| key(item));
            let mut merged = vec![0; items.len()];
            merge(&items[..half], &items[half..], &mut merged, key);
            items.sort_unstable();
            assert_eq!(merged, items, "{count} items, {keys} keys, {half} in the first half");
        }
    }
}
