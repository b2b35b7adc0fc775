//! Nothing is pushed into or through anything fixed.

use super::{Scene, aabb, ball, gap, obb, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Mass, RigidBody, Shape,
    glam::{Quat, Vec3},
};

#[test]
fn what_is_struck_is_not_thrown_through_a_thin_wall() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..200 {
        let mut scene = Scene::weightless();
        let wall: Shape = aabb(Vec3::ZERO, Vec3::new(0.005, 20.0, 20.0)).into();
        scene.fixed(wall.clone());
        let distance = 0.3 + 1.5 * rng.f32();
        let target = match case % 2 {
            0 => ball(Vec3::X * -distance, 0.2).into(),
            _ => Shape::from(obb(Vec3::X * -distance, Quat::IDENTITY, Vec3::new(0.1, 0.2, 0.15))),
        };
        let target = scene.add(target, RigidBody::dynamic());
        let heavy = RigidBody {
            mass: Mass::Total(1000.0),
            velocity: Vec3::new(40.0 + 400.0 * rng.f32(), 0.0, 0.0),
            ..RigidBody::dynamic()
        };
        let from = Vec3::new(-distance - 3.0, 0.0, 0.0) + vector(&mut rng, 0.1);
        let hammer = scene.add(ball(from, 0.3), heavy);
        for step in 0..60 {
            scene.step();
            for key in [target, hammer] {
                let apart = gap(&wall, scene.shape(key));
                let center = scene.center(key);
                // A struck body may go past the ends of the wall.
                let is_beside = center.y.abs().max(center.z.abs()) < 19.0;
                assert!(
                    apart >= 0.0 && (center.x < 0.0 || !is_beside),
                    "case {case}, step {step}: {apart} at {center}"
                );
            }
        }
    }
}
