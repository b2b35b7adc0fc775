//! Inputs aimed at the places where floating-point geometry goes wrong.
//!
//! Of each generator's cases, 40 % are random bit patterns (half of them with exponents close to each other, so that
//! something meets), 20 % lie on a grid of small integers (exact ties), 20 % are built to touch or graze and then moved
//! by up to 4 ulps, 10 % mix huge and tiny numbers, and 10 % are degenerate: zero sizes, axis-parallel motions, both
//! zeros, subnormals. Uniform random numbers find almost none of these errors.
//!
//! All numbers are finite and at most 2^30 in magnitude; boxes are not inverted and radii not negative. Normals may
//! have any length, zero included: a caller has to skip the cases that its constructors rightly refuse.

mod cases;
mod numbers;
mod overlaps;
mod paths;
mod planes;
mod regions;
mod sweeps;
mod turns;

pub use cases::{Bits, Wrong, each_case, each_case_on_all_threads};
pub use numbers::{Kind, bits, nudged, nudged3};
pub use overlaps::{aabb_aabb, obb_obb};
pub use paths::{path_aabb, path_obb, path_plane, path_sphere};
pub use planes::{plane_aabb, plane_obb, plane_sphere};
pub use regions::{frustum_aabb, frustum_obb, frustum_point, frustum_sphere};
pub use sweeps::{sweep_aabb_aabb, sweep_obb_obb, sweep_obb_plane};
pub use turns::{Turning, turning};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    fn sound(numbers: &[f32]) -> bool {
        numbers.iter().all(|x| x.abs() <= numbers::LIMIT)
    }

    #[test]
    fn everything_is_finite_in_range_and_upright() {
        let rng = &mut Rng::with_seed(1);
        for _ in 0..20_000 {
            let (path, aabb) = path_aabb(rng);
            assert!(sound(path.as_flattened()) && sound(aabb.as_flattened()));
            assert!((0..3).all(|i| aabb[0][i] <= aabb[1][i]), "{aabb:?}");
            let (path, sphere) = path_sphere(rng);
            assert!(sound(path.as_flattened()) && sound(&sphere) && sphere[3] >= 0.0, "{sphere:?}");
            let (path, obb) = path_obb(rng);
            assert!(sound(path.as_flattened()) && sound(obb.as_flattened()), "{path:?} {obb:?}");
            let (a, b) = aabb_aabb(rng);
            assert!((0..3).all(|i| a[0][i] <= a[1][i] && b[0][i] <= b[1][i]));
            assert!(sound(a.as_flattened()) && sound(b.as_flattened()));
            let (a, b) = obb_obb(rng);
            assert!(sound(a.as_flattened()) && sound(b.as_flattened()));
            let (plane, sphere) = plane_sphere(rng);
            assert!(sound(&plane) && sound(&sphere) && sphere[3] >= 0.0);
            let (moving, delta, still) = sweep_aabb_aabb(rng);
            assert!(sound(moving.as_flattened()) && sound(&delta) && sound(still.as_flattened()));
            assert!((0..3).all(|i| moving[0][i] <= moving[1][i] && still[0][i] <= still[1][i]));
            let (obb, delta, plane) = sweep_obb_plane(rng);
            assert!(sound(obb.as_flattened()) && sound(&delta) && sound(&plane));
            let (planes, aabb) = frustum_aabb(rng);
            assert!(sound(planes.as_flattened()) && sound(aabb.as_flattened()));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_cases() {
        let first = |seed| path_obb(&mut Rng::with_seed(seed));
        assert_eq!(first(9), first(9));
        assert_ne!(first(9), first(10));
    }
}
