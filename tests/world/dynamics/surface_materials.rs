//! Parts of one object with different friction, restitution and surface velocity.

use super::{Scene, aabb, ball, capsule};
use cullide_world::{
    Character, Compound, Dynamics, Filter, Material, Mesh, Mover, Object, ObjectKey, PlacedCompound, RigidBody,
    Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::Capsule,
};

const ICE: Material = Material { friction: 0.0, ..PLAIN };
const RUBBER: Material = Material { restitution: 0.8, ..PLAIN };
const BELT: Material = Material { surface_velocity: Vec3::X, ..PLAIN };
const PLAIN: Material =
    Material { friction: 0.6, restitution: 0.0, rolling_resistance: 0.0, surface_velocity: Vec3::ZERO };

/// A level mesh of four strips along x, each 10 wide, with surfaces 0 to 3: 1 is ice, 2 rubber and 3 a belt.
fn strips(scene: &mut Scene) -> ObjectKey {
    let corners = [0.0f32, 10.0, 20.0, 30.0, 40.0].map(|z| [Vec3::new(-20.0, 0.0, z), Vec3::new(60.0, 0.0, z)]);
    let triangles =
        [0u32, 1, 2, 3].map(|i| [0, 1].map(|k| [[0, 2, 1], [1, 2, 3]][k].map(|corner: u32| corner + 2 * i)));
    let mesh = Mesh::new(corners.as_flattened(), triangles.as_flattened()).unwrap();
    let key = scene.fixed(mesh.with_surfaces(&[0, 0, 1, 1, 2, 2, 3, 3]).unwrap());
    for (surface, material) in [(1, ICE), (2, RUBBER), (3, BELT)] {
        scene.dynamics.set_surface_material(&scene.world, key, surface, material).unwrap();
    }
    key
}

#[test]
fn each_strip_of_a_mesh_rubs_in_its_own_way() {
    let mut scene = Scene::new();
    strips(&mut scene);
    let sliding = RigidBody { velocity: Vec3::X * 3.0, ..RigidBody::dynamic() };
    let [rock, ice] = [5.0, 15.0].map(|z| scene.add(aabb(Vec3::new(0.0, 0.502, z), Vec3::splat(0.5)), sliding));
    // Half on each of two strips.
    let both = scene.add(aabb(Vec3::new(0.0, 0.502, 10.0), Vec3::splat(0.5)), sliding);
    let still = scene.add(aabb(Vec3::new(0.0, 0.502, 35.0), Vec3::splat(0.5)), RigidBody::dynamic());
    let [dull, lively] = [5.0, 25.0].map(|z| scene.add(ball(Vec3::new(20.0, 3.0, z), 0.5), RigidBody::dynamic()));
    let mut highest = [0.0f32; 2];
    for step in 0..180 {
        scene.step();
        if step > 60 {
            highest = [0, 1].map(|i| highest[i].max(scene.center([dull, lively][i]).y));
        }
    }
    let way = |key: ObjectKey| scene.center(key).x;
    assert!(way(rock) < 1.0 && (way(ice) - 9.0).abs() < 0.1, "{} {}", way(rock), way(ice));
    // It has half the friction, or less, because the part on rock rotates it off the line.
    assert!(way(both) > way(rock) + 0.2 && way(both) < 5.0, "{}", way(both));
    assert!((way(still) - 2.9).abs() < 0.15 && !scene.dynamics.body(still).unwrap().is_asleep(), "{}", way(still));
    assert!(highest[0] < 0.51 && highest[1] > 1.5, "{highest:?}");
    scene.steps(120);
    assert!(scene.dynamics.body(rock).unwrap().is_asleep() && !scene.dynamics.body(still).unwrap().is_asleep());
}

#[test]
fn cells_of_a_terrain_and_children_of_a_compound_have_materials() {
    let mut scene = Scene::new();
    let mut terrain = Terrain::new(41, 21, &[0.0; 41 * 21], Vec2::ONE, Vec2::ZERO).unwrap();
    terrain.set_surface(0..40, 10..20, 5).unwrap();
    let ground = scene.fixed(terrain);
    scene.dynamics.set_surface_material(&scene.world, ground, 5, ICE).unwrap();
    let sliding = RigidBody { velocity: Vec3::X * 3.0, ..RigidBody::dynamic() };
    let [rock, ice] = [5.0, 15.0].map(|z| scene.add(aabb(Vec3::new(5.0, 0.502, z), Vec3::splat(0.5)), sliding));
    // A sledge with a runner of ice under a body of wood, upright and upside down.
    let parts = [aabb(Vec3::Y * 0.1, Vec3::new(1.0, 0.1, 0.5)), aabb(Vec3::Y * 0.5, Vec3::new(1.0, 0.3, 0.5))];
    let sledge = Compound::new(parts.map(Into::into)).unwrap().with_surfaces(&[7, 8]).unwrap();
    let [upright, over] = [(2.0, 0.0), (8.0, std::f32::consts::PI)].map(|(z, angle)| {
        let height = if angle == 0.0 { 0.002 } else { 0.802 };
        let at = Vec3::new(5.0, height, z);
        let key = scene.add(PlacedCompound::new(&sledge, Quat::from_rotation_x(angle), at).unwrap(), sliding);
        scene.dynamics.set_surface_material(&scene.world, key, 7, ICE).unwrap();
        key
    });
    scene.steps(120);
    let speed = |key: ObjectKey| scene.velocity(key).x;
    assert!(speed(rock) == 0.0 && speed(over) == 0.0, "{} {}", speed(rock), speed(over));
    assert!(speed(ice) > 2.9 && speed(upright) > 2.9, "{} {}", speed(ice), speed(upright));
}

#[test]
fn saved_surfaces_rub_on_bit_for_bit() {
    let mut scene = Scene::new();
    let key = strips(&mut scene);
    let gone = scene.fixed(ball(Vec3::NEG_Y * 50.0, 1.0));
    scene.dynamics.set_surface_material(&scene.world, gone, 0, ICE).unwrap();
    scene.world.remove(gone);
    let sliding = RigidBody { velocity: Vec3::new(2.0, 0.0, 2.0), ..RigidBody::dynamic() };
    let boxes: Vec<_> = (0..8u8)
        .map(|i| scene.add(aabb(Vec3::new(0.0, 0.502, f32::from(i) * 4.0), Vec3::splat(0.5)), sliding))
        .collect();
    scene.steps(20);
    let text =
        serde_json::to_string(&(scene.world.snapshot(), scene.dynamics.snapshot(&scene.world).unwrap())).unwrap();
    let (world, dynamics) = serde_json::from_str(&text).unwrap();
    let world = World::restore(&world).unwrap();
    let dynamics = Dynamics::restore(&dynamics, &world).unwrap();
    let mut other = Scene { world, dynamics, config: scene.config };
    for _ in 0..100 {
        assert_eq!(scene.step(), other.step());
        for key in &boxes {
            assert_eq!(scene.dynamics.body(*key), other.dynamics.body(*key));
        }
    }
    assert_eq!(scene.dynamics.snapshot(&scene.world).unwrap(), other.dynamics.snapshot(&other.world).unwrap());
    assert!(scene.dynamics.set_surface_material(&scene.world, key, 1, Material { friction: -1.0, ..ICE }).is_err());
}

#[test]
fn a_walker_knows_what_it_stands_on_and_rides_only_the_belt() {
    let mut scene = Scene::new();
    strips(&mut scene);
    for (z, surface, way) in [(5.0, 0, 0.0), (15.0, 1, 0.0), (35.0, 3, 1.0)] {
        let start = Vec3::new(0.0, 0.0, z);
        let mut hero = Character::new(Capsule::new(start + Vec3::Y * 0.3, start + Vec3::Y * 1.5, 0.3).unwrap());
        for _ in 0..61 {
            hero.velocity = Vec3::ZERO;
            let Scene { world, dynamics, .. } = &mut scene;
            dynamics.walk(world, &Mover::default(), &mut hero, super::DT, &Filter::ALL).unwrap();
        }
        let ground = hero.ground.unwrap();
        assert_eq!((ground.surface, ground.part / 2), (surface, surface.into()));
        assert!((hero.position().x - way).abs() < 1e-3, "{surface}: {}", hero.position().x);
    }
    // For an object: the child on which it stands.
    let stage = Compound::new([0.0, 4.0].map(|x| capsule(Vec3::X * x, Vec3::Z, 0.5).into())).unwrap();
    let stage = scene.world.insert(Object::fixed(stage.with_surfaces(&[11, 12]).unwrap()));
    let start = Vec3::new(4.0, 0.52, 0.0);
    let mut hero = Character::new(Capsule::new(start + Vec3::Y * 0.3, start + Vec3::Y * 1.5, 0.3).unwrap());
    Mover::default().walk(&scene.world, &mut hero, super::DT, &Filter::ALL).unwrap();
    let ground = hero.ground.unwrap();
    assert_eq!((ground.target, ground.part, ground.surface), (stage.into(), 1, 12));
}
