//! Which bodies sleep, and what wakes them.

use super::{DT, Scene, aabb, ball, obb};
use cullide_world::{
    ContactTracker, Dynamics, Material, Mesh, Mobility, Object, ObjectKey, RigidBody, Shape, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::Plane,
};

/// A floor on which a pile of four crates sleeps, and a crate far from it.
struct Pile {
    scene: Scene,
    floor: ObjectKey,
    crates: Vec<ObjectKey>,
    far: ObjectKey,
}

fn pile() -> Pile {
    let mut scene = Scene::new();
    let floor = scene.fixed(aabb(Vec3::Y * -1.0, Vec3::new(20.0, 1.0, 20.0)));
    scene.fixed(aabb(Vec3::new(100.0, -1.0, 0.0), Vec3::new(20.0, 1.0, 20.0)));
    let crates: Vec<ObjectKey> =
        [Vec3::new(0.0, 0.502, 0.0), Vec3::new(1.2, 0.502, 0.0), Vec3::new(0.6, 1.506, 0.0), Vec3::new(0.6, 2.51, 0.0)]
            .map(|place| scene.add(aabb(place, Vec3::splat(0.5)), RigidBody::dynamic()))
            .into();
    let far = scene.add(aabb(Vec3::new(100.0, 0.502, 0.0), Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(240);
    for key in crates.iter().chain([&far]) {
        assert!(scene.dynamics.body(*key).unwrap().is_asleep());
    }
    Pile { scene, floor, crates, far }
}

impl Pile {
    fn all_awake(&self) -> bool {
        self.crates.iter().all(|key| !self.scene.dynamics.body(*key).unwrap().is_asleep())
    }
}

#[test]
fn what_sleeps_does_not_move_by_a_bit() {
    let Pile { mut scene, .. } = pile();
    let before = scene.world.hash();
    for _ in 0..300 {
        let report = scene.step();
        assert_eq!(report, super::Report::default());
        assert_eq!(scene.world.hash(), before);
    }
}

#[test]
fn a_pile_wakes_when_its_floor_is_removed() {
    let mut pile = pile();
    pile.scene.world.remove(pile.floor);
    pile.scene.step();
    assert!(pile.all_awake());
    pile.scene.steps(120);
    assert!(pile.crates.iter().all(|key| pile.scene.center(*key).y < -5.0));
}

#[test]
fn a_pile_wakes_when_a_crate_is_thrown_at_it_and_nobody_else_does() {
    let mut pile = pile();
    let body = RigidBody { velocity: Vec3::X * 10.0, ..RigidBody::dynamic() };
    pile.scene.add(aabb(Vec3::new(-4.0, 0.8, 0.0), Vec3::splat(0.5)), body);
    pile.scene.steps(60);
    assert!(pile.all_awake());
    assert!(pile.scene.dynamics.body(pile.far).unwrap().is_asleep());
    assert!(pile.scene.center(pile.crates[0]).x > 0.1);
}

#[test]
fn a_pile_wakes_when_one_of_it_is_removed() {
    for is_body_alone in [false, true] {
        let mut pile = pile();
        if is_body_alone {
            pile.scene.dynamics.remove(pile.crates[0]).unwrap();
            pile.scene.world.object_mut(pile.crates[0]).unwrap().set_shape(ball(Vec3::Y * 50.0, 0.5));
        } else {
            pile.scene.world.remove(pile.crates[0]);
        }
        pile.scene.steps(90);
        let top = pile.crates[3];
        assert!(pile.scene.center(top).y < 2.2, "{}", pile.scene.center(top));
        assert!(pile.scene.dynamics.body(pile.far).unwrap().is_asleep());
    }
}

#[test]
fn a_pile_wakes_when_one_of_it_is_set_elsewhere() {
    let edits: [fn(&mut Scene, ObjectKey); 3] = [
        |scene, key| {
            _ = scene
                .world
                .object_mut(key)
                .map(|mut object| object.set_transform(Quat::IDENTITY, Vec3::new(0.0, 0.5, 9.0)))
                .transpose()
                .unwrap()
        },
        |scene, key| {
            _ = scene
                .world
                .object_mut(key)
                .map(|mut object| object.set_shape(aabb(Vec3::new(0.0, 0.5, 9.0), Vec3::splat(0.4))))
        },
        |scene, key| {
            _ = scene.world.object_mut(key).map(|mut object| {
                object.set_shape(Shape::from(obb(Vec3::new(0.0, 0.5, 9.0), Quat::IDENTITY, Vec3::ONE)))
            })
        },
    ];
    for edit in edits {
        let mut pile = pile();
        edit(&mut pile.scene, pile.crates[0]);
        pile.scene.steps(90);
        let top = pile.crates[3];
        assert!(pile.scene.center(top).y < 2.2, "{}", pile.scene.center(top));
        assert!((pile.scene.center(pile.crates[0]).z - 9.0).abs() < 0.5);
        assert!(pile.scene.dynamics.body(pile.far).unwrap().is_asleep());
    }
}

#[test]
fn a_pile_wakes_when_a_kinematic_body_begins_to_push_it() {
    let mut pile = pile();
    let pusher = pile.scene.add(aabb(Vec3::new(-2.0, 0.6, 0.0), Vec3::new(0.5, 0.5, 1.0)), RigidBody::kinematic());
    pile.scene.steps(60);
    assert!(pile.crates.iter().all(|key| pile.scene.dynamics.body(*key).unwrap().is_asleep()));
    pile.scene.set_velocity(pusher, Vec3::X, Vec3::ZERO);
    pile.scene.steps(90);
    assert!(pile.all_awake());
    assert!(pile.scene.center(pile.crates[0]).x > 0.3);
}

#[test]
fn what_sleeps_on_a_kinematic_body_wakes_when_that_moves() {
    let velocities: [(Vec3, Vec3); 4] =
        [(Vec3::Y, Vec3::ZERO), (Vec3::NEG_Y, Vec3::ZERO), (Vec3::X, Vec3::ZERO), (Vec3::ZERO, Vec3::Y)];
    for (velocity, spin) in velocities {
        let mut scene = Scene::new();
        let table = scene.add(aabb(Vec3::Y * -0.5, Vec3::new(3.0, 0.5, 3.0)), RigidBody::kinematic());
        let body = scene.add(aabb(Vec3::new(1.0, 0.502, 0.0), Vec3::splat(0.5)), RigidBody::dynamic());
        scene.steps(120);
        assert!(scene.dynamics.body(body).unwrap().is_asleep());
        let start = scene.center(body);
        scene.set_velocity(table, velocity, spin);
        scene.steps(60);
        assert!(
            !scene.dynamics.body(body).unwrap().is_asleep() && (scene.center(body) - start).length() > 0.5,
            "{velocity} {spin}"
        );
    }
}

#[test]
fn a_sleeping_pile_wakes_when_a_table_under_it_is_edited_by_the_world() {
    let mut scene = Scene::new();
    let table = scene.add(aabb(Vec3::Y * -0.5, Vec3::new(3.0, 0.5, 3.0)), RigidBody::kinematic());
    let body = scene.add(aabb(Vec3::new(1.0, 0.502, 0.0), Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(120);
    assert!(scene.dynamics.body(body).unwrap().is_asleep());
    // Moved away from under it.
    scene.world.object_mut(table).unwrap().set_transform(Quat::IDENTITY, Vec3::new(10.0, -0.5, 0.0)).unwrap();
    scene.steps(60);
    assert!(scene.center(body).y < -1.0, "{}", scene.center(body));
}

#[test]
fn a_moving_object_that_is_no_body_wakes_what_sleeps_on_it_when_it_goes() {
    let mut scene = Scene::new();
    let table = scene.world.insert(cullide_world::Object::moving(aabb(Vec3::Y * -0.5, Vec3::new(3.0, 0.5, 3.0))));
    let body = scene.add(aabb(Vec3::new(1.0, 0.502, 0.0), Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(120);
    assert!(scene.dynamics.body(body).unwrap().is_asleep());
    scene.world.object_mut(table).unwrap().set_transform(Quat::IDENTITY, Vec3::new(10.0, -0.5, 0.0)).unwrap();
    scene.steps(60);
    assert!(scene.center(body).y < -1.0, "{}", scene.center(body));
}

#[test]
fn impulses_forces_velocities_and_calls_wake() {
    let edits: [fn(&mut Scene, ObjectKey); 4] = [
        |scene, key| scene.dynamics.body_mut(&scene.world, key).unwrap().apply_impulse(Vec3::X, Vec3::Y * 0.5).unwrap(),
        |scene, key| scene.dynamics.body_mut(&scene.world, key).unwrap().apply_force(Vec3::X, Vec3::ZERO).unwrap(),
        |scene, key| scene.dynamics.body_mut(&scene.world, key).unwrap().set_velocity(Vec3::X, Vec3::ZERO).unwrap(),
        |scene, key| scene.dynamics.body_mut(&scene.world, key).unwrap().wake(),
    ];
    for edit in edits {
        let mut pile = pile();
        edit(&mut pile.scene, pile.crates[3]);
        assert!(pile.all_awake() && pile.scene.dynamics.body(pile.far).unwrap().is_asleep());
    }
}

#[test]
fn an_edit_wakes_what_lies_near_it_and_nobody_else() {
    let edits: [fn(&mut Pile); 5] = [
        |pile| _ = pile.scene.fixed(aabb(Vec3::new(0.0, 0.5, 0.8), Vec3::splat(0.3))),
        |pile| _ = pile.scene.world.insert(Object::moving(aabb(Vec3::new(0.0, 0.5, 0.8), Vec3::splat(0.3)))),
        |pile| {
            _ = pile
                .scene
                .world
                .object_mut(pile.floor)
                .map(|mut object| object.set_shape(aabb(Vec3::Y * -1.5, Vec3::new(20.0, 1.0, 20.0))))
        },
        |pile| {
            _ = pile
                .scene
                .world
                .object_mut(pile.floor)
                .map(|mut object| object.set_transform(Quat::from_rotation_z(0.1), Vec3::Y * -1.0))
                .transpose()
                .unwrap()
        },
        |pile| _ = pile.scene.world.remove(pile.floor),
    ];
    for edit in edits {
        let mut pile = pile();
        edit(&mut pile);
        // A restored world wakes the same bodies.
        let restored = World::restore(&pile.scene.world.snapshot()).unwrap();
        let saved = pile.scene.dynamics.snapshot(&pile.scene.world).unwrap();
        let dynamics = Dynamics::restore(&saved, &restored).unwrap();
        let mut restored = Scene { world: restored, dynamics, config: pile.scene.config };
        pile.scene.step();
        restored.step();
        assert!(pile.all_awake() && pile.scene.dynamics.body(pile.far).unwrap().is_asleep());
        assert_eq!(pile.scene.world.hash(), restored.world.hash());
        assert!(
            restored.dynamics.body(pile.far).unwrap().is_asleep()
                && !restored.dynamics.body(pile.crates[0]).unwrap().is_asleep()
        );
    }
    let mut pile = pile();
    pile.scene.fixed(aabb(Vec3::new(10.0, 0.5, 0.0), Vec3::splat(0.5)));
    pile.scene.step();
    assert!(pile.crates.iter().all(|key| pile.scene.dynamics.body(*key).unwrap().is_asleep()));
}

#[test]
fn what_is_moved_into_a_sleeping_crate_by_edits_pushes_it() {
    let mut pile = pile();
    let at = |x: f32| aabb(Vec3::new(x, 0.6, 0.0), Vec3::splat(0.5));
    let pusher = pile.scene.world.insert(Object::moving(at(-1.2)));
    pile.scene.steps(240);
    assert!(pile.crates.iter().all(|key| pile.scene.dynamics.body(*key).unwrap().is_asleep()));
    for i in 1..=60 {
        pile.scene.world.object_mut(pusher).unwrap().set_shape(at(-1.2 + 0.01 * i as f32));
        pile.scene.step();
    }
    let ahead = pile.scene.center(pile.crates[0]).x - pile.scene.center(pusher).x;
    assert!((0.99..1.02).contains(&ahead), "{ahead}");
    assert!(pile.scene.dynamics.body(pile.far).unwrap().is_asleep());
}

#[test]
fn a_crater_wakes_what_lies_near_it_and_nobody_else() {
    let mut scene = Scene::new();
    let size = 65;
    let flat = Terrain::new(size, size, &[0.0; 65 * 65], Vec2::ONE, Vec2::ZERO).unwrap();
    let ground = scene.fixed(flat);
    let bodies =
        [10.3, 20.3, 30.3].map(|x| scene.add(aabb(Vec3::new(x, 0.502, 32.4), Vec3::splat(0.5)), RigidBody::dynamic()));
    let asleep = |scene: &Scene| bodies.map(|key| scene.dynamics.body(key).unwrap().is_asleep());
    scene.steps(120);
    assert_eq!(asleep(&scene), [true; 3]);
    scene
        .world
        .object_mut(ground)
        .unwrap()
        .edit_terrain(|ground| ground.edit(19..23, 31..35, &[-0.5; 16]))
        .unwrap()
        .unwrap();
    scene.step();
    assert_eq!(asleep(&scene), [true, false, true]);
    scene.steps(240);
    assert!((scene.center(bodies[1]).y - 0.0).abs() < 0.1, "{}", scene.center(bodies[1]));
    assert_eq!(asleep(&scene), [true; 3]);
    scene.world.object_mut(ground).unwrap().edit_terrain(|ground| ground.dig(30..31, 32..33)).unwrap().unwrap();
    scene.step();
    assert_eq!(asleep(&scene), [true, true, false]);
    // An edit that changes nothing, and a completely different terrain.
    scene.steps(240);
    scene.world.object_mut(ground).unwrap().edit_terrain(|_| {}).unwrap();
    scene.step();
    assert_eq!(asleep(&scene), [true; 3]);
    let deep = Terrain::new(size, size, &[-3.0; 65 * 65], Vec2::ONE, Vec2::ZERO).unwrap();
    scene.world.object_mut(ground).unwrap().edit_terrain(|ground| *ground = deep).unwrap();
    scene.step();
    assert_eq!(asleep(&scene), [false; 3]);
}

#[test]
fn another_gravity_wakes_all_also_after_a_restart() {
    let mut pile = pile();
    let crates = pile.crates.clone();
    pile.scene.steps(1);
    assert!(crates.iter().all(|key| pile.scene.dynamics.body(*key).unwrap().is_asleep()));
    let world = World::restore(&pile.scene.world.snapshot()).unwrap();
    let dynamics = Dynamics::restore(&pile.scene.dynamics.snapshot(&pile.scene.world).unwrap(), &world).unwrap();
    let restarted = Scene { world, dynamics, config: pile.scene.config };
    for mut scene in [pile.scene, restarted] {
        let before = scene.center(crates[3]).y;
        scene.config.gravity = Vec3::Y * 3.0;
        scene.steps(30);
        assert!(scene.center(crates[3]).y > before + 0.3);
    }
}

#[test]
fn edits_that_change_nothing_wake_nobody() {
    let mut scene = Scene::with_floor();
    let gone = scene.fixed(ball(Vec3::Y * 50.0, 0.5));
    scene.world.remove(gone);
    let [wall, gone_wall] = [100.0, 200.0].map(|x| scene.plane(Vec3::NEG_X * x, Vec3::X));
    scene.world.remove_plane(gone_wall);
    let far = scene.fixed(ball(Vec3::X * 40.0, 0.5));
    let body = scene.add(aabb(Vec3::Y * 0.501, Vec3::splat(0.5)), RigidBody::dynamic());
    scene.steps(200);
    assert!(scene.dynamics.body(body).unwrap().is_asleep());
    let hash = scene.world.hash();
    let plane = scene.world.plane(wall).unwrap().plane;
    assert_eq!(scene.world.object_mut(gone).map(|mut object| object.set_layers(1)), None);
    assert_eq!(scene.world.object_mut(gone).map(|mut object| object.set_pairs_with(1)), None);
    assert_eq!(scene.world.plane_mut(gone_wall).map(|mut entry| entry.set_plane(plane)), None);
    assert_eq!(scene.world.remove_plane(gone_wall), None);
    let (layers, pairs_with) = scene.world.object(far).map(|object| (object.layers, object.pairs_with)).unwrap();
    assert_eq!(scene.world.object_mut(far).map(|mut object| object.set_layers(layers)), Some(layers));
    assert_eq!(scene.world.object_mut(far).map(|mut object| object.set_pairs_with(pairs_with)), Some(pairs_with));
    assert_eq!(scene.world.plane_mut(wall).map(|mut entry| entry.set_plane(plane)), Some(plane));
    assert_eq!(scene.world.hash(), hash);
    scene.step();
    assert!(scene.dynamics.body(body).unwrap().is_asleep());
    assert_eq!(scene.world.object_mut(far).map(|mut object| object.set_layers(layers ^ 2)), Some(layers));
    assert_ne!(scene.world.hash(), hash);
    scene.step();
    assert!(scene.dynamics.body(body).unwrap().is_asleep());
    scene.world.plane_mut(wall).unwrap().set_plane(Plane::new(Vec3::X, -101.0).unwrap());
    scene.step();
    assert!(!scene.dynamics.body(body).unwrap().is_asleep());
}

#[test]
fn what_changes_of_an_object_far_away_wakes_nobody() {
    let mut scene = Scene::with_floor();
    let near = scene.fixed(aabb(Vec3::new(0.0, 0.5, 1.01), Vec3::splat(0.5)));
    let far = scene.fixed(aabb(Vec3::new(900.0, 0.0, 0.0), Vec3::ONE));
    let boxes: Vec<_> = (0..20u8)
        .map(|i| scene.add(aabb(Vec3::new(2.0 * f32::from(i), 0.501, 0.0), Vec3::splat(0.5)), RigidBody::dynamic()))
        .collect();
    scene.steps(120);
    let awake = |scene: &Scene| boxes.iter().filter(|key| !scene.dynamics.body(**key).unwrap().is_asleep()).count();
    assert_eq!(awake(&scene), 0);
    let slippery = Material { friction: 0.1, ..Material::default() };
    let edits: [fn(&mut Scene, ObjectKey, Material); 5] = [
        |scene, key, material| scene.dynamics.set_material(&scene.world, key, material).unwrap(),
        |scene, key, material| scene.dynamics.set_surface_material(&scene.world, key, 0, material).unwrap(),
        |scene, key, _| _ = scene.world.object_mut(key).unwrap().set_layers(3),
        |scene, key, _| _ = scene.world.object_mut(key).unwrap().set_pairs_with(3),
        |scene, key, _| _ = scene.world.object_mut(key).unwrap().set_mobility(Mobility::Moving),
    ];
    for (i, edit) in edits.iter().enumerate() {
        edit(&mut scene, far, slippery);
        scene.step();
        assert_eq!(awake(&scene), 0, "edit {i} of something far");
        edit(&mut scene, near, slippery);
        scene.step();
        // The material of an object that a body is near to, without touching it, may matter to the body too.
        assert!(awake(&scene) <= 1 && (i < 2 || awake(&scene) == 1), "edit {i} of something near");
        scene.steps(120);
        assert_eq!(awake(&scene), 0);
    }
}

/// Whoever updates the pairs gives bodies that have just fallen asleep boxes that end above the floor.
#[test]
fn what_sleeps_lies_on_whoever_updates_the_pairs() {
    let corners = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let floors: [Shape; 2] = [
        aabb(Vec3::NEG_Y, Vec3::new(9.0, 1.0, 9.0)).into(),
        Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]]).unwrap().into(),
    ];
    let update = |scene: &mut Scene, _: &mut ContactTracker, _: ObjectKey, dt: f32| _ = scene.world.update_pairs(dt);
    let track = |scene: &mut Scene, tracker: &mut ContactTracker, _: ObjectKey, dt: f32| {
        tracker.update(&mut scene.world, dt, 0.0);
    };
    // It has none while it sleeps, so that this changes nothing.
    let rest = |scene: &mut Scene, _: &mut ContactTracker, key: ObjectKey, _: f32| {
        if scene.dynamics.body(key).unwrap().is_asleep() {
            scene.world.object_mut(key).unwrap().set_velocity(Vec3::Y * 1e-3).unwrap();
            scene.world.object_mut(key).unwrap().set_velocity(Vec3::ZERO).unwrap();
        }
    };
    type Meddle<'a> = &'a dyn Fn(&mut Scene, &mut ContactTracker, ObjectKey, f32);
    let cases: [(usize, f32, Meddle); 6] = [
        (0, DT, &update),
        (1, 0.1, &update),
        (0, 0.1, &track),
        (1, 1.0 / 30.0, &track),
        (0, DT, &rest),
        (1, 0.1, &rest),
    ];
    for (floor, dt, meddle) in cases {
        for half_extents in [Vec3::splat(0.5), Vec3::new(0.3, 0.02, 0.3), Vec3::new(0.02, 0.002, 0.02)] {
            let (mut scene, mut tracker) = (Scene::new(), ContactTracker::new());
            scene.fixed(floors[floor].clone());
            let center = Vec3::new(0.3, half_extents.y + 0.01, 0.2);
            let key = scene.add(obb(center, Quat::from_rotation_y(0.3), half_extents), RigidBody::dynamic());
            let mut asleep = 0;
            for step in 0..400 {
                meddle(&mut scene, &mut tracker, key, dt);
                scene.dynamics.step(&mut scene.world, dt, &scene.config).unwrap();
                let is_asleep = scene.dynamics.body(key).unwrap().is_asleep();
                asleep += usize::from(is_asleep);
                assert!(is_asleep || asleep == 0, "{half_extents} on {floor} by {dt}: woken in step {step}");
                let bottom = scene.shape(key).aabb().min().y;
                assert!(bottom >= 0.0, "{half_extents} on {floor} by {dt}: {bottom} in step {step}");
            }
            assert!(asleep > 200, "{half_extents} on {floor} by {dt}: {asleep}");
        }
    }
}
