//! Poses between fixed ticks.

use crate::PhysicsSystems;
use bevy_app::{App, FixedPostUpdate, RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy_ecs::{lifecycle::HookContext, prelude::*, world::DeferredWorld};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;

/// Shows an entity between its poses of the last two fixed ticks, so that it moves smoothly at any frame rate, by up to a
/// tick late.
///
/// Outside of the fixed main loop, the [`Transform`] is the one that is shown; inside, it is that of the tick. What a
/// game writes to it between two ticks is where the entity is from then on.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[component(on_remove = forget)]
#[require(Transform, Poses)]
pub struct TransformInterpolation;

fn forget(mut world: DeferredWorld, context: HookContext) {
    world.commands().entity(context.entity).try_remove::<Poses>();
}

/// The poses of the last two ticks, and what is shown; none before the first tick.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Poses(Option<State>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    start: Transform,
    end: Transform,
    shown: Transform,
}

pub(crate) fn build(app: &mut App) {
    app.add_systems(RunFixedMainLoop, rewind.in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop))
        .add_systems(RunFixedMainLoop, show.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop))
        .add_systems(FixedPostUpdate, begin.before(PhysicsSystems::Prepare))
        .add_systems(FixedPostUpdate, end.after(PhysicsSystems::Writeback));
}

/// Puts entities where the last tick has left them.
fn rewind(mut entities: Query<(&mut Transform, &mut Poses)>) {
    for (mut transform, mut poses) in &mut entities {
        let Some(state) = poses.0 else { continue };
        if *transform == state.shown {
            transform.set_if_neq(state.end);
        } else {
            poses.0 = None;
        }
    }
}

fn begin(mut entities: Query<(&Transform, &mut Poses)>) {
    for (transform, mut poses) in &mut entities {
        let state = State { start: *transform, end: *transform, shown: *transform };
        poses.set_if_neq(Poses(Some(state)));
    }
}

fn end(mut entities: Query<(&Transform, &mut Poses)>) {
    for (transform, mut poses) in &mut entities {
        let Some(state) = poses.0 else { continue };
        poses.set_if_neq(Poses(Some(State { end: *transform, ..state })));
    }
}

fn show(mut entities: Query<(&mut Transform, &mut Poses)>, time: Res<Time<Fixed>>) {
    let fraction = time.overstep_fraction();
    for (mut transform, mut poses) in &mut entities {
        let Some(state) = poses.0 else { continue };
        let State { start, end, .. } = state;
        let shown = Transform {
            translation: start.translation.lerp(end.translation, fraction),
            rotation: start.rotation.slerp(end.rotation, fraction),
            scale: end.scale,
        };
        let shown = if start == end { end } else { shown };
        transform.set_if_neq(shown);
        poses.set_if_neq(Poses(Some(State { shown, ..state })));
    }
}
