//! Callers' code that panics in the middle of an edit leaves trees that know every shape.

use cullide_scenes::Rng;
use cullide_world::{
    Filter, Object, ObjectKey, Shape, Terrain, World,
    bvh::{ALL, Bvh, HeightField, Leaf},
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Ray, Sphere},
};
use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

/// Panics, without a message on the standard error stream.
fn panic() -> ! {
    resume_unwind(Box::new("the caller's code"))
}

/// Calls `edit`, which must panic.
fn panics<R>(edit: impl FnOnce() -> R) {
    assert!(catch_unwind(AssertUnwindSafe(edit)).is_err());
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (2.0 * rng.f32() - 1.0) * size))
}

/// Checks that rays meet what a world of the same objects has; returns how many meet anything.
fn check(world: &World, rng: &mut Rng, size: f32, case: usize) -> usize {
    let mut fresh = World::new();
    world.objects().for_each(|(_, object)| _ = fresh.insert(object.clone()));
    let [ours, theirs] = [world, &fresh].map(|world| world.objects().map(|(key, _)| key).collect::<Vec<_>>());
    let number = |keys: &[ObjectKey], key: ObjectKey| keys.iter().position(|known| *known == key).unwrap();
    let rays = (0..40).map(|_| (vector(rng, 2.0 * size), vector(rng, size)));
    let rays = rays.filter_map(|(from, at)| Ray::new(from, at - from).ok());
    let met = rays.filter(|ray| {
        let hit = |world: &World, keys: &[ObjectKey]| {
            let hit = world.cast_ray(ray, f32::INFINITY, &Filter::ALL)?;
            Some((number(keys, hit.target.object()?), hit.part, hit.distance))
        };
        let (got, expected) = (hit(world, &ours), hit(&fresh, &theirs));
        assert_eq!(got, expected, "case {case}");
        got.is_some()
    });
    met.count()
}

#[test]
fn shapes_from_an_iterator_that_panics() {
    let (mut rng, mut met) = (Rng::with_seed(1), 0);
    for case in 0..100 {
        let mut world = World::new();
        let ball = |rng: &mut Rng, size: f32| Shape::from(Sphere::new(vector(rng, size), 0.5 + rng.f32()).unwrap());
        let insert = |i: usize| {
            let shape = ball(&mut rng, 4.0);
            world.insert(if i.is_multiple_of(2) { Object::fixed(shape) } else { Object::moving(shape) })
        };
        let keys: Vec<ObjectKey> = (0..20).map(insert).collect();
        let end = rng.usize(0..20);
        let moved: Vec<(ObjectKey, Shape)> = keys.iter().map(|key| (*key, ball(&mut rng, 8.0))).collect();
        let mut shapes = moved.iter().cloned().enumerate().map(|(i, new)| if i < end { new } else { panic() });
        panics(|| world.set_shape_batch(&mut shapes));
        let has_moved = |(key, shape): &&(ObjectKey, Shape)| world.object(*key).unwrap().shape == *shape;
        assert_eq!(moved.iter().filter(has_moved).count(), end, "case {case}");
        met += check(&world, &mut rng, 8.0, case);
    }
    assert!(met > 300, "{met}");
}

#[test]
fn a_terrain_edited_by_a_function_that_panics() {
    let (mut rng, mut met) = (Rng::with_seed(2), 0);
    for case in 0..100 {
        let mut world = World::new();
        let flat = Terrain::new(17, 17, &[0.0; 17 * 17], Vec2::ONE, Vec2::splat(-8.0)).unwrap();
        let key = world.insert(Object::fixed(flat.clone()));
        let pose = (Quat::from_rotation_y(rng.f32()), vector(&mut rng, 3.0));
        if case % 2 == 0 {
            world.object_mut(key).unwrap().set_transform(pose.0, pose.1).unwrap();
        }
        let posed = world.object(key).map(|object| object.transform());
        let heights: Vec<f32> = (0..25).map(|_| 9.0 * rng.f32()).collect();
        panics(|| {
            world.object_mut(key).and_then(|mut object| {
                object.edit_terrain(|terrain| {
                    match case % 3 {
                        0 => terrain.edit(3..8, 3..8, &heights).unwrap(),
                        1 => *terrain = Terrain::new(5, 5, &heights, Vec2::splat(4.0), Vec2::splat(-8.0)).unwrap(),
                        _ => terrain.dig(2..9, 2..9).unwrap(),
                    }
                    panic()
                })
            })
        });
        assert_eq!(world.object(key).map(|object| object.transform()), posed, "case {case}");
        // The shape that its pose puts into place is the edited one.
        let Some(Shape::Terrain(model)) = world.object(key).and_then(|object| object.model()) else {
            panic!("not a terrain")
        };
        assert_ne!(*model.terrain(), flat, "case {case}");
        met += check(&world, &mut rng, 10.0, case);
    }
    assert!(met > 1000, "{met}");
}

#[test]
fn leaves_from_an_iterator_that_panics() {
    let mut rng = Rng::with_seed(3);
    let aabb = |rng: &mut Rng| Aabb::from_center_half_extents(vector(rng, 50.0), Vec3::ONE).unwrap();
    for case in 0..50 {
        let boxes: Vec<Aabb> = (0..100).map(|_| aabb(&mut rng)).collect();
        let mut tree = Bvh::build(&boxes);
        let moved: Vec<(Leaf, Aabb)> = (0..100).map(|i| (Leaf::new(i), aabb(&mut rng))).collect();
        let end = rng.usize(0..100);
        panics(|| tree.refit((0..).zip(&moved).map(|(i, new)| if i < end { *new } else { panic() })));
        let now = moved[..end].iter().map(|(_, aabb)| aabb).chain(&boxes[end..]);
        for (i, aabb) in now.enumerate() {
            let mut is_found = false;
            tree.overlap_aabb(aabb, ALL, |leaf| {
                is_found |= leaf == Leaf::new(i as u32);
                ControlFlow::Continue(())
            });
            assert!(is_found, "case {case}, leaf {i}");
        }
    }
}

#[test]
fn heights_from_a_function_that_panics() {
    for end in 0..9 {
        let mut field = HeightField::new([9, 9], Vec2::ZERO, Vec2::ONE, |_, _| 0.0);
        let mut count = 0;
        panics(|| {
            field.edit([3..6, 3..6], |_, _| {
                count += 1;
                if count > end { panic() } else { count as f32 }
            })
        });
        assert_eq!(field.range(), [0.0, end as f32]);
    }
}
