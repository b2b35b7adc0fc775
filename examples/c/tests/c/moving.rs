//! Edits, characters, rigid bodies and snapshots through C do what the crates do.

use crate::{
    scene::{Scene, at, done, handle, insert, list, out, vec3},
    twins::{SOLIDS, Twins, target},
};
use cullide::*;
use cullide_world::{
    Character, CharacterBody, Dynamics, DynamicsConfig, Filter, Mass, Mobility, Mover, MovingShape, RigidBody, Shape,
    Walk, World,
    glam::{BVec3, Mat3, Quat, Vec3},
    narrowphase::{Obb, Plane},
};
use std::mem::MaybeUninit;

const DT: f32 = 1.0 / 64.0;

#[test]
fn edits() {
    for seed in 0..8 {
        let mut twins = Twins::new(seed, 40);
        for _ in 0..60 {
            let (one, pose) = (twins.random.below(twins.keys.len()), twins.random.pose(6.0));
            let (bits, shape) = (twins.random.below(16) as u32, twins.random.below(twins.shapes.len()));
            let (mut c, rust, key, twin) = (Some(&mut *twins.c), &mut twins.rust, twins.c_keys[one], twins.keys[one]);
            match twins.random.below(9) {
                0 => {
                    done(cullide_set_layers(c, key, bits));
                    rust.object_mut(twin).unwrap().set_layers(bits);
                }
                1 => {
                    done(cullide_set_pairs_with(c, key, bits));
                    rust.object_mut(twin).unwrap().set_pairs_with(bits);
                }
                2 => {
                    done(cullide_set_enabled(c, key, bits as u8 & 2));
                    rust.object_mut(twin).unwrap().set_enabled(bits & 2 != 0);
                }
                3 => {
                    done(cullide_set_user(c, key, bits.into()));
                    rust.object_mut(twin).unwrap().set_user(bits.into());
                }
                4 => {
                    done(cullide_set_mobility(c, key, bits % 2));
                    rust.object_mut(twin).unwrap().set_mobility([Mobility::Fixed, Mobility::Moving][bits as usize % 2]);
                }
                5 => {
                    done(cullide_set_shape(c, key, Some(&twins.shapes[shape].0)));
                    rust.object_mut(twin).unwrap().set_model(twins.shapes[shape].1.clone()).unwrap();
                }
                6 => {
                    let (plane, number) = (Plane::new(pose.1 + Vec3::Y * 9.0, 3.0).unwrap(), one % 2);
                    let given = CullidePlane { normal: plane.normal().into(), d: plane.d() };
                    done(cullide_set_plane(c.as_deref_mut(), twins.planes[number].0, given));
                    rust.plane_mut(twins.planes[number].1)
                        .unwrap()
                        .set_plane(Plane::new(plane.normal(), plane.d()).unwrap());
                    done(cullide_set_layers(c.as_deref_mut(), twins.planes[number].0, bits));
                    done(cullide_set_user(c, twins.planes[number].0, bits.into()));
                    rust.plane_mut(twins.planes[number].1).unwrap().set_layers(bits);
                }
                7 if twins.keys.len() > 20 => {
                    done(cullide_remove(c, key));
                    assert!(rust.remove(twin).is_some());
                    twins.c_keys.swap_remove(one);
                    twins.keys.swap_remove(one);
                }
                _ => {
                    // SAFETY: one key and one pose.
                    done(unsafe { cullide_set_poses(c, &key, &pose.into(), 1) });
                    rust.object_mut(twin).unwrap().set_transform(pose.0, pose.1).unwrap();
                }
            }
        }
        twins.hashes_agree();
        let c = Some(&*twins.c);
        // SAFETY: lists have the length that is said.
        let mut keys = unsafe { list(|keys, n, total| cullide_world_keys(c, keys, n, total)) };
        assert_eq!(keys.split_off(twins.keys.len()), twins.planes.iter().map(|plane| plane.0).collect::<Vec<_>>());
        assert_eq!(keys, twins.rust.objects().map(|(key, _)| key.to_bits()).collect::<Vec<_>>());
        for (key, twin) in twins.c_keys.iter().zip(&twins.keys) {
            let (object, pose) = (twins.rust.object(*twin).unwrap(), twins.rust.object(*twin).unwrap().transform());
            let (read, aabb) = (out(|object| cullide_get(c, *key, object)), out(|aabb| cullide_aabb(c, *key, aabb)));
            let mobility = u32::from(object.mobility == Mobility::Moving);
            assert_eq!(
                (read.layers, read.pairs_with, read.user, read.mobility),
                (object.layers, object.pairs_with, object.user, mobility)
            );
            assert_eq!((read.pose, aabb.min), (pose.into(), object.shape.aabb().min().into()));
            let mut same = CullidePose::default();
            // SAFETY: one key and one pose.
            done(unsafe { cullide_poses(c, key, &mut same, 1) });
            assert_eq!(same, read.pose);
        }
        done(cullide_world_optimize(Some(&mut twins.c)));
        twins.hashes_agree();
        done(cullide_world_clear(Some(&mut twins.c)));
        twins.rust.clear();
        twins.hashes_agree();
    }
}

#[test]
fn a_terrain_is_edited() {
    let mut world = handle(|world| cullide_world_new(1, world));
    // SAFETY: nine heights.
    let flat = handle(|shape| unsafe {
        cullide_shape_terrain(3, 3, [0.0; 9].as_ptr(), 0.0, 0.0, 1.0, 1.0, CULLIDE_FRONT_SIDE, shape)
    });
    let key = insert(&mut world, &cullide_object(&*flat));
    let below = |world: &CullideWorld, x: f32| {
        let ray = CullideRay { origin: vec3(x, 9.0, 0.75), direction: vec3(0.0, -1.0, 0.0) };
        // SAFETY: no array.
        let hit = out(|hit| unsafe { cullide_cast_ray(Some(world), ray, 99.0, None, hit) });
        (hit.target != CULLIDE_NONE).then_some((hit.distance, hit.surface))
    };
    // SAFETY: as many heights as samples.
    done(unsafe { cullide_terrain_edit(Some(&mut world), key, 0, 0, 2, 3, [1.0; 6].as_ptr()) });
    done(cullide_terrain_set_surface(Some(&mut world), key, 0, 0, 1, 2, 7));
    done(cullide_terrain_dig(Some(&mut world), key, 1, 0, 1, 1));
    assert_eq!([0.5, 1.5].map(|x| below(&world, x)), [Some((8.0, 7)), None]);
    done(cullide_terrain_fill(Some(&mut world), key, 1, 0, 1, 1));
    assert_eq!(below(&world, 1.5), Some((8.5, 0)));
    // SAFETY: nothing is read beyond the terrain.
    let beyond = unsafe { cullide_terrain_edit(Some(&mut world), key, u32::MAX, 0, 1, 1, &1.0) };
    let cells = cullide_terrain_dig(Some(&mut world), key, 1, 1, u32::MAX, 1);
    assert_eq!([beyond, cells], [CullideStatus::BadValue; 2]);
}

/// A character by the crates.
trait Walker {
    fn walk(&mut self, world: &World, dynamics: &mut Dynamics, velocity: Vec3) -> (Walk, Vec3);
    fn state(&self) -> CullideCharacterState;
}

impl<B: CharacterBody> Walker for Character<B> {
    fn walk(&mut self, world: &World, dynamics: &mut Dynamics, velocity: Vec3) -> (Walk, Vec3) {
        self.velocity = velocity;
        (dynamics.walk(world, &Mover::default(), self, DT, &Filter::ALL).unwrap(), self.velocity)
    }

    fn state(&self) -> CullideCharacterState {
        let ground = self.ground.map(Into::into).unwrap_or_default();
        CullideCharacterState { position: self.position().into(), velocity: self.velocity.into(), ground }
    }
}

#[test]
fn characters_of_every_kind_walk_among_bodies() {
    let (mut stood, mut pushed) = (0, 0);
    for seed in 0..2 {
        for which in 0..SOLIDS {
            let mut twins = Twins::street(seed);
            let (mut c_bodies, mut bodies) = (handle(|dynamics| cullide_dynamics_new(dynamics)), Dynamics::new());
            for (key, twin) in twins.c_keys.iter().zip(&twins.keys) {
                let c = cullide_body_insert(Some(&mut c_bodies), Some(&mut twins.c), *key, Some(&cullide_rigid_body()));
                // Surfaces cannot be dynamic.
                assert_eq!(c == CullideStatus::Ok, bodies.insert(&mut twins.rust, *twin, RigidBody::dynamic()).is_ok());
            }
            let pose = (Quat::IDENTITY, Vec3::Y * 2.0);
            let (shape, twin) = &twins.shapes[which];
            let mut hero: Box<dyn Walker> = match twin.transformed(pose.0, pose.1).unwrap() {
                Shape::Aabb(body) => Box::new(Character::new(Obb::from(&body))),
                Shape::Obb(body) => Box::new(Character::new(body)),
                Shape::Sphere(body) => Box::new(Character::new(body)),
                Shape::Capsule(body) => Box::new(Character::new(body)),
                _ => Box::new(Character::new(
                    MovingShape::new(twin.transformed(pose.0, Vec3::ZERO).unwrap(), pose.1).unwrap(),
                )),
            };
            let mut c_hero = handle(|hero| cullide_character_new(Some(shape), pose.into(), hero));
            let mut velocity = Vec3::ZERO;
            for step in 0..200 {
                velocity = Vec3::new(2.0, velocity.y - 9.0 * DT, 0.0);
                done(cullide_character_set_velocity(Some(&mut c_hero), velocity.into()));
                let mover = cullide_mover();
                // SAFETY: no filter.
                let walk = out(|walk| unsafe {
                    cullide_character_walk(
                        Some(&mut c_hero),
                        Some(&mut twins.c),
                        Some(&mut c_bodies),
                        Some(&mover),
                        DT,
                        None,
                        walk,
                    )
                });
                let (expected, left) = hero.walk(&twins.rust, &mut bodies, velocity);
                velocity = left;
                assert_eq!(walk.state, hero.state(), "world {seed}, shape {which}, step {step}");
                assert_eq!(
                    (walk.stepped, walk.blocked_by),
                    (expected.stepped, expected.blocked.map_or(0, |step| target(step.target)))
                );
                assert_eq!(walk.overlap, expected.overlap.map(Into::into).unwrap_or_default());
                // SAFETY: lists have the length that is said.
                let (contacts, pushes) = unsafe {
                    (
                        list(|contacts, n, total| cullide_character_contacts(Some(&c_hero), contacts, n, total)),
                        list(|pushes, n, total| cullide_character_pushes(Some(&c_hero), pushes, n, total)),
                    )
                };
                assert_eq!((contacts.len(), pushes.len()), (expected.contacts.len(), expected.pushes.len()));
                stood += usize::from(walk.state.ground.target != CULLIDE_NONE);
                pushed += pushes.len();
                done(cullide_step(Some(&mut c_bodies), Some(&mut twins.c), DT, Some(&cullide_dynamics_config()), None));
                bodies.step(&mut twins.rust, DT, &DynamicsConfig::default()).unwrap();
            }
            twins.hashes_agree();
            // Saved and restored, it is the same.
            let saved = handle(|snapshot| cullide_character_save(Some(&c_hero), snapshot));
            // SAFETY: the array is a slice.
            let restored =
                restored(&saved, |data, count, hero| unsafe { cullide_character_restore(data, count, hero) });
            assert_eq!(out(|state| cullide_character_state(Some(&restored), state)), hero.state());
            done(cullide_character_set_position(Some(&mut c_hero), vec3(1.0, 2.0, 3.0)));
            let state = out(|state| cullide_character_state(Some(&c_hero), state));
            assert_eq!((state.position, state.ground), (vec3(1.0, 2.0, 3.0), CullideGround::default()));
        }
    }
    assert!(stood > 300 && pushed > 30, "stood {stood} times, pushed {pushed}");
}

fn restored<T>(
    snapshot: &CullideSnapshot,
    restore: impl FnOnce(*const u8, usize, Option<&mut MaybeUninit<Option<Box<T>>>>) -> CullideStatus,
) -> Box<T> {
    // SAFETY: a list has the length that is said.
    let bytes = list(|bytes, n, total| unsafe { cullide_snapshot_bytes(Some(snapshot), bytes, n, total) });
    handle(|handle| restore(bytes.as_ptr(), bytes.len(), handle))
}

#[test]
fn a_character_takes_its_object_along() {
    let mut world = handle(|world| cullide_world_new(1, world));
    let capsule = handle(|shape| cullide_shape_capsule(0.5, 0.25, shape));
    let key = insert(
        &mut world,
        &CullideObject { mobility: CULLIDE_MOVING, pose: at(0.0, 3.0, 0.0), ..cullide_object(&*capsule) },
    );
    let mut hero = handle(|hero| cullide_character_new(Some(&capsule), at(0.0, 3.0, 0.0), hero));
    done(cullide_character_set_object(Some(&mut hero), Some(&world), key));
    done(cullide_character_set_velocity(Some(&mut hero), vec3(1.0, 0.0, 0.0)));
    // SAFETY: no filter.
    let walk = out(|walk| unsafe {
        cullide_character_walk(Some(&mut hero), Some(&mut world), None, Some(&cullide_mover()), 1.0, None, walk)
    });
    assert_eq!(walk.state.position, vec3(1.0, 3.0, 0.0));
    assert_eq!(out(|object| cullide_get(Some(&world), key, object)).pose, at(1.0, 3.0, 0.0));
}

#[test]
fn a_character_crouches_and_gets_up_where_there_is_room() {
    let Scene { mut world, shape, key, .. } = Scene::new();
    // A roof whose lower side is 1.5 high.
    // SAFETY: one key and one pose.
    done(unsafe { cullide_set_poses(Some(&mut world), &key, &at(0.0, 2.0, 0.0), 1) });
    let capsule = handle(|shape| cullide_shape_capsule(0.25, 0.25, shape));
    let mut hero = handle(|hero| cullide_character_new(Some(&capsule), at(0.0, 0.5, 0.0), hero));
    let mut set_height = |height| {
        // SAFETY: no filter.
        out(|changed| unsafe {
            cullide_character_set_height(Some(&mut hero), Some(&world), Some(&cullide_mover()), height, None, changed)
        })
    };
    assert_eq!([1.75, 1.25].map(&mut set_height), [0, 1]);
    assert_eq!(out(|state| cullide_character_state(Some(&hero), state)).position, vec3(0.0, 0.625, 0.0));
    let ball = handle(|shape| cullide_shape_ball(0.5, shape));
    for shape in [ball, shape].into_iter().zip([CullideStatus::WrongShape, CullideStatus::BadValue]) {
        let mut hero = handle(|hero| cullide_character_new(Some(&shape.0), at(5.0, 1.0, 0.0), hero));
        // SAFETY: no filter.
        let status = unsafe {
            let mover = cullide_mover();
            let changed = &mut MaybeUninit::uninit();
            cullide_character_set_height(Some(&mut hero), Some(&world), Some(&mover), f32::NAN, None, Some(changed))
        };
        assert_eq!(status, shape.1);
    }
}

#[test]
fn volumes_tell_what_enters_and_leaves() {
    let Scene { mut world, shape, key, .. } = Scene::new();
    let volume = insert(&mut world, &CullideObject { layers: 0, pose: at(9.0, 1.0, 0.0), ..cullide_object(&*shape) });
    let mut triggers = handle(|triggers| cullide_triggers_new(triggers));
    done(cullide_triggers_watch(Some(&mut triggers), Some(&world), volume, CULLIDE_ALL_LAYERS));
    let pair = CullidePair { first: volume, second: key };
    let filter = CullideFilter { mobility: CULLIDE_MOVING, ..cullide_filter_all() };
    for (x, layers, expected) in [
        (0.0, 1, [vec![], vec![]]),
        (8.5, 1, [vec![pair], vec![]]),
        (8.75, 1, [vec![], vec![]]),
        (5.0, 1, [vec![], vec![pair]]),
        (9.0, 1, [vec![pair], vec![]]),
        (9.0, 0, [vec![], vec![pair]]),
    ] {
        done(cullide_triggers_watch(Some(&mut triggers), Some(&world), volume, layers));
        // SAFETY: lists have the length that is said.
        unsafe {
            done(cullide_set_poses(Some(&mut world), &key, &at(x, 1.0, 0.0), 1));
            done(cullide_triggers_update(Some(&mut triggers), Some(&world), Some(&filter)));
            let events = [CULLIDE_ENTERED, CULLIDE_LEFT]
                .map(|which| list(|pairs, n, total| cullide_triggers_events(Some(&triggers), which, pairs, n, total)));
            assert_eq!(events, expected, "{x}");
            let inside =
                list(|keys, n, total| cullide_triggers_inside(Some(&triggers), Some(&world), volume, keys, n, total));
            assert_eq!(inside.contains(&key), x > 6.0 && layers != 0);
        }
    }
}

#[test]
fn rigid_bodies() {
    let (mut moved, mut touched, mut impacts) = (0, 0, 0);
    for seed in 0..3 {
        let mut twins = Twins::new(seed, 50);
        let (mut c_bodies, mut bodies) = (handle(|dynamics| cullide_dynamics_new(dynamics)), Dynamics::new());
        let config = CullideDynamicsConfig { gravity: vec3(1.0, -9.0, 0.5), substeps: 4, ..cullide_dynamics_config() };
        let twin_config =
            DynamicsConfig { gravity: Vec3::new(1.0, -9.0, 0.5), substeps: 4, ..DynamicsConfig::default() };
        for (number, (key, twin)) in twins.c_keys.iter().zip(&twins.keys).enumerate() {
            let (given, body) = described(number);
            let c = cullide_body_insert(Some(&mut c_bodies), Some(&mut twins.c), *key, Some(&given));
            let same = bodies.insert(&mut twins.rust, *twin, body);
            assert_eq!((c == CullideStatus::Ok, c == CullideStatus::WrongShape), (same.is_ok(), same.is_err()));
        }
        let material = CullideMaterial { friction: 0.125, ..cullide_rigid_body().material };
        done(cullide_set_material(Some(&mut c_bodies), Some(&twins.c), twins.planes[0].0, Some(&material)));
        bodies
            .set_material(
                &twins.rust,
                twins.planes[0].1,
                cullide_world::Material { friction: 0.125, ..Default::default() },
            )
            .unwrap();
        for step in 0..80 {
            let (one, other) = (twins.random.below(50), twins.random.below(50));
            let (v, place) = (twins.random.vector(3.0), twins.random.vector(2.0));
            control(&mut twins, &mut c_bodies, &mut bodies, [one, other], [v, place]);
            let report = out(|report| cullide_step(Some(&mut c_bodies), Some(&mut twins.c), DT, Some(&config), report));
            bodies.step(&mut twins.rust, DT, &twin_config).unwrap();
            let same = bodies.report();
            assert_eq!(
                (report.moved, report.begun, report.ended, report.awake),
                (same.moved.len(), same.begun.len(), same.ended.len(), same.awake),
                "world {seed}, step {step}"
            );
            let pair = |&(first, second): &(cullide_world::ObjectKey, cullide_world::Target)| CullidePair {
                first: first.to_bits(),
                second: target(second),
            };
            let (d, w) = (Some(&*c_bodies), Some(&*twins.c));
            // SAFETY: lists have the length that is said.
            unsafe {
                let list_of = |which| list(|pairs, n, total| cullide_contact_pairs(d, which, pairs, n, total));
                assert_eq!(list_of(CULLIDE_TOUCH_BEGUN), same.begun.iter().map(pair).collect::<Vec<_>>());
                assert_eq!(list_of(CULLIDE_TOUCH_ENDED), same.ended.iter().map(pair).collect::<Vec<_>>());
                let touching =
                    bodies.contacts().filter(|pair| pair.is_touching()).map(|found| pair(&(found.first, found.second)));
                assert_eq!(list_of(CULLIDE_TOUCHING), touching.collect::<Vec<_>>());
                let poses = list(|poses, n, total| cullide_moved(d, w, poses, n, total));
                let expected = same.moved.iter().map(|key| CullideMoved {
                    key: key.to_bits(),
                    user: twins.rust.object(*key).unwrap().user,
                    pose: twins.rust.object(*key).unwrap().transform().into(),
                });
                assert_eq!(poses, expected.collect::<Vec<_>>());
                let points = list(|points, n, total| cullide_contact_points(d, w, points, n, total));
                let expected = bodies.contacts().flat_map(|pair| pair.points(&twins.rust));
                assert_eq!(
                    points
                        .iter()
                        .map(|found| (found.point, found.normal, found.impulse, found.second_part))
                        .collect::<Vec<_>>(),
                    expected
                        .map(|found| (found.point.into(), found.normal.into(), found.impulse, found.part))
                        .collect::<Vec<_>>()
                );
                let hits = list(|hits, n, total| cullide_impacts(d, 0.5, hits, n, total));
                let expected = bodies.hits(0.5).map(|(pair, impulse)| CullideImpact {
                    first: pair.first.to_bits(),
                    second: target(pair.second),
                    impulse,
                });
                assert_eq!(hits, expected.collect::<Vec<_>>());
                moved += poses.len();
                touched += points.len();
                impacts += hits.len();
            }
        }
        twins.hashes_agree();
        let hash = out(|hash| cullide_dynamics_hash(Some(&c_bodies), Some(&twins.c), hash));
        assert_eq!(hash, bodies.hash(&twins.rust));
        states_agree(&twins, &c_bodies, &bodies);
        continues_from_copies_and_snapshots(&mut twins.c, &mut c_bodies, &config);
    }
    assert!(moved > 5000 && touched > 5000 && impacts > 100, "{moved} moved, {touched} points, {impacts} impacts");
}

/// A description of both kinds.
fn described(number: usize) -> (CullideRigidBody, RigidBody) {
    let mut given = CullideRigidBody {
        linear_damping: 0.25,
        angular_damping: 0.5,
        gravity_scale: 0.75,
        can_sleep: u8::from(!number.is_multiple_of(5)),
        is_sensor: u8::from(number % 11 == 3),
        ..cullide_rigid_body()
    };
    let mut body = RigidBody {
        linear_damping: 0.25,
        angular_damping: 0.5,
        gravity_scale: 0.75,
        can_sleep: !number.is_multiple_of(5),
        is_sensor: number % 11 == 3,
        ..RigidBody::dynamic()
    };
    match number % 4 {
        0 => {
            (given.mass_kind, given.mass) = (CULLIDE_MASS_TOTAL, 3.0);
            body.mass = Mass::Total(3.0);
            (given.locked_rotation, body.locked_rotation) = (5, BVec3::new(true, false, true));
            (given.locked_translation, body.locked_translation) = (4, BVec3::new(false, false, true));
        }
        1 => {
            (given.mass_kind, given.mass, given.center) = (CULLIDE_MASS_GIVEN, 2.0, vec3(0.0, -0.25, 0.0));
            given.inertia = [vec3(1.0, 0.25, 0.0), vec3(0.25, 1.25, 0.0), vec3(0.0, 0.0, 1.5)];
            let inertia =
                Mat3::from_cols(Vec3::new(1.0, 0.25, 0.0), Vec3::new(0.25, 1.25, 0.0), Vec3::new(0.0, 0.0, 1.5));
            body.mass = Mass::Given { mass: 2.0, center: Vec3::new(0.0, -0.25, 0.0), inertia };
        }
        2 => {
            given.material = CullideMaterial {
                friction: 0.25,
                restitution: 0.5,
                rolling_resistance: 0.125,
                surface_velocity: vec3(1.0, 0.0, 0.0),
            };
            body.material = cullide_world::Material {
                friction: 0.25,
                restitution: 0.5,
                rolling_resistance: 0.125,
                surface_velocity: Vec3::X,
            };
            (given.velocity, body.velocity) = (vec3(0.0, 2.0, 1.0), Vec3::new(0.0, 2.0, 1.0));
            (given.angular_velocity, body.angular_velocity) = (vec3(0.0, 2.0, 1.0), Vec3::new(0.0, 2.0, 1.0));
        }
        _ if number % 8 == 7 => {
            (given.kind, body) = (CULLIDE_KINEMATIC, RigidBody { kind: cullide_world::BodyKind::Kinematic, ..body });
        }
        _ => {}
    }
    (given, body)
}

/// Moves bodies of both from outside.
fn control(
    twins: &mut Twins,
    c: &mut CullideDynamics,
    bodies: &mut Dynamics,
    [one, other]: [usize; 2],
    [v, place]: [Vec3; 2],
) {
    let (world, key, twin) = (&*twins.c, twins.c_keys[one], twins.keys[one]);
    let (w, d) = (Some(world), Some(&mut *c));
    let mut body = bodies.body_mut(&twins.rust, twin);
    let body = body.as_mut();
    let (status, same) = match one % 8 {
        0 => (
            cullide_body_apply_impulse(d, w, key, v.into(), place.into()),
            body.map(|body| body.apply_impulse(v, place)),
        ),
        1 => (cullide_body_apply_angular_impulse(d, w, key, v.into()), body.map(|body| body.apply_angular_impulse(v))),
        2 => (cullide_body_apply_force(d, w, key, v.into(), place.into()), body.map(|body| body.apply_force(v, place))),
        3 => (
            cullide_body_apply_force_at(d, w, key, v.into(), place.into()),
            body.map(|body| body.apply_force_at(v, place)),
        ),
        4 => {
            (cullide_body_set_velocity(d, w, key, v.into(), place.into()), body.map(|body| body.set_velocity(v, place)))
        }
        5 => {
            let pose = (Quat::from_xyzw(0.0, 0.5, 0.0, 1.0), place);
            (
                cullide_body_move_to(d, w, key, pose.into(), 1.0),
                body.map(|body| body.move_kinematic(pose.0, pose.1, 1.0)),
            )
        }
        6 => (
            cullide_body_wake(d, w, key),
            body.map(|body| {
                body.wake();
                Ok(())
            }),
        ),
        _ if other % 2 == 0 => {
            bodies.ignore_pair(&twins.rust, twin, twins.keys[other]).unwrap();
            (cullide_ignore_pair(d, w, key, twins.c_keys[other], 1), Some(Ok(())))
        }
        _ => {
            bodies.restore_pair(twin, twins.keys[other]);
            (cullide_ignore_pair(d, w, key, twins.c_keys[other], 0), Some(Ok(())))
        }
    };
    let expected = if same == Some(Ok(())) { CullideStatus::Ok } else { CullideStatus::WrongShape };
    assert_eq!(status, expected, "{one} {other}");
}

fn states_agree(twins: &Twins, c: &CullideDynamics, bodies: &Dynamics) {
    let mut asleep = 0;
    for (key, twin) in twins.c_keys.iter().zip(&twins.keys) {
        let Some(body) = bodies.body(*twin) else {
            let status = cullide_body_state(Some(c), Some(&twins.c), *key, Some(&mut MaybeUninit::uninit()));
            assert_eq!(status, CullideStatus::WrongShape);
            continue;
        };
        let state = out(|state| cullide_body_state(Some(c), Some(&twins.c), *key, state));
        let mass = body.mass(&twins.rust).map_or(0.0, |mass| mass.mass);
        assert_eq!(
            (state.velocity, state.angular_velocity, state.mass),
            (body.velocity.into(), body.angular_velocity.into(), mass)
        );
        assert_eq!(state.is_asleep != 0, body.is_asleep());
        asleep += usize::from(state.is_asleep);
    }
    assert!(asleep < twins.keys.len());
}

/// Copies and restored ones continue as the original does.
fn continues_from_copies_and_snapshots(
    world: &mut CullideWorld,
    bodies: &mut CullideDynamics,
    config: &CullideDynamicsConfig,
) {
    let mut copy = handle(|copy| cullide_world_clone(Some(world), copy));
    let mut copied = handle(|copy| cullide_dynamics_clone(Some(bodies), copy));
    let saved = handle(|snapshot| cullide_world_save(Some(world), snapshot));
    // SAFETY: the array is a slice.
    let mut third = restored(&saved, |data, count, world| unsafe { cullide_world_restore(data, count, world) });
    let saved = handle(|snapshot| cullide_dynamics_save(Some(bodies), Some(world), snapshot));
    // SAFETY: the array is a slice.
    let mut bodies_of_third =
        restored(&saved, |data, count, bodies| unsafe { cullide_dynamics_restore(data, count, Some(&third), bodies) });
    let mut hashes =
        [(&mut *copy, &mut *copied), (&mut *third, &mut *bodies_of_third), (world, bodies)].map(|(world, bodies)| {
            for _ in 0..10 {
                done(cullide_step(Some(bodies), Some(world), DT, Some(config), None));
            }
            out(|hash| cullide_dynamics_hash(Some(bodies), Some(world), hash))
        });
    hashes.sort_unstable();
    assert_eq!(hashes[0], hashes[2]);
    let mut other = handle(|world| cullide_world_new(99, world));
    assert_eq!(cullide_step(Some(&mut copied), Some(&mut other), DT, Some(config), None), CullideStatus::OtherWorld);
    let ball = handle(|shape| cullide_shape_ball(1.0, shape));
    let mut there = 0;
    // SAFETY: one object and one key.
    done(unsafe { cullide_insert(Some(&mut other), &cullide_object(&*ball), 1, &mut there) });
    let pushed =
        cullide_body_apply_impulse(Some(&mut copied), Some(&other), there, vec3(1.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0));
    assert_eq!(pushed, CullideStatus::OtherWorld);
    // A body that was removed is an object like others.
    // SAFETY: a list has the length that is said.
    let keys = unsafe { list(|keys, n, total| cullide_world_keys(Some(&copy), keys, n, total)) };
    let removed = keys
        .iter()
        .filter(|key| cullide_body_remove(Some(&mut copied), Some(&copy), **key) == CullideStatus::Ok)
        .count();
    assert!(removed > 20, "{removed}");
}
