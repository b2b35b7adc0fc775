//! Contacts without a solver.

use super::{DT, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, ContactTracker, ContactTrackerSnapshot, Mesh, Mobility, Object, ObjectKey, Shape, Snapshot, Target,
    Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Hull, Plane},
};
use std::collections::BTreeSet;

/// A world with a floor, whose top is at 0, and a crate at a height above it.
fn crate_above(height: f32) -> (World, ObjectKey, ObjectKey) {
    let mut world = World::with_tag(1);
    let floor = world.insert(Object::fixed(aabb(Vec3::Y * -1.0, Vec3::new(20.0, 1.0, 20.0))));
    let crate_ = world.insert(Object::moving(aabb(Vec3::Y * (0.5 + height), Vec3::splat(0.5))));
    (world, floor, crate_)
}

#[test]
fn a_pair_begins_within_the_margin_and_ends_beyond_it() {
    let (mut world, floor, crate_) = crate_above(0.5);
    let mut tracker = ContactTracker::new();
    let mut events = |world: &mut World, height: f32| {
        world.object_mut(crate_).unwrap().set_shape(aabb(Vec3::Y * (0.5 + height), Vec3::splat(0.5)));
        let events = tracker.update(world, 0.0, 0.02);
        (events.begun.to_vec(), events.ended.to_vec())
    };
    let pair = vec![(crate_, Target::from(floor))];
    assert_eq!(events(&mut world, 0.5), (vec![], vec![]));
    assert_eq!(events(&mut world, 0.015), (pair.clone(), vec![]));
    assert_eq!(events(&mut world, -0.015), (vec![], vec![]));
    assert_eq!(events(&mut world, 0.03), (vec![], pair.clone()));
    assert_eq!(events(&mut world, 0.01), (pair.clone(), vec![]));
    world.remove(crate_);
    let events = tracker.update(&mut world, 0.0, 0.02);
    assert_eq!((events.begun, events.ended), (&[][..], &pair[..]));
    assert_eq!(tracker.contacts().count(), 0);
}

#[test]
fn what_comes_near_within_the_time_is_reported() {
    let (mut world, floor, crate_) = crate_above(0.5);
    world.object_mut(crate_).unwrap().set_velocity(Vec3::NEG_Y * 60.0).unwrap();
    let mut tracker = ContactTracker::new();
    tracker.update(&mut world, DT, 0.02);
    let pairs: Vec<_> = tracker.contacts().map(|pair| (pair.first, pair.second)).collect();
    assert_eq!(pairs, [(crate_, floor.into())]);
}

#[test]
fn features_stay_while_a_box_slides() {
    let (mut world, _, crate_) = crate_above(0.0);
    let mut tracker = ContactTracker::new();
    let mut known: Option<BTreeSet<String>> = None;
    for step in 0..200 {
        let place = Vec3::new(0.02 * step as f32, 0.5 + 0.003 * (step as f32).sin(), 0.013 * step as f32);
        world.object_mut(crate_).unwrap().set_shape(obb(place, Quat::from_rotation_y(0.3), Vec3::splat(0.5)));
        tracker.update(&mut world, 0.0, 0.02);
        let pair = tracker.contacts().next().unwrap();
        let manifold = &pair.parts()[0].manifold;
        assert_eq!((manifold.normal(), manifold.points().len()), (Vec3::NEG_Y, 4));
        let features: BTreeSet<_> = manifold.points().iter().map(|point| format!("{:?}", point.feature)).collect();
        assert_eq!(features.len(), 4);
        assert_eq!(*known.get_or_insert_with(|| features.clone()), features, "step {step}");
    }
}

#[test]
fn points_lie_on_both_as_far_apart_as_they_say() {
    let mut rng = Rng::with_seed(SEED);
    let mut world = World::with_tag(1);
    let bodies: Vec<ObjectKey> = (0..60)
        .map(|i| {
            let place = vector(&mut rng, 2.0);
            let shape: cullide_world::Shape = match i % 2 {
                0 => ball(place, 0.3 + 0.3 * rng.f32()).into(),
                _ => obb(place, super::turn(&mut rng), Vec3::new(0.3, 0.4, 0.5)).into(),
            };
            world.insert(Object::moving(shape))
        })
        .collect();
    let mut tracker = ContactTracker::new();
    tracker.update(&mut world, 0.0, 0.05);
    let center = |key: ObjectKey| super::center(&world.object(key).unwrap().shape);
    let mut count = 0;
    for pair in tracker.contacts() {
        let Target::Object(second) = pair.second else { panic!("no plane") };
        assert!(bodies.contains(&pair.first) && bodies.contains(&second));
        for part in pair.parts() {
            let normal = part.manifold.normal();
            assert!(part.manifold.points().is_empty() || (normal.length() - 1.0).abs() < 1e-6);
            for point in part.manifold.points() {
                let (a, b) = (center(pair.first) + point.from_first, center(second) + point.from_second);
                assert!(((b - a).dot(normal) - point.separation).abs() < 1e-5, "{point:?}");
                assert!(point.separation <= 0.05);
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn parts_of_a_mesh_are_the_triangles_beneath() {
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let vertices = [
        corner(-5.0, -5.0),
        corner(0.0, -5.0),
        corner(5.0, -5.0),
        corner(-5.0, 5.0),
        corner(0.0, 5.0),
        corner(5.0, 5.0),
    ];
    let triangles = [[0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5]];
    let mut world = World::with_tag(1);
    let mesh = world.insert(Object::fixed(cullide_world::Shape::from(Mesh::new(&vertices, &triangles).unwrap())));
    let crate_ = world.insert(Object::moving(ball(Vec3::new(-4.0, 0.5, -4.0), 0.5)));
    let mut tracker = ContactTracker::new();
    for (place, expected) in [((-4.0, -4.0), 0), ((-1.0, 4.0), 1), ((1.0, -4.0), 2), ((4.0, 4.0), 3)] {
        world.object_mut(crate_).unwrap().set_shape(ball(Vec3::new(place.0, 0.5, place.1), 0.5));
        tracker.update(&mut world, 0.0, 0.02);
        let pair = tracker.contacts().next().unwrap();
        assert_eq!((pair.first, pair.second), (crate_, mesh.into()));
        let parts: Vec<u32> =
            pair.parts().iter().filter(|part| !part.manifold.points().is_empty()).map(|part| part.part).collect();
        assert_eq!(parts, [expected], "at {place:?}");
    }
}

/// Among more triangles that are known, none that a body is in loses its points, but where those at which it is apart
/// count more than it is deep.
#[test]
fn what_is_deep_in_a_surface_is_told_so_whatever_the_margin_is() {
    let mut rng = Rng::with_seed(SEED);
    let heights: Vec<f32> = (0..21 * 21).map(|_| 0.6 * rng.f32()).collect();
    let terrain = Terrain::new(21, 21, &heights, Vec2::splat(0.7), Vec2::splat(-7.0)).unwrap();
    let (mut deep, mut apart, mut unlike) = (0, 0, 0);
    for case in 0..400 {
        let center = vector(&mut rng, 5.0) * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * (0.3 + 1.4 * rng.f32());
        let corners: Vec<Vec3> = (0..8).map(|_| center + vector(&mut rng, 1.0)).collect();
        let Ok(hull) = Hull::new(&corners) else { continue };
        let mut world = World::with_tag(1);
        world.insert(Object::fixed(&terrain));
        world.insert(Object::moving(hull));
        let deepest = [0.0, 0.02, 0.1, 0.2, 0.4, 1.0].map(|margin| {
            let mut tracker = ContactTracker::new();
            tracker.update(&mut world, 0.0, margin);
            let points = tracker.contacts().flat_map(|pair| pair.points(&world).collect::<Vec<_>>());
            points.map(|point| point.separation).fold(f32::INFINITY, f32::min)
        });
        let is_deep = deepest.map(|separation| separation < 0.0);
        unlike += usize::from(is_deep != [is_deep[0]; 6]);
        assert!(!is_deep[1..].contains(&true) || is_deep[0], "case {case}: {deepest:?}");
        *if is_deep[0] { &mut deep } else { &mut apart } += 1;
    }
    assert!(deep > 100 && apart > 100 && unlike <= 2, "{deep} {apart} {unlike}");
}

#[test]
fn planes_are_partners_until_they_are_removed_or_moved() {
    let mut world = World::with_tag(1);
    let plane = world.insert_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    let body = world.insert(Object::moving(ball(Vec3::Y * 0.5, 0.5)));
    let mut tracker = ContactTracker::new();
    let pair = [(body, Target::from(plane))];
    assert_eq!(tracker.update(&mut world, 0.0, 0.02).begun, pair);
    world.plane_mut(plane).unwrap().set_plane(Plane::new(Vec3::Y, 3.0).unwrap());
    assert_eq!(tracker.update(&mut world, 0.0, 0.02).ended, pair);
    world.plane_mut(plane).unwrap().set_plane(Plane::new(Vec3::Y, 0.0).unwrap());
    assert_eq!(tracker.update(&mut world, 0.0, 0.02).begun, pair);
    world.remove_plane(plane);
    assert_eq!(tracker.update(&mut world, 0.0, 0.02).ended, pair);
    assert_eq!(tracker.contacts().count(), 0);
}

/// Random edits of all kinds, also with keys of removed objects; each pair ends at most once, in the order in which it
/// began, and before it begins again, and what is reported as touching is what has begun and not ended.
#[test]
fn begun_and_ended_are_in_balance_whatever_is_edited() {
    let mut rng = Rng::with_seed(SEED);
    for round in 0..20 {
        let mut world = World::with_tag(1);
        let mut planes = vec![world.insert_plane(Plane::new(Vec3::Y, 2.0).unwrap())];
        let mut keys: Vec<ObjectKey> = Vec::new();
        let mut tracker = ContactTracker::new();
        let mut open: BTreeSet<(ObjectKey, Target)> = BTreeSet::new();
        for step in 0..200 {
            for _ in 0..rng.usize(0..4) {
                let place = vector(&mut rng, 2.5);
                let key = if keys.is_empty() { None } else { Some(keys[rng.usize(0..keys.len())]) };
                let shape: cullide_world::Shape = match rng.usize(0..4) {
                    0 => ball(place, 0.6).into(),
                    3 => (&Compound::new([ball(place, 0.5).into(), ball(place + Vec3::X, 0.4).into()]).unwrap()).into(),
                    1 => aabb(place, Vec3::new(0.5, 0.3, 0.6)).into(),
                    _ => obb(place, super::turn(&mut rng), Vec3::new(0.5, 0.3, 0.6)).into(),
                };
                match (rng.usize(0..8), key) {
                    (0 | 1, _) | (_, None) => {
                        let object = if rng.bool() { Object::moving(shape) } else { Object::fixed(shape) };
                        keys.push(world.insert(object));
                    }
                    (2, Some(key)) => _ = world.remove(key),
                    (3, Some(key)) => {
                        _ = world.object_mut(key).map(|mut object| {
                            object.set_mobility(if rng.bool() { Mobility::Fixed } else { Mobility::Moving })
                        })
                    }
                    (4, Some(key)) => _ = world.object_mut(key).map(|mut object| object.set_pairs_with(rng.u32(0..2))),
                    (5, _) if planes.len() < 4 => {
                        let normal = vector(&mut rng, 1.0);
                        planes.push(world.insert_plane(Plane::new(normal, 2.0 * normal.length()).unwrap()));
                    }
                    (5, _) => {
                        let at = rng.usize(0..planes.len());
                        world.remove_plane(planes.swap_remove(at));
                    }
                    (_, Some(key)) => _ = world.object_mut(key).map(|mut object| object.set_shape(shape)),
                }
            }
            if rng.usize(0..10) == 0 {
                // Other code takes the events.
                world.update_pairs(DT);
            }
            let events = tracker.update(&mut world, DT, 0.02);
            for pair in events.ended {
                assert!(open.remove(pair), "round {round}, step {step}: {pair:?} ends but has not begun");
            }
            for pair in events.begun {
                assert!(open.insert(*pair), "round {round}, step {step}: {pair:?} begins again");
            }
            let touching: BTreeSet<_> = tracker
                .contacts()
                .filter(|pair| pair.parts().iter().any(|part| !part.manifold.points().is_empty()))
                .map(|pair| (pair.first, pair.second))
                .collect();
            assert_eq!(touching, open, "round {round}, step {step}");
        }
    }
}

#[test]
fn contacts_that_are_restored_go_on_bit_for_bit() {
    let mut rng = Rng::with_seed(SEED);
    let (mut world, _, _) = crate_above(0.0);
    let boxed = |rng: &mut Rng| {
        let place = Vec3::new(rng.f32() * 4.0, 0.4 + rng.f32(), rng.f32() * 4.0);
        obb(place, Quat::from_rotation_y(rng.f32()), Vec3::splat(0.4))
    };
    let mut keys: Vec<ObjectKey> = (0..40).map(|_| world.insert(Object::moving(boxed(&mut rng)))).collect();
    let mut tracker = ContactTracker::new();
    tracker.update(&mut world, DT, 0.02);
    for key in keys.drain(..8) {
        world.remove(key);
    }
    tracker.update(&mut world, DT, 0.02);
    for round in 0..20 {
        // With edits that the tracker has not seen, too.
        if round % 2 == 0 {
            world.object_mut(keys[round]).unwrap().set_shape(boxed(&mut rng));
        }
        let text = serde_json::to_string(&(world.snapshot(), tracker.snapshot(&world))).unwrap();
        let (saved, contacts): (Snapshot, ContactTrackerSnapshot) = serde_json::from_str(&text).unwrap();
        let mut other = World::restore(&saved).unwrap();
        let mut others = ContactTracker::restore(&contacts, &other).unwrap();
        assert_eq!(others.snapshot(&other), contacts);
        for _ in 0..5 {
            let (key, shape) = (keys[rng.usize(0..keys.len())], boxed(&mut rng));
            let _ =
                [&mut world, &mut other].map(|world| world.object_mut(key).map(|mut object| object.set_shape(shape)));
            assert_eq!(tracker.update(&mut world, DT, 0.02), others.update(&mut other, DT, 0.02), "{round}");
            assert!(tracker.contacts().eq(others.contacts()), "{round}");
        }
    }
    assert!(tracker.contacts().count() > 20);
}

#[test]
fn saved_contacts_that_were_changed_are_refused_or_go_on() {
    let (mut world, _, _) = crate_above(0.0);
    for i in 0..10 {
        world.insert(Object::moving(obb(Vec3::new(0.7 * i as f32, 0.4, 0.1), Quat::IDENTITY, Vec3::splat(0.4))));
    }
    let mut tracker = ContactTracker::new();
    tracker.update(&mut world, DT, 0.02);
    let text = serde_json::to_string(&tracker.snapshot(&world)).unwrap();
    let (mut refused, mut restored) = (0, 0);
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..300 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..3 {
            let at = rng.usize(0..bytes.len());
            if bytes[at].is_ascii_digit() {
                bytes[at] = b'0' + rng.u8(0..10);
            }
        }
        let saved = serde_json::from_slice::<ContactTrackerSnapshot>(&bytes).ok();
        let Some(Ok(mut other)) = saved.map(|saved| ContactTracker::restore(&saved, &world)) else {
            refused += 1;
            continue;
        };
        for _ in 0..3 {
            other.update(&mut world.clone(), DT, 0.02);
        }
        restored += other.contacts().count().min(1);
    }
    assert!(refused > 0 && restored > 0, "{refused} refused, {restored} restored");
}

/// A square of triangles at height 0, as a mesh, as a terrain, and as a compound of that mesh.
fn squares() -> [Shape; 3] {
    let mut corners = vec![];
    let mut triangles = vec![];
    for i in 0..25u32 * 25 {
        corners.push(Vec3::new((i % 25) as f32 * 0.25 - 3.0, 0.0, (i / 25) as f32 * 0.25 - 3.0));
        if i % 25 < 24 && i / 25 < 24 {
            triangles.extend([[i, i + 25, i + 1], [i + 1, i + 25, i + 26]]);
        }
    }
    let mesh = Mesh::new(&corners, &triangles).unwrap();
    let terrain = Terrain::new(25, 25, &[0.0; 625], Vec2::splat(0.25), Vec2::splat(-3.0)).unwrap();
    [(&mesh).into(), (&terrain).into(), (&Compound::new([(&mesh).into()]).unwrap()).into()]
}

#[test]
fn what_is_in_a_surface_touches_it_however_deep() {
    let mut rng = Rng::with_seed(SEED + 5);
    for surface in squares() {
        let mut deep = 0;
        for case in 0..3000 {
            let (at, half) = (vector(&mut rng, 1.0) * Vec3::new(2.0, 0.6, 2.0), vector(&mut rng, 0.4).abs() + 0.03);
            let body = match case % 4 {
                0 => capsule(at, turn(&mut rng) * Vec3::X * 0.9, 0.05).into(),
                // A blade.
                1 => obb(at, turn(&mut rng), Vec3::new(0.9, 0.03, 0.08)).into(),
                _ => Shape::from(obb(at, turn(&mut rng), half)),
            };
            if body.distance(&surface).unwrap().separation > -1e-3 {
                continue;
            }
            let mut world = World::with_tag(1);
            let key = world.insert(Object::moving(body.clone()));
            let below = world.insert(Object::fixed(surface.clone()));
            let mut tracker = ContactTracker::new();
            assert_eq!(tracker.update(&mut world, DT, 0.0).begun, [(key, below.into())], "{body:?}");
            let pair = tracker.contact(key, below).unwrap();
            assert!(
                pair.parts().iter().any(|part| part.manifold.distance() < 0.0 && !part.manifold.points().is_empty())
            );
            deep += 1;
        }
        assert!(deep > 1000, "{deep}");
    }
}
