//! A world that was saved and restored continues like the saved one, bit for bit: keys, answers, pairs and contacts.

use cullide_scenes::{Rng, SEED};
use cullide_support::alike::{DT, ROOM, Worlds, body, turned_box};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, BoxStepperSnapshot, Compound, Mesh, Mobility, Object, ObjectKey,
    PlacedCompound, PlacedMesh, PlacedTerrain, Response, Shape, Snapshot, Terrain, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Brush, Obb, Patch, Plane, Sphere},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Adds another world with its boxes, restored from bytes, to those compared from here on.
fn fork(worlds: &mut Worlds, rng: &mut Rng) {
    let (world, boxes) = &worlds.all[0];
    let snapshot = (world.snapshot(), boxes.snapshot(world).unwrap());
    let read: (Snapshot, BoxStepperSnapshot) = if rng.bool() {
        postcard::from_bytes(&postcard::to_allocvec(&snapshot).unwrap()).unwrap()
    } else {
        serde_json::from_str(&serde_json::to_string(&snapshot).unwrap()).unwrap()
    };
    assert_eq!(format!("{read:?}"), format!("{snapshot:?}"));
    let restored = World::restore(&read.0).unwrap();
    let boxes_restored = BoxStepper::restore(&read.1, &restored).unwrap();
    let again = (restored.snapshot(), boxes_restored.snapshot(&restored).unwrap());
    assert_eq!(format!("{again:?}"), format!("{snapshot:?}"));
    assert!(restored == *world && restored.hash() == world.hash());
    assert_eq!(boxes_restored.hash(&restored), boxes.hash(world));
    worlds.all.truncate(3);
    worlds.all.insert(1, (restored, boxes_restored));
}

fn config(rng: &mut Rng) -> BoxStepConfig {
    let max_recovery = if rng.bool() { 0.2 } else { f32::INFINITY };
    BoxStepConfig { max_recovery, skin: [1e-3, 1e-2][rng.usize(0..2)], ..BoxStepConfig::default() }
}

fn storm(seed: u64) -> Worlds {
    let mut rng = Rng::with_seed(SEED + seed);
    let mut worlds = Worlds::of(World::new());
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::Z, Vec3::NEG_Z] {
        let key = worlds.each(|world| world.insert_plane(Plane::new(normal, ROOM).unwrap()));
        worlds.planes.push(key);
    }
    let mut settings = config(&mut rng);
    for _ in 0..150 {
        for _ in 0..if rng.usize(0..4) == 0 { rng.usize(0..30) } else { 0 } {
            worlds.edit(&mut rng);
        }
        if rng.usize(0..30) == 0 {
            settings = config(&mut rng);
        }
        if rng.usize(0..6) == 0 {
            fork(&mut worlds, &mut rng);
        }
        match rng.usize(0..8) {
            0 => worlds.update_pairs([0.0, DT, 3.0][rng.usize(0..3)]),
            1 => worlds.step(-1.0, &settings),
            2 => worlds.ask(&mut rng),
            3 => (0..40).for_each(|_| worlds.step(DT, &settings)),
            _ => {
                worlds.step(DT, &settings);
                worlds.update_pairs(DT);
            }
        }
    }
    fork(&mut worlds, &mut rng);
    worlds.ask(&mut rng);
    worlds
}

#[test]
fn a_restored_world_goes_on_as_the_one_that_was_saved() {
    let mut resting = 0;
    for seed in 0..12 {
        let worlds = storm(seed);
        let (world, boxes) = &worlds.all[0];
        let text = serde_json::to_string(&boxes.snapshot(world).unwrap()).unwrap();
        resting += text.matches("\"rests\":true").count();
    }
    assert!(resting > 20, "only {resting} bodies came to rest");
}

#[test]
fn threads_make_no_difference_to_a_restored_world() {
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut rng = Rng::with_seed(SEED);
        pool.install(|| {
            let mut worlds = Worlds::of(World::new());
            worlds.planes.push(
                worlds.all[0].0.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, ROOM).unwrap()).layers(1)),
            );
            for _ in 0..200 {
                let (object, body) = (Object::moving(turned_box(&mut rng)), body(&mut rng));
                let key = worlds.each(|world| world.insert(object.clone()));
                _ = worlds.each_with_boxes(|world, boxes| boxes.insert(world, key, body));
                worlds.objects.push(key);
            }
            for round in 0..120 {
                worlds.step(DT, &BoxStepConfig::default());
                worlds.update_pairs(DT);
                if round % 40 == 0 {
                    fork(&mut worlds, &mut rng);
                    worlds.edit(&mut rng);
                }
            }
            let (world, boxes) = &worlds.all[0];
            let shown: Vec<_> = world.objects().map(|(_, object)| format!("{object:?}")).collect();
            (shown, world.hash(), boxes.hash(world))
        })
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn keys_stay_what_they_were_and_new_ones_are_those_that_would_have_come() {
    let mut world = World::new();
    let ball = |x: f32| Object::moving(Sphere::new(Vec3::X * x, 1.0).unwrap());
    let keys: Vec<ObjectKey> = (0..5).map(|i| world.insert(ball(i as f32))).collect();
    for removed in [1, 3, 0] {
        world.remove(keys[removed]);
    }
    let mut restored = World::restore(&world.snapshot()).unwrap();
    assert!(restored.object(keys[2]).is_some() && restored.object(keys[3]).is_none());
    assert!(World::new().object(keys[2]).is_none());
    for i in 0..5 {
        assert_eq!(world.insert(ball(i as f32)), restored.insert(ball(i as f32)));
    }
    assert!(keys.iter().filter(|key| restored.object(**key).is_some()).count() == 2);
}

#[test]
fn pairs_of_what_was_removed_before_a_snapshot_end_after_it() {
    let mut world = World::new();
    let keys = [(); 2].map(|()| world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap())));
    world.update_pairs(DT);
    assert!(keys.map(|key| world.remove(key)).iter().all(Option::is_some));
    let mut restored = World::restore(&world.snapshot()).unwrap();
    assert_eq!(restored.update_pairs(DT).ended, world.update_pairs(DT).ended);
    assert!(restored.is_empty() && restored.pairs().count() == 0);
}

#[test]
fn a_world_that_never_updates_does_not_grow_by_what_comes_and_goes() {
    let mut world = World::new();
    let bytes = |world: &World| postcard::to_allocvec(&world.snapshot()).unwrap().len();
    let mut after_one_turn = 0;
    for turn in 0..100_000 {
        let ball = Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap());
        let key = world.insert(if turn % 3 == 0 { ball } else { Object { mobility: Mobility::Fixed, ..ball } });
        assert!(world.remove(key).is_some());
        after_one_turn = if turn == 0 { bytes(&world) } else { after_one_turn };
    }
    // The version of that one slot takes more bytes.
    assert!(bytes(&world) <= after_one_turn + 4, "{} bytes, {after_one_turn} after one turn", bytes(&world));
    let mut restored = World::restore(&world.snapshot()).unwrap();
    let ball = Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    assert_eq!(world.insert(ball.clone()), restored.insert(ball));
}

/// A world with some of everything that depends on neither time nor chance: all its numbers are short.
fn cabinet(tag: u32) -> (World, BoxStepper, [ObjectKey; 6]) {
    let (mut world, mut boxes) = (World::with_tag(tag), BoxStepper::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 4.0).unwrap()).layers(0b11));
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, 8.0).unwrap()).layers(0b01));
    let slab = Aabb::new(Vec3::new(-1.0, -1.5, -2.5), Vec3::new(1.0, 1.5, 2.5)).unwrap();
    let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Z * 3.0];
    let shapes: [Shape; 6] = [
        slab.into(),
        Obb::from(&slab).into(),
        Sphere::new(Vec3::Y * 0.5, 2.0).unwrap().into(),
        Brush::try_from(&slab).unwrap().into(),
        Patch::new(&corners).unwrap().into(),
        slab.into(),
    ];
    let keys = shapes.map(|shape| world.insert(Object::moving(shape).layers(0b101).user(3)));
    world.object_mut(keys[3]).unwrap().set_mobility(Mobility::Fixed);
    world.object_mut(keys[2]).unwrap().set_velocity(Vec3::X * 0.25).unwrap();
    boxes.insert(&mut world, keys[0], BoxBody { velocity: Vec3::Z * 0.5, ..BoxBody::default() }).unwrap();
    world.object_mut(keys[4]).unwrap().set_transform(Quat::IDENTITY, Vec3::Z * 0.5).unwrap();
    world.remove(keys[5]);
    world.update_pairs(0.5);
    (world, boxes, keys)
}

#[test]
fn worlds_of_the_same_tag_and_calls_have_the_same_keys_bytes_and_hash() {
    let [(mut host, mut boxes, keys), (mut guest, mut guests, same)] = [cabinet(7), cabinet(7)];
    let bytes = |world: &World, boxes: &BoxStepper| {
        postcard::to_allocvec(&(world.snapshot(), boxes.snapshot(world).unwrap())).unwrap()
    };
    for _ in 0..10 {
        assert!(keys == same && host == guest && host.hash() == guest.hash());
        assert_eq!(boxes.hash(&host), guests.hash(&guest));
        assert_eq!(bytes(&host, &boxes), bytes(&guest, &guests));
        for (world, boxes) in [(&mut host, &mut boxes), (&mut guest, &mut guests)] {
            boxes.step(world, DT, &BoxStepConfig::default()).unwrap();
        }
    }
    // Keys of another tag are stale, and the worlds are not equal, but the hash is.
    let ((host, boxes, _), (stranger, others_boxes, others)) = (cabinet(7), cabinet(8));
    assert!(host != stranger && host.hash() == stranger.hash() && keys != others);
    assert_eq!(boxes.hash(&host), others_boxes.hash(&stranger));
    assert!(others.iter().all(|key| host.object(*key).is_none()));
}

#[test]
fn the_hash_of_a_world_is_the_same_everywhere() {
    // Recorded once: it is the same in debug and release, on any machine and with any number of threads. Changing it
    // affects every game whose players have different versions.
    assert_eq!(cabinet(0).0.hash(), 16_846_176_908_573_850_863);
    // Six words of zero, folded by hand: h = (h ^ 0) k, h ^= h >> 32, from h = k = 0x9e3779b97f4a7c15; then
    // MurmurHash3's finalizer.
    assert_eq!(World::new().hash(), 0x6a9006581e693a74);
}

#[test]
fn whatever_decides_an_answer_is_in_the_hash() {
    let (world, boxes, keys) = cabinet(0);
    let body = BoxBody { velocity: Vec3::Z * 0.5, ..BoxBody::default() };
    let bounce = |restitution, friction| BoxBody { response: Response::Bounce { restitution, friction }, ..body };
    type Change<'a> = Box<dyn Fn(&mut World, &mut BoxStepper) + 'a>;
    let changes: Vec<(&str, Change)> = vec![
        ("nothing", Box::new(|_, _| ())),
        (
            "shape",
            Box::new(move |world, _| {
                _ = world.object_mut(keys[0]).map(|mut object| object.set_shape(Sphere::new(Vec3::ZERO, 1.0).unwrap()))
            }),
        ),
        (
            "radius",
            Box::new(move |world, _| {
                _ = world
                    .object_mut(keys[2])
                    .map(|mut object| object.set_shape(Sphere::new(Vec3::Y * 0.5, 2.5).unwrap()))
            }),
        ),
        (
            "center",
            Box::new(move |world, _| {
                _ = world
                    .object_mut(keys[2])
                    .map(|mut object| object.set_shape(Sphere::new(Vec3::Y * 0.25, 2.0).unwrap()))
            }),
        ),
        (
            "pose",
            Box::new(move |world, _| {
                _ = world
                    .object_mut(keys[3])
                    .map(|mut object| object.set_transform(Quat::IDENTITY, Vec3::Y))
                    .transpose()
                    .unwrap()
            }),
        ),
        ("layers", Box::new(move |world, _| _ = world.object_mut(keys[1]).map(|mut object| object.set_layers(0b100)))),
        (
            "pairs_with",
            Box::new(move |world, _| _ = world.object_mut(keys[1]).map(|mut object| object.set_pairs_with(0b101))),
        ),
        (
            "mobility",
            Box::new(move |world, _| {
                _ = world.object_mut(keys[1]).map(|mut object| object.set_mobility(Mobility::Fixed))
            }),
        ),
        ("user", Box::new(move |world, _| _ = world.object_mut(keys[4]).map(|mut object| object.set_user(4)))),
        (
            "velocity",
            Box::new(move |world, _| {
                _ = world.object_mut(keys[1]).map(|mut object| object.set_velocity(Vec3::Y)).transpose().unwrap()
            }),
        ),
        (
            "no velocity",
            Box::new(move |world, _| {
                _ = world.object_mut(keys[2]).map(|mut object| object.set_velocity(Vec3::ZERO)).transpose().unwrap()
            }),
        ),
        ("body", Box::new(move |world, boxes| _ = boxes.insert(world, keys[1], body).unwrap())),
        ("response", Box::new(move |world, boxes| _ = boxes.insert(world, keys[0], bounce(0.5, 0.25)).unwrap())),
        ("friction", Box::new(move |world, boxes| _ = boxes.insert(world, keys[0], bounce(0.5, 0.5)).unwrap())),
        (
            "turn",
            Box::new(move |world, boxes| {
                _ = boxes.insert(world, keys[0], BoxBody { angular_velocity: Vec3::X, ..body })
            }),
        ),
        (
            "gravity",
            Box::new(move |world, boxes| {
                _ = boxes.insert(world, keys[0], BoxBody { gravity_scale: 0.5, ..body }).unwrap()
            }),
        ),
        ("removal", Box::new(move |world, _| _ = world.remove(keys[4]))),
        (
            "the next slot",
            Box::new(|world, _| {
                let key = world.insert(Object::fixed(Sphere::new(Vec3::ZERO, 1.0).unwrap()));
                world.remove(key);
            }),
        ),
        (
            "plane",
            Box::new(|world, _| {
                _ = world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Z, 4.0).unwrap()).layers(1))
            }),
        ),
        (
            "wall",
            Box::new(|world, _| _ = world.insert_plane(WorldPlane::wall(Plane::new(Vec3::Z, 4.0).unwrap()).layers(1))),
        ),
        (
            "other plane",
            Box::new(|world, _| {
                let key = world.planes().next().unwrap().0;
                world.plane_mut(key).unwrap().set_plane(Plane::new(Vec3::Y, 5.0).unwrap());
            }),
        ),
        (
            "no plane",
            Box::new(|world, _| {
                let key = world.planes().next().unwrap().0;
                world.remove_plane(key);
            }),
        ),
        ("boxes of an update", Box::new(|world, _| _ = world.update_pairs(1.0))),
        ("step", Box::new(|world, boxes| _ = boxes.step(world, 0.25, &BoxStepConfig::default()).unwrap())),
        (
            "another step",
            Box::new(|world, boxes| {
                _ = boxes.step(world, 0.25, &BoxStepConfig { skin: 0.5, ..BoxStepConfig::default() }).unwrap()
            }),
        ),
    ];
    let changed = changes.iter().map(|(what, change)| {
        let hashes = |world: &World, boxes: &BoxStepper| (world.hash(), boxes.hash(world));
        let (mut branch, mut own) = (world.clone(), boxes.clone());
        change(&mut branch, &mut own);
        let (before, hash) = (hashes(&world, &boxes), hashes(&branch, &own));
        assert_eq!((branch == world, hash == before), (hash.0 == before.0, *what == "nothing"), "{what}");
        // The trees do not count.
        branch.optimize();
        let restored = World::restore(&branch.snapshot()).unwrap();
        let own_restored = BoxStepper::restore(&own.snapshot(&branch).unwrap(), &restored).unwrap();
        assert_eq!((hashes(&restored, &own_restored), hashes(&branch, &own)), (hash, hash), "{what}");
        (hash, what)
    });
    let hashes: BTreeMap<(u64, u64), &&str> = changed.collect();
    assert_eq!(hashes.len(), changes.len(), "two changes have one hash");
}

#[test]
fn a_place_whose_versions_are_used_up_is_given_to_no_other_object() {
    let mut world = World::new();
    let ball = || Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let first = world.insert(ball());
    let mut value = serde_json::to_value(world.snapshot()).unwrap();
    *value.pointer_mut("/objects/places/0/version").unwrap() = (u32::MAX - 2).into();
    let mut world = World::restore(&serde_json::from_value(value).unwrap()).unwrap();
    let mut stale = vec![first];
    for _ in 0..4 {
        let key = world.objects().next().unwrap().0;
        assert!(stale.iter().all(|stale| *stale != key && world.object(*stale).is_none()), "{key:?} came before");
        world.remove(key);
        stale.push(key);
        world.insert(ball());
        world = World::restore(&world.snapshot()).unwrap();
    }
    let places = serde_json::to_value(world.snapshot()).unwrap()["objects"]["places"].as_array().unwrap().len();
    assert_eq!(places, 2, "one place is used up");
}

/// A grid of `side` by `side` squares, each of two triangles.
fn sheet(side: u32) -> Mesh {
    let vertex = |i: u32| Vec3::new((i % (side + 1)) as f32, (i % 7) as f32 * 0.1, (i / (side + 1)) as f32);
    let vertices: Vec<Vec3> = (0..(side + 1) * (side + 1)).map(vertex).collect();
    let corners = (0..side * side).map(|i| i / side * (side + 1) + i % side);
    let triangles: Vec<[u32; 3]> =
        corners.flat_map(|i| [[i, i + side + 1, i + 1], [i + 1, i + side + 1, i + side + 2]]).collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// A world with the objects that `make` returns for `places` places.
fn world_of(places: u8, make: impl Fn(Vec3) -> Vec<Shape>) -> World {
    let mut world = World::with_tag(7);
    for i in 0..places {
        world.insert_batch(make(Vec3::X * 64.0 * f32::from(i)).into_iter().map(Object::fixed));
    }
    world
}

#[test]
fn what_objects_share_is_saved_once_and_shared_again() {
    let mesh = sheet(32);
    let terrain = Terrain::new(40, 40, &[1.0; 1600], Vec2::ONE, Vec2::ZERO).unwrap();
    let crates =
        (0..200u8).map(|i| Aabb::new(Vec3::splat(f32::from(i)), Vec3::splat(f32::from(i) + 1.0)).unwrap().into());
    let compound = Compound::new(crates.chain([mesh.clone().into(), terrain.clone().into()])).unwrap();
    let makers: [&dyn Fn(Vec3) -> Vec<Shape>; 4] = [
        &|place| vec![PlacedMesh::new(&mesh, Quat::IDENTITY, place, Vec3::ONE).unwrap().into()],
        &|place| vec![PlacedTerrain::new(&terrain, Quat::IDENTITY, place).unwrap().into()],
        &|place| vec![PlacedCompound::new(&compound, Quat::IDENTITY, place).unwrap().into()],
        // Built twice, and yet stored once.
        &|place| vec![PlacedMesh::new(&sheet(32), Quat::IDENTITY, place, Vec3::ONE).unwrap().into()],
    ];
    for make in makers {
        let [one, many] = [1, 50].map(|places| world_of(places, make));
        let [less, more] = [&one, &many].map(|world| postcard::to_allocvec(&world.snapshot()).unwrap().len());
        assert!(less > 5000 && more < less + 50 * 160, "{less} bytes for one, {more} for fifty");
        let bytes = postcard::to_allocvec(&many.snapshot()).unwrap();
        let restored = World::restore(&postcard::from_bytes(&bytes).unwrap()).unwrap();
        assert!(restored == many && restored.hash() == many.hash());
        assert!(restored.snapshot() == many.snapshot());
        assert_eq!(restored.len(), 50);
        let places: Vec<*const ()> = restored.objects().filter_map(|(_, object)| place_of(&object.shape)).collect();
        assert!(places.iter().all(|place| *place == places[0]));
    }
    // A compound's shapes are shared with those of the world.
    let both = world_of(1, |_| vec![compound.clone().into(), mesh.clone().into(), terrain.clone().into()]);
    let alone = world_of(1, |_| vec![compound.clone().into()]);
    let [both, alone] = [both, alone].map(|world| postcard::to_allocvec(&world.snapshot()).unwrap());
    assert!(both.len() < alone.len() + 2 * 160, "{} {}", both.len(), alone.len());
}

/// The address of a shape's shared data; a terrain does not expose it.
fn place_of(shape: &Shape) -> Option<*const ()> {
    match shape {
        Shape::Mesh(mesh) => Some(mesh.mesh().vertices().as_ptr().cast()),
        Shape::Compound(compound) => Some(compound.compound().children().as_ptr().cast()),
        _ => None,
    }
}

#[test]
fn a_table_of_shapes_that_contradicts_itself_is_refused() {
    let ball = Compound::new([Sphere::new(Vec3::ZERO, 1.0).unwrap().into(), sheet(2).into()]).unwrap();
    let world = world_of(2, |place| vec![PlacedCompound::new(&ball, Quat::IDENTITY, place).unwrap().into()]);
    let value = serde_json::to_value(world.snapshot()).unwrap();
    let read = |value: &Value| {
        let snapshot: Snapshot = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        World::restore(&snapshot).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(read(&value), Ok(()));
    let of_object = "objects/places/1/thing/shape/Shared";
    let of_child = "shapes/1/Compound/children/1/Shared";
    let changes = [
        ("a number beyond the table", format!("{of_object}/number"), json!(2)),
        ("a map that flattens", format!("{of_object}/linear/0"), json!(0.0)),
        ("a map beyond all numbers", format!("{of_object}/translation/0"), json!(1e300)),
        ("a child that is the compound itself", format!("{of_child}/number"), json!(1)),
        ("a child beyond the table", format!("{of_child}/number"), json!(u32::MAX)),
        ("a compound of nothing", "shapes/1/Compound/children".into(), json!([])),
        ("too few surfaces", "shapes/1/Compound/surfaces".into(), json!([1])),
        ("a vertex that is none", "shapes/0/Mesh/triangles/0/0".into(), json!(99)),
        ("a table without them", "shapes".into(), json!([])),
    ];
    for (what, place, new) in changes {
        let mut value = value.clone();
        let old = value.pointer_mut(&format!("/{place}")).unwrap_or_else(|| panic!("{what}: nothing at {place}"));
        assert_ne!(*old, new, "{what}");
        *old = new;
        assert!(read(&value).is_err(), "{what}");
    }
}
