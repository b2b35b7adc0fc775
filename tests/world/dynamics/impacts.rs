//! What an impact does to a body, beside what mechanics says: directions, places, and what is told of it.

use super::{Scene, aabb, ball, ground::grid, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Material, PlacedMesh, RigidBody, Shape, Target, Terrain,
    glam::{Quat, Vec2, Vec3},
    narrowphase::Hull,
};

const FRICTIONLESS: Material =
    Material { friction: 0.0, restitution: 0.0, rolling_resistance: 0.0, surface_velocity: Vec3::ZERO };

/// How many kinds of level ground there are.
const GROUNDS: usize = 7;

/// Adds level ground at height 0 around the origin.
fn add_level_ground(scene: &mut Scene, kind: usize) {
    let slab = Vec3::new(60.0, 1.0, 60.0);
    let placed = |mesh, at: f32| PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::new(at, 0.0, at), Vec3::ONE).unwrap();
    match kind {
        0 => _ = scene.plane(Vec3::ZERO, Vec3::Y),
        1 => _ = scene.fixed(aabb(Vec3::NEG_Y, slab)),
        2 => _ = scene.fixed(Hull::new(&obb(Vec3::NEG_Y, Quat::IDENTITY, slab).corners()).unwrap()),
        3 => {
            for [x, z] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
                scene.fixed(aabb(Vec3::new(30.0 * x, -1.0, 30.0 * z), Vec3::new(30.0, 1.0, 30.0)));
            }
        }
        4 => _ = scene.fixed(placed(grid(40, 0.8, |_, _| 0.0), -16.0)),
        5 => _ = scene.fixed(Terrain::new(60, 60, &[0.0; 3600], Vec2::splat(0.9), Vec2::splat(-26.0)).unwrap()),
        _ => _ = scene.add(aabb(Vec3::NEG_Y, slab), RigidBody::kinematic()),
    }
}

#[test]
fn what_presses_on_a_ball_does_not_turn_it() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..200 {
        let mut scene = Scene::new();
        let radius = 0.05 * 20f32.powf(rng.f32());
        let at = Vec3::Y * (radius + 0.2 + 2.0 * rng.f32());
        let material = Material { restitution: rng.f32(), ..FRICTIONLESS };
        let spin = vector(&mut rng, 40.0);
        let body =
            RigidBody { material, velocity: vector(&mut rng, 5.0), angular_velocity: spin, ..RigidBody::dynamic() };
        if case % 8 < GROUNDS {
            add_level_ground(&mut scene, case % 8);
        } else {
            scene.add(ball(Vec3::new(0.1, -1.0, 0.05), 1.0), RigidBody { gravity_scale: 0.0, ..body });
        }
        let ball = scene.add(ball(at, radius), body);
        let dt = if case % 3 == 0 { 1.0 / 30.0 } else { 1.0 / 60.0 };
        let mut has_hit = false;
        for step in 0..120 {
            let before = scene.velocity(ball);
            scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
            has_hit |= scene.velocity(ball).y > before.y;
            let off = (scene.spin(ball) - spin).length();
            assert!(
                off < 1e-3 * spin.length(),
                "case {case}, radius {radius}, step {step}: {} from {spin}",
                scene.spin(ball)
            );
        }
        assert!(has_hit, "case {case}");
    }
}

#[test]
fn what_a_contact_tells_of_an_impact_is_what_moved_the_body() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for case in 0..300 {
        let mut scene = Scene::weightless();
        let radius = 0.2 + 0.6 * rng.f32();
        let speed = 1.0 * 100f32.powf(rng.f32());
        let spin = vector(&mut rng, [0.0, 5.0, 40.0][case % 3]);
        let off = vector(&mut rng, 0.6 * radius) * Vec3::new(0.0, 1.0, 1.0);
        let material = Material { restitution: if case % 2 == 0 { 0.0 } else { 0.7 }, ..FRICTIONLESS };
        let body = RigidBody { material, ..RigidBody::dynamic() };
        let at = Vec3::NEG_X * (2.0 + rng.f32()) + off;
        let cube = |at: Vec3, turn: Quat| obb(at, turn, Vec3::splat(radius));
        let (mover, target): (Shape, Shape) = match case % 4 {
            0 => (ball(at, radius).into(), ball(Vec3::ZERO, 0.5).into()),
            1 => (ball(at, radius).into(), obb(Vec3::ZERO, turn(&mut rng), Vec3::splat(0.5)).into()),
            2 => (cube(at, turn(&mut rng)).into(), ball(Vec3::ZERO, 0.5).into()),
            _ => (cube(at, turn(&mut rng)).into(), obb(Vec3::ZERO, turn(&mut rng), Vec3::splat(0.5)).into()),
        };
        let target = scene.add(target, body);
        let mover = scene.add(mover, RigidBody { velocity: Vec3::X * speed, angular_velocity: spin, ..body });
        for _ in 0..((4.0 / speed) * 60.0) as usize + 2 {
            let (before, turning) = (scene.velocity(mover), scene.spin(mover));
            scene.step();
            let (change, turned) = (scene.velocity(mover) - before, scene.spin(mover) - turning);
            if change.length() < 1e-3 * speed {
                continue;
            }
            hits += 1;
            let mass = scene.dynamics.body(mover).unwrap().mass(&scene.world).unwrap();
            let pair = scene.dynamics.contact(mover, Target::Object(target)).unwrap();
            let away = if pair.first == mover { -1.0 } else { 1.0 };
            let (mut push, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            for part in pair.parts() {
                for (point, impulse) in part.manifold.points().iter().zip(part.impulses()) {
                    let from = if pair.first == mover { point.from_first } else { point.from_second };
                    let own = away * *impulse * part.manifold.normal();
                    push += own;
                    torque += from.cross(own);
                }
            }
            let off = (push / mass.mass - change).length() / change.length();
            assert!(off < 2e-3, "case {case} at {speed}: told {} for {change}", push / mass.mass);
            let scale = change.length() * mass.mass * radius;
            let off = (torque - turned * mass.inertia.x).length() / scale;
            assert!(off < 0.01, "case {case} at {speed}: told {torque} for {}", turned * mass.inertia.x);
            break;
        }
    }
    assert!(hits > 200, "{hits}");
}

/// What falls flat on level ground, for some steps after it has met it.
fn falls_flat(restitution: f32) {
    let mut rng = Rng::with_seed(SEED);
    let (mut wrong, mut cases, mut at_corners) = (Vec::new(), 0, 0);
    for case in 0..70 * GROUNDS {
        let mut scene = Scene::new();
        add_level_ground(&mut scene, case % GROUNDS);
        let half = Vec3::new(0.2 + 0.8 * rng.f32(), 0.1 + 0.8 * rng.f32(), 0.2 + 0.8 * rng.f32());
        let fall = 0.1 + 3.0 * rng.f32();
        let at = Vec3::new(4.0 * rng.f32() - 2.0, half.y + fall, 4.0 * rng.f32() - 2.0);
        let at = if case % 3 == 0 { Vec3::Y * at.y } else { at };
        let turned = Quat::from_rotation_y(if case % 2 == 0 { 0.0 } else { 3.0 * rng.f32() });
        let friction = if case % 5 == 0 { 0.0 } else { 0.6 };
        let material = Material { friction, restitution, ..Material::default() };
        let body = scene.add(obb(at, turned, half), RigidBody { material, ..RigidBody::dynamic() });
        let (mut since, speed) = (0, (2.0 * 9.81 * fall).sqrt());
        let mut worst = 0f32;
        for _ in 0..80 {
            let before = scene.velocity(body);
            scene.step();
            let velocity = scene.velocity(body);
            since += usize::from(since > 0 || velocity.y > before.y);
            if since > 0 {
                let up = if restitution == 0.0 { velocity.y.max(0.0) } else { 0.0 };
                let aside = velocity.x.abs().max(velocity.z.abs()).max(scene.spin(body).length() * half.max_element());
                worst = worst.max(up.max(aside) / speed);
            }
            if since > 8 {
                break;
            }
        }
        cases += usize::from(since > 0);
        // Tiles rebound one after the other.
        if worst > 0.02 && restitution > 0.0 && case % GROUNDS == 3 && worst < 0.15 {
            at_corners += 1;
        } else if worst > 0.02 {
            wrong.push((case, case % GROUNDS, worst));
        }
    }
    assert!(at_corners < 10, "{at_corners}");
    assert!(cases > 68 * GROUNDS, "{cases}");
    assert!(wrong.is_empty(), "{} of {cases}: {wrong:?}", wrong.len());
}

#[test]
fn what_falls_flat_stops_there() {
    falls_flat(0.0);
}

#[test]
fn what_falls_flat_goes_straight_back() {
    falls_flat(0.5);
}

/// A ball that slides ends up rolling at 5/7 of its speed, whatever the friction; the moment of a ball is 2/5 m r^2.
#[test]
fn a_sliding_ball_ends_up_rolling_at_five_sevenths_of_its_speed() {
    for radius in [0.02f32, 0.05, 0.1, 0.5, 2.0, 10.0] {
        for kind in 0..GROUNDS {
            let mut scene = Scene::new();
            add_level_ground(&mut scene, kind);
            let speed = 2.0 * radius.max(0.1).sqrt();
            let material = Material { friction: 0.5, ..Material::default() };
            let at = Vec3::new(-3.0, radius + scene.config.skin, -2.0);
            let body = RigidBody { material, velocity: Vec3::X * speed, can_sleep: false, ..RigidBody::dynamic() };
            let ball = scene.add(ball(at, radius), body);
            // Friction 0.5 x 0.5 at least.
            scene.steps((speed / (0.25 * 9.81) * 60.0) as usize + 10);
            let (rolls, spins) = (scene.velocity(ball).x / speed, -scene.spin(ball).z * radius / speed);
            let right = 5.0 / 7.0;
            assert!((rolls / right - 1.0).abs() < 3e-3, "{kind}, {radius}: {rolls}");
            assert!((spins / right - 1.0).abs() < 3e-3, "{kind}, {radius}: {spins}");
        }
    }
}
