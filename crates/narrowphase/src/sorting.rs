//! Sorting of lists that are mostly short.

/// Up to this many elements are inserted one by one.
const SHORT: usize = 20;

/// Sorts by insertion, longer lists over larger distances before (Shell; distances by Gonnet and Baeza-Yates). Keeps
/// the order of equal elements in lists of up to twenty. For long lists the standard library's sort takes half the
/// time; but it is ten times as much machine code, for each type and order.
pub fn sort_short<T>(list: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    let mut distance = if list.len() <= SHORT { 1 } else { (5 * list.len() / 11).max(1) };
    loop {
        for place in distance..list.len() {
            let mut at = place;
            while at >= distance && is_less(&list[at], &list[at - distance]) {
                list.swap(at, at - distance);
                at -= distance;
            }
        }
        if distance == 1 {
            return;
        }
        distance = (5 * distance / 11).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_any_length_is_sorted() {
        for count in (0..100).chain([1000]) {
            // 7919 is coprime to 1009: every number once, in no particular order.
            let mut list: Vec<usize> = (0..count).map(|i| (i + 1) * 7919 % 1009).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            sort_short(&mut list, |a, b| a < b);
            assert_eq!(list, expected);
        }
    }

    #[test]
    fn equal_elements_of_a_short_list_stay_in_order() {
        let mut list: Vec<(usize, usize)> = (0..SHORT).map(|i| (i % 3, i)).collect();
        let mut expected = list.clone();
        expected.sort();
        sort_short(&mut list, |a, b| a.0 < b.0);
        assert_eq!(list, expected);
    }
}
