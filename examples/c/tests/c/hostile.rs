//! Wrong arguments: each is refused with a code and a message, and nothing else happens.

use crate::scene::{Scene, at, done, handle, insert, last_error, list, out, vec3};
use cullide::*;
use std::{
    mem::MaybeUninit,
    ptr::{null, null_mut},
};

/// Counts the calls that were refused with NULL_POINTER.
macro_rules! null_pointers {
    ($($call:expr;)*) => {
        // SAFETY: the point is that pointers are NULL; the others are those of live values.
        [$((stringify!($call), unsafe { $call })),*]
    };
}

#[test]
#[allow(unused_unsafe, reason = "some of the functions take no array and are safe")]
fn null_pointers_are_refused_by_every_function() {
    let Scene { mut world, mut dynamics, shape, key, .. } = Scene::new();
    let mut hero = handle(|hero| cullide_character_new(Some(&shape), at(0.0, 3.0, 0.0), hero));
    let snapshot = handle(|snapshot| cullide_world_save(Some(&world), snapshot));
    let mut triggers = handle(|triggers| cullide_triggers_new(triggers));
    let (w, d, s, h, t) = (&mut *world, &mut *dynamics, &*shape, &mut *hero, &mut *triggers);
    let (v, p) = (vec3(1.0, 1.0, 1.0), at(0.0, 0.0, 0.0));
    let (ray, segment) = (CullideRay { origin: v, direction: v }, CullideSegment::default());
    let motion = CullideMotion { shape: s, pose: p, motion: v };
    let (mover, config, body) = (cullide_mover(), cullide_dynamics_config(), cullide_rigid_body());
    let mut keys = [0; 4];
    let k = keys.as_mut_ptr();
    let plane = CullidePlane { normal: v, d: 0.0 };
    let octant =
        [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)].map(|normal| CullidePlane { normal, d: 0.0 });
    let object = cullide_object(null());
    let mut walk = MaybeUninit::uninit();
    let mut count = MaybeUninit::uninit();
    let mut total = MaybeUninit::uninit();
    let mut float = MaybeUninit::uninit();
    let mut byte = MaybeUninit::uninit();
    let mut shape_out = MaybeUninit::uninit();
    let no_shape = CullidePlacedShape { shape: null(), pose: p };
    let calls = null_pointers! {
        cullide_abi_check(CULLIDE_ABI_VERSION, null(), SIZES.len());
        cullide_world_new(1, None);
        cullide_world_clone(None, None);
        cullide_world_clone(Some(w), None);
        cullide_world_hash(None, Some(&mut MaybeUninit::uninit()));
        cullide_world_hash(Some(w), None);
        cullide_world_optimize(None);
        cullide_world_clear(None);
        cullide_world_keys(None, k, 4, Some(&mut count));
        cullide_world_keys(Some(w), null_mut(), 4, Some(&mut count));
        cullide_world_keys(Some(w), k, 4, None);
        cullide_insert(None, &object, 1, k);
        cullide_insert(Some(w), null(), 1, k);
        cullide_insert(Some(w), &object, 1, k);
        cullide_insert(Some(w), &cullide_object(s), 1, null_mut());
        cullide_remove(None, key);
        cullide_set_poses(None, k, &p, 1);
        cullide_set_poses(Some(w), null(), &p, 1);
        cullide_set_poses(Some(w), k, null(), 1);
        cullide_poses(None, k, &mut CullidePose::default(), 1);
        cullide_poses(Some(w), null(), &mut CullidePose::default(), 1);
        cullide_poses(Some(w), k, null_mut(), 1);
        cullide_set_shape(None, key, Some(s));
        cullide_set_shape(Some(w), key, None);
        cullide_set_layers(None, key, 1);
        cullide_set_pairs_with(None, key, 1);
        cullide_set_mobility(None, key, 1);
        cullide_set_enabled(None, key, 1);
        cullide_set_user(None, key, 1);
        cullide_set_velocity(None, key, v);
        cullide_get(None, key, Some(&mut MaybeUninit::uninit()));
        cullide_get(Some(w), key, None);
        cullide_aabb(None, key, Some(&mut MaybeUninit::uninit()));
        cullide_aabb(Some(w), key, None);
        cullide_insert_plane(None, plane, 0, 1, Some(&mut MaybeUninit::uninit()));
        cullide_insert_plane(Some(w), plane, 0, 1, None);
        cullide_set_plane(None, key, plane);
        cullide_shape_box(v, None);
        cullide_shape_ball(1.0, None);
        cullide_shape_capsule(1.0, 1.0, None);
        cullide_shape_cylinder(1.0, 1.0, 1.0, None);
        cullide_shape_hull(&v, 1, None);
        cullide_shape_hull(null(), 4, Some(&mut shape_out));
        cullide_shape_brush(&plane, 1, None);
        cullide_shape_brush(null(), 4, Some(&mut shape_out));
        cullide_shape_mesh(&v, 1, &0, 0, 0, null(), None);
        cullide_shape_mesh(null(), 3, &0, 0, 0, null(), Some(&mut shape_out));
        cullide_shape_mesh(&v, 1, null(), 1, 0, null(), Some(&mut shape_out));
        cullide_shape_compound(&no_shape, 1, null(), None);
        cullide_shape_compound(null(), 1, null(), Some(&mut shape_out));
        cullide_shape_compound(&no_shape, 1, null(), Some(&mut shape_out));
        cullide_shape_scaled(None, v, Some(&mut shape_out));
        cullide_shape_scaled(Some(s), v, None);
        cullide_shape_terrain(2, 2, null(), 0.0, 0.0, 1.0, 1.0, 0, Some(&mut shape_out));
        cullide_shape_terrain(2, 2, &0.0, 0.0, 0.0, 1.0, 1.0, 0, None);
        cullide_terrain_edit(None, key, 0, 0, 1, 1, &0.0);
        cullide_terrain_dig(None, key, 0, 0, 1, 1);
        cullide_terrain_fill(None, key, 0, 0, 1, 1);
        cullide_terrain_set_surface(None, key, 0, 0, 1, 1, 7);
        cullide_cast_ray(None, ray, 1.0, None, Some(&mut MaybeUninit::uninit()));
        cullide_cast_ray(Some(w), ray, 1.0, None, None);
        cullide_cast_rays(None, &ray, 1, 1.0, None, &mut CullideRayHit::default());
        cullide_cast_rays(Some(w), null(), 1, 1.0, None, &mut CullideRayHit::default());
        cullide_cast_rays(Some(w), &ray, 1, 1.0, None, null_mut());
        cullide_any_ray_hit(None, ray, 1.0, None, Some(&mut byte));
        cullide_any_ray_hit(Some(w), ray, 1.0, None, None);
        cullide_cast_ray_all(None, ray, 1.0, None, null_mut(), 0, Some(&mut total));
        cullide_cast_ray_all(Some(w), ray, 1.0, None, null_mut(), 1, Some(&mut total));
        cullide_cast_ray_all(Some(w), ray, 1.0, None, null_mut(), 0, None);
        cullide_cast_segment(None, segment, None, Some(&mut MaybeUninit::uninit()));
        cullide_cast_segment(Some(w), segment, None, None);
        cullide_any_segment_hits(None, &segment, 1, None, &mut 0);
        cullide_any_segment_hits(Some(w), null(), 1, None, &mut 0);
        cullide_any_segment_hits(Some(w), &segment, 1, None, null_mut());
        cullide_overlap(None, Some(s), p, None, k, 4, Some(&mut total));
        cullide_overlap(Some(w), None, p, None, k, 4, Some(&mut total));
        cullide_overlap(Some(w), Some(s), p, None, null_mut(), 4, Some(&mut total));
        cullide_overlap(Some(w), Some(s), p, None, k, 4, None);
        cullide_any_overlap(None, Some(s), p, None, Some(&mut byte));
        cullide_any_overlap(Some(w), None, p, None, Some(&mut byte));
        cullide_any_overlap(Some(w), Some(s), p, None, None);
        cullide_overlap_batch(None, &no_shape, 1, None, &mut 0, k, 4, Some(&mut total));
        cullide_overlap_batch(Some(w), &no_shape, 1, None, &mut 0, k, 4, Some(&mut total));
        cullide_overlap_batch(Some(w), null(), 1, None, &mut 0, k, 4, Some(&mut total));
        cullide_overlap_batch(Some(w), null(), 0, None, null_mut(), k, 4, None);
        cullide_overlap_point(None, v, None, k, 4, Some(&mut total));
        cullide_overlap_point(Some(w), v, None, k, 4, None);
        cullide_nearest(None, v, 1.0, None, null_mut(), 0, Some(&mut total));
        cullide_nearest(Some(w), v, 1.0, None, null_mut(), 1, Some(&mut total));
        cullide_nearest(Some(w), v, 1.0, None, null_mut(), 0, None);
        cullide_nearest_to_shape(None, Some(s), p, 1.0, None, null_mut(), 0, Some(&mut total));
        cullide_nearest_to_shape(Some(w), None, p, 1.0, None, null_mut(), 0, Some(&mut total));
        cullide_nearest_to_shape(Some(w), Some(s), p, 1.0, None, null_mut(), 0, None);
        cullide_sweep(None, Some(&motion), None, Some(&mut MaybeUninit::uninit()));
        cullide_sweep(Some(w), None, None, Some(&mut MaybeUninit::uninit()));
        cullide_sweep(Some(w), Some(&motion), None, None);
        cullide_sweep(Some(w), Some(&CullideMotion { shape: null(), ..motion }), None, Some(&mut MaybeUninit::uninit()));
        cullide_sweep_turning(None, Some(&motion), v, 0.1, None, Some(&mut MaybeUninit::uninit()), Some(&mut MaybeUninit::uninit()));
        cullide_sweep_turning(Some(w), None, v, 0.1, None, Some(&mut MaybeUninit::uninit()), Some(&mut MaybeUninit::uninit()));
        cullide_sweep_turning(Some(w), Some(&motion), v, 0.1, None, None, Some(&mut MaybeUninit::uninit()));
        cullide_sweep_turning(Some(w), Some(&motion), v, 0.1, None, Some(&mut MaybeUninit::uninit()), None);
        cullide_sweep_batch(None, &motion, 1, None, &mut CullideSwept::default());
        cullide_sweep_batch(Some(w), null(), 1, None, &mut CullideSwept::default());
        cullide_sweep_batch(Some(w), &motion, 1, None, null_mut());
        cullide_sweep_all(None, Some(&motion), None, null_mut(), 0, Some(&mut total));
        cullide_sweep_all(Some(w), None, None, null_mut(), 0, Some(&mut total));
        cullide_sweep_all(Some(w), Some(&motion), None, null_mut(), 0, None);
        cullide_slide(None, Some(&motion), None, Some(&mut MaybeUninit::uninit()), null_mut(), 0, Some(&mut total));
        cullide_slide(Some(w), None, None, Some(&mut MaybeUninit::uninit()), null_mut(), 0, Some(&mut total));
        cullide_slide(Some(w), Some(&motion), None, None, null_mut(), 0, Some(&mut total));
        cullide_slide(Some(w), Some(&motion), None, Some(&mut MaybeUninit::uninit()), null_mut(), 0, None);
        cullide_depenetrate(None, Some(s), p, None, Some(&mut float), Some(&mut byte));
        cullide_depenetrate(Some(w), None, p, None, Some(&mut float), Some(&mut byte));
        cullide_depenetrate(Some(w), Some(s), p, None, None, Some(&mut byte));
        cullide_depenetrate(Some(w), Some(s), p, None, Some(&mut float), None);
        cullide_cull_matrix(None, [0.0; 16].as_ptr(), 0, None, k, 4, Some(&mut total));
        cullide_cull_matrix(Some(w), null(), 0, None, k, 4, Some(&mut total));
        cullide_cull_planes(None, &plane, 1, None, k, 4, Some(&mut total));
        cullide_cull_planes(Some(w), null(), 1, None, k, 4, Some(&mut total));
        cullide_cull_planes(Some(w), octant.as_ptr(), 3, None, k, 4, None);
        cullide_update_pairs(None, 1.0);
        cullide_pairs(None, 0, null_mut(), 0, Some(&mut total));
        cullide_pairs(Some(w), 0, null_mut(), 0, None);
        cullide_triggers_new(None);
        cullide_triggers_watch(None, Some(w), key, 1);
        cullide_triggers_watch(Some(t), None, key, 1);
        cullide_triggers_update(None, Some(w), None);
        cullide_triggers_update(Some(t), None, None);
        cullide_triggers_events(None, 0, null_mut(), 0, Some(&mut total));
        cullide_triggers_events(Some(t), 0, null_mut(), 0, None);
        cullide_triggers_inside(None, Some(w), key, k, 4, Some(&mut total));
        cullide_triggers_inside(Some(t), None, key, k, 4, Some(&mut total));
        cullide_triggers_inside(Some(t), Some(w), key, k, 4, None);
        cullide_character_new(None, p, Some(&mut MaybeUninit::uninit()));
        cullide_character_new(Some(s), p, None);
        cullide_character_state(None, Some(&mut MaybeUninit::uninit()));
        cullide_character_state(Some(h), None);
        cullide_character_set_velocity(None, v);
        cullide_character_set_position(None, v);
        cullide_character_set_object(None, Some(w), key);
        cullide_character_set_object(Some(h), None, key);
        cullide_character_walk(None, Some(w), None, Some(&mover), 1.0, None, Some(&mut walk));
        cullide_character_walk(Some(h), None, None, Some(&mover), 1.0, None, Some(&mut walk));
        cullide_character_walk(Some(h), Some(w), None, None, 1.0, None, Some(&mut walk));
        cullide_character_walk(Some(h), Some(w), None, Some(&mover), 1.0, None, None);
        cullide_character_set_height(None, Some(w), Some(&mover), 1.0, None, Some(&mut byte));
        cullide_character_set_height(Some(h), None, Some(&mover), 1.0, None, Some(&mut byte));
        cullide_character_set_height(Some(h), Some(w), None, 1.0, None, Some(&mut byte));
        cullide_character_set_height(Some(h), Some(w), Some(&mover), 1.0, None, None);
        cullide_character_contacts(None, null_mut(), 0, Some(&mut total));
        cullide_character_contacts(Some(h), null_mut(), 0, None);
        cullide_character_pushes(None, null_mut(), 0, Some(&mut total));
        cullide_character_pushes(Some(h), null_mut(), 0, None);
        cullide_dynamics_new(None);
        cullide_dynamics_clone(None, Some(&mut MaybeUninit::uninit()));
        cullide_dynamics_clone(Some(d), None);
        cullide_dynamics_hash(None, Some(w), Some(&mut MaybeUninit::uninit()));
        cullide_dynamics_hash(Some(d), None, Some(&mut MaybeUninit::uninit()));
        cullide_dynamics_hash(Some(d), Some(w), None);
        cullide_body_insert(None, Some(w), key, Some(&body));
        cullide_body_insert(Some(d), None, key, Some(&body));
        cullide_body_insert(Some(d), Some(w), key, None);
        cullide_body_remove(None, Some(w), key);
        cullide_body_remove(Some(d), None, key);
        cullide_body_state(None, Some(w), key, Some(&mut MaybeUninit::uninit()));
        cullide_body_state(Some(d), None, key, Some(&mut MaybeUninit::uninit()));
        cullide_body_set_velocity(None, Some(w), key, v, v);
        cullide_body_set_velocity(Some(d), None, key, v, v);
        cullide_body_move_to(None, Some(w), key, p, 1.0);
        cullide_body_apply_impulse(None, Some(w), key, v, v);
        cullide_body_apply_angular_impulse(None, Some(w), key, v);
        cullide_body_apply_force(None, Some(w), key, v, v);
        cullide_body_apply_force_at(None, Some(w), key, v, v);
        cullide_body_wake(None, Some(w), key);
        cullide_set_material(None, Some(w), key, Some(&body.material));
        cullide_set_material(Some(d), Some(w), key, None);
        cullide_ignore_pair(None, Some(w), key, key, 1);
        cullide_ignore_pair(Some(d), None, key, key, 1);
        cullide_step(None, Some(w), 1.0, Some(&config), None);
        cullide_step(Some(d), None, 1.0, Some(&config), None);
        cullide_step(Some(d), Some(w), 1.0, None, None);
        cullide_moved(None, Some(w), null_mut(), 0, Some(&mut total));
        cullide_moved(Some(d), None, null_mut(), 0, Some(&mut total));
        cullide_moved(Some(d), Some(w), null_mut(), 0, None);
        cullide_contact_pairs(None, 0, null_mut(), 0, Some(&mut total));
        cullide_contact_pairs(Some(d), 0, null_mut(), 0, None);
        cullide_impacts(None, 0.0, null_mut(), 0, Some(&mut total));
        cullide_impacts(Some(d), 0.0, null_mut(), 0, None);
        cullide_contact_points(None, Some(w), null_mut(), 0, Some(&mut total));
        cullide_contact_points(Some(d), None, null_mut(), 0, Some(&mut total));
        cullide_contact_points(Some(d), Some(w), null_mut(), 0, None);
        cullide_world_save(None, Some(&mut MaybeUninit::uninit()));
        cullide_world_save(Some(w), None);
        cullide_dynamics_save(None, Some(w), Some(&mut MaybeUninit::uninit()));
        cullide_dynamics_save(Some(d), None, Some(&mut MaybeUninit::uninit()));
        cullide_dynamics_save(Some(d), Some(w), None);
        cullide_character_save(None, Some(&mut MaybeUninit::uninit()));
        cullide_character_save(Some(h), None);
        cullide_snapshot_bytes(None, null_mut(), 0, Some(&mut total));
        cullide_snapshot_bytes(Some(&snapshot), null_mut(), 1, Some(&mut total));
        cullide_snapshot_bytes(Some(&snapshot), null_mut(), 0, None);
        cullide_world_restore(null(), 1, Some(&mut MaybeUninit::uninit()));
        cullide_world_restore(&0, 1, None);
        cullide_dynamics_restore(null(), 1, Some(w), Some(&mut MaybeUninit::uninit()));
        cullide_dynamics_restore(&0, 1, None, Some(&mut MaybeUninit::uninit()));
        cullide_dynamics_restore(&0, 1, Some(w), None);
        cullide_character_restore(null(), 1, Some(&mut MaybeUninit::uninit()));
        cullide_character_restore(&0, 1, None);
    };
    for (call, status) in calls {
        assert_eq!(status, CullideStatus::NullPointer, "{call}");
    }
    assert!(last_error().contains("NULL; give a pointer"), "{}", last_error());
    // What takes no pointer, or may be given NULL.
    let harmless = [
        "abi_check",
        "last_error",
        "key_is_plane",
        "filter_all",
        "object",
        "mover",
        "dynamics_config",
        "rigid_body",
        "world_free",
        "shape_free",
        "character_free",
        "dynamics_free",
        "snapshot_free",
        "triggers_free",
        "check",
        "at",
        "vec3",
    ];
    let (header, own) = (include_str!("../../include/cullide.h"), include_str!("hostile.rs"));
    let declared =
        header.lines().filter(|line| !line.starts_with("//")).flat_map(|line| line.split("cullide_").skip(1));
    let names = declared.filter_map(|rest| rest.split_once('(').map(|(name, _)| name));
    let mut count = 0;
    for name in names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '3')) {
        assert!(
            harmless.contains(&name) || own.contains(&format!("cullide_{name}(")),
            "{name} is not called with NULL"
        );
        count += 1;
    }
    assert!(count > 100, "{count} functions");
    cullide_world_free(None);
    cullide_shape_free(None);
    cullide_character_free(None);
    cullide_dynamics_free(None);
    cullide_snapshot_free(None);
    cullide_triggers_free(None);
}

#[test]
fn numbers_that_are_none_are_refused_and_change_nothing() {
    let Scene { mut world, mut dynamics, shape, key, floor } = Scene::new();
    done(cullide_body_insert(Some(&mut dynamics), Some(&mut world), key, Some(&cullide_rigid_body())));
    let mut hero = handle(|hero| cullide_character_new(Some(&shape), at(9.0, 3.0, 0.0), hero));
    let before = (
        out(|hash| cullide_world_hash(Some(&world), hash)),
        out(|hash| cullide_dynamics_hash(Some(&dynamics), Some(&world), hash)),
    );
    let mut refused = 0;
    let mut bad = |status: CullideStatus| {
        assert_eq!(status, CullideStatus::BadValue, "{}", last_error());
        refused += 1;
    };
    for number in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30] {
        let (w, d) = (&mut *world, &mut *dynamics);
        let (v, pose, one) = (vec3(0.0, number, 0.0), at(number, 0.0, 0.0), vec3(1.0, 1.0, 1.0));
        let motion = CullideMotion { shape: &*shape, pose, motion: one };
        let far = CullideMotion { pose: at(0.0, 0.0, 0.0), motion: v, ..motion };
        let body = CullideRigidBody { mass: -number.abs(), ..cullide_rigid_body() };
        let config = CullideDynamicsConfig { skin: -number.abs(), ..cullide_dynamics_config() };
        let (mut any, mut hit, mut total) = (MaybeUninit::uninit(), MaybeUninit::uninit(), MaybeUninit::uninit());
        let mut made = MaybeUninit::uninit();
        // SAFETY: arrays of one element, and live handles.
        unsafe {
            bad(cullide_shape_box(v, Some(&mut made)));
            bad(cullide_shape_ball(number, Some(&mut made)));
            bad(cullide_shape_capsule(number, 1.0, Some(&mut made)));
            bad(cullide_shape_cylinder(1.0, number, 1.0, Some(&mut made)));
            bad(cullide_shape_hull([v, one, one, one].as_ptr(), 4, Some(&mut made)));
            bad(cullide_shape_mesh([v, one, one].as_ptr(), 3, [0u32, 1, 2].as_ptr(), 1, 0, null(), Some(&mut made)));
            bad(cullide_shape_terrain(2, 2, [0.0, number, 0.0, 0.0].as_ptr(), 0.0, 0.0, 1.0, 1.0, 0, Some(&mut made)));
            bad(cullide_shape_brush(&CullidePlane { normal: v, d: 1.0 }, 1, Some(&mut made)));
            bad(cullide_insert(Some(w), &CullideObject { pose, ..cullide_object(&*shape) }, 1, &mut 0));
            bad(cullide_set_poses(Some(w), [key, key].as_ptr(), [at(1.0, 1.0, 1.0), pose].as_ptr(), 2));
            bad(cullide_cast_ray(Some(w), CullideRay { origin: v, direction: one }, 1.0, None, Some(&mut hit)));
            bad(cullide_cast_rays(Some(w), &CullideRay { origin: v, direction: one }, 1, 1.0, None, hit.as_mut_ptr()));
            bad(cullide_any_ray_hit(Some(w), CullideRay { origin: v, direction: one }, 1.0, None, Some(&mut any)));
            bad(cullide_cast_segment(Some(w), CullideSegment { start: v, end: one }, None, Some(&mut hit)));
            bad(cullide_overlap(Some(w), Some(&shape), pose, None, null_mut(), 0, Some(&mut total)));
            bad(cullide_nearest_to_shape(Some(w), Some(&shape), pose, 1.0, None, null_mut(), 0, Some(&mut total)));
            bad(cullide_sweep(Some(w), Some(&motion), None, Some(&mut MaybeUninit::uninit())));
            bad(cullide_sweep(Some(w), Some(&far), None, Some(&mut MaybeUninit::uninit())));
            let (mut swept, mut turned) = (MaybeUninit::uninit(), MaybeUninit::uninit());
            let near = CullideMotion { motion: one, ..far };
            bad(cullide_sweep_turning(Some(w), Some(&near), v, 0.1, None, Some(&mut swept), Some(&mut turned)));
            bad(cullide_sweep_turning(
                Some(w),
                Some(&near),
                one,
                -number.abs(),
                None,
                Some(&mut swept),
                Some(&mut turned),
            ));
            bad(cullide_sweep_all(Some(w), Some(&far), None, null_mut(), 0, Some(&mut total)));
            bad(cullide_slide(
                Some(w),
                Some(&far),
                None,
                Some(&mut MaybeUninit::uninit()),
                null_mut(),
                0,
                Some(&mut total),
            ));
            bad(cullide_cull_matrix(Some(w), [number; 16].as_ptr(), 0, None, null_mut(), 0, Some(&mut total)));
            bad(cullide_update_pairs(Some(w), -number.abs()));
            bad(cullide_body_insert(Some(d), Some(w), key, Some(&body)));
            bad(cullide_step(Some(d), Some(w), -number.abs(), Some(&cullide_dynamics_config()), None));
            bad(cullide_step(Some(d), Some(w), 1.0, Some(&config), None));
            done(cullide_character_set_velocity(Some(&mut hero), v));
            let mover = cullide_mover();
            bad(cullide_character_walk(
                Some(&mut hero),
                Some(w),
                None,
                Some(&mover),
                1.0,
                None,
                Some(&mut MaybeUninit::uninit()),
            ));
            bad(cullide_character_set_position(Some(&mut hero), v));
            if !number.is_finite() {
                bad(cullide_body_set_velocity(Some(d), Some(w), key, v, one));
                bad(cullide_body_apply_impulse(Some(d), Some(w), key, v, one));
                bad(cullide_body_apply_force(Some(d), Some(w), key, v, one));
                bad(cullide_body_apply_force_at(Some(d), Some(w), key, v, one));
                bad(cullide_body_apply_angular_impulse(Some(d), Some(w), key, v));
                bad(cullide_body_move_to(Some(d), Some(w), key, pose, 1.0));
                bad(cullide_set_velocity(Some(w), key, v));
            }
        }
    }
    assert!(refused > 100);
    // Distances may be infinite, but not negative.
    for distance in [f32::NAN, -1.0] {
        let status = unsafe_nearest(&world, distance);
        assert_eq!(status, CullideStatus::BadValue);
    }
    assert!(last_error().contains("`max_distance`"), "{}", last_error());
    let config = CullideDynamicsConfig { substeps: u32::MAX, ..cullide_dynamics_config() };
    assert_eq!(cullide_step(Some(&mut dynamics), Some(&mut world), 1.0, Some(&config), None), CullideStatus::BadValue);
    let after = (
        out(|hash| cullide_world_hash(Some(&world), hash)),
        out(|hash| cullide_dynamics_hash(Some(&dynamics), Some(&world), hash)),
    );
    assert_eq!(before, after);
    assert_eq!(out(|state| cullide_character_state(Some(&hero), state)).position, vec3(9.0, 3.0, 0.0));
    assert_eq!((cullide_key_is_plane(floor), cullide_key_is_plane(key), cullide_key_is_plane(CULLIDE_NONE)), (1, 0, 0));
}

fn unsafe_nearest(world: &CullideWorld, distance: f32) -> CullideStatus {
    // SAFETY: no array.
    unsafe {
        cullide_nearest(
            Some(world),
            vec3(0.0, 0.0, 0.0),
            distance,
            None,
            null_mut(),
            0,
            Some(&mut MaybeUninit::uninit()),
        )
    }
}

#[test]
fn stale_keys_and_keys_of_nothing_are_refused() {
    let Scene { mut world, mut dynamics, shape, key, floor } = Scene::new();
    done(cullide_body_insert(Some(&mut dynamics), Some(&mut world), key, Some(&cullide_rigid_body())));
    done(cullide_remove(Some(&mut world), key));
    done(cullide_remove(Some(&mut world), floor));
    // Both places are taken again.
    let other = insert(&mut world, &cullide_object(&*shape));
    let plane = CullidePlane { normal: vec3(0.0, 1.0, 0.0), d: 0.0 };
    let ground = out(|key| cullide_insert_plane(Some(&mut world), plane, CULLIDE_WALL, 1, key));
    assert!(other != key && ground != floor && ground != other);
    for wrong in [key, floor, CULLIDE_NONE, u64::MAX, 1, other ^ 1 << 32, ground ^ 1 << 32] {
        let (w, d, v, p) = (&mut *world, &mut *dynamics, vec3(1.0, 1.0, 1.0), at(0.0, 0.0, 0.0));
        let body = cullide_rigid_body();
        let mut hero = handle(|hero| cullide_character_new(Some(&shape), p, hero));
        // SAFETY: arrays of one element.
        let calls = unsafe {
            [
                cullide_remove(Some(w), wrong),
                cullide_set_poses(Some(w), &wrong, &p, 1),
                cullide_poses(Some(w), &wrong, &mut CullidePose::default(), 1),
                cullide_set_shape(Some(w), wrong, Some(&shape)),
                cullide_set_layers(Some(w), wrong, 1),
                cullide_set_pairs_with(Some(w), wrong, 1),
                cullide_set_mobility(Some(w), wrong, 1),
                cullide_set_enabled(Some(w), wrong, 1),
                cullide_set_user(Some(w), wrong, 1),
                cullide_set_velocity(Some(w), wrong, v),
                cullide_get(Some(w), wrong, Some(&mut MaybeUninit::uninit())),
                cullide_aabb(Some(w), wrong, Some(&mut MaybeUninit::uninit())),
                cullide_set_plane(Some(w), wrong, plane),
                cullide_terrain_dig(Some(w), wrong, 0, 0, 1, 1),
                cullide_body_insert(Some(d), Some(w), wrong, Some(&body)),
                cullide_body_remove(Some(d), Some(w), wrong),
                cullide_body_wake(Some(d), Some(w), wrong),
                cullide_body_apply_impulse(Some(d), Some(w), wrong, v, v),
                cullide_set_material(Some(d), Some(w), wrong, Some(&body.material)),
                cullide_ignore_pair(Some(d), Some(w), other, wrong, 1),
                match wrong {
                    CULLIDE_NONE => CullideStatus::StaleKey,
                    _ => cullide_character_set_object(Some(&mut hero), Some(w), wrong),
                },
            ]
        };
        for (number, status) in calls.into_iter().enumerate() {
            assert_eq!(status, CullideStatus::StaleKey, "{wrong:#x}, call {number}");
        }
        cullide_character_free(Some(hero));
    }
    // One wrong key among others: nothing is moved, nothing is written.
    let (keys, far) = ([other, key], [at(5.0, 5.0, 5.0); 2]);
    let mut poses = [at(9.0, 9.0, 9.0); 2];
    // SAFETY: arrays of two.
    let calls = unsafe {
        [
            cullide_set_poses(Some(&mut world), keys.as_ptr(), far.as_ptr(), 2),
            cullide_poses(Some(&world), keys.as_ptr(), poses.as_mut_ptr(), 2),
        ]
    };
    assert_eq!((calls, poses), ([CullideStatus::StaleKey; 2], [at(9.0, 9.0, 9.0); 2]));
    assert!(last_error().starts_with("keys[1]: "), "{}", last_error());
    assert_eq!(out(|object| cullide_get(Some(&world), other, object)).pose, at(0.0, 0.0, 0.0));
    // A key that is right, of something else.
    let body_of_none = cullide_body_wake(Some(&mut dynamics), Some(&world), other);
    assert_eq!(body_of_none, CullideStatus::WrongShape, "{}", last_error());
    assert_eq!(cullide_terrain_dig(Some(&mut world), other, 0, 0, 1, 1), CullideStatus::WrongShape);
    assert_eq!(cullide_set_plane(Some(&mut world), other, plane), CullideStatus::StaleKey);
    // Keys to leave out may be of anything.
    let excluded = [key, CULLIDE_NONE, u64::MAX, ground, other];
    let filter = CullideFilter { excluded: excluded.as_ptr(), excluded_count: 5, ..cullide_filter_all() };
    let (ray, w) = (CullideRay { origin: vec3(0.0, 9.0, 0.0), direction: vec3(0.0, -1.0, 0.0) }, &*world);
    // SAFETY: the list of the filter lives.
    let hit = out(|hit| unsafe { cullide_cast_ray(Some(w), ray, f32::INFINITY, Some(&filter), hit) });
    assert_eq!((hit.target, hit.distance), (ground, 9.0));
}

#[test]
fn counts_of_nothing_and_of_more_than_memory_are_answered() {
    let Scene { mut world, shape, .. } = Scene::new();
    let v = vec3(0.0, 0.0, 0.0);
    let mut total = MaybeUninit::uninit();
    let mut made = MaybeUninit::uninit();
    let (ray, object) = (CullideRay::default(), cullide_object(&*shape));
    let w = &mut *world;
    // SAFETY: arrays are either empty, or so long that none is read.
    unsafe {
        for count in [usize::MAX, usize::MAX / 2, isize::MAX as usize / 4 + 1] {
            let calls = [
                cullide_insert(Some(w), &object, count, &mut 0),
                cullide_cast_rays(Some(w), &ray, count, 1.0, None, &mut CullideRayHit::default()),
                cullide_shape_hull(&v, count, Some(&mut made)),
                cullide_shape_mesh(&v, 1, &0, count, 0, null(), Some(&mut made)),
                cullide_world_keys(Some(w), &mut 0, count, Some(&mut total)),
                cullide_nearest(Some(w), v, 1.0, None, &mut CullideNear::default(), count, Some(&mut total)),
                cullide_set_poses(Some(w), &0, &at(0.0, 0.0, 0.0), count),
                cullide_cast_segment(
                    Some(w),
                    CullideSegment::default(),
                    Some(&CullideFilter { excluded: &0, excluded_count: count, ..cullide_filter_all() }),
                    Some(&mut MaybeUninit::uninit()),
                ),
            ];
            assert_eq!(calls, [CullideStatus::BadLength; 8], "{count}");
        }
        done(cullide_insert(Some(w), null(), 0, null_mut()));
        done(cullide_cast_rays(Some(w), null(), 0, 1.0, None, null_mut()));
        done(cullide_set_poses(Some(w), null(), null(), 0));
        done(cullide_nearest(Some(w), v, 1.0, None, null_mut(), 0, Some(&mut total)));
        assert_eq!(total.assume_init(), 0);
        for status in [
            cullide_shape_hull(null(), 0, Some(&mut made)),
            cullide_shape_brush(null(), 0, Some(&mut made)),
            cullide_shape_mesh(null(), 0, null(), 0, 0, null(), Some(&mut made)),
            cullide_shape_compound(null(), 0, null(), Some(&mut made)),
            cullide_shape_terrain(0, 0, null(), 0.0, 0.0, 1.0, 1.0, 0, Some(&mut made)),
            cullide_shape_mesh(&v, 1, [0u32, 1, 2].as_ptr(), 1, 0, null(), Some(&mut made)),
        ] {
            assert_eq!(status, CullideStatus::BadValue, "{}", last_error());
        }
        let most = u32::MAX;
        let status = cullide_shape_terrain(most, most, &0.0, 0.0, 0.0, 1.0, 1.0, 0, Some(&mut made));
        assert_eq!(status, CullideStatus::BadLength);
        // An address that no array of keys has.
        let odd = (&raw mut total).cast::<u8>().wrapping_add(1).cast();
        assert_eq!(cullide_world_keys(Some(w), odd, 1, Some(&mut MaybeUninit::uninit())), CullideStatus::NullPointer);
    }
    let choices = [
        cullide_set_mobility(Some(w), 0, 9),
        // SAFETY: no array is read.
        unsafe { cullide_pairs(Some(w), 9, null_mut(), 0, Some(&mut total)) },
        out_choice(w, &shape),
    ];
    assert_eq!(choices, [CullideStatus::StaleKey, CullideStatus::BadChoice, CullideStatus::BadChoice]);
    assert!(last_error().contains("give CULLIDE_FIXED or CULLIDE_MOVING"), "{}", last_error());
}

fn out_choice(world: &mut CullideWorld, shape: &CullideShape) -> CullideStatus {
    let object = CullideObject { mobility: 7, ..cullide_object(shape) };
    // SAFETY: one object and one key.
    unsafe { cullide_insert(Some(world), &object, 1, &mut 0) }
}

#[test]
fn bytes_of_anything_else_are_no_snapshot() {
    let Scene { mut world, mut dynamics, shape, key, .. } = Scene::new();
    done(cullide_body_insert(Some(&mut dynamics), Some(&mut world), key, Some(&cullide_rigid_body())));
    let hero = handle(|hero| cullide_character_new(Some(&shape), at(9.0, 3.0, 0.0), hero));
    let saved = [
        handle(|snapshot| cullide_world_save(Some(&world), snapshot)),
        handle(|snapshot| cullide_dynamics_save(Some(&dynamics), Some(&world), snapshot)),
        handle(|snapshot| cullide_character_save(Some(&hero), snapshot)),
    ];
    let saved = saved.map(|snapshot| {
        // SAFETY: the arrays are those of the lists.
        list(|bytes, capacity, total| unsafe { cullide_snapshot_bytes(Some(&snapshot), bytes, capacity, total) })
    });
    let restore = |which: usize, bytes: &[u8]| {
        // SAFETY: the arrays are slices.
        unsafe {
            let (data, count) = (bytes.as_ptr(), bytes.len());
            match which {
                0 => cullide_world_restore(data, count, Some(&mut MaybeUninit::uninit())),
                1 => cullide_dynamics_restore(data, count, Some(&world), Some(&mut MaybeUninit::uninit())),
                _ => cullide_character_restore(data, count, Some(&mut MaybeUninit::uninit())),
            }
        }
    };
    let (mut refused, mut restored) = (0, 0);
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for (which, bytes) in saved.iter().enumerate() {
        done(restore(which, bytes));
        for other in (0..3).filter(|other| *other != which) {
            assert_eq!(restore(other, bytes), CullideStatus::BadSnapshot);
        }
        for end in 0..bytes.len() {
            assert_eq!(restore(which, &bytes[..end]), CullideStatus::BadSnapshot, "{end} bytes of {which}");
        }
        assert_eq!(restore(which, &[bytes, &[0][..]].concat()), CullideStatus::BadSnapshot);
        for _ in 0..2000 {
            let mut changed = bytes.clone();
            for _ in 0..=next() % 3 {
                let place = 1 + next() as usize % (bytes.len() - 1);
                changed[place] = next() as u8;
            }
            match restore(which, &changed) {
                CullideStatus::Ok => restored += 1,
                CullideStatus::Panic => panic!("{changed:?}: {}", last_error()),
                _ => refused += 1,
            }
        }
    }
    assert!(refused > 1000 && restored > 100, "{refused} refused, {restored} restored");
}

#[test]
fn another_header_is_refused() {
    let check = |version: u32, sizes: &[usize]| {
        // SAFETY: the array is a slice.
        unsafe { cullide_abi_check(version, sizes.as_ptr(), sizes.len()) }
    };
    let mut sizes: Vec<usize> = SIZES.iter().map(|(_, size)| *size).collect();
    done(check(CULLIDE_ABI_VERSION, &sizes));
    assert_eq!(check(CULLIDE_ABI_VERSION + 1, &sizes), CullideStatus::OtherVersion);
    assert_eq!(check(CULLIDE_ABI_VERSION, &sizes[1..]), CullideStatus::OtherVersion);
    sizes[7] += 4;
    assert_eq!(check(CULLIDE_ABI_VERSION, &sizes), CullideStatus::OtherVersion);
    assert!(
        last_error().contains(SIZES[7].0) && last_error().contains("compile with the cullide.h"),
        "{}",
        last_error()
    );
}
