//! An app without a window, in which each update is one fixed tick.

#![allow(dead_code, unreachable_pub, reason = "each test target uses some of it")]

use bevy_app::{App, TaskPoolPlugin};
use bevy_cullide::prelude::*;
use bevy_ecs::{prelude::*, system::SystemState};
use bevy_math::Vec3;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::{TransformPlugin, components::Transform};
use std::time::Duration;

/// The length of a tick, by Bevy's preset.
pub const DT: f32 = 1.0 / 64.0;

pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, CullidePlugins));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_micros(15625)));
    // No time has passed in the first update.
    app.update();
    app
}

pub fn ticks(app: &mut App, count: usize) {
    (0..count).for_each(|_| app.update());
}

pub fn floor(app: &mut App) -> Entity {
    app.world_mut().spawn((Collider::cuboid(40.0, 1.0, 40.0), at(0.0, -0.5, 0.0))).id()
}

pub fn at(x: f32, y: f32, z: f32) -> Transform {
    Transform::from_xyz(x, y, z)
}

pub fn all() -> SpatialQueryFilter {
    SpatialQueryFilter::default()
}

pub fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).unwrap().translation
}

pub fn ask<R>(app: &mut App, ask: impl FnOnce(SpatialQuery) -> R) -> R {
    let mut state = SystemState::<SpatialQuery>::new(app.world_mut());
    ask(state.get(app.world()).unwrap())
}
