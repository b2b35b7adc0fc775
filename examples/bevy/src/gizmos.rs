//! The collision world as lines.

use crate::{Physics, RayCaster, RayHits, ShapeCaster, ShapeHits};
use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::{config::DefaultGizmoConfigGroup, gizmos::Gizmos};
use bevy_math::{Dir3, Vec3};
use bevy_transform::{TransformSystems, components::GlobalTransform};
use cullide_world::{DrawOptions, Filter, Line, LineKind};

/// Draws colliders, half-spaces, velocities, contacts and casters with Bevy's gizmos, in each frame: see [`PhysicsGizmos`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsDebugPlugin;

/// What is drawn.
#[derive(Resource, Clone, Debug, PartialEq)]
pub struct PhysicsGizmos {
    /// Whether anything is.
    pub enabled: bool,
    /// Which lines of the world: of a large level, those near the camera.
    pub options: DrawOptions,
    /// Whether casters are drawn, as far as the last thing that they met, with the normals there of this length.
    pub casters: Option<f32>,
}

impl Default for PhysicsGizmos {
    fn default() -> Self {
        Self { enabled: true, options: DrawOptions::default(), casters: Some(0.25) }
    }
}

impl Plugin for PhysicsDebugPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PhysicsGizmos>().add_systems(PostUpdate, draw.after(TransformSystems::Propagate));
    }
}

/// A caster that met nothing is drawn no longer than this, in units.
const LONGEST: f32 = 1000.0;

fn draw(
    physics: Res<Physics>,
    settings: Res<PhysicsGizmos>,
    rays: Query<(&RayCaster, &RayHits, &GlobalTransform)>,
    shapes: Query<(&ShapeCaster, &ShapeHits, &GlobalTransform)>,
    mut gizmos: Gizmos<DefaultGizmoConfigGroup>,
) {
    let PhysicsGizmos { enabled: true, options, casters } = &*settings else { return };
    let mut line = |line: Line| gizmos.line(line.start, line.end, color(line.kind));
    physics.world.debug_draw(options, &Filter::ALL, &mut line);
    physics.dynamics.debug_draw(&physics.world, options, &Filter::ALL, &mut line);
    let Some(length) = *casters else { return };
    let mut cast = |place: &GlobalTransform, origin: Vec3, direction: Dir3, max_distance: f32, hits: &[(f32, Vec3)]| {
        let (start, way) = (place.transform_point(origin), place.rotation() * *direction);
        let far = hits.last().map_or(max_distance.min(LONGEST), |hit| hit.0);
        gizmos.line(start, start + way * far, CASTER);
        for (distance, normal) in hits {
            gizmos.line(start + way * *distance, start + way * *distance + *normal * length, HIT);
        }
    };
    for (caster, hits, place) in rays.iter().filter(|(caster, ..)| caster.enabled) {
        let hits: Vec<_> = hits.iter().map(|hit| (hit.distance, hit.normal)).collect();
        cast(place, caster.origin, caster.direction, caster.max_distance, &hits);
    }
    for (caster, hits, place) in shapes.iter().filter(|(caster, ..)| caster.enabled) {
        let hits: Vec<_> = hits.iter().map(|hit| (hit.distance, hit.normal1)).collect();
        cast(place, caster.origin, caster.direction, caster.max_distance, &hits);
    }
}

const CASTER: Color = Color::srgb(0.9, 0.9, 0.3);
const HIT: Color = Color::srgb(1.0, 0.3, 0.9);

fn color(kind: LineKind) -> Color {
    match kind {
        LineKind::Fixed => Color::srgb(0.3, 0.4, 0.55),
        LineKind::Moving => Color::srgb(0.95, 0.65, 0.25),
        LineKind::Plane => Color::srgb(0.4, 0.4, 0.4),
        LineKind::Contact | LineKind::Normal => Color::srgb(1.0, 0.2, 0.3),
        LineKind::Velocity => Color::srgb(0.3, 0.8, 0.3),
        _ => Color::srgb(0.6, 0.6, 0.6),
    }
}
