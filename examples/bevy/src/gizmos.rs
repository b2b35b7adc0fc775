//! The collision world as lines.

use crate::Physics;
use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::{config::DefaultGizmoConfigGroup, gizmos::Gizmos};
use cullide_world::{DrawOptions, Filter, LineKind};

/// Draws colliders, half-spaces and velocities with Bevy's gizmos, in each frame: see [`PhysicsGizmos`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsDebugPlugin;

/// What is drawn.
#[derive(Resource, Clone, Debug, PartialEq)]
pub struct PhysicsGizmos {
    /// Whether anything is.
    pub enabled: bool,
    /// Which lines: of a large level, those near the camera.
    pub options: DrawOptions,
}

impl Default for PhysicsGizmos {
    fn default() -> Self {
        Self { enabled: true, options: DrawOptions::default() }
    }
}

impl Plugin for PhysicsDebugPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PhysicsGizmos>().add_systems(PostUpdate, draw);
    }
}

fn draw(physics: Res<Physics>, settings: Res<PhysicsGizmos>, mut gizmos: Gizmos<DefaultGizmoConfigGroup>) {
    if !settings.enabled {
        return;
    }
    physics
        .world
        .debug_draw(&settings.options, &Filter::ALL, |line| gizmos.line(line.start, line.end, color(line.kind)));
}

fn color(kind: LineKind) -> Color {
    match kind {
        LineKind::Fixed => Color::srgb(0.4, 0.6, 0.8),
        LineKind::Moving => Color::srgb(0.9, 0.6, 0.2),
        LineKind::Plane => Color::srgb(0.4, 0.4, 0.4),
        LineKind::Contact | LineKind::Normal => Color::srgb(0.9, 0.2, 0.2),
        LineKind::Velocity => Color::srgb(0.3, 0.8, 0.3),
        _ => Color::srgb(0.6, 0.6, 0.6),
    }
}
