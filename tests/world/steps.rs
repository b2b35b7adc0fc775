//! Steps of moving boxes: nothing is ever passed through, energy is conserved where it should be, what rests stays at
//! rest, and neither threads nor the order of insertion change a bit.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Mobility, Object, ObjectKey, Response, Shape, Target, World,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, Brush, Error, Feature, FeatureId, Obb, Patch, Plane, Sides, Sphere},
};

const DT: f32 = 1.0 / 60.0;
const HALF: f32 = 50.0;
const BOUNCY: Response = Response::Bounce { restitution: 1.0, friction: 0.0 };

fn weightless() -> BoxStepConfig {
    BoxStepConfig { gravity: Vec3::ZERO, restitution_speed: 0.0, rest_speed: 0.0, ..BoxStepConfig::default() }
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

fn walls() -> [Plane; 6] {
    [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z]
        .map(|normal| Plane::from_point_normal(normal * -HALF, normal).unwrap())
}

/// A box with a random place and motion.
fn flyer(rng: &mut Rng, speed: f32, spin: f32) -> (Obb, BoxBody) {
    let rotation = Quat::from_scaled_axis(vector(rng, 6.0));
    let pose = Obb::new(vector(rng, 1.8 * (HALF - 1.0)), rotation, Vec3::new(0.1, 0.5, 0.8)).unwrap();
    let direction = |rng: &mut Rng| vector(rng, 2.0).normalize();
    let (velocity, angular_velocity) = (direction(rng) * speed, direction(rng) * spin);
    (pose, BoxBody { velocity, angular_velocity, response: BOUNCY, gravity_scale: 1.0 })
}

fn obb(world: &World, key: ObjectKey) -> Obb {
    match &world.object(key).unwrap().shape {
        Shape::Obb(obb) => *obb,
        other => panic!("a body is a box, not {other:?}"),
    }
}

/// Twice the kinetic energy of a box of mass 1.
fn energy(world: &World, boxes: &BoxStepper, key: ObjectKey) -> f64 {
    let (body, edges) = (boxes.body(key).unwrap(), obb(world, key).half_edges().map(|edge| edge.as_dvec3()));
    let squares = edges.map(DVec3::length_squared);
    let spin = body.angular_velocity.as_dvec3();
    let turning =
        (0..3).map(|i| edges[i].normalize().dot(spin).powi(2) * (squares[(i + 1) % 3] + squares[(i + 2) % 3]) / 3.0);
    body.velocity.as_dvec3().length_squared() + turning.sum::<f64>()
}

/// A room of planes with flyers inside.
fn room(count: usize, speed: f32, spin: f32, order: impl Fn(usize) -> usize) -> (World, BoxStepper, Vec<ObjectKey>) {
    let mut rng = Rng::with_seed(SEED);
    let flyers: Vec<_> = (0..count).map(|_| flyer(&mut rng, speed, spin)).collect();
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    for plane in walls() {
        world.insert_plane(plane);
    }
    let mut keys = vec![None; count];
    for i in (0..count).map(order) {
        let key = world.insert(Object::moving(flyers[i].0));
        boxes.insert(&mut world, key, flyers[i].1).unwrap();
        keys[i] = Some(key);
    }
    (world, boxes, keys.into_iter().flatten().collect())
}

#[test]
fn nobody_leaves_a_room_and_perfect_bounces_keep_the_energy() {
    for (speed, spin, steps) in [(50.0, 0.0, 200), (500.0, 30.0, 100), (5000.0, 30.0, 25), (50.0, 300.0, 100)] {
        let (mut world, mut boxes, keys) = room(100, speed, spin, |i| i);
        let total = |world: &World, boxes: &BoxStepper| keys.iter().map(|key| energy(world, boxes, *key)).sum::<f64>();
        let before = total(&world, &boxes);
        for step in 0..steps {
            boxes.step(&mut world, DT, &weightless()).unwrap();
            for key in &keys {
                let body = obb(&world, *key);
                for plane in walls() {
                    let gap = plane.gap(&body, Sides::Front).separation;
                    assert!(gap >= 0.0, "speed {speed}, spin {spin}, step {step}: {gap}");
                }
            }
        }
        let drift = (total(&world, &boxes) / before - 1.0).abs();
        assert!(drift < 1e-4, "speed {speed}, spin {spin}: {drift}");
        let far = keys.iter().filter(|key| obb(&world, **key).center().abs().max_element() > 0.9 * HALF).count();
        assert!(far < 60, "they stick to the walls: {far} of 100");
    }
}

#[test]
fn walls_without_thickness_and_solid_ones_hold_the_fastest() {
    let mut rng = Rng::with_seed(SEED);
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    for (i, plane) in walls().into_iter().enumerate() {
        // Patches and thick boxes in turn.
        let normal = plane.normal();
        if i % 2 == 0 {
            let (u, v) = normal.any_orthonormal_pair();
            let corner = |a: f32, b: f32| normal * -HALF + (u * a + v * b) * 2.0 * HALF;
            let patch = Patch::new(&[corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)]);
            world.insert(Object::fixed(patch.unwrap()));
        } else {
            let size = Vec3::splat(2.0 * HALF) * (Vec3::ONE - normal.abs()) + normal.abs();
            let center = normal * -(HALF + 1.0);
            world.insert(Object::fixed(Aabb::from_center_half_extents(center, size).unwrap()));
        }
    }
    let keys: Vec<_> = (0..40)
        .map(|_| {
            let (pose, body) = flyer(&mut rng, 20_000.0, 40.0);
            let key = world.insert(Object::moving(pose));
            boxes.insert(&mut world, key, body).unwrap();
            key
        })
        .collect();
    for step in 0..15 {
        boxes.step(&mut world, DT, &weightless()).unwrap();
        for key in &keys {
            let center = obb(&world, *key).center();
            assert!(center.abs().max_element() < HALF, "step {step}: {center}");
        }
    }
}

#[test]
fn neither_threads_nor_the_order_of_inserts_change_a_bit() {
    let after = |threads: usize, backward: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, mut boxes, keys) = room(200, 900.0, 20.0, |i| if backward { 199 - i } else { i });
            for _ in 0..20 {
                boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
            }
            let bits = |v: Vec3| v.to_array().map(f32::to_bits);
            keys.iter()
                .map(|key| (bits(obb(&world, *key).center()), bits(boxes.body(*key).unwrap().angular_velocity)))
                .collect::<Vec<_>>()
        })
    };
    let alone = after(1, false);
    assert!([2, 3, 8].into_iter().all(|threads| after(threads, false) == alone));
    assert_eq!(after(2, true), alone);
}

#[test]
fn what_rests_stays_at_rest() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let response = Response::Bounce { restitution: 0.3, friction: 0.6 };
    let tilted = Quat::from_scaled_axis(Vec3::new(0.4, 0.2, 0.3));
    let keys: Vec<_> = [Quat::IDENTITY, tilted]
        .into_iter()
        .map(|rotation| {
            let key =
                world.insert(Object::moving(Obb::new(Vec3::Y * 3.0, rotation, Vec3::new(0.5, 0.3, 0.7)).unwrap()));
            boxes.insert(&mut world, key, BoxBody { response, ..BoxBody::default() }).unwrap();
            key
        })
        .collect();
    for _ in 0..900 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    let poses: Vec<_> = keys.iter().map(|key| obb(&world, *key)).collect();
    for key in &keys {
        assert_eq!(boxes.body(*key).unwrap().velocity, Vec3::ZERO, "{:?}", obb(&world, *key));
    }
    for _ in 0..10_000 {
        let events = boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        assert_eq!((events.begun.len(), events.persisting.len(), events.ended.len()), (0, 2, 0));
        assert!(events.persisting.iter().all(|contact| contact.target == Target::from(floor)));
    }
    assert_eq!(keys.iter().map(|key| obb(&world, *key)).collect::<Vec<_>>(), poses);
}

#[test]
fn what_falls_flat_on_a_floor_of_tiles_lies_flat_and_rests() {
    const SOLID: u32 = 0b01;
    const BODY: u32 = 0b10;
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let tiles = (0..40u8).flat_map(|x| (0..40u8).map(move |z| Vec3::new(x.into(), -1.0, z.into())));
    world.insert_batch(tiles.map(|min| Object::fixed(Aabb::new(min, min + Vec3::ONE).unwrap()).layers(SOLID)));
    let half = Vec3::new(0.4, 0.5, 0.3);
    let places = (0..12u8).flat_map(|x| (0..12u8).map(move |z| (f32::from(x), f32::from(z))));
    let places = places.map(|(x, z)| Vec3::new(2.0 + 3.1 * x, 1.0, 2.0 + 2.7 * z));
    let objects = places.map(|place| Object::moving(Obb::new(place, Quat::IDENTITY, half).unwrap()).layers(BODY));
    let keys = world.insert_batch(objects);
    let response = Response::Bounce { restitution: 0.2, friction: 0.5 };
    for &key in &keys {
        boxes.insert(&mut world, key, BoxBody { response, ..BoxBody::default() }).unwrap();
    }
    for _ in 0..300 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    for (i, &key) in keys.iter().enumerate() {
        // Pushed out of one tile at a time, some used to turn over, and none of them ever rested.
        let (body, pose) = (boxes.body(key).unwrap(), obb(&world, key));
        assert_eq!((body.velocity, body.angular_velocity), (Vec3::ZERO, Vec3::ZERO), "box {i}");
        assert!(pose.half_edges()[1].y > 0.499 && (0.5..0.502).contains(&pose.center().y), "box {i}: {pose:?}");
    }
}

#[test]
fn a_body_stops_or_slides_as_it_is_told() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let mut thrown = |response| {
        let key =
            world.insert(Object::moving(Obb::new(Vec3::Y * 2.0, Quat::IDENTITY, Vec3::new(1.0, 1.0, 1.5)).unwrap()));
        let body = BoxBody { velocity: Vec3::new(60.0, -120.0, 0.0), response, ..BoxBody::default() };
        boxes.insert(&mut world, key, body).unwrap();
        key
    };
    let (stopped, sliding) = (thrown(Response::Stop), thrown(Response::Slide));
    let events = boxes.step(&mut world, DT, &weightless()).unwrap();
    assert_eq!(events.begun.iter().map(|contact| contact.body).collect::<Vec<_>>(), [stopped, sliding]);
    assert!((obb(&world, stopped).center() - Vec3::new(0.5, 1.0, 0.0)).length() < 0.01);
    assert!((obb(&world, sliding).center() - Vec3::new(1.0, 1.0, 0.0)).length() < 0.01);
    assert_eq!(boxes.body(stopped).unwrap().velocity, Vec3::ZERO);
    assert!((boxes.body(sliding).unwrap().velocity - Vec3::X * 60.0).length() < 1e-3);
    assert!(world.remove(stopped).is_some());
    assert_eq!(boxes.step(&mut world, DT, &weightless()).unwrap().ended[0].body, stopped);
}

#[test]
fn a_body_may_be_given_another_shape_or_velocity() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let small = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let key = world.insert(Object::moving(small));
    boxes.insert(&mut world, key, BoxBody { angular_velocity: Vec3::Y, ..BoxBody::default() }).unwrap();
    boxes.step(&mut world, DT, &weightless()).unwrap();
    world.object_mut(key).unwrap().set_shape(Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(4.0, 5.0, 6.0)).unwrap());
    world.object_mut(key).unwrap().set_velocity(Vec3::X * 60.0).unwrap();
    boxes.step(&mut world, DT, &weightless()).unwrap();
    let after = obb(&world, key);
    assert!(
        (after.half_extents() - Vec3::new(4.0, 5.0, 6.0)).length() < 1e-4 && after.center().distance(Vec3::X) < 1e-5
    );
    // A step cannot move a ball.
    world.object_mut(key).unwrap().set_shape(cullide_world::narrowphase::Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let events = boxes.step(&mut world, DT, &weightless()).unwrap();
    assert!(events.begun.is_empty() && world.object(key).unwrap().shape.aabb().center() == Vec3::ZERO);
}

#[test]
fn no_configuration_makes_a_step_panic_or_lose_a_body() {
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 0.0, f32::MAX];
    for number in odd {
        let (mut world, mut boxes, keys) = room(5, 50.0, 5.0, |i| i);
        let configs = [
            BoxStepConfig { gravity: Vec3::splat(number), ..weightless() },
            BoxStepConfig { skin: number, ..weightless() },
            BoxStepConfig { restitution_speed: number, rest_speed: number, max_recovery: number, ..weightless() },
            BoxStepConfig { max_touches: 0, ..weightless() },
        ];
        for config in configs {
            boxes.step(&mut world, DT, &config).unwrap();
            boxes.step(&mut world, number, &weightless()).unwrap();
        }
        for key in keys {
            let body = obb(&world, key);
            let gaps = walls().map(|plane| plane.gap(&body, Sides::Front).separation);
            assert!(gaps.iter().all(|gap| *gap >= 0.0), "{number}: {gaps:?}");
        }
    }
}

#[test]
fn a_body_that_was_fixed_stays_and_a_step_of_no_time_ends_no_contact() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let pose = Obb::new(Vec3::Y, Quat::IDENTITY, Vec3::new(2.0, 1.0, 3.0)).unwrap();
    let key = world.insert(Object::moving(pose));
    boxes.insert(&mut world, key, BoxBody::default()).unwrap();
    assert_eq!(boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap().begun.len(), 1);
    for dt in [0.0, -1.0, f32::NAN] {
        let events = boxes.step(&mut world, dt, &BoxStepConfig::default()).unwrap();
        assert_eq!((events.begun.len(), events.persisting.len(), events.ended.len()), (0, 1, 0), "{dt}");
    }
    world.object_mut(key).unwrap().set_velocity(Vec3::X).unwrap();
    world.object_mut(key).unwrap().set_mobility(Mobility::Fixed);
    let before = obb(&world, key);
    boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    assert_eq!(obb(&world, key), before);
}

#[test]
fn a_body_that_rolls_over_an_edge_or_down_a_slope_is_never_held_in_the_air() {
    let mut rng = Rng::with_seed(SEED);
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    // Stairs down to a floor, and a slope across them.
    for i in 0..12 {
        let x = i as f32 * 2.0;
        let top = 12.0 - i as f32;
        world.insert(Object::fixed(Aabb::new(Vec3::new(x - 2.0, -9.0, -50.0), Vec3::new(x, top, 0.0)).unwrap()));
    }
    let slope = Obb::new(Vec3::new(10.0, 3.0, 25.0), Quat::from_rotation_z(-0.5), Vec3::new(14.0, 2.0, 24.0)).unwrap();
    world.insert(Object::fixed(slope));
    world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let responses = [Response::Slide, Response::Bounce { restitution: 0.3, friction: 0.2 }];
    let keys: Vec<_> = (0..80)
        .map(|i| {
            let at = Vec3::new(rng.f32() * 20.0, 18.0 + rng.f32() * 4.0, rng.f32() * 90.0 - 45.0);
            let half_extents = Vec3::new(0.3, 0.5, 0.9) * (0.5 + rng.f32());
            let pose = Obb::new(at, Quat::from_scaled_axis(vector(&mut rng, 6.0)), half_extents).unwrap();
            let key = world.insert(Object::moving(pose).pairs_with(1).layers(2));
            let angular_velocity = vector(&mut rng, 8.0);
            let body = BoxBody { angular_velocity, response: responses[i % 2], ..BoxBody::default() };
            boxes.insert(&mut world, key, body).unwrap();
            key
        })
        .collect();
    let (mut held, mut all) = (0, 0);
    for _ in 0..300 {
        let before: Vec<_> = keys.iter().map(|key| obb(&world, *key)).collect();
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
        for (key, before) in keys.iter().zip(before) {
            let speed = boxes.body(*key).unwrap().velocity.length();
            all += usize::from(speed > 0.2);
            held += usize::from(speed > 0.2 && obb(&world, *key) == before);
        }
    }
    assert!(all > 4_000 && held * 200 < all, "{held} of {all} did not move although they had a velocity");
    let fastest = keys.iter().map(|key| boxes.body(*key).unwrap().velocity.length()).fold(0.0, f32::max);
    assert!(fastest < 30.0, "a body gained speed without moving: {fastest}");
}

#[test]
fn a_box_that_rocks_within_the_tolerance_keeps_its_feature() {
    let half_extents = Vec3::new(2.0, 0.5, 3.0);
    let leaning = |lean: f32| {
        let turned = Obb::new(Vec3::ZERO, Quat::from_rotation_z(lean), half_extents).unwrap();
        let low = turned.corners().iter().map(|corner| corner.y).fold(f32::INFINITY, f32::min);
        Obb::from_half_edges(Vec3::Y * (1e-4 - low), turned.half_edges()).unwrap()
    };
    let plane = Plane::new(Vec3::Y, 0.0).unwrap();
    // An edge, unless it is known to have been a face: the other edge is 6e-4 higher.
    let alone = plane.manifold(&leaning(1.5e-4), Sides::Front, 2e-4, FeatureId::NONE).unwrap();
    assert_eq!(alone.contacts.feature(), Feature::Edge);
    for is_plane in [true, false] {
        let (mut world, mut boxes) = (World::new(), BoxStepper::new());
        if is_plane {
            world.insert_plane(plane);
        } else {
            world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap()));
        }
        let key = world.insert(Object::moving(leaning(0.0)));
        let body = BoxBody { velocity: Vec3::NEG_Y, response: Response::Stop, ..BoxBody::default() };
        let mut lands = |lean: f32| {
            world.object_mut(key).unwrap().set_shape(leaning(lean));
            boxes.insert(&mut world, key, body).unwrap();
            let events = boxes.step(&mut world, DT, &weightless()).unwrap();
            let contact = events.begun.iter().chain(events.persisting).next().unwrap();
            (contact.contacts.feature(), contact.contacts.id())
        };
        let (feature, id) = lands(0.0);
        assert_eq!(feature, Feature::Face, "{is_plane}");
        for lean in [0.5e-4, 1.5e-4, -1.5e-4, 1.9e-4, 0.0, -1.9e-4] {
            assert_eq!(lands(lean), (feature, id), "lean {lean}, plane {is_plane}");
        }
        // Beyond the tolerance it is an edge, and it stays one until it is certainly level again.
        assert_eq!(lands(2.5e-4).0, Feature::Edge);
        assert_eq!(lands(1.5e-4).0, Feature::Edge);
        assert_eq!(lands(0.5e-4).0, Feature::Face);
    }
}

#[test]
fn no_settings_make_a_velocity_that_is_no_number() {
    for gravity in [Vec3::NAN, Vec3::INFINITY, Vec3::splat(f32::MAX)] {
        for max_touches in [0, 1, 16] {
            let (mut world, mut boxes) = (World::new(), BoxStepper::new());
            let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap()));
            boxes.insert(&mut world, crate_, BoxBody::default()).unwrap();
            for _ in 0..9 {
                boxes
                    .step(&mut world, 10.0, &BoxStepConfig { gravity, max_touches, ..BoxStepConfig::default() })
                    .unwrap();
                assert!(boxes.body(crate_).unwrap().velocity.is_finite(), "{gravity} {max_touches}");
            }
        }
    }
}

#[test]
fn a_body_that_is_no_box_and_a_stale_key_are_errors() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let slab = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap();
    let falling = BoxBody { velocity: Vec3::NEG_Y, ..BoxBody::default() };
    let patch = Patch::new(&[Vec3::ZERO, Vec3::X, Vec3::Z]).unwrap();
    let no_boxes: [Shape; 3] =
        [Sphere::new(Vec3::ZERO, 1.0).unwrap().into(), Brush::try_from(&slab).unwrap().into(), patch.into()];
    for shape in no_boxes {
        let key = world.insert(Object::fixed(shape));
        assert_eq!(boxes.insert(&mut world, key, falling), Err(Error::NotABody { field: "key" }));
        assert_eq!((boxes.body(key), world.object(key).map(|object| object.velocity())), (None, Some(Vec3::ZERO)));
        assert_eq!(world.object(key).unwrap().mobility, Mobility::Fixed);
    }
    let key = world.insert(Object::fixed(slab));
    world.object_mut(key).unwrap().set_velocity(Vec3::X).unwrap();
    assert_eq!(boxes.insert(&mut world, key, falling), Ok(BoxBody { velocity: Vec3::X, ..BoxBody::default() }));
    assert_eq!(boxes.insert(&mut world, key, BoxBody::default()), Ok(falling));
    world.remove(key);
    assert_eq!(boxes.insert(&mut world, key, falling), Err(Error::StaleKey { field: "key" }));
    let message = Error::NotABody { field: "key" }.to_string();
    assert!(message.contains("`key`") && message.contains("cannot be a body; give it a box"), "{message}");
}
