//! A backend for Bevy's picking.

use crate::{SpatialQuery, SpatialQueryFilter};
use bevy_app::{App, Plugin, PreUpdate};
use bevy_camera::Camera;
use bevy_ecs::prelude::*;
use bevy_picking::{
    Pickable, PickingSystems,
    backend::{HitData, PointerHits, ray::RayMap},
};

/// Lets pointers pick colliders. Their hits have the point, the normal, and as extra data a [`PickedPart`].
///
/// As with Bevy's other backends, what is behind a collider is picked if its [`Pickable`] does not block it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsPickingPlugin;

/// Which part of a collider was picked: `hit.extra_as::<PickedPart>()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedPart {
    /// The triangle of a mesh or a terrain, or the child of a compound.
    pub part: u32,
    /// The number of that part, such as its material.
    pub surface: u16,
}

impl Plugin for PhysicsPickingPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PreUpdate, pick.in_set(PickingSystems::Backend));
    }
}

fn pick(
    rays: Res<RayMap>,
    query: SpatialQuery,
    cameras: Query<&Camera>,
    pickables: Query<&Pickable>,
    mut picked: MessageWriter<PointerHits>,
) {
    let filter = SpatialQueryFilter::default();
    for (id, ray) in rays.iter() {
        let Ok(camera) = cameras.get(id.camera) else { continue };
        let mut picks = Vec::new();
        query.ray_hits_callback(ray.origin, ray.direction, f32::MAX, true, &filter, |hit| {
            let pickable = pickables.get(hit.entity).copied().unwrap_or_default();
            if pickable.is_hoverable {
                let part = PickedPart { part: hit.part, surface: hit.surface };
                let point = ray.get_point(hit.distance);
                let data = HitData::new_with_extra(id.camera, hit.distance, Some(point), Some(hit.normal), part);
                picks.push((hit.entity, data));
            }
            !pickable.should_block_lower
        });
        if !picks.is_empty() {
            picked.write(PointerHits::new(id.pointer, picks, camera.order as f32));
        }
    }
}
