//! A half-space ignores a body that is wholly behind it, for all of that body's motion: it neither diverts the body nor
//! leads it through anything else.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Character, Filter, Mesh, Mover, Object, Response, Shape, SlideOptions, World,
    WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Capsule, CapsuleSweep, Obb, Plane, Sides, Sphere, SphereSweep, TurningBoxSweep},
};

const SHEET: f32 = 0.3;

/// A half-space below y = 0.
fn floor() -> World {
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    world
}

/// A wide triangle slightly above zero, hit from both sides.
fn sheet() -> Object {
    let corners = [Vec3::new(-500.0, SHEET, -500.0), Vec3::new(500.0, SHEET, -500.0), Vec3::new(0.0, SHEET, 900.0)];
    Object::fixed(Mesh::new(&corners, &[[0, 1, 2]]).unwrap())
}

fn cube(center: Vec3, half: f32) -> Obb {
    Obb::new(center, Quat::IDENTITY, Vec3::splat(half)).unwrap()
}

fn rod(center: Vec3, radius: f32) -> Capsule {
    Capsule::from_half_axis(center, Vec3::X, radius).unwrap()
}

/// Where straight and rotating sweeps and slides of a ball, a box and a capsule of size `reach` end; none of them may
/// report an overlap.
fn ends(world: &World, center: Vec3, reach: f32, motion: Vec3) -> Vec<(&'static str, Vec3)> {
    let (all, options) = (Filter::ALL, SlideOptions::default());
    let ball = SphereSweep::new(Sphere::new(center, reach).unwrap(), motion).unwrap();
    let cube = BoxSweep::new(cube(center, reach), motion).unwrap();
    let rod = CapsuleSweep::new(rod(center, reach), motion).unwrap();
    let turning = TurningBoxSweep::new(cube.body(), motion, Vec3::Y * 0.3).unwrap();
    let swept =
        [("ball", world.sweep(&ball, &all)), ("box", world.sweep(&cube, &all)), ("capsule", world.sweep(&rod, &all))];
    let slid = [
        ("ball slides", world.slide(&ball, &all, &options)),
        ("box slides", world.slide(&cube, &all, &options)),
        ("capsule slides", world.slide(&rod, &all, &options)),
    ];
    assert!(swept.iter().all(|(_, swept)| swept.overlap.is_none()), "{swept:?}");
    assert!(slid.iter().all(|(_, slid)| slid.overlap.is_none()), "{slid:?}");
    let turned = world.sweep_turning(&turning, 1e-3, &all);
    let turned_on = world.slide_turning(&turning, 1e-3, &all, &options);
    assert!(turned.overlap.is_none() && turned_on.overlap.is_none(), "{turned:?} {turned_on:?}");
    let swept = swept.map(|(what, swept)| (what, swept.position));
    let slid = slid.map(|(what, slid)| (what, slid.position));
    let turned = [("box turns", turned.body.center()), ("box turns and slides", turned_on.body.center())];
    [&swept[..], &slid[..], &turned[..]].concat()
}

#[test]
fn what_comes_out_from_behind_a_floor_ends_on_its_way() {
    let motion = Vec3::new(0.5, 2.9, 0.0);
    for (what, end) in ends(&floor(), Vec3::Y * -3.0, 2.0, motion) {
        assert!(end.distance(Vec3::new(0.5, -0.1, 0.0)) < 1e-5, "{what}: {end}");
    }
}

#[test]
fn what_comes_out_from_behind_a_floor_stays_below_a_sheet() {
    let mut world = floor();
    world.insert(sheet());
    for motion in [Vec3::Y * 4.0, Vec3::new(3.0, 4.0, 1.0)] {
        for (what, end) in ends(&world, Vec3::Y * -3.0, 1.0, motion) {
            assert!((SHEET - 1.0 - end.y).abs() < 2e-3, "{what}: {end}");
            // A slide goes on along the sheet, so it covers all of its way along x.
            let along = if what.contains("slides") { 1.0 } else { 0.575 };
            assert!((end.x - motion.x * along).abs() < 3e-3, "{what}: {end}");
        }
    }
}

#[test]
fn a_body_steps_from_behind_a_floor_up_to_a_sheet() {
    for response in [Response::Stop, Response::Slide, Response::Bounce { restitution: 0.5, friction: 0.5 }] {
        for angular_velocity in [Vec3::ZERO, Vec3::Y] {
            let (mut world, mut boxes) = (floor(), BoxStepper::new());
            world.insert(sheet());
            let key = world.insert(Object::moving(cube(Vec3::Y * -3.0, 1.0)));
            let velocity = Vec3::new(1.0, 4.0, 0.0);
            boxes
                .insert(&mut world, key, BoxBody { velocity, angular_velocity, response, gravity_scale: 0.0 })
                .unwrap();
            boxes.step(&mut world, 1.0, &BoxStepConfig::default()).unwrap();
            let Shape::Obb(body) = &world.object(key).unwrap().shape else { panic!("a body is a box") };
            assert!(body.center().y < SHEET - 1.0 + 2e-3, "{response:?} {body:?}");
        }
    }
}

#[test]
fn a_character_in_a_cellar_stays_there() {
    let mut world = floor();
    world.insert(sheet());
    let ground = Aabb::new(Vec3::new(-50.0, -3.0, -50.0), Vec3::new(50.0, -2.0, 50.0)).unwrap();
    let wall = Aabb::new(Vec3::new(2.0, -2.0, -50.0), Vec3::new(3.0, -0.5, 50.0)).unwrap();
    for shape in [ground, wall] {
        world.insert(Object::fixed(shape));
    }
    // Its head is 0.2 below the half-space: it leaves the half-space when it tries to step onto the wall.
    let mut hero = Character::new(Capsule::new(Vec3::Y * -1.7, Vec3::Y * -0.5, 0.3).unwrap());
    let mover = Mover::default();
    let mut blocked = 0;
    for frame in 0..120 {
        hero.velocity += Vec3::new(3.0 - hero.velocity.x, -10.0 / 60.0, 0.0);
        let walk = mover.walk(&world, &mut hero, 1.0 / 60.0, &Filter::ALL).unwrap();
        blocked += usize::from(walk.contacts.iter().any(|contact| contact.normal.x < -0.9));
        let center = hero.body.center();
        assert!(walk.overlap.is_none() && (center.y + 1.1).abs() < 0.01 && center.x < 1.71, "frame {frame}: {center}");
    }
    assert!(blocked > 60, "{blocked}");
}

#[test]
fn what_has_no_width_leaves_a_wall_to_either_side() {
    let mut world = World::new();
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    for motion in [Vec3::Y, Vec3::NEG_Y, Vec3::new(1.0, -3.0, 2.0)] {
        let tile = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 0.0, 2.0)).unwrap();
        let tile = world.sweep(&BoxSweep::new(tile, motion).unwrap(), &Filter::ALL);
        let point = SphereSweep::new(Sphere::new(Vec3::ZERO, 0.0).unwrap(), motion).unwrap();
        let point = world.sweep(&point, &Filter::ALL);
        assert!(tile.hit.is_none() && tile.overlap.is_none() && tile.position == motion, "{tile:?}");
        assert!(point.hit.is_none() && point.overlap.is_none() && point.position == motion, "{point:?}");
    }
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * 2.0 * size))
}

/// The end of a sweep, and where on its way that is.
struct End {
    position: Vec3,
    time: Option<f32>,
    slid: Option<Vec3>,
}

fn sweep(world: &World, kind: usize, center: Vec3, size: f32, turn: Quat, motion: Vec3) -> End {
    let (all, options) = (Filter::ALL, SlideOptions::default());
    let (swept, slid) = match kind {
        0 => {
            let sweep = SphereSweep::new(Sphere::new(center, size).unwrap(), motion).unwrap();
            (world.sweep(&sweep, &all), world.slide(&sweep, &all, &options))
        }
        1 => {
            let body = Capsule::from_half_axis(center, turn * Vec3::X * size, 0.5 * size).unwrap();
            let sweep = CapsuleSweep::new(body, motion).unwrap();
            (world.sweep(&sweep, &all), world.slide(&sweep, &all, &options))
        }
        _ => {
            let body = Obb::new(center, turn, Vec3::new(1.0, 0.5, 0.25) * size).unwrap();
            let sweep = BoxSweep::new(body, motion).unwrap();
            (world.sweep(&sweep, &all), world.slide(&sweep, &all, &options))
        }
    };
    let time = swept.overlap.is_none().then(|| swept.hit.map_or(1.0, |hit| hit.toi));
    End { position: swept.position, time, slid: slid.overlap.is_none().then_some(slid.position) }
}

#[test]
fn every_sweep_ends_on_its_way_whatever_planes_it_comes_out_from_behind() {
    let mut rng = Rng::with_seed(SEED);
    let (mut came_out, mut went_on, mut stopped) = (0, 0, 0);
    for case in 0..12_000 {
        let scale = [1.0, 1.0, 0.01, 100.0][case % 4];
        let at = [Vec3::ZERO, Vec3::new(1000.0, -3.0, 200.0)][case / 4 % 2] * scale;
        let (kind, size) = (rng.usize(0..3), [1.0, 0.3, 0.01][rng.usize(0..3)] * scale);
        let center = at + vector(&mut rng, 3.0 * scale);
        let (turn, motion) = (Quat::from_scaled_axis(vector(&mut rng, 3.0)), vector(&mut rng, 6.0 * scale));
        let mut world = World::new();
        let mut floors = Vec::new();
        for _ in 0..1 + rng.usize(0..3) {
            // Half of the time, more or less across the way of the body.
            let (point, normal) = if rng.bool() {
                (center + motion * rng.f32(), motion.normalize_or_zero() + vector(&mut rng, 0.5))
            } else {
                (at + vector(&mut rng, 2.0 * scale), vector(&mut rng, 1.0))
            };
            let Ok(plane) = Plane::from_point_normal(point, normal) else { continue };
            if rng.usize(0..4) == 0 {
                world.insert_plane(WorldPlane::wall(plane).layers(1));
            } else {
                floors.push(plane);
                world.insert_plane(WorldPlane::half_space(plane).layers(1));
            }
        }
        for _ in 0..rng.usize(0..3) {
            let half = Vec3::new(0.5, 0.2, 1.0) * scale;
            let turn = Quat::from_scaled_axis(vector(&mut rng, 3.0));
            world.insert(Object::fixed(Obb::new(at + vector(&mut rng, 3.0 * scale), turn, half).unwrap()));
        }
        let end = sweep(&world, kind, center, size, turn, motion);
        let Some(time) = end.time else {
            assert_eq!(end.position, center, "case {case}");
            continue;
        };
        let lost = 4e-6 * (center.abs().max_element() + motion.length() + size);
        let off = end.position.distance(center + motion * time);
        assert!(off <= lost || end.position == center, "case {case}: {off} off its way, {lost} is rounding");
        let slid = end.slid.unwrap_or_else(|| panic!("case {case}: it overlaps nothing"));
        assert!(slid.distance(center) <= motion.length() + 4.0 * lost, "case {case}: slides too far");
        // A ball inside the body, at least, was wholly behind one of the planes and is in that plane now.
        let ball = |center| Sphere::new(center, if kind == 2 { 0.25 * size } else { 0.5 * size }).unwrap();
        let is_in = |plane: &&Plane| {
            let [start, end] = [center, end.position]
                .map(|center| plane.gap_of_sphere_from(&ball(center), &ball(center), Sides::Front));
            start.separation == f64::INFINITY && end.separation < 0.0
        };
        came_out += usize::from(floors.iter().any(|plane| is_in(&plane)));
        went_on += usize::from(time == 1.0);
        stopped += usize::from(time < 1.0);
    }
    assert!(came_out > 200 && went_on > 2000 && stopped > 2000, "{came_out} {went_on} {stopped}");
}
