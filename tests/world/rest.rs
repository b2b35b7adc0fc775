//! A step skips a body that it would leave unchanged, and does not test a flying body against planes that are far away.
//! This is unobservable: a world that remembers nothing from the step before, because something fixed is edited in
//! between, gives the same results to the last bit, whatever else happens to it.

use cullide_scenes::{CRATE_HALF_EXTENTS, Rng, SEED, bumpy, crates};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Mobility, Object, ObjectKey, PlaneKey, Response, Shape, World,
    WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Brush, Obb, Patch, Plane},
};

const DT: f32 = 1.0 / 60.0;
const GROUND: u32 = 0b001;
const THING: u32 = 0b010;
const NOTHING: u32 = 0b100;

/// Things that lie on tiles, some of them over the edge, with a floor below.
struct Yard {
    world: World,
    boxes: BoxStepper,
    floor: PlaneKey,
    tiles: Vec<ObjectKey>,
    things: Vec<ObjectKey>,
    /// A tile that nothing ever touches.
    far: ObjectKey,
}

fn tile(x: i32, z: i32, height: f32) -> Brush {
    let corner = Vec3::new(x as f32 * 4.0, height - 1.0, z as f32 * 4.0);
    Brush::try_from(&Aabb::new(corner, corner + Vec3::new(4.0, 1.0, 4.0)).unwrap()).unwrap()
}

fn yard() -> Yard {
    let mut rng = Rng::with_seed(SEED);
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let floor = world.insert_plane(
        WorldPlane::half_space(Plane::from_point_normal(Vec3::Y * -4.0, Vec3::Y).unwrap()).layers(GROUND),
    );
    let places = (-2..2).flat_map(|x| (-2..2).map(move |z| (x, z)));
    // Every third one counts as moving; bodies rest on it all the same.
    let tiles = places.enumerate().map(|(i, (x, z))| {
        let mobility = if i % 3 == 0 { Mobility::Moving } else { Mobility::Fixed };
        let tile = Object { mobility, ..Object::fixed(tile(x, z, 0.0)) };
        world.insert(tile.layers(GROUND).pairs_with(THING))
    });
    let tiles = tiles.collect();
    let responses = [Response::Slide, Response::Stop, Response::Bounce { restitution: 0.3, friction: 0.5 }];
    let things = (0..60).map(|i| {
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let (at, turn, spread) = (vector(8.0), vector(3.0), vector(0.2));
        let rotation = if i % 2 == 0 { Quat::IDENTITY } else { Quat::from_scaled_axis(turn) };
        let pose = Obb::new(at.with_y(2.0), rotation, Vec3::new(0.4, 0.5, 0.6) + spread).unwrap();
        let key = world.insert(Object::moving(pose).layers(THING).pairs_with(GROUND));
        boxes.insert(&mut world, key, BoxBody { response: responses[i % 3], ..BoxBody::default() }).unwrap();
        key
    });
    let mut things: Vec<_> = things.collect();
    // A room with flyers, far enough from its walls to forget them for a while.
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::NEG_Y] {
        world.insert_plane(
            WorldPlane::half_space(Plane::from_point_normal(normal * -30.0, normal).unwrap()).layers(GROUND),
        );
    }
    let response = Response::Bounce { restitution: 1.0, friction: 0.0 };
    for i in 0..20 {
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let pose = Obb::new(Vec3::new(0.0, 15.0, 0.0) + vector(10.0), Quat::IDENTITY, Vec3::splat(0.5)).unwrap();
        let key = world.insert(Object::moving(pose).layers(THING).pairs_with(GROUND));
        let angular_velocity = if i % 2 == 0 { vector(9.0) } else { Vec3::ZERO };
        let body = BoxBody { velocity: vector(20.0), angular_velocity, response, gravity_scale: 0.0 };
        boxes.insert(&mut world, key, body).unwrap();
        things.push(key);
    }
    let far = world.insert(Object::fixed(tile(1000, 1000, 0.0)).layers(NOTHING));
    Yard { world, boxes, floor, tiles, things, far }
}

/// Makes the edits that happen before a step, and returns the step's settings.
fn happen(yard: &mut Yard, step: usize) -> BoxStepConfig {
    let Yard { world, boxes, floor, tiles, things, .. } = yard;
    match step {
        300 => drop(world.remove(tiles[0])),
        340 => drop(world.object_mut(tiles[1]).map(|mut object| object.set_shape(tile(-2, -1, 0.25)))),
        380 => drop(
            world
                .plane_mut(*floor)
                .map(|mut entry| entry.set_plane(Plane::from_point_normal(Vec3::Y * -6.0, Vec3::Y).unwrap())),
        ),
        420 => drop(world.object_mut(tiles[2]).map(|mut object| object.set_layers(NOTHING))),
        400 => {
            let slab = Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.05, 9.0)).unwrap();
            tiles.push(world.insert(Object::moving(slab).layers(GROUND).pairs_with(THING)));
        }
        // The bodies that it lifted fall once it becomes a body itself.
        440 => drop(boxes.insert(world, tiles[16], BoxBody { gravity_scale: 0.0, ..BoxBody::default() })),
        460 => drop(world.object_mut(tiles[3]).map(|mut object| object.set_pairs_with(NOTHING))),
        500 => drop(world.object_mut(tiles[4]).map(|mut object| object.set_mobility(Mobility::Moving))),
        540 => drop(world.insert(Object::fixed(tile(-1, -1, 0.1)).layers(GROUND).pairs_with(THING))),
        580 => drop(
            world
                .object_mut(things[7])
                .map(|mut object| object.set_velocity(Vec3::new(1.0, 2.0, 0.5)))
                .transpose()
                .unwrap(),
        ),
        620 => {
            let lifted = world.object(things[8]).unwrap().shape.aabb().center() + Vec3::Y;
            world.object_mut(things[8]).unwrap().set_shape(Obb::new(lifted, Quat::IDENTITY, Vec3::splat(0.3)).unwrap());
        }
        // A lift, moved in each of the possible ways.
        640 => drop(world.insert(Object::moving(tile(1, 1, 0.2)).layers(GROUND).pairs_with(THING))),
        641..650 => drop(
            world.object_mut(tiles[12]).map(|mut object| object.set_shape(tile(1, -2, 0.01 * (step - 640) as f32))),
        ),
        650..655 => {
            world.set_shape_batch([(tiles[12], Shape::from(tile(1, -2, 0.1 - 0.02 * (step - 649) as f32)))]);
        }
        655 => drop(world.set_transform_batch(&[(tiles[9], Quat::IDENTITY, Vec3::Y * -0.3)]).unwrap()),
        657 => drop(world.object_mut(tiles[15]).map(|mut object| object.set_layers(NOTHING))),
        658 => drop(world.remove(tiles[3])),
        660 => drop(world.set_shape_batch([(tiles[5], Shape::from(tile(-1, 0, 0.125)))])),
        700 => drop(world.set_transform_batch(&[(tiles[6], Quat::from_rotation_z(0.1), Vec3::Y * 0.5)]).unwrap()),
        740 => drop(world.object_mut(things[9]).map(|mut object| object.set_layers(NOTHING))),
        780 => drop(world.object_mut(things[10]).map(|mut object| object.set_pairs_with(NOTHING))),
        820 => drop(world.remove_plane(*floor)),
        860 => drop(world.object_mut(things[11]).map(|mut object| object.set_mobility(Mobility::Fixed))),
        900 => drop(world.insert_plane(
            WorldPlane::half_space(Plane::from_point_normal(Vec3::Y * 5.0, Vec3::Y).unwrap()).layers(GROUND),
        )),
        920 => drop(
            world.insert_plane(WorldPlane::wall(Plane::from_point_normal(Vec3::ZERO, Vec3::X).unwrap()).layers(GROUND)),
        ),
        940 => {
            boxes.insert(world, things[12], BoxBody { angular_velocity: Vec3::Y, ..BoxBody::default() }).unwrap();
        }
        960 => drop(boxes.remove(things[14])),
        980 => drop(world.remove(things[13])),
        _ => {}
    }
    let gravity = if step < 1020 { Vec3::Y * -9.81 } else { Vec3::new(4.0, -9.0, 0.0) };
    BoxStepConfig { gravity, ..BoxStepConfig::default() }
}

#[test]
fn a_world_at_rest_does_what_one_does_that_is_stirred_before_every_step() {
    let mut calm = yard();
    let mut stirred = Yard {
        world: calm.world.clone(),
        boxes: calm.boxes.clone(),
        tiles: calm.tiles.clone(),
        things: calm.things.clone(),
        ..calm
    };
    let mut last = Vec::new();
    for step in 0..1100 {
        let config = happen(&mut calm, step);
        assert_eq!(happen(&mut stirred, step), config);
        stirred.world.object_mut(stirred.far).unwrap().set_layers(NOTHING);
        let (a, b) = (
            calm.boxes.step(&mut calm.world, DT, &config).unwrap(),
            stirred.boxes.step(&mut stirred.world, DT, &config).unwrap(),
        );
        assert_eq!(a, b, "step {step}");
        let state = |yard: &Yard| -> Vec<_> {
            let of = |key: &ObjectKey| Some((yard.world.object(*key)?.shape.clone(), yard.boxes.body(*key)));
            yard.things.iter().map(of).collect()
        };
        let (a, b) = (state(&calm), state(&stirred));
        assert_eq!(a, b, "step {step}");
        if step == 299 {
            let still = a.iter().zip(&last).filter(|(now, before)| now == before).count();
            assert!(still > 30, "{still} of 80 rest");
        }
        last = a;
        let (a, b) = (calm.world.update_pairs(DT), stirred.world.update_pairs(DT));
        assert_eq!((a.begun, a.ended), (b.begun, b.ended), "update {step}");
    }
}

fn pose(world: &World, key: ObjectKey) -> Obb {
    match world.object(key).unwrap().shape {
        Shape::Obb(obb) => obb,
        ref other => panic!("a body is a box, not {other:?}"),
    }
}

/// Inserts a box of 2 x 3 x 5 above the origin.
fn dropped(world: &mut World, boxes: &mut BoxStepper, height: f32, response: Response) -> ObjectKey {
    let body = Obb::new(Vec3::Y * (height + 1.5), Quat::IDENTITY, Vec3::new(1.0, 1.5, 2.5)).unwrap();
    let key = world.insert(Object::moving(body));
    boxes.insert(world, key, BoxBody { response, ..BoxBody::default() }).unwrap();
    key
}

const RESPONSES: [Response; 3] =
    [Response::Stop, Response::Slide, Response::Bounce { restitution: 0.2, friction: 0.5 }];

fn slab(top: f32) -> Aabb {
    Aabb::new(Vec3::new(-9.0, top - 0.5, -9.0), Vec3::new(9.0, top, 9.0)).unwrap()
}

#[test]
fn what_moves_and_is_no_body_carries_a_body() {
    for response in RESPONSES {
        let (mut world, mut boxes) = (World::new(), BoxStepper::new());
        let floor = world.insert(Object::moving(slab(0.0)));
        let key = dropped(&mut world, &mut boxes, 1.0, response);
        for _ in 0..200 {
            boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        }
        let events = boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        assert_eq!(events.persisting.iter().map(|contact| contact.target).collect::<Vec<_>>(), [floor.into()]);
        let bottom = pose(&world, key).aabb().min().y;
        assert!((0.0..2e-3).contains(&bottom) && boxes.body(key).unwrap().velocity == Vec3::ZERO, "{bottom}");
        // A floor that becomes a body no longer carries anything, and neither does a removed one.
        _ = boxes.insert(&mut world, floor, BoxBody { gravity_scale: 0.0, ..BoxBody::default() });
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        assert!(pose(&world, key).aabb().min().y < bottom);
        world.remove(floor);
        for _ in 0..60 {
            boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        }
        assert!(pose(&world, key).aabb().min().y < -1.0);
    }
}

#[test]
fn a_lift_carries_a_body_up_and_down() {
    for response in RESPONSES {
        let (mut world, mut boxes) = (World::new(), BoxStepper::new());
        let lift = world.insert(Object::moving(slab(0.0)));
        let key = dropped(&mut world, &mut boxes, 0.1, response);
        let mut top = 0.0;
        // The lift stands, goes up 3 units at 1.2 units per second, stands, goes down again, and stands.
        for step in 0..900 {
            top += match step {
                100..250 => 0.02,
                500..650 => -0.02,
                _ => 0.0,
            };
            world.object_mut(lift).unwrap().set_shape(slab(top));
            boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
            let above = pose(&world, key).aabb().min().y - top;
            // To follow, the body first has to fall as fast as the lift.
            let most = if (500..700).contains(&step) { 0.1 } else { 2e-3 };
            if step > 30 {
                assert!((0.0..most).contains(&above), "{response:?}, step {step}: {above}");
            }
        }
        assert_eq!(boxes.body(key).unwrap().velocity, Vec3::ZERO, "{response:?}");
    }
}

/// The number of bodies that the next step skips.
fn resting(world: &World, boxes: &BoxStepper) -> usize {
    serde_json::to_string(&boxes.snapshot(world).unwrap()).unwrap().matches("\"rests\":true").count()
}

#[test]
fn what_moves_wakes_the_bodies_near_it_and_no_others() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let response = Response::Bounce { restitution: 0.0, friction: 0.5 };
    let lift = |i: usize, top: f32| {
        let corner = Vec3::new(4.0 * i as f32, top - 1.0, 0.0);
        Aabb::new(corner, corner + Vec3::new(3.0, 1.0, 3.0)).unwrap()
    };
    let lifts: Vec<_> = (0..40).map(|i| world.insert(Object::moving(lift(i, 0.0)))).collect();
    let things: Vec<_> = (0..40)
        .map(|i| {
            let center = Vec3::new(4.0 * i as f32 + 1.5, 0.4, 1.5);
            let key = world.insert(Object::moving(Obb::new(center, Quat::IDENTITY, Vec3::new(0.5, 0.3, 0.8)).unwrap()));
            _ = boxes.insert(&mut world, key, BoxBody { response, ..BoxBody::default() });
            key
        })
        .collect();
    for _ in 0..120 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert_eq!(resting(&world, &boxes), 40);
    let far = world.insert(Object::moving(slab(99.0)));
    world.object_mut(far).unwrap().set_shape(slab(98.0));
    world.object_mut(lifts[3]).unwrap().set_shape(lift(3, -0.5));
    world.set_shape_batch([(lifts[7], lift(7, 0.1).into())]);
    _ = world.set_transform_batch(&[(lifts[11], Quat::IDENTITY, Vec3::Y * -2.0)]);
    world.remove(lifts[20]);
    assert_eq!(resting(&world, &boxes), 36);
    boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    for (i, moved) in [(3, -1.0), (7, 1.0), (11, -1.0), (20, -1.0), (2, 0.0), (30, 0.0)] {
        let height = pose(&world, things[i]).aabb().min().y;
        assert!(if moved == 0.0 { (0.0..2e-3).contains(&height) } else { height * moved > 0.0 }, "{i}: {height}");
    }
    // A restored world wakes the same bodies.
    let mut restored = World::restore(&world.snapshot()).unwrap();
    let boxes_restored = BoxStepper::restore(&boxes.snapshot(&world).unwrap(), &restored).unwrap();
    for world in [&mut world, &mut restored] {
        world.object_mut(lifts[25]).unwrap().set_shape(lift(25, -0.1));
    }
    assert_eq!((resting(&world, &boxes), resting(&restored, &boxes_restored)), (35, 35));
}

/// Drops crates on bumpy ground; returns how many rest after ten seconds, and the world with its objects.
fn fallen(side: usize, scale: f64, count: usize) -> (World, BoxStepper, Vec<ObjectKey>) {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let patch = |corners: &[[f32; 3]; 3]| Patch::new(&corners.map(Vec3::from)).unwrap();
    world.insert_batch(
        bumpy(side, scale).iter().map(|corners| Object::fixed(patch(corners)).layers(GROUND).pairs_with(THING)),
    );
    world.optimize();
    let response = Response::Bounce { restitution: 0.1, friction: 0.6 };
    let keys = crates(count, SEED).into_iter().map(|thing| {
        let rotation = Quat::from_array(thing.rotation);
        let pose = Obb::new(thing.center.into(), rotation, CRATE_HALF_EXTENTS.into()).unwrap();
        let key = world.insert(Object::moving(pose).layers(THING).pairs_with(GROUND));
        _ = boxes.insert(&mut world, key, BoxBody { response, ..BoxBody::default() });
        key
    });
    let keys = keys.collect();
    for _ in 0..600 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    (world, boxes, keys)
}

#[test]
fn crates_on_bumpy_ground_come_to_rest_and_are_free_of_it() {
    for (side, scale, count, least) in [(64, 1.0, 49, 47), (64, 3.0, 49, 46)] {
        let (mut world, mut boxes, keys) = fallen(side, scale, count);
        let still = resting(&world, &boxes);
        assert!(still >= least, "bumps of {scale} tenths: {still} of {count} rest");
        let ground = Filter::layers(GROUND);
        for &key in &keys {
            let body = pose(&world, key);
            let mut near = Vec::new();
            world.overlap(&body, &ground, &mut near);
            // What touches counts as overlapping: depenetration must not have to move it.
            assert!(near.is_empty() || world.depenetrate(&body, &ground) == Some(body.center()), "{body:?}");
        }
        // They lie still from then on.
        let before: Vec<_> = keys.iter().map(|key| (pose(&world, *key), boxes.body(*key))).collect();
        for _ in 0..100 {
            boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        }
        let after = keys.iter().map(|key| (pose(&world, *key), boxes.body(*key)));
        assert!(after.zip(before).filter(|(after, before)| after == before).count() >= still);
    }
}
