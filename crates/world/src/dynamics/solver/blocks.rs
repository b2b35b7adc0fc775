//! Bodies that are close together, in blocks of about the same size.

use cullide_narrowphase::glam::Vec3;

/// The greatest number of bodies in a block.
const MOST: usize = 512;

/// Sorts `bodies` by position into blocks: a block is halved across its longest side until it is small enough. `ends`
/// receives the end of each block.
pub(super) fn partition<T: Copy + Ord>(bodies: &mut [(Vec3, T)], ends: &mut Vec<usize>) {
    ends.clear();
    // Each block is ordered by name, so that bodies that move past each other do not change its order. They mostly come
    // in this order.
    bodies.sort_unstable_by_key(|(_, name)| *name);
    split(bodies, 0, ends, &mut Vec::new());
}

fn split<T: Copy + Ord>(bodies: &mut [(Vec3, T)], start: usize, ends: &mut Vec<usize>, scratch: &mut Vec<(Vec3, T)>) {
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
    let order = |(a, m): &(Vec3, T), (b, n): &(Vec3, T)| a[axis].total_cmp(&b[axis]).then(m.cmp(n));
    scratch.clear();
    scratch.extend_from_slice(bodies);
    let (_, &mut first, _) = scratch.select_nth_unstable_by(middle, order);
    // The others follow them, both in their previous order.
    scratch.clear();
    let mut count = 0;
    for i in 0..bodies.len() {
        let body = bodies[i];
        if order(&body, &first).is_lt() {
            bodies[count] = body;
            count += 1;
        } else {
            scratch.push(body);
        }
    }
    bodies[count..].copy_from_slice(scratch);
    // If bodies occur twice, all of them may be behind.
    let (left, right) = bodies.split_at_mut(middle);
    split(left, start, ends, scratch);
    split(right, start + middle, ends, scratch);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_all_bodies_in_bounded_numbers_whatever_their_order() {
        let place = |i: u32| Vec3::new((i * 7919 % 1000) as f32, (i * 104_729 % 300) as f32, (i % 17) as f32);
        let mut bodies: Vec<(Vec3, u32)> = (0..3000).map(|i| (place(i), i)).collect();
        let mut reversed: Vec<(Vec3, u32)> = bodies.iter().rev().copied().collect();
        let (mut ends, mut others) = (Vec::new(), Vec::new());
        partition(&mut bodies, &mut ends);
        partition(&mut reversed, &mut others);
        assert_eq!((&bodies, &ends), (&reversed, &others));
        assert_eq!(*ends.last().unwrap(), 3000);
        let sizes: Vec<usize> = ends.iter().scan(0, |last, end| Some(end - std::mem::replace(last, *end))).collect();
        assert!(sizes.iter().all(|size| (400..=MOST).contains(size)), "{sizes:?}");
        // Many in one place.
        let mut same = vec![(Vec3::ONE, 1); 2000];
        partition(&mut same, &mut ends);
        assert_eq!(*ends.last().unwrap(), 2000);
    }
}
