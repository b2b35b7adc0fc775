//! A world's answers are those of asking every object and plane in turn, after any edits; `sweeps.rs` does the same for
//! moving bodies.

use cullide_scenes::{Rng, SEED};
use cullide_support::asked::{self, Asked, plane, point, turned, vector};
use cullide_world::{
    Filter, Mesh, Object, ObjectKey, Shape, Target, World, WorldPlane,
    glam::Vec3,
    narrowphase::{Camera, Containment, Frustum, Obb, Plane, Ray, Segment, Side, Sides, Solid, Sphere},
};
use std::time::Instant;

const EDITS: usize = 1000;

/// Returns the number of hits, as do the others.
fn check_paths(asked: &Asked, rng: &mut Rng) -> usize {
    let filter = asked.filter();
    let ray = loop {
        if let Ok(ray) = Ray::new(point(rng), point(rng) - point(rng)) {
            break ray;
        }
    };
    let max_distance = [f32::INFINITY, 5.0, 0.0, -1.0][rng.usize(0..4)];
    let expected = asked.cast_all(&ray, max_distance);
    let mut hits = vec![];
    asked.world.cast_ray_all(&ray, max_distance, &filter, &mut hits);
    assert_eq!(hits, expected, "{ray:?} up to {max_distance}");
    assert_eq!(asked.world.cast_ray(&ray, max_distance, &filter), expected.first().copied(), "{ray:?}");
    assert_eq!(asked.world.any_ray_hit(&ray, max_distance, &filter), !expected.is_empty(), "{ray:?}");
    let mut answers = vec![];
    asked.world.cast_ray_batch(&[ray; 2], max_distance, &filter, &mut answers);
    assert_eq!(answers, [expected.first().copied(); 2], "{ray:?}");

    let segment = Segment::between(point(rng), point(rng)).unwrap();
    let objects = asked.objects().map(|(key, shape)| (Target::from(key), segment.cast(shape)));
    let planes = asked.planes().map(|(key, entry)| match entry.sides {
        Sides::Front => (key, segment.cast_front(&entry.plane)),
        Sides::Both => (key, segment.cast(&entry.plane)),
    });
    let crossed = objects.chain(planes).filter_map(|(key, hit)| Some((key, hit?)));
    let first = crossed.min_by(|a, b| a.1.fraction.total_cmp(&b.1.fraction).then(a.0.cmp(&b.0)));
    let mut all = vec![];
    asked.world.cast_segment_all(&segment, &filter, &mut all);
    assert!(all.iter().is_sorted_by(|a, b| (a.fraction, a.target) < (b.fraction, b.target)), "{segment:?}");
    assert_eq!(all.first().copied(), asked.world.cast_segment(&segment, &filter), "{segment:?}");
    let found = asked.world.cast_segment(&segment, &filter);
    assert_eq!(
        found.map(|hit| (hit.target, hit.fraction, hit.normal)),
        first.map(|(key, hit)| (key, hit.fraction, hit.normal))
    );
    assert_eq!(asked.world.any_segment_hit(&segment, &filter), first.is_some(), "{segment:?}");
    hits.len() + usize::from(first.is_some())
}

fn check_volumes(asked: &Asked, rng: &mut Rng) -> usize {
    let (filter, mut near) = (asked.filter(), vec![]);
    let obb = turned(rng);
    asked.world.overlap(&obb, &filter, &mut near);
    let touches = |shape: &Shape| match shape {
        Shape::Aabb(shape) => shape.overlaps_obb(&obb),
        Shape::Obb(shape) => shape.overlaps(&obb),
        Shape::Sphere(shape) => shape.overlaps_obb(&obb),
        Shape::Brush(shape) => shape.overlaps_obb(&obb),
        Shape::Patch(shape) => shape.overlaps_obb(&obb),
        _ => panic!("a shape that is not known here"),
    };
    assert_eq!(near, asked.touched(touches, |plane| plane.side_of_obb(&obb)), "{obb:?}");
    assert_eq!(asked.world.any_overlap(&obb, &filter), !near.is_empty(), "{obb:?}");

    let sphere = Sphere::new(point(rng), rng.u32(0..4) as f32).unwrap();
    let touches = |sphere: &Sphere, shape: &Shape| match shape {
        Shape::Aabb(shape) => shape.overlaps_sphere(sphere),
        Shape::Obb(shape) => shape.overlaps_sphere(sphere),
        Shape::Sphere(shape) => shape.overlaps(sphere),
        Shape::Brush(shape) => shape.overlaps_sphere(sphere),
        Shape::Patch(shape) => shape.overlaps_sphere(sphere),
        _ => panic!("a shape that is not known here"),
    };
    let mut met = near.len();
    near.clear();
    asked.world.overlap(&sphere, &filter, &mut near);
    let expected = asked.touched(|shape| touches(&sphere, shape), |plane| plane.side_of_sphere(&sphere));
    assert_eq!(near, expected, "{sphere:?}");
    assert_eq!(asked.world.any_overlap(&sphere, &filter), !near.is_empty(), "{sphere:?}");
    met += near.len();
    near.clear();
    asked.world.overlap(&sphere.center(), &filter, &mut near);
    let dot = Sphere::new(sphere.center(), 0.0).unwrap();
    let expected = asked.touched(|shape| touches(&dot, shape), |plane| plane.side_of_sphere(&dot));
    assert_eq!(near, expected, "{dot:?}");
    assert_eq!(asked.world.any_overlap(&sphere.center(), &filter), !near.is_empty(), "{dot:?}");

    for count in [1, 5, 1000] {
        let (at, mut near) = (point(rng), vec![]);
        let max_distance = [f32::INFINITY, 3.0, 0.0, -1.0, f32::NAN][rng.usize(0..5)];
        asked.world.nearest(at, max_distance, count, &filter, &mut near);
        assert_eq!(near, asked.nearest(at, max_distance, count), "{at} {max_distance} {count}");
    }
    near.clear();
    let aabb = obb.aabb();
    asked.world.overlap(&aabb, &filter, &mut near);
    let touches = |shape: &Shape| match shape {
        Shape::Aabb(shape) => shape.overlaps(&aabb),
        Shape::Obb(shape) => shape.overlaps_aabb(&aabb),
        Shape::Sphere(shape) => shape.overlaps_aabb(&aabb),
        Shape::Brush(shape) => shape.overlaps_obb(&Obb::from(&aabb)),
        Shape::Patch(shape) => shape.overlaps_obb(&Obb::from(&aabb)),
        _ => panic!("a shape that is not known here"),
    };
    assert_eq!(near, asked.touched(touches, |plane| plane.side_of_aabb(&aabb)), "{aabb:?}");
    assert_eq!(asked.world.any_overlap(&aabb, &filter), !near.is_empty(), "{aabb:?}");
    let mut answers = vec![];
    asked.world.overlap_batch(&[Obb::from(&aabb), obb], &filter, &mut answers);
    for (obb, answer) in [Obb::from(&aabb), obb].iter().zip(&answers) {
        near.clear();
        asked.world.overlap(obb, &filter, &mut near);
        assert_eq!(&near, answer, "{obb:?}");
    }
    met
}

fn check_sides(asked: &Asked, rng: &mut Rng) -> usize {
    let (filter, plane) = (asked.filter(), plane(rng));
    let side = |plane: &Plane, shape: &Shape| match shape {
        Shape::Aabb(shape) => plane.side_of_aabb(shape),
        Shape::Obb(shape) => plane.side_of_obb(shape),
        Shape::Sphere(shape) => plane.side_of_sphere(shape),
        Shape::Brush(shape) => shape.side_of(plane),
        Shape::Patch(shape) => shape.side_of(plane),
        _ => panic!("a shape that is not known here"),
    };
    let mut sides = vec![];
    asked.world.for_each_side(&plane, &filter, |key, object, side| {
        assert_eq!(asked.world.object(key).unwrap().get(), &*object);
        sides.push((key, side));
    });
    sides.sort_unstable_by_key(|(key, _)| *key);
    let expected: Vec<_> = asked.objects().map(|(key, shape)| (key, side(&plane, shape))).collect();
    assert_eq!(sides, expected, "{plane:?}");

    let camera =
        Camera { position: point(rng), forward: vector(rng, 2.0), far: 1.0 + 20.0 * rng.f32(), ..Camera::default() };
    let frustum = Frustum::from_camera(&camera).unwrap();
    let mut visible = vec![];
    asked.world.cull(&frustum, &filter, &mut visible);
    let is_visible = |shape: &Shape| match shape {
        Shape::Aabb(shape) => frustum.intersects_aabb(shape),
        Shape::Obb(shape) => frustum.intersects_obb(shape),
        Shape::Sphere(shape) => frustum.intersects_sphere(shape),
        _ => {
            let is_out = frustum.planes().iter().any(|plane| side(plane, shape) == Side::Back);
            !is_out && frustum.containment_of_aabb(&shape.aabb()) != Containment::Outside
        }
    };
    let expected: Vec<_> = asked.objects().filter(|(_, shape)| is_visible(shape)).map(|(key, _)| key).collect();
    assert_eq!(visible, expected, "{camera:?}");

    visible.clear();
    asked.world.for_each_visible(&frustum, &filter, |key, object, containment| {
        assert_eq!(asked.world.object(key).unwrap().get(), &*object);
        assert_ne!(containment, Containment::Outside, "{key:?}");
        visible.push(key);
    });
    visible.sort_unstable();
    assert_eq!(visible, expected, "{camera:?}, one by one");
    visible.len()
}

#[test]
fn a_world_answers_as_every_object_and_plane_in_turn() {
    let mut met = [0; 3];
    asked::after_edits(5, EDITS, |asked, rng| {
        met[0] += check_paths(asked, rng);
        met[1] += check_volumes(asked, rng);
        met[2] += check_sides(asked, rng);
    });
    assert!(met.iter().all(|met| *met > EDITS), "the queries hit too little: {met:?}");
}

#[test]
fn all_there_are_may_be_asked_for_beside_what_is_listed_already() {
    let mut world = World::new();
    let keys = [1.0, 5.0].map(|x| world.insert(Object::fixed(Sphere::new(Vec3::X * x, 1.0).unwrap())));
    let mut near = vec![];
    world.nearest(Vec3::ZERO, f32::INFINITY, 1, &Filter::ALL, &mut near);
    world.nearest(Vec3::ZERO, f32::INFINITY, usize::MAX, &Filter::ALL, &mut near);
    assert_eq!(near.iter().map(|near| near.target).collect::<Vec<_>>(), [keys[0], keys[0], keys[1]].map(Target::from));
}

#[test]
fn asking_for_all_that_is_near_costs_about_as_much_as_sorting_it() {
    let mut rng = Rng::with_seed(SEED);
    let balls: Vec<Sphere> = (0..100_000).map(|_| Sphere::new(asked::vector(&mut rng, 1000.0), 0.5).unwrap()).collect();
    let mut world = World::new();
    let keys = world.insert_batch(balls.iter().map(|ball| Object::fixed(*ball)));

    let start = Instant::now();
    let distance = |ball: &Sphere| ball.closest_point(Vec3::ZERO).as_dvec3().length() as f32;
    let mut sorted: Vec<(f32, ObjectKey)> = balls.iter().map(distance).zip(keys).collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let sorting = start.elapsed();
    for count in [usize::MAX, 50_000] {
        let mut near = vec![];
        let start = Instant::now();
        world.nearest(Vec3::ZERO, f32::INFINITY, count, &Filter::ALL, &mut near);
        // It takes about three times as long; inserting each at its place took two hundred times as long.
        let took = start.elapsed();
        assert!(took < 40 * sorting, "{count}: {took:?} instead of {sorting:?}");
        let near = near.iter().map(|near| (near.distance, near.target));
        assert!(near.eq(sorted.iter().take(count).map(|&(distance, key)| (distance, key.into()))), "{count}");
    }
}

#[test]
fn the_point_of_a_hit_is_rounded_once_and_the_start_inside() {
    let mut world = World::new();
    let wall = world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::NEG_X, 2.0).unwrap()).layers(1));
    let ball = world.insert(Object::fixed(Sphere::new(Vec3::Y * 50.0, 2.0).unwrap()));
    let mut rng = Rng::with_seed(SEED);
    let mut off = 0;
    for _ in 0..1000 {
        let start = Vec3::new(-1e4 * rng.f32(), 1e4 * rng.f32() - 5e3, 1e4 * rng.f32() - 5e3);
        let direction = Vec3::new(1.0, rng.f32() - 0.5, rng.f32() - 0.5);
        let (ray, segment) = (Ray::new(start, direction).unwrap(), Segment::new(start, direction * 2e4).unwrap());
        let hits = [
            world.cast_ray(&ray, f32::INFINITY, &Filter::ALL).map(|hit| (hit.target, hit.point)),
            world.cast_segment(&segment, &Filter::ALL).map(|hit| (hit.target, hit.point)),
        ];
        for (target, point) in hits.map(|hit| hit.expect("the wall is ahead")) {
            if target == wall.into() {
                // Its x is 2 up to what the length of the way loses to rounding in `f64`.
                assert_eq!(point.x, 2.0, "{start} {direction}");
                off += usize::from(ray.at(world.cast_ray(&ray, 1e9, &Filter::ALL).unwrap().distance).x != 2.0);
            }
        }
    }
    assert!(off > 500, "the rounded distance gives the same point but for {off} times");
    let inside = Vec3::new(0.1, 50.3, -0.2);
    let (ray, segment) = (Ray::new(inside, Vec3::Y).unwrap(), Segment::new(inside, Vec3::Y).unwrap());
    let hit = world.cast_ray(&ray, 1.0, &Filter::ALL).unwrap();
    assert_eq!((hit.target, hit.inside, hit.point), (ball.into(), true, inside));
    assert_eq!(world.cast_segment(&segment, &Filter::ALL).unwrap().point, inside);
}

#[test]
fn a_filter_keeps_the_keys_that_it_leaves_out_however_many_and_however_they_are_given() {
    let mut world = World::new();
    let keys: Vec<ObjectKey> =
        (0..9).map(|_| world.insert(Object::fixed(Sphere::new(Vec3::ZERO, 1.0).unwrap()))).collect();
    // One by one, a few at once, and more than fit next to the rest of a filter; all in a single `let`.
    let one_by_one = Filter::layers(1).without(&[keys[0], keys[1]]).without(&[keys[2]]).without(&keys[3..7]);
    let at_once = Filter::ALL.without(&keys[..7]);
    let copy = at_once.clone();
    for filter in [one_by_one, at_once, copy] {
        let mut near = vec![];
        world.overlap(&Vec3::ZERO, &filter, &mut near);
        assert_eq!(near, [keys[7], keys[8]].map(Target::from));
    }
}

/// Enough objects and rays for rays to be cast in packets.
#[test]
fn many_rays_at_once_are_answered_like_each_alone() {
    let mut rng = Rng::with_seed(SEED);
    let mut world = World::new();
    let mut keys = vec![];
    for i in 0..1500 {
        let shape = asked::shape(&mut rng);
        let object = if i % 4 == 0 { Object::moving(shape) } else { Object::fixed(shape) };
        keys.push(world.insert(object.layers(rng.u32(0..8))));
    }
    let corners = [Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 1.0, -9.0), Vec3::new(0.0, 0.0, 9.0)];
    world.insert(Object::fixed(Mesh::new(&corners, &[[0, 1, 2], [0, 2, 1]]).unwrap()));
    world.insert_plane(WorldPlane::half_space(plane(&mut rng)).layers(0b1));
    world.insert_plane(WorldPlane::wall(plane(&mut rng)).layers(0b10));

    let eye = point(&mut rng);
    let mut ray = |i: usize| loop {
        let aim = point(&mut rng);
        let (origin, direction) = match i % 3 {
            0 => (eye, aim - eye),
            1 => (aim, Vec3::AXES[rng.usize(0..3)] * if rng.bool() { 1.0 } else { -1.0 }),
            _ => (aim, point(&mut rng) - aim),
        };
        if let Ok(ray) = Ray::new(origin, direction) {
            break ray;
        }
    };
    let rays: Vec<Ray> = (0..5000).map(&mut ray).collect();
    let filters =
        [Filter::ALL, Filter::layers(0b11).without(&keys[..700]), Filter::ALL.fixed_only(), Filter::ALL.moving_only()];
    let mut hits = 0;
    for (filter, max_distance) in filters.iter().zip([f32::INFINITY, 30.0, 3.0, f32::INFINITY]) {
        let alone: Vec<_> = rays.iter().map(|ray| world.cast_ray(ray, max_distance, filter)).collect();
        hits += alone.iter().flatten().count();
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for count in [0, 1023, 1024, 5000] {
                let mut answers = vec![None];
                pool.install(|| world.cast_ray_batch(&rays[..count], max_distance, filter, &mut answers));
                assert_eq!(answers[1..], alone[..count], "{threads} threads, {filter:?} up to {max_distance}");
            }
        }
    }
    assert!(hits > 5000, "{hits} hits");
    let mut answers = vec![];
    world.cast_ray_batch(&rays, f32::NAN, &Filter::ALL, &mut answers);
    assert!(answers.len() == rays.len() && answers.iter().all(Option::is_none));

    // Lines of sight.
    let lines: Vec<Segment> =
        rays.iter().map(|ray| Segment::new(ray.origin(), ray.direction() * 1.5).unwrap()).collect();
    let mut counts = [0; 2];
    for filter in &filters {
        let alone: Vec<bool> = lines.iter().map(|line| world.any_segment_hit(line, filter)).collect();
        alone.iter().for_each(|hit| counts[usize::from(*hit)] += 1);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for count in [0, 64, 65, 5000] {
                let mut answers = vec![true];
                pool.install(|| world.any_segment_hit_batch(&lines[..count], filter, &mut answers));
                assert_eq!(answers[1..], alone[..count], "{threads} threads, {filter:?}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
}
