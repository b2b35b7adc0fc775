//! A world that was saved and restored goes on as the one that was saved, bit for bit: keys, answers, pairs and contacts.

use cullide_scenes::{Rng, SEED};
use cullide_support::alike::{DT, ROOM, Worlds, body, turned_box};
use cullide_world::{
    Mobility, Object, ObjectKey, Snapshot, StepConfig, World,
    glam::Vec3,
    narrowphase::{Plane, Sphere},
};

/// From here on there is another world, made from bytes.
fn fork(worlds: &mut Worlds, rng: &mut Rng) {
    let snapshot = worlds.all[0].snapshot();
    let read = if rng.bool() {
        postcard::from_bytes(&postcard::to_allocvec(&snapshot).unwrap()).unwrap()
    } else {
        serde_json::from_str::<Snapshot>(&serde_json::to_string(&snapshot).unwrap()).unwrap()
    };
    assert_eq!(format!("{read:?}"), format!("{snapshot:?}"));
    let restored = World::restore(&read).unwrap();
    assert_eq!(format!("{:?}", restored.snapshot()), format!("{snapshot:?}"));
    worlds.all.truncate(3);
    worlds.all.insert(1, restored);
}

fn config(rng: &mut Rng) -> StepConfig {
    let max_recovery = if rng.bool() { 0.2 } else { f32::INFINITY };
    StepConfig { max_recovery, skin: [1e-3, 1e-2][rng.usize(0..2)], ..StepConfig::default() }
}

fn storm(seed: u64) -> Worlds {
    let mut rng = Rng::with_seed(SEED + seed);
    let mut worlds = Worlds::of(World::new());
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::Z, Vec3::NEG_Z] {
        let key = worlds.each(|world| world.insert_plane(Plane::new(normal, ROOM).unwrap(), u32::MAX));
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
            0 => worlds.update([0.0, DT, 3.0][rng.usize(0..3)]),
            1 => worlds.step(-1.0, &settings),
            2 => worlds.ask(&mut rng),
            3 => (0..40).for_each(|_| worlds.step(DT, &settings)),
            _ => {
                worlds.step(DT, &settings);
                worlds.update(DT);
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
        let text = serde_json::to_string(&worlds.all[0].snapshot()).unwrap();
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
            worlds.planes.push(worlds.all[0].insert_plane(Plane::new(Vec3::Y, ROOM).unwrap(), 1));
            for _ in 0..200 {
                let (object, body) = (Object::moving(turned_box(&mut rng)), body(&mut rng));
                let key = worlds.each(|world| world.insert(object.clone()));
                _ = worlds.each(|world| world.set_body(key, body));
                worlds.objects.push(key);
            }
            for round in 0..120 {
                worlds.step(DT, &StepConfig::default());
                worlds.update(DT);
                if round % 40 == 0 {
                    fork(&mut worlds, &mut rng);
                    worlds.edit(&mut rng);
                }
            }
            worlds.all[0].objects().map(|(_, object)| format!("{object:?}")).collect::<Vec<_>>()
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
    world.update(DT);
    assert!(keys.map(|key| world.remove(key)).iter().all(Option::is_some));
    let mut restored = World::restore(&world.snapshot()).unwrap();
    assert_eq!(restored.update(DT).ended, world.update(DT).ended);
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
    // The version of the one place takes more bytes.
    assert!(bytes(&world) <= after_one_turn + 4, "{} bytes, {after_one_turn} after one turn", bytes(&world));
    let mut restored = World::restore(&world.snapshot()).unwrap();
    let ball = Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    assert_eq!(world.insert(ball.clone()), restored.insert(ball));
}
