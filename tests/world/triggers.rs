//! Volumes that report whatever enters and leaves them.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Dynamics, DynamicsConfig, Filter, Mesh, Mover, Object, ObjectKey, RigidBody, Shape, Target, Triggers,
    World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Hull, Obb, Plane, Sphere},
};
use std::collections::BTreeSet;

const DT: f32 = 1.0 / 60.0;

const HEROES: u32 = 1 << 1;

fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 2.0 - 1.0
}

fn shape(rng: &mut Rng, kind: usize, size: f32) -> Shape {
    let (at, half) = (vector(rng) * 6.0, (vector(rng).abs() + 0.2) * size);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| at + corner * half * 2.0);
    match kind % 6 {
        0 => Aabb::from_center_half_extents(at, half).unwrap().into(),
        1 => Obb::new(at, Quat::from_scaled_axis(vector(rng)), half).unwrap().into(),
        2 => Sphere::new(at, half.x).unwrap().into(),
        3 => Capsule::from_half_axis(at, half, half.x).unwrap().into(),
        4 => Hull::new(&corners).unwrap().into(),
        _ => Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap().into(),
    }
}

/// Whether two shapes share a point, asked of a world with only one of them.
fn touch(one: &Shape, other: &Shape) -> bool {
    let mut world = World::with_tag(9);
    world.insert(Object::fixed(one.clone()));
    world.any_overlap(other, &Filter::ALL)
}

/// The history of reports is that of asking for every pair, over edits of all kinds.
#[test]
fn reports_are_the_changes_of_all_pairs_that_touch() {
    let mut rng = Rng::with_seed(SEED);
    let (mut entered, mut left) = (0, 0);
    for case in 0..12 {
        let mut world = World::with_tag(1);
        let mut triggers = Triggers::new();
        world.insert_plane(Plane::new(Vec3::Y, -3.0).unwrap());
        let mut volumes: Vec<(ObjectKey, u32)> = vec![];
        for i in 0..5 {
            let volume = Object::moving(shape(&mut rng, i + case, 3.0)).layers(0);
            let layers = [1, 2, 3][i % 3];
            volumes.push((world.insert(volume), layers));
            triggers.watch(volumes[i].0, layers);
        }
        let mut others: Vec<ObjectKey> = vec![];
        let mut known = BTreeSet::new();
        for frame in 0..40 {
            if others.len() < 12 {
                let make = if frame % 2 == 0 { Object::moving } else { Object::fixed };
                let layers = 1 + (rng.f32() * 3.0) as u32;
                others.push(world.insert(make(shape(&mut rng, frame, 1.0)).layers(layers)));
            } else if frame % 7 == 0 {
                world.remove(others.remove(frame % 12));
            }
            for key in &others {
                if rng.f32() < 0.5 {
                    world.object_mut(*key).unwrap().set_transform(Quat::IDENTITY, vector(&mut rng) * 4.0).unwrap();
                }
            }
            if frame == 30 {
                world.remove(volumes.remove(0).0);
                assert_eq!(triggers.unwatch(volumes[0].0), Some(volumes[0].1));
                volumes.remove(0);
            }
            let now: BTreeSet<(ObjectKey, ObjectKey)> = volumes
                .iter()
                .flat_map(|volume| others.iter().map(move |other| (*volume, *other)))
                .filter(|((volume, layers), other)| {
                    let [a, b] = [volume, other].map(|key| world.object(*key).unwrap());
                    b.layers & layers != 0 && touch(&a.shape, &b.shape)
                })
                .map(|((volume, _), other)| (volume, other))
                .collect();
            triggers.update(&world, &Filter::ALL);
            let gained: Vec<_> = now.difference(&known).copied().collect();
            let lost: Vec<_> = known.difference(&now).copied().collect();
            assert_eq!((triggers.entered(), triggers.left()), (&gained[..], &lost[..]), "{case}, {frame}");
            for (volume, _) in &volumes {
                let inside: Vec<_> = now.iter().filter(|pair| pair.0 == *volume).map(|pair| pair.1).collect();
                assert_eq!(triggers.inside(*volume).collect::<Vec<_>>(), inside, "{case}, {frame}");
            }
            (entered, left) = (entered + gained.len(), left + lost.len());
            known = now;
        }
    }
    assert!(entered > 200 && left > 150, "{entered} {left}");
}

#[test]
fn characters_kinematic_and_rigid_bodies_are_reported_alike() {
    let (mut world, mut dynamics, mut triggers) = (World::with_tag(1), Dynamics::new(), Triggers::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let gate = Aabb::new(Vec3::new(4.0, 0.0, -9.0), Vec3::new(6.0, 3.0, 9.0)).unwrap();
    let gate = world.insert(Object::fixed(gate).layers(0).pairs_with(0));
    triggers.watch(gate, u32::MAX);
    let config = DynamicsConfig { gravity: Vec3::ZERO, ..DynamicsConfig::default() };
    let velocity = Vec3::X * 6.0;
    let lift = world.insert(Object::moving(Aabb::new(Vec3::new(-1.0, 1.0, 2.0), Vec3::new(0.0, 2.0, 3.0)).unwrap()));
    dynamics.insert(&mut world, lift, RigidBody { velocity, ..RigidBody::kinematic() }).unwrap();
    let ball = world.insert(Object::moving(Sphere::new(Vec3::new(-0.5, 1.5, 5.0), 0.5).unwrap()));
    dynamics.insert(&mut world, ball, RigidBody { velocity, ..RigidBody::dynamic() }).unwrap();
    let ghost = world.insert(Object::moving(Sphere::new(Vec3::new(-0.5, 1.5, 8.0), 0.5).unwrap()));
    let body = Capsule::new(Vec3::new(-0.5, 0.5, 0.0), Vec3::new(-0.5, 1.5, 0.0), 0.5).unwrap();
    let mut hero = Character::new(body);
    let own = world.insert(Object::moving(body).layers(HEROES));
    hero.object = Some(own);
    let (mut entered, mut left) = (vec![], vec![]);
    for frame in 1..=100 {
        dynamics.step(&mut world, DT, &config).unwrap();
        hero.velocity = velocity;
        dynamics.walk(&world, &Mover::default(), &mut hero, DT, &Filter::ALL).unwrap();
        hero.place(&mut world);
        world
            .object_mut(ghost)
            .unwrap()
            .set_transform(Quat::IDENTITY, Vec3::new(-0.5 + 0.1 * frame as f32, 1.5, 8.0))
            .unwrap();
        triggers.update(&world, &Filter::ALL);
        entered.extend(triggers.entered().iter().map(|pair| (pair.1, frame)));
        left.extend(triggers.left().iter().map(|pair| (pair.1, frame)));
    }
    // All begin with their fronts at 0 and their backs at -1, and move by 0.1 in each frame.
    for key in [lift, ball, ghost, own] {
        let [came, went] =
            [&entered, &left].map(|list| list.iter().filter(|(other, _)| *other == key).map(|at| at.1).collect());
        let (came, went): (Vec<i32>, Vec<i32>) = (came, went);
        assert!(came.len() == 1 && (40..=41).contains(&came[0]), "{key}: {came:?}");
        assert!(went.len() == 1 && (70..=72).contains(&went[0]), "{key}: {went:?}");
    }
}

#[test]
fn filters_stale_keys_other_worlds_and_saved_triggers() {
    let mut world = World::with_tag(1);
    let ball = |world: &mut World, radius: f32| world.insert(Object::moving(Sphere::new(Vec3::ZERO, radius).unwrap()));
    let (volume, first, second) = (ball(&mut world, 3.0), ball(&mut world, 1.0), ball(&mut world, 1.0));
    let mut triggers = Triggers::new();
    assert_eq!((triggers.watch(volume, 1), triggers.watch(volume, u32::MAX)), (None, Some(1)));
    triggers.update(&world, &Filter::ALL.without(&[first]));
    assert_eq!(triggers.entered(), [(volume, second)]);
    // Saved and read again it goes on as the other does.
    let text = serde_json::to_string(&triggers).unwrap();
    let mut read: Triggers = serde_json::from_str(&text).unwrap();
    for triggers in [&mut triggers, &mut read] {
        triggers.update(&world, &Filter::ALL.fixed_only());
        assert_eq!((triggers.entered(), triggers.left()), (&[][..], &[(volume, second)][..]));
        triggers.update(&world, &Filter::ALL);
        assert_eq!((triggers.entered(), triggers.left()), (&[(volume, first), (volume, second)][..], &[][..]));
    }
    let other = World::with_tag(2);
    triggers.update(&other, &Filter::ALL);
    assert_eq!(triggers.left().len(), 2);
    assert_eq!(triggers.unwatch(volume), None);
    world.remove(volume);
    read.update(&world, &Filter::ALL);
    assert_eq!((read.left().len(), read.inside(volume).count()), (2, 0));
    read.update(&world, &Filter::ALL);
    assert!(read.left().is_empty() && read.unwatch(volume).is_none());
    assert!(!world.is_empty() && Target::from(first).object() == Some(first));
}
