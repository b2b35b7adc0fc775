//! What a walk says about a step that it could not climb.

use super::{DT, ground};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BlockedStep, Character, Filter, Mesh, Mover, Object, ObjectKey, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Obb},
};

/// Walks into what is ahead until it is blocked, as a box and as a capsule; returns what both say last.
fn blocked_by(world: &World, direction: Vec3) -> [Option<BlockedStep>; 2] {
    let mover = Mover::default();
    let mut boxed = Character::new(Obb::new(Vec3::Y * 0.9, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3)).unwrap());
    let mut round = Character::new(Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3).unwrap());
    let mut said = [None; 2];
    for _ in 0..60 {
        (boxed.velocity, round.velocity) = (direction * 3.0, direction * 3.0);
        said = [
            mover.walk(world, &mut boxed, DT, &Filter::ALL).unwrap().blocked,
            mover.walk(world, &mut round, DT, &Filter::ALL).unwrap().blocked,
        ];
    }
    said
}

/// A wall from x = 1 on, as a box or as a mesh.
fn wall(world: &mut World, height: f32, is_mesh: bool) -> ObjectKey {
    let aabb = Aabb::new(Vec3::new(1.0, -1.0, -9.0), Vec3::new(9.0, height, 9.0)).unwrap();
    if !is_mesh {
        return world.insert(Object::fixed(aabb));
    }
    let corners = Obb::from(&aabb).corners();
    let corner = |x: f32, y: f32, z: f32| {
        let at = Vec3::new(x, y, z);
        corners.iter().position(|corner| corner.distance(at) < 1e-3).unwrap() as u32
    };
    let [a, b, c, d] =
        [corner(1.0, -1.0, -9.0), corner(1.0, height, -9.0), corner(1.0, height, 9.0), corner(1.0, -1.0, 9.0)];
    let [e, f] = [corner(9.0, height, -9.0), corner(9.0, height, 9.0)];
    let mesh = Mesh::new(&corners, &[[a, b, c], [a, c, d], [b, e, f], [b, f, c]]).unwrap();
    world.insert(Object::fixed(mesh))
}

#[test]
fn it_names_what_was_in_the_way_and_how_high_that_is() {
    let mut rng = Rng::with_seed(SEED);
    let (mut measured, mut climbed) = (0, 0);
    for case in 0..60 {
        let height = 0.1 + 1.6 * rng.f32();
        let mut world = ground();
        let key = wall(&mut world, height, case % 2 == 0);
        let angle = 0.5 * (rng.f32() - 0.5);
        for (kind, said) in blocked_by(&world, Vec3::new(angle.cos(), 0.0, angle.sin())).into_iter().enumerate() {
            if height < 0.345 {
                assert_eq!(said, None, "{case}, {kind}: {height}");
                climbed += 1;
            } else if height > 0.355 {
                let said = said.unwrap_or_else(|| panic!("{case}, {kind}: {height}"));
                assert_eq!(said.target, key.into(), "{case}, {kind}");
                assert!(said.normal.distance(Vec3::NEG_X) < 1e-3, "{case}, {kind}: {}", said.normal);
                let told = said.height.unwrap_or_else(|| panic!("{case}, {kind}: {height}"));
                assert!((told - height).abs() < 2e-3, "{case}, {kind}: {told} {height}");
                measured += 1;
            }
        }
    }
    assert!(measured > 60 && climbed > 8, "{measured} {climbed}");
}

#[test]
fn a_wall_without_a_place_behind_it_has_no_height() {
    let block = |low: [f32; 2], high: [f32; 2]| -> Shape {
        Aabb::new(Vec3::new(low[0], low[1], -9.0), Vec3::new(high[0], high[1], 9.0)).unwrap().into()
    };
    // Higher than the character; a step with too little room above; one under a low beam in front of it.
    let scenes = [
        vec![block([1.0, 0.0], [9.0, 4.0])],
        vec![block([1.0, 0.0], [9.0, 0.6]), block([1.0, 1.5], [9.0, 4.0])],
        vec![block([1.0, 0.0], [9.0, 0.3]), block([-9.0, 1.9], [1.0, 4.0])],
    ];
    for (i, scene) in scenes.into_iter().enumerate() {
        let mut world = ground();
        let keys: Vec<ObjectKey> = scene.into_iter().map(|shape| world.insert(Object::fixed(shape))).collect();
        for said in blocked_by(&world, Vec3::X) {
            let said = said.unwrap_or_else(|| panic!("scene {i}"));
            assert_eq!((said.target, said.height), (keys[0].into(), None), "scene {i}");
        }
    }
}

#[test]
fn nothing_is_reported_in_the_air_or_without_a_wall() {
    let mut world = ground();
    wall(&mut world, 0.6, false);
    let mover = Mover::default();
    let mut hero = Character::new(Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3).unwrap());
    for _ in 0..8 {
        hero.velocity = Vec3::X * 3.0;
        assert_eq!(mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap().blocked, None);
    }
    hero.velocity = Vec3::new(30.0, 3.0, 0.0);
    let walk = mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    assert!(walk.blocked.is_none() && !hero.is_on_ground());
}
