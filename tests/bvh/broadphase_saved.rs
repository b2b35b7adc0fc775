//! A broadphase that was saved and restored gives the same proxies, pairs and events.

use cullide_bvh::{Broadphase, BroadphaseBody, Mobility, Proxy};
use cullide_narrowphase::{Aabb, glam::Vec3};
use cullide_scenes::{Rng, SEED};

fn aabb(rng: &mut Rng) -> Aabb {
    let min = Vec3::from_array([(); 3].map(|()| rng.f32() * 9.0));
    Aabb::new(min, min + Vec3::new(2.0, 3.0, 5.0) * rng.f32()).unwrap()
}

fn edit(broadphase: &mut Broadphase, rng: &mut Rng) -> Option<Proxy> {
    // Half of these proxies are of fixed bodies, in the numbering of saved proxies.
    let proxy = Proxy::from(rng.u32(0..120));
    let mobility = if rng.bool() { Mobility::Moving } else { Mobility::Fixed };
    match rng.usize(0..6) {
        0 => _ = broadphase.remove(proxy),
        1 => _ = broadphase.set(proxy, &aabb(rng)),
        2 => return broadphase.set_mobility(proxy, mobility),
        3 => _ = broadphase.set_layers(proxy, rng.u32(0..8), rng.u32(0..8)),
        _ => return Some(broadphase.insert(&BroadphaseBody { mobility, ..BroadphaseBody::fixed(aabb(rng)) })),
    }
    None
}

#[test]
fn a_restored_broad_phase_gives_the_same_numbers_and_events_and_has_sound_trees() {
    let mut rng = Rng::with_seed(SEED);
    let mut broadphase = Broadphase::new();
    for _ in 0..200 {
        let mut restored = Broadphase::restore(&broadphase.save()).unwrap();
        for tree in [restored.fixed(), restored.moving()] {
            assert_eq!(tree.validate(), Ok(()));
        }
        assert_eq!((restored.len(), restored.pair_count()), (broadphase.len(), broadphase.pair_count()));
        for _ in 0..rng.usize(0..8) {
            let mut same = rng.clone();
            assert_eq!(edit(&mut restored, &mut same), edit(&mut broadphase, &mut rng));
        }
        if rng.bool() {
            assert_eq!(restored.update(), broadphase.update());
        }
        assert_eq!(restored.save(), broadphase.save());
    }
    assert!(broadphase.pair_count() > 20);
}
