//! Bodies hardly larger than the steps of `f32` where they are, or without any size: rounding takes them neither through a plane nor up to
//! speed.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Body, Filter, Object, ObjectKey, Response, Shape, SlideOptions, StepConfig, World,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Obb, Plane, Sides},
};

const ROOM: f32 = 4.0;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

fn responses() -> [Response; 4] {
    let bounce = |restitution, friction| Response::Bounce { restitution, friction };
    [Response::Stop, Response::Slide, bounce(1.0, 0.0), bounce(0.4, 0.8)]
}

/// Six planes about a middle, turned by chance; walls or floors.
fn room(rng: &mut Rng, middle: Vec3) -> World {
    let turn = Quat::from_scaled_axis(vector(rng, 6.0));
    let mut world = World::new();
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
        let normal = turn * normal;
        let plane = Plane::from_point_normal(middle - normal * ROOM, normal).unwrap();
        if rng.bool() {
            world.insert_plane(plane, 1)
        } else {
            world.insert_wall(plane, 1)
        };
    }
    world
}

fn obb(world: &World, key: ObjectKey) -> Obb {
    match &world.object(key).unwrap().shape {
        Shape::Obb(obb) => *obb,
        other => panic!("a body is a box, not {other:?}"),
    }
}

/// Whether a box that started at `start` is on the right side of all planes, exactly.
fn is_inside(world: &World, start: &Obb, body: &Obb) -> bool {
    world.planes().all(|(_, entry)| entry.plane.gap_since(start, body, entry.sides).separation >= 0.0)
}

#[test]
fn nothing_small_leaves_a_room() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..600 {
        let middle = [Vec3::ZERO, Vec3::splat(1e4), Vec3::X * 1e6][case % 3];
        let mut world = room(&mut rng, middle);
        let size = [0.0, 1e-3, 0.05][case / 3 % 3];
        let half_extents = Vec3::new(1.0, if rng.bool() { 0.5 } else { 0.0 }, 2.0) * size;
        let rotation = Quat::from_scaled_axis(vector(&mut rng, 6.0));
        let start = Obb::new(middle + vector(&mut rng, 3.0), rotation, half_extents).unwrap();
        let speed = [1.0, 30.0, 3e4][rng.usize(0..3)];
        let response = responses()[rng.usize(0..4)];
        let (velocity, angular_velocity) = (vector(&mut rng, speed), vector(&mut rng, 20.0));
        let key = world.insert(Object::moving(start));
        world.set_body(key, Body { velocity, angular_velocity, response, gravity_scale: 1.0 }).unwrap();
        let config = StepConfig { skin: [0.0, 1e-3][rng.usize(0..2)], ..StepConfig::default() };
        let dt = [1.0 / 60.0, 1.0][rng.usize(0..2)];
        for step in 0..40 {
            world.step(dt, &config);
            assert!(is_inside(&world, &start, &obb(&world, key)), "case {case}, step {step}: {start:?} {response:?}");
        }
        let slide = BoxSweep::new(start, vector(&mut rng, 30.0)).unwrap();
        let slide = world.slide_box(&slide, &Filter::ALL, &SlideOptions::default());
        let end = Obb::from_half_edges(slide.position, start.half_edges()).unwrap();
        assert!(is_inside(&world, &start, &end), "case {case}: slides out");
    }
}

/// Twice the kinetic energy of a cube of mass 1.
fn energy(world: &World, key: ObjectKey) -> f64 {
    let (body, edge) = (world.body(key).unwrap(), obb(world, key).half_edges()[0].as_dvec3());
    let (velocity, spin) = (body.velocity.as_dvec3(), body.angular_velocity.as_dvec3());
    velocity.length_squared() + spin.length_squared() * edge.length_squared() * 2.0 / 3.0
}

#[test]
fn no_bounce_gains_energy_however_coarse_the_numbers_are() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..300 {
        let middle = [Vec3::ZERO, Vec3::splat(1e4), Vec3::X * 1e6][case % 3];
        let mut world = room(&mut rng, middle);
        let half = [0.0, 0.02, 0.4][case / 3 % 3];
        let rotation = Quat::from_scaled_axis(vector(&mut rng, 6.0));
        let start = Obb::new(middle + vector(&mut rng, 3.0), rotation, Vec3::splat(half)).unwrap();
        let key = world.insert(Object::moving(start));
        let (restitution, friction) = if rng.bool() { (1.0, 0.0) } else { (rng.f32(), 2.0 * rng.f32()) };
        let response = Response::Bounce { restitution, friction };
        let (velocity, angular_velocity) = (vector(&mut rng, 600.0), vector(&mut rng, 600.0));
        world.set_body(key, Body { velocity, angular_velocity, response, gravity_scale: 0.0 }).unwrap();
        let mut before = energy(&world, key);
        for step in 0..40 {
            world.step(1.0 / 60.0, &StepConfig::default());
            let after = energy(&world, key);
            assert!(after <= before * 1.0001, "case {case}, step {step}: {before} {after}");
            before = after;
        }
    }
}

#[test]
fn a_point_that_slides_down_a_valley_stays_in_it() {
    let mut world = World::new();
    let slopes = [Vec3::new(0.3, 1.0, 0.1), Vec3::new(-0.7, 1.0, 0.2)];
    let planes = slopes.map(|normal| Plane::from_point_normal(Vec3::ZERO, normal).unwrap());
    for plane in planes {
        world.insert_plane(plane, 1);
    }
    let point = Obb::new(Vec3::new(0.1, 9.0, 0.2), Quat::IDENTITY, Vec3::ZERO).unwrap();
    let key = world.insert(Object::moving(point));
    world.set_body(key, Body::default()).unwrap();
    for step in 0..600 {
        world.step(1.0 / 60.0, &StepConfig::default());
        let deepest = planes.map(|plane| plane.gap_since(&point, &obb(&world, key), Sides::Front).separation);
        assert!(deepest.iter().all(|gap| *gap >= 0.0), "step {step}: {deepest:?}");
    }
}

#[test]
fn a_box_that_is_pushed_out_overlaps_nothing_though_it_comes_from_behind_a_plane() {
    let mut world = World::new();
    // Behind the plane it is left alone, but not where it is pushed to.
    world.insert_plane(Plane::new(Vec3::X, -2.0).unwrap(), 1);
    world.insert(Object::fixed(Obb::new(Vec3::NEG_X, Quat::IDENTITY, Vec3::new(2.0, 9.0, 9.0)).unwrap()));
    let start = Obb::new(Vec3::X * 0.5, Quat::IDENTITY, Vec3::ONE).unwrap();
    let end = start.translated(world.depenetrate(&start, &Filter::ALL).unwrap() - start.center()).unwrap();
    assert!(world.planes().all(|(_, entry)| entry.plane.gap(&end, entry.sides).separation >= 0.0));
    let mut near = vec![];
    world.overlap_box(&end, &Filter::ALL, &mut near);
    assert_eq!(end.center(), Vec3::X * 3.0, "{near:?}");
}
