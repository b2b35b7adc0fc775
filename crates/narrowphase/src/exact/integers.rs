//! Coordinates as integers: those of a scene mostly have so many bits in common that determinants of three differences
//! fit into 128 bits, and take a hundredth of the time that a sum of doubles does.

use crate::arrays::Mapped;
use glam::DVec3;

/// The most bits that a coordinate may have, its sign apart: a difference then has one more, a product of three such
/// 123, and the sum of six of these 126.
const BITS: i32 = 40;

/// The vectors as integers, in a unit that is a power of two; `None` if that takes too many bits.
pub(crate) fn as_integers<const N: usize>(vectors: [DVec3; N]) -> Option<[[i128; 3]; N]> {
    // The places of the highest and of the lowest bit of any coordinate.
    let (mut high, mut low) = (i32::MIN, i32::MAX);
    for x in vectors.into_iter().flat_map(|v| v.to_array()).filter(|x| *x != 0.0) {
        let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1075;
        high = high.max(exponent + 53);
        low = low.min(exponent + (x.to_bits() | 1 << 52).trailing_zeros() as i32);
    }
    if low == i32::MAX {
        return Some([[0; 3]; N]);
    }
    // No `f32` number is subnormal here, and no scale out of range.
    if high - low > BITS || !(-1000..1000).contains(&low) {
        return None;
    }
    let scale = f64::from_bits(((1023 - low) as u64) << 52);
    Some(vectors.map(|v| (v * scale).to_array().mapped(|x| x as i128)))
}

pub(crate) fn difference(a: [i128; 3], b: [i128; 3]) -> [i128; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn integer_determinant([a, b, c]: [[i128; 3]; 3]) -> i128 {
    let term = |i: usize, j: usize, k: usize| a[i] * (b[j] * c[k] - b[k] * c[j]);
    term(0, 1, 2) + term(1, 2, 0) + term(2, 0, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::orientation::exact_height;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn integers_have_the_sign_of_the_exact_sum() {
        let mut rng = Rng::with_seed(SEED);
        let mut counts = [[0; 3]; 2];
        for case in 0..20_000 {
            let (bits, far) = ([4, 12, 23, 24][case % 4], [0.0, 1.0, 1e6][case / 4 % 3]);
            let mut number = || (far + f64::from(rng.i32(-(1 << bits)..1 << bits)) * 2f64.powi(-20)) as f32;
            let mut point = || DVec3::from([0; 3].map(|_| f64::from(number())));
            let [a, b, c] = [point(), point(), point()];
            // Often in the plane of the others.
            let o = if case % 2 == 0 { point() } else { (a + b - c).as_vec3().as_dvec3() };
            let expected = exact_height([a, b, c], o).sign();
            let found = as_integers([o, a, b, c])
                .map(|[o, a, b, c]| integer_determinant([a, b, c].map(|p| difference(p, o))).cmp(&0));
            assert!(found.is_none_or(|found| found == expected), "{o} {a} {b} {c}");
            counts[usize::from(found.is_some())][(expected as i8 + 1) as usize] += 1;
        }
        assert!(counts[1].iter().all(|count| *count > 1000), "{counts:?}");
        assert_eq!(as_integers([DVec3::new(1.0, 1e-30, 0.0)]), None);
        assert_eq!(as_integers([DVec3::new(0.5, -0.0, 3.0)]), Some([[1, 0, 6]]));
    }
}
