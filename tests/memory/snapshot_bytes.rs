//! Corrupted bytes of a saved world give an error, or a world that answers queries and steps: no panic, no endless
//! loop, and no memory allocated for a length that is merely claimed.

use cullide_scenes::{Rng, SEED};
use cullide_support::alike::{DT, Worlds};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, BoxStepperSnapshot, Compound, Mesh, Object, PlacedMesh, Response, Shape,
    Snapshot, Terrain, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Brush, Error, Obb, Patch, Plane, Sphere},
};
use serde_json::{Value, json};

/// The layout version of snapshots.
const LAYOUT: u8 = 9;

/// A small world with some of everything: things that rest, that fly, that were removed before and after an update, or
/// that were moved.
fn museum() -> (World, BoxStepper) {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let floor = world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(3));
    let wall = world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, 20.0).unwrap()).layers(1));
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Z, 9.0).unwrap()).layers(1));
    world.remove_plane(wall);
    let turned = |x: f32| Obb::new(Vec3::new(x, 1.0, 0.0), Quat::from_rotation_y(x), Vec3::new(0.3, 0.5, 0.8)).unwrap();
    let corners = turned(-8.0).corners();
    world.insert(Object::fixed(Brush::try_from(&turned(-4.0)).unwrap()).user(7));
    world.insert(Object::fixed(Patch::new(&[0, 1, 3, 2].map(|corner| corners[corner])).unwrap()).layers(2));
    let ball = world.insert(Object::moving(Sphere::new(Vec3::new(0.0, 1.5, 0.0), 0.5).unwrap()));
    let flying = world.insert(Object::moving(turned(0.2).aabb()));
    let crates = [0.0, 0.4, 0.8, 3.0].map(|x| world.insert(Object::moving(turned(x))));
    for key in crates {
        boxes.insert(&mut world, key, BoxBody { response: Response::Stop, ..BoxBody::default() }).unwrap();
    }
    world.set_transform_batch(&[(ball, Quat::IDENTITY, Vec3::X)]).unwrap();
    world.remove(crates[1]);
    insert_shared(&mut world);
    (0..60).for_each(|_| _ = boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap());
    world.object_mut(flying).unwrap().set_velocity(Vec3::X * 30.0).unwrap();
    assert!(world.update_pairs(DT).begun.len() > 2);
    world.remove(crates[0]);
    assert!(
        world.plane(floor).is_some()
            && boxes.step(&mut world, DT, &BoxStepConfig::default()).unwrap().persisting.len() == 2
    );
    (world, boxes)
}

/// Far from everything else: a mesh on its own, at another place and in a compound, which is at two places, and a
/// terrain.
fn insert_shared(world: &mut World) {
    let mesh = Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let moved = PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::X * 2.0, Vec3::ONE).unwrap();
    let ball = Sphere::new(Vec3::Y, 0.5).unwrap();
    let compound = Compound::new([mesh.clone().into(), ball.into(), moved.clone().into()]).unwrap();
    let terrain = Terrain::new(2, 2, &[0.0, 1.0, 2.0, 3.0], Vec2::ONE, Vec2::ZERO).unwrap();
    for (i, shape) in [Shape::from(mesh), moved.into(), compound.clone().into(), compound.into(), terrain.into()]
        .into_iter()
        .enumerate()
    {
        let away = Vec3::new(50.0, 50.0 + 8.0 * i as f32, 0.0);
        world.insert(Object::fixed(shape.transformed(Quat::from_rotation_y(0.5), away).unwrap()));
    }
}

/// What [`museum`] saves.
type Saved = (Snapshot, BoxStepperSnapshot);

fn save((world, boxes): &(World, BoxStepper)) -> Saved {
    (world.snapshot(), boxes.snapshot(world).unwrap())
}

fn restore((world, boxes): &Saved) -> Result<(World, BoxStepper), Error> {
    let world = World::restore(world)?;
    let boxes = BoxStepper::restore(boxes, &world)?;
    Ok((world, boxes))
}

/// Queries and edits a world like any other.
fn use_up(world: World, boxes: BoxStepper, rng: &mut Rng) {
    let mut worlds = Worlds::of(world);
    worlds.all[0].1 = boxes;
    worlds.ask(rng);
    for _ in 0..4 {
        worlds.step(DT, &BoxStepConfig::default());
        worlds.update_pairs(DT);
        worlds.edit(rng);
    }
    let (world, boxes) = &worlds.all[0];
    let restored = World::restore(&world.snapshot()).expect("what a world makes");
    BoxStepper::restore(&boxes.snapshot(world).unwrap(), &restored).expect("what a stepper makes");
}

#[test]
fn bytes_that_were_cut_off_are_no_world() {
    let bytes = postcard::to_allocvec(&save(&museum())).unwrap();
    for end in 0..bytes.len() {
        assert!(postcard::from_bytes::<Saved>(&bytes[..end]).is_err(), "{end} of {}", bytes.len());
    }
}

#[test]
fn bytes_that_were_changed_are_no_world_or_one_that_goes_on() {
    let bytes = postcard::to_allocvec(&save(&museum())).unwrap();
    let mut rng = Rng::with_seed(SEED);
    let (mut refused, mut restored) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = bytes.clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(0..bytes.len());
            match rng.usize(0..3) {
                0 => bytes[at] ^= 1 << rng.usize(0..8),
                1 => bytes[at] = rng.u8(..),
                _ => bytes[at] = [0, 1, 0x7f, 0xff][rng.usize(0..4)],
            }
        }
        match postcard::from_bytes::<Saved>(&bytes).ok().and_then(|saved| restore(&saved).ok()) {
            Some((world, boxes)) => {
                restored += 1;
                use_up(world, boxes, &mut rng);
            }
            None => refused += 1,
        }
    }
    assert!(refused > 1000 && restored > 1000, "{refused} refused, {restored} restored");
}

#[test]
fn a_length_that_is_a_lie_reserves_no_memory() {
    let many = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 0];
    // The layout, the world's id, and more objects, shared shapes or children of a compound than there can be.
    let compound = 2;
    for before in [&[LAYOUT, 0, 0][..], &[LAYOUT, 0], &[LAYOUT, 0, 1, compound]] {
        let bytes = [before, &many].concat();
        let used = allocation_counter::measure(|| assert!(postcard::from_bytes::<Snapshot>(&bytes).is_err()));
        assert!(used.bytes_max < 4 << 20, "{used:?}");
    }
    // Only the length was wrong.
    let empty = postcard::to_allocvec(&World::with_tag(0).snapshot()).unwrap();
    assert_eq!(empty[..3], [LAYOUT, 0, 0]);
}

#[test]
fn every_contradiction_is_refused() {
    let value = serde_json::to_value(save(&museum())).unwrap();
    let read = |value: &Value| {
        let saved: Saved = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        restore(&saved).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(read(&value), Ok(()));
    let things = |i: usize, rest: &str| format!("objects/places/{i}/thing/{rest}");
    let changes = [
        ("layout of another version", "layout".into(), json!(LAYOUT - 1)),
        ("a proxy of two objects", things(1, "proxy"), json!(1)),
        ("a proxy of an object that is free", things(2, "proxy"), json!(6)),
        ("a proxy of the other mobility", things(1, "proxy"), json!(6)),
        ("a proxy far beyond all", things(1, "proxy"), json!(u32::MAX)),
        ("a number that is free twice", "free".into(), json!([6, 6])),
        ("a number that is not free", "free".into(), json!([0])),
        ("a free number far beyond all", "free".into(), json!([u32::MAX])),
        ("a number that is nobody's", "free".into(), json!([])),
        ("a freed number that is free as well", "freed/0/0".into(), json!(6)),
        ("a freed number far beyond all", "freed/0/0".into(), json!(u32::MAX)),
        ("an object that came and is not there", "came".into(), json!([6])),
        ("an object that came and is beyond all", "came".into(), json!([99])),
        ("a pair of an object that came", "came".into(), json!([0])),
        ("a place that is free twice", "objects/free".into(), json!([5, 5])),
        ("a place that is not free", "objects/free".into(), json!([5, 4, 0])),
        ("a free place beyond all", "objects/free".into(), json!([5, 4, 8])),
        ("a place that is lost", "objects/free".into(), json!([5])),
        ("a version of none", "objects/places/0/version".into(), json!(0)),
        ("a version that is never given out", "objects/places/0/version".into(), json!(2)),
        ("planes' places that are lost", "planes/free".into(), json!([])),
        ("a box that is not around its shape", things(3, "swept/max/0"), json!(0.5)),
        ("a box upside down", things(3, "swept/max/0"), json!(-9.0)),
        ("a course of no velocity", things(3, "velocity"), json!([0.0, 0.0, 0.0])),
        ("a velocity beyond all numbers", things(3, "velocity"), json!([1e39, 0.0, 0.0])),
        ("pairs out of order", "pairs/0/second".into(), json!(10)),
        ("a pair upside down", "pairs/0".into(), json!({"first": 2, "second": 0})),
        ("a pair with itself", "pairs/0/second".into(), json!(0)),
        ("a pair of a free number", "pairs/2/second".into(), json!(6)),
        ("a pair of two fixed objects", "pairs/2".into(), json!({"first": 1, "second": 3})),
        ("a pair beyond all", "pairs/2/second".into(), json!(99)),
        ("a plane without a normal", "planes/places/0/thing/plane/normal/1".into(), json!(0.0)),
        ("a brush that is open", things(0, "shape/Brush/planes"), json!([])),
    ];
    let of_boxes = [
        ("a body that rests in motion", "bodies/1/body/velocity/0", json!(1.0)),
        ("a body that rests and turns", "bodies/1/body/angular_velocity/0", json!(1.0)),
        ("a body of a size below zero", "bodies/0/half_extents/0", json!(-1.0)),
        ("a body of a size beyond all numbers", "bodies/0/half_extents/0", json!(1e39)),
        ("a body that feels no number of gravity", "bodies/0/body/gravity_scale", json!(1e39)),
        ("a contact of another world's body", "contacts/0/body/world", json!(1)),
        ("a contact with another world's plane", "contacts/1/target/Plane/world", json!(1)),
        ("contacts out of order", "contacts/0/body/slot/idx", json!(8)),
        ("a normal beyond all numbers", "contacts/0/normal/0", json!(1e39)),
        ("a contact at no point", "contacts/0/contacts/points", json!([])),
        ("a contact at five points", "contacts/0/contacts/points", json!(vec![([0.0; 3], 0.0); 5])),
        ("a contact beyond all numbers", "contacts/0/contacts/points/0/1", json!(1e39)),
        ("a body whose object is gone", "bodies/0/key/slot/version", json!(99)),
        ("a body of another world", "bodies/0/key/world", json!(1)),
        ("bodies out of order", "bodies/0/key/slot/idx", json!(7)),
    ];
    let of_world = changes.map(|(what, place, new)| (what, format!("0/{place}"), new));
    let of_boxes = of_boxes.map(|(what, place, new)| (what, format!("1/{place}"), new));
    for (what, place, new) in of_world.into_iter().chain(of_boxes) {
        let mut value = value.clone();
        let old = value.pointer_mut(&format!("/{place}")).unwrap_or_else(|| panic!("{what}: nothing at {place}"));
        assert_ne!(*old, new, "{what}");
        *old = new;
        assert!(read(&value).is_err(), "{what}");
    }
}
