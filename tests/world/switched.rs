//! Objects that are switched off, and on again.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Character, ContactTracker, Dynamics, DynamicsConfig, DynamicsSnapshot, Filter,
    Mover, Object, ObjectKey, RigidBody, Shape, Snapshot, Triggers, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Capsule, Hull, Obb, Plane, Ray, Segment, Sphere, SphereSweep},
};

const DT: f32 = 1.0 / 60.0;

fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 2.0 - 1.0
}

fn shape(rng: &mut Rng, kind: usize) -> Shape {
    let (at, half) = (vector(rng) * 5.0, vector(rng).abs() + 0.2);
    match kind % 4 {
        0 => Obb::new(at, Quat::from_scaled_axis(vector(rng)), half).unwrap().into(),
        1 => Sphere::new(at, half.x).unwrap().into(),
        2 => Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| at + corner)).unwrap().into(),
        _ => Capsule::from_half_axis(at, half, half.x).unwrap().into(),
    }
}

/// Everything that a world answers.
fn answers(world: &World, rng: &mut Rng) -> String {
    let (at, way) = (vector(rng) * 5.0, vector(rng) * 6.0);
    let (ray, segment) = (Ray::new(at, way).unwrap(), Segment::new(at, way).unwrap());
    let (ball, body) = (Sphere::new(at, 1.5).unwrap(), Obb::new(at, Quat::IDENTITY, Vec3::ONE).unwrap());
    let (mut near, mut nearest, mut hits) = (vec![], vec![], vec![]);
    world.overlap(&ball, &Filter::ALL, &mut near);
    world.overlap(&Shape::from(body), &Filter::ALL, &mut near);
    world.nearest(at, 9.0, 3, &Filter::ALL, &mut nearest);
    world.cast_ray_all(&ray, 20.0, &Filter::ALL, &mut hits);
    let swept = world.sweep(&SphereSweep::new(Sphere::new(at, 0.1).unwrap(), way).unwrap(), &Filter::ALL);
    let sweep = BoxSweep::new(Obb::new(at, Quat::IDENTITY, Vec3::splat(0.1)).unwrap(), way).unwrap();
    let boxed = world.sweep(&sweep, &Filter::ALL);
    let slid = world.slide(&sweep, &Filter::ALL, &Default::default());
    let any = world.any_segment_hit(&segment, &Filter::ALL);
    format!("{near:?} {nearest:?} {hits:?} {swept:?} {boxed:?} {slid:?} {any}")
}

/// A world with things that are off answers as one from which they were removed, and switched on as if nothing had been.
#[test]
fn what_is_off_is_as_if_it_were_not_there() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..20 {
        let mut world = World::with_tag(1);
        let keys: Vec<ObjectKey> = (0..40)
            .map(|i| {
                let make = if i % 3 == 0 { Object::fixed } else { Object::moving };
                world.insert(make(shape(&mut rng, i)).layers(1 + i as u32 % 3).pairs_with(3))
            })
            .collect();
        let whole = world.clone();
        let off: Vec<ObjectKey> = keys.iter().copied().filter(|_| rng.f32() < 0.4).collect();
        let mut without = world.clone();
        for key in &off {
            without.remove(*key);
            assert_eq!(world.object_mut(*key).map(|mut object| object.set_enabled(false)), Some(true));
            assert_eq!(
                (
                    world.object_mut(*key).map(|mut object| object.set_enabled(false)),
                    world.object(*key).map(|object| object.is_enabled())
                ),
                (Some(false), Some(false))
            );
        }
        for question in 0..40 {
            let seed = SEED + question;
            let [own, other] = [&world, &without].map(|world| answers(world, &mut Rng::with_seed(seed)));
            assert_eq!(own, other, "{case}, {question}");
        }
        world.update_pairs(0.0);
        without.update_pairs(0.0);
        let pairs = |world: &World| {
            let mut pairs: Vec<_> = world.pairs().map(|pair| (pair.first, pair.second)).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(pairs(&world), pairs(&without), "{case}");
        // Moved and put into other layers meanwhile.
        let mut edited = whole.clone();
        for key in &off {
            let place = vector(&mut rng) * 3.0;
            for world in [&mut world, &mut edited] {
                world.object_mut(*key).unwrap().set_transform(Quat::IDENTITY, place).unwrap();
                assert!(world.object_mut(*key).unwrap().set_layers(2) >= 1);
                assert_eq!(world.object_mut(*key).map(|mut object| object.set_pairs_with(1)), Some(3));
            }
        }
        // Saved and restored, they are still off.
        let text = serde_json::to_string(&world.snapshot()).unwrap();
        let mut world = World::restore(&serde_json::from_str::<Snapshot>(&text).unwrap()).unwrap();
        for key in &off {
            assert_eq!(
                (world.object(*key).unwrap().layers, world.object_mut(*key).map(|mut object| object.set_enabled(true))),
                (0, Some(false))
            );
        }
        for question in 0..40 {
            let seed = SEED + question;
            let [own, other] = [&world, &edited].map(|world| answers(world, &mut Rng::with_seed(seed)));
            assert_eq!(own, other, "{case}, {question}");
        }
        world.update_pairs(0.0);
        edited.update_pairs(0.0);
        assert_eq!(pairs(&world), pairs(&edited), "{case}");
    }
}

#[test]
fn hashes_clones_stale_keys_and_removal() {
    let mut world = World::with_tag(1);
    let ball = Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap()).layers(2).pairs_with(4).user(7);
    let key = world.insert(ball.clone());
    let before = world.hash();
    world.object_mut(key).unwrap().set_enabled(false);
    let off = world.hash();
    let mut copy = world.clone();
    assert_eq!((copy.hash(), &copy), (off, &world));
    copy.object_mut(key).unwrap().set_layers(1);
    assert!(off != before && copy.hash() != off && copy != world);
    // Given back as it was, and as it was inserted.
    assert_eq!(world.clone().remove(key), Some(ball));
    world.object_mut(key).unwrap().set_enabled(true);
    assert_eq!(world.object(key).unwrap().layers, 2);
    copy.remove(key);
    assert_eq!(
        (
            copy.object_mut(key).map(|mut object| object.set_enabled(true)),
            copy.object(key).map(|object| object.is_enabled())
        ),
        (None, None)
    );
    copy.clear();
    // Contradictions.
    world.object_mut(key).unwrap().set_enabled(false);
    let saved = serde_json::to_value(world.snapshot()).unwrap();
    let restored = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = saved.clone();
        change(&mut changed);
        World::restore(&serde_json::from_value::<Snapshot>(changed).unwrap())
    };
    assert!(restored(&|_| {}).is_ok());
    let twice = saved["off"][0].clone();
    assert!(restored(&|value| value["off"].as_array_mut().unwrap().push(twice.clone())).is_err());
    assert!(restored(&|value| value["objects"]["places"][0]["thing"]["layers"] = 1.into()).is_err());
}

/// A tower on a block: the block is off, and all that stood on it falls; a body that is off waits.
#[test]
fn bodies_wait_while_they_are_off_and_what_rests_on_them_falls() {
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    let config = DynamicsConfig::default();
    let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let block = |y: f32| Aabb::from_center_half_extents(Vec3::Y * y, Vec3::splat(0.5)).unwrap();
    let [low, high] = [0.5, 1.5].map(|y| world.insert(Object::moving(block(y))));
    for key in [low, high] {
        dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap();
    }
    let spinning =
        world.insert(Object::moving(Obb::new(Vec3::X * 9.0 + Vec3::Y * 20.0, Quat::IDENTITY, Vec3::ONE).unwrap()));
    let (velocity, angular_velocity) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.5, 1.0, 0.0));
    dynamics.insert(&mut world, spinning, RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() }).unwrap();
    let lift = world.insert(Object::moving(block(5.0)));
    dynamics.insert(&mut world, lift, RigidBody { velocity: Vec3::X, ..RigidBody::kinematic() }).unwrap();
    world.object_mut(spinning).unwrap().set_enabled(false);
    world.object_mut(lift).unwrap().set_enabled(false);
    let start = [spinning, lift].map(|key| world.object(key).unwrap().transform());
    for _ in 0..120 {
        dynamics.step(&mut world, DT, &config).unwrap();
        assert!(dynamics.contact(low, floor).is_some());
    }
    assert!(dynamics.body(low).unwrap().is_asleep() && dynamics.body(high).unwrap().is_asleep());
    assert_eq!([spinning, lift].map(|key| world.object(key).unwrap().transform()), start);
    assert_eq!(dynamics.report().awake, 0);
    // Saved while it is off, and on again in both: they go on alike.
    dynamics.body_mut(&world, spinning).unwrap().apply_force(Vec3::X * 1e4, Vec3::ZERO).unwrap();
    dynamics.step(&mut world, DT, &config).unwrap();
    let text = serde_json::to_string(&(world.snapshot(), dynamics.snapshot(&world).unwrap())).unwrap();
    let saved: (Snapshot, DynamicsSnapshot) = serde_json::from_str(&text).unwrap();
    let mut other = World::restore(&saved.0).unwrap();
    let mut others = Dynamics::restore(&saved.1, &other).unwrap();
    for (world, dynamics) in [(&mut world, &mut dynamics), (&mut other, &mut others)] {
        assert_eq!(dynamics.step(world, 0.0, &config).unwrap().awake, 0);
    }
    for step in 0..30 {
        for (world, dynamics) in [(&mut world, &mut dynamics), (&mut other, &mut others)] {
            if step == 5 {
                world.object_mut(spinning).unwrap().set_enabled(true);
                world.object_mut(low).unwrap().set_enabled(false);
            }
            dynamics.step(world, DT, &config).unwrap();
        }
        assert_eq!((world.hash(), dynamics.hash(&world)), (other.hash(), others.hash(&other)), "{step}");
    }
    // 25 steps of a throw, from the start.
    let (now, seconds) = (world.object(spinning).unwrap().transform().1 - start[0].1, 25.0 * DT);
    let thrown = velocity * seconds - Vec3::Y * (0.5 * 9.81 * seconds * seconds);
    assert!(now.distance(thrown) < 0.05, "{now} {thrown}");
    for _ in 0..60 {
        dynamics.step(&mut world, DT, &config).unwrap();
    }
    assert!(
        (world.object(high).unwrap().transform().1.y - 0.5).abs() < 0.01
            && world.object(low).unwrap().transform().1.y > 0.49
    );
    // On again within the other one, which is pushed out.
    world.object_mut(low).unwrap().set_enabled(true);
    for _ in 0..300 {
        dynamics.step(&mut world, DT, &config).unwrap();
    }
    let [one, two] = [low, high].map(|key| world.object(key).unwrap().shape.aabb());
    assert!(one.min().y > -1e-3 && two.min().y > -1e-3);
    assert!((one.center() - two.center()).abs().max_element() > 0.98, "{one:?} {two:?}");
}

#[test]
fn stepping_boxes_characters_trackers_and_triggers_heed_it() {
    let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
    let floor = world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap()));
    let crate_ = world.insert(Object::moving(Aabb::new(Vec3::new(3.0, 1.0, 3.0), Vec3::new(4.0, 2.0, 4.0)).unwrap()));
    boxes.insert(&mut world, crate_, BoxBody::default()).unwrap();
    world.object_mut(crate_).unwrap().set_enabled(false);
    let height = |world: &World| world.object(crate_).unwrap().shape.aabb().min().y;
    for _ in 0..60 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert_eq!(height(&world), 1.0);
    world.object_mut(crate_).unwrap().set_enabled(true);
    for _ in 0..60 {
        boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap();
    }
    assert!((0.0..0.01).contains(&height(&world)));

    let mut hero = Character::new(Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3).unwrap());
    let walk = |world: &World, hero: &mut Character<Capsule>| {
        hero.velocity = if hero.is_on_ground() { Vec3::ZERO } else { hero.velocity - Vec3::Y * 9.81 * DT };
        Mover::default().walk(world, hero, DT, &Filter::ALL).unwrap();
    };
    (0..9).for_each(|_| walk(&world, &mut hero));
    assert_eq!(hero.ground.unwrap().target, floor.into());
    world.object_mut(floor).unwrap().set_enabled(false);
    (0..30).for_each(|_| walk(&world, &mut hero));
    assert!(!hero.is_on_ground() && hero.position().y < 0.0);

    world.object_mut(floor).unwrap().set_enabled(true);
    let (mut contacts, mut triggers) = (ContactTracker::new(), Triggers::new());
    let volume = world.insert(Object::fixed(Sphere::new(Vec3::new(3.5, 0.5, 3.5), 2.0).unwrap()).layers(0));
    triggers.watch(volume, u32::MAX);
    let mut update = |world: &mut World| {
        triggers.update(world, &Filter::ALL.moving_only());
        (contacts.update(world, DT, 0.02).begun.len(), triggers.entered().len(), triggers.left().len())
    };
    assert_eq!(update(&mut world), (1, 1, 0));
    world.object_mut(crate_).unwrap().set_enabled(false);
    assert_eq!(update(&mut world), (0, 0, 1));
    world.object_mut(crate_).unwrap().set_enabled(true);
    assert_eq!(update(&mut world), (1, 1, 0));
    world.object_mut(volume).unwrap().set_enabled(false);
    assert_eq!(update(&mut world), (0, 0, 1));
}
