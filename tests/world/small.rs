//! Bodies about as small as the steps of `f32` at their place, or of no size at all: rounding neither takes them
//! through anything, however thin, nor speeds them up.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Object, ObjectKey, Response, Shape, SlideOptions, World, WorldPlane,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Obb, Patch, Plane, Sides, Sphere, SphereSweep},
};

const ROOM: f32 = 4.0;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

fn responses() -> [Response; 4] {
    let bounce = |restitution, friction| Response::Bounce { restitution, friction };
    [Response::Stop, Response::Slide, bounce(1.0, 0.0), bounce(0.4, 0.8)]
}

/// Six planes about a middle, randomly rotated; walls or half-spaces.
fn room(rng: &mut Rng, middle: Vec3) -> World {
    let turn = Quat::from_scaled_axis(vector(rng, 6.0));
    let mut world = World::new();
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
        let normal = turn * normal;
        let plane = Plane::from_point_normal(middle - normal * ROOM, normal).unwrap();
        if rng.bool() {
            world.insert_plane(WorldPlane::half_space(plane).layers(1))
        } else {
            world.insert_plane(WorldPlane::wall(plane).layers(1))
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
    world.planes().all(|(_, entry)| entry.plane.gap_from(start, body, entry.sides).separation >= 0.0)
}

#[test]
fn nothing_small_leaves_a_room() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..600 {
        let middle = [Vec3::ZERO, Vec3::splat(1e4), Vec3::X * 1e6][case % 3];
        let (mut world, mut boxes) = (room(&mut rng, middle), BoxStepper::new());
        let size = [0.0, 1e-3, 0.05][case / 3 % 3];
        let half_extents = Vec3::new(1.0, if rng.bool() { 0.5 } else { 0.0 }, 2.0) * size;
        let rotation = Quat::from_scaled_axis(vector(&mut rng, 6.0));
        let start = Obb::new(middle + vector(&mut rng, 3.0), rotation, half_extents).unwrap();
        let speed = [1.0, 30.0, 3e4][rng.usize(0..3)];
        let response = responses()[rng.usize(0..4)];
        let (velocity, angular_velocity) = (vector(&mut rng, speed), vector(&mut rng, 20.0));
        let key = world.insert(Object::moving(start));
        boxes.insert(&mut world, key, BoxBody { velocity, angular_velocity, response, gravity_scale: 1.0 }).unwrap();
        let config = BoxStepConfig { skin: [0.0, 1e-3][rng.usize(0..2)], ..BoxStepConfig::default() };
        let dt = [1.0 / 60.0, 1.0][rng.usize(0..2)];
        for step in 0..40 {
            boxes.step(&mut world, dt, &config).unwrap();
            assert!(is_inside(&world, &start, &obb(&world, key)), "case {case}, step {step}: {start:?} {response:?}");
        }
        let slide = BoxSweep::new(start, vector(&mut rng, 30.0)).unwrap();
        let slide = world.slide(&slide, &Filter::ALL, &SlideOptions::default());
        let end = Obb::from_half_edges(slide.position, start.half_edges()).unwrap();
        assert!(is_inside(&world, &start, &end), "case {case}: slides out");
    }
}

/// Twice the kinetic energy of a cube of mass 1.
fn energy(world: &World, boxes: &BoxStepper, key: ObjectKey) -> f64 {
    let (body, edge) = (boxes.body(key).unwrap(), obb(world, key).half_edges()[0].as_dvec3());
    let (velocity, spin) = (body.velocity.as_dvec3(), body.angular_velocity.as_dvec3());
    velocity.length_squared() + spin.length_squared() * edge.length_squared() * 2.0 / 3.0
}

#[test]
fn no_bounce_gains_energy_however_coarse_the_numbers_are() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..300 {
        let middle = [Vec3::ZERO, Vec3::splat(1e4), Vec3::X * 1e6][case % 3];
        let (mut world, mut boxes) = (room(&mut rng, middle), BoxStepper::new());
        let half = [0.0, 0.02, 0.4][case / 3 % 3];
        let rotation = Quat::from_scaled_axis(vector(&mut rng, 6.0));
        let start = Obb::new(middle + vector(&mut rng, 3.0), rotation, Vec3::splat(half)).unwrap();
        let key = world.insert(Object::moving(start));
        let (restitution, friction) = if rng.bool() { (1.0, 0.0) } else { (rng.f32(), 2.0 * rng.f32()) };
        let response = Response::Bounce { restitution, friction };
        let (velocity, angular_velocity) = (vector(&mut rng, 600.0), vector(&mut rng, 600.0));
        boxes.insert(&mut world, key, BoxBody { velocity, angular_velocity, response, gravity_scale: 0.0 }).unwrap();
        let mut before = energy(&world, &boxes, key);
        for step in 0..40 {
            boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap();
            let after = energy(&world, &boxes, key);
            assert!(after <= before * 1.0001, "case {case}, step {step}: {before} {after}");
            before = after;
        }
    }
}

#[test]
fn a_point_that_slides_down_a_valley_stays_in_it() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let slopes = [Vec3::new(0.3, 1.0, 0.1), Vec3::new(-0.7, 1.0, 0.2)];
    let planes = slopes.map(|normal| Plane::from_point_normal(Vec3::ZERO, normal).unwrap());
    for plane in planes {
        world.insert_plane(WorldPlane::half_space(plane).layers(1));
    }
    let point = Obb::new(Vec3::new(0.1, 9.0, 0.2), Quat::IDENTITY, Vec3::ZERO).unwrap();
    let key = world.insert(Object::moving(point));
    boxes.insert(&mut world, key, BoxBody::default()).unwrap();
    for step in 0..600 {
        boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap();
        let deepest = planes.map(|plane| plane.gap_from(&point, &obb(&world, key), Sides::Front).separation);
        assert!(deepest.iter().all(|gap| *gap >= 0.0), "step {step}: {deepest:?}");
    }
}

#[test]
fn a_box_that_is_pushed_out_overlaps_nothing_though_it_comes_from_behind_a_plane() {
    let mut world = World::new();
    // Behind the plane it is left alone, but not at the place that it is pushed to.
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::X, -2.0).unwrap()).layers(1));
    world.insert(Object::fixed(Obb::new(Vec3::NEG_X, Quat::IDENTITY, Vec3::new(2.0, 9.0, 9.0)).unwrap()));
    let start = Obb::new(Vec3::X * 0.5, Quat::IDENTITY, Vec3::ONE).unwrap();
    let end = start.translated(world.depenetrate(&start, &Filter::ALL).unwrap() - start.center()).unwrap();
    assert!(world.planes().all(|(_, entry)| entry.plane.gap(&end, entry.sides).separation >= 0.0));
    let mut near = vec![];
    world.overlap(&end, &Filter::ALL, &mut near);
    assert_eq!(end.center(), Vec3::X * 3.0, "{near:?}");
}

/// `count` cases, times the number in `CULLIDE_CASES`.
fn cases(count: usize) -> usize {
    let factor = std::env::var("CULLIDE_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1);
    count * factor
}

/// Something thin and wide, and its known geometry.
struct Sheet {
    shape: Shape,
    /// A point in the middle of it.
    point: DVec3,
    normal: DVec3,
    thickness: f64,
}

/// Two directions perpendicular to an axis and the axis itself, rotated by `turn`.
fn frame(axis: usize, turn: Quat) -> [Vec3; 3] {
    [(axis + 1) % 3, (axis + 2) % 3, axis].map(|i| turn * Vec3::AXES[i])
}

impl Sheet {
    /// A sheet at a place, perpendicular to a rotated axis, that reaches `wide` to all sides; a few steps of `f32`
    /// thick, or without thickness.
    fn new(rng: &mut Rng, at: Vec3, axis: usize, turn: Quat, wide: f32) -> Self {
        let step = at.abs().max_element().max(1e-3) * f32::EPSILON;
        let thick = [0.0, 0.0, 0.5, 1.0, 3.0][rng.usize(0..5)] * step;
        let [u, v, n] = frame(axis, turn);
        let is_straight = turn == Quat::IDENTITY;
        let aabb = || {
            let (mut min, mut max) = (at - Vec3::splat(wide), at + Vec3::splat(wide));
            (min[axis], max[axis]) = (at[axis], at[axis] + thick);
            Aabb::new(min, max).unwrap()
        };
        let obb = Obb::from_half_edges(at, [u * wide, v * wide, n * (0.5 * thick)]).unwrap();
        let of = |shape: Shape, [a, b, c]: [DVec3; 3], point: DVec3, thickness: f64| {
            let normal = (b - a).cross(c - a).normalize();
            Self { shape, point, normal, thickness }
        };
        let of_box = |shape: Shape, obb: &Obb| {
            let [a, b, c] = obb.half_edges().map(|edge| edge.as_dvec3());
            let normal = a.cross(b).normalize();
            Self { shape, point: obb.center().as_dvec3(), normal, thickness: 2.0 * c.dot(normal).abs() }
        };
        let of_aabb = |shape: Shape, aabb: &Aabb| {
            let [min, max] = [aabb.min().as_dvec3(), aabb.max().as_dvec3()];
            Self { shape, point: 0.5 * (min + max), normal: DVec3::AXES[axis], thickness: (max - min)[axis] }
        };
        match rng.usize(0..4) {
            0 if is_straight => of_aabb(aabb().into(), &aabb()),
            1 => match if is_straight { Brush::try_from(&aabb()) } else { Brush::try_from(&obb) } {
                Ok(brush) if is_straight => of_aabb(brush.into(), &aabb()),
                Ok(brush) => of_box(brush.into(), &obb),
                Err(_) => of_box(obb.into(), &obb),
            },
            2 => {
                let corners = [at - 3.0 * wide * u - wide * v, at + 3.0 * wide * u - wide * v, at + 3.0 * wide * v];
                let wide = corners.map(|corner| corner.as_dvec3());
                of(Patch::new(&corners).unwrap().into(), wide, wide[0], 0.0)
            }
            _ => of_box(obb.into(), &obb),
        }
    }

    /// The signed distance of a point from the middle of the sheet.
    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.point)
    }

    /// The gap between the sheet and a body that belongs on `side` and reaches `reach` from its centre.
    fn gap(&self, side: f64, center: Vec3, reach: f64) -> f64 {
        side * self.height(center.as_dvec3()) - reach - 0.5 * self.thickness
    }
}

fn reach(edges: [Vec3; 3], normal: DVec3) -> f64 {
    edges.iter().map(|edge| normal.dot(edge.as_dvec3()).abs()).sum()
}

/// What `f64` may lose of a height at these coordinates.
fn lost(at: Vec3) -> f64 {
    1e-13 * f64::from(at.abs().max_element() + 1.0)
}

fn place(rng: &mut Rng) -> Vec3 {
    let scale = [1.0, 100.0, 1e4, 1e5, 1e6][rng.usize(0..5)];
    Vec3::splat(scale) + vector(rng, 0.5 * scale)
}

/// Half extents from zero to a few steps.
fn small(rng: &mut Rng, step: f32) -> Vec3 {
    let size = [0.0, 0.01, 0.5, 4.0][rng.usize(0..4)] * step;
    Vec3::new(rng.f32(), if rng.bool() { rng.f32() } else { 0.0 }, rng.f32()) * size
}

#[test]
fn a_ball_smaller_than_the_steps_of_f32_stops_in_front_of_a_flat_wall() {
    let mut world = World::new();
    let y = 100_000.1;
    world.insert(Object::fixed(
        Aabb::new(Vec3::new(99_999.0, y, 99_999.0), Vec3::new(100_001.0, y, 100_001.0)).unwrap(),
    ));
    let ball = Sphere::new(Vec3::new(1e5, 100_000.09, 1e5), 3e-3).unwrap();
    let swept = world.sweep(&SphereSweep::new(ball, Vec3::Y * 0.02).unwrap(), &Filter::ALL);
    assert!(swept.hit.is_some() && swept.position.y < y, "{swept:?}");
}

#[test]
fn no_sweep_takes_what_is_small_through_what_is_thin() {
    let mut rng = Rng::with_seed(SEED ^ 3);
    let mut hits = 0;
    for case in 0..cases(10_000) {
        let at = place(&mut rng);
        let step = at.abs().max_element() * f32::EPSILON;
        let turn = if rng.bool() { Quat::IDENTITY } else { Quat::from_scaled_axis(vector(&mut rng, 6.0)) };
        let axis = rng.usize(0..3);
        let sheet = Sheet::new(&mut rng, at, axis, turn, 400.0 * step);
        let away = sheet.normal.as_vec3() * if rng.bool() { 1.0 } else { -1.0 };
        let start = at + away * (step * 12.0 * rng.f32()) + vector(&mut rng, 40.0 * step);
        let motion = vector(&mut rng, 20.0 * step) - away * (step * 24.0 * rng.f32());
        let mut world = World::new();
        world.insert(Object::fixed(sheet.shape.clone()));
        // A second sheet may be in the way, exactly where the first one is or at an angle to it.
        let other = rng.bool().then(|| {
            let turn = if rng.bool() { turn } else { Quat::from_scaled_axis(vector(&mut rng, 6.0)) };
            let at = at + vector(&mut rng, 6.0 * step);
            Sheet::new(&mut rng, at, axis, turn, 400.0 * step)
        });
        if let Some(other) = &other {
            world.insert(Object::fixed(other.shape.clone()));
        }
        let check = |end: Vec3, reach: &dyn Fn(DVec3) -> f64, from: &dyn Fn(DVec3) -> f64, what: &str| {
            for sheet in [Some(&sheet), other.as_ref()].into_iter().flatten() {
                let side = sheet.height(start.as_dvec3()).signum();
                // A body that starts on it is on no side.
                if sheet.gap(side, start, from(sheet.normal)) > lost(at) {
                    let gap = sheet.gap(side, end, reach(sheet.normal));
                    assert!(gap >= -lost(at), "case {case}, {what}: {gap} {start} {motion} {end} {:?}", sheet.shape);
                }
            }
        };
        let ball = Sphere::new(start, small(&mut rng, step).x).unwrap();
        let swept = world.sweep(&SphereSweep::new(ball, motion).unwrap(), &Filter::ALL);
        let radius = |_: DVec3| f64::from(ball.radius());
        check(swept.position, &radius, &radius, "ball");
        let rotation = Quat::from_scaled_axis(vector(&mut rng, 6.0));
        let body = Obb::new(start, rotation, small(&mut rng, step)).unwrap();
        let sweep = BoxSweep::new(body, motion).unwrap();
        let reaches = |normal: DVec3| reach(body.half_edges(), normal);
        let swept = world.sweep(&sweep, &Filter::ALL);
        hits += usize::from(swept.hit.is_some());
        check(swept.position, &reaches, &reaches, "box");
        let slide = world.slide(&sweep, &Filter::ALL, &SlideOptions::default());
        if slide.overlap.is_none() && swept.overlap.is_none() {
            check(slide.position, &reaches, &reaches, "slide");
        }
        let turning = sweep.rotating(vector(&mut rng, 6.0)).unwrap();
        let skin = if rng.bool() { 0.0 } else { 0.1 * step };
        let turned = world.sweep_turning(&turning, skin, &Filter::ALL);
        check(turned.body.center(), &|normal| reach(turned.body.half_edges(), normal), &reaches, "turning box");
    }
    assert!(hits * 4 > cases(10_000), "{hits}");
}

#[test]
fn no_step_takes_what_is_small_out_of_a_room_with_thin_walls() {
    let mut rng = Rng::with_seed(SEED ^ 4);
    for case in 0..cases(250) {
        let middle = place(&mut rng);
        let step = middle.abs().max_element() * f32::EPSILON;
        let turn = if rng.bool() { Quat::IDENTITY } else { Quat::from_scaled_axis(vector(&mut rng, 6.0)) };
        let size = [12.0, 40.0, 400.0][rng.usize(0..3)] * step;
        let (mut world, mut boxes) = (World::new(), BoxStepper::new());
        let mut walls = vec![];
        for side in 0..6 {
            let (axis, sign) = (side % 3, if side < 3 { 1.0 } else { -1.0 });
            let at = middle + turn * Vec3::AXES[axis] * (sign * size);
            let wall = Sheet::new(&mut rng, at, axis, turn, 4.0 * size);
            world.insert(Object::fixed(wall.shape.clone()));
            walls.push((wall.height(middle.as_dvec3()).signum(), wall));
        }
        let pose = Obb::new(middle, Quat::from_scaled_axis(vector(&mut rng, 6.0)), small(&mut rng, step)).unwrap();
        let key = world.insert(Object::moving(pose));
        let dt = 1.0 / 60.0;
        let speed = [1.0, 10.0, 1000.0][rng.usize(0..3)] * step / dt;
        let body = BoxBody {
            velocity: vector(&mut rng, speed),
            angular_velocity: vector(&mut rng, 20.0),
            response: responses()[rng.usize(0..4)],
            gravity_scale: 1.0,
        };
        boxes.insert(&mut world, key, body).unwrap();
        let skin = [0.0, 0.1 * step, 1e-5][rng.usize(0..3)];
        let gravity = Vec3::NEG_Y * 0.1 * speed;
        let config =
            BoxStepConfig { skin, gravity, rest_speed: 0.0, restitution_speed: 0.0, ..BoxStepConfig::default() };
        for number in 0..100 {
            boxes.step(&mut world, dt, &config).unwrap();
            let pose = obb(&world, key);
            for (side, wall) in &walls {
                let gap = wall.gap(*side, pose.center(), reach(pose.half_edges(), wall.normal));
                assert!(gap >= -lost(middle), "case {case}, step {number}: {gap} {pose:?} {body:?} {:?}", wall.shape);
            }
        }
    }
}
