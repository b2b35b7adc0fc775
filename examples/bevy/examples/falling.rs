//! A crate falls onto a floor, without a window; a ray looks where it is.

use bevy_app::{App, Startup, TaskPoolPlugin, Update};
use bevy_cullide::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Vec3};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::{TransformPlugin, components::Transform};
use std::time::Duration;

fn main() {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, CullidePlugins))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_micros(15_625)))
        .add_systems(Startup, spawn)
        .add_systems(Update, look);
    (0..=64).for_each(|_| app.update());
}

fn spawn(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::cuboid(20.0, 1.0, 20.0), Transform::from_xyz(0.0, -0.5, 0.0)));
    commands.spawn((
        Name::new("crate"),
        RigidBody::Dynamic,
        Collider::cuboid(1.0, 1.0, 1.0),
        Transform::from_xyz(0.0, 3.0, 0.0),
    ));
}

fn look(query: SpatialQuery, names: Query<(&Name, &Transform)>, mut frame: Local<u32>) {
    *frame += 1;
    if !frame.is_multiple_of(8) {
        return;
    }
    let hit = query.cast_ray(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, true, &SpatialQueryFilter::default());
    if let Some((name, transform)) = hit.and_then(|hit| names.get(hit.entity).ok()) {
        println!("frame {:2}: {name} at a height of {:.3}", *frame, transform.translation.y);
    }
}
