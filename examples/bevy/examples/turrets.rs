//! A hundred bodies fall in sight of two turrets, and a lift carries a ball, without a window: each update is a tick.

use bevy_app::{App, FixedUpdate, Startup, TaskPoolPlugin};
use bevy_cullide::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Quat, Vec3};
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::{TransformPlugin, components::Transform};
use std::time::Duration;

#[derive(Component)]
struct Turret;

#[derive(Component)]
struct Lift;

#[derive(Component)]
struct Passenger;

/// What has been counted so far.
#[derive(Resource, Default)]
struct Counts {
    touches: usize,
    touched: usize,
    hardest: f32,
    rays: usize,
    seen: usize,
}

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, CullidePlugins))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 60))
        .insert_resource(Time::<Fixed>::from_duration(Duration::from_secs(1) / 60))
        .init_resource::<Counts>()
        .add_observer(|_: On<CollisionStart>, mut counts: ResMut<Counts>| counts.touched += 1)
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, (drive, watch, listen));
    (0..600).for_each(|_| app.update());

    let mut bodies = app.world_mut().query::<(&Transform, &RigidBody)>();
    let lowest = bodies.iter(app.world()).map(|(place, _)| place.translation.y).fold(f32::INFINITY, f32::min);
    let Counts { touches, touched, hardest, rays, seen } = app.world().resource();
    println!("{touches} touches, the hardest of {hardest:.1} kg m/s; {seen} of {rays} rays see their body");
    assert!(lowest > -0.01 && *touches > 100 && touched >= touches && *hardest > 1.0 && (1..*rays).contains(seen));
    let [lift, ball] = [place::<Lift>(&mut app)?, place::<Passenger>(&mut app)?];
    assert!((ball.y - lift.y - 0.5).abs() < 0.02, "the ball is at {ball}, the lift at {lift}");

    let mut turrets = app.world_mut().query_filtered::<Entity, With<Turret>>();
    let (turrets, before): (Vec<_>, _) = (turrets.iter(app.world()).collect(), objects(&app));
    turrets.into_iter().for_each(|turret| _ = app.world_mut().despawn(turret));
    app.update();
    assert_eq!(objects(&app), before - 2);
    Ok(())
}

/// Where the only entity with a component is.
fn place<C: Component>(app: &mut App) -> Result<Vec3> {
    Ok(app.world_mut().query_filtered::<&Transform, With<C>>().single(app.world())?.translation)
}

fn objects(app: &App) -> usize {
    app.world().resource::<Physics>().world.len()
}

fn spawn(mut commands: Commands) -> Result {
    commands.spawn((Collider::cuboid(100.0, 1.0, 100.0), Transform::from_xyz(0.0, -0.5, 0.0)));
    let [along, across] = [Collider::cuboid(1.2, 0.2, 0.2), Collider::cuboid(0.2, 0.2, 1.2)];
    let cross = Collider::compound(vec![(Vec3::ZERO, Quat::IDENTITY, along), (Vec3::ZERO, Quat::IDENTITY, across)]);
    let corners = [Vec3::new(0.5, -0.3, 0.0), Vec3::new(-0.5, -0.3, 0.4), Vec3::new(-0.5, -0.3, -0.4), Vec3::Y * 0.6];
    let rock = Collider::convex_hull(corners.to_vec()).ok_or("a flat rock")?;
    let shapes = [Collider::sphere(0.4), Collider::cuboid(0.8, 0.8, 0.8), cross, rock];
    for i in 0..100_u8 {
        let [x, z] = [i % 10, i / 10].map(f32::from);
        let body = (RigidBody::Dynamic, shapes[usize::from(i % 4)].clone(), AngularDamping(1.0));
        let place = Transform::from_xyz(x * 1.5 - 7.0, 2.0 + z, z * 1.5 - 7.0);
        commands.spawn((body, place, CollisionEventsEnabled));
    }
    commands.spawn((RigidBody::Kinematic, Collider::cuboid(4.0, 0.2, 4.0), Transform::from_xyz(20.0, 0.1, 0.0), Lift));
    let ball = (RigidBody::Dynamic, Collider::sphere(0.4), AngularDamping(5.0), CollisionEventsEnabled);
    commands.spawn((ball, Transform::from_xyz(20.0, 0.65, 0.0), Passenger));
    for x in [-15.0, 15.0] {
        let post = Collider::capsule_endpoints(0.2, Vec3::ZERO, Vec3::Y * 2.0);
        commands.spawn((post, Transform::from_xyz(x, 0.0, 15.0), Turret));
    }
    Ok(())
}

fn drive(time: Res<Time>, mut lifts: Query<&mut Transform, With<Lift>>) {
    for mut lift in &mut lifts {
        lift.translation.y = 1.6 - 1.5 * time.elapsed_secs().cos();
    }
}

/// Each turret looks at each body.
fn watch(
    query: SpatialQuery,
    turrets: Query<(Entity, &Transform), With<Turret>>,
    bodies: Query<(Entity, &Transform), With<RigidBody>>,
    mut counts: ResMut<Counts>,
) {
    for (turret, place) in &turrets {
        let (eye, others) = (place.translation + Vec3::Y * 2.0, SpatialQueryFilter::from_excluded_entities([turret]));
        for (body, place) in &bodies {
            let Ok(way) = Dir3::new(place.translation - eye) else { continue };
            let hit = query.cast_ray(eye, way, 100.0, true, &others);
            counts.rays += 1;
            counts.seen += usize::from(hit.is_some_and(|hit| hit.entity == body));
        }
    }
}

fn listen(mut touches: MessageReader<CollisionStart>, physics: Res<Physics>, mut counts: ResMut<Counts>) {
    counts.touches += touches.read().count();
    counts.hardest = physics.dynamics.hits(0.0).map(|(_, impulse)| impulse).fold(counts.hardest, f32::max);
}
