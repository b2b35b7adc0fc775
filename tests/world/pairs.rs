//! Pairs of a world's objects: after any edits they are those that a scan of all boxes finds, and the events lead from
//! one set to the next. Queries between edits see the objects as they are, whatever the world has cached of them.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Mobility, Object, ObjectKey, ObjectPair, Shape, Target, World,
    glam::{EulerRot, Quat, Vec3},
    narrowphase::{Aabb, Brush, Frustum, Obb, Patch, Plane, Ray, Side, Solid, Sphere},
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const DT: f32 = 1.0 / 60.0;

/// What the test itself knows about an object.
#[derive(Clone)]
struct Known {
    key: ObjectKey,
    velocity: Vec3,
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

fn shape(rng: &mut Rng) -> Shape {
    let (center, size) = (vector(rng, 30.0), Vec3::new(1.0, 2.0, 3.0) * rng.f32());
    match rng.usize(0..3) {
        0 => Aabb::from_center_half_extents(center, size).unwrap().into(),
        1 => Obb::new(center, Quat::from_rotation_y(rng.f32() * 6.0), size).unwrap().into(),
        _ => Sphere::new(center, size.x).unwrap().into(),
    }
}

fn layers(rng: &mut Rng) -> u32 {
    if rng.usize(0..4) > 0 { u32::MAX } else { rng.u32(0..8) }
}

fn object(rng: &mut Rng) -> Object {
    let shape = shape(rng);
    let object = if rng.bool() { Object::fixed(shape) } else { Object::moving(shape) };
    object.layers(layers(rng)).pairs_with(layers(rng))
}

fn ordered(a: ObjectKey, b: ObjectKey) -> (ObjectKey, ObjectKey) {
    (a.min(b), a.max(b))
}

fn set_of<'a>(pairs: impl IntoIterator<Item = &'a ObjectPair>) -> BTreeSet<(ObjectKey, ObjectKey)> {
    pairs.into_iter().map(|pair| ordered(pair.first, pair.second)).collect()
}

/// The pairs, by a scan of all objects.
fn scanned(world: &World, all: &[Known], dt: f32) -> BTreeSet<(ObjectKey, ObjectKey)> {
    let boxed = |known: &Known| {
        let object = world.object(known.key).unwrap();
        let aabb = object.shape.aabb();
        (known.key, object, aabb.swept(known.velocity * dt).unwrap())
    };
    let boxes: Vec<_> = all.iter().map(boxed).collect();
    let mut pairs = BTreeSet::new();
    for (i, (a, first, aabb)) in boxes.iter().enumerate() {
        for (b, second, other) in &boxes[..i] {
            let moves = first.mobility == Mobility::Moving || second.mobility == Mobility::Moving;
            let pair = first.layers & second.pairs_with != 0 && second.layers & first.pairs_with != 0;
            if moves && pair && aabb.overlaps(other) {
                pairs.insert(ordered(*a, *b));
            }
        }
    }
    pairs
}

/// Makes one edit of a random kind.
fn edit(world: &mut World, all: &mut Vec<Known>, rng: &mut Rng) {
    let choice = rng.usize(0..10);
    if choice < 2 || all.is_empty() {
        all.push(Known { key: world.insert(object(rng)), velocity: Vec3::ZERO });
        return;
    }
    if choice == 2 && rng.usize(0..10) == 0 {
        let objects: Vec<Object> = (0..rng.usize(0..9)).map(|_| object(rng)).collect();
        let mut other = world.clone();
        let keys = world.insert_batch(objects.clone());
        assert_eq!(objects.into_iter().map(|object| other.insert(object)).collect::<Vec<_>>(), keys);
        assert!(keys.iter().all(|&key| world.object(key) == other.object(key)));
        all.extend(keys.into_iter().map(|key| Known { key, velocity: Vec3::ZERO }));
        return;
    }
    let at = rng.usize(0..all.len());
    let key = all[at].key;
    match choice {
        2 => {
            assert!(world.remove(key).is_some() && world.remove(key).is_none());
            assert!(
                world.object_mut(key).map(|mut object| object.set_shape(shape(rng))).is_none()
                    && world.object(key).map(|object| object.velocity()).is_none()
            );
            all.swap_remove(at);
        }
        3 => assert!(world.object_mut(key).map(|mut object| object.set_shape(shape(rng))).is_some()),
        4 => assert!(world.object_mut(key).map(|mut object| object.set_layers(layers(rng))).is_some()),
        5 => assert!(world.object_mut(key).map(|mut object| object.set_pairs_with(layers(rng))).is_some()),
        6 => {
            let mobility = if rng.bool() { Mobility::Fixed } else { Mobility::Moving };
            assert!(world.object_mut(key).map(|mut object| object.set_mobility(mobility)).is_some());
        }
        7 | 8 => {
            let velocity = if rng.bool() { vector(rng, 600.0) } else { Vec3::ZERO };
            assert_eq!(
                world.object_mut(key).map(|mut object| object.set_velocity(velocity)).transpose(),
                Ok(Some(all[at].velocity))
            );
            all[at].velocity = velocity;
        }
        _ => {
            let moves: Vec<_> = (0..rng.usize(0..20))
                .map(|_| (all[rng.usize(0..all.len())].key, Quat::from_rotation_z(rng.f32() * 6.0), vector(rng, 9.0)))
                .collect();
            assert_eq!(world.set_transform_batch(&moves), Ok(moves.len()));
        }
    }
}

#[test]
fn pairs_are_those_of_a_scan_after_any_edits_and_events_lead_to_them() {
    for seed in 0..4 {
        let mut rng = Rng::with_seed(SEED + seed);
        let (mut world, mut all, mut replayed) = (World::new(), Vec::new(), BTreeSet::new());
        let mut most = 0;
        for frame in 0..150 {
            for _ in 0..rng.usize(0..30) {
                edit(&mut world, &mut all, &mut rng);
            }
            let mut now = BTreeSet::new();
            world.for_each_pair(|pair| {
                assert!(now.insert(ordered(pair.first, pair.second)), "seed {seed} frame {frame}: a pair twice");
                ControlFlow::Continue(())
            });
            let dt = if rng.bool() { DT } else { 0.0 };
            let expected = scanned(&world, &all, dt);
            let events = world.update_pairs(dt);
            let (begun, ended) = (set_of(events.begun), set_of(events.ended));
            assert_eq!((begun.len(), ended.len()), (events.begun.len(), events.ended.len()), "an event twice");
            assert!(begun.is_disjoint(&replayed) && ended.is_subset(&replayed), "seed {seed} frame {frame}");
            replayed = &(&replayed | &begun) - &ended;
            let pairs: Vec<_> = world.pairs().collect();
            assert_eq!(set_of(&pairs), expected, "seed {seed} frame {frame}");
            assert_eq!(replayed, expected, "seed {seed} frame {frame}");
            if dt == 0.0 {
                let mut after = BTreeSet::new();
                world.for_each_pair(|pair| {
                    after.insert(ordered(pair.first, pair.second));
                    ControlFlow::Continue(())
                });
                assert_eq!(after, expected, "seed {seed} frame {frame}");
            }
            most = most.max(expected.len());
        }
        assert!(most > 50, "too few pairs to mean anything: {most}");
    }
}

#[test]
fn queries_between_updates_see_every_object_as_it_is() {
    let mut rng = Rng::with_seed(SEED);
    let (mut world, mut all) = (World::new(), Vec::new());
    let frustum = Frustum::from_camera(&Default::default()).unwrap();
    for step in 0..600 {
        edit(&mut world, &mut all, &mut rng);
        if rng.usize(0..3) == 0 {
            world.update_pairs(DT);
        }
        let mut expected: Vec<(ObjectKey, &Object)> =
            all.iter().map(|known| (known.key, world.object(known.key).unwrap().get())).collect();
        expected.retain(|(_, object)| object.layers != 0);
        expected.sort_unstable_by_key(|(key, _)| *key);

        let obb = Obb::new(vector(&mut rng, 30.0), Quat::from_rotation_x(rng.f32()), Vec3::new(5.0, 3.0, 2.0)).unwrap();
        let mut near = vec![];
        world.overlap(&obb, &Filter::layers(u32::MAX), &mut near);
        let touches = |object: &Object| match &object.shape {
            Shape::Aabb(shape) => shape.overlaps_obb(&obb),
            Shape::Obb(shape) => shape.overlaps(&obb),
            Shape::Sphere(shape) => shape.overlaps_obb(&obb),
            _ => unreachable!("none was inserted"),
        };
        let touched = expected.iter().filter(|(_, object)| touches(object)).map(|(key, _)| Target::from(*key));
        assert_eq!(near, touched.collect::<Vec<_>>(), "step {step}");

        let mut seen = vec![];
        world.for_each_visible(&frustum, &Filter::ALL, |key, _, containment| seen.push((key, containment)));
        seen.sort_unstable_by_key(|(key, _)| *key);
        let containment = |object: &Object| match &object.shape {
            Shape::Aabb(shape) => (frustum.intersects_aabb(shape), frustum.containment_of_aabb(shape)),
            Shape::Obb(shape) => (frustum.intersects_obb(shape), frustum.containment_of_obb(shape)),
            Shape::Sphere(shape) => (frustum.intersects_sphere(shape), frustum.containment_of_sphere(shape)),
            _ => unreachable!("none was inserted"),
        };
        let visible = expected.iter().map(|(key, object)| (*key, containment(object)));
        let visible: Vec<_> = visible.filter(|(_, (touches, _))| *touches).map(|(key, (_, how))| (key, how)).collect();
        assert_eq!(seen, visible, "step {step}");
    }
}

#[test]
fn a_wall_met_on_the_way_is_a_pair_though_start_and_end_are_free() {
    let mut world = World::new();
    let wall = world.insert(Object::fixed(Aabb::new(Vec3::new(5.0, -9.0, -9.0), Vec3::new(5.1, 9.0, 9.0)).unwrap()));
    let bullet = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 0.1).unwrap()));
    assert!(world.update_pairs(DT).begun.is_empty());
    world.object_mut(bullet).unwrap().set_velocity(Vec3::X * 60.0 * 10.0).unwrap();
    assert_eq!(world.update_pairs(DT).begun, [ObjectPair { first: wall, second: bullet }]);
    world.object_mut(bullet).unwrap().set_velocity(Vec3::ZERO).unwrap();
    assert_eq!(world.update_pairs(DT).ended.len(), 1);
}

#[test]
fn no_transform_is_applied_when_one_is_invalid() {
    let mut world = World::new();
    let keys = [(); 2].map(|()| world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap())));
    let bad = [(keys[0], Quat::IDENTITY, Vec3::X), (keys[1], Quat::IDENTITY, Vec3::NAN)];
    assert!(world.set_transform_batch(&bad).is_err());
    assert_eq!(world.object(keys[0]).unwrap().shape, Sphere::new(Vec3::ZERO, 1.0).unwrap().into());
    assert!(world.object_mut(keys[0]).map(|mut object| object.set_velocity(Vec3::INFINITY)).transpose().is_err());
}

#[test]
fn transforms_do_not_add_up() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let (turn, at) = (Quat::from_rotation_x(0.3), Vec3::new(0.1, 0.7, -3.3));
    let turned = Obb::new(Vec3::X, Quat::from_rotation_y(1.0), Vec3::new(2.0, 3.0, 5.0)).unwrap();
    let keys = [Shape::from(turned), turned.aabb().into(), Brush::try_from(&turned).unwrap().into()]
        .map(|shape| world.insert(Object::moving(shape)));
    boxes
        .insert(&mut world, keys[0], BoxBody { velocity: Vec3::Y, angular_velocity: Vec3::X, ..BoxBody::default() })
        .unwrap();
    let shapes = |world: &mut World| {
        world.set_transform_batch(&keys.map(|key| (key, turn, at))).unwrap();
        keys.map(|key| world.object(key).unwrap().shape.clone())
    };
    let first = shapes(&mut world);
    for i in 0..2_000 {
        let pose = (Quat::from_rotation_y(i as f32), Vec3::splat(i as f32));
        world.set_transform_batch(&keys.map(|key| (key, pose.0, pose.1))).unwrap();
        // A step moves the body on; its size is still the given one.
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert_eq!(shapes(&mut world), first);
}

#[test]
fn a_transform_is_the_pose_itself_whatever_shape_was_given_before() {
    let size = Vec3::new(1.0, 2.0, 3.0);
    let (turn, five, ten) = (Quat::from_rotation_z(0.5), Vec3::X * 5.0, Vec3::X * 10.0);
    let upright = |at: Vec3| Aabb::from_center_half_extents(at, size).unwrap();
    let cases = [
        // As given at ten, and as it should be at five, rotated.
        (Shape::from(upright(ten)), Shape::from(Obb::new(five, turn, size).unwrap())),
        (Obb::new(ten, Quat::IDENTITY, size).unwrap().into(), Obb::new(five, turn, size).unwrap().into()),
        (Sphere::new(ten, 2.0).unwrap().into(), Sphere::new(five, 2.0).unwrap().into()),
    ];
    for (given, expected) in cases {
        let mut world = World::new();
        let inserted = world.insert(Object::moving(given.clone()));
        let [set, many] = [(); 2].map(|()| world.insert(Object::moving(Sphere::new(Vec3::Y, 1.0).unwrap())));
        world.object_mut(set).unwrap().set_transform(turn, Vec3::NEG_X).unwrap();
        world.object_mut(set).unwrap().set_shape(given.clone());
        world.set_shape_batch([(many, given.clone())]);
        for key in [inserted, set, many] {
            assert_eq!(world.object(key).map(|object| object.transform()), Some((Quat::IDENTITY, ten)));
            assert_eq!(
                world.object_mut(key).map(|mut object| object.set_transform(turn, five)).transpose().unwrap(),
                Some((Quat::IDENTITY, ten))
            );
            assert_eq!(world.object(key).unwrap().shape, expected);
            let (rotation, translation) = world.object(key).unwrap().transform();
            assert!(rotation.dot(turn).abs() > 0.999_999 && translation == five, "{rotation} {translation}");
            // And an aligned box is aligned again.
            world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, ten).unwrap();
            assert_eq!(world.object(key).unwrap().shape, given);
        }
        assert!(world.remove(set).is_some());
        assert_eq!(world.object_mut(set).map(|mut object| object.set_transform(turn, five)).transpose(), Ok(None));
        assert_eq!(world.object(set).map(|object| object.transform()), None);
    }
}

#[test]
fn a_box_given_turned_is_turned_as_its_transform_says_and_no_more() {
    let (size, turn) = (Vec3::new(1.0, 2.0, 3.0), Quat::from_euler(EulerRot::XYZ, 1.0, 2.0, 3.0));
    let mut world = World::new();
    let key = world.insert(Object::moving(Obb::new(Vec3::X * 10.0, turn, size).unwrap()));
    world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::Y).unwrap();
    let aabb = world.object(key).unwrap().shape.aabb();
    // Half extents are derived from edges that were rounded.
    assert!((aabb.max() - (Vec3::Y + size)).abs().max_element() < 1e-6, "{aabb:?}");
}

#[test]
fn a_brush_and_a_patch_are_put_with_the_origin_of_their_coordinates_where_the_transform_says() {
    let slab = Aabb::new(Vec3::new(10.0, 0.0, 0.0), Vec3::new(12.0, 3.0, 5.0)).unwrap();
    let corners = [Vec3::new(10.0, 0.0, 0.0), Vec3::new(12.0, 3.0, 0.0), Vec3::new(12.0, 0.0, 5.0)];
    let mut world = World::new();
    for shape in [Shape::from(Brush::try_from(&slab).unwrap()), Patch::new(&corners).unwrap().into()] {
        let key = world.insert(Object::fixed(shape));
        assert_eq!(world.object(key).map(|object| object.transform()), Some((Quat::IDENTITY, Vec3::ZERO)));
        for _ in 0..2 {
            world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::X * 5.0).unwrap();
            assert_eq!(world.object(key).unwrap().shape.aabb().min(), Vec3::X * 15.0);
            assert_eq!(world.object(key).map(|object| object.transform()), Some((Quat::IDENTITY, Vec3::X * 5.0)));
        }
    }
    let restored = World::restore(&world.snapshot()).unwrap();
    assert!(world.objects().all(|(key, object)| {
        restored.object(key) == Some(object)
            && restored.object(key).map(|object| object.transform())
                == world.object(key).map(|object| object.transform())
    }));
}

#[test]
fn what_lies_on_a_way_out_of_the_range_of_coordinates_is_a_pair() {
    let mut world = World::new();
    world.insert(Object::fixed(Sphere::new(Vec3::new(1000.0, 0.0, 0.0), 1.0).unwrap()));
    let comet = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap()));
    world.object_mut(comet).unwrap().set_velocity(Vec3::X * f32::MAX).unwrap();
    assert_eq!(world.update_pairs(1.0).begun.len(), 1);
    assert_eq!(world.update_pairs(f32::MAX).begun.len(), 0);
    assert_eq!(world.pairs().count(), 1);
}

#[test]
fn what_leaves_the_range_of_coordinates_is_found_where_it_is() {
    let ray = Ray::new(Vec3::splat(9.0), Vec3::NEG_ONE).unwrap();
    for velocity in [Vec3::NEG_Y, Vec3::new(5.0, -1e31, 0.0), Vec3::new(-1.0, 2.0, 3.0), Vec3::NEG_X * f32::MAX] {
        for dt in [1.0, 1e30, f32::MAX] {
            let mut world = World::new();
            let comet = world.insert(Object::moving(Aabb::new(Vec3::NEG_ONE, Vec3::ONE).unwrap()));
            world.object_mut(comet).unwrap().set_velocity(velocity).unwrap();
            world.update_pairs(dt);
            let hit = world.cast_ray(&ray, f32::INFINITY, &Filter::ALL);
            assert_eq!(hit.map(|hit| hit.target), Some(comet.into()), "{velocity} {dt}");
            let mut sides = vec![];
            world.for_each_side(&Plane::new(Vec3::Y, 0.0).unwrap(), &Filter::ALL, |_, _, side| sides.push(side));
            assert_eq!(sides, [Side::Straddling], "{velocity} {dt}");
        }
    }
}

#[test]
fn the_first_of_a_pair_has_the_smaller_key() {
    let mut world = World::new();
    let ball = |world: &mut World| world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap()));
    // The object that takes the place of the first is known to the broadphase by a new number.
    let [gone, other] = [ball(&mut world), ball(&mut world)];
    world.update_pairs(DT);
    world.remove(gone);
    let next = ball(&mut world);
    assert!(next < other);
    let events = world.update_pairs(DT);
    assert_eq!(events.begun, [ObjectPair { first: next, second: other }]);
    assert_eq!(events.ended, [ObjectPair { first: gone, second: other }]);
    let mut pairs: Vec<_> = world.pairs().collect();
    world.for_each_pair(|pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    assert_eq!(pairs, [ObjectPair { first: next, second: other }; 2]);
}

#[test]
fn an_object_that_becomes_fixed_or_moving_begins_and_ends_no_pair_that_it_stays_in() {
    let mut world = World::new();
    let ball = || Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let [a, b, c] = [(); 3].map(|()| world.insert(ball()));
    world.update_pairs(DT);
    for changes in [&[Mobility::Fixed][..], &[Mobility::Moving], &[Mobility::Fixed, Mobility::Moving]] {
        changes.iter().for_each(|mobility| _ = world.object_mut(b).map(|mut object| object.set_mobility(*mobility)));
        let mut restored = World::restore(&world.snapshot()).unwrap();
        for world in [&mut world, &mut restored] {
            let events = world.update_pairs(DT);
            assert_eq!((events.begun, events.ended), (&[][..], &[][..]), "{changes:?}");
            assert_eq!(set_of(&world.pairs().collect::<Vec<_>>()).len(), 3);
        }
    }
    world.object_mut(a).unwrap().set_mobility(Mobility::Fixed);
    world.object_mut(c).unwrap().set_mobility(Mobility::Fixed);
    world.remove(b);
    let events = world.update_pairs(DT);
    assert_eq!((events.begun.len(), set_of(events.ended).len()), (0, 3), "two fixed bodies do not pair");
}
