//! Boxes that a stepper moves beside the world: which world is theirs, and how they learn of its edits.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Mobility, Object, ObjectKey, Response, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Error, Obb},
};

const DT: f32 = 1.0 / 60.0;
const OTHER: Error = Error::OtherWorld { field: "world" };

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

fn slab(top: f32) -> Aabb {
    Aabb::new(Vec3::new(-9.0, top - 1.0, -9.0), Vec3::new(9.0, top, 9.0)).unwrap()
}

fn cube(center: Vec3) -> Aabb {
    Aabb::from_center_half_extents(center, Vec3::splat(0.5)).unwrap()
}

fn weightless() -> BoxBody {
    BoxBody { gravity_scale: 0.0, ..BoxBody::default() }
}

fn center(world: &World, key: ObjectKey) -> Vec3 {
    world.object(key).unwrap().shape.aabb().center()
}

fn steps(boxes: &mut BoxStepper, world: &mut World, count: usize) {
    (0..count).for_each(|_| _ = boxes.step(world, DT, &BoxStepConfig::default()).unwrap());
}

/// Boxes over a floor, some of them still falling.
fn heap(rng: &mut Rng, tag: u32) -> (World, BoxStepper, Vec<ObjectKey>) {
    let (mut world, mut boxes) = (World::with_tag(tag), BoxStepper::new());
    world.insert(Object::fixed(slab(0.0)));
    let responses = [Response::Stop, Response::Slide, Response::Bounce { restitution: 0.2, friction: 0.5 }];
    let keys = (0..9).map(|i| {
        let pose = Obb::new(
            vector(rng, 4.0).with_y(0.5 + 0.4 * i as f32),
            Quat::from_scaled_axis(vector(rng, 3.0)),
            Vec3::new(0.3, 0.4, 0.5),
        );
        let key = world.insert(Object::moving(pose.unwrap()));
        boxes.insert(&mut world, key, BoxBody { response: responses[i % 3], ..BoxBody::default() }).unwrap();
        key
    });
    let keys = keys.collect();
    (world, boxes, keys)
}

#[test]
fn whatever_takes_a_world_refuses_another_one_and_changes_nothing() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..30 {
        let (mut world, mut boxes, keys) = heap(&mut rng, 1);
        steps(&mut boxes, &mut world, 3 * case);
        let (mut other, _, others) = heap(&mut rng, 2);
        let (before, twin) = ((boxes.hash(&world), other.hash()), (world.clone(), boxes.clone()));
        assert_eq!(boxes.insert(&mut other, others[0], BoxBody::default()), Err(OTHER));
        assert_eq!(boxes.step(&mut other, DT, &BoxStepConfig::default()).err(), Some(OTHER));
        assert_eq!(boxes.snapshot(&other).err(), Some(OTHER));
        assert_eq!((boxes.hash(&world), other.hash()), before, "case {case}");
        assert_eq!(boxes.bodies().map(|(key, _)| key).collect::<Vec<_>>(), keys);
        // They go on as if they had not been there; clones are worlds of theirs.
        let (mut clone, mut twin) = twin;
        steps(&mut boxes, &mut world, 5);
        steps(&mut twin, &mut clone, 5);
        assert_eq!((boxes.hash(&world), world.hash()), (twin.hash(&clone), clone.hash()), "case {case}");
    }
}

#[test]
fn what_is_removed_from_the_world_is_a_body_until_the_next_step_and_its_place_is_met() {
    let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
    let [gone, above] = [0.0, 3.0].map(|y| world.insert(Object::moving(cube(Vec3::Y * y))));
    boxes.insert(&mut world, gone, weightless()).unwrap();
    boxes.insert(&mut world, above, BoxBody::default()).unwrap();
    steps(&mut boxes, &mut world, 1);
    world.remove(gone);
    assert_eq!(boxes.body(gone), Some(weightless()));
    // What comes instead has the same place among the objects, and is no body.
    let lift = world.insert(Object::moving(cube(Vec3::ZERO)));
    assert_eq!(lift.to_bits() as u32, gone.to_bits() as u32);
    steps(&mut boxes, &mut world, 1);
    assert_eq!((boxes.body(gone), boxes.body(lift), boxes.remove(gone)), (None, None, None));
    assert_eq!(boxes.bodies().map(|(key, _)| key).collect::<Vec<_>>(), [above]);
    steps(&mut boxes, &mut world, 120);
    assert!((center(&world, above).y - 1.0).abs() < 0.01, "it passed through: {}", center(&world, above));
    assert_eq!(boxes.contacts()[0].target, lift.into());
}

#[test]
fn a_body_in_the_place_of_one_that_is_gone_is_not_met_by_others() {
    for forgets in [false, true] {
        let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
        let lift = world.insert(Object::moving(cube(Vec3::X * 50.0)));
        let gone = world.insert(Object::moving(cube(Vec3::ZERO)));
        boxes.insert(&mut world, gone, weightless()).unwrap();
        steps(&mut boxes, &mut world, 1);
        world.remove(gone);
        let now = world.insert(Object::moving(cube(Vec3::ZERO)));
        assert_eq!(now.to_bits() as u32, gone.to_bits() as u32);
        boxes.insert(&mut world, now, weightless()).unwrap();
        assert!(!forgets || boxes.remove(gone).is_some());
        let through = world.insert(Object::moving(cube(Vec3::X * 3.0)));
        boxes.insert(&mut world, through, BoxBody { velocity: Vec3::X * -60.0, ..weightless() }).unwrap();
        steps(&mut boxes, &mut world, 6);
        assert!(center(&world, through).abs_diff_eq(Vec3::X * -3.0, 1e-4), "{}", center(&world, through));
        assert!(boxes.body(now).is_some() && boxes.body(gone).is_none() && world.object(lift).is_some());
    }
}

#[test]
fn a_body_that_is_removed_pushes_the_one_that_rests_in_it() {
    // By itself, and after a step that found nothing else.
    for waits in [0, 1, 30] {
        let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
        world.insert(Object::fixed(slab(-0.5)));
        let [one, other] = [0.0, 0.9].map(|x| {
            let key = world.insert(Object::moving(cube(Vec3::X * x)));
            boxes.insert(&mut world, key, BoxBody { response: Response::Stop, ..BoxBody::default() }).unwrap();
            key
        });
        steps(&mut boxes, &mut world, 30);
        let rested = center(&world, other);
        assert_eq!(boxes.remove(one), boxes.body(other));
        steps(&mut boxes, &mut world, 1 + waits);
        assert!(center(&world, other).x > rested.x + 0.09, "{rested} {}", center(&world, other));
    }
}

#[test]
fn a_velocity_that_the_world_is_given_is_that_of_the_next_step() {
    let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
    let key = world.insert(Object::moving(cube(Vec3::ZERO)));
    world.object_mut(key).unwrap().set_velocity(Vec3::Y).unwrap();
    let found = boxes.insert(&mut world, key, weightless()).unwrap();
    assert_eq!(found, BoxBody { velocity: Vec3::Y, ..BoxBody::default() });
    // It rests, and is pushed; then it is told the velocity that it has.
    steps(&mut boxes, &mut world, 3);
    let mut at = center(&world, key);
    assert_eq!((at, world.object(key).map(|object| object.velocity())), (Vec3::ZERO, Some(Vec3::ZERO)));
    for velocity in [Vec3::X * 6.0, Vec3::X * 6.0, Vec3::ZERO, Vec3::NEG_Z * 60.0] {
        world.object_mut(key).unwrap().set_velocity(velocity).unwrap();
        let before = boxes.hash(&world);
        let restored = BoxStepper::restore(&boxes.snapshot(&world).unwrap(), &world).unwrap();
        assert_eq!(restored.hash(&world), before);
        for mut boxes in [boxes.clone(), restored] {
            let mut world = world.clone();
            boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
            assert_eq!(boxes.body(key).unwrap().velocity, velocity);
            assert!(center(&world, key).abs_diff_eq(at + velocity * DT, 1e-6));
        }
        steps(&mut boxes, &mut world, 1);
        at = center(&world, key);
        assert_eq!(boxes.insert(&mut world, key, BoxBody { velocity, ..weightless() }).unwrap().velocity, velocity);
    }
}

/// The number of bodies that the next step skips.
fn resting(boxes: &BoxStepper, world: &World) -> usize {
    serde_json::to_string(&boxes.snapshot(world).unwrap()).unwrap().matches("\"rests\":true").count()
}

#[test]
fn however_many_edits_there_were_none_is_overlooked() {
    for count in [1, 100, 16_383, 16_384, 16_385, 40_000] {
        let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
        let lift = world.insert(Object::moving(slab(-0.5)));
        let far = world.insert(Object::moving(cube(Vec3::X * 99.0)));
        let key = world.insert(Object::moving(cube(Vec3::ZERO)));
        boxes.insert(&mut world, key, BoxBody { response: Response::Stop, ..BoxBody::default() }).unwrap();
        steps(&mut boxes, &mut world, 30);
        assert_eq!(resting(&boxes, &world), 1);
        // The edit that matters comes first, and then many that do not; each of them is two places.
        world.object_mut(lift).unwrap().set_shape(slab(-1.5));
        (0..count).for_each(|i| {
            _ = world
                .object_mut(far)
                .map(|mut object| object.set_shape(cube(Vec3::new(99.0, (i % 2) as f32 + 1.0, 0.0))))
        });
        assert_eq!(resting(&boxes, &world), 0, "{count}");
        steps(&mut boxes, &mut world, 60);
        assert!((center(&world, key).y + 1.0).abs() < 0.01, "{count}: {}", center(&world, key));
    }
}

#[test]
fn two_steppers_in_one_world_meet_each_others_boxes() {
    let (mut world, mut below, mut above) = (World::with_tag(1), BoxStepper::new(), BoxStepper::new());
    let [one, other] = [0.0, 1.2].map(|y| world.insert(Object::moving(cube(Vec3::Y * y))));
    below.insert(&mut world, one, weightless()).unwrap();
    above.insert(&mut world, other, BoxBody { response: Response::Stop, ..BoxBody::default() }).unwrap();
    for _ in 0..60 {
        below.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        above.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert!((center(&world, other).y - 1.0).abs() < 0.01);
    assert_eq!(above.contacts().iter().map(|contact| contact.target).collect::<Vec<_>>(), [one.into()]);
    assert_eq!((above.body(one), below.body(other)), (None, None));
    // What goes away from below a box that rests lets it fall.
    assert_eq!(resting(&above, &world), 1);
    world.object_mut(one).unwrap().set_velocity(Vec3::X * 3.0).unwrap();
    for _ in 0..120 {
        below.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        above.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert!(center(&world, other).y < -1.0, "{}", center(&world, other));
}

#[test]
fn a_body_that_becomes_fixed_or_no_box_carries_on_once_it_is_one_again() {
    let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
    let key = world.insert(Object::moving(cube(Vec3::ZERO)));
    boxes.insert(&mut world, key, BoxBody { velocity: Vec3::X * 60.0, ..weightless() }).unwrap();
    steps(&mut boxes, &mut world, 1);
    let place = center(&world, key);
    let ball = cullide_world::narrowphase::Sphere::new(place, 0.5).unwrap();
    type Edit<'a> = &'a dyn Fn(&mut World);
    let edits: [[Edit; 2]; 3] = [
        [&|world| _ = world.object_mut(key).map(|mut object| object.set_mobility(Mobility::Fixed)), &|world| {
            _ = world.object_mut(key).map(|mut object| object.set_mobility(Mobility::Moving))
        }],
        [&|world| _ = world.object_mut(key).map(|mut object| object.set_shape(ball)), &|world| {
            _ = world.object_mut(key).map(|mut object| object.set_shape(Shape::from(cube(place))))
        }],
        [&|world| _ = world.object_mut(key).map(|mut object| object.set_enabled(false)), &|world| {
            _ = world.object_mut(key).map(|mut object| object.set_enabled(true))
        }],
    ];
    for [hold, release] in edits {
        let (mut world, mut boxes) = (world.clone(), boxes.clone());
        hold(&mut world);
        steps(&mut boxes, &mut world, 5);
        assert!(center(&world, key).abs_diff_eq(place, 1e-6) && boxes.body(key).is_some());
        release(&mut world);
        steps(&mut boxes, &mut world, 1);
        assert!(center(&world, key).abs_diff_eq(place + Vec3::X, 1e-5), "{}", center(&world, key));
    }
}
