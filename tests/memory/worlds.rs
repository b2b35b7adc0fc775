//! No query of a world allocates after its first run, and no frame does once its arrays have reached their size; a
//! clone allocates no more than the moving objects take.

use cullide_scenes::{Rng, SEED, city, uniform};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Compound, Filter, Object, ObjectKey, PlacedCompound, Response, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Camera, Frustum, Obb, Plane, Ray, Segment, Sphere, SphereSweep},
};
use std::ops::ControlFlow;

/// The number of frames until nearly all arrays have reached their size.
const WARM_UP: usize = 300;

/// A town in which every other box is rotated, and a ground plane.
fn town() -> World {
    let mut world = World::new();
    world.insert_plane(Plane::new(Vec3::Y, 1.0).unwrap());
    for (i, [min, max]) in city(2000, SEED).into_iter().enumerate() {
        let aabb = Aabb::new(min.into(), max.into()).unwrap();
        let turn = Quat::from_rotation_y(i as f32);
        let obb = Obb::new(aabb.center(), turn, aabb.half_extents()).unwrap();
        world.insert(Object::fixed(if i % 2 == 0 { Shape::from(aabb) } else { obb.into() }));
    }
    world
}

/// Random places in the town, and motions from them.
fn places() -> impl Iterator<Item = (Vec3, Vec3)> {
    let mut rng = Rng::with_seed(SEED);
    (0..200).map(move |_| {
        let mut within = |low: f32, high: f32| low + (high - low) * rng.f32();
        let place = Vec3::new(within(0.0, 240.0), within(-0.5, 30.0), within(0.0, 240.0));
        (place, Vec3::new(within(-90.0, 90.0), within(-9.0, 9.0), within(-90.0, 90.0)))
    })
}

#[test]
fn no_query_allocates_after_the_first() {
    let world = town();
    let filter = Filter::ALL;
    let check = |name: &str, query: &mut dyn FnMut(Vec3, Vec3) -> usize| {
        let mut run = || places().map(|(place, motion)| query(place, motion)).sum::<usize>();
        assert!(run() > 0, "{name} finds nothing");
        let allocations = allocation_counter::measure(|| assert!(run() > 0));
        assert_eq!(allocations.count_total, 0, "{name} allocates");
    };
    let (mut visible, mut near, mut close, mut hits) = (vec![], vec![], vec![], vec![]);
    let obb = |place| Obb::new(place, Quat::from_rotation_z(0.3), Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let frusta = [Vec3::NEG_X, Vec3::X].map(|forward| {
        let position = Vec3::new(120.0, 20.0, 120.0);
        Frustum::from_camera(&Camera { position, forward, ..Camera::default() }).unwrap()
    });
    let ray = |place, motion| Ray::new(place, motion).unwrap();
    check("cast_ray", &mut |p, m| usize::from(world.cast_ray(&ray(p, m), 100.0, &filter).is_some()));
    check("any_segment_hit", &mut |p, m| usize::from(world.any_segment_hit(&Segment::new(p, m).unwrap(), &filter)));
    check("cast_ray_all", &mut |p, m| {
        hits.clear();
        world.cast_ray_all(&ray(p, m), 100.0, &filter, &mut hits);
        hits.len()
    });
    check("cull", &mut |p, m| {
        visible.clear();
        world.cull(&frusta[usize::from(p.x < m.x)], &filter, &mut visible);
        visible.len()
    });
    check("overlap_box", &mut |p, _| {
        near.clear();
        world.overlap(&obb(p), &filter, &mut near);
        near.len()
    });
    check("overlap_sphere", &mut |p, _| {
        near.clear();
        world.overlap(&Sphere::new(p, 5.0).unwrap(), &filter, &mut near);
        near.len()
    });
    check("nearest", &mut |p, _| {
        close.clear();
        world.nearest(p, f32::INFINITY, 8, &filter, &mut close);
        close.len()
    });
    check("for_each_side", &mut |p, m| {
        let mut count = 0;
        world.for_each_side(&Plane::from_point_normal(p, m).unwrap(), &filter, |_, _, _| count += 1);
        count
    });
    check("sweep_sphere", &mut |p, m| {
        let ball = Sphere::new(p, 0.5).unwrap();
        usize::from(world.sweep(&SphereSweep::new(ball, m).unwrap(), &filter).hit.is_some())
    });
    check("sweep_box", &mut |p, m| usize::from(world.sweep(&BoxSweep::new(obb(p), m).unwrap(), &filter).hit.is_some()));
}

#[test]
fn no_steady_frame_allocates() {
    // One thread, because handing work to others takes a few small allocations.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (mut world, mut boxes) = (town(), BoxStepper::new());
        let object = |[min, max]: [[f32; 3]; 2]| Object::moving(Aabb::new(min.into(), max.into()).unwrap());
        let posed: Vec<(ObjectKey, Vec3)> = uniform(300, SEED)
            .into_iter()
            .map(|aabb| {
                let object = object(aabb);
                let center = object.shape.aabb().center();
                (world.insert(object), center)
            })
            .collect();
        let bodies: Vec<ObjectKey> = uniform(50, SEED ^ 1).into_iter().map(|aabb| world.insert(object(aabb))).collect();
        for (i, &key) in (0u8..).zip(&bodies) {
            let velocity = Quat::from_rotation_y(f32::from(i)) * Vec3::X * 20.0;
            let response = Response::Bounce { restitution: 1.0, friction: 0.0 };
            boxes.insert(&mut world, key, BoxBody { velocity, response, ..BoxBody::default() }).unwrap();
        }
        let mut transforms = vec![];
        let (mut touches, mut met, mut grown) = (0, 0, 0);
        for frame in 0..10 * WARM_UP {
            let angle = frame as f32 * 0.02;
            transforms.clear();
            let turn = Quat::from_rotation_y(angle);
            transforms.extend(posed.iter().map(|&(key, at)| (key, turn, turn * at + Vec3::Y * angle.sin())));
            let allocations = allocation_counter::measure(|| {
                world.set_transform_batch(&transforms).unwrap();
                world.object_mut(posed[frame % posed.len()].0).unwrap().set_velocity(Vec3::Y).unwrap();
                let pairs = world.update_pairs(1.0 / 60.0);
                met += pairs.begun.len();
                touches += boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap().begun.len();
            });
            grown += if frame < WARM_UP { 0 } else { allocations.count_total };
        }
        assert!(touches > 0 && met > 0);
        // Now and then an array holds more than ever before.
        assert!(grown < 30, "{grown} allocations");
    });
}

/// The boxes of a level, every hundredth of which is a body that drifts.
fn level(count: usize) -> (World, BoxStepper, Vec<ObjectKey>) {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let mut rng = Rng::with_seed(SEED);
    let mut object = |(i, [min, max]): (usize, [[f32; 3]; 2])| {
        let aabb = Aabb::new(min.into(), max.into()).unwrap();
        if i % 101 != 100 {
            return Object::fixed(aabb);
        }
        Object::moving(Aabb::new(aabb.min() + Vec3::Y * 200.0, aabb.max() + Vec3::Y * 200.0).unwrap())
    };
    let keys = world.insert_batch(uniform(count, SEED).into_iter().enumerate().map(&mut object));
    for key in keys.iter().skip(100).step_by(101) {
        let velocity = Vec3::from_array([(); 3].map(|()| rng.f32() - 0.5));
        let body = BoxBody { velocity, gravity_scale: 0.0, ..BoxBody::default() };
        assert!(boxes.insert(&mut world, *key, body).is_ok());
    }
    (world, boxes, keys)
}

fn frame(world: &mut World, boxes: &mut BoxStepper) -> usize {
    boxes.step(world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap();
    world.update_pairs(1.0 / 60.0);
    world.pairs().count()
}

#[test]
fn a_clone_and_the_frames_after_it_copy_nothing_that_is_fixed() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (mut world, mut boxes, keys) = level(101_000);
        let (mut small, mut few, _) = level(10_100);
        (0..20).for_each(|_| _ = frame(&mut world, &mut boxes) + frame(&mut small, &mut few));
        let clone =
            |world: &World, boxes: &BoxStepper| allocation_counter::measure(|| drop((world.clone(), boxes.clone())));
        let (large, small) = (clone(&world, &boxes), clone(&small, &few));
        println!("clone: {large:?}, with a tenth {small:?}");
        // A thousand bodies of a few hundred bytes each; less than ten bytes for each fixed object.
        assert!(large.bytes_max > 200_000 && large.bytes_max < 1_000_000, "{large:?}");
        assert!(large.bytes_max > 5 * small.bytes_max, "{small:?}");

        let (mut other, mut others) = (world.clone(), boxes.clone());
        let first = allocation_counter::measure(|| assert!(frame(&mut other, &mut others) > 0));
        println!("first frame after it: {first:?}");
        assert!(first.bytes_max < 1_500_000, "{first:?}");
        let moved = Aabb::new(Vec3::splat(-9009.0), Vec3::new(-9007.0, -9006.0, -9004.0)).unwrap();
        let edit = allocation_counter::measure(|| _ = other.object_mut(keys[0]).unwrap().set_shape(moved));
        println!("first edit of a fixed object: {edit:?}");
        assert!(edit.bytes_max > 1_000_000 && edit.bytes_max < 10_000_000, "{edit:?}");
        let ray = Ray::new(Vec3::splat(-9020.0), Vec3::ONE).unwrap();
        let hit = |world: &World| world.any_ray_hit(&ray, 25.0, &Filter::ALL);
        assert!(hit(&other) && !hit(&world), "changes in one are not seen in the other");

        // Eight frames back, and then the same frames again.
        let mut frames = vec![(world.clone(), boxes.clone())];
        for _ in 0..8 {
            frame(&mut world, &mut boxes);
            frames.push((world.clone(), boxes.clone()));
        }
        let shapes = |world: &World| format!("{:?}", world.objects().map(|(_, object)| object).collect::<Vec<_>>());
        let (mut again, mut again_boxes) = frames.swap_remove(0);
        (0..8).for_each(|_| _ = frame(&mut again, &mut again_boxes));
        assert!(shapes(&again) == shapes(&world) && again.pairs().eq(world.pairs()));
    });
}

#[test]
fn a_compound_of_any_size_is_attached_and_detached_as_one_object() {
    let used = [1, 20_000].map(|count| {
        let boxes = uniform(count, SEED).into_iter().map(|[min, max]| Aabb::new(min.into(), max.into()).unwrap());
        let compound = Compound::new(boxes.map(Shape::from)).unwrap();
        let placed = PlacedCompound::new(&compound, Quat::from_rotation_y(1.0), Vec3::X).unwrap();
        let mut world = World::new();
        let key = world.insert(Object::fixed(Sphere::new(Vec3::ZERO, 1.0).unwrap()));
        world.remove(key);
        allocation_counter::measure(|| {
            let key = world.insert(Object::fixed(placed.clone()));
            world.object_mut(key).unwrap().set_transform(Quat::from_rotation_x(1.0), Vec3::Y).unwrap();
            assert!(world.remove(key).is_some());
        })
    });
    assert_eq!(used[0], used[1]);
    assert!(used[0].bytes_max < 4096, "{used:?}");
}

#[test]
fn pairs_are_shown_without_memory_for_them_and_no_longer_than_the_caller_wants() {
    let mut world = World::new();
    let crate_ = Object::moving(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap());
    world.insert_batch(vec![crate_; 5000]);
    for most in [1, 1000, 1_000_000] {
        let mut count = 0;
        let used = allocation_counter::measure(|| {
            world.for_each_pair(|_| {
                count += 1;
                if count == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        });
        assert!(count == most && used.bytes_max < 1 << 20, "{count} pairs, {used:?}");
    }
}
