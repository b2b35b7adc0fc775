//! Bodies that are close together, in blocks of about the same size.

use crate::order::ordered;
use cullide_narrowphase::glam::Vec3;

/// The greatest number of bodies in a block.
const MOST: usize = 512;

/// Sorts `bodies` by position into blocks: a block is halved across its longest side until it is small enough. `ends`
/// receives the end of each block.
///
/// They come in the order of their names, and each block keeps it, so that bodies that move past each other do not change
/// its order.
pub(super) fn partition(bodies: &mut [(Vec3, u32)], ends: &mut Vec<usize>) {
    ends.clear();
    debug_assert!(bodies.is_sorted_by_key(|(_, name)| *name), "bodies come in the order of their names");
    split(bodies, 0, ends, &mut Vec::new(), &mut Vec::new());
}

fn split(
    bodies: &mut [(Vec3, u32)],
    start: usize,
    ends: &mut Vec<usize>,
    places: &mut Vec<u64>,
    behind: &mut Vec<(Vec3, u32)>,
) {
    if bodies.len() <= MOST {
        ends.push(start + bodies.len());
        return;
    }
    let (low, high) =
        bodies.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), (at, _)| (low.min(*at), high.max(*at)));
    let size = high - low;
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    // Whole blocks on the left side, so that few are small.
    let blocks = bodies.len().div_ceil(MOST);
    let middle = bodies.len() * (blocks / 2) / blocks;
    let place = |(at, name): &(Vec3, u32)| ordered(at[axis], *name);
    places.clear();
    places.extend(bodies.iter().map(place));
    let (_, &mut first, _) = places.select_nth_unstable(middle);
    // The others follow them, both in their previous order.
    behind.clear();
    let mut count = 0;
    for i in 0..bodies.len() {
        let body = bodies[i];
        if place(&body) < first {
            bodies[count] = body;
            count += 1;
        } else {
            behind.push(body);
        }
    }
    bodies[count..].copy_from_slice(behind);
    // If bodies occur twice, all of them may be behind.
    let (left, right) = bodies.split_at_mut(middle);
    split(left, start, ends, places, behind);
    split(right, start + middle, ends, places, behind);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_all_bodies_in_bounded_numbers_and_in_order() {
        let place = |i: u32| Vec3::new((i * 7919 % 1000) as f32, (i * 104_729 % 300) as f32, (i % 17) as f32);
        let mut bodies: Vec<(Vec3, u32)> = (0..3000).map(|i| (place(i), i)).collect();
        let (all, mut ends) = (bodies.clone(), Vec::new());
        partition(&mut bodies, &mut ends);
        assert_eq!(*ends.last().unwrap(), 3000);
        let mut start = 0;
        for &end in &ends {
            assert!(bodies[start..end].is_sorted_by_key(|(_, name)| *name));
            start = end;
        }
        bodies.sort_unstable_by_key(|(_, name)| *name);
        assert_eq!(bodies, all);
        let sizes: Vec<usize> = ends.iter().scan(0, |last, end| Some(end - std::mem::replace(last, *end))).collect();
        assert!(sizes.iter().all(|size| (400..=MOST).contains(size)), "{sizes:?}");
        // Many in one place.
        let mut same = vec![(Vec3::ONE, 1); 2000];
        partition(&mut same, &mut ends);
        assert_eq!(*ends.last().unwrap(), 2000);
    }
}
