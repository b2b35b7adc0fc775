//! Random pairs of solids, polygons and capsules.

use super::{
    oracle,
    polytope::{Owned, Polytope, check},
};
use cullide_narrowphase::{ContactManifold, ManifoldCache, glam::Vec3};
use cullide_scenes::{Rng, SEED};

/// Two shapes of similar scale, about a given gap apart along a random direction.
fn pair(rng: &mut Rng, kinds: [usize; 2]) -> (Owned, Owned, f32) {
    let scale = oracle::scale(rng);
    let center = oracle::place(rng, scale);
    loop {
        let a = Owned::random(rng, kinds[0], center, scale);
        let size = [1.0, 0.2][rng.usize(0..2)];
        let b = Owned::random(rng, kinds[1], center, scale * size);
        let (wide_a, wide_b): (Polytope, Polytope) = (a.wide(), b.wide());
        let direction = match (rng.bool(), wide_a.faces.first()) {
            (true, Some((normal, _))) => normal.as_vec3(),
            _ => oracle::vector(rng).try_normalize().unwrap_or(Vec3::Y),
        };
        let normal = direction.as_dvec3();
        let way = wide_a.reach(normal) + wide_b.reach(-normal) + oracle::gap(rng, scale);
        if let Some(b) = b.moved(direction * way as f32) {
            return (a, b, scale * [0.0, 0.02, 0.5][rng.usize(0..3)]);
        }
    }
}

#[test]
fn manifolds_of_any_two_shapes_hold_in_f64() {
    hold(3_000, SEED ^ 50);
}

#[test]
#[ignore = "takes minutes"]
fn manifolds_of_very_many_shapes_hold_in_f64() {
    hold(10_000, SEED ^ 51);
}

/// Checks `cases` pairs of each two kinds, in either order.
fn hold(cases: usize, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    for kinds in (0..6).flat_map(|a| (0..6).map(move |b| [a, b])) {
        let mut counts = [0; 5];
        for case in 0..cases {
            let (a, b, margin) = pair(&mut rng, kinds);
            let mut cache = ManifoldCache::default();
            let mut found = ContactManifold::default();
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                found.update(&a.shape(), &b.shape(), margin, &mut cache);
                counts[check(&a.wide(), &b.wide(), margin, &found)] += 1;
                let mut again = ContactManifold::default();
                again.update(&a.shape(), &b.shape(), margin, &mut cache);
                check(&a.wide(), &b.wide(), margin, &again);
            }));
            assert!(checked.is_ok(), "case {case} of {kinds:?}: {a:?} {b:?} {margin} {found:?}");
        }
        assert!(counts[0] > cases / 10 && counts[1..].iter().sum::<usize>() > cases / 10, "{kinds:?}: {counts:?}");
    }
}
