//! Nothing is pushed into or through anything fixed.

use super::{Scene, aabb, ball, gap, ground::grid, obb, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Mass, RigidBody, Shape,
    glam::{Quat, Vec3},
    narrowphase::{Obb, Solid, Triangle},
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

/// The least distance of the boxes that a body consists of from triangles that their bounding boxes overlap.
fn gap_from_triangles(triangles: &[Triangle], body: &Shape) -> f64 {
    let boxes: Vec<Obb> = match body {
        Shape::Obb(body) => vec![*body],
        Shape::Compound(placed) => {
            let child = |number| match placed.child(number).unwrap().into_owned() {
                Shape::Obb(child) => child,
                other => panic!("no child is {other:?}"),
            };
            (0..placed.compound().len() as u32).map(child).collect()
        }
        other => panic!("no body is {other:?}"),
    };
    let pairs = boxes.iter().flat_map(|own| triangles.iter().map(move |triangle| (own, triangle)));
    let near = pairs.filter(|(own, triangle)| triangle.aabb().overlaps(&own.aabb()));
    near.fold(f64::INFINITY, |least, (own, triangle)| least.min(triangle.gap(own).separation))
}

/// A blow turns a body farther than it was known to turn when the triangles that it might meet were listed. It may do so
/// without getting out of the box around all of them.
#[test]
fn what_is_struck_turns_into_no_triangle() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..500 {
        let mut scene = Scene::weightless();
        let cell = 0.3 + 0.3 * rng.f32();
        let heights = Vec::from_iter((0..121).map(|_| if rng.usize(0..5) == 0 { 0.3 * rng.f32() } else { 0.0 }));
        let ground = grid(10, cell, |x, z| heights[(x / cell).round() as usize * 11 + (z / cell).round() as usize]);
        let triangles: Vec<Triangle> = (0..ground.len() as u32).filter_map(|number| ground.triangle(number)).collect();
        scene.fixed(ground);
        // One end of it is higher.
        let turn = Quat::from_rotation_y(6.0 * rng.f32()) * Quat::from_rotation_z(0.1 + 0.5 * rng.f32());
        let half = Vec3::new(0.7, 0.1 + 0.2 * rng.f32(), 0.3);
        let block = |at: Vec3, half: Vec3| obb(turn * at, turn, half);
        let shape: Shape = match case % 3 {
            0 => {
                let small = block(Vec3::new(-0.6, half.y + 0.1, 0.0), Vec3::splat(0.1));
                Compound::new([block(Vec3::ZERO, half), small].map(Shape::from)).unwrap().into()
            }
            _ => block(Vec3::ZERO, half).into(),
        };
        // Down to just above the triangles.
        let mut at = Vec3::new(5.0, 0.0, 5.0) * cell + vector(&mut rng, 0.2);
        at.y = 2.0;
        let (moved, room) = (|at: Vec3| shape.transformed(Quat::IDENTITY, at).unwrap(), 0.04 + 0.1 * rng.f32());
        while gap_from_triangles(&triangles, &moved(at - Vec3::Y * 0.04)) > f64::from(room) {
            at.y -= 0.04;
        }
        let target = scene.add(moved(at), RigidBody::dynamic());
        let top = at + turn * (half * Vec3::new(0.5 + 0.4 * rng.f32(), 1.0, 0.0));
        let velocity = Vec3::NEG_Y * (5.0 + 25.0 * rng.f32());
        let heavy = RigidBody { mass: Mass::Total(100.0), velocity, ..RigidBody::dynamic() };
        scene.add(ball(top + Vec3::Y * 0.25, 0.1), heavy);
        for step in 0..6 {
            scene.step();
            let apart = gap_from_triangles(&triangles, scene.shape(target));
            assert!(apart >= 0.0, "case {case}, step {step}: in a triangle by {apart}: {:?}", scene.shape(target));
        }
    }
}
