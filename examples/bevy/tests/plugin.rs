//! The plugin, headless: a tick for each update.

mod support;

use bevy_app::App;
use bevy_cullide::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Quat, Vec3};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use support::*;

#[test]
fn a_crate_falls_onto_the_floor_and_a_ray_finds_it() {
    let mut app = app();
    floor(&mut app);
    let crate_ = app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at(0.0, 3.0, 0.0))).id();
    ticks(&mut app, 1);
    // The first tick: v = -g dt, and a drop of the same order.
    let speed = app.world().get::<LinearVelocity>(crate_).unwrap().y;
    assert!((speed + 9.81 * DT).abs() < 1e-5, "{speed}");
    ticks(&mut app, 200);
    let height = place(&app, crate_).y;
    assert!((height - 0.5).abs() < 0.01, "{height}");
    assert_eq!(*app.world().get::<LinearVelocity>(crate_).unwrap(), LinearVelocity::default());
    let hit = ask(&mut app, |query| query.cast_ray(Vec3::Y * 9.0, Dir3::NEG_Y, 100.0, true, &all())).unwrap();
    assert_eq!(hit.entity, crate_);
    assert!((hit.distance - (9.0 - height - 0.5)).abs() < 1e-4 && hit.normal.y > 0.999, "{hit:?}");
}

#[test]
fn each_constructor_has_its_size_about_the_origin() {
    let mut app = app();
    let cube = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32));
    let colliders = [
        (Collider::cuboid(2.0, 4.0, 6.0), Vec3::new(1.0, 2.0, 3.0)),
        (Collider::sphere(2.0), Vec3::splat(2.0)),
        (Collider::capsule(0.5, 2.0), Vec3::new(0.5, 1.5, 0.5)),
        (Collider::capsule_endpoints(0.5, Vec3::NEG_X, Vec3::X * 2.0), Vec3::new(2.5, 0.5, 0.5)),
        (Collider::cylinder(1.0, 4.0), Vec3::new(1.0, 2.0, 1.0)),
        (Collider::cone(1.0, 4.0), Vec3::new(1.0, 2.0, 1.0)),
        (Collider::convex_hull(cube.to_vec()).unwrap(), Vec3::ONE),
        (Collider::trimesh(cube.to_vec(), vec![[0, 1, 3], [0, 5, 7]]), Vec3::ONE),
        (Collider::triangle(cube[0], cube[1], cube[6]), Vec3::ONE),
        (
            Collider::heightfield(vec![vec![0.0, 1.0], vec![2.0, 3.0], vec![4.0, 5.0]], Vec3::new(8.0, 2.0, 6.0)),
            Vec3::new(4.0, 10.0, 3.0),
        ),
        (
            Collider::compound(vec![
                (Vec3::X * 2.0, Quat::IDENTITY, Collider::sphere(1.0)),
                (
                    Vec3::ZERO,
                    Quat::from_rotation_z(1.0),
                    Collider::compound(vec![(Vec3::ZERO, Quat::IDENTITY, Collider::sphere(0.5))]),
                ),
            ]),
            Vec3::new(3.0, 1.0, 1.0),
        ),
    ];
    for (number, (collider, expected)) in colliders.into_iter().enumerate() {
        let place = Vec3::new(0.0, 0.0, 100.0 * number as f32);
        let entity = app.world_mut().spawn((collider, Transform::from_translation(place))).id();
        ticks(&mut app, 1);
        let physics = app.world().resource::<Physics>();
        let aabb = physics.world.object(physics.key(entity).unwrap()).unwrap().shape.aabb();
        assert!((aabb.max() - place - expected).length() < 1e-3, "{number}: {aabb:?}");
    }
    assert!(Collider::convex_hull(vec![Vec3::ZERO, Vec3::X]).is_none());
}

#[test]
fn heights_have_a_row_for_each_x_with_a_height_for_each_z() {
    let mut app = app();
    // Along x, the heights at the edge of the least z are 0, 1, 4; at that of the greatest, half of them.
    let heights = vec![vec![0.0, 0.0], vec![1.0, 0.5], vec![4.0, 2.0]];
    app.world_mut().spawn(Collider::heightfield(heights, Vec3::new(8.0, 3.0, 4.0)));
    ticks(&mut app, 1);
    let mut height = |x, z| {
        let hit = ask(&mut app, |query| query.cast_ray(Vec3::new(x, 9.0, z), Dir3::NEG_Y, 100.0, true, &all()));
        9.0 - hit.unwrap().distance
    };
    assert_eq!([height(-4.0, 1.0), height(0.0, -2.0), height(0.0, 0.0), height(4.0, 2.0)], [0.0, 3.0, 2.25, 6.0]);
    for ragged in [vec![vec![0.0; 3], vec![0.0; 2]], vec![vec![0.0; 2], vec![0.0; 3]], vec![vec![]], vec![]] {
        assert!(Collider::heightfield(ragged, Vec3::ONE).error().is_some());
    }
}

#[test]
fn a_half_space_is_a_floor_that_may_move_and_go() {
    let mut app = app();
    let ground = app.world_mut().spawn((Collider::half_space(Vec3::Y), at(0.0, -1.0, 0.0))).id();
    let ball = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, 1.0, 0.0))).id();
    ticks(&mut app, 150);
    assert!((place(&app, ball).y + 0.5).abs() < 0.01);
    let down = |app: &mut App| ask(app, |query| query.cast_ray(Vec3::X * 50.0, Dir3::NEG_Y, 100.0, true, &all()));
    assert_eq!(down(&mut app).map(|hit| (hit.entity, hit.distance)), Some((ground, 1.0)));
    app.world_mut().get_mut::<Transform>(ground).unwrap().translation.y = -3.0;
    ticks(&mut app, 1);
    assert_eq!(down(&mut app).unwrap().distance, 3.0);
    app.world_mut().despawn(ground);
    ticks(&mut app, 60);
    assert!(down(&mut app).is_none() && place(&app, ball).y < -3.0);
}

#[test]
fn kinds_of_bodies_fall_stay_and_push() {
    let mut app = app();
    floor(&mut app);
    let body = |body, x| (body, Collider::cuboid(1.0, 1.0, 1.0), at(x, 0.5, 0.0));
    let wall = app.world_mut().spawn(body(RigidBody::Static, 6.0)).id();
    let pusher = app.world_mut().spawn((body(RigidBody::Kinematic, 0.0), LinearVelocity(Vec3::X))).id();
    let pushed = app.world_mut().spawn(body(RigidBody::Dynamic, 1.5)).id();
    // This one is moved by its transform.
    let lift = app.world_mut().spawn(body(RigidBody::Kinematic, -5.0)).id();
    let load = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.4), at(-5.0, 1.41, 0.0))).id();
    for _ in 0..64 {
        app.world_mut().get_mut::<Transform>(lift).unwrap().translation.y += 0.5 * DT;
        ticks(&mut app, 1);
    }
    assert!((place(&app, pusher).x - 1.0).abs() < 1e-4, "{}", place(&app, pusher));
    assert!((place(&app, pushed).x - 2.0).abs() < 0.05, "{}", place(&app, pushed));
    assert_eq!(place(&app, wall).x, 6.0);
    assert!((place(&app, lift).y - 1.0).abs() < 1e-4 && (place(&app, load).y - 1.91).abs() < 0.02);
    // Without its transform being moved, the lift stays.
    ticks(&mut app, 10);
    assert!((place(&app, lift).y - 1.0).abs() < 1e-4);
    // Kinds may change.
    app.world_mut().entity_mut(lift).insert(RigidBody::Dynamic);
    app.world_mut().entity_mut(pusher).insert(RigidBody::Static);
    let before = place(&app, pusher);
    ticks(&mut app, 60);
    assert!((place(&app, lift).y - 0.5).abs() < 0.02);
    assert_eq!(place(&app, pusher), before);
}

#[test]
fn components_describe_a_body() {
    let mut app = app();
    app.insert_resource(Gravity(Vec3::NEG_Y * 10.0));
    floor(&mut app);
    let ball = |x| (RigidBody::Dynamic, Collider::sphere(0.5), at(x, 3.0, 0.0));
    let plain = app.world_mut().spawn(ball(0.0)).id();
    let floats = app.world_mut().spawn((ball(3.0), GravityScale(0.0))).id();
    let locked = app.world_mut().spawn((ball(6.0), LockedAxes::new().lock_translation_y())).id();
    let bounces = app.world_mut().spawn((ball(9.0), Restitution(0.9))).id();
    let slow = app.world_mut().spawn((ball(12.0), LinearDamping(5.0), ColliderDensity(2.0))).id();
    let heavy = app.world_mut().spawn((ball(15.0), Mass(7.0), SleepingDisabled)).id();
    let slides = |friction, z| {
        let slider = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at(-9.0, 0.501, z));
        (slider, Friction(friction), LinearVelocity(Vec3::X * 4.0))
    };
    let rough = app.world_mut().spawn(slides(2.0, 0.0)).id();
    let smooth = app.world_mut().spawn(slides(0.0, 5.0)).id();
    ticks(&mut app, 58);
    assert_eq!(place(&app, floats).y, 3.0);
    assert_eq!(place(&app, locked).y, 3.0);
    assert!(place(&app, slow).y > place(&app, plain).y + 0.5);
    assert!(app.world().get::<LinearVelocity>(bounces).unwrap().y > 2.0);
    assert!(place(&app, smooth).x > place(&app, rough).x + 1.0);
    let physics = app.world().resource::<Physics>();
    let mass = |entity| physics.dynamics.body(physics.key(entity).unwrap()).unwrap().mass(&physics.world).unwrap().mass;
    let volume = 4.0 / 3.0 * std::f32::consts::PI * 0.125;
    assert!(
        (mass(slow) - 2.0 * volume).abs() < 1e-4 && (mass(heavy) - 7.0).abs() < 1e-4,
        "{} {}",
        mass(slow),
        mass(heavy)
    );
    ticks(&mut app, 300);
    let physics = app.world().resource::<Physics>();
    let sleeps = |entity| physics.dynamics.body(physics.key(entity).unwrap()).unwrap().is_asleep();
    assert!(sleeps(plain) && !sleeps(heavy));
}

#[test]
fn velocities_and_impulses_move_bodies() {
    let mut app = app();
    app.insert_resource(Gravity(Vec3::ZERO));
    let body = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at(0.0, 0.0, 0.0));
    let body = app.world_mut().spawn((body, LinearVelocity(Vec3::X), AngularVelocity(Vec3::Y))).id();
    ticks(&mut app, 64);
    assert!((place(&app, body) - Vec3::X).length() < 1e-4);
    let turned = app.world().get::<Transform>(body).unwrap().rotation.angle_between(Quat::from_rotation_y(1.0));
    assert!(turned < 1e-3, "{turned}");
    app.world_mut().get_mut::<LinearVelocity>(body).unwrap().0 = Vec3::Z;
    ticks(&mut app, 64);
    assert!((place(&app, body) - Vec3::new(1.0, 0.0, 1.0)).length() < 1e-4);
    let mut physics = app.world_mut().resource_mut::<Physics>();
    physics.body_mut(body).unwrap().apply_impulse(Vec3::NEG_Z, Vec3::new(1.0, 0.0, 1.0)).unwrap();
    ticks(&mut app, 10);
    assert!(app.world().get::<LinearVelocity>(body).unwrap().length() < 1e-4);
    // Teleported.
    app.world_mut().get_mut::<Transform>(body).unwrap().translation = Vec3::Y * 50.0;
    ticks(&mut app, 5);
    assert!((place(&app, body) - Vec3::Y * 50.0).length() < 1e-3);
}

#[test]
fn an_impulse_on_a_body_that_falls_is_kept() {
    let mut app = app();
    let body = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, 0.0, 0.0))).id();
    ticks(&mut app, 10);
    // Each tick has written its velocity, which is not an edit.
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let mut falling = physics.body_mut(body).unwrap();
    falling.set_velocity(Vec3::new(3.0, 0.0, 0.0), Vec3::ZERO).unwrap();
    ticks(&mut app, 1);
    let velocity = app.world().get::<LinearVelocity>(body).unwrap().0;
    assert!((velocity - Vec3::new(3.0, -9.81 * DT, 0.0)).length() < 1e-4, "{velocity}");
    // A velocity that is written is one, even beside an unwritten other one.
    app.world_mut().get_mut::<AngularVelocity>(body).unwrap().0 = Vec3::Y;
    ticks(&mut app, 1);
    assert_eq!(app.world().get::<AngularVelocity>(body).unwrap().0.y.round(), 1.0);
}

#[test]
fn an_impulse_is_kept_though_the_other_velocity_is_written() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), LinearVelocity(Vec3::Y))).id();
    ticks(&mut app, 3);
    let set = |app: &mut App, linear, angular| {
        app.world_mut().resource_mut::<Physics>().body_mut(body).unwrap().set_velocity(linear, angular).unwrap();
    };
    let velocities = |app: &App| {
        let [linear, angular] =
            [app.world().get::<LinearVelocity>(body).unwrap().0, app.world().get::<AngularVelocity>(body).unwrap().0];
        (linear, angular)
    };
    set(&mut app, Vec3::X, Vec3::ZERO);
    app.world_mut().get_mut::<AngularVelocity>(body).unwrap().0 = Vec3::ZERO;
    ticks(&mut app, 1);
    assert_eq!(velocities(&app), (Vec3::X, Vec3::ZERO));
    set(&mut app, Vec3::X, Vec3::Z);
    app.world_mut().get_mut::<LinearVelocity>(body).unwrap().0 = Vec3::Y;
    ticks(&mut app, 1);
    let (linear, angular) = velocities(&app);
    assert!(linear == Vec3::Y && (angular - Vec3::Z).length() < 1e-5, "{linear} {angular}");
}

#[test]
fn layers_decide_who_collides_and_who_is_found() {
    let mut app = app();
    floor(&mut app);
    let shelf =
        (Collider::cuboid(4.0, 0.2, 4.0), CollisionLayers::new(LayerMask(0b10), LayerMask(0b100)), at(0.0, 2.0, 0.0));
    let shelf = app.world_mut().spawn(shelf).id();
    let ball = |x, layers| {
        (RigidBody::Dynamic, Collider::sphere(0.3), at(x, 4.0, 0.0), CollisionLayers::from_bits(layers, u32::MAX))
    };
    let falls = app.world_mut().spawn(ball(-1.0, 0b1)).id();
    let stays = app.world_mut().spawn(ball(1.0, 0b100)).id();
    ticks(&mut app, 150);
    assert!((place(&app, falls).y - 0.3).abs() < 0.02 && (place(&app, stays).y - 2.4).abs() < 0.02);
    let mut down = |mask| {
        let filter = SpatialQueryFilter::from_mask(mask);
        ask(&mut app, |query| query.cast_ray(Vec3::Y * 9.0, Dir3::NEG_Y, 100.0, true, &filter)).map(|hit| hit.entity)
    };
    assert_eq!(down(LayerMask(0b10)), Some(shelf));
    assert_eq!(down(LayerMask(0b1000)), None);
    app.world_mut().entity_mut(shelf).insert(CollisionLayers::from_bits(0b10, u32::MAX));
    app.world_mut().entity_mut(falls).insert(at(-1.0, 4.0, 0.0));
    ticks(&mut app, 150);
    assert!((place(&app, falls).y - 2.4).abs() < 0.02, "{}", place(&app, falls));
}

#[test]
fn the_layers_of_a_body_are_those_of_its_child_colliders() {
    // Whether a body, its own collider and its first child have layers that the floor does not meet.
    let falls_through = |body: RigidBody, on_body: bool, has_own: bool, on_first: bool| {
        let mut app = app();
        let other = CollisionLayers::from_bits(0b10, 0b10);
        let is_fixed = body == RigidBody::Static;
        // What is fixed is met by a ball instead of meeting a floor.
        let met = match is_fixed {
            true => app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.3), at(-1.0, 1.0, 0.0))).id(),
            false => floor(&mut app),
        };
        let parent = app.world_mut().spawn((body, at(0.0, if is_fixed { 0.0 } else { 1.0 }, 0.0))).id();
        let [first, _] =
            [-1.0, 1.0].map(|x| app.world_mut().spawn((Collider::sphere(0.5), at(x, 0.0, 0.0), ChildOf(parent))).id());
        if has_own {
            app.world_mut().entity_mut(parent).insert(Collider::sphere(0.2));
        }
        if on_first {
            app.world_mut().entity_mut(first).insert(other);
        }
        // Also on a body that is there already.
        ticks(&mut app, 1);
        if on_body {
            app.world_mut().entity_mut(parent).insert(other);
        }
        ticks(&mut app, 90);
        place(&app, if is_fixed { met } else { parent }).y < -1.0
    };
    use RigidBody::{Dynamic, Static};
    for has_own in [false, true] {
        assert!(falls_through(Dynamic, true, has_own, false) && !falls_through(Dynamic, false, has_own, false));
    }
    // Those of the first child count if the body has neither layers nor a collider.
    assert!(falls_through(Dynamic, false, false, true) && !falls_through(Dynamic, false, true, true));
    assert!(falls_through(Static, true, false, false) && !falls_through(Static, true, true, false));
    assert!(falls_through(Static, false, false, true) && falls_through(Static, false, true, true));
}

#[test]
fn a_disabled_collider_is_met_by_nobody() {
    let mut app = app();
    floor(&mut app);
    let shelf = app.world_mut().spawn((Collider::cuboid(4.0, 0.2, 4.0), ColliderDisabled, at(0.0, 2.0, 0.0))).id();
    let ball = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.3), at(0.0, 4.0, 0.0))).id();
    ticks(&mut app, 150);
    assert!((place(&app, ball).y - 0.3).abs() < 0.02);
    app.world_mut().entity_mut(shelf).remove::<ColliderDisabled>();
    app.world_mut().entity_mut(ball).insert(at(0.0, 4.0, 0.0));
    ticks(&mut app, 150);
    assert!((place(&app, ball).y - 2.4).abs() < 0.02);
}

#[test]
fn scenery_follows_its_parents_and_its_scale() {
    let mut app = app();
    let parent = app.world_mut().spawn(Transform::from_xyz(10.0, 0.0, 0.0).with_scale(Vec3::splat(2.0))).id();
    let child = app.world_mut().spawn((Collider::cuboid(1.0, 1.0, 1.0), at(1.0, 0.0, 0.0), ChildOf(parent))).id();
    ticks(&mut app, 1);
    let hit = |app: &mut App| {
        let hit = ask(app, |query| query.cast_ray(Vec3::ZERO, Dir3::X, 100.0, true, &all()));
        hit.map(|hit| (hit.entity, hit.distance))
    };
    assert_eq!(hit(&mut app), Some((child, 11.0)));
    app.world_mut().get_mut::<Transform>(parent).unwrap().translation.x = 20.0;
    ticks(&mut app, 1);
    assert_eq!(hit(&mut app), Some((child, 21.0)));
    app.world_mut().get_mut::<Transform>(parent).unwrap().scale = Vec3::new(4.0, 2.0, 2.0);
    ticks(&mut app, 1);
    assert_eq!(hit(&mut app), Some((child, 22.0)));
    app.world_mut().entity_mut(child).remove::<ChildOf>();
    ticks(&mut app, 1);
    assert_eq!(hit(&mut app), Some((child, 0.5)));
    app.world_mut().entity_mut(child).insert(Collider::cuboid(0.5, 1.0, 1.0));
    ticks(&mut app, 1);
    assert_eq!(hit(&mut app), Some((child, 0.75)));
    app.world_mut().despawn(child);
    ticks(&mut app, 1);
    assert!(hit(&mut app).is_none() && app.world().resource::<Physics>().world.is_empty());
}

#[test]
fn child_colliders_are_parts_of_their_body() {
    let mut app = app();
    floor(&mut app);
    // A dumb-bell: two balls on a bar, which has no collider.
    let body = app.world_mut().spawn((RigidBody::Dynamic, at(0.0, 2.0, 0.0))).id();
    let bar = app.world_mut().spawn((Transform::default(), ChildOf(body))).id();
    let [left, right] =
        [-1.0, 1.0].map(|x| app.world_mut().spawn((Collider::sphere(0.5), at(x, 0.0, 0.0), ChildOf(bar))).id());
    ticks(&mut app, 1);
    let physics = app.world().resource::<Physics>();
    assert_eq!((physics.world.len(), physics.key(left), physics.key(right)), (2, physics.key(body), physics.key(body)));
    ticks(&mut app, 150);
    assert!((place(&app, body).y - 0.5).abs() < 0.02, "{}", place(&app, body));
    let above = |app: &mut App, x| {
        let hit = ask(app, |query| query.cast_ray(Vec3::new(x, 9.0, 0.0), Dir3::NEG_Y, 100.0, true, &all()));
        hit.map(|hit| hit.entity)
    };
    let floor = above(&mut app, 5.0);
    assert_eq!([above(&mut app, -1.0), above(&mut app, 1.0)], [Some(left), Some(right)]);
    let inside = ask(&mut app, |query| query.point_intersections(Vec3::new(1.0, 0.5, 0.0), &all()));
    assert_eq!(inside, [body]);
    // A part moves on its body, another goes, a third comes.
    app.world_mut().get_mut::<Transform>(right).unwrap().translation.x = 3.0;
    app.world_mut().despawn(left);
    let top = app.world_mut().spawn((Collider::cuboid(0.2, 0.2, 0.2), at(0.0, 0.4, 0.0), ChildOf(body))).id();
    ticks(&mut app, 1);
    assert_eq!([above(&mut app, -1.0), above(&mut app, 3.0), above(&mut app, 0.0)], [floor, Some(right), Some(top)]);
    // One that is off is no part; one without a parent is scenery.
    app.world_mut().entity_mut(top).insert(ColliderDisabled);
    app.world_mut().entity_mut(right).remove::<ChildOf>();
    ticks(&mut app, 1);
    assert_eq!(above(&mut app, 0.0), floor);
    assert_ne!(app.world().resource::<Physics>().key(right), app.world().resource::<Physics>().key(body));
    app.world_mut().despawn(body);
    ticks(&mut app, 1);
    assert_eq!(app.world().resource::<Physics>().world.len(), 2);
}

#[test]
fn a_body_below_a_parent_is_where_the_world_has_it() {
    let mut app = app();
    floor(&mut app);
    let parent =
        Transform::from_xyz(5.0, 1.0, 0.0).with_rotation(Quat::from_rotation_y(1.0)).with_scale(Vec3::splat(2.0));
    let parent = app.world_mut().spawn(parent).id();
    let ball =
        app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.25), at(0.0, 1.0, 0.0), ChildOf(parent))).id();
    // A body below a body moves by itself.
    let below =
        app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.25), at(3.0, 1.0, 0.0), ChildOf(ball))).id();
    ticks(&mut app, 150);
    let world_place = |entity| {
        let physics = app.world().resource::<Physics>();
        physics.world.object(physics.key(entity).unwrap()).unwrap().transform().1
    };
    assert!(
        (world_place(ball).y - 0.5).abs() < 0.01 && (world_place(below).y - 0.5).abs() < 0.01,
        "{}",
        world_place(ball)
    );
    for entity in [ball, below] {
        let shown = app.world().get::<bevy_transform::components::GlobalTransform>(entity).unwrap().translation();
        assert!((shown - world_place(entity)).length() < 1e-4, "{shown}");
    }
}

#[test]
fn a_moving_body_goes_along_to_another_parent() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let [near, far] = [0.0, 100.0].map(|x| app.world_mut().spawn(at(x, 0.0, 0.0)).id());
    let body = (RigidBody::Dynamic, Collider::sphere(0.5), LinearVelocity(Vec3::Y), ChildOf(near));
    let body = app.world_mut().spawn(body).id();
    ticks(&mut app, 5);
    app.world_mut().entity_mut(body).insert(ChildOf(far));
    ticks(&mut app, 1);
    let physics = app.world().resource::<Physics>();
    let (_, place) = physics.world.object(physics.key(body).unwrap()).unwrap().transform();
    assert!((place - Vec3::new(100.0, 6.0 * DT, 0.0)).length() < 1e-3, "{place}");
}

#[test]
fn a_parent_that_moves_nothing_is_no_edit() {
    let mut app = app();
    floor(&mut app);
    let parent = app.world_mut().spawn(Transform::default()).id();
    let lift = (RigidBody::Kinematic, Collider::sphere(0.5), LinearVelocity(Vec3::X), at(0.0, 5.0, 0.0));
    let lift = app.world_mut().spawn(lift).id();
    let rests = app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at(9.0, 0.5, 0.0))).id();
    let sleeps = |app: &App| {
        let physics = app.world().resource::<Physics>();
        physics.dynamics.body(physics.key(rests).unwrap()).unwrap().is_asleep()
    };
    ticks(&mut app, 128);
    assert!(sleeps(&app));
    app.world_mut().entity_mut(parent).add_children(&[lift, rests]);
    ticks(&mut app, 1);
    assert_eq!(place(&app, lift).x, 129.0 * DT);
    assert!(sleeps(&app));
    app.world_mut().entity_mut(parent).detach_children(&[lift, rests]);
    ticks(&mut app, 1);
    assert_eq!(place(&app, lift).x, 130.0 * DT);
    assert!(sleeps(&app));
}

#[test]
fn interpolation_shows_poses_between_ticks_and_keeps_the_steps() {
    let run = |is_shown: bool| {
        let mut app = app();
        app.insert_resource(Gravity(Vec3::ZERO));
        app.insert_resource(bevy_time::TimeUpdateStrategy::ManualDuration(std::time::Duration::from_secs_f32(
            DT * 0.25,
        )));
        let ball = (RigidBody::Dynamic, Collider::sphere(0.5), LinearVelocity(Vec3::X));
        let ball = app.world_mut().spawn(ball).id();
        if is_shown {
            app.world_mut().entity_mut(ball).insert(TransformInterpolation);
        }
        let places: Vec<f32> = (0..42)
            .map(|_| {
                app.update();
                place(&app, ball).x
            })
            .collect();
        let fraction = app.world().resource::<Time<Fixed>>().overstep_fraction();
        (places, app.world().resource::<Physics>().hash(), fraction)
    };
    let (jumps, hash, _) = run(false);
    let (smooth, same, fraction) = run(true);
    assert_eq!(hash, same);
    let steps: Vec<f32> = smooth[9..].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.iter().all(|step| (step - 0.25 * DT).abs() < 1e-5), "{steps:?}");
    assert!(jumps[9..].windows(2).any(|pair| pair[0] == pair[1]));
    // A tick late, and by the fraction of the next.
    assert!((smooth[41] - (jumps[41] - DT * (1.0 - fraction))).abs() < 1e-5);
}

#[test]
fn two_runs_have_the_same_bits_and_a_clone_rolls_back() {
    let build = || {
        let mut app = app();
        floor(&mut app);
        for number in 0..30 {
            let place = Vec3::new((number % 3) as f32 * 0.9, 1.0 + number as f32 * 0.7, (number % 2) as f32 * 0.3);
            let collider = match number % 3 {
                0 => Collider::cuboid(0.8, 0.6, 0.9),
                1 => Collider::sphere(0.4),
                _ => Collider::capsule(0.3, 0.5),
            };
            app.world_mut().spawn((RigidBody::Dynamic, collider, Transform::from_translation(place)));
        }
        let hero =
            (CharacterController::default(), Collider::capsule(0.3, 1.0), LinearVelocity(Vec3::X), at(-3.0, 0.81, 0.0));
        app.world_mut().spawn(hero);
        app
    };
    let hash = |app: &App| app.world().resource::<Physics>().hash();
    let places = |app: &mut App| -> Vec<(Transform, LinearVelocity)> {
        app.world_mut().query::<(&Transform, &LinearVelocity)>().iter(app.world()).map(|(t, v)| (*t, *v)).collect()
    };
    let (mut first, mut second) = (build(), build());
    ticks(&mut first, 60);
    ticks(&mut second, 60);
    assert_eq!(hash(&first), hash(&second));
    let saved = first.world().resource::<Physics>().clone();
    let shown = places(&mut first);
    ticks(&mut first, 60);
    let (end, end_shown) = (hash(&first), places(&mut first));
    assert_ne!(end_shown, shown);
    // What is thrown in is gone again once its entity is.
    let extra = first.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, 2.0, 0.0))).id();
    ticks(&mut first, 20);
    first.world_mut().despawn(extra);
    for _ in 0..2 {
        first.insert_resource(saved.clone());
        ticks(&mut first, 60);
        assert_eq!(hash(&first), end);
        assert_eq!(places(&mut first), end_shown);
    }
    ticks(&mut second, 60);
    assert_eq!(hash(&second), end);
}

#[test]
fn what_is_below_a_parent_rolls_back_to_where_that_is() {
    let hash = |app: &App| app.world().resource::<Physics>().hash();
    // Also before it has moved for the first time.
    for before in [1, 10] {
        let mut app = app();
        app.insert_resource(Gravity::ZERO);
        let body = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), LinearVelocity(Vec3::X))).id();
        app.world_mut().spawn((Sensor, Collider::sphere(2.0), at(0.0, 1.0, 0.0), ChildOf(body)));
        ticks(&mut app, before);
        let saved = app.world().resource::<Physics>().clone();
        ticks(&mut app, 1);
        let next = hash(&app);
        ticks(&mut app, 4);
        let end = hash(&app);
        // The second time by one tick only.
        for count in [5, 1, 5] {
            app.insert_resource(saved.clone());
            ticks(&mut app, 1);
            assert_eq!(hash(&app), next);
            ticks(&mut app, count - 1);
            assert!(count == 1 || hash(&app) == end);
        }
    }
    // What the world does not move is where its entities are.
    let mut app = app();
    let parent = app.world_mut().spawn(Transform::default()).id();
    app.world_mut().spawn((Collider::sphere(0.5), ChildOf(parent)));
    ticks(&mut app, 2);
    let saved = app.world().resource::<Physics>().clone();
    app.world_mut().get_mut::<Transform>(parent).unwrap().translation.x = 3.0;
    ticks(&mut app, 2);
    let moved = hash(&app);
    app.insert_resource(saved);
    ticks(&mut app, 1);
    assert_eq!(hash(&app), moved);
}
