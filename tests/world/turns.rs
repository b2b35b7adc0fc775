//! Boxes that rotate while they move through a scene: they penetrate nothing, on the way or where they stop.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Mesh, Object, Response, Shape, SlideOptions, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Budget, Gap, Obb, Plane, Sides, Solid, Sphere, Sweep, TurningBoxSweep},
};

const SKIN: f32 = 1e-3;

/// How much rounding a pose to `f32` may move it: coordinates stay below 64.
const ROUNDING: f64 = 8.0 * 64.0 * f32::EPSILON as f64;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

fn shape(rng: &mut Rng) -> Shape {
    let (center, size) = (vector(rng, 40.0), Vec3::new(1.0, 2.0, 3.0) * (0.2 + rng.f32()));
    let rotation = Quat::from_scaled_axis(vector(rng, 6.0));
    match rng.usize(0..4) {
        0 => Aabb::from_center_half_extents(center, size).unwrap().into(),
        1 => Obb::new(center, rotation, size).unwrap().into(),
        2 => Sphere::new(center, size.x).unwrap().into(),
        _ => Brush::try_from(&Aabb::from_center_half_extents(center, size).unwrap()).unwrap().into(),
    }
}

fn gap(shape: &Shape, body: &Obb) -> Gap {
    match shape {
        Shape::Aabb(shape) => shape.gap(body),
        Shape::Obb(shape) => shape.gap(body),
        Shape::Sphere(shape) => shape.gap(body),
        Shape::Brush(shape) => shape.gap(body),
        Shape::Patch(shape) => shape.gap(body),
        _ => panic!("a shape that is not known here"),
    }
}

/// The least gap to anything in the world.
fn least(world: &World, body: &Obb) -> f64 {
    let objects = world.objects().map(|(_, object)| gap(&object.shape, body).separation);
    let planes = world.planes().map(|(_, entry)| entry.plane.gap(body, entry.sides).separation);
    objects.chain(planes).fold(f64::INFINITY, f64::min)
}

fn sweep(rng: &mut Rng, world: &World) -> TurningBoxSweep {
    loop {
        let half_extents = Vec3::new(0.3, 0.6, 1.4) * (0.3 + rng.f32());
        let body = Obb::new(vector(rng, 40.0), Quat::from_scaled_axis(vector(rng, 6.0)), half_extents).unwrap();
        if least(world, &body) > 0.0 {
            let acceleration = if rng.bool() { Vec3::ZERO } else { vector(rng, 20.0) };
            let turning = BoxSweep::new(body, vector(rng, 60.0)).unwrap().rotating(vector(rng, 30.0)).unwrap();
            return turning.accelerated(acceleration).unwrap();
        }
    }
}

/// A room with things in it.
fn cluttered(rng: &mut Rng) -> World {
    let mut world = World::new();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for normal in [axis, -axis] {
            world.insert_plane(Plane::from_point_normal(normal * -25.0, normal).unwrap());
        }
    }
    for _ in 0..150 {
        let shape = shape(rng);
        world.insert(if rng.bool() { Object::fixed(shape) } else { Object::moving(shape) });
    }
    world
}

#[test]
#[ignore = "takes long"]
fn nothing_is_penetrated_on_the_way_nor_at_its_end() {
    let mut rng = Rng::with_seed(SEED);
    let world = cluttered(&mut rng);
    let (mut hits, mut free) = (0, 0);
    for case in 0..400 {
        let sweep = sweep(&mut rng, &world);
        let end = world.sweep_turning(&sweep, SKIN, &Filter::ALL);
        assert!(end.overlap.is_none());
        assert!(least(&world, &end.body) >= -1e-9, "case {case} ends inside: {}", least(&world, &end.body));
        let until = end.hit.map_or(1.0, |hit| hit.toi);
        match end.hit {
            Some(_) => {
                hits += 1;
                assert!(
                    least(&world, &end.body) < f64::from(1.1 * SKIN),
                    "case {case} stops far away: {}",
                    least(&world, &end.body)
                );
            }
            None => free += 1,
        }
        for step in 0..100 {
            let there = least(&world, &sweep.pose(until * step as f32 / 100.0));
            assert!(there > -ROUNDING, "case {case} at step {step}: {there}");
        }
    }
    assert!(hits > 100 && free > 20, "{hits} hits, {free} free");
}

#[test]
fn a_box_that_does_not_turn_is_answered_as_by_the_exact_sweep() {
    let mut rng = Rng::with_seed(SEED + 1);
    let mut world = World::new();
    for _ in 0..100 {
        world.insert(Object::fixed(shape(&mut rng)));
    }
    let mut hits = 0;
    for _ in 0..200 {
        let straight = *sweep(&mut rng, &world).translating();
        let (exact, still) = (world.sweep(&straight, &Filter::ALL), straight.rotating(Vec3::ZERO).unwrap());
        let end = world.sweep_turning(&still, SKIN, &Filter::ALL);
        assert_eq!((end.hit, end.overlap, end.body.center()), (exact.hit, exact.overlap, exact.position));
        hits += usize::from(exact.hit.is_some());
    }
    assert!(hits > 50, "{hits} of 200 hit something");
}

#[test]
fn an_overlap_at_the_start_is_its_own_answer() {
    let mut world = World::new();
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::Y, 0.0).unwrap()));
    let body = Obb::new(Vec3::Y * 0.5, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let spin = BoxSweep::new(body, Vec3::Y).unwrap().rotating(Vec3::X).unwrap();
    let end = world.sweep_turning(&spin, SKIN, &Filter::ALL);
    assert_eq!(end.body, body);
    let plane = world.planes().next().unwrap().1.plane;
    assert_eq!(f64::from(end.overlap.unwrap().depth), -plane.gap(&body, Sides::Both).separation);
}

#[test]
fn a_long_way_past_slanted_walls_ends_outside_of_them() {
    let mut rng = Rng::with_seed(SEED + 2);
    let mut held = 0;
    for case in 0..2000 {
        // A rod that flies closely along a wall, to where one step of `f32` is as wide as the gap.
        let normal = vector(&mut rng, 2.0).normalize();
        let along = normal.any_orthonormal_vector() * 2e5;
        let plane = Plane::from_point_normal(vector(&mut rng, 4.0), normal).unwrap();
        let start = plane.closest_point(vector(&mut rng, 4.0)) + normal * (0.1 + rng.f32() * 0.03);
        let body = Obb::new(start, Quat::from_scaled_axis(vector(&mut rng, 6.0)), Vec3::new(0.1, 0.0, 0.0)).unwrap();
        assert!(plane.gap(&body, Sides::Front).separation >= 0.0, "case {case} starts in the wall");
        let mut world = World::new();
        world.insert_plane(plane);
        let sweep = BoxSweep::new(body, along).unwrap().rotating(vector(&mut rng, 0.1)).unwrap();
        let end = world.sweep_turning(&sweep, 0.0, &Filter::ALL).body;
        let gap = plane.gap(&end, Sides::Front).separation;
        assert!(gap >= 0.0, "case {case}: {gap}");
        held += usize::from(end.center().distance(start) < along.length());
    }
    assert!(held > 10, "{held} of 2000 were stopped");
}

#[test]
fn a_slide_that_turns_penetrates_nothing_and_gets_as_far_as_there_is_room() {
    let mut rng = Rng::with_seed(SEED + 1);
    let world = cluttered(&mut rng);
    let (mut whole, mut held, mut met, mut as_swept, mut beyond, mut straight) = (0, 0, 0, 0, 0, 0);
    for case in 0..400 {
        let sweep = sweep(&mut rng, &world);
        let slide = world.slide_turning(&sweep, SKIN, &Filter::ALL, &SlideOptions::default());
        assert!(slide.overlap.is_none() && (0.0..=1.0).contains(&slide.turned), "case {case}: {slide:?}");
        assert!(least(&world, &slide.body) >= -1e-9, "case {case} ends inside: {}", least(&world, &slide.body));
        whole += usize::from(slide.turned == 1.0);
        held += usize::from(slide.turned < 1.0);
        met += usize::from(!slide.contacts.is_empty());
        let stopped = world.sweep_turning(&sweep, SKIN, &Filter::ALL);
        if stopped.hit.is_none() && sweep.acceleration() == Vec3::ZERO {
            assert_eq!((slide.body, slide.turned), (stopped.body, 1.0), "case {case}");
            as_swept += 1;
        } else if let Some(hit) = stopped.hit
            && sweep.acceleration() == Vec3::ZERO
        {
            // At least as much of the rotation as the sweep makes up to the first touch.
            assert!(slide.turned >= hit.toi * 0.99, "case {case}: {slide:?}");
            beyond += 1;
        }
        let still = sweep.translating().rotating(Vec3::ZERO).unwrap();
        let (turning, plain) = (
            world.slide_turning(&still, SKIN, &Filter::ALL, &SlideOptions::default()),
            world.slide(sweep.translating(), &Filter::ALL, &SlideOptions::default()),
        );
        assert!(turning.contacts.is_empty() == plain.contacts.is_empty());
        if plain.contacts.is_empty() {
            assert_eq!(turning.body.center(), plain.position);
            straight += 1;
        }
    }
    let floors = [(whole, 50), (held, 50), (met, 100), (as_swept, 20), (beyond, 100), (straight, 40)];
    assert!(floors.iter().all(|(count, floor)| count > floor), "counts and floors: {floors:?}");
}

/// A rod among a thousand boxes that it nearly touches wherever it rotates.
fn amid_boxes() -> (World, Obb) {
    let rod = Obb::new(Vec3::new(0.3, 0.2, 0.1), Quat::IDENTITY, Vec3::new(3.0, 0.02, 0.05)).unwrap();
    let mut world = World::new();
    for i in 0..1000u16 {
        let at = Vec3::new(f32::from(i % 10), f32::from(i / 10 % 10), f32::from(i / 100)) - 4.5;
        let post = Aabb::new(at - Vec3::new(0.1, 0.15, 0.25), at + Vec3::new(0.1, 0.15, 0.25)).unwrap();
        if !post.overlaps_obb(&rod) {
            world.insert(Object::fixed(post).layers(0b01).pairs_with(0b10));
        }
    }
    (world, rod)
}

/// Seconds: far more than it may take, and far less than it took without a budget.
const LONG: f64 = 0.5;

#[test]
fn no_step_or_slide_takes_long_however_fast_a_body_turns() {
    for radians in [170.0, 6e4] {
        let ((mut world, rod), mut boxes) = (amid_boxes(), BoxStepper::new());
        let turn = Vec3::new(0.3, 0.8, 0.5).normalize() * radians;
        let key = world.insert(Object::moving(rod).layers(0b10).pairs_with(0b01));
        let response = Response::Bounce { restitution: 0.9, friction: 0.1 };
        let velocity = Vec3::new(5.0, -3.0, 1.0);
        _ = boxes.insert(&mut world, key, BoxBody { velocity, angular_velocity: turn, response, gravity_scale: 1.0 });
        let start = std::time::Instant::now();
        boxes.step(&mut world, 1.0, &BoxStepConfig { max_touches: 64, ..BoxStepConfig::default() }).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds < LONG, "a step of {radians} radians: {seconds} s");
        let Shape::Obb(end) = world.object(key).unwrap().shape else { panic!("a body is a box") };
        let filter = Filter::layers(0b01);
        assert_eq!(world.depenetrate(&end, &filter), Some(end.center()), "it ends in a box");
        let start = std::time::Instant::now();
        let sweep = BoxSweep::new(rod, velocity).unwrap().rotating(turn).unwrap();
        let slide = world.slide_turning(&sweep, 1e-3, &filter, &SlideOptions::default());
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds < LONG && slide.overlap.is_none(), "a slide of {radians} radians: {seconds} s");
        assert_eq!(world.depenetrate(&slide.body, &filter), Some(slide.body.center()), "it ends in a box");
    }
}

#[test]
fn a_sweep_whose_budget_is_spent_stops_early_and_never_late() {
    let mut rng = Rng::with_seed(SEED);
    let (mut early, mut all) = (0, 0);
    for _ in 0..2_000 {
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (rng.f32() - 0.5)));
        let post = Obb::new(vector(4.0), Quat::from_scaled_axis(vector(6.0)), vector(2.0).abs() + 0.1).unwrap();
        let body = Obb::new(vector(6.0), Quat::from_scaled_axis(vector(6.0)), vector(2.0).abs() + 0.1).unwrap();
        let sweep = BoxSweep::new(body, vector(4.0)).unwrap().rotating(vector(200.0)).unwrap();
        let budget = Budget::new(rng.u32(0..3000));
        let (full, within) = (sweep.against(post, 1e-3), sweep.within(&budget).against(post, 1e-3));
        match (&full, &within) {
            (Sweep::Hit(full), Sweep::Hit(hit)) => assert!(hit.toi <= full.toi, "{sweep:?} against {post:?}"),
            (Sweep::Clear, Sweep::Hit(_)) => assert!(budget.is_spent(), "{sweep:?} against {post:?}"),
            _ => assert_eq!(full, within, "{sweep:?} against {post:?}"),
        }
        if let Sweep::Hit(hit) = &within {
            assert!(post.gap(&sweep.body_at(hit)).is_apart(), "{sweep:?} against {post:?}");
            early += usize::from(budget.is_spent());
            all += 1;
        }
    }
    assert!(early > 50 && all - early > 50, "{early} of {all} were stopped early");
}

/// A sweep over many lengths is searched piece by piece: among 320,000 triangles it ends where it comes down, and
/// passes through nothing before.
#[test]
fn what_is_thrown_far_over_fine_triangles_lands_where_it_comes_down() {
    let side = 401u16;
    let sample = |i: u32| {
        let [x, z] = [i % u32::from(side), i / u32::from(side)].map(|n| n as f32 * 0.5 - 100.0);
        Vec3::new(x, 0.2 * (x * 1.7).sin() * (z * 1.3).cos(), z)
    };
    let count = u32::from(side) * u32::from(side);
    let vertices: Vec<Vec3> = (0..count).map(sample).collect();
    let corners =
        (0..count).filter(|i| i % u32::from(side) + 1 < u32::from(side) && i / u32::from(side) + 1 < u32::from(side));
    let triangles: Vec<[u32; 3]> = corners
        .flat_map(|a| [[a, a + u32::from(side), a + 1], [a + 1, a + u32::from(side), a + u32::from(side) + 1]])
        .collect();
    let mut world = World::new();
    world.insert(Object::fixed(Mesh::new(&vertices, &triangles).unwrap()));
    let mut rng = Rng::with_seed(SEED);
    for case in 0..60 {
        let start = Vec3::new(-60.0, 3.0, 20.0 * rng.f32());
        let axe = Obb::new(start, Quat::IDENTITY, Vec3::new(0.4, 0.2, 0.8)).unwrap();
        let motion = Vec3::new(1.0, -0.1 - 0.2 * rng.f32(), 0.5 * rng.f32()).normalize() * 90.0;
        let turn = vector(&mut rng, 1.0).normalize() * (10.0 + 30.0 * rng.f32());
        let sweep = BoxSweep::new(axe, motion).unwrap().rotating(turn).unwrap();
        let swept = world.sweep_turning(&sweep, 1e-3, &Filter::ALL);
        let hit = swept.hit.unwrap_or_else(|| panic!("case {case}: it flies through the ground"));
        let height = swept.body.center().y;
        assert!(height < 1.6 && swept.overlap.is_none(), "case {case}: stops {height} above the ground");
        for step in 0..200u8 {
            let pose = sweep.pose(hit.toi * f32::from(step) / 200.0);
            let still = BoxSweep::new(pose, Vec3::ZERO).unwrap();
            let overlap = world.sweep(&still, &Filter::ALL).overlap;
            assert!(overlap.is_none(), "case {case}: in the ground at {}", pose.center());
        }
    }
}
