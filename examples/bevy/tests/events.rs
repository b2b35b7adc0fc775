//! Sensors, messages, observers, characters, and errors in the log.

mod support;

use bevy_app::{App, FixedUpdate};
use bevy_cullide::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;
use std::sync::{Arc, Mutex};
use support::*;

/// What observers and messages told, in order.
#[derive(Resource, Default)]
struct Told {
    observed: Vec<(bool, Entity, Entity)>,
    written: Vec<(bool, Entity, Entity)>,
}

fn listening() -> App {
    let mut app = app();
    app.init_resource::<Told>();
    app.add_observer(|on: On<CollisionStart>, mut told: ResMut<Told>| {
        told.observed.push((true, on.collider1, on.collider2))
    });
    app.add_observer(|on: On<CollisionEnd>, mut told: ResMut<Told>| {
        told.observed.push((false, on.collider1, on.collider2))
    });
    app.add_systems(
        FixedUpdate,
        |mut start: MessageReader<CollisionStart>, mut end: MessageReader<CollisionEnd>, mut told: ResMut<Told>| {
            told.written.extend(start.read().map(|pair| (true, pair.collider1, pair.collider2)));
            told.written.extend(end.read().map(|pair| (false, pair.collider1, pair.collider2)));
        },
    );
    app
}

#[test]
fn contacts_are_told_to_those_who_ask() {
    let mut app = listening();
    let ground = floor(&mut app);
    let ball = |x| (RigidBody::Dynamic, Collider::sphere(0.5), at(x, 1.0, 0.0));
    let asks = app.world_mut().spawn((ball(0.0), CollisionEventsEnabled, CollidingEntities::default())).id();
    app.world_mut().spawn(ball(5.0));
    ticks(&mut app, 60);
    assert_eq!(app.world().resource::<Told>().observed, [(true, asks, ground)]);
    let touched =
        |app: &App, entity| app.world().get::<CollidingEntities>(entity).unwrap().iter().copied().collect::<Vec<_>>();
    assert_eq!(touched(&app, asks), [ground]);
    // One that asks later learns what it touches.
    app.world_mut().entity_mut(ground).insert((CollidingEntities::default(), CollisionEventsEnabled));
    ticks(&mut app, 2);
    assert_eq!(app.world().get::<CollidingEntities>(ground).unwrap().len(), 2);
    app.world_mut().get_mut::<Transform>(asks).unwrap().translation.y = 20.0;
    ticks(&mut app, 2);
    let told = app.world().resource::<Told>();
    assert_eq!(told.observed[1..], [(false, asks, ground), (false, ground, asks)]);
    assert_eq!(told.written, [(true, asks, ground), (false, asks, ground)]);
    assert!(touched(&app, asks).is_empty());
}

#[test]
fn what_is_despawned_no_longer_touches() {
    let mut app = listening();
    let ground = floor(&mut app);
    app.world_mut().entity_mut(ground).insert((CollidingEntities::default(), CollisionEventsEnabled));
    let ball = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, 0.6, 0.0))).id();
    ticks(&mut app, 60);
    app.world_mut().despawn(ball);
    ticks(&mut app, 2);
    assert_eq!(app.world().resource::<Told>().observed, [(true, ground, ball), (false, ground, ball)]);
    assert!(app.world().get::<CollidingEntities>(ground).unwrap().is_empty());
}

#[test]
fn the_last_events_of_what_is_despawned_are_told_if_it_alone_asked() {
    for is_sensor in [false, true] {
        let mut app = listening();
        app.insert_resource(Gravity(if is_sensor { Vec3::ZERO } else { Vec3::NEG_Y * 9.81 }));
        let ground = floor(&mut app);
        if is_sensor {
            app.world_mut().entity_mut(ground).insert(Sensor);
        }
        let height = if is_sensor { 0.0 } else { 0.6 };
        let ball = (RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, height, 0.0), CollisionEventsEnabled);
        let [ball, mute] = [0.0, 3.0].map(|x| {
            let ball = app.world_mut().spawn(ball.clone()).id();
            app.world_mut().get_mut::<Transform>(ball).unwrap().translation.x = x;
            ball
        });
        ticks(&mut app, 60);
        // One that no longer asks is told nothing, whether it is despawned or not.
        app.world_mut().entity_mut(mute).remove::<CollisionEventsEnabled>();
        ticks(&mut app, 1);
        app.world_mut().despawn(ball);
        app.world_mut().despawn(mute);
        ticks(&mut app, 2);
        let told = app.world().resource::<Told>();
        assert_eq!(told.observed[2..], [(false, ball, ground)]);
        let [pair] = told.written[2..] else { panic!("{:?}", told.written) };
        assert!(pair == (false, ball, ground) || pair == (false, ground, ball), "{pair:?}");
    }
}

#[test]
fn a_sensor_tells_what_goes_through_it_and_stops_nobody() {
    let mut app = listening();
    floor(&mut app);
    let gate = (Collider::cuboid(4.0, 1.0, 4.0), Sensor, CollisionEventsEnabled, at(0.0, 3.0, 0.0));
    let gate = app.world_mut().spawn((gate, CollisionLayers::from_bits(0b1, 0b10))).id();
    let ball = |x, layers| {
        (RigidBody::Dynamic, Collider::sphere(0.3), at(x, 5.0, 0.0), CollisionLayers::from_bits(layers, u32::MAX))
    };
    let seen = app.world_mut().spawn(ball(-1.0, 0b11)).id();
    app.world_mut().spawn(ball(1.0, 0b1));
    ticks(&mut app, 100);
    let told = app.world().resource::<Told>();
    assert_eq!(told.observed, [(true, gate, seen), (false, gate, seen)]);
    assert!((place(&app, seen).y - 0.3).abs() < 0.02);
    let found = ask(&mut app, |query| query.point_intersections(Vec3::Y * 3.0, &all()));
    assert!(found.is_empty());
}

#[test]
fn a_sensor_below_a_body_follows_it() {
    let mut app = listening();
    let cart = (RigidBody::Kinematic, Collider::cuboid(1.0, 1.0, 1.0), LinearVelocity(Vec3::X), at(0.0, 0.0, 0.0));
    let cart = app.world_mut().spawn(cart).id();
    let nose = (Collider::sphere(0.5), Sensor, CollisionEventsEnabled, at(1.5, 0.0, 0.0), ChildOf(cart));
    let nose = app.world_mut().spawn(nose).id();
    app.insert_resource(Gravity(Vec3::ZERO));
    let ball = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), at(3.0, 0.0, 0.0))).id();
    ticks(&mut app, 16);
    assert!(app.world().resource::<Told>().observed.is_empty());
    ticks(&mut app, 32);
    assert_eq!(app.world().resource::<Told>().observed, [(true, nose, ball)]);
}

#[test]
fn a_character_walks_climbs_jumps_rides_and_pushes() {
    let mut app = app();
    floor(&mut app);
    app.world_mut().spawn((Collider::cuboid(2.0, 0.3, 4.0), at(3.0, 0.15, 0.0)));
    let hero = (CharacterController::default(), Collider::capsule(0.3, 1.0), at(0.0, 0.81, 0.0));
    let hero = app.world_mut().spawn(hero).id();
    let walk = |app: &mut App, velocity: Vec3, count: usize| {
        for _ in 0..count {
            let mut own = app.world_mut().get_mut::<LinearVelocity>(hero).unwrap();
            (own.x, own.z) = (velocity.x, velocity.z);
            ticks(app, 1);
        }
    };
    let ground = |app: &App| app.world().get::<CharacterState>(hero).unwrap().ground;
    walk(&mut app, Vec3::X * 2.0, 80);
    assert!(
        (place(&app, hero).x - 2.5).abs() < 0.1 && (place(&app, hero).y - 1.1).abs() < 0.02,
        "{}",
        place(&app, hero)
    );
    assert!(ground(&app).is_some());
    app.world_mut().get_mut::<LinearVelocity>(hero).unwrap().y = 4.0;
    walk(&mut app, Vec3::ZERO, 10);
    assert!(ground(&app).is_none() && place(&app, hero).y > 1.4);
    walk(&mut app, Vec3::ZERO, 60);
    assert!(ground(&app).is_some() && (place(&app, hero).y - 1.1).abs() < 0.02);
    // Turned by the game and put elsewhere: onto a lift.
    let lift = (RigidBody::Kinematic, Collider::cuboid(2.0, 0.2, 2.0), LinearVelocity(Vec3::Y), at(-8.0, 0.1, 0.0));
    let lift = app.world_mut().spawn(lift).id();
    let turn = Quat::from_rotation_y(1.0);
    *app.world_mut().get_mut::<Transform>(hero).unwrap() = at(-8.0, 1.05, 0.0).with_rotation(turn);
    walk(&mut app, Vec3::ZERO, 64);
    assert!(
        (place(&app, hero).y - place(&app, lift).y - 0.9).abs() < 0.05 && place(&app, hero).y > 1.9,
        "{}",
        place(&app, hero)
    );
    assert_eq!(ground(&app).map(|ground| ground.entity), Some(Some(lift)));
    assert_eq!(app.world().get::<Transform>(hero).unwrap().rotation, turn);
    // Pushes a crate along the floor.
    let crate_ = app
        .world_mut()
        .spawn((RigidBody::Dynamic, Collider::cuboid(0.8, 0.8, 0.8), Mass(20.0), at(-3.0, 0.41, 9.0)))
        .id();
    *app.world_mut().get_mut::<Transform>(hero).unwrap() = at(-4.5, 0.81, 9.0);
    walk(&mut app, Vec3::X * 2.0, 100);
    assert!(
        place(&app, crate_).x > -2.5 && place(&app, hero).x < place(&app, crate_).x - 0.6,
        "{}",
        place(&app, crate_)
    );
    // It is found, and gone once it is despawned.
    let found = |app: &mut App| {
        ask(app, |query| {
            let (_, place) = query.world().object(query.physics().key(hero)?)?.transform();
            Some(query.point_intersections(place, &all()))
        })
    };
    assert_eq!(found(&mut app), Some(vec![hero]));
    app.world_mut().despawn(hero);
    ticks(&mut app, 1);
    assert_eq!(found(&mut app), None);
}

/// Keeps the messages of the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        if *event.metadata().level() == tracing::Level::ERROR {
            let mut text = String::new();
            event.record(&mut |_: &tracing::field::Field, value: &dyn std::fmt::Debug| text = format!("{value:?}"));
            self.0.lock().unwrap().push(text);
        }
    }
}

/// The only test of this target that reads the log, as there is one for all threads.
#[test]
fn errors_are_logged_once_with_the_entity_name() {
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let lines = |app: &mut App| -> Vec<String> {
        ticks(app, 3);
        std::mem::take(&mut *log.0.lock().unwrap())
    };
    let mut app = app();
    let long = Transform::from_scale(Vec3::new(1.0, 2.0, 1.0));
    let ball = app.world_mut().spawn((Name::new("Ball"), Collider::sphere(1.0), long)).id();
    let found = lines(&mut app);
    assert!(found.len() == 1 && found[0].starts_with("Ball: ") && found[0].contains("scale"), "{found:?}");
    // It is mended, and broken in another way.
    app.world_mut().entity_mut(ball).insert(Transform::from_scale(Vec3::splat(2.0)));
    assert!(lines(&mut app).is_empty());
    assert_eq!(ask(&mut app, |query| query.point_intersections(Vec3::Y * 1.9, &all())), [ball]);
    app.world_mut().entity_mut(ball).insert(Collider::sphere(-1.0));
    let found = lines(&mut app);
    assert!(found.len() == 1 && found[0].starts_with("Ball: "), "{found:?}");
    assert!(app.world().resource::<Physics>().world.is_empty());
    app.world_mut().despawn(ball);

    let sheet = Collider::trimesh(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 1, 2]]);
    let sheet = app.world_mut().spawn((Name::new("Sheet"), RigidBody::Dynamic, sheet)).id();
    let found = lines(&mut app);
    assert!(found.len() == 1 && found[0].starts_with("Sheet: "), "{found:?}");
    app.world_mut().despawn(sheet);

    let plane = app.world_mut().spawn((Name::new("Plane"), RigidBody::Dynamic, Collider::half_space(Vec3::Y))).id();
    let found = lines(&mut app);
    assert!(found.len() == 1 && found[0].contains("half-space"), "{found:?}");
    app.world_mut().despawn(plane);

    let lost = app.world_mut().spawn((Name::new("Lost"), RigidBody::Dynamic, Collider::sphere(1.0))).id();
    let other = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(1.0), at(9.0, 0.0, 0.0))).id();
    assert!(lines(&mut app).is_empty());
    app.world_mut().get_mut::<Transform>(lost).unwrap().translation.x = f32::NAN;
    app.world_mut().get_mut::<Transform>(other).unwrap().translation.x = 20.0;
    app.world_mut().get_mut::<LinearVelocity>(other).unwrap().x = f32::INFINITY;
    let found = lines(&mut app);
    assert!(found.len() == 2 && found.iter().any(|line| line.starts_with("Lost: ")), "{found:?}");
    assert!((place(&app, other).x - 20.0).abs() < 1e-3);

    // The collider of a character is its own.
    let hero = app.world_mut().spawn((Name::new("Hero"), CharacterController::default(), at(0.0, 0.0, 90.0))).id();
    app.world_mut().spawn((Collider::sphere(1.0), at(0.0, 50.0, 0.0), ChildOf(hero)));
    let found = lines(&mut app);
    assert!(found.len() == 1 && found[0].starts_with("Hero: "), "{found:?}");
    app.world_mut().entity_mut(hero).insert(Collider::sphere(1.0));
    assert!(lines(&mut app).is_empty() && place(&app, hero).y < 0.0);
    app.world_mut().despawn(hero);

    let skewed = app.world_mut().spawn(Transform::from_scale(Vec3::new(3.0, 1.0, 1.0))).id();
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
    app.world_mut().spawn((Name::new("Skewed"), Collider::cuboid(1.0, 1.0, 1.0), turned, ChildOf(skewed)));
    let found = lines(&mut app);
    assert!(found.len() == 1 && found[0].starts_with("Skewed: "), "{found:?}");
}
