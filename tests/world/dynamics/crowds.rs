//! Many bodies in one place, as a spawner may put them there: a step remains short, and they part calmly.

use super::{DT, Scene, aabb, ball, capsule, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{ObjectKey, RigidBody, Shape, glam::Vec3};

/// A body of size 1/2, by the number of its kind.
fn any_shape(kind: u32, at: Vec3) -> Shape {
    match kind {
        0 => ball(at, 0.25).into(),
        1 => aabb(at, Vec3::splat(0.25)).into(),
        _ => capsule(at, Vec3::Y * 0.2, 0.15).into(),
    }
}

fn middle(scene: &Scene, key: ObjectKey) -> Vec3 {
    scene.shape(key).aabb().center()
}

/// How many pairs of bodies have contacts that push, and how many are in each other by more than a tenth of the size.
fn pairs(scene: &Scene) -> [usize; 2] {
    let parts = || scene.dynamics.contacts().map(|pair| pair.parts());
    let pushes = parts().filter(|parts| parts.iter().any(|part| part.impulses().iter().any(|impulse| *impulse > 0.0)));
    let is_deep = |parts: &&[cullide_world::PartContact]| parts.iter().any(|part| part.manifold.distance() < -0.05);
    [pushes.count(), parts().filter(is_deep).count()]
}

#[test]
fn bodies_in_one_place_part_calmly_and_only_some_contacts_are_solved_at_a_time() {
    for kind in 0..3 {
        for jitter in [0.0, 0.05] {
            for count in [2, 200] {
                let mut rng = Rng::with_seed(SEED);
                let mut scene = Scene::with_floor();
                let mut add = |_| {
                    let at = Vec3::Y + vector(&mut rng, jitter);
                    scene.add(any_shape(kind, at), RigidBody::dynamic())
                };
                let keys: Vec<ObjectKey> = (0..count).map(&mut add).collect();
                let mut at_first = 0;
                let places = |scene: &Scene| keys.iter().map(|key| middle(scene, *key)).collect::<Vec<Vec3>>();
                for step in 0..60 {
                    let before = places(&scene);
                    scene.step();
                    let ways = before.iter().zip(places(&scene)).map(|(before, now)| before.distance(now) / DT);
                    let farthest = ways.fold(0.0, f32::max);
                    assert!(farthest <= 5.5, "{kind}, {jitter}, {count}, step {step}: moved at {farthest}");
                    let [pushing, deep] = pairs(&scene);
                    at_first = at_first.max(deep);
                    // 16 others each, the floor, and those that are only touched.
                    assert!(pushing <= 32 * count, "{kind}, {jitter}, {count}, step {step}: {pushing} pairs push");
                    let fastest = keys.iter().map(|key| scene.velocity(*key).length()).fold(0.0, f32::max);
                    assert!(fastest <= 5.1, "{kind}, {jitter}, {count}, step {step}: {fastest}");
                }
                assert_eq!(at_first, count * (count - 1) / 2, "all are in each other");
                // Others than balls take a little longer to be turned out of each other.
                let (most, [_, deep]) = (if kind == 0 { count / 10 } else { count }, pairs(&scene));
                assert!(deep <= most, "{kind}, {jitter}, {count}: {deep} in each other");
                scene.steps(240);
                let [_, deep] = pairs(&scene);
                assert_eq!(deep, 0, "{kind}, {jitter}, {count}");
            }
        }
    }
}
