//! What kinematic bodies carry, push and press.

use super::{DT, Scene, aabb, ball, capsule, gap, obb};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Material, ObjectKey, RigidBody, Shape,
    glam::{BVec3, Quat, Vec3},
};

#[test]
fn a_lift_carries_a_pile_up_and_down_for_a_minute() {
    let mut scene = Scene::with_floor();
    let lift = scene.add(aabb(Vec3::Y * 0.6, Vec3::new(3.0, 0.1, 3.0)), RigidBody::kinematic());
    let pile: Vec<ObjectKey> = (0..10)
        .map(|i| {
            let place = Vec3::new((i % 2) as f32 * 1.1 - 0.5, 1.202 + (i / 2) as f32 * 1.003, 0.0);
            scene.add(aabb(place, Vec3::splat(0.5)), RigidBody::dynamic())
        })
        .collect();
    scene.steps(60);
    let places: Vec<Vec3> = pile.iter().map(|key| scene.center(*key) - scene.center(lift)).collect();
    let mut worst = 0.0f32;
    for step in 0..3600 {
        // Two seconds up and two down, with an acceleration of at most 3.1 units per second squared.
        let phase = step as f32 * DT * std::f32::consts::FRAC_PI_2;
        scene.set_velocity(lift, Vec3::Y * 2.0 * phase.sin(), Vec3::ZERO);
        scene.step();
        for (key, place) in pile.iter().zip(&places) {
            let off = (scene.center(*key) - scene.center(lift) - *place).length();
            worst = worst.max(off);
        }
    }
    assert!(worst < 0.05, "{worst}");
}

#[test]
fn what_becomes_kinematic_in_a_pair_holds_the_other_and_falls_again_when_it_is_dynamic() {
    let mut scene = Scene::with_floor();
    let low = scene.add(aabb(Vec3::Y * 0.501, Vec3::splat(0.5)), RigidBody::dynamic());
    let high = scene.add(aabb(Vec3::Y * 1.502, Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(10);
    let held = RigidBody { velocity: Vec3::Y, ..RigidBody::kinematic() };
    scene.dynamics.insert(&mut scene.world, low, held).unwrap();
    scene.steps(60);
    let (lower, upper) = (scene.center(low).y, scene.center(high).y);
    assert!((lower - 1.5).abs() < 0.01 && (upper - lower - 1.0).abs() < 0.02, "{lower} {upper}");
    scene.dynamics.insert(&mut scene.world, low, RigidBody::dynamic()).unwrap();
    scene.steps(120);
    let (lower, upper) = (scene.center(low).y, scene.center(high).y);
    assert!((lower - 0.5).abs() < 0.01 && (upper - lower - 1.0).abs() < 0.02, "{lower} {upper}");
}

#[test]
fn a_revolving_door_pushes_crates_and_none_ends_in_a_wall() {
    let mut scene = Scene::with_floor();
    let walls: Vec<Shape> = [
        aabb(Vec3::new(4.01, 1.0, 0.0), Vec3::new(0.01, 1.0, 4.0)),
        aabb(Vec3::new(-4.01, 1.0, 0.0), Vec3::new(0.01, 1.0, 4.0)),
        aabb(Vec3::new(0.0, 1.0, 4.01), Vec3::new(4.0, 1.0, 0.01)),
        aabb(Vec3::new(0.0, 1.0, -4.01), Vec3::new(4.0, 1.0, 0.01)),
    ]
    .map(Shape::from)
    .into();
    for wall in &walls {
        scene.fixed(wall.clone());
    }
    let wings = [0.0, std::f32::consts::FRAC_PI_2].map(|angle| {
        let wing = obb(Vec3::Y * 1.05, Quat::from_rotation_y(angle), Vec3::new(2.8, 1.0, 0.05));
        scene.add(wing, RigidBody { angular_velocity: Vec3::Y * 1.5, ..RigidBody::kinematic() })
    });
    let crates: Vec<ObjectKey> = [(1.2, 1.2), (-1.2, 1.3), (1.4, -1.2), (-1.3, -1.2), (2.0, 2.1), (-2.1, -2.0)]
        .iter()
        .map(|&(x, z)| scene.add(aabb(Vec3::new(x, 0.402, z), Vec3::splat(0.4)), RigidBody::dynamic()))
        .collect();
    let mut moved = 0.0f32;
    let mut deepest = 0.0f64;
    for step in 0..1800 {
        scene.step();
        for key in &crates {
            let center = scene.center(*key);
            moved = moved.max(scene.velocity(*key).length());
            for wall in &walls {
                let apart = gap(wall, scene.shape(*key));
                assert!(apart >= 0.0, "step {step}: {key} is in a wall by {apart}");
            }
            for wing in wings {
                deepest = deepest.min(gap(scene.shape(wing), scene.shape(*key)));
            }
            assert!(center.abs().max_element() < 4.0 && center.y > 0.39, "step {step}: {center}");
        }
    }
    assert!(moved > 0.5);
    // They are pushed in time: the wing is never deep in any of them.
    assert!(deepest > -0.1, "{deepest}");
}

#[test]
fn a_conveyor_carries_a_crate_at_its_speed() {
    // Set for a fixed object, a plane and a kinematic body; at two speeds.
    for kind in 0..3 {
        for speed in [0.04f32, 2.0] {
            let mut scene = Scene::new();
            let belt = Material { surface_velocity: Vec3::X * speed, ..Material::default() };
            let shape = aabb(Vec3::Y * -1.0, Vec3::new(100.0, 1.0, 2.0));
            match kind {
                0 => {
                    let key = scene.fixed(shape);
                    scene.dynamics.set_material(&scene.world, key, belt).unwrap();
                }
                1 => {
                    let key = scene.plane(Vec3::ZERO, Vec3::Y);
                    scene.dynamics.set_material(&scene.world, key, belt).unwrap();
                }
                _ => _ = scene.add(shape, RigidBody { material: belt, ..RigidBody::kinematic() }),
            }
            let body = scene.add(aabb(Vec3::Y * 0.502, Vec3::splat(0.5)), RigidBody::dynamic());
            scene.steps(120);
            let start = scene.center(body).x;
            scene.steps(300);
            let way = scene.center(body).x - start;
            assert!((way / (5.0 * speed) - 1.0).abs() < 0.01, "kind {kind}: {way} for {}", 5.0 * speed);
        }
    }
}

#[test]
fn a_conveyor_that_starts_takes_a_sleeping_crate_along() {
    for is_fixed in [true, false] {
        let mut scene = Scene::new();
        let shape = aabb(Vec3::Y * -1.0, Vec3::new(100.0, 1.0, 2.0));
        let key = if is_fixed { scene.fixed(shape) } else { scene.add(shape, RigidBody::kinematic()) };
        let body = scene.add(aabb(Vec3::Y * 0.502, Vec3::splat(0.5)), RigidBody::dynamic());
        scene.steps(120);
        assert!(scene.dynamics.body(body).unwrap().is_asleep());
        let belt = Material { surface_velocity: Vec3::X * 2.0, ..Material::default() };
        scene.dynamics.set_material(&scene.world, key, belt).unwrap();
        scene.steps(120);
        assert!(scene.center(body).x > 2.0, "{}", scene.center(body));
    }
}

#[test]
fn a_press_never_pushes_a_crate_into_the_floor_and_sets_it_free() {
    for (turn, speed) in [(0.0f32, 0.2f32), (0.3, 0.2), (0.0, 3.0), (0.3, 3.0), (0.0, 20.0), (0.0, 60.0)] {
        let mut scene = Scene::new();
        let floor: Shape = aabb(Vec3::Y * -0.005, Vec3::new(20.0, 0.005, 20.0)).into();
        scene.fixed(floor.clone());
        let body = scene.add(
            obb(Vec3::Y * 0.62, Quat::from_rotation_z(turn) * Quat::from_rotation_x(turn), Vec3::new(0.4, 0.5, 0.3)),
            RigidBody::dynamic(),
        );
        scene.steps(60);
        let press = scene.add(aabb(Vec3::Y * 2.2, Vec3::new(2.0, 0.5, 2.0)), RigidBody::kinematic());
        // Down to where the crate gets out more easily below than above.
        let steps = (1.4 / speed / DT).ceil();
        scene.set_velocity(press, Vec3::Y * -1.4 / (steps * DT), Vec3::ZERO);
        let mut was_held = false;
        for step in 0..steps as usize {
            let report = scene.step();
            was_held |= report.held.contains(&body);
            let apart = gap(&floor, scene.shape(body));
            assert!(apart >= 0.0, "turn {turn}, speed {speed}, step {step}: in the floor by {apart}");
        }
        scene.set_velocity(press, Vec3::ZERO, Vec3::ZERO);
        for _ in 0..60 {
            was_held |= scene.step().held.contains(&body);
            assert!(gap(&floor, scene.shape(body)) >= 0.0);
        }
        assert!(was_held, "turn {turn}, speed {speed}: not reported");
        scene.set_velocity(press, Vec3::Y, Vec3::ZERO);
        scene.steps(180);
        // It is free: at rest on the floor, and it can be pushed.
        let fastest = scene.velocity(body).length();
        assert!(fastest < 0.1 && gap(&floor, scene.shape(body)) < 0.01, "turn {turn}, speed {speed}: {fastest}");
        scene.set_velocity(body, Vec3::X * 3.0, Vec3::ZERO);
        let start = scene.center(body);
        scene.steps(30);
        assert!(scene.center(body).x - start.x > 0.3);
    }
}

/// A body that was placed into a kinematic body, or a kinematic body that was placed into it, is pushed out the
/// shortest way, as out of something fixed.
#[test]
fn what_is_inside_of_a_kinematic_body_comes_out() {
    for depth in [0.02f32, 0.1, 0.25, 0.4] {
        for (speed, spin) in [(0.0f32, 0.0f32), (1.0, 0.0), (0.0, 0.3)] {
            let mut scene = Scene::new();
            let turning = Vec3::Y * spin;
            let rising = RigidBody { velocity: Vec3::Y * speed, angular_velocity: turning, ..RigidBody::kinematic() };
            let lift = scene.add(aabb(Vec3::NEG_Y, Vec3::new(5.0, 1.0, 5.0)), rising);
            let at = |x: f32| Vec3::new(x, 0.25 - depth, 0.0);
            let bodies = [
                scene.add(aabb(at(-2.0), Vec3::splat(0.25)), RigidBody::dynamic()),
                scene.add(ball(at(0.0), 0.25), RigidBody::dynamic()),
                scene.add(capsule(at(2.0), Vec3::X * 0.3, 0.25), RigidBody::dynamic()),
            ];
            scene.steps(120);
            for body in bodies {
                let above = scene.center(body).y - scene.center(lift).y - 1.25;
                assert!(above.abs() < 0.01, "{depth} deep, at {speed}, turning by {spin}: {above} above it");
                assert!((scene.velocity(body).y - speed).abs() < 0.05, "{}", scene.velocity(body));
            }
        }
    }
}

#[test]
fn a_crate_that_becomes_kinematic_still_holds_what_is_in_it() {
    let mut scene = Scene::with_floor();
    let below = scene.add(aabb(Vec3::Y * 0.5, Vec3::splat(0.5)), RigidBody::kinematic());
    let above = scene.add(aabb(Vec3::Y * 1.25, Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(240);
    assert!((scene.center(above).y - 1.5).abs() < 0.01 && scene.dynamics.body(above).unwrap().is_asleep());
    // And one that is raised all at once lifts what slept on it.
    scene.world.object_mut(below).unwrap().set_transform(Quat::IDENTITY, Vec3::Y * 0.8).unwrap();
    scene.steps(240);
    assert!((scene.center(above).y - 1.8).abs() < 0.01, "{}", scene.center(above));
}

#[test]
fn a_turntable_carries_a_crate_round() {
    let mut scene = Scene::new();
    let turn = RigidBody { angular_velocity: Vec3::Y, ..RigidBody::kinematic() };
    scene.add(aabb(Vec3::Y * -0.5, Vec3::new(3.0, 0.5, 3.0)), turn);
    let round = RigidBody { velocity: Vec3::NEG_Z * 1.5, angular_velocity: Vec3::Y, ..RigidBody::dynamic() };
    let body = scene.add(aabb(Vec3::new(1.5, 0.402, 0.0), Vec3::splat(0.4)), round);
    let quarter = (std::f32::consts::FRAC_PI_2 / DT).round() as usize;
    scene.steps(4 * quarter);
    let end = scene.center(body);
    let radius = end.with_y(0.0).length();
    // A step moves straight ahead, and therefore outward: by r (ω dt)² / 2, which adds up to 0.08.
    assert!((radius - 1.5).abs() < 0.1, "{radius}");
    assert!((end - Vec3::new(1.5, 0.4, 0.0)).length() < 0.15, "{end}");
}

#[test]
fn a_crate_between_two_closing_walls_stays_out_of_the_fixed_one() {
    let mut scene = Scene::with_floor();
    let wall: Shape = aabb(Vec3::new(2.0, 1.0, 0.0), Vec3::new(0.005, 1.0, 4.0)).into();
    scene.fixed(wall.clone());
    let pusher = scene.add(
        aabb(Vec3::new(-3.0, 1.1, 0.0), Vec3::new(0.5, 1.0, 2.0)),
        RigidBody { velocity: Vec3::X * 1.5, ..RigidBody::kinematic() },
    );
    let row: Vec<ObjectKey> = (0..3)
        .map(|i| scene.add(aabb(Vec3::new(-1.5 + 1.1 * i as f32, 0.502, 0.0), Vec3::splat(0.5)), RigidBody::dynamic()))
        .collect();
    for step in 0..240 {
        scene.step();
        if scene.center(pusher).x > 1.0 {
            scene.set_velocity(pusher, Vec3::ZERO, Vec3::ZERO);
        }
        for key in &row {
            let apart = gap(&wall, scene.shape(*key));
            assert!(apart >= 0.0, "step {step}: {key} is in the wall by {apart}");
            assert!(scene.center(*key).x < 2.0, "step {step}: {key} is beyond the wall");
        }
    }
}

/// A body that rolls or slides quickly over a table, rotating or not, moves as far as its velocity implies.
#[test]
fn a_table_holds_nothing_that_goes_along_it() {
    for spin in [0.0f32, 3.0] {
        let mut scene = Scene::new();
        let smooth = Material { friction: 0.0, ..Material::default() };
        let table = RigidBody { material: smooth, angular_velocity: Vec3::Y * spin, ..RigidBody::kinematic() };
        scene.add(aabb(Vec3::Y * -0.005, Vec3::new(30.0, 0.005, 30.0)), table);
        let fast = RigidBody { material: smooth, velocity: Vec3::X * 20.0, ..RigidBody::dynamic() };
        let rolling = RigidBody { angular_velocity: Vec3::NEG_Z * 2000.0, ..fast };
        let bodies = [
            scene.add(ball(Vec3::new(-10.0, 0.011, 0.0), 0.01), rolling),
            scene.add(aabb(Vec3::new(-10.0, 0.031, 4.0), Vec3::splat(0.03)), fast),
        ];
        scene.steps(60);
        for body in bodies {
            let at = scene.center(body);
            assert!((at.x - 10.0).abs() < 0.1 && (0.0..0.05).contains(&at.y), "at {spin} rad/s: {at}");
        }
    }
}

#[test]
fn locked_axes_stay_as_they_are_where_a_flipper_strikes() {
    let mut scene = Scene::weightless();
    let half_extents = Vec3::new(0.5, 0.05, 0.5);
    let flipper = scene.add(aabb(Vec3::X * 0.5, half_extents), RigidBody::kinematic());
    let locked = RigidBody {
        locked_translation: BVec3::new(false, false, true),
        locked_rotation: BVec3::TRUE,
        ..RigidBody::dynamic()
    };
    let body = scene.add(obb(Vec3::new(0.8, 0.16, 0.0), Quat::IDENTITY, Vec3::new(0.05, 0.1, 0.05)), locked);
    for step in 1..=3u8 {
        let angle = 0.4 * f32::from(step);
        let turn = Quat::from_rotation_z(angle) * Quat::from_rotation_y(0.2 * angle);
        scene.dynamics.body_mut(&scene.world, flipper).unwrap().move_kinematic(turn, turn * Vec3::X * 0.5, DT).unwrap();
        scene.step();
        let (rotation, at) = scene.world.object(body).unwrap().transform();
        assert!(at.z == 0.0 && rotation.dot(Quat::IDENTITY).abs() > 1.0 - 1e-6, "{at} {rotation}");
    }
    assert!(scene.center(body).y > 0.3, "{}", scene.center(body));
}

/// One ball behind the other along the stroke.
#[test]
fn what_a_flipper_drives_into_others_takes_these_along() {
    for (spin, apart) in [(15.0f32, 0.001f32), (25.0, 0.001), (15.0, 0.02), (25.0, 0.02)] {
        let mut scene = Scene::weightless();
        let pose = |angle: f32| (Quat::from_rotation_z(angle), Quat::from_rotation_z(angle) * Vec3::X * 0.2);
        let flipper = scene.add(aabb(Vec3::X * 0.2, Vec3::new(0.2, 0.02, 0.1)), RigidBody::kinematic());
        let radius = 0.0135;
        let body = RigidBody { locked_translation: BVec3::new(false, false, true), ..RigidBody::dynamic() };
        let at = |i: u8| Vec3::new(0.3, 0.02 + 0.002 + radius + f32::from(i) * (2.0 * radius + apart), 0.0);
        let balls = [0, 1, 2].map(|i| scene.add(ball(at(i), radius), body));
        let mut angle = 0.0f32;
        for step in 0..6 {
            angle = (angle + spin * DT).min(1.0);
            let (turn, center) = pose(angle);
            scene.dynamics.body_mut(&scene.world, flipper).unwrap().move_kinematic(turn, center, DT).unwrap();
            scene.step();
            for (i, key) in balls.iter().enumerate() {
                let local = turn.inverse() * scene.center(*key);
                let is_beyond = local.y < 0.02 && (0.0..0.4).contains(&local.x);
                assert!(!is_beyond, "ball {i} of {apart} at {spin} rad/s, step {step}: {local}");
            }
            let apart = [[0, 1], [1, 2]].map(|[a, b]| scene.center(balls[a]).distance(scene.center(balls[b])));
            // The solver moves them apart; what counts is that none gets through another.
            assert!(apart.iter().all(|apart| *apart > 0.25 * radius), "{spin} rad/s, step {step}: {apart:?}");
        }
    }
}

/// A flipper of a pinball machine, four centimetres thick, whose tip moves by up to ten balls per step.
#[test]
fn a_flipper_strikes_balls_and_passes_none() {
    let mut rng = Rng::with_seed(SEED);
    let (length, half_thickness, first) = (0.4, 0.02, -0.5f32);
    for case in 0..240usize {
        let (friction, spin) = ([0.0, 0.3][case % 2], [10.0, 15.0, 20.0, 30.0][case / 2 % 4]);
        let radius = [0.0135, 0.03, 0.1][case / 8 % 3];
        let mut scene = Scene::new();
        scene.config.gravity = Vec3::NEG_Y * 1.5;
        let pose = |angle: f32| (Quat::from_rotation_z(angle), Quat::from_rotation_z(angle) * Vec3::X * length * 0.5);
        let material = Material { friction, ..Material::default() };
        let (turn, center) = pose(first);
        let flipper = obb(center, turn, Vec3::new(length * 0.5, half_thickness, 0.1));
        let flipper = scene.add(flipper, RigidBody { material, ..RigidBody::kinematic() });
        let along = 0.1 + 0.28 * rng.f32();
        let at = turn * Vec3::new(along, half_thickness + radius + 0.002 + 0.06 * rng.f32(), 0.0);
        let body = scene.add(
            ball(at, radius),
            RigidBody { material, locked_translation: BVec3::new(false, false, true), ..RigidBody::dynamic() },
        );
        let mut angle = first;
        for _ in 0..18 {
            angle = (angle + spin * DT).min(0.6);
            let (turn, center) = pose(angle);
            scene.dynamics.body_mut(&scene.world, flipper).unwrap().move_kinematic(turn, center, DT).unwrap();
            scene.step();
            let local = turn.inverse() * scene.center(body);
            let is_beyond = local.y < half_thickness && (0.0..length).contains(&local.x);
            assert!(!is_beyond, "case {case}, {spin} rad/s, radius {radius}: at {local}");
        }
        let speed = scene.velocity(body).length();
        assert!((0.5 * spin * along..1.2 * spin * length).contains(&speed), "case {case}: {speed}");
    }
}
